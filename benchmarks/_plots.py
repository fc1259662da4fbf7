"""Results as SVG plots: time against size for many sizes, otherwise bars of the ratio to the baseline.

The plots have a transparent background and colours that are legible on light and on dark pages. Each is drawn twice: as
wide as the text of a page on a large screen, and on a phone. They are written without a plotting library, so that the
documentation build needs none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from ._results import Document, is_size_sweep

__all__ = ["Plot", "draw"]

COLOURS = {
    "xtensor": "#e4572e",
    "reference": "#6b7fd7",
    "numpy": "#808080",
    "array_api_strict": "#4c9f70",
    "array_api_compat.numpy": "#9c6ade",
    "torch": "#c99700",
    "jax": "#3d8bd4",
    "dpnp": "#c2569b",
    "cupy": "#17a2b8",
    "xtensor on numpy": "#f2a48f",
    "xtensor on cpu": "#8c2d12",
    "torch.compile": "#8a6d00",
    "jax.jit": "#1f5f99",
    "numexpr": "#4c9f70",
    "numba": "#9c6ade",
}
GREY = "#7d7d7d"
LINE_HEIGHT = 18.0
PANEL_HEIGHT = 150
BAR_PITCH = 20
LETTER_WIDTH = 6.7


class Layout(NamedTuple):
    """Width of a plot in pixels, and how much it shows side by side."""

    width: int
    columns: int
    """Panels of time against size in a row."""
    ticks: int
    """Most labels of the axis of sizes."""
    letters: int
    """Letters of the longest label of a bar."""
    variants: int | None
    """Panels of bars in a row; None for all of them."""


WIDE = Layout(680, columns=3, ticks=6, letters=40, variants=None)
NARROW = Layout(350, columns=2, ticks=4, letters=24, variants=1)


class Plot(NamedTuple):
    """A plot: its title, the end of its file name, and the texts of the SVG files for large screens and for phones."""

    title: str
    suffix: str
    svg: str
    narrow: str


class Axis(NamedTuple):
    """Logarithmic axis: pixel positions of values, and tick values within its range."""

    position: Callable[[float], float]
    ticks: tuple[float, ...]


def draw(run: Document) -> list[Plot]:
    """Draw the plots of a run: one for each dtype if it has many sizes, otherwise one."""
    if not is_size_sweep(run):
        return [Plot(f"Time relative to {run['baseline']}", "", _bars(run, WIDE), _bars(run, NARROW))]
    dtypes = dict.fromkeys(row["dtype"] for row in run["rows"])
    by_dtype = {dtype: [row for row in run["rows"] if row["dtype"] == dtype] for dtype in dtypes}
    return [
        Plot(f"Seconds against size, {dtype}", f"-{dtype}", _lines(rows, WIDE), _lines(rows, NARROW))
        for dtype, rows in by_dtype.items()
    ]


# -- time against size --------------------------------------------------------------------------------------------


def _lines(rows: Sequence[Document], layout: Layout) -> str:
    """A panel for each case, a line for each library."""
    cases = list(dict.fromkeys(row["case"] for row in rows))
    sizes = [row["size"] for row in rows]
    width = layout.width / layout.columns
    libraries = _libraries(rows)
    legend, height = _legend(libraries, layout.width)
    parts = [legend]
    for number, case in enumerate(cases):
        left, top = number % layout.columns * width, height + number // layout.columns * PANEL_HEIGHT
        present = [row for row in rows if row["case"] == case]
        panel = _panel(present, libraries, (min(sizes), max(sizes)), width, layout.ticks)
        title = _shortened(case, int(width / LETTER_WIDTH) - 2)
        parts.append(f'<g transform="translate({left:g} {top:g})">{_text(4, 13, title, "code")}{panel}</g>')
    return _svg(layout.width, height + math.ceil(len(cases) / layout.columns) * PANEL_HEIGHT, parts)


def _panel(rows: Sequence[Document], libraries: Sequence[str], sizes: tuple[int, int], width: float, ticks: int) -> str:
    times = [timing["best"] for row in rows for timing in row["libraries"].values()]
    if not times:
        return ""
    left, right, top, bottom = 48.0, width - 20, 22.0, PANEL_HEIGHT - 24.0
    x = _log_axis(*sizes, left, right, ticks)
    y = _log_axis(min(times), max(times), bottom, top)
    parts = []
    for tick in x.ticks:
        parts.append(_rule(x.position(tick), top, x.position(tick), bottom))
        parts.append(_text(x.position(tick), bottom + 14, _size_label(tick), "middle"))
    for tick in y.ticks:
        parts.append(_rule(left, y.position(tick), right, y.position(tick)))
        parts.append(_text(left - 4, y.position(tick) + 4, _seconds_label(tick), "end"))
    for name in libraries:
        points = [(row["size"], row["libraries"][name]["best"]) for row in rows if name in row["libraries"]]
        path = " ".join(f"{x.position(size):.1f},{y.position(seconds):.1f}" for size, seconds in points)
        thickness = 2.2 if name == "xtensor" else 1.2
        parts.append(f'<polyline points="{path}" stroke="{_colour(name)}" stroke-width="{thickness}"/>')
    return "".join(parts)


# -- ratios to the baseline ---------------------------------------------------------------------------------------


def _bars(run: Document, layout: Layout) -> str:
    """A panel for each dtype and size. Bars show xtensor's ratio, dots the ratios of the peers."""
    rows = [row for row in run["rows"] if row["libraries"]]
    cases = list(dict.fromkeys(row["case"] for row in rows))
    variants = list(dict.fromkeys((row["dtype"], row["size"]) for row in rows))
    libraries = [name for name in _libraries(rows) if name != run["baseline"]]
    labels = [_shortened(case, layout.letters) for case in cases]
    label_width = LETTER_WIDTH * max(map(len, labels), default=0) + 12
    columns = layout.variants or max(len(variants), 1)
    width = (layout.width - label_width) / columns
    legend, legend_height = _legend(libraries, layout.width)
    height = 20 + len(cases) * BAR_PITCH + 22
    parts = [legend]
    for number, (dtype, size) in enumerate(variants):
        left, top = label_width + number % columns * width, legend_height + number // columns * height + 20
        if number % columns == 0:
            parts += [
                _text(label_width - 8, top + (line + 0.5) * BAR_PITCH + 4, label, "code end")
                for line, label in enumerate(labels)
            ]
        if size is not None:
            parts.append(_text(left + 8, top - 7, f"{dtype}, {size:,}"))
        ratios = {
            (name, cases.index(row["case"])): row["libraries"][name]["ratio"]
            for row in rows
            if (row["dtype"], row["size"]) == (dtype, size)
            for name in libraries
            if row["libraries"].get(name, {}).get("ratio") is not None
        }
        parts.append(_bar_panel(ratios, len(cases), left + 8, left + width - 14, top))
    return _svg(layout.width, legend_height + math.ceil(len(variants) / columns) * height, parts)


