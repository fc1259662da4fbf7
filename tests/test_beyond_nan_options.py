"""Parameters of the reductions that ignore NaN: out, where, initial and mean, as NumPy defines them, on all devices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import elements, expect, few, made, operands, quiet, shapes

import xtensor as xp

F4, F8, C16, I4, I8, U1, B = (np.dtype(name) for name in ("f4", "f8", "c16", "i4", "i8", "u1", "?"))

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@st.composite
def masked_operands(draw, dtypes):
    """Draw an array with NaN, a mask that broadcasts against it, and an axis."""
    dtype = draw(dtypes)
    shape = draw(shapes(1, 3, 1, 3))
    plain = elements(dtype, bound=4.0, special=False)
    values = plain | plain | st.just(math.nan) if dtype.kind in "fc" else plain
    host, x = draw(operands(dtype, shape, values))
    mask, m = draw(operands(B, draw(st.sampled_from([shape, shape[-1:]]))))
    axis = draw(st.none() | st.integers(-len(shape), len(shape) - 1))
    return host, x, mask, m, axis


@pytest.mark.parametrize("name", ["nansum", "nanprod"])
@few
@given(data=st.data(), keepdims=st.booleans(), initial=st.sampled_from([None, 0, 3, 2.5]))
def test_masked_sum_matches_numpy(device, name, data, keepdims, initial):
    host, x, mask, m, axis = data.draw(masked_operands(st.sampled_from([F4, F8, C16, I4, U1])))
    options = {} if initial is None else {"initial": initial}
    with quiet():
        expected = getattr(np, name)(host, axis, keepdims=keepdims, where=mask, **options)
    result = getattr(xp, name)(x, axis, keepdims=keepdims, where=m, **options)
    expect(result, expected, ulp=32, atol=1e-4 if host.dtype == F4 else 1e-10, signs=False)


@pytest.mark.parametrize("name", ["nanmin", "nanmax"])
@few
@given(data=st.data(), keepdims=st.booleans(), initial=st.sampled_from([0, 3, 1.0]))
def test_masked_extreme_matches_numpy(device, name, data, keepdims, initial):
    host, x, mask, m, axis = data.draw(masked_operands(st.sampled_from([F4, F8, I4, U1, B])))
    expected = getattr(np, name)(host, axis, keepdims=keepdims, where=mask, initial=initial)
    expect(getattr(xp, name)(x, axis, keepdims=keepdims, where=m, initial=initial), expected, signs=False)
    expected = getattr(np, name)(host, axis, keepdims=keepdims, initial=initial)
    expect(getattr(xp, name)(x, axis, keepdims=keepdims, initial=initial), expected, signs=False)


def test_extreme_of_an_empty_array_is_the_initial_value(device):
    host, x = made(np.zeros((2, 0)))
    expect(xp.nanmin(x, 1, initial=2.0), np.nanmin(host, 1, initial=2.0))


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
@few
@given(data=st.data(), keepdims=st.booleans())
def test_masked_mean_matches_numpy(device, name, data, keepdims):
    host, x, mask, m, axis = data.draw(masked_operands(st.sampled_from([F4, F8, C16, I4, U1])))
    with quiet():
        expected = getattr(np, name)(host, axis, keepdims=keepdims, where=mask)
    result = getattr(xp, name)(x, axis, keepdims=keepdims, where=m)
    if np.iscomplexobj(expected):  # the component of a complex NaN is not specified
        expected = np.where(np.isnan(expected), math.nan, expected)
    expect(result, expected, ulp=64, atol=1e-2 if host.dtype == F4 else 1e-7, signs=False)


@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
def test_variance_uses_a_given_mean(device, name):
    host, x = made([[1.0, math.nan, 4.0], [2.0, 2.0, 5.0]])
    mean = np.asarray([[2.0], [3.0]])
    for given_mean in (xp.asarray(mean), mean.tolist()):
        expect(getattr(xp, name)(x, axis=1, mean=given_mean), getattr(np, name)(host, axis=1, mean=mean), ulp=2)
    expect(getattr(xp, name)(x, mean=2.0, ddof=1), getattr(np, name)(host, mean=2.0, ddof=1), ulp=2)


CALLS = {
    **dict.fromkeys(("nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"), {"axis": 1}),
    **dict.fromkeys(("cumsum", "cumprod", "nancumsum", "nancumprod"), {"axis": 1}),
    **dict.fromkeys(("nanargmax", "nanargmin"), {"axis": 1}),
}


@pytest.mark.parametrize("name", CALLS)
def test_result_is_written_to_out(device, name):
    host, x = made([[1.0, 5.0, 4.0], [2.0, 2.0, 5.0]])
    expected = getattr(np, name)(host, **CALLS[name])
    out = xp.zeros(expected.shape, dtype=expected.dtype if expected.dtype.kind == "i" else F4)
    assert getattr(xp, name)(x, **CALLS[name], out=out) is out
    expect(out, expected.astype(out.dtype), ulp=2)
    with pytest.raises(ValueError, match="out has shape"):
        getattr(xp, name)(x, **CALLS[name], out=xp.zeros((7, 7), dtype=out.dtype))


@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanvar"])
def test_mask_and_out_may_be_positional_as_in_numpy(device, name):
    host, x = made([[1.0, math.nan, 4.0], [2.0, 2.0, 5.0]])
    out = xp.zeros(2)
    getattr(xp, name)(x, 1, None, out)
    expect(out, getattr(np, name)(host, 1), ulp=2)


@pytest.mark.parametrize(
    ("name", "options", "error", "match"),
    [
        (
            "nanmax",
            {"where": [True, False, True]},
            ValueError,
            "reduction operation 'fmax' does not have an identity, so",
        ),
        (
            "nanmin",
            {"where": [True, False, True]},
            ValueError,
            "reduction operation 'fmin' does not have an identity, so",
        ),
        ("nanvar", {"ddof": 1, "correction": 1}, ValueError, "ddof and correction can't be provided simultaneously."),
        ("nanmean", {"dtype": I8}, TypeError, "If a is inexact, then dtype must be inexact"),
        ("nanvar", {"dtype": I8}, TypeError, "If a is inexact, then dtype must be inexact"),
    ],
    ids=str,
)
def test_reduction_refuses_arguments_as_numpy(device, name, options, error, match):
    with pytest.raises(error, match=match):
        getattr(xp, name)(xp.ones(3), **options)
    with pytest.raises(error, match=match):
        getattr(np, name)(np.ones(3), **options)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_mean_is_not_written_to_integers(device, name):
    with pytest.raises(TypeError, match="If a is inexact, then out must be inexact"):
        getattr(xp, name)(xp.ones(3), out=xp.zeros((), dtype=I8))


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_slice_of_nan_has_no_position(device, name):
    with pytest.raises(ValueError, match="All-NaN slice encountered"):
        getattr(xp, name)(xp.full(3, xp.nan))
