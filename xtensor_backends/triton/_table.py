"""The elementwise functions that kernels compute, and how they differ from NumPy's ufuncs in dtypes."""

from __future__ import annotations

import numpy as np

__all__ = ["BINARY", "COMPARISONS", "INPLACE", "UFUNCS", "UNARY", "UPCAST"]

UNARY = (
    *("nn.gelu", "nn.gelu_tanh", "nn.relu", "nn.silu", "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh"),
    *("bitwise_invert", "ceil", "conj", "cos", "cosh", "exp", "expm1", "floor", "isfinite", "isinf", "isnan", "log"),
    *("log10", "log1p", "log2", "logical_not", "negative", "positive", "reciprocal", "round", "sign", "signbit"),
    *("sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc"),
)

COMPARISONS = ("equal", "greater", "greater_equal", "less", "less_equal", "not_equal")
"""The functions that take a signed and an unsigned 64-bit integer, and Python integers out of a dtype's range."""

INPLACE = (
    *("add", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "divide"),
    *("floor_divide", "multiply", "pow", "remainder", "subtract"),
)
"""The functions that have an in-place operator."""

BINARY = (
    *("nn.swiglu", "atan2", "copysign", "hypot", "logaddexp", "logical_and", "logical_or", "logical_xor", "maximum"),
    *("minimum", "nextafter", *COMPARISONS, *INPLACE),
)

UFUNCS = {
    **dict.fromkeys(("nn.gelu", "nn.gelu_tanh", "nn.relu", "nn.silu"), np.exp),
    "nn.swiglu": np.logaddexp,
    "round": np.rint,
}
"""The NumPy ufunc with the same type resolution, where it has another name."""

UPCAST = frozenset(("acosh", "asinh", "atan2", "atanh", "hypot", "logaddexp", "pow", "sinh", "tan"))
"""The functions that compute float32 in float64, as the error of libdevice's for float32 is above 2 ulp."""
