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

__all__ = ["HELPERS", "LETTERS", "constants_of", "elementwise_source", "heading", "indented", "operation_kernel"]

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

LETTERS = "xyz"
"""The names of operands."""


def constants_of(operand: str) -> tuple[str, str, str]:
    """Return the names of an operand's constants."""
    return f"{operand.upper()}_SOURCE", f"{operand.upper()}_ENCODING", f"{operand.upper()}_DTYPE"


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
    """Return the kernel of an operation on one to three operands, ``out[i] = OP(x[i], y[i], z[i])``.

    Its arguments: ``out``, the operands, ``size``, ``shape``, ``out_strides``, the strides of each operand. Its
    constants: ``OP``, a device function of :mod:`xtensor_backends.triton._formulas`; ``X_SOURCE``, ``X_ENCODING`` and
    ``X_DTYPE`` of each operand; ``OUT_ENCODING`` and ``OUT_DTYPE``; then those of all elementwise kernels.
    """
    operands = LETTERS[:count]
    layout = ["shape", "out_strides", *[f"{x}_strides" for x in operands]]
    loads = [
        f"load_operand({x}, index, mask, shape, {x}_strides, {', '.join(constants_of(x))}, NDIM)" for x in operands
    ]
    body = [
        f"value = OP({', '.join(loads)})",
        "store_result(out, value, index, mask, shape, out_strides, OUT_ENCODING, OUT_DTYPE, NDIM)",
    ]
    constants = ["OP", *[name for x in operands for name in constants_of(x)], "OUT_ENCODING", "OUT_DTYPE"]
    lines = elementwise_source(NAMES[count], ["out", *operands], layout, constants, body)
    return jit_function(NAMES[count], "\n".join(lines) + "\n", HELPERS)
