"""Quantized layers: weights as small integers with a scale for each group of columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, TypeVar

from ... import _ops as xp
from ..._core.array import Array
from ..._core.checks import check_word
from ..._core.errors import describe
from .. import functional as F  # noqa: N812
from ..quantization import check_codes, quantized_linears, unpack
from .linear import Linear, check_size
from .module import Module

__all__ = ["QuantizedEmbedding", "QuantizedLinear", "linear_maps", "quantize", "quantized", "replace_layers"]

M = TypeVar("M", bound=Module)


class _Quantized(Module):
    """A matrix of small integers, as :func:`xtensor.nn.functional.quantized_linear` takes it."""

    codes: Array
    scales: Array
    offsets: Array | None

    def _set(self, codes: Array, scales: Array, offsets: Array | None) -> tuple[int, int]:
        """Set the matrix; return the numbers of its rows and columns."""
        columns = check_codes(codes, scales, offsets, type(self).__name__)
        self.register_buffer("codes", codes)
        self.register_buffer("scales", scales)
        self.register_buffer("offsets", offsets)
        return codes.shape[0], columns

    @property
    def bits(self) -> int:
        """Number of bits of an integer, 8 or 4."""
        return 8 if self.codes.dtype == xp.int8 else 4


class QuantizedLinear(_Quantized):
    """Affine map with a quantized matrix; see :func:`xtensor.nn.functional.quantized_linear`.

    :func:`xtensor.nn.quantize` makes it of a :class:`xtensor.nn.Linear`. Derivatives go through it to its input, and
    its matrix is not learned.

    Parameters
    ----------
    codes, scales, offsets
        The matrix.
    bias
        Array of shape (m,), or None.

    Raises
    ------
    TypeError
        If an Array has another dtype.
    ValueError
        If the shapes do not match.
    """

    def __init__(self, codes: Array, scales: Array, offsets: Array | None = None, bias: Array | None = None) -> None:
        self.out_features, self.in_features = self._set(codes, scales, offsets)
        if bias is not None and bias.shape != (self.out_features,):
            raise ValueError(f"QuantizedLinear(): bias has shape {bias.shape}, expected ({self.out_features},)")
        self.bias = bias

    def forward(self, x: Array) -> Array:
        """Return the map of an Array of shape (…, n): an Array of shape (…, m) and its dtype."""
        return self._finished(F.quantized_linear(x, self.codes, self.scales, self.offsets), x)

    def _finished(self, product: Array, x: Array) -> Array:
        """Return the output for a product with the matrix."""
        result = xp.astype(product, x.dtype, copy=False)
        return result if self.bias is None else result + self.bias

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        sizes = f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
        return f"{sizes}, bits={self.bits}, group={self.in_features // self.scales.shape[1]}"


def linear_maps(x: Array, *layers: Module) -> list[Array]:
    """Return the outputs of linear layers for one input; quantized ones are computed together."""
    quantized_ones = [layer for layer in layers if layer.__class__ is QuantizedLinear and not layer._hooks]
    if len(quantized_ones) < len(layers):
        return [layer(x) for layer in layers]
    parts = [part for layer in quantized_ones for part in (layer.codes, layer.scales, layer.offsets)]
    products = quantized_linears(x, *parts)
    return [layer._finished(product, x) for layer, product in zip(quantized_ones, products, strict=True)]


class QuantizedEmbedding(_Quantized):
    """Table of vectors by index, with a quantized table; see :class:`xtensor.nn.Embedding`.

    Parameters
    ----------
    codes, scales, offsets
        The table, as :func:`xtensor.nn.functional.quantized_linear` takes it.

    Raises
    ------
    TypeError
        If an Array has another dtype.
    ValueError
        If the shapes do not match.
    """

    def __init__(self, codes: Array, scales: Array, offsets: Array | None = None) -> None:
        self.num_embeddings, self.embedding_dim = self._set(codes, scales, offsets)

    def forward(self, indices: Array) -> Array:
        """Return the rows of an Array of indices of shape (…): an Array of shape (…, d)."""
        flat = xp.reshape(indices, (indices.size,))
        if flat.dtype.kind in "iu" and flat.size:
            # The one of the scales has a row for each index, too, and raises where one is out of bounds.
            scales = F.embedding(flat, self.scales)
            offsets = None if self.offsets is None else F.embedding(flat, self.offsets)
            rows = unpack(xp.take(self.codes, flat, axis=0), scales, offsets, self.scales.dtype)
        else:
            rows = F.embedding(flat, xp.zeros((1, self.embedding_dim), dtype=self.scales.dtype, device=flat.device))
        return xp.reshape(rows, (*indices.shape, self.embedding_dim))

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        group = self.embedding_dim // self.scales.shape[1]
        return f"{self.num_embeddings}, {self.embedding_dim}, bits={self.bits}, group={group}"


def quantize(model: M, kind: Literal["int8", "int4"] = "int8", *, group: int = 32, skip: Collection[str] = ()) -> M:
    """Quantize the matrices of all linear layers of a model, which need a quarter or an eighth of the memory then.

    With int8, the numbers of a group are rounded to multiples of 1/127 of the largest magnitude. With int4, they are
    rounded to multiples of -1/8 of the number of the largest magnitude, from -8 to 7 of them.

    Parameters
    ----------
    model
        The model, whose :class:`xtensor.nn.Linear` are replaced by :class:`QuantizedLinear`; also the model itself.
    kind
        ``"int8"`` or ``"int4"``.
    group
        Number of columns that share a scale, which divides the number of columns of each layer; even with int4. The
        kernel of the CPU needs a multiple of 16 with int8, and of 32 with int4.
    skip
        Names of layers that stay, as :meth:`Module.named_modules` has them.

    Returns
    -------
    Module
        ``model``, or the quantized layer where that is a linear layer itself.

    Raises
    ------
    TypeError
        If ``model`` is not a module.
    ValueError
        If ``group`` does not divide the columns of a layer, a name of ``skip`` is unknown, or ``kind`` is another
        value. The model is unchanged then.

    Notes
    -----
    The formats Q8_0 and Q4_0 of ggml, with scales of float32.
    """
    if not isinstance(model, Module):
        raise TypeError(f"quantize() takes a module, not {describe(model)}")
    word = check_word(kind, ("int8", "int4"), "quantize", "kind")
    size = check_size(group, "quantize", "group")
    if word == "int4" and size % 2:
        raise ValueError(f"quantize(): group is {size}, expected an even number with int4")
    layers = {name: layer for name, layer in model.named_modules() if isinstance(layer, Linear)}
    unknown = sorted(set(skip) - layers.keys())
    if unknown:
        raise ValueError(f"quantize(): skip names {unknown[0]!r}, which is no linear layer of the model")
    chosen = {name: layer for name, layer in layers.items() if name not in skip}
    for name, layer in chosen.items():
        if layer.in_features % size or not layer.in_features:
            raise ValueError(
                f"quantize(): the layer {name or 'itself'!r} has {layer.in_features} columns, expected a multiple of "
                f"group {size}; pass another group=, or the layer's name to skip="
            )
    return replace_layers(
        model, {id(layer): quantized(layer.weight, layer.bias, word, size) for layer in chosen.values()}
    )


def replace_layers(model: M, replaced: Mapping[int, Module]) -> M:
    """Replace layers of a model, by their identities; return the model, or what replaces it."""
    for module in list(model.modules()):
        for name, value in vars(module).items():
            setattr(module, name, _replace(value, replaced))
    return replaced.get(id(model), model)  # type: ignore[return-value]


def quantized(weight: Array, bias: Array | None, kind: str, group: int) -> QuantizedLinear:
    """Return the quantized layer of a matrix; see :func:`quantize`."""
    rows, columns = weight.shape
    weight = xp.reshape(xp.astype(weight, xp.float32, copy=False), (rows, columns // group, group))
    magnitude = xp.abs(weight)
    largest = xp.max(magnitude, axis=-1, keepdims=True)
    if kind == "int8":
        scales = largest / 127
        codes = xp.astype(xp.round(weight / xp.where(scales == 0, 1.0, scales)), xp.int8)
        codes = xp.reshape(codes, (rows, columns))
    else:
        position = xp.argmax(magnitude, axis=-1, keepdims=True)
        scales = xp.take_along_axis(weight, position, axis=-1) / -8
        numbers = xp.floor(weight / xp.where(scales == 0, 1.0, scales) + 8.5)
        halves = xp.astype(xp.clip(numbers, 0, 15), xp.uint8)
        packed = halves[..., : group // 2] | (halves[..., group // 2 :] << 4)
        codes = xp.reshape(packed, (rows, columns // 2))
    return QuantizedLinear(codes, scales[..., 0], None, bias)


def _replace(value: Any, replaced: Mapping[int, Module]) -> Any:
    """Return an attribute with its layers replaced, in lists, tuples and dicts, too."""
    if isinstance(value, Module):
        return replaced.get(id(value), value)
    if isinstance(value, dict):
        return {name: _replace(item, replaced) for name, item in value.items()} if value else value
    if type(value) in (list, tuple) and value:
        return type(value)([_replace(item, replaced) for item in value])
    return value
