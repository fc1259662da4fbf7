"""The devices of engines: variances written as means of squared differences from the mean are computed as variances."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

import xtensor as xp
from xtensor import engines

ENGINES = [name for name in ("dask", "cubed") if find_spec(name) is not None]
if not ENGINES:
    pytest.skip("no engine is installed: tox -e engines", allow_module_level=True)

FORMULAS = {
    "power": lambda x: xp.mean((x - xp.mean(x, axis=0)) ** 2, axis=0),
    "float power": lambda x: xp.mean((x - xp.mean(x, axis=(0, 1))) ** 2.0, axis=(0, 1), keepdims=True),
    "product": lambda x: xp.mean((x - xp.mean(x)) * (x - xp.mean(x))),
    "square": lambda x: xp.mean(xp.square(x - xp.mean(x, axis=-1, keepdims=True)), axis=1, keepdims=True),
    "sum": lambda x: xp.sum((x - xp.mean(x, axis=0)) ** 2, axis=0) / (x.shape[0] - 1),
}

OTHERS = {
    "other axis": lambda x: xp.mean((x - xp.mean(x, axis=0)) ** 2, axis=1),
    "other means": lambda x: xp.mean((x - xp.mean(x, axis=1)) ** 2, axis=1),
    "other array": lambda x: xp.mean((x - xp.mean(2 * x, axis=0)) ** 2, axis=0),
    "other factor": lambda x: xp.mean((x - xp.mean(x, axis=0)) * (x - xp.mean(x, axis=1)), axis=0),
    "cube": lambda x: xp.mean((x - xp.mean(x, axis=0)) ** 3, axis=0),
    "differences": lambda x: xp.mean(x - xp.mean(x, axis=0), axis=0),
    "other dtype": lambda x: xp.sum((x - xp.mean(x, axis=0)) ** 2, axis=0, dtype=xp.complex128),
}


@pytest.fixture(params=ENGINES)
def engine(request):
    return request.param


@pytest.fixture
def values():
    return np.random.default_rng(0).standard_normal((24, 24)) + 3.0


def chunked(values, engine):
    return engines.rechunk(xp.asarray(values, device=engine), (6, 8))


def host(x):
    return np.asarray(x.to_device("numpy"))


def layers(x):
    """Names of the functions that dask computes."""
    return {name.rpartition("-")[0] for name in engines.to_engine(x).dask.layers}


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_variance_written_out_has_its_value(engine, values, formula, dtype):
    a = values.astype(dtype)
    found, expected = formula(chunked(a, engine)), host(formula(xp.asarray(a, device="numpy")))
    assert str(found.dtype) == dtype
    assert found.shape == expected.shape
    np.testing.assert_allclose(host(found), expected, rtol=1e-12 if dtype == "float64" else 1e-5)


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_a_variance_written_out_is_computed_without_the_differences(values, formula):
    pytest.importorskip("dask", reason="dask is not installed: tox -e engines")
    found = layers(formula(chunked(values, "dask")))
    assert not found & {"mean", "subtract", "square", "pow"}
    assert "var" in found


@pytest.mark.parametrize("formula", OTHERS.values(), ids=OTHERS)
def test_other_formulas_are_computed_as_they_are_written(engine, values, formula):
    x = chunked(values, engine)
    found = host(formula(x))
    np.testing.assert_allclose(found, host(formula(xp.asarray(values, device="numpy"))), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("when", ["before the difference", "before the square", "before the mean"])
def test_an_assignment_between_the_steps_counts(engine, values, when):
    x, a = chunked(values, engine), values.copy()
    middle, middle_a = xp.mean(x, axis=0), a.mean(axis=0)
    if when == "before the difference":
        x[0], a[0] = 100.0, 100.0
    difference, difference_a = x - middle, a - middle_a
    if when == "before the square":
        difference[1], difference_a[1] = 7.0, 7.0
    squares, squares_a = difference**2, difference_a**2
    if when == "before the mean":
        squares[2], squares_a[2] = -1.0, -1.0
    np.testing.assert_allclose(host(xp.mean(squares, axis=0)), squares_a.mean(axis=0), rtol=1e-12)


def test_an_assignment_to_the_elements_later_does_not_count(engine, values):
    x = chunked(values, engine)
    squares = (x - xp.mean(x, axis=0)) ** 2
    x[...] = 0.0
    np.testing.assert_allclose(host(xp.mean(squares, axis=0)), values.var(axis=0), rtol=1e-12)


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan, 1e200])
def test_special_values(engine, values, special):
    values[5, 3] = special
    x = chunked(values, engine)
    with np.errstate(all="ignore"):
        expected = ((values - values.mean(axis=0)) ** 2).mean(axis=0)
        found = host(FORMULAS["power"](x))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_complex_squares_are_no_variance(engine, values):
    a = values + 1j * values[::-1]
    found = host(FORMULAS["power"](chunked(a, engine)))
    np.testing.assert_allclose(found, ((a - a.mean(axis=0)) ** 2).mean(axis=0), rtol=1e-9, atol=1e-12)


def test_scores_read_a_large_array_twice(values):
    dask = pytest.importorskip("dask", reason="dask is not installed: tox -e engines")
    read = []

    def recorded(chunk):
        if chunk.size:
            read.append(chunk)
        return chunk

    source = engines.rechunk(xp.asarray(values, device="dask"), (6, 24))
    x = engines.from_engine(engines.to_engine(source).map_blocks(recorded, dtype="float64"))
    difference = x - xp.mean(x, axis=0, keepdims=True)
    scores = difference / xp.mean(difference * difference, axis=0, keepdims=True) ** 0.5  # as scipy.stats.zscore
    with dask.config.set({"scheduler": "synchronous", "xtensor.waiting-limit": "4 kB"}):
        found = host(scores)
    assert len(read) == 2 * 4
    np.testing.assert_allclose(found, (values - values.mean(axis=0)) / values.std(axis=0), rtol=1e-10)
