"""Transfers of native arrays between devices, and the policy for transfers that were not requested.

Requirements: no array moves silently unless the user allowed it; values, dtype and shape are preserved; the policy is
that of one thread or task, so that a library's choice does not affect other threads of its caller.
"""

from __future__ import annotations

from collections import Counter
from types import FrameType, TracebackType
from typing import Any, Literal

import numpy as np

from .backend import Native
from .device import Device, base_device
from .errors import DeviceMismatchError, caller_frame, describe
from .scopes import Setting
from .tracing_errors import UnknownValueError

__all__ = [
    "allowed",
    "check_transfer",
    "computations",
    "forbid_computations",
    "host_values",
    "join",
    "lowered",
    "move",
    "note_computation",
    "transfers",
]

Policy = Literal["forbid", "allow", "log"]

computations: Counter[str] = Counter()
"""The number of computations by device that Python's conversions, index arrays and lengths needed."""

_policy: Setting[Policy] = Setting("xtensor_transfers")

_forbidden: Setting[bool] = Setting("xtensor_forbidden_computations")


class transfers:  # noqa: N801 - reads as a function, and works as one
    """Set the policy for transfers between devices that no call requests; also a context manager.

    ``transfers("allow")`` sets the policy for this thread or task; ``with transfers("allow"):`` does so for a block.

    Parameters
    ----------
    policy
        ``"forbid"`` (the default): operands on two devices raise, and so does an implicit copy to the host.
        ``"allow"``: operands move to the device of the first array, and ``numpy.asarray(x)`` copies to the host.
        ``"log"``: as ``"allow"``; each transfer is logged with its bytes and its caller (logger ``xtensor.transfers``).

    Raises
    ------
    ValueError
        For any other policy.

    Examples
    --------
    >>> import xtensor as xp
    >>> with xp.transfers("allow"):
    ...     pass
    """

    __slots__ = ("_before", "_block", "_policy")

    def __init__(self, policy: Policy) -> None:
        if policy not in ("forbid", "allow", "log"):
            raise ValueError(f"a transfer policy is 'forbid', 'allow' or 'log', not {describe(policy)}")
        self._policy: Policy = policy
        self._before = _policy.innermost()
        _policy.state(policy)

    def __enter__(self) -> None:
        self._block = _policy.begin(self._policy, outer=self._before)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._block.end()


class forbid_computations:  # noqa: N801 - a context manager
    """Raise UnknownValueError, a TypeError, in a block where Python needs a value that an engine has not computed.

    Otherwise the value is computed, in conversions (``bool(x)``, ``float(x)``), for index arrays, and by functions
    whose result's length depends on values. Libraries that ask whether an array is lazy, such as SciPy, then compute
    nothing for their own checks.

    Examples
    --------
    >>> import xtensor as xp
    >>> with xp.engines.forbid_computations():
    ...     pass
    """

    __slots__ = ("_block",)

    def __enter__(self) -> None:
        self._block = _forbidden.begin(True, outer=_forbidden.innermost())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._block.end()


def move(native: Native, source: Device, target: Device) -> Native:
    """Return a native array of ``source`` as one of ``target``: a view where both can read the memory, else a copy."""
    if source is target:
        return native
    if source.level > target.level and source.base is not None:
        return move(source._library.lower(native), source.base, target)
    if target.base is not None:
        return target._library.lift(move(native, source, target.base))
    if not target.supports(native.dtype):
        raise TypeError(
            f"an array of dtype {native.dtype} cannot move from {source} to {target}, which supports "
            f"{', '.join(target.dtype_names())}; cast it with xtensor.astype first"
        )
    if not target._provider.has_values:
        described = np.broadcast_to(np.zeros((), native.dtype), native.shape)  # nothing is fetched
        return target._library.from_host(described, target._backend_spec, copy=None)
    if source.dlpack_device == target.dlpack_device and not (source.host or source._library.lazy):
        try:
            return target._library.from_dlpack(native, target._backend_spec, copy=None)
        except (BufferError, TypeError):
            pass  # a dtype that DLPack has no name for: the way over the host keeps it
    return target._library.from_host(source._library.to_host(native), target._backend_spec, copy=None)


