"""Every Triton kernel compiles for sm_80, sm_90 and gfx942, without register spills and with vectorized loads.

Each function is called with operands of every dtype and of several layouts, and the kernels that it would launch are
recorded. Compiling needs no GPU, but a process in which Triton does not interpret: this file, run as a program, writes
the results as JSON.

By default every ``STEP``-th of all kernels and targets is compiled, and every function at least once;
``XTENSOR_TESTS_PROFILE=long`` compiles all of them.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from gpu_instructions import TF32, found, listed

TARGETS = {"sm_80": ("cuda", 80, 32), "sm_90": ("cuda", 90, 32), "gfx942": ("hip", "gfx942", 64)}

STEP = 67
"""A prime, so that the selection covers functions, dtypes and targets."""

SHARED = 48 * 1024
"""Bytes of shared memory that a block has by default on every GPU."""

MAX_SHARED = {"sm_80": 163 * 1024, "sm_90": 227 * 1024, "gfx942": 64 * 1024}
"""Bytes of shared memory that a block can request, as attention does."""

ATTENTION = "nn.scaled_dot_product_attention"

QUANTIZED = "nn.quantized_linear"

STACK = 96
"""Bytes of a thread's stack: libdevice's reduction of large angles keeps a table there; spills would add to it."""

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


BITWISE = ("bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor")

DECLINED = {
    **dict.fromkeys(
        ("float16", "bfloat16", "float32", "float64"),
        {"bitwise_invert", *BITWISE, *(f"inplace.{name}" for name in BITWISE)},
    ),
    **dict.fromkeys([name for name in DTYPES if "int" in name], {"inplace.divide", "reciprocal"}),
    "bool": {
        *("clip", "negative", "positive", "reciprocal", "sign", "subtract"),
        *(f"inplace.{name}" for name in ("bitwise_left_shift", "bitwise_right_shift", "divide", "floor_divide")),
        *(f"inplace.{name}" for name in ("pow", "remainder", "subtract")),
    },
}
"""The functions that decline each dtype; all others must have a kernel for it."""
DECLINED["float64"] = {*DECLINED["float64"], ATTENTION, QUANTIZED}


class Request(NamedTuple):
    """A kernel that a function would launch."""

    function: str
    dtype: str
    kernel: Any
    types: tuple[Any, ...]
    constants: dict[str, Any]
    facts: tuple[Any, ...]
    options: dict[str, Any]


class Recorder:
    """A launcher that records kernels instead of compiling and launching them."""

    interprets = False
    longest_axis = 2**21

    def __init__(self, target):
        from triton.backends.compiler import GPUTarget

        self.requests: dict[Any, Request] = {}
        self.declined: dict[str, set[str]] = {}
        self.called: set[str] = set()
        self.target = GPUTarget(*TARGETS[target])
        self.current = ("", "")

    def kernel(self, function, types, constants, *, warps=4, stages=None):
        from xtensor_backends.triton._launch import DeviceKernel

        recorder = self

        class RecordedKernel(DeviceKernel):
            def _launch(self, facts, fixed):
                facts = self._by_position(facts)
                key = (function.__name__, types, tuple(map(str, constants.values())), facts)
                request = Request(*recorder.current, function, types, constants, facts, self.options)
                recorder.requests.setdefault(key, request)
                return lambda programs, *args: None

        kernel = RecordedKernel(self, function, types, constants, {})
        kernel.options = {"num_warps": warps} | ({} if stages is None else {"num_stages": stages})
        return kernel


def catalogue(target: str) -> Recorder:
    """The kernels of all functions, dtypes and layouts for a target, and the calls that were declined."""
    from xtensor_backends.triton import _device, _dtypes, _table
    from xtensor_backends.triton._context import Context
    from xtensor_backends.triton._storage import HostMemory

    recorder = Recorder(target)
    functions = _device.functions_over(Context(HostMemory(), recorder))

    def call(name, dtype, /, *args, **kwargs):
        recorder.current = (name, str(dtype))
        recorder.called.add(name)
        if functions[name](*args, **kwargs) is NotImplemented:
            recorder.declined.setdefault(str(dtype), set()).add(name)

    dtypes = [*(np.dtype(name) for name in DTYPES), _dtypes.BFLOAT16]
    for dtype in dtypes:
        x = np.ones(4096, dtype)
        matrix = x.reshape(64, 64)
        odd, across = x[:-1], matrix[:, :32].T
        for name in sorted({*_table.UNARY} - {"nn.gelu", "nn.gelu_tanh"}):
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
    for dtype in map(np.dtype, ("uint64", "float32", "float64")):
        for name in ("random.uniform_numbers", "random.normal_numbers") if dtype.kind == "f" else ("random.bits",):
            call(name, dtype, key=(2**64 - 1, 2), stream=(0, 0), start=3, shape=(50, 100), dtype=dtype)
    call("random.blocks", np.uint64, np.ones(5000, np.uint64), key=(2**64 - 1, 2), stream=(1, 0))
    assert recorder.called == functions.keys(), functions.keys() - recorder.called
    return recorder


def neural_networks(call: Any, dtype: Any) -> None:
    """Call the functions of neural networks on short rows, on long ones, and on columns."""
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
            for precision in ("tf32", "exact"):
                options = {"causal": mask is None, "scale": 0.125, "precision": precision}
                call("nn.scaled_dot_product_attention", dtype, query, key, value, mask, **options)
    for name in ("nn.gelu", "nn.gelu_tanh"):
        call(name, dtype, short)
    for packed in (False, True):
        codes, scales = (
            np.ones((40, 128), np.uint8 if packed else np.int8),
            np.ones((40, 128 // (16 if packed else 32)), dtype),
        )
        for vectors in (1, 3):
            for offsets in (None, scales):
                call(QUANTIZED, dtype, np.ones((vectors, 256 if packed else 128), dtype), codes, scales, offsets)


def selection(everything: bool) -> list[tuple[Request, str]]:
    """The kernels and targets to compile: all, or some that include every function."""
    by_target = ([(item, target) for item in catalogue(target).requests.values()] for target in TARGETS)
    pairs = list(itertools.chain.from_iterable(itertools.zip_longest(*by_target)))
    pairs = [pair for pair in pairs if pair is not None]
    if everything:
        return pairs
    some = pairs[::STEP]
    # All targets, as they compute it differently.
    some += [pair for pair in pairs if pair[0][:2] == ("sqrt", "float32")]
    some += [pair for pair in pairs if needs_most_registers(*pair)]
    some += [(item, target) for item, target in pairs if item.constants.get("PRECISION") == "tf32"][:3]
    seen = {item.function for item, _ in some}
    for item, target in pairs:
        if item.function not in seen:
            seen.add(item.function)
            some.append((item, target))
    return some


def needs_most_registers(item: Request, target: str) -> bool:
    """Whether a kernel computes attention with a mask on tensor cores, or exponentials of rows in float64."""
    masked = item.dtype == "bfloat16" and item.constants.get("MASK", "none") != "none"
    rows = item.dtype == "float64" and item.function in ("nn.softmax", "nn.cross_entropy")
    return target == "sm_90" and (masked or rows)


def usage(compiled: Any, target: str) -> dict[str, int]:
    """The shared memory, stack and spilled registers of a compiled kernel."""
    result = {"shared": compiled.metadata.shared, "stack": 0, "spills": 0}
    if target == "gfx942":
        text = compiled.asm["amdgcn"]
        # Scalar registers spill into lanes of vector registers, not into memory.
        result["spills"] = sum(map(int, re.findall(r"\.vgpr_spill_count:\s*(\d+)", text)))
        result["stack"] = sum(map(int, re.findall(r"\.private_segment_fixed_size:\s*(\d+)", text)))
        return result
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(compiled.asm["cubin"])
        file.flush()
        text = subprocess.run([cuobjdump(), "-res-usage", file.name], capture_output=True, text=True, check=True).stdout
    result["stack"] = max(map(int, re.findall(r"STACK:(\d+)", text)))
    result["local"] = max(map(int, re.findall(r"LOCAL:(\d+)", text)))
    return result


def spilling(results: Any, stack: int = STACK) -> list[dict[str, Any]]:
    """The results of kernels that keep more in memory than they should."""
    return [r for r in results if r.get("spills") or r.get("stack", 0) > stack or r.get("local")]


def cuobjdump() -> str:
    import triton

    return str(Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump")


def main(everything: bool) -> None:
    """Compile, and write the results as JSON."""
    import triton
    from triton.backends.compiler import GPUTarget

    from xtensor_backends.triton._launch import options_for, source

    results = []
    for item, target in selection(everything):
        result: dict[str, Any] = {"function": item.function, "dtype": item.dtype, "target": target}
        result["vectorized"] = None
        architecture = GPUTarget(*TARGETS[target])
        try:
            compiled = triton.compile(
                source(item.kernel, item.types, item.constants, item.facts),
                target=architecture,
                options={**item.options, **options_for(architecture)},
            )
            result |= usage(compiled, target)
            amd = target == "gfx942"
            result["instructions"] = sorted(found(compiled.asm["amdgcn" if amd else "ptx"], amd=amd))
            result["scales"] = "4b800000" in compiled.asm["amdgcn" if amd else "ptx"].lower()  # 2²⁴ in float32
            result["tf32"] = item.constants.get("PRECISION") == "tf32"
            if target != "gfx942" and item.constants.get("NDIM") == 0 and item.function == "abs":
                result["vectorized"] = ".v4." in compiled.asm["ptx"] or ".v2." in compiled.asm["ptx"]
        except Exception as error:
            result["failure"] = f"{type(error).__name__}: {error}"[:500]
        results.append(result)
    recorder = catalogue("sm_90")
    launched = sorted({item.function for item in recorder.requests.values()})
    declined = {dtype: sorted(names) for dtype, names in recorder.declined.items()}
    json.dump({"results": results, "launched": launched, "declined": declined, "everything": everything}, sys.stdout)


if __name__ != "__main__" and find_spec("triton") is None:  # importing it would choose compiling
    pytest.skip("Triton is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The results of the program, with an empty cache of compiled kernels."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)  # modules of tests/
    environment["TRITON_CACHE_DIR"] = str(tmp_path_factory.mktemp("kernels"))
    everything = os.environ.get("XTENSOR_TESTS_PROFILE") == "long"
    process = subprocess.run(
        [sys.executable, __file__, *(["--all"] if everything else [])], capture_output=True, text=True, env=environment
    )
    assert process.returncode == 0, process.stderr[-3000:]
    return json.loads(process.stdout)


def named(results: Any) -> list[str]:
    return [" ".join(str(result.get(key)) for key in ("function", "dtype", "target", "failure")) for result in results]


def test_only_functions_without_a_kernel_for_a_dtype_decline_it(report):
    assert {dtype: set(names) for dtype, names in report["declined"].items()} == DECLINED


def test_every_function_that_launches_a_kernel_is_compiled(report):
    assert {result["function"] for result in report["results"]} == set(report["launched"])


def test_every_target_is_compiled(report):
    assert {result["target"] for result in report["results"]} == set(TARGETS)


def test_kernels_compile(report):
    assert not named(result for result in report["results"] if "failure" in result)


def test_kernels_spill_no_registers(report):
    assert spilling(report["results"]) == []


def test_kernels_fit_into_shared_memory(report):
    assert not named(
        result
        for result in report["results"]
        if result.get("shared", 0) > (MAX_SHARED[result["target"]] if result["function"] == ATTENTION else SHARED)
    )


def operands_of(result: Any) -> str:
    """The operands of a kernel, as the page names them."""
    return "tf32" if result.get("tf32") else result["dtype"]


def remaining(report: Any, heading: str, *, amd: bool) -> list[tuple[str, str, str]]:
    """The instructions of kernels that the page lists in no row below a heading, with the function and its operands."""
    rows = listed(heading)
    return sorted(
        {
            (instruction, result["function"], operands)
            for result in report["results"]
            for instruction in result.get("instructions", ())
            for operands in [operands_of(result)]
            if (result["target"] == "gfx942") == amd
            and instruction != TF32
            and not any(row.allows(instruction, result["function"], operands) for row in rows)
        }
    )


def test_kernels_for_nvidia_gpus_approximate_and_flush_only_where_the_documentation_says(report):
    assert remaining(report, "NVIDIA GPUs", amd=False) == []


def test_kernels_for_amd_gpus_approximate_and_flush_only_where_the_documentation_says(report):
    assert remaining(report, "AMD GPUs", amd=True) == []


def test_tf32_is_used_only_if_asked_for(report):
    unasked = [r for r in report["results"] if TF32 in r.get("instructions", ()) and not r["tf32"]]
    assert not named(unasked)
    assert any(TF32 in result.get("instructions", ()) for result in report["results"])


def test_square_roots_of_subnormal_numbers_are_scaled(report):
    """AMD's reciprocal root, from which Triton 3.6 starts, is infinite for them."""
    roots = [r for r in report["results"] if r["function"] == "sqrt" and r["dtype"] in ("float32", "bfloat16")]
    assert not named(result for result in roots if not result["scales"])


