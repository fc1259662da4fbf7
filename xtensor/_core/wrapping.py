"""Native arrays for libraries whose own arrays lack what the contract asks for, a ``numpy.dtype`` for instance.

Requirement: the wrapper costs little compared with the library's own call. It has one slot; the compiled module takes
the arrays out and puts the result in. Python does so without the module, for arguments that are converted (dtypes,
tuples), and for classes of wrappers whose array is no slot.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import getattr_static
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np

from .compiled import compiled
from .dtypes import DType
from .operations import TABLE

__all__ = ["ValueArray", "WrappedArray", "downwards", "with_links", "wrapped_namespace"]


class ValueArray:
    """A native array that wraps an array of the base device.

    Attributes
    ----------
    value
        The native array of the device below.
    selection, selections
        The Array's links with others; see :mod:`xtensor._core.views`. Unset without one.
    strides_before
        The strides, in elements, of the native array in whose place this one came by a write. Unset without one.
    """

    __slots__ = ("selection", "selections", "strides_before", "value")

    value: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return self.value.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.value.dtype  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.value.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.value.size  # type: ignore[no-any-return]


_value = operator.attrgetter("value")


def downwards(device: Any, *natives: Any) -> list[tuple[Any, list[Any]]]:
    """Return a device, what it stands on, and so on to that below all transforms, each with its values of arrays."""
    levels = [(device, list(natives))]
    while device.base is not None:
        device = device.base
        levels.append((device, list(map(_value, levels[-1][1]))))
    return levels


def with_links(native: Any, before: Any) -> Any:
    """Return a native array with the links of the one in whose place it comes."""
    for name in ("selection", "selections"):
        if hasattr(before, name):
            setattr(native, name, getattr(before, name))
    return native


Wrapped = TypeVar("Wrapped", bound="WrappedArray")


class WrappedArray:
    """A library's array in one slot, with the attributes that the contract asks of a native array.

    A subclass names the class of the library's arrays and the dtypes. In-place operators are not defined: the core
    composes them. Where the library's arrays can be written to, ``Backend.setitem`` does it.

    Attributes
    ----------
    array
        The library's array.
    """

    __slots__ = ("array",)

    library_type: ClassVar[type]
    """The class of the library's arrays."""
    numpy_dtypes: ClassVar[Mapping[Any, DType]]
    """The ``numpy.dtype`` of each of the library's dtypes."""
    library_dtypes: ClassVar[Mapping[DType, Any]]
    """The library's dtype of each ``numpy.dtype``."""

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def described(self) -> Any:
        """Object with the dtype and the shape: the library's array, unless a subclass knows them without making it."""
        return self.array

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.numpy_dtypes[self.described.dtype]

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        return tuple(self.described.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self.described.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """The number of elements."""
        size = 1
        for length in self.described.shape:
            size *= length
        return size

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.array!r})"

    def __bool__(self) -> bool:
        return bool(self.array)

    def __int__(self) -> int:
        return int(self.array)

    def __float__(self) -> float:
        return float(self.array)

    def __complex__(self) -> complex:
        return complex(self.array)

    def __index__(self) -> int:
        return operator.index(self.array)

    def __getitem__(self: Wrapped, key: Any) -> Wrapped:
        return type(self)(self.array[self.unwrap(key)])

    @classmethod
    def unwrap(cls, value: Any) -> Any:
        """Return an argument as the library takes it: its own array, its own dtype, and sequences of these."""
        if value.__class__ is cls:
            return value.array
        if value.__class__ is tuple or value.__class__ is list:
            return value.__class__([cls.unwrap(item) for item in value])
        return cls.library_dtypes[value] if isinstance(value, np.dtype) else value

    @classmethod
    def wrap(cls, result: Any) -> Any:
        """Return a result as the core takes it: wrapped arrays, and plain tuples of them."""
        if result.__class__ is cls.library_type:
            return cls(result)
        if isinstance(result, (tuple, list)):
            return tuple([cls.wrap(item) for item in result])
        return result


Direct: TypeAlias = Mapping[str, tuple[Callable[..., Any], frozenset[Any]]]


def wrapped_namespace(
    arrays: type[WrappedArray], source: Any, prefix: str = "", *, direct: Direct | None = None
) -> Any:
    """Return a library's namespace over wrapped arrays.

    Parameters
    ----------
    arrays
        The class that wraps the library's arrays.
    source
        The library's functions as attributes, ``linalg`` and ``fft`` among them.
    prefix
        The chapter of the operations in ``source``, such as ``"linalg."``.
    direct
        By name, a function that computes the same as that of ``source`` for arrays of one dtype, and the library's
        dtypes for which it does. The compiled module calls it, without a Python function in between, where all options
        are None or False, and without these.
    """
    return _WrappedNamespace(arrays, source, prefix, direct or {})


class _WrappedNamespace:
    def __init__(self, arrays: type[WrappedArray], source: Any, prefix: str, direct: Direct) -> None:
        self._arrays = arrays
        self._source = source
        self._prefix = prefix
        self._direct = direct

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._source, name)
        if not self._prefix and name in ("linalg", "fft", "special", "nn", "inplace"):
            value: Any = _WrappedNamespace(self._arrays, attribute, f"{name}.", self._direct)
        else:
            path = self._prefix + name
            value = _compiled(self._arrays, attribute, _wrapped(self._arrays, attribute, path), self._direct.get(path))
        setattr(self, name, value)
        return value


PLAIN = frozenset((bool, int, float, str, type(None)))
"""The classes of options that are passed on as they are."""


def _compiled(
    arrays: type[WrappedArray],
    function: Callable[..., Any],
    in_python: Callable[..., Any],
    direct: tuple[Callable[..., Any], frozenset[Any]] | None,
) -> Callable[..., Any]:
    """Put the compiled module before a function of wrapped arrays, where the wrapper is no more than a slot."""
    inherited = ("array", "__init__", "unwrap", "wrap")
    if compiled is None or any(getattr_static(arrays, x) is not vars(WrappedArray)[x] for x in inherited):
        return in_python
    settings = arrays, arrays.library_type, function, *(direct or (None, None))
    short: Any = compiled.Function(compiled.WRAPPED, settings, 0, False)
    short.python = in_python
    return wraps(in_python)(short)


def _wrapped(arrays: type[WrappedArray], function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function of the library's arrays as one of wrapped arrays."""
    row = TABLE.get(name)
    if (
        row is not None
        and row.declared
        and row.kind == "elementwise"
        and row.dtype != "several"
        and name not in ("where", "clip", "may_have_infinity")
    ):
        return _of_one(arrays, function) if row.operands == 1 else _of_two(arrays, function)

    unwrap, wrap = arrays.unwrap, arrays.wrap

    @wraps(function)
    def general(*args: Any, **kwargs: Any) -> Any:
        values = [x.array if x.__class__ is arrays else unwrap(x) for x in args]
        for key, value in kwargs.items():
            if value.__class__ not in PLAIN:
                kwargs[key] = unwrap(value)
        return wrap(function(*values, **kwargs))

    return general


def _of_one(arrays: type[WrappedArray], function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def call(x: Any) -> Any:
        result = function(x.array)
        return result if result is NotImplemented else arrays(result)

    return call


def _of_two(arrays: type[WrappedArray], function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def call(x1: Any, x2: Any) -> Any:
        if x1.__class__ is arrays:
            result = function(x1.array, x2.array if x2.__class__ is arrays else x2)
        else:
            result = function(x1, x2.array)
        return result if result is NotImplemented else arrays(result)

    return call
