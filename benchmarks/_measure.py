"""Interleaved timing of several samplers.

Requirements: the ratio of two libraries must not depend on the load of the machine. All libraries of a case are
therefore sampled in turn, round by round, in one process, and a run returns to each case several times. The minimum of
many short samples estimates the undisturbed cost of a call; the median and the quartiles show the disturbance. The
timed loop contains the statement itself, without a function call per iteration, so that calls of 50 ns and 60 ns can be
distinguished.

``timeit.Timer`` compiles that loop and disables the garbage collector. pyperf and pytest-benchmark finish one benchmark
before they start the next, minutes and a change of clock frequency later, so they cannot interleave. pyperf can analyse
the samples afterwards: see :mod:`benchmarks._pyperf`.
"""

from __future__ import annotations

import statistics
import time
import timeit
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

__all__ = ["MIN_ROUNDS", "WARM_SECONDS", "Sampler", "Timing", "calibrate", "measure", "statement_sampler"]

Sampler: TypeAlias = Callable[[int], float]
"""Make the given number of calls and return the seconds that all of them took."""

MIN_ROUNDS = 2
"""Number of rounds in each sweep even if the time limit is exceeded."""

WARM_SECONDS = 3e-3
"""Seconds of calls that are not counted after a pause."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Duration of a call.

    Attributes
    ----------
    samples
        Seconds per call, one value for each round.
    loops
        Number of calls in each sample.
    warmup
        Number of calls outside of samples, for calibration and warm-up.
    """

    samples: tuple[float, ...]
    loops: int
    warmup: int

    @property
    def best(self) -> float:
        """Shortest sample."""
        return min(self.samples)

    @property
    def median(self) -> float:
        """Median of the samples."""
        return statistics.median(self.samples)

    @property
    def quartiles(self) -> tuple[float, float]:
        """First and third quartile of the samples."""
        if len(self.samples) == 1:
            return self.samples[0], self.samples[0]
        lower, _, upper = statistics.quantiles(self.samples, n=4, method="inclusive")
        return lower, upper


def statement_sampler(
    statement: str,
    variables: Mapping[str, Any],
    *,
    synchronize: Callable[[], None] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Sampler:
    """Return a sampler that executes a Python statement.

    Parameters
    ----------
    statement
        Source text of the statement.
    variables
        Variables of the statement. They are local to the loop, so that ``x += y`` works and no lookup is timed.
    synchronize
        Waits for a device. It is called at the start and at the end of a sample, for libraries that return before
        the work is done.
    clock
        Returns the time in seconds.
    """

    def synchronized_clock() -> float:
        if synchronize is not None:
            synchronize()
        return clock()

    setup = "\n".join(f"{name} = _variables[{name!r}]" for name in variables) or "pass"
    timer = timeit.Timer(
        statement,
        setup,
        timer=clock if synchronize is None else synchronized_clock,
        globals={"_variables": dict(variables)},
    )
    return timer.timeit


def calibrate(sampler: Sampler, min_seconds: float) -> tuple[int, int]:
    """Find the number of calls, a power of two, that takes at least ``min_seconds``.

    The first call is not timed, because it may compile code or open a device. Each number is tried twice and the
    shorter time counts, so that one interruption does not end the search. With a minimum of 0, each call is a sample,
    and none is made here.

    Returns
    -------
    tuple
        The number of calls in a sample, and the number of calls made to find it.
    """
    if not min_seconds:
        return 1, 0
    sampler(1)
    loops, calls = 1, 1
    while True:
        calls += 2 * loops
        if min(sampler(loops), sampler(loops)) >= min_seconds:
            return loops, calls
        loops *= 2


def measure(
    samplers: Mapping[str, Sampler],
    *,
    rounds: int,
    min_sample_seconds: float = 2e-4,
    max_seconds: float = float("inf"),
    pause: float = 0.0,
    previous: Mapping[str, Timing] | None = None,
) -> dict[str, Timing]:
    """Time several samplers in interleaved rounds.

    Parameters
    ----------
    samplers
        Samplers by name. Every other round runs in reverse order, so that no sampler always follows the same one.
    rounds
        Number of rounds.
    min_sample_seconds
        Minimum duration of a sample.
    max_seconds
        Time after which no further round starts, once ``MIN_ROUNDS`` rounds are complete.
    pause
        Seconds to wait before a sample. Threads of OpenMP go on in a loop for some milliseconds after the work of the
        library sampled before, and would take a processor from this one's. Calls that are not counted follow for
        ``WARM_SECONDS``, until the threads of the library itself, which sleep by then, take part again.
    previous
        Timings of the same samplers, to which the new samples are appended.

    Returns
    -------
    dict
        A :class:`Timing` for each name.
    """
    timings = {
        name: _prepare(sampler, min_sample_seconds, (previous or {}).get(name)) for name, sampler in samplers.items()
    }
    # Samplers of about the same time make as many calls: where a queue takes them, a call of more may take longer.
    most = max([timing.loops for timing in timings.values()], default=0)
    timings = {
        name: replace(timing, loops=most) if 2 * timing.loops == most else timing for name, timing in timings.items()
    }
    samples: dict[str, list[float]] = {name: [] for name in samplers}
    order = list(samplers)
    deadline = time.perf_counter() + max_seconds
    for completed in range(rounds):
        if completed >= MIN_ROUNDS and time.perf_counter() > deadline:
            break
        for name in order:
            loops = timings[name].loops
            if pause:
                time.sleep(pause)
                _warm(samplers[name], loops)
            samples[name].append(samplers[name](loops) / loops)
        order.reverse()
    return {
        name: Timing(timing.samples + tuple(samples[name]), timing.loops, timing.warmup)
        for name, timing in timings.items()
    }


def _warm(sampler: Sampler, loops: int) -> None:
    end = time.perf_counter() + WARM_SECONDS
    while True:
        sampler(loops)
        if time.perf_counter() >= end:
            return


def _prepare(sampler: Sampler, min_seconds: float, previous: Timing | None) -> Timing:
    """Warm a sampler up and return its timing before the first round."""
    if previous is None:
        return Timing((), *calibrate(sampler, min_seconds))
    sampler(previous.loops)
    return Timing(previous.samples, previous.loops, previous.warmup + previous.loops)
