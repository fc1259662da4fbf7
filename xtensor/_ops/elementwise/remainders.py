"""Remainders, quotients with their remainders, and fractional parts, with NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import beyond as composed
from ..._core.array import Array, wrap
from ..._core.dispatch import array_argument, call, operands
from ..._core.operations import declare
from ._declaration import binary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, RealOperand

__all__ = ["divmod", "fmod", "modf"]

DIVMOD = declare(
    "divmod",
    "elementwise",
    operands=2,
    accepts="real",
    dtype="several",
    shape="several",
    numpy="divmod",
    composition=composed.divmod,
)


def divmod(x1: RealOperand, x2: RealOperand, /) -> tuple[Array, Array]:
    r"""Return the quotient rounded down and the remainder, :math:`\lfloor x_1 / x_2 \rfloor` and :math:`x_1 \bmod x_2`.

    Parameters
    ----------
    x1, x2
        Arrays of real dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    tuple of Array
        The quotients and the remainders, with the broadcast shape and the promoted dtype. Booleans give int8. A
        remainder has the sign of the divisor.

    Raises
    ------
    TypeError
        If no operand is an Array, or NumPy has no loop for the dtypes.
    ValueError
        If the shapes do not broadcast.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.

    Notes
    -----
    A divisor of 0 gives 0 and 0 for integers; for floating-point numbers, the quotient ``x1 / x2`` and NaN. An infinite
    dividend gives NaN and NaN, unlike :func:`floor_divide`, whose infinite quotients the standard specifies.

    NumPy, ``divmod``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.divmod(xp.asarray([7, -7]), 4)
    (Array([ 1, -2]), Array([3, 1]))
    """
    device, native1, native2 = operands("divmod", x1, x2)
    quotient, remainder = call(DIVMOD, device, native1, native2)
    return wrap(quotient, device), wrap(remainder, device)


@binary(accepts="real", composition=composed.fmod)
def fmod(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Remainder of the quotient rounded towards 0, :math:`x_1 - x_2\, \mathrm{trunc}(x_1 / x_2)`.

    Parameters
    ----------
    x1, x2
        Arrays of real dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The remainders, with the broadcast shape and the promoted dtype. Booleans give int8.

    Raises
    ------
    TypeError
        If no operand is an Array, or NumPy has no loop for the dtypes.
    ValueError
        If the shapes do not broadcast.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.

    Notes
    -----
    The remainder has the sign of ``x1``, unlike that of :func:`remainder`, and is exact. A divisor of 0 gives 0 for
    integers and NaN for floating-point numbers; an infinite divisor gives ``x1``.

    NumPy, ``fmod``.
    """


MODF = declare(
    "modf",
    "elementwise",
    accepts="real floating",
    dtype="several",
    shape="several",
    numpy="modf",
    composition=composed.modf,
)


def modf(x: AnyArray, /) -> tuple[Array, Array]:
    """Return the fractional part and the integral part, both with the sign of ``x``.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    tuple of Array
        The fractional parts and the integral parts, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or is complex.

    Notes
    -----
    The parts of an infinity are a zero of its sign and the infinity. Both parts of NaN are NaN.

    NumPy, ``modf``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.modf(xp.asarray([1.5, -2.25]))
    (Array([ 0.5 , -0.25]), Array([ 1., -2.]))
    """
    x = array_argument(x, "modf")
    device = x._device
    fraction, whole = call(MODF, device, x._native)
    return wrap(fraction, device), wrap(whole, device)
