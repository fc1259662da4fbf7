"""CuPy's functions in the standard's names and signatures.

Requirements: no function waits for the device, except those whose result's shape depends on values (``nonzero``,
``unique_*``, ``repeat`` by an array), and powers of integers to an array of signed integers; kernels launch on CuPy's
current stream, and memory comes from its pool. The library is a parameter, so that the functions can be tested on
another one.

Positions out of bounds in ``take``, ``take_along_axis`` and index arrays wrap around, unless their check is requested
(``_indexing.CHECK``): an error requires the host to wait for the device.

CuPy compiles its kernels with options that flush subnormal float32 numbers to zero. Functions that compare, order or
count elements work on the numbers' bits (``Kernels.keys``, ``Kernels.truth``); arithmetic flushes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xtensor.backend import DType, Native, refuse_negative_power, result_type, short_power

from ._fft import Fft
from ._indexing import Indexing, is_broadcast_view, is_negative_zero
from ._inplace import Inplace
from ._kernels import BLOCK, Kernels, layout
from ._linalg import Linalg
from ._operands import (
    FLUSHED,
    HALF,
    LARGEST_COUNT,
    addressable,
    cast,
    is_float,
    of_bits,
    promoted_dtype,
)
from ._products import Networks, Products
from ._reductions import Reductions
from ._sets import unique
from ._special import Special

__all__ = ["UNCHANGED", "Namespace"]

UNCHANGED = (
    *("abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert"),
    *("bitwise_or", "bitwise_xor", "ceil", "conj", "copysign"),
    *("cos", "cosh", "divide", "equal", "exp", "expm1", "floor", "greater", "greater_equal", "hypot", "isfinite"),
    *("isinf", "isnan", "less", "less_equal", "log", "log10", "log1p", "logaddexp", "logical_and"),
    *("logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "not_equal", "positive"),
    *("signbit", "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh", "trunc"),
    *("expand_dims", "flip", "moveaxis", "squeeze", "stack", "tile"),
)
"""Functions that are CuPy's own, some of them corrected by the core (``CupyBackend.corrections``)."""


