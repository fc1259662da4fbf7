"""OpenCL's devices: values next to exact ones, views, memory, errors. The chapters test the rest."""

from __future__ import annotations

import math
import operator
import os
import re
import subprocess
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from library_devices import OPERATIONS, in_threads, opened_or_skipped, pairs, wrapped_around

pytest.importorskip("pyopencl", reason="pyopencl is not installed: environment tests-opencl")

import xtensor as xp

DEVICE = "opencl:0"

UNSIGNED = (xp.uint8, xp.uint16, xp.uint32, xp.uint64)
SIGNED = (xp.int8, xp.int16, xp.int32, xp.int64)
INTEGERS = (*UNSIGNED, *SIGNED)

COMPARED = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


@pytest.fixture(scope="module", autouse=True)
def opened():
    return opened_or_skipped(DEVICE)


def array(values, dtype):
    return xp.asarray(np.asarray(values, dtype=dtype), device=DEVICE)


# -- arithmetic -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integers_wrap_around_and_divide_by_zero_to_zero(name, dtype):
    a, b = zip(*pairs(dtype), strict=True)
    found = getattr(xp, name)(array(a, dtype), array(b, dtype))
    expected = [wrapped_around(OPERATIONS[name](x, y), dtype) for x, y in pairs(dtype)]
    assert (found.dtype, found.tolist()) == (dtype, expected)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_powers_of_integers_are_modulo_the_width(dtype):
    a, b = zip(*[(p, q) for p, q in pairs(dtype) if q >= 0], strict=True)
    found = xp.pow(array(a, dtype), array(b, dtype))
    bits = np.iinfo(dtype).bits
    assert found.tolist() == [wrapped_around(pow(p, q, 2**bits), dtype) for p, q in zip(a, b, strict=True)]


@pytest.mark.parametrize("unsigned", UNSIGNED, ids=str)
@pytest.mark.parametrize("signed", SIGNED, ids=str)
def test_signed_and_unsigned_integers_compare_exactly(signed, unsigned):
    ends = (xp.iinfo(signed), xp.iinfo(unsigned))
    # 270 and 14 are the same modulo 2**8, and so are -1 and the largest unsigned number.
    values = [v for v in (-1, 0, 14, 270, 65550, -242, ends[0].min, ends[0].max) if ends[0].min <= v <= ends[0].max]
    others = [v for v in (0, 14, 15, 255, 270, ends[1].max) if v <= ends[1].max]
    combined = [(a, b) for a in values for b in others]
    a, b = zip(*combined, strict=True)
    x, y = array(a, signed), array(b, unsigned)
    for name, function in COMPARED.items():
        compare = getattr(xp, name)
        assert compare(x, y).tolist() == [function(p, q) for p, q in combined], name
        assert compare(y, x).tolist() == [function(q, p) for p, q in combined], name


def test_uint64_and_int64_compare_exactly():
    a, b = [0, 2**53 + 1, 2**63, 2**64 - 1], [-1, 2**53, 2**53 + 1, 2**63 - 1]
    cases = [(p, q) for p in a for q in b]
    x, y = array([p for p, _ in cases], xp.uint64), array([q for _, q in cases], xp.int64)
    assert xp.less(x, y).tolist() == [p < q for p, q in cases]
    assert xp.less_equal(y, x).tolist() == [q <= p for p, q in cases]
    assert xp.equal(x, y).tolist() == [p == q for p, q in cases]


def test_products_and_sums_are_rounded_one_by_one():
    x = array([1 + 2.0**-27], np.float64)
    # A fused product and sum would leave the last digit of the square, 2**-54.
    fused = xp.fuse(lambda x: x * x - (1 + 2.0**-26))
    assert (float(fused(x)[0]), float((x * x - (1 + 2.0**-26))[0])) == (0.0, 0.0)


