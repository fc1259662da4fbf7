"""Polynomials as coefficients: NumPy's values, dtypes and errors on every device."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import expect, few, made, operands, shapes, values_of

import xtensor as xp

F4, F8, C8, C16, I4, I8, U1 = (np.dtype(name) for name in ("f4", "f8", "c8", "c16", "i4", "i8", "u1"))
DTYPES = st.sampled_from([F4, F8, C16, I4, I8])

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@st.composite
def polynomials(draw, min_side=1):
    dtype = draw(DTYPES)
    return draw(operands(dtype, draw(shapes(1, 1, min_side, 6)), bound=9.0, special=False))


def close(result, expected):
    """Compare up to the rounding errors of another order of operations."""
    expect(result, expected, ulp=64, atol=1e-3 if np.asarray(expected).dtype in (F4, C8) else 1e-9, signs=False)


# -- arithmetic -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul"])
@given(data=st.data())
def test_arithmetic_matches_numpy(device, name, data):
    (a, x), (b, y) = data.draw(polynomials()), data.draw(polynomials())
    close(getattr(xp, name)(x, y), getattr(np, name)(a, b))


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul"])
def test_arithmetic_takes_lists_and_numbers(device, name):
    host, x = made([1, 2, 3])
    expect(getattr(xp, name)(x, [0.5, 1.0]), getattr(np, name)(host, [0.5, 1.0]))
    expect(getattr(xp, name)(2, x), getattr(np, name)(2, host))


def test_product_has_no_leading_zeros(device):
    host, x = made([0, 0, 1, 2])
    expect(xp.polymul(x, [0, 3]), np.polymul(host, [0, 3]))
    expect(xp.polymul(x, [0, 0]), np.polymul(host, [0, 0]))


@pytest.mark.parametrize(
    ("u", "v"),
    [
        ([3.0, 5.0, 2.0], [2.0, 1.0]),
        ([1, -3, 2], [1, -1]),
        ([1, 2], [1, 0, 2]),
        ([1j, 2, 1], [2.0, 1j]),
        ([4.0], [2.0]),
    ],
    ids=str,
)
def test_division_matches_numpy(device, u, v):
    for result, reference in zip(xp.polydiv(xp.asarray(u), v), np.polydiv(u, v), strict=True):
        close(result, reference)


@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul", "polydiv"])
def test_matrix_of_coefficients_is_refused(device, name):
    with pytest.raises(ValueError, match="Polynomial must be 1d only."):
        getattr(xp, name)(xp.ones((2, 2)), [1, 2])


# -- values, derivatives, integrals -----------------------------------------------------------------------------------


@given(data=st.data())
def test_values_match_numpy(device, data):
    (p, c), dtype = data.draw(polynomials(0)), data.draw(DTYPES)
    host, x = data.draw(operands(dtype, data.draw(shapes(max_dims=2)), bound=3.0, special=False))
    close(xp.polyval(c, x), np.polyval(p, host))


def test_polyval_takes_lists_and_numbers(device):
    host, x = made([1.0, 2.0, 3.0])
    expect(xp.polyval([3, 0, 1], x), np.polyval([3, 0, 1], host))
    expect(xp.polyval(x, 2), np.asarray(np.polyval(host, 2)))


@pytest.mark.parametrize("m", [0, 1, 2, 5])
@pytest.mark.parametrize("dtype", [F4, F8, C16, I4, U1], ids=str)
def test_derivatives_match_numpy(device, m, dtype):
    host, x = made([3, 1, 4, 1], dtype)
    expect(xp.polyder(x, m), np.polyder(host, m))


@pytest.mark.parametrize(("m", "k"), [(0, None), (1, None), (2, 3.0), (2, [1, 2]), (1, [1j]), (3, None)], ids=str)
@pytest.mark.parametrize("dtype", [F4, F8, C16, I4], ids=str)
def test_integrals_match_numpy(device, m, k, dtype):
    host, x = made([3, 1, 4, 1], dtype)
    expect(xp.polyint(x, m, k), np.polyint(host, m, k), ulp=2)
    expect(xp.polyint(x, m, xp.asarray(k) if isinstance(k, list) else k), np.polyint(host, m, k), ulp=2)


@pytest.mark.parametrize(
    ("name", "args", "match"),
    [
        ("polyder", (-1,), r"Order of derivative must be positive \(see polyint\)"),
        ("polyint", (-1,), r"Order of integral must be positive \(see polyder\)"),
        ("polyint", (3, [1, 2]), "k must be a scalar or a rank-1 array of length 1 or >m."),
    ],
    ids=str,
)
def test_order_is_refused_as_by_numpy(device, name, args, match):
    for library in (xp, np):
        with pytest.raises(ValueError, match=match):
            getattr(library, name)(library.ones(3), *args)


# -- zeros ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "zeros",
    [
        [1, 2, 3],
        [0.5, -0.5],
        [1j, -1j],
        [1j, 2.0],
        [1 + 2j, 1 - 2j, 3],
        [],
        [[0, 1], [-1, 0]],
        [[2.0, 1], [0, 3.0]],
    ],
    ids=str,
)
def test_poly_matches_numpy(device, zeros):
    host, x = made(zeros)
    close(xp.poly(x), np.poly(host))


def test_poly_restores_the_coefficients_of_roots(device):
    coefficients = xp.asarray([1.0, -6.0, 11.0, -6.0])
    result = xp.poly(xp.roots(coefficients))
    np.testing.assert_allclose(values_of(xp.real(result)), values_of(coefficients), rtol=1e-9)


def test_poly_refuses_other_shapes(device):
    for library in (xp, np):
        with pytest.raises(ValueError, match="input must be 1d or non-empty square 2d array."):
            library.poly(library.ones((2, 3)))


# -- fits -------------------------------------------------------------------------------------------------------------

X = np.asarray([0.0, 1.0, 2.0, 3.0, 4.0, 5.5])
Y = np.asarray([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
W = np.asarray([1.0, 2.0, 1.0, 0.5, 1.0, 3.0])
FITS = [{}, {"w": W}, {"full": True}, {"cov": True}, {"cov": "unscaled"}, {"w": W, "cov": True}, {"rcond": 1e-3}]


@pytest.mark.parametrize("options", FITS, ids=lambda options: "-".join(options))
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("deg", [0, 1, 3])
def test_fit_matches_numpy(device, options, columns, deg):
    y = np.stack((Y, Y**2), axis=1) if columns else Y
    arrays = {name: xp.asarray(value) if isinstance(value, np.ndarray) else value for name, value in options.items()}
    results, expected = xp.polyfit(xp.asarray(X), xp.asarray(y), deg, **arrays), np.polyfit(X, y, deg, **options)
    if not isinstance(expected, tuple):
        results, expected = (results,), (expected,)
    for result, reference in zip(results, expected, strict=True):
        np.testing.assert_allclose(values_of(xp.asarray(result)), reference, rtol=1e-7, atol=1e-9)
    assert results[0].device is device


@pytest.mark.parametrize("dtype", [F4, I4, C16], ids=str)
def test_fit_has_numpys_dtype(device, dtype):
    y = np.arange(6).astype(dtype)
    result, expected = xp.polyfit(xp.asarray(X.astype(F4)), xp.asarray(y), 1), np.polyfit(X.astype(F4), y, 1)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(values_of(result), expected, rtol=1e-4, atol=1e-5)


@few
@given(data=st.data())
def test_fit_restores_a_polynomial(device, data):
    coefficients = data.draw(st.lists(st.integers(-5, 5), min_size=1, max_size=4))
    x = xp.asarray(X)
    result = xp.polyfit(x, xp.polyval(xp.asarray(coefficients, dtype=F8), x), len(coefficients) - 1)
    np.testing.assert_allclose(values_of(result), coefficients, atol=1e-8)


def test_points_that_do_not_determine_the_fit_are_warned_about(device):
    with pytest.warns(np.exceptions.RankWarning, match="Polyfit may be poorly conditioned"):
        xp.polyfit(xp.ones(4), xp.asarray([1.0, 2.0, 3.0, 4.0]), 2)


@pytest.mark.parametrize(
    ("shapes", "deg", "options", "error", "match"),
    [
        (((3,), (3,)), -1, {}, ValueError, "expected deg >= 0"),
        (((3, 1), (3,)), 1, {}, TypeError, "expected 1D vector for x"),
        (((0,), (0,)), 1, {}, TypeError, "expected non-empty vector for x"),
        (((3,), (3, 1, 1)), 1, {}, TypeError, "expected 1D or 2D array for y"),
        (((3,), (2,)), 1, {}, TypeError, "expected x and y to have same length"),
        (((3,), (3,)), 0, {"w": [[1.0]]}, TypeError, "expected a 1-d array for weights"),
        (((3,), (3,)), 0, {"w": [1.0]}, TypeError, "expected w and y to have the same length"),
        (((1,), (1,)), 0, {"cov": True}, ValueError, "the number of data points must exceed order to scale"),
    ],
    ids=str,
)
def test_fit_refuses_arguments_as_numpy(device, shapes, deg, options, error, match):
    for library in (xp, np):
        with pytest.raises(error, match=match):
            library.polyfit(*(library.ones(shape) for shape in shapes), deg, **options)
