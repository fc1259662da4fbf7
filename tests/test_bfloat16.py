"""bfloat16: computed in float32, rounded once, promoted as float16 is."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from strategies import STANDARD_DTYPES, quiet, values_of

import xtensor as xp

ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes, which defines bfloat16, is not installed")

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)

UNARY = (
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp", "expm1", "floor"),
    *("log", "log10", "log1p", "log2", "negative", "positive", "reciprocal", "round", "sign", "sin", "sinh", "sqrt"),
    *("square", "tan", "tanh", "trunc", "isnan", "isinf", "isfinite", "signbit", "conj", "real"),
)
BINARY = (
    *("add", "atan2", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal", "hypot", "less"),
    *("less_equal", "logaddexp", "maximum", "minimum", "multiply", "not_equal", "pow", "remainder", "subtract"),
)
REDUCTIONS = ("sum", "prod", "mean", "max", "min", "std", "var", "cumulative_sum", "cumulative_prod", "sort")
INDICES_AND_COUNTS = ("argmax", "argmin", "argsort", "count_nonzero", "any", "all")


@pytest.fixture
def bfloat16_device(device):
    """Device that supports bfloat16."""
    if not device.supports(BFLOAT16):
        pytest.skip(f"{device} does not support bfloat16")
    return device


def random_values(count: int = 64, seed: int = 0) -> np.ndarray:
    """Return random values of magnitudes from 1e-3 to 1e3; the first eight are special."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=count) * 10.0 ** rng.integers(-3, 3, count)
    values[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 3e38]
    return values.astype(BFLOAT16)


def asarray(host: np.ndarray) -> xp.Array:
    """Return an Array on the default device with a copy of the values."""
    return xp.asarray(host, copy=True)


def bits(x: xp.Array) -> np.ndarray:
    assert x.dtype == BFLOAT16
    return values_of(x).view(np.uint16)


def assert_rounded(result: xp.Array, exact: np.ndarray) -> None:
    """Compare with ``exact`` (float32) rounded to bfloat16; an error of one unit in the last place is allowed.

    CuPy's functions flush subnormal results to zero.
    """
    if exact.dtype != np.float32:
        np.testing.assert_array_equal(values_of(result), exact)
        return
    assert result.dtype == BFLOAT16
    actual, expected = values_of(result).astype(np.float32), exact.astype(BFLOAT16).astype(np.float32)
    with quiet():
        near = np.abs(actual - expected) <= np.abs(expected) * 2.0**-7 * (actual.astype(np.float64) != expected)
    if result.device.backend == "cupy":
        near |= (actual == 0) & (np.abs(expected) < np.finfo(np.float32).smallest_normal)
    same = (actual == expected) & (np.signbit(actual) == np.signbit(expected)) | (np.isnan(actual) & np.isnan(expected))
    assert np.mean(same) > 0.9
    wrong = ~(same | near)
    assert not wrong.any(), (actual[wrong], expected[wrong])


@pytest.mark.parametrize("name", UNARY)
def test_unary_function_computes_in_float32(bfloat16_device, name):
    x = random_values()
    with quiet():
        expected = getattr(np, {"round": "rint"}.get(name, name))(x.astype(np.float32))
        assert_rounded(getattr(xp, name)(asarray(x)), expected)


@pytest.mark.parametrize("name", BINARY)
def test_binary_function_computes_in_float32(bfloat16_device, name):
    x, y = random_values(), np.roll(random_values(seed=1), 3)
    with quiet():
        reference = values_of(getattr(xp, name)(asarray(x.astype(np.float32)), asarray(y.astype(np.float32))))
        assert_rounded(getattr(xp, name)(asarray(x), asarray(y)), reference)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [0, 1])
def test_reduction_accumulates_in_float32(bfloat16_device, name, axis):
    x = random_values(300)[8:260].reshape(12, 21)
    function = getattr(np, name)
    assert_rounded(getattr(xp, name)(asarray(x), axis=axis), function(x.astype(np.float32), axis=axis))


