"""Triton kernels and the driver: loads, exhausted memory, threads, contexts, devices, PyTorch; without a GPU.

Each scenario is a process of its own, as a process either compiles or interprets. This file, run as a program
with the name of a scenario, writes what the scenario returns as JSON.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
import types
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from toy import ToyBackend
from triton_driver import OUT_OF_MEMORY, Driver, HostArrays, aligned, device

SCENARIOS = {}


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


def warned(call):
    """The messages of the warnings of a call."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(item.message) for item in caught]


# -- modules ----------------------------------------------------------------------------------------------------------


@scenario
def loaded_once():
    gpu = device()
    x = aligned(4096)
    for _ in range(3):
        gpu.negative(x)
        gc.collect()
    return gpu.driver.events


# -- exhausted memory -------------------------------------------------------------------------------------------------


def exhausted(kind, errors):
    """A call that raises, and what the next one does."""
    gpu = device(target={"cuda": ("cuda", 90, 32), "hip": ("hip", "gfx942", 64)}[kind])
    getattr(gpu.driver, errors).append(OUT_OF_MEMORY[kind])
    x, raised = aligned(4096), None

    def calls():
        nonlocal raised
        try:
            gpu.negative(x)
        except Exception as error:
            raised = [type(error).__name__, str(error)]
        assert gpu.negative(x) is not NotImplemented

    return {"warnings": warned(calls), "raised": raised, "launches": len(gpu.recorded)}


@scenario
def memory_exhausted_by_a_load():
    return {kind: exhausted(kind, "load_errors") for kind in OUT_OF_MEMORY}


@scenario
def memory_exhausted_by_a_launch():
    return {kind: exhausted(kind, "launch_errors") for kind in OUT_OF_MEMORY}


@scenario
def memory_is_released_and_the_call_repeated():
    import xtensor as xp
    from xtensor.backend import Overlay

    gpu, released = device(), []

    class Storage(ToyBackend):
        def release_memory(self, spec):
            released.append(spec)

    storage = Storage(specs=("toy:0",))

    class Kernels(Overlay):
        name, kinds = "kernels", ("toy",)

        def probe(self):
            return "1.0"

        def devices(self):
            return ("toy:0",)

        def storage(self, spec):
            return storage, spec

        def kernels(self, spec):
            return gpu.functions

        def rank(self, spec):
            return -10

    xp.register_backend(storage)
    xp.register_backend(Kernels())
    x = xp.ones(4096, dtype=xp.float32, device="kernels:0")
    gpu.driver.load_errors.append(OUT_OF_MEMORY["cuda"])
    messages = warned(lambda: xp.negative(x))
    gpu.driver.launch_errors += [OUT_OF_MEMORY["cuda"]] * 2
    try:
        xp.negative(x)
    except MemoryError as error:
        raised = [type(error).__name__, str(error)]
    return {"released": released, "warnings": messages, "raised": raised, "launches": len(gpu.recorded)}


@scenario
def invalid_kernel():
    gpu = device()
    gpu.driver.load_errors.append("CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid")
    x = aligned(4096)
    return {
        "warnings": warned(lambda: [gpu.negative(x), gpu.negative(x)]),
        "declined": gpu.negative(x) is NotImplemented,
        "launches": len(gpu.recorded),
    }


# -- threads and devices ----------------------------------------------------------------------------------------------


