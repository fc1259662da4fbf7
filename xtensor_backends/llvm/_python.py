"""Machine code as functions of Python, and calls of kernels by way of one.

A call through ctypes costs about half a microsecond, and the address of an array's elements as much again. A function
of Python's C interface, which machine code can be as any other, takes both from Python's objects directly.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _compile

__all__ = ["addresses", "adjacent", "call", "call_unlocked", "function", "prototype"]

_FASTCALL = 0x80  # METH_FASTCALL

OPERANDS = 128
"""Bound of the number of arguments of a call: the kernel and 127 operands."""


class _Method(ctypes.Structure):
    """Python's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


def function(name: str, address: int, documentation: str) -> Callable[..., Any]:
    """Return machine code as a function of Python.

    Parameters
    ----------
    address : of a function PyObject *(PyObject *module, PyObject *const *arguments, Py_ssize_t count), METH_FASTCALL.
    """
    method = _Method(name.encode(), address, _FASTCALL, documentation.encode())
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(method))  # the function refers to it until the interpreter has ended
    new = prototype("PyCFunction_NewEx", ctypes.py_object, *[ctypes.c_void_p] * 3)
    result: Callable[..., Any] = new(ctypes.addressof(method), None, None)
    return result


def prototype(name: str, result: Any, *arguments: Any) -> Any:
    """Return a function of Python's C interface, without a change of `ctypes.pythonapi`, which everybody shares."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


def addresses(*names: str) -> dict[str, int]:
    """Return the addresses of functions of Python's C interface, for `compile_module`."""
    return {name: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in names}


def call() -> Callable[..., int]:
    """Return the function call(kernel, *operands), which calls the kernel at an address with the interpreter locked.

    The kernel is int64_t(const int64_t *operands); the call returns its result. An operand is the address of an array's
    elements for a `numpy.ndarray` (not of a subclass), the bits of a float, or an integer of 64 bits; at most 127
    operands.
    """
    return _calls()[0]


def call_unlocked() -> Callable[..., int]:
    """Return the same function for kernels that take long: other threads of Python run meanwhile."""
    return _calls()[1]


def adjacent() -> Callable[..., int]:
    """Return the function adjacent(*arrays): the size of arrays of one shape whose elements are adjacent, else -1.

    Each is a `numpy.ndarray`, not of a subclass, in row-major order, aligned and writeable. It takes a tenth of a
    microsecond, for what five expressions of Python ask.
    """
    return _calls()[2]


_lock = threading.Lock()


def _calls() -> tuple[Callable[..., int], ...]:
    with _lock:
        return _first_calls()


@functools.cache
def _first_calls() -> tuple[Callable[..., int], ...]:
    python = (
        "PyLong_AsLongLong",
        "PyErr_Occurred",
        "PyErr_SetString",
        "PyEval_SaveThread",
        "PyEval_RestoreThread",
        "Py_IncRef",
    )
    names = ("call", "call_unlocked", "adjacent")
    # The type is the last field of an object's head, with and without the interpreter's lock.
    head = object.__basicsize__
    text = _CALL.replace("TYPE", str(head - 8)).replace("HEAD", str(head)).replace("OPERANDS", str(OPERANDS))
    objects = ("array_type", "float_type", "type_error")
    code = _compile.compile_module(text, (*names, *objects), symbols=addresses(*python))
    for name, value in zip(objects, (np.ndarray, float, TypeError), strict=True):
        ctypes.c_void_p.from_address(code[name]).value = id(value)
    called = "Call the kernel at an address with addresses of arrays, floats and integers."
    documentation = called, called, "Return the size of arrays of one shape whose elements are adjacent, or -1."
    return tuple([function(name, code[name], text) for name, text in zip(names, documentation, strict=True)])


