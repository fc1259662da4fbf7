"""Elementwise functions where dpnp departs from the standard, from IEEE 754 or from NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dpnp
import dpnp.tensor
import numpy as np

from xtensor.backend import Native, refuse_negative_power

__all__ = ["Elementwise"]

CONTIGUOUS_COMPLEX = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log10"),
    *("sin", "sinh", "sqrt", "tan", "tanh"),
)
"""Functions whose kernels for complex arrays are accurate for contiguous arrays only."""

COMPARISONS = ("equal", "greater", "greater_equal", "less", "less_equal", "not_equal")

FLOATING = ("atan2", "copysign", "heaviside", "hypot", "logaddexp", "nextafter")
"""Functions of integers whose results are numbers of the smallest dtype of floats that has the integers."""

LOGICAL = ("logical_and", "logical_or", "logical_xor")

ROUNDED = {"divide": "biuf", "reciprocal": "f", "sqrt": "biuf"}
"""Operations that IEEE 754 rounds correctly, and the kinds of dtype of their real operands.

oneMKL, which dpnp uses for contiguous arrays, errs by one ulp for one element in some hundreds.
"""


FAR = 127
"""A distance beyond the width of all integer dtypes, which all of them represent."""


class Elementwise:
    """The elementwise functions that are not dpnp's own."""

    def __init__(self) -> None:
        functions = {name: _on_contiguous(getattr(dpnp, name)) for name in CONTIGUOUS_COMPLEX}
        functions |= {name: _beyond_integers(getattr(dpnp, name)) for name in COMPARISONS}
        functions["exp"] = _real_on_real_axis(functions["exp"])
        functions["tan"] = _real_on_real_axis(functions["tan"])
        functions["atan"] = _positive_zero_beside_nan(functions["atan"])
        functions["sqrt"] = _correctly_rounded("sqrt", functions["sqrt"])
        functions["divide"] = _of_floats(_correctly_rounded("divide", _complex_divide), lambda x: x)
        functions["reciprocal"] = _correctly_rounded("reciprocal", _reciprocal)
        functions |= {name: _of_floats(getattr(dpnp, name), _as_floats) for name in FLOATING}
        functions |= {name: _of_truth(getattr(dpnp, name)) for name in LOGICAL}
        vars(self).update(functions)

    @staticmethod
    def bitwise_right_shift(x1: Native | int, x2: Native | int) -> Native:
        if isinstance(x2, int) and x2 < 0 and not isinstance(x1, int) and x1.dtype.kind == "u":
            raise OverflowError(f"Python integer {x2} out of bounds for {x1.dtype}")
        # dpnp shifts negative numbers by a negative distance to 0; NumPy, as by a distance beyond the width, to -1.
        if isinstance(x2, int):
            x2 = x2 if x2 >= 0 else FAR
        elif hasattr(x2, "dtype") and x2.dtype.kind == "i":
            x2 = dpnp.astype(_where(dpnp.less(x2, 0), FAR, x2), x2.dtype, copy=False)
        return dpnp.bitwise_right_shift(x1, x2)

    @staticmethod
    def clip(x: Native, lower: Native | float | None, upper: Native | float | None) -> Native:
        # dpnp casts bounds of another dtype to the array's.
        bounds = (getattr(bound, "dtype", bound) for bound in (lower, upper) if bound is not None)
        return dpnp.clip(x, lower, upper) if np.result_type(x.dtype, *bounds) == x.dtype else NotImplemented

    @staticmethod
    def complex_of(real: Native, imag: Native) -> Native:
        shape = np.broadcast_shapes(real.shape, imag.shape)
        result = dpnp.empty(shape, dtype=np.result_type(real.dtype, np.complex64), sycl_queue=real.sycl_queue)
        result.real, result.imag = real, imag
        return result

    @staticmethod
    def floor_divide(x1: Native | float, x2: Native | float) -> Native:
        # dpnp rounds the quotient of floats before it takes the floor: 1.0 // 0.1 would be 10.
        return NotImplemented if _result_kind(x1, x2) == "f" else dpnp.floor_divide(x1, x2)

    @staticmethod
    def gcd(x1: Native | int, x2: Native | int) -> Native:
        # dpnp raises ValueError for booleans, NumPy TypeError, as the composition does.
        return NotImplemented if _result_kind(x1, x2) == "b" else dpnp.gcd(x1, x2)

    @staticmethod
    def log2(x: Native) -> Native:
        # dpnp's adds 0 instead of 0.5 for subnormal numbers.
        return NotImplemented if x.dtype.kind == "c" else dpnp.log2(x)

    @staticmethod
    def pow(x1: Native | complex, x2: Native | complex) -> Native:
        refuse_negative_power(x1, x2)
        return dpnp.pow(x1, x2)

    @staticmethod
    def rint(x: Native) -> Native:
        # dpnp keeps integers, as the standard's round does.
        return dpnp.rint(x) if x.dtype.kind in "fc" else NotImplemented

    @staticmethod
    def round(x: Native) -> Native:
        return dpnp.round(x) if x.dtype.kind in "fc" else dpnp.astype(x, x.dtype, copy=True)

    @staticmethod
    def sign(x: Native) -> Native:
        # dpnp's quotient x / |x| is NaN where a component is infinite.
        return NotImplemented if x.dtype.kind == "c" else dpnp.sign(x)

    @staticmethod
    def square(x: Native) -> Native:
        # dpnp's square subtracts infinite squares of large components; its product does not.
        return dpnp.multiply(x, x) if x.dtype.kind == "c" else dpnp.square(x)

    @staticmethod
    def where(condition: Native, x1: Native | complex, x2: Native | complex) -> Native:
        return _where(condition, x1, x2)


