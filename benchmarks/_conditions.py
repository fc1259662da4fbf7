"""Conditions that a whole run should meet: shares of rows, geometric means and growth with size.

A condition is computed from the rows of a run's document, which are plain values. Its result is stored with the run.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

__all__ = ["Condition", "ahead_of", "chains", "growth", "no_slower"]

Row: TypeAlias = dict[str, Any]

Finding: TypeAlias = dict[str, Any]
"""The text of a condition, what was measured, whether it is met (None without a row), and the rows that miss it."""

Condition: TypeAlias = Callable[[Sequence[Row]], Finding]


def no_slower(label: str, than: str, limit: float, largest: int) -> Condition:
    """Make a condition: no row up to a size takes more than a multiple of a library's time."""
    text = f"{label} up to {largest:,} elements no row takes more than {limit:g} times {than}'s time"

    def condition(rows: Sequence[Row]) -> Finding:
        ratios = _ratios(rows, "xtensor", than, lambda row: row["size"] <= largest)
        misses = [f"{name} {ratio:.2f}" for name, ratio in ratios if ratio > limit]
        return _finding(text, _summary(ratios), misses, not misses if ratios else None)

    return condition


def ahead_of(
    label: str,
    peer: str,
    smallest: int,
    share: float,
    *,
    limit: float | None = None,
    speed: float | None = None,
    excluded: Collection[str] = (),
) -> Condition:
    """Make a condition: from a size, a share of rows is faster than a library's.

    Parameters
    ----------
    label
        The condition's letter.
    peer, smallest, share
        The library, the number of elements, and the least share of rows.
    limit
        Largest ratio of times of any row.
    speed
        Least geometric mean of the peer's time over xtensor's.
    excluded
        Names of cases that do not count.
    """
    parts = [f"{label} from {smallest:,} elements {share:.0%} of rows are faster than {peer}'s"]
    parts += [] if limit is None else [f"none takes more than {limit:g} times its time"]
    parts += [] if speed is None else [f"the geometric mean is {speed:g} times as fast"]

    def condition(rows: Sequence[Row]) -> Finding:
        def counts(row: Row) -> bool:
            return row["size"] >= smallest and row["case"] not in excluded

        ratios = _ratios(rows, "xtensor", peer, counts)
        misses = [f"{name} {ratio:.2f}" for name, ratio in ratios if ratio >= 1]
        met = None
        if ratios:
            values = [ratio for _, ratio in ratios]
            met = 1 - len(misses) / len(values) >= share
            met = met and (limit is None or max(values) <= limit)
            met = met and (speed is None or 1 / statistics.geometric_mean(values) >= speed)
        return _finding(", ".join(parts), _summary(ratios), misses, met)

    return condition


def chains(label: str, names: Collection[str], sizes: Sequence[int], speed: float, peers: Sequence[str]) -> Condition:
    """Make a condition: each row of some cases is a number of times as fast as NumPy, and level with the peers."""
    at = " and ".join(f"{size:,}" for size in sizes)
    text = f"{label} fused chains at {at} elements are {speed:g} times as fast as numpy"
    text += f", and level with or ahead of {' and '.join(peers)} in the geometric mean"

    def condition(rows: Sequence[Row]) -> Finding:
        def counts(row: Row) -> bool:
            return row["size"] in sizes and row["case"] in names

        ratios = _ratios(rows, "xtensor", "numpy", counts)
        misses = [f"{name} {ratio:.2f}" for name, ratio in ratios if ratio > 1 / speed]
        measured = [f"numpy: {_summary(ratios)}"]
        met = not misses if ratios else None
        for peer in peers:
            compared = _ratios(rows, "xtensor", peer, counts)
            measured.append(f"{peer}: {_summary(compared)}")
            if compared and met is not None:
                met = met and statistics.geometric_mean(ratio for _, ratio in compared) <= 1
        return _finding(text, "; ".join(measured), misses, met)

    return condition


def growth(label: str, smallest: int, factor: float) -> Condition:
    """Make a condition: the time of an element grows by no more than a factor from one measured size to the next."""
    text = f"{label} from {smallest:,} elements the time of an element grows by no more than {factor:g}"
    text += " times from one size to the next"

    def condition(rows: Sequence[Row]) -> Finding:
        steps = []
        for case, dtype in dict.fromkeys((row["case"], row["dtype"]) for row in rows):
            measured = sorted(
                (row["size"], _per_element(row, "xtensor"), _per_element(row, "numpy"))
                for row in rows
                if (row["case"], row["dtype"]) == (case, dtype)
                and row["size"] >= smallest
                and {"xtensor", "numpy"} <= set(row["libraries"])
            )
            for (size, time, numpys), (larger, next_time, next_numpys) in pairwise(measured):
                name = f"`{case}` {dtype} {size:,} to {larger:,}"
                steps.append((name, next_time / time, next_numpys / numpys))
        misses = [f"{name} {step:.2f} (numpy {numpys:.2f})" for name, step, numpys in steps if step > factor]
        largest = max((step for _, step, _ in steps), default=None)
        return _finding(
            text,
            "no rows" if largest is None else f"{len(steps)} steps, the largest {largest:.2f}",
            misses,
            not misses if steps else None,
        )

    return condition


def _per_element(row: Row, library: str) -> float:
    best: float = row["libraries"][library]["best"]
    return best / float(row["size"])


def _ratios(rows: Iterable[Row], library: str, baseline: str, counts: Callable[[Row], bool]) -> list[tuple[str, float]]:
    """Return the ratio of two libraries' times in each row that counts, with the name of the row, largest first."""
    found = [
        (f"`{row['case']}` {row['dtype']} {row['size']:,}", times[library]["best"] / times[baseline]["best"])
        for row in rows
        if library in (times := row["libraries"]) and baseline in times and counts(row)
    ]
    return sorted(found, key=lambda item: -item[1])


def _summary(ratios: Sequence[tuple[str, float]]) -> str:
    if not ratios:
        return "no rows"
    values = [ratio for _, ratio in ratios]
    share = sum(value < 1 for value in values) / len(values)
    mean = statistics.geometric_mean(values)
    return f"{len(values)} rows, {share:.0%} faster, ratio {mean:.2f} in the geometric mean, {max(values):.2f} at most"


def _finding(text: str, measured: str, misses: list[str], met: bool | None) -> Finding:
    return {"condition": text, "measured": measured, "met": met, "misses": misses}
