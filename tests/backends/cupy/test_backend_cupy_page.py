"""The page of CuPy's departures names operations, corrections and departures that exist, and none is missing."""

from __future__ import annotations

import importlib
import re
from functools import reduce
from pathlib import Path

import pytest
from cupy_departures import DEPARTURES
from cupy_support import standin_device

import xtensor as xp
from xtensor.backend import CORRECTIONS, TABLE
from xtensor_backends.cupy import CupyBackend
from xtensor_backends.cupy._special import COMPLEX, IN_DOUBLE_PRECISION, LIMITS, NAN_LOST, REAL

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "cupy-departures.md").read_text(encoding="utf-8")
CORRECTED, _, REST = PAGE.partition("\n## Not corrected")
FUNCTIONS, _, ASSIGNMENTS = CORRECTED.partition("\nAssignments ")

STANDARD_NAMES = {
    "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum",
    "left_shift": "bitwise_left_shift",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "unique": "unique_all",
}
"""CuPy's names of operations that have others in the standard."""


def rows(text):
    """The cells of each row of the tables of a text, without the rows of titles."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [cells for cells in lines if cells[0] not in ("function", "case") and not cells[0].startswith("---")]


def operations(cells):
    return re.findall(r"`([\w.]+)`", cells[0])


def load_special_functions():
    for name in dir(xp.special):
        getattr(xp.special, name)


@pytest.mark.parametrize("cells", rows(FUNCTIONS), ids=lambda cells: cells[0][:40])
def test_operations_and_corrections_of_a_row_exist(cells):
    load_special_functions()
    assert len(cells) == 4
    assert operations(cells)
    device = standin_device("cuda:0")
    assert [name for name in operations(cells) if name not in TABLE] == []
    correction = cells[3]
    for name in operations(cells):
        if correction == "shared":
            assert name in CupyBackend.corrections
        elif correction == "composed":
            assert TABLE[name].composition is not None
        elif correction == "formula":
            assert name.removeprefix("special.") not in REAL
        else:
            # CuPy's special functions are in a module that is imported when one of them is first used.
            offered = name.removeprefix("special.") in {*REAL, *COMPLEX, *IN_DOUBLE_PRECISION}
            assert offered or device.implements(name) or TABLE[name].composition is not None
    if correction not in ("shared", "composed", "formula"):
        assert_exists(correction)


@pytest.mark.parametrize("cells", rows(ASSIGNMENTS), ids=lambda cells: cells[0][:40])
def test_correction_of_an_assignment_exists(cells):
    assert len(cells) == 4
    assert_exists(cells[3])


def assert_exists(correction):
    """Assert that a path ``module.attribute`` in the backend leads to something."""
    module, *parts = re.fullmatch(r"`([\w.]+)`", correction)[1].split(".")
    assert parts
    reduce(getattr, parts, importlib.import_module(f"xtensor_backends.cupy.{module}"))


def test_operations_that_are_not_corrected_exist():
    load_special_functions()
    assert rows(REST)
    for cells in rows(REST):
        assert len(cells) == 3
        names = [name for name in operations(cells) if name not in ("k", "x")]
        assert [name for name in names if name not in TABLE] == []


def test_every_shared_correction_of_the_backend_is_listed():
    listed = {name for cells in rows(FUNCTIONS) if cells[3] == "shared" for name in operations(cells)}
    assert listed == set(CupyBackend.corrections) <= set(CORRECTIONS)


def test_every_departure_of_the_stand_in_is_listed():
    listed = {name for cells in rows(FUNCTIONS) for name in operations(cells)}
    assert {STANDARD_NAMES.get(name, name) for name in DEPARTURES} <= listed


def test_every_corrected_special_function_is_listed():
    listed = {name for cells in rows(FUNCTIONS) for name in operations(cells)}
    corrected = {"k0e", "k1e", "zeta", *IN_DOUBLE_PRECISION, *LIMITS, *NAN_LOST}
    assert {f"special.{name}" for name in corrected} <= listed
    assert corrected <= REAL
    assert not corrected & COMPLEX


def test_the_page_names_the_version_and_what_ran_on_a_gpu():
    assert "CuPy 14.2.0" in PAGE
    assert "Nothing on this page was run on an AMD GPU" in PAGE
