"""Elementwise functions of a device, each a kernel for the dtypes of its operands, and in-place operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from xtensor.backend import DType, Program, refuse_negative_power

from ..kernels.formulas import FORMULAS
from .arrays import BufferArray
from .elementwise import broadcast_shape, compute, copied, single
from .formulas import COMPARISONS, plan
from .real_formulas import REAL
from .runtime import Runtime

__all__ = ["ELEMENTWISE", "INPLACE", "complex_of", "elementwise", "inplace"]

ELEMENTWISE = tuple(sorted({name for name in (*FORMULAS, *REAL) if "." not in name} - {"real"}))
"""The operations with a formula."""

INPLACE = (
    *("add", "subtract", "multiply", "divide", "floor_divide", "remainder"),
    *("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"),
)


class Prepared(NamedTuple):
    """The program of an operation for the dtypes of its operands, with the positions of those that are numbers.

    The program is None where no kernel computes the operation.
    """

    program: Program | None
    dtype: DType | None
    scalars: Sequence[int]


DECLINED = Prepared(None, None, ())


def _prepare(runtime: Runtime, name: str, kinds: tuple[Any, ...]) -> Prepared:
    resolved = plan(name, kinds, runtime.dtypes, runtime.language)
    if resolved is None:
        return DECLINED
    computed, out = resolved
    scalars = [position for position, kind in enumerate(kinds) if kind.__class__ is type]
    inputs = [item if kind.__class__ is type else kind for kind, item in zip(kinds, computed, strict=True)]
    return Prepared(single(name, inputs, scalars, computed, out), out, scalars)


def elementwise(runtime: Runtime, name: str) -> Callable[..., Any]:
    """Return the function of an operation on native arrays and Python numbers."""
    prepared: dict[tuple[Any, ...], Prepared] = {}

    def call(*operands: Any) -> Any:
        kinds = tuple([x.dtype if x.__class__ is BufferArray else x.__class__ for x in operands])
        kernel = prepared.get(kinds)
        if kernel is None:
            kernel = prepared[kinds] = _prepare(runtime, name, kinds)
        if kernel.program is None:
            return NotImplemented
        if not kernel.scalars:
            return compute(kernel.program, operands)[0]
        arrays = [x for x in operands if x.__class__ is BufferArray]
        return compute(kernel.program, arrays, [operands[position] for position in kernel.scalars])[0]

    if name in COMPARISONS:
        return _comparing_all_integers(call)
    if name == "pow":
        return _refusing_negative_powers(call)
    return call


def _comparing_all_integers(call: Callable[..., Any]) -> Callable[..., Any]:
    """A comparison for which a Python integer beyond an array's dtype is on one side of all its values."""

    def compared(x1: Any, x2: Any) -> Any:
        try:
            return call(x1, x2)
        except OverflowError:
            x, number = (x1, x2) if x1.__class__ is BufferArray else (x2, x1)
            if number.__class__ is not int or x.dtype.kind not in "iu":
                raise
            zeros = x.runtime.functions.full(x.shape, 0, dtype=x.dtype)
            end = 1 if number > 0 else -1
            zeros = copied(zeros, np.dtype(np.int32))
            return call(zeros, end) if x is x1 else call(end, zeros)

    return compared


def _refusing_negative_powers(call: Callable[..., Any]) -> Callable[..., Any]:
    def power(x1: Any, x2: Any) -> Any:
        refuse_negative_power(x1, x2)
        return call(x1, x2)

    return power


def inplace(runtime: Runtime, name: str) -> Callable[..., Any]:
    """Return an in-place operator, which writes the result of a kernel into its first operand."""
    prepared: dict[tuple[Any, ...], Prepared] = {}

    def call(x1: BufferArray, x2: Any) -> Any:
        kinds = x1.dtype, x2.dtype if x2.__class__ is BufferArray else x2.__class__
        kernel = prepared.get(kinds)
        if kernel is None:
            kernel = prepared[kinds] = _prepare(runtime, name, kinds)
        if kernel.dtype != x1.dtype or not x1.is_writable:
            return NotImplemented  # the operation and an assignment, which raise the errors
        arrays, scalars = (x1,), (x2,)
        if x2.__class__ is BufferArray:
            if x2.shape != x1.shape and broadcast_shape((x1, x2)) != x1.shape:
                return NotImplemented
            shares = x2.block is x1.block and (x2.offset, x2.strides, x2.shape) != (x1.offset, x1.strides, x1.shape)
            arrays, scalars = (x1, copied(x2) if shares else x2), ()  # type: ignore[assignment]
        compute(kernel.program, arrays, scalars, (x1,))  # type: ignore[arg-type]
        return x1

    return call


def complex_of(real: BufferArray, imag: BufferArray) -> BufferArray:
    """Return complex numbers of their components, each exactly as given."""
    dtype = np.dtype(np.float64 if 8 in (real.dtype.itemsize, imag.dtype.itemsize) else np.float32)
    result = np.dtype(f"c{2 * dtype.itemsize}")
    program = single("complex_of", (real.dtype, imag.dtype), (), (dtype, dtype), result)
    return compute(program, (real, imag))[0]
