"""Location, verification and download of the suite's checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from small_suite import SmallSuite, commit_all, git

from conformance import run, suite
from conformance.__main__ import FAILED, NO_SUITE, PASSED, main

ROOT = Path(__file__).resolve().parents[2]

NOT_RUN = "NOT RUN: the official suite did not run on "


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cache folder without a suite, and no other folder named."""
    monkeypatch.delenv(suite.DIRECTORY_VARIABLE, raising=False)
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path / "cache"))
    return tmp_path / "cache"


def unreachable(folder: Path) -> suite.Pins:
    return replace(suite.PINS, suite_url=str(folder / "a"), specification_url=str(folder / "b"))


def test_missing_suite_fails(passing: SmallSuite, empty_cache: Path) -> None:
    assert passing.run() == NO_SUITE == 3
    assert not passing.has_written


@pytest.mark.long
def test_output_without_the_suite_ends_with_not_run_and_the_remedy(
    passing: SmallSuite, empty_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    passing.run("--device", "cpu", "--device", "strict")
    *_, not_run, remedy = capsys.readouterr().err.splitlines()
    assert not_run == NOT_RUN + "cpu, strict."
    assert remedy.startswith("Remedy: run `python -m conformance fetch`")
    assert "ARRAY_API_TESTS_DIR" in remedy


def test_named_folder_without_a_suite_is_not_run(
    passing: SmallSuite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ARRAY_API_TESTS_DIR", str(tmp_path / "nowhere"))
    assert passing.run() == NO_SUITE
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("part", ["suite", pytest.param("specification", marks=pytest.mark.long)])
def test_other_commit_is_refused(passing: SmallSuite, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    found, expected = getattr(passing.pins, part), "0" * 40
    pins = replace(passing.pins, **{part: expected})
    assert replace(passing, pins=pins).run() == NO_SUITE
    message = capsys.readouterr().err
    assert NOT_RUN in message
    assert f"is at commit {found}, expected {expected}" in message
    assert not passing.has_written


@pytest.mark.long
def test_specification_outside_a_repository_is_refused(passing: SmallSuite, capsys: pytest.CaptureFixture[str]) -> None:
    (passing.folder / "array-api" / ".git").rename(passing.root / "moved")
    assert passing.run() == NO_SUITE
    assert "not a git repository" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["conftest.py", pytest.param("array-api/spec.md", marks=pytest.mark.long)])
def test_edited_file_is_refused(passing: SmallSuite, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with (passing.folder / name).open("a", encoding="utf-8") as stream:
        stream.write("# edited\n")
    assert passing.run() == NO_SUITE
    message = capsys.readouterr().err
    assert "is modified" in message
    assert Path(name).name in message


@pytest.mark.long
def test_edit_hidden_from_git_is_refused(passing: SmallSuite, capsys: pytest.CaptureFixture[str]) -> None:
    git(passing.folder, "update-index", "--assume-unchanged", "conftest.py")
    assert passing.run() == NO_SUITE
    assert "conftest.py (hidden from git status)" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize("ignored", [False, True])
def test_added_conftest_is_refused(passing: SmallSuite, ignored: bool, capsys: pytest.CaptureFixture[str]) -> None:
    if ignored:
        (passing.folder / ".git" / "info" / "exclude").write_text("*.py\n", encoding="utf-8")
    (passing.folder / "array_api_tests" / "conftest.py").touch()
    assert passing.run() == NO_SUITE
    assert "array_api_tests/conftest.py" in capsys.readouterr().err


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_checkout_that_everyone_can_write_to_is_refused(
    passing: SmallSuite, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = passing.folder / "array_api_tests"
    folder.chmod(0o777)
    assert passing.run() == NO_SUITE
    assert "Every user can write to" in capsys.readouterr().err
    folder.chmod(0o755)
    assert passing.run() == PASSED


@pytest.mark.long
def test_leftover_caches_are_accepted(passing: SmallSuite) -> None:
    for name in (".hypothesis", ".pytest_cache", "array_api_tests/__pycache__"):
        (passing.folder / name).mkdir()
        (passing.folder / name / "leftover").touch()
    suite.verify(passing.folder, passing.pins)


def test_if_available_without_the_suite_passes(empty_cache: Path, tmp_path: Path) -> None:
    assert main(["--if-available"], root=tmp_path, pins=unreachable(tmp_path)) == PASSED


def test_if_available_without_the_suite_ends_with_not_run_and_the_remedy(
    empty_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--if-available"], root=tmp_path, pins=unreachable(tmp_path))
    *_, not_run, remedy = capsys.readouterr().err.splitlines()
    assert not_run == NOT_RUN + "cpu."
    assert remedy.startswith("Remedy: ")


@pytest.mark.long
def test_if_available_fetches_a_missing_suite_and_runs_it(failing: SmallSuite, empty_cache: Path) -> None:
    assert failing.run("--if-available") == FAILED
    assert failing.record()["counts"]["total"] == 2


@pytest.mark.long
def test_if_available_with_a_suite_runs_it(failing: SmallSuite) -> None:
    assert failing.run("--if-available") == FAILED


@pytest.mark.long
def test_if_available_does_not_excuse_a_named_folder_without_a_suite(
    passing: SmallSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARRAY_API_TESTS_DIR", str(tmp_path / "nowhere"))
    assert passing.run("--if-available") == NO_SUITE


def test_if_available_does_not_excuse_a_modified_suite(passing: SmallSuite) -> None:
    (passing.folder / "conftest.py").write_text("# edited\n", encoding="utf-8")
    assert passing.run("--if-available") == NO_SUITE


@pytest.mark.long
def test_if_available_does_not_excuse_a_missing_package(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "missing_requirements", lambda: ["ndindex"])
    assert main(["--if-available"], root=tmp_path, pins=unreachable(tmp_path)) == NO_SUITE
    assert "pip install ndindex" in capsys.readouterr().err.splitlines()[-1]


def test_fetch_installs_the_pinned_suite(passing: SmallSuite, tmp_path: Path) -> None:
    target = tmp_path / "cache" / "array-api-tests"
    assert "Fetched" in suite.fetch(target, passing.pins)
    suite.verify(target, passing.pins)
    assert [entry.name for entry in target.parent.iterdir()] == ["array-api-tests"]


def test_commands_that_run_no_test_need_no_pytest() -> None:
    program = "import sys; sys.modules['pytest'] = None; import conformance.__main__"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


@pytest.mark.long
def test_fetch_of_a_present_suite_changes_nothing(passing: SmallSuite) -> None:
    assert "already in" in suite.fetch(passing.folder, passing.pins)


def test_failed_fetch_leaves_no_files(passing: SmallSuite, tmp_path: Path) -> None:
    target = tmp_path / "cache" / "array-api-tests"
    pins = replace(passing.pins, specification_url=str(tmp_path / "unreachable"))
    with pytest.raises(suite.SuiteError, match="unreachable"):
        suite.fetch(target, pins)
    assert list(target.parent.iterdir()) == []


@pytest.mark.long
def test_fetch_replaces_another_commit(passing: SmallSuite, tmp_path: Path) -> None:
    target = tmp_path / "cache" / "array-api-tests"
    suite.fetch(target, passing.pins)
    newer = replace(passing.pins, suite=commit_all(passing.folder))
    assert newer != passing.pins
    suite.fetch(target, newer)
    suite.verify(target, newer)


@pytest.mark.long
def test_fetch_does_not_replace_a_modified_checkout(passing: SmallSuite) -> None:
    edited = passing.folder / "conftest.py"
    edited.write_text("# mine\n", encoding="utf-8")
    with pytest.raises(suite.SuiteError, match=r"conftest\.py"):
        suite.fetch(passing.folder, passing.pins)
    assert edited.read_text(encoding="utf-8") == "# mine\n"


@pytest.mark.long
def test_user_without_a_home_needs_no_home_if_the_cache_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pwd = pytest.importorskip("pwd")

    def unknown(_: object) -> None:
        raise KeyError("no such user")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    for variable in ("HOME", "XDG_CACHE_HOME", suite.DIRECTORY_VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    assert main(["fetch"]) == NO_SUITE
    assert "set XDG_CACHE_HOME" in capsys.readouterr().err
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert suite.cache_folder() == tmp_path / "xtensor" / "array-api-tests"


@pytest.mark.long
def test_fetch_into_a_file_fails_with_the_remedy(passing: SmallSuite, tmp_path: Path) -> None:
    (tmp_path / "cache").touch()
    with pytest.raises(suite.SuiteError, match=r"cannot be stored.*\n.*make that folder writable"):
        suite.fetch(tmp_path / "cache" / "array-api-tests", passing.pins)
