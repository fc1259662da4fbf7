"""Where CuPy departs from the standard or from NumPy: its results, computed by NumPy, for the stand-in.

``DEPARTURES`` has a function for each name: it takes the name and the stand-in's function and returns one that departs
as CuPy 14.2.0 does. What runs in parallel on a GPU runs here in one order, one of those that give a wrong result.
"""

from __future__ import annotations

import math

import numpy as np

FLUSHED = "fF"
"""The dtypes whose subnormal numbers CuPy's kernels see as zeros: float32, complex64."""

LARGEST_COUNT = 2**31
"""The number of elements from which on CuPy's scans and ``take`` compute wrong positions."""


def refusing(kinds):
    """A function that must not be called with arrays of some kinds: CuPy's has other results, or does not compile."""

    def depart(name, function):
        def called(*args, **kwargs):
            dtypes = [value.dtype for value in args if isinstance(value, np.ndarray)]
            if any(dtype.kind in kinds for dtype in dtypes):
                raise AssertionError(f"cupy.{name} departs from the standard for {dtypes}")
            return function(*args, **kwargs)

        return called

    return depart


def refusing_all(name, function):
    def called(*args, **kwargs):
        raise AssertionError(f"cupy.{name} departs from NumPy's function")

    return called


# -- complex numbers --------------------------------------------------------------------------------------------------


def undefined_where(condition):
    """A function of one operand that gives NaN for complex numbers, given as components, that meet a condition."""

    def depart(name, function):
        def called(x):
            result = function(x)
            if x.dtype.kind == "c":
                result[condition(np.asarray(x.real), np.asarray(x.imag))] = complex(math.nan, math.nan)
            return result

        return called

    return depart


def overflowing_logarithm(name, function):
    """The logarithm of the magnitude, which overflows; NaN where a component is NaN."""

    def called(x):
        result = function(x)
        if x.dtype.kind == "c":
            a, b = np.abs(np.asarray(x.real)), np.abs(np.asarray(x.imag))
            with np.errstate(all="ignore"):
                result.real[np.isfinite(a) & np.isfinite(b) & np.isinf(np.hypot(a, b))] = math.inf
            result[np.isnan(a) | np.isnan(b)] = complex(math.nan, math.nan)
            largest = np.maximum(a, b)
            subnormal = (largest < np.finfo(a.dtype).smallest_normal) & (largest > 0)
            with np.errstate(all="ignore"):
                result.real[subnormal] = function(np.hypot(a, b))[subnormal]  # a magnitude of few digits
        return result

    return called


def overflowing_quotient(name, function):
    """Division of complex numbers by the definition, in which intermediate results overflow."""

    def called(x1, x2):
        if np.result_type(x1, x2).kind != "c":
            return function(x1, x2)
        with np.errstate(all="ignore"):
            return x1 * np.conj(x2) / (np.real(x2) ** 2 + np.imag(x2) ** 2)

    return called


def overflowing_reciprocal(name, function):
    divide = overflowing_quotient(name, None)
    return lambda x: divide(x.dtype.type(1), x) if x.dtype.kind == "c" else function(x)


# -- float32 as CuPy's kernels see it ---------------------------------------------------------------------------------


def flushed(x):
    """An array in which zeros stand for the subnormal numbers of float32 and complex64."""
    x = np.asarray(x)
    if x.dtype.char not in FLUSHED:
        return x
    result = x.copy()
    for part in (result.real, result.imag) if x.dtype.kind == "c" else (result,):
        part[np.abs(part) < np.finfo(np.float32).tiny] = 0
    return result


def flushing(name, function):
    return lambda *args, **kwargs: function(
        *(flushed(value) if isinstance(value, np.ndarray) else value for value in args), **kwargs
    )


# -- sorts and searches -----------------------------------------------------------------------------------------------


def radix_order(x):
    """The order of CuPy's sort of one axis: by the sign and the bits, so that a negative NaN is first."""
    if x.dtype.kind != "f":
        return np.argsort(x, kind="stable")
    bits = np.where(x == 0, x.dtype.type(0), x).view(f"int{8 * x.dtype.itemsize}")
    return np.argsort(np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits), kind="stable")


def sorting_by_sign(name, function):
    """``argsort``, which has no order for NaN of both signs where there is one axis."""

    def called(x, axis=-1):
        return function(x, axis=axis, kind="stable") if x.ndim != 1 else np.array(radix_order(np.asarray(x)))

    return called


