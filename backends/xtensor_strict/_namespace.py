"""array_api_strict's functions on native arrays.

All are made by one mechanism (``adapted``), when the core asks for them by name. Those written here are the ones in
which array_api_strict departs from the standard, or takes what the standard leaves undefined; they are written on its
own arrays, before the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from xtensor.backend import Native

from ._library import library
from ._native import ARRAY, StrictArray, adapted, from_host

__all__ = ["functions"]

Strict: TypeAlias = Any
"""An array of array_api_strict."""


class Chapter:
    """A namespace of array_api_strict over native arrays, with some functions replaced."""

    def __init__(self, source: Any, replaced: dict[str, Callable[..., Any]], **further: Any) -> None:
        self._source = source
        self._replaced = replaced
        vars(self).update(further)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return adapted(self._replaced[name] if name in self._replaced else getattr(self._source, name))


def promoting(function: Callable[..., Strict]) -> Callable[..., Strict]:
    """A function of two operands that refuses dtypes which do not promote; array_api_strict forgets it in some."""

    def checked(x1: Strict, x2: Strict, /, **options: Any) -> Strict:
        library.result_type(x1, x2)
        return function(x1, x2, **options)

    return checked


def check_equal_dtypes(name: str, x: Strict, *others: Any) -> None:
    """Refuse arrays of other dtypes than ``x``, where array_api_strict takes all of its kind."""
    for other in others:
        if isinstance(other, ARRAY) and other.dtype != x.dtype:
            raise TypeError(f"what {name} does with dtypes {x.dtype} and {other.dtype} is not defined")


def astype(x: Strict, dtype: Any, /, *, copy: bool = True) -> Strict:
    if dtype == library.bool and library.isdtype(x.dtype, "complex floating"):
        # Refused by array_api_strict as if bool were one of the real-valued dtypes.
        return library.not_equal(x, 0)
    return library.astype(x, dtype, copy=copy)


def clip(x: Strict, lower: Strict | float | None, upper: Strict | float | None, /) -> Strict:
    check_equal_dtypes("clip", x, lower, upper)
    return library.clip(x, lower, upper)


def diff(
    x: Strict, /, *, axis: int = -1, n: int = 1, prepend: Strict | None = None, append: Strict | None = None
) -> Strict:
    check_equal_dtypes("diff", x, prepend, append)
    return library.diff(x, axis=axis, n=n, prepend=prepend, append=append)


def isin(x1: Strict, x2: Strict, /, *, invert: bool = False) -> Strict:
    found = library.isin(x1, x2)  # which does not heed its own ``invert``
    return library.logical_not(found) if invert else found


def matrix_rank(x: Strict, /, **options: Any) -> Strict:
    if not library.isdtype(x.dtype, ("real floating", "complex floating")):
        raise TypeError("Only floating-point dtypes are allowed in matrix_rank")
    return library.linalg.matrix_rank(x, **options)


def reshape(x: Strict, shape: tuple[int, ...], /, *, copy: bool | None = None) -> Strict:
    if copy is False and not x.size:
        copy = None  # array_api_strict looks for shared elements, of which there are none
    try:
        return library.reshape(x, shape, copy=copy)
    except AttributeError as error:
        raise ValueError("a copy is needed, which copy=False forbids") from error


def sign(x: Strict, /) -> Strict:
    if library.isdtype(x.dtype, "complex floating"):
        # x / |x| as it is written, which array_api_strict computes, loses infinite and subnormal components.
        return library.asarray(np.sign(np.asarray(x)))
    return library.sign(x)


def sort(x: Strict, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Strict:
    if not descending:
        return library.sort(x, axis=axis, stable=stable)
    # array_api_strict reverses what it sorted, and with it the order of zeros of both signs.
    ascending = library.sort(library.flip(x, axis=axis), axis=axis, stable=stable)
    return library.flip(ascending, axis=axis)


def complex_of(real: Native, imag: Native) -> Native:
    """``real + imag·j``, each component exactly as given."""
    a, b = real.host(), imag.host()
    result = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a.dtype, np.complex64))
    result.real, result.imag = a, b
    return from_host(result, copy=False)


def has_infinity(x: Native | float) -> bool:
    """Whether some element is infinite or NaN."""
    return not np.all(np.isfinite(x.host() if isinstance(x, StrictArray) else x))


linalg = Chapter(
    library.linalg,
    {
        **{name: promoting(getattr(library.linalg, name)) for name in ("cross", "outer", "solve")},
        "matrix_rank": matrix_rank,
    },
)

functions = Chapter(
    library,
    {
        **{name: promoting(getattr(library, name)) for name in ("matmul", "searchsorted", "tensordot", "vecdot")},
        "astype": astype,
        "clip": clip,
        "diff": diff,
        "isin": isin,
        "reshape": reshape,
        "sign": sign,
        "sort": sort,
    },
    linalg=linalg,
    fft=Chapter(library.fft, {}),
    complex_of=complex_of,
    has_infinity=has_infinity,
)
"""What the core assembles the device's functions from."""
