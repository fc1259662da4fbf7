"""Elementwise functions on each device, against values that NumPy's functions do not compute in the same precision.

Each function is an entry of a table: the kinds of dtypes that the standard defines it for, its value in terms of Python
numbers, and the error that it may have. Exact results are compared with the values of Python's own arithmetic; rounded
results with NumPy's function in a wider precision, and with ``math`` and ``cmath`` at zeros, infinities and NaN.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from assignment_cases import IMMUTABLE
from hypothesis import assume, given
from hypothesis import strategies as st
from python_values import (
    Scalar,
    floored_quotient,
    from_math,
    integral,
    inverted,
    larger,
    log_of_sum,
    neighbour,
    power,
    quotient,
    remainder,
    scalar_values,
    sign,
    smaller,
)
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
    """An elementwise function and the accuracy required of it.

    ``kinds`` are the letters of the dtypes that the standard defines it for, ``scalar`` is its value for Python
    numbers, and ``ulp`` the error allowed (0: exact). ``bound`` limits the finite magnitudes drawn; kinds in ``finite``
    are drawn without NaN and infinities. ``signs`` names the kinds for which the signs of zeros are compared.
    ``wide`` is the NumPy function evaluated in a wider precision, where it is not the one of the same name.
    """

    kinds: str
    scalar: Scalar
    ulp: float = 0
    wide: Callable[..., Any] | None = None
    complex_ulp: float | None = None
    bound: float | None = None
    complex_bound: float | None = 1e3
    finite: str = ""
    signs: str = "fc"
    second: Callable[[Any], st.SearchStrategy[Any]] | None = None

    def limits(self, dtype: Any) -> dict[str, Any]:
        bound = self.complex_bound if dtype.kind == "c" else self.bound
        return {"bound": bound, "special": dtype.kind not in self.finite}


def expm1(x: Any) -> Any:
    """exp(x) - 1; the real part of a complex number within the unit circle comes from the power series."""
    if x.dtype.kind != "c":
        return np.expm1(x)
    series = np.zeros_like(x)
    for n in range(30, 0, -1):
        series = (series + 1) * x / n
    result = np.array(np.exp(x))  # Its imaginary part is the answer's, the sign of a zero included.
    result.real = np.where(np.abs(x) < 1, series.real, result.real - 1)
    return result


inf, nan = math.inf, math.nan

LOG_POLE = {0.0: -inf}

UNARY: dict[str, Function] = {
    "abs": Function("iufc", abs, ulp=2),
    "acos": Function("fc", from_math("acos"), ulp=4),
    "acosh": Function("fc", from_math("acosh"), ulp=4),
    "asin": Function("fc", from_math("asin"), ulp=4),
    "asinh": Function("fc", from_math("asinh"), ulp=4),
    "atan": Function("fc", from_math("atan"), ulp=4),
    "atanh": Function("fc", from_math("atanh", {1.0: inf, -1.0: -inf}), ulp=4),
    "bitwise_invert": Function("biu", inverted),
    "ceil": Function("iuf", integral(math.ceil)),
    "conj": Function("iufc", lambda x: x.conjugate()),
    "cos": Function("fc", from_math("cos"), ulp=4, bound=1e4, complex_bound=50.0),
    "cosh": Function("fc", from_math("cosh"), ulp=4, complex_bound=50.0),
    "exp": Function("fc", from_math("exp"), ulp=4, complex_bound=50.0),
    "expm1": Function("fc", from_math("expm1"), ulp=4, wide=expm1, complex_bound=50.0),
    "floor": Function("iuf", integral(math.floor)),
    "imag": Function("c", lambda x: x.imag),
    "isfinite": Function("iufc", cmath.isfinite),
    "isinf": Function("iufc", cmath.isinf),
    "isnan": Function("iufc", cmath.isnan),
    "log": Function("fc", from_math("log", LOG_POLE), ulp=4),
    "log10": Function("fc", from_math("log10", LOG_POLE), ulp=4),
    "log1p": Function("fc", from_math("log1p", {-1.0: -inf}), ulp=4),
    "log2": Function("fc", from_math("log2", LOG_POLE), ulp=4),
    "logical_not": Function("b", operator.not_),
    "negative": Function("iufc", operator.neg),
    "positive": Function("iufc", operator.pos),
    "real": Function("iufc", lambda x: x.real),
    "reciprocal": Function("fc", lambda x: quotient(1.0, x), ulp=2, finite="c"),
    "round": Function("iufc", integral(round)),
    "sign": Function("iufc", sign, ulp=2, finite="c", signs=""),
    "signbit": Function("f", lambda x: math.copysign(1, x) < 0),
    "sin": Function("fc", from_math("sin"), ulp=4, bound=1e4, complex_bound=50.0),
    "sinh": Function("fc", from_math("sinh"), ulp=4, complex_bound=50.0),
    "sqrt": Function("fc", from_math("sqrt"), ulp=4),
    "square": Function("iufc", lambda x: x * x, ulp=2, finite="c", signs="f"),
    # The special complex numbers compare the signs of zeros; C libraries disagree where the imaginary part is infinite.
    "tan": Function("fc", from_math("tan"), ulp=4, bound=1e4, complex_bound=50.0, signs="f"),
    "tanh": Function("fc", from_math("tanh"), ulp=4, complex_bound=50.0),
    "trunc": Function("iuf", integral(math.trunc)),
}

CORRECTLY_ROUNDED = frozenset(("abs", "add", "divide", "multiply", "reciprocal", "sign", "sqrt", "square", "subtract"))
"""Functions of real numbers that IEEE 754 rounds correctly, or that need no rounding; complex results may differ."""


def divisors(dtype: Any) -> st.SearchStrategy[Any]:
    """Values other than the integers 0, which no integer is divided by, and -1, which overflows the minimum."""
    if dtype.kind == "b":
        return st.just(True)
    if dtype.kind in "iu":
        return elements(dtype).filter(lambda value: value not in (0, -1))
    return elements(dtype)


def shift_distances(dtype: Any) -> st.SearchStrategy[int]:
    """Distances within the width of every integer dtype."""
    return st.booleans() if dtype.kind == "b" else st.integers(0, 7)


def exponents(dtype: Any) -> st.SearchStrategy[Any]:
    if dtype.kind in "iu":
        return st.integers(0, 6)
    return elements(dtype, bound=2.0, special=False) if dtype.kind == "c" else elements(dtype)


BINARY: dict[str, Function] = {
    "add": Function("iufc", operator.add),
    "atan2": Function("f", math.atan2, ulp=4),
    "bitwise_and": Function("biu", operator.and_),
    "bitwise_left_shift": Function("iu", operator.lshift, second=shift_distances),
    "bitwise_or": Function("biu", operator.or_),
    "bitwise_right_shift": Function("iu", operator.rshift, second=shift_distances),
    "bitwise_xor": Function("biu", operator.xor),
    "copysign": Function("f", math.copysign),
    "divide": Function("fc", quotient, ulp=4, finite="c", signs="f"),
    "equal": Function("biufc", operator.eq),
    "floor_divide": Function("iuf", floored_quotient, second=divisors),
    "greater": Function("iuf", operator.gt),
    "greater_equal": Function("iuf", operator.ge),
    "hypot": Function("f", math.hypot, ulp=4),
    "less": Function("iuf", operator.lt),
    "less_equal": Function("iuf", operator.le),
    "logaddexp": Function("f", log_of_sum, ulp=4),
    "logical_and": Function("b", lambda a, b: a and b),
    "logical_or": Function("b", lambda a, b: a or b),
    "logical_xor": Function("b", operator.ne),
    "maximum": Function("iuf", larger, signs=""),
    "minimum": Function("iuf", smaller, signs=""),
    "multiply": Function("iufc", operator.mul, ulp=4, finite="c", signs="f"),
    "nextafter": Function("f", neighbour),
    "not_equal": Function("biufc", operator.ne),
    "pow": Function("iufc", power, ulp=4, complex_ulp=64, finite="c", second=exponents, complex_bound=4.0, signs="f"),
    "remainder": Function("iuf", remainder, second=divisors),
    "subtract": Function("iufc", operator.sub),
}


# -- comparison --------------------------------------------------------------------------------------------------------

WIDER = {"f4": "f8", "f8": "longdouble", "c8": "c16", "c16": "clongdouble"}


def is_exact(name: str, entry: Function, kind: str) -> bool:
    return not entry.ulp or kind in "biu" or (kind == "f" and name in CORRECTLY_ROUNDED)


def rounded_values(entry: Function, function: Callable[..., Any], numbers: list[Any], all_scalar: bool) -> Any:
    """NumPy's values in a wider precision; those of Python numbers where an operand is special, or everywhere."""
    dtype = numbers[0].dtype
    with quiet():
        values = np.array(function(*(x.astype(WIDER[dtype.str[1:]]) for x in numbers)))
        if all_scalar or dtype.kind not in entry.finite:
            numbers = np.broadcast_arrays(*numbers)
            special = ~np.all(np.isfinite(numbers), axis=0) | all_scalar
            if len(numbers) == 1:
                special |= numbers[0] == 0
            python = np.dtype(complex if values.dtype.kind == "c" else float)
            values[special] = scalar_values(entry.scalar, [x[special] for x in numbers], python)
    return values


