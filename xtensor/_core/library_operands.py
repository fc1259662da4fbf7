"""Operands of a library's own functions in NumPy's common dtypes.

Libraries promote in ways of their own: int32 next to float32 to float32, a Python number that is out of range to its
last bits. A backend casts the operands first, and the library's function then gets arrays of one dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .dtypes import DType, kind_of, result_type
from .library_functions import Array

__all__ = ["Operands", "host_number"]

HALF, SINGLE, DOUBLE = (np.dtype(name) for name in ("float16", "float32", "float64"))

SINGLE_OF = {DOUBLE: SINGLE, np.dtype(np.complex128): np.dtype(np.complex64)}
"""The dtypes of single precision for those that a device without double precision lacks."""


class Operands:
    """The operands of a library's functions.

    Parameters
    ----------
    array_type
        The class of the library's arrays.
    dtypes
        The library's dtype of each ``numpy.dtype``. Without float64, what promotes to it is float32.
    cast
        Function of an array and a library's dtype, which returns the array itself where it has that dtype.
    number
        Function of a Python number, a library's dtype and an array of the device, which returns a 0-d array. It raises
        OverflowError for an integer that the dtype cannot represent.
    """

    def __init__(
        self,
        array_type: Any,
        dtypes: Mapping[DType, Any],
        cast: Callable[[Array, Any], Array],
        number: Callable[[Any, Any, Array], Array],
    ) -> None:
        self.array_type = array_type
        self.dtypes = dtypes
        self.cast = cast
        self.number = number
        self.numpy_dtypes: dict[Any, DType] = {ours: dtype for dtype, ours in dtypes.items()}
        self.kinds = {ours: kind_of(dtype) for dtype, ours in dtypes.items()}
        self._common: dict[Any, Any] = {}

    def library_dtype(self, dtype: DType) -> Any:
        """Return the library's dtype of a promoted one."""
        return self.dtypes[dtype if dtype in self.dtypes else SINGLE_OF[dtype]]

    # -- dtypes of the library ----------------------------------------------------------------------------------------

    def common(self, first: Any, second: Any) -> Any:
        """Return the promoted dtype of a dtype and another one, or the class of a Python number."""
        promoted = self._common.get((first, second))
        if promoted is None:
            other = second(0) if isinstance(second, type) and second in PYTHON_NUMBERS else self.numpy_dtypes[second]
            promoted = self.library_dtype(result_type(self.numpy_dtypes[first], other))
            self._common[first, second] = promoted
        return promoted

    def floating(self, dtype: Any) -> Any:
        """Return the dtype in which NumPy computes a function of floating-point numbers for a dtype."""
        if self.kinds[dtype] in "fc":
            return dtype
        wanted = {1: HALF, 2: SINGLE}.get(self.numpy_dtypes[dtype].itemsize, DOUBLE)
        return self.library_dtype(wanted)

    def accumulated(self, dtype: Any) -> Any:
        """Return the dtype of a sum: 64 bits for integers and booleans."""
        kind = self.kinds[dtype]
        return dtype if kind in "fc" else self.dtypes[np.dtype(np.uint64 if kind == "u" else np.int64)]

    # -- operands -----------------------------------------------------------------------------------------------------

    def promoted(self, x1: Any, x2: Any) -> tuple[Array, Array]:
        """Return two operands as arrays of the promoted dtype; one of them may be a Python number."""
        if x1.__class__ is not self.array_type:
            x2, x1 = self._with_number(x2, x1)
        elif x2.__class__ is not self.array_type:
            x1, x2 = self._with_number(x1, x2)
        elif x1.dtype != x2.dtype:
            dtype = self.common(x1.dtype, x2.dtype)
            return self.cast(x1, dtype), self.cast(x2, dtype)
        return x1, x2

    def _with_number(self, x: Array, value: Any) -> tuple[Array, Array]:
        dtype = self.common(x.dtype, value.__class__)
        return self.cast(x, dtype), self.number(value, dtype, x)

    def numbers(self, x1: Any, x2: Any) -> tuple[Array, Array]:
        """Return promoted operands, booleans as int8, the dtype in which NumPy computes with them."""
        x1, x2 = self.promoted(x1, x2)
        if self.kinds[x1.dtype] == "b":
            dtype = self.dtypes[np.dtype(np.int8)]
            return self.cast(x1, dtype), self.cast(x2, dtype)
        return x1, x2

    def as_floating(self, x: Array) -> Array:
        """Return an operand in the dtype in which NumPy computes a function of floating-point numbers."""
        return self.cast(x, self.floating(x.dtype))

    def in_double(self, x: Array) -> Array:
        """Return an operand whose integers are in float64, or in float32 on a device without it.

        NumPy computes quotients, linear algebra and Fourier transforms of integers of any width in this dtype.
        """
        return x if self.kinds[x.dtype] in "fc" else self.cast(x, self.library_dtype(DOUBLE))

    def floats(self, x1: Any, x2: Any) -> tuple[Array, Array]:
        """Return promoted operands of a function of floating-point numbers.

        int8 next to uint8 is computed in float16, although they promote to int16; next to a Python float in float64.
        """
        return self.promoted(self._floating_beside(x1, x2), self._floating_beside(x2, x1))

    def _floating_beside(self, x: Any, other: Any) -> Any:
        if x.__class__ is not self.array_type:
            return x
        return self.as_floating(
            self.cast(x, self.common(x.dtype, other.__class__)) if other.__class__ in PYTHON_NUMBERS else x
        )

    def quotients(self, x1: Any, x2: Any) -> tuple[Array, Array]:
        """Return promoted operands of a division: integers in float64, or float32 on a device without it."""
        # The dtype of an array of integers need not have a Python integer.
        x1, x2 = self.promoted(*(float(x) if x.__class__ is int else x for x in (x1, x2)))
        return self.in_double(x1), self.in_double(x2)

    def truths(self, x1: Any, x2: Any) -> tuple[Array, Array]:
        """Return promoted operands of a logical function, for which each Python integer of int64 but 0 is true."""
        return self.promoted(
            *(x != 0 if x.__class__ is int and -(2**63) <= x < 2**63 else x for x in (x1, x2)),
        )

    def several(self, arrays: Sequence[Array]) -> list[Array]:
        """Return arrays of their promoted dtype."""
        dtype = arrays[0].dtype
        for x in arrays[1:]:
            dtype = dtype if x.dtype == dtype else self.common(dtype, x.dtype)
        return [self.cast(x, dtype) for x in arrays]

    def comparable(self, lib: Any, x1: Any, x2: Any) -> tuple[Array, Array]:
        """Return two operands as arrays of one dtype that compare as their values do.

        A Python integer beyond the dtype of an array is on one side of all its values. uint64 and signed integers,
        whose promoted dtype cannot tell neighbours, become uint64.
        """
        if x1.__class__ is not self.array_type:
            x2, x1 = self.comparable(lib, x2, x1)
            return x1, x2
        dtype = x1.dtype
        if x2.__class__ is int and self.kinds[dtype] in "iu":
            limits = np.iinfo(self.numpy_dtypes[dtype])
            if not limits.min <= x2 <= limits.max:
                zeros = self.cast(lib.zeros_like(x1), self.dtypes[np.dtype(np.int8)])
                return zeros, zeros + 1 if x2 > 0 else zeros - 1
        if x2.__class__ is self.array_type and dtype != x2.dtype:
            kinds = self.kinds[dtype] + self.kinds[x2.dtype]
            if kinds == "ui" and self._mixes_to_float(dtype, x2.dtype):
                return self.beside_signed(lib, x1, x2)
            if kinds == "iu" and self._mixes_to_float(dtype, x2.dtype):
                x2, x1 = self.beside_signed(lib, x2, x1)
                return x1, x2
        return self.promoted(x1, x2)

    def _mixes_to_float(self, first: Any, second: Any) -> bool:
        return bool(self.kinds[self.common(first, second)] == "f")

    def beside_signed(self, lib: Any, unsigned: Array, x: Array) -> tuple[Array, Array]:
        """Return uint64 and signed integers as comparable arrays of one dtype: uint64."""
        below = x < 0
        raised = lib.where(below, lib.ones_like(unsigned), unsigned)
        return raised, self.cast(lib.where(below, lib.zeros_like(x), x), unsigned.dtype)


PYTHON_NUMBERS = (bool, int, float, complex)


def host_number(value: Any, dtype: DType) -> Any:
    """Return a Python number as a 0-d NumPy array; OverflowError for an integer that the dtype cannot represent."""
    if dtype.kind in "iu":
        return np.array(int(value), dtype)
    with np.errstate(over="ignore"):
        return np.asarray(value).astype(dtype)
