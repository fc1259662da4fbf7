"""Files of the format GGUF with random weights, in the shape of a published decoder."""

from __future__ import annotations

import math
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

__all__ = ["FULL", "SMALL", "Shape", "write"]


class Shape(NamedTuple):
    """Sizes of a decoder of the architecture llama."""

    hidden: int
    inner: int
    layers: int
    heads: int
    groups: int
    vocabulary: int

    def matrices(self) -> dict[str, tuple[int, int]]:
        """Return the rows and columns of the matrices that a token is multiplied by, by the names of tensors."""
        keys = self.hidden // self.heads * self.groups
        shapes = {"output": (self.vocabulary, self.hidden)}
        for layer in range(self.layers):
            for name, rows, columns in (
                ("attn_q", self.hidden, self.hidden),
                ("attn_k", keys, self.hidden),
                ("attn_v", keys, self.hidden),
                ("attn_output", self.hidden, self.hidden),
                ("ffn_gate", self.inner, self.hidden),
                ("ffn_up", self.inner, self.hidden),
                ("ffn_down", self.hidden, self.inner),
            ):
                shapes[f"blk.{layer}.{name}"] = (rows, columns)
        return shapes

    def bytes(self, kind: str) -> int:
        """Return the bytes of those matrices in a file: what a token reads at least."""
        blocks = sum(rows * columns for rows, columns in self.matrices().values()) // GROUP
        return blocks * (2 + CODES[kind])


GROUP = 32
CODES = {"Q8_0": 32, "Q4_0": 16}
"""Bytes of the codes of a block, after a scale of float16."""

SPREAD = {"Q8_0": 73.9, "Q4_0": 4.6}
"""Standard deviation of uniformly distributed codes."""

FULL = Shape(2048, 5632, 8, 32, 4, 32_000)
"""The widths of TinyLlama 1.1B, with 8 of its 22 layers: 418 million weights for a token."""

SMALL = Shape(128, 256, 2, 4, 2, 512)


def write(path: Path, kind: str, shape: Shape) -> None:
    """Write a decoder whose matrices have a format of quantized blocks; the package gguf is needed."""
    gguf = import_module("gguf")
    rng = np.random.default_rng(0)
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(2048)
    writer.add_embedding_length(shape.hidden)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.inner)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.groups)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(shape.hidden // shape.heads)
    _add_tokenizer(writer, shape.vocabulary)

    def add(name: str, rows: int, columns: int) -> None:
        blocks = np.empty((rows, columns // GROUP, 2 + CODES[kind]), np.uint8)
        blocks[..., 2:] = rng.integers(0, 256, (*blocks.shape[:2], CODES[kind]), dtype=np.uint8)
        scales = rng.uniform(0.5, 1.5, (*blocks.shape[:2], 1)) / (SPREAD[kind] * math.sqrt(columns))
        blocks[..., :2] = scales.astype("<f2").view(np.uint8)
        writer.add_tensor(f"{name}.weight", blocks.reshape(rows, -1), raw_dtype=gguf.GGMLQuantizationType[kind])

    def add_norm(name: str) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(shape.hidden, np.float32))

    add("token_embd", shape.vocabulary, shape.hidden)
    for name, sizes in shape.matrices().items():
        add(name, *sizes)
    add_norm("output_norm")
    for layer in range(shape.layers):
        add_norm(f"blk.{layer}.attn_norm")
        add_norm(f"blk.{layer}.ffn_norm")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_tokenizer(writer: Any, vocabulary: int) -> None:
    """Add a tokenizer, without which llama.cpp does not load a file: special tokens, bytes, and names of numbers."""
    names = [b"<unk>", b"<s>", b"</s>", *[f"<0x{byte:02X}>".encode() for byte in range(256)]]
    kinds = [2, 3, 3, *[6] * 256]
    writer.add_tokenizer_model("llama")
    writer.add_token_list([*names, *[f"token{number}".encode() for number in range(vocabulary - len(names))]])
    writer.add_token_scores([-float(number) for number in range(vocabulary)])
    writer.add_token_types([*kinds, *[1] * (vocabulary - len(kinds))])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