def check_function(
    name: str, entry: Function, hosts: list[Any], arrays: list[Any], *, all_scalar: bool = False
) -> None:
    """Compare a call with the expected values; dtypes that NumPy rejects must raise the same error.

    NumPy decides the dtype of the result. ``all_scalar`` takes every value from Python numbers.
    """
    function = entry.wide or getattr(np, name)
    native = outcome(function, *hosts)
    if isinstance(native, type):
        with pytest.raises(native):
            getattr(xp, name)(*arrays)
        return
    dtype = np.asarray(native).dtype
    if dtype not in arrays[0].device.dtypes:
        return
    with quiet():
        result = getattr(xp, name)(*arrays)
    integers = all(host.dtype.kind in "biu" for host in hosts)
    computed = np.result_type(*hosts, dtype) if integers else np.result_type(*hosts)
    # Comparisons of integers do not promote them: int64 and uint64 have no common integer dtype.
    numbers = hosts if integers and dtype.kind == "b" else [np.asarray(host, computed) for host in hosts]
    signs = computed.kind in entry.signs
    if is_exact(name, entry, computed.kind):
        with quiet():
            expected = scalar_values(entry.scalar, numbers, dtype)
        expect(result, expected, signs=signs)
        return
    expected = rounded_values(entry, function, numbers, all_scalar)
    # The real part of log1p cancels where 1 + x is near the unit circle.
    atol = 4 * float(np.finfo(computed).eps) if name == "log1p" and computed.kind == "c" else 0.0
    ulp = entry.complex_ulp or entry.ulp if computed.kind == "c" else entry.ulp
    expect(result, expected, dtype=dtype, ulp=ulp, signs=signs, atol=atol)


