"""The counts of the documentation's table of consumers are those of the tests."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed: xtensor[examples]")

from counts import RESULTS, counts

PAGE = Path(__file__).parents[2] / "docs" / "consumers.md"

ROWS = {
    "scikit-learn estimators without dispatch": "scikit-learn, its default",
    "scikit-learn functions without dispatch": "scikit-learn, its default",
    "scipy without the switch": "SciPy, its default",
}
"""Beginning of the row of each consumer."""


@pytest.fixture
def recorded():
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    if found["versions"] != counts()["versions"]:
        pytest.skip(f"the counts are for {found['versions']}; write them with python -m counts --write")
    return found


def test_recorded_counts_are_those_of_the_tests(recorded):
    assert recorded == counts()


@pytest.mark.parametrize("consumer", ROWS)
def test_the_documentation_has_the_recorded_counts(recorded, consumer):
    (row,) = (
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| [{ROWS[consumer]}]")
    )
    numbers = set(map(int, re.findall(r"\d+", row)))
    figures = recorded[consumer]
    assert {figures["tested"], figures["host"]["same"], figures["strict"]["refused"]} <= numbers
    assert figures["off host"]["same"] in numbers
