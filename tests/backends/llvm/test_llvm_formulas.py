"""Formulas of the LLVM overlay: accuracy, special values, and code without scalar calls.

``XTENSOR_TESTS_PROFILE=long`` compares the functions of one argument for every float32.
"""

from __future__ import annotations

import os
import re
import zlib

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="the overlay needs llvmlite")
mp = pytest.importorskip("mpmath")
special = pytest.importorskip("scipy.special")

from llvm_loops import compiled, emit, machine, optimize  # noqa: E402

from xtensor_backends.kernels import values  # noqa: E402
from xtensor_backends.kernels.formulas import FASTER, FASTER_WITHOUT_AVX512, FORMULAS  # noqa: E402

FLOATS = [np.dtype(np.float64), np.dtype(np.float32)]
INTEGERS = [np.dtype(name) for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]
NUMPY_NAMES = {"abs": "absolute", "round": "rint", "real": "positive"}
EDGES = np.array(
    [
        *(0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, 2.5, 3.7, -1.5, 1e-5, 100, 700, np.inf, -np.inf, np.nan),
        *(1e300, -1e300, 1e-300, 3e38, -3e38, 1e-45, -1e-45, 5e-324, -5e-324),
    ]
)


def reference(name):
    """NumPy's or SciPy's function of an operation; None where they have none."""
    if name.startswith("special."):
        return getattr(special, name.removeprefix("special."), None)
    return getattr(np, NUMPY_NAMES.get(name, name), None)


def operands(name):
    function = reference(name)
    if name in ("clip", "where"):
        return 3
    return getattr(function, "nin", 1)


def run(name, *arrays, has_fma=None):
    """The results of a formula, and where it covers its operands."""
    formula = FORMULAS[name]
    dtypes = tuple(x.dtype for x in arrays)
    results = compiled(formula.function, dtypes, has_fma=has_fma)(*arrays)
    if formula.covers is None:
        return results, np.ones(results.shape, bool)
    return results, compiled(formula.covers, dtypes, has_fma=has_fma)(*arrays)


def generator(*parts):
    return np.random.default_rng(zlib.crc32(repr(parts).encode()))


def every_exponent(dtype, count):
    """Numbers of both signs with every exponent of a format, also the subnormal ones."""
    limits, rng = np.finfo(dtype), generator(dtype, count)
    lowest = int(np.log2(float(limits.smallest_subnormal)))
    exponents = np.arange(lowest, limits.maxexp)
    significands = 1 + rng.integers(0, 2**limits.nmant, (count, exponents.size)) / 2.0**limits.nmant
    numbers = np.ldexp(significands, exponents).astype(dtype).ravel()
    return np.concatenate([numbers, -numbers])


# Accuracy -------------------------------------------------------------------------------------------------------------


def exact(name):
    """The exact function of mpmath numbers."""
    return {
        "special.digamma": mp.digamma,
        "special.entr": lambda x: -x * mp.log(x),
        "special.erf": mp.erf,
        "special.erfc": mp.erfc,
        "special.erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
        "special.exp10": lambda x: mp.mpf(10) ** x,
        "special.expit": lambda x: 1 / (1 + mp.exp(-x)),
        "special.gamma": mp.gamma,
        "special.gammaln": mp.loggamma,
        "special.i0": lambda x: mp.besseli(0, x),
        "special.i0e": lambda x: mp.besseli(0, x) * mp.exp(-abs(x)),
        "special.i1": lambda x: mp.besseli(1, x),
        "special.i1e": lambda x: mp.besseli(1, x) * mp.exp(-abs(x)),
        "special.k0": lambda x: mp.besselk(0, x),
        "special.k0e": lambda x: mp.besselk(0, x) * mp.exp(x),
        "special.k1": lambda x: mp.besselk(1, x),
        "special.k1e": lambda x: mp.besselk(1, x) * mp.exp(x),
        "special.log_expit": lambda x: -mp.log1p(mp.exp(-x)),
        "special.log_ndtr": lambda x: mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2) if x > 0 else mp.log(mp.ncdf(x)),
        "special.logit": lambda x: mp.log(x) - mp.log1p(-x),
        "special.ndtr": lambda x: mp.erfc(-x / mp.sqrt(2)) / 2,
        "special.softplus": lambda x: mp.log1p(mp.exp(x)),
        "nn.gelu": lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2,
        "nn.silu": lambda x: x / (1 + mp.exp(-x)),
        "exp2": lambda x: mp.mpf(2) ** x,
        "log2": lambda x: mp.log(x, 2),
        "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    }.get(name) or getattr(mp, name)


