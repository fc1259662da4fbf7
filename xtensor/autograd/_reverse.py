"""Reverse mode: a device that records what it computes, and the pass back over the record.

Requirements: an operation is computed at once, so that values decide Python's control flow; a node keeps the values
that its pullback uses and no others; a record has no cycle, so that it is freed with the last Array that refers to it;
the pass back is a loop, so that a record may be of any length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from .. import _standard as xp
from .._core.array import Array, wrap
from .._core.backend import Native
from .._core.device import Device
from .._core.dtypes import DType, kind_of
from ._table import SELECTIONS, Derivative, NotDifferentiableError, fit, unknown
from ._transform import Shell, Traced, Transform, mapped

__all__ = ["Node", "Recorded", "Reverse", "Variable", "backpropagate", "hooks", "is_inexact", "shells", "wrapped"]

_numbers = count()

ELEMENTWISE: set[Any] = set()
"""The pullbacks of elementwise operations."""

SELECTING: set[Any] = set()
"""The pullbacks of operations that select elements."""

hooks: WeakKeyDictionary[Node, list[Callable[[Array], Array | None]]] = WeakKeyDictionary()
"""Functions that are called with the cotangents of nodes."""


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
        Function of this node and the cotangent that returns the parents' cotangents; None where one has none.
    saved
        What that function uses.
    """

    __slots__ = ("__weakref__", "dtype", "number", "parents", "pull", "saved", "shape")

    parents: Sequence[Node | None]

    def __init__(
        self,
        value: Any,
        parents: Sequence[Node | None],
        pull: Callable[[Node, Any], Iterable[Array | None]],
        saved: Any,
    ) -> None:
        self.number = next(_numbers)
        self.shape: tuple[int, ...] = value.shape
        self.dtype: DType = value.dtype
        self.parents, self.pull, self.saved = parents, pull, saved

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def release(self) -> None:
        """Give up the values that are kept for the pass back."""
        self.parents, self.pull, self.saved = (), _released, None


def _released(node: Node, g: Any) -> Iterable[Array | None]:
    raise RuntimeError(
        "the record of this computation was released by an earlier pass back; pass retain_graph=True to it, or compute "
        "the value again"
    )


class Variable(Node):
    """A node that the pass back ends at.

    Attributes
    ----------
    grad
        The gradient that :func:`backward` accumulated, or None.
    """

    __slots__ = ("grad",)

    def __init__(self, value: Native) -> None:
        super().__init__(value, (), _nothing, None)
        self.grad: Array | None = None

    def release(self) -> None:
        """A variable outlives passes back."""


def _nothing(node: Node, g: Any) -> Iterable[Array | None]:
    return ()


class Several(Node):
    """The node of an operation with several results; each result has a node of its own, whose parent it is."""

    __slots__ = ("results",)

    def __init__(
        self,
        values: Sequence[Native],
        parents: Sequence[Node | None],
        pull: Callable[[Node, Any], Iterable[Array | None]],
        saved: Any,
    ) -> None:
        super().__init__(values[0], parents, pull, saved)
        self.results = tuple([(value.shape, value.dtype) for value in values])


def _select(node: Node, g: Array) -> Iterable[Any]:
    return ((node.saved, g),)


class Recorded(Traced):
    """A native array of a recording device: a value of the base, and its node; no node for a constant."""

    __slots__ = ("node",)

    def __init__(self, value: Native, node: Node | None) -> None:
        self.value, self.node = value, node

    @property
    def grad(self) -> Array | None:
        return getattr(self.node, "grad", None)

    @grad.setter
    def grad(self, value: Array | None) -> None:
        if not isinstance(self.node, Variable):
            raise AttributeError("x.grad is set on variables only; make one with xtensor.autograd.variable(x)")
        self.node.grad = value


