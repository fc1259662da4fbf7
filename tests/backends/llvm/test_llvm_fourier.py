"""Kernels of Fourier transforms: values against NumPy's transforms of more digits, and what they leave to libraries."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
import xtensor_backends.llvm
from tests.llvm_kernels import laid_out
from xtensor_backends.llvm import _compile, _fourier_axes, _fourier_kernels, _threads

ALONG_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
TAKES_REAL = ("rfft", "ihfft", "rfftn")
GIVES_REAL = ("irfft", "hfft", "irfftn")
DTYPES = ("float32", "float64")
ROUNDING = 2.5
"""Bound of the error's root mean square, in units of the last place of that of the result."""


def numbers(name, shape, dtype, seed=5):
    """Random numbers that a transform takes, for the dtype of their parts."""
    real, imag = np.random.default_rng(seed).normal(size=(2, *shape))
    return real.astype(dtype) if name in TAKES_REAL else (real + 1j * imag).astype(np.result_type(dtype, np.complex64))


def exact(name, x, **options):
    """NumPy's transform, with the digits of long double."""
    return getattr(np.fft, name)(x.astype(np.result_type(x.dtype, np.longdouble)), **options)


def error(result, expected):
    """The root mean square of the error, in units of the last place of that of the result."""
    size = np.sqrt(np.mean(np.abs(expected) ** 2))
    return float(np.sqrt(np.mean(np.abs(result - expected) ** 2)) / size / np.finfo(result.dtype).eps)


def by_kernel(name, x, **options):
    """A transform along an axis by the kernels; the test fails where they do not compute it."""
    axis = options.pop("axis", -1) % x.ndim
    n = options.pop("n", None) or (2 * (x.shape[axis] - 1) if name in GIVES_REAL else x.shape[axis])
    with xtensor_backends.llvm.count_calls() as calls:
        result = _fourier_axes.along_axis(name, x, n=n, axis=axis, norm=options.get("norm", "backward"))
    assert result is not None, "the kernels do not take it"
    assert calls.kernels["fft.fft"]
    assert bool(calls.kernels["fft.rfft"]) == (name not in ("fft", "ifft"))
    return result


def check(name, x, **options):
    result, expected = by_kernel(name, x, **options), exact(name, x, **options)
    assert error(result, expected) < ROUNDING
    part = np.dtype("float32") if x.dtype.char in "fF" else np.dtype("float64")
    assert result.dtype == (part if name in GIVES_REAL else np.result_type(part, np.complex64))
    assert result.shape == expected.shape
    assert result.flags.c_contiguous
    assert result.flags.owndata


SHAPES = [((4096,), {}), ((3, 3000), {}), ((40, 60), {}), ((2, 20, 36), {}), ((5000, 1), {"axis": 0})]
"""A long row, several of them, short rows, and an axis after which there is one element."""


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "options"), SHAPES, ids=str)
@pytest.mark.parametrize("name", ALONG_AXIS)
def test_transform_is_exact_to_rounding(name, shape, options, dtype):
    if name in GIVES_REAL:
        axis = options.get("axis", -1)
        options = {**options, "n": shape[axis]}
        shape = tuple(
            length // 2 + 1 if position == axis % len(shape) else length for position, length in enumerate(shape)
        )
    check(name, numbers(name, shape, dtype), **options)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(36, 40), (3, 36, 21), (700, 4, 5)], ids=str)
