"""Copies of arrays, rounded or checked ones among them, with NumPy's names and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_word
from .._core.compositions import composed
from .._core.dtypes import kind_of
from ._arguments import as_arrays, store
from ._flags import truth

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike

__all__ = ["around", "asarray_chkfinite", "copy"]


@composed
def around(a: AnyArray, decimals: int = 0, out: Array | None = None) -> Array:
    """Return each element rounded to a number of decimals, halves to the even digit.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    decimals
        Number of digits after the decimal point; below 0, of digits before it that become 0.
    out
        The Array to write the result to.

    Returns
    -------
    Array
        The rounded elements, of the shape and dtype of ``a``.

    Raises
    ------
    TypeError
        If ``decimals`` is not an integer.

    Notes
    -----
    NumPy, ``around``. :func:`xtensor.round`, the standard's function, has no ``decimals``.
    """
    (a,) = as_arrays("around", a)
    return store("around", a.round(decimals), out)


@composed
def asarray_chkfinite(a: Any, dtype: DTypeLike | None = None, order: str | None = None) -> Array:
    """Return an array-like as an Array; raise ValueError if it contains NaN or an infinity.

    Parameters
    ----------
    a
        Array, or a number or nested sequence of numbers.
    dtype
        Dtype of the result; None for that of ``a``.
    order
        Accepted for compatibility with NumPy and ignored: the memory layout is the device's.

    Returns
    -------
    Array
        ``a`` itself where it is an Array of the dtype. Blocks until the device has finished.

    Raises
    ------
    ValueError
        If an element is NaN or an infinity.

    Notes
    -----
    NumPy, ``asarray_chkfinite``.
    """
    if order is not None:
        check_word(order, ("C", "F", "A", "K"), "asarray_chkfinite", "order")
    x = xp.asarray(a, dtype=dtype)
    if kind_of(x.dtype) in "fc" and not xp.all(xp.isfinite(x)):
        raise ValueError(
            f"array must not contain infs or NaNs; asarray_chkfinite() got some in an array of shape {x.shape}; "
            "replace them with xtensor.nan_to_num"
        )
    return x


@composed
def copy(a: Any, order: str = "K", subok: bool = False) -> Array:
    """Return a copy of an array.

    Parameters
    ----------
    a
        Array, or a number or nested sequence of numbers.
    order
        Accepted for compatibility with NumPy and ignored: the memory layout is the device's.
    subok
        Accepted for compatibility with NumPy and ignored: Array has no subclasses.

    Returns
    -------
    Array
        The elements in memory of their own, on the device of ``a``.

    Raises
    ------
    ValueError
        If ``order`` is unknown.

    Notes
    -----
    NumPy, ``copy``. Also a method, ``x.copy()``.
    """
    check_word(order, ("C", "F", "A", "K"), "copy", "order")
    truth(subok, "copy", "subok")
    return xp.asarray(a, copy=True)
