"""Computations in stages: small results first, where chunks of more than memory would wait for them.

In ``(x - mean(x)) / std(x)`` no chunk of the result can be computed before the mean, so that dask keeps all chunks of
``x`` until the mean is there. Where these are more than memory, the mean is computed first, and the chunks of ``x`` are
computed again for the next stage. The small result stays with its layer of the graph, for all graphs that have it.
"""

from __future__ import annotations

import math
import os
import weakref
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.highlevelgraph import HighLevelGraph
from dask.utils import parse_bytes

from xtensor.backend import BackendUnavailableError, OutOfMemoryError, WorkerLostError

from ._computing import cluster, computed

__all__ = ["SMALL", "compute", "in_stages", "watch"]

LIMIT = "xtensor.waiting-limit"
"""Key of dask's configuration: bytes of chunks that may wait in memory for a small result."""

SMALL = 8 * 2**20
"""Bytes of a result that is computed first, at most; also a sixteenth of the limit at most."""

KEPT = 8 * SMALL
"""Bytes of all results that are kept."""

MOST = 64
"""Number of living native arrays, the newest ones, whose small results a computation may give as well."""


def waiting_limit() -> int:
    """Return the bytes of chunks that may wait: by default an eighth of the memory of workers or machine."""
    configured = dask.config.get(LIMIT, None)
    if configured is not None:
        return int(parse_bytes(configured))
    client, information = cluster(), {}
    if client is not None and client.status == "running":
        with suppress(OSError):  # one that has lost its scheduler: the computation reports it
            information = client.scheduler_info(n_workers=-1)
    memory = sum(worker["memory_limit"] or 0 for worker in information.get("workers", {}).values())
    return int(memory or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) // 8


class _Results:
    """Small results by the identity of their layers, while these are in some graph; the oldest go beyond ``KEPT``."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[weakref.ref[Any], Any]] = {}

    def get(self, layer: Any) -> Any:
        found = self._found.get(id(layer))
        return None if found is None or found[0]() is not layer else found[1]

    def add(self, layer: Any, values: Any) -> None:
        place = id(layer)
        reference = weakref.ref(layer, lambda _: self._found.pop(place, None))
        self._found[place] = reference, _frozen(values)
        total = sum(values.nbytes for _, values in list(self._found.values()))
        for oldest in list(self._found):
            if total <= KEPT:
                break
            total -= self._found.pop(oldest, (None, np.empty(0)))[1].nbytes


def _frozen(values: Any) -> Any:
    """Return a copy that nobody else has and, as far as the class allows it, nobody can change."""
    if not isinstance(values, (np.ndarray, np.generic)):
        return values.copy()
    result = np.array(values)
    result.flags.writeable = False
    return result


_results = _Results()

_alive: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
"""Native arrays by identity."""


def watch(native: Any) -> None:
    """Keep the values of a native array, while it lives, where they are small and a computation needs them."""
    _alive[id(native)] = native


def compute(arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values of dask arrays, computed together in stages."""
    limit = waiting_limit()
    return _computed(in_stages(arrays, limit), limit)


def in_stages(arrays: Sequence[Any], limit: int | None = None) -> list[Any]:
    """Return dask arrays with the values of small results in their graphs, which are computed where they were not.

    Parameters
    ----------
    limit
        The result of :func:`waiting_limit`, which asks a cluster; None to ask here.
    """
    graph = HighLevelGraph.merge(*[x.dask for x in arrays])
    replaced = _with_kept(graph)
    limit = waiting_limit() if limit is None else limit
    while any(_bytes(layer) > limit for layer in replaced.layers.values()):
        names = _first_barriers(replaced, limit)
        if not names:
            break
        values = _computed([_array(replaced, name) for name in names], limit)
        replaced = _with_values(replaced, dict(zip(names, values, strict=True)))
    if replaced is graph:
        return list(arrays)
    return [da.Array(_culled(replaced, [x.name]), x.name, x.chunks, meta=x._meta) for x in arrays]


def _computed(arrays: Sequence[Any], limit: int) -> tuple[Any, ...]:
    """Return the values of dask arrays, in whose graphs no chunks wait for small results, and keep small ones.

    Small results of living native arrays that the same pass over large arrays gives are computed with them: a program
    that has made them will need them.
    """
    graph = HighLevelGraph.merge(*[x.dask for x in arrays])
    graph, others = _others(graph, {x.name for x in arrays}, limit)
    asked = [*arrays, *[_array(graph, name) for name in others]]
    try:
        values: tuple[Any, ...] = computed(*asked)
    except (OutOfMemoryError, WorkerLostError, ConnectionError, BackendUnavailableError):
        raise
    except Exception:
        if not others:
            raise
        for native in others.values():  # the error may be of one of these, whose values nobody has asked for
            _alive.pop(id(native), None)
        values = computed(*arrays)
    for x, value in zip(asked, values, strict=False):
        if value.nbytes <= SMALL:
            _results.add(graph.layers[x.name], value)
    return values[: len(arrays)]


