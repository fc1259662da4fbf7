"""Rules of batching: how an operation of the arrays of all examples is computed at once; see :mod:`.declaring`."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core import operations
from .._core.calls import wrap
from .._core.levels import computing
from .._core.operations import Operation
from .._core.tracer import at_caller
from .._core.tracing_errors import any_true, rarely
from . import matrix_rules  # noqa: F401 - declares its rules
from .bisection import positions
from .declaring import (
    RULES,
    Function,
    Rule,
    batch_of,
    batched,
    behind,
    each_batched,
    given,
    is_batched,
    of_constants,
    public_function,
    refused,
    rule,
    size_of,
)

if TYPE_CHECKING:
    from .batching import Batching

__all__ = ["rule_of"]


COMPOSED = frozenset(
    ("special.softmax", "special.log_softmax", "special.logsumexp", "special.multigammaln", "assigned_where")
)
"""Operations with options, or of kinds with a rule, that are composed of others in batches."""


def rule_of(operation: Operation) -> Rule | None:
    """Return an operation's rule; None where it is composed of others."""
    rule = RULES.get(operation.name)
    if rule is not None:
        return rule
    if operation.name in COMPOSED:
        return None
    if operation.kind == "elementwise" or (operation.kind == "special" and operation.shape == "broadcast"):
        return _elementwise
    return BY_KIND.get(operation.kind)


# -- elementwise functions ---------------------------------------------------------------------------------------------


def _elementwise(batching: Batching, operation: Operation) -> Function:
    base, traced = batching.below, batching.traced
    compute = _by_public_function(batching, operation)
    if operation.kind == "elementwise":
        compute = computing(operation, base, None)

    def function(*operands: Any) -> Any:
        ndim, batched = 0, False
        for x in operands:
            if x.__class__ is traced:
                batched = batched or x.batched
                if x.ndim > ndim:
                    ndim = x.ndim
        if batched:
            values = [
                x if x.__class__ is not traced else x.value if not ndim else batching.of_ndim(x, ndim)._native
                for x in operands
            ]
        else:
            values = [x.value if x.__class__ is traced else x for x in operands]
        return batching.results(compute(*values), batched)

    return function


def _by_public_function(batching: Batching, operation: Operation) -> Function:
    base = batching.below

    def compute(*natives: Any) -> Any:
        result = public_function(operation)(*[wrap(x, base) if hasattr(x, "dtype") else x for x in natives])
        return result._native

    return compute


# -- reductions, scans, sorting: along axes ----------------------------------------------------------------------------


def _reduction(batching: Batching, public: Function, x: Any, *, axis: Any = None, **options: Any) -> Any:
    array = batching.array(x)
    if not x.ndim:  # an axis that is reduced, as the function of an array without one may differ from the array
        array = xp.reshape(array, (*array.shape, 1))
        return public(array, axis=1, **{**options, "keepdims": False})
    return public(array, axis=behind(axis, x.ndim), **given(options))


