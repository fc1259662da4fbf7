"""The record of a computation: nodes, and the pass back over them.

Requirements: a node keeps the values that its pullback uses and no others; a record has no cycle, so that it is freed
with the last Array that refers to it; the pass back is a loop, so that a record may be of any length.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import count, repeat
from operator import attrgetter
from typing import Any, NamedTuple

from .. import _ops as xp
from .._core.array import Array
from .._core.backend import Native
from .._core.calls import wrap
from .._core.device import Device
from .._core.dtypes import DType
from .._core.tracer import AbstractValue
from .._core.trees import mapped
from .._fuse.formulas import compute_formula
from .._fuse.watching import pause_reports, resume_reports
from ._copies import fresh
from ._table import Derivative, fit, identity

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

MIN_SIZE_FUSED = 2**12
"""Elements from which an elementwise pullback of several operations is computed by one kernel, where there are any."""

_numbers = count()

_number = attrgetter("number")


def wrapped(value: Any, device: Device) -> Any:
    """Return nested native arrays as Arrays."""
    return mapped(value, lambda native: wrap(native, device), device.native_type)


# -- pullbacks --------------------------------------------------------------------------------------------------------


class Pull:
    """Pullback of an operation, which its nodes share.

    Attributes
    ----------
    calls_users
        Whether it calls functions of the user.
    selects
        Whether the operation selects some of its operands' elements.
    exact
        Whether the cotangents of elements that are not connected are 0 by themselves.
    views
        Whether a cotangent may have the memory of another one.
    """

    __slots__ = ("calls_users", "exact", "selects", "views")

    def __init__(self, row: Derivative | None = None) -> None:
        self.calls_users = row is not None and row.calls_users
        self.selects = row is not None and row.selects
        self.exact = row is None or row.linear or (row.selects and row.pullback is None)
        self.views = row is None or row.views

    def __call__(self, node: Node, g: Any) -> Iterable[Any]:
        """Return the cotangents of the node's parents, None where one has none."""
        return ()

    def connected(self, node: Node, mask: Any, g: Any) -> Iterable[Any]:
        """Return the masks of the elements of the parents that are connected, None where all are.

        ``mask`` is that of the node's value: None where all of its elements are connected.
        """
        return repeat(None)

    def with_masks(self, node: Node, mask: Any, g: Any) -> tuple[Iterable[Any], Iterable[Any]]:
        """Return the cotangents of the parents and the masks of their connected elements."""
        return self(node, g), self.connected(node, mask, g)


class ElementwisePull(Pull):
    """Of an elementwise operation: a node saves the result and the operands, None for those that are not used."""

    __slots__ = ("_base", "_functions", "_min_size")

    def __init__(self, row: Derivative, base: Device) -> None:
        super().__init__(row)
        self._functions, self._base = row.elementwise, base
        self._min_size = MIN_SIZE_FUSED if row.fused else sys.maxsize

    def __call__(self, node: Node, g: Any) -> Iterable[Any]:
        base, saved = self._base, node.saved
        native_type = base.native_type
        cotangents: list[Any] = []
        for (function, positions), parent in zip(self._functions, node.parents, strict=True):
            if parent is None or function is None:
                cotangents.append(None)
                continue
            if function is identity:
                cotangents.append(g)
                continue
            given = [g]  # each function begins with it
            for position in positions[1:]:
                value = saved[position - 1]
                given.append(wrap(value, base) if isinstance(value, native_type) else value)
            cotangents.append(compute_formula(function, *given) if g.size >= self._min_size else function(*given))
        return cotangents

    def connected(self, node: Node, mask: Any, g: Any) -> Iterable[Any]:
        if not self.selects:
            return repeat(mask)
        return [None if part is None else part != 0 for part in self(node, as_weights(mask, g))]


class PullOfOne(Pull):
    """Of an operation with one array operand: a node saves the result, the operand, and the other arguments."""

    __slots__ = ("_base", "_connection", "_function")

    def __init__(self, row: Derivative, base: Device) -> None:
        super().__init__(row)
        self._function: Any = row.pullback
        self._connection = row.connection
        self._base = base

    def __call__(self, node: Node, g: Any, function: Any = None) -> Iterable[Any]:
        """``function`` is computed in the place of the pullback."""
        out, x, args, options = node.saved
        result = node if out is None else wrapped(out, self._base)  # a node has a shape and a dtype
        operand = node.parents[0] if x is None else wrap(x, self._base)
        return ((function or self._function)(g, result, operand, *args, **options),)

    def connected(self, node: Node, mask: Any, g: Any) -> Iterable[Any]:
        if self._connection is None:
            return repeat(None)
        pulled = self(node, as_weights(mask, g), self._connection)
        return [None if part is None else part != 0 for part in pulled]


