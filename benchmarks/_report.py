"""What a run says: a Markdown table for people, JSON for programs, and the files that keep both."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import xtensor

from ._cases import Variant
from ._run import Outcome, Row

__all__ = ["document", "markdown", "save", "slug"]


def markdown(outcome: Outcome) -> str:
    """The tables: costs and ratios, then the limits."""
    versions = ", ".join(f"{name} {version}" for name, version in outcome.versions.items())
    parts = [
        f"## {outcome.name}: {outcome.group.title}",
        f"On `{outcome.device}`, {outcome.machine['model']}, {outcome.machine['cores']} cores, "
        f"{outcome.machine['system']}, {outcome.machine['python']}, {outcome.date}. {versions}.\n"
        f"Best of {outcome.rounds} interleaved samples or fewer; ratios are to {outcome.raw}; "
        "the median is that of the ratios within each round."
        + (" A quick run: a glance, no measurement." if outcome.quick else ""),
    ]
    peers = tuple(name for name in outcome.versions if name not in (outcome.raw, "xtensor"))
    for variant, rows in groupby(outcome.rows, key=lambda row: row.variant):
        if variant is not None:
            parts.append(f"### {variant.dtype}, {_count(variant)}")
        parts.append(_costs(tuple(rows), outcome.raw, peers))
    if outcome.verdicts:
        parts += ["### Limits of the design", _limits(outcome)]
    if outcome.left_out:
        parts.append("Not measured: " + "; ".join(f"{name}: {why}" for name, why in outcome.left_out.items()) + ".")
    return "\n\n".join(parts) + "\n"


def _count(variant: Variant) -> str:
    return "1 element" if variant.size == 1 else f"{variant.size:,} elements"


def _costs(rows: Sequence[Row], raw: str, peers: Sequence[str]) -> str:
    notes = list(dict.fromkeys(row.note for row in rows if row.note))
    lines = []
    for row in rows:
        mark = f" [{notes.index(row.note) + 1}]" if row.note else ""
        lines.append(
            (
                f"`{row.case}`{mark}",
                _nanoseconds(row, raw),
                _nanoseconds(row, "xtensor"),
                _ratio(row.ratio("xtensor", raw)),
                _ratio(row.median_ratio("xtensor", raw)),
                *(_ratio(row.ratio(peer, raw)) for peer in peers),
            )
        )
    header = ("call", f"{raw} ns", "xtensor ns", "ratio", "median", *(f"{peer} ratio" for peer in peers))
    return "\n".join([_table(header, lines), *(f"\n[{number}] {note}" for number, note in enumerate(notes, 1))])


def _limits(outcome: Outcome) -> str:
    lines = [
        (
            f"`{verdict.limit.case}`",
            "" if verdict.limit.size is None else f"{verdict.limit.size:,}",
            _ratio(verdict.ratio),
            f"{verdict.limit.ratio:.2f}",
            "ok" if verdict.kept else "ABOVE",
        )
        for verdict in outcome.verdicts
    ]
    return _table(("call", "elements", "ratio", "limit", ""), lines)


def _nanoseconds(row: Row, library: str) -> str:
    return f"{row.timings[library].best * 1e9:,.0f}" if library in row.timings else "–"


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table, its first column on the left and the others on the right, readable as plain text too."""
    rows = [[cell.replace("|", "\\|") for cell in line] for line in (header, *lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    return "\n".join(
        "| " + " | ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) + " |" for line in rows
    )


def document(outcome: Outcome) -> dict[str, Any]:
    """All that was measured, in values that JSON knows; times are seconds for one call."""
    return {
        "group": outcome.name,
        "date": outcome.date,
        "machine": outcome.machine,
        "device": outcome.device,
        "raw": outcome.raw,
        "versions": outcome.versions,
        "left_out": outcome.left_out,
        "quick": outcome.quick,
        "rounds": outcome.rounds,
        "rows": [_row(row, outcome.raw) for row in outcome.rows],
        "limits": [
            {
                "case": verdict.limit.case,
                "size": verdict.limit.size,
                "limit": verdict.limit.ratio,
                "ratio": verdict.ratio,
                "kept": verdict.kept,
            }
            for verdict in outcome.verdicts
        ],
    }


def _row(row: Row, raw: str) -> dict[str, Any]:
    return {
        "case": row.case,
        "size": None if row.variant is None else row.variant.size,
        "dtype": None if row.variant is None else row.variant.dtype,
        "note": row.note,
        "refused": row.refused,
        "libraries": {
            name: {
                "best": timing.best,
                "median": timing.median,
                "quartiles": timing.quartiles,
                "loops": timing.loops,
                "samples": len(timing.samples),
                "ratio": row.ratio(name, raw),
                "median_ratio": row.median_ratio(name, raw),
            }
            for name, timing in row.timings.items()
        },
    }


def slug(text: str) -> str:
    """A name of the letters and digits of a text, for a file."""
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\((r|tm)\)", "", text.lower())).strip("-")


def save(outcome: Outcome, folder: Path) -> tuple[Path, Path]:
    """Write the outcome as JSON and Markdown, in place of the last one of this machine, device and group."""
    place = [str(outcome.machine["model"]) or str(outcome.machine["system"])]
    if outcome.device != "cpu":
        place += [outcome.device, xtensor.device(outcome.device).info().name]
    stem = slug(" ".join(dict.fromkeys((*place, outcome.name))))
    folder.mkdir(parents=True, exist_ok=True)
    data, table = folder / f"{stem}.json", folder / f"{stem}.md"
    data.write_text(json.dumps(document(outcome), indent=1) + "\n", encoding="utf-8")
    table.write_text(markdown(outcome), encoding="utf-8")
    return data, table
