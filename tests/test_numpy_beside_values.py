"""NumPy's functions of Arrays beside lists, scalars, NumPy arrays and values that no Array holds."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp


def test_values_that_no_array_holds_are_broadcast_beside_arrays(lenient_device):
    x = xp.arange(3.0)
    one, two, three = np.broadcast_arrays(x, None, [[1.0], [2.0]])
    assert type(one) is xp.Array
    assert one.shape == two.shape == (2, 3)
    assert two[0, 0] is None
    assert np.asarray(three)[:, 0].tolist() == [1.0, 2.0]


def test_scalars_and_lists_are_broadcast_beside_arrays(device):
    results = np.broadcast_arrays(xp.arange(3.0), 2, [1.0, 2.0, 3.0])
    assert [type(x) for x in results] == [xp.Array] * 3
    assert [x.tolist() for x in results] == [[0.0, 1.0, 2.0], [2, 2, 2], [1.0, 2.0, 3.0]]


def test_arrays_are_copied_to_a_numpy_array(device):
    target = np.zeros(3)
    with xp.transfers("allow"):
        np.copyto(target, xp.arange(3.0))
        np.copyto(target, xp.asarray(9.0), where=np.asarray([True, False, False]))
        assert np.full(2, xp.asarray(5.0)).tolist() == [5.0, 5.0]
    assert target.tolist() == [9.0, 1.0, 2.0]


def test_copy_to_a_numpy_array_off_the_host_needs_the_permission(device):
    if device.host:
        return
    with pytest.raises(TypeError, match="numpy.copyto"):
        np.copyto(np.zeros(3), xp.arange(3.0))


def test_subscripts_of_einsum_are_lists_of_integers(device):
    x, y = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    result = np.einsum(xp.asarray(x), [0, 1], xp.asarray(y), [1, 2], [0, 2])
    assert type(result) is xp.Array
    assert result.tolist() == (x @ y).tolist()
    assert np.einsum(xp.asarray(x), [1, 0]).tolist() == x.T.tolist()
    assert np.einsum("ij,j", xp.asarray(x), [1.0, 2.0, 3.0]).tolist() == (x @ [1.0, 2.0, 3.0]).tolist()
