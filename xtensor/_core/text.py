"""The text of an Array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .device import Device
from .devices import is_default

__all__ = ["representation", "shows_values", "text_table"]


def shows_values(device: Device) -> bool:
    """Whether the text of a device's arrays has their values: they have some, and these are computed."""
    return device._provider.has_values and not device._library.lazy and device._library.shows_values


def representation(x: Any) -> str:
    """Return the text of ``repr``: the values as NumPy shows them, or what the library tells in their place."""
    library = x._device._library
    if not shows_values(x._device):
        notes = library.describe(x._native)
        return f"Array(shape={x.shape}, dtype={x.dtype}, {notes}{', ' * bool(notes)}device={str(x._device)!r})"
    values = library.to_host(x._native)
    text = "Array(" + np.array2string(values, separator=", ", prefix="Array(")
    options = np.get_printoptions()
    notes = ""
    if values.size > options["threshold"] or (not values.size and values.shape != (0,)):
        notes = f", shape={values.shape}"  # the values do not show it
    if x.dtype not in (np.dtype(bool), *x._device.default_dtypes.values()) or not x.size:
        notes += f", dtype={x.dtype}"
    if not is_default(x._device):
        notes += f", device={str(x._device)!r}"
    if notes and len(text) - text.rfind("\n") + len(notes) > options["linewidth"]:
        notes = f",\n{' ' * len('Array(')}{notes.removeprefix(', ')}"
    return f"{text}{notes})"


def text_table(rows: Sequence[Sequence[str]], words: int) -> str:
    """Return a table: the first ``words`` columns are aligned at the left, the others, numbers, at the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if number < words else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