class Reverse(Transform):
    """The library of a device that records."""

    kind = "grad"
    traced = Recorded

    def lift(self, native: Native) -> Recorded:
        return self.traced(native, None)  # type: ignore[no-any-return]

    def is_constant(self, native: Recorded) -> bool:
        return native.node is None

    @staticmethod
    def _register(row: Derivative, pull: Any) -> None:
        if row.name in SELECTIONS:
            SELECTING.add(pull)
        if row.pullback is None:
            ELEMENTWISE.add(pull)

    # -- recording ----------------------------------------------------------------------------------------------------

    def unary(self, row: Derivative, compute: Callable[..., Native]) -> Callable[..., Any]:
        ((function, places),) = row.elementwise
        keeps_result, keeps_x, name = 1 in places, 2 in places, row.name
        base, native_type, normal, recorded = self.below, self.below.native_type, self.normal, self.traced
        functions = ((function, places),)

        def pull(node: Node, g: Array) -> Iterable[Array | None]:
            return _pull_elementwise(functions, base, node, g)

        self._register(row, pull)

        def unary(x: Recorded) -> Any:
            value = compute(x.value)
            if value.__class__ is not native_type:
                if value is NotImplemented:
                    return NotImplemented
                value = normal(value)
            node = x.node
            if node is None or not is_inexact(value.dtype):
                return recorded(value, None)
            if function is None:
                raise unknown(name, 0)
            saved = (value if keeps_result else None, x.value if keeps_x else None)
            return recorded(value, Node(value, (node,), pull, saved))

        return unary

    def binary(self, row: Derivative, compute: Callable[..., Native]) -> Callable[..., Any]:
        functions = row.elementwise
        base, native_type, normal, recorded = self.below, self.below.native_type, self.normal, self.traced
        name, partial = row.name, any(function is None for function, _ in functions)
        keeps = [
            tuple(
                any(place in places for (_, places), used in zip(functions, pattern, strict=True) if used)
                for place in (1, 2, 3)
            )
            for pattern in ((False, False), (True, False), (False, True), (True, True))
        ]

        def pull(node: Node, g: Array) -> Iterable[Array | None]:
            return _pull_elementwise(functions, base, node, g)

        self._register(row, pull)

        def binary(x: Any, y: Any) -> Any:
            xnode = ynode = None
            if x.__class__ is recorded:
                x, xnode = x.value, x.node
            if y.__class__ is recorded:
                y, ynode = y.value, y.node
            value = compute(x, y)
            if value.__class__ is not native_type:
                if value is NotImplemented:
                    return NotImplemented
                value = normal(value)
            if (xnode is None and ynode is None) or not is_inexact(value.dtype):
                return recorded(value, None)
            if partial:
                for place, node in enumerate((xnode, ynode)):
                    if node is not None and functions[place][0] is None:
                        raise unknown(name, place)
            keeps_result, keeps_x, keeps_y = keeps[(xnode is not None) + 2 * (ynode is not None)]
            saved = (value if keeps_result else None, x if keeps_x else None, y if keeps_y else None)
            return recorded(value, Node(value, (xnode, ynode), pull, saved))

        return binary

    def general(self, row: Derivative, compute: Callable[..., Any]) -> Callable[..., Any]:
        function = self._of_several(row, compute)
        return function if row.several or row.pullback is None else self._of_one(row, compute, function)

    def _of_one(
        self, row: Derivative, compute: Callable[..., Any], general: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return the function of an operation whose first argument is its only array operand."""
        function, base, recorded = row.pullback, self.below, self.traced
        native_type, normal = base.native_type, self.normal
        keeps_result, keeps_x = row.keeps_result, 0 in row.kept
        assert function is not None

        def pull(node: Node, g: Any) -> Iterable[Array | None]:
            out, x, args, options = node.saved
            parent = node.parents[0]
            return (
                function(
                    g,
                    node if out is None else wrapped(out, base),
                    parent if x is None else wrap(x, base),
                    *args,
                    **options,
                ),
            )

        self._register(row, pull)

        def of_one(x: Any, *args: Any, **options: Any) -> Any:
            for option in options.values():
                if option.__class__ is recorded:
                    return general(x, *args, **options)
            if x.__class__ is not recorded:
                return general(x, *args, **options)
            result = compute(x.value, *args, **options)
            node = x.node
            if result.__class__ is not native_type:
                if result is NotImplemented:
                    return NotImplemented
                if isinstance(result, (tuple, list)):
                    result = tuple(map(normal, result))
                    if node is None:
                        return self.constants(result)
                    saved = (result if keeps_result else None, x.value if keeps_x else None, args, options)
                    return self.recorded(result, (node,), pull, saved)
                result = normal(result)
            if node is None or not is_inexact(result.dtype):
                return recorded(result, None)
            saved = (result if keeps_result else None, x.value if keeps_x else None, args, options)
            return recorded(result, Node(result, (node,), pull, saved))

        return of_one

    def _of_several(self, row: Derivative, compute: Callable[..., Any]) -> Callable[..., Any]:
        function, base, recorded = row.pullback, self.below, self.traced
        functions = row.elementwise
        used = {place for _, places in functions for place in places}
        if function is None:  # elementwise, of three operands

            def pull(node: Node, g: Any) -> Iterable[Array | None]:
                return _pull_elementwise(functions, base, node, g)
        else:

            def pull(node: Node, g: Any) -> Iterable[Array | None]:
                result, args, options = node.saved
                results = function(g, wrapped(result, base), *wrapped(args, base), **wrapped(options, base))
                return results if results.__class__ in (tuple, list) else (results,)

        self._register(row, pull)

        def general(*args: Any, **options: Any) -> Any:
            parents: list[Node | None] = []
            values = mapped(args, recorded, lambda x: (parents.append(x.node), x.value)[1])
            if any([x.__class__ is recorded and x.node is not None for x in options.values()]):
                raise NotDifferentiableError(f"{row.name}() has no derivative with respect to its options")
            settings = mapped(options, recorded, lambda x: x.value)
            result = compute(*values, **settings)
            if result is NotImplemented:
                return NotImplemented
            if all([node is None for node in parents]):
                return self.constants(result)
            result = tuple(map(self.normal, result)) if isinstance(result, (tuple, list)) else self.normal(result)
            if function is None:
                # Scalars among the operands have no node, but take a place.
                parents = [x.node if x.__class__ is recorded else None for x in args]
                for place, node in enumerate(parents):
                    if node is not None and functions[place][0] is None:
                        raise unknown(row.name, place)
                slots = (result, *values)
                saved: Any = tuple([value if place in used else None for place, value in enumerate(slots, 1)])
            else:
                kept = tuple(
                    [
                        value if position in row.kept else mapped(value, base.native_type, Shell)
                        for position, value in enumerate(values)
                    ]
                )
                saved = (result if row.keeps_result else shells(result), kept, settings)
            return self.recorded(result, parents, pull, saved)

        return general

    def recorded(self, result: Any, parents: Sequence[Node | None], pull: Any, saved: Any) -> Any:
        """Return the native arrays of a result, or of several results, with their nodes."""
        if result.__class__ is not tuple:
            return self.traced(result, Node(result, parents, pull, saved) if is_inexact(result.dtype) else None)
        node = Several(result, parents, pull, saved)
        return tuple(
            [
                self.traced(value, Node(value, (node,), _select, place) if is_inexact(value.dtype) else None)
                for place, value in enumerate(result)
            ]
        )


def is_inexact(dtype: DType) -> bool:
    return dtype.kind in "fc" or kind_of(dtype) == "f"


def shells(result: Any) -> Any:
    """Return shape and dtype of a result, or of several."""
    return tuple(map(Shell, result)) if result.__class__ is tuple else Shell(result)


def wrapped(value: Any, device: Device) -> Any:
    """Return nested native arrays as Arrays."""
    return mapped(value, device.native_type, lambda native: wrap(native, device))


def _pull_elementwise(
    functions: Sequence[tuple[Callable[..., Any], tuple[int, ...]]], base: Device, node: Node, g: Array
) -> Iterable[Array | None]:
    values = (g, *node.saved)
    native_type = base.native_type
    for (function, places), parent in zip(functions, node.parents, strict=True):
        if parent is None or function is None:
            yield None
            continue
        given = []
        for place in places:
            value = values[place]
            given.append(wrap(value, base) if isinstance(value, native_type) else value)
        yield function(*given)


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
    """Nodes whose cotangent is zero for elements that were not selected."""
    order = _reached(list(cotangents))
    while order:
        node = order.pop()
        g = cotangents.pop(node, None)
        if g is None:
            continue
        if hooks and node in hooks:
            for hook in hooks[node]:
                changed = hook(g)
                g = g if changed is None else fit(changed, node.shape, node.dtype)
        if isinstance(node, Variable):
            found[node] = g
            continue
        if g.__class__ is list:
            g = tuple(g)
        selects = node.pull in SELECTING or node in selected
        for parent, cotangent in zip(node.parents, node.pull(node, g), strict=False):
            if parent is None or cotangent is None:
                continue
            if selects:
                selected.add(parent)
                if node.pull in ELEMENTWISE and cotangent is not g:
                    cotangent = xp.where(g == 0, 0, cotangent)
            _accumulate(cotangents, parent, cotangent)
        if not retain:
            node.release()
    return found


def _accumulate(cotangents: dict[Node, Any], node: Node, g: Any) -> None:
    if isinstance(node, Several):
        place, g = g
        shape, dtype = node.results[place]
        parts = cotangents.setdefault(node, [None] * len(node.results))
        g = fit(g, shape, dtype)
        parts[place] = g if parts[place] is None else parts[place] + g
        return
    g = fit(g, node.shape, node.dtype)
    before = cotangents.get(node)
    cotangents[node] = g if before is None else before + g


def _reached(roots: list[Node]) -> list[Node]:
    """Return the nodes that others depend on, in the order of computation."""
    seen = set(roots)
    pending = roots
    while pending:
        node = pending.pop()
        for parent in node.parents:
            if parent is not None and parent not in seen:
                seen.add(parent)
                pending.append(parent)
    return sorted(seen, key=lambda node: node.number)
