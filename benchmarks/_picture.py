"""The picture of the README: speed relative to NumPy, drawn from a stored run.

``python -m benchmarks picture`` writes ``docs/images/speed.svg``. The grey and the colours are legible on light and on
dark pages, and the text is large enough for a phone.
"""

from __future__ import annotations

import math
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from ._plots import COLOURS
from ._results import Document, load, run_key

__all__ = ["PICTURE", "draw_picture", "draw_stored"]

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "speed.svg"
RUN = ROOT / "benchmarks" / "results" / "amd-epyc-family-26-model-2-2-cores.json"
SIZE, DTYPE = 10**6, "float64"

CASES = {
    "xp.pow(positive, y)": "x ** y",
    "xp.add(x, y)": "x + y",
    "xp.exp(x)": "exp(x)",
    "xp.sum(x)": "sum(x)",
    "xp.var(x)": "var(x)",
    "nn.softmax(m)": "softmax(x)",
    "special.erf(x)": "erf(x)",
    "xp.cumulative_sum(x)": "cumulative_sum(x)",
    "xp.sin(x)": "sin(x)",
    "fused gelu": "fuse: GELU",
    "fused standardise over rows": "fuse: standardise",
    "fused haversine": "fuse: haversine",
}
"""Cases of the run and their labels: calls with a small and a large gain, then functions under ``xtensor.fuse``."""

PEERS = {"torch": "torch", "torch.compile": "torch", "jax.jit": "jax.jit"}
"""Libraries beside xtensor, and the colour of each: fused functions are compared with torch.compile."""

LEGEND = {"torch": "torch, for fuse torch.compile", "jax.jit": "jax.jit"}

WIDTH, LABELS, TOP, PITCH = 460.0, 144.0, 64.0, 24.0
RANGE = (0.25, 80.0)
TICKS = (0.5, 1, 2, 5, 10, 20, 50)
GREY = "#7d7d7d"


def draw_picture(run: Document) -> str:
    """Draw the speeds of a run of the group ``cpu`` as SVG."""
    rows = {row["case"]: row["libraries"] for row in run["rows"] if (row["size"], row["dtype"]) == (SIZE, DTYPE)}
    bottom = TOP + PITCH * len(CASES)
    parts = [_text(0, 16, "Speed relative to NumPy, 1,000,000 float64 numbers", "title"), _legend()]
    for tick in TICKS:
        x = _position(tick)
        parts.append(f'<path class="{"one" if tick == 1 else "grid"}" d="M{x:.1f} {TOP:g}V{bottom:g}"/>')
        parts.append(_text(x, bottom + 16, f"{tick:g}×", "middle"))
    for number, (case, label) in enumerate(CASES.items()):
        parts += _row(TOP + (number + 0.5) * PITCH, label, rows[case])
    parts += [_text(0, bottom + 36 + 16 * i, line, "small") for i, line in enumerate(_caption(run))]
    style = (
        f"text{{font:13px sans-serif;fill:{GREY}}}.title{{font-weight:bold;font-size:14px}}.small{{font-size:11px}}"
        f".middle{{text-anchor:middle}}.end{{text-anchor:end}}.grid,.one{{stroke:{GREY};stroke-opacity:.3}}"
        ".one{stroke-opacity:1}"
    )
    height = bottom + 78
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" width="{WIDTH:g}" '
        f'height="{height:g}" role="img"><title>Speed of xtensor, torch and jax relative to NumPy</title>'
        f"<style>{style}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _row(y: float, label: str, times: Document) -> list[str]:
    speeds = {name: times["numpy"]["best"] / times[name]["best"] for name in ("xtensor", *PEERS) if name in times}
    one, end = _position(1.0), _position(speeds["xtensor"])
    parts = [
        _text(LABELS - 12, y + 4, label, "end"),
        f'<rect x="{min(one, end):.1f}" y="{y - 7:g}" width="{max(abs(end - one), 1):.1f}" height="14" '
        f'fill="{COLOURS["xtensor"]}"/>',
        _text(max(one, end) + 6, y + 4, f"{speeds['xtensor']:.2g}×"),
    ]
    return parts + [
        f'<circle cx="{_position(speeds[name]):.1f}" cy="{y:g}" r="4" fill="{COLOURS[PEERS[name]]}" stroke="#fff"/>'
        for name in PEERS
        if name in speeds
    ]


def _legend() -> str:
    parts = [f'<rect x="0" y="34" width="20" height="12" fill="{COLOURS["xtensor"]}"/>', _text(26, 45, "xtensor")]
    x = 100.0
    for name, label in LEGEND.items():
        parts += [
            f'<circle cx="{x:g}" cy="40" r="4" fill="{COLOURS[name]}" stroke="#fff"/>',
            _text(x + 10, 45, label),
        ]
        x += 40 + 6.6 * len(label)
    return "".join(parts)


def _caption(run: Document) -> tuple[str, ...]:
    machine, versions = run["machine"], run["versions"]
    libraries = ", ".join(f"{name} {versions[name].partition('+')[0]}" for name in ("torch", "jax.jit"))
    return (
        f"Right is faster. {machine['model']}, {machine['cores']} cores, {run['date'][:10]};",
        f"NumPy {versions['numpy']}, {libraries}, {run['python']}.",
        "The 1× of erf is SciPy's function. Drawn from benchmarks/results.",
    )


def _position(speed: float) -> float:
    low, high = map(math.log, RANGE)
    return LABELS + (WIDTH - LABELS - 30) * (math.log(speed) - low) / (high - low)


def _text(x: float, y: float, text: str, classes: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}"{f" class={quoteattr(classes)}" if classes else ""}>{escape(text)}</text>'


def draw_stored() -> str:
    """Draw the picture of the stored run."""
    return draw_picture(next(run for run in load(RUN) if run_key(run) == "cpu"))
