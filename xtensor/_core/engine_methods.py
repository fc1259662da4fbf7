"""Methods of the Arrays of engines, where people look for them: ``x.compute()``, ``x.persist()``, ``x.rechunk(…)``.

A notebook shows such an Array, whose values are not computed, by its chunks.

Requirements: on other devices they do not exist, so that libraries that ask for them take the Array for one with
values; the error says what is there instead. No Array has an attribute ``chunks``: xarray would take it for an array of
dask, and give it to functions that take dask's alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from . import methods
from .backend import Engine
from .html import chunk_drawing, facts, size_text

__all__ = ["ENGINE_METHODS", "EngineMethods", "absent"]

ENGINE_METHODS: dict[str, str] = {
    "_repr_html_": "repr(x) shows the values",
    "compute": "the elements of this Array have values; xtensor.engines.compute(*arrays) takes Arrays of all devices",
    "persist": "the elements of this Array have values; xtensor.engines.persist(*arrays) takes Arrays of all devices",
    "rechunk": "move it, x.to_device('dask'); xtensor.engines.rechunk(x, chunks) takes Arrays of all devices",
}
"""Names, and the remedy on devices without chunks."""


def absent(x: Any) -> Iterable[str]:
    """Return the names of these methods that an Array does not have: all, unless its device is one of an engine."""
    return () if isinstance(x._device._library, Engine) else ENGINE_METHODS


class OfEngines:
    """Descriptor of a method that Arrays of engines have and others do not."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self._function
        if self._name in absent(instance):
            text = f"'Array' object has no attribute {self._name!r} on device {instance._device}, which has no chunks; "
            try:
                raise AttributeError(text + ENGINE_METHODS[self._name], name=self._name, obj=instance)
            except AttributeError as error:
                error.__traceback__ = None  # so that the traceback ends at the user's line
                raise
        return self._function.__get__(instance)


class EngineMethods:
    """Methods of an Array of an engine's device, such as ``dask``."""

    __slots__ = ()

    @OfEngines
    def compute(self) -> Any:
        """Return the values as an Array on ``"cpu"`` (devices of engines): :func:`xtensor.engines.compute`."""
        return methods.xp.engines.compute(self)[0]

    @OfEngines
    def persist(self) -> Any:
        """Return an Array whose chunks are computed and stay (devices of engines): :func:`xtensor.engines.persist`."""
        return methods.xp.engines.persist(self)[0]

    @OfEngines
    def rechunk(self, chunks: Any, /) -> Any:
        """Return an Array in other chunks (devices of engines): :func:`xtensor.engines.rechunk`."""
        return methods.xp.engines.rechunk(self, chunks)

    @OfEngines
    def _repr_html_(self: Any) -> str:
        """Return shape, dtype, bytes and a drawing of the chunks, for notebooks."""
        chunks = methods.xp.engines.chunks(self)
        largest = tuple([max(lengths, default=0) for lengths in chunks])
        rows = [
            ("shape", str(self.shape)),
            ("dtype", str(self.dtype)),
            ("bytes", size_text(self.nbytes)),
            ("chunks", f"{math.prod(map(len, chunks)):,} of {largest}"),
            ("bytes of a chunk", size_text(math.prod(largest) * self.itemsize)),
            ("device", str(self.device)),
        ]
        if self.ndim > 2:
            rows.append(("drawing", "the chunks along the last two axes"))
        return facts("Array in chunks", rows, chunk_drawing(chunks))
