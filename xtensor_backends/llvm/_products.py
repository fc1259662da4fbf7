"""Products of matrices by NumPy's BLAS, in memory that results reuse.

NumPy returns the memory of a result to the system and faults it in anew, which for matrices of 256 rows takes half the
time of the product.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xtensor.backend import Native

from ._calls import empty
from ._sizes import BYTES_PRODUCT

__all__ = ["kernels"]


def _matmul(x1: Native, x2: Native, spare: Native | None) -> Native:
    if x1.__class__ is not np.ndarray or x2.__class__ is not np.ndarray or x1.ndim != 2 or x2.ndim != 2:
        return NotImplemented
    dtype = x1.dtype
    rows, columns = x1.shape[0], x2.shape[1]
    if x2.dtype is not dtype or dtype.char not in "fdFD" or rows * columns * dtype.itemsize < BYTES_PRODUCT:
        return NotImplemented
    if x1.shape[1] != x2.shape[0]:
        return NotImplemented  # NumPy raises
    return np.matmul(x1, x2, empty((rows, columns), dtype))


_matmul.min_size = BYTES_PRODUCT // 8  # type: ignore[attr-defined]


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions for operands of many elements, by the names of the overlay's contract."""
    return {"large.matmul": _matmul}
