"""Special functions on devices without them, the transfer to the host, and the libraries that devices use."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from special_cases import host
from special_references import exact, mp

import xtensor as xp

scipy_special = pytest.importorskip("scipy.special")


def values(name: str, *operands: list[float]) -> list[float]:
    return [float(exact(name, row)) for row in zip(*operands, strict=True)]


# -- devices without a function ---------------------------------------------------------------------------------------


def test_missing_function_raises_and_names_function_device_and_remedy(bare):
    with pytest.raises(
        xp.special.FunctionUnavailableError, match=r"expi\(\).*toy:0.*xtensor\.transfers\('allow'\)"
    ) as caught:
        xp.special.expi(xp.ones(2, device=bare))
    assert isinstance(caught.value, NotImplementedError)


def test_missing_function_is_computed_on_the_host_if_transfers_are_allowed(bare):
    x = xp.asarray([0.5, 3.5], device=bare)
    with xp.transfers("allow"):
        result = xp.special.expi(x)
        mixed = xp.special.bdtr(1, 3, x / 4)
    assert result.device is bare
    assert mixed.device is bare
    np.testing.assert_allclose(host(result), values("expi", [0.5, 3.5]), rtol=1e-14)
    np.testing.assert_allclose(host(mixed), values("bdtr", [1, 1], [3, 3], [0.125, 0.875]), rtol=1e-14)


def test_complex_operands_of_a_real_formula_are_computed_on_the_host(bare):
    x = xp.asarray([0.5 + 1j], device=bare)
    with pytest.raises(xp.special.FunctionUnavailableError, match=r"erf\(\).*complex128.*toy:0"):
        xp.special.erf(x)
    with xp.transfers("allow"):
        result = xp.special.erf(x)
    assert result.device is bare
    np.testing.assert_allclose(host(result), [complex(mp.erf(mp.mpc(0.5, 1)))], rtol=1e-14)


def test_each_transfer_to_the_host_and_back_is_logged_with_its_bytes(bare, caplog):
    with caplog.at_level(logging.WARNING, "xtensor.transfers"), xp.transfers("log"):
        xp.special.expi(xp.ones(4, device=bare))
    there, back = (record.getMessage() for record in caplog.records)
    assert "32 bytes from toy:0 to cpu" in there
    assert "32 bytes from cpu to toy:0" in back


@pytest.mark.parametrize("name", ["logit", "ndtr", "log_ndtr", "ndtri", "erfinv", "erfcx"])
def test_formula_needs_no_transfer(bare, name):
    x = [0.25, 0.75]
    result = getattr(xp.special, name)(xp.asarray(x, device=bare))
    assert result.device is bare
    np.testing.assert_allclose(host(result), values(name, x), rtol=2e-15)


def test_operands_on_two_devices_raise(bare):
    with pytest.raises(xp.DeviceMismatchError):
        xp.special.xlogy(xp.ones(2, device=bare), xp.ones(2, device="cpu"))


def test_memory_of_the_host_needs_no_permission():
    if not any(str(device) == "strict" for device in xp.devices()):
        pytest.skip("the device strict is not here")
    x = xp.asarray([0.5], device="strict")
    result = xp.special.expi(x)
    assert result.device is x.device
    np.testing.assert_allclose(host(result), values("expi", [0.5]), rtol=1e-14)


# -- CuPy's functions, with NumPy and SciPy in their place ------------------------------------------------------------


# -- in a process of its own ------------------------------------------------------------------------------------------


def run(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        env={**os.environ, "XTENSOR_DEVICE": "cpu", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_of_the_namespace_imports_neither_scipy_nor_the_special_functions():
    run(
        """
        import sys
        import xtensor as xp
        assert "special" in dir(xp) and "special" in xp.__all__
        xp.exp(xp.ones(1))
        assert "scipy" not in sys.modules and "xtensor.special" not in sys.modules
        xp.special.softmax
        assert "scipy" not in sys.modules
        xp.special.erf(xp.ones(1))
        assert "scipy.special" in sys.modules
        """
    )


def test_without_scipy_formulas_compute_and_other_functions_raise_with_the_remedy():
    run(
        """
        import sys

        class NoSciPy:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] == "scipy":
                    raise ModuleNotFoundError("No module named 'scipy'", name="scipy")

        sys.meta_path.insert(0, NoSciPy())
        import xtensor as xp

        x = xp.asarray([0.25, 0.5])
        assert abs(float(xp.special.expit(x)[0]) - 0.56217650088579807) < 1e-15
        assert float(xp.special.logsumexp(x - x)) == 0.6931471805599453
        assert abs(float(xp.special.gammaln(x)[1]) - 0.57236494292470008) < 1e-15
        assert abs(float(xp.special.ndtri(x)[0]) + 0.67448975019608174) < 1e-15
        for operands in ("expi", x), ("betainc", x, x, x), ("digamma", x + 1j), ("erf", x + 1j):
            name, *operands = operands
            try:
                getattr(xp.special, name)(*operands)
            except xp.special.FunctionUnavailableError as error:
                assert isinstance(error, NotImplementedError)
                assert "No module named 'scipy'" in str(error), error
                assert name in str(error) and 'python -m pip install "scipy' in str(error), error
            else:
                raise AssertionError(name)
        """
    )


def test_scipys_dispatch_calls_the_namespace_and_stays_on_the_device(device):
    x = [0.25, 0.5]
    operands = {
        "erf": [x],
        "gammaln": [x],
        "xlogy": [[0.5, 0.5], x],
        "betainc": [[1.0, 1.0], x, x],
        "zeta": [[1.25, 1.5], [1.25, 1.5]],
        "polygamma": [[1.0, 1.0], x],
        "sinc": [x],
        "digamma": [x],
    }
    expected = {name: values(name, *lists) for name, lists in operands.items()}
    done = run(
        f"""
        import numpy as np
        import scipy.special
        from scipy.special import _support_alternative_backends as dispatch
        import xtensor as xp

        device = xp.device({str(device)!r})
        x = xp.asarray({x}, dtype=xp.float32, device=device)
        seen = set()
        for info in dispatch._special_funcs:
            assert info._wrapper_for(xp) is getattr(xp.special, info.name), info.name
            seen.add(info.name)
        assert scipy.special.expit(x).device is device
        with xp.transfers("allow"):
            for name, lists in {operands}.items():
                arrays = [xp.asarray(values, dtype=xp.float32, device=device) for values in lists]
                result = getattr(scipy.special, name)(*arrays)
                assert isinstance(result, xp.Array) and result.device is device, name
                assert result.dtype == xp.float32
                np.testing.assert_allclose(np.asarray(result.to_device("cpu")), {expected}[name], rtol=1e-5)
            assert scipy.special.multigammaln(x + 4, 2).device is device
        assert scipy.special.logsumexp(x).device is device
        print(len(seen))
        """,
        SCIPY_ARRAY_API="1",
    )
    assert int(done) >= 90
