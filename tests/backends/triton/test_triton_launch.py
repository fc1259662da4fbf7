"""Launches of the Triton backend on a GPU: programs, arguments, specializations, streams; without a GPU.

Kernels are compiled for sm_90, and a driver records launches instead of executing them. Compiling needs a process in
which Triton does not interpret: this file, run as a program, runs the scenarios and writes what they recorded as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from triton_driver import Device, aligned, device

SCENARIOS: dict[str, Any] = {}


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


@scenario
def contiguous():
    gpu = device()
    x, y = aligned(4096), aligned(4096)
    results = [gpu.add(x, y) for _ in range(3)]
    return {
        "launches": gpu.recorded,
        "addresses": [[result.ctypes.data, x.ctypes.data, y.ctypes.data] for result in results],
    }


@scenario
def counted():
    """The first call prepares the launch; the others use the fast path."""
    from xtensor_backends.triton import count_calls

    gpu = device()
    x = aligned(4096)
    with count_calls() as calls:
        for _ in range(3):
            gpu.exp(x)
            gpu.add(x, x)
            gpu.multiply(x, 2.0)
        gpu.sum(aligned(1 << 20))
    gpu.exp(x)
    return {"counts": calls.launches, "launches": gpu.recorded}


@scenario
def fortran_order():
    """Launches of F-contiguous operands, and the number of kernels compiled for them."""
    import triton

    gpu = device()
    x = aligned(4096).reshape(64, 64).T
    compiled, compile_kernel = [], triton.compile
    triton.compile = lambda *args, **kwargs: compiled.append(args) or compile_kernel(*args, **kwargs)
    try:
        for _ in range(3):
            gpu.add(x, x)
    finally:
        triton.compile = compile_kernel
    return {"launches": gpu.recorded, "compiled": len(compiled)}


@scenario
def odd_length():
    gpu = device()
    gpu.add(aligned(4099), aligned(4099))
    return gpu.recorded


@scenario
def unaligned():
    gpu = device()
    for _ in range(2):
        gpu.add(aligned(4096, shift=1), aligned(4096))
    return gpu.recorded


@scenario
def aligned_after_unaligned():
    gpu = device()
    gpu.exp(aligned(4096, shift=1))
    gpu.exp(aligned(4096))
    gpu.exp(aligned(4096, shift=1))
    return gpu.recorded


@scenario
def empty():
    gpu = device()
    gpu.add(aligned(0), aligned(0))
    gpu.exp(np.zeros((3, 0, 2), np.float32))
    gpu.sum(np.zeros((3, 0), np.float32), axis=1)
    gpu.cumulative_sum(np.zeros((0,), np.float32), axis=0)
    x = aligned(0)
    assert gpu.functions["inplace.add"](x, 1.0) is x
    return gpu.recorded


@scenario
def zero_dimensional():
    gpu = device()
    gpu.add(np.array(1.0, np.float32), np.array(2.0, np.float32))
    return gpu.recorded


@scenario
def strided():
    gpu = device()
    gpu.add(aligned(64 * 64).reshape(64, 64)[:, ::2], aligned(32))
    return gpu.recorded


@scenario
def scalars():
    gpu = device()
    for value in (1, 16, 3):
        gpu.add(aligned(4096, np.int32), value)
    gpu.multiply(aligned(4096), 0.1)
    gpu.multiply(aligned(4096, np.float64), 0.1)
    return gpu.recorded


@scenario
def scalars_on_the_left():
    gpu = device()
    x = aligned(4096, np.int32)
    for value in (5, 6, 7):
        gpu.subtract(value, x)
    errors = []
    for operands in ((x, 2**40), (2**40, x)):
        try:
            gpu.subtract(*operands)
        except OverflowError as error:
            errors.append(str(error))
    launches = gpu.recorded
    declined = gpu.add(x, 1j) is NotImplemented
    return {"launches": launches, "errors": errors, "declined": declined, "address": x.ctypes.data}


@scenario
def in_place():
    gpu = device()
    x = aligned(4096)
    gpu.functions["inplace.multiply"](x, x)
    return {"launches": gpu.recorded, "address": x.ctypes.data}


@scenario
def streams():
    current = [5]
    gpu = device(tag=lambda: current[0])
    x = aligned(4096)
    for stream in (5, 6, 0):
        current[0] = stream
        gpu.negative(x)
    return gpu.recorded


@scenario
def long_row():
    gpu = device()
    gpu.sum(aligned(1 << 20))
    return gpu.recorded


@scenario
def many_rows():
    gpu = device()
    gpu.max(aligned(1 << 20).reshape(1 << 14, 64), axis=1)
    return gpu.recorded


@scenario
def columns():
    gpu = device()
    gpu.sum(aligned(1 << 20).reshape(1 << 10, 1 << 10), axis=0)
    return gpu.recorded


@scenario
def long_scan():
    gpu = device()
    gpu.cumulative_sum(aligned(1 << 20), axis=0)
    return gpu.recorded


@scenario
def huge():
    """No page of the operands is accessed, so that they need no memory."""
    gpu = Device()
    x = np.empty(2**31 + 32, np.int8)
    gpu.bitwise_invert(x)
    return gpu.recorded


@scenario
def broken_kernel():
    import triton

    gpu = device()
    before = triton.compile

    def fail(*args, **kwargs):
        raise RuntimeError("no compiler")

    triton.compile = fail
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            declined = [gpu.square(aligned(size)) is NotImplemented for size in (8, 8, 4096)]
    finally:
        triton.compile = before
    return {"declined": declined, "warnings": [str(item.message) for item in caught], "launches": gpu.recorded}


@scenario
def too_many_programs():
    gpu = device()
    gpu.context.launcher.longest_axis = 3
    gpu.sqrt(aligned(4096))
    gpu.sqrt(aligned(2048))
    return gpu.recorded


@scenario
def longest_axes():
    targets = (("hip", "gfx942", 64), ("cuda", 90, 32))
    return {target[0]: device(target=target).context.launcher.longest_axis for target in targets}


@scenario
def neural_networks():
    gpu = device()
    x = aligned(512 * 1000).reshape(512, 1000)
    gpu.functions["nn.softmax"](x, axis=1)
    q = aligned(2 * 8 * 100 * 64, np.float16).reshape(2, 8, 100, 64)
    k = aligned(2 * 2 * 300 * 64, np.float16).reshape(2, 2, 300, 64)
    gpu.functions["nn.scaled_dot_product_attention"](q, k, k, None, causal=True, scale=0.125, precision="exact")
    return gpu.recorded


if __name__ != "__main__" and find_spec("triton") is None:  # importing it would choose compiling
    pytest.skip("Triton is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def recorded():
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)  # modules of tests/
    result = subprocess.run([sys.executable, __file__], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stderr == ""  # exceptions in destructors are written there and change nothing else
    return json.loads(result.stdout)


def test_contiguous_operands_are_launched_flat(recorded):
    for launch, addresses in zip(recorded["contiguous"]["launches"], recorded["contiguous"]["addresses"], strict=True):
        assert launch["kernel"] == "binary"
        assert launch["grid"] == [4, 1, 1]
        assert [launch["arguments"][name] for name in ("out", "x", "y")] == addresses
        assert launch["arguments"]["size"] == 4096
        assert launch["constants"]["NDIM"] == 0
        assert launch["divisible"] == [[0], [1], [2], [3]]


def test_launches_of_the_fast_path_are_counted(recorded):
    assert recorded["counted"]["counts"] == {"exp": 3, "add": 3, "multiply": 3, "sum": 2}
    assert len(recorded["counted"]["launches"]) == 12


def test_operands_in_fortran_order_are_launched_flat_and_compiled_once(recorded):
    assert [launch["constants"]["NDIM"] for launch in recorded["fortran_order"]["launches"]] == [0, 0, 0]
    assert recorded["fortran_order"]["compiled"] == 1


def test_length_that_is_no_multiple_of_16_is_split(recorded):
    (launch,) = recorded["odd_length"]
    assert launch["grid"] == [5, 1, 1]
    assert launch["constants"]["SPLIT"] is True
    assert launch["divisible"] == [[0], [1], [2]]


def test_unaligned_operands_are_not_assumed_to_be_aligned(recorded):
    first, second = recorded["unaligned"]
    assert [1] not in first["divisible"]
    assert [1] not in second["divisible"]


def test_each_alignment_has_its_own_kernel(recorded):
    assert [[1] in launch["divisible"] for launch in recorded["aligned_after_unaligned"]] == [False, True, False]


def test_empty_arrays_launch_nothing(recorded):
    assert recorded["empty"] == []


def test_zero_dimensional_arrays_need_one_program(recorded):
    (launch,) = recorded["zero_dimensional"]
    assert launch["grid"] == [1, 1, 1]


def test_strides_are_arguments_and_strides_of_one_are_constants(recorded):
    (launch,) = recorded["strided"]
    assert launch["constants"]["NDIM"] == 2
    assert launch["arguments"]["shape"] == [64, 32]
    assert launch["arguments"]["x_strides"] == [64, 2]
    assert launch["arguments"]["y_strides"] == [0, 1]
    assert launch["types"]["y_strides"] == ["i32", "constexpr"]


def test_kernels_are_not_specialized_on_scalars(recorded):
    *integers, single, double = recorded["scalars"]
    assert [launch["arguments"]["y"] for launch in integers] == [1, 16, 3]
    assert all(launch["types"]["y"] == "i64" for launch in integers)
    assert all([2] not in launch["divisible"] and [2] not in launch["ones"] for launch in integers)
    assert single["types"]["y"] == "fp32"
    assert single["arguments"]["y"] == float(np.float32(0.1))
    assert double["types"]["y"] == "fp64"
    assert double["arguments"]["y"] == 0.1


def test_scalars_keep_their_side(recorded):
    result = recorded["scalars_on_the_left"]
    assert [launch["arguments"]["x"] for launch in result["launches"]] == [5, 6, 7]
    assert {launch["arguments"]["y"] for launch in result["launches"]} == {result["address"]}
    assert len(result["errors"]) == 2
    assert all("out of bounds for int32" in error for error in result["errors"])
    assert result["declined"]


def test_in_place_operator_writes_into_its_operand(recorded):
    (launch,) = recorded["in_place"]["launches"]
    assert [launch["arguments"][name] for name in ("out", "x", "y")] == [recorded["in_place"]["address"]] * 3


def test_launches_use_the_current_stream(recorded):
    assert [launch["stream"] for launch in recorded["streams"]] == [5, 6, 0]


def test_long_row_is_reduced_in_two_launches(recorded):
    parts, whole = recorded["long_row"]
    assert parts["grid"][0] == parts["arguments"]["parts"] > 1
    assert whole["grid"] == [1, 1, 1]
    assert whole["arguments"]["x"] == parts["arguments"]["out"]
    assert whole["arguments"]["length"] == parts["arguments"]["parts"]


def test_many_rows_are_reduced_in_one_launch(recorded):
    (launch,) = recorded["many_rows"]
    assert launch["arguments"]["parts"] == 1
    assert launch["grid"][0] * launch["constants"]["ROWS"] == 1 << 14


def test_columns_are_reduced_side_by_side(recorded):
    launch = recorded["columns"][0]
    assert launch["constants"]["ROWS"] > 1
    assert launch["arguments"]["outer_strides"] == [1]


def test_long_scan_starts_each_part_from_the_result_of_those_before(recorded):
    reduced, carried, scanned = recorded["long_scan"]
    assert [launch["kernel"] for launch in recorded["long_scan"]] == ["reduce_rows", "scan_rows", "scan_rows"]
    assert carried["arguments"]["x"] == reduced["arguments"]["out"]
    assert scanned["arguments"]["carries"] == carried["arguments"]["out"]
    assert scanned["constants"]["HAS_CARRIES"] is True
    assert carried["constants"]["SHIFT"] == 1


def test_offsets_have_64_bits_if_they_exceed_32(recorded):
    (launch,) = recorded["huge"]
    assert launch["constants"]["OFFSETS_64"] is True
    assert launch["types"]["size"] == "i64"
    assert launch["arguments"]["size"] == 2**31 + 32


def test_kernel_that_does_not_compile_is_declined_with_one_warning(recorded):
    assert recorded["broken_kernel"]["declined"] == [True, True, True]
    assert len(recorded["broken_kernel"]["warnings"]) == 1
    assert "square()" in recorded["broken_kernel"]["warnings"][0]
    assert recorded["broken_kernel"]["launches"] == []


def test_launch_of_more_programs_than_a_grid_axis_allows_uses_two_axes(recorded):
    assert [launch["grid"] for launch in recorded["too_many_programs"]] == [[3, 2, 1], [2, 1, 1]]


def test_hip_limits_threads_along_a_grid_axis(recorded):
    most_threads = 16 * 64  # warps of a program, threads of a warp
    assert recorded["longest_axes"]["hip"] * most_threads < 2**32
    assert recorded["longest_axes"]["cuda"] == 2**31 - 1


def test_fused_kernels_are_one_launch(recorded):
    softmax, attention = recorded["neural_networks"]
    assert (softmax["kernel"], softmax["grid"]) == ("softmax_rows", [512, 1, 1])
    assert softmax["constants"]["SINGLE_TILE"] is True
    assert (attention["kernel"], attention["grid"]) == ("attention_blocks", [2 * 8 * 2, 1, 1])
    assert attention["constants"]["CAUSAL"] is True


if __name__ == "__main__":
    json.dump({name: run() for name, run in SCENARIOS.items()}, sys.stdout)
