"""Universal functions of NumPy that write into the memory of an operand that nobody else sees.

NumPy reuses the memory of temporaries in its own operators. Operands here are held by Arrays, and the core's
compiled module finds the temporaries among them (``xtensor/_core/_temporaries.h``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from xtensor.backend import SHORT_POWERS, Native, WrittenWithWarningError

__all__ = ["Large"]

WORTHWHILE = 2**18
"""Bytes from which reuse gains more than it costs; the threshold of NumPy's own reuse."""

MIN_SIZE = WORTHWHILE // 8
"""Elements from which temporaries are looked for: as many of float64."""


class Large:
    """NumPy's universal functions as attributes, with an operand to be written over as the last argument."""

    def __getattr__(self, name: str) -> Callable[..., Native]:
        ufunc = getattr(np, name, None)
        if not isinstance(ufunc, np.ufunc) or ufunc.nout > 1 or ufunc.signature is not None:
            raise AttributeError(name)
        if all(types.endswith("?") for types in ufunc.types if "O" not in types):
            raise AttributeError(name)  # its operands are numbers, and its result is not
        function = _power() if name == "pow" else (_of_one if ufunc.nin == 1 else _of_two)(ufunc)
        function.min_size = MIN_SIZE  # type: ignore[attr-defined]
        function.only_writes_over = True  # type: ignore[attr-defined]
        function.writes_over = _writes_over  # type: ignore[attr-defined]
        setattr(self, name, function)
        return function


def _writes_over(operands: Sequence[Any], spare: Native) -> bool | None:
    """Whether a function writes over a spare operand that has the shape and the dtype of the result."""
    return True if spare.nbytes >= WORTHWHILE else None


def _of_one(ufunc: np.ufunc) -> Callable[..., Native]:
    keeping: dict[Any, bool] = {}

    def function(x: Native, spare: Native | None) -> Native:
        if spare is None or spare.nbytes < WORTHWHILE:
            return NotImplemented
        dtype = x.dtype
        keeps = keeping.get(dtype)
        if keeps is None:
            keeps = keeping[dtype] = _keeps(ufunc, dtype, dtype)
        if not keeps:
            return NotImplemented
        try:
            return ufunc(x, spare)
        except Exception as error:
            return _without_result(error, spare)

    return function


def _of_two(ufunc: np.ufunc) -> Callable[..., Native]:
    keeping: dict[Any, bool] = {}

    def function(x1: Native, x2: Native, spare: Native | None) -> Native:
        if spare is None or spare.nbytes < WORTHWHILE:
            return NotImplemented
        other = x2 if spare is x1 else x1
        kind: Any = other.__class__
        if kind is np.ndarray:
            if other.shape != spare.shape and not _fits(other.shape, spare.shape):
                return NotImplemented
            kind = other.dtype
        elif kind is bool:
            kind = np.dtype(bool)
        key = (spare.dtype, kind) if spare is x1 else (kind, spare.dtype)
        keeps = keeping.get(key)
        if keeps is None:
            keeps = keeping[key] = _keeps(ufunc, spare.dtype, *key)
        if not keeps:
            return NotImplemented
        try:
            return ufunc(x1, x2, out=spare)
        except Exception as error:
            return _without_result(error, spare)

    return function


def _power() -> Callable[..., Native]:
    """Powers, for the exponents for which NumPy's operator calls another function, that function."""
    short = {exponent: _of_one(getattr(np, name)) for exponent, name in SHORT_POWERS.items()}
    general = _of_two(np.power)

    def function(x1: Native, x2: Native, spare: Native | None) -> Native:
        if spare is not None and spare is x1 and x2.__class__ in (int, float) and x1.dtype.char in "fdFD":
            shorter = short.get(x2)
            return general(x1, x2, spare) if shorter is None else shorter(x1, spare)
        return NotImplemented

    return function


def _fits(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether a shape broadcasts to another one."""
    return len(shape) <= len(target) and all(
        length in (1, wanted) for length, wanted in zip(reversed(shape), reversed(target), strict=False)
    )


def _keeps(ufunc: np.ufunc, dtype: np.dtype[Any], *operands: Any) -> bool:
    """Whether the result for operands of these dtypes, or classes of Python's numbers, has a dtype."""
    try:
        return ufunc.resolve_dtypes((*operands, None))[-1] == dtype
    except (TypeError, ValueError):
        return False


def _without_result(error: Exception, spare: Native) -> Native:
    """Return what an error of a universal function leaves: NotImplemented where nothing was written."""
    if isinstance(error, RuntimeWarning):  # NumPy has written all elements by then
        raise WrittenWithWarningError(spare, error.with_traceback(None)) from None
    if isinstance(error, ValueError) and not spare.flags.writeable:
        return NotImplemented
    raise error