class PullOfSeveral(PullOfOne):
    """Of any other operation: a node saves the result and the arguments."""

    __slots__ = ("_masked",)

    def __init__(self, row: Derivative, base: Device) -> None:
        super().__init__(row, base)
        self._masked = row.masked

    def with_masks(self, node: Node, mask: Any, g: Any) -> tuple[Iterable[Any], Iterable[Any]]:
        if self._masked is None:
            return super().with_masks(node, mask, g)
        result, args, options = wrapped(node.saved, self._base)
        return self._masked(g, mask, result, *args, **options)  # type: ignore[no-any-return]

    def __call__(self, node: Node, g: Any, function: Any = None) -> Iterable[Any]:
        result, args, options = wrapped(node.saved, self._base)
        cotangents = (function or self._function)(g, result, *args, **options)
        return cotangents if isinstance(cotangents, (tuple, list)) else (cotangents,)


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

    def connected(self, node: Node, mask: Any, g: Any) -> Iterable[Any]:
        return repeat(mask)


def as_weights(mask: Any, g: Any) -> Any:
    """Return masks of the elements of a value, or of several, as floating-point numbers; 1 without a mask."""
    if g is None:
        return None
    if isinstance(g, tuple):
        return tuple(map(as_weights, mask or (None,) * len(g), g))
    device, dtype = g._device, g.dtype
    if dtype.kind != "f" or dtype.itemsize < 4:
        dtype = device.default_dtypes["real floating"]
    if mask is None:
        return xp.broadcast_to(xp.ones((), dtype=dtype, device=device), g.shape)
    return xp.astype(mask, dtype)


RELEASED, NOTHING, select = _Released(), Pull(), _Select()


# -- nodes ------------------------------------------------------------------------------------------------------------


class Node(AbstractValue):
    """A value of the record that depends on a variable.

    Attributes
    ----------
    number
        Its position in the order of computation.
    parents
        The node of each operand; None for a constant.
    pull
        The pullback of the operation.
    saved
        What the pullback uses.
    hooks
        Functions that are called with the value's cotangent; None without one.
    """

    __slots__ = ("__weakref__", "hooks", "number", "parents", "pull", "saved")

    def __init__(self, value: Native, parents: Sequence[Node | None], pull: Pull, saved: Any) -> None:
        self.number = next(_numbers)
        self.shape: tuple[int, ...] = value.shape
        self.dtype: DType = value.dtype
        self.parents, self.pull, self.saved = parents, pull, saved
        self.hooks: list[Callable[[Array], Array | None]] | None = None

    def release(self) -> None:
        """Give up the values that are kept for the pass back."""
        self.parents, self.pull, self.saved = (), RELEASED, None


class Variable(Node):
    """A node at which the pass back ends.

    Attributes
    ----------
    grad
        The gradient that :func:`xtensor.autograd.backward` accumulated, or None.
    is_users
        Whether the user made it with :func:`xtensor.autograd.variable`.
    """

    __slots__ = ("grad", "is_users")

    def __init__(self, value: Native, *, is_users: bool = False) -> None:
        super().__init__(value, (), NOTHING, None)
        self.grad: Array | None = None
        self.is_users = is_users

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


class Cotangent(NamedTuple):
    """Cotangent of one node during a pass back.

    Attributes
    ----------
    value
        The cotangent; a tuple for an operation with several results.
    mask
        The elements that are connected with the results; None where all are. A tuple for several results.
    is_new
        Whether nothing else has the value's memory.
    """

    value: Any
    mask: Any
    is_new: bool


def backpropagate(
    seeds: Iterable[tuple[Node, Array] | tuple[Node, Array, Array | None]],
    *,
    retain: bool = False,
    connected_elements: dict[Variable, Array | None] | None = None,
) -> dict[Variable, Array]:
    """Return the cotangents of the variables that values depend on, in memory of their own.

    Parameters
    ----------
    seeds
        Nodes of values with their cotangents, on the device that the transform stands on, and the masks of the elements
        that are connected, where not all are.
    retain
        Whether the record is kept for another pass. Otherwise each node releases what it keeps as soon as it is used.
    connected_elements
        A dictionary to which the mask of the connected elements of each variable is written.

    Notes
    -----
    An element that a ``where``, an index or a maximum did not select is not connected with the results. Its cotangent
    is 0, and 0 it stays, also where the derivative before it is infinite or NaN: the product would be NaN. Which
    elements are connected follows from the operations. A connected element may have the cotangent 0, too: its
    derivative need not be 0.
    """
    reported = pause_reports()  # the derivatives of this package are no code of a function that is recorded
    try:
        return _propagate(seeds, reported, retain=retain, connected_elements=connected_elements)
    finally:
        resume_reports(reported)


