"""Shapes and dtypes of the results of operations, from those of the operands.

Dtypes come from the device ``cpu``: its function is called with samples, arrays of one element with the operand's
dtype, so that there is no second table of dtypes. Shapes come from

- the operation's rule in the table, for elementwise functions, reductions and functions that keep the shape;
- NumPy, for functions that return views;
- a rule below, for the other primitives;
- the operation's composition, for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .._core.backend import Native
from .._core.devices import device
from .._core.dtypes import DType
from .._core.operations import Operation, operation
from .._core.trees import mapped
from .arrays import MetaArray, block_of, new, unknown_value
from .indexing import select

__all__ = ["ONE_AXIS", "is_view", "rule_of", "sample_call"]

Rule = Callable[..., Any]

FULL = operation("full")

VIEWS = frozenset(
    (
        *("permute_dims", "broadcast_to", "expand_dims", "squeeze", "moveaxis", "flip", "matrix_transpose"),
        "linalg.diagonal",
    )
)
"""Functions of which NumPy returns a view of its operand, whatever that is."""

SAME = frozenset(
    (
        *("sort", "argsort", "tril", "triu", "roll", "fft.fftshift", "fft.ifftshift", "linalg.cholesky", "linalg.inv"),
        "linalg.matrix_power",
    )
)
"""Other functions whose result has the operand's shape."""

ONE_AXIS = frozenset(("fft.fft", "fft.ifft", "fft.rfft", "fft.irfft", "fft.hfft", "fft.ihfft"))
"""Transforms along one axis; the others take several."""


@cache
def _sample(shape: tuple[int, ...], dtype: DType) -> Native:
    return device("cpu").table[FULL.index].function(shape, 1, dtype=dtype)


def _sampled(value: Any, shape: tuple[int, ...] | None = None, longest: int = 1) -> Any:
    """Return an argument with a sample for each array.

    Without a shape, a sample has the array's axes, each of length ``longest`` at most.
    """

    def sample(x: MetaArray) -> Native:
        layout = x.value
        lengths = tuple([min(length, longest) for length in layout.shape]) if shape is None else shape
        return _sample(lengths, layout.dtype)

    return mapped(value, sample, MetaArray)


def sample_call(
    row: Operation, args: Any, options: dict[str, Any], shape: tuple[int, ...] | None = None, longest: int = 1
) -> Any:
    """Return the result of an operation on ``cpu`` for samples of the arguments."""
    function = device("cpu").table[row.index].function
    with np.errstate(all="ignore"):
        return function(*_sampled(args, shape, longest), **_sampled(options, shape, longest))


def rule_of(row: Operation) -> Rule | None:
    """Return the function that gives an operation's results without values; None where its composition does."""
    name = row.name
    own = OWN.get(name)
    if own is not None:
        return lambda *args, **options: own(row, *args, **options)
    if name in VIEWS:
        return lambda *args, **options: _viewed(row, *args, **options)
    if row.shape == "data-dependent":
        return lambda *args, **options: _refused(row)
    if not device("cpu").implements(name):
        return None
    if row.kind in ("elementwise", "special"):
        return lambda *args, **options: _elementwise(row, *args, **options)
    if name in SAME:
        return lambda *args, **options: _same(row, *args, **options)
    if row.kind == "reduction":
        return lambda *args, **options: _reduced(row, *args, **options)
    return None


def _refused(row: Operation) -> Any:
    raise unknown_value(f"the shape of the result of {row.name}")


def _elementwise(row: Operation, *args: Any, **options: Any) -> Any:
    arrays = [x for x in (*args, *options.values()) if x.__class__ is MetaArray]
    sample = sample_call(row, args, options, (1,))
    if sample is NotImplemented:
        return sample
    shape = arrays[0].shape
    for x in arrays[1:]:
        if x.shape != shape:
            shape = np.broadcast_shapes(*[array.shape for array in arrays])
            break
    if sample.__class__ is tuple:
        return tuple([new(shape, item.dtype, arrays) for item in sample])
    return new(shape, sample.dtype, arrays)


def _same(row: Operation, *args: Any, **options: Any) -> Any:
    sample = sample_call(row, args, options)
    return sample if sample is NotImplemented else new(args[0].shape, sample.dtype)


