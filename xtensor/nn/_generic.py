"""Functions of neural networks in Array API terms: what computes on a device without kernels, and the reference.

Operands are Arrays on one device, of one real floating-point dtype, already checked; classes are integers.
float16 and bfloat16 are computed in float32, and the result is rounded once. Where a branch of a ``where`` is not
chosen, what it computes does not matter: overflow and NaN come up in those on purpose.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from .. import _standard as xp
from .._core.array import Array
from .._core.dtypes import kind_of
from ..special.error_functions import erfc

__all__ = ["GENERIC"]


def _wide(function: Callable[..., Array]) -> Callable[..., Array]:
    """The function of half precisions, too: computed in float32, the result rounded to the first operand's dtype."""

    @wraps(function)
    def computing(*operands: Array | None, **options: Any) -> Array:
        first = operands[0]
        assert first is not None
        with np.errstate(all="ignore"):
            if first.dtype.itemsize > 2:
                return function(*operands, **options)
            wide = [xp.astype(x, xp.float32) if x is not None and _is_real(x) else x for x in operands]
            return xp.astype(function(*wide, **options), first.dtype)

    return computing


def _is_real(x: Array) -> bool:
    return kind_of(x.dtype) == "f"


# -- activations ----------------------------------------------------------------------------------------------------


@_wide
def relu(x: Array) -> Array:
    return xp.maximum(x, 0.0)


@_wide
def silu(x: Array) -> Array:
    return _silu(x)


def _silu(x: Array) -> Array:
    decay = xp.exp(-xp.abs(x))
    result = x * (xp.where(x < 0, decay, 1.0) / (1 + decay))
    return xp.where(x == -math.inf, -0.0, result)


@_wide
def swiglu(gate: Array, x: Array) -> Array:
    return _silu(gate) * x


@_wide
def gelu(x: Array, *, approximate: str) -> Array:
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        result = 0.5 * x * (1 + xp.tanh(inner))
    else:
        result = 0.5 * x * erfc(x * -math.sqrt(0.5))
    return xp.where(x == -math.inf, -0.0, result)


# -- rows -----------------------------------------------------------------------------------------------------------


@_wide
def softmax(x: Array, *, axis: int) -> Array:
    weights = xp.exp(x - _shift(x, axis))
    return weights / xp.sum(weights, axis=axis, keepdims=True)


@_wide
def log_softmax(x: Array, *, axis: int) -> Array:
    centred = x - _shift(x, axis)
    return centred - xp.log(xp.sum(xp.exp(centred), axis=axis, keepdims=True))


def _shift(x: Array, axis: int) -> Array:
    """The largest element of each row, which keeps exponentials from overflowing; nothing of an empty one."""
    return xp.max(x, axis=axis, keepdims=True) if x.shape[axis] else xp.sum(x, axis=axis, keepdims=True)


@_wide
def layer_norm(x: Array, weight: Array | None, bias: Array | None, *, axes: tuple[int, ...], eps: float) -> Array:
    centred = x - xp.mean(x, axis=axes, keepdims=True)
    variance = xp.mean(centred * centred, axis=axes, keepdims=True)
    return _scaled(centred / xp.sqrt(variance + eps), weight, bias)


@_wide
def rms_norm(x: Array, weight: Array | None, *, axes: tuple[int, ...], eps: float) -> Array:
    square = xp.mean(x * x, axis=axes, keepdims=True)
    return _scaled(x / xp.sqrt(square + eps), weight, None)


def _scaled(x: Array, weight: Array | None, bias: Array | None) -> Array:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


@_wide
def cross_entropy(
    logits: Array, target: Array, *, label_smoothing: float, ignore_index: int | None, reduction: str
) -> Array:
    centred = logits - _shift(logits, -1)
    total = xp.log(xp.sum(xp.exp(centred), axis=-1))
    classes = logits.shape[-1]
    inside = (target >= 0) & (target < classes)
    place = xp.where(inside, target, 0)
    chosen = xp.take_along_axis(centred, xp.expand_dims(place, axis=-1), axis=-1)[..., 0]
    loss = total - chosen
    if label_smoothing:
        loss = (1 - label_smoothing) * loss + label_smoothing * (total - xp.mean(centred, axis=-1))
    loss = xp.where(inside, loss, math.nan)
    counted = xp.ones_like(target, dtype=xp.bool) if ignore_index is None else target != ignore_index
    loss = xp.where(counted, loss, 0.0)
    if reduction == "none":
        return loss
    whole = xp.sum(loss)
    return whole if reduction == "sum" else whole / xp.sum(xp.astype(counted, loss.dtype))


# -- positions and attention ------------------------------------------------------------------------------------------


@_wide
def rotary_embedding(x: Array, cos: Array, sin: Array, *, interleaved: bool) -> Array:
    half = x.shape[-1] // 2
    first, second = (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
    turned = (first * cos - second * sin, second * cos + first * sin)
    if not interleaved:
        return xp.concat(turned, axis=-1)
    return xp.reshape(xp.stack(turned, axis=-1), x.shape)


@_wide
def linear(x: Array, weight: Array, bias: Array | None, *, precision: str) -> Array:
    result = xp.matmul(x, xp.permute_dims(weight, (1, 0)))
    return result if bias is None else result + bias


@_wide
def scaled_dot_product_attention(
    query: Array, key: Array, value: Array, mask: Array | None, *, causal: bool, scale: float, precision: str
) -> Array:
    queries, keys = query.shape[-2], key.shape[-2]
    group = query.shape[-3] // key.shape[-3] if query.ndim > 2 else 1
    if group > 1:
        # Each head of keys serves a group of neighbouring heads of queries; broadcasting copies none of them.
        heads = key.shape[-3]
        query = xp.reshape(query, (*query.shape[:-3], heads, group, *query.shape[-2:]))
        key, value = (xp.expand_dims(x, axis=-3) for x in (key, value))
        if mask is not None and mask.ndim > 2:
            together = mask.shape[-3] == 1
            mask = xp.reshape(mask, (*mask.shape[:-3], *((1, 1) if together else (heads, group)), *mask.shape[-2:]))
    scores = xp.matmul(query, xp.matrix_transpose(key)) * scale
    if causal:
        places = xp.arange(max(queries, keys), device=query.device)
        scores = xp.where(places[:queries, None] >= places[None, :keys], scores, -math.inf)
    if mask is not None:
        scores = xp.where(mask, scores, -math.inf) if mask.dtype == xp.bool else scores + mask
    top = _shift(scores, -1)
    weights = xp.exp(scores - xp.where(top == -math.inf, 0.0, top))
    total = xp.sum(weights, axis=-1, keepdims=True)
    result = xp.matmul(weights, value) / xp.where(total == 0, 1.0, total)
    if group == 1:
        return result
    return xp.reshape(result, (*result.shape[:-4], heads * group, *result.shape[-2:]))


GENERIC: dict[str, Callable[..., Array]] = {
    function.__name__: function
    for function in (
        *(cross_entropy, gelu, layer_norm, linear, log_softmax, relu, rms_norm, rotary_embedding),
        *(scaled_dot_product_attention, silu, softmax, swiglu),
    )
}
