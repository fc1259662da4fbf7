"""JAX's devices: 64-bit types, immutable arrays, complex functions, operands, errors. The chapters test the rest."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from library_devices import REFUSED, in_threads, status_of_forked_process

jax = pytest.importorskip("jax", reason="JAX is not installed: environment tests-jax")

import mpmath  # noqa: E402 - after importorskip

import xtensor as xp  # noqa: E402

CPU = "jax:cpu"


def test_types_of_64_bits_leave_the_process_as_it_is():
    before = jax.config.jax_enable_x64
    x = xp.asarray([2**53 + 1, 1], device=CPU)
    assert (x + 1).tolist() == [2**53 + 2, 2]
    assert xp.ones(1, device=CPU).dtype == xp.float64
    assert jax.config.jax_enable_x64 is before
    assert jax.numpy.ones(1).dtype == (np.float64 if before else np.float32)


@pytest.mark.parametrize("name", ["sum", "prod"])
def test_float32_accumulates_in_requested_types_of_64_bits(name):
    x = xp.asarray([2.0**24 + 2, 1.0, 3.0], dtype=xp.float32, device=CPU)
    exact = {"sum": 2**24 + 6, "prod": 3 * (2**24 + 2)}[name]
    for dtype in (xp.float64, xp.int64):
        result = getattr(xp, name)(x, dtype=dtype)
        assert (result.dtype, int(result)) == (dtype, exact)


def test_sums_and_products_of_float16_round_once():
    values = np.array([2048, 1, 2.0**-10])  # above the tie between 2048 and 2050, the two next float16
    x, wide = (xp.asarray(values, dtype=dtype, device=CPU) for dtype in (xp.float16, xp.float32))
    assert xp.sum(x).item() == xp.sum(wide, dtype=xp.float16).item() == xp.cumulative_sum(x)[-1].item() == 2050
    factors = xp.asarray([2.0, 2.0**15, 2.0**-16], dtype=xp.float16, device=CPU)  # 65536 is no float16
    assert xp.prod(factors).item() == xp.cumulative_prod(factors)[-1].item() == 1.0
    assert xp.sum(x, keepdims=True).dtype == xp.cumulative_sum(wide, dtype=xp.float16).dtype == xp.float16


def test_float32_beside_other_dtypes_is_promoted():
    x = xp.asarray([1.0], dtype=xp.float32, device=CPU)
    y = xp.asarray([2.0**-30], dtype=xp.float64, device=CPU)
    assert (x + y).tolist() == (y + x).tolist() == [1.0 + 2.0**-30]


def test_assignment_leaves_other_arrays_of_the_memory_unchanged():
    x = xp.asarray([1.0, 2.0, 3.0], device=CPU)
    y = x[:2]
    x[0] = 5.0
    x += 1.0
    assert (x.tolist(), y.tolist()) == ([6.0, 3.0, 4.0], [1.0, 2.0])


def test_array_does_not_follow_writes_to_the_values_that_it_was_made_of():
    values = np.zeros(1024)
    x = xp.asarray(values, device=CPU)
    y = xp.from_dlpack(values, device=CPU)
    values[...] = 1.0
    assert (x.tolist(), y.tolist()) == ([0.0] * 1024, [0.0] * 1024)


def test_assignment_by_a_mask_and_a_negative_step():
    x = xp.asarray(np.zeros((3, 2)), device=CPU)
    x[xp.asarray([True, False, True], device=CPU), ::-1] = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=CPU)
    assert x.tolist() == [[2.0, 1.0], [0.0, 0.0], [4.0, 3.0]]


@pytest.mark.parametrize("shape", [(), (1,), (7, 1)], ids=str)
def test_divisor_that_is_broadcast_divides(shape):
    # 2**127 and its half: the reciprocal of the first is subnormal, and XLA's zero.
    x = xp.asarray([2.0**126, 2.0**127], dtype=xp.float32, device=CPU)
    divisor = xp.full(shape, 2.0**127, dtype=xp.float32, device=CPU)
    assert xp.all(x / divisor == xp.asarray([0.5, 1.0], dtype=xp.float32, device=CPU))
    assert (x / 2.0**127).tolist() == [0.5, 1.0]
    # k / 7 of float64 is what Python divides, and 7 * k // 7 is k.
    k = xp.asarray([float(i) for i in range(200)], device=CPU)
    sevens = xp.full(shape, 7.0, device=CPU)
    expected = xp.broadcast_to(xp.asarray([i / 7 for i in range(200)], device=CPU), (k / sevens).shape)
    assert xp.all(k / sevens == expected)
    assert xp.all((7.0 * k) // sevens == k)


@pytest.mark.parametrize("dtype", [xp.int8, xp.uint8, xp.int64, xp.uint64], ids=str)
def test_integers_divide_by_zero_to_zero(dtype):
    limits = np.iinfo(dtype)
    numbers = [limits.min, 1, limits.max]
    x = xp.asarray(np.asarray(numbers, dtype=dtype), device=CPU)
    assert (x // 0).tolist() == [0, 0, 0]
    assert (x % 0).tolist() == [0, 0, 0]
    assert (x // 3).tolist() == [number // 3 for number in numbers]
    assert (x % 3).tolist() == [number % 3 for number in numbers]


def test_uint64_beside_int64_compares_exactly():
    a, b = [0, 2**53 + 1, 2**64 - 1], [-1, 2**53, 2**63 - 1]
    cases = [(p, q) for p in a for q in b]
    x = xp.asarray(np.asarray([p for p, _ in cases], np.uint64), device=CPU)
    y = xp.asarray([q for _, q in cases], device=CPU)
    assert xp.less(x, y).tolist() == [p < q for p, q in cases]
    assert xp.less_equal(y, x).tolist() == [q <= p for p, q in cases]


LARGEST = {"sinh": 710.4, "cosh": 710.4}
"""Real components whose exponentials overflow, although the functions do not."""


@pytest.mark.parametrize("name", ["exp", "sinh", "cosh", "sqrt"])
def test_complex_function_is_accurate_to_its_ends(name):
    parts = (-650.0, -3.0, -1e-9, 0.25, 30.0, LARGEST.get(name, 709.0))
    numbers = [complex(a, b) for a in parts for b in (-2.0, 1e-9, 0.5, 3.0)]
    found = getattr(xp, name)(xp.asarray(numbers, device=CPU)).tolist()
    with mpmath.workdps(40):
        for z, value in zip(numbers, found, strict=True):
            exact = getattr(mpmath, name)(mpmath.mpc(z))
            assert abs(mpmath.mpc(value) - exact) <= 8 * 2.0**-53 * abs(exact), z


def test_square_root_of_a_complex_number_at_the_ends_of_the_range():
    numbers = [complex(1e308, 1e308), complex(-1e308, -1e308), complex(5e-300, -5e-300), complex(0.0, 1e-290)]
    found = xp.sqrt(xp.asarray(numbers, device=CPU)).tolist()
    with mpmath.workdps(40):
        for z, value in zip(numbers, found, strict=True):
            exact = mpmath.sqrt(mpmath.mpc(z))
            assert abs(mpmath.mpc(value) - exact) <= 8 * 2.0**-53 * abs(exact), z


def test_jax_array_joins_an_array_on_its_device():
    x = xp.asarray([1.0, 2.0], device=CPU)
    own = jax.numpy.asarray([10, 20])
    result = x + own
    assert (str(result.device), result.dtype, result.tolist()) == (CPU, xp.float64, [11.0, 22.0])


def test_random_numbers_are_those_of_the_cpu():
    found = xp.random.default_rng(3, device=CPU).random(5)
    assert found.tolist() == xp.random.default_rng(3, device="cpu").random(5).tolist()


def test_jax_is_not_imported_for_the_choice_of_the_default_device():
    code = "import sys, xtensor as xp; xp.ones(3); print(xp.default_device(), 'jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split()[1:] == ["False"]


def test_missing_driver_is_a_typed_error_with_the_remedy():
    code = (
        "import xtensor as xp\n"
        f"try: xp.ones(3, device='{CPU}')\n"
        "except xp.BackendUnavailableError as error: print(error)\n"
    )
    environment = os.environ | {"JAX_PLATFORMS": "nowhere"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    assert "JAX does not open the platform that JAX_PLATFORMS names" in done.stdout
    assert "install the GPU's driver" in done.stdout


@pytest.mark.parametrize(("kind", "platform"), [("gpu", "cuda"), ("tpu", "tpu"), ("rocm", "rocm")])
def test_missing_gpu_is_a_typed_error_with_the_remedy(kind, platform):
    if any(str(device).startswith(f"jax:{kind}") for device in xp.devices()):
        pytest.skip(f"JAX has a device of the kind {kind} here")
    with pytest.raises(
        xp.BackendUnavailableError, match=f"'jax:{kind}:0' cannot be used: .*JAX_PLATFORMS={platform},cpu "
    ):
        xp.device(f"jax:{kind}:0")


def test_exhausted_memory_is_an_out_of_memory_error():
    with pytest.raises(xp.OutOfMemoryError, match=CPU):
        xp.zeros(2**46, device=CPU) + 1


def test_lost_gpu_is_typed_with_the_remedy(monkeypatch):
    x = xp.ones(2, device=CPU)
    error = jax.errors.JaxRuntimeError("INTERNAL: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access")

    def function(*operands):
        raise error

    implementation = xp.device(CPU).table[xp._core.operations.operation("add").index]
    monkeypatch.setattr(implementation, "function", function)
    with pytest.raises(xp.BackendUnavailableError, match="illegal memory access.*start the process again"):
        x + 1.0


def test_forked_process_is_refused():
    assert status_of_forked_process(CPU) == REFUSED


def test_synchronize_waits_for_all_arrays():
    x = xp.ones((1500, 1500), device=CPU)
    y = xp.matmul(x, x)
    x.device.synchronize()
    assert all(array.is_ready() for array in jax.live_arrays("cpu"))
    assert float(y[0, 0]) == 1500.0


def test_threads_compute_the_same():
    x = xp.asarray(np.arange(1000.0), device=CPU)
    assert in_threads(lambda: float(xp.sum(x * x))) == [332833500.0] * 8


def test_infinity_of_a_sum_stays_one():
    assert xp.sum(xp.asarray([math.inf, 1.0], device=CPU)).tolist() == math.inf
