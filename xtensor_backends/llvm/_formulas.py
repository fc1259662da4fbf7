"""The table of formulas: the operations that machine code computes, by their names in xtensor's table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from . import (
    _arithmetic,
    _bessel_functions,
    _complex,
    _entropy,
    _error_functions,
    _exponential,
    _gamma_functions,
    _hyperbolic,
    _powers,
    _trigonometric,
)
from ._arithmetic import in_double
from ._values import Value, sqrt

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


DIGAMMA = Formula(in_double(_gamma_functions.digamma), covers=_gamma_functions.covers_positive)

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
    "nn.gelu": Formula(_error_functions.gelu),
    "nn.relu": Formula(_arithmetic.rectify),
    "nn.silu": Formula(_exponential.silu),
    "pow": Formula(_powers.power),
    "remainder": Formula(_arithmetic.remainder, "iuf", _arithmetic.covers_remainder),
    "sin": Formula(_trigonometric.sin, covers=_trigonometric.covers_reduction),
    "sinh": Formula(_hyperbolic.sinh),
    "special.cbrt": Formula(_powers.cbrt),
    "special.digamma": DIGAMMA,
    "special.entr": Formula(_entropy.entr),
    "special.erf": Formula(_error_functions.erf),
    "special.erfc": Formula(_error_functions.erfc),
    "special.erfcx": Formula(_error_functions.erfcx),
    "special.exp2": Formula(_exponential.exp2),
    "special.exp10": Formula(_exponential.exp10),
    "special.expit": Formula(_exponential.sigmoid),
    "special.gamma": Formula(in_double(_gamma_functions.gamma), covers=_gamma_functions.covers_positive),
    "special.gammaln": Formula(in_double(_gamma_functions.gammaln), covers=_gamma_functions.covers_positive),
    "special.huber": Formula(_entropy.huber),
    "special.i0": Formula(in_double(_bessel_functions.modified_first_kind(0, scaled=False))),
    "special.i0e": Formula(in_double(_bessel_functions.modified_first_kind(0, scaled=True))),
    "special.i1": Formula(in_double(_bessel_functions.modified_first_kind(1, scaled=False))),
    "special.i1e": Formula(in_double(_bessel_functions.modified_first_kind(1, scaled=True))),
    "special.j0": Formula(in_double(_bessel_functions.first_kind(0)), covers=_trigonometric.covers_reduction),
    "special.j1": Formula(in_double(_bessel_functions.first_kind(1)), covers=_trigonometric.covers_reduction),
    "special.k0": Formula(in_double(_bessel_functions.modified_second_kind(0, scaled=False))),
    "special.k0e": Formula(in_double(_bessel_functions.modified_second_kind(0, scaled=True))),
    "special.k1": Formula(in_double(_bessel_functions.modified_second_kind(1, scaled=False))),
    "special.k1e": Formula(in_double(_bessel_functions.modified_second_kind(1, scaled=True))),
    "special.kl_div": Formula(in_double(_entropy.kl_div), covers=_entropy.covers_quotient),
    "special.log_expit": Formula(_exponential.log_sigmoid),
    "special.log_ndtr": Formula(_error_functions.log_ndtr),
    "special.logit": Formula(_exponential.logit),
    "special.ndtr": Formula(_error_functions.ndtr),
    "special.psi": DIGAMMA,
    "special.rel_entr": Formula(_entropy.rel_entr, covers=_entropy.covers_quotient),
    "special.softplus": Formula(_exponential.softplus),
    "special.xlog1py": Formula(_entropy.xlog1py),
    "special.xlogy": Formula(_entropy.xlogy),
    "special.y0": Formula(in_double(_bessel_functions.second_kind(0)), covers=_trigonometric.covers_reduction),
    "special.y1": Formula(in_double(_bessel_functions.second_kind(1)), covers=_trigonometric.covers_reduction),
    "sqrt": Formula(sqrt),
    "tan": Formula(_trigonometric.tan, covers=_trigonometric.covers_reduction),
    "tanh": Formula(_hyperbolic.tanh),
}

COMPLEX_FORMULAS: dict[str, Formula] = {
    name: Formula(function, "c", covers) for name, (function, covers) in _complex.TABLE.items()
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
