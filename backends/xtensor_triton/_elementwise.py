"""Elementwise functions over kernels: from the operands to a launch, or to the storage's own function.

What a call meets is decided in two steps. By the dtypes: a :class:`Plan`, made once for each combination. By the
layouts: operands that are each one run of elements, or one element, take the kernel without axes; others its form with
axes, broadcast and strided as they are. What neither takes falls through.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import triton.language as tl

from . import _kernels as kernels
from . import _ops as ops
from ._dtypes import BFLOAT16, SCALAR_TYPES, STORED, computed
from ._fallthrough import Context, Unsuited
from ._layout import (
    MOST_AXES,
    Iteration,
    broadcast_shapes,
    element_strides,
    is_dense,
    iteration,
    memory_order,
    overlap,
)
from ._table import BINARY, UNARY, Row

__all__ = ["functions"]

DType: TypeAlias = "np.dtype[Any]"
Key: TypeAlias = tuple[Any, ...]
"""What a call's operands are: a dtype for an array, Python's type for a scalar."""

KERNELS = {1: (kernels.unary, "X"), 2: (kernels.binary, "XY"), 3: (kernels.ternary, "XYZ")}

LONGEST_FLAT = 2**31 - 2**21
"""The elements up to which positions have 32 bits, with room for a block behind the last one."""


class Plan:
    """How operands of some dtypes are computed: the device function, the dtypes, and the kernels made so far.

    Parameters
    ----------
    operation
        The device function.
    key
        The operands.
    loop
        The dtype that each operand is cast to first.
    computed_in
        Triton's dtypes of the computation; ``int1`` for a truth value.
    out
        The dtype of the result.
    """

    def __init__(self, operation: Any, key: Key, loop: Sequence[DType], computed_in: Sequence[Any], out: DType) -> None:
        self.operation = operation
        self.out = out
        self.loop = tuple(loop)
        self.arrays = tuple(isinstance(item, np.dtype) for item in key)
        self.all_arrays = all(self.arrays)
        stored = [STORED[item] if array else None for item, array in zip(key, self.arrays, strict=True)]
        self._computed = tuple(computed_in)
        self._forms = tuple("plain" if item is None else item.form for item in stored)
        self._types = tuple(
            SCALAR_TYPES[dtype] if item is None else item.pointer
            for item, dtype in zip(stored, computed_in, strict=True)
        )
        sizes = [item.itemsize for item in (*key, out) if isinstance(item, np.dtype)]
        self.block = {1: 4096, 2: 2048}.get(max(sizes), 1024)
        self.made: dict[Any, Any] = {}
        self.flat: dict[tuple[bool, bool], Any] = {}

    def kernel(self, launcher: Any, sources: tuple[str, ...], ndim: int, wide: bool, split: bool, block: int) -> Any:
        """The kernel for operands of some layout."""
        variant = (sources, ndim, wide, split, block, self.out)
        found = self.made.get(variant)
        if found is None:
            found = self.made[variant] = self._make(launcher, sources, ndim, wide, split, block)
        return found

    def _make(self, launcher: Any, sources: tuple[str, ...], ndim: int, wide: bool, split: bool, block: int) -> Any:
        function, letters = KERNELS[len(sources)]
        integer = "i64" if wide else "i32"
        axes = (integer,) * ndim if ndim else None
        result = STORED[self.out]
        types = (
            result.pointer,
            *self._types,
            integer,
            axes,
            axes,
            *(None if source == "scalar" else axes for source in sources),
        )
        constants: dict[str, Any] = {"OP": self.operation}
        for letter, source, form, dtype in zip(letters, sources, self._forms, self._computed, strict=True):
            constants |= {f"{letter}_SOURCE": source, f"{letter}_FORM": form, f"{letter}_DTYPE": dtype}
        constants |= {"OUT_FORM": result.form, "OUT_DTYPE": _plain(self.out)}
        constants |= {"NDIM": ndim, "WIDE": wide, "SPLIT": split, "BLOCK": block}
        return launcher.kernel(function, types, constants)

    def written_to(self, out: DType) -> Plan:
        """The same computation with a result of another dtype."""
        other: Plan = object.__new__(Plan)
        other.__dict__.update(self.__dict__, out=out, made={}, flat={})
        return other

    def scalar(self, position: int, value: Any) -> Any:
        """A Python scalar as the kernel's argument; OverflowError where an integer is out of range, as in NumPy."""
        dtype = self.loop[position]
        with np.errstate(all="ignore"):
            found = dtype.type(value)
        return float(found) if STORED[dtype].kind == "f" else int(found)


