"""Draws of random numbers in recorded functions: calls that each replay repeats, and so advance the generator.

A generator that the function makes itself, from a seed, gives the same numbers in each call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from .._core.array import Array
from .._core.calls import wrap
from .._core.repeats import note_position, remembered
from .._core.tracing_errors import unknown
from .._core.trees import mapped
from .nodes import Session, session
from .recording import Recorder, recorders
from .watching import STREAMS

__all__ = ["note_streams", "recorded"]


def note_streams(kind: type) -> None:
    """Note which streams of random numbers of a class a recorded function makes."""
    STREAMS.add(kind.__init__.__code__)  # type: ignore[misc]


def recorded(method: Callable[..., Any]) -> Callable[..., Any]:
    """Make a method of a generator that recordings repeat."""

    @wraps(method)
    def draw(self: Any, *args: Any, **options: Any) -> Any:
        note_position(self.bit_generator)
        current = session.get()
        if current is None or current.watch is None or id(self.bit_generator) in current.watch.created:
            return method(self, *args, **options)
        recorder = recorders.get(self._device)
        if recorder is None:
            return method(self, *args, **options)
        return remembered(lambda: _draw(method, self, args, options, recorder, current))

    if method.__name__ != "spawn":
        return draw

    @wraps(method)
    def spawn(self: Any, *args: Any, **options: Any) -> Any:
        # The position of the stream does not tell how many children it has.
        return remembered(lambda: draw(self, *args, **options))

    return spawn


def _draw(
    method: Callable[..., Any], generator: Any, args: Any, options: Any, recorder: Recorder, current: Session
) -> Any:
    base = recorder.base
    name = method.__name__
    if name in ("shuffle", "bytes", "spawn") or options.get("out") is not None:
        remedy = "use permutation or permuted without out=, or call it outside"
        raise unknown(f"the result of {name}(), which recordings do not repeat", remedy)

    def native(item: Any) -> Any:
        return item._native if item.__class__ is Array and item._device is recorder.device else item

    def function(*natives: Any, **others: Any) -> Any:
        before = session.get()
        try:
            session.set(None)
            drawn = method(generator, *mapped(natives, public), **mapped(others, public))
        finally:
            session.set(before)
        return mapped(drawn, lambda item: item._native)

    def public(item: Any) -> Any:
        return wrap(item, base) if item.__class__ is base.native_type else item

    stream = generator.bit_generator
    current.streams.setdefault(id(stream), (stream, stream.state))
    result = recorder.draw(function, name, mapped(args, native), mapped(options, native), current)
    return mapped(result, lambda item: wrap(item, recorder.device))
