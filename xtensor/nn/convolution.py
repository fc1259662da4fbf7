"""Convolutions and transposed convolutions over one, two and three axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .._core.compositions import composed
from .._core.documentation import documented
from .._core.operands import coerce_operands
from .._core.operations import declare
from ._checks import check_parameter, check_real_floating
from ._computation import compute
from ._documentation import SPATIAL
from .windows import check_spatial, lengths_of, padded, parts_of_windows

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "flipped",
    "gradient_by_weight",
    "patches",
]

Lengths = int | Sequence[int]
"""A setting of the spatial axes: an integer for all of them, or one for each."""

CONVOLUTIONS, TRANSPOSED = [
    [
        declare(f"nn.{name}{axes}d", "network", operands=3, accepts="real floating", shape="product", primitive=False)
        for axes in (1, 2, 3)
    ]
    for name in ("conv", "conv_transpose")
]
BY_WEIGHT = declare(
    "nn.conv_by_weight", "network", operands=2, accepts="real floating", shape="product", primitive=False
)
"""The gradient of a convolution by its weight; there is no public function."""

CONVOLUTION = r"""
Parameters
----------
x
    Array of shape (n, c, {spatial}) or (c, {spatial}), and a real floating-point dtype.
weight
    Array w of shape (m, c / g, {kernel}).
bias
    Array b of shape (m,); None means 0.
stride, dilation
    Distances s of the windows and d of the elements in a window.
padding
    Number of zeros before and after each axis; ``"valid"`` for none, ``"same"`` for a result of the lengths of
    ``x``, which takes a stride of 1.
groups
    Number g of groups into which the channels of input and output are split.

Returns
-------
Array
    Array of shape (n, m, …) or (m, …) and of the promoted dtype; an axis has the length
    :math:`\lfloor (l + 2p - d (k - 1) - 1) / s \rfloor + 1`.

Raises
------
TypeError
    If an operand is not an Array of a real floating-point dtype, or a setting is not an integer.
ValueError
    If the shapes do not match, or a setting is out of range.
"""
"""Sections of the docstrings of :func:`conv1d` and its like."""

TRANSPOSED_CONVOLUTION = """
Parameters
----------
x
    Array of shape (n, c, {spatial}) or (c, {spatial}), and a real floating-point dtype.
weight
    Array of shape (c, m / g, {kernel}).
bias
    Array of shape (m,); None means 0.
stride, padding, dilation, groups
    Settings of the convolution; see :func:`conv{axes}d`.
output_padding
    Length that is added at the end of each axis of the result, less than the stride or the dilation.

Returns
-------
Array
    Array of shape (n, m, …) or (m, …) and of the promoted dtype; an axis has the length
    :math:`(l - 1) s - 2p + d (k - 1) + q + 1` with the output padding q.

Raises
------
TypeError
    If an operand is not an Array of a real floating-point dtype, or a setting is not an integer.
ValueError
    If the shapes do not match, or a setting is out of range.
