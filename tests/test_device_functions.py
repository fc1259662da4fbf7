"""The table of the documentation: how many functions of each kind a device's library computes itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import xtensor.nn.functional  # noqa: F401 - declares the operations of networks
from xtensor.backend import STANDARD_DTYPES, TABLE
from xtensor_backends.buffers.hosted import LINALG

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


def test_table_names_the_dtypes_that_a_device_lacks(device):
    lines = [line.strip("|").split("|") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    cells = {name.strip(" `"): rest[-1] for name, *rest in lines if len(rest) == 2}
    if str(device) not in cells:
        pytest.skip(f"the table has no row for {device}")
    known = {*STANDARD_DTYPES, "float16", "bfloat16"}
    first = cells[str(device)].partition(";")[0]  # what follows is missing in some functions, or on some hardware
    named = known.intersection(re.findall(r"\w+", first))
    missing = known.difference(device.dtype_names())
    assert missing == (known - named if "all dtypes but" in first else named)


@pytest.mark.parametrize("page", ["opencl.md", "webgpu.md"])
def test_page_names_the_functions_of_linear_algebra_that_the_host_computes(page):
    text = (PAGE.parent / page).read_text(encoding="utf-8")
    listed = re.search(r"`cholesky`(, `\w+`)+", text)
    assert listed is not None
    assert sorted(re.findall(r"\w+", listed[0])) == sorted([*LINALG, "det"])  # the product that slogdet gives
