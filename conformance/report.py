"""The record of a run, one JSON file for each device, and the report CONFORMANCE.md generated from the records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conformance import dtypes, repair, visible_device
from conformance.outcomes import FAILURES
from conformance.run import STANDARD, Run, Settings
from conformance.suite import Pins

# The devices that the project supports. The report lists those without a record as never run.
PROJECT_DEVICES: Mapping[str, str] = {
    "cpu": "NumPy, with kernels compiled by LLVM where they are installed",
    "numpy": "NumPy alone",
    "cupy:0": "a CUDA GPU, through CuPy",
    "rocm:0": "a ROCm GPU, through CuPy",
    "triton:0": "a CUDA GPU, Triton kernels over CuPy",
    "triton:interpret": "Triton's interpreter, over NumPy",
    "strict": "the strict reference, array-api-strict",
    "sycl:cpu:0": "a SYCL CPU, through dpnp",
    "sycl:gpu:0": "a SYCL GPU, through dpnp",
    "torch:cpu": "PyTorch on the CPU",
    "jax:cpu": "JAX on the CPU",
    "mlx:cpu": "MLX on the CPU",
    "dask": "dask's chunks",
    "cubed": "cubed's chunks",
}

_HEAD = f"""\
# Conformance

Results of the official suite, [array-api-tests](https://github.com/data-apis/array-api-tests), on each device, for
version {STANDARD} of the standard. xtensor skips no test and expects no failure. `python -m conformance` writes this
file; do not edit it.

{visible_device.EXPLANATION}
A device that does not support every dtype of the standard is tested without the missing dtypes. Its section names them.

{repair.EXPLANATION}"""


def results_folder(root: Path) -> Path:
    """Return the folder of the records in the repository."""
    return root / "conformance" / "results"


def write_result(root: Path, device: str, facts: Mapping[str, Any], pins: Pins, settings: Settings, run: Run) -> Path:
    """Write the record of a complete run and return its path."""
    record = {
        "device": device,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        **{key: facts.get(key) for key in ("xtensor", "backend", "hardware", "ways", "settings")},
        **{key: facts.get(key) for key in ("python", "platform", "versions")},
        "suite": {"array-api-tests": pins.suite, "array-api": pins.specification},
        "standard": STANDARD,
        "devices_shown": [device],
        "dtypes_left_out": dtypes.left_out(facts["dtypes"]),
        "max_examples": settings.max_examples,
        "seed": settings.seed,
        "seconds": round(run.seconds, 1),
        "counts": run.tally.counts(),
        "chapters": run.tally.chapters(),
        "failures": run.tally.failures(),
        "skips": run.tally.skips(),
    }
    path = results_folder(root) / f"{device.replace(':', '-')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8", newline="\n")
    return path


def write_report(root: Path) -> Path:
    """Write CONFORMANCE.md from all records and return its path."""
    files = sorted(results_folder(root).glob("*.json"))
    records = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    records.sort(key=lambda record: _rank(record["device"]))
    path = root / "CONFORMANCE.md"
    path.write_text(render(records), encoding="utf-8", newline="\n")
    return path


def render(records: list[dict[str, Any]]) -> str:
    """Return the text of CONFORMANCE.md for these records."""
    parts = [_HEAD]
    if records:
        parts += [_table(records), *map(_device_section, records)]
    parts.append(_never_run({record["device"] for record in records}))
    return "\n".join(parts)


def _rank(device: str) -> tuple[int, str]:
    order = list(PROJECT_DEVICES)
    return (order.index(device) if device in order else len(order)), device


def _table(records: list[dict[str, Any]]) -> str:
    chapters = sorted({chapter for record in records for chapter in record["chapters"]})
    rows = [
        ["chapter", *(record["device"] for record in records)],
        ["---", *("---:" for _ in records)],
    ]
    for chapter in chapters:
        rows.append([chapter, *(_cell(record["chapters"].get(chapter)) for record in records)])
    rows.append(["all", *(_cell(record["counts"]) for record in records)])
    legend = "Passed / total, with failures in bold. The suite skips the remaining tests.\n\n"
    return legend + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cell(counts: Mapping[str, int] | None) -> str:
    if counts is None:
        return "not run"
    failed = sum(counts[name] for name in FAILURES)
    cell = f"{counts['passed']} / {counts['total']}"
    return f"{cell}, **{failed} failed**" if failed else cell


def _device_section(record: Mapping[str, Any]) -> str:
    versions = record["versions"] or {}
    libraries = ", ".join(f"{name} {version}" for name, version in versions.items())
    suite = ", ".join(f"{name} {commit[:12]}" for name, commit in record["suite"].items())
    lines = [
        f"## The device {record['device']}\n",
        f"- Run on {record['date']}, in {record['seconds']:.0f} s, with {record['max_examples']} examples per test",
        f"- Hardware: {record['hardware'] or 'unknown'}; {record['platform']}",
        f"- Backend: {record['backend'] or 'unknown'}",
        *_way_lines(record),
        *_setting_lines(record),
        f"- Versions: xtensor {record['xtensor']}, Python {record['python']}" + (f", {libraries}" if libraries else ""),
        f"- Suite: {suite}",
        _devices_line(record),
        *_dtype_lines(record),
        *_skip_lines(record["skips"]),
        *_failure_lines(record["failures"]),
        f"\n{_reproduce(record)}",
    ]
    return "\n".join(lines)


def _devices_line(record: Mapping[str, Any]) -> str:
    # Records from before the restriction to one device have no such entry.
    shown = record.get("devices_shown")
    return f"- Devices that the suite sees: {', '.join(shown) if shown else 'every device of the process'}"


def _way_lines(record: Mapping[str, Any]) -> list[str]:
    ways = record.get("ways")
    if not ways:
        return []
    counts = ", ".join(f"{way} {count}" for way, count in ways.items())
    return [f"- Functions by way: {counts}"]


def _setting_lines(record: Mapping[str, Any]) -> list[str]:
    # Records from before the settings have no such entry.
    settings = record.get("settings") or {}
    return [f"- Settings: {', '.join(f'`{name}={value}`' for name, value in settings.items())}"] if settings else []


def _dtype_lines(record: Mapping[str, Any]) -> list[str]:
    # Records from before the selection of dtypes are runs with every dtype.
    names = record.get("dtypes_left_out", [])
    lines = [f"- Dtypes left out: {', '.join(names) or 'none'}"]
    return lines + [f"  - {note}" for note in dtypes.consequences(names)]


def _skip_lines(skips: list[dict[str, str]]) -> list[str]:
    if not skips:
        return ["- Skipped by the suite itself: none"]
    by_reason: dict[str, list[str]] = {}
    for skip in skips:
        by_reason.setdefault(skip["reason"], []).append(f"`{_short_id(skip['id'])}`")
    lines = [f"- Skipped by the suite itself: {len(skips)}"]
    return lines + [f"  - {reason}: {', '.join(tests)}" for reason, tests in by_reason.items()]


def _failure_lines(failures: list[dict[str, str]]) -> list[str]:
    if not failures:
        return ["- Failed: none"]
    lines = [f"- **Failed: {len(failures)}**"]
    return lines + [f"  - `{_short_id(failure['id'])}`" for failure in failures]


def _short_id(test: str) -> str:
    return test.removeprefix("array_api_tests/")


def _never_run(recorded: set[str]) -> str:
    missing = [device for device in PROJECT_DEVICES if device not in recorded]
    lines = ["## Never run\n"]
    if not missing:
        return "\n".join([*lines, "None: every device of the project has a record.\n"])
    lines.append("There is no result, and so no claim, for these devices:\n")
    lines += [f"- {device} ({PROJECT_DEVICES[device]}): not run" for device in missing]
    commands = "".join(f"python -m conformance --device {device}\n" for device in missing)
    return "\n".join([*lines, f"\n```\n{commands}```\n"])


def _reproduce(record: Mapping[str, Any]) -> str:
    settings = "".join(f"{name}={value} " for name, value in (record.get("settings") or {}).items())
    seed = "" if record["seed"] is None else f" --seed {record['seed']}"
    command = (
        f"{settings}python -m conformance --device {record['device']} --max-examples {record['max_examples']}{seed}"
    )
    return f"```\n{command}\n```\n"
