"""Elementwise functions of Python numbers: values that no array library computes.

Arithmetic is Python's own. Special values are those of ``math`` and ``cmath``, and the standard's where these raise or
differ. Where the standard does not specify the sign of a zero, it is NumPy's.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = [
    "Scalar",
    "floored_quotient",
    "from_math",
    "integral",
    "inverted",
    "larger",
    "log_of_sum",
    "neighbour",
    "power",
    "quotient",
    "remainder",
    "scalar_values",
    "sign",
    "smaller",
]

Scalar = Callable[..., Any]
"""A function of Python numbers."""


def scalar_values(function: Scalar, arrays: list[Any], dtype: Any) -> Any:
    """The values of a function of Python numbers, in a dtype; integers wrap around."""
    if function is neighbour:
        return neighbour(*arrays)  # depends on the dtype, not on the numbers alone
    arrays = np.broadcast_arrays(*arrays)
    values = [function(*numbers) for numbers in zip(*(array.ravel().tolist() for array in arrays), strict=True)]
    if dtype.kind in "iu":
        wrapped = [int(value) % 2 ** (8 * dtype.itemsize) for value in values]
        return np.array(wrapped, f"u{dtype.itemsize}").view(dtype).reshape(arrays[0].shape)
    return np.array(values, dtype).reshape(arrays[0].shape)


inf, nan, pi = math.inf, math.nan, math.pi


def from_math(name: str, poles: dict[float, float] | None = None) -> Scalar:
    """The function of ``math`` or ``cmath``, with the standard's value where Python raises ValueError."""

    def scalar(x: Any) -> Any:
        if isinstance(x, complex):
            return COMPLEX[name](x) if name in COMPLEX else from_cmath(name, x)
        try:
            return getattr(math, name)(x)
        except ValueError:
            return (poles or {}).get(x, nan)

    return scalar


def from_cmath(name: str, z: complex) -> complex:
    try:
        return getattr(cmath, name)(z)
    except ValueError:
        return OUTSIDE_CMATH[name](z.real, z.imag)


OUTSIDE_CMATH: dict[str, Callable[[float, float], complex]] = {
    "atan": lambda a, b: complex(a, math.copysign(inf, b)),
    "atanh": lambda a, b: complex(math.copysign(inf, a), b),
    "cos": lambda a, b: complex(abs(b) if math.isinf(b) else nan, nan if b else 0.0),
    "cosh": lambda a, b: complex(abs(a) if math.isinf(a) else nan, nan if a else 0.0),
    "exp": lambda a, b: complex(inf if a == inf else nan, nan),
    "log": lambda a, b: complex(-inf, math.atan2(b, a)),
    "log10": lambda a, b: complex(-inf, math.atan2(b, a) / math.log(10)),
    "sin": lambda a, b: complex(nan, b if b == 0 or math.isinf(b) else nan),
    "sinh": lambda a, b: complex(a if a == 0 or math.isinf(a) else nan, nan),
}
"""The standard's values where ``cmath`` raises ValueError."""


def complex_tanh(z: complex) -> complex:
    if math.isinf(z.real):
        return complex(math.copysign(1, z.real), math.copysign(0, z.imag))
    return cmath.tanh(z) if math.isfinite(z.imag) else complex(z.real if z.real == 0 else nan, nan)


def complex_tan(z: complex) -> complex:
    rotated = complex_tanh(complex(-z.imag, z.real))
    return complex(rotated.imag, -rotated.real)


def complex_exp(z: complex) -> complex:
    vanishes = z.real == -inf and math.isinf(z.imag)
    return complex(0.0, math.copysign(0.0, z.imag)) if vanishes else from_cmath("exp", z)


def complex_atan(z: complex) -> complex:
    unspecified = math.isinf(z.real) and math.isnan(z.imag)
    return complex(math.copysign(pi / 2, z.real), 0.0) if unspecified else from_cmath("atan", z)


def divided(z: complex, divisor: float) -> complex:
    return complex(z.real / divisor, z.imag / divisor)


COMPLEX: dict[str, Callable[[complex], complex]] = {
    "acosh": lambda z: complex(nan, pi / 2) if z.real == 0 and math.isnan(z.imag) else cmath.acosh(z),
    "atan": complex_atan,
    "exp": complex_exp,
    "expm1": lambda z: from_cmath("exp", z) - complex(1.0, 0.0),
    "log1p": lambda z: from_cmath("log", complex(1 + z.real, z.imag)),
    "log2": lambda z: divided(from_cmath("log", z), math.log(2)),
    "tan": complex_tan,
    "tanh": complex_tanh,
}
"""Functions that ``cmath`` lacks, or whose special values differ from the standard's."""


def integral(function: Scalar) -> Scalar:
    """A rounding of ``math``, which keeps infinities, NaN and the signs of zeros."""

    def scalar(x: Any) -> Any:
        if isinstance(x, complex):
            return complex(scalar(x.real), scalar(x.imag))
        return x if isinstance(x, int) or not math.isfinite(x) else math.copysign(function(x), x)

    return scalar


def quotient(a: float, b: float) -> float:
    if b:
        return a / b
    return nan if a == 0 or math.isnan(a) else math.copysign(inf, a) * math.copysign(1, b)


def floored_quotient(a: Any, b: Any) -> Any:
    if isinstance(a, int):
        return a // b
    rounded = quotient(a, b)
    if not (math.isfinite(a) and math.isfinite(b) and b):
        return rounded  # zero, infinite or NaN
    if abs(rounded) >= 2.0**52:
        return a // b  # the exact floor is no float, or a - a % b is none: Python's value is NumPy's
    try:
        return math.copysign(float(Fraction(a) // Fraction(b)), rounded)
    except OverflowError:
        return math.copysign(inf, rounded)


def remainder(a: Any, b: Any) -> Any:
    return a % b if b else nan


def power(a: Any, b: Any) -> Any:
    if isinstance(a, int):
        return a**b
    try:
        return math.pow(a, b)
    except ValueError:  # a negative base, or zero to a negative power
        if a:
            return nan
        return math.copysign(inf, a) if b % 2 == 1 else inf


def log_of_sum(a: float, b: float) -> float:
    if math.isfinite(a) and math.isfinite(b):
        return float((Decimal(a).exp() + Decimal(b).exp()).ln())
    return larger(a, b) + 0.0  # exp(-0) is 1, whose logarithm is +0


def larger(a: Any, b: Any) -> Any:
    return nan if a != a or b != b else max(a, b)


def smaller(a: Any, b: Any) -> Any:
    return nan if a != a or b != b else min(a, b)


def neighbour(x1: Any, x2: Any) -> Any:
    """``nextafter`` by integer arithmetic on the bits, which are ordered as the numbers of one sign."""
    lowest = np.iinfo(f"i{x1.itemsize}").min
    x1, x2 = (np.array(x) for x in np.broadcast_arrays(x1, x2))
    bits = x1.view(f"i{x1.itemsize}")
    position = np.where(bits < 0, lowest - bits, bits) + (x1 < x2) - (x1 > x2)
    moved = np.asarray(np.where(position < 0, lowest - position, position), bits.dtype).view(x1.dtype)
    moved = np.where(moved == 0, np.copysign(moved, x1), moved)
    return np.where(np.isnan(x1) | np.isnan(x2), np.nan, np.where(x1 == x2, x2, moved)).astype(x1.dtype)


def sign(x: Any) -> Any:
    if x == 0 or x != x:
        return x
    return x / abs(x) if isinstance(x, complex) else (-1, 1)[x > 0]


def inverted(x: int) -> int:
    return not x if isinstance(x, bool) else ~x
