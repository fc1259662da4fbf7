"""asarray and DLPack: what becomes an Array, on whose memory, and what does not."""

from __future__ import annotations

import array
import math

import numpy as np
import pytest

import xtensor as xp
from xtensor._core import interchange as _interchange

DTYPES = [
    "bool",
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]


@pytest.fixture(params=DTYPES)
def dtype(request, device):
    """Each dtype that the device has."""
    found = np.dtype(request.param)
    if found not in device.dtypes:
        pytest.skip(f"{device} does not compute with {found}")
    return found


def defaults(device):
    return xp.__array_namespace_info__().default_dtypes(device=device)


# -- Python's scalars and sequences -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("obj", "kind"),
    [
        (True, None),
        ([True, False], None),
        (1, "integral"),
        ([True, 2], "integral"),
        (1.0, "real floating"),
        ([1, 2.0], "real floating"),
        (1j, "complex floating"),
        ([1, 2.0, 3j], "complex floating"),
        ([], "real floating"),
        ((1, 2), "integral"),
        ([[1], [2]], "integral"),
    ],
    ids=str,
)
def test_python_scalars_have_the_default_dtype_of_their_kind(device, obj, kind):
    expected = defaults(device)[kind] if kind else np.dtype(bool)
    x = xp.asarray(obj)
    assert x.dtype == expected
    assert x.tolist() == (list(obj) if isinstance(obj, tuple) else obj)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, [1, 2**64]])
def test_integers_beyond_int64_raise(device, value):
    with pytest.raises(OverflowError, match="int64"):
        xp.asarray(value)


def test_integers_beyond_int64_fit_uint64_where_it_is_asked_for(device):
    assert xp.asarray(2**63 + 1, dtype=xp.uint64).item() == 2**63 + 1


def test_an_integer_beyond_the_dtype_asked_for_raises(device):
    with pytest.raises(OverflowError):
        xp.asarray(300, dtype=xp.uint8)


@pytest.mark.parametrize("obj", [[[1, 2], [3]], [1, [2]], [[1], 2.0]])
def test_ragged_sequences_raise(device, obj):
    with pytest.raises(ValueError, match="ragged"):
        xp.asarray(obj)


@pytest.mark.parametrize("obj", [None, "text", ["a"], {1: 2}, {1, 2}, object(), [object()], [None], Ellipsis, int])
def test_what_is_no_number_raises(device, obj):
    with pytest.raises((TypeError, ValueError), match="asarray"):
        xp.asarray(obj)


def test_a_list_that_contains_itself_raises(device):
    endless: list = []
    endless.append(endless)
    with pytest.raises(ValueError, match="contains itself|nested|ragged"):
        xp.asarray(endless)


def test_arrays_within_sequences_are_stacked(device):
    x = xp.asarray([1.0, 2.0])
    got = xp.asarray([x, x + 1])
    assert got.tolist() == [[1.0, 2.0], [2.0, 3.0]]
    assert got.device is device


def test_arrays_and_scalars_mix_within_sequences(device):
    assert xp.asarray([xp.asarray(1.0), 2.0]).tolist() == [1.0, 2.0]


def test_arrays_of_unequal_shapes_within_a_sequence_raise(device):
    with pytest.raises(ValueError, match="shapes"):
        xp.asarray([xp.ones(2), xp.ones(3)])


# -- NumPy, buffers ---------------------------------------------------------------------------------------------------

LAYOUTS = {
    "contiguous": lambda a: a,
    "strided": lambda a: a[:, ::2],
    "reversed": lambda a: a[::-1, ::-1],
    "transposed": lambda a: a.T,
    "Fortran order": np.asfortranarray,
    "0-d": lambda a: a[1, 1],
    "empty": lambda a: a[:0],
    "broadcast": lambda a: np.broadcast_to(a[0], (3, 4)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_numpy_array_keeps_dtype_shape_and_values(device, dtype, layout):
    a = np.asarray(LAYOUTS[layout](np.arange(12).reshape(3, 4).astype(dtype)))
    x = xp.asarray(a)
    assert (x.dtype, x.shape) == (dtype, a.shape)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), a)


