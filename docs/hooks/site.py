r"""Formulas as MathML, and the results of the stress tests.

Formulas are written as in the docstrings, ``:math:`\sqrt{x}```. Browsers render MathML without a script, so the pages
load nothing from other sites.
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

STRESS_RESULTS = Path(__file__).parents[2] / "tests" / "stress" / "results"
MARK = re.compile(r"^<!-- stress: (\w+) -->$", re.MULTILINE)


class Formula(InlineProcessor):
    """Inline processor that converts a formula in TeX to MathML."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str, int, int]:  # noqa: N802 - the library's name
        """Convert a formula and stash it, so that no other rule changes it."""
        mathml = convert(m[1].replace(r"\arg ", r"\operatorname{arg} "))
        if "\\" in "".join(ElementTree.fromstring(mathml).itertext()):
            raise ValueError(f"the formula {m[1]!r} contains a command that latex2mathml does not support; rewrite it")
        return self.md.htmlStash.store(mathml), m.start(0), m.end(0)


class Formulas(Extension):
    """Markdown extension for formulas."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the library's name
        """Register the processor before that of code spans, which uses the same quotes."""
        md.inlinePatterns.register(Formula(r":math:`([^`]+)`", md), "formula", 195)


def on_config(config: Any) -> Any:
    """Enable formulas on every page and in every docstring."""
    config.markdown_extensions.append(Formulas())
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the marks of a page by the results of the stress tests."""
    return MARK.sub(lambda mark: stress_results(mark[1]), markdown)


def stress_results(module: str) -> str:
    """Format the stored long runs: the counts of a stress module, or for ``runs`` the runs and their modules."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(STRESS_RESULTS.glob("*.json"))]
    if not runs:
        return "No long run is stored yet."
    if module == "runs":
        return "\n\n".join(f"{_conditions(run)}\n\n{_modules(run)}" for run in runs)
    return "\n\n".join(_counts(run, f"test_{module}") for run in runs)


def _stress_modules() -> list[str]:
    """Names of the stress modules that the repository has."""
    return sorted(path.stem for path in STRESS_RESULTS.parent.glob("test_*.py"))


def _conditions(run: dict[str, Any]) -> str:
    """Devices, dates, duration and versions of the modules that were run."""
    names = _stress_modules()
    modules = [module for name, module in run["modules"].items() if name in names]  # some modules were moved elsewhere
    dates = " to ".join(sorted({min(module["date"] for module in modules), max(module["date"] for module in modules)}))
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    return (
        f"- {', '.join(run['devices'])}: {len(modules)} of {len(names)} modules, {dates}, in "
        f"{sum(module['seconds'] for module in modules):,} s; xtensor {run['xtensor']}, "
        f"Python {run['python']}{'' if run['gil'] else ' without the GIL'}, {versions}; {run['platform']}"
    )


def _modules(run: dict[str, Any]) -> str:
    """A row for each stress module, with its tests that passed; none of a stored run failed."""
    lines = ["| module | date | tests passed | skipped | seconds |", "| --- | --- | ---: | ---: | ---: |"]
    for name in _stress_modules():
        if (module := run["modules"].get(name)) is None:
            lines.append(f"| `{name}.py` | not run to its end | | | |")
        else:
            # Runs from before the counts were stored have none.
            passed, skipped = (f"{module[key]:,}" if key in module else "not counted" for key in ("passed", "skipped"))
            absent = [library for library in module.get("without", ()) if library in run["versions"]]
            date = module["date"] + (f", without {', '.join(absent)}" if absent else "")
            lines.append(f"| `{name}.py` | {date} | {passed} | {skipped} | {module['seconds']:,} |")
    return "\n".join(lines)


def _counts(run: dict[str, Any], module: str) -> str:
    """A row for each test of a module. The counts of a parametrized test are added up, unless they contain text."""
    if module not in run["modules"]:
        return f"{', '.join(run['devices'])}: not run."
    rows: dict[str, dict[str, Any]] = {}
    for record in run["modules"][module]["records"]:
        if not record["figures"]:  # a skipped test has no figures
            continue
        name, _, parameters = record["test"].partition("[")
        has_text = any(isinstance(value, str) for value in record["figures"].values())
        title = parameters.removesuffix("]") if has_text else name.removeprefix("test_").replace("_", " ")
        row = rows.setdefault(title, {"tests": 0})
        row["tests"] += 1
        for key, value in record["figures"].items():
            row[key] = value if isinstance(value, str) or key == "elements" else row.get(key, 0) + value
    lines = ["| | |", "| --- | --- |"]
    for title, row in rows.items():
        cells = (
            f"{key.replace('_', ' ')} {value if isinstance(value, str) else f'{value:,}'}" for key, value in row.items()
        )
        lines.append(f"| {title} | {', '.join(cells)} |")
    return f"{', '.join(run['devices'])}, {run['modules'][module]['date']}:\n\n" + "\n".join(lines)
