"""Instructions and memory of LLVM for the values of formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from ..kernels.values import COMPONENTS, Complex, Number, Value

__all__ = ["Builder", "alignment", "llvm_type", "load", "load_element", "memory_type", "store"]

BOOL = np.dtype(np.bool)

TYPES = {np.dtype(np.float32): ir.FloatType(), np.dtype(np.float64): ir.DoubleType()}
"""LLVM's types of floating-point dtypes."""

ARITHMETIC = {
    "+": {"i": "add", "u": "add", "f": "fadd"},
    "-": {"i": "sub", "u": "sub", "f": "fsub"},
    "*": {"i": "mul", "u": "mul", "f": "fmul"},
    "/": {"i": "sdiv", "u": "udiv", "f": "fdiv"},
    "&": dict.fromkeys("biu", "and_"),
    "|": dict.fromkeys("biu", "or_"),
    "^": dict.fromkeys("biu", "xor"),
    "<<": {"i": "shl", "u": "shl"},
    ">>": {"i": "ashr", "u": "lshr"},
}
"""The method of llvmlite's builder for an operator and a kind of dtype."""


class Builder(ir.IRBuilder):  # type: ignore[misc]
    """An instruction builder of llvmlite with the methods of :class:`xtensor_backends.kernels.values.Builder`.

    Parameters
    ----------
    block
        The basic block that receives the instructions.
    has_fma
        Whether the CPU has a fused multiply-add instruction. Without it, LLVM would call a function per element.
    """

    library: frozenset[str] = frozenset()

    def __init__(self, block: Any = None, *, has_fma: bool) -> None:
        super().__init__(block)
        self.has_fma = has_fma

    def constant(self, number: Number, dtype: Any) -> Any:
        return ir.Constant(llvm_type(dtype), int(number) if dtype == BOOL else number)

    def arithmetic(self, operator: str, dtype: Any, first: Any, second: Any) -> Any:
        return getattr(self, ARITHMETIC[operator][dtype.kind])(first, second)

    def compare(self, operator: str, dtype: Any, first: Any, second: Any) -> Any:
        if dtype.kind == "f":
            compare = self.fcmp_unordered if operator == "!=" else self.fcmp_ordered
        else:
            compare = self.icmp_signed if dtype.kind == "i" else self.icmp_unsigned
        return compare(operator, first, second)

    def negative(self, dtype: Any, number: Any) -> Any:
        return self.fneg(number)

    def choice(self, dtype: Any, condition: Any, first: Any, second: Any) -> Any:
        return self.select(condition, first, second)

    def intrinsic(self, name: str, dtype: Any, *operands: Any) -> Any:
        kind = llvm_type(dtype)
        called = f"llvm.{'roundeven' if name == 'rint' else name}"
        function = self.module.declare_intrinsic(called, [kind], ir.FunctionType(kind, [kind] * len(operands)))
        return self.call(function, operands)

    def reinterpret(self, number: Any, source: Any, target: Any) -> Any:
        return self.bitcast(number, llvm_type(target))

    def convert(self, number: Any, source: Any, target: Any) -> Any:
        kind, is_signed = llvm_type(target), source.kind == "i"
        if source.kind == target.kind == "f":
            return (self.fpext if target.itemsize > source.itemsize else self.fptrunc)(number, kind)
        if target.kind == "f":
            return (self.sitofp if is_signed else self.uitofp)(number, kind)
        if source.kind == "f":
            return self.fptosi(number, kind)
        size, new_size = number.type.width, kind.width
        if new_size == size:
            return number
        return (self.trunc if new_size < size else self.sext if is_signed else self.zext)(number, kind)


def llvm_type(dtype: Any) -> Any:
    """LLVM's type of a dtype in registers."""
    dtype = np.dtype(dtype)
    if dtype == BOOL:
        return ir.IntType(1)
    if dtype.kind in "iu":
        return ir.IntType(8 * dtype.itemsize)
    if dtype in TYPES:
        return TYPES[dtype]
    raise TypeError(f"there are no kernels for dtype {dtype}")


def memory_type(dtype: Any) -> Any:
    """LLVM's type of a dtype in memory, where a bool has eight bits, and a complex number two components."""
    dtype = np.dtype(dtype)
    if dtype in COMPONENTS:
        return ir.ArrayType(TYPES[COMPONENTS[dtype]], 2)
    return ir.IntType(8) if dtype == BOOL else llvm_type(dtype)


def alignment(itemsize: int) -> int:
    """Return the alignment in bytes of NumPy's aligned elements of a size; a complex number has its components'."""
    return itemsize if itemsize <= 4 else itemsize // 2


def load_element(builder: Builder, pointer: Any, dtype: Any) -> Any:
    """Read an element of any dtype that kernels have."""
    part = COMPONENTS.get(np.dtype(dtype))
    if part is None:
        return load(builder, pointer, dtype)
    return Complex(*[load(builder, address, part) for address in _components(builder, pointer, part)])


def load(builder: Builder, pointer: Any, dtype: Any) -> Value:
    """Read an element that is not complex; every byte but 0 is True for a bool."""
    read = builder.load(pointer, typ=memory_type(dtype), align=np.dtype(dtype).itemsize)
    if np.dtype(dtype) == BOOL:
        read = builder.icmp_unsigned("!=", read, ir.Constant(read.type, 0))
    return Value(builder, read, dtype)


def _components(builder: Builder, pointer: Any, dtype: Any) -> list[Any]:
    """The addresses of the components of a complex number."""
    index = ir.IntType(64)
    return [builder.gep(pointer, [index(i)], inbounds=True, source_etype=TYPES[dtype]) for i in (0, 1)]


def store(value: Value | Complex, pointer: Any) -> None:
    """Write an element."""
    builder: Any = value.builder
    if isinstance(value, Complex):
        real, imag = _components(builder, pointer, value.real.dtype)
        store(value.real, real)
        store(value.imag, imag)
        return
    written = builder.zext(value.code, ir.IntType(8)) if value.dtype == BOOL else value.code
    builder.store(written, pointer, align=value.dtype.itemsize)
