"""Fourier transforms along one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from .._core.array import Array
from .._core.backend import Native
from .._core.checks import check_axis, check_integer
from .._core.keywords import by_position, keywords_only
from .._core.large_calls import apply_reduction
from .._core.operations import Operation, declare
from .._ops._composing import along
from ._checks import HALF_SPECTRUM_INPUT, Norm, check_length, check_transform, without_empty_axes

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["fft", "hfft", "ifft", "ihfft", "irfft", "rfft"]


FFT = declare("fft.fft", "fourier", accepts="floating", dtype="complex", shape="argument", numpy="fft.fft")


@keywords_only
def fft(x: AnyArray, /, *positional: Never, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""Return the Fourier transform :math:`X_k = \sum_{m=0}^{n-1} x_m\, e^{-2 \pi i k m / n}` along an axis.

    Parameters
    ----------
    x
        Array of one or more dimensions and a complex floating-point dtype.
    n
        The length of the transform. A longer axis is truncated, a shorter one padded with zeros. By default the
        length of the axis.
    axis
        The axis to transform.
    norm
        ``"backward"`` does not scale the sum, ``"ortho"`` divides it by :math:`\sqrt n`, ``"forward"`` by :math:`n`.

    Returns
    -------
    Array
        The transform, of the dtype of ``x`` and length ``n`` along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1, the axis is empty and ``n`` is not given, or ``norm`` is
        unknown.
    TypeError
        If ``x`` has a boolean dtype, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    :func:`ifft` with the same arguments is the inverse.

    Standard 2025.12, Fourier Transform Extension, ``fft``.
    """
    if positional:
        raise by_position(fft, positional)
    return _transform(FFT, x, n, axis, norm)


REVERSED_NORM = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
"""The normalisation of a transform by which the conjugate's inverse is computed."""


def _compose_ifft(xp: Any, x: Native, *, n: int, axis: int, norm: str) -> Native:
    return xp.conj(xp.fft.fft(xp.conj(x), n=n, axis=axis, norm=REVERSED_NORM[norm]))


IFFT = declare(
    "fft.ifft",
    "fourier",
    accepts="floating",
    dtype="complex",
    shape="argument",
    numpy="fft.ifft",
    composition=_compose_ifft,
)


