"""NumPy's elementwise functions beyond the standard: NumPy's values, dtypes and errors, by the device and composed.

Each function of the table is tested twice: as the device computes it, and by its composition of the device's other
functions, which is what a device without the function has.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import STANDARD_DTYPES, dtypes_of, expect, made, operands, quiet, shapes, values_of

import xtensor as xp
from xtensor._core.calls import wrap
from xtensor._core.operands import operands as native_operands
from xtensor.backend import TABLE

# NumPy 2.5 deprecates fix.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore:numpy.fix is deprecated")

ULP = {
    "cbrt": 2,
    "exp2": 4,
    "float_power": 2,
    "logaddexp2": 8,
    **dict.fromkeys(("angle", "i0", "sinc"), 12),
}
"""The errors that functions may have, in units in the last place; all others are exact."""

UNARY = {
    "bitwise_count": "biu",
    "cbrt": "biuf",
    "deg2rad": "biuf",
    "degrees": "biuf",
    "exp2": "biufc",
    "fabs": "biuf",
    "frexp": "biuf",
    "modf": "biuf",
    "rad2deg": "biuf",
    "radians": "biuf",
    "rint": "biufc",
    "spacing": "biuf",
}
"""The functions of one array, with the kinds of dtype that NumPy has loops for."""

BINARY = {
    "divmod": "biuf",
    "float_power": "biuf",
    "fmax": "biufc",
    "fmin": "biufc",
    "fmod": "biuf",
    "gcd": "iu",
    "heaviside": "biuf",
    "lcm": "iu",
    "logaddexp2": "biuf",
}
"""The functions of two operands of any dtypes."""

HALF = np.dtype(np.float16)

ZERO_SIGNS_OPEN = ("fmax", "fmin")
"""Functions of which either zero may be the result."""


@pytest.fixture(params=["device", "composition"])
def compute(request):
    """A function that calls a function of the table by name: the device's own, or the composition."""
    if request.param == "device":
        return lambda name, *args: getattr(xp, name)(*args)

    def composed(name, *args):
        getattr(xp, name)  # declares the row
        row = TABLE[name]
        if len(args) == 1:
            used, natives = args[0].device, [args[0]._native]
        else:
            used, *natives = native_operands(name, *args)
        result = row.composition(used._functions.namespace, *natives)
        return tuple(wrap(x, used) for x in result) if isinstance(result, tuple) else wrap(result, used)

    return composed


