"""What a call costs as something else grows: arrays alive, dimensions, devices and backends registered.

Each row is a call beside the same call with nothing grown: the column of the raw library is xtensor's own then, so that
the ratio is what growth costs. It stays at 1 where nothing is looked through on the way of a call.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import xtensor as xp

from ._cases import Group, Limit, Variant
from ._libraries import Library, raw_library
from ._measure import Sampler, statement_sampler


@dataclass(frozen=True, slots=True)
class Grown:
    """A call while something is there: the first column without it, the second one with it.

    Attributes
    ----------
    name
        The statement, and what has grown.
    statement
        What is timed, of ``x``.
    first, last
        Make ``x`` and whatever must be kept while the call is timed, for the first column and the second.
    """

    name: str
    statement: str
    first: Callable[[], tuple[Any, Any]]
    last: Callable[[], tuple[Any, Any]]
    note: str = ""
    largest: int = sys.maxsize

    def samplers(
        self, libraries: tuple[Library, ...], variant: Variant | None
    ) -> tuple[dict[str, Sampler], dict[str, str]]:
        """The two samplers: the growth is made before a sample's clock starts, and dropped after it."""
        raw = raw_library(xp.default_device())
        return {raw: self._sampler(self.first), "xtensor": self._sampler(self.last)}, {}

    def _sampler(self, grow: Callable[[], tuple[Any, Any]]) -> Sampler:
        def sample(number: int) -> float:
            x, kept = grow()
            seconds = statement_sampler(self.statement, {"x": x, "xp": xp})(number)
            del kept
            return seconds

        return sample


def vector() -> xp.Array:
    return xp.asarray(np.ones(1))


def alone() -> tuple[Any, Any]:
    """Nothing but the operand."""
    return vector(), None


_alive: dict[int, list[xp.Array]] = {}


def among(count: int) -> Callable[[], tuple[Any, Any]]:
    """The operand beside so many other arrays, made once."""

    def grow() -> tuple[Any, Any]:
        if count not in _alive:
            _alive.clear()
            _alive[count] = [vector() for _ in range(count)]
        return vector(), _alive[count]

    return grow


def of_dimensions(ndim: int) -> Callable[[], tuple[Any, Any]]:
    """An operand of one element and so many dimensions."""
    return lambda: (xp.asarray(np.ones((1,) * ndim)), None)


CALLS = ("x + x", "xp.sum(x)", "xp.sqrt(x)", "x.device")


def grown(calls: Iterable[str]) -> Iterable[Grown]:
    """The rows: each call for each growth."""
    for call in calls:
        for ndim in (1, 8, 32):
            yield Grown(f"{call}, {ndim} dimensions", call, of_dimensions(0), of_dimensions(ndim))
        for count in (1_000, 1_000_000):
            yield Grown(f"{call}, {count:,} arrays alive", call, alone, among(count))


CASES = tuple(grown(CALLS))

GROUP = Group(
    title="what a call costs as dimensions and arrays alive grow",
    cases=CASES,
    peers=(),
    limits=tuple(Limit(case.name, None, 1.5) for case in CASES if case.statement == "x + x"),
    rounds=20,
    seconds=2.0,
    sweeps=1,
)
