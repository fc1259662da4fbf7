"""NumPy's functions called on an Array: answered by the namespace on the Array's device, or refused.

Requirements: nothing comes back as a NumPy array unasked; an argument that ours does not take is an error, never
dropped; a program that calls none of NumPy's functions on an Array pays nothing, so the table is made at the first one.

Ufuncs (``numpy.add``, ``numpy.exp``, …) do not come here: NumPy itself refuses them, as ``__array_ufunc__`` is None.
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

RENAMED = {"a_max": "max", "a_min": "min", "ddof": "correction"}
"""NumPy's names of parameters that the standard calls otherwise."""

BEYOND: tuple[ModuleType, ...] = (
    *(assignment, closeness, convolution, counting, einsum, gradient, matrices, nan_reductions, padding, quantiles),
)
"""The modules of functions beyond the standard that have NumPy's names."""

HINTS = frozenset(("assume_unique", "kind", "optimize", "overwrite_input", "subok"))
"""Parameters of NumPy's functions that change how a result is found, and not the result."""


def array_function(
    function: Callable[..., Any], types: Iterable[type], args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """What ``__array_function__`` answers for one of NumPy's functions.

    Parameters
    ----------
    function
        The function that was called.
    types
        The classes of its arguments that have a say.
    args, kwargs
        Its arguments.

    Returns
    -------
    Any
        What the namespace's function of that name gives; NotImplemented where another library's array is among the
        arguments.

    Raises
    ------
    TypeError
        If the namespace has no such function, or the function does not take an argument that was given.

    Notes
    -----
    NumPy Enhancement Proposal 18.
    """
    if not all(issubclass(kind, (Array, np.ndarray)) for kind in types):
        return NotImplemented
    ours = _table().get(function)
    if ours is None:
        raise TypeError(
            f"{_name(function)}() has no counterpart on an xtensor Array (device {_device(args, kwargs)}); "
            "compose it of xtensor's functions, or call it on the values on the host, "
            "numpy.asarray(x.to_device('cpu'))"
        )
    return ours(*args, **kwargs)


@cache
def _table() -> dict[Any, Callable[..., Any]]:
    """From each of NumPy's functions that has a counterpart to that counterpart, in NumPy's signature."""
    table: dict[Any, Callable[..., Any]] = {}
    dispatched = type(np.sum)
    for theirs, ours in ((np.fft, fft), (np.linalg, linalg), *((np, module) for module in (*BEYOND, xp))):
        for name in ours.__all__:
            function = getattr(theirs, name, None)
            if isinstance(function, dispatched):
                table[function] = _translated(function, getattr(ours, name))
    others: dict[str, Callable[..., Any]] = {"amax": xp.max, "amin": xp.min, "cross": linalg.cross}
    for name, counterpart in others.items():
        table[getattr(np, name)] = _translated(getattr(np, name), counterpart)
    for name, counterpart in COUNTERPARTS.items():
        table[getattr(np, name)] = counterpart if name in ("dot", "einsum") else _of_arrays(name, counterpart)
    table[np.linalg.norm] = _of_arrays("linalg.norm", _norm)
    return table


def _of_arrays(name: str, counterpart: Callable[..., Any]) -> Callable[..., Any]:
    """A counterpart that refuses anything but an Array, or a sequence of them, as its first argument."""

    def function(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else next(iter(kwargs.values()))
        for x in first if isinstance(first, (tuple, list)) else (first,):
            device_of(x, f"numpy.{name}")
        return counterpart(*args, **kwargs)

    return function


def _translated(function: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    """Our function, called with the arguments of NumPy's."""
    try:
        theirs = inspect.signature(function)
    except ValueError:  # before NumPy 2.4, those written in C have none
        return ours
    parameters = inspect.signature(ours).parameters.values()
    leading = [name for name, parameter in theirs.parameters.items() if parameter.kind is not parameter.KEYWORD_ONLY]
    by_position = leading[: sum(parameter.kind is parameter.POSITIONAL_ONLY for parameter in parameters)]
    by_name = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    # A name that is ours as well, such as nanstd's ddof, is not another's.
    renamed = {name: other for name, other in RENAMED.items() if name not in by_name}
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)

    def translate(*args: Any, **kwargs: Any) -> Any:
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for name, value in theirs.bind(*args, **kwargs).arguments.items():
            parameter = theirs.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(value)
            elif parameter.kind is parameter.VAR_KEYWORD:
                named.update(value)
            elif name in by_position:
                positional.append(value)
            elif not _neutral(name, value, parameter.default):
                named[renamed.get(name, name)] = value
        unknown = [] if open_ended else [name for name in named if name not in by_name]
        if unknown:
            raise TypeError(
                f"{_name(function)}() on an xtensor Array does not take {', '.join(unknown)}; "
                f"see help(xtensor.{ours.__name__}) for what it takes"
            )
        return ours(*positional, **named)

    return translate


def _neutral(name: str, value: Any, default: Any) -> bool:
    """Whether an argument says what would be done without it."""
    if value is default or name in HINTS:
        return True
    if name == "order":
        return value in ("C", "K", "A", None)
    return (name == "where" and value is True) or (
        isinstance(value, (bool, int, str)) and type(value) is type(default) and value == default
    )


def _name(function: Callable[..., Any]) -> str:
    """A function of NumPy's as a person writes it."""
    return f"{getattr(function, '__module__', 'numpy')}.{getattr(function, '__name__', repr(function))}"


def _device(args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The device of the Arrays among some arguments, also in sequences."""
    values = [*args, *kwargs.values()]
    return common_device([*values, *(item for value in values if isinstance(value, (list, tuple)) for item in value)])


def _flat(a: Array, axis: int | None) -> tuple[Array, int]:
    return (xp.reshape(a, (-1,)), 0) if axis is None else (a, axis)


def _argsort(a: Array, axis: int | None = -1, kind: Any = None, order: None = None, *, stable: Any = None) -> Array:
    a, axis = _flat(a, axis)
    return xp.argsort(a, axis=axis)


def _sort(a: Array, axis: int | None = -1, kind: Any = None, order: None = None, *, stable: Any = None) -> Array:
    a, axis = _flat(a, axis)
    return xp.sort(a, axis=axis)


def _round(a: Array, decimals: int = 0) -> Array:
    return a.round(decimals)


def _squeeze(a: Array, axis: Any = None) -> Array:
    return a.squeeze(axis)


def _take(a: Array, indices: Any, axis: int | None = None) -> Array:
    a, axis = _flat(a, axis)
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
    chosen = ((return_index, index), (return_inverse, inverse), (return_counts, counts))
    return (values, *(found for wanted, found in chosen if wanted))


def _array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> bool:
    device_of(a2, "numpy.array_equal")
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    if equal_nan and kind_of(a1.dtype) in "fc" and kind_of(a2.dtype) in "fc":
        same = same | (xp.isnan(a1) & xp.isnan(a2))
    return bool(xp.all(same))


def _tile(A: Array, reps: Any) -> Array:  # noqa: N803 - NumPy's name
    return xp.tile(A, tuple(reps) if isinstance(reps, (tuple, list)) else (reps,))


def _ptp(a: Array, axis: Any = None, *, keepdims: bool = False) -> Array:
    return xp.subtract(xp.max(a, axis=axis, keepdims=keepdims), xp.min(a, axis=axis, keepdims=keepdims))


def _at_least(ndim: int) -> Callable[..., Any]:
    """NumPy's ``atleast_1d`` or ``atleast_2d``: axes of length 1 are put before the others."""

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
    return linalg.outer(a.ravel(), _flat(b, None)[0])


def _norm(x: Array, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """``numpy.linalg.norm``: of a vector or a matrix, whichever the axes, or else the dimensions, make of it."""
    if axis is None and ord is None:
        return linalg.vector_norm(x, keepdims=keepdims)
    count = x.ndim if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if count == 1:
        return linalg.vector_norm(x, axis=axis, ord=2 if ord is None else ord, keepdims=keepdims)
    if count != 2:
        raise ValueError(f"numpy.linalg.norm() is of one axis or two, not {count} of shape {x.shape}; give axis")
    chosen = (-2, -1) if axis is None else axis
    x = xp.moveaxis(x, chosen, (-2, -1))
    result = linalg.matrix_norm(x, ord="fro" if ord is None else ord, keepdims=keepdims)
    return xp.moveaxis(result, (-2, -1), chosen) if keepdims else result


def _percentile(quantile: str) -> Callable[..., Array]:
    """A function of percentiles, by that of quantiles."""

    def function(a: Array, q: Any, axis: Any = None, **options: Any) -> Array:
        parts = q / 100 if isinstance(q, Array) else (np.asarray(q) / 100).tolist()
        return getattr(quantiles, quantile)(a, parts, axis, **options)  # type: ignore[no-any-return]

    return function


def _nan_to_num(x: Array, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    if not copy:
        raise TypeError("numpy.nan_to_num() on an xtensor Array does not write to it; leave copy=True")
    if kind_of(x.dtype) not in "f":
        if x.dtype.kind == "c":
            raise TypeError(f"numpy.nan_to_num() on an xtensor Array takes real numbers, not {x.dtype}")
        return x.copy()
    limits = xp.finfo(x.dtype)
    x = xp.where(xp.isnan(x), nan, x)
    x = xp.where(x == xp.inf, limits.max if posinf is None else posinf, x)
    return xp.where(x == -xp.inf, limits.min if neginf is None else neginf, x)


def _text(show: Callable[..., str]) -> Callable[..., str]:
    """A function that makes text: of the values, wherever they are, as ``repr`` does."""
    return lambda a, *args, **kwargs: show(a._device._library.to_host(a._native), *args, **kwargs)


def _size(a: Array, axis: Any = None) -> int:
    if axis is None:
        return a.size
    size = 1
    for i in axis if isinstance(axis, tuple) else (axis,):
        size *= a.shape[i]
    return size


def _copy(a: Array, order: str = "K", subok: bool = False) -> Array:
    if order not in ("K", "C", "A"):
        raise TypeError(f"numpy.copy() on an xtensor Array does not take order {describe(order)}")
    return a.copy()


def _ravel(a: Array, order: str = "C") -> Array:
    if order not in ("C", "K", "A"):
        raise TypeError(f"numpy.ravel() on an xtensor Array goes in row-major order, not {describe(order)}")
    return a.ravel()


COUNTERPARTS: dict[str, Callable[..., Any]] = {
    "append": _append,
    "argsort": _argsort,
    "argwhere": lambda a: xp.stack(xp.nonzero(a), axis=1),
    "array2string": _text(np.array2string),
    "array_equal": _array_equal,
    "array_repr": _text(np.array_repr),
    "array_str": _text(np.array_str),
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
    "vdot": lambda a, b: xp.vecdot(a.ravel(), _flat(b, None)[0]),
    "vstack": _vstack,
    "where": _where,
}
"""NumPy's functions that do not agree with one of ours in name and arguments; keyed by their names there."""
