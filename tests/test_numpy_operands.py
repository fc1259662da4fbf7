"""NumPy arrays beside Arrays: operands on the host's memory, transfers off it; subclasses are left to their class."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from contract_toys import SinglePrecisionBackend
from strategies import values_of

import xtensor as xp


@pytest.mark.parametrize("name", ["add", "mul", "matmul", "lt", "eq", "and_"])
@pytest.mark.parametrize("reflected", [False, True])
def test_numpy_array_is_an_operand_on_the_host_and_a_transfer_off_it(device, name, reflected):
    a = np.asarray([[1, 2], [3, 4]])
    x = xp.asarray(a, device=device)
    operands = (a, x) if reflected else (x, a)
    if not device.host:
        with pytest.raises(xp.DeviceMismatchError, match=r"the host .*asarray"):
            getattr(operator, name)(*operands)
    with xp.transfers("forbid" if device.host else "allow"):
        result = getattr(operator, name)(*operands)
    assert result.device is device
    assert result.tolist() == getattr(operator, name)(a, a).tolist()


@pytest.mark.parametrize("name", ["iadd", "imul", "iand", "ifloordiv"])
def test_inplace_operator_with_a_numpy_array(device, name):
    a, b = np.asarray([6, 7]), np.asarray([2, 3])
    x = xp.asarray(a, device=device, copy=True)
    if not device.host:
        with pytest.raises(xp.DeviceMismatchError, match="the host"):
            getattr(operator, name)(x, b)
    with xp.transfers("forbid" if device.host else "allow"):
        result = getattr(operator, name)(x, b)
    assert result is x
    assert x.tolist() == getattr(operator, name)(a.copy(), b).tolist()


def test_numpy_array_is_shared_and_not_copied_as_an_operand():
    a = np.ones(3)
    x = xp.ones(3, device="cpu")
    assert xp.broadcast_arrays(x, a)[1].numpy().tolist() == [1.0, 1.0, 1.0]
    assert np.shares_memory(xp.asarray(a), a)


@pytest.mark.parametrize("name", ["add", "mul", "lt"])
def test_subclass_of_a_numpy_array_is_left_to_its_class(device, name):
    mask = np.ma.array([1.0, 2.0], mask=[False, True])
    x = xp.asarray([3.0, 4.0], device=device)
    if device.host:
        result = getattr(operator, name)(x, mask)
        assert isinstance(result, np.ma.MaskedArray)
        assert result.mask.tolist() == [False, True]
        assert getattr(operator, name)(mask, x).mask.tolist() == [False, True]
    else:
        with pytest.raises(TypeError):
            getattr(operator, name)(x, mask)


def test_assignment_of_a_numpy_array(device):
    x = xp.zeros(2, device=device)
    if device.host:
        x[:] = np.ones(2)
        assert x.tolist() == [1.0, 1.0]
        return
    with pytest.raises(xp.DeviceMismatchError, match="the host"):
        x[:] = np.ones(2)
    assert x.tolist() == [0.0, 0.0]
    with xp.transfers("allow"):
        x[:] = np.ones(2)
    assert x.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "add", "iadd"])
@pytest.mark.parametrize("values", [[1, 2, 3], (1, 2, 3)], ids=["list", "tuple"])
def test_operator_with_a_sequence_names_the_remedy_on_strict(name, values):
    with pytest.raises(TypeError, match="convert it with xtensor.asarray"):
        getattr(operator, name)(xp.ones(3, device="strict"), values)


SEQUENCES = {
    "add": lambda x, y: xp.add(x, y),
    "maximum": lambda x, y: xp.maximum(x, y),
    "less": lambda x, y: xp.less(x, y),
    "pow": lambda x, y: xp.pow(x, y),
    "matmul": lambda x, y: xp.matmul(x, y),
    "tensordot": lambda x, y: xp.tensordot(x, y, axes=1),
    "vecdot": lambda x, y: xp.vecdot(x, y),
    "outer": lambda x, y: xp.linalg.outer(x, y),
    "cross": lambda x, y: xp.linalg.cross(x, y),
    "clip": lambda x, y: xp.clip(x, y, 5),
    "where": lambda x, y: xp.where([True, False, True], x, y),
    "special": lambda x, y: xp.special.logsumexp(xp.stack(xp.broadcast_arrays(x, y))),
    "searchsorted": lambda x, y: xp.searchsorted(x, y),
}


@pytest.mark.parametrize("name", SEQUENCES)
@pytest.mark.parametrize("reflected", [False, True])
def test_function_of_two_operands_takes_a_sequence_beside_an_array(lenient_device, name, reflected):
    numbers, x = (1.0, 4.0, 2.5), xp.asarray([1.0, 2.0, 3.0], device=lenient_device)
    y = xp.asarray(numbers, device=lenient_device)
    found, expected = (SEQUENCES[name](*(pair[::-1] if reflected else pair)) for pair in ((x, list(numbers)), (x, y)))
    assert values_of(found).tolist() == values_of(expected).tolist()
    assert found.dtype == expected.dtype


@pytest.mark.parametrize(
    "values", [(1, 4, 2), (1.0, 4.0, 2.5), (1.0 + 2.0j, 4.0, 2.5)], ids=["int", "float", "complex"]
)
def test_sequence_has_the_default_dtype_of_a_device_without_double_precision(registry, values):
    xp.register_backend(SinglePrecisionBackend())
    x = xp.asarray([1.0, 2.0, 3.0], device="single:0")
    expected = np.asarray([1.0, 2.0, 3.0]) * np.asarray(values)
    for found in (x * list(values), values * x, xp.multiply(x, list(values))):
        assert str(found.device) == "single:0"
        assert found.tolist() == expected.tolist()
    with pytest.raises(TypeError, match="does not support dtype float64"):
        x * [np.float64(1.0), 2.0, 3.0]


def test_function_without_an_array_refuses_sequences():
    with pytest.raises(TypeError, match="needs at least one xtensor Array"):
        xp.add([1, 2], [3, 4])


@pytest.mark.parametrize("function", [xp.add, xp.vecdot, xp.where], ids=lambda function: function.__name__)
def test_function_refuses_a_sequence_on_strict(function):
    x = xp.ones(2, device="strict")
    with pytest.raises(TypeError, match="list"):
        function(x > 0, x, [1.0, 2.0]) if function is xp.where else function(x, [1.0, 2.0])


def test_universal_function_takes_a_sequence(lenient_device):
    x = xp.ones(3, device=lenient_device)
    assert np.equal(x, [1, 2, 1]).tolist() == [True, False, True]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex64", "bool"])
@pytest.mark.parametrize("scalar", [np.float32(3), np.float64(3), np.int64(3), np.int8(3), np.bool(True)])
@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("place", ["cpu", "numpy"])
def test_numpy_scalar_promotes_as_beside_a_numpy_array(place, dtype, scalar, reflected):
    a = np.asarray([1, 0, 1]).astype(dtype)
    x = xp.asarray(a, device=place)
    result, expected = (scalar + x, scalar + a) if reflected else (x + scalar, a + scalar)
    np.testing.assert_array_equal(xp.to_numpy(result), expected, strict=True)


@pytest.mark.parametrize("other", [np.linspace(0.0, 1.0, 2**16), np.float64(3.0)], ids=type)
def test_large_array_beside_numpys_is_computed_by_a_kernel(other):
    pytest.importorskip("llvmlite")
    x = xp.ones(2**16, device="cpu")
    with xp.profile() as record:
        results = [x + other, other + x, xp.add(x, other), np.add(x, other)]
    assert record.records["add", "cpu", "kernel"].calls == len(results)
    for result in results:
        np.testing.assert_array_equal(xp.to_numpy(result), 1.0 + other * np.ones(2**16), strict=True)
