"""Rates of the devices of this machine: measured once by ``python -m xtensor calibrate``, and kept in the user's cache.

Requirements: a file that is missing, damaged or of another machine is no rates; several processes may write at once;
rates of other machines in the file, as in a home directory that machines share, stay.
"""

from __future__ import annotations

import json
import math
import platform
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from .. import _ops as xp
from .. import fft, linalg
from .._core.array import Array, to_numpy
from .._core.device import Device
from .._core.files import FOLDER_VARIABLE, read_file, user_cache, write_file

__all__ = ["Rates", "calibrate", "known_rates", "measure", "rates_file"]

LARGEST_FILE = 2**24
"""Bound of the size of the file, in bytes: a machine has a kilobyte."""

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


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates of one device.

    Attributes
    ----------
    bandwidth
        Bytes that elementwise operations move in a second, with new memory for the result.
    reading
        Bytes that reductions read in a second.
    variances
        Bytes of arrays whose variance is computed in a second; libraries without a kernel pass over them several times.
    functions
        Exponentials in a second, which stand for all transcendental functions.
    sorting
        Comparisons of sorting in a second.
    single, double
        Operations of products of matrices in a second, in float32 and in float64; ``double`` is 0 where the device has
        no float64.
    decompositions, transforms
        Operations of decompositions and of Fourier transforms in a second.
    upload, download
        Bytes in a second from the host to the device, and back.
    call
        Seconds of a call with one element.
    """

    bandwidth: float
    reading: float
    variances: float
    functions: float
    sorting: float
    single: float
    double: float
    decompositions: float
    transforms: float
    upload: float
    download: float
    call: float


def rates_file() -> Path | None:
    """Return the file of the rates: below the folder that XTENSOR_CACHE_DIR names, or in the user's cache.

    It has a folder of its own, because the cache of compiled code removes files from its folder.
    """
    found = user_cache()
    return None if found is None else found[0] / "rates" / "rates.json"


def known_rates() -> dict[str, Rates]:
    """Return the rates of this machine's devices by their names; empty before a calibration."""
    found = _read().get(platform.node(), {})
    names = {field.name for field in fields(Rates)}
    known = {}
    for name, values in found.items() if isinstance(found, dict) else ():
        if isinstance(values, dict) and set(values) == names and all(map(_is_rate, values.values())):
            known[name] = Rates(**values)
    return known


def _is_rate(value: Any) -> bool:
    return isinstance(value, (int, float)) and 0 <= value <= sys.float_info.max


def _read() -> dict[str, Any]:
    path = rates_file()
    try:
        found = {} if path is None else json.loads(read_file(path, largest=LARGEST_FILE))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def calibrate(
    devices: Iterable[Device], progress: Callable[[str, float], None] = lambda what, part: None
) -> dict[str, Rates]:
    """Measure the rates of devices, keep them, and return them by the devices' names.

    ``progress`` is called before each measurement with its name and the part that is done.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    targets = list(devices)
    measured = {}
    for number, target in enumerate(targets):

        def report(what: str, part: float, number: int = number, target: Device = target) -> None:
            progress(f"{target}: {what}", (number + part) / len(targets))

        measured[str(target)] = measure(target, report)
    _write(measured)
    return measured


def _write(measured: dict[str, Rates]) -> None:
    path = rates_file()
    if path is None:
        raise OSError(f"there is no folder for the rates: set {FOLDER_VARIABLE}")
    content = _read()
    own = content.get(platform.node())
    kept = own if isinstance(own, dict) else {}
    content[platform.node()] = kept | {name: asdict(rates) for name, rates in measured.items()}
    write_file(path, json.dumps(content, indent=1).encode())


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
