"""Counts of integers, in NumPy's name and signature."""

from __future__ import annotations

from .. import _standard as xp
from .._core.array import Array, attempt, wrap
from .._core.checks import LARGEST, check_integer
from .._core.device import Device
from .._core.dispatch import composed, device_of, native_operand
from .._core.operations import declare

__all__ = ["bincount"]


BINCOUNT = declare(
    "bincount",
    "signal",
    accepts="integer or boolean",
    dtype="index",
    shape="data-dependent",
    numpy="bincount",
    primitive=False,
)


@composed
def bincount(x: Array, /, weights: Array | None = None, minlength: int = 0) -> Array:
    """How often each integer is met; with weights, the sum of the weights of each.

    Parameters
    ----------
    x
        Array of one dimension, of integers that are 0 or more.
    weights
        An Array of real numbers, of the shape of ``x``.
    minlength
        The least length of the result.

    Returns
    -------
    Array
        Of length ``max(x) + 1`` or ``minlength``: numbers of the default integer dtype; sums of the default real
        floating-point dtype.

    Raises
    ------
    ValueError
        If an integer is negative, the shapes are others, or ``minlength`` is negative.
    TypeError
        If ``x`` holds no integers, or the weights are complex.

    Notes
    -----
    NumPy, ``bincount``. Weights are summed in pairs, which loses less than one after another.
    """
    device = device_of(x, "bincount")
    if x.ndim != 1:
        raise ValueError(f"bincount() counts in an array of one dimension, not shape {x.shape}")
    if x.dtype.kind not in "biu":
        raise TypeError(f"bincount() counts integers, not dtype {x.dtype}; cast with xtensor.astype")
    if not 0 <= check_integer(minlength, "bincount", "minlength") <= LARGEST:
        raise ValueError(f"bincount(): minlength is 0 or more, and within any memory, not {minlength}")
    x = xp.astype(x, device.default_dtypes["integral"], copy=False)
    if weights is not None:
        weights = _weights(weights, x, device)
    if not x.size:
        return xp.zeros(minlength, dtype=x.dtype if weights is None else weights.dtype, device=device)
    counts = attempt(BINCOUNT, device, x._native, None if weights is None else weights._native, minlength)
    if counts is not NotImplemented:
        return counts  # type: ignore[no-any-return]
    if weights is None:
        ordered = xp.sort(x, stable=False)
    else:
        order = xp.argsort(x)
        ordered, weights = xp.take(x, order), xp.take(weights, order)
    least, greatest = int(ordered[0]), int(ordered[-1])
    if least < 0:
        raise ValueError(f"bincount() counts integers that are 0 or more, and {least} is among them")
    length = max(greatest + 1, minlength)
    if weights is None:
        bounds = xp.searchsorted(ordered, xp.arange(length + 1, dtype=x.dtype, device=device))
        return xp.astype(xp.diff(bounds), x.dtype, copy=False)
    present, sums = _segment_sums(ordered, weights)
    bins = xp.arange(length, dtype=x.dtype, device=device)
    place = xp.minimum(xp.searchsorted(present, bins), present.shape[0] - 1)
    return xp.where(xp.take(present, place) == bins, xp.take(sums, place), 0.0)


def _weights(weights: Array, x: Array, device: Device) -> Array:
    """The weights of a count, as floating-point numbers."""
    device_of(weights, "bincount")
    if weights.shape != x.shape:
        raise ValueError(f"bincount(): weights of shape {weights.shape} do not fit integers of shape {x.shape}")
    if weights.dtype.kind == "c":
        raise TypeError(
            f"bincount(): weights are real numbers, not dtype {weights.dtype}; weigh the parts by themselves"
        )
    weights = wrap(native_operand(weights, device, "bincount"), device)
    return xp.astype(weights, device.default_dtypes["real floating"], copy=False)


def _segment_sums(keys: Array, values: Array) -> tuple[Array, Array]:
    """Each of some sorted keys once, and the sum of its values: neighbours of one key are added until none are left."""
    while True:
        same = keys[1:] == keys[:-1]
        if not keys.size or not xp.any(same):
            return keys, values
        rank = xp.arange(keys.shape[0], device=keys.device) - xp.searchsorted(keys, keys)
        paired = xp.concat((same, xp.zeros(1, dtype=same.dtype, device=same.device)))
        following = xp.concat((values[1:], xp.zeros(1, dtype=values.dtype, device=values.device)))
        values = xp.where(paired, values + following, values)
        kept = rank % 2 == 0
        keys, values = keys[kept], values[kept]
