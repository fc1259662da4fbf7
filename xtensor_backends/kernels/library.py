"""Functions of a device's library in the place of formulas."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from .values import Value

__all__ = ["library"]

Function = TypeVar("Function", bound=Callable[..., Value])


def library(name: str) -> Callable[[Function], Function]:
    """Give a formula the name of a library's function, which generators that have the library call instead."""

    def decorate(formula: Function) -> Function:
        @wraps(formula)
        def computed(x: Value, *others: Any) -> Value:
            if name in x.builder.library:
                return Value(x.builder, x.builder.intrinsic(name, x.dtype, x.code, *[y.code for y in others]), x.dtype)
            return formula(x, *others)

        return cast("Function", computed)

    return decorate
