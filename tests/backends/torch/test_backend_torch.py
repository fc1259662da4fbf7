"""torch's devices: values that torch alone gets wrong, operands, memory, errors. The chapters test the rest."""

from __future__ import annotations

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from library_devices import OPERATIONS, REFUSED, ends, in_threads, pairs, status_of_forked_process, wrapped_around

torch = pytest.importorskip("torch", reason="torch is not installed: environment tests-torch")

import xtensor as xp  # noqa: E402 - after importorskip
from xtensor_backends.torch import TorchBackend  # noqa: E402

CPU = "torch:cpu"

UNSIGNED = (xp.uint8, xp.uint16, xp.uint32, xp.uint64)
SIGNED = (xp.int8, xp.int16, xp.int32, xp.int64)


def on_torch(values, dtype):
    return xp.asarray(np.asarray(values, dtype=dtype), device=CPU)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", [*UNSIGNED, *SIGNED], ids=str)
def test_integers_wrap_around_and_divide_by_zero_to_zero(name, dtype):
    a, b = zip(*pairs(dtype), strict=True)
    found = getattr(xp, name)(on_torch(a, dtype), on_torch(b, dtype))
    expected = [wrapped_around(OPERATIONS[name](x, y), dtype) for x, y in pairs(dtype)]
    assert (found.dtype, found.tolist()) == (dtype, expected)


@pytest.mark.parametrize("dtype", [*UNSIGNED, *SIGNED], ids=str)
def test_integers_compare_exactly(dtype):
    a, b = zip(*pairs(dtype), strict=True)
    x, y = on_torch(a, dtype), on_torch(b, dtype)
    assert xp.less(x, y).tolist() == [p < q for p, q in pairs(dtype)]
    assert xp.equal(x, y).tolist() == [p == q for p, q in pairs(dtype)]


def test_uint64_beside_int64_compares_exactly():
    a, b = [0, 2**53 + 1, 2**63, 2**64 - 1], [-1, 2**53, 2**53 + 1, 2**63 - 1]
    cases = [(p, q) for p in a for q in b]
    x, y = on_torch([p for p, _ in cases], xp.uint64), on_torch([q for _, q in cases], xp.int64)
    assert xp.less(x, y).tolist() == [p < q for p, q in cases]
    assert xp.less_equal(y, x).tolist() == [q <= p for p, q in cases]
    assert xp.equal(x, y).tolist() == [p == q for p, q in cases]


@pytest.mark.parametrize("dtype", [*UNSIGNED, *SIGNED], ids=str)
def test_python_integer_beyond_the_dtype_compares_and_does_not_wrap(dtype):
    x = on_torch([0, 1], dtype)
    assert (x < 2**70).tolist() == [True, True]
    assert (x > -(2**70)).tolist() == [True, True]
    assert (x == 2**70).tolist() == [False, False]
    with pytest.raises(OverflowError, match="out of bounds|too large"):
        x + 2**70


@pytest.mark.parametrize("dtype", [*UNSIGNED, *SIGNED], ids=str)
@pytest.mark.parametrize("distance", [0, 1, 7, 63, 100])
def test_shift_by_the_width_or_more_leaves_the_sign(dtype, distance):
    bits = np.iinfo(dtype).bits
    x = on_torch(ends(dtype), dtype)
    distance = min(distance, np.iinfo(dtype).max)
    left, right = xp.bitwise_left_shift(x, distance), xp.bitwise_right_shift(x, distance)
    assert left.tolist() == [wrapped_around(v << distance, dtype) if distance < bits else 0 for v in ends(dtype)]
    assert right.tolist() == [v >> distance for v in ends(dtype)]


@pytest.mark.parametrize("dtype", UNSIGNED, ids=str)
def test_powers_of_unsigned_integers_are_modulo_the_width(dtype):
    a, b = zip(*pairs(dtype), strict=True)
    found = xp.pow(on_torch(a, dtype), on_torch(b, dtype))
    assert found.tolist() == [pow(p, q, 2 ** np.iinfo(dtype).bits) for p, q in pairs(dtype)]


