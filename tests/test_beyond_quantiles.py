"""Percentiles, weights and the other parameters of quantiles: NumPy's values, dtypes and errors on every device."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import elements, expect, few, made, operands, quiet, shapes

import xtensor as xp

F4, F8, C16, I4, I8, U1, B = (np.dtype(name) for name in ("f4", "f8", "c16", "i4", "i8", "u1", "?"))
SELECTING = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")
METHODS = (*SELECTING, "linear", "hazen", "weibull", "median_unbiased", "averaged_inverted_cdf", "midpoint")
QUANTILES = {"quantile": 1, "nanquantile": 1, "percentile": 100, "nanpercentile": 100}

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["percentile", "nanpercentile"])
@few
@given(data=st.data(), keepdims=st.booleans())
def test_percentile_matches_numpy(device, name, method, data, keepdims):
    plain = elements(F8, bound=100.0, special=False)
    host, x = data.draw(operands(F8, data.draw(shapes(1, 3, 1)), plain | plain | st.just(math.nan)))
    q = data.draw(st.sampled_from([0, 25, 50.0, 37.5, 100, [10, 50, 90]]))
    axis = data.draw(st.none() | st.integers(-host.ndim, host.ndim - 1))
    with quiet():
        expected = getattr(np, name)(host, q, axis, method=method, keepdims=keepdims)
    expect(getattr(xp, name)(x, q, axis, method=method, keepdims=keepdims), expected, ulp=16, atol=1e-12, signs=False)


@pytest.mark.parametrize("method", SELECTING)
@pytest.mark.parametrize("name", QUANTILES)
@pytest.mark.parametrize("dtype", [I4, I8, U1, B], ids=str)
def test_method_that_selects_elements_keeps_integers(device, name, method, dtype):
    host, x = made([[3, 1, 0, 1, 2], [2, 2, 2, 0, 1]], dtype)
    q = np.asarray([0.0, 0.3, 0.5, 1.0]) * QUANTILES[name]
    expect(getattr(xp, name)(x, q.tolist(), 1, method=method), getattr(np, name)(host, q, 1, method=method))


def test_selected_integers_are_exact(device):
    host, x = made([2**62 + 1, 2**62 + 3, 2**62 + 5])
    expect(xp.quantile(x, 0.5, method="lower"), np.quantile(host, 0.5, method="lower"))


def test_small_level_keeps_its_digits(device):
    # The quantile of (0, 2**60) at the level 2**-60 is 2**60 * 2**-60.
    pair, level = xp.asarray([0.0, 2.0**60], device=device), xp.asarray([2.0**-60], device=device)
    with_nan = xp.asarray([0.0, 2.0**60, math.nan], device=device)
    assert float(xp.quantile(pair, 2.0**-60)) == float(xp.quantile(pair, level)[0]) == 1
    assert float(xp.nanquantile(with_nan, 2.0**-60)) == 1


@pytest.mark.parametrize("name", QUANTILES)
def test_levels_may_be_an_array_of_two_dimensions(device, name):
    host, x = made([[3.0, 1.0, 2.0], [4.0, 9.0, -1.0]])
    q = np.asarray([[0.25, 0.5], [0.0, 1.0]]) * QUANTILES[name]
    expected = np.stack([getattr(np, name)(host, row, 1) for row in q])
    expect(getattr(xp, name)(x, xp.asarray(q), 1), expected, ulp=4)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [F4, F8, I4, B], ids=str)
def test_levels_on_the_host_and_on_the_device_give_the_same(device, method, dtype):
    if dtype not in device.dtypes:
        return
    values = np.random.default_rng(0).normal(size=(3, 40)) * 4
    x, levels = xp.asarray(values.astype(dtype)), [0.0, 0.125, 0.3, 0.5, 0.9, 1.0]
    on_host = xp.quantile(x, levels, axis=1, method=method)
    on_device = xp.quantile(x, xp.asarray(levels), axis=1, method=method)
    assert on_host.dtype == on_device.dtype
    expect(on_host, np.asarray(on_device.numpy()))


@pytest.mark.parametrize("length", [1, 2, 7, 8, 1500, 1501])
@pytest.mark.parametrize("dtype", [F4, I4], ids=str)
def test_median_with_and_without_nan_is_numpys(device, length, dtype):
    values = (np.random.default_rng(length).normal(size=(2, length)) * 100).astype(dtype)
    expect(xp.median(xp.asarray(values), axis=-1), np.median(values, axis=-1), ulp=1)
    if dtype == F4:
        values[0, 0] = math.nan
        expect(xp.median(xp.asarray(values), axis=-1), np.median(values, axis=-1), ulp=1)


def test_array_and_weights_may_be_lists_beside_levels_in_an_array(device):
    expect(xp.quantile([3, 1, 2], xp.asarray([0.5])), np.quantile([3, 1, 2], [0.5]))
    expected = np.quantile([3.0, 1.0, 2.0], [0.5], weights=[1, 2, 9], method="inverted_cdf")
    expect(xp.quantile(xp.asarray([3.0, 1.0, 2.0]), [0.5], weights=[1, 2, 9], method="inverted_cdf"), expected)


@pytest.mark.parametrize("name", QUANTILES)
@given(data=st.data())
def test_weighted_quantile_matches_numpy(device, name, data):
    # Whole weights: their sums are exact, and no rounding error selects another element.
    shape = data.draw(shapes(1, 3, 1))
    ignores_nan = name.startswith("nan")
    plain = elements(F8, bound=100.0, special=False)
    host, x = data.draw(operands(F8, shape, plain | plain | st.just(math.nan)))
    axis = data.draw(st.none() | st.integers(0, host.ndim - 1))
    per_axis = axis is not None and not ignores_nan and data.draw(st.booleans())
    weights_shape = (host.shape[axis],) if per_axis else shape
    weights, w = data.draw(operands(I8, weights_shape, st.integers(1, 4)))
    q = [0.0, 0.25, 0.5, 1.0]
    levels = [level * QUANTILES[name] for level in q]
    with quiet():
        expected = getattr(np, name)(host, levels, axis, weights=weights, method="inverted_cdf")
    expect(getattr(xp, name)(x, levels, axis, weights=w, method="inverted_cdf"), expected, signs=False)


def test_element_without_weight_is_not_selected(device):
    host, x = made([1.0, 2.0, 3.0, 4.0])
    weights = [0, 1, 1, 0]
    expected = np.quantile(host, [0.0, 0.5, 1.0], weights=weights, method="inverted_cdf")
    expect(xp.quantile(x, [0.0, 0.5, 1.0], weights=xp.asarray(weights), method="inverted_cdf"), expected)


def test_weighted_integers_remain_integers(device):
    host, x = made([[3, 1, 2], [5, 6, 4]])
    expected = np.percentile(host, 40, axis=1, weights=[1, 2, 1], method="inverted_cdf")
    expect(xp.percentile(x, 40, axis=1, weights=[1, 2, 1], method="inverted_cdf"), expected)


@pytest.mark.parametrize("name", [*QUANTILES, "median", "nanmedian"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_result_is_written_to_out(device, name, keepdims):
    host, x = made([[3.0, 1.0, 2.0], [4.0, 9.0, -1.0]])
    args = (0.5 * QUANTILES[name],) if name in QUANTILES else ()
    out = xp.zeros((2, 1) if keepdims else 2, dtype=F4)
    assert getattr(xp, name)(x, *args, axis=1, out=out, keepdims=keepdims, overwrite_input=True) is out
    expect(out, getattr(np, name)(host, *args, axis=1, keepdims=keepdims).astype(F4))
    expect(x, host)
    with pytest.raises(ValueError, match="out has shape"):
        getattr(xp, name)(x, *args, out=xp.zeros(5))


@pytest.mark.parametrize("name", QUANTILES)
@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"q": -1}, ValueError, r"(Quantiles|Percentiles) must be in the range \[0, 1(00)?\]"),
        ({"q": [0.5, 1000.0]}, ValueError, r"(Quantiles|Percentiles) must be in the range \[0, 1(00)?\]"),
        ({"q": [[[0.5]]]}, ValueError, "q must be a scalar or 1d"),
        ({"method": "cubic"}, ValueError, "'cubic' is not a valid method. Use one of"),
        ({"weights": [1, 2, 3]}, ValueError, "Only method 'inverted_cdf' supports weights. Got: linear."),
        ({"weights": [1, -2, 3], "method": "inverted_cdf"}, ValueError, "Weights must be non-negative."),
        ({"weights": [0, 0, 0], "method": "inverted_cdf"}, ValueError, "Weights included NaN, inf or were all zero."),
        (
            {"weights": [1, 1], "method": "inverted_cdf"},
            TypeError,
            "Axis must be specified when shapes of a and weights",
        ),
    ],
    ids=str,
)
def test_quantile_refuses_arguments_as_numpy(device, name, options, error, match):
    arguments = {"q": 0.5, **options}
    with pytest.raises(error, match=match):
        getattr(xp, name)(xp.ones(3), **arguments)
    with pytest.raises(error, match=match):
        getattr(np, name)(np.ones(3), **arguments)


def test_levels_in_an_array_are_checked(device):
    with pytest.raises(ValueError, match=r"Quantiles must be in the range \[0, 1\]"):
        xp.quantile(xp.ones(3), xp.asarray([0.5, 2.0]))


def test_empty_slice_of_integers_has_no_element(device):
    with pytest.raises(IndexError, match="cannot do a non-empty take from an empty axes."):
        xp.quantile(xp.zeros(0, dtype=I8), 0.5, method="lower")
    expect(xp.quantile(xp.zeros((2, 0)), [0.5, 0.1], axis=1), np.full((2, 2), math.nan))
