"""Arithmetic: sums, products, quotients, powers, signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import elementwise as composed
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.array import Array

__all__ = [
    "abs",
    "add",
    "divide",
    "floor_divide",
    "hypot",
    "multiply",
    "negative",
    "positive",
    "pow",
    "reciprocal",
    "remainder",
    "sign",
    "sqrt",
    "square",
    "subtract",
]


@unary(accepts="numeric", dtype="component", operator="abs")
def abs(x: Array, /) -> Array:
    r"""The absolute value :math:`|x|`; of a complex number the modulus :math:`\sqrt{a^2 + b^2}`.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The absolute values, of the dtype of ``x``; where that is complex, of the real dtype of the same
        precision.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases, real:

    - ``-0`` gives ``+0``, an infinity ``+inf``, NaN gives NaN.
    - For the lowest number of a signed integer dtype, whose opposite is out of range, the result is open.

    Special cases, complex (``x = a + bj``):

    - ``+inf`` where a component is infinite, whatever the other; otherwise NaN where one is NaN.
    - ``abs(b)`` where ``a`` is 0, ``abs(a)`` where ``b`` is 0.
    - Squares that would overflow or underflow on the way do not spoil a result that is in range.

    Standard 2025.12, Element-wise Functions, ``abs``.
    """


@binary(accepts="numeric", operator="add")
def add(x1: Array | complex, x2: Array | complex, /) -> Array:
    """The sum :math:`x_1 + x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The sums, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases, real:

    - NaN where an operand is NaN, and for two infinities of opposite signs; otherwise an infinity stays.
    - ``-0`` for two operands ``-0``, ``+0`` for every other pair that cancels; beyond the range, an
      infinity.

    Complex operands add component by component, each by these rules.

    Standard 2025.12, Element-wise Functions, ``add``.
    """


@binary(accepts="floating", operator="truediv")
def divide(x1: Array | complex, x2: Array | complex, /) -> Array:
    r"""The quotient :math:`x_1 / x_2`, element by element.

    Parameters
    ----------
    x1
        The dividends: array of a numeric dtype, or a Python scalar.
    x2
        The divisors: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The quotients, of the promoted dtype; of a floating-point dtype for two integers.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases, real:

    - NaN where an operand is NaN, for two zeros and for two infinities.
    - An infinity where ``x2`` alone is 0 or ``x1`` alone infinite, a zero where ``x1`` alone is 0 or ``x2``
      alone infinite.
    - Negative where the operands' signs differ, those of zeros included; beyond the range, an infinity or a
      zero.

    Complex operands divide as :math:`\frac{a + bj}{c + dj} = \frac{(ac + bd) + (bc - ad)j}{c^2 + d^2}`
    where all components are finite, and component by component where a divisor is real or imaginary. Four
    components that are NaN give ``NaN + NaN j``; other infinite or NaN components leave the result open.

    Standard 2025.12, Element-wise Functions, ``divide``.
    """


@binary(accepts="real", operator="floordiv", composition=composed.floor_divide, primitive=True)
def floor_divide(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The quotient rounded down to an integer, :math:`\lfloor x_1 / x_2 \rfloor`.

    Parameters
    ----------
    x1
        The dividends: array of a real-valued dtype, or a Python scalar.
    x2
        The divisors: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The integral quotients, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases, those of ``floor(divide(x1, x2))`` also where Python's ``//`` differs:

    - NaN where an operand is NaN, for two zeros and for two infinities.
    - ``±inf`` where ``x1`` alone is infinite or ``x2`` alone is 0, and not NaN as in Python.
    - ``±0`` where ``x1`` alone is 0 or ``x2`` alone is infinite, and never -1 as in Python.
    - The sign is negative where the operands' signs differ, those of zeros included.
    - What an integer divided by 0 gives is open.

    Standard 2025.12, Element-wise Functions, ``floor_divide``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.floor_divide(xp.asarray([-7, 7]), 2)
    Array([-4,  3])
    """


@binary(accepts="real floating", composition=composed.hypot)
def hypot(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The hypotenuse :math:`\sqrt{x_1^2 + x_2^2}` of a right triangle with these legs.

    Parameters
    ----------
    x1, x2
        Arrays of real floating-point dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The lengths, of the promoted floating-point dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - ``+inf`` where an operand is infinite, whatever the other; otherwise NaN where one is NaN.
    - ``abs(x2)`` where ``x1`` is 0, and the other way round; signs and order of the operands do not matter.
    - Squares that would overflow or underflow on the way do not spoil a result that is in range.

    Standard 2025.12, Element-wise Functions, ``hypot``.
    """


@binary(accepts="numeric", operator="mul")
def multiply(x1: Array | complex, x2: Array | complex, /) -> Array:
    r"""The product :math:`x_1 \cdot x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The products, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases, real:

    - NaN where an operand is NaN, and for an infinity times a zero; otherwise an infinity stays.
    - Negative where the operands' signs differ, those of zeros included; beyond the range, an infinity or a
      zero.

    Complex operands multiply as :math:`(a + bj)(c + dj) = (ac - bd) + (bc + ad)j` where all components are
    finite, and component by component where an operand is real or imaginary. Four components that are NaN
    give ``NaN + NaN j``; other infinite or NaN components leave the result open.

    Standard 2025.12, Element-wise Functions, ``multiply``.
    """


@unary(accepts="numeric", operator="neg")
def negative(x: Array, /) -> Array:
    """The opposite :math:`-x`; of a complex number, of both components.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The opposites, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    For the lowest number of a signed integer dtype, whose opposite is out of range, the result is open.

    Standard 2025.12, Element-wise Functions, ``negative``.
    """


@unary(accepts="numeric", operator="pos", composition=composed.positive)
def positive(x: Array, /) -> Array:
    """The number itself, :math:`+x`.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The numbers, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``positive``.
    """


@binary(accepts="numeric", operator="pow")
def pow(x1: Array | complex, x2: Array | complex, /) -> Array:
    r"""The power :math:`x_1^{x_2}`, element by element.

    Parameters
    ----------
    x1
        The bases: array of a numeric dtype, or a Python scalar.
    x2
        The exponents: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The powers, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, the operands are on two devices, or the device refuses a negative
        integer power.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    As :math:`e^{x_2 \ln x_1}` it has the logarithm's branch cut in ``x1``, the negative real axis
    :math:`(-\infty, 0)`.

    Special cases, real:

    - 1 where ``x2`` is 0, even if ``x1`` is NaN; where ``x1`` is 1 and ``x2`` not NaN; where ``x1`` is ±1
      and ``x2`` infinite.
    - NaN where ``x1`` is NaN and ``x2`` not 0, or ``x2`` is NaN and ``x1`` not 1, and for a finite
      ``x1 < 0`` with a finite ``x2`` that is no integer.
    - ``x2 = +inf``: ``+inf`` for ``abs(x1) > 1``, ``+0`` for ``abs(x1) < 1``; ``x2 = -inf``: the other way
      round.
    - ``x1`` infinite: an infinity for ``x2 > 0``, a zero for ``x2 < 0``; ``x1`` a zero: the other way
      round. The sign is negative where that of ``x1`` is and ``x2`` an odd integer.

    Special cases, complex: those of ``exp(x2 * log(x1))``, or more careful ones.

    A negative power of an integer, in an integer dtype, is open; NumPy refuses it.

    Standard 2025.12, Element-wise Functions, ``pow``.
    """


@unary(accepts="floating", composition=composed.reciprocal)
def reciprocal(x: Array, /) -> Array:
    r"""The reciprocal :math:`\frac{1}{x}`.

    Parameters
    ----------
    x
        Array of a floating-point dtype.

    Returns
    -------
    Array
        The reciprocals, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases: those of ``divide(1.0, x)``.

    Standard 2025.12, Element-wise Functions, ``reciprocal``.
    """


@binary(accepts="real", operator="mod")
def remainder(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The remainder :math:`x_1 - x_2 \lfloor x_1 / x_2 \rfloor`, with the sign of ``x2``, as Python's ``%``.

    Parameters
    ----------
    x1
        The dividends: array of a real-valued dtype, or a Python scalar.
    x2
        The divisors: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The remainders, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases:

    - NaN where an operand is NaN, ``x1`` is infinite, or ``x2`` is 0 (what an integer divided by 0 leaves
      is open).
    - A zero with the sign of ``x2`` where ``x1`` alone is 0.
    - ``x2`` infinite, ``x1`` finite and not 0: ``x1`` where the signs agree, ``x2`` where they differ.

    Standard 2025.12, Element-wise Functions, ``remainder``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.remainder(xp.asarray([-7, 7]), 3)
    Array([2, 1])
    """


