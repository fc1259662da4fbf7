"""Scalars of kernels with NumPy's dtypes and NumPy's arithmetic, for every generator of kernels.

A formula is a Python function of :class:`Value` objects. Calling it writes the instructions for one element through the
generator's :class:`Builder`. Formulas contain no branch, so that a loop over them becomes vector code: both sides of a
condition are computed, and :func:`select` takes one.

Arithmetic is never contracted or reordered: ``+ - * /`` and :func:`sqrt` round as NumPy's do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

__all__ = [
    "COMPONENTS",
    "FLOATS",
    "Builder",
    "Complex",
    "Formula",
    "Number",
    "Value",
    "bits",
    "cast",
    "ceil",
    "constant",
    "convert",
    "copysign",
    "fabs",
    "floor",
    "fma",
    "from_bits",
    "isfinite",
    "isinf",
    "isnan",
    "maximum",
    "minimum",
    "rint",
    "select",
    "signbit",
    "sqrt",
    "trunc",
    "two_product",
    "two_sum",
]

Number: TypeAlias = bool | int | float

BOOL = np.dtype(np.bool)
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
"""The floating-point dtypes of formulas."""

COMPONENTS: dict[np.dtype[Any], np.dtype[Any]] = {
    np.dtype(np.complex64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.float64),
}
"""The dtype of the components of each complex dtype."""

SPLITTERS = {np.dtype(np.float32): 2.0**12 + 1, np.dtype(np.float64): 2.0**27 + 1}
"""Veltkamp's constants, which split a number into two halves of its significand."""


class Builder(Protocol):
    """A generator's writer of instructions, whose operands are code in the generator's own form.

    Attributes
    ----------
    has_fma
        Whether ``fma`` of :meth:`intrinsic` is an instruction. Without it, products and sums are rounded one by one.
    library
        Names of further functions of :meth:`intrinsic`: of the device's library.
    """

    has_fma: bool
    library: frozenset[str]

    def constant(self, number: Number, dtype: Any) -> Any:
        """A number of a dtype; an integer is in the dtype's range, without sign."""
        ...

    def arithmetic(self, operator: str, dtype: Any, first: Any, second: Any) -> Any:
        """``+ - * / & | ^ << >>`` of two numbers of a dtype; integers wrap, and ``/`` of integers rounds towards 0.

        A shift is by less than the number of bits, and a divisor is not 0.
        """
        ...

    def compare(self, operator: str, dtype: Any, first: Any, second: Any) -> Any:
        """``< <= > >= == !=`` of two numbers of a dtype: of NaN and a number, only ``!=`` is true."""
        ...

    def negative(self, dtype: Any, number: Any) -> Any:
        """A floating-point number with the other sign bit."""
        ...

    def choice(self, dtype: Any, condition: Any, first: Any, second: Any) -> Any:
        """The first number where the condition holds, the second one elsewhere."""
        ...

    def intrinsic(self, name: str, dtype: Any, *operands: Any) -> Any:
        """``fma floor ceil trunc rint sqrt fabs copysign`` of floating-point numbers, correctly rounded."""
        ...

    def reinterpret(self, number: Any, source: Any, target: Any) -> Any:
        """The number of another dtype of the same size that has the same bits."""
        ...

    def convert(self, number: Any, source: Any, target: Any) -> Any:
        """A number in another dtype than bool, in whose range it is; integers wrap, a float is rounded towards 0."""
        ...


