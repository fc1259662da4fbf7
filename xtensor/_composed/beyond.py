"""Compositions of NumPy's elementwise functions beyond the standard.

Operands are cast to the dtype of NumPy's loop, so that a library with stricter promotion takes them. float16 is
computed in float32 and rounded once where an intermediate result needs more digits or a larger range.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from .._core.backend import Native
from .._core.dtypes import DType

__all__ = [
    "bitwise_count",
    "cbrt",
    "deg2rad",
    "divmod",
    "exp2",
    "fabs",
    "float_power",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "heaviside",
    "lcm",
    "ldexp",
    "logaddexp2",
    "matvec",
    "modf",
    "rad2deg",
    "rint",
    "spacing",
    "vecmat",
]

Operand = Any
"""A native array, or a Python scalar beside one."""

Composition = Callable[..., Any]

HALF, SINGLE, INT8, INT32 = (np.dtype(name) for name in ("float16", "float32", "int8", "int32"))

# -- operands -------------------------------------------------------------------------------------------------------


def _result_type(name: str, kinds: str, *operands: Operand) -> DType:
    """The dtype that operands promote to; TypeError unless it is of one of the kinds that NumPy has a loop for."""
    dtype = np.result_type(*(getattr(x, "dtype", x) for x in operands))
    if dtype.kind not in kinds:
        given = " and ".join(str(getattr(x, "dtype", type(x).__name__)) for x in operands)
        raise TypeError(
            f"ufunc '{name}' not supported for the input types: there is no loop for {given}; cast with xtensor.astype"
        )
    return dtype


def _floating(xp: Any, *operands: Operand) -> DType:
    """The dtype of NumPy's first floating-point loop that takes operands, or the device's default if it lacks that.

    Each integer dtype is cast to the floating-point dtype that holds it: int8 beside uint16 gives float32. A Python
    scalar has the dtype that it gives beside the array.
    """
    common = np.result_type(*(getattr(x, "dtype", x) for x in operands))
    dtypes = (getattr(x, "dtype", common) for x in operands)
    wanted = np.result_type(*(np.result_type(dtype, HALF) if dtype.kind in "biu" else dtype for dtype in dtypes))
    return wanted if wanted.name in xp.dtypes else xp.default_float


def _cast(xp: Any, dtype: DType, *operands: Operand) -> list[Native]:
    """Operands as native arrays of one dtype."""
    return [xp.astype(x, dtype, copy=False) if hasattr(x, "dtype") else xp.full((), x, dtype=dtype) for x in operands]


def _of_floats(composition: Composition) -> Composition:
    """A composition of real floating-point arrays as one of all that NumPy casts to them; float16 in float32."""
    name = composition.__name__

    @wraps(composition)
    def composed(xp: Any, *operands: Operand) -> Any:
        _result_type(name, "biuf", *operands)
        dtype = _floating(xp, *operands)
        arrays = _cast(xp, dtype, *operands)
        result = composition(xp, *(_cast(xp, SINGLE, *arrays) if dtype == HALF else arrays))
        if isinstance(result, tuple):
            return tuple([xp.astype(x, dtype, copy=False) for x in result])
        return xp.astype(result, dtype, copy=False)

    return composed


def _integer_type(name: str, *operands: Operand) -> DType:
    """The dtype of NumPy's loop for integers and booleans."""
    dtype = _result_type(name, "biu", *operands)
    return INT8 if dtype.kind == "b" else dtype


# -- integers -------------------------------------------------------------------------------------------------------


def _magnitude(xp: Any, x: Native) -> Native:
    """The absolute values of integers as unsigned integers, those of the least integer included."""
    if x.dtype.kind == "u":
        return x
    # The negative of the least integer is itself, which the cast wraps to its absolute value.
    return xp.astype(xp.where(xp.less(x, 0), xp.negative(x), x), np.dtype(f"u{x.dtype.itemsize}"))


def bitwise_count(xp: Any, x: Native) -> Native:
    """Counts of neighbouring groups of bits are added, in groups of twice the size each time."""
    (x,) = _cast(xp, _integer_type("bitwise_count", x), x)
    counts = _magnitude(xp, x)
    bits = 8 * counts.dtype.itemsize
    size = 1
    while size < bits:
        # The mask selects every other group of ``size`` bits.
        mask = ((1 << bits) - 1) // ((1 << size) + 1)
        upper = xp.bitwise_and(xp.bitwise_right_shift(counts, size), mask)
        counts = xp.add(xp.bitwise_and(counts, mask), upper)
        size *= 2
    return xp.astype(counts, np.dtype(np.uint8), copy=False)


