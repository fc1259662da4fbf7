"""Steps of compositions that a device's library may compute by itself, in less time than functions of the standard.

Each is an operation without a composition: the caller asks for it with ``attempt`` and computes it from other functions
where the answer is NotImplemented. Only NumPy's backend has them (``backends/xtensor_numpy/_steps.py``).
"""

from __future__ import annotations

from .._core.operations import declare

__all__ = [
    "CLOSE",
    "CONTRACTED",
    "DIVIDED_POLYNOMIAL",
    "EXTREME_NUMBER",
    "FILLED",
    "FINITE",
    "GRID_INDICES",
    "HISTOGRAM_COUNTS",
    "INFINITE_WHERE",
    "INTERPOLATED",
    "INVERSE_PERMUTATION",
    "LOWER_TRIANGLE",
    "MEMBERSHIP",
    "ORDER_STATISTICS",
    "PACKED_BITS",
    "PADDED",
    "PARTITIONED",
    "PARTITION_ORDER",
    "PLACED",
    "POLYNOMIAL",
    "SLIDING_WINDOWS",
    "UNPACKED_BITS",
]

CLOSE = declare("close", "signal", operands=2, accepts="floating", dtype="bool", primitive=False)
"""``(x, y, rtol, atol)``: ``|x - y| <= atol + rtol |y|`` for arrays of one dtype, as :func:`isclose` has it."""

CONTRACTED = declare("contracted", "signal", accepts="numeric", shape="argument", primitive=False)
"""``(x, subscripts, *others)``: :func:`einsum` of arrays of one dtype, in one pass over all combinations of indices."""

DIVIDED_POLYNOMIAL = declare(
    "divided_polynomial", "signal", operands=2, accepts="floating", shape="argument", primitive=False
)
"""``(u, v)``: the coefficients of the quotient of two polynomials of one dtype, followed by as many as ``u`` has: its
own, less the products of ``v`` with those of the quotient. ``u`` has no lower degree than ``v``."""

EXTREME_NUMBER = declare("extreme_number", "signal", accepts="real floating", shape="reduced", primitive=False)
"""``(x, axis, keepdims, largest)``: the largest or smallest element that is not NaN; NaN if there is none."""

FILLED = declare("filled", "signal", shape="same", primitive=False)
"""``(x, mask, value)``: a copy with a number of the dtype of ``x`` where a mask is true."""

FINITE = declare("finite", "signal", accepts="floating", shape="same", primitive=False)
"""``(x, nan, posinf, neginf)``: :func:`nan_to_num` with replacements that are 0-d arrays of the components' dtype."""

GRID_INDICES = declare("grid_indices", "signal", operands=0, dtype="argument", shape="argument", primitive=False)
"""``(shape, dtype)``: :func:`indices` of a grid of at least one axis."""

HISTOGRAM_COUNTS = declare("histogram_counts", "signal", operands=2, dtype="index", shape="argument", primitive=False)
"""``(x, edges)``: the counts between ascending edges of the same dtype; the last bin contains its right edge."""

INFINITE_WHERE = declare("infinite_where", "signal", operands=2, accepts="real floating", shape="same", primitive=False)
"""``(x, mask)``: an array with infinities where a mask is true; ``x`` itself where it is true nowhere."""

INTERPOLATED = declare("interpolated", "signal", operands=3, shape="same", primitive=False)
"""``(x, knots, values)``: the piecewise linear function, constant outside."""

INVERSE_PERMUTATION = declare("inverse_permutation", "signal", accepts="integer", shape="same", primitive=False)
"""``(order)``: the position of each integer in a permutation of one dimension."""

LOWER_TRIANGLE = declare("lower_triangle", "signal", operands=0, dtype="bool", shape="argument", primitive=False)
"""``(rows, columns, k)``: whether each element of a matrix is at or below a diagonal."""

MEMBERSHIP = declare("membership", "signal", operands=2, dtype="bool", shape="same", primitive=False)
"""``(x, y)``: whether each element of an array of distinct elements is in another one; NaN is not."""

ORDER_STATISTICS = declare("order_statistics", "signal", accepts="real", shape="same", primitive=False)
"""``(x, *indices)``: an array whose elements at some indices along the last axis are those of the sorted order."""

PACKED_BITS = declare("packed_bits", "signal", accepts="integer or boolean", shape="argument", primitive=False)
"""``(x, bitorder)``: bytes whose bits tell whether elements along the last axis are nonzero."""

PADDED = declare("padded", "signal", shape="argument", primitive=False)
"""``(x, widths)``: an array with its ends repeated around it; ``(x, widths, value)``: with the value, a 0-d array."""

PARTITIONED = declare("partitioned", "signal", shape="same", primitive=False)
"""``(x, positions, axis)``: a copy with elements of the sorted order at some positions, smaller ones before them."""

PARTITION_ORDER = declare("partition_order", "signal", dtype="index", shape="same", primitive=False)
"""``(x, positions, axis)``: the indices of the elements in such a copy."""

PLACED = declare("placed", "signal", operands=3, shape="same", primitive=False)
"""``(x, mask, values)``: assign where a mask is true, one value after another, from the first one again at the end."""

POLYNOMIAL = declare("polynomial", "signal", accepts="floating", shape="argument", primitive=False)
"""``(zeros)``: the coefficients of the polynomial with some zeros, from the highest power to the lowest."""

SLIDING_WINDOWS = declare("sliding_windows", "signal", shape="argument", primitive=False)
"""``(x, lengths, axes)``: a read-only view of all windows, whose axes come last."""

UNPACKED_BITS = declare("unpacked_bits", "signal", accepts="integer", shape="argument", primitive=False)
"""``(x, bitorder)``: the bits of bytes along the last axis."""
