"""The table of formulas: the operations that machine code computes, by their names in xtensor's table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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
from .arithmetic import in_double
from .values import Value, sqrt

__all__ = [
    "COMPLEX_FORMULAS",
    "FASTER",
    "FASTER_BY_THREADS",
    "FASTER_WITHOUT_AVX512",
    "FORMULAS",
    "Formula",
    "formulas_of",
]


class Formula(NamedTuple):
    """A function of an element.

    Attributes
    ----------
    function
        A function of values of one dtype that returns a value.
    kinds
        Kinds of dtype that the function takes, as NumPy's letters; of floating-point dtypes float32 and float64, of
        complex ones complex64 and complex128.
    covers
        A function of the same values that returns whether the result is right, or None where it always is. NumPy's own
        function must compute the other elements.
    """

    function: Callable[..., Any]
    kinds: str = "f"
    covers: Callable[..., Value] | None = None


DIGAMMA = Formula(in_double(gamma_functions.digamma), covers=gamma_functions.covers_positive)

FORMULAS: dict[str, Formula] = {
    **{name: Formula(function, kinds) for name, (function, kinds) in arithmetic.TABLE.items()},
    "acos": Formula(trigonometric.acos),
    "acosh": Formula(hyperbolic.acosh),
    "asin": Formula(trigonometric.asin),
    "asinh": Formula(hyperbolic.asinh),
    "atan": Formula(trigonometric.atan),
    "atan2": Formula(trigonometric.atan2),
    "atanh": Formula(hyperbolic.atanh),
    "cbrt": Formula(powers.cbrt),
    "cos": Formula(trigonometric.cos, covers=trigonometric.covers_reduction),
    "cosh": Formula(hyperbolic.cosh),
    "exp": Formula(exponential.exp),
    "exp2": Formula(exponential.exp2),
    "expm1": Formula(exponential.expm1),
    "float_power": Formula(powers.power),
    "floor_divide": Formula(arithmetic.floor_divide, "iuf", arithmetic.covers_remainder),
    "hypot": Formula(powers.hypot),
    "log": Formula(exponential.log),
    "log10": Formula(exponential.log10),
    "log1p": Formula(exponential.log1p),
    "log2": Formula(exponential.log2),
    "logaddexp": Formula(exponential.logaddexp),
    "logaddexp2": Formula(exponential.logaddexp2),
    "nn.gelu": Formula(error_functions.gelu),
    "nn.relu": Formula(arithmetic.rectify),
    "nn.silu": Formula(exponential.silu),
    "pow": Formula(powers.power),
    "remainder": Formula(arithmetic.remainder, "iuf", arithmetic.covers_remainder),
    "sin": Formula(trigonometric.sin, covers=trigonometric.covers_reduction),
    "sinh": Formula(hyperbolic.sinh),
    "special.cbrt": Formula(powers.cbrt),
    "special.digamma": DIGAMMA,
    "special.entr": Formula(entropy.entr),
    "special.erf": Formula(error_functions.erf),
    "special.erfc": Formula(error_functions.erfc),
    "special.erfcx": Formula(error_functions.erfcx),
    "special.exp2": Formula(exponential.exp2),
    "special.exp10": Formula(exponential.exp10),
    "special.expit": Formula(exponential.sigmoid),
    "special.gamma": Formula(in_double(gamma_functions.gamma), covers=gamma_functions.covers_positive),
    "special.gammaln": Formula(in_double(gamma_functions.gammaln), covers=gamma_functions.covers_positive),
    "special.huber": Formula(entropy.huber),
    "special.i0": Formula(in_double(bessel_functions.modified_first_kind(0, scaled=False))),
    "special.i0e": Formula(in_double(bessel_functions.modified_first_kind(0, scaled=True))),
    "special.i1": Formula(in_double(bessel_functions.modified_first_kind(1, scaled=False))),
    "special.i1e": Formula(in_double(bessel_functions.modified_first_kind(1, scaled=True))),
    "special.j0": Formula(in_double(bessel_functions.first_kind(0)), covers=trigonometric.covers_reduction),
    "special.j1": Formula(in_double(bessel_functions.first_kind(1)), covers=trigonometric.covers_reduction),
    "special.k0": Formula(in_double(bessel_functions.modified_second_kind(0, scaled=False))),
    "special.k0e": Formula(in_double(bessel_functions.modified_second_kind(0, scaled=True))),
    "special.k1": Formula(in_double(bessel_functions.modified_second_kind(1, scaled=False))),
    "special.k1e": Formula(in_double(bessel_functions.modified_second_kind(1, scaled=True))),
    "special.kl_div": Formula(in_double(entropy.kl_div), covers=entropy.covers_quotient),
    "special.log_expit": Formula(exponential.log_sigmoid),
    "special.log_ndtr": Formula(error_functions.log_ndtr),
    "special.logit": Formula(exponential.logit),
    "special.ndtr": Formula(error_functions.ndtr),
    "special.psi": DIGAMMA,
    "special.rel_entr": Formula(entropy.rel_entr, covers=entropy.covers_quotient),
    "special.softplus": Formula(exponential.softplus),
    "special.xlog1py": Formula(entropy.xlog1py),
    "special.xlogy": Formula(entropy.xlogy),
    "special.y0": Formula(in_double(bessel_functions.second_kind(0)), covers=trigonometric.covers_reduction),
    "special.y1": Formula(in_double(bessel_functions.second_kind(1)), covers=trigonometric.covers_reduction),
    "sqrt": Formula(sqrt),
    "tan": Formula(trigonometric.tan, covers=trigonometric.covers_reduction),
    "tanh": Formula(hyperbolic.tanh),
}

COMPLEX_FORMULAS: dict[str, Formula] = {
    name: Formula(function, "c", covers) for name, (function, covers) in complex.TABLE.items()
}
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
