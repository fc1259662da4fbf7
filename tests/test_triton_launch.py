"""What the Triton backend launches on a GPU: programs, arguments, specialisations, streams; the driver takes notes.

Kernels are compiled for sm_90 in earnest; what would load and run them writes down what it is given. Compiling needs a
process in which Triton does not interpret, which is this file run as a program; it runs the scenarios and writes what
they did as JSON.
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

SCENARIOS: dict[str, Any] = {}


def scenario(function):
    SCENARIOS[function.__name__] = function
    return function


class Driver:
    """Triton's driver without a GPU: kernels are loaded into nowhere, launches noted."""

    def __init__(self):
        self.launches: list[dict[str, Any]] = []
        self.utils = self

    def load_binary(self, name, kernel, shared, device):
        return name, name, 32, 0, 1024

    def unload_module(self, module):
        pass

    def get_device_properties(self, device):
        return {"max_shared_mem": 232448}

    def get_current_device(self):
        return 0

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 90, 32)

    def launcher_cls(self, source, metadata):
        types = dict(source.signature)
        divisible = sorted(list(path) for path in source.attrs)
        constants = {source.fn.arg_names[path[0]]: value for path, value in source.constants.items() if len(path) == 1}
        ones = sorted(list(path) for path, value in source.constants.items() if value == 1 and value is not True)

        def run(x, y, z, stream, function, packed, metadata, enter, leave, *args):
            given = dict(zip(source.fn.arg_names, args, strict=True))
            self.launches.append(
                {
                    "kernel": source.fn.__name__,
                    "grid": [x, y, z],
                    "stream": stream,
                    "types": types,
                    "given": {name: value for name, value in given.items() if name not in constants or value == 1},
                    "constants": {name: value for name, value in constants.items() if isinstance(value, (int, str))},
                    "divisible": divisible,
                    "ones": ones,
                    "hooks": [metadata, enter, leave],
                }
            )

        return run


class Device:
    """The functions of a device over host memory, whose launches go nowhere."""

    def __init__(self, tag=lambda: 77):
        from triton.backends.compiler import GPUTarget
        from triton.runtime import driver

        import xtensor as xp
        from xtensor_triton._device import functions_over
        from xtensor_triton._fallthrough import Context
        from xtensor_triton._launch import Launcher
        from xtensor_triton._storage import HostMemory

        self.driver = Driver()
        driver.set_active(self.driver)
        self.storage = xp.device("cpu").xp
        self.context = Context(HostMemory(), Launcher(GPUTarget("cuda", 90, 32), tag))
        self.functions = functions_over(self.context, self.storage)

    def __getattr__(self, name):
        return self.functions[name]

    @property
    def noted(self):
        launches, self.driver.launches = self.driver.launches, []
        return launches


def aligned(count, dtype=np.float32, shift=0):
    """An array that begins ``shift`` elements after an address divisible by 64."""
    memory = np.zeros(count * np.dtype(dtype).itemsize + 256, np.uint8)
    start = -memory.ctypes.data % 64 + shift * np.dtype(dtype).itemsize
    return memory[start : start + count * np.dtype(dtype).itemsize].view(dtype)


class AlignedMemory:
    """Makes results of NumPy lie at addresses divisible by 64."""

    @staticmethod
    def empty(shape, dtype):
        return aligned(int(np.prod(shape)), dtype).reshape(shape)


def device(**options):
    made = Device(**options)
    made.context.empty = AlignedMemory.empty
    from xtensor_triton._device import functions_over

    made.functions = functions_over(made.context, made.storage)
    return made


@scenario
def contiguous():
    place = device()
    x, y = aligned(4096), aligned(4096)
    results = [place.add(x, y) for _ in range(3)]
    return {
        "launches": place.noted,
        "addresses": [[result.ctypes.data, x.ctypes.data, y.ctypes.data] for result in results],
    }


@scenario
def odd_length():
    place = device()
    place.add(aligned(4099), aligned(4099))
    return place.noted


@scenario
def unaligned():
    place = device()
    for _ in range(2):
        place.add(aligned(4096, shift=1), aligned(4096))
    return place.noted