def unique_by_sign(name, function):
    def called(x, *, equal_nan, **returned):
        if x.dtype.kind != "f":
            return function(x, equal_nan=equal_nan, **returned)
        flat = np.asarray(x).reshape(-1)
        order = radix_order(flat)
        compared = flushed(flat)[order]
        first = np.concatenate([[True], compared[1:] != compared[:-1]])
        starts = np.flatnonzero(first)
        inverse = np.empty(flat.shape, np.int64)
        inverse[order] = np.cumsum(first) - 1
        results = {
            "return_index": order[starts],
            "return_inverse": inverse.reshape(x.shape),
            "return_counts": np.diff(np.append(starts, flat.size)),
        }
        return (flat[order][starts], *(results[name] for name in returned))

    return called


def before(a, b):
    """CuPy's ``<``: by the real components, then by the imaginary ones; False beside NaN."""
    if isinstance(a, complex):
        return a.real < b.real or (a.real == b.real and a.imag < b.imag)
    return a < b


def is_member(x, members):
    """Whether a binary search finds a number among sorted ones."""
    if x != x or before(members[-1], x):
        return False
    left, right = 0, len(members) - 1
    while left < right:
        middle = (left + right) // 2
        if before(members[middle], x):
            left = middle + 1
        else:
            right = middle
    return members[right] == x


def searching(name, function):
    """``isin`` by a binary search among sorted members, which a NaN that is out of order misleads."""

    def called(x1, x2, *, invert=False):
        x1, x2 = (np.asarray(x) for x in (x1, x2))
        if x1.dtype.kind not in "fc" or not x2.size:
            return function(x1, x2, invert=invert)
        flat = x2.reshape(-1)
        members = (np.sort(flat) if flat.dtype.kind == "c" else flushed(flat)[radix_order(flat)]).tolist()
        found = [is_member(value, members) for value in flushed(x1).reshape(-1).tolist()]
        return np.array(found, bool).reshape(x1.shape) != invert

    return called


# -- sums and products ------------------------------------------------------------------------------------------------


def over_axes(x, axis, keepdims, reduce):
    """A reduction of the elements along some axes, which ``reduce`` gets as the last axis."""
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    rest = [position for position in range(x.ndim) if position not in axes]
    shape = tuple(x.shape[position] for position in rest)
    result = reduce(np.transpose(x, (*rest, *axes)).reshape((*shape, -1)))
    return result.reshape(tuple(1 if i in axes else n for i, n in enumerate(x.shape))) if keepdims else result


def summed_in_half(x):
    with np.errstate(all="ignore"):
        return np.add.accumulate(x, axis=-1, dtype=np.float16)[..., -1]


def half_sum(name, function):
    def called(x, axis=None, dtype=None, keepdims=False):
        x = np.asarray(x)
        if (x.dtype if dtype is None else dtype) != np.float16 or not x.size:
            return function(x, axis=axis, dtype=dtype, keepdims=keepdims)
        return over_axes(x.astype(np.float16), axis, keepdims, summed_in_half)

    return called


def half_spread(name, function):
    """``var`` and ``std``, which add up the squares of float16 in float16."""

    def called(x, axis=None, ddof=0, keepdims=False):
        x = np.asarray(x)
        if x.dtype != np.float16:
            return function(x, axis=axis, ddof=ddof, keepdims=keepdims)

        def spread(lines):
            distance = lines - lines.mean(axis=-1, keepdims=True)
            variance = summed_in_half(distance * distance) / np.float16(lines.shape[-1] - ddof)
            return np.sqrt(variance) if name == "std" else variance

        with np.errstate(all="ignore"):
            return over_axes(x, axis, keepdims, spread)

    return called


def half_product(name, function):
    """Products over one axis of vectors, or of matrices of one row and one column, which float16 adds up in float16."""

    def called(x1, x2, **options):
        result = function(x1, x2, **options)
        if result.dtype == np.float16 and result.size == 1 and x1.size == x2.size:
            with np.errstate(all="ignore"):
                products = np.asarray(x1).reshape(-1) * np.asarray(x2).reshape(-1)
            return np.asarray(summed_in_half(products)).reshape(result.shape)
        return result

    return called


def in_reverse_order(name, function):
    """A product in the reverse order of the factors."""
    return lambda x, axis=None, **options: function(np.flip(x, axis), axis=axis, **options)


