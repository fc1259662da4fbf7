"""Functions beyond the standard in NumPy's compiled functions, which come before the core's compositions.

Each has the public function's signature and takes the calls in which NumPy's result is the one that is documented; for
others it returns NotImplemented. bfloat16, whose arrays are of a class of their own, is left to the compositions, as
is float16, which NumPy adds up with larger errors. An error of NumPy is explained by the composition, which is called
after it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from xtensor.backend import STANDARD_DTYPES, Native

from ._sorting import sorted_quickly

__all__ = [
    "einsum",
    "histogram",
    "indices",
    "interp",
    "median",
    "nanmax",
    "nanmedian",
    "nanmin",
    "packbits",
    "pad",
    "percentile",
    "place",
    "poly",
    "polydiv",
    "quantile",
    "setdiff1d",
    "sliding_window_view",
    "tri",
    "union1d",
    "unique",
    "unpackbits",
]

MOST_EDGES = 2**16
"""Number of edges up to which the bin of a number of 24 bits is computed with an error far below 1."""

FINE = 1 / 16
"""Part of a bin that the numbers at its edges are apart at most where the bin of a number is computed."""

BLOCK = 2**16
"""Elements whose bins are computed at once, in a core's cache."""

MOST_PRODUCTS = 2**16
"""Combinations of indices up to which one pass over them takes less time than products of matrices are prepared in."""


def _are_plain(*values: Any, kinds: str = "biufc") -> bool:
    """Whether values are NumPy's own arrays, of one dtype that is none of 16 bits and of one of some kinds."""
    dtype = values[0].dtype if isinstance(values[0], np.ndarray) else None
    for x in values:
        if x.__class__ is not np.ndarray or x.dtype != dtype:
            return False
    return dtype is not None and dtype.kind in kinds and dtype.char != "e"


def _is_numpys(dtype: Any) -> bool:
    """Whether a dtype is one of NumPy's own, or the class of Python that stands for the default one."""
    return dtype in (int, float) or (isinstance(dtype, np.dtype) and dtype.isnative and dtype.name in STANDARD_DTYPES)


def _are_lengths(values: Any) -> bool:
    """Whether all items of a tuple or list are Python's integers and none is negative."""
    if values.__class__ is not tuple and values.__class__ is not list:
        return False
    return all(value.__class__ is int and value >= 0 for value in values)


def einsum(subscripts: Any, *operands: Any, out: None = None, optimize: Any = True, **options: Any) -> Native:
    if out is not None or options or subscripts.__class__ is not str:
        return NotImplemented
    inputs, arrow, output = subscripts.replace(" ", "").replace("...", "").partition("->")
    if len(operands) == 1 and (set(inputs) == set(output) if arrow else len(set(inputs)) == len(inputs)):
        return np.einsum(subscripts, *operands)  # a view, of which diagonals can be written to as well
    if "." in subscripts or not _are_plain(*operands, kinds="iufc"):
        return NotImplemented
    terms, lengths = inputs.split(","), dict[str, int]()
    for term, x in zip(terms, operands, strict=True):
        lengths.update(zip(term, x.shape, strict=True))
    if math.prod(lengths.values()) > MOST_PRODUCTS:
        return NotImplemented
    return np.einsum(subscripts, *operands)


def histogram(a: Native, bins: Any, range: None = None, density: bool | None = None, weights: None = None) -> Any:
    """Count between edges of the dtype of the samples; the last bin contains its right edge."""
    if density not in (None, False) or density.__class__ not in (bool, type(None)) or weights is not None:
        return NotImplemented
    if bins.__class__ is not np.ndarray or not _are_plain(a, bins, kinds="iuf"):
        return NotImplemented
    if bins.ndim != 1 or bins.size < 2 or not (bins[:-1] <= bins[1:]).all():
        return NotImplemented  # also where an edge is NaN
    return _counts(a.reshape(-1), bins), bins


def _counts(x: Native, edges: Native) -> Native:
    """Return the counts of elements between ascending edges."""
    if x.dtype.kind == "f" and edges.size <= MOST_EDGES:
        with np.errstate(all="ignore"):
            per_bin = (edges.size - 1) / (edges[-1] - edges[0])
            rounding = np.spacing(max(abs(edges[0]), abs(edges[-1]))) * per_bin
            equidistant = np.linspace(edges[0], edges[-1], edges.size, dtype=x.dtype)
        # Where numbers are rounded to a small part of a bin, a computed bin is wrong by one at most.
        if rounding <= FINE and 0 < per_bin < np.inf and np.array_equal(edges, equidistant):
            return _counts_of_equal_bins(x, edges, per_bin)
    below = np.zeros(edges.size, np.intp)
    block = max(BLOCK, edges.size)  # many edges are looked for in few blocks
    for start in range(0, x.size, block):
        ordered = sorted_quickly(x[start : start + block], -1)
        below[:-1] += ordered.searchsorted(edges[:-1], "left")
        below[-1] += ordered.searchsorted(edges[-1], "right")
    return below[1:] - below[:-1]


