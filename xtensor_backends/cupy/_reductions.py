"""CuPy's reductions and scans in the standard's names and signatures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import DType, Native

from ..kernels.reductions import accumulate_dtype
from ._kernels import Kernels
from ._operands import (
    FLUSHED,
    HALF,
    LARGEST_COUNT,
    Axes,
    keepdims_shape,
    reduced_count,
    sorted_axes,
    widened,
)

__all__ = ["Reductions"]

IN_ORDER = 1024
"""The largest number of factors that are multiplied one after another, as NumPy multiplies them."""


class Reductions:
    """The reductions and scans of the namespace."""

    _cp: Any
    _kernels: Kernels
    astype: Callable[..., Native]
    complex_of: Callable[..., Native]
    full: Callable[..., Native]

    def _truth(self, x: Native) -> Native:
        """An array whose elements are not zero where those of ``x`` are not, subnormal numbers included."""
        return self._kernels.truth(x) if x.dtype.char in FLUSHED else x

    def all(self, x: Native, *, axis: Axes = None, keepdims: bool = False) -> Native:
        return self._cp.all(self._truth(x), axis=axis, keepdims=keepdims)

    def any(self, x: Native, *, axis: Axes = None, keepdims: bool = False) -> Native:
        return self._cp.any(self._truth(x), axis=axis, keepdims=keepdims)

    def max(self, x: Native, *, axis: Axes = None, keepdims: bool = False) -> Native:
        return self._extreme("max", x, axis, keepdims)

    def min(self, x: Native, *, axis: Axes = None, keepdims: bool = False) -> Native:
        return self._extreme("min", x, axis, keepdims)

    def _extreme(self, name: str, x: Native, axis: Axes, keepdims: bool) -> Native:
        """``cp.max`` or ``cp.min``; a kernel for floats: CuPy's identities are finite, and its comparisons flush."""
        if reduced_count(x.shape, axis) == 0:
            raise ValueError(
                f"zero-size array to reduction operation {name}imum which has no identity: shape {x.shape}, axis {axis}"
            )
        if x.dtype.kind != "f":
            return getattr(self._cp, name)(x, axis=axis, keepdims=keepdims)
        return self._kernels.extreme(name, x, axis=axis, keepdims=keepdims)

    def prod(self, x: Native, *, axis: Axes = None, dtype: DType | None = None, keepdims: bool = False) -> Native:
        # In order where that is cheap: [1e200, 1e200, 0] gives NaN and [0, 1e200, 1e200] gives 0, as in NumPy.
        wanted = x.dtype if dtype is None else dtype
        length = reduced_count(x.shape, axis)
        if wanted.kind not in "fc" or length > IN_ORDER:
            return self._cp.prod(x, axis=axis, dtype=dtype, keepdims=keepdims)
        lines = self._lines(x, sorted_axes(axis, x.ndim), widened(wanted))
        result = self._cp.empty(lines.shape[:-1], dtype=lines.dtype)
        result = self._kernels.product_in_order(lines, length, result).astype(wanted, copy=False)
        return result.reshape(keepdims_shape(x.shape, axis)) if keepdims else result

    def _lines(self, x: Native, axes: tuple[int, ...], dtype: DType) -> Native:
        """A contiguous array whose last axis holds the elements along some axes."""
        remaining = tuple(position for position in range(x.ndim) if position not in axes)
        shape = tuple(x.shape[position] for position in remaining)
        lines = self.astype(x, dtype, copy=False).transpose((*remaining, *axes))
        return self._cp.ascontiguousarray(lines).reshape((*shape, math.prod(x.shape[position] for position in axes)))

    def std(self, x: Native, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Native:
        return self._spread("std", x, axis, correction, keepdims)

    def sum(self, x: Native, *, axis: Axes = None, dtype: DType | None = None, keepdims: bool = False) -> Native:
        wanted = x.dtype if dtype is None else dtype
        if wanted != HALF:
            return self._cp.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)
        return self._cp.sum(x, axis=axis, dtype=np.float32, keepdims=keepdims).astype(wanted)

    def var(self, x: Native, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Native:
        return self._spread("var", x, axis, correction, keepdims)

    def mean(self, x: Native, *, axis: Axes = None, keepdims: bool = False) -> Native:
        if x.dtype.kind == "c":
            return self.complex_of(*[self.mean(part, axis=axis, keepdims=keepdims) for part in (x.real, x.imag)])
        mean = self._cp.mean if x.dtype.kind != "f" or x.dtype == HALF else self._kernels.mean
        return mean(x, axis=axis, keepdims=keepdims)

    def _spread(self, name: str, x: Native, axis: Axes, correction: float, keepdims: bool) -> Native:
        """Variance or standard deviation, whose squares do not leave the range; float16 is computed in float32."""
        if x.dtype == HALF:
            return self._spread(name, x.astype(np.float32), axis, correction, keepdims).astype(HALF)
        if x.dtype.kind not in "fc":
            return getattr(self._cp, name)(x, axis=axis, ddof=correction, keepdims=keepdims)
        if x.dtype.kind == "c":
            real, imag = (self._spread(name, part, axis, correction, keepdims) for part in (x.real, x.imag))
            return self._cp.hypot(real, imag) if name == "std" else self._cp.add(real, imag)
        center = self._kernels.mean(x, axis=axis, keepdims=True)
        result = getattr(self._kernels, name)(x, center, axis=axis, keepdims=keepdims)
        if not correction:
            return result
        axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        number = math.prod([x.shape[item] for item in axes])
        ratio = number / (number - correction) if number > correction else math.inf
        return self._cp.multiply(result, math.sqrt(ratio) if name == "std" else ratio)

    def cumulative_prod(
        self, x: Native, *, axis: int, dtype: DType | None = None, include_initial: bool = False
    ) -> Native:
        return self._cumulative(self._cp.cumprod, 1, x, axis, dtype, include_initial)

    def cumulative_sum(
        self, x: Native, *, axis: int, dtype: DType | None = None, include_initial: bool = False
    ) -> Native:
        return self._cumulative(self._cp.cumsum, 0, x, axis, dtype, include_initial)

    def _cumulative(
        self,
        function: Callable[..., Native],
        initial: int,
        x: Native,
        axis: int,
        dtype: DType | None,
        include_initial: bool,
    ) -> Native:
        wanted = dtype if dtype is not None else accumulate_dtype(x.dtype)
        if x.size >= LARGEST_COUNT:
            raise NotImplementedError(
                f"CuPy's scans take fewer than {LARGEST_COUNT} elements, not {x.size}; process the array in parts"
            )
        if not x.size:
            result = self._cp.empty(x.shape, dtype=wanted)
        elif initial == 1 and wanted.kind in "fc" and x.shape[axis] <= IN_ORDER:
            # In order, as a product is: CuPy's tree multiplies [0, 1e200, 1e200, 1e200] to NaN.
            lines = self._lines(x, (axis,), widened(wanted))
            length = x.shape[axis]
            products = self._cp.empty(lines.shape, dtype=lines.dtype)
            products = self._kernels.products_in_order(lines, length, products, size=lines.size // length)
            result = self._cp.moveaxis(products, -1, axis).astype(wanted, copy=False)
        else:
            result = function(x, axis=axis, dtype=widened(wanted)).astype(wanted, copy=False)
        if not include_initial:
            return result
        edge = self.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), initial, dtype=wanted)
        return self._cp.concatenate([edge, result], axis=axis)

    def diff(
        self, x: Native, *, axis: int = -1, n: int = 1, prepend: Native | None = None, append: Native | None = None
    ) -> Native:
        edges = {"prepend": prepend, "append": append}
        if n == 0:
            return x.copy()  # CuPy returns the operand itself
        return self._cp.diff(x, n=n, axis=axis, **{name: edge for name, edge in edges.items() if edge is not None})

    def count_nonzero(self, x: Native, *, axis: Axes = None, keepdims: bool = False) -> Native:
        counts = self._cp.count_nonzero(self._truth(x), axis=axis)
        return counts.reshape(keepdims_shape(x.shape, axis)) if keepdims else counts
