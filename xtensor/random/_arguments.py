"""Arguments of the methods: parameters, sizes, dtypes and results, with the checks of NumPy's Generator.

A parameter is a number, which stays a Python number, or an Array on the generator's device. The checks of an Array look
at its values, for which the host waits for the device.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import wrap
from .._core.checks import check_shape
from .._core.device import Device
from .._core.dtypes import DType, as_dtype, kind_of
from .._core.errors import describe, shortened
from .._core.operands import SEQUENCES, native_operand

if TYPE_CHECKING:
    from .._core.annotations import ArrayLike, DTypeLike

    Parameter: TypeAlias = ArrayLike
    """A number, an Array, a NumPy array, or a nested sequence of them."""

__all__ = [
    "Check",
    "Size",
    "above_one",
    "at_least",
    "below_one",
    "check_out",
    "floating",
    "non_negative",
    "output_shape",
    "parameter",
    "positive",
    "positive_probability",
    "probability",
    "real_dtype",
    "require",
    "whole_numbers",
]

Size: TypeAlias = "int | Sequence[int] | None"
"""The shape of a result; None for the shape to which the parameters broadcast."""

Check: TypeAlias = "Callable[[Any], Any]"


# -- conditions of parameters: of a number or, for each element, of an Array ----------------------------------------


def non_negative(x: Any) -> Any:
    """Return whether a number is not negative, as NumPy does: -0.0 is negative, and NaN is not."""
    sign = xp.signbit(x) if isinstance(x, Array) else math.copysign(1.0, x) < 0.0
    return (sign ^ True) | (x != x)


def positive(x: Any) -> Any:
    return (x > 0) | (x != x)


def at_least(least: float) -> Check:
    return lambda x: x >= least


def above_one(x: Any) -> Any:
    return x > 1


def probability(x: Any) -> Any:
    return (x >= 0) & (x <= 1)


def positive_probability(x: Any) -> Any:
    return (x > 0) & (x <= 1)


def below_one(x: Any) -> Any:
    return (x >= 0) & (x < 1)


def require(condition: Any, message: str, value: Any, remedy: str) -> None:
    """Raise ValueError unless a condition holds, for all elements of an Array."""
    if condition is True or (condition is not False and bool(xp.all(condition))):
        return
    received = (
        f"; it is {shortened(value)}"
        if not isinstance(value, Array)
        else f"; some elements of shape {value.shape} are not"
    )
    raise ValueError(f"{message}{received}; {remedy}")


# -- conversions ------------------------------------------------------------------------------------------------------


def convert(value: Any, device: Device, function: str, name: str) -> int | float | Array:
    """Return a parameter as a Python number or as a real Array on a device."""
    if value.__class__ in (float, int):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, SEQUENCES):
        value = xp.asarray(value, device=device)
    if value is None or isinstance(value, (str, bytes, complex)):
        raise TypeError(f"must be real number, not {type(value).__name__}; {function}(): {name} is {shortened(value)}")
    array = wrap(native_operand(value, device, function), device)
    if kind_of(array.dtype) not in "biuf":
        raise TypeError(f"{function}(): {name} has dtype {array.dtype}, expected real numbers; take xtensor.real(x)")
    return array


def parameter(
    value: Any,
    device: Device,
    function: str,
    name: str,
    check: Check | None = None,
    message: str = "",
    expected: str = "",
) -> float | Array:
    """Return a parameter of a continuous distribution: a float, or an Array of the device's default dtype."""
    converted = convert(value, device, function, name)
    if isinstance(converted, Array):
        result: float | Array = floating(converted)
    else:
        try:
            result = float(converted)
        except OverflowError:
            raise ValueError(f"{function}(): {name} is {converted}, beyond the numbers of float64") from None
    if check is not None:
        require(check(result), f"{name} {message}", result, f"{function}() takes {expected}")
    return result


def whole_numbers(value: Any, device: Device, function: str, name: str) -> int | float | Array:
    """Return a parameter that counts things: a Python number, or an Array of an integer dtype."""
    converted = convert(value, device, function, name)
    if isinstance(converted, Array) and converted.dtype.kind not in "biu":
        raise TypeError(
            f"Cannot cast array data from {converted.dtype!r} to dtype('int64') according to the rule 'safe'; "
            f"{function}(): {name} is an array of integers; cast it with xtensor.astype"
        )
    return converted


def floating(x: Array) -> Array:
    """Cast an Array to its device's default real floating-point dtype."""
    dtype = x._device.default_dtypes["real floating"]
    return x if x.dtype == dtype else xp.astype(x, dtype)


def real_dtype(dtype: DTypeLike | None, device: Device, function: str) -> DType:
    """Return a ``dtype=`` argument, which is float32 or float64; None means the device's default."""
    if dtype is None:
        return device.default_dtypes["real floating"]
    real = as_dtype(dtype, function)
    if real not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise TypeError(
            f"Unsupported dtype dtype('{real}') for {function}; it takes float32 and float64; cast the result with "
            "xtensor.astype"
        )
    if real not in device.dtypes:
        raise TypeError(
            f"{function}(): device {device} does not support dtype {real}; it supports "
            f"{', '.join(device.dtype_names())}"
        )
    return real


def output_shape(function: str, size: Size, *parameters: Any) -> tuple[int, ...]:
    """Return the shape of a result: ``size``, to which the parameters broadcast; without it their broadcast shape."""
    shapes = [x.shape for x in parameters if isinstance(x, Array)]
    if size is not None:
        shape = check_shape(size if isinstance(size, int) else _lengths(size), function, 8)
        shapes.append(shape)
    if not shapes:
        return ()
    try:
        broadcast = np.broadcast_shapes(*shapes)
    except ValueError:
        raise _mismatch(function, shapes, size) from None
    if size is not None and broadcast != shape:
        raise _mismatch(function, shapes, size)
    return broadcast


def _lengths(size: Any) -> Any:
    return tuple(size) if isinstance(size, Sequence) and not isinstance(size, str) else size


def _mismatch(function: str, shapes: list[tuple[int, ...]], size: Size) -> ValueError:
    words = " and ".join(map(str, shapes if size is None else shapes[:-1]))
    wanted = "" if size is None else f" to size {shapes[-1]}"
    return ValueError(
        f"shape mismatch: objects cannot be broadcast to a single shape; {function}(): parameters of shape {words} do "
        f"not broadcast{wanted}; reshape them with xtensor.reshape, or leave size out"
    )


def check_out(out: Any, size: Size, dtype: DType, device: Device, function: str) -> None:
    """Raise an error unless a result can be written into ``out``."""
    if not isinstance(out, Array):
        raise TypeError(f"{function}(): out is an Array on device {device}, not {describe(out)}")
    if out._device is not device:
        raise ValueError(
            f"{function}(): out is on device {out._device} and the generator on {device}; make out on that device"
        )
    if out.dtype != dtype:
        raise TypeError(
            f"Supplied output array has the wrong type. Expected {dtype}, got {out.dtype}; make out with "
            f"dtype=xtensor.{dtype}, or pass dtype="
        )
    if size is not None and output_shape(function, size) != out.shape:
        raise ValueError(
            f"size must match out.shape when used together; {function}(): size is {size} and out has shape "
            f"{out.shape}; leave size out"
        )
