"""Kernels of fused functions compile for sm_80, sm_90 and gfx942, and are launched as other kernels are; without a GPU.

Compiling needs a process in which Triton does not interpret: this file, run as a program, compiles the kernels,
launches some on a driver that records launches, and writes the results as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from test_triton_compile import SHARED, TARGETS, Recorder, spilling, usage
from triton_driver import aligned, device

from xtensor.backend import Program, Step

STACK_OF_DIVISIONS = 256
"""Bytes of a thread's stack where NVIDIA's assembler calls a function that divides integers of 64 bits: registers are
saved around calls."""


def chain(dtype: str) -> Program:
    """``x * s + exp(y)`` and a comparison of it."""
    steps = (
        Step("multiply", (0, 2), dtype),
        Step("exp", (1,), dtype),
        Step("add", (3, 4), dtype),
        Step("less", (5, 2), "bool"),
    )
    return Program((dtype, dtype), (dtype,), steps, (5, 6))


def integers(dtype: str) -> Program:
    """``where(x > y, x // s, cast(y))``."""
    steps = (
        Step("greater", (0, 1), "bool"),
        Step("floor_divide", (0, 2), dtype),
        Step("bitwise_xor", (1, 0), dtype),
        Step("where", (3, 4, 5), dtype),
        Step("astype", (6,), "float32"),
    )
    return Program((dtype, dtype), (dtype,), steps, (6, 7))


PROGRAMS = {
    **{dtype: chain(dtype) for dtype in ("float16", "bfloat16", "float32", "float64")},
    **{dtype: integers(dtype) for dtype in ("int8", "int64", "uint16", "uint32")},
}


def reduced(program: Program, *names: str) -> Program:
    """The program with reductions of its first output."""
    value = program.outputs[0]
    return Program(program.inputs, program.scalars, program.steps, (), tuple((name, value) for name in names))


def generate(context: Any) -> Any:
    from xtensor_backends.triton._generator import TritonGenerator

    return TritonGenerator(context, context.call)


def catalogue(target: str) -> dict[str, list[Any]]:
    """The kernels of each program and layout for a target."""
    from xtensor_backends.triton._context import Context
    from xtensor_backends.triton._storage import HostMemory

    result: dict[str, list[Any]] = {}

    def run(label: str, call: Any) -> None:
        recorder = Recorder(target)
        assert call(generate(Context(HostMemory(), recorder))) is not None, label
        result[label] = [item for item in recorder.requests.values() if item.kernel.__name__.startswith("fused_")]
        assert result[label], label

    for name, program in PROGRAMS.items():
        dtype = np.dtype(name)
        x = aligned(4096, dtype)
        odd, matrix = x[:-1], x.reshape(64, 64)
        layouts = {"flat": (x, x), "odd": (odd, odd), "broadcast": (matrix, x[:64]), "across": (matrix.T[::2], x[:1])}
        for layout, operands in layouts.items():
            run(f"{name} {layout}", lambda g, p=program, o=operands: g.compute(p, o, [2]))
        reductions = ("max", "min") if dtype.kind in "iu" and dtype.itemsize < 8 else ("sum", "prod", "max", "min")
        for reduction in reductions:
            row = reduced(program, reduction)
            for axes in ((0,), (1,)) if reduction == reductions[0] else ((1,),):
                label = f"{name} {reduction} {axes}"
                run(label, lambda g, p=row, a=axes, m=matrix: g.reduce(p, [m, m[0]], [2], m.shape, a))
        whole, long = reduced(program, "max", "min"), aligned(1 << 17, dtype)
        run(f"{name} whole", lambda g, p=whole, x=long: g.reduce(p, [x, x], [2], x.shape, (0,)))
    return result


def launched() -> dict[str, Any]:
    """Launches on a driver that records them."""
    import triton

    from xtensor_backends.triton._generator import TritonGenerator

    gpu = device()
    generator = TritonGenerator(gpu.context, gpu.context.call)
    compiled, compile_kernel = [], triton.compile
    triton.compile = lambda *args, **kwargs: compiled.append(args) or compile_kernel(*args, **kwargs)
    program, x, y = PROGRAMS["float32"], aligned(4096), aligned(4096)
    for number in (1.0, 16.0, 0.3):
        first, second = generator.compute(program, (x, y), [number])
    results: dict[str, Any] = {
        "numbers": gpu.recorded,
        "compiled": len(compiled),
        "addresses": [array.ctypes.data for array in (first, second, x, y)],
    }
    long = aligned(1 << 20)
    generator.reduce(reduced(program, "sum"), [long, long], [2.0], long.shape, (0,))
    results["reduction"] = gpu.recorded
    huge = np.empty(2**31 + 32, np.int8)  # no page of it is accessed
    one = Program(("int8",), (), (Step("bitwise_invert", (0,), "int8"),), (1,))
    gpu.context.empty = np.empty
    generator.compute(one, (huge,), [])
    results["huge"] = gpu.recorded
    return results


def main() -> None:
    """Compile and launch, and write the results as JSON."""
    import triton
    from triton.backends.compiler import GPUTarget

    from xtensor_backends.triton._launch import options_for, source

    results = []
    for target in TARGETS:
        architecture = GPUTarget(*TARGETS[target])
        for label, requests in catalogue(target).items():
            for item in requests:
                result: dict[str, Any] = {"label": f"{label} {target}"}
                try:
                    compiled = triton.compile(
                        source(item.kernel, item.types, item.constants, item.facts),
                        target=architecture,
                        options={**item.options, **options_for(architecture)},
                    )
                    result |= usage(compiled, target)
                    result["vectorized"] = ".v4." in compiled.asm.get("ptx", "") or ".v2." in compiled.asm.get(
                        "ptx", ""
                    )
                except Exception as error:
                    result["failure"] = f"{type(error).__name__}: {error}"[:500]
                results.append(result)
    json.dump({"results": results, "launched": launched()}, sys.stdout)


if __name__ != "__main__" and find_spec("triton") is None:  # importing it would choose compiling
    pytest.skip("Triton is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The results of the program, with an empty cache of compiled kernels."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)  # modules of tests/
    environment["TRITON_CACHE_DIR"] = str(tmp_path_factory.mktemp("kernels"))
    process = subprocess.run([sys.executable, __file__], capture_output=True, text=True, env=environment)
    assert process.returncode == 0, process.stderr[-3000:]
    return json.loads(process.stdout)


def test_kernels_compile_for_every_target(report):
    assert [result for result in report["results"] if "failure" in result] == []
    assert {result["label"].split()[-1] for result in report["results"]} == set(TARGETS)
    assert {result["label"].split()[0] for result in report["results"]} == set(PROGRAMS)


def test_kernels_spill_no_registers(report):
    dividing = [result for result in report["results"] if result["label"].startswith("int64")]
    assert spilling(dividing, STACK_OF_DIVISIONS) == []
    assert spilling(result for result in report["results"] if result not in dividing) == []


def test_kernels_fit_into_shared_memory(report):
    assert [result for result in report["results"] if result["shared"] > SHARED] == []


def test_loads_of_contiguous_operands_are_vectorized(report):
    flat = [r for r in report["results"] if r["label"].split()[1] in ("flat", "odd") and "sm_" in r["label"]]
    assert flat
    assert [result["label"] for result in flat if not result["vectorized"]] == []


def test_numbers_are_arguments_of_one_compiled_kernel(report):
    launched = report["launched"]
    assert launched["compiled"] == 1
    assert [launch["arguments"]["s0"] for launch in launched["numbers"]] == [1.0, 16.0, float(np.float32(0.3))]
    assert len({launch["kernel"] for launch in launched["numbers"]}) == 1
    last = launched["numbers"][-1]["arguments"]
    assert [last[name] for name in ("o0", "o1", "x0", "x1")] == launched["addresses"]
    assert last["size"] == 4096


def test_a_long_row_is_reduced_in_two_launches(report):
    parts, whole = report["launched"]["reduction"]
    assert parts["grid"][0] == parts["arguments"]["parts"] > 1
    assert (whole["kernel"], whole["grid"]) == ("reduce_rows", [1, 1, 1])
    assert whole["arguments"]["x"] == parts["arguments"]["o0"]


def test_offsets_have_64_bits_if_they_exceed_32(report):
    (launch,) = report["launched"]["huge"]
    assert launch["constants"]["OFFSETS_64"] is True
    assert launch["types"]["size"] == "i64"
    assert launch["arguments"]["size"] == 2**31 + 32


if __name__ == "__main__":
    main()
