"""Medians and quantiles of the last axis, which the public functions of :mod:`quantiles` share.

The elements are sorted once along the reduced axes, with NaN last, as infinities; a device that can find single
elements of the sorted order sorts no others. A quantile selects the element at its position, or interpolates between
the elements next to it. All levels are computed at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array, Axis
from .._core.checks import check_axes, check_flag
from .._core.dtypes import DType, kind_of, result_type
from .._core.errors import describe, shortened
from .._core.tracing_errors import any_true, rarely
from . import _casts
from ._arguments import as_arrays, store
from ._weights import fit_weights
from .orders import partition

__all__ = ["median_of", "quantile_of"]

CONTINUOUS = {
    "linear": (1.0, 1.0),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
"""Methods that interpolate, with Hyndman and Fan's parameters alpha and beta."""

SELECTING: dict[str, Callable[[Any, Any, Any], Any]] = {
    "inverted_cdf": lambda module, number, level: module.ceil(number * level - 1.0),
    "closest_observation": lambda module, number, level: _closest(module, number * level - 1.5),
    "lower": lambda module, number, level: module.floor((number - 1.0) * level),
    "higher": lambda module, number, level: module.ceil((number - 1.0) * level),
    "nearest": lambda module, number, level: module.round((number - 1.0) * level),
}
"""Methods that select an element, with its position among a number of sorted elements.

``module`` is NumPy for positions that are known on the host, else xtensor.
"""

AVERAGING: dict[str, Callable[[Any, Any, Any], Any]] = {
    "averaged_inverted_cdf": lambda module, number, level: _middle(module, number * level - 1.0, whole=0.5),
    "midpoint": lambda module, number, level: _middle(module, (number - 1.0) * level, whole=0.0),
}
"""Methods that select an element or the middle between two, with the position."""

METHODS = (*CONTINUOUS, *SELECTING, *AVERAGING)


