"""Results of a fused function: fresh Arrays of a plan's values.

No result shares memory with another one, or with what a recording keeps. An argument that the function returns is
returned itself, and a view of one is a view of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import wrap
from .._core.device import Device
from .._core.errors import describe
from .._core.operations import operation
from .._core.tracing_errors import Number
from .._core.tree_copies import DELETED, Copies, assign
from .._core.trees import mapped
from .guards import memory_of
from .nodes import Node, Traced
from .plans import Plan
from .watching import Watch

__all__ = ["Results", "separated"]

ASTYPE = operation("astype").index


class Results:
    """The results of a recording.

    Attributes
    ----------
    nodes
        The nodes of the Arrays among them.
    single
        Whether there is one result, which a kernel computes.
    returned
        The positions of the arguments that are results themselves.
    memories
        The identities of the memory of the recording's constants, and of arrays outside of the function.
    """

    def __init__(self, values: Any, copies: Copies, arguments: Sequence[Array], watch: Watch | None, name: str) -> None:
        self._names, assigned = copies.assigned()
        for (_, attribute), value in zip(self._names, assigned, strict=True):
            if isinstance(value, (int, float, complex)) and not isinstance(value, bool):
                raise TypeError(
                    f"{name}(): a function of xtensor.fuse cannot assign the number {value!r} to the attribute "
                    f"{attribute!r} of an argument, as later calls replay its operations alone; make the attribute an "
                    "Array"
                )
        self._restored = restored = copies.restored((values, assigned) if assigned else values)
        leaves = restored.leaves
        self.nodes: list[Node] = []
        self.single = False
        self._plan: Plan
        self._kept: list[Any] = []
        positions: dict[int, int] = {}
        given = {id(array): index for index, array in enumerate(arguments)}
        self._leaves: list[tuple[str, Any]] = []
        for leaf in leaves:
            if leaf.__class__ is Number:
                self._leaves.append(("number", leaf.index))
            elif leaf.__class__ is Array and id(leaf) in given:
                self._leaves.append(("argument", given[id(leaf)]))
            elif leaf.__class__ is Array and leaf._native.__class__ is Traced:
                if id(leaf) not in positions:
                    positions[id(leaf)] = len(self.nodes)
                    self.nodes.append(leaf._native.node)
                self._leaves.append(("value", positions[id(leaf)]))
            elif leaf.__class__ is Array:
                outside = watch is not None and watch.outside(leaf._native)
                self._leaves.append(("outside" if outside else "copy", leaf if outside else leaf.copy()))
            elif leaf is DELETED or isinstance(leaf, (bool, int, float, complex, str, np.dtype)):
                self._leaves.append(("constant", leaf))
            else:
                raise TypeError(
                    f"{name}(): a function of xtensor.fuse returns Arrays and numbers, not {describe(leaf)}"
                )
        self.returned = {item for kind, item in self._leaves if kind == "argument"}
        self._kept += leaves  # whose identities are compared above

    @property
    def assigned(self) -> Sequence[tuple[int, str]]:
        """The objects among the arguments, by number, and their attributes to which the function assigns."""
        return self._names

    def bind(self, plan: Plan) -> None:
        """Set the plan that computes the nodes."""
        self._nodes = [plan.same[node] for node in self.nodes]
        memories = [(node.kind, id(memory_of(value))) for node, value in plan.constants.items()]
        constants = {memory for kind, memory in memories if kind == "constant"}
        self.memories = constants, {memory for kind, memory in memories if kind == "outside"}
        computed = [node for node in self._nodes if node.kind in COMPUTED]
        self._compared = len(set(computed)) < len(self._nodes) and (bool(self.memories[0]) or len(self._nodes) > 1)
        tree = self._restored.tree
        alone = tree.kind is None and [kind for kind, _ in self._leaves] == ["value"]
        self.single = alone and not self._compared and self._nodes[0].kind in COMPUTED
        flat = tree.kind is tuple and all(part.kind is None for part in tree.parts)
        self._plain = flat and self._leaves == [("value", index) for index in range(len(self.nodes))]
        self._kept.clear()
        self._restored.leaves.clear()

    def __call__(
        self,
        values: dict[Node, Native],
        arrays: Sequence[Array | None],
        numbers: Sequence[Any],
        objects: Sequence[Any],
        device: Device,
    ) -> Any:
        """Return the results of a call, and set what it assigns to attributes of objects."""
        if self.single:
            return wrap(values[self._nodes[0]], device)
        natives = [values[node] for node in self._nodes]
        if self._compared:
            _separate(natives, arrays, device, *self.memories)
        made = [wrap(native, device) for native in natives]
        if self._plain:
            return tuple(made)

        def result(kind: str, item: Any) -> Any:
            if kind == "value":
                return made[item]
            if kind == "argument":
                return arrays[item]
            if kind == "number":
                return numbers[item]
            return item.copy() if kind == "copy" else item

        results = self._restored.build([result(kind, item) for kind, item in self._leaves], objects)
        if not self._names:
            return results
        returned, assigned = results
        assign(objects, self._names, assigned)
        return returned


def separated(values: Any, arrays: Sequence[Array], results: Results | None = None) -> Any:
    """Return results that a function itself computed, with copies of those that share memory with earlier ones.

    Parameters
    ----------
    values
        The results, nested.
    arrays
        The arguments, whose memory results may share.
    results
        The results of the function's recording, if there is one.
    """
    seen: dict[int, Array] = {}
    mapped(values, lambda array: seen.setdefault(id(array), array), Array)
    natives = [array._native for array in seen.values()]
    devices = {array._device for array in seen.values()}
    if len(natives) < 2 or len(devices) > 1:
        return values
    constants, outside = (set(), set()) if results is None else results.memories
    _separate(natives, arrays, devices.pop(), constants, outside)
    copies = {
        identity: wrap(native, array._device)
        for (identity, array), native in zip(seen.items(), natives, strict=True)
        if array._native is not native
    }
    return mapped(values, lambda array: copies.get(id(array), array), Array) if copies else values


def _separate(
    natives: list[Native], arrays: Sequence[Array | None], device: Device, constants: set[int], outside: set[int]
) -> None:
    """Copy the results that share memory with a constant or an earlier result, unless it is an argument's."""
    given = {id(memory_of(array._native)) for array in arrays if array is not None} | outside
    taken = set(constants)
    for index, native in enumerate(natives):
        memory = id(memory_of(native))
        if memory in taken:
            natives[index] = device.table[ASTYPE].function(native, native.dtype, copy=True)
        elif memory not in given:
            taken.add(memory)


COMPUTED = frozenset(("part", "reduction", "step"))
"""The kinds of nodes whose memory no other node has."""