def gcd(xp: Any, x1: Operand, x2: Operand) -> Native:
    dtype = _result_type("gcd", "iu", x1, x2)
    a, b = (_magnitude(xp, x) for x in _cast(xp, dtype, x1, x2))
    return xp.astype(_gcd(xp, a, b), dtype, copy=False)


def lcm(xp: Any, x1: Operand, x2: Operand) -> Native:
    """``a / gcd(a, b) * b``, which wraps around where it exceeds the dtype, as in NumPy."""
    dtype = _result_type("lcm", "iu", x1, x2)
    a, b = (_magnitude(xp, x) for x in _cast(xp, dtype, x1, x2))
    divisor = xp.maximum(_gcd(xp, a, b), _ones(xp, a))
    return xp.astype(xp.multiply(xp.floor_divide(a, divisor), b), dtype, copy=False)


def _ones(xp: Any, x: Native) -> Native:
    return xp.full((), 1, dtype=x.dtype)


def _gcd(xp: Any, a: Native, b: Native) -> Native:
    """Euclid's algorithm, with as many steps as the dtype's largest operands may need.

    The number of steps is the largest for neighbours of Fibonacci's sequence (Lamé).
    """
    one, largest = _ones(xp, a), 2 ** (8 * a.dtype.itemsize)
    previous, current = 1, 1
    while previous < largest:
        previous, current = current, previous + current
        done = xp.equal(b, 0)
        remainder = xp.remainder(a, xp.where(done, one, b))
        a, b = xp.where(done, a, b), xp.where(done, b, remainder)
    return a


# -- remainders -----------------------------------------------------------------------------------------------------


def fmod(xp: Any, x1: Operand, x2: Operand) -> Native:
    dtype = _result_type("fmod", "biuf", x1, x2)
    if dtype.kind == "f":
        return _fmod(xp, x1, x2)
    x1, x2 = _cast(xp, _integer_type("fmod", x1, x2), x1, x2)
    remainder = xp.remainder(x1, x2)
    if x1.dtype.kind == "u":
        return remainder
    # The remainder of the standard has the sign of the divisor.
    opposite = xp.not_equal(xp.less(x1, 0), xp.less(x2, 0))
    return xp.where(xp.logical_and(opposite, xp.not_equal(remainder, 0)), xp.subtract(remainder, x2), remainder)


def _truncated_remainder(xp: Any, x1: Native, x2: Native) -> Native:
    return xp.copysign(xp.remainder(xp.abs(x1), xp.abs(x2)), x1)


def _fmod(xp: Any, x1: Operand, x2: Operand) -> Native:
    return _of_floats(_truncated_remainder)(xp, x1, x2)


def divmod(xp: Any, x1: Operand, x2: Operand) -> tuple[Native, Native]:
    if _result_type("divmod", "biuf", x1, x2).kind == "f":
        return _divmod_of_floats(xp, x1, x2)  # type: ignore[no-any-return]
    x1, x2 = _cast(xp, _integer_type("divmod", x1, x2), x1, x2)
    return xp.floor_divide(x1, x2), xp.remainder(x1, x2)


@_of_floats
def _divmod_of_floats(xp: Any, x1: Native, x2: Native) -> tuple[Native, Native]:
    """The quotient of ``x1`` without its remainder, rounded: that difference is nearly a multiple of ``x2``.

    NumPy's rules where an operand is not finite: an infinite dividend gives NaN.
    """
    quotient = xp.divide(x1, x2)
    remainder = _truncated_remainder(xp, x1, x2)
    whole = xp.divide(xp.subtract(x1, remainder), x2)
    exact = xp.equal(remainder, 0.0)
    opposite = xp.logical_and(xp.not_equal(xp.less(x2, 0.0), xp.less(remainder, 0.0)), xp.bitwise_invert(exact))
    whole = xp.where(opposite, xp.subtract(whole, 1.0), whole)
    remainder = xp.where(exact, xp.copysign(0.0, x2), xp.where(opposite, xp.add(remainder, x2), remainder))
    floor = xp.floor(whole)
    floor = xp.where(xp.less(0.5, xp.subtract(whole, floor)), xp.add(floor, 1.0), floor)
    floor = xp.where(xp.equal(whole, 0.0), xp.copysign(0.0, quotient), floor)
    return xp.where(xp.equal(x2, 0.0), quotient, floor), remainder


@_of_floats
def modf(xp: Any, x: Native) -> tuple[Native, Native]:
    whole = xp.trunc(x)
    fraction = xp.where(xp.isinf(x), 0.0, xp.subtract(x, xp.where(xp.isinf(x), 0.0, whole)))
    return xp.copysign(fraction, x), xp.copysign(whole, x)


