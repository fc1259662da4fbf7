"""The documentation: public names have entries, links have targets, code runs, and generated tables are complete.

The code blocks of a page run as one script on the device ``cpu``, in a separate process: ``python`` blocks as they are,
``pycon`` blocks as doctests. A ``text`` block directly behind a ``python`` block is its output. Blocks that need a
module or a device that is not here are not run. ``python tests/test_documentation.py PAGE`` does the same.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib.util
import io
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import get_args

import pytest
from notebook_pages import NOTEBOOKS, notebook

import xtensor as xp
from xtensor._core.operations import Accepts, DTypeRule, ShapeRule
from xtensor._numpy import where_computed
from xtensor._ops import STANDARD_NAMES
from xtensor.backend import CORRECTIONS, TABLE, primitives

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
TEXTS = [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]
HOOKS = sorted((ROOT / "docs" / "hooks").glob("*.py"))

REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Repository"]

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(r"^::: (\S+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
REFERENCE = re.compile(r"\]\[(xtensor[\w.]*)\]")
SNIPPET = re.compile(r'^--8<-- "([^"]+)"$', re.MULTILINE)
FILE = re.compile(r"`((?:benchmarks|conformance|docs|examples|packaging|tests|xtensor|xtensor_backends)/[\w./]*)`")

DEVICE = re.compile(r'"(cubed|dask|strict|(?:cuda|rocm|sycl|triton):[\w:]+)"')

NOT_RUN = {
    "run_my_tests()": "the reader's own tests",
    "MyBackend()": "the reader's own backend",
    "corrections = (": "a line of a class",
}
"""Blocks that are compiled and not run: a part of their text, and the reason."""


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the language and the text of each code block."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


def prose(page: Path) -> str:
    """Return a page without its code blocks and with its snippets."""
    text = SNIPPET.sub(lambda name: (ROOT / name[1]).read_text(encoding="utf-8"), page.read_text(encoding="utf-8"))
    return FENCE.sub("", text)


def missing_modules(source: str) -> list[str]:
    """Return the modules that a block imports and this environment lacks."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
    return [name for name in found if importlib.util.find_spec(name.partition(".")[0]) is None]


def missing_devices(source: str) -> list[str]:
    """Return the devices that a block names and this machine lacks."""
    here = [str(device) for device in xp.devices()]
    return [spec for spec in DEVICE.findall(source) if spec not in here]


def printed(page: Path, number: int) -> str | None:
    """Return the output that a page shows for a block: the block of text that follows it directly."""
    found = list(FENCE.finditer(page.read_text(encoding="utf-8")))
    block, following = found[number - 1], found[number : number + 1]
    if not following or following[0][1] != "text" or following[0].start() - block.end() > 2:
        return None
    return following[0][2]


