"""Attributes of NumPy's arrays that describe host memory, for libraries that read it without a conversion.

Requirements: nothing is copied; off the host, the attributes that only host memory has do not exist, so that libraries
look for another way; memory that a library has received stays valid when the Array is assigned to or deleted.
"""

from __future__ import annotations

import pickle
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from .checks import check_flag
from .errors import describe
from .operands import SEQUENCES
from .views import layout_of

if TYPE_CHECKING:
    from .array import Array

__all__ = ["Flat", "Memory"]


class Memory:
    """Attributes of the memory of an Array."""

    __slots__ = ()

    def __arrow_array__(self: Any, type: Any = None) -> Any:
        """Return the elements as a ``pyarrow.Array``, for ``pyarrow.array(x)``; the memory is shared where possible."""
        import pyarrow  # optional: only pyarrow and polars call this

        return pyarrow.array(np.asarray(self), type=type)

    def __arrow_c_array__(self: Any, requested_schema: Any = None) -> Any:
        """Return the elements of an Array of one dimension as Arrow's C data, for polars; requires pyarrow."""
        return self.__arrow_array__().__arrow_c_array__(requested_schema)

    def __buffer__(self: Any, flags: int, /) -> memoryview:
        """Return the memory as a buffer (Python 3.12 and newer); BufferError off the host."""
        try:
            view = _host_view(self, "__buffer__")
        except AttributeError as error:
            raise BufferError(str(error)) from None
        return view.__buffer__(flags)  # type: ignore[attr-defined,no-any-return]

    def __bytes__(self: Any) -> bytes:
        return self.tobytes()  # type: ignore[no-any-return]

    def dump(self: Any, file: Any) -> None:
        """Pickle the array to a file or to a path, for :func:`pickle.load`: NumPy's ``ndarray.dump``."""
        if hasattr(file, "write"):
            pickle.dump(self, file)
            return
        if not isinstance(file, (str, bytes, PathLike)):
            raise TypeError(f"dump(): file is a path or a file that is open for bytes, not {describe(file)}")
        with open(file, "wb") as stream:
            pickle.dump(self, stream)

    def dumps(self: Any) -> bytes:
        """Return the array's pickle, for :func:`pickle.loads`: NumPy's ``ndarray.dumps``."""
        return pickle.dumps(self)

    @property
    def base(self: Any) -> Array | None:
        """Array of the memory that this one is a view of; None if it is no view, AttributeError off the host."""
        owner = _host_view(self, "base").base
        if not isinstance(owner, np.ndarray):  # no other array, or memory that another library owns
            return None
        return self.__array_namespace__().asarray(owner, device=self._device, copy=False)  # type: ignore[no-any-return]

    @property
    def real(self: Any) -> Array:
        """Real components, the array itself for a real dtype; assignable in host memory."""
        return self.__array_namespace__().real(self) if self.dtype.kind == "c" else self  # type: ignore[no-any-return]

    @real.setter
    def real(self: Any, values: Any) -> None:
        self._assign_part("real", values, "x[...] = values + 1j * x.imag")

    @property
    def imag(self: Any) -> Array:
        """Imaginary components, zeros for a real dtype; assignable in host memory."""
        xp = self.__array_namespace__()
        return xp.imag(self) if self.dtype.kind == "c" else xp.zeros_like(self)  # type: ignore[no-any-return]

    @imag.setter
    def imag(self: Any, values: Any) -> None:
        self._assign_part("imag", values, "x[...] = x.real + 1j * values")

    def _assign_part(self: Any, name: str, values: Any, remedy: str) -> None:
        """Write the components of all elements; the others, NaN and infinities among them, stay as they are."""
        if not self._device.host:
            raise TypeError(
                f"x.{name} is assigned in host memory, and this array is on device {self._device}; use {remedy}"
            )
        setattr(_host_view(self, name), name, values)

    @property
    def flags(self: Any) -> Any:
        """Memory layout as NumPy's ``ndarray.flags``; off the host, the flags of the library's array."""
        if self._device.host:
            return _host_view(self, "flags").flags
        return (layout_of(self) if self._device.level else self._native).flags

    @property
    def strides(self: Any) -> tuple[int, ...]:
        """Steps in bytes to the next element along each axis; AttributeError off the host.

        NumPy's functions that take strides read the memory around a view, and an array off the host is copied to them.
        """
        return _host_view(self, "strides").strides

    def setflags(self: Any, write: bool | None = None, align: bool | None = None, uic: bool | None = None) -> None:
        """Set flags of the memory, ``write=False`` for read-only elements; TypeError off the host."""
        for name, flag in (("write", write), ("align", align), ("uic", uic)):
            if flag is not None:
                check_flag(flag, "setflags", name)
        if not self._device.host:
            raise TypeError(
                f"setflags() sets flags of host memory, and this array is on device {self._device}; move it with "
                "x.to_device('cpu')"
            )
        _host_view(self, "setflags").setflags(write=write, align=align, uic=uic)

    @property
    def flat(self: Any) -> Flat:
        """The elements in row-major order, with one index: ``x.flat[3]``, ``x.flat = values``, ``for v in x.flat``."""
        return Flat(self)

    @flat.setter
    def flat(self: Any, values: Any) -> None:
        Flat(self)[...] = values


