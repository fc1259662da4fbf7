r"""What the pages need beyond Markdown: formulas as MathML, and the benchmarks that were kept.

Formulas are written as in the docstrings, ``:math:`\sqrt{x}```. They become MathML, which browsers show without a
script, so that a page needs nothing from elsewhere.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
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
    """Put the tables of the benchmarks in the place of their marks."""
    return TABLES.sub(lambda mark: tables(mark[1]), markdown)


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
