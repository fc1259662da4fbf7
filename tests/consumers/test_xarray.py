"""xarray, unmodified: computations on Arrays stay on the device and agree with NumPy.

The tests exclude ``strict``: xarray sums booleans, mixes integers with floating-point numbers and uses NumPy's
indexing, which the standard leaves undefined.
"""

from __future__ import annotations

import operator

import numpy as np
import pytest

xr = pytest.importorskip("xarray", reason="xarray is not installed: dependency group consumers")

import xtensor as xp  # noqa: E402 - after importorskip

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning", "ignore::FutureWarning")

RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(4, 6))
HOLES = np.where(RNG.random((4, 6)) < 0.3, np.nan, VALUES)
HOLES[2, :] = np.nan
GAPS = np.where(RNG.random((4, 6)) < 0.2, np.nan, VALUES)
COORDS = {"t": np.arange(4), "s": np.arange(6) * 10, "g": ("t", ["a", "b", "a", "b"])}


def data_array(data):
    return xr.DataArray(data, dims=("t", "s"), coords=COORDS)


def assert_agrees(call, values, device):
    """Fail unless a computation on a device returns NumPy's values as an Array of the device."""
    expected = call(data_array(values))
    result = call(data_array(xp.asarray(values, device=device, copy=True)))
    assert type(result.data) is xp.Array
    assert result.data.device is device
    assert result.dims == expected.dims
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(result.data.to_device("cpu")), expected.data, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dim", ["t", "s", None])
@pytest.mark.parametrize("skipna", [None, True, False])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "min", "max", "median", "cumsum", "cumprod"])
def test_reduction_stays_on_the_device(lenient_device, name, skipna, dim):
    assert_agrees(lambda x: getattr(x, name)(dim, skipna=skipna), HOLES, lenient_device)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("name", ["var", "std"])
def test_variance_excludes_nan_and_stays_on_the_device(lenient_device, name, ddof):
    assert_agrees(lambda x: getattr(x, name)("s", ddof=ddof), HOLES, lenient_device)


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_argmin_and_argmax_stay_on_the_device(lenient_device, name):
    assert_agrees(lambda x: getattr(x.isel(t=[0, 1, 3]), name)("s"), HOLES, lenient_device)


CALLS = {
    "arithmetic": lambda x: 2 * x - x.mean("t") / 3 + x**2,
    "astype": lambda x: x.astype("float32"),
    "boolean mask": lambda x: x.isel(t=np.asarray([True, False, True, False])),
    "clip": lambda x: x.clip(-1, 1),
    "coarsen": lambda x: x.coarsen(s=2).mean(),
    "comparison": lambda x: (x > 0) & (x < 1),
    "concat": lambda x: xr.concat([x, x.isel(t=slice(0, 2))], "t"),
    "count": lambda x: x.count("s"),
    "dataset": lambda x: x.to_dataset(name="q").mean("t").q,
    "diff": lambda x: x.diff("s"),
    "differentiate": lambda x: x.differentiate("s"),
    "dot": lambda x: xr.dot(x.fillna(0.0), x.fillna(1.0), dim="s"),
    "expand and squeeze": lambda x: x.expand_dims("n").squeeze(),
    "fillna": lambda x: x.fillna(0.0),
    "groupby max": lambda x: x.groupby("g").max(),
    "groupby mean": lambda x: x.groupby("g").mean(),
    "integer positions": lambda x: x.isel(t=slice(1, 3), s=[0, 2]),
    "integrate": lambda x: x.integrate("s"),
    "isnull": lambda x: x.isnull(),
    "label": lambda x: x.sel(t=2),
    "labels": lambda x: x.sel(s=slice(10, 30)),
    "min_count": lambda x: x.sum("s", min_count=2),
    "one position": lambda x: x.isel(t=1),
    "pad": lambda x: x.pad(s=(1, 2), mode="edge"),
    "pad with NaN": lambda x: x.pad(s=(1, 2)),
    "quantile": lambda x: x.quantile([0.2, 0.5], "s"),
    "roll": lambda x: x.roll(s=1),
    "rolling max": lambda x: x.rolling(s=3, min_periods=1).max(),
    "rolling mean": lambda x: x.rolling(s=3, center=True).mean(),
    "shift": lambda x: x.shift(s=1),
    "sortby": lambda x: x.sortby("s", ascending=False),
    "stack and unstack": lambda x: x.stack(z=("t", "s")).unstack("z"),
    "transpose": lambda x: x.transpose("s", "t"),
    "where": lambda x: x.where(x > 0),
    "where otherwise": lambda x: x.where(x > 0, 0.0),
}


