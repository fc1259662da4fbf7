"""The source of the Triton kernel that computes a program, written with the device functions of the operations.

A kernel calls the same functions in the same dtypes as the kernels of single operations, and each step's result is
rounded to its dtype, so that a program's results are those of its operations one after another. A value in a kernel has
the dtype :func:`xtensor_backends.triton._dtypes.cast_dtype`; booleans are 0 or 1. Names: ``x0``, … are arrays, ``s0``,
… scalars, ``v0``, … the program's values, ``o0``, … results.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from xtensor.backend import Program

from . import _row_kernels
from ._context import Unsuited
from ._dtypes import KERNEL_DTYPES, NUMPY_DTYPES, SCALAR_TYPES, DType, cast_dtype, compute_dtype
from ._elementwise_source import HELPERS, elementwise_source, heading, indented
from ._formulas import jit_function, triton_type
from ._plans import astype_computation, computation
from ._reductions import REDUCTIONS
from ._row_launches import Reduction

__all__ = ["ProgramKernel", "elementwise_kernel", "reduction_kernel"]

NAMES = {dtype: triton_type(number) for dtype, number in NUMPY_DTYPES.items()}
"""Triton's dtypes as source."""

ROW_HELPERS = {
    name: getattr(_row_kernels, name) for name in ("accumulate", "load_tile", "reduce_total", "rows_and_part")
}
"""The names that modules with reductions have besides."""


class ProgramKernel(NamedTuple):
    """The kernel of a program.

    Attributes
    ----------
    function
        The kernel; equal programs have the same.
    source
        Its source.
    scalars
        The type of the kernel argument of each scalar.
    reductions
        How each value that is reduced is reduced.
    """

    function: Any
    source: str
    scalars: tuple[str, ...]
    reductions: tuple[Reduction, ...] = ()


@cache
def elementwise_kernel(program: Program) -> ProgramKernel:
    """Return the kernel that computes the outputs of a program.

    Its arguments: the results, the arrays, the scalars, ``size``, ``shape``, ``out_strides``, the strides of each
    array. Its constants: for each array whether it is an ``"array"`` or one ``"element"``, then those of
    :func:`elementwise_source`.
    """
    functions: dict[str, Any] = {}
    count = len(program.inputs)
    operands = [*_numbered("o", program.outputs), *_numbered("x", program.inputs), *_numbered("s", program.scalars)]
    layout = ["shape", "out_strides", *[f"x{k}_strides" for k in range(count)]]
    sources = [f"X{k}" for k in range(count)]
    body = [
        *[
            f"v{k} = load_operand(x{k}, index, mask, shape, x{k}_strides, X{k}, {_stored(dtype)}, NDIM)"
            for k, dtype in enumerate(program.dtypes[:count])
        ],
        *[
            f'v{position} = load_operand(s{k}, index, mask, shape, None, "scalar", "plain", {dtype}, NDIM)'
            for k, (position, dtype) in enumerate(_scalars(program))
        ],
        *_steps(program, functions),
        *[
            f"store_result(o{k}, v{position}, index, mask, shape, out_strides, "
            f"{_stored(program.dtypes[position])}, NDIM)"
            for k, position in enumerate(program.outputs)
        ],
    ]
    name = _name(program)
    return _kernel(program, name, elementwise_source(name, operands, layout, sources, body), functions)


