# mypy: disable-error-code="no-any-return"
"""Methods of arrays that the standard leaves out, with NumPy's parameters: functions, called on the array itself.

A call with the standard's parameters is the namespace's function. Any other call is the function that computes NumPy's
function of that name (:mod:`xtensor._numpy`), so that there is one place for each computation.
"""

from __future__ import annotations

from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from . import calls
from .checks import check_axis, check_casting, check_flag, check_order
from .compiled import compiled
from .errors import describe
from .operands import SEQUENCES
from .views import layout_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .annotations import AnyArray, ArrayLike, DTypeLike, HostArray, Mode, Operand, Order, SortKind
    from .array import Array
    from .dtypes import Casting

xp: Any = None
"""The public namespace, set by :func:`xtensor._core.array.bind_namespace`."""

__all__ = ["NO_VALUE", "Axis", "Methods"]

Axis: TypeAlias = int | tuple[int, ...] | None

NO_VALUE: Any = np._NoValue
"""NumPy's mark of an argument that was not given."""


def _made(device: Any, native: Any) -> Array:
    """Return an Array of a native array."""
    result = calls.make()
    result._native = native
    result._device = device
    return result


def _numpy(name: str) -> Any:
    """Return the function that computes NumPy's function of a name for Arrays."""
    return xp._numpy.counterpart(getattr(np, name))


