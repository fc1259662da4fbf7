"""A run as pictures: time against size, a line for each library; or, for one or two sizes, bars of the overhead.

Pictures are SVG with their text as text, small, without a background and in colours that show on light and on dark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._run import Outcome, Row, sweeps_sizes

__all__ = ["draw"]

COLOURS = {
    "xtensor": "#e4572e",
    "numpy": "#808080",
    "array_api_strict": "#4c9f70",
    "array_api_compat.numpy": "#9c6ade",
    "torch": "#c99700",
    "jax": "#3d8bd4",
    "dpnp": "#c2569b",
    "cupy": "#17a2b8",
}
INK = "#808080"
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "xtensor",
    "savefig.transparent": True,
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    **dict.fromkeys(("xtick.major.size", "ytick.major.size", "xtick.minor.size", "ytick.minor.size"), 0),
    "grid.linewidth": 0.4,
    "grid.alpha": 0.5,
    "legend.frameon": False,
    **dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "grid.color"), INK
    ),
}
COLUMNS = 4


def draw(outcome: Outcome, folder: Path, stem: str) -> dict[str, Path]:
    """Write the pictures of a run; their titles, each with its file."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        if sweeps_sizes(outcome.rows):
            found = {
                f"Seconds against elements, {dtype}": (_lines(rows, outcome), folder / f"{stem}-{dtype}.svg")
                for dtype, rows in _by_dtype(outcome.rows).items()
            }
        else:
            found = {f"Times {outcome.raw}'s time": (_bars(outcome), folder / f"{stem}.svg")}
        for figure, path in found.values():
            figure.savefig(path, metadata={"Date": None, "Creator": None})
    return {title: path for title, (_, path) in found.items()}


def _by_dtype(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        assert row.variant is not None
        found.setdefault(row.variant.dtype, []).append(row)
    return found


def _lines(rows: Sequence[Row], outcome: Outcome) -> Any:
    """A panel for each case, a line for each library."""
    from matplotlib.figure import Figure

    cases = list(dict.fromkeys(row.case for row in rows))
    height = math.ceil(len(cases) / COLUMNS)
    figure = Figure(figsize=(10, 1.7 * height + 0.5), layout="constrained")
    panels = figure.subplots(height, COLUMNS, sharex=True, squeeze=False).flat
    for panel, case in zip(panels, cases, strict=False):
        for name in _libraries(outcome):
            points = [
                (row.variant.size, row.timings[name].best)
                for row in rows
                if row.case == case and row.variant and name in row.timings
            ]
            if points:
                panel.loglog(*zip(*points, strict=True), color=COLOURS.get(name), lw=1.8 if name == "xtensor" else 1.0)
        panel.set_title(case, family="monospace", loc="left", fontsize=7)
        panel.minorticks_off()
        panel.grid(True)
    for panel in list(panels)[: -len(cases) % COLUMNS]:
        panel.set_visible(False)
    _legend(figure, _libraries(outcome))
    return figure


def _bars(outcome: Outcome) -> Any:
    """A column for each variant; xtensor's ratio as a bar that begins at 1, each peer's as a dot."""
    from matplotlib.figure import Figure

    variants = list(dict.fromkeys(row.variant for row in outcome.rows))
    cases = list(dict.fromkeys(row.case for row in outcome.rows))
    figure = Figure(figsize=(10, 0.19 * len(cases) + 1.0), layout="constrained")
    panels = figure.subplots(1, len(variants), sharey=True, squeeze=False).flat
    for panel, variant in zip(panels, variants, strict=True):
        rows = [row for row in outcome.rows if row.variant == variant]
        for name in _libraries(outcome):
            points = [
                (ratio, cases.index(row.case)) for row in rows if (ratio := row.ratio(name, outcome.raw)) is not None
            ]
            if not points or name == outcome.raw:
                continue
            ratios, places = zip(*points, strict=True)
            if name == "xtensor":
                panel.barh(places, [ratio - 1.0 for ratio in ratios], left=1.0, height=0.6, color=COLOURS[name])
            else:
                panel.plot(ratios, places, "o", ms=3.5, color=COLOURS.get(name))
        panel.axvline(1.0, color=COLOURS["numpy"], lw=1.0)
        panel.set_xscale("log")
        panel.set_yticks(range(len(cases)), cases, family="monospace", fontsize=7)
        panel.set_ylim(len(cases) - 0.5, -0.5)
        panel.set_xlabel(f"times {outcome.raw}'s time")
        if variant is not None:
            panel.set_title(f"{variant.dtype}, {variant.size:,}", loc="left")
        panel.grid(True, axis="x")
    _legend(figure, [name for name in _libraries(outcome) if name != outcome.raw])
    return figure


def _libraries(outcome: Outcome) -> list[str]:
    """The libraries that were measured, xtensor last, so that it is drawn above the others."""
    names = dict.fromkeys(name for row in outcome.rows for name in row.timings)
    return sorted(names, key=lambda name: name == "xtensor")


def _legend(figure: Any, names: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], color=COLOURS.get(name), lw=2.5) for name in names]
    figure.legend(lines, names, loc="outside upper left", ncols=len(names), fontsize=8)
