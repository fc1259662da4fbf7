"""Fourier transforms of large arrays: by kernels, or else SciPy's where it is installed, or NumPy's.

Kernels transform along axes whose lengths are products of small numbers; see :mod:`_fourier_axes`. Of other lengths,
SciPy's transforms take 0.4 to 1.05 of the time of NumPy's, and share those of several rows among threads. New memory
from the system costs up to 0.4 of a transform's time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from xtensor.backend import Native

from . import _fourier_axes
from ._memory import reusing
from ._sizes import MIN_SIZE_FOURIER, MIN_SIZE_TRANSFORMED
from ._threads import threads

__all__ = ["kernels"]

NAMES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn")

HALF_SPECTRUM = ("irfft", "irfftn", "hfft")
"""The transforms whose operands have half of the result's elements."""

REAL = "fd"
"""The dtypes that transforms of real numbers take in both libraries with the same result's dtype."""

COMPLEX = "fdFD"
"""The same for the other transforms."""


@cache
def _scipy() -> Any:
    """SciPy's module, imported at the first transform; None where it is missing."""
    try:
        import scipy.fft
    except ImportError:
        return None
    return scipy.fft


def _of_library(name: str) -> Callable[..., Native]:
    """Return the transform of SciPy or NumPy."""
    characters = REAL if name in ("rfft", "ihfft", "rfftn") else COMPLEX

    def transform(x: Native, **options: Any) -> Native:
        library = _scipy() if x.dtype.char in characters else None
        if library is None:
            return getattr(np.fft, name)(x, **options)
        return getattr(library, name)(x, workers=threads(), **options)

    return reusing(transform)


def _transform(name: str) -> Callable[..., Native]:
    of_library = _of_library(name)
    along = _fourier_axes.along_axes if name.endswith("n") else _fourier_axes.along_axis
    least = MIN_SIZE_TRANSFORMED // (2 if name in HALF_SPECTRUM else 1)

    def transform(x: Native, **options: Any) -> Native:
        if x.dtype.char in COMPLEX:
            transformed = along(name, x, **options)
            if transformed is not None:
                return transformed
        return NotImplemented if x.size < least else of_library(x, **options)

    return transform


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions for operands of many elements, by the names of the overlay's contract."""
    by_name: dict[str, Any] = {f"large.fft.{name}": partial(_transform(name)) for name in NAMES}
    for function in by_name.values():
        function.min_size = MIN_SIZE_FOURIER
    return by_name
