"""Fixtures of the tests of the kernels on the CPU."""

from __future__ import annotations

import pytest

import xtensor as xp


@pytest.fixture
def on_cpu():
    with xp.use_device("cpu"):
        yield
