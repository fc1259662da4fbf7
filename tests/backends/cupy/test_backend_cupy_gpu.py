"""The CuPy backend on a GPU (``cuda:0``, ``rocm:0``); skipped where there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from assignment_cases import READ_ONLY_WRITES
from cupy_support import FLOATS, INF, NAN, SPECIAL, cupy, needs_gpu, pairs, same

import xtensor as xp

pytestmark = needs_gpu


@pytest.fixture
def gpu():
    return next(device for device in xp.devices() if device.backend == "cupy")


@pytest.fixture
def copies_to_host(monkeypatch):
    """The copies to the host that CuPy makes from now on."""
    copies = []
    for name in ("memcpy", "memcpyAsync"):
        original = getattr(cupy.cuda.runtime, name)

        def counting(target, source, size, kind, *rest, original=original):
            if kind == cupy.cuda.runtime.memcpyDeviceToHost:
                copies.append(size)
            return original(target, source, size, kind, *rest)

        monkeypatch.setattr(cupy.cuda.runtime, name, counting)
    original_asnumpy = cupy.asnumpy
    monkeypatch.setattr(cupy, "asnumpy", lambda *args, **kw: copies.append("asnumpy") or original_asnumpy(*args, **kw))
    return copies


@pytest.mark.filterwarnings("ignore:cupyx.allow_synchronize will be removed:UserWarning")
def test_gpu_results_are_on_the_device_and_nothing_comes_to_the_host(gpu, copies_to_host):
    from cupyx import allow_synchronize

    x = xp.asarray([[4.0, 1.0], [1.0, 3.0]], device=gpu)
    with allow_synchronize(False):
        y = xp.sort(x // 2.0 % 3.0 + xp.max(x) - xp.argmin(x))
        y[0] = -0.0
        y = xp.clip(xp.where(y > 0, y, -y), 0, 1) + xp.full((2, 2), 2.0, device=gpu) + xp.linspace(0, 1, 2, device=gpu)
        z = xp.fft.irfftn(xp.fft.rfftn(y)) + xp.prod(y) + xp.cumulative_sum(y, axis=0)
    assert z.device is gpu
    assert copies_to_host == []


def test_gpu_work_goes_to_cupys_current_stream(gpu):
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = xp.ones((1000, 1000), device=gpu)
        for _ in range(20):
            x = xp.matmul(x, x) / 1000.0
        assert cupy.cuda.get_current_stream() == stream
        assert float(x[0, 0]) == 1.0
    assert cupy.cuda.get_current_stream() != stream


def test_gpu_memory_is_cupys_pool(gpu):
    before = gpu.memory()
    x = xp.empty((2**20,), dtype=xp.uint8, device=gpu)
    during = gpu.memory()
    assert during.pool_used >= before.pool_used + 2**20
    assert during.total >= during.free > 0
    del x
    gpu.release_memory()
    assert gpu.memory().pool_used <= during.pool_used - 2**20
    info = gpu.info()
    assert info.name
    assert info.compute_capability
    assert info.total_memory == during.total


def test_gpu_memory_that_is_not_there_is_an_error_and_the_process_goes_on(gpu):
    with pytest.raises(xp.OutOfMemoryError) as caught:
        xp.zeros((gpu.memory().total * 4,), dtype=xp.uint8, device=gpu)
    assert caught.value.requested >= gpu.memory().total * 4
    assert float(xp.sum(xp.ones((3,), device=gpu))) == 3.0


def test_gpu_arrays_go_through_dlpack_without_a_copy(gpu):
    x = xp.arange(5, device=gpu)
    native = cupy.from_dlpack(x)
    assert native.data.ptr == x._native.data.ptr
    back = xp.from_dlpack(native, device=gpu)
    assert back.device is gpu
    assert back._native.data.ptr == native.data.ptr
    assert xp.from_dlpack(native, device=gpu, copy=True)._native.data.ptr != native.data.ptr
    np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), np.arange(5))


def test_gpu_results_follow_the_operands_and_not_the_current_device(gpu):
    places = [device for device in xp.devices() if device.backend == "cupy"]
    if len(places) < 2:
        pytest.skip("there is one GPU")
    first, second = places[:2]
    with cupy.cuda.Device(first._library._cp.cuda.Device(0).id):
        x = xp.ones((3,), device=second)
        x += 1
        x[xp.asarray([0], device=second)] = 5.0
        assert xp.linalg.vector_norm(x).device is second
        assert x._native.device.id == int(second._spec.partition(":")[2])
        assert cupy.cuda.runtime.getDevice() == 0


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "nextafter", "hypot", "atan2", "logaddexp", "maximum"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_gpu_functions_of_special_operands_are_numpys(gpu, name, dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        expected = np.floor(x / y) if name == "floor_divide" else getattr(np, name)(x, y)
    result = getattr(xp, name)(xp.asarray(x, device=gpu), xp.asarray(y, device=gpu))
    if name == "maximum":
        # Which of two zeros is the larger is not defined: NumPy's result depends on the processor.
        zeros = (x == 0) & (y == 0)
        same(xp.where(xp.asarray(zeros, device=gpu), 1.0, result), np.where(zeros, dtype(1.0), expected))
    else:
        same(result, expected, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", FLOATS)
def test_gpu_sorts_and_extremes_of_special_values_are_numpys(gpu, dtype):
    x = np.random.default_rng(0).permutation(np.array(SPECIAL * 40, dtype))
    device = xp.asarray(x, device=gpu)
    same(xp.argsort(device), np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(cupy.asnumpy(xp.sort(device)._native), np.sort(x))
    assert int(xp.argmax(device)) == int(np.argmax(x))
    assert math.isnan(float(xp.max(device)))
    assert float(xp.max(xp.full((7,), -INF, dtype=dtype, device=gpu))) == -INF


def test_gpu_comparisons_and_sets_of_subnormal_numbers_are_numpys(gpu):
    x = np.array([1e-40, 0.0, -1e-40, 2e-40, 1e-40, NAN, -1.0, -NAN], np.float32)
    a = xp.asarray(x, device=gpu)
    same(xp.nonzero(a)[0], np.nonzero(x)[0])
    same(xp.astype(a, xp.bool), x.astype(bool))
    same(xp.max(a[:5]), x[3])
    same(xp.isin(a, a[:2]), np.isin(x, x[:2]))
    same(xp.searchsorted(xp.sort(a[:5]), a[:5]), np.searchsorted(np.sort(x[:5]), x[:5]))
    for result, expected in zip(xp.unique_all(a), np.unique_all(x), strict=True):
        same(result, expected)


def test_gpu_members_beside_a_complex_nan_are_found(gpu):
    members = xp.asarray([1, 5, complex(0, NAN)], dtype=xp.complex128, device=gpu)
    same(xp.isin(xp.asarray([1, 5, 3], dtype=xp.complex128, device=gpu), members), [True, True, False])


def test_gpu_float16_is_added_up_in_float32(gpu):
    x = (np.random.default_rng(0).standard_normal(70_000) * 8).astype(np.float16)
    a = xp.asarray(x, device=gpu)
    same(xp.std(a), x.astype(np.float64).std().astype(np.float16))
    pair = xp.asarray(np.array([300.0, -300.0], np.float16), device=gpu)
    same(xp.vecdot(pair, xp.abs(pair)), np.float16(0))


def test_gpu_products_and_shifts_are_numpys(gpu):
    x = np.array([0.0, 1e200, 1e200, 1e200])
    same(xp.cumulative_prod(xp.asarray(x, device=gpu)), [0.0, 0.0, 0.0, 0.0])
    counts = np.array([0, 63, 64, 2**32, -1])
    for name in ("bitwise_left_shift", "bitwise_right_shift"):
        result = getattr(xp, name)(xp.asarray(np.full(5, -5), device=gpu), xp.asarray(counts, device=gpu))
        same(result, getattr(np, name)(np.full(5, -5), counts))


@pytest.mark.parametrize("write", READ_ONLY_WRITES.values(), ids=READ_ONLY_WRITES)
def test_gpu_broadcast_views_are_read_only(gpu, write):
    x = xp.asarray([1.0, 2.0], device=gpu)
    with pytest.raises(ValueError, match="read-only"):
        write(xp.broadcast_to(x, (2, 2)), xp.asarray([0], device=gpu))
    same(xp.asarray(x, device="cpu"), [1.0, 2.0])
