"""The CuPy backend's special functions, with SciPy's in the place of CuPy's."""

from __future__ import annotations

import subprocess
import sys
import types

import numpy as np
import pytest
from cupy_support import FLOATS, INF, needs_cupy, standin_device

from xtensor_cupy._special import COMPLEX, REAL, Special

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
    code = "import sys; from xtensor_cupy._special import Special; Special(None); print('cupyx' in sys.modules)"
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
