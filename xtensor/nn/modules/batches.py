"""Batches of examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ... import _ops as xp
from ..._core.array import Array
from ..._core.checks import check_flag
from ..._core.errors import describe
from ...random import Generator
from .linear import check_size

__all__ = ["batches", "examples"]


def batches(
    *arrays: Any, size: int, rng: Generator | None = None, drop_last: bool = False, progress: bool = False
) -> Iterator[tuple[Array, ...]]:
    """Yield the examples of Arrays in batches, once.

    Parameters
    ----------
    arrays
        Arrays, or what :func:`xtensor.asarray` takes, with the examples along the first axis.
    size
        Number of examples of a batch.
    rng
        Generator that shuffles the examples; None for their order.
    drop_last
        Whether the last batch is left out where it is smaller.
    progress
        Whether a progress bar is shown, by the package ``tqdm``.

    Yields
    ------
    tuple
        A batch of each Array.

    Raises
    ------
    TypeError
        If there is no Array, or ``rng`` is no generator.
    ValueError
        If the numbers of examples differ, or ``size`` is less than 1.
    ImportError
        If ``progress`` is set, and ``tqdm`` is missing.
    """
    count, data = check_size(size, "batches", "size"), examples(arrays, "batches")
    if rng is not None and not isinstance(rng, Generator):
        raise TypeError(f"batches(): rng is a generator of xtensor.random.default_rng, not {describe(rng)}")
    total = data[0].shape[0]
    starts = range(0, total - count + 1 if check_flag(drop_last, "batches", "drop_last") else total, count)
    return _batches(data, starts, count, rng, _shown(starts) if progress else starts)


def examples(arrays: tuple[Any, ...], function: str) -> list[Array]:
    """Return Arrays with as many examples each along the first axis."""
    data = [x if x.__class__ is Array else xp.asarray(x) for x in arrays]
    if not data:
        raise TypeError(f"{function}() takes one Array or more")
    if any(x.ndim == 0 for x in data) or len({x.shape[0] for x in data}) > 1:
        raise ValueError(f"{function}(): the Arrays have shapes {[x.shape for x in data]}, expected one first length")
    return data


def _batches(
    data: list[Array], starts: range, size: int, rng: Generator | None, shown: Any
) -> Iterator[tuple[Array, ...]]:
    order = None if rng is None else rng.permutation(data[0].shape[0]).to_device(data[0].device)
    for start in shown:
        part = slice(start, min(start + size, data[0].shape[0]))
        if order is None:
            yield tuple([x[part, ...] for x in data])
        else:
            yield tuple([xp.take(x, order[part], axis=0) for x in data])


def _shown(starts: range) -> Any:
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped]
    except ImportError as error:
        raise ImportError(
            "batches(progress=True) shows the bar by tqdm, which is missing; install it with pip install tqdm"
        ) from error
    return tqdm(starts, unit="batch")
