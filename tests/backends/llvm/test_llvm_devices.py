"""The device cpu with kernels beside the rest of the process: memory, exports, threads, processes, other targets."""

from __future__ import annotations

import gc
import importlib.util
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

import xtensor as xp

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

from llvm_kernels import COUNT, by_kernel

from xtensor.backend import Program, Step
from xtensor_backends.llvm import _compile, _memory
from xtensor_backends.llvm._loops import Layout, elementwise_module
from xtensor_backends.llvm._reduction_loops import columns_module, rows_module

needs_pool = pytest.mark.skipif(
    os.name != "posix" or sys.implementation.name != "cpython", reason="NumPy's own memory is used here"
)


@pytest.fixture
def cpu():
    return xp.device("cpu")


def test_cpu_has_the_kernels_and_numpy_is_the_library_alone(cpu):
    assert (cpu.backend, str(cpu), repr(cpu)) == ("llvm", "cpu", "Device('cpu')")
    plain = xp.device("numpy")
    assert (plain.backend, str(plain), repr(plain)) == ("numpy", "numpy", "Device('numpy')")


@pytest.mark.parametrize("names", [["numpy"], ["numpy", "llvm"]])
def test_priority_gives_the_device_cpu_to_the_library(names):
    try:
        xp.set_backend_priority(names)
        assert xp.device("cpu").backend == xp.default_device().backend == "numpy"
        assert xp.device("llvm").backend == "llvm"
        assert str(xp.device("llvm")) == "llvm"
    finally:
        xp.set_backend_priority([])
    assert xp.device("cpu").backend == "llvm"


def test_environment_names_the_library_as_default_device():
    program = f"import sys; sys.path[:0] = {sys.path!r}; import xtensor as xp; print(xp.zeros(1).device)"
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "XTENSOR_DEVICE": "numpy"}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "numpy", done.stderr


def test_arrays_move_between_the_two_devices_with_the_same_memory(cpu):
    plain = xp.device("numpy")
    x = xp.arange(COUNT, dtype=xp.float64, device=cpu)
    y = x.to_device(plain)
    assert (x.device, y.device) == (cpu, plain)
    np.testing.assert_array_equal(np.asarray(y), np.asarray(x))
    np.testing.assert_array_equal(np.asarray(xp.asarray(y, device=cpu)), np.asarray(x))


@pytest.mark.parametrize("name", ["cpu", "numpy"])
def test_pickles_keep_the_device(name):
    x = xp.sin(xp.ones(COUNT, device=name))
    found = pickle.loads(pickle.dumps(x))
    assert found.device is x.device
    np.testing.assert_array_equal(np.asarray(found), np.asarray(x))


def test_pickle_of_a_process_with_kernels_is_read_where_there_are_none(tmp_path):
    (tmp_path / "x").write_bytes(pickle.dumps(xp.sin(xp.ones(COUNT, device="cpu"))))
    program = f"""
import sys; sys.path[:0] = {sys.path!r}
sys.modules["llvmlite"] = None
import pickle
import xtensor as xp
x = pickle.load(open({str(tmp_path / "x")!r}, "rb"))
print(x.device, x.device.backend, x.shape)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == f"cpu numpy ({COUNT},)", done.stderr


def test_memory_that_others_write_to_is_read_by_kernels(cpu):
    count = 600_000
    array = np.zeros(count)
    x = xp.asarray(array, device=cpu, copy=False)
    assert float(xp.sum(by_kernel(xp.add, x, 1.0))) == count
    array[:] = 2.0
    assert float(by_kernel(xp.sum, x)) == 2 * count
    exported = np.asarray(x)
    exported[0] = 100.0
    assert float(by_kernel(xp.max, x)) == 100.0


def test_exported_results_keep_their_memory(cpu):
    views = [np.from_dlpack(xp.full(COUNT, float(number), device=cpu) + 1) for number in range(20)]
    gc.collect()
    for _ in range(50):
        xp.sin(xp.ones(COUNT, device=cpu))
    assert [view[-1] for view in views] == [number + 1.0 for number in range(20)]


@needs_pool
def test_memory_of_the_pool_is_counted_and_released(cpu):
    gc.collect()
    cpu.release_memory()
    before = cpu.memory()
    x = xp.ones(1 << 20, device=cpu)
    y = by_kernel(xp.add, x, 1.0)
    during = cpu.memory()
    assert during.pool_used - before.pool_used >= 8 << 20
    del y
    kept = cpu.memory()
    assert kept.pool_used == before.pool_used
    assert kept.pool_total - kept.pool_used >= 8 << 20
    cpu.release_memory()
    assert cpu.memory().pool_total == cpu.memory().pool_used == before.pool_used
    assert _memory.held() == 0


@needs_pool
def test_pool_keeps_what_its_limit_allows(cpu):
    before = _memory.limit()
    try:
        cpu.limit_pool(1 << 20)
        sums = [by_kernel(xp.add, xp.ones(1 << 18, device=cpu), 1.0) for _ in range(4)]
        del sums
        gc.collect()
        assert _memory.held() <= 1 << 20
        cpu.limit_pool(0)
        assert _memory.held() == 0
    finally:
        cpu.limit_pool(before)


def compute(seed):
    x = xp.asarray(np.random.default_rng(seed).normal(size=200_000), device="cpu")
    return [float(xp.sum(xp.sin(x))), float(xp.var(x * 2 + 1)), float(xp.max(xp.abs(x)))]


@pytest.mark.parametrize(
    "method", [name for name in ("fork", "spawn") if name in multiprocessing.get_all_start_methods()]
)
def test_child_processes_compute_with_kernels(method):
    expected = [compute(seed) for seed in range(3)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(compute, range(3)) == expected
    assert [compute(seed) for seed in range(3)] == expected


def test_threads_compute_at_once():
    expected = [compute(seed) for seed in range(6)]
    wrong = []

    def work(number):
        for turn in range(15):
            seed = (number + turn) % 6
            if compute(seed) != expected[seed]:
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_threads_that_compile_the_same_kernel_get_one_result(tmp_path):
    program = f"""
