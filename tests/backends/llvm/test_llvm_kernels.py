"""Elementwise functions of large arrays: NumPy's values, errors and warnings, whatever the layout and the dtype."""

from __future__ import annotations

import importlib.util
import os
import random

import numpy as np
import pytest

import xtensor as xp

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

from llvm_kernels import COUNT, DTYPES, INTEGERS, LAYOUTS, by_kernel, laid_out, outcome, ulps, values
from stress.tiers import scale

import xtensor_backends.llvm
from xtensor_backends.llvm import _elementwise

EXACT_OF_ONE = {
    **dict.fromkeys(("abs", "positive", "negative", "square", "sign"), (*INTEGERS, "float32", "float64")),
    **dict.fromkeys(("isfinite", "isnan", "isinf"), ("float32", "float64")),
    "logical_not": DTYPES[1:],
    **dict.fromkeys(("floor", "ceil", "trunc", "round"), ("float32", "float64")),
    **dict.fromkeys(("sqrt", "reciprocal", "signbit"), ("float32", "float64")),
    "bitwise_invert": ("bool", *INTEGERS),
}
"""Functions whose results are NumPy's bit for bit, and the dtypes that kernels compute."""

EXACT_OF_TWO = {
    **dict.fromkeys(("add", "multiply", "maximum", "minimum"), DTYPES),
    **dict.fromkeys(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"), DTYPES),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), DTYPES[1:]),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), ("bool", *INTEGERS)),
    **dict.fromkeys(("divide", "copysign", "nextafter", "remainder"), ("float32", "float64")),
    "subtract": (*INTEGERS, "float32", "float64"),
}

ROUNDED = {
    **dict.fromkeys(
        ("sin", "cos", "tan", "atan", "tanh", "sinh", "cosh", "exp", "expm1", "asinh", "cbrt"), (-9.0, 9.0)
    ),
    **dict.fromkeys(("exp2",), (-20.0, 20.0)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-0.999, 0.999)),
    **dict.fromkeys(("log", "log2", "log10", "log1p"), (1e-3, 1e3)),
    "acosh": (1.0, 1e3),
}
"""Functions that are rounded, and the bounds of their operands."""

ROUNDED_OF_TWO = ("atan2", "hypot", "logaddexp", "logaddexp2")

RNG = np.random.default_rng


def cases(table):
    return [pytest.param(name, dtype, id=f"{name}-{dtype}") for name in table for dtype in table[name]]


def same(function, operands):
    """Whether a call on the device cpu has the outcome that it has on the device numpy."""
    expected, warned = outcome(function, operands, "numpy")
    result, found = outcome(function, operands, "cpu")
    assert found == warned
    if isinstance(expected, tuple):
        assert result == expected
    else:
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected, strict=True)
        if result.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(result)[result == 0], np.signbit(expected)[expected == 0])


@pytest.mark.parametrize(("name", "dtype"), cases(EXACT_OF_ONE))
def test_exact_function_of_one_operand_is_numpys_bit_for_bit(name, dtype):
    x = values(RNG(0), dtype, COUNT, special=False)
    if name == "sqrt":
        x = np.abs(x)
    result = by_kernel(getattr(xp, name), xp.asarray(x, device="cpu"))
    np.testing.assert_array_equal(np.asarray(result), getattr(np, name, np.invert)(x), strict=True)
    same(getattr(xp, name), [values(RNG(1), dtype, COUNT)])


@pytest.mark.parametrize(("name", "dtype"), cases(EXACT_OF_TWO))
def test_exact_function_of_two_operands_is_numpys_bit_for_bit(name, dtype):
    x, y = (values(RNG(seed), dtype, COUNT, special=False) for seed in (0, 1))
    result = by_kernel(getattr(xp, name), *(xp.asarray(a, device="cpu") for a in (x, y)))
    np.testing.assert_array_equal(np.asarray(result), getattr(np, name)(x, y), strict=True)
    same(getattr(xp, name), [values(RNG(seed), dtype, COUNT) for seed in (2, 3)])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ROUNDED)
