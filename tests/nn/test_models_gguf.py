"""Files of the format GGUF: damaged ones, and models with quantized matrices."""

from __future__ import annotations

import contextlib
import struct
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor.nn import models

SETTINGS = {
    "general.architecture": "qwen2",
    "qwen2.block_count": 1,
    "qwen2.context_length": 64,
    "qwen2.embedding_length": 32,
    "qwen2.feed_forward_length": 64,
    "qwen2.attention.head_count": 2,
    "qwen2.attention.layer_norm_rms_epsilon": 1e-5,
    "tokenizer.ggml.tokens": ["a", "b"],
}

SHAPES = {
    "token_embd.weight": (10, 32),
    "output_norm.weight": (32,),
    "blk.0.attn_norm.weight": (32,),
    "blk.0.ffn_norm.weight": (32,),
    **{f"blk.0.attn_{part}.weight": (32, 32) for part in ("q", "k", "v", "output")},
    **{f"blk.0.attn_{part}.bias": (32,) for part in "qkv"},
    "blk.0.ffn_gate.weight": (64, 32),
    "blk.0.ffn_up.weight": (64, 32),
    "blk.0.ffn_down.weight": (32, 64),
}

F32, Q8_0 = 0, 8


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def setting(name: str, value: Any) -> bytes:
    if isinstance(value, str):
        return text(name) + struct.pack("<I", 8) + text(value)
    if isinstance(value, list):
        return text(name) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
    return text(name) + (struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<II", 4, value))


def contents(settings: Any = None, shapes: Any = None, *, kind: int = Q8_0, magic: bytes = b"GGUF\x03\0\0\0") -> bytes:
    """A file with random tensors, its matrices in a format."""
    settings, shapes = {**SETTINGS, **(settings or {})}, SHAPES if shapes is None else shapes
    rng = np.random.default_rng(0)
    head = magic + struct.pack("<QQ", len(shapes), len(settings))
    head += b"".join([setting(name, value) for name, value in settings.items()])
    data = b""
    for name, shape in shapes.items():
        numbers = rng.normal(size=shape).astype(np.float32)
        chosen = kind if len(shape) == 2 else F32
        head += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], chosen, len(data))
        if chosen == Q8_0:
            rows = np.empty((numbers.size // 32, 34), dtype=np.uint8)
            rows[:, :2] = np.full((len(rows), 1), 2**-5, dtype=np.float16).view(np.uint8)
            rows[:, 2:] = rng.integers(0, 256, (len(rows), 32))
            data += rows.tobytes()
        else:
            data += numbers.tobytes()
        data += b"\0" * (-len(data) % 32)
    return head + b"\0" * (-len(head) % 32) + data


@pytest.fixture
def path(tmp_path: Any) -> Any:
    return tmp_path / "model.gguf"


def test_quantized_model_computes_what_its_numbers_do(path, device):
    path.write_bytes(contents())
    quantized = models.from_gguf(path)
    assert type(quantized.layers[0].mlp.up_proj).__name__ == "QuantizedLinear"
    plain = models.Decoder(quantized.config, rng=0).eval()
    for name, module in plain.named_modules():
        if hasattr(module, "weight"):
            other = dict(quantized.named_modules())[name]
            if hasattr(other, "codes"):
                numbers = xp.to_numpy(other.codes).astype(np.float32) * np.float32(2**-5)
                module.weight = xp.asarray(numbers)
                if getattr(other, "bias", None) is not None:
                    module.bias = other.bias
            else:
                module.weight = other.weight
    expected = xp.to_numpy(plain(xp.asarray([1, 2, 3, 4])))
    found = xp.to_numpy(quantized(xp.asarray([1, 2, 3, 4])))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * np.abs(expected).max())


def test_each_truncated_file_is_refused(path):
    whole = contents()
    for length in range(0, len(whole) - 32, 61):  # the last tensor ends with padding
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"model\.gguf"):
            models.from_gguf(path)


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GGUF", "no file of the format GGUF"),
        (b"GGML" + b"\0" * 40, "no file of the format GGUF"),
        (contents(magic=b"GGUF\x09\0\0\0"), "version 9"),
        (b"GGUF\x03\0\0\0" + struct.pack("<QQ", 2**63, 0), "end within the header"),
        (b"GGUF\x03\0\0\0" + struct.pack("<QQQ", 0, 1, 2**63), "end within the header"),
        (b"GGUF\x03\0\0\0" + struct.pack("<QQ", 0, 1) + text("a") + struct.pack("<IIQ", 9, 4, 2**62), "end within"),
        (b"GGUF\x03\0\0\0" + struct.pack("<QQ", 0, 1) + text("a") + struct.pack("<IIQ", 9, 9, 2**62), "unknown type 9"),
        (
            b"GGUF\x03\0\0\0" + struct.pack("<QQ", 0, 1) + text("a") + struct.pack("<I", 99),
            "'a' has the unknown type 99",
        ),
        (
            b"GGUF\x03\0\0\0" + struct.pack("<QQ", 1, 0) + text("w") + struct.pack("<I", 2**31),
            "'w' has 2147483648 axes",
        ),
        (contents(kind=13), "'token_embd.weight' has the format of number 13, expected one of F32, F16, Q4_0, Q8_0"),
        (contents({"general.alignment": 0}), "general.alignment is 0"),
        (contents({"general.architecture": "mamba"}), "general.architecture is 'mamba', expected one of llama"),
        (contents({"qwen2.block_count": 0}), "qwen2.block_count is 0, expected an integer of 1 or more"),
        (contents({"qwen2.block_count": "1"}), "qwen2.block_count is '1', expected an integer"),
        (contents({"qwen2.rope.scaling.type": "longrope"}), "rope.scaling.type is 'longrope'"),
        (contents({"qwen2.rope.scaling.type": "yarn"}), "qwen2.rope.scaling.factor is None, expected a positive"),
        (
            contents(
                {
                    "qwen2.rope.scaling.type": "yarn",
                    "qwen2.rope.freq_base": 1.0,
                    "qwen2.rope.scaling.factor": 2.0,
                    "qwen2.rope.scaling.original_context_length": 8,
                }
            ),
            "rope_theta is 1.0, expected more than 1",
        ),
        (contents({"qwen2.rope.dimension_count": 8}), "rope.dimension_count differs"),
        (contents({"qwen2.block_count": 2}), "blk.1.attn_norm.weight is missing"),
        (
            contents({"qwen2.feed_forward_length": 96}),
            r"blk.0.ffn_gate.weight has shape \(64, 32\), expected \(96, 32\)",
        ),
        (contents(shapes={**SHAPES, "blk.0.attn_output.bias": (32,)}), "'blk.0.attn_output.bias' is unknown"),
        (contents(shapes={**SHAPES, "x": (4, 24)}), "'x' has rows of 24 elements, and Q8_0 has blocks of 32"),
        (contents(shapes={}), "token_embd.weight is missing"),
        (
            b"GGUF\x03\0\0\0" + struct.pack("<QQ", 1, 0) + text("w") + struct.pack("<IQQIQ", 2, 2**40, 2**40, 0, 0),
            "'w' of shape .* and the file has",
        ),
        (
            b"GGUF\x03\0\0\0" + struct.pack("<QQ", 1, 0) + text("w") + struct.pack("<IQIQ", 1, 1, 0, 2**63),
            "'w' of shape .* and the file has",
        ),
    ],
    ids=range(25),
)
def test_damaged_file_is_refused_and_its_tensor_named(data, message, path):
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message):
        models.from_gguf(path)


@pytest.mark.one_device
def test_random_changes_of_a_header_raise_nothing_but_value_error(path):
    whole = contents()
    rng = np.random.default_rng(0)
    end = whole.index(b"blk.0.ffn_down")
    for _ in range(300):
        data = bytearray(whole)
        for position in rng.integers(4, end, 3):
            data[position] = rng.integers(0, 256)
        path.write_bytes(data)
        with contextlib.suppress(ValueError):
            models.gguf_file.GgufFile(path)
