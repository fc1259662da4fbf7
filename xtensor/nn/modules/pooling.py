"""Pooling and interpolation as modules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

from ..._core.array import Array
from .. import functional as F  # noqa: N812
from .module import Module

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "Upsample",
]

Lengths = int | Sequence[int]
"""A setting of the spatial axes: an integer for all of them, or one for each."""


class _Pool(Module):
    function: ClassVar[Callable[..., Array]]
    settings: ClassVar[tuple[str, ...]]
    kernel_size: Any

    def forward(self, x: Array) -> Any:
        """Return the pooled Array of shape (n, c, …); with ``return_indices``, a pair of it and of the indices."""
        options = {name: getattr(self, name) for name in self.settings}
        return type(self).function(x, self.kernel_size, **options)

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        names = ("kernel_size", *self.settings)
        return ", ".join([f"{name}={getattr(self, name)}" for name in names])


class _MaxPool(_Pool):
    settings = ("stride", "padding", "dilation", "ceil_mode", "return_indices")

    def __init__(
        self,
        kernel_size: Lengths,
        stride: Lengths | None = None,
        padding: Lengths = 0,
        dilation: Lengths = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.ceil_mode = padding, dilation, ceil_mode
        self.return_indices = return_indices


class _AvgPool(_Pool):
    settings = ("stride", "padding", "ceil_mode", "count_include_pad", "divisor_override")

    def __init__(
        self,
        kernel_size: Lengths,
        stride: Lengths | None = None,
        padding: Lengths = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override


class _Adaptive(Module):
    function: ClassVar[Callable[..., Array]]

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        self.output_size = output_size

    def forward(self, x: Array) -> Array:
        """Return the pooled Array of shape (n, c, …)."""
        return type(self).function(x, self.output_size)

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"output_size={self.output_size}"


class MaxPool1d(_MaxPool):
    """Maxima of windows over one axis; parameters are those of :func:`xtensor.nn.functional.max_pool1d`."""

    function = staticmethod(F.max_pool1d)


class AvgPool1d(_AvgPool):
    """Means of windows over one axis; parameters are those of :func:`xtensor.nn.functional.avg_pool1d`."""

    function = staticmethod(F.avg_pool1d)


class AdaptiveAvgPool1d(_Adaptive):
    """Means of parts of one axis; see :func:`xtensor.nn.functional.adaptive_avg_pool1d`."""

    function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveMaxPool1d(_Adaptive):
    """Maxima of parts of one axis; see :func:`xtensor.nn.functional.adaptive_max_pool1d`."""

    function = staticmethod(F.adaptive_max_pool1d)


class MaxPool2d(_MaxPool):
    """Maxima of windows over two axes; parameters are those of :func:`xtensor.nn.functional.max_pool2d`."""

    function = staticmethod(F.max_pool2d)


class AvgPool2d(_AvgPool):
    """Means of windows over two axes; parameters are those of :func:`xtensor.nn.functional.avg_pool2d`."""

    function = staticmethod(F.avg_pool2d)


class AdaptiveAvgPool2d(_Adaptive):
    """Means of parts of two axes; see :func:`xtensor.nn.functional.adaptive_avg_pool2d`."""

    function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveMaxPool2d(_Adaptive):
    """Maxima of parts of two axes; see :func:`xtensor.nn.functional.adaptive_max_pool2d`."""

    function = staticmethod(F.adaptive_max_pool2d)


class MaxPool3d(_MaxPool):
    """Maxima of windows over three axes; parameters are those of :func:`xtensor.nn.functional.max_pool3d`."""

    function = staticmethod(F.max_pool3d)


class AvgPool3d(_AvgPool):
    """Means of windows over three axes; parameters are those of :func:`xtensor.nn.functional.avg_pool3d`."""

    function = staticmethod(F.avg_pool3d)


class AdaptiveAvgPool3d(_Adaptive):
    """Means of parts of three axes; see :func:`xtensor.nn.functional.adaptive_avg_pool3d`."""

    function = staticmethod(F.adaptive_avg_pool3d)


class AdaptiveMaxPool3d(_Adaptive):
    """Maxima of parts of three axes; see :func:`xtensor.nn.functional.adaptive_max_pool3d`."""

    function = staticmethod(F.adaptive_max_pool3d)


class Upsample(Module):
    """Interpolates spatial axes; see :func:`xtensor.nn.functional.interpolate`.

    Parameters
    ----------
    size
        The new lengths.
    scale_factor
        Factors of the lengths instead.
    mode
        ``"nearest"``, ``"linear"``, ``"bilinear"``, ``"trilinear"`` or ``"bicubic"``.
    align_corners
        Whether the first and last elements of both grids coincide.
    """

    def __init__(
        self,
        size: Lengths | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: Literal["nearest", "linear", "bilinear", "trilinear", "bicubic"] = "nearest",
        align_corners: bool = False,
    ) -> None:
        self.size, self.scale_factor, self.mode, self.align_corners = size, scale_factor, mode, align_corners

    def forward(self, x: Array) -> Array:
        """Return the interpolated Array of shape (n, c, …)."""
        return F.interpolate(
            x, self.size, scale_factor=self.scale_factor, mode=self.mode, align_corners=self.align_corners
        )

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        target = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{target}, mode={self.mode!r}"