@scenario
def aligned_after_unaligned():
    place = device()
    place.exp(aligned(4096, shift=1))
    place.exp(aligned(4096))
    place.exp(aligned(4096, shift=1))
    return place.noted


@scenario
def empty():
    place = device()
    place.add(aligned(0), aligned(0))
    place.exp(np.zeros((3, 0, 2), np.float32))
    place.sum(np.zeros((3, 0), np.float32), axis=1)
    place.cumulative_sum(np.zeros((0,), np.float32), axis=0)
    x = aligned(0)
    assert place.functions["inplace.add"](x, 1.0) is x
    return place.noted


@scenario
def zero_dimensional():
    place = device()
    place.add(np.array(1.0, np.float32), np.array(2.0, np.float32))
    return place.noted


@scenario
def strided():
    place = device()
    place.add(aligned(64 * 64).reshape(64, 64)[:, ::2], aligned(32))
    return place.noted


@scenario
def scalars():
    place = device()
    for value in (1, 16, 3):
        place.add(aligned(4096, np.int32), value)
    place.multiply(aligned(4096), 0.1)
    place.multiply(aligned(4096, np.float64), 0.1)
    return place.noted


@scenario
def scalars_on_the_left():
    place = device()
    x = aligned(4096, np.int32)
    for value in (5, 6, 7):
        place.subtract(value, x)
    errors = []
    for operands in ((x, 2**40), (2**40, x)):
        try:
            place.subtract(*operands)
        except OverflowError as error:
            errors.append(str(error))
    launches = place.noted
    return {"launches": launches, "errors": errors, "complex": str(place.add(x, 1j).dtype), "address": x.ctypes.data}


@scenario
def in_place():
    place = device()
    x = aligned(4096)
    place.functions["inplace.multiply"](x, x)
    return {"launches": place.noted, "address": x.ctypes.data}


@scenario
def streams():
    current = [5]
    place = device(tag=lambda: current[0])
    x = aligned(4096)
    for stream in (5, 6, 0):
        current[0] = stream
        place.negative(x)
    return place.noted


@scenario
def long_row():
    place = device()
    place.sum(aligned(1 << 20))
    return place.noted


@scenario
def many_rows():
    place = device()
    place.max(aligned(1 << 20).reshape(1 << 14, 64), axis=1)
    return place.noted


@scenario
def columns():
    place = device()
    place.sum(aligned(1 << 20).reshape(1 << 10, 1 << 10), axis=0)
    return place.noted


@scenario
def long_scan():
    place = device()
    place.cumulative_sum(aligned(1 << 20), axis=0)
    return place.noted


@scenario
def huge():
    """Memory that is never touched: the system gives none for it."""
    place = Device()
    x = np.empty(2**31 + 32, np.int8)
    place.bitwise_invert(x)
    return place.noted


@scenario
def broken_kernel():
    import triton

    place = device()
    before = triton.compile

    def fail(*args, **kwargs):
        raise RuntimeError("no compiler")

    triton.compile = fail
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            x = aligned(8)
            x[:] = 2.0
            results = [place.square(x).tolist() for _ in range(2)]
    finally:
        triton.compile = before
    return {"results": results, "warnings": [str(item.message) for item in caught], "launches": place.noted}


@scenario
def too_many_programs():
    place = device()
    place.context.launcher.longest_axis = 3
    place.sqrt(aligned(4096))
    place.sqrt(aligned(2048))
    return place.noted


@scenario
def longest_axes():
    from triton.backends.compiler import GPUTarget

    from xtensor_triton._launch import Launcher

    targets = (GPUTarget("hip", "gfx942", 64), GPUTarget("cuda", 90, 32))
    return {target.backend: Launcher(target, lambda: 0).longest_axis for target in targets}


@scenario
def products():
    from xtensor_triton import _matrices

    place = device()
    x, y = aligned(64 * 96, np.float16).reshape(64, 96), aligned(96 * 32, np.float16).reshape(96, 32)
    place.matmul(x, y)
    before = place.noted
    measured, _matrices.measured = _matrices.measured, lambda *product: _matrices.Blocks(32, 16, 32, 4, 2, 3)
    try:
        place = device()
        place.matmul(np.stack([x, x]), y)
        place.functions["nn.linear"](x, y.T, None, precision="exact")
    finally:
        _matrices.measured = measured
    return {"before": before, "after": place.noted}