class Value:
    """A scalar in a generator's own form, with its NumPy dtype.

    Operators take two values of one dtype, or a value and a Python number, which becomes a constant of that dtype.
    Integers wrap; ``//`` and ``%`` of integers round down and give 0 for a divisor of 0; a shift by at least the number
    of bits gives 0, or -1 for a negative number that is shifted right. All of this is as in NumPy.
    """

    __slots__ = ("builder", "code", "dtype")

    def __init__(self, builder: Builder, code: Any, dtype: Any) -> None:
        self.builder = builder
        self.code = code
        self.dtype: np.dtype[Any] = np.dtype(dtype)

    def __repr__(self) -> str:
        return f"Value({self.code}, {self.dtype})"

    @property
    def kind(self) -> str:
        """NumPy's letter of the kind of dtype: b, i, u or f."""
        return self.dtype.kind

    def _operand(self, other: Value | Number) -> Value:
        if not isinstance(other, Value):
            return constant(self.builder, other, self.dtype)
        if other.dtype != self.dtype:
            raise TypeError(f"operands have dtypes {self.dtype} and {other.dtype}; cast one of them")
        return other

    def _binary(self, other: Value | Number, operator: str, kinds: str, *, swap: bool = False) -> Value:
        if self.kind not in kinds:
            raise TypeError(f"there is no operator {operator} for dtype {self.dtype}")
        first, second = self, self._operand(other)
        if swap:
            first, second = second, first
        return Value(self.builder, self.builder.arithmetic(operator, self.dtype, first.code, second.code), self.dtype)

    def __add__(self, other: Value | Number) -> Value:
        return self._binary(other, "+", "iuf")

    def __radd__(self, other: Number) -> Value:
        return self._binary(other, "+", "iuf", swap=True)

    def __sub__(self, other: Value | Number) -> Value:
        return self._binary(other, "-", "iuf")

    def __rsub__(self, other: Number) -> Value:
        return self._binary(other, "-", "iuf", swap=True)

    def __mul__(self, other: Value | Number) -> Value:
        return self._binary(other, "*", "iuf")

    def __rmul__(self, other: Number) -> Value:
        return self._binary(other, "*", "iuf", swap=True)

    def __truediv__(self, other: Value | Number) -> Value:
        return self._binary(other, "/", "f")

    def __rtruediv__(self, other: Number) -> Value:
        return self._binary(other, "/", "f", swap=True)

    def __floordiv__(self, other: Value | Number) -> Value:
        return self._divide(other)[0]

    def __mod__(self, other: Value | Number) -> Value:
        return self._divide(other)[1]

    def _divide(self, other: Value | Number) -> tuple[Value, Value]:
        """The integer quotient, rounded down, and its remainder."""
        divisor = self._operand(other)
        if self.kind not in "iu":
            raise TypeError(f"there are no operators // and % for dtype {self.dtype}")
        builder, zero = self.builder, constant(self.builder, 0, self.dtype)
        undefined = divisor == 0
        if self.kind == "u":
            safe = select(undefined, zero + 1, divisor)
            quotient = Value(builder, builder.arithmetic("/", self.dtype, self.code, safe.code), self.dtype)
            remainder = self - quotient * safe
        else:
            # The smallest number over -1 overflows, which the processor may report by a signal: negate instead.
            negates = divisor == -1
            safe = select(undefined | negates, zero + 1, divisor)
            quotient = Value(builder, builder.arithmetic("/", self.dtype, self.code, safe.code), self.dtype)
            remainder = self - quotient * safe
            inexact = (remainder != 0) & ((remainder ^ safe) < 0)
            quotient = select(inexact, quotient - 1, quotient)
            remainder = select(inexact, remainder + safe, remainder)
            quotient = select(negates, -self, quotient)
        return select(undefined, zero, quotient), select(undefined, zero, remainder)

    def __neg__(self) -> Value:
        if self.kind == "f":
            return Value(self.builder, self.builder.negative(self.dtype, self.code), self.dtype)
        return constant(self.builder, 0, self.dtype) - self

    def __and__(self, other: Value | Number) -> Value:
        return self._binary(other, "&", "biu")

    def __or__(self, other: Value | Number) -> Value:
        return self._binary(other, "|", "biu")

    def __xor__(self, other: Value | Number) -> Value:
        return self._binary(other, "^", "biu")

    def __invert__(self) -> Value:
        return self ^ (True if self.kind == "b" else constant(self.builder, -1, self.dtype))

    def __lshift__(self, other: Value | Number) -> Value:
        return self._shift(other, "<<")

    def __rshift__(self, other: Value | Number) -> Value:
        return self._shift(other, ">>")

    def _shift(self, other: Value | Number, operator: str) -> Value:
        size = 8 * self.dtype.itemsize
        if not isinstance(other, Value) and 0 <= other < size:
            return self._binary(other, operator, "iu")
        count = self._operand(other)
        fits = cast(count, f"u{self.dtype.itemsize}") < size
        shifted = self._binary(select(fits, count, constant(self.builder, 0, self.dtype)), operator, "iu")
        if operator == ">>" and self.kind == "i":
            return select(fits, shifted, self >> size - 1)
        return select(fits, shifted, constant(self.builder, 0, self.dtype))

    def _compare(self, other: Value | Number, operator: str) -> Value:
        second = self._operand(other)
        return Value(self.builder, self.builder.compare(operator, self.dtype, self.code, second.code), BOOL)

    def __lt__(self, other: Value | Number) -> Value:
        return self._compare(other, "<")

    def __le__(self, other: Value | Number) -> Value:
        return self._compare(other, "<=")

    def __gt__(self, other: Value | Number) -> Value:
        return self._compare(other, ">")

    def __ge__(self, other: Value | Number) -> Value:
        return self._compare(other, ">=")

    def __eq__(self, other: Value | Number) -> Value:  # type: ignore[override]
        return self._compare(other, "==")

    def __ne__(self, other: Value | Number) -> Value:  # type: ignore[override]
        return self._compare(other, "!=")

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError("the truth of a value is not known while its code is generated; use select()")


