"""Elementwise functions on each device, against NumPy and the standard's text.

Each function is a line of a table: the kinds of dtypes that the standard defines it for, how exact it has to be, and
what NumPy gets wrong. A new function is a new line.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    broadcastable,
    defined_on,
    dtype_pairs,
    dtypes,
    dtypes_of,
    elements,
    expect,
    few,
    made,
    operands,
    outcome,
    promotes,
    quiet,
    values_of,
)

import xtensor as xp


@dataclass(frozen=True)
class Function:
    """A function and what it is held to.

    ``kinds`` are the letters of the dtypes that the standard defines it for. With ``ulp`` 0 it is exact; otherwise its
    reference is computed in a wider precision. ``bound`` limits the finite magnitudes tried, ``plain`` names the kinds
    tried without NaN and infinities. ``signs`` names the kinds whose zeros' signs the standard settles.
    """

    kinds: str
    ulp: float = 0
    reference: Callable[..., Any] | None = None
    complex_ulp: float | None = None
    bound: float | None = None
    complex_bound: float | None = 1e3
    plain: str = ""
    signs: str = "fc"
    second: Callable[[Any], st.SearchStrategy[Any]] | None = None

    def limits(self, dtype: Any) -> dict[str, Any]:
        bound = self.complex_bound if dtype.kind == "c" else self.bound
        return {"bound": bound, "special": dtype.kind not in self.plain}


def expm1(x: Any) -> Any:
    """The standard's: near zero without cancellation; with an infinite real part as its special cases say."""
    if x.dtype.kind != "c":
        return np.expm1(x)
    a, b = x.real, x.imag
    result = np.empty_like(x)
    result.real = np.expm1(a) * np.cos(b) - 2 * np.sin(b / 2) ** 2
    result.imag = np.where(b == 0, b, np.exp(a) * np.sin(b))
    result.real = np.where(a == -np.inf, -1.0, result.real)
    result.imag = np.where((a == -np.inf) & ~np.isfinite(b), 0.0, result.imag)
    result.real = np.where((a == np.inf) & ~np.isfinite(b), np.inf, result.real)
    result.real = np.where(x == 0, 0.0, result.real)
    return result


def tanh(x: Any) -> Any:
    """The standard's: ±1 with an imaginary zero where the real part is infinite."""
    result = np.asarray(np.tanh(x))
    if x.dtype.kind == "c":
        saturated = np.isinf(x.real)
        result.real = np.where(saturated, np.sign(x.real), result.real)
        result.imag = np.where(saturated, np.copysign(0, x.imag), result.imag)
    return result


def floor_divide(x1: Any, x2: Any) -> Any:
    """The standard's: the floor of the quotient where an operand is infinite, where NumPy follows Python's ``//``."""
    result = np.floor_divide(x1, x2)
    if result.dtype.kind == "f":
        result = np.where(np.isinf(x1) | np.isinf(x2), np.floor(np.divide(x1, x2)), result).astype(result.dtype)
    return result


def rounded(x: Any) -> Any:
    return np.round(x) if x.dtype.kind in "fc" else x


UNARY: dict[str, Function] = {
    "abs": Function("iufc", ulp=2),
    "acos": Function("fc", ulp=4),
    "acosh": Function("fc", ulp=4),
    "asin": Function("fc", ulp=4),
    "asinh": Function("fc", ulp=4),
    "atan": Function("fc", ulp=4),
    "atanh": Function("fc", ulp=4),
    "bitwise_invert": Function("biu"),
    "ceil": Function("iuf"),
    "conj": Function("iufc"),
    "cos": Function("fc", ulp=4, bound=1e4, complex_bound=50.0),
    "cosh": Function("fc", ulp=4, complex_bound=50.0),
    "exp": Function("fc", ulp=4, complex_bound=50.0),
    "expm1": Function("fc", ulp=4, reference=expm1, complex_bound=50.0),
    "floor": Function("iuf"),
    "imag": Function("c"),
    "isfinite": Function("iufc"),
    "isinf": Function("iufc"),
    "isnan": Function("iufc"),
    "log": Function("fc", ulp=4),
    "log10": Function("fc", ulp=4),
    "log1p": Function("fc", ulp=4),
    "log2": Function("fc", ulp=4),
    "logical_not": Function("b"),
    "negative": Function("iufc"),
    "positive": Function("iufc"),
    "real": Function("iufc"),
    "reciprocal": Function("fc", ulp=2, plain="c"),
    "round": Function("iufc", reference=rounded),
    "sign": Function("iufc", ulp=2, plain="c", signs=""),
    "signbit": Function("f"),
    "sin": Function("fc", ulp=4, bound=1e4, complex_bound=50.0),
    "sinh": Function("fc", ulp=4, complex_bound=50.0),
    "sqrt": Function("fc", ulp=4),
    "square": Function("iufc", ulp=2, plain="c", signs="f"),
    "tan": Function("fc", ulp=4, bound=1e4, complex_bound=50.0),
    "tanh": Function("fc", ulp=4, reference=tanh, complex_bound=50.0),
    "trunc": Function("iuf"),
}