@rule("argmax", "argmin")
def _arg_reduction(batching: Batching, public: Function, x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
    array = batching.array(x)
    if axis is not None:
        return public(array, axis=behind(axis, x.ndim), keepdims=keepdims)
    positions = public(xp.reshape(array, (array.shape[0], x.size)), axis=1)
    return xp.reshape(positions, (array.shape[0], *(1,) * x.ndim)) if keepdims else positions


@rule("cumulative_sum", "cumulative_prod")
def _scan(batching: Batching, public: Function, x: Any, *, axis: Any = None, **options: Any) -> Any:
    return public(batching.array(x), axis=behind(0 if axis is None else axis, x.ndim), **given(options))


@rule("diff")
def _diff(batching: Batching, public: Function, x: Any, *, axis: int = -1, n: int = 1, **options: Any) -> Any:
    arrays = each_batched(batching, [x, *[value for value in options.values() if value is not None]])
    names = [name for name, value in options.items() if value is not None]
    return public(arrays[0], axis=behind(axis, x.ndim), n=n, **dict(zip(names, arrays[1:], strict=True)))


@rule("sort", "argsort", "fft.fft", "fft.ifft", "fft.rfft", "fft.irfft", "fft.hfft", "fft.ihfft")
def _along_axis(batching: Batching, public: Function, x: Any, *, axis: int = -1, **options: Any) -> Any:
    return public(batching.array(x), axis=behind(axis, x.ndim), **options)


@rule("nn.softmax", "nn.log_softmax")
def _rows(batching: Batching, public: Function, x: Any, *, axis: Any = -1, **options: Any) -> Any:
    if axis is None or not x.ndim:
        return NotImplemented
    return public(batching.array(x), axis=behind(axis, x.ndim), **options)


# -- fourier -----------------------------------------------------------------------------------------------------------


@rule("fft.fftn", "fft.ifftn", "fft.rfftn", "fft.irfftn")
def _fourier_of_axes(
    batching: Batching, public: Function, x: Any, *, s: Any = None, axes: Any = None, **options: Any
) -> Any:
    if axes is None and s is not None:
        axes = tuple(range(x.ndim - len(s), x.ndim))
    return public(batching.array(x), s=s, axes=behind(axes, x.ndim), **options)


@rule("fft.fftshift", "fft.ifftshift")
def _shift(batching: Batching, public: Function, x: Any, *, axes: Any = None) -> Any:
    return public(batching.array(x), axes=behind(axes, x.ndim))


# -- shapes ------------------------------------------------------------------------------------------------------------


@rule("astype")
def _astype(batching: Batching, public: Function, x: Any, dtype: Any, **options: Any) -> Any:
    return public(batching.array(x), dtype, **given(options))


@rule("matrix_transpose", "tril", "triu", "linalg.diagonal")
def _last_axes(batching: Batching, public: Function, x: Any, **options: Any) -> Any:
    return public(batching.array(x), **options)


@rule("concat")
def _concat(batching: Batching, public: Function, arrays: Any, *, axis: int | None = 0) -> Any:
    items = each_batched(batching, arrays)
    if axis is None:
        return public([xp.reshape(x, (x.shape[0], -1)) for x in items], axis=1)
    return public(items, axis=behind(axis, arrays[0].ndim))


@rule("stack")
def _stack(batching: Batching, public: Function, arrays: Any, *, axis: int = 0) -> Any:
    return public(each_batched(batching, arrays), axis=behind(axis, arrays[0].ndim + 1))


@rule("unstack")
def _unstack(batching: Batching, public: Function, x: Any, *, axis: int = 0) -> Any:
    return public(batching.array(x), axis=behind(axis, x.ndim))


@rule("repeat")
def _repeat(batching: Batching, public: Function, x: Any, repeats: Any, *, axis: int | None = None) -> Any:
    if is_batched(repeats):
        raise NotImplementedError(f"repeat() has no batches of repeats in xtensor.vmap: {DATA_DEPENDENT}")
    array = batching.array(x)
    repeats = batching.array(repeats) if hasattr(repeats, "value") else repeats
    if axis is None:
        return public(xp.reshape(array, (array.shape[0], x.size)), repeats, axis=1)
    return public(array, repeats, axis=behind(axis, x.ndim))


@rule("tile")
def _tile(batching: Batching, public: Function, x: Any, repetitions: Any) -> Any:
    counts = tuple(repetitions)
    array = batching.of_ndim(x, max(len(counts), x.ndim))
    return public(array, (1,) * (array.ndim - len(counts)) + counts)


@rule("broadcast_to")
def _broadcast_to(batching: Batching, public: Function, x: Any, shape: Any) -> Any:
    array = batching.of_ndim(x, len(shape))
    return public(array, (array.shape[0], *shape))


@rule("expand_dims")
def _expand_dims(batching: Batching, public: Function, x: Any, *, axis: Any) -> Any:
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    return public(batching.array(x), axis=behind(axis, x.ndim + count))


@rule("flip", "squeeze")
def _over_axes(batching: Batching, public: Function, x: Any, *, axis: Any = None) -> Any:
    return public(batching.array(x), axis=behind(axis, x.ndim))


@rule("moveaxis")
def _moveaxis(batching: Batching, public: Function, x: Any, source: Any, destination: Any) -> Any:
    return public(batching.array(x), behind(source, x.ndim), behind(destination, x.ndim))


@rule("permute_dims")
def _permute_dims(batching: Batching, public: Function, x: Any, axes: Any) -> Any:
    return public(batching.array(x), (0, *behind(tuple(axes), x.ndim)))


@rule("reshape")
def _reshape(batching: Batching, public: Function, x: Any, shape: Any, *, copy: bool | None = None) -> Any:
    array = batching.array(x)
    return public(array, (array.shape[0], *shape), copy=copy)


@rule("roll")
def _roll(batching: Batching, public: Function, x: Any, shift: Any, *, axis: Any = None) -> Any:
    array = batching.array(x)
    if axis is not None:
        return public(array, shift, axis=behind(axis, x.ndim))
    flat = xp.reshape(array, (array.shape[0], x.size))
    return xp.reshape(public(flat, shift, axis=1), array.shape)


# -- selection ---------------------------------------------------------------------------------------------------------


@rule("take")
def _take(batching: Batching, public: Function, x: Any, indices: Any, *, axis: int = 0) -> Any:
    axis = axis % x.ndim
    if not indices.batched:
        return public(batching.array(x), batching.array(indices), axis=axis + 1)
    positions, others = batching.array(indices), x.shape[:axis] + x.shape[axis + 1 :]
    size, lengths = positions.shape[0], indices.shape
    if x.batched:
        rows = xp.moveaxis(batching.array(x), axis + 1, 1)
        positions = xp.reshape(positions, (size, indices.size, *(1,) * len(others)))
        taken = xp.take_along_axis(rows, xp.broadcast_to(positions, (size, indices.size, *others)), axis=1)
    else:
        taken = public(xp.moveaxis(batching.array(x), axis, 0), xp.reshape(positions, (size * indices.size,)), axis=0)
    taken = xp.reshape(taken, (size, *lengths, *others))
    axes = tuple(range(1, len(lengths) + 1))
    return xp.moveaxis(taken, axes, tuple([axis + number for number in axes]))


@rule("take_along_axis")
def _take_along_axis(batching: Batching, public: Function, x: Any, indices: Any, *, axis: int = -1) -> Any:
    arrays = [batching.array(item) if item.batched else batching.array(item)[None, ...] for item in (x, indices)]
    return public(*arrays, axis=behind(axis, x.ndim))


@rule("searchsorted")
def _searchsorted(
    batching: Batching, public: Function, x1: Any, x2: Any, *, side: str = "left", sorter: Any = None
) -> Any:
    if not is_batched(x1) and not is_batched(sorter):
        sorter = None if sorter is None else batching.array(sorter)
        return public(batching.array(x1), batching.array(x2), side=side, sorter=sorter)
    size = size_of([x1, x2, *([] if sorter is None else [sorter])])
    edges = batch_of(batching, x1, size)
    if sorter is not None:
        edges = xp.take_along_axis(edges, batch_of(batching, sorter, size), axis=1)
    values = batch_of(batching, x2, size)
    inserted = positions(edges, xp.reshape(values, (size, x2.size)), side)
    return xp.reshape(inserted, values.shape)


@rule("isin")
def _isin(batching: Batching, public: Function, x1: Any, x2: Any, *, invert: bool = False) -> Any:
    if not is_batched(x2):
        return public(batching.array(x1), batching.array(x2) if hasattr(x2, "value") else x2, invert=invert)
    if not hasattr(x1, "value"):
        x1 = batching.lift(xp.asarray(x1, device=batching.below)._native)
    size = size_of([x1, x2])
    elements, values = batch_of(batching, x2, size), batch_of(batching, x1, size)
    elements, flat = xp.reshape(elements, (size, x2.size)), xp.reshape(values, (size, x1.size))
    if not x2.size:
        return xp.full(values.shape, invert, dtype=xp.bool, device=batching.below)
    number = [xp.astype(x, xp.uint8) if x.dtype == xp.bool else x for x in (elements, flat)]
    if any(x.dtype.kind == "c" for x in number):
        contained = xp.any(number[1][:, :, None] == number[0][:, None, :], axis=2)
    else:
        ordered = xp.sort(number[0], axis=1)
        index = xp.clip(positions(ordered, number[1], "left"), 0, x2.size - 1)
        contained = xp.take_along_axis(ordered, index, axis=1) == number[1]
    return xp.reshape(contained != invert, values.shape)


@rule("bincount")
def _bincount(batching: Batching, public: Function, x: Any, weights: Any, minlength: int) -> Any:
    arrays = [item for item in (x, weights) if item is not None]
    size = size_of(arrays)
    counted = batch_of(batching, x, size)
    if rarely(any_true, (counted < 0) | (counted >= minlength)):
        raise NotImplementedError(
            f"bincount() has batches in xtensor.vmap of integers from 0 to minlength - 1 only, here {minlength - 1}"
            f"{at_caller()}, so that each example has as many bins"
        )
    first = xp.arange(size, dtype=counted.dtype, device=counted.device)[:, None] * minlength
    flat = [xp.reshape(counted + first, (-1,))]
    if weights is not None:
        flat.append(xp.reshape(batch_of(batching, weights, size), (-1,)))
    return xp.reshape(public(*flat, minlength=size * minlength), (size, minlength))


@rule("clip")
def _clip(batching: Batching, public: Function, x: Any, *bounds: Any) -> Any:
    ndim = max([item.ndim for item in (x, *bounds) if hasattr(item, "batched")])
    return public(*[batching.of_ndim(item, ndim) if hasattr(item, "batched") else item for item in (x, *bounds)])


# -- networks ----------------------------------------------------------------------------------------------------------


@rule("nn.linear")
def _linear(batching: Batching, public: Function, x: Any, weight: Any, bias: Any = None, **options: Any) -> Any:
    if is_batched(weight) or is_batched(bias) or not x.ndim:
        return NotImplemented
    return public(*[None if item is None else batching.array(item) for item in (x, weight, bias)], **options)


@rule("nn.layer_norm", "nn.rms_norm")
def _normalization(
    batching: Batching, public: Function, x: Any, *parameters: Any, axes: tuple[int, ...], eps: float
) -> Any:
    if any(is_batched(item) for item in parameters):
        return NotImplemented
    arrays = [None if item is None else batching.array(item) for item in parameters]
    return public(batching.array(x), *arrays, axis=behind(axes, x.ndim), eps=eps)


def _max_pool(batching: Batching, operation: Operation) -> Function:
    """The windows of all examples at once; composed of maxima, equal elements would share the derivative."""
    namespace: Any = operations.namespace
    compute = computing(operation, batching.below, namespace.nn.max_pooling.maxima)

    def function(x: Any, **options: Any) -> Any:
        array = batching.array(x)
        lengths = array.shape[: 1 + x.batched]
        flat = xp.reshape(array, (math.prod(lengths), *x.shape[1:]))
        result = wrap(compute(flat._native, **options), batching.below)
        return batching.results(xp.reshape(result, (*lengths, *result.shape[1:])), x.batched)

    return function


for _name in ("max_pool1d", "max_pool2d", "max_pool3d"):
    RULES[f"nn.{_name}"] = _max_pool


def _logsumexp(batching: Batching, operation: Operation) -> Function:
    """Sums of the rows of all examples; composed of a maximum, ties would lose a second derivative."""
    namespace: Any = operations.namespace
    compute = computing(operation, batching.below, partial(namespace.special.logsumexp, axis=-1, keepdims=True))
    return lambda x: batching.results(compute(x.value), x.batched)


RULES["nn.logsumexp"] = _logsumexp


# -- all others --------------------------------------------------------------------------------------------------------

DATA_DEPENDENT = (
    "the shape of its result depends on values; use functions whose results have a known shape, such as where"
)

for _name in ("nonzero", "unique_all", "unique_counts", "unique_inverse", "unique_values", "selected"):
    RULES[_name] = refused(DATA_DEPENDENT)

for _name in ("relu", "silu", "gelu"):
    RULES[f"nn.{_name}"] = _elementwise


def _full(batching: Batching, operation: Operation) -> Function:
    constant = of_constants(batching, operation)

    def function(shape: Any, value: Any, *, dtype: Any) -> Any:
        if not is_batched(value):
            return constant(shape, value, dtype=dtype)
        array = batching.of_ndim(value, len(shape))
        cast = xp.astype(array, dtype)
        return batching.results(xp.broadcast_to(cast, (array.shape[0], *shape)))

    return function


RULES["full"] = _full

BY_KIND: dict[str, Rule] = {
    "creation": of_constants,
    "random": of_constants,
    "reduction": batched(_reduction),
}
