"""The table of the documentation: how many functions of each kind a device's library computes itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import xtensor.nn.functional  # noqa: F401 - declares the operations of networks
from xtensor.backend import TABLE

PAGE = Path(__file__).resolve().parents[1] / "docs" / "device-functions.md"

COLUMNS = {
    "elementwise": ("elementwise", "cast"),
    "creation, manipulation": ("creation", "manipulation", "indexing"),
    "reductions, scans": ("reduction", "scan"),
    "searching, sorting, sets": ("searching", "sorting", "set"),
    "linear algebra": ("linear algebra",),
    "Fourier": ("fourier",),
    "networks": ("network",),
}
"""The columns of the table, and the kinds of operation in each."""


def rows() -> dict[str, list[str]]:
    """Return the table's cells by device."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {name.strip("`"): numbers for name, *numbers in cells if len(numbers) == len(COLUMNS)}


def counted(device) -> list[str]:
    """Return how many operations of each column a device implements, and how many there are."""
    found = []
    for kinds in COLUMNS.values():
        names = [row.name for row in TABLE.values() if row.declared and row.kind in kinds]
        found.append(f"{sum(map(device.implements, names))} of {len(names)}")
    return found


def test_table_has_the_numbers_of_the_device(device):
    if str(device) not in rows():
        pytest.skip(f"the table has no row for {device}")
    numbers = counted(device)
    assert rows()[str(device)] == numbers, f"the row is to be | `{device}` | {' | '.join(numbers)} |"