ANY, NEAR_0 = (-np.inf, np.inf), (-1.0, 1.0)
DOMAINS = {
    # Where a function is finite and neither 0 nor constant, and the points that need many samples.
    "acos": ((-1, 1), (0.5, -0.5, 1, -1)),
    "acosh": ((1, np.inf), (1,)),
    "asin": ((-1, 1), (0.5, 1, -1)),
    "asinh": (ANY, (0, 1)),
    "atan": (ANY, (0.4142135623730951, 2.414213562373095)),
    "atanh": ((-1, 1), (0, 1)),
    "cbrt": (ANY, (1, 2, 4)),
    "cos": ((-1e4, 1e4), (np.pi / 2, 11 * np.pi / 2, 1e4)),
    "cosh": ((-700, 700), (0, 1)),
    "exp": ((-745, 709), (0, 0.3466, 1)),
    "exp2": ((-1074, 1023), (0, 0.5, 1)),
    "expm1": ((-50, 709), (0, 0.3466, -0.3466)),
    "log": ((0, np.inf), (1, 0.7071, 1.4142)),
    "log10": ((0, np.inf), (1, 0.7071, 10)),
    "log1p": ((-1, np.inf), (0, -0.2929, 0.4142, -1)),
    "log2": ((0, np.inf), (1, 0.7071, 2)),
    "sin": ((-1e4, 1e4), (np.pi, 22 * np.pi, 1e4)),
    "sinh": ((-700, 700), (0, 1)),
    "tan": ((-1e4, 1e4), (np.pi, np.pi / 2, 1e4)),
    "tanh": ((-20, 20), (0, 1, 18)),
    "special.digamma": ((0, 1e30), (1.4616321449683622, 1, 3)),
    "special.entr": ((0, 10), (1,)),
    "special.erf": ((-6, 6), (1, 0, 5.5)),
    "special.erfc": ((-6, 27), (0.75, 9, 26)),
    "special.erfcx": ((-26, 100), (0.75, -0.75, -9)),
    "special.exp10": ((-323, 308), (0, 1)),
    "special.expit": ((-745, 40), (0, -87, -700)),
    "special.gamma": ((0, 170), (1, 2, 6, 34)),
    "special.gammaln": ((0, 1e30), (1, 2, 3, 4, 5)),
    "special.i0": ((-200, 200), (0, 8, 80)),
    "special.i0e": ((-1000, 1000), (0, 8)),
    "special.i1": ((-200, 200), (0, 8, 80)),
    "special.i1e": ((-1000, 1000), (0, 8)),
    "special.k0": ((0, 80), (1, 2)),
    "special.k0e": ((0, 1000), (1, 2)),
    "special.k1": ((0, 80), (1, 2)),
    "special.k1e": ((0, 1000), (1, 2)),
    "special.log_expit": ((-700, 30), (0,)),
    "special.log_ndtr": ((-30, 9), (0, -1, 1.06, -1.06)),
    "special.logit": ((0, 1), (0.5, 1)),
    "special.ndtr": ((-38, 8), (0, 1.06, -1.06, -13)),
    "special.softplus": ((-700, 30), (0,)),
    "nn.gelu": ((-38, 8), (0, 1.06, -1.06, -13)),
    "nn.silu": ((-745, 30), (0, -87)),
}
SLOW = re.compile(r"special\.[ik][01]e?$")
"""Functions of which mpmath computes a few hundred a second."""


