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
    shapes = dict.fromkeys(node.operands[0].shape for node in order if _reduces_rows(node))
    for shape in shapes:
        while takes(shape):
            members = _members(units, shape, needs)
            ordered = [node for unit in units for node in unit if node in members]
            if not _goes_over_rows_again(ordered, shape):
                break
            outputs = [
                node for node in ordered if node in wanted or any(reader not in members for reader in readers[node])
            ]
            groups.append(Group(shape, ordered, outputs))
            units = _sorted([ordered, *[unit for unit in units if unit[0] not in members]], needs)
    return groups


def _sorted(units: Sequence[Sequence[Node]], needs: Mapping[Node, Collection[Node]]) -> list[Sequence[Node]]:
    """Return units of nodes, each after those that it depends on."""
    unit_of = {node: number for number, unit in enumerate(units) for node in unit}
    order: dict[int, None] = {}
    waiting = [(number, False) for number in reversed(range(len(units)))]
    while waiting:
        number, ready = waiting.pop()
        if ready:
            order[number] = None
        elif number not in order:
            waiting.append((number, True))
            before = {unit_of[operand] for node in units[number] for operand in needs[node]}
            waiting += [(other, False) for other in sorted(before, reverse=True) if other != number]
    return [units[number] for number in order]


def _reduces_rows(node: Node) -> bool:
    """Whether a node is a reduction along the last of several axes."""
    if node.kind != "reduction":
        return False
    shape = node.operands[0].shape
    return len(shape) > 1 and shape[-1] > 1 and node.options[0] == (len(shape) - 1,)


def _members(
    units: Sequence[Sequence[Node]], shape: Shape, needs: Mapping[Node, Collection[Node]]
) -> set[Node]:
    """The operations over a shape that depend on no other unit that depends on one of them.

    The units are single operations, and earlier groups, which are computed as a whole.
    """
    reduced = (*shape[:-1], 1)
    members: set[Node] = set()
    after: set[Node] = set()
    for unit in units:
        node, own = unit[0], [operand for member in unit for operand in needs[member]]
        if node.kind == "reduction":
            fits = _reduces_rows(node) and node.operands[0].shape == shape
        else:
            fits = node.kind == "step" and node.shape in (shape, reduced)
        fits = fits and len(unit) == 1 and len(members) < MOST_STEPS
        # A reduced axis that is left out does not broadcast to its row.
        if fits and not any(operand in after or (operand in members and _drops_axis(operand)) for operand in own):
            members.add(node)
        elif any(operand in members or operand in after for operand in own):
            after.update(unit)
    return members


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
