"""WebGPU's devices: values next to exact ones, kernels, memory, errors. The chapters test the rest."""

from __future__ import annotations

import gc
import math
import os
import re
import subprocess
import sys
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from library_devices import OPERATIONS, in_threads, opened_or_skipped, pairs, wrapped_around

pytest.importorskip("wgpu", reason="wgpu is not installed: environment tests-webgpu")

import xtensor as xp

DEVICE = "webgpu:0"

INTEGERS = (xp.uint32, xp.int32)

FLOAT32 = np.finfo(np.float32)


@pytest.fixture(scope="module", autouse=True)
def opened():
    return opened_or_skipped(DEVICE)


def array(values, dtype):
    return xp.asarray(np.asarray(values, dtype=dtype), device=DEVICE)


def bit_patterns(count, seed):
    """float32 numbers of all sizes, infinities, NaN, zeros and subnormal numbers among them."""
    words = np.random.default_rng(seed).integers(0, 2**32, count, dtype=np.uint32)
    ends = np.asarray([0, 2**31, 1, 2**31 + 1, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0x00800000], np.uint32)
    return np.concatenate([words, ends]).view(np.float32)


def same_bits(found, expected):
    """Whether values have the same bits, or are both NaN."""
    return bool(np.all((found.view(np.uint32) == expected.view(np.uint32)) | (np.isnan(found) & np.isnan(expected))))


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
    assert found.tolist() == [wrapped_around(pow(p, q, 2**32), dtype) for p, q in zip(a, b, strict=True)]


def test_uint32_and_int32_compare_exactly():
    cases = [(p, q) for p in (0, 5, 2**31, 2**32 - 1) for q in (-1, 0, 5, 2**31 - 1, -(2**31))]
    x, y = array([p for p, _ in cases], xp.uint32), array([q for _, q in cases], xp.int32)
    assert xp.less(x, y).tolist() == [p < q for p, q in cases]
    assert xp.less_equal(y, x).tolist() == [q <= p for p, q in cases]
    assert xp.equal(x, y).tolist() == [p == q for p, q in cases]


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "remainder", "maximum", "nextafter"])
def test_arithmetic_has_numpys_bits(name):
    a, b = bit_patterns(20_000, 1), np.roll(bit_patterns(20_000, 2), 3)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(a, b)
    assert same_bits(xp.to_numpy(getattr(xp, name)(array(a, np.float32), array(b, np.float32))), expected)


@pytest.mark.parametrize("name", ["sqrt", "floor", "ceil", "trunc", "negative", "abs", "sign"])
def test_rounding_and_signs_have_numpys_bits(name):
    a = bit_patterns(20_000, 3)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(a)
    assert same_bits(xp.to_numpy(getattr(xp, name)(array(a, np.float32))), expected)


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
def test_comparisons_with_nan(name):
    a, b = bit_patterns(5_000, 4), np.roll(bit_patterns(5_000, 4), 1)
    b[:1000] = a[:1000]
    found = getattr(xp, name)(array(a, np.float32), array(b, np.float32))
    assert found.tolist() == getattr(np, name)(a, b).tolist()


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_numbers_out_of_range_of_an_integer_dtype_are_those_of_x86(dtype):
    a = np.asarray([-1.5, 0.9, 2.0**31, 3e9, -3e9, 2.0**32 + 512, -(2.0**40) - 2.0**20, 2.0**70, math.nan, -math.inf])
    integers = [int(x) if abs(x) < 2.0**63 else -(2**63) for x in a.astype(np.float32).tolist()]
    limits = np.iinfo(np.int32)
    if dtype == np.int32:
        expected = [n if limits.min <= n <= limits.max else limits.min for n in integers]
    else:
        expected = [n % 2**32 for n in integers]
    assert xp.astype(array(a, np.float32), dtype).tolist() == expected


def test_a_number_less_itself_is_nan_where_it_is_infinite():
    x = array([math.inf, -math.inf, math.nan, 1.0], np.float32)
    for difference in (x - x, xp.fuse(lambda x: x - x)(x)):
        assert xp.isnan(difference).tolist() == [True, True, True, False]
    x -= x
    assert xp.isnan(x).tolist() == [True, True, True, False]


def test_products_and_sums_are_rounded_one_by_one():
    x = array([1 + 2.0**-12], np.float32)
    # A fused product and sum would leave the last digit of the square, 2**-24.
    fused = xp.fuse(lambda x: x * x - (1 + 2.0**-11))
    assert (float(fused(x)[0]), float((x * x - (1 + 2.0**-11))[0])) == (0.0, 0.0)