import sys; sys.path[:0] = {sys.path!r}
import threading
import numpy as np
import xtensor as xp
x = xp.asarray(np.linspace(0.1, 5, 100_000), device="cpu")
barrier, found = threading.Barrier(8), []
def work():
    barrier.wait()
    found.append(np.asarray(xp.tan(x)).tobytes())
threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(found), len(set(found)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "XTENSOR_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["8", "1"], done.stderr


# -- other targets ----------------------------------------------------------------------------------------------------

TARGETS = {
    "aarch64": ("aarch64-unknown-linux-gnu", "neoverse-n1", r"\bfadd\s+v\d+\.2d", r"\bfadd\s+v\d+\.4s"),
    "avx2": ("x86_64-unknown-linux-gnu", "haswell", r"\bvaddpd\b.*%ymm", r"\bvaddps\b.*%ymm"),
    "sse2": ("x86_64-unknown-linux-gnu", "x86-64", r"\baddpd\b.*%xmm", r"\baddps\b.*%xmm"),
}


@pytest.mark.parametrize("layouts", ["ccc", "csc", "scc"])
@pytest.mark.parametrize("target", TARGETS)
def test_elementwise_loops_are_vector_code(target, layouts):
    triple, cpu, *patterns = TARGETS[target]
    for dtype, pattern in zip(("float64", "float32"), patterns, strict=True):
        program = Program((dtype, dtype), (), (Step("add", (0, 1), dtype),), (2,), checks=True)
        module = elementwise_module(program, Layout(layouts), has_fma=target != "sse2")
        assert re.search(pattern, _compile.assembly(module, triple=triple, cpu=cpu)), dtype


@pytest.mark.parametrize(
    ("target", "instruction"), [("aarch64", r"\bstnp\s+q"), ("avx2", r"\bvmovntp"), ("sse2", r"\bmovntp")]
)
def test_stores_past_the_caches_are_their_instructions(target, instruction):
    triple, cpu, *_ = TARGETS[target]
    program = Program(("float64", "float64"), (), (Step("add", (0, 1), "float64"),), (2,), checks=True)
    for streams in (True, False):
        module = elementwise_module(program, Layout("ccc", streams=streams), has_fma=False)
        assert bool(re.search(instruction, _compile.assembly(module, triple=triple, cpu=cpu))) == streams


@pytest.mark.parametrize("make", [rows_module, columns_module])
@pytest.mark.parametrize("target", TARGETS)
def test_reduction_loops_are_vector_code(target, make):
    triple, cpu, *patterns = TARGETS[target]
    for dtype, pattern in zip(("float64", "float32"), patterns, strict=True):
        program = Program((dtype,), (), (), (), (("sum", 0),))
        module = make(program, "c", has_fma=target != "sse2")
        assert re.search(pattern, _compile.assembly(module, triple=triple, cpu=cpu)), dtype


def test_formulas_are_vector_code_on_aarch64():
    program = Program(("float64",), (), (Step("sin", (0,), "float64"),), (1,), checks=True)
    code = _compile.assembly(
        elementwise_module(program, Layout("cc"), has_fma=True), triple="aarch64-unknown-linux-gnu", cpu="neoverse-n1"
    )
    assert re.search(r"\bfmla\s+v\d+\.2d", code)
