"""Values of ``xtensor.nn``: activations, softmax, normalization, losses and linear layers.

The references are in extended precision and use other formulas than the functions under test: sums of exponentials
without a shift, one-pass variances, complex products for rotations, mpmath for the normal distribution.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from nn_support import FLOATS, asarray, dtype_on, expect, extended, normal
from strategies import quiet, values_of

import xtensor as xp
from xtensor.nn import functional as F  # noqa: N812 - conventional alias

SHAPES = ((7,), (3, 5), (2, 3, 64), (4, 1000), (0, 4), (3, 1))


def softmax_reference(x: np.ndarray, axis: int = -1) -> np.ndarray:
    terms = np.exp(extended(x))
    return terms / np.sum(terms, axis=axis, keepdims=True)


def log_softmax_reference(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return extended(x) - np.log(np.sum(np.exp(extended(x)), axis=axis, keepdims=True))


# -- activations -----------------------------------------------------------------------------------------------------


def gelu_reference(x: np.ndarray) -> np.ndarray:
    with mpmath.workdps(40):
        return np.vectorize(lambda item: float(item * mpmath.ncdf(item)), otypes=[np.longdouble])(x.astype(np.float64))


def gelu_tanh_reference(x: np.ndarray) -> np.ndarray:
    # (1 + tanh u) / 2 = 1 / (1 + exp(-2u))
    x = extended(x)
    return x / (1 + np.exp(-2 * np.sqrt(2 / np.longdouble(np.pi)) * (x + np.longdouble("0.044715") * x**3)))


def silu_reference(x: np.ndarray) -> np.ndarray:
    return extended(x) / (1 + np.exp(-extended(x)))


ACTIVATIONS = {
    "relu": (lambda x: F.relu(x), lambda x: np.where(x > 0, extended(x), 0)),
    "gelu": (lambda x: F.gelu(x), gelu_reference),
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), gelu_tanh_reference),
    "silu": (lambda x: F.silu(x), silu_reference),
    "swiglu": (lambda x: F.swiglu(x, x + 1), lambda x: silu_reference(x) * extended((x + 1).astype(x.dtype))),
}


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("function", ACTIVATIONS)
def test_activations(device, function, name):
    dtype = dtype_on(device, name)
    x = normal((5, 37), dtype)
    compute, reference = ACTIVATIONS[function]
    # 1 + tanh(u) cancels for negative u, in the documented formula too.
    expect(compute(asarray(x)), reference(x), dtype, scale=1.0 if function == "gelu_tanh" else None, ulp=64)


AT_SPECIAL_VALUES = {
    "relu": [math.inf, 0.0, math.nan, 0.0, 0.0],
    "gelu": [math.inf, 0.0, math.nan, 0.0, 0.0],
    "gelu_tanh": [math.inf, 0.0, math.nan, 0.0, 0.0],
    "silu": [math.inf, 0.0, math.nan, 0.0, 0.0],
    "swiglu": [math.inf, math.nan, math.nan, 0.0, 0.0],  # 0 times -inf is NaN
}


@pytest.mark.parametrize("function", ACTIVATIONS)
def test_activations_of_special_values_are_their_limits(device, function):
    x = xp.asarray([math.inf, -math.inf, math.nan, 0.0, -0.0], dtype=xp.float32)
    result = ACTIVATIONS[function][0](x)
    np.testing.assert_array_equal(values_of(result), AT_SPECIAL_VALUES[function])


@pytest.mark.parametrize("function", ["gelu", "silu"])
def test_small_results_of_activations_are_relatively_accurate(device, function):
    x = np.linspace(-8, -2, 57).astype(np.float64 if device.supports(np.dtype("float64")) else np.float32)
    compute, reference = ACTIVATIONS[function]
    expect(compute(asarray(x)), reference(x), x.dtype, ulp=128)


# -- softmax ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_softmax_along_each_axis(device, shape, name):
    dtype = dtype_on(device, name)
    x = normal(shape, dtype, scale=4.0)
    for axis in range(len(shape)):
        expect(F.softmax(asarray(x), axis=axis), softmax_reference(x, axis), dtype, ulp=32)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
def test_log_softmax_along_each_axis(device, shape, name):
    dtype = dtype_on(device, name)
    x = normal(shape, dtype, scale=4.0)
    for axis in range(len(shape)):
        with quiet():  # the logarithm of an empty sum
            expected = log_softmax_reference(x, axis)
        expect(F.log_softmax(asarray(x), axis=axis), expected, dtype, ulp=32, scale=0.5)


@pytest.mark.parametrize(
    "view",
    [lambda a: a[::2, ...], lambda a: a[..., ::-1], lambda a: a[1:, 2:, 3:], lambda a: a[:, :, ::3]],
    ids=["every second", "reversed", "offset", "strided rows"],
)
def test_softmax_of_a_view(device, view):
    x = normal((6, 8, 10))
    expect(F.softmax(view(asarray(x))), softmax_reference(view(x)), np.float32, ulp=32)


def test_softmax_of_a_transposed_array(device):
    x = normal((6, 8, 10))
    expect(F.softmax(asarray(x).mT), softmax_reference(np.swapaxes(x, 1, 2)), np.float32, ulp=32)


def test_softmax_of_large_values_does_not_overflow(device):
    expect(F.softmax(xp.asarray([1e30, 1e30, -1e30], dtype=xp.float32)), np.array([0.5, 0.5, 0.0]), np.float32)


def test_log_softmax_of_distant_values_does_not_underflow(device):
    expect(F.log_softmax(xp.asarray([1e4, 0.0], dtype=xp.float32)), np.array([0.0, -1e4]), np.float32)


@pytest.mark.parametrize("length", [3, 3000])
def test_log_softmax_keeps_terms_far_below_the_largest(device, length):
    x = xp.full(length, -800.0, dtype=xp.float32)
    x[0], x[1] = 0.0, -40.0
    rest = math.log1p(math.exp(-40.0))
    for function in (F.log_softmax, xp.special.log_softmax):
        assert float(function(x, axis=-1)[0]) == pytest.approx(-rest, rel=1e-5, abs=0.0)
    loss = F.cross_entropy(x[None, :], xp.asarray([0]))
    assert float(loss) == pytest.approx(rest, rel=1e-5, abs=0.0)


NONFINITE_ROWS = [[0.0, -math.inf, 0.0], [math.inf, 0.0, 0.0], [math.nan, 0.0, 0.0], [-math.inf] * 3]


def test_softmax_of_infinities_and_nan(device):
    expected = np.array([[0.5, 0.0, 0.5], [math.nan] * 3, [math.nan] * 3, [math.nan] * 3])
    expect(F.softmax(xp.asarray(NONFINITE_ROWS, dtype=xp.float32)), expected, np.float32)


def test_log_softmax_of_infinities_and_nan(device):
    half = -0.6931471805599453
    # Beside +inf the probabilities of numbers are 0, as in scipy.special.log_softmax.
    beside = [math.nan, -math.inf, -math.inf]
    expected = np.array([[half, -math.inf, half], beside, [math.nan] * 3, [math.nan] * 3])
    for function in (F.log_softmax, xp.special.log_softmax):
        expect(function(xp.asarray(NONFINITE_ROWS, dtype=xp.float32), axis=-1), expected, np.float32)


@pytest.mark.parametrize("position", [0, 17_000, 39_999])
@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_softmax_of_an_infinity_or_nan_in_a_long_row(device, value, position):
    x = normal((1, 40_000))
    x[0, position] = value
    softmax, log_softmax = (values_of(function(asarray(x)))[0] for function in (F.softmax, F.log_softmax))
    if value == -math.inf:
        assert (softmax[position], log_softmax[position]) == (0, -math.inf)
        assert np.isfinite(np.delete(log_softmax, position)).all()
        return
    assert np.isnan(softmax).all()
    assert np.isnan(log_softmax[position])
    others = np.delete(log_softmax, position)
    assert (others == -math.inf).all() if value == math.inf else np.isnan(others).all()


# -- normalization ---------------------------------------------------------------------------------------------------


def layer_norm_reference(x: np.ndarray, axis: tuple[int, ...] = (-1,), eps: float = 1e-5) -> np.ndarray:
    x = extended(x)
    mean = np.mean(x, axis=axis, keepdims=True)
    return (x - mean) / np.sqrt(np.mean(x * x, axis=axis, keepdims=True) - mean * mean + eps)


def rms_norm_reference(x: np.ndarray, eps: float = 1e-6) -> np.ndarray:
    x, length = extended(x), x.shape[-1]
    return x * np.sqrt(length / (np.einsum("...i,...i", x, x)[..., None] + length * eps))


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("parameters", [0, 1, 2])
def test_layer_norm(device, name, parameters):
    dtype = dtype_on(device, name)
    x, weight, bias = normal((3, 4, 33), dtype), normal(33, dtype, 1), normal(33, dtype, 2)
    expected = layer_norm_reference(x)
    if parameters:
        expected = expected * extended(weight)
    if parameters == 2:
        expected = expected + extended(bias)
    expect(F.layer_norm(asarray(x), *map(asarray, (weight, bias)[:parameters])), expected, dtype, scale=4.0)


def test_layer_norm_without_weight_adds_the_bias(device):
    x, bias = normal((3, 8)), normal(8, seed=1)
    expect(F.layer_norm(asarray(x), None, asarray(bias)), layer_norm_reference(x) + bias, np.float32, scale=4.0)


def test_layer_norm_over_several_axes(device):
    x, weight = normal((2, 3, 4, 5)), normal((4, 5), seed=1)
    expected = layer_norm_reference(x, (-2, -1), 1e-3) * weight
    expect(F.layer_norm(asarray(x), asarray(weight), axis=(-2, -1), eps=1e-3), expected, np.float32, scale=4.0)


def test_layer_norm_of_values_with_a_large_mean_does_not_cancel(device):
    x = (normal((2, 4096)) + 1e4).astype(np.float32)
    expect(F.layer_norm(asarray(x)), layer_norm_reference(x), np.float32, scale=1e4)


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("length", [3, 7, 1000, 40_000])
def test_layer_norm_of_a_constant_row_is_zero(device, length, name):
    dtype = dtype_on(device, name)
    for value in (0.1, 1000.1, 1e15):
        result = F.layer_norm(xp.full((1, length), value, dtype=dtype))
        assert not values_of(result).any(), value


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("weighted", [False, True])
def test_rms_norm(device, name, weighted):
    dtype = dtype_on(device, name)
    x, weight = normal((6, 130), dtype), normal(130, dtype, 1)
    expected = rms_norm_reference(x) * (extended(weight) if weighted else 1)
    expect(F.rms_norm(asarray(x), asarray(weight) if weighted else None), expected, dtype)


# -- cross entropy ---------------------------------------------------------------------------------------------------


def cross_entropy_reference(x: np.ndarray, target: np.ndarray, smoothing: float = 0.0) -> np.ndarray:
    """Cross entropy of the smoothed target distribution and the softmax, along the last axis."""
    classes = x.shape[-1]
    distribution = (1 - smoothing) * np.eye(classes)[target] + smoothing / classes
    return -np.sum(distribution * np.log(softmax_reference(x)), axis=-1)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_cross_entropy(device, name, smoothing, reduction):
    dtype = dtype_on(device, name)
    x, target = normal((20, 11), dtype), np.arange(20) % 11
    losses = cross_entropy_reference(x, target, smoothing)
    expected = {"none": losses, "sum": losses.sum(), "mean": losses.mean()}[reduction]
    result = F.cross_entropy(asarray(x), asarray(target), label_smoothing=smoothing, reduction=reduction)
    expect(result, np.asarray(expected), dtype, scale=8.0)


def test_cross_entropy_along_another_axis(device):
    x, target = normal((4, 7, 5)), np.arange(20).reshape(4, 5) % 7
    expected = cross_entropy_reference(np.moveaxis(x, 1, -1), target)
    result = F.cross_entropy(asarray(x), asarray(target), axis=1, reduction="none")
    expect(result, expected, np.float32, scale=8.0)


def test_cross_entropy_of_ignored_targets_is_zero(device):
    x, target = normal((4, 3)), np.array([0, -100, 2, -100])
    losses = F.cross_entropy(asarray(x), asarray(target), ignore_index=-100, reduction="none")
    assert list(values_of(losses) == 0) == [False, True, False, True]


def test_mean_cross_entropy_excludes_ignored_targets(device):
    x, target = normal((4, 3)), np.array([0, -100, 2, -100])
    expected = cross_entropy_reference(x[::2], target[::2]).mean()
    result = F.cross_entropy(asarray(x), asarray(target), ignore_index=-100)
    expect(result, np.asarray(expected), np.float32, scale=4.0)


@pytest.mark.parametrize("ignore_index", [-100, 2**70])
def test_ignore_index_beyond_the_dtype_of_the_target_ignores_nothing(device, ignore_index):
    x, target = normal((4, 3)), np.array([0, 1, 2, 1], dtype=np.uint8)
    result = F.cross_entropy(asarray(x), asarray(target), ignore_index=ignore_index)
    expect(result, np.asarray(cross_entropy_reference(x, target).mean()), np.float32, scale=4.0)


def test_mean_cross_entropy_of_no_target_is_nan(device):
    assert math.isnan(float(F.cross_entropy(xp.ones((2, 3)), xp.asarray([1, 1]), ignore_index=1)))


@pytest.mark.parametrize("length", [3, 40_000])
@pytest.mark.parametrize("smoothing", [0.1, 1.0])
def test_smoothed_cross_entropy_of_an_impossible_class_is_infinite(device, smoothing, length):
    x = normal((2, length))
    x[:, 1] = -math.inf
    losses = F.cross_entropy(asarray(x), xp.asarray([1, 2]), label_smoothing=smoothing, reduction="none")
    assert values_of(losses).tolist() == [math.inf, math.inf]


def test_cross_entropy_beside_an_infinite_logit_is_infinite(device):
    losses = F.cross_entropy(xp.asarray([[math.inf, 0.0]] * 2), xp.asarray([0, 1]), reduction="none")
    np.testing.assert_array_equal(values_of(losses), [math.nan, math.inf])


# -- lengths of rows ------------------------------------------------------------------------------------------------

ROW_FUNCTIONS = {
    "softmax": (lambda x, w, t: F.softmax(x), lambda x, w, t: softmax_reference(x), {"ulp": 32}),
    "log_softmax": (lambda x, w, t: F.log_softmax(x), lambda x, w, t: log_softmax_reference(x), {"scale": 8.0}),
    "layer_norm": (
        lambda x, w, t: F.layer_norm(x, w, w),
        lambda x, w, t: layer_norm_reference(x) * w + w,
        {"scale": 8.0},
    ),
    "rms_norm": (lambda x, w, t: F.rms_norm(x, w), lambda x, w, t: rms_norm_reference(x) * w, {"scale": 1.0}),
    "cross_entropy": (
        lambda x, w, t: F.cross_entropy(x, t, reduction="none"),
        lambda x, w, t: np.log(np.sum(np.exp(extended(x)), axis=-1)) - x[np.arange(3), t],
        {"scale": 8.0},
    ),
}


@pytest.mark.parametrize("length", [1, 2, 31, 1024, 5000, 40_000])
@pytest.mark.parametrize("function", ROW_FUNCTIONS)
def test_row_functions_of_each_length(device, function, length):
    x, weight, target = normal((3, length)), normal(length, seed=1), np.array([0, length - 1, length // 2])
    compute, reference, tolerance = ROW_FUNCTIONS[function]
    result = compute(asarray(x), asarray(weight), asarray(target))
    expect(result, reference(x, weight, target), np.float32, **tolerance)


# -- linear layer and rotary embedding -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("shape", [(7,), (5, 7), (2, 3, 7), (0, 7)])
def test_linear(device, name, shape):
    dtype = dtype_on(device, name)
    x, weight = normal(shape, dtype), normal((4, 7), dtype, 1)
    expected = np.einsum("...n,mn->...m", extended(x), extended(weight))
    expect(F.linear(asarray(x), asarray(weight)), expected, dtype, scale=16.0)


@pytest.mark.parametrize("precision", ["exact", "tf32"])
def test_linear_with_bias(device, precision):
    # Elements that tf32 represents exactly
    x, weight, bias = (np.round(normal(shape, seed=seed)) for seed, shape in enumerate(((5, 7), (4, 7), (4,))))
    expected = np.einsum("kn,mn->km", extended(x), extended(weight)) + extended(bias)
    result = F.linear(asarray(x), asarray(weight), asarray(bias), precision=precision)
    expect(result, expected, np.float32, scale=16.0)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("interleaved", [False, True])
def test_rotary_embedding(device, name, interleaved):
    dtype = dtype_on(device, name)
    x = normal((2, 3, 5, 8), dtype)
    angles = np.arange(5)[:, None] * 100.0 ** -(np.arange(4) / 4)
    cos, sin = np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)
    # A rotation is a product of complex numbers; ``first`` and ``second`` index the elements of each pair.
    first, second = (slice(0, None, 2), slice(1, None, 2)) if interleaved else (slice(0, 4), slice(4, None))
    rotated = (extended(x[..., first]) + 1j * extended(x[..., second])) * (extended(cos) + 1j * extended(sin))
    expected = np.empty(x.shape, np.longdouble)
    expected[..., first], expected[..., second] = rotated.real, rotated.imag
    result = F.rotary_embedding(asarray(x), asarray(cos), asarray(sin), interleaved=interleaved)
    expect(result, expected, dtype, scale=4.0)


# -- dtypes and empty arrays -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize(
    ("compute", "reference"),
    [
        (F.gelu, gelu_reference),
        (F.silu, silu_reference),
        (F.softmax, softmax_reference),
        (F.layer_norm, layer_norm_reference),
        (F.rms_norm, rms_norm_reference),
    ],
    ids=["gelu", "silu", "softmax", "layer_norm", "rms_norm"],
)
def test_half_precision_is_rounded_once(device, compute, reference, name):
    dtype = dtype_on(device, name)
    x = normal((6, 130), dtype)
    # Half a unit in the last place is at most eps / 2; the rest is the error in float32.
    expect(compute(asarray(x)), reference(x), dtype, ulp=0.502)


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_operands_promote(device, name):
    dtype = dtype_on(device, name)
    result = F.linear(asarray(normal((3, 8))), asarray(normal((2, 8), dtype)))
    assert result.dtype == dtype


EMPTY = {
    "layer_norm": lambda x: F.layer_norm(x),
    "log_softmax": lambda x: F.log_softmax(x),
    "relu": lambda x: F.relu(x),
    "rms_norm": lambda x: F.rms_norm(x),
    "rotary_embedding": lambda x: F.rotary_embedding(x, x, x, interleaved=True),
    "scaled_dot_product_attention": lambda x: F.scaled_dot_product_attention(x, x, x),
    "softmax": lambda x: F.softmax(x),
}


@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (0, 0)])
def test_results_of_empty_arrays_are_empty(device, name, shape):
    if name == "rotary_embedding":
        shape = (shape[0], 0)  # cosines have half the length of x
    result = EMPTY[name](xp.ones(shape, dtype=xp.float32))
    assert (result.shape, result.dtype) == (shape, np.float32)
