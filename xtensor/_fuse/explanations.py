"""Texts that tell what a recording consists of: its kernels, calls, checks, guards and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._core.backend import Native
from .._core.errors import shortened
from .guards import Guards, memory_of
from .nodes import Node
from .plans import Plan, ReplayError

__all__ = ["described"]

MOST_NAMES = 12
"""Operations of a kernel that are named."""


def described(
    name: str,
    plan: Plan,
    guards: Guards | None,
    lines: Mapping[Node, str],
    arrays: Sequence[Native],
    numbers: Sequence[Any],
) -> str:
    """Return the text of a recording, whose plan computes once for the memory."""
    steps, peak = _steps(plan, lines, arrays, numbers)
    counted = {kind: sum(step.startswith(kind) for step in steps) for kind in ("kernel", "call", "check")}
    guarded = _guards(guards)
    text = [
        f"{name}(): {', '.join(_count(number, kind) for kind, number in counted.items())}, "
        f"{_count(len(guarded), 'guard')}; at most {peak:,} bytes besides the arguments",
        *[f"  {index:3} {step}" for index, step in enumerate(steps, 1)],
    ]
    return "\n".join([*text, *[f"  guard  {guard}" for guard in guarded]])


def _count(number: int, kind: str) -> str:
    return f"{number} {kind}{'' if number == 1 else 's'}"


def _steps(
    plan: Plan, lines: Mapping[Node, str], arrays: Sequence[Native], numbers: Sequence[Any]
) -> tuple[list[str], int]:
    """Return a line for each kernel, call and check, and the largest number of bytes of their results at a time."""
    values = dict(plan.constants)
    for argument, index in plan.arguments:
        values[argument] = arrays[index]
    given = {id(memory_of(value)) for value in values.values()}
    steps, peak = [], 0
    for (action, ended), (kind, node) in zip(plan.schedule, plan.kinds, strict=True):
        before = set(values)
        try:
            action(values, numbers)
        except ReplayError:
            ending = "holds" if kind == "check" else "raises or declines"
            steps.append(
                f"{kind:6} {action.__doc__}: it {ending} for these arguments, and the function itself computes"
            )
            break
        held = {id(memory_of(x)): x.nbytes for x in map(memory_of, _arrays(values.values())) if hasattr(x, "nbytes")}
        peak = max(peak, sum(size for key, size in held.items() if key not in given))
        if kind != "result":
            made = [
                f"{x.dtype.name}{list(x.shape)}" for item, x in values.items() if item not in before and _is_array(x)
            ]
            steps.append(_line(kind, action.__doc__ or "", made, lines.get(node, "") if node else ""))
        for unused in ended:
            values.pop(unused, None)
    return steps, peak


def _line(kind: str, names: str, made: Sequence[str], line: str) -> str:
    words = names.split()
    listed = " ".join(words[:MOST_NAMES]) + (f" and {len(words) - MOST_NAMES} more" if len(words) > MOST_NAMES else "")
    results = f" -> {', '.join(made)}" if made else ""
    if kind == "call":
        return f"call   {listed}{results}{line and f'  at {line}'}: no kernel computes it"
    if kind == "check":
        return f"check  {listed}: the function itself computes where it holds"
    return f"kernel {listed}{results}"


def _is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape")


def _arrays(values: Any) -> list[Any]:
    arrays = []
    for value in values:
        arrays += [item for item in value if _is_array(item)] if isinstance(value, (tuple, list)) else []
        arrays += [value] if _is_array(value) else []
    return arrays


def _guards(guards: Guards | None) -> list[str]:
    """Return the values from outside that a replay compares."""
    if guards is None:
        return []
    named = []
    for _, owner, name, value in guards.exact:
        if isinstance(value, (bool, int, float, complex, str)):
            where = "the global" if isinstance(owner, dict) else f"the attribute of {type(owner).__name__}"
            where = "the closure's value" if type(owner).__name__ == "cell" else where
            named.append(
                f"{where} {'' if type(owner).__name__ == 'cell' else name} is {shortened(value)}".replace("  ", " ")
            )
    others = len(guards.exact) - len(named)
    named += [f"{others} functions, modules and objects are the same"] if others else []
    named += [f"{len(guards.states)} containers have the same items"] if guards.states else []
    return named + [f"an array of shape {array.shape} has the same elements" for array, _ in guards.arrays]
