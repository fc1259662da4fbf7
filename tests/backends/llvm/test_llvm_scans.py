"""Cumulative sums by kernels: values, dtypes, errors of rounding, and what NumPy computes instead."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from xtensor_backends.llvm import _scans
from xtensor_backends.llvm._reduction_loops import BLOCK

SHAPES = [(40_000,), (4 * BLOCK,), (16 * BLOCK,), (17 * BLOCK + 1,), (3, 8 * BLOCK - 1), (200, 300), (2, 3, 9_000)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_integers_are_exact(shape: tuple[int, ...], dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_scans, "MIN_SIZE_INTEGERS_SCANNED", 1)
    x = np.random.default_rng(0).integers(0, 100, shape).astype(dtype)
    result = _scans.cumulative_sum(x, axis=-1)
    np.testing.assert_array_equal(result, np.cumsum(x, axis=-1), strict=True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_errors_are_not_larger_than_numpys(shape: tuple[int, ...], dtype: type) -> None:
    x = np.random.default_rng(1).random(shape).astype(dtype)
    exact = np.cumsum(x.astype(np.longdouble), axis=-1)
    result = _scans.cumulative_sum(x, axis=len(shape) - 1)
    assert (result.dtype, result.shape) == (x.dtype, x.shape)
    errors = [np.max(np.abs(found - exact) / exact) for found in (result, np.cumsum(x, axis=-1))]
    assert errors[0] <= max(errors[1], 4 * np.finfo(dtype).eps)


def test_integers_that_need_no_cast_are_scanned_where_they_are_many() -> None:
    min_size = _scans.MIN_SIZE_INTEGERS_SCANNED
    x = np.arange(max(min_size, 40_000))
    np.testing.assert_array_equal(_scans.cumulative_sum(x, axis=0), np.cumsum(x), strict=True)
    if min_size > 1:
        assert _scans.cumulative_sum(x[1:], axis=0) is NotImplemented
    assert _scans.cumulative_sum(x[:40_000].astype("int32"), axis=0) is not NotImplemented


def test_the_dtype_of_the_sums() -> None:
    x = np.full(50_000, 2**20, np.int32)
    assert _scans.cumulative_sum(x, axis=0)[-1] == 50_000 * 2**20
    result = _scans.cumulative_sum(x, axis=0, dtype=np.dtype(np.float32))
    assert result.dtype == np.float32


@pytest.mark.parametrize(
    ("x", "options"),
    [
        (np.ones((200, 300)), {"axis": 0}),
        (np.ones((300, 200)).T, {"axis": 1}),
        (np.ones(40_000), {"axis": 0, "include_initial": True}),
        (np.ones(40_000, np.complex128), {"axis": 0}),
        (np.ones(40_000, bool), {"axis": 0}),
        (np.full(40_000, 1e308), {"axis": 0}),
        (np.full(40_000, np.nan), {"axis": 0}),
    ],
    ids=["other axis", "layout", "initial", "complex", "bool", "overflow", "nan"],
)
def test_what_numpy_computes(x: np.ndarray, options: dict[str, object]) -> None:
    assert _scans.cumulative_sum(x, **options) is NotImplemented


PROGRAM = """
import hashlib
import numpy as np
from xtensor_backends.llvm import _scans
x = np.random.default_rng(2).random(1_000_003)
print(hashlib.sha256(_scans.cumulative_sum(x, axis=0)).hexdigest())
"""


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    found = set()
    for threads in ("1", "2", "3"):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "XTENSOR_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout)
    assert len(found) == 1