def test_sums_are_not_reordered():
    x, y = array([1.0], np.float32), array([2.0**60], np.float32)
    assert xp.fuse(lambda x, y: (x + y) - y)(x, y).tolist() == [0.0]


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_trigonometric_functions_of_large_arguments(name):
    generator = np.random.default_rng(5)
    numbers = (generator.uniform(1, 2, 300) * 2.0 ** generator.integers(0, 128, 300)).astype(np.float32)
    with mpmath.workprec(300):
        exact = [getattr(mpmath, name)(mpmath.mpf(float(value))) for value in numbers]
        found = getattr(xp, name)(array(numbers, np.float32)).tolist()
        errors = [abs(a - b) / abs(b) for a, b in zip(found, exact, strict=True)]
    assert max(errors) < 4 * float(FLOAT32.eps)


def test_remainder_of_a_quotient_with_many_digits_is_exact():
    a = np.asarray([3e38, 1e30, -1e30, 123456.789, 1e-40, 1e10], np.float32)
    b = np.asarray([1e-45, 7.0, 7.0, -3e-39, 3e-45, -1e-10], np.float32)
    found = xp.remainder(array(a, np.float32), array(b, np.float32)).tolist()
    assert found == [float(Fraction(float(x)) % Fraction(float(y))) for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize("near", [True, False])
def test_powers_next_to_exact_values(near):
    generator = np.random.default_rng(6)
    base = generator.uniform(0.999, 1.001, 300) if near else generator.uniform(1e-3, 1e3, 300)
    exponent = generator.uniform(-8e4, 8e4, 300) if near else generator.uniform(-12, 12, 300)
    base, exponent = base.astype(np.float32), exponent.astype(np.float32)
    found = xp.pow(array(base, np.float32), array(exponent, np.float32)).tolist()
    exact = [mpmath.power(float(x), float(y)) for x, y in zip(base, exponent, strict=True)]
    errors = [abs(a - b) / b for a, b in zip(found, exact, strict=True)]
    assert max(errors) < 2 * float(FLOAT32.eps)


COMPLEX = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log", "log1p"),
    *("sin", "sinh", "sqrt", "tan", "tanh"),
)


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_functions_next_to_exact_values(name):
    sizes = [-1e9, -60.0, -3.0, -1.0, -0.5, -1e-5, 1e-20, 0.3, 1.0, 2.0, 30.0, 1e9]
    numbers = np.asarray([complex(a, b) for a in sizes for b in sizes], np.complex64)
    if name in ("exp", "expm1", "sinh", "cosh", "sin", "cos"):
        growing = numbers.imag if name in ("sin", "cos") else numbers.real
        numbers = numbers[abs(growing) < 80]
    names = {"expm1": lambda z: mpmath.exp(z) - 1, "log1p": lambda z: mpmath.log(1 + z)}
    function = names.get(name) or getattr(mpmath, name)
    with mpmath.workprec(400):
        exact = [function(mpmath.mpc(complex(z))) for z in numbers]
        found = getattr(xp, name)(array(numbers, np.complex64)).tolist()
        errors = [abs(a - b) / abs(b) for a, b in zip(found, exact, strict=True) if b != 0]
    assert max(errors) < 32 * float(FLOAT32.eps)


# -- dtypes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64", "float64", "complex128"])
def test_a_dtype_that_wgsl_lacks_is_refused(dtype):
    with pytest.raises(TypeError, match=f"does not support dtype {dtype}"):
        xp.zeros(3, dtype=dtype, device=DEVICE)


def test_python_numbers_have_the_default_dtypes_and_their_range():
    assert xp.asarray([1, 2], device=DEVICE).dtype == xp.int32
    assert xp.asarray([1.0, 2.0], device=DEVICE).dtype == xp.float32
    for value in (2**31, [1, 2**40], [[0], [-(2**31) - 1]]):
        with pytest.raises(OverflowError, match="out of bounds for int32"):
            xp.asarray(value, device=DEVICE)


def test_cast_of_a_dtype_that_the_device_lacks_comes_before_the_transfer():
    x = xp.asarray([1, 2], device="cpu")
    for moved in (xp.astype(x, xp.float32, device=DEVICE), xp.asarray(x, dtype=xp.float32, device=DEVICE)):
        assert (str(moved.device), moved.tolist()) == (DEVICE, [1.0, 2.0])


