"""Decoders from files of the format GGUF, with quantized matrices as they are in the file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ... import _ops as xp
from ..._core.array import Array
from ..._core.device import Device
from ..._core.devices import resolve
from ..modules.embedding import Embedding
from ..modules.linear import Linear
from ..modules.module import Module
from ..modules.quantized import QuantizedEmbedding, QuantizedLinear, replace_layers
from .configuration import DecoderConfig, yarn_magnitude
from .decoder import Decoder
from .folder import check_tensors
from .gguf_file import GgufFile, Packed
from .memory import check_memory
from .names import sources

__all__ = ["from_gguf"]

ARCHITECTURES: dict[str, dict[str, Any]] = {
    # The rows of the projections of llama are permuted, so that pairs are adjacent.
    "llama": {"rope_interleaved": True},
    "qwen2": {"attention_bias": True},
    "qwen3": {"qk_norm": True},
}
"""Settings that a file lacks, by its architecture."""

FACTORS = "rope_freqs.weight"
"""The tensor of the divisors of the rotary embedding's frequencies."""


def from_gguf(
    path: str | os.PathLike[str],
    *,
    device: str | Device | None = None,
    dtype: Any = None,
    context: int = 2048,
) -> Decoder:
    """Load a decoder from a file of the format GGUF.

    Matrices of the formats Q8_0, Q4_0, Q4_K and Q6_K stay quantized; those of F32, F16 and BF16 are numbers. All names
    and shapes are checked before the first weight is read, and the memory before that.

    Parameters
    ----------
    path
        The file, of the architecture llama (also that of Mistral), qwen2 or qwen3.
    device
        Device of the parameters. Default: the default device.
    dtype
        Dtype of the parameters that are not quantized. Default: float32.
    context
        Number of tokens of a text for which the memory must suffice, together with the weights.

    Returns
    -------
    Decoder
        The model, in evaluation.

    Raises
    ------
    ValueError
        If the file is damaged, a tensor is missing, unknown, or has another shape or format, or the kind of model is
        not implemented. The message names the tensors.
    OutOfMemoryError
        If weights, cache and activations do not fit into the free memory of the device.
    """
    file = GgufFile(path)
    config = _configuration(file, str(path))
    model = Decoder(config, device="meta", dtype=dtype).eval()
    by_name = sources(model, "gguf", file.tensors)
    shapes = {name: tensor.shape for name, tensor in file.tensors.items() if name != FACTORS}
    check_tensors(by_name, shapes, model, str(path))
    target = resolve(device)
    check_memory(model, target, context, str(path), _size(file, 16 if target.supports(np.dtype(np.float16)) else 32))
    arrays: dict[str, Array] = {}
    packed: dict[str, tuple[Array, Array, Array | None]] = {}
    for name, x in model.named_parameters():
        values = file.read(by_name[name].name)
        if isinstance(values, Packed):
            packed[name] = _moved(values, target)
        else:
            arrays[name] = xp.asarray(values.astype(x.dtype, copy=False), device=target)
    return _assembled(model, arrays, packed)


def _moved(values: Packed, device: Device) -> tuple[Array, Array, Array | None]:
    codes, scales, offsets = values
    if not device.supports(scales.dtype):
        scales = scales.astype(np.float32)
    moved = None if offsets is None else xp.asarray(offsets, device=device)
    return xp.asarray(codes, device=device), xp.asarray(scales, device=device), moved


def _assembled(
    model: Decoder, arrays: dict[str, Array], packed: dict[str, tuple[Array, Array, Array | None]]
) -> Decoder:
    """Set the parameters of a model, and replace its layers with quantized matrices."""
    replaced: dict[int, Module] = {}
    for name, layer in model.named_modules():
        parts = packed.get(f"{name}.weight")
        if parts is not None and isinstance(layer, Linear):
            replaced[id(layer)] = QuantizedLinear(*parts, arrays.get(f"{name}.bias"))
        elif parts is not None and isinstance(layer, Embedding):
            # The rows have the dtype of the scales, and few are read.
            replaced[id(layer)] = QuantizedEmbedding(parts[0], xp.astype(parts[1], xp.float32, copy=False), parts[2])
            if layer is model.embed_tokens and model.lm_head is None:
                model.lm_head = QuantizedLinear(*parts)
    identities = {id(x): arrays[name] for name, x in model.named_parameters() if name in arrays}
    replace_layers(model, replaced)
    model._replace(lambda x: identities.get(id(x), x))
    return model


