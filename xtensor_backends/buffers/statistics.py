"""Means, variances and norms, whose powers and sums do not leave the range where the result does not.

The largest element of a row is found first. The elements are divided by a power of two of its size while they are
reduced, and the result is multiplied by it. No value is read by the host.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from xtensor.backend import Program, Step, power_of_two

from ..kernels.layouts import sorted_axes
from .arrays import BufferArray
from .reductions import reduce_program
from .runtime import Runtime

__all__ = ["Statistics"]


class Statistics:
    """The functions of a device."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def mean(self, x: BufferArray, *, axis: Any, keepdims: bool) -> Any:
        """Return the means: halves of a power of two are added up as well, whose sum does not overflow."""
        axes = self._axes(x, axis)
        if axes is None or x.dtype.kind != "f":
            return NotImplemented
        functions, count = self._runtime.functions, _count(x, axes)
        part = 2.0 ** -math.ceil(math.log2(count))
        dtype = x.dtype.name
        program = Program((dtype,), (dtype,), (Step("multiply", (0, 1), dtype),), (), (("sum", 0), ("sum", 2)))
        total, scaled = reduce_program(program.shared(), (x,), (part,), x.shape, axes, keepdims=keepdims)
        mean, again = functions.divide(total, float(count)), functions.divide(scaled, float(count) * part)
        return functions.where(functions.isfinite(total), mean, again)

    def var(self, x: BufferArray, *, axis: Any, correction: float, keepdims: bool) -> Any:
        """Return the variances."""
        spread_and_scale = self._spread(x, axis, correction, keepdims)
        if spread_and_scale is NotImplemented:
            return spread_and_scale
        multiply, (spread, scale) = self._runtime.functions.multiply, spread_and_scale
        return multiply(multiply(spread, scale), scale)

    def std(self, x: BufferArray, *, axis: Any, correction: float, keepdims: bool) -> Any:
        """Return the roots of the variances."""
        spread_and_scale = self._spread(x, axis, correction, keepdims)
        if spread_and_scale is NotImplemented:
            return spread_and_scale
        functions, (spread, scale) = self._runtime.functions, spread_and_scale
        return functions.multiply(functions.sqrt(spread), scale)

    def _spread(self, x: BufferArray, axis: Any, correction: float, keepdims: bool) -> Any:
        """Return variances of elements divided by powers of two, and these."""
        axes = self._axes(x, axis)
        if axes is None or x.dtype.kind != "f":
            return NotImplemented
        functions = self._runtime.functions
        scale = self._scale(x, axes, "max")
        distances = [scale]
        # The error of a mean that is far larger than the distances is of their size.
        for _ in range(2):
            total = _sum(x, distances, axes, keepdims=True)
            distances.append(functions.divide(total, float(_count(x, axes))))
        total = _sum(x, distances, axes, squares=True, keepdims=keepdims)
        spread = functions.divide(total, float(max(_count(x, axes) - correction, 0.0)))
        return spread, functions.reshape(scale, spread.shape)

    def vector_norm(self, x: BufferArray, *, axis: Any, keepdims: bool, ord: float) -> Any:
        """Return the norms of finite orders other than 0 and 1."""
        axes = self._axes(x, axis)
        if axes is None or x.dtype.kind not in "fc" or ord in (0, 1) or math.isinf(ord):
            return NotImplemented
        functions = self._runtime.functions
        # Powers of negative orders are largest for the smallest element.
        extreme = "max" if ord > 0 else "min"
        if x.dtype.kind == "c":
            # The moduli of numbers near the ends of the range overflow, or have few digits.
            parts = [functions.abs(x.component(number)) for number in (0, 1)]
            scale = self._scale(functions.maximum(*parts), axes, extreme)
            x = functions.hypot(*[functions.divide(part, scale) for part in parts])
            divisor = functions.divide(scale, scale)
        else:
            divisor = scale = self._scale(x, axes, extreme)
        if ord == 2:
            norm = functions.sqrt(_sum(x, (divisor,), axes, squares=True, keepdims=keepdims))
        else:
            powers = functions.pow(functions.abs(functions.divide(x, divisor)), float(ord))
            total = functions.sum(powers, axis=axes, keepdims=keepdims, dtype=x.dtype)
            norm = functions.pow(total, 1.0 / ord)
        return functions.multiply(norm, functions.reshape(scale, norm.shape))

    def _axes(self, x: BufferArray, axis: Any) -> tuple[int, ...] | None:
        """The axes of a reduction; None where the composition computes: without elements, and in other dtypes."""
        axes = sorted_axes(axis, x.ndim)
        return axes if axes and x.size and x.dtype.itemsize > 2 else None

    def _scale(self, x: BufferArray, axes: tuple[int, ...], extreme: str) -> BufferArray:
        """Return a power of two of the size of an extreme element of each row, with the reduced axes of length 1."""
        functions, dtype = self._runtime.functions, x.dtype.name
        program = Program((dtype,), (), (Step("abs", (0,), dtype),), (), ((extreme, 1),)).shared()
        size = reduce_program(program, (x,), (), x.shape, axes, keepdims=True)[0]
        is_usable = functions.logical_and(functions.less(0.0, size), functions.isfinite(size))
        scale: BufferArray = power_of_two(functions, functions.where(is_usable, size, 1.0))
        return scale


def _sum(
    x: BufferArray, others: Sequence[BufferArray], axes: tuple[int, ...], *, squares: bool = False, keepdims: bool
) -> BufferArray:
    """Return the sums of ``x / scale - center - rest``, or of their squares, without storing these numbers."""
    dtype, count = x.dtype.name, 1 + len(others)
    steps = [Step("divide", (0, 1), dtype)]
    steps += [Step("subtract", (count + k, 2 + k), dtype) for k in range(count - 2)]
    value = count + len(steps) - 1
    if squares:
        steps.append(Step("multiply", (value, value), dtype))
    program = Program((dtype,) * count, (), tuple(steps), (), (("sum", count + len(steps) - 1),)).shared()
    return reduce_program(program, (x, *others), (), x.shape, axes, keepdims=keepdims)[0]


def _count(x: BufferArray, axes: tuple[int, ...]) -> int:
    return math.prod([x.shape[axis] for axis in axes])
