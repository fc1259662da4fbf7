"""Consumers that know NumPy only, in a process without SciPy's switch for arrays of the standard.

SciPy reads the switch when it is imported, so that these tests and those of ``tests/consumers`` run in two processes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import xtensor as xp

os.environ.setdefault("MPLBACKEND", "agg")  # matplotlib reads it at import


@pytest.fixture
def readable_device(lenient_device: xp.Device) -> Iterator[xp.Device]:
    """Device for consumers that compute with NumPy: off the host, the copies to it are allowed."""
    with xp.transfers("forbid" if lenient_device.host else "allow"):
        yield lenient_device


@pytest.fixture
def host_device(lenient_device: xp.Device) -> xp.Device:
    """Device in host memory."""
    if not lenient_device.host:
        pytest.skip("the library reads host memory, element by element")
    return lenient_device
