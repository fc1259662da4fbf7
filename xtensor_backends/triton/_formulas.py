"""Device functions: the shared formulas, printed for the elements of a block in the compute dtype.

libdevice computes the functions of :data:`LIBRARY`, with the corrections of :mod:`xtensor_backends.triton._library`.
"""

from __future__ import annotations

import linecache
import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import triton.language as tl
from triton.language.extra import libdevice

from ..kernels import arithmetic, formulas
from ..kernels.exponential import sigmoid
from ..kernels.hyperbolic import tanh
from ..kernels.powers import power
from ..kernels.values import Formula, Number, Value, constant, rint, select
from . import _library
from ._dtypes import NUMPY_DTYPES, DType

__all__ = ["FORMULAS", "device_function", "jit_function", "triton_type"]

NEAR_IDENTITY = frozenset(("asin", "asinh", "atan", "atanh", "expm1", "log1p", "sin", "sinh", "tan", "tanh"))
"""Functions with ``f(x) ≈ x`` near zero."""

LOGARITHMS = {"log": 24 * math.log(2), "log2": 24.0, "log10": 24 * math.log10(2)}
"""Logarithms, and those of 2**24."""

LIBRARY = NEAR_IDENTITY | LOGARITHMS.keys() | {"acos", "acosh", "atan2", "cos", "cosh", "exp", "fmod", "hypot", "pow"}
"""The functions of libdevice that kernels call."""


class TritonBuilder:
    """Statements of a device function; each instruction of a formula becomes an assignment.

    The code of a value is a variable's name, or a Python number, which takes the dtype of the other operand.
    """

    has_fma = True
    library = frozenset(LIBRARY)

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names = 0
        self._indent = ""

    # -- the protocol of formulas -------------------------------------------------------------------------------------

    def constant(self, number: Number, dtype: DType) -> str:
        if dtype.kind == "f":
            rounded = float(dtype.type(number))
            return repr(rounded) if math.isfinite(rounded) else f'float("{rounded}")'
        if dtype.kind == "i" and number >= 2 ** (8 * dtype.itemsize - 1):
            number -= 2 ** (8 * dtype.itemsize)
        return repr(number)

    def arithmetic(self, operator: str, dtype: DType, first: str, second: str) -> str:
        if operator == "/" and dtype.name == "float32":
            return self._declared(f"tl.div_rn({_typed(first, second, dtype)}, {second})")
        if operator == "/" and dtype.kind != "f":
            operator = "//"  # truncates
        return self._declared(f"{_typed(first, second, dtype)} {operator} {second}")

    def compare(self, operator: str, dtype: DType, first: str, second: str) -> str:
        return self._declared(f"{_typed(first, second, dtype)} {operator} {second}")

    def negative(self, dtype: DType, number: str) -> str:
        # -x is compiled to 0 - x, which loses the sign of zero.
        return self._declared(f"{_typed(number, '', dtype)} * -1.0")

    def choice(self, dtype: DType, condition: str, first: str, second: str) -> str:
        return self._declared(f"tl.where({condition}, {_typed(first, second, dtype)}, {second})")

    def intrinsic(self, name: str, dtype: DType, *operands: str) -> str:
        # Triton 3.6 converts numbers among the operands of a function to float32.
        first, *others = (_typed(operand, "", dtype) for operand in operands)
        listed = ", ".join((first, *others))
        if name in ("floor", "ceil", "fma"):
            return self._declared(f"tl.{name}({listed})")
        if name == "fabs":
            return self._declared(f"tl.abs({first})")
        if name in ("hypot", "sqrt"):
            return self._declared(f"library.{name}({listed})")
        if name in LOGARITHMS:
            result = f"libdevice.{name}(library.scaled({first}))"
            return self._declared(f"library.unscaled({first}, {result}, {LOGARITHMS[name]!r})")
        called = f"libdevice.{name}({listed})"
        return self._declared(f"library.preserve_subnormal({first}, {called})" if name in NEAR_IDENTITY else called)

    def reinterpret(self, number: str, source: DType, target: DType) -> str:
        return self._declared(f"{_typed(number, '', source)}.to({triton_type(target)}, bitcast=True)")

    def convert(self, number: str, source: DType, target: DType) -> str:
        return self._declared(f"{_typed(number, '', source)}.to({triton_type(target)})")

    # -- statements ---------------------------------------------------------------------------------------------------

    def _declared(self, text: str) -> str:
        self._names += 1
        name = f"t{self._names}"
        self.lines.append(f"{self._indent}{name} = {text}")
        return name

    def variable(self, x: Value) -> Value:
        """Declare a variable with a value, which :meth:`assign` changes."""
        return Value(self, self._declared(_block(x)), x.dtype)

    def assign(self, target: Value, x: Value) -> None:
        """Give a variable another value."""
        self.lines.append(f"{self._indent}{target.code} = {x.code}")

    @contextmanager
    def loop(self, length: str) -> Iterator[None]:
        """Repeat the statements that are written within."""
        self.lines.append(f"{self._indent}for _ in tl.range(0, {length}):")
        self._indent += "    "
        yield
        self._indent = self._indent[4:]