class Methods:
    """NumPy's methods of an Array."""

    __slots__ = ()

    def _elements(self: Any) -> Iterator[Array]:
        """Iterate over the elements along the first axis: values of a vector, otherwise views."""
        native = self._native
        if native.__class__ is not np.ndarray or native.dtype.kind == "V":
            return (self[i] for i in range(self.shape[0]))
        if compiled is not None:
            return compiled.elements(self)
        # NumPy's iterator gives scalars of a vector, each with the value that the element has when its turn comes.
        return map(partial(_made, self._device), map(np.asarray, native) if native.ndim == 1 else native)

    # -- derivatives ---------------------------------------------------------------------------------------------------

    @property
    def grad(self: Any) -> Any:
        """Gradient that :func:`xtensor.autograd.backward` accumulated; None without one."""
        return getattr(self._native, "grad", None)

    @grad.setter
    def grad(self: Any, value: Any) -> None:
        if not hasattr(self._native, "grad"):
            raise AttributeError("x.grad is set on variables only; make one with xtensor.autograd.variable(x)")
        self._native.grad = value

    # -- reductions ---------------------------------------------------------------------------------------------------

    def all(
        self: Any,
        axis: Axis = None,
        out: Array | HostArray | None = None,
        keepdims: bool = False,
        *,
        where: AnyArray | bool = NO_VALUE,
    ) -> Array:
        """:func:`xtensor.all` of this array, with NumPy's parameters."""
        if out is None and where is NO_VALUE:
            return xp.all(self, axis=axis, keepdims=keepdims)
        return _numpy("all")(self, axis, out, keepdims, where=where)

    def any(
        self: Any,
        axis: Axis = None,
        out: Array | HostArray | None = None,
        keepdims: bool = False,
        *,
        where: AnyArray | bool = NO_VALUE,
    ) -> Array:
        """:func:`xtensor.any` of this array, with NumPy's parameters."""
        if out is None and where is NO_VALUE:
            return xp.any(self, axis=axis, keepdims=keepdims)
        return _numpy("any")(self, axis, out, keepdims, where=where)

    def argmax(
        self: Any, axis: int | None = None, out: Array | HostArray | None = None, *, keepdims: bool = False
    ) -> Array:
        """:func:`xtensor.argmax` of this array, with NumPy's parameters."""
        return _numpy("argmax")(self, axis, out, keepdims=keepdims)

    def argmin(
        self: Any, axis: int | None = None, out: Array | HostArray | None = None, *, keepdims: bool = False
    ) -> Array:
        """:func:`xtensor.argmin` of this array, with NumPy's parameters."""
        return _numpy("argmin")(self, axis, out, keepdims=keepdims)

    def max(
        self: Any,
        axis: Axis = None,
        out: Array | HostArray | None = None,
        keepdims: bool = False,
        initial: Operand = NO_VALUE,
        where: AnyArray | bool = NO_VALUE,
    ) -> Array:
        """:func:`xtensor.max` of this array, with NumPy's parameters."""
        if out is None and initial is NO_VALUE and where is NO_VALUE and self.dtype.kind != "b":
            return xp.max(self, axis=axis, keepdims=keepdims)
        return _numpy("max")(self, axis, out, keepdims, initial, where)

    def mean(
        self: Any,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: Array | HostArray | None = None,
        keepdims: bool = False,
        *,
        where: AnyArray | bool = NO_VALUE,
    ) -> Array:
        """:func:`xtensor.mean` of this array, with NumPy's parameters."""
        if dtype is None and out is None and where is NO_VALUE:
            return xp.mean(self, axis=axis, keepdims=keepdims)
        return _numpy("mean")(self, axis, dtype, out, keepdims, where=where)

    def min(
        self: Any,
        axis: Axis = None,
        out: Array | HostArray | None = None,
        keepdims: bool = False,
        initial: Operand = NO_VALUE,
        where: AnyArray | bool = NO_VALUE,
    ) -> Array:
        """:func:`xtensor.min` of this array, with NumPy's parameters."""
        if out is None and initial is NO_VALUE and where is NO_VALUE and self.dtype.kind != "b":
            return xp.min(self, axis=axis, keepdims=keepdims)
        return _numpy("min")(self, axis, out, keepdims, initial, where)

    def prod(
        self: Any,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: Array | HostArray | None = None,
        keepdims: bool = False,
        initial: Operand = NO_VALUE,
        where: AnyArray | bool = NO_VALUE,
    ) -> Array:
        """:func:`xtensor.prod` of this array, with NumPy's parameters."""
        if out is None and initial is NO_VALUE and where is NO_VALUE:
            return xp.prod(self, axis=axis, dtype=dtype, keepdims=keepdims)
        return _numpy("prod")(self, axis, dtype, out, keepdims, initial, where)

    def std(
        self: Any,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: Array | HostArray | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: AnyArray | bool = NO_VALUE,
        mean: AnyArray = NO_VALUE,
        correction: float = NO_VALUE,
    ) -> Array:
        """:func:`xtensor.std` of this array, with NumPy's parameters."""
        return _numpy("std")(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)

    def sum(
        self: Any,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: Array | HostArray | None = None,
        keepdims: bool = False,
        initial: Operand = NO_VALUE,
        where: AnyArray | bool = NO_VALUE,
    ) -> Array:
        """:func:`xtensor.sum` of this array, with NumPy's parameters."""
        if out is None and initial is NO_VALUE and where is NO_VALUE:
            return xp.sum(self, axis=axis, dtype=dtype, keepdims=keepdims)
        return _numpy("sum")(self, axis, dtype, out, keepdims, initial, where)

    def trace(
        self: Any,
        offset: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        dtype: DTypeLike | None = None,
        out: Array | HostArray | None = None,
    ) -> Array:
        """:func:`xtensor.trace` of this array."""
        return _numpy("trace")(self, offset, axis1, axis2, dtype, out)

    def var(
        self: Any,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: Array | HostArray | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: AnyArray | bool = NO_VALUE,
        mean: AnyArray = NO_VALUE,
        correction: float = NO_VALUE,
    ) -> Array:
        """:func:`xtensor.var` of this array, with NumPy's parameters."""
        return _numpy("var")(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)

    # -- scans, sorting and searching ---------------------------------------------------------------------------------

    def argpartition(
        self: Any,
        kth: int | Sequence[int],
        axis: int | None = -1,
        kind: Literal["introselect"] = "introselect",
        order: None = None,
    ) -> Array:
        """:func:`xtensor.argpartition` of this array."""
        return _numpy("argpartition")(self, kth, axis, kind, order)

    def argsort(
        self: Any,
        axis: int | None = -1,
        kind: SortKind | None = None,
        order: None = None,
        *,
        descending: bool = False,
        stable: bool | None = True,
    ) -> Array:
        """:func:`xtensor.argsort` of this array, with NumPy's parameters; always stable unless ``descending``."""
        if not check_flag(descending, "argsort", "descending"):
            return _numpy("argsort")(self, axis, kind, order)
        return xp.argsort(self, axis=axis, descending=descending, stable=stable is None or stable)

    def cumprod(
        self: Any, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | HostArray | None = None
    ) -> Array:
        """:func:`xtensor.cumprod` of this array, flattened without an axis."""
        return _numpy("cumprod")(self, axis, dtype, out)

    def cumsum(
        self: Any, axis: int | None = None, dtype: DTypeLike | None = None, out: Array | HostArray | None = None
    ) -> Array:
        """:func:`xtensor.cumsum` of this array, flattened without an axis."""
        return _numpy("cumsum")(self, axis, dtype, out)

    def nonzero(self: Any) -> tuple[Array, ...]:
        """:func:`xtensor.nonzero` of this array."""
        return xp.nonzero(self)

    def partition(
        self: Any,
        kth: int | Sequence[int],
        axis: int = -1,
        kind: Literal["introselect"] = "introselect",
        order: None = None,
    ) -> None:
        """Sort this array partially, in place: :func:`xtensor.partition`."""
        self[...] = _numpy("partition")(self, kth, check_axis(axis, self.ndim, "partition"), kind, order)

    def searchsorted(
        self: Any, v: ArrayLike, side: Literal["left", "right"] = "left", sorter: ArrayLike | None = None
    ) -> Array:
        """:func:`xtensor.searchsorted` of this array and values of any shape."""
        return _numpy("searchsorted")(self, v, side, sorter)

    def sort(
        self: Any, axis: int = -1, kind: SortKind | None = None, order: None = None, *, stable: bool | None = None
    ) -> None:
        """Sort this array in place; :func:`xtensor.sort` returns a sorted copy."""
        self[...] = _numpy("sort")(self, check_axis(axis, self.ndim, "sort"), kind, order, stable=stable)

    # -- elements -----------------------------------------------------------------------------------------------------

    def astype(
        self: Any,
        dtype: DTypeLike,
        order: Order = "K",
        casting: Casting = "unsafe",
        subok: bool = True,
        *,
        copy: bool = True,
    ) -> Array:
        """:func:`xtensor.astype` of this array; TypeError if NumPy's rule ``casting`` forbids the cast.

        ``order`` and ``subok`` are accepted for compatibility with NumPy and do not change the result.
        """
        check_order(order, "astype")
        casting = check_casting(casting, "astype")
        if casting != "unsafe" and not np.can_cast(self.dtype, np.dtype(dtype), casting):
            raise TypeError(
                f"Cannot cast array data from {self.dtype!r} to {np.dtype(dtype)!r} according to the rule {casting!r}; "
                "pass casting='unsafe' to astype()"
            )
        return xp.astype(self, dtype, copy=copy)

    def choose(
        self: Any, choices: Array | Sequence[ArrayLike], out: Array | HostArray | None = None, mode: Mode = "raise"
    ) -> Array:
        """:func:`xtensor.choose` with this array as the indices."""
        return _numpy("choose")(self, choices, out, mode)

    def clip(
        self: Any, min: Operand | None = None, max: Operand | None = None, out: Array | HostArray | None = None
    ) -> Array:
        """:func:`xtensor.clip` of this array, with NumPy's parameters."""
        return xp.clip(self, min, max) if out is None else _numpy("clip")(self, min, max, out)

    def compress(
        self: Any, condition: ArrayLike, axis: int | None = None, out: Array | HostArray | None = None
    ) -> Array:
        """:func:`xtensor.compress` of this array."""
        return _numpy("compress")(condition, self, axis, out)

    def conj(self: Any) -> Array:
        """:func:`xtensor.conj` of this array; the array itself if it is not complex, as in NumPy."""
        return xp.conj(self) if self.dtype.kind == "c" else self

    def conjugate(self: Any) -> Array:
        """:func:`xtensor.conj` of this array; the array itself if it is not complex, as in NumPy."""
        return self.conj()

    def dot(self: Any, b: ArrayLike, out: Array | HostArray | None = None) -> Array:
        """:func:`xtensor.dot` of this array and another."""
        return _numpy("dot")(self, b, out)

    def fill(self: Any, value: Operand) -> None:
        """Set every element to one value; ValueError for a sequence or an array with axes."""
        if isinstance(value, SEQUENCES) or getattr(value, "ndim", 0) > 0:
            text = f"setting an array element with a sequence.; fill() takes one value, not {describe(value)}"
            raise ValueError(text)
        self[...] = value

    def put(self: Any, indices: ArrayLike, values: ArrayLike, mode: Mode = "raise") -> None:
        """Assign values to positions of the flattened array, in place: :func:`xtensor.put`."""
        _numpy("put")(self, indices, values, mode)

    def repeat(self: Any, repeats: ArrayLike, axis: int | None = None) -> Array:
        """:func:`xtensor.repeat` of this array."""
        return _numpy("repeat")(self, repeats, axis)

    def round(self: Any, decimals: int = 0, out: Array | HostArray | None = None) -> Array:
        """:func:`xtensor.round` of this array, to a number of decimals."""
        if out is None and decimals.__class__ is int and not decimals and self.dtype.kind != "b":
            return xp.round(self)
        return _numpy("round")(self, decimals, out)

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        """Return ``round(x)`` as an int and ``round(x, n)`` as an Array, for an array of one element."""
        if self.ndim:
            raise TypeError(f"round(x) needs a 0-d array, not shape {self.shape}; use x.round()")
        return round(self.item()) if ndigits is None else self.round(ndigits)

    def take(
        self: Any,
        indices: ArrayLike,
        axis: int | None = None,
        out: Array | HostArray | None = None,
        mode: Mode = "raise",
    ) -> Array:
        """:func:`xtensor.take` of this array with indices of any shape, flattened without an axis."""
        return _numpy("take")(self, indices, axis, out, mode)

    # -- shapes -------------------------------------------------------------------------------------------------------

    def diagonal(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        """:func:`xtensor.diagonal` of this array."""
        return _numpy("diagonal")(self, offset, axis1, axis2)

    def byteswap(self: Any, inplace: bool = False) -> Array:
        """This array with the bytes of each element reversed, those of complex components apart; NumPy's ``byteswap``.

        Parameters
        ----------
        inplace
            Whether this array itself is changed and returned, rather than a copy.
        """
        check_flag(inplace, "byteswap", "inplace")
        swapped = xp._numpy.call_on_host(np.ndarray.byteswap, (self,), {}, self._device, "byteswap")
        if not inplace:
            return swapped
        self[...] = swapped
        return self

    def flatten(self: Any, order: Order = "C") -> Array:
        """A flattened copy of this array: :func:`xtensor.ravel`."""
        return _numpy("ravel")(self, order).copy()

    def ravel(self: Any, order: Order = "C") -> Array:
        """This array flattened; a view where its elements are contiguous."""
        return _numpy("ravel")(self, order)

    def reshape(self: Any, *shape: int | Sequence[int], order: Order = "C", copy: bool | None = None) -> Array:
        """:func:`xtensor.reshape` of this array; the shape as a tuple or as several integers."""
        chosen = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        if order.__class__ is not str or order != "C":
            order = check_order(order, "reshape")
        if not is_column_major(self, order):
            return xp.reshape(self, chosen, copy=copy)
        reversed_shape = tuple(chosen)[::-1] if isinstance(chosen, (tuple, list)) else (chosen,)
        return xp.reshape(self.transpose(), reversed_shape, copy=copy).transpose()

    def squeeze(self: Any, axis: Axis = None) -> Array:
        """:func:`xtensor.squeeze` of this array; without ``axis``, of all axes of length 1."""
        if axis is None:
            axis = tuple(i for i, length in enumerate(self.shape) if length == 1)
        return xp.squeeze(self, axis)

    def swapaxes(self: Any, axis1: int, axis2: int) -> Array:
        """A view of this array with two axes exchanged."""
        order = list(range(self.ndim))
        first, second = (check_axis(axis, self.ndim, "swapaxes") for axis in (axis1, axis2))
        order[first], order[second] = order[second], order[first]
        return xp.permute_dims(self, tuple(order))

    def transpose(self: Any, *axes: int | Sequence[int] | None) -> Array:
        """A view of this array with its axes in the given order, by default reversed."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], (int, np.integer)) else axes
        if order is None or (isinstance(order, tuple) and not order):
            order = tuple(range(self.ndim))[::-1]
        if isinstance(order, range) or getattr(order, "ndim", 0) == 1:
            order = tuple(order)
        if not isinstance(order, (tuple, list)):
            raise TypeError(f"transpose(): axes are integers or a tuple of them, not {describe(order)}")
        return xp.permute_dims(self, tuple(order))

    # -- the host -----------------------------------------------------------------------------------------------------

    def numpy(self: Any) -> np.ndarray[Any, Any]:
        """Return a copy of the elements as a NumPy array: :func:`xtensor.to_numpy`."""
        return xp.to_numpy(self)

    def to_numpy(self: Any) -> np.ndarray[Any, Any]:
        """Return a copy of the elements as a NumPy array: :func:`xtensor.to_numpy`."""
        return xp.to_numpy(self)

    def tobytes(self: Any, order: Order = "C") -> bytes:
        """Return the elements as bytes, in row-major order (``"C"``) or as NumPy's ``order`` says."""
        return self.numpy().tobytes(order)

    def tofile(self: Any, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the elements to a file, as bytes or as text: NumPy's ``ndarray.tofile``."""
        if not isinstance(fid, (str, bytes, PathLike)) and not hasattr(fid, "flush"):
            raise TypeError(f"tofile() takes an open file or its path, not {describe(fid)}")
        self.numpy().tofile(fid, sep, format)


def is_column_major(x: Any, order: str) -> bool:
    """Return whether an order is column-major: ``"F"``, or ``"A"`` for elements contiguous in column-major order."""
    layout = layout_of(x) if order == "A" else None
    return order == "F" or (layout is not None and layout.flags.f_contiguous and not layout.flags.c_contiguous)


NUMPYS_FLAGS = np.empty(0).flags.__class__
"""The class of the flags of NumPy's arrays, and of arrays that record what is done with one."""


def copy_in_order(x: Any, order: str) -> Any:
    """Return a copy in row-major (``"C"``) or column-major order (``"F"``); ``"A"`` keeps column-major order alone."""
    order = check_order(order, "copy")
    if is_column_major(x, order):
        return copy_in_order(x.transpose(), "C").transpose()
    flags = getattr(x._native, "flags", None)
    if flags is not None and flags.c_contiguous:
        return x.copy("K")
    if flags.__class__ is NUMPYS_FLAGS:
        return xp.reshape(x, x.shape, copy=True)
    return xp.reshape(xp.reshape(x, (-1,), copy=True), x.shape)
