"""Bits packed into bytes, with NumPy's names and signatures."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis, check_integer, check_shape, is_word
from .._core.compositions import composed
from .._core.errors import describe
from ._arguments import as_arrays, flattened

__all__ = ["packbits", "unpackbits"]

UINT8 = np.dtype(np.uint8)


@composed
def packbits(a: Any, /, axis: int | None = None, bitorder: str = "big") -> Array:
    """Return bytes whose bits tell whether elements are nonzero.

    Parameters
    ----------
    a
        Array of booleans or integers, or a sequence with an Array in it.
    axis
        The axis along which 8 elements become one byte; None flattens ``a`` first.
    bitorder
        Whether the first element is the highest bit, ``"big"``, or the lowest one, ``"little"``.

    Returns
    -------
    Array
        Array of dtype uint8. The last byte along the axis ends with zero bits if the length is no multiple of 8.

    Raises
    ------
    TypeError
        If ``a`` does not hold booleans or integers.
    ValueError
        If ``axis`` is out of bounds, or ``bitorder`` is unknown.

    Notes
    -----
    NumPy, ``packbits``.
    """
    x = as_arrays("packbits", a)[0]
    if x.dtype.kind not in "biu":
        raise TypeError(
            f"Expected an input array of integer or boolean data type; packbits() received dtype {x.dtype}; compare it "
            "with 0"
        )
    _check_order(bitorder, "packbits")
    x, axis = _with_last(x, axis, "packbits")
    bits = xp.astype(xp.astype(x, bool, copy=False), UINT8)
    missing = -bits.shape[-1] % 8
    if missing:
        margin = xp.zeros((*bits.shape[:-1], missing), dtype=UINT8, device=bits.device)
        bits = xp.concat((bits, margin), axis=-1)
    groups = xp.reshape(bits, (*bits.shape[:-1], bits.shape[-1] // 8, 8))
    packed = xp.sum(xp.bitwise_left_shift(groups, _places(bitorder, x)), axis=-1, dtype=UINT8)
    return xp.moveaxis(packed, -1, axis)


@composed
def unpackbits(a: Any, /, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> Array:
    """Return the bits of bytes.

    Parameters
    ----------
    a
        Array of dtype uint8, or a sequence with an Array in it.
    axis
        The axis along which each byte becomes 8 elements; None flattens ``a`` first.
    count
        The number of bits along the axis: those beyond the last byte are zero; a negative number is the number of bits
        to omit at the end. None stands for all bits.
    bitorder
        Whether the first element is the highest bit, ``"big"``, or the lowest one, ``"little"``.

    Returns
    -------
    Array
        Zeros and ones of dtype uint8.

    Raises
    ------
    TypeError
        If ``a`` is not of dtype uint8, or ``count`` is not an integer.
    ValueError
        If ``axis`` is out of bounds, ``bitorder`` is unknown, or more bits are to be omitted than there are.

    Notes
    -----
    NumPy, ``unpackbits``.
    """
    x = as_arrays("unpackbits", a)[0]
    if x.dtype != UINT8:
        raise TypeError(
            f"Expected an input array of unsigned byte data type; unpackbits() received dtype {x.dtype}; cast it to "
            "xtensor.uint8"
        )
    _check_order(bitorder, "unpackbits")
    x, axis = _with_last(x, axis, "unpackbits")
    length = 8 * x.shape[-1]
    one = xp.ones((), dtype=UINT8, device=x.device)
    groups = xp.bitwise_and(xp.bitwise_right_shift(x[..., None], _places(bitorder, x)), one)
    bits = xp.reshape(groups, (*x.shape[:-1], length))
    if count is not None:
        wanted = check_integer(count, "unpackbits", "count")
        if wanted < -length:
            raise ValueError(f"-count larger than number of elements; unpackbits() received {count} for {length} bits")
        check_shape((abs(wanted),), "unpackbits")
        wanted += length if wanted < 0 else 0
        bits = bits[..., : min(wanted, length)]
        if wanted > length:
            margin = xp.zeros((*bits.shape[:-1], wanted - length), dtype=UINT8, device=bits.device)
            bits = xp.concat((bits, margin), axis=-1)
    return bits if x.ndim == 1 else xp.moveaxis(bits, -1, axis)


def _check_order(bitorder: Any, name: str) -> None:
    """Raise ValueError unless an order of bits is known."""
    if not is_word(bitorder, ("big", "little")):
        raise ValueError(f"'order' must be either 'little' or 'big'; {name}() received {describe(bitorder)}")


def _places(bitorder: str, x: Array) -> Array:
    """Return the place of each of 8 bits, in their order in an array."""
    places = xp.astype(xp.arange(8, device=x.device), UINT8)
    return xp.flip(places) if bitorder == "big" else places


def _with_last(x: Array, axis: Any, name: str) -> tuple[Array, int]:
    """Return an array with an axis moved to the end, and where that axis was; a flattened array without an axis."""
    if axis is None or not x.ndim:
        x = flattened(x)
    position = 0 if axis is None else check_axis(axis, x.ndim, name)
    return (x if x.ndim == 1 else xp.moveaxis(x, position, -1)), position
