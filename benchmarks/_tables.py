"""Results as Markdown tables, for the terminal and for the documentation."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from ._allocators import ALLOCATORS, SYSTEM
from ._results import Document, is_size_sweep

__all__ = ["markdown", "summary"]

MAX_ROWS = 60
"""Rows of a plot that a page shows unfolded."""


def summary(runs: Mapping[str, Sequence[Document]]) -> str:
    """Format a table of stored runs: a row for each group, a column for each machine.

    Parameters
    ----------
    runs
        The runs of each machine, by the address of the page that shows them.
    """
    groups = dict.fromkeys(run["group"] for present in runs.values() for run in present)
    titles = [f"[{_machine(present[0])}]({address})" for address, present in runs.items()]
    cells = {
        group: [[run for run in present if run["group"] == group] for present in runs.values()] for group in groups
    }
    lines = [
        (f"`{group}`", *(_of_limits(present[0]) if present else "" for present in columns))
        for group, columns in sorted(cells.items())
    ]
    return _table(("group", *titles), lines)


def _machine(run: Document) -> str:
    machine = run["machine"]
    return f"{machine['model']}, {machine['cores']} cores"


def _of_limits(run: Document) -> str:
    """Return how many limits a run kept."""
    limits = run["limits"]
    above = sum(limit["ratio"] > limit["limit"] for limit in limits)
    return f"{len(limits) - above} of {len(limits)}" if limits else "measured"


def markdown(run: Document, *, level: int = 2, plots: Mapping[str, tuple[str, str]] | None = None) -> str:
    """Format a run as Markdown. With plots the tables are folded, and plots of many rows with them.

    Parameters
    ----------
    run
        The run's document.
    level
        Level of the heading.
    plots
        Titles of plots, and the addresses of each for large screens and for phones. Where a run has many sizes, the
        plots replace the tables of absolute times.
    """
    rows = [row for row in run["rows"] if row["libraries"]]
    sweep = is_size_sweep(run)
    images = [
        f"**{title}**\n\n![{title}]({wide}){{ .wide loading=lazy }}\n![{title}]({narrow}){{ .narrow loading=lazy }}"
        for title, (wide, narrow) in (plots or {}).items()
    ]
    is_long = not sweep and len({row["case"] for row in rows}) > MAX_ROWS
    shown = [f"{'#' * level} {run['group']}: {run['title']}", _conditions(run), *([] if is_long else images)]
    folded = images if is_long else []

    def subheading(text: str) -> str:
        return f"**{text}**" if plots else f"{'#' * (level + 1)} {text}"

    if sweep:
        folded += _tables_by_size(run, rows, subheading)
    if not (sweep and plots):
        for (dtype, size), variant_rows in groupby(rows, key=lambda row: (row["dtype"], row["size"])):
            if size is not None:
                folded.append(subheading(f"{dtype}, size {size:,}"))
            present = tuple(variant_rows)
            folded.append(_times(present, run["baseline"]))
            folded += [_figures(present)] if any(row.get("figures") for row in present) else []
    if run["limits"]:
        folded += [subheading("Limits"), _limits(run["limits"])]
        shown += [_above(run["limits"])] if plots else []
    if run.get("conditions"):
        folded += [subheading("Conditions"), *_conditions_met(run["conditions"])]
    reasons = [f"{name}: {reason}" for name, reason in run["unavailable"].items()]
    reasons += [f"xtensor: {row['skipped']['xtensor']}" for row in run["rows"] if "xtensor" in row["skipped"]]
    if reasons:
        folded.append("Not measured: " + "; ".join(dict.fromkeys(reasons)) + ".")
    if plots:
        folded = ["<details markdown>\n<summary>Tables</summary>", *folded, "</details>"]
    return "\n\n".join([*shown, *folded]) + "\n"


def _conditions(run: Document) -> str:
    """Device, machine, versions and number of samples."""
    machine = run["machine"]
    device = run["device"] if run["device"] == "cpu" else f"{run['device']} ({run['device_name']})"
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    return (
        f"Device {device}; {machine['model']}, {machine['cores']} cores, {machine['system']}; {run['python']}, "
        f"{versions}; {run['date'][:10]}.\n"
        + _allocator(run)
        + f"Times are the best of up to {run['rounds']} interleaved samples. Ratios are relative to {run['baseline']}; "
        "the median is taken over the ratios within each round. Limits apply to the smaller of both."
        + (" This was a quick run with few samples." if run["quick"] else "")
    )


def _allocator(run: Document) -> str:
    description = ALLOCATORS[run.get("allocator", SYSTEM)]
    return f"Allocator: {description}.\n" if description else ""


def _measured_libraries(rows: Iterable[Document]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row["libraries"]))


def _value(row: Document, library: str, key: str) -> float | None:
    value: float | None = row["libraries"].get(library, {}).get(key)
    return value


def _tables_by_size(run: Document, rows: Sequence[Document], subheading: Callable[[str], str]) -> list[str]:
    """For each dtype: xtensor's ratio by case and size, and the geometric mean of each library by size."""
    parts = []
    for dtype, group in groupby(rows, key=lambda row: row["dtype"]):
        dtype_rows = tuple(group)
        sizes = sorted({row["size"] for row in dtype_rows})
        header = tuple(f"{size:,}" for size in sizes)
        means = [
            (name, *(_ratio(_mean(dtype_rows, name, size)) for size in sizes))
            for name in _measured_libraries(dtype_rows)
            if name != run["baseline"]
        ]
        for library in (name for name in _measured_libraries(dtype_rows) if name.startswith("xtensor")):
            ratios: dict[str, dict[int, float | None]] = {}
            for row in dtype_rows:
                ratios.setdefault(row["case"], {})[row["size"]] = _value(row, library, "ratio")
            parts += [
                subheading(f"{dtype}: ratio of {library} by size"),
                _table(
                    ("call", *header),
                    [(f"`{case}`", *(_ratio(by_size.get(size)) for size in sizes)) for case, by_size in ratios.items()],
                ),
            ]
        parts += [
            "Geometric mean of the ratios of all calls that a library supports:",
            _table(("library", *header), means),
        ]
    return parts


