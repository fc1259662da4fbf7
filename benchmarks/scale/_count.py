"""A scheduler for dask that computes in one thread and counts: tasks, and bytes that move between chunks.

The bytes are those of a cluster in which each chunk that is read lies on a worker of its own. A task runs where the
largest of its operands is, as dask's scheduler prefers, and of several of that size where the fewest tasks have run;
every other operand moves there, once for each worker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from dask._task_spec import Task, convert_legacy_graph
from dask.core import toposort
from dask.sizeof import sizeof

__all__ = ["Work", "counting"]


@dataclass(slots=True)
class Work:
    """Counts of one or more computations.

    Attributes
    ----------
    computations
        Graphs that were computed.
    tasks
        Tasks of the optimised graphs.
    bytes_moved
        Bytes that move between workers.
    """

    computations: int = 0
    tasks: int = 0
    bytes_moved: int = 0


def counting(work: Work) -> Callable[..., Any]:
    """Return a scheduler that adds what it computes to the counts."""

    def get(graph: Any, keys: Any, **options: Any) -> Any:
        nodes = graph.__dask_graph__() if hasattr(graph, "__dask_graph__") else graph
        nodes = convert_legacy_graph(dict(nodes))
        work.computations += 1
        values: dict[Hashable, Any] = {}
        places: dict[Hashable, Hashable] = {}
        loads: Counter[Hashable] = Counter()
        moves: set[tuple[Hashable, Hashable]] = set()
        for key in toposort(nodes, dependencies={name: set(node.dependencies) for name, node in nodes.items()}):
            node = nodes[key]
            operands = {name: values[name] for name in node.dependencies}
            values[key] = node(operands)
            sizes = {name: sizeof(value) for name, value in operands.items() if name in places}
            if isinstance(node, Task):
                work.tasks += 1
                largest = [places[name] for name, size in sizes.items() if size == max(sizes.values())]
                places[key] = min(largest, key=loads.__getitem__) if largest else key
                loads[places[key]] += 1
            elif sizes:  # another name of a value
                places[key] = places[next(iter(sizes))]
            for name, size in sizes.items():
                if places[name] != places[key] and (name, places[key]) not in moves:
                    moves.add((name, places[key]))
                    work.bytes_moved += size
        return _nested(keys, values)

    return get


def _nested(keys: Any, values: dict[Hashable, Any]) -> Any:
    return [_nested(item, values) for item in keys] if isinstance(keys, list) else values[keys]