def test_a_numpy_array_is_shared_on_the_host():
    a = np.zeros(2)
    xp.asarray(a, device="cpu")[0] = 5.0
    assert a[0] == 5.0


def test_copy_true_shares_nothing(device):
    a = np.zeros(2)
    xp.asarray(a, copy=True)[0] = 5.0
    assert a[0] == 0.0
    x = xp.zeros(2)
    xp.asarray(x, copy=True)[0] = 5.0
    assert x.tolist() == [0.0, 0.0]


def test_copy_false_shares_what_can_be_shared():
    a = np.zeros(2)
    xp.asarray(a, device="cpu", copy=False)[0] = 5.0
    assert a[0] == 5.0
    x = xp.zeros(2)
    assert xp.asarray(x, copy=False) is x


@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (lambda: [1.0, 2.0], None),
        (lambda: 1.0, None),
        (lambda: np.ones(2), "float32"),
        (lambda: np.ones(2, dtype=">f8"), None),
        (lambda: xp.ones(2), "float32"),
        (lambda: [xp.ones(2)], None),
    ],
)
def test_copy_false_raises_where_a_copy_is_needed(make, dtype):
    with xp.use_device("cpu"), pytest.raises(ValueError, match="copy"):
        xp.asarray(make(), dtype=dtype, copy=False)


@pytest.mark.parametrize("copy", ["yes", 1, 0])
def test_a_copy_argument_of_another_type_raises(copy):
    with pytest.raises(TypeError, match="copy"):
        xp.asarray([1.0], copy=copy)


@pytest.mark.parametrize("scalar", [np.float32(1.5), np.int16(3), np.bool(True), np.complex64(1j), np.uint64(2**63)])
def test_numpy_scalars_keep_their_dtype(device, scalar):
    x = xp.asarray(scalar)
    assert (x.dtype, x.shape, x.item()) == (scalar.dtype, (), scalar.item())


@pytest.mark.parametrize(
    "dtype", ["O", "U3", "S3", "M8[s]", "m8[s]", [("a", "i4")], "longdouble" if np.longdouble(0).itemsize > 8 else "O"]
)
def test_numpy_dtypes_that_are_no_numbers_of_the_standard_raise(device, dtype):
    with pytest.raises(TypeError, match="asarray"):
        xp.asarray(np.zeros(2, dtype=dtype))


def test_a_byte_swapped_array_keeps_its_values(device):
    x = xp.asarray(np.asarray([1, 256], dtype=">i4"))
    assert (x.dtype, x.tolist()) == (xp.int32, [1, 256])


def test_a_misaligned_array_keeps_its_values(device):
    raw = np.zeros(17, dtype=np.uint8)
    raw[1:] = np.asarray([1.5, 2.5]).view(np.uint8)
    assert xp.asarray(raw[1:].view(np.float64)).tolist() == [1.5, 2.5]


def test_a_subclass_of_ndarray_becomes_a_plain_array(device):
    x = xp.asarray(np.ma.masked_array([1.0, 2.0]))
    assert x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("obj", "dtype", "values"),
    [
        (b"\x01\x02", "uint8", [1, 2]),
        (bytearray(b"\x03"), "uint8", [3]),
        (memoryview(b"\x04"), "uint8", [4]),
        (array.array("d", [1.5, 2.5]), "float64", [1.5, 2.5]),
        (array.array("i", [-1]), "int32", [-1]),
    ],
    ids=["bytes", "bytearray", "memoryview", "array of doubles", "array of ints"],
)
def test_buffers_keep_their_dtype(device, obj, dtype, values):
    x = xp.asarray(obj)
    assert (x.dtype, x.tolist()) == (np.dtype(dtype), values)


def test_a_writable_buffer_is_shared_on_the_host():
    buffer = array.array("d", [0.0])
    xp.asarray(buffer, device="cpu", copy=False)[0] = 5.0
    assert buffer[0] == 5.0


