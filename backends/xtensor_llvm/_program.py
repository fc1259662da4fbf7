"""Programs: what a kernel computes for each element, as a list of steps.

A program is a value. Its text is the key under which machine code is kept, in memory and on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ._formulas import FORMULAS
from ._values import FLOATS, Value, cast, constant, isfinite, isinf, isnan

__all__ = ["Program", "Step", "supported"]

SILENT = frozenset(
    (
        *("abs", "clip", "conj", "copysign", "maximum", "minimum", "negative", "nextafter", "positive", "real", "sign"),
        *("ceil", "floor", "round", "trunc", "where"),
    )
)
"""Operations of floating-point numbers of which NumPy never warns."""


def supported(dtype: Any) -> bool:
    """Whether kernels compute with a dtype: booleans, integers, float32 and float64."""
    return dtype.kind in "biu" or dtype in FLOATS


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a program.

    Attributes
    ----------
    name
        The operation's name in xtensor's table, or ``"astype"``.
    operands
        The values that it takes: inputs are counted first, then steps.
    dtype
        The name of the dtype to which it casts; of other operations, the dtype of the result.
    """

    name: str
    operands: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Program:
    """What a kernel computes.

    Attributes
    ----------
    inputs
        The dtypes of the arrays that it reads.
    scalars
        The dtypes of the Python numbers that it takes, which are counted after the arrays.
    steps
        The operations in the order in which they are computed.
    outputs
        The values that are written, an element for each element of the inputs.
    reductions
        The values that are reduced, each with the operation that reduces it: sum, prod, max or min.
    checks
        Whether the kernel tells that a result is of the kind of which NumPy warns.
    """

    inputs: tuple[str, ...]
    scalars: tuple[str, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...] = ()
    reductions: tuple[tuple[str, int], ...] = ()
    checks: bool = False

    @cached_property
    def dtypes(self) -> tuple[np.dtype[Any], ...]:
        """The dtype of each value."""
        return tuple(np.dtype(name) for name in (*self.inputs, *self.scalars, *(step.dtype for step in self.steps)))

    @cached_property
    def key(self) -> str:
        """The text that stands for the program."""
        return repr((self.inputs, self.scalars, self.steps, self.outputs, self.reductions, self.checks))

    def emit(self, values: Sequence[Value]) -> tuple[list[Value], Value]:
        """Emit the instructions for one element.

        Parameters
        ----------
        values
            The element of each input, and each scalar.

        Returns
        -------
        tuple
            All values, and whether the element is to be computed by NumPy: its formula does not cover it, or NumPy
            warns of it.
        """
        found = list(values)
        builder = found[0].builder
        doubtful = constant(builder, False, np.bool)
        for step in self.steps:
            operands = [found[place] for place in step.operands]
            if step.name == "astype":
                result = cast(operands[0], step.dtype)
            else:
                formula = FORMULAS[step.name]
                result = formula.function(*operands)
                if formula.covers is not None:
                    doubtful = doubtful | ~formula.covers(*operands)
            if self.checks and result.kind == "f" and step.name not in SILENT:
                doubtful = doubtful | _warned_of(result, operands)
            found.append(result)
        return found, doubtful


def _warned_of(result: Value, operands: Sequence[Value]) -> Value:
    """Whether a result is infinite for finite operands, or NaN where no operand is NaN."""
    numbers = [operand for operand in operands if operand.kind == "f"]
    invalid, infinite = isnan(result), isinf(result)
    for operand in numbers:
        invalid = invalid & ~isnan(operand)
        infinite = infinite & isfinite(operand)
    return invalid | infinite
