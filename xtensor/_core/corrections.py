"""Corrections of library functions that depart from the standard, each written once in terms of other operations.

A correction takes a device's functions and the library's function and returns the corrected function. A backend names
the operations whose function needs it (``Backend.corrections``). No correction looks at values on the host, but for
``floor_divide``, ``tan`` and ``tanh`` on libraries that answer ``may_have_infinity``, and those of LAPACK's functions
and of means, norms and variances.

A complex result is built by ``complex_of(real, imag)``, each component exactly as given: arithmetic with ``1j`` would
turn an infinite component into NaN and lose the sign of a zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from .backend import Native
from .complex_corrections import COMPLEX_CORRECTIONS
from .dtypes import kind_of
from .reduction_corrections import REDUCTION_CORRECTIONS

__all__ = [
    "CORRECTIONS",
    "LAPACK_CORRECTIONS",
    "SHORT_POWERS",
    "Correction",
    "refuse_negative_power",
    "short_power",
]

Function: TypeAlias = Callable[..., Native]
Correction: TypeAlias = Callable[[Any, Function], Function]

SHORT_POWERS: dict[float, str] = {2: "square", 0.5: "sqrt", -1: "reciprocal"}
"""The operations that compute powers of some exponents, as in NumPy's operator: rounded exactly, and in less time."""


def short_power(x1: Any, x2: Any) -> str | None:
    """Return the operation that computes ``x1 ** x2`` of real floating-point numbers; None where ``pow`` does.

    ``pow`` computes roots of float16, as on NumPy's arrays: of -0 and -infinity they are the standard's 0 and infinity.
    """
    if x2.__class__ not in (int, float) or x1.dtype.kind != "f" or (x2 == 0.5 and x1.dtype.char == "e"):
        return None
    return SHORT_POWERS.get(x2)


def refuse_negative_power(x1: Any, x2: Any) -> None:
    """Raise NumPy's error for integers to a negative integer; an array of exponents is looked at."""
    if x2.__class__ is int:
        refused = x2 < 0 and x1.dtype.kind in "bi" and x1.size > 0
    elif getattr(x2, "dtype", None) is None or x2.dtype.kind != "i" or not getattr(x1, "size", 1):
        return
    else:
        refused = np.result_type(getattr(x1, "dtype", x1), x2.dtype).kind == "i" and bool((x2 < 0).any())
    if refused:
        raise ValueError("Integers to negative integer powers are not allowed.")


def floor_divide(xp: Any, raw: Function) -> Function:
    """Infinite operands: the standard requires ``floor(x1 / x2)``; libraries follow Python's ``//``.

    ``may_have_infinity`` tells whether the second look is needed; finite operands then cost no more.
    """
    may_have_infinity = xp.may_have_infinity

    def isinf(x: Native | float) -> Any:
        return xp.isinf(x) if hasattr(x, "dtype") else math.isinf(x)

    def corrected(x1: Native, x2: Native) -> Native:
        result = raw(x1, x2)
        if kind_of(result.dtype) != "f" or not (may_have_infinity(x1) or may_have_infinity(x2)):
            return result
        either = xp.logical_or(isinf(x1), isinf(x2))
        return xp.where(either, xp.floor(xp.divide(x1, x2)), result)

    return corrected


def divide(xp: Any, raw: Function) -> Function:
    """Complex operands: Smith's algorithm (CACM 5, 1962, 435), in which no intermediate result overflows.

    A zero divisor gives the quotients of the components by zero, as NumPy has them.
    """

    def corrected(x1: Native | complex, x2: Native | complex) -> Native:
        dtype = np.result_type(*(getattr(x, "dtype", x) for x in (x1, x2)))
        if dtype.kind != "c":
            return raw(x1, x2)
        dtype = dtype if dtype.name in xp.dtypes else np.dtype(np.complex64)
        a, b = _components(xp, x1, dtype)
        c, d = _components(xp, x2, dtype)
        swap = xp.less(xp.abs(c), xp.abs(d))
        # The larger component of the divisor comes first: (b - aj) / (d - cj) is the same quotient.
        a, b = xp.where(swap, b, a), xp.where(swap, xp.negative(a), b)
        c, d = xp.where(swap, d, c), xp.where(swap, xp.negative(c), d)
        zero = xp.logical_and(xp.equal(c, 0.0), xp.equal(d, 0.0))
        ratio = xp.where(zero, 0.0, xp.divide(d, c))
        scale = xp.add(c, xp.multiply(d, ratio))
        real = xp.divide(xp.add(a, xp.multiply(b, ratio)), scale)
        imag = xp.divide(xp.subtract(b, xp.multiply(a, ratio)), scale)
        magnitude = xp.abs(c)
        real = xp.where(zero, xp.divide(a, magnitude), real)
        imag = xp.where(zero, xp.divide(b, magnitude), imag)
        return xp.complex_of(real, imag)

    return corrected


