"""``__array_function__``: NumPy's functions on Arrays, computed by the namespace on the Array's device or refused.

Requirements: no result is silently a NumPy array; an argument that the namespace's function does not accept raises
TypeError and is never ignored; programs that call no NumPy function on an Array pay no cost, so the dispatch table is
built on the first such call.

Ufuncs (``numpy.add``, ``numpy.exp``, …) do not reach this module: NumPy raises TypeError for them, because
``Array.__array_ufunc__`` is None.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from . import _standard as xp
from . import fft, linalg
from ._beyond import (
    assignment,
    closeness,
    convolution,
    counting,
    einsum,
    gradient,
    matrices,
    nan_reductions,
    padding,
    quantiles,
)
from ._core.array import Array
from ._core.dispatch import common_device, device_of
from ._core.dtypes import kind_of
from ._core.errors import describe

__all__ = ["array_function"]

STANDARD_NAMES = {"a_max": "max", "a_min": "min", "ddof": "correction"}
"""NumPy's parameter names that differ in the standard, with the standard's names."""

BEYOND: tuple[ModuleType, ...] = (
    *(assignment, closeness, convolution, counting, einsum, gradient, matrices, nan_reductions, padding, quantiles),
)
"""Modules of functions beyond the standard that have the names of NumPy's functions."""

HINTS = frozenset(("assume_unique", "kind", "optimize", "overwrite_input", "subok"))
"""Parameters of NumPy's functions that affect the algorithm and not the values; they are ignored."""


