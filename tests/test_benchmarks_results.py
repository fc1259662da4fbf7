"""The stored results of the benchmarks, and the pages that show them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import __main__ as command
from benchmarks._plots import draw
from benchmarks._results import load, machine_name
from benchmarks._run import group_modules
from benchmarks._tables import markdown

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("path", sorted(command.RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_stored_runs_can_be_shown(path):
    for run in load(path):
        assert machine_name(run["machine"]) == path.stem
        assert run["group"] in group_modules()
        assert f"| `{run['rows'][0]['case']}`" in markdown(run)
        for plot in draw(run):
            for svg in (plot.svg, plot.narrow):
                labels = [text.strip().removesuffix("…") for text in ElementTree.fromstring(svg).itertext()]
                assert any(label and run["rows"][0]["case"].startswith(label) for label in labels)


def test_performance_page_names_every_group():
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert set(group_modules()) <= set(re.findall(r"`(\w+)`", page))


def test_every_machine_has_a_page():
    stored = {path.stem for path in command.RESULTS.glob("*.json")}
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "performance").glob("*.md")}
    assert stored == pages.keys()
    assert [name for name, page in pages.items() if f"<!-- benchmarks of {name} -->" not in page] == []


def test_results_tables_and_plots_need_only_the_standard_library():
    code = (
        "import sys; from benchmarks import _plots, _results, _tables; "
        "sys.exit(bool({'numpy', 'xtensor', 'matplotlib'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0
