"""Discrete convolution, in NumPy's name and signature."""

from __future__ import annotations

from typing import Literal

from .. import _standard as xp
from .._core.array import Array, attempt, wrap
from .._core.checks import check_word
from .._core.dispatch import common_device, composed, device_of, native_operand
from .._core.dtypes import result_type
from .._core.operations import declare

__all__ = ["convolve"]


CONVOLVE = declare(
    "convolve", "signal", operands=2, accepts="numeric", shape="argument", numpy="convolve", primitive=False
)

BLOCK = 1 << 22
"""The number of products of a convolution in memory at once: 32 MiB of float64."""


@composed
def convolve(a: Array, v: Array, mode: Literal["full", "same", "valid"] = "full") -> Array:
    r"""The discrete convolution, :math:`c_n = \sum_m a_m v_{n - m}`, of two sequences.

    Parameters
    ----------
    a, v
        Arrays of one dimension and at least one element; 0-d ones count as one element.
    mode
        ``"full"``: every overlap, ``N + M - 1`` elements. ``"same"``: the middle ``max(N, M)`` of them. ``"valid"``:
        the ``max(N, M) - min(N, M) + 1`` of complete overlap.

    Returns
    -------
    Array
        Of the promoted dtype.

    Raises
    ------
    ValueError
        If an array is empty or has more dimensions, or there is no such mode.

    Notes
    -----
    NumPy, ``convolve``: by the sum itself, so that integers are exact and a NaN reaches only what it is part of. For
    long sequences of floating-point numbers a product of Fourier transforms is faster.
    """
    for x in (a, v):
        device_of(x, "convolve")
    device = common_device((a, v)) or a._device
    check_word(mode, ("full", "same", "valid"), "convolve", "mode")
    for x in (a, v):
        if x.ndim > 1 or not x.size:
            raise ValueError(f"convolve() takes arrays of one dimension and at least one element, not shape {x.shape}")
    dtype = result_type(a.dtype, v.dtype)
    wanted = device.default_dtypes["integral"] if dtype.kind == "b" else dtype
    a, v = (wrap(native_operand(x, device, "convolve"), device) for x in (a, v))
    a, v = (xp.astype(xp.reshape(x, (-1,)), wanted, copy=False) for x in (a, v))
    if a.shape[0] < v.shape[0]:
        a, v = v, a
    longer, shorter = a.shape[0], v.shape[0]
    full = _convolved(a, v) if dtype.kind != "b" else xp.astype(_convolved(a, v) > 0, dtype)
    if mode == "full":
        return full
    if mode == "same":
        start = (shorter - 1) // 2
        return full[start : start + longer]
    return full[shorter - 1 : longer]


def _convolved(a: Array, v: Array) -> Array:
    """The full convolution: the device's own, or rows of products, each moved on by one, summed over blocks of rows."""
    n, m, device = a.shape[0], v.shape[0], a._device
    direct = attempt(CONVOLVE, device, a._native, v._native)
    if direct is not NotImplemented:
        return direct  # type: ignore[no-any-return]
    result = xp.zeros(n + m - 1, dtype=a.dtype, device=device)
    start = 0
    while start < m:
        rows = max(1, min(m - start, BLOCK // (n + m)))
        products = v[start : start + rows, None] * a[None, :]
        margin = xp.zeros((rows, rows), dtype=a.dtype, device=device)
        # With rows longer by one than they are read, each row begins one element later than the one before.
        moved = xp.reshape(xp.concat((products, margin), axis=1), (-1,))[: rows * (n + rows - 1)]
        summed = xp.sum(xp.reshape(moved, (rows, n + rows - 1)), axis=0, dtype=a.dtype)
        result[start : start + n + rows - 1] = result[start : start + n + rows - 1] + summed
        start += rows
    return result
