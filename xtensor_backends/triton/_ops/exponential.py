# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, RET505
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Powers, roots, exponentials and logarithms of elements."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def preserve_subnormal(x, result):
    """Return ``x`` for float32 subnormals, else ``result``: for functions with ``f(x) ≈ x`` near zero."""
    if x.dtype == tl.float32:
        return tl.where(tl.abs(x) < 1.1754943508222875e-38, x, result)
    else:
        return result


@triton.jit
def sqrt(x):
    """Square root. Subnormals are scaled: on AMD, Triton 3.6 starts from a reciprocal root, infinite for them."""
    if x.dtype == tl.float32:
        subnormal = x < 1.1754943508222875e-38
        root = tl.sqrt_rn(tl.where(subnormal, x * 16777216.0, x))
        return tl.where(subnormal, root * 0.000244140625, root)
    else:
        return tl.sqrt(x)


@triton.jit
def exp(x):
    return libdevice.exp(x)


@triton.jit
def expm1(x):
    return preserve_subnormal(x, libdevice.expm1(x))


@triton.jit
def log(x):
    if x.dtype == tl.float32:
        subnormal = (x > 0) & (x < 1.1754943508222875e-38)
        logarithm = libdevice.log(tl.where(subnormal, x * 16777216.0, x))
        return tl.where(subnormal, logarithm - 16.635532333438686, logarithm)
    else:
        return libdevice.log(x)


@triton.jit
def log2(x):
    if x.dtype == tl.float32:
        subnormal = (x > 0) & (x < 1.1754943508222875e-38)
        logarithm = libdevice.log2(tl.where(subnormal, x * 16777216.0, x))
        return tl.where(subnormal, logarithm - 24.0, logarithm)
    else:
        return libdevice.log2(x)


@triton.jit
def log10(x):
    if x.dtype == tl.float32:
        subnormal = (x > 0) & (x < 1.1754943508222875e-38)
        logarithm = libdevice.log10(tl.where(subnormal, x * 16777216.0, x))
        return tl.where(subnormal, logarithm - 7.224719895935548, logarithm)
    else:
        return libdevice.log10(x)


@triton.jit
def log1p(x):
    return preserve_subnormal(x, libdevice.log1p(x))


@triton.jit
def logaddexp(x, y):
    """``log(exp(x) + exp(y)) = m + log1p(exp(-|x - y|))``, where m is the larger operand."""
    difference = x - y
    larger = tl.where(difference > 0, x, y)
    result = larger + libdevice.log1p(libdevice.exp(tl.abs(difference) * -1.0))
    return tl.where(x == y, x + 0.6931471805599453, tl.where(difference == difference, result, difference))


@triton.jit
def pow_float(x, y):
    return libdevice.pow(x, y)


@triton.jit
def hypot(x, y):
    infinite = (tl.abs(x) == float("inf")) | (tl.abs(y) == float("inf"))
    return tl.where(infinite, float("inf"), libdevice.hypot(x, y))
