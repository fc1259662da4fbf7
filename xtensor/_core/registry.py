"""The registry of backends: the entry points of installed packages, and those registered at run time.

Requirements: nothing is loaded before somebody asks for a device; a backend that cannot be loaded, has no working
library or breaks the contract is recorded with its reason and affects no other backend; each backend is asked once. The
names of our own backends and the kinds of device that they serve cannot be taken by installing another package: other
backends are asked for a kind of ours only where :func:`set_backend_priority` names them.
"""

from __future__ import annotations

import math
import os
from _thread import RLock
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .backend import Backend, Overlay, Provider
from .errors import BackendUnavailableError, describe, install_command
from .interrupts import postponed

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from .device_info import BackendInfo

__all__ = [
    "Entry",
    "backends",
    "entries",
    "generation",
    "not_installed",
    "packages",
    "priority",
    "register_backend",
    "serving",
    "set_backend_priority",
]

GROUP = "xtensor.backends"

OF_ONE_KIND = frozenset(("cubed", "dask", "jax", "mlx", "opencl", "torch", "webgpu"))
"""The names of our own backends that serve the kind of their name only, and are not loaded for other kinds."""

RESERVED = OF_ONE_KIND | {"cupy", "dpnp", "llvm", "meta", "numpy", "strict", "triton"}
"""The names of our own backends, whose modules are ``xtensor_backends.<name>``; that of ``meta`` is in this package."""

UNMEASURED = -100.0
"""The rank of a device that has to be measured before it is chosen by itself."""

META = "xtensor._meta:backend"
"""The backend of the device ``meta``, which needs no library and is in every installation."""


class Entry:
    """A backend that may not be loaded yet, may not work, and is asked once."""

    def __init__(self, name: str, source: EntryPoint | Provider | BackendUnavailableError) -> None:
        self.name = name
        self._source = source
        self.lock = RLock()
        """Held while the backend is loaded and probed."""
        self._backend: Provider | None = None
        self._failure: BackendUnavailableError | None = None
        if isinstance(source, BackendUnavailableError):
            self._failure = source
        self._version: str | None = None
        self._devices: tuple[str, ...] = ()
        self._probed = False

    @property
    def source(self) -> EntryPoint | Provider | BackendUnavailableError:
        """Where the backend is from."""
        return self._source

    @property
    def registered(self) -> bool:
        """Whether the program itself registered the backend."""
        return isinstance(self._source, Provider)

    @property
    def is_overlay(self) -> bool:
        """Whether the backend is known to compute with another backend's arrays."""
        return isinstance(self._backend, Overlay)

    @property
    def chosen_by_itself(self) -> bool:
        """Whether a device of the backend may be the default one without being named; True where it does not load."""
        try:
            backend = self.load()
        except BackendUnavailableError:
            return True
        return backend.chosen_by_itself or any(
            spec.partition(":")[0] in backend.kinds and _declared_rank(backend, spec) >= 0 for spec in _faster_devices()
        )

    def is_made_of(self, point: EntryPoint) -> bool:
        """Whether the backend is that of an entry point."""
        return getattr(self._source, "value", None) == point.value

    def load(self) -> Provider:
        """Return the backend object without importing its library; raise :class:`BackendUnavailableError`."""
        with self.lock:
            if self._backend is None and self._failure is None:
                with postponed(f"loading backend {self.name!r}") as interrupts:
                    try:
                        self._backend = self._checked(self._source)
                    except BaseException as error:  # a plugin may raise SystemExit
                        if interrupts.raised:
                            raise
                        self._failure = _unavailable(f"backend {self.name!r} cannot be loaded", error)
            if self._backend is None:
                raise self._fresh_failure()
            return self._backend

    def _checked(self, source: Any) -> Provider:
        backend = source if isinstance(source, Provider) else source.load()
        if not isinstance(backend, Provider):
            raise TypeError(f"its entry point is {describe(backend)}, not an xtensor.backend.Backend")
        check_provider(backend)
        if backend.name != self.name:
            raise ValueError(f"its entry point is named {self.name!r} and its attribute name is {backend.name!r}")
        return backend

    def probe(self) -> Provider:
        """Return the backend after importing its library and counting devices; raise BackendUnavailableError."""
        if self._probed and self._failure is None and self._backend is not None:
            return self._backend
        with self.lock:
            backend = self.load()
            if not self._probed:
                with postponed(f"probing backend {self.name!r}") as interrupts:
                    try:
                        self._version = backend.probe()
                        self._devices = _checked_specs(backend)
                    except BaseException as error:  # a library may raise SystemExit
                        if interrupts.raised:
                            raise
                        remedy = _remedy(backend, upgrade=True)
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
        from .device_info import BackendInfo

        try:
            backend = self.probe()
            library, storage_spec = backend.storage(self._devices[0])
            dtypes = tuple(library.dtypes(storage_spec))
        except Exception as error:
            failure = _unavailable(f"backend {self.name!r} does not work here", error)
            loaded = self._backend
            return BackendInfo(
                name=self.name,
                available=False,
                reason=failure.reason,
                remedy=failure.remedy or (_remedy(loaded) if loaded else ""),
                kinds=loaded.kinds if loaded else (),
                requires=loaded.requires if loaded else "",
            )
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


def rank(backend: Provider, spec: str) -> float:
    """Return the preference for a device or a kind: below 0 where it must be measured faster than ``cpu`` before."""
    if is_measured_first(backend, spec) and spec not in _faster_devices():
        return UNMEASURED
    return _declared_rank(backend, spec)


def is_measured_first(backend: Provider, spec: str) -> bool:
    """Whether a device may be chosen by itself, but not before it was measured faster than ``cpu``."""
    return not backend.chosen_by_itself and _declared_rank(backend, spec) >= 0


