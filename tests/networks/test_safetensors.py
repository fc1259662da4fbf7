"""Files of weights, next to the package safetensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from torch_support import torch

import xtensor as xp
from xtensor import nn

safetensors = pytest.importorskip("safetensors.torch")

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")


def tensors() -> dict[str, Any]:
    values = torch.arange(-3, 9).reshape(3, 4)
    found = {dtype: values.to(getattr(torch, dtype)) for dtype in DTYPES}
    return {**found, "scalar": torch.tensor(2.5), "empty": torch.zeros((0, 2))}


def same(actual: Any, expected: Any) -> None:
    """Compare the elements as float64, as NumPy has no bfloat16."""
    kind = np.complex128 if expected.is_complex() else np.float64
    values = np.asarray(xp.to_numpy(actual))
    assert str(values.dtype) == str(expected.dtype).removeprefix("torch.")
    assert values.shape == tuple(expected.shape)
    wide = torch.complex128 if expected.is_complex() else torch.float64
    np.testing.assert_array_equal(values.astype(kind), expected.to(wide).numpy())


def test_file_of_safetensors_is_read(tmp_path: Any) -> None:
    safetensors.save_file(tensors(), tmp_path / "x.safetensors", metadata={"format": "pt"})
    found = nn.load(tmp_path / "x.safetensors", device="numpy")
    assert found.keys() == tensors().keys()
    for name, expected in tensors().items():
        same(found[name], expected)


def test_safetensors_reads_our_file(tmp_path: Any) -> None:
    safetensors.save_file(tensors(), tmp_path / "x.safetensors")
    arrays = nn.load(tmp_path / "x.safetensors", device="numpy")
    nn.save(arrays, tmp_path / "y.safetensors", metadata={"author": "us"})
    found = safetensors.load_file(tmp_path / "y.safetensors")
    for name, expected in tensors().items():
        assert found[name].dtype == expected.dtype
        assert torch.equal(found[name], expected)


def test_network_of_pytorch_is_loaded_from_its_file(tmp_path: Any) -> None:
    theirs = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.Flatten())
    safetensors.save_model(theirs, str(tmp_path / "x.safetensors"))
    ours = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten())
    assert ours.load_state_dict(nn.load(tmp_path / "x.safetensors")) == ([], [])
    x = np.random.default_rng(0).normal(size=(2, 1, 5, 5)).astype(np.float32)
    expected = theirs.eval()(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(xp.to_numpy(ours.eval()(xp.asarray(x))), expected, rtol=1e-5, atol=1e-6)
