"""Derivatives of layers of neural networks, whose compositions would leave much work to the pass back."""

from __future__ import annotations

import math
from typing import Any

from ... import _ops as xp
from ... import special
from ..._core.array import Array
from ..._fuse.formulas import compute_formula
from ..._ops._casts import widened
from ...nn import functional
from ...nn.attention import attention_weights, split_groups
from ...nn.channel_normalization import by_channel, through_batch_norm
from ...nn.convolution import flipped, gradient_by_weight, patches
from ...nn.max_pooling import at_windows, maxima
from ...nn.normalization import standardized
from ...nn.windows import padded, parts_of_windows
from .._table import connection, elementwise, fit, pullback

__all__: list[str] = []

SATURATED = 30.0
"""Magnitude from which the tangent of :func:`gelu` is 0 or 1, to the last digit of float64."""


def _slope_of_gelu_tanh(x: Array) -> Array:
    x = xp.clip(x, -SATURATED, SATURATED)
    factor = math.sqrt(8 / math.pi)
    argument = factor * (x + 0.044715 * x * x * x)
    share = special.expit(argument)
    return share + x * share * special.expit(-argument) * (factor + 3 * 0.044715 * factor * x * x)


elementwise(
    "nn.gelu_tanh",
    lambda g, x: g * _slope_of_gelu_tanh(x),
    public=lambda x: functional.gelu(x, approximate="tanh"),
)


# -- linear layers -----------------------------------------------------------------------------------------------------


def _map(x: Array, weight: Array, bias: Any, *, precision: Any) -> Array:
    return functional.linear(x, weight, bias, precision=precision)


@pullback("nn.linear", keeps="x weight", several=True, public=_map)
def _linear(
    g: Array, out: Any, x: Array, weight: Array, bias: Any, *, precision: str
) -> tuple[Array, Array, Array | None]:
    """The weight's cotangent has the weight's order in memory, in which an optimizer reads both."""
    g, x, weight = map(widened, (g, x, weight))
    rows = math.prod(g.shape[:-1])
    outputs, elements = xp.reshape(g, (rows, g.shape[-1])), xp.reshape(x, (rows, x.shape[-1]))
    by_weight = xp.matmul(xp.matrix_transpose(outputs), elements)
    return xp.matmul(g, weight), by_weight, None if bias is None else g


@connection("nn.linear")
def _connect_outputs(
    g: Array, out: Any, x: Any, weight: Any, bias: Any, *, precision: str
) -> tuple[Array, Array, Array | None]:
    by_row = xp.reshape(xp.sum(g, axis=tuple(range(g.ndim - 1))), (g.shape[-1], 1))
    return xp.sum(g, axis=-1, keepdims=True), by_row, None if bias is None else g


# -- normalization ----------------------------------------------------------------------------------------------------


def _normalize(x: Array, weight: Any, bias: Any, *, axes: tuple[int, ...], eps: float) -> Array:
    return functional.layer_norm(x, weight, bias, axis=axes, eps=eps)


@pullback("nn.layer_norm", keeps="x weight", several=True, public=_normalize)
def _layer_norm(
    g: Array, out: Any, x: Array, weight: Array | None, bias: Any, *, axes: tuple[int, ...], eps: float
) -> tuple[Array, Array | None, Array | None]:
    if 0 in x.shape:
        return xp.zeros_like(x), None if weight is None else g, None if bias is None else g
    g, x, weight = map(widened, (g, x, weight))
    standard, root = standardized(x, axes, eps)
    by_x = compute_formula(_through_standardized, g if weight is None else g * weight, standard, root, axes=axes)
    return by_x, None if weight is None else g * standard, None if bias is None else g


def _through_standardized(g: Array, standard: Array, root: Array, *, axes: tuple[int, ...]) -> Array:
    """The pullback of ``(x - mean) / root``: neither a constant nor a multiple of the result has an effect."""
    count = float(math.prod([standard.shape[axis] for axis in axes]))
    g = g - xp.sum(g, axis=axes, keepdims=True) / count
    return (g - standard * (xp.sum(g * standard, axis=axes, keepdims=True) / count)) * (1.0 / root)


