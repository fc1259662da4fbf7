"""Layers of transformers as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from ..._core.array import Array
from ..._core.device import Device
from ..._core.errors import describe
from ..._core.trees import map_leaves
from .. import functional as F  # noqa: N812
from ._initial import Initial, Rng
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear, check_size
from .module import Module
from .normalization import LayerNorm

__all__ = ["TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer"]

Activation = Literal["relu", "gelu"] | Callable[[Any], Any]


class _TransformerLayer(Module):
    """Common parts of the layers of encoder and decoder."""

    self_attn: MultiheadAttention

    attentions: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        if not callable(activation) and activation not in ("relu", "gelu"):
            raise ValueError(
                f"{type(self).__name__}(): activation is 'relu', 'gelu' or a function, not {describe(activation)}"
            )
        self.norm_first = norm_first
        self.activation = activation if callable(activation) else getattr(F, activation)
        initial = Initial(rng, device, dtype)
        options = initial.options
        for name in self.attentions:
            attention = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **options)
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **options)
        self.dropout = Dropout(dropout, rng=initial.rng)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **options)
        for number in range(1, len(self.attentions) + 2):
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, device=initial.device, dtype=initial.dtype)
            setattr(self, f"norm{number}", norm)
        for number in range(1, len(self.attentions) + 2):
            setattr(self, f"dropout{number}", Dropout(dropout, rng=initial.rng))

    def _residual(self, x: Array, number: int, block: Callable[[Array], Array]) -> Array:
        """Add what a block computes, with the normalization before it or after the sum."""
        norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        if self.norm_first:
            return x + dropout(block(norm(x)))  # type: ignore[no-any-return]
        return norm(x + dropout(block(x)))  # type: ignore[no-any-return]

    def _feed_forward(self, x: Array) -> Array:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))  # type: ignore[no-any-return]


class TransformerEncoderLayer(_TransformerLayer):
    """Layer of a transformer's encoder: attention and a feed-forward network, each with a sum and a normalization.

    Parameters
    ----------
    d_model, nhead, dim_feedforward
        Length of the vectors, number of heads, and length within the feed-forward network.
    dropout
        Probability of dropout.
    activation
        ``"relu"``, ``"gelu"``, or a function.
    layer_norm_eps
        Added to variances.
    batch_first
        Whether the axis of examples is the first one; otherwise it is the second one.
    norm_first
        Whether inputs are normalized before attention and network; otherwise sums after them are.
    bias
        Whether projections and normalizations have biases.
    rng
        Generator of the initial values and of dropout, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Raises
    ------
    ValueError
        If ``nhead`` does not divide ``d_model``, or ``activation`` is another value.

    Notes
    -----
    Vaswani et al., "Attention Is All You Need" (2017), section 3.1.
    """

    attentions = ("self_attn",)

    def forward(
        self,
        src: Array,
        src_mask: Array | None = None,
        src_key_padding_mask: Array | None = None,
        is_causal: bool = False,
    ) -> Array:
        """Return the result for sequences; masks are those of :class:`MultiheadAttention`."""

        def attend(x: Array) -> Array:
            attended = self.self_attn(
                x, x, x, src_key_padding_mask, need_weights=False, attn_mask=src_mask, is_causal=is_causal
            )
            return attended[0]  # type: ignore[no-any-return]

        return self._residual(self._residual(src, 1, attend), 2, self._feed_forward)


class TransformerDecoderLayer(_TransformerLayer):
    """Layer of a transformer's decoder: attention, attention to the encoder's result, and a feed-forward network.

    Parameters
    ----------
    d_model, nhead, dim_feedforward
        Length of the vectors, number of heads, and length within the feed-forward network.
    dropout
        Probability of dropout.
    activation
        ``"relu"``, ``"gelu"``, or a function.
    layer_norm_eps
        Added to variances.
    batch_first
        Whether the axis of examples is the first one; otherwise it is the second one.
    norm_first
        Whether inputs are normalized before attention and network; otherwise sums after them are.
    bias
        Whether projections and normalizations have biases.
    rng
        Generator of the initial values and of dropout, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Raises
    ------
    ValueError
        If ``nhead`` does not divide ``d_model``, or ``activation`` is another value.
    """

    multihead_attn: MultiheadAttention
    attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Array,
        memory: Array,
        tgt_mask: Array | None = None,
        memory_mask: Array | None = None,
        tgt_key_padding_mask: Array | None = None,
        memory_key_padding_mask: Array | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Array:
        """Return the result for sequences and the encoder's result; masks are those of :class:`MultiheadAttention`."""

        def attend(x: Array) -> Array:
            attended = self.self_attn(
                x, x, x, tgt_key_padding_mask, need_weights=False, attn_mask=tgt_mask, is_causal=tgt_is_causal
            )
            return attended[0]  # type: ignore[no-any-return]

        def attend_to_memory(x: Array) -> Array:
            attended = self.multihead_attn(
                x,
                memory,
                memory,
                memory_key_padding_mask,
                need_weights=False,
                attn_mask=memory_mask,
                is_causal=memory_is_causal,
            )
            return attended[0]  # type: ignore[no-any-return]

        x = self._residual(tgt, 1, attend)
        x = self._residual(x, 2, attend_to_memory)
        return self._residual(x, 3, self._feed_forward)


class _Stack(Module):
    def _copy(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        """Copy the layer; the copies draw from its generator."""
        count = check_size(num_layers, type(self).__name__, "num_layers")
        self.layers = ModuleList([map_leaves(lambda x: x.copy(), layer) for _ in range(count)])
        self.num_layers, self.norm = num_layers, norm


class TransformerEncoder(_Stack):
    """Several copies of an encoder's layer, one after the other.

    Parameters
    ----------
    encoder_layer
        The layer, with whose parameters each copy begins.
    num_layers
        Number of copies.
    norm
        Module that is applied to the result; None without one.
    """

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        self._copy(encoder_layer, num_layers, norm)

    def forward(
        self,
        src: Array,
        mask: Array | None = None,
        src_key_padding_mask: Array | None = None,
        is_causal: bool = False,
    ) -> Array:
        """Return the result for sequences; masks are those of :class:`MultiheadAttention`."""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, is_causal)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(_Stack):
    """Several copies of a decoder's layer, one after the other.

    Parameters
    ----------
    decoder_layer
        The layer, with whose parameters each copy begins.
    num_layers
        Number of copies.
    norm
        Module that is applied to the result; None without one.
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        self._copy(decoder_layer, num_layers, norm)

    def forward(self, tgt: Array, memory: Array, **masks: Any) -> Array:
        """Return the result for sequences; masks are those of :class:`TransformerDecoderLayer`."""
        for layer in self.layers:
            tgt = layer(tgt, memory, **masks)
        return tgt if self.norm is None else self.norm(tgt)
