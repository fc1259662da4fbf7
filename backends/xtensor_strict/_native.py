"""The native array: an ``array_api_strict`` array that shows its dtype as a ``numpy.dtype``."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

import numpy as np

from xtensor.backend import STANDARD_DTYPES, DType

from ._library import library

__all__ = ["ARRAY", "StrictArray", "adapted", "from_host"]

STRICT_DTYPES: dict[DType, Any] = {dtype: getattr(library, dtype.name) for dtype in STANDARD_DTYPES}

NUMPY_DTYPES: dict[Any, DType] = {strict: dtype for dtype, strict in STRICT_DTYPES.items()}

ARRAY: Any = type(library.asarray(0))
"""array_api_strict's array class, which it does not name in public."""


class StrictArray:
    """An array of array_api_strict, with what the backend contract asks of a native array and nothing beyond it."""

    __slots__ = ("strict",)

    def __init__(self, strict: Any) -> None:
        self.strict = strict

    @property
    def dtype(self) -> DType:
        return NUMPY_DTYPES[self.strict.dtype]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.strict.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        return self.strict.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        return self.strict.size  # type: ignore[no-any-return]

    def host(self) -> np.ndarray[Any, Any]:
        """The same memory as a NumPy array."""
        return np.asarray(self.strict)

    def __repr__(self) -> str:
        return repr(self.strict)

    def __bool__(self) -> bool:
        return bool(self.strict)

    def __int__(self) -> int:
        return int(self.strict)

    def __float__(self) -> float:
        return float(self.strict)

    def __complex__(self) -> complex:
        return complex(self.strict)

    def __index__(self) -> int:
        return operator.index(self.strict)

    def reshape(self, shape: tuple[int, ...]) -> NoReturn:
        # The core asks for this where one element with axes is to become a Python scalar, as NumPy lets it.
        raise TypeError(f"only an array without axes becomes a Python scalar, not one of shape {self.shape}")

    def __getitem__(self, key: Any) -> StrictArray:
        return StrictArray(self.strict[_given(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.strict[_given(key)] = _given(value)

    def __dlpack__(self, **asked: Any) -> Any:
        return self.strict.__dlpack__(**asked)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.strict.__dlpack_device__()  # type: ignore[no-any-return]


def _inplace(name: str) -> Callable[[StrictArray, Any], StrictArray]:
    """An in-place operator, as array_api_strict has it."""
    operation = getattr(operator, name)

    def method(self: StrictArray, other: Any) -> StrictArray:
        self.strict = operation(self.strict, _given(other))
        return self

    return method


for _name in (
    *("iadd", "iand", "ifloordiv", "ilshift", "imatmul", "imod", "imul"),
    *("ior", "ipow", "irshift", "isub", "itruediv", "ixor"),
):
    setattr(StrictArray, f"__{_name}__", _inplace(_name))


def from_host(array: np.ndarray[Any, Any], *, copy: bool | None) -> StrictArray:
    """A NumPy array's values as a native array; ``copy`` as in the standard's ``asarray``."""
    return StrictArray(library.asarray(array, copy=copy))


def adapted(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of array_api_strict, as one of native arrays and NumPy's dtypes."""

    @wraps(function)
    def on_natives(*args: Any, **kwargs: Any) -> Any:
        return _taken(function(*map(_given, args), **{name: _given(value) for name, value in kwargs.items()}))

    return on_natives


def _given(value: Any) -> Any:
    """An argument, as array_api_strict takes it."""
    if value.__class__ is StrictArray:
        return value.strict
    if value.__class__ is tuple or value.__class__ is list:
        return value.__class__(map(_given, value))
    return STRICT_DTYPES[value] if isinstance(value, np.dtype) else value


def _taken(result: Any) -> Any:
    """What array_api_strict gave, as the core takes it: named tuples become plain ones."""
    if isinstance(result, tuple):
        return tuple(map(_taken, result))
    return StrictArray(result) if result.__class__ is ARRAY else result
