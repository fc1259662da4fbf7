"""The registry of backends: the entry points of installed packages, and those registered at run time.

Requirements: nothing is loaded before somebody asks for a device; a backend that cannot be loaded, or has no working
library, is recorded with its reason and affects no other backend; each backend is asked once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .backend import Provider
from .errors import BackendUnavailableError, describe

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "BackendInfo",
    "Entry",
    "backends",
    "entries",
    "generation",
    "priority",
    "register_backend",
    "serving",
    "set_backend_priority",
]

GROUP = "xtensor.backends"


class BackendInfo(NamedTuple):
    """A backend as :func:`backends` reports it.

    Attributes
    ----------
    name, kinds, requires
        Its name, the kinds of device it serves, and what to install to have it.
    available
        Whether it works on this machine; if not, ``reason`` tells why and ``remedy`` what to do.
    version
        The version of its library, or None.
    devices
        The specs of its devices.
    dtypes, fp64
        The dtypes that its first device supports, and whether float64 is among them.
    """

    name: str
    available: bool
    reason: str = ""
    remedy: str = ""
    version: str | None = None
    kinds: tuple[str, ...] = ()
    requires: str = ""
    devices: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    fp64: bool = False


class Entry:
    """A backend that may not be loaded yet, may not work, and is asked once."""

    def __init__(self, name: str, source: EntryPoint | Provider) -> None:
        self.name = name
        self._source = source
        self._lock = threading.RLock()
        self._backend: Provider | None = None
        self._failure: BackendUnavailableError | None = None
        self._version: str | None = None
        self._devices: tuple[str, ...] = ()
        self._probed = False

    def load(self) -> Provider:
        """Return the backend object without importing its library; raise :class:`BackendUnavailableError`."""
        with self._lock:
            if self._backend is None and self._failure is None:
                source = self._source
                try:
                    backend = source if isinstance(source, Provider) else source.load()
                    if not isinstance(backend, Provider):
                        raise TypeError(f"its entry point is {describe(backend)}, not an xtensor.backend.Backend")
                    self._backend = backend
                except Exception as error:
                    self._failure = _unavailable(f"backend {self.name!r} cannot be loaded", error)
            if self._backend is None:
                raise self._fresh_failure()
            return self._backend

    def probe(self) -> Provider:
        """Return the backend after importing its library and counting devices; raise BackendUnavailableError."""
        if self._probed and self._failure is None and self._backend is not None:
            return self._backend
        with self._lock:
            backend = self.load()
            if not self._probed:
                try:
                    self._version = backend.probe()
                    self._devices = tuple(backend.devices())
                    if not self._devices:
                        raise BackendUnavailableError(f"backend {self.name!r} finds no device", backend.requires)
                except Exception as error:
                    remedy = f'python -m pip install --upgrade "{backend.requires}"' if backend.requires else ""
                    self._failure = _unavailable(f"backend {self.name!r} does not work here", error, remedy)
                self._probed = True
            if self._failure is not None:
                raise self._fresh_failure()
            return backend

    @property
    def devices(self) -> tuple[str, ...]:
        """Specs of its devices; empty before the probe, and if the backend does not work."""
        return self._devices

    def serves(self, kind: str) -> bool:
        """Whether this backend serves a kind of device, or has that name."""
        try:
            return kind == self.name or kind in self.load().kinds
        except BackendUnavailableError:
            return kind == self.name

    def info(self) -> BackendInfo:
        """Return the backend's state as :func:`backends` reports it."""
        try:
            backend = self.probe()
        except BackendUnavailableError as failure:
            loaded = self._backend
            return BackendInfo(
                name=self.name,
                available=False,
                reason=failure.reason,
                remedy=failure.remedy or (f'python -m pip install "{loaded.requires}"' if loaded else ""),
                kinds=loaded.kinds if loaded else (),
                requires=loaded.requires if loaded else "",
            )
        spec = self._devices[0]
        library, place = backend.storage(spec)
        dtypes = tuple(library.dtypes(place))
        return BackendInfo(
            name=self.name,
            available=True,
            version=self._version,
            kinds=backend.kinds,
            requires=backend.requires,
            devices=self._devices,
            dtypes=dtypes,
            fp64="float64" in dtypes,
        )

    def _fresh_failure(self) -> BackendUnavailableError:
        """A new exception each time, so that no traceback grows on the recorded one."""
        failure = self._failure
        if failure is None:  # pragma: no cover - callers know of a failure
            raise AssertionError("no failure is recorded")
        fresh = BackendUnavailableError(failure.reason, failure.remedy)
        fresh.__cause__ = failure.__cause__
        return fresh


