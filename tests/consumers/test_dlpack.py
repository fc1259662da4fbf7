"""DLPack exchange with NumPy, torch and jax; a write into one array shows that the other one shares its memory.

jax's arrays are immutable, so the tests of jax compare addresses and write into the Array.
"""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp

DTYPES = ("bool", "int8", "int32", "int64", "uint8", "float32", "float64", "complex64", "complex128")


@pytest.fixture
def host_device(device):
    """Device in host memory, which every library can access."""
    if not device.host:
        pytest.skip("requires a device in host memory")
    return device


def one(dtype):
    """Return 1 as a Python scalar of a dtype's kind."""
    return np.ones((), dtype).item()


def address(x):
    """Return the address of an Array's first element."""
    return np.asarray(x).__array_interface__["data"][0]


def aligned(count, dtype="float64"):
    """Return NumPy zeros at a multiple of 64 bytes, which jax imports without a copy."""
    memory = np.zeros(count * np.dtype(dtype).itemsize + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + count * np.dtype(dtype).itemsize].view(dtype)


class TestNumpy:
    """Exchange with NumPy arrays."""

    def test_import_shares_memory(self, host_device):
        foreign = np.arange(4.0)
        array = xp.from_dlpack(foreign, device=host_device)
        foreign[0] = 42.0
        array[1] = 43.0
        assert array.tolist() == foreign.tolist() == [42.0, 43.0, 2.0, 3.0]

    def test_export_shares_memory(self, host_device):
        array = xp.arange(4.0)
        foreign = np.from_dlpack(array)
        array[0] = 42.0
        assert foreign[0] == 42.0

    def test_import_preserves_strides(self, host_device):
        foreign = np.arange(12.0).reshape(3, 4)[::2, ::-1].T
        array = xp.from_dlpack(foreign, device=host_device)
        foreign[0, 0] = 42.0
        np.testing.assert_array_equal(np.asarray(array), foreign)

    def test_import_of_read_only_memory_is_read_only(self, host_device):
        foreign = np.arange(4.0)
        foreign.flags.writeable = False
        array = xp.from_dlpack(foreign, device=host_device)
        with pytest.raises((TypeError, ValueError)):
            array[0] = 42.0
        assert foreign[0] == 0.0

    def test_export_off_the_host_requires_a_copy(self, device):
        if device.host:
            pytest.skip("requires a device off the host")
        x = xp.arange(3.0)
        with pytest.raises((BufferError, RuntimeError)):
            np.from_dlpack(x)
        assert np.from_dlpack(x, device="cpu", copy=True).tolist() == [0.0, 1.0, 2.0]


class TestTorch:
    """Exchange with torch tensors on the host."""

    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch", reason="torch is not installed")

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_import_shares_memory(self, torch, host_device, dtype):
        foreign = torch.zeros(4, dtype=getattr(torch, dtype))
        array = xp.from_dlpack(foreign, device=host_device)
        assert array.dtype == np.dtype(dtype)
        foreign[0] = 1
        array[1] = one(dtype)
        assert array.tolist() == foreign.tolist() == [1, 1, 0, 0]

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_export_shares_memory(self, torch, host_device, dtype):
        array = xp.zeros(4, dtype=np.dtype(dtype))
        foreign = torch.from_dlpack(array)
        assert foreign.data_ptr() == address(array)
        foreign[0] = 1
        assert array.tolist() == foreign.tolist() == [1, 0, 0, 0]

    def test_asarray_shares_a_tensor(self, torch, host_device):
        foreign = torch.zeros(4)
        array = xp.asarray(foreign, device=host_device)
        foreign[0] = 1
        assert float(array[0]) == 1.0

    def test_import_with_copy_does_not_share_memory(self, torch, host_device):
        foreign = torch.zeros(4)
        array = xp.from_dlpack(foreign, device=host_device, copy=True)
        foreign[0] = 1
        assert float(array[0]) == 0.0

    def test_import_of_a_tensor_with_a_gradient_raises(self, torch, host_device):
        with pytest.raises(BufferError, match="from_dlpack"):
            xp.from_dlpack(torch.zeros(4, requires_grad=True), device=host_device)


class TestJax:
    """Exchange with jax arrays on the host."""

    @pytest.fixture
    def jnp(self):
        jax = pytest.importorskip("jax", reason="jax is not installed")
        with jax.enable_x64(True):
            yield jax.numpy

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_import_shares_read_only_memory(self, jnp, host_device, dtype):
        foreign = jnp.ones(4, dtype=dtype)
        array = xp.from_dlpack(foreign, device=host_device)
        assert array.dtype == np.dtype(dtype)
        assert address(array) == foreign.unsafe_buffer_pointer()
        with pytest.raises((TypeError, ValueError)):
            array[0] = one(dtype)
        assert foreign.tolist() == array.tolist() == [1, 1, 1, 1]

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_export_shares_aligned_memory(self, jnp, host_device, dtype):
        array = xp.from_dlpack(aligned(4, dtype), device=host_device)
        foreign = jnp.from_dlpack(array)
        assert foreign.unsafe_buffer_pointer() == address(array)
        array[0] = one(dtype)
        assert foreign.tolist() == [1, 0, 0, 0]

    def test_computation_with_an_imported_array(self, jnp, host_device):
        array = xp.asarray(jnp.arange(4.0), device=host_device)
        assert xp.sum(array * 2.0).tolist() == 12.0