class Elementwise:
    """A function on native arrays and Python scalars."""

    def __init__(
        self,
        name: str,
        context: Context,
        fallback: Callable[..., Any],
        plan: Callable[[Key], Plan],
    ) -> None:
        self.name = name
        self.context = context
        self.fallback = fallback
        self.plans: dict[Key, Any] = {}
        self._plan = plan

    def plan(self, operands: tuple[Any, ...]) -> Plan:
        """The plan for operands; :class:`Unsuited` is raised where there is none."""
        key = tuple(getattr(operand, "dtype", None) or operand.__class__ for operand in operands)
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
            shape = self.shape(operands, plan)
            strides = self.strides(operands, plan, shape)
            order = memory_order(shape, [steps for steps in strides if steps is not None])
            lengths = tuple(shape[axis] for axis in order)
            out = self.context.empty(lengths, plan.out)
            if out.size:
                self.launch(
                    plan,
                    out,
                    operands,
                    lengths,
                    _dense_strides(lengths),
                    [None if steps is None else tuple(steps[axis] for axis in order) for steps in strides],
                )
        except Unsuited as reason:
            return self.context.fall_through(self.name, reason, self.fallback, operands)
        if order == tuple(range(len(order))):
            return out
        return out.transpose(tuple(order.index(axis) for axis in range(len(order))))

    def write(self, x1: Any, x2: Any) -> Any:
        """The result in the memory of ``x1``."""
        x2 = self.context.array(x2)
        try:
            plan = self.written(self.plan((x1, x2)), x1.dtype)
            shape = self.shape((x1, x2), plan)
            strides = self.strides((x1, x2), plan, shape)
            into = strides[0]
            if into is None or shape != x1.shape or not is_dense(shape, into) or not self.context.writable(x1):
                raise Unsuited("the memory to write into")
            if strides[1] is not None and self._spoils(x1, into, x2, strides[1]):
                x2 = x2.copy()
                strides = self.strides((x1, x2), plan, shape)
            if x1.size:
                self.launch(plan, x1, (x1, x2), shape, into, strides)
        except Unsuited as reason:
            return self.context.fall_through(f"{self.name} in place", reason, self.fallback, (x1, x2))
        return x1

    def _spoils(self, x1: Any, into: tuple[int, ...], x2: Any, steps: tuple[int, ...]) -> bool:
        """Whether writing into ``x1`` changes elements of ``x2`` that are yet to be read."""
        start1, start2 = self.context.pointer(x1), self.context.pointer(x2)
        return (start1 != start2 or into != steps) and overlap(x1, start1, x2, start2)

    def written(self, plan: Plan, out: DType) -> Plan:
        """The plan that writes into an array of a dtype, by NumPy's rule of the same kind."""
        if plan.out == out:
            return plan
        found = plan.made.get(out)
        if found is None:
            if BFLOAT16 in (out, plan.out) or not np.can_cast(plan.out, out, "same_kind"):
                raise Unsuited(f"a result of {plan.out} written into {out}")
            found = plan.made[out] = plan.written_to(out)
        assert isinstance(found, Plan)
        return found

    def shape(self, operands: tuple[Any, ...], plan: Plan) -> tuple[int, ...]:
        """The common shape; where there is none, the storage's function says so."""
        shapes = [operand.shape for operand, array in zip(operands, plan.arrays, strict=True) if array]
        shape = broadcast_shapes(*shapes) if shapes else ()
        if shape is None:
            raise Unsuited("shapes that do not broadcast")
        return shape

    def strides(self, operands: tuple[Any, ...], plan: Plan, shape: tuple[int, ...]) -> list[tuple[int, ...] | None]:
        """Each array's strides, None for a scalar."""
        found: list[tuple[int, ...] | None] = []
        for operand, array in zip(operands, plan.arrays, strict=True):
            steps = element_strides(operand, shape) if array else None
            if array and steps is None:
                raise Unsuited("strides that do not fall on elements")
            found.append(steps)
        return found

    def launch(
        self,
        plan: Plan,
        out: Any,
        operands: tuple[Any, ...],
        shape: tuple[int, ...],
        into: tuple[int, ...],
        strides: Sequence[tuple[int, ...] | None],
    ) -> None:
        """Compute ``out``, whose strides are ``into``."""
        context = self.context
        given = [steps for steps in strides if steps is not None]
        axes = iteration(shape, [into, *given])
        if len(axes.shape) > MOST_AXES:
            raise Unsuited(f"{len(axes.shape)} axes, more than {MOST_AXES}")
        flat = axes.is_flat and not axes.wide
        remaining = iter(axes.strides[1:])
        steps = [None if item is None else next(remaining) for item in strides]
        sources = tuple("scalar" if item is None else "element" if not any(item) else "array" for item in steps)
        size = math.prod(axes.shape)
        block = context.block(size, plan.block)
        split = flat and bool(size & 15) and not context.launcher.interprets
        ndim = 0 if flat else len(axes.shape)
        kernel = plan.kernel(context.launcher, sources, ndim, axes.wide, split, block)
        arguments = [
            context.pointer(operand) if array else plan.scalar(position, operand)
            for position, (operand, array) in enumerate(zip(operands, plan.arrays, strict=True))
        ]
        layout = self._layout(axes, steps, flat)
        start = context.pointer(out)
        context.launch(self.name, kernel, -(-size // block), start, *arguments, size, *layout)
        if flat and all(source == "array" for source in sources) and not context.launcher.interprets:
            aligned = not any(address & 15 for address in (start, *arguments))
            plan.flat[aligned, not size & 15] = kernel.assuming(aligned, not size & 15)

    def _layout(self, axes: Iteration, steps: Sequence[tuple[int, ...] | None], flat: bool) -> tuple[Any, ...]:
        if flat:
            return (None,) * (2 + len(steps))
        return (axes.shape, axes.strides[0], *steps)


def _dense_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    steps = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        steps[axis - 1] = steps[axis] * shape[axis]
    return tuple(steps)


def _plain(dtype: DType) -> Any:
    """The dtype that a result is converted to before it is stored."""
    return tl.float16 if dtype == np.float16 else STORED[dtype].dtype


# -- plans --------------------------------------------------------------------------------------------------------


def _row_plan(name: str, row: Row) -> Callable[[Key], Plan]:
    """Plans of a row of the table, whose ufunc tells the dtypes."""

    def plan(key: Key) -> Plan:
        _check(key)
        dtypes = tuple(np.dtype(bool) if item is bool else item for item in key)
        if BFLOAT16 in dtypes:
            dtypes = tuple(BFLOAT16 if item in (int, float) else item for item in dtypes)
        if name == "round" and dtypes[0].kind in "biu":
            loop: tuple[Any, ...] = (dtypes[0], dtypes[0])
        else:
            try:
                loop = row.ufunc.resolve_dtypes((*dtypes, None))
            except TypeError as error:
                raise Unsuited(str(error)) from error
        if not all(item in STORED for item in loop):
            raise Unsuited(f"computation in {', '.join(map(str, loop))}")
        kinds = {STORED[item].kind for item in loop[:-1]}
        operation = row.functions.get(STORED[loop[0]].kind)
        if len(kinds) > 1:
            operation = row.mixed
        elif loop[0] == BFLOAT16 and row.bfloat16 is not None:
            operation = row.bfloat16
        if operation is None:
            raise Unsuited(f"computation in {loop[0]}")
        return Plan(operation, key, loop[:-1], [_computed(item, row) for item in loop[:-1]], loop[-1])

    return plan


def _computed(dtype: DType, row: Row) -> Any:
    return tl.int1 if dtype == np.bool_ else computed(dtype, wide=row.wide, raw=row.raw)


def _check(key: Key) -> None:
    for item in key:
        if item not in STORED and item not in (bool, int, float):
            raise Unsuited(f"an operand of {getattr(item, '__name__', item)}")


def _common(key: Key) -> DType:
    """The dtype that arrays and scalars promote to, a scalar weakly."""
    _check(key)
    given: list[Any] = [{bool: np.dtype(bool), int: 0, float: 0.0}.get(item, item) for item in key]
    common = np.result_type(*given)
    if common not in STORED or (BFLOAT16 in key and common != BFLOAT16):
        raise Unsuited(f"computation in {common}")
    return common


def _where_plan(key: Key) -> Plan:
    common = _common(key[1:])
    _check(key[:1])
    as_stored = _plain(common) if common != BFLOAT16 else tl.float32
    return Plan(ops.where, key, (np.dtype(bool), common, common), (tl.int1, as_stored, as_stored), common)


def _clip_plan(key: Key) -> Plan:
    common = _common(key)
    if common == np.bool_:
        raise Unsuited("bounds of booleans")
    return Plan(ops.clip, key, (common,) * 3, (computed(common),) * 3, common)


# -- functions ----------------------------------------------------------------------------------------------------


def functions(context: Context, storage: Any) -> dict[str, Callable[..., Any]]:
    """The functions by their names; ``storage`` holds those to fall through to."""
    found: dict[str, Callable[..., Any]] = {}
    for name, row in UNARY.items():
        found[name] = _of_one(Elementwise(name, context, getattr(storage, name), _row_plan(name, row)))
    for name, row in BINARY.items():
        plan = _row_plan(name, row)
        found[name] = _of_two(Elementwise(name, context, getattr(storage, name), plan))
        into = getattr(storage.inplace, name, None)
        if into is not None:
            found[f"inplace.{name}"] = Elementwise(name, context, into, plan).write
    found["pow"] = _refusing_negative_exponents(found["pow"])
    found["inplace.pow"] = _refusing_negative_exponents(found["inplace.pow"])
    found["where"] = Elementwise("where", context, storage.where, _where_plan).call
    found["clip"] = _clip(Elementwise("clip", context, storage.clip, _clip_plan), found, storage.clip)
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
    """A function of two operands, with the same short way for arrays of one shape."""
    plans, general, context = function.plans, function.call, function.context
    pointer, contiguous, empty = context.pointer, context.contiguous, context.empty

    def call(x1: Any, x2: Any) -> Any:
        try:
            plan = plans.get((x1.dtype, x2.dtype))
            shape = x1.shape
            if plan.__class__ is not Plan or shape != x2.shape or not (contiguous(x1) and contiguous(x2)):
                return general(x1, x2)
        except AttributeError:  # a scalar has no dtype
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

    def cast_to(dtype: DType) -> Elementwise:
        def plan(key: Key) -> Plan:
            _check(key)
            if dtype not in STORED:
                raise Unsuited(f"a result of {dtype}")
            return Plan(ops.identity, key, key, (_plain(key[0]) if key[0] != BFLOAT16 else tl.float32,), dtype)

        return Elementwise("astype", context, lambda x: fallback(x, dtype, copy=True), plan)

    def astype(x: Any, dtype: DType, *, copy: bool = True) -> Any:
        if not copy and x.dtype == dtype:
            return x
        function = casts.get(dtype)
        if function is None:
            function = casts[dtype] = cast_to(dtype)
        return function.call(x)

    return astype
