"""Floating-point numbers: classification, signs, neighbours, mantissas and exponents."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.array import Array
from ..._core.backend import Native
from ..._core.calls import call, wrap
from ..._core.dtypes import is_narrow, kind_of
from ..._core.operands import array_argument
from ..._core.operations import declare
from .._composing import HALF, INT32, SINGLE, NativeOperand, cast, floating_dtype, loop_dtype, of_floats
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, IntegerOperand, RealOperand
    from ..._core.array import Array

__all__ = [
    "copysign",
    "fabs",
    "frexp",
    "isfinite",
    "isinf",
    "isnan",
    "ldexp",
    "nextafter",
    "rint",
    "signbit",
    "spacing",
]


@binary(accepts="real floating")
def copysign(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Magnitude of ``x1`` with the sign of ``x2``, :math:`\pm |x_1|`.

    Parameters
    ----------
    x1
        Magnitudes: an array of a real floating-point dtype, or a Python scalar.
    x2
        Numbers that provide the signs: an array of a real floating-point dtype that broadcasts with ``x1``, or a
        Python scalar. At least one operand is an Array.

    Returns
    -------
    Array
        The values, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Special cases:

    - The sign is the sign bit of ``x2``, also for a zero and for NaN.
    - If ``x1`` is NaN, the result is NaN with the sign bit of ``x2``.

    Standard 2025.12, Element-wise Functions, ``copysign``.
    """


def _compose_isfinite(xp: Any, x: Native) -> Native:
    kind = kind_of(x.dtype)
    if kind == "c":
        return xp.bitwise_and(xp.isfinite(xp.real(x)), xp.isfinite(xp.imag(x)))
    return xp.less(xp.abs(x), math.inf) if kind == "f" else xp.equal(x, x)


@unary(accepts="numeric", dtype="bool", composition=_compose_isfinite)
def isfinite(x: AnyArray, /) -> Array:
    """Return whether ``x`` is finite: neither infinite nor NaN.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The truth values, with the shape of ``x`` and dtype ``bool``.

    Notes
    -----
    A complex number is finite if both components are.

    Standard 2025.12, Element-wise Functions, ``isfinite``.
    """


def _compose_isinf(xp: Any, x: Native) -> Native:
    kind = kind_of(x.dtype)
    if kind == "c":
        return xp.bitwise_or(xp.isinf(xp.real(x)), xp.isinf(xp.imag(x)))
    return xp.equal(xp.abs(x), math.inf) if kind == "f" else xp.isnan(x)


@unary(accepts="numeric", dtype="bool", composition=_compose_isinf)
def isinf(x: AnyArray, /) -> Array:
    """Return whether ``x`` is infinite.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The truth values, with the shape of ``x`` and dtype ``bool``.

    Notes
    -----
    A complex number is infinite if a component is, even if the other is NaN.

    Standard 2025.12, Element-wise Functions, ``isinf``.
    """


def _compose_isnan(xp: Any, x: Native) -> Native:
    return xp.bitwise_invert(xp.equal(x, x))


@unary(accepts="numeric", dtype="bool", composition=_compose_isnan)
def isnan(x: AnyArray, /) -> Array:
    """Return whether ``x`` is NaN.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The truth values, with the shape of ``x`` and dtype ``bool``.

    Notes
    -----
    A complex number is NaN if a component is.

    Standard 2025.12, Element-wise Functions, ``isnan``.
    """


@binary(accepts="real floating")
def nextafter(x1: RealOperand, x2: RealOperand, /) -> Array:
    """Next representable number after ``x1`` in the direction of ``x2``.

    Parameters
    ----------
    x1
        Starting points: an array of a real floating-point dtype, or a Python scalar.
    x2
        End points: an array of the same dtype that broadcasts with ``x1``, or a Python scalar. At least one operand
        is an Array.

    Returns
    -------
    Array
        The next numbers, or ``x2`` where the operands are equal, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Special cases:

    - If an operand is NaN, the result is NaN.
    - If ``x1`` and ``x2`` are zeros of opposite signs, the result is ``x2``.

    Standard 2025.12, Element-wise Functions, ``nextafter``.
    """


def _compose_signbit(xp: Any, x: Native) -> Native:
    return xp.less(xp.copysign(1.0, x) if kind_of(x.dtype) == "f" else x, 0)


