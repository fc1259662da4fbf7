"""DLPack's capsules of a device's buffers: exports without a copy, and their way back.

The capsule has the library's handle of the buffer. No other library reads such capsules, so that only our own are read.
"""

from __future__ import annotations

import ctypes
from typing import Any

from .arrays import BufferArray

__all__ = ["capsule_of", "native_of"]

NAME, USED = b"dltensor", b"used_dltensor"

CODES = {"b": 6, "i": 0, "u": 1, "f": 2, "c": 5}
"""DLPack's numbers for the kinds of dtype."""


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", Deleter))


_exported: dict[int, tuple[_Managed, BufferArray]] = {}
"""The exported arrays by the addresses of their structures, until their consumers delete them."""

_python = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, Deleter)(("PyCapsule_New", _python))
# A destructor gets the address of a capsule to which nobody may refer any more.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _python))
_address = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", _python))


def _forget(address: int) -> None:
    _exported.pop(address, None)


def _destroy(capsule: int) -> None:
    if _is_valid(capsule, NAME):  # it was never consumed
        _exported.pop(_address(capsule, NAME), None)


_deleter, _destructor = Deleter(_forget), Deleter(_destroy)
"""The functions that a consumer and Python call, as C calls them."""


def capsule_of(x: BufferArray, device: tuple[int, int]) -> Any:
    """Return a capsule that shares the memory of an array on a DLPack device."""
    lengths = ctypes.c_int64 * max(x.ndim, 1)
    itemsize = x.runtime.bool_size if x.dtype.kind == "b" else x.dtype.itemsize
    tensor = _Tensor(
        x.runtime.handle(x.block.buffer),
        *device,
        x.ndim,
        CODES[x.dtype.kind],
        8 * itemsize,
        1,
        lengths(*x.shape),
        lengths(*x.strides),
        x.offset * itemsize,
    )
    managed = _Managed(tensor, None, _deleter)
    address = ctypes.addressof(managed)
    _exported[address] = managed, x
    return _new(address, NAME, _destructor)


def native_of(capsule: Any) -> BufferArray:
    """Return the array of a capsule, and mark the capsule as used; BufferError for a capsule of another library."""
    reference = id(capsule)
    address = _address(reference, NAME) if _is_valid(reference, NAME) else None
    exported = _exported.pop(address, None)  # type: ignore[arg-type]
    if exported is None:
        raise BufferError("the capsule is not one of xtensor's own for this device; copy the values through the host")
    _rename(capsule, USED)
    x = exported[1]
    return x.view(x.shape, x.strides, x.offset)
