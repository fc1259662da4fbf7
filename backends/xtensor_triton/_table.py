"""Which device function computes a function of the standard in which dtypes: the table of elementwise kernels.

A row names NumPy's ufunc, which tells the dtypes of operands and result, and for each kind of the dtype that NumPy
computes in (``b``, ``i``, ``u``, ``f``) the device function. Where a kind has none, no kernel takes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import _ops as ops

__all__ = ["BINARY", "UNARY", "Row"]


class Row(NamedTuple):
    """A function: its ufunc, and a device function for each kind; see :func:`xtensor_triton._dtypes.computed`.

    ``mixed`` compares a signed with an unsigned 64-bit integer. ``bfloat16`` is a function of its own for that dtype.
    """

    ufunc: np.ufunc
    functions: dict[str, Any]
    wide: bool = False
    raw: bool = False
    mixed: Any = None
    bfloat16: Any = None


def _row(
    ufunc: np.ufunc, *, wide: bool = False, raw: bool = False, mixed: Any = None, bfloat16: Any = None
) -> Callable[..., Row]:
    def with_functions(**functions: Any) -> Row:
        by_kind = {kind: function for kinds, function in functions.items() for kind in kinds}
        return Row(ufunc, by_kind, wide, raw, mixed, bfloat16)

    return with_functions


UNARY: dict[str, Row] = {
    "nn.gelu": _row(np.exp)(f=ops.gelu),
    "nn.gelu_tanh": _row(np.exp)(f=ops.gelu_tanh),
    "nn.relu": _row(np.exp)(f=ops.relu),
    "nn.silu": _row(np.exp)(f=ops.silu),
    "abs": _row(np.abs)(bu=ops.identity, fi=ops.absolute),
    "acos": _row(np.acos)(f=ops.acos),
    "acosh": _row(np.acosh, wide=True)(f=ops.acosh),
    "asin": _row(np.asin)(f=ops.asin),
    "asinh": _row(np.asinh, wide=True)(f=ops.asinh),
    "atan": _row(np.atan)(f=ops.atan),
    "atanh": _row(np.atanh, wide=True)(f=ops.atanh),
    "bitwise_invert": _row(np.bitwise_invert)(b=ops.flip_truth, iu=ops.bitwise_invert),
    "ceil": _row(np.ceil)(biu=ops.identity, f=ops.ceil),
    "conj": _row(np.conj)(iuf=ops.identity),
    "cos": _row(np.cos)(f=ops.cos),
    "cosh": _row(np.cosh)(f=ops.cosh),
    "exp": _row(np.exp)(f=ops.exp),
    "expm1": _row(np.expm1)(f=ops.expm1),
    "floor": _row(np.floor)(biu=ops.identity, f=ops.floor),
    "isfinite": _row(np.isfinite)(biu=ops.always, f=ops.isfinite),
    "isinf": _row(np.isinf)(biu=ops.never, f=ops.isinf),
    "isnan": _row(np.isnan)(biu=ops.never, f=ops.isnan),
    "log": _row(np.log)(f=ops.log),
    "log10": _row(np.log10)(f=ops.log10),
    "log1p": _row(np.log1p)(f=ops.log1p),
    "log2": _row(np.log2)(f=ops.log2),
    "logical_not": _row(np.logical_not)(biuf=ops.flip_truth),
    "negative": _row(np.negative)(iu=ops.negative_integer, f=ops.negative_float),
    "positive": _row(np.positive)(iuf=ops.identity),
    "reciprocal": _row(np.reciprocal)(f=ops.reciprocal),
    "round": _row(np.rint)(biu=ops.identity, f=ops.rounded),
    "sign": _row(np.sign)(i=ops.sign_signed, u=ops.sign_unsigned, f=ops.sign_float),
    "signbit": _row(np.signbit)(f=ops.signbit),
    "sin": _row(np.sin)(f=ops.sin),
    "sinh": _row(np.sinh, wide=True)(f=ops.sinh),
    "sqrt": _row(np.sqrt)(f=ops.sqrt),
    "square": _row(np.square)(iuf=ops.square),
    "tan": _row(np.tan, wide=True)(f=ops.tan),
    "tanh": _row(np.tanh)(f=ops.tanh),
    "trunc": _row(np.trunc)(biu=ops.identity, f=ops.truncated),
}

BINARY: dict[str, Row] = {
    "nn.swiglu": _row(np.logaddexp)(f=ops.swiglu),
    "add": _row(np.add)(b=ops.bitwise_or, iuf=ops.add),
    "atan2": _row(np.atan2, wide=True)(f=ops.atan2),
    "bitwise_and": _row(np.bitwise_and)(biu=ops.bitwise_and),
    "bitwise_left_shift": _row(np.bitwise_left_shift)(iu=ops.shift_left),
    "bitwise_or": _row(np.bitwise_or)(biu=ops.bitwise_or),
    "bitwise_right_shift": _row(np.bitwise_right_shift)(iu=ops.shift_right),
    "bitwise_xor": _row(np.bitwise_xor)(biu=ops.bitwise_xor),
    "copysign": _row(np.copysign)(f=ops.copysign),
    "divide": _row(np.divide)(f=ops.divide),
    "equal": _row(np.equal, mixed=ops.equal_mixed)(biuf=ops.equal),
    "floor_divide": _row(np.floor_divide)(
        i=ops.floor_divide_signed, u=ops.floor_divide_unsigned, f=ops.floor_divide_float
    ),
    "greater": _row(np.greater, mixed=ops.greater_mixed)(biuf=ops.greater),
    "greater_equal": _row(np.greater_equal, mixed=ops.greater_equal_mixed)(biuf=ops.greater_equal),
    "hypot": _row(np.hypot, wide=True)(f=ops.hypot),
    "less": _row(np.less, mixed=ops.less_mixed)(biuf=ops.less),
    "less_equal": _row(np.less_equal, mixed=ops.less_equal_mixed)(biuf=ops.less_equal),
    "logaddexp": _row(np.logaddexp, wide=True)(f=ops.logaddexp),
    "logical_and": _row(np.logical_and)(biuf=ops.logical_and),
    "logical_or": _row(np.logical_or)(biuf=ops.logical_or),
    "logical_xor": _row(np.logical_xor)(biuf=ops.logical_xor),
    "maximum": _row(np.maximum)(b=ops.bitwise_or, iuf=ops.maximum),
    "minimum": _row(np.minimum)(b=ops.bitwise_and, iuf=ops.minimum),
    "multiply": _row(np.multiply)(b=ops.bitwise_and, iuf=ops.multiply),
    "nextafter": _row(np.nextafter, raw=True, bfloat16=ops.nextafter_bfloat16)(f=ops.nextafter),
    "not_equal": _row(np.not_equal, mixed=ops.not_equal_mixed)(biuf=ops.not_equal),
    "pow": _row(np.pow, wide=True)(iu=ops.pow_integer, f=ops.pow_float),
    "remainder": _row(np.remainder)(i=ops.remainder_signed, u=ops.remainder_unsigned, f=ops.remainder_float),
    "subtract": _row(np.subtract)(iuf=ops.subtract),
}