def array_function(
    function: Callable[..., Any], types: Iterable[type], args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Implement ``Array.__array_function__``.

    Parameters
    ----------
    function
        NumPy function that was called.
    types
        Types of the arguments that implement ``__array_function__``.
    args, kwargs
        Arguments of the call.

    Returns
    -------
    Any
        Result of the namespace's counterpart; NotImplemented if an argument is an array of another library.

    Raises
    ------
    TypeError
        If the namespace has no counterpart, or the counterpart does not accept an argument of the call.

    Notes
    -----
    NumPy Enhancement Proposal 18.
    """
    if not all(issubclass(kind, (Array, np.ndarray)) for kind in types):
        return NotImplemented
    counterpart = _dispatch_table().get(function)
    if counterpart is None:
        name = _qualified_name(function)
        raise TypeError(
            f"no implementation found for '{name}' on types that implement __array_function__: {name}() has no "
            f"counterpart for xtensor Arrays (device {_device_of_arguments(args, kwargs)}); build it from xtensor "
            "functions, or call it on host values, numpy.asarray(x.to_device('cpu'))"
        )
    return counterpart(*args, **kwargs)


@cache
def _dispatch_table() -> dict[Any, Callable[..., Any]]:
    """Return the counterparts, which take NumPy's arguments, by NumPy function."""
    table: dict[Any, Callable[..., Any]] = {}
    dispatched = type(np.sum)
    for numpy_module, module in ((np.fft, fft), (np.linalg, linalg), *((np, module) for module in (*BEYOND, xp))):
        for name in module.__all__:
            function = getattr(numpy_module, name, None)
            if isinstance(function, dispatched):
                table[function] = _adapt_signature(function, getattr(module, name))
    renamed: dict[str, Callable[..., Any]] = {"amax": xp.max, "amin": xp.min, "cross": linalg.cross}
    for name, counterpart in renamed.items():
        table[getattr(np, name)] = _adapt_signature(getattr(np, name), counterpart)
    for name, counterpart in COUNTERPARTS.items():
        table[getattr(np, name)] = counterpart if name in ("dot", "einsum") else _require_arrays(name, counterpart)
    table[np.linalg.norm] = _require_arrays("linalg.norm", _norm)
    return table


def _require_arrays(name: str, counterpart: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a counterpart so that it raises TypeError unless its first argument is an Array or a sequence of Arrays."""

    def function(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else next(iter(kwargs.values()))
        for x in first if isinstance(first, (tuple, list)) else (first,):
            device_of(x, f"numpy.{name}")
        return counterpart(*args, **kwargs)

    return function


def _adapt_signature(function: Callable[..., Any], counterpart: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of the namespace so that it takes the arguments of a NumPy function."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # before NumPy 2.4, functions implemented in C have no signature
        return counterpart
    parameters = inspect.signature(counterpart).parameters.values()
    leading = [name for name, parameter in signature.parameters.items() if parameter.kind is not parameter.KEYWORD_ONLY]
    by_position = leading[: sum(parameter.kind is parameter.POSITIONAL_ONLY for parameter in parameters)]
    by_name = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    # A parameter of the counterpart keeps its name: nanstd has a ddof of its own.
    renamed = {name: other for name, other in STANDARD_NAMES.items() if name not in by_name}
    accepts_any_keyword = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)

    def adapted(*args: Any, **kwargs: Any) -> Any:
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            parameter = signature.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(value)
            elif parameter.kind is parameter.VAR_KEYWORD:
                named.update(value)
            elif name in by_position:
                positional.append(value)
            elif not _has_no_effect(name, value, parameter.default):
                named[renamed.get(name, name)] = value
        unknown = [] if accepts_any_keyword else [name for name in named if name not in by_name]
        if unknown:
            raise TypeError(
                f"{_qualified_name(function)}() on an xtensor Array does not take {', '.join(unknown)}; "
                f"see help(xtensor.{counterpart.__name__}) for its parameters"
            )
        return counterpart(*positional, **named)

    return adapted


def _has_no_effect(name: str, value: Any, default: Any) -> bool:
    """Tell whether omitting an argument would leave the result unchanged."""
    if value is default or name in HINTS:
        return True
    if name == "order":
        return value in ("C", "K", "A", None)
    return (name == "where" and value is True) or (
        isinstance(value, (bool, int, str)) and type(value) is type(default) and value == default
    )


def _qualified_name(function: Callable[..., Any]) -> str:
    """Return a NumPy function's public name with its module, such as ``numpy.linalg.norm``."""
    return f"{getattr(function, '__module__', 'numpy')}.{getattr(function, '__name__', repr(function))}"


def _device_of_arguments(args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Return the common device of the Arrays among the arguments, including those in sequences."""
    values = [*args, *kwargs.values()]
    return common_device([*values, *(item for value in values if isinstance(value, (list, tuple)) for item in value)])


def _flatten_without_axis(a: Array, axis: int | None) -> tuple[Array, int]:
    """Return the flattened array and axis 0 if the axis is None, else both unchanged."""
    return (xp.reshape(a, (-1,)), 0) if axis is None else (a, axis)


def _argsort(a: Array, axis: int | None = -1, kind: Any = None, order: None = None, *, stable: Any = None) -> Array:
    a, axis = _flatten_without_axis(a, axis)
    return xp.argsort(a, axis=axis)


def _sort(a: Array, axis: int | None = -1, kind: Any = None, order: None = None, *, stable: Any = None) -> Array:
    a, axis = _flatten_without_axis(a, axis)
    return xp.sort(a, axis=axis)


def _round(a: Array, decimals: int = 0) -> Array:
    return a.round(decimals)


def _squeeze(a: Array, axis: Any = None) -> Array:
    return a.squeeze(axis)


def _take(a: Array, indices: Any, axis: int | None = None) -> Array:
    a, axis = _flatten_without_axis(a, axis)
    if isinstance(indices, Array) and indices.ndim == 1:
        return xp.take(a, indices, axis=axis)
    return a[(*(slice(None),) * (axis % max(a.ndim, 1)), indices, ...)]


def _where(condition: Array, x: Any = None, y: Any = None) -> Any:
    return xp.nonzero(condition) if x is None and y is None else xp.where(condition, x, y)


def _unique(
    ar: Array, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False
) -> Array | tuple[Array, ...]:
    if not (return_index or return_inverse or return_counts):
        return xp.unique_values(ar)
    values, index, inverse, counts = xp.unique_all(ar)
    optional = ((return_index, index), (return_inverse, inverse), (return_counts, counts))
    return (values, *(result for requested, result in optional if requested))


def _array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> bool:
    device_of(a2, "numpy.array_equal")
    if a1.shape != a2.shape:
        return False
    equal = a1 == a2
    if equal_nan and kind_of(a1.dtype) in "fc" and kind_of(a2.dtype) in "fc":
        equal = equal | (xp.isnan(a1) & xp.isnan(a2))
    return bool(xp.all(equal))


def _tile(A: Array, reps: Any) -> Array:  # noqa: N803 - NumPy's name
    return xp.tile(A, tuple(reps) if isinstance(reps, (tuple, list)) else (reps,))


def _ptp(a: Array, axis: Any = None, *, keepdims: bool = False) -> Array:
    return xp.subtract(xp.max(a, axis=axis, keepdims=keepdims), xp.min(a, axis=axis, keepdims=keepdims))


def _at_least(ndim: int) -> Callable[..., Any]:
    """Return ``numpy.atleast_1d`` or ``numpy.atleast_2d`` for Arrays: prepend axes of length 1."""

    def function(*arys: Array) -> Any:
        for x in arys:
            device_of(x, "numpy.atleast_1d")
        results = tuple(xp.reshape(x, (*(1,) * (ndim - x.ndim), *x.shape)) for x in arys)
        return results[0] if len(results) == 1 else results

    return function


def _hstack(tup: Sequence[Array]) -> Array:
    arrays = [_at_least(1)(x) for x in tup]
    return xp.concat(arrays, axis=0 if arrays and arrays[0].ndim == 1 else 1)


def _vstack(tup: Sequence[Array]) -> Array:
    return xp.concat([_at_least(2)(x) for x in tup], axis=0)


def _append(arr: Array, values: Array, axis: int | None = None) -> Array:
    return xp.concat((arr, values), axis=axis)


def _diagonal(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    return linalg.diagonal(xp.moveaxis(a, (axis1, axis2), (-2, -1)), offset=offset)


def _trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Array:
    return linalg.trace(xp.moveaxis(a, (axis1, axis2), (-2, -1)), offset=offset, dtype=dtype)


def _outer(a: Array, b: Array) -> Array:
    return linalg.outer(a.ravel(), _flatten_without_axis(b, None)[0])


def _norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """Compute ``numpy.linalg.norm``: a vector norm for one axis, a matrix norm for two; None stands for all axes."""
    if axis is None and ord is None:
        return linalg.vector_norm(x, keepdims=keepdims)
    count = x.ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if count == 1:
        return linalg.vector_norm(x, axis=axis, ord=2 if ord is None else ord, keepdims=keepdims)
    if count != 2:
        raise ValueError(
            f"Improper number of dimensions to norm; numpy.linalg.norm() takes one or two axes, not {count} of shape "
            f"{x.shape}; pass axis"
        )
    matrix_axes = (-2, -1) if axis is None else axis
    x = xp.moveaxis(x, matrix_axes, (-2, -1))
    result = linalg.matrix_norm(x, ord="fro" if ord is None else ord, keepdims=keepdims)
    return xp.moveaxis(result, (-2, -1), matrix_axes) if keepdims else result


def _percentile(quantile: str) -> Callable[..., Array]:
    """Return the percentile function that divides ``q`` by 100 and calls a quantile function."""

    def function(a: Array, q: Any, axis: Any = None, **options: Any) -> Array:
        probabilities = q / 100 if isinstance(q, Array) else (np.asarray(q) / 100).tolist()
        return getattr(quantiles, quantile)(a, probabilities, axis, **options)  # type: ignore[no-any-return]

    return function


def _nan_to_num(x: Array, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    if not copy:
        raise TypeError("numpy.nan_to_num() on an xtensor Array does not write in place; pass copy=True")
    if kind_of(x.dtype) not in "f":
        if x.dtype.kind == "c":
            raise TypeError(
                f"numpy.nan_to_num() on an xtensor Array takes real numbers, not dtype {x.dtype}; call it on "
                "xtensor.real(x) and xtensor.imag(x)"
            )
        return x.copy()
    limits = xp.finfo(x.dtype)
    x = xp.where(xp.isnan(x), nan, x)
    x = xp.where(x == xp.inf, limits.max if posinf is None else posinf, x)
    return xp.where(x == -xp.inf, limits.min if neginf is None else neginf, x)


def _format_host_values(formatter: Callable[..., str]) -> Callable[..., str]:
    """Apply one of NumPy's formatters to the values copied to the host, as ``repr`` does."""
    return lambda a, *args, **kwargs: formatter(a._device._library.to_host(a._native), *args, **kwargs)


def _size(a: Array, axis: Any = None) -> int:
    if axis is None:
        return a.size
    size = 1
    for i in axis if isinstance(axis, tuple) else (axis,):
        size *= a.shape[i]
    return size


def _copy(a: Array, order: str = "K", subok: bool = False) -> Array:
    if order not in ("K", "C", "A"):
        raise TypeError(f"numpy.copy() on an xtensor Array does not take order {describe(order)}; omit it")
    return a.copy()


def _ravel(a: Array, order: str = "C") -> Array:
    if order not in ("C", "K", "A"):
        raise TypeError(
            f"numpy.ravel() on an xtensor Array flattens in row-major order, not order {describe(order)}; transpose it "
            "first for column-major order"
        )
    return a.ravel()


COUNTERPARTS: dict[str, Callable[..., Any]] = {
    "append": _append,
    "argsort": _argsort,
    "argwhere": lambda a: xp.stack(xp.nonzero(a), axis=1),
    "array2string": _format_host_values(np.array2string),
    "array_equal": _array_equal,
    "array_repr": _format_host_values(np.array_repr),
    "array_str": _format_host_values(np.array_str),
    "around": _round,
    "atleast_1d": _at_least(1),
    "atleast_2d": _at_least(2),
    "copy": _copy,
    "diagonal": _diagonal,
    "dot": lambda a, b: a.dot(b) if isinstance(a, Array) else xp.multiply(a, b),
    "einsum": lambda *operands, optimize=False: einsum.einsum(*operands, optimize=optimize),
    "flatnonzero": lambda a: xp.nonzero(a.ravel())[0],
    "fliplr": lambda m: xp.flip(m, axis=1),
    "flipud": lambda m: xp.flip(m, axis=0),
    "hstack": _hstack,
    "iscomplexobj": lambda x: x.dtype.kind == "c",
    "isrealobj": lambda x: x.dtype.kind != "c",
    "nan_to_num": _nan_to_num,
    "nanpercentile": _percentile("nanquantile"),
    "ndim": lambda a: a.ndim,
    "outer": _outer,
    "percentile": _percentile("quantile"),
    "ptp": _ptp,
    "ravel": _ravel,
    "round": _round,
    "shape": lambda a: a.shape,
    "size": _size,
    "sort": _sort,
    "squeeze": _squeeze,
    "swapaxes": lambda a, axis1, axis2: a.swapaxes(axis1, axis2),
    "take": _take,
    "tile": _tile,
    "trace": _trace,
    "transpose": lambda a, axes=None: matrices.transpose(a, axes),
    "unique": _unique,
    "vdot": lambda a, b: xp.vecdot(a.ravel(), _flatten_without_axis(b, None)[0]),
    "vstack": _vstack,
    "where": _where,
}
"""Counterparts of NumPy functions that differ from the namespace's in name or parameters, by NumPy's name."""
