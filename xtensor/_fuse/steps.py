"""The program of a kernel that computes some steps of a recorded graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core.kernel_program import Program, Step, name_of
from .nodes import Node

__all__ = ["program_of"]


def program_of(
    steps: list[Node], *, outputs: Sequence[Node] = (), reduction: tuple[str, Node] | None = None
) -> tuple[Program, list[Node], list[Any]]:
    """Return the program of some steps, the nodes of its arrays and the values of its scalars."""
    inside = set(steps)
    inputs: dict[Node, int] = {}
    scalars: list[tuple[Any, str]] = []
    plans = []
    for node in steps:
        casts = (node.operands[0].dtype,) if node.kind == "reduction" else node.options
        positions: list[tuple[str, Any, Any]] = []
        for operand, dtype in zip(node.operands, casts, strict=True):
            if operand.__class__ is not Node:
                positions.append(("scalar", len(scalars), dtype))
                scalars.append((operand, name_of(dtype)))
            elif operand in inside:
                positions.append(("step", operand, dtype))
            else:
                positions.append(("array", inputs.setdefault(operand, len(inputs)), dtype))
        plans.append((node, positions))
    if reduction is not None and reduction[1] not in inside:
        inputs.setdefault(reduction[1], len(inputs))
    arrays = list(inputs)
    first = len(arrays) + len(scalars)
    made: list[Step] = []
    known: dict[Any, int] = {}

    def position(kind: str, item: Any, dtype: Any) -> int:
        if kind == "scalar":
            return len(arrays) + int(item)
        source, origin = (item, arrays[item].dtype) if kind == "array" else (known[item], item.dtype)
        if origin == dtype:
            return int(source)
        key = source, dtype
        if key not in known:
            made.append(Step("astype", (source,), name_of(dtype)))
            known[key] = first + len(made) - 1
        return known[key]

    for node, positions in plans:
        operands = tuple([position(*operand) for operand in positions])
        made.append(Step(node.name, operands, name_of(node.dtype)))
        known[node] = first + len(made) - 1
    reductions: tuple[tuple[str, int], ...] = ()
    if reduction is not None:
        name, operand = reduction
        reductions = ((name, known[operand] if operand in inside else inputs[operand]),)
    program = Program(
        tuple([name_of(node.dtype) for node in arrays]),
        tuple([dtype for _, dtype in scalars]),
        tuple(made),
        tuple([known[node] for node in outputs]),
        reductions,
    )
    return program.shared(), arrays, [value for value, _ in scalars]
