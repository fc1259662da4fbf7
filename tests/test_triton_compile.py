"""Every Triton kernel compiles for sm_80, sm_90 and gfx942, without a GPU: within its registers, and with wide loads.

The kernels are those that the functions ask for: each function is called with operands of every dtype and of several
layouts, and what it would launch is noted. Compiling needs a process in which Triton does not interpret, which is this
file run as a program; it writes what it finds as JSON.

By default every ``STEP``-th of all kernels and targets is compiled, and every function at least once;
``XTENSOR_TESTS_PROFILE=long`` compiles all of them.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

TARGETS = {"sm_80": ("cuda", 80, 32), "sm_90": ("cuda", 90, 32), "gfx942": ("hip", "gfx942", 64)}

STEP = 67
"""Prime, so that functions, dtypes and targets all take their turn."""

SHARED = 48 * 1024
"""Bytes of shared memory that a block has on every GPU without asking for more."""

MOST_SHARED = {"sm_80": 163 * 1024, "sm_90": 227 * 1024, "gfx942": 64 * 1024}
"""Those that a block can ask for, as kernels that multiply matrices do."""

MATRICES = ("matmul", "nn.linear", "nn.scaled_dot_product_attention")

STACK = 96
"""Bytes of a thread's stack: libdevice's reduction of large angles has a table there; spills would come on top."""

DTYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
)

REDUCTIONS = ("sum", "prod", "max", "min", "mean", "var", "std", "any", "all", "argmax", "argmin", "count_nonzero")


class Asked(NamedTuple):
    """A kernel that a function asked for."""

    function: str
    dtype: str
    kernel: Any
    types: tuple[Any, ...]
    constants: dict[str, Any]
    known: tuple[Any, ...]
    options: dict[str, Any]


class Recorder:
    """A launcher that notes what it would launch."""

    interprets = False

    def __init__(self, target):
        from triton.backends.compiler import GPUTarget

        self.asked: dict[Any, Asked] = {}
        self.target = GPUTarget(*TARGETS[target])
        self.now = ("", "")

    def kernel(self, function, types, constants, *, warps=4, stages=None):
        from xtensor_triton._launch import DeviceKernel

        recorder = self

        class Noted(DeviceKernel):
            def _compiled(self, known):
                key = (function.__name__, types, tuple(map(str, constants.values())), known)
                asked = Asked(*recorder.now, function, types, constants, known, self.options)
                recorder.asked.setdefault(key, asked)
                return lambda programs, *args: None

        noted = Noted(self, function, types, constants, {})
        noted.options = {"num_warps": warps} | ({} if stages is None else {"num_stages": stages})
        return noted


def catalogue(target: str) -> list[Asked]:
    """The kernels of all functions, dtypes and layouts for a target."""
    import xtensor as xp
    from xtensor_triton import _device, _dtypes, _matrices, _table
    from xtensor_triton._fallthrough import Context
    from xtensor_triton._storage import HostMemory

    recorder = Recorder(target)
    functions = _device.functions_over(Context(HostMemory(), recorder), xp.device("cpu").xp)
    # No product was measured here: the kernel is what is to be compiled.
    _matrices.measured = lambda *product: _matrices.Blocks(128, 128, 32, 8, 8, 3)

    def call(name, dtype, *args, **kwargs):
        recorder.now = (name, str(dtype))
        # Dtypes that neither a kernel nor NumPy takes are refused by NumPy.
        refused = contextlib.suppress(TypeError, ValueError)
        with warnings.catch_warnings(), np.errstate(all="ignore"), refused:
            warnings.simplefilter("ignore")
            functions[name](*args, **kwargs)

    dtypes = [*(np.dtype(name) for name in DTYPES), _dtypes.BFLOAT16]
    for dtype in dtypes:
        x = np.ones(4096, dtype)
        matrix = x.reshape(64, 64)
        odd, across = x[:-1], matrix[:, :32].T
        for name in sorted(_table.UNARY.keys() - {"nn.gelu", "nn.gelu_tanh"}):
            for operand in (x, odd, across):
                call(name, dtype, operand)
        for name in _table.BINARY:
            scalar = {"b": True, "i": 2, "u": 2}.get(dtype.kind, 2.5)
            for operands in ((x, x), (odd, odd), (matrix, x[:64]), (x, scalar)):
                call(name, dtype, *operands)
            if f"inplace.{name}" in functions:
                call(f"inplace.{name}", dtype, matrix, matrix.T.copy().T)
        call("where", dtype, np.ones(4096, bool), x, x)
        call("where", dtype, np.ones((64, 1), bool), matrix, scalar)
        call("clip", dtype, x, x, x)
        call("clip", dtype, across, scalar, scalar)
        for target in dtypes:
            call("astype", dtype, x, target)
        long = np.ones(1 << 17, dtype)
        for name in REDUCTIONS:
            for axis in (0, 1):
                call(name, dtype, matrix, axis=axis)
            call(name, dtype, long)
        for name in ("cumulative_sum", "cumulative_prod"):
            call(name, dtype, matrix, axis=0)
            call(name, dtype, matrix, axis=1, include_initial=True)
            call(name, dtype, long, axis=0)
        if dtype.kind in "fV":
            neural_networks(call, dtype)
    for x, y in ((np.int64, np.uint64), (np.uint64, np.int64)):
        for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
            call(name, f"{np.dtype(x)}, {np.dtype(y)}", np.ones(64, x), np.ones(64, y))
    return list(recorder.asked.values())


def neural_networks(call: Any, dtype: Any) -> None:
    """The functions of ``xtensor.nn.functional``, on short rows, on long ones, and on columns."""
    short, long = np.ones((64, 256), dtype), np.ones((2, 100_000), dtype)
    across = np.ones((256, 64), dtype).T
    for x in (short, np.ones((2, 30_000), dtype), long, across):
        last, parameter = x.ndim - 1, np.ones(x.shape[-1], dtype)
        for name in ("nn.softmax", "nn.log_softmax"):
            call(name, dtype, x, axis=last)
        call("nn.layer_norm", dtype, x, parameter, parameter, axes=(last,), eps=1e-5)
        call("nn.rms_norm", dtype, x, parameter, axes=(last,), eps=1e-6)
        for smoothing, ignored in ((0.0, None), (0.1, -100)):
            options = {"label_smoothing": smoothing, "ignore_index": ignored, "reduction": "none"}
            call("nn.cross_entropy", dtype, x, np.zeros(len(x), np.int64), **options)
    for interleaved in (False, True):
        angles = np.ones((64, 128), dtype)
        call("nn.rotary_embedding", dtype, short, angles, angles, interleaved=interleaved)
    for width, value_width in ((64, 64), (128, 128), (256, 256), (80, 40)):
        query, key = np.ones((2, 4, 100, width), dtype), np.ones((2, 2, 300, width), dtype)
        value = np.ones((2, 2, 300, value_width), dtype)
        for mask in (None, np.ones((1, 1, 100, 300), bool), np.ones((100, 300), dtype)):
            options = {"causal": mask is None, "scale": 0.125, "precision": "tf32"}
            call("nn.scaled_dot_product_attention", dtype, query, key, value, mask, **options)
    bias, weight = np.ones(48, dtype), np.ones((48, 256), dtype)
    call("nn.linear", dtype, short, weight, bias, precision="tf32")
    call("matmul", dtype, np.ones((3, 64, 256), dtype), weight.T)
    for approximate in ("none", "tanh"):
        call("nn.gelu", dtype, short, approximate=approximate)


def chosen(everything: bool) -> list[tuple[Asked, str]]:
    """What is compiled: all, or some of it with every function among them."""
    by_target = ([(item, target) for item in catalogue(target)] for target in TARGETS)
    pairs = list(itertools.chain.from_iterable(itertools.zip_longest(*by_target)))
    pairs = [pair for pair in pairs if pair is not None]
    if everything:
        return pairs
    some = pairs[::STEP]
    seen = {item.function for item, _ in some}
    for item, target in pairs:
        if item.function not in seen:
            seen.add(item.function)
            some.append((item, target))
    return some


def usage(compiled: Any, target: str) -> dict[str, int]:
    """What a compiled kernel takes of a GPU."""
    found = {"shared": compiled.metadata.shared, "stack": 0, "spills": 0}
    if target == "gfx942":
        text = compiled.asm["amdgcn"]
        # Scalar registers spill into lanes of vector registers, not into memory.
        found["spills"] = sum(map(int, re.findall(r"\.vgpr_spill_count:\s*(\d+)", text)))
        found["stack"] = sum(map(int, re.findall(r"\.private_segment_fixed_size:\s*(\d+)", text)))
        return found
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(compiled.asm["cubin"])
        file.flush()
        text = subprocess.run([cuobjdump(), "-res-usage", file.name], capture_output=True, text=True, check=True).stdout
    found["stack"] = max(map(int, re.findall(r"STACK:(\d+)", text)))
    found["local"] = max(map(int, re.findall(r"LOCAL:(\d+)", text)))
    return found


def cuobjdump() -> str:
    import triton

    return str(Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump")


def main(everything: bool) -> None:
    """Compile, and write what was found as JSON."""
    import triton
    from triton.backends.compiler import GPUTarget

    from xtensor_triton._launch import OPTIONS, source

    results = []
    for item, target in chosen(everything):
        result: dict[str, Any] = {"function": item.function, "dtype": item.dtype, "target": target}
        result["wide"] = None
        try:
            compiled = triton.compile(
                source(item.kernel, item.types, item.constants, item.known),
                target=GPUTarget(*TARGETS[target]),
                options={**item.options, **OPTIONS},
            )
            result |= usage(compiled, target)
            if target != "gfx942" and item.constants.get("NDIM") == 0 and item.function == "abs":
                result["wide"] = ".v4." in compiled.asm["ptx"] or ".v2." in compiled.asm["ptx"]
        except Exception as error:
            result["failure"] = f"{type(error).__name__}: {error}"[:500]
        results.append(result)
    called = sorted({item.function for item in catalogue("sm_90")})
    json.dump({"results": results, "called": called}, sys.stdout)


if __name__ != "__main__" and find_spec("triton") is None:  # to import it would be to choose compiling
    pytest.skip("Triton is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the program found, compiled anew."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["TRITON_CACHE_DIR"] = str(tmp_path_factory.mktemp("kernels"))
    everything = os.environ.get("XTENSOR_TESTS_PROFILE") == "long"
    done = subprocess.run(
        [sys.executable, __file__, *(["--all"] if everything else [])], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def named(results: Any) -> list[str]:
    return [" ".join(str(result.get(key)) for key in ("function", "dtype", "target", "failure")) for result in results]


def test_every_function_has_a_kernel_that_is_compiled(found):
    compiled = {result["function"] for result in found["results"]}
    assert compiled == set(found["called"])
    assert {*REDUCTIONS, "add", "exp", "where", "clip", "astype", "cumulative_sum", "inplace.add"} <= compiled


def test_every_target_is_compiled_for(found):
    assert {result["target"] for result in found["results"]} == set(TARGETS)


def test_kernels_compile(found):
    assert not named(result for result in found["results"] if "failure" in result)


def test_kernels_spill_no_registers(found):
    spilling = [r for r in found["results"] if r.get("spills") or r.get("stack", 0) > STACK or r.get("local")]
    assert not [(name, r) for name, r in zip(named(spilling), spilling, strict=True)]


def test_kernels_fit_into_shared_memory(found):
    assert not named(
        result
        for result in found["results"]
        if result.get("shared", 0) > (MOST_SHARED[result["target"]] if result["function"] in MATRICES else SHARED)
    )


def test_contiguous_operands_are_loaded_several_at_a_time(found):
    narrow = [result for result in found["results"] if result["wide"] is False]
    assert not named(narrow)


if __name__ == "__main__":
    main("--all" in sys.argv[1:])
