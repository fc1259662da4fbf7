"""array_api_strict's functions on native arrays.

The functions written here are those in which array_api_strict departs from the standard, or accepts what the standard
leaves undefined. All functions are over array_api_strict's own arrays; ``wrapped_namespace`` makes them functions of
native arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from xtensor.backend import wrapped_namespace

from ..numpy._powers import bases
from ._library import library
from ._native import StrictArray

__all__ = ["functions"]

Strict: TypeAlias = Any
"""An array of array_api_strict."""


class Chapter:
    """A namespace of array_api_strict with some functions replaced."""

    def __init__(self, source: Any, replaced: dict[str, Any]) -> None:
        self._source = source
        vars(self).update(replaced)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


def promoting(function: Callable[..., Strict]) -> Callable[..., Strict]:
    """A function of two operands that refuses dtypes that do not promote, which array_api_strict omits in some."""

    def checked(x1: Strict, x2: Strict, /, **options: Any) -> Strict:
        library.result_type(x1, x2)
        return function(x1, x2, **options)

    return checked


def check_equal_dtypes(name: str, x: Strict, *others: Any) -> None:
    """Raise TypeError for arrays of other dtypes than ``x``, where array_api_strict accepts all of its kind."""
    for other in others:
        if isinstance(other, StrictArray.library_type) and other.dtype != x.dtype:
            raise TypeError(f"what {name} does with dtypes {x.dtype} and {other.dtype} is not defined")


def astype(x: Strict, dtype: Any, /, *, copy: bool = True) -> Strict:
    if dtype == library.bool and library.isdtype(x.dtype, "complex floating"):
        # array_api_strict refuses it as if bool were a real-valued dtype.
        return library.not_equal(x, 0)
    return library.astype(x, dtype, copy=copy)


def clip(x: Strict, lower: Strict | float | None, upper: Strict | float | None, /) -> Strict:
    check_equal_dtypes("clip", x, lower, upper)
    return library.clip(x, lower, upper)


def diff(
    x: Strict, /, *, axis: int = -1, n: int = 1, prepend: Strict | None = None, append: Strict | None = None
) -> Strict:
    check_equal_dtypes("diff", x, prepend, append)
    if n == 0:
        return library.asarray(x, copy=True)  # array_api_strict returns the operand's memory
    return library.diff(x, axis=axis, n=n, prepend=prepend, append=append)


def isin(x1: Strict, x2: Strict, /, *, invert: bool = False) -> Strict:
    contained = library.isin(x1, x2)  # its own ``invert`` has no effect
    return library.logical_not(contained) if invert else contained


def matrix_rank(x: Strict, /, **options: Any) -> Strict:
    if not library.isdtype(x.dtype, ("real floating", "complex floating")):
        raise TypeError("Only floating-point dtypes are allowed in matrix_rank")
    if not min(x.shape[-2:]):
        return library.zeros(x.shape[:-2], dtype=library.int64)  # array_api_strict takes the largest of no values
    return library.linalg.matrix_rank(x, **options)


def in_new_array(name: str) -> Callable[[Strict], Strict]:
    """A rounding function, which array_api_strict returns integers from as they are."""
    function = getattr(library, name)

    def rounded(x: Strict, /) -> Strict:
        result = function(x)
        return result if library.isdtype(x.dtype, "real floating") else library.asarray(result, copy=True)

    return rounded


def pow(x1: Strict | complex, x2: Strict | complex, /) -> Strict:
    if isinstance(x2, StrictArray.library_type):
        exponents = np.asarray(x2)
        is_array = isinstance(x1, StrictArray.library_type)
        x1 = library.asarray(bases(np.asarray(x1), exponents), copy=False) if is_array else bases(x1, exponents)
    return library.pow(x1, x2)


def reshape(x: Strict, shape: tuple[int, ...], /, *, copy: bool | None = None) -> Strict:
    if copy is False and not x.size:
        copy = None  # array_api_strict checks for shared elements; an empty array has none
    try:
        return library.reshape(x, shape, copy=copy)
    except AttributeError as error:
        raise ValueError("a copy is needed, which copy=False forbids") from error


def sign(x: Strict, /) -> Strict:
    if library.isdtype(x.dtype, "complex floating"):
        # array_api_strict computes x / |x| literally, which loses infinite and subnormal components.
        return library.asarray(np.sign(np.asarray(x)))
    return library.sign(x)


def sort(x: Strict, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Strict:
    if not descending:
        return library.sort(x, axis=axis, stable=stable)
    # array_api_strict reverses the sorted array, and so the order of zeros of both signs.
    ascending = library.sort(library.flip(x, axis=axis), axis=axis, stable=stable)
    return library.flip(ascending, axis=axis)


def complex_of(real: Strict, imag: Strict, /) -> Strict:
    a, b = np.asarray(real), np.asarray(imag)
    result = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a.dtype, np.complex64))
    result.real, result.imag = a, b
    return library.asarray(result, copy=False)


def may_have_infinity(x: Strict | float, /) -> bool:
    return not np.all(np.isfinite(np.asarray(x)))


linalg = Chapter(
    library.linalg,
    {
        **{name: promoting(getattr(library.linalg, name)) for name in ("cross", "outer", "solve")},
        "matrix_rank": matrix_rank,
    },
)

functions = wrapped_namespace(
    StrictArray,
    Chapter(
        library,
        {
            **{name: in_new_array(name) for name in ("ceil", "floor", "trunc")},
            **{name: promoting(getattr(library, name)) for name in ("matmul", "searchsorted", "tensordot", "vecdot")},
            "astype": astype,
            "clip": clip,
            "complex_of": complex_of,
            "diff": diff,
            "isin": isin,
            "linalg": linalg,
            "may_have_infinity": may_have_infinity,
            "pow": pow,
            "reshape": reshape,
            "sign": sign,
            "sort": sort,
        },
    ),
)
"""The device's functions."""
