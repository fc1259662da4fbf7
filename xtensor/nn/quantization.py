"""Products with quantized matrices: small integers with a scale for each group of columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .._core.compositions import composed
from .._core.operands import coerce_operands
from ._checks import check_real_floating

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["check_codes", "quantized_linear", "quantized_linears", "unpack"]

BLOCK = 1 << 20
"""Number of elements of the matrix that are in memory as floating-point numbers at one time."""


@composed
def quantized_linear(x: AnyArray, codes: AnyArray, scales: AnyArray, offsets: AnyArray | None = None, /) -> Array:
    r"""Product :math:`x W^{\mathsf T}` with a matrix of small integers, which is never in memory as a whole.

    The n columns are g groups of equal length. In group j, :math:`W_{ik} = s_{ij} c_{ik} - o_{ij}`.

    Parameters
    ----------
    x
        Array of shape (…, n) and a real floating-point dtype.
    codes
        The integers c: an Array of int8 and shape (m, n), or one of uint8 and shape (m, n / 2), with two integers of
        0 … 15 in a byte. Byte k of a group has element k of the group in the lower four bits, and the element half a
        group further in the upper ones.
    scales
        Array s of shape (m, g) and a real floating-point dtype.
    offsets
        Array o of that shape and dtype. None means 0 for int8, and :math:`8 s` for uint8.

    Returns
    -------
    Array
        Array of shape (…, m) and of the dtype to which ``x`` and ``scales`` promote.

    Raises
    ------
    TypeError
        If an operand is not an Array, or has another dtype.
    ValueError
        If the shapes do not match.
    """
    x, codes, scales, offsets = coerce_operands("quantized_linear", x, codes, scales, offsets)
    check_real_floating(x, "quantized_linear", "x")
    columns = check_codes(codes, scales, offsets, "quantized_linear")
    if not x.ndim or x.shape[-1] != columns:
        raise ValueError(
            f"quantized_linear(): x of shape {x.shape} and codes of {codes.shape[0]} rows and {columns} columns do not "
            f"match, expected x (..., {columns})"
        )
    rows = codes.shape[0]
    dtype = xp.result_type(x, scales)
    work = xp.result_type(dtype, xp.float32)  # sums of short numbers
    flat = xp.astype(xp.reshape(x, (math.prod(x.shape[:-1]), columns)), work, copy=False)
    step = max(1, BLOCK // max(columns, 1))
    parts = []
    for first in range(0, rows, step):
        part = slice(first, min(first + step, rows))
        few = None if offsets is None else offsets[part, :]
        parts.append(xp.matmul(flat, xp.matrix_transpose(unpack(codes[part, :], scales[part, :], few, work))))
    if not parts:
        return xp.zeros((*x.shape[:-1], 0), dtype=dtype, device=x.device)
    result = xp.astype(parts[0] if len(parts) == 1 else xp.concat(parts, axis=-1), dtype, copy=False)
    return xp.reshape(result, (*x.shape[:-1], rows))


@composed
def quantized_linears(x: Array, /, *parts: Array | None) -> list[Array]:
    """Return the products of :func:`quantized_linear` with several matrices, which a device may compute together.

    Parameters
    ----------
    x
        Array of shape (…, n) and a real floating-point dtype.
    parts
        The codes, scales and offsets of each matrix, one after the other.
    """
    return [quantized_linear(x, *parts[first : first + 3]) for first in range(0, len(parts), 3)]  # type: ignore[arg-type]


def unpack(codes: Array, scales: Array, offsets: Array | None, dtype: Any) -> Array:
    """Return rows of a quantized matrix as floating-point numbers; see :func:`quantized_linear`."""
    rows, groups = scales.shape
    scales = xp.astype(scales, dtype, copy=False)[..., None]
    if codes.dtype == xp.int8:
        values = xp.astype(xp.reshape(codes, (rows, groups, codes.shape[1] // groups)), dtype) * scales
    else:
        packed = xp.reshape(codes, (rows, groups, codes.shape[1] // groups))
        values = xp.astype(xp.concat([packed & 15, packed >> 4], axis=-1), dtype)
        values = (values - 8 if offsets is None else values) * scales
    if offsets is not None:
        values = values - xp.astype(offsets, dtype, copy=False)[..., None]
    return xp.reshape(values, (rows, values.shape[1] * values.shape[2]))


def check_codes(codes: Array, scales: Array, offsets: Array | None, function: str) -> int:
    """Return the number of columns of a quantized matrix; raise an error if its parts do not match."""
    if codes.dtype not in (xp.int8, xp.uint8):
        raise TypeError(
            f"{function}(): codes has dtype {codes.dtype}, expected int8, or uint8 with two codes in a byte"
        )
    check_real_floating(scales, function, "scales")
    if codes.ndim != 2 or scales.ndim != 2 or codes.shape[0] != scales.shape[0]:
        raise ValueError(
            f"{function}(): codes has shape {codes.shape} and scales {scales.shape}, expected two axes with one number "
            "of rows"
        )
    if not scales.shape[1] or codes.shape[1] % scales.shape[1]:
        raise ValueError(
            f"{function}(): codes has {codes.shape[1]} columns, expected a multiple of the {scales.shape[1]} groups of "
            "scales"
        )
    if offsets is not None:
        check_real_floating(offsets, function, "offsets")
        if offsets.shape != scales.shape:
            raise ValueError(
                f"{function}(): offsets has shape {offsets.shape}, expected {scales.shape}, the shape of scales"
            )
    return codes.shape[1] * (1 if codes.dtype == xp.int8 else 2)
