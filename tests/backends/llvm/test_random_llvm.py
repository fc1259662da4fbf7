"""The kernels of random numbers on the device ``cpu``: they run, and give the numbers of the formulas."""

from __future__ import annotations

import numpy as np
import pytest
from llvm_kernels import by_kernel

import xtensor as xp
import xtensor_backends.llvm
from xtensor.random._operations import bits, blocks
from xtensor_backends.llvm import _threads

CPU, NUMPY = xp.device("cpu"), xp.device("numpy")

DRAWS = {
    "random.bits": lambda rng, size: rng.integers(0, 2**64, size, dtype="uint64"),
    "random.bits+random.uniform_numbers": lambda rng, size: rng.random(size),
    "random.bits+random.normal_numbers": lambda rng, size: rng.standard_normal(size),
}


@pytest.mark.parametrize("count", [1, 3, 255, 256, 257, 1025, 100_003])
@pytest.mark.parametrize("skipped", [0, 1, 2, 3, 7])
@pytest.mark.parametrize("kernel", DRAWS)
def test_kernel_gives_the_numbers_of_the_formula(kernel, skipped, count):
    rng, peer = xp.random.default_rng(3, device="cpu"), xp.random.default_rng(3, device="numpy")
    for stream in (rng, peer):
        stream.random(skipped)
    with xtensor_backends.llvm.count_calls() as calls:
        x = DRAWS[kernel](rng, count)
    assert calls.kernels[kernel] == 1
    assert not calls.doubtful
    np.testing.assert_array_equal(np.asarray(x), np.asarray(DRAWS[kernel](peer, count)), strict=True)


@pytest.mark.parametrize("skipped", [0, 1, 5, 8])
@pytest.mark.parametrize("method", ["random", "standard_normal"])
def test_kernel_of_float32_gives_the_numbers_of_the_formula(method, skipped):
    rng, peer = xp.random.default_rng(3, device="cpu"), xp.random.default_rng(3, device="numpy")
    for stream in (rng, peer):
        stream.random(skipped, dtype="float32")
    x = by_kernel(lambda: getattr(rng, method)(5001, dtype="float32"))
    np.testing.assert_array_equal(np.asarray(x), np.asarray(getattr(peer, method)(5001, dtype="float32")), strict=True)


@pytest.mark.parametrize("stream", [(0, 0), (2**64 - 1, 2**63)])
def test_kernel_of_words_of_a_stream(stream):
    key = (2**64 - 1, 2**63 + 5)
    x = by_kernel(lambda: bits(CPU, key=key, stream=stream, start=2**63 + 1, shape=(1000,)))
    expected = bits(NUMPY, key=key, stream=stream, start=2**63 + 1, shape=(1000,))
    np.testing.assert_array_equal(np.asarray(x), np.asarray(expected))


def test_kernel_of_blocks():
    numbers = np.array([5, 0, 2**64 - 1, 2**63, *range(1000)], np.uint64)
    x = by_kernel(lambda: blocks(xp.asarray(numbers, device="cpu"), key=(2**64 - 1, 2), stream=(3, 2**64 - 2)))
    expected = blocks(xp.asarray(numbers, device="numpy"), key=(2**64 - 1, 2), stream=(3, 2**64 - 2))
    np.testing.assert_array_equal(np.asarray(x), np.asarray(expected), strict=True)


@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_do_not_depend_on_the_number_of_threads(threads):
    with _threads.limit(threads), xtensor_backends.llvm.count_calls() as calls:
        rng = xp.random.default_rng(5, device="cpu")
        x, y = rng.random(300_001), rng.standard_normal(300_001)
    assert (calls.parts > 2) == (min(threads, _threads.threads()) > 1)
    peer = xp.random.default_rng(5, device="numpy")
    np.testing.assert_array_equal(np.asarray(x), np.asarray(peer.random(300_001)))
    np.testing.assert_array_equal(np.asarray(y), np.asarray(peer.standard_normal(300_001)))


def test_rejection_takes_its_words_from_kernels():
    with xtensor_backends.llvm.count_calls() as calls:
        xp.random.default_rng(5, device="cpu").standard_gamma(2.5, 10_000)
    assert calls.kernels["random.bits+random.normal_numbers"] == 1
    assert calls.kernels["random.blocks"] >= 1
