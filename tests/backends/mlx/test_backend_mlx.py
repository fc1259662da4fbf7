"""MLX's devices: dtypes, values that MLX alone gets wrong, keys, errors, threads. The chapters test the rest."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from fractions import Fraction

import numpy as np
import pytest
from library_devices import OPERATIONS, REFUSED, ends, in_threads, pairs, status_of_forked_process, wrapped_around

mlx = pytest.importorskip("mlx.core", reason="MLX is not installed: environment tests-mlx")

import xtensor as xp  # noqa: E402 - after importorskip

CPU = "mlx:cpu"

UNSIGNED = (xp.uint8, xp.uint16, xp.uint32, xp.uint64)
SIGNED = (xp.int8, xp.int16, xp.int32, xp.int64)


def on_mlx(values, dtype=np.float32):
    return xp.asarray(np.asarray(values, dtype=dtype), device=CPU)


# -- dtypes -----------------------------------------------------------------------------------------------------------


def test_default_dtypes_are_of_single_precision():
    assert xp.ones(1, device=CPU).dtype == xp.float32
    assert (on_mlx([1], np.int64) / 2).dtype == xp.float32
    assert (xp.ones(1, device=CPU) * 1j).dtype == xp.complex64


@pytest.mark.parametrize("dtype", [xp.float64, xp.complex128], ids=str)
@pytest.mark.parametrize("call", ["creation", "cast", "transfer", "DLPack", "operand"])
def test_double_precision_is_refused_and_not_rounded(call, dtype):
    values = np.ones(2, dtype=dtype)
    calls = {
        "creation": lambda: xp.ones(2, dtype=dtype, device=CPU),
        "cast": lambda: xp.astype(xp.ones(2, device=CPU), dtype),
        "transfer": lambda: xp.asarray(values, device=CPU),
        "DLPack": lambda: xp.from_dlpack(values, device=CPU),
        "operand": lambda: xp.ones(2, device=CPU) + mlx.array(values.real, dtype=mlx.float64),
    }
    with pytest.raises(TypeError, match=r"float64|complex128") as caught:
        calls[call]()
    assert "float32" in str(caught.value)


@pytest.mark.parametrize("shape", [(1,), (0,), (1, 0), (1, 3), (1, 1, 2)])
def test_a_reversed_axis_without_a_second_element_is_read(shape):
    host = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)[::-1]
    x = xp.asarray(host, device=CPU)
    assert x.shape == shape
    assert xp.to_numpy(x).tolist() == host.tolist()


def test_integers_and_float32_promote_to_float32():
    assert (on_mlx([1], np.int64) + on_mlx([0.5])).dtype == xp.float32
    assert (on_mlx([1], np.uint64) + on_mlx([1], np.int64)).dtype == xp.float32
    assert xp.sqrt(on_mlx([4], np.int32)).dtype == xp.float32


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_dtypes_are_mlxs_own(dtype):
    x = xp.astype(on_mlx([1.0, 2.0, 3.0]), dtype)
    y = x * x + 1
    assert (str(y.dtype), xp.astype(y, xp.float32).tolist()) == (dtype, [2.0, 5.0, 10.0])


# -- integers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", [*UNSIGNED, *SIGNED], ids=str)
def test_integers_wrap_around_and_divide_by_zero_to_zero(name, dtype):
    a, b = zip(*pairs(dtype), strict=True)
    found = getattr(xp, name)(on_mlx(a, dtype), on_mlx(b, dtype))
    expected = [wrapped_around(OPERATIONS[name](x, y), dtype) for x, y in pairs(dtype)]
    assert (found.dtype, found.tolist()) == (dtype, expected)


@pytest.mark.parametrize("dtype", [*UNSIGNED, *SIGNED], ids=str)
def test_python_integer_beyond_the_dtype_compares_and_does_not_wrap(dtype):
    x = on_mlx([0, 1], dtype)
    assert (x < 2**70).tolist() == [True, True]
    assert (x > -(2**70)).tolist() == [True, True]
    assert (x == 2**70).tolist() == [False, False]
    with pytest.raises(OverflowError, match="out of bounds|too large"):
        x + 2**70


def test_uint64_beside_int64_compares_exactly():
    a, b = [0, 2**53 + 1, 2**63, 2**64 - 1], [-1, 2**53, 2**53 + 1, 2**63 - 1]
    cases = [(p, q) for p in a for q in b]
    x, y = on_mlx([p for p, _ in cases], xp.uint64), on_mlx([q for _, q in cases], xp.int64)
    assert xp.less(x, y).tolist() == [p < q for p, q in cases]
    assert xp.less_equal(y, x).tolist() == [q <= p for p, q in cases]
    assert xp.equal(x, y).tolist() == [p == q for p, q in cases]


@pytest.mark.parametrize("dtype", [*UNSIGNED, *SIGNED], ids=str)
@pytest.mark.parametrize("distance", [0, 1, 7, 63, 100])
def test_shift_by_the_width_or_more_leaves_the_sign(dtype, distance):
    bits = np.iinfo(dtype).bits
    x = on_mlx(ends(dtype), dtype)
    distance = min(distance, np.iinfo(dtype).max)
    left, right = xp.bitwise_left_shift(x, distance), xp.bitwise_right_shift(x, distance)
    assert left.tolist() == [wrapped_around(v << distance, dtype) if distance < bits else 0 for v in ends(dtype)]
    assert right.tolist() == [v >> distance for v in ends(dtype)]


def test_product_of_int64_matrices_is_exact():
    x = on_mlx([[2**53 + 1, 2**62]], np.int64)
    assert xp.matmul(x, on_mlx([[1], [1]], np.int64)).tolist() == [[2**62 + 2**53 + 1]]


# -- floating-point numbers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "expm1", "log1p"])
def test_odd_function_keeps_the_sign_of_zero(name):
    found = getattr(xp, name)(on_mlx([0.0, -0.0]))
    assert (found.tolist(), xp.signbit(found).tolist()) == ([0.0, 0.0], [False, True])


def test_remainder_has_the_sign_of_the_divisor():
    found = xp.remainder(on_mlx([5.0, -5.0, 6.0, -6.0, 1.0]), on_mlx([-3.0, 3.0, -3.0, 3.0, math.inf]))
    assert found.tolist() == [-1.0, 1.0, -0.0, 0.0, 1.0]
    assert xp.signbit(found).tolist() == [True, False, True, False, False]


def test_quotient_of_floats_is_the_floor_of_the_exact_one():
    numbers = [float(np.float32(a)) for a in (1.0, 0.1, -0.1, 7.5, -7.5, 1e7, 3.0)]
    cases = [(a, b) for a in numbers for b in numbers]
    found = xp.floor_divide(on_mlx([a for a, _ in cases]), on_mlx([b for _, b in cases])).tolist()
    assert found == [float(np.float32(math.floor(Fraction(a) / Fraction(b)))) for a, b in cases]


def test_sum_of_ten_million_numbers_keeps_its_digits():
    step = float(np.float32(0.1))
    found = float(xp.sum(xp.full((10_000_000,), step, device=CPU)))
    assert abs(found - 10_000_000 * step) <= 1e-5 * found


def test_sum_of_float16_is_accumulated_in_float32():
    assert float(xp.sum(xp.full((60_000,), 1.0, dtype=xp.float16, device=CPU))) == 60_000.0


@pytest.mark.parametrize("dtype", [xp.float16, xp.float32], ids=str)
def test_nextafter_steps_by_one_last_digit(dtype):
    one, tiny = np.finfo(dtype).eps, float(np.finfo(dtype).smallest_subnormal)
    x, y = [1.0, 1.0, -1.0, 0.0, 0.0, tiny, 2.0, math.nan, -0.0], [2.0, 0.0, 0.0, 1.0, -1.0, -1.0, 2.0, 1.0, 0.0]
    found = xp.nextafter(on_mlx(x, dtype), on_mlx(y, dtype)).tolist()
    assert found[:7] == [1 + one, 1 - one / 2, -1 + one / 2, tiny, -tiny, 0.0, 2.0]
    assert math.isnan(found[7])
    assert found[8] == 0.0


# -- order ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [xp.bool, *UNSIGNED, *SIGNED, xp.float16, xp.float32], ids=str)
@pytest.mark.parametrize("descending", [False, True])
def test_argsort_is_stable(dtype, descending):
    values = np.random.default_rng(5).integers(0, 4, 400).astype(dtype)
    values[:2] = (1, 0) if dtype == xp.bool else (np.iinfo(dtype).max, np.iinfo(dtype).min) if dtype.kind in "iu" else 9
    found = xp.argsort(on_mlx(values, dtype), descending=descending).tolist()
    sign = -1 if descending else 1
    assert found == sorted(range(400), key=lambda i: (sign * values[i].item(), i))


def test_nan_is_the_largest_number():
    x = on_mlx([math.nan, 1.0, -math.inf, math.nan, math.inf, -0.0, 0.0])
    assert xp.argsort(x).tolist() == [2, 5, 6, 1, 4, 0, 3]
    assert xp.searchsorted(xp.sort(x), on_mlx([math.nan, 0.0])).tolist() == [5, 1]


# -- keys -------------------------------------------------------------------------------------------------------------


def test_assignment_leaves_other_arrays_of_the_memory_unchanged():
    x = on_mlx([1.0, 2.0, 3.0])
    y, z = x[:2], xp.reshape(x, (3, 1))
    x[0] = 5.0
    x += 1.0
    assert (x.tolist(), y.tolist(), z.tolist()) == ([6.0, 3.0, 4.0], [1.0, 2.0], [[1.0], [2.0], [3.0]])


def test_array_does_not_follow_writes_to_the_values_that_it_was_made_of():
    values = np.zeros(1024, np.float32)
    x, y = xp.asarray(values, device=CPU), xp.from_dlpack(values, device=CPU)
    values[...] = 1.0
    assert (x.tolist(), y.tolist()) == ([0.0] * 1024, [0.0] * 1024)


def test_memory_of_the_host_is_shared_and_read_only():
    x = on_mlx([1.0, 2.0])
    values = np.asarray(x)
    assert values.ctypes.data == np.asarray(x).ctypes.data
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 5.0


@pytest.mark.parametrize("dtype", [*UNSIGNED, *SIGNED], ids=str)
def test_values_on_the_host_have_numpys_own_dtype(dtype):
    assert np.asarray(on_mlx([1], dtype)).dtype.char == np.dtype(dtype).char


def test_mask_selects_and_assigns():
    x = on_mlx(np.zeros((3, 2)))
    mask = xp.asarray([True, False, True], device=CPU)
    x[mask, ::-1] = on_mlx([[1.0, 2.0], [3.0, 4.0]])
    assert x.tolist() == [[2.0, 1.0], [0.0, 0.0], [4.0, 3.0]]
    assert x[mask].tolist() == [[2.0, 1.0], [4.0, 3.0]]
    assert [item.tolist() for item in xp.nonzero(x)] == [[0, 0, 2, 2], [0, 1, 0, 1]]


# -- errors -----------------------------------------------------------------------------------------------------------


def test_singular_matrix_raises_at_the_call():
    with pytest.raises(np.linalg.LinAlgError, match="[Ss]ingular"):
        xp.linalg.inv(xp.zeros((2, 2), device=CPU))


def test_matrix_that_is_not_positive_definite_raises_at_the_call():
    with pytest.raises(np.linalg.LinAlgError, match="[Pp]ositive definite"):
        xp.linalg.cholesky(-xp.eye(2, device=CPU))


def test_exhausted_memory_is_an_out_of_memory_error():
    x = xp.broadcast_to(xp.ones((), device=CPU), (2**20, 2**20))
    with pytest.raises(xp.OutOfMemoryError, match=CPU):
        x + 1
    assert (xp.ones(2, device=CPU) + 1).tolist() == [2.0, 2.0]


def test_missing_metal_is_a_typed_error_with_the_remedy():
    if mlx.metal.is_available():
        pytest.skip("MLX has Metal here")
    with pytest.raises(
        xp.BackendUnavailableError, match=r"'mlx:metal' cannot be used: MLX has no Metal here. use a Mac"
    ):
        xp.device("mlx:metal")


def test_lost_gpu_is_typed_with_the_remedy(monkeypatch):
    x = xp.ones(2, device=CPU)

    def function(*operands):
        raise RuntimeError("[METAL] Command buffer execution failed: Caused GPU Hang Error")

    implementation = xp.device(CPU).table[xp._core.operations.operation("add").index]
    monkeypatch.setattr(implementation, "function", function)
    with pytest.raises(xp.BackendUnavailableError, match="GPU Hang.*start the process again"):
        x + 1.0


def test_axis_that_is_too_long_for_mlx_is_refused():
    with pytest.raises((ValueError, MemoryError), match="2147483647|bytes"):
        xp.zeros(2**33, dtype=xp.int8, device=CPU)


def test_complex_numbers_have_no_order():
    z = on_mlx([1j], np.complex64)
    with pytest.raises(TypeError, match="complex"):
        xp.less(z, z)


# -- operands and processes -------------------------------------------------------------------------------------------


def test_mlx_array_joins_an_array_on_its_device():
    result = on_mlx([1.0, 2.0]) + mlx.array([10, 20])
    assert (str(result.device), result.dtype, result.tolist()) == (CPU, xp.float32, [11.0, 22.0])


def test_dlpack_exports_the_memory():
    x = on_mlx([1.0, 2.0])
    assert np.from_dlpack(x).ctypes.data == np.asarray(x).ctypes.data


def test_dlpack_without_a_copy_is_refused():
    with pytest.raises(BufferError, match="copy"):
        xp.from_dlpack(np.ones(2, np.float32), device=CPU, copy=False)


def test_default_device_of_the_process_stays():
    before = mlx.default_device()
    xp.ones(2, device=CPU) + 1
    assert mlx.default_device() == before


def test_arrays_are_used_by_threads_that_did_not_make_them():
    made = []
    thread = threading.Thread(target=lambda: made.append(on_mlx(np.arange(1000)) * 2))
    thread.start()
    thread.join()
    assert in_threads(lambda: float(xp.sum(made[0] + 1))) == [1_000_000.0] * 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_process_is_refused():
    assert status_of_forked_process(CPU) == REFUSED


def test_mlx_is_not_imported_for_the_choice_of_the_default_device():
    code = "import sys, xtensor as xp; xp.ones(3); print('mlx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "False"


def test_random_numbers_are_bit_for_bit_those_of_the_cpu():
    here, there = (xp.random.default_rng(7, device=device) for device in (CPU, "cpu"))
    assert here.random(100, dtype=xp.float32).tolist() == there.random(100, dtype=xp.float32).tolist()
    assert here.integers(0, 2**63, 20).tolist() == there.integers(0, 2**63, 20).tolist()


def test_gradient_of_an_exact_function():
    gradient = xp.autograd.grad(lambda x: xp.sum(x * x * x))(on_mlx([1.0, 2.0, -3.0]))
    assert (str(gradient.device), gradient.tolist()) == (CPU, [3.0, 12.0, 27.0])
