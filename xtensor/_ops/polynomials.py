"""Polynomials as coefficients from the highest power to the lowest, with NumPy's names and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _ops as xp
from .. import linalg
from .._core.array import Array
from .._core.checks import check_integer
from .._core.compositions import composed
from .._core.dtypes import finfo, kind_of
from .._core.errors import describe
from .._core.fp_warnings import rewarn
from . import _casts
from ._arguments import as_arrays, flattened, on_device
from ._flags import truth
from .convolution import convolve

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval"]

LARGEST_DEGREE = 1 << 20
"""More columns or integrations overflow every floating-point dtype."""


@composed
def poly(seq_of_zeros: AnyArray) -> Array:
    r"""Return the coefficients of the polynomial with given zeros, :math:`\prod_i (x - z_i)`.

    Parameters
    ----------
    seq_of_zeros
        The zeros, of one dimension, or a square matrix, whose eigenvalues are the zeros.

    Returns
    -------
    Array
        The coefficients in floating point, of shape ``(N + 1,)``, the first of them 1. Real if the zeros are pairs of
        conjugates; a 0-d 1 without zeros.

    Raises
    ------
    ValueError
        If the argument is neither of one dimension nor a square matrix.

    Notes
    -----
    NumPy, ``poly``.
    """
    (zeros,) = as_arrays("poly", seq_of_zeros)
    zeros = xp.reshape(_casts.floating(zeros), zeros.shape or (1,))
    if zeros.dtype.itemsize < 4:  # products of half precision in the default dtype, as in NumPy
        zeros = xp.astype(zeros, zeros.device.default_dtypes["real floating"])
    real = zeros.dtype.kind != "c"
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] and zeros.shape[0]:
        zeros = linalg.eigvals(zeros)
    elif zeros.ndim != 1:
        raise ValueError(f"input must be 1d or non-empty square 2d array.; poly() got shape {zeros.shape}")
    if not zeros.shape[0]:
        return xp.ones((), dtype=zeros.device.default_dtypes["real floating"], device=zeros.device)
    result = xp.ones(1, dtype=zeros.dtype, device=zeros.device)
    for factor in xp.unstack(xp.stack((xp.ones_like(zeros), -zeros), axis=-1)):
        result = convolve(result, factor)
    if zeros.dtype.kind == "c" and (real or xp.all(_casts.sort(zeros) == _casts.sort(xp.conj(zeros)))):
        result = xp.real(result)
    return result


@composed
def polyadd(a1: AnyArray, a2: AnyArray) -> Array:
    """Return the sum of two polynomials.

    Parameters
    ----------
    a1, a2
        The coefficients, Arrays or array-likes with one, of one dimension.

    Returns
    -------
    Array
        The coefficients of the sum, as many as the longer polynomial has, of the promoted dtype.

    Raises
    ------
    ValueError
        If an array has more than one dimension.

    Notes
    -----
    NumPy, ``polyadd``. The sum of booleans is their logical or.
    """
    a1, a2 = _aligned("polyadd", a1, a2)
    return _sum(a1, a2)


@composed
def polyder(p: AnyArray, m: int = 1) -> Array:
    """Return a derivative of a polynomial.

    Parameters
    ----------
    p
        The coefficients, of one dimension.
    m
        The order of the derivative, 0 or more.

    Returns
    -------
    Array
        The coefficients of the derivative, in the promotion of the dtype of ``p`` with the default integer dtype.

    Raises
    ------
    ValueError
        If ``m`` is negative, or ``p`` is not of one dimension.

    Notes
    -----
    NumPy, ``polyder``.
    """
    (p,) = _coefficients("polyder", p)
    m = check_integer(m, "polyder", "m")
    if m < 0:
        raise ValueError(f"Order of derivative must be positive (see polyint); polyder() got m={m}")
    for _ in range(min(m, p.shape[0] + 1)):  # further derivatives of no coefficients are the same
        degree = max(p.shape[0] - 1, 0)
        powers = xp.arange(degree, 0, -1, dtype=p.device.default_dtypes["integral"], device=p.device)
        p, powers = _casts.promoted(p[:degree], powers)
        p = p * powers
    return p


@composed
def polydiv(u: AnyArray, v: AnyArray) -> tuple[Array, Array]:
    """Return the quotient and the remainder of the division of two polynomials.

    Parameters
    ----------
    u, v
        The coefficients of the dividend and of the divisor, Arrays or array-likes with one, of one dimension.

    Returns
    -------
    tuple of Array
        The coefficients of the quotient and of the remainder, in floating point. The remainder has no leading
        coefficients of magnitude 1e-8 or less.

    Raises
    ------
    ValueError
        If an array has more than one dimension or no elements.

    Notes
    -----
    NumPy, ``polydiv``.
    """
    u, v = _coefficients("polydiv", u, v)
    for label, x in (("u", u), ("v", v)):
        if not x.shape[0]:
            raise ValueError(f"polydiv() takes polynomials of at least one coefficient, not {label} of shape {x.shape}")
    u, v = _casts.promoted(_casts.floating(u), _casts.floating(v))
    m, n = u.shape[0] - 1, v.shape[0] - 1
    if m < n:
        quotient, rest = xp.zeros(1, dtype=u.dtype, device=u.device), u
    else:
        quotient, rest = _divided(u, v)
    large = xp.nonzero(~(xp.abs(rest) <= 1e-8))[0]
    return quotient, rest[int(large[0]) if large.shape[0] else m :]


def _divided(u: Array, v: Array) -> tuple[Array, Array]:
    """Return the quotient of polynomials and the rest of ``u``, with leading zeros, for no lower degree of ``u``."""
    count, length = u.shape[0] - v.shape[0] + 1, v.shape[0]
    scale, rest = 1.0 / v[:1], u
    steps = []
    for k in range(count):
        steps.append(scale * rest[k : k + 1])
        rest = xp.concat((rest[:k], rest[k : k + length] - steps[-1] * v, rest[k + length :]))
    return xp.concat(steps), rest


@composed
def polyfit(
    x: AnyArray,
    y: AnyArray,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: AnyArray | None = None,
    cov: bool | Literal["unscaled"] = False,
) -> Any:
    r"""Return the polynomial that fits points best, by least squares.

    It minimises :math:`\sum_i |w_i (p(x_i) - y_i)|^2`.

    Parameters
    ----------
    x
        The coordinates of the points, of shape ``(M,)``.
    y
        The values at the points, of shape ``(M,)``, or ``(M, K)`` for several fits.
    deg
        The degree of the polynomial.
    rcond
        Singular values up to this fraction of the largest count as 0. By default ``M`` times the epsilon of ``x``.
    full
        Whether to return the properties of the least-squares problem in addition.
    w
        The weights of the points, of shape ``(M,)``.
    cov
        Whether to return the covariance of the coefficients in addition, scaled such that the reduced chi-square is 1;
        ``"unscaled"`` omits the scaling, for weights that are reciprocals of known errors.

    Returns
    -------
    Array or tuple
        The coefficients, of shape ``(deg + 1,)`` or ``(deg + 1, K)``, in the default precision at least. With ``full``,
        in addition the residuals, the rank, the singular values and ``rcond``. With ``cov``, in addition the covariance
        matrix, of shape ``(deg + 1, deg + 1)`` or ``(deg + 1, deg + 1, K)``.

    Raises
    ------
    TypeError
        If the shapes do not fit, or there are no points.
    ValueError
        If ``deg`` is negative, or there are too few points for a scaled covariance.

    Warns
    -----
    RankWarning
        If the points do not determine the coefficients. The warning is ``numpy.exceptions.RankWarning``.

    Notes
    -----
    NumPy, ``polyfit``. The columns of the Vandermonde matrix are scaled to length 1 before the least-squares problem is
    solved with the singular value decomposition.
    """
    given = iter(as_arrays("polyfit", x, y, *([] if w is None else [w])))
    numbers = {"x": x, "y": y, "w": w}
    x, y = _casts.floating(next(given)), _casts.floating(next(given))
    order = check_integer(deg, "polyfit", "deg") + 1
    if order < 1:
        raise ValueError(f"expected deg >= 0; polyfit() got deg={deg}")
    if order > LARGEST_DEGREE:
        raise ValueError(f"polyfit() fits polynomials of degree {LARGEST_DEGREE} at most, not {deg}")
    if not isinstance(cov, str):
        cov = truth(cov, "polyfit", "cov")
    if x.ndim != 1:
        raise TypeError(f"expected 1D vector for x; polyfit() got {describe(numbers['x'])}")
    if not x.size:
        raise TypeError("expected non-empty vector for x; polyfit() got no points")
    if y.ndim not in (1, 2):
        raise TypeError(f"expected 1D or 2D array for y; polyfit() got {describe(numbers['y'])}")
    if x.shape[0] != y.shape[0]:
        raise TypeError(
            f"expected x and y to have same length; polyfit() got {describe(numbers['x'])} and {describe(numbers['y'])}"
        )
    rcond = x.shape[0] * float(finfo(x.dtype).eps) if rcond is None else rcond
    x = xp.astype(x, _casts.double(x.dtype, x), copy=False)
    columns = [xp.ones_like(x)]
    for _ in range(order - 1):
        columns.append(columns[-1] * x)
    left, right = xp.stack(columns[::-1], axis=1), y
    if w is not None:
        weights = next(given)
        if weights.ndim != 1:
            raise TypeError(f"expected a 1-d array for weights; polyfit() got {describe(w)}")
        if weights.shape[0] != y.shape[0]:
            raise TypeError(
                f"expected w and y to have the same length; polyfit() got {describe(w)} for {y.shape[0]} points"
            )
        left = left * xp.astype(weights, left.dtype)[:, None]
        right = right * xp.reshape(xp.astype(weights, right.dtype), (-1, *(1,) * (y.ndim - 1)))
    scale = xp.sqrt(xp.sum(left * left, axis=0, dtype=left.dtype))
    left = left / scale
    solution, residuals, rank, singular_values = linalg.lstsq(left, right, rcond)
    divisor = xp.astype(scale, solution.dtype)
    coefficients = solution / (divisor if y.ndim == 1 else divisor[:, None])
    if truth(full, "polyfit", "full"):
        return coefficients, residuals, rank, singular_values, rcond
    if int(rank) != order:
        rewarn(np.exceptions.RankWarning("Polyfit may be poorly conditioned"))
    if not cov:
        return coefficients
    covariance = linalg.inv(xp.matmul(left.mT, left)) / (scale[:, None] * scale[None, :])
    if not (isinstance(cov, str) and cov == "unscaled"):
        if x.shape[0] <= order:
            raise ValueError(
                "the number of data points must exceed order to scale the covariance matrix; polyfit() got "
                f"{x.shape[0]} points for {order} coefficients, pass cov='unscaled'"
            )
        factor = residuals / (x.shape[0] - order)
        matrix, factor = _casts.promoted(covariance, factor)
        return coefficients, matrix * factor if y.ndim == 1 else matrix[:, :, None] * factor
    return coefficients, covariance if y.ndim == 1 else covariance[:, :, None]


@composed
def polyint(p: AnyArray, m: int = 1, k: Any = None) -> Array:
    """Return an antiderivative of a polynomial.

    Parameters
    ----------
    p
        The coefficients, of one dimension.
    m
        The number of integrations, 0 or more.
    k
        The constants of the integrations: one number for all of them or one for each, as a number, a sequence or an
        Array. None for 0.

    Returns
    -------
    Array
        The coefficients of the antiderivative, in the promotion of the dtype of ``p`` with the default real
        floating-point dtype.

    Raises
    ------
    ValueError
        If ``m`` is negative, there are fewer constants than integrations, or ``p`` is not of one dimension.

    Notes
    -----
    NumPy, ``polyint``.
    """
    p = _coefficients("polyint", p, *([k] if isinstance(k, Array) else []))[0]
    m = check_integer(m, "polyint", "m")
    if m < 0:
        raise ValueError(f"Order of integral must be positive (see polyder); polyint() got m={m}")
    if m > LARGEST_DEGREE:
        raise ValueError(f"polyint() integrates {LARGEST_DEGREE} times at most, not m={m}")
    real = p.device.default_dtypes["real floating"]
    constants = xp.zeros(1, dtype=real, device=p.device) if k is None else on_device("polyint", k, p.device)
    constants = xp.reshape(constants, constants.shape or (1,))
    if constants.shape[0] == 1 and m > 1:
        constants = xp.repeat(constants, m)
    if constants.shape[0] < m:
        raise ValueError(
            f"k must be a scalar or a rank-1 array of length 1 or >m.; polyint() got {constants.shape[0]} for m={m}"
        )
    for i in range(m):
        powers = xp.arange(p.shape[0], 0, -1, dtype=real, device=p.device)
        p, powers = _casts.promoted(p, powers)
        p = xp.concat(_casts.promoted(p / powers, constants[i : i + 1]))
    return p


@composed
def polymul(a1: AnyArray, a2: AnyArray) -> Array:
    """Return the product of two polynomials.

    Parameters
    ----------
    a1, a2
        The coefficients, Arrays or array-likes with one, of one dimension.

    Returns
    -------
    Array
        The coefficients of the product, of the promoted dtype, without leading zeros of ``a1`` and ``a2``.

    Raises
    ------
    ValueError
        If an array has more than one dimension.

    Notes
    -----
    NumPy, ``polymul``.
    """
    a1, a2 = _coefficients("polymul", a1, a2)
    return convolve(_without_leading_zeros(a1), _without_leading_zeros(a2))


@composed
def polysub(a1: AnyArray, a2: AnyArray) -> Array:
    """Return the difference of two polynomials.

    Parameters
    ----------
    a1, a2
        The coefficients, Arrays or array-likes with one, of one dimension.

    Returns
    -------
    Array
        The coefficients of the difference, as many as the longer polynomial has, of the promoted dtype.

    Raises
    ------
    ValueError
        If an array has more than one dimension.
    TypeError
        If both polynomials are boolean.

    Notes
    -----
    NumPy, ``polysub``.
    """
    a1, a2 = _aligned("polysub", a1, a2)
    if kind_of(a1.dtype) == "b":
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported; polysub() takes numbers, cast with "
            "xtensor.astype"
        )
    return a1 - a2


@composed
def polyval(p: AnyArray, x: AnyArray) -> Array:
    r"""Return the values of a polynomial, :math:`p_0 x^n + p_1 x^{n-1} + \dots + p_n`.

    Parameters
    ----------
    p
        The coefficients, an Array or an array-like with one.
    x
        The points, of any shape.

    Returns
    -------
    Array
        The values, of the shape of ``x`` and of the promoted dtype.

    Raises
    ------
    TypeError
        If ``p`` is 0-d.

    Notes
    -----
    NumPy, ``polyval``. Computed with Horner's method. The sum of booleans is their logical or, their product the
    logical and.
    """
    given = p
    p, x = as_arrays("polyval", p, x)
    if not p.ndim:
        raise TypeError(
            f"iteration over a 0-d array; polyval() takes coefficients of one dimension, not {describe(given)}"
        )
    if not p.shape[0]:
        return xp.zeros_like(x)
    p, x = _casts.promoted(p, x)
    value = xp.zeros_like(x)
    for i in range(p.shape[0]):
        value = _sum(xp.logical_and(value, x) if kind_of(x.dtype) == "b" else value * x, p[i, ...])
    return value


def _sum(a: Array, b: Array) -> Array:
    """Return the sum of two arrays of one dtype; of booleans, which not every device adds, the logical or."""
    return xp.logical_or(a, b) if kind_of(a.dtype) == "b" else a + b


def _coefficients(name: str, *values: Any) -> list[Array]:
    """Return array-likes as Arrays of one dimension."""
    arrays = []
    for x in as_arrays(name, *values):
        if x.ndim > 1:
            raise ValueError(f"Polynomial must be 1d only.; {name}() got coefficients of shape {x.shape}")
        arrays.append(x if x.ndim else flattened(x))
    return arrays


def _aligned(name: str, a1: Any, a2: Any) -> list[Array]:
    """Return the coefficients of two polynomials in one dtype, with leading zeros so that they are equally many."""
    a1, a2 = _coefficients(name, a1, a2)
    length = max(a1.shape[0], a2.shape[0])
    return _casts.promoted(
        *(
            xp.concat((xp.zeros(length - x.shape[0], dtype=x.dtype, device=x.device), x)) if x.shape[0] < length else x
            for x in (a1, a2)
        )
    )


def _without_leading_zeros(p: Array) -> Array:
    """Return coefficients without leading zeros, a single zero at least."""
    nonzero = xp.nonzero(p)[0]
    return p[int(nonzero[0]) :] if nonzero.shape[0] else xp.zeros(1, dtype=p.dtype, device=p.device)
