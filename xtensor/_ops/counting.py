"""Counts of integers, with NumPy's name and signature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import apply, call_if_implemented
from .._core.checks import LARGEST, check_integer
from .._core.compositions import composed
from .._core.device import Device
from .._core.dtypes import kind_of
from .._core.errors import describe
from .._core.operands import array_argument, coerce_operands, on_transform_of
from .._core.operations import COMPLEX_OF, declare
from ._arguments import on_device

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

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
def bincount(x: AnyArray, /, weights: Any = None, minlength: int = 0) -> Array:
    """Return the number of occurrences of each integer, or the sum of its weights.

    Parameters
    ----------
    x
        Array of one dimension that holds booleans or non-negative integers.
    weights
        An array-like of real numbers, of the shape of ``x``.
    minlength
        The minimum length of the result.

    Returns
    -------
    Array
        The counts, of the default integer dtype, or the sums, of the default real floating-point dtype. The length is
        the larger of ``max(x) + 1`` and ``minlength``.

    Raises
    ------
    ValueError
        If an integer is negative, ``x`` does not have one dimension, the shapes differ, or ``minlength`` is negative.
    TypeError
        If ``x`` does not hold integers, or the weights are complex.

    Notes
    -----
    NumPy, ``bincount``. Weights are summed pairwise, which has smaller rounding errors than a sequential sum.
    """
    x, weights = coerce_operands("bincount", x, weights)
    x = on_transform_of(array_argument(x, "bincount"), weights)
    device = x._device
    if x.ndim != 1:
        raise ValueError(f"bincount() counts in an array of one dimension, not shape {x.shape}")
    if x.dtype.kind not in "biu":
        raise TypeError(f"bincount() counts integers, not dtype {x.dtype}; cast with xtensor.astype")
    if not 0 <= check_integer(minlength, "bincount", "minlength") <= LARGEST:
        raise ValueError(f"bincount(): minlength is 0 or more and at most {LARGEST}, not {minlength}")
    x = xp.astype(x, device.default_dtypes["integral"], copy=False)
    if weights is not None:
        weights = _check_weights(weights, x, device)
    if not x.size:
        return xp.zeros(minlength, dtype=x.dtype if weights is None else weights.dtype, device=device)
    counts: Array = call_if_implemented(
        BINCOUNT, device, x._native, None if weights is None else weights._native, minlength
    )
    if counts is not NotImplemented:
        return counts
    if weights is None:
        ordered = xp.sort(x, stable=False)
    else:
        order = xp.argsort(x)
        ordered, weights = xp.take(x, order), xp.take(weights, order)
    least, greatest = int(ordered[0]), int(ordered[-1])
    if least < 0:
        raise ValueError(f"bincount() counts integers that are 0 or more, not {least}")
    length = max(greatest + 1, minlength)
    if weights is None:
        bounds = xp.searchsorted(ordered, xp.arange(length + 1, dtype=x.dtype, device=device))
        return xp.astype(xp.diff(bounds), x.dtype, copy=False)
    distinct, sums = _sums_by_key(ordered, weights)
    bins = xp.arange(length, dtype=x.dtype, device=device)
    index = xp.minimum(xp.searchsorted(distinct, bins), distinct.shape[0] - 1)
    return xp.where(xp.take(distinct, index) == bins, xp.take(sums, index), 0.0)


@composed
def sums_at(values: Array, positions: Array, /, size: int) -> Array:
    """Return a vector of a size in which each value is added to the element at its position.

    Unlike the length of :func:`bincount`, the size is known, so that a device needs to read no position.
    """
    if kind_of(values.dtype) == "c":
        parts = [sums_at(part, positions, size) for part in (xp.real(values), xp.imag(values))]
        sums = apply(COMPLEX_OF, values.device, parts[0]._native, parts[1]._native)
        return xp.astype(sums, values.dtype, copy=False)
    if not values.device._library.has_values:
        return xp.zeros(size, dtype=values.dtype, device=values.device)  # no position is beyond the size
    return xp.astype(bincount(positions, weights=values, minlength=size), values.dtype)


def _check_weights(weights: Any, x: Array, device: Device) -> Array:
    """Return the weights as real floating-point numbers on a device."""
    given, weights = weights, on_device("bincount", weights, device)
    if weights.shape != x.shape:
        raise ValueError(
            f"bincount(): weights of shape {weights.shape} do not fit integers of shape {x.shape}; weights is an array "
            f"of the shape of x, not {describe(given)}"
        )
    if weights.dtype.kind == "c":
        raise TypeError(
            f"bincount(): weights are real numbers, not dtype {weights.dtype}; count with xtensor.real and xtensor.imag"
        )
    return xp.astype(weights, device.default_dtypes["real floating"], copy=False)


def _sums_by_key(keys: Array, values: Array) -> tuple[Array, Array]:
    """Return the distinct keys of a sorted array and the sum of the values of each.

    Each pass adds neighbouring pairs of the same key, so a key of n values takes about log2(n) passes.
    """
    while True:
        same = keys[1:] == keys[:-1]
        if not keys.size or not xp.any(same):
            return keys, values
        rank = xp.arange(keys.shape[0], device=keys.device) - xp.searchsorted(keys, keys)
        paired = xp.concat((same, xp.zeros(1, dtype=same.dtype, device=same.device)))
        following = xp.concat((values[1:], xp.zeros(1, dtype=values.dtype, device=values.device)))
        values = xp.where(paired, values + following, values)
        first_of_pair = rank % 2 == 0
        keys, values = keys[first_of_pair], values[first_of_pair]