def test_formula_of_one_operand_is_within_four_ulp(name, dtype):
    x = RNG(0).uniform(*ROUNDED[name], COUNT).astype(dtype)
    result = np.asarray(by_kernel(getattr(xp, name), xp.asarray(x, device="cpu")))
    assert result.dtype == dtype
    function = {"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}.get(name) or getattr(
        np, {"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}.get(name, name)
    )
    wide = np.float64 if dtype == "float32" else np.longdouble
    assert ulps(result, function(x.astype(wide))) <= 4.5


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ROUNDED_OF_TWO)
def test_formula_of_two_operands_is_within_four_ulp(name, dtype):
    x, y = (RNG(seed).normal(size=COUNT).astype(dtype) * 10 for seed in (0, 1))
    result = np.asarray(by_kernel(getattr(xp, name), *(xp.asarray(a, device="cpu") for a in (x, y))))
    wide = np.float64 if dtype == "float32" else np.longdouble
    exact = getattr(np, {"atan2": "arctan2"}.get(name, name))(x.astype(wide), y.astype(wide))
    if name.startswith("logaddexp"):  # near zero the sum's terms cancel, for NumPy's formula, too
        keep = np.abs(exact) > 1
        result, exact = result[keep], exact[keep]
    assert ulps(result, exact) <= 4.5


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ROUNDED)
def test_formula_has_numpys_special_values_and_warnings(name, dtype):
    x = values(RNG(0), dtype, COUNT)

    def function(a):
        return getattr(xp, name)(a)

    (expected, warned), (result, found) = (outcome(function, [x], device) for device in ("numpy", "cpu"))
    assert found == warned
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    np.testing.assert_array_equal(result[np.isinf(expected)], expected[np.isinf(expected)])
    np.testing.assert_array_equal(np.isinf(result), np.isinf(expected))
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(result[zero]), np.signbit(expected[zero]))


@pytest.mark.parametrize("layout1", LAYOUTS)
@pytest.mark.parametrize("layout2", LAYOUTS)
def test_layouts_of_operands_do_not_change_results(layout1, layout2):
    x, y = (
        laid_out(values(RNG(seed), "float64", (200, 250)), layout) for seed, layout in enumerate((layout1, layout2))
    )
    for name in ("add", "less", "maximum"):
        same(getattr(xp, name), [x, y])


@pytest.mark.parametrize(
    "layout", [layout for layout in LAYOUTS if layout not in ("unaligned", "one row", "one column")]
)
def test_kernels_compute_operands_of_every_layout(layout):
    x = xp.asarray(laid_out(values(RNG(0), "float64", (200, 250), special=False), layout), device="cpu", copy=False)
    result = by_kernel(xp.add, x, x)
    np.testing.assert_array_equal(np.asarray(result), np.asarray(x) * 2)


@pytest.mark.parametrize(
    "shapes", [((200, 2500), (2500,)), ((200, 1), (200, 2500)), ((5, 1, 100), (5, 1000, 1)), ((), (COUNT,))]
)
def test_operands_broadcast_both_ways(shapes):
    x, y = (values(RNG(seed), "float32", shape, special=False) for seed, shape in enumerate(shapes))
    same(xp.add, [x, y])
    same(xp.subtract, [y, x])


def test_operands_of_the_other_byte_order_are_converted():
    x = values(RNG(0), "float64", COUNT, special=False)
    swapped = x.astype(x.dtype.newbyteorder())
    result = xp.add(xp.asarray(x, device="cpu"), swapped)
    assert result.dtype.isnative
    np.testing.assert_array_equal(np.asarray(result), x + x)
    converted = xp.asarray(swapped, device="cpu")
    np.testing.assert_array_equal(np.asarray(by_kernel(xp.add, converted, converted)), x + x)