def scanned_by_a_tree(name, function):
    """Cumulative sums and products of floats: of pairs, then of pairs of pairs."""
    operate = np.add if name == "cumsum" else np.multiply

    def called(x, *, axis, dtype):
        if not x.size or x.size >= LARGEST_COUNT:
            raise AssertionError(f"cupy.{name} fails for {x.size} elements")
        if dtype.kind not in "fc":
            return function(x, axis=axis, dtype=dtype)
        result = np.moveaxis(np.array(x, dtype), axis, -1)
        step = 1
        while step < result.shape[-1]:
            with np.errstate(all="ignore"):
                after = operate(result[..., :-step], result[..., step:])
            result[..., step:] = after
            step *= 2
        return np.moveaxis(result, -1, axis)

    return called


# -- integers ---------------------------------------------------------------------------------------------------------


def low_bits(name, function):
    """Shifts, whose counts a GPU takes modulo 2**32."""

    def called(x1, x2):
        x1, x2 = np.broadcast_arrays(x1, x2)
        return function(x1, (x2.astype(np.int64) % 2**32).astype(np.result_type(x1, x2)))

    return called


def powers_of_any_exponent(name, function):
    """Integer powers without the error for negative exponents: 0, or ±1 for bases of magnitude 1.

    Floating-point powers of one number are a unit off, as those of a library function may be.
    """

    def called(x1, x2):
        if x2.__class__ in (int, float) and x1.dtype.kind == "f":
            power = function(x1, x2)
            return np.nextafter(power, np.asarray(0, power.dtype))
        if np.result_type(x1, x2).kind not in "iu" or not np.any(np.less(x2, 0)):
            return function(x1, x2)
        power = function(x1, np.maximum(x2, np.asarray(0, np.result_type(x1, x2))))
        unit = np.where(np.abs(x1) == 1, np.where(np.asarray(x2) % 2 == 0, 1, x1), 0)
        return np.where(np.less(x2, 0), unit, power).astype(power.dtype)

    return called


def of_weak_scalars(name, function):
    """``where``, which gives two Python scalars the smallest dtype."""

    def called(condition, x1, x2):
        result = function(condition, x1, x2)
        return result if any(hasattr(x, "dtype") for x in (x1, x2)) else result.astype(np.int8)

    return called


def of_signed_positions(position):
    """A function that takes no array of uint64 as the argument at a position."""

    def depart(name, function):
        def called(*args, **kwargs):
            if getattr(args[position], "dtype", None) == np.uint64:
                raise TypeError(f"cupy.{name} cannot cast positions of uint64")
            return function(*args, **kwargs)

        return called

    return depart


def wrapped(positions, length):
    """Positions as CuPy takes them: modulo the length."""
    return np.asarray(positions).astype(np.int64) % max(length, 1)


def taken_modulo(name, function):
    def called(x, indices, *, axis):
        before_, after = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
        if before_ != 1 and np.size(indices) * after >= LARGEST_COUNT:
            raise AssertionError("cupy.take computes positions of 32 bits, which overflow here")
        return function(x, wrapped(indices, x.shape[axis]), axis=axis)

    return called


def taken_along_modulo(name, function):
    function = of_signed_positions(1)(name, function)
    return lambda x, indices, axis: (
        function(x, indices, axis) if indices.dtype == np.uint64 else function(x, wrapped(indices, x.shape[axis]), axis)
    )


# -- creation, views, other dtypes ------------------------------------------------------------------------------------


def of_few_bytes(name, function):
    """``empty`` of a count of bytes that wraps around."""

    def called(shape, dtype):
        size = math.prod(shape) * np.dtype(dtype).itemsize
        return function(shape, dtype=dtype) if size < 2**63 else function((size % 2**63,), dtype=np.uint8)

    return called


def writable_view(name, function):
    """``broadcast_to``, whose result is no read-only array."""

    def called(x, shape):
        view = function(x, shape)
        return np.lib.stride_tricks.as_strided(x, view.shape, view.strides, writeable=True)

    return called


def without_bfloat16(name, function):
    """``tril`` and ``triu``, which compute bfloat16 in float32."""
    return lambda x, k=0: function(x.astype(np.float32) if x.dtype.kind == "V" else x, k)


# -- linear algebra, Fourier transforms -------------------------------------------------------------------------------


def refusing_repeated_axes(name, function):
    def called(x, *, axes, **options):
        if len(set(axes)) != len(axes):
            raise AssertionError(f"cupy.{name} transforms each axis once, and axes are {axes}")
        return function(x, axes=axes, **options)

    return called


