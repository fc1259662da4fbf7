"""The record of each reduction: what it says is true, and what computes by parts follows from it."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

import xtensor as xp
from xtensor.backend import REDUCTIONS, TABLE, Reduction
from xtensor_backends.engines._chunk_strategies import functions_by_way
from xtensor_backends.kernels.reductions import KERNEL_REDUCTIONS, combination, identity_element

DTYPES = ("bool", "int8", "int64", "uint8", "uint64", "float32", "float64")

needs_llvm = pytest.mark.skipif(importlib.util.find_spec("llvmlite") is None, reason="needs llvmlite")


def ends(dtype):
    """Numbers of a dtype, with its ends."""
    if dtype == "bool":
        return np.asarray([False, True])
    if dtype.startswith("float"):
        info = np.finfo(dtype)
        return np.asarray([-np.inf, info.min, -1, 0, info.smallest_subnormal, 3, info.max, np.inf, np.nan], dtype)
    info = np.iinfo(dtype)
    return np.asarray([info.min, 0, 1, 5, info.max], dtype)


@pytest.fixture
def xor(monkeypatch):
    """A reduction that is new: generators of kernels know nothing of it but its record."""
    record = Reduction("bitwise_xor")
    monkeypatch.setitem(REDUCTIONS, "xor", record)
    monkeypatch.setitem(KERNEL_REDUCTIONS, "xor", record)
    return "xor"


@pytest.mark.parametrize("name", REDUCTIONS)
def test_record_agrees_with_declaration(name):
    row, record = TABLE[name], REDUCTIONS[name]
    assert row.declared
    assert (row.kind, row.shape) == ("reduction", "reduced")
    assert record.accumulates is (row.dtype == "accumulated")
    assert TABLE[record.combine].kind == "elementwise"
    assert TABLE[record.combine].operands == 2


@pytest.mark.parametrize("name", REDUCTIONS)
def test_results_of_parts_combine_to_that_of_both(device, name):
    values = np.asarray([[3, 0, 2, 5], [0, 0, 1, 7], [1, 0, 4, 2]])
    function, combine = getattr(xp, name), getattr(xp, REDUCTIONS[name].combine)
    whole, first, rest = (
        function(xp.asarray(part, device=device), axis=0) for part in (values, values[:1], values[1:])
    )
    assert xp.to_numpy(combine(first, rest)).tolist() == xp.to_numpy(whole).tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", KERNEL_REDUCTIONS)
def test_identity_element_changes_no_number(name, dtype):
    x = ends(dtype)
    identity = np.asarray(identity_element(name, np.dtype(dtype)), dtype)
    with np.errstate(all="ignore"):
        combined = getattr(np, combination(name))(identity, x)
    np.testing.assert_array_equal(combined.astype(dtype), x)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_engines_reduce_in_a_tree(name):
    assert name in functions_by_way()["tree"]


@needs_llvm
@pytest.mark.parametrize("name", REDUCTIONS)
def test_llvm_has_a_kernel(name):
    from xtensor_backends.llvm import _reductions

    assert f"large.{name}" in _reductions.kernels()


@needs_llvm
@pytest.mark.parametrize("shape", [(4096,), (70, 300)], ids=str)
def test_llvm_computes_a_new_reduction_by_its_record(xor, shape):
    from xtensor_backends.llvm import _reducing, _reductions

    values = np.random.default_rng(0).integers(-(2**62), 2**62, shape)
    program = _reductions._program(xor, values.dtype, values.dtype)
    for axis in range(len(shape)):
        (found,) = _reducing.reduce(program, (values,), (), shape, (axis,))
        np.testing.assert_array_equal(found, np.bitwise_xor.reduce(values, axis=axis), strict=True)


def test_triton_has_a_kernel_of_each():
    pytest.importorskip("triton", reason="needs triton")
    from xtensor_backends.triton import _reductions, _row_launches

    assert set(REDUCTIONS) <= set(_reductions.REDUCTIONS)
    assert {record.combine for record in KERNEL_REDUCTIONS.values()} <= _row_launches.COMBINATIONS


def test_triton_leaves_another_combination_to_the_storage(xor):
    pytest.importorskip("triton", reason="needs triton")
    from xtensor_backends.triton._context import Unsuited
    from xtensor_backends.triton._reductions import _in_dtype

    with pytest.raises(Unsuited, match="no kernel combines numbers by bitwise_xor"):
        _ = _in_dtype(xor, np.dtype("int64")).combine


@pytest.mark.parametrize("name", REDUCTIONS)
def test_batches_are_reduced_at_once(name):
    values = np.asarray([[3, 0, 2, 5], [0, 0, 0, 0], [1, 1, 4, 2]])
    calls = []

    def function(x):
        calls.append(x)
        return getattr(xp, name)(x)

    found = xp.to_numpy(xp.vmap(function)(xp.asarray(values)))
    assert len(calls) == 1
    assert found.tolist() == [xp.to_numpy(getattr(xp, name)(xp.asarray(row))).tolist() for row in values]