def _reduced(row: Operation, x: MetaArray, **options: Any) -> Any:
    sample = sample_call(row, (x,), options)
    if sample is NotImplemented:
        return sample
    axis = options.get("axis")
    axes = range(x.ndim) if axis is None else axis if axis.__class__ is tuple else (axis,)
    removed = {item % x.ndim for item in axes}
    if options.get("keepdims"):
        return new((1 if axis in removed else length for axis, length in enumerate(x.shape)), sample.dtype)
    return new((length for axis, length in enumerate(x.shape) if axis not in removed), sample.dtype)


def _viewed(row: Operation, x: MetaArray, *args: Any, **options: Any) -> Any:
    view = device("cpu").table[row.index].function(x.value, *args, **options)
    return MetaArray(view)


# -- single operations -------------------------------------------------------------------------------------------------


def _reshape(row: Operation, x: MetaArray, shape: tuple[int, ...], *, copy: bool | None = None) -> Any:
    if not copy:
        try:
            return MetaArray(x.value.reshape(shape, copy=False))
        except ValueError:
            if copy is False:
                raise
    # An array of one element in memory finds the length of -1, and raises where the sizes differ.
    fitted = np.broadcast_to(np.zeros((), np.bool), x.shape)
    return new(_fit(fitted.size, shape, x.shape), x.dtype)


def _fit(size: int, shape: tuple[int, ...], old: tuple[int, ...]) -> tuple[int, ...]:
    known = math.prod([length for length in shape if length != -1])
    if -1 in shape and known and size % known == 0:
        return tuple([size // known if length == -1 else length for length in shape])
    if -1 in shape or known != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}; its shape is {old}")
    return shape


def _real(row: Operation, x: MetaArray) -> Any:
    if row.label == "imag" and x.dtype.kind != "c":
        return new(x.shape, x.dtype)
    return MetaArray(getattr(x.value, row.label))


def _astype(row: Operation, x: MetaArray, dtype: DType, *, copy: bool = True) -> Any:
    if not copy and x.dtype == dtype:
        return x
    return new(x.shape, sample_call(row, (x, dtype), {"copy": copy}, (1,)).dtype, (x,))


def _may_have_infinity(row: Operation, x: Any) -> bool:
    return True


def _created(row: Operation, shape: tuple[int, ...], *args: Any, dtype: DType) -> Any:
    return new((shape,) if isinstance(shape, int) else shape, sample_call(row, ((), *args), {"dtype": dtype}).dtype)


def _eye(row: Operation, rows: int, columns: int, *, k: int, dtype: DType) -> Any:
    return new((rows, columns), sample_call(row, (1, 1), {"k": 0, "dtype": dtype}).dtype)


def _arange(row: Operation, start: Any, stop: Any, step: Any, *, dtype: DType) -> Any:
    length = max(0, math.ceil((stop - start) / step)) if step else 0
    if not step:
        sample_call(row, (start, stop, step), {"dtype": dtype})  # which raises
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        length = len(range(start, stop, step))  # exact beyond 2**53
    return new((length,), dtype)


def _linspace(row: Operation, start: Any, stop: Any, count: int, *, dtype: DType, endpoint: bool = True) -> Any:
    return new((count,), sample_call(row, (start, stop, 1), {"dtype": dtype, "endpoint": endpoint}).dtype)


def _concat(row: Operation, arrays: Any, *, axis: int | None) -> Any:
    dtype = sample_call(row, (list(arrays),), {"axis": axis}, (1,) if axis is None else None).dtype
    if axis is None:
        return new((sum([x.size for x in arrays]),), dtype)
    axis %= arrays[0].ndim
    rests = {(*x.shape[:axis], *x.shape[axis + 1 :]) for x in arrays}
    if len(rests) > 1:
        raise ValueError(
            "all the input array dimensions except for the concatenation axis must match exactly; shapes "
            + ", ".join([str(x.shape) for x in arrays])
        )
    length = sum([x.shape[axis] for x in arrays])
    return new((*arrays[0].shape[:axis], length, *arrays[0].shape[axis + 1 :]), dtype)


def _stack(row: Operation, arrays: Any, *, axis: int) -> Any:
    dtype = sample_call(row, (list(arrays),), {"axis": axis}).dtype
    shapes = {x.shape for x in arrays}
    if len(shapes) > 1:
        raise ValueError(f"all input arrays must have the same shape; shapes {', '.join(map(str, shapes))}")
    shape = list(arrays[0].shape)
    shape.insert(axis % (len(shape) + 1), len(arrays))
    return new(shape, dtype)


def _searchsorted(row: Operation, x1: MetaArray, x2: Any, *, side: str = "left", sorter: Any = None) -> Any:
    return new(getattr(x2, "shape", ()), sample_call(row, (x1, x2), {"side": side}, (1,)).dtype)


def _cumulative(row: Operation, x: MetaArray, **options: Any) -> Any:
    sample = sample_call(row, (x,), options)
    shape = list(x.shape)
    axis = 0 if options.get("axis") is None else options["axis"]
    shape[axis] += bool(options.get("include_initial"))
    return new(shape, sample.dtype)


def _matmul(row: Operation, x1: MetaArray, x2: MetaArray) -> Any:
    dtype = sample_call(row, (x1, x2), {}).dtype if x1.ndim and x2.ndim else _no_axes(row, x1, x2)
    rows, columns = x1.shape[-2:-1], x2.shape[-1:] if x2.ndim > 1 else ()
    inner = x2.shape[-2] if x2.ndim > 1 else x2.shape[0]
    if x1.shape[-1] != inner:
        raise ValueError(
            f"matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {inner} is different from {x1.shape[-1]})"
        )
    return new((*np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2]), *rows, *columns), dtype)


