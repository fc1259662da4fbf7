"""Data types and their functions (Array API standard 2025.12, "Data Types", "Data Type Functions").

dtypes are ``numpy.dtype`` objects on every device: hashable, with a ``kind``, known to every consumer.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .._core import dtypes
from .._core.array import ASTYPE, Array, Scalar, apply
from .._core.checks import check_cast, check_dtype, check_flag
from .._core.device import Device, resolve
from .._core.dispatch import SCALARS, device_of, serve
from .._core.dtypes import DType, as_dtype, kind_of
from .._core.errors import describe
from .._core.operations import declare
from .._core.transfers import move

__all__ = [
    "astype",
    "bool",
    "can_cast",
    "complex64",
    "complex128",
    "finfo",
    "float16",
    "float32",
    "float64",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "result_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

bool: DType = np.dtype("bool")
int8: DType = np.dtype("int8")
int16: DType = np.dtype("int16")
int32: DType = np.dtype("int32")
int64: DType = np.dtype("int64")
uint8: DType = np.dtype("uint8")
uint16: DType = np.dtype("uint16")
uint32: DType = np.dtype("uint32")
uint64: DType = np.dtype("uint64")
float16: DType = np.dtype("float16")
float32: DType = np.dtype("float32")
float64: DType = np.dtype("float64")
complex64: DType = np.dtype("complex64")
complex128: DType = np.dtype("complex128")

KINDS: dict[str, str] = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}
"""The standard's kinds of dtypes, as NumPy's letters."""


class FloatInfo(NamedTuple):
    """The limits of a real floating-point dtype, as Python floats.

    ``bits`` it occupies; ``eps``, from 1 to the next number; ``max``, ``min``, the largest and smallest finite numbers;
    ``smallest_normal``, the smallest positive number of full precision.
    """

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IntegerInfo(NamedTuple):
    """The limits of an integer dtype: ``bits`` it occupies, largest and smallest number."""

    bits: int
    max: int
    min: int
    dtype: DType


declare("astype", "cast", dtype="argument", shape="same", numpy="astype")


def astype(x: Array, dtype: Any, /, *, copy: Any = True, device: str | Device | None = None) -> Array:
    """An array cast to a dtype.

    Parameters
    ----------
    x
        Array of any dtype.
    dtype
        The dtype wanted.
    copy
        Whether to copy even if ``x`` has that dtype (and device) already.
    device
        Where the result shall be; by default where ``x`` is.

    Returns
    -------
    Array
        Of the shape of ``x``.

    Raises
    ------
    TypeError
        If a complex array is cast to a real dtype: take :func:`real` or :func:`imag` instead.

    Notes
    -----
    Booleans become 0 and 1; whatever is not zero becomes True. NaN and infinities cast to integers give what the
    device gives.

    Standard 2025.12, Data Type Functions, ``astype``.
    """
    source = device_of(x, "astype")
    target = source if device is None else resolve(device)
    wanted = check_dtype(dtype, target, "astype")
    if copy.__class__ is not bool:
        copy = check_flag(copy, "astype", "copy")
    present = x._native.dtype
    if present.kind == "c":
        check_cast(present, wanted, "astype")
    if target is source:
        if not copy and wanted == present:
            return x
        return apply(ASTYPE, source, x._native, wanted, copy=True)
    native = serve("astype", target, move, x._native, source, target)
    return apply(ASTYPE, target, native, wanted, copy=source.host and target.host)


def can_cast(from_: Any, to: Any, /) -> Any:
    """Whether one dtype casts to another by the rules of promotion.

    Parameters
    ----------
    from_
        A dtype, or an Array for its dtype on its device.
    to
        A dtype.

    Returns
    -------
    bool
        Whether every value keeps its meaning. A dtype that the array's device has not is never cast to.

    Notes
    -----
    Standard 2025.12, Data Type Functions, ``can_cast``. Between kinds, where the standard is silent, NumPy decides.
    """
    if isinstance(from_, Array):
        target = as_dtype(to, "can_cast")
        return from_._device.supports(target) and dtypes.can_cast(from_.dtype, target)
    return dtypes.can_cast(as_dtype(from_, "can_cast"), as_dtype(to, "can_cast"))


def finfo(type: Any, /) -> FloatInfo:
    """The limits of a floating-point dtype.

    Parameters
    ----------
    type
        A floating-point dtype, or an Array of one; of a complex dtype, that of its components.

    Returns
    -------
    object
        With ``bits``, ``eps``, ``max``, ``min``, ``smallest_normal`` (Python numbers) and ``dtype``.

    Raises
    ------
    TypeError
        If it is no floating-point dtype.

    Notes
    -----
    Standard 2025.12, Data Type Functions, ``finfo``.
    """
    dtype = type.dtype if isinstance(type, Array) else as_dtype(type, "finfo")
    if kind_of(dtype) not in "fc":
        raise TypeError(f"finfo() takes a floating-point dtype, not {dtype}; for integers there is xtensor.iinfo")
    return _float_info(dtype)


@cache
def _float_info(dtype: DType) -> FloatInfo:
    limits = dtypes.finfo(dtype)
    return FloatInfo(
        bits=int(limits.bits),
        eps=float(limits.eps),
        max=float(limits.max),
        min=float(limits.min),
        smallest_normal=float(limits.smallest_normal),
        dtype=np.dtype(limits.dtype),
    )


def iinfo(type: Any, /) -> IntegerInfo:
    """The limits of an integer dtype.

    Parameters
    ----------
    type
        An integer dtype, or an Array of one.

    Returns
    -------
    object
        With ``bits``, ``max``, ``min`` (Python integers) and ``dtype``.

    Raises
    ------
    TypeError
        If it is no integer dtype.

    Notes
    -----
    Standard 2025.12, Data Type Functions, ``iinfo``.
    """
    dtype = type.dtype if isinstance(type, Array) else as_dtype(type, "iinfo")
    if dtype.kind not in "iu":
        raise TypeError(f"iinfo() takes an integer dtype, not {dtype}; for floating point there is xtensor.finfo")
    limits = np.iinfo(dtype)
    return IntegerInfo(bits=int(limits.bits), max=int(limits.max), min=int(limits.min), dtype=dtype)


def isdtype(dtype: Any, kind: Any) -> Any:
    """Whether a dtype is of a kind.

    Parameters
    ----------
    dtype
        The dtype.
    kind
        A dtype, for equality; one of the kinds ``"bool"``, ``"signed integer"``, ``"unsigned integer"``,
        ``"integral"``, ``"real floating"``, ``"complex floating"``, ``"numeric"``; or a tuple of these, for any of
        them.

    Returns
    -------
    bool
        Whether it is.

    Raises
    ------
    ValueError
        If there is no such kind.

    Notes
    -----
    Standard 2025.12, Data Type Functions, ``isdtype``. float16 and bfloat16 are real floating dtypes here.
    """
    found = as_dtype(dtype, "isdtype")
    if isinstance(kind, tuple):
        return any(isdtype(found, item) for item in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype(): kind is a dtype or one of {', '.join(map(repr, KINDS))}, not {kind!r}")
        return kind_of(found) in KINDS[kind]
    return found == as_dtype(kind, "isdtype")


def result_type(*arrays_and_dtypes: Array | Scalar | DType) -> DType:
    """The dtype that arrays, dtypes and Python scalars promote to.

    Parameters
    ----------
    *arrays_and_dtypes
        Arrays, dtypes and Python scalars, one of the first two kinds at least.

    Returns
    -------
    numpy.dtype
        The promoted dtype. A Python scalar promotes weakly: its kind counts, its value does not.

    Raises
    ------
    TypeError
        If there is neither an Array nor a dtype, or they have no common dtype.

    Notes
    -----
    Standard 2025.12, Data Type Functions, ``result_type``. Between kinds, where the standard is silent, NumPy decides.
    """
    operands: list[Any] = []
    typed = False
    for item in arrays_and_dtypes:
        if item.__class__ in SCALARS:
            operands.append(item)
        elif isinstance(item, (Array, np.generic)):
            operands.append(as_dtype(item.dtype, "result_type"))
            typed = True
        else:
            operands.append(as_dtype(item, "result_type"))
            typed = True
    if not typed:
        raise TypeError(
            f"result_type() needs an Array or a dtype among its arguments, not {describe(arrays_and_dtypes)}"
        )
    first = operands[0]
    if all(item is first for item in operands):
        return first  # type: ignore[no-any-return]
    return dtypes.result_type(*operands)