@pytest.mark.parametrize("dtype1", DTYPES)
@pytest.mark.parametrize("dtype2", DTYPES)
def test_mixed_dtypes_promote_as_numpys(dtype1, dtype2):
    x, y = (values(RNG(seed), dtype, COUNT) for seed, dtype in enumerate((dtype1, dtype2)))
    for name in ("add", "maximum", "less_equal", "equal"):
        same(getattr(xp, name), [x, y])


SCALARS = (True, 0, 3, -1, 127, 300, 2**31, 2**63, 2**70, 0.0, -0.0, 2.5, 1e39, 1e308, float("inf"), float("nan"), 2j)


@pytest.mark.parametrize("number", SCALARS, ids=repr)
@pytest.mark.parametrize("dtype", [*DTYPES, "float16", "complex64"])
def test_python_numbers_have_numpys_outcome(dtype, number):
    x = np.ones(COUNT, dtype) if np.dtype(dtype).kind in "c" or dtype == "float16" else values(RNG(0), dtype, COUNT)
    for name in ("add", "multiply", "less", "equal"):
        same(getattr(xp, name), [x, number])
        same(getattr(xp, name), [number, x])


@pytest.mark.parametrize("shape", [(), (0,), (1,), (0, COUNT), (COUNT, 0), (1, 1, 1), (COUNT, 1), (1, COUNT)])
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_shapes_without_and_with_one_element(dtype, shape):
    x = np.ones(shape, dtype)
    for function in (xp.add, xp.maximum, xp.equal):
        same(function, [x, x])
    same(xp.negative, [x])
    same(xp.sqrt, [x.astype("float64")])


WARNING_CALLS = {
    "overflow of a product": (lambda a: xp.multiply(a, a), [1.0, 1e308]),
    "invalid difference": (lambda a: xp.subtract(a, a), [1.0, np.inf]),
    "division by zero": (lambda a: xp.divide(a, a * 0 + xp.asarray(0.0, device=a.device)), [1.0, 2.0]),
    "root of a negative number": (xp.sqrt, [1.0, -1.0]),
    "logarithm of zero": (xp.log, [1.0, 0.0]),
    "logarithm of a negative number": (xp.log, [1.0, -1.0]),
    "overflow of an exponential": (xp.exp, [1.0, 1e4]),
    "sine of infinity": (xp.sin, [1.0, np.inf]),
    "arcsine beyond one": (xp.asin, [0.5, 2.0]),
    "reciprocal of zero": (xp.reciprocal, [1.0, 0.0]),
    "underflow of a product": (lambda a: xp.multiply(a, a), [1.0, 1e-300]),
    "overflow to the next number": (lambda a: xp.nextafter(a, a * np.inf), [1.0, np.finfo(float).max]),
    "remainder of zero": (lambda a: xp.remainder(a, a * 0), [1.0, 2.0]),
}


@pytest.mark.parametrize("case", WARNING_CALLS)
@pytest.mark.parametrize("mode", ["default", "raise", "ignore"])
def test_warnings_and_errors_of_floating_point_are_numpys(case, mode):
    function, elements = WARNING_CALLS[case]
    x = np.full(COUNT, elements[0])
    x[COUNT // 2] = elements[1]

    def call(a):
        with np.errstate() if mode == "default" else np.errstate(all=mode):
            return function(a)

    same(call, [x])


def test_warning_names_the_users_line():
    x = np.ones(COUNT)
    x[7] = -1.0
    _, warned = outcome(lambda a: xp.sqrt(a), [x], "cpu")
    line = test_warning_names_the_users_line.__code__.co_firstlineno + 3
    assert warned == [(RuntimeWarning, "invalid value encountered in sqrt", __file__, line)]


def test_in_place_operators_write_into_the_operand():
    x = values(RNG(0), "float64", COUNT, special=False)
    a = xp.asarray(x.copy(), device="cpu")
    view = np.asarray(a)
    a += 1.5
    a *= a
    np.testing.assert_array_equal(view, (x + 1.5) ** 2)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "uint64", "float32", "float64"])
