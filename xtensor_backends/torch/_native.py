"""The native array: a tensor that shows its dtype as a ``numpy.dtype`` and its shape as a tuple.

A uint16, uint32 or uint64 tensor has few functions in torch. :func:`signed` is the same memory as signed integers, of
which addition, multiplication and moves have the same bits; :func:`ordered` are signed integers in the same order.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeAlias

import numpy as np
import torch

from xtensor.backend import COMMON_DTYPES, DType, Native, WrappedArray, dtypes_of, is_narrow, with_standard_dtype

__all__ = [
    "COMPLEX",
    "FLOATS",
    "HALVES",
    "INEXACT",
    "SIGNED",
    "TENSOR",
    "TO_NUMPY",
    "TO_TORCH",
    "Tensor",
    "TorchArray",
    "from_host",
    "ordered",
    "plain",
    "repeats_memory",
    "signed",
    "wide",
]

TENSOR: Any = torch.Tensor

Tensor: TypeAlias = Any
"""A tensor in annotations: torch's types are not known where torch is not installed."""

TO_TORCH: dict[DType, torch.dtype] = dtypes_of(torch, COMMON_DTYPES)

TO_NUMPY: dict[torch.dtype, DType] = {ours: dtype for dtype, ours in TO_TORCH.items()}

HALVES = frozenset(ours for dtype, ours in TO_TORCH.items() if is_narrow(dtype))
FLOATS = HALVES | {torch.float32, torch.float64}
COMPLEX = frozenset((torch.complex64, torch.complex128))
INEXACT = FLOATS | COMPLEX

SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
"""The unsigned dtypes that torch computes little with, and the signed dtypes of their width."""

WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64}


class TorchArray(WrappedArray):
    """A tensor with the attributes of the contract."""

    __slots__ = ()

    library_type = TENSOR
    library_dtypes: ClassVar = TO_TORCH
    numpy_dtypes: ClassVar = TO_NUMPY

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return TO_NUMPY[self.array.dtype]

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self.array.numel())

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(self.array.dim())

    def __getitem__(self, key: Any) -> TorchArray:
        from ._indexing import getitem

        return getitem(self, key)

    def __int__(self) -> int:
        return int(self.array.item())

    def __float__(self) -> float:
        return float(self.array.item())

    def __complex__(self) -> complex:
        return complex(self.array.item())

    def __index__(self) -> int:
        if self.array.dtype in INEXACT or self.array.dtype is torch.bool:
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(self.array.item())

    def reshape(self, shape: tuple[int, ...]) -> TorchArray:
        """Return the elements in another shape."""
        return TorchArray(self.array.reshape(shape))

    def host(self) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array: the same memory on the CPU."""
        tensor, dtype = self.array.cpu(), self.dtype
        values: np.ndarray[Any, Any]
        values = tensor.view(torch.int16).numpy().view(dtype) if dtype.kind == "V" else tensor.numpy()
        return values

    def __dlpack__(self, **requested: Any) -> Any:
        return self.array.__dlpack__(**requested)

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, index = self.array.__dlpack_device__()
        return kind, index


def plain(tensor: Tensor) -> Tensor:
    """Return a user's tensor without lazy conjugation and negation; TypeError if it needs a gradient."""
    if tensor.requires_grad:
        raise TypeError(
            "the tensor requires a gradient, which torch does not follow through xtensor; pass tensor.detach(), and "
            "differentiate with xtensor.autograd"
        )
    if tensor.dtype not in TO_NUMPY or tensor.layout is not torch.strided:
        raise TypeError(f"xtensor has no {tensor.layout} arrays of {tensor.dtype}; cast the tensor, or call to_dense()")
    tensor = tensor.resolve_conj().resolve_neg()
    return tensor if is_aligned(tensor.data_ptr(), tensor.itemsize) else tensor.clone()


def is_aligned(address: int, itemsize: int) -> bool:
    """Whether torch's kernels may read elements there: complex128 at multiples of 8 bytes, as NumPy has it, crashes."""
    return address % itemsize == 0


def from_host(array: np.ndarray[Any, Any], device: torch.device, copy: bool | None) -> Native:
    """Return a NumPy array's values as a native array; ``copy=None`` copies where torch cannot share the memory."""
    array = with_standard_dtype(array)
    shares = (
        device.type == "cpu"
        and array.flags.writeable  # torch has no read-only tensors
        and array.dtype.isnative
        and is_aligned(array.__array_interface__["data"][0], array.itemsize)
        and all(step >= 0 and step % array.itemsize == 0 for step in array.strides)
    )
    if copy is False and not shares:
        raise ValueError(f"these values cannot be used on torch:{device} without a copy; pass copy=None or copy=True")
    if copy or not shares:
        array = np.array(array, dtype=array.dtype.newbyteorder("="), order="C")
    if array.dtype.kind == "V":
        return TorchArray(torch.from_numpy(array.view(np.int16)).view(TO_TORCH[array.dtype]).to(device))
    return TorchArray(torch.from_numpy(array).to(device))


def signed(x: Tensor) -> Tensor:
    """Return the memory of unsigned integers as signed ones; others as they are."""
    dtype = SIGNED.get(x.dtype)
    return x if dtype is None else x.view(dtype)


def ordered(x: Tensor) -> Tensor:
    """Return signed integers in the order of unsigned ones: the highest bit is inverted; others as they are."""
    dtype = SIGNED.get(x.dtype)
    return x if dtype is None else x.view(dtype) ^ torch.iinfo(dtype).min


def wide(x: Tensor) -> Tensor:
    """Return uint16 and uint32 as signed integers of twice the width, which hold their values; others as they are."""
    dtype = WIDER.get(x.dtype)
    return x if dtype is None else x.to(dtype)


def repeats_memory(x: Tensor) -> bool:
    """Whether several elements are one element in memory, as in the result of ``broadcast_to``."""
    return any(step == 0 and length > 1 for step, length in zip(x.stride(), x.shape, strict=True)) and x.numel() > 1
