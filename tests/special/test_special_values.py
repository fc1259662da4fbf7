"""Values of the elementwise special functions: of each device, and of the formulas alone, against exact values."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from special_cases import (
    CASES,
    FLOATS,
    FORMULAS,
    LIBRARY_SLACK,
    check_conventions,
    check_values,
    computed,
    floats_of,
    grid,
    host,
)
from special_references import COMPLEX_REFERENCES, exact_complex, mp
from strategies import few, quiet

import xtensor as xp
from xtensor.special._declaration import DECLARATIONS

scipy_special = pytest.importorskip("scipy.special")


def computed_by_scipy(device: xp.Device, name: str) -> bool:
    """Whether SciPy computes a function of real numbers on a device."""
    if DECLARATIONS[name].prefer_formula:
        return False
    found = device._functions.implementations(DECLARATIONS[name].operation)
    if not found:
        return DECLARATIONS[name].formula is None  # on the host
    return inspect.unwrap(found[0]) is inspect.unwrap(getattr(scipy_special, name))


def skip_unless_supported(device: xp.Device, dtype: type) -> None:
    if dtype not in floats_of(device):
        pytest.skip(f"{device} does not support {dtype.__name__}")


# -- the functions of a device ----------------------------------------------------------------------------------------

OWN_KERNELS = ("opencl", "webgpu")
"""The backends on whose devices xtensor's formulas compute every function that has one."""


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", CASES)
def test_values(device, name, dtype):
    skip_unless_supported(device, dtype)
    operands = grid(CASES[name], dtype)
    is_library = device.backend not in OWN_KERNELS or name not in FORMULAS
    slack = LIBRARY_SLACK if is_library else 1
    check_values(name, operands, computed(device, name, operands), slack, library=is_library)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].special])
def test_infinities_and_nan_give_what_they_give_in_scipy(device, name, dtype):
    skip_unless_supported(device, dtype)
    if computed_by_scipy(device, name):
        pytest.skip("SciPy itself computes it")
    operands = grid(CASES[name], dtype, special=True)
    check_conventions(name, operands, computed(device, name, operands))


@pytest.mark.parametrize("name", sorted(COMPLEX_REFERENCES))
def test_complex_values(device, name):
    x = np.asarray([0.5 + 1j, 2.5 - 0.25j, 1.0 + 2.0j], np.complex64)
    with xp.transfers("allow"):
        result = getattr(xp.special, name)(xp.asarray(x))
    assert (result.dtype, result.device) == (np.complex64, device)
    np.testing.assert_allclose(host(result), [exact_complex(name, z) for z in x.tolist()], rtol=1e-5)


@pytest.mark.parametrize(("name", "log"), [("xlogy", mp.log), ("xlog1py", lambda z: mp.log(1 + z))])
def test_complex_products_with_logarithms(device, name, log):
    dtype = np.complex128 if np.dtype(np.complex128) in device.dtypes else np.complex64
    x, y = np.asarray([2.0 + 1j, 0.5j, 1.0], dtype), np.asarray([1.5 - 2j, -0.25 + 1e-9j, 3j], dtype)
    expected = [complex(mp.mpc(a) * log(mp.mpc(b))) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    result = getattr(xp.special, name)(xp.asarray(x), xp.asarray(y))
    np.testing.assert_allclose(host(result), expected, rtol=1e-5 if dtype == np.complex64 else 1e-14)


@pytest.mark.parametrize("name", ["xlogy", "xlog1py"])
def test_complex_zero_times_a_logarithm_is_zero(device, name):
    zero, y = xp.asarray([0j, 0j], dtype=xp.complex64), xp.asarray([0j, -1.0 + 0j], dtype=xp.complex64)
    with quiet():
        assert host(getattr(xp.special, name)(zero, y)).tolist() == [0j, 0j]


def test_hyp1f1_takes_complex_numbers_in_its_last_operand_only(device):
    x = xp.asarray([1.0 + 1.0j], dtype=xp.complex64)
    with xp.transfers("allow"):
        result = host(xp.special.hyp1f1(1.0, 2.0, x))
    assert result == pytest.approx(complex(mp.hyp1f1(1, 2, mp.mpc(1, 1))), rel=1e-5)
    with pytest.raises(TypeError, match="real numbers"):
        xp.special.hyp1f1(x, 2.0, x)


# -- the formulas -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FORMULAS)
def test_formula_is_accurate(device, formulas_only, name, dtype):
    skip_unless_supported(device, dtype)
    operands = grid(CASES[name], dtype)
    check_values(name, operands, computed(device, name, operands), 1, library=False)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [name for name in FORMULAS if CASES[name].special])
