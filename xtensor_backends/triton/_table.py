"""The elementwise functions that kernels compute: one row per function, with a device function per kind of dtype.

A row names the NumPy ufunc whose type resolution gives the dtypes of the computation and of the result, and for each
kind of the computation's dtype (``b``, ``i``, ``u``, ``f``) the device function. A kind without one has no kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._ops import activation, arithmetic, bitwise, comparison, exponential, trigonometric

__all__ = ["BINARY", "INPLACE", "UNARY", "Row"]


class Row(NamedTuple):
    """A function of the table.

    Attributes
    ----------
    ufunc
        The NumPy ufunc with the same type resolution.
    functions
        The device function for each kind of dtype.
    upcast
        Whether float32 is computed in float64.
    keep_float16
        Whether float16 is computed without an upcast.
    mixed
        The device function for a signed and an unsigned 64-bit integer; a function that has one compares, and accepts
        Python integers out of the range of the dtype.
    bfloat16
        The device function for bfloat16, if it differs from that for other floating-point dtypes.
    """

    ufunc: np.ufunc
    functions: dict[str, Any]
    upcast: bool = False
    keep_float16: bool = False
    mixed: Any = None
    bfloat16: Any = None


def _row(
    ufunc: np.ufunc, *, upcast: bool = False, keep_float16: bool = False, mixed: Any = None, bfloat16: Any = None
) -> Callable[..., Row]:
    def with_functions(**functions: Any) -> Row:
        by_kind = {kind: function for kinds, function in functions.items() for kind in kinds}
        return Row(ufunc, by_kind, upcast, keep_float16, mixed, bfloat16)

    return with_functions


UNARY: dict[str, Row] = {
    "nn.gelu": _row(np.exp)(f=activation.gelu),
    "nn.gelu_tanh": _row(np.exp)(f=activation.gelu_tanh),
    "nn.relu": _row(np.exp)(f=activation.relu),
    "nn.silu": _row(np.exp)(f=activation.silu),
    "abs": _row(np.abs)(bu=arithmetic.identity, fi=arithmetic.absolute),
    "acos": _row(np.acos)(f=trigonometric.acos),
    "acosh": _row(np.acosh, upcast=True)(f=trigonometric.acosh),
    "asin": _row(np.asin)(f=trigonometric.asin),
    "asinh": _row(np.asinh, upcast=True)(f=trigonometric.asinh),
    "atan": _row(np.atan)(f=trigonometric.atan),
    "atanh": _row(np.atanh, upcast=True)(f=trigonometric.atanh),
    "bitwise_invert": _row(np.bitwise_invert)(b=bitwise.logical_not, iu=bitwise.bitwise_invert),
    "ceil": _row(np.ceil)(biu=arithmetic.identity, f=arithmetic.ceil),
    "conj": _row(np.conj)(iuf=arithmetic.identity),
    "cos": _row(np.cos)(f=trigonometric.cos),
    "cosh": _row(np.cosh)(f=trigonometric.cosh),
    "exp": _row(np.exp)(f=exponential.exp),
    "expm1": _row(np.expm1)(f=exponential.expm1),
    "floor": _row(np.floor)(biu=arithmetic.identity, f=arithmetic.floor),
    "isfinite": _row(np.isfinite)(biu=comparison.always_true, f=comparison.isfinite),
    "isinf": _row(np.isinf)(biu=comparison.always_false, f=comparison.isinf),
    "isnan": _row(np.isnan)(biu=comparison.always_false, f=comparison.isnan),
    "log": _row(np.log)(f=exponential.log),
    "log10": _row(np.log10)(f=exponential.log10),
    "log1p": _row(np.log1p)(f=exponential.log1p),
    "log2": _row(np.log2)(f=exponential.log2),
    "logical_not": _row(np.logical_not)(biuf=bitwise.logical_not),
    "negative": _row(np.negative)(iu=arithmetic.negative_integer, f=arithmetic.negative_float),
    "positive": _row(np.positive)(iuf=arithmetic.identity),
    "reciprocal": _row(np.reciprocal)(f=arithmetic.reciprocal),
    "round": _row(np.rint)(biu=arithmetic.identity, f=arithmetic.round_half_even),
    "sign": _row(np.sign)(i=arithmetic.sign_signed, u=arithmetic.sign_unsigned, f=arithmetic.sign_float),
    "signbit": _row(np.signbit)(f=bitwise.signbit),
    "sin": _row(np.sin)(f=trigonometric.sin),
    "sinh": _row(np.sinh, upcast=True)(f=trigonometric.sinh),
    "sqrt": _row(np.sqrt)(f=exponential.sqrt),
    "square": _row(np.square)(iuf=arithmetic.square),
    "tan": _row(np.tan, upcast=True)(f=trigonometric.tan),
    "tanh": _row(np.tanh)(f=trigonometric.tanh),
    "trunc": _row(np.trunc)(biu=arithmetic.identity, f=arithmetic.truncate),
}

BINARY: dict[str, Row] = {
    "nn.swiglu": _row(np.logaddexp)(f=activation.swiglu),
    "add": _row(np.add)(b=bitwise.bitwise_or, iuf=arithmetic.add),
    "atan2": _row(np.atan2, upcast=True)(f=trigonometric.atan2),
    "bitwise_and": _row(np.bitwise_and)(biu=bitwise.bitwise_and),
    "bitwise_left_shift": _row(np.bitwise_left_shift)(iu=bitwise.left_shift),
    "bitwise_or": _row(np.bitwise_or)(biu=bitwise.bitwise_or),
    "bitwise_right_shift": _row(np.bitwise_right_shift)(iu=bitwise.right_shift),
    "bitwise_xor": _row(np.bitwise_xor)(biu=bitwise.bitwise_xor),
    "copysign": _row(np.copysign)(f=bitwise.copysign),
    "divide": _row(np.divide)(f=arithmetic.divide),
    "equal": _row(np.equal, mixed=comparison.equal_mixed)(biuf=comparison.equal),
    "floor_divide": _row(np.floor_divide)(
        i=arithmetic.floor_divide_signed, u=arithmetic.floor_divide_unsigned, f=arithmetic.floor_divide_float
    ),
    "greater": _row(np.greater, mixed=comparison.greater_mixed)(biuf=comparison.greater),
    "greater_equal": _row(np.greater_equal, mixed=comparison.greater_equal_mixed)(biuf=comparison.greater_equal),
    "hypot": _row(np.hypot, upcast=True)(f=exponential.hypot),
    "less": _row(np.less, mixed=comparison.less_mixed)(biuf=comparison.less),
    "less_equal": _row(np.less_equal, mixed=comparison.less_equal_mixed)(biuf=comparison.less_equal),
    "logaddexp": _row(np.logaddexp, upcast=True)(f=exponential.logaddexp),
    "logical_and": _row(np.logical_and)(biuf=bitwise.logical_and),
    "logical_or": _row(np.logical_or)(biuf=bitwise.logical_or),
    "logical_xor": _row(np.logical_xor)(biuf=bitwise.logical_xor),
    "maximum": _row(np.maximum)(b=bitwise.bitwise_or, iuf=comparison.maximum),
    "minimum": _row(np.minimum)(b=bitwise.bitwise_and, iuf=comparison.minimum),
    "multiply": _row(np.multiply)(b=bitwise.bitwise_and, iuf=arithmetic.multiply),
    "nextafter": _row(np.nextafter, keep_float16=True, bfloat16=bitwise.nextafter_bfloat16)(f=bitwise.nextafter),
    "not_equal": _row(np.not_equal, mixed=comparison.not_equal_mixed)(biuf=comparison.not_equal),
    "pow": _row(np.pow, upcast=True)(iu=arithmetic.pow_integer, f=exponential.pow_float),
    "remainder": _row(np.remainder)(
        i=arithmetic.remainder_signed, u=arithmetic.remainder_unsigned, f=arithmetic.remainder_float
    ),
    "subtract": _row(np.subtract)(iuf=arithmetic.subtract),
}

INPLACE = (
    *("add", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "divide"),
    *("floor_divide", "multiply", "pow", "remainder", "subtract"),
)
"""The functions that have an in-place operator."""
