# mypy: disable-error-code="no-any-return"
"""Conversions of an Array: to Python's scalars, to lists and text, and its elements one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from .checks import check_integer
from .operands import SEQUENCES
from .text import representation, shows_values
from .transfers import note_computation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .array import Array
    from .backend import Native

xp: Any = None
"""The public namespace, set by :func:`xtensor._core.array.bind_namespace`."""

__all__ = ["Conversions", "Scalar"]

Scalar: TypeAlias = bool | int | float | complex

NOT_A_SCALAR = {
    "bool": "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all().",
    "bool of nothing": (
        "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."
    ),
    "index": "only integer scalar arrays can be converted to a scalar index;",
    **dict.fromkeys(("int", "float", "complex"), "only 0-dimensional arrays can be converted to Python scalars;"),
}
"""NumPy's words for an array that is not one element, by the conversion that was asked for."""


class Conversions:
    """The conversions of an Array."""

    __slots__ = ()

    def __bool__(self: Any, /) -> bool:
        return bool(self._single("bool"))

    def __int__(self: Any, /) -> int:
        return int(self._single("int", "c"))

    def __float__(self: Any, /) -> float:
        return float(self._single("float", "c"))

    def __complex__(self: Any, /) -> complex:
        return complex(self._single("complex"))

    def __index__(self: Any, /) -> int:
        if self.dtype.kind not in "iu":
            raise TypeError(
                "only integer scalar arrays can be converted to a scalar index; only a 0-d integer array can be an "
                f"index, not dtype {self.dtype} of shape {self.shape}"
            )
        return int(self._single("index"))

    def _single(self: Any, conversion: str, refused: str = "") -> Native:
        """Return the native array for a conversion to a Python scalar; raise unless it has one element."""
        self._device.table  # noqa: B018 - raises where a fork lost the device
        native = self._native
        if native.ndim and (conversion != "bool" or native.size != 1):
            raise (ValueError if conversion == "bool" else TypeError)(
                f"{NOT_A_SCALAR[conversion if native.size or conversion != 'bool' else 'bool of nothing']} "
                f"{conversion}(x) needs an array of one element without axes, not shape {native.shape}; "
                + ("use xtensor.any(x) or xtensor.all(x)" if conversion == "bool" else "index one element")
            )
        if native.dtype.kind in refused:
            raise TypeError(f"{conversion}(x) does not take dtype {native.dtype}; take xtensor.real(x) first")
        return native

    def __len__(self: Any) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object; a 0-d array has no axis to count along")
        return self.shape[0]

    def __iter__(self: Any) -> Iterator[Array]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array: it has no axis to go along; use x.item()")
        return self._elements()

    def __contains__(self: Any, value: Any, /) -> bool:
        if isinstance(value, SEQUENCES):
            value = xp.asarray(value, device=self._device)
        equal: Any = self == value
        # A value of another kind is no element.
        return bool(xp.any(equal)) if equal.__class__ is self.__class__ else False

    def item(self: Any, *index: Any) -> Scalar:
        """Return the only element, the one at an index, or the n-th one in row-major order, as a Python scalar."""
        index = index[0] if len(index) == 1 and index[0].__class__ is tuple else index
        if index:
            for position in index:
                check_integer(position, "item", "an index")
            if len(index) not in (1, self.ndim):
                text = f"incorrect number of indices for array; item() takes one for each axis, not {index}"
                raise ValueError(text)
            flat = len(index) == 1 and self.ndim != 1
            return (xp.reshape(self, (-1,)) if flat else self)[index].item()
        if self.size != 1:
            raise ValueError(
                "can only convert an array of size 1 to a Python scalar; item() needs an array of one element, not "
                f"shape {self.shape}; give an index"
            )
        library = self._device._library
        if library.lazy:
            note_computation(self.dtype.itemsize, str(self._device), "item()")
        return library.to_host(self._native).item()

    def tolist(self: Any) -> Any:
        """Return the elements as nested lists of Python scalars; a Python scalar for a 0-d array."""
        return self._device._library.to_host(self._native).tolist()

    def __repr__(self: Any) -> str:
        return representation(self)

    def __str__(self: Any) -> str:
        return str(self._device._library.to_host(self._native)) if shows_values(self._device) else repr(self)

    def __format__(self: Any, spec: str, /) -> str:
        if not spec:
            return str(self)
        if self.ndim:
            raise TypeError(
                f"unsupported format string passed to Array.__format__; format {spec!r} needs a 0-d array, not shape "
                f"{self.shape}"
            )
        return format(self.item(), spec)
