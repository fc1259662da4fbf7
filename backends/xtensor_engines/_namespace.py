"""The functions of an engine's device on native arrays, by the ways of ``_ways.py``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

from xtensor.backend import TABLE, wrapped_namespace

from . import _axes, _elementwise, _linalg, _random, _reductions, _structure
from ._library import Library
from ._native import Chunked
from ._ways import BY_CHUNK, way

__all__ = ["functions"]

VIEWS = ("broadcast_to", "permute_dims", "reshape")
"""Functions of native arrays that return views."""


def functions(arrays: type[Chunked]) -> Any:
    """Return the functions with the standard's names and parameters for native arrays of a class."""
    library = arrays.library
    found = wrapped_namespace(arrays, _Namespace(library))
    for name in VIEWS:
        setattr(found, name, getattr(_structure, name))
    found.random = SimpleNamespace(
        **{name: _wrapping(arrays, partial(getattr(_random, name), library)) for name in _random.__all__}
    )
    return found


def _wrapping(arrays: type[Chunked], function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *operands, **options: arrays.wrap(function(*map(arrays.unwrap, operands), **options))


def _check_way(name: str) -> None:
    """Raise AttributeError unless a function goes chunk by chunk."""
    if name not in TABLE or way(name) != BY_CHUNK:
        raise AttributeError(name)


class _Special:
    """Special functions of a library's arrays."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        _check_way(f"special.{name}")
        return partial(_elementwise.elementwise, self._library, f"special.{name}")


class _Namespace:
    """Functions of a library's arrays."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.special = _Special(library)
        self.linalg = SimpleNamespace(**{name: partial(getattr(_linalg, name), library) for name in _linalg.DECOMPOSED})
        self.fft = SimpleNamespace(
            **{name: partial(_axes.fourier, library, f"fft.{name}") for name in _axes.TRANSFORMS}
        )
        self.matmul = partial(_linalg.matmul, library)
        self.astype = partial(_elementwise.astype, library)
        for module in (_structure, _axes, _reductions):
            for name in module.__all__:
                if name not in VIEWS:
                    setattr(self, name, partial(getattr(module, name), library))
        for name in _reductions.REDUCTIONS:
            setattr(self, name, partial(_reductions.reduction, library, name))

    def __getattr__(self, name: str) -> Any:
        _check_way(name)
        function = _elementwise.of_several_results if TABLE[name].dtype == "several" else _elementwise.elementwise
        return partial(function, self._library, name)