def samples(name, dtype):
    (low, high), points = DOMAINS[name]
    slow = SLOW.match(name)
    rng = generator(name, dtype)
    x = every_exponent(dtype, 1)
    x = rng.permutation(x[(x > low) & (x < high)])[: 100 if slow else 1500]
    count = 40 if slow else 200
    inside = rng.uniform(max(low, -1e6), min(high, 1e6), 3 * count)
    near = [(point or 1) * (1 + 2.0 ** -rng.uniform(0, 25, count) * rng.choice([-1, 1], count)) for point in points]
    return np.concatenate([x, *[y[(y > low) & (y < high)].astype(dtype) for y in (inside, *near)]])


def errors(results, name, x):
    """Errors in units in the last place of the exact results."""
    dtype, function, found = results.dtype, exact(name), []
    for result, number in zip(results.tolist(), x.tolist(), strict=True):
        value = function(mp.mpf(number))
        with np.errstate(over="ignore"):
            rounded = dtype.type(float(value))
        if not np.isfinite(rounded):
            found.append(0.0 if result == rounded or np.nextafter(dtype.type(result), rounded) == rounded else np.inf)
            continue
        unit = float(np.spacing(max(abs(rounded), np.finfo(dtype).tiny)))
        found.append(float(abs(mp.mpf(result) - value) / unit))
    return np.array(found)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    ("name", "has_fma"),
    [
        *[pytest.param(name, None, id=f"native-{name}") for name in DOMAINS],
        *[
            pytest.param(name, False, id=f"without FMA-{name}", marks=[pytest.mark.long] * name.startswith("special."))
            for name in DOMAINS
        ],
    ],
)
def test_error_is_at_most_4_units_in_the_last_place(name, dtype, has_fma):
    x = samples(name, dtype)
    if has_fma is False:
        x = generator(name).permutation(x)[:300]
    results, covered = run(name, x, has_fma=has_fma)
    with mp.workdps(40):
        found = errors(results[covered], name, x[covered])
    worst = np.argmax(found)
    # Without fused multiplication each step of a polynomial rounds twice.
    limit = 4.0 if has_fma is None else 5.0
    assert found[worst] <= limit, (x[covered][worst], results[covered][worst])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["special.j0", "special.j1", "special.y0", "special.y1"])
def test_error_of_oscillating_bessel_functions_is_small_beside_their_amplitude(name, dtype):
    rng = generator(name, dtype)
    x = np.concatenate([rng.uniform(0, 60, 300), rng.uniform(4.9, 5.1, 100), 2.0 ** rng.uniform(-30, 13, 200)])
    x = x.astype(dtype)
    results, covered = run(name, x)
    assert covered.all()
    function = {"j": mp.besselj, "y": mp.bessely}[name[-2]]
    with mp.workdps(40):
        for number, result in zip(x.tolist(), results.tolist(), strict=True):
            value = function(int(name[-1]), mp.mpf(number))
            amplitude = max(abs(float(value)), min(1.0, np.sqrt(2 / (np.pi * number))))
            assert abs(mp.mpf(result) - value) <= 6 * float(np.spacing(dtype.type(amplitude))), number


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["pow", "atan2", "hypot", "special.rel_entr", "special.xlogy", "special.xlog1py"])
def test_error_of_two_arguments_is_at_most_4_units_in_the_last_place(name, dtype):
    function = {
        "pow": lambda x, y: x**y,
        "atan2": mp.atan2,
        "hypot": mp.hypot,
        "special.rel_entr": lambda x, y: x * mp.log(x / y),
        "special.xlogy": lambda x, y: x * mp.log(y),
        "special.xlog1py": lambda x, y: x * mp.log1p(y),
    }[name]
    rng = generator(name, dtype)
    limits = np.finfo(dtype)
    x, y = (rng.choice(every_exponent(dtype, 1), 600) for _ in range(2))
    if name.startswith("special"):
        y = np.abs(y)
    if name in ("pow", "special.rel_entr"):
        x = np.abs(x)
    if name == "pow":
        large = np.log(limits.max)
        with np.errstate(divide="ignore"):
            y = (rng.uniform(-large, large, x.size) / np.log(x.astype(np.float64))).astype(dtype)
    near = (1 + rng.uniform(-0.3, 0.3, 600)).astype(dtype)
    x, y = np.concatenate([x, near, near]), np.concatenate([y, y, rng.permutation(near)])
    results, covered = run(name, x, y)
    with mp.workdps(60):
        for i in np.flatnonzero(covered & np.isfinite(y)):
            value = function(mp.mpf(float(x[i])), mp.mpf(float(y[i])))
            with np.errstate(over="ignore"):
                rounded = dtype.type(float(value))
            if np.isinf(rounded):
                assert np.isinf(results[i]) or np.isinf(np.nextafter(results[i], rounded))
                continue
            unit = float(np.spacing(max(abs(rounded), limits.tiny)))
            assert abs(mp.mpf(float(results[i])) - value) <= 4 * unit, (x[i], y[i], results[i])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_error_of_kl_div_is_small_beside_its_terms(dtype):
    rng = generator("kl_div", dtype)
    x, y = (rng.uniform(0, 3, 2000).astype(dtype) for _ in range(2))
    results, covered = run("special.kl_div", x, y)
    assert covered.all()
    first, second = x.astype(np.longdouble), y.astype(np.longdouble)
    expected = first * np.log(first / second) - first + second
    limit = 4 * np.finfo(dtype).eps * np.maximum(np.maximum(x, y), np.abs(first * np.log(first / second)))
    assert (np.abs(results - expected) <= limit).all()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
