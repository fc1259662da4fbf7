"""Benchmark tables and plots on the pages, drawn from the JSON files in ``benchmarks/results`` during the build.

A line ``<!-- benchmarks of MACHINE -->`` is replaced by all runs in the file ``MACHINE.json``; a line
``<!-- benchmarks: summary -->`` by a table of all machines.
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
from benchmarks._tables import markdown, summary  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
MACHINE = re.compile(r"^<!-- benchmarks of ([\w-]+) -->$", re.MULTILINE)
SUMMARY = "<!-- benchmarks: summary -->"
FIRST = ("cpu", "expressions", "dispatch", "consumers", "autograd", "batches")
"""The groups that most readers look for, in the order of a page; the others follow."""


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
            files.append(File.generated(config, f"{stem}{plot.suffix}-narrow.svg", content=plot.narrow))
    return files


def on_page_markdown(text: str, **_: Any) -> str:
    """Replace the marks of a page by tables and plots."""
    if SUMMARY in text:
        runs = {f"performance/{path.stem}.md": load(path) for path in sorted(RESULTS.glob("*.json"))}
        text = text.replace(SUMMARY, summary(runs))
    return MACHINE.sub(lambda mark: machine_markdown(mark[1], RESULTS), text)


def machine_markdown(machine: str, folder: Path) -> str:
    """Format all stored runs of a machine."""
    runs = [(run, stem) for run, stem in stored_runs(folder) if stem.startswith(f"benchmarks/{machine}/")]
    runs.sort(key=lambda item: FIRST.index(item[0]["group"]) if item[0]["group"] in FIRST else len(FIRST))
    return "\n\n".join(
        markdown(run, plots={plot.title: addresses(f"../{stem}{plot.suffix}") for plot in draw(run)})
        for run, stem in runs
    )


def addresses(stem: str) -> tuple[str, str]:
    """Return the addresses of a plot for large screens and for phones."""
    return f"{stem}.svg", f"{stem}-narrow.svg"