def _components(xp: Any, x: Native | complex, dtype: Any) -> tuple[Native, Native]:
    x = xp.astype(x, dtype, copy=False) if hasattr(x, "dtype") else xp.full((), x, dtype=dtype)
    return xp.real(x), xp.imag(x)


def expm1(xp: Any, raw: Function) -> Function:
    """Complex operands: accurate near 0, and the standard's results where a component is infinite or NaN.

    With ``x = a + bj``, ``expm1(x) = (expm1(a) cos(b) - 2 sin²(b/2)) + exp(a) sin(b) j``.
    """

    def corrected(x: Native) -> Native:
        if x.dtype.kind != "c":
            return raw(x)
        a, b = xp.real(x), xp.imag(x)
        half = xp.sin(xp.divide(b, 2.0))
        real = xp.subtract(xp.multiply(xp.expm1(a), xp.cos(b)), xp.multiply(2.0, xp.square(half)))
        real = xp.add(real, 0.0)  # the standard requires expm1(-0 + 0j) to be +0
        imag = xp.multiply(xp.exp(a), xp.sin(b))
        # A real argument stays real: 0 · exp(a) is NaN where exp(a) is infinite or NaN.
        imag = xp.where(xp.equal(b, 0.0), b, imag)
        unbounded = xp.logical_not(xp.isfinite(b))
        grows = xp.logical_and(xp.equal(a, math.inf), unbounded)
        vanishes = xp.equal(a, -math.inf)
        real = xp.where(grows, math.inf, xp.where(vanishes, -1.0, real))
        imag = xp.where(xp.logical_and(vanishes, unbounded), 0.0, imag)
        return xp.complex_of(real, imag)

    return corrected


def log1p(xp: Any, raw: Function) -> Function:
    """Complex operands: accurate near 0.

    With ``x = a + bj``, the real component is ``log1p(a (2 + a) + b²) / 2`` near 0 and ``log(hypot(1 + a, b))``
    elsewhere; the imaginary component is ``atan2(b, 1 + a)``.
    """

    def corrected(x: Native) -> Native:
        if x.dtype.kind != "c":
            return raw(x)
        a, b = xp.real(x), xp.imag(x)
        shifted = xp.add(a, 1.0)
        near = xp.logical_and(xp.less(xp.abs(a), 0.5), xp.less(xp.abs(b), 0.5))
        # Only operands near 0 are squared: others would overflow, which NumPy warns of.
        small, height = xp.where(near, a, 0.0), xp.where(near, b, 0.0)
        squares = xp.add(xp.multiply(small, xp.add(small, 2.0)), xp.multiply(height, height))
        real = xp.where(near, xp.divide(raw(squares), 2.0), xp.log(xp.hypot(shifted, b)))
        return xp.complex_of(real, xp.atan2(b, shifted))

    return corrected


def _logarithm(base: float) -> Correction:
    """Complex operands with one infinite component and one NaN: the real component is +infinity.

    Finite operands whose magnitude overflows: ``log(x / 4) + log(4)``; those with subnormal components, whose
    magnitude is rounded to few digits: ``log(2⁶⁴ x) - log(2⁶⁴)``, unless the device takes such numbers for zero.
    """
    four, large = (exponent * math.log(2.0) / math.log(base) for exponent in (2, 64))

    def correction(xp: Any, raw: Function) -> Function:
        def corrected(x: Native) -> Native:
            result = raw(x)
            if result.dtype.kind != "c":
                return result
            a, b = xp.real(x), xp.imag(x)
            real = xp.real(result)
            overflowed = xp.logical_and(xp.equal(real, math.inf), xp.logical_and(xp.isfinite(a), xp.isfinite(b)))
            normal = float(np.finfo(real.dtype).smallest_normal)
            subnormal = xp.logical_and(xp.less(xp.abs(a), normal), xp.less(xp.abs(b), normal))
            parts = [xp.where(overflowed, xp.multiply(part, 0.25), xp.multiply(part, 2.0**64)) for part in (a, b)]
            scaled = xp.real(raw(xp.complex_of(*parts)))
            real = xp.where(subnormal, xp.subtract(scaled, large), real)
            real = xp.where(overflowed, xp.add(scaled, four), real)
            unbounded = xp.logical_or(xp.isinf(a), xp.isinf(b))
            undefined = xp.logical_and(unbounded, xp.logical_or(xp.isnan(a), xp.isnan(b)))
            real = xp.where(undefined, math.inf, real)
            return xp.complex_of(real, xp.where(undefined, math.nan, xp.imag(result)))

        return corrected

    return correction


def pow(xp: Any, raw: Function) -> Function:
    """Real bases: NumPy's squares, roots and reciprocals, which are rounded exactly, for the exponents 2, 0.5 and -1.

    Complex operands: any base, 0 included, to the power of 0 is 1, where ``exp(x2 log(x1))`` is NaN.
    """

    def corrected(x1: Native | complex, x2: Native | complex) -> Native:
        short = short_power(x1, x2)
        if short is not None:
            return getattr(xp, short)(x1)
        result = raw(x1, x2)
        if result.dtype.kind != "c":
            return result
        if hasattr(x2, "dtype"):
            return xp.where(xp.equal(x2, 0), 1.0, result)
        return result if x2 != 0 else xp.ones(result.shape, dtype=result.dtype)

    return corrected