def test_integers_are_bounds_of_a_kernel(dtype):
    x = values(RNG(0), dtype, COUNT, special=False)
    for bounds in [(2, 99), (0, 10**12), (2**20 + 1, 2**62 + 1)]:
        with xtensor_backends.llvm.count_calls() as calls:
            same(xp.clip, [x, *bounds])
        assert dict(calls.kernels) == {"clip": 1}
    same(xp.clip, [x, 2, 10**30])
    same(xp.clip, [x, -1, None])


def test_dtypes_without_kernels_are_numpys():
    for dtype in ("float16", "complex64", "complex128"):
        x = np.ones(COUNT, dtype)
        with xtensor_backends.llvm.count_calls() as calls:
            xp.add(xp.asarray(x, device="cpu"), 1)
        assert not calls.kernels
        same(xp.add, [x, 1])


def test_random_calls_have_numpys_outcome():
    rng = random.Random(0)
    names = [*EXACT_OF_TWO, "where", "clip"]
    for _ in range(scale(300, 3000)):
        seed = rng.randrange(1 << 30)
        name = rng.choice(names)
        shape = rng.choice([(COUNT,), (650, 650), (3, 7, 20000), (20000, 20), (20, 50, 400), (3, 2, 5, 7, 11, 200)])
        operands = []
        for place in range(3 if name in ("where", "clip") else 2):
            dtype = "bool" if name == "where" and not place else rng.choice(DTYPES)
            cut = tuple([length if rng.random() < 0.8 else 1 for length in shape])
            array = laid_out(values(RNG(seed + place), dtype, cut), rng.choice([*LAYOUTS, "contiguous"]))
            operands.append(np.transpose(array) if rng.random() < 0.2 and array.shape[0] == array.shape[-1] else array)
        try:
            same(getattr(xp, name), operands)
        except AssertionError as error:
            described = [(x.dtype, x.shape, x.strides) for x in operands]
            raise AssertionError(f"{name} of {described}, seed {seed}") from error