def _no_axes(row: Operation, x1: MetaArray, x2: MetaArray) -> Any:
    raise ValueError(f"matmul() takes arrays of one dimension or more, not shapes {x1.shape} and {x2.shape}")


def _solve(row: Operation, x1: MetaArray, x2: MetaArray) -> Any:
    dtype = sample_call(row, (x1, x2), {}).dtype
    is_vector = x2.ndim == 1
    if x1.shape[-1] != x2.shape[-1 if is_vector else -2]:
        raise ValueError(f"solve: the matrices of shape {x1.shape} and the right-hand sides {x2.shape} do not match")
    if is_vector:
        return new(x1.shape[:-1], dtype)
    return new((*np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2]), *x2.shape[-2:]), dtype)


def _qr(row: Operation, x: MetaArray, *, mode: str = "reduced") -> Any:
    q, r = (item.dtype for item in sample_call(row, (x,), {"mode": mode}))
    *stack, m, n = x.shape
    inner = m if mode == "complete" else min(m, n)
    return new((*stack, m, inner), q), new((*stack, inner, n), r)


def _svd(row: Operation, x: MetaArray, *, full_matrices: bool = True) -> Any:
    u, s, vh = (item.dtype for item in sample_call(row, (x,), {"full_matrices": full_matrices}))
    *stack, m, n = x.shape
    k = min(m, n)
    rows, columns = (m, n) if full_matrices else (k, k)
    return new((*stack, m, rows), u), new((*stack, k), s), new((*stack, columns, n), vh)


def _eig(row: Operation, x: MetaArray) -> Any:
    values, vectors = (item.dtype for item in sample_call(row, (x,), {}))
    return new(x.shape[:-1], values), new(x.shape, vectors)


def _stacked(row: Operation, x: MetaArray, **options: Any) -> Any:
    dtype = sample_call(row, (x,), options).dtype
    return new((*x.shape[:-2], 1, 1) if options.get("keepdims") else x.shape[:-2], dtype)


def _svdvals(row: Operation, x: MetaArray) -> Any:
    return new((*x.shape[:-2], min(x.shape[-2:])), sample_call(row, (x,), {}).dtype)


def _eigenvalues(row: Operation, x: MetaArray, **options: Any) -> Any:
    return new(x.shape[:-1], sample_call(row, (x,), options).dtype)


