"""JAX's functions in the standard's names and signatures, with NumPy's promotion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from xtensor.backend import (
    DType,
    arange_terms,
    float_floor_divide,
    float_remainder,
    integer_floor_divide,
    integer_remainder,
    is_narrow,
    refuse_negative_power,
    shift,
    variance,
    with_initial,
)

from ._operands import OPERANDS, Array, cast, number, with_x64, with_x64_unless_single

__all__ = ["namespace"]

Function = Callable[..., Any]
Axes = int | tuple[int, ...] | None

INVERSE = ("asin", "acos", "atan", "asinh", "acosh", "atanh")

FLOATING = ("sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh")

COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")

PROMOTING = ("add", "subtract", "multiply", "bitwise_and", "bitwise_or", "bitwise_xor")


IN_SINGLE = (*FLOATING, *INVERSE, "add", "subtract", "multiply", "max", "min", "prod", "sum")
"""Functions that compute arrays of float32 without a type of 64 bits."""


def namespace(device: Any) -> SimpleNamespace:
    """Return the functions on arrays of a device."""
    functions: dict[str, Function] = {
        **{name: _floating(getattr(jnp, name)) for name in FLOATING},
        **{name: _floating(_inverse(getattr(jnp, name))) for name in INVERSE},
        **{name: _promoting(getattr(jnp, name)) for name in PROMOTING},
        **{name: _floating_binary(getattr(jnp, name)) for name in ("copysign", "nextafter")},
        **{name: _comparison(getattr(jnp, name)) for name in COMPARISONS},
        **{name: getattr(jnp, name) for name in ("abs", "imag", "real", "broadcast_to", "nonzero")},
        "arange": partial(_arange, device),
        "argsort": _argsort,
        "astype": _astype,
        "atan2": _floating_binary(jnp.atan2),
        "bitwise_invert": jnp.bitwise_not,
        "bitwise_left_shift": _shift(jnp.left_shift, left=True),
        "bitwise_right_shift": _shift(jnp.right_shift, left=False),
        "complex_of": _complex_of,
        "concat": _concat,
        "cumulative_prod": _scan(jnp.cumprod, 1),
        "cumulative_sum": _scan(jnp.cumsum, 0),
        "divide": _divide,
        "floor": _rounding(jnp.floor, "floor"),
        "floor_divide": _floor_divide,
        "full": partial(_full, device),
        "matmul": _matmul,
        "max": _extreme(jnp.max),
        "min": _extreme(jnp.min),
        "negative": _negative,
        "permute_dims": jnp.transpose,
        "pow": _pow,
        "prod": _reduction(jnp.prod),
        "remainder": _remainder,
        "reshape": _reshape,
        "round": _rounding(jnp.round, "round"),
        "searchsorted": _searchsorted,
        "sum": _reduction(jnp.sum),
        "var": _var,
        "std": _std,
        "mean": _mean,
        "where": _where,
    }
    linalg: dict[str, Function] = {
        "cholesky": lambda x, *, upper=False: jnp.linalg.cholesky(OPERANDS.in_double(x), upper=upper),
        "eig": lambda x: tuple(jnp.linalg.eig(OPERANDS.in_double(x))),
        "eigh": lambda x: tuple(jnp.linalg.eigh(OPERANDS.in_double(x))),
        "qr": lambda x, *, mode="reduced": tuple(jnp.linalg.qr(OPERANDS.in_double(x), mode=mode)),
        "slogdet": lambda x: tuple(jnp.linalg.slogdet(OPERANDS.in_double(x))),
        "solve": lambda x1, x2: jnp.linalg.solve(*map(OPERANDS.in_double, OPERANDS.promoted(x1, x2))),
        "svd": lambda x, *, full_matrices=True: tuple(
            jnp.linalg.svd(OPERANDS.in_double(x), full_matrices=full_matrices)
        ),
        "vector_norm": _vector_norm,
    }
    fft = {name: _transform(getattr(jnp.fft, name)) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")}
    single = {name: with_x64_unless_single(functions[name]) for name in IN_SINGLE}
    return SimpleNamespace(**{**_all_with_x64(functions), **single}, linalg=_chapter(linalg), fft=_chapter(fft))


def _all_with_x64(functions: dict[str, Function]) -> dict[str, Function]:
    return {name: with_x64(function) for name, function in functions.items()}


def _chapter(functions: dict[str, Function]) -> SimpleNamespace:
    return SimpleNamespace(**_all_with_x64(functions))


# -- elementwise ------------------------------------------------------------------------------------------------------


def _promoting(function: Function) -> Function:
    compiled = jax.jit(function)  # jax.numpy's own functions of two operands run more Python for each call
    return lambda x1, x2: compiled(*OPERANDS.promoted(x1, x2))


def _floating(function: Function) -> Function:
    return jax.jit(lambda x: function(OPERANDS.as_floating(x)))  # type: ignore[no-any-return]


def _inverse(function: Function) -> Function:
    """Return a function that is NaN of complex numbers with a component that is NaN and one that is finite and not 0.

    XLA computes a component of some from the finite one alone.
    """

    def computed(x: Array) -> Array:
        result = function(x)
        if result.dtype.kind != "c":
            return result
        parts = jnp.real(x), jnp.imag(x)
        unknown = jnp.isnan(parts[0]) | jnp.isnan(parts[1])
        for part in parts:
            unknown &= jnp.isnan(part) | (jnp.isfinite(part) & (part != 0))
        return jnp.where(unknown, jnp.asarray(complex(jnp.nan, jnp.nan), result.dtype), result)

    return computed


def _floating_binary(function: Function) -> Function:
    return lambda x1, x2: function(*OPERANDS.floats(x1, x2))


def _comparison(function: Function) -> Function:
    compiled = jax.jit(function)
    return lambda x1, x2: compiled(*OPERANDS.comparable(jnp, x1, x2))


def _divide(x1: Any, x2: Any) -> Array:
    x1, x2 = OPERANDS.quotients(x1, x2)
    return (jnp.true_divide if x1.shape == x2.shape else _divide_by_broadcast)(x1, x2)


def _divide_broadcast(x1: Array, x2: Array) -> Array:
    # XLA multiplies by the reciprocal of a divisor that it broadcasts: one that is subnormal is 0, others round twice.
    return jnp.true_divide(*jax.lax.optimization_barrier(jnp.broadcast_arrays(x1, x2)))


_divide_by_broadcast: Function = jax.jit(_divide_broadcast)


def _floor_divide_by_broadcast(x1: Array, x2: Array) -> Array:
    return jnp.floor_divide(*jnp.broadcast_arrays(x1, x2))


def _floor_divide(x1: Any, x2: Any) -> Array:
    x1, x2 = OPERANDS.numbers(x1, x2)
    if is_narrow(x1.dtype):  # the quotient before its floor is not rounded to 16 bits
        return _floor_divide(x1.astype(np.float32), x2.astype(np.float32)).astype(x1.dtype)
    if x1.dtype.kind in "fV":
        return float_floor_divide(jnp, _floor_divide_by_broadcast, x1, x2)
    return integer_floor_divide(jnp, jnp.floor_divide, x1, x2)


def _remainder(x1: Any, x2: Any) -> Array:
    x1, x2 = OPERANDS.numbers(x1, x2)
    if x1.dtype.kind in "fV":
        return float_remainder(jnp, x1, x2)
    return integer_remainder(jnp, jnp.remainder, x1, x2)


def _pow(x1: Any, x2: Any) -> Array:
    refuse_negative_power(x1, x2)
    return jnp.power(*OPERANDS.numbers(x1, x2))


def _shift(raw: Function, *, left: bool) -> Function:
    def computed(x1: Any, x2: Any) -> Array:
        x1, x2 = OPERANDS.numbers(x1, x2)
        if x1.dtype.kind not in "iu":
            raise TypeError(f"shifts take integers, not the promoted dtype {x1.dtype}")
        return shift(jnp, raw, x1, x2, x1.dtype.itemsize * 8, keeps_sign=not left and x1.dtype.kind == "i")

    return computed


def _negative(x: Array) -> Array:
    if x.dtype.kind == "b":
        raise TypeError("negative takes no bool array; use logical_not")
    return jnp.negative(x)


def _rounding(function: Function, name: str) -> Function:
    def computed(x: Array) -> Array:
        if x.dtype.kind == "c" and name == "floor":
            raise TypeError("floor takes no complex numbers")
        return function(x) if x.dtype.kind in "fcV" else jnp.array(x, copy=True)

    return computed


def _astype(x: Array, dtype: DType, *, copy: bool = True) -> Array:
    if x.dtype == dtype:
        return jnp.array(x, copy=True) if copy else x
    return cast(x, dtype)


def _complex_of(real: Array, imag: Array) -> Array:
    dtype = np.dtype(np.float64 if np.float64 in (real.dtype, imag.dtype) else np.float32)
    return jax.lax.complex(*jnp.broadcast_arrays(cast(real, dtype), cast(imag, dtype)))


def _where(condition: Array, x1: Any, x2: Any) -> Array:
    if not hasattr(x1, "dtype") and not hasattr(x2, "dtype"):
        x1 = jnp.asarray(x1)
    return jnp.where(cast(condition, np.dtype(bool)), *OPERANDS.promoted(x1, x2))


# -- creation and manipulation ----------------------------------------------------------------------------------------


def _full(device: Any, shape: tuple[int, ...], fill_value: Any, *, dtype: DType) -> Array:
    value = cast(fill_value, dtype) if hasattr(fill_value, "dtype") else number(fill_value, dtype)
    return jnp.full(shape, value, dtype=dtype, device=device)


def _arange(device: Any, start: Any, stop: Any, step: Any, *, dtype: DType) -> Array:
    length, first, stride = arange_terms(start, stop, step, dtype.kind)
    if dtype.kind in "biu":
        return cast(jnp.arange(length, dtype=np.int64, device=device) * stride + first, dtype)
    result = jnp.arange(length, dtype=np.float64, device=device) * stride + first
    return cast(result.at[:1].set(first) if length else result, dtype)  # the sign of a zero


def _reshape(x: Array, shape: tuple[int, ...], *, copy: bool | None = None) -> Array:
    if copy is False and x.shape != tuple(shape):
        raise ValueError("a copy is needed, which copy=False forbids")
    return jnp.array(jnp.reshape(x, shape), copy=True) if copy else jnp.reshape(x, shape)


def _concat(arrays: Sequence[Array], *, axis: int | None) -> Array:
    arrays = OPERANDS.several(arrays)
    if axis is None:
        arrays, axis = [x.reshape(-1) for x in arrays], 0
    return jnp.concatenate(arrays, axis)


# -- reductions, scans, searching -------------------------------------------------------------------------------------


def _reduction(function: Function) -> Function:
    def reduced(x: Array, *, axis: Axes = None, dtype: DType | None = None, keepdims: bool = False) -> Array:
        dtype = OPERANDS.accumulated(x.dtype) if dtype is None else dtype
        work = _wide(dtype)
        return cast(function(cast(x, work), axis=axis, dtype=work, keepdims=keepdims), dtype)

    # jax.numpy's own reductions read their options in Python for each call.
    return jax.jit(reduced, static_argnames=("axis", "dtype", "keepdims"))  # type: ignore[no-any-return]


def _wide(dtype: DType) -> DType:
    """Return the dtype in which elements are added up or multiplied: float32 for narrow ones, rounded once."""
    return np.dtype(np.float32) if is_narrow(dtype) else dtype


def _extreme(function: Function) -> Function:
    return lambda x, *, axis=None, keepdims=False: function(x, axis=axis, keepdims=keepdims)


def _mean(x: Array, *, axis: Axes = None, keepdims: bool = False) -> Array:
    return jnp.mean(x if x.dtype.kind in "fcV" else x.astype(np.float64), axis=axis, keepdims=keepdims)


def _var(x: Array, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    x = x if x.dtype.kind in "fcV" else x.astype(np.float64)
    return variance(jnp, x, axis=axis, correction=correction, keepdims=keepdims, is_complex=x.dtype.kind == "c")


def _std(x: Array, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    return jnp.sqrt(_var(x, axis=axis, correction=correction, keepdims=keepdims))


def _scan(function: Function, first: int) -> Function:
    def computed(x: Array, *, axis: int, dtype: DType | None = None, include_initial: bool = False) -> Array:
        dtype = OPERANDS.accumulated(x.dtype) if dtype is None else dtype
        work = _wide(dtype)
        result = cast(function(cast(x, work), axis=axis, dtype=work), dtype)
        if not include_initial:
            return result
        return with_initial(jnp.concatenate, partial(jnp.full, dtype=dtype), result, axis % x.ndim, first)

    return computed


def _argsort(x: Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    if not descending:
        return jnp.argsort(x, axis=axis, stable=True).astype(np.int64)
    order = jnp.argsort(jnp.flip(x, axis=axis), axis=axis, stable=True)
    return jnp.flip(x.shape[axis] - 1 - order, axis=axis).astype(np.int64)


def _searchsorted(x1: Array, x2: Any, *, side: str = "left", sorter: Array | None = None) -> Array:
    x1, x2 = OPERANDS.promoted(x1, x2)
    return jnp.searchsorted(x1, x2, side=side, sorter=sorter).astype(np.int64)


# -- linear algebra and Fourier transforms ----------------------------------------------------------------------------


def _matmul(x1: Array, x2: Array) -> Array:
    # Of full precision on TPUs and GPUs, too.
    return jnp.matmul(*OPERANDS.promoted(x1, x2), precision="highest")


def _vector_norm(x: Array, *, axis: Axes = None, keepdims: bool = False, ord: Any = 2) -> Array:
    x = OPERANDS.in_double(x)
    if not x.size and ord == np.inf:
        ord = 2  # the norm of nothing is 0, which a maximum is not
    return jnp.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)


def _transform(function: Function) -> Function:
    return lambda x, *, n, axis, norm: function(OPERANDS.in_double(x), n=n, axis=axis, norm=norm)