_CALL = """
@array_type = global ptr null, align 8
@float_type = global ptr null, align 8
@type_error = global ptr null, align 8
@message = internal constant [62 x i8] c"call() takes the address of a kernel and at most 127 operands\\00"

declare i64 @PyLong_AsLongLong(ptr)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyErr_Occurred()
declare void @PyErr_SetString(ptr, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)

; Writes the operands' values. Returns whether all have one; if not, an exception is set.
define internal i1 @convert(ptr %arguments, i64 %count, ptr %values) {
entry:
  %too.few = icmp slt i64 %count, 1
  %too.many = icmp sgt i64 %count, OPERANDS
  %wrong = or i1 %too.few, %too.many
  br i1 %wrong, label %raise, label %begin
raise:
  %error = load ptr, ptr @type_error, align 8
  call void @PyErr_SetString(ptr %error, ptr @message)
  ret i1 false
begin:
  %array.type = load ptr, ptr @array_type, align 8
  %float.type = load ptr, ptr @float_type, align 8
  br label %operand
operand:
  %index = phi i64 [0, %begin], [%index.next, %store]
  %place = getelementptr ptr, ptr %arguments, i64 %index
  %object = load ptr, ptr %place, align 8
  %type.place = getelementptr i8, ptr %object, i64 TYPE
  %type = load ptr, ptr %type.place, align 8
  %field = getelementptr i8, ptr %object, i64 HEAD
  %is.array = icmp eq ptr %type, %array.type
  %is.float = icmp eq ptr %type, %float.type
  %direct = or i1 %is.array, %is.float
  br i1 %direct, label %load, label %integer
load:
  ; Both the elements' address and the float's value follow the head.
  %loaded = load i64, ptr %field, align 8
  br label %store
integer:
  %number = call i64 @PyLong_AsLongLong(ptr %object)
  %suspect = icmp eq i64 %number, -1
  br i1 %suspect, label %check, label %store
check:
  %exception = call ptr @PyErr_Occurred()
  %good = icmp eq ptr %exception, null
  br i1 %good, label %store, label %fail
store:
  %value = phi i64 [%loaded, %load], [%number, %integer], [%number, %check]
  %target = getelementptr i64, ptr %values, i64 %index
  store i64 %value, ptr %target, align 8
  %index.next = add i64 %index, 1
  %more = icmp slt i64 %index.next, %count
  br i1 %more, label %operand, label %done
done:
  ret i1 true
fail:
  ret i1 false
}

define ptr @call(ptr %self, ptr %arguments, i64 %count) {
entry:
  %values = alloca [OPERANDS x i64], align 8
  %good = call i1 @convert(ptr %arguments, i64 %count, ptr %values)
  br i1 %good, label %run, label %fail
run:
  %address = load i64, ptr %values, align 8
  %kernel = inttoptr i64 %address to ptr
  %operands = getelementptr i64, ptr %values, i64 1
  %result = call i64 %kernel(ptr %operands)
  %object = call ptr @PyLong_FromLongLong(i64 %result)
  ret ptr %object
fail:
  ret ptr null
}

define ptr @call_unlocked(ptr %self, ptr %arguments, i64 %count) {
entry:
  %values = alloca [OPERANDS x i64], align 8
  %good = call i1 @convert(ptr %arguments, i64 %count, ptr %values)
  br i1 %good, label %run, label %fail
run:
  %address = load i64, ptr %values, align 8
  %kernel = inttoptr i64 %address to ptr
  %operands = getelementptr i64, ptr %values, i64 1
  %state = call ptr @PyEval_SaveThread()
  %result = call i64 %kernel(ptr %operands)
  call void @PyEval_RestoreThread(ptr %state)
  %object = call ptr @PyLong_FromLongLong(i64 %result)
  ret ptr %object
fail:
  ret ptr null
}

; The fields of NumPy's PyArrayObject: the elements' address, the number of axes, their lengths, their strides, the
; base, the dtype and the flags. 1281 is NPY_ARRAY_C_CONTIGUOUS, _ALIGNED and _WRITEABLE.
%fields = type {ptr, i32, ptr, ptr, ptr, ptr, i32}

define ptr @adjacent(ptr %self, ptr %arguments, i64 %count) {
entry:
  %array.type = load ptr, ptr @array_type, align 8
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %array, label %other
array:
  %index = phi i64 [0, %entry], [%index.next, %same]
  %place = getelementptr ptr, ptr %arguments, i64 %index
  %object = load ptr, ptr %place, align 8
  %type.place = getelementptr i8, ptr %object, i64 TYPE
  %type = load ptr, ptr %type.place, align 8
  %is.array = icmp eq ptr %type, %array.type
  br i1 %is.array, label %fields, label %other
fields:
  %fields.place = getelementptr i8, ptr %object, i64 HEAD
  %flags.place = getelementptr %fields, ptr %fields.place, i64 0, i32 6
  %flags = load i32, ptr %flags.place, align 4
  %needed = and i32 %flags, 1281
  %is.adjacent = icmp eq i32 %needed, 1281
  %axes.place = getelementptr %fields, ptr %fields.place, i64 0, i32 1
  %axes.short = load i32, ptr %axes.place, align 4
  %axes = sext i32 %axes.short to i64
  %lengths.place = getelementptr %fields, ptr %fields.place, i64 0, i32 2
  %lengths = load ptr, ptr %lengths.place, align 8
  %first = load ptr, ptr %arguments, align 8
  %first.fields = getelementptr i8, ptr %first, i64 HEAD
  %first.axes.place = getelementptr %fields, ptr %first.fields, i64 0, i32 1
  %first.axes = load i32, ptr %first.axes.place, align 4
  %first.lengths.place = getelementptr %fields, ptr %first.fields, i64 0, i32 2
  %first.lengths = load ptr, ptr %first.lengths.place, align 8
  %same.axes = icmp eq i32 %axes.short, %first.axes
  %good = and i1 %is.adjacent, %same.axes
  br i1 %good, label %axis, label %other
axis:
  %number = phi i64 [0, %fields], [%number.next, %length]
  %size = phi i64 [1, %fields], [%product, %length]
  %all = icmp eq i64 %number, %axes
  br i1 %all, label %same, label %length
length:
  %length.place = getelementptr i64, ptr %lengths, i64 %number
  %own = load i64, ptr %length.place, align 8
  %first.place = getelementptr i64, ptr %first.lengths, i64 %number
  %wanted = load i64, ptr %first.place, align 8
  %product = mul i64 %size, %own
  %number.next = add i64 %number, 1
  %equal = icmp eq i64 %own, %wanted
  br i1 %equal, label %axis, label %other
same:
  %index.next = add i64 %index, 1
  %more = icmp slt i64 %index.next, %count
  br i1 %more, label %array, label %done
done:
  %result = call ptr @PyLong_FromLongLong(i64 %size)
  ret ptr %result
other:
  %none = call ptr @PyLong_FromLongLong(i64 -1)
  ret ptr %none
}
"""