def test_index_arrays_of_numpy_are_taken():
    x = xp.arange(12, device=DEVICE)
    assert x[np.asarray([1, -1])].tolist() == [1, 11]
    with pytest.raises(IndexError, match="out of bounds"):
        x[np.asarray([2**62])]


# -- reductions, order, products --------------------------------------------------------------------------------------


def test_launch_of_more_groups_than_an_axis_has():
    x = xp.full((65535 * 64 + 1000,), 3, device=DEVICE)
    assert (int(xp.max(x + x)), int(xp.min(x + x)), int(xp.sum(x == 3))) == (6, 6, x.size)


def test_positions_of_more_axes_than_a_kernel_has_buffers():
    values = np.random.default_rng(8).random((2,) * 12) < 0.1
    found = [x.tolist() for x in xp.nonzero(array(values, np.bool))]
    assert found == [x.tolist() for x in np.nonzero(values)]


# -- views and assignments --------------------------------------------------------------------------------------------


def test_in_place_operators_read_from_the_buffer_they_write_to():
    x = array(np.arange(10), np.int32)
    view = x[::2]
    view *= 3
    x += x
    assert x.tolist() == [2 * (3 * k if k % 2 == 0 else k) for k in range(10)]
    x -= x[::-1]
    assert x.tolist() == [-(y - z) for y, z in zip(x[::-1].tolist(), [0] * 10, strict=True)]


# -- kernels of programs, random numbers, the host --------------------------------------------------------------------


def test_fused_function_of_more_arrays_than_a_kernel_has_buffers():
    arrays = [array([float(k)], np.float32) for k in range(64)]
    assert float(xp.fuse(lambda *xs: sum(xs[1:], xs[0]))(*arrays)[0]) == 2016.0


def test_random_numbers_are_bit_for_bit_those_of_the_cpu():
    here, there = (xp.random.default_rng(7, device=device) for device in (DEVICE, "cpu"))
    for name in ("random", "standard_normal", "standard_exponential", "random"):
        for size in (1, 5, 10_001):
            found, expected = (getattr(rng, name)(size, dtype="float32").tolist() for rng in (here, there))
            assert found == expected
    for draw in (lambda rng: rng.integers(0, 2**31, 20), lambda rng: rng.permutation(9), lambda rng: rng.poisson(4, 9)):
        assert draw(here).tolist() == draw(there).tolist()


def test_draws_of_the_host_are_written_into_arrays_of_the_device_and_counted():
    rng, peer = (xp.random.default_rng(8, device=device) for device in (DEVICE, "cpu"))
    x, y = xp.arange(9, device=DEVICE), xp.arange(9, device="cpu")
    with xp.profile() as record:
        rng.shuffle(x)
        out = xp.zeros(3, device=DEVICE)
        assert rng.standard_exponential(out=out) is out
    peer.shuffle(y)
    assert x.tolist() == y.tolist()
    assert out.tolist() == peer.standard_exponential(3, dtype="float32").tolist()
    keys = [key for key in record.records if key[2] == "host"]
    assert keys == [("random.shuffle", DEVICE, "host"), ("random.standard_exponential", DEVICE, "host")]
    with pytest.raises(TypeError, match="does not support dtype float64"):
        rng.standard_exponential(3, dtype="float64")


KERNELS = {
    "elementwise": (lambda x: x + x, [6.0, 2.0, 4.0]),
    "cast": (lambda x: xp.astype(x, xp.uint32), [3, 1, 2]),
    "reduction": (xp.sum, 6.0),
    "sort": (xp.sort, [1.0, 2.0, 3.0]),
    "search": (lambda x: xp.searchsorted(x[1:], x), [2, 0, 1]),
    "scan": (xp.cumulative_sum, [3.0, 4.0, 6.0]),
    "gather": (lambda x: xp.take(x, xp.asarray([2, 0], device=DEVICE)), [2.0, 3.0]),
    "mask": (lambda x: x[x > 1.5], [3.0, 2.0]),
    "product": (lambda x: x @ x, 14.0),
    "random": (lambda x: xp.random.default_rng(1, device=DEVICE).random(2) < 1, [True, True]),
}


@pytest.mark.parametrize("name", KERNELS)
def test_values_come_from_kernels_of_the_device(name, monkeypatch):
    from xtensor_backends.webgpu import backend

    function, expected = KERNELS[name]
    x = array([3.0, 1.0, 2.0], np.float32)
    runtime, launched = backend.runtime(DEVICE), []
    enqueue = runtime.enqueue
    monkeypatch.setattr(runtime, "enqueue", lambda *arguments: launched.append(arguments) or enqueue(*arguments))
    with xp.profile() as record:
        found = function(x)
    assert launched
    assert not [key for key in record.records if key[2] == "host"]
    assert found.tolist() == expected


