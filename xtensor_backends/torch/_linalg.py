"""Linear algebra and Fourier transforms on tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from ._native import FLOATS, HALVES, SIGNED, Tensor, wide
from ._operands import OPERANDS

__all__ = ["Fourier", "Linalg", "matmul"]


def matmul(x1: Tensor, x2: Tensor) -> Tensor:
    x1, x2 = OPERANDS.promoted(x1, x2)
    dtype = x1.dtype
    if dtype in FLOATS or dtype.is_complex:
        return torch.matmul(x1, x2)
    inner = x2.shape[-2] if x2.dim() > 1 else x2.shape[0]
    if x1.shape[-1] != inner:
        raise ValueError(f"the matrices have {x1.shape[-1]} columns and {inner} rows, which must be equal")
    if dtype in SIGNED:
        # uint64 has the bits of int64, and so have products of narrower integers.
        x1, x2 = (x.view(torch.int64) if dtype is torch.uint64 else wide(x) for x in (x1, x2))
    x1, x2 = x1.to(torch.int64), x2.to(torch.int64)
    product = torch.matmul(x1, x2) if x1.device.type == "cpu" else _integer_product(x1, x2)
    if dtype is torch.bool:
        return product != 0
    return product.view(dtype) if dtype is torch.uint64 else product.to(dtype)


def _integer_product(x1: Tensor, x2: Tensor) -> Tensor:
    """Return a product of matrices of integers, for which GPUs have no kernel, column by column of the second one."""
    is_vector = x2.dim() == 1
    x2 = x2[:, None] if is_vector else x2
    rows = x1[None, :] if x1.dim() == 1 else x1
    columns = [torch.sum(rows * x2[..., None, :, column], -1) for column in range(x2.shape[-1])]
    result = torch.stack(columns, -1) if columns else torch.matmul(rows.double(), x2.double()).to(torch.int64)
    result = result[..., 0, :] if x1.dim() == 1 else result
    return result[..., 0] if is_vector else result


def _matrices(x: Tensor) -> Tensor:
    if x.dtype in HALVES:
        raise TypeError(f"linear algebra takes no {x.dtype}; cast it with xtensor.astype(x, xtensor.float32)")
    return OPERANDS.in_double(x)


def _of_matrices(name: str) -> Any:
    """Return torch's function of matrices, with its options."""
    function = getattr(torch.linalg, name)
    return staticmethod(lambda x, **options: function(_matrices(x), **options))


class Linalg:
    """The functions of ``linalg``."""

    cholesky, qr, svd = map(_of_matrices, ("cholesky", "qr", "svd"))
    det, slogdet, inv = map(_of_matrices, ("det", "slogdet", "inv"))
    eig, eigh, eigvals, eigvalsh, svdvals = map(_of_matrices, ("eig", "eigh", "eigvals", "eigvalsh", "svdvals"))

    @staticmethod
    def matrix_norm(x: Tensor, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
        if ord == "fro":
            return Linalg.vector_norm(x, axis=(-2, -1), keepdims=keepdims, ord=2)
        x = _matrices(x)
        if 0 not in x.shape[-2:]:
            return torch.linalg.matrix_norm(x, ord, (-2, -1), keepdim=keepdims)
        # The smallest of no sums or singular values; sums of nothing are 0.
        if ord == -2 or (ord == -1 and not x.shape[-1]) or (ord == -math.inf and not x.shape[-2]):
            raise ValueError("zero-size array to reduction operation minimum which has no identity")
        return torch.linalg.vector_norm(x, 2, (-2, -1), keepdim=keepdims)

    @staticmethod
    def solve(x1: Tensor, x2: Tensor) -> Tensor:
        x1, x2 = OPERANDS.promoted(_matrices(x1), _matrices(x2))
        if x2.dim() == 1:
            return torch.linalg.solve(x1, x2[:, None].expand(*x1.shape[:-2], *x2.shape, 1))[..., 0]
        # torch takes (…, n) next to (…, n, n) for vectors, the standard for one matrix.
        batch = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
        return torch.linalg.solve(x1.expand(*batch, *x1.shape[-2:]), x2.expand(*batch, *x2.shape[-2:]))

    @staticmethod
    def vector_norm(x: Tensor, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
        x = OPERANDS.in_double(x)
        axes = tuple(range(x.dim())) if axis is None else axis
        if axes == ():  # the norm of one element, over an axis of length 1
            return torch.linalg.vector_norm(x[None], ord, (0,))
        if not x.numel() and ord == math.inf:
            ord = 2  # the norm of nothing is 0, which a maximum is not
        return torch.linalg.vector_norm(x, ord, axes, keepdim=keepdims)


def _transform(name: str) -> Any:
    function = getattr(torch.fft, name)

    def transformed(x: Tensor, *, n: int, axis: int, norm: str) -> Tensor:
        if x.dtype in HALVES:
            raise TypeError(f"Fourier transforms take no {x.dtype}; cast it with xtensor.astype(x, xtensor.float32)")
        x = OPERANDS.in_double(x)
        if x.numel():
            return function(x, n=n, dim=axis, norm=norm).resolve_conj()
        # MKL raises an error for an array without elements.
        lengths = list(x.shape)
        lengths[axis] = n // 2 + 1 if name in ("rfft", "ihfft") else n
        is_real = name in ("irfft", "hfft")
        dtype = x.real.dtype if is_real else torch.promote_types(x.dtype, torch.complex64)
        return torch.zeros(lengths, dtype=dtype, device=x.device)

    return staticmethod(transformed)


class Fourier:
    """The transforms along one axis; those along several are composed of them."""

    fft = _transform("fft")
    ifft = _transform("ifft")
    rfft = _transform("rfft")
    irfft = _transform("irfft")
    hfft = _transform("hfft")
    ihfft = _transform("ihfft")
