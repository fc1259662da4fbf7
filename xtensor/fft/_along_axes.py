"""Fourier transforms over several axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply
from .._core.checks import check_integer
from .._core.dtypes import result_type
from .._core.errors import describe, shortened
from .._core.keywords import by_position, keywords_only
from .._core.large_calls import apply_reduction
from .._core.operations import Operation, declare
from .._core.operations import operation as get_operation
from ._checks import (
    ASTYPE,
    COMPLEX_COUNTERPARTS,
    HALF_SPECTRUM_INPUT,
    Norm,
    check_axis_sequence,
    check_length,
    check_transform,
    is_sequence,
    without_empty_axes,
)

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["fftn", "ifftn", "irfftn", "rfftn"]


def _along_each(transform: Any, x: Native, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
    for n, axis in reversed(list(zip(s, axes, strict=True))):
        x = transform(x, n=n, axis=axis, norm=norm)
    return x


def _compose_fftn(xp: Any, x: Native, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
    return _along_each(xp.fft.fft, x, s, axes, norm)


FFTN = declare(
    "fft.fftn",
    "fourier",
    accepts="floating",
    dtype="complex",
    shape="argument",
    numpy="fft.fftn",
    composition=_compose_fftn,
)


@keywords_only
def fftn(
    x: AnyArray,
    /,
    *positional: Never,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    r"""Return the Fourier transform over several axes: :func:`fft.fft` along each of them.

    Parameters
    ----------
    x
        Array of a complex floating-point dtype.
    s
        The length of the transform along each of ``axes``, like ``n`` of :func:`fft.fft`; -1 selects the length of
        the axis. By default the lengths of the axes.
    axes
        The axes to transform; by default all of them. Required with ``s``.
    norm
        ``"backward"`` does not scale the sum, ``"ortho"`` divides it by :math:`\sqrt n`, ``"forward"`` by :math:`n`,
        where :math:`n` is the product of all lengths.

    Returns
    -------
    Array
        The transform, of the dtype of ``x`` and the lengths ``s`` along ``axes``.

    Raises
    ------
    ValueError
        If an axis is out of bounds, ``s`` and ``axes`` differ in length, a length is below 1, an axis without a given
        length is empty, or ``norm`` is unknown.
    TypeError
        If ``x`` has a boolean dtype, or ``s`` or ``axes`` is not a sequence of integers.

    Notes
    -----
    :func:`ifftn` with the same arguments is the inverse.

    Standard 2025.12, Fourier Transform Extension, ``fftn``.
    """
    if positional:
        raise by_position(fftn, positional)
    return _transform(FFTN, x, s, axes, norm)


def _compose_ifftn(xp: Any, x: Native, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
    return _along_each(xp.fft.ifft, x, s, axes, norm)


IFFTN = declare(
    "fft.ifftn",
    "fourier",
    accepts="floating",
    dtype="complex",
    shape="argument",
    numpy="fft.ifftn",
    composition=_compose_ifftn,
)


@keywords_only
def ifftn(
    x: AnyArray,
    /,
    *positional: Never,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    r"""Return the inverse of :func:`fftn`: :func:`ifft` along each of several axes.

    Parameters
    ----------
    x
        Array of a complex floating-point dtype.
    s
        The length of the transform along each of ``axes``, like ``n`` of :func:`ifft`; -1 selects the length of the
        axis. By default the lengths of the axes.
    axes
        The axes to transform; by default all of them. Required with ``s``.
    norm
        ``"backward"`` divides the sum by :math:`n`, ``"ortho"`` by :math:`\sqrt n`, ``"forward"`` does not scale it,
        where :math:`n` is the product of all lengths.

    Returns
    -------
    Array
        The transform, of the dtype of ``x`` and the lengths ``s`` along ``axes``.

    Raises
    ------
    ValueError
        If an axis is out of bounds, ``s`` and ``axes`` differ in length, a length is below 1, an axis without a given
        length is empty, or ``norm`` is unknown.
    TypeError
        If ``x`` has a boolean dtype, or ``s`` or ``axes`` is not a sequence of integers.

    Notes
    -----
    Standard 2025.12, Fourier Transform Extension, ``ifftn``.
    """
    if positional:
        raise by_position(ifftn, positional)
    return _transform(IFFTN, x, s, axes, norm)


def _compose_rfftn(xp: Any, x: Native, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
    x = xp.fft.rfft(x, n=s[-1], axis=axes[-1], norm=norm)
    return _along_each(xp.fft.fft, x, s[:-1], axes[:-1], norm)


RFFTN = declare(
    "fft.rfftn",
    "fourier",
    accepts="real floating",
    dtype="complex",
    shape="argument",
    numpy="fft.rfftn",
    composition=_compose_rfftn,
)


@keywords_only
def rfftn(
    x: AnyArray,
    /,
    *positional: Never,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    r"""Return the transform of real numbers: :func:`rfft` along the last axis, then :func:`fft.fft` along the others.

    Parameters
    ----------
    x
        Array of one or more dimensions and a real floating-point dtype.
    s
        The length of the transform along each of ``axes``, like ``n`` of :func:`fft.fft`; -1 selects the length of
        the axis. By default the lengths of the axes.
    axes
        The axes to transform, at least one; by default all of them. Required with ``s``.
    norm
        ``"backward"`` does not scale the sum, ``"ortho"`` divides it by :math:`\sqrt n`, ``"forward"`` by :math:`n`,
        where :math:`n` is the product of all lengths.

    Returns
    -------
    Array
        The half spectrum, complex in the precision of ``x``, of length ``s[-1] // 2 + 1`` along the last of ``axes``
        and the lengths ``s`` along the others.

    Raises
    ------
    IndexError
        If there is no axis, or an axis is out of bounds.
    ValueError
        If ``s`` and ``axes`` differ in length, a length is below 1, an
        axis without a given length is empty, or ``norm`` is unknown.
    TypeError
        If ``x`` has a boolean or complex dtype, or ``s`` or ``axes`` is not a sequence of integers.

    Notes
    -----
    :func:`irfftn` with the same arguments is the inverse; ``s`` must be given to it if the last length is odd.

    Standard 2025.12, Fourier Transform Extension, ``rfftn``.
    """
    if positional:
        raise by_position(rfftn, positional)
    return _transform(RFFTN, x, s, axes, norm)


def _compose_irfftn(xp: Any, x: Native, *, s: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Native:
    x = _along_each(xp.fft.ifft, x, s[:-1], axes[:-1], norm)
    return xp.fft.irfft(x, n=s[-1], axis=axes[-1], norm=norm)


IRFFTN = declare(
    "fft.irfftn",
    "fourier",
    accepts="floating",
    dtype="component",
    shape="argument",
    numpy="fft.irfftn",
    composition=_compose_irfftn,
)


@keywords_only
def irfftn(
    x: AnyArray,
    /,
    *positional: Never,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
) -> Array:
    r"""Return the inverse of :func:`rfftn`: :func:`ifft` along all axes but the last, then :func:`irfft` along it.

    Parameters
    ----------
    x
        Array of one or more dimensions and a complex floating-point dtype.
    s
        The length of the result along each of ``axes``, like ``n`` of :func:`ifft` and, for the last axis, of
        :func:`irfft`; -1 uses all elements of the axis. By default -1 for each.
    axes
        The axes to transform, at least one; by default all of them. Required with ``s``.
    norm
        ``"backward"`` divides the sum by :math:`n`, ``"ortho"`` by :math:`\sqrt n`, ``"forward"`` does not scale it,
        where :math:`n` is the product of all lengths.

    Returns
    -------
    Array
        The transform, real in the precision of ``x``, of the lengths ``s`` along ``axes``.

    Raises
    ------
    IndexError
        If there is no axis, or an axis is out of bounds.
    ValueError
        If ``s`` and ``axes`` differ in length, a length is below 1, an
        axis without a given length is empty (or, for the last one, shorter than 2), or ``norm`` is unknown.
    TypeError
        If ``x`` has a boolean dtype, or ``s`` or ``axes`` is not a sequence of integers.

    Notes
    -----
    Along the last axis, ``M`` elements give ``2 * (M - 1)`` by default; an odd length must be given in ``s``.

    Standard 2025.12, Fourier Transform Extension, ``irfftn``.
    """
    if positional:
        raise by_position(irfftn, positional)
    return _transform(IRFFTN, x, s, axes, norm)


def _transform(
    operation: Operation, x: AnyArray, s: Sequence[int] | None, axes: Sequence[int] | None, norm: Norm
) -> Array:
    """Return a transform over several axes, with axes and lengths made explicit."""
    name = operation.label
    x, device, norm = check_transform(x, name, norm)
    if axes is None:
        if s is not None:
            raise ValueError(f"{name}(): s={shortened(s)} needs axes, one for each length; give axes, too")
        axes = range(x.ndim)
    axes = check_axis_sequence(axes, x.ndim, name)
    if not axes and (name in COMPLEX_COUNTERPARTS or name in HALF_SPECTRUM_INPUT):
        raise IndexError(f"{name}() needs at least one axis, not an array of shape {x.shape} and axes {axes}")
    if s is not None and not is_sequence(s):
        raise TypeError(f"{name}(): s is a sequence of integers, not {describe(s)}")
    requested = [-1] * len(axes) if s is None else [check_integer(size, name, "each length in s") for size in s]
    if len(requested) != len(axes):
        raise ValueError(f"{name}(): s={shortened(s)} and axes {axes} differ in length; give each axis a length")
    shape = x.shape
    last = len(axes) - 1 if name in HALF_SPECTRUM_INPUT else None
    lengths = tuple(
        [
            size
            if size > 0
            else check_length(None if size == -1 else size, shape[axis], name, "s", half=position == last)
            for position, (size, axis) in enumerate(zip(requested, axes, strict=True))
        ]
    )
    if not axes:  # libraries return the operand itself, also a real one
        return apply(ASTYPE, device, x._native, result_type(x.dtype, np.complex64), copy=True)
    native = without_empty_axes(x, axes)
    if len(axes) == 1:  # the libraries' functions for several axes take microseconds longer
        along_axis = get_operation(f"fft.{name.removesuffix('n')}")
        return apply_reduction(along_axis, device, native, n=lengths[0], axis=axes[0], norm=norm)
    return apply_reduction(operation, device, native, s=lengths, axes=axes, norm=norm)