@pytest.mark.parametrize("call", CALLS)
def test_computation_stays_on_the_device(lenient_device, call):
    assert_agrees(CALLS[call], HOLES, lenient_device)


def test_sum_of_integers_stays_on_the_device(lenient_device):
    assert_agrees(lambda x: x.sum("t"), np.arange(24).reshape(4, 6), lenient_device)


def test_repr_contains_the_array(lenient_device):
    assert "Array([[" in repr(data_array(xp.asarray(VALUES)))


def test_identical_and_equals(lenient_device):
    x = data_array(xp.asarray(HOLES))
    assert x.identical(x.copy(deep=True))
    assert not x.equals(x + 1)


def test_universal_function_stays_on_the_device(lenient_device):
    assert_agrees(lambda x: xr.ufuncs.exp(x), VALUES, lenient_device)


# -- NumPy arrays beside Arrays -------------------------------------------------------------------------------------

MIXED = {
    "NumPy's DataArray * element": lambda a: data_array(VALUES) * a(VALUES)[0, 0],
    "NumPy's DataArray + x": lambda a: data_array(VALUES) + a(VALUES),
    "NumPy's DataArray - DataArray": lambda a: data_array(VALUES) - data_array(a(VALUES)),
    "NumPy's DataArray > x": lambda a: data_array(VALUES) > a(VALUES),
    "DataArray + NumPy's": lambda a: data_array(a(VALUES)) + data_array(VALUES),
    "DataArray + array": lambda a: data_array(a(VALUES)) + VALUES,
    "DataArray += array": lambda a: operator.iadd(data_array(a(VALUES)), VALUES),
    "align": lambda a: xr.align(data_array(a(VALUES)), data_array(VALUES).isel(s=[0, 1]))[0],
    "apply_ufunc": lambda a: xr.apply_ufunc(np.hypot, data_array(a(VALUES)), data_array(VALUES)),
    "array + DataArray": lambda a: VALUES + data_array(a(VALUES)),
    "assign": lambda a: assigned(data_array(a(VALUES)), {"s": slice(0, 3)}, VALUES[:, :3]),
    "clip": lambda a: data_array(a(VALUES)).clip(min=data_array(VALUES) / 2),
    "combine_first": lambda a: data_array(a(HOLES)).combine_first(data_array(VALUES)),
    "concat": lambda a: xr.concat([data_array(a(VALUES)), data_array(VALUES)], "t"),
    "corr": lambda a: xr.corr(data_array(a(VALUES)), data_array(VALUES**2), dim="s"),
    "dot": lambda a: xr.dot(data_array(a(VALUES)), data_array(VALUES), dim="s"),
    "element * NumPy's DataArray": lambda a: a(VALUES)[0, 0] * data_array(VALUES),
    "fillna": lambda a: data_array(HOLES).fillna(data_array(a(VALUES))),
    "isin": lambda a: data_array(a(VALUES)).isin(VALUES[0]),
    "matmul": lambda a: data_array(a(VALUES)) @ data_array(VALUES).rename(t="z").drop_vars("g"),
    "numpy.add": lambda a: np.add(data_array(a(VALUES)), VALUES),
    "numpy.exp": lambda a: np.exp(data_array(a(VALUES))),
    "numpy.isnan": lambda a: np.isnan(data_array(a(HOLES))),
    "numpy.maximum": lambda a: np.maximum(a(VALUES), data_array(VALUES)),
    "numpy.sin": lambda a: np.sin(data_array(a(VALUES))),
    "numpy.sqrt": lambda a: np.sqrt(data_array(a(VALUES**2))),
    "reduce": lambda a: data_array(a(VALUES)).reduce(np.ptp, "s"),
    "weighted": lambda a: data_array(a(VALUES)).weighted(data_array(VALUES**2)).mean("s"),
    "where": lambda a: data_array(a(VALUES)).where(data_array(VALUES) > 0),
    "where mixed": lambda a: xr.where(data_array(VALUES) > 0, data_array(a(VALUES)), data_array(VALUES)),
    "x + NumPy's DataArray": lambda a: a(VALUES) + data_array(VALUES),
    "x < NumPy's DataArray": lambda a: a(VALUES) < data_array(VALUES),
}

