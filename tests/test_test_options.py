"""Options of the suite: ``--device``, the profiles of ``XTENSOR_TESTS_PROFILE``, the tiers of ``XTENSOR_STRESS``.

A long run of stress tests stores the figures of each module that has no failure.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]

PROPERTY = """
from hypothesis import given, settings, strategies as st

@given(st.integers())
def test_property(x):
    pass

def test_settings(device):
    current = settings()
    print("settings", device, current.max_examples, current.derandomize, current.print_blob)
"""

LONG = """
import pytest

@pytest.mark.long
def test_long():
    pass
"""


def run_pytest(
    directory: Path, *arguments: str, module: str = PROPERTY, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run pytest with the suite's conftest on a module of its own."""
    for name in ("conftest.py", "usable.py"):
        (directory / name).write_bytes((ROOT / "tests" / name).read_bytes())
    (directory / "test_options.py").write_text(module)
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", directory]
    return subprocess.run(
        [*command, *arguments, directory / "test_options.py"],
        capture_output=True,
        text=True,
        cwd=directory,
        env={**os.environ, "XTENSOR_DEVICE": "cpu", "XTENSOR_TESTS_PART": "", **environment},
        timeout=120,
    )


@pytest.mark.parametrize(
    ("profile", "settings"),
    [("quick", "25 True False"), ("slow", "5 True False"), ("long", "500 False True")],
)
def test_profile_has_its_settings_also_in_ci(tmp_path, profile, settings):
    done = run_pytest(tmp_path, "--device", "cpu", XTENSOR_TESTS_PROFILE=profile, CI="true")
    assert done.returncode == 0, done.stdout
    assert f"settings cpu {settings}" in done.stdout


def test_summary_counts_the_tests_of_each_device(tmp_path):
    done = run_pytest(tmp_path, "--device", "cpu")
    assert "tested devices: cpu (1 tests)" in done.stdout
    assert "devices of the project without a test in this run: strict, " in done.stdout


def test_parts_run_each_test_once(tmp_path):
    outputs = [
        run_pytest(tmp_path, "--device", "cpu", "--part", "1/2").stdout,
        run_pytest(tmp_path, "--device", "cpu", XTENSOR_TESTS_PART="2/2").stdout,
    ]
    assert ["settings cpu" in output for output in outputs].count(True) == 1
    assert all("1 passed, 1 deselected" in output for output in outputs)


@pytest.mark.parametrize(("tier", "outcome"), [("", "1 deselected"), ("long", "1 passed")])
def test_long_test_runs_in_the_long_tier_alone(tmp_path, tier, outcome):
    done = run_pytest(tmp_path, "--device", "cpu", "-W", "ignore", module=LONG, XTENSOR_STRESS=tier)
    assert outcome in done.stdout


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "a/b"])
def test_part_that_does_not_exist_is_a_usage_error(tmp_path, text):
    done = run_pytest(tmp_path, "--part", text)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "expected I/N" in done.stderr


@pytest.mark.parametrize("tests", ["test_settings", "test_property"])
def test_missing_device_is_a_usage_error(tmp_path, tests):
    done = run_pytest(tmp_path, "--device", "tpu:0", "-k", tests)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout
    assert "--device: " in done.stderr
    assert "'tpu:0'" in done.stderr


STRESS = {
    "test_calls": "def test_all(figures):\n    figures.record(calls=3)\n    figures.record(calls=4)\n",
    "test_programs": """
import os

def test_any():
    assert 'FAILURE' not in os.environ
    if 'INTERRUPT' in os.environ:
        raise KeyboardInterrupt
""",
    "test_engines": "import pytest\n\ndef test_each():\n    pytest.skip('no engine')\n",
}
"""Modules of stress tests, one of which has no figures, and one of which is skipped."""


def stored_modules(directory: Path, *arguments: str, **environment: str) -> dict[str, Any] | None:
    """Return the figures of each module that are stored after a run of stress tests; None if there are none."""
    folder = directory / "stress"
    folder.mkdir(exist_ok=True)
    for name in ("__init__.py", "conftest.py", "tiers.py"):
        (folder / name).write_bytes((ROOT / "tests" / "stress" / name).read_bytes())
    for name, text in STRESS.items():
        (folder / f"{name}.py").write_text(text)
    chosen = arguments or (str(folder),)
    run_pytest(directory, *chosen, "--device", "cpu", **{"XTENSOR_STRESS": "long", **environment})
    path = folder / "results" / "cpu.json"
    if not path.exists():
        return None
    modules = json.loads(path.read_text())["modules"]
    return {name: [record["figures"] for record in module["records"]] for name, module in modules.items()}


def test_long_run_stores_the_figures_of_its_modules(tmp_path):
    figures = {"test_calls": [{"calls": 7}], "test_programs": []}
    assert stored_modules(tmp_path) == figures
    assert stored_modules(tmp_path, "stress/test_programs.py") == figures
    # One module's failure, or an interrupt, does not cost the figures of the others.
    path = tmp_path / "stress" / "results" / "cpu.json"
    path.unlink()
    assert stored_modules(tmp_path, FAILURE="1") == {"test_calls": [{"calls": 7}]}
    path.unlink()
    assert stored_modules(tmp_path, INTERRUPT="1") == {"test_calls": [{"calls": 7}]}
    assert stored_modules(tmp_path) == figures
    # A library that this run lacks costs nothing, and the module says so; a version that differs begins a new file.
    document = json.loads(path.read_text())
    with_absent = {**document, "versions": {**document["versions"], "cupy": "1.0"}}
    path.write_text(json.dumps(with_absent))
    assert stored_modules(tmp_path, "stress/test_programs.py") == figures
    document = json.loads(path.read_text())
    assert document["versions"] == with_absent["versions"]
    assert "cupy" in document["modules"]["test_programs"]["without"]
    path.write_text(json.dumps({**document, "versions": {**document["versions"], "numpy": "1.0"}}))
    assert stored_modules(tmp_path, "stress/test_programs.py") == {"test_programs": []}
    assert stored_modules(tmp_path) == figures
    # Those of other conditions are left out.
    path.write_text(json.dumps({**json.loads(path.read_text()), "python": "3.0"}))
    assert stored_modules(tmp_path, "stress/test_programs.py") == {"test_programs": []}


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (("-k", "test_all", "stress"), {}),
        (("--collect-only", "stress"), {}),
        (("stress/test_calls.py::test_all",), {}),
        (("stress/test_programs.py",), {"FAILURE": "1"}),
        (("-x", "stress/test_programs.py", "stress/test_calls.py"), {"FAILURE": "1"}),
        ((), {"XTENSOR_STRESS": ""}),
    ],
)
def test_other_runs_store_no_figures(tmp_path, arguments, environment):
    assert stored_modules(tmp_path, *arguments, **environment) is None
