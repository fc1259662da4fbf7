"""Memory that results of medium and large size reuse, instead of faulting it in anew.

Requirements: no other allocation of the process is changed; an array owns its memory as any other of NumPy's does, so
that views, memoryviews and DLPack exports keep it alive, and memory serves another array only after the last of them;
what is held is bounded and can be given back.

`empty` sets NumPy's handler of memory (NEP 49) for the one array that it makes. NumPy calls the handler again when the
array is deallocated. Both the handler and `empty` are machine code (`_pool.py`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from xtensor.backend import around_forks, rewarn

from . import _compile, _pool, _python

__all__ = ["LIMIT_VARIABLE", "allocator", "held", "limit", "release", "set_limit", "used"]

LIMIT_VARIABLE = "XTENSOR_KEEP_BYTES"

_LARGEST_DEFAULT = 1 << 30
_SHARE = 16

_SET_HANDLER = 304
"""Place of PyDataMem_SetHandler in the table of NumPy's C interface, in all of NumPy 2."""

_SUPPORTED = (
    os.name == "posix"
    and sys.maxsize > 1 << 32
    and sys.implementation.name == "cpython"
    and np.__version__.startswith("2.")
)


class _Pool:
    """The pool's functions in machine code. They are never unloaded: arrays live until the interpreter has ended."""

    def __init__(self) -> None:
        handler = ("pool_malloc", "pool_calloc", "pool_realloc", "pool_free")
        names = (*handler, "empty", "trim", "recover", "held", "used", "limit", "handler", "numpy_empty")
        symbols = _python.addresses("PyObject_Vectorcall", "Py_DecRef", "PyErr_Fetch", "PyErr_Restore")
        symbols["PyDataMem_SetHandler"] = _numpy_function(_SET_HANDLER)
        addresses = _compile.compile_module(_pool.module(), names, symbols=symbols)
        self.held, self.used, self.limit = (ctypes.c_int64.from_address(addresses[name]) for name in names[7:10])
        self.trim = ctypes.CFUNCTYPE(None, ctypes.c_int64)(addresses["trim"])
        self.recover = ctypes.CFUNCTYPE(None)(addresses["recover"])
        self.limit.value = _default_limit()
        self.handler = _Handler(b"xtensor", 1, None, *(addresses[name] for name in handler))
        capsule = _python.prototype(
            "PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
        )
        self.capsule = capsule(ctypes.addressof(self.handler), b"mem_handler", None)
        ctypes.c_void_p.from_address(addresses["handler"]).value = id(self.capsule)
        ctypes.c_void_p.from_address(addresses["numpy_empty"]).value = id(np.empty)
        documentation = "Return a new array as numpy.empty does."
        self.empty: Callable[..., np.ndarray[Any, Any]] = _python.function("empty", addresses["empty"], documentation)
        for immortal in (self, np.empty):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(immortal))


class _Handler(ctypes.Structure):
    """NumPy's PyDataMem_Handler, version 1."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


def _numpy_function(position: int) -> int:
    pointer = _python.prototype("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    table = pointer(sys.modules["numpy._core._multiarray_umath"]._ARRAY_API, None)
    return (ctypes.c_void_p * (position + 1)).from_address(table)[position] or 0


_lock = threading.Lock()
_only: _Pool | None = None


def _the_pool() -> _Pool:
    global _only
    if _only is None:
        with _lock:
            if _only is None:
                _only = _Pool()
    return _only


def allocator() -> Callable[..., np.ndarray[Any, Any]]:
    """Return the function empty(shape, dtype), which is numpy.empty with memory from the pool, aligned to 64 bytes.

    numpy.empty itself where the pool is not supported: outside POSIX systems of 64 bits and CPython, and for an unknown
    NumPy.
    """
    return _the_pool().empty if _SUPPORTED else np.empty


def held() -> int:
    """Return the number of bytes that the pool holds and no array uses."""
    return int(_only.held.value) if _only is not None else 0


def used() -> int:
    """Return the number of bytes of the pool's blocks that arrays use."""
    return int(_only.used.value) if _only is not None else 0


def release() -> None:
    """Give what the pool holds back to the system."""
    if _only is not None:
        _only.trim(0)


def limit() -> int:
    """Return the bound of `held()`, in bytes."""
    return int(_the_pool().limit.value) if _SUPPORTED else 0


def set_limit(size: int) -> None:
    """Set the bound of `held()`, in bytes; with 0 nothing is kept."""
    if size < 0:
        raise ValueError(f"set_limit({size}): the limit is a number of bytes, at least 0.")
    if _SUPPORTED:
        _the_pool().limit.value = size
        _the_pool().trim(size)


def _default_limit() -> int:
    """XTENSOR_KEEP_BYTES, or a sixteenth of the machine's or the container's memory, and at most 1 GiB."""
    text = os.environ.get(LIMIT_VARIABLE, "").strip()
    if text.isascii() and text.isdigit():
        return min(int(text), (1 << 62))
    if text:
        rewarn(UserWarning(f"{LIMIT_VARIABLE}={text!r} is ignored: it is not a number of bytes."))
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError):  # not Linux, or no bound ("max")
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(_LARGEST_DEFAULT, total // _SHARE)


def _after_fork_in_child() -> None:
    global _lock
    _lock = threading.Lock()
    if _only is not None:
        _only.recover()


around_forks(after_in_child=_after_fork_in_child)
