"""Sliding windows, with NumPy's name and signature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import as_lengths, check_axes, check_flag
from .._core.compositions import composed
from .._core.operands import array_argument

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["sliding_window_view"]


def __dir__() -> list[str]:
    return __all__


@composed
def sliding_window_view(
    x: AnyArray,
    window_shape: int | tuple[int, ...],
    axis: int | tuple[int, ...] | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Array:
    """Return the sliding windows of an array, each shifted by one element from the previous one.

    Parameters
    ----------
    x
        Array of any dtype.
    window_shape
        The length of the windows along each of the axes.
    axis
        The axes along which the windows slide; None selects all of them.
    subok, writeable
        Accepted for compatibility with NumPy and ignored: the result is an Array, and writing to it does not change
        ``x``, but raises or changes a copy.

    Returns
    -------
    Array
        The windows. An axis of length ``N`` with windows of length ``W`` becomes an axis of length ``N - W + 1``; the
        axes of the windows come last. The result is a read-only view of NumPy's memory, as NumPy's function has it;
        on devices of other libraries, which may not support strides, it is a copy.

    Raises
    ------
    ValueError
        If ``window_shape`` and ``axis`` differ in length, or a window is negative or longer than its axis.

    Notes
    -----
    NumPy, ``lib.stride_tricks.sliding_window_view``.
    """
    x = array_argument(x, "sliding_window_view")
    device = x._device
    check_flag(subok, "sliding_window_view", "subok")
    check_flag(writeable, "sliding_window_view", "writeable")
    lengths = as_lengths(window_shape, "sliding_window_view")
    axes = tuple(range(x.ndim)) if axis is None else check_axes(axis, x.ndim, "sliding_window_view")
    if len(lengths) != len(axes):
        raise ValueError(
            f"sliding_window_view(): window_shape {lengths} does not fit {len(axes)} axes; give one for each"
        )
    for window, position in zip(lengths, axes, strict=True):
        if window < 0 or window > x.shape[position]:
            raise ValueError(
                f"sliding_window_view(): a window of length {window} does not fit axis {position} of shape {x.shape}"
            )
    for window, position in zip(lengths, axes, strict=True):
        count = x.shape[position] - window + 1
        starts = xp.arange(count, device=device)
        indices = xp.reshape(starts[:, None] + xp.arange(window, device=device)[None, :], (-1,))
        shape = (*x.shape[:position], count, window, *x.shape[position + 1 :])
        x = xp.moveaxis(xp.reshape(xp.take(x, indices, axis=position), shape), position + 1, -1)
    return x