@pytest.mark.parametrize("name", ["fft", "ifft"])
def test_transform_of_columns_is_exact_to_rounding(name, shape, dtype):
    check(name, numbers(name, shape, dtype), axis=len(shape) - 2 if len(shape) < 3 or shape[0] == 3 else 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("radix", _fourier_kernels.RADICES)
@pytest.mark.parametrize("axis", [0, 1])
def test_passes_of_each_radix_follow_each_other(radix, axis, dtype):
    length = {2: 48, 4: 96}.get(radix, radix**2)  # with another pass after that of the radix
    shape = (length, 24) if axis == 0 else (24, length)
    assert radix in _fourier_axes._radices(length)[:-1]
    check("fft", numbers("fft", shape, dtype), axis=axis)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("shape", [(4096,), (24, 64)], ids=str)
@pytest.mark.parametrize("name", ALONG_AXIS)
def test_norm_is_that_of_the_definition(name, shape, norm):
    length = shape[-1] // 2 + 1 if name in GIVES_REAL else shape[-1]
    check(name, numbers(name, (*shape[:-1], length), "float64"), norm=norm)


@pytest.mark.parametrize("length", [1, 2, 999, 1000, 2047, 4095, 4097, 7001])
@pytest.mark.parametrize("shape", [(), (3,), (24,)], ids=str)
@pytest.mark.parametrize("name", ALONG_AXIS)
def test_rows_are_cut_or_followed_by_zeros(name, shape, length):
    n = 4096 if len(shape) == 0 or shape[0] == 3 else 1536
    check(name, numbers(name, (*shape, length), "float64"), n=n)


@pytest.mark.parametrize("length", [1, 35, 37, 50])
def test_columns_are_cut_or_followed_by_zeros(length):
    check("ifft", numbers("ifft", (2, length, 19), "float32"), n=36, axis=1)


@pytest.mark.parametrize("layout", ["transposed", "reversed", "strided", "unaligned", "read-only"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["fft", "rfft", "irfft"])
def test_elements_may_lie_anywhere(name, axis, layout):
    if name != "fft" and axis == 0:
        axis = 1
    x = laid_out(numbers(name, (48, 65) if name == "irfft" else (48, 64), "float64"), layout)
    before = x.copy()
    check(name, x, axis=axis)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["fft", "rfft", "irfft"])
@pytest.mark.parametrize("length", [3**9 * 2, 2**15, 5**4 * 2 * 9])
def test_result_does_not_depend_on_the_number_of_threads(name, length, dtype):
    x = numbers(name, (length // 2 + 1 if name == "irfft" else length,), dtype)
    expected = None
    for threads in (1, None, 1, None, None):
        with _threads.limit(threads):
            result = by_kernel(name, x, n=length)
        expected = result if expected is None else expected
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name", ALONG_AXIS)
def test_vectors_of_32_bytes_give_the_same(name, monkeypatch):
    monkeypatch.setattr(_compile, "has_feature", lambda feature: False)
    assert [_fourier_kernels.lanes(np.dtype(dtype)) for dtype in DTYPES] == [8, 4]
    for dtype in DTYPES:
        for shape in ((4096,), (9, 72), (5, 1250)):
            length = shape[-1] // 2 + 1 if name in GIVES_REAL else shape[-1]
            check(name, numbers(name, (*shape[:-1], length), dtype))
    if name in ("fft", "ifft"):
        check(name, numbers(name, (48, 5), "float64"), axis=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", [60, 64, 81, 1000, 2**14, 3**7 * 2, 10**5])
@pytest.mark.parametrize("name", ["fft", "rfft", "irfft"])
def test_error_is_that_of_numpys_transform(name, length, dtype):
    if length % 2 and name != "fft":
        length *= 2
    x = numbers(name, (max(1, 8192 // length) * 2, length // 2 + 1 if name == "irfft" else length), dtype)
    expected = exact(name, x, norm="ortho")  # without a factor, NumPy's transform of complex64 is that of complex128
    numpys = getattr(np.fft, name)(x, norm="ortho")
    assert error(by_kernel(name, x, norm="ortho"), expected) < 1.25 * error(numpys, expected)


@pytest.mark.parametrize("shape", [(4096,), (24, 64)], ids=str)
def test_ends_of_a_half_spectrum_are_real(shape):
    spectrum = by_kernel("rfft", numbers("rfft", shape, "float64"))
    for end in (spectrum[..., 0], spectrum[..., -1]):
        assert not np.any(end.imag)
        assert not np.any(np.signbit(end.imag))
    changed = spectrum.copy()
    changed[..., [0, -1]] += 3j
    np.testing.assert_array_equal(by_kernel("irfft", changed), by_kernel("irfft", spectrum))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 1, 1234])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_numbers_that_are_not_finite_reach_every_element(name, place, value):
    x = numbers(name, (2049 if name == "irfft" else 4096,), "float64")
    x[place] = value
    result = by_kernel(name, x)
    assert not np.isfinite(result).any()
    assert np.isnan(result).all() or not np.isnan(value)


@pytest.mark.parametrize("name", ALONG_AXIS)
def test_zeros_have_a_transform_of_zeros(name):
    assert not np.any(by_kernel(name, np.zeros_like(numbers(name, (24, 65), "float64")), n=64))


def test_impulse_is_a_root_of_unity_at_each_frequency():
    x = np.zeros(4096, np.complex128)
    x[1024] = 1.0
    np.testing.assert_array_equal(by_kernel("fft", x), np.tile([1, -1j, -1, 1j], 1024))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["fft", "ifft", "hfft", "irfft"])
def test_real_numbers_have_the_transform_of_complex_numbers(name, dtype):
    x = numbers("rfft", (24, 65), dtype)
    result = by_kernel(name, x, n=64)
    assert error(result, exact(name, x, n=64)) < ROUNDING


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@pytest.mark.parametrize(
    ("shape", "s", "axes"),
    [((20, 24, 33), (20, 18, 64), (0, 1, 2)), ((20, 3, 65), (32, 128), (0, 2)), ((9, 64), (64,), (1,))],
    ids=str,
)
def test_several_axes_are_transformed_one_after_the_other(name, shape, s, axes):
    x = numbers(name, shape, "float64")
    with xtensor_backends.llvm.count_calls() as calls:
        result = _fourier_axes.along_axes(name, x, s=s, axes=axes, norm="ortho")
    assert calls.kernels["fft.fft"] >= len(axes)
    expected = exact(name, x, s=s, axes=axes, norm="ortho")
    assert error(result, expected) < ROUNDING
    assert result.shape == expected.shape


LEFT = [
    *[("fft", (13 * 4096,), 13 * 4096, 0), ("fft", (8191,), 8191, 0), ("fft", (1,), 1, 0), ("fft", (3, 16), 16, 1)],
    *[("rfft", (8191,), 8191, 0), ("rfft", (64, 24), 64, 0), ("irfft", (4096,), 8191, 0), ("fft", (64, 3), 64, 0)],
    *[("fft", (0, 64), 64, 1), ("fft", (4096, 24), 4096, 0), ("rfft", (9, 2), 2, 1)],
]
"""Large factors, one element, too few short rows, odd lengths of real numbers, few columns, and none."""


@pytest.mark.parametrize(("name", "shape", "n", "axis"), LEFT, ids=str)
def test_what_kernels_do_not_take_is_left(name, shape, n, axis):
    assert _fourier_axes.along_axis(name, numbers(name, shape, "float64"), n=n, axis=axis, norm="backward") is None


@pytest.mark.parametrize(
    ("name", "shape"),
    [("fft", (8192,)), ("rfft", (16384,)), ("irfft", (8193,)), ("ifftn", (128, 128)), ("hfft", (8193,))],
)
def test_functions_of_the_namespace_call_kernels(name, shape):
    x = numbers(name, shape, "float32")
    with xtensor_backends.llvm.count_calls() as calls:
        result = getattr(xp.fft, name)(xp.asarray(x, device="cpu"))
    assert calls.kernels["fft.fft"]
    assert error(np.asarray(result), exact(name, x)) < ROUNDING


@pytest.mark.parametrize("name", ["fft", "rfftn"])
def test_library_computes_where_kernels_cannot_be_compiled(name, monkeypatch):
    monkeypatch.setattr(_fourier_axes, "transform_kernel", lambda part: None)
    x = numbers(name, (256, 256), "float64")
    with xtensor_backends.llvm.count_calls() as calls:
        result = getattr(xp.fft, name)(xp.asarray(x, device="cpu"))
    assert not calls.kernels["fft.fft"]
    assert error(np.asarray(result), exact(name, x)) < ROUNDING