def test_a_range_becomes_integers(device):
    assert xp.asarray(range(3)).tolist() == [0, 1, 2]


def test_a_dtype_asked_for_is_given(device, dtype):
    assert xp.asarray([0, 1], dtype=dtype).dtype == dtype


def test_complex_values_do_not_become_real_silently(device):
    with pytest.raises(TypeError, match="imaginary|complex"):
        xp.asarray([1j], dtype=xp.float32)
    with pytest.raises(TypeError, match="imaginary"):
        xp.asarray(xp.asarray([1j], dtype=xp.complex64), dtype=xp.float32)


@pytest.mark.parametrize("bad", ["float99", "O", object, np.dtype("U3"), 5, np.dtype("M8[s]")])
def test_an_unknown_dtype_raises(device, bad):
    with pytest.raises(TypeError, match="dtype"):
        xp.asarray([1.0], dtype=bad)


# -- numpy.asarray ----------------------------------------------------------------------------------------------------


def test_numpy_asarray_shares_memory_on_the_host():
    x = xp.zeros(2, device="cpu")
    np.asarray(x)[0] = 5.0
    assert x.tolist() == [5.0, 0.0]


def test_numpy_asarray_with_a_dtype_casts():
    assert np.asarray(xp.ones(2, device="cpu"), dtype="int8").dtype == np.int8


def test_numpy_array_copies():
    x = xp.zeros(2, device="cpu")
    np.array(x)[0] = 5.0
    assert x.tolist() == [0.0, 0.0]


def test_numpy_asarray_without_a_copy_raises_where_it_must_cast():
    with pytest.raises(ValueError, match="copy"):
        np.asarray(xp.ones(2, device="cpu"), dtype="int8", copy=False)


# -- DLPack -----------------------------------------------------------------------------------------------------------


class Producer:
    """A DLPack producer that is nobody's array: it hands out NumPy's capsules, and notes what it was asked."""

    def __init__(self, values, place=(1, 0), old=False):
        self.values, self.place, self.old = values, place, old
        self.asked = []

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, **asked):
        self.asked.append(asked)
        if self.old and asked.keys() - {"stream"}:
            raise TypeError("unexpected keyword")
        asked.pop("stream", None)
        return self.values.__dlpack__(**asked)


def test_from_dlpack_shares_memory_on_the_host():
    a = np.zeros(2)
    xp.from_dlpack(a)[0] = 5.0
    assert a[0] == 5.0


def test_from_dlpack_lands_where_the_producer_is(device):
    assert xp.from_dlpack(np.ones(1)).device.dlpack_device == (1, 0)


def test_from_dlpack_asks_no_other_backend_where_the_default_device_has_the_memory(monkeypatch):
    monkeypatch.setattr(_interchange, "devices", lambda: pytest.fail("all devices were asked for"))
    with xp.use_device("cpu"):
        assert xp.from_dlpack(np.ones(1)).device == xp.device("cpu")


def test_from_dlpack_to_a_device(device):
    x = xp.from_dlpack(np.asarray([1.0, 2.0]), device=device)
    assert (x.device, x.tolist()) == (device, [1.0, 2.0])


def test_from_dlpack_with_copy_shares_nothing():
    a = np.zeros(2)
    xp.from_dlpack(a, copy=True)[0] = 5.0
    assert a[0] == 0.0


def test_from_dlpack_of_an_array_gives_its_values(device):
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(x)
    assert (y.device, y.tolist()) == (device, [1.0, 2.0])


def test_from_dlpack_of_a_producer_that_knows_the_oldest_protocol_only():
    producer = Producer(np.asarray([1.0, 2.0]), old=True)
    assert xp.from_dlpack(producer).tolist() == [1.0, 2.0]


def test_asarray_takes_any_producer():
    assert xp.asarray(Producer(np.asarray([1.0, 2.0]))).tolist() == [1.0, 2.0]


