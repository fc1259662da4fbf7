"""Kernels of our own, for functions that CuPy computes otherwise than the standard or NumPy.

Each is one launch, as CuPy's own function would be. The bodies are plain C++ on the parameters' types, with no macro
and no intrinsic, so that a host compiler takes them as well as NVRTC and HIPRTC; constants that C++ has no portable
name for, such as NaN, are parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Kernels"]

FLOOR_DIVIDE = """
if (isfinite(x) && isfinite(y) && y != 0) {
    T rest = fmod(x, y);
    T quotient = (x - rest) / y;
    if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
    T below = floor(quotient);
    z = quotient == 0 ? copysign(T(0), x / y) : (quotient - below > T(0.5) ? below + 1 : below);
} else {
    z = floor(x / y);
}
"""

REMAINDER = """
T rest = fmod(x, y);
if (rest == 0) z = copysign(T(0), y);
else z = (y < 0) != (rest < 0) ? rest + y : rest;
"""

# Smith's algorithm, which no intermediate result makes overflow, with NumPy's results for a divisor of 0.
COMPLEX_DIVIDE = """
typedef T::value_type R;
R a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
if (fabs(c) >= fabs(d)) {
    if (c == 0 && d == 0) {
        z = T(a / fabs(c), b / fabs(c));
    } else {
        R ratio = d / c, scale = R(1) / (c + d * ratio);
        z = T((a + b * ratio) * scale, (b - a * ratio) * scale);
    }
} else {
    R ratio = c / d, scale = R(1) / (d + c * ratio);
    z = T((a * ratio + b) * scale, (b * ratio - a) * scale);
}
"""

# Floating-point numbers are ordered as their bits are, once the sign is taken for that of an integer. Only integers
# occur, so that subnormal numbers count even where floating-point instructions flush them to zero.
NEXTAFTER = """
I xm = x & mask, ym = y & mask;
I from = x < 0 ? -xm : xm, to = y < 0 ? -ym : ym;
if (xm > infinity) {
    z = x;
} else if (ym > infinity || from == to) {
    z = y;
} else {
    I next = from < to ? from + 1 : from - 1;
    z = next == 0 ? (x & ~mask) : (next < 0 ? ((-next) | ~mask) : next);
}
"""

KEY = """
I magnitude = bits & mask;
key = magnitude > infinity ? nan : (bits < 0 ? -magnitude : magnitude);
"""

# An infinite component wins over a NaN.
COMPLEX_LOG = """
typedef T::value_type R;
R a = x.real(), b = x.imag();
if ((isinf(a) && isnan(b)) || (isnan(a) && isinf(b))) {
    y = T(isinf(a) ? fabs(a) : fabs(b), isnan(a) ? a : b);
} else {
    T logarithm = log(x);
    y = T(logarithm.real() * R(scale), logarithm.imag() * R(scale));
}
"""

COMPLEX_LOG1P = """
typedef T::value_type R;
R a = x.real(), b = x.imag();
R squares = a * (R(2) + a) + b * b;
R magnitude = fabs(a) < R(0.5) && fabs(b) < R(0.5) ? R(0.5) * log1p(squares) : log(hypot(R(1) + a, b));
y = T(magnitude, atan2(b, R(1) + a));
"""

# expm1(a + bj) = (expm1(a) cos(b) - 2 sin²(b/2)) + exp(a) sin(b) j
COMPLEX_EXPM1 = """
typedef T::value_type R;
R a = x.real(), b = x.imag();
R half = sin(b * R(0.5));
R real = expm1(a) * cos(b) - R(2) * half * half + R(0);
R imaginary = b == 0 ? b : exp(a) * sin(b);
if (isinf(a) && a < 0) {
    real = R(-1);
    imaginary = isfinite(b) ? imaginary : R(0);
} else if (isinf(a) && !isfinite(b)) {
    real = a;
}
y = T(real, imaginary);
"""

COMPLEX_TANH = """
typedef T::value_type R;
R a = x.real(), b = x.imag();
if (isinf(a)) y = T(copysign(R(1), a), copysign(R(0), b));
else if (a == 0 && !isfinite(b)) y = T(a, b - b);
else y = tanh(x);
"""

COMPLEX_TAN = """
typedef T::value_type R;
R a = x.real(), b = x.imag();
if (isinf(b)) y = T(copysign(R(0), a), copysign(R(1), b));
else if (b == 0 && !isfinite(a)) y = T(a - a, b);
else y = tan(x);
"""

COMPLEX_ACOSH = """
typedef T::value_type R;
if (x.real() == 0 && isnan(x.imag())) y = T(x.imag(), R(1.5707963267948966));
else y = acosh(x);
"""

COMPLEX_ROUND = """
y = T(rint(x.real()), rint(x.imag()));
"""

LINSPACE = """
if (i == last) y = stop;
else y = start + (step == T(0) ? delta * (double(i) / parts) : step * double(i));
"""

PRODUCT_IN_ORDER = """
T product = T(1);
for (long long k = 0; k < n; ++k) product = product * x[i * n + k];
y = product;
"""

LARGEST = "(a > b || a != a) ? a : b"
SMALLEST = "(a < b || a != a) ? a : b"


class Kernels:
    """The kernels, made with a library's kernel classes; each is compiled when it is first called."""

    def __init__(self, cp: Any) -> None:
        def elementwise(inputs: str, outputs: str, body: str, name: str) -> Any:
            return cp.ElementwiseKernel(inputs, outputs, body, f"xtensor_{name}")

        self.floor_divide = elementwise("T x, T y", "T z", FLOOR_DIVIDE, "floor_divide")
        self.remainder = elementwise("T x, T y", "T z", REMAINDER, "remainder")
        self.complex_divide = elementwise("T x, T y", "T z", COMPLEX_DIVIDE, "complex_divide")
        self.nextafter = elementwise("I x, I y, I mask, I infinity", "I z", NEXTAFTER, "nextafter")
        self.key = elementwise("I bits, I mask, I infinity, I nan", "I key", KEY, "key")
        self.one_nan = elementwise("T x, T nan", "T y", "y = x == x ? x : nan;", "one_nan")
        self.log = elementwise("T x, float64 scale", "T y", COMPLEX_LOG, "complex_log")
        self.log1p = elementwise("T x", "T y", COMPLEX_LOG1P, "complex_log1p")
        self.expm1 = elementwise("T x", "T y", COMPLEX_EXPM1, "complex_expm1")
        self.tanh = elementwise("T x", "T y", COMPLEX_TANH, "complex_tanh")
        self.tan = elementwise("T x", "T y", COMPLEX_TAN, "complex_tan")
        self.acosh = elementwise("T x", "T y", COMPLEX_ACOSH, "complex_acosh")
        self.round = elementwise("T x", "T y", COMPLEX_ROUND, "complex_round")
        self.fill = elementwise("T value", "T y", "y = value;", "fill")
        self.arange_of_integers = elementwise(
            "uint64 start, uint64 step", "T y", "y = T(start + (unsigned long long)i * step);", "arange_of_integers"
        )
        self.arange = elementwise("float64 start, float64 step", "float64 y", "y = start + double(i) * step;", "arange")
        self.linspace = elementwise(
            "T start, T stop, T step, T delta, float64 parts, int64 last", "T y", LINSPACE, "linspace"
        )
        self.product_in_order = elementwise("raw T x, int64 n", "T y", PRODUCT_IN_ORDER, "product_in_order")
        self.max = cp.ReductionKernel("T x", "T y", "x", LARGEST, "y = a", "-1.0 / 0.0", "xtensor_max")
        self.min = cp.ReductionKernel("T x", "T y", "x", SMALLEST, "y = a", "1.0 / 0.0", "xtensor_min")

    def keys(self, x: Any, *, nan: int) -> Any:
        """Integers in the order of floating-point numbers; zeros of both signs equal, NaN as ``nan`` says.

        ``nan`` is 1 for a NaN above all, -1 for one below all.
        """
        integers, mask, infinity = layout(x.dtype)
        return self.key(x.view(integers), mask, infinity, integers.type(nan * int(mask)))


def layout(dtype: np.dtype[Any]) -> tuple[np.dtype[Any], Any, Any]:
    """The integers of a floating-point dtype's size, the mask of all bits but the sign, and infinity's bits."""
    integers = np.dtype(f"int{8 * dtype.itemsize}")
    return integers, integers.type(np.iinfo(integers).max), np.asarray(np.inf, dtype).view(integers)[()]
