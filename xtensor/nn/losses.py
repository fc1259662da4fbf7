"""Loss functions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis, check_integer, check_word
from .._core.compositions import composed
from .._core.dtypes import kind_of
from .._core.errors import shortened
from .._core.levels import first_wrong
from .._core.operands import coerce_operands
from .._core.operations import declare
from ..special.reductions import log_softmax_over
from ._checks import check_number, check_parameter, check_real_floating
from ._computation import compute
from .activations import log_softmax

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["cross_entropy"]


CROSS_ENTROPY = declare(
    "nn.cross_entropy", "network", operands=2, accepts="real floating", shape="argument", primitive=False
)


@composed
def cross_entropy(
    logits: AnyArray,
    target: AnyArray,
    /,
    *,
    axis: int = -1,
    weight: AnyArray | None = None,
    label_smoothing: float = 0.0,
    ignore_index: int | None = None,
    reduction: Literal["mean", "sum", "none"] = "mean",
) -> Array:
    r"""Cross entropy :math:`-\ln p_t` of target class :math:`t`, where :math:`p = \mathrm{softmax}(x)` for logits x.

    Label smoothing :math:`\varepsilon` mixes the target distribution with the uniform distribution over all :math:`C`
    classes: :math:`-(1 - \varepsilon) \ln p_t - \frac{\varepsilon}{C} \sum_c \ln p_c`.

    Parameters
    ----------
    logits
        Array :math:`x` of a real floating-point dtype, with the classes along ``axis``.
    target
        Array of integers, the target classes, whose shape is that of ``logits`` without ``axis``; or probabilities
        :math:`q`, an Array of a real floating-point dtype and the shape of ``logits``, for
        :math:`-\sum_c q_c \ln p_c`.
    axis
        Axis of the classes.
    weight
        Array of shape (C,): the weights of the classes, by which losses are multiplied; the mean of losses is divided
        by the sum of the weights of the targets. None means 1.
    label_smoothing
        Weight :math:`\varepsilon` of the uniform distribution, in [0, 1].
    ignore_index
        Target value whose elements have loss 0 and are excluded from the mean; None excludes no element.
    reduction
        ``"mean"`` of the losses that are not ignored, their ``"sum"``, or ``"none"`` for the loss of each target.

    Returns
    -------
    Array
        0-d Array, or an Array of the shape of ``target`` with ``reduction="none"``; of the dtype of ``logits``.

    Raises
    ------
    TypeError
        If ``logits`` is not an Array of a real floating-point dtype, or ``target`` not an Array of integers.
    ValueError
        If the shapes do not match, there are no classes, or an option is out of range.
    IndexError
        If ``axis`` is out of bounds, or a target is neither in [0, C) nor ignored, on devices of the host.

    Notes
    -----
    On other devices, whose values the host does not look at, the loss of a target out of bounds is NaN. The mean of no
    losses is NaN. At infinite logits, :math:`\ln p` has the values of :func:`log_softmax`.

    Label smoothing: Szegedy et al., "Rethinking the Inception Architecture for Computer Vision" (2016), section 7.
    """
    logits, target, weight = coerce_operands("cross_entropy", logits, target, weight)
    check_real_floating(logits, "cross_entropy", "logits")
    is_class = target.dtype.kind in "iu"
    if not is_class and kind_of(target.dtype) != "f":
        raise TypeError(
            f"cross_entropy(): target has dtype {target.dtype}, expected classes as integers, or probabilities; cast "
            "it with xtensor.astype"
        )
    class_axis = check_axis(axis, logits.ndim, "cross_entropy")
    expected = logits.shape[:class_axis] + logits.shape[class_axis + 1 :] if is_class else logits.shape
    if target.shape != expected:
        remedy = (
            "name the axis of the classes with axis="
            if is_class
            else f"a target of dtype {target.dtype} holds probabilities, cast classes with xtensor.astype(target, "
            "xtensor.int64)"
        )
        raise ValueError(
            f"cross_entropy(): target has shape {target.shape}, expected {expected} for logits of shape "
            f"{logits.shape} with classes along axis {class_axis}; {remedy}"
        )
    if logits.shape[class_axis] == 0:
        raise ValueError(
            f"cross_entropy(): logits of shape {logits.shape} have no classes along axis {class_axis}, expected one or "
            "more; name the axis of the classes with axis="
        )
    smoothing = check_number(label_smoothing, "cross_entropy", "label_smoothing")
    if not 0 <= smoothing <= 1:
        raise ValueError(f"cross_entropy(): label_smoothing is a number from 0 to 1, not {shortened(label_smoothing)}")
    ignored = None if ignore_index is None else check_integer(ignore_index, "cross_entropy", "ignore_index")
    check_parameter(weight, logits.shape[class_axis : class_axis + 1], "cross_entropy", "weight")
    check_word(reduction, ("mean", "sum", "none"), "cross_entropy", "reduction")
    if not is_class:
        if ignored is not None:
            raise ValueError("cross_entropy(): ignore_index is a class, and target has probabilities")
        return _of_probabilities(logits, target, weight, class_axis, smoothing, reduction)
    limits = np.iinfo(target.dtype)
    if ignored is not None and not limits.min <= ignored <= limits.max:
        ignored = None  # no target has this value, and devices cannot compare with it
    _check_classes(target, logits.shape[class_axis], ignored)
    if class_axis != logits.ndim - 1:
        logits = xp.moveaxis(logits, class_axis, -1)
    if weight is not None:
        return _weighted(logits, target, weight, smoothing, ignored, reduction)
    return compute(
        CROSS_ENTROPY,
        _cross_entropy,
        logits,
        target,
        label_smoothing=smoothing,
        ignore_index=ignored,
        reduction=reduction,
    )


def _check_classes(target: Array, count: int, ignored: int | None) -> None:
    """Raise IndexError for a target that is neither a class nor ignored."""
    invalid = (target < 0) | (target >= count)
    if ignored is not None:
        invalid &= target != ignored
    value = first_wrong(target, invalid)
    if value is not None:
        raise IndexError(
            f"cross_entropy(): target {value} is out of bounds for {count} classes; pass classes from 0 to "
            f"{count - 1}, or ignore_index={value}"
        )


def _cross_entropy(
    logits: Array, target: Array, *, label_smoothing: float, ignore_index: int | None, reduction: str
) -> Array:
    logarithms = log_softmax_over(logits, (logits.ndim - 1,))
    is_class = (target >= 0) & (target < logits.shape[-1])
    index = xp.expand_dims(xp.where(is_class, target, 0), axis=-1)
    loss = -xp.squeeze(xp.take_along_axis(logarithms, index, axis=-1), axis=-1)
    if label_smoothing:
        uniform = -label_smoothing * xp.mean(logarithms, axis=-1)
        # With weight 0, the target does not count even if its loss is infinite.
        loss = uniform if label_smoothing == 1 else (1 - label_smoothing) * loss + uniform
    loss = xp.where(is_class, loss, math.nan)
    counted = xp.ones_like(target, dtype=xp.bool) if ignore_index is None else target != ignore_index
    loss = xp.where(counted, loss, 0.0)
    if reduction == "none":
        return loss
    total = xp.sum(loss)
    return total if reduction == "sum" else total / xp.sum(xp.astype(counted, loss.dtype))


def _weighted(
    logits: Array, target: Array, weight: Array, smoothing: float, ignored: int | None, reduction: str
) -> Array:
    """Return the cross entropy of classes with weights; the classes are along the last axis."""
    logarithms = log_softmax(logits)
    is_class = (target >= 0) & (target < logits.shape[-1])
    index = xp.where(is_class, target, 0)
    weights = xp.reshape(xp.take(weight, xp.reshape(index, (-1,)), axis=0), target.shape)
    loss = -weights * xp.squeeze(xp.take_along_axis(logarithms, xp.expand_dims(index, axis=-1), axis=-1), axis=-1)
    if smoothing:
        uniform = -smoothing / logits.shape[-1] * xp.sum(logarithms * weight, axis=-1)
        loss = uniform if smoothing == 1 else (1 - smoothing) * loss + uniform
    loss = xp.where(is_class, loss, math.nan)
    if ignored is not None:
        loss = xp.where(target == ignored, 0.0, loss)
        weights = xp.where(target == ignored, 0.0, weights)
    if reduction == "none":
        return loss
    return xp.sum(loss) if reduction == "sum" else xp.sum(loss) / xp.sum(weights)


def _of_probabilities(
    logits: Array, target: Array, weight: Array | None, axis: int, smoothing: float, reduction: str
) -> Array:
    """Return the cross entropy of probabilities of the classes."""
    logarithms = log_softmax(logits, axis=axis)
    if smoothing:
        target = target * (1 - smoothing) + smoothing / logits.shape[axis]
    if weight is not None:
        logarithms = logarithms * xp.reshape(weight, (-1, *[1] * (logits.ndim - axis - 1)))
    # A probability of 0 does not count even if its loss is infinite.
    loss = -xp.sum(xp.where(target == 0, 0.0, target * xp.where(target == 0, 0.0, logarithms)), axis=axis)
    if reduction == "none":
        return loss
    return xp.sum(loss) if reduction == "sum" else xp.sum(loss) / float(max(loss.size, 1))