def partly_factored(name, function):
    """``cholesky``, which stops at the first pivot that is not positive, without an error."""

    def called(x):
        if not x.size:
            raise RuntimeError("CUSOLVER_STATUS_INVALID_VALUE")
        factor = np.array(x, np.result_type(x, np.float32))
        for matrix in factor.reshape(-1, *x.shape[-2:]):
            for j in range(len(matrix)):
                pivot = matrix[j, j] - np.sum(np.abs(matrix[j, :j]) ** 2)
                matrix[j, j] = pivot
                if not pivot.real > 0:
                    break
                matrix[j, j] = np.sqrt(pivot)
                matrix[j + 1 :, j] -= matrix[j + 1 :, :j] @ matrix[j, :j].conj()
                matrix[j + 1 :, j] /= matrix[j, j]
        return np.tril(factor)

    return called


def solved(a, b):
    """The solution of a system by elimination: infinite or NaN for a singular matrix."""
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return np.full(b.shape, math.inf, np.result_type(a, b, np.float32))


def solving_equal_stacks(name, function):
    def called(a, b):
        if not a.size:
            raise RuntimeError("CUSOLVER_STATUS_INVALID_VALUE")
        if a.shape[:-1] != (b.shape[:-1] if b.ndim > 1 else b.shape[-1:] * (a.ndim == 2)):
            raise ValueError("a must have (..., M, M) shape and b must have (..., M, K)")
        a, b = np.asarray(a), np.asarray(b)
        if b.ndim == 1:
            return solved(a, b[:, None])[:, 0]
        lines = zip(a.reshape(-1, *a.shape[-2:]), b.reshape(-1, *b.shape[-2:]), strict=True)
        return np.stack([solved(left, right) for left, right in lines]).reshape(b.shape)

    return called


def uninitialised_where_singular(name, function):
    """``inv``, which writes no inverse of a singular matrix of a stack."""

    def called(x):
        def inverse(matrix):
            result = solved(matrix, np.eye(len(matrix), dtype=matrix.dtype))
            return np.full(matrix.shape, 12345.0) if x.ndim > 2 and np.isinf(result).all() else result

        if not x.size:
            return function(x)
        result = np.stack([inverse(part) for part in np.asarray(x).reshape(-1, *x.shape[-2:])])
        result = result.reshape(x.shape).view(type(x))
        result.index = x.index
        return result

    return called


DEPARTURES = {
    **dict.fromkeys(("argmax", "argmin", "floor_divide", "max", "min", "nextafter", "remainder"), refusing("f")),
    **dict.fromkeys(("expm1", "log1p", "log2", "logical_not", "rint"), refusing("c")),
    **dict.fromkeys(("all", "any", "count_nonzero", "nonzero", "searchsorted"), flushing),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift", "left_shift", "right_shift"), low_bits),
    **dict.fromkeys(("cumprod", "cumsum"), scanned_by_a_tree),
    **dict.fromkeys(("fft.fftn", "fft.ifftn", "fft.rfftn"), refusing_repeated_axes),
    **dict.fromkeys(("log", "log10"), overflowing_logarithm),
    **dict.fromkeys(("matmul", "tensordot"), half_product),
    **dict.fromkeys(("pow", "power"), powers_of_any_exponent),
    **dict.fromkeys(("std", "var"), half_spread),
    **dict.fromkeys(("tril", "triu"), without_bfloat16),
    "acosh": undefined_where(lambda a, b: np.isnan(b)),
    "argsort": sorting_by_sign,
    "broadcast_to": writable_view,
    "divide": overflowing_quotient,
    "empty": of_few_bytes,
    "fft.irfftn": refusing_all,
    "isin": searching,
    "linalg.cholesky": partly_factored,
    "linalg.inv": uninitialised_where_singular,
    "linalg.solve": solving_equal_stacks,
    "prod": in_reverse_order,
    "reciprocal": overflowing_reciprocal,
    "repeat": of_signed_positions(1),
    "round": refusing("biu"),
    "sign": refusing("bc"),
    "sum": half_sum,
    "take": taken_modulo,
    "take_along_axis": taken_along_modulo,
    "tan": undefined_where(lambda a, b: np.isinf(b)),
    "tanh": undefined_where(lambda a, b: np.isinf(a)),
    "unique": unique_by_sign,
    "where": of_weak_scalars,
}
