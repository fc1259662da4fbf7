"""Errors of Arrays begin with the words of NumPy's errors for the same calls, by which consumers recognise them."""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import iadd, imul, index, itruediv
from typing import Any

import numpy as np
import pytest

import xtensor as xp


def setitem(x: Any, key: Any, value: Any) -> None:
    x[key] = value


def matrix(a: Callable[..., Any], *shape: int) -> Any:
    """An array of distinct numbers."""
    return a(np.arange(float(np.prod(shape))).reshape(shape).tolist())


CASES = {
    "add": (
        lambda n, a: a([1.0, 2.0]) + a([1.0, 2.0, 3.0]),
        "operands could not be broadcast together with shapes (2,) (3,)",
    ),
    "multiply": (
        lambda n, a: n.multiply(matrix(a, 2, 2), matrix(a, 3, 3)),
        "operands could not be broadcast together with shapes (2,2) (3,3)",
    ),
    "less": (
        lambda n, a: a([1.0, 2.0]) < a([1.0, 2.0, 3.0]),
        "operands could not be broadcast together with shapes (2,) (3,)",
    ),
    "equal": (
        lambda n, a: n.equal(a([1, 2]), a([1, 2, 3])),
        "operands could not be broadcast together with shapes (2,) (3,)",
    ),
    "power": (
        lambda n, a: a([1.0, 2.0]) ** a([1.0, 2.0, 3.0]),
        "operands could not be broadcast together with shapes (2,) (3,)",
    ),
    "maximum": (
        lambda n, a: n.maximum(a([1.0, 2.0]), a([1.0, 2.0, 3.0])),
        "operands could not be broadcast together with shapes (2,) (3,)",
    ),
    "logical_and": (
        lambda n, a: n.logical_and(a([True, False]), a([True, True, True])),
        "operands could not be broadcast together with shapes (2,) (3,)",
    ),
    "iadd": (
        lambda n, a: iadd(a([1.0, 2.0]), a([1.0, 2.0, 3.0])),
        "operands could not be broadcast together with shapes (2,) (3,)",
    ),
    "iadd grows": (
        lambda n, a: iadd(a([1.0, 2.0]), matrix(a, 3, 2)),
        "non-broadcastable output operand with shape (2,) doesn't match the broadcast shape (3,2)",
    ),
    "imul grows": (
        lambda n, a: imul(a(1.0), matrix(a, 3)),
        "non-broadcastable output operand with shape () doesn't match the broadcast shape (3,)",
    ),
    "where": (
        lambda n, a: n.where(a([True, False]), a([1.0, 2.0, 3.0]), a([1.0, 2.0, 3.0])),
        "operands could not be broadcast together with shapes (2,) (3,) (3,)",
    ),
    "broadcast_to": (
        lambda n, a: n.broadcast_to(a([1.0, 2.0]), (3,)),
        "operands could not be broadcast together with remapped shapes",
    ),
    "broadcast_to fewer": (
        lambda n, a: n.broadcast_to(matrix(a, 2, 2), (2,)),
        "input operand has more dimensions than allowed by the axis remapping",
    ),
    "broadcast_arrays": (
        lambda n, a: n.broadcast_arrays(a([1.0, 2.0]), a([1.0, 2.0, 3.0])),
        "shape mismatch: objects cannot be broadcast to a single shape",
    ),
    "clip": (
        lambda n, a: n.clip(a([1.0, 2.0]), a([1.0, 2.0, 3.0]), a([3.0, 3.0, 3.0])),
        "operands could not be broadcast together with shapes (2,) (3,) (3,)",
    ),
    "sum": (lambda n, a: n.sum(matrix(a, 2, 2), axis=3), "axis 3 is out of bounds for array of dimension 2"),
    "sum negative": (lambda n, a: n.sum(matrix(a, 2, 2), axis=-3), "axis -3 is out of bounds for array of dimension 2"),
    "max": (lambda n, a: n.max(matrix(a, 2, 2), axis=2), "axis 2 is out of bounds for array of dimension 2"),
    "argmax": (lambda n, a: n.argmax(matrix(a, 2, 2), axis=2), "axis 2 is out of bounds for array of dimension 2"),
    "sort": (lambda n, a: n.sort(matrix(a, 2, 2), axis=2), "axis 2 is out of bounds for array of dimension 2"),
    "concat axis": (
        lambda n, a: n.concat((matrix(a, 2, 2), matrix(a, 2, 2)), axis=2),
        "axis 2 is out of bounds for array of dimension 2",
    ),
    "stack axis": (
        lambda n, a: n.stack((matrix(a, 2), matrix(a, 2)), axis=2),
        "axis 2 is out of bounds for array of dimension 2",
    ),
    "expand_dims": (
        lambda n, a: n.expand_dims(matrix(a, 2), axis=2),
        "axis 2 is out of bounds for array of dimension 2",
    ),
    "squeeze axis": (
        lambda n, a: n.squeeze(matrix(a, 1, 2), axis=2),
        "axis 2 is out of bounds for array of dimension 2",
    ),
    "squeeze length": (
        lambda n, a: n.squeeze(matrix(a, 1, 2), axis=1),
        "cannot select an axis to squeeze out which has size not equal to one",
    ),
    "flip twice": (lambda n, a: n.flip(matrix(a, 2, 2), axis=(0, 0)), "repeated axis"),
    "expand_dims twice": (lambda n, a: n.expand_dims(matrix(a, 2), axis=(0, 0)), "repeated axis"),
    "squeeze twice": (lambda n, a: n.squeeze(matrix(a, 1, 1), axis=(0, 0)), "duplicate value in 'axis'"),
    "tensordot twice": (
        lambda n, a: n.tensordot(matrix(a, 2, 2), matrix(a, 2, 2), axes=((0, 0), (0, 0))),
        "duplicate axes are not allowed in tensordot",
    ),
    "axis of text": (lambda n, a: n.sum(matrix(a, 2), axis="a"), "'str' object cannot be interpreted as an integer"),
    "fractional axis": (
        lambda n, a: n.sum(matrix(a, 2), axis=1.5),
        "'float' object cannot be interpreted as an integer",
    ),
    "fractional length": (lambda n, a: n.zeros((1.5,)), "'float' object cannot be interpreted as an integer"),
    "flip": (lambda n, a: n.flip(matrix(a, 2), axis=1), "axis 1 is out of bounds for array of dimension 1"),
    "roll": (lambda n, a: n.roll(matrix(a, 2), 1, axis=1), "axis 1 is out of bounds for array of dimension 1"),
    "moveaxis": (
        lambda n, a: n.moveaxis(matrix(a, 2), 1, 0),
        "source: axis 1 is out of bounds for array of dimension 1",
    ),
    "moveaxis lengths": (
        lambda n, a: n.moveaxis(matrix(a, 2, 2), (0, 1), (0,)),
        "`source` and `destination` arguments must have the same number of elements",
    ),
    "moveaxis repeated": (lambda n, a: n.moveaxis(matrix(a, 2, 2), (0, 0), (0, 1)), "repeated axis"),
    "permute_dims": (lambda n, a: n.permute_dims(matrix(a, 2, 2), (0, 1, 2)), "axes don't match array"),
    "permute_dims repeated": (lambda n, a: n.permute_dims(matrix(a, 2, 2), (0, 0)), "repeated axis in transpose"),
    "permute_dims bounds": (
        lambda n, a: n.permute_dims(matrix(a, 2, 2), (0, 2)),
        "axis 2 is out of bounds for array of dimension 2",
    ),
    "sum duplicate": (lambda n, a: n.sum(matrix(a, 2, 2), axis=(0, 0)), "duplicate value in 'axis'"),
    "cumulative_sum": (
        lambda n, a: n.cumulative_sum(matrix(a, 2, 2), axis=2),
        "axis 2 is out of bounds for array of dimension 2",
    ),
    "unstack": (lambda n, a: n.unstack(matrix(a, 2, 2), axis=2), "axis 2 is out of bounds for array of dimension 2"),
    "take axis": (
        lambda n, a: n.take(matrix(a, 2, 2), a([0]), axis=2),
        "axis 2 is out of bounds for array of dimension 2",
    ),
    "repeat axis": (
        lambda n, a: n.repeat(matrix(a, 2, 2), 2, axis=2),
        "axis 2 is out of bounds for array of dimension 2",
    ),
    "diff axis": (lambda n, a: n.diff(matrix(a, 2, 2), axis=2), "axis 2 is out of bounds for array of dimension 2"),
    "reshape": (lambda n, a: n.reshape(matrix(a, 6), (4, 2)), "cannot reshape array of size 6 into shape (4,2)"),
    "reshape unknown": (lambda n, a: n.reshape(matrix(a, 6), (4, -1)), "cannot reshape array of size 6 into shape (4,"),
    "reshape two unknown": (lambda n, a: n.reshape(matrix(a, 6), (-1, -1)), "can only specify one unknown dimension"),
    "reshape method": (lambda n, a: matrix(a, 6).reshape(4, 2), "cannot reshape array of size 6 into shape (4,2)"),
    "concat shapes": (
        lambda n, a: n.concat((matrix(a, 2, 2), matrix(a, 3, 3)), axis=0),
        "all the input array dimensions except for the concatenation axis must match exactly, but along dimension 1",
    ),
    "concat dimensions": (
        lambda n, a: n.concat((matrix(a, 2, 2), matrix(a, 3)), axis=0),
        "all the input arrays must have same number of dimensions, but the array at index 0 has 2 dimension(s)",
    ),
    "concat none": (lambda n, a: n.concat(()), "need at least one array to concatenate"),
    "concat 0-d": (lambda n, a: n.concat((a(1.0), a(2.0))), "zero-dimensional arrays cannot be concatenated"),
    "stack none": (lambda n, a: n.stack(()), "need at least one array to stack"),
    "stack shapes": (lambda n, a: n.stack((matrix(a, 2), matrix(a, 3))), "all input arrays must have the same shape"),
    "zeros negative": (lambda n, a: n.zeros((-1,)), "negative dimensions are not allowed"),
    "ones negative": (lambda n, a: n.ones((2, -1)), "negative dimensions are not allowed"),
    "eye negative": (lambda n, a: n.eye(-1), "negative dimensions are not allowed"),
    "full negative": (lambda n, a: n.full((-2,), 1.0), "negative dimensions are not allowed"),
    "linspace": (lambda n, a: n.linspace(0.0, 1.0, -1), "Number of samples, -1, must be non-negative."),
    "repeat negative": (lambda n, a: n.repeat(matrix(a, 2), -1), "negative dimensions are not allowed"),
    "repeat negative counts": (
        lambda n, a: n.repeat(matrix(a, 2), a([1, -1])),
        "repeats may not contain negative values.",
    ),
    "repeat shapes": (
        lambda n, a: n.repeat(matrix(a, 2), a([1, 2, 3])),
        "operands could not be broadcast together with shape",
    ),
    "diff order": (lambda n, a: n.diff(matrix(a, 2), n=-1), "order must be non-negative but got -1"),
    "diff 0-d": (lambda n, a: n.diff(a(1.0)), "diff requires input that is at least one dimensional"),
    "meshgrid": (
        lambda n, a: n.meshgrid(matrix(a, 2), indexing="ab"),
        "Valid values for `indexing` are 'xy' and 'ij'.",
    ),
    "searchsorted": (lambda n, a: n.searchsorted(matrix(a, 2, 2), matrix(a, 2)), "object too deep for desired array"),
    "searchsorted 0-d": (
        lambda n, a: n.searchsorted(a(1.0), matrix(a, 2)),
        "object of too small depth for desired array",
    ),
    "max empty": (
        lambda n, a: n.max(matrix(a, 0)),
        "zero-size array to reduction operation maximum which has no identity",
    ),
    "min empty": (
        lambda n, a: n.min(matrix(a, 0)),
        "zero-size array to reduction operation minimum which has no identity",
    ),
    "max empty axis": (
        lambda n, a: n.max(a([[]]), axis=1),
        "zero-size array to reduction operation maximum which has no identity",
    ),
    "argmax empty": (lambda n, a: n.argmax(matrix(a, 0)), "attempt to get argmax of an empty sequence"),
    "argmin empty": (lambda n, a: n.argmin(matrix(a, 0)), "attempt to get argmin of an empty sequence"),
    "integer": (lambda n, a: matrix(a, 3)[5], "index 5 is out of bounds for axis 0 with size 3"),
    "integer negative": (lambda n, a: matrix(a, 3)[-4], "index -4 is out of bounds for axis 0 with size 3"),
    "integer second": (lambda n, a: matrix(a, 3, 3)[0, 5], "index 5 is out of bounds for axis 1 with size 3"),
    "integer set": (lambda n, a: setitem(matrix(a, 3), 5, 1.0), "index 5 is out of bounds for axis 0 with size 3"),
    "integer array": (lambda n, a: matrix(a, 3)[a([0, 5])], "index 5 is out of bounds for axis 0 with size 3"),
    "integer array set": (
        lambda n, a: setitem(matrix(a, 3), a([0, 5]), 1.0),
        "index 5 is out of bounds for axis 0 with size 3",
    ),
    "too many": (
        lambda n, a: matrix(a, 3)[0, 0],
        "too many indices for array: array is 1-dimensional, but 2 were indexed",
    ),
    "too many 0-d": (lambda n, a: a(1.0)[0], "too many indices for array: array is 0-dimensional, but 1 were indexed"),
    "too many set": (
        lambda n, a: setitem(matrix(a, 3), (0, 0), 1.0),
        "too many indices for array: array is 1-dimensional, but 2 were indexed",
    ),
    "mask": (
        lambda n, a: matrix(a, 3)[a([True, False])],
        "boolean index did not match indexed array along axis 0; size of axis is 3",
    ),
    "mask second": (
        lambda n, a: matrix(a, 2, 3)[a([[True, False], [True, True]])],
        "boolean index did not match indexed array along axis 1; size of axis is 3",
    ),
    "mask set": (
        lambda n, a: setitem(matrix(a, 3), a([True, False]), 1.0),
        "boolean index did not match indexed array along axis 0; size of axis is 3",
    ),
    "mask deep": (
        lambda n, a: matrix(a, 3)[a([[True, False, True]])],
        "too many indices for array: array is 1-dimensional, but 2 were indexed",
    ),
    "mask value": (
        lambda n, a: setitem(matrix(a, 3), a([True, False, True]), matrix(a, 3)),
        "NumPy boolean array indexing assignment cannot assign 3 input values to the 2 output values",
    ),
    "float key": (
        lambda n, a: matrix(a, 3)[1.5],
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean",
    ),
    "str key": (
        lambda n, a: matrix(a, 3)["x"],
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean",
    ),
    "float array key": (
        lambda n, a: matrix(a, 3)[a([1.0, 2.0])],
        "arrays used as indices must be of integer (or boolean) type",
    ),
    "two ellipses": (lambda n, a: matrix(a, 3, 3)[..., ...], "an index can only have a single ellipsis ('...')"),
    "step": (lambda n, a: matrix(a, 3)[::0], "slice step cannot be zero"),
    "slice float": (
        lambda n, a: matrix(a, 3)[1.5:],
        "slice indices must be integers or None or have an __index__ method",
    ),
    "index arrays": (
        lambda n, a: matrix(a, 3, 3)[a([0, 1]), a([0, 1, 2])],
        "shape mismatch: indexing arrays could not be broadcast together with shapes (2,) (3,)",
    ),
    "set shape": (
        lambda n, a: setitem(matrix(a, 3), slice(None), matrix(a, 2)),
        "could not broadcast input array from shape (2,) into shape (3,)",
    ),
    "set shape array": (
        lambda n, a: setitem(matrix(a, 3), a([0, 1, 2]), matrix(a, 2)),
        "shape mismatch: value array of shape (2,) could not be broadcast to indexing result of shape (3,)",
    ),
    "set read-only": (
        lambda n, a: setitem(n.broadcast_to(matrix(a, 3), (2, 3)), (slice(None), 0), 1.0),
        "assignment destination is read-only",
    ),
    "take": (lambda n, a: n.take(matrix(a, 3), a([5]), axis=0), "index 5 is out of bounds for axis 0 with size 3"),
    "take_along_axis": (
        lambda n, a: n.take_along_axis(matrix(a, 3), a([5]), axis=0),
        "index 5 is out of bounds for axis 0 with size 3",
    ),
    "take_along_axis dims": (
        lambda n, a: n.take_along_axis(matrix(a, 3), a([[0]]), axis=0),
        "`indices` and `arr` must have the same number of dimensions",
    ),
    "set nan": (lambda n, a: setitem(a([1, 2]), 0, float("nan")), "cannot convert float NaN to integer"),
    "set large": (lambda n, a: setitem(a([1, 2], "int8"), 0, 300), "Python integer 300 out of bounds for int8"),
    "float": (lambda n, a: float(matrix(a, 2)), "only 0-dimensional arrays can be converted to Python scalars"),
    "int": (lambda n, a: int(matrix(a, 2)), "only 0-dimensional arrays can be converted to Python scalars"),
    "complex": (lambda n, a: complex(matrix(a, 2)), "only 0-dimensional arrays can be converted to Python scalars"),
    "index": (lambda n, a: index(a([1, 2])), "only integer scalar arrays can be converted to a scalar index"),
    "index float": (lambda n, a: index(a(1.0)), "only integer scalar arrays can be converted to a scalar index"),
    "bool": (
        lambda n, a: bool(matrix(a, 2)),
        "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
    ),
    "bool empty": (
        lambda n, a: bool(matrix(a, 0)),
        "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.",
    ),
    "len": (lambda n, a: len(a(1.0)), "len() of unsized object"),
    "iter": (lambda n, a: iter(a(1.0)), "iteration over a 0-d array"),
    "item": (lambda n, a: matrix(a, 2).item(), "can only convert an array of size 1 to a Python scalar"),
    "item bounds": (lambda n, a: matrix(a, 2).item(5), "index 5 is out of bounds for"),
    "item many": (lambda n, a: matrix(a, 2).item(0, 0), "incorrect number of indices for array"),
    "hash": (lambda n, a: hash(matrix(a, 2)), "unhashable type"),
    "format": (lambda n, a: format(matrix(a, 2), ".2f"), "unsupported format string passed to"),
    "idiv": (
        lambda n, a: itruediv(a([1, 2]), a([1, 2])),
        "Cannot cast ufunc 'divide' output from dtype('float64') to dtype('int64') with casting rule 'same_kind'",
    ),
    "iadd float": (
        lambda n, a: iadd(a([1, 2]), a([1.0, 2.0])),
        "Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64') with casting rule 'same_kind'",
    ),
    "iadd scalar": (
        lambda n, a: iadd(a([1, 2]), 1.5),
        "Cannot cast ufunc 'add' output from dtype('float64') to dtype('int64') with casting rule 'same_kind'",
    ),
    "invert float": (lambda n, a: ~matrix(a, 2), "ufunc 'invert' not supported for the input types"),
    "and float": (lambda n, a: matrix(a, 2) & matrix(a, 2), "ufunc 'bitwise_and' not supported for the input types"),
    "negative bool": (lambda n, a: -a([True]), "The numpy boolean negative, the `-` operator, is not supported"),
    "subtract bool": (lambda n, a: a([True]) - a([True]), "numpy boolean subtract, the `-` operator, is not supported"),
    "large": (lambda n, a: a([1], "int8") + 300, "Python integer 300 out of bounds for int8"),
    "negative power": (lambda n, a: a([1, 2]) ** -1, "Integers to negative integer powers are not allowed."),
    "floor_divide complex": (
        lambda n, a: n.floor_divide(a([1j]), a([1j])),
        "ufunc 'floor_divide' not supported for the input types",
    ),
    "matmul": (
        lambda n, a: matrix(a, 2, 3) @ matrix(a, 2, 3),
        "matmul: Input operand 1 has a mismatch in its core dimension 0",
    ),
    "matmul 0-d": (lambda n, a: matrix(a, 2, 3) @ a(1.0), "matmul: Input operand 1 does not have enough dimensions"),
    "matmul first 0-d": (
        lambda n, a: n.matmul(a(1.0), matrix(a, 2, 3)),
        "matmul: Input operand 0 does not have enough dimensions",
    ),
    "matmul stacks": (
        lambda n, a: matrix(a, 2, 2, 2) @ matrix(a, 3, 2, 2),
        "operands could not be broadcast together with remapped shapes",
    ),
    "vecdot": (
        lambda n, a: n.vecdot(matrix(a, 2), matrix(a, 3)),
        "vecdot: Input operand 1 has a mismatch in its core dimension 0",
    ),
    "tensordot": (lambda n, a: n.tensordot(matrix(a, 2), matrix(a, 3), axes=1), "shape-mismatch for sum"),
    "inv": (lambda n, a: n.linalg.inv(matrix(a, 2, 2) * 0.0), "Singular matrix"),
    "solve": (lambda n, a: n.linalg.solve(matrix(a, 2, 2) * 0.0, matrix(a, 2)), "Singular matrix"),
    "inv rectangular": (lambda n, a: n.linalg.inv(matrix(a, 2, 3)), "Last 2 dimensions of the array must be square"),
    "det rectangular": (lambda n, a: n.linalg.det(matrix(a, 2, 3)), "Last 2 dimensions of the array must be square"),
    "det vector": (
        lambda n, a: n.linalg.det(matrix(a, 2)),
        "1-dimensional array given. Array must be at least two-dimensional",
    ),
    "eigh rectangular": (lambda n, a: n.linalg.eigh(matrix(a, 2, 3)), "Last 2 dimensions of the array must be square"),
    "cholesky": (lambda n, a: n.linalg.cholesky(matrix(a, 2, 2) * -1.0), "Matrix is not positive definite"),
    "matrix_power": (
        lambda n, a: n.linalg.matrix_power(matrix(a, 2, 3), 2),
        "Last 2 dimensions of the array must be square",
    ),
    "solve shapes": (
        lambda n, a: n.linalg.solve(matrix(a, 2, 2), matrix(a, 3, 1)),
        "solve: Input operand 1 has a mismatch in its core dimension 0",
    ),
    "cross": (
        lambda n, a: n.linalg.cross(matrix(a, 4), matrix(a, 4)),
        "Both input arrays must be (arrays of) 3-dimensional vectors, but they are 4 and 4 dimensional instead.",
    ),
    "trace": (lambda n, a: n.linalg.trace(matrix(a, 2)), "diag requires an array of at least two dimensions"),
    "diagonal": (lambda n, a: n.linalg.diagonal(matrix(a, 2)), "diag requires an array of at least two dimensions"),
    "outer": (
        lambda n, a: n.linalg.outer(matrix(a, 2, 2), matrix(a, 2)),
        "Input arrays must be one-dimensional, but they are x1.ndim=2 and x2.ndim=1.",
    ),
    "svd vector": (
        lambda n, a: n.linalg.svd(matrix(a, 2)),
        "1-dimensional array given. Array must be at least two-dimensional",
    ),
    "matrix_transpose": (
        lambda n, a: n.matrix_transpose(matrix(a, 2)),
        "Input array must be at least 2-dimensional, but it is 1",
    ),
    "mT": (lambda n, a: matrix(a, 2).mT, "matrix transpose with ndim < 2 is undefined"),
    "norm axes": (
        lambda n, a: n.linalg.vector_norm(matrix(a, 2), axis=2),
        "axis 2 is out of bounds for array of dimension 1",
    ),
    "fft points": (lambda n, a: n.fft.fft(matrix(a, 4), n=0), "Invalid number of FFT data points (0) specified."),
    "fft norm": (
        lambda n, a: n.fft.fft(matrix(a, 4), norm="x"),
        'Invalid norm value x; should be "backward",',  # NumPy 2.5 has a space after it
    ),
}
"""Calls of a namespace's functions and of an array's methods, and NumPy's words for their errors."""


def error_of(call: Callable[..., Any], namespace: Any) -> Exception:
    def array(values: Any, dtype: str | None = None) -> Any:
        return namespace.asarray(values, dtype=None if dtype is None else np.dtype(dtype))

    with pytest.raises(Exception) as raised:  # noqa: PT011 - any class; the test compares it
        call(namespace, array)
    return raised.value


def public_class(error: Exception) -> type:
    """The first class of an error that consumers can name."""
    public = ("builtins", "numpy.exceptions", "numpy.linalg")
    return next(kind for kind in type(error).__mro__ if kind.__module__ in public)


@pytest.mark.parametrize("case", CASES)
def test_error_begins_with_numpys_words(device, case):
    call, words = CASES[case]
    numpys = error_of(call, np)
    error = error_of(call, xp)
    message = str(error)
    assert words in str(numpys)
    assert message.startswith(words)
    assert isinstance(error, public_class(numpys))


@pytest.mark.parametrize("case", CASES)
def test_error_names_each_value_with_its_type_once(device, case):
    assert not re.search(r"\(\w+\)' \(str\)|\(\w+\) \(\w+\)", str(error_of(CASES[case][0], xp)))
