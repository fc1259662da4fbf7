"""Interpolation, integrals, correlations and phases: NumPy's values, dtypes and errors on every device."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import expect, few, made, operands, quiet, shapes

import xtensor as xp

F4, F8, C8, C16, I4, I8, U1, B = (np.dtype(name) for name in ("f4", "f8", "c8", "c16", "i4", "i8", "u1", "?"))

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

# -- interpolation ----------------------------------------------------------------------------------------------------


@given(data=st.data())
def test_interp_matches_numpy(device, data):
    knots = np.asarray(sorted(data.draw(st.sets(st.integers(-5, 5), min_size=1, max_size=6))))
    values, v = data.draw(
        operands(data.draw(st.sampled_from([F4, F8, C16, I4])), knots.shape, bound=20.0, special=False)
    )
    points = st.sampled_from([-6.0, -5.0, 0.0, 0.5, 1.0, 2.25, 5.0, 7.0, math.nan, math.inf, -math.inf])
    host, x = data.draw(operands(F8, data.draw(shapes(max_dims=2)), points))
    ends = data.draw(st.sampled_from([{}, {"left": -7.0}, {"left": math.nan, "right": 3}, {"period": 4.0}]))
    if ends.get("period") and not np.isfinite(host).all():
        ends = {}
    with quiet():
        expected = np.interp(host, knots, values, **ends)
    expect(xp.interp(x, xp.asarray(knots), v, **ends), expected, ulp=64, atol=1e-10, signs=False)


INFINITE = [
    ([1, 2, 3], [1, np.inf, 2]),
    ([1, 2, 3], [1, np.inf, np.inf]),
    ([1, 2, 3], [1, 2, np.nan]),
    ([1, 2, 3], [-np.inf, np.inf, 0]),
    ([1, 2, 2, 3], [0, 1, 5, 6]),
    ([-np.inf, 2, np.inf], [0, 1, 5]),
    ([0, np.nan, np.nan], [1, 2, 3]),
    ([1, 2, 3], [1, complex(0, np.inf), 2]),
    ([1, 2, 3], [complex(np.nan, 1), complex(-np.inf, np.inf), 2]),
    ([1, 2, 2, 3], [1j, np.inf, complex(3, np.nan), -1j]),
    ([-np.inf, 2, np.inf], [0, 1j, 5]),
]


@pytest.mark.parametrize(("knots", "values"), INFINITE, ids=str)
def test_interp_beside_infinite_values_matches_numpy(device, knots, values):
    host, x = made([0, 1, 1.5, 2, 2.5, 3, 4, np.nan, np.inf])
    dtype = np.result_type(F8, np.asarray(values))
    with quiet():
        expected = np.interp(host, knots, values)
    expect(xp.interp(x, xp.asarray(knots, dtype=F8), xp.asarray(values, dtype=dtype)), expected)


def test_interp_takes_lists_and_scalars_beside_an_array(device):
    expect(xp.interp(1.5, xp.asarray([1.0, 2.0]), [10, 20]), np.asarray(15.0))
    expect(xp.interp([1.5, 3], [1, 2], xp.asarray([10, 20]), right=xp.asarray(-1)), np.asarray([15.0, -1.0]))


def test_interp_with_a_period_sorts_the_points(device):
    knots, values = [190, -190, 350, -350], [5.0, 10.0, 3.0, 4.0]
    host, x = made([-180.0, -170.0, 5.0, 185.0, 355.0])
    expected = np.interp(host, knots, values, period=-360)
    expect(xp.interp(x, xp.asarray(knots), xp.asarray(values), left=0, period=-360), expected, ulp=4)


@pytest.mark.parametrize(
    ("args", "options", "error", "match"),
    [
        (([1.0, 2.0], [1.0]), {}, ValueError, "fp and xp are not of the same length."),
        (([], []), {}, ValueError, "array of sample points is empty"),
        (([1.0, 2.0], [1.0, 2.0]), {"period": 0}, ValueError, "period must be a non-zero value"),
        (([[1.0]], [1.0]), {"period": 2}, ValueError, "Data points must be 1-D sequences"),
        (([1.0, 2.0], [1.0, 2.0]), {"left": 1j}, TypeError, "must be real number, not complex"),
    ],
    ids=str,
)
def test_interp_refuses_arguments_as_numpy(device, args, options, error, match):
    with pytest.raises(error, match=match):
        xp.interp(xp.ones(2), *args, **options)
    with pytest.raises(error, match=match):
        np.interp(np.ones(2), *args, **options)


def test_interp_refuses_complex_coordinates(device):
    with pytest.raises(TypeError, match="takes real numbers for x"):
        xp.interp(xp.asarray([1j]), [1.0, 2.0], [1.0, 2.0])


# -- integrals and differences ----------------------------------------------------------------------------------------


@given(data=st.data())
def test_trapezoid_matches_numpy(device, data):
    dtype = data.draw(st.sampled_from([F4, F8, C8, I4]))
    host, x = data.draw(operands(dtype, data.draw(shapes(1, 3)), bound=20.0, special=False))
    axis = data.draw(st.integers(-host.ndim, host.ndim - 1))
    spacing = data.draw(st.sampled_from(["dx", "int", "1d", "nd", "array"]))
    if spacing in ("dx", "int"):
        dx = 2.5 if spacing == "dx" else 2
        expected, result = np.trapezoid(host, dx=dx, axis=axis), xp.trapezoid(x, dx=dx, axis=axis)
    elif spacing == "array":
        steps = np.asarray(1.5)
        expected, result = np.trapezoid(host, dx=steps, axis=axis), xp.trapezoid(x, dx=xp.asarray(steps), axis=axis)
    else:
        shape = (host.shape[axis],) if spacing == "1d" else host.shape
        points = np.arange(math.prod(shape)).reshape(shape) ** 2
        expected, result = np.trapezoid(host, points, axis=axis), xp.trapezoid(x, xp.asarray(points), axis=axis)
    expect(result, expected, ulp=64, atol=1e-3 if dtype in (F4, C8) else 1e-9, signs=False)


def test_trapezoid_of_small_integers_does_not_overflow(device):
    expect(xp.trapezoid(xp.asarray([200, 200], dtype=U1)), np.asarray(200.0))
    expect(xp.trapezoid(xp.asarray([True, True])), np.asarray(1.0))


def test_trapezoid_takes_lists(device):
    host, x = made([1.0, 2.0, 5.0])
    expect(xp.trapezoid(x, [0, 1, 3]), np.trapezoid(host, [0, 1, 3]))
    expect(xp.trapezoid([1, 2, 5], x), np.trapezoid([1, 2, 5], host))


EDGES = [{}, {"to_end": 7}, {"to_begin": [1, 2]}, {"to_end": [[1], [2]], "to_begin": 0}]


@pytest.mark.parametrize("options", EDGES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (5,), (2, 3)], ids=str)
@pytest.mark.parametrize("dtype", [F4, F8, C16, I8], ids=str)
def test_ediff1d_matches_numpy(device, options, shape, dtype):
    host, x = made((np.arange(math.prod(shape)) ** 2).reshape(shape), dtype)
    expect(xp.ediff1d(x, **options), np.ediff1d(host, **options))


@pytest.mark.parametrize("name", ["to_begin", "to_end"])
def test_ediff1d_refuses_an_unsafe_cast(device, name):
    for function, x in ((xp.ediff1d, xp.asarray([1, 2])), (np.ediff1d, np.asarray([1, 2]))):
        with pytest.raises(TypeError, match=f"dtype of `{name}` must be compatible with input `ary` under the"):
            function(x, **{name: 1.5})


# -- correlation ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["correlate", "convolve"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@few
@given(data=st.data())
def test_correlation_matches_numpy(device, name, mode, data):
    dtype = data.draw(st.sampled_from([I8, F8, C16, B]))
    pairs = [data.draw(operands(dtype, data.draw(shapes(1, 1, 1, 9)), bound=20.0, special=False)) for _ in range(2)]
    (a, x), (v, y) = pairs
    expect(getattr(xp, name)(x, y, mode), getattr(np, name)(a, v, mode), ulp=32, atol=1e-10, signs=False)


@pytest.mark.parametrize("name", ["correlate", "convolve"])
def test_correlation_takes_a_list_and_promotes(device, name):
    host, x = made([1, 2, 3])
    expect(getattr(xp, name)(x, [0.5, 1.5]), getattr(np, name)(host, [0.5, 1.5]))
    expect(getattr(xp, name)([0.5, 1.5], x), getattr(np, name)([0.5, 1.5], host))


def test_correlation_is_valid_by_default(device):
    host, x = made([1.0, 2.0, 3.0])
    expect(xp.correlate(x, x[:2]), np.correlate(host, host[:2]))


@pytest.mark.parametrize(
    ("name", "args", "match"),
    [
        ("correlate", ((3,), (3,), "most"), "mode must be one of 'valid', 'same', or 'full'"),
        ("correlate", ((0,), (3,)), "first array argument cannot be empty"),
        ("correlate", ((3,), (0,)), "second array argument cannot be empty"),
        ("convolve", ((0,), (3,)), "a cannot be empty"),
        ("convolve", ((3,), (0,)), "v cannot be empty"),
        ("correlate", ((2, 2), (3,)), "object too deep for desired array"),
    ],
    ids=str,
)
def test_correlation_refuses_arguments_as_numpy(device, name, args, match):
    for library in (xp, np):
        arrays = [library.ones(arg) if isinstance(arg, tuple) else arg for arg in args]
        with pytest.raises(ValueError, match=match):
            getattr(library, name)(*arrays)


# -- phases -----------------------------------------------------------------------------------------------------------


@given(data=st.data())
def test_unwrap_matches_numpy(device, data):
    dtype = data.draw(st.sampled_from([F4, F8, I4, I8]))
    host, x = data.draw(operands(dtype, data.draw(shapes(1, 3)), bound=50.0, special=False))
    axis = data.draw(st.integers(-host.ndim, host.ndim - 1))
    options = data.draw(st.sampled_from([{}, {"period": 4}, {"period": 5}, {"period": 2.5}, {"discont": 4.5}]))
    expected = np.unwrap(host, axis=axis, **options)
    expect(xp.unwrap(x, axis=axis, **options), expected, atol=1e-2 if dtype == F4 else 1e-9, signs=False)


@pytest.mark.parametrize("dtype", [F4, F8, I8], ids=str)
def test_unwrap_of_phases_matches_numpy(device, dtype):
    host, x = made([[0, 1, 2, -1, 0, 2], [5, 1, 3, 7, 11, 3]], dtype)
    expect(xp.unwrap(x, period=4), np.unwrap(host, period=4))
    expect(xp.unwrap(x, 3, 0, period=6), np.unwrap(host, 3, 0, period=6))


@pytest.mark.parametrize("dtype", [B, C16], ids=str)
def test_unwrap_refuses_other_dtypes(device, dtype):
    with pytest.raises(TypeError, match=r"unwrap\(\) takes real numbers"):
        xp.unwrap(xp.ones(3, dtype=dtype))


def test_coordinates_of_booleans_differ_by_their_exclusive_or(device):
    x = xp.asarray([True, False, True], device=device)
    assert float(xp.trapezoid(xp.asarray([1.0, 2.0, 3.0], device=device), x)) == 4.0
