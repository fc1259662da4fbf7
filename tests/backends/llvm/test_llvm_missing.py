"""Machines on which LLVM is missing, too old, broken or cannot compile: NumPy serves, and a message tells why.

Every test is a process of its own, in which parts are replaced.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest

needs_llvm = pytest.mark.skipif(importlib.util.find_spec("llvmlite") is None, reason="needs llvmlite, xtensor[llvm]")

BEFORE = """
import importlib.metadata, sys, warnings
sys.path[:0] = {path!r}
"""

NO_LLVMLITE = """
sys.modules["llvmlite"] = None
version = importlib.metadata.version
def hide(name):
    if name == "llvmlite":
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)
importlib.metadata.version = hide
"""

OLD = """
version = importlib.metadata.version
importlib.metadata.version = lambda name: "0.43.0" if name == "llvmlite" else version(name)
"""

USE = """
import numpy as np
import xtensor as xp
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    x = xp.asarray(np.arange(1.0, 100_001.0), device="cpu")
    for _ in range(2):
        np.testing.assert_array_equal(np.asarray(x + 1), np.arange(2.0, 100_002.0))
        np.testing.assert_allclose(np.asarray(xp.sin(x)), np.sin(np.arange(1.0, 100_001.0)), atol=1e-15)
        assert float(xp.sum(x)) == 5000050000.0
        assert float(xp.fuse(lambda a: xp.sum(a * 2 + 1))(x)) == 10000200000.0
for item in caught:
    print(item.category.__name__, item.filename, item.message)
x.device.release_memory()
print(x.device.backend, xp.default_device(), x.device.memory().total > 0)
"""

STATE = """
import runpy
sys.argv = ["xtensor"]
runpy.run_module("xtensor", run_name="__main__")
"""


def run(program, **environment):
    """The lines that a program prints."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", BEFORE.format(path=sys.path) + program],
        capture_output=True,
        text=True,
        env={**os.environ, "XTENSOR_DEVICE": "", **environment},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("hidden", "reason"),
    [(NO_LLVMLITE, "llvmlite is not installed"), pytest.param(OLD, "llvmlite is 0.43.0", marks=pytest.mark.long)],
)
def test_without_a_recent_llvmlite_numpy_serves_the_cpu(hidden, reason):
    assert run(hidden + USE) == ["numpy cpu True"]
    (line,) = [line for line in run(hidden + STATE) if reason in line]
    assert "llvm" in line


@pytest.fixture
def broken(tmp_path):
    """A folder with an llvmlite whose shared library does not load."""
    package = tmp_path / "llvmlite"
    package.mkdir()
    (package / "__init__.py").write_text("__version__ = '0.50.0'\n")
    (package / "binding.py").write_text("raise OSError('Could not find/load shared object file')\n")
    metadata = tmp_path / "llvmlite-0.50.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: llvmlite\nVersion: 0.50.0\n")
    return f"sys.path.insert(0, {str(tmp_path)!r})\n"


def test_with_a_library_that_does_not_load_numpy_serves_the_cpu(broken):
    assert run(broken + USE) == ["numpy cpu True"]
    assert any("Could not find/load shared object file" in line for line in run(broken + STATE))


@needs_llvm
def test_where_kernels_cannot_be_imported_numpy_computes_and_one_warning_is_issued():
    warning, state = run("sys.modules['xtensor_backends.llvm._loops'] = None\n" + USE)
    assert warning.startswith("RuntimeWarning <string> device cpu works without its compiled kernels")
    assert state == "llvm cpu True"


CANNOT_COMPILE = """
from xtensor_backends.llvm import _compile
def failing(source):
    raise RuntimeError("LLVM rejects the module")
_compile._compile = failing
"""


@needs_llvm
def test_where_llvm_cannot_compile_a_kernel_numpy_computes_and_one_warning_is_issued(tmp_path):
    warning, state = run(CANNOT_COMPILE + USE, XTENSOR_CACHE_DIR=str(tmp_path))
    assert warning == (
        "RuntimeWarning <string> NumPy computes in the place of a kernel of device cpu, because LLVM cannot compile "
        "it: RuntimeError: LLVM rejects the module"
    )
    assert state == "llvm cpu True"


