"""Arrays of files, and dask's own, on the devices of engines: read chunk by chunk when they are computed."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import xtensor as xp
from xtensor import engines

ENGINES = [name for name in ("dask", "cubed") if find_spec(name) is not None]
if not ENGINES:
    pytest.skip("no engine is installed: tox -e engines", allow_module_level=True)

VALUES = np.arange(60_000.0).reshape(300, 200)


@pytest.fixture(params=ENGINES)
def engine(request):
    """An engine whose new arrays have chunks of 64 kB."""
    with ExitStack() as stack:
        if request.param == "dask":
            import dask

            stack.enter_context(dask.config.set({"array.chunk-size": "64 kB"}))
        else:
            import cubed

            stack.enter_context(cubed.config.set({"xtensor.chunk-size": "64kB"}))
        yield request.param


@pytest.fixture
def path(tmp_path):
    np.save(tmp_path / "values.npy", VALUES)
    return tmp_path / "values.npy"


def host(x):
    return np.asarray(x.to_device("cpu"))


VIEWS = {
    "whole": lambda m: m,
    "ndarray": np.asarray,
    "every second row, columns backwards": lambda m: m[5:290:2, ::-1],
    "transposed": lambda m: m.T,
    "bits": lambda m: m.view(np.int64),
    "repeated row": lambda m: np.broadcast_to(m[7], (100, 200)),
    "view of a view": lambda m: np.asarray(m[10:])[10:, 20:],
}


@pytest.mark.parametrize("view", VIEWS)
def test_views_of_a_memory_map_are_read_when_they_are_computed(engine, path, view):
    mapped = VIEWS[view](np.load(path, mmap_mode="r"))
    expected = np.array(mapped)
    x, later = (xp.asarray(mapped, device=engine) for _ in range(2))
    assert x.dtype == expected.dtype
    np.testing.assert_array_equal(host(x), expected)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        host(later)


def test_column_major_files_and_other_byte_orders(engine, tmp_path):
    np.save(tmp_path / "columns.npy", np.asfortranarray(VALUES))
    VALUES.astype(">f4").tofile(tmp_path / "big.raw")
    columns = xp.asarray(np.load(tmp_path / "columns.npy", mmap_mode="r"), device=engine)
    big = xp.asarray(np.memmap(tmp_path / "big.raw", ">f4", "r", shape=VALUES.shape), device=engine)
    np.testing.assert_array_equal(host(columns), VALUES)
    np.testing.assert_array_equal(host(big), VALUES.astype(np.float32), strict=True)


def test_a_cast_waits_as_well(engine, path):
    mapped = np.load(path, mmap_mode="r")
    x, later = (xp.asarray(mapped, dtype=xp.float32, device=engine) for _ in range(2))
    np.testing.assert_array_equal(host(x), VALUES.astype(np.float32), strict=True)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        host(later)


@pytest.mark.parametrize("mode", ["r+", "c"])
def test_a_map_that_can_be_written_is_copied(engine, path, mode):
    mapped = np.load(path, mmap_mode=mode)
    x = xp.asarray(mapped, device=engine)
    mapped[...] = 0.0
    np.testing.assert_array_equal(host(x), VALUES)


def test_an_explicit_copy_does_not_need_the_file(engine, path):
    x = xp.asarray(np.load(path, mmap_mode="r"), device=engine, copy=True)
    path.unlink()
    np.testing.assert_array_equal(host(x), VALUES)


def test_a_file_that_became_shorter_raises(engine, path):
    x = xp.asarray(np.load(path, mmap_mode="r"), device=engine)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(OSError, match=r"values\.npy' has 1000 bytes, fewer than"):
        host(x)


def test_a_dataset_of_hdf5_is_read_when_it_is_computed(engine, tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    path = tmp_path / "values.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("group/values", data=VALUES, chunks=(50, 30))
        file["big"] = VALUES.astype(">f4")
        written = xp.asarray(file["group/values"], device=engine)
        file["group/values"][...] = 0.0
        np.testing.assert_array_equal(host(written), VALUES)
        file["group/values"][...] = VALUES
    with h5py.File(path, "r") as file:
        x, later, big = (xp.asarray(file[name], device=engine) for name in ("group/values", "group/values", "big"))
    assert all(length % 30 == 0 for length in engines.chunks(x)[1][:-1])  # no chunk of the file is read by two tasks
    np.testing.assert_array_equal(host(x), VALUES)
    np.testing.assert_array_equal(host(big), VALUES.astype(np.float32), strict=True)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        host(later)


def test_an_array_of_zarr_is_read_when_it_is_computed(engine, tmp_path):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed: tox -e engines")
    stored = zarr.create_array(tmp_path / "values.zarr", data=VALUES, chunks=(50, 30))
    reader = zarr.open_array(tmp_path / "values.zarr", mode="r")
    x, later = (xp.asarray(reader, device=engine) for _ in range(2))
    copied = xp.asarray(stored, device=engine)
    np.testing.assert_array_equal(host(x), VALUES)
    stored[...] = 0.0
    np.testing.assert_array_equal(host(copied), VALUES)
    np.testing.assert_array_equal(host(later), np.zeros_like(VALUES))


@pytest.mark.skipif("dask" not in ENGINES, reason="dask is not installed: tox -e engines")
def test_a_pickle_names_the_file(path):
    import dask

    with dask.config.set({"array.chunk-size": "64 kB"}):
        x = xp.asarray(np.load(path, mmap_mode="r"), device="dask")
    text = pickle.dumps(x)
    assert len(text) < 10_000
    np.testing.assert_array_equal(host(pickle.loads(text)), VALUES)


@pytest.mark.parametrize("mode", ["r", None])
def test_load_takes_the_device_of_an_engine(engine, path, mode):
    x = xp.load(path, mmap_mode=mode, device=engine)
    assert x.device == engine
    np.testing.assert_array_equal(host(x), VALUES)


def test_a_dataset_of_netcdf_is_one_of_hdf5(engine, tmp_path):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    pytest.importorskip("h5netcdf", reason="h5netcdf is not installed")
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    xarray.Dataset({"values": (("x", "y"), VALUES)}).to_netcdf(tmp_path / "values.nc", engine="h5netcdf")
    with h5py.File(tmp_path / "values.nc", "r") as file:
        x = xp.asarray(file["values"], device=engine)
    np.testing.assert_array_equal(host(x), VALUES)


# -- arrays and tables of dask ----------------------------------------------------------------------------------------

needs_dask = pytest.mark.skipif("dask" not in ENGINES, reason="dask is not installed: tox -e engines")


def tables(path):
    """Write a table in two formats, and return dask's tables of them."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import dask.dataframe

    table = pandas.DataFrame({"a": np.arange(1000.0), "b": np.arange(1000), "name": ["x"] * 1000})
    table.to_csv(path / "table.csv", index=False)
    table.to_parquet(path / "table.parquet", row_group_size=300)
    return {
        "CSV": dask.dataframe.read_csv(path / "table.csv", blocksize="5 kB"),
        "Parquet": dask.dataframe.read_parquet(path / "table.parquet", split_row_groups=True),
    }


