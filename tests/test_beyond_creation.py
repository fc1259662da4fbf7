"""Numbers on a logarithmic scale, packed bits and equality of arrays: NumPy's results on every device."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy_calls import compare, compare_errors, sample
from strategies import dtypes_of, expect, operands, shapes

import xtensor as xp

SCALES = {
    "logspace": lambda np: np.logspace(0, 3, 7),
    "logspace of 50": lambda np: np.logspace(-2.5, 2),
    "logspace without the end": lambda np: np.logspace(2.0, 3.0, num=4, endpoint=False),
    "logspace of base 2": lambda np: np.logspace(0, 10, 11, base=2),
    "logspace of a dtype": lambda np: np.logspace(0, 3, 4, dtype="float32"),
    "logspace of integers": lambda np: np.logspace(0, 10, 11, base=2.0, dtype="int64"),
    "logspace of a complex end": lambda np: np.logspace(0, 1j, 4),
    "logspace of one": lambda np: np.logspace(1, 2, 1),
    "logspace of none": lambda np: np.logspace(1, 2, 0),
    "logspace of lists": lambda np: np.logspace([0.0, 1.0], [2.0, 3.0], 4),
    "logspace of bases": lambda np: np.logspace(0, 3, 4, base=[2.0, 3.0], axis=-1),
    "geomspace": lambda np: np.geomspace(1, 1000, num=4),
    "geomspace of 50": lambda np: np.geomspace(0.1, 20.0),
    "geomspace without the end": lambda np: np.geomspace(1, 1000, 3, endpoint=False),
    "geomspace downwards": lambda np: np.geomspace(256, 1, num=9, dtype="float32"),
    "geomspace of negative numbers": lambda np: np.geomspace(-1000, -1, 4),
    "geomspace of imaginary numbers": lambda np: np.geomspace(1j, 1000j, 4),
    "geomspace of a spiral": lambda np: np.geomspace(-1 + 0j, 1 + 0j, 5),
    "geomspace of lists": lambda np: np.geomspace([1.0, 2.0], [[100.0], [50.0]], 5, axis=1),
    "geomspace of one": lambda np: np.geomspace(3, 9, 1),
    "geomspace of none": lambda np: np.geomspace(3, 9, 0),
}


@pytest.mark.parametrize("name", SCALES)
def test_scale_matches_numpy(device, name):
    expect(SCALES[name](xp), SCALES[name](np), ulp=64, atol=1e-12, signs=False)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "complex128"])
def test_scale_of_arrays_matches_numpy(device, dtype):
    ends = np.asarray([1, 2, 3]).astype(dtype), np.asarray([[2], [4]]).astype(dtype)
    tolerance = {"ulp": 64, "atol": 1e-12, "signs": False}
    compare(lambda np, a, b: np.logspace(a, b, 5, axis=1), *ends, **tolerance)
    compare(lambda np, a, b: np.logspace(a, 3, 4, endpoint=False, axis=-1), *ends, **tolerance)
    compare(lambda np, a, b: np.logspace(0, 2, 3, base=np.reshape(b[0, :], ())), *ends, **tolerance)
    compare(lambda np, a, b: np.logspace(0, 2, 3, base=a), *ends, **tolerance)
    compare(lambda np, a, b: np.geomspace(a, b, 5, axis=-1), *ends, **tolerance)
    compare(lambda np, a, b: np.geomspace(1, b, 6), *ends, **tolerance)


def test_scale_is_on_the_device_that_is_asked_for(device):
    assert xp.logspace(0, 1, device="cpu").device is xp.device("cpu")
    assert xp.geomspace(1, 2, device="cpu").device is xp.device("cpu")
    assert xp.logspace(xp.asarray(0.0, device="cpu"), 1).device is xp.device("cpu")


@given(data=st.data(), bitorder=st.sampled_from(["big", "little"]))
def test_packed_bits_match_numpy(device, data, bitorder):
    dtype = data.draw(st.sampled_from(dtypes_of(device, "biu")))
    host, x = data.draw(operands(dtype, data.draw(shapes(1, 3, 0, 11))))
    axis = data.draw(st.none() | st.integers(-host.ndim, host.ndim - 1))
    expect(xp.packbits(x, axis, bitorder), np.packbits(host, axis, bitorder))


@given(data=st.data(), bitorder=st.sampled_from(["big", "little"]))
def test_unpacked_bits_match_numpy(device, data, bitorder):
    host, x = data.draw(operands(np.dtype("uint8"), data.draw(shapes(1, 3, 0, 3)), st.integers(0, 255)))
    axis = data.draw(st.none() | st.integers(-host.ndim, host.ndim - 1))
    length = 8 * (host.size if axis is None else host.shape[axis])
    # NumPy does not set the bits beyond an empty array.
    count = data.draw(st.none() | st.integers(-length, length + 9 if host.size else 0))
    expect(xp.unpackbits(x, axis, count, bitorder), np.unpackbits(host, axis, count, bitorder))


def test_bits_of_a_number_match_numpy(device):
    compare(lambda np, x: [np.packbits(x), np.unpackbits(x), np.packbits([x, 0, 7])], np.asarray(5, dtype="uint8"))


EQUALITIES = [
    (lambda np, x: np.array_equal(x, x)),
    (lambda np, x: np.array_equal(x, x, equal_nan=True)),
    (lambda np, x: np.array_equal(x, x[:1, :])),
    (lambda np, x: np.array_equal(x, np.zeros_like(x), True)),
    (lambda np, x: np.array_equal([[1, 2], [3, 4]], x)),
    (lambda np, x: np.array_equiv(x, x[:1, :])),
    (lambda np, x: np.array_equiv(x[:1, :], np.stack([x[0, :], x[0, :]]))),
    (lambda np, x: np.array_equiv(x, [1, 2, 3])),
    (lambda np, x: np.array_equiv(x[:0, :], 5)),
    (lambda np, x: np.array_equiv(x[0, 0], [[x[0, 0], x[0, 0]]])),
]


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int32", "uint8", "bool"])
@pytest.mark.parametrize("number", range(len(EQUALITIES)))
@pytest.mark.parametrize("special", [False, True], ids=["plain", "nan"])
def test_equality_matches_numpy(device, number, dtype, special):
    compare(EQUALITIES[number], sample((2, 4), dtype, special=special))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1, 2], [1.0, 2.0]),
        ([True, False], [1, 0]),
        ([1, 0], [1 + 0j, 0j]),
        (np.asarray([-1, 2]), np.asarray([2**64 - 1, 2], dtype="uint64")),
        (np.asarray([2**53 + 1, 2]), np.asarray([2**53 + 1, 2], dtype="uint64")),
        (np.asarray([1, 2], dtype="int8"), np.asarray([1, 2], dtype="uint16")),
        ([math.nan, 1.0], [math.nan, 1.0]),
    ],
    ids=str,
)
def test_equality_of_different_dtypes_matches_numpy(device, a, b):
    for call in (lambda np, x, y: np.array_equal(x, y), lambda np, x, y: np.array_equiv(x, y)):
        compare(call, np.asarray(a), np.asarray(b))
    compare(lambda np, x, y: np.array_equal(x, y, equal_nan=True), np.asarray(a), np.asarray(b))


ERRORS = [
    (lambda np, x: np.logspace(0, 1, -1), ValueError, "Number of samples, -1, must be non-negative."),
    (lambda np, x: np.geomspace(1, 2, -1), ValueError, "Number of samples, -1, must be non-negative."),
    (lambda np, x: np.geomspace(0, x), ValueError, "Geometric sequence cannot include zero"),
    (lambda np, x: np.logspace(0, 1, 1.5), TypeError, ""),
    (lambda np, x: np.packbits(x), TypeError, "Expected an input array of integer or boolean data type"),
    (lambda np, x: np.packbits(x > 0, bitorder="up"), ValueError, "'order' must be either 'little' or 'big'"),
    (lambda np, x: np.unpackbits(x), TypeError, "Expected an input array of unsigned byte data type"),
    (lambda np, x: np.unpackbits(np.packbits(x > 0), count=-9), ValueError, "-count larger than number of elements"),
    (lambda np, x: np.packbits(x > 0, axis=5), ValueError, "axis 5 is out of bounds for array of dimension 1"),
]


@pytest.mark.parametrize(("call", "error", "words"), ERRORS, ids=[words for _, _, words in ERRORS])
def test_error_has_the_words_of_numpy(device, call, error, words):
    compare_errors(call, error, words, np.asarray([1.0, 2.0]))


def test_no_array_equals_none_or_text(device):
    compare(lambda np, x: [np.array_equal(x, None), np.array_equal("a", x), np.array_equiv(None, x)], np.asarray([1.0]))


def test_equality_of_values_that_are_no_arrays_is_refused(device):
    for function in (xp.array_equal, xp.array_equiv):
        with pytest.raises(TypeError, match="at least one xtensor Array"):
            function("a", None)
