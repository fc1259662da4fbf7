"""asarray and DLPack: dtypes, values, memory sharing and refusals of conversions to and from Arrays."""

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
    """Each dtype that the device supports."""
    parameter = np.dtype(request.param)
    if parameter not in device.dtypes:
        pytest.skip(f"{device} does not support {parameter}")
    return parameter


def defaults(device):
    return xp.__array_namespace_info__().default_dtypes(device=device)


# -- Python scalars and sequences -------------------------------------------------------------------------------------


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
def test_python_scalars_convert_to_the_default_dtype_of_their_kind(device, obj, kind):
    expected = defaults(device)[kind] if kind else np.dtype(bool)
    x = xp.asarray(obj)
    assert x.dtype == expected
    assert x.tolist() == (list(obj) if isinstance(obj, tuple) else obj)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, [1, 2**64]])
def test_integer_out_of_bounds_for_int64_raises(device, value):
    with pytest.raises(OverflowError, match="int64"):
        xp.asarray(value)


def test_integer_out_of_bounds_for_int64_converts_to_uint64_exactly(device):
    assert xp.asarray(2**63 + 1, dtype=xp.uint64).item() == 2**63 + 1


def test_integer_out_of_bounds_for_the_dtype_raises(device):
    with pytest.raises(OverflowError, match="^Python integer 300 out of bounds for uint8.*asarray"):
        xp.asarray(300, dtype=xp.uint8)


@pytest.mark.parametrize("obj", [[[1, 2], [3]], [1, [2]], [[1], 2.0]])
def test_ragged_sequences_raise(device, obj):
    with pytest.raises(ValueError, match="^setting an array element with a sequence.*asarray.*ragged"):
        xp.asarray(obj)


@pytest.mark.parametrize("obj", [None, "text", ["a"], {1: 2}, {1, 2}, object(), [object()], [None], Ellipsis, int])
def test_non_numeric_object_raises(device, obj):
    with pytest.raises((TypeError, ValueError), match="asarray"):
        xp.asarray(obj)


def test_a_list_that_contains_itself_raises(device):
    recursive: list = []
    recursive.append(recursive)
    with pytest.raises(ValueError, match="contains itself"):
        xp.asarray(recursive)


def test_sequence_of_arrays_is_stacked(device):
    x = xp.asarray([1.0, 2.0])
    result = xp.asarray([x, x + 1])
    assert result.tolist() == [[1.0, 2.0], [2.0, 3.0]]
    assert result.device is device


def test_sequence_of_arrays_and_scalars_is_stacked(device):
    assert xp.asarray([xp.asarray(1.0), 2.0]).tolist() == [1.0, 2.0]


def test_sequence_of_arrays_of_unequal_shapes_raises(device):
    with pytest.raises(ValueError, match=r"^all input arrays must have the same shape.*\(2,\), \(3,\)"):
        xp.asarray([xp.ones(2), xp.ones(3)])


# -- NumPy arrays and buffers -----------------------------------------------------------------------------------------

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
def test_numpy_array_preserves_dtype_shape_and_values(device, dtype, layout):
    a = np.asarray(LAYOUTS[layout](np.arange(12).reshape(3, 4).astype(dtype)))
    x = xp.asarray(a)
    assert (x.dtype, x.shape) == (dtype, a.shape)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), a)


def test_numpy_array_shares_memory_on_the_host():
    a = np.zeros(2)
    xp.asarray(a, device="cpu")[0] = 5.0
    assert a[0] == 5.0


def test_copy_true_shares_no_memory(device):
    a = np.zeros(2)
    xp.asarray(a, copy=True)[0] = 5.0
    assert a[0] == 0.0
    x = xp.zeros(2)
    xp.asarray(x, copy=True)[0] = 5.0
    assert x.tolist() == [0.0, 0.0]


def test_copy_false_shares_memory():
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
def test_copy_false_raises_if_a_copy_is_necessary(make, dtype):
    with xp.use_device("cpu"), pytest.raises(ValueError, match="^Unable to avoid copy.*asarray.*copy=None"):
        xp.asarray(make(), dtype=dtype, copy=False)


@pytest.mark.parametrize("copy", ["yes", 1, 0])
def test_copy_argument_of_another_type_raises(copy):
    with pytest.raises(TypeError, match="copy"):
        xp.asarray([1.0], copy=copy)


