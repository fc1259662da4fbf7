"""Jobs whose peak of memory is measured: ``python estimate_jobs.py JOB`` prints the estimated and the measured bytes.

The high-water mark of the process's memory is set back before the job (Linux, ``/proc/self/clear_refs``).
"""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path
from typing import Any

import xtensor as xp


def principal_components(x: xp.Array) -> Any:
    """Scores of the ten largest components, by the eigenvectors of the covariance matrix."""
    centered = x - xp.mean(x, axis=0)
    covariance = centered.T @ centered / (x.shape[0] - 1)
    values, vectors = xp.linalg.eigh(covariance)
    return centered @ vectors[:, -10:], values


def products(a: xp.Array, b: xp.Array, c: xp.Array, d: xp.Array) -> xp.Array:
    return a @ b @ c @ d


def convolution(x: xp.Array, kernel: xp.Array) -> xp.Array:
    """Circular convolution by the Fourier transform."""
    axes = (0, 1)
    product = xp.fft.rfftn(x) * xp.fft.rfftn(kernel, s=x.shape, axes=axes)
    return xp.fft.irfftn(product, s=x.shape, axes=axes)


def attention(query: xp.Array, key: xp.Array, value: xp.Array) -> xp.Array:
    return xp.nn.functional.scaled_dot_product_attention(query, key, value)


JOBS = {
    "principal components": (principal_components, [(150_000, 200)]),
    "principal components of many features": (principal_components, [(2_000, 2_000)]),
    "products of matrices": (products, [(2_500, 2_500)] * 4),
    "convolution": (convolution, [(4_000, 4_000), (31, 31)]),
    "variance": (xp.var, [(4_000, 4_000)]),
    "order": (lambda x: xp.argsort(x, axis=1), [(3_000, 4_000)]),
    "inverse": (xp.linalg.inv, [(2_500, 2_500)]),
    "attention": (attention, [(1, 8, 2_000, 64)] * 3),
}


def memory(name: str) -> int:
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def main(job: str) -> None:
    function, shapes = JOBS[job]
    numbers = xp.random.default_rng(0)
    arguments = [numbers.normal(size=shape) for shape in shapes]
    function(
        *arguments
    )  # imports, compiles, starts threads, and fills BLAS's buffers, whose size depends on the shapes
    estimated = xp.estimate(function, *arguments).peak_bytes
    xp.default_device().release_memory()
    ctypes.CDLL(None).malloc_trim(0)  # freed memory that the C library keeps would hide new arrays
    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    results = function(*arguments)
    peak = memory("VmHWM") - before + sum(x.nbytes for x in arguments)
    del results
    print(estimated, peak)


if __name__ == "__main__":
    with xp.use_device(sys.argv[2] if len(sys.argv) > 2 else "cpu"):
        main(sys.argv[1])
