"""Attention and transformer layers, next to those of PyTorch with the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from torch_support import arrays, assert_like_torch, assert_near, state_of, torch

import xtensor as xp
from xtensor import nn

T = torch.nn
DTYPES = pytest.mark.parametrize("dtype", ["float64", "float32"])


def as_mask(module: Any, values: np.ndarray) -> Any:
    """A mask for a module of this package or of PyTorch."""
    return torch.from_numpy(values) if isinstance(module, T.Module) else xp.asarray(values)


CAUSAL = np.triu(np.ones((4, 4), dtype=bool), 1)
PADDING = np.asarray([[False, False, False, True], [False, False, True, True], [False] * 4])
NUMBERS = np.random.default_rng(1).normal(size=(6, 4, 4))

OPTIONS = {
    "plain": {},
    "mask": {"attn_mask": CAUSAL},
    "numbers for each head": {"attn_mask": NUMBERS},
    "padding": {"key_padding_mask": PADDING},
    "both": {"attn_mask": CAUSAL, "key_padding_mask": PADDING},
    "weights of heads": {"average_attn_weights": False},
    "no weights": {"need_weights": False, "attn_mask": CAUSAL},
}


@DTYPES
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("name", OPTIONS)
def test_multihead_attention_is_that_of_pytorch(name: str, batch_first: bool, dtype: str) -> None:
    def call(module: Any, x: Any, y: Any) -> Any:
        options = {
            key: as_mask(module, value.astype(dtype) if value.dtype.kind == "f" else value)
            if isinstance(value, np.ndarray)
            else value
            for key, value in OPTIONS[name].items()
        }
        return module(x, y, y, **options)

    shape = (3, 4, 6) if batch_first else (4, 3, 6)
    ours, theirs = [library.MultiheadAttention(6, 2, batch_first=batch_first) for library in (nn, T)]
    assert_like_torch(ours, theirs, arrays(0, shape, shape, dtype=dtype), dtype, call)


@DTYPES
@pytest.mark.parametrize("bias", [True, False])
def test_attention_with_other_lengths_of_keys_is_that_of_pytorch(bias: bool, dtype: str) -> None:
    ours, theirs = [library.MultiheadAttention(6, 3, bias=bias, kdim=4, vdim=5) for library in (nn, T)]
    assert_like_torch(ours, theirs, arrays(0, (2, 3, 6), (7, 3, 4), (7, 3, 5), dtype=dtype), dtype)


@DTYPES
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize(
    "added", [{"add_bias_kv": True}, {"add_zero_attn": True}, {"add_bias_kv": True, "add_zero_attn": True}]
)
def test_attention_with_more_keys_is_that_of_pytorch(added: dict[str, bool], name: str, dtype: str) -> None:
    def call(module: Any, x: Any, y: Any) -> Any:
        options = {
            key: as_mask(module, value.astype(dtype) if value.dtype.kind == "f" else value)
            if isinstance(value, np.ndarray)
            else value
            for key, value in OPTIONS[name].items()
        }
        return module(x, y, y, **options)

    ours, theirs = [library.MultiheadAttention(6, 2, **added) for library in (nn, T)]
    assert_like_torch(ours, theirs, arrays(0, (4, 3, 6), (4, 3, 6), dtype=dtype), dtype, call)


def test_causal_attention_with_more_keys_hides_the_keys_after_a_query() -> None:
    module = nn.MultiheadAttention(6, 2, add_bias_kv=True, add_zero_attn=True, dtype=xp.float64, rng=0)
    (x,) = map(xp.asarray, arrays(0, (4, 3, 6)))
    found, _ = module(x, x, x, is_causal=True)
    expected, _ = module(x, x, x, attn_mask=xp.asarray(CAUSAL))
    assert_near(found, xp.to_numpy(expected), "float64", "outputs")


def test_attention_of_one_example_is_that_of_pytorch() -> None:
    ours, theirs = [library.MultiheadAttention(6, 3) for library in (nn, T)]
    assert_like_torch(ours, theirs, arrays(0, (2, 6), (7, 6), (7, 6)), "float64")


@DTYPES
@pytest.mark.parametrize(
    "options", [{}, {"norm_first": True}, {"activation": "gelu", "batch_first": True}, {"bias": False}], ids=str
)
def test_encoder_layer_is_that_of_pytorch(options: dict[str, Any], dtype: str) -> None:
    ours, theirs = [library.TransformerEncoderLayer(6, 2, 8, dropout=0.0, **options) for library in (nn, T)]
    shape = (3, 4, 6) if options.get("batch_first") else (4, 3, 6)

    def call(module: Any, x: Any) -> Any:
        return module(x, as_mask(module, CAUSAL), as_mask(module, PADDING))

    assert_like_torch(ours, theirs, arrays(0, shape, dtype=dtype), dtype, call)


@DTYPES
@pytest.mark.parametrize("options", [{}, {"norm_first": True, "activation": "gelu"}], ids=str)
def test_decoder_layer_is_that_of_pytorch(options: dict[str, Any], dtype: str) -> None:
    ours, theirs = [library.TransformerDecoderLayer(6, 2, 8, dropout=0.0, **options) for library in (nn, T)]

    def call(module: Any, x: Any, memory: Any) -> Any:
        return module(x, memory, tgt_mask=as_mask(module, CAUSAL), memory_key_padding_mask=as_mask(module, PADDING))

    assert_like_torch(ours, theirs, arrays(0, (4, 3, 6), (4, 3, 6), dtype=dtype), dtype, call)


def test_encoder_of_several_layers_is_that_of_pytorch() -> None:
    options = {nn: {}, T: {"enable_nested_tensor": False}}
    ours, theirs = [
        library.TransformerEncoder(
            library.TransformerEncoderLayer(6, 2, 8, dropout=0.0), 2, library.LayerNorm(6), **options[library]
        )
        for library in (nn, T)
    ]
    assert_like_torch(ours, theirs, arrays(0, (4, 3, 6)), "float64")


def test_decoder_of_several_layers_is_that_of_pytorch() -> None:
    ours, theirs = [
        library.TransformerDecoder(library.TransformerDecoderLayer(6, 2, 8, dropout=0.0), 2) for library in (nn, T)
    ]
    assert_like_torch(ours, theirs, arrays(0, (4, 3, 6), (5, 3, 6)), "float64")


def test_attention_without_weights_is_that_with_weights() -> None:
    module = nn.MultiheadAttention(6, 2, dtype=xp.float64, rng=0)
    (x,) = map(xp.asarray, arrays(0, (4, 3, 6)))
    plain, _ = module(x, x, x, need_weights=False, is_causal=True)
    weighted, _ = module(x, x, x, is_causal=True)
    assert_near(plain, xp.to_numpy(weighted), "float64", "outputs")


def test_state_of_a_transformer_is_loaded_from_pytorch() -> None:
    theirs = T.TransformerEncoder(T.TransformerEncoderLayer(6, 2, 8), 2, enable_nested_tensor=False)
    ours = nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8), 2)
    assert ours.load_state_dict(state_of(theirs)) == ([], [])
    assert ours.state_dict().keys() == theirs.state_dict().keys()