@pytest.mark.parametrize("scalar", [np.float32(1.5), np.int16(3), np.bool(True), np.complex64(1j), np.uint64(2**63)])
def test_numpy_scalar_preserves_dtype(device, scalar):
    x = xp.asarray(scalar)
    assert (x.dtype, x.shape, x.item()) == (scalar.dtype, (), scalar.item())


@pytest.mark.parametrize(
    "dtype", ["O", "U3", "S3", "M8[s]", "m8[s]", [("a", "i4")], "longdouble" if np.longdouble(0).itemsize > 8 else "O"]
)
def test_unsupported_numpy_dtype_raises(device, dtype):
    with pytest.raises(TypeError, match="asarray"):
        xp.asarray(np.zeros(2, dtype=dtype))


def test_byte_swapped_array_preserves_values(device):
    x = xp.asarray(np.asarray([1, 256], dtype=">i4"))
    assert (x.dtype, x.tolist()) == (xp.int32, [1, 256])


def test_misaligned_array_preserves_values(device):
    raw = np.zeros(17, dtype=np.uint8)
    raw[1:] = np.asarray([1.5, 2.5]).view(np.uint8)
    assert xp.asarray(raw[1:].view(np.float64)).tolist() == [1.5, 2.5]


class InUnits:
    """Stand-in for a quantity that is no NumPy array, as pint's."""

    units = "km"

    def __array__(self, dtype=None, copy=None):
        return np.ones(2)


@pytest.mark.parametrize(
    "obj",
    [
        np.ma.masked_array([1.0, 2.0], mask=[False, True]),
        np.ma.masked,
        np.ones((1, 2)).view(np.matrix),
        np.ones(2).view(np.recarray),
        InUnits(),
    ],
    ids=["masked array", "masked", "matrix", "record", "units"],
)
def test_array_that_means_more_than_its_numbers_is_refused(device, obj):
    with pytest.raises(TypeError, match="more than its numbers"):
        xp.asarray(obj)
    with pytest.raises(TypeError, match="more than its numbers"):
        xp.asarray([obj, obj])
    with pytest.raises(TypeError, match="more than its numbers"):
        xp.from_dlpack(obj)


def test_numbers_alone_of_a_masked_array_are_converted(device):
    masked = np.ma.masked_array([1.0, 2.0], mask=[False, True])
    assert xp.asarray(masked.filled(0.0)).tolist() == [1.0, 0.0]
    assert xp.asarray(np.asarray(masked)).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("protocol", ["__array__", "__array_interface__"])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "complex64"])
def test_dtype_of_another_librarys_array_is_preserved(device, protocol, dtype):
    values = np.ones(3, dtype=dtype)
    answers = {
        "__array__": lambda self, dtype=None, copy=None: values,
        "__array_interface__": values.__array_interface__,
    }
    other = type("Other", (), {protocol: answers[protocol]})()
    assert xp.asarray(other).dtype == dtype
    assert xp.asarray([other, other]).dtype == dtype


def test_memory_map_is_converted(device, tmp_path):
    (tmp_path / "values").write_bytes(np.arange(3.0).tobytes())
    assert xp.asarray(np.memmap(tmp_path / "values", dtype=np.float64, mode="r")).tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("dtype", [None, "float32", "int64"])
def test_time_is_refused(device, dtype):
    for obj in (np.timedelta64(3, "s"), np.datetime64("2000-01-01"), np.asarray([3], dtype="m8[s]")):
        with pytest.raises(TypeError, match="booleans and numbers"):
            xp.asarray(obj, dtype=None if dtype is None else getattr(xp, dtype))


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
def test_buffer_preserves_dtype_and_values(device, obj, dtype, values):
    x = xp.asarray(obj)
    assert (x.dtype, x.tolist()) == (np.dtype(dtype), values)


class Converted:
    """Object that NumPy reads through ``__array__``, as a pandas Series."""

    def __array__(self, dtype=None, copy=None):
        return np.asarray([1.5, 2.5], dtype=np.float32)


class Described:
    """Object that NumPy reads through ``__array_interface__``, as an image of Pillow."""

    values = np.asarray([1, 2], dtype=np.uint8)
    __array_interface__ = values.__array_interface__


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (Converted(), np.asarray([1.5, 2.5], dtype=np.float32)),
        (Described(), np.asarray([1, 2], dtype=np.uint8)),
        ([Converted(), Converted()], np.asarray([[1.5, 2.5], [1.5, 2.5]], dtype=np.float32)),
    ],
    ids=["__array__", "__array_interface__", "list of them"],
)
def test_object_that_numpy_reads_as_an_array_preserves_its_dtype(device, obj, expected):
    x = xp.asarray(obj)
    assert x.dtype == expected.dtype
    assert x.tolist() == expected.tolist()