def hostile(dtype):
    """Return limits, neighbours and ordinary numbers of a dtype, and NaN, infinities and zeros of both signs."""
    if dtype.kind == "b":
        return np.asarray([False, True])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = {0, 1, 2, 3, 7, 12, 100, limits.max, limits.max - 1, limits.max // 2, limits.min, limits.min + 1}
        return np.asarray(sorted(values | ({-1, -2, -5, -90} if dtype.kind == "i" else set())), dtype)
    if dtype.kind == "c":
        parts = hostile(np.finfo(dtype).dtype)[::3]
        result = np.empty((parts.size, parts.size), dtype)
        result.real, result.imag = parts[:, None], parts
        return result.reshape(-1)
    limits = np.finfo(dtype)
    positive = [0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 7.25, 27.0, 100.0, math.inf, float(limits.max), float(limits.eps)]
    positive += [float(limits.smallest_normal), float(limits.smallest_subnormal), 1 + float(limits.eps)]
    with quiet():
        return np.asarray([math.nan, *positive, *(-x for x in positive)], dtype)


def expect_like_numpy(name, result, host_function, hosts):
    """Compare a result, or several, with NumPy's; a device without NumPy's dtype has computed in its default dtype."""
    device = xp.default_device()
    with quiet():
        expected = host_function(*hosts)
        dtypes = [part.dtype for part in expected] if isinstance(expected, tuple) else [expected.dtype]
        if not all(device.supports(dtype) for dtype in dtypes):
            wide = device.default_dtypes["real floating"]
            expected = host_function(*(x.astype(wide) if x.dtype.kind in "biuf" else x for x in hosts))
    signs = name not in ZERO_SIGNS_OPEN
    pairs = zip(result, expected, strict=True) if isinstance(expected, tuple) else [(result, expected)]
    for actual, reference in pairs:
        # The sum of the larger operand and a logarithm cancels near zero.
        atol = 2 * float(np.finfo(reference.dtype).eps) if name == "logaddexp2" else 0.0
        expect(actual, reference, ulp=ULP.get(name, 0), atol=atol, signs=signs)


def all_dtypes(device, kinds):
    return [dtype for dtype in (*dtypes_of(device, kinds), HALF) if device.supports(dtype) and dtype.kind in kinds]


@pytest.mark.parametrize("name", UNARY)
def test_function_of_one_array_has_numpys_values(device, compute, name):
    for dtype in all_dtypes(device, UNARY[name]):
        host, x = made(hostile(dtype))
        with quiet():
            result = compute(name, x)
        expect_like_numpy(name, result, getattr(np, name), [host])


@pytest.mark.parametrize("name", BINARY)
def test_function_of_two_arrays_has_numpys_values(device, compute, name):
    for dtype in all_dtypes(device, BINARY[name]):
        values = hostile(dtype)[:: 5 if dtype.kind == "c" else 1]
        (a, x), (b, y) = made(values[:, None]), made(values)
        with quiet():
            result = compute(name, x, y)
        expect_like_numpy(name, result, getattr(np, name), [a, b])


@pytest.mark.parametrize("name", BINARY)
@given(data=st.data())
def test_operands_of_two_dtypes_have_numpys_values(device, compute, name, data):
    kinds = BINARY[name]
    shape = data.draw(shapes())
    pair = [data.draw(operands(data.draw(st.sampled_from(dtypes_of(device, kinds))), shape)) for _ in range(2)]
    (a, x), (b, y) = pair
    dtype = np.result_type(a.dtype, b.dtype)
    if dtype.kind not in kinds:
        return
    with quiet():
        result = compute(name, x, y)
    expect_like_numpy(name, result, getattr(np, name), [a, b])


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("scalar", [3, 2.5], ids=str)
def test_scalar_has_the_dtype_that_numpy_gives_it(lenient_device, compute, name, scalar):
    if isinstance(scalar, float) and "f" not in BINARY[name]:
        return
    for dtype in all_dtypes(lenient_device, BINARY[name]):
        if dtype.kind == "b" and name in ("gcd", "lcm"):
            continue
        host, x = made(np.asarray([1, 2, 100] if dtype.kind != "b" else [True, False], dtype))
        with quiet():
            left, right = compute(name, x, scalar), compute(name, scalar, x)
        expect_like_numpy(name, left, lambda a: getattr(np, name)(a, scalar), [host])
        expect_like_numpy(name, right, lambda a: getattr(np, name)(scalar, a), [host])


@pytest.mark.parametrize("exponents", ["i4", "i8", "u1", "u4", "?"])
def test_ldexp_has_numpys_values(device, compute, exponents):
    n = np.asarray([0, 1, 5, 60, 120, 255], np.int64)
    if exponents.startswith("i"):
        n = np.asarray([0, 1, -1, 60, -60, -149, -1074, 1023, 2100, -2100, 2**31 - 1, -(2**31)], np.int64)
    b, y = made(n.astype(exponents) if exponents != "?" else np.asarray([True, False]))
    for dtype in all_dtypes(device, "iuf"):
        a, x = made(hostile(dtype)[:, None])
        with quiet():
            result = compute("ldexp", x, y)
        expect_like_numpy("ldexp", result, lambda a, b=b: np.ldexp(a, b), [a])


def test_ldexp_inverts_frexp(device, compute):
    for dtype in all_dtypes(device, "f"):
        host, x = made(hostile(dtype))
        expect(compute("ldexp", *compute("frexp", x)), host)


@pytest.mark.parametrize("name", [*UNARY, *BINARY, "ldexp"])
def test_function_refuses_dtypes_without_a_loop(device, compute, name):
    kinds = UNARY.get(name, BINARY.get(name, "biuf"))
    if "c" in kinds:
        return
    if name != "float_power":
        bad = xp.asarray([1j, 2.0])
        with pytest.raises(TypeError):
            compute(name, *[bad] * (1 if name in UNARY else 2))
    if "f" not in kinds:
        with pytest.raises(TypeError):
            compute(name, *[xp.ones(2)] * (1 if name in UNARY else 2))


def test_ldexp_refuses_exponents_that_are_not_integers(device, compute):
    with pytest.raises(TypeError):
        compute("ldexp", xp.ones(2), xp.ones(2))
    with pytest.raises(OverflowError):
        compute("ldexp", xp.ones(2), 2**40)


@pytest.mark.parametrize("name", ["frexp", "modf"])
def test_functions_with_two_results_return_tuples_of_arrays(device, name):
    result = getattr(xp, name)(xp.asarray(2.5))
    assert type(result) is tuple
    assert [part.shape for part in result] == [(), ()]


def test_divmod_takes_arrays_that_broadcast(device):
    quotient, remainder = xp.divmod(xp.asarray([[7.0], [-7.0]]), xp.asarray([2.0, -2.0]))
    expected = np.divmod([[7.0], [-7.0]], [2.0, -2.0])
    expect(quotient, expected[0])
    expect(remainder, expected[1])


@pytest.mark.parametrize("name", ["divmod", "fmod"])
def test_shapes_that_do_not_broadcast_are_refused(device, name):
    with pytest.raises(ValueError, match=name):
        getattr(xp, name)(xp.ones(2), xp.ones(3))


# -- functions composed of Arrays -------------------------------------------------------------------------------------

RELATIVES = {
    "angle": "biufc",
    "fix": "biuf",
    "i0": "biuf",
    "iscomplex": "biufc",
    "isneginf": "biuf",
    "isposinf": "biuf",
    "isreal": "biufc",
    "nan_to_num": "biufc",
    "sinc": "biuf",
}


@pytest.mark.parametrize("name", RELATIVES)
@pytest.mark.parametrize("shape", [(-1,), (), (0, 3)], ids=str)
def test_relative_has_numpys_values(device, name, shape):
    for dtype in dtypes_of(device, RELATIVES[name]):
        values = hostile(dtype)
        host, x = made(values if shape == (-1,) else np.full(shape, values[-1]))
        with quiet():
            result = getattr(xp, name)(x)
        expect_like_numpy(name, result, lambda x, name=name: np.asarray(getattr(np, name)(x)), [host])


@pytest.mark.parametrize("name", ["iscomplexobj", "isrealobj"])
def test_question_about_the_dtype_has_numpys_answer(device, name):
    for dtype in dtypes_of(device):
        assert getattr(xp, name)(xp.ones(2, dtype=dtype)) is getattr(np, name)(np.ones(2, dtype))


@pytest.mark.parametrize("name", [name for name, kinds in RELATIVES.items() if "c" not in kinds and name != "sinc"])
def test_relative_refuses_complex_numbers(device, name):
    with pytest.raises(TypeError, match="not supported"):
        getattr(xp, name)(xp.asarray([1j]))


def test_angle_in_degrees(device):
    host, x = made([1 + 1j, -1 + 0j, -1 - 0j, -2j])
    expect(xp.angle(x, deg=True), np.angle(host, deg=True), ulp=4)


def test_sinc_of_complex_numbers(device):
    host, x = made([0j, 1 + 1j, -2 + 0.5j])
    expect(xp.sinc(x), np.sinc(host), ulp=16)


@pytest.mark.parametrize("tol", [100, 1, 0.5, 1e-20])
@pytest.mark.parametrize("imaginary", [0.0, 1e-14, 1e-3, math.nan])
def test_real_if_close_matches_numpy(device, imaginary, tol):
    host, x = made([complex(1.0, imaginary), 2 + 0j])
    expect(xp.real_if_close(x, tol), np.real_if_close(host, tol))


@pytest.mark.parametrize("options", [{"nan": 1.5}, {"posinf": 3, "neginf": -3.0}, {"nan": 2, "posinf": 1.0}], ids=str)
def test_nan_to_num_takes_replacements(device, options):
    for dtype in dtypes_of(device, "fc"):
        host, x = made(hostile(dtype))
        expect(xp.nan_to_num(x, **options), np.nan_to_num(host, **options))


def test_nan_to_num_takes_an_array_of_replacements(device):
    host, x = made([math.nan, 1.0, math.nan])
    numbers, y = made([5.0, 6.0, 7.0])
    expect(xp.nan_to_num(x, nan=y), np.nan_to_num(host, nan=numbers))


@pytest.mark.parametrize("dtype", ["f4", "c16", "i4"])
def test_nan_to_num_without_copy_writes_in_place(device, dtype):
    host, x = made(hostile(np.dtype(dtype)))
    base = xp.asarray(x, copy=True)
    result = xp.nan_to_num(base, copy=False)
    assert result is base
    expect(base, np.nan_to_num(host))
    assert np.array_equal(values_of(x), host, equal_nan=True)


def test_nan_to_num_refuses_a_replacement_of_another_kind(device):
    with pytest.raises(TypeError, match="Cannot cast"):
        xp.nan_to_num(xp.ones(2), nan=1j)


@pytest.mark.parametrize("name", ["fix", "isneginf", "isposinf"])
def test_result_is_written_into_out(device, name):
    host, x = made([math.inf, -math.inf, 1.5, -2.5])
    out = xp.zeros(4)
    assert getattr(xp, name)(x, out) is out
    expect(out, getattr(np, name)(host).astype(np.float64))
    with pytest.raises(ValueError, match="out has shape"):
        getattr(xp, name)(x, out=xp.zeros(3))


@given(data=st.data())
def test_bits_are_counted_in_every_layout(device, compute, data):
    dtype = data.draw(st.sampled_from([dtype for dtype in STANDARD_DTYPES if dtype.kind in "iu"]))
    host, x = data.draw(operands(dtype))
    expect(compute("bitwise_count", x), np.bitwise_count(host))