def test_quotients_and_roots_of_float32_are_correctly_rounded():
    values = np.random.default_rng(1).random(2000, dtype=np.float32) * 1000
    x, y = array(values[:1000], np.float32), array(values[1000:], np.float32)
    exact = [np.float32(float(a) / float(b)) for a, b in zip(values[:1000], values[1000:], strict=True)]
    assert xp.divide(x, y).tolist() == [float(value) for value in exact]  # float64 has more than twice the digits
    for value, root in zip(values[:1000].tolist(), xp.sqrt(x).tolist(), strict=True):
        below, above = (float(np.nextafter(np.float32(root), np.float32(end))) for end in (0, math.inf))
        middle = [(Fraction(root) + Fraction(other)) / 2 for other in (below, above)]
        assert middle[0] ** 2 <= Fraction(value) <= middle[1] ** 2


def test_subnormal_numbers_and_signs_of_zeros_stay():
    x = array([5e-324, -5e-324, 0.0, -0.0], np.float64)
    assert (x * 1.0).tolist() == [5e-324, -5e-324, 0.0, -0.0]
    assert xp.signbit(x * 1.0).tolist() == [False, True, False, True]
    y = array([1e-45, -1e-45], np.float32)
    assert (y * 2).tolist() == [float(np.float32(1e-45)) * 2, -float(np.float32(1e-45)) * 2]


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_trigonometric_functions_of_large_arguments(name, dtype):
    largest = 127 if dtype == "float32" else 1023
    generator = np.random.default_rng(2)
    numbers = generator.uniform(1, 2, 200) * 2.0 ** generator.integers(0, largest + 1, 200)
    # The number of float64 next to a multiple of pi/2 (Muller, Elementary Functions, 11.3).
    numbers = np.asarray([*numbers, 6381956970095103 * 2.0 ** min(797, largest - 53), -(2.0**largest)], dtype)
    with mpmath.workprec(1300):
        exact = [getattr(mpmath, name)(mpmath.mpf(float(value))) for value in numbers]
        found = getattr(xp, name)(array(numbers, dtype)).tolist()
        errors = [abs(a - b) / abs(b) for a, b in zip(found, exact, strict=True)]
    assert max(errors) < 4 * float(np.finfo(dtype).eps)


def test_remainder_of_a_quotient_with_many_digits_is_exact():
    a = [1e308, 1.7e308, 1e300, 123456789.5, 1e17, 1e300, -1e300]
    b = [3e-308, 5e-324, 7.0, 1e-300, 3.0, -7.0, 7.0]
    found = xp.remainder(array(a, np.float64), array(b, np.float64)).tolist()
    assert found == [float(Fraction(x) % Fraction(y)) for x, y in zip(a, b, strict=True)]


