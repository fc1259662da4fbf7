"""CuPy's functions in the standard's names and signatures.

Requirements: nothing here waits for the device, but for what needs its answer by its nature (``nonzero``, ``unique``,
``repeat`` by an array); no launch more than CuPy's own where special values are put right; nothing is done to CuPy's
current stream or its pool. The library is a parameter, so that the functions' logic can be tested on another one.

Positions out of bounds in ``take``, ``take_along_axis`` and index arrays wrap around: to refuse them, the host would
have to wait for the device.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import DType, Native

from ._fft import Fft
from ._kernels import Kernels, layout
from ._linalg import Linalg
from ._special import special

__all__ = ["Namespace", "OnDevice", "is_negative_zero"]

AS_THEY_ARE = (
    *("abs", "acos", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_invert"),
    *("bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "ceil", "conj", "copysign"),
    *("cos", "cosh", "equal", "exp", "floor", "greater", "greater_equal", "hypot", "isfinite", "isinf", "isnan"),
    *("less", "less_equal", "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul"),
    *("maximum", "minimum", "multiply", "negative", "not_equal", "positive", "pow", "reciprocal", "sign"),
    *("signbit", "sin", "sinh", "sqrt", "square", "subtract", "trunc"),
    *("all", "any", "broadcast_to", "expand_dims", "flip", "mean", "moveaxis", "nonzero", "roll", "squeeze"),
    *("stack", "sum", "tensordot", "tril", "triu"),
)

IN_ORDER = 1024
"""Up to how many factors a product is taken one after another, as NumPy takes it."""

LARGEST_BYTES = np.iinfo(np.int64).max

Axes = int | tuple[int, ...] | None


class Namespace:
    """The functions on arrays of the current device."""

    def __init__(self, cp: Any) -> None:
        self._cp = cp
        self._kernels = kernels = Kernels(cp)
        for name in AS_THEY_ARE:
            setattr(self, name, getattr(cp, name))
        self.linalg = Linalg(cp)
        self.fft = Fft(cp)
        self.floor_divide = _of_two(cp.floor_divide, kernels.floor_divide, "f")
        self.remainder = _of_two(cp.remainder, kernels.remainder, "f")
        self.divide = _of_two(cp.divide, kernels.complex_divide, "c")
        for name in ("acosh", "expm1", "log1p", "tan", "tanh"):
            setattr(self, name, _of_complex(getattr(cp, name), getattr(kernels, name)))
        for name, base in (("log", math.e), ("log2", 2.0), ("log10", 10.0)):
            setattr(self, name, self._logarithm(getattr(cp, name), 1.0 / math.log(base)))

    def special(self, name: str, kind: str) -> Callable[..., Native] | None:
        """CuPy's special function of that name for real or complex operands."""
        return special(self._cp, name, kind)

    # -- creation -------------------------------------------------------------------------------------------------

    def arange(self, start: float, stop: float, step: float, *, dtype: DType) -> Native:
        """NumPy's rule: a whole dtype goes from ``int(start)`` in steps of ``int(start + step) - int(start)``."""
        if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
            length = max(-((start - stop) // step), 0)
        else:
            length = max(math.ceil((stop - start) / step), 0)
        if dtype.kind in "iu":
            first = int(start)
            result = self.empty((length,), dtype=dtype)
            wrap = (first % 2**64, (int(start + step) - first) % 2**64)
            return self._kernels.arange_of_integers(np.uint64(wrap[0]), np.uint64(wrap[1]), result)
        result = self._kernels.arange(float(start), float(step), self.empty((length,), dtype=np.dtype(np.float64)))
        return result.astype(dtype, copy=False)

    def empty(self, shape: tuple[int, ...], *, dtype: DType) -> Native:
        return self._cp.empty(_addressable(shape, dtype), dtype=dtype)

    def eye(self, rows: int, columns: int, *, k: int = 0, dtype: DType) -> Native:
        _addressable((rows, columns), dtype)
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

    def ones(self, shape: tuple[int, ...], *, dtype: DType) -> Native:
        return self._cp.ones(_addressable(shape, dtype), dtype=dtype)

    def zeros(self, shape: tuple[int, ...], *, dtype: DType) -> Native:
        return self._cp.zeros(_addressable(shape, dtype), dtype=dtype)

    # -- elementwise ----------------------------------------------------------------------------------------------

    def astype(self, x: Native, dtype: DType, *, copy: bool = True) -> Native:
        if x.dtype.kind == "c" and dtype.kind == "b":
            return self._cp.not_equal(x, 0)  # CuPy takes the real component alone
        return x.astype(dtype, copy=copy)

    def clip(self, x: Native, lower: Native | float | None, upper: Native | float | None) -> Native:
        """CuPy's own takes no heed of a bound that is NaN."""
        if lower is not None:
            x = self._cp.maximum(x, lower)
        return x if upper is None else self._cp.minimum(x, upper)

    def complex_of(self, real: Native, imag: Native) -> Native:
        """``real + imag·j``, each component exactly as given."""
        dtype = np.result_type(real.dtype, imag.dtype, np.complex64)
        result = self._cp.empty(np.broadcast_shapes(real.shape, imag.shape), dtype=dtype)
        result.real[...] = real
        result.imag[...] = imag
        return result

    def imag(self, x: Native) -> Native:
        return x.imag

    def nextafter(self, x1: Native | float, x2: Native | float) -> Native:
        """On the bits, as CuPy's compiler options flush what is subnormal to zero."""
        dtype = _result_type(x1, x2)
        if dtype.kind != "f":
            return self._cp.nextafter(x1, x2)
        integers, mask, infinity = layout(dtype)

        def bits(x: Any) -> Any:
            if hasattr(x, "dtype"):
                return x.astype(dtype, copy=False).view(integers)
            return np.asarray(x, dtype).view(integers)[()]

        return self._kernels.nextafter(bits(x1), bits(x2), mask, infinity).view(dtype)

    def real(self, x: Native) -> Native:
        return x.real

    def round(self, x: Native) -> Native:
        if x.dtype.kind == "c":
            return self._kernels.round(x)
        return x.copy() if x.dtype.kind in "biu" else self._cp.rint(x)

    def where(self, condition: Native, x1: Native | complex, x2: Native | complex) -> Native:
        if not (hasattr(x1, "dtype") and hasattr(x2, "dtype")):
            dtype = _result_type(x1, x2)
            x1, x2 = (x if hasattr(x, "dtype") else dtype.type(x) for x in (x1, x2))
        return self._cp.where(condition, x1, x2)

    def _logarithm(self, real: Callable[..., Native], scale: float) -> Callable[[Native], Native]:
        kernel = self._kernels.log
        return lambda x: kernel(x, scale) if x.dtype.kind == "c" else real(x)

    # -- manipulation ---------------------------------------------------------------------------------------------

    def concat(self, arrays: list[Native], *, axis: int | None = 0) -> Native:
        return self._cp.concatenate(arrays, axis=axis)

    def matrix_transpose(self, x: Native) -> Native:
        return x.swapaxes(-2, -1)

    def permute_dims(self, x: Native, axes: tuple[int, ...]) -> Native:
        return x.transpose(axes)

    def repeat(self, x: Native, repeats: int | Native, *, axis: int | None = None) -> Native:
        if isinstance(repeats, int):
            _addressable((x.size, repeats), x.dtype)
        else:
            repeats = repeats.astype(np.int64, copy=False)
        return self._cp.repeat(x, repeats, axis=axis)

    def reshape(self, x: Native, shape: tuple[int, ...], *, copy: bool | None = None) -> Native:
        return x.reshape(shape, copy=copy)

    def tile(self, x: Native, repetitions: tuple[int, ...]) -> Native:
        _addressable((x.size, *repetitions), x.dtype)
        return self._cp.tile(x, repetitions)

    # -- indexing, searching, sorting, sets -----------------------------------------------------------------------

    def take(self, x: Native, indices: Native, *, axis: int) -> Native:
        return self._cp.take(x, indices, axis=axis)

    def take_along_axis(self, x: Native, indices: Native, *, axis: int) -> Native:
        return self._cp.take_along_axis(x, indices.astype(np.int64, copy=False), axis)

    def argmax(self, x: Native, *, axis: int | None = None, keepdims: bool = False) -> Native:
        return self._position(self._cp.argmax, x, axis, keepdims, nan=1)

    def argmin(self, x: Native, *, axis: int | None = None, keepdims: bool = False) -> Native:
        return self._position(self._cp.argmin, x, axis, keepdims, nan=-1)

    def _position(
        self, function: Callable[..., Native], x: Native, axis: int | None, keepdims: bool, *, nan: int
    ) -> Native:
        """Among integers in the numbers' order: CuPy's own misses infinities, and finds any NaN, not the first."""
        if not (x.size if axis is None else x.shape[axis]):
            raise ValueError("no element to choose from")
        if x.dtype.kind == "f":
            x = self._kernels.keys(x, nan=nan)
        return function(x, axis=axis, keepdims=keepdims).astype(np.int64, copy=False)

    def argsort(self, x: Native, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Native:
        """CuPy's sorts are stable. Sorting keys that fall as the elements rise keeps equal ones in their order."""
        if not x.size or x.shape[axis] == 1:
            return self._cp.zeros(x.shape, dtype=np.int64)
        if x.dtype.kind == "f":
            x = self._kernels.keys(x, nan=1)
            x = self._cp.negative(x) if descending else x
        elif descending:
            x = self._cp.invert(x)
        return self._cp.argsort(x, axis=axis)

    def sort(self, x: Native, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Native:
        result = self._one_nan(x)
        if result.size and result.shape[axis] > 1:
            result.sort(axis=axis)
        return self._cp.flip(result, axis=axis) if descending else result

    def _one_nan(self, x: Native) -> Native:
        """A copy whose NaNs have no sign, which CuPy's sort of one dimension goes by."""
        if x.dtype.kind != "f":
            return x.copy()
        return self._kernels.one_nan(x, x.dtype.type(math.nan))

    def count_nonzero(self, x: Native, *, axis: Axes = None, keepdims: bool = False) -> Native:
        counts = self._cp.count_nonzero(x, axis=axis)
        return counts.reshape(_kept(x.shape, axis)) if keepdims else counts

    def searchsorted(
        self, x1: Native, x2: Native | float, *, side: str = "left", sorter: Native | None = None
    ) -> Native:
        x1, x2 = self._promoted(x1, x2)
        return self._cp.searchsorted(x1, x2, side=side, sorter=sorter)

    def isin(self, x1: Native | complex, x2: Native | complex, *, invert: bool = False) -> Native:
        x1, x2 = self._promoted(x1, x2)
        return self._cp.isin(x1, self._one_nan(x2), invert=invert)

    def _promoted(self, *operands: Any) -> tuple[Native, ...]:
        dtype = _result_type(*operands)
        return tuple(
            x.astype(dtype, copy=False) if hasattr(x, "dtype") else self.full((), x, dtype=dtype) for x in operands
        )

    def unique_all(self, x: Native) -> tuple[Native, ...]:
        return self._unique(x, return_index=True, return_inverse=True, return_counts=True)

    def unique_counts(self, x: Native) -> tuple[Native, ...]:
        return self._unique(x, return_counts=True)

    def unique_inverse(self, x: Native) -> tuple[Native, ...]:
        return self._unique(x, return_inverse=True)

    def unique_values(self, x: Native) -> Native:
        return self._unique(x)[0]

    def _unique(self, x: Native, **returned: bool) -> tuple[Native, ...]:
        if not x.size:
            shapes = {"return_index": (0,), "return_inverse": x.shape, "return_counts": (0,)}
            extra = (self._cp.empty(shapes[name], dtype=np.int64) for name in returned)
            return (self._cp.empty((0,), dtype=x.dtype), *extra)
        found = self._cp.unique(self._one_nan(x), equal_nan=False, **returned)
        return found if isinstance(found, tuple) else (found,)

    # -- reductions -----------------------------------------------------------------------------------------------

    def max(self, x: Native, *, axis: Axes = None, keepdims: bool = False) -> Native:
        return self._extreme(self._kernels.max, self._cp.max, x, axis, keepdims)

    def min(self, x: Native, *, axis: Axes = None, keepdims: bool = False) -> Native:
        return self._extreme(self._kernels.min, self._cp.min, x, axis, keepdims)

    def _extreme(self, kernel: Any, function: Callable[..., Native], x: Native, axis: Axes, keepdims: bool) -> Native:
        """CuPy's own begins at the largest finite number, and so misses infinities."""
        if _length(x.shape, axis) == 0:
            raise ValueError("no element to choose from")
        if x.dtype.kind != "f":
            return function(x, axis=axis, keepdims=keepdims)
        work = x.astype(np.float32) if x.dtype == np.float16 else x
        return kernel(work, axis=axis, keepdims=keepdims).astype(x.dtype, copy=False)

    def prod(self, x: Native, *, axis: Axes = None, dtype: DType | None = None, keepdims: bool = False) -> Native:
        """In order where that costs little: whether a product overflows before it meets a 0 hangs on the order."""
        wanted = x.dtype if dtype is None else dtype
        length = _length(x.shape, axis)
        if wanted.kind not in "fc" or length > IN_ORDER:
            return self._cp.prod(x, axis=axis, dtype=dtype, keepdims=keepdims)
        reduced = _axes(axis, x.ndim)
        kept = tuple(position for position in range(x.ndim) if position not in reduced)
        shape = tuple(x.shape[position] for position in kept)
        work = np.dtype(np.float32) if wanted == np.float16 else wanted
        lines = self.astype(x, work, copy=False).transpose((*kept, *reduced)).reshape((*shape, length))
        result = self._kernels.product_in_order(lines, length, self._cp.empty(shape, dtype=work))
        result = result.astype(wanted, copy=False)
        return result.reshape(_kept(x.shape, axis)) if keepdims else result

    def std(self, x: Native, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Native:
        return self._cp.std(x, axis=axis, ddof=correction, keepdims=keepdims)

    def var(self, x: Native, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Native:
        return self._cp.var(x, axis=axis, ddof=correction, keepdims=keepdims)

    def cumulative_prod(
        self, x: Native, *, axis: int, dtype: DType | None = None, include_initial: bool = False
    ) -> Native:
        return self._cumulative(self._cp.cumprod, 1, x, axis, dtype, include_initial)

    def cumulative_sum(
        self, x: Native, *, axis: int, dtype: DType | None = None, include_initial: bool = False
    ) -> Native:
        return self._cumulative(self._cp.cumsum, 0, x, axis, dtype, include_initial)

    def _cumulative(
        self,
        function: Callable[..., Native],
        initial: int,
        x: Native,
        axis: int,
        dtype: DType | None,
        include_initial: bool,
    ) -> Native:
        wanted = dtype if dtype is not None else _accumulated(x.dtype)
        result = function(x, axis=axis, dtype=wanted) if x.size else self._cp.empty(x.shape, dtype=wanted)
        if not include_initial:
            return result
        edge = self.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), initial, dtype=wanted)
        return self._cp.concatenate([edge, result], axis=axis)

    def diff(
        self, x: Native, *, axis: int = -1, n: int = 1, prepend: Native | None = None, append: Native | None = None
    ) -> Native:
        edges = {"prepend": prepend, "append": append}
        return self._cp.diff(x, n=n, axis=axis, **{name: edge for name, edge in edges.items() if edge is not None})


class OnDevice:
    """A namespace whose functions run on one device, whichever is the current one.

    For machines with several; where there is one, it is always the current one, and no call should pay for asking.
    """

    def __init__(self, functions: Any, bind: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self._functions = functions
        self._bind = bind

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._functions, name)
        if name == "special":
            return self._special
        return self._bind(function) if callable(function) else OnDevice(function, self._bind)

    def _special(self, name: str, kind: str) -> Callable[..., Native] | None:
        function = self._functions.special(name, kind)
        return None if function is None else self._bind(function)


def is_negative_zero(value: Any) -> bool:
    """Whether a Python scalar is 0 with a sign, which CuPy loses where it fills memory with zeros."""
    if value.__class__ is float:
        return value == 0 and math.copysign(1.0, value) < 0
    if value.__class__ is complex:
        return value == 0 and (is_negative_zero(value.real) or is_negative_zero(value.imag))
    return False


def _of_two(raw: Callable[..., Native], kernel: Any, kind: str) -> Callable[[Any, Any], Native]:
    """A function of two operands that a kernel computes for dtypes of one kind, and CuPy's own for others."""

    def function(x1: Native | complex, x2: Native | complex) -> Native:
        dtype = _result_type(x1, x2)
        if dtype.kind != kind:
            return raw(x1, x2)
        work = np.dtype(np.float32) if dtype == np.float16 else dtype
        return kernel(_cast(x1, work), _cast(x2, work)).astype(dtype, copy=False)

    function.corrected = True  # type: ignore[attr-defined]
    return function


def _of_complex(raw: Callable[[Native], Native], kernel: Any) -> Callable[[Native], Native]:
    return lambda x: kernel(x) if x.dtype.kind == "c" else raw(x)


def _cast(x: Native | complex, dtype: DType) -> Any:
    """An operand in a dtype; a Python scalar as it is, as kernels take it in the dtype of the arrays beside it."""
    return x if isinstance(x, (bool, int, float, complex)) else x.astype(dtype, copy=False)


def _result_type(*operands: Any) -> DType:
    return np.result_type(*(getattr(x, "dtype", x) for x in operands))


def _accumulated(dtype: DType) -> DType:
    """The dtype in which the standard sums a dtype."""
    if dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" else dtype


def _axes(axis: Axes, ndim: int) -> tuple[int, ...]:
    """The axes that a reduction goes over, in their order in the array."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(axis)) if isinstance(axis, tuple) else (axis,)


def _length(shape: tuple[int, ...], axis: Axes) -> int:
    """How many elements a reduction makes one of."""
    return math.prod(shape[position] for position in _axes(axis, len(shape)))


def _kept(shape: tuple[int, ...], axis: Axes) -> tuple[int, ...]:
    """The shape of a reduction that keeps its axes."""
    reduced = _axes(axis, len(shape))
    return tuple(1 if position in reduced else length for position, length in enumerate(shape))


def _addressable(shape: tuple[int, ...], dtype: DType) -> tuple[int, ...]:
    """A shape whose bytes an address can count; CuPy's own count would wrap around and allocate less."""
    size = math.prod(shape) * dtype.itemsize
    if size > LARGEST_BYTES:
        raise MemoryError(f"Out of memory allocating {size:,} bytes")
    return shape
