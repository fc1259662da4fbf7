"""Numbers at the ends of the range: integers beyond 2**53, and values and dtypes of ordinary functions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import reduce
from random import Random

import numpy as np
import pytest
from arguments import as_numpy, call, call_numpy
from good_arguments import GOOD, STATEFUL_FUNCTIONS, WRITING_FUNCTIONS, public_function
from strategies import quiet, values_of

import xtensor as xp
from xtensor.nn import functional

ENDS = (0, 1, -1, 7, -100, 2**53, 2**53 + 1, 2**62 + 1, -(2**63), 2**63 - 1)
"""Integers of 64 bits, of which float64 holds some."""

UNSIGNED = (2**64 - 1, 2**63, 2**53 + 1, 2**53, 0, 2**64 - 2)


def signed(value: int) -> int:
    """Return an integer modulo 2**64, as int64 has it."""
    return (value + 2**63) % 2**64 - 2**63


def int64(values):
    return xp.asarray(list(values), dtype=xp.int64)


def listed(x):
    return values_of(x).tolist()


# -- ranges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1, 2**52, 2**61, 2**62, 2**63 - 1, -(2**62), -(2**53) - 1])
def test_arange_of_integers_has_the_elements_of_a_range(device, step):
    ranges = [range(start, stop, step) for start, stop in itertools.permutations(ENDS, 2) if (stop - start) / step < 9]
    assert [listed(xp.arange(each.start, each.stop, step)) for each in ranges] == [list(each) for each in ranges]


@pytest.mark.parametrize(
    ("start", "stop", "step"), [(0, 2**64 - 1, 2**62), (2**64 - 3, 2**64 - 1, 1), (2**64 - 1, 0, -(2**63))]
)
def test_arange_of_unsigned_integers_has_the_elements_of_a_range(device, start, stop, step):
    assert listed(xp.arange(start, stop, step, dtype=xp.uint64)) == list(range(start, stop, step))


def test_length_of_a_range_of_integers_is_exact_for_floating_point_numbers(device):
    assert listed(xp.arange(0, 2**53 + 1, 2**52, dtype=xp.float64)) == [0.0, 2.0**52, 2.0**53]


@pytest.mark.parametrize(("num", "endpoint"), [(1, True), (2, True), (3, False), (7, True)])
def test_linspace_of_integers_is_rounded_down_exactly(device, num, endpoint):
    parts = max(num - 1 if endpoint else num, 1)
    for start, stop in itertools.product(ENDS, ENDS):
        result = listed(xp.linspace(start, stop, num, dtype=xp.int64, endpoint=endpoint))
        assert result == [math.floor(start + Fraction(i * (stop - start), parts)) for i in range(num)]


def test_linspace_refuses_integers_out_of_bounds(device):
    with pytest.raises(OverflowError, match="out of bounds for int8"):
        xp.linspace(0, 300, 3, dtype=xp.int8)


# -- functions of integers --------------------------------------------------------------------------------------------

ORDERED = sorted(ENDS)

INTEGER_FUNCTIONS = {
    "clip": (lambda x: xp.clip(x, -5, 2**53 + 1), [min(max(v, -5), 2**53 + 1) for v in ENDS]),
    "maximum": (lambda x: xp.maximum(x, 2**53 + 1), [max(v, 2**53 + 1) for v in ENDS]),
    "diff": (xp.diff, [signed(b - a) for a, b in itertools.pairwise(ENDS)]),
    "ediff1d": (xp.ediff1d, [signed(b - a) for a, b in itertools.pairwise(ENDS)]),
    "cumulative_sum": (xp.cumulative_sum, [signed(v) for v in itertools.accumulate(ENDS)]),
    "nancumsum": (xp.nancumsum, [signed(v) for v in itertools.accumulate(ENDS)]),
    "sum": (xp.sum, signed(sum(ENDS))),
    "nansum": (xp.nansum, signed(sum(ENDS))),
    "max": (xp.max, max(ENDS)),
    "nanmin": (xp.nanmin, min(ENDS)),
    "ptp": (lambda x: xp.ptp(x[:6]), 2**53 + 100),
    "argmax": (xp.argmax, ENDS.index(max(ENDS))),
    "sort": (lambda x: xp.sort(x, descending=True), ORDERED[::-1]),
    "argsort": (xp.argsort, sorted(range(len(ENDS)), key=lambda i: ENDS[i])),
    "searchsorted": (lambda x: xp.searchsorted(xp.sort(x), x), [ORDERED.index(v) for v in ENDS]),
    "digitize": (lambda x: xp.digitize(x, xp.sort(x)), [ORDERED.index(v) + 1 for v in ENDS]),
    "unique_values": (xp.unique_values, ORDERED),
    "isin": (lambda x: xp.isin(x, int64([2**53])), [v == 2**53 for v in ENDS]),
    "setdiff1d": (lambda x: xp.setdiff1d(x, int64([2**53])), [v for v in ORDERED if v != 2**53]),
    "repeat": (lambda x: xp.repeat(x, 2), [v for v in ENDS for _ in range(2)]),
    "round": (xp.round, list(ENDS)),
    "floor_divide": (lambda x: xp.floor_divide(x, 3), [v // 3 for v in ENDS]),
    "remainder": (lambda x: xp.remainder(x, -(2**53) - 1), [v % (-(2**53) - 1) for v in ENDS]),
    "pow": (lambda x: x**3, [signed(v**3) for v in ENDS]),
    "divmod": (lambda x: xp.stack(divmod(x, -7)), [[v // -7 for v in ENDS], [v % -7 for v in ENDS]]),
    "fmod": (lambda x: xp.fmod(x, 2**53), [abs(v) % 2**53 * (-1 if v < 0 else 1) for v in ENDS]),
    "matmul": (lambda x: xp.matmul(x, xp.ones_like(x)), signed(sum(ENDS))),
    "einsum": (lambda x: xp.einsum("i,i->", x, x), signed(sum(v * v for v in ENDS))),
    "convolve": (lambda x: xp.convolve(x[5:7], x[1:2]), [2**53, 2**53 + 1]),
    "polyval": (lambda x: xp.polyval(x[1:2], x[6:7]), [1]),
    "quantile": (lambda x: xp.quantile(x, 0.5, method="lower"), ORDERED[4]),
    "histogram": (lambda x: xp.histogram(x, xp.sort(x))[0], [1] * 8 + [2]),
    "pad": (lambda x: xp.pad(x[6:7], 2, mode="linear_ramp", end_values=2**53 + 1), [2**53 + 1] * 5),
    "where": (lambda x: xp.where(x > 0, x, 2**53 + 1), [v if v > 0 else 2**53 + 1 for v in ENDS]),
}


@pytest.mark.parametrize("name", INTEGER_FUNCTIONS)
def test_function_of_integers_is_exact_beyond_two_to_the_53(device, name):
    function, expected = INTEGER_FUNCTIONS[name]
    assert listed(function(int64(ENDS))) == expected


UNSIGNED_FUNCTIONS = {
    "clip": (lambda x: xp.clip(x, 5, 2**64 - 2), [min(max(v, 5), 2**64 - 2) for v in UNSIGNED]),
    "sort": (xp.sort, sorted(UNSIGNED)),
    "searchsorted": (lambda x: xp.searchsorted(xp.sort(x), x), [sorted(UNSIGNED).index(v) for v in UNSIGNED]),
    "floor_divide": (lambda x: xp.floor_divide(x, 3), [v // 3 for v in UNSIGNED]),
    "remainder": (lambda x: xp.remainder(x, 2**63), [v % 2**63 for v in UNSIGNED]),
    "max": (xp.max, 2**64 - 1),
    "ptp": (xp.ptp, 2**64 - 1),
}


@pytest.mark.parametrize("name", UNSIGNED_FUNCTIONS)
def test_function_of_unsigned_integers_is_exact(device, name):
    function, expected = UNSIGNED_FUNCTIONS[name]
    assert listed(function(xp.asarray(UNSIGNED, dtype=xp.uint64))) == expected


LARGE = {
    "int64": [2**53 + 1, 2**53 + 3, 2**54 + 1, 2**60 + 7, 2**62 + 1, -(2**53) - 1, -(2**53) - 3, -(2**61) - 1],
    "uint64": [2**53 + 1, 2**53 + 3, 2**60 + 7, 2**62 + 1, 2**63 + 1, 2**64 - 1, 2**64 - 3],
}

ASCENDING = ("digitize", "histogram", "histogram2d", "histogramdd", "interp", "searchsorted")
"""Functions of which an operand must be ascending."""

OF_INTEGERS = (*("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert", "bitwise_count", "gcd", "lcm", "isin"),)
"""Functions whose valid operands are integers already."""

BY_HAND = {
    **dict.fromkeys(("isfinite", "isinf", "isnan", "isneginf", "isposinf", "signbit"), "of floating-point numbers"),
    "apply_along_axis": "sums",
    "apply_over_axes": "sums",
    "around": "test_rounding_of_integers_to_powers_of_ten_is_exact",
    "digitize": "INTEGER_FUNCTIONS",
    "divmod": "INTEGER_FUNCTIONS",
    "fmod": "INTEGER_FUNCTIONS",
    "frexp": "exponents of floating-point numbers",
    "histogram": "INTEGER_FUNCTIONS",
    "from_dlpack": "no computation",
    "isclose": "compares in float64, as NumPy's",
    "linalg.lstsq": "in float64",
    "linalg.matrix_rank": "in float64",
    "piecewise": "calls the functions that it is given",
    "pow": "INTEGER_FUNCTIONS",
    "ptp": "INTEGER_FUNCTIONS",
    "round": "INTEGER_FUNCTIONS",
    "where": "INTEGER_FUNCTIONS",
}
"""Functions that NumPy does not compute with integers of Python, and where their values are tested."""

EVERY_FUNCTION = [
    name
    for name in GOOD
    if name not in ("register_backend", "empty", "empty_like", *STATEFUL_FUNCTIONS, *BY_HAND)
    and not name.startswith(("nn.", "special.", "fft."))
    and not name.startswith(("save", "load"))
]


def with_large_integers(value, dtype, rng, name):
    """Return arguments whose numbers are large integers; keys, masks and counts stay."""
    if isinstance(value, xp.Array):
        is_integer = name in OF_INTEGERS
        if value.dtype.kind != "f" and not (is_integer and value.dtype.kind == "i"):
            return value
        numbers = rng.choices(LARGE[dtype], k=value.size)
        numbers = sorted(numbers) if name in ASCENDING else numbers
        return xp.asarray(np.asarray(numbers, dtype).reshape(value.shape))
    if isinstance(value, dict):
        return {key: with_large_integers(item, dtype, rng, name) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([with_large_integers(item, dtype, rng, name) for item in value])
    return value


def of_python(value):
    """Return NumPy's arrays of large integers as arrays of Python's integers, which NumPy computes exactly."""
    if isinstance(value, np.ndarray) and value.dtype.itemsize == 8 and value.dtype.kind in "iu":
        return value.astype(object) if any(abs(item) > 2**50 for item in value.ravel().tolist()) else value
    if isinstance(value, dict):
        return {key: of_python(item) for key, item in value.items()}
    return type(value)([of_python(item) for item in value]) if isinstance(value, (list, tuple)) else value


def exact_results(result):
    """Return the arrays of booleans and integers of a result, with their positions."""
    items = result if isinstance(result, (list, tuple)) else (result,)
    return {i: values_of(x) for i, x in enumerate(items) if isinstance(x, xp.Array) and x.dtype.kind in "iub"}


def differences_from_numpy(name, dtype, seed):
    """Return the results of a function that differ from NumPy's of Python's integers; None if it has no integers."""
    function, arguments = public_function(name), with_large_integers(GOOD[name](), dtype, Random(seed), name)
    host = of_python({key: as_numpy(value) for key, value in arguments.items()})
    try:
        result = call(function, arguments)
    except (TypeError, ValueError):
        return None  # takes no such integers
    found = exact_results(next(iter(arguments.values())) if name in WRITING_FUNCTIONS else result)
    if not found:
        return None
    expected = call_numpy(reduce(getattr, name.split("."), np), function, host)
    expected = next(iter(host.values())) if name in WRITING_FUNCTIONS else expected
    items = expected if isinstance(expected, (list, tuple)) else (expected,)
    wrong = []
    for i, x in found.items():
        size = 2 ** (8 * x.dtype.itemsize)
        numbers = [int(item) % size for item in np.asarray(items[i]).ravel().tolist()]
        if [int(item) % size for item in x.ravel().tolist()] != numbers:
            wrong.append((name, x.tolist(), numbers))
    return wrong


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated")  # since NumPy 2.5
@pytest.mark.parametrize("dtype", LARGE)
def test_every_function_of_integers_is_exact(lenient_device, dtype):
    outcomes = []
    with quiet():
        for name in EVERY_FUNCTION:
            try:
                outcomes += [differences_from_numpy(name, dtype, seed) for seed in range(2)]
            except Exception as error:
                error.add_note(f"in {name}; where NumPy computes no integers of Python, test it by hand: BY_HAND")
                raise
    tested = [outcome for outcome in outcomes if outcome is not None]
    assert [line for outcome in tested for line in outcome] == []
    assert len(tested) > 2 * 150  # of some 430 functions; the others have no results of integers


@pytest.mark.parametrize("dtype", ["int8", "int16", "int64", "uint8", "uint64"])
def test_rounding_of_integers_to_powers_of_ten_is_exact(device, dtype):
    limits = np.iinfo(dtype)
    least, size = int(limits.min), 2**limits.bits
    values = sorted({max(least, min(v, int(limits.max))) for v in (least, -125, -55, -50, 0, 5, 45, 125, 2**63, 2**64)})
    for digits in (1, 2, 3, 19, 20, 30):
        unit = 10**digits
        expected = [(round(Fraction(v, unit)) * unit - least) % size + least for v in values]
        assert listed(xp.asarray(values, dtype=getattr(xp, dtype)).round(-digits)) == expected


# -- values that do not exist -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.float64("nan"), [1.5, math.nan]], ids=repr)
def test_nan_is_not_assigned_to_integers(device, value):
    x = xp.zeros(2, dtype=xp.int64)
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        x[...] = value


def test_infinity_is_not_assigned_to_integers(device):
    x = xp.zeros(2, dtype=xp.int64)
    with pytest.raises(OverflowError, match="cannot convert float infinity to integer"):
        x[...] = [0.0, math.inf]


def test_integer_beyond_floating_point_numbers_does_not_fill_an_array(device):
    with pytest.raises(OverflowError):
        xp.full(2, 10**400, dtype=xp.float64)


@pytest.mark.parametrize("target", [3, -1])
def test_label_out_of_bounds_is_an_error_on_the_host(device, target):
    logits, targets = xp.zeros((2, 3)), int64([0, target])
    if device.host:
        with pytest.raises(IndexError, match=f"target {target} is out of bounds for 3 classes"):
            functional.cross_entropy(logits, targets)
    else:
        assert math.isnan(float(functional.cross_entropy(logits, targets)))


def test_einsum_refuses_a_result_without_the_axes_of_its_ellipsis(device):
    with pytest.raises(ValueError, match="output has more dimensions than subscripts given"):
        xp.einsum("i...->i", xp.ones((2, 3)))


def test_interpolation_of_nan_at_one_knot_is_nan(device):
    assert math.isnan(float(xp.interp(xp.asarray(math.nan), xp.asarray([1.0]), xp.asarray([0.0]))))


@pytest.mark.parametrize(("side", "expected"), [("left", 2), ("right", 4)])
def test_nan_is_searched_behind_all_numbers(device, side, expected):
    ordered = xp.asarray([0.0, 1.0, math.nan, math.nan])
    assert int(xp.searchsorted(ordered, xp.asarray(math.nan), side=side)) == expected


# -- dtypes and orders ------------------------------------------------------------------------------------------------


def test_roots_are_real_if_all_are(device):
    assert values_of(xp.roots(xp.asarray([1.0, -3.0, 2.0]))).dtype.kind == "f"
    assert values_of(xp.roots(xp.asarray([1.0, 0.0, 1.0]))).dtype.kind == "c"


def test_polynomial_at_booleans_has_the_dtype_of_its_coefficients(device):
    result = xp.polyval(xp.asarray([1, 2], dtype=xp.int8), xp.asarray([True, False]))
    assert (result.dtype, listed(result)) == (xp.int8, [3, 2])


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient_of_float16_is_rounded_once(device, edge_order):
    if not device.supports(xp.float16):
        pytest.skip(f"{device} does not support float16")
    rng = np.random.default_rng(0)
    f = rng.integers(0, 2048, (12, 20)).astype(np.float16)
    x = np.cumsum(rng.integers(1, 9, 20)).astype(np.float16)
    result = xp.gradient(xp.asarray(f), xp.asarray(x), axis=1, edge_order=edge_order)
    assert result.dtype == xp.float16
    for row, numbers in zip(f.tolist(), listed(result), strict=True):
        for i, number in enumerate(numbers):
            first = min(max(i - 1, 0), 17 if edge_order == 2 else 18)
            count = 2 if edge_order == 1 and i in (0, 19) else 3
            places = [(Fraction(x.tolist()[j]), Fraction(row[j])) for j in range(first, first + count)]
            exact = slope_of_polynomial(places, Fraction(x.tolist()[i]))
            assert abs(Fraction(number) - exact) <= max(abs(exact), Fraction(1, 8)) / 1024  # in units: one


def slope_of_polynomial(places: list[tuple[Fraction, Fraction]], at: Fraction) -> Fraction:
    """Return the derivative of the polynomial through some points, by Lagrange's form."""
    total = Fraction(0)
    for i, (x, y) in enumerate(places):
        others = [other for j, (other, _) in enumerate(places) if j != i]
        divisor = math.prod((x - other for other in others), start=Fraction(1))
        slope = sum(
            (math.prod((at - b for b in others if b != a), start=Fraction(1)) for a in others), start=Fraction(0)
        )
        total += y * slope / divisor
    return total


