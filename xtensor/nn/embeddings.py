"""Embedding: rows of a table, by index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_integer
from .._core.compositions import composed
from .._core.levels import first_wrong
from .._core.operands import array_arguments
from ._checks import check_real_floating

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["embedding", "one_hot"]


@composed
def embedding(indices: AnyArray, weight: AnyArray, /) -> Array:
    """Take rows of a table.

    Parameters
    ----------
    indices
        Array of integers of shape (…).
    weight
        The table, an Array of shape (m, d) and a real floating-point dtype.

    Returns
    -------
    Array
        Array of shape (…, d).

    Raises
    ------
    TypeError
        If ``indices`` is not an Array of integers, or ``weight`` not one of a real floating-point dtype.
    ValueError
        If ``weight`` has not two axes.
    IndexError
        If an index is out of bounds, on devices of the host.

    Notes
    -----
    The function does not write to its operands. The other parameters of PyTorch's function, of which ``max_norm``
    changes the table, are those of :class:`xtensor.nn.Embedding`.
    """
    indices, weight = array_arguments("embedding", indices, weight)
    check_real_floating(weight, "embedding", "weight")
    if indices.dtype.kind not in "iu":
        raise TypeError(
            f"embedding(): indices has dtype {indices.dtype}, expected integers; cast it with xtensor.astype"
        )
    if weight.ndim != 2:
        raise ValueError(f"embedding(): weight has shape {weight.shape}, expected (rows, columns)")
    rows, columns = weight.shape
    flat = xp.reshape(indices, (-1,))
    wrong = first_wrong(flat, (flat < 0) | (flat >= rows))
    if wrong is not None:
        raise IndexError(
            f"embedding(): index {wrong} is out of bounds for {rows} rows; pass indices from 0 to {rows - 1}"
        )
    taken = xp.take(weight, flat, axis=0)
    return xp.reshape(taken, (*indices.shape, columns))


@composed
def one_hot(indices: AnyArray, /, num_classes: int) -> Array:
    """Indicators of classes: 1 at the index of each class, otherwise 0.

    Parameters
    ----------
    indices
        Array of integers of shape (…), the classes.
    num_classes
        Number of classes c.

    Returns
    -------
    Array
        Array of integers of shape (…, c); a class out of bounds has only zeros.

    Raises
    ------
    TypeError
        If ``indices`` is not an Array of integers, or ``num_classes`` not an integer.
    """
    (indices,) = array_arguments("one_hot", indices)
    if indices.dtype.kind not in "iu":
        raise TypeError(f"one_hot(): indices has dtype {indices.dtype}, expected integers; cast it with xtensor.astype")
    classes = xp.arange(
        check_integer(num_classes, "one_hot", "num_classes"), dtype=indices.dtype, device=indices.device
    )
    return xp.astype(xp.expand_dims(indices, axis=-1) == classes, xp.int64)
