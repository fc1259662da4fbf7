"""pandas, unmodified: Series, DataFrames and indexes made of Arrays, and computed with them, as with NumPy arrays."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from comparison import assert_same

pd = pytest.importorskip("pandas", reason="pandas is not installed: dependency group consumers")

import xtensor as xp  # noqa: E402 - after importorskip

V = np.array([1.5, -2.0, 0.25, 3.0])
I = np.arange(4)  # noqa: E741 - integers
MASK = np.array([True, False, True, True])
GRID = np.arange(8.0).reshape(4, 2)
BINS = np.array([-3.0, 0.0, 2.0, 4.0])
PAIR = np.array([1.0, 2.0])


def series():
    return pd.Series(V.copy())


def frame():
    return pd.DataFrame({"a": V.copy(), "b": I.copy()})


def assigned(target, key, value):
    target[key] = value
    return target


def changed(target, indexer, key, value):
    getattr(target, indexer)[key] = value
    return target


CONSTRUCTIONS = {
    "Categorical.from_codes": lambda a: pd.Series(pd.Categorical.from_codes(a(I) % 2, ["p", "q"])),
    "DataFrame of a matrix": lambda a: pd.DataFrame(a(GRID), columns=["p", "q"]),
    "DataFrame of columns": lambda a: pd.DataFrame({"x": a(V), "y": a(I)}, index=list("abcd")),
    "DataFrame of one column": lambda a: pd.DataFrame(a(V)),
    "DataFrame of rows": lambda a: pd.DataFrame([a(V), a(V)]),
    "Index": lambda a: pd.Index(a(I)),
    "Index of numbers": lambda a: pd.Index(a(V)),
    "IntervalIndex": lambda a: pd.IntervalIndex.from_breaks(a(BINS)),
    "Series": lambda a: pd.Series(a(V)),
    "Series of a dtype": lambda a: pd.Series(a(V), dtype="float32"),
    "Series of booleans": lambda a: pd.Series(a(MASK)),
    "Series with an index": lambda a: pd.Series(a(V), index=a(I)),
    "concat": lambda a: pd.concat([pd.Series(a(V)), pd.Series(a(I))]),
    "get_dummies": lambda a: pd.get_dummies(pd.Series(a(I))),
    "to_datetime": lambda a: pd.to_datetime(a(I), unit="D"),
    "to_numeric": lambda a: pd.Series(pd.to_numeric(a(V))),
}

COMPUTATIONS = {
    "assign": lambda a: frame().assign(c=a(V)),
    "clip": lambda a: series().clip(a(V) - 1, a(V)),
    "corr": lambda a: series().corr(pd.Series(a(V) ** 2)),
    "crosstab": lambda a: pd.crosstab(a(I), a(I) % 2),
    "cut": lambda a: pd.cut(pd.Series(a(V)), 3, labels=False),
    "cut at bins": lambda a: pd.Series(pd.cut(a(V), a(BINS), labels=False)),
    "df * x": lambda a: frame() * a(PAIR),
    "df > x": lambda a: frame() > a(PAIR),
    "df @ x": lambda a: frame() @ a(PAIR),
    "iloc": lambda a: frame().iloc[a(I)[::2]],
    "insert": lambda a: (lambda df: (df.insert(0, "c", a(V)), df)[1])(frame()),
    "loc": lambda a: series().loc[a(I)[1:3]],
    "mask": lambda a: frame().mask(a(np.stack([MASK, MASK], 1)), 0),
    "numpy.add(series, x)": lambda a: np.add(series(), a(V)),
    "numpy.add(x, series)": lambda a: np.add(a(V), series()),
    "qcut": lambda a: pd.Series(pd.qcut(a(V), 2, labels=False)),
    "reindex": lambda a: series().reindex(a(np.array([0, 2, 7]))),
    "searchsorted": lambda a: pd.Series(pd.Series(np.sort(V)).searchsorted(a(V))),
    "series & x": lambda a: pd.Series(MASK) & a(MASK),
    "series * element": lambda a: series() * a(V)[0],
    "series + x": lambda a: series() + a(V),
    "series += x": lambda a: operator.iadd(series(), a(V)),
    "series / x": lambda a: series() / a(I),
    "series == x": lambda a: series() == a(V),
    "set a column": lambda a: assigned(frame(), "c", a(V)),
    "set a column in place": lambda a: changed(frame(), "loc", (slice(None), "a"), a(V) * 2),
    "set an element": lambda a: changed(frame(), "loc", (1, "a"), a(V)[0]),
    "take": lambda a: series().take(a(I)[::2]),
    "where": lambda a: series().where(a(MASK), a(V) * 10),
    "x * df": lambda a: a(PAIR) * frame(),
    "x ** series": lambda a: a(I) ** pd.Series(I),
    "x + index": lambda a: a(I) + pd.Index(I),
    "x + series": lambda a: a(V) + series(),
    "x += series": lambda a: operator.iadd(a(V), series()),
    "x > series": lambda a: a(V) > pd.Series(I),
    "x @ series": lambda a: float(a(V) @ series()),
    "x | series": lambda a: a(MASK) | pd.Series(MASK),
}


def contents(value):
    """Return what a result holds: its labels, dtypes and values."""
    if isinstance(value, pd.DataFrame):
        columns = [contents(value.iloc[:, i]) for i in range(value.shape[1])]
        return [list(value.columns), columns]
    if isinstance(value, pd.Series):
        return [list(value.index), str(value.dtype), value.to_numpy()]
    return [list(value), str(value.dtype)] if isinstance(value, pd.Index) else value


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_construction_is_that_of_numpy_arrays(readable_device, name):
    assert_same(contents(CONSTRUCTIONS[name](xp.asarray)), contents(CONSTRUCTIONS[name](np.array)))


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_computation_is_that_of_numpy_arrays(readable_device, name):
    assert_same(contents(COMPUTATIONS[name](xp.asarray)), contents(COMPUTATIONS[name](np.array)), rtol=1e-15)


SELECTIONS = {
    "df[mask]": lambda a: frame()[a(MASK)],
    "df.loc[mask]": lambda a: frame().loc[a(MASK), ["a"]],
    "series[mask]": lambda a: series()[a(MASK)],
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_mask_is_selected_by_as_a_numpy_array_only(readable_device, name):
    with pytest.raises(KeyError):  # pandas recognises masks by their class
        SELECTIONS[name](xp.asarray)
    result = SELECTIONS[name](lambda values: xp.asarray(values).numpy())
    assert_same(contents(result), contents(SELECTIONS[name](np.array)))


@pytest.mark.parametrize("convert", [lambda x: x, lambda x: x.numpy(), lambda x: x.tolist()])
def test_values_are_looked_for(readable_device, convert):
    wanted = xp.asarray([1, 3])
    assert pd.Series(I).isin(convert(wanted)).tolist() == [False, True, False, True]


@pytest.mark.parametrize("dtype", ["int8", "float32", "bool"])
def test_series_becomes_an_array_of_its_dtype(device, dtype):
    values = pd.Series([0, 1, 1], dtype=dtype)
    x = xp.asarray(values)
    assert (x.dtype, x.tolist()) == (np.dtype(dtype), values.tolist())


def test_labels_are_not_dropped_by_functions(readable_device):
    x = xp.asarray(V, copy=True)
    for function in (np.dot, lambda x, y: np.where(x > 0, x, y), lambda x, y: np.concatenate([x, y]), xp.add):
        with pytest.raises(TypeError, match=r"pandas\.Series"):
            function(x, series())
    with pytest.raises(TypeError, match=r"pandas\.Series"):
        x[:] = series()
