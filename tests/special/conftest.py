"""Devices on which only formulas compute special functions."""

from __future__ import annotations

import pytest
from toy import NumpyWith, ToyBackend

import xtensor as xp
from xtensor.special import _declaration


class Bare(ToyBackend):
    """A device off the host without special functions of its own."""

    def namespace(self, spec):
        return NumpyWith(special=None)


@pytest.fixture
def bare(registry):
    """A device off the host without special functions of its own."""
    xp.register_backend(Bare())
    with xp.use_device("cpu"):
        yield xp.device("toy:0")


@pytest.fixture
def formulas_only(monkeypatch):
    """Hide every device's own implementations, the host's too, so that only formulas compute."""
    monkeypatch.setattr(
        _declaration, "call_elementwise_if_implemented", lambda operation, device, *natives: NotImplemented
    )
