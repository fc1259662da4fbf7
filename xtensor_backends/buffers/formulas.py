"""The formula of each operation of a program, and the dtypes in which kernels compute it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from xtensor.backend import TABLE, DType

from ..kernels.arithmetic import compare_mixed
from ..kernels.formulas import FORMULAS
from ..kernels.values import Complex, constant, convert
from .complex_formulas import COMPLEX, truth
from .languages import Language
from .real_formulas import REAL
from .source import SourceBuilder

__all__ = ["COMPARISONS", "apply", "in_supported", "plan"]

BOOL = np.dtype(np.bool)

COMPARISONS = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))


def apply(builder: SourceBuilder, name: str, operands: Sequence[Any], dtype: DType) -> Any:
    """Write the instructions of an operation on values; return the result."""
    if name == "astype":
        return _converted(operands[0], dtype)
    if name == "complex_of":
        return Complex(*operands)
    last = operands[-1]
    if last.kind == "c":
        return COMPLEX[name](*operands)
    if name in COMPARISONS and {operands[0].kind, last.kind} == {"i", "u"}:
        return compare_mixed(name, *operands)
    if name == "imag":
        return constant(builder, 0, last.dtype)
    return _real(name, last.kind)(*operands)


def _converted(x: Any, dtype: DType) -> Any:
    if isinstance(x, Complex):
        if dtype.kind == "b":
            return truth(x)
        if dtype.kind != "c":
            x = x.real
    return convert(x, dtype)


def _real(name: str, kind: str) -> Any:
    """The complete formula of real numbers of a kind; KeyError without one."""
    own = REAL.get(name)
    if own is not None and kind in own[1]:
        return own[0]
    formula = FORMULAS[name]
    if kind not in formula.kinds or (formula.covers is not None and kind == "f"):
        raise KeyError(name)
    return formula.function


Plan = tuple[tuple[DType, ...], DType]


def plan(name: str, kinds: Sequence[DType | type], dtypes: frozenset[DType], language: Language) -> Plan | None:
    """Return the dtypes to which the operands of an operation are cast, and the result's; None without a kernel.

    Parameters
    ----------
    name
        The operation's name in the table.
    kinds
        The dtype of each operand, or the class of a Python number.
    dtypes
        The dtypes that the device supports.
    language
        The language of the kernel.

    Raises
    ------
    TypeError
        If NumPy takes no such operands.
    """
    resolved = _resolved(name, [BOOL if kind is bool else kind for kind in kinds], dtypes)
    if resolved is None or not dtypes.issuperset((*resolved[0], resolved[1])):
        return None
    return resolved if _is_printed(name, resolved, language) else None


@cache
def _is_printed(name: str, resolved: Plan, language: Language) -> bool:
    """Whether the language has the formula of an operation on operands of some dtypes."""
    builder = SourceBuilder(language)
    try:
        result = apply(builder, name, [builder.scalar(dtype) for dtype in resolved[0]], resolved[1])
    except KeyError:  # there is no formula, or it needs a type that the language does not have
        return False
    return bool(result.dtype == resolved[1])


def _resolved(name: str, kinds: list[Any], dtypes: frozenset[DType]) -> Plan | None:
    row = TABLE.get(name)
    ufunc = getattr(np, name.rpartition(".")[2] if row is None else row.numpy or row.label, None)
    if isinstance(ufunc, np.ufunc):
        *operands, result = ufunc.resolve_dtypes((*kinds, None))
        if name in COMPARISONS and {getattr(kind, "kind", "") for kind in kinds} == {"i", "u"}:
            operands = kinds  # the promoted dtype may be one that the device does not have
        return tuple([in_supported(item, dtypes) for item in operands]), in_supported(result, dtypes)
    if name == "where":
        promoted = _promoted(kinds[1:], dtypes)
        return (BOOL, promoted, promoted), promoted
    if name == "clip":
        # Bounds do not change the dtype. Numbers beyond it, arrays of other dtypes and missing bounds are composed.
        dtype = kinds[0]
        taken = [kind is float and dtype.kind == "f" if kind.__class__ is type else kind == dtype for kind in kinds]
        return ((dtype,) * len(kinds), dtype) if all(taken) else None
    promoted = _promoted(kinds, dtypes)
    if name in ("real", "imag"):
        return (promoted,), np.dtype(f"f{promoted.itemsize // 2}") if promoted.kind == "c" else promoted
    return (promoted,) * len(kinds), promoted


def _promoted(kinds: list[Any], dtypes: frozenset[DType]) -> DType:
    """Return the promoted dtype of operands, some of them classes of Python numbers."""
    return in_supported(np.result_type(*[kind(0) if isinstance(kind, type) else kind for kind in kinds]), dtypes)


def in_supported(dtype: DType, dtypes: frozenset[DType]) -> DType:
    """Return a dtype, or for one that the device does not have the nearest of its kind."""
    if dtype in dtypes:
        return dtype
    same = sorted([item for item in dtypes if item.kind == dtype.kind], key=lambda item: item.itemsize)
    larger = [item for item in same if item.itemsize >= dtype.itemsize]
    return larger[0] if larger else same[-1] if same else dtype