def triton_type(dtype: DType) -> str:
    """Return Triton's type of a dtype as source."""
    return "tl.int1" if dtype.kind == "b" else f"tl.{dtype.name}"


def _typed(code: str, other: str, dtype: DType) -> str:
    """Return an operand; a number next to no variable gets its dtype."""
    return code if _is_name(code) or _is_name(other) else f"tl.full((), {code}, {triton_type(dtype)})"


def _is_name(code: str) -> bool:
    return code[:1] in ("t", "x")


def _block(x: Value) -> str:
    """Return a value as a block of the operands' shape."""
    return str(x.code) if _is_name(x.code) else f"tl.full(x0.shape, {x.code}, {triton_type(x.dtype)})"


# -- functions ----------------------------------------------------------------------------------------------------


def _floor_divide(a: Value, b: Value) -> Value:
    if a.kind != "f":
        return arithmetic.floor_divide(a, b)
    return arithmetic.standard_quotient(a, b, arithmetic.quotient_from(a, b, arithmetic.fmod(a, b)))


def _power(x: Value, y: Value) -> Value:
    return power(x, y) if x.kind == "f" else arithmetic.integer_power(x, y)


def _silu(x: Value) -> Value:
    # Not as the shared formula, which needs exponential functions that are not rounded: libdevice's takes less time.
    return _zero_at_minus_infinity(x, x * sigmoid(x))


def _gelu_tanh(x: Value) -> Value:
    inner = (x + x * x * x * 0.044715) * 0.7978845608028654
    return _zero_at_minus_infinity(x, x * 0.5 * (tanh(inner) + 1.0))


def _zero_at_minus_infinity(x: Value, result: Value) -> Value:
    return select(x == float("-inf"), constant(x.builder, -0.0, x.dtype), result)


FORMULAS: dict[str, Formula] = {
    **formulas.FORMULAS,
    "conj": Formula(arithmetic.identity, "iuf"),
    "floor_divide": Formula(_floor_divide, "iuf"),
    "identity": Formula(arithmetic.identity, "biuf"),
    # bfloat16 numbers are held in float32.
    "nextafter_bfloat16": Formula(lambda x, y: arithmetic.nextafter(x, y, 2**16)),
    "nn.gelu_tanh": Formula(_gelu_tanh),
    "nn.silu": Formula(_silu),
    "nn.swiglu": Formula(lambda gate, x: _silu(gate) * x),
    "pow": Formula(_power, "iuf"),
    "round": Formula(arithmetic.to_integer(rint), "biuf"),
}
"""The shared formulas, and some of kernels' own."""


@cache
def device_function(name: str, computed_in: tuple[Any, ...]) -> Any:
    """Return the device function of an operation for operands of some compute dtypes, of Triton; ``int1`` is a bool."""
    builder = TritonBuilder()
    dtypes = [NUMPY_DTYPES[dtype] for dtype in computed_in]
    letters = [f"x{number}" for number in range(len(dtypes))]
    operands = [Value(builder, letter, dtype) for letter, dtype in zip(letters, dtypes, strict=True)]
    operands = [
        Value(builder, builder.compare("!=", x.dtype, x.code, "0"), x.dtype) if x.kind == "b" else x for x in operands
    ]
    if len({x.kind for x in operands}) > 1 and name != "where":
        result = arithmetic.compare_mixed(name, *operands)
    else:
        result = FORMULAS[name].function(*operands)
    label = "_".join((name.replace(".", "_"), *[dtype.name for dtype in dtypes]))
    lines = [f"def {label}({', '.join(letters)}):", *builder.lines, f"return {_block(result)}"]
    source = "@jit\n" + "\n    ".join(lines) + "\n"
    return jit_function(label, source, {"libdevice": libdevice, "library": _library})


def jit_function(name: str, source: str, names: dict[str, Any]) -> Any:
    """Return a function of a source that Triton compiles. Triton reads the source of one through ``linecache``."""
    file = f"<{name}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    # As the other kernels of this process, it is compiled or interpreted.
    module = {"__name__": __name__, "jit": type(_library.sqrt), "tl": tl, **names}
    exec(compile(source, file, "exec"), module)
    return module[name]
