"""CuPy's Fourier transforms; the core gives every length and axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import DType, Native

__all__ = ["Fft"]


class Fft:
    """The chapter ``fft``."""

    def __init__(self, cp: Any) -> None:
        self._cp = cp
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
            setattr(self, name, self._along_axis(name))
        for name in ("fftn", "ifftn", "rfftn", "irfftn"):
            setattr(self, name, self._along_axes(name))

    def fftfreq(self, n: int, *, d: float) -> Native:
        return self._cp.fft.fftfreq(n, d=d)

    def rfftfreq(self, n: int, *, d: float) -> Native:
        return self._cp.fft.rfftfreq(n, d=d)

    def fftshift(self, x: Native, *, axes: tuple[int, ...]) -> Native:
        return self._cp.fft.fftshift(x, axes=axes)

    def ifftshift(self, x: Native, *, axes: tuple[int, ...]) -> Native:
        return self._cp.fft.ifftshift(x, axes=axes)

    def _along_axis(self, name: str) -> Callable[..., Native]:
        transform = getattr(self._cp.fft, name)

        def function(x: Native, *, n: int, axis: int, norm: str) -> Native:
            if not x.size:
                return self._of_nothing(name, x, (n,), (axis,))
            return transform(x, n=n, axis=axis, norm=norm)

        return function

    def _along_axes(self, name: str) -> Callable[..., Native]:
        transform = getattr(self._cp.fft, name)

        def function(x: Native, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
            if not axes:
                return x.astype(_result_dtype(name, x.dtype), copy=True)
            if not x.size:
                return self._of_nothing(name, x, s, axes)
            if len(set(axes)) != len(axes):
                return self._one_after_another(name, x, s, axes, norm)
            # A list: CuPy takes a tuple equal to the shape for nothing to do, whatever axes its lengths belong to.
            return transform(x, s=list(s), axes=axes, norm=norm)

        return function

    def _one_after_another(self, name: str, x: Native, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
        """A transform that goes along one axis twice; that of real numbers is along the last axis."""
        cp = self._cp
        inverse = name.startswith("i")
        of_complex = cp.fft.ifft if inverse else cp.fft.fft
        if name == "rfftn":
            x = cp.fft.rfft(x, n=s[-1], axis=axes[-1], norm=norm)
        last = None if name in ("fftn", "ifftn") else -1
        for n, axis in reversed(list(zip(s[:last], axes[:last], strict=True))):
            x = of_complex(x, n=n, axis=axis, norm=norm)
        return cp.fft.irfft(x, n=s[-1], axis=axes[-1], norm=norm) if name == "irfftn" else x

    def _of_nothing(self, name: str, x: Native, s: tuple[int, ...], axes: tuple[int, ...]) -> Native:
        """What comes of an array without elements: none, or zeros where a transformed axis alone was empty."""
        shape = list(x.shape)
        for n, axis in zip(s, axes, strict=True):
            shape[axis] = n
        if name in ("rfft", "rfftn", "ihfft"):
            shape[axes[-1]] = s[-1] // 2 + 1
        return self._cp.zeros(tuple(shape), dtype=_result_dtype(name, x.dtype))


def _result_dtype(name: str, dtype: DType) -> DType:
    real = np.dtype(dtype.char.lower()) if dtype.kind in "fc" else np.dtype(np.float64)
    real = np.result_type(real, np.float32)
    return real if name in ("irfft", "irfftn", "hfft") else np.result_type(real, np.complex64)
