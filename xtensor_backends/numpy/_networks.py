"""Convolutions by NumPy's product of matrices, whose columns are the windows of all examples.

A window's elements lie apart in memory. Where there are more examples than windows along the last axis, the examples
are the last axis of the columns, so that long runs of elements are copied.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from xtensor.backend import Native

from . import _few_rows

__all__ = ["Networks"]

Widths = Sequence[tuple[int, int]]


class Networks:
    """Functions of the module ``nn``; float16 and bfloat16 are left to the compositions.

    Attributes
    ----------
    ordered
        Returns an array, or a copy of it, in row-major order.
    """

    ordered: Callable[[Native], Native] = staticmethod(np.ascontiguousarray)

    rms_norm = staticmethod(_few_rows.rms_norm)
    rotary_embedding = staticmethod(_few_rows.rotary_embedding)
    scaled_dot_product_attention = staticmethod(_few_rows.scaled_dot_product_attention)

    @classmethod
    def convolution(
        cls,
        x: Native,
        weight: Native,
        bias: Native | None,
        *,
        strides: tuple[int, ...],
        widths: Widths,
        dilations: tuple[int, ...],
        groups: int,
    ) -> Native:
        if x.dtype.char not in "fd":
            return NotImplemented
        filters, kernel = weight.shape[0], weight.shape[2:]
        outputs = cls.outputs(x, kernel, strides, widths, dilations)
        columns, places, examples = cls._columns(x, kernel, strides, widths, dilations, outputs, groups)
        product = np.matmul(weight.reshape(groups, filters // groups, columns.shape[1]), columns)
        product = product.reshape(filters, *places)
        if bias is not None:
            product += bias.reshape(filters, *[1] * len(places))
        return cls.ordered(np.moveaxis(product, examples, 0))

    conv1d = conv2d = conv3d = convolution

    @classmethod
    def conv_by_weight(
        cls,
        x: Native,
        g: Native,
        *,
        kernel: tuple[int, ...],
        strides: tuple[int, ...],
        widths: Widths,
        dilations: tuple[int, ...],
        groups: int,
    ) -> Native:
        if x.dtype.char not in "fd":
            return NotImplemented
        filters = g.shape[1]
        columns, _, examples = cls._columns(x, kernel, strides, widths, dilations, g.shape[2:], groups)
        rows = cls.ordered(np.moveaxis(g, 0, examples)).reshape(groups, filters // groups, columns.shape[2])
        return np.matmul(rows, columns.transpose(0, 2, 1)).reshape(filters, x.shape[1] // groups, *kernel)

    @staticmethod
    def at_windows(x: Native, *parts: Native, keys: tuple[Any, ...]) -> Native:
        """In the order of ``x`` in memory."""
        result: Native = np.zeros_like(x)
        for key, part in zip(keys, parts, strict=True):
            result[key] = part
        return result

    @classmethod
    def _columns(
        cls,
        x: Native,
        kernel: tuple[int, ...],
        strides: Sequence[int],
        widths: Widths,
        dilations: Sequence[int],
        outputs: tuple[int, ...],
        groups: int,
    ) -> tuple[Native, tuple[int, ...], int]:
        """Return the windows as columns, the shape of a row of them, and the axis of a product for the examples."""
        last = bool(outputs) and x.shape[0] > outputs[-1]
        elements = cls.padded(x, widths, last=last)
        first = 1 if last else 2
        apart = elements.strides[first : first + len(kernel)]
        within = [width * stride for width, stride in zip(dilations, apart, strict=True)]
        between = [step * stride for step, stride in zip(strides, apart, strict=True)]
        examples, distance = x.shape[0], elements.strides[-1 if last else 1]
        places = (*outputs, examples) if last else (examples, *outputs)
        steps = (*between, distance) if last else (distance, *between)
        view = np.lib.stride_tricks.as_strided(
            elements, (x.shape[1], *kernel, *places), (elements.strides[0], *within, *steps), writeable=False
        )
        size = x.shape[1] // groups * math.prod(kernel)
        return view.reshape(groups, size, math.prod(places)), places, len(places) if last else 1

    @staticmethod
    def outputs(
        x: Native, kernel: Sequence[int], strides: Sequence[int], widths: Widths, dilations: Sequence[int]
    ) -> tuple[int, ...]:
        """Return the lengths of a convolution's result along the axes of the kernel."""
        spans = [width * (size - 1) + 1 for width, size in zip(dilations, kernel, strict=True)]
        settings = zip(x.shape[2:], widths, spans, strides, strict=True)
        return tuple([(length + sum(ends) - span) // step + 1 for length, ends, span, step in settings])

    @classmethod
    def padded(cls, x: Native, widths: Widths, *, last: bool) -> Native:
        """Return the elements of examples and those around them, channels first, and examples last or second."""
        lengths = [before + length + after for length, (before, after) in zip(x.shape[2:], widths, strict=True)]
        inner = [slice(before, before + length) for length, (before, _) in zip(x.shape[2:], widths, strict=True)]
        x = x.transpose(1, *range(2, x.ndim), 0) if last else x.transpose(1, 0, *range(2, x.ndim))
        if not any(map(any, widths)):
            return cls.ordered(x)
        shape = (x.shape[0], *lengths, x.shape[-1]) if last else (*x.shape[:2], *lengths)
        elements: Native = np.empty(shape, x.dtype)
        first = 1 if last else 2
        for axis, (before, after) in enumerate(widths, first):
            around = [slice(None)] * first + inner[: axis - first]
            elements[(*around, slice(0, before))] = 0
            elements[(*around, slice(shape[axis] - after, None))] = 0
        elements[(slice(None), *inner) if last else (..., *inner)] = cls.ordered(x) if last else x
        return elements
