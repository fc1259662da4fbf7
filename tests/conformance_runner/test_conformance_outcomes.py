"""Outcomes of the suite's tests: exit code, record and console output."""

from __future__ import annotations

import pytest
from small_suite import FAILS, FAILS_ID, PASSES, MakeSuite, SmallSuite, git

from conformance.__main__ import FAILED, PASSED

WITH_HYPOTHESIS = """
from hypothesis import given, strategies as st

@given(st.integers())
def test_small(x):
    assert x < 10, "too large"
"""


def test_passing_suite_is_recorded(passing: SmallSuite, capsys: pytest.CaptureFixture[str]) -> None:
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
    assert "| linalg | 1 / 1 |" in passing.report()


@pytest.mark.long
def test_checkout_stays_clean(make_suite: MakeSuite) -> None:
    # Hypothesis stores failing examples.
    small = make_suite({"test_linalg.py": WITH_HYPOTHESIS})
    assert small.run() == FAILED
    assert git(small.folder, "status", "--porcelain", "--ignored") == ""


def test_failing_test_fails_and_is_recorded(failing: SmallSuite, capsys: pytest.CaptureFixture[str]) -> None:
    assert failing.run() == FAILED == 1
    message = "AssertionError: one is not two"
    assert failing.record()["failures"] == [{"id": FAILS_ID, "outcome": "failed", "message": message}]
    assert f"FAILED {FAILS_ID}\n    {message}" in capsys.readouterr().out


def test_message_of_a_failure_names_the_failing_example(make_suite: MakeSuite) -> None:
    small = make_suite({"test_linalg.py": WITH_HYPOTHESIS})
    assert small.run() == FAILED
    (failure,) = small.record()["failures"]
    error, *notes = failure["message"].splitlines()
    assert error == "AssertionError: too large"
    # Hypothesis may add further notes, and a comment inside the example.
    assert any(note.startswith("Failing test case: test_small(") and "x=10," in note for note in notes), notes


@pytest.mark.parametrize(("body", "outcome"), [("assert False", "xfailed"), ("assert True", "xpassed")])
def test_expected_failure_fails(make_suite: MakeSuite, body: str, outcome: str) -> None:
    text = f"import pytest\n@pytest.mark.xfail(reason='known')\ndef test_a():\n    {body}\n"
    small = make_suite({"test_fft.py": text})
    assert small.run() == FAILED
    record = small.record()
    assert record["counts"][outcome] == 1
    assert record["failures"][0]["message"] == "known"


def test_error_in_teardown_fails(make_suite: MakeSuite) -> None:
    text = "import pytest\n@pytest.fixture\ndef bad():\n    yield\n    raise OSError('late')\n"
    small = make_suite({"test_fft.py": text + "def test_a(bad):\n    pass\n"})
    assert small.run() == FAILED
    record = small.record()
    assert (record["counts"]["errors"], record["counts"]["passed"]) == (1, 0)
    assert record["failures"][0]["message"] == "OSError: late"


@pytest.mark.long
def test_skip_by_the_suite_is_recorded_with_its_reason(make_suite: MakeSuite) -> None:
    text = "import pytest\n@pytest.mark.skip(reason='flaky')\ndef test_a():\n    pass\n"
    small = make_suite({"test_special_cases.py": text, "test_fft.py": PASSES})
    assert small.run() == PASSED
    record = small.record()
    assert record["chapters"]["special cases"]["skipped"] == 1
    skipped = "array_api_tests/test_special_cases.py::test_a"
    assert record["skips"] == [{"id": skipped, "reason": "flaky"}]


@pytest.mark.long
@pytest.mark.parametrize("name", ["xfails.txt", "skips.txt"])
def test_list_in_the_checkout_has_no_effect(failing: SmallSuite, name: str) -> None:
    (failing.folder / name).write_text(f"{FAILS_ID}\n", encoding="utf-8")
    assert failing.run() == FAILED
    assert failing.record()["counts"]["failed"] == 1


def test_shell_variables_have_no_effect(failing: SmallSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", f"--deselect {FAILS_ID}")
    assert failing.run() == FAILED
    assert failing.record()["counts"]["failed"] == 1


def test_settings_reach_the_suite(make_suite: MakeSuite, monkeypatch: pytest.MonkeyPatch) -> None:
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
    small = make_suite({"test_fft.py": text})
    monkeypatch.setenv("ARRAY_API_TESTS_SKIP_DTYPES", "complex128")
    assert small.run("--device", "sycl:cpu:0", "--max-examples", "7") == PASSED
    assert small.record("sycl:cpu:0")["device"] == "sycl:cpu:0"


@pytest.mark.long
def test_workers_give_the_same_outcomes(make_suite: MakeSuite) -> None:
    skipped = "import pytest\ndef test_skipped():\n    pytest.skip('not here')\n"
    small = make_suite({"test_linalg.py": PASSES + FAILS, "test_fft.py": skipped})
    assert small.run() == FAILED
    alone = small.record()
    assert small.run("-j", "2") == FAILED
    together = small.record()
    for key in ("counts", "chapters", "failures", "skips"):
        assert together[key] == alone[key]
