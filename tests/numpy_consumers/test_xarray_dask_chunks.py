"""xarray over ``dask.array`` whose chunks are Arrays: what is right with NumPy's chunks is right with Arrays."""

from __future__ import annotations

import numpy as np
import pytest

xr = pytest.importorskip("xarray", reason="xarray is not installed: dependency group consumers")
da = pytest.importorskip("dask.array", reason="dask.array is not installed: dependency group consumers")
pd = pytest.importorskip("pandas", reason="pandas is not installed: dependency group consumers")

import dask  # noqa: E402 - after importorskip

import xtensor as xp  # noqa: E402 - after importorskip

pytestmark = pytest.mark.filterwarnings("ignore")  # xarray's, dask's and pandas' own

RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(12, 8))
HOLES = np.where(RNG.random((12, 8)) < 0.2, np.nan, VALUES)
WEIGHTS = xr.DataArray(np.abs(RNG.normal(size=12)), dims="t")
DAYS = pd.date_range("2024-01-01", periods=12, freq="D")
COORDS = {"t": DAYS, "s": np.arange(8) * 10.0, "g": ("t", list("abcabcabcabc")), "m": ("s", [0, 0, 1, 1, 0, 0, 1, 1])}


def data_array(values, of_arrays):
    """Return a DataArray in chunks of 4 x 4, which are NumPy's arrays or Arrays."""
    x = da.from_array(values, chunks=(4, 4))
    if of_arrays:
        meta = xp.empty((0, 0), dtype=x.dtype, device="cpu")
        x = x.map_blocks(xp.asarray, device="cpu", dtype=x.dtype, meta=meta)
    return xr.DataArray(x, dims=("t", "s"), coords=COORDS, name="q")


def assigned(x):
    x = x.copy()
    x[{"t": slice(2, 5), "s": 0}] = 9.0
    return x


