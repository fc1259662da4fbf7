"""The extension ``fft`` on each device, against the definition of the transform and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dtypes, expect, few, made, operands, shapes, values_of
from usable import usable_devices

import xtensor as xp

SMALL: dict[str, Any] = {"bound": 8.0, "special": False}

NORMS = ("backward", "ortho", "forward")

COMPLEX_TO_COMPLEX = ("fft", "ifft")
REAL_TO_HALF = ("rfft", "ihfft")
HALF_TO_REAL = ("irfft", "hfft")


def result_dtype(name: str, dtype: Any) -> np.dtype:
    """Return the dtype of a transform: complex or real, in the precision of the operand."""
    single = dtype in (np.float32, np.complex64)
    real = name.startswith(("irfft", "hfft"))
    return np.dtype((np.float32 if single else np.float64) if real else (np.complex64 if single else np.complex128))


def close(result: Any, expected: Any, name: str, operand: Any) -> None:
    """Compare up to the rounding errors of a transform, which are relative to the largest element."""
    dtype = result_dtype(name, operand.host.dtype)
    scale = 8.0 * max(operand.host.size, np.asarray(expected).size, 1) * 2
    expect(result, expected, dtype=dtype, ulp=8, signs=False, atol=8 * float(np.finfo(dtype).eps) * scale)


def kinds(name: str) -> str:
    """Return the kind of dtype that a transform takes."""
    return "f" if name in (*REAL_TO_HALF, "rfftn") else "c"


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", [*COMPLEX_TO_COMPLEX, *REAL_TO_HALF, *HALF_TO_REAL])
@few
@given(data=st.data())
def test_transform_along_an_axis_matches_numpy(device, name, norm, data):
    least = 2 if name in HALF_TO_REAL else 1
    x = data.draw(operands(dtypes(device, kinds(name)), shapes(min_dims=1, max_side=6), **SMALL))
    axis = data.draw(st.integers(-x.host.ndim, x.host.ndim - 1))
    lengths = st.integers(1, 8)
    n = data.draw(st.none() | lengths if x.host.shape[axis] >= least else lengths)
    result = getattr(xp.fft, name)(x.array, n=n, axis=axis, norm=norm)
    double = x.host.astype(np.result_type(x.host.dtype, np.float64))
    if not double.shape[axis]:  # NumPy reads uninitialised memory
        axis %= double.ndim
        double = np.zeros((*double.shape[:axis], 1, *double.shape[axis + 1 :]), double.dtype)
    close(result, getattr(np.fft, name)(double, n=n, axis=axis, norm=norm), name, x)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@few
@given(data=st.data())
def test_transform_over_several_axes_matches_numpy(device, name, norm, data):
    x = data.draw(operands(dtypes(device, kinds(name)), shapes(min_dims=1, min_side=2, max_side=4), **SMALL))
    axes = data.draw(
        st.none()
        | st.lists(
            st.integers(-x.host.ndim, x.host.ndim - 1),
            min_size=1,
            max_size=3,
            unique_by=lambda axis: axis % x.host.ndim,
        ).map(tuple)
    )
    s = None if axes is None else data.draw(st.none() | st.tuples(*(st.integers(1, 5) for _ in axes)))
    result = getattr(xp.fft, name)(x.array, s=s, axes=axes, norm=norm)
    double = x.host.astype(np.result_type(x.host.dtype, np.float64))
    explicit = tuple(range(x.host.ndim)) if axes is None else axes
    close(result, getattr(np.fft, name)(double, s=s, axes=explicit, norm=norm), name, x)


@given(data=st.data())
def test_fft_is_the_sum_that_defines_it(device, data):
    x = data.draw(operands(dtypes(device, "c"), shapes(min_dims=1, max_dims=1, min_side=1, max_side=8), **SMALL))
    n = x.host.size
    k = np.arange(n)
    expected = np.exp(-2j * np.pi * np.outer(k, k) / n) @ x.host.astype(np.complex128)
    close(xp.fft.fft(x.array), expected, "fft", x)


INVERSES = {"fft": "ifft", "rfft": "irfft", "ihfft": "hfft", "fftn": "ifftn", "rfftn": "irfftn"}


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", INVERSES)
@few
@given(data=st.data())
def test_inverse_transform_restores_the_array(device, name, norm, data):
    x = data.draw(operands(dtypes(device, kinds(name)), (3, 5), **SMALL))
    spectrum = getattr(xp.fft, name)(x.array, norm=norm)
    length = {"rfft": {"n": 5}, "ihfft": {"n": 5}, "rfftn": {"s": (3, 5), "axes": (0, 1)}}.get(name, {})
    restored = getattr(xp.fft, INVERSES[name])(spectrum, norm=norm, **length)
    close(restored, x.host, INVERSES[name], x)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
@given(data=st.data())
def test_frequencies_match_numpy(device, name, data):
    n = data.draw(st.integers(1, 20))
    d = data.draw(st.sampled_from([1.0, 0.5, 0.1, 3.0, -2.0]))
    dtype = data.draw(st.none() | dtypes(device, "f"))
    expected = getattr(np.fft, name)(n, d=d)
    expected_dtype = dtype or xp.__array_namespace_info__().default_dtypes()["real floating"]
    expect(getattr(xp.fft, name)(n, d=d, dtype=dtype), expected, dtype=expected_dtype, ulp=2, signs=False)


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_are_created_on_the_given_device(device, name):
    for other in usable_devices():
        assert getattr(xp.fft, name)(4, device=other).device is other


@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
@given(data=st.data())
def test_shift_matches_numpy(device, name, data):
    x = data.draw(operands(dtypes(device, "fc"), shapes(min_dims=1)))
    axes = data.draw(
        st.none()
        | st.integers(-x.host.ndim, x.host.ndim - 1)
        | st.lists(st.integers(0, x.host.ndim - 1), min_size=1, unique=True).map(tuple)
    )
    expect(getattr(xp.fft, name)(x.array, axes=axes), getattr(np.fft, name)(x.host, axes=axes))


@few
@given(data=st.data())
def test_inverse_shift_restores_the_array(device, data):
    x = data.draw(operands(dtypes(device, "fc"), (3, 4)))
    expect(xp.fft.ifftshift(xp.fft.fftshift(x.array)), x.host)


@pytest.mark.parametrize("name", [*COMPLEX_TO_COMPLEX, *REAL_TO_HALF, *HALF_TO_REAL])
@pytest.mark.parametrize("n", [0, -1])
def test_length_below_one_is_refused(device, name, n):
    x = xp.ones(4, dtype=xp.float64 if kinds(name) == "f" else xp.complex128)
    with pytest.raises(ValueError, match=rf"{name}\(\): n requests length {n}"):
        getattr(xp.fft, name)(x, n=n)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_lengths_without_axes_are_refused(device, name):
    x = xp.ones((4, 4), dtype=xp.float64 if kinds(name) == "f" else xp.complex128)
    with pytest.raises(ValueError, match=rf"{name}\(\): s=\(4, 4\) needs axes"):
        getattr(xp.fft, name)(x, s=(4, 4))


@pytest.mark.parametrize("name", [*COMPLEX_TO_COMPLEX, *REAL_TO_HALF, *HALF_TO_REAL])
def test_unknown_norm_is_refused(device, name):
    x = xp.ones(4, dtype=xp.float64 if kinds(name) == "f" else xp.complex128)
    with pytest.raises(ValueError, match="sideways"):
        getattr(xp.fft, name)(x, norm="sideways")


@pytest.mark.parametrize("name", ["rfft", "ihfft", "rfftn"])
def test_transform_of_real_numbers_refuses_complex_numbers(device, name):
    with pytest.raises(TypeError, match="complex128"):
        getattr(xp.fft, name)(xp.ones(4, dtype=xp.complex128))


@pytest.mark.parametrize(
    "name", [*COMPLEX_TO_COMPLEX, *REAL_TO_HALF, *HALF_TO_REAL, "fftn", "ifftn", "rfftn", "irfftn"]
)
def test_operand_is_not_modified(device, name):
    x = made([1.0, 2.0, 3.0, 4.0], np.float64 if kinds(name) == "f" else np.complex128)
    getattr(xp.fft, name)(x.array)
    expect(x.array, x.host)


def test_nan_element_makes_the_whole_spectrum_nan(device):
    assert np.isnan(values_of(xp.fft.fft(xp.asarray([complex("nan"), 1j])))).all()


TESTED = {*COMPLEX_TO_COMPLEX, *REAL_TO_HALF, *HALF_TO_REAL, "fftn", "ifftn", "rfftn", "irfftn"}


def test_every_function_of_the_extension_is_tested():
    beyond = {"fft2", "ifft2", "irfft2", "rfft2"}  # in test_beyond_linalg.py
    assert {*TESTED, *beyond, "fftfreq", "rfftfreq", "fftshift", "ifftshift"} == set(xp.fft.__all__)