@pytest.mark.parametrize("dtype", UNSIGNED, ids=str)
def test_unsigned_integers_move_sort_and_reduce(dtype):
    values = [3, np.iinfo(dtype).max, 0, 7, np.iinfo(dtype).max - 1]
    x = on_torch(values, dtype)
    assert xp.flip(x).tolist() == values[::-1]
    assert x[::-2].tolist() == values[::-2]
    assert xp.sort(x).tolist() == sorted(values)
    assert xp.argsort(x).tolist() == [2, 0, 3, 4, 1]
    assert (xp.max(x).tolist(), xp.min(x).tolist()) == (max(values), 0)
    assert xp.searchsorted(xp.sort(x), x).tolist() == [1, 4, 0, 2, 3]
    assert int(xp.sum(x)) == sum(values) % 2**64
    assert xp.cumulative_sum(x).tolist() == [sum(values[: i + 1]) % 2**64 for i in range(5)]
    x[xp.asarray([0, 1], device=CPU)] = 5
    assert x.tolist() == [5, 5, *values[2:]]


def test_int64_beyond_2_53_is_exact():
    x = on_torch([2**53 + 1, 2**62 + 1, -(2**63)], xp.int64)
    assert (x + 1).tolist() == [2**53 + 2, 2**62 + 2, -(2**63) + 1]
    assert xp.sum(x[:2]).tolist() == 2**62 + 2**53 + 2
    assert xp.matmul(x[:2], xp.asarray([1, 1], device=CPU)).tolist() == 2**62 + 2**53 + 2


def test_float64_rounds_to_float16_once():
    tie = 1 + Fraction(1, 2**11)  # half-way between two float16; float32 cannot tell a little more from it
    x = xp.asarray([float(tie) + 2.0**-40, float(tie), 65519.999, 65520.0, 2.0**-25 * 1.0000001], device=CPU)
    assert xp.astype(x, xp.float16).tolist() == [1 + 2.0**-10, 1.0, 65504.0, math.inf, 2.0**-24]


def test_square_root_of_float32_is_correctly_rounded():
    values = np.random.default_rng(1).random(1000, dtype=np.float32) * 1000
    found = xp.sqrt(xp.asarray(values, device=CPU)).tolist()
    for value, root in zip(values.tolist(), found, strict=True):
        below, above = (float(np.nextafter(np.float32(root), np.float32(end))) for end in (0, math.inf))
        middle = [(Fraction(root) + Fraction(other)) / 2 for other in (below, above)]
        assert middle[0] ** 2 <= Fraction(value) <= middle[1] ** 2


def test_sum_of_complex_infinities_has_no_nan():
    z = on_torch([complex(math.inf, 1), complex(0, -math.inf)], np.complex128)
    assert (z + 1).tolist() == [complex(math.inf, 1), complex(1, -math.inf)]
    assert (1 - z).tolist() == [complex(-math.inf, -1), complex(1, math.inf)]