def test_error_of_logaddexp_is_small_beside_the_larger_operand(name, dtype):
    """The result itself may cancel: NumPy's formula is the same."""
    rng = generator(name, dtype)
    x, y = (rng.uniform(-20, 20, 2000).astype(dtype) for _ in range(2))
    results, _ = run(name, x, y)
    expected = reference(name)(x.astype(np.float64), y.astype(np.float64))
    scale = np.spacing(np.maximum(np.maximum(np.abs(x), np.abs(y)), 1).astype(dtype))
    assert (np.abs(results - expected) <= 4 * scale).all()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("has_fma", [None, False], ids=["native", "without FMA"])
def test_reduction_of_large_arguments(name, dtype, has_fma):
    limit = 2.0**45 if dtype == np.float64 else 2.0**16
    rng = generator(name, dtype)
    multiples = rng.integers(1, int(limit / 2), 1500) * (np.pi / 2)
    x = np.concatenate([multiples, 2.0 ** rng.uniform(0, np.log2(limit), 1500), [limit, 2 * limit]]).astype(dtype)
    results, covered = run(name, x, has_fma=has_fma)
    np.testing.assert_array_equal(covered, np.abs(x) < limit)
    with mp.workdps(60):
        assert errors(results[covered], name, x[covered]).max() <= (4 if has_fma is None else 5)


def test_nn_functions_at_the_edges():
    x = np.array([-np.inf, -0.0, 0.0, np.inf, np.nan])
    np.testing.assert_array_equal(run("nn.relu", x)[0], [0, 0, 0, np.inf, np.nan])
    for name in ("nn.gelu", "nn.silu"):
        results = run(name, x)[0]
        np.testing.assert_array_equal(results, [0, 0, 0, np.inf, np.nan])
        assert np.signbit(results[:2]).all()


# Values ---------------------------------------------------------------------------------------------------------------


def same(results, expected, tolerance):
    """Whether values agree: special ones and the signs of zeros exactly, others to a relative tolerance."""
    if results.dtype == bool:
        return results == expected
    special_value = ~np.isfinite(expected) | (expected == 0)
    equal = ((results == expected) & (np.signbit(results) == np.signbit(expected))) | (
        np.isnan(results) & np.isnan(expected)
    )
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(results - expected) <= tolerance * np.abs(expected)
    return np.where(special_value, equal, near)


OWN = {"clip", "where", "nn.gelu", "nn.relu", "nn.silu"}
"""Formulas that are no function of NumPy or SciPy, or whose operands have two dtypes."""
WITH_REFERENCE = [name for name in FORMULAS if "f" in FORMULAS[name].kinds and name not in OWN]