CALLS = {
    "arithmetic": lambda x: 2 * x - x.mean("t") / 3 + x**2,
    "comparison": lambda x: (x > 0) & (x < 1),
    "ufunc": lambda x: np.exp(x),
    "maximum": lambda x: np.maximum(x, x.isel(t=0)),
    "astype": lambda x: x.astype("float32"),
    "clip": lambda x: x.clip(-1, 1),
    "isel": lambda x: x.isel(t=slice(1, 9, 2), s=3),
    "isel list": lambda x: x.isel(t=[5, 0, 3]),
    "isel mask": lambda x: x.isel(t=np.arange(12) % 3 == 0),
    "isel points": lambda x: x.isel(t=xr.DataArray([1, 5, 11], dims="p"), s=xr.DataArray([0, 7, 4], dims="p")),
    "sel": lambda x: x.sel(t="2024-01-05"),
    "sel slice": lambda x: x.sel(t=slice("2024-01-03", "2024-01-09"), s=slice(10, 50)),
    "sel nearest": lambda x: x.sel(s=[12.0, 48.0], method="nearest"),
    "sum": lambda x: x.sum(),
    "sum over t": lambda x: x.sum("t"),
    "sum skipna": lambda x: x.sum("t", skipna=True),
    "prod": lambda x: x.prod("s"),
    "mean": lambda x: x.mean("t"),
    "mean of all": lambda x: x.mean(),
    "mean with NaN": lambda x: x.mean("t", skipna=False),
    "var": lambda x: x.var("t"),
    "var of a sample": lambda x: x.var("t", ddof=1),
    "std": lambda x: x.std(),
    "min": lambda x: x.min("s"),
    "max": lambda x: x.max(),
    "argmax": lambda x: x.fillna(0.0).argmax("t"),
    "argmin": lambda x: x.fillna(0.0).argmin("s"),
    "idxmax": lambda x: x.fillna(0.0).idxmax("s"),
    "count": lambda x: x.count("t"),
    "any": lambda x: (x > 1).any("t"),
    "all": lambda x: (x > -9).all(),
    "median": lambda x: x.chunk(t=-1).median("t"),
    "quantile": lambda x: x.chunk(t=-1).quantile([0.25, 0.5], "t"),
    "quantile of all": lambda x: x.chunk(t=-1, s=-1).quantile(0.3),
    "cumsum": lambda x: x.cumsum("t"),
    "cumprod": lambda x: x.cumprod("s"),
    "diff": lambda x: x.diff("t"),
    "differentiate": lambda x: x.differentiate("s"),
    "integrate": lambda x: x.integrate("s"),
    "dot": lambda x: xr.dot(x.fillna(0.0), x.fillna(1.0), dim="s"),
    "matmul": lambda x: x.fillna(0.0) @ x.fillna(0.0).rename(t="u").drop_vars("g"),
    "where": lambda x: x.where(x > 0),
    "where otherwise": lambda x: x.where(x > 0, -1.0),
    "xr.where": lambda x: xr.where(x > 0, x, 0.0),
    "where drop": lambda x: x.where(x.t > x.t[3], drop=True),
    "fillna": lambda x: x.fillna(0.0),
    "fillna by means": lambda x: x.fillna(x.mean("t")),
    "isnull": lambda x: x.isnull(),
    "ffill": lambda x: x.ffill("t"),
    "bfill": lambda x: x.bfill("t"),
    "interpolate_na": lambda x: x.chunk(t=-1).interpolate_na("t"),
    "dropna": lambda x: x.dropna("t", how="all"),
    "concat": lambda x: xr.concat([x, x.isel(t=slice(0, 2))], "t"),
    "concat new": lambda x: xr.concat([x, x + 1], "n"),
    "merge": lambda x: xr.merge([x, (x * 2).rename("r")])["r"],
    "combine_first": lambda x: x.combine_first(x.isel(s=slice(2, 6)) * 0),
    "reindex": lambda x: x.reindex(s=[0.0, 5.0, 70.0, 10.0]),
    "reindex filled": lambda x: x.reindex(s=[0.0, 5.0, 70.0], fill_value=7.0),
    "reindex nearest": lambda x: x.reindex(s=[1.0, 68.0], method="nearest"),
    "align": lambda x: xr.align(x, x.isel(s=slice(1, 4)), join="inner")[0],
    "broadcast": lambda x: xr.broadcast(x, xr.DataArray([1, 2], dims="n"))[0],
    "transpose": lambda x: x.transpose("s", "t"),
    "expand_dims": lambda x: x.expand_dims("n"),
    "squeeze": lambda x: x.isel(t=[1]).squeeze(),
    "stack": lambda x: x.stack(z=("t", "s")),
    "stack and unstack": lambda x: x.stack(z=("t", "s")).unstack("z"),
    "sortby": lambda x: x.sortby("s", ascending=False),
    "shift": lambda x: x.shift(t=2),
    "roll": lambda x: x.roll(s=3),
    "pad": lambda x: x.pad(s=(1, 2), mode="edge"),
    "pad with NaN": lambda x: x.pad(s=(1, 2)),
    "coarsen": lambda x: x.drop_vars("g").coarsen(t=3).mean(),
    "coarsen max": lambda x: x.drop_vars("g").coarsen(t=3, s=2).max(),
    "coarsen construct": lambda x: x.drop_vars("g").coarsen(t=3).construct(t=("w", "d")).mean("d"),
    "rolling mean": lambda x: x.rolling(t=3).mean(),
    "rolling sum": lambda x: x.rolling(t=3, min_periods=1).sum(),
    "rolling max": lambda x: x.rolling(s=3, center=True, min_periods=1).max(),
    "rolling std": lambda x: x.rolling(t=4).std(),
    "rolling median": lambda x: x.rolling(t=3, min_periods=1).median(),
    "rolling construct": lambda x: x.rolling(t=3).construct("w").sum("w"),
    "rolling over two": lambda x: x.rolling(t=3, s=2, min_periods=1).mean(),
    "groupby mean": lambda x: x.groupby("g").mean(),
    "groupby sum": lambda x: x.groupby("g").sum(),
    "groupby max": lambda x: x.groupby("g").max(),
    "groupby var": lambda x: x.groupby("g").var(),
    "groupby count": lambda x: x.groupby("g").count(),
    "groupby first": lambda x: x.groupby("g").first(),
    "groupby median": lambda x: x.copy(data=x.data.rechunk((12, 4))).groupby("g").median(),
    "groupby anomaly": lambda x: x.groupby("g") - x.groupby("g").mean(),
    "groupby map": lambda x: x.groupby("g").map(lambda y: y - y.mean("t")),
    "groupby columns": lambda x: x.groupby("m").mean(),
    "groupby month": lambda x: x.groupby("t.dayofweek").mean(),
    "groupby_bins": lambda x: x.groupby_bins("s", [0, 25, 55, 80]).mean(),
    "resample mean": lambda x: x.resample(t="3D").mean(),
    "resample sum": lambda x: x.resample(t="5D").sum(),
    "resample max": lambda x: x.resample(t="3D").max(),
    "resample up": lambda x: x.resample(t="12h").ffill(),
    "resample interpolated": lambda x: x.fillna(0.0).chunk(t=-1).resample(t="12h").interpolate("linear"),
    "weighted mean": lambda x: x.weighted(WEIGHTS).mean("t"),
    "weighted sum": lambda x: x.weighted(WEIGHTS).sum("t"),
    "weighted std": lambda x: x.weighted(WEIGHTS).std("t"),
    "weighted by chunks": lambda x: x.weighted(abs(x.isel(s=0, drop=True)).fillna(0.0)).mean("t"),
    "weighted quantile": lambda x: x.chunk(t=-1).weighted(WEIGHTS).quantile(0.4, dim="t"),
    "interp": lambda x: x.interp(s=[5.0, 33.0, 70.0]),
    "interp in two dimensions": lambda x: x.interp(s=[5.0, 33.0], t=DAYS[:3] + pd.Timedelta("7h")),
    "interp to the nearest": lambda x: x.interp(s=[6.0, 33.0], method="nearest"),
    "interp cubic": lambda x: x.fillna(0.0).interp(s=[5.0, 33.0], method="cubic"),
    "polyfit": lambda x: x.fillna(0.0).polyfit("s", 1).polyfit_coefficients,
    "corr": lambda x: xr.corr(x, x**2, dim="t"),
    "cov": lambda x: xr.cov(x, x**2, dim="t"),
    "map_blocks": lambda x: x.map_blocks(lambda y: y * 2),
    "apply_ufunc": lambda x: xr.apply_ufunc(lambda y: y * 2 + 1, x, dask="parallelized", output_dtypes=[float]),
    "apply_ufunc core": lambda x: xr.apply_ufunc(
        lambda y: y.mean(axis=-1), x.chunk(s=-1), input_core_dims=[["s"]], dask="parallelized", output_dtypes=[float]
    ),
    "rechunk": lambda x: x.chunk(t=5, s=3) + 1,
    "isin": lambda x: x.round(0).isin([0.0, 1.0]),
    "dataset": lambda x: x.to_dataset(name="q").mean("t").q,
    "dataset to_dataarray": lambda x: xr.Dataset({"q": x, "r": x * 2}).to_dataarray().sum("variable"),
    "assign": assigned,
    "mixed with NumPy": lambda x: x + VALUES,
    "mixed DataArray": lambda x: x * xr.DataArray(VALUES, dims=("t", "s")),
    "cumulative": lambda x: x.cumulative("t").sum(),
    "argsort of labels": lambda x: x.isel(t=np.argsort(COORDS["g"][1], kind="stable")),
    "drop_sel": lambda x: x.drop_sel(s=[10.0]),
    "head": lambda x: x.head(t=3),
    "thin": lambda x: x.thin(t=2),
}
"""Calls of a DataArray in chunks of 4 x 4 with missing values."""

