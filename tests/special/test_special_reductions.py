"""Softmax, log-sum-exp, and the other functions whose parameters are not all elementwise operands.

SciPy is the reference of the reductions: every device computes them with xtensor's formulas, never with SciPy.
"""

from __future__ import annotations

import numpy as np
import pytest
from special_cases import INF, host
from special_references import mp, polygamma
from strategies import quiet

import xtensor as xp

scipy_special = pytest.importorskip("scipy.special")


def test_zeta_of_one_operand_is_the_riemann_zeta_function(device):
    x = [2.0, 3.5, 0.5, -1.5]
    with xp.transfers("allow"):
        result = xp.special.zeta(xp.asarray(x, dtype=xp.float32))
    np.testing.assert_allclose(host(result), [float(mp.zeta(value)) for value in x], rtol=1e-6)


def test_polygamma_takes_a_python_order(device):
    x = [0.5, 2.0]
    with xp.transfers("allow"):
        result = xp.special.polygamma(20, xp.asarray(x, dtype=xp.float32))
    assert result.dtype == xp.float32
    np.testing.assert_allclose(host(result), [float(polygamma(mp.mpf(20), mp.mpf(value))) for value in x], rtol=1e-5)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_multigammaln(device, d):
    a = [2.5, 7.0, 40.0]
    expected = [
        float(mp.fsum(mp.loggamma(value - mp.mpf(j) / 2) for j in range(d)) + mp.mpf(d * (d - 1)) / 4 * mp.log(mp.pi))
        for value in a
    ]
    with xp.transfers("allow"):
        result = xp.special.multigammaln(xp.asarray(a, dtype=xp.float32), d)
        again = xp.special.multigammaln(d=xp.asarray(d), a=xp.asarray(a, dtype=xp.float32))
    assert (result.dtype, result.device) == (np.float32, device)
    np.testing.assert_allclose(host(result), expected, rtol=1e-6)
    assert host(again).tolist() == host(result).tolist()


@pytest.mark.parametrize(("d", "error"), [(0, ValueError), (2.5, TypeError), (9, ValueError)])
def test_multigammaln_of_a_wrong_dimension_raises(device, d, error):
    with xp.transfers("allow"), pytest.raises(error, match=r"multigammaln\(\)"):
        xp.special.multigammaln(xp.asarray([2.5]), d)


AXES = [(None, (3, 4)), (0, (3, 4)), (-1, (2, 3, 4)), ((0, 2), (2, 3, 4)), (None, ()), (0, (1,))]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("axis", "shape"), AXES)
def test_logsumexp(device, axis, shape, keepdims, dtype):
    if np.dtype(dtype) not in device.dtypes:
        pytest.skip(f"{device} does not support {dtype}")
    rng = np.random.default_rng(5)
    a, b = (rng.normal(size=shape) * scale for scale in (10, 1))
    if dtype.startswith("complex"):
        a = a + 3j * rng.normal(size=shape)
    a, b = np.asarray(a).astype(dtype), np.asarray(b).astype(dtype)
    tolerance = {"rtol": 20 * np.finfo(dtype).eps, "atol": 20 * np.finfo(dtype).eps}
    if not (shape == () and keepdims):
        plain = xp.special.logsumexp(xp.asarray(a), axis=axis, keepdims=keepdims)
        expected = scipy_special.logsumexp(a, axis=axis, keepdims=keepdims)
        assert (plain.device, plain.dtype, plain.shape) == (device, np.dtype(dtype), np.shape(expected))
        np.testing.assert_allclose(host(plain), expected, **tolerance)
    weighted = xp.special.logsumexp(xp.asarray(a), axis, xp.asarray(b), False, True)
    for part, wanted in zip(weighted, scipy_special.logsumexp(a, axis, b, False, True), strict=True):
        assert (part.dtype, part.shape) == (np.asarray(wanted).dtype, np.shape(wanted))
        np.testing.assert_allclose(host(part), wanted, **tolerance)


@pytest.mark.parametrize("weights", [None, [1.0, -1.0], [0.0, 1.0]])
@pytest.mark.parametrize(
    "values",
    [
        [INF, 1.0],
        [-INF, -INF],
        [INF, -INF],
        [np.nan, 1.0],
        [1e3, 1e3],
        [-1e3, -1e3 - 1],
        [1e-300, 0.0],
        [1e-20, -800.0],
    ],
)
def test_logsumexp_of_difficult_values(device, values, weights):
    if np.dtype(np.float64) not in device.dtypes:
        pytest.skip(f"{device} does not support float64")
    with quiet():
        expected = scipy_special.logsumexp(values, b=weights, return_sign=True)
    if (values, weights) in (([1e3, 1e3], [1.0, -1.0]), ([INF, -INF], [0.0, 1.0])):
        expected = (-INF, 0.0)  # SciPy's exponentials overflow, or it ignores terms of weight 0 too late
    b = None if weights is None else xp.asarray(weights)
    for part, wanted in zip(xp.special.logsumexp(xp.asarray(values), b=b, return_sign=True), expected, strict=True):
        np.testing.assert_allclose(host(part), wanted, rtol=1e-14)


def test_logsumexp_of_an_empty_axis_is_the_logarithm_of_zero(device):
    logarithm, sign = xp.special.logsumexp(xp.zeros((3, 0)), axis=1, return_sign=True)
    assert host(logarithm).tolist() == [-INF] * 3
    assert host(sign).tolist() == [0.0] * 3


def test_logsumexp_of_a_negative_sum_is_nan(device):
    assert np.isnan(host(xp.special.logsumexp(xp.asarray([1.0, 2.0]), b=xp.asarray([1.0, -1.0]))))


@pytest.mark.parametrize(("option", "value"), [("keepdims", 1), ("return_sign", "yes")])
def test_logsumexp_of_an_option_that_is_not_a_bool_raises(device, option, value):
    with pytest.raises(TypeError, match=option):
        xp.special.logsumexp(xp.ones(2), **{option: value})


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("spread", [1.0, 300.0])
def test_softmax(device, name, axis, spread):
    x = (np.random.default_rng(2).normal(size=(3, 4)) * spread).astype(np.float32)
    result = getattr(xp.special, name)(xp.asarray(x), axis)
    assert (result.dtype, result.device) == (np.float32, device)
    expected = getattr(scipy_special, name)(x.astype(np.float64), axis)
    np.testing.assert_allclose(host(result), expected, rtol=3e-5 if spread > 1 else 1e-6, atol=1e-37)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp"])
def test_axis_out_of_bounds_raises(device, name):
    with pytest.raises(ValueError, match="axis"):
        getattr(xp.special, name)(xp.ones((2, 2)), axis=2)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_an_empty_axis_raises(device, name):
    with pytest.raises(ValueError, match=rf"{name}\(\)"):
        getattr(xp.special, name)(xp.ones((2, 0)), axis=1)
