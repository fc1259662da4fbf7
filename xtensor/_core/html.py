"""HTML of objects for notebooks: tables, and the chunks of an array as a drawing.

Colours are the page's own (``currentColor``), so that light and dark pages show both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

__all__ = ["chunk_drawing", "escape", "facts", "size_text", "table"]

LONGEST, SHORTEST = 120.0, 16.0
"""Pixels of the longer side of a drawing, and of the other at least."""

MOST_LINES = 32
"""Number of chunks along an axis that are drawn: of more of them, as many at equal distances."""


def escape(text: str) -> str:
    """Return a text as HTML; the standard library's module ``html`` takes a millisecond to import."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def table(rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """Return a table whose first row is the header; columns after the first ``words`` ones are numbers."""
    header, *body = [_row(row, "th" if not number else "td", words) for number, row in enumerate(rows)]
    return f"<table><thead>{header}</thead><tbody>{''.join(body)}</tbody></table>"


def facts(title: str, rows: Iterable[tuple[str, str]], drawing: str = "") -> str:
    """Return a table of names and values with a title, and a drawing at its side."""
    body = "".join(
        f'<tr><th style="text-align: left">{escape(name)}</th><td style="text-align: left">{escape(value)}</td></tr>'
        for name, value in rows
    )
    caption = f'<caption style="text-align: left"><b>{escape(title)}</b></caption>'
    drawn = f'<td style="vertical-align: top">{drawing}</td>' if drawing else ""
    return f"<table><tr><td><table>{caption}<tbody>{body}</tbody></table></td>{drawn}</tr></table>"


def _row(cells: Sequence[str], tag: str, words: int) -> str:
    sides = ("left" if number < words else "right" for number in range(len(cells)))
    text = "".join(
        f'<{tag} style="text-align: {side}">{escape(cell)}</{tag}>' for cell, side in zip(cells, sides, strict=True)
    )
    return f"<tr>{text}</tr>"


def chunk_drawing(chunks: Sequence[Sequence[int]]) -> str:
    """Return the chunks along the last two axes as SVG; the empty text for arrays without axes or elements."""
    lengths = [sum(axis) for axis in chunks]
    if not lengths or not all(lengths):
        return ""
    rows, columns = ([(1,)] + [tuple(axis) for axis in chunks])[-2:]
    longest = max(sum(rows), sum(columns))
    height, width = (max(LONGEST * sum(axis) / longest, SHORTEST) for axis in (rows, columns))
    lines = [f"M0 {y:.1f}H{width:.1f}" for y in _edges(rows, height)]
    lines += [f"M{x:.1f} 0V{height:.1f}" for x in _edges(columns, width)]
    labels = f'<text x="{width / 2 + 2:.1f}" y="{height + 18:.1f}" text-anchor="middle">{sum(columns):,}</text>' + (
        f'<text x="{width + 8:.1f}" y="{height / 2 + 6:.1f}">{sum(rows):,}</text>' if len(chunks) > 1 else ""
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 84:.0f}" height="{height + 26:.0f}" '
        'style="font: 12px sans-serif; fill: currentColor" role="img">'
        f'<g transform="translate(2 2)" stroke="currentColor" stroke-opacity="0.6"><rect width="{width:.1f}" '
        f'height="{height:.1f}" fill="#e4572e" fill-opacity="0.25"/><path d="{"".join(lines)}"/></g>{labels}</svg>'
    )


def _edges(lengths: Sequence[int], pixels: float) -> list[float]:
    """Return the positions of the edges between chunks."""
    if len(lengths) > MOST_LINES:
        return [pixels * number / MOST_LINES for number in range(1, MOST_LINES)]
    total = sum(lengths)
    return [pixels * end / total for end in list(accumulate(lengths))[:-1]]


def size_text(count: int) -> str:
    """Return a number of bytes with a binary unit."""
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.2f} {unit}"
    return f"{count} B"
