"""Services of an engine's library: arrays in chunks, and functions of these."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from xtensor.backend import ChunkFunction, DType

__all__ = ["KEPT", "Library", "Partial", "Reduction", "format_bytes", "place_values"]

KEPT = 2**16
"""Bytes of an array, at most, whose values are kept."""

Partial = dict[str, Any]
"""A partial result of a reduction: native arrays of a chunk's device by name, of length 1 along the reduced axes."""


class Reduction(NamedTuple):
    """A reduction: of each chunk a partial result, which are merged in a tree.

    Attributes
    ----------
    name
        The name of the reduction.
    partial, merge
        Return the partial result of a chunk, and that of two partial results.
    finish
        Returns the result for a merged partial result, of length 1 along the axes.
    fields
        The dtype of each array of a partial result.
    dtype
        The dtype of the result.
    """

    name: str
    partial: Callable[[Any], Partial]
    merge: Callable[[Partial, Partial], Partial]
    finish: Callable[[Partial], Any]
    fields: dict[str, DType]
    dtype: DType


class Library(ABC):
    """An engine's library.

    Its arrays are immutable: a function returns another array, and computes nothing. ``x`` is an array of the library.
    A function that it is given takes and returns chunks, native arrays of the chunks' device; where a chunk's slices
    are asked for, they are the argument ``slices``. Functions travel to other processes.
    """

    name: ClassVar[str]
    """The kind of the device."""
    remedy: ClassVar[str]
    """How the limit of a chunk is raised."""

    @property
    @abstractmethod
    def array_type(self) -> Any:
        """The class of the library's arrays."""

    # -- settings -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def chosen_device(self) -> str:
        """Return the spec that the library's configuration has for ``xtensor.device``, ``"cpu"`` where it has none."""

    @cached_property
    def chunk_device(self) -> str:
        """The spec of the device that computes chunks, as the configuration names it at the first use.

        Raises
        ------
        ValueError
            If the library cannot join the native arrays of that device.
        """
        spec, native_type = self._chosen
        if not self.joins(native_type):
            raise ValueError(
                f"{self.name}'s configuration names {spec!r} as 'xtensor.device', whose native arrays "
                f"({native_type.__name__}) {self.name} cannot join; name 'cpu', 'numpy' or a device of CuPy's arrays"
            )
        return spec

    @cached_property
    def on_host(self) -> bool:
        """Whether the chunks' device computes with NumPy's arrays."""
        return self._chosen[1] is np.ndarray

    @cached_property
    def _chosen(self) -> tuple[str, type]:
        """The spec that the configuration has at the first use, and the class of the device's native arrays."""
        spec = self.chosen_device()
        return spec, type(ChunkFunction(spec, "ones")(1, device=spec))

    def joins(self, native: type) -> bool:
        """Whether the library can join native arrays of a class: by NumPy's protocols."""
        return hasattr(native, "__array_function__")

    @abstractmethod
    def limit(self) -> int:
        """Return the bytes of the largest chunk that a function may ask for."""

    @abstractmethod
    def chunk_size(self) -> int:
        """Return the bytes of a chunk of a new array."""

    # -- functions of chunks ------------------------------------------------------------------------------------------

    def chunk_function(self, name: str, **options: Any) -> ChunkFunction:
        """Return a function of the namespace on chunks."""
        return ChunkFunction(self.chunk_device, name, **options)

    def placed(self, values: np.ndarray[Any, Any]) -> Any:
        """Return a NumPy array as a native array of the chunks' device."""
        return place_values(values, self.chunk_device)

    def sample(self, x: Any) -> Any:
        """Return a chunk of ones of an array's dtype, whose lengths are 1, or 0 where the array has no elements."""
        return self.placed(np.ones([min(length, 1) for length in x.shape], x.dtype))

    def element(self, x: Any, ndim: int) -> Any:
        """Return a chunk of one element of an array's dtype, for a call that tells the dtype of a result."""
        return self.placed(np.ones((1,) * ndim, x.dtype))

    def result_dtype(self, function: ChunkFunction, *operands: Any) -> DType:
        """Return the dtype of a function's result by a call with single elements; it raises the errors of operands."""
        return self.tried(function, *operands).dtype  # type: ignore[no-any-return]

    def tried(self, function: ChunkFunction, *operands: Any) -> Any:
        """Return a function's result for single elements in the place of arrays."""
        arrays = self.array_type
        return function(*[self.element(x, x.ndim) if isinstance(x, arrays) else x for x in operands])

    # -- computation --------------------------------------------------------------------------------------------------

    @abstractmethod
    def scheduler(self) -> str:
        """Return what computes."""

    @abstractmethod
    def values(self, arrays: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        """Return values in the host's memory, computed together."""

    @abstractmethod
    def persisted(self, arrays: Sequence[Any]) -> list[Any]:
        """Return arrays whose chunks are computed, and stay where they are."""

    def everywhere(self, function: Callable[..., Any], *args: Any) -> None:
        """Call a function in this process and in those that compute, as far as they answer."""
        function(*args)

    # -- chunks -------------------------------------------------------------------------------------------------------

    @abstractmethod
    def chunks(self, x: Any) -> tuple[tuple[int, ...], ...]:
        """Return the lengths of the chunks along each axis."""

    @abstractmethod
    def rechunked(self, x: Any, chunks: Any) -> Any:
        """Return an array in other chunks, as the library describes them."""

    @abstractmethod
    def whole(self, x: Any, axes: Sequence[int]) -> Any:
        """Return an array with one chunk along axes, and chunks of a proper size along the others."""

    def single(self, x: Any, axes: Iterable[int], function: str) -> Any:
        """Return an array with one chunk along axes.

        Raises
        ------
        NotImplementedError
            If a chunk would be larger than the limit.
        """
        axes = sorted({axis % x.ndim for axis in axes})
        chunks = self.chunks(x)
        if all(len(chunks[axis]) == 1 for axis in axes):
            return x
        needed = math.prod(x.shape[axis] for axis in axes) * x.dtype.itemsize
        if needed > self.limit():
            raise NotImplementedError(
                f"{function}() needs all elements along {'axis' if len(axes) == 1 else 'axes'} "
                f"{', '.join(map(str, axes))} in one chunk on device {self.name!r}, {format_bytes(needed)} for shape "
                f"{tuple(x.shape)} and dtype {x.dtype}, and the limit is {format_bytes(self.limit())}; {self.remedy}, "
                "or compute a part of the array"
            )
        return self.whole(x, axes)

    # -- creation -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def from_host(self, values: np.ndarray[Any, Any]) -> Any:
        """Return an array of values of the host, which nobody changes later."""

    @abstractmethod
    def created(
        self,
        function: Callable[..., Any],
        shape: tuple[int, ...],
        dtype: DType,
        *,
        consecutive: bool = False,
        multiples: tuple[int, ...] | None = None,
    ) -> Any:
        """Return an array each chunk of which is a function's result for ``slices``.

        Parameters
        ----------
        consecutive
            Whether the elements of a chunk follow each other in the order of rows: a chunk has whole last axes, a part
            of one axis, and length 1 along the axes before it.
        multiples
            Lengths along each axis of which those of the chunks are multiples, as far as their size allows; None for 1.
        """

    # -- functions ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def elementwise(self, function: Callable[..., Any], operands: Sequence[Any], dtypes: Sequence[DType]) -> list[Any]:
        """Return a function's results, one for each dtype, for operands that broadcast: arrays and Python scalars."""

    @abstractmethod
    def mapped(
        self,
        function: Callable[..., Any],
        x: Any,
        wholes: Sequence[Any],
        dtype: DType,
        *,
        placed: bool = False,
    ) -> Any:
        """Return a function's results of the shapes of the chunks of ``x``.

        Parameters
        ----------
        wholes
            Arrays that the function takes whole, after the chunk.
        placed
            Whether it takes ``slices``.
        """

    @abstractmethod
    def along(self, function: Callable[..., Any], x: Any, axis: int, length: int, dtype: DType) -> Any:
        """Return a function's results for chunks that are whole along an axis, which has ``length`` elements there."""

    @abstractmethod
    def reduced(self, x: Any, axes: tuple[int, ...], reduction: Reduction, *, keepdims: bool) -> Any:
        """Return a reduction along axes."""

    @abstractmethod
    def scanned(
        self, x: Any, axis: int, scan: Callable[..., Any], combine: Callable[..., Any], neutral: int, dtype: DType
    ) -> Any:
        """Return cumulative results: of each chunk, combined with the last ones of the chunks before it."""

    @abstractmethod
    def by_matrix(
        self,
        function: Callable[..., Any],
        operands: Sequence[Any],
        counts: Sequence[int],
        results: Sequence[tuple[int, ...]],
        dtypes: Sequence[DType],
    ) -> list[Any]:
        """Return a function's results for stacks of matrices that are one chunk each.

        Parameters
        ----------
        counts
            The number of axes of each operand's matrices; the axes before these broadcast.
        results
            The lengths of the last axes of each result.
        """

    @abstractmethod
    def product(self, x1: Any, x2: Any, dtype: DType) -> Any:
        """Return the product of arrays of matrices or vectors: products of blocks, and their sums."""

    def tall_qr(self, x: Any) -> tuple[Any, Any] | None:
        """Return the factors of a tall matrix in chunks of rows; None where the library has no way of its own."""
        return None

    def tall_svd(self, x: Any) -> tuple[Any, Any, Any] | None:
        """Return the singular vectors and values of a tall matrix in chunks of rows; None as for ``tall_qr``."""
        return None

    # -- structure ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def concatenated(self, arrays: Sequence[Any], axis: int) -> Any:
        """Join arrays of one dtype along an axis."""

    @abstractmethod
    def reshaped(self, x: Any, shape: tuple[int, ...]) -> Any:
        """Return the elements, in the order of rows, in another shape."""

    @abstractmethod
    def permuted(self, x: Any, axes: tuple[int, ...]) -> Any:
        """Return an array with other order of axes."""

    @abstractmethod
    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        """Return an array with elements repeated along axes."""

    @abstractmethod
    def sliced(self, x: Any, key: tuple[Any, ...]) -> Any:
        """Return the elements of a key of slices, integers and None, one for each axis next to the Nones."""

    @abstractmethod
    def replaced(self, x: Any, key: tuple[Any, ...], value: Any) -> Any:
        """Return an array with a value, of the shape of the key's elements, in the place of these.

        Parameters
        ----------
        key
            Slices and integers, one for each axis.
        """

    @abstractmethod
    def taken(self, x: Any, places: np.ndarray[Any, Any]) -> Any:
        """Return the elements of places, none of them negative, on the first axis."""

    @abstractmethod
    def selected(self, x: Any, mask: Any) -> Any:
        """Return the elements on the first axis for which a mask of one axis is true, with lengths that are known."""

    # -- stores, others' arrays ---------------------------------------------------------------------------------------

    @abstractmethod
    def opened(self, store: Any, **options: Any) -> Any:
        """Return an array of a Zarr store."""

    @abstractmethod
    def stored(self, x: Any, store: Any, **options: Any) -> None:
        """Compute an array and write it to a Zarr store."""

    @abstractmethod
    def adopted(self, array: Any) -> Any:
        """Return the user's array of the library with known lengths, which later assignments to his do not change."""

    @abstractmethod
    def converted(self, collection: Any) -> Any:
        """Return an array of the library, with NumPy's chunks, for a collection of it such as a table; None for others.

        Nothing but lengths is computed.
        """


def place_values(values: np.ndarray[Any, Any], spec: str) -> Any:
    """Return a NumPy array as a native array of a device."""
    return values if spec in ("cpu", "numpy") else ChunkFunction(spec, "asarray", device=spec)(values)


def format_bytes(count: int) -> str:
    """Return a number of bytes with a binary unit."""
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if count >= 1024**power:
            return f"{count / 1024**power:.2f} {unit}"
    return f"{count} B"
