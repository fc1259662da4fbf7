"""The class Device: a place to compute, with its functions bound. :mod:`xtensor._core.devices` finds and chooses them.

Requirements: a Device is a small immutable value, one object for each place, so that ``is`` compares; making
or printing it initialises no hardware; its functions are assembled when first needed.
"""

from __future__ import annotations

from _thread import RLock
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from . import operations, registry
from .backend import Backend, Native, Provider
from .dtypes import EXTENSION_DTYPES, DType
from .errors import BackendUnavailableError, describe
from .html import facts, size_text
from .implementation import Implementation
from .interrupts import postponed
from .operations import is_declared

if TYPE_CHECKING:
    from .device_info import DeviceInfo, Memory
    from .functions import Functions

__all__ = [
    "Device",
    "base_device",
    "intern",
    "lose",
    "observed",
    "restore",
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
        "widens_float16",
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
    widens_float16: bool
    """Whether the core computes sums and products of float16 in float32: see :class:`Backend`."""
    dtypes: frozenset[DType]
    """The dtypes it supports, extension dtypes left out: see :meth:`supports`."""
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
        named = _names.get(key)
        if named is None or named[0] != generation:
            named = _names[key] = generation, self._find_name()
        return named[1]

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
        return dtype in self.dtypes or (dtype.kind == "V" and dtype.name in self.dtype_names())

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
            self._raise_unsupported()
        raise AttributeError(f"a Device has no attribute {name!r}")

    def _raise_unsupported(self, *_: Any, **__: Any) -> Any:
        raise BackendUnavailableError(
            f"device {self.name} cannot be used in this process, which was forked: its library does not survive a fork",
            "Start processes by spawning them: multiprocessing.get_context('spawn')",
        )

    memory = release_memory = limit_pool = _raise_unsupported


for _slot in ("_functions", "_library", "getitem", "native_type", "setitem", "table", "widens_float16"):
    setattr(_Forked, _slot, property(_Forked._raise_unsupported))

OPENED = frozenset(Device.__slots__) - {"__weakref__", "_library", "_backend_spec", "_provider", "_spec"}
"""The slots that are filled when a device is opened."""

_set = object.__setattr__
_lock = RLock()
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


def base_device(device: Device) -> Device:
    """Return the device below all transforms."""
    while device.base is not None:
        device = device.base
    return device


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
    _lock = RLock()
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
    return operations.namespace.default_device()  # type: ignore[no-any-return]


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
    from .functions import Functions  # which imports the corrections, not worth their import before a device opens

    functions = Functions(provider, spec)
    dlpack_device = library.dlpack_device(library_spec)
    default_float = np.dtype(library.default_float(library_spec))
    default_integer = np.dtype(library.default_integer(library_spec))
    names = library.dtypes(library_spec)
    base = library.base(library_spec)
    return {
        "base": base,
        "level": 0 if base is None else base.level + 1,
        "dtypes": frozenset(np.dtype(name) for name in names if name not in EXTENSION_DTYPES),
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
        "widens_float16": library.widens_float16,
        "_functions": functions,
    }
