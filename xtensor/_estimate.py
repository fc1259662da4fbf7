"""``xtensor.estimate``: the memory and the work of a function, without running it on values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._core.array import Array
from ._core.calls import wrap
from ._core.device import Device
from ._core.devices import device, use_device
from ._core.errors import describe
from ._core.html import table
from ._core.text import text_table
from ._core.trees import flatten, map_leaves
from ._meta.arrays import MetaArray, new
from ._meta.ledger import Cost, Ledger, opened

__all__ = ["Estimate", "estimate"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Memory and work of a call; ``str`` gives a table.

    Attributes
    ----------
    peak_bytes
        The largest number of bytes of all arrays at one time: the arguments, what the function keeps, and the
        temporaries of the operation that runs.
    moved_bytes
        Bytes of operands that operations read, and of results that they write. A view moves nothing.
    operations
        Operations on numbers; for products of matrices and decompositions those of the textbook algorithms.
    argument_bytes, result_bytes
        Bytes of the arrays that the function takes and returns.
    by_operation
        The costs of each operation by its name, the most expensive first: ``calls``, ``operations``, ``moved_bytes``,
        and ``peak_bytes``, the peak during its calls.
    result
        What the function returned, with arrays of the device ``meta``.
    """

    peak_bytes: int
    moved_bytes: int
    operations: int
    argument_bytes: int
    result_bytes: int
    by_operation: dict[str, Cost]
    result: Any

    def _rows(self) -> list[tuple[str, ...]]:
        """Return the table: a header, a row for each operation, and their sum."""
        rows = [("operation", "calls", "operations", "moved MB", "peak MB")]
        for name, cost in self.by_operation.items():
            rows.append((name, str(cost.calls), *_figures(cost.operations, cost.moved_bytes, cost.peak_bytes)))
        calls = sum([cost.calls for cost in self.by_operation.values()])
        return [*rows, ("all", str(calls), *_figures(self.operations, self.moved_bytes, self.peak_bytes))]

    def __str__(self) -> str:
        return text_table(self._rows(), words=1)

    def _repr_html_(self) -> str:
        return table(self._rows())


def _figures(operations: int, moved: int, peak: int) -> tuple[str, str, str]:
    return f"{operations:.3g}", f"{moved / 1e6:.1f}", f"{peak / 1e6:.1f}"


def estimate(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Estimate:
    """Estimate the memory and the work of a call on the device ``cpu``, without computing values.

    The function runs once, in microseconds for each operation, on arrays of the device ``meta``, which have shapes and
    dtypes and no values. Their births and deaths give the peak of the memory.

    Parameters
    ----------
    function
        A function of Arrays. It must not look at their values.
    args, kwargs
        Its arguments: Arrays of any device, nested containers of them, and other values, which are passed as they are.
        Arrays of the device ``meta`` may be larger than any memory.

    Returns
    -------
    Estimate
        The peak of the memory, the bytes moved and the operations on numbers, in all and by operation.

    Raises
    ------
    UnknownValueError
        If the function depends on the values of an array. The message names what asked for them.
    TypeError
        If ``function`` cannot be called.

    Notes
    -----
    The estimate is that of a first call: a function of :func:`xtensor.fuse` is counted as it is written. Memory of the
    interpreter, of threads and of freed arrays that an allocator keeps is not counted.

    Examples
    --------
    >>> import xtensor as xp
    >>> x = xp.empty((100_000, 1_000), device="meta")
    >>> found = xp.estimate(lambda x: x.T @ x, x)
    >>> found.peak_bytes, found.operations
    (808000000, 200000000000)
    """
    if not callable(function):
        raise TypeError(f"estimate() takes a function, not {describe(function)}; pass its arguments after it")
    ledger = Ledger()
    meta = device("meta")
    with use_device(meta), opened(ledger):
        given, named = map_leaves(lambda leaf: _as_meta(leaf, meta), (args, kwargs))
        argument_bytes = ledger.live_bytes
        result = function(*given, **named)
    sizes = [leaf.nbytes for leaf in flatten(result)[0] if isinstance(leaf, Array)]
    costs = sorted(ledger.costs.items(), key=lambda item: -item[1].moved_bytes)
    return Estimate(
        peak_bytes=ledger.peak_bytes,
        moved_bytes=ledger.moved_bytes,
        operations=ledger.operations,
        argument_bytes=argument_bytes,
        result_bytes=sum(sizes),
        by_operation=dict(costs),
        result=result,
    )


def _as_meta(leaf: Any, meta: Device) -> Any:
    """Return an Array as a new one of the device ``meta``, in the same order of elements."""
    if not isinstance(leaf, Array):
        return leaf
    native = leaf._native
    like = [native] if native.__class__ is MetaArray else []
    if native.__class__ is np.ndarray and native.flags.f_contiguous and not native.flags.c_contiguous:
        return wrap(_reversed(native), meta)
    return wrap(new(native.shape, native.dtype, like), meta)


def _reversed(native: np.ndarray[Any, Any]) -> MetaArray:
    return MetaArray(new(native.shape[::-1], native.dtype).value.T)
