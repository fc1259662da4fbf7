"""Kernels in Triton's interpreter, over host memory: NumPy executes them in place of a GPU.

A kernel runs as it is written, so that tests here test the kernel's own logic. The interpreter is patched, because:

- It expects PyTorch tensors: arguments are converted to its own tensors, with the types of the kernel's arguments.
- It has no libdevice: NumPy's functions replace it (:func:`install`).
- It patches ``triton.language`` in every call of every function, and evaluates ``tl.reduce`` with a custom function
  element by element: here the first is done once, and the second in whole blocks.

The interpreter keeps its state in globals, so that only one kernel runs at a time.
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

from ._dtypes import UNSPECIALIZED

__all__ = ["InterpretedKernel", "Interpreter"]

LIBDEVICE: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "copysign")},
    **{name: getattr(np, name) for name in ("cos", "cosh", "exp", "expm1", "fmod", "hypot", "log", "log10", "log1p")},
    **{name: getattr(np, name) for name in ("log2", "pow", "rint", "sin", "sinh", "tan", "tanh", "trunc")},
}
"""The libdevice functions that kernels call, and their NumPy equivalents."""

LONGEST_AXIS = 2**16
"""Programs along a grid axis; a launch of more programs uses two axes, as on a GPU."""

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
"""The NumPy and Triton dtypes of each argument type."""


class InterpretedKernel:
    """A kernel for given argument types and constants, as :class:`xtensor_backends.triton._launch.DeviceKernel` is."""

    __slots__ = ("_constants", "_function", "_types")

    def __init__(self, function: Any, types: tuple[Any, ...], constants: Mapping[str, Any]) -> None:
        self._function = function
        self._types = types
        self._constants = constants

    def __call__(self, programs: int, *args: Any) -> None:
        with _lock, np.errstate(all="ignore"):
            converted = [_argument(value, kind) for value, kind in zip(args, self._types, strict=True)]
            folds = -(-programs // LONGEST_AXIS)
            self._function[(min(programs, LONGEST_AXIS), folds)](*converted, **self._constants)

    def bound(self, fixed: tuple[Any, ...]) -> Callable[..., None]:
        """Return the kernel with its last arguments."""
        return lambda programs, *first: self(programs, *first, *fixed)


class Interpreter:
    """Makes kernels that are interpreted."""

    interprets = True

    @property
    def longest_axis(self) -> int:
        """The number of programs along a grid axis."""
        return LONGEST_AXIS

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
    host, device = TYPES[kind.removeprefix(UNSPECIALIZED)]
    return tl.tensor(interpreter.TensorHandle(np.array([value], dtype=host), device), device)


def _shim(function: Callable[..., Any]) -> Callable[..., Any]:
    def on_blocks(*operands: Any) -> Any:
        data = function(*(operand.handle.data for operand in operands))
        dtype = operands[0].dtype
        widest = max((operand.type for operand in operands), key=lambda kind: len(getattr(kind, "shape", ())))
        return tl.tensor(interpreter.TensorHandle(data, dtype), widest)

    return on_blocks


def _reduce_in_pairs(self: Any, operands: Any) -> list[Any]:
    """``tl.reduce`` with a custom function: combine all pairs of neighbours at once until one element remains."""
    all_axes = self.axis is None
    operands, axis = self.unravel(operands, self.axis)
    dtypes = [operand.dtype for operand in operands]
    parts = [np.moveaxis(operand.handle.data, axis, -1) for operand in operands]
    while parts[0].shape[-1] > 1:
        halves = [part[..., start::2] for start in (0, 1) for part in parts]
        combined = self.combine_fn.fn(
            *(self.to_tensor(half, dtype) for half, dtype in zip(halves, dtypes * 2, strict=True))
        )
        parts = [item.handle.data for item in (combined if isinstance(combined, (tuple, list)) else (combined,))]
    results = []
    for part, dtype in zip(parts, dtypes, strict=True):
        data = np.moveaxis(part, -1, axis) if self.keep_dims else part[..., 0]
        results.append(self.to_tensor(data.item() if all_axes and not self.keep_dims else data, dtype))
    return results


def _all_ones(self: Any, dtype: Any) -> Any:
    """``get_all_ones_value``: integers and booleans with every bit set."""
    ones = np.invert(np.zeros(1, interpreter._get_np_dtype(dtype)))
    return interpreter.TensorHandle(ones, dtype.scalar)


def _create_fma(self: Any, x: Any, y: Any, z: Any) -> Any:
    """``create_fma``, rounded once except for float64, which has 11 bits more before it is rounded."""
    result = x.data.astype(np.longdouble) * y.data + z.data
    return interpreter.TensorHandle(result.astype(z.data.dtype), z.dtype.scalar)


def install() -> None:
    """Patch Triton's interpreter as described at the head of this module."""
    for name, function in LIBDEVICE.items():
        setattr(libdevice, name, _shim(function))
    interpreter.ReduceOps.generic_reduce = _reduce_in_pairs
    interpreter._patch_lang(SimpleNamespace(__globals__={"tl": tl, "core": tl.core}))
    # Triton 3.6 and 3.7 convert -1 to unsigned integers, which NumPy 2 rejects.
    interpreter.InterpreterBuilder.get_all_ones_value = _all_ones
    if not hasattr(interpreter._interpreter, "fma_fp64"):  # before Triton 3.9 products are rounded
        interpreter.InterpreterBuilder.create_fma = _create_fma
    interpreter._patch_lang = lambda function: interpreter._LangPatchScope()
    # Triton 3.6 uses an array of one element as an index, which newer versions of NumPy reject.
    tl.tensor.__index__ = lambda self: int(self.handle.data.item())


if not triton.knobs.runtime.interpret:
    raise RuntimeError("xtensor_backends.triton._interpreter needs a process in which Triton interprets kernels")
install()
