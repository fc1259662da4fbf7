"""Groups of recorded operations that one kernel computes a row after the other.

Softmax goes over a row three times: its maximum, the sum of exponentials, the quotients. One kernel for all of them
reads the row from memory once and writes only the result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from .graph import MOST_STEPS, operands_of, readers_of
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
    takes: Callable[[Shape], bool],
) -> list[Group]:
    """Return the groups of a graph.

    Parameters
    ----------
    order
        All nodes, each after its operands.
    wanted
        The nodes of the results.
    takes
        Whether a kernel goes over a shape row by row.
    """
    needs = {node: operands_of(node) for node in order}
    readers = readers_of(order)
    groups: list[Group] = []
    units: list[Sequence[Node]] = [(node,) for node in order]
    for shape in dict.fromkeys([node.operands[0].shape for node in order if _reduces_rows(node)]):
        if not takes(shape):
            continue
        levels, candidates = _levels(units, shape, needs)
        chosen = {level: nodes for level, nodes in candidates.items() if _goes_over_rows_again(nodes, shape)}
        inside = {node: level for level, nodes in chosen.items() for node in nodes}
        for nodes in chosen.values():
            outputs = [
                node
                for node in nodes
                if node in wanted or any(inside.get(reader) != inside[node] for reader in readers[node])
            ]
            groups.append(Group(shape, nodes, outputs))
        units = [unit for unit in units if unit[0] not in inside]
        units += chosen.values()
        units.sort(key=lambda unit: levels[unit[0]])
    return groups


def _reduces_rows(node: Node) -> bool:
    """Whether a node is a reduction along the last of several axes."""
    if node.kind != "reduction":
        return False
    shape = node.operands[0].shape
    return len(shape) > 1 and shape[-1] > 1 and node.options[0] == (len(shape) - 1,)


def _levels(
    units: Sequence[Sequence[Node]], shape: Shape, needs: Mapping[Node, Collection[Node]]
) -> tuple[dict[Node, int], dict[int, list[Node]]]:
    """Return the level of each node, and the operations over a shape that may be groups, by level.

    A unit is a single operation, or an earlier group, which is computed as a whole; its level is that of its nodes. A
    group has an even level, and the units between two groups an odd one: each needs those of its own and of lower
    levels alone. A group has at most ``MOST_STEPS`` operations, and reads no reduced axis that it has left out, which
    does not broadcast to its row.
    """
    shapes = shape, (*shape[:-1], 1)
    levels: dict[Node, int] = {}
    members: dict[int, list[Node]] = {}
    for unit in units:
        node, level = unit[0], -1
        fits = len(unit) == 1 and (
            node.shape in shapes if node.kind == "step" else _reduces_rows(node) and node.operands[0].shape == shape
        )
        for item in unit:
            for operand in needs[item]:
                before = levels.get(operand, -1)
                if before % 2 == 0 and (not fits or _drops_axis(operand)):
                    before += 1  # it follows the operand's group
                level = max(level, before)
        if fits:
            level += level % 2
            while len(members.setdefault(level, [])) >= MOST_STEPS:
                level += 2
            members[level].append(node)
        for item in unit:
            levels[item] = level
    return levels, members


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
