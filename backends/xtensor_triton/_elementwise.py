"""Elementwise functions over kernels: from the operands to a launch, or to the storage's own function.

What a call meets is decided in two steps. By the dtypes: a :class:`~xtensor_triton._plans.Plan`, made once for each
combination. By the layouts: operands that are each one run of elements, or one element, take the kernel without axes;
others its form with axes, broadcast and strided as they are (:class:`Ready`). What neither takes falls through.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ._dtypes import BFLOAT16, STORED
from ._fallthrough import Context, Unsuited, left
from ._layout import (
    MOST_AXES,
    Iteration,
    broadcast_shapes,
    dense_strides,
    element_strides,
    is_dense,
    iteration,
    memory_order,
    overlap,
)
from ._plans import DType, Key, Plan, astype_plan, clip_plan, row_plan, where_plan
from ._table import BINARY, UNARY

__all__ = ["Elementwise", "functions"]

LONGEST_FLAT = 2**31 - 2**21
"""The elements up to which positions have 32 bits, with room for a block behind the last one."""

SCALARS = frozenset((bool, int, float, complex))

MOST_READY = 256
"""The launches that are kept for each combination of dtypes."""


class Ready(NamedTuple):
    """A launch for operands of some shapes and strides, all but the addresses.

    ``lengths`` are those of a new result, whose axes ``axes`` puts in order; ``flat`` says that all operands are runs.
    """

    kernel: Any
    programs: int
    size: int
    layout: tuple[Any, ...]
    flat: bool
    lengths: tuple[int, ...]
    axes: tuple[int, ...] | None


class Elementwise:
    """A function on native arrays and Python scalars.

    ``compares``: a Python integer out of range is no error but larger, or smaller, than everything.
    """

    def __init__(
        self,
        name: str,
        context: Context,
        fallback: Callable[..., Any],
        plan: Callable[[Key], Plan],
        *,
        compares: bool = False,
    ) -> None:
        self.name = name
        self.context = context
        self.fallback = fallback
        self.plans: dict[Key, Any] = {}
        self._plan = plan
        self._compares = compares

    def plan(self, operands: tuple[Any, ...]) -> Plan:
        """The plan for operands; :class:`Unsuited` is raised where there is none."""
        key = tuple([getattr(operand, "dtype", None) or operand.__class__ for operand in operands])
        found = self.plans.get(key)
        if found is None:
            try:
                found = self._plan(key)
            except Unsuited as reason:
                found = reason
            self.plans[key] = found
        if isinstance(found, Unsuited):
            raise found
        return found

    def call(self, *operands: Any) -> Any:
        """The result in a new array."""
        operands = tuple(map(self.context.array, operands))
        try:
            plan = self.plan(operands)
            ready = self.ready(plan, operands)
            out = self.context.empty(ready.lengths, plan.out)
            if ready.size:
                self.launch(plan, ready, out, operands)
        except Unsuited as reason:
            return self.context.fall_through(self.name, reason, self.fallback, operands)
        return out if ready.axes is None else out.transpose(ready.axes)

    def write(self, x1: Any, x2: Any) -> Any:
        """The result in the memory of ``x1``."""
        x2 = self.context.array(x2)
        try:
            plan = self.written(self.plan((x1, x2)), x1.dtype)
            if not self.context.writable(x1):
                raise Unsuited("memory that is not to be written")
            if plan.arrays[1] and self._spoils(x1, x2):
                x2 = x2.copy()
            ready = self.ready(plan, (x1, x2), inplace=True)
            if ready.size:
                self.launch(plan, ready, x1, (x1, x2))
        except Unsuited as reason:
            return self.context.fall_through(f"{self.name} in place", reason, self.fallback, (x1, x2))
        return x1

    def _spoils(self, x1: Any, x2: Any) -> bool:
        """Whether writing into ``x1`` changes elements of ``x2`` that are yet to be read."""
        start1, start2 = self.context.pointer(x1), self.context.pointer(x2)
        same = start1 == start2 and x1.shape == x2.shape and x1.strides == x2.strides
        return not same and overlap(x1, start1, x2, start2)

    def written(self, plan: Plan, out: DType) -> Plan:
        """The plan that writes into an array of a dtype, by NumPy's rule of the same kind."""
        if plan.out == out:
            return plan
        found = plan.made.get(out)
        if found is None:
            if out not in STORED or BFLOAT16 in (out, plan.out) or not np.can_cast(plan.out, out, "same_kind"):
                raise Unsuited(f"a result of {plan.out} written into {out}")
            found = plan.made[out] = plan.written_to(out)
        return found

    def ready(self, plan: Plan, operands: tuple[Any, ...], *, inplace: bool = False) -> Ready:
        """The launch for the operands' shapes and strides, kept for the next of the same ones."""
        arrays = zip(operands, plan.arrays, strict=True)
        key = (inplace, *[(operand.shape, operand.strides) for operand, array in arrays if array])
        found = plan.ready.get(key)
        if found is None:
            if len(plan.ready) >= MOST_READY:
                plan.ready.clear()
            found = plan.ready[key] = self._prepared(plan, operands, inplace)
        return found

    def _prepared(self, plan: Plan, operands: tuple[Any, ...], inplace: bool) -> Ready:
        shape = self._shape(operands, plan)
        strides = self._strides(operands, plan, shape)
        order = tuple(range(len(shape)))
        if inplace:
            into = strides[0]
            if into is None or shape != operands[0].shape or not is_dense(shape, into):
                raise Unsuited("memory that a result cannot be written into")
        else:
            order = memory_order(shape, [steps for steps in strides if steps is not None])
            shape = tuple(shape[axis] for axis in order)
            strides = [None if steps is None else tuple(steps[axis] for axis in order) for steps in strides]
            into = dense_strides(shape)
        axes = None if order == tuple(range(len(order))) else tuple(order.index(axis) for axis in range(len(order)))
        if not math.prod(shape):
            return Ready(None, 0, 0, (), False, shape, axes)
        visited = iteration(shape, [into, *(steps for steps in strides if steps is not None)])
        if len(visited.shape) > MOST_AXES:
            raise Unsuited(f"{len(visited.shape)} axes, more than {MOST_AXES}")
        return self._launchable(plan, visited, strides, shape, axes)

    def _launchable(
        self,
        plan: Plan,
        visited: Iteration,
        strides: Sequence[tuple[int, ...] | None],
        lengths: tuple[int, ...],
        axes: tuple[int, ...] | None,
    ) -> Ready:
        """The kernel that visits collapsed axes, and what it is given of them."""
        launcher = self.context.launcher
        remaining = iter(visited.strides[1:])
        steps = [None if item is None else next(remaining) for item in strides]
        sources = tuple("scalar" if item is None else "element" if not any(item) else "array" for item in steps)
        flat = visited.is_flat and not visited.wide
        size = math.prod(visited.shape)
        block = self.context.block(size, plan.block)
        split = flat and bool(size & 15) and not launcher.interprets
        ndim = 0 if flat else len(visited.shape)
        kernel = plan.kernel(launcher, sources, ndim, visited.wide, split, block)
        layout = (None,) * (2 + len(steps)) if flat else (visited.shape, visited.strides[0], *steps)
        runs = flat and "element" not in sources
        return Ready(kernel, -(-size // block), size, layout, runs, lengths, axes)

    def _shape(self, operands: tuple[Any, ...], plan: Plan) -> tuple[int, ...]:
        """The common shape; where there is none, the storage's function says so."""
        shapes = [operand.shape for operand, array in zip(operands, plan.arrays, strict=True) if array]
        shape = broadcast_shapes(*shapes) if shapes else ()
        if shape is None:
            raise Unsuited("shapes that do not broadcast")
        return shape

    def _strides(self, operands: tuple[Any, ...], plan: Plan, shape: tuple[int, ...]) -> list[tuple[int, ...] | None]:
        """Each array's strides, None for a scalar."""
        found: list[tuple[int, ...] | None] = []
        for operand, array in zip(operands, plan.arrays, strict=True):
            steps = element_strides(operand, shape) if array else None
            if array and steps is None:
                raise Unsuited("strides that do not fall on elements")
            found.append(steps)
        return found

    def launch(self, plan: Plan, ready: Ready, out: Any, operands: tuple[Any, ...]) -> None:
        """Compute ``out``; the launch of runs of elements is kept for the short way."""
        pointer = self.context.pointer
        try:
            arguments = [
                pointer(operand) if convert is None else convert(operand)
                for operand, convert in zip(operands, plan.scalars, strict=True)
            ]
        except OverflowError as error:
            if self._compares:
                raise Unsuited(str(error)) from error
            raise
        start, size = pointer(out), ready.size
        self.context.launch(self.name, ready.kernel, ready.programs, start, *arguments, size, *ready.layout)
        if ready.flat and not self.context.launcher.interprets:
            addresses = (value for value, array in zip(arguments, plan.arrays, strict=True) if array)
            aligned = not any(address & 15 for address in (start, *addresses))
            plan.flat[aligned, not size & 15] = ready.kernel.assuming(aligned, not size & 15)


# -- functions ----------------------------------------------------------------------------------------------------


def functions(context: Context, storage: Any) -> dict[str, Callable[..., Any]]:
    """The functions by their names; ``storage`` holds those to fall through to."""
    found: dict[str, Callable[..., Any]] = {}
    for name, row in UNARY.items():
        fallback = left if name.startswith("nn.") else getattr(storage, name)
        found[name] = _of_one(Elementwise(name, context, fallback, row_plan(name, row)))
    for name, row in BINARY.items():
        plan = row_plan(name, row)
        compares = row.mixed is not None
        fallback = left if name.startswith("nn.") else getattr(storage, name)
        found[name] = _of_two(Elementwise(name, context, fallback, plan, compares=compares))
        into = getattr(storage.inplace, name, None)
        if into is not None:
            found[f"inplace.{name}"] = Elementwise(name, context, into, plan).write
    gelu, gelu_tanh = found["nn.gelu"], found.pop("nn.gelu_tanh")
    found["nn.gelu"] = lambda x, *, approximate: (gelu_tanh if approximate == "tanh" else gelu)(x)
    found["pow"] = _refusing_negative_exponents(found["pow"])
    found["inplace.pow"] = _refusing_negative_exponents(found["inplace.pow"])
    found["where"] = Elementwise("where", context, storage.where, where_plan).call
    found["clip"] = _clip(Elementwise("clip", context, storage.clip, clip_plan), found, storage.clip)
    found["astype"] = _astype(context, storage.astype)
    return found


def _of_one(function: Elementwise) -> Callable[[Any], Any]:
    """A function of one array; one that is a run of elements comes to its launch the short way."""
    plans, general, context = function.plans, function.call, function.context
    pointer, contiguous, empty = context.pointer, context.contiguous, context.empty

    def call(x: Any) -> Any:
        plan = plans.get((x.dtype,))
        if plan.__class__ is not Plan or not contiguous(x) or not 0 < x.size < LONGEST_FLAT:
            return general(x)
        out = empty(x.shape, plan.out)
        into, start, size = pointer(out), pointer(x), x.size
        launch = plan.flat.get(((into | start) & 15 == 0, size & 15 == 0))
        if launch is None:
            return general(x)
        launch(-(-size // plan.block), into, start, size, None, None, None)
        return out

    return general if context.launcher.interprets else call


def _of_two(function: Elementwise) -> Callable[[Any, Any], Any]:
    """A function of two operands, with the same short way for arrays of one shape, and for an array and a scalar."""
    plans, general, context = function.plans, function.call, function.context
    pointer, contiguous, empty = context.pointer, context.contiguous, context.empty

    def with_scalar(x: Any, scalar: Any, plan: Any, place: int) -> Any:
        """``place`` is that of the scalar."""
        operands = (x, scalar) if place else (scalar, x)
        if plan.__class__ is not Plan or not contiguous(x) or not 0 < x.size < LONGEST_FLAT:
            return general(*operands)
        convert = plan.scalars[place]
        assert convert is not None
        try:
            value = convert(scalar)
        except OverflowError:
            return general(*operands)
        out = empty(x.shape, plan.out)
        into, start, size = pointer(out), pointer(x), x.size
        launch = plan.flat.get(((into | start) & 15 == 0, size & 15 == 0))
        if launch is None:
            return general(*operands)
        first, second = (start, value) if place else (value, start)
        launch(-(-size // plan.block), into, first, second, size, None, None, None, None)
        return out

    def call(x1: Any, x2: Any) -> Any:
        if x2.__class__ in SCALARS:
            return with_scalar(x1, x2, plans.get((x1.dtype, x2.__class__)), 1)
        if x1.__class__ in SCALARS:
            return with_scalar(x2, x1, plans.get((x1.__class__, x2.dtype)), 0)
        plan = plans.get((x1.dtype, x2.dtype))
        shape = x1.shape
        if plan.__class__ is not Plan or shape != x2.shape or not (contiguous(x1) and contiguous(x2)):
            return general(x1, x2)
        size = x1.size
        out = empty(shape, plan.out)
        into, start1, start2 = pointer(out), pointer(x1), pointer(x2)
        launch = plan.flat.get(((into | start1 | start2) & 15 == 0, size & 15 == 0))
        if launch is None or not 0 < size < LONGEST_FLAT:
            return general(x1, x2)
        launch(-(-size // plan.block), into, start1, start2, size, None, None, None, None)
        return out

    return general if context.launcher.interprets else call


def _refusing_negative_exponents(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Integers to a negative Python integer are refused as by NumPy; exponents on a device are not looked at."""

    def call(x1: Any, x2: Any) -> Any:
        if x2.__class__ is int and x2 < 0 and x1.dtype.kind in "bi":
            raise ValueError("integers to negative integer powers are not allowed")
        return function(x1, x2)

    return call


def _clip(
    of_three: Elementwise, found: dict[str, Callable[..., Any]], fallback: Callable[..., Any]
) -> Callable[[Any, Any, Any], Any]:
    maximum, minimum = found["maximum"], found["minimum"]

    def clip(x: Any, lower: Any, upper: Any) -> Any:
        if x.dtype.kind == "b" or (lower is None and upper is None):
            return fallback(x, lower, upper)
        if upper is None:
            return maximum(x, lower)
        return minimum(x, upper) if lower is None else of_three.call(x, lower, upper)

    return clip


def _astype(context: Context, fallback: Callable[..., Any]) -> Callable[..., Any]:
    casts: dict[DType, Elementwise] = {}

    def astype(x: Any, dtype: DType, *, copy: bool = True) -> Any:
        if not copy and x.dtype == dtype:
            return x
        function = casts.get(dtype)
        if function is None:
            cast = partial(_cast, fallback, dtype)
            function = casts[dtype] = Elementwise("astype", context, cast, astype_plan(dtype))
        return function.call(x)

    return astype


def _cast(fallback: Callable[..., Any], dtype: DType, x: Any) -> Any:
    return fallback(x, dtype, copy=True)
