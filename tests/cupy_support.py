"""Support for the tests of the CuPy backend: the backend over a stand-in for CuPy, comparisons, reasons to skip."""

from __future__ import annotations

import importlib.util
import itertools
import math
from pathlib import Path

import host_cupy
import numpy as np
import pytest

import xtensor as xp
import xtensor_backends.cupy
from xtensor._core.device import intern
from xtensor_backends.cupy import CupyBackend

SOURCES = sorted(Path(xtensor_backends.cupy.__file__).parent.glob("*.py"))

if importlib.util.find_spec("cupy") is not None:
    import cupy
else:
    cupy = None

NAN, INF = math.nan, math.inf
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, INF, -INF, NAN]
FLOATS = [np.float32, np.float64]


def has_gpu():
    if cupy is None:
        return False
    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


needs_cupy = pytest.mark.skipif(cupy is None, reason="CuPy is not installed")
needs_compiler = pytest.mark.skipif(host_cupy.COMPILER is None, reason="there is no C++ compiler")
needs_gpu = pytest.mark.skipif(not has_gpu(), reason="there is no GPU")
needs_no_gpu = pytest.mark.skipif(cupy is None or has_gpu(), reason="CuPy is missing, or finds a GPU")


class StandInBackend(CupyBackend):
    """The backend over a stand-in for CuPy."""

    name = "standin"

    def __init__(self, **options):
        super().__init__()
        self.library = host_cupy.StandIn(cupy=cupy, **options)
        self.attach(self.library)


def standin_device(spec, **options):
    """A new device of a stand-in."""
    return intern(StandInBackend(**options), spec)


def on_host(array):
    """The values of an Array, or of a native array of a stand-in or of CuPy, as a NumPy array."""
    native = array._native if isinstance(array, xp.Array) else array
    return native.get() if hasattr(native, "get") else np.array(native)  # NumPy reads no memory of a GPU


def same(result, expected, *, rtol=0.0):
    """Assert equal values, NaN and signs of zeros included."""
    result, expected = on_host(result), np.asarray(expected)
    np.testing.assert_allclose(result, expected, rtol=rtol, atol=0)
    if expected.dtype.kind == "c":
        same(result.real, expected.real, rtol=rtol)
        same(result.imag, expected.imag, rtol=rtol)
    elif expected.dtype.kind == "f":
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(result)[numbers], np.signbit(expected)[numbers])


def pairs(dtype):
    """All pairs of special values, as two arrays."""
    first, second = np.array(list(itertools.product(SPECIAL, SPECIAL))).T
    return first.astype(dtype), second.astype(dtype)
