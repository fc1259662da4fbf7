"""The source of elementwise kernels: of one operation on some operands, and of the steps of a program.

A kernel computes ``out[i]`` for ``i < size``. Its constants are those of :mod:`xtensor_backends.triton._kernels` for
each operand and for the result, and ``SPLIT``: ``size`` is no multiple of 16. Full blocks then run without a mask,
because the compiler vectorizes loads only where it knows that the mask is uniform.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from . import _kernels
from ._formulas import jit_function

__all__ = ["HELPERS", "elementwise_source", "heading", "indented", "operation_kernel"]

HELPERS = {
    name: getattr(_kernels, name)
    for name in (
        *("block_indices", "decode", "element_offsets", "encode", "load_operand", "program_index", "rounded"),
        "store_result",
    )
}
"""The names that every generated module has."""

NAMES = {1: "unary", 2: "binary", 3: "ternary"}
"""The name of a kernel, which profilers show, by the number of operands."""


def heading(name: str, arguments: Sequence[str], constants: Sequence[str]) -> str:
    """Return the first line of a function, whose last parameters are constants."""
    return f"def {name}({', '.join([*arguments, *[f'{constant}: tl.constexpr' for constant in constants]])}):"


def indented(lines: Sequence[str]) -> list[str]:
    """Return lines as those of a block."""
    return [f"    {line}" for line in lines]


def elementwise_source(
    name: str, operands: Sequence[str], layout: Sequence[str], constants: Sequence[str], body: Sequence[str]
) -> list[str]:
    """Return the lines of an elementwise kernel.

    Its arguments are ``operands``, ``size``, ``layout``; then ``constants``, ``NDIM``, ``OFFSETS_64``, ``SPLIT`` and
    ``BLOCK``. The body computes the elements of ``index`` where ``mask`` is true.
    """
    masked = f"{name}_block({', '.join([*operands, 'index', '{}', *layout, *constants, 'NDIM'])})"
    return [
        "@jit",
        heading(f"{name}_block", [*operands, "index", "mask", *layout], [*constants, "NDIM"]),
        *indented(body),
        "",
        "",
        "@jit",
        heading(name, [*operands, "size", *layout], [*constants, "NDIM", "OFFSETS_64", "SPLIT", "BLOCK"]),
        *indented(
            [
                "index = block_indices(BLOCK, OFFSETS_64)",
                "if SPLIT:",
                "    if (program_index(OFFSETS_64) + 1) * BLOCK <= size:",
                f"        {masked.format('None')}",
                "    else:",
                f"        {masked.format('index < size')}",
                "else:",
                f"    {masked.format('index < size')}",
            ]
        ),
    ]


@cache
def operation_kernel(count: int) -> Any:
    """Return the kernel of an operation on one to three operands, ``out[i] = OP(x0[i], x1[i], …)``.

    Its arguments: ``out``, the operands, ``size``, ``shape``, ``out_strides``, the strides of each operand. Its
    constants: ``OP``, a device function of :mod:`xtensor_backends.triton._formulas`; ``X0_SOURCE``, ``X0_ENCODING`` and
    ``X0_DTYPE`` of each operand; ``OUT_ENCODING`` and ``OUT_DTYPE``; then those of all elementwise kernels.
    """
    name, numbers = NAMES[count], range(count)
    operands = ["out", *[f"x{k}" for k in numbers]]
    layout = ["shape", "out_strides", *[f"x{k}_strides" for k in numbers]]
    stored = [f"X{k}_{part}" for k in numbers for part in ("SOURCE", "ENCODING", "DTYPE")]
    values = ", ".join([f"v{k}" for k in numbers])
    body = [
        *[
            f"v{k} = load_operand(x{k}, index, mask, shape, x{k}_strides, X{k}_SOURCE, X{k}_ENCODING, X{k}_DTYPE, NDIM)"
            for k in numbers
        ],
        f"store_result(out, OP({values}), index, mask, shape, out_strides, OUT_ENCODING, OUT_DTYPE, NDIM)",
    ]
    lines = elementwise_source(name, operands, layout, ["OP", *stored, "OUT_ENCODING", "OUT_DTYPE"], body)
    return jit_function(name, "\n".join(lines) + "\n", HELPERS)
