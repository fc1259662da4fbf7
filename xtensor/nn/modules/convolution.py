"""Convolutions as modules."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

from ..._core.array import Array
from ..._core.checks import check_word
from ..._core.device import Device
from ..._ops.padding import pad
from .. import functional as F  # noqa: N812
from ..windows import lengths_of
from ._initial import Initial, Rng
from .linear import check_size
from .module import Module

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
]

Lengths = int | Sequence[int]
"""A setting of the spatial axes: an integer for all of them, or one for each."""

PADDINGS = {"zeros": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""Modes of :func:`xtensor.pad` by their names here."""


class _Convolution(Module):
    _computes_in_short = True
    axes: ClassVar[int]
    transposed: ClassVar[bool]
    function: ClassVar[Callable[..., Array]]
    weight: Array
    bias: Array | None

    def _set(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths,
        dilation: Lengths,
        groups: int,
        bias: bool,
        rng: Rng,
        device: str | Device | None,
        dtype: Any,
    ) -> None:
        name, axes = type(self).__name__, self.axes
        self.in_channels = check_size(in_channels, name, "in_channels")
        self.out_channels = check_size(out_channels, name, "out_channels")
        self.kernel_size = lengths_of(kernel_size, axes, name, "kernel_size", 1)
        self.stride = lengths_of(stride, axes, name, "stride", 1)
        self.dilation = lengths_of(dilation, axes, name, "dilation", 1)
        self.groups = check_size(groups, name, "groups")
        if in_channels % groups or out_channels % groups:
            raise ValueError(
                f"{name}(): groups {groups} does not divide in_channels {in_channels} and out_channels {out_channels}"
            )
        channels = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (channels[0], channels[1] // groups, *self.kernel_size)
        inputs = shape[1] * math.prod(self.kernel_size)
        initial = Initial(rng, device, dtype)
        self.weight = initial.by_inputs(inputs, shape)
        self.bias = initial.by_inputs(inputs, (out_channels,)) if bias else None

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        settings = {"padding": (0,) * self.axes, "output_padding": (0,) * self.axes, "dilation": (1,) * self.axes}
        for name, default in settings.items():
            value = getattr(self, name, default)
            text += "" if value == default else f", {name}={value}"
        text += "" if self.groups == 1 else f", groups={self.groups}"
        return text + ("" if self.bias is not None else ", bias=False")


class _Forward(_Convolution):
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths = 1,
        padding: Lengths | Literal["valid", "same"] = 0,
        dilation: Lengths = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: Literal["zeros", "reflect", "replicate", "circular"] = "zeros",
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        name = type(self).__name__
        self._set(in_channels, out_channels, kernel_size, stride, dilation, groups, bias, rng, device, dtype)
        if isinstance(padding, str):
            self.padding: Any = check_word(padding, ("valid", "same"), name, "padding")
        else:
            self.padding = lengths_of(padding, self.axes, name, "padding", 0)
        self.padding_mode = check_word(padding_mode, tuple(PADDINGS), name, "padding_mode")

    def forward(self, x: Array) -> Array:
        """Return the convolution of an Array of shape (n, c, …)."""
        padding = self.padding
        if self.padding_mode != "zeros" and padding != "valid":
            widths = [(width, width) for width in padding]
            if padding == "same":
                spans = [width * (size - 1) for width, size in zip(self.dilation, self.kernel_size, strict=True)]
                widths = [(span // 2, span - span // 2) for span in spans]
            x = pad(x, [*[(0, 0)] * (x.ndim - self.axes), *widths], mode=PADDINGS[self.padding_mode])
            padding = "valid"
        return type(self).function(
            *self._shortened(x, self.weight, self.bias),
            stride=self.stride,
            padding=padding,
            dilation=self.dilation,
            groups=self.groups,
        )


class _Transposed(_Convolution):
    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths = 1,
        padding: Lengths = 0,
        output_padding: Lengths = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Lengths = 1,
        padding_mode: str = "zeros",
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        name = type(self).__name__
        if padding_mode != "zeros":
            raise ValueError(f"{name}(): padding_mode is {padding_mode!r}, expected 'zeros', the only one here")
        self.padding_mode = padding_mode
        self._set(in_channels, out_channels, kernel_size, stride, dilation, groups, bias, rng, device, dtype)
        self.padding = lengths_of(padding, self.axes, name, "padding", 0)
        self.output_padding = lengths_of(output_padding, self.axes, name, "output_padding", 0)

    def forward(self, x: Array) -> Array:
        """Return the transposed convolution of an Array of shape (n, c, …)."""
        return type(self).function(
            *self._shortened(x, self.weight, self.bias),
            stride=self.stride,
            padding=self.padding,
            output_padding=self.output_padding,
            groups=self.groups,
            dilation=self.dilation,
        )


class Conv1d(_Forward):
    """Convolution over one axis; see :func:`xtensor.nn.functional.conv1d`.

    Parameters
    ----------
    in_channels, out_channels
        Numbers of channels of input and output.
    kernel_size, stride, padding, dilation
        Settings of the convolution: an integer, or one for each axis; ``padding`` may be ``"valid"`` or ``"same"``.
    groups
        Number of groups into which the channels are split.
    bias
        Whether there is a bias.
    padding_mode
        Values of the padding: ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.
    rng
        Generator of the initial values, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Attributes
    ----------
    weight, bias
        Arrays of shapes (out_channels, in_channels / groups, …) and (out_channels,), initially uniform on
        [-1/√n, 1/√n) for n elements of the input in each element of the output; ``bias`` is None without one.

    Raises
    ------
    TypeError
        If a setting is not an integer.
    ValueError
        If a setting is out of range, or ``groups`` does not divide the numbers of channels.
    """

    axes = 1
    function = staticmethod(F.conv1d)


class Conv2d(_Forward):
    """Convolution over two axes; see :class:`Conv1d` and :func:`xtensor.nn.functional.conv2d`."""

    axes = 2
    function = staticmethod(F.conv2d)


class Conv3d(_Forward):
    """Convolution over three axes; see :class:`Conv1d` and :func:`xtensor.nn.functional.conv3d`."""

    axes = 3
    function = staticmethod(F.conv3d)


class ConvTranspose1d(_Transposed):
    """Transposed convolution over one axis; see :func:`xtensor.nn.functional.conv_transpose1d`.

    Parameters
    ----------
    in_channels, out_channels
        Numbers of channels of input and output.
    kernel_size, stride, padding, output_padding, dilation
        Settings of the convolution: an integer, or one for each axis.
    groups
        Number of groups into which the channels are split.
    bias
        Whether there is a bias.
    padding_mode
        ``"zeros"``.
    rng
        Generator of the initial values, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Attributes
    ----------
    weight, bias
        Arrays of shapes (in_channels, out_channels / groups, …) and (out_channels,); ``bias`` is None without one.

    Raises
    ------
    TypeError
        If a setting is not an integer.
    ValueError
        If a setting is out of range, or ``groups`` does not divide the numbers of channels.
    """

    axes = 1
    function = staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    """Transposed convolution over two axes; see :class:`ConvTranspose1d`."""

    axes = 2
    function = staticmethod(F.conv_transpose2d)


class ConvTranspose3d(_Transposed):
    """Transposed convolution over three axes; see :class:`ConvTranspose1d`."""

    axes = 3
    function = staticmethod(F.conv_transpose3d)
