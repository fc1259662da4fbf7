"""The table of formulas: the operations that machine code computes, by their names in xtensor's table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from . import _arithmetic, _exponential, _hyperbolic, _powers, _trigonometric
from ._values import Value, sqrt

__all__ = ["FORMULAS", "Formula"]


class Formula(NamedTuple):
    """A function of an element.

    Attributes
    ----------
    function
        A function of values of one dtype that returns a value.
    kinds
        Kinds of dtype that the function takes, as NumPy's letters; of floating-point dtypes float32 and float64.
    covers
        A function of the same values that returns whether the result is right, or None where it always is. NumPy's own
        function must compute the other elements.
    """

    function: Callable[..., Value]
    kinds: str = "f"
    covers: Callable[..., Value] | None = None


FORMULAS: dict[str, Formula] = {
    **{name: Formula(function, kinds) for name, (function, kinds) in _arithmetic.TABLE.items()},
    "acos": Formula(_trigonometric.acos),
    "acosh": Formula(_hyperbolic.acosh),
    "asin": Formula(_trigonometric.asin),
    "asinh": Formula(_hyperbolic.asinh),
    "atan": Formula(_trigonometric.atan),
    "atan2": Formula(_trigonometric.atan2),
    "atanh": Formula(_hyperbolic.atanh),
    "cbrt": Formula(_powers.cbrt),
    "cos": Formula(_trigonometric.cos, covers=_trigonometric.covers_reduction),
    "cosh": Formula(_hyperbolic.cosh),
    "exp": Formula(_exponential.exp),
    "exp2": Formula(_exponential.exp2),
    "expm1": Formula(_exponential.expm1),
    "float_power": Formula(_powers.power),
    "floor_divide": Formula(_arithmetic.floor_divide, "iuf", _arithmetic.covers_remainder),
    "hypot": Formula(_powers.hypot),
    "log": Formula(_exponential.log),
    "log10": Formula(_exponential.log10),
    "log1p": Formula(_exponential.log1p),
    "log2": Formula(_exponential.log2),
    "logaddexp": Formula(_exponential.logaddexp),
    "logaddexp2": Formula(_exponential.logaddexp2),
    "pow": Formula(_powers.power),
    "remainder": Formula(_arithmetic.remainder, "iuf", _arithmetic.covers_remainder),
    "sin": Formula(_trigonometric.sin, covers=_trigonometric.covers_reduction),
    "sinh": Formula(_hyperbolic.sinh),
    "special.cbrt": Formula(_powers.cbrt),
    "special.exp2": Formula(_exponential.exp2),
    "special.expit": Formula(_exponential.sigmoid),
    "sqrt": Formula(sqrt),
    "tan": Formula(_trigonometric.tan, covers=_trigonometric.covers_reduction),
    "tanh": Formula(_hyperbolic.tanh),
}
