"""Backends of unusual libraries for the tests of the backend contract; NumPy computes for all of them.

``immutable``: arrays without assignment. ``customdtype``: dtypes that are not ``numpy.dtype``. ``single``: no float64
and no complex128. ``deferred``: arrays whose values the host cannot read. All of them provide the primitives only, so
that the compositions are tested too.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from xtensor_plain import PlainBackend, namespace

from xtensor.backend import LAPACK_CORRECTIONS, STANDARD_DTYPES, Native, WrappedArray, wrapped_namespace

DTYPES = {np.dtype(name): np.dtype(name) for name in STANDARD_DTYPES}


class Toy(PlainBackend):
    """Backend of NumPy's primitives; a subclass defines the class of its native arrays."""

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
        return map_functions(namespace(np), self.adapt)

    @staticmethod
    def adapt(function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that returns arrays instead of NumPy scalars."""

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
        return (12, 0)  # kDLExtDev: not host memory

    # NumPy returns scalars for integer indices.
    def getitem(self, native: Native, key: Any) -> Native:
        return self.arrays(np.asarray(native.array[self.arrays.unwrap(key)]))


# -- immutable arrays ---------------------------------------------------------------------------------------------


class ImmutableArray(WrappedArray):
    """Read-only NumPy array."""

    __slots__ = ()

    library_type = np.ndarray
    numpy_dtypes = library_dtypes = DTYPES

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        super().__init__(np.asarray(array).view())
        self.array.flags.writeable = False


class ImmutableBackend(Toy):
    """Library without in-place operators, whose ``setitem`` returns a new array."""

    name = "immutable"
    arrays = ImmutableArray

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        changed = native.array.copy()
        changed[ImmutableArray.unwrap(key)] = ImmutableArray.unwrap(value)
        return ImmutableArray(changed)


# -- custom dtypes ------------------------------------------------------------------------------------------------


class CustomDtype:
    """Dtype that is not a ``numpy.dtype``: it has a name and compares by identity."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"customdtype.{self.name}"


CUSTOM_DTYPES = {np.dtype(name): CustomDtype(name) for name in STANDARD_DTYPES}
NUMPY_DTYPES = {custom: dtype for dtype, custom in CUSTOM_DTYPES.items()}


class LibraryArray:
    """Array of a library that uses neither NumPy's dtypes nor its arrays."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = np.asarray(values)
        self.dtype = CUSTOM_DTYPES[self.values.dtype]
        self.shape = list(self.values.shape)  # not a tuple
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
        return LibraryArray(self.values[to_numpy(key)])


def to_numpy(value: Any) -> Any:
    """Convert arrays and dtypes of the library to NumPy's, also in sequences."""
    if isinstance(value, LibraryArray):
        return value.values
    if isinstance(value, CustomDtype):
        return NUMPY_DTYPES[value]
    if isinstance(value, (tuple, list)):
        return type(value)(map(to_numpy, value))
    return value


class CustomDtypeArray(WrappedArray):
    """Native array of the contract around the library's array."""

    __slots__ = ()

    library_type = LibraryArray
    numpy_dtypes = NUMPY_DTYPES
    library_dtypes = CUSTOM_DTYPES


class CustomDtypeBackend(Toy):
    """Library whose functions accept and return its own arrays and dtypes."""

    name = "customdtype"
    arrays = CustomDtypeArray

    @staticmethod
    def adapt(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            result = function(*map(to_numpy, args), **{name: to_numpy(value) for name, value in kwargs.items()})
            return tuple(map(LibraryArray, result)) if isinstance(result, tuple) else LibraryArray(result)

        return call

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return native.array.values.copy()

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        if copy is False:
            raise ValueError("a copy is needed")
        return CustomDtypeArray(LibraryArray(np.array(array)))

    def normalize(self, value: Any, spec: str) -> Native:
        return self.from_host(np.asarray(value), spec, copy=None)

    def getitem(self, native: Native, key: Any) -> Native:
        return native[key]

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        native.array.values[to_numpy(native.unwrap(key))] = to_numpy(native.unwrap(value))
        return native


def map_functions(functions: Any, convert: Callable[[Callable[..., Any]], Callable[..., Any]]) -> SimpleNamespace:
    """Return a namespace with every function converted, including those of ``linalg`` and ``fft``."""
    return SimpleNamespace(
        **{
            name: map_functions(item, convert) if isinstance(item, SimpleNamespace) else convert(item)
            for name, item in vars(functions).items()
        }
    )


# -- single precision only ----------------------------------------------------------------------------------------


class SinglePrecisionArray(WrappedArray):
    """NumPy array that refuses float64 and complex128."""

    __slots__ = ()

    library_type = np.ndarray
    numpy_dtypes = library_dtypes = DTYPES

    def __init__(self, array: Any) -> None:
        array = np.asarray(array)
        assert array.dtype.name not in ("float64", "complex128"), f"the device does not support {array.dtype}"
        super().__init__(array)


class SinglePrecisionBackend(Toy):
    """Device without double precision, as many GPUs are."""

    name = "single"
    arrays = SinglePrecisionArray

    def dtypes(self, spec: str) -> tuple[str, ...]:
        return tuple(name for name in STANDARD_DTYPES if name not in ("float64", "complex128"))

    def default_float(self, spec: str) -> np.dtype[Any]:
        return np.dtype(np.float32)

    @staticmethod
    def adapt(function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that casts NumPy's results to single precision."""
        single = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}

        def call(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            parts = [np.asarray(item) for item in (result if isinstance(result, tuple) else (result,))]
            parts = [item.astype(single.get(item.dtype, item.dtype), copy=False) for item in parts]
            return tuple(parts) if isinstance(result, tuple) else parts[0]

        return call

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        native.array[SinglePrecisionArray.unwrap(key)] = SinglePrecisionArray.unwrap(value)
        return native


# -- deferred computation -----------------------------------------------------------------------------------------


class ValueReadError(AssertionError):
    """The host read the values of a deferred array."""


def raise_unsupported(*args: Any, **kwargs: Any) -> Any:
    raise ValueReadError("the host read the values of a deferred array")


class DeferredArray(WrappedArray):
    """Array of known shape and dtype whose values only the library's functions can read."""

    __slots__ = ()

    library_type = np.ndarray
    numpy_dtypes = library_dtypes = DTYPES

    __bool__ = __int__ = __float__ = __complex__ = __index__ = raise_unsupported  # type: ignore[assignment]


class DeferredBackend(Toy):
    """Engine that computes later: the host cannot read single values."""

    name = "deferred"
    arrays = DeferredArray
    corrections = tuple(name for name in Toy.corrections if name not in LAPACK_CORRECTIONS)  # they read values
    to_host = raise_unsupported

    def getitem(self, native: Native, key: Any) -> Native:
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(part, DeferredArray) and part.dtype.kind == "b" for part in parts):
            raise_unsupported()  # the length of the result depends on values
        return super().getitem(native, key)

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        native.array[DeferredArray.unwrap(key)] = DeferredArray.unwrap(value)
        return native

    def values(self, native: Native) -> np.ndarray[Any, Any]:
        """Return the values, for assertions."""
        return native.array