EXACT_ON_REALS = frozenset(("abs", "add", "divide", "multiply", "reciprocal", "sign", "sqrt", "square", "subtract"))
"""Functions that IEEE 754 rounds correctly, or that do not round, on real numbers; complex ones may differ a little."""


def divisors(dtype: Any) -> st.SearchStrategy[Any]:
    """Integers other than 0, by which nothing is divided, and -1, by which the least integer is not."""
    if dtype.kind == "b":
        return st.just(True)
    if dtype.kind in "iu":
        return elements(dtype).filter(lambda value: value not in (0, -1))
    return elements(dtype)


def places(dtype: Any) -> st.SearchStrategy[int]:
    """Shifts that every integer dtype is wide enough for."""
    return st.booleans() if dtype.kind == "b" else st.integers(0, 7)


def exponents(dtype: Any) -> st.SearchStrategy[Any]:
    if dtype.kind in "iu":
        return st.integers(0, 6)
    return elements(dtype, bound=2.0, special=False) if dtype.kind == "c" else elements(dtype)


BINARY: dict[str, Function] = {
    "add": Function("iufc"),
    "atan2": Function("f", ulp=4),
    "bitwise_and": Function("biu"),
    "bitwise_left_shift": Function("iu", second=places),
    "bitwise_or": Function("biu"),
    "bitwise_right_shift": Function("iu", second=places),
    "bitwise_xor": Function("biu"),
    "copysign": Function("f"),
    "divide": Function("fc", ulp=4, plain="c", signs="f"),
    "equal": Function("biufc"),
    "floor_divide": Function("iuf", reference=floor_divide, second=divisors),
    "greater": Function("iuf"),
    "greater_equal": Function("iuf"),
    "hypot": Function("f", ulp=4),
    "less": Function("iuf"),
    "less_equal": Function("iuf"),
    "logaddexp": Function("f", ulp=4),
    "logical_and": Function("b"),
    "logical_or": Function("b"),
    "logical_xor": Function("b"),
    "maximum": Function("iuf", signs=""),
    "minimum": Function("iuf", signs=""),
    "multiply": Function("iufc", ulp=4, plain="c", signs="f"),
    "nextafter": Function("f"),
    "not_equal": Function("biufc"),
    "pow": Function("iufc", ulp=4, complex_ulp=64, plain="c", second=exponents, complex_bound=4.0, signs="f"),
    "remainder": Function("iuf", second=divisors),
    "subtract": Function("iufc"),
}

OTHERS = frozenset(("clip",))
"""Elementwise functions that take more than operands; they have tests of their own."""


def numpy_function(name: str, entry: Function) -> Callable[..., Any]:
    return entry.reference or getattr(np, name)


def is_exact(name: str, entry: Function, kind: str) -> bool:
    return not entry.ulp or kind in "biu" or (kind == "f" and name in EXACT_ON_REALS)


def wide(x: Any, dtype: Any) -> Any:
    """An operand in a wider dtype than the one the function is computed in, rounded to that one first."""
    wider = {"f4": "f8", "f8": "longdouble", "c8": "c16", "c16": "clongdouble"}
    return np.asarray(x, dtype).astype(wider[dtype.str[1:]])


def check_function(name: str, entry: Function, hosts: list[Any], arrays: list[Any]) -> None:
    """One call on the device against the reference; where NumPy refuses the dtypes, so does the device."""
    reference = numpy_function(name, entry)
    native = outcome(reference, *hosts)
    if isinstance(native, type):
        with pytest.raises(native):
            getattr(xp, name)(*arrays)
        return
    native = np.asarray(native)
    if native.dtype not in arrays[0].device.dtypes:
        return
    with quiet():
        result = getattr(xp, name)(*arrays)
    computed = np.result_type(*hosts, native) if hosts[0].dtype.kind in "biu" else np.result_type(*hosts)
    if is_exact(name, entry, computed.kind) or computed.itemsize < 4:
        # NumPy's float16 comes from small integers alone; its own rounding is all there is to compare with.
        expect(
            result,
            native,
            signs=computed.kind in entry.signs,
            ulp=4 if entry.ulp and computed.kind == "f" and computed.itemsize < 4 else 0,
        )
        return
    with quiet():
        expected = reference(*(wide(host, computed) for host in hosts))
    atol = 4 * float(np.finfo(computed).eps) if name == "log1p" and computed.kind == "c" else 0.0
    ulp = entry.complex_ulp or entry.ulp if computed.kind == "c" else entry.ulp
    expect(result, expected, dtype=native.dtype, ulp=ulp, signs=computed.kind in entry.signs, atol=atol)


