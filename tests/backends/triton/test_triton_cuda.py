"""Triton's own driver and launcher on a stand-in for NVIDIA's library libcuda: arguments, lifetimes, memory, threads.

The stand-in for the library is compiled C, so that all of Triton's code runs that runs on a GPU except the kernels.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
COMPILER = shutil.which("gcc") or shutil.which("clang")
HEADERS = Path(sysconfig.get_paths()["include"]) / "Python.h"

PROGRAM = """
import sys, json, gc, threading, types, warnings
import numpy as np
import host_cupy
from triton_driver import HostArrays, aligned

case = sys.argv[1]
cupy = host_cupy.StandIn(devices=2 if case == "devices" else 1)
cupy.cuda.Device.compute_capability = "90"
stream = threading.local()
cupy.cuda.get_current_stream = lambda: types.SimpleNamespace(ptr=getattr(stream, "handle", 77))
sys.modules["cupy"] = cupy
if case == "torch":
    from test_triton_driver import torch_without_a_gpu
    sys.modules["torch"] = torch_without_a_gpu()

import ctypes
from xtensor_triton import _device
_device.DeviceMemory = HostArrays
libcuda = ctypes.CDLL("libcuda.so.1")

def make_current(device):
    # As CUDA's runtime does when its current device is chosen.
    context = ctypes.c_void_p()
    libcuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
    libcuda.cuCtxSetCurrent(context)
    cupy.current = device

class Device(cupy.cuda.Device):
    def __enter__(self):
        self._before.append(cupy.current)
        make_current(self.id)

    def __exit__(self, *_):
        make_current(self._before.pop())

cupy.cuda.Device, cupy.cuda.runtime.setDevice = Device, make_current
functions = [_device.kernel_functions(f"cuda:{index}") for index in range(cupy.cuda.runtime.getDeviceCount())]
x, y = aligned(4096), aligned(4096)
addresses, errors = [], []

def add(index=0):
    result = functions[index]["add"](x, y)
    assert result is not NotImplemented
    addresses.append([result.ctypes.data, x.ctypes.data, y.ctypes.data])
    gc.collect()

warnings.simplefilter("error")
if case == "memory":
    try:
        add()
    except MemoryError as error:
        errors.append(str(error))
for _ in range(3):
    for index in range(len(functions)):
        add(index)
if case == "threads":
    def work(handle):
        stream.handle = handle
        add()
    for handle in (5, 6):
        thread = threading.Thread(target=work, args=(handle,))
        thread.start()
        thread.join()
json.dump({"addresses": addresses, "errors": errors}, sys.stdout)
"""

pytestmark = [
    pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed"),
    pytest.mark.skipif(COMPILER is None or not HEADERS.exists(), reason="there is no C compiler, or no Python.h"),
]


@pytest.fixture(scope="module")
def libcuda(tmp_path_factory):
    """The folder with the stand-in for the library."""
    folder = tmp_path_factory.mktemp("libcuda")
    command = [COMPILER, "-shared", "-fPIC", "-O1", str(TESTS / "fake_cuda.c"), "-o", str(folder / "libcuda.so.1")]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture
def outcome(libcuda, tmp_path):
    """Run the program; return what it writes, and what reached the library."""

    def run(case, **environment):
        log = tmp_path / "log"
        log.touch()
        variables = {name: value for name, value in os.environ.items() if name not in ("TRITON_INTERPRET", "CC")}
        variables |= {
            "PYTHONPATH": os.pathsep.join(sys.path),
            "TRITON_LIBCUDA_PATH": str(libcuda),
            "LD_LIBRARY_PATH": str(libcuda),
            "TRITON_CACHE_DIR": str(libcuda / "cache"),
            "FAKE_CUDA_LOG": str(log),
            **environment,
        }
        done = subprocess.run([sys.executable, "-c", PROGRAM, case], capture_output=True, text=True, env=variables)
        assert done.returncode == 0, done.stderr[-3000:]
        assert done.stderr == ""  # exceptions in destructors are written there and change nothing else
        result = json.loads(done.stdout)
        result["events"] = log.read_text().splitlines()
        result["launches"] = [
            dict(part.split("=") for part in event.split()[2:])
            for event in result["events"]
            if event.startswith("launch")
        ]
        return result

    return run


@pytest.mark.parametrize("case", ["plain", "torch"])
def test_launches_get_their_arguments_and_modules_stay_loaded(outcome, case):
    result = outcome(case)
    assert [event.split()[:2] for event in result["events"] if not event.startswith("launch")] == [["load", "binary"]]
    for launch, addresses in zip(result["launches"], result["addresses"], strict=True):
        assert [int(launch[name]) for name in ("out", "x", "y")] == addresses
        assert launch.items() >= {"size": "4096", "grid": "4,1,1", "threads": "128", "stream": "77"}.items()


def test_a_load_for_which_memory_is_exhausted_is_repeated_by_the_next_call(outcome):
    result = outcome("memory", FAKE_CUDA_EXHAUSTED="1")
    assert result["errors"] == ["Triton Error [CUDA]: out of memory"]
    assert len(result["launches"]) == 3


def test_threads_launch_on_their_own_streams(outcome):
    assert [launch["stream"] for launch in outcome("threads")["launches"]] == ["77", "77", "77", "5", "6"]


def test_devices_launch_in_their_own_contexts(outcome):
    assert [launch["device"] for launch in outcome("devices")["launches"]] == ["0", "1"] * 3
