"""Statistical functions on each device, compared with NumPy and, for sums, with exact summation (``math.fsum``)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import (
    defined_on,
    dtypes,
    dtypes_of,
    elements,
    expect,
    few,
    made,
    operands,
    quiet,
    shapes,
    supported,
    values_of,
)

import xtensor as xp

KINDS = {"max": "iuf", "min": "iuf", "mean": "fc", "prod": "iufc", "std": "f", "sum": "iufc", "var": "f"}
"""Reductions, with the dtype kinds for which the standard defines them."""

ROUNDING = ("mean", "prod", "std", "sum", "var")
"""Reductions whose order of operations is implementation-defined, so that rounding errors may differ."""

BEYOND = {"max": "b", "min": "b", "mean": "iu", "prod": "b", "std": "iu", "sum": "b", "var": "iu"}
"""Further dtype kinds that NumPy reduces."""


def kinds_on(device: xp.Device, name: str) -> str:
    return KINDS[name] if defined_on(device) else KINDS[name] + BEYOND[name]


def axes_of(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    """None, an axis, or a tuple of distinct axes, possibly empty; positive and negative."""
    if not shape:
        return st.sampled_from([None, ()])
    axis = st.integers(-len(shape), len(shape) - 1)
    axes = st.lists(axis, max_size=len(shape), unique_by=lambda axis: axis % len(shape)).map(tuple)
    return st.none() | axis | axes


def accumulate_dtype(dtype: Any, name: str) -> Any:
    """Return the dtype of the result: for sums and products of integers, the widest integers of their kind."""
    if name in ("sum", "prod") and dtype.kind in "biu":
        return supported(np.dtype(np.uint64 if dtype.kind == "u" else np.int64), xp.default_device())
    return dtype


def limits(name: str) -> dict[str, Any]:
    """Return bounds of the operands that keep rounding errors and products small."""
    return {"bound": 4.0 if name == "prod" else 100.0} if name in ROUNDING else {}


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
def test_reduction_equals_numpys(device, name, data):
    min_side = 1 if name in ("max", "min") else 0
    shape = data.draw(shapes(min_side=min_side))
    x = data.draw(operands(dtypes(device, kinds_on(device, name)), shape, **limits(name)))
    # C and the standard leave complex products and quotients with infinite components undefined.
    assume(name not in ("mean", "prod") or x.host.dtype.kind != "c" or np.isfinite(x.host).all())
    axis, keepdims = data.draw(axes_of(shape)), data.draw(st.booleans())
    with quiet():
        result = getattr(xp, name)(x.array, axis=axis, keepdims=keepdims)
        expected = getattr(np, name)(x.host, axis=axis, keepdims=keepdims)
    rounds = name in ROUNDING and expected.dtype.kind in "fc"
    atol = 0.0
    if rounds and name != "prod":
        scale = float(np.max(np.abs(x.host[np.isfinite(x.host)]), initial=1.0))
        atol = 16 * float(np.finfo(expected.dtype).eps) * scale * max(x.host.size, 1)
    expect(result, expected, ulp=32 if rounds else 0, signs=False, atol=atol)


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
def test_reduction_has_the_dtype_of_the_standard(device, name, data):
    x = data.draw(operands(dtypes(device, KINDS[name]), shapes(min_side=1), bound=2.0))
    with quiet():
        assert getattr(xp, name)(x.array).dtype == accumulate_dtype(x.host.dtype, name)


@pytest.mark.parametrize("name", ["sum", "prod"])
@few
@given(data=st.data())
def test_reduction_with_an_accumulate_dtype(device, name, data):
    x = data.draw(operands(dtypes(device, "iuf"), bound=3.0, special=False))
    dtype = data.draw(dtypes(device, x.host.dtype.kind))
    result = getattr(xp, name)(x.array, dtype=dtype)
    expect(result, getattr(np, name)(x.host, dtype=dtype), dtype=dtype, ulp=32 if dtype.kind == "f" else 0, signs=False)


@pytest.mark.parametrize("name", ["std", "var"])
@few
@given(data=st.data())
def test_correction_adjusts_the_divisor(device, name, data):
    x = data.draw(operands(dtypes(device, "f"), shapes(min_dims=1), bound=100.0, special=False))
    correction = data.draw(st.sampled_from([0, 1, 0.5, 2.0, 7]))
    with quiet():
        result = getattr(xp, name)(x.array, correction=correction)
        expected = np.asarray(getattr(np, name)(x.host.astype(np.float64), ddof=correction))
        if x.host.size <= correction:
            expected = np.full_like(expected, np.nan)  # the standard requires NaN; NumPy returns infinity
    eps = float(np.finfo(x.host.dtype).eps)
    # The square root amplifies the rounding error of a variance near 0.
    atol = math.sqrt(eps) * 200 if name == "std" else 16 * eps * float(np.max(np.abs(x.host), initial=1.0)) ** 2
    expect(result, expected, dtype=x.host.dtype, ulp=64, atol=atol, signs=False)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("deviation", [8.0, 300.0])
def test_deviation_of_numbers_whose_squares_exceed_float16(device, dtype, deviation):
    if dtype not in device.dtype_names() or not hasattr(xp, dtype):
        pytest.skip(f"the device does not compute with {dtype}")
    x = xp.asarray([[deviation, -deviation]] * 2048, dtype=getattr(xp, dtype))
    for axis in (None, 0, 1):
        result = xp.std(xp.asarray(x - deviation * (axis == 0)), axis=axis)
        assert result.dtype == x.dtype
        expected = 0.0 if axis == 0 else deviation
        assert xp.all(result == expected), (axis, result)
    if deviation == 8.0:
        assert float(xp.var(x)) == 64.0


SCANS = {"cumulative_prod": 4.0, "cumulative_sum": 100.0}
"""Cumulative functions, with the bound of their operands' elements."""


