"""Names of the tensors of published models, for each parameter of a decoder or an encoder."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..modules.module import Module

__all__ = ["Source", "sources"]

Values = np.ndarray[Any, Any]


class Source(NamedTuple):
    """The tensor of a file that has the values of a parameter.

    Attributes
    ----------
    name, shape
        Name and shape of the tensor.
    values
        Function that returns the parameter's values from the tensor's; None where they are the same.
    """

    name: str
    shape: tuple[int, ...]
    values: Callable[[Values], Values] | None = None


IGNORED = re.compile(r"(.*\.)?(rotary_emb\.inv_freq|attn\.bias|attn\.masked_bias|embeddings\.position_ids)|cls\..*")
"""Tensors of files that are computed, or that belong to other tasks than these models' own."""

GPT2_LAYER = {
    "input_layernorm": "ln_1",
    "post_attention_layernorm": "ln_2",
    "self_attn.o_proj": "attn.c_proj",
    "mlp.up_proj": "mlp.c_fc",
    "mlp.down_proj": "mlp.c_proj",
}

GPT2 = {"embed_tokens": "wte", "embed_positions": "wpe", "norm": "ln_f", "lm_head": "lm_head"}

BERT_LAYER = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attention_output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "intermediate": "intermediate.dense",
    "output": "output.dense",
    "output_norm": "output.LayerNorm",
}

BERT = {
    "embed_tokens": "embeddings.word_embeddings",
    "embed_positions": "embeddings.position_embeddings",
    "embed_types": "embeddings.token_type_embeddings",
    "embed_norm": "embeddings.LayerNorm",
    "pooler": "pooler.dense",
}


def _llama(path: str, shape: tuple[int, ...]) -> Source:
    return Source(path if path.startswith("lm_head") else f"model.{path}", shape)


def _part(values: Values, number: int) -> Values:
    """Return the projection of query, key or value from the three in one."""
    return np.split(values, 3, axis=-1)[number].T


def _gpt2(path: str, shape: tuple[int, ...]) -> Source:
    owner, _, kind = path.rpartition(".")
    if owner in GPT2:
        return Source(f"{GPT2[owner]}.{kind}", shape)
    _, number, name = owner.split(".", 2)
    if name in ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"):
        part = "qkv".index(name[10])
        packed = (*shape[1:], 3 * shape[0])
        return Source(f"h.{number}.attn.c_attn.{kind}", packed, lambda values: _part(values, part))
    theirs = f"h.{number}.{GPT2_LAYER[name]}.{kind}"
    if len(shape) == 2:  # the matrices are those of x W
        return Source(theirs, shape[::-1], np.transpose)
    return Source(theirs, shape)


def _bert(path: str, shape: tuple[int, ...]) -> Source:
    owner, _, kind = path.rpartition(".")
    if owner in BERT:
        return Source(f"{BERT[owner]}.{kind}", shape)
    _, number, name = owner.split(".", 2)
    return Source(f"encoder.layer.{number}.{BERT_LAYER[name]}.{kind}", shape)


GGUF = {"embed_tokens": "token_embd", "norm": "output_norm", "lm_head": "output"}

GGUF_LAYER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def _gguf(path: str, shape: tuple[int, ...]) -> Source:
    owner, _, kind = path.rpartition(".")
    if owner in GGUF:
        return Source(f"{GGUF[owner]}.{kind}", shape)
    _, number, name = owner.split(".", 2)
    return Source(f"blk.{number}.{GGUF_LAYER[name]}.{kind}", shape)


PREFIXES = {"bert": "bert.", "gguf": "", "gpt2": "transformer.", "llama": "model."}
"""Prefix of the names, which some files leave out."""

NAMERS = {"bert": _bert, "gpt2": _gpt2, "gguf": _gguf}


def sources(model: Module, kind: str, known: Mapping[str, Any]) -> dict[str, Source]:
    """Return the source of each parameter of a model, by the parameter's name.

    Parameters
    ----------
    model
        A decoder or an encoder.
    kind
        The ``model_type`` of its configuration.
    known
        The tensors of the file by name, which show whether the names have their prefix.
    """
    namer = NAMERS.get(kind, _llama)
    prefix = PREFIXES.get(kind, PREFIXES["llama"])
    prefixed = any(name.startswith(prefix) for name in known)
    by_name = {}
    for path, x in model.named_parameters():
        source = namer(path, x.shape)
        if namer is _llama:
            name = source.name if prefixed else source.name.removeprefix(prefix)
        else:
            name = prefix + source.name if prefixed and not source.name.startswith("lm_head") else source.name
        by_name[path] = source._replace(name=name)
    return by_name
