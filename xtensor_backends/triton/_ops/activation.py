# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, N803
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Activation functions of neural networks."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice

from .arithmetic import divide


@triton.jit
def relu(x):
    return tl.where(x <= 0, 0.0, x)


@triton.jit
def silu(x):
    """``x / (1 + exp(-x))``; the limit at minus infinity is -0."""
    decay = libdevice.exp(tl.abs(x) * -1.0)
    result = x * divide(tl.where(x < 0, decay, 1.0), 1.0 + decay)
    return tl.where(x == float("-inf"), -0.0, result)


@triton.jit
def swiglu(gate, x):
    """``silu(gate) · x``."""
    return silu(gate) * x


@triton.jit
def gelu_tanh(x):
    """Approximation of :func:`gelu` by tanh; the limit at minus infinity is -0."""
    inner = 0.7978845608028654 * (x + 0.044715 * (x * x * x))
    return tl.where(x == float("-inf"), -0.0, 0.5 * x * (1.0 + libdevice.tanh(inner)))


@triton.jit
def gelu(x):
    """``x · erfc(-x / √2) / 2``; the limit at minus infinity is -0."""
    return tl.where(x == float("-inf"), -0.0, 0.5 * x * erfc(x * -0.7071067811865476))


NEAR_NUMERATOR = tl.constexpr(
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3)
)
NEAR_DENOMINATOR = tl.constexpr(
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3)
)
MIDDLE_NUMERATOR = tl.constexpr(
    (
        *(2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1),
        *(2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3),
        1.23033935479799725e3,
    )
)
MIDDLE_DENOMINATOR = tl.constexpr(
    (
        *(1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3),
        *(3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
    )
)
FAR_NUMERATOR = tl.constexpr(
    (
        *(1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1),
        *(1.60837851487422766e-2, 6.58749161529837803e-4),
    )
)
FAR_DENOMINATOR = tl.constexpr(
    (
        *(1.0, 2.56852019228982242, 1.87295284992346047, 5.27905102951428412e-1, 6.05183413124413191e-2),
        2.33520497626869185e-3,
    )
)


@triton.jit
def polynomial(x, COEFFICIENTS: tl.constexpr, DEGREE: tl.constexpr):
    """Evaluate a polynomial by Horner's rule; coefficients start with the highest power."""
    value = x * COEFFICIENTS[0] + COEFFICIENTS[1]
    for i in tl.static_range(2, DEGREE + 1):
        value = value * x + COEFFICIENTS[i]
    return value


@triton.jit
def erfc(x):
    """Complementary error function by Cody's rational approximations (1969); ROCm's libdevice has no erfc."""
    y = tl.abs(x)
    square = x * x
    inverse = divide(square * 0 + 1.0, square)
    near = 1.0 - x * divide(polynomial(square, NEAR_NUMERATOR, 4), polynomial(square, NEAR_DENOMINATOR, 4))
    middle = divide(polynomial(y, MIDDLE_NUMERATOR, 8), polynomial(y, MIDDLE_DENOMINATOR, 8))
    far = inverse * divide(polynomial(inverse, FAR_NUMERATOR, 5), polynomial(inverse, FAR_DENOMINATOR, 5))
    far = divide(0.5641895835477563 - far, y)
    coarse = tl.floor(y * 16.0) * 0.0625
    decay = libdevice.exp(coarse * coarse * -1.0) * libdevice.exp((y - coarse) * (y + coarse) * -1.0)
    tail = tl.where(y > 30.0, 0.0, decay * tl.where(y <= 4.0, middle, far))
    return tl.where(y <= 0.46875, near, tl.where(x < 0, 2.0 - tail, tail))
