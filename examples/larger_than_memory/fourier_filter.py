"""Smooth an image that is larger than memory, by a filter in the two-dimensional Fourier transform.

    python -m pip install ".[dask]"
    python examples/larger_than_memory/fourier_filter.py --megabytes 1000 --workers 2

The image is one array in chunks of rows. Its transform along rows works in these chunks, the transform along columns
in chunks of columns; dask moves the elements between the processes.
"""

from __future__ import annotations

import math
from pathlib import Path

from _store import normal, parsed, prepared

import xtensor as xp
from xtensor import engines

WIDTH = 4.0
"""Standard deviation of the filter in elements."""


def smoothed(image: xp.Array) -> xp.Array:
    r"""Return the image's convolution with a Gaussian, by the product :math:`\hat x\,e^{-2 \pi^2 \sigma^2 |f|^2}`."""
    rows = xp.fft.fftfreq(image.shape[0], device=image.device)
    columns = xp.fft.rfftfreq(image.shape[1], device=image.device)
    response = xp.exp(-2 * (math.pi * WIDTH) ** 2 * (rows[:, None] ** 2 + columns**2))
    return xp.fft.irfftn(xp.fft.rfftn(image) * response, s=image.shape, axes=(0, 1))


def job(x: xp.Array) -> dict[str, xp.Array]:
    """Return the variance of the smoothed image, and every hundredth element along both axes."""
    found = smoothed(x)
    variance, sample = engines.compute(xp.var(found), found[::100, ::100])
    return {"variance": variance, "sample": sample}


def data(folder: Path, megabytes: float) -> xp.Array:
    """Return a square image, whose side is a product of small prime numbers, from a store in the folder."""
    side = max(1, round(math.sqrt(megabytes * 1e6 / 8) / 120)) * 120
    return normal(folder, 8 * side * side / 1e6, side)


def main(argv: list[str] | None = None) -> None:
    """Smooth an image, and print what is left of the noise."""
    options = parsed(__doc__, argv)
    with prepared(options) as folder:
        x = data(folder, options.megabytes)
        found = job(x)
        print(f"{x!r}\nvariance after smoothing: {float(found['variance']):.6f}")


if __name__ == "__main__":
    main()