"""
"""Sections of the docstrings of :func:`conv_transpose1d` and its like."""


@composed
@documented(CONVOLUTION, **SPATIAL[1])
def conv1d(
    x: AnyArray,
    weight: AnyArray,
    bias: AnyArray | None = None,
    /,
    *,
    stride: Lengths = 1,
    padding: Lengths | str = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Array:
    r"""Convolution over one axis: :math:`y_{o,p} = b_o + \sum_{c,k} w_{o,c,k}\, x_{c,s p + d k}`, x padded with 0."""
    return _convolution(1, x, weight, bias, stride, padding, dilation, groups)


@composed
@documented(CONVOLUTION, **SPATIAL[2])
def conv2d(
    x: AnyArray,
    weight: AnyArray,
    bias: AnyArray | None = None,
    /,
    *,
    stride: Lengths = 1,
    padding: Lengths | str = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Array:
    r"""Convolution over two axes: :math:`y_{o,p} = b_o + \sum_{c,k} w_{o,c,k}\, x_{c,s p + d k}`, x padded with 0."""
    return _convolution(2, x, weight, bias, stride, padding, dilation, groups)


@composed
@documented(CONVOLUTION, **SPATIAL[3])
def conv3d(
    x: AnyArray,
    weight: AnyArray,
    bias: AnyArray | None = None,
    /,
    *,
    stride: Lengths = 1,
    padding: Lengths | str = 0,
    dilation: Lengths = 1,
    groups: int = 1,
) -> Array:
    r"""Convolution over three axes: :math:`y_{o,p} = b_o + \sum_{c,k} w_{o,c,k}\, x_{c,s p + d k}`, x padded with 0."""
    return _convolution(3, x, weight, bias, stride, padding, dilation, groups)


@composed
@documented(TRANSPOSED_CONVOLUTION, **SPATIAL[1])
def conv_transpose1d(
    x: AnyArray,
    weight: AnyArray,
    bias: AnyArray | None = None,
    /,
    *,
    stride: Lengths = 1,
    padding: Lengths = 0,
    output_padding: Lengths = 0,
    groups: int = 1,
    dilation: Lengths = 1,
) -> Array:
    """Transposed convolution over one axis: the derivative of a convolution with respect to its input."""
    return _transposed(1, x, weight, bias, stride, padding, output_padding, groups, dilation)


@composed
@documented(TRANSPOSED_CONVOLUTION, **SPATIAL[2])
def conv_transpose2d(
    x: AnyArray,
    weight: AnyArray,
    bias: AnyArray | None = None,
    /,
    *,
    stride: Lengths = 1,
    padding: Lengths = 0,
    output_padding: Lengths = 0,
    groups: int = 1,
    dilation: Lengths = 1,
) -> Array:
    """Transposed convolution over two axes: the derivative of a convolution with respect to its input."""
    return _transposed(2, x, weight, bias, stride, padding, output_padding, groups, dilation)


@composed
@documented(TRANSPOSED_CONVOLUTION, **SPATIAL[3])
def conv_transpose3d(
    x: AnyArray,
    weight: AnyArray,
    bias: AnyArray | None = None,
    /,
    *,
    stride: Lengths = 1,
    padding: Lengths = 0,
    output_padding: Lengths = 0,
    groups: int = 1,
    dilation: Lengths = 1,
) -> Array:
    """Transposed convolution over three axes: the derivative of a convolution with respect to its input."""
    return _transposed(3, x, weight, bias, stride, padding, output_padding, groups, dilation)


def _operands(
    axes: int, x: Any, weight: Any, bias: Any, groups: Any, inputs: int, name: str
) -> tuple[Array, Array, Array | None, bool]:
    """Return checked operands, ``x`` with an axis of examples, and whether it had none.

    ``inputs`` is the axis of the weight for the channels of ``x``.
    """
    x, weight, bias = coerce_operands(name, x, weight, bias)
    check_real_floating(x, name, "x")
    check_real_floating(weight, name, "weight")
    check_spatial(x, axes, name)
    (count,) = lengths_of((groups,), 1, name, "groups", 1)
    alone = x.ndim == axes + 1
    x = xp.expand_dims(x, axis=0) if alone else x
    channels = x.shape[1]
    if weight.ndim != axes + 2:
        raise ValueError(f"{name}(): weight has shape {weight.shape}, expected {axes + 2} axes")
    expected = weight.shape[inputs] * (count if inputs == 1 else 1)
    if channels != expected:
        raise ValueError(
            f"{name}(): x of shape {x.shape} has {channels} channels, expected {expected} for a weight of shape "
            f"{weight.shape} and groups={count}"
        )
    if channels % count or weight.shape[0] % count:
        raise ValueError(
            f"{name}(): groups={count} does not divide {channels} channels and the length {weight.shape[0]} of axis 0 "
            "of the weight"
        )
    outputs = weight.shape[0] if inputs == 1 else weight.shape[1] * count
    check_parameter(bias, (outputs,), name, "bias")
    return x, weight, bias, alone


def _convolution(
    axes: int, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Array:
    operation = CONVOLUTIONS[axes - 1]
    name = operation.label
    x, weight, bias, alone = _operands(axes, x, weight, bias, groups, 1, name)
    strides = lengths_of(stride, axes, name, "stride", 1)
    dilations = lengths_of(dilation, axes, name, "dilation", 1)
    spans = [width * (length - 1) for width, length in zip(dilations, weight.shape[2:], strict=True)]
    widths = tuple(_widths(padding, axes, spans, strides, name))
    for length, (before, after), span in zip(x.shape[2:], widths, spans, strict=True):
        if length + before + after < span + 1:
            raise ValueError(
                f"{name}(): x of shape {x.shape} with padding {padding} is smaller than a window of lengths "
                f"{weight.shape[2:]} with dilation {dilation}"
            )
    result = compute(
        operation, patches, x, weight, bias, strides=strides, widths=widths, dilations=dilations, groups=groups
    )
    return xp.squeeze(result, axis=0) if alone else result


def _widths(padding: Any, axes: int, spans: Sequence[int], strides: Sequence[int], name: str) -> list[tuple[int, int]]:
    """Return the numbers of zeros before and after each axis."""
    if not isinstance(padding, str):
        return [(width, width) for width in lengths_of(padding, axes, name, "padding", 0)]
    if padding == "valid":
        return [(0, 0)] * axes
    if padding == "same":
        if any(step != 1 for step in strides):
            raise ValueError(f"{name}(): padding='same' takes a stride of 1, not {tuple(strides)}")
        return [(span // 2, span - span // 2) for span in spans]
    raise ValueError(f"{name}(): padding is 'valid', 'same' or integers, not {padding!r}")


def patches(
    x: Array,
    weight: Array,
    bias: Array | None,
    *,
    strides: tuple[int, ...],
    widths: tuple[tuple[int, int], ...],
    dilations: tuple[int, ...],
    groups: int,
) -> Array:
    """Compute a convolution as one product of matrices: the weight, and the windows of all examples as columns."""
    kernel, filters = weight.shape[2:], weight.shape[0]
    outputs = [
        (length + sum(ends) - width * (size - 1) - 1) // step + 1
        for length, ends, width, size, step in zip(x.shape[2:], widths, dilations, kernel, strides, strict=True)
    ]
    columns = _columns_of(x, kernel, strides, widths, dilations, outputs, groups)
    matrix = xp.reshape(weight, (groups, filters // groups, -1))
    result = xp.moveaxis(xp.reshape(xp.matmul(matrix, columns), (filters, x.shape[0], *outputs)), 0, 1)
    return result if bias is None else result + xp.reshape(bias, (filters, *[1] * len(kernel)))


def gradient_by_weight(x: Array, g: Array, **settings: Any) -> Array:
    """Return the gradient of a convolution by its weight, for the cotangent ``g`` of its result.

    The settings are the convolution's, and ``kernel``, the lengths of a window.
    """
    return compute(BY_WEIGHT, _product_with_columns, x, g, **settings)


def _product_with_columns(
    x: Array,
    g: Array,
    *,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    widths: tuple[tuple[int, int], ...],
    dilations: tuple[int, ...],
    groups: int,
) -> Array:
    columns = _columns_of(x, kernel, strides, widths, dilations, g.shape[2:], groups)
    rows = xp.reshape(xp.moveaxis(g, 0, 1), (groups, g.shape[1] // groups, columns.shape[2]))
    product = xp.matmul(rows, xp.matrix_transpose(columns))
    return xp.reshape(product, (g.shape[1], x.shape[1] // groups, *kernel))


def _columns_of(
    x: Array,
    kernel: Sequence[int],
    strides: Sequence[int],
    widths: Sequence[tuple[int, int]],
    dilations: Sequence[int],
    outputs: Sequence[int],
    groups: int,
) -> Array:
    """Return the windows of a convolution: shape (groups, elements of a window, examples times windows)."""
    elements = xp.moveaxis(padded(x, widths, 0.0), 0, 1)
    parts = [elements[key] for key in parts_of_windows(kernel, strides, dilations, outputs)]
    size = x.shape[1] // groups * len(parts)
    return xp.reshape(xp.stack(parts, axis=1), (groups, size, x.shape[0] * math.prod(outputs)))


def _transposed(
    axes: int,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: Any,
    dilation: Any,
) -> Array:
    operation = TRANSPOSED[axes - 1]
    name = operation.label
    x, weight, bias, alone = _operands(axes, x, weight, bias, groups, 0, name)
    strides = lengths_of(stride, axes, name, "stride", 1)
    dilations = lengths_of(dilation, axes, name, "dilation", 1)
    paddings = lengths_of(padding, axes, name, "padding", 0)
    extra = lengths_of(output_padding, axes, name, "output_padding", 0)
    if any(more >= max(step, width) for more, step, width in zip(extra, strides, dilations, strict=True)):
        raise ValueError(
            f"{name}(): output_padding {output_padding} is not less than the stride {stride} or the dilation {dilation}"
        )
    widths = []
    settings = zip(x.shape[2:], weight.shape[2:], strides, paddings, extra, dilations, strict=True)
    for length, size, step, width, more, distance in settings:
        span = distance * (size - 1)
        if (length - 1) * step - 2 * width + span + more + 1 < 1:
            raise ValueError(f"{name}(): the result of x of shape {x.shape} with padding {padding} would be empty")
        widths.append((span - width, span - width + more))
    result = compute(
        operation,
        flipped,
        x,
        weight,
        bias,
        strides=strides,
        widths=tuple(widths),
        dilations=dilations,
        groups=groups,
    )
    return xp.squeeze(result, axis=0) if alone else result


def flipped(
    x: Array,
    weight: Array,
    bias: Array | None,
    *,
    strides: tuple[int, ...],
    widths: tuple[tuple[int, int], ...],
    dilations: tuple[int, ...],
    groups: int,
) -> Array:
    """Compute the convolution of ``x``, with zeros between its elements, with the flipped weight."""
    kernel = weight.shape[2:]
    for axis, step in enumerate(strides, 2):
        if step > 1 and x.shape[axis] > 1:
            length = x.shape[axis]
            spread = padded(xp.expand_dims(x, axis=axis + 1), [(0, step - 1), *[(0, 0)] * (x.ndim - axis - 1)], 0.0)
            joined = xp.reshape(spread, (*x.shape[:axis], length * step, *x.shape[axis + 1 :]))
            x = joined[(*[slice(None)] * axis, slice(0, (length - 1) * step + 1), ...)]
    for axis, (before, after) in enumerate(widths, 2):
        if before < 0 or after < 0:
            x = x[(*[slice(None)] * axis, slice(max(-before, 0), x.shape[axis] - max(-after, 0)), ...)]
    inputs, outputs = weight.shape[:2]
    weight = xp.flip(weight, axis=tuple(range(2, weight.ndim)))
    weight = xp.reshape(weight, (groups, inputs // groups, outputs, *kernel))
    weight = xp.reshape(xp.moveaxis(weight, 1, 2), (groups * outputs, inputs // groups, *kernel))
    positive = tuple([(max(before, 0), max(after, 0)) for before, after in widths])
    ones = (1,) * len(kernel)
    settings = {"strides": ones, "widths": positive, "dilations": dilations, "groups": groups}
    return compute(CONVOLUTIONS[len(kernel) - 1], patches, x, weight, bias, **settings)