@cache
def reduction_kernel(program: Program) -> ProgramKernel:
    """Return the kernel that reduces values of a program along rows: see :mod:`xtensor_backends.triton._row_kernels`.

    Its arguments: the results, the arrays, the scalars, ``rows``, ``length``, ``chunk``, ``parts``, ``outer_shape``,
    ``inner_shape``, the outer and the inner strides of each array. Its constants: for each result the identity element
    and how it is stored, then those of rows.
    """
    functions: dict[str, Any] = {}
    count = len(program.inputs)
    reductions = tuple(_reductions(program))
    operands = [*_numbered("o", reductions), *_numbered("x", program.inputs), *_numbered("s", program.scalars)]
    layout = [
        *("rows", "length", "chunk", "parts", "outer_shape", "inner_shape"),
        *[f"x{k}_{part}" for k in range(count) for part in ("outer", "inner")],
    ]
    results = [f"O{k}_{part}" for k in range(len(reductions)) for part in ("IDENTITY", "ENCODING", "DTYPE")]
    totals, combined, stored = [], [], []
    for k, ((_, position), how) in enumerate(zip(program.reductions, reductions, strict=True)):
        dtype = NAMES[how.accumulate_in]
        how_combined = f'"{how.combine}", {how.compensate}'
        identity = f"tl.full([ROWS, COLUMNS], O{k}_IDENTITY, {dtype})"
        totals += [f"total{k} = {identity}", f"errors{k} = tl.full([ROWS, COLUMNS], 0, {dtype})"]
        combined += [
            f"values{k} = tl.where(mask, v{position}.to({dtype}), {identity})",
            f"total{k}, errors{k} = accumulate(total{k}, errors{k}, values{k}, {how_combined})",
        ]
        result = f"encode(reduce_total(total{k}, errors{k}, {how_combined}), O{k}_ENCODING, O{k}_DTYPE)"
        stored.append(f"tl.store(o{k} + row * parts + part, {result}, mask=exists)")
    loop = [
        "column = first + tl.arange(0, COLUMNS)",
        "mask = exists[:, None] & (column < end)[None, :]",
        *[
            f"v{k} = load_tile(x{k}, base{k}, column, mask, inner_shape, x{k}_inner, {_stored(dtype)}, INNER)"
            for k, dtype in enumerate(program.dtypes[:count])
        ],
        *_steps(program, functions),
        *combined,
    ]
    body = [
        "row, part = rows_and_part(parts, ROWS, OFFSETS_64)",
        "exists = row < rows",
        *[f"base{k} = element_offsets(row, outer_shape, x{k}_outer, OUTER)" for k in range(count)],
        *[
            f'v{position} = tl.full([ROWS, COLUMNS], decode(s{k}, "plain", {dtype}), {dtype})'
            for k, (position, dtype) in enumerate(_scalars(program))
        ],
        *totals,
        "start = part * chunk",
        "end = tl.minimum(start + chunk, length)",
        "for first in tl.range(start, end, COLUMNS):",
        *indented(loop),
        *stored,
    ]
    name = _name(program)
    lines = [
        "@jit",
        heading(name, [*operands, *layout], [*results, "OUTER", "INNER", "OFFSETS_64", "ROWS", "COLUMNS"]),
        *indented(body),
    ]
    return _kernel(program, name, lines, functions, reductions)


# -- parts of the source ------------------------------------------------------------------------------------------


def _steps(program: Program, functions: dict[str, Any]) -> list[str]:
    """Return the lines that compute the steps; the device functions that they call are added to ``functions``."""
    lines = []
    for number, step in enumerate(program.steps, len(program.inputs) + len(program.scalars)):
        given = tuple([program.dtypes[position] for position in step.operands])
        out = program.dtypes[number]
        how = astype_computation(given[0], out) if step.name == "astype" else computation(step.name, given)
        if how.loop != given or how.out != out:
            raise Unsuited(f"{step.name} of {', '.join(map(str, given))} is {how.out} and not {out}")
        name = how.operation.__name__
        functions[name] = how.operation
        operands = [
            f'decode(v{position}, "plain", {NAMES[dtype]})'
            for position, dtype in zip(step.operands, how.computed_in, strict=True)
        ]
        lines.append(f"v{number} = rounded({name}({', '.join(operands)}), {_stored(out)})")
    return lines


def _reductions(program: Program) -> Iterator[Reduction]:
    for name, position in program.reductions:
        dtype = program.dtypes[position]
        function = REDUCTIONS[name]
        if function.result(dtype) != dtype:
            raise Unsuited(f"the {name} of {dtype} is {function.result(dtype)}")
        yield function.how(dtype)


def _scalars(program: Program) -> list[tuple[int, str]]:
    """Return the place of each scalar among the values, and its dtype in the kernel."""
    first = len(program.inputs)
    return [
        (position, NAMES[cast_dtype(program.dtypes[position])])
        for position in range(first, first + len(program.scalars))
    ]


def _stored(dtype: DType) -> str:
    """Return the constants ``ENCODING`` and ``DTYPE`` of values that are read and written."""
    return f'"{KERNEL_DTYPES[dtype].encoding}", {NAMES[cast_dtype(dtype)]}'


def _numbered(letter: str, items: Sequence[Any]) -> list[str]:
    return [f"{letter}{number}" for number in range(len(items))]


def _name(program: Program) -> str:
    return f"fused_{hashlib.sha256(program.key.encode()).hexdigest()[:16]}"


def _kernel(
    program: Program,
    name: str,
    lines: Sequence[str],
    functions: dict[str, Any],
    reductions: tuple[Reduction, ...] = (),
) -> ProgramKernel:
    """Return the last function of some source."""
    source = "\n".join(lines) + "\n"
    function = jit_function(name, source, {**HELPERS, **ROW_HELPERS, **functions})
    first = len(program.inputs)
    dtypes = program.dtypes[first : first + len(program.scalars)]
    scalars = tuple([SCALAR_TYPES[compute_dtype(dtype)] for dtype in dtypes])
    return ProgramKernel(function, source, scalars, reductions)