@pytest.mark.parametrize("name", INDICES_AND_COUNTS)
def test_index_count_and_truth_agree_with_float32(bfloat16_device, name):
    x = random_values()
    expected = getattr(np, name)(x.astype(np.float32))
    result = getattr(xp, name)(asarray(x))
    if name == "argsort":
        ordered = values_of(xp.take(asarray(x), result)).astype(np.float32)
        np.testing.assert_array_equal(ordered, np.sort(x.astype(np.float32)))
    else:
        np.testing.assert_array_equal(values_of(result), expected)


def test_sum_of_many_ones_is_not_absorbed(bfloat16_device):
    x = xp.ones(5000, dtype=xp.bfloat16)
    assert float(xp.sum(x)) == 4992.0  # 5000, rounded
    assert float(xp.mean(x)) == 1.0
    assert float(xp.sum(xp.ones(5000, dtype=xp.float32), dtype=xp.bfloat16)) == 4992.0


def test_nextafter_returns_the_adjacent_bfloat16(bfloat16_device):
    x = asarray(np.array([1.0, -1.0, 0.0], BFLOAT16))
    result = bits(xp.nextafter(x, xp.asarray([2.0, -2.0, 1.0], dtype=xp.bfloat16)))
    np.testing.assert_array_equal(result, [0x3F81, 0xBF81, 0x0001])


@pytest.mark.parametrize("operation", [lambda x, y: x @ y, xp.matmul, lambda x, y: xp.tensordot(x, y, axes=1)])
def test_matrix_product_accumulates_in_float32(bfloat16_device, operation):
    x, y = random_values(300)[8:236].reshape(12, 19), random_values(300, 1)[8:160].reshape(19, 8)
    expected = x.astype(np.float32) @ y.astype(np.float32)
    result = operation(asarray(x), asarray(y))
    assert result.dtype == BFLOAT16
    margin = 2.0**-8 * np.abs(expected) + 1e-5 * (np.abs(x.astype(np.float64)) @ np.abs(y.astype(np.float64)))
    assert np.all(np.abs(values_of(result).astype(np.float32) - expected) <= margin)


@pytest.mark.parametrize("scalar", [True, 2, 1.5])
def test_python_scalars_are_weak(bfloat16_device, scalar):
    x = asarray(random_values()[8:])
    for result in (x + scalar, scalar * x, x - scalar, xp.maximum(x, scalar), xp.where(x > 0, x, scalar)):
        assert result.dtype == BFLOAT16
    assert xp.result_type(x, scalar) == BFLOAT16


PROMOTED = {
    **dict.fromkeys(("bool", "int8", "uint8", "bfloat16"), "bfloat16"),
    **dict.fromkeys(("int16", "uint16", "float16", "float32"), "float32"),
    **dict.fromkeys(("int32", "int64", "uint32", "uint64", "float64"), "float64"),
    **{name: name for name in ("complex64", "complex128")},
}


@pytest.mark.parametrize("other", PROMOTED)
def test_promotion_of_dtypes_is_that_of_float16(other):
    expected = np.dtype(PROMOTED[other])
    assert xp.result_type(xp.bfloat16, np.dtype(other)) == expected
    assert xp.result_type(np.dtype(other), xp.bfloat16) == expected
    assert xp.can_cast(np.dtype(other), xp.bfloat16) is (other in ("bool", "int8", "uint8", "bfloat16"))
    assert xp.can_cast(xp.bfloat16, np.dtype(other)) is (np.dtype(other).kind in "Vfc" and other != "float16")


@pytest.mark.parametrize("other", [name for name in PROMOTED if name not in ("bool", "bfloat16")])
def test_promotion_of_arrays_is_that_of_their_dtypes(bfloat16_device, other):
    x, y = asarray(random_values()[8:12]), xp.asarray([1, 2, 3, 4], dtype=np.dtype(other))
    for result in (x + y, y * x, xp.where(xp.asarray([True, False, True, False]), x, y), xp.concat([x, y])):
        assert result.dtype == np.dtype(PROMOTED[other])


def test_product_with_a_complex_scalar_is_complex64(bfloat16_device):
    assert (asarray(random_values()[8:]) * 1j).dtype == np.complex64


