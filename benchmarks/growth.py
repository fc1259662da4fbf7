"""What a call costs as more is alive, registered or nested: nothing, where all is well.

A size is how much there is of what grows: arrays alive, backends registered, dimensions. The reference is the same call
in the same round with one of it; beside it stands the raw library's call. A ratio that stays is a straight line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import xtensor
from xtensor import _registry
from xtensor.backend import Backend, Native

from ._cases import Group, Limit, Variant
from ._libraries import Library
from ._measure import Sampler, statement_sampler

__all__ = ["GROUP", "Growing"]


class Idle(Backend):
    """A backend that has a device and is never used."""

    kinds = ("idle",)

    def __init__(self, number: int) -> None:
        self.name = f"idle{number}"

    def probe(self) -> str:
        return "0"

    def devices(self) -> Sequence[str]:
        return (f"idle:{self.name}",)

    @property
    def native_type(self) -> type:
        return np.ndarray

    def namespace(self, spec: str) -> Any:
        return np

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return np.asarray(native)

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        return np.array(array, copy=copy)

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (1, 0)

    def rank(self, spec: str) -> int:
        return -100


@contextmanager
def arrays_alive(number: int) -> Iterator[None]:
    """So many arrays that somebody holds."""
    one = xtensor.ones(1)
    kept = [one + 1 for _ in range(number)]
    yield
    del kept


@contextmanager
def backends_registered(number: int) -> Iterator[None]:
    """So many backends besides those that are here, each with a device."""
    _registry.entries()
    before = dict(_registry._entries)
    try:
        for place in range(number):
            xtensor.register_backend(Idle(place))
        yield
    finally:
        _registry._entries.clear()
        _registry._entries.update(before)
        _registry._generation += 1


@dataclass(frozen=True, slots=True)
class Growing:
    """A statement, sampled while there is much of something.

    Attributes
    ----------
    name
        What grows, and the statement.
    statement
        What is timed; its variables are ``xp``, ``x`` and ``y``.
    around
        Makes so much of what grows, and takes it away again; None where operands have so many dimensions.
    largest
        How much there can be.
    """

    name: str
    statement: str
    around: Callable[[int], Any] | None = None
    largest: int = 10**6
    note: str = ""

    def samplers(
        self, libraries: tuple[Library, ...], variant: Variant | None
    ) -> tuple[dict[str, Sampler], dict[str, str]]:
        """A sampler for each library, and the reference: the same call of xtensor with one of what grows."""
        assert variant is not None
        found = {library.name: self.sampler(library, variant.size) for library in libraries if self.compares(library)}
        ours = next(library for library in libraries if library.name == "xtensor")
        found["reference"] = self.sampler(ours, 1)
        return found, {}

    def compares(self, library: Library) -> bool:
        """Whether the statement means something in a library."""
        return library.name == "xtensor" or "xp." not in self.statement.replace("xp.sum", "")

    def sampler(self, library: Library, number: int) -> Sampler:
        """A sampler of the statement with so much of what grows; making that does not count."""
        shape = (1,) if self.around is not None else (1,) * min(number, 64)
        operand = library.operand(np.ones(shape))
        timed = statement_sampler(self.statement, {"xp": library.namespace, "x": operand, "y": operand})
        around = self.around
        if around is None or library.name != "xtensor":
            return timed

        def sample(calls: int) -> float:
            with around(number):
                timed(calls)  # what is made anew once, such as the choice of the default device, is not the call's
                return timed(calls)

        return sample


CASES = (
    Growing("arrays alive: x + y", "x + y", arrays_alive, largest=10**5),
    Growing("arrays alive: xp.sum(x)", "xp.sum(x)", arrays_alive, largest=10**5),
    Growing("backends registered: x + y", "x + y", backends_registered, largest=64),
    Growing("backends registered: xp.zeros(1)", "xp.zeros(1)", backends_registered, largest=64),
    Growing("backends registered: xp.device('cpu')", "xp.device('cpu')", backends_registered, largest=64),
    Growing("dimensions: x + y", "x + y", largest=64),
    Growing("dimensions: xp.sum(x)", "xp.sum(x)", largest=64),
    Growing("dimensions: x[...]", "x[...]", largest=64),
)

GROUP = Group(
    title="growth: cost against how much there is",
    cases=CASES,
    sizes=(1, 8, 64, 10**3, 10**5),
    dtypes=("float64",),
    peers=("numpy",),
    limits=tuple(
        Limit(case.name, size, 1.1)
        for case in CASES
        if case.around is not None
        for size in (64, 10**5)
        if size <= case.largest
    ),
    rounds=20,
    sweeps=2,
    baseline="reference",
)
