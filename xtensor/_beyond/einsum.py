"""Einstein sums, in NumPy's name and signature.

The standard has none; xarray looks for it. A sum of several operands is done two at a time, each time the two whose
result is smallest, and each of them as one matrix product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from .. import _standard as xp
from .. import linalg
from .._core.array import Array
from .._core.dispatch import composed, device_of
from .._core.dtypes import result_type
from .._core.errors import describe

__all__ = ["einsum"]

Labels = tuple[Any, ...]
"""A label for each axis: a letter, an integer, or, for an axis of an ellipsis, a pair of ``"..."`` and its place from
the end.
"""


@composed
def einsum(subscripts: Any, *operands: Any, optimize: Any = True) -> Array:
    r"""Sums of products over labelled axes, such as :math:`\sum_j a_{ij} b_{jk}` for ``"ij,jk->ik"``.

    Parameters
    ----------
    subscripts
        A letter for each axis of each operand, with commas between operands; after ``->`` those of the result. Without
        ``->``, the result has the letters met once, in the order of the alphabet. ``...`` stands for axes that
        broadcast. Instead, operands may alternate with lists of integers: ``einsum(a, [0, 1], b, [1, 2], [0, 2])``.
    *operands
        Arrays of booleans or numbers. Axes of one letter have one length, or 1, which broadcasts.
    optimize
        NumPy's choice of the order of products; taken, and not heeded: the order is always chosen here.

    Returns
    -------
    Array
        Of the promoted dtype.

    Raises
    ------
    ValueError
        If the subscripts are not well formed, or do not fit the operands.
    TypeError
        If an operand is no Array.

    Notes
    -----
    NumPy, ``einsum``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.einsum("ij,j->i", xp.asarray([[1.0, 2.0], [3.0, 4.0]]), xp.asarray([1.0, 10.0]))
    Array([21., 43.])
    """
    arrays, labels, output = _parsed(subscripts, operands)
    dtype = result_type(*(x.dtype for x in arrays))
    if dtype.kind == "b":
        arrays = [xp.astype(x, x._device.default_dtypes["integral"]) for x in arrays]
    else:
        arrays = [xp.astype(x, dtype, copy=False) for x in arrays]
    lengths = _lengths(arrays, labels, output)
    terms = [_term(x, names, lengths, set(output)) for x, names in zip(arrays, labels, strict=True)]
    while len(terms) > 1:
        pairs = combinations(range(len(terms)), 2)
        i, j = min(pairs, key=lambda pair: _cost(terms, pair, lengths, output))
        others = [term for position, term in enumerate(terms) if position not in (i, j)]
        terms = [*others, _product(terms[i], terms[j], lengths, _needed(others, output))]
    x, names = terms[0]
    x = _summed(x, names, set(output))
    names = tuple(name for name in names if name in output)
    # A letter may stand in the result alone only where an axis of length 1 was all that carried it.
    x = xp.permute_dims(x, tuple(names.index(name) for name in output))
    return x != 0 if dtype.kind == "b" else x


def _parsed(subscripts: Any, operands: Sequence[Any]) -> tuple[list[Array], list[Labels], Labels]:
    """The operands, a label for each of their axes, and the labels of the result."""
    if isinstance(subscripts, str):
        given, arrow, wanted = subscripts.replace(" ", "").partition("->")
        parts, arrays = [_letters(part) for part in given.split(",")], list(operands)
        result = _letters(wanted) if arrow else None
    else:
        items = (subscripts, *operands)
        arrays = list(items[: len(items) // 2 * 2 : 2]) or [subscripts]
        for x in arrays:
            device_of(x, "einsum")
        parts = [_integers(item) for item in items[1::2]]
        result = _integers(items[-1]) if len(items) % 2 else None
    for x in arrays:
        device_of(x, "einsum")
    if len(parts) != len(arrays):
        raise ValueError(
            f"einsum(): {describe(subscripts)} is for {len(parts)} operands, and {len(arrays)} are given: "
            f"arrays of shape {', '.join(str(x.shape) for x in arrays)}"
        )
    labels = [_axes(part, x) for part, x in zip(parts, arrays, strict=True)]
    met = [name for names in labels for name in names]
    broadcast = sorted({name for name in met if isinstance(name, tuple)}, reverse=True, key=lambda name: name[1])
    if result is None:
        single = sorted(name for name in set(met) if not isinstance(name, tuple) and met.count(name) == 1)
        return arrays, labels, (*broadcast, *single)
    output: Labels = tuple(name for part in result for name in (broadcast if part is Ellipsis else (part,)))
    if len(set(output)) != len(output) or not set(output) <= set(met):
        raise ValueError(
            f"einsum(): the result of {describe(subscripts)} names a label twice, or one that no operand has"
        )
    return arrays, labels, output


def _integers(part: Any) -> Labels:
    """The labels of one operand from a list of integers, in which an ellipsis may stand."""
    if not isinstance(part, (list, tuple)):
        raise TypeError(
            f"einsum() takes subscripts as text or as lists of integers after the Arrays, not {describe(part)}"
        )
    return tuple(part)


def _letters(part: str) -> Labels:
    """The labels of one operand as they are written, an ellipsis as ``...``."""
    head, dots, tail = part.partition("...")
    wrong = {letter for letter in head + tail if not (letter.isascii() and letter.isalpha())}
    if wrong:
        raise ValueError(
            f"einsum(): subscripts are letters, '...', ',' and '->', not {''.join(sorted(wrong))!r} in {part!r}"
        )
    return (*head, *((Ellipsis,) if dots else ()), *tail)


def _axes(part: Labels, x: Array) -> Labels:
    """A label for each axis of an operand."""
    named = [name for name in part if name is not Ellipsis]
    free = x.ndim - len(named)
    if free < 0 or len(part) - len(named) > 1 or (free and Ellipsis not in part):
        raise ValueError(f"einsum(): {len(named)} subscripts do not fit an array of shape {x.shape}")
    spread = tuple(("...", free - i) for i in range(free))
    return tuple(name for item in part for name in (spread if item is Ellipsis else (item,)))


def _lengths(arrays: Sequence[Array], labels: Sequence[Labels], output: Labels) -> dict[Any, int]:
    """The length of each label."""
    lengths: dict[Any, int] = {}
    for x, names in zip(arrays, labels, strict=True):
        for name, length in zip(names, x.shape, strict=True):
            known = lengths.setdefault(name, length)
            if known == 1:
                lengths[name] = length
            elif length not in (1, known):
                raise ValueError(
                    f"einsum(): axes labelled {name!r} have lengths {known} and {length}; they must be equal, or 1"
                )
    return lengths


def _term(x: Array, names: Labels, lengths: dict[Any, int], kept: set[Any]) -> tuple[Array, Labels]:
    """An operand with each label once: diagonals of those it has twice, without axes of length 1 that broadcast."""
    for name in dict.fromkeys(names):
        while names.count(name) > 1:
            first = names.index(name)
            second = names.index(name, first + 1)
            if x.shape[first] != x.shape[second]:
                short = first if x.shape[first] == 1 else second
                x = xp.squeeze(x, short)
                names = (*names[:short], *names[short + 1 :])
                continue
            rest = tuple(i for i in range(x.ndim) if i not in (first, second))
            x = linalg.diagonal(xp.permute_dims(x, (*rest, first, second)))
            names = (*(names[i] for i in rest), name)
    narrow = tuple(i for i, name in enumerate(names) if x.shape[i] == 1 and lengths[name] != 1)
    if narrow:
        x = xp.squeeze(x, narrow)
        names = tuple(name for i, name in enumerate(names) if i not in narrow)
    return x, names


def _needed(terms: Sequence[tuple[Array, Labels]], output: Labels) -> set[Any]:
    return {*output, *(name for _, names in terms for name in names)}


def _cost(terms: Sequence[tuple[Array, Labels]], pair: tuple[int, int], lengths: dict[Any, int], output: Labels) -> int:
    """How much larger the product of two terms is than they are."""
    others = [term for position, term in enumerate(terms) if position not in pair]
    (x, names1), (y, names2) = terms[pair[0]], terms[pair[1]]
    kept = {*names1, *names2} & _needed(others, output)
    return math.prod(lengths[name] for name in kept) - x.size - y.size


def _summed(x: Array, names: Labels, kept: set[Any]) -> Array:
    """The sum over the axes whose label nobody needs."""
    axes = tuple(i for i, name in enumerate(names) if name not in kept)
    return xp.sum(x, axis=axes, dtype=x.dtype) if axes else x


def _product(
    term1: tuple[Array, Labels], term2: tuple[Array, Labels], lengths: dict[Any, int], needed: set[Any]
) -> tuple[Array, Labels]:
    """Two terms as one: a stack of matrix products, over the labels of both that nobody else needs."""
    (x, names1), (y, names2) = term1, term2
    x, y = _summed(x, names1, needed | set(names2)), _summed(y, names2, needed | set(names1))
    names1 = tuple(name for name in names1 if name in needed or name in names2)
    names2 = tuple(name for name in names2 if name in needed or name in term1[1])
    both = tuple(name for name in names1 if name in names2)
    stacked, inner = tuple(n for n in both if n in needed), tuple(n for n in both if n not in needed)
    left, right = tuple(n for n in names1 if n not in both), tuple(n for n in names2 if n not in both)
    names = (*stacked, *left, *right)
    sizes = [math.prod(lengths[name] for name in group) for group in (stacked, left, inner, right)]
    x = _arranged(x, names1, (*stacked, *left, *inner))
    y = _arranged(y, names2, (*stacked, *inner, *right))
    shape = tuple(lengths[name] for name in names)
    if not inner:
        ones = (1,) * len(right)
        widened = xp.reshape(x, (*x.shape, *ones))
        return widened * xp.reshape(y, (*y.shape[: len(stacked)], *(1,) * len(left), *y.shape[len(stacked) :])), names
    x = xp.reshape(x, (sizes[0], sizes[1], sizes[2]))
    y = xp.reshape(y, (sizes[0], sizes[2], sizes[3]))
    return xp.reshape(xp.matmul(x, y), shape), names


def _arranged(x: Array, names: Labels, order: Labels) -> Array:
    return xp.permute_dims(x, tuple(names.index(name) for name in order))
