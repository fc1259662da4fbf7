"""Kernels for functions in which CuPy departs from the standard or from NumPy, and which no composition replaces.

Each is one launch, as CuPy's own function would be. The bodies are plain C++ on the parameters' types, without macros
and intrinsics, so that a host compiler accepts them as well as NVRTC and HIPRTC; constants that C++ has no portable
name for, such as NaN, are parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Kernels", "layout"]

REMAINDER = """
T rest = fmod(x, y);
if (rest == 0) z = copysign(T(0), y);
else z = (y < 0) != (rest < 0) ? rest + y : rest;
"""

# The bits of a floating-point number, read as sign and magnitude, order as the number does. Only integers occur, as
# floating-point instructions may flush subnormal numbers to zero.
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
    """The kernels, built with a library's kernel classes; each is compiled at its first call."""

    def __init__(self, cp: Any) -> None:
        def elementwise(inputs: str, outputs: str, body: str, name: str) -> Any:
            return cp.ElementwiseKernel(inputs, outputs, body, f"xtensor_{name}")

        self.remainder = elementwise("T x, T y", "T z", REMAINDER, "remainder")
        self.nextafter = elementwise("I x, I y, I mask, I infinity", "I z", NEXTAFTER, "nextafter")
        self.key = elementwise("I bits, I mask, I infinity, I nan", "I key", KEY, "key")
        self.one_nan = elementwise("T x, T nan", "T y", "y = x == x ? x : nan;", "one_nan")
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
        """Return integers that order as the floating-point numbers do; zeros of both signs have one key.

        ``nan`` is 1 if NaN orders above all numbers, -1 if below.
        """
        integers, mask, infinity = layout(x.dtype)
        return self.key(x.view(integers), mask, infinity, integers.type(nan * int(mask)))


def layout(dtype: np.dtype[Any]) -> tuple[np.dtype[Any], Any, Any]:
    """Return the integer dtype of a floating-point dtype's size, the mask of all bits but the sign, infinity's bits."""
    integers = np.dtype(f"int{8 * dtype.itemsize}")
    return integers, integers.type(np.iinfo(integers).max), np.asarray(np.inf, dtype).view(integers)[()]