class Complex:
    """A complex number: two values of one floating-point dtype."""

    __slots__ = ("dtype", "imag", "real")

    def __init__(self, real: Value, imag: Value) -> None:
        self.real = real
        self.imag = imag
        self.dtype: np.dtype[Any] = np.dtype(f"c{2 * real.dtype.itemsize}")

    @property
    def builder(self) -> Builder:
        return self.real.builder

    @property
    def kind(self) -> str:
        """NumPy's letter of the kind of dtype."""
        return "c"


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


def constant(builder: Builder, number: Number, dtype: Any) -> Value:
    """A Python number as a value of a dtype; an integer wraps."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        number = float(number)
    elif dtype == BOOL:
        number = bool(number)
    elif int(number) != number:
        raise TypeError(f"{number} is not an integer, but the dtype is {dtype}")
    else:
        number = int(number) % 2 ** (8 * dtype.itemsize)
    return Value(builder, builder.constant(number, dtype), dtype)


def select(condition: Value, first: Value, second: Value | Number) -> Value:
    """The first value where the condition holds, the second one elsewhere."""
    second = first._operand(second)
    chosen = first.builder.choice(first.dtype, condition.code, first.code, second.code)
    return Value(first.builder, chosen, first.dtype)


def _intrinsic(name: str, *operands: Value) -> Value:
    """Call a function of floating-point numbers that every generator has."""
    first = operands[0]
    if first.kind != "f":
        raise TypeError(f"{name} takes floating-point numbers, not {first.dtype}")
    result = first.builder.intrinsic(name, first.dtype, *[x.code for x in operands])
    return Value(first.builder, result, first.dtype)


def fma(a: Value, b: Value | Number, c: Value | Number) -> Value:
    """``a * b + c``, rounded once where the CPU has the instruction, and twice elsewhere."""
    b, c = a._operand(b), a._operand(c)
    return _intrinsic("fma", a, b, c) if a.builder.has_fma else a * b + c


def two_sum(a: Value, b: Value | Number) -> tuple[Value, Value]:
    """The rounded sum and its rounding error, which are exact together: Knuth, Art of Computer Programming, 4.2.2."""
    total = a + b
    added = total - a
    return total, (a - (total - added)) + (-added + b)


def two_product(a: Value, b: Value | Number) -> tuple[Value, Value]:
    """The rounded product and its rounding error, which are exact together: Dekker (1971) where there is no FMA."""
    b = a._operand(b)
    product = a * b
    if a.builder.has_fma:
        return product, fma(a, b, -product)
    high_a, low_a = _split(a)
    high_b, low_b = _split(b)
    return product, ((high_a * high_b - product) + high_a * low_b + low_a * high_b) + low_a * low_b


def _split(x: Value) -> tuple[Value, Value]:
    scaled = x * SPLITTERS[x.dtype]
    high = scaled - (scaled - x)
    return high, x - high


def floor(x: Value) -> Value:
    """Round down."""
    return _intrinsic("floor", x)


def ceil(x: Value) -> Value:
    """Round up."""
    return _intrinsic("ceil", x)


def trunc(x: Value) -> Value:
    """Round towards 0."""
    return _intrinsic("trunc", x)


def rint(x: Value) -> Value:
    """Round to the nearest integer, to the even one of two."""
    return _intrinsic("rint", x)


def sqrt(x: Value) -> Value:
    """The square root, correctly rounded."""
    return _intrinsic("sqrt", x)


def fabs(x: Value) -> Value:
    """The absolute value of a floating-point number."""
    return _intrinsic("fabs", x)


def copysign(x: Value, sign: Value | Number) -> Value:
    """The absolute value of ``x`` with the sign bit of ``sign``."""
    return _intrinsic("copysign", x, x._operand(sign))


def minimum(a: Value, b: Value | Number) -> Value:
    """The smaller value, or NaN where one is NaN; of two zeros the second one, as x86's instruction."""
    b = a._operand(b)
    return select((a < b) | isnan(a) if a.kind == "f" else a < b, a, b)


