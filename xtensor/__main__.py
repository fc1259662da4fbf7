"""``python -m xtensor``: the backends and devices of this machine, as a table or, with ``--json``, for machines."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

import xtensor as xp

__all__ = ["main"]


def report() -> dict[str, Any]:
    """What is known of the backends and devices here, in plain types."""
    devices = []
    for device in xp.devices():
        entry: dict[str, Any] = {"device": str(device), "backend": device.backend}
        try:
            # Not memory(): to count what is free may initialise a GPU that nobody uses.
            info = device.info()
            entry |= {name: getattr(info, name) for name in info.__slots__}
        except Exception as error:
            entry["error"] = f"{type(error).__name__}: {error}"
        devices.append(entry)
    try:
        default = str(xp.default_device())
    except (ValueError, RuntimeError) as error:
        default = f"none: {error}"
    return {
        "xtensor": xp.__version__,
        "array_api": xp.__array_api_version__,
        "default_device": default,
        "backends": [info._asdict() for info in xp.backends()],
        "devices": devices,
    }


def table(found: dict[str, Any]) -> str:
    """The report as a person reads it."""
    lines = [f"xtensor {found['xtensor']}, Array API {found['array_api']}", ""]
    rows: list[tuple[str, ...]] = [("backend", "version", "devices, or why there are none")]
    for info in found["backends"]:
        devices = ", ".join(info["devices"])
        missing = info["reason"] + (f" → {info['remedy']}" if info["remedy"] else "")
        rows.append((info["name"], info["version"] or "—", devices if info["available"] else missing))
    lines += [*_columns(rows), ""]
    rows = [("device", "backend", "memory", "hardware")]
    for entry in found["devices"]:
        mark = " *" if entry["device"] == found["default_device"] else ""
        hardware = entry.get("error") or entry.get("name", "")
        rows.append((entry["device"] + mark, entry["backend"], _gib(entry.get("total_memory")), hardware))
    return "\n".join([*lines, *_columns(rows), "", "* the default device; XTENSOR_DEVICE decides otherwise"])


def _gib(size: int | None) -> str:
    return "—" if size is None else f"{size / 2**30:.1f} GiB"


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the report; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m xtensor", description="The backends and devices of this machine.")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args(argv)
    found = report()
    print(json.dumps(found, indent=2) if options.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
