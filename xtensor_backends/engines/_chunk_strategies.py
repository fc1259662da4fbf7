"""The way of each function on the devices of engines."""

from __future__ import annotations

from xtensor.backend import REDUCTIONS, TABLE

from ._axes import TRANSFORMS

__all__ = ["BY_CHUNK", "COMPOSED", "WAYS", "functions_by_way", "way"]

BY_CHUNK = "chunk by chunk"
COMPOSED = "composed"

WAYS = {
    "tree": (*REDUCTIONS, "mean", "var", "std", "linalg.vector_norm"),
    "chunks after each other": ("cumulative_sum", "cumulative_prod"),
    "one chunk along an axis": ("sort", "argsort", "searchsorted", *(f"fft.{name}" for name in TRANSFORMS)),
    "one chunk for each matrix": (
        *("linalg.cholesky", "linalg.eig", "linalg.eigh", "linalg.qr", "linalg.slogdet", "linalg.solve", "linalg.svd"),
    ),
    "chunks moved or made": (
        *("matmul", "concat", "stack", "broadcast_to", "permute_dims", "reshape", "arange", "full"),
    ),
    "a pass for the length": ("nonzero",),
}
"""Functions by the way that they go, but for those that go chunk by chunk or are composed of others."""


def way(name: str) -> str:
    """Return the way of an operation of the table.

    ``"chunk by chunk"``: each chunk of the result from the chunks in its place. ``"tree"``: each chunk is reduced, then
    the partial results in groups. ``"composed"``: of operations that go the other ways, as on any device.
    """
    for strategy, names in WAYS.items():
        if name in names:
            return strategy
    return BY_CHUNK if TABLE[name].kind in ("elementwise", "special", "cast") else COMPOSED


def functions_by_way() -> dict[str, list[str]]:
    """Return the table's functions, in the order of the alphabet, by way.

    Networks and signals are composed on every device. Random numbers are drawn by each chunk.
    """
    names: dict[str, list[str]] = {name: [] for name in (*WAYS, BY_CHUNK, COMPOSED)}
    for name in sorted(TABLE):
        if TABLE[name].kind not in ("network", "signal", "random", "composed", "assignment"):
            names[way(name)].append(name)
    return names
