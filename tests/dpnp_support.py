"""Support for the tests of the dpnp backend: the SYCL device of this machine, or the reason why there is none."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
from xtensor.backend import STANDARD_DTYPES as DTYPE_NAMES
from xtensor.backend import BackendUnavailableError

STANDARD_DTYPES = tuple(map(np.dtype, DTYPE_NAMES))

try:
    SYCL = xp.device("sycl")
except BackendUnavailableError as failure:
    SYCL = None
    REASON = str(failure)
else:
    REASON = ""

on_sycl = pytest.mark.skipif(SYCL is None, reason=f"no SYCL device: {REASON}")

DTYPES = sorted(SYCL.dtypes if SYCL else STANDARD_DTYPES, key=lambda dtype: (dtype.kind, dtype.itemsize))


@pytest.fixture
def sycl(request):
    """The first SYCL device, which is the default one while the test runs."""
    request.node.user_properties.append(("device", str(SYCL)))
    with xp.use_device(SYCL):
        yield SYCL


def host(x: xp.Array) -> np.ndarray:
    return np.asarray(x.to_device("cpu"))


def bits(values: np.ndarray) -> list[bytes]:
    """The elements' bytes, which tell zeros of different sign apart."""
    return [value.tobytes() for value in np.ravel(values)]
