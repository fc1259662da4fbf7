"""The standard's functions with NumPy's signatures, where these differ by more than names and options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis, check_casting, check_dtype, check_integer, check_order, check_word, is_word
from .._core.dtypes import Casting, can_cast
from .._core.errors import describe, shortened
from .._core.tracer import at_caller
from .._core.tracing_errors import UnknownValueError
from .._ops import _casts
from .._ops._arguments import as_arrays, as_operand, on_device, shared_device, store
from .._ops._conversions import check_mode, sequence, within
from .._ops.einsums import only_relabels
from . import reductions
from .creation import full_like, like_of
from .host import call_on_host, device_of_arguments
from .reductions import NO_VALUE
from .rounding import rounded

__all__ = ["SIGNATURES"]

Function = Callable[..., Any]


def _flattened(a: Array, axis: int | None) -> tuple[Array, int]:
    """Return the flattened array and axis 0 if the axis is None, else both unchanged."""
    return (xp.reshape(a, (-1,)), 0) if axis is None else (a, axis)


def argsort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    _check_sort("argsort", kind, order, stable)
    (a,) = as_arrays("argsort", a)
    a, axis = _flattened(a if a.ndim else xp.reshape(a, (1,)), axis)
    return _casts.argsort(a, axis)


def sort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    _check_sort("sort", kind, order, stable)
    (a,) = as_arrays("sort", a)
    a, axis = _flattened(a, axis)
    return _casts.sort(a, axis)


def _check_sort(name: str, kind: Any, order: Any, stable: Any) -> None:
    """Check NumPy's arguments that name an algorithm, which do not change the result: every sort is stable."""
    if kind is not None and stable is not None:
        raise ValueError(
            "`kind` and keyword parameters can't be provided at the same time. Use only one of them; "
            f"{name}() received kind={describe(kind)} and stable={describe(stable)}"
        )
    if kind is not None and not isinstance(kind, str):
        raise TypeError(f"sort kind must be str, not {type(kind).__name__}; omit kind in {name}()")
    if kind is not None and kind[:1].lower() not in ("q", "h", "m", "s"):
        raise ValueError(
            f"sort kind must be one of 'quick', 'heap', or 'stable' (got {shortened(kind)}); omit kind in {name}()"
        )
    if order is not None:
        raise ValueError(
            f"Cannot specify order when the array has no fields; {name}() of an Array takes order=None, not "
            f"{describe(order)}"
        )


def round(a: Any, decimals: int = 0, out: Array | None = None) -> Array:
    x: Array = as_arrays("round", a)[0]
    return store("round", rounded(x, decimals), out)


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Array:
    arr, indices = as_arrays("take_along_axis", arr, indices)
    if indices.dtype.kind not in "iu":
        raise IndexError(
            f"`indices` must be an integer array; take_along_axis() received dtype {indices.dtype}, cast with "
            "xtensor.astype"
        )
    if axis is None and indices.ndim != 1:
        raise ValueError(
            "when axis=None, `indices` must have a single dimension.; take_along_axis() received indices of shape "
            f"{indices.shape}"
        )
    arr, axis = _flattened(arr, axis)
    return xp.take_along_axis(arr, indices, axis=axis)


def real(val: Any) -> Array:
    """Return the real components: the array itself for a real dtype; NumPy, ``real``."""
    x: Array = as_arrays("real", val)[0]
    return x.real


def squeeze(a: Any, axis: Any = None) -> Array:
    x: Array = as_arrays("squeeze", a)[0]
    return x.squeeze(axis)


def take(a: Any, indices: Any, axis: int | None = None, out: Array | None = None, mode: str = "raise") -> Array:
    a, indices = as_arrays("take", a, indices)
    a, axis = _flattened(a if a.ndim else xp.reshape(a, (1,)), axis)
    axis = check_axis(axis, a.ndim, "take")
    if indices.dtype.kind not in "iu":
        if indices.size:
            raise TypeError(
                f"Cannot cast array data from {indices.dtype!r} to dtype('int64') according to the rule 'safe'; take() "
                "takes integers as indices"
            )
        indices = xp.astype(indices, a.device.default_dtypes["indexing"])
    check_mode(mode, "take")
    selected = xp.take(a, xp.reshape(within(indices, a.shape[axis], mode), (-1,)), axis=axis)
    return store("take", xp.reshape(selected, (*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :])), out)


