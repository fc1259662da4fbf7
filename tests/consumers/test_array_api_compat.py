"""array-api-compat, unmodified: what it tells of an Array."""

from __future__ import annotations

import numpy as np
import pytest

compat = pytest.importorskip("array_api_compat", reason="array-api-compat is not installed: dependency group consumers")

import xtensor as xp  # noqa: E402 - after it is known to be needed


def test_namespace_is_found(device):
    x = xp.ones(3)
    assert compat.array_namespace(x, 1.0, x, None) is xp
    assert compat.is_array_api_obj(x)


def test_namespace_is_no_other_librarys(device):
    x = xp.ones(3)
    others = ("numpy", "cupy", "torch", "jax", "dask", "ndonnx", "pydata_sparse")
    assert not any(getattr(compat, f"is_{name}_array")(x) for name in others)
    assert not any(getattr(compat, f"is_{name}_namespace")(xp) for name in others)


def test_mixture_with_numpy_is_refused(device):
    with pytest.raises(TypeError, match="[Mm]ultiple namespaces"):
        compat.array_namespace(xp.ones(3), np.ones(3))


def test_device_and_size_are_told(device):
    x = xp.ones((2, 3))
    assert compat.device(x) is device
    assert compat.size(x) == 6


def test_array_is_moved(device):
    x = xp.asarray([1.0, 2.0])
    moved = compat.to_device(x, "cpu")
    assert moved.device is xp.device("cpu")
    assert compat.to_device(moved, device).device is device
    np.testing.assert_array_equal(np.asarray(moved), [1.0, 2.0])


def test_array_is_neither_lazy_nor_read_only(device):
    x = xp.ones(3)
    assert not compat.is_lazy_array(x)
    assert compat.is_writeable_array(x)
