"""xtensor.nn.functional on every device, against its formulas in float64."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from strategies import quiet, values_of

import xtensor as xp
from xtensor import nn
from xtensor.nn import functional as F  # noqa: N812 - its usual name

FLOATS = ("float16", "bfloat16", "float32", "float64")
SHAPES = ((7,), (3, 5), (2, 3, 64), (4, 1000), (0, 4), (3, 1))


def dtype_on(device: xp.Device, name: str) -> np.dtype:
    if name == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes, which holds bfloat16, is not installed")
        dtype = xp.bfloat16
    else:
        dtype = np.dtype(name)
    if dtype not in device.dtypes:
        pytest.skip(f"{device} has no {name}")
    return dtype


def normal(shape, dtype=np.float32, seed: int = 0, scale: float = 2.0) -> np.ndarray:
    return (np.random.default_rng(seed).normal(size=shape) * scale).astype(dtype)


def exact(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64)


def given(x: np.ndarray) -> xp.Array:
    return xp.asarray(x, copy=True)


def expect(result: xp.Array, expected: np.ndarray, dtype, *, ulp: float = 8, scale: float | None = None) -> None:
    """Values within some units of the last place, of the largest magnitude in the formula (``scale``) at least."""
    assert type(result) is xp.Array
    assert result.device is xp.default_device()
    assert result.dtype == dtype
    assert result.shape == np.shape(expected)
    eps = xp.finfo(dtype).eps
    got = values_of(result).astype(np.float64)
    with quiet():
        margin = eps * ulp * np.maximum(np.abs(expected), scale or 0.0) + xp.finfo(dtype).smallest_normal
        same = (got == expected) | (np.isnan(got) & np.isnan(expected)) | (np.abs(got - expected) <= margin)
    assert np.all(same), (got[~same], expected[~same])


def np_softmax(x, axis=-1):
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return weights / np.sum(weights, axis=axis, keepdims=True)


def np_log_softmax(x, axis=-1):
    centred = x - np.max(x, axis=axis, keepdims=True)
    return centred - np.log(np.sum(np.exp(centred), axis=axis, keepdims=True))


def np_attention(q, k, v, mask=None, causal=False, scale=None):
    group = q.shape[-3] // k.shape[-3] if q.ndim > 2 else 1
    k, v = (np.repeat(x, group, axis=-3) if q.ndim > 2 else x for x in (k, v))
    scores = q @ np.swapaxes(k, -1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if causal:
        scores = np.where(np.arange(q.shape[-2])[:, None] >= np.arange(k.shape[-2]), scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    top = np.max(scores, axis=-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = np.sum(weights, axis=-1, keepdims=True)
    return weights @ v / np.where(total == 0, 1, total)


# -- activations -----------------------------------------------------------------------------------------------------

erfc = np.vectorize(math.erfc, otypes=[float])

ACTIVATIONS = {
    "relu": (lambda x: F.relu(x), lambda x: np.maximum(x, 0)),
    "gelu": (lambda x: F.gelu(x), lambda x: 0.5 * x * erfc(-x / math.sqrt(2))),
    "gelu_tanh": (
        lambda x: F.gelu(x, approximate="tanh"),
        lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    ),
    "silu": (lambda x: F.silu(x), lambda x: x / (1 + np.exp(-x))),
    "swiglu": (lambda x: F.swiglu(x, x), lambda x: x * x / (1 + np.exp(-x))),
}


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("function", ACTIVATIONS)
def test_activations_follow_their_formulas(device, function, name):
    dtype = dtype_on(device, name)
    x = normal((5, 37), dtype)
    compute, reference = ACTIVATIONS[function]
    with quiet():
        expected = reference(exact(x))
    # 1 + tanh cancels for negative numbers, as the formula does.
    expect(compute(given(x)), expected, dtype, scale=1.0 if function == "gelu_tanh" else None, ulp=64)


@pytest.mark.parametrize("function", ACTIVATIONS)
def test_activations_of_special_values_are_their_limits(device, function):
    x = xp.asarray([math.inf, -math.inf, math.nan, 0.0, -0.0], dtype=xp.float32)
    got = values_of(ACTIVATIONS[function][0](x))
    tail = [0.0] if function != "swiglu" else [math.nan, 0.0]  # swiglu multiplies by -inf once more
    assert got[0] == math.inf
    assert got[1] == 0.0 or np.isnan(tail[0])
    assert np.isnan(got[2])
    assert list(got[3:]) == [0.0, 0.0]


@pytest.mark.parametrize("function", ["gelu", "silu"])
def test_activations_keep_their_digits_far_from_zero(device, function):
    x = np.linspace(-8, -2, 57).astype(np.float32 if np.dtype("float64") not in device.dtypes else np.float64)
    compute, reference = ACTIVATIONS[function]
    expect(compute(given(x)), reference(exact(x)), x.dtype, ulp=128)


# -- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("function", "reference"), [("softmax", np_softmax), ("log_softmax", np_log_softmax)])
def test_softmax_along_each_axis(device, function, reference, shape, name):
    dtype = dtype_on(device, name)
    x = normal(shape, dtype, scale=4.0)
    for axis in range(len(shape)):
        if shape[axis]:
            expected = reference(exact(x), axis)
            expect(
                getattr(F, function)(given(x), axis=axis),
                expected,
                dtype,
                ulp=32,
                scale=0.5 if "log" in function else None,
            )


def test_softmax_of_views(device):
    x = normal((6, 8, 10))
    for view in (lambda a: a[::2, ...], lambda a: a[..., ::-1], lambda a: a[1:, 2:, 3:], lambda a: a[:, :, ::3]):
        expect(F.softmax(view(given(x))), np_softmax(exact(view(x))), np.float32, ulp=32)
    expect(F.softmax(given(x).mT), np_softmax(exact(np.swapaxes(x, 1, 2))), np.float32, ulp=32)


@pytest.mark.parametrize("columns", [1, 2, 31, 1024, 5000, 40_000])
def test_rows_of_any_length(device, columns):
    x = normal((3, columns))
    w, b = normal(columns, seed=1), normal(columns, seed=2)
    wide = exact(x)
    expect(F.softmax(given(x)), np_softmax(wide), np.float32, ulp=32)
    expect(F.log_softmax(given(x)), np_log_softmax(wide), np.float32, scale=8.0)
    normed = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5)
    expect(F.layer_norm(given(x), given(w), given(b)), normed * w + b, np.float32, scale=8.0)
    root = np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-6)
    expect(F.rms_norm(given(x), given(w)), wide / root * w, np.float32, scale=1.0)
    target = np.array([0, columns - 1, columns // 2])
    loss = -np_log_softmax(wide)[np.arange(3), target]
    expect(F.cross_entropy(given(x), given(target), reduction="none"), loss, np.float32, scale=8.0)


def test_softmax_does_not_overflow(device):
    expect(F.softmax(xp.asarray([1e30, 1e30, -1e30], dtype=xp.float32)), np.array([0.5, 0.5, 0.0]), np.float32)
    expect(F.log_softmax(xp.asarray([1e4, 0.0], dtype=xp.float32)), np.array([0.0, -1e4]), np.float32)


def test_softmax_of_infinities_and_nan(device):
    inf, nan = math.inf, math.nan
    x = xp.asarray([[0.0, -inf, 0.0], [inf, 0.0, 0.0], [nan, 0.0, 0.0], [-inf, -inf, -inf]], dtype=xp.float32)
    expected = np.array([[0.5, 0.0, 0.5], [nan] * 3, [nan] * 3, [nan] * 3])
    expect(F.softmax(x), expected, np.float32)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("parameters", [0, 1, 2])
def test_layer_norm(device, name, parameters):
    dtype = dtype_on(device, name)
    x, w, b = normal((3, 4, 33), dtype), normal(33, dtype, 1), normal(33, dtype, 2)
    wide = exact(x)
    expected = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5)
    if parameters:
        expected = expected * exact(w)
    if parameters == 2:
        expected = expected + exact(b)
    expect(F.layer_norm(given(x), *map(given, (w, b)[:parameters])), expected, dtype, scale=4.0)


def test_layer_norm_over_several_axes(device):
    x, w = normal((2, 3, 4, 5)), normal((4, 5), seed=1)
    wide = exact(x)
    expected = (wide - wide.mean((-2, -1), keepdims=True)) / np.sqrt(wide.var((-2, -1), keepdims=True) + 1e-3)
    expect(F.layer_norm(given(x), given(w), axis=(-2, -1), eps=1e-3), expected * w, np.float32, scale=4.0)


def test_layer_norm_of_a_large_mean_keeps_its_digits(device):
    x = (normal((2, 4096)) + 1e4).astype(np.float32)
    wide = exact(x)
    expected = (wide - wide.mean(-1, keepdims=True)) / np.sqrt(wide.var(-1, keepdims=True) + 1e-5)
    expect(F.layer_norm(given(x)), expected, np.float32, scale=1e4)


@pytest.mark.parametrize("name", FLOATS)
def test_rms_norm(device, name):
    dtype = dtype_on(device, name)
    x, w = normal((6, 130), dtype), normal(130, dtype, 1)
    root = np.sqrt((exact(x) ** 2).mean(-1, keepdims=True) + 1e-6)
    expect(F.rms_norm(given(x)), exact(x) / root, dtype)
    expect(F.rms_norm(given(x), given(w)), exact(x) / root * exact(w), dtype)


# -- cross entropy ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_cross_entropy(device, name, smoothing, reduction):
    dtype = dtype_on(device, name)
    x, target = normal((20, 11), dtype), np.arange(20) % 11
    logs = np_log_softmax(exact(x))
    loss = -(1 - smoothing) * logs[np.arange(20), target] - smoothing * logs.mean(-1)
    expected = {"none": loss, "sum": loss.sum(), "mean": loss.mean()}[reduction]
    result = F.cross_entropy(given(x), given(target), label_smoothing=smoothing, reduction=reduction)
    expect(result, np.asarray(expected), dtype, scale=8.0)


def test_cross_entropy_along_another_axis(device):
    x, target = normal((4, 7, 5)), np.arange(20).reshape(4, 5) % 7
    loss = -np.take_along_axis(np_log_softmax(exact(x), 1), target[:, None], axis=1)[:, 0]
    expect(F.cross_entropy(given(x), given(target), axis=1, reduction="none"), loss, np.float32, scale=8.0)


def test_cross_entropy_leaves_out_what_is_ignored(device):
    x, target = normal((4, 3)), np.array([0, -100, 2, -100])
    loss = -np_log_softmax(exact(x))[[0, 2], [0, 2]]
    expect(F.cross_entropy(given(x), given(target), ignore_index=-100), np.asarray(loss.mean()), np.float32, scale=4.0)
    each = F.cross_entropy(given(x), given(target), ignore_index=-100, reduction="none")
    assert list(values_of(each)[[1, 3]]) == [0.0, 0.0]


def test_cross_entropy_of_no_class_is_nan(device):
    x = given(normal((3, 4)))
    loss = values_of(F.cross_entropy(x, xp.asarray([0, 4, -1]), reduction="none"))
    assert list(np.isnan(loss)) == [False, True, True]


# -- matrices and positions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("shape", [(7,), (5, 7), (2, 3, 7), (0, 7)])
def test_linear(device, name, shape):
    dtype = dtype_on(device, name)
    x, w, b = normal(shape, dtype), normal((4, 7), dtype, 1), normal(4, dtype, 2)
    expect(F.linear(given(x), given(w)), exact(x) @ exact(w).T, dtype, scale=16.0)
    expect(
        F.linear(given(x), given(w), given(b), precision="tf32"), exact(x) @ exact(w).T + exact(b), dtype, scale=16.0
    )


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("interleaved", [False, True])
def test_rotary_embedding(device, name, interleaved):
    dtype = dtype_on(device, name)
    x = normal((2, 3, 5, 8), dtype)
    angles = np.arange(5)[:, None] * 100.0 ** -(np.arange(4) / 4)
    cos, sin = np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)
    first, second = (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :4], x[..., 4:])
    first, second, c, s = map(exact, (first, second, cos, sin))
    turned = (first * c - second * s, second * c + first * s)
    expected = np.stack(turned, -1).reshape(x.shape) if interleaved else np.concatenate(turned, -1)
    result = F.rotary_embedding(given(x), given(cos), given(sin), interleaved=interleaved)
    expect(result, expected, dtype, scale=4.0)


# -- attention -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("lengths", [(1, 1), (5, 7), (40, 40), (33, 70), (3, 0)])
def test_attention(device, name, causal, lengths):
    dtype = dtype_on(device, name)
    n, m = lengths
    q, k, v = normal((2, 3, n, 16), dtype, 0, 1.0), normal((2, 3, m, 16), dtype, 1, 1.0), normal((2, 3, m, 8), dtype, 2)
    expected = np_attention(exact(q), exact(k), exact(v), causal=causal) if m else np.zeros((2, 3, n, 8))
    expect(F.scaled_dot_product_attention(given(q), given(k), given(v), causal=causal), expected, dtype, scale=6.0)


@pytest.mark.parametrize("heads", [(4, 2), (6, 1), (3, 3)])
def test_attention_with_grouped_queries(device, heads):
    queries, keys = heads
    q, k, v = (
        normal((2, queries, 9, 16), scale=1),
        normal((2, keys, 12, 16), seed=1, scale=1),
        normal((2, keys, 12, 16)),
    )
    mask = np.random.default_rng(3).random((2, queries, 9, 12)) > 0.3
    expected = np_attention(exact(q), exact(k), exact(v), mask)
    result = F.scaled_dot_product_attention(given(q), given(k), given(v), mask=given(mask))
    expect(result, expected, np.float32, scale=6.0)


@pytest.mark.parametrize("shape", [(9, 12), (1, 12), (9, 1), (3, 9, 12), (2, 1, 9, 12), (2, 3, 9, 12), (12,), ()])
@pytest.mark.parametrize("kind", ["truth", "numbers"])
def test_masks_broadcast(device, shape, kind):
    q, k, v = normal((2, 3, 9, 16), scale=1), normal((2, 3, 12, 16), seed=1, scale=1), normal((2, 3, 12, 16), seed=2)
    numbers = normal(shape, seed=4)
    mask = np.asarray(numbers > -1.0 if kind == "truth" else numbers)
    expected = np_attention(exact(q), exact(k), exact(v), np.broadcast_to(mask, (2, 3, 9, 12)))
    result = F.scaled_dot_product_attention(given(q), given(k), given(v), mask=given(mask), scale=0.25)
    expect(result, expected, np.float32, scale=6.0)


def test_a_query_that_sees_nothing_gives_zero(device):
    q, k, v = given(normal((4, 16))), given(normal((5, 16), seed=1)), given(normal((5, 16), seed=2))
    mask = xp.asarray([[True] * 5, [False] * 5, [True] * 5, [False] * 5])
    result = values_of(F.scaled_dot_product_attention(q, k, v, mask=mask))
    assert not np.any(result[[1, 3]])
    assert np.all(np.isfinite(result))


def test_attention_of_strided_operands(device):
    x = normal((2, 20, 3, 4, 16), scale=1)  # batch, position, query or key or value, head, features
    q, k, v = (np.swapaxes(x[:, :, part], 1, 2) for part in range(3))
    packed = given(x)
    operands = (xp.moveaxis(packed[:, :, part, ...], 1, 2) for part in range(3))
    expect(F.scaled_dot_product_attention(*operands), np_attention(*map(exact, (q, k, v))), np.float32, scale=6.0)


# -- the namespace, dtypes and bad input -----------------------------------------------------------------------------


def test_the_module_has_what_it_announces():
    assert sorted(F.__all__) == F.__all__
    assert nn.__all__ == ["functional"]
    for name in F.__all__:
        function = getattr(F, name)
        assert function.__doc__
        assert all(p.annotation is not p.empty for p in inspect.signature(function).parameters.values())


def test_dtypes_promote(device):
    x, w = given(normal((3, 8))), given(normal((2, 8), np.float64))
    if w.dtype not in device.dtypes:
        pytest.skip(f"{device} has no float64")
    assert F.linear(x, w).dtype == np.float64


def calls(x: xp.Array) -> dict[str, object]:
    return {
        "cross_entropy": lambda: F.cross_entropy(x, xp.zeros(x.shape[:-1], dtype=xp.int64)),
        "gelu": lambda: F.gelu(x),
        "layer_norm": lambda: F.layer_norm(x),
        "linear": lambda: F.linear(x, x),
        "log_softmax": lambda: F.log_softmax(x),
        "relu": lambda: F.relu(x),
        "rms_norm": lambda: F.rms_norm(x),
        "rotary_embedding": lambda: F.rotary_embedding(x, x, x),
        "scaled_dot_product_attention": lambda: F.scaled_dot_product_attention(x, x, x),
        "silu": lambda: F.silu(x),
        "softmax": lambda: F.softmax(x),
        "swiglu": lambda: F.swiglu(x, x),
    }


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex64"])
@pytest.mark.parametrize("name", F.__all__)
def test_other_dtypes_are_refused(device, name, dtype):
    x = xp.astype(xp.ones((2, 2)), np.dtype(dtype))
    with pytest.raises(TypeError, match=rf"{name}.*{dtype}.*floating"):
        calls(x)[name]()


@pytest.mark.parametrize("name", F.__all__)
def test_what_is_no_array_is_refused(name):
    required = [p for p in inspect.signature(getattr(F, name)).parameters.values() if p.default is p.empty]
    with pytest.raises(TypeError, match=name):
        getattr(F, name)(*[[1.0, 2.0]] * len(required))


BAD = {
    "axis out of bounds": (lambda x: F.softmax(x, axis=2), IndexError, "axis 2"),
    "axis of nothing": (lambda x: F.log_softmax(x[0, 0]), IndexError, "0-d"),
    "an axis in the middle": (lambda x: F.layer_norm(x, axis=0), ValueError, "last"),
    "a weight too long": (lambda x: F.rms_norm(x, xp.ones(3)), ValueError, r"\(3,\).*\(4,\)"),
    "a negative eps": (lambda x: F.layer_norm(x, eps=-1.0), ValueError, "eps"),
    "an eps in words": (lambda x: F.rms_norm(x, eps="small"), TypeError, "eps"),
    "shapes of swiglu": (lambda x: F.swiglu(x, x[0, ...]), ValueError, "one shape"),
    "shapes of linear": (lambda x: F.linear(x, x.T), ValueError, "weight"),
    "a bias too long": (lambda x: F.linear(x, x, xp.ones(3)), ValueError, "bias"),
    "a precision": (lambda x: F.linear(x, x, precision="half"), ValueError, "'exact' or 'tf32'"),
    "an approximation": (lambda x: F.gelu(x, approximate="erf"), ValueError, "'none' or 'tanh'"),
    "odd pairs": (lambda x: F.rotary_embedding(x[:, :3], x, x), ValueError, "even"),
    "angles": (lambda x: F.rotary_embedding(x, x, x), ValueError, "broadcast"),
    "a flag": (lambda x: F.rotary_embedding(x, x[:, :2], x[:, :2], interleaved=1), TypeError, "interleaved"),
    "targets": (lambda x: F.cross_entropy(x, xp.zeros(3, dtype=xp.int64)), ValueError, "target"),
    "targets in floats": (lambda x: F.cross_entropy(x, x[:, 0]), TypeError, "integers"),
    "a reduction": (lambda x: F.cross_entropy(x, xp.zeros(2, dtype=xp.int64), reduction="max"), ValueError, "'mean'"),
    "a share": (lambda x: F.cross_entropy(x, xp.zeros(2, dtype=xp.int64), label_smoothing=2), ValueError, "share"),
    "vectors to attend": (lambda x: F.scaled_dot_product_attention(x[0, ...], x, x), ValueError, "query"),
    "keys and values": (lambda x: F.scaled_dot_product_attention(x, x, x[:1, ...]), ValueError, "do not fit"),
    "heads": (
        lambda x: F.scaled_dot_product_attention(xp.ones((3, 1, 4)), xp.ones((2, 1, 4)), xp.ones((2, 1, 4))),
        ValueError,
        "divide 3",
    ),
    "a mask": (lambda x: F.scaled_dot_product_attention(x, x, x, mask=xp.ones((5, 2))), ValueError, "mask"),
    "a mask of integers": (
        lambda x: F.scaled_dot_product_attention(x, x, x, mask=xp.ones((2, 2), dtype=xp.int64)),
        TypeError,
        "mask",
    ),
    "a scale": (lambda x: F.scaled_dot_product_attention(x, x, x, scale="big"), TypeError, "scale"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told(device, case):
    call, error, message = BAD[case]
    with pytest.raises(error, match=message):
        call(xp.ones((2, 4)))


def test_operands_on_two_devices_are_refused(device):
    if device.host:
        pytest.skip("another device than the host's is needed")
    with pytest.raises(xp.DeviceMismatchError):
        F.swiglu(xp.ones((2, 2)), xp.ones((2, 2), device="cpu"))
