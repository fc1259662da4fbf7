"""bfloat16, which is no floating-point dtype to NumPy: its kind, its promotion, and functions that compute in float32.

The dtype is that of ml_dtypes, an optional library whose import takes a quarter of NumPy's own. It is imported when
bfloat16 is first asked for by name; where a dtype or an array of it exists, it has been imported already.

bfloat16 promotes as float16 does, in its place: with booleans and 8-bit integers to itself, with 16-bit integers and
float16 to float32, with wider integers to float64, with wider floating-point dtypes to those. Python scalars are weak.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias

import numpy as np

__all__ = ["REMEDY", "can_cast", "finfo", "in_float32", "is_installed", "kind_of", "load", "loaded", "result_type"]

DType: TypeAlias = "np.dtype[Any]"

REMEDY = 'python -m pip install "xtensor[bfloat16]"'

FLOAT32: DType = np.dtype(np.float32)

ABSORBED = frozenset((np.dtype(np.bool), np.dtype(np.int8), np.dtype(np.uint8)))
"""The dtypes that promote to bfloat16 beside it."""


def load() -> DType:
    """The dtype; ImportError where ml_dtypes is missing."""
    import ml_dtypes

    dtype: DType = np.dtype(ml_dtypes.bfloat16)
    return dtype


def loaded() -> tuple[DType, ...]:
    """The dtype, if anybody has asked for it in this process; else nothing."""
    return (load(),) if sys.modules.get("ml_dtypes") is not None else ()


def is_installed() -> bool:
    """Whether there is the dtype, which is then loaded."""
    try:
        load()
    except ImportError:
        return False
    return True


def kind_of(dtype: DType) -> str:
    """NumPy's letter for a kind of dtypes, and ``"f"`` for bfloat16, which NumPy calls void."""
    kind = dtype.kind
    return "f" if kind == "V" else kind


def _widened(operand: Any) -> Any:
    """An operand of a promotion, float32 for bfloat16."""
    dtype = getattr(operand, "dtype", operand)
    return FLOAT32 if isinstance(dtype, np.dtype) and dtype.kind == "V" else operand


def result_type(*operands: Any) -> DType:
    """``numpy.result_type`` of dtypes, arrays and Python scalars, bfloat16 among them."""
    wide = [_widened(operand) for operand in operands]
    common = np.result_type(*wide)
    if common == FLOAT32 and any(w is not operand for w, operand in zip(wide, operands, strict=True)):
        dtypes = [getattr(operand, "dtype", operand) for operand in operands]
        if _stays(dtype for dtype in dtypes if isinstance(dtype, np.dtype)):
            return load()
    return common


def _stays(dtypes: Any) -> bool:
    """Whether dtypes with bfloat16 among them promote to it."""
    return all(dtype.kind == "V" or dtype in ABSORBED for dtype in dtypes)


def can_cast(source: DType, target: DType) -> bool:
    """Whether a dtype promotes to another; ``numpy.can_cast`` with bfloat16."""
    if source.kind == "V" or target.kind == "V":
        return result_type(source, target) == target
    return np.can_cast(source, target)


def finfo(dtype: DType) -> Any:
    """``numpy.finfo``, of bfloat16 too."""
    if dtype.kind != "V":
        return np.finfo(dtype)
    import ml_dtypes

    return ml_dtypes.finfo(dtype)


class _Call:
    """The arguments of a call with float32 in the place of bfloat16, and what was met."""

    __slots__ = ("asked", "found", "operands", "widen")

    def __init__(self, widen: Callable[[Any], Any]) -> None:
        self.widen = widen
        self.found = False
        self.operands: list[DType] = []
        self.asked: DType | None = None

    def map(self, value: Any) -> Any:
        """An argument, or an item of one."""
        if isinstance(value, np.dtype):
            self.asked = value
            if value.kind == "V":
                self.found = True
                return FLOAT32
            return value
        if value.__class__ is list or value.__class__ is tuple:
            return value.__class__([self.map(item) for item in value])
        dtype = getattr(value, "dtype", None)
        if isinstance(dtype, np.dtype):
            self.operands.append(dtype)
            if dtype.kind == "V":
                self.found = True
                return self.widen(value)
        return value

    @property
    def only(self) -> bool:
        """Whether there is no other dtype."""
        return all(dtype.kind == "V" for dtype in self.operands)

    @property
    def narrows(self) -> bool:
        """Whether float32 results become bfloat16."""
        return _stays(self.operands) if self.asked is None else self.asked.kind == "V"


def in_float32(
    function: Callable[..., Any],
    widen: Callable[[Any], Any] = lambda x: x.astype(FLOAT32),
    narrow: Callable[[Any], Any] = lambda x: x.astype(load()),
    *,
    joins: bool = False,
) -> Callable[..., Any]:
    """A function on native arrays that also takes bfloat16, by computing in float32.

    Where operands promote to bfloat16, or it is asked for by a dtype, float32 results are rounded to it.

    Parameters
    ----------
    function
        The function without it.
    widen, narrow
        What makes float32 of a native array of bfloat16, and the other way.
    joins
        Whether the function computes nothing, so that operands which all are bfloat16 need no float32.
    """

    @wraps(function)
    def computing(*args: Any, **kwargs: Any) -> Any:
        call = _Call(widen)
        wide_args = [call.map(value) for value in args]
        wide_kwargs = {name: call.map(value) for name, value in kwargs.items()}
        if not call.found or (joins and call.only):
            return function(*args, **kwargs)
        result = function(*wide_args, **wide_kwargs)
        return _narrowed(result, narrow) if call.narrows else result

    return computing


def _narrowed(result: Any, narrow: Callable[[Any], Any]) -> Any:
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(_narrowed(item, narrow) for item in result))
    if result.__class__ in (tuple, list):
        return result.__class__([_narrowed(item, narrow) for item in result])
    return narrow(result) if getattr(result, "dtype", None) == FLOAT32 else result
