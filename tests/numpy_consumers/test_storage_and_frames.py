"""networkx, numba, polars, pyarrow, Pillow, zarr, h5py and dask, unmodified, with Arrays."""

from __future__ import annotations

import importlib
import io

import numpy as np
import pytest
from comparison import assert_same

import xtensor as xp

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the libraries themselves

VALUES = np.array([1.5, -2.0, 0.25, 3.0])
COUNT = np.arange(4)
MATRIX = np.array([[0.0, 1, 0], [1, 0, 2], [0, 2, 0]])
PIXELS = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)


def library(name):
    return pytest.importorskip(name, reason="requires the dependency group consumers")


def copied(values):
    return xp.asarray(values, copy=True)


def assert_same_result(call):
    assert_same(call(copied), call(np.array), rtol=1e-12)


# -- networkx, numba -----------------------------------------------------------------------------------------------

GRAPHS = {
    "edges": lambda nx, a: sorted(map(str, nx.from_numpy_array(a(MATRIX)).edges(data=True))),
    "edges of a directed graph": lambda nx, a: sorted(
        map(str, nx.from_numpy_array(a(MATRIX), create_using=nx.DiGraph).edges)
    ),
    "multiple edges": lambda nx, a: sorted(map(str, nx.from_numpy_array(a(MATRIX.astype(int))).edges(data=True))),
    "pagerank": lambda nx, a: list(nx.pagerank(nx.from_numpy_array(a(MATRIX))).values()),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_networkx_makes_a_graph(readable_device, name):
    networkx = library("networkx")
    assert_same_result(lambda a: GRAPHS[name](networkx, a))


def test_numba_compiles_functions_of_numpy_arrays(readable_device):
    numba = library("numba")

    @numba.njit
    def add_one(values):
        for i in range(values.shape[0]):
            values[i] += 1.0
        return values.sum()

    x = copied(VALUES)
    assert add_one(np.asarray(x)) == VALUES.sum() + 4
    if readable_device.host:
        assert x.tolist() == (VALUES + 1).tolist()
    with pytest.raises(numba.core.errors.TypingError):
        add_one(x)


def test_numba_universal_function_takes_arrays(readable_device):
    vectorized = library("numba").vectorize(["float64(float64, float64)"])(lambda x, y: x + 2 * y)
    result = vectorized(copied(VALUES), copied(VALUES))
    assert type(result) is xp.Array
    assert result.tolist() == (3 * VALUES).tolist()


# -- polars, pyarrow -----------------------------------------------------------------------------------------------

FRAMES = {
    "pyarrow array": ("pyarrow", lambda pa, a: pa.array(a(VALUES)).to_numpy()),
    "pyarrow array of a type": ("pyarrow", lambda pa, a: pa.array(a(COUNT), type=pa.float32()).to_numpy()),
    "pyarrow chunked array": ("pyarrow", lambda pa, a: pa.chunked_array([a(VALUES), a(VALUES)]).to_numpy()),
    "pyarrow filter": ("pyarrow", lambda pa, a: pa.array(VALUES).filter(pa.array(a(VALUES) > 0)).to_numpy()),
    "pyarrow table": ("pyarrow", lambda pa, a: pa.table({"a": a(VALUES), "b": a(COUNT)})["b"].to_numpy()),
    "polars series": ("polars", lambda pl, a: pl.Series(a(VALUES)).to_numpy()),
    "polars series of integers": ("polars", lambda pl, a: pl.Series(a(COUNT)).to_numpy()),
    "polars frame": ("polars", lambda pl, a: pl.DataFrame({"a": a(VALUES), "b": a(COUNT)})["b"].to_numpy()),
}


@pytest.mark.parametrize("name", FRAMES)
def test_columns_are_made_of_arrays(readable_device, name):
    library("pyarrow")  # makes Arrow's memory for polars, too
    module, call = FRAMES[name]
    assert_same_result(lambda a: call(library(module), a))


def test_columns_of_several_dimensions_are_refused(readable_device):
    with pytest.raises(library("pyarrow").ArrowInvalid, match="1-dimensional"):
        library("pyarrow").array(copied(MATRIX))


@pytest.mark.parametrize("dtype", ["float64", "int8"])
def test_columns_become_arrays_of_their_dtype(readable_device, dtype):
    values = VALUES.astype(dtype)
    for column in (library("pyarrow").array(values), library("polars").Series(values)):
        x = xp.asarray(column)
        assert (x.dtype, x.tolist()) == (values.dtype, values.tolist())
    assert xp.from_dlpack(library("pyarrow").array(values)).tolist() == values.tolist()


# -- Pillow --------------------------------------------------------------------------------------------------------

IMAGES = {
    "booleans": lambda a: a(MATRIX > 0),
    "colours": lambda a: a(PIXELS),
    "flipped": lambda a: a(PIXELS)[::-1, ...],
    "grey": lambda a: a(np.ascontiguousarray(PIXELS[:, :, 0])),
    "numbers": lambda a: a(MATRIX.astype(np.float32)),
    "one colour": lambda a: a(PIXELS)[:, :, 1],
}


@pytest.mark.parametrize("name", IMAGES)
def test_pillow_makes_an_image(lenient_device, name):
    image = library("PIL.Image")
    assert_same_result(lambda a: np.asarray(image.fromarray(xp.to_numpy(xp.asarray(IMAGES[name](a))))))


def test_image_becomes_an_array_of_its_dtype(device):
    x = xp.asarray(library("PIL.Image").fromarray(PIXELS))
    assert (x.dtype, x.tolist()) == (np.uint8, PIXELS.tolist())


# -- zarr, h5py ----------------------------------------------------------------------------------------------------


def test_zarr_writes_and_reads(readable_device, tmp_path):
    zarr = library("zarr")
    stored = zarr.open_array(tmp_path / "a", mode="w", shape=(3, 3), dtype="f8", chunks=(2, 2))
    stored[...] = copied(MATRIX)
    stored[0, :] = copied(MATRIX)[1, :]
    x = xp.asarray(zarr.open_array(tmp_path / "a", mode="r")[...])
    assert x.tolist() == [MATRIX[1].tolist(), *MATRIX[1:].tolist()]
    assert stored.oindex[copied(np.array([0, 2])), :].tolist() == [MATRIX[1].tolist(), MATRIX[2].tolist()]


def test_zarr_stores_integers_in_one_chunk(readable_device):
    assert library("zarr").array(copied(COUNT))[...].tolist() == COUNT.tolist()


def test_zarr_takes_numbers_in_one_chunk_as_a_numpy_array(readable_device):
    zarr = library("zarr")
    with pytest.raises(TypeError, match="view"):  # zarr compares the bits of a whole chunk with those of zero
        zarr.array(copied(MATRIX))
    assert zarr.array(copied(MATRIX).numpy())[...].tolist() == MATRIX.tolist()


def test_h5py_writes_and_reads(readable_device):
    with library("h5py").File(io.BytesIO(), "w") as file:
        file["matrix"] = copied(MATRIX)
        values = file.create_dataset("values", data=copied(VALUES))
        values[1:3] = copied(VALUES)[:2]
        values[0] = copied(VALUES)[3]
        file.attrs["values"] = copied(VALUES)
        assert xp.asarray(file["matrix"][()]).tolist() == MATRIX.tolist()
        assert values[()].tolist() == [3.0, 1.5, -2.0, 3.0]
        assert values[copied(np.array([0, 2]))].tolist() == [3.0, -2.0]
        assert file.attrs["values"].tolist() == VALUES.tolist()


# -- dask ----------------------------------------------------------------------------------------------------------

CHUNKED = {
    "arithmetic": lambda da, x: x * 2 + 1,
    "concatenate": lambda da, x: da.concatenate([x, x]),
    "cumsum": lambda da, x: da.cumsum(x, axis=0),
    "map_blocks": lambda da, x: x.map_blocks(lambda block: block + 1),
    "matmul": lambda da, x: x @ x,
    "mean": lambda da, x: x.mean(axis=0),
    "numpy.exp": lambda da, x: np.exp(x),
    "slice": lambda da, x: x[1:, ::2],
    "std": lambda da, x: x.std(axis=0),
    "sum": lambda da, x: x.sum(),
    "var": lambda da, x: x.var(),
    "where": lambda da, x: da.where(x > 0, 1.0, 0.0),
}


@pytest.mark.parametrize("name", CHUNKED)
def test_dask_computes_chunks_on_the_device(host_device, name):
    library("dask.array")
    dask_array = importlib.import_module("dask.array")
    result, expected = (
        CHUNKED[name](dask_array, dask_array.from_array(a(MATRIX), chunks=2)).compute() for a in (copied, np.array)
    )
    assert type(result) is xp.Array
    assert_same(result, expected, rtol=1e-12)
