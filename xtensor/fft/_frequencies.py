"""The frequencies of a spectrum, and the shift that orders a spectrum by frequency."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Never

from .._core.array import ASTYPE, Array
from .._core.backend import Native
from .._core.calls import apply, call
from .._core.checks import check_dtype, check_integer
from .._core.device import Device
from .._core.devices import resolve
from .._core.errors import describe
from .._core.keywords import by_position, keywords_only
from .._core.operands import array_argument
from .._core.operations import Operation, declare
from ._checks import check_axis_sequence, check_length

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def _compose_fftfreq(xp: Any, n: int, *, d: float) -> Native:
    positive = xp.arange(0, (n + 1) // 2, 1, dtype=xp.default_integer)
    negative = xp.arange(-(n // 2), 0, 1, dtype=xp.default_integer)
    index = xp.astype(xp.concat([positive, negative], axis=0), xp.default_float)
    return xp.divide(index, n * d)


FFTFREQ = declare(
    "fft.fftfreq",
    "creation",
    operands=0,
    accepts="real floating",
    dtype="argument",
    shape="argument",
    numpy="fft.fftfreq",
    composition=_compose_fftfreq,
)


@keywords_only
def fftfreq(
    n: int, /, *positional: Never, d: float = 1.0, dtype: DTypeLike | None = None, device: Device | str | None = None
) -> Array:
    r"""Return the frequencies :math:`k / (n d)` of the elements of :func:`fft.fft`: 0, positive, then negative ones.

    :math:`k` is 0, 1, …, :math:`\lceil n/2 \rceil - 1`, then :math:`-\lfloor n/2 \rfloor`, …, -1.

    Parameters
    ----------
    n
        The length of the transform.
    d
        The distance between samples. The frequencies are in cycles per unit of ``d``.
    dtype
        A real floating-point dtype; by default the device's default one.
    device
        The device of the result; by default the default device.

    Returns
    -------
    Array
        The frequencies, of shape ``(n,)``.

    Raises
    ------
    ValueError
        If ``n`` is below 1, ``d`` is 0, or there is no such device.
    TypeError
        If ``n`` is not an integer, ``d`` is not a real number, or ``dtype`` is not a real floating-point dtype.

    Notes
    -----
    For an even ``n``, the Nyquist frequency is negative.

    Standard 2025.12, Fourier Transform Extension, ``fftfreq``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.fft.fftfreq(4, d=0.5)
    Array([ 0. ,  0.5, -1. , -0.5])
    """
    if positional:
        raise by_position(fftfreq, positional)
    return _frequencies(FFTFREQ, n, d, dtype, resolve(device))


def _compose_rfftfreq(xp: Any, n: int, *, d: float) -> Native:
    index = xp.arange(0, n // 2 + 1, 1, dtype=xp.default_integer)
    return xp.divide(xp.astype(index, xp.default_float), n * d)


RFFTFREQ = declare(
    "fft.rfftfreq",
    "creation",
    operands=0,
    accepts="real floating",
    dtype="argument",
    shape="argument",
    numpy="fft.rfftfreq",
    composition=_compose_rfftfreq,
)


@keywords_only
def rfftfreq(
    n: int, /, *positional: Never, d: float = 1.0, dtype: DTypeLike | None = None, device: Device | str | None = None
) -> Array:
    r"""Return the frequencies :math:`k / (n d)` of the elements of :func:`rfft`.

    :math:`k` is 0, 1, …, :math:`\lfloor n/2 \rfloor`.

    Parameters
    ----------
    n
        The length of the transform.
    d
        The distance between samples. The frequencies are in cycles per unit of ``d``.
    dtype
        A real floating-point dtype; by default the device's default one.
    device
        The device of the result; by default the default device.

    Returns
    -------
    Array
        The frequencies, of shape ``(n // 2 + 1,)``.

    Raises
    ------
    ValueError
        If ``n`` is below 1, ``d`` is 0, or there is no such device.
    TypeError
        If ``n`` is not an integer, ``d`` is not a real number, or ``dtype`` is not a real floating-point dtype.

    Notes
    -----
    For an even ``n``, the Nyquist frequency is positive, unlike in :func:`fftfreq`.

    Standard 2025.12, Fourier Transform Extension, ``rfftfreq``.
    """
    if positional:
        raise by_position(rfftfreq, positional)
    return _frequencies(RFFTFREQ, n, d, dtype, resolve(device))


def _compose_fftshift(xp: Any, x: Native, *, axes: tuple[int, ...]) -> Native:
    return xp.roll(x, tuple(x.shape[axis] // 2 for axis in axes), axis=axes)


FFTSHIFT = declare("fft.fftshift", "manipulation", shape="same", numpy="fft.fftshift", composition=_compose_fftshift)


@keywords_only
def fftshift(x: AnyArray, /, *positional: Never, axes: int | Sequence[int] | None = None) -> Array:
    r"""Return a spectrum with frequency 0 in the middle: moved from index 0 to :math:`\lfloor M/2 \rfloor`.

    Parameters
    ----------
    x
        Array of a floating-point dtype.
    axes
        The axis or axes to shift; None shifts all of them.

    Returns
    -------
    Array
        The shifted array, of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If an axis is out of bounds.

    Notes
    -----
    Standard 2025.12, Fourier Transform Extension, ``fftshift``.
    """
    if positional:
        raise by_position(fftshift, positional)
    return _shift(FFTSHIFT, x, axes)


def _compose_ifftshift(xp: Any, x: Native, *, axes: tuple[int, ...]) -> Native:
    return xp.roll(x, tuple(-(x.shape[axis] // 2) for axis in axes), axis=axes)


IFFTSHIFT = declare(
    "fft.ifftshift", "manipulation", shape="same", numpy="fft.ifftshift", composition=_compose_ifftshift
)


@keywords_only
def ifftshift(x: AnyArray, /, *positional: Never, axes: int | Sequence[int] | None = None) -> Array:
    r"""Return the inverse of :func:`fftshift`: index :math:`\lfloor M/2 \rfloor` of each axis moves to its start.

    Parameters
    ----------
    x
        Array of a floating-point dtype.
    axes
        The axis or axes to shift; None shifts all of them.

    Returns
    -------
    Array
        The shifted array, of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If an axis is out of bounds.

    Notes
    -----
    The two functions differ by one position along axes of odd length.

    Standard 2025.12, Fourier Transform Extension, ``ifftshift``.
    """
    if positional:
        raise by_position(ifftshift, positional)
    return _shift(IFFTSHIFT, x, axes)


def _frequencies(operation: Operation, n: int, d: float, dtype: Any, device: Device) -> Array:
    """Return the frequencies of a transform's elements on a device."""
    name = operation.label
    n = check_length(check_integer(n, name, "n"), 0, name, "n", half=False)
    if isinstance(d, bool) or not isinstance(d, Real):
        raise TypeError(f"{name}(): d is a real number, not {describe(d)}")
    if d == 0:
        raise ValueError(f"{name}(): d is the distance between samples, which cannot be {d}")
    result_dtype = device.default_dtypes["real floating"] if dtype is None else check_dtype(dtype, device, name)
    if result_dtype.kind in "biuc":
        raise TypeError(f"{name}(): dtype is a real floating-point one such as xtensor.float32, not {result_dtype}")
    native = call(operation, device, n, d=float(d))
    return apply(ASTYPE, device, native, result_dtype, copy=False)


def _shift(operation: Operation, x: AnyArray, axes: int | Sequence[int] | None) -> Array:
    """Return an array whose axes are rolled by half their length."""
    name = operation.label
    x = array_argument(x, name)
    device = x._device
    if axes is None:
        axes = range(x.ndim)
    elif not isinstance(axes, Sequence) and not getattr(axes, "ndim", 0):
        axes = (axes,)
    axes = check_axis_sequence(axes, x.ndim, name)
    if not axes:  # libraries disagree on the result of a shift along no axis
        return apply(ASTYPE, device, x._native, x.dtype, copy=True)
    return apply(operation, device, x._native, axes=axes)
