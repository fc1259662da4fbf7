"""The instructions of a program for one element, and the dtypes that programs resolve to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from xtensor.backend import Program, Step

from ..kernels.formulas import formulas_of
from ..kernels.values import COMPONENTS, FLOATS, Complex, Value, constant, convert, isfinite, isinf, isnan
from ._exceptions import by_flags

__all__ = ["computed", "emit", "supported", "supported_elementwise"]

SILENT = frozenset(
    (
        *("abs", "clip", "conj", "copysign", "maximum", "minimum", "negative", "positive", "real", "sign"),
        *("ceil", "floor", "round", "trunc", "where"),
    )
)
"""Operations of floating-point numbers of which NumPy never warns."""


def supported(dtype: Any) -> bool:
    """Whether kernels compute with a dtype: booleans, integers, float32 and float64."""
    return dtype.kind in "biu" or dtype in FLOATS


def supported_elementwise(dtype: Any) -> bool:
    """Whether kernels compute elementwise operations of a dtype: of complex64 and complex128 as well."""
    return supported(dtype) or dtype in COMPONENTS


def emit(program: Program, values: Sequence[Any]) -> tuple[list[Any], Value]:
    """Emit the instructions of a program for one element.

    Parameters
    ----------
    values
        The element of each array, and each scalar.

    Returns
    -------
    tuple
        All values, and whether the element is to be computed by NumPy: its formula does not cover it, or NumPy warns of
        it.
    """
    numbers = list(values)
    builder = numbers[0].builder
    doubtful = constant(builder, False, np.bool)
    looks = program.checks and not by_flags(program)
    for step in program.steps:
        result, doubtful = computed(step, numbers, doubtful)
        if looks and result.kind in "fc" and step.name not in SILENT:
            operands = [numbers[position] for position in step.operands]
            # The second operand of nextafter is a direction only, which may be infinite.
            doubtful = doubtful | _warned_of(result, operands[:1] if step.name == "nextafter" else operands)
        numbers.append(result)
    return numbers, doubtful


def computed(step: Step, values: Sequence[Any] | Mapping[int, Any], doubtful: Value) -> tuple[Any, Value]:
    """Return a step's result for values by their numbers, and whether an element is doubtful with this step, too."""
    operands = [values[position] for position in step.operands]
    if step.name == "astype":
        return convert(operands[0], step.dtype), doubtful
    formula = formulas_of(operands)[step.name]
    result = formula.function(*operands)
    if formula.covers is not None:
        doubtful = doubtful | ~formula.covers(*operands)
    return result, doubtful


def _warned_of(result: Value | Complex, operands: Sequence[Value | Complex]) -> Value:
    """Whether a result is infinite for finite operands, or NaN where no operand is NaN."""
    if isinstance(result, Complex):
        return _warned_of(result.real, operands) | _warned_of(result.imag, operands)
    numbers: list[Value] = []
    for operand in operands:
        if isinstance(operand, Complex):
            numbers += operand.real, operand.imag
        elif operand.kind == "f":
            numbers.append(operand)
    invalid, infinite = isnan(result), isinf(result)
    for operand in numbers:
        invalid = invalid & ~isnan(operand)
        infinite = infinite & isfinite(operand)
    return invalid | infinite