def maximum(a: Value, b: Value | Number) -> Value:
    """The larger value, or NaN where one is NaN; of two zeros the second one, as x86's instruction."""
    b = a._operand(b)
    return select((a > b) | isnan(a) if a.kind == "f" else a > b, a, b)


def bits(x: Value) -> Value:
    """The bits of a floating-point number as a signed integer of its size."""
    dtype = np.dtype(f"i{x.dtype.itemsize}")
    return Value(x.builder, x.builder.reinterpret(x.code, x.dtype, dtype), dtype)


def from_bits(x: Value, dtype: Any) -> Value:
    """The floating-point number that an integer of its size holds the bits of."""
    dtype = np.dtype(dtype)
    return Value(x.builder, x.builder.reinterpret(x.code, x.dtype, dtype), dtype)


def isnan(x: Value) -> Value:
    """Whether a floating-point number is NaN."""
    return x != x


def isfinite(x: Value) -> Value:
    """Whether a floating-point number is neither NaN nor infinite."""
    return fabs(x) < float("inf")


def isinf(x: Value) -> Value:
    """Whether a floating-point number is infinite."""
    return fabs(x) == float("inf")


def signbit(x: Value) -> Value:
    """Whether the sign bit of a floating-point number is set."""
    return bits(x) < 0


def convert(x: Value | Complex, dtype: Any) -> Any:
    """Convert as NumPy's ``astype``; a real number becomes a complex one without imaginary part."""
    part = COMPONENTS.get(np.dtype(dtype))
    if isinstance(x, Complex):
        return Complex(cast(x.real, part), cast(x.imag, part))
    return cast(x, dtype) if part is None else Complex(cast(x, part), constant(x.builder, 0.0, part))


def cast(x: Value, dtype: Any) -> Value:
    """Convert a number that is not complex to such a dtype as NumPy's ``astype``.

    A number out of the range of the integer dtype gives the values that NumPy has on x86; the C language leaves them
    undefined.
    """
    dtype = np.dtype(dtype)
    if dtype == x.dtype:
        return x
    if dtype == BOOL:
        return x != 0
    if x.kind == "f" and dtype.kind != "f":
        return _to_integer(x, dtype)
    return Value(x.builder, x.builder.convert(x.code, x.dtype, dtype), dtype)


def _to_integer(x: Value, dtype: Any) -> Value:
    """Round a floating-point number towards 0 and convert it to an integer, through a wider one where C does."""
    if dtype == np.dtype(np.uint64):
        # Numbers from 2**63 on do not fit the signed instruction.
        high = x >= 2.0**63
        low = _to_signed(select(high, x - 2.0**63, x), 64)
        return cast(select(high, low ^ -(2**63), low), dtype)
    if dtype == np.dtype(np.uint32) and x.dtype.itemsize == 4:
        return _single_to_uint32(x)
    return cast(_to_signed(x, 64 if dtype.itemsize == 8 or dtype == np.dtype(np.uint32) else 32), dtype)


def _single_to_uint32(x: Value) -> Value:
    """The low 32 bits of the integer of 64 bits that x86 has for a float32, without such integers."""
    # From 2**31 on float32 has integers only, whose multiples of 2**32 are exact.
    part = x - floor(x * 2.0**-32) * 2.0**32
    number = select(fabs(x) < 2.0**31, x, select((x >= -(2.0**63)) & (x < 2.0**63), part, 0.0))
    high = number >= 2.0**31
    low = _to_signed(select(high, number - 2.0**31, number), 32)
    return cast(select(high, low ^ -(2**31), low), np.uint32)


def _to_signed(x: Value, size: int) -> Value:
    """The smallest integer for NaN and numbers out of range, as x86's instruction gives it."""
    dtype, limit = np.dtype(f"i{size // 8}"), 2.0 ** (size - 1)
    low = x > -limit - 1 if x.dtype.itemsize * 8 > size else x >= -limit
    fits = low & (x < limit)
    number = select(fits, x, 0.0)
    converted = Value(x.builder, x.builder.convert(number.code, x.dtype, dtype), dtype)
    return select(fits, converted, -int(limit))
