"""Rates of the devices of this machine: measured once by ``python -m xtensor calibrate``, and kept in the user's cache.

Requirements: a file that is missing, damaged or of another machine is no rates; several processes may write at once;
rates of other machines in the file, as in a home directory that machines share, stay.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from .. import _standard as xp
from .. import fft, linalg
from .._core.array import Array, to_numpy
from .._core.device import Device

__all__ = ["FOLDER_VARIABLE", "Rates", "calibrate", "known_rates", "measure", "rates_file"]

FOLDER_VARIABLE = "XTENSOR_CACHE_DIR"

ROWS = 1024
"""Rows and columns of the matrices that are multiplied and transformed."""

FEW_ROWS = 256
"""Rows and columns of the matrix that is decomposed."""

LONG = 2**24
"""Elements of the arrays that are added and transferred, which exceed the caches of most processors."""

CALLS = 200
"""Calls with one element, whose time is that of a call."""

REPEATS = 3


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates of one device.

    Attributes
    ----------
    bandwidth
        Bytes that elementwise operations move in a second.
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
    named = os.environ.get(FOLDER_VARIABLE)
    variable, fallback = ("LOCALAPPDATA", "~/AppData/Local") if os.name == "nt" else ("XDG_CACHE_HOME", "~/.cache")
    try:
        folder = Path(named).expanduser() if named else _user_folder(variable, fallback)
    except RuntimeError:  # a user without a home, as containers have
        return None
    return folder / "rates" / "rates.json"


def _user_folder(variable: str, fallback: str) -> Path:
    return Path(os.environ.get(variable) or fallback).expanduser() / "xtensor"


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
    return isinstance(value, (int, float)) and 0 <= value < float("inf")


def _read() -> dict[str, Any]:
    path = rates_file()
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if path is not None else {}
    except (OSError, ValueError):
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
    places = list(devices)
    measured = {}
    for number, place in enumerate(places):

        def report(what: str, part: float, number: int = number, place: Device = place) -> None:
            progress(f"{place}: {what}", (number + part) / len(places))

        measured[str(place)] = measure(place, report)
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
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def measure(device: Device, report: Callable[[str, float], None] = lambda what, part: None) -> Rates:
    """Measure the rates of a device."""
    host = np.ones(LONG, np.float32)
    size = host.nbytes
    report("transfers", 0.0)
    upload = size / _seconds(device, lambda: xp.asarray(host, device=device, copy=True))
    x = xp.asarray(host, device=device, copy=True)
    download = size / _seconds(device, lambda: to_numpy(x))
    report("elementwise operations", 0.2)
    bandwidth = 3 * size / _seconds(device, lambda: x + x)
    one = xp.ones((1,), device=device)
    call = _seconds(device, lambda: [one + one for _ in range(CALLS)]) / CALLS
    report("products", 0.4)
    a = xp.ones((ROWS, ROWS), dtype=xp.float32, device=device)
    single = 2 * ROWS**3 / _seconds(device, lambda: a @ a)
    double = 0.0
    if device.supports(np.dtype(np.float64)):
        b = xp.ones((ROWS, ROWS), dtype=xp.float64, device=device)
        double = 2 * ROWS**3 / _seconds(device, lambda: b @ b)
    report("decompositions", 0.6)
    matrix = _symmetric(device)
    decompositions = 9 * FEW_ROWS**3 / _seconds(device, lambda: linalg.eigh(matrix)[0])
    report("transforms", 0.8)
    complexes = xp.astype(a, xp.complex64)
    transforms = 5 * ROWS**2 * 20 / _seconds(device, lambda: fft.fftn(complexes))  # 20 is log2(ROWS²)
    report("done", 1.0)
    return Rates(bandwidth, single, double, decompositions, transforms, upload, download, call)


def _symmetric(device: Device) -> Array:
    """Return a symmetric matrix with distinct eigenvalues."""
    index = xp.arange(FEW_ROWS, dtype=xp.float32, device=device)
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