@pytest.mark.parametrize("dtype", STANDARD_DTYPES, ids=str)
def test_cast_agrees_with_a_cast_of_float32(bfloat16_device, dtype):
    x = np.array([0.0, 1.0, 2.5, 100.0], np.float32)
    source = asarray(x.astype(BFLOAT16))
    np.testing.assert_array_equal(values_of(xp.astype(source, dtype)), x.astype(dtype))
    if dtype.kind != "c":
        back = xp.astype(xp.asarray(x.astype(dtype), copy=True), xp.bfloat16)
        np.testing.assert_array_equal(values_of(back), x.astype(dtype).astype(BFLOAT16))


def test_cast_rounds_half_to_even(bfloat16_device):
    x = np.array([1.00390625, 1.01171875, 1.003907, 3.4e38], np.float32)
    np.testing.assert_array_equal(bits(xp.astype(asarray(x), xp.bfloat16)), [0x3F80, 0x3F82, 0x3F81, 0x7F80])


def test_manipulation_preserves_the_bits(bfloat16_device):
    x = random_values(24)
    x.view(np.uint16)[0] = 0x7FC1  # a NaN with a payload
    y = asarray(x.reshape(4, 6))
    host = x.reshape(4, 6)
    pairs = [
        (xp.concat([y, y]), np.concatenate([host, host])),
        (xp.stack([y, y]), np.stack([host, host])),
        (xp.flip(y), np.flip(host)),
        (xp.roll(y, 1), np.roll(host, 1)),
        (y.T, host.T),
        (xp.reshape(y, (-1,)), host.reshape(-1)),
        (y[1:3, ::2], host[1:3, ::2]),
        (xp.take(y, xp.asarray([2, 0]), axis=0), host[[2, 0]]),
        (xp.repeat(y, 2), np.repeat(host, 2)),
        (xp.tile(y, (2, 1)), np.tile(host, (2, 1))),
        (xp.expand_dims(y, axis=0), host[None]),
        (xp.broadcast_to(y, (2, 4, 6)), np.broadcast_to(host, (2, 4, 6))),
        (pickle.loads(pickle.dumps(y)), host),
    ]
    for result, expected in pairs:
        np.testing.assert_array_equal(bits(result), np.ascontiguousarray(expected).view(np.uint16))


@pytest.mark.parametrize(
    "result",
    [
        lambda: xp.zeros(3, dtype=xp.bfloat16),
        lambda: xp.ones(3, dtype="bfloat16"),
        lambda: xp.full(3, 1.5, dtype=xp.bfloat16),
        lambda: xp.empty(3, dtype=xp.bfloat16),
        lambda: xp.arange(3, dtype=xp.bfloat16),
        lambda: xp.linspace(0, 1, 3, dtype=xp.bfloat16),
        lambda: xp.eye(3, dtype=xp.bfloat16),
        lambda: xp.asarray([1.0, 2.0, 3.0], dtype=xp.bfloat16),
        lambda: xp.zeros_like(xp.ones(3), dtype=xp.bfloat16),
        lambda: xp.full((), xp.asarray(2.0, dtype=xp.bfloat16)),
        lambda: xp.asarray(np.ones(3, BFLOAT16)),
    ],
)
def test_creation_function_supports_bfloat16(bfloat16_device, result):
    x = result()
    assert x.dtype == BFLOAT16
    assert (x + 1.5).dtype == BFLOAT16
    assert (x * 0 + 2.5)[..., None].dtype == BFLOAT16


def test_inplace_operators_write_into_the_memory_of_the_array(bfloat16_device):
    x = asarray(np.array([1.0, 2.0, 3.0], BFLOAT16))
    view = x[1:]
    x += 1
    x *= xp.asarray([2.0, 2.0, 2.0])
    x[0] = 1.00390625
    np.testing.assert_array_equal(bits(x), [0x3F80, 0x40C0, 0x4100])
    np.testing.assert_array_equal(bits(view), [0x40C0, 0x4100])
    with pytest.raises(TypeError):
        x += 1j


def test_finfo_returns_the_limits_of_the_format():
    info = xp.finfo(xp.bfloat16)
    assert (info.bits, info.eps, info.dtype) == (16, 2.0**-7, BFLOAT16)
    assert (info.max, info.smallest_normal) == ((2 - 2.0**-7) * 2.0**127, 2.0**-126)
    assert xp.isdtype(xp.bfloat16, "real floating")
    assert not xp.isdtype(xp.bfloat16, ("bool", "integral", "complex floating"))


