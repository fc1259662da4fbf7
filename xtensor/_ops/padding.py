"""Padding, with NumPy's name and signature. xarray looks for the function.

Axes are padded one after another, so the corners are computed from the padding of the previous axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import LARGEST, check_axis, check_integer
from .._core.compositions import composed
from .._core.dtypes import kind_of
from .._core.errors import describe, shortened
from .._core.failures import rewarned
from .._core.operands import array_argument
from . import _casts
from .quantiles import median

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["pad"]

Widths: TypeAlias = tuple[int, int]
"""The number of elements before and after an axis."""


@composed
def pad(array: AnyArray, pad_width: Any, mode: str = "constant", **options: Any) -> Array:
    """Return an array with elements added before and after it along its axes.

    Parameters
    ----------
    array
        Array of any dtype.
    pad_width
        The number of elements to add: one number, a pair ``(before, after)``, a pair for each axis, or a dictionary
        from axes to these.
    mode
        The values of the padding:

        - ``"constant"``: ``constant_values``;
        - ``"edge"``: the first or last element of the line;
        - ``"empty"``: uninitialized memory;
        - ``"linear_ramp"``: a linear ramp from the first or last element to ``end_values``;
        - ``"maximum"``, ``"mean"``, ``"median"``, ``"minimum"``: a statistic of the line, or of the ``stat_length``
          elements at the padded end;
        - ``"reflect"``: the line mirrored at its first or last element, which is not repeated;
        - ``"symmetric"``: the line mirrored beyond its first or last element, which is repeated;
        - ``"wrap"``: the elements of the opposite end.
    **options
        ``constant_values`` and ``end_values``: numbers, by default 0. ``stat_length``: the number of elements for a
        statistic, by default all. All three have the forms of ``pad_width``. ``reflect_type``: ``"even"``, or ``"odd"``
        for a point reflection at the element.

    Returns
    -------
    Array
        The padded array, of the dtype of ``array``.

    Raises
    ------
    ValueError
        If ``mode`` or an option of it is unknown, a width is negative, or an empty axis is padded in a mode other than
        ``"constant"`` and ``"empty"``.
    TypeError
        If a width is not an integer.

    Notes
    -----
    NumPy, ``pad``. A function as the mode is not supported.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.pad(xp.asarray([1, 2, 3]), (1, 2), mode="edge")
    Array([1, 1, 2, 3, 3, 3])
    """
    array = array_argument(array, "pad")
    if mode not in MODES:
        raise ValueError(f"mode {shortened(mode)} is not supported; pad() has the modes {', '.join(map(repr, MODES))}")
    fill, known = MODES[mode]
    if set(options) - set(known):
        raise ValueError(
            f"unsupported keyword arguments for mode '{mode}': {set(options) - set(known)}; pad() takes "
            f"{', '.join(known) or 'no options'} in this mode"
        )
    if isinstance(pad_width, Array):
        if pad_width.dtype.kind not in "iu":
            raise TypeError(f"`pad_width` must be of integral type.; pad() received {describe(pad_width)}")
        pad_width = pad_width.tolist()
    if isinstance(pad_width, (tuple, list)) and all(isinstance(x, (tuple, list)) and not x for x in pad_width):
        raise TypeError("`pad_width` must be of integral type.; pad() received an empty sequence")
    widths = [_check_width(pair) for pair in _pairs(pad_width, array.ndim, "pad_width")]
    shape = _padded_shape(array, widths)
    if math.prod(shape) > LARGEST:
        raise ValueError(f"pad(): pad_width {describe(pad_width)} gives shape {shape}, which exceeds the address space")
    values_by_axis = {
        name: _pairs(value, array.ndim, name) if name != "reflect_type" else [value] * array.ndim
        for name, value in options.items()
    }
    if mode == "constant":
        values = [value for pair in values_by_axis.get("constant_values", [(0, 0)]) for value in pair]
        if values and all(isinstance(value, (int, float, complex)) and value == values[0] for value in values):
            return _pad_with_one_value(array, widths, values[0])
    for axis, width in enumerate(widths):
        if any(width):
            array = fill(array, axis, width, *(values_by_axis[name][axis] for name in known if name in values_by_axis))
    return array


def _pad_with_one_value(array: Array, widths: list[Widths], value: complex) -> Array:
    """Return an array padded with a single value: one pass over the memory for all axes."""
    scalar = _as_scalar(value, array)
    result = xp.empty(_padded_shape(array, widths), dtype=array.dtype, device=array.device)
    result[...] = scalar
    interior = (slice(before, before + length) for (before, _), length in zip(widths, array.shape, strict=True))
    result[(*interior, ...)] = array
    return result


def _padded_shape(array: Array, widths: list[Widths]) -> tuple[int, ...]:
    return tuple(before + length + after for (before, after), length in zip(widths, array.shape, strict=True))


def _pairs(value: Any, ndim: int, name: str) -> list[tuple[Any, Any]]:
    """Return a pair for each axis from an argument for all axes, for both ends or for each axis."""
    if isinstance(value, dict):
        pairs: list[tuple[Any, Any]] = [(0, 0)] * ndim
        for axis, item in value.items():
            pairs[check_axis(axis, ndim, "pad")] = _pairs(item, 1, name)[0]
        return pairs
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            raise TypeError(f"pad(): {name} holds numbers, not elements of dtype {value.dtype}")
        value = value.tolist()
    if not isinstance(value, (tuple, list)):
        return [(value, value)] * ndim
    items = [item.tolist() if isinstance(item, np.ndarray) else item for item in value]
    nested = [isinstance(item, (tuple, list)) for item in items]
    if not any(nested) and len(items) in (1, 2):
        return [(items[0], items[-1])] * ndim
    if all(nested) and len(items) in (1, ndim) and {len(item) for item in items} in ({1}, {2}):
        pairs = [(item[0], item[-1]) for item in items]
        return pairs * ndim if len(pairs) == 1 else pairs
    lengths = {len(item) if isinstance(item, (tuple, list)) else None for item in items}
    if len(lengths) > 1:
        problem = (
            "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 "
            f"dimensions. The detected shape was ({len(items)},) + inhomogeneous part."
        )
    else:
        (length,) = lengths or {None}
        found = f"({len(items)},)" if length is None else f"({len(items)},{length})"
        problem = (
            f"operands could not be broadcast together with remapped shapes [original->remapped]: {found}  and "
            f"requested shape ({ndim},2)"
        )
    raise ValueError(
        f"{problem}; pad(): {name} is a number, a pair, or a pair for each of {ndim} axes, not {describe(value)}"
    )


def _check_width(pair: tuple[Any, Any]) -> Widths:
    for item in pair:
        if isinstance(item, (bool, np.bool)) or not hasattr(item, "__index__"):
            raise TypeError(f"`pad_width` must be of integral type.; pad() received {describe(item)}")
    before, after = (check_integer(item, "pad", "pad_width") for item in pair)
    if min(before, after) < 0:
        raise ValueError(f"index can't contain negative values; pad() takes widths of 0 or more, not {pair}")
    return before, after


def _concat(array: Array, axis: int, before: Array, after: Array) -> Array:
    """Return an array with padding before and after it; empty padding is left out."""
    parts = [part for part in (before, array, after) if part is array or part.shape[axis]]
    return xp.concat(parts, axis=axis)


def _with_length(array: Array, axis: int, length: int) -> tuple[int, ...]:
    """Return the shape of an array with another length along one axis."""
    return (*array.shape[:axis], length, *array.shape[axis + 1 :])


def _slice(array: Array, axis: int, *bounds: int | None) -> Array:
    """Return a slice of an array along one axis."""
    return array[(*(slice(None),) * axis, slice(*bounds), ...)]


def _constant(array: Array, axis: int, width: Widths, values: Any = (0, 0)) -> Array:
    before, after = (
        xp.broadcast_to(_as_scalar(value, array), _with_length(array, axis, length))
        for value, length in zip(values, width, strict=True)
    )
    return _concat(array, axis, before, after)


def _as_scalar(value: Any, array: Array) -> Array:
    """Return a number as a 0-d Array of the dtype and on the device of an array."""
    if isinstance(value, Array):
        return xp.astype(value.to_device(array.device), array.dtype, copy=False)
    if not isinstance(value, (bool, int, float, complex, np.bool, np.number)):
        raise TypeError(f"pad(): the padding is a number, not {describe(value)}")
    if array.dtype.kind in "iu" and not isinstance(value, (complex, np.complexfloating)):
        return xp.asarray(int(value), dtype=array.dtype, device=array.device)
    return xp.asarray(rewarned(np.asarray(value).astype, array.dtype), device=array.device)


def _empty(array: Array, axis: int, width: Widths) -> Array:
    before, after = (
        xp.empty(_with_length(array, axis, length), dtype=array.dtype, device=array.device) for length in width
    )
    return _concat(array, axis, before, after)


def _ends(array: Array, axis: int) -> tuple[Array, Array]:
    """Return the first and the last element of each line."""
    if not array.shape[axis]:
        raise ValueError(
            f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'; pad() received an array of "
            f"shape {array.shape}"
        )
    return _slice(array, axis, 0, 1), _slice(array, axis, -1, None)


def _edge(array: Array, axis: int, width: Widths) -> Array:
    before, after = (
        xp.broadcast_to(end, _with_length(array, axis, length))
        for end, length in zip(_ends(array, axis), width, strict=True)
    )
    return _concat(array, axis, before, after)


def _ramp(array: Array, axis: int, width: Widths, values: Any = (0, 0)) -> Array:
    integral = kind_of(array.dtype) not in "fc"
    dtype = _casts.supported(np.dtype(np.int64), array.device) if integral else array.dtype
    column = (-1, *(1,) * (array.ndim - axis - 1))
    ramps = []
    for end_value, edge, length in zip(values, _ends(array, axis), width, strict=True):
        end = xp.astype(_as_scalar(end_value, array), dtype, copy=False)
        steps = xp.reshape(xp.astype(xp.arange(length, device=array.device), dtype), column)
        distance, count = xp.astype(edge, dtype, copy=False) - end, max(length, 1)
        if integral:
            # Rounded down, in integers: floating-point numbers do not hold all of them.
            ramp = steps * (distance // count) + steps * (distance % count) // count + end
        else:
            ramp = steps * (distance / count) + end
        ramps.append(xp.astype(ramp, array.dtype, copy=False))
    return _concat(array, axis, ramps[0], xp.flip(ramps[1], axis=axis))


def _statistic(compute: Callable[..., Array]) -> Callable[..., Array]:
    """Return the function of a mode that pads with a statistic of the elements at each end."""

    def fill(array: Array, axis: int, width: Widths, lengths: Any = (None, None)) -> Array:
        _ends(array, axis)
        before, after = (
            _statistic_padding(array, axis, compute, length, count, at_start=at_start)
            for length, count, at_start in zip(lengths, width, (True, False), strict=True)
        )
        return _concat(array, axis, before, after)

    return fill


def _statistic_padding(
    array: Array, axis: int, compute: Callable[..., Array], length: Any, count: int, *, at_start: bool
) -> Array:
    """Return ``count`` copies of a statistic of the first or last ``length`` elements of each line."""
    available = array.shape[axis]
    used = available if length is None else min(check_integer(length, "pad", "stat_length"), available)
    if used < 0:
        raise ValueError(f"index can't contain negative values; pad() takes a stat_length of 1 or more, not {length}")
    if used == 0:
        raise ValueError(f"stat_length of 0 yields no value for padding; pad() takes 1 or more, not {length}")
    part = _slice(array, axis, 0, used) if at_start else _slice(array, axis, -used, None)
    value = compute(_casts.counting(part), axis)
    if array.dtype.kind in "iu" and kind_of(value.dtype) == "f":
        value = xp.round(value)
    return xp.broadcast_to(xp.astype(value, array.dtype), _with_length(array, axis, count))


def _mean(part: Array, axis: int) -> Array:
    if kind_of(part.dtype) not in "fc":
        part = xp.astype(part, part.device.default_dtypes["real floating"])
    return xp.mean(part, axis=axis, keepdims=True)


def _mirror(repeats: int) -> Callable[..., Array]:
    """Return the function of a mode that mirrors the lines; ``repeats`` is 1 if the end element is repeated, else 0."""

    def fill(array: Array, axis: int, width: Widths, kind: str = "even") -> Array:
        first, last = _ends(array, axis)
        if kind not in ("even", "odd"):
            raise ValueError(f"pad(): reflect_type is 'even' or 'odd', not {describe(kind)}")
        length = array.shape[axis]
        # The padded line is periodic: one period is the line forwards, then backwards.
        period = max(2 * length - 2 + 2 * repeats, 1)
        positions = xp.arange(-width[0], length + width[1], device=array.device)
        phase = positions % period
        backwards = phase >= length
        mirrored = xp.take(array, xp.where(backwards, period - repeats - phase, phase), axis=axis)
        if kind == "even":
            return mirrored
        # Each odd reflection is a point reflection: it adds twice the difference between the ends for each period.
        column = (-1, *(1,) * (array.ndim - axis - 1))
        reflections = xp.reshape(xp.astype(2 * (positions // period), array.dtype), column)
        odd = xp.where(xp.reshape(backwards, column), 2 * last - mirrored, mirrored)
        return odd + reflections * (last - first)

    return fill


def _wrap(array: Array, axis: int, width: Widths) -> Array:
    _ends(array, axis)
    positions = xp.arange(-width[0], array.shape[axis] + width[1], device=array.device)
    return xp.take(array, positions % array.shape[axis], axis=axis)


MODES: dict[str, tuple[Callable[..., Array], tuple[str, ...]]] = {
    "constant": (_constant, ("constant_values",)),
    "edge": (_edge, ()),
    "empty": (_empty, ()),
    "linear_ramp": (_ramp, ("end_values",)),
    "maximum": (_statistic(lambda part, axis: xp.max(part, axis=axis, keepdims=True)), ("stat_length",)),
    "mean": (_statistic(_mean), ("stat_length",)),
    "median": (_statistic(lambda part, axis: median(part, axis, keepdims=True)), ("stat_length",)),
    "minimum": (_statistic(lambda part, axis: xp.min(part, axis=axis, keepdims=True)), ("stat_length",)),
    "reflect": (_mirror(0), ("reflect_type",)),
    "symmetric": (_mirror(1), ("reflect_type",)),
    "wrap": (_wrap, ()),
}
"""The function and the options of each mode."""
