"""Weighted means, covariances, correlations and ranges: NumPy's values, dtypes and errors on every device."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import expect, made, operands, outcome, quiet, shapes

import xtensor as xp

F4, F8, C16, I4, U1, B = (np.dtype(name) for name in ("f4", "f8", "c16", "i4", "u1", "?"))
ANY = st.sampled_from([F4, F8, C16, I4, U1, B])

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def axes_of(host):
    """Draw an axis or axes of an array, or None."""
    if not host.ndim:
        return st.none()
    single = st.integers(-host.ndim, host.ndim - 1)
    return st.none() | single | st.lists(st.integers(0, host.ndim - 1), min_size=1, unique=True).map(tuple)


def close(result, expected):
    """Compare up to the rounding errors of another order of summation."""
    dtype = np.asarray(expected).dtype
    expect(result, expected, ulp=256, signs=False, atol=1e-3 if dtype in (np.float32, np.complex64) else 1e-10)


# -- average ----------------------------------------------------------------------------------------------------------


@given(data=st.data(), keepdims=st.booleans())
def test_average_matches_numpy(device, data, keepdims):
    host, x = data.draw(operands(data.draw(ANY), data.draw(shapes(min_side=1)), bound=20.0, special=False))
    axis = data.draw(axes_of(host))
    expected = np.average(host, axis, returned=True, keepdims=keepdims)
    for result, reference in zip(xp.average(x, axis, returned=True, keepdims=keepdims), expected, strict=True):
        close(result, reference)


@given(data=st.data(), keepdims=st.booleans())
def test_weighted_average_matches_numpy(device, data, keepdims):
    host, x = data.draw(operands(data.draw(ANY), data.draw(shapes(min_side=1)), bound=20.0, special=False))
    axis = data.draw(axes_of(host))
    axes = np.atleast_1d(axis) if axis is not None else np.arange(host.ndim)
    fits = axis is not None and data.draw(st.booleans())
    shape = tuple(host.shape[i] for i in axes) if fits else host.shape
    dtype = data.draw(st.sampled_from([F4, F8, I4, U1]))
    values = np.arange(1, math.prod(shape) + 1).reshape(shape).astype(dtype)
    with quiet():
        expected = np.average(host, axis, values, returned=True, keepdims=keepdims)
    results = xp.average(x, axis, xp.asarray(values), returned=True, keepdims=keepdims)
    for result, reference in zip(results, expected, strict=True):
        close(result, reference)


def test_average_takes_a_list_of_weights(device):
    host, x = made([[1, 2, 3], [4, 5, 6]])
    expect(xp.average(x, 1, [1, 0, 3]), np.average(host, 1, [1, 0, 3]))


@pytest.mark.parametrize(
    ("shape", "axis", "error", "match"),
    [
        ((3,), None, TypeError, "Axis must be specified when shapes of a and weights differ."),
        ((4,), 1, ValueError, "Shape of weights must be consistent with shape of a along specified axis."),
        ((2,), 2, np.exceptions.AxisError, "axis 2 is out of bounds"),
    ],
    ids=str,
)
def test_average_refuses_weights(device, shape, axis, error, match):
    with pytest.raises(error, match=match):
        xp.average(xp.ones((2, 3)), axis, xp.ones(shape))


def test_average_refuses_weights_that_sum_to_zero(device):
    with pytest.raises(ZeroDivisionError, match="Weights sum to zero, can't be normalized"):
        xp.average(xp.ones(2), weights=xp.asarray([1.0, -1.0]))


# -- covariances ------------------------------------------------------------------------------------------------------

COVARIANCES = [
    {},
    {"bias": True},
    {"ddof": 2},
    {"ddof": 0},
    {"rowvar": False},
    {"fweights": [1, 2, 1, 3]},
    {"aweights": [0.5, 2.0, 1.0, 0.0]},
    {"fweights": [1, 2, 1, 3], "aweights": [0.5, 2.0, 1.0, 0.0]},
    {"fweights": [1, 2, 1, 3], "aweights": [0.5, 2.0, 1.0, 0.0], "ddof": 0},
]
SAMPLES = np.asarray([[1.0, 2.0, -1.0, 4.0], [0.5, 3.0, 2.0, 2.5], [1.0, 1.0, 0.0, -3.0]])


@pytest.mark.parametrize("options", COVARIANCES, ids=str)
@pytest.mark.parametrize("dtype", [F4, F8, C16, I4], ids=str)
def test_cov_matches_numpy(device, options, dtype):
    samples = SAMPLES.T if "rowvar" in options else SAMPLES
    host, x = made(samples.astype(dtype) * (dtype.type(1 + 2j) if dtype.kind == "c" else dtype.type(1)))
    arrays = {name: xp.asarray(value) if isinstance(value, list) else value for name, value in options.items()}
    close(xp.cov(x, **arrays), np.cov(host, **options))


@pytest.mark.parametrize("name", ["cov", "corrcoef"])
def test_covariance_of_two_arrays_matches_numpy(device, name):
    (host1, x1), (host2, x2) = made(SAMPLES), made([4, 3, 2, 2])
    close(getattr(xp, name)(x1, x2), getattr(np, name)(host1, host2))
    close(getattr(xp, name)(x1.mT, x2, rowvar=False), getattr(np, name)(host1.T, host2, rowvar=False))
    close(getattr(xp, name)(x2, [1.0, 2.0, 5.0, 1.0]), getattr(np, name)(host2, [1.0, 2.0, 5.0, 1.0]))


@pytest.mark.parametrize("name", ["cov", "corrcoef"])
def test_covariance_of_one_variable_is_0d(device, name):
    host, x = made([4.0, 3.0, 2.0, 2.0])
    close(getattr(xp, name)(x), getattr(np, name)(host))
    close(getattr(xp, name)(x, dtype=F4), getattr(np, name)(host, dtype=F4))


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (2, 1), (1,)], ids=str)
def test_covariance_of_few_samples_matches_numpy(device, shape):
    host, x = made(np.ones(shape))
    with quiet():
        expected = np.cov(host)
        close(xp.cov(x), expected)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("values", [[1.0], [[1.0], [2.0]]], ids=["a variable", "two variables"])
@pytest.mark.parametrize("name", ["cov", "corrcoef"])
def test_covariance_of_one_sample_does_not_warn(device, name, values):
    assert xp.all(xp.isnan(getattr(xp, name)(xp.asarray(values))))


def test_complex_correlations_match_numpy(device):
    host, x = made(SAMPLES + 1j * SAMPLES[::-1])
    close(xp.corrcoef(x), np.corrcoef(host))


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"ddof": 1.5}, ValueError, "ddof must be integer"),
        ({"fweights": [1.5, 1, 1]}, TypeError, "fweights must be integer"),
        ({"fweights": [[1, 1, 1]]}, RuntimeError, "cannot handle multidimensional fweights"),
        ({"fweights": [1, 1]}, RuntimeError, "incompatible numbers of samples and fweights"),
        ({"fweights": [1, -1, 1]}, ValueError, "fweights cannot be negative"),
        ({"aweights": [[1, 1, 1]]}, RuntimeError, "cannot handle multidimensional aweights"),
        ({"aweights": [1, 1]}, RuntimeError, "incompatible numbers of samples and aweights"),
        ({"aweights": [1, -1, 1]}, ValueError, "aweights cannot be negative"),
    ],
    ids=str,
)
def test_cov_refuses_arguments(device, options, error, match):
    with pytest.raises(error, match=match):
        xp.cov(xp.ones((2, 3)), **options)
    with pytest.raises(error, match=match):
        np.cov(np.ones((2, 3)), **options)


def test_cov_refuses_more_dimensions(device):
    with pytest.raises(ValueError, match="m has more than 2 dimensions"):
        xp.cov(xp.ones((2, 2, 2)))
    with pytest.raises(ValueError, match="y has more than 2 dimensions"):
        xp.corrcoef(xp.ones((2, 2)), xp.ones((2, 2, 2)))


# -- ranges -----------------------------------------------------------------------------------------------------------


@given(data=st.data(), keepdims=st.booleans())
def test_ptp_matches_numpy(device, data, keepdims):
    dtype = data.draw(st.sampled_from([F4, F8, I4, U1]))
    host, x = data.draw(operands(dtype, data.draw(shapes())))
    axis = data.draw(axes_of(host))
    expected = outcome(np.ptp, host, axis, keepdims=keepdims)
    if expected is ValueError:
        with pytest.raises(ValueError, match="zero-size|empty|identity"):
            xp.ptp(x, axis, keepdims=keepdims)
    else:
        expect(xp.ptp(x, axis, keepdims=keepdims), expected, signs=False)


def test_ptp_writes_to_out(device):
    out = xp.zeros(2)
    assert xp.ptp(xp.asarray([[1.0, 5.0], [2.0, 2.0]]), 1, out) is out
    expect(out, np.asarray([4.0, 0.0]))


def test_ptp_of_booleans_is_refused(device):
    with pytest.raises(TypeError, match="numpy boolean subtract"):
        xp.ptp(xp.asarray([True, False]))
