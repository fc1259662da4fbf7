"""Draws that the host makes for devices without uint64, in which random words are computed.

Such a device has kernels for the methods in :data:`BY_KERNELS`. The others compute on the host, with the same stream,
and their results are copied to the device: floating-point numbers rounded to the device's default dtype, counts beyond
its default integer dtype as the largest integer.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_dtype
from .._core.device import Device
from .._core.devices import resolve
from .._core.profiling import note_host_work
from .._core.trees import mapped

__all__ = ["drawn_by_host"]

BY_KERNELS = frozenset(("random", "standard_normal", "normal", "lognormal", "spawn"))

UINT64 = np.dtype(np.uint64)

WRITTEN = ("out", "x")
"""Parameters whose arrays methods fill."""


def drawn_by_host(method: Callable[..., Any]) -> Callable[..., Any]:
    """Make a method of a generator that computes on the host for a device without uint64."""
    name, signature = method.__name__, inspect.signature(method)
    if name in BY_KERNELS:
        return method

    @wraps(method)
    def draw(self: Any, *args: Any, **options: Any) -> Any:
        device = self._device
        if device.supports(UINT64):
            return method(self, *args, **options)
        start = time.perf_counter()
        host = type(self)(self.bit_generator, resolve("numpy"))
        arguments = signature.bind(host, *args, **options).arguments
        if "dtype" in signature.parameters:
            default = device.default_dtypes["integral" if name == "integers" else "real floating"]
            given = arguments.get("dtype")
            arguments["dtype"] = default if given is None else check_dtype(given, device, name)
        taken = {key: _moved(value, host.device) for key, value in arguments.items()}
        result = method(**taken)
        for key in WRITTEN:
            given = arguments.get(key)
            if isinstance(given, Array) and (key == "out" or name == "shuffle"):
                given[...] = _moved(taken[key], device)
        size = sum([x.size * x.dtype.itemsize for x in arguments.values() if isinstance(x, Array)])
        note_host_work(f"random.{name}", str(device), time.perf_counter() - start, size)
        if isinstance(arguments.get("out"), Array):
            return arguments["out"]
        return mapped(result, lambda item: _moved(item, device))

    return draw


def _moved(value: Any, device: Device) -> Any:
    """Return an Array on another device, in a dtype that the device supports; other values unchanged."""
    if not isinstance(value, Array):
        return value
    if not device.supports(value.dtype):
        kind = "integral" if value.dtype.kind in "iu" else "real floating"
        dtype = device.default_dtypes[kind]
        if kind == "integral":
            value = xp.minimum(value, int(np.iinfo(dtype).max))
        value = xp.astype(value, dtype)
    return value.to_device(device)
