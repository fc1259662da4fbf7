"""Utility functions (Array API standard 2025.12, "Utility Functions")."""

from __future__ import annotations

from .. import _composed
from .._core.array import Array, Axis, apply
from .._core.checks import check_axes, check_axis, check_integer
from .._core.dispatch import common_device, device_of, native_operand
from .._core.operations import declare

__all__ = ["all", "any", "diff"]


ALL = declare("all", "reduction", dtype="bool", shape="reduced", numpy="all", composition=_composed.statistical.all)


def all(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    r"""Whether all elements are true, :math:`\bigwedge_i x_i`, over all or some axes.

    Parameters
    ----------
    x
        Array of any dtype; NaN and infinities count as true, zeros as false.
    axis
        The axis or axes to reduce; None reduces all of them.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        Of dtype bool; True where there is no element.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Utility Functions, ``all``.
    """
    device = device_of(x, "all")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "all")
    return apply(ALL, device, x._native, axis=axis, keepdims=keepdims)


ANY = declare("any", "reduction", dtype="bool", shape="reduced", numpy="any", composition=_composed.statistical.any)


def any(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    r"""Whether some element is true, :math:`\bigvee_i x_i`, over all or some axes.

    Parameters
    ----------
    x
        Array of any dtype; NaN and infinities count as true, zeros as false.
    axis
        The axis or axes to reduce; None reduces all of them.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        Of dtype bool; False where there is no element.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Utility Functions, ``any``.
    """
    device = device_of(x, "any")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "any")
    return apply(ANY, device, x._native, axis=axis, keepdims=keepdims)


DIFF = declare(
    "diff", "scan", accepts="numeric", shape="argument", numpy="diff", composition=_composed.statistical.diff
)


def diff(
    x: Array, /, n: int = 1, *, axis: int = -1, prepend: Array | None = None, append: Array | None = None
) -> Array:
    r"""The differences of neighbours, :math:`x_{i+1} - x_i`, along an axis, taken ``n`` times.

    Parameters
    ----------
    x
        Array of one or more dimensions, of a numeric dtype.
    n
        How often differences are taken; 0 gives ``x``. By position, too, as callers of NumPy's function do.
    axis
        The axis.
    prepend, append
        Arrays put before and after ``x`` along ``axis`` first; of its shape in the other axes.

    Returns
    -------
    Array
        Shorter along ``axis`` by ``n``, down to 0.

    Raises
    ------
    ValueError
        If ``n`` is negative, or the axis out of bounds.

    Notes
    -----
    Standard 2025.12, Utility Functions, ``diff``.
    """
    device_of(x, "diff")
    axis = check_axis(axis, x.ndim, "diff")
    n = check_integer(n, "diff", "n")
    if n < 0:
        raise ValueError(f"diff(): n is 0 or more, not {n}")
    edges = {name: edge for name, edge in (("prepend", prepend), ("append", append)) if edge is not None}
    for edge in edges.values():
        device_of(edge, "diff")
    # Nothing is left after as many differences as there are elements: more of them are no more work.
    n = min(n, x.shape[axis] + sum(edge.shape[axis] for edge in edges.values() if edge.ndim == x.ndim))
    device = common_device((x, *edges.values())) or x._device
    natives = {name: native_operand(edge, device, "diff") for name, edge in edges.items()}
    native = native_operand(x, device, "diff")
    return apply(DIFF, device, native, axis=axis, n=n, **natives)
