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
