"""Distinct values of CuPy's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from xtensor.backend import Native

from ._kernels import Kernels

__all__ = ["unique"]


def unique(cp: Any, kernels: Kernels, x: Native, **returned: bool) -> tuple[Native, ...]:
    """Return ``cp.unique``'s results: the distinct values, and what is asked for; a NaN is equal to none."""
    if not x.size:
        shapes = {"return_index": (0,), "return_inverse": x.shape, "return_counts": (0,)}
        extra = (cp.empty(shapes[name], dtype=np.int64) for name in returned)
        return (cp.empty((0,), dtype=x.dtype), *extra)
    if x.dtype.kind == "f":
        return _unique_numbers(cp, kernels, x, **returned)
    result = cp.unique(x, equal_nan=False, **returned)
    return result if isinstance(result, tuple) else (result,)


def _unique_numbers(cp: Any, kernels: Kernels, x: Native, **returned: bool) -> tuple[Native, ...]:
    """``cp.unique`` of floats, which it sorts by the sign of NaN and compares after flushing, on integer keys."""
    flat = x.reshape(-1)
    keys = kernels.keys(flat, nan=1)
    order = cp.argsort(keys)
    keys = keys[order]
    first = cp.empty(keys.shape, dtype=np.bool_)
    first[:1] = True
    first[1:] = (keys[1:] != keys[:-1]) | (keys[1:] == np.iinfo(keys.dtype).max)  # a NaN is equal to none
    starts = cp.nonzero(first)[0]
    outcome = [flat[order[starts]]]
    if "return_index" in returned:
        outcome.append(order[starts])
    if "return_inverse" in returned:
        inverse = cp.empty(keys.shape, dtype=np.int64)
        inverse[order] = cp.cumsum(first, axis=0, dtype=np.dtype(np.int64)) - 1
        outcome.append(inverse.reshape(x.shape))
    if "return_counts" in returned:
        ends = cp.empty(starts.shape, dtype=np.int64)
        ends[:-1], ends[-1:] = starts[1:], keys.size
        outcome.append(ends - starts)
    return tuple(outcome)
