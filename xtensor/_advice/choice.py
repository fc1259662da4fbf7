"""``xtensor.best_device``: the most capable device, or the best one for a function."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

from .._core.array import Array
from .._core.device import Device
from .._core.devices import best_device as most_capable_device
from .._core.devices import device, eligible_devices
from .._core.errors import describe
from .._core.html import escape
from .._core.operations import TABLE
from .._core.rates import Rates, known_rates
from .._core.trees import flatten
from .._estimate import Estimate, estimate
from .._ops.elementwise import exponential, hyperbolic, trigonometric

__all__ = ["Advice", "Candidate", "best_device"]

PRODUCTS = frozenset(("matmul", "tensordot", "vecdot", "matvec", "vecmat", "linalg.outer", "linalg.matrix_power"))

TRANSCENDENTAL = frozenset((*exponential.__all__, *hyperbolic.__all__, *trigonometric.__all__))
"""Elementwise functions that compute longer than they move their operands.

``pow`` is not one of them: most exponents are small integers, for which libraries multiply.
"""

LARGEST_CHUNK = 128 * 2**20
"""Bytes of a chunk beyond which engines gain nothing."""

SHARE = 4
"""Chunks that a worker has in memory at one time: the one that it computes, and its neighbours."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A device, and what speaks for and against it.

    Attributes
    ----------
    device
        The device.
    has_room
        Whether it has the memory and the dtypes.
    seconds
        The estimated time with the transfers; None where its rates are not measured.
    reason
        The figures in words.
    """

    device: Device
    has_room: bool
    seconds: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Advice:
    """The advised device for a function; ``str`` gives the reasons.

    Attributes
    ----------
    device
        The advised device; None where no device here has room.
    ranking
        All devices that were considered, the best one first.
    reasons
        A sentence for each device, and the remedy where none has room or rates are not measured.
    estimate
        The estimate of the function's memory and work.
    """

    device: Device | None
    ranking: tuple[Candidate, ...]
    reasons: tuple[str, ...]
    estimate: Estimate

    def __str__(self) -> str:
        return "\n".join((f"best device: {self.device or 'none here'}", *self.reasons))

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(reason)}</li>" for reason in self.reasons)
        return f"<b>best device: {self.device or 'none here'}</b><ul>{items}</ul>"


@overload
def best_device(*, min_free_memory: int = 0) -> Device: ...


@overload
def best_device(function: Callable[..., Any], /, *args: Any, min_free_memory: int = 0, **kwargs: Any) -> Advice: ...


def best_device(function: Any = None, /, *args: Any, min_free_memory: int = 0, **kwargs: Any) -> Any:
    """Return the most capable device with enough free memory, or advise a device for a function.

    Devices of a rank below 0, ``strict`` and ``triton:interpret`` for example, are considered only where
    :func:`set_backend_priority` names their backend. Those of Metal, OpenCL and WebGPU are considered once
    ``python -m xtensor calibrate`` measured them faster than ``cpu``.

    Parameters
    ----------
    function
        A function that does not look at the values of its arrays. It is not run on values: :func:`xtensor.estimate`
        tells its memory and work. None: the device of the highest rank is returned.
    args, kwargs
        Its arguments, as :func:`xtensor.estimate` takes them. Arrays that are on a device already need no transfer.
    min_free_memory
        Bytes that must be free. More than 0, or a function, queries the devices, which may initialise them.

    Returns
    -------
    Device or Advice
        Without a function a Device. With one the advice: the device of the shortest estimated time among those with
        room, a ranking of all, and the reasons. Times come from the rates of this machine, which
        ``python -m xtensor calibrate`` measures; before that the devices are in the order of :func:`devices`.

    Raises
    ------
    ValueError
        Without a function, if no device has that much memory.
    BackendUnavailableError
        Without a function, if there is no device of a rank of 0 or more.
    UnknownValueError
        If the function depends on the values of an array.

    Notes
    -----
    The memory that a function needs on any device is taken to be that on ``cpu``. An operation takes the longer one of
    two times: that of the bytes that it moves and that of its operations, as in Williams, Waterman and Patterson,
    "Roofline: An Insightful Visual Performance Model for Multicore Architectures" (2009).
    """
    if function is None:
        if args or kwargs:
            given = ", ".join([*map(describe, args), *[f"{name}=" for name in kwargs]])
            raise TypeError(f"best_device() takes min_free_memory= alone without a function, not {given}")
        return most_capable_device(min_free_memory=min_free_memory)
    if not callable(function):
        raise TypeError(f"best_device() takes a function, not {describe(function)}; pass its arguments after it")
    if not isinstance(min_free_memory, int):
        raise TypeError(f"best_device(): min_free_memory is a number of bytes, not {describe(min_free_memory)}")
    estimated = estimate(function, *args, **kwargs)
    arrays = [leaf for leaf in flatten((args, kwargs))[0] if isinstance(leaf, Array)]
    targets = eligible_devices()
    rates = known_rates()
    candidates = [_candidate(target, estimated, arrays, min_free_memory, rates.get(str(target))) for target in targets]
    able = [item for item in candidates if item.has_room]
    unmeasured = [item for item in able if item.seconds is None]
    if not unmeasured:
        able.sort(key=lambda item: item.seconds or 0.0)
    ranking = (*able, *[item for item in candidates if not item.has_room])
    reasons = [item.reason for item in ranking]
    if not able:
        reasons.append(_in_chunks(estimated, arrays, targets))
    elif unmeasured:
        names = ", ".join([str(item.device) for item in unmeasured])
        reasons.append(
            f"no rates of {names} are measured, so that the order is that of xtensor.devices(); run "
            "python -m xtensor calibrate"
        )
    return Advice(able[0].device if able else None, ranking, tuple(reasons), estimated)


def _candidate(target: Device, estimated: Estimate, arrays: list[Array], least: int, rates: Rates | None) -> Candidate:
    results = [leaf for leaf in flatten(estimated.result)[0] if isinstance(leaf, Array)]
    missing = sorted({x.dtype.name for x in (*arrays, *results) if not target.supports(x.dtype)})
    if missing:
        return Candidate(target, False, None, f"{target}: it does not support {', '.join(missing)}; cast the arguments")
    here = sum([x.nbytes for x in arrays if x.device is target])
    need, free = max(estimated.peak_bytes - here, least), _free(target)
    if free is None:
        return Candidate(target, False, None, f"{target}: its library does not tell the free memory")
    room = f"needs {_size(need)} of {_size(free)} free"
    if need > free:
        return Candidate(target, False, None, f"{target}: no room, {room}")
    if rates is None:
        return Candidate(target, True, None, f"{target}: {room}, time unknown")
    transfer = _transfer_seconds(target, estimated, arrays, rates)
    work = _work_seconds(estimated, arrays, rates)
    text = f"{target}: {room}, about {work + transfer:.3g} s, {transfer:.3g} s of them for transfers"
    return Candidate(target, True, work + transfer, text)


def _free(target: Device) -> int | None:
    """Return the free memory of a device: where its library does not tell it, that of the host's memory."""
    free = target.memory().free
    return device("cpu").memory().free if free is None and target.host else free


