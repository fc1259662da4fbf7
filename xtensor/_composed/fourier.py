"""Compositions of Fourier transforms by the transform of complex numbers along one axis.

Lengths are 1 or more, axes are in ``[0, ndim)``.
"""

from __future__ import annotations

from typing import Any

from .._core.backend import Native
from .manipulation import along

__all__ = [
    "fftfreq",
    "fftn",
    "hfft",
    "ifft",
    "ifftn",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

REVERSED_NORM = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
"""The normalisation of a transform by which the conjugate's inverse is computed."""


# -- along one axis -------------------------------------------------------------------------------------------------


def ifft(xp: Any, x: Native, *, n: int, axis: int, norm: str) -> Native:
    return xp.conj(xp.fft.fft(xp.conj(x), n=n, axis=axis, norm=REVERSED_NORM[norm]))


def rfft(xp: Any, x: Native, *, n: int, axis: int, norm: str) -> Native:
    return xp.fft.fft(x, n=n, axis=axis, norm=norm)[along(axis, slice(None, n // 2 + 1))]


def ihfft(xp: Any, x: Native, *, n: int, axis: int, norm: str) -> Native:
    return xp.conj(xp.fft.rfft(x, n=n, axis=axis, norm=REVERSED_NORM[norm]))


def hfft(xp: Any, x: Native, *, n: int, axis: int, norm: str) -> Native:
    return xp.fft.irfft(xp.conj(x), n=n, axis=axis, norm=REVERSED_NORM[norm])


def irfft(xp: Any, x: Native, *, n: int, axis: int, norm: str) -> Native:
    """By the whole spectrum, whose second half holds the conjugates of the first."""
    half = n // 2 + 1
    x = x[along(axis, slice(None, half))]
    missing = half - x.shape[axis]
    if missing:
        shape = tuple(missing if position == axis else length for position, length in enumerate(x.shape))
        x = xp.concat([x, xp.zeros(shape, dtype=x.dtype)], axis=axis)
    mirrored = xp.conj(xp.flip(x[along(axis, slice(1, (n + 1) // 2))], axis=(axis,)))
    return xp.real(xp.fft.ifft(xp.concat([x, mirrored], axis=axis), n=n, axis=axis, norm=norm))


# -- along several axes ---------------------------------------------------------------------------------------------


def _along_each(transform: Any, x: Native, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
    for n, axis in reversed(list(zip(s, axes, strict=True))):
        x = transform(x, n=n, axis=axis, norm=norm)
    return x


def fftn(xp: Any, x: Native, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
    return _along_each(xp.fft.fft, x, s, axes, norm) if axes else xp.astype(x, x.dtype, copy=True)


def ifftn(xp: Any, x: Native, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
    return _along_each(xp.fft.ifft, x, s, axes, norm) if axes else xp.astype(x, x.dtype, copy=True)


def rfftn(xp: Any, x: Native, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
    x = xp.fft.rfft(x, n=s[-1], axis=axes[-1], norm=norm)
    return _along_each(xp.fft.fft, x, s[:-1], axes[:-1], norm)


def irfftn(xp: Any, x: Native, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
    x = _along_each(xp.fft.ifft, x, s[:-1], axes[:-1], norm)
    return xp.fft.irfft(x, n=s[-1], axis=axes[-1], norm=norm)


# -- frequencies ----------------------------------------------------------------------------------------------------


def fftfreq(xp: Any, n: int, *, d: float) -> Native:
    positive = xp.arange(0, (n + 1) // 2, 1, dtype=xp.default_integer)
    negative = xp.arange(-(n // 2), 0, 1, dtype=xp.default_integer)
    index = xp.astype(xp.concat([positive, negative], axis=0), xp.default_float)
    return xp.divide(index, n * d)


def rfftfreq(xp: Any, n: int, *, d: float) -> Native:
    index = xp.arange(0, n // 2 + 1, 1, dtype=xp.default_integer)
    return xp.divide(xp.astype(index, xp.default_float), n * d)
