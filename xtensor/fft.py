"""Discrete Fourier transforms (Array API standard 2025.12, "Fourier Transform Extension")."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal, TypeAlias

from . import _composed
from ._core.array import ASTYPE, Array, apply
from ._core.checks import check_axis, check_dtype, check_integer
from ._core.device import Device, resolve
from ._core.dispatch import call, device_of
from ._core.errors import describe
from ._core.operations import Operation, declare

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]

Norm: TypeAlias = Literal["backward", "ortho", "forward"]

OF_REAL_INPUT: dict[str, str] = {"ihfft": "ifft", "rfft": "fft", "rfftn": "fftn"}
"""Transforms of real numbers, each with the one that takes complex numbers."""

OF_HALF_SPECTRUM = frozenset(("hfft", "irfft", "irfftn"))
"""Transforms whose last axis holds the first half of Hermitian data, ``n // 2 + 1`` elements of ``n``."""


def __dir__() -> list[str]:
    return sorted(__all__)


FFT = declare("fft.fft", "fourier", accepts="floating", dtype="complex", shape="argument", numpy="fft.fft")


def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""The Fourier transform :math:`X_k = \sum_{m=0}^{n-1} x_m\, e^{-2 \pi i k m / n}` along an axis.

    Parameters
    ----------
    x
        Array of one or more dimensions, of a complex floating-point dtype.
    n
        The transform's length: a longer axis is cut, a shorter one padded with zeros. By default the axis'
        own.
    axis
        The axis to transform.
    norm
        ``"backward"`` leaves the sum as it is, ``"ortho"`` divides by :math:`\sqrt n`, ``"forward"`` by
        :math:`n`.

    Returns
    -------
    Array
        The transform, of the dtype of ``x``, ``n`` long along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1, the axis is empty and no ``n`` given, or ``norm`` is
        unknown.
    TypeError
        If ``x`` holds booleans, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    :func:`ifft` with the same arguments is its inverse.

    Standard 2025.12, Fourier Transform Extension, ``fft``.
    """
    return _along_axis(FFT, x, n, axis, norm)


IFFT = declare(
    "fft.ifft",
    "fourier",
    accepts="floating",
    dtype="complex",
    shape="argument",
    numpy="fft.ifft",
    composition=_composed.fourier.ifft,
)


def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""The inverse of :func:`fft`: :math:`x_m = \frac{1}{n} \sum_{k=0}^{n-1} X_k\, e^{2 \pi i k m / n}`.

    Parameters
    ----------
    x
        Array of one or more dimensions, of a complex floating-point dtype.
    n
        The transform's length: a longer axis is cut, a shorter one padded with zeros. By default the axis'
        own.
    axis
        The axis to transform.
    norm
        ``"backward"`` divides the sum by :math:`n`, ``"ortho"`` by :math:`\sqrt n`, ``"forward"`` leaves it.

    Returns
    -------
    Array
        The transform, of the dtype of ``x``, ``n`` long along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1, the axis is empty and no ``n`` given, or ``norm`` is
        unknown.
    TypeError
        If ``x`` holds booleans, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    Standard 2025.12, Fourier Transform Extension, ``ifft``.
    """
    return _along_axis(IFFT, x, n, axis, norm)


FFTN = declare(
    "fft.fftn",
    "fourier",
    accepts="floating",
    dtype="complex",
    shape="argument",
    numpy="fft.fftn",
    composition=_composed.fourier.fftn,
)


def fftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    r"""The Fourier transform over several axes: :func:`fft` along each of them.

    Parameters
    ----------
    x
        Array of a complex floating-point dtype.
    s
        The transform's length along each of ``axes``, as ``n`` of :func:`fft`; -1 keeps the axis' own. By
        default all keep theirs.
    axes
        The axes to transform; by default all of them. May not be left out where ``s`` is given.
    norm
        ``"backward"`` leaves the sum as it is, ``"ortho"`` divides by :math:`\sqrt n`, ``"forward"`` by
        :math:`n`, the product of all lengths.

    Returns
    -------
    Array
        The transform, of the dtype of ``x`` and of the lengths ``s`` along ``axes``.

    Raises
    ------
    ValueError
        If an axis is out of bounds, ``s`` and ``axes`` are not equally many, a length is below 1, an axis
        without a length is empty, or ``norm`` is unknown.
    TypeError
        If ``x`` holds booleans, or ``s`` or ``axes`` is not a sequence of integers.

    Notes
    -----
    :func:`ifftn` with the same arguments is its inverse.

    Standard 2025.12, Fourier Transform Extension, ``fftn``.
    """
    return _along_axes(FFTN, x, s, axes, norm)


IFFTN = declare(
    "fft.ifftn",
    "fourier",
    accepts="floating",
    dtype="complex",
    shape="argument",
    numpy="fft.ifftn",
    composition=_composed.fourier.ifftn,
)


def ifftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    r"""The inverse of :func:`fftn`: :func:`ifft` along each of several axes.

    Parameters
    ----------
    x
        Array of a complex floating-point dtype.
    s
        The transform's length along each of ``axes``, as ``n`` of :func:`ifft`; -1 keeps the axis' own. By
        default all keep theirs.
    axes
        The axes to transform; by default all of them. May not be left out where ``s`` is given.
    norm
        ``"backward"`` divides the sum by :math:`n`, the product of all lengths, ``"ortho"`` by
        :math:`\sqrt n`, ``"forward"`` leaves it.

    Returns
    -------
    Array
        The transform, of the dtype of ``x`` and of the lengths ``s`` along ``axes``.

    Raises
    ------
    ValueError
        If an axis is out of bounds, ``s`` and ``axes`` are not equally many, a length is below 1, an axis
        without a length is empty, or ``norm`` is unknown.
    TypeError
        If ``x`` holds booleans, or ``s`` or ``axes`` is not a sequence of integers.

    Notes
    -----
    Standard 2025.12, Fourier Transform Extension, ``ifftn``.
    """
    return _along_axes(IFFTN, x, s, axes, norm)


RFFT = declare(
    "fft.rfft",
    "fourier",
    accepts="real floating",
    dtype="complex",
    shape="argument",
    numpy="fft.rfft",
    composition=_composed.fourier.rfft,
)


def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""The transform :func:`fft` of real numbers, its first :math:`\lfloor n / 2 \rfloor + 1` elements.

    The others are their conjugates, :math:`X_{n-k} = \overline{X_k}`.

    Parameters
    ----------
    x
        Array of one or more dimensions, of a real floating-point dtype.
    n
        The transform's length: a longer axis is cut, a shorter one padded with zeros. By default the axis'
        own.
    axis
        The axis to transform.
    norm
        ``"backward"`` leaves the sum as it is, ``"ortho"`` divides by :math:`\sqrt n`, ``"forward"`` by
        :math:`n`.

    Returns
    -------
    Array
        The half spectrum, complex in the precision of ``x``, ``n // 2 + 1`` long along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1, the axis is empty and no ``n`` given, or ``norm`` is
        unknown.
    TypeError
        If ``x`` holds booleans or complex numbers, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    :func:`irfft` with the same arguments is its inverse, given ``n`` where that is odd.

    Standard 2025.12, Fourier Transform Extension, ``rfft``.
    """
    return _along_axis(RFFT, x, n, axis, norm)


IRFFT = declare(
    "fft.irfft",
    "fourier",
    accepts="floating",
    dtype="component",
    shape="argument",
    numpy="fft.irfft",
    composition=_composed.fourier.irfft,
)


def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""The inverse of :func:`rfft`: the real numbers of which ``x`` is the first half of the spectrum.

    Parameters
    ----------
    x
        Array of one or more dimensions, of a complex floating-point dtype.
    n
        The length of the result: ``n // 2 + 1`` elements of the axis are used, cut or padded with zeros where
        it has more or fewer. By default ``2 * (M - 1)`` for an axis of length ``M``; an odd length must be
        given.
    axis
        The axis to transform.
    norm
        ``"backward"`` divides the sum by :math:`n`, ``"ortho"`` by :math:`\sqrt n`, ``"forward"`` leaves it.

    Returns
    -------
    Array
        The transform, real in the precision of ``x``, ``n`` long along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1 or, for an axis shorter than 2, not given, or ``norm``
        is unknown.
    TypeError
        If ``x`` holds booleans, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    Standard 2025.12, Fourier Transform Extension, ``irfft``.
    """
    return _along_axis(IRFFT, x, n, axis, norm)