# -- functions of one array --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", UNARY)
@given(data=st.data())
def test_unary_function_has_the_expected_values(device, name, data):
    entry = UNARY[name]
    dtype = data.draw(dtypes(device, entry.kinds))
    x = data.draw(operands(dtype, **entry.limits(dtype)))
    if name == "reciprocal" and dtype.kind == "c":
        assume(x.host.all())  # NumPy's own reciprocal of 0 and its quotient 1 / 0 differ
    check_function(name, entry, [x.host], [x.array])


@pytest.mark.parametrize("name", UNARY)
def test_unary_function_follows_numpy_for_kinds_that_the_standard_does_not_specify(device, name):
    # NumPy's value is the requirement here; on NumPy's own device the test shows that nothing alters it.
    entry = UNARY[name]
    for dtype in dtypes_of(device):
        if dtype.kind in entry.kinds:
            continue
        # No integer is divided by 0.
        x = made([1, 2, 1] if name == "reciprocal" else [1, 0, 1], dtype)
        expected = x.host if name == "round" else outcome(getattr(np, name), x.host)
        if defined_on(device) or isinstance(expected, type):
            with pytest.raises(TypeError):
                getattr(xp, name)(x.array)
        elif expected.dtype in device.dtypes:
            with quiet():
                expect(getattr(xp, name)(x.array), expected, ulp=entry.ulp)


