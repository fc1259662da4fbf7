"""Backends of unusual libraries, each NumPy underneath: what the contract must admit is tried with them.

``immutable``: arrays that cannot be written to. ``lettered``: dtypes of the library's own. ``narrow``: no float64 and
no complex128. ``deferred``: arrays whose values cannot be looked at. All of them offer the primitives only, so that the
compositions are tested too.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from xtensor_plain import PlainBackend, namespace

from xtensor.backend import STANDARD_DTYPES, Native, WrappedArray, wrapped_namespace

DTYPES = {np.dtype(name): np.dtype(name) for name in STANDARD_DTYPES}


class Toy(PlainBackend):
    """A backend over NumPy's primitives; a subclass says which class its arrays have."""

    arrays: type[WrappedArray]

    def __init__(self) -> None:
        self.library = np
        self.kinds = (self.name,)

    def probe(self) -> str:
        return "1.0"

    def devices(self) -> tuple[str, ...]:
        return (f"{self.name}:0",)

    @property
    def native_type(self) -> type:
        return self.arrays

    def namespace(self, spec: str) -> Any:
        return wrapped_namespace(self.arrays, self.functions())

    def functions(self) -> Any:
        return each_function(namespace(np), self.of_library)

    @staticmethod
    def of_library(function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that returns arrays where NumPy returns scalars."""

        def call(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            return tuple(map(np.asarray, result)) if isinstance(result, tuple) else np.asarray(result)

        return call

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return native.array.copy()

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        if copy is False:
            raise ValueError("a copy is needed")
        return self.arrays(np.array(array))

    def normalize(self, value: Any, spec: str) -> Native:
        return self.arrays(np.asarray(value.array if isinstance(value, WrappedArray) else value))

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (12, 0)  # a device of its own: its memory is not the host's

    # Overridden: the library indexes by its own rules, and returns no scalars.
    def getitem(self, native: Native, key: Any) -> Native:
        return self.arrays(np.asarray(native.array[self.arrays.unwrap(key)]))


# -- arrays that cannot be written to -------------------------------------------------------------------------------


class ImmutableArray(WrappedArray):
    """A NumPy array that is read-only from the beginning."""

    __slots__ = ()

    library_type = np.ndarray
    numpy_dtypes = library_dtypes = DTYPES

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        super().__init__(np.asarray(array).view())
        self.array.flags.writeable = False


class ImmutableBackend(Toy):
    """``setitem`` returns a new array; there are no in-place operators."""

    name = "immutable"
    arrays = ImmutableArray

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        changed = native.array.copy()
        changed[ImmutableArray.unwrap(key)] = ImmutableArray.unwrap(value)
        return ImmutableArray(changed)


# -- dtypes of the library's own ------------------------------------------------------------------------------------


class Letter:
    """A dtype that is no ``numpy.dtype``: it has a name, and compares by identity."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"lettered.{self.name}"


LETTERS = {np.dtype(name): Letter(name) for name in STANDARD_DTYPES}
NAMES = {letter: dtype for dtype, letter in LETTERS.items()}


class LibraryArray:
    """An array of a library that knows neither NumPy's dtypes nor its arrays."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = np.asarray(values)
        self.dtype = LETTERS[self.values.dtype]
        self.shape = list(self.values.shape)  # no tuple either
        self.ndim = self.values.ndim

    def __bool__(self) -> bool:
        return bool(self.values)

    def __int__(self) -> int:
        return int(self.values)

    def __float__(self) -> float:
        return float(self.values)

    def __complex__(self) -> complex:
        return complex(self.values)

    def __index__(self) -> int:
        return self.values.__index__()

    def __getitem__(self, key: Any) -> LibraryArray:
        return LibraryArray(self.values[plain(key)])


def plain(value: Any) -> Any:
    """The NumPy array or dtype of the library's."""
    if isinstance(value, LibraryArray):
        return value.values
    if isinstance(value, Letter):
        return NAMES[value]
    if isinstance(value, (tuple, list)):
        return type(value)(map(plain, value))
    return value


class LetteredArray(WrappedArray):
    """The library's array under the contract."""

    __slots__ = ()

    library_type = LibraryArray
    numpy_dtypes = NAMES
    library_dtypes = LETTERS


class LetteredBackend(Toy):
    """A library whose functions take and return its own arrays and dtypes."""

    name = "lettered"
    arrays = LetteredArray

    @staticmethod
    def of_library(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            result = function(*map(plain, args), **{name: plain(value) for name, value in kwargs.items()})
            return tuple(map(LibraryArray, result)) if isinstance(result, tuple) else LibraryArray(result)

        return call

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return native.array.values.copy()

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        if copy is False:
            raise ValueError("a copy is needed")
        return LetteredArray(LibraryArray(np.array(array)))

    def normalize(self, value: Any, spec: str) -> Native:
        return self.from_host(np.asarray(value), spec, copy=None)

    def getitem(self, native: Native, key: Any) -> Native:
        return native[key]

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        native.array.values[plain(native.unwrap(key))] = plain(native.unwrap(value))
        return native


def each_function(functions: Any, change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> SimpleNamespace:
    """A namespace with every function changed, those of ``linalg`` and ``fft`` too."""
    return SimpleNamespace(
        **{
            name: each_function(item, change) if isinstance(item, SimpleNamespace) else change(item)
            for name, item in vars(functions).items()
        }
    )


# -- no float64 and no complex128 -----------------------------------------------------------------------------------


class NarrowArray(WrappedArray):
    """A NumPy array that must not have a dtype of 64-bit floating-point components."""

    __slots__ = ()

    library_type = np.ndarray
    numpy_dtypes = library_dtypes = DTYPES

    def __init__(self, array: Any) -> None:
        array = np.asarray(array)
        assert array.dtype.name not in ("float64", "complex128"), f"the device does not support {array.dtype}"
        super().__init__(array)


class NarrowBackend(Toy):
    """A device that computes in float32 and complex64 only, as many GPUs do."""

    name = "narrow"
    arrays = NarrowArray

    def dtypes(self, spec: str) -> tuple[str, ...]:
        return tuple(name for name in STANDARD_DTYPES if name not in ("float64", "complex128"))

    def default_float(self, spec: str) -> np.dtype[Any]:
        return np.dtype(np.float32)

    @staticmethod
    def of_library(function: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose results NumPy may have promoted to double precision, in single precision."""
        single = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}

        def call(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            parts = [np.asarray(item) for item in (result if isinstance(result, tuple) else (result,))]
            parts = [item.astype(single.get(item.dtype, item.dtype), copy=False) for item in parts]
            return tuple(parts) if isinstance(result, tuple) else parts[0]

        return call

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        native.array[NarrowArray.unwrap(key)] = NarrowArray.unwrap(value)
        return native


# -- values that cannot be looked at --------------------------------------------------------------------------------


class LookError(AssertionError):
    """Somebody looked at a deferred array's values."""


def refuse(*args: Any, **kwargs: Any) -> Any:
    raise LookError("the values of a deferred array were looked at")


class DeferredArray(WrappedArray):
    """An array of known shape and dtype whose values exist for the library's own functions only."""

    __slots__ = ()

    library_type = np.ndarray
    numpy_dtypes = library_dtypes = DTYPES

    __bool__ = __int__ = __float__ = __complex__ = __index__ = refuse  # type: ignore[assignment]


class DeferredBackend(Toy):
    """An engine that computes later: the host never sees a value unless it asks for the whole array."""

    name = "deferred"
    arrays = DeferredArray
    to_host = refuse

    def getitem(self, native: Native, key: Any) -> Native:
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(part, DeferredArray) and part.dtype.kind == "b" for part in parts):
            refuse()  # the length of the result would depend on values
        return super().getitem(native, key)

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        native.array[DeferredArray.unwrap(key)] = DeferredArray.unwrap(value)
        return native

    def values(self, native: Native) -> np.ndarray[Any, Any]:
        """The values, for the tests."""
        return native.array
