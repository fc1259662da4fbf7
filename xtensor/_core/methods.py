# mypy: disable-error-code="no-any-return"
"""Convenience methods of arrays: the namespace's functions, called on the array itself.

The standard leaves these out; NumPy's signatures are kept, so that code written for NumPy's methods runs unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from .checks import check_axis, check_integer
from .errors import describe

if TYPE_CHECKING:
    from .array import Array

xp: Any = None
"""The public namespace, set by :func:`xtensor._core.array.bind_namespace`."""

__all__ = ["Axis", "Methods"]

Axis: TypeAlias = int | tuple[int, ...] | None


class Methods:
    """Convenience methods of an Array."""

    __slots__ = ()

    def all(self: Any, axis: Axis = None, *, keepdims: bool = False) -> Array:
        """:func:`xtensor.all` of this array."""
        return xp.all(self, axis=axis, keepdims=keepdims)

    def any(self: Any, axis: Axis = None, *, keepdims: bool = False) -> Array:
        """:func:`xtensor.any` of this array."""
        return xp.any(self, axis=axis, keepdims=keepdims)

    def argmax(self: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
        """:func:`xtensor.argmax` of this array."""
        return xp.argmax(self, axis=axis, keepdims=keepdims)

    def argmin(self: Any, axis: int | None = None, *, keepdims: bool = False) -> Array:
        """:func:`xtensor.argmin` of this array."""
        return xp.argmin(self, axis=axis, keepdims=keepdims)

    def argsort(self: Any, axis: int = -1, *, descending: bool = False, stable: bool = True) -> Array:
        """:func:`xtensor.argsort` of this array."""
        return xp.argsort(self, axis=axis, descending=descending, stable=stable)

    def astype(self: Any, dtype: Any, *, copy: bool = True) -> Array:
        """:func:`xtensor.astype` of this array."""
        return xp.astype(self, dtype, copy=copy)

    def clip(self: Any, min: Any = None, max: Any = None) -> Array:
        """:func:`xtensor.clip` of this array."""
        return xp.clip(self, min, max)

    def conj(self: Any) -> Array:
        """:func:`xtensor.conj` of this array."""
        return xp.conj(self)

    def cumprod(self: Any, axis: int | None = None, dtype: Any = None) -> Array:
        """:func:`xtensor.cumulative_prod` of this array, flattened without an axis."""
        x = self.ravel() if axis is None else self
        return xp.cumulative_prod(x, axis=axis, dtype=dtype)

    def cumsum(self: Any, axis: int | None = None, dtype: Any = None) -> Array:
        """:func:`xtensor.cumulative_sum` of this array, flattened without an axis."""
        x = self.ravel() if axis is None else self
        return xp.cumulative_sum(x, axis=axis, dtype=dtype)

    def dot(self: Any, other: Array) -> Array:
        """NumPy's ``dot``: the product with a scalar; else the sum of products over the last axis and ``other``'s
        second-to-last one (the only one of a vector).
        """
        if not self.ndim or not getattr(other, "ndim", 0):
            return xp.multiply(self, other)
        axes = ((self.ndim - 1,), (max(other.ndim - 2, 0),))
        return xp.tensordot(self, other, axes=axes)

    def fill(self: Any, value: Any) -> None:
        """Set every element to one value."""
        self[...] = value

    def flatten(self: Any) -> Array:
        """A flattened copy of this array."""
        return xp.reshape(self, (-1,), copy=True)

    def max(self: Any, axis: Axis = None, *, keepdims: bool = False) -> Array:
        """:func:`xtensor.max` of this array."""
        return xp.max(self, axis=axis, keepdims=keepdims)

    def mean(self: Any, axis: Axis = None, *, keepdims: bool = False) -> Array:
        """:func:`xtensor.mean` of this array."""
        return xp.mean(self, axis=axis, keepdims=keepdims)

    def min(self: Any, axis: Axis = None, *, keepdims: bool = False) -> Array:
        """:func:`xtensor.min` of this array."""
        return xp.min(self, axis=axis, keepdims=keepdims)

    def nonzero(self: Any) -> tuple[Array, ...]:
        """:func:`xtensor.nonzero` of this array."""
        return xp.nonzero(self)

    def prod(self: Any, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
        """:func:`xtensor.prod` of this array."""
        return xp.prod(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def ravel(self: Any) -> Array:
        """This array flattened; a view where the memory layout allows it."""
        return xp.reshape(self, (-1,))

    def repeat(self: Any, repeats: Any, axis: int | None = None) -> Array:
        """:func:`xtensor.repeat` of this array."""
        return xp.repeat(self, repeats, axis=axis)

    def reshape(self: Any, *shape: Any, copy: bool | None = None) -> Array:
        """:func:`xtensor.reshape` of this array; the shape as a tuple or as several integers."""
        chosen = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return xp.reshape(self, chosen, copy=copy)

    def round(self: Any, decimals: int = 0) -> Array:
        """:func:`xtensor.round` of this array, to a number of decimals."""
        if not -308 <= check_integer(decimals, "round", "decimals") <= 308:
            raise ValueError(f"round(): decimals is a number of digits, not {decimals}")
        if not decimals or self.dtype.kind in "biu":
            return xp.round(self)
        factor = 10.0**decimals
        return xp.round(self * factor) / factor

    def squeeze(self: Any, axis: Axis = None) -> Array:
        """:func:`xtensor.squeeze` of this array; without ``axis``, of all axes of length 1."""
        if axis is None:
            axis = tuple(i for i, length in enumerate(self.shape) if length == 1)
        return xp.squeeze(self, axis)

    def std(self: Any, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
        """:func:`xtensor.std` of this array."""
        return xp.std(self, axis=axis, correction=correction, keepdims=keepdims)

    def sum(self: Any, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
        """:func:`xtensor.sum` of this array."""
        return xp.sum(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def swapaxes(self: Any, axis1: int, axis2: int) -> Array:
        """A view of this array with two axes exchanged."""
        order = list(range(self.ndim))
        first, second = (check_axis(axis, self.ndim, "swapaxes") for axis in (axis1, axis2))
        order[first], order[second] = order[second], order[first]
        return xp.permute_dims(self, tuple(order))

    def take(self: Any, indices: Array, axis: int | None = None) -> Array:
        """:func:`xtensor.take` of this array, flattened without an axis."""
        return xp.take(self.ravel() if axis is None else self, indices, axis=axis)

    def transpose(self: Any, *axes: Any) -> Array:
        """A view of this array with its axes in the given order, by default reversed."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        if order is None or (isinstance(order, tuple) and not order):
            order = tuple(range(self.ndim))[::-1]
        if not isinstance(order, (tuple, list)):
            raise TypeError(f"transpose(): axes are integers or a tuple of them, not {describe(order)}")
        return xp.permute_dims(self, tuple(order))

    def var(self: Any, axis: Axis = None, *, correction: float = 0.0, keepdims: bool = False) -> Array:
        """:func:`xtensor.var` of this array."""
        return xp.var(self, axis=axis, correction=correction, keepdims=keepdims)
