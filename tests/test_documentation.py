"""The documentation says what is there: every public name has its entry, every link its target, every example runs.

The blocks of a page are run as one script on the device ``cpu``, in a process of their own: those marked ``python`` as
they are, those marked ``pycon`` as doctests. This module does that, too: ``python tests/test_documentation.py PAGE``.
"""

from __future__ import annotations

import ast
import doctest
import importlib.util
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
TEXTS = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"^::: (\S+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
REFERENCE = re.compile(r"\]\[(xtensor[\w.]*)\]")
SNIPPET = re.compile(r'^--8<-- "([^"]+)"$', re.MULTILINE)
FILE = re.compile(r"`((?:benchmarks|conformance|examples|tests|xtensor)/[\w./]*)`")

NOT_RUN = {
    "run_my_tests()": "the reader's own tests",
    "MyBackend()": "the reader's own backend",
    "corrections = (": "a line of a class",
}
"""Blocks that are compiled only: what they hold, and why."""


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[tuple[str, str]]:
    """The language and the text of each block of code."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


def prose(page: Path) -> str:
    """A page without its code, its snippets included."""
    text = SNIPPET.sub(lambda name: (ROOT / name[1]).read_text(encoding="utf-8"), page.read_text(encoding="utf-8"))
    return FENCE.sub("", text)


def missing_modules(source: str) -> list[str]:
    """What a block imports and this environment lacks."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
    return [name for name in found if importlib.util.find_spec(name.partition(".")[0]) is None]


def run(page: Path) -> None:
    """Run the blocks of a page, one after another, in one namespace."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    for number, (language, source) in enumerate(blocks(page), 1):
        where = f"{page.name}, block {number}"
        if language == "python":
            code = compile(source, where, "exec")
            if not missing_modules(source) and not any(part in source for part in NOT_RUN):
                exec(code, namespace)
        elif language == "pycon":
            test = doctest.DocTestParser().get_doctest(source, namespace, where, str(page), 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            runner.run(test, clear_globs=False)
            namespace.update(test.globs)
            if runner.failures:
                raise SystemExit(f"{where}: {runner.failures} of {runner.tries} examples failed")


@pytest.mark.parametrize(
    "page", [page for page in PAGES if {"python", "pycon"} & dict(blocks(page)).keys()], ids=relative
)
def test_code_runs(page):
    environment = {**os.environ, "XTENSOR_DEVICE": "cpu", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, __file__, str(page)], env=environment, capture_output=True, encoding="utf-8", timeout=300
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("part", NOT_RUN)
def test_block_that_is_not_run_is_there(part):
    assert any(part in source for page in PAGES for _, source in blocks(page))


# -- links ------------------------------------------------------------------------------------------------------------


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    titles = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


@pytest.mark.parametrize("page", TEXTS, ids=relative)
def test_internal_links_have_targets(page):
    for link in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), f"{link}: there is no such file"
        assert not anchor or anchor in anchors(target), f"{link}: there is no such heading"


@pytest.mark.parametrize("page", TEXTS, ids=relative)
def test_files_that_are_named_exist(page):
    for name in FILE.findall(page.read_text(encoding="utf-8")):
        assert (ROOT / name).exists() or name == "benchmarks/results", f"there is no {name}"


# -- the reference ----------------------------------------------------------------------------------------------------


@cache
def entries() -> Counter[str]:
    """How many entries each name has in the reference."""
    pages = (ROOT / "docs" / "api").glob("*.md")
    return Counter(name for page in pages for name in DIRECTIVE.findall(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "module", ["xtensor", "xtensor.linalg", "xtensor.fft", "xtensor.special", "xtensor.nn.functional"]
)
def test_every_public_name_has_one_entry(module):
    names = [f"{module}.{name}" for name in dir(import_module(module))]
    assert {name: entries()[name] for name in names if entries()[name] != 1} == {}


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_names_that_are_referred_to_have_an_entry(page):
    assert set(REFERENCE.findall(prose(page))) <= entries().keys()


def test_every_entry_names_something():
    for entry in entries():
        parts = entry.split(".")
        found = import_module(parts[0])
        for depth, part in enumerate(parts[1:], 2):
            if not hasattr(found, part):
                import_module(".".join(parts[:depth]))
            found = getattr(found, part)


@pytest.mark.parametrize("name", ["docs/hooks/site.py", "docs/hooks/cross_references.py"])
def test_hook_of_the_site_compiles(name):
    compile((ROOT / name).read_text(encoding="utf-8"), name, "exec")


if __name__ == "__main__":
    run(Path(sys.argv[1]))