def _counts_of_equal_bins(x: Native, edges: Native, per_bin: Any) -> Native:
    """Return the counts in bins of equal width: the bin's number is computed, and checked by the edges.

    The computed number is wrong by one at most, since edges and elements are rounded far finer than a bin is wide.
    """
    count = edges.size - 1
    counts = np.zeros(count + 2, np.intp)  # also of the elements before the first edge and behind the last one
    with np.errstate(over="ignore"):
        behind = np.nextafter(edges[-1], np.inf)  # the last bin has its right edge
    lower = np.append(edges[:-1], behind)
    upper = np.concatenate((edges[1:-1], np.asarray((behind, np.nan), edges.dtype)))
    for start in range(0, x.size, BLOCK):
        part = x[start : start + BLOCK]
        least, largest = part.min(), part.max()
        if np.isnan(least):
            part = part[~np.isnan(part)]
        with np.errstate(over="ignore"):
            scaled: Any = part - edges[0]
            scaled *= per_bin
        if least >= edges[0] and largest <= edges[-1]:
            number = scaled.astype(np.intp)
        else:
            number = np.clip(scaled, 0, count, out=scaled).astype(np.intp)
        # The mode "clip" writes to its result without a buffer.
        low = part < lower.take(number, out=scaled, mode="clip")
        if low.any():
            number -= low
        high = part >= upper.take(number, out=scaled, mode="clip")
        if high.any():
            number += high
        number += 1
        counts += np.bincount(number, minlength=count + 2)
    return counts[1:-1]


def indices(dimensions: Any, dtype: Any = int, sparse: bool = False) -> Native:
    if sparse is not False or not _is_numpys(dtype) or not dimensions or not _are_lengths(dimensions):
        return NotImplemented
    return np.indices(dimensions, dtype)


def interp(x: Native, xp: Native, fp: Native, left: Any = None, right: Any = None, period: Any = None) -> Native:
    # NumPy's value for NaN is 0 where there is one point alone.
    if not _are_plain(x, xp, kinds="f") or x.dtype.itemsize < 8 or fp.__class__ is not np.ndarray:
        return NotImplemented
    if fp.dtype.char not in "dD" or xp.size < 2 or any(value is not None for value in (left, right, period)):
        return NotImplemented
    return np.interp(x, xp, fp)


def median(
    a: Native, axis: Any = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False
) -> Native:
    if not _selects_numbers(a, axis, out, overwrite_input, keepdims):
        return NotImplemented
    return _finite(np.median, a, axis=axis, keepdims=keepdims)


def nanmedian(
    a: Native, axis: Any = None, out: None = None, overwrite_input: bool = False, keepdims: Any = False
) -> Native:
    if not _selects_numbers(a, axis, out, overwrite_input, keepdims):
        return NotImplemented
    missing = np.isnan(a)
    if not missing.any():
        return _finite(np.median, a, axis=axis, keepdims=keepdims)
    return _finite(np.median, a[~missing]) if axis is None and not keepdims else NotImplemented


def quantile(
    a: Native,
    q: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: None = None,
) -> Native:
    # NumPy computes the positions of float32 in float32.
    if weights is not None or method != "linear" or not _selects_numbers(a, axis, out, overwrite_input, keepdims):
        return NotImplemented
    levels = q if isinstance(q, (list, tuple)) else [q]
    if a.dtype.itemsize < 8 or any(x.__class__ is not float for x in levels):
        return NotImplemented
    return _finite(np.quantile, a, q, axis=axis, keepdims=keepdims)


def percentile(
    a: Native,
    q: Any,
    axis: Any = None,
    out: None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: None = None,
) -> Native:
    several = isinstance(q, (list, tuple))
    if any(x.__class__ not in (int, float) for x in (q if several else [q])):
        return NotImplemented
    levels = [x / 100 for x in q] if several else q / 100
    return quantile(a, levels, axis, out, overwrite_input, method, keepdims, weights=weights)


def _selects_numbers(a: Native, axis: Any, out: Any, overwrite_input: Any, keepdims: Any) -> bool:
    """Whether NumPy's functions select elements of an array of float32 or float64 in a line or in all."""
    if out is not None or overwrite_input.__class__ is not bool:
        return False
    if not _are_plain(a, kinds="f") or not a.size or keepdims.__class__ is not bool:
        return False
    return axis is None or (axis.__class__ is int and -a.ndim <= axis < a.ndim)


def _finite(function: Callable[..., Any], *args: Any, **options: Any) -> Native:
    """Return a function's result; NotImplemented where an infinity, NaN or an overflow is in it."""
    with np.errstate(all="ignore"):
        result = np.asarray(function(*args, **options))
    return result if np.isfinite(result).all() else NotImplemented


