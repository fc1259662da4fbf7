"""Reductions that ignore NaN, medians and quantiles: NumPy's values, dtypes and errors on every device."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import elements, expect, few, made, operands, outcome, quiet, shapes

import xtensor as xp

F4, F8, C16, I4, U1, B = (np.dtype(name) for name in ("f4", "f8", "c16", "i4", "u1", "?"))
REAL = st.sampled_from([F4, F8, I4, U1, B])
ANY = st.sampled_from([F4, F8, C16, I4, U1, B])

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def with_nan(dtype, bound=100.0):
    """Draw values of a dtype, about a third of them NaN if it has one."""
    plain = elements(dtype, bound=bound, special=False)
    return plain | plain | st.just(math.nan) if dtype.kind in "fc" else plain


@st.composite
def operands_with_nan(draw, dtypes=ANY, min_dims=0, min_side=0):
    dtype = draw(dtypes)
    shape = draw(shapes(min_dims=min_dims, min_side=min_side))
    return draw(operands(dtype, shape, with_nan(dtype)))


def axes_of(x, several=True):
    """Draw an axis or axes of an array, or None."""
    single = st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.none()
    some = st.lists(st.integers(0, x.ndim - 1), min_size=1, unique=True).map(tuple) if x.ndim else st.none()
    return st.none() | single | some if several else st.none() | single


def close(result, expected, host, scale=1.0):
    """Compare up to the rounding errors of another order of summation."""
    dtype = np.asarray(expected).dtype
    if dtype.kind == "c":  # the component of a complex NaN is not specified
        expected = np.where(np.isnan(expected), math.nan, expected)
    eps = np.finfo(dtype).eps if dtype.kind in "fc" else 0.0
    finite = np.abs(np.where(np.isnan(host), 0, host).astype(C16)).max(initial=1.0)
    expect(result, expected, ulp=64, signs=False, atol=float(64 * eps * scale * finite))


# -- reductions that ignore NaN ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanvar", "nanstd"])
@given(data=st.data())
def test_nan_reduction_matches_numpy(device, name, data):
    host, x = data.draw(operands_with_nan())
    axis, keepdims = data.draw(axes_of(host)), data.draw(st.booleans())
    with quiet():
        expected = getattr(np, name)(host, axis=axis, keepdims=keepdims)
    power = {"nanvar": 2, "nansum": 1}.get(name, 1)
    scale = max(host.size, 1) * 100.0 ** (power - 1)
    if name == "nanstd":
        with quiet():
            variance = np.nanvar(host, axis=axis, keepdims=keepdims)
        close(xp.square(xp.nanstd(x, axis=axis, keepdims=keepdims)), variance, host, max(host.size, 1) * 100.0)
    else:
        close(getattr(xp, name)(x, axis=axis, keepdims=keepdims), expected, host, scale)


@given(data=st.data())
def test_nanprod_matches_numpy(device, data):
    dtype = data.draw(ANY)
    small_values = st.sampled_from([1, 0] if dtype.kind in "bu" else [1, -1, 2, 0])
    values = small_values | st.just(math.nan) if dtype.kind in "fc" else small_values
    host, x = data.draw(operands(dtype, data.draw(shapes(max_side=3)), values))
    axis, keepdims = data.draw(axes_of(host)), data.draw(st.booleans())
    expect(xp.nanprod(x, axis, keepdims=keepdims), np.nanprod(host, axis, keepdims=keepdims), signs=False)


@pytest.mark.parametrize("name", ["nanmin", "nanmax"])
@given(data=st.data())
def test_nan_extreme_matches_numpy(device, name, data):
    host, x = data.draw(operands_with_nan(REAL))
    axis, keepdims = data.draw(axes_of(host)), data.draw(st.booleans())
    expected = outcome(getattr(np, name), host, axis=axis, keepdims=keepdims)
    if expected is ValueError:
        with pytest.raises(ValueError, match="zero-size|empty|identity"):
            getattr(xp, name)(x, axis=axis, keepdims=keepdims)
    else:
        expect(getattr(xp, name)(x, axis, keepdims=keepdims), expected, signs=False)


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
@given(data=st.data())
def test_nan_position_matches_numpy(device, name, data):
    host, x = data.draw(operands_with_nan(REAL, min_side=1))
    axis = data.draw(axes_of(host, several=False))
    expected = outcome(getattr(np, name), host, axis=axis)
    if expected is ValueError:
        with pytest.raises(ValueError, match="NaN"):
            getattr(xp, name)(x, axis)
    else:
        expect(getattr(xp, name)(x, axis), expected)


def test_nan_position_is_never_the_index_of_a_nan(device):
    expect(xp.nanargmin(xp.asarray([xp.nan, xp.inf])), np.asarray(1))
    expect(xp.nanargmax(xp.asarray([xp.nan, -xp.inf])), np.asarray(1))


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
@given(data=st.data())
def test_cumulative_function_matches_numpy(device, name, data):
    dtype = data.draw(ANY)
    values = st.sampled_from([1, 0] if dtype.kind in "bu" else [1, -1, 0, 2])
    values = values | st.just(math.nan) if dtype.kind in "fc" else values
    host, x = data.draw(operands(dtype, data.draw(shapes()), values))
    axis = data.draw(axes_of(host, several=False))
    with quiet():
        expected = getattr(np, name)(host, axis)
    if np.issubdtype(dtype, np.complexfloating) and np.isnan(expected).any():
        # Which component of a complex product is NaN depends on the order of multiplication.
        expect(xp.isnan(getattr(xp, name)(x, axis)), np.isnan(expected))
    else:
        expect(getattr(xp, name)(x, axis), expected, signs=False)


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean", "nancumsum", "nancumprod", "cumsum", "cumprod"])
def test_dtype_argument_is_the_dtype_of_the_result(device, name):
    expect(getattr(xp, name)(made([1.0, 2.0]).array, dtype=F4), getattr(np, name)([1.0, 2.0], dtype=F4))


@pytest.mark.parametrize("options", [{"ddof": 1}, {"correction": 1}], ids=str)
@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
def test_correction_may_be_called_ddof(device, name, options):
    host, x = made([[1.0, math.nan, 4.0], [math.nan, math.nan, 2.0]])
    with quiet():
        expected = getattr(np, name)(host, axis=1, ddof=1)
    expect(getattr(xp, name)(x, axis=1, **options), expected, ulp=4)


def test_both_names_of_the_correction_are_refused(device):
    with pytest.raises(ValueError, match="two names"):
        xp.nanvar(xp.ones(3), ddof=1, correction=1)


@pytest.mark.parametrize("value", ["1", None, True], ids=repr)
def test_ddof_that_is_no_number_is_refused(device, value):
    with pytest.raises(TypeError, match="ddof is a real number"):
        xp.nanstd(xp.ones(3), ddof=value)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_integer_dtype_of_a_mean_is_refused(device, name):
    with pytest.raises(TypeError, match="floating-point"):
        getattr(xp, name)(xp.ones(3), dtype=I4)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd", "nanmin", "nanmax", "nanmedian"])
def test_slice_of_nan_gives_nan_without_a_warning(device, name):
    expect(getattr(xp, name)(xp.full((2, 3), xp.nan), axis=1), np.full(2, math.nan))


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
def test_complex_numbers_have_no_quantiles(device, name):
    with pytest.raises(TypeError, match=rf"{name}\(\) takes real numbers"):
        getattr(xp, name)(xp.asarray([1j, 2.0]), 0.5)


# -- medians and quantiles --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["median", "nanmedian"])
@given(data=st.data())
def test_median_matches_numpy(device, name, data):
    host, x = data.draw(operands_with_nan(REAL))
    axis, keepdims = data.draw(axes_of(host)), data.draw(st.booleans())
    assume(host.size or not isinstance(axis, tuple))  # NumPy itself fails to reshape here
    with quiet():
        expected = getattr(np, name)(host, axis=axis, keepdims=keepdims)
    expect(getattr(xp, name)(x, axis, keepdims=keepdims), expected, ulp=1, signs=False)


def test_median_of_large_numbers_is_finite(device):
    expect(xp.median(xp.asarray([1.5e308, 1.7e308])), np.asarray(1.6e308), ulp=1)


INTERPOLATING = ("linear", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased")
SELECTING = ("lower", "higher", "nearest", "inverted_cdf", "closest_observation")
AVERAGING = ("midpoint", "averaged_inverted_cdf")


@pytest.mark.parametrize("method", [*INTERPOLATING, *SELECTING, *AVERAGING])
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@few
@given(data=st.data())
def test_quantile_matches_numpy(device, name, method, data):
    host, x = data.draw(operands_with_nan(st.just(F8), min_dims=1, min_side=1))
    q = data.draw(st.sampled_from([0.0, 0.25, 0.5, 0.3, 1.0, [0.1, 0.5], [[0.2], [0.9]], []]))
    axis, keepdims = data.draw(axes_of(host)), data.draw(st.booleans())
    levels = np.asarray(q)
    with quiet():
        expected = getattr(np, name)(host, levels.ravel(), axis=axis, method=method, keepdims=keepdims)
    # The levels are flat for NumPy, whose nanquantile() misplaces the axes of a matrix of levels.
    expected = expected.reshape((*levels.shape, *expected.shape[1:]))
    expect(getattr(xp, name)(x, q, axis, method=method, keepdims=keepdims), expected, ulp=16, atol=1e-12, signs=False)


def test_quantile_takes_levels_as_an_array(device):
    host, x = made([3.0, 1.0, 2.0])
    expect(xp.quantile(x, xp.asarray([0.0, 0.5])), np.quantile(host, [0.0, 0.5]))


def test_quantile_of_integers_is_floating(device):
    expect(xp.quantile(xp.asarray([1, 2, 4]), 0.75), np.asarray(3.0), dtype=device.default_dtypes["real floating"])


def test_infinity_affects_only_quantiles_interpolated_from_it(device):
    expect(xp.quantile(xp.asarray([-xp.inf, 1.0, 2.0, xp.inf]), 0.5), np.asarray(1.5))


@pytest.mark.parametrize("q", [-0.1, 1.5, [0.5, 2.0], math.nan], ids=repr)
def test_quantile_level_outside_0_to_1_is_refused(device, q):
    with pytest.raises(ValueError, match=r"Quantiles must be in the range \[0, 1\]"):
        xp.quantile(xp.ones(3), q)


def test_unknown_quantile_method_is_refused(device):
    with pytest.raises(ValueError, match="'cubic' is not a valid method. Use one of: 'linear'"):
        xp.quantile(xp.ones(3), 0.5, method="cubic")


@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanmin", "median", "nanmedian"])
@pytest.mark.parametrize("axis", [2, -3, (0, 5)], ids=repr)
def test_axis_out_of_bounds_raises(device, name, axis):
    with pytest.raises(ValueError, match="axis"):
        getattr(xp, name)(xp.ones((2, 3)), axis=axis)
