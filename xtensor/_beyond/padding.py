"""Padding, in NumPy's name and signature.

The standard has none; xarray looks for it. One axis after another is lengthened, so that what fills the corners is
made of what the axes before have filled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _standard as xp
from .._core.array import Array
from .._core.checks import LARGEST, check_axis, check_integer
from .._core.dispatch import composed, device_of
from .._core.dtypes import kind_of
from .._core.errors import describe
from .quantiles import median

__all__ = ["pad"]

Widths = tuple[int, int]


@composed
def pad(array: Array, pad_width: Any, mode: str = "constant", **options: Any) -> Array:
    """An array with elements put before and after it along its axes.

    Parameters
    ----------
    array
        Array of any dtype.
    pad_width
        How many: one number, a pair ``(before, after)``, a pair for each axis, or a dictionary of axes.
    mode
        What is put there: ``"constant"``, ``"edge"`` (the last element), ``"linear_ramp"`` (from the last element to
        an end value), ``"maximum"``, ``"mean"``, ``"median"``, ``"minimum"`` (of the line), ``"reflect"`` (mirrored
        at the last element), ``"symmetric"`` (mirrored behind it), ``"wrap"`` (from the other end), ``"empty"``
        (whatever the memory holds).
    **options
        ``constant_values`` and ``end_values``: numbers, by default 0; ``stat_length``: of how many elements at the end
        a statistic is taken, by default all; ``reflect_type``: ``"even"`` or ``"odd"``. The first three are given like
        ``pad_width``.

    Returns
    -------
    Array
        Of the dtype of ``array``, longer along its axes.

    Raises
    ------
    ValueError
        If there is no such mode, or no such option of it, a width is negative, or an empty axis would be mirrored.
    TypeError
        If a width is no integer.

    Notes
    -----
    NumPy, ``pad``, without a function as the mode.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.pad(xp.asarray([1, 2, 3]), (1, 2), mode="edge")
    Array([1, 1, 2, 3, 3, 3])
    """
    device_of(array, "pad")
    if mode not in MODES:
        raise ValueError(f"pad(): mode {describe(mode)} is none of {', '.join(map(repr, MODES))}")
    fill, known = MODES[mode]
    if set(options) - set(known):
        raise ValueError(
            f"pad(): mode {mode!r} takes {', '.join(known) or 'no options'}, not {', '.join(sorted(options))}"
        )
    widths = [_width(pair) for pair in _pairs(pad_width, array.ndim, "pad_width")]
    longer = tuple(before + length + after for (before, after), length in zip(widths, array.shape, strict=True))
    if math.prod(longer) > LARGEST:
        raise ValueError(f"pad(): pad_width {describe(pad_width)} makes shape {longer}, more than memory has addresses")
    chosen = {
        name: _pairs(value, array.ndim, name) if name != "reflect_type" else [value] * array.ndim
        for name, value in options.items()
    }
    if mode == "constant":
        values = [value for pair in chosen.get("constant_values", [(0, 0)]) for value in pair]
        if values and all(isinstance(value, (int, float, complex)) and value == values[0] for value in values):
            return _framed(array, widths, values[0])
    for axis, width in enumerate(widths):
        if any(width):
            array = fill(array, axis, width, *(chosen[name][axis] for name in known if name in chosen))
    return array


def _framed(array: Array, widths: list[Widths], value: complex) -> Array:
    """An array within one of a single value: one pass over the memory for all axes."""
    shape = tuple(before + length + after for (before, after), length in zip(widths, array.shape, strict=True))
    result = xp.empty(shape, dtype=array.dtype, device=array.device)
    result[...] = _value(value, array)
    inside = (slice(before, before + length) for (before, _), length in zip(widths, array.shape, strict=True))
    result[(*inside, ...)] = array
    return result


def _pairs(value: Any, ndim: int, name: str) -> list[tuple[Any, Any]]:
    """A pair for each axis, of what is given for all, for both ends or for each axis."""
    if isinstance(value, dict):
        pairs: list[tuple[Any, Any]] = [(0, 0)] * ndim
        for axis, item in value.items():
            pairs[check_axis(axis, ndim, "pad")] = _pairs(item, 1, name)[0]
        return pairs
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            raise TypeError(f"pad(): {name} is made of numbers, not of dtype {value.dtype}")
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
    raise ValueError(f"pad(): {name} is a number, a pair, or a pair for each of {ndim} axes, not {describe(value)}")


def _width(pair: tuple[Any, Any]) -> Widths:
    before, after = (check_integer(item, "pad", "pad_width") for item in pair)
    if min(before, after) < 0:
        raise ValueError(f"pad(): widths are 0 or more, not {pair}")
    return before, after


def _joined(array: Array, axis: int, before: Array, after: Array) -> Array:
    parts = [part for part in (before, array, after) if part is array or part.shape[axis]]
    return xp.concat(parts, axis=axis)


def _shape(array: Array, axis: int, length: int) -> tuple[int, ...]:
    return (*array.shape[:axis], length, *array.shape[axis + 1 :])


def _part(array: Array, axis: int, *bounds: int | None) -> Array:
    return array[(*(slice(None),) * axis, slice(*bounds), ...)]


def _constant(array: Array, axis: int, width: Widths, values: Any = (0, 0)) -> Array:
    before, after = (
        xp.broadcast_to(_value(value, array), _shape(array, axis, length))
        for value, length in zip(values, width, strict=True)
    )
    return _joined(array, axis, before, after)


def _value(value: Any, array: Array) -> Array:
    """A number as a 0-d Array of the dtype, and on the device, of an array."""
    if isinstance(value, Array):
        return xp.astype(value.to_device(array.device), array.dtype, copy=False)
    if not isinstance(value, (bool, int, float, complex, np.bool, np.number)):
        raise TypeError(f"pad(): what is padded with is a number, not {describe(value)}")
    return xp.asarray(np.asarray(value).astype(array.dtype), device=array.device)


def _empty(array: Array, axis: int, width: Widths) -> Array:
    before, after = (xp.empty(_shape(array, axis, length), dtype=array.dtype, device=array.device) for length in width)
    return _joined(array, axis, before, after)


def _ends(array: Array, axis: int) -> tuple[Array, Array]:
    """The first and the last element of each line."""
    if not array.shape[axis]:
        raise ValueError(f"pad(): axis {axis} of shape {array.shape} has no elements to pad with; use mode 'constant'")
    return _part(array, axis, 0, 1), _part(array, axis, -1, None)


def _edge(array: Array, axis: int, width: Widths) -> Array:
    before, after = (
        xp.broadcast_to(end, _shape(array, axis, length)) for end, length in zip(_ends(array, axis), width, strict=True)
    )
    return _joined(array, axis, before, after)


def _ramp(array: Array, axis: int, width: Widths, values: Any = (0, 0)) -> Array:
    along = (-1, *(1,) * (array.ndim - axis - 1))
    ramps = []
    for end, edge, length in zip(values, _ends(array, axis), width, strict=True):
        start, real = _value(end, array), array
        if kind_of(array.dtype) not in "fc":
            dtype = array.device.default_dtypes["real floating"]
            start, edge, real = xp.astype(start, dtype), xp.astype(edge, dtype), xp.astype(array[..., :0], dtype)
        steps = xp.reshape(xp.astype(xp.arange(length, device=array.device), real.dtype), along)
        ramp = steps * ((edge - start) / max(length, 1)) + start
        ramps.append(ramp if real is array else xp.astype(xp.floor(ramp), array.dtype))
    return _joined(array, axis, ramps[0], xp.flip(ramps[1], axis=axis))


def _statistic(compute: Callable[..., Array]) -> Callable[..., Array]:
    """A mode that fills with a statistic of the elements at each end."""

    def fill(array: Array, axis: int, width: Widths, lengths: Any = (None, None)) -> Array:
        _ends(array, axis)
        parts = []
        for length, end, count in zip(lengths, ("first", "last"), width, strict=True):
            taken = (
                array.shape[axis]
                if length is None
                else min(check_integer(length, "pad", "stat_length"), array.shape[axis])
            )
            if taken < 1:
                raise ValueError(f"pad(): stat_length is 1 or more, not {length}")
            part = _part(array, axis, 0, taken) if end == "first" else _part(array, axis, -taken, None)
            value = compute(part if part.dtype.kind != "b" else xp.astype(part, np.uint8), axis)
            if array.dtype.kind in "iu" and kind_of(value.dtype) == "f":
                value = xp.round(value)
            parts.append(xp.broadcast_to(xp.astype(value, array.dtype), _shape(array, axis, count)))
        return _joined(array, axis, *parts)

    return fill


def _mean(part: Array, axis: int) -> Array:
    if kind_of(part.dtype) not in "fc":
        part = xp.astype(part, part.device.default_dtypes["real floating"])
    return xp.mean(part, axis=axis, keepdims=True)


def _mirror(extra: int) -> Callable[..., Array]:
    """A mode that reads lines to and fro; ``extra`` is 1 where the last element is read twice, else 0."""

    def fill(array: Array, axis: int, width: Widths, kind: str = "even") -> Array:
        first, last = _ends(array, axis)
        if kind not in ("even", "odd"):
            raise ValueError(f"pad(): reflect_type is 'even' or 'odd', not {describe(kind)}")
        length = array.shape[axis]
        period = max(2 * length - 2 + 2 * extra, 1)
        positions = xp.arange(-width[0], length + width[1], device=array.device)
        rest = positions % period
        back = rest >= length
        read = xp.take(array, xp.where(back, period - extra - rest, rest), axis=axis)
        if kind == "even":
            return read
        along = (-1, *(1,) * (array.ndim - axis - 1))
        turns = xp.reshape(xp.astype(2 * (positions // period), array.dtype), along)
        return xp.where(xp.reshape(back, along), 2 * last - read, read) + turns * (last - first)

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
"""The function of each mode, and the options it takes."""
