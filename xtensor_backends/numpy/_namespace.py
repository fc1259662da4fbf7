"""NumPy's functions in the standard's names and signatures; those not defined here are NumPy's own.

Reductions are the ufuncs' own, without NumPy's slower Python functions around them. NumPy returns scalars for 0-d
results; the core makes arrays of them.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from functools import partial, wraps
from types import SimpleNamespace
from typing import Any

import numpy as np

from xtensor.backend import DType, Native

from ._composed import einsum as einsum
from ._composed import histogram as histogram
from ._composed import indices as indices
from ._composed import interp as interp
from ._composed import median as median
from ._composed import nanmax as nanmax
from ._composed import nanmedian as nanmedian
from ._composed import nanmin as nanmin
from ._composed import packbits as packbits
from ._composed import pad as pad
from ._composed import percentile as percentile
from ._composed import place as place
from ._composed import poly as poly
from ._composed import polydiv as polydiv
from ._composed import quantile as quantile
from ._composed import setdiff1d as setdiff1d
from ._composed import sliding_window_view
from ._composed import tri as tri
from ._composed import union1d as union1d
from ._composed import unique as unique
from ._composed import unpackbits as unpackbits
from ._large import Large
from ._linear_algebra import LinearAlgebra
from ._networks import Networks
from ._powers import Inplace
from ._powers import pow as pow
from ._random import Random
from ._sorting import argpartition as argpartition
from ._sorting import argsort as argsort
from ._sorting import partition as partition
from ._sorting import sort as sort
from ._sorting import sorted_quickly
from ._special import Special

SORTED = frozenset("hilqHILQefd")
"""Characters of the dtypes that NumPy sorts in less time than it fills a hash table with their distinct values."""

REVERSED = slice(None, None, -1)
"""The key of all elements of an axis from the last to the first one."""

inplace = Inplace()
large = Large()
lib = SimpleNamespace(sliding_window_view=sliding_window_view)
linalg = LinearAlgebra()
nn = Networks()
random = Random()
special = Special()

concat = np.concatenate
permute_dims = np.ndarray.transpose
nonzero = np.ndarray.nonzero
take = np.ndarray.take
searchsorted = np.ndarray.searchsorted
max = np.maximum.reduce
min = np.minimum.reduce
sum = np.add.reduce
prod = np.multiply.reduce


TRUE, FALSE = np.True_, np.False_

FEW = 1000
"""Elements up to which all of them are counted in a third of the time of a reduction that may end at the first one."""


def any(x: Native, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Native:
    if axis is None and not keepdims and x.size <= FEW:
        return TRUE if (x.item() if x.size == 1 else np.count_nonzero(x)) else FALSE
    return np.logical_or.reduce(x, axis=axis, keepdims=keepdims)  # type: ignore[call-overload]


def all(x: Native, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Native:
    if axis is None and not keepdims and x.size <= FEW:
        return TRUE if (x.item() if x.size == 1 else np.count_nonzero(x) == x.size) else FALSE
    return np.logical_and.reduce(x, axis=axis, keepdims=keepdims)  # type: ignore[call-overload]


def assigned_where(x: Native, mask: Native, values: Native) -> Native:
    if not (x.__class__ is values.__class__ is np.ndarray and x.flags.writeable):
        return NotImplemented  # for the error of an assignment
    if values.ndim:
        np.putmask(x, mask, values)
    else:
        np.copyto(x, values, where=mask)
    return x


def may_have_infinity(x: Native | float) -> bool:
    """Whether some element is infinite or NaN; this costs less than a division."""
    if not isinstance(x, np.ndarray):
        return not cmath.isfinite(x)
    if x.size == 1:
        return not cmath.isfinite(x.item())
    # A sum of squares by vdot would be slower on a busy machine: BLAS threads wait for each other.
    return not np.isfinite(x).all()


def complex_of(real: Native, imag: Native) -> Native:
    """``real + imag·j``, each component exactly as given."""
    result = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real, np.complex64))
    result.real, result.imag = real, imag
    return result


def real(x: Native) -> Native:
    return x.real


def imag(x: Native) -> Native:
    return x.imag


def round(x: Native) -> Native:
    # rint is the ufunc of np.round, but converts integers to floats, and takes twice the time for complex numbers.
    if x.dtype.kind == "c":
        result = np.empty_like(x)
        np.rint(x.real, out=result.real)
        np.rint(x.imag, out=result.imag)
        return result
    return np.rint(x) if x.dtype.kind not in "biu" else x.copy()


def _computing(function: Callable[..., Native]) -> Callable[..., Native]:
    """A function with a ``dtype`` argument whose results have the class that computes with their dtype."""

    @wraps(function)
    def create(*args: Any, **kwargs: Any) -> Native:
        native = function(*args, **kwargs)
        if native.dtype.kind != "V":
            return native
        from ._extension_dtypes import as_computing  # which most programs do not need

        return as_computing(native)

    return create


def _of_shape(function: Callable[..., Native]) -> Callable[..., Native]:
    """The same for a function of a shape and a dtype, of which a call takes a third of a microsecond less."""
    general = _computing(function)

    @wraps(function)
    def create(shape: tuple[int, ...], dtype: DType) -> Native:
        return function(shape, dtype) if dtype.kind != "V" else general(shape, dtype)

    return create


_arange = _computing(np.arange)
empty = _of_shape(np.empty)
eye = _computing(np.eye)
_linspace = _computing(np.linspace)
ones = _of_shape(np.ones)
zeros = _of_shape(np.zeros)


def linspace(start: complex, stop: complex, num: int, *, dtype: DType, endpoint: bool = True) -> Native:
    if dtype.kind != "f" or not (isinstance(start, (int, float)) and isinstance(stop, (int, float))):
        return _linspace(start, stop, num, dtype=dtype, endpoint=endpoint)
    first, last = float(start), float(stop)
    intervals = num - 1 if endpoint else num
    step = (last - first) / intervals if intervals > 0 else 0.0
    if not step or not math.isfinite(step):
        return _linspace(first, last, num, dtype=dtype, endpoint=endpoint)
    # As NumPy's function, which counts in integers and casts them.
    result = np.arange(num, dtype=np.float64)
    result *= step
    result += first
    if endpoint:
        result[-1] = last
    return result.astype(dtype, copy=False)


def arange(start: float, stop: float, step: float, *, dtype: DType) -> Native:
    return np.arange(start, stop, step, dtype=dtype) if dtype.kind != "V" else _arange(start, stop, step, dtype)


def full(shape: tuple[int, ...], fill_value: Native | complex, *, dtype: DType) -> Native:
    result = empty(shape, dtype)
    np.copyto(result, fill_value, casting="unsafe")
    return result


@_computing
def astype(x: Native, dtype: DType, *, copy: bool = True) -> Native:
    return x.astype(dtype, copy=copy)


def clip(x: Native, lower: Native | float | None, upper: Native | float | None) -> Native:
    # NumPy's function dispatches to other classes, such as that of bfloat16, before it calls the method.
    clipped: Any = x.clip if x.__class__ is np.ndarray else partial(np.clip, x)
    return clipped(lower, upper)


def reshape(x: Native, shape: tuple[int, ...], *, copy: bool | None = None) -> Native:
    return x.reshape(shape) if copy is None else x.reshape(shape, copy=copy)


def moveaxis(x: Native, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Native:
    # NumPy's function is written in Python and checks both again. Compositions pass integers, also negative ones.
    if not isinstance(source, tuple) or not isinstance(destination, tuple) or x.__class__ is not np.ndarray:
        return np.moveaxis(x, source, destination)
    if [axis for axis in (*source, *destination) if axis < 0]:
        return np.moveaxis(x, source, destination)
    order = [axis for axis in range(x.ndim) if axis not in source]
    for position, axis in sorted(zip(destination, source, strict=True)):
        order.insert(position, axis)
    return x.transpose(order)


def unstack(x: Native, *, axis: int = 0) -> tuple[Native, ...]:
    # As NumPy's function, which calls its moveaxis.
    return tuple(moveaxis(x, (axis,), (0,)) if axis else x)


def broadcast_to(x: Native, shape: tuple[int, ...]) -> Native:
    # As NumPy's function, which takes twice the time for its checks.
    if x.__class__ is not np.ndarray or not shape:
        return np.broadcast_to(x, shape)
    iterator: Any = np.nditer((x,), ["multi_index", "zerosize_ok"], [["readonly"]], order="C", itershape=shape)
    return iterator.itviews[0]


def count_nonzero(x: Native, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Native:
    return np.count_nonzero(x, axis=axis, keepdims=keepdims)


def argmax(x: Native, *, axis: int | None = None, keepdims: bool = False) -> Native:
    return x.argmax(axis, keepdims=keepdims)


def argmin(x: Native, *, axis: int | None = None, keepdims: bool = False) -> Native:
    return x.argmin(axis, keepdims=keepdims)


def mean(x: Native, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Native:
    # As NumPy's method, which is written in Python.
    if x.dtype.char in "fdFD" and x.size:
        total: Any = sum(x, axis=axis, keepdims=keepdims)  # type: ignore[call-overload]
        return total / float(x.size // total.size)
    return x.mean(axis, keepdims=keepdims)


def var(
    x: Native, *, axis: int | tuple[int, ...] | None = None, correction: float = 0.0, keepdims: bool = False
) -> Native:
    # As NumPy's method, which is written in Python.
    if x.dtype.char in "fd" and x.size:
        center: Any = mean(x, axis=axis, keepdims=True)
        divisor = x.size // center.size - correction
        if divisor > 0.0:
            distances = x - center
            distances *= distances
            return sum(distances, axis=axis, keepdims=keepdims) / divisor  # type: ignore[call-overload]
    if x.dtype.char != "e":
        return x.var(axis=axis, ddof=correction, keepdims=keepdims)
    # In float32: NumPy adds up the squares of float16 in float16, which ends at 65504.
    return x.var(axis=axis, dtype=np.float32, ddof=correction, keepdims=keepdims).astype(np.float16)


def std(
    x: Native, *, axis: int | tuple[int, ...] | None = None, correction: float = 0.0, keepdims: bool = False
) -> Native:
    if x.dtype.char != "e":
        return np.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))
    return x.std(axis=axis, dtype=np.float32, ddof=correction, keepdims=keepdims).astype(np.float16)


def diff(
    x: Native, *, axis: int = -1, n: int = 1, prepend: Native | None = None, append: Native | None = None
) -> Native:
    if n == 0:
        return x.copy()  # NumPy returns the operand itself
    if n == 1 and x.dtype.kind != "b" and prepend is None and append is None:
        before = (slice(None),) * (axis % x.ndim)
        return x[(*before, slice(1, None), ...)] - x[(*before, slice(None, -1), ...)]
    edges = {"prepend": prepend, "append": append}
    return np.diff(x, n=n, axis=axis, **{name: edge for name, edge in edges.items() if edge is not None})


def unique_values(x: Native) -> Native:
    # In ascending order, which callers of other libraries expect.
    if x.dtype.char not in SORTED or not x.size:
        return np.unique(x, equal_nan=False)
    ordered = sorted_quickly(x.reshape(-1), -1)
    is_first = np.empty(ordered.shape, bool)
    is_first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def unique_counts(x: Native) -> Any:
    if x.dtype.char == "e":
        values, counts = np.unique_counts(x.astype(np.float32))
        return values.astype(np.float16), counts
    return np.unique_counts(x)


def flip(x: Native, *, axis: Any) -> Native:
    # One slice for each axis; numpy.flip takes a microsecond for an array of any size.
    if axis.__class__ is not tuple:
        return np.flip(x, axis=axis)
    key = [slice(None)] * x.ndim
    for position in axis:
        key[position] = REVERSED
    return x[tuple(key)]


def matrix_transpose(x: Native) -> Native:
    return x.swapaxes(-1, -2)


def take_along_axis(x: Native, indices: Native, *, axis: int) -> Native:
    # The indices of one line are a key; numpy.take_along_axis takes 8 microseconds to make one of them.
    return x[indices] if x.ndim == 1 else np.take_along_axis(x, indices, axis)


def roll(x: Native, shift: Any, *, axis: Any) -> Native:
    # Two slices of one axis; numpy.roll takes 6 microseconds for an array of any size.
    if axis is None and x.ndim == 1:
        axis = 0
    if axis.__class__ is not int or shift.__class__ is not int or not x.shape[axis]:
        return np.roll(x, shift, axis=axis)
    start = -shift % x.shape[axis]
    if not axis:
        return np.concatenate((x[start:], x[:start]))
    before = (slice(None),) * axis
    return np.concatenate((x[*before, start:], x[*before, :start]), axis)


def __getattr__(name: str) -> Any:
    return getattr(np, name)
