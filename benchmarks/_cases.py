"""Declarations of a benchmark group: cases, operands and limits.

A case is usually the text of one Python statement over ``xp`` and a few operands. The same text is executed and
printed, so a table shows exactly which code was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from textwrap import shorten
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from ._allocators import SYSTEM
from ._conditions import Condition
from ._libraries import Host, Library
from ._measure import Sampler, statement_sampler

__all__ = [
    "SIZES",
    "Case",
    "Group",
    "HasFigures",
    "Limit",
    "Operands",
    "Samplers",
    "Statement",
    "Variant",
    "attempt_sampler",
    "host_vector",
    "matrices",
    "merged",
    "no_operands",
    "positive_definite_matrix",
    "vectors",
]


SIZES = (1, 100, 10**4, 10**5, 10**6, 10**7)
"""Sizes of the groups that show cost against size. Call overhead dominates up to about a hundred elements."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Number of elements and dtype of a case's operands."""

    size: int
    dtype: str


Operands: TypeAlias = Callable[[Variant], Mapping[str, Any]]
"""Return the operands by name. Libraries convert NumPy arrays and dtypes to their own; Host and other values stay."""

Samplers: TypeAlias = tuple[dict[str, Sampler], dict[str, str]]
"""A sampler for each library that can run a case, and the reason for each library that cannot, both by name."""


class Case(Protocol):
    """A computation to be timed in several libraries."""

    @property
    def name(self) -> str:
        """Row label in the tables."""

    @property
    def note(self) -> str:
        """Footnote that a reader needs to interpret the ratio; often empty."""

    @property
    def max_size(self) -> int:
        """Largest size at which the case is measured."""

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return the samplers by library, and the reasons of the libraries that have none."""


@runtime_checkable
class HasFigures(Protocol):
    """A case that measures more than time."""

    def figures(self) -> dict[str, dict[str, float]]:
        """Return the figures by library and name, after the case was measured."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A Python statement that is timed in this process.

    Attributes
    ----------
    name
        The statement. Its variables are ``xp``, ``np``, ``to_numpy``, ``size`` and the operands.
    operands
        Builds the operands.
    uses_default_device
        Whether the statement creates arrays without naming a device.
    dtypes
        The dtypes of the group with which the statement is measured; empty for all of them.
    """

    name: str
    operands: Operands
    note: str = ""
    max_size: int = 10**7
    uses_default_device: bool = False
    dtypes: tuple[str, ...] = ()

    def variables(self, library: Library, variant: Variant, operands: Mapping[str, Any]) -> dict[str, Any]:
        """Return the variables of the statement for a library."""
        converted = {name: library.operand(value) for name, value in operands.items()}
        return {"xp": library.namespace, "np": np, "to_numpy": library.to_numpy, "size": variant.size, **converted}

    def _statement(self, library: Library, variant: Variant, operands: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        return self.name, self.variables(library, variant, operands)

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Run the statement once in each library and return a sampler for each one that raises no error."""
        assert variant is not None
        try:
            operands = self.operands(variant)
        except ModuleNotFoundError as error:  # the case needs a consumer library that is not installed
            return {}, {"xtensor": f"not installed ({error})"}
        samplers: dict[str, Sampler] = {}
        skipped: dict[str, str] = {}
        for library in libraries:
            if self.uses_default_device and not library.is_default_device:
                skipped[library.name] = "its default device is not the measured device"
                continue
            attempt_sampler(library, partial(self._statement, library, variant, operands), samplers, skipped)
        return samplers, skipped


def attempt_sampler(
    library: Library,
    prepare: Callable[[], tuple[str, dict[str, Any]]],
    samplers: dict[str, Sampler],
    skipped: dict[str, str],
) -> None:
    """Run a library's statement once, and enter its sampler, or the reason why a peer is left out.

    Parameters
    ----------
    prepare
        Returns the statement and its variables.
    """
    try:
        statement, variables = prepare()
        sampler = statement_sampler(statement, variables, synchronize=library.synchronize)
        sampler(1)
    except Exception as error:  # a peer may lack the function or need other arguments
        if library.module == "xtensor":
            raise
        skipped[library.name] = shorten(f"{type(error).__name__}: {error}", 120)
    else:
        samplers[library.name] = sampler


@dataclass(frozen=True, slots=True)
class Limit:
    """Upper bound of the ratio of xtensor's time to the baseline's, for a case at a size."""

    case: str
    size: int | None
    ratio: float