@pytest.mark.parametrize("dtype", [xp.float32, xp.float64], ids=str)
def test_remainder_is_exact_where_the_quotient_overflows(dtype):
    largest, smallest = float(xp.finfo(dtype).max), float(xp.finfo(dtype).smallest_normal)
    dividends, divisors = (
        [largest, -largest, 7.0, -0.3, 1.0] * 4,
        [smallest, -smallest, 3 * smallest, 1.7 * smallest] * 5,
    )
    x, y = on_torch(dividends, dtype), on_torch(divisors, dtype)
    exact = [
        Fraction(a) - Fraction(b) * (Fraction(a) // Fraction(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)
    ]
    assert xp.remainder(x, y).tolist() == [float(value) for value in exact]


def test_remainder_has_the_sign_of_the_divisor():
    x, y = on_torch([5.0, -5.0, 6.0, -6.0, 1.0], float), on_torch([-3.0, 3.0, -3.0, 3.0, math.inf], float)
    found = xp.remainder(x, y)
    assert found.tolist() == [-1.0, 1.0, -0.0, 0.0, 1.0]
    assert xp.signbit(found).tolist() == [True, False, True, False, False]


def test_nan_is_the_largest_number_of_a_sorted_array():
    x = on_torch([1.0, 2.0, math.nan, math.nan], np.float32)
    assert xp.searchsorted(x, on_torch([math.nan, 2.0, -0.0], np.float32)).tolist() == [2, 1, 0]
    assert xp.searchsorted(x, on_torch([math.nan, 2.0], np.float32), side="right").tolist() == [4, 2]


# -- indexing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "mask"), [((0, 3), (0,)), ((1, 3), (0,)), ((2, 3), (0, 3)), ((2, 3), (2, 0))])
def test_mask_without_elements_selects_nothing(shape, mask):
    x = xp.ones(shape, device=CPU)
    key = xp.zeros(mask, dtype=xp.bool, device=CPU)
    assert x[key].shape == (0, *shape[len(mask) :])
    x[key] = 5.0
    assert bool(xp.all(x == 1.0))


def test_mask_of_another_length_raises():
    with pytest.raises(IndexError, match="boolean index did not match"):
        xp.ones(3, device=CPU)[xp.ones(2, dtype=xp.bool, device=CPU)]


def test_assignment_to_a_negative_step_beside_an_index_array():
    values = np.zeros((4, 3))
    x = xp.asarray(values, device=CPU, copy=True)
    rows, source = [2, 0], np.arange(6.0).reshape(2, 3)
    x[xp.asarray(rows, device=CPU), ::-1] = xp.asarray(source, device=CPU)
    assert x.tolist() == [[5.0, 4.0, 3.0], [0.0] * 3, [2.0, 1.0, 0.0], [0.0] * 3]


# -- memory and operands ----------------------------------------------------------------------------------------------


def test_tensor_joins_an_array_on_its_device():
    x = xp.asarray([1.0, 2.0], device=CPU)
    tensor = torch.asarray([10, 20], dtype=torch.int32)
    for result in (x + tensor, tensor + x, xp.add(tensor, x)):
        assert (str(result.device), result.dtype, result.tolist()) == (CPU, xp.float64, [11.0, 22.0])


def test_tensor_that_requires_a_gradient_is_refused():
    x = xp.ones(2, device=CPU)
    with pytest.raises(TypeError, match="detach"):
        x + torch.ones(2, requires_grad=True)


def test_dlpack_shares_memory_both_ways():
    tensor = torch.zeros(3)
    x = xp.from_dlpack(tensor, device=CPU)
    x[0] = 5.0
    tensor[1] = 6.0
    assert (tensor.tolist(), x.tolist()) == ([5.0, 6.0, 0.0], [5.0, 6.0, 0.0])
    back = torch.from_dlpack(x)
    back[2] = 7.0
    assert x.tolist() == [5.0, 6.0, 7.0]
    assert np.from_dlpack(x).ctypes.data == tensor.data_ptr()


def test_conjugated_tensor_is_copied_when_it_is_read():
    tensor = torch.asarray([1 + 2j]).conj()
    assert xp.from_dlpack(tensor, device=CPU).tolist() == [1 - 2j]
    with pytest.raises(BufferError, match="copy"):
        xp.from_dlpack(tensor, device=CPU, copy=False)


@pytest.mark.parametrize("dtype", [xp.complex64, xp.complex128], ids=str)
@pytest.mark.parametrize("way", ["asarray", "from_dlpack", "tensor", "operand"])
def test_memory_that_numpy_alone_calls_aligned_is_copied(way, dtype):
    numbers = np.zeros(83, np.finfo(dtype).dtype)
    numbers = numbers[1:] if numbers.ctypes.data % dtype.itemsize == 0 else numbers[:-1]
    a = numbers[: 2 * 40].view(dtype)
    a[...] = np.arange(40)
    assert a.flags.aligned
    assert a.ctypes.data % dtype.itemsize
    if way == "operand":
        x = xp.where(xp.asarray(np.ones(40, bool), device=CPU), a, xp.zeros(40, dtype=dtype, device=CPU))
    elif way == "asarray":
        x = xp.asarray(a, device=CPU)
    else:
        x = xp.from_dlpack(torch.from_numpy(a) if way == "tensor" else a, device=CPU)
    assert np.asarray(x).ctypes.data % dtype.itemsize == 0  # at other addresses the next line would end the process
    assert x[::3][xp.asarray(np.arange(14) % 2 == 0, device=CPU)].tolist() == list(range(0, 40, 6))
    if way == "asarray":
        with pytest.raises(ValueError, match="copy"):
            xp.asarray(a, device=CPU, copy=False)


def test_sums_of_float16_round_once():
    values = np.zeros(100_000)  # so many that torch adds them up in parts
    values[[0, 1, -1]] = 2048, 1, 2.0**-10  # above the tie between 2048 and 2050, the two next float16
    x = on_torch(values, xp.float16)
    assert xp.sum(x).item() == 2050
    assert xp.sum(xp.reshape(x, (100, 1000)), axis=(0, 1)).item() == 2050
    assert xp.sum(on_torch(values, xp.float32), dtype=xp.float16).item() == 2050
    assert xp.sum(x, keepdims=True).dtype == xp.float16
    assert xp.cumulative_sum(x)[-1].item() == 2050
    assert xp.prod(on_torch([2.0, 1024.5, 2.0**-1], xp.float32), dtype=xp.float16).item() == 1024  # a tie


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_dtypes_are_torchs_own(dtype):
    pytest.importorskip("ml_dtypes")
    x = xp.astype(xp.asarray([1.0, 2.0, 3.0], device=CPU), dtype)
    y = x * x + 1
    assert (str(y.dtype), xp.astype(y, xp.float64).tolist()) == (dtype, [2.0, 5.0, 10.0])
    assert torch.from_dlpack(y).dtype is getattr(torch, dtype)


def test_broadcast_view_cannot_be_written_to():
    x = xp.broadcast_to(xp.ones(1, device=CPU), (4,))
    with pytest.raises(ValueError, match="read-only"):
        x += 1.0


# -- the device -------------------------------------------------------------------------------------------------------


def test_torch_is_never_the_default_device_and_is_not_imported_for_the_choice():
    code = "import sys, xtensor as xp; xp.ones(3); print(xp.default_device(), 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.split()[1:] == ["False"]
    assert not done.stdout.startswith("torch")


def test_exhausted_memory_is_an_out_of_memory_error():
    with pytest.raises(xp.OutOfMemoryError, match=CPU):
        xp.zeros(2**46, device=CPU) + 1


@pytest.fixture
def failing(monkeypatch):
    """Function that makes the next additions on the device raise an error of torch's."""
    implementation = xp.device(CPU).table[xp._core.operations.operation("add").index]

    def fail(error):
        def function(*operands):
            raise error

        monkeypatch.setattr(implementation, "function", function)

    return fail


def test_lost_gpu_is_typed_with_the_remedy(failing):
    x = xp.ones(2, device=CPU)
    failing(torch.AcceleratorError("CUDA error: an illegal memory access was encountered\nCompile with …"))
    with pytest.raises(xp.BackendUnavailableError, match="illegal memory access.*start the process again"):
        x + 1.0


@pytest.mark.parametrize("kind", ["cuda", "xpu", "mps"])
def test_missing_gpu_is_a_typed_error_with_the_remedy(kind):
    if any(str(device).startswith(f"torch:{kind}") for device in xp.devices()):
        pytest.skip(f"torch has a device of the kind {kind} here")
    with pytest.raises(xp.BackendUnavailableError, match=f"'torch:{kind}' cannot be used: .*torch.*(install|use) "):
        xp.device(f"torch:{kind}")


def test_missing_driver_of_a_gpu_is_a_typed_error_with_the_remedy(monkeypatch):
    if torch.cuda.is_available():
        pytest.skip("torch has a GPU here")
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    with pytest.raises(
        xp.BackendUnavailableError, match=r"no such device of cuda. install the GPU's driver, and permit"
    ):
        xp.device("torch:cuda:0")


def test_driver_that_refuses_the_process_leaves_the_cpu(monkeypatch):
    def refused():
        raise RuntimeError("the driver may not be opened")

    monkeypatch.setattr(torch.cuda, "device_count", refused)
    backend = TorchBackend()
    backend.probe()
    assert "torch:cpu" in backend.devices()
    assert not any(spec.startswith("torch:cuda") for spec in backend.devices())


def test_singular_matrix_is_a_linalg_error():
    with pytest.raises(np.linalg.LinAlgError, match="[Ss]ingular"):
        xp.linalg.inv(xp.zeros((2, 2), device=CPU))


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system has no fork")
def test_forked_process_is_refused():
    assert status_of_forked_process(CPU) == REFUSED


def test_threads_compute_the_same():
    x = xp.asarray(np.arange(1000.0), device=CPU)
    assert in_threads(lambda: float(xp.sum(x * x))) == [332833500.0] * 8


def test_random_numbers_are_bit_for_bit_those_of_the_cpu():
    here, there = (xp.random.default_rng(7, device=device) for device in (CPU, "cpu"))
    assert here.standard_normal(100).tolist() == there.standard_normal(100).tolist()
    assert here.integers(0, 2**63, 20).tolist() == there.integers(0, 2**63, 20).tolist()


def test_gradient_of_an_exact_function():
    gradient = xp.autograd.grad(lambda x: xp.sum(x * x * x))(xp.asarray([1.0, 2.0, -3.0], device=CPU))
    assert (str(gradient.device), gradient.tolist()) == (CPU, [3.0, 12.0, 27.0])


def test_chunks_of_a_dask_array_are_computed_by_torch():
    dask = pytest.importorskip("dask.array", reason="dask is not installed: the extra dask")
    x = xp.asarray(np.arange(12.0).reshape(3, 4), device=CPU)
    total = (dask.from_array(x, chunks=2, asarray=False) + 1).sum().compute()
    assert (str(total.device), float(total)) == (CPU, 78.0)
