"""The conformance runner, against small suites built for the purpose.

Each suite is a git repository with the options of the real one; the pins are handed to the
runner as arguments, which is the only way there is to give it others.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from conformance import report, run, suite
from conformance.__main__ import FAILED, NO_DEVICE, NO_SUITE, PASSED, main

CONFTEST = """
from pathlib import Path
from pytest import mark

def pytest_addoption(parser):
    parser.addoption("--max-examples", type=int, default=100)
    parser.addoption("--disable-deadline", action="store_true")
    parser.addoption("--skips-file")
    parser.addoption("--xfails-file")

def pytest_collection_modifyitems(config, items):
    for name, marker in (("skips", mark.skip), ("xfails", mark.xfail)):
        named = config.getoption(f"--{name}-file")
        path = Path(named or Path(__file__).parent / f"{name}.txt")
        listed = path.read_text().split() if path.exists() else []
        for item in items:
            if item.nodeid in listed:
                item.add_marker(marker(reason=name))
"""
XTENSOR = """
import os

__version__ = "1.2.3"

class Device:
    class backend:
        name = "fake"
    def __init__(self, spec):
        self.spec = spec
    def __eq__(self, other):
        return self.spec == other.spec
    def __str__(self):
        return self.spec
    def info(self):
        return {"name": "Fake 9000"}

def device(spec):
    if spec == "broken":
        raise ValueError("no driver for 'broken'")
    return Device(spec)

class Array:
    device = Device(DEFAULT)

def zeros(shape):
    return Array
"""
WITH_HYPOTHESIS = """
from hypothesis import given, strategies as st

@given(st.integers())
def test_small(x):
    assert x < 10, "too large"
