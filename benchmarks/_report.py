"""What a run says: Markdown tables for people, JSON for programs, and the files that keep both, with pictures."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import xtensor

from ._cases import Variant
from ._plots import draw
from ._run import Outcome, Row, sweeps_sizes

__all__ = ["as_text", "document", "machine_name", "markdown", "save", "slug"]


def markdown(outcome: Outcome, pictures: Mapping[str, Path] | None = None) -> str:
    """The tables: the ratios by size where there are many sizes, costs and ratios of each variant, then the limits.

    With pictures it is a page to keep: where there are many sizes, it is left to them, and to the JSON, to show costs.
    """
    versions = ", ".join(f"{name} {version}" for name, version in outcome.versions.items())
    parts = [
        f"## {outcome.name}: {outcome.group.title}",
        f"On `{outcome.device}`, {outcome.machine['model']}, {outcome.machine['cores']} cores, "
        f"{outcome.machine['system']}, {outcome.machine['python']}, {outcome.date}. {versions}.\n"
        f"Best of {outcome.rounds} interleaved samples or fewer; ratios are to {outcome.raw}; "
        "the median is that of the ratios within each round."
        + (" A quick run: a glance, no measurement." if outcome.quick else ""),
    ]
    parts += [f"![{title}]({path.name})" for title, path in (pictures or {}).items()]
    peers = tuple(name for name in outcome.versions if name not in (outcome.raw, "xtensor"))
    rows = [row for row in outcome.rows if row.timings]
    many = sweeps_sizes(rows)
    if many:
        parts += _by_size(outcome, rows)
    if not (many and pictures):
        for variant, found in groupby(rows, key=lambda row: row.variant):
            if variant is not None:
                parts.append(f"### {variant.dtype}, {_count(variant)}")
            parts.append(_costs(tuple(found), outcome.raw, peers))
    if outcome.verdicts:
        parts += ["### Limits of the design", _limits(outcome)]
    reasons = [f"{name}: {why}" for name, why in outcome.left_out.items()]
    reasons += [f"xtensor: {row.refused['xtensor']}" for row in outcome.rows if "xtensor" in row.refused]
    if reasons:
        parts.append("Not measured: " + "; ".join(dict.fromkeys(reasons)) + ".")
    return "\n\n".join(parts) + "\n"


def _by_size(outcome: Outcome, measured: Sequence[Row]) -> list[str]:
    """For each dtype, xtensor's ratios, a row for each case and a column for each size; and all libraries' means."""
    parts = []
    for dtype, found in groupby(measured, key=lambda row: row.variant and row.variant.dtype):
        rows = tuple(found)
        sizes = sorted({row.variant.size for row in rows if row.variant})
        header = tuple(f"{size:,}" for size in sizes)
        cells: dict[str, dict[int, float | None]] = {}
        for row in rows:
            if row.variant:
                cells.setdefault(row.case, {})[row.variant.size] = row.ratio("xtensor", outcome.raw)
        lines = [(f"`{case}`", *(_ratio(ratios.get(size)) for size in sizes)) for case, ratios in cells.items()]
        means = [
            (name, *(_ratio(_mean(row.ratio(name, outcome.raw) for row in rows if _has(row, size))) for size in sizes))
            for name in outcome.versions
            if name != outcome.raw
        ]
        parts += [
            f"### {dtype}: xtensor's ratio by elements",
            _table(("call", *header), lines),
            "Geometric means of the ratios of all calls that a library has:",
            _table(("library", *header), means),
        ]
    return parts


def _has(row: Row, size: int) -> bool:
    return row.variant is not None and row.variant.size == size


def _mean(ratios: Iterable[float | None]) -> float | None:
    known = [ratio for ratio in ratios if ratio is not None]
    return statistics.geometric_mean(known) if known else None


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
    """What was measured, in values that JSON knows; times are seconds for one call, to four digits."""
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
                "best": _rounded(timing.best),
                "median": _rounded(timing.median),
                "quartiles": [_rounded(value) for value in timing.quartiles],
                "loops": timing.loops,
                "samples": len(timing.samples),
                "ratio": _rounded(row.ratio(name, raw)),
                "median_ratio": _rounded(row.median_ratio(name, raw)),
            }
            for name, timing in row.timings.items()
        },
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def as_text(document: Mapping[str, Any]) -> str:
    """A document as JSON, a line for each row, so that a difference of two files can be read."""
    rows = ",\n  ".join(json.dumps(row) for row in document["rows"])
    others = json.dumps({**document, "rows": "ROWS"}, indent=1)
    return others.replace('"ROWS"', f"[\n  {rows}\n ]") + "\n"


def slug(text: str) -> str:
    """A name of the letters and digits of a text, for a file."""
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\((r|tm)\)", "", text.lower())).strip("-")


def machine_name(machine: Mapping[str, str | int]) -> str:
    """A machine's name in files: its processor and how many cores of it, never the host's own name."""
    return slug(f"{machine['model'] or machine['system']} {machine['cores']} cores")


def save(outcome: Outcome, results: Path) -> list[Path]:
    """Write the outcome as JSON, Markdown and SVG, in place of the last one of this machine, device and group."""
    place = () if outcome.device == "cpu" else (outcome.device, xtensor.device(outcome.device).info().name)
    folder = results / machine_name(outcome.machine)
    stem = slug(" ".join((*place, outcome.name)))
    folder.mkdir(parents=True, exist_ok=True)
    data, page = folder / f"{stem}.json", folder / f"{stem}.md"
    data.write_text(as_text(document(outcome)), encoding="utf-8")
    pictures = draw(outcome, folder, stem)
    page.write_text(markdown(outcome, pictures), encoding="utf-8")
    return [data, page, *pictures.values()]
