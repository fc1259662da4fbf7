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
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
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


class _AdaptiveMax(_Adaptive):
    def __init__(self, output_size: int | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, x: Array) -> Any:
        """Return the pooled Array of shape (n, c, …); with ``return_indices``, a pair of it and of the indices."""
        options: dict[str, Any] = {"return_indices": self.return_indices}
        return type(self).function(x, self.output_size, **options)


class _MaxUnpool(Module):
    function: ClassVar[Callable[..., Array]]

    def __init__(self, kernel_size: Lengths, stride: Lengths | None = None, padding: Lengths = 0) -> None:
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding = padding

    def forward(self, x: Array, indices: Array, output_size: Sequence[int] | None = None) -> Array:
        """Return the Array of zeros and maxima of shape (n, c, …)."""
        options = {"stride": self.stride, "padding": self.padding, "output_size": output_size}
        return type(self).function(x, indices, self.kernel_size, **options)

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxPool1d(_MaxPool):
    """Maxima of windows over one axis; parameters are those of :func:`xtensor.nn.functional.max_pool1d`."""

    function = staticmethod(F.max_pool1d)


class AvgPool1d(_AvgPool):
    """Means of windows over one axis; parameters are those of :func:`xtensor.nn.functional.avg_pool1d`."""

    function = staticmethod(F.avg_pool1d)


class AdaptiveAvgPool1d(_Adaptive):
    """Means of parts of one axis; see :func:`xtensor.nn.functional.adaptive_avg_pool1d`."""

    function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveMaxPool1d(_AdaptiveMax):
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


class AdaptiveMaxPool2d(_AdaptiveMax):
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


class AdaptiveMaxPool3d(_AdaptiveMax):
    """Maxima of parts of three axes; see :func:`xtensor.nn.functional.adaptive_max_pool3d`."""

    function = staticmethod(F.adaptive_max_pool3d)


class MaxUnpool1d(_MaxUnpool):
    """Maxima of windows at their positions among zeros; see :func:`xtensor.nn.functional.max_unpool1d`."""

    function = staticmethod(F.max_unpool1d)


class MaxUnpool2d(_MaxUnpool):
    """Maxima of windows at their positions among zeros; see :func:`xtensor.nn.functional.max_unpool2d`."""

    function = staticmethod(F.max_unpool2d)


class MaxUnpool3d(_MaxUnpool):
    """Maxima of windows at their positions among zeros; see :func:`xtensor.nn.functional.max_unpool3d`."""

    function = staticmethod(F.max_unpool3d)


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
