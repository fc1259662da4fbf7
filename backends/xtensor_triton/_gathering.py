"""Launches along rows: how elements are gathered, in which dtypes, in one launch or in two.

Floating-point sums are gathered in a wider dtype than the elements': float16 and bfloat16 in float32, float32 in
float64; float64 keeps what it rounds away beside the sum.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import triton.language as tl

from . import _rows as kernels
from ._dtypes import OPERAND, STORED
from ._fallthrough import Context, Unsuited
from ._layout import Rows, rows
from ._tiling import Tiling, one_by_one

__all__ = [
    "FLOAT32",
    "FLOAT64",
    "INT32",
    "INT64",
    "TRITON",
    "UINT64",
    "Gathering",
    "Reductions",
    "Stage",
    "Steps",
    "element",
    "gathers_in",
    "kind_of",
    "lowest",
    "multiplies_in",
    "summed",
]

DType: TypeAlias = "np.dtype[Any]"


class Gathering(NamedTuple):
    """How rows are gathered: see :func:`xtensor_triton._rows.reduce_rows`.

    ``dtype`` is Triton's for an element, ``total`` and ``total_host`` Triton's and NumPy's for what is gathered.
    """

    op: str
    map: str
    identity: float
    dtype: Any
    total: Any
    total_host: DType

    @property
    def compensated(self) -> bool:
        """Whether additions keep what they round away."""
        return self.op == "sum" and self.total_host == np.float64


FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
INT32, INT64, UINT64 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint64)
TRITON: dict[DType, Any] = {
    FLOAT32: tl.float32,
    FLOAT64: tl.float64,
    INT32: tl.int32,
    INT64: tl.int64,
    UINT64: tl.uint64,
}


def gathers_in(dtype: DType) -> DType:
    """The dtype in which sums of a dtype are gathered."""
    kind = kind_of(dtype)
    if kind == "f":
        return FLOAT64 if dtype in (FLOAT32, FLOAT64) else FLOAT32
    return UINT64 if kind == "u" else INT64


def multiplies_in(dtype: DType) -> DType:
    """The dtype in which products of a dtype are gathered: no wider than the result's, where ranges count."""
    return FLOAT32 if dtype == FLOAT32 else gathers_in(dtype)


def summed(dtype: DType) -> DType:
    """The dtype of a sum or product, as the standard says."""
    return dtype if kind_of(dtype) == "f" else gathers_in(dtype)


def element(dtype: DType) -> Any:
    """Triton's dtype of an element that is cast to a dtype first."""
    return tl.float16 if dtype == np.float16 else STORED[dtype].dtype


def lowest(dtype: DType, *, largest: bool) -> float:
    """What every element is above, for the largest; or below."""
    if kind_of(dtype) == "f":
        return -math.inf if largest else math.inf
    if dtype == np.bool_:
        return 0 if largest else 1
    limits = np.iinfo(dtype)
    return int(limits.min if largest else limits.max)


def kind_of(dtype: DType) -> str:
    """NumPy's letter for the kind of a dtype; :class:`Unsuited` where no kernel takes it."""
    if dtype not in STORED:
        raise Unsuited(f"computation in {dtype}")
    return STORED[dtype].kind


IN_ORDER = 1024
"""Up to how many floating-point factors are taken one after another, as NumPy does it: what becomes of a product that
overflows or underflows on its way, and then meets a 0 or an infinity, hangs on the order.
"""


class Stage(NamedTuple):
    """A launch, all but the addresses."""

    kernel: Any
    programs: int
    arguments: tuple[Any, ...]


class Table(NamedTuple):
    """What the parts of rows are gathered in between two launches: the shape, and a dtype for each array of it."""

    shape: tuple[int, int]
    dtypes: tuple[DType, ...]


class Steps(NamedTuple):
    """The launches of a reduction: one, or two with a table between them."""

    stages: tuple[Stage, ...]
    table: Table | None = None


