"""Folders of language models: published names, and damaged files."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import nn
from xtensor.nn import models

CONFIG = {
    "model_type": "llama",
    "vocab_size": 20,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "rms_norm_eps": 1e-5,
    "eos_token_id": [2, 3],
}

NORM = "model.layers.1.post_attention_layernorm.weight"


def tensors(**changes: Any) -> dict[str, Any]:
    config = models.configuration.configuration({**CONFIG, **changes})
    parameters = models.Decoder(config, rng=0, device="numpy").state_dict()
    return {name if name.startswith("lm_head") else f"model.{name}": x for name, x in parameters.items()}


WIDE = {"hidden_size": 32, "intermediate_size": 64}


def write(folder: Any, arrays: Any = None, **config: Any) -> Any:
    """A folder of a model, with changes of its configuration; None removes an entry."""
    entries = {name: value for name, value in {**CONFIG, **config}.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(entries))
    nn.save(tensors() if arrays is None else arrays, folder / "model.safetensors")
    return folder


def test_folder_is_loaded(tmp_path, device):
    model = models.from_folder(write(tmp_path))
    assert model.config.eos_tokens == (2, 3)
    assert not model.training
    for name, x in model.state_dict().items():
        assert x.device == xp.default_device()
        expected = tensors()[name if name.startswith("lm_head") else f"model.{name}"]
        np.testing.assert_array_equal(xp.to_numpy(x), xp.to_numpy(expected))


def test_folder_is_loaded_in_a_dtype(tmp_path, device):
    halves = {name: xp.astype(x, xp.float16) for name, x in tensors().items()}
    assert models.from_folder(write(tmp_path, halves)).norm.weight.dtype == xp.float32
    assert models.from_folder(tmp_path, dtype=xp.float64).norm.weight.dtype == xp.float64


def test_folder_is_quantized_while_it_is_loaded(tmp_path, device):
    """A scale for each 32 columns, which are all columns of these layers."""
    found = models.from_folder(write(tmp_path, tensors(**WIDE), **WIDE), quantize="int8")
    expected = nn.quantize(models.from_folder(tmp_path))
    assert type(found.lm_head) is nn.QuantizedLinear
    for name, x in expected.state_dict().items():
        np.testing.assert_array_equal(xp.to_numpy(found.state_dict()[name]), xp.to_numpy(x))


@pytest.mark.one_device
def test_folder_that_cannot_be_quantized_is_refused(tmp_path):
    with pytest.raises(ValueError, match="has 16 columns, expected a multiple of group 32"):
        models.from_folder(write(tmp_path), quantize="int8")


def test_folder_of_several_files_is_loaded(tmp_path, device):
    expected = models.from_folder(write(tmp_path))
    files: dict[str, dict[str, Any]] = {"a.safetensors": {}, "b.safetensors": {}}
    for number, (name, x) in enumerate(tensors().items()):
        files["ab"[number % 2] + ".safetensors"][name] = x
    for name, part in files.items():
        nn.save(part, tmp_path / name)
    table = {tensor: name for name, part in files.items() for tensor in part}
    (tmp_path / "model.safetensors").unlink()
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": table}))
    found = models.from_folder(tmp_path)
    tokens = xp.asarray([1, 2, 3])
    np.testing.assert_array_equal(xp.to_numpy(found(tokens)), xp.to_numpy(expected(tokens)))


def test_tied_weights_may_be_in_the_file(tmp_path, device):
    model = models.from_folder(write(tmp_path, tie_word_embeddings=True))
    assert model.lm_head is None


def test_names_without_prefix_are_loaded(tmp_path, device):
    arrays = {name.removeprefix("model."): x for name, x in tensors().items()}
    models.from_folder(write(tmp_path, arrays))


@pytest.mark.one_device
def test_missing_tensor_is_named(tmp_path):
    arrays = tensors()
    del arrays[NORM]
    with pytest.raises(ValueError, match=f"{NORM} is missing"):
        models.from_folder(write(tmp_path, arrays))


@pytest.mark.one_device
def test_tensor_of_another_shape_is_named(tmp_path):
    arrays = {**tensors(), NORM: xp.zeros((15,), device="numpy")}
    with pytest.raises(ValueError, match=rf"{NORM} has shape \(15,\), expected \(16,\)"):
        models.from_folder(write(tmp_path, arrays))


@pytest.mark.one_device
def test_unknown_tensor_is_named(tmp_path):
    """A bias that the configuration does not have would be left out of the results."""
    arrays = {**tensors(), "model.layers.0.self_attn.q_proj.bias": xp.zeros((16,), device="numpy")}
    with pytest.raises(ValueError, match="model.layers.0.self_attn.q_proj.bias' is unknown"):
        models.from_folder(write(tmp_path, arrays))


@pytest.mark.one_device
def test_many_missing_tensors_are_counted(tmp_path):
    with pytest.raises(ValueError, match=r"embed_tokens.weight is missing; .*; and 14 more"):
        models.from_folder(write(tmp_path, {"x": xp.zeros((1,), device="numpy")}))


def header(rows: Any, data: bytes = b"") -> bytes:
    text = rows if isinstance(rows, bytes) else json.dumps(rows).encode()
    return len(text).to_bytes(8, "little") + text + data


def row(**changes: Any) -> dict[str, Any]:
    return {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changes}


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no whole file of the format safetensors: it has 0 bytes"),
        (b"\xff" * 8, "its header is said to have 18446744073709551615"),
        (header(b"[" * 100_000), "no JSON"),
        (header({"weights": row()}, b"\0" * 7), "'weights' .* bytes 0 to 8, and the file has 7"),
        (header({"weights": row(shape=[2**62, 4])}, b"\0" * 8), "'weights' .* takes 73786976294838206464 bytes"),
        (header({"weights": row(shape=[-2])}, b"\0" * 8), "'weights' .* is negative"),
        (header({"weights": row(data_offsets=[2**70, 2**70 + 8])}, b"\0" * 8), "'weights' .* the file has 8"),
        (header({"weights": row(dtype="F4")}, b"\0" * 8), "'weights' .* dtype 'F4'"),
        (header({"weights": row(dtype=["F32"])}, b"\0" * 8), "'weights' .* is damaged"),
        (header({"weights": 3}), "'weights' .* is damaged"),
    ],
)
def test_damaged_file_is_refused_and_its_tensor_named(data, message, tmp_path):
    write(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(data)
    with pytest.raises(ValueError, match=message):
        models.from_folder(tmp_path)


@pytest.mark.one_device
def test_each_truncated_file_is_refused(tmp_path):
    write(tmp_path)
    whole = (tmp_path / "model.safetensors").read_bytes()
    for length in range(0, len(whole), 97):
        (tmp_path / "model.safetensors").write_bytes(whole[:length])
        with pytest.raises(ValueError, match="model.safetensors"):
            models.from_folder(tmp_path)


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("table", "message"),
    [
        (3, "weight_map is 3 .*, expected names of files"),
        ({"a": "../model.safetensors"}, r"'\.\./model\.safetensors'.*expected a file of the folder"),
        ({"model.norm.bias": "model.safetensors"}, "the tensor model.norm.bias is not in model.safetensors"),
    ],
)
def test_damaged_index_is_refused(table, message, tmp_path):
    write(tmp_path)
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": table}))
    with pytest.raises(ValueError, match=message):
        models.from_folder(tmp_path)


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"model_type": "mamba"}, "model_type is 'mamba', expected one of bert, gpt2, llama"),
        ({"model_type": None}, "model_type is None"),
        ({"hidden_size": None}, "hidden_size is None, expected an integer"),
        ({"hidden_size": -4}, "hidden_size is -4, expected 1 or more"),
        ({"hidden_size": True}, "hidden_size is True, expected an integer"),
        ({"rms_norm_eps": "x"}, "rms_norm_eps is 'x' .*, expected a number"),
        ({"hidden_act": "relu2"}, "hidden_act is 'relu2', expected one of"),
        ({"num_key_value_heads": 3}, "num_heads 4 is no multiple of num_kv_heads 3"),
        ({"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}, "rope_type is 'dynamic'"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": -2.0}}, "factor is -2.0, expected a positive number"),
        ({"rope_parameters": {"partial_rotary_factor": 0.5}}, "partial_rotary_factor is 0.5, and only 1.0"),
        ({"eos_token_id": "</s>"}, "eos_token_id is '</s>' .*, expected a token"),
        ({"model_type": "mistral", "sliding_window": 8, "layer_types": ["x"]}, "layer_types is"),
    ],
    ids=str,
)
def test_configuration_that_is_not_implemented_is_refused(config, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        models.from_folder(write(tmp_path, **config))


@pytest.mark.one_device
def test_configuration_that_is_no_json_is_refused(tmp_path):
    write(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ValueError, match=r"config\.json is no JSON"):
        models.from_folder(tmp_path)


@pytest.mark.one_device
def test_model_that_does_not_fit_is_refused_with_its_sizes(tmp_path):
    """The file has holes, so that it takes no disk."""
    hidden, vocabulary = 2**15, 2**20
    config = {"hidden_size": hidden, "vocab_size": vocabulary, "num_hidden_layers": 1, "head_dim": 4}
    needed = models.Decoder(models.configuration.configuration({**CONFIG, **config}), device="meta").state_dict()
    rows, position = {}, 0
    for name, x in needed.items():
        key = name if name.startswith("lm_head") else f"model.{name}"
        rows[key] = {"dtype": "F32", "shape": x.shape, "data_offsets": [position, position + x.nbytes]}
        position += x.nbytes
    write(tmp_path, **config)
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.write(header(rows))
        file.truncate(file.tell() + position)
    with pytest.raises(xp.OutOfMemoryError, match=r"256\.\d GiB of weights, .* are free") as raised:
        models.from_folder(tmp_path)
    assert raised.value.requested > position
