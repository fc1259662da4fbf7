"""Embeddings as modules."""

from __future__ import annotations

from typing import Any

from ... import _ops as xp
from ..._core.array import Array
from ..._core.device import Device
from ..._core.errors import describe
from ...autograd import stop_gradient
from ...autograd._custom import with_derivative_of
from ...linalg import vector_norm
from .. import functional as F  # noqa: N812
from ._initial import Initial, Rng
from .linear import check_size
from .module import Module

__all__ = ["Embedding", "RotaryEmbedding"]


class Embedding(Module):
    """Table of vectors by index; see :func:`xtensor.nn.functional.embedding`.

    Parameters
    ----------
    num_embeddings, embedding_dim
        Number m of rows and d of columns of the table.
    padding_idx
        Row that is 0 initially and is not learned.
    max_norm
        Largest norm of a row: each call scales the rows that it takes and whose norm is larger, before it takes them,
        and the table keeps them. No derivative goes through the factors, as in PyTorch. None for no bound.
    norm_type
        The p of the p-norm that ``max_norm`` bounds.
    scale_grad_by_freq
        Whether the gradient of a row is divided by the number of its indices in a call.
    sparse
        PyTorch's request for gradients of the used rows alone. The gradients are the same numbers, in an Array of the
        table's shape.
    rng
        Generator of the initial values, or its seed.
    device, dtype
        Of the table. Default: the generator's device, else the default device; float32.

    Attributes
    ----------
    weight
        The table, an Array of shape (m, d), initially normally distributed.

    Raises
    ------
    TypeError
        If a number is not an integer, or a norm not a number.
    ValueError
        If a number is less than 1, ``padding_idx`` is out of bounds, or ``max_norm`` is negative.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        self.num_embeddings = check_size(num_embeddings, "Embedding", "num_embeddings")
        self.embedding_dim = check_size(embedding_dim, "Embedding", "embedding_dim")
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError(f"Embedding(): padding_idx is {padding_idx}, and there are {num_embeddings} rows")
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        for name, value in (("max_norm", 0.0 if max_norm is None else max_norm), ("norm_type", norm_type)):
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"Embedding(): {name} is a real number, not {describe(value)}")
        if max_norm is not None and not max_norm >= 0:
            raise ValueError(f"Embedding(): max_norm is {max_norm}, expected a number of 0 or more")
        self.max_norm = None if max_norm is None else float(max_norm)
        self.norm_type = float(norm_type)
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        self.weight = Initial(rng, device, dtype).normal((num_embeddings, embedding_dim))
        if self.padding_idx is not None:
            self.weight[self.padding_idx, ...] = 0

    def forward(self, indices: Array) -> Array:
        """Return the rows of an Array of indices of shape (…): an Array of shape (…, d)."""
        if self.max_norm is not None:
            self._renormalize(indices, self.max_norm)
        rows = F.embedding(indices, self.weight)
        if self.scale_grad_by_freq:
            counts = xp.bincount(xp.reshape(indices, (-1,)), minlength=self.num_embeddings)
            shares = rows / xp.astype(xp.expand_dims(xp.take(counts, indices), axis=-1), rows.dtype)
            rows = stop_gradient(rows) + (shares - stop_gradient(shares))
        if self.padding_idx is None:
            return rows
        is_padding = xp.expand_dims(indices == self.padding_idx, axis=-1)
        return xp.where(is_padding, stop_gradient(rows), rows)

    def _renormalize(self, indices: Array, bound: float) -> None:
        """Divide the rows of some indices whose norm is above a bound."""
        weight = stop_gradient(self.weight)
        F.embedding(stop_gradient(indices), weight)  # checks the indices
        counts = xp.bincount(xp.reshape(stop_gradient(indices), (-1,)), minlength=self.num_embeddings)
        norms = vector_norm(weight, axis=-1, keepdims=True, ord=self.norm_type)
        is_above = xp.expand_dims(counts > 0, axis=-1) & (norms > bound)
        factor = xp.where(is_above, bound / (norms + 1e-7), 1.0)  # PyTorch's formula
        self.weight = with_derivative_of(self.weight, weight * factor)

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        defaults = {
            "padding_idx": None,
            "max_norm": None,
            "norm_type": 2.0,
            "scale_grad_by_freq": False,
            "sparse": False,
        }
        given = [f", {name}={getattr(self, name)}" for name, value in defaults.items() if getattr(self, name) != value]
        return f"{self.num_embeddings}, {self.embedding_dim}{''.join(given)}"


class RotaryEmbedding(Module):
    r"""Rotary position embedding; see :func:`xtensor.nn.functional.rotary_embedding`.

    The angle of pair i at position p is :math:`p\, \theta^{-2i/d}`.

    Parameters
    ----------
    dim
        Length d of the vectors, an even number.
    base
        :math:`\theta`.
    interleaved
        Whether elements 2i and 2i + 1 are a pair; otherwise elements i and i + d / 2 are.
    device
        Device of the frequencies. Default: the default device.

    Raises
    ------
    ValueError
        If ``dim`` is not a positive even number.
    """

    def __init__(
        self, dim: int, base: float = 10000.0, *, interleaved: bool = False, device: str | Device | None = None
    ) -> None:
        self.dim = check_size(dim, "RotaryEmbedding", "dim", 2)
        if dim % 2:
            raise ValueError(f"RotaryEmbedding(): dim is {dim}, expected an even number")
        self.base, self.interleaved = float(base), interleaved
        exponents = xp.arange(0, dim, 2, dtype=xp.float32, device=device) / float(dim)
        self.register_buffer("inv_freq", 1.0 / self.base**exponents, persistent=False)

    def forward(self, x: Array, start: int = 0) -> Array:
        """Return an Array of shape (…, n, d) with the positions from ``start`` on embedded."""
        positions = xp.arange(start, start + x.shape[-2], dtype=self.inv_freq.dtype, device=x.device)
        angles = xp.expand_dims(positions, axis=1) * self.inv_freq
        cos, sin = xp.astype(xp.cos(angles), x.dtype), xp.astype(xp.sin(angles), x.dtype)
        return F.rotary_embedding(x, cos, sin, interleaved=self.interleaved)

    inv_freq: Array

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"{self.dim}, base={self.base}, interleaved={self.interleaved}"