def test_writable_buffer_shares_memory_on_the_host():
    buffer = array.array("d", [0.0])
    xp.asarray(buffer, device="cpu", copy=False)[0] = 5.0
    assert buffer[0] == 5.0


def test_range_converts_to_integers(device):
    assert xp.asarray(range(3)).tolist() == [0, 1, 2]


def test_dtype_argument_determines_the_dtype(device, dtype):
    assert xp.asarray([0, 1], dtype=dtype).dtype == dtype


def test_complex_values_with_a_real_dtype_raise(device):
    with pytest.raises(TypeError, match="imaginary|complex"):
        xp.asarray([1j], dtype=xp.float32)
    with pytest.raises(TypeError, match="imaginary"):
        xp.asarray(xp.asarray([1j], dtype=xp.complex64), dtype=xp.float32)


@pytest.mark.parametrize("bad", ["float99", "O", object, np.dtype("U3"), 5, np.dtype("M8[s]")])
def test_unknown_dtype_raises(device, bad):
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


def test_numpy_asarray_with_copy_false_raises_if_it_casts():
    with pytest.raises(ValueError, match="copy"):
        np.asarray(xp.ones(2, device="cpu"), dtype="int8", copy=False)


# -- DLPack -----------------------------------------------------------------------------------------------------------


class Producer:
    """A DLPack producer of an unknown class that exports NumPy capsules.

    With ``stream_only``, ``__dlpack__`` has the signature of the protocol before version 1.0.
    """

    def __init__(self, values, dlpack_device=(1, 0), stream_only=False):
        self.values, self.dlpack_device, self.stream_only = values, dlpack_device, stream_only

    def __dlpack_device__(self):
        return self.dlpack_device

    def __dlpack__(self, **options):
        if self.stream_only and options.keys() - {"stream"}:
            raise TypeError("unexpected keyword")
        options.pop("stream", None)
        return self.values.__dlpack__(**options)


def test_from_dlpack_shares_memory_on_the_host():
    a = np.zeros(2)
    xp.from_dlpack(a)[0] = 5.0
    assert a[0] == 5.0


def test_from_dlpack_defaults_to_the_device_of_the_producer(device):
    assert xp.from_dlpack(np.ones(1)).device.dlpack_device == (1, 0)


def test_from_dlpack_queries_no_other_backend_if_the_default_device_owns_the_memory(monkeypatch):
    monkeypatch.setattr(_interchange, "devices", lambda: pytest.fail("all devices were listed"))
    with xp.use_device("cpu"):
        assert xp.from_dlpack(np.ones(1)).device == xp.device("cpu")


def test_from_dlpack_to_a_device(device):
    x = xp.from_dlpack(np.asarray([1.0, 2.0]), device=device)
    assert (x.device, x.tolist()) == (device, [1.0, 2.0])


def test_from_dlpack_with_copy_shares_no_memory():
    a = np.zeros(2)
    xp.from_dlpack(a, copy=True)[0] = 5.0
    assert a[0] == 0.0


def test_from_dlpack_of_an_array_preserves_device_and_values(device):
    x = xp.asarray([1.0, 2.0])
    y = xp.from_dlpack(x)
    assert (y.device, y.tolist()) == (device, [1.0, 2.0])


def test_from_dlpack_of_a_producer_without_keyword_arguments():
    producer = Producer(np.asarray([1.0, 2.0]), stream_only=True)
    assert xp.from_dlpack(producer).tolist() == [1.0, 2.0]


def test_asarray_of_a_producer():
    assert xp.asarray(Producer(np.asarray([1.0, 2.0]))).tolist() == [1.0, 2.0]


def test_asarray_of_a_producer_with_dtype_and_copy():
    a = np.asarray([1.0, 2.0])
    x = xp.asarray(Producer(a), dtype=xp.float32, copy=True)
    assert x.dtype == xp.float32
    xp.asarray(Producer(a), copy=True)[0] = 9.0
    assert a[0] == 1.0


@pytest.mark.parametrize("obj", [[1.0], 1.0, None, "text", object()])
def test_from_dlpack_without_a_producer_raises_attributeerror(obj):
    with pytest.raises(AttributeError, match="__dlpack__"):
        xp.from_dlpack(obj)