def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given; pass both to where()")
    device = shared_device("where", condition, x, y)
    condition = xp.astype(on_device("where", condition, device), np.bool_, copy=False)
    return xp.where(condition, as_operand("where", x, device), as_operand("where", y, device))


def nonzero(a: Any) -> tuple[Array, ...]:
    (a,) = as_arrays("nonzero", a)
    return xp.nonzero(a)


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
    a, v = as_arrays("searchsorted", a, v)
    if sorter is not None:
        (sorter,) = as_arrays("searchsorted", a, sorter)[1:]
    if not is_word(side, ("left", "right")):
        raise ValueError(f"search side must be 'left' or 'right' (got {shortened(side)}); pass one to searchsorted()")
    common = np.result_type(a.dtype, v.dtype)
    a, v = xp.astype(a, common, copy=False), xp.astype(v, common, copy=False)
    positions = xp.searchsorted(a, xp.reshape(v, (-1,)), side=side, sorter=sorter)  # type: ignore[arg-type]
    return xp.reshape(positions, v.shape)


def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Array:
    if kind is not None and not is_word(kind, ("sort", "table")):
        raise ValueError(
            f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.; isin() gives one result for all kinds"
        )
    element, test_elements = as_arrays("isin", element, test_elements)
    common = np.result_type(element.dtype, test_elements.dtype)
    return xp.isin(
        xp.astype(element, common, copy=False), xp.astype(test_elements, common, copy=False), invert=bool(invert)
    )


def clip(a: Any, a_min: Any = NO_VALUE, a_max: Any = NO_VALUE, out: Array | None = None, **options: Any) -> Array:
    if (a_min is NO_VALUE) is not (a_max is NO_VALUE):
        missing = "a_min" if a_min is NO_VALUE else "a_max"
        raise TypeError(f"clip() missing 1 required positional argument: '{missing}'; pass None for no bound")
    if a_min is NO_VALUE:
        a_min = a_max = None
    elif "min" in options or "max" in options:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.; pass one "
            "pair of bounds to clip()"
        )
    minimum, maximum = options.pop("min", a_min), options.pop("max", a_max)
    if options:
        return np.clip._implementation(a, minimum, maximum, out, **options)  # type: ignore[attr-defined,no-any-return]
    (a,) = as_arrays("clip", a)
    minimum, maximum = (None if bound is None else as_operand("clip", bound, a.device) for bound in (minimum, maximum))
    shape = np.broadcast_shapes(a.shape, getattr(minimum, "shape", ()), getattr(maximum, "shape", ()))
    return store("clip", xp.clip(xp.broadcast_to(a, shape) if shape != a.shape else a, minimum, maximum), out)


def tile(A: Any, reps: Any) -> Array:  # noqa: N803 - NumPy's name
    (a,) = as_arrays("tile", A)
    repetitions = reps.tolist() if reps.__class__ is Array else reps
    return xp.tile(a, tuple(map(int, np.ravel(repetitions))))


def size(a: Any, axis: Any = None) -> int:
    if axis is None:
        return int(a.size)
    count = 1
    for position in axis if isinstance(axis, tuple) else (axis,):
        count *= a.shape[position]
    return count


def copy(a: Any, order: str = "K", subok: bool = False) -> Array:
    return a.copy(check_order(order, "copy"))  # type: ignore[no-any-return]


def concatenate(
    arrays: Any, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: Casting = "same_kind"
) -> Array:
    items = sequence("concatenate", arrays)
    result = xp.concat(_cast_all("concatenate", items, dtype, casting, out), axis=axis)
    return store("concatenate", result, out, casting)


def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Casting = "same_kind") -> Array:
    items = sequence("stack", arrays)
    return store("stack", xp.stack(_cast_all("stack", items, dtype, casting, out), axis=axis), out, casting)


