"""Rates of the devices of this machine, which ``python -m xtensor calibrate`` measures and the user's cache keeps.

Requirements: a file that is missing, damaged or of another machine is no rates; several processes may write at once;
rates of other machines in the file, as in a home directory that machines share, stay.
"""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from .files import FOLDER_VARIABLE, read_file, user_cache, write_file

__all__ = ["Rates", "faster_devices", "keep_rates", "known_rates", "rates_file"]

LARGEST_FILE = 2**24
"""Bound of the size of the file, in bytes: a machine has a kilobyte."""

COMPARED = {"bandwidth": "elementwise operations", "reading": "reductions", "single": "products of matrices"}
"""The rates in which a faster device exceeds ``cpu``, with their names: most work on large arrays consists of these."""


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
    folder = user_cache()
    return None if folder is None else folder[0] / "rates" / "rates.json"


def known_rates() -> dict[str, Rates]:
    """Return the rates of this machine's devices by their names; empty before a calibration."""
    rates = _read().get(platform.node(), {})
    names = {field.name for field in fields(Rates)}
    known = {}
    for name, values in rates.items() if isinstance(rates, dict) else ():
        if isinstance(values, dict) and set(values) == names and all(map(_is_rate, values.values())):
            known[name] = Rates(**values)
    return known


def faster_devices() -> list[str]:
    """Return the names of the devices that were measured and found faster than ``cpu`` for large arrays."""
    known = known_rates()
    cpu = known.get("cpu")
    if cpu is None:
        return []
    return [name for name, rates in known.items() if all(getattr(rates, x) > getattr(cpu, x) for x in COMPARED)]


def keep_rates(device: str, rates: Rates) -> None:
    """Write the rates of a device to the file.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    path = rates_file()
    if path is None:
        raise OSError(f"there is no folder for the rates: set {FOLDER_VARIABLE}")
    content = _read()
    own = content.get(platform.node())
    content[platform.node()] = (own if isinstance(own, dict) else {}) | {device: asdict(rates)}
    write_file(path, json.dumps(content, indent=1).encode())


def _is_rate(value: Any) -> bool:
    return isinstance(value, (int, float)) and 0 <= value <= sys.float_info.max


def _read() -> dict[str, Any]:
    path = rates_file()
    try:
        stored = {} if path is None else json.loads(read_file(path, largest=LARGEST_FILE))
    except (OSError, ValueError, RecursionError):
        return {}
    return stored if isinstance(stored, dict) else {}