def run(page: Path) -> None:
    """Run the blocks of a page in order, in one namespace."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    for number, (language, source) in enumerate(blocks(page), 1):
        where = f"{page.name}, block {number}"
        if language == "python":
            code = compile(source, where, "exec")
            missing = missing_modules(source) or missing_devices(source)
            if not missing and not any(part in source for part in NOT_RUN):
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    exec(code, namespace)
                expected = printed(page, number)
                if expected is not None and output.getvalue() != expected:
                    raise SystemExit(f"{where}: expected {expected!r}, got {output.getvalue()!r}")
        elif language == "pycon" and not missing_devices(source):
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


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_notebook_is_that_of_its_page(page):
    """After a change of the page, ``python tests/notebook_pages.py`` writes the notebook."""
    assert (ROOT / NOTEBOOKS[page]).read_text(encoding="utf-8") == notebook(ROOT / page)


@pytest.mark.parametrize("part", NOT_RUN)
def test_block_that_is_not_run_exists(part):
    assert any(part in source for page in PAGES for _, source in blocks(page))


# -- links ------------------------------------------------------------------------------------------------------------


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
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


def test_links_of_the_readme_work_outside_the_repository():
    assert [link for link in LINK.findall(prose(ROOT / "README.md")) if not link.startswith("https://")] == []


def test_links_of_the_readme_to_the_repository_have_targets():
    addresses = re.escape(REPOSITORY) + r"/blob/main/|https://raw.githubusercontent.com/xtensor/xtensor/main/"
    links = re.findall(rf"\]\((?:{addresses})([^)\s]+)\)", prose(ROOT / "README.md"))
    assert len(links) > 10
    for link in links:
        path, _, anchor = link.partition("#")
        assert (ROOT / path).is_file(), f"{link}: there is no such file"
        assert not anchor or anchor in anchors(ROOT / path), f"{link}: there is no such heading"


def test_picture_of_the_readme_shows_the_stored_results():
    # Imported here: this file is also run as a script, without the repository on the path.
    from benchmarks._picture import PICTURE, draw_stored

    assert PICTURE.read_text(encoding="utf-8") == draw_stored(), "run python -m benchmarks picture"


def test_front_page_lists_every_example():
    page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").partition("## Examples")[2]
    examples = [path.name + "/" * path.is_dir() for path in (ROOT / "examples").iterdir() if path.name[0] not in "._"]
    assert sorted(re.findall(r"^\| `([\w./]+)` \|", page, re.MULTILINE)) == sorted(examples)


@pytest.mark.parametrize("page", TEXTS, ids=relative)
def test_named_files_exist(page):
    for name in FILE.findall(page.read_text(encoding="utf-8")):
        assert (ROOT / name).exists() or name == "benchmarks/results", f"there is no {name}"


# -- the reference ----------------------------------------------------------------------------------------------------


@cache
def entries() -> Counter[str]:
    """Count the entries of each name in the reference."""
    pages = (ROOT / "docs" / "api").glob("*.md")
    texts = [hook("operations").expanded(page.read_text(encoding="utf-8")) for page in pages]
    return Counter(name for text in texts for name in DIRECTIVE.findall(text))


@pytest.mark.parametrize(
    "module",
    [
        *("xtensor", "xtensor.linalg", "xtensor.fft", "xtensor.special", "xtensor.nn.functional", "xtensor.random"),
        *("xtensor.nn.init", "xtensor.nn.models", "xtensor.optim"),
    ],
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


@pytest.mark.parametrize("path", HOOKS, ids=relative)
def test_hook_of_the_site_compiles(path):
    compile(path.read_text(encoding="utf-8"), path.name, "exec")


# -- the table of operations ------------------------------------------------------------------------------------------


@cache
def hook(name: str):
    """Import a hook that generates tables; it needs no package of the documentation build."""
    spec = importlib.util.spec_from_file_location(f"{name}_hook", ROOT / "docs" / "hooks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_table_of_operations_has_a_row_for_each_operation():
    listed = re.findall(r"^\| \[?`([\w.]+)`", hook("operations").operations(), re.MULTILINE)
    assert sorted(listed) == sorted(row.name for row in TABLE.values() if row.declared)


def test_guide_for_backends_lists_the_primitives():
    page = (ROOT / "docs" / "writing-a-backend.md").read_text(encoding="utf-8")
    text = hook("operations").on_page_markdown(page)
    assert "<!--" not in text
    assert all(f"`{name}`" in text for name in primitives())


@pytest.mark.parametrize("name", CORRECTIONS)
def test_shared_correction_is_listed(name):
    section = (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8").partition("## Corrections")[2]
    assert re.search(rf"^\| .*`{name}`.* \|", section, re.MULTILINE)


@pytest.mark.parametrize("rule", sorted({*get_args(Accepts), *get_args(DTypeRule), *get_args(ShapeRule)}))
def test_rule_of_the_table_of_operations_is_explained(rule):
    assert f"| `{rule}` |" in (ROOT / "docs" / "api" / "operations.md").read_text(encoding="utf-8")


# -- the tables of NumPy's functions ----------------------------------------------------------------------------------


@cache
def rows_of_numpy_functions() -> list[tuple[str, str, str]]:
    """Return the function, the place and the entry of each row."""
    page = (ROOT / "docs" / "api" / "numpy.md").read_text(encoding="utf-8")
    text = hook("numpy_functions").on_page_markdown(page)
    assert "<!--" not in text
    return re.findall(r"^\| `([\w.]+)` \| (on the \w+) \| (.*?) ?\|$", text, re.MULTILINE)


def test_tables_of_numpy_functions_have_a_row_for_each_function():
    places = {"device": "on the device", "host": "on the host"}
    assert [(name, place) for name, place, _ in rows_of_numpy_functions()] == [
        (name, places[place]) for name, place in where_computed()
    ]


def test_function_that_is_computed_on_the_device_links_to_its_entry():
    found = {name: entry for name, _, entry in rows_of_numpy_functions()}
    assert found["numpy.percentile"] == "[`xtensor.percentile`][xtensor.percentile]"
    assert found["numpy.concatenate"] == "[`xtensor.concat`][xtensor.concat]"
    assert found["numpy.linalg.norm"] == "[`xtensor.linalg.norm`][xtensor.linalg.norm]"
    assert found["numpy.fft.fft2"] == "[`xtensor.fft.fft2`][xtensor.fft.fft2]"
    assert found["numpy.lib.stride_tricks.sliding_window_view"].endswith("stride_tricks.sliding_window_view]")
    assert found["numpy.busday_count"] == ""


def test_table_of_special_functions_lists_ufuncs_of_both_places():
    pytest.importorskip("scipy")
    found = {name: (place, entry) for name, place, entry in rows_of_numpy_functions()}
    assert found["scipy.special.gammaln"] == ("on the device", "[`xtensor.special.gammaln`][xtensor.special.gammaln]")
    assert found["scipy.special.struve"] == ("on the host", "")


def test_entries_of_the_tables_of_numpy_functions_exist():
    targets = {target for _, _, entry in rows_of_numpy_functions() for target in re.findall(r"\[([\w.]+)\]$", entry)}
    assert targets <= entries().keys()


@pytest.mark.parametrize("name", STANDARD_NAMES)
def test_name_that_differs_from_numpys_is_listed(name):
    text = hook("numpy_functions").on_page_markdown((ROOT / "docs" / "numpy.md").read_text(encoding="utf-8"))
    assert f"| `numpy.{name}` | [`xtensor.{STANDARD_NAMES[name]}`][xtensor.{STANDARD_NAMES[name]}] |" in text


if __name__ == "__main__":
    run(Path(sys.argv[1]))
