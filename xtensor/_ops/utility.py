"""Utility functions (Array API standard 2025.12, "Utility Functions")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

import numpy as np

from .._core.array import Array, Axis
from .._core.backend import Native
from .._core.checks import check_axes, check_axis, check_integer
from .._core.compiled import with_short_way_of_all
from .._core.errors import describe
from .._core.keywords import by_position, keywords_only
from .._core.large_calls import apply_reduction
from .._core.operands import array_argument, coerce_operands, common_device, native_operand
from .._core.operations import declare
from .broadcasting import broadcast_to
from .data_types import astype, result_type
from .filling import full

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, Number

__all__ = ["all", "any", "diff"]

SCALAR_TYPES = (bool, int, float, complex, np.bool, np.number)


def _compose_all(xp: Any, x: Native, *, axis: Axis, keepdims: bool) -> Native:
    return xp.equal(xp.count_nonzero(xp.logical_not(x), axis=axis, keepdims=keepdims), 0)


ALL = declare("all", "reduction", dtype="bool", shape="reduced", numpy="all", composition=_compose_all)


@with_short_way_of_all(ALL, axis=None, keepdims=False)
@keywords_only
def all(
    x: AnyArray, /, *positional: Never, axis: Axis = None, keepdims: bool = False, out: Array | None = None
) -> Array:
    r"""Test whether all elements are true, :math:`\bigwedge_i x_i`, over axes.

    Parameters
    ----------
    x
        Array of any dtype. Zeros are false; nonzero elements, NaN included, are true.
    axis
        Axis or axes to reduce; None reduces all axes.
    keepdims
        Whether the reduced axes remain in the result with length 1.
    out
        Array of the result's shape to write the result to, as NumPy's function has it; it is returned.

    Returns
    -------
    Array
        Array of dtype bool; True if there are no elements.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    Notes
    -----
    Standard 2025.12, Utility Functions, ``all``.
    """
    if positional:
        raise by_position(all, positional)
    x = array_argument(x, "all")
    device = x._device
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "all")
    result = apply_reduction(ALL, device, x._native, axis=axis, keepdims=keepdims)
    return result if out is None else _stored(result, out, "all")


def _compose_any(xp: Any, x: Native, *, axis: Axis, keepdims: bool) -> Native:
    return xp.not_equal(xp.count_nonzero(x, axis=axis, keepdims=keepdims), 0)


ANY = declare("any", "reduction", dtype="bool", shape="reduced", numpy="any", composition=_compose_any)


@with_short_way_of_all(ANY, axis=None, keepdims=False)
@keywords_only
def any(
    x: AnyArray, /, *positional: Never, axis: Axis = None, keepdims: bool = False, out: Array | None = None
) -> Array:
    r"""Test whether any element is true, :math:`\bigvee_i x_i`, over axes.

    Parameters
    ----------
    x
        Array of any dtype. Zeros are false; nonzero elements, NaN included, are true.
    axis
        Axis or axes to reduce; None reduces all axes.
    keepdims
        Whether the reduced axes remain in the result with length 1.
    out
        Array of the result's shape to write the result to, as NumPy's function has it; it is returned.

    Returns
    -------
    Array
        Array of dtype bool; False if there are no elements.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    Notes
    -----
    Standard 2025.12, Utility Functions, ``any``.
    """
    if positional:
        raise by_position(any, positional)
    x = array_argument(x, "any")
    device = x._device
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "any")
    result = apply_reduction(ANY, device, x._native, axis=axis, keepdims=keepdims)
    return result if out is None else _stored(result, out, "any")


def _stored(result: Array, out: Any, function: str) -> Array:
    """Write a result into ``out`` and return that."""
    if not isinstance(out, Array):
        raise TypeError(f"return arrays must be of ArrayType; {function}() takes an Array for out, not {describe(out)}")
    if out.shape != result.shape:
        raise ValueError(
            f"output parameter for reduction operation {function} has the wrong shape; {function}() takes an Array of "
            f"shape {result.shape} for out, not {describe(out)} of shape {out.shape}"
        )
    out[...] = astype(result, out.dtype, copy=False)
    return out


def _compose_diff(
    xp: Any, x: Native, *, axis: int, n: int, prepend: Native | None = None, append: Native | None = None
) -> Native:
    edges = (prepend, x, append) if n else (x,)  # NumPy adds no edges for n = 0
    parts = [part for part in edges if part is not None]
    x = xp.concat(parts, axis=axis) if len(parts) > 1 else xp.astype(x, x.dtype, copy=True)
    subtract = xp.not_equal if x.dtype.kind == "b" else xp.subtract
    before = (slice(None),) * axis
    for _ in range(n):
        x = subtract(x[(*before, slice(1, None))], x[(*before, slice(None, -1))])
    return x


DIFF = declare("diff", "scan", accepts="numeric", shape="argument", numpy="diff", composition=_compose_diff)


@keywords_only
def diff(
    x: AnyArray,
    /,
    n: int = 1,
    *positional: Never,
    axis: int = -1,
    prepend: Array | Number | None = None,
    append: Array | Number | None = None,
) -> Array:
    r"""Return the ``n``-th forward difference along an axis; the first is :math:`y_i = x_{i+1} - x_i`.

    Parameters
    ----------
    x
        Array of one or more dimensions and a numeric dtype.
    n
        Order of the difference, 0 or more; 0 returns the elements of ``x``. May be positional, as in NumPy.
    axis
        Axis along which to take differences.
    prepend, append
        Arrays to concatenate with ``x`` along ``axis``, in front of it and behind it, before differences are taken;
        their shapes equal that of ``x`` except along ``axis``. A number or a 0-d Array stands for one element, or one
        row or column of that value.

    Returns
    -------
    Array
        Array whose length along ``axis`` is smaller by ``n``, at least 0.

    Raises
    ------
    ValueError
        If ``n`` is negative, ``axis`` is out of bounds, or a shape does not match.
    TypeError
        If ``n`` is not an integer.

    Notes
    -----
    Standard 2025.12, Utility Functions, ``diff``.
    """
    if positional:
        raise by_position(diff, positional)
    x, prepend, append = coerce_operands("diff", x, prepend, append)
    x = array_argument(x, "diff")
    if not x.ndim:
        raise ValueError("diff requires input that is at least one dimensional; diff() received a 0-d array")
    axis = check_axis(axis, x.ndim, "diff")
    n = check_integer(n, "diff", "n")
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}; diff() takes n of 0 or more")
    given = (("prepend", prepend), ("append", append))
    edges = {name: _edge(x, axis, edge) for name, edge in given if edge is not None}
    # The result is empty once n reaches the length, so a larger n needs no further differences.
    n = min(n, x.shape[axis] + sum(edge.shape[axis] for edge in edges.values() if edge.ndim == x.ndim))
    device = common_device((x, *edges.values())) or x._device
    natives = {name: native_operand(edge, device, "diff") for name, edge in edges.items()}
    native = native_operand(x, device, "diff")
    return apply_reduction(DIFF, device, native, axis=axis, n=n, **natives)


def _edge(x: Array, axis: int, edge: Any) -> Array:
    """Return the elements next to those of ``x`` along an axis; a scalar becomes one row or column of its value."""
    if isinstance(edge, SCALAR_TYPES):
        value = edge.item() if isinstance(edge, np.generic) else edge
        edge = full((), value, dtype=result_type(x, edge), device=x.device)
    edge = array_argument(edge, "diff")
    if edge.ndim:
        return edge  # type: ignore[no-any-return]
    return broadcast_to(edge, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))
