"""Type checkers accept ``right.py``, report each line of ``wrong.py``, and agree with what happens at run time.

The checkers are those of the dependency group ``lint``: mypy, and basedpyright, which is pyright with Node.js in the
wheel, so that it downloads nothing when it runs. Both are in their strict modes.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
RIGHT, WRONG = FOLDER / "right.py", FOLDER / "wrong.py"

LINES = dict(enumerate(WRONG.read_text(encoding="utf-8").splitlines(), 1))
FIRST_SECTION = min(number for number, line in LINES.items() if line.startswith("# -- "))
STATEMENTS = [node for node in ast.parse(WRONG.read_text(encoding="utf-8")).body if node.lineno > FIRST_SECTION]

Diagnostics = dict[str, list[tuple[int, str]]]
"""The lines that a checker reports and its messages, by file name."""


@cache
def mypy() -> Diagnostics:
    command = [sys.executable, "-m", "mypy", "--output", "json", str(RIGHT), str(WRONG)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1, f"install the dependency group lint: {done.stdout}{done.stderr}"
    found: Diagnostics = {}
    for report in map(json.loads, done.stdout.splitlines()):
        if report["severity"] == "error":
            found.setdefault(Path(report["file"]).name, []).append((report["line"], report["message"]))
    return found


@cache
def pyright(folder: Path) -> Diagnostics:
    settings = {
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "include": [str(RIGHT), str(WRONG)],
        "extraPaths": [str(ROOT)],
        "reportUnusedExpression": False,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "-p", str(folder), "--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1, f"install the dependency group lint: {done.stdout}{done.stderr}"
    found: Diagnostics = {}
    for report in json.loads(done.stdout)["generalDiagnostics"]:
        # An unknown type follows from another error; by itself it does not report the line of wrong.py.
        follows = report.get("rule", "").startswith("reportUnknown") and report["file"].endswith(WRONG.name)
        if report["severity"] == "error" and not follows:
            line = report["range"]["start"]["line"] + 1
            found.setdefault(Path(report["file"]).name, []).append((line, report["message"]))
    return found


@pytest.fixture(params=["mypy", "pyright"])
def diagnostics(request, tmp_path_factory) -> Diagnostics:
    return mypy() if request.param == "mypy" else pyright(tmp_path_factory.getbasetemp())


def test_checker_accepts_every_right_line(diagnostics):
    assert diagnostics.get(RIGHT.name, []) == []


def test_checker_reports_every_wrong_line(diagnostics):
    reported = {line for line, _ in diagnostics[WRONG.name]}
    assert [LINES[node.lineno] for node in STATEMENTS if node.lineno not in reported] == []


def test_checker_reports_no_other_line(diagnostics):
    wrong = {node.lineno for node in STATEMENTS}
    elsewhere = [(name, *report) for name, reports in diagnostics.items() if name != WRONG.name for report in reports]
    assert elsewhere == []
    assert [(line, message) for line, message in diagnostics[WRONG.name] if line not in wrong] == []


def test_right_lines_run(capsys):
    exec(compile(RIGHT.read_text(encoding="utf-8"), RIGHT.name, "exec"), {"__name__": "right"})


@pytest.fixture(scope="module")
def names() -> dict[str, object]:
    """The names that the lines of wrong.py use."""
    preamble = [node for node in ast.parse(WRONG.read_text(encoding="utf-8")).body if node.lineno < FIRST_SECTION]
    namespace: dict[str, object] = {}
    exec(compile(ast.Module(preamble, []), WRONG.name, "exec"), namespace)
    return namespace


@pytest.mark.parametrize("statement", STATEMENTS, ids=ast.unparse)
def test_wrong_line_raises(statement, names):
    with pytest.raises((TypeError, ValueError, IndexError, AttributeError)):
        exec(compile(ast.Module([statement], []), WRONG.name, "exec"), dict(names))
