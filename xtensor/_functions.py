"""The names that every device answers to, and how a device's functions are put together.

What a backend's library gets wrong is mended by a shared correction, what it lacks is composed; both are
chosen here, once, when a device is opened, so that no call pays for the choice.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _corrections, _generic
from ._bfloat16 import in_float32, kind_of
from .backend import Backend, Native

__all__ = [
    "ELEMENTWISE",
    "EXPECTED",
    "FFT",
    "FUNCTIONS",
    "INPLACE",
    "LINALG",
    "Functions",
    "SpecialFunctions",
    "assemble",
]

ELEMENTWISE: dict[str, int] = {
    name: position
    for position, name in enumerate(
        (
            *("abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh"),
            *("bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_or"),
            *("bitwise_right_shift", "bitwise_xor", "ceil", "conj", "copysign", "cos", "cosh"),
            *("divide", "equal", "exp", "expm1", "floor", "floor_divide", "greater", "greater_equal"),
            *("hypot", "imag", "isfinite", "isinf", "isnan", "less", "less_equal", "log", "log10"),
            *("log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor"),
            *("maximum", "minimum", "multiply", "negative", "nextafter", "not_equal", "positive", "pow"),
            *("real", "reciprocal", "remainder", "round", "sign", "signbit", "sin", "sinh", "sqrt"),
            *("square", "subtract", "tan", "tanh", "trunc", "matmul"),
        )
    )
}
"""Functions of one or two operands and nothing else, each with its position in a device's table."""

INPLACE: dict[str, str] = {
    "add": "iadd",
    "bitwise_and": "iand",
    "bitwise_left_shift": "ilshift",
    "bitwise_or": "ior",
    "bitwise_right_shift": "irshift",
    "bitwise_xor": "ixor",
    "divide": "itruediv",
    "floor_divide": "ifloordiv",
    "matmul": "imatmul",
    "multiply": "imul",
    "pow": "ipow",
    "remainder": "imod",
    "subtract": "isub",
}
"""Elementwise functions that have an in-place operator, and its name in :mod:`operator`."""

EXPECTED: dict[str, str] = {
    **dict.fromkeys(("bitwise_and", "bitwise_invert", "bitwise_or", "bitwise_xor"), "booleans or integers"),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), "integers"),
    **dict.fromkeys(("logical_and", "logical_not", "logical_or", "logical_xor"), "booleans"),
    **dict.fromkeys(("atan2", "copysign", "hypot", "logaddexp", "nextafter", "signbit"), "real floating-point numbers"),
    **dict.fromkeys(
        (
            "ceil",
            "floor",
            "floor_divide",
            "greater",
            "greater_equal",
            "less",
            "less_equal",
            "maximum",
            "minimum",
        ),
        "real numbers",
    ),
    **dict.fromkeys(("remainder", "trunc"), "real numbers"),
    **dict.fromkeys(("add", "multiply", "negative", "positive", "pow", "subtract", "matmul"), "numbers"),
}
"""What the standard lets a function take, where a library may refuse a dtype."""

