"""Attention."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_flag
from .._core.compositions import composed
from .._core.operands import coerce_operands, device_of
from .._core.operations import declare
from ._checks import Precision, broadcasts_to, check_number, check_precision, check_real_floating
from ._computation import compute

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["attention_weights", "scaled_dot_product_attention", "split_groups"]


ATTENTION = declare(
    "nn.scaled_dot_product_attention",
    "network",
    operands=4,
    accepts="real floating",
    shape="product",
    primitive=False,
)


@composed
def scaled_dot_product_attention(
    query: AnyArray,
    key: AnyArray,
    value: AnyArray,
    /,
    *,
    mask: AnyArray | None = None,
    causal: bool = False,
    scale: float | None = None,
    precision: Precision = "exact",
) -> Array:
    r"""Scaled dot-product attention :math:`\mathrm{softmax}(s\, Q K^{\mathsf T} + M) V`.

    Parameters
    ----------
    query
        Array :math:`Q` of shape (…, h, n, d) or (n, d), and a real floating-point dtype.
    key, value
        Arrays :math:`K` of shape (…, g, m, d) and :math:`V` of shape (…, g, m, e), or (m, d) and (m, e). If g divides
        h, each of the g heads serves h / g consecutive heads of the query (grouped-query attention).
    mask
        Array that broadcasts to (…, h, n, m): booleans, True where a query attends to a key, or real floating-point
        numbers :math:`M` to add to the scores. None means that every query attends to every key.
    causal
        Whether query i attends to keys 0 … i only.
    scale
        Factor :math:`s`; None means :math:`1 / \sqrt d`.
    precision
        ``"tf32"`` permits float32 products with 10 bits of mantissa; ``"exact"`` does not.

    Returns
    -------
    Array
        Array of shape (…, h, n, e) or (n, e), and of the promoted dtype. It is 0 for queries that attend to no key.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype, or an option has another type.
    ValueError
        If the shapes do not match, or ``precision`` is another value.

    Notes
    -----
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1. Kernels do not store the matrix of scores: Dao
    et al., "FlashAttention" (2022). Grouped-query attention: Ainslie et al., "GQA" (2023).

    An infinite or NaN value of a hidden key may make results NaN, because its weight is 0.
    """
    name = "scaled_dot_product_attention"
    query, key, value, mask = coerce_operands(name, query, key, value, mask)
    _check_operands(query, key, value, name)
    _check_mask(mask, (*query.shape[:-1], key.shape[-2]), name)
    causal = check_flag(causal, name, "causal")
    if scale is None:
        factor = 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else 1.0
    else:
        factor = check_number(scale, name, "scale")
    precision_word = check_precision(precision, name)
    return compute(
        ATTENTION, _attention, query, key, value, mask, causal=causal, scale=factor, precision=precision_word
    )


def _check_operands(query: Array, key: Array, value: Array, function: str) -> None:
    """Raise an error unless query, key and value have matching shapes and real floating-point dtypes."""
    for name, array in (("query", query), ("key", key), ("value", value)):
        check_real_floating(array, function, name)
        if array.ndim < 2:
            raise ValueError(
                f"{function}(): {name} has shape {array.shape}, expected two axes or more; add axes with "
                "xtensor.expand_dims"
            )
    shapes = f"query {query.shape}, key {key.shape}, value {value.shape}"
    same_batch = query.ndim == key.ndim == value.ndim and query.shape[:-3] == key.shape[:-3] == value.shape[:-3]
    if not same_batch or key.shape[:-1] != value.shape[:-1] or query.shape[-1] != key.shape[-1]:
        raise ValueError(
            f"{function}(): {shapes} do not match, expected query (..., h, n, d), key (..., g, m, d) and value "
            "(..., g, m, e), where g divides h"
        )
    if query.ndim > 2 and (not key.shape[-3] or query.shape[-3] % key.shape[-3]):
        raise ValueError(
            f"{function}(): {shapes}: {key.shape[-3]} heads of key do not divide {query.shape[-3]} heads of query"
        )


def _check_mask(mask: Array | None, scores: tuple[int, ...], function: str) -> None:
    """Raise an error unless a mask is absent, or its dtype is allowed and it broadcasts to the shape of the scores."""
    if mask is None:
        return
    device_of(mask, function)
    if mask.dtype.kind != "b":
        check_real_floating(mask, function, "mask")
    if not broadcasts_to(mask.shape, scores):
        raise ValueError(
            f"{function}(): mask has shape {mask.shape}, expected a shape that broadcasts to the scores' shape {scores}"
        )


def _attention(
    query: Array, key: Array, value: Array, mask: Array | None, *, causal: bool, scale: float, precision: str
) -> Array:
    shape = (*query.shape[:-1], value.shape[-1])
    if 0 in (*shape, key.shape[-2]):
        return xp.zeros(shape, dtype=query.dtype, device=query.device)
    if query.ndim > 2 and query.shape[-3] != key.shape[-3]:
        query, key, value, mask = split_groups(query, key, value, mask)
    weights, total = attention_weights(query, key, mask, causal=causal, scale=scale)
    # 0 for a query that attends to no key, also where a value is NaN or infinite.
    result = xp.where(total == 0, 0.0, xp.matmul(weights, value) * (1.0 / total))
    return xp.reshape(result, shape)


def attention_weights(
    query: Array, key: Array, mask: Array | None, *, causal: bool, scale: float
) -> tuple[Array, Array]:
    """Return the exponentials of the scores, scaled by a factor for each query, and their sums over the keys."""
    scores = xp.matmul(query, xp.matrix_transpose(key)) * scale
    if causal:
        queries, keys = (xp.arange(length, device=query.device) for length in scores.shape[-2:])
        scores = xp.where(queries[:, None] >= keys[None, :], scores, -math.inf)
    if mask is not None:
        scores = xp.where(mask, scores, -math.inf) if mask.dtype == xp.bool else scores + mask
    largest = xp.max(scores, axis=-1, keepdims=True)
    # All scores of a query that attends to no key are -inf, and -inf - (-inf) would be NaN.
    weights = xp.exp(scores - xp.where(largest == -math.inf, 0.0, largest))
    return weights, xp.sum(weights, axis=-1, keepdims=True)


def split_groups(
    query: Array, key: Array, value: Array, mask: Array | None
) -> tuple[Array, Array, Array, Array | None]:
    """Split the axis of query heads into (heads of key, group), so that key and value broadcast without a copy."""
    heads = key.shape[-3]
    group = query.shape[-3] // heads
    query = xp.reshape(query, (*query.shape[:-3], heads, group, *query.shape[-2:]))
    key, value = xp.expand_dims(key, axis=-3), xp.expand_dims(value, axis=-3)
    if mask is not None and mask.ndim > 2:
        mask_heads = (1, 1) if mask.shape[-3] == 1 else (heads, group)
        mask = xp.reshape(mask, (*mask.shape[:-3], *mask_heads, *mask.shape[-2:]))
    return query, key, value, mask
