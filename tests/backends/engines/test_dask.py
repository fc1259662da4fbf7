"""The device ``dask``: what is computed when, views, lengths, limits, stores, and other devices for the chunks."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

dask = pytest.importorskip("dask", reason="dask is not installed: tox -e engines")
da = pytest.importorskip("dask.array", reason="dask.array is not installed: tox -e engines")

import xtensor as xp  # noqa: E402 - after importorskip
from xtensor import engines  # noqa: E402


@pytest.fixture(autouse=True)
def small_chunks():
    """Make arrays of several chunks, and the device the default one."""
    with dask.config.set({"array.chunk-size": "64 B"}), xp.use_device("dask"):
        yield


def host(x):
    return np.asarray(x.to_device("cpu"))


def counted(x):
    """The array as one that counts how often its chunks are computed, and the counter."""
    calls = []

    def count(chunk):
        if chunk.size:  # dask computes a chunk without elements, to learn its class
            calls.append(threading.get_ident())
        return chunk

    return engines.from_engine(engines.to_engine(x).map_blocks(count, dtype=x.dtype)), calls


@pytest.fixture
def matrix():
    return np.random.default_rng(0).standard_normal((12, 8))


# -- laziness ---------------------------------------------------------------------------------------------------------


def test_nothing_is_computed_before_values_are_needed(matrix):
    x, calls = counted(xp.asarray(matrix))
    y = xp.var(xp.exp(x - xp.mean(x, axis=0)) @ x.T, axis=1)
    z = xp.sort(y)[::2]
    assert "chunks" in repr(z)
    assert repr(z) == str(z)
    assert z.shape == (6,)
    assert not calls
    host(z)
    assert calls


def test_results_are_computed_together_in_one_pass(matrix):
    x, calls = counted(xp.asarray(matrix))
    mean, deviation, first = engines.compute(xp.mean(x), xp.std(x), xp.asarray(2.0, device="cpu"))
    assert len(calls) == engines.to_engine(x).npartitions
    assert mean.device == deviation.device == "cpu"
    assert float(first) == 2.0
    np.testing.assert_allclose([float(mean), float(deviation)], [matrix.mean(), matrix.std()])


def test_persisted_chunks_are_computed_once(matrix):
    x, calls = counted(xp.asarray(matrix))
    (y,) = engines.persist(x * 2)
    count = len(calls)
    assert np.array_equal(host(y), matrix * 2)
    assert np.array_equal(host(y + 1), matrix * 2 + 1)
    assert len(calls) == count


def test_moments_read_the_elements_once(matrix):
    x, calls = counted(xp.asarray(matrix))
    host(xp.var(x, axis=0))
    assert len(calls) == engines.to_engine(x).npartitions


def test_a_computation_computes_nothing_that_was_not_asked_for(matrix):
    x, calls = counted(xp.asarray(matrix))
    other, other_calls = counted(xp.sum(x, axis=0))
    pending = other + 1
    assert float(xp.max(x)) == matrix.max()
    assert calls
    assert not other_calls
    np.testing.assert_allclose(host(pending), matrix.sum(axis=0) + 1)


def test_a_variance_written_as_a_formula_is_computed_as_it_is_written(matrix):
    x = xp.asarray(matrix)
    found = xp.mean((x - xp.mean(x, axis=0)) ** 2, axis=0)
    layers = {name.rpartition("-")[0] for name in engines.to_engine(found).dask.layers}
    assert "var" not in layers
    np.testing.assert_allclose(host(found), matrix.var(axis=0))


def test_lengths_of_a_selection_are_computed_from_the_mask_alone(matrix):
    x, calls = counted(xp.asarray(matrix))
    rows = np.arange(12) % 3 == 0
    chosen, whole = x[xp.asarray(rows)], x[xp.asarray(matrix > 0)]
    assert chosen.shape == (4, 8)
    assert whole.shape == ((matrix > 0).sum(),)
    assert not calls
    np.testing.assert_array_equal(host(chosen), matrix[rows])
    np.testing.assert_array_equal(host(whole), matrix[matrix > 0])


@pytest.mark.parametrize("key", [slice(None, 3, 3), slice(-4, -1, 3), slice(1, 3, 2)])
def test_a_slice_of_one_element_is_computed_with_as_one_element(key):
    # dask keeps an empty chunk where a step goes beyond the end within the next one.
    x = engines.rechunk(xp.arange(4.0), 2)
    expected = [np.arange(4.0)[key][0] + 1.0]
    assert (x[key] + 1.0).tolist() == expected
    assert xp.sum(x[key] + 1.0, keepdims=True).tolist() == expected
    assert engines.chunks(x[key]) == ((1,),)


@pytest.mark.parametrize("chunks", [(1, 0), (0, 1), (0, 1, 0)])
def test_an_element_in_chunks_some_of_which_are_empty_is_computed_with_as_one_element(chunks):
    x = engines.rechunk(xp.ones(1), (chunks,))
    assert (x + 1.0).tolist() == [2.0]
    assert float(xp.sum(x + 1.0)) == 2.0


def test_writing_to_fetched_values_does_not_change_the_array(matrix):
    mean = xp.mean(xp.asarray(matrix), axis=0)
    for _ in range(2):
        host(mean)[...] = 0.0
    np.testing.assert_allclose(host(mean + 1), matrix.mean(axis=0) + 1)


def test_forbidden_computations_raise_where_python_needs_a_value(matrix):
    x, calls = counted(xp.asarray(matrix))
    before = engines.computations("dask")
    with engines.forbid_computations():
        lazy = xp.exp(x) + xp.mean(x)
        for needing in (lambda: bool(x[0, 0]), lambda: float(xp.sum(x)), lambda: x[x > 0], lambda: xp.nonzero(x)):
            with pytest.raises(TypeError, match="computations are forbidden here"):
                needing()
        assert not calls
        np.testing.assert_allclose(host(lazy), np.exp(matrix) + matrix.mean())
    assert engines.computations("dask") == before
    assert bool(x[0, 0] != 0)


def test_pickle_has_the_computation_and_not_the_values():
    with dask.config.set({"array.chunk-size": "1 MiB"}):
        x = xp.ones((2000, 2000)) * 3
    text = pickle.dumps(x)
    assert len(text) < 100_000
    y = pickle.loads(text)
    assert y.device == "dask"
    assert float(xp.sum(y[:10])) == 60_000.0


def test_stores_are_of_dask_where_no_device_is_named(tmp_path):
    pytest.importorskip("zarr", reason="zarr is not installed: tox -e engines")
    engines.to_zarr(xp.ones(3), tmp_path / "a.zarr")
    with xp.use_device("cpu"):
        assert engines.from_zarr(tmp_path / "a.zarr").device == "dask"


def test_adopted_array_has_known_lengths():
    x = da.arange(20, chunks=5)
    y = engines.from_engine(x[x > 11])
    assert y.shape == (8,)
    assert int(xp.sum(y)) == sum(range(12, 20))


# -- stores -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exists", [False, True])
def test_failed_write_leaves_no_store_and_no_other_one(tmp_path, matrix, exists):
    pytest.importorskip("zarr", reason="zarr is not installed: tox -e engines")
    path = tmp_path / "a.zarr"
    if exists:
        engines.to_zarr(xp.zeros((2, 2)), path)

    def fail(chunk, block_id=None):
        if block_id is not None and block_id[0]:
            raise OSError("no space left on device")
        return chunk

    x = engines.from_engine(da.ones((12, 8), chunks=4).map_blocks(fail, dtype=np.float64))
    with pytest.raises(OSError, match="no space left"):
        engines.to_zarr(x, path, overwrite=True)
    assert sorted(item.name for item in tmp_path.iterdir()) == (["a.zarr"] if exists else [])
    if exists:
        np.testing.assert_array_equal(host(engines.from_zarr(path)), np.zeros((2, 2)))


def run(program, **environment):
    environment = os.environ | {"DASK_ARRAY__CHUNK_SIZE": "64B"} | environment
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment, timeout=120
    )


def test_chunks_of_rows_and_chunks_of_columns_do_not_make_chunks_of_elements():
    values = np.arange(1600.0).reshape(40, 40)
    rows = engines.from_engine(da.from_array(values, chunks=(2, 40)))
    columns = engines.from_engine(da.from_array(values.astype(np.float32), chunks=(40, 2)))
    for x in (rows + columns, columns * rows):
        assert engines.chunks(x) == engines.chunks(rows)  # the larger operand's
    np.testing.assert_array_equal(np.asarray((rows + columns).to_device("cpu")), values * 2)
    within = engines.rechunk(rows, ((10,) * 4, (40,)))
    assert engines.chunks(rows + within) == engines.chunks(rows)  # whose chunks are parts of the others


def test_another_device_computes_chunks():
    result = run(
        "import numpy as np, xtensor as xp\n"
        "from xtensor.backend import ChunkFunction\n"
        "used = set()\n"
        "original = ChunkFunction.__call__\n"
        "def call(self, *args, **options):\n"
        "    used.add(self.spec)\n"
        "    return original(self, *args, **options)\n"
        "ChunkFunction.__call__ = call\n"
        "x = xp.asarray(np.arange(24.0).reshape(4, 6), device='dask')\n"
        "print(float(xp.sum(xp.sqrt(x))), *used)",
        DASK_XTENSOR__DEVICE="numpy",
    )
    total, *used = result.stdout.split()
    assert float(total) == pytest.approx(np.sqrt(np.arange(24.0)).sum()), result.stderr
    assert used == ["numpy"]


def test_device_whose_arrays_dask_cannot_join_is_refused():
    pytest.importorskip("array_api_strict", reason="array_api_strict is not installed")
    result = run("import xtensor as xp; xp.ones(3, device='dask')", DASK_XTENSOR__DEVICE="strict")
    assert result.returncode
    assert "dask cannot join" in result.stderr
    assert "name 'cpu', 'numpy'" in result.stderr


def test_each_chunk_draws_its_part():
    x = xp.random.default_rng(0).random(64)
    assert engines.chunks(x) == ((8,) * 8,)
    np.testing.assert_array_equal(np.asarray(engines.to_engine(x).blocks[5].compute()), host(x)[40:48])


@pytest.mark.parametrize(
    ("shape", "chunks"),
    [
        ((6, 3), ((2, 2, 2), (3,))),
        ((2, 20), ((1, 1), (7, 7, 6))),
        ((2, 5, 2), ((1, 1), (3, 2), (2,))),
        ((3, 1, 8), ((1, 1, 1), (1,), (8,))),
    ],
)
@pytest.mark.parametrize("method", ["random", "standard_normal", "integers"])
def test_chunks_of_several_axes_draw_consecutive_numbers_and_need_no_others(shape, chunks, method):
    rng = xp.random.default_rng(0)
    x = rng.integers(0, 9, shape) if method == "integers" else getattr(rng, method)(shape)
    assert engines.chunks(x) == chunks
    (optimized,) = dask.optimize(engines.to_engine(x))
    assert len(optimized.__dask_graph__()) <= 2 * engines.to_engine(x).npartitions


def test_rejected_random_numbers_are_those_of_other_devices():
    ours, others = (xp.random.default_rng(3, device=spec).poisson(4.0, 10) for spec in ("dask", "cpu"))
    np.testing.assert_array_equal(host(ours), np.asarray(others))
