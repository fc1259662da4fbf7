# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Trigonometric and hyperbolic functions of elements."""

from __future__ import annotations

import triton
from triton.language.extra import libdevice

from .exponential import preserve_subnormal


@triton.jit
def sin(x):
    return preserve_subnormal(x, libdevice.sin(x))


@triton.jit
def cos(x):
    return libdevice.cos(x)


@triton.jit
def tan(x):
    return preserve_subnormal(x, libdevice.tan(x))


@triton.jit
def asin(x):
    return preserve_subnormal(x, libdevice.asin(x))


@triton.jit
def acos(x):
    return libdevice.acos(x)


@triton.jit
def atan(x):
    return preserve_subnormal(x, libdevice.atan(x))


@triton.jit
def atan2(x, y):
    return libdevice.atan2(x, y)


@triton.jit
def sinh(x):
    return preserve_subnormal(x, libdevice.sinh(x))


@triton.jit
def cosh(x):
    return libdevice.cosh(x)


@triton.jit
def tanh(x):
    return preserve_subnormal(x, libdevice.tanh(x))


@triton.jit
def asinh(x):
    return preserve_subnormal(x, libdevice.asinh(x))


@triton.jit
def acosh(x):
    return libdevice.acosh(x)


@triton.jit
def atanh(x):
    return preserve_subnormal(x, libdevice.atanh(x))
