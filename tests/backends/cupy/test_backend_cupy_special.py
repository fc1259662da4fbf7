"""The CuPy backend's special functions, with SciPy's in the place of CuPy's."""

from __future__ import annotations

import itertools
import subprocess
import sys
import types

import mpmath
import numpy as np
import pytest
from cupy_support import FLOATS, INF, NAN, needs_cupy, on_host, standin_device

import xtensor as xp
from xtensor_backends.cupy._special import COMPLEX, NAN_LOST, REAL, Special

scipy_special = pytest.importorskip("scipy.special")


@pytest.fixture
def special(monkeypatch):
    """The backend's special functions, where ``cupyx.scipy.special`` is SciPy's module."""
    module = types.ModuleType("cupyx.scipy.special")
    vars(module).update({name: getattr(scipy_special, name) for name in dir(scipy_special)})
    for name, content in (("cupyx", {}), ("cupyx.scipy", {"special": module}), ("cupyx.scipy.special", None)):
        package = module if content is None else types.ModuleType(name)
        vars(package).update(content or {})
        monkeypatch.setitem(sys.modules, name, package)
    sys.modules["cupyx"].scipy = sys.modules["cupyx.scipy"]
    return Special(np)


@pytest.fixture
def broken(monkeypatch):
    """A ``cupyx.scipy.special`` that cannot be imported."""
    monkeypatch.setitem(sys.modules, "cupyx.scipy.special", None)