def test_formula_of_infinities_and_nan_gives_what_scipy_gives(device, formulas_only, name, dtype):
    skip_unless_supported(device, dtype)
    operands = grid(CASES[name], dtype, special=True)
    check_conventions(name, operands, computed(device, name, operands))


RANGES = {
    **dict.fromkeys(("boxcox", "boxcox1p", "kl_div", "powm1", "rel_entr", "xlog1py", "xlogy"), (0.0, 100.0)),
    **dict.fromkeys(("cosdg", "sindg", "cotdg", "tandg"), (-1000.0, 1000.0)),
    **dict.fromkeys(("logit", "ndtri"), (0.0, 1.0)),
    "erfc": (-6.0, 26.0),
    "erfcinv": (0.0, 2.0),
    "erfcx": (-26.0, 100.0),
    "erfinv": (-1.0, 1.0),
    **dict.fromkeys(("chdtr", "chdtrc", "gammainc", "gammaincc", "gdtr", "gdtrc", "pdtr", "pdtrc"), (0.0, 80.0)),
    "ellipk": (-1e6, 1.0),
    "ellipkm1": (0.0, 1e6),
    **dict.fromkeys(("gamma", "rgamma"), (-33.0, 34.0)),
    "log_ndtr": (-80.0, 12.0),
    "ndtr": (-12.0, 12.0),
    "polygamma": (0.0, 30.0),
    "radian": (0.0, 80.0),
    "sinc": (-10.0, 10.0),
    "zeta": (-10.0, 40.0),
    "zetac": (-40.0, 60.0),
}


@given(st.data())
@few
@pytest.mark.parametrize("name", FORMULAS)
def test_formula_is_accurate_everywhere(device, formulas_only, name, data):
    dtype = np.dtype(data.draw(st.sampled_from(floats_of(device))))
    low, high = RANGES.get(name, (-80.0, 80.0))
    numbers = st.floats(low, high, width=dtype.itemsize * 8, allow_subnormal=False)
    numbers = numbers.map(lambda x: x if abs(x) > 1e-9 else 0.0)  # products below may underflow
    rows = data.draw(st.lists(st.tuples(*[numbers] * len(CASES[name].points)), min_size=1, max_size=8))
    operands = [np.asarray(column, dtype) for column in zip(*rows, strict=True)]
    if name in ("cotdg", "tandg"):
        operands = [np.round(x, 3).astype(dtype) for x in operands]
    if name in ("polygamma", "zeta"):
        operands[0] = np.round(operands[0])  # the functions of negative numbers need integers
    check_values(name, operands, computed(device, name, operands), 1.5, library=False)


@pytest.mark.parametrize(("name", "function"), [("erf", math.erf), ("erfc", math.erfc)])
def test_formula_of_the_error_function_is_within_6_ulp(formulas_only, name, function):
    """The tail of erfc included, where SciPy's own error is hundreds of ulp."""
    x = np.linspace(-6, 26, 2001)
    expected = np.array([function(value) for value in x])
    result = computed(xp.device("cpu"), name, [x])
    assert np.max(np.abs(result - expected) / np.spacing(np.abs(expected))) <= 6


def test_formula_adds_opposite_terms_without_losing_small_sums(device, formulas_only):
    """At half-integers the largest terms cancel exactly: ζ(21, -1/2) is ζ(21, 3/2)."""
    order = np.asarray([21.0, 21.0, 31.0], np.float32)
    result = computed(device, "zeta", [order, np.asarray([-0.5, 1.5, -0.5], np.float32)])
    assert result[0] == result[1]
    assert 0 < result[2] < 4e-6
