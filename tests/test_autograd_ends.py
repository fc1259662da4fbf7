"""Derivatives where formulas cancel, tie or divide by zero: products, shares of sums, norms; and the stated choices."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, special
from xtensor.nn import functional

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in.*:RuntimeWarning")

TAIL = math.exp(-40.0)
"""The smaller share of exp(0) and exp(40), to double precision."""


@pytest.fixture(autouse=True)
def needs_float64(device):
    if not device.supports(np.dtype(np.float64)):
        pytest.skip("the values need float64")


def values(x):
    return xp.to_numpy(x).tolist()


def second(function, x):
    return float(autograd.grad(autograd.grad(function))(xp.asarray(x)))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: xp.logaddexp(x, 0.0), 1 / 4),
        (lambda x: xp.logaddexp2(x, 0.0), math.log(2) / 4),
        (functional.silu, 1 / 2),
        (lambda x: functional.swiglu(x, xp.ones_like(x)), 1 / 2),
        (functional.gelu, math.sqrt(2 / math.pi)),
        (special.softplus, 1 / 4),
        (lambda x: special.xlogy(x, x + 1), 2.0),
        (lambda x: special.spence(1 + x), 1 / 2),
        (special.sinc, -(math.pi**2) / 3),
        (lambda x: special.logsumexp(xp.stack([x, -x])), 1.0),
    ],
)
def test_second_derivatives_at_zero(function, expected):
    try:
        result = second(function, 0.0)
    except special.FunctionUnavailableError as error:  # spence has no formula, and some libraries lack it
        pytest.skip(str(error))
    assert result == pytest.approx(expected, rel=1e-14)


def test_hessian_of_logistic_regression_at_zero_weights():
    features = xp.asarray([[1.0, 2.0], [0.5, -1.0], [-2.0, 0.25]])
    hessian = autograd.hessian(lambda w: xp.sum(xp.logaddexp(features @ w, 0.0)))(xp.zeros(2))
    rows = xp.to_numpy(features)
    np.testing.assert_array_equal(xp.to_numpy(hessian), rows.T @ rows / 4)


def test_hessian_of_cross_entropy_at_equal_logits():
    hessian = autograd.hessian(lambda x: functional.cross_entropy(x, xp.asarray(0)))(xp.zeros(3))
    np.testing.assert_allclose(xp.to_numpy(hessian), np.eye(3) / 3 - 1 / 9, rtol=1e-14)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_saturated_softmax_keeps_the_precision_of_its_jacobian(mode):
    jacobian = autograd.jacobian(functional.softmax, mode=mode)(xp.asarray([40.0, 0.0]))
    np.testing.assert_allclose(xp.to_numpy(jacobian), [[TAIL, -TAIL], [-TAIL, TAIL]], rtol=1e-14)


@pytest.mark.parametrize("function", [functional.log_softmax, special.log_softmax])
def test_logarithm_of_a_share_near_one_is_not_zero(function):
    np.testing.assert_allclose(values(function(xp.asarray([0.0, -40.0, -800.0]))), [-TAIL, -40.0, -800.0], rtol=1e-14)
    logits = xp.asarray([[0.0, -40.0], [-800.0, -900.0]])
    np.testing.assert_allclose(values(special.log_softmax(logits))[0][0], -TAIL, rtol=1e-14)


@pytest.mark.parametrize("outer", [autograd.grad, lambda f: lambda x: autograd.jvp(f, (x,), (xp.ones_like(x),))[1]])
def test_saturated_logarithm_of_a_share_keeps_the_precision_of_its_derivatives(outer):
    def loss(x):
        return functional.log_softmax(xp.stack([x, xp.zeros_like(x)]))[0]

    assert float(outer(loss)(xp.asarray(40.0))) == pytest.approx(TAIL, rel=1e-14)
    assert float(outer(autograd.grad(loss))(xp.asarray(40.0))) == pytest.approx(-TAIL, rel=1e-14)


def test_second_derivative_of_a_saturated_logarithm_of_a_sum():
    hessian = autograd.hessian(special.logsumexp)(xp.asarray([40.0, 0.0]))
    np.testing.assert_allclose(xp.to_numpy(hessian), [[TAIL, -TAIL], [-TAIL, TAIL]], rtol=1e-14)


# -- products ---------------------------------------------------------------------------------------------------------

ROWS = ([2.0, 3.0, 5.0], [2.0, 0.0, 5.0, 7.0], [2.0, 3.0, 0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [-1.5])


def product_without(row, *positions):
    return float(math.prod(Fraction(x) for i, x in enumerate(row) if i not in positions))


@pytest.mark.parametrize("row", ROWS)
def test_hessian_of_a_product_with_zeros(row):
    hessian = xp.to_numpy(autograd.hessian(xp.prod)(xp.asarray(row)))
    for i, j in itertools.product(range(len(row)), repeat=2):
        assert hessian[i, j] == (0 if i == j else product_without(row, i, j))


@pytest.mark.parametrize("row", ROWS)
def test_hessian_of_cumulative_products_with_zeros(row):
    hessian = xp.to_numpy(autograd.hessian(lambda x: xp.sum(xp.cumulative_prod(x)))(xp.asarray(row)))
    for i, j in itertools.product(range(len(row)), repeat=2):
        terms = [product_without(row[:stop], i, j) for stop in range(max(i, j) + 1, len(row) + 1)]
        assert hessian[i, j] == (0 if i == j else sum(terms))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([1e200, 1e200, 1e-200, 1e-200], [1e-200, 1e-200, 1e200, 1e200]),
        ([1e-200, 1e-200], [1e-200, 1e-200]),
        ([1e-200, 1e-200, 0.5], [5e-201, 5e-201, 0.0]),
    ],
)
def test_gradient_of_a_product_that_overflows_or_underflows(row, expected):
    np.testing.assert_allclose(values(autograd.grad(xp.prod)(xp.asarray(row))), expected, rtol=1e-14)


def test_gradient_of_cumulative_products_that_underflow():
    gradient = autograd.grad(lambda x: xp.cumulative_prod(x)[-1])(xp.asarray([1e-200, 1e-200]))
    np.testing.assert_allclose(values(gradient), [1e-200, 1e-200], rtol=1e-14)


# -- lengths and angles -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e200, 1e300])
def test_directions_do_not_depend_on_the_scale(scale):
    x, y = xp.asarray(3 * scale), xp.asarray(4 * scale)
    np.testing.assert_allclose(
        [float(g) for g in autograd.grad(xp.hypot, argnums=(0, 1))(x, y)], [0.6, 0.8], rtol=1e-14
    )
    length = autograd.grad(xp.linalg.vector_norm)(xp.stack([x, y]))
    np.testing.assert_allclose(values(length), [0.6, 0.8], rtol=1e-14)
    by_y, by_x = autograd.grad(xp.atan2, argnums=(0, 1))(y, x)
    np.testing.assert_allclose([float(by_y) * scale, float(by_x) * scale], [0.12, -0.16], rtol=1e-14)
    gradient = autograd.grad(lambda z: xp.abs(z))(xp.asarray(complex(3 * scale, 4 * scale)))
    np.testing.assert_allclose(complex(gradient), 0.6 - 0.8j, rtol=1e-14)


def test_second_derivative_of_a_length_along_its_longer_side():
    # d²/dx² sqrt(x² + y²) = y² / r³
    by_x = autograd.grad(autograd.grad(lambda x: xp.hypot(x, 1e-10)))(xp.asarray(1.0))
    assert float(by_x) == pytest.approx(1e-20, rel=1e-14, abs=0)


# -- choices ----------------------------------------------------------------------------------------------------------


def test_power_of_zero_by_an_exponent_of_zero_is_the_limit_from_above():
    base = xp.asarray([0.0, 0.0, 0.0])
    gradient = autograd.grad(lambda y: xp.sum(base**y))(xp.asarray([0.0, 0.5, 2.0]))
    assert values(gradient) == [-math.inf, 0.0, 0.0]


@pytest.mark.parametrize("x", [-math.inf, 2.0, math.inf])
def test_equal_operands_of_logaddexp_share_the_derivative(x):
    assert [float(g) for g in autograd.grad(xp.logaddexp, argnums=(0, 1))(xp.asarray(x), xp.asarray(x))] == [0.5, 0.5]


def test_derivative_of_a_remainder_is_the_whole_quotient():
    # 1.0 / 0.1 rounds to 10, but 0.1 is more than a tenth: the remainder is that of the quotient 9.
    x, y = xp.asarray(1.0), xp.asarray(0.1)
    assert float(autograd.grad(xp.remainder, argnums=1)(x, y)) == -9.0


def test_reciprocal_gamma_function_has_derivatives_at_the_poles_of_gamma():
    # (-1)^n n!
    gradient = autograd.grad(lambda x: xp.sum(special.rgamma(x)))(xp.asarray([0.0, -1.0, -2.0, -3.0]))
    np.testing.assert_allclose(values(gradient), [1.0, -1.0, 2.0, -6.0], rtol=1e-14)


def test_incomplete_beta_function_has_derivatives_at_the_ends():
    # I_x(2, 3) = 6 x² - 8 x³ + 3 x⁴
    a, b = xp.asarray(2.0), xp.asarray(3.0)
    function = lambda x: special.betainc(a, b, x)  # noqa: E731
    assert [second(function, 0.0), second(function, 1.0)] == pytest.approx([12.0, 0.0], abs=1e-13)


def test_logarithm_of_the_normal_distribution_in_its_far_tail():
    gradient = autograd.grad(lambda x: xp.sum(special.log_ndtr(x)))(xp.asarray([-1e8, -1e9, -1e10]))
    np.testing.assert_allclose(values(gradient), [1e8, 1e9, 1e10], rtol=1e-14)


def test_deviation_of_numpy_of_one_complex_element_has_derivative_zero():
    x = xp.asarray([1.0 + 2.0j])
    value, tangent = autograd.jvp(np.std, (x,), (xp.ones_like(x),))
    assert (float(value), float(tangent)) == (0.0, 0.0)
    assert values(autograd.grad(np.std)(x)) == [0]


DEVIATIONS = {
    "std": lambda x: xp.std(x, correction=1),
    "var": lambda x: xp.var(x, correction=1),
    "nanstd": lambda x: xp.nanstd(x, ddof=1),
    "nanvar": lambda x: xp.nanvar(x, ddof=1),
    "nanstd beside NaN": lambda x: xp.nanstd(xp.stack([x[0], xp.full_like(x[0], xp.nan)]), ddof=1),
    "numpy.std": lambda x: np.std(x, ddof=1),
    "numpy.var": lambda x: np.var(x, ddof=1),
    "cov": xp.cov,
}


@pytest.mark.parametrize("name", DEVIATIONS)
def test_derivatives_of_deviations_without_degrees_of_freedom_are_nan(name):
    function, x = DEVIATIONS[name], xp.asarray([2.0])
    value, tangent = autograd.jvp(function, (x,), (xp.ones_like(x),))
    found = [float(value), float(tangent), float(autograd.grad(function)(x)[0])]
    assert all(map(math.isnan, found)), found


HALVES = {
    "var": (xp.var, lambda x: 2 * (x - x.mean()) / x.size),
    "var of a sample": (lambda x: xp.var(x, correction=1), lambda x: 2 * (x - x.mean()) / (x.size - 1)),
    "std": (xp.std, lambda x: (x - x.mean()) / x.std() / x.size),
    "vector_norm": (xp.linalg.vector_norm, lambda x: x / np.sqrt(np.sum(x * x))),
    "norm of order 3": (
        lambda x: xp.linalg.vector_norm(x, ord=3),
        lambda x: x * np.abs(x) / np.sum(np.abs(x) ** 3) ** (2 / 3),
    ),
}
"""Functions with their gradients, which float64 computes for all numbers of 16 bits that are tried here."""


@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize(
    ("dtype", "numbers", "cotangent"),
    [
        ("float16", [3.6, -2.8, 2.0, 0.5], 30000.0),
        ("float16", [58000.0, -45000.0, 32000.0, 19000.0], 1.0),  # norms overflow, their gradients do not
        ("bfloat16", [1e23, -2e23, 4e22], 1.0),
        ("bfloat16", [1e-23, -2e-23, 4e-23], 1.0),
    ],
)
def test_gradient_of_16_bits_is_right_where_intermediate_results_leave_the_range(
    device, name, dtype, numbers, cotangent
):
    if dtype == "bfloat16" and not hasattr(xp, "bfloat16"):
        pytest.skip("bfloat16 needs ml_dtypes")
    dtype = getattr(xp, dtype)
    if not device.supports(dtype):
        pytest.skip(f"{device} does not support {dtype}")
    function, gradient = HALVES[name]
    x = xp.asarray(numbers, dtype=dtype)
    value, pullback = autograd.vjp(function, x)
    found = np.asarray(values(xp.astype(pullback(xp.asarray(cotangent, dtype=value.dtype))[0], xp.float32)))
    exact = cotangent * gradient(np.asarray(values(xp.astype(x, xp.float64))))
    representable = np.abs(exact) < float(xp.finfo(dtype).max)
    assert np.all(np.isinf(found) == ~representable)
    tolerance = 4 * float(xp.finfo(dtype).eps) * np.max(np.abs(exact))
    np.testing.assert_allclose(found[representable], exact[representable], atol=tolerance)
