"""Memory maps, HDF5 datasets and Zarr arrays on the devices of engines: read chunk by chunk when they are computed."""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import ExitStack
from importlib.util import find_spec

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


PEAK = """
import resource, sys
import numpy as np
import dask, cubed
import xtensor as xp

engine, path = sys.argv[1:]
dask.config.set({"array.chunk-size": "8 MB"})
cubed.config.set({"xtensor.chunk-size": "8MB"})

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

assert float(xp.sum(xp.ones(3_000_000, device=engine))) == 3_000_000.0
before = peak()
x = xp.asarray(np.load(path, mmap_mode="r"), device=engine)
assert float(xp.sum(x)) == 0.0
print(peak() - before)
"""


@pytest.mark.skipif(find_spec("resource") is None, reason="this system does not report the peak of memory")
@pytest.mark.skipif(len(ENGINES) < 2, reason="the program needs dask and cubed: tox -e engines")
@pytest.mark.parametrize("name", ENGINES)
def test_memory_is_that_of_chunks_and_not_of_the_file(tmp_path, name):
    path = tmp_path / "large.npy"
    np.lib.format.open_memmap(path, "w+", np.float64, (50_000, 1_000)).flush()  # 400 MB, which the disk does not store
    found = subprocess.run([sys.executable, "-c", PEAK, name, str(path)], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert int(found.stdout) < 200e6
