"""Special functions of NumPy's main namespace. The formulas are those of ``xtensor.special``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import _ops as xp
from ... import special
from ..._core.array import Array
from ..._core.compositions import composed
from ..._core.dtypes import kind_of
from .._arguments import as_arrays

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray

__all__ = ["i0", "sinc"]


@composed
def i0(x: AnyArray) -> Array:
    """Return the modified Bessel function of the first kind and order 0.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the default real floating-point dtype.

    Returns
    -------
    Array
        The values, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or is complex.

    Notes
    -----
    An even function; 1 at 0. NaN at infinities, as in NumPy.

    NumPy, ``i0``. :func:`xtensor.special.i0` has SciPy's rules.
    """
    (x,) = as_arrays("i0", x)
    if x.dtype.kind == "c":
        raise TypeError(f"i0 not supported for complex values, of dtype {x.dtype}; take xtensor.real first")
    x = _as_floating(x)
    return xp.where(xp.isinf(x), xp.nan, xp.astype(special.i0(x), x.dtype, copy=False))


@composed
def sinc(x: AnyArray) -> Array:
    r"""Return the normalised sine cardinal :math:`\frac{\sin \pi x}{\pi x}`, 1 at 0.

    Parameters
    ----------
    x
        Array of any dtype. Integers and booleans are cast to the default real floating-point dtype.

    Returns
    -------
    Array
        The values, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array.

    Notes
    -----
    The operand of the sine is rounded: the values at other integers are small, but not exactly 0. NaN at infinities.

    NumPy, ``sinc``.
    """
    (x,) = as_arrays("sinc", x)
    x = _as_floating(x)
    return xp.astype(special.sinc(x), x.dtype, copy=False)


def _as_floating(x: Array) -> Array:
    """Return integers and booleans in the default real floating-point dtype."""
    if kind_of(x.dtype) in "fc":
        return x
    return xp.astype(x, x.device.default_dtypes["real floating"])
