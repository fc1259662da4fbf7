"""Languages of kernels: the syntax of types, numbers, expressions and heads."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from xtensor.backend import DType

from ..kernels.values import COMPONENTS, Number

__all__ = ["INDEX", "ITEMS", "Language", "OpenCL", "OpenCLOnCPU", "component"]

INDEX = "I"
"""The name of the type of positions and lengths, which each kernel defines: 32 bits, or 64 for large arrays."""

ITEMS = "first", "end"
"""Names of the numbers of a work item's first element, and of the one after its last, where work items have loops."""

VECTORS = " interleave_count(4)"
"""Four vectors at a time: 16 registers do not hold the constants of a formula, which are loaded once for four.

The compiler makes one at a time otherwise. Of exp and sin in float32, four take 0.6 and 0.75 of the time (PoCL 3).
"""


def component(dtype: DType) -> DType:
    """Return the dtype of the numbers in memory: the components' for a complex dtype."""
    return COMPONENTS.get(dtype, dtype)


class Language(ABC):
    """Syntax of a language of kernels.

    Attributes
    ----------
    types
        The types of local variables by the dtypes that the language has.
    has_fma
        Whether formulas use fused multiplications and additions.
    has_loops
        Whether a work item computes many elements in a loop, of which the compiler makes vectors.
    """

    types: Mapping[str, str]
    has_fma: bool
    has_loops: ClassVar[bool] = False

    @property
    def has_double(self) -> bool:
        """Whether there is double precision."""
        return "float64" in self.types

    def type(self, dtype: DType) -> str:
        """The type of a local variable; KeyError for a dtype that the language does not have."""
        return self.types[dtype.name]

    @abstractmethod
    def memory_type(self, dtype: DType) -> str:
        """The type of an element of a buffer; of complex numbers, a component's."""

    @abstractmethod
    def constant(self, number: Number, dtype: DType) -> str:
        """A number; an integer is in the dtype's range, without sign."""

    @abstractmethod
    def arithmetic(self, operator: str, dtype: DType, first: str, second: str) -> str:
        """``+ - * / & | ^ << >>``, as :class:`xtensor_backends.kernels.values.Builder` defines them."""

    @abstractmethod
    def compare(self, operator: str, dtype: DType, first: str, second: str) -> str:
        """A comparison."""

    @abstractmethod
    def negative(self, dtype: DType, number: str) -> str:
        """A floating-point number with the other sign."""

    @abstractmethod
    def choice(self, condition: str, first: str, second: str) -> str:
        """The first operand where the condition holds, else the second one."""

    @abstractmethod
    def intrinsic(self, name: str, dtype: DType, operands: Sequence[str]) -> str:
        """A function of floating-point numbers."""

    @abstractmethod
    def reinterpret(self, text: str, target: DType) -> str:
        """The number with the same bits."""

    @abstractmethod
    def cast(self, kind: str, text: str) -> str:
        """A number as one of another type than that of bool."""

    @abstractmethod
    def declare(self, kind: str, name: str, text: str) -> str:
        """The declaration of a local constant."""

    @abstractmethod
    def variable(self, kind: str, name: str, text: str) -> str:
        """The declaration of a local variable."""

    @abstractmethod
    def array(self, kind: str, name: str, length: int) -> str:
        """The declaration of a local array."""

    @abstractmethod
    def read(self, buffer: str, offset: str, dtype: DType) -> str:
        """An element of a buffer that is not complex, as a local variable."""

    @abstractmethod
    def written(self, text: str, dtype: DType) -> str:
        """A local variable as an element of a buffer."""

    def items(self, body: Sequence[str]) -> Sequence[str]:
        """The statements of a work item, of those for an element ``i``."""
        return body

    def vectors(
        self, index: str, span: tuple[str, str], body: Sequence[str], check: Sequence[str], covered: Sequence[str]
    ) -> Sequence[str]:
        """A loop over elements that do not depend on each other.

        Parameters
        ----------
        index, span
            The name of an element's number, the first number, and the one after the last.
        body
            The statements for an element.
        check, covered
            Statements without branches: those that set ``uncovered`` to 1 where a formula does not cover an element,
            and those that compute an element that formulas cover. None where ``body`` has no branches.
        """
        return self.loop(index, span, body)

    def loop(self, index: str, span: tuple[str, str], body: Sequence[str]) -> list[str]:
        """A loop over numbers."""
        return [f"for ({self.variable(INDEX, index, span[0])} {index} < {span[1]}; {index}++) {{", *body, "}"]

    @abstractmethod
    def kernel(
        self,
        buffers: Sequence[tuple[str, DType, bool]],
        scalars: Sequence[tuple[str, DType]],
        numbers: int,
        body: Sequence[str],
        *,
        wide: bool,
    ) -> str:
        """The source of a kernel ``f``.

        Parameters
        ----------
        buffers
            Name, dtype and whether the kernel writes to it, of each buffer.
        scalars
            Name and dtype of each number that has the value of an argument.
        numbers
            The number of lengths and strides ``p0``, ``p1``, …; the first one is the number of work items.
        body
            Statements, in which ``i`` is the number of the work item.
        wide
            Whether positions have 64 bits.
        """


