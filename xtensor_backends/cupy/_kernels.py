"""Kernels for functions in which CuPy departs from the standard or from NumPy, and which no composition replaces.

Each is one launch, as CuPy's own function would be. The bodies are plain C++ on the parameters' types, without macros
and intrinsics, so that a host compiler accepts them as well as NVRTC and HIPRTC; constants that C++ has no portable
name for, such as NaN, are parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["BLOCK", "Kernels", "layout"]

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

# As NumPy shifts by negative counts and by counts of the width or more. A GPU takes counts modulo 2**32, or the width.
SHIFT = "bool outside = n < 0 || n >= T(8 * sizeof(T));"
LEFT_SHIFT = f"{SHIFT} z = outside ? T(0) : T(x << n);"
RIGHT_SHIFT = f"{SHIFT} z = outside ? (x < 0 ? T(-1) : T(0)) : T(x >> n);"

# The first element is the start, also where that is -0.
ARANGE = "y = i == 0 ? start : start + double(i) * step;"

LINSPACE = """
if (i == last) y = stop;
else y = start + (step == T(0) ? delta * (double(i) / parts) : step * double(i));
"""

PRODUCT_IN_ORDER = """
T product = T(1);
for (long long k = 0; k < n; ++k) product = product * x[i * n + k];
y = product;
"""

PRODUCTS_IN_ORDER = """
T product = T(1);
for (long long k = 0; k < n; ++k) {
    product = product * x[i * n + k];
    y[i * n + k] = product;
}
"""

# Extremes of integers that order as the numbers do, as floating-point comparisons may flush subnormal numbers to zero.
# The bits of a negative number are inverted, but for the sign; a NaN is the largest integer, or the smallest. CuPy
# replaces the parameters' names as text for its reduction with CUB: nothing else may contain them, not even 0x7c00.
MASK = "I(~(I(1) << (8 * sizeof(I) - 1)))"
INFINITY_BITS = "(sizeof(I) == 2 ? I(0x7c00) : sizeof(I) == 4 ? I(0x7f800000) : I(0x7ff0000000000000))"
ORDERED = f"((bits & {MASK}) > {INFINITY_BITS} ? I({{nan}}) : bits < 0 ? I(bits ^ {MASK}) : bits)"
BITS = f"extreme = a < 0 ? a ^ {MASK} : a"
LOWEST = f"(~{MASK})"

# Sums of the squares of small, ordinary and large numbers, the first and the last of scaled ones, so that no square
# leaves the range of double (Blue, 1978); the constants are Anderson's (2017). A NaN is ordinary.
SQUARES = "struct Squares { double small, ordinary, large; };"
SMALLEST, LARGEST, ENLARGED, REDUCED = (repr(2.0**exponent) for exponent in (-511, 486, 537, -538))
SQUARES_OF = (
    f"Squares{{fabs(element) < {SMALLEST} ? (element * {ENLARGED}) * (element * {ENLARGED}) : 0.0, "
    f"fabs(element) < {SMALLEST} || fabs(element) > {LARGEST} ? 0.0 : double(element) * element, "
    f"fabs(element) > {LARGEST} ? (element * {REDUCED}) * (element * {REDUCED}) : 0.0}}"
)
ADDED_SQUARES = "Squares{a.small + b.small, a.ordinary + b.ordinary, a.large + b.large}"
NO_SQUARES = "Squares{0.0, 0.0, 0.0}"
ROOT = (
    f"root = T(a.large > 0 ? sqrt(a.large + (a.ordinary * {REDUCED}) * {REDUCED}) / {REDUCED} : a.ordinary == 0 ? "
    f"sqrt(a.small) / {ENLARGED} : sqrt(a.ordinary + (a.small / {ENLARGED}) / {ENLARGED}))"
)

# Means: sums of the numbers and of reduced ones, for which a double is large enough, and the count.
SUMS = "struct Sums { double ordinary, reduced, count; };"
SUMS_OF = f"Sums{{double(element), double(element) * {2.0**-64!r}, 1.0}}"
ADDED_SUMS = "Sums{a.ordinary + b.ordinary, a.reduced + b.reduced, a.count + b.count}"
NO_SUMS = "Sums{0.0, 0.0, 0.0}"
QUOTIENT = (
    f"average = T(fabs(a.ordinary) <= {float(np.finfo(np.float64).max)!r} ? a.ordinary / a.count : "
    f"(a.reduced / a.count) * {2.0**64!r})"
)

# Deviations: the squares of the distances from a center as above, and the sum of the distances, which is the number of
# elements times the rounding error of the center.
DEVIATIONS = f"""
struct Deviations {{ double small, ordinary, large, drift, count; }};
__device__ Deviations deviations_of(double x, double y) {{
    double distance = x - y, size = fabs(distance), reduced = x * {REDUCED} - y * {REDUCED};
    Deviations a = {{0.0, 0.0, 0.0, distance, 1.0}};
    if (size < {SMALLEST}) a.small = (distance * {ENLARGED}) * (distance * {ENLARGED});
    else if (size > {LARGEST}) a.large = reduced * reduced;
    else a.ordinary = distance * distance;
    return a;
}}
__device__ double spread_of(const Deviations& a) {{
    double spread = a.large > 0 ? sqrt((a.large + (a.ordinary * {REDUCED}) * {REDUCED}) / a.count) / {REDUCED}
        : a.ordinary == 0 ? sqrt(a.small / a.count) / {ENLARGED}
        : sqrt((a.ordinary + (a.small / {ENLARGED}) / {ENLARGED}) / a.count);
    double error = fabs(a.drift / a.count) / spread;
    // All elements are equal where the distances are the rounding error of the center.
    double rest = error > {1 - 2.0**-48!r} ? 0.0 : (1.0 - error) * (1.0 + error);
    return error <= 2.0 ? spread * sqrt(rest) : spread;
}}
"""
DEVIATIONS_OF = "deviations_of(element, center)"
ADDED_DEVIATIONS = (
    "Deviations{a.small + b.small, a.ordinary + b.ordinary, a.large + b.large, a.drift + b.drift, a.count + b.count}"
)
NO_DEVIATIONS = "Deviations{0.0, 0.0, 0.0, 0.0, 0.0}"

# Each element of the result has a segment of the sorted values. Whole blocks of a long one are summed beforehand.
BLOCK = 256
BLOCK_SUMS = f"""
double sum = 0.0;
for (long long k = i * {BLOCK}; k < (i + 1) * {BLOCK} && k < n; ++k) sum += double(x[k]);
block = sum;
"""
SEGMENT_SUMS = f"""
long long k = starts[i], stop = starts[i + 1];
double sum = 0.0;
for (; k < stop && k % {BLOCK} != 0; ++k) sum += double(x[k]);
for (; k + {BLOCK} <= stop; k += {BLOCK}) sum += blocks[k / {BLOCK}];
for (; k < stop; ++k) sum += double(x[k]);
y = T(sum);
"""

# The elements of an axis of ``n`` elements, and those behind each, ``after`` in number, move on by ``shift``.
ROLL = """
long long inner = i % after, outer = i / after, at = outer % n, line = outer - at;
y = x[(line + (at >= shift ? at - shift : at - shift + n)) * after + inner];
"""


class Kernels:
    """The kernels, built with a library's kernel classes; each is compiled at its first call."""

    def __init__(self, cp: Any) -> None:
        def elementwise(inputs: str, outputs: str, body: str, name: str) -> Any:
            return cp.ElementwiseKernel(inputs, outputs, body, f"xtensor_{name}")

        self.remainder = elementwise("T x, T y", "T z", REMAINDER, "remainder")
        self.nextafter = elementwise("I x, I y, I mask, I infinity", "I z", NEXTAFTER, "nextafter")
        self.key = elementwise("I bits, I mask, I infinity, I nan", "I key", KEY, "key")
        self.nonzero = elementwise("I bits, I mask", "bool y", "y = (bits & mask) != 0;", "nonzero")
        self.left_shift = elementwise("T x, T n", "T z", LEFT_SHIFT, "left_shift")
        self.right_shift = elementwise("T x, T n", "T z", RIGHT_SHIFT, "right_shift")
        self.one_nan = elementwise("T x, T nan", "T y", "y = x == x ? x : nan;", "one_nan")
        self.fill = elementwise("T value", "T y", "y = value;", "fill")
        self.arange_of_integers = elementwise(
            "uint64 start, uint64 step", "T y", "y = T(start + (unsigned long long)i * step);", "arange_of_integers"
        )
        self.arange = elementwise("float64 start, float64 step", "float64 y", ARANGE, "arange")
        self.linspace = elementwise(
            "T start, T stop, T step, T delta, float64 parts, int64 last", "T y", LINSPACE, "linspace"
        )
        self.product_in_order = elementwise("raw T x, int64 n", "T y", PRODUCT_IN_ORDER, "product_in_order")
        self.products_in_order = elementwise("raw T x, int64 n", "raw T y", PRODUCTS_IN_ORDER, "products_in_order")
        self.block_sums = elementwise("raw T x, int64 n", "float64 block", BLOCK_SUMS, "block_sums")
        self.segment_sums = elementwise(
            "raw T x, raw int64 starts, raw float64 blocks", "T y", SEGMENT_SUMS, "segment_sums"
        )
        self.roll = elementwise("raw T x, int64 n, int64 shift, int64 after", "T y", ROLL, "roll")
        self.max = cp.ReductionKernel(
            "I bits", "I extreme", ORDERED.format(nan=MASK), "a > b ? a : b", BITS, LOWEST, "xtensor_max"
        )
        self.min = cp.ReductionKernel(
            "I bits", "I extreme", ORDERED.format(nan=LOWEST), "a < b ? a : b", BITS, MASK, "xtensor_min"
        )
        self.norm = cp.ReductionKernel(
            *("T element", "T root", SQUARES_OF, ADDED_SQUARES, ROOT, NO_SQUARES, "xtensor_norm"),
            reduce_type="Squares",
            preamble=SQUARES,
        )
        self.mean = cp.ReductionKernel(
            *("T element", "T average", SUMS_OF, ADDED_SUMS, QUOTIENT, NO_SUMS, "xtensor_mean"),
            reduce_type="Sums",
            preamble=SUMS,
        )

        def deviation(result: str, name: str) -> Any:
            return cp.ReductionKernel(
                *("T element, T center", "T result", DEVIATIONS_OF, ADDED_DEVIATIONS),
                *(f"result = T({result})", NO_DEVIATIONS, f"xtensor_{name}"),
                reduce_type="Deviations",
                preamble=DEVIATIONS,
            )

        self.std, self.var = deviation("spread_of(a)", "std"), deviation("spread_of(a) * spread_of(a)", "var")

    def extreme(self, name: str, x: Any, **options: Any) -> Any:
        """Return the maximum or the minimum of floating-point numbers, NaN if one is; ``name`` is "max" or "min"."""
        integers, _, _ = layout(x.dtype)
        return getattr(self, name)(x.view(integers), **options).view(x.dtype)

    def truth(self, x: Any) -> Any:
        """Return whether each element of a float32 or complex64 array is not zero: subnormal numbers are not."""
        integers = np.dtype(f"int{8 * x.dtype.itemsize}")
        component, mask, _ = layout(np.finfo(x.dtype).dtype)
        both = sum(int(mask) << shift for shift in range(0, 8 * x.dtype.itemsize, 8 * component.itemsize))
        return self.nonzero(x.view(integers), integers.type(both))

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
