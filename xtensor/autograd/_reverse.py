"""Reverse mode: a device that records what it computes.

An operation is computed at once, so that values decide Python's control flow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core.array import Array
from .._core.backend import Native
from .._core.trees import mapped
from ._copies import by_value
from ._record import ElementwisePull, Node, Pull, PullOfOne, PullOfSeveral, Several, Variable, select
from ._table import Derivative, NotDifferentiableError, unknown
from ._transform import Traced, Transform, collected, is_inexact, shells, value_of

__all__ = ["Recorded", "Reverse"]


class Recorded(Traced):
    """A native array of a recording device: a value of the base, and its node; no node for a constant."""

    __slots__ = ("node",)

    def __init__(self, value: Native, node: Node | None) -> None:
        self.value, self.node = value, node

    @property
    def grad(self) -> Array | None:
        """The gradient of a variable."""
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

    def lift(self, native: Native) -> Any:
        return self.traced(native, None)

    def is_constant(self, native: Recorded) -> bool:
        return native.node is None

    def setitem(self, native: Recorded, key: Any, value: Any) -> Any:
        if isinstance(native.node, Variable) and native.node.is_users:
            raise RuntimeError(
                "an assignment or an in-place operator would give a variable a new value that is no variable; make the "
                "next variable from values: w = xtensor.autograd.variable(xtensor.autograd.stop_gradient(w) - step)"
            )
        return super().setitem(native, key, value)

    # The functions of one and of two operands, and those of one array, are called most. They do nothing twice.

    def unary(self, row: Derivative, compute: Callable[..., Native]) -> Callable[..., Any]:
        ((function, positions),) = row.elementwise
        pull, keeps_result, keeps_x, name = ElementwisePull(row, self.below), 1 in positions, 2 in positions, row.name
        native_type, normal, recorded = self.below.native_type, self.normal, self.traced

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
        (first, places1), (second, places2) = row.elementwise
        pull, name = ElementwisePull(row, self.below), row.name
        base, native_type, normal, recorded = self.below, self.below.native_type, self.normal, self.traced
        # What is kept, result and operands, where the first operand, the second, or both have a node.
        keeps = [
            tuple([position in used for position in (1, 2, 3)]) for used in ((), places1, places2, (*places1, *places2))
        ]

        def binary(x: Any, y: Any) -> Any:
            node1 = node2 = None
            if x.__class__ is recorded:
                x, node1 = x.value, x.node
            if y.__class__ is recorded:
                y, node2 = y.value, y.node
            value = compute(x, y)
            if value.__class__ is not native_type:
                if value is NotImplemented:
                    return NotImplemented
                value = normal(value)
            if (node1 is None and node2 is None) or not is_inexact(value.dtype):
                return recorded(value, None)
            if node1 is not None and first is None:
                raise unknown(name, 0)
            if node2 is not None and second is None:
                raise unknown(name, 1)
            keeps_result, keeps_x, keeps_y = keeps[(node1 is not None) + 2 * (node2 is not None)]
            # Constants may be written to later; other operands are the record's own.
            if keeps_x and node1 is None and x.__class__ is native_type:
                x = by_value(x, base)
            elif keeps_y and node2 is None and y.__class__ is native_type:
                y = by_value(y, base)
            saved = (value if keeps_result else None, x if keeps_x else None, y if keeps_y else None)
            return recorded(value, Node(value, (node1, node2), pull, saved))

        return binary

    def ternary(self, row: Derivative, compute: Callable[..., Native]) -> Callable[..., Any]:
        pull, functions = ElementwisePull(row, self.below), row.elementwise

        def ternary(*operands: Any) -> Any:
            _, values = collected(operands, self.traced)
            value = compute(*values)
            if value is NotImplemented:
                return NotImplemented
            value = self.normal(value)
            parents = [x.node if isinstance(x, Recorded) else None for x in operands]
            if parents == [None] * len(parents) or not is_inexact(value.dtype):
                return self.traced(value, None)
            used: set[int] = set()
            for position, (node, (function, positions)) in enumerate(zip(parents, functions, strict=True)):
                if node is not None:
                    if function is None:
                        raise unknown(row.name, position)
                    used.update(positions)
            kept = (value, *map(self.recorded_value, operands))
            saved = tuple([x if position in used else None for position, x in enumerate(kept, 1)])
            return self.traced(value, Node(value, parents, pull, saved))

        return ternary

    def general(self, row: Derivative, compute: Callable[..., Any]) -> Callable[..., Any]:
        function = self._of_several(row, compute)
        return function if row.several else self._of_one(row, compute, function)

    def _of_one(
        self, row: Derivative, compute: Callable[..., Any], of_several: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return the function of an operation whose first argument is its only array operand."""
        pull, recorded, normal = PullOfOne(row, self.below), self.traced, self.normal
        native_type, keeps_result, keeps_x = self.below.native_type, row.keeps_result, 0 in row.kept

        def of_one(x: Any, *args: Any, **options: Any) -> Any:
            if x.__class__ is not recorded or recorded in map(type, options.values()):
                return of_several(x, *args, **options)
            result, node = compute(x.value, *args, **options), x.node
            if result.__class__ is not native_type:
                if result is NotImplemented:
                    return NotImplemented
                result = tuple(map(normal, result)) if isinstance(result, (tuple, list)) else normal(result)
            if node is None:
                return self.constants(result)
            saved = (result if keeps_result else None, x.value if keeps_x else None, args, options)
            return self.recorded(result, (node,), pull, saved)

        return of_one

    def _of_several(self, row: Derivative, compute: Callable[..., Any]) -> Callable[..., Any]:
        pull = PullOfSeveral(row, self.below)

        def of_several(*args: Any, **options: Any) -> Any:
            operands, values = collected(args, self.traced)
            others, settings = collected(options, self.traced)
            if any(x.node is not None for x in others):
                raise NotDifferentiableError(f"{row.name}() has no derivative with respect to its options")
            result = compute(*values, **settings)
            if result is NotImplemented:
                return NotImplemented
            parents = [x.node for x in operands]
            if parents == [None] * len(parents):
                return self.constants(result)
            result = tuple(map(self.normal, result)) if isinstance(result, (tuple, list)) else self.normal(result)
            kept = result if row.keeps_result else shells(result, self.below)
            settings = mapped(options, self.recorded_value, self.traced)
            saved = kept, self.kept(row, args), settings
            return self.recorded(result, parents, pull, saved)

        return of_several

    def kept(self, row: Derivative, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments that a pullback gets: the values that it uses, and shape and dtype of others."""
        base = self.below
        return tuple(
            [
                mapped(x, self.recorded_value, self.traced)
                if position in row.kept
                else shells(mapped(x, value_of, self.traced), base)
                for position, x in enumerate(args)
            ]
        )

    def recorded_value(self, x: Any) -> Any:
        """Return an operand's value, which nobody writes to; other arguments are returned unchanged."""
        if x.__class__ is not self.traced:
            return x
        return by_value(x.value, self.below) if x.node is None else x.value

    def recorded(self, result: Any, parents: Sequence[Node | None], pull: Pull, saved: Any) -> Any:
        """Return the native arrays of a result, or of several results, with their nodes."""
        if result.__class__ is not tuple:
            return self.traced(result, Node(result, parents, pull, saved) if is_inexact(result.dtype) else None)
        node = Several(result, parents, pull, saved)
        return tuple(
            [
                self.traced(value, Node(value, (node,), select, position) if is_inexact(value.dtype) else None)
                for position, value in enumerate(result)
            ]
        )