@pytest.mark.parametrize("name", SCANS)
@given(data=st.data())
def test_cumulative_function_equals_numpys(device, name, data):
    shape = data.draw(shapes(min_dims=1))
    x = data.draw(operands(dtypes(device, "iufc"), shape, bound=SCANS[name]))
    # C and the standard leave complex products with infinite components undefined.
    assume(name == "cumulative_sum" or x.host.dtype.kind != "c" or np.isfinite(x.host).all())
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    initial = data.draw(st.booleans())
    with quiet():
        result = getattr(xp, name)(x.array, axis=axis, include_initial=initial)
        expected = getattr(np, name)(x.host, axis=axis, include_initial=initial)
    rounds = expected.dtype.kind in "fc"
    atol = 16 * float(np.finfo(expected.dtype).eps) * 100 if rounds and name == "cumulative_sum" else 0.0
    expect(
        result, expected, dtype=accumulate_dtype(x.host.dtype, "sum"), ulp=8 if rounds else 0, signs=False, atol=atol
    )


@pytest.mark.parametrize("name", SCANS)
@few
@given(data=st.data())
def test_cumulative_function_of_a_1d_array_has_a_default_axis(device, name, data):
    x = data.draw(operands(dtypes(device, "iu"), shapes(min_dims=1, max_dims=1), bound=3.0))
    expect(getattr(xp, name)(x.array), getattr(np, name)(x.host), dtype=accumulate_dtype(x.host.dtype, "sum"))


@pytest.mark.parametrize("name", SCANS)
@few
@given(data=st.data())
def test_cumulative_function_with_an_accumulate_dtype(device, name, data):
    x = data.draw(operands(dtypes(device, "iu"), shapes(min_dims=1, max_dims=1), bound=3.0))
    dtype = data.draw(dtypes(device, x.host.dtype.kind))
    expect(getattr(xp, name)(x.array, dtype=dtype), getattr(np, name)(x.host, dtype=dtype), dtype=dtype)