def _declared_rank(backend: Provider, spec: str) -> float:
    """Return a backend's own preference; minus infinity where it cannot tell."""
    try:
        return float(backend.rank(spec))
    except Exception:
        return -math.inf


def _faster_devices() -> list[str]:
    from .rates import faster_devices

    return faster_devices()


def check_provider(backend: Provider) -> None:
    """Raise TypeError unless a backend's name and kinds are as the contract has them."""
    if not isinstance(backend.name, str) or not backend.name:
        raise TypeError(f"a backend's name is a string, not {describe(backend.name)}")
    kinds = backend.kinds
    if not isinstance(kinds, (tuple, list)) or not kinds or not all(isinstance(kind, str) for kind in kinds):
        raise TypeError(f"the kinds of backend {backend.name!r} are a tuple of strings, not {describe(kinds)}")


def _remedy(backend: Provider, *, upgrade: bool = False) -> str:
    """Return the command that installs the requirement of a backend; empty without one."""
    return install_command(backend.requires, upgrade=upgrade) if backend.requires else ""


def _checked_specs(backend: Provider) -> tuple[str, ...]:
    """Return the specs of a backend's devices."""
    specs = tuple(backend.devices())
    if not specs:
        raise BackendUnavailableError(f"backend {backend.name!r} finds no device", _remedy(backend))
    for spec in specs:
        if not isinstance(spec, str) or spec.partition(":")[0] not in backend.kinds:
            raise TypeError(f"its devices are strings that begin with one of {backend.kinds}, not {describe(spec)}")
    return specs


def _unavailable(what: str, error: BaseException, remedy: str = "") -> BackendUnavailableError:
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


_lock = RLock()
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
            # as costly to import as everything else here together
            from importlib.metadata import EntryPoint, entry_points

            _entries["meta"] = Entry("meta", EntryPoint("meta", META, GROUP))
            points = entry_points(group=GROUP)
            for point in sorted(points, key=_is_another_packages):
                _add(point)
            _discovered = True
        chosen = [_entries[name] for name in _priority if name in _entries]
        return (*chosen, *(entry for entry in _entries.values() if entry not in chosen))


def packages() -> frozenset[str]:
    """Return the top-level modules of the backends that installed packages have."""
    sources = [entry.source for entry in entries()]
    return frozenset(source.module.partition(".")[0] for source in sources if hasattr(source, "module"))


def _is_another_packages(point: EntryPoint) -> bool:
    """Whether an entry point is not one of our own backends."""
    return point.name not in RESERVED or point.module != f"xtensor_backends.{point.name}"


def _add(point: EntryPoint) -> None:
    """Register an entry point; one whose name is taken is registered under another name, with the conflict."""
    known = _entries.get(point.name)
    if known is not None and known.is_made_of(point):
        return  # a package that the path holds twice
    if known is None and not (point.name in RESERVED and _is_another_packages(point)):
        _entries[point.name] = Entry(point.name, point)
        return
    package = point.dist.name if point.dist is not None else point.value
    _entries[f"{point.name} ({package})"] = Entry(
        f"{point.name} ({package})",
        BackendUnavailableError(
            f"the package {package!r} names a backend {point.name!r}, and that name "
            + ("belongs to xtensor" if point.name in RESERVED else "is that of another package's backend"),
            f"Uninstall {package!r}, or rename its entry point {point.value!r}",
        ),
    )


def serving(kind: str) -> list[Entry]:
    """Return the backends that serve a kind of device, the one that serves it by default first.

    Another package's backend is asked where none of ours serves the kind, or where the priority names it.
    """
    known = entries()
    first = (RESERVED - OF_ONE_KIND).union(_priority)
    asked = [entry for entry in known if entry.name in first or entry.registered]
    others = [entry for entry in known if entry not in asked]
    able = (
        [entry for entry in asked if entry.serves(kind)]
        or [entry for entry in others if entry.name == kind]  # without loading the rest
        or [entry for entry in others if entry.serves(kind)]
    )

    def preference(entry: Entry) -> tuple[int, float]:
        position = _priority.index(entry.name) if entry.name in _priority else len(_priority)
        try:
            return position, -rank(entry.load(), kind)
        except BackendUnavailableError:
            return position, math.inf

    return sorted(able, key=preference)


def not_installed() -> tuple[str, str]:
    """Return the reason and the remedy where none of our own backends is registered; two empty strings elsewhere.

    Entry points are part of an installation. A source tree on the path can be imported, and has none.
    """
    if any(entry.name in RESERVED - {"meta"} for entry in entries()):
        return "", ""
    # Not by pathlib, whose import takes a fifth of the time that ``import xtensor`` takes after NumPy.
    root = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
    return (
        f"xtensor is imported from {root} and is not installed, so that its backends are not registered",
        f'Run python -m pip install "{root}"'
        if os.path.exists(os.path.join(root, "pyproject.toml"))
        else "Install xtensor again",
    )


def locks() -> list[Any]:
    """Return the locks that a fork waits for, in the order in which they are taken."""
    return [_lock, *(entry.lock for entry in _entries.values())]


def renew_locks() -> None:
    """Replace the locks in a forked process: another thread, which is gone, may have held one."""
    global _lock
    _lock = RLock()
    for entry in _entries.values():
        entry.lock = RLock()


def lost_libraries() -> set[Backend]:
    """Return the libraries that were probed and do not survive a fork."""
    probed = [entry for entry in _entries.values() if entry.devices]
    libraries = {entry.load().storage(spec)[0] for entry in probed for spec in entry.devices}
    return {library for library in libraries if not library.survives_fork}


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
    check_provider(backend)
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
