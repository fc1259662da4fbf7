"""array-api-compat, unmodified: its functions on Arrays."""

from __future__ import annotations

import numpy as np
import pytest

compat = pytest.importorskip("array_api_compat", reason="array-api-compat is not installed: dependency group consumers")

import xtensor as xp  # noqa: E402 - after importorskip


def test_array_namespace_is_xtensor(device):
    x = xp.ones(3)
    assert compat.array_namespace(x, 1.0, x, None) is xp
    assert compat.is_array_api_obj(x)


def test_arrays_and_namespace_are_not_of_another_library(device):
    x = xp.ones(3)
    others = ("numpy", "cupy", "torch", "jax", "dask", "ndonnx", "pydata_sparse")
    assert not any(getattr(compat, f"is_{name}_array")(x) for name in others)
    assert not any(getattr(compat, f"is_{name}_namespace")(xp) for name in others)


def test_namespace_of_mixed_arrays_raises(device):
    with pytest.raises(TypeError, match="[Mm]ultiple namespaces"):
        compat.array_namespace(xp.ones(3), np.ones(3))


def test_device_and_size(device):
    x = xp.ones((2, 3))
    assert compat.device(x) is device
    assert compat.size(x) == 6


def test_to_device_transfers_the_array(device):
    x = xp.asarray([1.0, 2.0])
    transferred = compat.to_device(x, "cpu")
    assert transferred.device is xp.device("cpu")
    assert compat.to_device(transferred, device).device is device
    np.testing.assert_array_equal(np.asarray(transferred), [1.0, 2.0])


def test_array_is_eager_and_writeable(device):
    x = xp.ones(3)
    assert not compat.is_lazy_array(x)
    assert compat.is_writeable_array(x)