@pytest.mark.parametrize("name", [name for name in UNARY if name not in ("conj", "imag", "real")])
def test_unary_function_does_not_share_memory_with_its_operand(device, name):
    # The standard allows shared memory for conj and real. The last dtype: rounding integers may return the operand.
    x = made([1, 0, 1], dtypes_of(device, UNARY[name].kinds)[-1])
    with quiet():
        result = getattr(xp, name)(x.array)
    result[...] = xp.zeros_like(result)
    expect(x.array, x.host)


REALS = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, inf, -inf, nan, -nan]

PARTS = (0.0, -0.0, 1.0, -2.0, inf, -inf, nan)
COMPLEX_NUMBERS = [complex(a, b) for a in PARTS for b in PARTS]


@pytest.mark.parametrize("name", [name for name, entry in UNARY.items() if "f" in entry.kinds])
def test_unary_function_of_special_real_numbers(device, name):
    for dtype in dtypes_of(device, "f"):
        x = made(REALS, dtype)
        check_function(name, UNARY[name], [x.host], [x.array], all_scalar=True)


def has_an_unspecified_sign(name: str, z: complex) -> bool:
    """Whether the standard does not specify the sign of a zero in the result, or C libraries disagree on it (tan)."""
    if name == "tan":
        return math.isinf(z.imag)
    infinite = not (math.isfinite(z.real) or math.isfinite(z.imag))
    return infinite and name in ("atan", "exp", "expm1", "tanh")


@pytest.mark.parametrize("name", [n for n, entry in UNARY.items() if "c" in entry.kinds and "c" not in entry.finite])
def test_unary_function_of_special_complex_numbers(device, name):
    # For tanh(0 + inf j) and tanh(0 + NaN j) the standard also allows the result of older C libraries.
    numbers = [z for z in COMPLEX_NUMBERS if name != "tanh" or z.real or math.isfinite(z.imag)]
    for dtype in dtypes_of(device, "c"):
        for unsigned in (False, True):
            x = made([z for z in numbers if has_an_unspecified_sign(name, z) == unsigned], dtype)
            entry = replace(UNARY[name], signs="" if unsigned else "c")
            check_function(name, entry, [x.host], [x.array], all_scalar=True)


# -- functions of two operands -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BINARY)
@given(data=st.data())
def test_binary_function_has_the_expected_values(device, name, data):
    entry = BINARY[name]
    dtype1, dtype2 = data.draw(dtype_pairs(device, entry.kinds))
    x1, x2 = drawn_pair(data, entry, dtype1, dtype2, data.draw(broadcastable(2)))
    check_function(name, entry, [x1.host, x2.host], [x1.array, x2.array])


def drawn_pair(data: Any, entry: Function, dtype1: Any, dtype2: Any, shapes: Any) -> tuple[Any, Any]:
    common = np.result_type(dtype1, dtype2)
    limits = entry.limits(common)
    x1 = data.draw(operands(dtype1, shapes[0], **limits))
    # A real operand beside a complex one keeps to the complex bound, beyond which the result is not specified.
    values = None if entry.second is None or common.kind != dtype2.kind == "f" else entry.second(dtype2)
    x2 = data.draw(operands(dtype2, shapes[1], values, **limits))
    return x1, x2


@pytest.mark.parametrize("name", BINARY)
@few
@given(data=st.data())
def test_binary_function_does_not_change_its_operands(device, name, data):
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
"""Functions with an operator, and its in-place form."""


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
def test_reflected_operator_is_the_function_with_the_scalar_first(device, name, data):
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
def test_inplace_operator_writes_the_values_of_the_function(device, name, data):
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
        if device.backend not in IMMUTABLE:
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
    return larger(lower, smaller(x, upper))


@given(data=st.data())
def test_clip_to_array_bounds(device, data):
    dtype = data.draw(dtypes(device, "iuf"))
    x, lower, upper = (data.draw(operands(dtype, shape)) for shape in data.draw(broadcastable(3)))
    with quiet():
        least = np.minimum(lower.host, upper.host)
        result = xp.clip(x.array, xp.minimum(lower.array, upper.array), upper.array)
    expect(result, scalar_values(clipped, [x.host, least, upper.host], dtype), signs=False)