@connection("nn.layer_norm")
def _connect_rows(
    g: Array, out: Any, x: Any, weight: Any, bias: Any, *, axes: tuple[int, ...], eps: float
) -> tuple[Array, Array | None, Array | None]:
    by_x = xp.broadcast_to(xp.sum(g, axis=axes, keepdims=True), x.shape)
    return by_x, None if weight is None else g, None if bias is None else g


def _normalize_channels(x: Array, mean: Any, variance: Any, weight: Any, bias: Any, *, eps: float) -> Array:
    return functional.batch_norm(x, mean, variance, weight, bias, training=mean is None, eps=eps)


@pullback("nn.batch_norm", keeps="x mean variance weight", several=True, public=_normalize_channels)
def _batch_norm(
    g: Array,
    out: Any,
    x: Array,
    mean: Array | None,
    variance: Array | None,
    weight: Array | None,
    bias: Any,
    *,
    eps: float,
) -> list[Array]:
    g, x, mean, variance, weight = map(widened, (g, x, mean, variance, weight))
    by_x, by_weight, by_bias, by_variance = through_batch_norm(g, x, mean, variance, weight, eps=eps)
    gradients = [by_x]  # one for each operand that is there
    if variance is not None:
        scale = 1 if weight is None else weight
        gradients += [-by_bias * (scale / xp.sqrt(variance + eps)), by_variance]
    return gradients + [by_weight] * (weight is not None) + [by_bias] * (bias is not None)


@connection("nn.batch_norm")
def _connect_channels(
    g: Array, out: Any, x: Any, mean: Any, variance: Any, weight: Any, bias: Any, *, eps: float
) -> list[Array]:
    channels = xp.sum(g, axis=(0, *range(2, g.ndim)))
    by_x = g if mean is not None else xp.broadcast_to(by_channel(channels, g), g.shape)
    return [by_x, *[channels for item in (mean, variance, weight, bias) if item is not None]]


# -- attention --------------------------------------------------------------------------------------------------------


def _attend(query: Array, key: Array, value: Array, mask: Any, **options: Any) -> Array:
    return functional.scaled_dot_product_attention(query, key, value, mask=mask, **options)


@pullback("nn.scaled_dot_product_attention", keeps="query key value mask", several=True, public=_attend)
def _attention(
    g: Array,
    out: Any,
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None,
    *,
    causal: bool,
    scale: float,
    precision: str,
) -> list[Any]:
    if 0 in (*g.shape, key.shape[-2]):
        return [xp.zeros_like(x) for x in (query, key, value)] + [None]
    g, query, key, value, mask = map(widened, (g, query, key, value, mask))
    shapes = query.shape, key.shape, value.shape
    given = mask
    if query.ndim > 2 and query.shape[-3] != key.shape[-3]:
        query, key, value, mask = split_groups(query, key, value, mask)
        g = xp.reshape(g, (*query.shape[:-1], value.shape[-1]))
    weights, total = attention_weights(query, key, mask, causal=causal, scale=scale)
    shares = xp.where(total == 0, 0.0, weights * (1.0 / total))
    by_scores = compute_formula(_through_softmax, xp.matmul(g, xp.matrix_transpose(value)), shares)
    scaled = by_scores * scale
    parts = (
        xp.matmul(scaled, key),
        xp.matmul(xp.matrix_transpose(scaled), query),
        xp.matmul(xp.matrix_transpose(shares), g),
    )
    gradients: list[Any] = [
        xp.reshape(fit(part, operand.shape, part.dtype), shape)
        for part, operand, shape in zip(parts, (query, key, value), shapes, strict=True)
    ]
    if given is None or given.dtype.kind == "b":
        return [*gradients, None]
    by_mask = xp.reshape(by_scores, (*shapes[0][:-1], shapes[1][-2]))
    return [*gradients, by_mask]


def _through_softmax(g: Array, shares: Array) -> Array:
    return shares * (g - xp.sum(g * shares, axis=-1, keepdims=True))


# -- losses -----------------------------------------------------------------------------------------------------------


