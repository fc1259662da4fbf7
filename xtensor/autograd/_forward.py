"""Forward mode: a device that carries the tangent of each value along.

The pushforward of an operation follows from its pullback: see :mod:`xtensor.autograd._table`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _standard as xp
from .._core.array import Array, wrap
from .._core.backend import Native
from ._levels import running
from ._reverse import Reverse, Variable, backpropagate, is_inexact, shells, wrapped
from ._table import Derivative, NotDifferentiableError, fit, unknown
from ._transform import Shell, Traced, Transform, mapped, standing_on

__all__ = ["Dual", "Forward"]


class Dual(Traced):
    """A native array with its tangent, a native array of the same shape and dtype; None for a constant."""

    __slots__ = ("tangent",)

    def __init__(self, value: Native, tangent: Native | None) -> None:
        self.value, self.tangent = value, tangent


class Forward(Transform):
    """The library of a device that carries tangents."""

    kind = "jvp"
    traced = Dual

    def lift(self, native: Native) -> Dual:
        return self.traced(native, None)  # type: ignore[no-any-return]

    def is_constant(self, native: Dual) -> bool:
        return native.tangent is None

    def unary(self, row: Derivative, compute: Callable[..., Native]) -> Callable[..., Any]:
        return self._elementwise(row, compute)

    def binary(self, row: Derivative, compute: Callable[..., Native]) -> Callable[..., Any]:
        return self._elementwise(row, compute)

    def _elementwise(self, row: Derivative, compute: Callable[..., Native]) -> Callable[..., Any]:
        functions, base, dual = row.elementwise, self.below, self.traced

        def function(*operands: Any) -> Any:
            values = [x.value if x.__class__ is dual else x for x in operands]
            value = compute(*values)
            if value is NotImplemented:
                return NotImplemented
            value = self.normal(value)
            if not is_inexact(value.dtype):
                return dual(value, None)
            slots = [None, value, *values]
            tangent: Array | None = None
            for (pull, places), x in zip(functions, operands, strict=False):
                if x.__class__ is not dual or x.tangent is None:
                    continue
                if pull is None:
                    raise unknown(row.name, operands.index(x))
                slots[0] = x.tangent
                with np.errstate(all="ignore"):
                    part = fit(pull(*[wrapped(slots[place], base) for place in places]), value.shape, value.dtype)
                    tangent = part if tangent is None else tangent + part
            return dual(value, None if tangent is None else tangent._native)

        return function

    def general(self, row: Derivative, compute: Callable[..., Any]) -> Callable[..., Any]:
        if row.pullback is None:
            return self._elementwise(row, compute)
        dual = self.traced

        def general(*args: Any, **options: Any) -> Any:
            operands: list[Dual] = []
            values = mapped(args, dual, lambda x: (operands.append(x), x.value)[1])
            settings = mapped(options, dual, lambda x: x.value)
            result = compute(*values, **settings)
            if result is NotImplemented:
                return NotImplemented
            if all([x.tangent is None for x in operands]):
                return self.constants(result)
            if any([x.__class__ is dual and x.tangent is not None for x in options.values()]):
                raise NotDifferentiableError(f"{row.name}() has no derivative with respect to its options")
            result = tuple(map(self.normal, result)) if isinstance(result, (tuple, list)) else self.normal(result)
            with np.errstate(all="ignore"):
                return self._with_tangents(
                    result, self._tangents(row, compute, args, values, settings, result, operands)
                )

        return general

    def _tangents(
        self,
        row: Derivative,
        compute: Callable[..., Any],
        args: tuple[Any, ...],
        values: tuple[Any, ...],
        settings: dict[str, Any],
        result: Any,
        operands: list[Dual],
    ) -> Any:
        """Return the tangents of a result."""
        if row.linear:
            return compute(*mapped(args, self.traced, self._tangent), **settings)
        if row.bilinear:
            return self._by_product_rule(compute, args, values, settings)
        return self._transposed(row, result, values, settings, operands)

    def _by_product_rule(
        self, compute: Callable[..., Any], args: tuple[Any, ...], values: tuple[Any, ...], settings: dict[str, Any]
    ) -> Native:
        """Return the tangent of a product of two operands."""
        base, total = self.below, None
        for place, x in enumerate(args):
            if x.__class__ is self.traced and x.tangent is not None:
                operands = (*values[:place], x.tangent, *values[place + 1 :])
                part = wrap(self.normal(compute(*operands, **settings)), base)
                total = part if total is None else total + part
        assert total is not None
        return total._native

    def _tangent(self, x: Dual) -> Native:
        """Return an operand's tangent; an operand of another kind than a floating-point one is a parameter."""
        if x.tangent is not None or not is_inexact(x.dtype):
            return x.value if x.tangent is None else x.tangent
        return xp.zeros(x.shape, dtype=x.dtype, device=self.below)._native

    def _transposed(
        self, row: Derivative, result: Any, values: tuple[Any, ...], settings: dict[str, Any], operands: list[Dual]
    ) -> Any:
        """Return the tangents of a result: the transpose of the pullback, which is linear in the cotangent."""
        assert row.pullback is not None
        base = self.below
        recorder = standing_on(Reverse, base)
        several = result.__class__ is tuple
        results = result if several else (result,)
        variables = [Variable(value) for value in results]
        cotangents = [
            wrap(
                recorder.traced(xp.zeros(value.shape, dtype=value.dtype, device=base)._native, variable),
                recorder.device,
            )
            for value, variable in zip(results, variables, strict=True)
        ]
        kept = tuple(
            [
                value if position in row.kept else mapped(value, base.native_type, Shell)
                for position, value in enumerate(values)
            ]
        )
        with running(recorder.device):
            pulled = row.pullback(
                tuple(cotangents) if several else cotangents[0],
                wrapped(result if row.keeps_result else shells(result), base),
                *wrapped(kept, base),
                **wrapped(settings, base),
            )
        seeds = []
        for x, cotangent in zip(operands, pulled if isinstance(pulled, (tuple, list)) else (pulled,), strict=False):
            if x.tangent is None or cotangent is None or cotangent._device is not recorder.device:
                continue
            cotangent = fit(cotangent, x.shape, x.dtype)
            if cotangent._native.node is not None:
                seeds.append((cotangent._native.node, wrap(x.tangent, base)))
        found = backpropagate(seeds)
        tangents = [None if variable not in found else found[variable]._native for variable in variables]
        return tuple(tangents) if several else tangents[0]

    def _with_tangents(self, result: Any, tangents: Any) -> Any:
        if result.__class__ is not tuple:
            if tangents is None or not is_inexact(result.dtype):
                return self.traced(result, None)
            return self.traced(result, self.normal(tangents))
        return tuple([self._with_tangents(*pair) for pair in zip(result, tangents, strict=True)])