@unary(accepts="numeric", composition=composed.sign)
def sign(x: Array, /) -> Array:
    """The sign :math:`x / |x|`, and 0 where ``x`` is 0.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The signs, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases, real:

    - -1 below 0, 0 for a zero of either sign, 1 above 0; NaN for NaN.

    Special cases, complex:

    - ``0 + 0j`` where both components are 0, ``NaN + NaN j`` where one is NaN; otherwise those of the
      division.

    Standard 2025.12, Element-wise Functions, ``sign``.
    """


@unary(accepts="floating")
def sqrt(x: Array, /) -> Array:
    r"""The square root :math:`\sqrt{x}`, correctly rounded.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The roots, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The principal value has no negative real part; the branch cut is the negative real axis
    :math:`(-\infty, 0)`, whose side is the sign of the imaginary zero.

    Special cases, real:

    - NaN for NaN and below 0; a zero keeps its sign; ``+inf`` at ``+inf``.

    Special cases, complex (``x = a + bj``; other signs follow from ``sqrt(conj(x)) = conj(sqrt(x))``):

    - ``+0 + 0j`` at ``±0 + 0j``; ``+inf + inf j`` for ``b = +inf`` with any ``a``, NaN included.
    - Finite ``b > 0``: ``+0 + inf j`` for ``a = -inf``, ``+inf + 0j`` for ``a = +inf``.
    - ``b`` NaN: ``NaN ± inf j`` (either sign) for ``a = -inf``, ``+inf + NaN j`` for ``+inf``,
      ``NaN + NaN j`` for finite ``a``.
    - ``a`` NaN: ``NaN + NaN j`` unless ``b`` is infinite.

    Standard 2025.12, Element-wise Functions, ``sqrt``.
    """


@unary(accepts="numeric", composition=composed.square)
def square(x: Array, /) -> Array:
    r"""The square :math:`x^2 = x \cdot x`.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The squares, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases: those of ``multiply(x, x)``.

    Standard 2025.12, Element-wise Functions, ``square``.
    """


@binary(accepts="numeric", operator="sub")
def subtract(x1: Array | complex, x2: Array | complex, /) -> Array:
    """The difference :math:`x_1 - x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The differences, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases: those of the sum ``x1 + (-x2)``; see :func:`xtensor.add`.

    Standard 2025.12, Element-wise Functions, ``subtract``.
    """
