"""Rolled arrays that kernels read in their place: ``u + roll(u, 1)`` without a copy of ``u``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from .graph import operands_of
from .nodes import Node

__all__ = ["Roll", "rolls_of"]


class Roll(NamedTuple):
    """How an array is rolled.

    Attributes
    ----------
    operand
        The node of the array.
    shifts
        The shift along each axis, from 0 to before its length.
    """

    operand: Node
    shifts: tuple[int, ...]


def rolls_of(order: Sequence[Node], wanted: Collection[Node]) -> dict[Node, Roll]:
    """Return the results of ``roll`` that only elementwise steps of their shape read."""
    rolls = {node: roll for node in order if (roll := _roll_of(node)) is not None and node not in wanted}
    for node in order:
        for operand in operands_of(node):
            if operand in rolls and (node.kind != "step" or node.shape != operand.shape):
                del rolls[operand]
    return rolls


def _roll_of(node: Node) -> Roll | None:
    """Return how a result is rolled; None for another function, and for an array that is rolled as a flat one."""
    if node.kind != "result" or node.name != "roll" or not node.shape:
        return None
    _, operands, options, _ = node.operands[0].operands
    x, shift = operands
    axis = options.get("axis")
    if axis is None and len(node.shape) > 1:
        return None
    axes = (0,) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    given = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    if x.__class__ is not Node or not all(number.__class__ is int for number in given):
        return None
    shifts = [0] * len(node.shape)
    for number, along in zip(given, axes, strict=True):
        shifts[along] += number
    return Roll(x, tuple([number % max(length, 1) for number, length in zip(shifts, node.shape, strict=True)]))
