"""The devices of engines, ``dask`` and ``cubed``: views, lengths, limits, errors, stores, accuracy, random numbers."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import xtensor as xp
from xtensor import engines

ENGINES = [name for name in ("dask", "cubed") if find_spec(name) is not None]
if not ENGINES:
    pytest.skip("no engine is installed: tox -e engines", allow_module_level=True)

pytest.importorskip("zarr", reason="zarr is not installed: tox -e engines")


@contextmanager
def settings(engine, name, value):
    """Set a value of an engine's configuration."""
    if engine == "dask":
        import dask

        with dask.config.set({"array.chunk-size" if name == "chunk-size" else f"xtensor.{name}": value}):
            yield
    else:
        import cubed

        with cubed.config.set({f"xtensor.{name}": value}):
            yield


@pytest.fixture(params=ENGINES, autouse=True)
def engine(request):
    """Make arrays of several chunks, and the engine's device the default one."""
    with settings(request.param, "chunk-size", "64 B"), xp.use_device(request.param):
        yield request.param


def host(x):
    return np.asarray(x.to_device("cpu"))


@pytest.fixture
def matrix():
    return np.random.default_rng(0).standard_normal((12, 8))


@pytest.mark.parametrize("name", ["sort", "argsort", "fft.fft", "linalg.svd", "linalg.eigh"])
def test_chunks_beyond_the_limit_are_refused(engine, name):
    x = xp.ones((40, 40))
    function = xp
    for part in name.split("."):
        function = getattr(function, part)
    refused = pytest.raises(NotImplementedError, match="xtensor.chunk-limit")
    with settings(engine, "chunk-limit", "200 B"), refused as raised:
        function(x)
    text = str(raised.value)
    assert name in text
    assert "B for shape (40, 40)" in text
    assert "the limit is 200 B" in text


def test_computations_are_counted_and_logged(engine, matrix, caplog):
    x = xp.asarray(matrix) + 0.0
    before = engines.computations(engine)
    with xp.transfers("log"), caplog.at_level(logging.WARNING, logger="xtensor.transfers"):
        assert xp.sum(x) < 1e9
        float(x[0, 0])
        x[xp.asarray([1, 3])]
        x[x > 0]
    assert engines.computations(engine) - before == 4
    purposes = ("bool()", "float()", "index arrays", "the length of a result")
    texts = [record.getMessage() for record in caplog.records if record.name == "xtensor.transfers"]
    assert [next(p for p in purposes if p in text) for text in texts] == list(purposes)
    assert all(f"{Path(__file__).name}:" in text for text in texts)


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


def test_elements_of_a_small_array_are_computed_together(engine, matrix):
    x, a = xp.asarray(matrix) + 1.0, matrix + 1.0
    before = engines.computations(engine)
    assert [[float(x[i, j]) for j in range(8)] for i in range(12)] == a.tolist()
    assert [bool(x[i, -1] > 0) for i in range(2)] == (a[:2, -1] > 0).tolist()
    assert engines.computations(engine) - before == 1
    x[0, 0] = 5.0
    assert float(x[0, 0]) == 5.0
    assert float(x[0, 1]) == a[0, 1]
    assert engines.computations(engine) - before == 2


def test_expressions_of_elements_are_computed_together(engine, matrix):
    x, a = xp.asarray(matrix) * 2.0, matrix * 2.0
    before = engines.computations(engine)
    chosen = [i for i in range(12) if x[i, 0] > 0.1 and abs(x[i, 1]) + x[i, 2] * 2 != x[i, 3]]
    assert chosen == [i for i in range(12) if a[i, 0] > 0.1]
    assert float(xp.sqrt(x[0, 0] * x[0, 0])) == abs(a[0, 0])
    compared = x[0, 0] < 0.0
    x[0, 0] = -x[0, 0]
    assert bool(compared) == (a[0, 0] < 0.0)
    assert bool(x[0, 0] < 0.0) != (a[0, 0] < 0.0)
    assert engines.computations(engine) - before == 2  # x before and after the assignment