@pullback("nn.cross_entropy", keeps="logits target", several=True, public=functional.cross_entropy)
def _cross_entropy(
    g: Array,
    out: Any,
    logits: Array,
    target: Array,
    *,
    label_smoothing: float,
    ignore_index: int | None,
    reduction: str,
) -> tuple[Array, None]:
    g, logits = map(widened, (g, logits))
    count = logits.shape[-1]
    counted = (target >= 0) & (target < count)
    if ignore_index is not None:
        counted = counted & (target != ignore_index)
        divisor = xp.sum(xp.astype(target != ignore_index, logits.dtype))
    else:
        divisor = float(target.size)  # type: ignore[assignment]
    g = g / divisor if reduction == "mean" else g
    classes = xp.arange(count, dtype=target.dtype, device=target.device)
    logarithms = functional.log_softmax(logits, axis=-1)
    factor, counted, target = [
        xp.expand_dims(item, axis=-1) for item in (xp.broadcast_to(g, target.shape), counted, target)
    ]
    by_logits = compute_formula(
        _through_classes, factor, logarithms, counted, target, classes, smoothing=label_smoothing
    )
    return by_logits, None


def _through_classes(
    factor: Array, logarithms: Array, counted: Array, target: Array, classes: Array, *, smoothing: float
) -> Array:
    """The shares minus 1 at the target, without cancellation where its share is nearly 1."""
    shares = xp.where(target == classes, xp.expm1(logarithms), xp.exp(logarithms))
    if smoothing:
        uniform = smoothing / classes.shape[0]
        shares = shares + xp.where(target == classes, smoothing - uniform, -uniform)
    return xp.where(counted, factor * shares, 0.0)


# -- convolution ------------------------------------------------------------------------------------------------------


def _convolve(x: Array, weight: Array, bias: Any, **options: Any) -> Array:
    return compute_formula(patches, x, weight, bias, **options)  # type: ignore[no-any-return]


@pullback("nn.conv1d", "nn.conv2d", "nn.conv3d", keeps="x weight", several=True, public=_convolve)
def _convolution(
    g: Array,
    out: Any,
    x: Array,
    weight: Array,
    bias: Any,
    *,
    strides: tuple[int, ...],
    widths: tuple[tuple[int, int], ...],
    dilations: tuple[int, ...],
    groups: int,
) -> tuple[Array, Array, Array | None]:
    g, x, weight = map(widened, (g, x, weight))
    kernel, places = weight.shape[2:], g.shape[2:]
    by_weight = gradient_by_weight(
        x, g, kernel=kernel, strides=strides, widths=widths, dilations=dilations, groups=groups
    )
    # A transposed convolution; the elements after the last window of an axis have the cotangent 0.
    spans = [width * (size - 1) for width, size in zip(dilations, kernel, strict=True)]
    settings = zip(x.shape[2:], places, strides, widths, spans, strict=True)
    ends = [
        (span - before, length - (count - 1) * step - 1 + before) for length, count, step, (before, _), span in settings
    ]
    by_x = flipped(g, weight, None, strides=strides, widths=tuple(ends), dilations=dilations, groups=groups)
    return by_x, by_weight, None if bias is None else xp.sum(g, axis=(0, *range(2, g.ndim)))


# -- pooling ----------------------------------------------------------------------------------------------------------


def _pool(x: Array, **options: Any) -> Array:
    return compute_formula(maxima, x, **options)  # type: ignore[no-any-return]


@pullback("nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d", keeps="out x", several=True, public=_pool)
def _max_pool(
    g: Array,
    out: Array,
    x: Array,
    *,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    widths: tuple[tuple[int, int], ...],
    dilations: tuple[int, ...],
    outputs: tuple[int, ...],
) -> tuple[Array]:
    """Each cotangent is the first largest element's of its window, or the first NaN's."""
    elements = padded(x, widths, -math.inf)
    apart = all(width * (size - 1) < step for width, size, step in zip(dilations, kernel, strides, strict=True))
    taken: Array | None = None
    keys, cotangents = parts_of_windows(kernel, strides, dilations, outputs), []
    for key in keys:
        part = elements[key]
        chosen = (part == out) | (part != part)
        if taken is None:
            taken = chosen
        else:
            chosen, taken = chosen & ~taken, taken | chosen
        cotangents.append(xp.where(chosen, g, 0.0))
    if apart:
        result = at_windows(elements, cotangents, keys)
    else:
        result = xp.zeros_like(elements, dtype=g.dtype)
        for key, cotangent in zip(keys, cotangents, strict=True):
            result[key] = result[key] + cotangent
    if any(before or after for before, after in widths):
        lengths = zip(widths, x.shape[-len(widths) :], strict=True)
        result = result[(..., *[slice(before, before + length) for (before, _), length in lengths])]
    return (result,)
