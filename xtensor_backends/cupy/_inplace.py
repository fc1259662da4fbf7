"""CuPy's in-place operators, for the operands on which they agree with the functions.

For all other operands the core computes the result and assigns it: quotients of complex numbers, which are corrected;
shifts and powers; quotients of integers, whose result dtype may not fit; bfloat16, which is computed in float32.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from xtensor.backend import Native

from ._indexing import refuse_broadcast_view

__all__ = ["OPERATORS", "Inplace"]

OPERATORS: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "add": (operator.iadd, "biufc"),
    "bitwise_and": (operator.iand, "biu"),
    "bitwise_or": (operator.ior, "biu"),
    "bitwise_xor": (operator.ixor, "biu"),
    "divide": (operator.itruediv, "f"),
    "multiply": (operator.imul, "biufc"),
    "subtract": (operator.isub, "iufc"),
}
"""Each operation's in-place operator, and the kinds of dtype of the first operand for which it is CuPy's own."""


class Inplace:
    """The in-place operators as attributes; each writes into its first operand and returns it."""

    def __init__(self) -> None:
        for name, (operate, kinds) in OPERATORS.items():
            setattr(self, name, _for_kinds(operate, kinds))


def _for_kinds(operate: Callable[[Any, Any], Any], kinds: str) -> Callable[[Native, Native], Native]:
    """An operator that declines a first operand of other kinds, and bfloat16 as the second."""

    def in_place(x1: Native, x2: Native) -> Native:
        if x1.dtype.kind not in kinds or getattr(x2, "dtype", x1.dtype).kind == "V":
            return NotImplemented
        refuse_broadcast_view(x1)
        return operate(x1, x2)

    return in_place
