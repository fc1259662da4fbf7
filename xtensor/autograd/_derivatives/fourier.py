"""Derivatives of the discrete Fourier transforms, which are linear. The others are composed of these."""

from __future__ import annotations

from typing import Any, Literal

from ... import _ops as xp
from ... import fft
from ..._core.array import Array
from .._table import pullback

Norm = Literal["backward", "ortho", "forward"]

OPPOSITE: dict[Norm, Norm] = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def resized(x: Array, length: int, axis: int) -> Array:
    """Return an Array whose axis is cut, or filled with zeros, to a length."""
    before = (slice(None),) * (axis % x.ndim)
    if x.shape[axis] >= length:
        return x[(*before, slice(length), ...)]
    shape = list(x.shape)
    shape[axis] = length - x.shape[axis]
    return xp.concat([x, xp.zeros(tuple(shape), dtype=x.dtype, device=x.device)], axis=axis)


# The matrices of these transforms are symmetric.


@pullback("fft.fft", linear=True)
def _fft(g: Array, out: Any, x: Any, *, n: int, axis: int, norm: Norm) -> Array:
    return resized(fft.fft(g, n=n, axis=axis, norm=norm), x.shape[axis], axis)


@pullback("fft.ifft", linear=True)
def _ifft(g: Array, out: Any, x: Any, *, n: int, axis: int, norm: Norm) -> Array:
    return resized(fft.ifft(g, n=n, axis=axis, norm=norm), x.shape[axis], axis)


@pullback("fft.rfft", linear=True)
def _rfft(g: Array, out: Any, x: Any, *, n: int, axis: int, norm: Norm) -> Array:
    return resized(xp.real(fft.fft(g, n=n, axis=axis, norm=norm)), x.shape[axis], axis)


@pullback("fft.irfft", linear=True)
def _irfft(g: Array, out: Any, x: Any, *, n: int, axis: int, norm: Norm) -> Array:
    half = xp.conj(fft.rfft(g, axis=axis, norm=OPPOSITE[norm]))
    # All frequencies but 0 and, for an even length, the last stand for two of the complete transform.
    position = xp.arange(half.shape[axis], device=g.device)
    single = (position == 0) | (2 * position == n)
    weights = 2 - xp.astype(single, g.dtype)
    shape = [1] * g.ndim
    shape[axis] = -1
    return resized(half * xp.reshape(weights, tuple(shape)), x.shape[axis], axis)