class Namespace(Reductions):
    """The functions on arrays of the current device."""

    def __init__(self, cp: Any, indexing: Indexing | None = None) -> None:
        self._cp = cp
        self._kernels = Kernels(cp)
        self._indexing = Indexing(cp) if indexing is None else indexing
        for name in UNCHANGED:
            setattr(self, name, getattr(cp, name))
        self.linalg = Linalg(cp, self._kernels)
        self.fft = Fft(cp)
        self.special = Special(cp)
        self.inplace = Inplace()
        self._products = Products(cp)
        self.nn = Networks(self._products)

    # -- creation -------------------------------------------------------------------------------------------------

    def arange(self, start: float, stop: float, step: float, *, dtype: DType) -> Native:
        # NumPy's rule for integer dtypes: from ``int(start)`` in steps of ``int(start + step) - int(start)``.
        if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
            length = max(-((start - stop) // step), 0)
        else:
            length = max(math.ceil((stop - start) / step), 0)
        if dtype.kind == "b" and length > 2:
            raise TypeError(f"arange() of {length} booleans: a count of booleans has 2 elements at most")
        if dtype.kind in "iu":
            first = int(start)
            result = self.empty((length,), dtype=dtype)
            wrap = (first % 2**64, (int(start + step) - first) % 2**64)
            return self._kernels.arange_of_integers(np.uint64(wrap[0]), np.uint64(wrap[1]), result)
        result = self._kernels.arange(float(start), float(step), self.empty((length,), dtype=np.dtype(np.float64)))
        return result.astype(dtype, copy=False)

    def empty(self, shape: tuple[int, ...], *, dtype: DType) -> Native:
        return self._cp.empty(addressable(shape, dtype), dtype=dtype)

    def eye(self, rows: int, columns: int, *, k: int = 0, dtype: DType) -> Native:
        addressable((rows, columns), dtype)
        return self._cp.eye(rows, columns, k=k, dtype=dtype)

    def full(self, shape: tuple[int, ...], fill_value: Any, *, dtype: DType) -> Native:
        result = self.empty(shape, dtype=dtype)
        if hasattr(fill_value, "dtype"):
            result[...] = fill_value
            return result
        if is_negative_zero(fill_value):
            return self._kernels.fill(dtype.type(fill_value), result)
        result.fill(fill_value)
        return result

    def linspace(self, start: complex, stop: complex, num: int, *, dtype: DType, endpoint: bool = True) -> Native:
        kind = np.dtype(np.complex128 if isinstance(start, complex) or isinstance(stop, complex) else np.float64)
        result = self.empty((num,), dtype=kind)
        start, stop = kind.type(start), kind.type(stop)
        parts = num - 1 if endpoint else num
        with np.errstate(over="ignore", invalid="ignore"):
            delta = stop - start
            step = delta / parts if parts > 0 else kind.type(0)
        last = num - 1 if endpoint and num > 1 else -1
        self._kernels.linspace(start, stop, step, delta, float(max(parts, 1)), last, result)
        if dtype.kind in "iu":
            result = self._cp.floor(result)
        return result.astype(dtype, copy=False)

    # -- elementwise ----------------------------------------------------------------------------------------------

    def astype(self, x: Native, dtype: DType, *, copy: bool = True) -> Native:
        if dtype.kind == "b" and x.dtype.char in FLUSHED:
            return self._kernels.truth(x)
        if dtype.kind == "b" and x.dtype.kind == "c":
            return self._cp.not_equal(x, 0)  # CuPy takes the real component alone
        return x.astype(dtype, copy=copy)

    def bitwise_left_shift(self, x1: Native | int, x2: Native | int) -> Native:
        return self._kernels.left_shift(*self._integers(x1, x2))

    def bitwise_right_shift(self, x1: Native | int, x2: Native | int) -> Native:
        return self._kernels.right_shift(*self._integers(x1, x2))

    def _integers(self, x1: Native | int, x2: Native | int) -> tuple[Native, ...]:
        dtype = promoted_dtype(x1, x2)
        if dtype.kind not in "iu":
            raise TypeError(f"shifts take integers, not the promoted dtype {dtype}")
        return self._promoted(x1, x2)

    def complex_of(self, real: Native, imag: Native) -> Native:
        """``real + imag·j``, each component exactly as given."""
        dtype = np.result_type(real.dtype, imag.dtype, np.complex64)
        result = self._cp.empty(np.broadcast_shapes(real.shape, imag.shape), dtype=dtype)
        result.real[...] = real
        result.imag[...] = imag
        return result

    def floor_divide(self, x1: Native | float, x2: Native | float) -> Native:
        # CuPy rounds the quotient of floats before it takes the floor: 1.0 // 0.1 would be 10.
        return NotImplemented if promoted_dtype(x1, x2).kind == "f" else self._cp.floor_divide(x1, x2)

    def imag(self, x: Native) -> Native:
        return x.imag

    def log2(self, x: Native) -> Native:
        # CuPy has no complex binary logarithm, although its ufunc lists one.
        return NotImplemented if x.dtype.kind == "c" else self._cp.log2(x)

    def logical_not(self, x: Native) -> Native:
        # CuPy's takes no complex numbers, and subnormal numbers for zero.
        x = self._truth(x)
        return self._cp.equal(x, 0) if x.dtype.kind == "c" else self._cp.logical_not(x)

    def nextafter(self, x1: Native | float, x2: Native | float) -> Native:
        # On the bits: CuPy compiles with options that flush subnormal numbers to zero, and has none of bfloat16.
        dtype = result_type(x1, x2)
        if dtype.kind not in "fV":
            return self._cp.nextafter(x1, x2)
        integers, mask, infinity = layout(dtype)

        def bits(x: Any) -> Any:
            if hasattr(x, "dtype"):
                return x.astype(dtype, copy=False).view(integers)
            return np.asarray(x, dtype).view(integers)[()]

        return self._kernels.nextafter(bits(x1), bits(x2), mask, infinity).view(dtype)

    def pow(self, x1: Native | complex, x2: Native | complex) -> Native:
        refuse_negative_power(x1, x2)
        short = short_power(x1, x2)
        return self._cp.power(x1, x2) if short is None else getattr(self._cp, short)(x1)

    def real(self, x: Native) -> Native:
        return x.real

    def reciprocal(self, x: Native) -> Native:
        # CuPy's complex quotient is NaN for infinite, very large and very small divisors.
        return NotImplemented if x.dtype.kind == "c" else self._cp.reciprocal(x)

    def remainder(self, x1: Native | float, x2: Native | float) -> Native:
        dtype = promoted_dtype(x1, x2)
        if dtype.kind != "f":
            return self._cp.remainder(x1, x2)
        work = np.dtype(np.float32) if dtype == np.float16 else dtype
        return self._kernels.remainder(cast(x1, work), cast(x2, work)).astype(dtype, copy=False)

    def round(self, x: Native) -> Native:
        return x.copy() if x.dtype.kind in "biu" else self._cp.round(x)

    def sign(self, x: Native) -> Native:
        if x.dtype.kind == "b":
            raise TypeError("sign takes no bool array")  # CuPy returns integers
        # CuPy's x / |x| of complex numbers is NaN where |x| is infinite.
        return NotImplemented if x.dtype.kind == "c" else self._cp.sign(x)

    def where(self, condition: Native, x1: Native | complex, x2: Native | complex) -> Native:
        if not (hasattr(x1, "dtype") and hasattr(x2, "dtype")):
            dtype = promoted_dtype(x1, x2)
            x1, x2 = (x if hasattr(x, "dtype") else dtype.type(x) for x in (x1, x2))
        return self._cp.where(condition, x1, x2)

    # -- manipulation ---------------------------------------------------------------------------------------------

    def concat(self, arrays: list[Native], *, axis: int | None = 0) -> Native:
        return self._cp.concatenate(arrays, axis=axis)

    def permute_dims(self, x: Native, axes: tuple[int, ...]) -> Native:
        return x.transpose(axes)

    def repeat(self, x: Native, repeats: int | Native, *, axis: int | None = None) -> Native:
        if not isinstance(repeats, int):
            repeats = repeats.astype(np.int64, copy=False)
        return self._cp.repeat(x, repeats, axis=axis)

    def broadcast_to(self, x: Native, shape: tuple[int, ...]) -> Native:
        result = self._cp.broadcast_to(x, shape)
        # Without a repeated axis nothing tells that the result is read-only.
        return result if is_broadcast_view(result) else result.copy()

    def reshape(self, x: Native, shape: tuple[int, ...], *, copy: bool | None = None) -> Native:
        return x.reshape(shape, copy=copy)

    def roll(self, x: Native, shift: Any, *, axis: Any = None) -> Native:
        if isinstance(shift, tuple) or isinstance(axis, tuple) or not x.size:
            return self._cp.roll(x, shift, axis=axis)
        length = x.size if axis is None else x.shape[axis]
        after = 1 if axis is None else math.prod(x.shape[axis % x.ndim + 1 :])
        bits = x.view(np.uint16) if x.dtype.kind == "V" else x
        result = self._cp.ndarray(x.shape, bits.dtype)
        self._kernels.roll(self._cp.ascontiguousarray(bits), length, shift % length, after, result)
        return result.view(x.dtype)

    def tril(self, x: Native, *, k: int = 0) -> Native:
        return of_bits(self._cp.tril, x, k)

    def triu(self, x: Native, *, k: int = 0) -> Native:
        return of_bits(self._cp.triu, x, k)

    # -- products ---------------------------------------------------------------------------------------------------

    def matmul(self, x1: Native, x2: Native) -> Native:
        if x1.dtype == x2.dtype and self._products.takes(x1.dtype):
            return self._products.matmul(x1, x2)
        if "V" in (x1.dtype.kind, x2.dtype.kind):
            return NotImplemented
        dtype = promoted_dtype(x1, x2)
        if dtype == HALF and x1.size == x2.size == x1.shape[-1]:
            # CuPy adds up float16 in float16 where the result has one element.
            return self._cp.matmul(*(x.astype(np.float32) for x in (x1, x2))).astype(dtype)
        return self._cp.matmul(x1, x2)

    matmul.takes_bfloat16 = True  # type: ignore[attr-defined]

    # -- indexing, searching, sorting, sets -----------------------------------------------------------------------

    def take(self, x: Native, indices: Native, *, axis: int) -> Native:
        self._indexing.check_positions(indices, x.shape[axis], axis)
        if axis and indices.size * math.prod(x.shape[axis + 1 :]) >= LARGEST_COUNT:
            # Only along the first axis are CuPy's positions right.
            return self._cp.moveaxis(self.take(self._cp.moveaxis(x, axis, 0), indices, axis=0), 0, axis)
        return of_bits(self._cp.take, x, indices, axis=axis)

    def take_along_axis(self, x: Native, indices: Native, *, axis: int) -> Native:
        self._indexing.check_positions(indices, x.shape[axis], axis)
        return of_bits(self._cp.take_along_axis, x, indices.astype(np.int64, copy=False), axis)

    def argmax(self, x: Native, *, axis: int | None = None, keepdims: bool = False) -> Native:
        return self._position("argmax", x, axis, keepdims, nan=1)

    def argmin(self, x: Native, *, axis: int | None = None, keepdims: bool = False) -> Native:
        return self._position("argmin", x, axis, keepdims, nan=-1)

    def _position(self, name: str, x: Native, axis: int | None, keepdims: bool, *, nan: int) -> Native:
        """``cp.argmax`` or ``cp.argmin``; on integer keys for floats, as CuPy ignores infinities and the first NaN."""
        if not (x.size if axis is None else x.shape[axis]):
            raise ValueError(f"attempt to get {name} of an empty sequence: shape {x.shape}, axis {axis}")
        if x.dtype.kind == "f":
            x = self._kernels.keys(x, nan=nan)
        return getattr(self._cp, name)(x, axis=axis, keepdims=keepdims).astype(np.int64, copy=False)

    def argsort(self, x: Native, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Native:
        # CuPy's sorts are stable. Keys in the reverse order of the elements keep equal elements in their order.
        if not x.size or x.shape[axis] == 1:
            return self._cp.zeros(x.shape, dtype=np.int64)
        if x.dtype.kind == "f":
            x = self._kernels.keys(x, nan=1)
            x = self._cp.negative(x) if descending else x
        elif descending:
            x = self._cp.invert(x)
        return self._cp.argsort(x, axis=axis)

    def sort(self, x: Native, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Native:
        if descending and x.dtype.kind == "f":
            # The reverse of an ascending order would reverse zeros of both signs, which are equal.
            return self._cp.take_along_axis(x, self.argsort(x, axis=axis, descending=True), axis)
        result = self._one_nan(x)
        if result.size and result.shape[axis] > 1:
            result.sort(axis=axis)
        return self._cp.flip(result, axis=axis) if descending else result

    def _one_nan(self, x: Native) -> Native:
        """A copy in which no NaN has a sign: CuPy sorts those of one-dimensional arrays by their sign."""
        if x.dtype.kind != "f":
            return x.copy()
        return self._kernels.one_nan(x, x.dtype.type(math.nan))

    def nonzero(self, x: Native) -> tuple[Native, ...]:
        return self._cp.nonzero(self._truth(x))  # type: ignore[no-any-return]

    def sums_at(self, values: Native, positions: Native, size: int) -> Native:
        # In the order of the values, where CuPy's bincount adds them up in any order.
        if values.dtype.kind != "f" or values.dtype.itemsize < 4 or not (size and values.size):
            return NotImplemented
        order = self._cp.argsort(positions)
        starts = self._cp.searchsorted(positions[order], self._cp.arange(size + 1))
        x = values[order]
        blocks = self._kernels.block_sums(x, x.size, self._cp.ndarray(-(-x.size // BLOCK), np.float64))
        return self._kernels.segment_sums(x, starts, blocks, self._cp.ndarray(size, x.dtype))

    def searchsorted(
        self, x1: Native, x2: Native | float, *, side: str = "left", sorter: Native | None = None
    ) -> Native:
        x1, x2 = self._promoted(x1, x2)
        if x1.dtype.kind == "f":
            x1, x2 = (self._kernels.keys(x, nan=1) for x in (x1, x2))
        return self._cp.searchsorted(x1, x2, side=side, sorter=sorter)

    def isin(self, x1: Native | complex, x2: Native | complex, *, invert: bool = False) -> Native:
        operands = [getattr(x, "dtype", x) for x in (x1, x2)]
        if np.result_type(*operands).kind == "f" and not any(is_float(item) for item in operands):
            return NotImplemented  # int64 next to uint64: float64 cannot tell neighbours apart
        x1, x2 = self._promoted(x1, x2)
        if x1.dtype.kind == "f":
            x1, x2 = self._kernels.keys(x1, nan=1), self._kernels.keys(x2, nan=-1)  # NaN equals no NaN
        elif x1.dtype.kind == "c":
            # CuPy sorts a number with a NaN last, and its search then finds it smaller than others.
            x2 = self._kernels.one_nan(x2, x2.dtype.type(complex(math.nan, math.nan)))
        return self._cp.isin(x1, x2, invert=invert)

    def _promoted(self, *operands: Any) -> tuple[Native, ...]:
        dtype = promoted_dtype(*operands)
        return tuple(
            x.astype(dtype, copy=False) if hasattr(x, "dtype") else self.full((), x, dtype=dtype) for x in operands
        )

    def unique_all(self, x: Native) -> tuple[Native, ...]:
        return unique(self._cp, self._kernels, x, return_index=True, return_inverse=True, return_counts=True)

    def unique_counts(self, x: Native) -> tuple[Native, ...]:
        return unique(self._cp, self._kernels, x, return_counts=True)

    def unique_inverse(self, x: Native) -> tuple[Native, ...]:
        return unique(self._cp, self._kernels, x, return_inverse=True)

    def unique_values(self, x: Native) -> Native:
        return unique(self._cp, self._kernels, x)[0]