def test_the_documentation_lists_no_instruction_that_does_not_occur(report):
    """With every kernel compiled, each row occurs; with a selection, each row names functions that have kernels."""
    for heading, amd in (("NVIDIA GPUs", False), ("AMD GPUs", True)):
        for row in listed(heading):
            assert row.functions <= set(report["launched"])
            if report["everything"] and (row.newest is None or report["version"] <= [*row.newest, math.inf]):
                occurring = {
                    (instruction, result["function"])
                    for result in report["results"]
                    for instruction in result.get("instructions", ())
                    if (result["target"] == "gfx942") == amd and (not row.dtypes or operands_of(result) in row.dtypes)
                }
                assert {name for _, name in occurring} >= row.functions
                assert {instruction for instruction, _ in occurring} >= row.instructions


@pytest.mark.parametrize(
    ("code", "amd", "names"),
    [
        ("\tcvt.rmi.ftz.f32.f32 \t%r1, %r2;\n", False, {"cvt.rmi.ftz.f32.f32"}),
        ("\t@%p1 div.full.f32 %r1, %r2, %r3;\n", False, {"div.full.f32"}),
        ("\tmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {};\n", False, {TF32}),
        ("\tdiv.rn.f32 %r1, %r2, %r3;\n\tmul.rn.f32 %r1, %r2, %r3;\n", False, set()),
        ("\tv_rcp_f32_e32 v1, v2\n\tv_rcp_f32_e32 v3, v4\n\tv_div_fixup_f32 v1, v2, v3, v4\n", True, {"v_rcp_f32"}),
        ("\tv_rcp_f64_e32 v[0:1], v[2:3]\n\tv_div_fixup_f64 v[0:1], v[2:3], v[4:5], v[6:7]\n", True, set()),
        ("\tv_mfma_f32_32x32x4_xf32 a[0:15], v[0:1], v[2:3], 0\n", True, {TF32}),
    ],
)
def test_approximating_and_flushing_instructions_are_found(code, amd, names):
    mode = "\t.amdhsa_float_denorm_mode_32 {}\n\t.amdhsa_float_denorm_mode_16_64 3\n"
    assert found(code + mode.format(3) * amd, amd=amd) == names
    if amd:
        assert found(code + mode.format(0), amd=True) == {*names, "flushes subnormal numbers"}


def test_loads_of_contiguous_operands_are_vectorized(report):
    scalar_loads = [result for result in report["results"] if result["vectorized"] is False]
    assert not named(scalar_loads)
    assert any(result["vectorized"] for result in report["results"])


if __name__ == "__main__":
    main("--all" in sys.argv[1:])
