"""Forward mode: a device that carries the tangent of each value along.

The pushforward of an operation follows from its pullback: see :mod:`xtensor.autograd._table`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.backend import Native
from .._core.calls import wrap
from .._core.device import Device
from .._core.levels import running, standing_on
from .._core.trees import mapped
from ._record import Variable, backpropagate, wrapped
from ._reverse import Reverse
from ._table import Derivative, NotDifferentiableError, fit, unknown
from ._transform import Traced, Transform, collected, is_inexact, shells

__all__ = ["Dual", "Forward"]

JOINING = frozenset(("concat", "setitem", "stack"))
"""The linear operations whose other operands are elements of the result; those of the others are indices or counts."""


class Dual(Traced):
    """A native array with its tangent.

    Attributes
    ----------
    tangent
        A native array of the same shape and dtype; None for a constant.
    mask
        An Array of booleans of the same shape: the elements that are connected with the arguments. None where all are.
    """

    __slots__ = ("mask", "tangent")

    def __init__(self, value: Native, tangent: Native | None, mask: Array | None = None) -> None:
        self.value, self.tangent, self.mask = value, tangent, mask

    def weights(self, base: Device) -> Array:
        """Return 1 for the elements that are connected, and 0 for others."""
        dtype = base.default_dtypes["real floating"]
        if self.mask is not None:
            return xp.astype(self.mask, dtype)
        return (xp.zeros if self.tangent is None else xp.ones)(self.shape, dtype=dtype, device=base)


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
            joins_constant = len(operands) == 1 or any(x is not None and is_constant(x) for x in operands)
            pulls_masks = row.selects and (joins_constant or any(x.mask is not None for x in duals))
            tangent: Array | None = None
            masks: list[Array | None] = []
            with np.errstate(all="ignore"):
                for position, ((pull, positions), x) in enumerate(zip(functions, operands, strict=True)):
                    if not isinstance(x, Dual) or x.tangent is None:
                        continue
                    if pull is None:
                        raise unknown(row.name, position)
                    # An elementwise pullback is its own transpose.
                    slots = (None, value, *values)
                    others = [wrapped(slots[used], base) for used in positions[1:]]
                    part, mask = pull(wrap(x.tangent, base), *others), x.mask
                    if pulls_masks:
                        mask = pull(x.weights(base), *others) != 0
                    elif mask is not None:
                        part = xp.where(mask, part, 0)
                    part = fit(part, value.shape, value.dtype)
                    tangent = part if tangent is None else tangent + part
                    masks.append(mask)
            assert tangent is not None
            return self.traced(value, tangent._native, _union(masks, value.shape))

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
            if row.name in JOINING and not isinstance(result, tuple) and is_inexact(result.dtype):
                args = mapped(args, partial(self._constant_of, result.dtype), self.traced)
                duals, values = collected(args, self.traced)
            with np.errstate(all="ignore"):
                if row.linear:
                    tangents = compute(*mapped(args, self._tangent, self.traced), **settings)
                elif row.bilinear:
                    tangents = self._by_product_rule(compute, args, values, settings)
                else:
                    seeds = [None if x.tangent is None else wrap(x.tangent, self.below) for x in duals]
                    tangents = self._transposed(row, row.pullback, result, values, settings, duals, seeds)
                masks = self._masks(row, compute, args, result, values, settings, duals)
            return self._with_tangents(result, tangents, masks, exact=row.linear)

        return function

    def _masks(
        self,
        row: Derivative,
        compute: Callable[..., Any],
        args: tuple[Any, ...],
        result: Any,
        values: tuple[Any, ...],
        settings: dict[str, Any],
        duals: list[Dual],
    ) -> Any:
        """Return the masks of the elements of a result, or of several, that are connected; None where all are."""
        joins_constant = row.linear and any(map(is_constant, duals))
        if row.connection is None or not (joins_constant or row.fills or any(x.mask is not None for x in duals)):
            return None
        base = self.below
        if row.linear and row.connection is row.pullback:

            def weights(x: Dual) -> Native:
                return x.weights(base)._native if is_inexact(x.dtype) else x.value

            tangents = compute(*mapped(args, weights, self.traced), **settings)
        else:
            seeds = [x.weights(base) if is_inexact(x.dtype) else None for x in duals]
            tangents = self._transposed(row, row.connection, result, values, settings, duals, seeds)
        if isinstance(tangents, (tuple, list)):
            return tuple([None if part is None else wrap(self.normal(part), base) != 0 for part in tangents])
        return None if tangents is None else wrap(self.normal(tangents), base) != 0

    def _constant_of(self, dtype: Any, x: Dual) -> Dual:
        """Return integers and booleans that are elements of a result as floating-point constants, others unchanged."""
        if is_inexact(x.dtype):
            return x
        return self.traced(xp.astype(wrap(x.value, self.below), dtype)._native, None)

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
        for position, x in enumerate(args):
            if isinstance(x, Dual) and x.tangent is not None:
                product = compute(*values[:position], x.tangent, *values[position + 1 :], **settings)
                part = wrap(self.normal(product), self.below)
                total = part if total is None else total + part
        assert total is not None
        return total._native

    def _transposed(
        self,
        row: Derivative,
        function: Any,
        result: Any,
        values: tuple[Any, ...],
        settings: dict[str, Any],
        duals: list[Dual],
        tangents: list[Array | None],
    ) -> Any:
        """Return the tangents of a result: the transpose of a pullback, which is linear in the cotangent.

        The pullback is recorded as a function of the cotangent, and the operands' tangents are sent back through it.
        """
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
            pulled = function(cotangents if several else cotangents[0], given, *arguments, **options)
        seeds = []
        pulled = pulled if isinstance(pulled, (tuple, list)) else (pulled,)
        for x, tangent, cotangent in zip(duals, tangents, pulled, strict=False):
            if tangent is not None and cotangent is not None and cotangent._device is recorder.device:
                node = fit(cotangent, x.shape, x.dtype)._native.node
                if node is not None:
                    seeds.append((node, xp.astype(tangent, x.dtype, copy=False), x.mask))
        by_operand = backpropagate(seeds)
        pushed = tuple([by_operand[variable]._native if variable in by_operand else None for variable in variables])
        return pushed if several else pushed[0]

    def _with_tangents(self, result: Any, tangent: Any, mask: Any, *, exact: bool) -> Any:
        if isinstance(result, tuple):
            masks = (None,) * len(result) if mask is None else mask
            return tuple([self._with_tangents(*part, exact=exact) for part in zip(result, tangent, masks, strict=True)])
        if tangent is None or not is_inexact(result.dtype):
            return self.traced(result, None)
        tangent = self.normal(tangent)
        if mask is not None and not exact:
            tangent = xp.where(mask, wrap(tangent, self.below), 0)._native
        return self.traced(result, tangent, mask)


def is_constant(x: Any) -> bool:
    """Whether an operand is a number or a floating-point array that depends on no argument."""
    return not isinstance(x, Dual) or (x.tangent is None and is_inexact(x.dtype))


def _union(masks: list[Array | None], shape: tuple[int, ...]) -> Array | None:
    """Return the elements that are in one of several masks at least, None for all."""
    union: Array | None = None
    for mask in masks:
        if mask is None:
            return None
        union = mask if union is None else union | mask
    return union if union is None or union.shape == shape else xp.broadcast_to(union, shape)
