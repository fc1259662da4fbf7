"""The layers of decoders, next to those of the package transformers: rotary embedding and the gated network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from torch_support import arrays, assert_like_torch, assert_near, state_of, torch

import xtensor as xp
from xtensor import nn

pytest.importorskip("transformers", reason="the environment networks of tox has transformers")

from transformers import LlamaConfig
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama

DTYPES = pytest.mark.parametrize("dtype", ["float64", "float32"])


# -- the gated feed-forward network -----------------------------------------------------------------------------------


@DTYPES
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(6,), (4, 6), (2, 3, 6)], ids=str)
def test_gated_network_is_that_of_llama(shape: Any, bias: bool, dtype: str) -> None:
    theirs = llama.LlamaMLP(LlamaConfig(hidden_size=6, num_attention_heads=1, intermediate_size=10, mlp_bias=bias))
    assert_like_torch(nn.FeedForwardSwiGLU(6, 10, bias), theirs, arrays(0, shape, dtype=dtype), dtype)


def test_gated_network_has_the_names_and_shapes_of_llama() -> None:
    theirs = llama.LlamaMLP(LlamaConfig(hidden_size=6, num_attention_heads=1, intermediate_size=10, mlp_bias=True))
    ours = nn.FeedForwardSwiGLU(6, 10, bias=True)
    expected = {name: tuple(x.shape) for name, x in state_of(theirs).items()}
    assert {name: x.shape for name, x in ours.state_dict().items()} == expected


# -- rotary embedding -------------------------------------------------------------------------------------------------


class LlamaRotation(torch.nn.Module):  # type: ignore[misc]
    """The rotary embedding of Llama as a layer of one Array."""

    def __init__(self, dim: int, base: float) -> None:
        super().__init__()
        rope = {"rope_type": "default", "rope_theta": base}
        # In a tuple, because its frequencies have other names than ours and are no part of a state.
        self.angles = (llama.LlamaRotaryEmbedding(LlamaConfig(head_dim=dim, rope_parameters=rope)),)

    def forward(self, x: Any, start: int) -> Any:
        """Return heads of shape (texts, heads, n, dim) with their positions embedded."""
        positions = torch.arange(start, start + x.shape[-2])[None, :]
        return llama.apply_rotary_pos_emb(x, x, *self.angles[0](x, positions))[0]


class InterleavedRotation(torch.nn.Module):  # type: ignore[misc]
    """The rotary embedding of GPT-J as a layer of one Array."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.table = gptj.create_sinusoidal_positions(128, dim)

    def forward(self, x: Any, start: int) -> Any:
        """Return heads of shape (texts, heads, n, dim) with their positions embedded."""
        sin, cos = torch.chunk(self.table[start : start + x.shape[-2]][None, :, :], 2, dim=-1)
        return gptj.apply_rotary_pos_emb(x.transpose(1, 2), sin, cos).transpose(1, 2)


@pytest.mark.parametrize("start", [0, 5, 90])
@pytest.mark.parametrize(("dim", "base"), [(2, 10000.0), (8, 10000.0), (64, 500000.0)])
def test_rotary_embedding_is_that_of_llama(dim: int, base: float, start: int) -> None:
    call = lambda module, x: module(x, start)  # noqa: E731
    ours, x = nn.RotaryEmbedding(dim, base), arrays(0, (2, 3, 6, dim), dtype="float32")
    assert_like_torch(ours, LlamaRotation(dim, base), x, "float32", call)


@pytest.mark.parametrize("start", [0, 90])
def test_interleaved_rotary_embedding_is_that_of_gptj(start: int) -> None:
    call = lambda module, x: module(x, start)  # noqa: E731
    ours, x = nn.RotaryEmbedding(16, interleaved=True), arrays(0, (2, 3, 6, 16), dtype="float32")
    assert_like_torch(ours, InterleavedRotation(16), x, "float32", call)


@pytest.mark.parametrize("interleaved", [False, True])
def test_rotary_embedding_multiplies_complex_numbers_of_magnitude_1(interleaved: bool) -> None:
    """Frequencies are powers of 1/4 here, which float32 has exactly."""
    (x,) = arrays(0, (2, 7, 8))
    first, second = (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :4], x[..., 4:])
    angles = np.arange(3, 10)[:, None] * 0.25 ** np.arange(4)
    turned = (first + 1j * second) * np.exp(1j * angles)
    pairs = np.stack([turned.real, turned.imag], axis=-1 if interleaved else -2)
    layer = nn.RotaryEmbedding(8, 256.0, interleaved=interleaved).astype(xp.float64)
    assert_near(layer(xp.asarray(x), 3), pairs.reshape(x.shape), "float64", "vectors")


def test_scores_of_rotated_vectors_depend_on_the_distance_alone() -> None:
    """The property for which the embedding was made: the product of positions p and q is that of p - q."""
    query, key = map(xp.asarray, arrays(0, (1, 8), (1, 8)))
    layer = nn.RotaryEmbedding(8).astype(xp.float64)
    found = [xp.to_numpy(layer(query, 4 + shift) @ layer(key, 1 + shift).T) for shift in (0, 1, 50)]
    np.testing.assert_allclose(found[1:], found[:1] * 2, rtol=1e-9)
