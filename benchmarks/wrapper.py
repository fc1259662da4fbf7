"""Host time of a function over wrapped arrays, beside the same function over a hand-written wrapper.

The library is NumPy, whose calls are short, so that the wrapper's share is large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from xtensor.backend import STANDARD_DTYPES, WrappedArray, wrapped_namespace

from ._cases import Group, Limit, Samplers, Variant
from ._libraries import Library
from ._measure import statement_sampler

DTYPES = {np.dtype(name): np.dtype(name) for name in STANDARD_DTYPES}


class Wrapped(WrappedArray):
    """NumPy's arrays under the contract's wrapper."""

    __slots__ = ()

    library_type = np.ndarray
    numpy_dtypes = DTYPES
    library_dtypes = DTYPES


class HandWritten:
    """The shortest wrapper that a backend's author would write."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array


class HandWrittenFunctions:
    """The functions of a hand-written wrapper."""

    @staticmethod
    def add(x1: HandWritten, x2: HandWritten) -> HandWritten:
        """Return the sums."""
        return HandWritten(np.add(x1.array, x2.array))

    @staticmethod
    def sqrt(x: HandWritten) -> HandWritten:
        """Return the square roots."""
        return HandWritten(np.sqrt(x.array))


@dataclass(frozen=True, slots=True)
class WrapperCase:
    """A statement over a hand-written wrapper (the baseline), and over the contract's."""

    name: str
    note: str = ""
    max_size: int = 2**62

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return the samplers of both wrappers."""
        x = np.ones(1)
        hand = {"xp": HandWrittenFunctions, "x": HandWritten(x), "y": HandWritten(x)}
        ours = {"xp": wrapped_namespace(Wrapped, np), "x": Wrapped(x), "y": Wrapped(x)}
        samplers = {"hand-written": statement_sampler(self.name, hand), "xtensor": statement_sampler(self.name, ours)}
        return samplers, {}


GROUP = Group(
    title="the contract's wrapper for foreign arrays, beside a hand-written one",
    cases=(WrapperCase("xp.add(x, y)"), WrapperCase("xp.sqrt(x)")),
    peers=(),
    limits=(Limit("xp.add(x, y)", None, 1.10), Limit("xp.sqrt(x)", None, 1.10)),
    rounds=200,
    baseline="hand-written",
)