RFFTN = declare(
    "fft.rfftn",
    "fourier",
    accepts="real floating",
    dtype="complex",
    shape="argument",
    numpy="fft.rfftn",
    composition=_composed.fourier.rfftn,
)


def rfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    r"""The transform of real numbers: :func:`rfft` along the last axis, then :func:`fft` along the others.

    Parameters
    ----------
    x
        Array of one or more dimensions, of a real floating-point dtype.
    s
        The transform's length along each of ``axes``, as ``n`` of :func:`fft`; -1 keeps the axis' own. By
        default all keep theirs.
    axes
        The axes to transform, at least one; by default all of them. May not be left out where ``s`` is given.
    norm
        ``"backward"`` leaves the sum as it is, ``"ortho"`` divides by :math:`\sqrt n`, ``"forward"`` by
        :math:`n`, the product of all lengths.

    Returns
    -------
    Array
        The half spectrum, complex in the precision of ``x``: ``s[-1] // 2 + 1`` long along the last of
        ``axes``, of the lengths ``s`` along the others.

    Raises
    ------
    ValueError
        If there is no axis or one is out of bounds, ``s`` and ``axes`` are not equally many, a length is
        below 1, an axis without a length is empty, or ``norm`` is unknown.
    TypeError
        If ``x`` holds booleans or complex numbers, or ``s`` or ``axes`` is not a sequence of integers.

    Notes
    -----
    :func:`irfftn` with the same arguments is its inverse, given ``s`` where its last length is odd.

    Standard 2025.12, Fourier Transform Extension, ``rfftn``.
    """
    return _along_axes(RFFTN, x, s, axes, norm)


IRFFTN = declare(
    "fft.irfftn",
    "fourier",
    accepts="floating",
    dtype="component",
    shape="argument",
    numpy="fft.irfftn",
    composition=_composed.fourier.irfftn,
)


def irfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    r"""The inverse of :func:`rfftn`: :func:`ifft` along all axes but the last, :func:`irfft` along that.

    Parameters
    ----------
    x
        Array of one or more dimensions, of a complex floating-point dtype.
    s
        The length of the result along each of ``axes``, as ``n`` of :func:`ifft` and, for the last one,
        :func:`irfft`; -1 uses all elements of the axis. By default -1 for each.
    axes
        The axes to transform, at least one; by default all of them. May not be left out where ``s`` is given.
    norm
        ``"backward"`` divides the sum by :math:`n`, the product of all lengths, ``"ortho"`` by
        :math:`\sqrt n`, ``"forward"`` leaves it.

    Returns
    -------
    Array
        The transform, real in the precision of ``x`` and of the lengths ``s`` along ``axes``.

    Raises
    ------
    ValueError
        If there is no axis or one is out of bounds, ``s`` and ``axes`` are not equally many, a length is
        below 1, an axis without a length is empty or, as the last one, shorter than 2, or ``norm`` is
        unknown.
    TypeError
        If ``x`` holds booleans, or ``s`` or ``axes`` is not a sequence of integers.

    Notes
    -----
    Along the last axis, ``M`` elements make ``2 * (M - 1)``; an odd length must be given in ``s``.

    Standard 2025.12, Fourier Transform Extension, ``irfftn``.
    """
    return _along_axes(IRFFTN, x, s, axes, norm)


