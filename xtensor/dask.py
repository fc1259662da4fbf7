"""Arrays as chunks of ``dask.array``: sizes, tokens and percentiles.

dask computes with chunks by NumPy's protocols, which Arrays have. Beyond these it asks tables by the class of a chunk.
Programs need not import this module: :mod:`xtensor._integration` does it when dask.array is imported, in the processes
of a cluster as well.
"""

from __future__ import annotations

from typing import Any

from dask.array.dispatch import percentile_lookup
from dask.sizeof import sizeof
from dask.tokenize import normalize_token

import xtensor as xp

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__


@sizeof.register(xp.Array)  # type: ignore[untyped-decorator]
def _size(x: xp.Array) -> int:
    """Return the bytes that a chunk occupies."""
    return 200 + x.nbytes


@normalize_token.register(xp.Array)  # type: ignore[untyped-decorator]
def _token(x: xp.Array) -> Any:
    """Return a value that is equal for chunks of equal values on one device."""
    return "xtensor.Array", str(x.device), normalize_token(xp.to_numpy(x))


@percentile_lookup.register(xp.Array)  # type: ignore[untyped-decorator]
def _percentile(x: xp.Array, q: Any, method: str = "linear") -> tuple[Any, int]:
    """Return the percentiles of a chunk, and its number of elements."""
    return (xp.percentile(x, q, method=method), x.size) if x.size else (None, 0)
