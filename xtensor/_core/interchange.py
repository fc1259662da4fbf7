"""DLPack, the standard's protocol for sharing memory between libraries: export and import.

Source: Array API standard 2025.12, "Data interchange mechanisms", ``__dlpack__`` and ``from_dlpack``.
"""

from __future__ import annotations

from operator import index
from typing import Any

from .backend import Native, read_on_host
from .boundary import cause
from .device import Device
from .devices import default_device, devices
from .errors import CopyRequiredError, describe
from .transfers import lowered

__all__ = ["export", "from_producer"]

HOST = (1, 0)

HOST_TYPES = frozenset((1, 3, 11, 13))
"""DLPack's device types whose memory the host can read: CPU, pinned for CUDA and for ROCm, managed."""

KINDS = (CopyRequiredError, BufferError, TypeError, ValueError)
"""The classes that an error of a producer keeps."""


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
    native, device = lowered(native, device)
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


def from_producer(x: Any, device: Device | None, copy: bool | None, name: str) -> tuple[Native, Device]:
    """Return a native array of a producer's elements and its device: ``device``, or else the producer's.

    ``name`` is the public function's. Each error names the producer and is an AttributeError for an object without the
    two methods, otherwise a TypeError, a ValueError or a BufferError, whatever the producer's methods raise.
    """
    source = _source(x, name)
    target = _device_at(source, x, name) if device is None else device
    here = target._library.dlpack_device(target._backend_spec) == source
    if not here and copy is False:
        raise CopyRequiredError(
            f"{name}(): a copy is needed to read {describe(x)} from DLPack device {source} on {target}; "
            "pass copy=None or copy=True"
        )
    try:
        if here:
            return target._library.from_dlpack(x, target._backend_spec, copy=copy), target
        return target._library.from_host(read_on_host(x, copy=None), target._backend_spec, copy=True), target
    except Exception as error:
        if target._library.out_of_memory(error):
            raise
        raise _named(error, f"{name}(): {describe(x)} cannot be read on {target}: {_reason(error)}") from cause(error)


def _source(x: Any, name: str) -> tuple[int, int]:
    """Return the DLPack device of a producer, memory that the host can read as the host's."""
    try:
        locate, deliver = x.__dlpack_device__, x.__dlpack__
    except AttributeError:
        raise AttributeError(_not_a_producer(x, name)) from None
    if not (callable(locate) and callable(deliver)):
        raise AttributeError(_not_a_producer(x, name))
    try:
        dlpack_pair = locate()
    except MemoryError:
        raise
    except Exception as error:
        text = f"{name}(): __dlpack_device__ of {describe(x)} raises {_reason(error)}"
        raise _named(error, text) from cause(error)
    try:
        kind, number = map(index, dlpack_pair)
    except Exception:
        raise TypeError(
            f"{name}(): __dlpack_device__ of {describe(x)} returns {describe(dlpack_pair)}, which is not a pair of "
            "integers "
            "(device type, device number)"
        ) from None
    return HOST if kind in HOST_TYPES else (kind, number)


def _not_a_producer(x: Any, name: str) -> str:
    return (
        f"{name}() takes an object with __dlpack__ and __dlpack_device__, not {describe(x)}; "
        "convert others with xtensor.asarray"
    )


def _reason(error: Exception) -> str:
    """Return an error's text with its class, unless the class says no more than that of the error to be raised."""
    return str(error) if isinstance(error, KINDS) else f"{type(error).__name__}: {error}"


def _named(error: Exception, text: str) -> Exception:
    """Return an error with another text: of the same class if it is one of ``KINDS``, otherwise a BufferError."""
    return next((kind for kind in KINDS if isinstance(error, kind)), BufferError)(text)


def _dlpack_device(value: Any) -> tuple[int, int]:
    try:
        kind, number = value
        return int(kind), int(number)
    except (TypeError, ValueError):
        raise TypeError(f"dl_device is a pair (device type, device number), not {describe(value)}") from None


def _device_at(dlpack_pair: tuple[int, int], x: Any, name: str) -> Device:
    """Return the device at the DLPack device of a producer; the default device if it is there."""
    preferred = default_device()
    if preferred._library.dlpack_device(preferred._backend_spec) == dlpack_pair:
        return preferred  # without asking every backend for its devices
    for candidate in devices():
        if candidate._library.dlpack_device(candidate._backend_spec) == dlpack_pair:
            return candidate
    raise BufferError(
        f"{name}(): {describe(x)} is on DLPack device {dlpack_pair}, and no device here has that memory; "
        f"devices: {', '.join(map(str, devices()))}"
    )
