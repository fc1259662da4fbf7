"""Windows for the analysis of signals, with NumPy's names and signatures, on the default device."""

from __future__ import annotations

from typing import Any

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_integer
from .._core.compositions import composed
from .._core.devices import default_device
from .._core.errors import describe
from .elementwise.special import i0

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]


def _positions(name: str, points: Any) -> tuple[int, Array]:
    """Return the number of points, and for each one ``n`` the odd integer ``2n - (M - 1)``."""
    count = max(check_integer(points, name, "M"), 0)
    return count, xp.arange(1 - count, count, 2, dtype=default_device().default_dtypes["real floating"])


def _cosines(positions: Array, count: int, *coefficients: float) -> Array:
    """Return a sum of cosines of multiples of an angle, which is 0 in the middle and π at the ends."""
    if count == 1:
        return xp.ones_like(positions)
    angle = xp.pi * positions / (count - 1)
    result = xp.full_like(positions, coefficients[0])
    for multiple, coefficient in enumerate(coefficients[1:], 1):
        result = result + coefficient * xp.cos(multiple * angle)
    return result


@composed
def bartlett(M: int) -> Array:  # noqa: N803 - NumPy's name
    r"""Return the Bartlett window, a triangle: :math:`1 - |2n - (M - 1)| / (M - 1)` for ``n`` from 0 to ``M - 1``.

    Parameters
    ----------
    M
        Number of points. Below 1 the window is empty.

    Returns
    -------
    Array
        Array of shape ``(M,)`` of the default device and its default floating-point dtype.

    Raises
    ------
    TypeError
        If ``M`` is not an integer.

    Notes
    -----
    NumPy, ``bartlett``.
    """
    count, positions = _positions("bartlett", M)
    return xp.ones_like(positions) if count == 1 else 1 - xp.abs(positions) / (count - 1)


@composed
def blackman(M: int) -> Array:  # noqa: N803 - NumPy's name
    r"""Return the Blackman window :math:`0.42 + 0.5 \cos \theta_n + 0.08 \cos 2 \theta_n`.

    :math:`\theta_n = \pi (2n - (M - 1)) / (M - 1)` for ``n`` from 0 to ``M - 1``.

    Parameters
    ----------
    M
        Number of points. Below 1 the window is empty.

    Returns
    -------
    Array
        Array of shape ``(M,)`` of the default device and its default floating-point dtype.

    Raises
    ------
    TypeError
        If ``M`` is not an integer.

    Notes
    -----
    NumPy, ``blackman``.
    """
    count, positions = _positions("blackman", M)
    return _cosines(positions, count, 0.42, 0.5, 0.08)


@composed
def hamming(M: int) -> Array:  # noqa: N803 - NumPy's name
    r"""Return the Hamming window :math:`0.54 + 0.46 \cos \theta_n`, with :math:`\theta_n` as in :func:`blackman`.

    Parameters
    ----------
    M
        Number of points. Below 1 the window is empty.

    Returns
    -------
    Array
        Array of shape ``(M,)`` of the default device and its default floating-point dtype.

    Raises
    ------
    TypeError
        If ``M`` is not an integer.

    Notes
    -----
    NumPy, ``hamming``.
    """
    count, positions = _positions("hamming", M)
    return _cosines(positions, count, 0.54, 0.46)


@composed
def hanning(M: int) -> Array:  # noqa: N803 - NumPy's name
    r"""Return the Hann window :math:`0.5 + 0.5 \cos \theta_n`, with :math:`\theta_n` as in :func:`blackman`.

    Parameters
    ----------
    M
        Number of points. Below 1 the window is empty.

    Returns
    -------
    Array
        Array of shape ``(M,)`` of the default device and its default floating-point dtype.

    Raises
    ------
    TypeError
        If ``M`` is not an integer.

    Notes
    -----
    NumPy, ``hanning``.
    """
    count, positions = _positions("hanning", M)
    return _cosines(positions, count, 0.5, 0.5)


@composed
def kaiser(M: int, beta: float) -> Array:  # noqa: N803 - NumPy's name
    r"""Return the Kaiser window :math:`I_0(\beta \sqrt{1 - r_n^2}) / I_0(\beta)`.

    :math:`r_n = (2n - (M - 1)) / (M - 1)` for ``n`` from 0 to ``M - 1``.

    Parameters
    ----------
    M
        Number of points. Below 1 the window is empty.
    beta
        Shape of the window: 0 is a rectangle.

    Returns
    -------
    Array
        Array of shape ``(M,)`` of the default device and its default floating-point dtype.

    Raises
    ------
    TypeError
        If ``M`` is not an integer, or ``beta`` is no real number.

    Notes
    -----
    NumPy, ``kaiser``.
    """
    count, positions = _positions("kaiser", M)
    if isinstance(beta, bool) or not hasattr(beta, "__float__") or (hasattr(beta, "shape") and beta.shape != ()):
        raise TypeError(f"kaiser(): beta is a real number, not {describe(beta)}")
    scale = xp.full_like(positions, float(beta))
    if count == 1:
        return xp.ones_like(positions)
    ratio = positions / (count - 1)
    return i0(scale * xp.sqrt((1 - ratio) * (1 + ratio))) / i0(scale)
