"""How often kernels were called."""

from __future__ import annotations

from collections import Counter

__all__ = ["Calls"]


class Calls:
    """Calls of kernels.

    Attributes
    ----------
    kernels
        The number of calls by the names of a kernel's steps and reductions: ``"sin"``, ``"subtract+square+sum"``.
    doubtful
        The number of those after which NumPy computed: it warns, or the formula does not cover an element.
    parts
        The number of parts into which the calls were divided for threads.
    """

    def __init__(self) -> None:
        self.kernels: Counter[str] = Counter()
        self.doubtful: Counter[str] = Counter()
        self.parts = 0