@needs_llvm
def test_without_the_compiled_module_kernels_compute_on_one_thread():
    program = """
import numpy as np
from xtensor_backends import llvm
from xtensor_backends.llvm import _memory, _runtime, _threads
import xtensor as xp
assert _runtime.compiled is None and _threads.threads() == 1 and _memory.allocator() is np.empty
numbers = np.linspace(0.1, 1.0, 300_000)
x = xp.asarray(numbers, device="cpu")
with llvm.count_calls() as calls:
    np.testing.assert_allclose(np.asarray(xp.exp(x) + x), np.exp(numbers) + numbers, rtol=1e-14)
    np.testing.assert_allclose(float(xp.sum(xp.log(x))), np.sum(np.log(numbers)), rtol=1e-12)
    assert np.array_equal(np.asarray(xp.sort(x[::-1])), numbers)
device = xp.device("cpu")
device.release_memory()
device.limit_pool(1000)
print(sorted(calls.kernels), device.memory().pool_used)
"""
    (line,) = run(program, XTENSOR_COMPILED="0")
    assert line == "['add', 'exp', 'sum'] 0"


@needs_llvm
def test_warning_of_a_kernel_that_cannot_be_compiled_may_be_an_error(tmp_path):
    program = (
        CANNOT_COMPILE
        + """
import numpy as np
import xtensor as xp
x = xp.asarray(np.ones(100_000), device="cpu")
warnings.simplefilter("error")
try:
    x + 1
except RuntimeWarning as error:
    print(error)
print(float(xp.sum(x + 1)))
"""
    )
    message, total = run(program, XTENSOR_CACHE_DIR=str(tmp_path))
    assert message.startswith("NumPy computes in the place of a kernel")
    assert total == "200000.0"


WITHOUT_AVX = """
from xtensor_backends.llvm import _compile
triple, _, _ = _compile._host()
_compile._host = lambda: (triple, "x86-64", "")
import numpy as np
import xtensor as xp, xtensor_backends.llvm
rng = np.random.default_rng(0)
y = rng.normal(size=100_000)
with xtensor_backends.llvm.count_calls() as calls:
    for dtype in ("float32", "float64"):
        x = y.astype(dtype)
        a = xp.asarray(x, device="cpu")
        np.testing.assert_array_equal(np.asarray(a * a + 1), x * x + x.dtype.type(1))
        np.testing.assert_array_equal(np.asarray(xp.less(a, 0.5)), x < 0.5)
        wide = x.astype(np.longdouble)
        for name in ("sin", "cos", "exp", "tanh", "expm1"):
            exact = getattr(np, name)(wide)
            result = np.asarray(getattr(xp, name)(a))
            assert np.max(np.abs(result - exact) / np.spacing(np.abs(exact.astype(dtype)))) <= 4.5, name
        np.testing.assert_allclose(np.asarray(xp.sum(a)), np.sum(wide), rtol=1e-3)
        assert np.asarray(xp.max(a)) == np.max(x)
assert not calls.doubtful and calls.kernels["sin"] == 2, calls.kernels
assert not _compile.has_fma()
from xtensor_backends.llvm import _elementwise, _loops
plan = _elementwise._plan("add", (y.dtype, y.dtype))
code = _compile.assembly(_loops.elementwise_module(plan, _loops.Layout("ccc"), has_fma=False))
print("addpd" in code, "ymm" in code or "zmm" in code)
"""


@needs_llvm
@pytest.mark.skipif(os.uname().machine != "x86_64" if hasattr(os, "uname") else True, reason="not an x86 machine")
def test_kernels_of_a_cpu_without_avx_compute(tmp_path):
    assert run(WITHOUT_AVX, XTENSOR_CACHE_DIR=str(tmp_path)) == ["True False"]
