"""CuPy's Fourier transforms; the core gives every length and axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import DType, Native

__all__ = ["Fft"]


class Fft:
    """The functions of the namespace's ``fft``."""

    def __init__(self, cp: Any) -> None:
        self._cp = cp
        for name in ("fft", "ifft", "rfft", "irfft"):
            setattr(self, name, self._along_axis(name))
        # Not irfftn: cuFFT's transform of several axes leaves the result undefined where the spectrum is not Hermitian.
        for name in ("fftn", "ifftn", "rfftn"):
            setattr(self, name, _along_axes(getattr(cp.fft, name)))

    def _along_axis(self, name: str) -> Callable[..., Native]:
        transform = getattr(self._cp.fft, name)

        def function(x: Native, *, n: int, axis: int, norm: str) -> Native:
            if not x.size:
                return self._zeros(name, x, n, axis)
            return transform(x, n=n, axis=axis, norm=norm)

        return function

    def _zeros(self, name: str, x: Native, n: int, axis: int) -> Native:
        """Return the transform of an array without elements; it has elements if the transformed axis alone is empty."""
        length = n // 2 + 1 if name == "rfft" else n
        shape = (*x.shape[:axis], length, *x.shape[axis + 1 :])
        return self._cp.zeros(shape, dtype=_result_dtype(name, x.dtype))


def _along_axes(transform: Callable[..., Native]) -> Callable[..., Native]:
    """A transform over several distinct axes of an array with elements."""

    def function(x: Native, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
        if not x.size or not axes or len(set(axes)) != len(axes):
            return NotImplemented
        # CuPy ignores ``axes`` where ``s`` is a tuple equal to the shape; a list is never equal to it.
        return transform(x, s=list(s), axes=axes, norm=norm)

    return function


def _result_dtype(name: str, dtype: DType) -> DType:
    real = np.dtype(dtype.char.lower()) if dtype.kind in "fc" else np.dtype(np.float64)
    real = np.result_type(real, np.float32)
    return real if name == "irfft" else np.result_type(real, np.complex64)