def test_asarray_of_a_producer_casts_and_copies_as_asked():
    a = np.asarray([1.0, 2.0])
    x = xp.asarray(Producer(a), dtype=xp.float32, copy=True)
    assert x.dtype == xp.float32
    xp.asarray(Producer(a), copy=True)[0] = 9.0
    assert a[0] == 1.0


@pytest.mark.parametrize("obj", [[1.0], 1.0, None, "text", object()])
def test_from_dlpack_of_what_is_no_producer_raises_attributeerror(obj):
    with pytest.raises(AttributeError, match="__dlpack__"):
        xp.from_dlpack(obj)


def test_from_dlpack_of_an_unknown_device_raises_buffererror():
    with pytest.raises(BufferError, match=r"\(99, 0\)"):
        xp.from_dlpack(Producer(np.ones(1), place=(99, 0)))


def test_from_dlpack_passes_on_the_producers_buffererror():
    class Refusing(Producer):
        def __dlpack__(self, **asked):
            raise BufferError("these bits are not for sale")

    with pytest.raises(BufferError, match="not for sale"):
        xp.from_dlpack(Refusing(np.ones(1)))


def test_dlpack_device_is_the_devices(device):
    assert xp.ones(1).__dlpack_device__() == device.dlpack_device


def test_numpy_takes_a_capsule_of_any_device(device):
    np.testing.assert_array_equal(np.from_dlpack(HostView(xp.asarray([1.0, 2.0]))), [1.0, 2.0])


class HostView:
    """What NumPy asks of an array off the host: its capsule there."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **asked):
        return self.x.__dlpack__(**{**asked, "dl_device": (1, 0)})


def test_a_capsule_of_a_host_array_shares_its_memory():
    x = xp.zeros(2, device="cpu")
    np.from_dlpack(x)[0] = 5.0
    assert x.tolist() == [5.0, 0.0]


def test_a_capsule_with_copy_shares_nothing():
    x = xp.zeros(2, device="cpu")
    np.from_dlpack(x, copy=True)[0] = 5.0
    assert x.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 1), (2, 0)])
def test_the_capsule_is_of_a_version_the_consumer_knows(version):
    capsule = xp.ones(1, device="cpu").__dlpack__(max_version=version)
    name = "dltensor_versioned" if version and version[0] >= 1 else "dltensor"
    assert f'"{name}"' in repr(capsule)


def test_a_capsule_for_a_device_it_cannot_reach_raises_buffererror(device):
    with pytest.raises(BufferError, match=r"\(99, 0\)"):
        xp.ones(1).__dlpack__(dl_device=(99, 0))


def test_a_capsule_on_the_host_without_a_copy_raises_where_the_host_cannot_see_the_memory(device):
    x = xp.ones(1)
    if device.host or device._library.host_view(x._native) is not None:
        assert x.__dlpack__(dl_device=(1, 0), copy=False) is not None
    else:
        with pytest.raises(BufferError, match="copy"):
            x.__dlpack__(dl_device=(1, 0), copy=False)


def test_a_stream_on_the_host_raises():
    with pytest.raises(ValueError, match="stream"):
        xp.ones(1, device="cpu").__dlpack__(stream=1)


@pytest.mark.parametrize("dl_device", [1, "cpu", (1,), (1, 0, 0), ("a", "b")])
def test_a_dl_device_of_another_form_raises(dl_device):
    with pytest.raises(TypeError, match="dl_device"):
        xp.ones(1, device="cpu").__dlpack__(dl_device=dl_device)


def test_a_read_only_array_is_exported_with_its_flag():
    a = np.ones(2)
    a.flags.writeable = False
    b = np.from_dlpack(xp.asarray(a, device="cpu"))
    assert not b.flags.writeable


def test_special_values_survive_the_exchange(device):
    values = [math.nan, math.inf, -math.inf, -0.0, 5e-324]
    a = np.asarray(values)
    if a.dtype not in device.dtypes:
        a = a.astype(np.float32)
    back = np.asarray(xp.from_dlpack(a, device=device).to_device("cpu"))
    np.testing.assert_array_equal(back.view(f"u{a.itemsize}"), a.view(f"u{a.itemsize}"))
