"""Kernels that select elements by a mask or indices: NumPy's elements, and its outcome where they do not apply."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import xtensor as xp

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

import xtensor_backends.llvm
from xtensor_backends.llvm import _calls, _threads
from xtensor_backends.llvm._selection import BLOCK

DTYPES = ["bool", "int8", "uint16", "float16", "float32", "int64", "float64", "complex64", "complex128"]
SIZES = [2 * BLOCK, 2 * BLOCK + 1, 3 * BLOCK - 1, 100_003, 1_000_037]

MASKS = {
    "none": lambda rng, size: np.zeros(size, bool),
    "all": lambda rng, size: np.ones(size, bool),
    "last": lambda rng, size: np.arange(size) == size - 1,
    "first": lambda rng, size: np.arange(size) == 0,
    "half": lambda rng, size: rng.random(size) < 0.5,
    "few": lambda rng, size: rng.random(size) < 0.01,
    "most": lambda rng, size: rng.random(size) < 0.99,
    "runs": lambda rng, size: np.arange(size) // 501 % 2 == 0,
    "groups of eight": lambda rng, size: np.arange(size) // 8 % 3 == 0,
    "all but the blocks' ends": lambda rng, size: np.arange(size) % BLOCK < BLOCK - 3,
}


WAYS = {
    "key": lambda x, key: x[key],
    "take": lambda x, key: xp.take(x, key),
    "take_along_axis": lambda x, key: xp.take_along_axis(x, key),
}


def by_kernel(name, select, x, key):
    """The elements by a kernel on the device cpu; the test fails where NumPy computed."""
    with xtensor_backends.llvm.count_calls() as calls:
        result = select(xp.asarray(x, device="cpu"), xp.asarray(key, device="cpu"))
    assert dict(calls.kernels) == {name: 1}
    assert not calls.doubtful
    return np.asarray(result)


def selected(x, mask):
    """The elements at which a mask is true."""
    if not mask.any():
        return np.asarray(xp.asarray(x, device="cpu")[xp.asarray(mask, device="cpu")])
    return by_kernel("selected", WAYS["key"], x, mask)


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_are_numpys(dtype, name):
    rng = np.random.default_rng(0)
    for size in SIZES:
        x = (rng.normal(size=size) * 99).astype(dtype)
        mask = MASKS[name](rng, size)
        np.testing.assert_array_equal(selected(x, mask), x[mask], strict=True)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_write_next_to_each_other(threads, monkeypatch):
    monkeypatch.setattr(_threads, "threads", lambda: threads)
    rng = np.random.default_rng(1)
    for size in (1_000_037, 5_000_000):
        x, mask = rng.integers(0, 100, size).astype("int8"), rng.random(size) < 0.3
        for _ in range(5):
            np.testing.assert_array_equal(selected(x, mask), x[mask], strict=True)


def test_memory_behind_the_last_element_is_not_written():
    rng = np.random.default_rng(2)
    memory = np.full(BLOCK * 4, 7, "int64")
    x, mask = rng.integers(0, 100, BLOCK * 3), rng.random(BLOCK * 3) < 0.5
    for _ in range(20):
        # The pool gives a result the memory of an earlier one, whose end tells what was written.
        count = int(mask.sum())
        before = _calls.empty((count + 8,), np.dtype("int64"), "C")
        before[:] = memory[: count + 8]
        address = before.ctypes.data
        del before
        result = selected(x, mask)
        if result.ctypes.data == address:
            behind = np.lib.stride_tricks.as_strided(result[-1:], (9,), (8,))[1:]
            assert (behind == 7).all()
            return
    pytest.fail("the pool did not give the memory back")


def test_masks_of_several_dimensions():
    rng = np.random.default_rng(3)
    x, mask = rng.normal(size=(300, 400)), rng.random((300, 400)) < 0.5
    np.testing.assert_array_equal(selected(x, mask), x[mask], strict=True)


def test_keys_of_numpy_select_by_kernels():
    rng = np.random.default_rng(8)
    x, mask, indices = rng.normal(size=100_000), rng.random(100_000) < 0.5, rng.integers(0, 100_000, 50_000)
    for name, key in (("selected", mask), ("take", indices)):
        found = by_kernel(name, lambda x, key: x[np.asarray(key)], x, key)
        np.testing.assert_array_equal(found, x[key], strict=True)


def test_read_only_operands():
    rng = np.random.default_rng(4)
    x, mask = rng.normal(size=100_000), rng.random(100_000) < 0.5
    x.flags.writeable = mask.flags.writeable = False
    np.testing.assert_array_equal(selected(x, mask), x[mask], strict=True)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_at_indices_are_numpys(dtype, way):
    rng = np.random.default_rng(5)
    for size in (1, 1000, 100_003):
        x = (rng.normal(size=size) * 99).astype(dtype)
        for indices in (rng.integers(-size, size, 200_001), np.sort(rng.integers(0, size, 131_072))):
            np.testing.assert_array_equal(by_kernel("take", WAYS[way], x, indices), x[indices], strict=True)


def test_indices_of_several_dimensions():
    x, indices = np.arange(100.0), np.random.default_rng(6).integers(-100, 100, (300, 400))
    np.testing.assert_array_equal(by_kernel("take", WAYS["key"], x, indices), x[indices], strict=True)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrong", [1000, -1001, 2**62, -(2**63)])
@pytest.mark.parametrize("position", [0, 77_777, -1])
def test_index_out_of_bounds_raises(wrong, position, way):
    indices = np.random.default_rng(7).integers(-1000, 1000, 200_001)
    indices[position] = wrong
    x, key = xp.ones(1000, device="cpu"), xp.asarray(indices, device="cpu")
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds"):
        WAYS[way](x, key)


def test_nothing_has_no_elements():
    with pytest.raises(IndexError):
        xp.ones(0, device="cpu")[xp.zeros(200_000, dtype=xp.int64, device="cpu")]


@pytest.mark.parametrize(
    ("x", "key"),
    [
        (np.arange(200_000.0)[::2], np.arange(100_000) % 3 == 0),
        (np.arange(200_000.0)[::2], np.arange(100_000)),
        (np.arange(100_000.0), np.arange(200_000)[::2] // 2),
        (np.arange(100_000.0), np.arange(100_000, dtype="int32")),
        (np.arange(100_000.0), np.arange(100_000, dtype="uint64")),
        (np.arange(200_000.0).reshape(-1, 2), np.arange(100_000)),
        (np.arange(100_000.0), (np.arange(200_000) % 3 == 0)[::2]),
        (np.asfortranarray(np.arange(90_000.0).reshape(300, 300)), np.arange(90_000).reshape(300, 300) % 3 == 0),
        (np.arange(200_000.0).reshape(-1, 2), np.arange(100_000) % 3 == 0),
    ],
    ids=[
        *("elements apart", "elements apart, indices", "indices apart", "int32", "uint64", "rows, indices"),
        *("masks apart", "order", "rows"),
    ],
)
def test_other_keys_have_numpys_elements(x, key):
    np.testing.assert_array_equal(
        np.asarray(xp.asarray(x, device="cpu")[xp.asarray(key, device="cpu")]), x[key], strict=True
    )


def test_mask_of_another_length_raises():
    x, mask = xp.ones(100_000, device="cpu"), xp.ones(100_001, dtype=xp.bool, device="cpu")
    with pytest.raises(IndexError, match="boolean index did not match"):
        x[mask]


NUMBERS = {"bool": True, "int8": -7, "uint16": 9, "float32": float("nan"), "int64": 2**62, "float64": -0.0}


@pytest.mark.parametrize("name", MASKS)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_are_assigned_where_a_mask_is_true(dtype, name):
    rng = np.random.default_rng(5)
    for size in (2 * BLOCK, 100_003):
        host = (rng.normal(size=size) * 99).astype(dtype)
        mask = MASKS[name](rng, size)
        for number in (NUMBERS[dtype], np.asarray(NUMBERS[dtype], dtype)):
            expected, x = host.copy(), xp.asarray(host, device="cpu", copy=True)
            view = np.asarray(x)
            expected[mask] = number
            value = number if isinstance(number, (bool, int, float)) else xp.asarray(number, device="cpu")
            with xtensor_backends.llvm.count_calls() as calls:
                x[xp.asarray(mask, device="cpu")] = value
            assert dict(calls.kernels) == {"where": 1}
            assert view.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_putmask_assigns_by_a_kernel(dtype):
    rng = np.random.default_rng(6)
    host, values = ((rng.normal(size=(300, 400)) * 99).astype(dtype) for _ in range(2))
    mask = host > 0
    for given in (values, values[0, 0]):
        expected, x = host.copy(), xp.asarray(host, device="cpu", copy=True)
        np.putmask(expected, mask, given)
        m, value = xp.asarray(mask, device="cpu"), xp.asarray(given, device="cpu")
        with xtensor_backends.llvm.count_calls() as calls:
            xp.putmask(x, m, value)
        assert dict(calls.kernels) == {"where": 1}
        np.testing.assert_array_equal(np.asarray(x), expected, strict=True)


def test_assignments_to_parts_leave_the_rest():
    rng = np.random.default_rng(7)
    host = rng.normal(size=4 * BLOCK)
    mask = rng.random(2 * BLOCK) < 0.5
    expected, x = host.copy(), xp.asarray(host, device="cpu", copy=True)
    expected[BLOCK : 3 * BLOCK][mask] = 1.0
    x[BLOCK : 3 * BLOCK][xp.asarray(mask, device="cpu")] = 1.0
    np.testing.assert_array_equal(np.asarray(x), expected)
    flags = rng.random(2 * BLOCK) < 0.5
    own = xp.asarray(flags, device="cpu", copy=True)
    own[own] = False
    assert not np.asarray(own).any()


def test_other_assignments_have_numpys_outcome():
    rng = np.random.default_rng(8)
    host = rng.integers(-9, 9, 2 * BLOCK)
    mask = host > 0
    m = xp.asarray(mask, device="cpu")
    for value in (1.9, True, 2**40):
        expected, x = host.copy(), xp.asarray(host, device="cpu", copy=True)
        expected[mask] = value
        x[m] = value
        np.testing.assert_array_equal(np.asarray(x), expected, strict=True)
    small = xp.asarray(host.astype("int8"), device="cpu")
    with pytest.raises(OverflowError):
        small[m] = 300
    strided = xp.asarray(np.repeat(host, 2), device="cpu", copy=True)[::2]
    strided[m] = 5
    np.testing.assert_array_equal(np.asarray(strided), np.where(mask, 5, host))
    several = xp.asarray(host, device="cpu", copy=True)
    several[m] = xp.arange(int(mask.sum()), device="cpu")
    np.testing.assert_array_equal(np.asarray(several)[mask], np.arange(mask.sum()))
    with pytest.raises(IndexError):
        several[m[1:]] = 1
    fixed = np.arange(2.0 * BLOCK)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        xp.asarray(fixed, device="cpu", copy=False)[m] = 1.0


@pytest.mark.parametrize("shape", [(9000, 37), (90_001, 3), (300, 7, 101), (40, 40_000), (200_000, 1)])
@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "complex128"])
def test_rows_at_indices_are_numpys(dtype, shape):
    rng = np.random.default_rng(9)
    x = (rng.normal(size=shape) * 99).astype(dtype)
    keys = [
        rng.integers(-shape[0], shape[0], 2 * shape[0]),
        rng.integers(0, shape[0], (3, shape[0])),
        rng.random(shape[0]) < 0.7,
    ]
    for key in keys:
        np.testing.assert_array_equal(by_kernel("rows", WAYS["key"], x, key), x[key], strict=True)
    taken = by_kernel("rows", lambda x, key: xp.take(x, key, axis=0), x, keys[0])
    np.testing.assert_array_equal(taken, x[keys[0]], strict=True)


def test_other_rows_have_numpys_outcome():
    rng = np.random.default_rng(10)
    host = rng.normal(size=(3000, 30))
    x, indices = xp.asarray(host, device="cpu"), rng.permutation(3000)
    i = xp.asarray(indices, device="cpu")
    for wrong in (3000, -3001):
        key = xp.asarray(np.where(indices == 7, wrong, indices), device="cpu")
        with pytest.raises(IndexError, match=f"{wrong}"):
            x[key]
        with pytest.raises(IndexError):
            xp.take(x, key, axis=0)
    for result, expected in [
        (x.T[i[:30] % 30], host.T[indices[:30] % 30]),
        (x[::2][i % 1500], host[::2][indices % 1500]),
        (x[i, i % 30], host[indices, indices % 30]),
        (xp.take(x, i % 30, axis=1), host.take(indices % 30, axis=1)),
        (x[:, i % 30], host[:, indices % 30]),
        (x[i[:0]], host[indices[:0]]),
        (x[xp.asarray(indices.astype("int16"), device="cpu")], host[indices]),
    ]:
        np.testing.assert_array_equal(np.asarray(result), expected, strict=True)
    with pytest.raises(IndexError):
        x[xp.ones(2999, dtype=bool, device="cpu")]
