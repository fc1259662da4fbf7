"""The graph of a recording: the order of its nodes, equal ones, and the stages in which they are computed.

Requirement: a graph may have any depth, so that each walk is a loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._core.tracing_errors import Number
from .._core.trees import leaves_of, mapped
from .keys import Same, key_of
from .nodes import Node, with_item, write_item

__all__ = [
    "MOST_STEPS",
    "ancestors",
    "delay",
    "last_uses",
    "needed_nodes",
    "operands_of",
    "outside_of",
    "readers_of",
    "replace_operands",
    "sort",
    "stages_of",
    "unify",
    "with_exclusive_operands",
    "write_in_place",
]

MOST_STEPS = 96
"""Operations of one kernel: compilers take more than proportional time for more."""

FAST_STEPS = frozenset(("abs", "add", "astype", "multiply", "negative", "subtract"))
"""Operations that take less time than to write their results and read them again."""

MOST_REPEATED = 2
"""Operations in a row that several kernels compute: without a limit, a loop's would go back to its first array."""

MOST_BYTES = 2**20
"""Bytes of a constant that is compared with others."""

MOST_NUMBERS = 64
"""Numbers among the operands of one kernel, which takes few."""


def operands_of(node: Node) -> list[Node]:
    """Return the nodes that a node depends on."""
    needed = node.needs
    if needed is None:
        items = leaves_of(node.operands[1:]) if node.kind == "call" else node.operands
        needed = node.needs = [item for item in items if item.__class__ is Node]
    return needed


def readers_of(order: Sequence[Node]) -> dict[Node, list[Node]]:
    """Return for each node those that depend on it; one that depends on it twice is listed twice."""
    readers: dict[Node, list[Node]] = {node: [] for node in order}
    for node in order:
        for operand in operands_of(node):
            readers[operand].append(node)
    return readers


def sort(wanted: Sequence[Node]) -> list[Node]:
    """Return all nodes that some nodes depend on, each after its operands."""
    order: dict[Node, None] = {}
    waiting: list[tuple[Node, bool]] = [(node, False) for node in reversed(wanted)]
    while waiting:
        node, ready = waiting.pop()
        if node in order:
            continue
        if ready:
            order[node] = None
            continue
        waiting.append((node, True))
        waiting += [(operand, False) for operand in operands_of(node) if operand not in order]
    return list(order)


def unify(order: Sequence[Node]) -> dict[Node, Node]:
    """Return for each node the first one that computes the same; operands are replaced by theirs."""
    same: dict[Node, Node] = {}
    first: dict[Any, Node] = {}
    key: Any
    for node in order:
        replace_operands(node, same)
        if node.kind in ("step", "reduction"):
            options = node.options if node.kind == "reduction" else None
            key = node.kind, node.name, tuple([_identity(item) for item in node.operands]), options, node.dtype
            same[node] = first.setdefault(key, node)
        elif node.kind == "call":
            try:
                key = node.name, Same(node.operands[0]), _identities(node.operands[1:])
            except TypeError:  # of an argument that has no key
                key = node
            same[node] = first.setdefault(key, node)
        elif node.kind == "result":
            same[node] = first.setdefault((node.operands, node.options), node)
        elif node.kind == "constant" and isinstance(node.options, np.ndarray) and node.options.nbytes <= MOST_BYTES:
            value = node.options
            same[node] = first.setdefault((value.dtype, value.shape, value.tobytes()), node)
        else:
            same[node] = node
    return same


def _identities(tree: Any) -> Any:
    """Return a key of nested arguments."""
    kind = tree.__class__
    if kind is tuple or kind is list:
        return kind, *map(_identities, tree)
    if kind is dict:
        return kind, *[(name, _identities(item)) for name, item in tree.items()]
    if kind is slice:
        return kind, _identities(tree.start), _identities(tree.stop), _identities(tree.step)
    return _identity(tree)


def _identity(operand: Any) -> Any:
    """Return a key of an operand."""
    if operand.__class__ is Node:
        return operand
    return (Number, operand.index) if operand.__class__ is Number else key_of(operand)


def replace_operands(node: Node, others: Mapping[Node, Node]) -> None:
    """Let a node depend on other nodes in the places of some."""
    if not any(item in others and others[item] is not item for item in operands_of(node)):
        return
    node.take(mapped(tuple(node.operands), lambda item: others.get(item, item) if item.__class__ is Node else item))


def stages_of(order: Sequence[Node]) -> dict[Node, int]:
    """Return the stage of each node: what it reads from memory is computed in stages before.

    The steps of one stage and shape are one kernel, of at most ``MOST_STEPS`` steps and ``MOST_NUMBERS`` numbers.
    """
    stages: dict[Node, int] = {}
    steps: Counter[tuple[int, Any]] = Counter()
    numbers: Counter[tuple[int, Any]] = Counter()
    for node in order:
        stage = 0
        for operand in operands_of(node):
            if operand.kind in ("array", "constant", "outside"):
                continue
            together = operand.kind == "step" and (
                node.kind == "reduction" or (node.kind == "step" and operand.shape == node.shape)
            )
            stage = max(stage, stages[operand] + (not together))
        if node.kind == "step":
            while (kernel := (stage, node.shape)) in steps and (
                steps[kernel] >= MOST_STEPS or numbers[kernel] >= MOST_NUMBERS
            ):
                stage += 1
            steps[kernel] += 1
            numbers[kernel] += _numbers_of(node)
        stages[node] = stage
    return stages


