"""Kernels in Triton's interpreter, over host memory: NumPy takes the place of the GPU.

Requirements: a kernel is run as it is written, so that what passes here is the kernel's own logic; the rest is speed.
What is put right in the interpreter:

- It takes PyTorch's tensors: arguments are made into what it makes of those, with the types that a kernel is given.
- It has no libdevice: NumPy's functions stand in (:func:`install`).
- It prepares ``triton.language`` anew for every call of every function, and takes a ``tl.reduce`` of one's own
  element by element: both are done once, and for whole blocks.

It keeps its state in globals, so that one kernel runs at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.runtime import interpreter

from ._dtypes import OPERAND

__all__ = ["InterpretedKernel", "Interpreter"]

LIBDEVICE: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "copysign")},
    **{name: getattr(np, name) for name in ("cos", "cosh", "exp", "expm1", "fmod", "hypot", "log", "log10", "log1p")},
    **{name: getattr(np, name) for name in ("log2", "pow", "sin", "sinh", "tan", "tanh")},
}
"""The functions of libdevice that the kernels call, and NumPy's that give the same."""

LONGEST_AXIS = 2**16
"""The programs along an axis of the grid, beyond which a launch is folded as on a GPU."""

TYPES: dict[str, tuple[Any, Any]] = {
    "i32": (np.int32, tl.int32),
    "i64": (np.int64, tl.int64),
    "u64": (np.uint64, tl.uint64),
    "fp32": (np.float32, tl.float32),
    "fp64": (np.float64, tl.float64),
    **{f"*i{bits}": (np.uint64, tl.pointer_type(getattr(tl, f"int{bits}"))) for bits in (8, 16, 32, 64)},
    **{f"*u{bits}": (np.uint64, tl.pointer_type(getattr(tl, f"uint{bits}"))) for bits in (8, 16, 32, 64)},
    **{f"*fp{bits}": (np.uint64, tl.pointer_type(getattr(tl, f"float{bits}"))) for bits in (16, 32, 64)},
}
"""The types of arguments: what holds one on the host, and Triton's own."""


class InterpretedKernel:
    """A kernel with the types of its arguments and its constants; called as its compiled likeness is."""

    __slots__ = ("_constants", "_function", "_types")

    def __init__(self, function: Any, types: tuple[Any, ...], constants: Mapping[str, Any]) -> None:
        self._function = function
        self._types = types
        self._constants = constants

    def __call__(self, programs: int, *args: Any) -> None:
        converted = [_argument(value, kind) for value, kind in zip(args, self._types, strict=True)]
        with _lock, np.errstate(all="ignore"):
            folds = -(-programs // LONGEST_AXIS)
            self._function[(min(programs, LONGEST_AXIS), folds)](*converted, **self._constants)


class Interpreter:
    """What the functions ask for a kernel, where kernels are interpreted."""

    interprets = True

    def kernel(
        self, function: Any, types: tuple[Any, ...], constants: Mapping[str, Any], **options: Any
    ) -> InterpretedKernel:
        return InterpretedKernel(function, types, constants)


_lock = threading.Lock()


def _argument(value: Any, kind: Any) -> Any:
    if isinstance(kind, tuple):
        return tuple(_argument(item, part) for item, part in zip(value, kind, strict=True))
    if kind is None:
        return None
    host, device = TYPES[kind.removeprefix(OPERAND)]
    return tl.tensor(interpreter.TensorHandle(np.array([value], dtype=host), device), device)


def _shim(function: Callable[..., Any]) -> Callable[..., Any]:
    def on_blocks(*operands: Any) -> Any:
        data = function(*(operand.handle.data for operand in operands))
        dtype = operands[0].dtype
        widest = max((operand.type for operand in operands), key=lambda kind: len(getattr(kind, "shape", ())))
        return tl.tensor(interpreter.TensorHandle(data, dtype), widest)

    return on_blocks


def _reduce_in_pairs(self: Any, operands: Any) -> list[Any]:
    """``tl.reduce`` with a function of one's own: neighbours are combined, all at a time, until one is left."""
    whole = self.axis is None
    operands, axis = self.unravel(operands, self.axis)
    dtypes = [operand.dtype for operand in operands]
    parts = [np.moveaxis(operand.handle.data, axis, -1) for operand in operands]
    while parts[0].shape[-1] > 1:
        halves = [part[..., start::2] for start in (0, 1) for part in parts]
        found = self.combine_fn.fn(
            *(self.to_tensor(half, dtype) for half, dtype in zip(halves, dtypes * 2, strict=True))
        )
        parts = [item.handle.data for item in (found if isinstance(found, (tuple, list)) else (found,))]
    results = []
    for part, dtype in zip(parts, dtypes, strict=True):
        data = np.moveaxis(part, -1, axis) if self.keep_dims else part[..., 0]
        results.append(self.to_tensor(data.item() if whole and not self.keep_dims else data, dtype))
    return results


def install() -> None:
    """Put right in Triton's interpreter what the head of this module lists; the process interprets from now on."""
    for name, function in LIBDEVICE.items():
        setattr(libdevice, name, _shim(function))
    interpreter.ReduceOps.generic_reduce = _reduce_in_pairs
    interpreter._patch_lang(SimpleNamespace(__globals__={"tl": tl, "core": tl.core}))
    interpreter._patch_lang = lambda function: interpreter._LangPatchScope()
    # Triton 3.6 makes an index of an array of one element, which newer versions of NumPy refuse.
    tl.tensor.__index__ = lambda self: int(self.handle.data.item())


if not triton.knobs.runtime.interpret:
    raise RuntimeError("this module is for processes in which Triton interprets")
install()
