"""Cost of a call against the number of live arrays, registered backends and dimensions.

The size of a variant is that number. The baseline is the same call of xtensor with the number 1, sampled in the same
round; a ratio of 1 at every size means constant cost. The raw library's call is shown for comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from typing import Any, TypeAlias

import numpy as np

import xtensor
from xtensor.backend import Backend, Native

from ._cases import Group, Limit, Samplers, Variant
from ._libraries import Library
from ._measure import Sampler, statement_sampler
from ._run import temporary_default_device

__all__ = ["CASES", "GROUP", "GrowthCase"]


class IdleBackend(Backend):
    """A backend with one device that no call uses."""

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


SamplerWith: TypeAlias = Callable[[str, Library, int], Sampler]
"""Return a sampler of a statement in a library, under conditions that grow with a number."""


def _sampler(statement: str, library: Library, shape: tuple[int, ...]) -> Sampler:
    operand = library.operand(np.ones(shape))
    return statement_sampler(statement, {"xp": library.namespace, "x": operand, "y": operand})


def with_dimensions(statement: str, library: Library, number: int) -> Sampler:
    """Return a sampler whose operands have a number of dimensions."""
    return _sampler(statement, library, (1,) * number)


def with_live_arrays(statement: str, library: Library, number: int) -> Sampler:
    """Return a sampler that keeps a number of arrays alive during each sample."""
    sampler = _sampler(statement, library, (1,))
    one = library.operand(np.ones(1))

    def sample(calls: int) -> float:
        arrays = [one + 1 for _ in range(number)]
        sampler(calls)  # refills the processor caches after the allocations
        seconds = sampler(calls)
        del arrays
        return seconds

    return sample


def with_registered_backends(statement: str, library: Library, number: int) -> Sampler:
    """Return a sampler that runs in a process of its own, where a number of additional backends is registered.

    A registration lasts until the end of the process, so each number needs its own process.
    """
    device = str(xtensor.default_device())
    return lambda calls: _worker(number).submit(sample_with_backends, statement, device, number, calls).result()


@cache
def _worker(number: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


@cache
def register_idle_backends(number: int) -> None:
    """Register backends in this process."""
    for index in range(number):
        xtensor.register_backend(IdleBackend(index))


def sample_with_backends(statement: str, device: str, number: int, calls: int) -> float:
    """Time calls of a statement in this process, after the registration of a number of backends."""
    register_idle_backends(number)
    with temporary_default_device(xtensor.device(device)):
        x = xtensor.ones(1)
        sampler = statement_sampler(statement, {"xp": xtensor, "x": x, "y": x})
        sampler(1)  # selects the default device anew after the registration
        return sampler(calls)


@dataclass(frozen=True, slots=True)
class GrowthCase:
    """A statement that is sampled under conditions that grow.

    Attributes
    ----------
    name
        The growing quantity and the statement.
    statement
        The timed statement; its variables are ``xp``, ``x`` and ``y``.
    sampler_with
        Builds the sampler for a number of live arrays, registered backends or dimensions.
    max_size
        Largest number.
    peers
        Whether the statement also runs in the other libraries.
    """

    name: str
    statement: str
    sampler_with: SamplerWith
    max_size: int
    peers: bool = True
    note: str = ""

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return a sampler for each library, and ``reference``: the same call of xtensor with the number 1."""
        assert variant is not None
        xtensor_library = next(library for library in libraries if library.name == "xtensor")
        compared = libraries if self.peers else (xtensor_library,)
        build = partial(self.sampler_with, self.statement)
        samplers = {library.name: build(library, variant.size) for library in compared}
        return {**samplers, "reference": build(xtensor_library, 1)}, {}


CASES = (
    GrowthCase("live arrays: x + y", "x + y", with_live_arrays, 10**5),
    GrowthCase("live arrays: xp.sum(x)", "xp.sum(x)", with_live_arrays, 10**5),
    GrowthCase("registered backends: x + y", "x + y", with_registered_backends, 64, peers=False),
    GrowthCase("registered backends: xp.zeros(1)", "xp.zeros(1)", with_registered_backends, 64, peers=False),
    GrowthCase("registered backends: xp.device('cpu')", "xp.device('cpu')", with_registered_backends, 64, peers=False),
    GrowthCase("dimensions: x + y", "x + y", with_dimensions, 64),
    GrowthCase("dimensions: xp.sum(x)", "xp.sum(x)", with_dimensions, 64),
    GrowthCase("dimensions: x[...]", "x[...]", with_dimensions, 64),
)

GROUP = Group(
    title="cost against the number of live arrays, registered backends and dimensions",
    cases=CASES,
    sizes=(1, 8, 64, 10**3, 10**5),
    dtypes=("float64",),
    peers=(),
    limits=tuple(
        Limit(case.name, size, 1.1)
        for case in CASES
        if case.sampler_with is not with_dimensions
        for size in (64, 10**5)
        if size <= case.max_size
    ),
    rounds=20,
    sweeps=2,
    baseline="reference",
)