def test_nothing_is_imported_before_a_function_is_asked_for():
    code = (
        "import sys; from xtensor_backends.cupy._special import Special; Special(None); print('cupyx' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@needs_cupy
def test_every_listed_function_exists_in_cupy():
    code = f"import cupyx.scipy.special as s; print([n for n in {sorted(REAL)} if not hasattr(s, n)])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_functions_that_depart_from_scipys_are_not_offered(special):
    for name in ("exprel", "logit", "sindg", "gammasgn", "no_such_function"):
        with pytest.raises(AttributeError):
            getattr(special, name)


@pytest.mark.parametrize("name", sorted(REAL))
def test_complex_operands_are_declined_or_computed(special, name):
    x = np.array([0.5 + 0.25j])
    operands = (x, x) if name == "xlogy" else (x,)
    if name in COMPLEX:
        np.testing.assert_allclose(getattr(special, name)(*operands), getattr(scipy_special, name)(*operands))
    else:
        assert getattr(special, name)(*operands) is NotImplemented


@pytest.mark.parametrize("name", ["erf", "gammaln", "j0", "ndtri"])
def test_real_operands_are_computed(special, name):
    x = np.array([0.25, 0.5])
    np.testing.assert_array_equal(getattr(special, name)(x), getattr(scipy_special, name)(x))


@pytest.mark.parametrize("name", ["k0e", "k1e"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_scaled_bessel_functions_do_not_overflow(special, name, dtype):
    x = np.asarray([1e-3, 1.0, 30.0, 90.0, 499.0, 501.0, 700.0, 800.0, 1e4, 1e30, INF], dtype)
    with np.errstate(all="ignore"):
        result = getattr(special, name)(x)
    assert result.dtype == dtype
    np.testing.assert_allclose(result, getattr(scipy_special, name)(x.astype(np.float64)), rtol=4 * np.finfo(dtype).eps)


def test_zeta_takes_one_operand(special):
    x = np.asarray([2.0, 3.5, 0.5])
    np.testing.assert_allclose(special.zeta(x), scipy_special.zeta(x), rtol=1e-15)
    assert special.zeta(x + 1, x) is NotImplemented  # CuPy's sum has abs(q) terms for negative q


@pytest.mark.parametrize(("name", "first"), [("yn", [1, 2]), ("polygamma", [40, 1])])
def test_functions_of_an_integral_order_keep_single_precision(special, name, first):
    operands = np.float32(first), np.array([2.0, 5.0], np.float32)
    result = getattr(special, name)(*operands)
    assert result.dtype == np.float32
    exact = getattr(scipy_special, name)(*(value.astype(np.float64) for value in operands))
    np.testing.assert_allclose(result, exact, rtol=1e-6)


def test_a_device_finds_the_functions_under_special(special):
    for device in (standin_device("cuda:0"), standin_device("cuda:1", devices=2)):
        assert device.implements("special.erf")
        assert not device.implements("special.exprel")


@pytest.mark.usefixtures("broken")
def test_a_missing_library_is_recorded_by_the_device():
    device = standin_device("cuda:0")
    assert not device.implements("special.erf")
    assert isinstance(device._functions.missing, ImportError)


# -- CuPy's own formulas ----------------------------------------------------------------------------------------------


def of_zeros_first(name):
    """A function that tests for zeros and infinities of its operands before it tests for NaN."""
    values = {
        "chdtr": lambda v, x: (x == 0, 0.0),
        "chdtrc": lambda v, x: (x == 0, 1.0),
        "gammainc": lambda a, x: (x == 0, 0.0),
        "gammaincc": lambda a, x: (np.isinf(a), 1.0),
        "gdtr": lambda a, b, x: ((x == 0) | np.isinf(b), 0.0),
        "gdtrc": lambda a, b, x: ((x == 0) | np.isinf(b), 1.0),
        "pdtr": lambda k, m: (m == 0, 1.0),
        "pdtrc": lambda k, m: (m == 0, 0.0),
    }

    def function(*operands):
        missing = np.logical_or.reduce(np.broadcast_arrays(*map(np.isnan, operands)))
        if name.startswith("gdtr"):
            with np.errstate(invalid="ignore"):
                missing |= np.isnan(operands[0] * operands[-1])
        condition, value = values[name](*operands)
        return np.where(missing & condition, value, getattr(scipy_special, name)(*operands))

    return function


def undefined_at(name, condition):
    return lambda *operands: np.where(condition(*operands), np.nan, getattr(scipy_special, name)(*operands))


def undefined_beyond(name):
    return undefined_at(name, lambda a, b, x: np.isinf(a * x))


CUPYS = {
    "betaln": undefined_at("betaln", lambda a, b: (a + b <= 0) & (a + b == np.floor(a + b))),
    "expi": undefined_at("expi", lambda x: x == INF),  # exp(x) / x of an infinite x
    # By a x / (b + a x), which is 0 for infinite b, and NaN for infinite x.
    "fdtr": lambda a, b, x: np.where(np.isinf(b) & np.isfinite(x), 0, undefined_beyond("fdtr")(a, b, x)),
    "fdtrc": lambda a, b, x: np.where(np.isinf(b) & np.isfinite(x), 1, undefined_beyond("fdtrc")(a, b, x)),
    "fdtri": undefined_at("fdtri", lambda a, b, p: p <= 0),
    "i0e": lambda x: np.exp(-np.abs(x)) * scipy_special.i0(x),
    "i1e": lambda x: np.exp(-np.abs(x)) * scipy_special.i1(x),
    **{name: of_zeros_first(name) for name in NAN_LOST},
}
"""Functions of ``cupyx.scipy.special`` with the results of its formulas where these depart from SciPy's."""


@pytest.fixture
def departing(special, monkeypatch):
    """The device of a stand-in whose special functions depart as CuPy's do."""
    for name, function in CUPYS.items():
        monkeypatch.setattr(sys.modules["cupyx.scipy.special"], name, function)
    return standin_device("cuda:0")


LIMITS_OF_DOMAINS = {
    "betaln": ([0.5, -2.5, 1.5, -0.5], [-2.5, 0.5, -0.5, 2.0]),
    "expi": ([INF, 1.0, -INF],),
    "fdtr": ([1.0, 2.5, 1.0, INF, 1.0], [1.0, 1.0, 2.0, 1.0, INF], [INF, INF, 3.0, INF, 2.0]),
    "fdtrc": ([1.0, 2.5, 1.0, INF, 1.0], [1.0, 1.0, 2.0, 1.0, INF], [INF, INF, 3.0, INF, 2.0]),
    "fdtri": ([1.0, 2.5, 1.0, INF], [1.0, 1.0, 2.0, 1.0], [0.0, 0.0, 0.25, 0.0]),
    "i0e": ([0.5, 100.0, 1000.0, -1e30, INF],),
    "i1e": ([0.5, 100.0, 1000.0, -1e30, INF],),
}


@pytest.mark.parametrize("name", LIMITS_OF_DOMAINS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_limits_of_domains_are_scipys(departing, name, dtype):
    operands = [np.array(values, dtype) for values in LIMITS_OF_DOMAINS[name]]
    result = getattr(xp.special, name)(*(xp.asarray(x, device=departing) for x in operands))
    assert result.dtype == dtype
    expected = getattr(scipy_special, name)(*(x.astype(np.float64) for x in operands))
    np.testing.assert_allclose(on_host(result), expected, rtol=32 * np.finfo(dtype).eps)


@pytest.mark.parametrize("name", sorted(NAN_LOST))
def test_a_nan_operand_gives_nan(departing, name):
    values = [0.0, 1.0, INF, NAN]
    count = 3 if name.startswith("gdtr") else 2
    operands = np.array(list(itertools.product(values, repeat=count))).T
    result = on_host(getattr(xp.special, name)(*(xp.asarray(x, device=departing) for x in operands)))
    missing = np.isnan(operands).any(axis=0)
    assert np.isnan(result[missing]).all()
    with np.errstate(all="ignore"):
        expected = getattr(scipy_special, name)(*operands)
    np.testing.assert_array_equal(result[~missing], expected[~missing])


def test_scaled_bessel_functions_of_the_first_kind_are_xtensors_formulas(departing):
    assert not any(map(departing.implements, ("special.i0e", "special.i1e")))


def test_the_zeta_function_of_a_large_negative_offset_is_no_long_sum(departing, monkeypatch):
    def sum_of_many_terms(x, q):
        raise AssertionError("the number of terms is abs(q)")

    monkeypatch.setattr(sys.modules["cupyx.scipy.special"], "zeta", sum_of_many_terms)
    x, q = (xp.asarray([value], device=departing) for value in (3.0, -1e3 + 0.5))
    exact = -float(mpmath.psi(2, -999.5)) / 2
    np.testing.assert_allclose(on_host(xp.special.zeta(x, q)), exact, rtol=1e-10)
