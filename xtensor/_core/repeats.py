"""Computing a function again with the random numbers of the first time, as ``autograd.checkpoint`` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

__all__ = ["Repeats", "note_position", "remembered"]

T = TypeVar("T")


class Stream(Protocol):
    """A stream of random numbers."""

    @property
    def position(self) -> int:
        """The position of the next number."""

    def rewound(self, position: int) -> AbstractContextManager[None]:
        """Go back to a position meanwhile, and on from the present one afterwards."""


class Repeats:
    """The random numbers of a function that is computed several times."""

    def __init__(self) -> None:
        self._streams: dict[int, tuple[Stream, int]] = {}
        self._values: list[Any] = []
        self._known = False

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Note what the function draws meanwhile, and from the second time on give the same again."""
        if not self._known:
            self._streams.clear()
            self._values.clear()
        before = _present.get()
        with ExitStack() as stack:
            stack.callback(_present.set, before)
            _present.set((*before, (self, iter(self._values) if self._known else None)))
            if self._known:
                for stream, position in self._streams.values():
                    stack.enter_context(stream.rewound(position))
            yield
        self._known = True


_present: ContextVar[tuple[tuple[Repeats, Iterator[Any] | None], ...]] = ContextVar("xtensor_repeats", default=())
"""The functions that are being computed, the outermost first, each with the values of its first time; None in that."""


def note_position(stream: Stream) -> None:
    """Note the position of a stream that draws next, to which it goes back when the function is computed again."""
    for repeats, earlier in _present.get():
        if earlier is None:
            repeats._streams.setdefault(id(stream), (stream, stream.position))


def remembered(make: Callable[[], T]) -> T:
    """Return what is made in the first computation of a function, and the same value in later ones."""
    known = [next(earlier) for _, earlier in _present.get() if earlier is not None]
    value: T = known[0] if known else make()
    for repeats, earlier in _present.get():
        if earlier is None:
            repeats._values.append(value)
    return value
