"""What a group declares: cases, the operands they take, the limits they keep.

A case is the text of one Python statement, over ``xp`` and a few operands. The text is what is timed and what is
printed, so that nobody has to guess what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, Protocol, TypeAlias

import numpy as np

from ._libraries import Host, Library
from ._measure import Sampler, statement_sampler

__all__ = [
    "SIZES",
    "Case",
    "Group",
    "Limit",
    "Operands",
    "Statement",
    "Variant",
    "definite_matrix",
    "evaluate",
    "host_vector",
    "matrices",
    "merged",
    "scalars",
    "vectors",
]


SIZES = (1, 100, 10**4, 10**5, 10**6, 10**7)
"""Those of the groups that show cost against size: up to a hundred elements the call is all there is to see."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The operands that a case is measured with: how many elements, of which dtype."""

    size: int
    dtype: str


Operands: TypeAlias = Callable[[Variant], Mapping[str, Any]]
"""Gives the operands by name: NumPy arrays and dtypes, which each library takes as its own; Host; or any value."""


class Case(Protocol):
    """Something to be timed in several libraries."""

    @property
    def name(self) -> str:
        """What a table calls it."""

    @property
    def note(self) -> str:
        """What a reader must know to judge the ratio; often empty."""

    @property
    def largest(self) -> int:
        """The size above which it is not measured."""

    def samplers(
        self, libraries: tuple[Library, ...], variant: Variant | None
    ) -> tuple[dict[str, Sampler], dict[str, str]]:
        """A sampler for each library that can do it, by name; and why others cannot."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A case within the process.

    Attributes
    ----------
    name
        The statement. Its variables are ``xp``, ``np``, ``to_numpy``, ``size`` and the operands.
    operands
        Makes the operands.
    grows
        Whether the work grows with the size. What does not (views, attributes) costs the same at every size.
    creates
        Whether the array is made where the library likes best.
    """

    name: str
    operands: Operands
    note: str = ""
    largest: int = 10**7
    grows: bool = True
    creates: bool = False

    def names(self, library: Library, variant: Variant, operands: Mapping[str, Any]) -> dict[str, Any]:
        """The variables of the statement for a library."""
        taken = {name: library.operand(value) for name, value in operands.items()}
        return {"xp": library.namespace, "np": np, "to_numpy": library.to_numpy, "size": variant.size, **taken}

    def samplers(
        self, libraries: tuple[Library, ...], variant: Variant | None
    ) -> tuple[dict[str, Sampler], dict[str, str]]:
        """A sampler for each library that executes the statement once without an error; the errors of the others."""
        assert variant is not None
        try:
            operands = self.operands(variant)
        except ModuleNotFoundError as error:  # a consumer that is not installed here
            return {}, {"xtensor": f"not installed ({error})"}
        found: dict[str, Sampler] = {}
        refused: dict[str, str] = {}
        for library in libraries:
            if self.creates and not library.creates:
                refused[library.name] = "creates arrays on another device unless told"
                continue
            try:
                sampler = statement_sampler(
                    self.name, self.names(library, variant, operands), synchronize=library.synchronize
                )
                sampler(1)
            except Exception as error:  # a library that has not the function, or wants other arguments
                if library.name == "xtensor":
                    raise
                refused[library.name] = shorten(f"{type(error).__name__}: {error}", 120)
            else:
                found[library.name] = sampler
        return found, refused


def evaluate(case: Statement, library: Library, variant: Variant) -> Any:
    """What a statement gives: its value, or for an assignment the operand ``x`` after it."""
    names = case.names(library, variant, case.operands(variant))
    try:
        code = compile(case.name, "<case>", "eval")
    except SyntaxError:
        exec(case.name, names)
        return names["x"]
    return eval(code, names)


@dataclass(frozen=True, slots=True)
class Limit:
    """What the ratio of xtensor to the raw library shall not exceed, for a case at a size."""

    case: str
    size: int | None
    ratio: float


@dataclass(frozen=True, slots=True)
class Group:
    """Cases that are measured and printed together.

    Attributes
    ----------
    title
        One line, the heading.
    cases
        In the order of the table.
    sizes, dtypes
        Each case is measured for each pair; without them, once.
    peers
        The libraries shown beside the raw one and xtensor; None for all that are installed.
    limits
        Shown at the end, with what was measured.
    rounds
        How often each library is sampled, unless ``--repeat`` says otherwise.
    seconds
        The time after which a case has no further round; large operands take the fewest.
    sweeps
        The rounds are made in so many parts, spread over the run: machines change their speed for seconds at a time.
    shortest
        The seconds that a sample lasts at least.
    device
        Where it is measured unless ``--device`` says otherwise.
    baseline
        The name of a sampler that each case has itself, to which ratios are; None for the device's raw library.
    """

    title: str
    cases: tuple[Case, ...]
    sizes: tuple[int, ...] = ()
    dtypes: tuple[str, ...] = ()
    peers: tuple[str, ...] | None = None
    limits: tuple[Limit, ...] = ()
    rounds: int = 100
    seconds: float = 1.0
    sweeps: int = 5
    shortest: float = 2e-4
    device: str = "cpu"
    baseline: str | None = None

    def variants(self) -> tuple[Variant | None, ...]:
        """The pairs of dtype and size."""
        return tuple(Variant(size, dtype) for dtype in self.dtypes for size in self.sizes) or (None,)


def _values(position: int, shape: tuple[int, ...], dtype: str, low: float, high: float) -> np.ndarray[Any, Any]:
    return np.random.default_rng(position).uniform(low, high, shape).astype(dtype)


def vectors(*names: str, low: float = 1.0, high: float = 2.0) -> Operands:
    """Arrays of one dimension, of random values between two bounds; by default such that no function overflows."""

    def make(variant: Variant) -> dict[str, Any]:
        return {
            name: _values(position, (variant.size,), variant.dtype, low, high) for position, name in enumerate(names)
        }

    return make


def matrices(*names: str) -> Operands:
    """Matrices of about as many elements, such that the product of two neighbours exists."""

    def make(variant: Variant) -> dict[str, Any]:
        rows = math.isqrt(variant.size)
        shape = (rows, variant.size // rows)
        return {
            name: _values(position, shape[:: -1 if position % 2 else 1], variant.dtype, 1.0, 2.0)
            for position, name in enumerate(names)
        }

    return make


def definite_matrix(name: str) -> Operands:
    """A square matrix, symmetric, positive definite and well conditioned, of about as many elements."""

    def make(variant: Variant) -> dict[str, Any]:
        rows = math.isqrt(variant.size)
        values = _values(0, (rows, rows), variant.dtype, 0.0, 1.0)
        return {name: (values + values.T) / 2 + rows * np.eye(rows, dtype=variant.dtype)}

    return make


def host_vector(name: str) -> Operands:
    """A NumPy array of one dimension that stays one in every library."""
    return lambda variant: {name: Host(_values(0, (variant.size,), variant.dtype, 1.0, 2.0))}


def scalars(**values: Any) -> Operands:
    """Operands that are the same in every library and at every size."""
    return lambda variant: values


def merged(*parts: Operands) -> Operands:
    """The operands of several makers."""
    return lambda variant: {name: value for part in parts for name, value in part(variant).items()}