@pytest.mark.parametrize("name", UNARY)
@given(data=st.data())
def test_function_of_one_array_gives_what_the_standard_and_numpy_give(device, name, data):
    entry = UNARY[name]
    dtype = data.draw(dtypes(device, entry.kinds))
    x = data.draw(operands(dtype, **entry.limits(dtype)))
    check_function(name, entry, [x.host], [x.array])


@pytest.mark.parametrize("name", UNARY)
def test_function_of_one_array_treats_other_kinds_as_numpy(device, name):
    entry = UNARY[name]
    for dtype in dtypes_of(device):
        x = made([1, 0, 1], dtype)
        if dtype.kind in entry.kinds:
            continue
        if defined_on(device):
            with pytest.raises(TypeError):
                getattr(xp, name)(x.array)
        else:
            check_function(name, entry, [x.host], [x.array])


@pytest.mark.parametrize("name", UNARY)
def test_function_of_one_array_gives_a_new_array(device, name):
    entry = UNARY[name]
    x = made([1, 0, 1], dtypes_of(device, entry.kinds)[0])
    with quiet():
        result = getattr(xp, name)(x.array)
    assert result is not x.array


@pytest.mark.parametrize("name", BINARY)
@given(data=st.data())
def test_function_of_two_arrays_gives_what_the_standard_and_numpy_give(device, name, data):
    entry = BINARY[name]
    dtype1, dtype2 = data.draw(dtype_pairs(device, entry.kinds))
    x1, x2 = drawn_pair(data, entry, dtype1, dtype2, data.draw(broadcastable(2)))
    check_function(name, entry, [x1.host, x2.host], [x1.array, x2.array])


def drawn_pair(data: Any, entry: Function, dtype1: Any, dtype2: Any, shapes: Any) -> tuple[Any, Any]:
    common = np.result_type(dtype1, dtype2)
    limits = entry.limits(common)
    x1 = data.draw(operands(dtype1, shapes[0], **limits))
    # A real operand beside a complex one is held to the complex bound: what is beyond it has no defined result.
    values = None if entry.second is None or common.kind != dtype2.kind == "f" else entry.second(dtype2)
    x2 = data.draw(operands(dtype2, shapes[1], values, **limits))
    return x1, x2


@pytest.mark.parametrize("name", BINARY)
@few
@given(data=st.data())
def test_operands_are_left_as_they_were(device, name, data):
    entry = BINARY[name]
    dtype = data.draw(dtypes(device, entry.kinds))
    x1, x2 = drawn_pair(data, entry, dtype, dtype, ((2, 2), (2, 2)))
    with quiet():
        getattr(xp, name)(x1.array, x2.array)
    expect(x1.array, x1.host)
    expect(x2.array, x2.host)


@pytest.mark.parametrize("name", BINARY)
@few
@given(data=st.data())
def test_python_scalar_takes_the_dtype_of_the_array(device, name, data):
    entry = BINARY[name]
    dtype = data.draw(dtypes(device, entry.kinds))
    x = data.draw(operands(dtype, **entry.limits(dtype)))
    # A scalar exact in every float dtype, and within every integer dtype.
    limits = entry.limits(dtype)
    kind = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[dtype.kind]
    values = elements(dtype, **limits) if entry.second is None else entry.second(dtype)
    scalar = kind(data.draw(values))
    check_function(name, entry, [x.host, np.asarray(scalar, dtype)], [x.array, scalar])