@pytest.mark.parametrize("size", [5, 700, 5000])
def test_median_of_float16_is_float16_at_all_sizes(device, size):
    if not device.supports(xp.float16):
        pytest.skip(f"{device} does not support float16")
    assert xp.median(xp.ones(size, dtype=xp.float16)).dtype == xp.float16


def test_array_of_levels_promotes_quantiles(device):
    x = xp.asarray([1.0, 1.0 + 2.0**-23], dtype=xp.float32)
    assert xp.quantile(x, 0.25).dtype == xp.float32
    result = xp.quantile(x, xp.asarray([0.25], dtype=xp.float64))
    assert (result.dtype, listed(result)) == (xp.float64, [1.0 + 2.0**-25])


def test_histogram_of_float16_has_edges_in_float64_where_float16_has_too_few_numbers(device):
    if not device.supports(xp.float16):
        pytest.skip(f"{device} does not support float16")
    counts, edges = xp.histogram(xp.asarray([2048.0, 2050.0], dtype=xp.float16), bins=4)
    assert (listed(counts), listed(edges)) == ([1, 0, 0, 1], [2048.0, 2048.5, 2049.0, 2049.5, 2050.0])


@pytest.mark.parametrize(
    ("order", "expected"), [("K", [0, 1, 2, 3]), ("A", [0, 1, 2, 3]), ("F", [0, 1, 2, 3]), ("C", [0, 2, 1, 3])]
)
def test_flattening_follows_the_order_in_memory(order, expected):
    x = xp.asarray([[0, 1], [2, 3]], device="cpu").T
    assert x.ravel(order).tolist() == x.flatten(order).tolist() == np.ravel(x, order).tolist() == expected


