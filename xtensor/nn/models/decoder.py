"""Decoders of the kinds of Llama, Mistral, Qwen and GPT-2: one implementation, by configuration."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ... import _ops as xp
from ..._core.array import Array
from ..._core.device import Device
from ..._core.errors import describe
from .. import functional as F  # noqa: N812
from ..modules._initial import Initial, Rng
from ..modules.container import ModuleList
from ..modules.embedding import Embedding
from ..modules.linear import Linear
from ..modules.module import Module
from ..modules.normalization import LayerNorm, RMSNorm
from ..modules.quantized import linear_maps
from .cache import Cache, LayerCache
from .configuration import DecoderConfig

__all__ = ["Decoder"]

Numbers = np.ndarray[Any, Any]


def activate(name: str, x: Array) -> Array:
    """Return the activation of a configuration."""
    if name == "gelu_tanh":
        return F.gelu(x, approximate="tanh")
    return cast(Array, getattr(F, name)(x))


def positions_of(first: int, length: int, padding: Numbers | None) -> Numbers:
    """Return the positions of tokens; with padding, of shape (texts, length), and those of padding are 0."""
    positions = np.arange(first, first + length)
    return positions if padding is None else np.maximum(positions - padding[:, None], 0)


class Angles:
    """Sines, cosines and masks of the positions of one call, which the layers share."""

    def __init__(
        self, config: DecoderConfig, first: int, length: int, dtype: Any, device: Device, padding: Numbers | None
    ) -> None:
        self.first, self.length, self.interleaved = first, length, config.rope_interleaved
        self._device, self._padding = device, padding
        self._masks: dict[tuple[int | None, int], Array] = {}
        self._table: tuple[Array, Array] | None = None
        if config.rope_theta is not None:
            # Computed on the host, so that the angles are the same on every device.
            angles = positions_of(first, length, padding).astype(np.float32)[..., None] * config.frequencies()
            if padding is not None:
                angles = angles[:, None, :, :]  # the heads of a text have its positions
            tables = [table * np.float32(config.rope_magnitude) for table in (np.cos(angles), np.sin(angles))]
            cos, sin = [xp.asarray(table, device=device) for table in tables]
            self._table = xp.astype(cos, dtype, copy=False), xp.astype(sin, dtype, copy=False)

    def rotate(self, x: Array) -> Array:
        """Return heads with their positions embedded; themselves where the positions are learned."""
        if self._table is None:
            return x
        return F.rotary_embedding(x, *self._table, interleaved=self.interleaved)

    def masking(self, window: int | None, start: int) -> dict[str, Any]:
        """Return the options of attention by which queries attend to the keys from position ``start`` on."""
        if self._padding is not None and start < np.max(self._padding, initial=0):
            return {"mask": self._mask(window, start)}
        if start == self.first and (window is None or self.length <= window):
            return {"causal": self.length > 1}
        if self.length == 1 and (window is None or self.first - start < window):
            return {}
        return {"mask": self._mask(window, start)}

    def _mask(self, window: int | None, start: int) -> Array:
        """Return for each query the keys that it attends to; with padding, for each text and its heads."""
        key = (window, start)
        if key not in self._masks:
            queries = np.arange(self.first, self.first + self.length)[:, None]
            keys = np.arange(start, self.first + self.length)[None, :]
            seen = keys <= queries
            if window is not None:
                seen &= keys > queries - window
            if self._padding is not None:
                seen = seen & (keys >= self._padding[:, None, None, None])
            self._masks[key] = xp.asarray(seen, device=self._device)
        return self._masks[key]


class DecoderAttention(Module):
    """Attention of a decoder, with grouped queries, rotary embedding and a sliding window."""

    def __init__(self, config: DecoderConfig, layer: int, options: dict[str, Any]) -> None:
        hidden, size = config.hidden_size, config.head_dim
        self.heads, self.groups, self.head_dim = config.num_heads, config.num_kv_heads, size
        self.window = config.window(layer)
        self.q_proj = Linear(hidden, config.num_heads * size, config.attention_bias, **options)
        self.k_proj = Linear(hidden, config.num_kv_heads * size, config.attention_bias, **options)
        self.v_proj = Linear(hidden, config.num_kv_heads * size, config.attention_bias, **options)
        self.o_proj = Linear(config.num_heads * size, hidden, config.output_bias, **options)
        self.q_norm: Module | None = None
        self.k_norm: Module | None = None
        if config.qk_norm:
            self.q_norm, self.k_norm = [normalization(config, size, options) for _ in range(2)]

    def forward(self, x: Array, angles: Angles, cache: LayerCache | None) -> Array:
        """Return the result for an Array of shape (…, n, hidden)."""
        query, key, value = linear_maps(x, self.q_proj, self.k_proj, self.v_proj)
        query, key = self._split(query, self.heads), self._split(key, self.groups)
        value = xp.moveaxis(self._split(value, self.groups), -3, -2)
        if self.q_norm is not None and self.k_norm is not None:
            query, key = self.q_norm(query), self.k_norm(key)
        query, key = angles.rotate(xp.moveaxis(query, -3, -2)), angles.rotate(xp.moveaxis(key, -3, -2))
        if cache is None:
            start = angles.first
        else:
            key, value = cache.append(key, value)
            start = cache.start
        result = F.scaled_dot_product_attention(query, key, value, **angles.masking(self.window, start))
        result = xp.moveaxis(result, -3, -2)
        return cast(Array, self.o_proj(xp.reshape(result, (*x.shape[:-1], self.heads * self.head_dim))))

    def _split(self, x: Array, heads: int) -> Array:
        return xp.reshape(x, (*x.shape[:-1], heads, self.head_dim))


class DecoderFeedForward(Module):
    """Feed-forward network of a decoder, with a gate or without."""

    def __init__(self, config: DecoderConfig, options: dict[str, Any]) -> None:
        hidden, inner, bias = config.hidden_size, config.intermediate_size, config.mlp_bias
        self.activation = config.activation
        self.gate_proj = Linear(hidden, inner, bias, **options) if config.gated else None
        self.up_proj = Linear(hidden, inner, bias, **options)
        self.down_proj = Linear(inner, hidden, bias, **options)

    def forward(self, x: Array) -> Array:
        """Return the result for an Array of shape (…, hidden)."""
        if self.gate_proj is None:
            return cast(Array, self.down_proj(activate(self.activation, self.up_proj(x))))
        gate, up = linear_maps(x, self.gate_proj, self.up_proj)
        inner = F.swiglu(gate, up) if self.activation == "silu" else activate(self.activation, gate) * up
        return cast(Array, self.down_proj(inner))


class DecoderLayer(Module):
    """Layer of a decoder: attention and a feed-forward network, each of a normalized input and with a sum."""

    def __init__(self, config: DecoderConfig, layer: int, options: dict[str, Any]) -> None:
        self.input_layernorm = normalization(config, config.hidden_size, options)
        self.self_attn = DecoderAttention(config, layer, options)
        self.post_attention_layernorm = normalization(config, config.hidden_size, options)
        self.mlp = DecoderFeedForward(config, options)

    def forward(self, x: Array, angles: Angles, cache: LayerCache | None) -> Array:
        """Return the result for an Array of shape (…, n, hidden)."""
        x = x + self.self_attn(self.input_layernorm(x), angles, cache)
        return x + cast(Array, self.mlp(self.post_attention_layernorm(x)))


def normalization(config: DecoderConfig, size: int, options: dict[str, Any]) -> Module:
    """Return a normalization of a configuration."""
    kind = RMSNorm if config.norm == "rms" else LayerNorm
    return kind(size, config.norm_eps, device=options["device"], dtype=options["dtype"])


class Decoder(Module):
    """Language model that predicts the next token, of the kind of Llama, Mistral, Qwen or GPT-2.

    Parameters
    ----------
    config
        Sizes and choices.
    rng
        Generator of the initial values, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Attributes
    ----------
    config
        The configuration.
    embed_tokens, embed_positions
        The tables of tokens and of positions; the latter is None with rotary embedding.
    layers
        The layers.
    norm
        Normalization before the output layer.
    lm_head
        The output layer; None where it has the weights of ``embed_tokens``.

    Raises
    ------
    TypeError
        If ``config`` is not a :class:`DecoderConfig`.

    Notes
    -----
    Touvron et al., "LLaMA" (2023); Jiang et al., "Mistral 7B" (2023); Radford et al., "Language Models are Unsupervised
    Multitask Learners" (2019).
    """

    def __init__(
        self,
        config: DecoderConfig,
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        if not isinstance(config, DecoderConfig):
            raise TypeError(f"Decoder() takes a DecoderConfig, not {describe(config)}")
        options = Initial(rng, device, dtype).options
        self.config = config
        self.embed_tokens: Module = Embedding(config.vocab_size, config.hidden_size, **options)
        learned = config.rope_theta is None
        self.embed_positions = Embedding(config.max_positions, config.hidden_size, **options) if learned else None
        self.layers = ModuleList([DecoderLayer(config, number, options) for number in range(config.num_layers)])
        self.norm = normalization(config, config.hidden_size, options)
        self.lm_head: Module | None = None
        if not config.tied:
            self.lm_head = Linear(config.hidden_size, config.vocab_size, False, **options)

    def forward(self, tokens: Array, cache: Cache | None = None) -> Array:
        """Return the scores of the next token after each token.

        Parameters
        ----------
        tokens
            Array of integers of shape (…, n).
        cache
            Cache of the tokens before these, to which these are added; None where there are none.

        Returns
        -------
        Array
            Array of shape (…, n, vocab_size): the logarithm of the probability of each token, up to a constant.

        Raises
        ------
        TypeError
            If ``tokens`` is not an Array of integers.
        ValueError
            If the model has learned positions, and the tokens are more than these; or the cache is for texts with
            padding, and their number is another one.
        IndexError
            If a token is out of bounds, on devices of the host.
        """
        return self.scores(self.hidden(tokens, cache))

    def hidden(self, tokens: Array, cache: Cache | None = None) -> Array:
        """Return the vectors before the output layer, of shape (…, n, hidden_size); see :meth:`forward`."""
        x = self.embed_tokens(tokens)
        first, padding = (0, None) if cache is None else (cache.length, cache.padding)
        if padding is not None and (tokens.ndim != 2 or tokens.shape[0] != len(padding)):
            raise ValueError(
                f"Decoder: tokens have shape {tokens.shape}, and the cache is for {len(padding)} texts with padding; "
                f"expected the shape ({len(padding)}, n)"
            )
        if self.embed_positions is not None:
            last = first + tokens.shape[-1]
            if last > self.config.max_positions:
                raise ValueError(f"Decoder: {last} tokens, and the model has {self.config.max_positions} positions")
            if padding is None:
                x = x + self.embed_positions.weight[first:last, :]
            else:
                positions = positions_of(first, tokens.shape[-1], padding)
                x = x + self.embed_positions(xp.asarray(positions, device=x.device))
        angles = Angles(self.config, first, tokens.shape[-1], x.dtype, x.device, padding)
        for number, layer in enumerate(self.layers):
            x = layer(x, angles, None if cache is None else cache.layers[number])
        return cast(Array, self.norm(x))

    def scores(self, hidden: Array) -> Array:
        """Return the scores of the next token from vectors of :meth:`hidden`."""
        if self.lm_head is None:
            return F.linear(hidden, cast(Embedding, self.embed_tokens).weight)
        return cast(Array, self.lm_head(hidden))