SYMBOLS: dict[str, tuple[Callable[..., Any], Callable[..., Any] | None]] = {
    "add": (operator.add, operator.iadd),
    "bitwise_and": (operator.and_, operator.iand),
    "bitwise_left_shift": (operator.lshift, operator.ilshift),
    "bitwise_or": (operator.or_, operator.ior),
    "bitwise_right_shift": (operator.rshift, operator.irshift),
    "bitwise_xor": (operator.xor, operator.ixor),
    "divide": (operator.truediv, operator.itruediv),
    "equal": (operator.eq, None),
    "floor_divide": (operator.floordiv, operator.ifloordiv),
    "greater": (operator.gt, None),
    "greater_equal": (operator.ge, None),
    "less": (operator.lt, None),
    "less_equal": (operator.le, None),
    "multiply": (operator.mul, operator.imul),
    "not_equal": (operator.ne, None),
    "pow": (operator.pow, operator.ipow),
    "remainder": (operator.mod, operator.imod),
    "subtract": (operator.sub, operator.isub),
}
"""Functions that have an operator, and its in-place form."""


@pytest.mark.parametrize("name", SYMBOLS)
@few
@given(data=st.data())
def test_operator_is_the_function(device, name, data):
    entry = BINARY[name]
    dtype1, dtype2 = data.draw(dtype_pairs(device, entry.kinds).filter(lambda pair: promotes(*pair)))
    x1, x2 = drawn_pair(data, entry, dtype1, dtype2, data.draw(broadcastable(2)))
    with quiet():
        expected = getattr(xp, name)(x1.array, x2.array)
        result = SYMBOLS[name][0](x1.array, x2.array)
    expect(result, values_of(expected))


@pytest.mark.parametrize("name", SYMBOLS)
@few
@given(data=st.data())
def test_reflected_operator_is_the_function_of_the_scalar_and_the_array(device, name, data):
    entry = BINARY[name]
    dtype = data.draw(dtypes(device, entry.kinds))
    values = elements(dtype, **entry.limits(dtype)) if entry.second is None else entry.second(dtype)
    x = data.draw(operands(dtype, values=values, **entry.limits(dtype)))
    kind = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[dtype.kind]
    scalar = kind(data.draw(values))
    with quiet():
        result = SYMBOLS[name][0](scalar, x.array)
        expected = getattr(xp, name)(scalar, x.array)
    expect(result, values_of(expected))


@pytest.mark.parametrize("name", [name for name, forms in SYMBOLS.items() if forms[1] is not None])
@few
@given(data=st.data())
def test_inplace_operator_writes_what_the_function_gives(device, name, data):
    entry = BINARY[name]
    dtype = data.draw(dtypes(device, entry.kinds))
    shape = data.draw(broadcastable(2).map(lambda shapes: np.broadcast_shapes(*shapes)))
    x1 = data.draw(operands(dtype, shape, layouts=("plain", "strided", "reversed", "part"), **entry.limits(dtype)))
    values = None if entry.second is None else entry.second(dtype)
    x2 = data.draw(operands(dtype, shape, values, **entry.limits(dtype)))
    before = x1.array
    with quiet():
        expected = getattr(xp, name)(x1.array, x2.array)
        after = SYMBOLS[name][1](x1.array, x2.array)
    assert after is before
    expect(after, values_of(expected))


@few
@given(data=st.data())
def test_inplace_operator_writes_into_the_memory_of_a_view(device, data):
    whole = data.draw(operands(dtypes(device, "iuf"), (6,), layouts=("plain",)))
    expected = whole.host.copy()
    part = whole.array[1:5:2]
    with quiet():
        part += 1
        expected[1:5:2] += 1
    expect(whole.array, expected)


UNARY_SYMBOLS = {
    "abs": operator.abs,
    "bitwise_invert": operator.invert,
    "negative": operator.neg,
    "positive": operator.pos,
}


@pytest.mark.parametrize("name", UNARY_SYMBOLS)
@few
@given(data=st.data())
def test_unary_operator_is_the_function(device, name, data):
    entry = UNARY[name]
    x = data.draw(operands(dtypes(device, entry.kinds)))
    with quiet():
        expect(UNARY_SYMBOLS[name](x.array), values_of(getattr(xp, name)(x.array)))


def clipped(x: Any, lower: Any, upper: Any) -> Any:
    """NumPy's clip; a NaN among bounds or elements wins."""
    return np.clip(x, lower, upper)


@given(data=st.data())
def test_clip_keeps_between_array_bounds(device, data):
    dtype = data.draw(dtypes(device, "iuf"))
    shapes = data.draw(broadcastable(3))
    x, lower, upper = (data.draw(operands(dtype, shape)) for shape in shapes)
    with quiet():
        least = np.minimum(lower.host, upper.host)
        result = xp.clip(x.array, xp.minimum(lower.array, upper.array), upper.array)
        expect(result, clipped(x.host, least, upper.host), signs=False)