ROUNDED = [
    ("float64", 1e300, 20, 1e300),
    ("float32", 1.5e30, 20, 1.5e30),
    ("float32", 3.0, 40, 3.0),
    ("float32", -3.0, -40, -0.0),
    ("float64", -np.inf, -308, -np.inf),
    # The multiples of 100,000 next to 40,000 and 60,000 are 0 and one beyond 65,504.
    ("float16", 4e4, -5, 0.0),
    ("float16", -6e4, -5, -np.inf),
    # The multiples of 1e-5 next to 2**-18 = 3.8e-6 and 2**-17 = 7.6e-6.
    ("float16", 2.0**-18, 5, 0.0),
    ("float16", 2.0**-17, 5, 1e-5),
    ("float32", np.inf, -40, np.inf),
    ("complex128", complex(np.inf, 0.125), 2, complex(np.inf, 0.12)),
    ("complex128", complex(-1234.0, -np.inf), -2, complex(-1200.0, -np.inf)),
]


@pytest.mark.filterwarnings("ignore:(overflow|invalid value|divide by zero) encountered:RuntimeWarning")
@pytest.mark.parametrize(("dtype", "number", "decimals", "expected"), ROUNDED)
def test_round_to_decimals_beyond_the_range(device, dtype, number, decimals, expected):
    if dtype not in device.dtype_names():
        pytest.skip(f"{device} does not support {dtype}")
    result = np.asarray([number], dtype)
    result = xp.to_numpy(xp.asarray(result, device=device).round(decimals))[0]
    expected = np.asarray(expected, dtype)[()]
    for found, wanted in ((result.real, expected.real), (result.imag, expected.imag)):
        assert found == wanted
        assert np.signbit(found) == np.signbit(wanted)


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_sums_of_complex_numbers_keep_infinite_components_apart(device):
    if "complex128" not in device.dtype_names():
        pytest.skip(f"{device} does not support complex128")
    numbers = xp.asarray(np.asarray([1 + 1j, complex(1, np.inf), complex(np.inf, 2), 2j]), device=device)
    places = xp.asarray(np.asarray([1.0, 2.0, 3.0, 1.5]), device=device)
    expected = np.asarray([1 + 3j, complex(1, np.inf), complex(np.inf, 2)])
    np.testing.assert_array_equal(xp.to_numpy(xp.histogram(places, 3, weights=numbers)[0]), expected)
