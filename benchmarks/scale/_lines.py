"""Straight lines through counts, and tables of them in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Line", "fitted", "table"]

STRAIGHT = 0.05
"""Largest difference between a count and its line, as a share of the count, of what is called a straight line."""


@dataclass(frozen=True, slots=True)
class Line:
    """The straight line ``slope · chunks + intercept`` through counts.

    Attributes
    ----------
    residual
        Largest difference between a count and the line, as a share of the count.
    exponent
        Power of the growth from the smallest to the largest number of chunks: 1 for a line through the origin.
    """

    slope: float
    intercept: float
    residual: float
    exponent: float

    @property
    def is_straight(self) -> bool:
        return self.residual <= STRAIGHT


def fitted(chunks: Sequence[int], counts: Sequence[int]) -> Line:
    """Return the line with the least sum of squares of the differences relative to the counts."""
    x, y = np.asarray(chunks, float), np.asarray(counts, float)
    (slope, intercept), *_ = np.linalg.lstsq(np.stack([x / y, 1 / y], axis=1), np.ones(len(y)), rcond=None)
    residual = float(np.max(np.abs(slope * x + intercept - y) / y))
    exponent = float(np.log(y[-1] / y[0]) / np.log(x[-1] / x[0]))
    return Line(float(slope), float(intercept), residual, exponent)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, whose columns but the first are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(["| " + " | ".join(line) + " |" for line in lines])
