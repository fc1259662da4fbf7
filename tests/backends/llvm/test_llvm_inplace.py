"""Kernels that write over an operand: in-place operators of large arrays, and temporaries of expressions."""

from __future__ import annotations

import importlib.util
import itertools
import warnings

import numpy as np
import pytest

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

from llvm_kernels import DTYPES, values

import xtensor as xp
import xtensor_backends.llvm
from xtensor._core.compiled import compiled

COUNT = 1_200_000
RNG = np.random.default_rng
OPERATORS = ("__iadd__", "__isub__", "__imul__", "__itruediv__")


def cpu(array, device="cpu"):
    return xp.asarray(array.copy(), device=device, copy=False)


def outcome(function, *operands):
    """The result or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("error", ".* encountered in", RuntimeWarning, "xtensor")
        try:
            result = np.asarray(function(*operands))
        except Exception as error:
            result = type(error)
    return result, [(str(item.message), item.filename) for item in caught]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*OPERATORS, "__iand__", "__ior__", "__ixor__"])
@pytest.mark.parametrize("number", [False, True])
def test_operators_have_numpys_outcome(name, dtype, number):
    x = values(RNG(0), dtype, COUNT)
    y = {"b": True, "i": 3, "u": 3, "f": 2.5}[x.dtype.kind] if number else values(RNG(1), dtype, COUNT)

    def function(x, y):
        kept, view = x, x[:10]
        result = getattr(x, name)(y)
        if result is not NotImplemented:
            assert result is kept
            np.testing.assert_array_equal(np.asarray(view), np.asarray(kept)[:10])
        return result

    expected = outcome(function, cpu(x, "numpy"), y if number else cpu(y, "numpy"))
    actual = outcome(function, cpu(x), y if number else cpu(y))
    if isinstance(expected[0], type):
        assert isinstance(actual[0], type)
    else:
        np.testing.assert_array_equal(actual[0], expected[0])
        # Without the compiled module, an operator that writes over its operand issues the first warning alone.
        issued = actual[1] if compiled is not None else actual[1][:1]
        assert (actual[0].dtype, issued) == (expected[0].dtype, expected[1])


@pytest.mark.parametrize(
    ("name", "dtype"),
    [*itertools.product(OPERATORS, ["float32", "float64"]), *itertools.product(OPERATORS[:3], ["int32", "int64"])],
)
def test_kernels_write_over_the_operand(name, dtype):
    x, y = (
        cpu(values(RNG(seed), dtype, COUNT, special=False) | 1 if dtype[0] == "i" else np.ones(COUNT, dtype))
        for seed in (0, 1)
    )
    address = np.asarray(x).__array_interface__["data"]
    with xtensor_backends.llvm.count_calls() as calls:
        getattr(x, name)(y)
        getattr(x, name)(2 if dtype.startswith("int") else 2.0)
    assert calls.kernels.total() == 2
    assert np.asarray(x).__array_interface__["data"] == address


@pytest.mark.parametrize(
    ("name", "first", "second", "warning"),
    [
        ("__iadd__", 1.7e308, 1.7e308, "overflow encountered in add"),
        ("__iadd__", np.inf, -np.inf, "invalid value encountered in add"),
        ("__isub__", -1.7e308, 1.7e308, "overflow encountered in subtract"),
        ("__isub__", np.inf, np.inf, "invalid value encountered in subtract"),
        ("__imul__", 1e300, 1e300, "overflow encountered in multiply"),
        ("__imul__", 0.0, np.inf, "invalid value encountered in multiply"),
        ("__itruediv__", 1.0, 0.0, "divide by zero encountered in divide"),
        ("__itruediv__", 0.0, 0.0, "invalid value encountered in divide"),
        ("__itruediv__", 1e300, 1e-300, "overflow encountered in divide"),
    ],
)
def test_warnings_are_numpys(name, first, second, warning):
    x, y = np.ones(COUNT), np.ones(COUNT)
    x[COUNT // 3], y[COUNT // 3] = first, second
    found, warned = outcome(lambda x, y: getattr(x, name)(y), cpu(x), cpu(y))
    assert warned == [(warning, __file__)]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, getattr(x.copy(), name)(y))
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        getattr(cpu(x), name)(cpu(y))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(cpu(x), name)(cpu(y))


def test_operands_that_overlap():
    x = np.arange(COUNT + 1.0)
    expected = x.copy()
    expected[1:] += expected[:-1]
    array = cpu(x)
    part = array[1:]
    part += array[:-1]
    np.testing.assert_array_equal(np.asarray(array), expected)
    array += array
    np.testing.assert_array_equal(np.asarray(array), expected * 2)


def test_operands_that_do_not_fit_are_refused_as_by_numpy():
    x = cpu(np.ones((3, COUNT // 3)))
    before = np.asarray(x).copy()
    with pytest.raises(ValueError, match="shape"):
        x += cpu(np.ones((2, 3, COUNT // 3)))
    with pytest.raises(ValueError, match="read-only"):
        xp.asarray(np.broadcast_to(1.0, (COUNT,)), device="cpu", copy=False).__iadd__(1.0)
    np.testing.assert_array_equal(np.asarray(x), before)
    x += cpu(np.ones(COUNT // 3))
    np.testing.assert_array_equal(np.asarray(x), before + 1)


def test_temporaries_are_written_over():
    x, y = np.arange(COUNT, dtype="float64"), np.ones(COUNT)
    a, b = cpu(x), cpu(y)

    def expression(a, b, sqrt):
        return sqrt((a * 2 + 1) * (b - 0.5) / 3 + a * a)

    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(expression(a, b, xp.sqrt)), expression(x, y, np.sqrt))
    np.testing.assert_array_equal(np.asarray(a), x)
    np.testing.assert_array_equal(np.asarray(b), y)


def test_a_warning_of_a_temporary_is_numpys():
    x = np.ones(COUNT)
    x[5] = 1e300
    a = cpu(x)
    found, warned = outcome(lambda a: (a * 1.0) * (a * 1.0) + 1, a)
    assert warned == [("overflow encountered in multiply", __file__)]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, x * x + 1)
