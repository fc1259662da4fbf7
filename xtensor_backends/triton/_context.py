"""The way of a call to its kernels, shared by all operations of a device.

:meth:`Context.call` normalizes the operands, looks up the prepared launches for their dtypes, shapes and strides,
allocates the result and launches. Preparing an operation chooses its kernels, grids and fixed arguments once
(:class:`Ready`); it raises :class:`Unsuited` for operands that no kernel supports, and the call returns NotImplemented.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from xtensor.backend import rewarn

from ._calls import ACTIVE
from ._dtypes import KERNEL_DTYPES, DType
from ._layout import Rows
from ._tiling import RowTiling, Tiling, device_row_tiling, device_tiling, host_row_tiling, host_tiling

__all__ = ["SCALARS", "Array", "Builder", "Context", "KernelError", "Launch", "Ready", "Scalar", "Unsuited"]

LOG = logging.getLogger("xtensor.triton")

SCALARS = frozenset((bool, int, float, complex))
"""The classes of Python scalars."""

NOT_ARRAYS = SCALARS | {type(None)}
"""The classes of operands that have no dtype."""

ABSENT = -1
"""Position of an array that is absent: the kernel is passed None."""

CACHE_SIZE = 4096
"""The number of prepared operations in a device's cache; a full cache is cleared."""


class Unsuited(Exception):  # noqa: N818 - not an error: the next implementation is asked
    """No kernel supports the operands; the message gives the reason."""


class KernelError(Exception):
    """A kernel cannot be compiled."""


class Array(NamedTuple):
    """An array of a prepared operation.

    ``position`` is 0 for the result, 1, 2, … for the operands, and higher for scratch arrays.
    """

    position: int
    dtype: DType

    @property
    def type(self) -> str:
        """The type of the kernel argument."""
        return KERNEL_DTYPES[self.dtype].pointer


class Scalar(NamedTuple):
    """A Python scalar among the operands of a prepared operation, and the type of the kernel argument."""

    position: int
    type: str


class Launch(NamedTuple):
    """One kernel launch: the kernel with its last arguments, the grid size, the positions of the arrays before these.

    The position ``ABSENT`` is that of an array that is absent.
    """

    kernel: Callable[..., None]
    programs: int
    arrays: tuple[int, ...]


class Ready(NamedTuple):
    """Prepared launches of an operation on operands of some dtypes, shapes and strides.

    Attributes
    ----------
    shape, dtype
        The shape and dtype of the result as allocated, C-contiguous.
    launches
        The launches, in order; none for an empty result.
    converters
        For each operand that is a Python scalar, the conversion to a kernel argument; None for an array.
    scratch
        The shape and dtype of each scratch array.
    axes
        The permutation of the axes of the allocated result that gives the result; None for no permutation.
    results
        The number of results, which are returned as a tuple; the others are the first scratch arrays. None for the one
        result itself.
    """

    shape: tuple[int, ...]
    dtype: DType
    launches: tuple[Launch, ...]
    converters: tuple[Callable[[Any], Any] | None, ...]
    scratch: tuple[tuple[tuple[int, ...], DType], ...] = ()
    axes: tuple[int, ...] | None = None
    results: int | None = None


