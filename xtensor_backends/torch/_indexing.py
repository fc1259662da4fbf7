"""NumPy's keys on tensors: torch has no negative steps, takes uint8 for masks and 0-d index arrays for integers.

A negative step selects by a copy, all other basic keys by a view.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from xtensor.backend import check_positions, forward_slice, resolved_key, split_key, without_leading_axes, written_slice

from ._native import TENSOR, Tensor, TorchArray, repeats_memory, signed
from ._operands import NATIVE_SCALARS, cast, number

__all__ = ["getitem", "setitem"]


LARGEST = 2**62
"""The largest integer in a key that torch is given; from 2**63 on it raises another error."""


class Selection(NamedTuple):
    """A view, the axes along which it is to be reversed, and for each axis its positions or a full slice.

    ``positions`` is empty for a basic key, and ``(...,)`` for a basic key by 0-d index arrays, which select a copy.
    """

    view: Tensor
    flips: tuple[int, ...]
    positions: tuple[Any, ...]


def getitem(native: TorchArray, key: Any) -> TorchArray:
    """Return ``native[key]``."""
    tensor = native.array
    if key.__class__ is TorchArray:
        positions = key.array
        if positions.dtype is torch.int64 and positions.dim() and tensor.dim() and tensor.device.type == "cpu":
            return TorchArray(tensor[positions])  # torch checks the bounds
    elif _is_torchs(key) and tensor.is_contiguous():
        return TorchArray(tensor[key])
    view, flips, positions = _select(tensor, key)
    if flips:
        view = torch.flip(signed(view), flips).view(tensor.dtype)
    if positions == (...,):
        view = view.clone()
    elif positions:
        view = signed(view)[positions].view(tensor.dtype)
    elif repeats_memory(tensor) and not repeats_memory(view):
        view = view.clone()  # a write to it would change all rows of the broadcast view
    return TorchArray(view)


def setitem(native: TorchArray, key: Any, value: Any) -> None:
    """Assign to ``native[key]``; raise for Python numbers that the dtype cannot represent, as NumPy does."""
    tensor = native.array
    if value.__class__ is float and tensor.dtype in NATIVE_SCALARS and _is_torchs(key) and tensor.is_contiguous():
        tensor[key] = value
        return
    view, flips, positions = _select(tensor, key)
    if repeats_memory(tensor):
        raise ValueError("assignment destination is read-only: it is a broadcast view; copy it with xtensor.asarray")
    if value.__class__ is TorchArray:
        source = _apart(cast(value.array, tensor.dtype), tensor)
    else:
        source = number(value, tensor.dtype, tensor.device)
    view, source = signed(view), signed(source)
    if not positions or positions == (...,):
        source = without_leading_axes(source, view.dim())
        view.copy_(torch.flip(source.expand(view.shape), flips) if flips else source)
        return
    if flips:
        numbers = torch.arange(tensor.numel(), device=tensor.device).reshape(tensor.shape)
        selected = torch.flip(_select(numbers, key).view, flips)[positions]
        source = without_leading_axes(source, selected.dim()).expand(selected.shape)
        signed(tensor).put_(selected, source.contiguous())
        return
    positions = tuple([_apart(item, tensor) if item.__class__ is TENSOR else item for item in positions])
    arrays = [item for item in positions if item.__class__ is TENSOR]
    ndim = view.dim() - len(arrays) + len(np.broadcast_shapes(*[item.shape for item in arrays]))
    view[positions] = without_leading_axes(source, ndim)


def _is_torchs(key: Any) -> bool:
    """Whether torch takes a key as NumPy does: one of small integers, slices without a step and one ellipsis."""
    kind = key.__class__
    if kind is tuple:
        return all(item.__class__ is not tuple and _is_torchs(item) for item in key) and key.count(...) < 2
    if kind is int:
        return bool(-LARGEST <= key <= LARGEST)
    return key is ... or (kind is slice and key.step is None)


def _select(tensor: Tensor, key: Any) -> Selection:
    shape = tuple(tensor.shape)
    parts = resolved_key(key, shape, TorchArray)
    advanced = [part for part in parts if part.__class__ is TorchArray or part.__class__ is bool]
    if not advanced:
        return _basic(tensor, parts)
    if all(part.__class__ is TorchArray and not part.array.dim() for part in advanced):
        # torch takes 0-d index arrays for integers, whose result is a view.
        parts = [int(part) if part.__class__ is TorchArray else written_slice(part) for part in parts]
        view, flips, _ = _basic(tensor, resolved_key(tuple(parts), shape, TorchArray))
        return Selection(view, flips, (...,))
    basic, positions = split_key(
        parts,
        shape,
        nonzero=lambda mask: torch.nonzero(mask.array, as_tuple=True),
        positions=lambda part, length, axis: _checked(part.array.to(torch.int64), length, axis),
        constant=lambda values: torch.tensor(values, dtype=torch.int64, device=tensor.device),
    )
    view, flips, _ = _basic(tensor, basic)
    positions = [item.reshape(1) if item.__class__ is TENSOR and not item.dim() else item for item in positions]
    return Selection(view, flips, tuple(positions))


def _basic(tensor: Tensor, parts: list[Any]) -> Selection:
    """Return the view of ints, slices and None, and the axes along which it is to be reversed."""
    forward: list[Any] = []
    flips: list[int] = []
    axis = 0
    for part in parts:
        if part.__class__ is slice and part.step < 0:
            forward.append(forward_slice(part))
            flips.append(axis)
        else:
            forward.append(part)
        axis += part.__class__ is not int
    return Selection(tensor[tuple(forward)] if forward else tensor[...], tuple(flips), ())


def _checked(positions: Tensor, length: int, axis: int) -> Tensor:
    # torch raises the error on the CPU, but of an assignment only after others were made. A GPU would stop.
    check_positions(positions, length, axis)
    return positions


def _apart(x: Tensor, tensor: Tensor) -> Tensor:
    """Return an operand of an assignment to a tensor, a copy if it is in the same memory."""
    return x.clone() if x.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr() else x