@dataclass(frozen=True, slots=True)
class Group:
    """Cases that are measured and printed together.

    Attributes
    ----------
    title
        Heading, one line.
    cases
        Cases in the order of the table.
    quick_cases
        Cases with small operands for ``--quick``, in a group whose cases have fixed sizes. They have no limits.
    sizes, dtypes
        Each case is measured for each pair. If both are empty, each case is measured once.
    full_sizes, full_limits
        Sizes and limits for ``--full`` in the place of the others, in a group whose complete sizes take long.
    peers
        Libraries shown next to the raw library and xtensor; None for all that are installed.
    limits
        Upper bounds, printed at the end with the measured ratios.
    rounds
        Number of samples of each library, unless ``--repeat`` gives another.
    max_seconds
        Time after which no further round of a case starts. Large operands therefore get fewer rounds.
    pause
        Seconds before each sample, in which the threads of the library sampled before come to rest.
    pause_from
        Number of elements from which this is needed: smaller operands are computed by one thread.
    sweeps
        Number of parts that the rounds are split into. Sweeps are spread over the run, because the speed of a
        machine can change for seconds at a time.
    min_sample_seconds
        Minimum duration of a sample.
    device
        Device to measure on, unless ``--device`` gives another.
    baseline
        Name of a sampler of the cases that ratios refer to; None for the device's raw library.
    enforced
        Whether the command exits with 1 if a ratio exceeds its limit.
    conditions
        Questions to the whole run, printed at the end with the answers.
    allocators
        Names of the allocators of NumPy's memory with which the group runs, each in a process of its own except the
        system's.
    """

    title: str
    cases: tuple[Case, ...]
    sizes: tuple[int, ...] = ()
    dtypes: tuple[str, ...] = ()
    peers: tuple[str, ...] | None = None
    limits: tuple[Limit, ...] = ()
    rounds: int = 100
    max_seconds: float = 1.0
    pause: float = 0.0
    pause_from: int = 0
    sweeps: int = 5
    min_sample_seconds: float = 2e-4
    device: str = "cpu"
    baseline: str | None = None
    enforced: bool = False
    quick_cases: tuple[Case, ...] = ()
    conditions: tuple[Condition, ...] = ()
    allocators: tuple[str, ...] = (SYSTEM,)
    full_sizes: tuple[int, ...] = ()
    full_limits: tuple[Limit, ...] = ()

    def cases_of(self, variant: Variant | None) -> list[Case]:
        """Return the cases that are measured in a variant."""
        if variant is None:
            return list(self.cases)
        return [
            case
            for case in self.cases
            if variant.size <= case.max_size
            and variant.dtype in (getattr(case, "dtypes", ()) or self.dtypes)
            and variant.size in (getattr(case, "sizes", ()) or self.sizes)
        ]

    def variants(self) -> tuple[Variant | None, ...]:
        """Return all pairs of dtype and size, or ``(None,)`` if there are none."""
        return tuple(Variant(size, dtype) for dtype in self.dtypes for size in self.sizes) or (None,)


def _uniform(seed: int, shape: tuple[int, ...], dtype: str, low: float, high: float) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


def vectors(*names: str) -> Operands:
    """Return 1-d arrays of random values between 1 and 2, for which no function of the cases overflows."""

    def build(variant: Variant) -> dict[str, Any]:
        shape = (variant.size,)
        return {name: _uniform(seed, shape, variant.dtype, 1.0, 2.0) for seed, name in enumerate(names)}

    return build


def matrices(*names: str) -> Operands:
    """Return matrices of about ``size`` elements each, such that each can be multiplied by the next one."""

    def build(variant: Variant) -> dict[str, Any]:
        rows = math.isqrt(variant.size)
        shape = (rows, variant.size // rows)
        return {
            name: _uniform(position, shape[:: -1 if position % 2 else 1], variant.dtype, 1.0, 2.0)
            for position, name in enumerate(names)
        }

    return build


def positive_definite_matrix(name: str) -> Operands:
    """Return a well-conditioned symmetric positive definite matrix of about ``size`` elements."""

    def build(variant: Variant) -> dict[str, Any]:
        rows = math.isqrt(variant.size)
        values = _uniform(0, (rows, rows), variant.dtype, 0.0, 1.0)
        return {name: (values + values.T) / 2 + rows * np.eye(rows, dtype=variant.dtype)}

    return build


def host_vector(name: str) -> Operands:
    """Return a 1-d NumPy array that no library converts."""
    return lambda variant: {name: Host(_uniform(0, (variant.size,), variant.dtype, 1.0, 2.0))}


def no_operands(variant: Variant) -> Mapping[str, Any]:
    """Return no operands."""
    return {}


def merged(*parts: Operands) -> Operands:
    """Return the union of several sets of operands."""
    return lambda variant: {name: value for part in parts for name, value in part(variant).items()}
