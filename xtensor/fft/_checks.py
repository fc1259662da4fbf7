"""Checks of the arguments of Fourier transforms; errors name the function, the value and the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply, call
from .._core.checks import axes_of_array, check_axis, is_word
from .._core.device import Device
from .._core.errors import describe, shortened
from .._core.operands import array_argument
from .._core.operations import operation

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = [
    "ASTYPE",
    "COMPLEX_COUNTERPARTS",
    "HALF_SPECTRUM_INPUT",
    "Norm",
    "check_axis_sequence",
    "check_length",
    "check_norm",
    "check_transform",
    "is_sequence",
    "without_empty_axes",
]

Norm: TypeAlias = Literal["backward", "ortho", "forward"] | None
"""The direction in which a transform is normalized, or both; None for ``"backward"``."""

ASTYPE = operation("astype")

COMPLEX_COUNTERPARTS: dict[str, str] = {"ihfft": "ifft", "rfft": "fft", "rfftn": "fftn"}
"""Transforms that take real numbers only, and the transform of complex numbers for each."""

HALF_SPECTRUM_INPUT = frozenset(("hfft", "irfft", "irfftn"))
"""Transforms whose input has, along the last axis, only the first ``n // 2 + 1`` of ``n`` Hermitian elements."""


def check_transform(x: AnyArray, name: str, norm: Norm) -> tuple[Array, Device, Norm]:
    """Return a transform's operand as an Array, its device, and the normalization; check its dtype and ``norm``.

    Booleans are cast to the default floating-point dtype, but on the device ``strict``.
    """
    x = array_argument(x, name)
    device = x._device
    kind = x.dtype.kind
    if kind == "b":
        if device._library.defined_only:
            raise TypeError(f"{name}() takes numbers, not dtype {x.dtype}; cast with xtensor.astype")
        x = apply(ASTYPE, device, x._native, device.default_dtypes["real floating"])
    if kind == "c" and name in COMPLEX_COUNTERPARTS:
        raise TypeError(
            f"{name}() takes real numbers, not dtype {x.dtype}; use xtensor.fft.{COMPLEX_COUNTERPARTS[name]}, "
            "or take xtensor.real(x) first"
        )
    check_norm(norm, name)
    return x, device, "backward" if norm is None else norm


def check_norm(norm: Norm, name: str) -> None:
    """Check that a normalization is one of those that a transform has."""
    if norm is not None and not is_word(norm, ("backward", "ortho", "forward")):
        raise ValueError(
            f"Invalid norm value {norm if isinstance(norm, str) else shortened(norm)}; "
            f'should be "backward", "ortho" or "forward". {name}() got {describe(norm)}'
        )


def check_length(requested: int | None, axis_length: int, name: str, parameter: str, *, half: bool) -> int:
    """Return the length of a transform along an axis.

    ``requested`` is None for the default. ``half`` says that the axis holds the first half of Hermitian data.
    """
    if requested is None:
        requested = 2 * (axis_length - 1) if half else axis_length
        if requested < 1:
            raise ValueError(
                f"Invalid number of FFT data points ({requested}) specified. "
                f"{name}() cannot transform an axis of length {axis_length}: the length of the transform would be "
                f"{requested}; give a length of 1 or more as {parameter}"
            )
    if requested < 1:
        allowed = "1 or more, or -1 for the length of the axis" if parameter == "s" else "1 or more"
        raise ValueError(
            f"Invalid number of FFT data points ({requested}) specified. {name}(): {parameter} requests length "
            f"{requested}; lengths are {allowed}"
        )
    return requested


def check_axis_sequence(axes: Any, ndim: int, name: str) -> tuple[int, ...]:
    """Return a sequence of axes as a tuple of integers in ``[0, ndim)``.

    Duplicates are allowed: an axis that is named twice is transformed twice, as in NumPy.
    """
    axes = axes_of_array(axes)
    if not is_sequence(axes):
        raise TypeError(f"{name}(): axes is a sequence of integers, not {describe(axes)}")
    return tuple([check_axis(axis, ndim, name) for axis in axes])


def is_sequence(value: Any) -> bool:
    """Return whether a value is a sequence."""
    # The check against the abstract class takes a microsecond; most calls give a tuple or a list.
    return value.__class__ is tuple or value.__class__ is list or isinstance(value, Sequence)


def without_empty_axes(x: Array, axes: tuple[int, ...]) -> Native:
    """Return the native array of an operand, with zeros of length 1 along the transformed axes that are empty.

    The standard pads an axis with zeros to the length of the transform. Libraries read uninitialised memory where
    nothing is there to be padded.
    """
    shape = x.shape
    if all(shape[axis] for axis in axes):
        return x._native
    padded = tuple(1 if axis in axes else length for axis, length in enumerate(shape))
    return call(operation("zeros"), x._device, padded, dtype=x.dtype)
