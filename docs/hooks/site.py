r"""What the pages need beyond Markdown: formulas as MathML, the benchmarks and the stress tests that were kept.

Formulas are written as in the docstrings, ``:math:`\sqrt{x}```. They become MathML, which browsers show without a
script, so that a page needs nothing from elsewhere.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
FIGURES = re.compile(r"^<!-- stress: (\w+) -->$", re.MULTILINE)
TABLES = re.compile(r"^<!-- benchmarks: (\w+) -->$", re.MULTILINE)


class Formula(InlineProcessor):
    """A formula in TeX as MathML."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # noqa: N802 - the library's name
        """The formula, stashed away so that no other rule touches it."""
        mathml = convert(m[1].replace(r"\arg ", r"\operatorname{arg} "))
        if "\\" in "".join(ElementTree.fromstring(mathml).itertext()):
            raise ValueError(f"a formula holds a command that cannot be shown: {m[1]}")
        return self.md.htmlStash.store(mathml), m.start(0), m.end(0)


class Formulas(Extension):
    """Markdown's extension for them."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the library's name
        """Look for formulas before code spans, whose quotes they share."""
        md.inlinePatterns.register(Formula(r":math:`([^`]+)`", md), "formula", 195)


def on_config(config: Any) -> Any:
    """Add the formulas to every page and docstring."""
    config.markdown_extensions.append(Formulas())
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the tables of benchmarks and stress tests in the place of their marks."""
    return FIGURES.sub(lambda mark: figures(mark[1]), TABLES.sub(lambda mark: tables(mark[1]), markdown))


def figures(module: str) -> str:
    """What the long runs of a stress module that were kept counted; ``runs`` stands for the runs themselves."""
    kept = sorted((ROOT / "tests" / "stress" / "results").glob("*.json"))
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in kept]
    if not runs:
        return "No long run has been kept yet, so no figure is given here."
    return "\n\n".join(_described(run) if module == "runs" else _counted(run, module) for run in runs)


def _described(run: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    return (
        f"- {', '.join(run['devices'])}: {run['date']}, in {run['seconds']} s; xtensor {run['xtensor']}, "
        f"Python {run['python']}{'' if run['gil'] else ' without the GIL'}, {versions}; {run['platform']}"
    )


def _counted(run: dict[str, Any], module: str) -> str:
    """A row for each test of a module; tests that only differ in their parameters are one, their numbers added up."""
    rows: dict[str, dict[str, Any]] = {}
    for record in run["records"]:
        if record["module"] != f"test_{module}" or not record["figures"]:  # it was skipped
            continue
        name, _, parameters = record["test"].partition("[")
        worded = any(isinstance(value, str) for value in record["figures"].values())
        title = name.removeprefix("test_").replace("_", " ")
        row = rows.setdefault(f"{parameters.removesuffix(']')}" if worded else title, {"tests": 0})
        row["tests"] += 1
        for key, value in record["figures"].items():
            row[key] = value if isinstance(value, str) or key == "elements" else row.get(key, 0) + value
    lines = ["| | |", "| --- | --- |"]
    for title, row in rows.items():
        shown = (
            f"{key.replace('_', ' ')} {value if isinstance(value, str) else f'{value:,}'}" for key, value in row.items()
        )
        lines.append(f"| {title} | {', '.join(shown)} |")
    return f"{', '.join(run['devices'])}:\n\n" + "\n".join(lines)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the benchmarks' pictures to the site."""
    for picture in RESULTS.glob("*/*.svg"):
        files.append(File.generated(config, pictures(picture.parent) + picture.name, abs_src_path=str(picture)))
    return files


def pictures(folder: Path) -> str:
    """Where the pictures of a machine are in the site."""
    return f"benchmarks/{folder.name}/"


def tables(group: str) -> str:
    """What the runs of a group that were kept say, one after another; a sentence where none was kept."""
    kept = sorted(path for path in RESULTS.glob("*/*.md") if re.fullmatch(rf"(.+-)?{group}", path.stem))
    if not kept:
        return f"No run of `{group}` has been kept yet, so no figure is given here."
    return "\n\n".join(_page(path) for path in kept)


def _page(path: Path) -> str:
    """A kept run with its headings below the page's own, and its links to pictures from there."""
    text = re.sub("^#", "##", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return re.sub(r"\]\(([^()/]+\.svg)\)", rf"]({pictures(path.parent)}\1)", text)
