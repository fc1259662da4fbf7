"""Functions of neural networks on every device, against references in extended precision.

The references are other formulations than those under test: sums of exponentials without a shift, one-pass variances,
complex products for rotations, attention of one query at a time, mpmath for the normal distribution.
"""

from __future__ import annotations

import inspect
import math

import mpmath
import numpy as np
import pytest
from strategies import quiet, values_of

import xtensor as xp
from xtensor import nn
from xtensor._core.operations import TABLE
from xtensor.nn import functional as F  # noqa: N812 - its usual name

FLOATS = ("float16", "bfloat16", "float32", "float64")
SHAPES = ((7,), (3, 5), (2, 3, 64), (4, 1000), (0, 4), (3, 1))


def dtype_on(device: xp.Device, name: str) -> np.dtype:
    """The dtype of a name; skips the test where the device does not support it."""
    if name == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes, which defines bfloat16, is not installed")
        dtype = xp.bfloat16
    else:
        dtype = np.dtype(name)
    if not device.supports(dtype):
        pytest.skip(f"{device} does not support {name}")
    return dtype


def normal(shape, dtype=np.float32, seed: int = 0, scale: float = 2.0) -> np.ndarray:
    """Normally distributed values with a standard deviation of ``scale``."""
    return (np.random.default_rng(seed).normal(size=shape) * scale).astype(dtype)


def extended(x: np.ndarray) -> np.ndarray:
    """The same values in NumPy's widest floating-point dtype."""
    return x.astype(np.float64).astype(np.longdouble)


def asarray(x: np.ndarray) -> xp.Array:
    """A copy of the values on the default device."""
    return xp.asarray(x, copy=True)


def expect(result: xp.Array, expected: np.ndarray, dtype, *, ulp: float = 8, scale: float | None = None) -> None:
    """Fail unless an Array has the expected dtype, shape and values.

    ``ulp`` is the admissible error in units in the last place, of ``scale`` where that exceeds the expected value.
    """
    assert type(result) is xp.Array
    assert result.device is xp.default_device()
    assert result.dtype == dtype
    assert result.shape == np.shape(expected)
    limits = xp.finfo(dtype)
    values = extended(values_of(result))
    with quiet():
        margin = limits.eps * ulp * np.maximum(np.abs(expected), scale or 0.0) + limits.smallest_normal
        same = (values == expected) | (np.isnan(values) & np.isnan(expected)) | (np.abs(values - expected) <= margin)
    assert np.all(same), (values[~same], np.asarray(expected)[~same])


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
def test_activations_at_special_values_are_the_limits(device, function):
    x = xp.asarray([math.inf, -math.inf, math.nan, 0.0, -0.0], dtype=xp.float32)
    result = ACTIVATIONS[function][0](x)
    np.testing.assert_array_equal(values_of(result), AT_SPECIAL_VALUES[function])


@pytest.mark.parametrize("function", ["gelu", "silu"])
def test_small_results_of_activations_keep_their_relative_precision(device, function):
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


NONFINITE_ROWS = [[0.0, -math.inf, 0.0], [math.inf, 0.0, 0.0], [math.nan, 0.0, 0.0], [-math.inf] * 3]


def test_softmax_of_infinities_and_nan(device):
    expected = np.array([[0.5, 0.0, 0.5], [math.nan] * 3, [math.nan] * 3, [math.nan] * 3])
    expect(F.softmax(xp.asarray(NONFINITE_ROWS, dtype=xp.float32)), expected, np.float32)


def test_log_softmax_of_infinities_and_nan(device):
    half = -0.6931471805599453
    expected = np.array([[half, -math.inf, half], [math.nan] * 3, [math.nan] * 3, [math.nan] * 3])
    expect(F.log_softmax(xp.asarray(NONFINITE_ROWS, dtype=xp.float32)), expected, np.float32)


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


def test_cross_entropy_of_a_target_that_is_not_a_class_is_nan(device):
    losses = values_of(F.cross_entropy(asarray(normal((3, 4))), xp.asarray([0, 4, -1]), reduction="none"))
    assert list(np.isnan(losses)) == [False, True, True]


def test_mean_cross_entropy_of_no_target_is_nan(device):
    assert math.isnan(float(F.cross_entropy(xp.ones((2, 3)), xp.asarray([1, 1]), ignore_index=1)))


