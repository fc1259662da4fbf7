"""Arrays of SYCL devices: transfers, shared memory, read-only views, and errors."""

from __future__ import annotations

import numpy as np
import pytest
from dpnp_support import DTYPES, SYCL, host, on_sycl, sycl

import xtensor as xp

__all__ = ["sycl"]

# -- transfers --------------------------------------------------------------------------------------------------------


@on_sycl
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "key",
    [(...,), (slice(None, None, -1), slice(None, None, 2)), (1, 2), (slice(0, 0), slice(None)), (None, slice(1, 2))],
    ids=["plain", "reversed and strided", "0-d", "empty", "part"],
)
def test_transfers_keep_values_dtype_and_shape(sycl, dtype, key):
    values = np.arange(-6, 6).astype(dtype).reshape(3, 4)
    if dtype.kind in "fc":
        values[0] = [-0.0, np.inf, -np.inf, np.nan]
    arrived = xp.asarray(values[key])
    indexed = xp.asarray(values)[key]
    for x in (arrived, indexed):
        assert (x.device, x.dtype, x.shape) == (sycl, dtype, values[key].shape)
        assert host(x).dtype == dtype
        assert host(x).tobytes() == values[key].tobytes()


@on_sycl
def test_read_only_transposed_and_byte_swapped_arrays_are_copied_to_the_device(sycl):
    values = np.arange(6.0).reshape(2, 3)
    values.flags.writeable = False
    assert host(xp.asarray(values)).tolist() == values.tolist()
    assert host(xp.asarray(values.T)).tolist() == values.T.tolist()
    assert host(xp.asarray(values.astype(">f8"))).tolist() == values.tolist()


@on_sycl
def test_host_values_need_a_copy(sycl):
    with pytest.raises(ValueError, match="copy"):
        xp.asarray(np.ones(3), copy=False)


@on_sycl
def test_numpy_asarray_raises_unless_transfers_are_allowed(sycl):
    x = xp.arange(3)
    with pytest.raises(TypeError, match="to_device"):
        np.asarray(x)
    with xp.transfers("allow"):
        assert np.asarray(x).tolist() == [0, 1, 2]


@on_sycl
@pytest.mark.parametrize("copy", [None, True, False])
def test_dlpack_shares_memory_unless_a_copy_is_requested(sycl, copy):
    dpnp = pytest.importorskip("dpnp")
    x = xp.zeros(3)
    theirs = dpnp.from_dlpack(x, copy=copy)
    ours = xp.from_dlpack(theirs, copy=copy)
    assert ours.device is sycl
    assert (ours + x).shape == (3,)
    x[0] = 7.0
    assert ours[0].item() == (0.0 if copy else 7.0)


@on_sycl
@pytest.mark.skipif(SYCL is None or "cpu" not in str(SYCL), reason="the host cannot reach this device's memory")
@pytest.mark.parametrize("key", [(...,), (slice(None, None, -1), slice(1, None, 2)), (1, 2), (slice(0, 0),)], ids=str)
def test_the_host_reads_the_memory_of_a_sycl_cpu_without_a_copy(sycl, key):
    x = xp.reshape(xp.arange(12.0), (3, 4))[key]
    view = np.from_dlpack(x, device="cpu", copy=False)
    x += 100.0
    sycl.synchronize()
    assert view.tolist() == x.tolist()
    copied = np.from_dlpack(x, device="cpu", copy=True)
    x -= 100.0
    assert copied.tolist() == (x + 100.0).tolist()
    before = x.tolist()
    del x
    assert view.tolist() == before


@on_sycl
def test_from_dlpack_waits_for_values_that_are_still_being_computed(sycl):
    dpnp = pytest.importorskip("dpnp")
    theirs = dpnp.arange(10**6, dtype="float32", device=xp.ones(1)._native.sycl_device)
    for _ in range(10):
        theirs = theirs + 1.0
    assert xp.from_dlpack(theirs)[-1].item() == 10**6 + 9


@on_sycl
def test_dlpack_of_the_host_is_copied_to_the_device(sycl):
    x = xp.from_dlpack(np.arange(3), device=sycl)
    assert x.device is sycl
    assert host(x).tolist() == [0, 1, 2]


# -- errors -----------------------------------------------------------------------------------------------------------