def _transfer_seconds(target: Device, estimated: Estimate, arrays: list[Array], rates: Rates) -> float:
    """Return the time of the arguments' way to a device, and of the results' way back to where the arguments are."""
    moved = [x for x in arrays if x.device is not target and not (x.device.host and target.host)]
    if not moved:
        return 0.0
    if all(not x.device._provider.has_values for x in moved):
        return 0.0 if target.host else _both_ways(estimated.argument_bytes, estimated.result_bytes, rates)
    return _both_ways(sum([x.nbytes for x in moved]), estimated.result_bytes, rates)


def _both_ways(up: int, down: int, rates: Rates) -> float:
    return up / rates.upload + down / rates.download


def _work_seconds(estimated: Estimate, arrays: list[Array], rates: Rates) -> float:
    wide = any(x.dtype.kind in "fc" and x.dtype.itemsize // (2 if x.dtype.kind == "c" else 1) > 4 for x in arrays)
    products = rates.double if wide and rates.double else rates.single
    seconds = 0.0
    for name, cost in estimated.by_operation.items():
        bandwidth, operations = _limits(name, rates, products)
        moving = cost.moved_bytes / bandwidth
        computing = cost.operations / operations if operations else 0.0
        seconds += cost.calls * rates.call + max(moving, computing)
    return seconds


def _limits(name: str, rates: Rates, products: float) -> tuple[float, float | None]:
    """Return the bytes and the operations in a second that limit an operation; None where only its bytes do."""
    row = TABLE.get(name)
    kind = "" if row is None else row.kind
    if name in PRODUCTS:
        return rates.bandwidth, products
    if name in TRANSCENDENTAL or kind == "special":
        return rates.bandwidth, rates.functions
    if name in ("std", "var"):
        return rates.variances, None
    if kind == "reduction":
        return rates.reading, None
    return rates.bandwidth, {
        "linear algebra": rates.decompositions,
        "fourier": rates.transforms,
        "sorting": rates.sorting,
    }.get(kind)


def _in_chunks(estimated: Estimate, arrays: list[Array], targets: list[Device]) -> str:
    """Return the sentence on an engine that computes in chunks, with a size of chunk for the memory of the host."""
    free = max([_free(target) or 0 for target in targets], default=0)
    cores = max([target.info().cores or 1 for target in targets], default=1)
    growth = max(estimated.peak_bytes / max(estimated.argument_bytes, 1), 1.0)
    chunk = int(min(max(free / (SHARE * cores * growth), 2**20), LARGEST_CHUNK))
    text = (
        f"no device here has room for {_size(estimated.peak_bytes)}; "
        f"compute in chunks of about {_size(chunk)} on a device "
        "of kind 'dask'"
    )
    largest = max(arrays, key=lambda x: x.nbytes, default=None)
    if largest is None or not largest.ndim or largest.nbytes <= chunk:
        return text
    lengths = _chunk_lengths(largest.shape, chunk // largest.dtype.itemsize)
    return f"{text}, for the largest argument {lengths} of its shape {largest.shape}"


def _chunk_lengths(shape: tuple[int, ...], elements: int) -> tuple[int, ...]:
    """Return the lengths of a chunk of a number of elements at most: the first axes are divided."""
    lengths = list(shape)
    for axis, length in enumerate(shape):
        lengths[axis] = min(max(elements // math.prod(shape[axis + 1 :]), 1), length)
        if lengths[axis] * math.prod(shape[axis + 1 :]) <= elements:
            break
    return tuple(lengths)


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
