"""Benchmark tables and plots on the pages, drawn from the JSON files in ``benchmarks/results`` during the build.

A line ``<!-- benchmarks: GROUP -->`` is replaced by the stored runs of that group, one for each machine and device.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks._plots import draw  # noqa: E402 - the repository is not installed in the environment of the build
from benchmarks._results import Document, load, run_key, slug  # noqa: E402
from benchmarks._tables import markdown  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
MARK = re.compile(r"^<!-- benchmarks: (\w+) -->$", re.MULTILINE)
HEADING_LEVEL = 3


def stored_runs(folder: Path) -> Iterator[tuple[Document, str]]:
    """Yield the stored runs, each with the start of the addresses of its plots."""
    for path in sorted(folder.glob("*.json")):
        for run in load(path):
            yield run, f"benchmarks/{path.stem}/{slug(run_key(run))}"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the plots to the site."""
    for run, stem in stored_runs(RESULTS):
        for plot in draw(run):
            files.append(File.generated(config, f"{stem}{plot.suffix}.svg", content=plot.svg))
    return files


def on_page_markdown(text: str, **_: Any) -> str:
    """Replace the marks of a page by tables and plots."""
    return MARK.sub(lambda mark: group_markdown(mark[1], RESULTS), text)


def group_markdown(group: str, folder: Path) -> str:
    """Format all stored runs of a group."""
    parts = [
        markdown(run, level=HEADING_LEVEL, plots={plot.title: f"{stem}{plot.suffix}.svg" for plot in draw(run)})
        for run, stem in stored_runs(folder)
        if run["group"] == group
    ]
    return "\n\n".join(parts) or f"No run of `{group}` is stored yet."