def _cast_all(name: str, items: tuple[Array, ...], dtype: Any, casting: Casting, out: Any) -> tuple[Array, ...]:
    check_casting(casting, name)
    if dtype is None:
        return items
    if out is not None:
        raise TypeError(f"{name}() only takes `out` or `dtype` as an argument, but both were provided; omit dtype")
    for x in items:
        if not can_cast(x.dtype, np.dtype(dtype), casting):
            raise TypeError(
                f"Cannot cast array data from {x.dtype!r} to {np.dtype(dtype)!r} according to the rule '{casting}'; "
                f"pass casting='unsafe' to {name}()"
            )
    return tuple([xp.astype(x, np.dtype(dtype), copy=False) for x in items])


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE) -> Array:
    (a,) = as_arrays("diff", a)
    edges = [None if edge is NO_VALUE or edge is None else as_arrays("diff", a, edge)[1] for edge in (prepend, append)]
    return xp.diff(a, n=n, axis=axis, prepend=edges[0], append=edges[1])


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """Return evenly spaced numbers between numbers or arrays, and with ``retstep`` their distance, too."""
    start, stop = as_arrays("linspace", start, stop)
    count = check_integer(num, "linspace", "num")
    if count < 0:
        raise ValueError(f"Number of samples, {count}, must be non-negative; linspace() takes num=0 or more")
    are_integers = {x.dtype.kind for x in (start, stop)} <= set("iu") and not (start.ndim or stop.ndim or retstep)
    if are_integers and dtype is not None and np.dtype(dtype).kind in "iu":
        return xp.linspace(int(start), int(stop), count, endpoint=endpoint, dtype=dtype, device=start.device)
    start, stop = _casts.floating(start), _casts.floating(stop)
    intervals = count - 1 if endpoint else count
    distance = xp.subtract(stop, start)
    step = xp.divide(distance, intervals) if intervals > 0 else xp.full_like(distance, np.nan)
    positions = xp.astype(xp.arange(count, device=start.device), step.dtype)
    positions = xp.reshape(positions, (count,) + (1,) * step.ndim)
    result = xp.add(xp.multiply(positions, step if intervals > 0 else distance), start)
    if endpoint and count > 1:
        result = xp.concat((result[:-1, ...], xp.expand_dims(xp.broadcast_to(stop, step.shape), axis=0)))
    result = xp.moveaxis(result, 0, axis)
    if dtype is not None:
        result = xp.astype(xp.floor(result) if np.dtype(dtype).kind in "iu" else result, np.dtype(dtype))
    return (result, step) if retstep else result


def roll(a: Any, shift: Any, axis: Any = None) -> Array:
    x: Array = as_arrays("roll", a)[0]
    steps = shift.tolist() if isinstance(shift, (Array, np.ndarray, np.generic)) else shift
    if axis is None or (steps.__class__ is int and axis.__class__ is int):
        return xp.roll(x, tuple(steps) if isinstance(steps, list) else steps, axis=axis)
    # Shifts and axes broadcast, and the shifts along one axis add up.
    totals: dict[int, int] = {}
    for step, position in np.broadcast(steps, axis):
        position = check_axis(position, x.ndim, "roll")
        totals[position] = totals.get(position, 0) + check_integer(step, "roll", "shift")
    return xp.roll(x, tuple(totals.values()), axis=tuple(totals))


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: Any = "xy") -> tuple[Array, ...]:
    """Return coordinate arrays of flattened vectors; with ``sparse``, as views that broadcast against each other."""
    vectors = [xp.reshape(x, (-1,)) for x in as_arrays("meshgrid", *xi)]
    if not sparse:
        return tuple(xp.meshgrid(*vectors, indexing=indexing))
    order = list(range(len(vectors)))
    if check_word(indexing, ("xy", "ij"), "meshgrid", "indexing") == "xy":
        order[:2] = order[:2][::-1]
    shapes = [[-1 if axis == own else 1 for axis in range(len(vectors))] for own in order]
    return tuple([xp.reshape(x, tuple(shape), copy=copy or None) for x, shape in zip(vectors, shapes, strict=True)])


def reshape(a: Any, /, shape: Any, order: Any = "C", *, copy: bool | None = None) -> Array:
    x: Array = as_arrays("reshape", a)[0]
    return x.reshape(shape, order=order, copy=copy)


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """Return broadcast arrays; values that no Array can hold, such as None or text, are broadcast by NumPy."""
    shape = np.broadcast_shapes(*(value.shape if value.__class__ is Array else np.shape(value) for value in args))
    if all(_is_number(value) for value in args):
        return tuple(xp.broadcast_to(x, shape) for x in as_arrays("broadcast_arrays", *args))
    return tuple(
        xp.broadcast_to(value, shape) if value.__class__ is Array else np.broadcast_to(value, shape) for value in args
    )


def _is_number(value: Any) -> bool:
    return value.__class__ is Array or np.asarray(value).dtype.kind in "biufcV"


def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    if dst.__class__ is Array:
        xp.copyto(dst, src, casting, where)
    else:  # a NumPy array, which is written to on the host
        call_on_host(np.copyto, (dst, src, casting, where), {}, device_of_arguments((src, where), {}), "numpy.copyto")


