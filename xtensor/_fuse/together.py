"""Groups of recorded operations on arrays that do not depend on each other, which one call of a kernel computes.

An optimizer updates each parameter by operations of its own. A call for each costs more time than the operations, where
parameters are small.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import prod

from .._core.array import Array
from .graph import operands_of, readers_of, with_exclusive_operands
from .nodes import Node, Traced, session

__all__ = ["Together", "compute_together", "groups_together"]

MOST_BYTES = 2**26
"""Bytes of the results of one call, unless one array's are more: the memory of donated arrays serves the next one."""


@dataclass(slots=True)
class Together:
    """Elementwise operations in several units, each over one shape.

    Attributes
    ----------
    units
        The operations of each unit, each after its operands, and its results.
    members
        All operations.
    outputs
        All results.
    """

    units: list[tuple[list[Node], list[Node]]]
    members: list[Node]
    outputs: list[Node]


def compute_together(units: Iterable[Iterable[Array]]) -> None:
    """Let a recording that goes on compute some results by one call, where its device can.

    Parameters
    ----------
    units
        Lists of results, each of elementwise operations over one shape.
    """
    current = session.get()
    if current is not None:
        current.together.append(
            [
                [x._native.node for x in unit if x._native.__class__ is Traced] for unit in units
            ]  # others are transformed
        )


def groups_together(
    order: Sequence[Node], wanted: Collection[Node], together: Sequence[Sequence[Node]]
) -> list[Together]:
    """Return the groups of the results that are computed together.

    What only one unit needs belongs to it.

    Parameters
    ----------
    order
        All nodes, each after its operands.
    wanted
        The nodes of the results.
    together
        The nodes of each unit's results. Those that are no elementwise steps are left out.
    """
    readers = readers_of(order)
    units: list[list[Node]] = []
    taken: set[Node] = set()
    for nodes in together:
        ends = [node for node in dict.fromkeys(nodes) if node.kind == "step" and node in readers and node not in taken]
        if ends and all(node.shape == ends[0].shape for node in ends):
            units.append(with_exclusive_operands(ends, wanted, readers))
            taken.update(units[-1])
    if len(units) < 2 or _depends_on_itself(order, taken):
        return []
    positions = {node: position for position, node in enumerate(order)}
    groups: list[Together] = []
    size = MOST_BYTES
    for unit in units:
        members = sorted(unit, key=positions.__getitem__)
        inside = set(members)
        outputs = [node for node in members if node in wanted or any(reader not in inside for reader in readers[node])]
        made = sum([prod(node.shape or ()) * node.dtype.itemsize for node in outputs])
        size += made
        if size > MOST_BYTES:
            groups.append(Together([], [], []))
            size = made
        groups[-1].units.append((members, outputs))
        groups[-1].members += members
        groups[-1].outputs += outputs
    return [group for group in groups if len(group.units) > 1]


def _depends_on_itself(order: Sequence[Node], members: Collection[Node]) -> bool:
    """Whether a member reads what depends on a member through others."""
    after: set[Node] = set()
    for node in order:
        operands = operands_of(node)
        if node in members:
            if any(operand in after for operand in operands):
                return True
        elif any(operand in after or operand in members for operand in operands):
            after.add(node)
    return False