COORDINATE = data_array(VALUES).s

ON_THE_HOST = {
    "curvefit": lambda a: data_array(a(VALUES)).curvefit("s", lambda s, m, c: m * s + c).curvefit_coefficients,
    "interp": lambda a: data_array(a(VALUES)).interp(s=[5.0, 15.0]),
    "interp in two dimensions": lambda a: data_array(a(VALUES)).interp(s=[5.0, 15.0], t=[0.5, 1.5]),
    "interp to the nearest": lambda a: data_array(a(VALUES)).interp(s=[5.0, 15.0], method="nearest"),
    "interpolate_na": lambda a: data_array(a(HOLES)).interpolate_na("s"),
    "polyfit": lambda a: data_array(a(VALUES)).polyfit("s", 1).polyfit_coefficients,
    "polyfit without NaN": lambda a: data_array(a(GAPS)).polyfit("s", 1, skipna=True).polyfit_coefficients,
    "polyval": lambda a: xr.polyval(COORDINATE, data_array(a(VALUES)).polyfit("s", 1).polyfit_coefficients),
    "to_series": lambda a: data_array(a(VALUES)).to_series().to_xarray(),
}
"""Computations whose result, or a part of it, xarray makes with NumPy."""


def copied(values):
    return xp.asarray(values, copy=True)


def assigned(target, key, value):
    target = target.copy(deep=True)
    target[key] = value
    return target


@pytest.mark.parametrize("name", MIXED)
def test_computation_with_numpy_arrays_stays_on_the_device(readable_device, name):
    result, expected = MIXED[name](copied), MIXED[name](np.array)
    assert type(result.data) is xp.Array
    assert result.data.device is readable_device
    assert (result.dims, result.dtype) == (expected.dims, expected.dtype)
    np.testing.assert_allclose(result.data.numpy(), expected.data, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ON_THE_HOST)
def test_computation_with_numpy_has_the_same_values(readable_device, name):
    result, expected = ON_THE_HOST[name](xp.asarray), ON_THE_HOST[name](np.array)
    assert (result.dims, result.dtype) == (expected.dims, expected.dtype)
    np.testing.assert_allclose(np.asarray(result.data), expected.data, rtol=1e-6, atol=1e-9)


def test_numpy_array_off_the_host_needs_the_permission_to_move(lenient_device):
    if lenient_device.host:
        return
    x = data_array(xp.asarray(VALUES))
    with pytest.raises(xp.DeviceMismatchError, match="NumPy array"):
        x + VALUES
    with pytest.raises(TypeError, match="to the host"):
        x.interp(s=[5.0, 15.0])


def test_selection_of_single_points_is_refused(readable_device):
    points = {"t": xr.DataArray([0, 1], dims="k"), "s": xr.DataArray([2, 3], dims="k")}
    with pytest.raises(TypeError, match="Vectorized indexing"):  # xarray's rule for arrays of the standard
        data_array(xp.asarray(VALUES)).isel(points)