class Reductions:
    """The kernels of one device that go along rows."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._made: dict[Any, Any] = {}

    def stage(
        self,
        function: Any,
        types: tuple[Any, ...],
        constants: Mapping[str, Any],
        programs: int,
        arguments: tuple[Any, ...],
        **options: Any,
    ) -> Stage:
        """A launch of a kernel, which is made once for each of its forms; ``options`` are those of its compilation."""
        variant = (function.__name__, types, tuple(constants.values()), tuple(options.items()))
        found = self._made.get(variant)
        if found is None:
            found = self._made[variant] = self.context.launcher.kernel(function, types, constants, **options)
        return Stage(found, programs, arguments)

    def launch(self, name: str, stage: Stage, *arrays: Any) -> None:
        """Launch with the addresses of arrays, some of which may be None."""
        pointer = self.context.pointer
        addresses = [None if array is None else pointer(array) for array in arrays]
        self.context.launch(name, stage.kernel, stage.programs, *addresses, *stage.arguments)

    def gathering(
        self,
        source: DType,
        layout: Rows,
        how: Gathering,
        out: DType,
        *,
        finish: str = "none",
        divisor: float = 1.0,
        means: DType | None = None,
    ) -> Steps:
        """What reduces each row of an array; a row that is split goes through a table of its parts."""
        in_order = how.op == "prod" and kind_of(how.total_host) == "f" and layout.length <= IN_ORDER
        tiling = one_by_one(layout.number, layout.length) if in_order else self.context.tiling(layout)
        if tiling.parts == 1:
            return Steps((self._gathering(source, layout, how, out, tiling, finish, divisor, means),))
        table = Table((layout.number, tiling.parts), (how.total_host,))
        again = rows(table.shape, [(tiling.parts, 1)], (1,))
        plain = how._replace(map="none", dtype=how.total)
        whole = self.context.whole(again)
        return Steps(
            (
                self.parts(source, layout, how, tiling, means),
                self._gathering(how.total_host, again, plain, out, whole, finish, divisor, None),
            ),
            table,
        )

    def parts(self, source: DType, layout: Rows, how: Gathering, tiling: Tiling, means: DType | None = None) -> Stage:
        """What reduces each part of each row into a table."""
        return self._gathering(source, layout, how, how.total_host, tiling, "none", 1.0, means)

    def gather(self, name: str, steps: Steps, x: Any, out: Any, means: Any = None) -> None:
        """Launch what :meth:`gathering` gives."""
        if steps.table is None:
            self.launch(name, steps.stages[0], out, x, means)
            return
        table = self.context.empty(steps.table.shape, steps.table.dtypes[0])
        self.launch(name, steps.stages[0], table, x, means)
        self.launch(name, steps.stages[1], out, table, None)

    def _gathering(
        self,
        source: DType,
        layout: Rows,
        how: Gathering,
        out: DType,
        tiling: Tiling,
        finish: str,
        divisor: float,
        means: DType | None,
    ) -> Stage:
        kept, inner = layout
        integer = "i64" if kept.wide else "i32"
        stored, result = STORED[source], STORED[out]
        outer_type, inner_type = (integer,) * len(kept.shape), (integer,) * len(inner.shape)
        types = (
            *(result.pointer, stored.pointer, None if means is None else STORED[means].pointer),
            *(integer,) * 4,
            *(OPERAND + "fp64", outer_type, outer_type, inner_type, inner_type),
        )
        constants = {
            "OP": how.op,
            "MAP": how.map,
            "FINISH": finish,
            "IDENTITY": how.identity,
            "COMPENSATE": how.compensated,
            "FORM": stored.form,
            "DTYPE": how.dtype,
            "TOTAL": how.total,
            "OUT_FORM": result.form,
            "OUT_DTYPE": element(out),
            "KEPT": len(kept.shape),
            "INNER": len(inner.shape),
            "WIDE": kept.wide,
            "ROWS": tiling.rows,
            "COLUMNS": tiling.columns,
        }
        arguments = (
            *(layout.number, layout.length, tiling.chunk, tiling.parts, float(divisor)),
            *(kept.shape, kept.strides[0], inner.shape, inner.strides[0]),
        )
        return self.stage(kernels.reduce_rows, types, constants, tiling.programs, arguments)

    def finding(self, source: DType, layout: Rows, *, largest: bool) -> Steps:
        """What finds the position of each row's extreme; a split row goes through tables of its parts."""
        tiling = self.context.tiling(layout)
        if tiling.parts == 1:
            return Steps((self._finding(source, layout, None, False, tiling, largest),))
        values = FLOAT32 if STORED[source].dtype == tl.float32 else source
        table = Table((layout.number, tiling.parts), (INT64, values))
        again = rows(table.shape, [(tiling.parts, 1)], (1,))
        return Steps(
            (
                self._finding(source, layout, values, False, tiling, largest),
                self._finding(values, again, None, True, self.context.whole(again), largest),
            ),
            table,
        )

    def find(self, name: str, steps: Steps, x: Any, out: Any) -> None:
        """Launch what :meth:`finding` gives."""
        if steps.table is None:
            self.launch(name, steps.stages[0], out, None, x, None)
            return
        places, values = (self.context.empty(steps.table.shape, dtype) for dtype in steps.table.dtypes)
        self.launch(name, steps.stages[0], places, values, x, None)
        self.launch(name, steps.stages[1], out, None, values, places)

    def _finding(
        self, source: DType, layout: Rows, values: DType | None, placed: bool, tiling: Tiling, largest: bool
    ) -> Stage:
        kept, inner = layout
        integer = "i64" if kept.wide else "i32"
        stored = STORED[source]
        outer_type, inner_type = (integer,) * len(kept.shape), (integer,) * len(inner.shape)
        types = (
            *("*i64", None if values is None else STORED[values].pointer, stored.pointer, "*i64" if placed else None),
            *(integer,) * 4,
            *(outer_type, outer_type, inner_type, inner_type),
        )
        long = kept.wide or placed
        constants = {
            "LARGEST": largest,
            "IDENTITY": lowest(source, largest=largest),
            "NOWHERE": 2**62 if long else 2**31 - 1,
            "PLACED": placed,
            "VALUES": values is not None,
            "FORM": stored.form,
            "DTYPE": stored.dtype,
            "PLACE": tl.int64 if long else tl.int32,
            "KEPT": len(kept.shape),
            "INNER": len(inner.shape),
            "WIDE": kept.wide,
            "ROWS": tiling.rows,
            "COLUMNS": tiling.columns,
        }
        arguments = (
            *(layout.number, layout.length, tiling.chunk, tiling.parts),
            *(kept.shape, kept.strides[0], inner.shape, inner.strides[0]),
        )
        return self.stage(kernels.find_in_rows, types, constants, tiling.programs, arguments)
