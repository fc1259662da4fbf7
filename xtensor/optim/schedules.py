"""Learning rates as functions of the number of updates so far.

The functions take a number or a 0-d Array, so that they can be part of a function of :func:`xtensor.fuse`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_integer
from ._optimizer import check_range

__all__ = ["cosine", "exponential", "linear", "step_decay", "warmup"]

Schedule: TypeAlias = Callable[[Any], Any]


def _steps(value: Any, function: str, name: str, least: int = 1) -> int:
    steps = check_integer(value, function, name)
    if steps < least:
        raise ValueError(f"{function}(): {name} is {steps}, expected {least} or more")
    return steps


def _minimum(x: Any, limit: float) -> Any:
    return xp.minimum(x, limit) if x.__class__ is Array else min(x, limit)


def _where(condition: Any, x: Any, y: Any) -> Any:
    return xp.where(condition, x, y) if condition.__class__ is Array else x if condition else y


def exponential(lr: float, gamma: float) -> Schedule:
    r"""Learning rate :math:`\eta \gamma^t`.

    Parameters
    ----------
    lr
        :math:`\eta`.
    gamma
        Factor of each update.

    Returns
    -------
    Callable
        Function of the number t of updates so far.
    """
    first, factor = check_range(lr, "exponential", "lr"), check_range(gamma, "exponential", "gamma")
    return lambda step: first * factor**step


def step_decay(lr: float, *, every: int, gamma: float = 0.1) -> Schedule:
    r"""Learning rate :math:`\eta \gamma^{\lfloor t / n \rfloor}`.

    Parameters
    ----------
    lr
        :math:`\eta`.
    every
        Number n of updates with one rate.
    gamma
        Factor after n updates.

    Returns
    -------
    Callable
        Function of the number t of updates so far.
    """
    first, factor = check_range(lr, "step_decay", "lr"), check_range(gamma, "step_decay", "gamma")
    count = _steps(every, "step_decay", "every")
    return lambda step: first * factor ** (step // count)


def linear(start: float, end: float, *, steps: int) -> Schedule:
    """Learning rate that goes linearly from one to another, and stays there.

    Parameters
    ----------
    start, end
        The rates.
    steps
        Number of updates between them.

    Returns
    -------
    Callable
        Function of the number of updates so far.
    """
    first, last = check_range(start, "linear", "start"), check_range(end, "linear", "end")
    count = _steps(steps, "linear", "steps")
    return lambda step: first + (last - first) * _minimum(step / count, 1.0)


def cosine(lr: float, *, steps: int, warmup: int = 0, end: float = 0.0) -> Schedule:
    r"""Learning rate that falls by half a cosine, :math:`e + (\eta - e) (1 + \cos(\pi t / n)) / 2`, and stays there.

    Parameters
    ----------
    lr
        Largest rate :math:`\eta`.
    steps
        Number of all updates, those of the warmup among them.
    warmup
        Number of updates before, during which the rate rises linearly from :math:`\eta` divided by this number.
    end
        Last rate e.

    Returns
    -------
    Callable
        Function of the number of updates so far.
    """
    first, last = check_range(lr, "cosine", "lr"), check_range(end, "cosine", "end")
    before = _steps(warmup, "cosine", "warmup", 0)
    count = _steps(steps, "cosine", "steps", before + 1) - before

    def rate(step: Any) -> Any:
        share = _minimum(step / count, 1.0) * math.pi
        falling = xp.cos(share) if share.__class__ is Array else math.cos(share)
        return last + (first - last) * (0.5 + 0.5 * falling)

    return _after_warmup(rate, first, before)


def warmup(schedule: float | Schedule, *, steps: int) -> Schedule:
    """Learning rate that rises linearly before a schedule.

    Parameters
    ----------
    schedule
        The rate that follows: a number, or a function of the number of updates after the warmup.
    steps
        Number n of updates of the warmup; the first one has the rate divided by n.

    Returns
    -------
    Callable
        Function of the number of updates so far.
    """
    count = _steps(steps, "warmup", "steps", 0)
    if callable(schedule):
        return _after_warmup(schedule, schedule(0), count)
    rate = check_range(schedule, "warmup", "schedule")
    return _after_warmup(lambda step: rate, rate, count)


def _after_warmup(schedule: Schedule, first: Any, count: int) -> Schedule:
    if not count:
        return schedule

    def rate(step: Any) -> Any:
        rising = first * _minimum((step + 1) / count, 1.0)
        later = schedule(_where(step < count, 0.0, step - count) if step.__class__ is Array else max(step - count, 0))
        return _where(step < count, rising, later)

    return rate
