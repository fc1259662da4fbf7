"""Elementwise functions.

Operands are handled in two steps: a :class:`~xtensor_backends.triton._plans.Plan` for their dtypes, then the launch for
their shapes and strides. Operands that are each contiguous or a single element use the kernel without axes; others use
the kernel with axes, with their own strides. On a GPU, calls with contiguous operands of one shape have a fast path
that launches straight from the plan.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from xtensor.backend import SHORT_POWERS, refuse_negative_power, short_power

from ._calls import ACTIVE
from ._context import SCALARS, Context, Launch, Ready, Unsuited
from ._dtypes import BFLOAT16, KERNEL_DTYPES, DType
from ._layout import (
    MAX_AXES,
    broadcast_shapes,
    dense_strides,
    element_strides,
    is_injective,
    iteration,
    memory_order,
    overlap,
)
from ._plans import Key, Plan, astype_plan, plan_of
from ._table import BINARY, INPLACE, UNARY

__all__ = ["Elementwise", "functions"]

FLAT_LIMIT = 2**31 - 2**21
"""The fast path's limit for the number of elements: indices have 32 bits, with a margin for the last block."""

Shape: TypeAlias = tuple[int, ...]


class Elementwise:
    """An elementwise function of native arrays and Python scalars.

    Parameters
    ----------
    name
        The operation's name.
    context
        The device's context.
    make_plan
        Makes the plan for the dtypes of operands, or raises :class:`Unsuited`.
    options
        Distinguishes the function from others of the same name.
    """

    def __init__(
        self, name: str, context: Context, make_plan: Callable[[Key], Plan], options: tuple[Any, ...] = ()
    ) -> None:
        self.name = name
        self.context = context
        self.plans: dict[Key, Plan] = {}
        self._make_plan = make_plan
        self._options = options

    def __call__(self, *operands: Any) -> Any:
        """Return the result in a new array."""
        return self.context.call(self.name, self._prepare, operands, self._options)

    def write(self, x1: Any, *others: Any) -> Any:
        """Write the result into ``x1`` and return it; the other operands must not overlap ``x1`` in part."""
        return self.context.call(self.name, self._prepare_inplace, (x1, *others), self._options, out=x1)

    def _plan(self, operands: tuple[Any, ...]) -> Plan:
        key = tuple([x.__class__ if x.__class__ in SCALARS else x.dtype for x in operands])
        plan = self.plans.get(key)
        if plan is None:
            plan = self.plans[key] = self._make_plan(key)
        return plan

    def _prepare(self, operands: tuple[Any, ...], *_options: Any) -> Ready:
        plan = self._plan(operands)
        shape, strides = _shape_and_strides(operands)
        order = memory_order(shape, [steps for steps in strides if steps is not None])
        shape = tuple(shape[axis] for axis in order)
        strides = [None if steps is None else tuple(steps[axis] for axis in order) for steps in strides]
        launches = self._launches(plan, shape, dense_strides(shape), strides)
        axes = None if order == tuple(range(len(order))) else tuple(map(order.index, range(len(order))))
        return Ready(shape, plan.out, launches, plan.converters, axes=axes)

    def _prepare_inplace(self, operands: tuple[Any, ...], *_options: Any) -> Ready:
        x1 = operands[0]
        plan = self._plan(operands)
        if plan.out != x1.dtype:
            plan = _cast_result(plan, x1.dtype)
        shape, strides = _shape_and_strides(operands)
        into = strides[0]
        if into is None or shape != x1.shape or not is_injective(shape, into):
            raise Unsuited(f"a result of shape {shape} cannot be written into x1 of shape {x1.shape}")
        return Ready(shape, plan.out, self._launches(plan, shape, into, strides), plan.converters)

    def _launches(
        self, plan: Plan, shape: Shape, out_strides: Shape, strides: Sequence[Shape | None]
    ) -> tuple[Launch, ...]:
        """Return the launch that computes a result of a shape; none for an empty one. A scalar has strides None."""
        size = math.prod(shape)
        if not size:
            return ()
        context = self.context
        merged = iteration(shape, [out_strides, *(steps for steps in strides if steps is not None)])
        ndim = len(merged.shape)
        if ndim > MAX_AXES:
            raise Unsuited(f"the operands have {ndim} axes after merging, more than {MAX_AXES}")
        remaining = iter(merged.strides[1:])
        steps = [None if item is None else next(remaining) for item in strides]
        sources = tuple("scalar" if item is None else "element" if not any(item) else "array" for item in steps)
        flat = merged.is_flat and not merged.offsets_64
        block = context.block(size, plan.block)
        split = flat and bool(size & 15) and not context.launcher.interprets
        kernel = plan.kernel(context, sources, 0 if flat else ndim, merged.offsets_64, split, block)
        fixed = (size, *((None,) * (2 + len(steps)) if flat else (merged.shape, merged.strides[0], *steps)))
        remembers = flat and "element" not in sources and not context.launcher.interprets
        bound = plan.remember(kernel, fixed) if remembers else kernel.bound(fixed)
        return (Launch(bound, -(-size // block), tuple(range(len(strides) + 1))),)


def _shape_and_strides(operands: Sequence[Any]) -> tuple[Shape, list[Shape | None]]:
    """Return the broadcast shape of arrays, and the strides of each operand; None for a scalar."""
    shapes = [x.shape for x in operands if x.__class__ not in SCALARS]
    shape = broadcast_shapes(*shapes) if shapes else ()
    if shape is None:
        raise Unsuited(f"shapes {', '.join(map(str, shapes))} do not broadcast")
    strides: list[Shape | None] = []
    for x in operands:
        steps = None
        if x.__class__ not in SCALARS:
            steps = element_strides(x, shape)
            if steps is None:
                raise Unsuited("a stride is no multiple of the item size")
        strides.append(steps)
    return shape, strides


def _cast_result(plan: Plan, out: DType) -> Plan:
    """Return the plan with the result cast to the dtype of the array that it is written into."""
    if out not in KERNEL_DTYPES or BFLOAT16 in (out, plan.out) or not np.can_cast(plan.out, out, "same_kind"):
        raise Unsuited(f"a result of {plan.out} cannot be written into {out}")
    return plan.with_result(out)


# -- functions ----------------------------------------------------------------------------------------------------


def functions(context: Context) -> dict[str, Callable[..., Any]]:
    """Return the elementwise functions of a device by name."""
    result: dict[str, Callable[..., Any]] = {}
    for name in UNARY:
        result[name] = _unary(Elementwise(name, context, plan_of(name)))
    for name in BINARY:
        result[name] = _binary(Elementwise(name, context, plan_of(name)))
    result["where"] = Elementwise("where", context, plan_of("where"))
    result["clip"] = _clip(context)
    result["astype"] = _astype(context)
    for name in INPLACE:
        function = Elementwise(f"inplace.{name}", context, plan_of(name))
        result[f"inplace.{name}"] = _inplace(function, result["astype"])
    short, short_inplace = {}, {}
    for name in SHORT_POWERS.values():
        short[name] = result[name]
        function = Elementwise("inplace.pow", context, plan_of(name), (name,))
        short_inplace[name] = _inplace(function, result["astype"])
    for name, chosen in (("pow", short), ("inplace.pow", short_inplace)):
        result[name] = _power(result[name], chosen)
    return result


def _unary(function: Elementwise) -> Callable[[Any], Any]:
    """Return a function of one array, with the fast path for a contiguous one."""
    plans, name, context = function.plans, function.name, function.context
    pointer, contiguous, empty = context.pointer, context.contiguous, context.empty

    def call(x: Any) -> Any:
        plan = plans.get((x.dtype,))
        if plan is None or not contiguous(x) or not 0 < x.size < FLAT_LIMIT:
            return function(x)
        out = empty(x.shape, plan.out)
        target, source, size = pointer(out), pointer(x), x.size
        launch = plan.flat.get(((target | source) & 15 == 0, size & 15 == 0))
        if launch is None:
            return function(x)
        launch(-(-size // plan.block), target, source, size, None, None, None)
        if ACTIVE:
            context.count(name)
        return out

    return function if context.launcher.interprets else call


def _binary(function: Elementwise) -> Callable[[Any, Any], Any]:
    """Return a function of two operands, with the fast path for contiguous arrays of one shape, or one and a scalar."""
    plans, name, context = function.plans, function.name, function.context
    pointer, contiguous, empty = context.pointer, context.contiguous, context.empty

    def call_with_scalar(x: Any, scalar: Any, plan: Plan | None, position: int) -> Any:
        """``position`` is that of the scalar among the operands."""
        operands = (x, scalar) if position else (scalar, x)
        if plan is None or not contiguous(x) or not 0 < x.size < FLAT_LIMIT:
            return function(*operands)
        convert = plan.converters[position]
        assert convert is not None
        try:
            value = convert(scalar)
        except (OverflowError, Unsuited):
            return function(*operands)
        out = empty(x.shape, plan.out)
        target, source, size = pointer(out), pointer(x), x.size
        launch = plan.flat.get(((target | source) & 15 == 0, size & 15 == 0))
        if launch is None:
            return function(*operands)
        first, second = (source, value) if position else (value, source)
        launch(-(-size // plan.block), target, first, second, size, None, None, None, None)
        if ACTIVE:
            context.count(name)
        return out

    def call(x1: Any, x2: Any) -> Any:
        if x2.__class__ in SCALARS:
            return call_with_scalar(x1, x2, plans.get((x1.dtype, x2.__class__)), 1)
        if x1.__class__ in SCALARS:
            return call_with_scalar(x2, x1, plans.get((x1.__class__, x2.dtype)), 0)
        plan = plans.get((x1.dtype, x2.dtype))
        shape = x1.shape
        if plan is None or shape != x2.shape or not (contiguous(x1) and contiguous(x2)):
            return function(x1, x2)
        size = x1.size
        out = empty(shape, plan.out)
        target, source1, source2 = pointer(out), pointer(x1), pointer(x2)
        launch = plan.flat.get(((target | source1 | source2) & 15 == 0, size & 15 == 0))
        if launch is None or not 0 < size < FLAT_LIMIT:
            return function(x1, x2)
        launch(-(-size // plan.block), target, source1, source2, size, None, None, None, None)
        if ACTIVE:
            context.count(name)
        return out

    return function if context.launcher.interprets else call


def _inplace(function: Elementwise, astype: Callable[..., Any]) -> Callable[..., Any]:
    """Return an in-place function of one or two operands; one that overlaps the result in part is copied first."""
    context = function.context

    def call(x1: Any, x2: Any = None) -> Any:
        others = () if x2 is None else (x2,)
        if not context.writable(x1):
            return context.decline(function.name, "x1 is read-only", (x1, *others))
        if others and x2.__class__ not in SCALARS:
            start1, start2 = context.pointer(x1), context.pointer(x2)
            same = start1 == start2 and x1.shape == x2.shape and x1.strides == x2.strides
            if not same and overlap(x1, start1, x2, start2):
                x2 = astype(x2, x2.dtype)
                if x2 is NotImplemented:
                    return x2
                others = (x2,)
        return function.write(x1, *others)

    return call


def _power(function: Callable[[Any, Any], Any], short: Mapping[str, Callable[[Any], Any]]) -> Callable[[Any, Any], Any]:
    """Compute squares, roots and reciprocals as such: rounded exactly, and in less time than libdevice's powers."""

    def call(x1: Any, x2: Any) -> Any:
        refuse_negative_power(x1, x2)
        name = short_power(x1, x2)
        return function(x1, x2) if name is None else short[name](x1)

    return call


def _clip(context: Context) -> Callable[[Any, Any, Any], Any]:
    from_below = _binary(Elementwise("clip", context, plan_of("maximum"), ("lower",)))
    from_above = _binary(Elementwise("clip", context, plan_of("minimum"), ("upper",)))
    both = Elementwise("clip", context, plan_of("clip"))

    def clip(x: Any, lower: Any, upper: Any) -> Any:
        if x.dtype.kind == "b":
            return context.decline("clip", "x is boolean", (x, lower, upper))
        if lower is None and upper is None:
            return context.decline("clip", "there are no bounds", (x, lower, upper))
        if upper is None:
            return from_below(x, lower)
        return from_above(x, upper) if lower is None else both(x, lower, upper)

    return clip


def _astype(context: Context) -> Callable[..., Any]:
    casts: dict[DType, Callable[[Any], Any]] = {}

    def astype(x: Any, dtype: DType, *, copy: bool = True) -> Any:
        if not copy and x.dtype == dtype:
            return x
        cast = casts.get(dtype)
        if cast is None:
            cast = casts[dtype] = _unary(Elementwise("astype", context, astype_plan(dtype), (dtype,)))
        return cast(x)

    return astype