def _others(graph: HighLevelGraph, asked: set[str], limit: int) -> tuple[HighLevelGraph, dict[str, Any]]:
    """Return small results of living native arrays that the pass of a graph gives, and the graph with these.

    They are the small arrays, and the results that chunks of the other arrays would wait for. Such a result is made of
    a large array of the graph by small ones, and no chunks wait for it.

    Parameters
    ----------
    asked
        The layers that are asked for.

    Returns
    -------
    tuple
        The graph, and by the name of a result's layer the native array that needs it.
    """
    small = _small(limit)
    large = {name for name, layer in graph.layers.items() if _bytes(layer) > small}
    found: dict[str, Any] = {}
    room = KEPT
    natives = [reference() for reference in list(_alive.valuerefs())[-MOST:]] if large else []
    for native in natives:
        array = None if native is None else native.known
        if array is None or not array.dask.layers.keys() & large:
            continue
        own = graph if array.name in graph.layers else _culled(_with_kept(array.dask), [array.name])
        for name in [array.name] if own is graph else _first_barriers(own, limit) or [array.name]:
            layer = own.layers[name]
            if (
                name in asked
                or name in found
                or not own.dependencies[name]
                or not 0 <= _bytes(layer) <= min(small, room)
            ):
                continue
            parts = _culled(own, [name])
            added = parts.layers.keys() - graph.layers.keys()
            if not parts.layers.keys() & large or not all(0 <= _bytes(parts.layers[part]) <= small for part in added):
                continue
            joined = HighLevelGraph.merge(parts, graph) if added else graph
            if not added or not _first_barriers(joined, limit):
                graph = joined
                found[name] = native
                room -= int(_bytes(layer))
    return graph, found


def _small(limit: int) -> int:
    """Return the bytes of the largest small result, where chunks of so many bytes may wait."""
    return min(SMALL, limit // 16)


def _first_barriers(graph: HighLevelGraph, limit: int) -> list[str]:
    """Return the small results that chunks of more than the limit wait for, and that wait for no such result."""
    largest = _small(limit)
    small = {name for name, layer in graph.layers.items() if 0 <= _bytes(layer) <= largest}
    ancestors: dict[str, set[str]] = {}
    awaited: dict[str, set[str]] = {}  # small results that every chunk of a layer needs
    barriers: set[str] = set()
    for name in graph._toposort_layers():
        parts = graph.dependencies[name]
        ancestors[name] = set().union(*[ancestors[part] | {part} for part in parts])
        awaited[name] = set().union(*[{part} if part in small else awaited[part] for part in parts])
        for part in parts - small:
            for result in awaited[name] - awaited[part] - barriers:
                chunks = _number_of_chunks(graph.layers[result])  # dask computes the chunks of a result one by one
                if _waiting_bytes(graph, part, ancestors[result], small) / chunks > limit:
                    barriers.add(result)
    return sorted(name for name in barriers if not ancestors[name] & barriers)


def _waiting_bytes(graph: HighLevelGraph, name: str, before: set[str], small: set[str]) -> float:
    """Return the bytes of the largest layer that the chunks of a layer are made of and a result needs as well.

    Parameters
    ----------
    before
        The layers that the result needs.
    """
    largest, pending, seen = 0.0, [name], {name}
    while pending:
        name = pending.pop()
        if name in before:
            largest = max(largest, _bytes(graph.layers[name]))
        else:
            parts = graph.dependencies[name] - small - seen
            seen |= parts
            pending += parts
    return largest


def _number_of_chunks(layer: Any) -> int:
    return math.prod(map(len, layer.collection_annotations["chunks"]))


def _bytes(layer: Any) -> float:
    """Return the bytes of a layer's results; -1 where it is not known to be an array's."""
    known = layer.collection_annotations or {}
    if "chunks" not in known or known.get("dtype") is None:
        return -1
    return float(math.prod(map(sum, known["chunks"])) * np.dtype(known["dtype"]).itemsize)


def _array(graph: HighLevelGraph, name: str) -> Any:
    """Return the dask array of a layer."""
    known = graph.layers[name].collection_annotations
    meta = np.empty((0,) * len(known["chunks"]), known["dtype"])
    return da.Array(_culled(graph, [name]), name, known["chunks"], meta=meta)


def _with_kept(graph: HighLevelGraph) -> HighLevelGraph:
    """Return a graph with the kept values in the place of their layers."""
    return _with_values(graph, {name: _results.get(layer) for name, layer in graph.layers.items()})


def _with_values(graph: HighLevelGraph, values: Mapping[str, Any]) -> HighLevelGraph:
    """Return a graph with values in the place of layers; the graph itself where there are none."""
    found = {name: value for name, value in values.items() if value is not None}
    if not found:
        return graph
    layers, dependencies = dict(graph.layers), dict(graph.dependencies)
    for name, value in found.items():
        known = graph.layers[name].collection_annotations
        constant = da.from_array(value, chunks=known["chunks"], name=name).dask
        layers.update(constant.layers)
        dependencies.update(constant.dependencies)
    return HighLevelGraph(layers, dependencies)


def _culled(graph: HighLevelGraph, names: Iterable[str]) -> HighLevelGraph:
    """Return the layers that some layers need."""
    needed: dict[str, None] = {}
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in needed:
            needed[name] = None
            pending += graph.dependencies[name]
    return HighLevelGraph(
        {name: graph.layers[name] for name in needed}, {name: graph.dependencies[name] for name in needed}
    )