def test_an_array_of_many_elements_is_computed_from_their_arrays(engine, matrix):
    x, y, a = xp.asarray(matrix) * 2.0, xp.asarray(matrix[0]) + 1.0, matrix * 2.0
    before = engines.computations(engine)
    products = xp.asarray([[x[i, 0] * y[j] for j in range(8)] for i in range(12)] * 2)
    assert engines.computations(engine) - before == 2  # x and y
    np.testing.assert_array_equal(host(products), np.tile(np.outer(a[:, 0], matrix[0] + 1.0), (2, 1)))
    before = engines.computations(engine)
    column = xp.stack([x[i % 12, 1] for i in range(40)], axis=0)
    assert engines.computations(engine) - before <= 1
    np.testing.assert_array_equal(host(column), a[np.arange(40) % 12, 1])
    few = xp.stack([xp.asarray(matrix), x], axis=1)
    np.testing.assert_array_equal(host(few), np.stack([matrix, a], axis=1))


def test_a_long_sum_of_elements(matrix):
    x, total = xp.asarray(matrix) * 2.0, xp.zeros(())
    for i in range(120):
        total = total + x[i % 12, 0]
    assert float(total) == pytest.approx(20 * matrix[:, 0].sum())


def test_an_array_that_is_asked_for_twice_is_computed_once(matrix):
    x, y = xp.asarray(matrix) + 1.0, xp.asarray(matrix) * 2.0
    for found, expected in zip(engines.compute(x, x, y), (matrix + 1.0, matrix + 1.0, matrix * 2.0), strict=True):
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_an_element_is_a_value_and_a_view_is_none(matrix):
    for x in (xp.asarray(matrix), xp.asarray(matrix) + 0.0):
        element, scalar, view, row = x[0, 0], xp.sum(x[0, 0])[()], x[0, 0, ...], x[0]
        assert float(row[0]) == float(element) == matrix[0, 0]
        x[0, 0] = 9.0
        assert float(element) == float(scalar) == matrix[0, 0]
        assert float(view) == float(row[0]) == 9.0
        row[0] = 10.0
        assert float(x[0, 0]) == float(view) == 10.0
        x[...] = 11.0
        assert float(x[3, 3]) == float(row[1]) == 11.0


@pytest.mark.parametrize("dtype", ["float64", "int8", "complex128", "bool"])
def test_a_loop_of_assignments_is_one_function_of_the_chunks(engine, dtype):
    kind = np.dtype(dtype)
    x, a = xp.zeros((6, 50), dtype=getattr(xp, dtype)), np.zeros((6, 50), dtype)
    numbers = np.random.default_rng(0)
    for step in range(1500):
        i, j, n = (int(number) for number in numbers.integers(0, (6, 50, 100)))
        keys = [(i, j), (i, slice(j, None, -7)), (slice(None), j), (i - 6, slice(j, j + 3)), (None, i, j - 50), i]
        key = keys[step % len(keys)]
        value = kind.type(n).item()
        x[key] = value if step % 2 else xp.asarray(value, dtype=x.dtype)
        a[key] = value
    if engine == "dask":
        assert len(engines.to_engine(x).dask.layers) < 16
    np.testing.assert_array_equal(host(x), a)
    x[2, 3:6] = xp.asarray([1, 0, 1], dtype=x.dtype)
    a[2, 3:6] = [1, 0, 1]
    column = x[:, 4]
    x[:, 4] = xp.asarray([[1, 0, 1, 0, 1, 0]], dtype=x.dtype)
    a[:, 4] = [1, 0, 1, 0, 1, 0]
    np.testing.assert_array_equal(host(column), a[:, 4])
    np.testing.assert_array_equal(host(x), a)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32"])
def test_assignments_to_an_array_without_axes(dtype):
    for x in (xp.ones((), dtype=getattr(xp, dtype)), xp.max(xp.ones((4, 5), dtype=getattr(xp, dtype)))):
        x[()] = 0
        assert float(x) == 0
        x[...] = xp.ones((), dtype=x.dtype)
        assert float(x) == 1


@pytest.mark.parametrize("key", [True, (..., True), (None, True), (True, True), np.asarray(True)])
def test_assignment_by_a_condition_to_an_array_without_axes(engine, key):
    x = xp.asarray(0.0, device=engine)
    x[key] = xp.asarray([5.0], device=engine)
    assert float(x) == 5.0
    x[False] = 7.0
    assert float(x) == 5.0