class OpenCL(Language):
    """OpenCL C 1.2 with the extension for double precision.

    Integers are computed without sign, because an overflow of signed ones is undefined in C.

    Parameters
    ----------
    has_double
        Whether the device computes in double precision.
    """

    has_fma = True

    HEAD: ClassVar[tuple[str, ...]] = (f"const {INDEX} i = get_global_id(0);", "if (i >= p0) return;")

    def __init__(self, *, has_double: bool = True) -> None:
        self.types = {name: kind for name, kind in self.ALL_TYPES.items() if has_double or kind != "double"}

    ALL_TYPES: ClassVar[dict[str, str]] = {
        "bool": "bool",
        "int8": "char",
        "int16": "short",
        "int32": "int",
        "int64": "long",
        "uint8": "uchar",
        "uint16": "ushort",
        "uint32": "uint",
        "uint64": "ulong",
        "float32": "float",
        "float64": "double",
    }

    def memory_type(self, dtype: DType) -> str:
        return "uchar" if dtype.kind == "b" else self.type(component(dtype))

    def constant(self, number: Number, dtype: DType) -> str:
        kind = self.type(dtype)
        if dtype.kind == "b":
            return "true" if number else "false"
        if dtype.kind == "f":
            suffix = "f" if dtype.itemsize == 4 else ""
            value = float(dtype.type(number))
            if math.isfinite(value):
                return f"({value.hex()}{suffix})"
            bits = np.asarray(value, dtype).view(f"u{dtype.itemsize}")
            return f"as_{kind}({int(bits)}{'u' if dtype.itemsize == 4 else 'ul'})"
        return f"(({kind}){number}{'ul' if dtype.itemsize == 8 else 'u'})"

    def arithmetic(self, operator: str, dtype: DType, first: str, second: str) -> str:
        if dtype.kind == "f":
            return f"{first} {operator} {second}"
        if dtype.kind == "b" or operator in ("/", ">>"):
            return f"({self.type(dtype)})({first} {operator} {second})"
        unsigned = "ulong" if dtype.itemsize == 8 else "uint"
        return f"({self.type(dtype)})(({unsigned}){first} {operator} ({unsigned}){second})"

    def compare(self, operator: str, dtype: DType, first: str, second: str) -> str:
        return f"{first} {operator} {second}"

    def negative(self, dtype: DType, number: str) -> str:
        return f"-({number})"

    def choice(self, condition: str, first: str, second: str) -> str:
        return f"{condition} ? {first} : {second}"

    def intrinsic(self, name: str, dtype: DType, operands: Sequence[str]) -> str:
        return f"{name}({', '.join(operands)})"

    def reinterpret(self, text: str, target: DType) -> str:
        return f"as_{self.type(target)}({text})"

    def cast(self, kind: str, text: str) -> str:
        return f"({kind})({text})"

    def declare(self, kind: str, name: str, text: str) -> str:
        return f"const {kind} {name} = {text};"

    def variable(self, kind: str, name: str, text: str) -> str:
        return f"{kind} {name} = {text};"

    def array(self, kind: str, name: str, length: int) -> str:
        return f"{kind} {name}[{length}];"

    def read(self, buffer: str, offset: str, dtype: DType) -> str:
        return f"{buffer}[{offset}]" + (" != 0" if dtype.kind == "b" else "")

    def written(self, text: str, dtype: DType) -> str:
        return f"(uchar)({text} ? 1 : 0)" if dtype.kind == "b" else text

    def kernel(
        self,
        buffers: Sequence[tuple[str, DType, bool]],
        scalars: Sequence[tuple[str, DType]],
        numbers: int,
        body: Sequence[str],
        *,
        wide: bool,
    ) -> str:
        arguments = [
            f"__global {'' if is_written else 'const '}{self.memory_type(dtype)}* {name}"
            for name, dtype, is_written in buffers
        ]
        arguments += [f"const {self.memory_type(dtype)} {name}" for name, dtype in scalars]
        arguments += [f"const {INDEX} p{k}" for k in range(numbers)]
        lines = "\n  ".join([*self.HEAD, *body])
        return (
            "#pragma OPENCL FP_CONTRACT OFF\n"
            f"typedef {'long' if wide else 'int'} {INDEX};\n"
            f"__kernel void f({', '.join(arguments)}) {{\n  {lines}\n}}\n"
        )


class OpenCLOnCPU(OpenCL):
    """OpenCL C for CPUs: a work item computes adjacent elements in a loop, of which the compiler makes vectors.

    Its compilers are Clang, whose functions for roots and roundings are instructions; OpenCL's own ones are calls.
    """

    has_loops = True

    HEAD: ClassVar[tuple[str, ...]] = (
        f"const {INDEX} length = (p0 + get_global_size(0) - 1) / get_global_size(0);",
        f"const {INDEX} first = get_global_id(0) * length, end = min(first + length, p0);",
    )

    BLOCK: ClassVar[int] = 1024
    """Elements of which one that a formula does not cover makes all be computed with branches."""

    def intrinsic(self, name: str, dtype: DType, operands: Sequence[str]) -> str:
        return f"__builtin_{name}{'f' if dtype.itemsize == 4 else ''}({', '.join(operands)})"

    def items(self, body: Sequence[str]) -> Sequence[str]:
        return self._loop("i", ITEMS, body)

    def vectors(
        self, index: str, span: tuple[str, str], body: Sequence[str], check: Sequence[str], covered: Sequence[str]
    ) -> Sequence[str]:
        if not check:
            return self._loop(index, span, body, VECTORS)
        first, end = span
        block = "start", "stop"
        return [
            f"for ({INDEX} start = {first}; start < {end}; start += {self.BLOCK}) {{",
            f"const {INDEX} stop = {end} - start < {self.BLOCK} ? {end} : start + {self.BLOCK};",
            "uint uncovered = 0;",
            *self._loop(index, block, check, VECTORS),
            "if (uncovered) {",
            *self._loop(index, block, body),
            "} else {",
            *self._loop(index, block, covered, VECTORS),
            "}",
            "}",
        ]

    def _loop(self, index: str, span: tuple[str, str], body: Sequence[str], options: str = "") -> list[str]:
        # Work items do not depend on each other.
        return [f"#pragma clang loop vectorize(assume_safety){options}", *self.loop(index, span, body)]