def test_transfer_preserves_the_bits(bfloat16_device):
    x = asarray(random_values())
    np.testing.assert_array_equal(bits(x.to_device("cpu")), random_values().view(np.uint16))
    np.testing.assert_array_equal(bits(x.to_device("cpu").to_device(bfloat16_device)), random_values().view(np.uint16))


def test_device_without_bfloat16_lists_its_dtypes(device):
    if device.supports(xp.bfloat16):
        pytest.skip(f"{device} supports bfloat16")
    with pytest.raises(TypeError, match=rf"(?s)bfloat16.*{device}.*float32"):
        xp.asarray([1.0], dtype=xp.bfloat16, device="cpu").to_device(device)
    with pytest.raises(TypeError, match=r"zeros.*bfloat16"):
        xp.zeros(3, dtype=xp.bfloat16)
    with pytest.raises(TypeError, match="bfloat16"):
        xp.astype(xp.ones(3), "bfloat16")


def test_composed_functions_return_bfloat16(bfloat16_device):
    x = asarray(random_values()[8:24])
    for result in (xp.nanmean(x), xp.median(x), xp.gradient(x), xp.pad(x, 1), xp.einsum("i,i->", x, x), xp.diff(x)):
        assert result.dtype == BFLOAT16
    assert bool(xp.all(xp.isclose(x, x)))
    assert xp.unique_all(x).values.dtype == BFLOAT16


def moderate_values(count: int, seed: int = 0) -> np.ndarray:
    """Return random values whose differences, and differences of products, are exact in float32."""
    return (np.random.default_rng(seed).uniform(0.5, 4.0, count)).astype(BFLOAT16)


def test_gradient_is_rounded_once(bfloat16_device):
    x = moderate_values(200)
    expected = np.gradient(x.astype(np.float64), 0.5).astype(BFLOAT16)
    np.testing.assert_array_equal(bits(xp.gradient(asarray(x), 0.5)), expected.view(np.uint16))


def test_cross_product_is_rounded_once(bfloat16_device):
    x, y = moderate_values(300).reshape(100, 3), moderate_values(300, 1).reshape(100, 3)
    expected = np.cross(x.astype(np.float64), y.astype(np.float64)).astype(BFLOAT16)
    np.testing.assert_array_equal(bits(xp.linalg.cross(asarray(x), asarray(y))), expected.view(np.uint16))


def test_spacing_is_the_distance_to_the_adjacent_bfloat16(bfloat16_device):
    x = asarray(np.array([1.0, -3.0, 100.0], BFLOAT16))
    np.testing.assert_array_equal(values_of(xp.spacing(x)).astype(np.float32), [2.0**-7, -(2.0**-6), 0.5])


def test_mantissa_and_exponent_give_the_number_again(bfloat16_device):
    x = asarray(np.array([0.75, -6.0, 1.5 * 2.0**100], BFLOAT16))
    mantissa, exponent = xp.frexp(x)
    np.testing.assert_array_equal(values_of(mantissa).astype(np.float32), [0.75, -0.75, 0.75])
    np.testing.assert_array_equal(values_of(exponent), [0, 3, 101])
    np.testing.assert_array_equal(bits(xp.ldexp(mantissa, exponent)), bits(x))


def test_bfloat16_without_ml_dtypes_names_the_remedy():
    program = (
        "import sys; sys.modules['ml_dtypes'] = None\n"
        "import xtensor as xp\n"
        "assert not hasattr(xp, 'bfloat16')\n"
        "assert str(xp.zeros(2, device='cpu').dtype) == 'float64'\n"
        "try: xp.bfloat16\n"
        "except AttributeError as error: assert 'ml_dtypes>=' in str(error)\n"
        "try: xp.zeros(2, dtype='bfloat16', device='cpu')\n"
        "except TypeError as error: assert 'bfloat16' in str(error)\n"
        "else: raise SystemExit(1)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_ml_dtypes_is_not_imported_before_bfloat16_is_used():
    program = (
        "import sys, xtensor as xp\n"
        "x = xp.ones(3, device='cpu') + 1\n"
        "assert 'ml_dtypes' not in sys.modules\n"
        "assert xp.device('cpu').supports(xp.bfloat16)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
