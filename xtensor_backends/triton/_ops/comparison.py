# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Comparison, selection and classification of elements."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def equal(x, y):
    return x == y


@triton.jit
def not_equal(x, y):
    return x != y


@triton.jit
def less(x, y):
    return x < y


@triton.jit
def less_equal(x, y):
    return x <= y


@triton.jit
def greater(x, y):
    return x > y


@triton.jit
def greater_equal(x, y):
    return x >= y


@triton.jit
def compare_mixed(x, y):
    """-1, 0 or 1 for one signed and one unsigned 64-bit integer, which have no common integer dtype."""
    if x.dtype.is_int_signed():
        less_than = (x < 0) | (x.to(tl.uint64) < y)
        greater_than = (x >= 0) & (x.to(tl.uint64) > y)
    else:
        less_than = (y >= 0) & (x < y.to(tl.uint64))
        greater_than = (y < 0) | (x > y.to(tl.uint64))
    return greater_than.to(tl.int8) - less_than.to(tl.int8)


@triton.jit
def equal_mixed(x, y):
    return compare_mixed(x, y) == 0


@triton.jit
def not_equal_mixed(x, y):
    return compare_mixed(x, y) != 0


@triton.jit
def less_mixed(x, y):
    return compare_mixed(x, y) < 0


@triton.jit
def less_equal_mixed(x, y):
    return compare_mixed(x, y) <= 0


@triton.jit
def greater_mixed(x, y):
    return compare_mixed(x, y) > 0


@triton.jit
def greater_equal_mixed(x, y):
    return compare_mixed(x, y) >= 0


@triton.jit
def maximum(x, y):
    """Maximum; NaN if either operand is NaN. The compiler removes ``x != x`` for integers."""
    return tl.where((x > y) | (x != x), x, y)


@triton.jit
def minimum(x, y):
    """Minimum; NaN if either operand is NaN."""
    return tl.where((x < y) | (x != x), x, y)


@triton.jit
def clip(x, low, high):
    return minimum(maximum(x, low), high)


@triton.jit
def where(condition, x, y):
    return tl.where(condition != 0, x, y)


@triton.jit
def isnan(x):
    return x != x


@triton.jit
def isinf(x):
    return tl.abs(x) == float("inf")


@triton.jit
def isfinite(x):
    return tl.abs(x) < float("inf")


@triton.jit
def always_false(x):
    return x != x


@triton.jit
def always_true(x):
    return x == x
