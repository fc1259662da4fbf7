"""``python -m xtensor``: print the backends and devices of this machine, as tables or, with ``--json``, as JSON.

``python -m xtensor doctor`` tests each device. ``python -m xtensor calibrate`` measures rates of the devices, from
which :func:`xtensor.best_device` estimates times.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any

import xtensor as xp
from xtensor._advice.rates import calibrate, candidates
from xtensor._core.compiled import missing
from xtensor._core.rates import COMPARED, Rates, faster_devices, known_rates, rates_file
from xtensor._core.registry import is_measured_first
from xtensor._core.text import text_table
from xtensor._doctor import examine, report_text

__all__ = ["main"]


def report() -> dict[str, Any]:
    """Collect the versions, backends and devices of this machine in JSON-compatible types."""
    devices = []
    for device in xp.devices():
        entry: dict[str, Any] = {"device": str(device), "backend": device.backend}
        try:
            # Not memory(): querying free memory may initialise an unused GPU.
            info = device.info()
            entry |= info._asdict()
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
        "calls": f"in Python: {missing}" if missing else "compiled",
        "default_device": default,
        "backends": [info._asdict() for info in xp.backends()],
        "devices": devices,
    }


def table(summary: dict[str, Any]) -> str:
    """Format the report as text tables."""
    lines = [f"xtensor {summary['xtensor']}, Array API {summary['array_api']}", f"calls: {summary['calls']}", ""]
    rows: list[tuple[str, ...]] = [("backend", "version", "devices, or the reason for none")]
    for info in summary["backends"]:
        devices = ", ".join(info["devices"])
        reason = info["reason"] + (f"; remedy: {info['remedy']}" if info["remedy"] else "")
        rows.append((info["name"], info["version"] or "-", devices if info["available"] else reason))
    lines += [text_table(rows, words=len(rows[0])), ""]
    rows = [("device", "backend", "memory", "driver", "hardware")]
    for entry in summary["devices"]:
        mark = " *" if entry["device"] == summary["default_device"] else ""
        hardware = entry.get("error") or entry.get("name", "")
        memory, driver = _gib(entry.get("total_memory")), entry.get("driver") or "-"
        rows.append((entry["device"] + mark, entry["backend"], memory, driver, hardware))
    return "\n".join(
        [*lines, text_table(rows, words=len(rows[0])), "", "* default device; set XTENSOR_DEVICE to choose another"]
    )


def _gib(size: int | None) -> str:
    return "-" if size is None else f"{size / 2**30:.1f} GiB"


def rates_table(measured: dict[str, Rates]) -> str:
    """Format the rates of devices as a text table."""
    rows: list[tuple[str, ...]] = [
        ("device", "GB/s", "Gop/s float32", "Gop/s float64", "GB/s to it", "GB/s from it", "us a call")
    ]
    for name, rates in measured.items():
        figures = (rates.bandwidth, rates.single, rates.double, rates.upload, rates.download)
        rows.append((name, *[f"{rate / 1e9:.1f}" for rate in figures], f"{rates.call * 1e6:.1f}"))
    return text_table(rows, words=len(rows[0]))


def _calibrate(specs: Sequence[str]) -> int:
    """Measure the rates of some devices, or of all that may be chosen by themselves, and return the exit status."""
    try:
        targets = [xp.device(spec) for spec in specs] or candidates()
    except (ValueError, xp.BackendUnavailableError) as error:
        print(f"calibrate: {error}", file=sys.stderr)
        return 1
    measured: dict[str, Rates] = {}
    for number, target in enumerate(targets):

        def show(what: str, part: float, number: int = number) -> None:
            _show_progress(what, (number + part) / len(targets))

        try:
            measured |= calibrate([target], show)
        except Exception as error:  # of any library, and of the file: the other devices are measured nevertheless
            print(f"calibrate: {target}: {error}", file=sys.stderr)
    if measured:
        print("\n".join([rates_table(measured), "", *choices(targets), f"kept in {rates_file()}"]))
    return int(len(measured) < len(targets))


def choices(targets: Sequence[xp.Device]) -> list[str]:
    """Return a sentence for each device that is chosen by itself only if it is faster than ``cpu``."""
    known, faster = known_rates(), faster_devices()
    sentences = []
    for target in targets:
        name = str(target)
        if name not in known or not is_measured_first(target._provider, target._spec):
            continue
        if "cpu" not in known:
            sentences.append(f"{name} is not chosen by itself: run python -m xtensor calibrate --device cpu")
            continue
        ratios = ", ".join(
            [
                f"{what} {getattr(known[name], rate) / getattr(known['cpu'], rate):.2g}"
                for rate, what in COMPARED.items()
            ]
        )
        chosen = "may be chosen by itself" if name in faster else "is not chosen by itself"
        sentences.append(f"{name} {chosen}: its rates beside those of cpu are {ratios}")
    return sentences


def _doctor(specs: Sequence[str], *, as_json: bool) -> int:
    """Test devices, print what is here, and return the exit status."""
    try:
        examined = examine(specs)
    except (ValueError, xp.BackendUnavailableError) as error:
        print(f"doctor: {error}", file=sys.stderr)
        return 1
    print(json.dumps(examined, indent=2) if as_json else report_text(examined))
    return int(any(item["failures"] for item in examined["devices"]))


BAR = 30
"""Characters of the progress bar."""


def _show_progress(what: str, part: float) -> None:
    """Show a progress bar on a terminal."""
    if not sys.stderr.isatty():
        return
    done = round(BAR * part)
    text = "" if part >= 1 else f"[{'#' * done}{'.' * (BAR - done)}] {what}"
    sys.stderr.write(f"\r{text:<79}\r" if not text else f"\r{text:<79}")
    sys.stderr.flush()


def main(argv: Sequence[str] | None = None) -> int:
    """Print the report, or measure rates, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m xtensor", description="Print the backends and devices of this machine, or test them."
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--version", action="version", version=f"xtensor {xp.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="doctor|calibrate")
    command = commands.add_parser("doctor", help="test each device; the exit status is 1 if one fails")
    command.add_argument("--device", action="append", default=[], metavar="D", help="a device, repeatable")
    command.add_argument("--json", action="store_true", help="print JSON instead of tables")
    command = commands.add_parser("calibrate", help="measure the rates of the devices for xtensor.best_device(f, ...)")
    command.add_argument("--device", action="append", default=[], metavar="D", help="a device, repeatable")
    options = parser.parse_args(argv)
    if options.command == "calibrate":
        return _calibrate(options.device)
    if options.command == "doctor":
        return _doctor(options.device, as_json=options.json)
    summary = report()
    print(json.dumps(summary, indent=2) if options.json else table(summary))
    return 0


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name or a message may not be in the stream's encoding
    sys.exit(main())
