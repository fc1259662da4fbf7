"""State that the stand-ins share with the plugin. It imports nothing: the controller of pytest-xdist reads it, too."""

from __future__ import annotations


class InapplicableError(Exception):
    """The test needs a part of the peer for which no stand-in exists."""


class State:
    """State that the stand-ins share with the plugin.

    Attributes
    ----------
    device
        The device of the Arrays.
    arrays
        Number of Arrays that the running test has created.
    running
        Whether a test runs; a module of tests is imported otherwise.
    """

    device: str = "cpu"
    arrays: int = 0
    running: bool = False
    plain: bool = False
    """Whether new arrays stay NumPy's."""


state = State()