def test_assignments_that_wait_raise_their_errors_in_the_call():
    x = xp.zeros((4, 5), dtype=xp.int8)
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        x[4, 0] = 1
    with pytest.raises(IndexError, match="too many indices"):
        x[0, 0, 0] = 1
    with pytest.raises(OverflowError, match="300"):
        x[0, 0] = 300
    with pytest.raises(ValueError, match=r"could not broadcast input array from shape \(3,\) into shape \(2,\)"):
        x[0, :2] = xp.ones(3, dtype=xp.int8)
    np.testing.assert_array_equal(host(x), np.zeros((4, 5)))


def test_the_host_does_not_see_assignments(matrix):
    x = xp.asarray(matrix)
    exported = np.from_dlpack(x)
    x[...] = 0.0
    np.testing.assert_array_equal(exported, matrix)


def test_lengths_that_depend_on_values_are_known(matrix):
    x = xp.asarray(matrix)
    assert x[x > 0].shape == matrix[matrix > 0].shape
    assert xp.nonzero(x > 1)[0].shape == np.nonzero(matrix > 1)[0].shape
    assert xp.unique_values(xp.round(x)).shape == np.unique(np.round(matrix)).shape
    np.testing.assert_array_equal(host(x[x > 0]), matrix[matrix > 0])


def test_export_beyond_the_limit_is_refused(engine):
    x = xp.ones((40, 40))
    with settings(engine, "chunk-limit", "200 B"):
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


def test_arrays_of_others_are_not_adopted(engine):
    with pytest.raises(TypeError, match="ndarray"):
        engines.from_engine(np.ones(3), device=engine)
    with pytest.raises(TypeError, match="ndarray"):
        engines.from_engine(np.ones(3))
    with pytest.raises(TypeError, match="'cpu'"):
        engines.to_engine(xp.ones(3, device="cpu"))
    with pytest.raises(TypeError, match="list"):
        engines.compute([1, 2])


def test_chunks_and_other_chunks():
    x = xp.ones((10, 4))
    y = engines.rechunk(x, (5, 2))
    assert engines.chunks(y) == ((5, 5), (2, 2))
    assert engines.chunks(xp.ones((3, 2), device="cpu")) == ((3,), (2,))
    assert engines.rechunk(xp.ones(3, device="cpu"), 2).device == "cpu"


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


def test_each_function_of_the_table_goes_its_way(engine):
    import xtensor.special  # noqa: F401 - its functions are in the table then
    from xtensor.backend import TABLE

    others = ("network", "signal", "random", "composed", "assignment")
    rows = [name for name, row in TABLE.items() if row.kind not in others]
    ways = engines.ways(engine)
    assert sorted(name for names in ways.values() for name in names) == sorted(rows)
    composed = ways["composed"]
    assert [name for name in rows if xp.device(engine).implements(name)] == [
        name for name in rows if name not in composed
    ]
    with pytest.raises(TypeError, match="'cpu'"):
        engines.ways("cpu")


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
    ],
    ids=[
        *("random", "float32", "standard_normal", "float32 of 3 axes", "no elements", "an element", "integers"),
        *("integers below several bounds", "integers without bias", "permutation"),
    ],
)
def test_random_numbers_are_those_of_other_devices(engine, draw):
    ours, others = (xp.random.default_rng(3, device=spec) for spec in (engine, "cpu"))
    for _ in range(2):  # the second draw starts inside a chunk
        np.testing.assert_array_equal(host(draw(ours)), np.asarray(draw(others)))


INDICES = [
    (slice(None, None, -2), slice(1, 5)),
    (3, None, slice(None, None, 3)),
    (slice(8, 1, -3), -1),
    (slice(5, 5),),
    (Ellipsis, 2, None),
]
"""Keys of slices, integers and new axes."""


@pytest.mark.parametrize("key", INDICES, ids=repr)
def test_elements_are_those_of_numpy(matrix, key):
    np.testing.assert_array_equal(host(xp.asarray(matrix)[key]), matrix[key])


@pytest.mark.parametrize("key", INDICES, ids=repr)
def test_assigned_elements_are_those_of_numpy(matrix, key):
    x, a = xp.asarray(matrix), matrix.copy()
    values = np.arange(a[key].size, dtype=float).reshape(a[key].shape)
    x[key], a[key] = xp.asarray(values), values
    np.testing.assert_array_equal(host(x), a)


