"""Encoder of BERT's kind."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

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
from ..modules.normalization import LayerNorm
from .configuration import EncoderConfig
from .decoder import activate

__all__ = ["Encoder", "EncoderOutput"]


class EncoderOutput(NamedTuple):
    """Result of an :class:`Encoder`.

    Attributes
    ----------
    hidden
        A vector for each token, of shape (…, n, hidden_size).
    pooled
        A vector of the first token, of shape (…, hidden_size), which the classifier of BERT is given.
    """

    hidden: Array
    pooled: Array


class EncoderLayer(Module):
    """Layer of an encoder: attention and a feed-forward network, each with a sum and a normalization after it."""

    def __init__(self, config: EncoderConfig, options: dict[str, Any]) -> None:
        hidden, inner = config.hidden_size, config.intermediate_size
        self.heads, self.activation = config.num_heads, config.activation
        self.query, self.key, self.value, self.attention_output = [Linear(hidden, hidden, **options) for _ in range(4)]
        self.attention_norm = _norm(config, options)
        self.intermediate = Linear(hidden, inner, **options)
        self.output = Linear(inner, hidden, **options)
        self.output_norm = _norm(config, options)

    def forward(self, x: Array, mask: Array | None) -> Array:
        """Return the result for an Array of shape (…, n, hidden)."""
        heads = []
        for projection in (self.query, self.key, self.value):
            split = xp.reshape(projection(x), (*x.shape[:-1], self.heads, x.shape[-1] // self.heads))
            heads.append(xp.moveaxis(split, -3, -2))
        attended = xp.reshape(xp.moveaxis(F.scaled_dot_product_attention(*heads, mask=mask), -3, -2), x.shape)
        x = self.attention_norm(x + self.attention_output(attended))
        inner = activate(self.activation, self.intermediate(x))
        return cast(Array, self.output_norm(x + self.output(inner)))


def _norm(config: EncoderConfig, options: dict[str, Any]) -> LayerNorm:
    return LayerNorm(config.hidden_size, config.norm_eps, device=options["device"], dtype=options["dtype"])


class Encoder(Module):
    """Network that gives each token of a text a vector, of the kind of BERT.

    Parameters
    ----------
    config
        Sizes.
    rng
        Generator of the initial values, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Raises
    ------
    TypeError
        If ``config`` is not an :class:`EncoderConfig`.

    Notes
    -----
    Devlin et al., "BERT" (2019).
    """

    def __init__(
        self,
        config: EncoderConfig,
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        if not isinstance(config, EncoderConfig):
            raise TypeError(f"Encoder() takes an EncoderConfig, not {describe(config)}")
        options = Initial(rng, device, dtype).options
        self.config = config
        self.embed_tokens = Embedding(config.vocab_size, config.hidden_size, **options)
        self.embed_positions = Embedding(config.max_positions, config.hidden_size, **options)
        self.embed_types = Embedding(config.type_vocab_size, config.hidden_size, **options)
        self.embed_norm = _norm(config, options)
        self.layers = ModuleList([EncoderLayer(config, options) for _ in range(config.num_layers)])
        self.pooler = Linear(config.hidden_size, config.hidden_size, **options)

    def forward(self, tokens: Array, mask: Array | None = None, types: Array | None = None) -> EncoderOutput:
        """Return a vector for each token, and one for each text.

        Parameters
        ----------
        tokens
            Array of integers of shape (…, n).
        mask
            Array of bools or integers of that shape, true for tokens and false for padding. None without padding.
        types
            Array of integers of that shape: the segment of each token. None for segment 0.

        Returns
        -------
        EncoderOutput
            The vectors ``hidden`` and ``pooled``.

        Raises
        ------
        TypeError
            If ``tokens`` is not an Array of integers.
        ValueError
            If the tokens are more than the model's positions, or a shape is another one.
        IndexError
            If a token is out of bounds, on devices of the host.
        """
        length = tokens.shape[-1]
        if length > self.config.max_positions:
            raise ValueError(f"Encoder: {length} tokens, and the model has {self.config.max_positions} positions")
        for name, x in (("mask", mask), ("types", types)):
            if x is not None and x.shape != tokens.shape:
                raise ValueError(f"Encoder: {name} has shape {x.shape}, expected {tokens.shape}, the tokens' shape")
        segments = self.embed_types.weight[0, :] if types is None else self.embed_types(types)
        x = self.embed_norm(self.embed_tokens(tokens) + self.embed_positions.weight[:length, :] + segments)
        seen = None if mask is None else xp.astype(mask, xp.bool)[..., None, None, :]
        for layer in self.layers:
            x = layer(x, seen)
        return EncoderOutput(x, xp.tanh(self.pooler(x[..., 0, :])))

    def embed(self, tokens: Array, mask: Array | None = None) -> Array:
        """Return the mean of the vectors of the tokens, of length 1: a vector of each text.

        Parameters
        ----------
        tokens, mask
            As in :meth:`forward`.

        Returns
        -------
        Array
            Array of shape (…, hidden_size).

        Notes
        -----
        Reimers and Gurevych, "Sentence-BERT" (2019).
        """
        hidden = self(tokens, mask).hidden
        if mask is None:
            mean = xp.mean(hidden, axis=-2)
        else:
            weights = xp.astype(mask, hidden.dtype)[..., None]
            mean = xp.sum(hidden * weights, axis=-2) / xp.sum(weights, axis=-2)
        return mean / xp.sqrt(xp.sum(mean * mean, axis=-1, keepdims=True))
