"""Small suites that the runner runs on a stand-in for xtensor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from small_suite import FAILS, PASSES, MakeSuite, SmallSuite, create_suite, write_library


@pytest.fixture
def make_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeSuite:
    """Function that creates a suite of these modules and makes it the one that the runner finds."""

    def make(modules: Mapping[str, str]) -> SmallSuite:
        small = create_suite(tmp_path / "suite", tmp_path / "root", modules)
        write_library(tmp_path / "library", 'os.environ["XTENSOR_DEVICE"]')
        monkeypatch.syspath_prepend(tmp_path / "library")
        monkeypatch.setenv("ARRAY_API_TESTS_DIR", str(small.folder))
        return small

    return make


@pytest.fixture
def passing(make_suite: MakeSuite) -> SmallSuite:
    """Suite of one test that passes."""
    return make_suite({"test_linalg.py": PASSES})


@pytest.fixture
def failing(make_suite: MakeSuite) -> SmallSuite:
    """Suite of a test that passes and a test that fails."""
    return make_suite({"test_linalg.py": PASSES + FAILS})
