"""Remainders, quotients with their remainders, and fractional parts, with NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._core.array import Array
from ..._core.backend import Native
from ..._core.calls import call, wrap
from ..._core.operands import array_argument, operands
from ..._core.operations import declare
from .._composing import NativeOperand, cast, integer_dtype, loop_dtype, of_floats
from ._declaration import binary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, RealOperand

__all__ = ["divmod", "fmod", "modf"]


def _truncated_remainder(xp: Any, x1: Native, x2: Native) -> Native:
    return xp.copysign(xp.remainder(xp.abs(x1), xp.abs(x2)), x1)


@of_floats
def _divmod_of_floats(xp: Any, x1: Native, x2: Native) -> tuple[Native, Native]:
    """The quotient of ``x1`` without its remainder, rounded: that difference is nearly a multiple of ``x2``.

    NumPy's rules where an operand is not finite: an infinite dividend gives NaN.
    """
    quotient = xp.divide(x1, x2)
    remainder = _truncated_remainder(xp, x1, x2)
    whole = xp.divide(xp.subtract(x1, remainder), x2)
    exact = xp.equal(remainder, 0.0)
    opposite = xp.logical_and(xp.not_equal(xp.less(x2, 0.0), xp.less(remainder, 0.0)), xp.bitwise_invert(exact))
    whole = xp.where(opposite, xp.subtract(whole, 1.0), whole)
    remainder = xp.where(exact, xp.copysign(0.0, x2), xp.where(opposite, xp.add(remainder, x2), remainder))
    floor = xp.floor(whole)
    floor = xp.where(xp.less(0.5, xp.subtract(whole, floor)), xp.add(floor, 1.0), floor)
    floor = xp.where(xp.equal(whole, 0.0), xp.copysign(0.0, quotient), floor)
    return xp.where(xp.equal(x2, 0.0), quotient, floor), remainder


def _compose_divmod(xp: Any, x1: NativeOperand, x2: NativeOperand) -> tuple[Native, Native]:
    if loop_dtype("divmod", "biuf", x1, x2).kind == "f":
        return _divmod_of_floats(xp, x1, x2)  # type: ignore[no-any-return]
    x1, x2 = cast(xp, integer_dtype("divmod", x1, x2), x1, x2)
    return xp.floor_divide(x1, x2), xp.remainder(x1, x2)


DIVMOD = declare(
    "divmod",
    "elementwise",
    operands=2,
    accepts="real",
    dtype="several",
    shape="several",
    numpy="divmod",
    composition=_compose_divmod,
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


def _fmod(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return of_floats(_truncated_remainder)(xp, x1, x2)


def _compose_fmod(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    dtype = loop_dtype("fmod", "biuf", x1, x2)
    if dtype.kind == "f":
        return _fmod(xp, x1, x2)
    x1, x2 = cast(xp, integer_dtype("fmod", x1, x2), x1, x2)
    remainder = xp.remainder(x1, x2)
    if x1.dtype.kind == "u":
        return remainder
    # The remainder of the standard has the sign of the divisor.
    opposite = xp.not_equal(xp.less(x1, 0), xp.less(x2, 0))
    return xp.where(xp.logical_and(opposite, xp.not_equal(remainder, 0)), xp.subtract(remainder, x2), remainder)


@binary(accepts="real", composition=_compose_fmod)
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


@of_floats
def _compose_modf(xp: Any, x: Native) -> tuple[Native, Native]:
    whole = xp.trunc(x)
    fraction = xp.where(xp.isinf(x), 0.0, xp.subtract(x, xp.where(xp.isinf(x), 0.0, whole)))
    return xp.copysign(fraction, x), xp.copysign(whole, x)


MODF = declare(
    "modf",
    "elementwise",
    accepts="real floating",
    dtype="several",
    shape="several",
    numpy="modf",
    composition=_compose_modf,
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
