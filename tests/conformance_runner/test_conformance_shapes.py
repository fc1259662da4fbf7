"""Runs of shapes only: where an example ends, and what fails or is skipped."""

from __future__ import annotations

import pytest
from small_suite import MakeSuite

import xtensor as xp
from conformance.__main__ import FAILED, PASSED
from conformance.shapes_only import EXCLUDED, REASON, reads_a_value

HELPERS = """
def assert_shape(func_name, *, out_shape, expected):
    assert out_shape == expected

def assert_fill(func_name, *, out):
    assert False, "a comparison of values"
"""

START = """
from array_api_tests import pytest_helpers as ph
from array_api_tests import xp
from hypothesis import given, strategies as st
"""


def run(make_suite: MakeSuite, test: str, *arguments: str) -> tuple[int, int]:
    """Return the exit code for a suite of one test, and the number of skipped tests in its text."""
    small = make_suite({"pytest_helpers.py": HELPERS, "test_fft.py": START + test})
    return small.run("--shapes-only", *arguments), int(not small.has_written)


@pytest.mark.parametrize(
    "test",
    [
        "def test_checks():\n    ph.assert_shape('f', out_shape=(2,), expected=(2,))\n    assert xp.Valueless()",
        "@given(st.integers())\ndef test_checks(n):\n    ph.assert_shape('f', out_shape=(n,), expected=(n,))\n"
        "    assert xp.Valueless()",
        "def test_compares_values():\n    ph.assert_fill('f', out=1)",
    ],
)
def test_example_ends_where_it_reads_a_value(make_suite: MakeSuite, capsys: pytest.CaptureFixture[str], test: str):
    assert run(make_suite, test) == (PASSED, 1)
    assert "1 passed, 0 skipped" in capsys.readouterr().out


@pytest.mark.parametrize(
    "test",
    [
        "def test_checks():\n    ph.assert_shape('f', out_shape=xp.Valueless.shape, expected=(3,))",
        "def test_function_reads():\n    xp.decide(xp.Valueless())",
        "@given(st.integers())\ndef test_function_reads(n):\n    xp.decide(xp.Valueless())",
    ],
)
def test_wrong_shape_and_function_that_reads_a_value_fail(
    make_suite: MakeSuite, capsys: pytest.CaptureFixture[str], test: str
):
    assert run(make_suite, test)[0] == FAILED
    assert "1 failed" in capsys.readouterr().out


def test_test_that_checks_nothing_before_it_reads_a_value_is_skipped(
    make_suite: MakeSuite, capsys: pytest.CaptureFixture[str]
):
    run(make_suite, "def test_reads():\n    assert xp.Valueless()")
    assert f"1 skipped: {REASON}" in capsys.readouterr().out


def test_excluded_test_is_skipped_with_its_reason(make_suite: MakeSuite, capsys: pytest.CaptureFixture[str]):
    run(make_suite, "def test_nonzero():\n    assert False")
    assert f"1 skipped: {EXCLUDED['test_nonzero']}" in capsys.readouterr().out


def test_conversion_by_the_test_is_told_from_one_by_a_function():
    x = xp.empty((), device="meta")
    for use, expected in (
        (bool, True),
        (int, True),
        (float, True),
        (xp.unique_values, False),
        (lambda x: xp.allclose(x, x), False),
    ):
        with pytest.raises(xp.UnknownValueError) as caught:
            use(x)
        assert reads_a_value(caught.value.__traceback__) is expected
