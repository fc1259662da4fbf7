"""The devices of this machine: by spec, in the order of the choice, and the default one.

Requirements: listing all devices initialises no hardware; the default device is chosen when first asked for, and again
where the registry of backends has changed since.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from . import registry
from .device import Device, intern
from .errors import BackendUnavailableError, describe
from .foreign_names import DEVICES
from .scopes import Setting

__all__ = [
    "best_device",
    "default_device",
    "device",
    "devices",
    "eligible_devices",
    "is_default",
    "resolve",
    "set_default_device",
    "use_device",
]


def device(spec: str | Device) -> Device:
    """Return the device of a spec.

    Parameters
    ----------
    spec
        ``"cpu"``, ``"cuda"``, ``"cuda:1"``, ``"rocm:0"``, ``"sycl"``, ``"sycl:gpu:0"``, ``"strict"``, or a backend's
        name for a kind that two backends serve (``"cupy:0"``). A kind alone means its first device. A Device is
        given back as it is.

    Raises
    ------
    ValueError
        If there is no such device; the message lists those here.
    BackendUnavailableError
        If the library that would serve it is missing or does not work; the message tells what to do.
    TypeError
        If it is neither a string nor a Device.
    """
    if isinstance(spec, Device):
        return spec
    if not isinstance(spec, str):
        raise TypeError(f"a device is a Device or a string such as 'cpu', not {describe(spec)}")
    known = _named.get(spec)
    if known is not None and known[0] == registry.generation:
        return known[1]
    generation = registry.generation
    target = _look_up(spec)
    _named[spec] = generation, target
    return target


_named: dict[str, tuple[int, Device]] = {}
"""Cache of devices by requested spec, each with the registry's generation."""


def _look_up(spec: str) -> Device:
    kind, _, rest = spec.partition(":")
    failures = []
    for entry in registry.serving(kind):
        try:
            provider = entry.probe()
        except BackendUnavailableError as failure:
            # The text: the exception refers to this frame, a cycle that keeps the operands alive.
            failures.append((entry.is_overlay, str(failure)))
            continue
        for candidate in entry.devices:
            if _matches(candidate, spec) or (kind == entry.name and _matches(candidate.partition(":")[2], rest)):
                return intern(provider, candidate)
        if absent := provider.absent(spec):
            failures.append((entry.is_overlay, str(BackendUnavailableError(*absent))))
    here = ", ".join(str(target) for target in devices())
    if failures:
        failures.sort(key=lambda failure: failure[0])  # a backend that has the arrays before one of kernels over them
        reasons = "; ".join(reason for _, reason in failures)
        raise BackendUnavailableError(f"device {spec!r} cannot be used: {reasons}", f"Devices here: {here}")
    reason, remedy = registry.not_installed()
    if reason:
        raise BackendUnavailableError(f"there is no device {spec!r}: {reason}", remedy)
    raise ValueError(f"there is no device {spec!r}; {DEVICES.get(kind, '')}devices here: {here}")


def _matches(candidate: str, wanted: str) -> bool:
    return not wanted or candidate == wanted or candidate.startswith(wanted + ":")


def devices() -> tuple[Device, ...]:
    """Return all devices of this machine, the default choice first. Initialises none of them.

    The device ``meta``, whose arrays have no values, is not among them.
    """
    return _sorted_devices(registry.entries())


def _sorted_devices(entries: Iterable[registry.Entry]) -> tuple[Device, ...]:
    """Return the devices of some backends, the default choice first."""
    opened = []
    for entry in entries:
        try:
            provider = entry.probe()
        except BackendUnavailableError:
            continue
        if provider.has_values:
            opened += [intern(provider, spec) for spec in entry.devices]
    names = [entry.name for entry in registry.entries()]
    chosen = registry.priority()

    def preference(target: Device) -> tuple[int, float, int]:
        position = chosen.index(target.backend) if target.backend in chosen else len(chosen)
        return position, -registry.rank(target._provider, target._spec), names.index(target.backend)

    return tuple(sorted(opened, key=preference))