@unary(accepts="real floating", dtype="bool", composition=_compose_signbit)
def signbit(x: AnyArray, /) -> Array:
    """Return whether the sign bit of ``x`` is set.

    Parameters
    ----------
    x
        Array of any shape and a real floating-point dtype.

    Returns
    -------
    Array
        The truth values, with the shape of ``x`` and dtype ``bool``.

    Notes
    -----
    The sign bit is set for ``x < 0``, including ``-inf``, for ``-0``, and for NaN with the sign bit 1.

    Standard 2025.12, Element-wise Functions, ``signbit``.
    """


@of_floats
def _compose_fabs(xp: Any, x: Native) -> Native:
    return xp.abs(x)


@unary(accepts="real floating", composition=_compose_fabs)
def fabs(x: AnyArray, /) -> Array:
    r"""Absolute value :math:`|x|` as a floating-point number.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The absolute values, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    :func:`abs` keeps integers, and takes complex numbers.

    NumPy, ``fabs``.
    """


def _decomposed(xp: Any, x: Native) -> tuple[Native, Native]:
    """The mantissa in [0.5, 1) and the exponent, as a floating-point number, of each element."""
    limits = np.finfo(x.dtype)
    regular = xp.logical_and(xp.not_equal(x, 0.0), xp.isfinite(x))
    magnitude = xp.where(regular, xp.abs(x), 1.0)
    subnormal = xp.less(magnitude, float(limits.smallest_normal))
    shift = limits.nmant + 1
    magnitude = xp.where(subnormal, xp.multiply(magnitude, 2.0**shift), magnitude)
    exponent = xp.floor(xp.log2(magnitude))
    # The logarithm is rounded, so that the exponent may be wrong by one; no product here is rounded.
    half = xp.floor(xp.multiply(exponent, 0.5))
    rest = xp.subtract(exponent, half)
    magnitude = xp.multiply(xp.multiply(magnitude, _two_to(xp, xp.negative(half))), _two_to(xp, xp.negative(rest)))
    for factor, step, wrong in (
        (0.5, 1.0, xp.less_equal(1.0, magnitude)),
        (0.5, 1.0, xp.less_equal(2.0, magnitude)),
        (2.0, -1.0, xp.less(magnitude, 0.5)),
    ):
        magnitude = xp.where(wrong, xp.multiply(magnitude, factor), magnitude)
        exponent = xp.where(wrong, xp.add(exponent, step), exponent)
    exponent = xp.where(subnormal, xp.subtract(exponent, float(shift)), exponent)
    return xp.where(regular, xp.copysign(magnitude, x), x), xp.where(regular, exponent, 0.0)


def _two_to(xp: Any, exponent: Native) -> Native:
    """Powers of two, exact."""
    return xp.pow(2.0, exponent)


def _compose_frexp(xp: Any, x: Native) -> tuple[Native, Native]:
    loop_dtype("frexp", "biuf", x)
    dtype = floating_dtype(xp, x)
    work = SINGLE if is_narrow(dtype) else dtype
    mantissa, exponent = _decomposed(xp, xp.astype(x, work, copy=False))
    return xp.astype(mantissa, dtype, copy=False), xp.astype(exponent, INT32)


FREXP = declare(
    "frexp",
    "elementwise",
    accepts="real floating",
    dtype="several",
    shape="several",
    numpy="frexp",
    composition=_compose_frexp,
)


def frexp(x: AnyArray, /) -> tuple[Array, Array]:
    r"""Return the mantissa and the exponent, :math:`x = m\, 2^e` with :math:`\frac{1}{2} \le |m| < 1`.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    tuple of Array
        The mantissas, with the floating-point dtype of ``x``, and the exponents, with dtype int32; both with the shape
        of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or is complex.

    Notes
    -----
    Zeros, infinities and NaN are mantissas of their own; their exponents are 0. :func:`ldexp` is the inverse.

    NumPy, ``frexp``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.frexp(xp.asarray([1.0, 10.0]))
    (Array([0.5  , 0.625]), Array([1, 4], dtype=int32))
    """
    x = array_argument(x, "frexp")
    device = x._device
    mantissa, exponent = call(FREXP, device, x._native)
    return wrap(mantissa, device), wrap(exponent, device)


