"""Quantized layers: values from exact arithmetic of small numbers, and bounds of their errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn
from xtensor.nn.functional import quantized_linear
from xtensor.nn.modules.quantized import linear_maps

ROWS, COLUMNS, GROUP = 300, 128, 32


def parts(kind: str, shifted: bool, group: int = GROUP) -> tuple[list[Any], np.ndarray]:
    """Codes, scales, offsets, and the matrix that they are, of which all numbers are multiples of 1/4."""
    rng = np.random.default_rng(0)
    shape = (ROWS, COLUMNS // group, group)
    scales = rng.integers(1, 8, shape[:2]) / 4
    offsets = rng.integers(-8, 8, shape[:2]) / 4 if shifted else None
    if kind == "int8":
        codes = rng.integers(-128, 128, shape)
        stored = codes.astype(np.int8)
    else:
        codes = rng.integers(0, 16, shape)
        stored = (codes[..., : group // 2] + 16 * codes[..., group // 2 :]).astype(np.uint8)
        codes = codes if shifted else codes - 8
    matrix = codes * scales[..., None] - (0 if offsets is None else offsets[..., None])
    arrays = [None if x is None else xp.asarray(x.astype(np.float32)) for x in (scales, offsets)]
    return [xp.asarray(stored.reshape(ROWS, -1)), *arrays], matrix.reshape(ROWS, COLUMNS)


def vectors(*shape: int) -> np.ndarray:
    """Small integers, whose products with the matrices are exact in float32."""
    return np.random.default_rng(1).integers(-4, 5, (*shape, COLUMNS)).astype(np.float32)


KINDS = pytest.mark.parametrize("kind", ["int8", "int4"])


@KINDS
@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (20,), (0,)], ids=str)
@pytest.mark.parametrize("group", [8, 32, 128])
def test_product_is_that_of_the_matrix(kind, shifted, shape, group, device):
    operands, matrix = parts(kind, shifted, group)
    x = vectors(*shape)
    found = quantized_linear(xp.asarray(x), *operands)
    assert found.dtype == xp.float32
    np.testing.assert_array_equal(xp.to_numpy(found), x.astype(np.float64) @ matrix.T)


@KINDS
def test_product_of_views_is_that_of_the_matrix(kind, device):
    (codes, scales, _), matrix = parts(kind, False)
    found = quantized_linear(xp.asarray(vectors(2)), codes[::2, :], scales[::2, :])
    np.testing.assert_array_equal(xp.to_numpy(found), vectors(2).astype(np.float64) @ matrix[::2].T)


@KINDS
def test_product_of_large_matrices_is_computed_by_blocks(kind, device, monkeypatch):
    monkeypatch.setattr("xtensor.nn.quantization.BLOCK", 7 * COLUMNS)
    operands, matrix = parts(kind, True)
    found = quantized_linear(xp.asarray(vectors(20)), *operands)
    np.testing.assert_array_equal(xp.to_numpy(found), vectors(20).astype(np.float64) @ matrix.T)


@KINDS
def test_product_is_differentiated(kind, device):
    operands, matrix = parts(kind, False)
    weights = np.random.default_rng(2).integers(-4, 5, ROWS).astype(np.float32)
    gradient = autograd.grad(lambda x: xp.sum(quantized_linear(x, *operands) * xp.asarray(weights)))(
        xp.asarray(vectors())
    )
    np.testing.assert_allclose(xp.to_numpy(gradient), weights @ matrix, rtol=1e-6)


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"x": [1.0] * 5}, ValueError, r"x of shape \(5,\) and codes of 2 rows and 4 columns"),
        ({"x": [1] * 4}, TypeError, "x has dtype int64, expected a real floating-point dtype"),
        ({"codes": [[1.0] * 4] * 2}, TypeError, "codes has dtype float64, expected int8"),
        ({"scales": [[1.0] * 3] * 2}, ValueError, "4 columns, expected a multiple of the 3 groups"),
        ({"scales": [[1.0]]}, ValueError, r"codes has shape \(2, 4\) and scales \(1, 1\)"),
        ({"offsets": [[1.0]]}, ValueError, r"offsets has shape \(1, 1\), expected \(2, 2\)"),
    ],
    ids=str,
)
def test_wrong_operands_are_refused(change, error, message):
    operands = {
        "x": xp.asarray([1.0] * 4),
        "codes": xp.asarray([[1] * 4] * 2, dtype=xp.int8),
        "scales": xp.asarray([[1.0, 2.0]] * 2),
        "offsets": None,
    }
    with pytest.raises(error, match=message):
        quantized_linear(*{**operands, **{name: xp.asarray(x) for name, x in change.items()}}.values())


# -- layers -----------------------------------------------------------------------------------------------------------


class Network(nn.Module):
    def __init__(self) -> None:
        self.first = nn.Linear(64, 32, rng=0)
        self.rest = [nn.Linear(32, 32, bias=False, rng=1), nn.ReLU()]
        self.again = self.first
        self.output = nn.Linear(32, 5, rng=2)

    def forward(self, x: Any) -> Any:
        x = self.first(x)
        for layer in self.rest:
            x = layer(x)
        return self.output(x)


def test_rounding_of_int8_is_at_most_half_a_step(device):
    weight = nn.Linear(64, 32, rng=0)
    layer = nn.quantize(nn.Linear(64, 32, rng=0), "int8", group=16)
    scales, codes = [xp.to_numpy(x).astype(np.float64) for x in (layer.scales, layer.codes)]
    numbers = xp.to_numpy(weight.weight).astype(np.float64).reshape(32, 4, 16)
    np.testing.assert_allclose(scales, np.abs(numbers).max(axis=-1) / 127, rtol=1e-6)
    error = codes.reshape(32, 4, 16) * scales[..., None] - numbers
    assert (np.abs(error) <= 0.5001 * scales[..., None]).all()


def test_rounding_of_int4_is_at_most_one_step(device):
    """The numbers are -8 … 7 steps, so that one at +8 steps is a whole step off, all others half a step."""
    layer = nn.quantize(nn.Linear(64, 32, rng=0), "int4", group=16)
    numbers = xp.to_numpy(nn.Linear(64, 32, rng=0).weight).astype(np.float64).reshape(32, 4, 16)
    scales = xp.to_numpy(layer.scales).astype(np.float64)
    np.testing.assert_allclose(np.abs(scales), np.abs(numbers).max(axis=-1) / 8, rtol=1e-6)
    packed = xp.to_numpy(layer.codes).reshape(32, 4, 8)
    codes = np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.float64) - 8
    steps = numbers / scales[..., None]
    expected = np.minimum(np.floor(steps + 0.5), 7)
    assert np.mean(codes == expected) > 0.999  # a tie may be rounded otherwise
    assert (np.abs(codes - steps) <= np.where(steps > 7.5, 1, 0.5) + 1e-5).all()


@KINDS
def test_matrix_of_zeros_stays_one(kind, device):
    layer = nn.Linear(32, 4, bias=False, rng=0)
    layer.weight = xp.zeros((4, 32), dtype=xp.float32)
    np.testing.assert_array_equal(xp.to_numpy(nn.quantize(layer, kind)(xp.ones((32,), dtype=xp.float32))), np.zeros(4))


@KINDS
def test_all_linear_layers_are_quantized(kind, device):
    model = nn.quantize(Network(), kind)
    kinds = {name: type(layer).__name__ for name, layer in model.named_modules()}
    quantized = "QuantizedLinear"
    assert kinds == {"": "Network", "first": quantized, "rest.0": quantized, "rest.1": "ReLU", "output": quantized}
    assert model.again is model.first
    x = xp.asarray(np.random.default_rng(0).normal(size=(4, 64)).astype(np.float32))
    expected = xp.to_numpy(Network()(x))
    assert np.abs(xp.to_numpy(model(x)) - expected).max() < {"int8": 0.01, "int4": 0.2}[kind]


@pytest.mark.parametrize("kinds", [("int8", "int8"), ("int4", "int4", "int4"), ("int8", "int4"), ("int4", "hook")])
@pytest.mark.parametrize("shape", [(), (2, 3)], ids=str)
def test_layers_of_one_input_are_computed_together(kinds, shape, device):
    layers, expected, x = [], [], vectors(*shape)
    for number, kind in enumerate(kinds):
        operands, matrix = parts(kind.replace("hook", "int4"), number == 0)
        rows = slice(100 * number, None)
        bias = np.arange(ROWS - 100 * number, dtype=np.float32)
        arrays = [None if array is None else array[rows, ...] for array in operands]
        layer = nn.QuantizedLinear(*arrays, xp.asarray(bias))
        if kind == "hook":
            layer.register_forward_hook(lambda module, args, output: output * 2)
        layers.append(layer)
        expected.append((x.astype(np.float64) @ matrix[rows].T + bias) * (2 if kind == "hook" else 1))
    for found, product in zip(linear_maps(xp.asarray(x), *layers), expected, strict=True):
        np.testing.assert_array_equal(xp.to_numpy(found), product)


@KINDS
def test_layers_of_one_input_are_differentiated(kind, device):
    layers = [nn.QuantizedLinear(*parts(kind, shifted)[0]) for shifted in (False, True)]
    weights = np.random.default_rng(2).integers(-4, 5, (2, ROWS)).astype(np.float32)

    def loss(x):
        first, second = linear_maps(x, *layers)
        return xp.sum(first * xp.asarray(weights[0])) + xp.sum(second * xp.asarray(weights[1]))

    expected = weights[0] @ parts(kind, False)[1] + weights[1] @ parts(kind, True)[1]
    np.testing.assert_allclose(xp.to_numpy(autograd.grad(loss)(xp.asarray(vectors()))), expected, rtol=1e-6)


def test_layers_that_are_skipped_stay(device):
    model = nn.quantize(Network(), skip=["output", "rest.0"])
    assert [type(layer).__name__ for layer in (model.first, model.rest[0], model.output)] == [
        "QuantizedLinear",
        "Linear",
        "Linear",
    ]


def test_quantized_matrices_take_little_memory():
    model = nn.Linear(4096, 4096, bias=False, device="meta")
    sizes = [sum([x.nbytes for x in nn.quantize(model, kind).buffers()]) for kind in ("int8", "int4")]
    assert sizes == [4096**2 * 9 // 8, 4096**2 * 5 // 8]


def test_quantized_layer_is_saved_and_loaded(tmp_path, device):
    model = nn.quantize(Network(), "int4")
    nn.save(model, tmp_path / "x.safetensors")
    other = nn.quantize(Network(), "int4")
    other.first.codes = xp.zeros_like(other.first.codes)
    assert other.load_state_dict(nn.load(tmp_path / "x.safetensors")) == ([], [])
    x = xp.ones((64,), dtype=xp.float32)
    np.testing.assert_array_equal(xp.to_numpy(other(x)), xp.to_numpy(model(x)))


def test_quantized_layer_has_its_bias_as_the_only_parameter(device):
    layer = nn.quantize(nn.Linear(32, 4, rng=0))
    assert [name for name, _ in layer.named_parameters()] == ["bias"]
    assert repr(layer) == "QuantizedLinear(in_features=32, out_features=4, bias=True, bits=8, group=32)"


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"kind": "int2"}, ValueError, "int2"),
        ({"group": 24}, ValueError, "the layer 'first' has 64 columns, expected a multiple of group 24"),
        ({"group": 1, "kind": "int4"}, ValueError, "group is 1, expected an even number"),
        ({"skip": ["x"]}, ValueError, "skip names 'x', which is no linear layer"),
        ({"model": 3}, TypeError, "quantize.. takes a module, not 3"),
    ],
    ids=str,
)
def test_wrong_arguments_change_nothing(options, error, message):
    model = Network()
    with pytest.raises(error, match=message):
        nn.quantize(**{"model": model, **options})
    assert type(model.first) is nn.Linear


@KINDS
@pytest.mark.parametrize("shape", [(), (3,), (2, 0)], ids=str)
def test_rows_of_a_quantized_table_are_those_of_the_matrix(kind, shape, device):
    operands, matrix = parts(kind, True)
    indices = np.random.default_rng(0).integers(0, ROWS, shape)
    found = nn.QuantizedEmbedding(*operands)(xp.asarray(indices))
    np.testing.assert_array_equal(xp.to_numpy(found), matrix[indices])


@pytest.mark.one_device
def test_index_out_of_bounds_of_a_quantized_table_is_refused():
    with xp.use_device("cpu"), pytest.raises(IndexError, match="out of bounds for 300 rows"):
        nn.QuantizedEmbedding(*parts("int8", False)[0])(xp.asarray([300]))
