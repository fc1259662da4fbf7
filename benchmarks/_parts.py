"""The option ``--part I/N``, which splits long work into commands of a few minutes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Part", "part"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Part:
    """The ``position``-th of ``count`` parts; the first position is 1."""

    position: int
    count: int

    def __str__(self) -> str:
        return f"{self.position}/{self.count}"

    def of(self, items: Sequence[T]) -> tuple[T, ...]:
        """Return every ``count``-th item: neighbours, which take about the same time, are in different parts."""
        return tuple(items[self.position - 1 :: self.count])


def part(text: str) -> Part:
    """Convert the argument of ``--part``."""
    position, _, count = text.partition("/")
    if not (position.isdecimal() and count.isdecimal() and 1 <= int(position) <= int(count)):
        raise argparse.ArgumentTypeError(f"expected I/N with 1 ≤ I ≤ N, such as 2/4, not {text!r}")
    return Part(int(position), int(count))