@pytest.mark.parametrize("name", SCANS)
def test_cumulative_function_of_a_2d_array_requires_axis(device, name):
    with pytest.raises(ValueError, match=rf"^For arrays which have more than one dimension.*{name}\(\).*\(2, 2\)"):
        getattr(xp, name)(xp.ones((2, 2)))


@pytest.mark.parametrize("name", SCANS)
def test_cumulative_function_of_a_0d_array_is_refused(device, name):
    with pytest.raises(ValueError, match=rf"{name}\(\).*0-d"):
        getattr(xp, name)(xp.asarray(1.0))


EMPTY = {"sum": 0.0, "prod": 1.0, "mean": math.nan, "std": math.nan, "var": math.nan}
"""Reductions of no elements, with their result."""


@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize(("shape", "axis", "reduced"), [((0,), None, ()), ((0, 3), 0, (3,)), ((2, 0), (0, 1), ())])
def test_reduction_of_no_elements(device, name, shape, axis, reduced):
    with quiet():
        result = getattr(xp, name)(xp.zeros(shape), axis=axis)
    expect(result, np.full(reduced, EMPTY[name]), dtype=xp.zeros(1).dtype)


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_extremum_of_no_elements_is_refused(device, name, dtype):
    with pytest.raises(ValueError, match=name):
        getattr(xp, name)(xp.zeros((0, 2), dtype=dtype))


@pytest.mark.parametrize("name", ["max", "min", "mean", "sum", "std", "var", "prod"])
@pytest.mark.parametrize("index", [0, 3, 8])
def test_reduction_propagates_nan(device, name, index):
    values = np.arange(9.0)
    values[index] = np.nan
    with quiet():
        result = getattr(xp, name)(made(values).array)
    assert math.isnan(float(result))


def test_sum_of_both_infinities_is_nan(device):
    with quiet():
        assert math.isnan(float(xp.sum(xp.asarray([math.inf, -math.inf]))))


@pytest.mark.parametrize(("name", "expected"), [("max", math.inf), ("min", -math.inf)])
def test_extremum_with_infinities(device, name, expected):
    assert float(getattr(xp, name)(xp.asarray([1.0, math.inf, -math.inf]))) == expected


@given(data=st.data())
def test_sum_of_many_numbers_is_close_to_the_exact_sum(device, data):
    dtype = data.draw(dtypes(device, "f"))
    seed = data.draw(st.integers(0, 2**32 - 1))
    host = np.random.default_rng(seed).uniform(-1, 1, 3000).astype(dtype)
    result = float(xp.sum(xp.asarray(host, copy=True)))
    assert abs(result - math.fsum(host)) <= 16 * float(np.finfo(dtype).eps) * float(np.sum(np.abs(host)))


@few
@given(data=st.data())
def test_sum_of_integers_wraps_around_on_overflow(device, data):
    widest = dtypes_of(device, "i")[-1]
    x = data.draw(operands(widest, (4,), elements(widest)))
    expect(xp.sum(x.array), np.sum(x.host))


@pytest.mark.parametrize("name", KINDS)
@few
@given(data=st.data())
def test_reduction_does_not_modify_its_operand(device, name, data):
    x = data.draw(operands(dtypes(device, KINDS[name]), shapes(min_side=1)))
    before = values_of(x.array).copy()
    with quiet():
        getattr(xp, name)(x.array)
    expect(x.array, before)


def test_tested_functions_are_those_of_the_chapter():
    from xtensor._ops import STANDARD

    assert {*KINDS, *SCANS} == {*STANDARD["statistical"], *STANDARD["scans"]}


def test_mean_is_computed_in_the_dtype_that_was_asked_for(device):
    x = xp.asarray([1, 2], dtype=xp.int8)
    assert xp.mean(x, dtype=xp.float32).dtype == xp.float32
    assert float(xp.mean(x, dtype=xp.float32)) == 1.5