# -- rows of every length --------------------------------------------------------------------------------------------

OVER_ROWS = {
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
@pytest.mark.parametrize("function", OVER_ROWS)
def test_rows_of_any_length(device, function, length):
    x, weight, target = normal((3, length)), normal(length, seed=1), np.array([0, length - 1, length // 2])
    compute, reference, tolerance = OVER_ROWS[function]
    result = compute(asarray(x), asarray(weight), asarray(target))
    expect(result, reference(x, weight, target), np.float32, **tolerance)


# -- matrices and positions ------------------------------------------------------------------------------------------


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


# -- attention -------------------------------------------------------------------------------------------------------


def attention_reference(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> np.ndarray:
    """Compute, for one query at a time, the weighted mean of the values of the keys that it attends to."""
    query, key, value = map(extended, (query, key, value))
    scale = 1 / np.sqrt(np.longdouble(query.shape[-1])) if scale is None else scale
    result = np.zeros((*query.shape[:-1], value.shape[-1]), np.longdouble)
    for index in np.ndindex(*query.shape[:-1]):
        *head, position = index
        if head:
            head[-1] = head[-1] * key.shape[-3] // query.shape[-3]
        keys, values = key[tuple(head)], value[tuple(head)]
        scores = np.sum(keys * query[index], axis=-1) * scale
        attended = np.arange(len(keys)) <= position if causal else np.ones(len(keys), bool)
        if mask is not None and mask.dtype == bool:
            attended &= mask[index]
        elif mask is not None:
            scores = scores + mask[index]
        if attended.any():
            weights = np.exp(scores[attended])
            result[index] = np.average(values[attended], axis=0, weights=weights)
    return result


def attention_operands(n: int, m: int, dtype=np.float32, heads: int = 3, key_heads: int = 3) -> tuple[np.ndarray, ...]:
    query, key = normal((2, heads, n, 16), dtype, 0, 1.0), normal((2, key_heads, m, 16), dtype, 1, 1.0)
    return query, key, normal((2, key_heads, m, 8), dtype, 2)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("lengths", [(1, 1), (5, 7), (40, 40), (33, 70), (3, 0)])
def test_attention(device, name, causal, lengths):
    dtype = dtype_on(device, name)
    operands = attention_operands(*lengths, dtype)
    result = F.scaled_dot_product_attention(*map(asarray, operands), causal=causal)
    expect(result, attention_reference(*operands, causal=causal), dtype, scale=6.0)


@pytest.mark.parametrize("mask_heads", [None, 1, "heads"])
@pytest.mark.parametrize("heads", [(4, 2), (6, 1), (3, 3)])
def test_attention_with_grouped_queries(device, heads, mask_heads):
    operands = attention_operands(9, 12, heads=heads[0], key_heads=heads[1])
    shape = (9, 12) if mask_heads is None else (heads[0] if mask_heads == "heads" else 1, 9, 12)
    mask = np.random.default_rng(3).random(shape) > 0.3
    expected = attention_reference(*operands, np.broadcast_to(mask, (2, heads[0], 9, 12)))
    result = F.scaled_dot_product_attention(*map(asarray, operands), mask=asarray(mask))
    expect(result, expected, np.float32, scale=6.0)


def test_attention_of_matrices_without_heads(device):
    operands = [x[0, 0] for x in attention_operands(5, 7)]
    expect(
        F.scaled_dot_product_attention(*map(asarray, operands)),
        attention_reference(*operands),
        np.float32,
        scale=6.0,
    )


@pytest.mark.parametrize("shape", [(9, 12), (1, 12), (9, 1), (3, 9, 12), (2, 1, 9, 12), (2, 3, 9, 12), (12,), ()])
@pytest.mark.parametrize("kind", ["boolean", "additive"])
def test_masks_broadcast(device, shape, kind):
    operands = attention_operands(9, 12)
    numbers = normal(shape, seed=4)
    mask = np.asarray(numbers > -1.0 if kind == "boolean" else numbers)
    expected = attention_reference(*operands, np.broadcast_to(mask, (2, 3, 9, 12)), scale=0.25)
    result = F.scaled_dot_product_attention(*map(asarray, operands), mask=asarray(mask), scale=0.25)
    expect(result, expected, np.float32, scale=6.0)


@pytest.mark.parametrize("kind", ["boolean", "additive"])
def test_a_query_that_attends_to_no_key_gives_zero(device, kind):
    operands = [x[0, 0] for x in attention_operands(4, 5)]
    attends = np.array([[True] * 5, [False] * 5, [True] * 5, [False] * 5])
    mask = attends if kind == "boolean" else np.where(attends, 0.0, -np.inf).astype(np.float32)
    result = F.scaled_dot_product_attention(*map(asarray, operands), mask=asarray(mask))
    expect(result, attention_reference(*operands) * attends[:, :1], np.float32, scale=6.0)


def test_attention_without_query_heads_is_empty(device):
    query, key = xp.ones((0, 4, 8)), xp.ones((2, 5, 8))
    assert F.scaled_dot_product_attention(query, key, xp.ones((2, 5, 3))).shape == (0, 4, 3)


def test_attention_of_strided_operands(device):
    x = normal((2, 20, 3, 4, 16), scale=1)  # batch, position, query or key or value, head, features
    packed = asarray(x)
    operands = (xp.moveaxis(packed[:, :, part, ...], 1, 2) for part in range(3))
    expected = attention_reference(*(np.swapaxes(x[:, :, part], 1, 2) for part in range(3)))
    expect(F.scaled_dot_product_attention(*operands), expected, np.float32, scale=6.0)


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


# -- the device's own implementation ---------------------------------------------------------------------------------

X, COS, TARGET, MASK = (
    np.ones((2, 4), np.float32),
    np.ones((2, 2), np.float32),
    np.zeros(2, np.int64),
    np.ones((2, 2), bool),
)

CONVENTIONS = {
    "cross_entropy": (
        lambda x, cos, target, mask: F.cross_entropy(x, target, label_smoothing=0.5, ignore_index=3, reduction="sum"),
        (X, TARGET),
        {"label_smoothing": 0.5, "ignore_index": 3, "reduction": "sum"},
    ),
    "gelu": (lambda x, cos, target, mask: F.gelu(x, approximate="tanh"), (X,), {"approximate": "tanh"}),
    "layer_norm": (
        lambda x, cos, target, mask: F.layer_norm(x, x[0, ...], eps=0.5),
        (X, X[0], None),
        {"axes": (1,), "eps": 0.5},
    ),
    "linear": (lambda x, cos, target, mask: F.linear(x, x, precision="tf32"), (X, X, None), {"precision": "tf32"}),
    "log_softmax": (lambda x, cos, target, mask: F.log_softmax(x), (X,), {"axis": 1}),
    "relu": (lambda x, cos, target, mask: F.relu(x), (X,), {}),
    "rms_norm": (lambda x, cos, target, mask: F.rms_norm(x, axis=(0, 1)), (X, None), {"axes": (0, 1), "eps": 1e-6}),
    "rotary_embedding": (
        lambda x, cos, target, mask: F.rotary_embedding(x, cos, cos, interleaved=True),
        (X, COS, COS),
        {"interleaved": True},
    ),
    "scaled_dot_product_attention": (
        lambda x, cos, target, mask: F.scaled_dot_product_attention(x, x, x, mask=mask, causal=True),
        (X, X, X, MASK),
        {"causal": True, "scale": 0.5, "precision": "exact"},
    ),
    "silu": (lambda x, cos, target, mask: F.silu(x), (X,), {}),
    "softmax": (lambda x, cos, target, mask: F.softmax(x, axis=-2), (X,), {"axis": 0}),
    "swiglu": (lambda x, cos, target, mask: F.swiglu(x, x), (X, X), {}),
}
"""For each function: a call, and the operands and options that its kernel takes."""


@pytest.fixture
def kernel(device):
    """Return a function that replaces an operation's implementation on the device while the test runs."""
    replaced = []

    def replace(name, function):
        index = TABLE[name].index
        replaced.append((index, device.table[index]))
        device.table[index] = function

    yield replace
    for index, function in reversed(replaced):
        device.table[index] = function


def record(calls, result):
    """Return a kernel that records its calls and returns ``result``, which may be NotImplemented."""

    def implementation(*operands, **options):
        calls.append((operands, options))
        return result

    return implementation


@pytest.mark.parametrize("name", F.__all__)
def test_kernels_take_promoted_operands_and_the_options(device, kernel, name):
    compute, operands, options = CONVENTIONS[name]
    calls = []
    kernel(f"nn.{name}", record(calls, NotImplemented))
    compute(*map(asarray, (X, COS, TARGET, MASK)))
    arguments, keywords = calls[0]
    assert keywords == options
    assert len(arguments) == len(operands)
    for argument, operand in zip(arguments, operands, strict=True):
        assert (argument is None) == (operand is None)
        assert operand is None or (argument.dtype, argument.shape) == (operand.dtype, operand.shape)


@pytest.mark.parametrize("name", F.__all__)
def test_result_of_a_kernel_is_the_result(device, kernel, name):
    compute, _, _ = CONVENTIONS[name]
    native = asarray(np.full((2, 4), 7.0, np.float32))._native
    kernel(f"nn.{name}", record([], native))
    np.testing.assert_array_equal(values_of(compute(*map(asarray, (X, COS, TARGET, MASK)))), np.full((2, 4), 7.0))


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_special_functions_and_functions_of_neural_networks_have_one_kernel(device, kernel, name):
    calls = []
    kernel(f"nn.{name}", record(calls, asarray(X)._native))
    getattr(F, name)(asarray(X), axis=1)
    getattr(xp.special, name)(asarray(X), axis=1)
    assert [keywords for _, keywords in calls] == [{"axis": 1}] * 2


def test_kernels_take_operands_of_one_dtype(device, kernel):
    dtype, calls = dtype_on(device, "float64"), []
    kernel("nn.linear", record(calls, NotImplemented))
    F.linear(asarray(X), asarray(X.astype(dtype)))
    assert [operand.dtype for operand in calls[0][0][:2]] == [dtype, dtype]


def test_kernels_take_half_precision(device, kernel):
    dtype, calls = dtype_on(device, "float16"), []
    kernel("nn.softmax", record(calls, NotImplemented))
    F.softmax(asarray(X.astype(dtype)))
    assert calls[0][0][0].dtype == dtype


# -- the module and bad arguments ------------------------------------------------------------------------------------


def test_public_names_are_sorted():
    assert sorted(F.__all__) == F.__all__ == dir(F)
    assert nn.__all__ == dir(nn) == ["functional"]


@pytest.mark.parametrize("name", F.__all__)
def test_every_function_is_documented_and_typed(name):
    function = getattr(F, name)
    assert function.__doc__
    assert all(p.annotation is not p.empty for p in inspect.signature(function).parameters.values())


@pytest.mark.parametrize("name", F.__all__)
def test_every_function_has_a_row_in_the_table_of_operations(name):
    row = TABLE[f"nn.{name}"]
    assert (row.declared, row.kind, row.accepts, row.primitive) == (True, "network", "real floating", False)


CALLS = {
    "cross_entropy": lambda x: F.cross_entropy(x, xp.zeros(x.shape[:-1], dtype=xp.int64)),
    "gelu": lambda x: F.gelu(x),
    "layer_norm": lambda x: F.layer_norm(x),
    "linear": lambda x: F.linear(x, x),
    "log_softmax": lambda x: F.log_softmax(x),
    "relu": lambda x: F.relu(x),
    "rms_norm": lambda x: F.rms_norm(x),
    "rotary_embedding": lambda x: F.rotary_embedding(x, x, x),
    "scaled_dot_product_attention": lambda x: F.scaled_dot_product_attention(x, x, x),
    "silu": lambda x: F.silu(x),
    "softmax": lambda x: F.softmax(x),
    "swiglu": lambda x: F.swiglu(x, x),
}


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex64"])
@pytest.mark.parametrize("name", F.__all__)
def test_other_dtypes_are_refused(device, name, dtype):
    x = xp.astype(xp.ones((2, 2)), np.dtype(dtype))
    with pytest.raises(TypeError, match=rf"{name}.*{dtype}.*floating"):
        CALLS[name](x)


@pytest.mark.parametrize("name", F.__all__)
def test_operands_that_are_not_arrays_are_refused(name):
    required = [p for p in inspect.signature(getattr(F, name)).parameters.values() if p.default is p.empty]
    with pytest.raises(TypeError, match=name):
        getattr(F, name)(*[[1.0, 2.0]] * len(required))


BAD_ARGUMENTS = {
    "axis out of bounds": (lambda x: F.softmax(x, axis=2), IndexError, "axis 2"),
    "axis of a 0-d array": (lambda x: F.log_softmax(x[0, 0]), IndexError, "0-d"),
    "axis that is not last": (lambda x: F.layer_norm(x, axis=0), ValueError, "last"),
    "no axes": (lambda x: F.rms_norm(x, axis=()), ValueError, "last"),
    "shape of a weight": (lambda x: F.rms_norm(x, xp.ones(3)), ValueError, r"\(3,\).*\(4,\)"),
    "negative eps": (lambda x: F.layer_norm(x, eps=-1.0), ValueError, "eps.*nonnegative.*-1.0"),
    "eps that is not a number": (lambda x: F.rms_norm(x, eps="small"), TypeError, "eps.*'small'"),
    "shapes of swiglu": (lambda x: F.swiglu(x, x[0, ...]), ValueError, "same shape"),
    "shapes of linear": (lambda x: F.linear(x, x.T), ValueError, "weight"),
    "shape of a bias": (lambda x: F.linear(x, x, xp.ones(3)), ValueError, r"bias.*\(3,\).*\(2,\)"),
    "precision": (lambda x: F.linear(x, x, precision="half"), ValueError, "'exact' or 'tf32'"),
    "approximation": (lambda x: F.gelu(x, approximate="erf"), ValueError, "'none' or 'tanh'"),
    "odd length": (lambda x: F.rotary_embedding(x[:, :3], x, x), ValueError, "even"),
    "shape of cosines": (lambda x: F.rotary_embedding(x, x, x), ValueError, r"cos.*\(2, 4\).*broadcast.*\(2, 2\)"),
    "flag": (lambda x: F.rotary_embedding(x, x[:, :2], x[:, :2], interleaved=1), TypeError, "interleaved"),
    "shape of targets": (
        lambda x: F.cross_entropy(x, xp.zeros(3, dtype=xp.int64)),
        ValueError,
        r"target.*\(3,\).*\(2,\)",
    ),
    "targets that are not integers": (lambda x: F.cross_entropy(x, x[:, 0]), TypeError, "integers"),
    "no classes": (lambda x: F.cross_entropy(x[:, :0], xp.zeros(2, dtype=xp.int64)), ValueError, "no classes"),
    "reduction": (lambda x: F.cross_entropy(x, xp.zeros(2, dtype=xp.int64), reduction="max"), ValueError, "'mean'"),
    "label smoothing": (
        lambda x: F.cross_entropy(x, xp.zeros(2, dtype=xp.int64), label_smoothing=2),
        ValueError,
        "label_smoothing.*from 0 to 1.*2",
    ),
    "query that is a vector": (lambda x: F.scaled_dot_product_attention(x[0, ...], x, x), ValueError, "query"),
    "shapes of key and value": (
        lambda x: F.scaled_dot_product_attention(x, x, x[:1, ...]),
        ValueError,
        r"key \(2, 4\), value \(1, 4\) do not match",
    ),
    "number of heads": (
        lambda x: F.scaled_dot_product_attention(xp.ones((3, 1, 4)), xp.ones((2, 1, 4)), xp.ones((2, 1, 4))),
        ValueError,
        "2 heads.*divide 3",
    ),
    "shape of a mask": (
        lambda x: F.scaled_dot_product_attention(x, x, x, mask=xp.ones((5, 2))),
        ValueError,
        r"mask.*\(5, 2\).*\(2, 2\)",
    ),
    "mask of integers": (
        lambda x: F.scaled_dot_product_attention(x, x, x, mask=xp.ones((2, 2), dtype=xp.int64)),
        TypeError,
        "mask",
    ),
    "scale": (lambda x: F.scaled_dot_product_attention(x, x, x, scale="big"), TypeError, "scale"),
}


@pytest.mark.parametrize("case", BAD_ARGUMENTS)
def test_bad_arguments_raise(device, case):
    call, error, message = BAD_ARGUMENTS[case]
    with pytest.raises(error, match=message):
        call(xp.ones((2, 4)))


def test_operands_on_two_devices_are_refused(device):
    if device.host:
        pytest.skip("a device whose memory is not the host's is needed")
    with pytest.raises(xp.DeviceMismatchError):
        F.swiglu(xp.ones((2, 2)), xp.ones((2, 2), device="cpu"))