FUNCTIONS: tuple[str, ...] = (
    *("arange", "empty", "eye", "full", "linspace", "ones", "tril", "triu", "zeros"),
    *("astype", "clip", "where"),
    *("broadcast_to", "concat", "expand_dims", "flip", "moveaxis", "permute_dims", "repeat"),
    *("reshape", "roll", "squeeze", "stack", "tile", "unstack"),
    *("take", "take_along_axis", "matrix_transpose", "tensordot", "vecdot"),
    *("argmax", "argmin", "count_nonzero", "nonzero", "searchsorted"),
    *("isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
    *("argsort", "sort"),
    *("cumulative_prod", "cumulative_sum", "max", "mean", "min", "prod", "std", "sum", "var"),
    *("all", "any", "diff"),
)

LINALG: tuple[str, ...] = (
    *("cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv"),
    *("matrix_norm", "matrix_power", "matrix_rank", "outer", "pinv", "qr", "slogdet", "solve"),
    *("svd", "svdvals", "trace", "vector_norm"),
)

FFT: tuple[str, ...] = (
    *("fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft"),
    *("irfft", "irfftn", "rfft", "rfftfreq", "rfftn"),
)

LAYOUT = frozenset(
    (
        *("broadcast_to", "empty", "expand_dims", "flip", "matrix_transpose", "moveaxis", "permute_dims"),
        *("repeat", "reshape", "roll", "squeeze", "take", "take_along_axis", "tile", "tril", "triu", "unstack"),
        "linalg.diagonal",
    )
)
"""Functions that compute nothing, and see the elements as they are."""

JOINS = ("concat", "stack")
"""Functions that do no more than promote their operands."""

HOOKS: tuple[str, ...] = ("complex_of", "has_infinity", "bin_counts", "direct_convolution")
"""What a backend's namespace may offer beyond the standard, to the shared corrections and to what is composed."""


class MissingFunctionError(NotImplementedError, AttributeError):
    """A function that neither a device's library has nor the core composes."""


class Functions:
    """A device's functions on its native arrays, as attributes."""

    def __getattr__(self, name: str) -> Any:
        raise MissingFunctionError(f"there is no function {name!r} on this device")

    def name_of(self, function: Callable[..., Any]) -> str:
        """The name a function goes by here, for messages."""
        for place in (self, *(part for part in vars(self).values() if isinstance(part, Functions))):
            for name, candidate in vars(place).items():
                if candidate is function:
                    return name
        return getattr(function, "__name__", repr(function))


class SpecialFunctions:
    """A device's special functions, each looked for when first needed: what has them may be heavy to import.

    A backend's namespace offers them by a function ``special(name, kind)``, which gives the library's function for
    operands of a kind (``"f"`` real, ``"c"`` complex), None where it has none, and raises ImportError where the
    library that would have it is missing.

    Attributes
    ----------
    missing
        The error of the library that is missing, once one was.
    """

    __slots__ = ("_found", "_offer", "missing")

    def __init__(self, offer: Callable[[str, str], Callable[..., Any] | None] | None) -> None:
        self._offer = offer
        self._found: dict[tuple[str, str], Callable[..., Any] | None] = {}
        self.missing: ImportError | None = None

    def find(self, name: str, kind: str) -> Callable[..., Any] | None:
        """The library's function for native arrays of a kind; None where there is none."""
        try:
            return self._found[name, kind]
        except KeyError:
            pass
        function = None
        if self._offer is not None:
            try:
                function = self._offer(name, kind)
            except ImportError as error:
                self.missing = error
        self._found[name, kind] = function
        return function


def assemble(backend: Backend, spec: str) -> Functions:
    """The functions of one device: the backend's own, corrected where it asks for that, composed where it has none."""
    unknown = set(backend.corrections) - set(_corrections.CORRECTIONS)
    if unknown:
        raise ValueError(
            f"backend {backend.name!r} names corrections that do not exist: {sorted(unknown)}; "
            f"there are {sorted(_corrections.CORRECTIONS)}"
        )
    source = backend.namespace(spec)
    functions = Functions()
    functions.linalg = Functions()  # type: ignore[attr-defined]
    functions.fft = Functions()  # type: ignore[attr-defined]
    functions.special = SpecialFunctions(getattr(source, "special", None))  # type: ignore[attr-defined]
    functions.inplace = Functions()  # type: ignore[attr-defined]
    functions.nn = Functions()  # type: ignore[attr-defined] # a backend's kernels, if it has any
    chapters = (
        ("", functions, source, (*HOOKS, *ELEMENTWISE, *FUNCTIONS)),
        ("linalg.", functions.linalg, getattr(source, "linalg", None), LINALG),
        ("fft.", functions.fft, getattr(source, "fft", None), FFT),
    )
    for prefix, target, origin, names in chapters:
        for name in names:
            function = getattr(origin, name, None)
            if function is None:
                if name in HOOKS:
                    continue
                compose = _generic.COMPOSED.get(prefix + name) or _missing(prefix + name, spec)
                function = compose(functions)
            if prefix + name in backend.corrections:
                function = _corrections.CORRECTIONS[prefix + name](functions, function)
            if backend.widens_bfloat16 and prefix + name not in LAYOUT:
                function = in_float32(function, joins=prefix + name in JOINS)
            setattr(target, name, function)
    for name in INPLACE:
        setattr(functions.inplace, name, _inplace(backend, functions, name))
    for path, function in backend.overlay(spec, functions).items():
        chapter, _, name = path.rpartition(".")
        setattr(getattr(functions, chapter) if chapter else functions, name, function)
    return functions


def _missing(name: str, spec: str) -> Callable[[Functions], Callable[..., Native]]:
    """What stands in for a function that a backend lacks and nothing composes: it says so when called."""

    def function(*args: Any, **kwargs: Any) -> Native:
        raise MissingFunctionError(f"{name}(): the backend of device {spec} has no such function")

    return lambda functions: function


def _inplace(backend: Backend, functions: Functions, name: str) -> Callable[[Native, Native], Native]:
    """The native in-place operator, or, where the function needs a correction, the corrected one and a write."""
    native: Callable[[Native, Native], Native] = getattr(operator, INPLACE[name])
    if name not in backend.corrections and name != "pow" and not backend.widens_bfloat16:
        return native
    function: Callable[[Native, Native], Native] = getattr(functions, name)

    def compute_and_write(x1: Native, x2: Native) -> Native:
        result = function(x1, x2)
        if not np.can_cast(result.dtype, x1.dtype, "same_kind") and kind_of(x1.dtype) != kind_of(result.dtype):
            raise TypeError(f"cannot cast the result's dtype {result.dtype} to {x1.dtype} in place")
        if result.shape != x1.shape:
            raise ValueError(f"cannot write a result of shape {result.shape} into shape {x1.shape} in place")
        backend.setitem(x1, ..., result)
        return x1

    if name in backend.corrections:
        return compute_and_write
    # Integers to a negative power raise half-way: x1 must not be written to by then.
    computed_first = "iu" * (name == "pow") + "V" * backend.widens_bfloat16
    return lambda x1, x2: compute_and_write(x1, x2) if x1.dtype.kind in computed_first else native(x1, x2)