BETTER_THAN_SCIPY = ("gammaln", "i1", "i1e", "k0", "k0e", "k1", "k1e")
"""Functions for whose subnormal arguments SciPy's results are wrong: infinity, NaN, or rounded half up."""


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", WITH_REFERENCE)
def test_special_values(name, dtype):
    function = reference(name)
    arguments = [x.ravel() for x in np.meshgrid(*[EDGES.copy()] * operands(name))]
    with np.errstate(all="ignore"):
        arguments = [x.astype(dtype) for x in arguments]
        expected = np.asarray(function(*arguments))
        if name == "float_power":
            expected = expected.astype(dtype)
    results, covered = run(name, *arguments)
    assert results.dtype == expected.dtype
    if name.removeprefix("special.") in BETTER_THAN_SCIPY:
        covered &= np.abs(arguments[0]) >= np.finfo(dtype).tiny
    if re.match(r"special\.[jy]\d", name):
        covered &= ~(np.abs(arguments[0]) > 1)  # SciPy's own error is larger than the tolerance
    wrong = covered & ~same(results, expected, 16 * np.finfo(dtype).eps)
    assert not wrong.any(), [(*(x[i] for x in arguments), results[i], expected[i]) for i in np.flatnonzero(wrong)[:5]]


def random_numbers(dtype, rng, size=3000):
    if dtype.kind == "b":
        return rng.random(size) < 0.5
    if dtype.kind == "f":
        return rng.choice(every_exponent(dtype, 2), size)
    limits = np.iinfo(dtype)
    few = rng.integers(0, 9, size).astype(dtype)
    some = rng.integers(limits.min, limits.max, size, dtype=dtype, endpoint=True)
    edges = rng.choice(np.array([limits.min, limits.max, 0, 1, -1 if dtype.kind == "i" else 2], dtype), size)
    return np.choose(rng.integers(0, 3, size), [few, some, edges])


EXACT = [
    "abs",
    "add",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "copysign",
    "divide",
    "equal",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sqrt",
    "square",
    "subtract",
    "trunc",
]


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("has_fma", [None, False], ids=["native", "without FMA"])
def test_arithmetic_is_bit_identical(name, has_fma):
    function = reference(name)
    for dtype in (np.dtype(bool), *INTEGERS, *FLOATS):
        if dtype.kind not in FORMULAS[name].kinds or (name == "round" and dtype.kind != "f"):
            continue
        rng = generator(name, dtype)
        arguments = [random_numbers(dtype, rng) for _ in range(operands(name))]
        results, covered = run(name, *arguments, has_fma=has_fma)
        with np.errstate(all="ignore"):
            expected = function(*arguments)
        if name in ("maximum", "minimum"):
            covered = covered & (expected != 0)  # NumPy's sign of a zero depends on the processor
        if name in ("ceil", "floor", "trunc", "abs", "sign", "positive") and dtype.kind == "b":
            expected = expected.astype(bool)
        np.testing.assert_array_equal(results[covered], expected[covered], err_msg=str(dtype))
        if results.dtype.kind == "f":
            signed = covered & ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(results)[signed], np.signbit(expected)[signed])


@pytest.mark.parametrize("source", [np.dtype(bool), *INTEGERS, *FLOATS], ids=str)
@pytest.mark.parametrize("target", [np.dtype(bool), *INTEGERS, *FLOATS], ids=str)
def test_cast_is_astype(source, target):
    x = random_numbers(source, generator(source, target))
    if source.kind == "f" and target.kind in "iu":
        # The C language defines numbers in the range of the dtype only.
        limits = np.iinfo(target)
        x = x[(x > limits.min - 1.0 if source.itemsize > target.itemsize else x >= limits.min) & (x < limits.max)]
    with np.errstate(over="ignore"):
        expected = x.astype(target)
    np.testing.assert_array_equal(compiled(lambda value: values.cast(value, target), (source,))(x), expected)


def test_operands_of_two_dtypes_raise():
    with pytest.raises(TypeError, match="cast one of them"):
        emit(lambda a, b: a + b, (FLOATS[0], FLOATS[1]))


def test_truth_of_a_value_raises():
    with pytest.raises(TypeError, match="select"):
        emit(lambda a: a if a > 0 else -a, (FLOATS[0],))