def _compose_ldexp(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    loop_dtype("ldexp", "biuf", x1)
    exponents = np.result_type(getattr(x2, "dtype", x2))
    if exponents.kind not in "biu" or exponents == np.uint64:
        loop_dtype("ldexp", "", x1, x2)  # raises TypeError
    if not hasattr(x2, "dtype") and not -(2**31) <= x2 < 2**31:
        raise OverflowError(f"ldexp(): Python integer {x2} out of bounds for int32; exponents are integers of 32 bits")
    if hasattr(x1, "dtype") or isinstance(x1, float):
        dtype = floating_dtype(xp, x1)
    else:
        dtype = floating_dtype(xp, x1, xp.zeros((), dtype=exponents)) if exponents.kind == "b" else HALF
    work = SINGLE if is_narrow(dtype) else dtype
    limits = np.finfo(work)
    # Beyond this magnitude the result is zero or infinite for every mantissa.
    most = 2 * (limits.maxexp - limits.minexp + limits.nmant)
    if hasattr(x2, "dtype"):
        (x2,) = cast(xp, np.dtype(np.int64), x2)
        change = xp.astype(xp.minimum(xp.maximum(x2, -most), most), work)
    else:
        change = xp.full((), float(min(max(x2, -most), most)), dtype=work)
    (x1,) = cast(xp, work, *cast(xp, dtype, x1))
    mantissa, exponent = _decomposed(xp, x1)
    exponent = xp.add(exponent, change)
    # The first product is a normal number or infinite and exact, so that the second one alone is rounded.
    least, greatest = float(limits.minexp + 2), float(limits.maxexp - 1)
    first = xp.minimum(xp.maximum(exponent, least), greatest)
    second = xp.minimum(xp.maximum(xp.subtract(exponent, first), float(limits.minexp)), greatest)
    result = xp.multiply(xp.multiply(mantissa, _two_to(xp, first)), _two_to(xp, second))
    return xp.astype(result, dtype, copy=False)


@binary(accepts="real floating", composition=_compose_ldexp)
def ldexp(x1: RealOperand, x2: IntegerOperand, /) -> Array:
    r"""Product of a number and a power of two, :math:`x_1\, 2^{x_2}`.

    Parameters
    ----------
    x1
        The mantissas: an Array of a real dtype, or a Python scalar.
    x2
        The exponents: an Array of integers that broadcasts with ``x1``, or an integer. At least one operand is an
        Array.

    Returns
    -------
    Array
        The products, with the broadcast shape and the floating-point dtype of ``x1``.

    Raises
    ------
    TypeError
        If no operand is an Array, or NumPy has no loop for the dtypes.
    ValueError
        If the shapes do not broadcast.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.

    Notes
    -----
    The product is rounded once, also where it is subnormal. :func:`frexp` is the inverse.

    NumPy, ``ldexp``.
    """


def _compose_rint(xp: Any, x: Native) -> Native:
    dtype = floating_dtype(xp, x)
    return xp.round(xp.astype(x, dtype, copy=False))


@unary(accepts="floating", composition=_compose_rint)
def rint(x: AnyArray, /) -> Array:
    r"""Round to the nearest integer; halves, to the even one.

    Parameters
    ----------
    x
        Array of a numeric dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The rounded values, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    The function :func:`round` for floating-point numbers; that one keeps integers.

    NumPy, ``rint``.
    """


def _compose_spacing(xp: Any, x: Native) -> Native:
    loop_dtype("spacing", "biuf", x)
    dtype = floating_dtype(xp, x)
    x = xp.astype(x, dtype, copy=False)
    finite = xp.isfinite(x)
    x = xp.where(xp.logical_and(finite, xp.not_equal(x, 0.0)), x, 0.0)
    # NumPy's distance is to the number above for float16, and to the number that is larger in magnitude for the others.
    target = xp.full((), math.inf, dtype=dtype)
    target = target if dtype == HALF else xp.copysign(target, x)
    return xp.where(finite, xp.subtract(xp.nextafter(x, target), x), math.nan)


@unary(accepts="real floating", composition=_compose_spacing)
def spacing(x: AnyArray, /) -> Array:
    r"""Distance to the adjacent number that is larger in magnitude, with the sign of ``x``.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The distances, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    NaN for infinities and NaN. The distance from the largest number is infinite.

    NumPy, ``spacing``.
    """
