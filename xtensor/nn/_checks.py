"""Checks of the arguments of functions of neural networks."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from .._core.array import Array
from .._core.checks import check_axes, check_word
from .._core.dtypes import kind_of
from .._core.errors import describe, shortened
from .._core.operands import device_of

__all__ = [
    "Precision",
    "broadcasts_to",
    "check_eps",
    "check_last_axes",
    "check_number",
    "check_parameter",
    "check_precision",
    "check_real_floating",
]

Precision: TypeAlias = Literal["exact", "tf32"]
"""Precision of the products of float32 matrices."""


def check_real_floating(x: Any, function: str, name: str) -> None:
    """Raise TypeError unless an argument is an Array of a real floating-point dtype."""
    device_of(x, function)
    if kind_of(x.dtype) != "f":
        raise TypeError(
            f"{function}(): {name} has dtype {x.dtype}, expected a real floating-point dtype; cast it with "
            "xtensor.astype"
        )


def check_parameter(x: Array | None, shape: tuple[int, ...], function: str, name: str) -> None:
    """Raise an error unless a learned parameter is absent or a real floating-point Array of a shape."""
    if x is None:
        return
    check_real_floating(x, function, name)
    if x.shape != shape:
        raise ValueError(f"{function}(): {name} has shape {x.shape}, expected {shape}; reshape it with xtensor.reshape")


def check_last_axes(axis: Any, x: Array, function: str) -> tuple[int, ...]:
    """Return one or several axes, which must be the last ones of ``x``, in ascending order."""
    axes = tuple(sorted(check_axes(axis, x.ndim, function)))
    if not axes or axes != tuple(range(x.ndim - len(axes), x.ndim)):
        raise ValueError(
            f"{function}(): axis {shortened(axis)} is neither the last axis nor a tuple of the last axes of shape "
            f"{x.shape}; "
            "move the axes to the end with xtensor.moveaxis"
        )
    return axes


def check_number(value: Any, function: str, name: str) -> float:
    """Return an argument that must be a real number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{function}(): {name} is a real number, not {describe(value)}")
    return float(value)


def check_eps(eps: Any, function: str) -> float:
    """Return an ``eps=`` argument, which must be a nonnegative number."""
    value = check_number(eps, function, "eps")
    if not value >= 0:
        raise ValueError(f"{function}(): eps is a nonnegative number, not {shortened(eps)}")
    return value


def check_precision(precision: Any, function: str) -> str:
    """Return a ``precision=`` argument: ``"exact"`` or ``"tf32"``."""
    return check_word(precision, ("exact", "tf32"), function, "precision")


def broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether an array of a shape broadcasts to a target shape."""
    if len(shape) > len(target):
        return False
    trailing = target[len(target) - len(shape) :]
    return all(length in (1, expected) for length, expected in zip(shape, trailing, strict=True))
