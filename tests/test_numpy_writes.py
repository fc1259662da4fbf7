"""NumPy's functions that write into Arrays, and the dtypes of the methods of its universal functions."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from toy import ToyBackend

import xtensor as xp

OBJECT = np.asarray([7], dtype=object)


@pytest.fixture
def toy(registry):
    """Return a device off the host."""
    xp.register_backend(ToyBackend())
    with xp.use_device("toy:0") as device:
        yield device


WRITES = {
    "copyto": lambda x: np.copyto(x, np.asarray(["7", "8", "9"]), casting="unsafe"),
    "put": lambda x: np.put(x, [0], OBJECT),
    "add.at of objects": lambda x: np.add.at(x, [0], OBJECT),
    "add.at of long doubles": lambda x: np.add.at(x, [0], np.asarray([7], dtype=np.longdouble)),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_function_computed_on_the_host_writes_into_an_array_off_the_host(toy, write):
    x, expected = xp.asarray([1.0, 2.0, 3.0]), np.asarray([1.0, 2.0, 3.0])
    with xp.transfers("allow"):
        write(x)
    write(expected)
    assert x.tolist() == expected.tolist()


def test_a_mask_leaves_elements_of_the_output_as_they_are(toy):
    out = xp.asarray([0, 2**53 + 1])
    np.add(xp.asarray([1.0, 2.0]), 0, out=out, where=xp.asarray([True, False]), casting="unsafe")
    assert out.tolist() == [1, 2**53 + 1]
    np.add(xp.asarray([5, 6], dtype=np.uint64), 0, out=out, where=xp.asarray([True, False]))
    assert out.tolist() == [5, 2**53 + 1]


INTO = {
    "isposinf": (lambda out: np.isposinf(np.inf, out), 1),
    "fix": (lambda out: np.fix(3.75, out), 3),
    "round": (lambda out: np.round(3.47, 1, out), 3.5),
    "clip": (lambda out: np.clip(3.5, 1, 2, out), 2),
    "sum": (lambda out: np.sum([1.5, 2], None, None, out), 3.5),
    "median": (lambda out: np.median([1.0, 4, 2], None, out), 2),
    "argmax": (lambda out: np.argmax([1, 5, 2], None, out), 1),
    "dot": (lambda out: np.dot([1.0, 2.0], [3.0, 4.0], out), 11),
    "nanmax": (lambda out: np.nanmax([1.0, np.nan, 2.0], None, out), 2),
    "trace": (lambda out: np.trace([[1, 2], [3, 4]], 0, 0, 1, None, out), 5),
}


@pytest.mark.parametrize("name", INTO)
def test_numbers_alone_are_computed_into_an_output_that_is_given_by_position(lenient_device, name):
    write, expected = INTO[name]
    out = xp.zeros((), dtype=xp.int64 if name in ("argmax", "trace") else xp.float64)
    assert write(out) is out
    assert out.item() == expected


REDUCTIONS = {
    "add.reduceat of int8": lambda x: np.add.reduceat(x(np.int8, 100, 100, 100), [0]),
    "add.reduceat of booleans": lambda x: np.add.reduceat(x(np.bool_, 1, 1), [0]),
    "logical_or.reduceat": lambda x: np.logical_or.reduceat(x(np.int64, 5, 1), [0, 1]),
    "logical_xor.reduce": lambda x: np.logical_xor.reduce(x(np.int64, 5)),
    "logical_xor.accumulate": lambda x: np.logical_xor.accumulate(x(np.int64, 5)),
    "hypot.reduce": lambda x: np.hypot.reduce(x(np.int64, 5)),
    "subtract.reduce of int8": lambda x: np.subtract.reduce(x(np.int8, 5, 3)),
    "add.reduce with an Array as the mask": lambda x: np.add.reduce(np.asarray([1.0, 2]), where=x(np.bool_, 1, 0)),
}


@pytest.mark.parametrize("call", REDUCTIONS.values(), ids=REDUCTIONS)
def test_methods_of_universal_functions_have_numpys_dtype_and_values(toy, call):
    with xp.transfers("allow"):
        result = call(lambda dtype, *values: xp.asarray(values, dtype=dtype))
    expected = call(lambda dtype, *values: np.asarray(values, dtype=dtype))
    assert result.dtype == expected.dtype
    assert result.tolist() == expected.tolist()


def test_reductions_that_numpy_refuses_are_refused(toy):
    with pytest.raises(TypeError, match="(?i)loop"):
        np.equal.reduce(xp.asarray([3, 5, 2]))
    with pytest.raises(ValueError, match="not reorderable"):
        np.subtract.reduce(xp.asarray([[5, 2], [1, 1]]), axis=None)


WIDER = {
    "sum": (np.sum, [3e38, 3e38], 6e38),
    "prod": (np.prod, [3e38, 3e38], 9e76),
    "mean": (np.mean, [1e8, 1, 1, 1], 25000000.75),
    "var": (np.var, [1e8, 1, 1, 1], 3 * (1e8 - 1) ** 2 / 16),
    "std": (np.std, [1e8, 1, 1, 1], 3**0.5 * (1e8 - 1) / 4),
    "nansum": (np.nansum, [3e38, np.nan, 3e38], 6e38),
    "nanprod": (np.nanprod, [3e38, np.nan, 3e38], 9e76),
    "nanmean": (np.nanmean, [1e8, 1, 1, 1, np.nan], 25000000.75),
    "nanvar": (np.nanvar, [1e8, 1, 1, 1, np.nan], 3 * (1e8 - 1) ** 2 / 16),
    "nanstd": (np.nanstd, [1e8, 1, 1, 1, np.nan], 3**0.5 * (1e8 - 1) / 4),
    "cumsum": (lambda x, out: np.cumsum(x, out=out[...])[-1], [3e38, 3e38], 6e38),
    "cumprod": (lambda x, out: np.cumprod(x, out=out[...])[-1], [3e38, 3e38], 9e76),
    "nancumsum": (lambda x, out: np.nancumsum(x, out=out[...])[-1], [3e38, 3e38], 6e38),
    "trace": (lambda x, out: np.trace(x.reshape(2, 2), out=out), [3e38, 0, 0, 3e38], 6e38),
    "add.reduce": (np.add.reduce, [3e38, 3e38], 6e38),
    "multiply.accumulate": (lambda x, out: np.multiply.accumulate(x, out=out[...])[-1], [3e38, 3e38], 9e76),
    "logaddexp.reduce": (np.logaddexp.reduce, [1e8, 1e8], 1e8 + np.log(2)),
    "add.reduceat": (lambda x, out: np.add.reduceat(x, [0], out=out[:1])[0], [3e38, 3e38], 6e38),
    "max": (lambda x, out: np.max(x, out=out, initial=1e50), [1, 2], 1e50),
    "nanmax": (lambda x, out: np.nanmax(x, out=out, initial=1e50), [1, 2], 1e50),
    "method sum": (lambda x, out: x.sum(out=out), [3e38, 3e38], 6e38),
    "method cumprod": (lambda x, out: x.cumprod(out=out[...])[-1], [3e38, 3e38], 9e76),
}
"""Functions of float32 that write to float64, the elements, and the result for them."""


@pytest.mark.parametrize("name", WIDER)
def test_what_is_written_to_a_wider_output_is_computed_in_its_dtype(lenient_device, name):
    if not lenient_device.supports(np.dtype(np.float64)):
        pytest.skip("no wider dtype")
    call, elements, expected = WIDER[name]
    x = xp.asarray(elements, dtype=np.float32)
    scans = ("cumsum", "cumprod", "nancumsum", "multiply.accumulate", "add.reduceat", "method cumprod")
    out = xp.zeros(len(elements) if name in scans else ())
    assert float(call(x, out=out)) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("function", [np.prod, np.cumprod, np.nanprod, np.multiply.reduce])
def test_product_of_integers_that_is_written_to_numbers_does_not_wrap_around(lenient_device, function):
    if not lenient_device.supports(np.dtype(np.float64)):
        pytest.skip("no 64-bit numbers")
    out = xp.zeros(2 if function is np.cumprod else ())
    result = function(xp.asarray([2**40, 2**40]), out=out)
    assert float(result[-1] if result.ndim else result) == 2.0**80


MASKED = (np.sum, np.prod, np.mean, np.var, np.any, np.all, np.nansum)


@pytest.mark.parametrize("function", MASKED)
def test_mask_with_more_elements_than_the_array_is_refused(lenient_device, function):
    with pytest.raises(ValueError, match="broadcast"):
        function(xp.ones((1, 3)), where=xp.ones((2, 3), dtype=bool))


def test_masked_elements_of_an_output_that_overlaps_with_an_operand_stay():
    x = xp.asarray([-4, 1, -1], device="cpu")
    np.not_equal(x[::-1], xp.ones(3, device="cpu"), out=x, where=xp.asarray([False, True, False], device="cpu"))
    assert x.tolist() == [-4, 0, -1]


def test_output_without_axes_of_an_accumulation_is_refused(lenient_device):
    with pytest.raises(ValueError, match=r"has shape \(\)"):
        np.add.accumulate(xp.ones(5), out=xp.zeros(()))


def test_second_output_that_does_not_fit_leaves_the_first_one(toy):
    first, second = xp.asarray([7.0, 7.0]), xp.asarray([7, 7])
    with pytest.raises(TypeError, match="Cannot cast"):
        np.divmod(xp.asarray([5.0, 6.0]), 2.0, out=(first, second))
    assert first.tolist() == [7.0, 7.0]


def test_python_number_without_an_equivalent_dtype_is_refused(toy):
    with pytest.raises(TypeError, match="cannot cast Python int to uint8 under the casting rule 'equiv'"):
        np.add(xp.asarray([1], dtype=np.uint8), 2, casting="equiv")
    assert np.add(xp.asarray([1], dtype=np.int64), 2, casting="equiv").tolist() == [3]


OPTIONS = {
    "logical_and from false": (lambda x: np.logical_and.reduce(x, initial=False), [5, 1]),
    "logical_or from true": (lambda x: np.logical_or.reduce(x, initial=True), [0, 0]),
    "sum in uint8": (lambda x: np.add.reduce(x, dtype=np.uint8), [200, 100]),
    "product in int8": (lambda x: np.multiply.reduce(x, dtype=np.int8), [100, 2]),
    "sum of booleans": (lambda x: np.add.reduce(x, dtype=np.bool_), [2, 0, 1]),
    "product of booleans": (lambda x: np.multiply.reduce(x, dtype=np.bool_), [2, 0, 1]),
    "hypot of one": (np.hypot.reduce, [-3.0]),
    "gcd of one": (np.gcd.reduce, [-4]),
    "gcd of none": (lambda x: np.gcd.reduce(x, initial=-3, where=False), [4, 2]),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_of_methods_of_universal_functions_are_numpys(toy, name):
    call, elements = OPTIONS[name]
    expected, result = call(np.asarray(elements)), call(xp.asarray(elements))
    assert (result.dtype, result.tolist()) == (expected.dtype, expected.tolist())


def test_initial_value_beyond_the_dtype_of_a_reduction_is_refused(toy):
    with pytest.raises(OverflowError, match="out of bounds for uint8"):
        np.fmax.reduce(xp.asarray([1], dtype=np.uint8), initial=-3)


FIRST = {
    "clip": (lambda a, x: np.clip(a, x, 10.0), [3, 2, 2]),
    "cumsum": (lambda a, x: np.cumsum(a, out=x), [3, 4, 6]),
    "tile": (lambda a, x: np.tile(a, x.astype(int)[:1]), [3, 1, 2, 3, 1, 2]),
}


@pytest.mark.parametrize(("call", "expected"), FIRST.values(), ids=FIRST)
def test_a_numpy_array_is_the_first_operand(call, expected):
    a = np.asarray([3.0, 1.0, 2.0])
    result = call(a, xp.asarray([2.0, 2.0, 2.0], device="cpu"))
    assert isinstance(result, xp.Array)
    assert result.tolist() == expected
    assert a.tolist() == [3, 1, 2]


def test_a_copy_that_cannot_be_avoided_is_an_error(toy):
    with xp.transfers("allow"), pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(xp.ones(2), copy=False)


@pytest.mark.parametrize(("value", "contained"), [(None, False), ("a", False), ([1, 2], True), ([5, 6], False)])
def test_contains_answers_for_values_of_any_kind(value, contained):
    assert (value in xp.asarray([1, 2], device="cpu")) is contained


def test_a_universal_function_of_frompyfunc_is_collected():
    class Held:
        """An object that the Python function holds."""

    held = Held()
    reference = weakref.ref(held)
    assert np.frompyfunc(lambda value, held=held: value, 1, 1)(xp.ones(2, device="cpu")).shape == (2,)
    del held
    gc.collect()
    assert reference() is None