def _propagate(
    seeds: Iterable[tuple[Node, Array] | tuple[Node, Array, Array | None]],
    reported: Any,
    *,
    retain: bool,
    connected_elements: dict[Variable, Array | None] | None,
) -> dict[Variable, Array]:
    """Return the cotangents of the variables; functions of the user are called while the interpreter reports calls."""
    cotangents: dict[Node, Cotangent] = {}
    for seed in seeds:
        _accumulate(cotangents, seed[0], Cotangent(seed[1], seed[2] if len(seed) == 3 else None, False))
    gradients: dict[Variable, Array] = {}
    for node in _reached(list(cotangents)):
        cotangent = cotangents.pop(node, None)
        if cotangent is None:
            continue
        if node.hooks is not None:
            resume_reports(reported)
            cotangent = _hooked(node, cotangent, node.hooks)
            pause_reports()
        g, mask, is_new = cotangent
        if node.__class__ is Variable:
            gradients[node] = g if is_new else fresh(g)
            if connected_elements is not None:
                connected_elements[node] = mask
            continue
        pull = node.pull
        if pull.calls_users:
            resume_reports(reported)
        if mask is not None or (
            pull.selects and (connected_elements is not None or not all(map(is_end, node.parents)))
        ):
            parts, masks = pull.with_masks(node, mask, g)
        else:
            parts, masks = pull(node, g), NO_MASKS
        if pull.calls_users:
            pause_reports()
        for parent, part, connected in zip(node.parents, parts, masks, strict=False):
            if parent is None or part is None:
                continue
            is_new = not pull.views and part is not g
            if connected is not None and part is not g and not pull.exact:
                part = xp.where(connected, part, 0)
            _accumulate(cotangents, parent, Cotangent(part, connected, is_new))
        if not retain:
            node.release()
    return gradients


NO_MASKS: Iterable[Any] = repeat(None)


def is_end(node: Node | None) -> bool:
    return node is None or node.__class__ is Variable


def _accumulate(cotangents: dict[Node, Cotangent], node: Node, cotangent: Cotangent) -> None:
    """Add a cotangent to those of a node: for one of several results, a pair of its position and the cotangent."""
    before = cotangents.get(node)
    if node.__class__ is Several:
        position, g = cotangent.value
        cotangent = _fitted(cotangent._replace(value=g), *node.results[position])
        values, masks, _ = before or Cotangent((None,) * len(node.results), (None,) * len(node.results), False)
        if values[position] is not None:
            cotangent = _sum(Cotangent(values[position], masks[position], False), cotangent)
        cotangents[node] = Cotangent(
            _with(values, position, cotangent.value), _with(masks, position, cotangent.mask), False
        )
        return
    g, mask = cotangent.value, cotangent.mask
    if g.dtype is not node.dtype or g.shape != node.shape or (mask is not None and mask.shape != g.shape):
        cotangent = _fitted(cotangent, node.shape, node.dtype)
    cotangents[node] = cotangent if before is None else _sum(before, cotangent)


def _with(parts: tuple[Any, ...], position: int, part: Any) -> tuple[Any, ...]:
    return (*parts[:position], part, *parts[position + 1 :])


def _sum(first: Cotangent, second: Cotangent) -> Cotangent:
    is_partial = first.mask is not None and second.mask is not None
    return Cotangent(first.value + second.value, first.mask | second.mask if is_partial else None, True)


def _fitted(cotangent: Cotangent, shape: tuple[int, ...], dtype: DType) -> Cotangent:
    g, mask, is_new = cotangent
    if mask is not None and mask.shape != shape:
        weights = as_weights(mask, mask)
        mask = fit(weights, shape, weights.dtype) != 0
    return Cotangent(fit(g, shape, dtype), mask, is_new and g.size >= math.prod(shape))


def _hooked(node: Node, cotangent: Cotangent, hooks: Sequence[Callable[[Array], Array | None]]) -> Cotangent:
    for hook in hooks:
        changed = hook(fresh(cotangent.value))
        if changed is not None:
            cotangent = Cotangent(fit(changed, node.shape, node.dtype), None, False)
    return cotangent


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
