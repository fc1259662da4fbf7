"""The native array: a part of a device's memory with an offset and strides, and views of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from xtensor.backend import DType

from ..kernels.values import COMPONENTS

if TYPE_CHECKING:
    from .memory import Block
    from .runtime import Runtime

__all__ = ["BufferArray", "broadcast_strides", "dense_layout"]

Shape = tuple[int, ...]


class BufferArray:
    """An array in a block of a device's memory.

    Attributes
    ----------
    runtime
        The device's runtime, which computes.
    block
        The memory, which arrays share that are views of each other.
    strides, offset
        In elements of the dtype.
    is_dense
        Whether the elements follow one another in row-major order.
    is_writable
        False for views in which an element may be several times, and for views of these.
    """

    __slots__ = ("block", "dtype", "is_dense", "is_writable", "offset", "runtime", "shape", "size", "strides")

    def __init__(
        self,
        runtime: Runtime,
        block: Block,
        dtype: DType,
        shape: Shape,
        strides: Shape | None = None,
        offset: int = 0,
    ) -> None:
        self.runtime = runtime
        self.block = block
        self.dtype = dtype
        self.shape = shape
        self.offset = offset
        self.is_writable = True
        self.size, dense = dense_layout(shape)
        if strides is None:
            self.strides = dense
            self.is_dense = True
        else:
            self.strides = strides
            pairs = zip(shape, strides, dense, strict=True)
            self.is_dense = self.size == 0 or all(n == 1 or step == other for n, step, other in pairs)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def view(
        self, shape: Sequence[int], strides: Sequence[int] | None, offset: int, dtype: DType | None = None
    ) -> BufferArray:
        """Return another array in the same memory."""
        steps = None if strides is None else tuple(strides)
        result = BufferArray(self.runtime, self.block, dtype or self.dtype, tuple(shape), steps, offset)
        result.is_writable = self.is_writable
        return result

    def permuted(self, axes: Sequence[int]) -> BufferArray:
        """Return a view with the axes in another order."""
        return self.view([self.shape[k] for k in axes], [self.strides[k] for k in axes], self.offset)

    def broadcast(self, shape: Shape) -> BufferArray:
        """Return a view of a larger shape, in which elements repeat and cannot be written to."""
        result = self.view(shape, broadcast_strides(self, shape), self.offset)
        result.is_writable = False
        return result

    def component(self, number: int) -> BufferArray:
        """Return a view of the real components (0) or the imaginary ones (1) of complex numbers."""
        steps = [2 * step for step in self.strides]
        return self.view(self.shape, steps, 2 * self.offset + number, COMPONENTS[self.dtype])

    def basic(self, parts: Sequence[Any]) -> BufferArray:
        """Return the view of a resolved key of ints, slices and None."""
        shape: list[int] = []
        strides: list[int] = []
        offset, axis = self.offset, 0
        for part in parts:
            if part is None:
                shape.append(1)
                strides.append(0)
                continue
            step = self.strides[axis]
            axis += 1
            if part.__class__ is int:
                offset += part * step
                continue
            count = len(range(part.start, part.stop, part.step))
            shape.append(count)
            strides.append(part.step * step)
            offset += part.start * step if count else 0
        return self.view(shape, strides, offset)

    def host(self) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array. Blocks until the device has computed them."""
        return self.runtime.download(self)

    def __bool__(self) -> bool:
        return bool(self.host())

    def __int__(self) -> int:
        return int(self.host())

    def __float__(self) -> float:
        return float(self.host())

    def __complex__(self) -> complex:
        return complex(self.host())

    def __index__(self) -> int:
        if self.dtype.kind not in "iu" or self.shape:
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(self.host())

    def __getitem__(self, key: Any) -> BufferArray:
        from .indexing import getitem

        return getitem(self, key)

    def any(self) -> Any:
        """Return whether an element of booleans is true, as a NumPy bool. Blocks until the device has finished."""
        return self.host().any()

    def __lt__(self, other: Any) -> BufferArray:
        """Return whether elements are less than a number: a check of operands in the contract's tools."""
        return self.runtime.functions.less(self, other)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"BufferArray({self.dtype}, {self.shape}, {self.strides}, {self.offset})"


@lru_cache(2048)
def dense_layout(shape: Shape) -> tuple[int, Shape]:
    """Return the number of elements of a shape, and the strides of row-major order."""
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return step, tuple(reversed(strides))


def broadcast_strides(x: BufferArray, shape: Shape) -> Shape:
    """Return the strides with which an array has a larger shape; ValueError if it does not broadcast to it."""
    extra = len(shape) - x.ndim
    if extra < 0 or any(n not in (1, length) for n, length in zip(x.shape, shape[extra:], strict=True)):
        raise ValueError(f"could not broadcast input array from shape {x.shape} into shape {shape}")
    steps = zip(x.shape, shape[extra:], x.strides, strict=True)
    return (0,) * extra + tuple([0 if n == 1 and length != 1 else step for n, length, step in steps])
