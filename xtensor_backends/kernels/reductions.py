"""Reductions that kernels compute, the operation that combines two values, and its identity element.

They follow from :data:`xtensor.backend.REDUCTIONS`: generators have no lists of names.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xtensor.backend import REDUCTIONS, Reduction

__all__ = ["KERNEL_REDUCTIONS", "accumulate_dtype", "combination", "identity_element"]

KERNEL_REDUCTIONS: dict[str, Reduction] = {name: item for name, item in REDUCTIONS.items() if not item.of_truth}
"""The reductions of programs. Those of truth values are programs with other steps before one of these."""


def combination(name: str) -> str:
    """Return the elementwise operation by which a reduction combines two values."""
    return KERNEL_REDUCTIONS[name].combine


def accumulate_dtype(dtype: Any) -> Any:
    """Return the dtype in which NumPy adds and multiplies: narrow integers in 64 bits."""
    if dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" else dtype


def identity_element(name: str, dtype: Any) -> float | int:
    """Return the identity element of the operation by which a reduction combines two values of a dtype.

    Of dtypes that NumPy does not have, all are floating-point dtypes.
    """
    combine = combination(name)
    if combine not in ("maximum", "minimum"):
        return getattr(np, combine).identity  # type: ignore[no-any-return]
    largest = combine == "maximum"
    if dtype.kind == "b":
        return int(not largest)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return int(limits.min if largest else limits.max)
    return -math.inf if largest else math.inf
