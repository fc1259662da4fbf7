"""Einstein summation, with NumPy's name and signature. xarray looks for the function.

Operands are contracted in pairs, each pair as one stack of matrix products. The greedy order contracts next the pair
whose result is smallest relative to its operands.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from .. import _ops as xp
from .. import linalg
from .._core.array import Array
from .._core.checks import check_casting, check_dtype, check_integer, check_order
from .._core.compositions import composed
from .._core.dtypes import Casting, can_cast, result_type
from .._core.errors import describe
from .._core.operands import array_arguments
from ._arguments import store

if TYPE_CHECKING:
    from .._core.annotations import DTypeLike

__all__ = ["einsum"]

LABELS = 52
"""Number of labels: the letters, as text has them."""

Labels: TypeAlias = tuple[Any, ...]
"""A label for each axis: a letter, an integer, or, for an axis of an ellipsis, ``("...", position from the end)``."""

Term: TypeAlias = tuple[Array, Labels]
"""An operand or intermediate result, and the labels of its axes."""


class Labelling(NamedTuple):
    """The labels of the axes of each operand and of the result, and the length of each label."""

    operands: Sequence[Labels]
    output: Labels
    lengths: dict[Any, int]


@composed
def einsum(
    subscripts: Any,
    *operands: Any,
    out: Array | None = None,
    dtype: DTypeLike | None = None,
    order: str = "K",
    casting: Casting = "safe",
    optimize: Any = True,
) -> Array:
    r"""Return a sum of products over labelled axes, such as :math:`\sum_j a_{ij} b_{jk}` for ``"ij,jk->ik"``.

    Parameters
    ----------
    subscripts
        One letter for each axis of each operand, with commas between operands, and after ``->`` the letters of the
        result. Without ``->``, the axes of the result are the letters that appear once, in alphabetical order.
        ``...`` denotes axes that broadcast. Alternatively, operands and lists of integer labels alternate:
        ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.
    *operands
        Arrays of booleans or numbers. Axes with the same letter have the same length, or length 1 in another operand,
        which broadcasts.
    out
        The Array to write the result to.
    dtype
        The dtype to which the operands are cast before they are multiplied; None for the promoted dtype of the operands
        and of ``out``.
    order
        Accepted for compatibility with NumPy and ignored: the memory layout of the result is the device's.
    casting
        Which casts of the operands and of ``out`` to that dtype, and of the result to the dtype of ``out``, are
        allowed, as in :func:`numpy.can_cast`. Complex numbers do not cast to real ones: take their real part.
    optimize
        Accepted for compatibility with NumPy and ignored: the order of contraction is always optimized.

    Returns
    -------
    Array
        The sums, of the promoted dtype.

    Raises
    ------
    ValueError
        If the subscripts are malformed, or do not fit the operands.
    TypeError
        If an operand is not an Array, or ``casting`` does not allow a cast.

    Notes
    -----
    NumPy, ``einsum``. Where one operand is given and nothing is added up, the result is a view of it on devices whose
    library creates views: ``einsum("ii->i", x)[...] = 0.0`` writes to the diagonal on ``cpu`` and ``numpy``; elsewhere
    a diagonal may be read-only. ``dtype`` holds for views as well; NumPy's own function ignores it.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.einsum("ij,j->i", xp.asarray([[1.0, 2.0], [3.0, 4.0]]), xp.asarray([1.0, 10.0]))
    Array([21., 43.])
    """
    arrays, (labels, output, lengths) = _parse(subscripts, operands)
    check_order(order, "einsum")
    check_casting(casting, "einsum")
    if dtype is not None or out is not None or casting != "safe":  # promotion alone casts safely
        arrays = _cast(arrays, dtype, out, casting)
    if len(arrays) == 1 and len(output) == len(lengths):  # nothing is added up
        x, names = _unique_labels(arrays[0], labels[0], lengths)
        result = _permute(x, names, output)
    else:
        result = _sum_of_products(arrays, labels, output, lengths)
    return store("einsum", result, out, casting)


def only_relabels(subscripts: Any, *operands: Any) -> bool:
    """Whether a sum of products has one operand and adds nothing up."""
    arrays, (_, output, lengths) = _parse(subscripts, operands)
    return len(arrays) == 1 and len(output) == len(lengths)


def _cast(arrays: list[Array], dtype: DTypeLike | None, out: Any, casting: Casting) -> list[Array]:
    """Return the operands in the dtype of the products: ``dtype``, or the promoted one of the operands and ``out``.

    ``out`` is an operand, too, as partial sums are read from it in NumPy: its dtype casts to that of the products.
    """
    dtypes = [x.dtype for x in arrays]
    if isinstance(out, (Array, np.ndarray)) and out.dtype.kind in "biufc":  # store() refuses all else
        dtypes.append(out.dtype)
    wanted = result_type(*dtypes) if dtype is None else check_dtype(dtype, arrays[0]._device, "einsum")
    for each in dtypes:
        if not can_cast(each, wanted, casting):
            raise TypeError(
                f"Iterator required copying or buffering; einsum() does not cast an operand of {each} to {wanted} with "
                f"casting={casting!r}; pass casting='unsafe' or cast it with xtensor.astype"
            )
    return [xp.astype(x, wanted, copy=False) for x in arrays]


def _sum_of_products(arrays: list[Array], labels: Sequence[Labels], output: Labels, lengths: dict[Any, int]) -> Array:
    """Return the sum of the products of arrays whose axes have labels."""
    dtype = result_type(*(x.dtype for x in arrays))
    if dtype.kind == "b":
        arrays = [xp.astype(x, x._device.default_dtypes["integral"]) for x in arrays]
    else:
        arrays = [xp.astype(x, dtype, copy=False) for x in arrays]
    terms = [_unique_labels(x, names, lengths) for x, names in zip(arrays, labels, strict=True)]
    while len(terms) > 1:
        pairs = combinations(range(len(terms)), 2)
        i, j = min(pairs, key=lambda pair: _cost(terms, pair, lengths, output))
        others = [term for position, term in enumerate(terms) if position not in (i, j)]
        terms = [*others, _contract(terms[i], terms[j], lengths, _required(others, output))]
    x, names = terms[0]
    x = _sum_others(x, names, set(output))
    names = tuple(name for name in names if name in output)
    x = _permute(x, names, output)
    return x != 0 if dtype.kind == "b" else x


def _parse(subscripts: Any, operands: Sequence[Any]) -> tuple[list[Array], Labelling]:
    """Return the operands and the labels of their axes and of the result."""
    if isinstance(subscripts, str):
        arrays = list(array_arguments("einsum", *operands))
        return arrays, _labelling_of_text(str(subscripts), tuple([x.shape for x in arrays]))
    items = (subscripts, *operands)
    arrays = list(items[: len(items) // 2 * 2 : 2]) or [subscripts]
    parts = [_parse_integers(item, subscripts) for item in items[1::2]]
    result = _parse_integers(items[-1], subscripts) if len(items) % 2 else None
    arrays = list(array_arguments("einsum", *arrays))
    return arrays, _labelling(subscripts, parts, result, [x.shape for x in arrays])


@lru_cache(maxsize=256)
def _labelling_of_text(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> Labelling:
    inputs, arrow, output_part = subscripts.replace(" ", "").partition("->")
    parts = [_parse_letters(part) for part in inputs.split(",")]
    return _labelling(subscripts, parts, _parse_letters(output_part) if arrow else None, shapes)


def _labelling(
    subscripts: Any, parts: Sequence[Labels], result: Labels | None, shapes: Sequence[tuple[int, ...]]
) -> Labelling:
    """Return the labels of the axes of some shapes and of the result, from the subscripts of each."""
    if len(parts) != len(shapes):
        raise ValueError(
            f"einsum(): {describe(subscripts)} has subscripts for {len(parts)} operands, not for {len(shapes)} arrays "
            f"of shape {', '.join(map(str, shapes))}; give one term to each operand"
        )
    labels = [_label_axes(part, shape) for part, shape in zip(parts, shapes, strict=True)]
    counts = Counter(name for names in labels for name in names)
    broadcast = sorted((name for name in counts if isinstance(name, tuple)), reverse=True, key=lambda name: name[1])
    if result is None:
        single = sorted(name for name, count in counts.items() if not isinstance(name, tuple) and count == 1)
        return Labelling(labels, (*broadcast, *single), _label_lengths(shapes, labels))
    output: Labels = tuple(name for part in result for name in (broadcast if part is Ellipsis else (part,)))
    if len(set(output)) != len(output) or not set(output) <= counts.keys():
        raise ValueError(
            f"einsum(): the result of {describe(subscripts)} has a duplicate label, or a label that no operand has"
        )
    if broadcast and Ellipsis not in result:
        raise ValueError(
            "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to "
            f"broadcast the extra dimensions.; einsum(): the operands of {describe(subscripts)} have {len(broadcast)} "
            "axes of '...'; write '...' in the result as well, or name the axes to sum over them"
        )
    return Labelling(labels, output, _label_lengths(shapes, labels))


def _parse_integers(part: Any, first: Any) -> Labels:
    """Return the labels of one operand from a list of integers and at most one ellipsis."""
    if isinstance(part, (Array, np.ndarray)) and part.ndim == 1:
        part = part.tolist()
    if not isinstance(part, (list, tuple)):
        raise TypeError(
            f"einsum() takes subscripts as text or as lists of integers after the Arrays, not {describe(part)} after "
            f"{describe(first)}"
        )
    for label in part:
        if label is not Ellipsis and not 0 <= check_integer(label, "einsum", "each label of a list") < LABELS:
            raise ValueError(
                f"subscript is not within the valid range [0, {LABELS}); einsum() received {describe(label)} in "
                f"{describe(part)}"
            )
    return tuple(part)


def _parse_letters(part: str) -> Labels:
    """Return the labels of one operand from its subscripts, with Ellipsis for ``...``."""
    head, dots, tail = part.partition("...")
    invalid = {letter for letter in head + tail if not (letter.isascii() and letter.isalpha())}
    if invalid:
        raise ValueError(
            f"einsum(): subscripts are letters, '...', ',' and '->', not {''.join(sorted(invalid))!r} in {part!r}"
        )
    return (*head, *((Ellipsis,) if dots else ()), *tail)


def _label_axes(part: Labels, shape: tuple[int, ...]) -> Labels:
    """Return a label for each axis of an operand."""
    named = [name for name in part if name is not Ellipsis]
    unnamed = len(shape) - len(named)
    if unnamed < 0 or len(part) - len(named) > 1 or (unnamed and Ellipsis not in part):
        raise ValueError(
            f"einsum(): {len(named)} subscripts do not fit an array of shape {shape}; "
            "give one for each axis, or '...' once for the others"
        )
    broadcast = tuple(("...", unnamed - i) for i in range(unnamed))
    return tuple(name for item in part for name in (broadcast if item is Ellipsis else (item,)))


def _label_lengths(shapes: Sequence[tuple[int, ...]], labels: Sequence[Labels]) -> dict[Any, int]:
    """Return the length of each label."""
    lengths: dict[Any, int] = {}
    for shape, names in zip(shapes, labels, strict=True):
        own: dict[Any, int] = {}
        for name, length in zip(names, shape, strict=True):
            if own.setdefault(name, length) != length:
                raise ValueError(
                    f"dimensions in operand for collapsing index {name!r} don't match ({own[name]} != {length}); "
                    f"einsum(): axes with one label in an operand of shape {shape} have one length"
                )
            known = lengths.setdefault(name, length)
            if known == 1:
                lengths[name] = length
            elif length not in (1, known):
                raise ValueError(
                    f"einsum(): axes labelled {name!r} have lengths {known} and {length}; they must be equal, or 1"
                )
    return lengths


def _unique_labels(x: Array, names: Labels, lengths: dict[Any, int]) -> Term:
    """Return an operand with unique labels: diagonals for repeated labels, without axes of length 1 that broadcast."""
    for name in dict.fromkeys(names):
        while names.count(name) > 1:
            first = names.index(name)
            second = names.index(name, first + 1)
            others = tuple(i for i in range(x.ndim) if i not in (first, second))
            x = linalg.diagonal(xp.permute_dims(x, (*others, first, second)))
            names = (*(names[i] for i in others), name)
    broadcast_axes = tuple(i for i, name in enumerate(names) if x.shape[i] == 1 and lengths[name] != 1)
    if broadcast_axes:
        x = xp.squeeze(x, broadcast_axes)
        names = tuple(name for i, name in enumerate(names) if i not in broadcast_axes)
    return x, names


def _required(terms: Sequence[Term], output: Labels) -> set[Any]:
    """Return the labels of the result and of the terms that are not contracted yet."""
    return {*output, *(name for _, names in terms for name in names)}


def _cost(terms: Sequence[Term], pair: tuple[int, int], lengths: dict[Any, int], output: Labels) -> int:
    """Return the number of elements of the contraction of two terms, less the number of their own elements."""
    others = [term for position, term in enumerate(terms) if position not in pair]
    (x, names1), (y, names2) = terms[pair[0]], terms[pair[1]]
    labels = {*names1, *names2} & _required(others, output)
    return math.prod(lengths[name] for name in labels) - x.size - y.size


def _sum_others(x: Array, names: Labels, required: set[Any]) -> Array:
    """Return the sum over the axes whose label is not required."""
    axes = tuple(i for i, name in enumerate(names) if name not in required)
    return xp.sum(x, axis=axes, dtype=x.dtype) if axes else x


def _contract(term1: Term, term2: Term, lengths: dict[Any, int], required: set[Any]) -> Term:
    """Return the contraction of two terms over their common labels that are not required, as a stack of products.

    The axes of the result are the common labels that are required, then those of the first term, then of the second.
    """
    (x, names1), (y, names2) = term1, term2
    x, y = _sum_others(x, names1, required | set(names2)), _sum_others(y, names2, required | set(names1))
    names1 = tuple(name for name in names1 if name in required or name in names2)
    names2 = tuple(name for name in names2 if name in required or name in names1)
    common = tuple(name for name in names1 if name in names2)
    stack, inner = tuple(n for n in common if n in required), tuple(n for n in common if n not in required)
    rows, columns = tuple(n for n in names1 if n not in common), tuple(n for n in names2 if n not in common)
    names = (*stack, *rows, *columns)
    x = _permute(x, names1, (*stack, *rows, *inner))
    y = _permute(y, names2, (*stack, *inner, *columns))
    if not inner:
        x = xp.reshape(x, (*x.shape, *(1,) * len(columns)))
        return x * xp.reshape(y, (*y.shape[: len(stack)], *(1,) * len(rows), *y.shape[len(stack) :])), names
    batch, m, k, n = (math.prod(lengths[name] for name in group) for group in (stack, rows, inner, columns))
    product = xp.matmul(xp.reshape(x, (batch, m, k)), xp.reshape(y, (batch, k, n)))
    return xp.reshape(product, tuple(lengths[name] for name in names)), names


def _permute(x: Array, names: Labels, order: Labels) -> Array:
    """Return an array with its axes in the order of the labels in ``order``."""
    return x if names == order else xp.permute_dims(x, tuple(names.index(name) for name in order))