def _numbers_of(node: Node) -> int:
    return sum([item.__class__ is not Node for item in node.operands])


def needed_nodes(order: Sequence[Node], stages: dict[Node, int], wanted: Sequence[Node]) -> set[Node]:
    """Return the elementwise results that are written to memory."""
    needed = {node for node in wanted if node.kind == "step"}
    for node in order:
        for operand in operands_of(node):
            if operand.kind != "step":
                continue
            same_kernel = node.kind in ("step", "reduction") and stages[operand] == stages[node]
            if not same_kernel:
                needed.add(operand)
    return needed


def delay(order: list[Node], stages: dict[Node, int], needed: set[Node], wanted: Collection[Node]) -> None:
    """Move steps into the kernels that read them, where that saves their memory: ``x - mean`` for an ``x`` in memory.

    A step is moved, with those before it that nothing else reads, if their operands are in memory anyway, and if
    kernels over arrays of its shape read it and nothing else. Several kernels have a copy each, if it is one step that
    is fast and reads one array of its size, and if at most ``MOST_REPEATED - 1`` copies in a row read it.
    """
    repeated: Counter[Node] = Counter()  # the copies in a row that end with a copy
    readers = readers_of(order)
    steps: Counter[tuple[int, Any]] = Counter()
    numbers: Counter[tuple[int, Any]] = Counter()
    for node in order:
        if node.kind == "step":
            steps[stages[node], node.shape] += 1
            numbers[stages[node], node.shape] += _numbers_of(node)
    for node in order[::-1]:
        if node.kind != "step" or node not in needed or node in wanted:
            continue
        reading, shape = readers[node], node.shape
        if not all(item.kind == "reduction" or (item.kind == "step" and item.shape == shape) for item in reading):
            continue
        moved = with_exclusive_operands([node], needed, readers)
        operands = set(outside_of(moved))
        if any(item.kind == "step" and item not in needed for item in operands):
            continue
        large = sum(item.shape == shape for item in operands)
        chosen = sorted({stages[item] for item in reading})
        several = len(chosen) > 1
        if large > 2 or (several and (large > 1 or len(moved) > 1 or node.name not in FAST_STEPS)):
            continue
        copies = 1 + max([repeated[item] for item in reading])
        if several and copies > MOST_REPEATED:
            continue
        more = sum(map(_numbers_of, moved))
        if any(
            steps[stage, shape] + len(moved) > MOST_STEPS or numbers[stage, shape] + more > MOST_NUMBERS
            for stage in chosen
        ):
            continue
        needed.discard(node)
        for stage in chosen:
            steps[stage, shape] += len(moved)
            numbers[stage, shape] += more
            if not several:
                stages.update(dict.fromkeys(moved, stage))
                continue
            copy = Node("step", node.name, node.operands, node.options, shape, node.dtype)
            stages[copy] = stage
            repeated[copy] = copies
            order.append(copy)
            for operand in operands:
                readers[operand].append(copy)
            for item in reading:
                if stages[item] == stage:
                    item.take([copy if operand is node else operand for operand in item.operands])


def with_exclusive_operands(
    ends: Sequence[Node], written: Collection[Node], readers: Mapping[Node, Sequence[Node]]
) -> list[Node]:
    """Return steps and those before them, of their shape, that nothing else reads and nothing writes to memory."""
    exclusive = dict.fromkeys(ends)
    waiting = list(ends)
    for node in waiting:
        for operand in operands_of(node):
            if (
                operand.kind == "step"
                and operand.shape == node.shape
                and operand not in exclusive
                and operand not in written
                and len(exclusive) < MOST_STEPS
                and all(reader in exclusive for reader in readers[operand])
            ):
                exclusive[operand] = None
                waiting.append(operand)
    return waiting


def ancestors(ends: Iterable[Node], inside: Collection[Node]) -> list[Node]:
    """Return the nodes of a set that some of its nodes depend on, and those, each after its operands."""
    order: dict[Node, None] = {}
    waiting = [(node, False) for node in reversed(list(ends)) if node in inside]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            order[node] = None
        elif node not in order:
            waiting.append((node, True))
            waiting += [(item, False) for item in reversed(operands_of(node)) if item in inside and item not in order]
    return list(order)


def outside_of(steps: Sequence[Node]) -> list[Node]:
    """Return the nodes that some steps take from others."""
    inside = set(steps)
    return [operand for node in steps for operand in operands_of(node) if operand not in inside]


def write_in_place(order: Sequence[Node], wanted: Collection[Node]) -> None:
    """Let an assignment write to what the one before has copied, if nothing else reads that."""
    readers = Counter([operand for node in order for operand in operands_of(node)])
    for node in order:
        if node.kind != "call" or node.operands[0] is not with_item:
            continue
        (array, *_) = node.operands[1]
        if array.kind == "result" and array.name == "__setitem__" and readers[array] == 1 and array not in wanted:
            node.take((write_item, *node.operands[1:]))


def last_uses(reads: Sequence[Sequence[Node]], kept: set[Node]) -> list[list[Node]]:
    """Return for each action the nodes that no later one reads, so that their memory serves again."""
    ends: list[list[Node]] = []
    later = set(kept)
    for nodes in reversed(reads):
        ended = [node for node in dict.fromkeys(nodes) if node not in later]
        later.update(ended)
        ends.append(ended)
    return ends[::-1]