@scenario
def tf32():
    place = device()
    x, w = aligned(64 * 96).reshape(64, 96), aligned(128 * 96).reshape(128, 96)
    for precision in ("exact", "tf32"):
        place.functions["nn.linear"](x, w, None, precision=precision)
    return place.noted


@scenario
def neural_networks():
    place = device()
    x = aligned(512 * 1000).reshape(512, 1000)
    place.functions["nn.softmax"](x, axis=1)
    q = aligned(2 * 8 * 100 * 64, np.float16).reshape(2, 8, 100, 64)
    k = aligned(2 * 2 * 300 * 64, np.float16).reshape(2, 2, 300, 64)
    place.functions["nn.scaled_dot_product_attention"](q, k, k, None, causal=True, scale=0.125, precision="exact")
    return place.noted


if __name__ != "__main__" and find_spec("triton") is None:  # to import it would be to choose compiling
    pytest.skip("Triton is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def did():
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def test_contiguous_operands_are_launched_flat(did):
    for launch, addresses in zip(did["contiguous"]["launches"], did["contiguous"]["addresses"], strict=True):
        assert launch["kernel"] == "binary"
        assert launch["grid"] == [4, 1, 1]
        assert [launch["given"][name] for name in ("out", "x", "y")] == addresses
        assert launch["given"]["size"] == 4096
        assert launch["constants"]["NDIM"] == 0
        assert launch["divisible"] == [[0], [1], [2], [3]]


def test_nothing_is_hooked_into_a_launch(did):
    assert did["contiguous"]["launches"][0]["hooks"] == [None, None, None]


def test_length_that_is_no_multiple_of_16_is_split(did):
    (launch,) = did["odd_length"]
    assert launch["grid"] == [5, 1, 1]
    assert launch["constants"]["SPLIT"] is True
    assert launch["divisible"] == [[0], [1], [2]]


def test_unaligned_operands_are_not_taken_for_aligned(did):
    first, second = did["unaligned"]
    assert [1] not in first["divisible"]
    assert [1] not in second["divisible"]


def test_each_alignment_has_a_kernel_of_its_own(did):
    assert [[1] in launch["divisible"] for launch in did["aligned_after_unaligned"]] == [False, True, False]


def test_empty_arrays_launch_nothing(did):
    assert did["empty"] == []


def test_zero_dimensional_arrays_take_one_program(did):
    (launch,) = did["zero_dimensional"]
    assert launch["grid"] == [1, 1, 1]


def test_strides_are_arguments_and_steps_of_one_are_constants(did):
    (launch,) = did["strided"]
    assert launch["constants"]["NDIM"] == 2
    assert launch["given"]["shape"] == [64, 32]
    assert launch["given"]["x_steps"] == [64, 2]
    assert launch["given"]["y_steps"] == [0, 1]
    assert launch["types"]["y_steps"] == ["i32", "constexpr"]


def test_scalars_are_arguments_for_which_no_kernel_is_made(did):
    *integers, single, double = did["scalars"]
    assert [launch["given"]["y"] for launch in integers] == [1, 16, 3]
    assert all(launch["types"]["y"] == "i64" for launch in integers)
    assert all([2] not in launch["divisible"] and [2] not in launch["ones"] for launch in integers)
    assert single["types"]["y"] == "fp32"
    assert single["given"]["y"] == 0.1
    assert double["types"]["y"] == "fp64"
    assert double["given"]["y"] == 0.1


def test_scalars_keep_their_side(did):
    found = did["scalars_on_the_left"]
    assert [launch["given"]["x"] for launch in found["launches"]] == [5, 6, 7]
    assert {launch["given"]["y"] for launch in found["launches"]} == {found["address"]}
    assert len(found["errors"]) == 2
    assert all("out of bounds for int32" in error for error in found["errors"])
    assert found["complex"] == "complex128"


def test_in_place_operator_writes_into_its_operand(did):
    (launch,) = did["in_place"]["launches"]
    assert [launch["given"][name] for name in ("out", "x", "y")] == [did["in_place"]["address"]] * 3


def test_the_current_stream_is_launched_on(did):
    assert [launch["stream"] for launch in did["streams"]] == [5, 6, 0]


def test_long_row_is_reduced_in_two_launches(did):
    parts, whole = did["long_row"]
    assert parts["grid"][0] == parts["given"]["parts"] > 1
    assert whole["grid"] == [1, 1, 1]
    assert whole["given"]["x"] == parts["given"]["out"]
    assert whole["given"]["length"] == parts["given"]["parts"]


def test_many_rows_are_reduced_in_one_launch(did):
    (launch,) = did["many_rows"]
    assert launch["given"]["parts"] == 1
    assert launch["grid"][0] * launch["constants"]["ROWS"] == 1 << 14


def test_columns_are_reduced_side_by_side(did):
    launch = did["columns"][0]
    assert launch["constants"]["ROWS"] > 1
    assert launch["given"]["kept_steps"] == [1]


def test_long_scan_takes_what_stands_before_each_part(did):
    gathered, carried, scanned = did["long_scan"]
    assert [launch["kernel"] for launch in did["long_scan"]] == ["reduce_rows", "scan_rows", "scan_rows"]
    assert carried["given"]["x"] == gathered["given"]["out"]
    assert scanned["given"]["carries"] == carried["given"]["out"]
    assert scanned["constants"]["CARRIED"] is True
    assert carried["constants"]["SHIFT"] == 1


def test_offsets_have_64_bits_where_they_need_them(did):
    (launch,) = did["huge"]
    assert launch["constants"]["WIDE"] is True
    assert launch["types"]["size"] == "i64"
    assert launch["given"]["size"] == 2**31 + 32


def test_kernel_that_does_not_compile_falls_through_with_one_warning(did):
    assert did["broken_kernel"]["results"] == [[4.0] * 8] * 2
    assert len(did["broken_kernel"]["warnings"]) == 1
    assert "square()" in did["broken_kernel"]["warnings"][0]
    assert did["broken_kernel"]["launches"] == []


def test_more_programs_than_an_axis_of_the_grid_has_are_folded(did):
    assert [launch["grid"] for launch in did["too_many_programs"]] == [[3, 2, 1], [2, 1, 1]]


def test_hip_counts_threads_along_an_axis_of_the_grid(did):
    most_threads = 16 * 64  # warps of a program, threads of a warp
    assert did["longest_axes"]["hip"] * most_threads < 2**32
    assert did["longest_axes"]["cuda"] == 2**31 - 1


def test_products_are_the_storages_until_a_kernel_was_measured_to_be_faster(did):
    assert did["products"]["before"] == []
    batched, linear = did["products"]["after"]
    assert batched["kernel"] == linear["kernel"] == "matmul_blocks"
    assert batched["grid"] == [2 * (64 // 32) * (32 // 16), 1, 1]
    assert linear["grid"] == [(64 // 32) * (32 // 16), 1, 1]
    # The weight is transposed by its strides: neighbours along the inner axis are neighbours in memory.
    assert (linear["given"]["y_inner"], linear["given"]["y_column"]) == (32, 1)


def test_tf32_is_used_where_it_is_asked_for_and_nowhere_else(did):
    (launch,) = did["tf32"]
    assert launch["constants"]["PRECISION"] == "tf32"
    assert launch["kernel"] == "matmul_blocks"


def test_fused_kernels_are_one_launch(did):
    softmax, attention = did["neural_networks"]
    assert (softmax["kernel"], softmax["grid"]) == ("softmax_rows", [256, 1, 1])
    assert softmax["constants"]["WHOLE"] is True
    assert (attention["kernel"], attention["grid"]) == ("attention_blocks", [2 * 8 * 1, 1, 1])
    assert attention["constants"]["CAUSAL"] is True


if __name__ == "__main__":
    json.dump({name: run() for name, run in SCENARIOS.items()}, sys.stdout)