def eligible_devices() -> list[Device]:
    """Return the devices that may be chosen without being named, the default choice first."""
    named = registry.priority()
    entries = [entry for entry in registry.entries() if entry.name in named or entry.chosen_by_itself]
    return [
        target
        for target in _sorted_devices(entries)
        if target.backend in named or registry.rank(target._provider, target._spec) >= 0
    ]


def best_device(*, min_free_memory: int = 0) -> Device:
    """Return the most capable device with enough free memory.

    Devices of a rank below 0, ``strict`` for example, are chosen only where :func:`set_backend_priority` names their
    backend; those that calibration may choose, as OpenCL's, once they were measured faster than ``cpu``.

    Parameters
    ----------
    min_free_memory
        Bytes that must be free. More than 0 queries the devices, which may initialise them.

    Raises
    ------
    ValueError
        If no device has that much.
    BackendUnavailableError
        If there is no device of a rank of 0 or more.
    """
    if not isinstance(min_free_memory, int):
        raise TypeError(f"best_device(): min_free_memory is a number of bytes, not {describe(min_free_memory)}")
    able = eligible_devices()
    if not able:
        reason, remedy = registry.not_installed()
        if reason:
            raise BackendUnavailableError(f"there is no device here: {reason}", remedy)
        reasons = "; ".join(f"{info.name}: {info.reason}" for info in registry.backends() if not info.available)
        raise BackendUnavailableError(
            f"no device is chosen by itself here ({reasons})",
            f"Name one of {', '.join(map(str, devices()))}: xtensor.set_default_device, or XTENSOR_DEVICE",
        )
    for target in able:
        if min_free_memory <= 0 or (target.memory().free or 0) >= min_free_memory:
            return target
    raise ValueError(
        f"best_device(): no device has {min_free_memory} bytes free; devices here: {', '.join(map(str, devices()))}"
    )


_default: Device | None = None
_automatic: tuple[int, Device] | None = None
"""Cache of the automatic choice, with the registry's generation."""
_override: Setting[Device] = Setting("xtensor_device")


def default_device() -> Device:
    """Return the device on which arrays are created by default.

    In this order: :func:`use_device` of this thread or task, :func:`set_default_device`, the environment variable
    ``XTENSOR_DEVICE``, the most capable device here.
    """
    global _automatic
    if _override.latest() is not None:
        block = _override.innermost()
        if block is not None:
            return block.value
    if _default is not None:
        return _default
    if _automatic is None or _automatic[0] != registry.generation:
        spec = os.environ.get("XTENSOR_DEVICE")
        _automatic = (registry.generation, _named_by_environment(spec) if spec else best_device())
    return _automatic[1]


def is_default(target: Device) -> bool:
    """Whether a device is the default one; False where that cannot be determined."""
    try:
        return target is default_device()
    except (BackendUnavailableError, ValueError):
        return False


def _named_by_environment(spec: str) -> Device:
    try:
        return device(spec)
    except (BackendUnavailableError, ValueError) as error:
        raise type(error)(f"the environment variable XTENSOR_DEVICE is {spec!r}: {error}") from error


def set_default_device(spec: str | Device | None) -> None:
    """Set the default device of this process; None restores the automatic choice."""
    global _default
    _default = None if spec is None else device(spec)


@contextmanager
def use_device(spec: str | Device) -> Iterator[Device]:
    """Make a device the default one within a ``with`` block, for this thread or task only.

    In a generator, the block ends when the generator is closed, in whichever order and thread.
    """
    chosen = device(spec)
    block = _override.begin(chosen, _override.innermost())
    try:
        yield chosen
    finally:
        block.end()


def resolve(spec: str | Device | None) -> Device:
    """Return the device of a ``device=`` argument: the default device for None."""
    if spec is None:
        return default_device()
    return spec if spec.__class__ is Device else device(spec)