# -- results of other kernels -----------------------------------------------------------------------------------------


def _correctly_rounded(name: str, otherwise: Callable[..., Native]) -> Callable[..., Native]:
    """A function that computes real operands with dpnp's own kernel and all others with another function."""
    kernel, kinds = getattr(dpnp.tensor, name), ROUNDED[name]

    def computed(*operands: Any) -> Native:
        if _result_kind(*operands) not in kinds:
            return otherwise(*operands)
        return dpnp.asarray(kernel(*(dpnp.get_usm_ndarray(x) if hasattr(x, "dtype") else x for x in operands)))

    return computed


def _beyond_integers(comparison: Callable[..., Native]) -> Callable[..., Native]:
    """A comparison that takes Python integers beyond the array's dtype, as NumPy does; dpnp raises for them."""

    def compared(x1: Any, x2: Any) -> Native:
        for array, scalar in ((x1, x2), (x2, x1)):
            if _is_beyond(array, scalar):
                # Zero and all the array's values are on the same side of the scalar.
                sign, zeros = (1 if scalar > 0 else -1), dpnp.zeros_like(array, dtype=np.int8)
                return comparison(zeros, sign) if array is x1 else comparison(sign, zeros)
        return comparison(x1, x2)

    return compared


def _of_floats(function: Callable[..., Native], converted: Callable[[Native], Native]) -> Callable[..., Native]:
    """A function that takes a Python integer beyond the array's dtype for a float, next to the converted array."""

    def computed(x1: Any, x2: Any) -> Native:
        if _is_beyond(x1, x2):
            return function(converted(x1), float(x2))
        return function(float(x1), converted(x2)) if _is_beyond(x2, x1) else function(x1, x2)

    return computed


def _of_truth(function: Callable[..., Native]) -> Callable[..., Native]:
    """A function that takes a Python integer of int64 beyond the array's dtype for true, as all numbers but 0 are."""

    def computed(x1: Any, x2: Any) -> Native:
        if _is_beyond(x1, x2) and -(2**63) <= x2 < 2**63:
            return function(x1, True)
        return function(True, x2) if _is_beyond(x2, x1) and -(2**63) <= x1 < 2**63 else function(x1, x2)

    return computed


def _on_contiguous(function: Callable[[Native], Native]) -> Callable[[Native], Native]:
    """A function that copies complex operands to contiguous 1-d arrays.

    For other layouts, 0-d arrays included, dpnp computes ``asin(1e6j)`` as infinity and loses the signs of zeros.
    """

    def computed(x: Native) -> Native:
        if x.dtype.kind != "c" or (x.ndim and x.flags.c_contiguous):
            return function(x)
        return dpnp.reshape(function(dpnp.reshape(dpnp.ascontiguousarray(x), (-1,))), x.shape)

    return computed


def _real_on_real_axis(function: Callable[[Native], Native]) -> Callable[[Native], Native]:
    """A function of complex ``a ± 0j`` whose result's imaginary component is ``±0``.

    oneMKL computes ``exp(-1e-300 - 0j)`` as ``1 + 0j`` and ``tan(inf + 0j)`` as ``nan + nan j``.
    """

    def computed(x: Native) -> Native:
        result = function(x)
        if x.dtype.kind == "c":
            b = dpnp.imag(x)
            result.imag = _where(dpnp.equal(b, 0.0), b, dpnp.imag(result))
        return result

    return computed


