"""NumPy's protocols on Arrays: who answers a call, where it is computed, and the error that names the remedy.

What the functions compute is the subject of ``test_numpy_cases.py``.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from strategies import defined_on, expect
from toy import ToyBackend

import xtensor as xp
from xtensor import _ops
from xtensor._numpy import where_computed
from xtensor._numpy.ufuncs import known_counterpart

VALUES = np.asarray([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])


@pytest.fixture
def toy(registry):
    """Return a device off the host."""
    xp.register_backend(ToyBackend())
    with xp.use_device("toy:0") as device:
        yield device


class Foreign:
    """An array of another library that implements NumPy's functions and universal functions."""

    def __array_function__(self, function, types, args, kwargs):
        return "foreign function"

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return "foreign universal function"


@pytest.mark.parametrize("reverse", [False, True])
def test_array_of_another_library_may_handle_the_call(device, reverse):
    operands = [xp.ones(2), Foreign()][:: -1 if reverse else 1]
    assert np.concatenate(operands) == "foreign function"
    assert np.add(*operands) == "foreign universal function"


def test_function_without_a_counterpart_names_the_device_and_the_remedies_off_the_host(toy):
    with pytest.raises(TypeError, match=r"^no implementation found for .*polyval2d'.*toy:0.*to_device.*allow"):
        np.polynomial.polynomial.polyval2d(*[xp.ones(2)] * 3)


def test_ufunc_without_a_counterpart_names_the_device_and_the_remedies_off_the_host(toy):
    own = np.frompyfunc(lambda a: a + 1, 1, 1)
    with pytest.raises(TypeError, match=r"^no implementation found for .*toy:0.*to_device.*allow"):
        own(xp.ones(2))


def test_function_without_a_counterpart_returns_an_array_of_the_device_under_allow(toy):
    x = xp.asarray(VALUES, copy=True)
    with xp.transfers("allow"):
        result = np.lib.scimath.sqrt(np.polynomial.polynomial.polyval2d(x, x, x))
    assert result.device is toy


def test_function_that_writes_into_a_numpy_array_takes_arrays_off_the_host_under_allow(toy):
    target = np.zeros((2, 3))
    with xp.transfers("allow"):
        np.copyto(target, xp.asarray(VALUES, copy=True))
    np.testing.assert_array_equal(target, VALUES)


def test_function_that_writes_into_a_numpy_array_is_refused_off_the_host(toy):
    target = np.zeros((2, 3))
    with pytest.raises(TypeError, match=r"transfers\('allow'\)"):
        np.copyto(target, xp.asarray(VALUES, copy=True))
    assert not target.any()


def test_indices_beyond_lists_are_taken_by_ufunc_at_off_the_host(toy):
    x = xp.asarray(VALUES, copy=True)
    np.add.at(x, (slice(None), 0), 1.0)
    expect(x, VALUES + np.asarray([1.0, 0.0, 0.0]))


@pytest.mark.parametrize("ufunc", [np.divmod, np.modf, np.frexp])
def test_counterpart_does_not_depend_on_the_modules_that_are_loaded(device, ufunc):
    for first, *_ in _ops.NUMPY.values():
        getattr(xp, first)
    known_counterpart.cache_clear()
    x = xp.asarray(VALUES, copy=True)
    results, references = ufunc(*(x,) * ufunc.nin), ufunc(*(VALUES,) * ufunc.nin)
    for result, reference in zip(results, references, strict=True):
        expect(result, reference)


def test_norm_over_three_axes_is_refused(device):
    with pytest.raises(ValueError, match=r"^Improper number of dimensions to norm"):
        np.linalg.norm(xp.ones((2, 2, 2)), "fro")


def test_order_that_numpy_does_not_know_is_refused(device):
    with pytest.raises(ValueError, match="order"):
        np.copy(xp.ones(2), order="Z")


def test_item_counts_the_elements_of_all_axes(device):
    x = xp.asarray(VALUES, copy=True)
    assert [x.item(4), x.item(-1), x.item(1, 0), x.item((0, 2))] == [6.0, 5.0, 4.0, 2.0]


def test_range_is_a_value_of_an_assignment(device):
    x = xp.zeros((2, 3), dtype=xp.int64)
    x[0, :] = range(3)
    expect(x, np.asarray([[0, 1, 2], [0, 0, 0]]))


def generic_arguments(asarray):
    """Positional arguments of many forms, of which every function that dispatches accepts at least one."""
    matrix, vector = asarray([[2.0, 1.0], [1.0, 2.0]]), asarray([1.0, 2.0, 3.0])
    indices, scalar, complex_vector = asarray([0, 1, 2]), asarray(1.0), asarray([1j, 2.0, 3.0])
    cube, boolean, small = (
        asarray(np.ones((2, 2, 2))),
        asarray([True, False, True]),
        asarray(np.ones(3, dtype=np.uint8)),
    )
    for x in (matrix, vector, indices, scalar, complex_vector, cube, boolean, small):
        yield from ((x,), ([x, x],), (x, x), (x, 1), (x, (2, 2)), (x, np.float32))
        yield from ((x, x, x), (x, x, 0), (x, x, 3), (x, 0, 1), (x, x, x, 0), (x, [x], [x]))
    yield from ((cube, vector[:2]), (boolean, vector, vector), ((indices, indices), (4, 4)), (indices, [vector] * 3))
    yield ("i->", vector)


NOT_FOR_ARRAYS = frozenset(
    ("numpy.busday_count", "numpy.busday_offset", "numpy.datetime_as_string", "numpy.is_busday", "numpy.isnat")
)
"""Functions of dates."""

