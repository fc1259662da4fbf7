"""Runs that are incomplete, partial or impossible, and the progress display."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest
from small_suite import PASSES, MakeSuite, SmallSuite, write_library

from conformance import run
from conformance.__main__ import FAILED, NO_DEVICE, PASSED


@pytest.mark.parametrize(
    ("death", "words"), [("os._exit(0)", "exit code 0"), pytest.param("os.abort()", "SIGABRT", marks=pytest.mark.long)]
)
def test_death_of_pytest_fails_and_names_the_last_test(
    make_suite: MakeSuite, death: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.name == "nt" and "abort" in death:
        words = "exit code"
    small = make_suite({"test_fft.py": f"import os\n{PASSES}def test_dies():\n    {death}\n"})
    assert small.run() == FAILED
    message = capsys.readouterr().out
    assert "pytest died" in message
    assert words in message
    assert "last test started: array_api_tests/test_fft.py::test_dies" in message
    assert not small.has_written


def test_death_of_a_worker_is_a_failure_of_its_test(make_suite: MakeSuite) -> None:
    text = f"import os\n{PASSES}def test_dies():\n    os._exit(9)\n"
    small = make_suite({"test_fft.py": text})
    assert small.run("-j", "2") == FAILED
    (failure,) = small.record()["failures"]
    assert failure["id"] == "array_api_tests/test_fft.py::test_dies"
    assert "crashed" in failure["message"]


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.long)])
def test_module_that_cannot_be_collected_fails(make_suite: MakeSuite, workers: str) -> None:
    small = make_suite({"test_fft.py": "raise OSError('no')\n", "test_linalg.py": PASSES})
    assert small.run("-j", workers) == FAILED
    record = small.record()
    assert record["chapters"]["fft"]["errors"] == 1
    assert record["chapters"]["linalg"]["passed"] == 1
    assert record["failures"][0]["message"] == "OSError: no"


@pytest.mark.long
def test_pytest_that_cannot_start_shows_why(passing: SmallSuite, capsys: pytest.CaptureFixture[str]) -> None:
    small = passing.with_conftest("raise OSError('a broken conftest')\n")
    assert small.run() == FAILED
    message = capsys.readouterr().out
    assert "a broken conftest" in message
    assert "pytest could not start (exit code 4)" in message


def test_test_without_an_outcome_fails(failing: SmallSuite, capsys: pytest.CaptureFixture[str]) -> None:
    swallow = "def pytest_runtest_protocol(item):\n    return item.name == 'test_fails' or None\n"
    assert failing.with_conftest(swallow).run() == FAILED
    assert "1 of 2 collected tests have no outcome" in capsys.readouterr().out
    assert not failing.has_written


def test_suite_without_tests_fails(make_suite: MakeSuite, capsys: pytest.CaptureFixture[str]) -> None:
    small = make_suite({"test_fft.py": ""})
    assert small.run() == FAILED
    assert "pytest collected no test" in capsys.readouterr().out
    assert not small.has_written


def test_keyword_that_matches_nothing_fails(passing: SmallSuite, capsys: pytest.CaptureFixture[str]) -> None:
    assert passing.run("-k", "no_such_test") == FAILED
    assert "no test matched -k 'no_such_test'" in capsys.readouterr().out


def test_keyword_writes_no_record(failing: SmallSuite) -> None:
    assert failing.run("-k", "test_passes") == PASSED
    assert not failing.has_written


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.long)])
def test_parts_run_each_test_once_and_write_no_record(
    failing: SmallSuite, workers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = [failing.run("--part", f"{position}/2", "-j", workers) for position in (1, 2)]
    assert sorted(codes) == [PASSED, FAILED]
    assert capsys.readouterr().out.count(" 1 in all, ") == 2
    assert not failing.has_written


@pytest.mark.parametrize("text", ["3/2", *(pytest.param(text, marks=pytest.mark.long) for text in ("0/2", "2", "a/b"))])
def test_part_that_does_not_exist_is_wrong_usage(passing: SmallSuite, text: str) -> None:
    with pytest.raises(SystemExit) as stop:
        passing.run("--part", text)
    assert stop.value.code == 2


def test_device_that_does_not_open_is_not_run(passing: SmallSuite, capsys: pytest.CaptureFixture[str]) -> None:
    assert passing.run("--device", "broken") == NO_DEVICE == 2
    *_, reason, not_run, remedy = capsys.readouterr().err.splitlines()
    assert "no driver for 'broken'" in reason
    assert not_run == "NOT RUN: the official suite did not run on broken."
    assert "python -m xtensor" in remedy
    assert not passing.has_written


@pytest.mark.long
def test_device_is_not_run_if_arrays_are_created_on_another(
    passing: SmallSuite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_library(tmp_path / "library", '"cpu"')
    assert passing.run("--device", "strict") == NO_DEVICE
    assert "created on cpu, expected strict" in capsys.readouterr().err


@pytest.mark.long
def test_broken_device_does_not_prevent_the_run_on_another(passing: SmallSuite) -> None:
    assert passing.run("--device", "broken", "--device", "cpu") == NO_DEVICE
    assert passing.record("cpu")["counts"]["passed"] == 1


def test_output_ends_with_the_devices_that_were_not_run(
    passing: SmallSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both streams in one file, the standard output with a buffer: what `python -m conformance &>output` does.
    output = tmp_path / "output"
    with output.open("a", encoding="utf-8") as stdout, output.open("a", encoding="utf-8", buffering=1) as stderr:
        monkeypatch.setattr(sys, "stdout", stdout)
        monkeypatch.setattr(sys, "stderr", stderr)
        passing.run("--device", "broken", "--device", "cpu")
    *_, not_run, _ = output.read_text(encoding="utf-8").splitlines()
    assert not_run == "NOT RUN: the official suite did not run on broken."


@pytest.mark.long
def test_progress_on_a_terminal_is_one_line(make_suite: MakeSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    small = make_suite({"test_fft.py": PASSES})
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    run.run_suite(small.folder, "cpu", run.Settings(), terminal)
    assert "\rcpu: 1/1, 0 failed" in terminal.getvalue()
    assert "\n" not in terminal.getvalue()


def test_no_record_writes_nothing_and_still_fails(failing: SmallSuite) -> None:
    assert failing.run("--no-record") == FAILED
    assert not failing.has_written
