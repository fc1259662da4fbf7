"""Configurations of language models, as their folders publish them in ``config.json``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..._core.errors import describe

__all__ = ["Activation", "DecoderConfig", "EncoderConfig", "configuration", "yarn_magnitude"]

Activation = Literal["gelu", "gelu_tanh", "relu", "silu"]
"""Activation of a feed-forward network; ``gelu_tanh`` is the approximation of GELU by tanh."""

ACTIVATIONS: dict[str, Activation] = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
"""Activations by their names in files."""


@dataclass(frozen=True, kw_only=True)
class DecoderConfig:
    """Sizes and choices of a decoder.

    Attributes
    ----------
    vocab_size, hidden_size, intermediate_size
        Number of tokens, length of the vectors, and length within the feed-forward network.
    num_layers, num_heads, num_kv_heads, head_dim
        Number of layers, of heads of queries, of heads of keys and values, and length of a head.
    max_positions
        Number of positions that the model was trained for. Learned positions allow no more.
    norm, norm_eps
        ``"rms"`` or ``"layer"``: the normalization; and the number that it adds to the variance.
    activation, gated
        Activation of the feed-forward network, and whether a gate multiplies it.
    attention_bias, output_bias, mlp_bias
        Whether the projections of query, key and value, the projection of the result, and the feed-forward network
        have biases.
    qk_norm
        Whether queries and keys are normalized, head by head.
    rope_theta
        Base of the rotary embedding; None for learned positions.
    rope_scaling
        Parameters of the scaling of its frequencies, of which ``rope_type`` is ``"linear"``, ``"llama3"``, ``"yarn"``
        or ``"factors"``, their divisors; None without.
    rope_interleaved
        Whether elements 2i and 2i + 1 of a head are a pair; otherwise elements i and i + d / 2 are.
    windows
        For each layer the number of keys that a query attends to, its own among them; None for all.
    tied
        Whether the output layer has the weights of the table of embeddings.
    bos_token, eos_tokens
        The token at the beginning, or None, and those at the end of a text.
    """

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    max_positions: int
    norm: Literal["rms", "layer"] = "rms"
    norm_eps: float = 1e-6
    activation: Activation = "silu"
    gated: bool = True
    attention_bias: bool = False
    output_bias: bool = False
    mlp_bias: bool = False
    qk_norm: bool = False
    rope_theta: float | None = 10000.0
    rope_scaling: Mapping[str, Any] | None = None
    rope_interleaved: bool = False
    windows: tuple[int | None, ...] = ()
    tied: bool = False
    bos_token: int | None = None
    eos_tokens: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.num_heads % self.num_kv_heads:
            raise ValueError(
                f"DecoderConfig: num_heads {self.num_heads} is no multiple of num_kv_heads {self.num_kv_heads}"
            )
        if self.rope_theta is not None and self.head_dim % 2:
            raise ValueError(
                f"DecoderConfig: head_dim is {self.head_dim}, expected an even number for rotary embedding"
            )
        scaling = (self.rope_scaling or {}).get("rope_type")
        if scaling == "yarn" and not (self.rope_theta or 0) > 1:
            raise ValueError(f"DecoderConfig: rope_theta is {self.rope_theta}, expected more than 1 for yarn")
        if self.windows and len(self.windows) != self.num_layers:
            raise ValueError(
                f"DecoderConfig: windows has {len(self.windows)} items, expected one for each of the "
                f"{self.num_layers} layers"
            )

    def window(self, layer: int) -> int | None:
        """Return the number of keys that a query of a layer attends to; None for all."""
        return self.windows[layer] if self.windows else None

    def frequencies(self) -> np.ndarray[Any, Any]:
        """Return the angles of the rotary embedding at position 1, as float32 of shape (head_dim / 2,)."""
        assert self.rope_theta is not None
        exponents = np.arange(0, self.head_dim, 2, dtype=np.float32) / np.float32(self.head_dim)
        plain = np.float32(1) / np.float32(self.rope_theta) ** exponents
        scaling = self.rope_scaling
        if scaling is None:
            return plain
        if scaling["rope_type"] == "factors":
            return plain / np.asarray(scaling["factors"], dtype=np.float32)
        slow = plain / np.float32(scaling["factor"])
        if scaling["rope_type"] == "linear":
            return slow
        # Periods longer than the context of the first training are slowed down, short ones are kept.
        context = scaling["original_max_position_embeddings"]
        if scaling["rope_type"] == "yarn":
            kept = 1 - self._ramp(context, scaling["beta_fast"], scaling["beta_slow"], scaling["truncate"])
        else:
            low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
            kept = np.clip((context * plain / (2 * math.pi) - low) / (high - low), 0, 1).astype(np.float32)
        return (1 - kept) * slow + kept * plain  # type: ignore[no-any-return]

    def _ramp(self, context: float, fast: float, slow: float, truncate: bool) -> np.ndarray[Any, Any]:
        """Return 0 for frequencies with more than ``fast`` periods in the context, 1 for less than ``slow``.

        Between them it is linear in the number of the frequency.
        """
        assert self.rope_theta is not None
        number = self.head_dim / (2 * math.log(self.rope_theta))
        first, last = [number * math.log(context / (periods * 2 * math.pi)) for periods in (fast, slow)]
        if truncate:
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, self.head_dim - 1)
        ramp = (np.arange(self.head_dim // 2) - first) / max(last - first, 0.001)
        return np.clip(ramp, 0, 1).astype(np.float32)  # type: ignore[no-any-return]

    @property
    def rope_magnitude(self) -> float:
        """Factor of sines and cosines of the rotary embedding, by which ``"yarn"`` scales the scores of attention."""
        return 1.0 if self.rope_scaling is None else self.rope_scaling.get("attention_factor", 1.0)


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """Sizes of an encoder of BERT's kind.

    Attributes
    ----------
    vocab_size, type_vocab_size, max_positions
        Number of tokens, of types of segments, and of positions.
    hidden_size, intermediate_size
        Length of the vectors, and length within the feed-forward network.
    num_layers, num_heads
        Number of layers and of heads.
    norm_eps
        Added to variances.
    activation
        Activation of the feed-forward network.
    """

    vocab_size: int
    type_vocab_size: int
    max_positions: int
    hidden_size: int
    intermediate_size: int
    num_layers: int
    num_heads: int
    norm_eps: float = 1e-12
    activation: Activation = "gelu"

    def __post_init__(self) -> None:
        if self.hidden_size % self.num_heads:
            raise ValueError(
                f"EncoderConfig: hidden_size {self.hidden_size} is no multiple of num_heads {self.num_heads}"
            )


class _Entries:
    """The entries of a ``config.json``, with the checks of their types."""

    def __init__(self, entries: Mapping[str, Any], source: str) -> None:
        self.entries, self.source = entries, source

    def get(self, name: str, default: Any = None) -> Any:
        """Return an entry that is present and not null, or a default."""
        value = self.entries.get(name)
        return default if value is None else value

    def _checked(self, name: str, kinds: tuple[type, ...], expected: str, default: Any) -> Any:
        value = self.get(name, default)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise ValueError(f"{self.source}: {name} is {describe(value)}, expected {expected}")
        return value

    def size(self, name: str, default: int | None = None) -> int:
        """Return an integer of 1 or more."""
        value: int = self._checked(name, (int,), "an integer", default)
        if value < 1:
            raise ValueError(f"{self.source}: {name} is {value}, expected 1 or more")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """Return a positive number."""
        value = float(self._checked(name, (int, float), "a number", default))
        if not 0 < value < math.inf:
            raise ValueError(f"{self.source}: {name} is {value}, expected a positive number")
        return value

    def flag(self, name: str, default: bool) -> bool:
        """Return a bool."""
        value: bool = self._checked(name, (bool,), "true or false", default)
        return value

    def activation(self, name: str, default: str) -> Activation:
        """Return an activation by its name in files."""
        value = self.get(name, default)
        if not isinstance(value, str) or value not in ACTIVATIONS:
            raise ValueError(f"{self.source}: {name} is {value!r}, expected one of {', '.join(ACTIVATIONS)}")
        return ACTIVATIONS[value]

    def tokens(self, name: str) -> tuple[int, ...]:
        """Return the tokens of an entry: none, one, or a list."""
        value = self.get(name, [])
        ids = value if isinstance(value, list) else [value]
        if not all(type(token) is int for token in ids):
            raise ValueError(f"{self.source}: {name} is {describe(value)}, expected a token or a list of tokens")
        return tuple(ids)

    def refuse(self, **supported: Any) -> None:
        """Raise ValueError if an entry has another value than the one that is implemented."""
        for name, value in supported.items():
            if self.get(name, value) != value:
                raise ValueError(f"{self.source}: {name} is {self.get(name)!r}, and only {value!r} is implemented")


def _rope(entries: _Entries) -> tuple[float, dict[str, Any] | None]:
    """Return the base of the rotary embedding, and its scaling. New files have both in one entry."""
    parameters = entries.get("rope_parameters", entries.get("rope_scaling", {}))
    if not isinstance(parameters, Mapping):
        raise ValueError(f"{entries.source}: the parameters of the rotary embedding are {describe(parameters)}")
    inner = _Entries(parameters, f"{entries.source}, rotary embedding")
    theta = inner.number("rope_theta", entries.number("rope_theta", 10000.0))
    inner.refuse(partial_rotary_factor=1.0)
    kind = inner.get("rope_type", inner.get("type", "default"))
    if kind == "default":
        return theta, None
    if kind == "linear":
        return theta, {"rope_type": kind, "factor": inner.number("factor")}
    if kind == "llama3":
        names = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
        return theta, {"rope_type": kind, **{name: inner.number(name) for name in names}}
    if kind == "yarn":
        return theta, _yarn(inner, entries)
    known = "default, linear, llama3 and yarn"
    raise ValueError(f"{inner.source}: rope_type is {kind!r}, and only {known} are implemented")


def _yarn(inner: _Entries, entries: _Entries) -> dict[str, Any]:
    """Return the parameters of the scaling ``"yarn"``, with their defaults."""
    positions = entries.number("max_position_embeddings", 2048)
    context = inner.number("original_max_position_embeddings", positions)
    factor = inner.number("factor", positions / context)
    if inner.get("mscale") and inner.get("mscale_all_dim"):
        magnitudes = [yarn_magnitude(factor, inner.number(name)) for name in ("mscale", "mscale_all_dim")]
        magnitude = magnitudes[0] / magnitudes[1]
    else:
        magnitude = yarn_magnitude(factor)
    return {
        "rope_type": "yarn",
        "factor": factor,
        "original_max_position_embeddings": context,
        "beta_fast": inner.number("beta_fast", 32.0),
        "beta_slow": inner.number("beta_slow", 1.0),
        "truncate": inner.flag("truncate", True),
        "attention_factor": inner.number("attention_factor", magnitude),
    }


def yarn_magnitude(factor: float, slope: float = 1.0) -> float:
    """Return the factor of sines and cosines for a scaling ``"yarn"`` of frequencies by a factor."""
    return 0.1 * slope * math.log(factor) + 1.0 if factor > 1 else 1.0


def _windows(entries: _Entries, layers: int, default: int | None = None) -> tuple[int | None, ...]:
    """Return the sliding windows of the layers, of which ``layer_types`` names those that have one."""
    width = entries.get("sliding_window", default)
    if width is None:
        return ()
    width = entries.size("sliding_window", default)
    kinds = entries.get("layer_types")
    if kinds is None:
        return (width,) * layers
    known = {"sliding_attention": width, "full_attention": None}
    if not isinstance(kinds, list) or len(kinds) != layers or not set(kinds) <= known.keys():
        raise ValueError(f"{entries.source}: layer_types is {describe(kinds)}, expected {layers} of {', '.join(known)}")
    return tuple([known[kind] for kind in kinds])


def _llama(entries: _Entries, **options: Any) -> DecoderConfig:
    """Read what Llama, Mistral and Qwen have in common."""
    hidden, heads = entries.size("hidden_size"), entries.size("num_attention_heads")
    theta, scaling = _rope(entries)
    settings = {
        "vocab_size": entries.size("vocab_size"),
        "hidden_size": hidden,
        "intermediate_size": entries.size("intermediate_size"),
        "num_layers": entries.size("num_hidden_layers"),
        "num_heads": heads,
        "num_kv_heads": entries.size("num_key_value_heads", heads),
        "head_dim": entries.size("head_dim", max(hidden // heads, 1)),
        "max_positions": entries.size("max_position_embeddings", 2048),
        "norm_eps": entries.number("rms_norm_eps", 1e-6),
        "activation": entries.activation("hidden_act", "silu"),
        "rope_theta": theta,
        "rope_scaling": scaling,
        "tied": entries.flag("tie_word_embeddings", False),
        "bos_token": next(iter(entries.tokens("bos_token_id")), None),
        "eos_tokens": entries.tokens("eos_token_id"),
    }
    return DecoderConfig(**{**settings, **options})


def _read_llama(entries: _Entries) -> DecoderConfig:
    bias = entries.flag("attention_bias", False)
    return _llama(entries, attention_bias=bias, output_bias=bias, mlp_bias=entries.flag("mlp_bias", False))


def _read_mistral(entries: _Entries) -> DecoderConfig:
    default = None if "sliding_window" in entries.entries else 4096  # early files rely on the default
    return _llama(entries, windows=_windows(entries, entries.size("num_hidden_layers"), default))


def _qwen_windows(entries: _Entries) -> tuple[int | None, ...]:
    layers = entries.size("num_hidden_layers")
    if not entries.flag("use_sliding_window", False):
        return ()
    windows = _windows(entries, layers, 4096)
    if entries.get("layer_types") is None:  # the first layers attend to all keys
        full = entries.get("max_window_layers", 28)
        windows = tuple([None if number < full else width for number, width in enumerate(windows)])
    return windows


def _read_qwen2(entries: _Entries) -> DecoderConfig:
    return _llama(entries, attention_bias=True, windows=_qwen_windows(entries))


def _read_qwen3(entries: _Entries) -> DecoderConfig:
    bias = entries.flag("attention_bias", False)
    return _llama(
        entries,
        attention_bias=bias,
        output_bias=bias,
        qk_norm=True,
        head_dim=entries.size("head_dim", 128),
        windows=_qwen_windows(entries),
    )


def _read_gpt2(entries: _Entries) -> DecoderConfig:
    entries.refuse(scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False, add_cross_attention=False)
    hidden, heads = entries.size("n_embd", 768), entries.size("n_head", 12)
    if hidden % heads:
        raise ValueError(f"{entries.source}: n_embd {hidden} is no multiple of n_head {heads}")
    return DecoderConfig(
        vocab_size=entries.size("vocab_size", 50257),
        hidden_size=hidden,
        intermediate_size=entries.size("n_inner", 4 * hidden),
        num_layers=entries.size("n_layer", 12),
        num_heads=heads,
        num_kv_heads=heads,
        head_dim=hidden // heads,
        max_positions=entries.size("n_positions", 1024),
        norm="layer",
        norm_eps=entries.number("layer_norm_epsilon", 1e-5),
        activation=entries.activation("activation_function", "gelu_new"),
        gated=False,
        attention_bias=True,
        output_bias=True,
        mlp_bias=True,
        rope_theta=None,
        tied=entries.flag("tie_word_embeddings", True),
        bos_token=next(iter(entries.tokens("bos_token_id")), None),
        eos_tokens=entries.tokens("eos_token_id"),
    )


def _read_bert(entries: _Entries) -> EncoderConfig:
    entries.refuse(position_embedding_type="absolute", is_decoder=False, add_cross_attention=False)
    return EncoderConfig(
        vocab_size=entries.size("vocab_size", 30522),
        type_vocab_size=entries.size("type_vocab_size", 2),
        max_positions=entries.size("max_position_embeddings", 512),
        hidden_size=entries.size("hidden_size", 768),
        intermediate_size=entries.size("intermediate_size", 3072),
        num_layers=entries.size("num_hidden_layers", 12),
        num_heads=entries.size("num_attention_heads", 12),
        norm_eps=entries.number("layer_norm_eps", 1e-12),
        activation=entries.activation("hidden_act", "gelu"),
    )


READERS: dict[str, Callable[[_Entries], DecoderConfig | EncoderConfig]] = {
    "bert": _read_bert,
    "gpt2": _read_gpt2,
    "llama": _read_llama,
    "mistral": _read_mistral,
    "qwen2": _read_qwen2,
    "qwen3": _read_qwen3,
}
"""Reader of the configuration for each ``model_type``."""


def configuration(entries: Mapping[str, Any], source: str = "config.json") -> DecoderConfig | EncoderConfig:
    """Return the configuration of a model from the entries of its ``config.json``.

    Parameters
    ----------
    entries
        The entries, of which ``model_type`` is bert, gpt2, llama, mistral, qwen2 or qwen3.
    source
        Name of the file, for messages.

    Returns
    -------
    DecoderConfig or EncoderConfig
        The configuration.

    Raises
    ------
    ValueError
        If the model is of another type, an entry is missing or has another type, or a variant is not implemented.
    """
    kind = entries.get("model_type") if isinstance(entries, Mapping) else None
    if not isinstance(kind, str) or kind not in READERS:
        raise ValueError(f"{source}: model_type is {kind!r}, expected one of {', '.join(READERS)}")
    return READERS[kind](_Entries(entries, source))
