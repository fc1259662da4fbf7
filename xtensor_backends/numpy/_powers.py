"""Powers, in which NumPy's faster ways for single exponents give the standard's values.

NumPy computes the exponent 0.5 of float32 and float64 as a square root where one exponent serves all bases of a loop:
an array of one exponent, and one that broadcasts, by the shapes and the memory of both operands. The root of -0.0 is
-0.0 and that of minus infinity NaN, where the powers are 0.0 and infinity. With a Python number as exponent the square
root is what is documented, but for float16.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xtensor.backend import Native, with_short_way

__all__ = ["Inplace", "bases", "pow"]

NUMBERS = frozenset("bhilqBHILQfdgFDG")
"""Characters of the dtypes of numbers but float16."""

POWERS = NUMBERS | {"e"}
"""Characters of the dtypes whose powers are those of NumPy's operator, but for square roots of float16."""


def bases(x1: Any, x2: Native) -> Any:
    """Return the bases, without the sign of zeros and infinities whose root NumPy takes for their power."""
    is_array = x1.__class__ is np.ndarray
    if x2.size == 1:
        if x2.item() != 0.5:
            return x1
    elif is_array and x2.shape == x1.shape and 0 not in x2.strides:
        return x1  # each base has an exponent in memory of its own
    is_root = x2 == 0.5
    if x2.dtype.kind != "f" or not is_root.any():
        return x1
    if not is_array:
        return abs(x1) if x1 in (0.0, -math.inf) and x1.__class__ is not complex else x1
    if x1.dtype.kind == "c":
        return x1
    return np.where(((x1 == 0) | np.isinf(x1)) & is_root, np.abs(x1), x1)


@with_short_way("POWER")
def pow(x1: Native, x2: Native) -> Native:
    if x2.__class__ is np.ndarray:
        return np.power(bases(x1, x2), x2)
    # NumPy's operator calls square, sqrt and reciprocal for the exponents 2, 0.5 and -1; np.power does not. A root of
    # float16 stays with np.power, whose results for zeros and infinities of negative sign are the standard's.
    if (x2.__class__ is int or x2.__class__ is float) and x1.dtype.char in (NUMBERS if x2 == 0.5 else POWERS):
        if (x2 == 3 or x2 == 4) and x1.dtype.char in "fd" and x1.ndim:
            # Where an element is negative, np.power takes fifty nanoseconds for each.
            square: Any = np.square(x1)
            return np.multiply(square, x1 if x2 == 3 else square, out=square)
        return x1**x2
    return np.power(x1, x2)


class Inplace:
    """The in-place operator ``**=`` where NumPy's own has other values than ``pow``."""

    @staticmethod
    def pow(x1: Native, x2: Native) -> Native:
        if x2.__class__ is np.ndarray:
            first = bases(x1, x2)
            return NotImplemented if first is x1 else np.power(first, x2, out=x1)
        if x1.dtype.char == "e" and x2 == 0.5:
            return np.power(x1, x2, out=x1)
        return NotImplemented