def _bar_panel(ratios: dict[tuple[str, int], float], cases: int, left: float, right: float, top: float) -> str:
    values = [1.0, *ratios.values()]
    x = _log_axis(min(values) / 1.1, max(values) * 1.1, left, right)
    bottom = top + cases * BAR_PITCH
    parts = []
    for tick in x.ticks:
        parts.append(_rule(x.position(tick), top, x.position(tick), bottom))
        parts.append(_text(x.position(tick), bottom + 15, f"{tick:g}", "middle"))
    one = x.position(1.0)
    for (name, number), ratio in ratios.items():
        centre, end = top + (number + 0.5) * BAR_PITCH, x.position(ratio)
        if name == "xtensor":
            parts.append(
                f'<rect x="{min(one, end):.1f}" y="{centre - 6:g}" width="{abs(end - one):.1f}" height="12" '
                f'fill="{_colour(name)}"/>'
            )
        else:
            parts.append(f'<circle cx="{end:.1f}" cy="{centre:g}" r="3.5" fill="{_colour(name)}"/>')
    parts.append(f'<path d="M{one:.1f} {top:g}V{bottom:g}" stroke="{GREY}"/>')
    return "".join(parts)


# -- elements -----------------------------------------------------------------------------------------------------


def _libraries(rows: Iterable[Document]) -> list[str]:
    """Return the measured libraries, xtensor last, so that it is drawn on top."""
    names = dict.fromkeys(name for row in rows for name in row["libraries"])
    return sorted(names, key=lambda name: name == "xtensor")


def _colour(name: str) -> str:
    return COLOURS.get(name, GREY)


def _log_axis(low: float, high: float, start: float, end: float, most: int = 6) -> Axis:
    """Map ``low`` … ``high``, at least one decade, to the pixels ``start`` … ``end``, with at most ``most`` ticks."""
    margin = max(1.0, math.sqrt(10 * low / high))
    low, high = low / margin, high * margin
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in (1, 2, 5) if low <= step * 10.0**power <= high]
    if len(ticks) > most:
        ticks = [10.0**power for power in powers if low <= 10.0**power <= high]
        ticks = ticks[:: math.ceil(len(ticks) / (most - 1))]
    return Axis(lambda value: start + (end - start) * math.log(value / low) / math.log(high / low), tuple(ticks))


def _size_label(size: float) -> str:
    exponent = round(math.log10(size))
    if exponent < 4 or size != 10.0**exponent:
        return f"{size:,.0f}"
    return "10" + str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _seconds_label(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor > 0.99:
            return f"{seconds * factor:g} {unit}"
    return f"{seconds * 1e9:g} ns"


def _shortened(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _text(x: float, y: float, text: str, classes: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}"{f" class={quoteattr(classes)}" if classes else ""}>{escape(text)}</text>'


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path class="grid" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'


def _legend(names: Sequence[str], most: int) -> tuple[str, float]:
    """Return the legend and its height: as many lines as the names need."""
    parts, x, y = [], 4.0, 8.0
    for name in names:
        width = 40 + LETTER_WIDTH * len(name)
        if x + width > most:
            x, y = 4.0, y + LINE_HEIGHT
        parts.append(f'<rect x="{x:g}" y="{y - 2:g}" width="16" height="4" fill="{_colour(name)}"/>')
        parts.append(_text(x + 20, y + 4, name))
        x += width
    return "".join(parts), y + LINE_HEIGHT


def _svg(width: int, height: float, parts: Iterable[str]) -> str:
    style = (
        f"text{{font:12px sans-serif;fill:{GREY}}}.code{{font-family:monospace;font-size:11px}}"
        f".middle{{text-anchor:middle}}.end{{text-anchor:end}}"
        f".grid{{stroke:{GREY};stroke-width:.5;stroke-opacity:.4}}polyline{{fill:none}}"
    )
    body = "\n".join(part for part in parts if part)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}">'
        f"<style>{style}</style>\n{body}\n</svg>\n"
    )