@scenario
def threads_have_streams_of_their_own():
    gpu, errors = device(), []
    start = threading.Barrier(4)

    def work(number):
        try:
            start.wait()
            for _ in range(5):
                gpu.negative(aligned(4096))
                gpu.sum(aligned(1000 + number))
        except Exception as error:
            errors.append(repr(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"errors": errors, "streams": len({launch["stream"] for launch in gpu.recorded})}


@scenario
def threads_get_a_context():
    gpu, errors = device(needs_context=True), []
    gpu.negative(aligned(4096))

    def work():
        try:
            gpu.negative(aligned(4096))
            gpu.sqrt(aligned(4096))
        except Exception as error:
            errors.append(repr(error))

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    return {"errors": errors, "launches": len(gpu.recorded)}


@scenario
def devices_have_kernels_of_their_own():
    """Two devices through the stand-in for CuPy, called by turns, also while the other one is current."""
    import host_cupy

    from xtensor_backends.triton import _device, _driver

    cupy, driver = host_cupy.StandIn(devices=2), Driver()
    driver.get_current_device = lambda: cupy.current
    sys.modules["cupy"] = cupy
    _driver.Driver = lambda library: driver
    _device.DeviceMemory = HostArrays
    functions = [_device.kernel_functions(f"cuda:{index}") for index in range(2)]
    for current in range(2):
        for index in range(2):
            cupy.current = current
            functions[index]["negative"](np.ones(64, np.float32))
            assert cupy.current == current
    return {"events": driver.events, "streams": [launch["stream"] for launch in driver.launches]}


# -- Triton's active driver --------------------------------------------------------------------------------------------


@scenario
def others_kernels():
    """Triton chooses its driver when the user's kernels first need one: with PyTorch for the CPU it finds none."""
    from triton.runtime import driver

    torch = types.ModuleType("torch")
    torch.cuda = types.SimpleNamespace(is_available=lambda: False)
    torch.version = types.SimpleNamespace(hip=None)
    sys.modules["torch"] = torch
    gpu = device()
    messages = warned(lambda: [gpu.negative(aligned(size)) for size in (4096, 4096, 17)])
    return {"warnings": messages, "launches": len(gpu.recorded), "chosen": driver._active is not None}


# -- tests ------------------------------------------------------------------------------------------------------------

if __name__ != "__main__" and find_spec("triton") is None:  # importing it would choose compiling
    pytest.skip("Triton is not installed", allow_module_level=True)


def outcome(name):
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)  # modules of tests/
    result = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stderr == ""  # exceptions in destructors are written there and change nothing else
    return json.loads(result.stdout)


def test_a_kernel_is_loaded_once():
    assert outcome("loaded_once") == ["load unary", *["launch unary"] * 3]


@pytest.mark.parametrize("name", ["memory_exhausted_by_a_load", "memory_exhausted_by_a_launch"])
@pytest.mark.parametrize("kind", OUT_OF_MEMORY)
def test_exhausted_memory_is_a_memory_error_and_the_kernel_is_used_again(name, kind):
    result = outcome(name)[kind]
    assert result == {"warnings": [], "raised": ["MemoryError", OUT_OF_MEMORY[kind]], "launches": 1}


def test_memory_is_released_and_the_call_repeated_if_a_module_does_not_load():
    result = outcome("memory_is_released_and_the_call_repeated")
    assert result["released"] == ["toy:0", "toy:0"]
    assert result["warnings"] == []
    assert result["raised"][0] == "OutOfMemoryError"
    assert result["launches"] == 1


def test_a_module_that_is_invalid_is_declined_with_one_warning():
    result = outcome("invalid_kernel")
    assert result["declined"]
    assert len(result["warnings"]) == 1
    assert "image is invalid" in result["warnings"][0]
    assert result["launches"] == 0


def test_threads_launch_on_their_own_streams():
    assert outcome("threads_have_streams_of_their_own") == {"errors": [], "streams": 4}


def test_a_thread_without_a_context_gets_one():
    assert outcome("threads_get_a_context") == {"errors": [], "launches": 5}


def test_each_device_loads_its_own_kernels_and_launches_on_its_own_stream():
    result = outcome("devices_have_kernels_of_their_own")
    assert result["events"].count("launch unary") == 4
    first, second = result["streams"][:2]
    assert result["streams"] == [first, second, first, second]
    assert first != second


def test_kernels_leave_tritons_choice_of_a_driver_to_others():
    assert outcome("others_kernels") == {"warnings": [], "launches": 3, "chosen": False}


if __name__ == "__main__":
    json.dump(SCENARIOS[sys.argv[1]](), sys.stdout)
