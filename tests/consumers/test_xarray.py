"""xarray, unmodified: what it computes on an Array stays on the Array's device, with NumPy's values.

The device ``strict`` is left out: xarray counts booleans, adds integers to floating-point numbers and indexes in
NumPy's manner, which the standard leaves undefined.
"""

from __future__ import annotations

import numpy as np
import pytest

xr = pytest.importorskip("xarray", reason="xarray is not installed: dependency group consumers")

import xtensor as xp  # noqa: E402 - after it is known to be needed

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning", "ignore::FutureWarning")

RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(4, 6))
HOLES = np.where(RNG.random((4, 6)) < 0.3, np.nan, VALUES)
HOLES[2, :] = np.nan
COORDS = {"t": np.arange(4), "s": np.arange(6) * 10, "g": ("t", ["a", "b", "a", "b"])}


def wrapped(data):
    return xr.DataArray(data, dims=("t", "s"), coords=COORDS)


def agree(call, values, device):
    """Whether a computation gives the same on a device as on NumPy, and gives it there."""
    wanted = call(wrapped(values))
    result = call(wrapped(xp.asarray(values, device=device, copy=True)))
    assert type(result.data) is xp.Array
    assert result.data.device is device
    assert result.dims == wanted.dims
    assert result.dtype == wanted.dtype
    np.testing.assert_allclose(np.asarray(result.data.to_device("cpu")), wanted.data, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dim", ["t", "s", None])
@pytest.mark.parametrize("skipna", [None, True, False])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "min", "max", "median", "cumsum", "cumprod"])
def test_reduction_stays_on_the_device(lenient_device, name, skipna, dim):
    agree(lambda x: getattr(x, name)(dim, skipna=skipna), HOLES, lenient_device)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("name", ["var", "std"])
def test_variance_passes_over_nan_on_the_device(lenient_device, name, ddof):
    agree(lambda x: getattr(x, name)("s", ddof=ddof), HOLES, lenient_device)


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_position_is_found_on_the_device(lenient_device, name):
    agree(lambda x: getattr(x.isel(t=[0, 1, 3]), name)("s"), HOLES, lenient_device)


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
    agree(CALLS[call], HOLES, lenient_device)


def test_integers_are_summed_on_the_device(lenient_device):
    agree(lambda x: x.sum("t"), np.arange(24).reshape(4, 6), lenient_device)


def test_repr_shows_the_array(lenient_device):
    assert "Array([[" in repr(wrapped(xp.asarray(VALUES)))


def test_equality_is_told(lenient_device):
    x = wrapped(xp.asarray(HOLES))
    assert x.identical(x.copy(deep=True))
    assert not x.equals(x + 1)


def test_universal_functions_are_the_namespaces(lenient_device):
    agree(lambda x: xr.ufuncs.exp(x), VALUES, lenient_device)


@pytest.mark.parametrize("skipna", [None, True, False])
def test_polynomial_fit_which_xarray_computes_with_numpy_is_refused(lenient_device, skipna):
    with pytest.raises(TypeError):
        wrapped(xp.asarray(VALUES)).polyfit("s", 1, skipna=skipna)
