"""Calls of kernels of machine code with Python's objects."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import struct
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)
if sys.implementation.name != "cpython" or sys.maxsize < 1 << 32:
    pytest.skip("needs CPython's objects and 64 bits", allow_module_level=True)

from xtensor_backends.llvm import _compile, _runtime

COPY = """
; Copies operands 1, 2, … to the array that operand 0 is; their number is operand 1. Returns minus their number.
define i64 @copy(ptr %operands) nounwind {
entry:
  %to = load ptr, ptr %operands
  %first = getelementptr i64, ptr %operands, i64 1
  %count = load i64, ptr %first
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %from.place = getelementptr i64, ptr %first, i64 %i
  %value = load i64, ptr %from.place
  %to.place = getelementptr i64, ptr %to, i64 %i
  store i64 %value, ptr %to.place
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  %result = sub i64 0, %count
  ret i64 %result
}
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    os.environ["XTENSOR_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    yield _compile.compile_module(COPY, ["copy"])["copy"]
    del os.environ["XTENSOR_CACHE_DIR"]


PLAIN = {"locked": _runtime._caller(ctypes.PYFUNCTYPE), "unlocked": _runtime._caller(ctypes.CFUNCTYPE)}
"""The functions of Python, which compute where there is no compiled module."""


@pytest.fixture(
    params=[_runtime.call, _runtime.call_unlocked, *PLAIN.values()],
    ids=["locked", "unlocked", *map("plain {}".format, PLAIN)],
)
def call(request):
    return request.param


def received(call, kernel, *operands):
    """Integers of 64 bits that a kernel gets for operands."""
    values = np.zeros(len(operands) + 1, dtype=np.int64)
    assert call(kernel, values, len(operands) + 1, *operands) == -len(operands) - 1
    assert values[0] == len(operands) + 1
    return values[1:].tolist()


def test_array_is_the_address_of_its_elements(call, kernel):
    array = np.arange(10.0)
    views = array, array[3:], array[::-1]
    assert received(call, kernel, *views) == [view.__array_interface__["data"][0] for view in views]


def test_integer_is_itself(call, kernel):
    assert received(call, kernel, 0, -1, 2**63 - 1, -(2**63), True) == [0, -1, 2**63 - 1, -(2**63), 1]


@given(st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats()), max_size=61))
def test_float_is_its_bits(kernel, numbers):
    expected = [struct.unpack("q", struct.pack("d", n))[0] if isinstance(n, float) else n for n in numbers]
    assert received(_runtime.call, kernel, *numbers) == expected
    assert received(PLAIN["locked"], kernel, *numbers) == expected


def test_operands_of_other_types_are_refused(call, kernel):
    class Subclass(np.ndarray):
        pass

    for operand in ("text", None, [1], np.zeros(3).view(Subclass), np.float64(1.0), 1j):
        with pytest.raises(TypeError):
            received(call, kernel, operand)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**200])
def test_integer_of_more_than_64_bits_is_refused(call, kernel, number):
    with pytest.raises(OverflowError):
        received(call, kernel, number)


def test_number_of_operands_is_bounded(call, kernel):
    assert received(call, kernel, *range(125)) == list(range(125))
    with pytest.raises(TypeError, match="at most 127 operands"):
        received(call, kernel, *range(126))
    with pytest.raises(TypeError, match="address of a kernel"):
        call()


def test_references_are_neither_kept_nor_lost(call, kernel):
    array, number = np.zeros(3), float("1.5")
    before = sys.getrefcount(array), sys.getrefcount(number)
    for _ in range(1000):
        received(call, kernel, array, number)
        with pytest.raises(TypeError):
            call(kernel, array, number, "text")
    assert (sys.getrefcount(array), sys.getrefcount(number)) == before


@pytest.mark.parametrize("call", [_runtime.call_unlocked, PLAIN["unlocked"]], ids=["compiled", "plain"])
def test_unlocked_call_lets_other_threads_run(call):
    # The kernel is Python code that waits for another thread of Python.
    event = threading.Event()
    callback = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(lambda operands: event.wait(60))
    thread = threading.Thread(target=event.set)
    thread.start()
    result = call(ctypes.cast(callback, ctypes.c_void_p).value)
    thread.join()
    assert result == 1


class Derived(np.ndarray):
    pass


def unaligned(shape):
    return np.zeros(8 * int(np.prod(shape)) + 1, np.uint8)[1:].view(np.float64).reshape(shape)


def fixed(x):
    x.flags.writeable = False
    return x


ADJACENT = {
    "one": ([np.zeros((3, 4))], 12),
    "several": ([np.zeros((3, 4)), np.zeros((3, 4), np.int8), np.zeros((3, 4), np.complex128)], 12),
    "0-d": ([np.zeros(()), np.zeros(())], 1),
    "no elements": ([np.zeros((0, 3)), np.zeros((0, 3))], 0),
    "one element in a row": ([np.zeros((4, 6))[:, :1][:1]], 1),
    "none": ([], -1),
    "other lengths": ([np.zeros((3, 4)), np.zeros((4, 3))], -1),
    "other axes": ([np.zeros((3, 4)), np.zeros((1, 3, 4))], -1),
    "fewer axes": ([np.zeros((3, 4)), np.zeros(4)], -1),
    "strided": ([np.zeros((3, 4)), np.zeros((3, 8))[:, ::2]], -1),
    "column-major": ([np.zeros((3, 4), order="F")], -1),
    "unaligned": ([unaligned((3, 4))], -1),
    "read-only": ([fixed(np.zeros((3, 4)))], -1),
    "subclass": ([np.zeros((3, 4)), np.zeros((3, 4)).view(Derived)], -1),
    "no array": ([np.zeros(3), [0.0, 0.0, 0.0]], -1),
}


@pytest.mark.parametrize("name", ADJACENT)
def test_adjacent_arrays(name):
    arrays, size = ADJACENT[name]
    assert _runtime.adjacent(*arrays) == size
    assert _runtime._adjacent(*arrays) == size
