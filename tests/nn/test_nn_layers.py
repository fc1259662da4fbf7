"""Layers on every device: exact values on integers, derivatives, dropout, bad input."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn
from xtensor.nn import functional as F  # noqa: N812 - conventional alias


def integers(*shape: int, seed: int = 0) -> np.ndarray:
    """Small integers as float64, of which sums of products are exact."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float64)


def exact(actual: Any, expected: Any) -> None:
    np.testing.assert_array_equal(xp.to_numpy(actual), expected)


def convolved(x: np.ndarray, w: np.ndarray, stride: int, padding: int, dilation: int) -> np.ndarray:
    """The definition of a convolution, element by element."""
    x = np.pad(x, [(0, 0), (0, 0), *[(padding, padding)] * (x.ndim - 2)])
    kernel = w.shape[2:]
    lengths = [(n - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(x.shape[2:], kernel, strict=True)]
    result = np.zeros((x.shape[0], w.shape[0], *lengths))
    for position in product(*map(range, lengths)):
        for offset in product(*map(range, kernel)):
            source = tuple(p * stride + o * dilation for p, o in zip(position, offset, strict=True))
            result[(..., *position)] += x[(..., *source)] @ w[(..., *offset)].T
    return result


@pytest.mark.parametrize("settings", [(1, 0, 1), (2, 1, 1), (1, 2, 2), (3, 1, 2)])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_convolution_of_integers_is_exact(axes, settings, device):
    stride, padding, dilation = settings
    x, w = integers(2, 3, *(7, 6, 5)[:axes]), integers(4, 3, *(3, 2, 2)[:axes], seed=1)
    function = getattr(F, f"conv{axes}d")
    result = function(xp.asarray(x), xp.asarray(w), stride=stride, padding=padding, dilation=dilation)
    exact(result, convolved(x, w, stride, padding, dilation))


@pytest.mark.parametrize("settings", [(1, 0, 1), (2, 1, 1), (3, 1, 2)])
@pytest.mark.parametrize("axes", [1, 2])
def test_transposed_convolution_is_the_transpose_of_the_convolution(axes, settings, device):
    stride, padding, dilation = settings
    lengths = (9, 8)[:axes]
    w = integers(4, 3, *(3, 2)[:axes], seed=1)
    x = integers(2, 3, *lengths)
    y = convolved(x, w, stride, padding, dilation)
    g = integers(*y.shape, seed=2)
    spans = [
        (n - 1) * stride - 2 * padding + dilation * (k - 1) + 1 for n, k in zip(y.shape[2:], w.shape[2:], strict=True)
    ]
    extra = tuple(length - span for length, span in zip(lengths, spans, strict=True))
    settings = {"stride": stride, "padding": padding, "dilation": dilation, "output_padding": extra}
    back = getattr(F, f"conv_transpose{axes}d")(xp.asarray(g), xp.asarray(w), **settings)
    assert np.sum(xp.to_numpy(back) * x) == np.sum(g * y)


def test_groups_of_channels_are_convolved_apart(device):
    x, w = integers(2, 4, 6), integers(6, 2, 3, seed=1)
    expected = np.concatenate([convolved(x[:, :2], w[:3], 1, 0, 1), convolved(x[:, 2:], w[3:], 1, 0, 1)], axis=1)
    exact(F.conv1d(xp.asarray(x), xp.asarray(w), groups=2), expected)


def test_largest_elements_and_means_of_windows(device):
    x = np.asarray([[[1.0, 5.0, 2.0, -3.0, 7.0, math.nan, 0.0]]])
    exact(F.max_pool1d(xp.asarray(x), 2), [[[5.0, 2.0, math.nan]]])
    exact(F.max_pool1d(xp.asarray(x), 3, stride=3, ceil_mode=True), [[[5.0, math.nan, 0.0]]])
    exact(F.avg_pool1d(xp.asarray(x[..., :5]), 2), [[[3.0, -0.5]]])
    exact(F.adaptive_avg_pool1d(xp.asarray(x[..., :5]), 2), [[[8 / 3, 2.0]]])
    exact(F.adaptive_max_pool1d(xp.asarray(x[..., :5]), 2), [[[5.0, 7.0]]])


def test_indices_of_the_first_largest_elements(device):
    x = xp.asarray([[[math.nan, 1.0, math.nan, 2.0, 2.0, 0.0]]])
    values, index = F.max_pool1d(x, 3, return_indices=True)
    exact(values, [[[math.nan, 2.0]]])
    exact(index, [[[0, 3]]])
    plane = xp.asarray([[[-math.inf, -math.inf, 3.0], [-math.inf, -math.inf, 4.0]]])
    exact(F.max_pool2d(plane, 2, padding=1, ceil_mode=True, return_indices=True)[1], [[[0, 2], [3, 5]]])


def test_gradient_and_recording_of_maxima_with_indices(device):
    x = xp.asarray([[[1.0, 5.0, 2.0, -3.0]]])

    def weighted(x):
        values, index = F.max_pool1d(x, 2, return_indices=True)
        return xp.sum(values * xp.astype(index, values.dtype))

    exact(autograd.grad(weighted)(x), [[[0.0, 1.0, 2.0, 0.0]]])
    exact(xp.fuse(lambda x: F.max_pool1d(x, 2, return_indices=True))(x)[1], [[[1, 2]]])


def test_indices_of_the_first_largest_elements_of_parts(device):
    plane = xp.asarray([[[0.0, 7.0, 1.0], [7.0, 7.0, 2.0], [3.0, math.nan, math.nan]]])
    values, index = F.adaptive_max_pool2d(plane, (2, 1), return_indices=True)
    exact(values, [[[7.0], [math.nan]]])
    exact(index, [[[1], [7]]])
    exact(F.adaptive_max_pool2d(plane, (None, 2), return_indices=True)[1], [[[1, 1], [3, 4], [7, 7]]])


def test_maxima_are_written_to_their_positions(device):
    x = xp.asarray([[[1.0, 5.0, 2.0, -3.0, 4.0]]])
    values, index = F.max_pool1d(x, 2, return_indices=True)
    exact(F.max_unpool1d(values, index, 2), [[[0.0, 5.0, 2.0, 0.0]]])
    exact(F.max_unpool1d(values, index, 2, output_size=x.shape), [[[0.0, 5.0, 2.0, 0.0, 0.0]]])
    weight = xp.asarray([1.0, 2.0, 3.0, 4.0])
    gradient = autograd.grad(lambda values: xp.sum(F.max_unpool1d(values, index, 2) * weight))(values)
    exact(gradient, [[[2.0, 3.0]]])
    exact(xp.fuse(lambda values, index: F.max_unpool1d(values, index, 2))(values, index), [[[0.0, 5.0, 2.0, 0.0]]])
    plane = xp.asarray([[1.0, 2.0], [4.0, 3.0]])[None, :, :]
    found, places = nn.AdaptiveMaxPool2d(1, return_indices=True)(plane)
    exact(nn.MaxUnpool2d(2)(found, places), [[[0.0, 0.0], [4.0, 0.0]]])


def test_nearest_elements(device):
    x = xp.asarray([[[1.0, 2.0, 3.0]]])
    exact(F.interpolate(x, 6), [[[1, 1, 2, 2, 3, 3]]])
    exact(F.interpolate(x, 2), [[[1, 2]]])
    exact(F.interpolate(x, 5, mode="linear", align_corners=True), [[[1, 1.5, 2, 2.5, 3]]])


def test_rows_of_a_table(device):
    table = integers(5, 3)
    indices = np.asarray([[0, 4], [1, 1]])
    exact(F.embedding(xp.asarray(indices), xp.asarray(table)), table[indices])


def test_padding_row_is_not_learned(device):
    layer = nn.Embedding(4, 2, padding_idx=1, rng=0)
    exact(layer.weight[1, :], [0, 0])
    gradient = autograd.grad(lambda m: xp.sum(m(xp.asarray([1, 2, 2]))))(layer)
    exact(gradient.weight, [[0, 0], [0, 0], [2, 2], [0, 0]])


def test_rows_that_are_taken_are_divided_by_their_norm(device):
    layer = nn.Embedding(4, 2, max_norm=5.0, rng=0)
    table = np.asarray([[3.0, 4.0], [6.0, 8.0], [30.0, 40.0], [-0.0, np.inf]], dtype=np.float32)
    layer.weight = xp.asarray(table)
    expected = table.copy()
    expected[1] = [3, 4]
    for _ in range(2):
        np.testing.assert_allclose(xp.to_numpy(layer(xp.asarray([1, 0, 1]))), expected[[1, 0, 1]], rtol=1e-6)
        np.testing.assert_allclose(xp.to_numpy(layer.weight), expected, rtol=1e-6)
    found = xp.to_numpy(layer.weight)
    np.testing.assert_array_equal(found[[0, 2, 3]], table[[0, 2, 3]])
    assert np.signbit(found[3, 0])


def test_derivative_of_a_table_takes_no_memory_for_indices(device):
    def loss(table: Any, indices: Any) -> Any:
        return autograd.grad(lambda w: xp.sum(F.embedding(indices, w)))(table)

    table = xp.empty((32_000, 4_096), dtype=xp.float32, device="meta")
    found = xp.estimate(loss, table, xp.zeros(64, dtype=xp.int64, device="meta"))
    assert found.peak_bytes < 4 * table.nbytes  # an index of each element would take twice the bytes of the table


def test_one_hot_indicators(device):
    exact(F.one_hot(xp.asarray([0, 2]), 3), [[1, 0, 0], [0, 0, 1]])


def test_batch_normalization_has_mean_0_and_variance_1(device):
    x = np.asarray([[1.0, 10.0], [3.0, 10.0], [5.0, 40.0]])
    layer = nn.BatchNorm1d(2, eps=0.0, dtype=xp.float64)
    y = xp.to_numpy(layer(xp.asarray(x)))
    np.testing.assert_allclose(y, (x - x.mean(axis=0)) / x.std(axis=0), rtol=1e-14)
    np.testing.assert_allclose(xp.to_numpy(layer.running_mean), [0.3, 2.0], rtol=1e-14)
    np.testing.assert_allclose(xp.to_numpy(layer.running_var), [0.9 + 0.1 * 4, 0.9 + 0.1 * 300], rtol=1e-14)
    assert int(layer.num_batches_tracked) == 1


def test_statistics_in_half_precision_are_computed_in_single_precision(device):
    if not xp.default_device().supports(np.dtype("float16")):
        pytest.skip("the device does not support float16")
    x = xp.asarray(np.full((4096, 1), 40.0, dtype=np.float16))
    layer = nn.BatchNorm1d(1)
    assert layer(xp.concat([x, -x]))[0, 0] == 1  # the sum of squares is beyond float16
    np.testing.assert_allclose(xp.to_numpy(layer.running_var), [0.9 + 160 * 8192 / 8191], rtol=1e-6)


@pytest.mark.parametrize("name", ["relu6", "leaky_relu", "elu", "selu", "mish", "softplus", "sigmoid", "hardtanh"])
def test_activations_at_the_ends_of_the_range(name, device):
    expected = {
        "relu6": [0, 6], "leaky_relu": [-math.inf, math.inf], "elu": [-1, math.inf], "mish": [0, math.inf],
        "selu": [-1.0507009873554805 * 1.6732632423543772, math.inf], "softplus": [0, math.inf], "sigmoid": [0, 1],
        "hardtanh": [-1, 1],
    }  # fmt: skip
    result = getattr(F, name)(xp.asarray([-math.inf, math.inf, math.nan]))
    np.testing.assert_allclose(xp.to_numpy(result), [*expected[name], math.nan], rtol=1e-15)


def test_derivative_of_mish(device):
    x = xp.asarray([-800.0, -30.0, -2.0, -1e-3, 0.0, 0.5, 3.0, 800.0])
    slopes = xp.to_numpy(autograd.grad(lambda x: xp.sum(F.mish(x)))(x))
    assert slopes[0] == 0
    assert slopes[4] == 0.6  # tanh(ln 2)
    assert slopes[-1] == 1
    autograd.check_gradients(F.mish, x[1:7], rtol=1e-4)


# -- dropout ----------------------------------------------------------------------------------------------------------


def test_dropout_sets_a_share_to_0_and_scales_the_rest(device):
    layer = nn.Dropout(0.25, rng=0)
    y = xp.to_numpy(layer(xp.ones(4000, dtype=xp.float32)))
    assert set(np.unique(y)) == {0.0, np.float32(1 / 0.75)}
    assert abs(np.mean(y == 0) - 0.25) < 0.03


def test_dropout_of_channels_sets_whole_channels_to_0(device):
    y = xp.to_numpy(nn.Dropout2d(0.5, rng=0)(xp.ones((20, 10, 2, 3), dtype=xp.float32)))
    assert np.all(y == y[:, :, :1, :1])
    assert set(np.unique(y)) == {0.0, 2.0}


def test_dropout_in_evaluation_returns_its_input(device):
    layer, x = nn.Dropout(0.5, rng=0).eval(), xp.ones(5)
    assert layer(x) is x


def test_step_with_dropout_is_estimated(device):
    layer, x = nn.Dropout(0.5, rng=0), xp.empty((4, 3), device="meta")
    assert xp.estimate(lambda layer, x: autograd.grad(lambda x: xp.sum(layer(x)))(x), layer, x).result.shape == (4, 3)


def test_dropout_has_the_derivative_of_the_elements_it_keeps(device):
    x = xp.ones(50)
    gradient = autograd.grad(lambda x: xp.sum(nn.Dropout(0.5, rng=3)(x)))(x)
    exact(gradient, xp.to_numpy(nn.Dropout(0.5, rng=3)(x)))


def test_fused_dropout_takes_a_generator_that_the_function_makes(device):
    x = xp.ones(40, dtype=xp.float32, device=device)

    def dropped(x):
        return F.dropout(x, 0.5, rng=xp.random.default_rng(3, device=x.device))

    fused = xp.fuse(dropped)
    assert [fused(x).tolist(), fused(x).tolist()] == [dropped(x).tolist()] * 2
    assert 0 < xp.count_nonzero(fused(x)) < 40


def test_fused_dropout_draws_in_each_call(device):
    layer, x = nn.Dropout(0.5, rng=0), xp.ones(64)
    fused = xp.fuse(lambda layer, x: layer(x) + 0.0)
    results = [xp.to_numpy(fused(layer, x)).tolist() for _ in range(3)]
    assert results[0] != results[1] != results[2]
    layer = nn.Dropout(0.5, rng=0)
    assert results == [xp.to_numpy(layer(x) + 0.0).tolist() for _ in range(3)]


# -- recurrent networks, attention ------------------------------------------------------------------------------------


def test_recurrent_networks_have_the_shapes_of_pytorch(device):
    x = xp.ones((5, 2, 3), dtype=xp.float32)
    for kind in (nn.RNN, nn.GRU, nn.LSTM):
        output, states = kind(3, 4, 2, bidirectional=True, dropout=0.5, rng=0)(x)
        assert output.shape == (5, 2, 8)
        assert all(state.shape == (4, 2, 4) for state in (states if kind is nn.LSTM else (states,)))


def test_layers_of_a_transformer_have_parameters_and_generators_of_their_own(device):
    layer = nn.TransformerEncoderLayer(4, 2, 8, rng=0)
    stack = nn.TransformerEncoder(layer, 2)
    first, second = stack.layers
    assert first.linear1.weight is not second.linear1.weight
    assert first.dropout.rng is second.dropout.rng
    assert stack(xp.ones((3, 1, 4), dtype=xp.float32)).shape == (3, 1, 4)


def test_query_that_attends_to_no_key_has_result_0(device):
    layer = nn.MultiheadAttention(4, 2, bias=False, rng=0)
    x = xp.ones((3, 1, 4), dtype=xp.float32)
    mask = xp.asarray(np.asarray([[True, True, True], [False, True, True], [False, False, True]]))
    result, weights = layer(x, x, x, attn_mask=mask)
    exact(result[0, ...], np.zeros((1, 4)))
    exact(weights, [[[0, 0, 0], [1, 0, 0], [0.5, 0.5, 0]]])


def test_rotary_embedding_turns_pairs_by_their_positions(device):
    layer = nn.RotaryEmbedding(2)
    x = xp.asarray([[1.0, 0.0], [1.0, 0.0]])
    result = xp.to_numpy(layer(x, start=3))
    np.testing.assert_allclose(result, [[math.cos(3), math.sin(3)], [math.cos(4), math.sin(4)]], rtol=1e-6)
    assert layer.state_dict() == {}


def test_gated_feed_forward_network(device):
    layer = nn.FeedForwardSwiGLU(2, 3, bias=True)
    gate, up, down = np.asarray([[1, -1], [2, 0], [0, 3]]), np.asarray([[0, 1], [1, 1], [-2, 1]]), np.arange(6) - 2
    layer.load_state_dict(
        {
            "gate_proj.weight": gate,
            "gate_proj.bias": [1, 0, -1],
            "up_proj.weight": up,
            "up_proj.bias": [0, 2, 1],
            "down_proj.weight": down.reshape(2, 3),
            "down_proj.bias": [0.5, -0.5],
        }
    )
    # For x = (1, 2): the gates are 0, 2 and 5, what they multiply is 2, 5 and 1, and silu(z) = z / (1 + exp(-z)).
    second, third = 2 / (1 + math.exp(-2)) * 5, 5 / (1 + math.exp(-5))
    result = layer(xp.asarray([[1.0, 2.0]], dtype=xp.float32))
    np.testing.assert_allclose(xp.to_numpy(result), [[0.5 - second, 2 * second + 3 * third - 0.5]], rtol=1e-6)


# -- initial values ---------------------------------------------------------------------------------------------------


def test_initial_values_have_pytorchs_distributions(device):
    bound = 1 / math.sqrt(50)
    for values in (
        nn.Linear(50, 40, rng=0).weight,
        nn.Conv1d(10, 40, 5, rng=0).weight,
        nn.GRU(9, 50, rng=0).weight_ih_l0,
    ):
        host = xp.to_numpy(values).astype(np.float64)
        assert host.dtype == np.float64
        assert np.max(np.abs(host)) <= bound
        assert np.std(host) == pytest.approx(bound / math.sqrt(3), rel=0.1)
    table = xp.to_numpy(nn.Embedding(100, 20, rng=0).weight)
    assert np.std(table) == pytest.approx(1, rel=0.1)


# -- bad input --------------------------------------------------------------------------------------------------------

X = np.ones((2, 3, 4, 5))

BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "Linear of a string": (lambda x: nn.Linear("a", 2), TypeError, "in_features"),
    "Linear of a negative length": (lambda x: nn.Linear(-1, 2), ValueError, "in_features is -1"),
    "rng of NumPy": (lambda x: nn.Linear(2, 2, rng=np.random.default_rng(0)), TypeError, "xtensor.random.default_rng"),
    "groups": (lambda x: nn.Conv2d(3, 4, 2, groups=2), ValueError, "groups 2 does not divide"),
    "channels": (lambda x: nn.Conv2d(2, 4, 2, rng=0)(x), ValueError, "has 3 channels, expected 2 for a weight"),
    "axes": (lambda x: nn.Conv1d(3, 4, 2, rng=0)(x), ValueError, r"expected \(examples, channels, length\)"),
    "window": (lambda x: nn.Conv2d(3, 4, 6, rng=0)(x), ValueError, "is smaller than a window"),
    "stride": (lambda x: F.conv2d(x, x, stride=0), ValueError, "stride is 0, expected 1 or more"),
    "several strides": (lambda x: nn.Conv2d(3, 4, 2, stride=(1, 2, 3)), ValueError, "an integer or 2 integers"),
    "padding": (lambda x: nn.Conv2d(3, 4, 2, padding="some"), ValueError, "'valid'"),
    "same with a stride": (
        lambda x: F.conv2d(x, xp.ones((1, 3, 2, 2)), padding="same", stride=2),
        ValueError,
        "a stride of 1",
    ),
    "output padding": (
        lambda x: nn.ConvTranspose2d(3, 4, 2, output_padding=1, rng=0)(x),
        ValueError,
        "is not less than the stride",
    ),
    "pool of integers": (lambda x: F.max_pool2d(xp.astype(x, xp.int64), 2), TypeError, "dtype int64"),
    "padding of a pool": (lambda x: F.max_pool2d(x, 2, padding=2), ValueError, "more than half of the window"),
    "floating indices of maxima": (
        lambda x: F.max_unpool2d(x, x, 2),
        TypeError,
        "indices is an Array of integers, as return_indices=True gives it",
    ),
    "shape of indices of maxima": (
        lambda x: F.max_unpool2d(x, xp.zeros((2,), dtype=xp.int64), 2),
        ValueError,
        r"indices has shape \(2,\), expected",
    ),
    "size without maxima": (
        lambda x: F.max_unpool2d(x, xp.zeros(x.shape, dtype=xp.int64), 2, output_size=(99, 99)),
        ValueError,
        "output_size has the length 99, expected more than",
    ),
    "pool of a large window": (lambda x: F.avg_pool2d(x, 9), ValueError, "smaller than a window"),
    "parts": (lambda x: F.adaptive_avg_pool2d(x, 0), ValueError, "output_size is"),
    "mode": (lambda x: F.interpolate(x, 2, mode="cubic"), ValueError, "mode"),
    "axes of a mode": (lambda x: F.interpolate(x, 2, mode="linear"), ValueError, "expected 3 axes"),
    "no size": (lambda x: F.interpolate(x), ValueError, "one of size and scale_factor"),
    "probability": (lambda x: nn.Dropout(1.5), ValueError, r"a number in \[0, 1\]"),
    "generator": (lambda x: F.dropout(x, 0.5, rng=3), TypeError, "xtensor.random.default_rng, not 3"),
    "axes of a normalization": (lambda x: nn.BatchNorm1d(3)(x), ValueError, "expected 2 or 3 axes"),
    "channels of a normalization": (lambda x: nn.BatchNorm2d(4)(x), ValueError, "has 3 channels, expected 4"),
    "one example": (lambda x: nn.BatchNorm1d(3)(xp.ones((1, 3))), ValueError, "more than 1 value per channel"),
    "groups of channels": (lambda x: nn.GroupNorm(2, 3), ValueError, "num_groups 2 does not divide"),
    "heads": (lambda x: nn.MultiheadAttention(6, 4), ValueError, "num_heads 4 does not divide embed_dim 6"),
    "activation": (lambda x: nn.TransformerEncoderLayer(4, 2, activation="tan"), ValueError, "'relu', 'gelu'"),
    "floats as indices": (lambda x: nn.Embedding(3, 2, rng=0)(x), TypeError, "expected integers"),
    "index": (lambda x: nn.Embedding(3, 2, rng=0)(xp.asarray([3])), IndexError, "3 is out of bounds for|for 3 rows"),
    "bound of norms": (lambda x: nn.Embedding(3, 2, max_norm=-1.0), ValueError, "max_norm is -1.0"),
    "kind of norms": (lambda x: nn.Embedding(3, 2, max_norm=1, norm_type="2"), TypeError, "norm_type is a real number"),
    "padding row": (lambda x: nn.Embedding(3, 2, padding_idx=3), ValueError, "padding_idx is 3"),
    "modules as a list": (lambda x: nn.Sequential([nn.ReLU()]), TypeError, r"pass Sequential\(\*layers\)"),
    "module in a list": (lambda x: nn.Sequential(nn.ReLU(), F.relu), TypeError, "takes modules, not"),
    "shapes of a loss": (lambda x: nn.MSELoss()(x, x[0, ...]), ValueError, "expected the same shape"),
    "reduction": (lambda x: nn.MSELoss(reduction="max")(x, x), ValueError, "reduction"),
    "odd length": (lambda x: F.glu(x), ValueError, "odd length 5"),
    "slopes": (lambda x: F.prelu(x, xp.ones(2)), ValueError, r"expected \(1,\) or \(3,\)"),
    "lengths of LayerNorm": (lambda x: nn.LayerNorm(4)(x), ValueError, r"x has shape \(2, 3, 4, 5\).* lengths \(4,\)"),
    "lengths of LayerNorm without a weight": (
        lambda x: nn.LayerNorm((5, 6), elementwise_affine=False)(x),
        ValueError,
        r"LayerNorm\(\): x .* expected last axes of lengths \(5, 6\)",
    ),
    "lengths of RMSNorm": (lambda x: nn.RMSNorm((1, 2, 3, 4, 5))(x), ValueError, r"RMSNorm\(\): x has shape"),
    "channels of a transposed convolution": (
        lambda x: nn.ConvTranspose2d(4, 8, 3, groups=2, rng=0)(x),
        ValueError,
        "has 3 channels, expected 4",
    ),
    "axes of a weight": (lambda x: F.conv2d(x, xp.ones((2, 3, 3))), ValueError, "expected 4 axes"),
    "groups of outputs": (
        lambda x: F.conv2d(x, xp.ones((2, 1, 3, 3)), groups=3),
        ValueError,
        "groups=3 does not divide 3 channels and the length 2",
    ),
    "mode of training": (lambda x: nn.ReLU().train(1), ValueError, "mode is a bool"),
    "input of a recurrent network": (lambda x: nn.GRU(3, 2, rng=0)(xp.ones((5, 2, 4))), ValueError, "of length 3"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_raises_a_message_with_the_remedy(name, device):
    function, error, message = BAD[name]
    with pytest.raises(error, match=message):
        function(xp.asarray(X))
