"""bfloat16 on the host: NumPy arrays of ml_dtypes' dtype, whose functions compute in float32.

NumPy takes the dtype for an opaque one: it adds up in its 8 bits of precision, promotes Python's floats with it to
float32 or float64, and has no limits for it. Arrays of it are therefore of a class of their own, to which NumPy itself
hands every function (NEPs 13 and 18), so that no other dtype pays for the question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from xtensor.backend import in_float32

__all__ = ["BFLOAT16", "BFloat16Array", "dressed"]

BFLOAT16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)

LAYOUT: frozenset[Callable[..., Any]] = frozenset(
    (
        *(np.array2string, np.array_repr, np.array_str, np.broadcast_to, np.copy, np.copyto),
        *(np.diagonal, np.expand_dims, np.flip, np.may_share_memory, np.moveaxis, np.repeat, np.reshape, np.roll),
        *(np.shares_memory, np.squeeze, np.swapaxes, np.take, np.take_along_axis, np.tile, np.transpose),
        *(np.put_along_axis, np.tril, np.triu),
    )
)
"""The functions that compute nothing: they see the elements as they are, and views stay views."""

JOINS: frozenset[Callable[..., Any]] = frozenset((np.concatenate, np.stack))
"""Those that promote their operands, too."""

Plain = np.ndarray[Any, Any]


def dressed(value: Any) -> Plain:
    """What a function gave as an array of the class that its dtype has."""
    array = np.asarray(value)
    return array.view(BFloat16Array) if array.dtype == BFLOAT16 else array.view(np.ndarray)


def _widen(x: Any) -> Plain:
    return np.asarray(x).astype(np.float32)


def _narrow(x: Any) -> Plain:
    return np.asarray(x).astype(BFLOAT16).view(BFloat16Array)


def _plain(value: Any) -> Any:
    if isinstance(value, BFloat16Array):
        return value.view(np.ndarray)
    if value.__class__ in (list, tuple):
        return value.__class__([_plain(item) for item in value])
    return value


def _computing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's on arrays of this class, which it gets to see as NumPy's own."""
    if function in LAYOUT:
        bare = _dressing(function)
    elif function in JOINS:
        bare = in_float32(_dressing(function), _widen, _narrow, joins=True)
    else:
        bare = in_float32(function, _widen, _narrow)

    def computing(*args: Any, **kwargs: Any) -> Any:
        return bare(*map(_plain, args), **{name: _plain(value) for name, value in kwargs.items()})

    return computing


def _dressing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that only moves elements, its result in the class that its dtype has."""

    def moving(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return dressed(result) if isinstance(result, np.ndarray) else result

    return moving


class BFloat16Array(np.ndarray):
    """An array of bfloat16; of other dtypes only until the core has it."""

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: tuple[Any, ...] | None = None, **kwargs: Any
    ) -> Any:
        function = getattr(ufunc, method)
        if ufunc is np.nextafter and all(getattr(x, "dtype", BFLOAT16) == BFLOAT16 for x in inputs):
            function = _next_after
        result = _computing(function)(*inputs, **kwargs)
        if out is None:
            return result
        target = _plain(out[0])
        if np.asarray(result).dtype.kind == "c" and target.dtype.kind != "c":
            raise TypeError(f"cannot cast {result.dtype} to {target.dtype} in place")
        if target.shape != np.broadcast_shapes(np.shape(result), target.shape):
            raise ValueError(f"cannot write a result of shape {np.shape(result)} into shape {target.shape} in place")
        np.copyto(target, _plain(result), casting="unsafe" if target.dtype == BFLOAT16 else "same_kind")
        return out[0]

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return _computing(func)(*args, **kwargs)

    # What NumPy's methods compute step by step would be rounded at each step.

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


def _next_after(x1: Any, x2: Any, **kwargs: Any) -> Any:
    """Neighbours are counted in bfloat16 itself; operands come widened, which loses nothing."""
    return np.nextafter(np.asarray(x1).astype(BFLOAT16), np.asarray(x2).astype(BFLOAT16), **kwargs).astype(np.float32)
