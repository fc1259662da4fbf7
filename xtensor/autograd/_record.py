"""The record of a computation: nodes, and the pass back over them.

Requirements: a node keeps the values that its pullback uses and no others; a record has no cycle, so that it is freed
with the last Array that refers to it; the pass back is a loop, so that a record may be of any length.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from operator import attrgetter
from typing import Any

from .. import _standard as xp
from .._core.array import Array, wrap
from .._core.backend import Native
from .._core.device import Device
from .._core.dtypes import DType
from .._fuse.formulas import compute_formula
from ._table import SELECTIONS, Derivative, fit, identity
from ._transform import mapped

__all__ = [
    "ElementwisePull",
    "Node",
    "Pull",
    "PullOfOne",
    "PullOfSeveral",
    "Several",
    "Variable",
    "backpropagate",
    "select",
    "wrapped",
]

FEWEST_FUSED = 2**12
"""Elements from which an elementwise pullback of several operations is computed by one kernel, where there are any."""

_numbers = count()

_number = attrgetter("number")


def wrapped(value: Any, device: Device) -> Any:
    """Return nested native arrays as Arrays."""
    return mapped(value, device.native_type, lambda native: wrap(native, device))


# -- pullbacks --------------------------------------------------------------------------------------------------------


class Pull:
    """Pullback of an operation, which its nodes share.

    Attributes
    ----------
    selects
        Whether the operation selects some of its operands' elements.
    elementwise
        Whether it is elementwise.
    """

    __slots__ = ("elementwise", "selects")

    def __init__(self, row: Derivative | None = None) -> None:
        self.selects = row is not None and row.name in SELECTIONS
        self.elementwise = row is not None and row.pullback is None

    def __call__(self, node: Node, g: Any) -> Iterable[Any]:
        """Return the cotangents of the node's parents, None where one has none."""
        return ()


class ElementwisePull(Pull):
    """Of an elementwise operation: a node saves the result and the operands, None for those that are not used."""

    __slots__ = ("_base", "_fewest", "_functions")

    def __init__(self, row: Derivative, base: Device) -> None:
        super().__init__(row)
        self._functions, self._base = row.elementwise, base
        self._fewest = FEWEST_FUSED if row.fused else sys.maxsize

    def __call__(self, node: Node, g: Any) -> Iterable[Any]:
        base, saved = self._base, node.saved
        native_type = base.native_type
        found: list[Any] = []
        for (function, places), parent in zip(self._functions, node.parents, strict=True):
            if parent is None or function is None:
                found.append(None)
                continue
            if function is identity:
                found.append(g)
                continue
            given = [g]  # each function begins with it
            for place in places[1:]:
                value = saved[place - 1]
                given.append(wrap(value, base) if isinstance(value, native_type) else value)
            found.append(compute_formula(function, *given) if g.size >= self._fewest else function(*given))
        return found


class PullOfOne(Pull):
    """Of an operation with one array operand: a node saves the result, the operand, and the other arguments."""

    __slots__ = ("_base", "_function")

    def __init__(self, row: Derivative, base: Device) -> None:
        super().__init__(row)
        self._function: Any = row.pullback
        self._base = base

    def __call__(self, node: Node, g: Any) -> Iterable[Any]:
        out, x, args, options = node.saved
        result = node if out is None else wrapped(out, self._base)  # a node has a shape and a dtype
        operand = node.parents[0] if x is None else wrap(x, self._base)
        return (self._function(g, result, operand, *args, **options),)


class PullOfSeveral(PullOfOne):
    """Of any other operation: a node saves the result and the arguments."""

    __slots__ = ()

    def __call__(self, node: Node, g: Any) -> Iterable[Any]:
        result, args, options = wrapped(node.saved, self._base)
        found = self._function(g, result, *args, **options)
        return found if isinstance(found, (tuple, list)) else (found,)


class _Released(Pull):
    __slots__ = ()

    def __call__(self, node: Node, g: Any) -> Iterable[Any]:
        raise RuntimeError(
            "the record of this computation was released by an earlier pass back; pass retain_graph=True to it, or "
            "compute the value again"
        )


class _Select(Pull):
    """Of one result of several: the position and the cotangent."""

    __slots__ = ()

    def __call__(self, node: Node, g: Any) -> Iterable[Any]:
        return ((node.saved, g),)


RELEASED, NOTHING, select = _Released(), Pull(), _Select()


# -- nodes ------------------------------------------------------------------------------------------------------------