NEEDS_BOTTLENECK = ("ffill", "bfill")
"""Calls for which xarray requires the library bottleneck, which returns NumPy arrays for some chunks."""

GROUPED = [name for name in CALLS if name.startswith(("groupby", "resample"))]
"""Calls that xarray passes on to flox where that is installed, unless its option ``use_flox`` is False."""

MADE_BY_NUMPY = (
    *("interp", "interp in two dimensions", "interp to the nearest", "interp cubic"),
    *("interpolate_na", "resample interpolated", "weighted quantile"),
)
"""Calls whose chunks are NumPy's: SciPy's interpolators and ``numpy.vectorize`` return no other arrays."""


@pytest.fixture(autouse=True)
def without_flox():
    """Groups are computed by xarray itself."""
    with xr.set_options(use_flox=False):
        yield


def check_values(name):
    if name in NEEDS_BOTTLENECK:
        pytest.importorskip("bottleneck", reason="bottleneck is not installed")
    expected = CALLS[name](data_array(HOLES, False))
    found = CALLS[name](data_array(HOLES, True))
    assert (found.dims, found.shape, found.dtype) == (expected.dims, expected.shape, expected.dtype)
    for ours, theirs in zip(found.coords.values(), expected.coords.values(), strict=True):
        np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))
    np.testing.assert_allclose(np.asarray(found.compute().data), expected.compute().data, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_result_is_that_of_numpy_chunks(name):
    check_values(name)


@pytest.mark.parametrize("name", GROUPED)
def test_result_of_flox_is_that_of_numpy_chunks(name):
    pytest.importorskip("flox", reason="flox is not installed")
    with xr.set_options(use_flox=True):
        check_values(name)


@pytest.mark.parametrize("name", [name for name in CALLS if name not in NEEDS_BOTTLENECK])
def test_computed_chunks_are_arrays(name):
    found = CALLS[name](data_array(HOLES, True))
    assert dask.is_dask_collection(found.data)
    blocks = dask.compute(*found.data.to_delayed().ravel())
    assert {type(block) for block in blocks} == {np.ndarray if name in MADE_BY_NUMPY else xp.Array}
