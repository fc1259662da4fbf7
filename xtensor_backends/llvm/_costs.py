"""The time that kernels take, estimated from the operations of a program."""

from __future__ import annotations

from xtensor.backend import Program

from ..kernels.reductions import KERNEL_REDUCTIONS
from ._sizes import BYTES_STREAMED

__all__ = ["SIMPLE", "cost", "has_formula", "is_simple", "writes_past_caches"]

BYTE = 0.0125
"""Nanoseconds for a byte of an operand or a result, in the cache of a core."""

TRANSCENDENTAL_COST = 1.5
"""Nanoseconds for eight bytes of a result by a formula of many steps."""

DIVIDING = 0.8
"""Nanoseconds for eight bytes of a result by an instruction that divides."""

BOUND_BY_MEMORY = 0.08
"""Nanoseconds for a byte of an operand or a result, up to which the memory bounds a kernel, not the computation."""

SIMPLE = frozenset(
    (
        *("abs", "add", "astype", "bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_or"),
        *("bitwise_right_shift", "bitwise_xor", "ceil", "clip", "conj", "copysign", "equal", "floor"),
        *("greater", "greater_equal", "isfinite", "isinf", "isnan", "less", "less_equal", "logical_and"),
        *("logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "not_equal"),
        *("positive", "real", "round", "sign", "signbit", "square", "subtract", "trunc", "where"),
        *("copied", "rows", "selected", "take"),
        *KERNEL_REDUCTIONS,
    )
)
"""Operations of a few instructions; also reductions among the steps of a program."""

DIVISIONS = frozenset(("divide", "floor_divide", "reciprocal", "remainder", "sqrt"))
"""Operations by an instruction that divides."""


def cost(program: Program) -> float:
    """Estimate the nanoseconds that one thread takes for an element."""
    known: float | None = program.kernels.get("cost")
    if known is not None:
        return known
    dtypes, first = program.dtypes, len(program.inputs) + len(program.scalars)
    total: float = BYTE * sum(dtypes[position].itemsize for position in (*range(len(program.inputs)), *program.outputs))
    for step, dtype in zip(program.steps, dtypes[first:], strict=True):
        cost = 0.05 if step.name in SIMPLE else DIVIDING if step.name in DIVISIONS else TRANSCENDENTAL_COST
        total += cost * dtype.itemsize / 8
    program.kernels["cost"] = total
    return total


def has_formula(program: Program) -> bool:
    """Whether an operation is computed by a formula of many steps."""
    known: bool | None = program.kernels.get("formula")
    if known is None:
        names = {step.name for step in program.steps}
        known = program.kernels["formula"] = not names <= SIMPLE | DIVISIONS
    return known


def is_simple(program: Program) -> bool:
    """Whether a program is one operation of a few instructions on one array of real numbers."""
    return (
        len(program.inputs) == len(program.steps) == 1
        and program.steps[0].name in SIMPLE
        and not (program.inputs[0].startswith("complex"))
    )


def writes_past_caches(program: Program, size: int) -> bool:
    """Whether a kernel writes past the caches: large outputs of operations that the memory bounds."""
    least = min([program.dtypes[position].itemsize for position in program.outputs])
    walked = sum([program.dtypes[position].itemsize for position in (*range(len(program.inputs)), *program.outputs)])
    return least * size >= BYTES_STREAMED and cost(program) <= BOUND_BY_MEMORY * walked
