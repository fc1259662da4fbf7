"""Decorators that declare elementwise functions and add them to the table of operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..._core.dispatch import binary_function, unary_function
from ..._core.documentation import insert_sections
from ..._core.operations import Accepts, DTypeRule, declare

__all__ = ["binary", "unary"]

F = TypeVar("F", bound=Callable[..., Any])

UNARY_ERRORS = """\
Raises
------
TypeError
    If ``x`` is not an Array, or the device does not accept its dtype.
"""

BINARY_ERRORS = """\
Raises
------
TypeError
    If no operand is an Array, an operand is neither an Array nor a scalar, or the device does not accept a dtype.
ValueError
    If the shapes do not broadcast.
DeviceMismatchError
    If the operands are on different devices and transfers are forbidden.
OverflowError
    If a Python integer does not fit the dtype it is converted to.
"""


def unary(
    *,
    accepts: Accepts,
    dtype: DTypeRule = "promoted",
    operator: str | None = None,
    composition: Callable[..., Any] | None = None,
) -> Callable[[F], F]:
    """Declare an elementwise function of one array; see :class:`~xtensor._core.operations.Operation`.

    A docstring without a section Raises gets the one that these functions have in common.
    """

    def decorate(declaration: F) -> F:
        name = declaration.__name__
        if "Raises\n" not in (declaration.__doc__ or ""):
            insert_sections(declaration, UNARY_ERRORS)
        row = declare(
            name,
            "elementwise",
            accepts=accepts,
            dtype=dtype,
            shape="same",
            operator=operator,
            numpy=name,
            composition=composition,
        )
        return unary_function(row)(declaration)

    return decorate


def binary(
    *,
    accepts: Accepts,
    dtype: DTypeRule = "promoted",
    operator: str | None = None,
    composition: Callable[..., Any] | None = None,
    primitive: bool | None = None,
) -> Callable[[F], F]:
    """Declare an elementwise function of two operands; see :class:`~xtensor._core.operations.Operation`.

    A function with an operator and a promoted dtype gets an in-place operator, too. A docstring without a section
    Raises gets the one that these functions have in common.
    """

    def decorate(declaration: F) -> F:
        name = declaration.__name__
        if "Raises\n" not in (declaration.__doc__ or ""):
            insert_sections(declaration, BINARY_ERRORS)
        inplace = f"i{operator.strip('_')}" if operator and dtype == "promoted" else None
        row = declare(
            name,
            "elementwise",
            operands=2,
            accepts=accepts,
            dtype=dtype,
            operator=operator,
            inplace=inplace,
            numpy=name,
            composition=composition,
            primitive=primitive,
        )
        return binary_function(row)(declaration)

    return decorate
