"""cubed, unmodified: xtensor computes the chunks of its arrays.

cubed reads the name of its namespace from the environment at import, so it runs in a subprocess. It stores chunks as
NumPy arrays, so the tests require a device in host memory.
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
    "std": ("cxp.std(x, axis=0)", "np.std(values, axis=0)"),
    "take": ("cxp.take(x, cxp.asarray([3, 0], spec=x.spec), axis=0)", "np.take(values, [3, 0], axis=0)"),
    "var": ("cxp.var(x)", "np.var(values)"),
    "var of a sample": ("cxp.var(x, axis=1, correction=1)", "np.var(values, axis=1, ddof=1)"),
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
chunks = set()


def record(chunk):
    chunks.add((type(chunk) is xtensor.Array, str(chunk.device)))
    return chunk


cubed.map_blocks(record, x, dtype=x.dtype).compute()
results = {"namespace": namespace.__name__, "chunks": sorted(chunks)}
for name, (computation, expected) in computations.items():
    result = np.asarray(eval(computation).compute())
    results[name] = np.allclose(result, eval(expected), rtol=1e-12, atol=1e-12)
print(json.dumps(results))
"""


def run(device, folder, computations):
    """Run the script in a subprocess on a device."""
    environment = {**os.environ, "CUBED_BACKEND_ARRAY_API_MODULE": "xtensor", "XTENSOR_DEVICE": device}
    arguments = [sys.executable, "-c", SCRIPT, folder, json.dumps(computations)]
    return subprocess.run(arguments, env=environment, capture_output=True, text=True)


@functools.cache
def results_of(device, folder):
    """Return the script's results: classes and devices of chunks, and which computations agree with NumPy."""
    done = run(device, folder, COMPUTATIONS)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def results(lenient_device, tmp_path_factory):
    if not lenient_device.host:
        pytest.skip("requires a device in host memory")
    return results_of(str(lenient_device), str(tmp_path_factory.getbasetemp()))


def test_chunk_off_the_host_is_not_copied_implicitly(lenient_device, tmp_path):
    if lenient_device.host:
        pytest.skip("requires a device off the host")
    assert (
        f"would copy an array from {lenient_device} to the host" in run(str(lenient_device), str(tmp_path), {}).stderr
    )


def test_chunks_are_arrays_of_the_device(results, lenient_device):
    assert results["namespace"] == "xtensor"
    assert results["chunks"] == [[True, str(lenient_device)]]


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_chunked_computation_agrees_with_numpy(results, name):
    assert results[name]
