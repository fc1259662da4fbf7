"""One Array API namespace (standard 2025.12) over every device.

``import xtensor as xp``, and the same program runs on NumPy, on CUDA and ROCm GPUs, on SYCL devices and on a strict
reference. Arrays are made by the creation functions on the default device or on ``device=…``; results follow the
device of their inputs.

>>> import xtensor as xp
>>> x = xp.linspace(0.0, 1.0, 5)
>>> xp.sum(x**2)
Array(1.875)
"""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import fft, linalg
from ._array import Array
from ._creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from ._data_types import (
    astype,
    bool,
    can_cast,
    complex64,
    complex128,
    finfo,
    float16,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    isdtype,
    result_type,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._device import (
    Device,
    best_device,
    default_device,
    device,
    devices,
    set_default_device,
    use_device,
)
from ._elementwise import (
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    clip,
    conj,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    expm1,
    floor,
    floor_divide,
    greater,
    greater_equal,
    hypot,
    imag,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    pow,
    real,
    reciprocal,
    remainder,
    round,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
)
from ._errors import BackendUnavailableError, DeviceMismatchError, OutOfMemoryError
from ._indexing import take, take_along_axis
from ._inspection import __array_namespace_info__
from ._linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from ._manipulation import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from ._registry import backends, register_backend, set_backend_priority
from ._searching import argmax, argmin, count_nonzero, nonzero, searchsorted, where
from ._sets import isin, unique_all, unique_counts, unique_inverse, unique_values
from ._sorting import argsort, sort
from ._statistical import cumulative_prod, cumulative_sum, max, mean, min, prod, std, sum, var
from ._transfers import transfers
from ._utility import all, any, diff
from .linalg import cross

if _TYPE_CHECKING:
    from . import lib, nn, special
    from ._beyond import allclose, bincount, convolve, diag, isclose, put_along_axis, roots, transpose
    from ._einsum import einsum
    from ._gradient import gradient
    from ._nan_aware import (
        cumprod,
        cumsum,
        nanargmax,
        nanargmin,
        nancumprod,
        nancumsum,
        nanmax,
        nanmean,
        nanmin,
        nanprod,
        nanstd,
        nansum,
        nanvar,
    )
    from ._pad import pad
    from ._quantiles import median, nanmedian, nanquantile, quantile

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

e = 2.718281828459045
inf = float("inf")
nan = float("nan")
newaxis = None
pi = 3.141592653589793

__all__ = [
    "Array",
    "BackendUnavailableError",
    "Device",
    "DeviceMismatchError",
    "OutOfMemoryError",
    "__array_api_version__",
    "__array_namespace_info__",
    "__version__",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "allclose",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "backends",
    "best_device",
    "bincount",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "can_cast",
    "ceil",
    "clip",
    "complex64",
    "complex128",
    "concat",
    "conj",
    "convolve",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cross",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "default_device",
    "device",
    "devices",
    "diag",
    "diff",
    "divide",
    "e",
    "einsum",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "fft",
    "finfo",
    "flip",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "from_dlpack",
    "full",
    "full_like",
    "gradient",
    "greater",
    "greater_equal",
    "hypot",
    "iinfo",
    "imag",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "isclose",
    "isdtype",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "lib",
    "linalg",
    "linspace",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "moveaxis",
    "multiply",
    "nan",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "negative",
    "newaxis",
    "nextafter",
    "nn",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "pad",
    "permute_dims",
    "pi",
    "positive",
    "pow",
    "prod",
    "put_along_axis",
    "quantile",
    "real",
    "reciprocal",
    "register_backend",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "roots",
    "round",
    "searchsorted",
    "set_backend_priority",
    "set_default_device",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sort",
    "special",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "transfers",
    "transpose",
    "tril",
    "triu",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "use_device",
    "var",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]


def __dir__() -> list[str]:
    return sorted(__all__)


_LATER = {
    **dict.fromkeys(("allclose", "bincount", "convolve", "diag", "isclose", "put_along_axis"), "._beyond"),
    **dict.fromkeys(("roots", "transpose"), "._beyond"),
    **dict.fromkeys(("cumprod", "cumsum", "nanargmax", "nanargmin", "nancumprod", "nancumsum"), "._nan_aware"),
    **dict.fromkeys(("nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar"), "._nan_aware"),
    **dict.fromkeys(("median", "nanmedian", "nanquantile", "quantile"), "._quantiles"),
    "einsum": "._einsum",
    "gradient": "._gradient",
    "pad": "._pad",
    "lib": ".lib",
    "nn": ".nn",
    "special": ".special",
}


def __getattr__(name: str) -> _Any:
    # What is beyond the standard's chapters is not imported before it is asked for.
    if name == "bfloat16":
        return _bfloat16()
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(_LATER[name], __name__)
    value = globals()[name] = module if _LATER[name] == f".{name}" else getattr(module, name)
    return value


def _bfloat16() -> _Any:
    from ._bfloat16 import REMEDY, load
    from ._checks import as_dtype

    try:
        value = globals()["bfloat16"] = as_dtype(load(), "bfloat16")
    except ImportError as error:
        raise AttributeError(f"xtensor.bfloat16 needs ml_dtypes, which is not installed. {REMEDY}") from error
    return value