def lowered(native: Native, device: Device) -> tuple[Native, Device]:
    """Return a native array, and its device, below all transforms; TypeError where that loses what they know of it."""
    while device.base is not None:
        native, device = device._library.lower(native), device.base
    return native, device


def allowed(native: Native, source: Device | None, target: str) -> bool:
    """Whether the policy allows an implicit transfer of a native array; logs it under the policy ``"log"``.

    ``source`` is None for a NumPy array.
    """
    if source is not None and source.base is not None:
        native, source = lowered(native, source)
        if source.host:
            return True
    block = _policy.innermost()
    policy = "forbid" if block is None else block.value
    if policy == "log":
        size = native.size * native.dtype.itemsize
        from logging import getLogger  # not worth its import before something is logged

        text = "%d bytes from %s to %s at %s"
        getLogger("xtensor.transfers").warning(text, size, source or "the host", target, _caller())
    return policy != "forbid"


def note_computation(size: int, device: str, purpose: str) -> None:
    """Count a computation that an engine makes because Python needs a value; log it under the policy ``"log"``.

    Parameters
    ----------
    size
        Bytes of the values.
    device
        The engine's device.
    purpose
        What needs the values: ``"bool()"``, ``"an index"``.

    Raises
    ------
    UnknownValueError
        In a block of :class:`forbid_computations`.
    """
    forbidden = _forbidden.innermost()
    if forbidden is not None and forbidden.value:
        raise UnknownValueError(
            f"{purpose} needs a value that device {device!r} has not computed, and computations are forbidden here; "
            "compute it with xtensor.engines.compute, or outside of xtensor.engines.forbid_computations()"
        )
    computations[device] += 1
    block = _policy.innermost()
    if block is not None and block.value == "log":
        from logging import getLogger

        text = "%s computes %d bytes for %s at %s"
        getLogger("xtensor.transfers").warning(text, device, size, purpose, _caller())


def join(native: Native, source: Device, target: Device) -> Native:
    """Return a native array on the device of the other operands; raise unless the policy allows it or it is 0-d.

    An array on the device that a transform stands on joins the transform's.
    """
    if target.base is not None and source.level < target.level:
        return target._library.lift(join(native, source, target.base) if source is not target.base else native)
    if source.host and native.ndim == 0:
        return move(native, source, target)
    if not allowed(native, source, str(target)):
        raise DeviceMismatchError(
            f"operands are on two devices, {target} and {source}: move one with x.to_device({str(target)!r}), "
            "or let operands move with xtensor.transfers('allow')"
        )
    return move(native, source, target)


def check_transfer(values: np.ndarray[Any, Any], target: Device, name: str) -> None:
    """Raise DeviceMismatchError unless the policy allows a NumPy array as an operand on a device; log it."""
    target = base_device(target)
    if not target.host and not allowed(values, None, str(target)):
        raise DeviceMismatchError(
            f"{name}() computes on {target}, and a NumPy array of shape {values.shape} is on the host: "
            f"move it with xtensor.asarray(a, device={str(target)!r}), or let operands move with "
            "xtensor.transfers('allow')"
        )


def host_values(native: Native, source: Device, what: str) -> np.ndarray[Any, Any]:
    """Return the values on the host for an implicit conversion; raise TypeError unless the policy allows it."""
    if source._provider.has_values and not source.host and not allowed(native, source, "the host"):
        raise TypeError(
            f"{what} would copy an array from {source} to the host; ask for the copy with x.to_device('cpu'), "
            "or allow it with xtensor.transfers('allow')"
        )
    return source._library.to_host(native)


def _caller() -> str:
    """Return file and line of the first frame outside this package."""
    frame: FrameType | None = caller_frame()
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "an unknown place"
