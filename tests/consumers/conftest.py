"""Environment that the consumers read when they are imported, and devices for consumers that compute on the host."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import xtensor as xp

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # SciPy reads it at import


@pytest.fixture
def readable_device(lenient_device: xp.Device) -> Iterator[xp.Device]:
    """Device for consumers that compute with NumPy: off the host, the copies to it are allowed."""
    with xp.transfers("forbid" if lenient_device.host else "allow"):
        yield lenient_device
