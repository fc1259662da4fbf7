"""The builder that prints the formulas' instructions as statements of a language, and the source of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from xtensor.backend import DType

from ..kernels.values import COMPONENTS, Complex, Number, Value
from .languages import INDEX, ITEMS, Language

__all__ = ["Kernel", "SourceBuilder", "unravelled"]

BOOL = np.dtype(np.bool)


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """The source of a kernel, and its arguments: buffers, numbers of a program, lengths and strides.

    Attributes
    ----------
    source
        The text that the device's compiler gets.
    buffers, written, numbers
        The number of buffers, of those that the kernel writes to, which are the first ones, and of lengths and strides.
    scalars
        The dtypes of the numbers of a program.
    wide
        Whether lengths and strides have 64 bits.
    """

    source: str
    buffers: int
    written: int
    numbers: int
    scalars: tuple[DType, ...]
    wide: bool


class SourceBuilder:
    """Statements of a kernel; each instruction of a formula becomes the declaration of a constant.

    The code of a value is the name of a constant, or a number.
    """

    library: frozenset[str] = frozenset()

    def __init__(self, language: Language, *, wide: bool = False) -> None:
        self.language = language
        self.has_fma = language.has_fma
        self.wide = wide
        self.lines: list[str] = []
        self._names = 0
        self._numbers = 1
        self._buffers: list[tuple[str, DType, bool]] = []
        self._scalars: list[tuple[str, DType]] = []
        self._conditions: list[str] | None = None
        self._stores: list[str] = []
        self._is_looped = False

    # -- the protocol of formulas -------------------------------------------------------------------------------------

    def constant(self, number: Number, dtype: DType) -> str:
        return self.language.constant(number, dtype)

    def arithmetic(self, operator: str, dtype: DType, first: str, second: str) -> str:
        return self._declared(dtype, self.language.arithmetic(operator, dtype, first, second))

    def compare(self, operator: str, dtype: DType, first: str, second: str) -> str:
        return self._declared(BOOL, self.language.compare(operator, dtype, first, second))

    def negative(self, dtype: DType, number: str) -> str:
        return self._declared(dtype, self.language.negative(dtype, number))

    def choice(self, dtype: DType, condition: str, first: str, second: str) -> str:
        return self._declared(dtype, self.language.choice(condition, first, second))

    def intrinsic(self, name: str, dtype: DType, *operands: str) -> str:
        return self._declared(dtype, self.language.intrinsic(name, dtype, operands))

    def reinterpret(self, number: str, source: DType, target: DType) -> str:
        return self._declared(target, self.language.reinterpret(number, target))

    def convert(self, number: str, source: DType, target: DType) -> str:
        return self._declared(target, self.language.cast(self.language.type(target), number))

    def _declared(self, dtype: DType, text: str) -> str:
        return self.declare(self.language.type(dtype), text)

    # -- names --------------------------------------------------------------------------------------------------------

    def name(self) -> str:
        """Return a new name."""
        self._names += 1
        return f"t{self._names}"

    def declare(self, kind: str, text: str) -> str:
        """Declare a constant of a type; return its name."""
        name = self.name()
        self.lines.append(self.language.declare(kind, name, text))
        return name

    def index(self, text: str) -> str:
        """Declare a constant position or length; return its name."""
        return self.declare(INDEX, text)

    def counter(self, text: str) -> str:
        """Declare a variable position or length; return its name."""
        name = self.name()
        self.lines.append(self.language.variable(INDEX, name, text))
        return name

    def number(self) -> str:
        """Return the name of a new argument that is a length or stride; ``p0`` is the number of work items."""
        self._numbers += 1
        return f"p{self._numbers - 1}"

    def numbers(self, count: int) -> list[str]:
        """Return the names of several such arguments."""
        return [self.number() for _ in range(count)]

    def output(self, dtype: DType) -> str:
        """Return the name of a new buffer that the kernel writes to."""
        return self._buffer(dtype, True)

    def input(self, dtype: DType) -> str:
        """Return the name of a new buffer that the kernel reads."""
        return self._buffer(dtype, False)

    def _buffer(self, dtype: DType, is_written: bool) -> str:
        name = f"b{len(self._buffers)}"
        self._buffers.append((name, dtype, is_written))
        return name

    def scalar(self, dtype: DType) -> Value | Complex:
        """Return a new argument that is a number; a complex one is two."""
        part = COMPONENTS.get(dtype)
        if part is not None:
            return Complex(*[self._scalar(part) for _ in range(2)])
        return self._scalar(dtype)

    def _scalar(self, dtype: DType) -> Value:
        name = f"s{len(self._scalars)}"
        self._scalars.append((name, dtype))
        return self.value(f"({name} != 0)" if dtype.kind == "b" else name, dtype)

    # -- values -------------------------------------------------------------------------------------------------------

    def value(self, code: str, dtype: DType) -> Value:
        """Return an expression as a value."""
        return Value(self, code, dtype)

    def position(self, text: str, dtype: DType) -> Value:
        """Return a position as a value of an integer dtype."""
        return self.value(self._declared(dtype, self.language.cast(self.language.type(dtype), text)), dtype)

    def load(self, buffer: str, offset: str, dtype: DType) -> Value | Complex:
        """Read an element of a buffer."""
        part = COMPONENTS.get(dtype)
        if part is not None:
            return Complex(*[self._load(buffer, f"2 * ({offset}) + {k}", part) for k in range(2)])
        return self._load(buffer, offset, dtype)

    def _load(self, buffer: str, offset: str, dtype: DType) -> Value:
        return self.value(self._declared(dtype, self.language.read(buffer, offset, dtype)), dtype)

    def store(self, buffer: str, offset: str, x: Value | Complex) -> None:
        """Write an element of a buffer."""
        if isinstance(x, Complex):
            self.store(buffer, f"2 * ({offset})", x.real)
            self.store(buffer, f"2 * ({offset}) + 1", x.imag)
            return
        lines = self.lines if self._conditions is None else self._stores
        lines.append(f"{buffer}[{offset}] = {self.language.written(x.code, x.dtype)};")

    def array(self, dtype: DType, length: int) -> str:
        """Declare elements of a work item, which are read and written as a buffer's; return the name."""
        name = self.name()
        numbers = 2 * length if dtype in COMPONENTS else length
        self.lines.append(self.language.array(self.language.memory_type(dtype), name, numbers))
        return name

    def variable(self, x: Value | Complex) -> Value | Complex:
        """Declare a variable with a value, which :meth:`assign` changes."""
        if isinstance(x, Complex):
            return Complex(self._variable(x.real), self._variable(x.imag))
        return self._variable(x)

    def _variable(self, x: Value) -> Value:
        name = self.name()
        self.lines.append(self.language.variable(self.language.type(x.dtype), name, x.code))
        return self.value(name, x.dtype)

    def assign(self, target: Value | Complex, x: Value | Complex) -> None:
        """Give a variable another value."""
        if isinstance(target, Complex):
            assert isinstance(x, Complex)
            self.assign(target.real, x.real)
            self.assign(target.imag, x.imag)
            return
        assert isinstance(x, Value)
        self.lines.append(f"{target.code} = {x.code};")

    # -- control flow -------------------------------------------------------------------------------------------------

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Put the statements that are written within into braces after a head such as ``if (…)``."""
        self.lines.append(f"{head} {{")
        yield
        self.lines.append("}")

    @contextmanager
    def loop(self, length: str, start: str = "0") -> Iterator[str]:
        """Repeat the statements that are written within for each number below a length; yield the number's name."""
        name = self.name()
        with self.block(f"for ({self.language.variable(INDEX, name, start)} {name} < {length}; {name}++)"):
            yield name

    def corrected(self, x: Any, covered: Value, other: Callable[[], Any]) -> Any:
        """Return a value where it is covered, and another one elsewhere, which is not computed for covered elements."""
        if self._conditions is not None:
            self._conditions.append(covered.code)
            return x
        result = self.variable(x)
        with self.block(f"if (!({covered.code}))"):
            self.assign(result, other())
        return result

    def each(self, write: Callable[[], None]) -> None:
        """Write the statements for an element ``i``, none of which another one reads."""
        if self.language.has_loops:
            self._is_looped = True
            self.vectors("i", ITEMS, write)
        else:
            write()

    def vectors(self, index: str, span: tuple[str, str], write: Callable[[], None]) -> None:
        """Write a loop of statements for an element, also without the branches of :meth:`corrected`.

        Compilers make no vectors of a loop with branches. One such loop asks whether formulas cover all its elements,
        and another one computes them then. What the statements compute is stored at their end.
        """
        before, self.lines = self.lines, []
        self._conditions, self._stores = [], []
        write()
        lines, self.lines = self.lines, []
        conditions, self._conditions = self._conditions, None
        check, covered = [], [*lines, *self._stores]
        if conditions:
            check = [*lines, f"uncovered |= !({' && '.join(conditions)});"]
            write()
        loop = self.language.vectors(index, span, self.lines or covered, check, covered)
        self.lines = [*before, *loop]

    def kernel(self) -> Kernel:
        """Return the kernel of the statements."""
        body = self.lines if self._is_looped else self.language.items(self.lines)
        source = self.language.kernel(self._buffers, self._scalars, self._numbers, body, wide=self.wide)
        scalars = tuple([dtype for _, dtype in self._scalars])
        written = sum([is_written for _, _, is_written in self._buffers])
        return Kernel(source, len(self._buffers), written, self._numbers, scalars, self.wide)


def unravelled(builder: SourceBuilder, index: str, shape: Sequence[str]) -> list[str]:
    """Return the coordinates of the element of an index, in row-major order over a shape of names."""
    coordinates = []
    rest = index
    for length in reversed(shape[1:]):
        coordinates.append(builder.index(f"{rest} % {length}"))
        rest = builder.index(f"{rest} / {length}")
    return [rest, *reversed(coordinates)] if shape else []