def einsum(*operands: Any, out: Any = None, optimize: Any = False, **options: Any) -> Any:
    """Return ``numpy.einsum`` of subscripts as text, or as lists of integers that follow their arrays."""
    # Lists at odd positions are subscripts, and so is a last one without an array.
    count = len(operands) // 2 * 2
    arrays = slice(1, None) if isinstance(operands[0], str) else slice(0, count, 2)
    items = list(operands)
    device = shared_device("einsum", *items[arrays], out)
    items[arrays] = [on_device("einsum", item, device) for item in items[arrays]]
    if options.get("dtype") is not None and out is None and only_relabels(*items):
        # NumPy returns a view of the operand, whatever the dtype.
        check_dtype(options.pop("dtype"), device, "einsum")
    return xp.einsum(*items, out=out, **options)


def may_share_memory(a: Any, b: Any, max_work: Any = None) -> bool:
    """Whether two arrays may share memory; False on different devices."""
    return _memory("may_share_memory", a, b, max_work)


def shares_memory(a: Any, b: Any, max_work: Any = None) -> bool:
    """Whether two arrays share memory; False on different devices."""
    return _memory("shares_memory", a, b, max_work)


def _memory(name: str, a: Any, b: Any, max_work: Any) -> bool:
    values = []
    for x in (a, b):
        if x.__class__ is not Array:
            values.append(x)
        elif x._device.level and a is b:
            return x.size > 0
        elif x._device.level:
            raise UnknownValueError(
                f"{name}() asks for the memory of an array, which is another one within fuse, vmap and gradients"
                f"{at_caller()}; ask outside the function"
            )
        elif x._device.host:
            values.append(x._device._library.to_host(x._native))
        else:
            values.append(x._device._library.host_view(x._native))
    if any(value is None for value in values):
        # Off the host, memory is shared by an Array with itself as far as the contract can tell.
        return a is b or getattr(a, "_native", a) is getattr(b, "_native", b)
    return bool(getattr(np, name)(*values, max_work=max_work))


def _formatted(name: str) -> Function:
    """Apply one of NumPy's formatters to the values copied to the host, as ``repr`` does."""
    formatter = getattr(np, name)
    return lambda a, *args, **kwargs: formatter(a._device._library.to_host(a._native), *args, **kwargs)


def common_type(*arrays: Any) -> type[Any]:
    """Return the scalar type of inexact numbers that is common to arrays; NumPy, ``common_type``."""
    return np.common_type(*[np.empty(0, x.dtype) for x in as_arrays("common_type", *arrays)])


def min_scalar_type(a: Any, /) -> np.dtype[Any]:
    """Return the dtype of an array, or the smallest one that holds a 0-d array's value; NumPy, ``min_scalar_type``."""
    return a.dtype if a.ndim else np.min_scalar_type(a.item())


def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: Any = False) -> Any:
    """Return the order of a sum of products, which depends on shapes alone; NumPy, ``einsum_path``."""
    shapes = [np.broadcast_to(np.zeros((), x.dtype), x.shape) if x.__class__ is Array else x for x in operands]
    return np.einsum_path(*shapes, optimize=optimize, einsum_call=einsum_call)


SIGNATURES: dict[str, Function] = {
    **{name: getattr(reductions, name) for name in reductions.__all__ if name != "NO_VALUE"},
    **{name: _formatted(name) for name in ("array2string", "array_repr", "array_str")},
    **{f"{name}_like": like_of(name) for name in ("empty", "ones", "zeros")},
    "argsort": argsort,
    "around": round,
    "broadcast_arrays": broadcast_arrays,
    "clip": clip,
    "common_type": common_type,
    "concat": concatenate,
    "copy": copy,
    "copyto": copyto,
    "einsum": einsum,
    "diff": diff,
    "einsum_path": einsum_path,
    "full_like": full_like,
    "isin": isin,
    "linspace": linspace,
    "may_share_memory": may_share_memory,
    "meshgrid": meshgrid,
    "min_scalar_type": min_scalar_type,
    "ndim": lambda a: a.ndim,
    "nonzero": nonzero,
    "real": real,
    "reshape": reshape,
    "roll": roll,
    "round": round,
    "searchsorted": searchsorted,
    "shape": lambda a: a.shape,
    "shares_memory": shares_memory,
    "size": size,
    "sort": sort,
    "squeeze": squeeze,
    "stack": stack,
    "take": take,
    "take_along_axis": take_along_axis,
    "tile": tile,
    "where": where,
}
"""The functions of the main namespace by NumPy's name."""