@keywords_only
def ifft(x: AnyArray, /, *positional: Never, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""Return the inverse of :func:`fft.fft`, :math:`x_m = \frac{1}{n} \sum_{k=0}^{n-1} X_k\, e^{2 \pi i k m / n}`.

    Parameters
    ----------
    x
        Array of one or more dimensions and a complex floating-point dtype.
    n
        The length of the transform. A longer axis is truncated, a shorter one padded with zeros. By default the
        length of the axis.
    axis
        The axis to transform.
    norm
        ``"backward"`` divides the sum by :math:`n`, ``"ortho"`` by :math:`\sqrt n`, ``"forward"`` does not scale it.

    Returns
    -------
    Array
        The transform, of the dtype of ``x`` and length ``n`` along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1, the axis is empty and ``n`` is not given, or ``norm`` is
        unknown.
    TypeError
        If ``x`` has a boolean dtype, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    Standard 2025.12, Fourier Transform Extension, ``ifft``.
    """
    if positional:
        raise by_position(ifft, positional)
    return _transform(IFFT, x, n, axis, norm)


def _compose_rfft(xp: Any, x: Native, *, n: int, axis: int, norm: str) -> Native:
    return xp.fft.fft(x, n=n, axis=axis, norm=norm)[along(axis, slice(None, n // 2 + 1))]


RFFT = declare(
    "fft.rfft",
    "fourier",
    accepts="real floating",
    dtype="complex",
    shape="argument",
    numpy="fft.rfft",
    composition=_compose_rfft,
)


@keywords_only
def rfft(x: AnyArray, /, *positional: Never, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""Return the first :math:`\lfloor n / 2 \rfloor + 1` elements of the :func:`fft.fft` of real numbers.

    The other elements are their conjugates, :math:`X_{n-k} = \overline{X_k}`.

    Parameters
    ----------
    x
        Array of one or more dimensions and a real floating-point dtype.
    n
        The length of the transform. A longer axis is truncated, a shorter one padded with zeros. By default the
        length of the axis.
    axis
        The axis to transform.
    norm
        ``"backward"`` does not scale the sum, ``"ortho"`` divides it by :math:`\sqrt n`, ``"forward"`` by :math:`n`.

    Returns
    -------
    Array
        The half spectrum, complex in the precision of ``x``, of length ``n // 2 + 1`` along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1, the axis is empty and ``n`` is not given, or ``norm`` is
        unknown.
    TypeError
        If ``x`` has a boolean or complex dtype, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    :func:`irfft` with the same arguments is the inverse; an odd ``n`` must be given to it.

    Standard 2025.12, Fourier Transform Extension, ``rfft``.
    """
    if positional:
        raise by_position(rfft, positional)
    return _transform(RFFT, x, n, axis, norm)


def _compose_irfft(xp: Any, x: Native, *, n: int, axis: int, norm: str) -> Native:
    """By the whole spectrum, whose second half holds the conjugates of the first."""
    half = n // 2 + 1
    x = x[along(axis, slice(None, half))]
    missing = half - x.shape[axis]
    if missing:
        shape = tuple(missing if position == axis else length for position, length in enumerate(x.shape))
        x = xp.concat([x, xp.zeros(shape, dtype=x.dtype)], axis=axis)
    mirrored = xp.conj(xp.flip(x[along(axis, slice(1, (n + 1) // 2))], axis=(axis,)))
    return xp.real(xp.fft.ifft(xp.concat([x, mirrored], axis=axis), n=n, axis=axis, norm=norm))


IRFFT = declare(
    "fft.irfft",
    "fourier",
    accepts="floating",
    dtype="component",
    shape="argument",
    numpy="fft.irfft",
    composition=_compose_irfft,
)


@keywords_only
def irfft(x: AnyArray, /, *positional: Never, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""Return the inverse of :func:`rfft`: real numbers from the first half of their spectrum.

    Parameters
    ----------
    x
        Array of one or more dimensions and a complex floating-point dtype.
    n
        The length of the result. The transform uses ``n // 2 + 1`` elements: a longer axis is truncated, a shorter
        one padded with zeros. By default ``2 * (M - 1)`` for an axis of length ``M``; an odd length must be given.
    axis
        The axis to transform.
    norm
        ``"backward"`` divides the sum by :math:`n`, ``"ortho"`` by :math:`\sqrt n`, ``"forward"`` does not scale it.

    Returns
    -------
    Array
        The transform, real in the precision of ``x``, of length ``n`` along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1, the axis is shorter than 2 and ``n`` is not given, or ``norm``
        is unknown.
    TypeError
        If ``x`` has a boolean dtype, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    Standard 2025.12, Fourier Transform Extension, ``irfft``.
    """
    if positional:
        raise by_position(irfft, positional)
    return _transform(IRFFT, x, n, axis, norm)


def _compose_hfft(xp: Any, x: Native, *, n: int, axis: int, norm: str) -> Native:
    return xp.fft.irfft(xp.conj(x), n=n, axis=axis, norm=REVERSED_NORM[norm])


HFFT = declare(
    "fft.hfft",
    "fourier",
    accepts="floating",
    dtype="component",
    shape="argument",
    numpy="fft.hfft",
    composition=_compose_hfft,
)


@keywords_only
def hfft(x: AnyArray, /, *positional: Never, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""Return the :func:`fft.fft` of a Hermitian signal, :math:`x_{n-m} = \overline{x_m}`, from its first half.

    Parameters
    ----------
    x
        Array of one or more dimensions and a complex floating-point dtype.
    n
        The length of the result. The transform uses ``n // 2 + 1`` elements: a longer axis is truncated, a shorter
        one padded with zeros. By default ``2 * (M - 1)`` for an axis of length ``M``; an odd length must be given.
    axis
        The axis to transform.
    norm
        ``"backward"`` does not scale the sum, ``"ortho"`` divides it by :math:`\sqrt n`, ``"forward"`` by :math:`n`.

    Returns
    -------
    Array
        The spectrum, real in the precision of ``x``, of length ``n`` along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1, the axis is shorter than 2 and ``n`` is not given, or ``norm``
        is unknown.
    TypeError
        If ``x`` has a boolean dtype, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    :func:`ihfft` with the same arguments is the inverse.

    Standard 2025.12, Fourier Transform Extension, ``hfft``.
    """
    if positional:
        raise by_position(hfft, positional)
    return _transform(HFFT, x, n, axis, norm)


def _compose_ihfft(xp: Any, x: Native, *, n: int, axis: int, norm: str) -> Native:
    return xp.conj(xp.fft.rfft(x, n=n, axis=axis, norm=REVERSED_NORM[norm]))


IHFFT = declare(
    "fft.ihfft",
    "fourier",
    accepts="real floating",
    dtype="complex",
    shape="argument",
    numpy="fft.ihfft",
    composition=_compose_ihfft,
)


@keywords_only
def ihfft(x: AnyArray, /, *positional: Never, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""Return the inverse of :func:`hfft`: the first half of the Hermitian signal whose real spectrum is ``x``.

    Parameters
    ----------
    x
        Array of one or more dimensions and a real floating-point dtype.
    n
        The length of the transform. A longer axis is truncated, a shorter one padded with zeros. By default the
        length of the axis.
    axis
        The axis to transform.
    norm
        ``"backward"`` divides the sum by :math:`n`, ``"ortho"`` by :math:`\sqrt n`, ``"forward"`` does not scale it.

    Returns
    -------
    Array
        The half signal, complex in the precision of ``x``, of length ``n // 2 + 1`` along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1, the axis is empty and ``n`` is not given, or ``norm`` is
        unknown.
    TypeError
        If ``x`` has a boolean or complex dtype, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    Standard 2025.12, Fourier Transform Extension, ``ihfft``.
    """
    if positional:
        raise by_position(ihfft, positional)
    return _transform(IHFFT, x, n, axis, norm)


def _transform(operation: Operation, x: AnyArray, n: int | None, axis: int, norm: Norm) -> Array:
    """Return a transform along one axis, with its length made explicit."""
    name = operation.label
    x, device, norm = check_transform(x, name, norm)
    axis = check_axis(axis, x.ndim, name)
    requested = None if n is None else check_integer(n, name, "n")
    n = check_length(requested, x.shape[axis], name, "n", half=name in HALF_SPECTRUM_INPUT)
    return apply_reduction(operation, device, without_empty_axes(x, (axis,)), n=n, axis=axis, norm=norm)
