"""Calls of kernels, and the workers and memory behind them: in C, or on one thread where the module was not built.

A call through ctypes costs about half a microsecond, and the address of an array's elements as much again. The compiled
module (`_compiled.c`) takes both from Python's objects directly.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import around_forks

__all__ = [
    "MAX_OPERANDS",
    "PARALLEL",
    "adjacent",
    "call",
    "call_unlocked",
    "compiled",
    "parallel",
    "signed",
    "transpose",
]

INTERFACE = 8
"""The interface of `_compiled.c` that this code is written for."""

MAX_OPERANDS = 127
"""Bound of the number of a call's operands."""

compiled: Any = None
"""The compiled module, or None."""

if os.environ.get("XTENSOR_COMPILED") != "0":
    with contextlib.suppress(ImportError):
        from . import _compiled

        compiled = _compiled if _compiled.INTERFACE == INTERFACE else None

if hasattr(compiled, "recover"):
    around_forks(after_in_child=compiled.recover)

JOB = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


def _value(x: Any) -> int:
    """Return the 64 bits that a kernel gets for an operand."""
    if x.__class__ is np.ndarray:
        return int(x.ctypes.data)
    if x.__class__ is float:
        return int(struct.unpack("q", struct.pack("d", x))[0])
    if not isinstance(x, int):
        raise TypeError(f"call() got an operand of type {type(x).__name__}; give arrays, floats and integers")
    if not -(2**63) <= x < 2**63:
        raise OverflowError(f"call() got an integer of more than 64 bits: {x}")
    return x


def signed(scalar: float) -> int:
    """Return the signed integer with the bits of an unsigned one of 64 bits."""
    number = int(scalar)
    return number if number < 2**63 else number - 2**64


def _caller(prototype: Any) -> Callable[..., int]:
    kernel_type = prototype(ctypes.c_int64, ctypes.c_void_p)

    def call(*arguments: Any) -> int:
        if not 1 <= len(arguments) <= MAX_OPERANDS + 1:
            raise TypeError(f"call() takes the address of a kernel and at most {MAX_OPERANDS} operands")
        kernel, *operands = (_value(x) for x in arguments)
        return int(kernel_type(kernel)((ctypes.c_int64 * len(operands))(*operands)))

    return call


def _adjacent(*arrays: Any) -> int:
    for x in arrays:
        if x.__class__ is not np.ndarray or not x.flags.carray or x.shape != arrays[0].shape:
            return -1
    return arrays[0].size if arrays else -1


def _parallel(job: int, arguments: int | None, parts: int, threads: int, nanoseconds: int) -> None:
    function = JOB(job)
    for part in range(parts):
        function(arguments, part, parts)


call: Callable[..., int] = compiled.call if compiled else _caller(ctypes.PYFUNCTYPE)
"""Call the kernel int64_t(const int64_t *operands) at an address with the interpreter locked; return its result.

An operand is the address of an array's elements for a `numpy.ndarray` (not of a subclass), the bits of a float, or an
integer of 64 bits.
"""

call_unlocked: Callable[..., int] = compiled.call_unlocked if compiled else _caller(ctypes.CFUNCTYPE)
"""The same for kernels that take long: other threads of Python run meanwhile."""

adjacent: Callable[..., int] = compiled.adjacent if compiled else _adjacent
"""Return the size of arrays of one shape whose elements are adjacent, else -1.

Each is a `numpy.ndarray`, not of a subclass, in row-major order, aligned and writeable.
"""

transpose: Callable[..., bool] = compiled.transpose if compiled else lambda *arguments: False
"""Write the elements of an array into another one of its shape and dtype in row-major order.

Its arguments are the two arrays, the number of parts, the number of threads, and the nanoseconds that one thread takes.
Returns False, and writes nothing, where the elements lie in such an order that a plain copy is as fast.
"""

parallel: Callable[..., None] = compiled.parallel if compiled else _parallel
"""Compute job(arguments, part, parts) for each part.

Its arguments are the addresses of the job and of the job's arguments, the number of parts, the number of threads, and
the nanoseconds that one thread takes.
"""

_for_kernels = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, *[ctypes.c_int64] * 3)(_parallel)
PARALLEL: int = compiled.PARALLEL if compiled else ctypes.cast(_for_kernels, ctypes.c_void_p).value or 0
"""The address of :func:`parallel`, for kernels."""
