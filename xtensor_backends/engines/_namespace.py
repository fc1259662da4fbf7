"""The functions of an engine's device on native arrays, by the strategies of ``_chunk_strategies.py``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from xtensor.backend import REDUCTIONS, TABLE, wrapped_namespace

from . import _axes, _elementwise, _linalg, _random, _reductions, _structure
from ._chunk_strategies import BY_CHUNK, way
from ._library import KEPT, Library
from ._native import Chunked

__all__ = ["functions"]

VIEWS = ("broadcast_to", "permute_dims", "reshape")
"""Functions of native arrays that return views."""

NOT_OF_ELEMENTS = ("astype", "clip", "where", "may_have_infinity")
"""Elementwise functions with other arguments than arrays and numbers."""

MIN_ELEMENTS_OF_VALUES = 16
"""Elements from which a stack of them is computed from their values."""

DEEPEST = 50
"""Functions in each other, at most, that are computed from elements: each of them is a call inside of the others."""


def functions(arrays: type[Chunked]) -> Any:
    """Return the functions with the standard's names and parameters for native arrays of a class."""
    library = arrays.library
    namespace = wrapped_namespace(arrays, _Namespace(library))
    for name in VIEWS:
        setattr(namespace, name, getattr(_structure, name))
    for name in filter(_takes_elements, TABLE):
        setattr(namespace, name, _of_elements(arrays, getattr(namespace, name), name))
    namespace.stack = _stack(arrays, namespace.concat)
    namespace.random = SimpleNamespace(
        **{name: _wrapping(arrays, partial(getattr(_random, name), library)) for name in _random.__all__}
    )
    return namespace


def _takes_elements(name: str) -> bool:
    """Whether a function is an elementwise one of the main namespace that goes chunk by chunk and has one result."""
    row = TABLE[name]
    if row.kind != "elementwise" or row.operands not in (1, 2) or row.dtype == "several":
        return False
    return "." not in name and name not in NOT_OF_ELEMENTS and way(name) == BY_CHUNK


def _of_elements(arrays: type[Chunked], function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return an elementwise function whose result for elements of small arrays is computed from their values."""
    library = arrays.library

    def call(*operands: Any) -> Any:
        if not library.on_host or any(x.ndim for x in operands if isinstance(x, arrays)):
            return function(*operands)
        values = [x.values if isinstance(x, arrays) else x for x in operands]
        if not any(x is None for x in values):
            return arrays.of_values(np.asarray(library.chunk_function(name)(*values)))
        result = function(*operands)
        sources = [x.source if isinstance(x, arrays) else x for x in operands]
        source = _expression(library, library.chunk_function(name), sources)
        return result if result is NotImplemented or source is None else result.with_source(source)

    return call


def _stack(arrays: type[Chunked], concat: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function ``stack``.

    A stack of small arrays with known values has known values. Elements that loops of Python select and combine are
    computed from the arrays that they are of, when there are many: a computation of so many functions of an element
    each would take far longer.
    """
    library = arrays.library

    def stack(natives: Sequence[Chunked], *, axis: int) -> Chunked:
        def of_values(*values: Any) -> np.ndarray[Any, Any]:
            return np.asarray(library.chunk_function("stack")(values, axis=axis))

        elements = sum(x.size for x in natives)
        sources = [x.source for x in natives] if elements * natives[0].dtype.itemsize <= KEPT else [None]
        source = _expression(library, of_values, sources)
        if source is not None and (elements >= MIN_ELEMENTS_OF_VALUES or all(x.values is not None for x in natives)):
            values = source("a stack of elements")
            if values is not None:
                return arrays.of_values(values)
        before = (slice(None),) * axis
        result: Chunked = concat([x[(*before, None)] for x in natives], axis=axis)
        return result if source is None else result.with_source(source)

    return stack


def _expression(library: Library, function: Callable[..., Any], sources: Sequence[Any]) -> _Expression | None:
    """Return a function of sources and numbers; None where a source is missing, or where they are too deep."""
    if not library.on_host or any(source is None for source in sources):
        return None
    source = _Expression(function, sources)
    return None if source.depth > DEEPEST else source


class _Expression:
    """A function of the values of sources and of numbers; it gives None where a source gives none."""

    def __init__(self, function: Callable[..., Any], sources: Sequence[Any]) -> None:
        self.function, self.sources = function, sources
        self.depth: int = 1 + max(getattr(source, "depth", 0) for source in sources)

    def __call__(self, purpose: str) -> np.ndarray[Any, Any] | None:
        values = [source(purpose) if callable(source) else source for source in self.sources]
        return None if any(x is None for x in values) else np.asarray(self.function(*values))


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
        self.linalg.vector_norm = partial(_reductions.vector_norm, library)
        self.fft = SimpleNamespace(
            **{name: partial(_axes.fourier, library, f"fft.{name}") for name in _axes.TRANSFORMS}
        )
        self.matmul = partial(_linalg.matmul, library)
        self.astype = partial(_elementwise.astype, library)
        for module in (_structure, _axes, _reductions):
            for name in module.__all__:
                if name not in VIEWS:
                    setattr(self, name, partial(getattr(module, name), library))
        for name in REDUCTIONS:
            setattr(self, name, partial(_reductions.reduction, library, name))

    def __getattr__(self, name: str) -> Any:
        _check_way(name)
        function = _elementwise.of_several_results if TABLE[name].dtype == "several" else _elementwise.elementwise
        return partial(function, self._library, name)