HFFT = declare(
    "fft.hfft",
    "fourier",
    accepts="floating",
    dtype="component",
    shape="argument",
    numpy="fft.hfft",
    composition=_composed.fourier.hfft,
)


def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""The :func:`fft` of a Hermitian signal, :math:`x_{n-m} = \overline{x_m}`, from its first half.

    Parameters
    ----------
    x
        Array of one or more dimensions, of a complex floating-point dtype.
    n
        The length of the result: ``n // 2 + 1`` elements of the axis are used, cut or padded with zeros where
        it has more or fewer. By default ``2 * (M - 1)`` for an axis of length ``M``; an odd length must be
        given.
    axis
        The axis to transform.
    norm
        ``"backward"`` leaves the sum as it is, ``"ortho"`` divides by :math:`\sqrt n`, ``"forward"`` by
        :math:`n`.

    Returns
    -------
    Array
        The spectrum, real in the precision of ``x``, ``n`` long along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1 or, for an axis shorter than 2, not given, or ``norm``
        is unknown.
    TypeError
        If ``x`` holds booleans, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    :func:`ihfft` with the same arguments is its inverse.

    Standard 2025.12, Fourier Transform Extension, ``hfft``.
    """
    return _along_axis(HFFT, x, n, axis, norm)


IHFFT = declare(
    "fft.ihfft",
    "fourier",
    accepts="real floating",
    dtype="complex",
    shape="argument",
    numpy="fft.ihfft",
    composition=_composed.fourier.ihfft,
)


def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    r"""The inverse of :func:`hfft`: the first half of the Hermitian signal that has the real spectrum ``x``.

    Parameters
    ----------
    x
        Array of one or more dimensions, of a real floating-point dtype.
    n
        The transform's length: a longer axis is cut, a shorter one padded with zeros. By default the axis'
        own.
    axis
        The axis to transform.
    norm
        ``"backward"`` divides the sum by :math:`n`, ``"ortho"`` by :math:`\sqrt n`, ``"forward"`` leaves it.

    Returns
    -------
    Array
        The half signal, complex in the precision of ``x``, ``n // 2 + 1`` long along ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, ``n`` is below 1, the axis is empty and no ``n`` given, or ``norm`` is
        unknown.
    TypeError
        If ``x`` holds booleans or complex numbers, or ``n`` or ``axis`` is not an integer.

    Notes
    -----
    Standard 2025.12, Fourier Transform Extension, ``ihfft``.
    """
    return _along_axis(IHFFT, x, n, axis, norm)


FFTFREQ = declare(
    "fft.fftfreq",
    "creation",
    operands=0,
    accepts="real floating",
    dtype="argument",
    shape="argument",
    numpy="fft.fftfreq",
    composition=_composed.fourier.fftfreq,
)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Device | str | None = None) -> Array:
    r"""The frequencies :math:`k / (n d)` of the elements of :func:`fft`: 0, positive, negative.

    :math:`k` is 0, 1, …, :math:`\lceil n/2 \rceil - 1`, then :math:`-\lfloor n/2 \rfloor`, …, -1.

    Parameters
    ----------
    n
        The transform's length.
    d
        The distance between samples; frequencies are cycles per its unit.
    dtype
        A real floating-point dtype; by default the device's default one.
    device
        The device of the result; by default the default one.

    Returns
    -------
    Array
        The frequencies, of shape ``(n,)``.

    Raises
    ------
    ValueError
        If ``n`` is below 1, ``d`` is 0, or there is no such device.
    TypeError
        If ``n`` is not an integer, ``d`` not a real number, or ``dtype`` not real floating-point.

    Notes
    -----
    For an even ``n``, the Nyquist frequency is the negative one.

    Standard 2025.12, Fourier Transform Extension, ``fftfreq``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.fft.fftfreq(4, d=0.5)
    Array([ 0. ,  0.5, -1. , -0.5])
    """
    return _frequencies(FFTFREQ, n, d, dtype, resolve(device))


RFFTFREQ = declare(
    "fft.rfftfreq",
    "creation",
    operands=0,
    accepts="real floating",
    dtype="argument",
    shape="argument",
    numpy="fft.rfftfreq",
    composition=_composed.fourier.rfftfreq,
)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Device | str | None = None) -> Array:
    r"""The frequencies :math:`k / (n d)` of the elements of :func:`rfft`.

    :math:`k` is 0, 1, …, :math:`\lfloor n/2 \rfloor`.

    Parameters
    ----------
    n
        The transform's length.
    d
        The distance between samples; frequencies are cycles per its unit.
    dtype
        A real floating-point dtype; by default the device's default one.
    device
        The device of the result; by default the default one.

    Returns
    -------
    Array
        The frequencies, of shape ``(n // 2 + 1,)``.

    Raises
    ------
    ValueError
        If ``n`` is below 1, ``d`` is 0, or there is no such device.
    TypeError
        If ``n`` is not an integer, ``d`` not a real number, or ``dtype`` not real floating-point.

    Notes
    -----
    For an even ``n``, the Nyquist frequency is positive, unlike in :func:`fftfreq`.

    Standard 2025.12, Fourier Transform Extension, ``rfftfreq``.
    """
    return _frequencies(RFFTFREQ, n, d, dtype, resolve(device))


FFTSHIFT = declare(
    "fft.fftshift", "manipulation", shape="same", numpy="fft.fftshift", composition=_composed.manipulation.fftshift
)


def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    r"""Frequency 0 moved to the middle of each axis: from index 0 to :math:`\lfloor M/2 \rfloor`.

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
    return _shifted(FFTSHIFT, x, axes)


IFFTSHIFT = declare(
    "fft.ifftshift", "manipulation", shape="same", numpy="fft.ifftshift", composition=_composed.manipulation.ifftshift
)


def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    r"""The inverse of :func:`fftshift`: index :math:`\lfloor M/2 \rfloor` of each axis moves to its start.

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
    The two differ by one place along axes of odd length.

    Standard 2025.12, Fourier Transform Extension, ``ifftshift``.
    """
    return _shifted(IFFTSHIFT, x, axes)


def _along_axis(operation: Operation, x: Array, n: int | None, axis: int, norm: str) -> Array:
    """A transform along one axis."""
    name = operation.label
    device = _checked(x, name, norm)
    axis = check_axis(axis, x.ndim, name)
    asked = None if n is None else check_integer(n, name, "n")
    n = _size(asked, x.shape[axis], name, "n", half=name in OF_HALF_SPECTRUM)
    return apply(operation, device, x._native, n=n, axis=axis, norm=norm)


def _along_axes(
    operation: Operation, x: Array, s: Sequence[int] | None, axes: Sequence[int] | None, norm: str
) -> Array:
    """A transform over several axes, all lengths made explicit."""
    name = operation.label
    device = _checked(x, name, norm)
    if axes is None:
        if s is not None:
            raise ValueError(f"{name}(): s={s!r} needs the axes that it holds the lengths of; give axes, too")
        axes = range(x.ndim)
    axes = _axes(axes, x.ndim, name)
    if not axes and (name in OF_REAL_INPUT or name in OF_HALF_SPECTRUM):
        raise ValueError(f"{name}() needs at least one axis, not an array of shape {x.shape} and axes {axes}")
    if s is not None and not _is_sequence(s):
        raise TypeError(f"{name}(): s is a sequence of integers, not {describe(s)}")
    asked = [-1] * len(axes) if s is None else [check_integer(size, name, "each length in s") for size in s]
    if len(asked) != len(axes):
        raise ValueError(f"{name}(): s={s!r} and axes {axes} are not equally many; give each axis a length")
    shape = x.shape
    last = len(axes) - 1 if name in OF_HALF_SPECTRUM else None
    sizes = tuple(
        [
            size if size > 0 else _size(None if size == -1 else size, shape[axis], name, "s", half=position == last)
            for position, (size, axis) in enumerate(zip(asked, axes, strict=True))
        ]
    )
    return apply(operation, device, x._native, s=sizes, axes=axes, norm=norm)


def _checked(x: Array, name: str, norm: str) -> Device:
    """The device of a transform's argument, its dtype and the norm checked."""
    device = device_of(x, name)
    kind = x.dtype.kind
    if kind == "b":
        raise TypeError(f"{name}() takes numbers, not dtype {x.dtype}; cast with xtensor.astype")
    if kind == "c" and name in OF_REAL_INPUT:
        raise TypeError(
            f"{name}() takes real numbers, not dtype {x.dtype}; use xtensor.fft.{OF_REAL_INPUT[name]}, "
            "or take xtensor.real(x) first"
        )
    if not isinstance(norm, str) or norm not in ("backward", "ortho", "forward"):
        raise ValueError(f"{name}(): norm is 'backward', 'ortho' or 'forward', not {describe(norm)}")
    return device


def _size(asked: int | None, length: int, name: str, parameter: str, *, half: bool) -> int:
    """A transform's length along an axis; ``half`` where the axis holds the first half only."""
    if asked is None:
        asked = 2 * (length - 1) if half else length
        if asked < 1:
            raise ValueError(
                f"{name}() cannot transform an axis of length {length}, which makes a length of {asked}; "
                f"give a length of 1 or more as {parameter}"
            )
    if asked < 1:
        allowed = "1 or more, or -1 for the axis' own" if parameter == "s" else "1 or more"
        raise ValueError(f"{name}(): {parameter} asks for length {asked}; lengths are {allowed}")
    return asked


def _axes(axes: Any, ndim: int, name: str) -> tuple[int, ...]:
    """Axes in ``[0, ndim)``; one named twice is transformed twice, as in NumPy."""
    if not _is_sequence(axes):
        raise TypeError(f"{name}(): axes is a sequence of integers, not {describe(axes)}")
    return tuple([check_axis(axis, ndim, name) for axis in axes])


def _is_sequence(value: Any) -> bool:
    # The abstract class takes a microsecond to ask.
    return value.__class__ is tuple or value.__class__ is list or isinstance(value, Sequence)


def _frequencies(operation: Operation, n: int, d: float, dtype: Any, device: Device) -> Array:
    """The frequencies of a transform's elements, on a device."""
    name = operation.label
    n = _size(check_integer(n, name, "n"), 0, name, "n", half=False)
    if isinstance(d, bool) or not isinstance(d, Real):
        raise TypeError(f"{name}(): d is a real number, not {describe(d)}")
    if d == 0:
        raise ValueError(f"{name}(): d is the distance between samples, which cannot be {d}")
    found = device.default_dtypes["real floating"] if dtype is None else check_dtype(dtype, device, name)
    if found.kind in "biuc":
        raise TypeError(f"{name}(): dtype is a real floating-point one such as xtensor.float32, not {found}")
    native = call(operation, device, n, d=float(d))
    return apply(ASTYPE, device, native, found, copy=False)


def _shifted(operation: Operation, x: Array, axes: int | Sequence[int] | None) -> Array:
    """An array with its axes rolled by half their length."""
    name = operation.label
    device = device_of(x, name)
    if axes is None:
        axes = range(x.ndim)
    elif not isinstance(axes, Sequence):
        axes = (axes,)
    axes = _axes(axes, x.ndim, name)
    if not axes:  # what libraries make of a shift along no axis differs
        return apply(ASTYPE, device, x._native, x.dtype, copy=True)
    return apply(operation, device, x._native, axes=axes)
