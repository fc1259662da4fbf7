"""The record of an operation's implementation on a device; :mod:`xtensor._core.functions` makes a device's records."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeAlias

__all__ = ["Function", "Implementation", "not_implemented"]

Function: TypeAlias = Callable[..., Any]


class Implementation:
    """Implementation of one operation on one device: its functions, and from which size a kernel is called.

    Attributes
    ----------
    function
        The function on native arrays.
    inplace
        The in-place operator on native arrays. It returns the array that was written, a new one where the library's
        arrays are immutable.
    kernel
        The function for large operands. It takes the operands and an array that it may write over, or None, and
        returns NotImplemented for a call that ``function`` computes.
    min_size
        Number of elements from which ``kernel`` is called.
    min_size_without_reuse
        The same where no operand may be written over. It is larger where ``kernel`` does nothing but write over one.
    inplace_kernel
        The in-place operator for large operands: it writes to its first operand, or returns NotImplemented.
    inplace_min_size
        Number of elements from which ``inplace_kernel`` is called.

    The first call chooses ``function``, ``inplace`` or ``kernel``, and puts it here.
    """

    __slots__ = (
        "function",
        "inplace",
        "inplace_kernel",
        "inplace_min_size",
        "kernel",
        "min_size",
        "min_size_without_reuse",
    )

    def __init__(
        self, function: Function, inplace: Function, kernel: Function, inplace_kernel: Function | None
    ) -> None:
        self.function, self.inplace, self.kernel = function, inplace, kernel
        self.min_size = self.min_size_without_reuse = 0  # until the first call has looked for kernels
        self.inplace_kernel: Function = inplace_kernel or not_implemented
        self.inplace_min_size: int = getattr(inplace_kernel, "min_size", sys.maxsize)


def not_implemented(*args: Any, **kwargs: Any) -> Any:
    """The function of an operation that nothing implements."""
    return NotImplemented
