"""Triton kernels and the driver: lifetimes of modules, exhausted memory, threads, devices, PyTorch; without a GPU.

Each scenario is a process of its own, because Triton has one active driver in a process. This file, run as a program
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
def module_lives_with_its_launch():
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
    gpu.driver.load_errors.append("Triton Error [CUDA]: device kernel image is invalid")
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
def devices_have_kernels_of_their_own():
    """Two devices through the stand-in for CuPy, called by turns, also while the other one is current."""
    import host_cupy

    from xtensor_triton import _device, _driver

    cupy, driver = host_cupy.StandIn(devices=2), Driver()
    driver.get_current_device = lambda: cupy.current
    cupy.cuda.get_current_stream = lambda: types.SimpleNamespace(ptr=driver.stream())
    sys.modules["cupy"] = cupy
    _driver.gpu_driver = lambda library: driver
    _device.DeviceMemory = HostArrays
    functions = [_device.kernel_functions(f"cuda:{index}") for index in range(2)]
    for current in range(2):
        for index in range(2):
            cupy.current = current
            functions[index]["negative"](np.ones(64, np.float32))
            assert cupy.current == current
    return {"events": driver.events, "streams": [launch["stream"] for launch in driver.launches]}


# -- the active driver ------------------------------------------------------------------------------------------------


def torch_without_a_gpu():
    """A stand-in for PyTorch built for the CPU."""
    torch = types.ModuleType("torch")
    torch.cuda = types.SimpleNamespace(is_available=lambda: False)
    torch.version = types.SimpleNamespace(hip=None)
    return torch


def others_driver():
    """The class of the active driver that the user's own kernels get, or the error."""
    from triton.runtime import driver

    try:
        return type(driver.active.utils).__name__
    except RuntimeError as error:
        return str(error)[:16]


@scenario
def torch_before():
    sys.modules["torch"] = torch_without_a_gpu()
    gpu = device()
    messages = warned(lambda: [gpu.negative(aligned(4096)) for _ in range(3)])
    return {"warnings": messages, "launches": len(gpu.recorded), "others": others_driver()}


@scenario
def torch_after():
    gpu = device()
    gpu.negative(aligned(4096))
    sys.modules["torch"] = torch_without_a_gpu()
    messages = warned(lambda: [gpu.negative(aligned(size)) for size in (4096, 17)])
    return {"warnings": messages, "launches": len(gpu.recorded), "others": others_driver()}


class Chosen(Driver):
    """The driver that Triton would choose."""


@scenario
def driver_chosen_later():
    """Triton chooses a driver when the user's kernels first need one; it is not ours, before and after our launches."""
    from triton.runtime import driver

    chosen = []
    type(driver).default = property(lambda self: (chosen or chosen.append(Chosen()) or chosen)[0])
    gpu = device()
    gpu.negative(aligned(4096))
    before = len(chosen)
    first = others_driver()
    direct = type(driver.active).__name__
    gpu.sqrt(aligned(4096))
    gpu.negative(aligned(4096))
    return {"before": before, "others": [first, direct, type(driver.active).__name__], "launches": len(gpu.recorded)}


@scenario
def driver_of_other_threads():
    """While a kernel is compiled and loaded, other threads have their own active driver; afterwards all have."""
    import triton
    from triton.runtime import driver

    other = Chosen()
    driver.set_active(other)
    gpu, seen = device(), []
    compile_kernel = triton.compile

    def compile_slowly(*args, **options):
        seen.append(type(driver.active.utils).__name__)
        thread = threading.Thread(target=lambda: seen.append(type(driver.active.utils).__name__))
        thread.start()
        thread.join()
        return compile_kernel(*args, **options)

    triton.compile = compile_slowly
    gpu.negative(aligned(4096))
    return {"seen": seen, "after": driver.active is other, "launches": len(gpu.recorded), "others": other.events}


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


def test_a_module_is_loaded_as_long_as_its_kernel_is_launched():
    events = outcome("module_lives_with_its_launch")
    assert [event for event in events if event.startswith("launch")] == ["launch unary"] * 3
    assert not [event for event in events if event.startswith("unload")]


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


def test_each_device_loads_its_own_kernels_and_launches_on_its_own_stream():
    result = outcome("devices_have_kernels_of_their_own")
    assert result["events"].count("launch unary") == 4
    first, second = result["streams"][:2]
    assert result["streams"] == [first, second, first, second]
    assert first != second


@pytest.mark.parametrize("name", ["torch_before", "torch_after"])
def test_kernels_run_beside_a_torch_without_a_gpu(name):
    result = outcome(name)
    assert result["warnings"] == []
    assert result["launches"] == 3
    assert result["others"] == "0 active drivers"


def test_triton_chooses_the_driver_of_other_kernels_when_they_need_it():
    result = outcome("driver_chosen_later")
    assert result == {"before": 0, "others": ["Chosen"] * 3, "launches": 3}


def test_our_driver_is_active_only_in_the_thread_that_loads_a_kernel():
    result = outcome("driver_of_other_threads")
    assert result["seen"][::2] == ["Driver"] * (len(result["seen"]) // 2)
    assert result["seen"][1::2] == ["Chosen"] * (len(result["seen"]) // 2)
    assert result["after"]
    assert result["launches"] == 1
    assert result["others"] == []


if __name__ == "__main__":
    json.dump(SCENARIOS[sys.argv[1]](), sys.stdout)