def test_formulas_are_operations_of_the_table():
    from xtensor import nn, special  # noqa: F401, they declare operations
    from xtensor._core.operations import TABLE

    assert set(FORMULAS) <= set(TABLE)
    assert set(FORMULAS) >= FASTER_WITHOUT_AVX512 >= FASTER


# Machine code ---------------------------------------------------------------------------------------------------------

TARGETS = {
    "x86-64-v2": ("x86_64-unknown-linux-gnu", "x86-64-v2"),
    "x86-64-v3": ("x86_64-unknown-linux-gnu", "x86-64-v3"),
    "x86-64-v4": ("x86_64-unknown-linux-gnu", "x86-64-v4"),
    "aarch64": ("aarch64-unknown-linux-gnu", "generic"),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_loops_are_vectorized_without_calls(target, dtype):
    place = machine(*TARGETS[target])
    failures = []
    for name, formula in FORMULAS.items():
        if "f" not in formula.kinds or name in ("clip", "where", "conj", "positive", "real"):
            continue  # a loop that copies becomes a call of memcpy
        functions = [formula.function] + ([formula.covers] if formula.covers else [])
        for function in functions:
            text, _ = emit(function, (dtype,) * operands(name), has_fma=target != "x86-64-v2")
            module = optimize(text, place)
            calls = re.findall(r"^\s+(?:callq?|bl)\s+(\S+)", place.emit_assembly(module), re.MULTILINE)
            if calls or not re.search(r"vector\.body|<\d+ x (double|float)>", str(module)):
                failures.append((name, calls))
    assert not failures


CLOSEST = [
    *(("special.erfc", 1.5295216), ("special.erfc", 3.6547778), ("special.ndtr", -5.1722569)),
    *(("special.log_ndtr", 0.7683), ("special.log_ndtr", 2.1819823), ("special.log_ndtr", -2e19)),
    *(("special.erfcx", 145.175), ("special.erfc", 0.10737312), ("special.log_ndtr", 0.27953273)),
    *(("special.log_ndtr", -0.0064280056), ("special.log_ndtr", -0.0015333211)),
]
"""Operands near which the error of float32 is largest, or was above 4 units."""


@pytest.mark.parametrize(("name", "place"), CLOSEST)
def test_float32_where_errors_are_largest(name, place):
    first, last = sorted(np.asarray([place * 0.99, place * 1.01], np.float32).view(np.uint32).tolist())
    x = np.arange(first, last, dtype=np.uint32).view(np.float32)
    results, covered = run(name, x)
    expected = reference(name)(x.astype(np.float64))
    assert covered.all()
    assert np.all(np.abs(results - expected) <= 4 * np.spacing(np.abs(expected).astype(np.float32)).astype(float))


# All of float32 -------------------------------------------------------------------------------------------------------

ALL_FLOAT32 = [name for name in DOMAINS if name not in ("nn.gelu", "nn.silu")]


@pytest.mark.skipif(os.environ.get("XTENSOR_TESTS_PROFILE") != "long", reason="takes minutes a function")
@pytest.mark.parametrize("name", ALL_FLOAT32)
def test_every_float32(name):
    """Compare with float64, whose error is below 2**-20 of a unit in the last place of float32."""
    function, failures = reference(name), []
    block = 2**24
    for start in range(0, 2**32, block):
        x = np.arange(start, start + block, dtype=np.uint32).view(np.float32)
        results, covered = run(name, x)
        with np.errstate(all="ignore"):
            wide = function(x.astype(np.float64))
            expected = wide.astype(np.float32)
            places = np.flatnonzero(covered & (results != expected))
            results, expected, wide, x = results[places], expected[places], wide[places], x[places]
            unit = np.spacing(np.maximum(np.abs(expected), np.finfo(np.float32).tiny)).astype(np.float64)
            good = (np.abs(results - wide) <= 4 * unit) | (np.isnan(results) & np.isnan(expected))
        # Next to the largest number the rounded result may be infinite.
        largest = 0.9999995 * np.finfo(np.float32).max
        good |= (np.abs(wide) > largest) & (np.abs(results) >= largest)
        failures += x[~good][:3].tolist()
    assert not failures, failures[:10]
