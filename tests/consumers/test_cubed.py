"""cubed, unmodified: xtensor computes each chunk of an array that is larger than its memory may be.

cubed reads its namespace from the environment when it is imported, so it runs in a process of its own. It stores chunks
as NumPy's arrays, so the device is one of the host.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import subprocess
import sys

import pytest

if importlib.util.find_spec("cubed") is None:
    pytest.skip("cubed is not installed: dependency group consumers", allow_module_level=True)

COMPUTATIONS = {
    "sum": ("cxp.sum(x)", "np.sum(values)"),
    "sum along an axis": ("cxp.sum(x, axis=0)", "np.sum(values, axis=0)"),
    "mean": ("cxp.mean(x, axis=1)", "np.mean(values, axis=1)"),
    "matmul": ("cxp.matmul(x, cxp.permute_dims(x, (1, 0)))", "values @ values.T"),
    "elementwise": ("cxp.exp(-x) * 2.0 + cxp.abs(x)", "np.exp(-values) * 2.0 + np.abs(values)"),
    "index": ("x[1:6:2, 3]", "values[1:6:2, 3]"),
    "argmax": ("cxp.argmax(x, axis=0)", "np.argmax(values, axis=0)"),
    "nanmean": ("cubed.nanmean(cxp.where(x > 0, x, np.nan))", "np.nanmean(np.where(values > 0, values, np.nan))"),
    "concat": ("cxp.concat([x, x], axis=1)", "np.concatenate([values, values], axis=1)"),
}

SCRIPT = """
import json
import sys

import numpy as np

import cubed
import cubed.array_api as cxp
from cubed.backend_array_api import namespace

import xtensor

folder, computations = sys.argv[1], json.loads(sys.argv[2])
values = np.random.default_rng(0).normal(size=(7, 5))
x = cxp.asarray(values, chunks=(3, 2), spec=cubed.Spec(folder, allowed_mem="100MB"))
places = set()


def seen(chunk):
    places.add((type(chunk) is xtensor.Array, str(chunk.device)))
    return chunk


cubed.map_blocks(seen, x, dtype=x.dtype).compute()
found = {"namespace": namespace.__name__, "places": sorted(places)}
for name, (computation, wanted) in computations.items():
    result = np.asarray(eval(computation).compute())
    found[name] = np.allclose(result, eval(wanted), rtol=1e-12, atol=1e-12)
print(json.dumps(found))
"""


def run(device, folder, computations):
    """The script's process on a device."""
    environment = {**os.environ, "CUBED_BACKEND_ARRAY_API_MODULE": "xtensor", "XTENSOR_DEVICE": device}
    arguments = [sys.executable, "-c", SCRIPT, folder, json.dumps(computations)]
    return subprocess.run(arguments, env=environment, capture_output=True, text=True)


@functools.cache
def found(device, folder):
    """What the script finds on a device: where the chunks are, and which computations give NumPy's values."""
    done = run(device, folder, COMPUTATIONS)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def on_host(lenient_device, tmp_path_factory):
    if not lenient_device.host:
        pytest.skip("cubed stores its chunks as NumPy's arrays")
    return found(str(lenient_device), str(tmp_path_factory.getbasetemp()))


def test_off_the_host_the_copy_that_stores_a_chunk_is_refused(lenient_device, tmp_path):
    if lenient_device.host:
        pytest.skip("the host's memory is NumPy's")
    assert (
        f"would copy an array from {lenient_device} to the host" in run(str(lenient_device), str(tmp_path), {}).stderr
    )


def test_chunks_are_arrays_on_the_device(on_host, lenient_device):
    assert on_host["namespace"] == "xtensor"
    assert on_host["places"] == [[True, str(lenient_device)]]


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_chunked_computation_is_numpys(on_host, name):
    assert on_host[name]