class Node:
    """A value of the record that depends on a variable.

    Attributes
    ----------
    number
        Its position in the order of computation.
    shape, dtype
        Of the value.
    parents
        The node of each operand; None for a constant.
    pull
        The pullback of the operation.
    saved
        What the pullback uses.
    hooks
        Functions that are called with the value's cotangent; None without one.
    """

    __slots__ = ("__weakref__", "dtype", "hooks", "number", "parents", "pull", "saved", "shape")

    def __init__(self, value: Native, parents: Sequence[Node | None], pull: Pull, saved: Any) -> None:
        self.number = next(_numbers)
        self.shape: tuple[int, ...] = value.shape
        self.dtype: DType = value.dtype
        self.parents, self.pull, self.saved = parents, pull, saved
        self.hooks: list[Callable[[Array], Array | None]] | None = None

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def release(self) -> None:
        """Give up the values that are kept for the pass back."""
        self.parents, self.pull, self.saved = (), RELEASED, None


class Variable(Node):
    """A node at which the pass back ends.

    Attributes
    ----------
    grad
        The gradient that :func:`xtensor.autograd.backward` accumulated, or None.
    """

    __slots__ = ("grad",)

    def __init__(self, value: Native) -> None:
        super().__init__(value, (), NOTHING, None)
        self.grad: Array | None = None

    def release(self) -> None:
        """A variable keeps nothing."""


class Several(Node):
    """The node of an operation with several results; each result has a node of its own, whose parent it is.

    Attributes
    ----------
    results
        Shape and dtype of each result.
    """

    __slots__ = ("results",)

    def __init__(self, values: Sequence[Native], parents: Sequence[Node | None], pull: Pull, saved: Any) -> None:
        super().__init__(values[0], parents, pull, saved)
        self.results: tuple[tuple[tuple[int, ...], DType], ...] = tuple([(x.shape, x.dtype) for x in values])


# -- the pass back ----------------------------------------------------------------------------------------------------


def backpropagate(seeds: Iterable[tuple[Node, Array]], *, retain: bool = False) -> dict[Variable, Array]:
    """Return the cotangents of the variables that values depend on.

    Parameters
    ----------
    seeds
        Nodes of values with their cotangents, on the device that the transform stands on.
    retain
        Whether the record is kept for another pass. Otherwise each node releases what it keeps as soon as it is used.

    Notes
    -----
    An element that a ``where``, an index or a maximum did not select has the cotangent 0, and 0 it stays, also where
    the derivative before it is infinite or NaN: the product would be NaN.
    """
    cotangents: dict[Node, Any] = {}
    for node, g in seeds:
        _accumulate(cotangents, node, g)
    found: dict[Variable, Array] = {}
    selected: set[Node] = set()
    for node in _reached(list(cotangents)):
        g = cotangents.pop(node, None)
        if g is None:
            continue
        if node.hooks is not None:
            g = _hooked(node, g, node.hooks)
        if node.__class__ is Variable:
            found[node] = g
            continue
        pull = node.pull
        selects = pull.selects or node in selected
        for parent, cotangent in zip(node.parents, pull(node, g), strict=False):
            if parent is None or cotangent is None:
                continue
            if selects:
                selected.add(parent)
                if pull.elementwise and cotangent is not g:
                    cotangent = xp.where(g == 0, 0, cotangent)
            _accumulate(cotangents, parent, cotangent)
        if not retain:
            node.release()
    return found


def _accumulate(cotangents: dict[Node, Any], node: Node, g: Any) -> None:
    """Add a cotangent to those of a node: for one of several results, a pair of its position and the cotangent."""
    if node.__class__ is Several:
        place, g = g
        parts = cotangents.get(node, (None,) * len(node.results))
        g = fit(g, *node.results[place])
        g = g if parts[place] is None else parts[place] + g
        cotangents[node] = (*parts[:place], g, *parts[place + 1 :])
        return
    if g.dtype is not node.dtype or g.shape != node.shape:
        g = fit(g, node.shape, node.dtype)
    before = cotangents.get(node)
    cotangents[node] = g if before is None else before + g


def _hooked(node: Node, g: Array, hooks: Sequence[Callable[[Array], Array | None]]) -> Array:
    for hook in hooks:
        changed = hook(g)
        g = g if changed is None else fit(changed, node.shape, node.dtype)
    return g


def _reached(roots: list[Node]) -> list[Node]:
    """Return the nodes that others depend on, the last computed one first."""
    seen = set(roots)
    pending = roots
    while pending:
        for parent in pending.pop().parents:
            if parent is not None and parent not in seen:
                seen.add(parent)
                pending.append(parent)
    return sorted(seen, key=_number, reverse=True)