"""
PASSES = "def test_passes():\n    pass\n"
FAILS = "def test_fails():\n    assert 1 == 2, 'one is not two'\n"
FAILS_ID = "array_api_tests/test_linalg.py::test_fails"


@dataclass(frozen=True)
class Workplace:
    """A suite, the pins it satisfies, and a repository root for what the runner writes."""

    folder: Path
    pins: suite.Pins
    root: Path

    def run(self, *arguments: str) -> int:
        """Run `python -m conformance` with these arguments."""
        return main(arguments, root=self.root, pins=self.pins)

    def record(self, device: str = "cpu") -> dict[str, Any]:
        """Return the record that a run has written."""
        path = report.results_folder(self.root) / f"{device.replace(':', '-')}.json"
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return record

    @property
    def has_written(self) -> bool:
        """Whether there is any record or report."""
        written = report.results_folder(self.root).exists()
        return written or (self.root / "CONFORMANCE.md").exists()


MakeWorkplace = Callable[[Mapping[str, str]], Workplace]


def git(folder: Path, *arguments: str) -> str:
    author = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org")
    quiet = ("-c", "advice.addEmbeddedRepo=false", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *author, *quiet, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit_all(folder: Path) -> str:
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "A commit")
    return git(folder, "rev-parse", "HEAD")


def write_library(folder: Path, default_device: str) -> None:
    package = folder / "xtensor"
    package.mkdir(parents=True, exist_ok=True)
    text = XTENSOR.replace("DEFAULT", default_device)
    (package / "__init__.py").write_text(text, encoding="utf-8")


@pytest.fixture
def make_workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeWorkplace:
    def make(modules: Mapping[str, str]) -> Workplace:
        folder, root = tmp_path / "suite", tmp_path / "root"
        tests = folder / "array_api_tests"
        for new in (tests, folder / "array-api", root):
            new.mkdir(parents=True)
        (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        (tests / "__init__.py").touch()
        for name, text in modules.items():
            (tests / name).write_text(text, encoding="utf-8")
        (folder / "array-api" / "spec.md").write_text("The standard.\n", encoding="utf-8")
        specification = commit_all(folder / "array-api")
        pins = suite.Pins(commit_all(folder), specification, str(folder), str(folder / "array-api"))
        write_library(tmp_path / "library", 'os.environ["XTENSOR_DEVICE"]')
        monkeypatch.syspath_prepend(tmp_path / "library")
        monkeypatch.setenv("ARRAY_API_TESTS_DIR", str(folder))
        return Workplace(folder, pins, root)

    return make


@pytest.fixture
def passing(make_workplace: MakeWorkplace) -> Workplace:
    return make_workplace({"test_linalg.py": PASSES})


@pytest.fixture
def failing(make_workplace: MakeWorkplace) -> Workplace:
    return make_workplace({"test_linalg.py": PASSES + FAILS})


def with_conftest(work: Workplace, text: str) -> Workplace:
    with (work.folder / "conftest.py").open("a", encoding="utf-8") as stream:
        stream.write(text)
    return replace(work, pins=replace(work.pins, suite=commit_all(work.folder)))


# --- finding and verifying the suite


def test_missing_suite_is_said_to_be_not_run(
    passing: Workplace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("ARRAY_API_TESTS_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    assert passing.run() == NO_SUITE == 3
    message = capsys.readouterr().err
    assert "NOT RUN" in message
    assert "python -m conformance fetch" in message
    assert "ARRAY_API_TESTS_DIR" in message
    assert not passing.has_written


def test_named_folder_without_a_suite_is_not_run(
    passing: Workplace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ARRAY_API_TESTS_DIR", str(tmp_path / "nowhere"))
    assert passing.run() == NO_SUITE
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("part", ["suite", "specification"])
def test_other_commit_is_refused(passing: Workplace, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    found, expected = getattr(passing.pins, part), "0" * 40
    pins = replace(passing.pins, **{part: expected})
    assert replace(passing, pins=pins).run() == NO_SUITE
    message = capsys.readouterr().err
    assert "NOT RUN" in message
    assert f"is at commit {found}, expected {expected}" in message
    assert not passing.has_written


def test_specification_that_is_no_repository_is_refused(passing: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    (passing.folder / "array-api" / ".git").rename(passing.root / "moved")
    assert passing.run() == NO_SUITE
    assert "not a git repository" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["conftest.py", "array-api/spec.md"])
def test_edited_file_is_refused(passing: Workplace, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with (passing.folder / name).open("a", encoding="utf-8") as stream:
        stream.write("# edited\n")
    assert passing.run() == NO_SUITE
    message = capsys.readouterr().err
    assert "is modified" in message
    assert Path(name).name in message


def test_edit_hidden_from_git_is_refused(passing: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    git(passing.folder, "update-index", "--assume-unchanged", "conftest.py")
    assert passing.run() == NO_SUITE
    assert "conftest.py (hidden from git status)" in capsys.readouterr().err


@pytest.mark.parametrize("ignored", [False, True])
def test_added_conftest_is_refused(passing: Workplace, ignored: bool, capsys: pytest.CaptureFixture[str]) -> None:
    if ignored:
        (passing.folder / ".git" / "info" / "exclude").write_text("*.py\n", encoding="utf-8")
    (passing.folder / "array_api_tests" / "conftest.py").touch()
    assert passing.run() == NO_SUITE
    assert "array_api_tests/conftest.py" in capsys.readouterr().err


def test_leftover_caches_are_accepted(passing: Workplace) -> None:
    for name in (".hypothesis", ".pytest_cache", "array_api_tests/__pycache__"):
        (passing.folder / name).mkdir()
        (passing.folder / name / "leftover").touch()
    suite.verify(passing.folder, passing.pins)


# --- outcomes


def test_passing_suite_is_recorded(passing: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    assert passing.run("--max-examples", "7", "--seed", "3") == PASSED == 0
    record = passing.record()
    assert record["counts"] == record["chapters"]["linalg"]
    assert record["counts"]["passed"] == record["counts"]["total"] == 1
    assert record["failures"] == record["skips"] == []
    assert (record["max_examples"], record["seed"]) == (7, 3)
    assert (record["xtensor"], record["backend"]) == ("1.2.3", "fake")
    assert record["hardware"] == "Fake 9000"
    assert record["suite"]["array-api-tests"] == passing.pins.suite
    assert "cpu: 1/1, 0 failed" in capsys.readouterr().out
    assert "| linalg | 1 / 1 |" in (passing.root / "CONFORMANCE.md").read_text(encoding="utf-8")


def test_checkout_stays_clean(make_workplace: MakeWorkplace) -> None:
    # A failing example is what Hypothesis would store.
    work = make_workplace({"test_linalg.py": WITH_HYPOTHESIS})
    assert work.run() == FAILED
    assert git(work.folder, "status", "--porcelain", "--ignored") == ""


def test_failing_test_fails_and_is_recorded(failing: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    assert failing.run() == FAILED == 1
    message = "AssertionError: one is not two"
    assert failing.record()["failures"] == [{"id": FAILS_ID, "outcome": "failed", "message": message}]
    assert f"FAILED {FAILS_ID}\n    {message}" in capsys.readouterr().out


def test_message_of_a_failure_names_the_failing_example(make_workplace: MakeWorkplace) -> None:
    work = make_workplace({"test_linalg.py": WITH_HYPOTHESIS})
    assert work.run() == FAILED
    (failure,) = work.record()["failures"]
    error, *notes = failure["message"].splitlines()
    assert error == "AssertionError: too large"
    # Hypothesis may explain itself in further notes, and in a comment within the example.
    assert any(note.startswith("Failing test case: test_small(") and "x=10," in note for note in notes), notes


@pytest.mark.parametrize(("body", "outcome"), [("assert False", "xfailed"), ("assert True", "xpassed")])
def test_expected_failure_fails(make_workplace: MakeWorkplace, body: str, outcome: str) -> None:
    text = f"import pytest\n@pytest.mark.xfail(reason='known')\ndef test_a():\n    {body}\n"
    work = make_workplace({"test_fft.py": text})
    assert work.run() == FAILED
    record = work.record()
    assert record["counts"][outcome] == 1
    assert record["failures"][0]["message"] == "known"


def test_error_in_teardown_fails(make_workplace: MakeWorkplace) -> None:
    text = "import pytest\n@pytest.fixture\ndef bad():\n    yield\n    raise OSError('late')\n"
    work = make_workplace({"test_fft.py": text + "def test_a(bad):\n    pass\n"})
    assert work.run() == FAILED
    record = work.record()
    assert (record["counts"]["errors"], record["counts"]["passed"]) == (1, 0)
    assert record["failures"][0]["message"] == "OSError: late"


def test_skip_by_the_suite_is_recorded_with_its_reason(make_workplace: MakeWorkplace) -> None:
    text = "import pytest\n@pytest.mark.skip(reason='flaky')\ndef test_a():\n    pass\n"
    work = make_workplace({"test_special_cases.py": text, "test_fft.py": PASSES})
    assert work.run() == PASSED
    record = work.record()
    assert record["chapters"]["special cases"]["skipped"] == 1
    skipped = "array_api_tests/test_special_cases.py::test_a"
    assert record["skips"] == [{"id": skipped, "reason": "flaky"}]


@pytest.mark.parametrize("name", ["xfails.txt", "skips.txt"])
def test_stray_list_has_no_effect(failing: Workplace, name: str) -> None:
    (failing.folder / name).write_text(f"{FAILS_ID}\n", encoding="utf-8")
    assert failing.run() == FAILED
    assert failing.record()["counts"]["failed"] == 1


def test_shell_variables_have_no_effect(failing: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", f"--deselect {FAILS_ID}")
    assert failing.run() == FAILED
    assert failing.record()["counts"]["failed"] == 1


def test_suite_is_told_of_device_standard_and_examples(
    make_workplace: MakeWorkplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
import os
def test_settings(pytestconfig):
    assert os.environ["ARRAY_API_TESTS_MODULE"] == "xtensor"
    assert os.environ["ARRAY_API_TESTS_VERSION"] == "2025.12"
    assert os.environ["XTENSOR_DEVICE"] == "sycl:cpu:0"
    assert "ARRAY_API_TESTS_SKIP_DTYPES" not in os.environ
    assert pytestconfig.getoption("--max-examples") == 7
    assert pytestconfig.getoption("--disable-deadline")
"""
    work = make_workplace({"test_fft.py": text})
    monkeypatch.setenv("ARRAY_API_TESTS_SKIP_DTYPES", "complex128")
    assert work.run("--device", "sycl:cpu:0", "--max-examples", "7") == PASSED
    assert work.record("sycl:cpu:0")["device"] == "sycl:cpu:0"


