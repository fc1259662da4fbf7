"""The device ``dask``: computations in stages, and small results that are computed once."""

from __future__ import annotations

import gc

import numpy as np
import pytest

dask = pytest.importorskip("dask", reason="dask is not installed: tox -e engines")
da = pytest.importorskip("dask.array", reason="dask.array is not installed: tox -e engines")

import xtensor as xp  # noqa: E402 - after importorskip
from xtensor import engines  # noqa: E402
from xtensor_dask import _stages  # noqa: E402

ROWS, COLUMNS, CHUNKS = 400, 50, 10


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set({"scheduler": "synchronous", "array.chunk-size": "1 MiB"}):
        yield


@pytest.fixture
def values():
    return np.random.default_rng(0).standard_normal((ROWS, COLUMNS)) + 3.0


def recorded(x, event, events):
    """The array as one that records each computed chunk."""

    def record(chunk):
        if chunk.size:
            events.append(event)
        return chunk

    return engines.from_engine(engines.to_engine(x).map_blocks(record, dtype=x.dtype))


@pytest.fixture
def source(values):
    events = []
    return recorded(engines.from_engine(da.from_array(values, chunks=(ROWS // CHUNKS, COLUMNS))), "x", events), events


def standardised(x):
    return (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)


@pytest.mark.parametrize(("limit", "passes"), [("100 kB", 2), ("1 MB", 1)])
@pytest.mark.parametrize("computed", ["compute", "persist", "to_zarr"])
def test_chunks_beyond_the_limit_do_not_wait_for_small_results(source, values, limit, passes, computed, tmp_path):
    x, events = source
    z = recorded(standardised(x), "z", events)
    with dask.config.set({"xtensor.waiting-limit": limit}):
        if computed == "to_zarr":
            engines.to_zarr(z, tmp_path / "z")
            found = np.asarray(engines.from_zarr(tmp_path / "z", device="dask").to_device("cpu"))
        else:
            found = np.asarray(getattr(engines, computed)(z)[0].to_device("cpu"))
    np.testing.assert_allclose(found, (values - values.mean(axis=0)) / values.std(axis=0))
    assert events.count("x") == passes * CHUNKS
    last = events[-2 * CHUNKS :] if passes == 2 else events
    waiting = max(last[:i].count("x") - last[:i].count("z") for i in range(len(last) + 1))
    assert waiting == (1 if passes == 2 else CHUNKS)


def test_results_that_wait_for_each_other_are_stages_of_their_own(source, values):
    x, events = source
    difference = x - xp.mean(x, axis=0)
    z = difference / xp.mean(xp.abs(difference), axis=0)
    with dask.config.set({"xtensor.waiting-limit": "100 kB"}):
        largest = float(xp.max(z))
    expected = values - values.mean(axis=0)
    np.testing.assert_allclose(largest, (expected / abs(expected).mean(axis=0)).max())
    assert len(events) == 3 * CHUNKS


def test_chunks_that_wait_are_those_of_the_layer_where_the_ways_part(source, values):
    """The products, less than the limit, wait for their mean; the chunks that they are made of do not."""
    x, events = source
    products = x @ xp.asarray(np.eye(COLUMNS)[:, :4], device="dask")
    with dask.config.set({"xtensor.waiting-limit": "100 kB"}):
        found = np.asarray((products - xp.mean(products, axis=0)).to_device("cpu"))
    np.testing.assert_allclose(found, values[:, :4] - values[:, :4].mean(axis=0))
    assert len(events) == CHUNKS


def test_results_by_row_are_no_barrier(source, values):
    x, events = source
    y = x - xp.max(x, axis=1, keepdims=True)
    with dask.config.set({"xtensor.waiting-limit": "100 kB"}):
        assert float(xp.min(y)) == (values - values.max(axis=1, keepdims=True)).min()
    assert len(events) == CHUNKS


def test_values_that_python_needed_are_computed_once(source):
    x, events = source
    positive = xp.sum(x) > 0
    assert positive
    assert positive
    assert len(events) == CHUNKS


def test_small_arrays_on_the_way_to_a_value_are_computed_once(source, values):
    x, events = source
    mean = xp.mean(x, axis=0)
    scaled = mean * 2.0
    with dask.config.set({"xtensor.waiting-limit": "100 kB"}):
        assert xp.all(scaled > 0)
        np.testing.assert_allclose(np.asarray(mean.to_device("cpu")), values.mean(axis=0))
        np.testing.assert_allclose(np.asarray((scaled + 1).to_device("cpu")), values.mean(axis=0) * 2 + 1)
    assert len(events) == CHUNKS


def failing(chunk):
    if chunk.size:
        raise ZeroDivisionError("a chunk")
    return chunk


def test_small_results_of_living_arrays_are_computed_in_the_pass_of_another(source, values):
    x, events = source
    count, total = xp.sum(xp.isnan(x), axis=0), xp.sum(x, axis=0)
    mean = total / ROWS
    spread = xp.sum(xp.abs(x - xp.mean(x, axis=0)), axis=0)
    with dask.config.set({"xtensor.waiting-limit": "100 kB"}):
        assert not xp.any(count)
        assert len(events) == CHUNKS
        np.testing.assert_allclose(np.asarray(mean.to_device("cpu")), values.mean(axis=0))
        assert len(events) == CHUNKS  # both means came with the counts, and the sum of distances did not
        distances = abs(values - values.mean(axis=0))
        np.testing.assert_allclose(np.asarray(spread.to_device("cpu")), distances.sum(axis=0))
    assert len(events) == 2 * CHUNKS


def test_an_error_of_a_value_that_nobody_asked_for_is_not_raised(source, values):
    x, events = source
    bad = engines.from_engine(engines.to_engine(xp.sum(x, axis=0)).map_blocks(failing, dtype=x.dtype))
    with dask.config.set({"xtensor.waiting-limit": "100 kB"}):
        assert float(xp.max(x)) == values.max()
        assert float(xp.min(x)) == values.min()
        assert len(events) >= 2 * CHUNKS
        with pytest.raises(ZeroDivisionError, match="a chunk"):
            bad.to_device("cpu")


def test_kept_results_are_not_those_of_an_array_before_an_assignment(source, values):
    x, _ = source
    assert float(xp.sum(x)) == pytest.approx(values.sum())
    x[0, :] = 100.0
    values[0, :] = 100.0
    assert float(xp.sum(x)) == pytest.approx(values.sum())


def test_nobody_can_change_a_kept_result(source, values):
    x, _ = source
    mean = xp.mean(x, axis=0)
    for _ in range(2):
        found = np.asarray(mean.to_device("cpu"))
        found[...] = 0.0
    np.testing.assert_allclose(np.asarray((mean + 1).to_device("cpu")), values.mean(axis=0) + 1)


def test_kept_results_go_with_the_arrays_that_have_them(values):
    gc.collect()
    before = len(_stages._results._found), len(_stages._alive)
    for _ in range(50):
        x = xp.asarray(values, device="dask")
        assert xp.sum(x) > 0
    del x
    gc.collect()
    assert (len(_stages._results._found), len(_stages._alive)) == before


def test_the_oldest_results_go_beyond_the_bytes_that_are_kept(values, monkeypatch):
    monkeypatch.setattr(_stages, "KEPT", 8)
    x = xp.asarray(values, device="dask")
    sums = [xp.sum(x[i]) for i in range(5)]
    for i, total in enumerate(sums):
        assert float(total) == pytest.approx(values[i].sum())
    assert len(_stages._results._found) == 1


@pytest.mark.parametrize("large", [False, True])
def test_lengths_of_a_selection_are_computed_from_the_mask_alone(source, values, large, monkeypatch):
    x, events = source
    if large:
        monkeypatch.setattr("xtensor_dask._library.SMALL", 0)
    chosen = np.arange(ROWS) % 3 == 0
    y = x[xp.asarray(chosen, device="dask")]
    whole = x[xp.asarray(values > 3.0, device="dask")]
    assert y.shape == (134, COLUMNS)
    assert whole.shape == ((values > 3.0).sum(),)
    assert not events
    np.testing.assert_array_equal(np.asarray(y.to_device("cpu")), values[chosen])
    np.testing.assert_array_equal(np.asarray(whole.to_device("cpu")), values[values > 3.0])
