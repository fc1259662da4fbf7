"""Sliding windows, in NumPy's name and signature."""

from __future__ import annotations

from .. import _standard as xp
from .._core.array import Array
from .._core.checks import as_lengths, check_axes, check_flag
from .._core.dispatch import composed, device_of

__all__ = ["sliding_window_view"]


@composed
def sliding_window_view(
    x: Array,
    window_shape: int | tuple[int, ...],
    axis: int | tuple[int, ...] | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Array:
    """The windows of an array, each one element on from the one before.

    Parameters
    ----------
    x
        Array of any dtype.
    window_shape
        The length of the windows along each of the axes.
    axis
        The axes the windows slide along; None means all of them.
    subok, writeable
        Taken for NumPy's sake: the result is an Array, and writing to it does not change ``x``.

    Returns
    -------
    Array
        Of the shape of ``x``, shorter by the window's length less 1 along each axis, and then that of the window. Not
        a view, but a copy, as no device need have strides.

    Raises
    ------
    ValueError
        If there are not as many lengths as axes, or a window is longer than its axis or negative.

    Notes
    -----
    NumPy, ``lib.stride_tricks.sliding_window_view``.
    """
    device = device_of(x, "sliding_window_view")
    check_flag(subok, "sliding_window_view", "subok")
    check_flag(writeable, "sliding_window_view", "writeable")
    lengths = as_lengths(window_shape, "sliding_window_view")
    axes = tuple(range(x.ndim)) if axis is None else check_axes(axis, x.ndim, "sliding_window_view")
    if len(lengths) != len(axes):
        raise ValueError(f"sliding_window_view(): windows of shape {lengths} do not slide along {len(axes)} axes")
    for window, along in zip(lengths, axes, strict=True):
        count = x.shape[along] - window + 1
        if window < 0 or count < 1:
            raise ValueError(
                f"sliding_window_view(): a window of length {window} does not fit axis {along} of shape {x.shape}"
            )
        starts = xp.arange(count, device=device)
        positions = xp.reshape(starts[:, None] + xp.arange(window, device=device)[None, :], (-1,))
        taken = xp.take(x, positions, axis=along)
        shape = (*x.shape[:along], count, window, *x.shape[along + 1 :])
        x = xp.moveaxis(xp.reshape(taken, shape), along + 1, -1)
    return x
