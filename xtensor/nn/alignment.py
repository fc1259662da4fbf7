"""Connectionist temporal classification: the loss of sequences without an alignment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array, to_numpy
from .._core.checks import check_flag, check_integer, check_word
from .._core.compositions import composed
from .._core.errors import describe
from .._core.operands import coerce_operands
from ._checks import check_real_floating
from ._computation import in_single
from .distances import Reduction, reduced

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["ctc_loss"]

LONGEST = 2**31
"""Length that no sequence exceeds."""

IMPOSSIBLE = -1e30
"""Logarithm of the probability of an impossible state; the derivative of a sum with -inf would be NaN."""


@composed
@in_single
def ctc_loss(
    log_probs: AnyArray,
    targets: AnyArray,
    input_lengths: Any,
    target_lengths: Any,
    /,
    *,
    blank: int = 0,
    reduction: Reduction = "mean",
    zero_infinity: bool = False,
) -> Array:
    """Negative logarithm of the probability of target sequences over all their alignments to the inputs.

    Parameters
    ----------
    log_probs
        Array of shape (t, n, c): logarithms of the probabilities of c classes.
    targets
        Array of integers of shape (n, s), or of the concatenated sequences.
    input_lengths, target_lengths
        Lengths of the n inputs and targets: sequences of integers, or Arrays.
    blank
        The class that is no symbol.
    reduction
        ``"mean"`` of the losses divided by the lengths of the targets, ``"sum"``, or ``"none"``.
    zero_infinity
        Whether the infinite loss of an input that is too short for its target is 0.

    Returns
    -------
    Array
        0-d Array, or an Array of shape (n,) with ``reduction="none"``.

    Raises
    ------
    TypeError
        If ``log_probs`` is not an Array of a real floating-point dtype, or ``targets`` not one of integers.
    ValueError
        If lengths do not match.

    Notes
    -----
    Graves et al., "Connectionist Temporal Classification" (2006).
    """
    name = "ctc_loss"
    log_probs, targets = coerce_operands(name, log_probs, targets)
    check_real_floating(log_probs, name, "log_probs")
    if log_probs.ndim != 3 or targets.dtype.kind not in "iu":
        raise ValueError(
            f"{name}() takes log_probs of shape (t, n, c) and targets of integers, not {describe(targets)}"
        )
    times, count, classes = log_probs.shape
    inputs, lengths = [_lengths(value, count, name) for value in (input_lengths, target_lengths)]
    zero = check_flag(zero_infinity, name, "zero_infinity")
    symbol = check_integer(blank, name, "blank")
    if max(inputs, default=0) > times or not 0 <= symbol < classes:
        raise ValueError(f"{name}(): an input is longer than {times}, or blank {symbol} is none of {classes} classes")
    labels = _labels(to_numpy(targets), lengths, symbol, name)
    loss = _losses(log_probs, labels, inputs, lengths, symbol)
    is_impossible = loss > -IMPOSSIBLE / 10
    loss = xp.where(is_impossible, 0.0 if zero else math.inf, loss)
    if check_word(reduction, ("mean", "sum", "none"), name, "reduction") == "mean":
        divisors = np.maximum(np.asarray(lengths), 1).astype(loss.dtype)
        return xp.mean(loss / xp.asarray(divisors, device=loss.device))
    return reduced(loss, reduction, name)


def _lengths(value: Any, count: int, name: str) -> list[int]:
    given = to_numpy(value).tolist() if value.__class__ is Array else value
    given = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(given, (list, tuple)) or not all(isinstance(item, (int, np.integer)) for item in given):
        raise TypeError(f"{name}() takes lengths as a list or an Array of integers, not {describe(value)}")
    if len(given) != count or not all(0 <= item <= LONGEST for item in given):
        raise ValueError(f"{name}() takes {count} lengths that are not negative, not {describe(value)}")
    return list(map(int, given))


def _labels(targets: np.ndarray[Any, Any], lengths: list[int], blank: int, name: str) -> np.ndarray[Any, Any]:
    """Return the targets with a blank before, between and after their symbols, of shape (n, 2 s + 1)."""
    longest = max(lengths, default=0)
    labels = np.full((len(lengths), 2 * longest + 1), blank, dtype=np.int64)
    if targets.ndim == 1:
        if targets.size != sum(lengths):
            raise ValueError(f"{name}(): targets has {targets.size} symbols, and the lengths are {lengths}")
        rows = np.split(targets, np.cumsum(lengths)[:-1])
    else:
        if targets.ndim != 2 or targets.shape[0] != len(lengths) or targets.shape[1] < longest:
            raise ValueError(f"{name}(): targets has shape {targets.shape}, and the lengths are {lengths}")
        rows = list(targets)
    for row, target, length in zip(labels, rows, lengths, strict=True):
        row[1 : 2 * length : 2] = target[:length]
    return labels


def _losses(log_probs: Array, labels: np.ndarray[Any, Any], inputs: list[int], lengths: list[int], blank: int) -> Array:
    """Return the loss of each sequence, by the probabilities of all prefixes of its labels at each time."""
    count, states = labels.shape
    device, dtype = log_probs.device, log_probs.dtype

    def constant(values: Any) -> Array:
        return xp.asarray(values, device=device)

    index = constant(np.broadcast_to(labels, (log_probs.shape[0], count, states)).copy())
    emitted = xp.take_along_axis(log_probs, index, axis=2)
    may_skip = np.zeros((count, states), dtype=bool)
    may_skip[:, 2:] = (labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])
    skip = constant(np.where(may_skip, 0.0, IMPOSSIBLE).astype(dtype))
    position = np.arange(states)
    first = constant(
        np.where((position == 0) | ((position == 1) & (np.asarray(lengths)[:, None] > 0)), 0.0, IMPOSSIBLE).astype(
            dtype
        )
    )
    before = constant(np.full((count, 2), IMPOSSIBLE, dtype=dtype))
    alpha = first + emitted[0, ...]
    for time in range(1, log_probs.shape[0]):
        shifted = xp.concat([before, alpha], axis=1)
        reached = xp.logaddexp(xp.logaddexp(alpha, shifted[:, 1 : states + 1]), shifted[:, :states] + skip)
        going_on = constant((time < np.asarray(inputs))[:, None])
        alpha = xp.where(going_on, reached + emitted[time, ...], alpha)
    last = 2 * np.asarray(lengths)
    is_end = (position == last[:, None]) | (position == last[:, None] - 1)
    ends = alpha + constant(np.where(is_end, 0.0, IMPOSSIBLE).astype(dtype))
    largest = xp.max(ends, axis=1, keepdims=True)
    return -(xp.squeeze(largest, axis=1) + xp.log(xp.sum(xp.exp(ends - largest), axis=1)))
