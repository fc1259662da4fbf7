"""Normalization as modules."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ... import _ops as xp
from ..._core.array import Array
from ..._core.device import Device
from ...autograd import stop_gradient
from .. import functional as F  # noqa: N812
from ..channel_normalization import batch_norm_and_statistics
from ._initial import Initial
from .linear import check_size
from .module import Module

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "GroupNorm",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LayerNorm",
    "RMSNorm",
]


class _BatchNorm(Module):
    dimensions: ClassVar[tuple[int, ...]]
    weight: Array | None
    bias: Array | None
    running_mean: Array | None
    running_var: Array | None
    num_batches_tracked: Array | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        bias: bool = True,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        self.num_features = check_size(num_features, type(self).__name__, "num_features")
        self.eps, self.momentum = eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        initial, shape = Initial(None, device, dtype), (num_features,)
        self.weight = initial.ones(shape) if affine else None
        self.bias = initial.zeros(shape) if affine and bias else None
        self.register_buffer("running_mean", initial.zeros(shape) if track_running_stats else None)
        self.register_buffer("running_var", initial.ones(shape) if track_running_stats else None)
        count = xp.zeros((), dtype=xp.int64, device=initial.device) if track_running_stats else None
        self.register_buffer("num_batches_tracked", count)

    def forward(self, x: Array) -> Array:
        """Return ``x`` normalized; in training, also update the running statistics."""
        self._check_input(x)
        if not self.training and self.track_running_stats:
            return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps)
        result, mean, variance = batch_norm_and_statistics(x, self.weight, self.bias, eps=self.eps)
        if self.training and self.track_running_stats:
            self._update(mean, variance, x.size // x.shape[1])
        return result

    def _check_input(self, x: Array) -> None:
        """Raise ValueError unless an input has the axes and channels of the layer."""
        if x.ndim not in self.dimensions:
            expected = " or ".join(map(str, self.dimensions))
            raise ValueError(f"{type(self).__name__}(): expected {expected} axes, x has shape {x.shape}")
        if x.shape[1] != self.num_features:
            raise ValueError(
                f"{type(self).__name__}(): x of shape {x.shape} has {x.shape[1]} channels, expected {self.num_features}"
            )

    def _update(self, mean: Array, variance: Array, count: int) -> None:
        """Count a batch, and mix its statistics into the running ones."""
        assert self.num_batches_tracked is not None
        assert self.running_mean is not None
        self.num_batches_tracked = stop_gradient(self.num_batches_tracked + 1)
        share: Any = self.momentum
        if share is None:  # the mean of all batches
            share = 1.0 / xp.astype(self.num_batches_tracked, self.running_mean.dtype)
        self._mix(mean, variance, count, share)

    def _mix(self, mean: Array, variance: Array, count: int, share: Any) -> None:
        """Mix statistics of some numbers into the running ones: the mean, and the unbiased variance."""
        assert self.running_mean is not None
        assert self.running_var is not None
        dtype = self.running_mean.dtype
        new_mean = xp.astype(mean, dtype, copy=False)
        new_var = xp.astype(variance, dtype, copy=False) * (count / (count - 1))
        self.running_mean = stop_gradient((1 - share) * self.running_mean + share * new_mean)
        self.running_var = stop_gradient((1 - share) * self.running_var + share * new_var)

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalization of arrays of shape (n, c) or (n, c, l).

    Parameters
    ----------
    num_features
        Number c of channels.
    eps
        Added to the variance.
    momentum
        Share of a batch in the running statistics; None for the mean of all batches.
    affine
        Whether there are a weight and, where ``bias`` is true, a bias.
    track_running_stats
        Whether there are running statistics, which take the position of the batch's outside of training.
    device, dtype
        Of the Arrays. Default: the default device; float32.

    Attributes
    ----------
    weight, bias
        Arrays of shape (c,), initially 1 and 0.
    running_mean, running_var, num_batches_tracked
        Buffers: the running statistics, initially 0 and 1, and the number of batches.

    Raises
    ------
    ValueError
        If the number of channels or axes of an input is another one.

    Notes
    -----
    See :func:`xtensor.nn.functional.batch_norm`.
    """

    dimensions = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of arrays of shape (n, c, h, w); see :class:`BatchNorm1d`."""

    dimensions = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of arrays of shape (n, c, d, h, w); see :class:`BatchNorm1d`."""

    dimensions = (5,)


class GroupNorm(Module):
    """Group normalization; see :func:`xtensor.nn.functional.group_norm`.

    Parameters
    ----------
    num_groups, num_channels
        Number of groups, which divides that of channels c.
    eps
        Added to the variance.
    affine
        Whether there are a weight and, where ``bias`` is true, a bias.
    device, dtype
        Of the parameters. Default: the default device; float32.

    Attributes
    ----------
    weight, bias
        Arrays of shape (c,), initially 1 and 0; None where there is none.

    Raises
    ------
    ValueError
        If ``num_groups`` does not divide ``num_channels``.
    """

    weight: Array | None
    bias: Array | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        *,
        bias: bool = True,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        if check_size(num_channels, "GroupNorm", "num_channels") % check_size(num_groups, "GroupNorm", "num_groups"):
            raise ValueError(f"GroupNorm(): num_groups {num_groups} does not divide num_channels {num_channels}")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        initial, shape = Initial(None, device, dtype), (num_channels,)
        self.weight = initial.ones(shape) if affine else None
        self.bias = initial.zeros(shape) if affine and bias else None

    def forward(self, x: Array) -> Array:
        """Return ``x`` normalized."""
        return F.group_norm(x, self.num_groups, self.weight, self.bias, eps=self.eps)

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"


