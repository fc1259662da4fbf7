"""The table of formulas: the operations that machine code computes, by their names in xtensor's table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import (
    arithmetic,
    bessel_functions,
    complex,
    entropy,
    error_functions,
    exponential,
    gamma_functions,
    hyperbolic,
    powers,
    trigonometric,
)
from .values import Formula

__all__ = [
    "COMPLEX_FORMULAS",
    "FASTER",
    "FASTER_BY_THREADS",
    "FASTER_WITHOUT_AVX512",
    "FORMULAS",
    "formulas_of",
]

SUBJECTS = (
    *(arithmetic, bessel_functions, entropy, error_functions, exponential, gamma_functions, hyperbolic, powers),
    trigonometric,
)

FORMULAS: dict[str, Formula] = {name: formula for subject in SUBJECTS for name, formula in subject.TABLE.items()}

COMPLEX_FORMULAS: dict[str, Formula] = complex.TABLE
"""The formulas of operations on complex numbers."""


def formulas_of(operands: Sequence[Any]) -> dict[str, Formula]:
    """Return the formulas for operands, given as values or dtypes.

    The last operand tells whether they are complex: the first one of ``where`` is a condition.
    """
    return COMPLEX_FORMULAS if operands[-1].kind == "c" else FORMULAS


FASTER: frozenset[str] = frozenset(
    {
        *("acos", "asin", "atan", "atan2", "copysign", "cos", "expm1", "float_power", "floor_divide", "hypot"),
        *("logaddexp", "logaddexp2", "logical_and", "logical_or", "nextafter", "remainder", "sign", "sin", "tan"),
        *(name for name in FORMULAS if name.startswith(("nn.", "special."))),
    }
)
"""Operations whose formula is faster than NumPy's or SciPy's loop for float32 and for float64.

Measured at 10,000 elements on one thread, against NumPy's loops for AVX-512 and for AVX2. Other formulas serve fused
kernels: NumPy's own loop is as fast.
"""

FASTER_BY_THREADS: frozenset[str] = frozenset(
    ("acosh", "asinh", "atanh", "cbrt", "cosh", "exp2", "log", "log10", "log1p", "log2", "sinh")
)
"""Operations whose formula, with NumPy's code for AVX-512, is faster by several threads only.

On one thread it took 1.05 to 2.1 times as long at a million elements (Intel Xeon of the fourth generation)."""

FASTER_WITHOUT_AVX512: frozenset[str] = FASTER | FASTER_BY_THREADS | {"exp", "pow", "tanh"}
"""The same on a CPU for which NumPy has no vector code of these functions: it has it for AVX-512 on Linux only."""