def _pinv(row: Operation, x: MetaArray, **options: Any) -> Any:
    dtype = sample_call(row, (x,), {}).dtype
    stack = np.broadcast_shapes(x.shape[:-2], *[value.shape for value in options.values() if hasattr(value, "shape")])
    return new((*stack, x.shape[-1], x.shape[-2]), dtype)


def _isin(row: Operation, x1: Any, x2: Any, *, invert: bool) -> Any:
    return new(getattr(x1, "shape", ()), np.dtype(np.bool))


def _slogdet(row: Operation, x: MetaArray) -> Any:
    sign, logarithm = (item.dtype for item in sample_call(row, (x,), {}))
    return new(x.shape[:-2], sign), new(x.shape[:-2], logarithm)


def _fft(row: Operation, x: MetaArray, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    return _transformed(row, x, (axis,), (x.shape[axis] if n is None else n,), n is None)


def _fftn(row: Operation, x: MetaArray, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
    if axes is None:
        axes = tuple(range(x.ndim)) if s is None else tuple(range(x.ndim - len(s), x.ndim))
    lengths = [x.shape[axis] for axis in axes] if s is None else s
    return _transformed(row, x, axes, lengths, s is None)


def _transformed(row: Operation, x: MetaArray, axes: Any, lengths: Any, by_operand: bool) -> Any:
    """The result of a transform; a real one has about half the length along the last axis that is transformed."""
    name = "axis" if row.name in ONE_AXIS else "axes"
    options = {name: axes[0] if name == "axis" else axes, "n" if name == "axis" else "s": None}
    # Two elements, because the real result for one would have none.
    dtype = sample_call(row, (x,), options, (2,) * x.ndim).dtype
    shape = list(x.shape)
    for axis, length in zip(axes, lengths, strict=True):
        shape[axis] = length
    if axes and row.label.startswith(("rfft", "ihfft")):
        shape[axes[-1]] = shape[axes[-1]] // 2 + 1
    elif axes and by_operand and row.label.startswith(("irfft", "hfft")):
        shape[axes[-1]] = 2 * (shape[axes[-1]] - 1)
    return new(shape, dtype)


def _words(row: Operation, *, shape: tuple[int, ...], dtype: Any = None, **options: Any) -> Any:
    """``dtype`` is None for words of 64 bits."""
    return new(shape, np.dtype(np.uint64) if dtype is None else dtype)


def _unstack(row: Operation, x: MetaArray, *, axis: int) -> Any:
    before = (slice(None),) * (axis % x.ndim)
    return tuple([select(x, (*before, position, ...)) for position in range(x.shape[axis])])


OWN: dict[str, Rule] = {
    **dict.fromkeys(("linalg.det", "linalg.matrix_norm", "linalg.matrix_rank", "linalg.trace"), _stacked),
    **dict.fromkeys(("linalg.eigvals", "linalg.eigvalsh"), _eigenvalues),
    **dict.fromkeys(("empty", "full", "ones", "zeros"), _created),
    **dict.fromkeys(("real", "imag"), _real),
    **dict.fromkeys(("cumulative_sum", "cumulative_prod"), _cumulative),
    **dict.fromkeys(("linalg.eig", "linalg.eigh"), _eig),
    **dict.fromkeys(ONE_AXIS, _fft),
    **dict.fromkeys(("fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn"), _fftn),
    **dict.fromkeys(("random.bits", "random.uniform_numbers"), _words),
    "arange": _arange,
    "astype": _astype,
    "concat": _concat,
    "eye": _eye,
    "isin": _isin,
    "linalg.pinv": _pinv,
    "linalg.qr": _qr,
    "linalg.slogdet": _slogdet,
    "linalg.solve": _solve,
    "linalg.svd": _svd,
    "linalg.svdvals": _svdvals,
    "linspace": _linspace,
    "matmul": _matmul,
    "may_have_infinity": _may_have_infinity,
    "reshape": _reshape,
    "searchsorted": _searchsorted,
    "stack": _stack,
    "unstack": _unstack,
}
"""The rules of single operations; each takes the operation, then its arguments."""


def is_view(x: MetaArray, operands: list[MetaArray]) -> bool:
    """Whether an array stands for the memory of one of some others."""
    block = block_of(x.value)
    return any(block is block_of(operand.value) for operand in operands)
