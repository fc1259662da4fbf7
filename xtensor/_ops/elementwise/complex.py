"""Complex numbers: parts, conjugates, angles, and whether elements are real."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ... import _ops as xp
from ..._core.array import Array
from ..._core.backend import Native
from ..._core.compositions import composed
from ..._core.dtypes import DType, finfo, kind_of, result_type
from ..._core.errors import describe
from .._arguments import as_arrays
from .._casts import supported
from .._composing import INT8, copy
from .._flags import number, truth
from ._declaration import unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray
    from ..._core.array import Array

__all__ = ["angle", "conj", "imag", "iscomplex", "iscomplexobj", "isreal", "isrealobj", "real", "real_if_close"]


def _compose_conj(xp: Any, x: Native) -> Native:
    if x.dtype.kind == "b":
        return xp.astype(x, INT8)  # in which NumPy computes with booleans
    if x.dtype.kind != "c":
        return copy(xp, x)
    return xp.complex_of(xp.real(x), xp.negative(xp.imag(x)))


@unary(accepts="numeric", composition=_compose_conj)
def conj(x: AnyArray, /) -> Array:
    r"""Complex conjugate :math:`\bar x`: ``a - bj`` for ``x = a + bj``.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The conjugates, with the shape and dtype of ``x``. The conjugate of a real number is the number.

    Notes
    -----
    The standard does not specify whether the result shares memory with ``x``.

    Standard 2025.12, Element-wise Functions, ``conj``.
    """


@unary(accepts="complex floating", dtype="component")
def imag(x: AnyArray, /) -> Array:
    """Imaginary part: ``b`` for ``x = a + bj``.

    Parameters
    ----------
    x
        Array of any shape and a complex dtype.

    Returns
    -------
    Array
        The imaginary parts, with the shape of ``x`` and the real dtype of the same precision.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``imag``.
    """


@unary(accepts="numeric", dtype="component")
def real(x: AnyArray, /) -> Array:
    """Real part: ``a`` for ``x = a + bj``.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The real parts, with the shape of ``x`` and the real dtype of the same precision. The real part of a real
        number is the number.

    Notes
    -----
    The standard does not specify whether the result shares memory with ``x``.

    Standard 2025.12, Element-wise Functions, ``real``.
    """


@composed
def angle(z: AnyArray, deg: bool = False) -> Array:
    r"""Return the angle of complex numbers, :math:`\arg z` in :math:`(-\pi, \pi]`.

    Parameters
    ----------
    z
        Array of any dtype.
    deg
        Whether the angles are in degrees instead of radians.

    Returns
    -------
    Array
        The angles, with the shape of ``z``, real in its precision. Integers and booleans are cast to the floating-point
        dtype that holds them.

    Raises
    ------
    TypeError
        If ``z`` is not an Array.

    Notes
    -----
    Positive numbers have the angle 0, negative ones :math:`\pi`. The signs of zeros select the side of the branch cut.

    NumPy, ``angle``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.angle(xp.asarray([1j, -1 + 0j]), deg=True)
    Array([ 90., 180.])
    """
    (z,) = as_arrays("angle", z)
    if z.dtype.kind == "c":
        result = xp.atan2(xp.imag(z), xp.real(z))
    else:
        result = xp.atan2(0.0, xp.astype(z, _floating(z), copy=False))
    return result * (180 / np.pi) if truth(deg, "angle", "deg") else result


def _floating(x: Array) -> DType:
    """Return the floating-point dtype of NumPy's loop for an array next to an integer, or the device's default."""
    if kind_of(x.dtype) == "f":
        return x.dtype
    return supported(result_type(np.result_type(x.dtype, 0), np.float16), x.device)


@composed
def iscomplex(x: AnyArray) -> Array:
    """Return whether the imaginary component of each element is not 0.

    Parameters
    ----------
    x
        Array of any dtype.

    Returns
    -------
    Array
        Booleans, with the shape of ``x``; all False for a real dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array.

    Notes
    -----
    An imaginary component of NaN is not 0. :func:`iscomplexobj` asks about the dtype.

    NumPy, ``iscomplex``.
    """
    (x,) = as_arrays("iscomplex", x)
    if x.dtype.kind != "c":
        return xp.zeros_like(x, dtype=xp.bool)
    return xp.imag(x) != 0


@composed
def isreal(x: AnyArray) -> Array:
    """Return whether the imaginary component of each element is 0.

    Parameters
    ----------
    x
        Array of any dtype.

    Returns
    -------
    Array
        Booleans, with the shape of ``x``; all True for a real dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array.

    Notes
    -----
    An imaginary component of NaN is not 0. :func:`isrealobj` asks about the dtype.

    NumPy, ``isreal``.
    """
    (x,) = as_arrays("isreal", x)
    if x.dtype.kind != "c":
        return xp.ones_like(x, dtype=xp.bool)
    return xp.imag(x) == 0


@composed
def iscomplexobj(x: Any) -> bool:
    """Return whether an array has a complex dtype.

    Parameters
    ----------
    x
        Array of any dtype.

    Returns
    -------
    bool
        Whether the dtype is complex, whatever the values are.

    Raises
    ------
    TypeError
        If ``x`` is not an Array.

    Notes
    -----
    NumPy, ``iscomplexobj``.
    """
    (x,) = as_arrays("iscomplexobj", x)
    return bool(x.dtype.kind == "c")


@composed
def isrealobj(x: Any) -> bool:
    """Return whether an array has a real dtype.

    Parameters
    ----------
    x
        Array of any dtype.

    Returns
    -------
    bool
        Whether the dtype is not complex, whatever the values are.

    Raises
    ------
    TypeError
        If ``x`` is not an Array.

    Notes
    -----
    NumPy, ``isrealobj``.
    """
    (x,) = as_arrays("isrealobj", x)
    return bool(x.dtype.kind != "c")


@composed
def real_if_close(a: AnyArray, tol: float = 100) -> Array:
    """Return the real components if all imaginary components are small, else the array itself.

    Parameters
    ----------
    a
        Array of any dtype.
    tol
        The magnitude that imaginary components stay below: in units of the dtype's epsilon if it exceeds 1, else an
        absolute one.

    Returns
    -------
    Array
        The real components of ``a``, or ``a`` itself, also where its dtype is real.

    Raises
    ------
    TypeError
        If ``a`` is not an Array.

    Notes
    -----
    The dtype of the result depends on the values, which are read on the host.

    NumPy, ``real_if_close``.
    """
    (a,) = as_arrays("real_if_close", a)
    if not isinstance(tol, (int, float, np.integer, np.floating)):
        raise TypeError(f"real_if_close(): tol is a real number, not {describe(tol)}")
    if a.dtype.kind != "c":
        return a
    tol = number(tol, "real_if_close", "tol")
    if tol > 1:
        tol = float(finfo(a.dtype).eps) * float(tol)
    return xp.real(a) if bool(xp.all(xp.abs(xp.imag(a)) < float(tol))) else a
