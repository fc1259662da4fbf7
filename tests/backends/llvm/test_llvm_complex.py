"""Kernels of complex functions: accuracy, branch cuts, and NumPy's outcome for what they do not cover."""

from __future__ import annotations

import importlib.util
import math
import re

import numpy as np
import pytest

import xtensor as xp

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)
mp = pytest.importorskip("mpmath")

from llvm_kernels import outcome, ulps  # noqa: E402

import xtensor_backends.llvm  # noqa: E402
from xtensor_backends.kernels.formulas import COMPLEX_FORMULAS  # noqa: E402
from xtensor_backends.llvm import _compile, _elementwise  # noqa: E402
from xtensor_backends.llvm._loops import Layout, elementwise_module  # noqa: E402

DTYPES = ["complex64", "complex128"]
COUNT = 70_000

UNROUNDED = {
    "equal": "cc",
    "isfinite": "c",
    "isinf": "c",
    "isnan": "c",
    "negative": "c",
    "not_equal": "cc",
    "where": "bcc",
}
"""Functions whose results are exact, with the kinds of their operands."""

OF_ONE = sorted(COMPLEX_FORMULAS.keys() - UNROUNDED.keys() - {"divide"})

EXACT = {
    "abs": abs,
    "cos": mp.cos,
    "cosh": mp.cosh,
    "exp": mp.exp,
    "expm1": mp.expm1,
    "log": mp.log,
    "log10": lambda z: mp.log(z) / mp.log(10),
    "log1p": lambda z: mp.log(1 + z),
    "log2": lambda z: mp.log(z) / mp.log(2),
    "sign": mp.sign,
    "sin": mp.sin,
    "sinh": mp.sinh,
    "sqrt": mp.sqrt,
}


