"""Extension dtypes on the host: NumPy arrays of ml_dtypes' dtypes, whose functions compute in float32.

To NumPy these dtypes are opaque: sums are accumulated in the few bits of bfloat16, and Python floats promote it to
float32 or float64. Arrays of them are therefore of a subclass, to which NumPy dispatches every function (NEPs 13 and
18), so that arrays of other dtypes pay nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import DType, in_float32

__all__ = ["ExtensionArray", "as_computing"]

MOVING: frozenset[Callable[..., Any]] = frozenset(
    (
        *(np.array2string, np.array_repr, np.array_str, np.broadcast_to, np.copy, np.copyto),
        *(
            np.diagonal,
            np.expand_dims,
            np.flip,
            np.matrix_transpose,
            np.may_share_memory,
            np.moveaxis,
            np.repeat,
            np.reshape,
            np.roll,
        ),
        *(np.shares_memory, np.squeeze, np.swapaxes, np.take, np.take_along_axis, np.tile, np.transpose),
        *(np.put_along_axis, np.tril, np.triu),
    )
)
"""The functions that move elements without computing; their views stay views."""

JOINING: frozenset[Callable[..., Any]] = frozenset((np.concatenate, np.stack))
"""Functions that also promote their operands."""

Plain = np.ndarray[Any, Any]


def as_computing(value: Any) -> Plain:
    """Return a result as an array of the class that its dtype has."""
    array = np.asarray(value)
    return array.view(ExtensionArray if array.dtype.kind == "V" else np.ndarray)


def _upcast(x: Any) -> Plain:
    return np.asarray(x).astype(np.float32)


def _downcast(x: Any, dtype: DType) -> Plain:
    return np.asarray(x).astype(dtype).view(ExtensionArray)


def _plain(value: Any) -> Any:
    if isinstance(value, ExtensionArray):
        return value.view(np.ndarray)
    if value.__class__ in (list, tuple):
        return value.__class__([_plain(item) for item in value])
    return value


def _computing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A NumPy function on arrays of this class, which it receives as plain arrays."""
    if function in MOVING:
        plain_function = _keeping_class(function)
    elif function in JOINING:
        plain_function = in_float32(_keeping_class(function), _upcast, _downcast, only_promotes=True)
    else:
        plain_function = in_float32(function, _upcast, _downcast)

    def computing(*args: Any, **kwargs: Any) -> Any:
        return plain_function(*map(_plain, args), **{name: _plain(value) for name, value in kwargs.items()})

    return computing


def _keeping_class(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that only moves elements; its result has the class that its dtype has."""

    def moving(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return as_computing(result) if isinstance(result, np.ndarray) else result

    return moving


class ExtensionArray(np.ndarray):
    """An array of an extension dtype. Results of other dtypes have this class only until the core normalises them."""

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] | None = None, **kwargs: Any
    ) -> Any:
        if ufunc in (np.nextafter, np.spacing) and {getattr(x, "dtype", self.dtype) for x in inputs} == {self.dtype}:
            result = as_computing(ufunc(*(np.asarray(_plain(x), self.dtype) for x in inputs), **kwargs))
        else:
            result = _computing(getattr(ufunc, method))(*inputs, **kwargs)
        if ufunc is np.ldexp:  # the exponents do not promote
            result = _downcast(result, self.dtype)
        if out is None:
            return result
        target = _plain(out[0])
        if np.asarray(result).dtype.kind == "c" and target.dtype.kind != "c":
            raise TypeError(f"cannot cast {result.dtype} to {target.dtype} in place")
        if target.shape != np.broadcast_shapes(np.shape(result), target.shape):
            raise ValueError(f"cannot write a result of shape {np.shape(result)} into shape {target.shape} in place")
        np.copyto(target, _plain(result), casting="unsafe" if target.dtype.kind == "V" else "same_kind")
        return out[0]

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return _computing(func)(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        """Return an array for an element, too: a scalar of ml_dtypes would lose the class."""
        return as_computing(super().__getitem__(key))

    # NumPy's methods compute in steps, each of which would be rounded.

    def mean(self, *args: Any, **kwargs: Any) -> Any:
        return _computing(np.mean)(self, *args, **kwargs)

    def var(self, *args: Any, **kwargs: Any) -> Any:
        return _computing(np.var)(self, *args, **kwargs)

    def std(self, *args: Any, **kwargs: Any) -> Any:
        return _computing(np.std)(self, *args, **kwargs)

    def argmax(self, *args: Any, **kwargs: Any) -> Any:
        return _computing(np.argmax)(self, *args, **kwargs)

    def argmin(self, *args: Any, **kwargs: Any) -> Any:
        return _computing(np.argmin)(self, *args, **kwargs)