@pytest.mark.parametrize("length", [4, 10, 15])
def test_short_innermost_axes(length):
    x = values(RNG(0), "float64", (400_000 // length, length), special=False)
    for other in (x[0], x[:, :1]):
        by_kernel(xp.subtract, *[xp.asarray(item, device="cpu") for item in (x, other)])
        same(xp.subtract, [x, other])


@pytest.mark.skipif("XTENSOR_LLVM_FEWEST" in os.environ, reason="kernels compute arrays of all sizes")
@pytest.mark.parametrize(("dtype", "kernels"), [("int8", 0), ("float32", 1), ("float64", 1)])
def test_size_from_which_kernels_add_is_in_bytes(dtype, kernels):
    x = xp.asarray(np.ones(100_000, dtype), device="cpu")
    with xtensor_backends.llvm.count_calls() as calls:
        xp.add(x, x)
        xp.add(x[:1000], x[:1000])
    assert calls.kernels.total() == kernels


@pytest.mark.skipif("XTENSOR_LLVM_FEWEST" in os.environ, reason="kernels compute arrays of all sizes")
def test_size_from_which_kernels_compare_is_larger_beside_a_number():
    x, longer = (xp.asarray(np.ones(size), device="cpu") for size in (100_000, 200_000))
    assert compared(lambda: x == x) == 1
    assert compared(lambda: x == 2) == 0
    assert compared(lambda: longer == 2) == 1


def compared(function):
    """The number of kernels that a function calls."""
    with xtensor_backends.llvm.count_calls() as calls:
        function()
    return calls.kernels.total()


@pytest.mark.skipif("XTENSOR_LLVM_FEWEST" in os.environ, reason="kernels compute arrays of all sizes")
@pytest.mark.parametrize("has_vectors", [False, True])
@pytest.mark.parametrize(("name", "by_threads"), [("log", True), ("cbrt", True), ("exp", False), ("sin", False)])
def test_functions_of_which_numpy_has_vector_code_need_threads(monkeypatch, name, by_threads, has_vectors):
    monkeypatch.setattr(_elementwise, "_numpy_has_vectors", lambda: has_vectors)
    function, x, spare = _elementwise._function(name), np.ones(100_000), np.ones(100_000)
    monkeypatch.setattr(_elementwise, "threads", lambda: 2)
    np.testing.assert_allclose(function(x, None), getattr(np, name)(x), atol=1e-15)
    assert function.writes_over((x,), spare) is not None
    monkeypatch.setattr(_elementwise, "threads", lambda: 1)
    declined = by_threads and has_vectors
    assert (function(x, None) is NotImplemented) is declined
    assert (function.writes_over((x,), spare) is None) is declined


@pytest.mark.skipif("XTENSOR_LLVM_FEWEST" in os.environ, reason="kernels compute arrays of all sizes")
@pytest.mark.parametrize("has_vectors", [False, True])
@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_powers_are_numpys_where_it_has_vector_code_for_the_bases(monkeypatch, has_vectors, threads, negative, order):
    monkeypatch.setattr(_elementwise, "_numpy_has_vectors", lambda: has_vectors)
    monkeypatch.setattr(_elementwise, "threads", lambda: threads)
    power = _elementwise._power()
    x = np.asarray(RNG(3).normal(size=(250, 400)), order=order)
    y = np.asarray(RNG(4).integers(-4, 5, x.shape).astype(np.float64), order=order)
    x[::2, ::3] = np.nan
    if not negative:
        x = np.abs(x)
    result = power(x, y, None)
    assert (result is NotImplemented) is (has_vectors and threads == 2 and not negative)
    if result is not NotImplemented:
        np.testing.assert_array_max_ulp(result, np.power(x, y), 4)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [COUNT, COUNT + 1, COUNT + 575])
def test_results_that_are_written_past_the_caches(monkeypatch, dtype, count):
    streaming = []

    def streams(program, size):
        streaming.append(program)
        return True

    monkeypatch.setattr(xtensor_backends.llvm._calls, "BYTES_STREAMED", 1)
    monkeypatch.setattr(xtensor_backends.llvm._calls, "writes_past_caches", streams)
    x, y = values(RNG(0), dtype, (count,)), values(RNG(1), dtype, (count,))
    for function in (xp.equal, xp.maximum, lambda a, b: xp.astype(a, xp.int8 if dtype != "int8" else xp.int16)):
        if np.dtype(dtype).kind == "f" and function not in (xp.equal, xp.maximum):
            continue  # NumPy casts these to integers
        same(function, [x, y])
    both = xp.fuse(lambda a, b: (xp.minimum(a, b), xp.not_equal(a, b)))
    by_kernel(both, *[xp.asarray(item, device="cpu") for item in (x, y)])
    smaller, differs = both(*[xp.asarray(item, device="cpu") for item in (x, y)])
    np.testing.assert_array_equal(np.asarray(smaller), np.minimum(x, y))
    np.testing.assert_array_equal(np.asarray(differs), x != y)
    assert streaming
    assert all(program.kernels[True] is not None for program in streaming)


def test_large_results_of_simple_operations_are_written_past_the_caches(monkeypatch):
    for module in (xtensor_backends.llvm._calls, xtensor_backends.llvm._costs):
        monkeypatch.setattr(module, "BYTES_STREAMED", 4_000_000)
    streamed = {}
    original = xtensor_backends.llvm._calls.writes_past_caches

    def streams(program, size):
        name = program.steps[-1].name, size
        streamed[name] = original(program, size)
        return streamed[name]

    monkeypatch.setattr(xtensor_backends.llvm._calls, "writes_past_caches", streams)
    x = xp.linspace(0.1, 1.0, 600_000, device="cpu")
    for function in (lambda a: a + a, lambda a: a < a, xp.exp):
        function(x)
        function(x[:400_000])
    assert [name for name, past in streamed.items() if past] == [("add", 600_000)]
    assert {("less", 600_000), ("exp", 600_000)} <= streamed.keys()


def test_a_kernel_of_more_operands_than_a_call_takes_is_numpys():
    x = xp.asarray(np.ones(COUNT), device="cpu")

    def total(a, *numbers):
        for number in numbers:
            a = a + number
        return a

    result = xp.fuse(total)(x, *map(float, range(100)))
    assert float(xp.max(result)) == float(xp.min(result)) == 4951.0


EXPONENTS = {2: "square", 0.5: "sqrt", -1: "reciprocal", 3: "square+multiply", 4.0: "square+multiply"}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [2, 0.5, -1, 3, 3.0, 4, 4.0, -2, -3, 5, 1.5, -0.25, 0, 1])
def test_powers_by_a_number_are_numpys(dtype, exponent):
    x = np.exp(RNG(0).normal(size=COUNT) * 3).astype(dtype)
    if float(exponent).is_integer():
        x[::2] *= -1
    with xtensor_backends.llvm.count_calls() as calls:
        result = np.asarray(xp.asarray(x, device="cpu") ** exponent)
    assert dict(calls.kernels) == {EXPONENTS.get(exponent, "pow"): 1}
    expected = np.power(x.astype(np.longdouble), exponent).astype(dtype)
    assert result.dtype == dtype
    np.testing.assert_array_max_ulp(result, expected, 4)