def nanmax(a: Native, axis: Any = None, out: None = None, keepdims: bool = False, **options: Any) -> Native:
    return _extreme_number(np.fmax, a, axis, out, keepdims, options)


def nanmin(a: Native, axis: Any = None, out: None = None, keepdims: bool = False, **options: Any) -> Native:
    return _extreme_number(np.fmin, a, axis, out, keepdims, options)


def _extreme_number(ufunc: np.ufunc, a: Native, axis: Any, out: Any, keepdims: Any, options: dict[str, Any]) -> Native:
    if options or out is not None or keepdims.__class__ is not bool or axis.__class__ not in (int, type(None)):
        return NotImplemented
    if a.__class__ is not np.ndarray or a.dtype.kind != "f" or (axis is not None and not a.ndim):
        return NotImplemented
    return ufunc.reduce(a, axis=axis, keepdims=keepdims)


def packbits(a: Native, /, axis: int | None = None, bitorder: Literal["big", "little"] = "big") -> Native:
    if not _are_plain(a, kinds="biu") or not a.ndim or bitorder not in ("big", "little"):
        return NotImplemented
    return np.packbits(a, axis, bitorder)


def union1d(ar1: Native, ar2: Native) -> Native:
    return np.union1d(ar1, ar2) if _are_plain(ar1, ar2, kinds="iu") else NotImplemented


def unique(ar: Native, *flags: Any, axis: None = None, equal_nan: bool = True, **options: Any) -> Native:
    # NumPy finds distinct integers by hashing.
    if flags or options or axis is not None or equal_nan is not True or not _are_plain(ar, kinds="iu"):
        return NotImplemented
    return np.unique(ar)


def unpackbits(
    a: Native, /, axis: int | None = None, count: int | None = None, bitorder: Literal["big", "little"] = "big"
) -> Native:
    # Of no bytes NumPy's function reads what is behind their memory.
    if not _are_plain(a, kinds="u") or not a.ndim or not a.size or bitorder not in ("big", "little"):
        return NotImplemented
    return np.unpackbits(a, axis, count, bitorder) if count.__class__ in (int, type(None)) else NotImplemented


def pad(array: Native, pad_width: Any, mode: Any = "constant", **options: Any) -> Native:
    if mode not in ("constant", "edge") or options or array.__class__ is not np.ndarray or not array.size:
        return NotImplemented
    pairs = pad_width if isinstance(pad_width, (tuple, list)) else (pad_width,)
    items = [item for pair in pairs for item in (pair if isinstance(pair, (tuple, list)) else (pair,))]
    if any(item.__class__ is not int for item in items):
        return NotImplemented
    return np.pad(array, pad_width, mode)


def place(arr: Native, mask: Any, vals: Any) -> Any:
    if not (_are_plain(arr, vals) and arr.flags.writeable and vals.size and getattr(mask, "dtype", None) == np.bool):
        return NotImplemented
    np.place(arr, mask, vals)
    return None


def poly(seq_of_zeros: Native) -> Native:
    if not _are_plain(seq_of_zeros, kinds="fc") or seq_of_zeros.ndim != 1 or not seq_of_zeros.size:
        return NotImplemented
    return np.poly(seq_of_zeros)


def polydiv(u: Native, v: Native) -> Any:
    if not _are_plain(u, v, kinds="fc") or u.ndim != 1 or v.ndim != 1 or not u.size >= v.size > 0:
        return NotImplemented
    quotient, rest = np.empty(u.size - v.size + 1, u.dtype), u.copy()
    scale = 1 / v[0]
    for k in range(quotient.size):
        quotient[k] = scale * rest[k]
        rest[k : k + v.size] -= quotient[k] * v
    large = np.flatnonzero(~(np.abs(rest) <= 1e-8))
    return quotient, rest[large[0] if large.size else u.size - 1 :]


def setdiff1d(ar1: Native, ar2: Native, assume_unique: bool = False) -> Native:
    return np.setdiff1d(ar1, ar2) if _are_plain(ar1, ar2) and assume_unique is False else NotImplemented


def sliding_window_view(
    x: Native, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Native:
    if x.__class__ is not np.ndarray or not all(flag.__class__ is bool for flag in (subok, writeable)):
        return NotImplemented
    axes = range(x.ndim) if axis is None else axis if axis.__class__ is tuple else (axis,)
    lengths = window_shape if window_shape.__class__ is tuple else (window_shape,)
    if any(item.__class__ is not int for item in (*axes, *lengths)):
        return NotImplemented
    if len({item % x.ndim for item in axes}) < len(axes):
        return NotImplemented  # for the error of an axis that is named twice
    return np.lib.stride_tricks.sliding_window_view(x, window_shape, axis)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Native:  # noqa: N803 - NumPy's names
    if not _is_numpys(dtype) or not _are_lengths((N, N if M is None else M)) or k.__class__ is not int:
        return NotImplemented
    return np.tri(N, M, k, dtype)
