"""Python's sequences of numbers beside Arrays: operands as in NumPy, whichever of the two Python asks first."""

from __future__ import annotations

import operator
from array import array
from collections import deque

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd

SEQUENCES = {
    "list": lambda: [3, 0, 2],
    "tuple": lambda: (3, 0, 2),
    "range": lambda: range(3),
    "deque": lambda: deque([3, 0, 2]),
    "array": lambda: array("q", [3, 0, 2]),
    "bytearray": lambda: bytearray([3, 0, 2]),
    "memoryview": lambda: memoryview(bytes([3, 0, 2])),
}

COMPARISONS = ("lt", "ge", "eq", "ne")

OPERATORS = ("add", "mul", "sub", "and_", *COMPARISONS, "iadd", "imul", "matmul")

NUMBERS = [3, 1, 2]


READ_BUFFERS = ("bytearray", "memoryview")
"""Classes that compare the bytes of any buffer where they are the first operand, also those of NumPy's arrays."""


@pytest.mark.parametrize(
    ("case", "name", "reflected"),
    [
        (case, name, reflected)
        for case in SEQUENCES
        for name in OPERATORS
        for reflected in (False, True)
        if not (case in READ_BUFFERS and name in COMPARISONS and reflected)
    ],
)
def test_a_sequence_is_an_operand(device, case, name, reflected):
    # Python 3.12 and newer would let a bytearray read an Array as bytes: their sum was the bytes of both.
    function, sequence = getattr(operator, name), SEQUENCES[case]()
    arrays = np.asarray(NUMBERS), np.asarray(sequence)
    expected = getattr(operator, name.removeprefix("i"))(*(arrays[::-1] if reflected else arrays))
    operands = (sequence, xp.asarray(NUMBERS)) if reflected else (xp.asarray(NUMBERS), sequence)
    if device.name == "strict":
        with pytest.raises(TypeError, match="takes Arrays"):
            function(*operands)
    else:
        result = function(*operands)
        assert result.device is device
        assert result.tolist() == expected.tolist()


@pytest.mark.parametrize("case", SEQUENCES)
def test_functions_and_assignments_take_a_sequence(device, case):
    if device.name == "strict":
        pytest.skip("the device strict takes Arrays alone")
    sequence = SEQUENCES[case]()
    x, items = xp.asarray(NUMBERS), list(sequence)
    assert xp.maximum(x, sequence).tolist() == np.maximum(NUMBERS, items).tolist()
    assert xp.where(x > 1, x, sequence).tolist() == np.where(np.asarray(NUMBERS) > 1, NUMBERS, items).tolist()
    assert xp.isin(x, sequence).tolist() == np.isin(NUMBERS, items).tolist()
    assert np.add(x, sequence).tolist() == np.add(NUMBERS, items).tolist()
    assert not xp.allclose(x, sequence)
    with pytest.raises(ValueError, match="fill"):
        x.fill(sequence)
    x[:] = sequence
    assert x.tolist() == items
    assert sequence in xp.reshape(x, (1, 3))


@pytest.mark.parametrize("case", ["bytes", "subclass of bytes"])
def test_bytes_are_no_operand(device, case):
    class Text(bytes):
        pass

    text = b"ab" if case == "bytes" else Text(b"ab")
    for x in (xp.asarray([1, 2]), xp.asarray(1)):
        for first, second in ((text, x), (x, text)):
            with pytest.raises(TypeError, match="bytes|Text"):
                operator.add(first, second)
            with pytest.raises(TypeError, match="bytes|Text"):
                operator.iadd(first, second)
            assert (first == second) is False


def test_later_changes_of_a_sequence_have_no_effect(device):
    if device.name == "strict":
        pytest.skip("the device strict takes Arrays alone")
    factors = array("d", [2.0, 3.0])
    product, pull = autograd.vjp(lambda x: x * factors, xp.asarray([1.0, 1.0]))
    factors[0] = 100.0
    assert product.tolist() == [2.0, 3.0]
    assert pull(xp.ones(2))[0].tolist() == [2.0, 3.0]


def test_a_fused_function_sees_the_numbers_of_each_call(device):
    if device.name == "strict":
        pytest.skip("the device strict takes Arrays alone")
    outside = array("d", [1.0, 2.0])
    fused, global_one = xp.fuse(lambda x, y: x + y), xp.fuse(lambda x: x + outside)
    x = xp.asarray([10.0, 20.0])
    for values in ([1.0, 2.0], [3.0, 4.0]):
        outside[:] = array("d", values)
        assert fused(x, outside).tolist() == [10 + values[0], 20 + values[1]]
        assert global_one(x).tolist() == [10 + values[0], 20 + values[1]]


@pytest.mark.parametrize("dtype", [np.longlong, np.ulonglong])
def test_longlong_is_int64(device, dtype):
    # Two dtypes of NumPy are equal where a long has 64 bits, and Zarr knows one of them.
    name = np.dtype(dtype).name
    x, y = xp.asarray(np.asarray(NUMBERS, dtype)), xp.ones(3, dtype=dtype)
    for result in (
        x + y,
        xp.astype(x, dtype) @ y,
        xp.sort(x),
        xp.zeros_like(x, dtype=dtype),
        xp.asarray(NUMBERS, dtype=dtype),
    ):
        assert str(result.dtype) == name
    assert (x + y).tolist() == [4, 2, 3]
    assert xp.sort(x).tolist() == [1, 2, 3]