def median_of(name: str, a: Any, axis: Axis, out: Array | None, keepdims: bool, *, ignore_nan: bool) -> Array:
    """Return the medians over some axes; a slice with a NaN has the median NaN unless NaN is ignored."""
    (a,) = as_arrays(name, a)
    axes, shape = _axes(a, axis, keepdims, name)
    if a.dtype.kind == "c":
        return store(name, xp.reshape(_median_of_complex(_lines(a, axes), ignore_nan=ignore_nan), shape), out)
    lines = _lines(_ordered(a, axes), axes)
    filled, missing = _replace_missing(lines)
    length = filled.shape[-1]
    # Halves are added, because the sum of the two elements may overflow.
    if missing is None:
        (pair,) = _floating_elements(filled, np.array([(length - 1) // 2, length // 2]))
        low, high = pair[..., :1], pair[..., 1:]
        value = low if length % 2 else low / 2 + high / 2
    else:
        count = _count(filled, missing)
        low, high = _floating_elements(filled, xp.maximum(count - 1, 0) // 2, count // 2 % length)
        value = xp.where(count % 2 == 1, low, xp.where(count == 0, xp.nan, low / 2 + high / 2))
        if not ignore_nan:
            value = xp.where(count < length, xp.nan, value)
    return store(name, xp.reshape(value, shape), out)


def _median_of_complex(lines: Array, *, ignore_nan: bool) -> Array:
    """Return the medians of complex numbers, which are in the order of the real part, then of the imaginary part."""
    length = lines.shape[-1]
    if not length:
        return xp.full((*lines.shape[:-1], 1), xp.nan, dtype=lines.dtype, device=lines.device)
    ordered = _casts.sort(lines)
    missing = xp.isnan(ordered)
    count = length - xp.count_nonzero(missing, axis=-1, keepdims=True)
    low = xp.take_along_axis(ordered, xp.maximum(count - 1, 0) // 2, axis=-1)
    high = xp.take_along_axis(ordered, count // 2 % length, axis=-1)
    value = xp.where(count % 2 == 1, low, xp.where(count == 0, xp.nan, low / 2 + high / 2))
    return value if ignore_nan else xp.where(count < length, ordered[..., -1:], value)


def quantile_of(
    name: str,
    a: Any,
    q: Any,
    axis: Axis,
    out: Array | None,
    method: str,
    keepdims: bool,
    weights: Any,
    *,
    whole: int,
    ignore_nan: bool,
) -> Array:
    """Return the quantiles at the levels ``q / whole``; a slice with a NaN has NaN quantiles unless NaN is ignored."""
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(
            f"{shortened(method)} is not a valid method. Use one of: {', '.join(map(repr, METHODS))}; {name}() got "
            f"{describe(method)}"
        )
    given = [a, *(x for x in (q, weights) if isinstance(x, Array))]
    a = as_arrays(name, *given)[0]
    _check_real(a, name)
    levels = _levels(name, q, a, whole)
    dtype = _interpolated_dtype(a, q)
    axes, shape = _axes(a, axis, keepdims, name)
    if method in SELECTING and kind_of(a.dtype) in "biu":
        if not math.prod(a.shape[i] for i in axes) and 0 not in (*shape, levels.size):
            raise IndexError(
                f"cannot do a non-empty take from an empty axes.; {name}() selects no {a.dtype} from shape {a.shape}"
            )
        lines = _lines(_casts.counted(a), axes)
    else:
        lines = _lines(_ordered(a, axes), axes)
    flat = levels.reshape(-1)
    count: Array | None = None
    if weights is None:
        filled, missing = _replace_missing(lines)
        count = None if missing is None and isinstance(flat, np.ndarray) else _count(filled, missing)
        value = _quantile(filled, count, flat, method, dtype)
    else:
        flat = _on_device(flat, a)
        value, count = _weighted_quantile(name, a, lines, axes, None if axis is None else axes, flat, method, weights)
    if kind_of(lines.dtype) == "f" and count is not None:
        value = xp.where(count == 0, xp.nan, value)
        if not ignore_nan:
            value = xp.where(count < max(lines.shape[-1], 1), xp.nan, value)
    elif method in SELECTING and value.dtype != a.dtype:
        value = xp.astype(value, a.dtype)
    return store(name, xp.reshape(xp.moveaxis(value, -1, 0), (*levels.shape, *shape)), out)


def _check_real(a: Array, name: str) -> None:
    """Raise TypeError for complex numbers, which have no order."""
    if a.dtype.kind == "c":
        raise TypeError(
            f"a must be an array of real numbers; {name}() takes real numbers, not {a.dtype}, which has no order; take "
            "xtensor.abs(a) first"
        )


def _levels(name: str, q: Any, a: Array, whole: int) -> Any:
    """Return the levels of quantiles, floating-point numbers in ``[0, 1]``, in an array of at most two dimensions.

    It is an Array if ``q`` is one, else NumPy's.
    """
    dtype = a.device.default_dtypes["real floating"]
    levels: Any
    if isinstance(q, Array):
        if q.dtype.kind == "c":
            raise TypeError(f"{name}(): q is a real number or several, not {describe(q)}")
        (_, q) = as_arrays(name, a, q)
        levels = xp.astype(q, dtype) / whole
        valid = not rarely(any_true, ~((levels >= 0) & (levels <= 1)))
    else:
        try:
            levels = np.asarray(q)
            with np.errstate(over="ignore"):  # an infinite level is refused below
                levels = levels.astype(np.float64, casting="same_kind") / whole
        except (TypeError, ValueError):
            raise TypeError(f"{name}(): q is a number in [0, {whole}] or several, not {describe(q)}") from None
        valid = bool(np.all((levels >= 0) & (levels <= 1)))
    if not valid:
        noun = "Percentiles" if whole == 100 else "Quantiles"
        raise ValueError(f"{noun} must be in the range [0, {whole}]; {name}() got {describe(q)} for q")
    if levels.ndim > 2:
        raise ValueError(f"q must be a scalar or 1d; {name}() got {describe(q)}")
    return levels if isinstance(levels, Array) else levels.astype(dtype, copy=False)


def _interpolated_dtype(a: Array, q: Any) -> DType:
    """Return the dtype of interpolated quantiles: several levels promote that of the elements, as in NumPy."""
    dtype = a.dtype if kind_of(a.dtype) == "f" else a.device.default_dtypes["real floating"]
    if q.__class__ in (int, float):
        return dtype
    levels = q.dtype if hasattr(q, "dtype") else np.asarray(q).dtype
    if kind_of(levels) != "f":
        return dtype
    return _casts.supported(result_type(dtype if kind_of(a.dtype) == "b" else a.dtype, levels), a.device)


def _on_device(x: Any, a: Array) -> Array:
    """Return levels, positions or weights on the device of the elements; no policy of transfers applies to them."""
    return x if isinstance(x, Array) else xp.asarray(x, device=a.device)


def _axes(a: Array, axis: Axis, keepdims: bool, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the reduced axes and the shape of the result."""
    axes = tuple(range(a.ndim)) if axis is None else check_axes(axis, a.ndim, name)
    if check_flag(keepdims, name, "keepdims"):
        return axes, tuple(1 if i in axes else length for i, length in enumerate(a.shape))
    return axes, tuple(length for i, length in enumerate(a.shape) if i not in axes)


def _ordered(a: Array, axes: tuple[int, ...]) -> Array:
    """Return the array whose elements are put in order: integers stay, of which there are quicker sorts.

    Without elements along the axes, floating-point numbers, whose quantiles are NaN.
    """
    return _casts.counted(a) if all(a.shape[axis] for axis in axes) else _casts.floating(a)


def _lines(a: Array, axes: tuple[int, ...]) -> Array:
    """Return an array with some axes flattened into the last one."""
    others = tuple(i for i in range(a.ndim) if i not in axes)
    count = math.prod(a.shape[i] for i in axes)
    return xp.reshape(xp.permute_dims(a, (*others, *axes)), (*(a.shape[i] for i in others), count))


def _replace_missing(lines: Array) -> tuple[Array, Array | None]:
    """Return lines of at least one element with infinities for NaN, and where the NaN were; None without any."""
    if not lines.shape[-1]:
        empty = xp.nan if kind_of(lines.dtype) == "f" else 0
        lines = xp.full((*lines.shape[:-1], 1), empty, dtype=lines.dtype, device=lines.device)
    if kind_of(lines.dtype) != "f":
        return lines, None
    missing = xp.isnan(lines)
    if lines.device.host and not xp.any(missing):
        return lines, None
    return xp.where(missing, xp.inf, lines), missing


def _count(filled: Array, missing: Array | None) -> Array:
    """Return the number of elements of each line that are not missing."""
    length = filled.shape[-1]
    if missing is not None:
        return length - xp.count_nonzero(missing, axis=-1, keepdims=True)
    index = filled.device.default_dtypes["indexing"]
    return xp.full((*filled.shape[:-1], 1), length, dtype=index, device=filled.device)


def _elements(filled: Array, *indices: Any) -> list[Array]:
    """Return the elements of each line that have some indices in its sorted order.

    Indices in a NumPy array of one dimension are those of every line.
    """
    if all(isinstance(index, np.ndarray) or filled.device.host for index in indices):
        positions = np.unique(np.concatenate([np.asarray(index).reshape(-1) for index in indices])).tolist()
        ordered = partition(filled, positions) if positions else filled
    else:
        ordered = xp.sort(filled, axis=-1, stable=False)
    return [
        xp.take_along_axis(ordered, index, axis=-1)
        if isinstance(index, Array)
        else xp.take(ordered, _on_device(index, filled), axis=-1)
        for index in indices
    ]


def _floating_elements(filled: Array, *indices: Any) -> list[Array]:
    """Return these elements as floating-point numbers."""
    return [_casts.floating(element) for element in _elements(filled, *indices)]


def _closest(module: Any, position: Any) -> Any:
    """Return the nearest whole position, the even one of two: counted from 1, as Hyndman and Fan do."""
    below = module.floor(position)
    return module.where((position == below) & (below % 2 == 1), below, below + 1.0)


def _middle(module: Any, position: Any, whole: float) -> Any:
    """Return the middle between two elements, or an offset from the element that has the position.

    ``whole`` is the offset for whole positions. Other positions become the next element if it is not 0.
    """
    below = module.floor(position)
    return module.where(position == below, below + whole, below + (1.0 if whole else 0.5))


def _positions(module: Any, number: Any, levels: Any, method: str) -> tuple[Any, Any]:
    """Return the positions of quantiles among a number of elements, and the whole positions below."""
    if method == "linear":
        # The general formula adds 1 and subtracts it, and loses the digits of small levels.
        position = (number - 1.0) * levels
    elif method in CONTINUOUS:
        alpha, beta = CONTINUOUS[method]
        position = number * levels + (alpha + levels * (1.0 - alpha - beta)) - 1.0
    else:
        # NumPy's operations in NumPy's order: near an integer, a rounding error would select another element.
        position = (SELECTING.get(method) or AVERAGING[method])(module, number, levels)
    position = module.maximum(module.minimum(position, number - 1.0), 0.0)
    return position, module.floor(position)


def _quantile(filled: Array, count: Array | None, levels: Any, method: str, dtype: DType) -> Array:
    """Return the quantiles of the ``count`` smallest elements of each line, in the last axis.

    Elements are selected in their own dtype and interpolated in ``dtype``.
    Levels in a NumPy array are those of lines without NaN: the positions are computed on the host.
    """
    last: Any
    if count is None:
        last = filled.shape[-1] - 1
        position, below = _positions(np, levels.dtype.type(last + 1), levels, method)
        index = below.astype(np.intp)
        after = np.minimum(index + 1, last)
    else:
        position, below = _positions(xp, xp.astype(count, levels.dtype), _on_device(levels, filled), method)
        index = xp.astype(below, count.dtype)
        after = xp.maximum(xp.minimum(index + 1, count - 1), 0)
    if method in SELECTING:
        return _elements(filled, index)[0]
    low, high = (xp.astype(element, dtype, copy=False) for element in _elements(filled, index, after))
    weight = xp.astype(_on_device(position - below, filled), low.dtype, copy=False)
    # Equal infinities, and infinities of weight 0, are not subtracted: their difference would be NaN.
    low, high = xp.where(weight == 1, high, low), xp.where(weight == 0, low, high)
    constant = low == high
    step = xp.where(constant, 0.0, high) - xp.where(constant, 0.0, low)
    finite = xp.isfinite(step)
    # Interpolation starts from the nearer element, as in NumPy.
    near_high = weight >= 0.5
    offset = xp.where(finite, step, 0.0) * xp.where(near_high, 1.0 - weight, weight)
    value = xp.where(near_high, high - offset, low + offset)
    # The step to an infinite element is infinite, and that between two large elements overflows.
    weight = xp.where(constant, 0.5, weight)
    return xp.where(finite, value, low * (1.0 - weight) + high * weight)


def _weighted_quantile(
    name: str,
    a: Array,
    lines: Array,
    axes: tuple[int, ...],
    given_axes: tuple[int, ...] | None,
    levels: Array,
    method: str,
    weights: Any,
) -> tuple[Array, Array]:
    """Return the elements at which the cumulative weight reaches the levels, and the numbers of valid elements."""
    if method != "inverted_cdf":
        raise ValueError(
            f"Only method 'inverted_cdf' supports weights. Got: {method}.; {name}() got {describe(weights)}"
        )
    given = weights
    (_, weights) = as_arrays(name, a, weights)
    weights = xp.astype(fit_weights(weights, a, given_axes, name, given), levels.dtype)
    if rarely(any_true, weights < 0):
        raise ValueError(f"Weights must be non-negative.; {name}() got {describe(given)}")
    weights = _lines(xp.broadcast_to(weights, a.shape), axes)
    if not weights.shape[-1]:
        weights = xp.zeros((*weights.shape[:-1], 1), dtype=weights.dtype, device=weights.device)
    filled, missing = _replace_missing(lines)
    count = _count(filled, missing)
    order = xp.argsort(filled, axis=-1)
    if missing is not None:
        weights = xp.where(missing, 0.0, weights)
    reached = xp.cumulative_sum(xp.take_along_axis(weights, order, axis=-1), axis=-1)
    total = reached[..., -1:]
    usable = xp.isfinite(total) & (total > 0)
    if rarely(any_true, ~usable & (count > 0)):
        raise ValueError(f"Weights included NaN, inf or were all zero.; {name}() got {describe(given)}")
    # An element without weight is never selected, not even at the level 0.
    reached = xp.where(reached > 0, reached / xp.where(usable, total, 1.0), -1.0)
    last = xp.asarray(filled.shape[-1] - 1, dtype=count.dtype, device=a.device)
    # One level after the other, because all of them at once would need memory for each pair of level and element.
    ranks = [xp.count_nonzero(reached < levels[i : i + 1], axis=-1, keepdims=True) for i in range(levels.shape[0])] or [
        xp.zeros((*filled.shape[:-1], 0), dtype=count.dtype, device=a.device)
    ]
    index = xp.minimum(xp.concat(ranks, axis=-1), last)
    return xp.take_along_axis(xp.take_along_axis(filled, order, axis=-1), index, axis=-1), count
