"""Devices: places to compute, each with its functions bound, and the choice of the default device.

Requirements: a Device is a small immutable value, one object for each place, so that ``is`` compares; making one,
printing it or listing all of them initialises no hardware; its functions are assembled when first needed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import registry
from .backend import Backend, DeviceInfo, Memory, Native, Provider
from .dtypes import DType, is_bfloat16
from .errors import BackendUnavailableError, describe
from .foreign_names import DEVICES
from .functions import Functions, Implementation
from .html import facts, size_text
from .interrupts import postponed
from .operations import is_declared
from .scopes import Setting

__all__ = [
    "Device",
    "best_device",
    "default_device",
    "device",
    "devices",
    "eligible_devices",
    "intern",
    "is_default",
    "lose",
    "observed",
    "resolve",
    "restore",
    "set_default_device",
    "use_device",
]


class Device:
    """A place to compute, such as ``cpu`` or ``cuda:0``.

    Made by :func:`device`, never directly: each place has one Device, so that ``x.device is y.device`` compares.
    Immutable. ``str`` gives the spec that :func:`device` takes, and a Device equals that string and hashes as it does:
    ``x.device == "cpu"``.

    Attributes
    ----------
    name
        The spec, such as ``"cuda:0"``.
    backend
        The name of the backend that serves it.
    """

    __slots__ = (
        "__weakref__",
        "_backend_spec",
        "_functions",
        "_library",
        "_provider",
        "_spec",
        "base",
        "default_dtypes",
        "dlpack_device",
        "dtypes",
        "from_scalar",
        "getitem",
        "host",
        "level",
        "native_type",
        "setitem",
        "table",
    )

    _provider: Provider
    _spec: str
    _library: Backend
    """The backend whose native arrays it has: the provider itself, or the storage of an overlay."""
    _backend_spec: str
    """The device's spec at that backend."""
    _functions: Functions
    table: list[Implementation]
    """Implementation of each operation, by the operations' indices."""
    base: Device | None
    """The device that a transform stands on; None for other devices."""
    level: int
    """The number of transforms that stand on one another here; 0 for a device that is no transform."""
    native_type: type[Any]
    from_scalar: Callable[[Any], Native]
    """Makes a native array of what indexing gives where that is a scalar of the library."""
    getitem: Callable[[Native, Any], Native] | None
    """The backend's own indexing; None where the native arrays' operator conforms."""
    setitem: Callable[[Native, Any, Any], Native] | None
    dtypes: frozenset[DType]
    """The dtypes it supports, bfloat16 left out: see :meth:`supports`."""
    default_dtypes: dict[str, DType]
    dlpack_device: tuple[int, int]
    host: bool
    """Whether its memory is the host's. False for a transform: its values leave it where it allows that alone."""

    def __init__(self) -> None:
        raise TypeError("Device() is not called directly; use xtensor.device('cpu')")

    def __init_subclass__(cls, **options: Any) -> None:
        if cls.__module__ != __name__:
            raise TypeError("Device is final; a new place to compute is a Backend (xtensor.backend.Backend)")

    @property
    def name(self) -> str:
        """The spec by which :func:`device` finds this device again."""
        key, generation = (self._provider, self._spec), registry.generation
        found = _names.get(key)
        if found is None or found[0] != generation:
            found = _names[key] = generation, self._find_name()
        return found[1]

    def _find_name(self) -> str:
        kind, _, rest = self._spec.partition(":")
        for entry in registry.serving(kind):
            if entry.name == self._provider.name:
                break
            try:
                entry.probe()
            except BackendUnavailableError:
                continue
            if self._spec in entry.devices:
                return f"{self._provider.name}:{rest}".removesuffix(":")
        return self._spec

    @property
    def backend(self) -> str:
        """The name of the backend that serves this device."""
        return self._provider.name

    @property
    def lazy(self) -> bool:
        """Whether it computes when values are needed, in chunks: the device of an engine, such as ``dask``."""
        return self._library.lazy

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Device is immutable; {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Device is immutable; {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return self.name == other if isinstance(other, str) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Device({self.name!r})"

    def _repr_html_(self) -> str:
        rows = [("backend", self.backend)]
        try:
            info = self.info()
            rows += [("hardware", info.name), ("memory", size_text(info.total_memory) if info.total_memory else "")]
        except Exception as error:  # a notebook shows a device that cannot be opened, too
            rows.append(("cannot be used", str(error)))
        return facts(f"Device {self.name}", [(name, value) for name, value in rows if value])

    def __reduce__(self) -> tuple[Any, ...]:
        return restore, (self._provider.name, self._spec)

    def supports(self, dtype: DType) -> bool:
        """Whether the device computes with a dtype."""
        return dtype in self.dtypes or (is_bfloat16(dtype) and "bfloat16" in self.dtype_names())

    def dtype_names(self) -> tuple[str, ...]:
        """Return the names of the dtypes that the device computes with."""
        return tuple(self._library.dtypes(self._backend_spec))

    def implements(self, name: str) -> bool:
        """Whether the device has its own implementation of an operation: a kernel, or a function of its library.

        Parameters
        ----------
        name
            The operation's name: ``"add"``, ``"linalg.svd"``, ``"special.gammaln"``, ``"nn.softmax"``.

        Returns
        -------
        bool
            False where the operation is composed of others on this device or not available, and for a name that is no
            operation of the table.
        """
        if not isinstance(name, str):
            raise TypeError(f"implements() takes an operation's name such as 'linalg.svd', not {describe(name)}")
        return is_declared(name) and self._functions.provides(name)

    def info(self) -> DeviceInfo:
        """Return a description of the hardware: name, memory, compute capability, cores, instruction sets."""
        return self._library.info(self._backend_spec)

    def memory(self) -> Memory:
        """Return bytes of the device's memory: total, free, and those of the library's pool."""
        return self._provider.memory(self._spec)

    def synchronize(self) -> None:
        """Wait until all work given to this device is done."""
        self._library.synchronize(self._backend_spec)

    def release_memory(self) -> None:
        """Return memory that the library's pool holds, but no array occupies, to the system."""
        self._provider.release_memory(self._spec)

    def limit_pool(self, size: int) -> None:
        """Keep at most ``size`` bytes of memory that no array occupies in the library's pool, from now on.

        The device ``cpu`` with compiled kernels has such a bound; the other devices ignore it. A size that is no
        integer raises TypeError, a negative one ValueError.
        """
        if not isinstance(size, int) or isinstance(size, bool):
            raise TypeError(f"limit_pool() takes a number of bytes, not {describe(size)}")
        if size < 0:
            raise ValueError(f"limit_pool({size}): a number of bytes is 0 or more")
        self._provider.limit_pool(self._spec, size)


class _Unopened(Device):
    """A Device whose functions are not assembled yet; its first use assembles them and makes it a plain Device.

    A class of its own, because every attribute of a class with a ``__getattr__`` is slower, filled slots too: Python
    cannot specialise the look-ups (measured: 80 to 150 ns more for each call of a function).
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        # Reached only while a slot is empty.
        if name in OPENED:
            _open(self)
            return object.__getattribute__(self, name)
        raise AttributeError(f"a Device has no attribute {name!r}")


class _Forked(Device):
    """A Device of a process that was forked, whose library did not survive that; all that it computes with raises."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        # Reached for an empty slot: the device was never opened.
        if name in OPENED:
            self._refuse()
        raise AttributeError(f"a Device has no attribute {name!r}")

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise BackendUnavailableError(
            f"device {self.name} cannot be used in this process, which was forked: its library does not survive a fork",
            "Start processes by spawning them: multiprocessing.get_context('spawn')",
        )

    memory = release_memory = limit_pool = _refuse


for _slot in ("_functions", "_library", "getitem", "native_type", "setitem", "table"):
    setattr(_Forked, _slot, property(_Forked._refuse))

OPENED = frozenset(Device.__slots__) - {"__weakref__", "_library", "_backend_spec", "_provider", "_spec"}
"""The slots that are filled when a device is opened."""

_set = object.__setattr__
_lock = threading.RLock()
_devices: dict[tuple[Provider, str], Device] = {}
_lost: set[Backend] = set()
"""The libraries that did not survive the fork of this process."""
_observers: list[Callable[[Device], None]] = []
"""Functions of blocks of :func:`observed`."""
_names: dict[tuple[Provider, str], tuple[int, str]] = {}
"""Cache of device names, each with the registry's generation."""


def intern(provider: Provider, spec: str) -> Device:
    with _lock:
        key = (provider, spec)
        if key not in _devices:
            library, target = provider.storage(spec)
            new: Device = object.__new__(_Unopened)
            for name, value in (
                ("_provider", provider),
                ("_spec", spec),
                ("_library", library),
                ("_backend_spec", target),
            ):
                _set(new, name, value)
            if library in _lost:
                _set(new, "__class__", _Forked)
            _devices[key] = new
        return _devices[key]


@contextmanager
def observed(observer: Callable[[Device], None]) -> Iterator[None]:
    """Call a function with each device that is open, and with each that opens within the block, before it computes."""
    with _lock:
        _observers.append(observer)
        for target in [target for target in _devices.values() if target.__class__ is Device]:
            observer(target)
    try:
        yield
    finally:
        with _lock:
            _observers.remove(observer)


def lose(libraries: Iterable[Backend]) -> None:
    """Refuse the devices of libraries that did not survive the fork of this process; forget other threads' locks."""
    global _lock
    _lock = threading.RLock()
    _lost.update(libraries)
    for target in _devices.values():
        if target._provider.storage(target._spec)[0] in _lost:
            _set(target, "__class__", _Forked)


def restore(backend: str, spec: str) -> Device:
    """Return the device of a pickle: itself, else one of the same spec, else the default device."""
    for entry in (
        *(entry for entry in registry.entries() if entry.name == backend),
        *registry.serving(spec.partition(":")[0]),
    ):
        try:
            provider = entry.probe()
        except BackendUnavailableError:
            continue
        if spec in entry.devices:
            return intern(provider, spec)
    return default_device()


def _open(target: Device) -> None:
    """Assemble a device's functions; where that fails, the device stays unopened and can be tried again."""
    with _lock, postponed(f"opening device {target._spec!r}"):
        if target.__class__ is Device:
            return
        provider, spec, library = target._provider, target._spec, target._library
        try:
            values = _assembled(provider, spec, library, target._backend_spec)
        except BackendUnavailableError:
            raise
        except Exception as error:
            raise BackendUnavailableError(f"device {spec} cannot be opened: {type(error).__name__}: {error}") from error
        for name, value in values.items():
            _set(target, name, value)
        _set(target, "__class__", Device)
        for observer in _observers:
            observer(target)


def _assembled(provider: Provider, spec: str, library: Backend, library_spec: str) -> dict[str, object]:
    """Return the values of a device's slots."""
    functions = Functions(provider, spec)
    dlpack_device = library.dlpack_device(library_spec)
    default_float = np.dtype(library.default_float(library_spec))
    default_integer = np.dtype(library.default_integer(library_spec))
    names = library.dtypes(library_spec)
    base = library.base(library_spec)
    return {
        "base": base,
        "level": 0 if base is None else base.level + 1,
        "dtypes": frozenset(np.dtype(name) for name in names if name != "bfloat16"),
        "default_dtypes": {
            "real floating": default_float,
            "complex floating": np.result_type(default_float, np.complex64),
            "integral": default_integer,
            "indexing": default_integer,
        },
        "dlpack_device": dlpack_device,
        "host": dlpack_device[0] == 1 and base is None and not library.lazy,
        "native_type": library.native_type,
        "from_scalar": np.asanyarray
        if library.native_type is np.ndarray
        else lambda scalar: library.normalize(scalar, library_spec),
        "getitem": None if type(library).getitem is Backend.getitem else library.getitem,
        "setitem": None if type(library).setitem is Backend.setitem else library.setitem,
        "table": functions.table,
        "_functions": functions,
    }


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
    found = _named.get(spec)
    if found is not None and found[0] == registry.generation:
        return found[1]
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
    found = []
    for entry in entries:
        try:
            provider = entry.probe()
        except BackendUnavailableError:
            continue
        if provider.has_values:
            found += [intern(provider, spec) for spec in entry.devices]
    names = [entry.name for entry in registry.entries()]
    chosen = registry.priority()

    def preference(target: Device) -> tuple[int, float, int]:
        position = chosen.index(target.backend) if target.backend in chosen else len(chosen)
        return position, -registry.rank(target._provider, target._spec), names.index(target.backend)

    return tuple(sorted(found, key=preference))


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
