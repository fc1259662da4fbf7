"""Transfers between devices: explicit ones, and implicit ones under a policy; and exhausted memory."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading

import numpy as np
import pytest
from toy import NumpyWith, ToyBackend
from usable import usable_devices

import xtensor as xp

DTYPES = [
    "bool",
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
]


@pytest.fixture
def toy(registry):
    """Device off the host; the default device is the host."""
    xp.register_backend(ToyBackend())
    with xp.use_device("cpu"):
        yield xp.device("toy:0")


def pairs():
    return [pytest.param(a, b, id=f"{a} to {b}") for a in usable_devices() for b in usable_devices()]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("source", "target"), pairs())
def test_transfer_preserves_values_of_every_dtype_and_layout(source, target, dtype):
    if not (source.supports(np.dtype(dtype)) and target.supports(np.dtype(dtype))):
        pytest.skip(f"{source} or {target} does not support {dtype}")
    values = np.arange(24).reshape(4, 6).astype(dtype)
    whole = xp.asarray(values, device=source)
    for key in [(...,), (slice(None, None, -2), slice(1, None, 2)), (0, 0), (slice(0, 0), slice(None))]:
        moved = whole[key].to_device(target)
        assert (moved.device, moved.dtype, moved.shape) == (target, np.dtype(dtype), values[key].shape)
        np.testing.assert_array_equal(np.asarray(moved.to_device("cpu")), values[key])
    transposed = xp.permute_dims(whole, (1, 0)).to_device(target)
    np.testing.assert_array_equal(np.asarray(transposed.to_device("cpu")), values.T)


def test_to_device_of_the_same_device_returns_the_array(device):
    x = xp.ones(1)
    assert x.to_device(device) is x


def test_to_device_accepts_a_spec(toy):
    assert xp.ones(1).to_device("toy:0").device is toy


def test_to_device_with_a_stream_raises(device):
    with pytest.raises(ValueError, match="stream"):
        xp.ones(1).to_device(device, stream=1)


def test_to_device_of_an_unknown_device_raises(device):
    with pytest.raises(ValueError, match="nowhere"):
        xp.ones(1).to_device("nowhere")


@pytest.mark.parametrize(
    "operation",
    [
        lambda x, y: x + y,
        lambda x, y: xp.add(x, y),
        lambda x, y: xp.concat([x, y]),
        lambda x, y: xp.where(x > 0, x, y),
        lambda x, y: xp.matmul(x, y),
        lambda x, y: xp.clip(x, y, None),
        lambda x, y: xp.tensordot(x, y, axes=1),
        lambda x, y: xp.searchsorted(x, y),
        lambda x, y: xp.isin(x, y),
        lambda x, y: x[xp.astype(y, xp.int64)],
        lambda x, y: x.__setitem__(slice(None), y),
        lambda x, y: x.__iadd__(y),
    ],
    ids=["+", "add", "concat", "where", "matmul", "clip", "tensordot", "searchsorted", "isin", "index", "set", "+="],
)
class TestTwoDevices:
    """Operands on two devices."""

    def test_operation_raises_and_names_both_devices_and_the_remedy(self, toy, operation):
        x, y = xp.ones(2, device=toy), xp.ones(2, device="cpu")
        with pytest.raises(xp.DeviceMismatchError, match=r"toy:0.*cpu.*to_device.*transfers"):
            operation(x, y)
        assert x.tolist() == [1.0, 1.0]

    def test_operation_computes_off_the_host_under_allow(self, toy, operation):
        x, y = xp.ones(2, device=toy), xp.ones(2, device="cpu")
        with xp.transfers("allow"):
            result = operation(x, y)
        assert result is None or result.device is toy


def test_result_is_off_the_host_for_either_order_of_operands(toy):
    with xp.transfers("allow"):
        assert (xp.ones(2) + xp.ones(2, device=toy)).device is toy


def test_0d_host_array_is_transferred_under_forbid(toy):
    x = xp.ones(2, device=toy)
    zero_d = xp.asarray(2.0, device="cpu")
    assert (x * zero_d).tolist() == [2.0, 2.0]
    assert (zero_d * x).device is toy
    x[0] = zero_d
    assert x.tolist() == [2.0, 1.0]


def test_0d_device_array_is_not_transferred_to_the_host(toy):
    with pytest.raises(xp.DeviceMismatchError, match="toy:0"):
        xp.ones(2) * xp.asarray(2.0, device=toy)


def test_numpy_asarray_off_the_host_raises_and_names_the_remedy(toy):
    with pytest.raises(TypeError, match=r"toy:0.*to_device.*transfers"):
        np.asarray(xp.ones(2, device=toy))


def test_numpy_asarray_off_the_host_copies_under_allow(toy):
    with xp.transfers("allow"):
        assert np.asarray(xp.ones(2, device=toy)).tolist() == [1.0, 1.0]


def test_policy_ends_with_its_block(toy):
    with xp.transfers("allow"):
        pass
    with pytest.raises(xp.DeviceMismatchError):
        xp.ones(2) + xp.ones(2, device=toy)


def test_inner_policy_overrides_the_outer_one(toy):
    with xp.transfers("allow"), xp.transfers("forbid"), pytest.raises(xp.DeviceMismatchError):
        xp.ones(2) + xp.ones(2, device=toy)


def test_policy_without_a_block_lasts(toy):
    def set_and_add():
        xp.transfers("allow")
        return (xp.ones(2) + xp.ones(2, device=toy)).device

    assert contextvars.copy_context().run(set_and_add) is toy


@pytest.mark.parametrize("policy", ["maybe", None, True, ""])
def test_unknown_policy_raises(policy):
    with pytest.raises(ValueError, match="'forbid', 'allow' or 'log'"):
        xp.transfers(policy)


def test_log_contains_bytes_and_the_callers_file(toy, caplog):
    with caplog.at_level(logging.WARNING, "xtensor.transfers"), xp.transfers("log"):
        xp.ones(4, device=toy) + xp.ones(4, device="cpu")
    (record,) = caplog.records
    assert "32 bytes from cpu to toy:0" in record.getMessage()
    assert __file__ in record.getMessage()


def test_policy_is_local_to_a_thread(toy):
    barrier = threading.Barrier(2)
    outcomes = {}

    def work(policy):
        with xp.transfers(policy):
            barrier.wait()
            try:
                xp.ones(2) + xp.ones(2, device=toy)
                outcomes[policy] = "moved"
            except xp.DeviceMismatchError:
                outcomes[policy] = "raised"
            barrier.wait()

    threads = [threading.Thread(target=work, args=(policy,)) for policy in ("allow", "forbid")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {"allow": "moved", "forbid": "raised"}


def test_policy_is_local_to_a_task(toy):
    async def work(policy):
        with xp.transfers(policy):
            await asyncio.sleep(0)
            try:
                return (xp.ones(2) + xp.ones(2, device=toy)).device
            except xp.DeviceMismatchError:
                return None

    async def both():
        return await asyncio.gather(work("allow"), work("forbid"))

    assert asyncio.run(both()) == [toy, None]


# -- exhausted memory -------------------------------------------------------------------------------------------------


class FullBackend(ToyBackend):
    """Device without free memory: until its pool is released, or forever if ``permanent``."""

    def __init__(self, permanent):
        super().__init__()
        self.permanent, self.released = permanent, 0

    def namespace(self, spec):
        def zeros(shape, *, dtype):
            if self.permanent or not self.released:
                raise MemoryError("Unable to allocate 7.45 GiB for an array")
            return np.zeros(shape, dtype)

        return NumpyWith(zeros=zeros)

    def release_memory(self, spec):
        self.released += 1


def test_failed_allocation_is_retried_after_the_pool_is_released(registry):
    backend = FullBackend(permanent=False)
    xp.register_backend(backend)
    assert xp.zeros(2, device="toy").tolist() == [0.0, 0.0]
    assert backend.released == 1


def test_exhausted_memory_raises_with_the_requested_bytes(registry):
    backend = FullBackend(permanent=True)
    xp.register_backend(backend)
    with pytest.raises(xp.OutOfMemoryError, match=r"toy:0.*zeros\(\).*7999\d+ bytes") as caught:
        xp.zeros(2, device="toy")
    assert caught.value.requested == int(7.45 * 2**30)
    assert backend.released == 1
    assert xp.ones(2, device="toy").tolist() == [1.0, 1.0]


def test_allocation_beyond_the_hosts_memory_raises_out_of_memory():
    with pytest.raises(xp.OutOfMemoryError) as caught:
        xp.ones((2**46,), device="cpu")
    assert caught.value.requested == 2**49
    assert caught.value.free > 0


@pytest.mark.parametrize("make", [xp.zeros, xp.ones, xp.empty, lambda shape: xp.full(shape, 1.0)])
def test_allocation_beyond_the_address_space_raises(device, make):
    with pytest.raises(ValueError, match="address"):
        make((2**40, 2**40))


def allowing():
    """Return a generator that allows transfers until it is closed."""
    with xp.transfers("allow"):
        yield


def test_generator_closed_in_another_order_restores_the_policy(toy):
    x, y = xp.ones(2, device=toy), xp.ones(2, device="cpu")
    generator = allowing()
    next(generator)
    with xp.transfers("forbid"):
        generator.close()
        with pytest.raises(xp.DeviceMismatchError):
            _ = x + y
    with pytest.raises(xp.DeviceMismatchError):
        _ = x + y


def test_policy_stated_in_a_block_ends_with_it(toy):
    x, y = xp.ones(2, device=toy), xp.ones(2, device="cpu")
    with xp.transfers("forbid"):
        xp.transfers("allow")
        assert (x + y).tolist() == [2.0, 2.0]
    with pytest.raises(xp.DeviceMismatchError):
        _ = x + y


def test_many_stated_policies_hold_no_memory(toy):
    before = xp._core.transfers._policy.innermost()
    for _ in range(100):
        xp.transfers("allow")
    block, length = xp._core.transfers._policy.innermost(), 0
    while block is not before and block is not None:
        block, length = block.outer, length + 1
    xp.transfers("forbid")
    assert length <= 1