def _positive_zero_beside_nan(function: Callable[[Native], Native]) -> Callable[[Native], Native]:
    """``atan(±inf + nan j)`` is ``±π/2 + 0j``; oneMKL computes ``±π/2 - 0j``."""

    def computed(x: Native) -> Native:
        result = function(x)
        if x.dtype.kind == "c":
            affected = dpnp.logical_and(dpnp.isinf(dpnp.real(x)), dpnp.isnan(dpnp.imag(x)))
            result.imag = _where(affected, 0.0, dpnp.imag(result))
        return result

    return computed


# -- quotients --------------------------------------------------------------------------------------------------------


def _complex_divide(x1: Native | complex, x2: Native | complex) -> Native:
    """Quotients by dpnp's kernel for contiguous operands of one shape; the one for others overflows in between."""
    arrays: list[Native] = [x for x in (x1, x2) if hasattr(x, "dtype")]
    dtype = np.result_type(*(getattr(x, "dtype", x) for x in (x1, x2)))
    shape, queue = np.broadcast_shapes(*(x.shape for x in arrays)), arrays[0].sycl_queue
    operands = [
        dpnp.ascontiguousarray(dpnp.broadcast_to(dpnp.astype(x, dtype, copy=False), shape))
        if hasattr(x, "dtype")
        else dpnp.full(shape, x, dtype=dtype, sycl_queue=queue)
        for x in (x1, x2)
    ]
    return dpnp.reshape(dpnp.divide(*(dpnp.reshape(x, (-1,)) for x in operands)), shape)


def _reciprocal(x: Native) -> Native:
    return _complex_reciprocal(x) if x.dtype.kind == "c" else _integer_reciprocal(x)


def _complex_reciprocal(x: Native) -> Native:
    """Smith's algorithm (CACM 5, 1962, 435), as in NumPy: ``nan + nan j`` at 0."""
    a, b = dpnp.real(x), dpnp.imag(x)
    swap = dpnp.less(dpnp.abs(a), dpnp.abs(b))
    larger, smaller = _where(swap, b, a), _where(swap, a, b)
    ratio = dpnp.divide(smaller, larger)
    scale = dpnp.add(larger, dpnp.multiply(smaller, ratio))
    real = dpnp.divide(_where(swap, ratio, 1.0), scale)
    imag = dpnp.divide(_where(swap, -1.0, dpnp.negative(ratio)), scale)
    return Elementwise.complex_of(real, imag)


def _integer_reciprocal(x: Native) -> Native:
    """0 but for ±1, where dpnp converts to floats; at 0 it is what NumPy computes on the host's processor."""
    dtype = np.dtype(np.int8) if x.dtype.kind == "b" else x.dtype
    with np.errstate(all="ignore"):
        at_zero = int(np.reciprocal(np.zeros(1, dtype))[0])
    x = dpnp.astype(x, dtype, copy=False)
    result = _where(dpnp.equal(dpnp.abs(x), 1), x, _where(dpnp.equal(x, 0), at_zero, 0))
    return dpnp.astype(result, dtype, copy=False)


# -- operands ---------------------------------------------------------------------------------------------------------


def _is_beyond(array: Any, scalar: Any) -> bool:
    """Whether a scalar is a Python integer that the dtype of an array of integers does not have."""
    if scalar.__class__ is not int or array.dtype.kind not in "iu":
        return False
    limits = np.iinfo(array.dtype)
    return not limits.min <= scalar <= limits.max


def _as_floats(x: Native) -> Native:
    """An array of integers in the smallest dtype of floats that has them, of those that the device has."""
    dtype = np.result_type(x.dtype, np.float16)
    is_supported = dtype.itemsize < 8 or x.sycl_device.has_aspect_fp64
    return dpnp.astype(x, dtype if is_supported else np.float32)


def _result_kind(*operands: Any) -> str:
    return np.result_type(*(getattr(x, "dtype", x) for x in operands)).kind


def _where(condition: Native, x1: Native | complex, x2: Native | complex) -> Native:
    """``dpnp.where``, which reads out of bounds where a stride is negative, on operands without such strides."""
    return dpnp.where(*(_without_negative_strides(operand) for operand in (condition, x1, x2)))


def _without_negative_strides(operand: Native | complex) -> Native | complex:
    if any(stride < 0 for stride in getattr(operand, "strides", ())):
        return dpnp.ascontiguousarray(operand)
    return operand
