"""Groups of recorded operations that one kernel computes a row after the other.

Softmax goes over a row three times: its maximum, the sum of exponentials, the quotients. One kernel for all of them
reads the row from memory once and writes only the result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from .graph import MOST_STEPS
from .nodes import Node

__all__ = ["Group", "row_groups"]

Shape = tuple[int, ...]


@dataclass(slots=True)
class Group:
    """Elementwise operations and reductions along the last axis, with no other operation between them.

    Attributes
    ----------
    shape
        The shape of the operands of the reductions.
    members
        The operations, each after its operands.
    outputs
        Those of which others need the results.
    """

    shape: Shape
    members: list[Node]
    outputs: list[Node]


def row_groups(
    order: Sequence[Node],
    wanted: Collection[Node],
    operands: Callable[[Node], Collection[Node]],
    takes: Callable[[Shape], bool],
) -> list[Group]:
    """Return the groups of a graph.

    Parameters
    ----------
    order
        All nodes, each after its operands.
    wanted
        The nodes of the results.
    operands
        The nodes that a node depends on.
    takes
        Whether a kernel goes over a shape row by row.
    """
    needs = {node: operands(node) for node in order}
    readers: dict[Node, list[Node]] = {node: [] for node in order}
    for node in order:
        for operand in needs[node]:
            readers[operand].append(node)
    groups: list[Group] = []
    units: list[Sequence[Node]] = [(node,) for node in order]
    shapes: dict[Shape, set[Node]] = {}
    for node in order:
        if _reduces_rows(node):
            shapes.setdefault(node.operands[0].shape, set()).add(node)
    for shape, reductions in shapes.items():
        searched: list[Sequence[Node]] = []  # units of which none fits into a group of this shape
        while reductions and takes(shape):
            members, after = _members(units, shape, needs)
            if not members:
                break
            reductions -= members
            ordered = [node for unit in units for node in unit if node in members]
            before = [unit for unit in units if unit[0] not in after]
            units = [unit for unit in units if unit[0] in after]
            if not _goes_over_rows_again(ordered, shape):
                searched += before  # a group would be no gain
                continue
            outputs = [
                node for node in ordered if node in wanted or any(reader not in members for reader in readers[node])
            ]
            groups.append(Group(shape, ordered, outputs))
            # No other unit depends on the group or on what comes after it.
            before = [unit for unit in before if unit[0] not in members]
            units = [ordered, *units]
            if len(members) < MOST_STEPS:
                searched += before
            else:
                units = before + units
        units = searched + units
    return groups


def _reduces_rows(node: Node) -> bool:
    """Whether a node is a reduction along the last of several axes."""
    if node.kind != "reduction":
        return False
    shape = node.operands[0].shape
    return len(shape) > 1 and shape[-1] > 1 and node.options[0] == (len(shape) - 1,)


def _members(
    units: Sequence[Sequence[Node]], shape: Shape, needs: Mapping[Node, Collection[Node]]
) -> tuple[set[Node], set[Node]]:
    """The operations over a shape that depend on no other unit that depends on one of them; and those other units.

    The units are single operations, and earlier groups, which are computed as a whole.
    """
    shapes = shape, (*shape[:-1], 1)
    members: set[Node] = set()
    after: set[Node] = set()
    for unit in units:
        node, fits = unit[0], False
        if len(unit) == 1 and len(members) < MOST_STEPS:
            if node.kind == "step":
                fits = node.shape in shapes
            elif node.kind == "reduction":
                fits = _reduces_rows(node) and node.operands[0].shape == shape
        later = depends = False
        for item in unit:
            for operand in needs[item] if members else ():
                if operand in after:
                    later = True
                elif operand in members:
                    depends = True
                    # A reduced axis that is left out does not broadcast to its row.
                    later = later or (_drops_axis(operand) and fits)
        if fits and not later:
            members.add(node)
        elif later or depends:
            after.update(unit)
    return members, after


def _drops_axis(node: Node) -> bool:
    return node.kind == "reduction" and not node.options[1]


def _goes_over_rows_again(members: Sequence[Node], shape: Shape) -> bool:
    """Whether an operation over whole rows, or another reduction, needs the result of a reduction.

    Each member comes after its operands.
    """
    own, following = set(members), set()
    for node in members:
        if any(
            operand.__class__ is Node and (operand in following or (operand in own and operand.kind == "reduction"))
            for operand in node.operands
        ):
            following.add(node)
    return any(node.kind == "reduction" or node.shape == shape for node in following)
