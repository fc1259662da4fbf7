"""Discrete Fourier transforms (Array API standard 2025.12, "Fourier Transform Extension").

Each module holds one subject: transforms along one axis, over several axes and over two axes, and the order and
frequencies of the elements of a spectrum.
"""

from __future__ import annotations

from .._core.boundary import publish as _publish
from ._along_axes import fftn, ifftn, irfftn, rfftn
from ._along_axis import fft, hfft, ifft, ihfft, irfft, rfft
from ._along_two_axes import fft2, ifft2, irfft2, rfft2
from ._checks import Norm as Norm
from ._frequencies import fftfreq, fftshift, ifftshift, rfftfreq

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def __dir__() -> list[str]:
    return sorted(__all__)


_publish(globals(), __all__)
