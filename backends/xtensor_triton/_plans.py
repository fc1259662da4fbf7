"""How operands are computed by their dtypes: the device function, the dtypes of the computation, the kernels made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import triton.language as tl

from . import _kernels as kernels
from . import _ops as ops
from ._dtypes import BFLOAT16, SCALAR_TYPES, STORED, computed
from ._fallthrough import Unsuited
from ._table import Row

__all__ = ["DType", "Key", "Plan", "astype_plan", "clip_plan", "row_plan", "where_plan"]

DType: TypeAlias = "np.dtype[Any]"
Key: TypeAlias = tuple[Any, ...]
"""What a call's operands are: a dtype for an array, Python's type for a scalar."""

KERNELS = {1: (kernels.unary, "X"), 2: (kernels.binary, "XY"), 3: (kernels.ternary, "XYZ")}


class Plan:
    """How operands of some dtypes are computed: the device function, the dtypes, and the kernels made so far.

    Parameters
    ----------
    operation
        The device function.
    key
        The operands.
    loop
        The dtype that each operand is cast to first.
    computed_in
        Triton's dtypes of the computation; ``int1`` for a truth value.
    out
        The dtype of the result.
    """

    def __init__(self, operation: Any, key: Key, loop: Sequence[DType], computed_in: Sequence[Any], out: DType) -> None:
        self.operation = operation
        self.out = out
        self.loop = tuple(loop)
        self.arrays = tuple(isinstance(item, np.dtype) for item in key)
        self.scalars = tuple(
            None if array else _converter(dtype, computed)
            for array, dtype, computed in zip(self.arrays, self.loop, computed_in, strict=True)
        )
        stored = [STORED[item] if array else None for item, array in zip(key, self.arrays, strict=True)]
        self._computed = tuple(computed_in)
        self._forms = tuple("plain" if item is None else item.form for item in stored)
        self._types = tuple(
            SCALAR_TYPES[dtype] if item is None else item.pointer
            for item, dtype in zip(stored, computed_in, strict=True)
        )
        sizes = [item.itemsize for item in (*key, out) if isinstance(item, np.dtype)]
        self.block = {1: 4096, 2: 2048}.get(max(sizes), 1024)
        self.made: dict[Any, Any] = {}
        self.ready: dict[Any, Any] = {}
        self.flat: dict[tuple[bool, bool], Any] = {}

    def kernel(self, launcher: Any, sources: tuple[str, ...], ndim: int, wide: bool, split: bool, block: int) -> Any:
        """The kernel for operands of some layout."""
        variant = (sources, ndim, wide, split, block, self.out)
        found = self.made.get(variant)
        if found is None:
            found = self.made[variant] = self._make(launcher, sources, ndim, wide, split, block)
        return found

    def _make(self, launcher: Any, sources: tuple[str, ...], ndim: int, wide: bool, split: bool, block: int) -> Any:
        function, letters = KERNELS[len(sources)]
        integer = "i64" if wide else "i32"
        axes = (integer,) * ndim if ndim else None
        result = STORED[self.out]
        types = (
            result.pointer,
            *self._types,
            integer,
            axes,
            axes,
            *(None if source == "scalar" else axes for source in sources),
        )
        constants: dict[str, Any] = {"OP": self.operation}
        for letter, source, form, dtype in zip(letters, sources, self._forms, self._computed, strict=True):
            constants |= {f"{letter}_SOURCE": source, f"{letter}_FORM": form, f"{letter}_DTYPE": dtype}
        constants |= {"OUT_FORM": result.form, "OUT_DTYPE": _plain(self.out)}
        constants |= {"NDIM": ndim, "WIDE": wide, "SPLIT": split, "BLOCK": block}
        return launcher.kernel(function, types, constants)

    def written_to(self, out: DType) -> Plan:
        """The same computation with a result of another dtype."""
        other: Plan = object.__new__(Plan)
        other.__dict__.update(self.__dict__, out=out, made={}, ready={}, flat={})
        return other


def _converter(dtype: DType, computed_in: Any) -> Callable[[Any], Any]:
    """What makes a kernel's argument of a Python scalar that takes a dtype; what is out of range is refused."""
    if dtype == np.bool_:
        return _truth
    if STORED[dtype].kind != "f":
        limits = np.iinfo(dtype)
        least, greatest = int(limits.min), int(limits.max)

        def whole(value: Any) -> int:
            if least <= value <= greatest:
                return int(value)
            raise OverflowError(f"Python integer {value} out of bounds for {dtype}")

        return whole
    if dtype == np.float64 or (dtype == np.float32 and computed_in == tl.float32):
        return float

    def rounded(value: Any) -> float:
        with np.errstate(all="ignore"):
            return float(dtype.type(value))

    return rounded