def tan(xp: Any, raw: Function) -> Function:
    """Complex operands with an infinite imaginary component: ``±0 ± 1j``, as from ``-j tanh(jx)``.

    With a real component that is not finite and an imaginary one of zero: ``NaN ± 0j``.
    """
    may_have_infinity = xp.may_have_infinity

    def corrected(x: Native) -> Native:
        result = raw(x)
        if result.dtype.kind != "c" or not may_have_infinity(x):
            return result
        a, b = xp.real(x), xp.imag(x)
        saturated = xp.isinf(b)
        undefined = xp.logical_and(xp.equal(b, 0.0), xp.logical_not(xp.isfinite(a)))
        real = xp.where(saturated, xp.copysign(0.0, a), xp.real(result))
        imag = xp.where(saturated, xp.sign(b), xp.where(undefined, b, xp.imag(result)))
        return xp.complex_of(real, imag)

    return corrected


def tanh(xp: Any, raw: Function) -> Function:
    """Complex operands with an infinite real component: ``±1 ± 0j`` with the sign of each component of ``x``.

    With a real component of zero and an imaginary one that is not finite: ``±0 + NaN j``.
    """
    may_have_infinity = xp.may_have_infinity

    def corrected(x: Native) -> Native:
        result = raw(x)
        if result.dtype.kind != "c" or not may_have_infinity(x):
            return result
        a, b = xp.real(x), xp.imag(x)
        saturated = xp.isinf(a)
        real = xp.where(saturated, xp.sign(a), xp.real(result))
        real = xp.where(xp.logical_and(xp.equal(a, 0.0), xp.logical_not(xp.isfinite(b))), a, real)
        imag = xp.where(saturated, xp.copysign(0.0, b), xp.imag(result))
        return xp.complex_of(real, imag)

    return corrected


def _finite_matrices(xp: Any, raw: Function) -> Function:
    """Matrices with an infinite or NaN element: LinAlgError.

    LAPACK's iterations end with wrong numbers, with NaN or with an error on them, as the library was built.
    """

    def corrected(x: Native, *args: Any, **kwargs: Any) -> Native:
        if x.dtype.kind in "fc" and not bool(xp.all(xp.isfinite(x), axis=None, keepdims=False)):
            raise np.linalg.LinAlgError("Array must not contain infs or NaNs; replace them with xtensor.where")
        return raw(x, *args, **kwargs)

    return corrected


def _nan_for_nan(xp: Any, raw: Function) -> Function:
    """Inverses of, and solutions for, a matrix with a NaN are NaN, of which LAPACK makes some numbers."""

    def corrected(x1: Native, *right: Native) -> Native:
        result = raw(x1, *right)
        if x1.dtype.kind not in "fc" or not bool(xp.any(xp.isnan(x1), axis=None, keepdims=False)):
            return result
        is_vector = bool(right) and right[0].ndim == 1
        missing = xp.any(xp.isnan(x1), axis=(-2, -1), keepdims=True)
        return xp.where(missing[..., 0] if is_vector else missing, math.nan, result)

    return corrected


LAPACK_CORRECTIONS: dict[str, Correction] = {
    **dict.fromkeys(("linalg.cholesky", "linalg.eig", "linalg.eigh", "linalg.eigvals"), _finite_matrices),
    **dict.fromkeys(("linalg.eigvalsh", "linalg.matrix_rank", "linalg.pinv", "linalg.svd"), _finite_matrices),
    "linalg.svdvals": _finite_matrices,
    **dict.fromkeys(("linalg.inv", "linalg.solve"), _nan_for_nan),
}
"""Corrections of functions that call LAPACK. They block until the device has finished."""


def sign(xp: Any, raw: Function) -> Function:
    """Complex operands whose absolute value overflows: the sign of their halves, which is the same."""

    def corrected(x: Native) -> Native:
        if x.dtype.kind == "c":
            overflows = xp.logical_and(xp.isinf(xp.abs(x)), xp.isfinite(x))
            x = xp.where(overflows, xp.multiply(x, 0.5), x)
        return raw(x)

    return corrected


CORRECTIONS: dict[str, Correction] = {
    "divide": divide,
    "expm1": expm1,
    "floor_divide": floor_divide,
    "log": _logarithm(math.e),
    "log10": _logarithm(10.0),
    "log1p": log1p,
    "log2": _logarithm(2.0),
    "pow": pow,
    "sign": sign,
    "tan": tan,
    "tanh": tanh,
    **COMPLEX_CORRECTIONS,
    **REDUCTION_CORRECTIONS,
    **LAPACK_CORRECTIONS,
}
"""The corrections by the operations' names."""
