"""Operands of special functions: broadcasting, dtypes, scalars, and errors."""

from __future__ import annotations

import numpy as np
import pytest
from special_cases import CASES, FORMULAS, FUNCTIONS, INF, NAN, host
from special_references import exact

import xtensor as xp


def test_operands_broadcast(device):
    x, y = [0.5, 1.25, 2.0], [1.0, 2.0, 3.0, 4.0]
    result = xp.special.xlogy(xp.asarray(x)[:, None], xp.asarray(y))
    expected = [[float(exact("xlogy", (a, b))) for b in y] for a in x]
    np.testing.assert_allclose(host(result), expected, rtol=1e-15)


@pytest.mark.parametrize("shape", [(), (0,), (1, 2, 0), (2, 3, 1)])
def test_result_has_the_shape_of_the_operand(device, shape):
    result = xp.special.expit(xp.zeros(shape))
    assert (result.shape, result.device) == (shape, device)
    assert np.all(host(result) == 0.5)


def test_python_scalars_take_the_dtype_of_the_array(device):
    x = xp.asarray([0.0, 2.0], dtype=xp.float32)
    assert xp.special.xlogy(x, 3.0).dtype == xp.float32
    assert host(xp.special.xlogy(0, x)).tolist() == [0.0, 0.0]
    assert xp.special.huber(1.0, x).dtype == xp.float32


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64"])
def test_integers_become_the_default_floating_point_dtype(device, dtype):
    result = xp.special.expit(xp.asarray([0, 1, 1], dtype=dtype))
    assert result.dtype == xp.asarray(0.5).dtype
    np.testing.assert_allclose(host(result), [0.5, 0.7310585786300049, 0.7310585786300049], rtol=1e-6)


def test_float16_becomes_float32():
    result = xp.special.expit(xp.asarray([0.5], dtype=xp.float16, device="cpu"))
    assert result.dtype == xp.float32
    np.testing.assert_allclose(host(result), [0.6224593312018546], rtol=1e-6)


def test_mixed_dtypes_promote_as_in_numpy(lenient_device):
    if np.dtype(np.float64) not in lenient_device.dtypes:
        pytest.skip(f"{lenient_device} does not support float64")
    single, double = xp.ones(1, dtype=xp.float32), xp.ones(1, dtype=xp.float64)
    assert xp.special.xlogy(single, double).dtype == xp.float64
    assert xp.special.xlogy(single, xp.ones(1, dtype=xp.int16)).dtype == xp.float32
    assert xp.special.xlogy(single, xp.ones(1, dtype=xp.int64)).dtype == xp.float64


def test_complex_operands_of_a_real_function_raise(device):
    with pytest.raises(TypeError, match=r"expit\(\) takes real numbers.*complex"):
        xp.special.expit(xp.asarray([1j], dtype=xp.complex64))


@pytest.mark.parametrize("name", [*CASES, *FUNCTIONS])
def test_operands_of_no_numbers_raise(name):
    count = len(CASES[name].points) if name in CASES else 1
    options = (1,) if name == "multigammaln" else ()
    with pytest.raises(TypeError, match="xtensor"):
        getattr(xp.special, name)(*[None] * count, *options)


@pytest.mark.parametrize("name", [name for name in CASES if len(CASES[name].points) > 1])
def test_several_scalars_without_an_array_raise(name):
    with pytest.raises(TypeError, match="xtensor"):
        getattr(xp.special, name)(*[1] * len(CASES[name].points))


def test_wrong_numbers_of_operands_raise(device):
    x = xp.ones(1)
    with pytest.raises(TypeError, match=r"xlogy\(\) takes 2 operands, not 1"):
        xp.special.xlogy(x)
    with pytest.raises(TypeError, match=r"erf\(\) takes 1 operand, not 2"):
        xp.special.erf(x, x)
    with pytest.raises(TypeError, match=r"polygamma\(\).*missing a required argument: 'x'"):
        xp.special.polygamma(x)
    with pytest.raises(TypeError, match=r"softmax\(\).*unexpected keyword argument 'dim'"):
        xp.special.softmax(x, dim=0)


def test_operands_by_keyword(device):
    x = xp.asarray([2.0, 3.0])
    with xp.transfers("allow"):
        assert host(xp.special.polygamma(n=0, x=x)).tolist() == host(xp.special.psi(x)).tolist()
        assert host(xp.special.zeta(q=1.0, x=x)).tolist() == host(xp.special.zeta(x, 1.0)).tolist()
    assert host(xp.special.sinc(x=x - x)).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", FORMULAS)
def test_formula_does_not_warn_of_the_branch_that_is_not_selected(bare, name):
    # warnings are errors in this suite
    values = xp.asarray([0.0, 1.0, -1.0, INF, -INF, NAN], device=bare)
    assert getattr(xp.special, name)(*[values] * len(CASES[name].points)).shape == (6,)
