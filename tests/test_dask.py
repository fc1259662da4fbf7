"""The device ``dask``: what is computed when, views, lengths, limits, stores, and other devices for the chunks."""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

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


def test_computations_are_counted_and_logged(matrix, caplog):
    x = xp.asarray(matrix)
    before = engines.computations("dask")
    with xp.transfers("log"), caplog.at_level(logging.WARNING, logger="xtensor.transfers"):
        assert xp.sum(x) < 1e9
        float(x[0, 0])
        x[xp.asarray([1, 3])]
        x[x > 0]
    assert engines.computations("dask") - before == 4
    purposes = ("bool()", "float()", "index arrays", "the length of a result")
    assert [next(p for p in purposes if p in record.getMessage()) for record in caplog.records] == list(purposes)
    assert all(f"{Path(__file__).name}:" in record.getMessage() for record in caplog.records)


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


# -- views ------------------------------------------------------------------------------------------------------------


def test_assignments_are_seen_by_views_and_bases(matrix):
    x, a = xp.asarray(matrix), matrix.copy()
    pairs = [(x, a), (x[2:9:2], a[2:9:2]), (x.T, a.T), (x.reshape((-1,)), a.reshape(-1)), (xp.flip(x, axis=0), a[::-1])]
    row, row_a = x[3], a[3]
    x[:, 1] = 5.0
    a[:, 1] = 5.0
    pairs[1][0][0] -= 10.0
    pairs[1][1][0] -= 10.0
    pairs[2][0][2:4, :3] = xp.asarray([[1.0], [2.0]])
    pairs[2][1][2:4, :3] = [[1.0], [2.0]]
    pairs[3][0][17] = 99.0
    pairs[3][1][17] = 99.0
    pairs[4][0][xp.asarray([0, 5])] = 7.0
    pairs[4][1][[0, 5]] = 7.0
    row[...] = xp.arange(8.0)
    row_a[...] = np.arange(8.0)
    x[0:2] *= 2
    a[0:2] *= 2
    for ours, theirs in [*pairs, (row, row_a)]:
        np.testing.assert_array_equal(host(ours), theirs)


def test_copies_do_not_see_assignments(matrix):
    x = xp.asarray(matrix)
    copies = [x.copy(), x + 0, x[xp.asarray([0, 1])], x[x > -100], xp.reshape(x, (96,), copy=True)]
    before = [host(copy) for copy in copies]
    x[...] = 0.0
    for copy, values in zip(copies, before, strict=True):
        np.testing.assert_array_equal(host(copy), values)


def test_the_host_does_not_see_assignments(matrix):
    x = xp.asarray(matrix)
    exported = np.from_dlpack(x)
    x[...] = 0.0
    np.testing.assert_array_equal(exported, matrix)


# -- lengths, limits, errors ------------------------------------------------------------------------------------------


def test_lengths_that_depend_on_values_are_known(matrix):
    x = xp.asarray(matrix)
    assert x[x > 0].shape == matrix[matrix > 0].shape
    assert xp.nonzero(x > 1)[0].shape == np.nonzero(matrix > 1)[0].shape
    assert xp.unique_values(xp.round(x)).shape == np.unique(np.round(matrix)).shape
    np.testing.assert_array_equal(host(x[x > 0]), matrix[matrix > 0])


@pytest.mark.parametrize("name", ["sort", "argsort", "fft.fft", "linalg.svd", "linalg.eigh"])
def test_chunks_beyond_the_limit_are_refused(name):
    x = xp.ones((40, 40))
    function = xp
    for part in name.split("."):
        function = getattr(function, part)
    refused = pytest.raises(NotImplementedError, match="xtensor.chunk-limit")
    with dask.config.set({"xtensor.chunk-limit": "200 B"}), refused as raised:
        function(x)
    text = str(raised.value)
    assert name in text
    assert "B for shape (40, 40)" in text
    assert "the limit is 200 B" in text


def test_export_beyond_the_limit_is_refused():
    x = xp.ones((40, 40))
    with dask.config.set({"xtensor.chunk-limit": "200 B"}):
        with pytest.raises(BufferError, match="to_device"):
            np.from_dlpack(x)
        assert host(x).shape == (40, 40)  # an explicit request


def test_errors_of_operands_are_raised_by_the_call():
    x = xp.ones((4, 3))
    for call in (
        lambda: x + xp.ones((5,)),
        lambda: x @ xp.ones((1, 2)),
        lambda: x[:, :1] @ x[:3],
        lambda: xp.max(x[:0]),
        lambda: xp.asarray([1], dtype=xp.int8) + 300,
        lambda: x[7],
        lambda: xp.bitwise_and(x, x),
    ):
        with pytest.raises((ValueError, TypeError, IndexError, OverflowError)):
            call()


def test_errors_of_values_are_raised_by_the_computation():
    singular = xp.linalg.solve(xp.zeros((2, 2)), xp.ones(2))
    with pytest.raises(np.linalg.LinAlgError):
        host(singular)