@pytest.mark.parametrize("which", ["min", "max", "both", "none"])
@few
@given(data=st.data())
def test_clip_keeps_between_scalar_bounds(device, which, data):
    dtype = data.draw(dtypes(device, "iuf"))
    x = data.draw(operands(dtype))
    kind = float if dtype.kind == "f" else int
    lower, upper = sorted(kind(data.draw(elements(dtype, special=False))) for _ in range(2))
    bounds = {"min": lower} if which == "min" else {"max": upper} if which == "max" else {}
    bounds = {"min": lower, "max": upper} if which == "both" else bounds
    result = xp.clip(x.array, **bounds)
    expected = clipped(x.host, bounds.get("min"), bounds.get("max")) if bounds else x.host
    expect(result, expected, dtype=dtype, signs=False)


@pytest.mark.parametrize("bounds", [(-1000, 1000), (-1000, None), (None, 1000)], ids=str)
def test_clip_by_a_bound_beyond_the_dtype_is_no_bound(device, bounds):
    x = made([-128, 0, 127], np.int8)
    expect(xp.clip(x.array, *bounds), x.host)


@few
@given(data=st.data())
def test_clip_without_bounds_is_a_copy(device, data):
    x = data.draw(operands(dtypes(device, "iuf"), (3,), layouts=("plain",)))
    result = xp.clip(x.array)
    x.array[...] = 0
    expect(result, x.host)


@pytest.mark.parametrize("name", ["add", "multiply", "equal", "maximum"])
@few
@given(data=st.data())
def test_numpy_scalar_joins_an_array_with_its_own_dtype(device, name, data):
    entry = BINARY[name]
    dtype1, dtype2 = data.draw(dtype_pairs(device, entry.kinds))
    x = data.draw(operands(dtype1, special=False, bound=8.0))
    scalar = data.draw(elements(dtype2, special=False, bound=8.0).map(dtype2.type))
    check_function(name, entry, [x.host, np.asarray(scalar)], [x.array, scalar])


@pytest.mark.parametrize("name", BINARY)
def test_function_of_two_arrays_promotes_as_the_standard_defines(device, name):
    entry = BINARY[name]
    for dtype1 in dtypes_of(device, entry.kinds):
        for dtype2 in dtypes_of(device, entry.kinds):
            if not promotes(dtype1, dtype2) or np.result_type(dtype1, dtype2) not in device.dtypes:
                continue
            result = getattr(xp, name)(xp.ones(2, dtype=dtype1), xp.ones(2, dtype=dtype2))
            logical = name in ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
            expected = xp.bool if logical else np.result_type(dtype1, dtype2)
            assert result.dtype == expected, f"{dtype1} and {dtype2} gave {result.dtype}"


COMPLEX_INFINITIES = [
    complex(a, b)
    for a in (0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan)
    for b in (0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan)
]


@pytest.mark.parametrize(
    "name", [name for name, entry in UNARY.items() if "c" in entry.kinds and "c" not in entry.plain]
)
def test_function_of_special_complex_numbers(device, name):
    dtype = dtypes_of(device, "c")[-1]
    entry = UNARY[name]
    # Of 0 + inf j and 0 + nan j, the standard lets tanh give what old C libraries give.
    left_open = [z for z in COMPLEX_INFINITIES if name == "tanh" and z.real == 0 and not np.isfinite(z.imag)]
    x = made([z for z in COMPLEX_INFINITIES if z not in left_open], dtype)
    check_function(name, entry, [x.host], [x.array])


REALS = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("name", [name for name, entry in BINARY.items() if "f" in entry.kinds])
def test_function_of_every_pair_of_special_real_numbers(device, name):
    for dtype in dtypes_of(device, "f"):
        x1, x2 = made(np.repeat(REALS, len(REALS)), dtype), made(np.tile(REALS, len(REALS)), dtype)
        check_function(name, BINARY[name], [x1.host, x2.host], [x1.array, x2.array])


@pytest.mark.parametrize("name", [name for name, entry in UNARY.items() if "f" in entry.kinds])
def test_function_of_special_real_numbers(device, name):
    for dtype in dtypes_of(device, "f"):
        x = made(REALS, dtype)
        check_function(name, UNARY[name], [x.host], [x.array])


def test_every_elementwise_function_is_in_a_table():
    from xtensor.backend import TABLE

    public = {name for name, row in TABLE.items() if row.kind == "elementwise" and name in xp.__all__}
    assert {*UNARY, *BINARY, *OTHERS} == public - {"where"}
