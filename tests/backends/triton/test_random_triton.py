"""The Triton kernels of random numbers in the interpreter: they run, and give the numbers of the formulas."""

from __future__ import annotations

import numpy as np
import pytest
from triton_kernels import DEVICE, guarded, launches

import xtensor as xp
from xtensor.random._operations import blocks

DRAWS = {
    "random.bits": lambda rng, size: rng.integers(0, 2**64, size, dtype="uint64"),
    "random.uniform_numbers": lambda rng, size: rng.random(size),
    "random.normal_numbers": lambda rng, size: rng.standard_normal(size),
}


@pytest.mark.parametrize("count", [1, 3, 257])
@pytest.mark.parametrize("skipped", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("kernel", DRAWS)
def test_kernel_gives_the_numbers_of_the_formula(kernel, skipped, count):
    rng, peer = xp.random.default_rng(3, device=DEVICE), xp.random.default_rng(3, device="numpy")
    for stream in (rng, peer):
        stream.bit_generator.take(skipped)
    with launches(kernel):
        x = DRAWS[kernel](rng, count)
    np.testing.assert_array_equal(np.asarray(x), np.asarray(DRAWS[kernel](peer, count)), strict=True)


@pytest.mark.parametrize("skipped", [0, 1, 5])
@pytest.mark.parametrize("method", ["random", "standard_normal"])
def test_kernel_of_float32_gives_the_numbers_of_the_formula(method, skipped):
    rng, peer = xp.random.default_rng(3, device=DEVICE), xp.random.default_rng(3, device="numpy")
    for stream in (rng, peer):
        stream.bit_generator.take_halves(skipped)
    with launches("random.uniform_numbers" if method == "random" else "random.normal_numbers"):
        x = getattr(rng, method)(301, dtype="float32")
    np.testing.assert_array_equal(np.asarray(x), np.asarray(getattr(peer, method)(301, dtype="float32")), strict=True)


def test_kernel_of_blocks():
    numbers = np.array([5, 0, 2**64 - 1, 2**63, *range(100)], np.uint64)
    with launches("random.blocks"):
        x = blocks(xp.asarray(numbers, device=DEVICE), key=(2**64 - 1, 2), stream=(3, 2**64 - 2))
    expected = blocks(xp.asarray(numbers, device="numpy"), key=(2**64 - 1, 2), stream=(3, 2**64 - 2))
    np.testing.assert_array_equal(np.asarray(x), np.asarray(expected), strict=True)


@pytest.mark.parametrize("shape", [(0,), (1,), (6,), (1000,), (40, 25), ()])
@pytest.mark.parametrize("skipped", [0, 3])
@pytest.mark.parametrize("kernel", ["random.bits", "random.uniform_numbers", "random.normal_numbers"])
def test_kernel_writes_all_of_its_result_and_nothing_else(kernel, skipped, shape):
    kernels, memory = guarded()
    for dtype in ("uint64",) if kernel == "random.bits" else ("float32", "float64"):
        x = kernels[kernel](key=(1, 2), stream=(0, 0), start=skipped, shape=shape, dtype=np.dtype(dtype))
        assert x.shape == shape
        assert x.dtype == dtype
        unwritten = x == 2**64 - 1 if dtype == "uint64" else np.isnan(x)
        assert not unwritten.any()
    memory.check()


def test_kernels_decline_other_dtypes():
    kernels, _ = guarded()
    options = {"key": (1, 2), "stream": (0, 0), "start": 0, "shape": (4,)}
    assert kernels["random.normal_numbers"](**options, dtype=np.dtype("float16")) is NotImplemented
    assert kernels["random.blocks"](np.zeros(3, np.int64), key=(1, 2), stream=(0, 0)) is NotImplemented