class _InstanceNorm(_BatchNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        *,
        bias: bool = True,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        settings = num_features, eps, momentum, affine, track_running_stats
        super().__init__(*settings, bias=bias, device=device, dtype=dtype)

    def forward(self, x: Array) -> Array:
        """Return ``x`` normalized; in training, also update the running statistics."""
        self._check_input(x)
        if not self.training and self.track_running_stats:
            return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps)
        if self.training and self.track_running_stats:
            spatial = tuple(range(2, x.ndim))
            means, variances = xp.mean(x, axis=spatial), xp.var(x, axis=spatial)
            count = x.size // max(x.shape[0] * x.shape[1], 1)
            self._mix(xp.mean(means, axis=0), xp.mean(variances, axis=0), count, self.momentum)
        return F.instance_norm(x, self.weight, self.bias, eps=self.eps)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of arrays of shape (n, c, l); see :func:`xtensor.nn.functional.instance_norm`.

    Parameters
    ----------
    num_features
        Number c of channels.
    eps
        Added to the variance.
    momentum
        Share of a batch in the running statistics.
    affine
        Whether there are a weight and, where ``bias`` is true, a bias.
    track_running_stats
        Whether there are running statistics, which take the position of each example's outside of training.
    device, dtype
        Of the Arrays. Default: the default device; float32.

    Raises
    ------
    ValueError
        If the number of channels or axes of an input is another one.
    """

    dimensions = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of arrays of shape (n, c, h, w); parameters are those of :class:`InstanceNorm1d`."""

    dimensions = (4,)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of arrays of shape (n, c, d, h, w); parameters are those of :class:`InstanceNorm1d`."""

    dimensions = (5,)


def _shape(normalized_shape: int | tuple[int, ...], name: str) -> tuple[int, ...]:
    shape = normalized_shape if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    return tuple([check_size(length, name, "normalized_shape") for length in shape])


def _last_axes(x: Array, lengths: tuple[int, ...], name: str) -> tuple[int, ...]:
    """Return the axes that are normalized, whose lengths must be ``lengths``."""
    shape = x.shape if x.__class__ is Array else np.shape(x)
    if shape[-len(lengths) :] != lengths:
        raise ValueError(f"{name}(): x has shape {shape}, expected last axes of lengths {lengths}")
    return tuple(range(-len(lengths), 0))


class LayerNorm(Module):
    """Layer normalization over the last axes; see :func:`xtensor.nn.functional.layer_norm`.

    Parameters
    ----------
    normalized_shape
        Length of the last axis, or lengths of the last axes.
    eps
        Added to the variance.
    elementwise_affine
        Whether there is a weight.
    bias
        Whether there is a bias, too.
    device, dtype
        Of the parameters. Default: the default device; float32.

    Attributes
    ----------
    weight, bias
        Arrays of the normalized shape, initially 1 and 0; None without one.

    Raises
    ------
    TypeError
        If a length is not an integer.
    """

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        *,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        shape = self.normalized_shape = _shape(normalized_shape, "LayerNorm")
        self.eps, self.elementwise_affine = eps, elementwise_affine
        initial = Initial(None, device, dtype)
        self.weight = initial.ones(shape) if elementwise_affine else None
        self.bias = initial.zeros(shape) if elementwise_affine and bias else None

    def forward(self, x: Array) -> Array:
        """Return ``x`` normalized."""
        axes = _last_axes(x, self.normalized_shape, "LayerNorm")
        return F.layer_norm(x, self.weight, self.bias, axis=axes, eps=self.eps)

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class RMSNorm(Module):
    """Normalization by the root mean square of the last axes; see :func:`xtensor.nn.functional.rms_norm`.

    Parameters
    ----------
    normalized_shape
        Length of the last axis, or lengths of the last axes.
    eps
        Added to the mean square; None for the machine epsilon of the input's dtype.
    elementwise_affine
        Whether there is a weight.
    device, dtype
        Of the parameters. Default: the default device; float32.

    Attributes
    ----------
    weight
        Array of the normalized shape, initially 1; None without one.

    Raises
    ------
    TypeError
        If a length is not an integer.
    """

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float | None = None,
        elementwise_affine: bool = True,
        *,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        shape = self.normalized_shape = _shape(normalized_shape, "RMSNorm")
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self.weight = Initial(None, device, dtype).ones(shape) if elementwise_affine else None

    def forward(self, x: Array) -> Array:
        """Return ``x`` normalized."""
        axes = _last_axes(x, self.normalized_shape, "RMSNorm")
        eps = float(xp.finfo(x.dtype).eps) if self.eps is None else self.eps
        return F.rms_norm(x, self.weight, axis=axes, eps=eps)

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