def _mean(rows: Iterable[Document], library: str, size: int) -> float | None:
    """Geometric mean of a library's ratios at a size."""
    ratios = [_value(row, library, "ratio") for row in rows if row["size"] == size]
    present = [ratio for ratio in ratios if ratio is not None]
    return statistics.geometric_mean(present) if present else None


def _times(rows: Sequence[Document], baseline: str) -> str:
    """Absolute times of the baseline and xtensor, and the ratios of all libraries."""
    peers = [name for name in _measured_libraries(rows) if name not in (baseline, "xtensor")]
    notes = list(dict.fromkeys(row["note"] for row in rows if row["note"]))
    lines = []
    for row in rows:
        mark = f" [{notes.index(row['note']) + 1}]" if row["note"] else ""
        lines.append(
            (
                f"`{row['case']}`{mark}",
                _nanoseconds(_value(row, baseline, "best")),
                _nanoseconds(_value(row, "xtensor", "best")),
                _ratio(_value(row, "xtensor", "ratio")),
                _ratio(_value(row, "xtensor", "median_ratio")),
                *(_ratio(_value(row, peer, "ratio")) for peer in peers),
            )
        )
    header = ("call", f"{baseline} ns", "xtensor ns", "ratio", "median", *(f"{peer} ratio" for peer in peers))
    return "\n".join([_table(header, lines), *(f"\n[{number}] {note}" for number, note in enumerate(notes, 1))])


def _figures(rows: Sequence[Document]) -> str:
    """Figures of the cases besides times: a line for each library of a case."""
    lines = [(row["case"], library, values) for row in rows for library, values in row.get("figures", {}).items()]
    names = list(dict.fromkeys(name for _, _, values in lines for name in values))
    cells = [
        (f"`{case}` {library}", *(f"{values[name]:,g}" if name in values else "–" for name in names))
        for case, library, values in lines
    ]
    return _table(("call", *names), cells)


def _limits(limits: Sequence[Mapping[str, Any]]) -> str:
    several = len({limit.get("dtype") for limit in limits}) > 1
    lines = [
        (
            f"`{limit['case']}`",
            *((limit["dtype"],) if several else ()),
            "" if limit["size"] is None else f"{limit['size']:,}",
            _ratio(limit["ratio"]),
            _ratio(limit["limit"]),
            "ok" if limit["ratio"] <= limit["limit"] else "ABOVE",
        )
        for limit in limits
    ]
    table = _table(("call", *(("dtype",) if several else ()), "size", "ratio", "limit", ""), lines)
    return f"{table}\n\n{_above(limits)}"


def _above(limits: Sequence[Mapping[str, Any]]) -> str:
    above = sum(limit["ratio"] > limit["limit"] for limit in limits)
    return f"{above} of {len(limits)} above the limit."


def _conditions_met(findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """A paragraph for each condition: what was measured, and the rows that miss it."""
    answers = {True: "met", False: "MISSED", None: "not measured"}
    parts = []
    for finding in findings:
        text = f"{finding['condition']}: {answers[finding['met']]}. Measured: {finding['measured']}."
        if finding["misses"]:
            text += "\n\n" + "\n".join(f"- {miss}" for miss in finding["misses"])
        parts.append(text)
    return parts


def _nanoseconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1e9:,.0f}"


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Format a Markdown table with aligned columns, which is also readable as plain text."""
    rows = [[cell.replace("|", "\\|") for cell in line] for line in (header, *lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])])
    return "\n".join(
        "| " + " | ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) + " |" for line in rows
    )
