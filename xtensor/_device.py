"""Devices: places to compute, each with its functions bound, and the choice of the one used by default.

Requirements: a Device is a small immutable value, one object for each place, so that ``is`` compares; making
one, printing it or listing all of them initialises no hardware; its functions are assembled when first needed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from . import _registry
from ._errors import BackendUnavailableError, describe
from ._functions import ELEMENTWISE, assemble
from .backend import Backend, DeviceInfo, DType, Memory, Native

__all__ = [
    "Device",
    "best_device",
    "default_device",
    "device",
    "devices",
    "resolve",
    "set_default_device",
    "use_device",
]


class Device:
    """A place to compute, such as ``cpu`` or ``cuda:0``.

    Made by :func:`device`, never directly: each place has one Device, so that ``x.device is y.device`` compares.
    Immutable and hashable. ``str`` gives the spec that :func:`device` takes.

    Attributes
    ----------
    name
        The spec, such as ``"cuda:0"``.
    backend
        The name of the backend that serves it.
    """

    __slots__ = (
        "__weakref__",
        "_backend",
        "_spec",
        "default_dtypes",
        "dlpack_device",
        "dtypes",
        "elementwise",
        "getitem",
        "host",
        "inplace",
        "native_type",
        "setitem",
        "xp",
    )

    _backend: Backend
    _spec: str
    xp: Any
    """The functions on native arrays (a :class:`~xtensor._functions.Functions`)."""
    elementwise: tuple[Callable[..., Native], ...]
    """Those of one or two operands, by their position in ``ELEMENTWISE``."""
    inplace: tuple[Callable[[Native, Native], Native] | None, ...]
    """The in-place operators at the same positions; None where there is no such operator."""
    native_type: type
    getitem: Callable[[Native, Any], Native] | None
    """The backend's own indexing; None where the native arrays' operator does."""
    setitem: Callable[[Native, Any, Any], None] | None
    dtypes: frozenset[DType]
    default_dtypes: dict[str, DType]
    dlpack_device: tuple[int, int]
    host: bool
    """Whether its memory is the host's."""

    def __init__(self) -> None:
        raise TypeError("Device() is not called directly; use xtensor.device('cpu')")

    @property
    def name(self) -> str:
        """The spec by which :func:`device` finds this device again."""
        kind, _, rest = self._spec.partition(":")
        for entry in _registry.serving(kind):
            if entry.name == self._backend.name:
                break
            try:
                entry.probe()
            except BackendUnavailableError:
                continue
            if self._spec in entry.devices:
                return f"{self._backend.name}:{rest}".removesuffix(":")
        return self._spec

    @property
    def backend(self) -> str:
        """The name of the backend that serves this device."""
        return self._backend.name

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Device is immutable; {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Device is immutable; {name!r} cannot be deleted")

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Device({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._backend.name, self._spec)

    def info(self) -> DeviceInfo:
        """What is known of the hardware: name, memory, compute capability, cores, instruction sets."""
        return self._backend.info(self._spec)

    def memory(self) -> Memory:
        """Bytes of the device's memory: total, free, and what the library's pool holds."""
        return self._backend.memory(self._spec)

    def synchronize(self) -> None:
        """Wait until all work given to this device is done."""
        self._backend.synchronize(self._spec)

    def release_memory(self) -> None:
        """Give memory that the library's pool keeps, but no array holds, back to the system."""
        self._backend.release_memory(self._spec)


class _Unopened(Device):
    """A Device whose functions are not assembled yet; its first use assembles them and makes it a plain Device.

    A class of its own, because a class with a ``__getattr__`` pays for it at every attribute, filled slots too:
    Python cannot specialise the look-ups (measured: 80 to 150 ns more for each call of a function).
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        # Reached only while a slot is empty.
        if name in Device.__slots__ and name not in ("_backend", "_spec"):
            _open(self)
            return object.__getattribute__(self, name)
        raise AttributeError(f"a Device has no attribute {name!r}")


_set = object.__setattr__
_lock = threading.RLock()
_devices: dict[tuple[Backend, str], Device] = {}


def _intern(backend: Backend, spec: str) -> Device:
    with _lock:
        key = (backend, spec)
        if key not in _devices:
            place: Device = object.__new__(_Unopened)
            _set(place, "_backend", backend)
            _set(place, "_spec", spec)
            _devices[key] = place
        return _devices[key]


def _restore(backend: str, spec: str) -> Device:
    """The device of a pickle: itself, else one of the same spec, else the default device."""
    for entry in (
        *(entry for entry in _registry.entries() if entry.name == backend),
        *_registry.serving(spec),
    ):
        try:
            library = entry.probe()
        except BackendUnavailableError:
            continue
        if spec in entry.devices:
            return _intern(library, spec)
    return default_device()


def _open(place: Device) -> None:
    with _lock:
        backend, spec = place._backend, place._spec
        try:
            functions: Any = assemble(backend, spec)
        except BackendUnavailableError:
            raise
        except Exception as error:
            raise BackendUnavailableError(f"device {spec} cannot be opened: {type(error).__name__}: {error}") from error
        dlpack_device = backend.dlpack_device(spec)
        default_float = np.dtype(backend.default_float(spec))
        values: dict[str, object] = {
            "dtypes": _dtypes(place),
            "default_dtypes": {
                "real floating": default_float,
                "complex floating": np.result_type(default_float, np.complex64),
                "integral": np.dtype(np.int64),
                "indexing": np.dtype(np.int64),
            },
            "dlpack_device": dlpack_device,
            "host": dlpack_device[0] == 1,
            "native_type": backend.native_type,
            "getitem": None if type(backend).getitem is Backend.getitem else backend.getitem,
            "setitem": None if type(backend).setitem is Backend.setitem else backend.setitem,
            "elementwise": tuple(getattr(functions, name) for name in ELEMENTWISE),
            "inplace": tuple(getattr(functions.inplace, name, None) for name in ELEMENTWISE),
            "xp": functions,
        }
        for name, value in values.items():
            _set(place, name, value)
        _set(place, "__class__", Device)


def _dtypes(place: Device) -> frozenset[DType]:
    return frozenset((*place._backend.dtypes(place._spec), *place._backend.extra_dtypes(place._spec)))


def renew_dtypes() -> None:
    """Ask the backends anew which dtypes their open devices have, as a library brought one more."""
    with _lock:
        for place in _devices.values():
            if place.__class__ is Device:
                _set(place, "dtypes", _dtypes(place))


def device(spec: str | Device) -> Device:
    """The device that a spec names.

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
    found = _named.get(spec)
    if found is not None and found[0] == _registry._generation:
        return found[1]
    generation = _registry._generation
    place = _look_up(spec)
    _named[spec] = generation, place
    return place


_named: dict[str, tuple[int, Device]] = {}
"""The devices by the specs that were asked for, each with the state of the registry then."""


def _look_up(spec: str) -> Device:
    kind, _, rest = spec.partition(":")
    failures = []
    for entry in _registry.serving(kind):
        try:
            library = entry.probe()
        except BackendUnavailableError as failure:
            failures.append(failure)
            continue
        for candidate in entry.devices:
            if _matches(candidate, spec) or (kind == entry.name and _matches(candidate.partition(":")[2], rest)):
                return _intern(library, candidate)
    here = ", ".join(str(place) for place in devices())
    if failures:
        reasons = "; ".join(str(failure) for failure in failures)
        raise BackendUnavailableError(f"device {spec!r} cannot be used: {reasons}", f"Devices here: {here}")
    raise ValueError(f"there is no device {spec!r}; devices here: {here}")


def _matches(candidate: str, wanted: str) -> bool:
    return not wanted or candidate == wanted or candidate.startswith(wanted + ":")


def devices() -> tuple[Device, ...]:
    """All devices of this machine, the default choice first. Initialises none of them."""
    found = []
    for entry in _registry.entries():
        try:
            library = entry.probe()
        except BackendUnavailableError:
            continue
        found += [_intern(library, spec) for spec in entry.devices]
    names = [entry.name for entry in _registry.entries()]
    chosen = _registry.priority()

    def preference(place: Device) -> tuple[int, int, int]:
        position = chosen.index(place.backend) if place.backend in chosen else len(chosen)
        return position, -place._backend.rank(place._spec), names.index(place.backend)

    return tuple(sorted(found, key=preference))


def best_device(*, min_free_memory: int = 0) -> Device:
    """The most capable device with enough free memory.

    Parameters
    ----------
    min_free_memory
        Bytes that must be free. Asking for more than 0 asks the devices, which may initialise them.

    Raises
    ------
    ValueError
        If no device has that much.
    """
    if not isinstance(min_free_memory, int):
        raise TypeError(f"best_device(): min_free_memory is a number of bytes, not {describe(min_free_memory)}")
    for place in devices():
        if min_free_memory <= 0 or (place.memory().free or 0) >= min_free_memory:
            return place
    raise ValueError(
        f"best_device(): no device has {min_free_memory} bytes free; devices here: {', '.join(map(str, devices()))}"
    )


_default: Device | None = None
_automatic: tuple[int, Device] | None = None
"""The automatic choice, and the state of the registry when it was made."""
_override: ContextVar[Device | None] = ContextVar("xtensor_device", default=None)


def default_device() -> Device:
    """The device on which arrays are created where nothing else decides.

    In this order: :func:`use_device` of this thread or task, :func:`set_default_device`, the environment variable
    ``XTENSOR_DEVICE``, the most capable device here.
    """
    global _automatic
    chosen = _override.get() or _default
    if chosen is not None:
        return chosen
    if _automatic is None or _automatic[0] != _registry._generation:
        spec = os.environ.get("XTENSOR_DEVICE")
        _automatic = (_registry._generation, device(spec) if spec else best_device())
    return _automatic[1]


def set_default_device(spec: str | Device | None) -> None:
    """Set the default device of this process; None restores the automatic choice."""
    global _default
    _default = None if spec is None else device(spec)


@contextmanager
def use_device(spec: str | Device) -> Iterator[Device]:
    """Make a device the default one within a ``with`` block, for this thread and this task only."""
    chosen = device(spec)
    token = _override.set(chosen)
    try:
        yield chosen
    finally:
        _override.reset(token)


def resolve(spec: str | Device | None) -> Device:
    """The device of a ``device=`` argument: the default one for None."""
    if spec is None:
        return default_device()
    return spec if spec.__class__ is Device else device(spec)