def test_arrays_of_others_are_not_adopted():
    with pytest.raises(TypeError, match="ndarray"):
        engines.from_engine(np.ones(3))
    with pytest.raises(TypeError, match="'cpu'"):
        engines.to_engine(xp.ones(3, device="cpu"))
    with pytest.raises(TypeError, match="list"):
        engines.compute([1, 2])


def test_adopted_array_has_known_lengths():
    x = da.arange(20, chunks=5)
    y = engines.from_engine(x[x > 11])
    assert y.shape == (8,)
    assert int(xp.sum(y)) == sum(range(12, 20))


def test_chunks_and_other_chunks():
    x = xp.ones((10, 4))
    y = engines.rechunk(x, (5, 2))
    assert engines.chunks(y) == ((5, 5), (2, 2))
    assert engines.chunks(xp.ones((3, 2), device="cpu")) == ((3,), (2,))
    assert engines.rechunk(xp.ones(3, device="cpu"), 2).device == "cpu"


# -- stores -----------------------------------------------------------------------------------------------------------


def test_store_has_the_values(tmp_path, matrix):
    pytest.importorskip("zarr", reason="zarr is not installed: tox -e engines")
    x = engines.rechunk(xp.asarray(matrix), (5, 3))
    engines.to_zarr(x[x[:, 0] > 0], tmp_path / "a.zarr")  # chunks of unequal lengths
    engines.to_zarr(xp.asarray(matrix, device="cpu"), tmp_path / "b.zarr")
    np.testing.assert_array_equal(host(engines.from_zarr(tmp_path / "a.zarr")), matrix[matrix[:, 0] > 0])
    np.testing.assert_array_equal(host(engines.from_zarr(str(tmp_path / "b.zarr"))), matrix)
    with pytest.raises(FileExistsError, match="overwrite"):
        engines.to_zarr(x, tmp_path / "a.zarr")
    engines.to_zarr(x, tmp_path / "a.zarr", overwrite=True)
    np.testing.assert_array_equal(host(engines.from_zarr(tmp_path / "a.zarr")), matrix)
    with pytest.raises(FileNotFoundError, match=r"c\.zarr"):
        engines.from_zarr(tmp_path / "c.zarr")


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


# -- accuracy, other devices for chunks -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("correction", [0, 1, 7])
def test_moments_of_chunks_are_merged(dtype, axis, correction):
    rng = np.random.default_rng(1)
    a = (1e4 + rng.standard_normal((12, 8))).astype(dtype)
    wide = a.astype("complex128" if a.dtype.kind == "c" else "float64")
    x = xp.asarray(a)
    expected = np.mean(wide, axis=axis), np.var(wide, axis=axis, ddof=correction)
    values = host(xp.mean(x, axis=axis)), host(xp.var(x, axis=axis, correction=correction))
    tolerance = 1e-2 if dtype == "float32" else 1e-9
    np.testing.assert_allclose(values[0], expected[0], rtol=1e-6)
    np.testing.assert_allclose(values[1], expected[1], rtol=tolerance)


def run(program, **environment):
    environment = os.environ | {"DASK_ARRAY__CHUNK_SIZE": "64B"} | environment
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment, timeout=120
    )


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


def test_each_function_of_the_table_goes_its_way():
    from xtensor.backend import TABLE
    from xtensor_dask._namespace import functions
    from xtensor_dask._ways import COMPOSED, WAYS, way

    def has(name):
        found = functions()
        for part in name.split("."):
            found = getattr(found, part, None)
        return found is not None

    rows = [name for name, row in TABLE.items() if row.kind not in ("network", "signal", "random")]
    assert {name for names in WAYS.values() for name in names} <= set(rows)
    assert [name for name in rows if has(name)] == [name for name in rows if way(name) != COMPOSED]


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.random(37),
        lambda rng: rng.random(37, dtype=np.float32),
        lambda rng: rng.standard_normal((5, 7)),
        lambda rng: rng.random((2, 3, 11), dtype=np.float32),
        lambda rng: rng.standard_normal((2, 0, 3)),
        lambda rng: rng.standard_normal(),
        lambda rng: rng.integers(0, 100, (3, 10)),
        lambda rng: rng.integers(0, xp.arange(1, 11, device=rng.device), (3, 10)),
        lambda rng: rng.integers(0, 2**60, (3, 10)),
        lambda rng: rng.permutation(12),
        lambda rng: rng.poisson(4.0, 10),
    ],
    ids=[
        *("random", "float32", "standard_normal", "float32 of 3 axes", "no elements", "an element", "integers"),
        *("integers below several bounds", "integers without bias", "permutation", "poisson"),
    ],
)
def test_random_numbers_are_those_of_other_devices(draw):
    ours, others = (xp.random.default_rng(3, device=spec) for spec in ("dask", "cpu"))
    for _ in range(2):  # the second draw starts inside a chunk
        np.testing.assert_array_equal(host(draw(ours)), np.asarray(draw(others)))


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
