"""WGSL, the shading language of WebGPU, with the arithmetic of IEEE 754.

WGSL permits an implementation to reassociate sums and products, and to assume that no number is NaN or infinite. A
result is therefore combined with a zero that only the run of the kernel knows, by its bits: the compiler of the driver
sees one operation at a time. Numbers that an identity holds for, as ``x + 0``, are hidden from it in the same way, and
signs and NaN are read from the bits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from xtensor.backend import DType

from ..buffers.languages import INDEX, Language, component
from ..kernels.values import Number

__all__ = ["ARGUMENTS", "GROUP", "LARGEST_ROW", "WGSL"]

GROUP = 64
"""Work items of a group."""

LARGEST_ROW = 65535
"""Groups along an axis of a launch, at most."""

ARGUMENTS = "arguments"
"""The name of the buffer with a zero, the lengths and strides, and the numbers of a program."""

SIGN = "0x80000000u"

HIDDEN = (0.0, 1.0, -1.0)
"""Constants for which ``x + c``, ``x * c`` or ``x / c`` is ``x``, but for a sign, or a constant."""


class WGSL(Language):
    """WGSL without optional features: 32 bits, and no fused multiplication and addition that is exact everywhere."""

    def __init__(self) -> None:
        self.has_fma = False
        self.types = {"bool": "bool", "int32": "i32", "uint32": "u32", "float32": "f32"}

    def memory_type(self, dtype: DType) -> str:
        return "u32" if dtype.kind == "b" else self.type(component(dtype))

    def constant(self, number: Number, dtype: DType) -> str:
        kind = self.type(dtype)
        if dtype.kind == "b":
            return "true" if number else "false"
        if dtype.kind != "f":
            return f"{kind}({int(np.asarray(number, np.uint32).view(dtype))})"
        value = np.float32(number)
        if not math.isfinite(value) or float(value) in HIDDEN:
            return f"bitcast<f32>({int(value.view(np.uint32))}u ^ zero)"
        return f"f32({value!s})"

    def arithmetic(self, operator: str, dtype: DType, first: str, second: str) -> str:
        if dtype.kind == "b":
            return f"{first} {'!=' if operator == '^' else operator} {second}"
        if not _is_name(first) and not _is_name(second):
            # An expression of constants is computed by the compiler, for which an overflow is an error.
            first = self._opaque(first, dtype)
        if operator in ("<<", ">>"):
            return f"{first} {operator} u32({second})"
        if dtype.kind == "f" and operator in "-/":
            second = self._opaque(second, dtype)  # x - x is not 0, and x / x is not 1, for every x
        text = f"{first} {operator} {second}"
        return self._opaque(text, dtype) if dtype.kind == "f" else text

    def _opaque(self, text: str, dtype: DType) -> str:
        """A number whose value the compiler does not know."""
        if dtype.kind == "u":
            return f"(({text}) ^ zero)"
        return f"bitcast<{self.type(dtype)}>(bitcast<u32>({text}) ^ zero)"

    def compare(self, operator: str, dtype: DType, first: str, second: str) -> str:
        if dtype.kind == "b" and operator not in ("==", "!="):
            return f"u32({first}) {operator} u32({second})"
        if dtype.kind != "f":
            return f"{first} {operator} {second}"
        if first == second:
            is_nan = f"(bitcast<u32>({first}) & ~{SIGN}) > 0x7f800000u"
            return is_nan if operator == "!=" else f"!({is_nan})" if "=" in operator else "false"
        # The opposite of a comparison is not another comparison where an operand is NaN; drivers take `!=` for one.
        holds, result = ("==", "==") if operator == "!=" else (operator, "!=")
        return f"(u32({first} {holds} {second}) ^ zero) {result} 0u"

    def negative(self, dtype: DType, number: str) -> str:
        return f"bitcast<f32>(bitcast<u32>({number}) ^ {SIGN})"

    def choice(self, condition: str, first: str, second: str) -> str:
        return f"select({second}, {first}, {condition})"

    def intrinsic(self, name: str, dtype: DType, operands: Sequence[str]) -> str:
        if name == "fabs":
            return f"bitcast<f32>(bitcast<u32>({operands[0]}) & ~{SIGN})"
        if name == "copysign":
            size, sign = (f"bitcast<u32>({operand})" for operand in operands)
            return f"bitcast<f32>(({size} & ~{SIGN}) | ({sign} & {SIGN}))"
        (operand,) = operands
        if not _is_name(operand):
            operand = self._opaque(operand, dtype)
        return self._opaque(f"{'round' if name == 'rint' else name}({operand})", dtype)

    def reinterpret(self, text: str, target: DType) -> str:
        return f"bitcast<{self.type(target)}>({text})"

    def cast(self, kind: str, text: str) -> str:
        return f"{kind}({text})"

    def declare(self, kind: str, name: str, text: str) -> str:
        return f"let {name}: {kind} = {text};"

    def variable(self, kind: str, name: str, text: str) -> str:
        return f"var {name}: {kind} = {text};"

    def array(self, kind: str, name: str, length: int) -> str:
        return f"var {name}: array<{kind}, {length}>;"

    def read(self, buffer: str, offset: str, dtype: DType) -> str:
        return f"{buffer}[{offset}]" + (" != 0u" if dtype.kind == "b" else "")

    def written(self, text: str, dtype: DType) -> str:
        return f"select(0u, 1u, {text})" if dtype.kind == "b" else text

    def kernel(
        self,
        buffers: Sequence[tuple[str, DType, bool]],
        scalars: Sequence[tuple[str, DType]],
        numbers: int,
        body: Sequence[str],
        *,
        wide: bool,
    ) -> str:
        bound = [(name, self.memory_type(dtype), is_written) for name, dtype, is_written in buffers]
        bound.append((ARGUMENTS, "u32", False))
        declared = [
            f"@group(0) @binding({k}) var<storage, {'read_write' if is_written else 'read'}> {name}: array<{kind}>;"
            for k, (name, kind, is_written) in enumerate(bound)
        ]
        values = [f"  let p{k} = {INDEX}({ARGUMENTS}[{1 + k}]);" for k in range(numbers)]
        for k, (name, dtype) in enumerate(scalars, 1 + numbers):
            values.append(f"  let {name} = bitcast<{self.memory_type(dtype)}>({ARGUMENTS}[{k}]);")
        return "\n".join(
            (
                f"alias {INDEX} = i32;",
                *declared,
                f"@compute @workgroup_size({GROUP})",
                "fn f(@builtin(global_invocation_id) item: vec3<u32>) {",
                f"  let number = item.x + item.y * {GROUP * LARGEST_ROW}u;",
                f"  if (number >= {ARGUMENTS}[1]) {{ return; }}",
                f"  let i = {INDEX}(number);",
                f"  let zero = {ARGUMENTS}[0];",
                *values,
                *[f"  {line}" for line in body],
                "}\n",
            )
        )


def _is_name(text: str) -> bool:
    """Whether an operand is the name of a value, not a constant."""
    return re.fullmatch(r"[a-z]\d+", text) is not None