@needs_dask
@pytest.mark.parametrize("format", ["CSV", "Parquet"])
def test_a_table_of_numbers_is_an_array_in_the_chunks_of_its_file(tmp_path, format):
    table = tables(tmp_path)[format]
    x = xp.asarray(table[["a", "b"]], device="dask")
    assert len(engines.chunks(x)[0]) > 1
    np.testing.assert_array_equal(host(x), np.stack([np.arange(1000.0)] * 2, axis=1))
    b = engines.from_engine(table["b"])
    np.testing.assert_array_equal(host(b), np.arange(1000), strict=True)


@needs_dask
def test_a_table_with_texts_is_refused(tmp_path):
    table = tables(tmp_path)["CSV"]
    with pytest.raises(TypeError, match="has dtype object; select the columns of numbers"):
        engines.from_engine(table)
    with pytest.raises(TypeError, match=r"asarray\(\) takes a dtype of booleans or numbers"):
        xp.asarray(table, device="dask")


@needs_dask
def test_an_array_of_dask_stays_in_its_chunks_and_is_not_computed():
    import dask.array as da

    def fails(block):
        raise AssertionError("a chunk was computed")

    x = xp.asarray(da.ones((6, 4), chunks=2).map_blocks(fails, dtype=np.float64), device="dask")
    assert engines.chunks(x) == ((2, 2, 2), (2, 2))


@needs_dask
@pytest.mark.parametrize("function", [engines.from_engine, lambda x: xp.asarray(x, device="dask")])
def test_a_later_assignment_to_the_array_of_dask_does_not_change_the_array(function):
    import dask.array as da

    own = da.zeros(4, chunks=2)
    x = function(own)
    own[0] = 1.0
    assert x.tolist() == [0.0, 0.0, 0.0, 0.0]


# -- memory -----------------------------------------------------------------------------------------------------------

LARGE = [
    *[("memory map", name) for name in ENGINES],
    *[pytest.param("HDF5", name, marks=pytest.mark.long) for name in ENGINES],
    *[pytest.param(source, "dask", marks=[pytest.mark.long, needs_dask]) for source in ("Parquet", "CSV")],
]

NEEDED = {"memory map": [], "HDF5": ["h5py"], "Parquet": ["pandas", "pyarrow"], "CSV": ["pandas", "pyarrow"]}


@pytest.mark.skipif(find_spec("resource") is None, reason="this system does not report the peak of memory")
@pytest.mark.parametrize(("source", "name"), LARGE)
def test_memory_is_that_of_chunks_and_not_of_the_file(tmp_path, source, name):
    for module in NEEDED[source]:
        pytest.importorskip(module, reason=f"{module} is not installed")
    program = Path(__file__).resolve().parents[2] / "file_memory.py"
    variables = {
        "PYTHONPATH": str(program.parent),
        "DASK_ARRAY__CHUNK_SIZE": "8 MB",
        "CUBED_XTENSOR__CHUNK_SIZE": "8MB",
    }
    megabytes = 100 if source == "CSV" else 400
    done = subprocess.run(
        [sys.executable, str(program), source, name, str(megabytes)],
        cwd=tmp_path,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) < 200e6
