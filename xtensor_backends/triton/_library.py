# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, N803, RET505
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Functions of the elements of a block that are no formulas: those of Triton and of libdevice, with corrections.

Kernels pass operands in the compute dtype: float16 and bfloat16 as float32, booleans as uint8 with the values 0 and 1,
integers unchanged, and float32 as float64 where the float32 function of libdevice has an error above 2 ulp. Facts about
Triton that explain the code:

- ``/`` and ``sqrt`` are approximate for float32; ``div_rn`` and ``sqrt_rn`` round correctly.
- libdevice keeps float32 subnormals with the launcher's options, but states no error for them. Functions with
  ``f(x) ≈ x`` near zero return ``x``; logarithms scale it.
- A constant must stand where it is used: the interpreter converts an assigned constant to float32.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def divide(x, y):
    if x.dtype == tl.float32:
        return tl.div_rn(x, y)
    else:
        return x / y


@triton.jit
def reciprocal(x):
    if x.dtype == tl.float32:
        return tl.div_rn(1.0, x)
    else:
        return 1.0 / x


@triton.jit
def multiply(x, y):
    return x * y


@triton.jit
def maximum(x, y):
    """Maximum; NaN if either operand is NaN. The compiler removes ``x != x`` for integers."""
    return tl.where((x > y) | (x != x), x, y)


@triton.jit
def minimum(x, y):
    """Minimum; NaN if either operand is NaN."""
    return tl.where((x < y) | (x != x), x, y)


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
def hypot(x, y):
    infinite = (tl.abs(x) == float("inf")) | (tl.abs(y) == float("inf"))
    return tl.where(infinite, float("inf"), libdevice.hypot(x, y))


@triton.jit
def preserve_subnormal(x, result):
    """Return ``x`` for float32 subnormals, else ``result``: for functions with ``f(x) ≈ x`` near zero."""
    if x.dtype == tl.float32:
        return tl.where(tl.abs(x) < 1.1754943508222875e-38, x, result)
    else:
        return result


@triton.jit
def scaled(x):
    """``x``, and float32 subnormals times 2**24: for logarithms."""
    if x.dtype == tl.float32:
        return tl.where((x > 0) & (x < 1.1754943508222875e-38), x * 16777216.0, x)
    else:
        return x


@triton.jit
def unscaled(x, logarithm, OFFSET: tl.constexpr):
    """The logarithm of ``x`` from that of ``scaled(x)``."""
    if x.dtype == tl.float32:
        return tl.where((x > 0) & (x < 1.1754943508222875e-38), logarithm - OFFSET, logarithm)
    else:
        return logarithm


@triton.jit
def exp(x):
    return libdevice.exp(x)


@triton.jit
def log1p(x):
    return preserve_subnormal(x, libdevice.log1p(x))