@pytest.mark.parametrize("base", [10, 2.0, 0.5])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_of_a_number_are_numpys(dtype, base):
    y = RNG(1).normal(size=COUNT).astype(dtype)
    with xtensor_backends.llvm.count_calls() as calls:
        result = np.asarray(base ** xp.asarray(y, device="cpu"))
    assert dict(calls.kernels) == {"pow": 1}
    np.testing.assert_array_max_ulp(result, np.power(np.longdouble(base), y).astype(dtype), 4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_powers_have_numpys_outcome(dtype):
    x = np.resize(np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -3, 1e30, 1e-30], dtype), COUNT)
    for exponent in (3, 4, 5, -2, -3, 1.5, 0, np.inf, np.nan):
        same(xp.pow, [x, exponent])
    same(xp.pow, [x, x[::-1].copy()])
    for base in (2, -2.0, 0, 1):
        same(xp.pow, [base, x])


@pytest.mark.parametrize("spec", ["cpu", "numpy"])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_third_and_fourth_powers_are_products(spec, size):
    x = xp.asarray(RNG(2).normal(size=size), device=spec)
    for result, product in [(x**3, x * x * x), (x**4.0, (x * x) * (x * x)), (xp.pow(x[0], 3), x[0] ** 3)]:
        np.testing.assert_array_max_ulp(np.asarray(result), np.asarray(product), 1)
    before = np.asarray(x).copy()
    with pytest.warns(RuntimeWarning, match="overflow encountered in square"):
        assert (np.asarray((x * 0 + 1e200) ** 4) == np.inf).all()
    np.testing.assert_array_equal(np.asarray(x), before)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(300, 300), (170, 300), (3, 200, 170), (40_000, 2), (2, 40_000)], ids=str)
def test_triangles_are_numpys(shape, dtype):
    x = (RNG(3).normal(size=shape) * 50).astype(dtype)
    for k in (0, 1, -3, 10**12, -(2**62)):
        near = max(-(10**5), min(10**5, k))  # NumPy's result is the same beyond all elements
        for given in (x, x[..., ::-1], x.swapaxes(-1, -2)):
            for function in ("tril", "triu"):
                with xtensor_backends.llvm.count_calls() as calls:
                    found = np.asarray(getattr(xp, function)(xp.asarray(given, device="cpu"), k=k))
                np.testing.assert_array_equal(found, getattr(np, function)(given, near), strict=True)
        assert calls.kernels["greater_equal+where"] or dtype == "complex128" or 2 in shape


def test_elements_outside_a_triangle_are_zero_whatever_they_were():
    x = xp.asarray(np.full((300, 300), np.nan), device="cpu")
    assert (np.asarray(xp.tril(x, k=-1))[0] == 0).all()
    assert np.isnan(np.asarray(xp.triu(x))[0]).all()