# -- extremes -------------------------------------------------------------------------------------------------------


def fmax(xp: Any, x1: Operand, x2: Operand) -> Native:
    return _extreme(xp, "fmax", xp.maximum, xp.logical_or, xp.greater_equal, x1, x2)


def fmin(xp: Any, x1: Operand, x2: Operand) -> Native:
    return _extreme(xp, "fmin", xp.minimum, xp.logical_and, xp.less_equal, x1, x2)


def _extreme(
    xp: Any, name: str, integers: Composition, booleans: Composition, compare: Composition, x1: Operand, x2: Operand
) -> Native:
    """The first operand where it is not on the wrong side of the second one, or the second one is NaN."""
    dtype = _result_type(name, "biufc", x1, x2)
    x1, x2 = _cast(xp, dtype, x1, x2)
    if dtype.kind not in "fc":
        return (booleans if dtype.kind == "b" else integers)(x1, x2)
    if dtype.kind == "f":
        first = compare(x1, x2)
    else:
        # Complex numbers are ordered by their real components, and by the imaginary ones where those are equal.
        (a1, b1), (a2, b2) = ((xp.real(x), xp.imag(x)) for x in (x1, x2))
        tied = xp.logical_and(xp.equal(a1, a2), compare(b1, b2))
        first = xp.logical_or(xp.logical_and(compare(a1, a2), xp.not_equal(a1, a2)), tied)
        first = xp.logical_and(first, xp.bitwise_invert(xp.isnan(x1)))
    return xp.where(xp.logical_or(first, xp.isnan(x2)), x1, x2)


# -- powers, logarithms and angles ----------------------------------------------------------------------------------


@_of_floats
def cbrt(xp: Any, x: Native) -> Native:
    """The power 1/3 of the magnitude, and a step of Newton's method, because 1/3 is rounded."""
    special = xp.logical_or(xp.equal(x, 0.0), xp.bitwise_invert(xp.isfinite(x)))
    magnitude = xp.where(special, 1.0, xp.abs(x))
    root = xp.pow(magnitude, 1 / 3)
    correction = xp.divide(xp.subtract(root, xp.divide(xp.divide(magnitude, root), root)), 3.0)
    return xp.where(special, x, xp.copysign(xp.subtract(root, correction), x))


def exp2(xp: Any, x: Native) -> Native:
    if x.dtype.kind != "c":
        return _power_of_two(xp, x)
    scaled = xp.complex_of(*(xp.multiply(part, math.log(2.0)) for part in (xp.real(x), xp.imag(x))))
    return xp.exp(scaled)


def _exp2(xp: Any, x: Native) -> Native:
    return xp.pow(2.0, x)


_power_of_two = _of_floats(_exp2)


def float_power(xp: Any, x1: Operand, x2: Operand) -> Native:
    dtype = _result_type("float_power", "biufc", x1, x2)
    double = np.result_type(np.dtype(np.complex64) if dtype.kind == "c" else SINGLE, xp.default_float)
    return xp.pow(*_cast(xp, double, x1, x2))


@_of_floats
def logaddexp2(xp: Any, x1: Native, x2: Native) -> Native:
    """The larger operand plus ``log2(1 + 2**-|x1 - x2|)``."""
    equal = xp.equal(x1, x2)
    distance = xp.abs(xp.subtract(x1, xp.where(equal, 0.0, x2)))
    rest = xp.multiply(xp.log1p(xp.pow(2.0, xp.negative(distance))), 1 / math.log(2.0))
    return xp.add(xp.maximum(x1, x2), xp.where(equal, 1.0, rest))


@_of_floats
def deg2rad(xp: Any, x: Native) -> Native:
    return xp.multiply(x, float(x.dtype.type(math.pi) / x.dtype.type(180)))


@_of_floats
def rad2deg(xp: Any, x: Native) -> Native:
    return xp.multiply(x, float(x.dtype.type(180) / x.dtype.type(math.pi)))


# -- floating-point numbers -----------------------------------------------------------------------------------------


@_of_floats
def fabs(xp: Any, x: Native) -> Native:
    return xp.abs(x)


def rint(xp: Any, x: Native) -> Native:
    dtype = _floating(xp, x)
    return xp.round(xp.astype(x, dtype, copy=False))


@_of_floats
def heaviside(xp: Any, x1: Native, x2: Native) -> Native:
    step = xp.where(xp.less(0.0, x1), 1.0, xp.where(xp.less(x1, 0.0), 0.0, x2))
    return xp.where(xp.isnan(x1), x1, step)