@on_sycl
@pytest.mark.parametrize(
    "create",
    [
        lambda: xp.empty(2**44),
        lambda: xp.zeros((2**22, 2**22)),
        lambda: xp.ones(2**59),
        lambda: xp.full(2**44, 1.0),
        lambda: xp.arange(2**44, dtype=xp.float64),
        lambda: xp.linspace(0.0, 1.0, 2**44),
        lambda: xp.eye(2**22),
    ],
    ids=["empty", "zeros", "ones", "full", "arange", "linspace", "eye"],
)
def test_creation_beyond_memory_names_the_bytes_requested_and_free(sycl, create):
    with pytest.raises(xp.OutOfMemoryError, match="free") as caught:
        create()
    assert caught.value.requested >= 2**47
    assert caught.value.free is None or 0 < caught.value.free < 2**47
    assert xp.sum(xp.ones(3)).item() == 3.0


@on_sycl
def test_results_beyond_memory_raise_and_the_device_remains_usable(sycl):
    x = xp.ones(2**22)
    grid = xp.broadcast_to(x, (2**22, 2**22))
    for compute in (
        lambda: x[:, None] * x,
        lambda: xp.matmul(x[:, None], x[None, :]),
        lambda: xp.sqrt(grid),
        lambda: grid.copy(),
        lambda: xp.sort(grid),
        lambda: xp.concat([grid, grid]),
        lambda: xp.repeat(x, 2**22),
        lambda: xp.fft.fft(xp.astype(x, xp.complex64), n=2**62),
    ):
        with pytest.raises(xp.OutOfMemoryError):
            compute()
    with pytest.raises(MemoryError):
        grid[xp.arange(2**22)]
    assert xp.sum(x).item() == 2.0**22


@on_sycl
def test_errors_have_the_classes_of_python_and_numpy(sycl):
    with pytest.raises(TypeError, match="real numbers"):
        xp.floor(xp.ones(2, dtype=xp.complex64))
    integers = xp.ones(2, dtype=xp.int64)
    with pytest.raises(TypeError):
        integers += 0.5
    assert host(integers).tolist() == [1, 1]
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        xp.linalg.inv(xp.zeros((2, 2)))
    with pytest.raises(np.linalg.LinAlgError):
        xp.linalg.cholesky(-xp.ones((2, 2)))


@on_sycl
def test_singular_matrix_of_a_stack_is_refused_as_a_single_one_is(sycl):
    stack = xp.asarray([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]])
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        xp.linalg.solve(stack, xp.ones(2))


# -- read-only views --------------------------------------------------------------------------------------------------

WRITES = {
    "an element": lambda x: x.__setitem__((0, 0), 5.0),
    "a mask": lambda x: x.__setitem__(x < 9.0, 5.0),
    "an index array": lambda x: x.__setitem__((xp.asarray([0]), xp.asarray([1])), 5.0),
    "a view of the view": lambda x: x[0].__setitem__(0, 5.0),
    "add": lambda x: x.__iadd__(1.0),
    "divide": lambda x: x.__itruediv__(2.0),
    "floor_divide": lambda x: x.__ifloordiv__(2.0),
    "matmul": lambda x: x.__imatmul__(xp.ones((2, 2))),
}


@on_sycl
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_broadcast_view_is_read_only(sycl, write):
    x = xp.asarray([1.0, 2.0])
    with pytest.raises(ValueError, match="read-only"):
        write(xp.broadcast_to(x, (2, 2)))
    assert host(x).tolist() == [1.0, 2.0]


@on_sycl
def test_a_diagonal_is_read_only(sycl):
    with pytest.raises(ValueError, match="read-only"):
        xp.linalg.diagonal(xp.ones((3, 3)))[0] = 5.0


@on_sycl
def test_the_source_of_a_broadcast_view_is_writable(sycl):
    x = xp.ones(3)
    view = xp.broadcast_to(x, (3,))
    x[0] = 7.0
    assert host(view).tolist() == [7.0, 1.0, 1.0]


@on_sycl
@pytest.mark.parametrize("key", ["mask", "index array"])
def test_values_selected_from_a_read_only_view_are_writable(sycl, key):
    x = xp.broadcast_to(xp.asarray([1.0, 2.0]), (2, 2))
    selected = x[x > 1.0] if key == "mask" else x[xp.asarray([1]), xp.asarray([0, 1])]
    selected[0] = 9.0
    assert host(selected).tolist() == [9.0, 2.0]
    assert host(x).tolist() == [[1.0, 2.0], [1.0, 2.0]]


@on_sycl
@pytest.mark.skipif(SYCL is None or "cpu" not in str(SYCL), reason="the host cannot reach this device's memory")
def test_the_host_sees_a_read_only_view_as_read_only(sycl):
    x = xp.ones(3)
    for array, writable in ((x, True), (xp.broadcast_to(x, (2, 3)), False)):
        assert sycl._library.host_view(array._native).flags.writeable is writable
