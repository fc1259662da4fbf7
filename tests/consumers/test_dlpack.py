"""torch, jax and NumPy, unmodified: memory exchanged through DLPack, shown to be shared by writing into it.

jax's arrays never change, so there it is the address that shows it, and what we write into ours and jax then reads.
"""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp

DTYPES = ("bool", "int8", "int32", "int64", "uint8", "float32", "float64", "complex64", "complex128")


@pytest.fixture
def host_device(device):
    """A device on the host's memory, which every library can reach."""
    if not device.host:
        pytest.skip("the other libraries reach the host's memory alone")
    return device


def one(dtype):
    """1 as a Python scalar of a dtype's kind."""
    return np.ones((), dtype).item()


def address(x):
    """Where an Array's first element is."""
    return np.asarray(x).__array_interface__["data"][0]


def aligned(count, dtype="float64"):
    """NumPy's zeros at an address that jax takes as it is: a multiple of 64."""
    memory = np.zeros(count * np.dtype(dtype).itemsize + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + count * np.dtype(dtype).itemsize].view(dtype)


class TestNumpy:
    """NumPy's arrays."""

    def test_ours_is_numpys_memory(self, host_device):
        theirs = np.arange(4.0)
        ours = xp.from_dlpack(theirs, device=host_device)
        theirs[0] = 42.0
        ours[1] = 43.0
        assert ours.tolist() == theirs.tolist() == [42.0, 43.0, 2.0, 3.0]

    def test_numpys_is_our_memory(self, host_device):
        ours = xp.arange(4.0)
        theirs = np.from_dlpack(ours)
        ours[0] = 42.0
        assert theirs[0] == 42.0

    def test_strides_are_kept(self, host_device):
        theirs = np.arange(12.0).reshape(3, 4)[::2, ::-1].T
        ours = xp.from_dlpack(theirs, device=host_device)
        theirs[0, 0] = 42.0
        np.testing.assert_array_equal(np.asarray(ours), theirs)

    def test_memory_that_is_read_only_stays_so(self, host_device):
        theirs = np.arange(4.0)
        theirs.flags.writeable = False
        ours = xp.from_dlpack(theirs, device=host_device)
        with pytest.raises((TypeError, ValueError)):
            ours[0] = 42.0
        assert theirs[0] == 0.0

    def test_memory_off_the_host_reaches_numpy_by_a_copy_that_is_asked_for(self, device):
        if device.host:
            pytest.skip("the host's memory is NumPy's")
        x = xp.arange(3.0)
        with pytest.raises((BufferError, RuntimeError)):
            np.from_dlpack(x)
        assert np.from_dlpack(x, device="cpu", copy=True).tolist() == [0.0, 1.0, 2.0]


class TestTorch:
    """torch's tensors on the host."""

    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch", reason="torch is not installed")

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_ours_is_torchs_memory(self, torch, host_device, dtype):
        theirs = torch.zeros(4, dtype=getattr(torch, dtype))
        ours = xp.from_dlpack(theirs, device=host_device)
        assert ours.dtype == np.dtype(dtype)
        theirs[0] = 1
        ours[1] = one(dtype)
        assert ours.tolist() == theirs.tolist() == [1, 1, 0, 0]

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_torchs_is_our_memory(self, torch, host_device, dtype):
        ours = xp.zeros(4, dtype=np.dtype(dtype))
        theirs = torch.from_dlpack(ours)
        assert theirs.data_ptr() == address(ours)
        theirs[0] = 1
        assert ours.tolist() == theirs.tolist() == [1, 0, 0, 0]

    def test_asarray_shares_a_tensor(self, torch, host_device):
        theirs = torch.zeros(4)
        ours = xp.asarray(theirs, device=host_device)
        theirs[0] = 1
        assert float(ours[0]) == 1.0

    def test_a_copy_is_made_when_asked_for(self, torch, host_device):
        theirs = torch.zeros(4)
        ours = xp.from_dlpack(theirs, device=host_device, copy=True)
        theirs[0] = 1
        assert float(ours[0]) == 0.0

    def test_a_tensor_with_a_gradient_is_refused(self, torch, host_device):
        with pytest.raises(BufferError, match="from_dlpack"):
            xp.from_dlpack(torch.zeros(4, requires_grad=True), device=host_device)


class TestJax:
    """jax's arrays on the host."""

    @pytest.fixture
    def jnp(self):
        jax = pytest.importorskip("jax", reason="jax is not installed")
        with jax.enable_x64(True):
            yield jax.numpy

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_ours_is_jaxs_memory_and_read_only(self, jnp, host_device, dtype):
        theirs = jnp.ones(4, dtype=dtype)
        ours = xp.from_dlpack(theirs, device=host_device)
        assert ours.dtype == np.dtype(dtype)
        assert address(ours) == theirs.unsafe_buffer_pointer()
        with pytest.raises((TypeError, ValueError)):
            ours[0] = one(dtype)
        assert theirs.tolist() == ours.tolist() == [1, 1, 1, 1]

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_jaxs_is_our_memory_where_it_is_aligned(self, jnp, host_device, dtype):
        ours = xp.from_dlpack(aligned(4, dtype), device=host_device)
        theirs = jnp.from_dlpack(ours)
        assert theirs.unsafe_buffer_pointer() == address(ours)
        ours[0] = one(dtype)
        assert theirs.tolist() == [1, 0, 0, 0]

    def test_a_jax_array_is_computed_with(self, jnp, host_device):
        ours = xp.asarray(jnp.arange(4.0), device=host_device)
        assert xp.sum(ours * 2.0).tolist() == 12.0