def _truth(value: Any) -> int:
    """Whether a scalar is not 0, as long as it has a dtype at all."""
    if value.__class__ is int and not -(2**63) <= value < 2**63:
        raise Unsuited(f"the integer {value}")
    return int(bool(value))


def _plain(dtype: DType) -> Any:
    """The dtype that a result is converted to before it is stored."""
    return tl.float16 if dtype == np.float16 else STORED[dtype].dtype


def row_plan(name: str, row: Row) -> Callable[[Key], Plan]:
    """Plans of a row of the table, whose ufunc tells the dtypes."""

    def plan(key: Key) -> Plan:
        _check(key)
        dtypes = tuple(np.dtype(bool) if item is bool else item for item in key)
        if BFLOAT16 in dtypes:
            dtypes = tuple(item if isinstance(item, np.dtype) else BFLOAT16 for item in dtypes)
        if name == "round" and dtypes[0].kind in "biu":
            loop: tuple[Any, ...] = (dtypes[0], dtypes[0])
        else:
            try:
                loop = row.ufunc.resolve_dtypes((*dtypes, None))
            except TypeError as error:
                raise Unsuited(str(error)) from error
        if not all(item in STORED for item in loop):
            raise Unsuited(f"computation in {', '.join(map(str, loop))}")
        kinds = {STORED[item].kind for item in loop[:-1]}
        operation = row.functions.get(STORED[loop[0]].kind)
        if len(kinds) > 1:
            operation = row.mixed
        elif loop[0] == BFLOAT16 and row.bfloat16 is not None:
            operation = row.bfloat16
        if operation is None:
            raise Unsuited(f"computation in {loop[0]}")
        return Plan(operation, key, loop[:-1], [_computed(item, row) for item in loop[:-1]], loop[-1])

    return plan


def _computed(dtype: DType, row: Row) -> Any:
    return tl.int1 if dtype == np.bool_ else computed(dtype, wide=row.wide, raw=row.raw)


def _check(key: Key) -> None:
    for item in key:
        if item not in STORED and item not in (bool, int, float):
            raise Unsuited(f"an operand of {getattr(item, '__name__', item)}")


def _common(key: Key) -> DType:
    """The dtype that arrays and scalars promote to, a scalar weakly."""
    _check(key)
    if BFLOAT16 in key:
        if any(isinstance(item, np.dtype) and item != BFLOAT16 for item in key):
            raise Unsuited("computation in bfloat16 with arrays of another dtype")
        return BFLOAT16
    given: list[Any] = [{bool: np.dtype(bool), int: 0, float: 0.0}.get(item, item) for item in key]
    common = np.result_type(*given)
    if common not in STORED:
        raise Unsuited(f"computation in {common}")
    return common


def where_plan(key: Key) -> Plan:
    common = _common(key[1:])
    _check(key[:1])
    as_stored = _plain(common) if common != BFLOAT16 else tl.float32
    return Plan(ops.where, key, (np.dtype(bool), common, common), (tl.int1, as_stored, as_stored), common)


def clip_plan(key: Key) -> Plan:
    common = _common(key)
    if common == np.bool_:
        raise Unsuited("bounds of booleans")
    return Plan(ops.clip, key, (common,) * 3, (computed(common),) * 3, common)


def astype_plan(dtype: DType) -> Callable[[Key], Plan]:
    """Plans of the casts to a dtype."""

    def plan(key: Key) -> Plan:
        _check(key)
        if dtype not in STORED:
            raise Unsuited(f"a result of {dtype}")
        return Plan(ops.identity, key, key, (tl.float32 if key[0] == BFLOAT16 else _plain(key[0]),), dtype)

    return plan
