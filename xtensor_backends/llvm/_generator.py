"""The generator of kernels for :func:`xtensor.fuse`, and how kernels compute each operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from xtensor.backend import TABLE, DType, Generator

from ..kernels.formulas import formulas_of
from . import _calls, _reducing, _rows, _together
from ._emission import supported, supported_elementwise
from ._rolling import rolling
from ._sizes import MIN_SIZE

__all__ = ["LlvmGenerator", "resolve"]

BOOL = np.dtype(np.bool)

DECLINED = ("floor_divide",)
"""Formulas with NumPy's results where the standard has others: a finite number over an infinity of the other sign."""


def resolve(name: str, kinds: Sequence[DType | type]) -> tuple[tuple[DType, ...], DType] | None:
    """Return the dtypes to which an operation's operands are cast, and the result's; None without a kernel."""
    given = [BOOL if kind is bool else kind for kind in kinds]
    resolved = None if name in DECLINED else _resolved(name, given)
    if resolved is None or not all(map(supported_elementwise, (*resolved[0], resolved[1]))):
        return None
    formula = formulas_of(resolved[0]).get(name)
    if formula is None:
        return None
    operands = resolved[0][1:] if name == "where" else resolved[0]
    if any(dtype != operands[0] for dtype in operands) or operands[0].kind not in formula.kinds:
        return None
    return resolved


def _resolved(name: str, kinds: list[Any]) -> tuple[tuple[DType, ...], DType] | None:
    row = TABLE.get(name)  # special functions have rows once their module is imported
    ufunc = getattr(np, name.rpartition(".")[2] if row is None else row.numpy or row.label, None)
    if isinstance(ufunc, np.ufunc):
        try:
            *operands, result = ufunc.resolve_dtypes((*kinds, None))
        except TypeError:
            return None  # NumPy raises it
        return tuple(operands), result
    if name == "where":
        promoted = _promoted(kinds[1:])
        return None if kinds[0] != BOOL or promoted is None else ((BOOL, promoted, promoted), promoted)
    if name == "clip":
        # Bounds do not change the dtype. Numbers beyond it, and arrays of other dtypes, are the library's.
        dtype = kinds[0]
        # A class is compared by identity: a dtype equals the class that it stands for.
        taken = [kind is float and dtype.kind == "f" if kind.__class__ is type else kind == dtype for kind in kinds]
        return ((dtype,) * len(kinds), dtype) if all(taken) else None
    promoted = _promoted(kinds)
    return None if promoted is None else ((promoted,) * len(kinds), promoted)


def _promoted(kinds: list[Any]) -> DType | None:
    """The one dtype of some operands; Python's numbers take it where they are of its kind."""
    dtypes = {kind for kind in kinds if isinstance(kind, np.dtype)}
    if len(dtypes) != 1:
        return None
    (dtype,) = dtypes
    ranks = {int: "iuf", float: "f"}
    if all(isinstance(kind, np.dtype) or dtype.kind in ranks.get(kind, "") for kind in kinds):
        return dtype
    return None


class LlvmGenerator(Generator):
    """Kernels over NumPy's arrays."""

    min_size = MIN_SIZE
    computes_together = True

    def resolve(self, name: str, kinds: Sequence[DType | type]) -> tuple[tuple[DType, ...], DType] | None:
        resolved = resolve(name, kinds)
        # A fused kernel may reduce its values, of which complex ones have no reductions.
        return resolved if resolved is not None and all(map(supported, (*resolved[0], resolved[1]))) else None

    compute = staticmethod(_calls.compute)
    prepared = staticmethod(_calls.prepared)
    rolling = staticmethod(rolling)
    compute_together = staticmethod(_together.compute_together)
    reduce = staticmethod(_reducing.reduce)
    takes_rows = staticmethod(_rows.takes_rows)
    compute_rows = staticmethod(_rows.compute_rows)
