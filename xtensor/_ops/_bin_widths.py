"""Widths of the bins of histograms, estimated from the data by the rules that NumPy names.

The number of bins is the shape of a result, so each rule reads some numbers on the host.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.fp_warnings import rewarn
from . import _casts
from .quantiles import quantile

__all__ = ["ESTIMATORS", "number_of_bins"]

Edges = Callable[[int], Any]
"""The edges of a number of bins of equal width, as a NumPy array."""

BLOCK = 1 << 22
"""The largest number of edges in memory at once."""


def number_of_bins(a: Array, rule: str, first: Any, last: Any, edges: Edges) -> int:
    """Return the number of bins between two edges, 1 at least; ``a`` lies between them."""
    if not a.size:
        return 1
    width = ESTIMATORS[rule](a, edges)
    if a.dtype.kind in "iu" and 0 < width < 1:
        width = 1.0  # narrower bins of integers would be empty
    with np.errstate(over="ignore"):  # an infinite number of bins is an error of math.ceil
        return math.ceil((last - first) / width) if width else 1


def _range(a: Array) -> float:
    """Return the difference of the largest and the smallest element."""
    largest: Any = xp.max(a).item()
    return float(largest - xp.min(a).item())


def _std(a: Array) -> float:
    return float(xp.std(_casts.floating(a)))


def _auto(a: Array, edges: Edges) -> float:
    """Return the smaller width of Freedman and Diaconis and of Sturges, the former at least half of Sqrt's."""
    return min(max(_freedman_diaconis(a, edges), _sqrt(a, edges) / 2), _sturges(a, edges))


def _doane(a: Array, edges: Edges) -> float:
    """Return Sturges's width, corrected for the skewness."""
    n = a.size
    sigma = _std(a) if n > 2 else 0.0
    if not sigma > 0.0:
        return 0.0
    x = _casts.floating(a)
    skewness = float(xp.mean(((x - xp.mean(x)) / sigma) ** 3))
    error = math.sqrt(6.0 * (n - 2) / ((n + 1.0) * (n + 3)))
    return _range(a) / (1.0 + math.log2(n) + math.log2(1.0 + abs(skewness) / error))


def _freedman_diaconis(a: Array, edges: Edges) -> float:
    """Return a width proportional to the interquartile range."""
    upper, lower = (float(x) for x in quantile(a, [0.75, 0.25]))
    return 2.0 * (upper - lower) * float(a.size ** (-1.0 / 3.0))


def _rice(a: Array, edges: Edges) -> float:
    return _range(a) / (2.0 * float(a.size ** (1.0 / 3)))


def _scott(a: Array, edges: Edges) -> float:
    """Return a width proportional to the standard deviation."""
    return float((24.0 * math.pi**0.5 / a.size) ** (1.0 / 3.0)) * _std(a)


def _sqrt(a: Array, edges: Edges) -> float:
    return _range(a) / math.sqrt(a.size)


def _stone(a: Array, edges: Edges) -> float:
    """Return the width that minimises the estimated loss of the histogram, by cross-validation."""
    n, extent = a.size, _range(a)
    if n <= 1 or not extent:
        return 0.0
    most = max(100, math.isqrt(n))
    ordered = xp.sort(_casts.floating(a), stable=False)
    rows = max(1, BLOCK // (most + 1))
    losses = xp.concat(
        [_losses(ordered, edges, first, min(first + rows, most + 1)) for first in range(1, most + 1, rows)]
    )
    bins = int(xp.argmin(losses)) + 1
    if bins == most:
        rewarn(RuntimeWarning("The number of bins estimated may be suboptimal."))
    return extent / bins


def _losses(ordered: Array, edges: Edges, start: int, stop: int) -> Array:
    """Return the estimated losses of histograms of ``start`` to ``stop - 1`` bins, up to a factor."""
    numbers = range(start, stop)
    # Each row has the edges of one histogram. The last edge fills the row, so that the bins between are empty.
    table = np.stack([np.pad(edges(bins), (0, stop - 1 - bins), mode="edge") for bins in numbers])
    grid = xp.asarray(table, device=ordered.device)
    ordered, grid = _casts.promoted(ordered, grid)
    reached = xp.searchsorted(ordered, grid)
    # The last bin contains its right edge, where no element is greater.
    reached = xp.where(grid == grid[:, -1:], ordered.shape[0], reached)
    real = ordered.device.default_dtypes["real floating"]
    shares = xp.astype(reached[:, 1:] - reached[:, :-1], real) / ordered.shape[0]
    heights = xp.asarray([float(bins) for bins in numbers], dtype=real, device=ordered.device)
    return (2 - (ordered.shape[0] + 1) * xp.sum(shares * shares, axis=1)) * heights


def _sturges(a: Array, edges: Edges) -> float:
    return _range(a) / (math.log2(a.size) + 1.0)


ESTIMATORS: dict[str, Callable[[Array, Edges], float]] = {
    "stone": _stone,
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": _rice,
    "scott": _scott,
    "sqrt": _sqrt,
    "sturges": _sturges,
}
"""The rules by NumPy's names; 0 means one bin."""
