"""NumPy's functions in the standard's names and signatures.

Most are NumPy's own. Reductions go straight to the ufuncs, which do the work behind NumPy's slower wrappers. Scalars
that NumPy gives for 0-d results are left as they are: the core makes arrays of them.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy import (  # noqa: F401 - the namespace
    abs,
    acos,
    acosh,
    add,
    arange,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    broadcast_to,
    ceil,
    conj,
    copysign,
    cos,
    cosh,
    cumulative_prod,
    cumulative_sum,
    divide,
    empty,
    equal,
    exp,
    expand_dims,
    expm1,
    eye,
    fft,
    flip,
    floor,
    floor_divide,
    full,
    greater,
    greater_equal,
    hypot,
    isfinite,
    isin,
    isinf,
    isnan,
    less,
    less_equal,
    linspace,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    matmul,
    maximum,
    minimum,
    moveaxis,
    multiply,
    negative,
    nextafter,
    not_equal,
    ones,
    positive,
    pow,
    reciprocal,
    remainder,
    repeat,
    roll,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    squeeze,
    stack,
    subtract,
    take_along_axis,
    tan,
    tanh,
    tensordot,
    tile,
    tril,
    triu,
    trunc,
    unique_all,
    unique_counts,
    unique_inverse,
    vecdot,
    where,
    zeros,
)
from numpy import linalg as linalg

from xtensor.backend import DType, Native

from ._special import special as special

concat = np.concatenate
permute_dims = np.ndarray.transpose
nonzero = np.ndarray.nonzero
take = np.ndarray.take
searchsorted = np.ndarray.searchsorted
any = np.logical_or.reduce
all = np.logical_and.reduce
max = np.maximum.reduce
min = np.minimum.reduce
sum = np.add.reduce
prod = np.multiply.reduce


def has_infinity(x: Native | float) -> bool:
    """Whether some element is infinite or NaN, at a small part of the cost of a division."""
    if not isinstance(x, np.ndarray):
        return not math.isfinite(x)
    if x.size == 1:
        return not math.isfinite(x.item())
    # Not a sum of squares by vdot: BLAS shares it among threads, which wait for each other on a busy machine.
    return not np.isfinite(x).all()


def complex_of(real: Native, imag: Native) -> Native:
    """``real + imag·j``, each component exactly as given."""
    result = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real, np.complex64))
    result.real, result.imag = real, imag
    return result


def bin_counts(x: Native, weights: Native | None, minlength: int) -> Native:
    """How often each integer is met, or the sum of its weights."""
    return np.bincount(x, weights, minlength)


def direct_convolution(a: Native, v: Native) -> Native:
    """The full convolution of two vectors of one dtype, by the sum itself."""
    return np.convolve(a, v)


def real(x: Native) -> Native:
    return x.real


def imag(x: Native) -> Native:
    return x.imag


def round(x: Native) -> Native:
    # rint is the ufunc behind the slower wrapper, but makes floats of integers.
    return np.rint(x) if x.dtype.kind not in "biu" else x.copy()


def astype(x: Native, dtype: DType, *, copy: bool = True) -> Native:
    return x.astype(dtype, copy=copy)


def clip(x: Native, lower: Native | float | None, upper: Native | float | None) -> Native:
    return np.clip(x, lower, upper)


def reshape(x: Native, shape: tuple[int, ...], *, copy: bool | None = None) -> Native:
    return x.reshape(shape, copy=copy)


def count_nonzero(x: Native, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Native:
    return np.count_nonzero(x, axis=axis, keepdims=keepdims)


def argmax(x: Native, *, axis: int | None = None, keepdims: bool = False) -> Native:
    return x.argmax(axis, keepdims=keepdims)


def argmin(x: Native, *, axis: int | None = None, keepdims: bool = False) -> Native:
    return x.argmin(axis, keepdims=keepdims)


def mean(x: Native, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Native:
    return x.mean(axis, keepdims=keepdims)


def var(x: Native, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Native:
    return x.var(axis=axis, ddof=correction, keepdims=keepdims)


def std(x: Native, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Native:
    return x.std(axis=axis, ddof=correction, keepdims=keepdims)


def diff(
    x: Native, *, axis: int = -1, n: int = 1, prepend: Native | None = None, append: Native | None = None
) -> Native:
    edges = {"prepend": prepend, "append": append}
    return np.diff(x, n=n, axis=axis, **{name: edge for name, edge in edges.items() if edge is not None})


def unique_values(x: Native) -> Native:
    # NumPy's unique_values gives them in no order; callers of every library count on the ascending one.
    return np.unique(x, equal_nan=False)


def sort(x: Native, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Native:
    kind: Literal["stable"] | None = "stable" if stable else None
    if not descending:
        return np.sort(x, axis=axis, kind=kind)
    # Sorting the reversed array and reversing the result keeps equal elements, zeros of both signs, in their order.
    return np.flip(np.sort(np.flip(x, axis=axis), axis=axis, kind=kind), axis=axis)


def argsort(x: Native, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Native:
    kind: Literal["stable"] | None = "stable" if stable else None
    if not descending:
        return np.argsort(x, axis=axis, kind=kind)
    order = np.argsort(np.flip(x, axis=axis), axis=axis, kind=kind)
    return np.flip(x.shape[axis] - 1 - order, axis=axis)
