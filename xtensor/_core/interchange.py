"""DLPack, the standard's protocol for sharing memory between libraries: export and import.

Source: Array API standard 2025.12, "Data interchange mechanisms", ``__dlpack__`` and ``from_dlpack``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .backend import Native
from .device import Device, default_device, devices
from .errors import CopyRequiredError, describe

__all__ = ["export", "from_producer"]

HOST = (1, 0)

HOST_TYPES = frozenset((1, 3, 11, 13))
"""DLPack's device types whose memory the host can read: CPU, pinned for CUDA and for ROCm, managed."""


def export(
    native: Native,
    device: Device,
    *,
    stream: Any,
    max_version: tuple[int, int] | None,
    dl_device: tuple[Any, int] | None,
    copy: bool | None,
) -> Any:
    """Return the capsule for ``Array.__dlpack__``."""
    target = device.dlpack_device if dl_device is None else _dlpack_device(dl_device)
    if target[0] in HOST_TYPES and stream is not None:
        raise ValueError(f"the host has no streams: stream is None there, not {describe(stream)}")
    asked: dict[str, Any] = {"stream": stream, "max_version": max_version, "copy": copy}
    given = {name: value for name, value in asked.items() if value is not None}
    if target == device.dlpack_device:
        return device._library.to_dlpack(native, **given)
    if target != HOST:
        raise BufferError(
            f"an array on {device} (DLPack device {device.dlpack_device}) can be exported there or to the host "
            f"{HOST}, not to {target}"
        )
    view = None if copy else device._library.host_view(native)
    if view is not None:
        return view.__dlpack__(max_version=max_version, copy=copy)
    if copy is False:
        raise CopyRequiredError(f"an array on {device} reaches the host by a copy only; pass copy=None or copy=True")
    return device._library.to_host(native).__dlpack__(max_version=max_version, copy=True)


def from_producer(x: Any, device: Device | None, copy: bool | None) -> tuple[Native, Device]:
    """Return a native array of a producer's elements and its device: ``device``, or else the producer's."""
    try:
        kind, number = x.__dlpack_device__()
        _ = x.__dlpack__
    except AttributeError:
        raise AttributeError(
            f"from_dlpack() takes an object with __dlpack__ and __dlpack_device__, not {describe(x)}; "
            "convert others with xtensor.asarray"
        ) from None
    source = (int(kind), int(number))
    if source[0] in HOST_TYPES:
        source = HOST
    target = _device_at(source) if device is None else device
    if target._library.dlpack_device(target._place) == source:
        try:
            return target._library.from_dlpack(x, target._place, copy=copy), target
        except RuntimeError as error:  # NumPy's, for a dtype or a device that it does not know
            raise BufferError(f"from_dlpack(): {describe(x)} cannot be read on {target}: {error}") from error
    if copy is False:
        raise CopyRequiredError(
            f"from_dlpack(): a copy is needed from DLPack device {source} to {target}; pass copy=None or copy=True"
        )
    host = np.from_dlpack(x, device="cpu", copy=None)
    return target._library.from_host(host, target._place, copy=True), target


def _dlpack_device(value: Any) -> tuple[int, int]:
    try:
        kind, number = value
        return int(kind), int(number)
    except (TypeError, ValueError):
        raise TypeError(f"dl_device is a pair (device type, device number), not {describe(value)}") from None


def _device_at(place: tuple[int, int]) -> Device:
    """Return the device at a DLPack device; the default device if it is there."""
    preferred = default_device()
    if preferred._library.dlpack_device(preferred._place) == place:
        return preferred  # without asking every backend for its devices
    for candidate in devices():
        if candidate._library.dlpack_device(candidate._place) == place:
            return candidate
    raise BufferError(
        f"no device here has the memory of DLPack device {place}; devices: {', '.join(map(str, devices()))}"
    )
