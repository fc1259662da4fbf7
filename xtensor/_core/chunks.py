"""Functions on the chunks of engines: libraries that divide an array into chunks, and compute these elsewhere.

An engine's backend takes a chunk's functions from a device, so that its values conform chunk by chunk. A
:class:`ChunkFunction` travels by name: the process that computes opens the device itself, and refuses a function that
another version of xtensor made.
"""

from __future__ import annotations

import os
import platform
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from . import array
from .array import Array
from .calls import apply, wrap
from .devices import device
from .errors import BackendUnavailableError, shortened
from .operations import operation
from .trees import mapped

__all__ = ["ChunkFunction"]


class ChunkFunction:
    """A function of the namespace on the native arrays of a device, with its options; equal to others of the same text.

    It computes without floating-point warnings: they would be issued where the chunk is computed, which is another
    thread or another machine, and later than the call.

    Attributes
    ----------
    spec
        The device's spec.
    name
        The function's name in the namespace: ``"add"``, ``"linalg.svd"``.
    options
        Its arguments by keyword.
    version
        The version of xtensor that made it.
    """

    __slots__ = ("name", "options", "spec", "version")

    def __init__(self, spec: str, name: str, **options: Any) -> None:
        self.spec, self.name, self.options = spec, name, options
        self.version: str = array.xp.__version__

    def __call__(self, *args: Any, **options: Any) -> Any:
        target, function = _opened(self.spec, self.name, self.version)
        native_type = target.native_type

        def wrapped(value: Any) -> Any:
            if isinstance(value, native_type):
                return wrap(value, target)
            return wrap(target.from_scalar(value), target) if isinstance(value, np.generic) else value

        with np.errstate(all="ignore"):
            result = function(*mapped(args, wrapped), **mapped(self.options | options, wrapped))
        return mapped(result, _native)

    @property
    def implemented(self) -> bool:
        """Whether the device has an implementation of its own."""
        return device(self.spec).implements(self.name)

    @property
    def __name__(self) -> str:
        """The function's name, by which engines name their tasks."""
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.spec, self.name, self.options, self.version)

    def __repr__(self) -> str:
        options = "".join([f", {key}={shortened(value)}" for key, value in self.options.items()])
        return f"ChunkFunction({self.spec!r}, {self.name!r}{options})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChunkFunction) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash((self.spec, self.name))


def _restored(spec: str, name: str, options: dict[str, Any], version: str) -> ChunkFunction:
    function = ChunkFunction(spec, name, **options)
    function.version = version
    return function


def _native(value: Any) -> Any:
    return value._native if value.__class__ is Array else value


@cache
def _opened(spec: str, name: str, version: str) -> Any:
    own = array.xp.__version__
    if version != own:
        raise BackendUnavailableError(
            f"the process {os.getpid()} on {platform.node()!r} has xtensor {own}, and xtensor {version} made the "
            f"computation of {name}()",
            "Install the same version on the client, the scheduler and every worker",
        )
    target = device(spec)
    try:
        return target, attrgetter(name)(array.xp)
    except AttributeError:  # an operation without a public function
        row = operation(name)
        return target, lambda *operands, **options: apply(row, target, *map(_native, operands), **options)
