"""Convolutions by NumPy's product of matrices, whose columns are the windows of all examples.

A window's elements lie apart in memory. Where there are more examples than windows along the last axis, the examples
are the last axis of the columns, so that long runs of elements are copied.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from xtensor.backend import Native

from . import _few_rows

__all__ = ["Networks", "padded"]

Widths = Sequence[tuple[int, int]]

LINE, CONFLICTING, FEWEST_ROWS = 64, 1024, 16
"""Bytes of a line of the caches, the distance in bytes whose multiples conflict there, and rows from which they do."""


class Networks:
    """Functions of the module ``nn``; float16 and bfloat16 are left to the compositions."""

    rms_norm = staticmethod(_few_rows.rms_norm)
    rotary_embedding = staticmethod(_few_rows.rotary_embedding)
    scaled_dot_product_attention = staticmethod(_few_rows.scaled_dot_product_attention)

    @staticmethod
    def convolution(
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
        spans = [width * (size - 1) + 1 for width, size in zip(dilations, kernel, strict=True)]
        settings = zip(x.shape[2:], widths, spans, strides, strict=True)
        outputs = tuple([(length + sum(ends) - span) // step + 1 for length, ends, span, step in settings])
        columns, places, examples = _columns(x, kernel, strides, widths, dilations, outputs, groups)
        product = np.matmul(weight.reshape(groups, filters // groups, columns.shape[1]), columns)
        product = np.moveaxis(product.reshape(filters, *places), examples, 0)
        if bias is None:
            return np.ascontiguousarray(product)
        result: Native = np.empty(product.shape, product.dtype)
        return np.add(product, bias.reshape(filters, *[1] * len(kernel)), out=result)

    conv1d = conv2d = conv3d = convolution

    @staticmethod
    def conv_by_weight(
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
        columns, _, examples = _columns(x, kernel, strides, widths, dilations, g.shape[2:], groups)
        if examples > 1:
            g = _in_rows_apart(g)
        rows = np.moveaxis(g, 0, examples).reshape(groups, filters // groups, columns.shape[2])
        return np.matmul(rows, columns.transpose(0, 2, 1)).reshape(filters, x.shape[1] // groups, *kernel)


def _columns(
    x: Native,
    kernel: tuple[int, ...],
    strides: Sequence[int],
    widths: Widths,
    dilations: Sequence[int],
    outputs: tuple[int, ...],
    groups: int,
) -> tuple[Native, tuple[int, ...], int]:
    """Return the windows as columns, the shape of a row of them, and the axis of a product that has the examples."""
    last = bool(outputs) and x.shape[0] > outputs[-1]
    elements = padded(x, widths, last=last)
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


def padded(x: Native, widths: Widths, *, last: bool) -> Native:
    """Return the elements of examples and those around them, channels first, and examples last or second."""
    lengths = [before + length + after for length, (before, after) in zip(x.shape[2:], widths, strict=True)]
    inner = [slice(before, before + length) for length, (before, _) in zip(x.shape[2:], widths, strict=True)]
    x = _in_rows_apart(x).transpose(1, *range(2, x.ndim), 0) if last else x.transpose(1, 0, *range(2, x.ndim))
    shape = (x.shape[0], *lengths, x.shape[-1]) if last else (*x.shape[:2], *lengths)
    elements: Native = np.zeros(shape, x.dtype)
    elements[(slice(None), *inner) if last else (..., *inner)] = x
    return elements


def _in_rows_apart(x: Native) -> Native:
    """Return an array for a copy with its first axis last, which may be one whose rows are not adjacent.

    Elements that lie a multiple of a large power of two apart share a few lines of the first cache, so that each line
    is read once for every element. The copy of 64 examples of 2,048 elements takes a sixth of the time between rows
    that are one line longer, and the copy before it included.
    """
    size = math.prod(x.shape[1:])
    if size * x.itemsize % CONFLICTING or x.shape[0] < FEWEST_ROWS:
        return x
    rows: Native = np.empty((x.shape[0], size + LINE // x.itemsize), x.dtype)[:, :size].reshape(x.shape)
    rows[...] = x
    return rows