def test_quotients_of_very_large_and_small_numbers_are_rounded_down():
    a = [-0.0, 0.0, 7e-308, -7e-308, 1.5e308, -1.5e308, 1e-310]
    b = [2.2250738585072014e-308, -1e-305, 3e-308, 3e-308, 4e307, 4e307, -1e-309]
    found = xp.floor_divide(array(a, np.float64), array(b, np.float64))
    assert found.tolist() == [float(Fraction(x) // Fraction(y)) for x, y in zip(a, b, strict=True)]
    assert xp.signbit(found).tolist() == [True, True, False, True, False, True, True]


COMPLEX = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log", "log1p"),
    *("sin", "sinh", "sqrt", "tan", "tanh"),
)


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_functions_next_to_exact_values(name):
    sizes = [-1e30, -700.0, -3.0, -1.0, -0.5, -1e-9, 1e-200, 0.3, 1.0, 2.0, 30.0, 1e30]
    numbers = [complex(a, b) for a in sizes for b in sizes]
    if name in ("exp", "expm1", "sinh", "cosh"):
        numbers = [z for z in numbers if abs(z.real) < 709]
    if name in ("sin", "cos"):
        numbers = [z for z in numbers if abs(z.imag) < 709]
    names = {"expm1": lambda z: mpmath.exp(z) - 1, "log1p": lambda z: mpmath.log(1 + z)}
    function = names.get(name) or getattr(mpmath, name)
    with mpmath.workprec(1500):
        exact = [function(mpmath.mpc(z)) for z in numbers]
        found = getattr(xp, name)(array(numbers, complex)).tolist()
        errors = [abs(a - b) / abs(b) for a, b in zip(found, exact, strict=True) if b != 0]
    assert max(errors) < 2e-14


def test_zeros_of_complex_cosine_have_the_sign_of_the_sine():
    found = xp.cos(array([16 + 0j, 1 + 0j, complex(1, -0.0)], complex))
    assert xp.signbit(xp.imag(found)).tolist() == [False, True, False]


def test_missing_bound_of_clip_limits_nothing():
    x = array([-5, 0, 5], np.int8)
    assert xp.clip(x, -2, None).tolist() == [-2, 0, 5]
    assert xp.clip(x, None, 1000).tolist() == [-5, 0, 5]


@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32", "complex64"])
def test_devices_without_double_precision_have_the_same_kernels(dtype):
    from xtensor.backend import TABLE
    from xtensor_backends.buffers.formulas import plan
    from xtensor_backends.buffers.functions import ELEMENTWISE
    from xtensor_backends.buffers.languages import OpenCL

    dtypes = frozenset(map(np.dtype, ("bool", "int32", "uint32", "int64", "uint64", "float32", "complex64")))
    with_double, without = (OpenCL(has_double=has_double) for has_double in (True, False))
    for name in ELEMENTWISE:
        kinds = (np.dtype(dtype),) * TABLE[name].operands
        try:
            expected = plan(name, kinds, dtypes, with_double)
        except TypeError:  # NumPy has no such function
            continue
        assert plan(name, kinds, dtypes, without) == expected, name


# -- views and assignments --------------------------------------------------------------------------------------------


def test_slices_are_views_with_negative_steps():
    x = array(np.arange(24.0).reshape(2, 3, 4), np.float64)
    view = x[1, ::-1, 1::2]
    view[0, 0] = -1.0
    assert float(x[1, 2, 1]) == -1.0
    x[1, 0] = 7.0
    assert view[2].tolist() == [7.0, 7.0]


@pytest.mark.parametrize("position", [3, -4, 2**40])
def test_position_out_of_bounds_raises(position):
    x = xp.ones(3, device=DEVICE)
    for key in (position, xp.asarray([0, position], device=DEVICE)):
        with pytest.raises(IndexError, match="out of bounds"):
            x[key]
        with pytest.raises(IndexError, match="out of bounds"):
            x[key] = 1.0


def test_broadcast_view_cannot_be_written_to():
    x = xp.broadcast_to(xp.ones(1, device=DEVICE), (4,))
    with pytest.raises(ValueError, match="read-only"):
        x += 1.0


# -- kernels of programs, random numbers, the host --------------------------------------------------------------------


def test_random_numbers_are_bit_for_bit_those_of_the_cpu():
    here, there = (xp.random.default_rng(7, device=device) for device in (DEVICE, "cpu"))
    for name in ("random", "standard_normal", "random"):
        for dtype in ("float32", "float64"):
            for size in (1, 5, 1001):
                found, expected = (getattr(rng, name)(size, dtype=dtype).tolist() for rng in (here, there))
                assert found == expected
    assert here.integers(0, 2**63, 20).tolist() == there.integers(0, 2**63, 20).tolist()


def test_chunks_of_a_dask_array_are_computed_by_opencl():
    dask = pytest.importorskip("dask.array", reason="dask is not installed: the extra dask")
    x = array(np.arange(12.0).reshape(3, 4), np.float64)
    total = (dask.from_array(x, chunks=2, asarray=False) + 1).sum().compute()
    assert (str(total.device), float(total)) == (DEVICE, 78.0)


def test_dlpack_shares_memory_between_arrays_and_frees_it():
    from xtensor_backends.buffers import exchange

    x = xp.ones(3, device=DEVICE)
    y = xp.from_dlpack(x, copy=False)
    y[0] = 5.0
    assert x.tolist() == [5.0, 1.0, 1.0]
    assert xp.from_dlpack(x, copy=True).__dlpack_device__() == (4, 0)
    capsule = x.__dlpack__()
    assert len(exchange._exported) == 1
    del capsule
    assert not exchange._exported
    assert np.from_dlpack(x, device="cpu").tolist() == [5.0, 1.0, 1.0]


# -- the device -------------------------------------------------------------------------------------------------------


def test_opencl_is_never_the_default_device_and_is_not_imported_for_the_choice():
    code = "import sys, xtensor as xp; xp.ones(3); print(xp.default_device(), 'pyopencl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split()[1:] == ["False"]
    assert not done.stdout.startswith("opencl")


def test_exhausted_memory_is_an_out_of_memory_error():
    with pytest.raises(xp.OutOfMemoryError, match=DEVICE):
        xp.zeros(2**46, device=DEVICE)


def test_pool_keeps_no_more_than_its_limit():
    from xtensor_backends.buffers.memory import MemoryPool

    released = []
    pool = MemoryPool(lambda size: size, released.append, 2**20, 2**20)
    pool.limit(2**12)
    blocks = [pool.block(2**12) for _ in range(3)]
    blocks.clear()
    assert (pool.used, pool.unused, len(released)) == (0, 2**12, 2)
    with pytest.raises(MemoryError, match="largest"):
        pool.block(2**21)


def test_kernel_launched_again_has_the_arguments_of_its_last_call():
    x, y = array(np.arange(8.0), np.float64), array(np.arange(8.0) * 10, np.float64)
    for k in (0, 5, 5, 2):
        assert (x[k : k + 1] + y[k + 1 : k + 2]).tolist() == [11.0 * k + 10]
    for zero in (0.0, -0.0, 0.0):
        assert xp.signbit(x * zero).tolist() == [math.copysign(1, zero) < 0] * 8


def test_missing_driver_is_a_typed_error_with_the_remedy():
    code = (
        "import xtensor as xp\n"
        f"try: xp.ones(3, device='{DEVICE}')\n"
        "except xp.BackendUnavailableError as error: print(error)\n"
    )
    nowhere = os.environ | {"OCL_ICD_VENDORS": "/nonexistent"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=nowhere, capture_output=True, text=True, check=True, timeout=120
    )
    assert re.search("no OpenCL driver.*pocl-binary-distribution", done.stdout, re.DOTALL)


def test_device_that_refuses_the_process_is_a_typed_error():
    code = (
        "import xtensor as xp, pyopencl\n"
        "def refuse(devices): raise pyopencl.RuntimeError('clCreateContext failed: OUT_OF_RESOURCES')\n"
        f"pyopencl.Context, device = refuse, xp.device('{DEVICE}')\n"
        "try: xp.ones(3, device=device)\n"
        "except xp.BackendUnavailableError as error: print(error)\n"
        "print(xp.ones(3, device='numpy').tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert re.search("opencl:0 cannot be opened: .*clCreateContext.*\n\\[1.0, 1.0, 1.0", done.stdout)


def test_lost_device_is_a_typed_error():
    import pyopencl

    from xtensor_backends.opencl import backend

    backend.probe()
    lost = pyopencl.LogicError(pyopencl._cl._ErrorRecord("the queue is invalid", -36, "clEnqueueNDRangeKernel"))
    assert isinstance(backend.translate(lost), xp.BackendUnavailableError)


def test_threads_compute_the_same():
    x = array(np.arange(1000.0), np.float64)
    assert in_threads(lambda: float(xp.sum(x * x))) == [332833500.0] * 8
