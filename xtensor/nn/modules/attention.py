"""Attention as modules."""

from __future__ import annotations

import math
from typing import Any

from ... import _ops as xp
from ..._core.array import Array
from ..._core.device import Device
from .. import functional as F  # noqa: N812
from ._initial import Initial, Rng
from .linear import Linear, check_size
from .module import Module
from .quantized import linear_maps

__all__ = ["FeedForwardSwiGLU", "MultiheadAttention"]


class MultiheadAttention(Module):
    """Attention with several heads.

    Parameters
    ----------
    embed_dim
        Length e of the vectors of queries and results.
    num_heads
        Number of heads, which divides e.
    dropout
        Probability with which weights are set to 0 in training.
    bias
        Whether the projections have biases.
    add_bias_kv
        Whether a learned key and value, ``bias_k`` and ``bias_v``, follow those of each sequence.
    add_zero_attn
        Whether a key and a value of zeros follow those of each sequence.
    kdim, vdim
        Lengths of the vectors of keys and values. Default: e.
    batch_first
        Whether the axis of examples is the first one; otherwise it is the second one, after the sequence's.
    rng
        Generator of the initial values and of dropout, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Attributes
    ----------
    in_proj_weight, in_proj_bias
        Arrays of shapes (3e, e) and (3e,): the projections of query, key and value. With other lengths of keys or
        values, ``q_proj_weight``, ``k_proj_weight`` and ``v_proj_weight`` take the position of the first.
    out_proj
        The projection of the result.

    Raises
    ------
    ValueError
        If ``num_heads`` does not divide ``embed_dim``.

    Notes
    -----
    Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2.
    """

    _computes_in_short = True

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        name = "MultiheadAttention"
        self.embed_dim = check_size(embed_dim, name, "embed_dim")
        self.num_heads = check_size(num_heads, name, "num_heads")
        if embed_dim % num_heads:
            raise ValueError(f"{name}(): num_heads {num_heads} does not divide embed_dim {embed_dim}")
        self.kdim = embed_dim if kdim is None else check_size(kdim, name, "kdim")
        self.vdim = embed_dim if vdim is None else check_size(vdim, name, "vdim")
        self.batch_first, self.dropout = batch_first, dropout
        initial = Initial(rng, device, dtype)
        self.in_proj_weight: Array | None = None
        self.q_proj_weight: Array | None = None
        self.k_proj_weight: Array | None = None
        self.v_proj_weight: Array | None = None
        if self.kdim == self.vdim == embed_dim:
            self.in_proj_weight = initial.uniform(math.sqrt(6 / (4 * embed_dim)), (3 * embed_dim, embed_dim))
        else:
            self.q_proj_weight, self.k_proj_weight, self.v_proj_weight = [
                initial.uniform(math.sqrt(6 / (embed_dim + inputs)), (embed_dim, inputs))
                for inputs in (embed_dim, self.kdim, self.vdim)
            ]
        self.in_proj_bias = initial.zeros((3 * embed_dim,)) if bias else None
        self.add_zero_attn = add_zero_attn
        self.bias_k: Array | None = None
        self.bias_v: Array | None = None
        if add_bias_kv:  # deviations of Glorot's initial values, for as many outputs as inputs
            self.bias_k, self.bias_v = [initial.normal((1, 1, embed_dim)) / math.sqrt(embed_dim) for _ in range(2)]
        self.out_proj = Linear(embed_dim, embed_dim, bias, **initial.options)
        if bias:
            self.out_proj.bias = initial.zeros((embed_dim,))
        self.rng = initial.rng if dropout else None

    def forward(
        self,
        query: Array,
        key: Array,
        value: Array,
        key_padding_mask: Array | None = None,
        need_weights: bool = True,
        attn_mask: Array | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Array, Array | None]:
        """Return the result, and the weights.

        Parameters
        ----------
        query, key, value
            Arrays of shapes (l, n, e), (s, n, kdim) and (s, n, vdim), or with the first two axes exchanged if
            ``batch_first``, or without the axis n.
        key_padding_mask
            Array of shape (n, s): True for keys that no query attends to, or numbers that are added to the scores.
        need_weights
            Whether the weights are returned; without them, kernels of attention compute the result.
        attn_mask
            Array of shape (l, s) or (n · heads, l, s): True where a query does not attend to a key, or numbers that are
            added to the scores.
        average_attn_weights
            Whether the mean of the weights over the heads is returned.
        is_causal
            Whether query i attends to keys 0 … i only.

        Returns
        -------
        tuple
            The result, of the shape of ``query``; the weights, of shape (n, l, s) or (n, heads, l, s), or None.
        """
        alone, attends_to_itself = query.ndim == 2, query is key is value
        if query.ndim not in (2, 3) or key.ndim != query.ndim or value.ndim != query.ndim:
            raise ValueError(
                f"MultiheadAttention(): query, key and value have shapes {query.shape}, {key.shape} and {value.shape}, "
                "expected two or three axes"
            )
        if alone:
            query, key, value = [xp.expand_dims(x, axis=0) for x in (query, key, value)]
            key_padding_mask = None if key_padding_mask is None else xp.expand_dims(key_padding_mask, axis=0)
        elif not self.batch_first:
            query, key, value = [xp.moveaxis(x, 0, 1) for x in (query, key, value)]
        if attends_to_itself and self.in_proj_weight is not None:
            heads = self._heads_of_one(query, self.in_proj_weight)
        else:
            heads = self._heads(query, key, value)
        keys = heads[1].shape[2]
        if is_causal and (self.add_zero_attn or self.bias_k is not None):
            attn_mask, is_causal = self._causal(attn_mask, heads[0], keys), False
        mask = self._mask(attn_mask, key_padding_mask, heads[0], keys)
        heads, mask = self._extended(heads, mask)
        if need_weights or (self.dropout and self.training):
            result, weights = self._weighted(*heads, mask, is_causal)
        else:
            weights = None
            result = F.scaled_dot_product_attention(*heads, mask=mask, causal=is_causal)
        result = self.out_proj(xp.reshape(xp.moveaxis(result, 1, 2), query.shape))
        if alone:
            result = xp.squeeze(result, axis=0)
        elif not self.batch_first:
            result = xp.moveaxis(result, 0, 1)
        if not need_weights or weights is None:
            return result, None
        weights = xp.mean(weights, axis=1) if average_attn_weights else weights
        return result, xp.squeeze(weights, axis=0) if alone else weights

    def _heads_of_one(self, x: Array, weight: Array) -> tuple[Array, Array, Array]:
        """Return the projections of one array as query, key and value: by one product."""
        y = F.linear(*self._shortened(x, weight, self.in_proj_bias))
        split = xp.reshape(y, (*y.shape[:2], 3, self.num_heads, self.embed_dim // self.num_heads))
        query, key, value = xp.unstack(xp.permute_dims(split, (2, 0, 3, 1, 4)), axis=0)
        return query, key, value

    def _heads(self, query: Array, key: Array, value: Array) -> tuple[Array, Array, Array]:
        """Return the projections, of shape (n, heads, length, e / heads)."""
        size = self.embed_dim
        weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        projected = []
        for number, (x, own) in enumerate(zip((query, key, value), weights, strict=True)):
            part = slice(number * size, (number + 1) * size)
            weight = self.in_proj_weight[part, :] if self.in_proj_weight is not None else own
            assert weight is not None
            y = F.linear(*self._shortened(x, weight, None if self.in_proj_bias is None else self.in_proj_bias[part]))
            split = xp.reshape(y, (*y.shape[:2], self.num_heads, size // self.num_heads))
            projected.append(xp.moveaxis(split, 1, 2))
        return projected[0], projected[1], projected[2]

    def _causal(self, attn_mask: Array | None, query: Array, keys: int) -> Array:
        """Return a mask that also hides the keys after each query."""
        numbers = [xp.arange(length, device=query.device) for length in (query.shape[2], keys)]
        hidden = xp.expand_dims(numbers[0], axis=1) < numbers[1]
        if attn_mask is None:
            return hidden
        return hidden | attn_mask if attn_mask.dtype == xp.bool else xp.where(hidden, -math.inf, attn_mask)

    def _extended(
        self, heads: tuple[Array, Array, Array], mask: Array | None
    ) -> tuple[tuple[Array, Array, Array], Array | None]:
        """Add the learned key and value, and those of zeros, which every query attends to."""
        query, key, value = heads
        shape = (*key.shape[:2], 1, key.shape[3])
        added: list[tuple[Array, Array]] = []
        if self.bias_k is not None and self.bias_v is not None:
            learned = [xp.reshape(x, (1, self.num_heads, 1, -1)) for x in self._shortened(self.bias_k, self.bias_v)]
            added.append((xp.broadcast_to(learned[0], shape), xp.broadcast_to(learned[1], shape)))
        if self.add_zero_attn:
            zeros = xp.zeros(shape, dtype=key.dtype, device=key.device)
            added.append((zeros, zeros))
        for more_key, more_value in added:
            key, value = xp.concat([key, more_key], axis=2), xp.concat([value, more_value], axis=2)
            if mask is not None:
                attends = (xp.ones if mask.dtype == xp.bool else xp.zeros)(
                    (*mask.shape[:-1], 1), dtype=mask.dtype, device=mask.device
                )
                mask = xp.concat([mask, attends], axis=-1)
        return (query, key, value), mask

    def _mask(self, attn_mask: Array | None, padding: Array | None, query: Array, keys: int) -> Array | None:
        """Return one mask as :func:`xtensor.nn.functional.scaled_dot_product_attention` takes it."""
        count, heads, queries, _ = query.shape
        masks = []
        if attn_mask is not None:
            if attn_mask.shape not in ((queries, keys), (count * heads, queries, keys)):
                raise ValueError(
                    f"MultiheadAttention(): attn_mask has shape {attn_mask.shape}, expected ({queries}, {keys}) or "
                    f"({count * heads}, {queries}, {keys})"
                )
            masks.append(xp.reshape(attn_mask, (-1, heads if attn_mask.ndim == 3 else 1, queries, keys)))
        if padding is not None:
            if padding.shape != (count, keys):
                raise ValueError(
                    f"MultiheadAttention(): key_padding_mask has shape {padding.shape}, expected ({count}, {keys})"
                )
            masks.append(xp.reshape(padding, (count, 1, 1, keys)))
        if not masks:
            return None
        if all(mask.dtype == xp.bool for mask in masks):
            return ~(masks[0] | masks[1] if len(masks) == 2 else masks[0])
        added = [
            xp.where(mask, -math.inf, xp.zeros((), dtype=query.dtype, device=query.device))
            if mask.dtype == xp.bool
            else xp.astype(mask, query.dtype, copy=False)
            for mask in masks
        ]
        return added[0] + added[1] if len(added) == 2 else added[0]

    def _weighted(
        self, query: Array, key: Array, value: Array, mask: Array | None, is_causal: bool
    ) -> tuple[Array, Array]:
        """Return the result by the matrix of weights, and that."""
        scores = xp.matmul(query / math.sqrt(query.shape[-1]), xp.matrix_transpose(key))
        if is_causal:
            queries, keys = [xp.arange(length, device=query.device) for length in scores.shape[-2:]]
            scores = xp.where(xp.expand_dims(queries, axis=1) >= keys, scores, -math.inf)
        if mask is not None:
            scores = xp.where(mask, scores, -math.inf) if mask.dtype == xp.bool else scores + mask
        attends = xp.max(scores, axis=-1, keepdims=True) > -math.inf
        # A query that attends to no key has weights 0; its softmax would be NaN.
        weights = xp.where(attends, F.softmax(xp.where(attends, scores, 0.0)), 0.0)
        used = weights
        if self.dropout and self.training:
            used = F.dropout(weights, self.dropout, rng=self.rng)
        return xp.matmul(used, value), used


class FeedForwardSwiGLU(Module):
    r"""Feed-forward network with a gate, :math:`W_d (\mathrm{silu}(W_g x) \odot W_u x)`, as in Llama.

    Parameters
    ----------
    dim, hidden_dim
        Lengths of the vectors of input and output, and within.
    bias
        Whether the projections have biases.
    rng
        Generator of the initial values, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Attributes
    ----------
    gate_proj, up_proj, down_proj
        The projections.
    """

    def __init__(
        self,
        dim: int,
        hidden_dim: int,
        bias: bool = False,
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        options = Initial(rng, device, dtype).options
        self.gate_proj = Linear(dim, hidden_dim, bias, **options)
        self.up_proj = Linear(dim, hidden_dim, bias, **options)
        self.down_proj = Linear(hidden_dim, dim, bias, **options)

    def forward(self, x: Array) -> Array:
        """Return the result for an Array of shape (…, dim)."""
        return self.down_proj(F.swiglu(*linear_maps(x, self.gate_proj, self.up_proj)))  # type: ignore[no-any-return]