@pytest.mark.parametrize("which", ["min", "max", "both", "none"])
@few
@given(data=st.data())
def test_clip_to_scalar_bounds(device, which, data):
    dtype = data.draw(dtypes(device, "iuf"))
    x = data.draw(operands(dtype))
    kind = float if dtype.kind == "f" else int
    lower, upper = sorted(kind(data.draw(elements(dtype, special=False))) for _ in range(2))
    bounds = {name: bound for name, bound in (("min", lower), ("max", upper)) if which in (name, "both")}
    limits = {"min": -math.inf, "max": math.inf} | bounds
    expected = scalar_values(lambda value: clipped(value, limits["min"], limits["max"]), [x.host], dtype)
    expect(xp.clip(x.array, **bounds), expected, signs=False)


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ((-1000, 1000), [-128, 0, 127]),
        ((-1000, None), [-128, 0, 127]),
        ((None, 1000), [-128, 0, 127]),
        ((1000, None), [127, 127, 127]),
        ((None, -1000), [-128, -128, -128]),
    ],
    ids=str,
)
def test_clip_replaces_integer_bounds_out_of_range_by_the_limits_of_the_dtype(device, bounds, expected):
    expect(xp.clip(xp.asarray([-128, 0, 127], dtype=xp.int8), *bounds), np.array(expected, np.int8))


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
def test_numpy_scalar_promotes_with_its_dtype(device, name, data):
    entry = BINARY[name]
    dtype1, dtype2 = data.draw(dtype_pairs(device, entry.kinds))
    x = data.draw(operands(dtype1, special=False, bound=8.0))
    scalar = data.draw(elements(dtype2, special=False, bound=8.0).map(dtype2.type))
    check_function(name, entry, [x.host, np.asarray(scalar)], [x.array, scalar])


@pytest.mark.parametrize("name", BINARY)
def test_binary_function_promotes_as_the_standard_specifies(device, name):
    entry = BINARY[name]
    for dtype1 in dtypes_of(device, entry.kinds):
        for dtype2 in dtypes_of(device, entry.kinds):
            if not promotes(dtype1, dtype2) or np.result_type(dtype1, dtype2) not in device.dtypes:
                continue
            result = getattr(xp, name)(xp.ones(2, dtype=dtype1), xp.ones(2, dtype=dtype2))
            logical = name in ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
            expected = xp.bool if logical else np.result_type(dtype1, dtype2)
            assert result.dtype == expected, f"{dtype1} and {dtype2} gave {result.dtype}"


@pytest.mark.parametrize("name", [name for name, entry in BINARY.items() if "f" in entry.kinds])
def test_binary_function_of_every_pair_of_special_real_numbers(device, name):
    for dtype in dtypes_of(device, "f"):
        x1, x2 = made(np.repeat(REALS, len(REALS)), dtype), made(np.tile(REALS, len(REALS)), dtype)
        check_function(name, BINARY[name], [x1.host, x2.host], [x1.array, x2.array], all_scalar=True)


def test_copysign_sets_the_sign_bit_of_nan(device):
    signs = xp.asarray([1.0, -1.0, 0.0, -0.0, xp.inf, -xp.inf])
    expect(xp.signbit(xp.copysign(xp.nan, signs)), np.array([False, True, False, True, False, True]))


@pytest.mark.parametrize("exponent", [2, 2.0, 0.5, -1])
def test_square_root_and_reciprocal_are_rounded_exactly_as_powers_too(device, exponent):
    values = np.random.default_rng(0).uniform(0.5, 50.0, 1000)
    for dtype in (xp.float32, xp.float64):
        if dtype not in device.dtypes:
            continue
        x = xp.asarray(values.astype(dtype))
        expected = values.astype(dtype) ** exponent
        expect(x**exponent, expected)
        expect(xp.pow(x, exponent), expected)
        x **= exponent
        expect(x, expected)


def test_every_elementwise_function_is_in_a_table():
    from xtensor._ops import STANDARD
    from xtensor.backend import TABLE

    public = {
        name
        for name, row in TABLE.items()
        if row.kind == "elementwise" and name in {name for names in STANDARD.values() for name in names}
    }
    assert {*UNARY, *BINARY, "clip"} == public - {"where"}
