"""Losses between predictions and targets, element by element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis, check_flag, check_integer, check_word
from .._core.compositions import composed
from .._core.operands import coerce_operands
from ..linalg import vector_norm
from ..special.logistic import log_expit
from ._checks import broadcasts_to, check_eps, check_number, check_parameter, check_real_floating
from ._computation import in_single

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cosine_similarity",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
]

Reduction: TypeAlias = Literal["mean", "sum", "none"]
"""The mean or the sum of the losses, or the loss of each element."""


def _pair(x: Array, target: Array, name: str) -> None:
    check_real_floating(x, name, "x")
    check_real_floating(target, name, "target")
    if x.shape != target.shape:
        raise ValueError(
            f"{name}(): x has shape {x.shape} and target has shape {target.shape}, expected the same shape; broadcast "
            "them with xtensor.broadcast_arrays"
        )


def reduced(loss: Array, reduction: Reduction, name: str) -> Array:
    """Return the mean or the sum of losses, or the losses."""
    word = check_word(reduction, ("mean", "sum", "none"), name, "reduction")
    return loss if word == "none" else xp.sum(loss) if word == "sum" else xp.mean(loss)


@composed
@in_single
def mse_loss(x: AnyArray, target: AnyArray, /, *, reduction: Reduction = "mean") -> Array:
    """Squared error (x − t)².

    Parameters
    ----------
    x, target
        Arrays x and t of one shape and real floating-point dtypes.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.

    Returns
    -------
    Array
        0-d Array, or an Array of the shape of ``x`` with ``reduction="none"``; of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If the shapes differ, or ``reduction`` is another value.
    """
    x, target = coerce_operands("mse_loss", x, target)
    _pair(x, target, "mse_loss")
    difference = x - target
    return reduced(difference * difference, reduction, "mse_loss")


@composed
@in_single
def l1_loss(x: AnyArray, target: AnyArray, /, *, reduction: Reduction = "mean") -> Array:
    """Absolute error |x − t|.

    Parameters
    ----------
    x, target
        Arrays x and t of one shape and real floating-point dtypes.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.

    Returns
    -------
    Array
        0-d Array, or an Array of the shape of ``x`` with ``reduction="none"``; of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If the shapes differ, or ``reduction`` is another value.
    """
    x, target = coerce_operands("l1_loss", x, target)
    _pair(x, target, "l1_loss")
    return reduced(xp.abs(x - target), reduction, "l1_loss")


@composed
@in_single
def smooth_l1_loss(x: AnyArray, target: AnyArray, /, *, reduction: Reduction = "mean", beta: float = 1.0) -> Array:
    r"""Absolute error, quadratic near 0: :math:`d^2 / 2\beta` for :math:`|d| < \beta`, else :math:`|d| - \beta/2`.

    Parameters
    ----------
    x, target
        Arrays of one shape and real floating-point dtypes, with the difference d.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.
    beta
        Nonnegative number :math:`\beta`.

    Returns
    -------
    Array
        0-d Array, or an Array of the shape of ``x`` with ``reduction="none"``; of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If the shapes differ, ``beta`` is negative, or ``reduction`` is another value.
    """
    x, target = coerce_operands("smooth_l1_loss", x, target)
    _pair(x, target, "smooth_l1_loss")
    width = check_number(beta, "smooth_l1_loss", "beta")
    if not width >= 0:
        raise ValueError(f"smooth_l1_loss(): beta is {beta}, expected a nonnegative number")
    distance = xp.abs(x - target)
    loss = distance
    if width:
        loss = xp.where(distance < width, 0.5 * distance * distance / width, distance - 0.5 * width)
    return reduced(loss, reduction, "smooth_l1_loss")


@composed
@in_single
def huber_loss(x: AnyArray, target: AnyArray, /, *, reduction: Reduction = "mean", delta: float = 1.0) -> Array:
    r"""Huber loss: :math:`d^2 / 2` for :math:`|d| \le \delta`, else :math:`\delta (|d| - \delta / 2)`.

    Parameters
    ----------
    x, target
        Arrays of one shape and real floating-point dtypes, with the difference d.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.
    delta
        Positive number :math:`\delta`.

    Returns
    -------
    Array
        0-d Array, or an Array of the shape of ``x`` with ``reduction="none"``; of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If the shapes differ, ``delta`` is not positive, or ``reduction`` is another value.
    """
    x, target = coerce_operands("huber_loss", x, target)
    _pair(x, target, "huber_loss")
    width = check_number(delta, "huber_loss", "delta")
    if not width > 0:
        raise ValueError(f"huber_loss(): delta is {delta}, expected a positive number")
    distance = xp.abs(x - target)
    loss = xp.where(distance <= width, 0.5 * distance * distance, width * (distance - 0.5 * width))
    return reduced(loss, reduction, "huber_loss")


@composed
@in_single
def binary_cross_entropy(
    x: AnyArray, target: AnyArray, /, *, weight: AnyArray | None = None, reduction: Reduction = "mean"
) -> Array:
    r"""Cross entropy of probabilities, :math:`-w\,(t \ln x + (1 - t) \ln(1 - x))`.

    Parameters
    ----------
    x, target
        Arrays x and t of one shape and real floating-point dtypes, with values in [0, 1].
    weight
        Array w that broadcasts to that shape; None means 1.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.

    Returns
    -------
    Array
        0-d Array, or an Array of the shape of ``x`` with ``reduction="none"``; of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If the shapes do not match, or ``reduction`` is another value.

    Notes
    -----
    Logarithms are -100 or more, as in PyTorch, so that the loss is finite. Prefer
    :func:`binary_cross_entropy_with_logits`, which loses no precision.
    """
    name = "binary_cross_entropy"
    x, target, weight = coerce_operands(name, x, target, weight)
    _pair(x, target, name)
    loss = -(target * _bounded_logarithm(x) + (1 - target) * _bounded_logarithm(1 - x))
    return reduced(_times(loss, weight, name, "weight"), reduction, name)


def _bounded_logarithm(x: Array) -> Array:
    is_zero = x == 0
    return xp.where(is_zero, -100.0, xp.maximum(xp.log(xp.where(is_zero, 1.0, x)), -100.0))


def _times(loss: Array, weight: Array | None, name: str, word: str) -> Array:
    if weight is None:
        return loss
    check_real_floating(weight, name, word)
    if not broadcasts_to(weight.shape, loss.shape):
        raise ValueError(f"{name}(): {word} has shape {weight.shape}, which does not broadcast to {loss.shape}")
    return loss * weight


@composed
@in_single
def binary_cross_entropy_with_logits(
    x: AnyArray,
    target: AnyArray,
    /,
    *,
    weight: AnyArray | None = None,
    pos_weight: AnyArray | None = None,
    reduction: Reduction = "mean",
) -> Array:
    r"""Cross entropy of logits, :math:`-w\,(p\, t \ln \sigma(x) + (1 - t) \ln(1 - \sigma(x)))`, without overflow.

    Parameters
    ----------
    x, target
        Arrays x and t of one shape and real floating-point dtypes; t in [0, 1].
    weight, pos_weight
        Arrays w and p that broadcast to that shape; None means 1.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each element.

    Returns
    -------
    Array
        0-d Array, or an Array of the shape of ``x`` with ``reduction="none"``; of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If the shapes do not match, or ``reduction`` is another value.
    """
    name = "binary_cross_entropy_with_logits"
    x, target, weight, pos_weight = coerce_operands(name, x, target, weight, pos_weight)
    _pair(x, target, name)
    positive = _times(target, pos_weight, name, "pos_weight")
    loss = -(positive * log_expit(x) + (1 - target) * log_expit(-x))
    return reduced(_times(loss, weight, name, "weight"), reduction, name)


@composed
@in_single
def kl_div(
    x: AnyArray,
    target: AnyArray,
    /,
    *,
    reduction: Literal["mean", "batchmean", "sum", "none"] = "mean",
    log_target: bool = False,
) -> Array:
    r"""Kullback–Leibler divergence :math:`t (\ln t - x)` of logarithms of probabilities x and probabilities t.

    Parameters
    ----------
    x, target
        Arrays x and t of one shape and real floating-point dtypes.
    reduction
        ``"mean"`` of all elements, ``"batchmean"`` for the sum divided by the first length, ``"sum"``, or ``"none"``.
    log_target
        Whether ``target`` has logarithms of probabilities, too.

    Returns
    -------
    Array
        0-d Array, or an Array of the shape of ``x`` with ``reduction="none"``; of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If the shapes differ, or ``reduction`` is another value.
    """
    x, target = coerce_operands("kl_div", x, target)
    _pair(x, target, "kl_div")
    word = check_word(reduction, ("mean", "batchmean", "sum", "none"), "kl_div", "reduction")
    if check_flag(log_target, "kl_div", "log_target"):
        loss = xp.exp(target) * (target - x)
    else:
        is_zero = target == 0
        loss = xp.where(is_zero, 0.0, target * xp.log(xp.where(is_zero, 1.0, target))) - target * x
    if word == "batchmean":
        return xp.sum(loss) / float(x.shape[0] if x.ndim else 1)
    return loss if word == "none" else xp.sum(loss) if word == "sum" else xp.mean(loss)


@composed
@in_single
def nll_loss(
    x: AnyArray,
    target: AnyArray,
    /,
    *,
    weight: AnyArray | None = None,
    ignore_index: int = -100,
    reduction: Reduction = "mean",
) -> Array:
    """Negative logarithm of the probability of the target class.

    Parameters
    ----------
    x
        Array of logarithms of probabilities, of shape (n, c, …) or (c,), and a real floating-point dtype.
    target
        Array of integers, the target classes, of shape (n, …) or ().
    weight
        Array of shape (c,), the weights of the classes; None means 1.
    ignore_index
        Target value whose elements have loss 0 and are excluded from the mean.
    reduction
        ``"mean"``, divided by the sum of the weights of the targets, ``"sum"``, or ``"none"``.

    Returns
    -------
    Array
        0-d Array, or an Array of the shape of ``target`` with ``reduction="none"``.

    Raises
    ------
    TypeError
        If an operand has another dtype.
    ValueError
        If the shapes do not match, or ``reduction`` is another value.

    Notes
    -----
    The loss of a target out of bounds is NaN.
    """
    name = "nll_loss"
    x, target, weight = coerce_operands(name, x, target, weight)
    check_real_floating(x, name, "x")
    if target.dtype.kind not in "iu":
        raise TypeError(f"{name}(): target has dtype {target.dtype}, expected classes as integers")
    axis = 1 if x.ndim > 1 else 0
    if not x.ndim or target.shape != (*x.shape[:axis], *x.shape[axis + 1 :]):
        raise ValueError(f"{name}(): target has shape {target.shape}, and x has shape {x.shape}")
    classes = x.shape[axis]
    ignored = check_integer(ignore_index, name, "ignore_index")
    word = check_word(reduction, ("mean", "sum", "none"), name, "reduction")
    is_class = (target >= 0) & (target < classes)
    index = xp.where(is_class, target, 0)
    picked = xp.squeeze(xp.take_along_axis(x, xp.expand_dims(index, axis=axis), axis=axis), axis=axis)
    weights = xp.ones_like(picked)
    check_parameter(weight, (classes,), name, "weight")
    if weight is not None:
        weights = xp.reshape(xp.take(weight, xp.reshape(index, (-1,)), axis=0), target.shape)
    is_ignored = target == ignored
    loss = xp.where(is_ignored, 0.0, xp.where(is_class, -weights * picked, float("nan")))
    if word == "mean":
        return xp.sum(loss) / xp.sum(xp.where(is_ignored, 0.0, weights))
    return xp.sum(loss) if word == "sum" else loss


@composed
@in_single
def cosine_similarity(x1: AnyArray, x2: AnyArray, /, *, axis: int = 1, eps: float = 1e-8) -> Array:
    r"""Cosine of the angle of vectors, :math:`\frac{x_1 \cdot x_2}{\max(\|x_1\|, \epsilon) \max(\|x_2\|, \epsilon)}`.

    Parameters
    ----------
    x1, x2
        Arrays of real floating-point dtypes that broadcast.
    axis
        Axis of the vectors.
    eps
        :math:`\epsilon`.

    Returns
    -------
    Array
        Array without the axis.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    """
    name = "cosine_similarity"
    x1, x2 = coerce_operands(name, x1, x2)
    check_real_floating(x1, name, "x1")
    check_real_floating(x2, name, "x2")
    number = check_axis(axis, max(x1.ndim, x2.ndim), name)
    least = check_eps(eps, name)
    x1, x2 = xp.broadcast_arrays(x1, x2)
    return xp.sum(_direction(x1, number, least) * _direction(x2, number, least), axis=number)


def _direction(x: Array, axis: int, least: float) -> Array:
    """Return vectors divided by their norm: products of directions stay within the range where those of x do not."""
    return x / xp.maximum(vector_norm(x, axis=axis, keepdims=True), least)


@composed
@in_single
def cosine_embedding_loss(
    x1: AnyArray, x2: AnyArray, target: AnyArray, /, *, margin: float = 0.0, reduction: Reduction = "mean"
) -> Array:
    r"""Loss of pairs of vectors: :math:`1 - \cos` for target 1, :math:`\max(0, \cos - m)` for target -1.

    Parameters
    ----------
    x1, x2
        Arrays of shape (n, d) or (d,) and real floating-point dtypes.
    target
        Array of shape (n,) or () with the numbers 1 and -1.
    margin
        :math:`m`.
    reduction
        ``"mean"``, ``"sum"``, or ``"none"`` for the loss of each pair.

    Returns
    -------
    Array
        0-d Array, or an Array of the shape of ``target`` with ``reduction="none"``.

    Raises
    ------
    TypeError
        If an operand has another dtype.
    ValueError
        If the shapes do not match, or ``reduction`` is another value.
    """
    name = "cosine_embedding_loss"
    x1, x2, target = coerce_operands(name, x1, x2, target)
    check_real_floating(x1, name, "x1")
    check_real_floating(x2, name, "x2")
    if target.dtype.kind not in "iuf":
        raise TypeError(f"{name}(): target has dtype {target.dtype}, expected the numbers 1 and -1")
    if x1.shape != x2.shape or x1.ndim not in (1, 2) or target.shape != x1.shape[:-1]:
        raise ValueError(
            f"{name}(): x1, x2 and target have shapes {x1.shape}, {x2.shape} and {target.shape}, expected (n, d), "
            "(n, d) and (n,)"
        )
    cosine = cosine_similarity(x1, x2, axis=-1, eps=1e-8)
    apart = cosine - check_number(margin, name, "margin")
    loss = xp.where(target == 1, 1 - cosine, xp.where(apart > 0, apart, 0.0))
    return reduced(loss, reduction, name)
