"""Kernels that join arrays by copies: NumPy's elements, and its outcome where they do not apply."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import xtensor as xp

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

import xtensor_backends.llvm
from xtensor_backends.llvm import _threads
from xtensor_backends.llvm._runtime import compiled, transpose
from xtensor_backends.llvm._sizes import BYTES_JOINED, SHORTEST_JOINED

LENGTH = BYTES_JOINED // 8 or 2**16


def device(x):
    return xp.asarray(x, device="cpu")


def joined(arrays, function="concat", **options):
    """Arrays joined on the device cpu, and the number of copies by the kernel."""
    with xtensor_backends.llvm.count_calls() as calls:
        result = getattr(xp, function)([device(x) for x in arrays], **options)
    return np.asarray(result), calls.kernels["copied"]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "float32", "int64", "complex64", "complex128"])
def test_vectors_are_joined_by_copies(dtype):
    rng = np.random.default_rng(0)
    for lengths in [(8 * LENGTH, 8 * LENGTH), (1, 8 * LENGTH + 3), (8 * LENGTH - 1, 7, 0, 65)]:
        arrays = [(rng.normal(size=length) * 99).astype(dtype) for length in lengths]
        result, copies = joined(arrays)
        np.testing.assert_array_equal(result, np.concatenate(arrays), strict=True)
        assert copies == sum(length > 0 for length in lengths)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_arrays_are_joined_along_each_axis(axis):
    rng = np.random.default_rng(1)
    shape = (31, LENGTH // 500, 37)
    arrays = [rng.normal(size=shape) for _ in range(3)]
    result, copies = joined(arrays, axis=axis)
    np.testing.assert_array_equal(result, np.concatenate(arrays, axis=axis), strict=True)
    assert copies == 3


@pytest.mark.parametrize("axis", [0, 1, -2, -1])
def test_arrays_are_stacked_along_each_axis(axis):
    rng = np.random.default_rng(2)
    arrays = [rng.normal(size=(LENGTH // 100, 101)).astype("float32") for _ in range(3)]
    result, copies = joined(arrays, "stack", axis=axis)
    np.testing.assert_array_equal(result, np.stack(arrays, axis=axis), strict=True)
    assert copies == (1 if axis == -1 else 3)  # rows of one element are joined by one kernel


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "float32", "int64", "complex64", "complex128"])
@pytest.mark.parametrize("counts", [(1, 1), (2, 1), (1, 3, 1), (4, 4), (1,) * 8])
def test_short_rows_are_joined_by_one_kernel(dtype, counts):
    rng = np.random.default_rng(5)
    itemsize = np.dtype(dtype).itemsize
    shapes = [(8 * LENGTH // itemsize + 3, count) for count in counts]
    arrays = [rng.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype) for shape in shapes]
    result, copies = joined(arrays, axis=1)
    np.testing.assert_array_equal(result, np.concatenate(arrays, axis=1), strict=True)
    assert copies == (2 if itemsize * min(counts) >= SHORTEST_JOINED else 1)


@pytest.mark.parametrize("function", ["column_stack", "dstack"])
def test_columns_are_joined_by_one_kernel(function):
    x, y = np.random.default_rng(6).normal(size=(2, LENGTH))
    result, copies = joined((x, y), function)
    np.testing.assert_array_equal(result, getattr(np, function)((x, y)), strict=True)
    assert copies == 1


def test_rows_of_more_elements_and_unaligned_ones_are_joined_by_numpy():
    rows = 2 * LENGTH
    unaligned = np.zeros(8 * rows + 1, np.uint8)[1:].view("float64").reshape(-1, 1)
    for arrays in [[np.ones((rows, 1)), unaligned], [np.ones((rows, 1))] * 9, [np.ones((rows, 0)), np.ones((rows, 1))]]:
        result, copies = joined(arrays, axis=1)
        np.testing.assert_array_equal(result, np.concatenate(arrays, axis=1), strict=True)
        assert copies == 0


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_write_next_to_each_other(threads, monkeypatch):
    monkeypatch.setattr(_threads, "threads", lambda: threads)
    rng = np.random.default_rng(3)
    for length in (8 * LENGTH + 1, 5_000_011):
        arrays = [rng.integers(0, 100, length).astype("int8") for _ in range(3)]
        for _ in range(5):
            np.testing.assert_array_equal(joined(arrays)[0], np.concatenate(arrays), strict=True)
            np.testing.assert_array_equal(joined(arrays, "stack", axis=1)[0], np.stack(arrays, axis=1), strict=True)


def test_other_arrays_are_joined_by_numpy():
    x = np.arange(2.0 * LENGTH)
    matrix = x.reshape(2, -1)
    for arrays, options in [
        ((x[::2], x), {}),
        ((x, x.astype("float32")), {}),
        ((matrix.T, matrix.T), {"axis": 1}),
        ((x[:3], x[3:6]), {}),
    ]:
        result, copies = joined(arrays, **options)
        np.testing.assert_array_equal(result, np.concatenate(arrays, **options), strict=True)
        assert not copies or not BYTES_JOINED
    for arrays in [(x, matrix), (matrix, matrix[:, :-1])]:
        with pytest.raises(ValueError, match="concat"):
            joined(arrays)
    with pytest.raises(ValueError, match="stack"):
        joined((x, x[1:]), "stack")


def test_a_difference_is_computed_by_a_kernel():
    rng = np.random.default_rng(4)
    for x in (rng.normal(size=2 * LENGTH), rng.integers(-9, 9, (LENGTH // 50, 101))):
        for axis in range(x.ndim):
            with xtensor_backends.llvm.count_calls() as calls:
                result = xp.diff(device(x), axis=axis)
            np.testing.assert_array_equal(np.asarray(result), np.diff(x, axis=axis), strict=True)
            assert dict(calls.kernels) == {"subtract": 1}


TRANSPOSED = [
    ((700, 500), (1, 0)),
    ((512, 1024), (1, 0)),
    ((3, 40_000), (1, 0)),
    ((40_000, 3), (1, 0)),
    ((64, 16, 8, 8), (1, 2, 3, 0)),
    ((16, 9, 9, 65), (3, 0, 1, 2)),
    ((5, 17, 33, 31), (3, 2, 1, 0)),
    ((2, 300, 1, 250), (0, 3, 2, 1)),
]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float16", "int32", "float64", "complex128"])
@pytest.mark.parametrize(("shape", "axes"), TRANSPOSED, ids=str)
def test_transposed_elements_are_copied_in_tiles(shape, axes, dtype):
    values = (np.random.default_rng(4).normal(size=shape) * 99).astype(dtype)
    for x in (values.transpose(axes), values[::-1, 1:].transpose(axes), np.asfortranarray(values)[..., ::-1]):
        result = np.empty(x.shape, dtype)
        if transpose(x, result, 7, _threads.team(), 10**6):
            np.testing.assert_array_equal(result, x, strict=True)
        else:
            assert 1 in x.shape or x.size < 2**14 or not hasattr(compiled, "transpose")
        for function in (
            lambda x: x.copy(),
            lambda x: xp.reshape(x, (-1,)),
            lambda x: xp.reshape(x, x.shape, copy=True),
        ):
            found = np.asarray(function(device(x)))
            assert found.flags.c_contiguous
            np.testing.assert_array_equal(found, x.reshape(found.shape), strict=True)


def test_elements_that_lie_in_the_order_of_the_result_are_not_copied_in_tiles():
    x = np.arange(60_000.0).reshape(200, 300)
    for source in (x, x[:, ::2], x[::-1], np.broadcast_to(x[:1], x.shape), x[:0]):
        result = np.full(source.shape, -1.0)
        assert not transpose(source, result, 4, 1, 0)
        assert (result == -1.0).all()


def test_a_reshaped_view_shares_the_memory():
    x = device(np.arange(60_000.0).reshape(200, 300))
    for view in (xp.reshape(x, (300, 200)), xp.reshape(x[:, :100], (200, 10, 10)), xp.reshape(x[::-1], (200, 3, 100))):
        assert np.shares_memory(np.asarray(view), np.asarray(x))
    assert not np.shares_memory(np.asarray(xp.reshape(x.T, (-1,))), np.asarray(x))
    with pytest.raises(ValueError, match="copy"):
        xp.reshape(x.T, (-1,), copy=False)
