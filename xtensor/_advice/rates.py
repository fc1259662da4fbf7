"""The measurement of the rates of this machine's devices by ``python -m xtensor calibrate``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import _ops as xp
from .. import fft, linalg
from .._core.array import Array, to_numpy
from .._core.device import Device
from .._core.devices import devices, eligible_devices
from .._core.rates import Rates, keep_rates
from .._core.registry import is_measured_first

__all__ = ["calibrate", "candidates", "measure"]

ROWS = 1024
"""Rows and columns of the matrices that are multiplied and transformed."""

FEW_ROWS = 256
"""Rows and columns of the matrix that is decomposed."""

LONG = 2**23
"""Elements of the arrays that are added, reduced and transferred, which exceed the caches of most processors."""

SORTED_ROWS = 64
"""Rows of the array that is sorted along its rows."""

CALLS = 200
"""Calls with one element, whose time is that of a call."""

CACHED = 2**16
"""Elements of the array whose exponentials are computed, which the caches hold."""

ROUNDS = 3

REPEATS = 2
"""Measurements in a round."""


def candidates() -> list[Device]:
    """Return the devices that may be chosen without being named, and those that may if they are faster than ``cpu``."""
    eligible = eligible_devices()
    return [item for item in devices() if item in eligible or is_measured_first(item._provider, item._spec)]


def calibrate(
    targets: Iterable[Device], progress: Callable[[str, float], None] = lambda what, part: None
) -> dict[str, Rates]:
    """Measure the rates of devices, keep those of each, and return them by the devices' names.

    ``progress`` is called before each measurement with its name and the part that is done.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    targets = list(targets)
    measured = {}
    for number, target in enumerate(targets):

        def report(what: str, part: float, number: int = number, target: Device = target) -> None:
            progress(f"{target}: {what}", (number + part) / len(targets))

        measured[str(target)] = measure(target, report)
        keep_rates(str(target), measured[str(target)])
    return measured


def measure(device: Device, report: Callable[[str, float], None] = lambda what, part: None) -> Rates:
    """Measure the rates of a device, in float64 where it has that dtype.

    Everything is measured in a few rounds, of which the shortest time counts: other programs disturb for seconds.
    """
    works = _works(device)
    shortest = dict.fromkeys(works, math.inf)
    for turn in range(ROUNDS):
        for number, (name, (_, _, run)) in enumerate(works.items()):
            report(works[name][0], (turn + number / len(works)) / ROUNDS)
            shortest[name] = min(shortest[name], _seconds(device, run))
    report("done", 1.0)
    rates = {name: amount / shortest[name] for name, (_, amount, _) in works.items()}
    return Rates(**{"double": 0.0} | rates | {"call": shortest["call"] / CALLS})


def _works(device: Device) -> dict[str, tuple[str, float, Callable[[], Any]]]:
    """Return for each rate what is measured in words, the amount of work, and a function that does it."""
    has_double = device.supports(np.dtype(np.float64))
    real, complexes = (xp.float64, xp.complex128) if has_double else (xp.float32, xp.complex64)
    host = np.ones(LONG, real)
    x = xp.asarray(host, device=device, copy=True)
    few = x[:CACHED]
    one = x[:1]
    unsorted = xp.asarray(np.random.default_rng(0).random((SORTED_ROWS, ROWS)), dtype=real, device=device)
    a = xp.ones((ROWS, ROWS), dtype=xp.float32, device=device)
    b, c = xp.astype(a, real), xp.astype(a, complexes)
    matrix = _symmetric(device, real)
    cube = 2.0 * ROWS**3
    works: dict[str, tuple[str, float, Callable[[], Any]]] = {
        "upload": ("transfers", host.nbytes, lambda: xp.asarray(host, device=device, copy=True)),
        "download": ("transfers", host.nbytes, lambda: to_numpy(x)),
        "bandwidth": ("elementwise operations", 3 * host.nbytes, lambda: x + x),
        "functions": ("elementwise operations", few.size, lambda: xp.exp(few)),
        "call": ("elementwise operations", CALLS, lambda: [one + one for _ in range(CALLS)]),
        "reading": ("reductions", host.nbytes, lambda: xp.sum(x)),
        "variances": ("reductions", host.nbytes, lambda: xp.var(x)),
        "sorting": ("sorting", unsorted.size * math.log2(ROWS), lambda: xp.sort(unsorted)),
        "single": ("products", cube, lambda: a @ a),
        "decompositions": ("decompositions", 9.0 * FEW_ROWS**3, lambda: linalg.eigh(matrix)[0]),
        "transforms": ("transforms", 5 * ROWS**2 * math.log2(ROWS**2), lambda: fft.fftn(c)),
    }
    if has_double:
        works["double"] = ("products", cube, lambda: b @ b)
    return works


def _symmetric(device: Device, dtype: np.dtype[Any]) -> Array:
    """Return a symmetric matrix with distinct eigenvalues."""
    index = xp.arange(FEW_ROWS, dtype=dtype, device=device)
    distance = xp.abs(index[:, None] - index[None, :])
    return xp.exp(-distance / 8.0)


def _seconds(device: Device, run: Callable[[], Any]) -> float:
    """Return the shortest time of a few runs; a first one, which compiles, is not measured."""
    run()
    device.synchronize()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        device.synchronize()
        times.append(time.perf_counter() - start)
    return max(min(times), 1e-9)
