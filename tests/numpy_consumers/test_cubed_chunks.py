"""Arrays as chunks of cubed, unmodified: what is right with NumPy's arrays as chunks is right with Arrays.

cubed stores chunks as NumPy arrays, so that their device must be in host memory.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

if importlib.util.find_spec("cubed") is None:
    pytest.skip("cubed is not installed: dependency group consumers", allow_module_level=True)

from cubed_calls import CALLS, ENGINE_CALLS, IN_NUMPY, expected


def run(device, folder):
    """Compute all calls in a process of their own, with Arrays of a device as chunks."""
    environment = {**os.environ, "CUBED_BACKEND_ARRAY_API_MODULE": "xtensor", "XTENSOR_DEVICE": device}
    program = [sys.executable, "-W", "ignore", Path(__file__).with_name("cubed_calls.py"), folder]
    return subprocess.run(program, env=environment, capture_output=True, text=True)


@functools.cache
def results_of(device):
    with tempfile.TemporaryDirectory() as folder:
        done = run(device, folder)
        assert done.returncode == 0, done.stderr
        return pickle.loads(Path(folder, "results").read_bytes())


@pytest.fixture
def results(lenient_device):
    if not lenient_device.host:
        pytest.skip("cubed stores chunks from host memory")
    return results_of(str(lenient_device))


def test_chunk_off_the_host_is_not_copied_implicitly(lenient_device):
    if lenient_device.host:
        pytest.skip("requires a device off the host")
    assert f"would copy an array from {lenient_device} to the host" in results_of(str(lenient_device))["add"]["error"]


@pytest.mark.parametrize("name", [*CALLS, *ENGINE_CALLS])
def test_result_is_that_of_numpy(results, name):
    found = results[name]
    assert "error" not in found, found["error"]
    wanted = np.asarray(expected(name))
    assert (found["values"].shape, found["values"].dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_allclose(found["values"], wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in (*CALLS, *ENGINE_CALLS) if name not in IN_NUMPY])
def test_computed_chunks_are_arrays_of_the_device(results, lenient_device, name):
    assert results[name]["chunks"] == [("xtensor.Array", str(lenient_device))]
    assert results[name]["class"] == "Array"
