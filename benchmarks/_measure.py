"""The one way everything here is timed.

Requirements: a ratio of two libraries must not move with the load of the machine. So all libraries of a case are
sampled in turn, round by round, in one process, and a run comes back to each case several times; the best of many short
samples is what a call costs when nothing interferes, and the median and the quartiles say how much did. A call of 50 ns
is told from one of 60 ns: the loop is compiled with the statement in it, without a function call for each turn.

``timeit.Timer`` is the well-kept mechanism that does this (it also switches the garbage collector off). pyperf and
pytest-benchmark finish one benchmark before they begin the next, minutes and a change of clock frequency apart, and
cannot take turns. What pyperf is good at, the analysis of samples, it does with ours: :mod:`benchmarks._pyperf`.
"""

from __future__ import annotations

import statistics
import time
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["FEWEST", "Sampler", "Timing", "calibrate", "measure", "statement_sampler"]

Sampler: TypeAlias = Callable[[int], float]
"""Makes a number of calls, and gives the seconds that all of them took."""

FEWEST = 2
"""Rounds that are made in each sweep even where the time allowed is over."""


@dataclass(frozen=True, slots=True)
class Timing:
    """What a call costs.

    Attributes
    ----------
    samples
        Seconds for one call, one value for each round.
    loops
        The calls in each sample.
    warmup
        The calls made outside of samples, to find ``loops`` and to warm up.
    """

    samples: tuple[float, ...]
    loops: int
    warmup: int

    @property
    def best(self) -> float:
        """The shortest sample."""
        return min(self.samples)

    @property
    def median(self) -> float:
        """The sample in the middle."""
        return statistics.median(self.samples)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The samples at one and three quarters."""
        if len(self.samples) == 1:
            return self.samples[0], self.samples[0]
        lower, _, upper = statistics.quantiles(self.samples, n=4, method="inclusive")
        return lower, upper


def statement_sampler(
    statement: str,
    names: Mapping[str, Any],
    *,
    synchronize: Callable[[], None] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Sampler:
    """A sampler that executes a Python statement.

    Parameters
    ----------
    statement
        The text of it.
    names
        The variables it uses. They are local to the loop, so that ``x += y`` works and no name costs a look-up.
    synchronize
        Waits for a device; called as a sample begins and as it ends, where a library returns before the work is done.
    clock
        The time in seconds.
    """

    def synchronized() -> float:
        if synchronize is not None:
            synchronize()
        return clock()

    setup = "\n".join(f"{name} = _names[{name!r}]" for name in names) or "pass"
    timer = timeit.Timer(
        statement, setup, timer=clock if synchronize is None else synchronized, globals={"_names": dict(names)}
    )
    return timer.timeit


def calibrate(sampler: Sampler, shortest: float) -> tuple[int, int]:
    """The number of calls, a power of two, that takes ``shortest`` seconds or more; and the calls made to find it.

    The first call, which may compile or open a device, does not count; each number is tried twice, so that one
    interruption does not pass for a long call.
    """
    sampler(1)
    loops, made = 1, 1
    while True:
        made += 2 * loops
        if min(sampler(loops), sampler(loops)) >= shortest:
            return loops, made
        loops *= 2


def measure(
    samplers: Mapping[str, Sampler],
    *,
    repeat: int,
    shortest: float = 2e-4,
    seconds: float = float("inf"),
    earlier: Mapping[str, Timing] | None = None,
) -> dict[str, Timing]:
    """Time several samplers side by side, in rounds.

    Parameters
    ----------
    samplers
        By name. Each round goes through all of them, every other one backwards, so that none always follows the same.
    repeat
        The number of rounds.
    shortest
        The seconds that a sample lasts at least.
    seconds
        The time after which no further round begins, once ``FEWEST`` are made.
    earlier
        Timings of the same samplers, to which the rounds are added.

    Returns
    -------
    dict
        A :class:`Timing` for each name.
    """
    found = {name: _begin(sampler, shortest, (earlier or {}).get(name)) for name, sampler in samplers.items()}
    samples: dict[str, list[float]] = {name: [] for name in samplers}
    order = list(samplers)
    end = time.perf_counter() + seconds
    for done in range(repeat):
        if done >= FEWEST and time.perf_counter() > end:
            break
        for name in order:
            loops = found[name].loops
            samples[name].append(samplers[name](loops) / loops)
        order.reverse()
    return {
        name: Timing(timing.samples + tuple(samples[name]), timing.loops, timing.warmup)
        for name, timing in found.items()
    }


def _begin(sampler: Sampler, shortest: float, earlier: Timing | None) -> Timing:
    """What is known before the first round: the calls in a sample, with the sampler warm."""
    if earlier is None:
        return Timing((), *calibrate(sampler, shortest))
    sampler(earlier.loops)
    return Timing(earlier.samples, earlier.loops, earlier.warmup + earlier.loops)