def _unavailable(what: str, error: Exception, remedy: str = "") -> BackendUnavailableError:
    # The failure is recorded for the life of the process, and a traceback's frames would keep their variables alive.
    cause: BaseException | None = error
    while cause is not None and cause.__traceback__ is not None:
        cause.__traceback__ = None
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, BackendUnavailableError):
        return error
    failure = BackendUnavailableError(f"{what}: {type(error).__name__}: {error}", remedy)
    failure.__cause__ = error
    return failure


_lock = threading.RLock()
_entries: dict[str, Entry] = {}
_priority: tuple[str, ...] = ()
generation = 0
"""Counts registrations and changes of priority, so that results cached before such a change are found again."""
_discovered = False


def entries() -> tuple[Entry, ...]:
    """Return all backends, those named by :func:`set_backend_priority` first."""
    global _discovered
    with _lock:
        if not _discovered:
            from importlib.metadata import entry_points  # as costly to import as everything else here together

            for point in entry_points(group=GROUP):
                _entries.setdefault(point.name, Entry(point.name, point))
            _discovered = True
        chosen = [_entries[name] for name in _priority if name in _entries]
        return (*chosen, *(entry for entry in _entries.values() if entry not in chosen))


def serving(kind: str) -> list[Entry]:
    """Return the backends that serve a kind of device, the one that serves it by default first."""
    able = [entry for entry in entries() if entry.serves(kind)]

    def preference(entry: Entry) -> tuple[int, int]:
        position = _priority.index(entry.name) if entry.name in _priority else len(_priority)
        try:
            return position, -entry.load().rank(kind)
        except BackendUnavailableError:
            return position, 0

    return sorted(able, key=preference)


def priority() -> tuple[str, ...]:
    """Return the backends named by :func:`set_backend_priority`."""
    return _priority


def register_backend(backend: Provider) -> None:
    """Make a backend's devices known to this process.

    Parameters
    ----------
    backend
        A :class:`xtensor.backend.Backend` or :class:`xtensor.backend.Overlay`. Its library is imported when one of its
        devices is first asked for.

    Raises
    ------
    TypeError
        If it is not a Backend.
    ValueError
        If a backend of that name is registered already.
    """
    if not isinstance(backend, Provider):
        raise TypeError(f"register_backend() takes an instance of xtensor.backend.Backend, not {describe(backend)}")
    global generation
    entries()
    with _lock:
        if backend.name in _entries:
            raise ValueError(f"a backend named {backend.name!r} is registered already; give yours another name")
        _entries[backend.name] = Entry(backend.name, backend)
        generation += 1


def backends() -> tuple[BackendInfo, ...]:
    """Return every registered backend: whether it works, the reason if not, the remedy, its version and its devices.

    Imports each backend's library, but initialises no device.
    """
    return tuple(entry.info() for entry in entries())


def set_backend_priority(names: Sequence[str]) -> None:
    """Set the backends that are preferred where two serve one kind of device, and for the default device.

    Parameters
    ----------
    names
        Names of backends, the preferred one first; the others follow in their own order. ``[]`` restores that order.

    Raises
    ------
    ValueError
        If there is no backend of that name.
    """
    global generation, _priority
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"set_backend_priority() takes a list of backend names, not {describe(names)}")
    known = [entry.name for entry in entries()]
    for name in names:
        if name not in known:
            raise ValueError(f"there is no backend named {name!r}; there are {', '.join(known)}")
    with _lock:
        _priority = tuple(names)
        generation += 1