ON_THE_WAY_OUT = frozenset(("numpy.save", "numpy.savetxt", "numpy.savez", "numpy.savez_compressed"))
"""Functions that write files."""

OF_OTHER_ARGUMENTS = frozenset(
    ("numpy.apply_along_axis", "numpy.apply_over_axes", "numpy.ravel_multi_index", "numpy.linalg.multi_dot")
)
"""Functions of a function and an array, or of a sequence."""

FUNCTIONS = sorted(
    name for name, _ in where_computed() if name.startswith("numpy.") and name not in NOT_FOR_ARRAYS | ON_THE_WAY_OUT
)


def function_named(name):
    found = np
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


REFUSALS = (TypeError, ValueError, IndexError, NotImplementedError, ArithmeticError)


def numbers_in(result):
    """Return NumPy's arrays and numbers of a result, which Arrays can hold."""
    results = result if isinstance(result, (tuple, list)) else (result,)
    return [item for item in results if isinstance(item, (np.ndarray, np.generic)) and item.dtype.kind in "biufc"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_returns_a_numpy_array(device, name):
    function, accepted = function_named(name), 0
    for args, host in zip(generic_arguments(xp.asarray), generic_arguments(np.asarray), strict=True):
        if not any(isinstance(arg, xp.Array) for arg in args):
            continue  # NumPy converts a sequence of Arrays itself where its functions take one array
        try:
            function(*host)
        except (*REFUSALS, AttributeError, np.exceptions.TooHardError):
            continue
        try:
            result = function(*args)
        except REFUSALS:
            continue
        accepted += 1
        assert not numbers_in(result)
    assert accepted or name in OF_OTHER_ARGUMENTS or defined_on(device)


def test_repr_pickle_and_copy_of_an_array(device):
    x = xp.asarray(VALUES, copy=True)
    assert repr(x).startswith("Array([[3., 1., 2.],")
    assert str(x) == str(VALUES)
    expect(pickle.loads(pickle.dumps(x)), VALUES)
    expect(copy.deepcopy(x), VALUES)


def test_numpy_asarray_returns_a_view_on_the_host():
    x = xp.asarray(VALUES, device="cpu")
    assert type(np.asarray(x)) is np.ndarray
    assert np.shares_memory(np.asarray(x), np.asarray(x))
    np.testing.assert_array_equal(x, VALUES)


def test_contiguous_array_of_one_element_has_a_dimension():
    x = xp.asarray(2.0, device="cpu")
    found = np.ascontiguousarray(x, like=x)
    assert (found.shape, found.device) == ((1,), x.device)


@pytest.mark.parametrize("function", [np.asfortranarray, np.require], ids=lambda function: function.__name__)
def test_function_with_like_alone_creates_an_array_on_its_device(function):
    x = xp.asarray(2.0, device="cpu")
    assert function(np.float64(3.0), like=x).device is x.device


INITIAL = (
    *("hypot", "logaddexp", "logaddexp2", "fmax", "fmin", "subtract", "divide", "arctan2", "copysign", "fmod"),
    *("bitwise_or", "bitwise_xor", "bitwise_and", "gcd", "lcm", "logical_xor", "left_shift", "floor_divide"),
)


@pytest.mark.parametrize("name", INITIAL)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("initial", [1, 5])
def test_reduction_of_a_ufunc_begins_with_initial_and_leaves_masked_elements_out(device, name, masked, initial):
    ufunc = getattr(np, name)
    dtype = np.float32 if "ff->f" in ufunc.types and name != "floor_divide" else np.int32
    host, mask = np.asarray([[6, 4, 9], [2, 7, 3]], dtype=dtype), np.asarray([True, False, True])
    options = {"where": xp.asarray(mask)} if masked else {}
    for axis in (0, 1, -1, *(() if ufunc.identity is None else (None, (0, 1)))):
        result = ufunc.reduce(xp.asarray(host), axis=axis, initial=initial, **options)
        expected = folded(ufunc, host, axis, initial, mask | (not masked)).astype(result.dtype)
        np.testing.assert_allclose(xp.to_numpy(result), expected, rtol=1e-5)


def folded(ufunc, values, axis, initial, mask):
    """Return the reduction along one axis, or along all, element by element."""
    mask = np.broadcast_to(mask, values.shape)
    values, mask = (np.moveaxis(a, axis, 0) if isinstance(axis, int) else a.ravel() for a in (values, mask))
    result = np.full(values.shape[1:], initial, dtype=values.dtype)
    for items, taken in zip(values, mask, strict=True):
        result = np.where(taken, ufunc(result, items), result)
    return result


@pytest.mark.parametrize("count", [0, 1, 2])
def test_reduction_of_a_ufunc_has_one_kind_of_dtype_whatever_the_number_of_elements(device, count):
    result = np.logaddexp.reduce(xp.ones(count, dtype=xp.int8 if device.supports(np.dtype("int8")) else xp.int32))
    assert result.dtype.kind == "f"
    assert float(result) == pytest.approx(1 + np.log(count) if count else -np.inf, rel=1e-3)


def test_reduction_by_power_combines_all_operands(device):
    x = xp.asarray([2.0, 3.0, 2.0, 1.0], dtype=xp.float32)
    assert float(np.power.reduce(x)) == 64.0
    assert xp.to_numpy(np.power.reduceat(x, [0, 3])).tolist() == [64.0, 1.0]
    assert xp.to_numpy(np.power.reduce(x[:3], initial=2.0)).tolist() == 4096.0
