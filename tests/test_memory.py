"""Attributes that describe the memory of an Array, and the iterator over its elements."""

from __future__ import annotations

import gc
import hashlib
import sys

import numpy as np
import pytest

import xtensor as xp

VALUES = np.arange(12.0).reshape(3, 4)


@pytest.fixture
def host_device(device):
    if not device.host:
        pytest.skip("the memory is not the host's")
    return device


def test_attributes_of_memory_do_not_exist_off_the_host(device):
    x = xp.asarray(VALUES)
    assert hasattr(x, "strides") == device.host
    if not device.host:
        with pytest.raises(AttributeError, match="use x.to_device"):
            x.strides  # noqa: B018


@pytest.mark.parametrize("key", [..., (slice(None), slice(1, 3)), (0, ...)])
def test_strides_and_flags_are_numpys(host_device, key):
    x, expected = xp.asarray(VALUES)[key], np.asarray(VALUES)[key]
    assert x.strides == expected.strides
    assert x.flags.c_contiguous == expected.flags.c_contiguous
    assert x.flags["F_CONTIGUOUS"] == expected.flags["F_CONTIGUOUS"]


def test_numpy_array_shares_the_memory_whatever_the_layout(host_device):
    x = xp.asarray(VALUES, copy=True)
    for view in (x, x.mT, x[:, ::2], x[::-1, 1:]):
        assert np.shares_memory(np.asarray(view), np.asarray(x))


def test_memory_of_an_array_outlives_it(host_device):
    x = xp.asarray(VALUES, copy=True)
    kept = np.asarray(x)
    x **= 2.0
    x[0, 0] = 7.0
    del x
    gc.collect()
    assert kept.tolist() in (VALUES.tolist(), [[7.0, *VALUES[0, 1:] ** 2], *(VALUES[1:] ** 2).tolist()])


def test_dtype_of_an_element_of_bfloat16_is_kept(host_device):
    pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    if not host_device.supports(xp.bfloat16):
        pytest.skip(f"{host_device} does not support bfloat16")
    assert np.asarray(xp.ones(3, dtype=xp.bfloat16)).dtype == xp.bfloat16


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python has __buffer__ since version 3.12")
def test_buffer_is_that_of_the_memory(device):
    x = xp.asarray(VALUES, copy=True)
    if not device.host:
        with pytest.raises(BufferError, match="use x.to_device"):
            memoryview(x)
        return
    assert memoryview(x).tolist() == VALUES.tolist()
    assert bytes(x) == VALUES.tobytes()
    assert hashlib.sha256(x).digest() == hashlib.sha256(VALUES).digest()


def test_to_numpy_is_an_explicit_copy(device):
    x = xp.asarray(VALUES)
    copied = x.to_numpy()
    copied[0, 0] = 99.0
    assert type(copied) is np.ndarray
    assert x[0, 0] == 0.0


class TestFlat:
    def test_elements_follow_in_row_major_order(self, device):
        assert [float(v) for v in xp.asarray(VALUES).mT.flat] == VALUES.T.ravel().tolist()
        assert len(xp.asarray(VALUES).flat) == 12

    @pytest.mark.parametrize("key", [0, 5, -1, slice(2, 9, 3)])
    def test_index_selects_a_copy(self, device, key):
        x = xp.asarray(VALUES, copy=True)
        selected = x.flat[key]
        assert type(selected) is xp.Array
        assert selected.tolist() == VALUES.flat[key].tolist()
        selected += 1.0
        assert x.tolist() == VALUES.tolist()

    @pytest.mark.parametrize(("key", "value"), [(0, 9.0), (-1, 9.0), (slice(2, 5), [7.0, 8.0, 9.0]), (slice(3), 0.0)])
    def test_assignment_changes_the_array_whatever_its_layout(self, device, key, value):
        x, expected = xp.asarray(VALUES, copy=True).mT, VALUES.copy().T
        x.flat[key] = value
        expected.flat[key] = value
        assert x.tolist() == expected.tolist()

    def test_all_elements_are_assigned_to(self, device):
        x = xp.zeros((2, 3))
        x.flat = xp.arange(6.0)
        assert x.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]

    @pytest.mark.parametrize("key", [12, -13])
    def test_index_out_of_bounds_is_refused(self, device, key):
        with pytest.raises(IndexError, match="out of bounds"):
            xp.asarray(VALUES, copy=True).flat[key] = 0.0

    def test_comparison_is_elementwise(self, device):
        x = xp.asarray(VALUES).flat
        for name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
            assert getattr(x, name)(5.0).tolist() == getattr(VALUES.flat, name)(5.0).tolist()

    def test_functions_take_it_as_an_array_of_one_dimension(self, lenient_device):
        x, points = xp.asarray(VALUES), np.asarray([0.0, 6.0, 12.0])
        result = np.interp(x.flat, xp.asarray(points), xp.asarray(points * 2))
        assert type(result) is xp.Array
        assert result.tolist() == np.interp(VALUES.flat, points, points * 2).tolist()
        assert xp.sum(x.flat) == VALUES.sum()
        assert (x[0, :] + x.flat[4:8]).tolist() == (VALUES[0] + VALUES[1]).tolist()

    def test_next_advances(self, device):
        iterator = xp.asarray(VALUES).flat
        assert [float(next(iterator)) for _ in range(3)] == [0.0, 1.0, 2.0]
