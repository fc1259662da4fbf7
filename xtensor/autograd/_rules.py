"""Functions of the table's formulas that have derivatives of their own.

A derivative is differentiated again for the next order, as any function of Arrays. Where its formula divides by what
may be 0, selects a branch or cancels, the formula's own derivative is wrong although its value is right. Such a formula
becomes a function with a rule: transforms follow the rule and do not look into the formula.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .._core.array import Array
from .._core.device import Device
from .._core.levels import lifted
from ._record import wrapped
from ._table import Derivative, elementwise_row, pullback_row
from ._transform import Transform

__all__ = ["differentiated_by_pullback", "differentiated_by_rules"]

F = TypeVar("F", bound=Callable[..., Any])


def differentiated_by_rules(*rules: Callable[..., Any] | None) -> Callable[[F], F]:
    """Give an elementwise formula of one to three operands the pullback of each operand.

    Parameters
    ----------
    rules
        The functions that :func:`~xtensor.autograd._table.elementwise` takes; None for an operand that is never
        differentiated, a number for example.
    """
    return lambda formula: _followed(formula, elementwise_row(formula.__name__, *rules))


def differentiated_by_pullback(
    pull: Callable[..., Any], keeps: str, connection: Callable[..., Any]
) -> Callable[[F], F]:
    """Give a formula the function that pulls a cotangent back to all its operands.

    Parameters
    ----------
    pull, keeps
        The function and the names of the parameters whose values it uses, as for
        :func:`~xtensor.autograd._table.pullback`.
    connection
        The function that pulls a mask of connected elements back.
    """

    def decorate(formula: F) -> F:
        row = pullback_row(formula.__name__, pull, keeps, several=True)
        row.connection = connection
        return _followed(formula, row)

    return decorate


def _followed(formula: F, row: Derivative) -> F:
    def function(*operands: Any) -> Any:
        device = _highest(operands)
        if device is None:
            with np.errstate(all="ignore"):
                return formula(*operands)
        transform = device._library
        assert isinstance(transform, Transform)
        base = transform.below

        def compute(*values: Any) -> Any:
            return function(*wrapped(values, base))._native

        makers = (transform.general, transform.unary, transform.binary, transform.ternary)
        natives = [lifted(x, device)._native if x.__class__ is Array else x for x in operands]
        return wrapped(makers[len(row.elementwise)](row, compute)(*natives), device)

    return function  # type: ignore[return-value]


def _highest(operands: tuple[Any, ...]) -> Device | None:
    """Return the device of the transform that is above the others, or None."""
    device: Device | None = None
    for x in operands:
        if x.__class__ is Array and isinstance(x._device._library, Transform):
            device = x._device if device is None or x._device.level > device.level else device
    return device
