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
def running(kind: type[Transform], level: int) -> Iterator[None]:
    """Tell calls inside that a transform of a kind is going on at a level."""
    kinds = active()
    token = _active.set((*kinds, kind) if len(kinds) < level else kinds)
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
    kinds = active()
    level = ground.level
    while ground.base is not None and level > len(kinds):
        return ground  # a variable of the imperative style
    device = ground
    for kind in kinds[level:]:
        device = standing_on(kind, device).device
    return device


def lifted(x: Array, device: Device) -> Array:
    """Return an Array on a transform, as a constant unless it is there already."""
    return x if x._device is device else wrap(join(x._native, x._device, device), device)


def lowered(x: Any, device: Device) -> Any:
    """Return the value of an Array of a transform, on the device it stands on; other values are returned unchanged."""
    if x.__class__ is Array and x._device is device:
        assert device.base is not None
        return wrap(x._native.value, device.base)
    return x
