"""A record of what the devices compute: operations, implementations, times and bytes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from . import operations
from .device import Device, observed
from .html import table
from .implementation import Implementation
from .operations import Operation
from .text import text_table

__all__ = ["Profile", "Record", "active", "note_host_work", "profile"]


@dataclass(slots=True)
class Record:
    """Calls of one implementation of an operation on one device.

    Attributes
    ----------
    calls
        The number of calls that computed.
    seconds
        Their time. Devices that compute in the background are not waited for.
    bytes
        Bytes of the arrays among the operands and results.
    """

    calls: int = 0
    seconds: float = 0.0
    bytes: int = 0


@dataclass(slots=True)
class Profile:
    """Records of a block; ``str`` gives a table.

    Attributes
    ----------
    records
        By the names of the operation, the device and the implementation: ``"kernel"`` of an overlay for many elements,
        ``"fused kernel"``, or ``"function"``, the library's, a GPU kernel or a composition of other operations. A
        function that a device leaves to the host has a record of ``"host"`` in addition.
    """

    records: dict[tuple[str, str, str], Record] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.Lock, repr=False)

    def add(self, name: str, device: object, implementation: str, seconds: float, size: int) -> None:
        """Record a call."""
        with self._lock:
            record = self.records.setdefault((name, str(device), implementation), Record())
            record.calls += 1
            record.seconds += seconds
            record.bytes += size

    def _rows(self) -> list[tuple[str, ...]]:
        """Return the table: a header, then a row for each record, the longest time first."""
        rows: list[tuple[str, ...]] = [("operation", "device", "by", "calls", "ms", "GB/s")]
        for (name, device, implementation), record in sorted(self.records.items(), key=lambda item: -item[1].seconds):
            rate = record.bytes / record.seconds / 1e9 if record.seconds else 0.0
            rows.append((name, device, implementation, str(record.calls), f"{record.seconds * 1e3:.3f}", f"{rate:.1f}"))
        return rows

    def __str__(self) -> str:
        return text_table(self._rows(), words=3)

    def _repr_html_(self) -> str:
        return table(self._rows(), words=3)


active: Profile | None = None
"""The profile of the innermost block, None outside."""

_lock = threading.RLock()


@contextmanager
def profile() -> Iterator[Profile]:
    """Record what all devices of this process compute within a ``with`` block.

    Yields
    ------
    Profile
        The records: for each operation, device and implementation the number of calls, their time and bytes. Functions
        that are composed of others are listed with those, so that times are not to be added up.

    Examples
    --------
    >>> import xtensor as xp
    >>> x = xp.ones(1000)
    >>> with xp.profile() as record:
    ...     y = x * 2 + 1
    >>> record.records["multiply", str(x.device), "function"].calls
    1
    """
    global active
    restorations: list[Callable[[], None]] = []
    record = Profile()
    with _lock:
        if active is not None:
            raise RuntimeError("xtensor.profile() is active already in this process; leave its block first")
        active = record
    try:
        with observed(lambda device: restorations.append(_replaced(record, device))):
            yield record
    finally:
        for restore in restorations:
            restore()
        active = None


def note_host_work(name: str, device: str, seconds: float, size: int) -> None:
    """Record in the active profile that the host has computed an operation for a device, which has no kernel for it.

    Parameters
    ----------
    name, device
        The names of the operation and of the device.
    seconds
        The time, that of the copies to the host and back included.
    size
        Bytes of the operands.
    """
    record = active
    if record is not None:
        record.add(name, device, "host", seconds, size)


def _replaced(record: Profile, device: Device) -> Callable[[], None]:
    """Put functions that record their calls into a device's table; return a function that takes them out."""

    def replace(operation: Operation) -> None:
        for attribute in ("function", "kernel"):
            _replace(record, operation.name, device, device.table[operation.index], attribute)

    with operations.lock:
        for operation in operations.TABLE.values():
            replace(operation)
        device._functions.observer = replace  # for those of modules that are imported within the block

    def restore() -> None:
        device._functions.observer = None
        for implementation in device.table:
            for attribute in ("function", "kernel"):
                function = getattr(implementation, attribute)
                setattr(implementation, attribute, getattr(function, "chosen", function))

    return restore


def _replace(record: Profile, name: str, device: object, implementation: Implementation, attribute: str) -> None:
    """Put a function that records its calls in the place of an implementation's function or kernel."""

    def timed(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        result = timed.chosen(*args, **kwargs)  # type: ignore[attr-defined]
        seconds = time.perf_counter() - start
        current = getattr(implementation, attribute)
        if current is not timed:  # the first call has put the chosen function there
            timed.chosen = current  # type: ignore[attr-defined]
            setattr(implementation, attribute, timed)
        if result is not NotImplemented:
            size = sum(getattr(x, "size", 0) * x.dtype.itemsize for x in (*args, result) if hasattr(x, "dtype"))
            record.add(name, device, attribute, seconds, size)
        return result

    timed.chosen = getattr(implementation, attribute)  # type: ignore[attr-defined]
    setattr(implementation, attribute, timed)