class Context:
    """The memory and the launcher of a device, and the cache of its prepared operations.

    Parameters
    ----------
    memory
        Access to arrays: see :mod:`xtensor_backends.triton._storage`.
    launcher
        Makes kernels callable: :class:`xtensor_backends.triton._launch.Launcher` or
        :class:`xtensor_backends.triton._interpreter.Interpreter`.
    """

    def __init__(self, memory: Any, launcher: Any) -> None:
        self.launcher = launcher
        self.array = memory.array
        self.pointer = memory.pointer
        self.contiguous = memory.contiguous
        self.empty = memory.empty
        self.writable = memory.writable
        self.split_rows: Callable[..., Tiling] = host_tiling if launcher.interprets else device_tiling
        self._kernels: dict[Any, Callable[..., None]] = {}
        self._cache: dict[Any, Ready | str] = {}
        self._warned: set[str] = set()
        _configure_log()

    # -- calls --------------------------------------------------------------------------------------------------------

    def call(
        self,
        name: str,
        prepare: Callable[..., Ready],
        operands: tuple[Any, ...],
        options: tuple[Any, ...] = (),
        out: Any = None,
    ) -> Any:
        """Run an operation by its kernels; NotImplemented if no kernel supports the operands.

        Parameters
        ----------
        name
            The operation's name; with ``options`` it identifies what ``prepare`` does.
        prepare
            Called as ``prepare(operands, *options)``; returns the launches or raises :class:`Unsuited`.
        operands
            Native arrays, Python scalars, None.
        options
            Hashable values that the launches depend on.
        out
            The array to write into; a new one if None.
        """
        # Loops instead of comprehensions: this is the host's cost of every call without a fast path.
        if self.array is not None:
            operands = tuple(map(self.array, operands))
        parts: list[Any] = [name, options]
        for x in operands:
            if x.__class__ in NOT_ARRAYS:
                parts.append(x.__class__)
            else:
                parts += (x.dtype, x.shape, x.strides)
        key = tuple(parts)
        ready = self._cache.get(key)
        try:
            if ready is None:
                if len(self._cache) >= CACHE_SIZE:
                    self._cache.clear()
                ready = self._cache[key] = prepare(operands, *options)
            if isinstance(ready, str):
                return self.decline(name, ready, operands)
            shape, dtype, launches, converters, scratch_types, axes, results = ready
            pointer, empty = self.pointer, self.empty
            if out is None:
                out = empty(shape, dtype)
            addresses = [pointer(out)]
            for x, convert in zip(operands, converters, strict=True):
                if convert is not None:
                    addresses.append(convert(x))
                else:
                    addresses.append(None if x is None else pointer(x))
            scratch = [empty(*array) for array in scratch_types] if scratch_types else []
            addresses += [*map(pointer, scratch), None]  # the last is that of ABSENT
            for kernel, programs, positions in launches:
                kernel(programs, *[addresses[position] for position in positions])
        except Unsuited as error:
            reason = str(error)
            if ready is None:
                self._cache[key] = reason
            return self.decline(name, reason, operands)
        except KernelError as error:
            reason = self._cache[key] = f"the kernel cannot be compiled: {error}"
            self._warn(name, error)
            return self.decline(name, reason, operands)
        if ACTIVE:
            self.count(name, len(launches))
        if results is not None:
            arrays = (out, *scratch[: results - 1])
            return arrays if axes is None else tuple([array.transpose(axes) for array in arrays])
        return out if axes is None else out.transpose(axes)

    def count(self, name: str, launches: int = 1) -> None:
        """Add launches to the open ``count_calls`` blocks."""
        for calls in ACTIVE:
            calls.launches[name] += launches

    def decline(self, name: str, reason: str, operands: tuple[Any, ...]) -> Any:
        """Log why no kernel supports the operands, and return NotImplemented."""
        if LOG.isEnabledFor(logging.DEBUG):
            shown = ", ".join(f"{x.dtype}{list(x.shape)}" if hasattr(x, "dtype") else repr(x) for x in operands)
            LOG.debug("%s(%s) is declined: %s", name, shown, reason)
        for calls in ACTIVE:
            calls.declined.setdefault(name, []).append(reason)
        return NotImplemented

    def _warn(self, name: str, error: KernelError) -> None:
        """Warn once for each operation whose kernel cannot be compiled."""
        if name not in self._warned:
            self._warned.add(name)
            rewarn(RuntimeWarning(f"the Triton kernel of {name}() cannot be compiled and is not used: {error}"))

    # -- preparing ----------------------------------------------------------------------------------------------------

    def kernel(self, function: Any, types: tuple[Any, ...], constants: Mapping[str, Any], **options: Any) -> Any:
        """Return the kernel for argument types, constants and compiler options; equal requests share a kernel."""
        key = (function.__name__, types, tuple(constants.values()), tuple(options.items()))
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels[key] = self.launcher.kernel(function, types, constants, **options)
        return kernel

    def block(self, size: int, usual: int) -> int:
        """Elements of a program. The interpreter computes all in one program, because a program costs it the most."""
        if not self.launcher.interprets:
            return usual
        return min(1 << max(size - 1, 1).bit_length(), 2**20)

    def tiling(self, layout: Rows, **options: int) -> Tiling:
        """Distribution of rows that are reduced or scanned over programs; ``options`` are those of the tiling."""
        return self.split_rows(layout.number, layout.length, across=_across(layout), **options)

    def unsplit_tiling(self, layout: Rows) -> Tiling:
        """Distribution of rows that must not be split, such as the rows of partial results."""
        tiling = self.split_rows(layout.number, layout.length, across=False)
        chunk = -(-layout.length // tiling.columns) * tiling.columns
        return tiling._replace(parts=1, chunk=chunk, programs=-(-layout.number // tiling.rows))

    def row_tiling(self, layout: Rows, itemsize: int, *, reads_only: bool = False) -> RowTiling:
        """Distribution of rows that are read, and written if not ``reads_only``; ``itemsize``: the compute dtype's."""
        tiling, lanes = host_row_tiling, 1
        if not self.launcher.interprets:
            tiling, lanes = device_row_tiling, self.launcher.target.warp_size
        return tiling(
            layout.number,
            layout.length,
            across=_across(layout),
            itemsize=itemsize,
            reads_only=reads_only,
            lanes=lanes,
        )


class Builder:
    """Collects the launches of an operation.

    Parameters
    ----------
    context
        The device's context.
    operands
        The number of operands: arrays, Python scalars, None.
    """

    def __init__(self, context: Context, operands: int) -> None:
        self.context = context
        self._operands = operands
        self._launches: list[Launch] = []
        self._scratch: list[tuple[tuple[int, ...], DType]] = []

    def scratch(self, shape: tuple[int, ...], dtype: DType) -> Array:
        """Add a scratch array."""
        self._scratch.append((shape, dtype))
        return Array(self._operands + len(self._scratch), dtype)

    def launch(
        self,
        function: Any,
        first: tuple[Array | Scalar | None, ...],
        types: tuple[Any, ...],
        constants: Mapping[str, Any],
        programs: int,
        arguments: tuple[Any, ...],
        *,
        unmasked: bool = False,
        **options: Any,
    ) -> None:
        """Add a launch of a kernel. ``first`` are its arguments before ``arguments``, whose types ``types`` are.

        ``unmasked``: a program beyond their number would go beyond the arrays. A launch over two axes of the grid has
        such programs, and is declined.
        """
        if unmasked and programs > self.context.launcher.longest_axis:
            raise Unsuited(f"the kernel takes {programs} programs, more than an axis of the grid has")
        first_types = tuple(None if item is None else item.type for item in first)
        kernel = self.context.kernel(function, (*first_types, *types), constants, **options)
        positions = tuple(ABSENT if item is None else item.position for item in first)
        self._launches.append(Launch(kernel.bound(arguments), programs, positions))

    def ready(self, shape: tuple[int, ...], dtype: DType, **fields: Any) -> Ready:
        """Return the launches added so far, for a result of a shape and dtype; ``fields`` are those of ``Ready``."""
        ready = Ready(shape, dtype, tuple(self._launches), (None,) * self._operands, tuple(self._scratch))
        return ready._replace(**fields)


def _across(layout: Rows) -> bool:
    """Whether neighbours in memory belong to neighbouring rows."""
    along = min((abs(step) for step in layout.inner.strides[0]), default=0)
    return min((abs(step) for step in layout.outer.strides[0] if step), default=along) < along


def _configure_log() -> None:
    """Write the log to standard error if the environment variable ``XTENSOR_LOG`` gives a level."""
    level = os.environ.get("XTENSOR_LOG", "")
    if level and not LOG.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        LOG.addHandler(handler)
        LOG.setLevel(logging.getLevelNamesMapping().get(level.upper(), logging.DEBUG))
