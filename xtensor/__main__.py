"""``python -m xtensor``: print the backends and devices of this machine, as tables or, with ``--json``, as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any

import xtensor as xp

__all__ = ["main"]


def report() -> dict[str, Any]:
    """Collect the versions, backends and devices of this machine in JSON-compatible types."""
    devices = []
    for device in xp.devices():
        entry: dict[str, Any] = {"device": str(device), "backend": device.backend}
        try:
            # Not memory(): querying free memory may initialise an unused GPU.
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


def table(summary: dict[str, Any]) -> str:
    """Format the report as text tables."""
    lines = [f"xtensor {summary['xtensor']}, Array API {summary['array_api']}", ""]
    rows: list[tuple[str, ...]] = [("backend", "version", "devices, or the reason for none")]
    for info in summary["backends"]:
        devices = ", ".join(info["devices"])
        reason = info["reason"] + (f"; remedy: {info['remedy']}" if info["remedy"] else "")
        rows.append((info["name"], info["version"] or "-", devices if info["available"] else reason))
    lines += [*_columns(rows), ""]
    rows = [("device", "backend", "memory", "hardware")]
    for entry in summary["devices"]:
        mark = " *" if entry["device"] == summary["default_device"] else ""
        hardware = entry.get("error") or entry.get("name", "")
        rows.append((entry["device"] + mark, entry["backend"], _gib(entry.get("total_memory")), hardware))
    return "\n".join([*lines, *_columns(rows), "", "* default device; set XTENSOR_DEVICE to choose another"])


def _gib(size: int | None) -> str:
    return "-" if size is None else f"{size / 2**30:.1f} GiB"


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the report and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m xtensor", description="Print the backends and devices of this machine."
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args(argv)
    summary = report()
    print(json.dumps(summary, indent=2) if options.json else table(summary))
    return 0


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name or a message may not be in the stream's encoding
    sys.exit(main())
