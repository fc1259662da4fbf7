"""Results as JSON: the document of a run, and the one file that holds the latest runs of a machine.

The documentation build imports this module, :mod:`benchmarks._tables` and :mod:`benchmarks._plots` where neither NumPy
nor xtensor is installed, so all three need only the standard library.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from ._run import Outcome, Row

__all__ = ["Document", "document", "is_size_sweep", "load", "machine_name", "run_key", "save", "slug"]

Document: TypeAlias = dict[str, Any]
"""Values that JSON can represent: versions, device, rows and limits of one run of a group."""


def document(outcome: Outcome) -> Document:
    """Convert an outcome to values that JSON can represent. Times are seconds per call, to four digits."""
    rows = [_row(row, outcome.baseline) for row in outcome.rows]
    return {
        "group": outcome.name,
        "title": outcome.group.title,
        "date": outcome.date,
        "machine": outcome.machine,
        "device": outcome.device,
        "device_name": outcome.device_name,
        "python": outcome.python,
        "versions": outcome.versions,
        "unavailable": outcome.unavailable,
        "baseline": outcome.baseline,
        "allocator": outcome.allocator,
        "quick": outcome.quick,
        "rounds": outcome.rounds,
        "rows": rows,
        "limits": [
            {
                "case": limit.case,
                "size": limit.size,
                "dtype": None if row.variant is None else row.variant.dtype,
                "limit": limit.ratio,
                "ratio": ratio,
            }
            for limit, row, ratio in outcome.limited_rows
        ],
        # Conditions are about the group's own device.
        "conditions": [condition(rows) for condition in outcome.group.conditions] if outcome.on_own_device else [],
    }


def _row(row: Row, baseline: str) -> Document:
    return {
        "case": row.case,
        "size": None if row.variant is None else row.variant.size,
        "dtype": None if row.variant is None else row.variant.dtype,
        "note": row.note,
        "skipped": row.skipped,
        **({"figures": row.figures} if row.figures else {}),
        "libraries": {
            name: {
                "best": _rounded(timing.best),
                "median": _rounded(timing.median),
                "quartiles": [_rounded(value) for value in timing.quartiles],
                "loops": timing.loops,
                "samples": len(timing.samples),
                "ratio": _rounded(row.ratio(name, baseline)),
                "median_ratio": _rounded(row.median_ratio(name, baseline)),
            }
            for name, timing in row.timings.items()
        },
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def is_size_sweep(run: Document) -> bool:
    """Whether a run shows cost against size, with more than a small and a large size."""
    return len({row["size"] for row in run["rows"]} - {None}) > 2


def slug(text: str) -> str:
    """Reduce a text to lower-case letters, digits and hyphens, for a file name."""
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\((r|tm)\)", "", text.lower())).strip("-")


def machine_name(machine: Mapping[str, Any]) -> str:
    """Return the file name of a machine, without suffix: its processor and number of cores."""
    return slug(f"{machine['model'] or machine['system']} {machine['cores']} cores")


def run_key(run: Document) -> str:
    """Return the key of a run in its machine's file: the group, the device unless it is ``cpu``, another allocator."""
    allocator = run.get("allocator", "system")  # a stored run may be older than the choice
    key = run["group"] if allocator == "system" else f"{run['group']} with the {allocator} allocator"
    if run["device"] == "cpu":
        return str(key)
    return f"{key} on {run['device']} ({run['device_name']})"


def load(path: Path) -> list[Document]:
    """Read the runs of a machine's file, in the order of their keys; quartiles and loops are not stored."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return [{**_restored(run), "machine": content["machine"]} for run in content["groups"].values()]


def _stored(run: Document) -> Document:
    """Reduce a run to what tables and plots show.

    A row is a list: case, size, dtype, limit, median ratio of xtensor, the best time of each of the run's libraries,
    and, where the row has any, the number of its note, xtensor's reason not to be measured, and figures.
    """
    libraries = list(dict.fromkeys(name for row in run["rows"] for name in row["libraries"]))
    notes = list(dict.fromkeys(row["note"] for row in run["rows"] if row["note"]))
    limits = {(limit["case"], limit["size"]): limit["limit"] for limit in run["limits"]}
    rows = []
    for row in run["rows"]:
        times = row["libraries"]
        measured = "xtensor" in times and run["baseline"] in times
        further = {
            **({"note": notes.index(row["note"])} if row["note"] else {}),
            **({"skipped": row["skipped"]["xtensor"]} if "xtensor" in row["skipped"] else {}),
            **({"figures": row["figures"]} if row.get("figures") else {}),
        }
        rows.append(
            [
                row["case"],
                row["size"],
                row["dtype"],
                limits.get((row["case"], row["size"])) if measured else None,
                times["xtensor"]["median_ratio"] if measured else None,
                [times[name]["best"] if name in times else None for name in libraries],
                *([further] if further else []),
            ]
        )
    common = {name: value for name, value in run.items() if name not in ("machine", "rows", "limits")}
    return {**common, "libraries": libraries, "notes": notes, "rows": rows}


def _restored(stored: Document) -> Document:
    """Return the document of a stored run."""
    rows, limits = [], []
    for case, size, dtype, limit, median_ratio, times, *further in stored["rows"]:
        more = further[0] if further else {}
        best = {name: time for name, time in zip(stored["libraries"], times, strict=True) if time is not None}
        baseline = best.get(stored["baseline"])
        ratios = {name: None if baseline is None else _rounded(time / baseline) for name, time in best.items()}
        rows.append(
            {
                "case": case,
                "size": size,
                "dtype": dtype,
                "note": stored["notes"][more["note"]] if "note" in more else "",
                "skipped": {"xtensor": more["skipped"]} if "skipped" in more else {},
                **({"figures": more["figures"]} if "figures" in more else {}),
                "libraries": {name: {"best": time, "ratio": ratios[name]} for name, time in best.items()},
            }
        )
        if median_ratio is not None:
            rows[-1]["libraries"]["xtensor"]["median_ratio"] = median_ratio
        if limit is not None:
            ratio = min(ratios["xtensor"], median_ratio)
            limits.append({"case": case, "size": size, "dtype": dtype, "limit": limit, "ratio": ratio})
    common = {name: value for name, value in stored.items() if name not in ("libraries", "notes")}
    return {**common, "rows": rows, "limits": limits}


def save(run: Document, folder: Path) -> Path:
    """Write a run to its machine's file, replace the previous run of that key, and keep all other runs.

    The file is replaced atomically: an interrupted write leaves the previous file in place.
    """
    path = folder / f"{machine_name(run['machine'])}.json"
    runs = load(path) if path.exists() else []
    by_key = {run_key(item): item for item in (*runs, run)}
    groups = {key: _stored(by_key[key]) for key in sorted(by_key)}
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, suffix=".tmp", delete=False) as file:
        try:
            file.write(_formatted({"machine": run["machine"], "groups": groups}) + "\n")
            file.close()
            os.chmod(file.name, 0o644)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    return path


def _formatted(value: Any, depth: int = 0) -> str:
    """Format a machine's file as JSON with one line for each row, so that two versions can be compared line by line."""
    indent = " " * (depth + 1)
    if isinstance(value, dict) and depth < 3:
        lines = (f"{indent}{json.dumps(key)}: {_formatted(item, depth + 1)}" for key, item in value.items())
        brackets = "{}"
    elif isinstance(value, list) and value and depth == 3:
        lines = (indent + json.dumps(item) for item in value)
        brackets = "[]"
    else:
        return json.dumps(value)
    return f"{brackets[0]}\n" + ",\n".join(lines) + f"\n{' ' * depth}{brackets[1]}"
