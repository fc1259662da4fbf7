"""Files of the format GGUF next to the package gguf, and models in them next to transformers'."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from torch_support import torch

import xtensor as xp
from xtensor import nn
from xtensor.nn import models
from xtensor.nn.models.gguf_file import GgufFile, Packed
from xtensor.nn.quantization import unpack

os.environ["HF_HUB_OFFLINE"] = "1"
gguf = pytest.importorskip("gguf", reason="the environment networks of tox has gguf")
transformers = pytest.importorskip("transformers")

pytestmark = pytest.mark.filterwarnings("ignore")  # warnings of transformers about its own functions

TYPES = gguf.GGMLQuantizationType
FORMATS = pytest.mark.parametrize("name", ["Q8_0", "Q4_0", "Q4_K", "Q6_K"])

ROWS, COLUMNS = 24, 512


def blocks(name: str) -> np.ndarray:
    """Rows of blocks: of random numbers, or random bytes where the package reads a format only."""
    kind, rng = TYPES[name], np.random.default_rng(0)
    if name in ("Q8_0", "Q4_0"):
        return gguf.quants.quantize(rng.normal(size=(ROWS, COLUMNS)).astype(np.float32), kind)
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    found = rng.integers(0, 256, (ROWS, COLUMNS // elements, size), dtype=np.uint8)
    for first in {"Q4_K": (0, 2), "Q6_K": (208,)}[name]:  # the units of a block
        units = rng.random((ROWS, COLUMNS // elements, 1)).astype(np.float16) / 100
        found[..., first : first + 2] = units.view(np.uint8)
    return found.reshape(ROWS, -1)


@FORMATS
def test_values_of_blocks_are_those_of_gguf(name: str) -> None:
    data = blocks(name)
    elements, size = gguf.GGML_QUANT_SIZES[TYPES[name]]
    packed = models.gguf_file.FORMATS[TYPES[name].value].read(data.reshape(ROWS, COLUMNS // elements, size))
    arrays = [None if x is None else xp.asarray(np.array(x), device="numpy") for x in packed]
    np.testing.assert_array_equal(xp.to_numpy(unpack(*arrays, xp.float32)), gguf.quants.dequantize(data, TYPES[name]))


@pytest.mark.parametrize(("kind", "name"), [("int8", "Q8_0"), ("int4", "Q4_0")])
def test_quantized_layers_have_the_codes_of_gguf(kind: str, name: str) -> None:
    weight = np.random.default_rng(0).normal(size=(ROWS, COLUMNS)).astype(np.float32)
    layer = nn.Linear(COLUMNS, ROWS, bias=False, rng=0)
    layer.weight = xp.asarray(weight)
    layer = nn.quantize(layer, kind)
    elements, size = gguf.GGML_QUANT_SIZES[TYPES[name]]
    theirs = gguf.quants.quantize(weight, TYPES[name]).reshape(ROWS, COLUMNS // elements, size)
    expected = models.gguf_file.FORMATS[TYPES[name].value].read(theirs)
    assert np.mean(xp.to_numpy(layer.codes) == expected.codes) > 0.999  # a tie may be rounded otherwise
    np.testing.assert_allclose(xp.to_numpy(layer.scales), expected.scales, rtol=2**-11)  # theirs are float16


# -- models -----------------------------------------------------------------------------------------------------------

SIZES = {
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 300,
    "max_position_embeddings": 128,
    "rms_norm_eps": 1e-5,
    "bos_token_id": 1,
    "eos_token_id": None,
}

NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def their_name(name: str) -> str:
    owner, _, kind = name.rpartition(".")
    if owner in NAMES:
        return f"{NAMES[owner]}.{kind}"
    _, _, number, layer = owner.split(".", 3)
    return f"blk.{number}.{NAMES[layer]}.{kind}"


def paired(x: np.ndarray, heads: int) -> np.ndarray:
    """Rows of a projection in the order of llama.cpp: both elements of a pair one after the other."""
    return x.reshape(heads, 2, -1, *x.shape[1:]).swapaxes(1, 2).reshape(x.shape)


def write(
    path: Any, model: Any, architecture: str, formats: dict[str, str], *, factors: Any = None, yarn: Any = None
) -> None:
    """Write a model of transformers, its matrices in formats by parts of their names; the model gets their values."""
    config = model.config
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_token_list([f"token {number}" for number in range(config.vocab_size)])
    writer.add_array("general.numbers", [1, 2, 3])
    writer.add_eos_token_id(7)
    writer.add_eot_token_id(9)
    if yarn is not None:
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(yarn["factor"])
        writer.add_rope_scaling_orig_ctx_len(yarn["original_max_position_embeddings"])
    if factors is not None:
        writer.add_tensor("rope_freqs.weight", factors)
    tied = bool(config.tie_word_embeddings)
    for name, x in model.state_dict().items():
        if tied and name == "lm_head.weight":
            continue
        values = x.detach().numpy().copy()
        chosen = next((TYPES[kind] for part, kind in formats.items() if part in name), None)
        if values.ndim < 2 or chosen is None:
            chosen = TYPES.F32
        if architecture == "llama" and ("q_proj" in name or "k_proj" in name):
            heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads
            data = gguf.quants.quantize(paired(values, heads), chosen)
            back = gguf.quants.dequantize(data, chosen).reshape(heads, -1, 2, *values.shape[1:]).swapaxes(1, 2)
            x.copy_(torch.from_numpy(back.reshape(values.shape).copy()))
        else:
            data = gguf.quants.quantize(values, chosen)
            x.copy_(torch.from_numpy(np.array(gguf.quants.dequantize(data, chosen))))
        writer.add_tensor(their_name(name), data, raw_dtype=chosen)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def build(kind: str, **options: Any) -> Any:
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**{**SIZES, **options})
    model = getattr(transformers, f"{kind}ForCausalLM")(config).eval()
    with torch.no_grad():
        for x in model.parameters():
            x += 0.05 * torch.randn_like(x)
    return model


TOKENS = np.random.default_rng(0).integers(0, 300, (2, 20))


@pytest.mark.parametrize(
    ("kind", "architecture", "formats", "options"),
    [
        ("Llama", "llama", {}, {}),
        ("Llama", "llama", {"": "Q8_0"}, {}),
        ("Llama", "llama", {"embed": "F16", "": "Q4_0"}, {"tie_word_embeddings": True}),
        ("Llama", "llama", {"": "BF16"}, {}),
        ("Qwen2", "qwen2", {"embed": "Q8_0", "mlp": "Q4_0"}, {"tie_word_embeddings": True}),
    ],
    ids=str,
)
def test_scores_are_those_of_transformers(
    kind: str, architecture: str, formats: Any, options: Any, tmp_path: Any
) -> None:
    theirs = build(kind, **options)
    path = tmp_path / "model.gguf"
    with torch.no_grad():
        write(path, theirs, architecture, formats)
        expected = theirs(torch.from_numpy(TOKENS)).logits.numpy()
        alone = theirs(torch.from_numpy(TOKENS[:1, :4])).logits.numpy()
    ours = models.from_gguf(path)
    assert ours.config.eos_tokens == (7, 9)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(xp.to_numpy(ours(xp.asarray(TOKENS))), expected, rtol=0, atol=1e-5 * scale)
    # A few tokens are computed by the kernels of vectors.
    np.testing.assert_allclose(xp.to_numpy(ours(xp.asarray(TOKENS[:1, :4]))), alone, rtol=0, atol=1e-5 * scale)


def test_matrices_stay_quantized(tmp_path: Any) -> None:
    path = tmp_path / "model.gguf"
    with torch.no_grad():
        write(path, build("Llama"), "llama", {"": "Q4_0"})
    model = models.from_gguf(path)
    assert repr(model.layers[0].mlp.up_proj) == (
        "QuantizedLinear(in_features=256, out_features=512, bias=False, bits=4, group=32)"
    )
    assert repr(model.embed_tokens) == "QuantizedEmbedding(300, 256, bits=4, group=32)"
    found = list(models.generate(model, [1, 2, 3], max_tokens=5, stop=()))
    assert len(found) == 5


def test_scaling_yarn_is_that_of_transformers(tmp_path: Any) -> None:
    scaling = {"rope_type": "yarn", "rope_theta": 500.0, "factor": 4.0, "original_max_position_embeddings": 32}
    theirs, path = build("Qwen2", rope_parameters=scaling), tmp_path / "model.gguf"
    with torch.no_grad():
        write(path, theirs, "qwen2", {}, yarn=scaling)
        expected = theirs(torch.from_numpy(TOKENS)).logits.numpy()
    ours = models.from_gguf(path)(xp.asarray(TOKENS))
    np.testing.assert_allclose(xp.to_numpy(ours), expected, rtol=0, atol=1e-5 * np.abs(expected).max())


def test_factors_divide_the_frequencies(tmp_path: Any) -> None:
    """Those of Llama 3.1 are in a tensor of the file, and in the configuration of transformers."""
    scaling = {
        "rope_type": "llama3",
        "rope_theta": 500.0,
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 32,
    }
    theirs = build("Llama", rope_parameters=scaling)
    plain = 500.0 ** -(np.arange(0, 64, 2) / 64)
    factors = (plain / theirs.model.rotary_emb.inv_freq.numpy()).astype(np.float32)
    assert factors.max() > 7
    path = tmp_path / "model.gguf"
    with torch.no_grad():
        write(path, theirs, "llama", {}, factors=factors)
        expected = theirs(torch.from_numpy(TOKENS)).logits.numpy()
    found = models.from_gguf(path)(xp.asarray(TOKENS))
    np.testing.assert_allclose(xp.to_numpy(found), expected, rtol=0, atol=2e-5 * np.abs(expected).max())


def test_settings_and_tensors_are_those_of_gguf(tmp_path: Any) -> None:
    path = tmp_path / "model.gguf"
    with torch.no_grad():
        write(path, build("Qwen2"), "qwen2", {"mlp": "Q8_0"})
    ours, theirs = GgufFile(path), gguf.GGUFReader(path)
    names = {name for name in theirs.fields if not name.startswith("GGUF.")}
    assert ours.settings.keys() == names
    assert ours.settings["qwen2.block_count"] == 2
    assert ours.settings["general.numbers"].tolist() == [1, 2, 3]
    assert ours.settings["tokenizer.ggml.tokens"][299] == "token 299"
    for tensor in theirs.tensors:
        values = ours.read(tensor.name)
        if isinstance(values, Packed):
            arrays = [xp.asarray(x, device="numpy") for x in values[:2]]
            values = xp.to_numpy(unpack(*arrays, None, xp.float32))
        np.testing.assert_array_equal(values, gguf.quants.dequantize(tensor.data, tensor.tensor_type))
