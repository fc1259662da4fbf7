"""Nesting: which transform a call of ``grad``, ``vjp`` or ``jvp`` stands on.

A transform stands on those of the calls that are going on around it, so that what it differentiates is itself
differentiated by them: the derivative of ``lambda x: x * grad(lambda y: x * y)(2.0)`` takes the inner derivative as a
function of ``x``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .._core.array import Array, wrap
from .._core.device import Device, default_device
from .._core.transfers import join
from ._transform import Transform, standing_on

__all__ = ["active", "base_of", "lifted", "lowered", "running"]

_active: ContextVar[tuple[type[Transform], ...]] = ContextVar("xtensor_transforms", default=())


def active() -> tuple[type[Transform], ...]:
    """Return the kinds of the transforms that are going on in this thread or task, the outermost first."""
    return _active.get()


@contextmanager
def running(device: Device) -> Iterator[None]:
    """Tell calls inside that they are made by a function that runs on a device."""
    kinds: list[type[Transform]] = []
    while device.base is not None:
        kinds.append(type(device._library))  # type: ignore[arg-type] # a transform
        device = device.base
    token = _active.set(tuple(reversed(kinds)))
    try:
        yield
    finally:
        _active.reset(token)


def base_of(arrays: Sequence[Array]) -> Device:
    """Return the device that a new transform stands on: the arrays' own, below the transforms that are going on."""
    chosen: Device | None = None
    for x in arrays:
        if chosen is None or x._device.level > chosen.level:
            chosen = x._device
    ground = default_device() if chosen is None else chosen
    # A variable of the imperative style is above the transforms that are going on.
    for kind in active()[ground.level :]:
        ground = standing_on(kind, ground).device
    return ground


def lifted(x: Array, device: Device) -> Array:
    """Return an Array on a transform, as a constant unless it is there already."""
    return x if x._device is device else wrap(join(x._native, x._device, device), device)


def lowered(x: Any, device: Device) -> Any:
    """Return the value of an Array of a transform, on the device it stands on; other values are returned unchanged."""
    if x.__class__ is Array and x._device is device:
        assert device.base is not None
        return wrap(x._native.value, device.base)
    return x
