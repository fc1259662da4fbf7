"""Functions of neural networks by torch's own kernels: convolutions, pooling, attention and normalization.

On GPUs they are those of cuDNN, and of FlashAttention where dtype and shape permit. A function returns NotImplemented
where torch departs from the definition; the composition is next.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from ._native import HALVES, Tensor

__all__ = ["Networks"]

LARGE, SMALL = 1e15, 1e-15
"""Limits between which squares of float32 are ordinary numbers."""


def _padded(x: Tensor, widths: tuple[tuple[int, int], ...]) -> tuple[Tensor, list[int]]:
    """Return a tensor and the padding that torch adds: zeros are added here where the ends of an axis differ."""
    if all(before == after for before, after in widths):
        return x, [before for before, _ in widths]
    return functional.pad(x, [width for pair in reversed(widths) for width in pair]), [0] * len(widths)


def _convolution(axes: int) -> Any:
    function: Callable[..., Tensor] = getattr(functional, f"conv{axes}d")

    def convolved(
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        *,
        strides: tuple[int, ...],
        widths: tuple[tuple[int, int], ...],
        dilations: tuple[int, ...],
        groups: int,
    ) -> Tensor:
        if 0 in x.shape or 0 in weight.shape:
            return NotImplemented
        x, padding = _padded(x, widths)
        return function(x, weight, bias, strides, padding, dilations, groups)

    return staticmethod(convolved)


def _transposed(axes: int) -> Any:
    function: Callable[..., Tensor] = getattr(functional, f"conv_transpose{axes}d")

    def convolved(
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        *,
        strides: tuple[int, ...],
        widths: tuple[tuple[int, int], ...],
        dilations: tuple[int, ...],
        groups: int,
    ) -> Tensor:
        if 0 in x.shape or 0 in weight.shape:
            return NotImplemented
        # The widths are those of the convolution with the flipped weight: d (k - 1) - padding, the result's end later.
        spans = [width * (size - 1) for width, size in zip(dilations, weight.shape[2:], strict=True)]
        padding = [span - before for span, (before, _) in zip(spans, widths, strict=True)]
        extra = [after - before for before, after in widths]
        return function(x, weight, bias, strides, padding, extra, groups, dilations)

    return staticmethod(convolved)


def _by_weight(
    x: Tensor,
    g: Tensor,
    *,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    widths: tuple[tuple[int, int], ...],
    dilations: tuple[int, ...],
    groups: int,
) -> Tensor:
    if 0 in x.shape or 0 in g.shape or 0 in kernel:
        return NotImplemented
    x, padding = _padded(x, widths)
    weight = x.new_empty((g.shape[1], x.shape[1] // groups, *kernel))  # its shape alone is read
    settings = strides, padding, dilations, False, [0] * len(kernel), groups
    return torch.ops.aten.convolution_backward(g, x, weight, None, *settings, [False, True, False])[1]


def _averages(axes: int) -> Any:
    function: Callable[..., Tensor] = getattr(functional, f"avg_pool{axes}d")

    def averaged(
        x: Tensor,
        *,
        kernel: tuple[int, ...],
        strides: tuple[int, ...],
        widths: tuple[tuple[int, int], ...],
        outputs: tuple[int, ...],
        counts: tuple[tuple[int, ...], ...],
        divisor: int | None,
    ) -> Tensor:
        unequal = any(set(numbers) != {size} for numbers, size in zip(counts, kernel, strict=True))
        if 0 in x.shape or unequal or divisor is not None or any(before or after for before, after in widths):
            return NotImplemented
        return function(x, kernel, strides)

    return staticmethod(averaged)


class Networks:
    """The functions of ``nn``."""

    conv1d, conv2d, conv3d = (_convolution(axes) for axes in (1, 2, 3))
    conv_by_weight = staticmethod(_by_weight)
    conv_transpose1d, conv_transpose2d, conv_transpose3d = (_transposed(axes) for axes in (1, 2, 3))
    avg_pool1d, avg_pool2d, avg_pool3d = (_averages(axes) for axes in (1, 2, 3))

    relu = staticmethod(torch.relu)
    sigmoid = staticmethod(torch.sigmoid)

    @staticmethod
    def softmax(x: Tensor, *, axis: int) -> Tensor:
        # torch.log_softmax loses the shares far below the largest one, so that log_softmax is composed.
        result = torch.softmax(x, axis)
        # torch has NaN for a row with an infinity. Blocks until the device has finished.
        return NotImplemented if bool(torch.isnan(result).any()) else result

    @staticmethod
    def linear(x: Tensor, weight: Tensor, bias: Tensor | None, *, precision: str) -> Tensor:
        return NotImplemented if x.dtype in HALVES and x.device.type == "cpu" else functional.linear(x, weight, bias)

    @staticmethod
    def layer_norm(x: Tensor, weight: Tensor | None, bias: Tensor | None, *, axes: tuple[int, ...], eps: Any) -> Tensor:
        if eps.__class__ is not float or not _has_ordinary_squares(x):
            return NotImplemented
        result = functional.layer_norm(x, x.shape[axes[0] :], weight, bias, eps)
        if x.device.type == "cpu":
            return result
        # A GPU's kernel rounds the mean, so that the deviations of a constant row of large numbers are not 0.
        constant = torch.amax(x, axes, keepdim=True) == torch.amin(x, axes, keepdim=True)
        return torch.where(constant, 0.0 if bias is None else bias, result)

    @staticmethod
    def rms_norm(x: Tensor, weight: Tensor | None, *, axes: tuple[int, ...], eps: Any) -> Tensor:
        if eps.__class__ is not float or not _has_ordinary_squares(x):
            return NotImplemented
        return functional.rms_norm(x, x.shape[axes[0] :], weight, eps)

    @staticmethod
    def scaled_dot_product_attention(
        query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, *, causal: bool, scale: float, precision: str
    ) -> Tensor:
        if 0 in (*query.shape, *key.shape, *value.shape):
            return NotImplemented
        if mask is not None:  # a GPU's kernels take no mask that is broadcast over the keys
            mask = torch.atleast_2d(mask)
            mask = mask.expand(*mask.shape[:-1], key.shape[-2]).contiguous()
        if mask is not None and causal:
            rows = torch.arange(query.shape[-2], device=query.device)[:, None]
            visible = rows >= torch.arange(key.shape[-2], device=query.device)
            mask = mask & visible if mask.dtype is torch.bool else torch.where(visible, mask, -math.inf)
            causal = False
        if mask is not None and mask.dtype is torch.bool:
            hidden = ~mask.any(-1, keepdim=True)
        elif mask is not None:
            hidden = (mask == -math.inf).all(-1, keepdim=True)
        else:
            hidden = None
        grouped = query.dim() > 2 and query.shape[-3] != key.shape[-3]
        result = functional.scaled_dot_product_attention(
            query, key, value, mask, is_causal=causal, scale=scale, enable_gqa=grouped
        )
        return result if hidden is None else torch.where(hidden, 0.0, result)


def _has_ordinary_squares(x: Tensor) -> bool:
    """Whether squares of the elements stay in the range of float32. Blocks until the device has finished."""
    if not x.numel():
        return False
    largest = float(x.abs().amax())
    return SMALL < largest < LARGE
