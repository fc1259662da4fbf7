"""Fourier transforms of large arrays: SciPy's where it is installed, else NumPy's, in memory that is reused.

SciPy's take 0.4 to 1.05 of the time of NumPy's, and share those of several rows among threads. New memory from the
system costs up to 0.4 of a transform's time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from xtensor.backend import Native

from ._memory import reusing
from ._sizes import MIN_SIZE_TRANSFORMED
from ._threads import threads

__all__ = ["kernels"]

NAMES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn")

HALF_SPECTRUM = (".irfft", ".irfftn", ".hfft")
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


def _transform(name: str) -> Callable[..., Native]:
    characters = REAL if name in ("rfft", "ihfft", "rfftn") else COMPLEX

    def transform(x: Native, **options: Any) -> Native:
        library = _scipy() if x.dtype.char in characters else None
        if library is None:
            return getattr(np.fft, name)(x, **options)
        return getattr(library, name)(x, workers=threads(), **options)

    return transform


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions for operands of many elements, by the names of the overlay's contract."""
    by_name: dict[str, Any] = {f"large.fft.{name}": partial(reusing(_transform(name))) for name in NAMES}
    for name, function in by_name.items():
        function.min_size = MIN_SIZE_TRANSFORMED // (2 if name.endswith(HALF_SPECTRUM) else 1)
    return by_name