class Flat:
    """The elements of an Array in row-major order, as NumPy's ``flatiter``.

    The functions of the namespace take it as an Array of one dimension. An assignment changes the Array.
    """

    __slots__ = ("_elements", "base")

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, base: Array) -> None:
        self.base = base

    @property
    def _flattened(self) -> Array:
        return self.base.ravel()

    # The fields of an operand.
    @property
    def _native(self) -> Any:
        return self._flattened._native

    @property
    def _device(self) -> Any:
        return self.base._device

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self._flattened.__array__(dtype, copy)

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Flat:
        return self

    def __next__(self) -> Array:
        if not hasattr(self, "_elements"):
            self._elements = iter(self._flattened)
        return next(self._elements)

    def __getitem__(self, key: Any) -> Array:
        """Return a copy of elements, as NumPy does."""
        return self._flattened[key].copy()

    def __setitem__(self, key: Any, value: Any) -> None:
        if key.__class__ is int:
            position = key + len(self) if key < 0 else key
            if not 0 <= position < len(self):
                raise IndexError(f"index {key} is out of bounds for size {len(self)}; x.flat has one index")
            self.base[tuple(map(int, np.unravel_index(position, self.base.shape)))] = value
            return
        flattened = self.copy()
        if isinstance(value, SEQUENCES):
            value = self.base.__array_namespace__().asarray(value, device=self.base.device)
        if getattr(value, "ndim", 0):
            # As many as there are elements: values are repeated, or those that are too many left out.
            selected = flattened[key]
            if not value.size or not selected.size:
                return
            value = value.ravel()[np.arange(selected.size) % value.size].reshape(selected.shape)
        flattened[key] = value
        self.base[...] = flattened.reshape(self.base.shape)

    def copy(self) -> Array:
        """Return the elements as an Array of one dimension."""
        return self._flattened.copy()

    def __eq__(self, other: Any) -> Any:
        return self._flattened == other

    def __ne__(self, other: Any) -> Any:
        return self._flattened != other

    def __lt__(self, other: Any) -> Any:
        return self._flattened < other

    def __le__(self, other: Any) -> Any:
        return self._flattened <= other

    def __gt__(self, other: Any) -> Any:
        return self._flattened > other

    def __ge__(self, other: Any) -> Any:
        return self._flattened >= other


def _host_view(x: Any, name: str) -> np.ndarray[Any, Any]:
    """Return a NumPy array on the memory of an Array; AttributeError off the host."""
    if not x._device.host:
        raise AttributeError(
            f"'Array' object has no attribute '{name}' on device {x._device}: it is one of host memory; use "
            "x.to_device('cpu')"
        )
    return x._device._library.to_host(x._native)  # type: ignore[no-any-return]
