"""Instructions of compiled kernels that flush subnormal numbers, approximate, or round operands to TF32.

``docs/gpu-arithmetic.md`` lists the ones that remain, each with the functions and the reason; its tables are read here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parents[1] / "docs" / "gpu-arithmetic.md"

PTX = re.compile(r"^\s*(?:@!?%\w+\s+)?((?:\w+\.)*(?:ftz|approx|full|tf32)(?:\.\w+)*)\b", re.MULTILINE)
"""PTX instructions with a qualifier ``.ftz``, ``.approx`` or ``.full``, or with TF32 operands."""

AMD = re.compile(r"^\s*(v_(?:rcp|rsq|sqrt|exp|log|sin|cos)(?:_iflag|_legacy)?_f\d+|v_\w*xf32)", re.MULTILINE)
"""AMD's instructions that approximate, and products of matrices in XF32, AMD's TF32."""

MODE = re.compile(r"\.amdhsa_float_denorm_mode_(?:32|16_64) (\d)")

NO_FLUSH = "3"
"""Subnormal numbers are kept in operands and in results."""

TF32 = "tf32"
"""The name here of all instructions with operands in TF32, whose names contain sizes."""

REFINED = {
    "v_rcp_f32": re.compile(r"\bv_div_fixup_f(?:16|32)|0x4f7ffffe|0x5f7ffffc"),
    "v_rcp_f64": re.compile(r"\bv_div_fixup_f64"),
    "v_sqrt_f32": re.compile(r"\bv_add_u32_e32 v\d+, -1, "),
}
"""The ends of the sequences that compute an exact result from an estimate, which each has once.

``v_div_fixup`` ends the correctly rounded division of IEEE 754; the constants, next below 2³² and 2⁶⁴, belong to the
exact division of 32-bit and 64-bit integers. The correctly rounded square root compares the estimate with its
neighbours, the lower of which is found by subtracting 1 from its bits.
"""


def found(code: str, *, amd: bool) -> set[str]:
    """The names of the instructions in the PTX, or in the assembly for AMD GPUs, of a kernel."""
    if not amd:
        names = PTX.findall(code)
    else:
        # With ``iflag`` the instruction reports no exception of floating-point numbers.
        names = [name.replace("_iflag", "") for name in AMD.findall(code)]
        for name, refined in REFINED.items():
            for _ in refined.findall(code):
                if name in names:
                    names.remove(name)
        modes = MODE.findall(code)
        assert len(modes) == 2
        if modes != [NO_FLUSH, NO_FLUSH]:
            names.append("flushes subnormal numbers")
    return {TF32 if name.endswith("xf32") or ".tf32" in name else name for name in names}


class Listed(NamedTuple):
    """A row of the page: instructions that remain in functions.

    ``dtypes`` are those of the operands, None for all; ``newest`` is the newest version of Triton, None for all.
    """

    instructions: frozenset[str]
    functions: frozenset[str]
    dtypes: frozenset[str] | None
    newest: tuple[int, ...] | None

    def allows(self, instruction: str, function: str, dtype: str) -> bool:
        # Operands of two dtypes are written "int64, uint64".
        return (
            instruction in self.instructions
            and function in self.functions
            and (self.dtypes is None or self.dtypes >= set(dtype.split(", ")))
        )


def listed(heading: str) -> list[Listed]:
    """The rows of the table below a heading of the page."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = []
    for line in section.splitlines():
        if line.startswith("| `"):
            instructions, functions, dtypes = (
                frozenset(re.findall(r"`([^`]+)`", cell)) for cell in line.split("|")[1:4]
            )
            newest = re.search(r"up to Triton (\d+)\.(\d+)", line)
            version = None if newest is None else tuple(map(int, newest.groups()))
            rows.append(Listed(instructions, functions, dtypes or None, version))
    return rows