def spacing(xp: Any, x: Native) -> Native:
    _result_type("spacing", "biuf", x)
    dtype = _floating(xp, x)
    x = xp.astype(x, dtype, copy=False)
    finite = xp.isfinite(x)
    x = xp.where(xp.logical_and(finite, xp.not_equal(x, 0.0)), x, 0.0)
    # NumPy's distance is to the number above for float16, and to the number that is larger in magnitude for the others.
    target = xp.full((), math.inf, dtype=dtype)
    target = target if dtype == HALF else xp.copysign(target, x)
    return xp.where(finite, xp.subtract(xp.nextafter(x, target), x), math.nan)


def frexp(xp: Any, x: Native) -> tuple[Native, Native]:
    _result_type("frexp", "biuf", x)
    dtype = _floating(xp, x)
    work = SINGLE if dtype == HALF else dtype
    mantissa, exponent = _decomposed(xp, xp.astype(x, work, copy=False))
    return xp.astype(mantissa, dtype, copy=False), xp.astype(exponent, INT32)


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


def ldexp(xp: Any, x1: Operand, x2: Operand) -> Native:
    _result_type("ldexp", "biuf", x1)
    exponents = np.result_type(getattr(x2, "dtype", x2))
    if exponents.kind not in "biu" or exponents == np.uint64:
        _result_type("ldexp", "", x1, x2)  # raises TypeError
    if not hasattr(x2, "dtype") and not -(2**31) <= x2 < 2**31:
        raise OverflowError(f"ldexp(): Python integer {x2} out of bounds for int32; exponents are integers of 32 bits")
    if hasattr(x1, "dtype") or isinstance(x1, float):
        dtype = _floating(xp, x1)
    else:
        dtype = _floating(xp, x1, xp.zeros((), dtype=exponents)) if exponents.kind == "b" else HALF
    work = SINGLE if dtype == HALF else dtype
    limits = np.finfo(work)
    # Beyond this magnitude the result is zero or infinite for every mantissa.
    most = 2 * (limits.maxexp - limits.minexp + limits.nmant)
    if hasattr(x2, "dtype"):
        (x2,) = _cast(xp, np.dtype(np.int64), x2)
        change = xp.astype(xp.minimum(xp.maximum(x2, -most), most), work)
    else:
        change = xp.full((), float(min(max(x2, -most), most)), dtype=work)
    (x1,) = _cast(xp, work, *_cast(xp, dtype, x1))
    mantissa, exponent = _decomposed(xp, x1)
    exponent = xp.add(exponent, change)
    # The first product is a normal number or infinite and exact, so that the second one alone is rounded.
    least, greatest = float(limits.minexp + 2), float(limits.maxexp - 1)
    first = xp.minimum(xp.maximum(exponent, least), greatest)
    second = xp.minimum(xp.maximum(xp.subtract(exponent, first), float(limits.minexp)), greatest)
    result = xp.multiply(xp.multiply(mantissa, _two_to(xp, first)), _two_to(xp, second))
    return xp.astype(result, dtype, copy=False)


# -- products -------------------------------------------------------------------------------------------------------


def matvec(xp: Any, x1: Operand, x2: Operand) -> Native:
    x1, x2 = _cast(xp, _result_type("matvec", "biufc", x1, x2), x1, x2)
    _check_dimensions("matvec", "(m,n),(n)->(m)", (x1, 2), (x2, 1))
    return _product(xp, x1, x2[..., None])[..., 0]


def vecmat(xp: Any, x1: Operand, x2: Operand) -> Native:
    x1, x2 = _cast(xp, _result_type("vecmat", "biufc", x1, x2), x1, x2)
    _check_dimensions("vecmat", "(n),(n,m)->(m)", (x1, 1), (x2, 2))
    if x1.dtype.kind == "c":
        x1 = xp.conj(x1)
    return _product(xp, x1[..., None, :], x2)[..., 0, :]


def _product(xp: Any, x1: Native, x2: Native) -> Native:
    """The product of matrices; that of booleans, which the standard does not define, by counting."""
    if x1.dtype.kind != "b":
        return xp.matmul(x1, x2)
    return xp.not_equal(xp.matmul(*_cast(xp, xp.default_integer, x1, x2)), 0)


def _check_dimensions(name: str, signature: str, *operands: tuple[Native, int]) -> None:
    """Raise ValueError unless each operand has as many dimensions as its part of the signature."""
    for position, (x, required) in enumerate(operands):
        if x.ndim < required:
            raise ValueError(
                f"{name}: Input operand {position} does not have enough dimensions (has {x.ndim}, gufunc core with "
                f"signature {signature} requires {required}); its shape is {tuple(x.shape)}"
            )
