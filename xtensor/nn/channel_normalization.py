"""Normalization of channels: over a batch, over groups of channels, over each example."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_flag, check_integer
from .._core.compositions import composed
from .._core.operands import coerce_operands
from .._core.operations import declare
from .._core.rescaling import host_looks_at
from .._fuse.formulas import compute_formula
from .._ops import _casts
from ._checks import check_eps, check_parameter, check_real_floating
from ._computation import compute
from .normalization import layer_norm, leaves_range, scaled_to_range

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = [
    "batch_norm",
    "batch_norm_and_statistics",
    "by_channel",
    "group_norm",
    "instance_norm",
    "through_batch_norm",
]

BATCH_NORM = declare("nn.batch_norm", "network", operands=5, accepts="real floating", shape="same", primitive=False)


@composed
def batch_norm(
    x: AnyArray,
    running_mean: AnyArray | None,
    running_var: AnyArray | None,
    weight: AnyArray | None = None,
    bias: AnyArray | None = None,
    /,
    *,
    training: bool = False,
    eps: float = 1e-5,
) -> Array:
    r"""Batch normalization :math:`\frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} w + b` of each channel.

    Parameters
    ----------
    x
        Array of shape (n, c, …) and a real floating-point dtype.
    running_mean, running_var
        Arrays :math:`\mu` and :math:`\sigma^2` of shape (c,); not used in training.
    weight, bias
        Arrays w and b of shape (c,); None means 1 and 0.
    training
        Whether :math:`\mu` and :math:`\sigma^2` are the mean and the population variance of each channel of ``x``.
    eps
        Nonnegative number :math:`\epsilon` that avoids division by zero.

    Returns
    -------
    Array
        Array of the shape of ``x`` and of the promoted dtype. The running statistics are not changed, as they are by
        PyTorch; the layers of ``xtensor.nn`` update theirs.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If a shape does not match, ``eps`` is negative, or there is one element for each channel in training.

    Notes
    -----
    Ioffe and Szegedy, "Batch Normalization" (2015).
    """
    name = "batch_norm"
    x, running_mean, running_var, weight, bias = coerce_operands(name, x, running_mean, running_var, weight, bias)
    if check_flag(training, name, "training"):
        return batch_norm_and_statistics(x, weight, bias, eps=eps)[0]
    _check(x, weight, bias, name)
    for array, word in ((running_mean, "running_mean"), (running_var, "running_var")):
        if array is None:
            raise ValueError(f"{name}(): {word} is None; pass an Array of shape {x.shape[1:2]}, or training=True")
        check_parameter(array, x.shape[1:2], name, word)
    result: Array = compute(BATCH_NORM, _scaled, x, running_mean, running_var, weight, bias, eps=check_eps(eps, name))
    return result


def batch_norm_and_statistics(
    x: Array, weight: Array | None, bias: Array | None, *, eps: float
) -> tuple[Array, Array, Array]:
    """Return the normalization in training, and the mean and the population variance of each channel."""
    name = "batch_norm"
    _check(x, weight, bias, name)
    if x.size // max(x.shape[1], 1) == 1:
        raise ValueError(
            f"{name}(): x of shape {x.shape} has one value for each channel, of which training takes no variance; "
            "Expected more than 1 value per channel when training"
        )
    eps = check_eps(eps, name)
    normalized: Any = compute(BATCH_NORM, _normalized, x, None, None, weight, bias, eps=eps)
    if normalized.__class__ is Array:  # of a transform, which has the derivative of the result
        wide = _casts.widened(x)
        mean, _, variance = compute_formula(_statistics, wide)
        if _leaves_range(variance, eps):
            axes = (0, *range(2, x.ndim))
            mean, variance = xp.mean(wide, axis=axes), xp.var(wide, axis=axes)
        return normalized, mean, variance
    if _leaves_range(normalized[2], eps):
        return compute(BATCH_NORM, _scaled_normalized, x, None, None, weight, bias, eps=eps)  # type: ignore[return-value]
    return normalized  # type: ignore[no-any-return]


def _check(x: Array, weight: Array | None, bias: Array | None, name: str) -> None:
    check_real_floating(x, name, "x")
    if x.ndim < 2:
        raise ValueError(f"{name}(): x has shape {x.shape}, expected (examples, channels, ...)")
    check_parameter(weight, x.shape[1:2], name, "weight")
    check_parameter(bias, x.shape[1:2], name, "bias")


def by_channel(values: Array, x: Array) -> Array:
    """Return one number for each channel in a shape that broadcasts to ``x``."""
    return xp.reshape(values, (-1, *[1] * (x.ndim - 2)))


def _statistics(x: Array) -> tuple[Array, Array, Array]:
    """Return the mean of each channel, the differences from it, and the population variance of each channel."""
    axes = (0, *range(2, x.ndim))
    count = float(math.prod([x.shape[axis] for axis in axes]))
    mean = xp.sum(x, axis=axes) / count
    centered = x - by_channel(mean, x)
    return mean, centered, xp.sum(centered * centered, axis=axes) / count


def _leaves_range(variance: Array, eps: float) -> bool:
    """Whether squares leave the range. Devices whose results the host does not look at keep the plain formula."""
    return host_looks_at(variance.device) and leaves_range(xp.sqrt(variance + eps), eps)


def _channels_in_range(x: Array, eps: float) -> tuple[Array, Array, Array]:
    """Return ``x`` with each channel divided by a power of two, and ``eps`` and the power of each channel."""
    scaled, scaled_eps, scale = scaled_to_range(x, (0, *range(2, x.ndim)), eps)
    return scaled, xp.reshape(scaled_eps, (-1,)), xp.reshape(scale, (-1,))


def through_batch_norm(
    g: Array, x: Array, mean: Array | None, variance: Array | None, weight: Array | None, *, eps: float
) -> tuple[Array, Array, Array, Array]:
    """Return the cotangents of :func:`through_channels`, where squares leave the range from scaled elements."""
    result: tuple[Array, ...] = compute_formula(through_channels, g, x, mean, variance, weight, eps=eps)
    if mean is None and x.size and _leaves_range(result[3], eps):
        x, scaled_eps, scale = _channels_in_range(x, eps)
        by_x, *others = through_channels(g, x, None, None, weight, eps=scaled_eps)
        return by_x / by_channel(scale, x), *others  # type: ignore[return-value]
    return result  # type: ignore[return-value]


def through_channels(
    g: Array,
    x: Array,
    mean: Array | None,
    variance: Array | None,
    weight: Array | None,
    *,
    eps: float | Array,
) -> tuple[Array, Array, Array, Array]:
    """Return the cotangents of ``x``, of the standardized elements' factor and term, and of the variance.

    The factor and the term are the weight and the bias; the mean's cotangent is that of the term times a number. In
    training, neither a constant nor a multiple of the standardized elements has an effect, and the last result is the
    variance itself.
    """
    axes = (0, *range(2, x.ndim))
    count = float(math.prod([x.shape[axis] for axis in axes]))
    by_bias = xp.sum(g, axis=axes)
    if mean is None or variance is None:
        _, centered, spread = _statistics(x)
        g = g - by_channel(by_bias / count, x)
    else:
        centered, spread = x - by_channel(mean, x), variance
    factor = 1 / xp.sqrt(spread + eps)
    standard = centered * by_channel(factor, x)
    by_weight = xp.sum(g * standard, axis=axes)
    if mean is None:
        g = g - standard * by_channel(by_weight / count, x)
    scale = factor if weight is None else factor * weight
    by_x = g * by_channel(scale, x)
    return by_x, by_weight, by_bias, spread if mean is None else -by_weight * scale * factor / 2


def _scaled(x: Array, mean: Array, variance: Array, weight: Array | None, bias: Array | None, *, eps: float) -> Array:
    factor = 1 / xp.sqrt(variance + eps)
    factor = factor if weight is None else factor * weight
    result = (x - by_channel(mean, x)) * by_channel(factor, x)
    return result if bias is None else result + by_channel(bias, x)


def _normalized(
    x: Array, _mean: None, _variance: None, weight: Array | None, bias: Array | None, *, eps: float | Array
) -> tuple[Array, Array, Array]:
    mean, centered, variance = _statistics(x)
    factor = 1 / xp.sqrt(variance + eps)
    result = centered * by_channel(factor if weight is None else factor * weight, x)
    return (result if bias is None else result + by_channel(bias, x)), mean, variance


def _scaled_normalized(
    x: Array, _mean: None, _variance: None, weight: Array | None, bias: Array | None, *, eps: float
) -> tuple[Array, Array, Array]:
    x, scaled_eps, scale = _channels_in_range(x, eps)
    result, mean, variance = _normalized(x, None, None, weight, bias, eps=scaled_eps)
    return result, mean * scale, variance * scale * scale


@composed
def group_norm(
    x: AnyArray,
    num_groups: int,
    weight: AnyArray | None = None,
    bias: AnyArray | None = None,
    /,
    *,
    eps: float = 1e-5,
) -> Array:
    r"""Group normalization: mean and variance of each example over groups of channels.

    Parameters
    ----------
    x
        Array of shape (n, c, …) and a real floating-point dtype.
    num_groups
        Number of groups, which divides c.
    weight, bias
        Arrays of shape (c,), by which the result is multiplied and which are added; None means 1 and 0.
    eps
        Nonnegative number that is added to the variance.

    Returns
    -------
    Array
        Array of the shape of ``x`` and of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If a shape does not match, ``num_groups`` does not divide c, or ``eps`` is negative.

    Notes
    -----
    Wu and He, "Group Normalization" (2018).
    """
    name = "group_norm"
    x, weight, bias = coerce_operands(name, x, weight, bias)
    _check(x, weight, bias, name)
    groups = check_integer(num_groups, name, "num_groups")
    if groups < 1 or x.shape[1] % groups:
        raise ValueError(f"{name}(): num_groups {groups} does not divide the {x.shape[1]} channels of x")
    result = xp.reshape(layer_norm(xp.reshape(x, (x.shape[0], groups, -1)), eps=check_eps(eps, name)), x.shape)
    result = result if weight is None else result * by_channel(weight, x)
    return result if bias is None else result + by_channel(bias, x)


@composed
def instance_norm(
    x: AnyArray, weight: AnyArray | None = None, bias: AnyArray | None = None, /, *, eps: float = 1e-5
) -> Array:
    """Instance normalization: mean and variance of each channel of each example.

    Parameters
    ----------
    x
        Array of shape (n, c, …) with a spatial axis, and a real floating-point dtype.
    weight, bias
        Arrays of shape (c,), by which the result is multiplied and which are added; None means 1 and 0.
    eps
        Nonnegative number that is added to the variance.

    Returns
    -------
    Array
        Array of the shape of ``x`` and of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If a shape does not match, or ``eps`` is negative.

    Notes
    -----
    Ulyanov, Vedaldi and Lempitsky, "Instance Normalization" (2016).
    """
    name = "instance_norm"
    x, weight, bias = coerce_operands(name, x, weight, bias)
    _check(x, weight, bias, name)
    if x.ndim < 3:
        raise ValueError(f"{name}(): x has shape {x.shape}, expected a spatial axis after (examples, channels)")
    return group_norm(x, max(x.shape[1], 1), weight, bias, eps=eps)