def test_from_dlpack_of_an_unknown_device_raises_buffererror():
    with pytest.raises(BufferError, match=r"\(99, 0\)"):
        xp.from_dlpack(Producer(np.ones(1), dlpack_device=(99, 0)))


def test_from_dlpack_propagates_the_producers_buffererror():
    class Refusing(Producer):
        def __dlpack__(self, **options):
            raise BufferError("export is not possible")

    with pytest.raises(BufferError, match="export is not possible"):
        xp.from_dlpack(Refusing(np.ones(1)))


def test_dlpack_device_of_an_array_is_that_of_its_device(device):
    assert xp.ones(1).__dlpack_device__() == device.dlpack_device


def test_numpy_reads_a_host_capsule_of_any_device(device):
    np.testing.assert_array_equal(np.from_dlpack(HostView(xp.asarray([1.0, 2.0]))), [1.0, 2.0])


class HostView:
    """Request a host capsule of an Array on any device, as a consumer on the host does."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**{**options, "dl_device": (1, 0)})


def test_capsule_of_a_host_array_shares_memory():
    x = xp.zeros(2, device="cpu")
    np.from_dlpack(x)[0] = 5.0
    assert x.tolist() == [5.0, 0.0]


def test_capsule_with_copy_shares_no_memory():
    x = xp.zeros(2, device="cpu")
    np.from_dlpack(x, copy=True)[0] = 5.0
    assert x.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 1), (2, 0)])
def test_capsule_version_is_limited_by_max_version(version):
    capsule = xp.ones(1, device="cpu").__dlpack__(max_version=version)
    name = "dltensor_versioned" if version and version[0] >= 1 else "dltensor"
    assert f'"{name}"' in repr(capsule)


def test_capsule_for_an_unreachable_device_raises_buffererror(device):
    with pytest.raises(BufferError, match=r"\(99, 0\)"):
        xp.ones(1).__dlpack__(dl_device=(99, 0))


def test_host_capsule_without_a_copy_requires_host_accessible_memory(device):
    x = xp.ones(1)
    if device.host or device._library.lazy or device._library.host_view(x._native) is not None:
        # An engine's array has no memory: computed values are no copy.
        assert x.__dlpack__(dl_device=(1, 0), copy=False) is not None
    else:
        with pytest.raises(BufferError, match="copy"):
            x.__dlpack__(dl_device=(1, 0), copy=False)


def test_stream_on_the_host_raises():
    with pytest.raises(ValueError, match="stream"):
        xp.ones(1, device="cpu").__dlpack__(stream=1)


@pytest.mark.parametrize("dl_device", [1, "cpu", (1,), (1, 0, 0), ("a", "b")])
def test_malformed_dl_device_raises(dl_device):
    with pytest.raises(TypeError, match="dl_device"):
        xp.ones(1, device="cpu").__dlpack__(dl_device=dl_device)


def test_read_only_array_is_exported_read_only():
    a = np.ones(2)
    a.flags.writeable = False
    b = np.from_dlpack(xp.asarray(a, device="cpu"))
    assert not b.flags.writeable


def test_special_values_round_trip_bit_for_bit(device):
    values = [math.nan, math.inf, -math.inf, -0.0, 5e-324]
    a = np.asarray(values)
    if a.dtype not in device.dtypes:
        a = a.astype(np.float32)
    result = np.asarray(xp.from_dlpack(a, device=device).to_device("cpu"))
    np.testing.assert_array_equal(result.view(f"u{a.itemsize}"), a.view(f"u{a.itemsize}"))


@pytest.mark.parametrize(
    "values",
    [
        [1.5],
        (1.5, -0.0, float("nan"), float("inf")),
        [1, -(2**63), 2**63 - 1],
        [True, False],
        [1, 2.5],
        [1.5, np.float32(0.1)],
        [1, np.int8(3)],
        [0, 2**63],
    ],
    ids=str,
)
def test_list_of_numbers_has_the_values_and_dtype_of_its_elements(device, values):
    numbers = [value for value in values if type(value) in (int, float)]
    if any(value == 2**63 for value in numbers):
        with pytest.raises(OverflowError, match="out of bounds for int64"):
            xp.asarray(values, device=device)
        return
    x = xp.asarray(values, device=device)
    if len(numbers) == len(values):
        kind = "real floating" if any(type(value) is float for value in values) else "integral"
        assert x.dtype == device.default_dtypes[kind]
    np.testing.assert_array_equal(xp.to_numpy(x), np.asarray(values, dtype=x.dtype), strict=True)