def _size(file: GgufFile, bits: int) -> int:
    """Return the bytes of the parameters; scales that the file has as float16 have a number of bits."""
    total = 0
    for tensor in file.tensors.values():
        count = int(np.prod(tensor.shape, dtype=np.int64))
        total += (
            int(
                count
                * {"Q8_0": 8 + bits / 32, "Q4_0": 4 + bits / 32, "Q4_K": 6, "Q6_K": 10}.get(tensor.format.name, 32)
            )
            // 8
        )
    return total


class _Settings:
    """The settings of an architecture, with checks of their types."""

    def __init__(self, file: GgufFile, path: str) -> None:
        self.values, self.path = file.settings, path
        self.architecture = file.settings.get("general.architecture")
        if self.architecture not in ARCHITECTURES:
            raise ValueError(
                f"{path}: general.architecture is {self.architecture!r}, expected one of {', '.join(ARCHITECTURES)}"
            )

    def get(self, name: str, default: Any = None) -> Any:
        return self.values.get(f"{self.architecture}.{name}", default)

    def size(self, name: str, default: int | None = None) -> int:
        value = self.get(name, default)
        if type(value) is not int or value < 1:
            raise ValueError(f"{self.path}: {self.architecture}.{name} is {value!r}, expected an integer of 1 or more")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        value = self.get(name, default)
        if not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            raise ValueError(f"{self.path}: {self.architecture}.{name} is {value!r}, expected a positive number")
        return float(value)


def _configuration(file: GgufFile, path: str) -> DecoderConfig:
    settings = _Settings(file, path)
    hidden, heads = settings.size("embedding_length"), settings.size("attention.head_count")
    head_dim = settings.size("attention.key_length", max(hidden // heads, 1))
    if settings.size("rope.dimension_count", head_dim) != head_dim:
        raise ValueError(f"{path}: rope.dimension_count differs from the length {head_dim} of a head; not implemented")
    if "token_embd.weight" not in file.tensors:
        raise ValueError(f"{path}: the tensor token_embd.weight is missing")
    layers, window = settings.size("block_count"), settings.get("attention.sliding_window")
    if window is not None:
        window = settings.size("attention.sliding_window")
    ends = [file.settings.get(f"tokenizer.ggml.{name}_token_id") for name in ("eos", "eot", "eom")]
    return DecoderConfig(
        vocab_size=file.tensors["token_embd.weight"].shape[0],
        hidden_size=hidden,
        intermediate_size=settings.size("feed_forward_length"),
        num_layers=layers,
        num_heads=heads,
        num_kv_heads=settings.size("attention.head_count_kv", heads),
        head_dim=head_dim,
        max_positions=settings.size("context_length"),
        norm_eps=settings.number("attention.layer_norm_rms_epsilon"),
        rope_theta=settings.number("rope.freq_base", 10000.0),
        rope_scaling=_scaling(settings, file, head_dim),
        windows=() if window is None else (window,) * layers,
        tied="output.weight" not in file.tensors,
        bos_token=file.settings.get("tokenizer.ggml.bos_token_id"),
        eos_tokens=tuple(dict.fromkeys([token for token in ends if token is not None])),
        **ARCHITECTURES[str(settings.architecture)],
    )


def _scaling(settings: _Settings, file: GgufFile, head_dim: int) -> dict[str, Any] | None:
    if FACTORS in file.tensors:
        factors = file.read(FACTORS)
        if isinstance(factors, Packed) or factors.shape != (head_dim // 2,):
            raise ValueError(f"{settings.path}: the tensor {FACTORS} is no list of {head_dim // 2} numbers")
        return {"rope_type": "factors", "factors": tuple(factors.tolist())}
    kind = settings.get("rope.scaling.type", "none")
    if kind == "linear":
        return {"rope_type": kind, "factor": settings.number("rope.scaling.factor")}
    if kind == "yarn":
        factor = settings.number("rope.scaling.factor")
        return {
            "rope_type": kind,
            "factor": factor,
            "original_max_position_embeddings": settings.size("rope.scaling.original_context_length"),
            "beta_fast": settings.number("rope.scaling.yarn_beta_fast", 32.0),
            "beta_slow": settings.number("rope.scaling.yarn_beta_slow", 1.0),
            "truncate": True,
            "attention_factor": settings.number("rope.scaling.attn_factor", 1.0) * yarn_magnitude(factor),
        }
    if kind != "none":
        raise ValueError(
            f"{settings.path}: rope.scaling.type is {kind!r}, and only none, linear and yarn are implemented"
        )
    return None