def numbers(dtype, *, seed=0, count=COUNT):
    """Numbers of all quadrants, from a hundredth to ten in size, and some close to 1, also next to the diagonals."""
    rng = np.random.default_rng(seed)
    size, angle = 10.0 ** rng.uniform(-2, 1, count), rng.uniform(-np.pi, np.pi, count)
    size[: count // 4] = 1 + rng.normal(size=count // 4) * 10.0 ** rng.uniform(-14, -1, count // 4)
    diagonal = np.pi / 4 * (2 * rng.integers(-2, 2, count // 8) + 1)
    angle[: count // 8] = diagonal + rng.normal(size=count // 8) * 10.0 ** rng.uniform(-14, -1, count // 8)
    return (size * np.exp(1j * angle)).astype(dtype)


def computed(name, *operands):
    """The result of a kernel on the device cpu; the test fails where NumPy computed."""
    with xtensor_backends.llvm.count_calls() as calls:
        result = getattr(xp, name)(*[xp.asarray(x, device="cpu") for x in operands])
    assert sum(calls.kernels.values()) == 1, calls.kernels
    assert not calls.doubtful
    return np.asarray(result)


def parts(z):
    return (z.real, z.imag) if z.dtype.kind == "c" else (z,)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OF_ONE)
def test_each_component_is_within_4_units_in_the_last_place(name, dtype):
    z = numbers(dtype)
    result = computed(name, z)
    expected = getattr(np, name)(z)
    assert result.dtype == expected.dtype
    with mp.workdps(60):
        for i in range(0, COUNT, 97):
            exact = EXACT[name](mp.mpc(complex(z[i])))
            for mine, wanted in zip(parts(result[i]), (exact.real, exact.imag), strict=False):
                # The real component of expm1 is a difference, whose error is that of numbers as large as the result.
                size = abs(exact) if name == "expm1" and dtype == "complex128" else abs(wanted)
                unit = float(np.spacing(mine.dtype.type(size)))
                assert abs(mp.mpf(float(mine)) - wanted) <= 4 * unit, (z[i], result[i], wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_log1p_is_accurate_where_its_logarithm_vanishes(dtype):
    """Next to the circle of the radius 1 around -1, on which 0 lies, and next to 0."""
    z = (numbers("complex128") - 1).astype(dtype)
    z[::3] *= z.real.dtype.type(1e-9)
    result = computed("log1p", z)
    with mp.workdps(60):
        for i in range(0, COUNT, 97):
            exact = EXACT["log1p"](mp.mpc(complex(z[i])))
            for mine, wanted in zip(parts(result[i]), (exact.real, exact.imag), strict=True):
                unit = float(np.spacing(np.abs(mine.dtype.type(wanted))))
                assert abs(mp.mpf(float(mine)) - wanted) <= 4 * unit, (z[i], result[i], wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_quotients_are_numpys(dtype):
    z, w = numbers(dtype), numbers(dtype, seed=1)
    np.testing.assert_array_equal(computed("divide", z, w), z / w, strict=True)
    np.testing.assert_array_equal(computed("divide", z, w.real.copy()), z / w.real, strict=True)
    np.testing.assert_array_equal(computed("divide", w.real.copy(), z), w.real / z, strict=True)


@pytest.mark.parametrize("name", ["log", "sqrt", "log2", "log10"])
def test_branch_cut_continues_with_the_sign_of_the_imaginary_zero(name):
    z = np.zeros(COUNT, "complex128")
    z.real = -np.abs(numbers("complex128"))
    above, below = computed(name, z), computed(name, np.conj(z))
    np.testing.assert_array_equal(below, np.conj(above))
    assert (above.imag > 0).all()


@pytest.mark.parametrize("name", OF_ONE)
def test_zeros_keep_their_signs(name):
    z = numbers("complex128")
    z.real[::3], z.imag[1::3] = np.where(z.real[::3] > 0, 0.0, -0.0), np.where(z.imag[1::3] > 0, 0.0, -0.0)
    result, expected = computed(name, z), getattr(np, name)(z)
    for mine, wanted in zip(parts(result), parts(expected), strict=True):
        zeros = wanted == 0
        np.testing.assert_array_equal(mine == 0, zeros)
        np.testing.assert_array_equal(np.signbit(mine[zeros]), np.signbit(wanted[zeros]))


SPECIAL = [
    complex(a, b)
    for a in (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 800.0, 1e-320, 1e300, -1e300)
    for b in (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 800.0, 1e-320, 1e300, -1e300)
]


@pytest.mark.parametrize("name", OF_ONE)
@pytest.mark.parametrize("dtype", DTYPES)
def test_special_values_have_numpys_outcome(name, dtype):
    """One number of a kind in an array is enough for NumPy to compute it; the warnings are its own."""
    z = numbers(dtype)
    with np.errstate(over="ignore"):
        given = np.asarray(SPECIAL).astype(dtype)
    for value in given:
        z[COUNT // 2] = value
        expected, warned = outcome(getattr(xp, name), (z,), "numpy")
        result, found = outcome(getattr(xp, name), (z,), "cpu")
        assert found == warned, value
        for mine, wanted in zip(parts(result[COUNT // 2]), parts(expected[COUNT // 2]), strict=True):
            assert np.isnan(wanted) == np.isnan(mine), value
            if np.isfinite(wanted) and wanted != 0:
                assert ulps(np.asarray(mine), np.asarray(wanted)) <= 8, value
            elif not np.isnan(wanted):
                assert (mine, np.signbit(mine)) == (wanted, np.signbit(wanted)), value


@pytest.mark.parametrize("name", UNROUNDED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_exact_functions_are_numpys_for_all_numbers(name, dtype):
    rng = np.random.default_rng(5)
    with np.errstate(over="ignore"):
        given = np.asarray(SPECIAL).astype(dtype)
    z, w = rng.choice(given, COUNT), rng.choice(given, COUNT)
    w[::2] = z[::2]
    operands = {"c": [z], "cc": [z, w], "bcc": [rng.random(COUNT) < 0.5, z, w]}[UNROUNDED[name]]
    result, expected = computed(name, *operands), getattr(np, name)(*operands)
    assert result.dtype == expected.dtype
    for mine, wanted in zip(parts(result), parts(expected), strict=True):
        np.testing.assert_array_equal(mine, wanted)
        if name in ("negative", "where"):
            np.testing.assert_array_equal(np.signbit(mine[~np.isnan(mine)]), np.signbit(wanted[~np.isnan(wanted)]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_array_with_zeros_has_square_roots_by_the_kernel(dtype):
    z = numbers(dtype)
    z[:4] = [complex(a, b) for a in (0.0, -0.0) for b in (0.0, -0.0)]
    result, expected = computed("sqrt", z)[:4], np.sqrt(z[:4])
    for mine, wanted in zip(parts(result), parts(expected), strict=True):
        np.testing.assert_array_equal(mine, wanted)
        np.testing.assert_array_equal(np.signbit(mine), np.signbit(wanted))


@pytest.mark.parametrize("name", ["log", "log2", "log10", "sqrt"])
def test_single_precision_has_its_whole_range(name):
    z = (numbers("complex64") * np.exp2(np.random.default_rng(2).integers(-120, 120, COUNT))).astype("complex64")
    result, expected = computed(name, z), getattr(np, name)(z.astype("complex128"))
    for mine, wanted in zip(parts(result), parts(expected), strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=2.4e-7)


@pytest.mark.parametrize("y", [0.0, math.inf, complex(math.nan, 1.0), 1e-320, 1e308, 1.7e308 + 1.7e308j])
def test_quotients_by_special_values_have_numpys_outcome(y):
    z, w = numbers("complex128"), numbers("complex128", seed=1)
    w[5] = y
    expected, warned = outcome(xp.divide, (z, w), "numpy")
    result, found = outcome(xp.divide, (z, w), "cpu")
    assert found == warned
    np.testing.assert_array_equal(result, expected, strict=True)


@pytest.mark.parametrize("name", ["exp", "sqrt", "abs", "negative", "isnan"])
def test_layouts(name):
    z = numbers("complex128", count=800 * 800).reshape(800, 800)
    for layout in (z.T, z[::-1], z[:, ::2], z[::2, ::3], np.broadcast_to(z[0], (200, 800))):
        result = np.asarray(getattr(xp, name)(xp.asarray(layout, device="cpu", copy=False)))
        np.testing.assert_array_equal(result, computed(name, np.ascontiguousarray(layout)), strict=True)


def test_quotients_of_operands_that_broadcast():
    z, w = numbers("complex128", count=90_000).reshape(300, 300), numbers("complex128", count=300)
    np.testing.assert_array_equal(computed("divide", z, w[:, None]), z / w[:, None])
    np.testing.assert_array_equal(computed("divide", z, w), z / w)


def test_fused_functions_of_complex_numbers():
    z = xp.asarray(numbers("complex128"), device="cpu")

    def function(z):
        return xp.exp(z) / (1 + z * z)

    np.testing.assert_allclose(np.asarray(xp.fuse(function)(z)), np.asarray(function(z)), rtol=1e-13)


TARGETS = {
    "x86-64-v2": ("x86_64-unknown-linux-gnu", "x86-64-v2"),
    "x86-64-v4": ("x86_64-unknown-linux-gnu", "x86-64-v4"),
    "aarch64": ("aarch64-unknown-linux-gnu", "generic"),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_kernels_are_vector_code_without_calls(target, dtype):
    triple, cpu = TARGETS[target]
    for name in COMPLEX_FORMULAS:
        letters = UNROUNDED.get(name, "cc" if name == "divide" else "c")
        kinds = tuple(np.dtype(dtype if letter == "c" else bool) for letter in letters)
        layout = Layout("c" * (len(kinds) + 1))
        module = elementwise_module(_elementwise._plan(name, kinds), layout, has_fma=target != "x86-64-v2")
        code = _compile.assembly(module, triple=triple, cpu=cpu)
        called = set(re.findall(r"^\s+(?:callq?|bl)\s+([\w.]+)", code, re.MULTILINE))
        assert called <= {"inner", "xtensor_parallel"}, (name, called)
        # Scalar code loads one component at a time.
        assert re.search(r"v\d+\.(2d|4s)|[yz]mm|\bmov[ua]p[sd]\s+[^,]*\(", code), name