CALLS = {
    "reshape": lambda xp, x: xp.reshape(x, (4, 3, 8)),
    "reshape across rows": lambda xp, x: xp.reshape(x, (6, 16)),
    "flatten": lambda xp, x: xp.reshape(x, (-1,)),
    "new axes": lambda xp, x: xp.reshape(x, (1, 12, 1, 8)),
    "permute_dims": lambda xp, x: xp.permute_dims(xp.reshape(x, (4, 3, 8)), (2, 0, 1)),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x[0], (5, 8)),
    "concat": lambda xp, x: xp.concat([x, x[:5] * 2], axis=0),
    "concat columns": lambda xp, x: xp.concat([x[:, 5:], x], axis=1),
    "matmul": lambda xp, x: x @ x.T,
    "matrix and vector": lambda xp, x: x @ x[0],
    "vector and stack": lambda xp, x: x[:4, 0] @ xp.reshape(x, (3, 4, 8)),
    "sort": lambda xp, x: xp.sort(x, axis=0),
    "cumulative_sum": lambda xp, x: xp.cumulative_sum(x, axis=0),
    "cumulative_prod": lambda xp, x: xp.cumulative_prod(x, axis=1),
    "searchsorted": lambda xp, x: xp.searchsorted(xp.sort(x[:, 0]), x[0]),
    "max": lambda xp, x: xp.max(x, axis=(0, 1)),
    "any": lambda xp, x: xp.any(x > 2, axis=1, keepdims=True),
    "fft": lambda xp, x: xp.fft.fft(x, n=5, axis=0),
    "slogdet": lambda xp, x: xp.linalg.slogdet(xp.reshape(x[:8], (4, 4, 4)))[1],
    "eigh": lambda xp, x: xp.linalg.eigh(x.T @ x)[0],
    "qr": lambda xp, x: xp.abs(xp.linalg.qr(x)[1]),
    "svd": lambda xp, x: xp.linalg.svd(x, full_matrices=False)[1],
    "solve": lambda xp, x: xp.linalg.solve(x[:8], x[:8, :3]),
    "take": lambda xp, x: xp.take(x, xp.asarray([7, 0, 7, 3]), axis=1),
    "unique_counts": lambda xp, x: xp.unique_counts(xp.round(x))[1],
    "nothing": lambda xp, x: xp.sum(x[:0], axis=0),
    "sort of joined arrays without elements": lambda xp, x: xp.sort(xp.concat([x[:0, 0], x[:0, 1]])),
}
"""Functions of each way, with chunks that have to be joined, cut or moved."""


@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_numpy(matrix, name):
    found, expected = host(CALLS[name](xp, xp.asarray(matrix))), CALLS[name](np, matrix)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_results_are_computed_together(matrix):
    x = xp.asarray(matrix)
    (kept,) = engines.persist(x * 2)
    mean, largest, other = engines.compute(xp.mean(kept), xp.max(x), xp.asarray(2.0, device="cpu"))
    assert mean.device == largest.device == "cpu"
    np.testing.assert_allclose([float(mean), float(largest), float(other)], [2 * matrix.mean(), matrix.max(), 2.0])


def test_device_tells_that_it_is_lazy(engine):
    assert xp.device(engine).lazy
    assert not xp.device("cpu").lazy


def test_engine_is_found_by_its_array(engine, matrix):
    x = engines.to_engine(xp.asarray(matrix))
    with xp.use_device("cpu"):
        y = engines.from_engine(x)
    assert y.device == engine
    np.testing.assert_array_equal(host(y + 1), matrix + 1)


def test_row_and_column_do_not_make_a_chunk_of_their_product(engine):
    with settings(engine, "chunk-size", "800 B"):
        x, y = xp.arange(100.0), xp.arange(60.0)
        assert engines.chunks(x) == ((100,),)
        z = x[:, None] * y + y
        assert max(map(max, engines.chunks(z))) * min(map(max, engines.chunks(z))) <= 100
    np.testing.assert_array_equal(host(z), np.arange(100.0)[:, None] * np.arange(60.0) + np.arange(60.0))
