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
from ._record import Variable, backpropagate, wrapped
from ._reverse import Reverse
from ._table import Derivative, NotDifferentiableError, fit, unknown
from ._transform import Traced, Transform, collected, is_inexact, mapped, shells, standing_on

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

    def lift(self, native: Native) -> Any:
        return self.traced(native, None)

    def is_constant(self, native: Dual) -> bool:
        return native.tangent is None

    # -- elementwise operations ---------------------------------------------------------------------------------------

    def unary(self, row: Derivative, compute: Callable[..., Native]) -> Callable[..., Any]:
        functions, base = row.elementwise, self.below

        def function(*operands: Any) -> Any:
            duals, values = collected(operands, self.traced)
            value = compute(*values)
            if value is NotImplemented:
                return NotImplemented
            value = self.normal(value)
            if all(x.tangent is None for x in duals) or not is_inexact(value.dtype):
                return self.traced(value, None)
            tangent: Array | None = None
            with np.errstate(all="ignore"):
                for place, ((pull, places), x) in enumerate(zip(functions, operands, strict=True)):
                    if not isinstance(x, Dual) or x.tangent is None:
                        continue
                    if pull is None:
                        raise unknown(row.name, place)
                    # An elementwise pullback is its own transpose.
                    slots = (x.tangent, value, *values)
                    part = fit(pull(*[wrapped(slots[used], base) for used in places]), value.shape, value.dtype)
                    tangent = part if tangent is None else tangent + part
            assert tangent is not None
            return self.traced(value, tangent._native)

        return function

    binary = ternary = unary

    # -- other operations ---------------------------------------------------------------------------------------------

    def general(self, row: Derivative, compute: Callable[..., Any]) -> Callable[..., Any]:
        def function(*args: Any, **options: Any) -> Any:
            duals, values = collected(args, self.traced)
            others, settings = collected(options, self.traced)
            if any(x.tangent is not None for x in others):
                raise NotDifferentiableError(f"{row.name}() has no derivative with respect to its options")
            result = compute(*values, **settings)
            if result is NotImplemented:
                return NotImplemented
            if all(x.tangent is None for x in duals):
                return self.constants(result)
            result = tuple(map(self.normal, result)) if isinstance(result, (tuple, list)) else self.normal(result)
            with np.errstate(all="ignore"):
                if row.linear:
                    tangents = compute(*mapped(args, self.traced, self._tangent), **settings)
                elif row.bilinear:
                    tangents = self._by_product_rule(compute, args, values, settings)
                else:
                    tangents = self._by_transposition(row, result, values, settings, duals)
            return self._with_tangents(result, tangents)

        return function

    def _tangent(self, x: Dual) -> Native:
        """Return an operand's tangent. An operand without derivatives, an index for example, is given as it is."""
        if x.tangent is not None or not is_inexact(x.dtype):
            return x.value if x.tangent is None else x.tangent
        return xp.zeros(x.shape, dtype=x.dtype, device=self.below)._native

    def _by_product_rule(
        self, compute: Callable[..., Any], args: tuple[Any, ...], values: tuple[Any, ...], settings: dict[str, Any]
    ) -> Native:
        """Return the tangent of a product: the sum of the products with one operand replaced by its tangent."""
        total: Array | None = None
        for place, x in enumerate(args):
            if isinstance(x, Dual) and x.tangent is not None:
                product = compute(*values[:place], x.tangent, *values[place + 1 :], **settings)
                part = wrap(self.normal(product), self.below)
                total = part if total is None else total + part
        assert total is not None
        return total._native

    def _by_transposition(
        self, row: Derivative, result: Any, values: tuple[Any, ...], settings: dict[str, Any], duals: list[Dual]
    ) -> Any:
        """Return the tangents of a result: the transpose of the pullback, which is linear in the cotangent.

        The pullback is recorded as a function of the cotangent, and the operands' tangents are sent back through it.
        """
        assert row.pullback is not None
        base = self.below
        recorder = standing_on(Reverse, base)
        several = isinstance(result, tuple)
        results = result if several else (result,)
        variables = [Variable(value) for value in results]
        cotangents = tuple(
            [
                wrap(recorder.traced(xp.zeros(x.shape, dtype=x.dtype, device=base)._native, variable), recorder.device)
                for x, variable in zip(results, variables, strict=True)
            ]
        )
        kept = result if row.keeps_result else shells(result, base)
        given, arguments, options = wrapped((kept, self.kept(row, values), settings), base)
        with running(recorder.device):
            pulled = row.pullback(cotangents if several else cotangents[0], given, *arguments, **options)
        seeds = []
        for x, cotangent in zip(duals, pulled if isinstance(pulled, (tuple, list)) else (pulled,), strict=False):
            if x.tangent is not None and cotangent is not None and cotangent._device is recorder.device:
                node = fit(cotangent, x.shape, x.dtype)._native.node
                if node is not None:
                    seeds.append((node, wrap(x.tangent, base)))
        found = backpropagate(seeds)
        tangents = tuple([found[variable]._native if variable in found else None for variable in variables])
        return tangents if several else tangents[0]

    def _with_tangents(self, result: Any, tangents: Any) -> Any:
        if isinstance(result, tuple):
            return tuple([self._with_tangents(*pair) for pair in zip(result, tangents, strict=True)])
        is_constant = tangents is None or not is_inexact(result.dtype)
        return self.traced(result, None if is_constant else self.normal(tangents))