def test_dlpack_shares_memory_between_arrays():
    x = xp.ones(3, device=DEVICE)
    y = xp.from_dlpack(x, copy=False)
    y[0] = 5.0
    assert x.tolist() == [5.0, 1.0, 1.0]
    assert np.from_dlpack(x, device="cpu").tolist() == [5.0, 1.0, 1.0]


# -- the device -------------------------------------------------------------------------------------------------------


def in_process(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout


def test_webgpu_is_never_the_default_device_and_is_not_imported_for_the_choice():
    code, out = in_process("import sys, xtensor as xp; xp.ones(3); print(xp.default_device(), 'wgpu' in sys.modules)")
    assert (code, out.split()[1:]) == (0, ["False"])
    assert not out.startswith("webgpu")


def test_triton_can_be_imported_after_the_device():
    pytest.importorskip("triton", reason="triton is not installed: the extra triton")
    status, _ = in_process(f"import xtensor as xp; xp.ones(3, device='{DEVICE}'); import triton")
    assert status == 0


def test_missing_driver_is_a_typed_error_with_the_remedy():
    code = (
        "import xtensor as xp\n"
        f"try: xp.ones(3, device='{DEVICE}')\n"
        "except xp.BackendUnavailableError as error: print(error)\n"
    )
    nowhere = dict.fromkeys(("VK_ICD_FILENAMES", "VK_DRIVER_FILES"), "/nonexistent")
    status, out = in_process(code, **nowhere)
    assert status == 0
    assert re.search("no adapter.*mesa-vulkan-drivers", out, re.DOTALL)


def test_exhausted_memory_is_an_out_of_memory_error():
    with pytest.raises(xp.OutOfMemoryError, match=DEVICE):
        xp.zeros(2**30, device=DEVICE)


def test_device_finishes_what_was_launched():
    x = xp.ones(2**20, device=DEVICE)
    xp.sin(x)
    xp.device(DEVICE).synchronize()
    assert float(xp.sum(x)) == 2.0**20


def test_memory_of_arrays_that_the_garbage_collector_finds_is_used_again():
    for size in range(100, 105):
        for _ in range(20):
            ring = [xp.ones(size, device=DEVICE)]
            ring.append(ring)
            del ring
        gc.collect()
        assert xp.sum(xp.ones(size, device=DEVICE) + 1) == 2 * size


def test_adapter_that_refuses_the_process_is_a_typed_error():
    code = (
        "import xtensor as xp\n"
        f"device = xp.device('{DEVICE}')\n"
        "from xtensor_backends.webgpu import backend\n"
        "import wgpu\n"
        "def refuse(self, **options): raise RuntimeError('Request device failed: permission denied')\n"
        f"type(backend._adapters['{DEVICE}']).request_device_sync = refuse\n"
        "try: xp.ones(3, device=device)\n"
        "except xp.BackendUnavailableError as error: print(error)\n"
        "print(xp.ones(3, device='numpy').tolist())\n"
    )
    status, out = in_process(code)
    assert status == 0
    assert re.search("webgpu:0 cannot be opened: .*permission denied.*\n\\[1.0, 1.0, 1.0", out)


def test_lost_device_is_a_typed_error():
    code = (
        "import xtensor as xp\n"
        f"x = xp.ones(3, device='{DEVICE}')\n"
        "from xtensor_backends.webgpu import backend\n"
        f"backend.runtime('{DEVICE}')._device.destroy()\n"
        "try: print((x + 1).tolist())\n"
        "except xp.BackendUnavailableError as error: print('refused', error)\n"
    )
    status, out = in_process(code)
    assert (status, out.split()[0]) == (0, "refused")


def test_threads_compute_the_same():
    x = array(np.arange(1000.0), np.float32)
    assert in_threads(lambda: float(xp.sum(x))) == [499500.0] * 8


def test_threads_compile_kernels_at_once():
    x = array(np.arange(100), np.int32)
    functions = [xp.fuse(lambda y, k=k: (y + k) * (y - k)) for k in range(8)]
    remaining = list(functions)
    results = in_threads(lambda: remaining.pop()(x).tolist())
    expected = [[(y + k) * (y - k) for y in range(100)] for k in range(8)]
    assert sorted(results) == sorted(expected)
