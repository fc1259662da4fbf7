"""Program: call every case of SciPy's functions without the switch ``SCIPY_ARRAY_API``, and print what happened.

SciPy reads the switch once, when it is imported, so that this runs in a process of its own:

    python -m scipy_plain_run DEVICE POLICY

The output is a JSON object: the outcome of each case by its name, which is ``"same"`` or begins with ``"raises"`` or
``"differs"``.
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import fields, is_dataclass
from importlib import import_module
from types import ModuleType

import numpy as np
from scipy._lib import _array_api
from scipy_cases import CASES
from scipy_host_cases import HOST_CASES
from scipy_numpy_cases import NUMPY_CASES
from toy import ToyBackend

import xtensor as xp

ALL_CASES = {**CASES, **HOST_CASES, **NUMPY_CASES}


def applicable():
    """Return the names of the cases that pass arrays to a public function."""
    return [name for name, case in ALL_CASES.items() if not hasattr(case, "creates") and function_of(name) is not None]


def function_of(name):
    """Return SciPy's function of a case's name, without the name's variant; None if it is not public."""
    found = import_module("scipy")
    for part in name.split("."):
        try:
            found = import_module(f"{found.__name__}.{part}") if isinstance(found, ModuleType) else getattr(found, part)
        except ImportError:
            found = getattr(found, part, None)
        except AttributeError:
            break  # the rest is the variant
    return found


BY_DIFFERENCES = ("optimize.curve_fit", "optimize.curve_fit.sigma", "optimize.curve_fit.trf")
"""Covariances of derivatives by differences, which magnify the last digit of a function to 1e-8."""


def difference(result, expected, rtol=1e-9, atol=1e-11):
    """Return how a result differs from that for NumPy arrays, in values, shapes and dtypes; None if it does not."""
    try:
        compare(result, expected, rtol, atol)
    except AssertionError as error:
        return " ".join(str(error).split())
    return None


def compare(result, expected, rtol, atol):
    if hasattr(expected, "toarray"):
        result, expected = result.toarray(), expected.toarray()
    elif hasattr(expected, "as_matrix"):
        result, expected = result.as_matrix(), expected.as_matrix()
    if isinstance(expected, dict):
        assert result.keys() == expected.keys()
        for name, value in expected.items():
            compare(result[name], value, rtol, atol)
    elif isinstance(expected, (tuple, list)):
        assert len(result) == len(expected)
        for part, value in zip(result, expected, strict=True):
            compare(part, value, rtol, atol)
    elif isinstance(expected, (bool, int, float, complex, np.generic, np.ndarray)):
        values = np.asarray(result.to_device("cpu") if isinstance(result, xp.Array) else result)
        np.testing.assert_allclose(values, np.asarray(expected), rtol=rtol, atol=atol, strict=True)
    elif isinstance(expected, (str, slice)) or expected is None:
        assert result == expected
    else:
        names = (
            [field.name for field in fields(expected)] if is_dataclass(expected) else getattr(expected, "__dict__", ())
        )
        for name in names:
            if not name.startswith("_"):
                compare(getattr(result, name), getattr(expected, name), rtol, atol)


def outcome(name, device):
    function, case = function_of(name), ALL_CASES[name]
    expected = case(function, np.asarray)
    try:
        result = case(function, lambda values: xp.asarray(values, device=device))
    except Exception as error:  # the test decides which errors are right
        return f"raises {type(error).__name__}: {error}"
    found = difference(result, expected, *((1e-7, 1e-10) if name in BY_DIFFERENCES else ()))
    return "same" if found is None else f"differs: {found}"


def main(spec, policy):
    assert not _array_api.SCIPY_ARRAY_API, "this runs without the switch"
    warnings.simplefilter("ignore")
    if spec.startswith("toy"):
        xp.register_backend(ToyBackend())
    device = xp.device(spec)
    with xp.use_device(device), xp.transfers(policy):
        json.dump({name: outcome(name, device) for name in applicable()}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
