"""Data types and their functions (Array API standard 2025.12, "Data Types", "Data Type Functions").

Dtypes are ``numpy.dtype`` objects on every device: hashable, with a ``kind``, recognised by every consumer.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Never

import numpy as np

from .._core import dtypes
from .._core.array import ASTYPE, Array
from .._core.calls import apply, serve
from .._core.checks import check_cast, check_dtype, check_flag
from .._core.device import Device
from .._core.devices import resolve
from .._core.dtypes import DType, as_dtype, kind_of
from .._core.errors import describe
from .._core.keywords import by_position, keywords_only
from .._core.large_calls import apply_reduction
from .._core.operands import HOST_ARRAYS, SCALARS, array_argument
from .._core.operations import declare
from .._core.transfers import move

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike, Operand

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
"""Boolean, 1 byte."""

int8: DType = np.dtype("int8")
"""Signed 8-bit integer, :math:`-2^{7}` to :math:`2^{7} - 1`."""

int16: DType = np.dtype("int16")
"""Signed 16-bit integer, :math:`-2^{15}` to :math:`2^{15} - 1`."""

int32: DType = np.dtype("int32")
"""Signed 32-bit integer, :math:`-2^{31}` to :math:`2^{31} - 1`."""

int64: DType = np.dtype("int64")
"""Signed 64-bit integer, :math:`-2^{63}` to :math:`2^{63} - 1`."""

uint8: DType = np.dtype("uint8")
"""Unsigned 8-bit integer, 0 to :math:`2^{8} - 1`."""

uint16: DType = np.dtype("uint16")
"""Unsigned 16-bit integer, 0 to :math:`2^{16} - 1`."""

uint32: DType = np.dtype("uint32")
"""Unsigned 32-bit integer, 0 to :math:`2^{32} - 1`."""

uint64: DType = np.dtype("uint64")
"""Unsigned 64-bit integer, 0 to :math:`2^{64} - 1`."""

float16: DType = np.dtype("float16")
"""IEEE 754 half-precision (16-bit) floating point; beyond the standard."""

float32: DType = np.dtype("float32")
"""IEEE 754 single-precision (32-bit) floating point."""

float64: DType = np.dtype("float64")
"""IEEE 754 double-precision (64-bit) floating point."""

complex64: DType = np.dtype("complex64")
"""Complex number with two float32 components."""

complex128: DType = np.dtype("complex128")
"""Complex number with two float64 components."""


KINDS: dict[str, str] = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}
"""The standard's dtype kinds, each as a string of NumPy's one-letter kind codes."""


class FloatInfo(NamedTuple):
    """Machine limits of a real floating-point dtype, as Python numbers.

    Attributes
    ----------
    bits
        Size in bits.
    eps
        Difference between 1.0 and the next larger representable number.
    max, min
        Largest and smallest finite numbers.
    smallest_normal
        Smallest positive normal number.
    dtype
        The dtype; for a complex dtype, the dtype of its components.
    """

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IntegerInfo(NamedTuple):
    """Machine limits of an integer dtype, as Python integers.

    Attributes
    ----------
    bits
        Size in bits.
    max, min
        Largest and smallest numbers.
    dtype
        The dtype.
    """

    bits: int
    max: int
    min: int
    dtype: DType


declare("astype", "cast", dtype="argument", shape="same", numpy="astype")


@keywords_only
def astype(
    x: AnyArray, dtype: DTypeLike, /, *positional: Never, copy: builtins.bool = True, device: str | Device | None = None
) -> Array:
    """Cast an array to a dtype.

    Parameters
    ----------
    x
        Array of any dtype, or a NumPy array, which becomes an Array on the default device.
    dtype
        Target dtype.
    copy
        True: always copy. False: return ``x`` itself if it has the target dtype and device.
    device
        Device of the result. Default: the device of ``x``.

    Returns
    -------
    Array
        Array of the shape of ``x`` and the target dtype.

    Raises
    ------
    TypeError
        If a complex array is cast to a real dtype (use :func:`real` or :func:`imag`), or the device does not support
        the dtype.

    Notes
    -----
    False and True become 0 and 1; nonzero values, NaN included, become True. Casts of NaN, infinities and
    out-of-range values to integers are device-dependent.

    Standard 2025.12, Data Type Functions, ``astype``.
    """
    if positional:
        raise by_position(astype, positional)
    given = None if device is None else resolve(device)
    x = array_argument(x, "astype", given)
    source = x._device
    target = source if given is None else given
    target_dtype = check_dtype(dtype, target, "astype")
    if copy is not True and copy is not False:
        copy = check_flag(copy, "astype", "copy")
    source_dtype = x._native.dtype
    if source_dtype.kind == "c":
        check_cast(source_dtype, target_dtype, "astype")
    if target is source:
        if not copy and target_dtype == source_dtype:
            return x
        return apply_reduction(ASTYPE, source, x._native, target_dtype, copy=True)
    if not target.supports(source_dtype):  # the cast comes before the transfer
        x = astype(x, check_dtype(dtype, source, "astype"))
    native = serve("astype", target, move, x._native, source, target)
    return apply(ASTYPE, target, native, target_dtype, copy=source.host and target.host)


def can_cast(from_: Array | DTypeLike, to: DTypeLike, /) -> builtins.bool:
    """Determine whether one dtype can be cast to another according to the type promotion rules.

    Parameters
    ----------
    from_
        A dtype, or an Array, which stands for its dtype and device.
    to
        Target dtype.

    Returns
    -------
    bool
        True if the cast is permitted. For an Array, False if its device does not support ``to``.

    Raises
    ------
    TypeError
        If an argument is not a dtype.

    Notes
    -----
    Standard 2025.12, Data Type Functions, ``can_cast``. Casts between kinds that the standard leaves undefined follow
    ``numpy.can_cast``.
    """
    if isinstance(from_, Array):
        target = as_dtype(to, "can_cast")
        return from_._device.supports(target) and dtypes.can_cast(from_.dtype, target)
    return dtypes.can_cast(as_dtype(from_, "can_cast"), as_dtype(to, "can_cast"))


def finfo(type: Array | DTypeLike, /) -> FloatInfo:
    """Return the machine limits of a floating-point dtype.

    Parameters
    ----------
    type
        A floating-point dtype, or an Array of one. For a complex dtype the limits are those of its components.

    Returns
    -------
    FloatInfo
        Named tuple of ``bits``, ``eps``, ``max``, ``min``, ``smallest_normal`` (Python numbers) and ``dtype``.

    Raises
    ------
    TypeError
        If the dtype is not a floating-point dtype.

    Notes
    -----
    Standard 2025.12, Data Type Functions, ``finfo``.
    """
    dtype = type.dtype if isinstance(type, Array) else as_dtype(type, "finfo")
    if kind_of(dtype) not in "fc":
        raise TypeError(
            f"data type {dtype} not inexact; finfo() takes a floating-point dtype; use xtensor.iinfo for integers"
        )
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


def iinfo(type: Array | DTypeLike, /) -> IntegerInfo:
    """Return the machine limits of an integer dtype.

    Parameters
    ----------
    type
        An integer dtype, or an Array of one.

    Returns
    -------
    IntegerInfo
        Named tuple of ``bits``, ``max``, ``min`` (Python integers) and ``dtype``.

    Raises
    ------
    TypeError
        If the dtype is not an integer dtype.

    Notes
    -----
    Standard 2025.12, Data Type Functions, ``iinfo``.
    """
    dtype = type.dtype if isinstance(type, Array) else as_dtype(type, "iinfo")
    if dtype.kind not in "iu":
        raise TypeError(
            f"Invalid integer data type {dtype.kind!r}; iinfo() takes an integer dtype, not {dtype}; use xtensor.finfo "
            "for floating-point dtypes"
        )
    limits = np.iinfo(dtype)
    return IntegerInfo(bits=int(limits.bits), max=int(limits.max), min=int(limits.min), dtype=dtype)


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> builtins.bool:
    """Determine whether a dtype is of a kind.

    Parameters
    ----------
    dtype
        Dtype to test.
    kind
        A dtype, which is compared for equality; a kind, one of ``"bool"``, ``"signed integer"``,
        ``"unsigned integer"``, ``"integral"``, ``"real floating"``, ``"complex floating"`` and ``"numeric"``; or a
        tuple of dtypes and kinds, of which at least one must match.

    Returns
    -------
    bool
        True if ``dtype`` is of the kind.

    Raises
    ------
    ValueError
        If ``kind`` is a string other than these.
    TypeError
        If ``dtype`` or ``kind`` is not a dtype.

    Notes
    -----
    Standard 2025.12, Data Type Functions, ``isdtype``. float16 and bfloat16 are of the kind ``"real floating"``.
    """
    checked = as_dtype(dtype, "isdtype")
    if isinstance(kind, tuple):
        return any(isdtype(checked, item) for item in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(
                f"kind argument is a string, but {kind!r} is not a known kind name; isdtype() takes a dtype or one of "
                f"{', '.join(map(repr, KINDS))}"
            )
        return kind_of(checked) in KINDS[kind]
    return checked == as_dtype(kind, "isdtype")


def result_type(*arrays_and_dtypes: Operand | DTypeLike) -> DType:
    """Return the dtype that results from promoting arrays, dtypes and Python scalars.

    Parameters
    ----------
    *arrays_and_dtypes
        Arrays, NumPy arrays, dtypes and Python scalars. The standard leaves scalars alone undefined; the result is then
        the default dtype of their kind, as in NumPy, and TypeError on the device ``strict``.

    Returns
    -------
    numpy.dtype
        Promoted dtype. Python scalars promote weakly: their kind determines the result, their value does not.

    Raises
    ------
    TypeError
        If there is neither an Array nor a dtype, or no common dtype exists.

    Notes
    -----
    Standard 2025.12, Data Type Functions, ``result_type``. Promotions between kinds that the standard leaves undefined
    follow ``numpy.result_type``.
    """
    operands: list[Any] = []
    typed = False
    items: tuple[Any, ...] = arrays_and_dtypes
    promoted: Callable[..., DType] = _promoted
    for item in items:
        if item.__class__ is Array:
            operands.append(item.dtype)
            typed = True
        elif item.__class__ in EXAMPLES:
            operands.append(EXAMPLES[item.__class__])
        elif item.__class__ in SCALARS:
            operands.append(item)
            promoted = dtypes.result_type
        elif isinstance(item, np.generic) or item.__class__ in HOST_ARRAYS:
            operands.append(as_dtype(item.dtype, "result_type"))
            typed = True
        else:
            operands.append(as_dtype(item, "result_type"))
            typed = True
    if not typed:
        classes, device = {item.__class__ for item in operands}, resolve(None)
        if not device._library.defined_only and classes and classes <= {builtins.bool, int, float, complex}:
            kinds = (("complex floating", complex), ("real floating", float), ("integral", int))
            return next((device.default_dtypes[kind] for kind, scalar in kinds if scalar in classes), np.dtype(bool))
        raise TypeError(
            f"at least one array or dtype is required; result_type() received {describe(arrays_and_dtypes)}; pass an "
            "Array or a dtype"
        )
    return promoted(*operands)


EXAMPLES: dict[type[Any], Any] = {kind: kind(1) for kind in (builtins.bool, int, float, complex)}
"""A number of each class of Python: the value of a scalar does not matter for promotion."""

_promoted = lru_cache(maxsize=1000, typed=True)(dtypes.result_type)
