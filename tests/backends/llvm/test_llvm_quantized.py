"""Kernels of products with quantized matrices."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
from xtensor.nn.functional import quantized_linear
from xtensor.nn.quantization import quantized_linears
from xtensor_backends.llvm import _compile, _quantized, _threads, _unpacking
from xtensor_backends.llvm._quantized_rows import address_of_run


def operands(kind: str, group: int, vectors: int = 1, rows: int = 64) -> list:
    rng = np.random.default_rng(0)
    codes = rng.integers(-128, 128, (rows, 256)) if kind == "int8" else rng.integers(0, 256, (rows, 128))
    x = rng.normal(size=(vectors, 256))
    arrays = [x.astype(np.float32), codes.astype(kind.replace("int4", "uint8")), rng.random((rows, 256 // group))]
    return [xp.asarray(a.astype(np.float32) if a.dtype == np.float64 else a, device="cpu") for a in arrays]


@pytest.fixture
def used(monkeypatch):
    """A 1 for each call of a kernel."""
    calls = []
    for module in (_quantized, _unpacking):
        call = module.call_unlocked
        monkeypatch.setattr(module, "call_unlocked", lambda *args, call=call: (calls.append(1), call(*args)))
    return calls


@pytest.mark.parametrize(("kind", "group"), [("int8", 16), ("int8", 256), ("int4", 32), ("int4", 128)])
@pytest.mark.parametrize("vectors", [1, 8, 9])
def test_kernel_computes_vectors(kind, group, vectors, used):
    quantized_linear(*operands(kind, group, vectors))
    assert used == [1]


@pytest.mark.parametrize(
    ("kind", "group", "vectors", "rows"),
    [("int8", 8, 9, 64), ("int8", 8, 1, 64), ("int4", 16, 1, 64), ("int8", 16, 1, 8)],
)
def test_composition_computes_what_the_kernel_does_not(kind, group, vectors, rows, used):
    quantized_linear(*operands(kind, group, vectors, rows))
    assert used == []


@pytest.mark.parametrize("instructions", [True, False])
@pytest.mark.parametrize("shifted", [True, False])
@pytest.mark.parametrize(("kind", "group"), [("int8", 16), ("int8", 256), ("int4", 32), ("int4", 128)])
@pytest.mark.parametrize("vectors", [1, 2, 3, 5, 10])
@pytest.mark.parametrize(("rows", "scale"), [(64, "float32"), (67, "float32"), (67, "float16")])
def test_kernel_computes_the_product_of_the_numbers(
    kind, group, vectors, rows, scale, shifted, instructions, used, monkeypatch
):
    has_feature = _compile.has_feature
    monkeypatch.setattr(_compile, "has_feature", lambda name: (instructions or name == "f16c") and has_feature(name))
    for module in (_quantized, _unpacking):
        monkeypatch.setattr(module, "address_of_run", address_of_run.__wrapped__)
    monkeypatch.setattr(_quantized, "_code", _quantized._code.__wrapped__)
    x, codes, scales = operands(kind, group, vectors, rows)
    scales = xp.astype(scales, getattr(xp, scale))
    offsets = scales * 3 if shifted else None
    found = xp.to_numpy(quantized_linear(x, codes, scales, offsets))
    assert used == [1]
    numbers = xp.to_numpy(codes).reshape(rows, 256 // group, -1).astype(np.float64)
    if kind == "int4":
        numbers = np.concatenate([numbers % 16, numbers // 16], axis=-1) - (0 if shifted else 8)
    matrix = numbers * xp.to_numpy(scales)[..., None].astype(np.float64)
    if shifted:
        matrix -= xp.to_numpy(offsets)[..., None].astype(np.float64)
    expected = xp.to_numpy(x).astype(np.float64) @ matrix.reshape(rows, 256).T
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("kind", ["int8", "int4"])
@pytest.mark.parametrize("shifted", [True, False])
@pytest.mark.parametrize("vectors", [1, 3, 10])
def test_several_matrices_are_computed_by_one_call(kind, shifted, vectors, used):
    x = operands(kind, 32, vectors)[0]
    matrices = []
    for rows in (64, 301, 35):
        _, codes, scales = operands(kind, 32, vectors, rows)
        matrices.append((codes, scales, scales * 3 if shifted else None))
    found = quantized_linears(x, *[part for matrix in matrices for part in matrix])
    assert used == ([1] if vectors <= _quantized.MOST_VECTORS else [1] * 3)
    for y, matrix in zip(found, matrices, strict=True):
        np.testing.assert_array_equal(xp.to_numpy(y), xp.to_numpy(quantized_linear(x, *matrix)))


@pytest.mark.parametrize("difference", ["kind", "group", "offsets", "scales", "few rows"])
def test_matrices_of_several_formats_are_computed_one_by_one(difference, used):
    x, codes, scales = operands("int4", 32)
    kind, group = "int8" if difference == "kind" else "int4", 64 if difference == "group" else 32
    _, other_codes, other_scales = operands(kind, group, 1, 8 if difference == "few rows" else 64)
    if difference == "scales":
        other_scales = xp.astype(other_scales, xp.float16)
    matrices = [(codes, scales, None), (other_codes, other_scales, other_scales if difference == "offsets" else None)]
    found = quantized_linears(x, *[part for matrix in matrices for part in matrix])
    assert used == ([1] if difference == "few rows" else [1] * 2)
    for y, matrix in zip(found, matrices, strict=True):
        np.testing.assert_array_equal(xp.to_numpy(y), xp.to_numpy(quantized_linear(x, *matrix)))


@pytest.mark.parametrize("kind", ["int8", "int4"])
@pytest.mark.parametrize("shifted", [True, False])
def test_numbers_of_rows_beyond_the_buffer_are_unpacked_in_turns(kind, shifted, used, monkeypatch):
    monkeypatch.setattr(_unpacking, "BUFFER", 1)
    x, codes, scales = operands(kind, 32, 10, 150)
    offsets = scales * 3 if shifted else None
    found = xp.to_numpy(quantized_linear(x, codes, scales, offsets))
    assert used == [1] * 3
    parts = [slice(0, 64), slice(64, 128), slice(128, 150)]
    expected = [
        xp.to_numpy(quantized_linear(x[:8, :], codes[p, :], scales[p, :], None if offsets is None else offsets[p, :]))
        for p in parts
    ]
    expected = np.concatenate(expected, axis=1)
    np.testing.assert_allclose(found[:8], expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("kind", ["int8", "int4"])
def test_result_does_not_depend_on_the_number_of_threads(kind):
    values = operands(kind, 32, 3, 1000)
    results = []
    for number in (1, 2):
        with _threads.limit(number):
            results.append(xp.to_numpy(quantized_linear(*values)))
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan, 1e-38, 1e30, 0.0])
@pytest.mark.parametrize("kind", ["int8", "int4"])
@pytest.mark.parametrize("vectors", [2, 10])
def test_numbers_at_the_ends_of_the_range_are_computed_as_by_the_composition(kind, number, vectors):
    x, codes, scales = operands(kind, 32, vectors)
    values = xp.to_numpy(x).copy()
    values[1, 40:72] = number
    values[1, :32] = 0.0
    found = xp.to_numpy(quantized_linear(xp.asarray(values, device="cpu"), codes, scales))
    plain = [xp.asarray(a, device="numpy") for a in (values, xp.to_numpy(codes), xp.to_numpy(scales))]
    with np.errstate(all="ignore"):
        expected = xp.to_numpy(quantized_linear(*plain))
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    found, expected = np.where(finite, found, 0.0), np.where(finite, expected, 0.0)
    largest = np.abs(expected).max(axis=1, keepdims=True)
    assert np.all(np.abs(found - expected) <= 1e-6 * largest)