def test_workers_give_the_same_outcomes(make_workplace: MakeWorkplace) -> None:
    skipped = "import pytest\ndef test_skipped():\n    pytest.skip('not here')\n"
    work = make_workplace({"test_linalg.py": PASSES + FAILS, "test_fft.py": skipped})
    assert work.run() == FAILED
    alone = work.record()
    assert work.run("-j", "2") == FAILED
    together = work.record()
    for key in ("counts", "chapters", "failures", "skips"):
        assert together[key] == alone[key]


# --- runs that are no runs


@pytest.mark.parametrize(("death", "words"), [("os._exit(0)", "exit code 0"), ("os.abort()", "SIGABRT")])
def test_death_of_pytest_fails_and_names_the_last_test(
    make_workplace: MakeWorkplace, death: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.name == "nt" and "abort" in death:
        words = "exit code"
    work = make_workplace({"test_fft.py": f"import os\n{PASSES}def test_dies():\n    {death}\n"})
    assert work.run() == FAILED
    message = capsys.readouterr().out
    assert "pytest died" in message
    assert words in message
    assert "last test seen: array_api_tests/test_fft.py::test_dies" in message
    assert not work.has_written


def test_death_of_a_worker_is_a_failure_of_its_test(make_workplace: MakeWorkplace) -> None:
    text = f"import os\n{PASSES}def test_dies():\n    os._exit(9)\n"
    work = make_workplace({"test_fft.py": text})
    assert work.run("-j", "2") == FAILED
    (failure,) = work.record()["failures"]
    assert failure["id"] == "array_api_tests/test_fft.py::test_dies"
    assert "crashed" in failure["message"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_module_that_cannot_be_collected_fails(make_workplace: MakeWorkplace, workers: str) -> None:
    work = make_workplace({"test_fft.py": "raise OSError('no')\n", "test_linalg.py": PASSES})
    assert work.run("-j", workers) == FAILED
    record = work.record()
    assert record["chapters"]["fft"]["errors"] == 1
    assert record["chapters"]["linalg"]["passed"] == 1
    assert record["failures"][0]["message"] == "OSError: no"


def test_pytest_that_cannot_start_shows_why(passing: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    work = with_conftest(passing, "raise OSError('a broken conftest')\n")
    assert work.run() == FAILED
    message = capsys.readouterr().out
    assert "a broken conftest" in message
    assert "pytest could not start (exit code 4)" in message


def test_test_without_an_outcome_fails(failing: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    swallow = "def pytest_runtest_protocol(item):\n    return item.name == 'test_fails' or None\n"
    assert with_conftest(failing, swallow).run() == FAILED
    assert "1 of 2 collected tests never gave an outcome" in capsys.readouterr().out
    assert not failing.has_written


def test_suite_without_tests_fails(make_workplace: MakeWorkplace, capsys: pytest.CaptureFixture[str]) -> None:
    work = make_workplace({"test_fft.py": ""})
    assert work.run() == FAILED
    assert "no test was collected" in capsys.readouterr().out
    assert not work.has_written


def test_keyword_that_matches_nothing_fails(passing: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    assert passing.run("-k", "no_such_test") == FAILED
    assert "nothing matched -k 'no_such_test'" in capsys.readouterr().out


def test_keyword_writes_no_record(failing: Workplace) -> None:
    assert failing.run("-k", "test_passes") == PASSED
    assert not failing.has_written


def test_device_that_does_not_open_is_not_run(passing: Workplace, capsys: pytest.CaptureFixture[str]) -> None:
    assert passing.run("--device", "broken") == NO_DEVICE == 2
    message = capsys.readouterr().err
    assert "NOT RUN on broken" in message
    assert "no driver for 'broken'" in message
    assert not passing.has_written


def test_device_that_arrays_do_not_land_on_is_not_run(
    passing: Workplace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_library(tmp_path / "library", '"cpu"')
    assert passing.run("--device", "strict") == NO_DEVICE
    assert "landed on cpu, expected it on strict" in capsys.readouterr().err


def test_broken_device_does_not_keep_another_from_running(passing: Workplace) -> None:
    assert passing.run("--device", "broken", "--device", "cpu") == NO_DEVICE
    assert passing.record("cpu")["counts"]["passed"] == 1


def test_progress_on_a_terminal_stays_on_one_line(
    make_workplace: MakeWorkplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = make_workplace({"test_fft.py": PASSES})
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    run.run_suite(work.folder, "cpu", run.Settings(), terminal)
    assert "\rcpu: 1/1, 0 failed" in terminal.getvalue()
    assert "\n" not in terminal.getvalue()


# --- fetching


def test_fetch_puts_the_pinned_suite_in_place(passing: Workplace, tmp_path: Path) -> None:
    target = tmp_path / "cache" / "array-api-tests"
    assert "Fetched" in suite.fetch(target, passing.pins)
    suite.verify(target, passing.pins)
    assert [entry.name for entry in target.parent.iterdir()] == ["array-api-tests"]


def test_fetch_again_says_it_is_there(passing: Workplace) -> None:
    assert "already in" in suite.fetch(passing.folder, passing.pins)


def test_fetch_that_breaks_leaves_nothing(passing: Workplace, tmp_path: Path) -> None:
    target = tmp_path / "cache" / "array-api-tests"
    pins = replace(passing.pins, specification_url=str(tmp_path / "unreachable"))
    with pytest.raises(suite.SuiteError, match="unreachable"):
        suite.fetch(target, pins)
    assert list(target.parent.iterdir()) == []


def test_fetch_replaces_another_commit(passing: Workplace, tmp_path: Path) -> None:
    target = tmp_path / "cache" / "array-api-tests"
    suite.fetch(target, passing.pins)
    newer = replace(passing.pins, suite=commit_all(passing.folder))
    assert newer != passing.pins
    suite.fetch(target, newer)
    suite.verify(target, newer)


def test_fetch_leaves_a_modified_checkout_alone(passing: Workplace) -> None:
    edited = passing.folder / "conftest.py"
    edited.write_text("# mine\n", encoding="utf-8")
    with pytest.raises(suite.SuiteError, match=r"conftest\.py"):
        suite.fetch(passing.folder, passing.pins)
    assert edited.read_text(encoding="utf-8") == "# mine\n"


# --- the report


def counts(passed: int, failed: int = 0, skipped: int = 0) -> dict[str, int]:
    return {
        "total": passed + failed + skipped,
        **dict.fromkeys(("passed", "skipped", "xpassed", "xfailed", "failed", "errors"), 0),
        "passed": passed,
        "skipped": skipped,
        "failed": failed,
    }


def record_of(device: str, failed: int = 0) -> dict[str, Any]:
    failures = [{"id": f"array_api_tests/test_fft.py::test_{i}"} for i in range(failed)]
    return {
        "device": device,
        "date": "2026-01-02T03:04:05+00:00",
        "xtensor": "1.2.3",
        "backend": "fake",
        "hardware": None,
        "python": "3.11.7",
        "platform": "Linux",
        "versions": {"numpy": "2.4.6"},
        "suite": {"array-api-tests": "5" * 40, "array-api": "6" * 40},
        "max_examples": 1000,
        "seed": None,
        "seconds": 12.3,
        "counts": counts(10 - failed, failed, skipped=1),
        "chapters": {"fft": counts(4 - failed, failed), "linalg": counts(6, skipped=1)},
        "failures": failures,
        "skips": [{"id": "array_api_tests/test_linalg.py::test_b", "reason": "flaky"}],
    }


def test_table_has_a_row_a_chapter_and_a_column_a_device() -> None:
    text = report.render([record_of("cpu"), record_of("strict", failed=2)])
    assert "| chapter | cpu | strict |" in text
    assert "| fft | 4 / 4 | 2 / 4, **2 failed** |" in text
    assert "| linalg | 6 / 7 | 6 / 7 |" in text
    assert "| all | 10 / 11 | 8 / 11, **2 failed** |" in text


def test_section_of_a_device_says_how_it_was_run() -> None:
    text = report.render([record_of("cpu")])
    for words in (
        "2026-01-02T03:04:05+00:00",
        "1000 examples",
        "numpy 2.4.6",
        "flaky: `test_linalg.py::test_b`",
        "python -m conformance --device cpu --max-examples 1000\n",
    ):
        assert words in text


def test_device_without_a_record_is_listed_as_never_run() -> None:
    _, _, never = report.render([record_of("cpu")]).partition("## Never run")
    for device in report.PROJECT_DEVICES:
        listed = f"- {device} (" in never
        assert listed == (device != "cpu")
    assert "python -m conformance --device sycl:gpu:0\n" in never


def test_report_command_rewrites_the_report_from_the_records(passing: Workplace) -> None:
    folder = report.results_folder(passing.root)
    folder.mkdir(parents=True)
    for device in ("strict", "cpu"):
        text = json.dumps(record_of(device))
        (folder / f"{device}.json").write_text(text, encoding="utf-8")
    assert passing.run("report") == PASSED
    text = (passing.root / "CONFORMANCE.md").read_text(encoding="utf-8")
    assert "| chapter | cpu | strict |" in text


def test_no_record_writes_nothing_and_still_fails(failing: Workplace) -> None:
    assert failing.run("--no-record") == FAILED
    assert not failing.has_written


def test_if_available_without_a_suite_says_not_run_and_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(suite.DIRECTORY_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    nowhere = replace(suite.PINS, suite_url=str(tmp_path / "a"), specification_url=str(tmp_path / "b"))
    assert main(["--if-available"], root=tmp_path, pins=nowhere) == PASSED
    assert "NOT RUN" in capsys.readouterr().err


def test_if_available_with_a_suite_runs_it(failing: Workplace) -> None:
    assert failing.run("--if-available") == FAILED


DTYPE_HELPERS = """
import numpy as np
promotion_table = type("Mapping", (dict,), {})({(1, 2): np.dtype("float32")})
"""
CAN_CAST = """
import numpy as np
from array_api_tests import dtype_helpers as dh

def test_missing_promotion_equals_no_dtype():
    assert dh.promotion_table.get((3, 4)) != np.dtype("float64")

def test_promotion_is_looked_up_as_before():
    assert dh.promotion_table.get((1, 2)) == np.dtype("float32")
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_missing_promotion_of_the_suite_is_mended(make_workplace: MakeWorkplace, workers: str) -> None:
    work = make_workplace({"dtype_helpers.py": DTYPE_HELPERS, "test_data_type_functions.py": CAN_CAST})
    assert work.run("-j", workers) == PASSED


def test_none_equals_numpys_default_dtype() -> None:
    """The reason of the repair: when this changes in NumPy, the repair can go."""
    import numpy as np

    nothing: object = None
    assert np.dtype("float64") == nothing
