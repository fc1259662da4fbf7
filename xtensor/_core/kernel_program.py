"""Programs: what one kernel computes, for the generators of kernels.

A backend that can compile kernels from programs has a :class:`Generator`; :func:`xtensor.fuse` records functions as
programs. A program is a value, and equal programs share their machine code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any

import numpy as np

from .backend import Native
from .dtypes import DType

__all__ = ["Generator", "Program", "Step", "name_of"]

name_of = lru_cache(maxsize=64)(attrgetter("name"))
"""Return the name of a dtype, which NumPy puts together at each look."""


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a program.

    Attributes
    ----------
    name
        The operation's name in the table, ``"astype"`` for a cast. In programs for :meth:`Generator.compute_rows` also
        sum, prod, max and min, whose result is one number for each row.
    operands
        The values that it takes: arrays are counted first, then scalars, then steps.
    dtype
        The name of the result's dtype.
    """

    name: str
    operands: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Program:
    """The computation of a kernel for each element of its arrays, which broadcast together.

    Attributes
    ----------
    inputs
        The names of the dtypes of the arrays.
    scalars
        The names of the dtypes in which it takes numbers.
    steps
        The operations in the order in which they are computed.
    outputs
        The values that are written.
    reductions
        The values that are reduced, each with the name of the reduction: sum, prod, max or min.
    checks
        Whether the kernel looks for results of which NumPy warns, and computes nothing where there is one.
    """

    inputs: tuple[str, ...]
    scalars: tuple[str, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...] = ()
    reductions: tuple[tuple[str, int], ...] = ()
    checks: bool = False

    @cached_property
    def kernels(self) -> dict[Any, Any]:
        """Kernels and other things that a generator keeps for the program, by layout."""
        return {}

    def shared(self) -> Program:
        """Return the program that stands for all equal ones, so that they share their kernels."""
        return _programs.setdefault(self.key, self)

    @cached_property
    def dtypes(self) -> tuple[DType, ...]:
        """The dtype of each value."""
        return tuple(np.dtype(name) for name in (*self.inputs, *self.scalars, *(step.dtype for step in self.steps)))

    @cached_property
    def key(self) -> str:
        """The text that stands for the program."""
        return repr((self.inputs, self.scalars, self.steps, self.outputs, self.reductions, self.checks))


_programs: dict[str, Program] = {}


class Generator(ABC):
    """Compiles programs into kernels for one device.

    Attributes
    ----------
    min_size
        The number of elements from which formulas of this package gain by a kernel of their own.
    called
        Reductions for which recordings call the device's own function, where it takes the operand, because the sums and
        powers of their compositions would leave the range.
    computes_together
        Whether :meth:`compute_together` gains.
    """

    min_size: int = 0
    called: Collection[str] = ()
    computes_together: bool = False

    @abstractmethod
    def resolve(self, name: str, kinds: Sequence[DType | type]) -> tuple[tuple[DType, ...], DType] | None:
        """Return how a kernel computes an elementwise operation.

        Parameters
        ----------
        name
            The operation's name in the table.
        kinds
            The dtype of each operand, or the class of a Python number.

        Returns
        -------
        tuple, or None
            The dtypes to which the operands are cast, and the result's. None where no kernel computes it.
        """

    @abstractmethod
    def compute(
        self, program: Program, arrays: tuple[Native, ...], scalars: Sequence[float]
    ) -> tuple[Native, ...] | None:
        """Return a program's outputs, each of the shape to which the arrays broadcast; None or () where it cannot."""

    def compute_together(
        self, calls: Sequence[tuple[Program, tuple[Native, ...], Sequence[float]]]
    ) -> Sequence[tuple[Native, ...] | None]:
        """Return what :meth:`compute` returns for each of several lists of its arguments, by one call of a kernel.

        None for each that is not among those, for which :meth:`compute` is to be asked.
        """
        return [None] * len(calls)

    def prepared(
        self, program: Program, shape: tuple[int, ...], scalars: Sequence[float]
    ) -> Callable[[tuple[Native, ...]], Native | None] | None:
        """Return what computes a program's only output for arrays that all have a shape, at the least cost of a call.

        It takes the arrays, and returns None where :meth:`compute` is to be asked. The method itself returns None where
        the cost of a call does not count.
        """
        return None

    def rolling(
        self, program: Program, shape: tuple[int, ...], shifts: Sequence[tuple[int, ...] | None]
    ) -> Callable[[tuple[Native, ...], Sequence[float]], tuple[Native, ...] | None] | None:
        """Return what computes a program's outputs for arrays of a shape, of which it reads some as rolled.

        It takes the arrays and the scalars, and returns None or () where it cannot compute. The method itself returns
        None where the arrays are to be rolled in memory.

        Parameters
        ----------
        shifts
            For each input that is rolled the shift along each axis, as of ``roll``, from 0 to before the axis' length.
        """
        return None

    @abstractmethod
    def reduce(
        self,
        program: Program,
        arrays: Sequence[Native],
        scalars: Sequence[float],
        shape: tuple[int, ...],
        axes: Sequence[int],
        *,
        keepdims: bool = False,
    ) -> tuple[Native, ...] | None:
        """Return a program's reductions over some axes of a shape, to which the arrays broadcast; None where it cannot.

        The axes are in ascending order.
        """

    def takes_rows(self, shape: tuple[int, ...]) -> bool:
        """Whether :meth:`compute_rows` gains for a shape, with two axes or more: the last one is a row."""
        return False

    def compute_rows(
        self, program: Program, arrays: Sequence[Native], scalars: Sequence[float], shape: tuple[int, ...]
    ) -> tuple[Native, ...] | None:
        """Return the outputs of a program with reductions among its steps, along the last axis; None where it cannot.

        The arrays broadcast to the shape. Outputs that are one number for each row have the last axis with length 1.
        """
        return None
