"""The chunks that ``xtensor.best_device`` advises where no device has room, and the memory that they take on dask."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("dask.array", reason="dask is not installed: extra dask")
pytest.importorskip("distributed", reason="distributed is not installed: extra dask")

PROGRAM = """
import ast, re
import dask
import xtensor as xp
from estimate_jobs import memory
from xtensor._advice import choice

FREE = 400 * 10**6
choice._free = lambda place: FREE


def function(x):
    y = x - 1.0
    return y.T @ y / x.shape[0]


shape = (800_000, 100)
advice = xp.best_device(function, xp.empty(shape, device="meta"))
assert advice.device is None
lengths = ast.literal_eval(re.search(r"largest argument (\\(.*?\\)) of", advice.reasons[-1])[1])


def run(shape):
    with dask.config.set({"array.chunk-size": "8 MB"}):
        x = xp.random.default_rng(0, device="dask").normal(size=shape)
    return float(function(xp.engines.rechunk(x, lengths))[0, 0])


run((1000, 100))  # imports, compiles and starts threads
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = memory("VmRSS")
result = run(shape)
print(abs(result - 2) < 0.02, memory("VmHWM") - before, FREE)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the high-water mark of memory is read from /proc")
def test_advised_chunks_are_within_the_free_memory():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    right, peak, free = done.stdout.split()
    assert right == "True"
    assert int(peak) < int(free)
