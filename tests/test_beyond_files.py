"""Arrays in files: NumPy reads the values that are written, and the reverse, on every device."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy_calls import SAMPLE_DTYPES, sample
from strategies import expect, made, values_of

import xtensor as xp


@pytest.mark.parametrize("dtype", SAMPLE_DTYPES)
@pytest.mark.parametrize("shape", [(2, 3), (), (0, 2)], ids=str)
def test_numpy_reads_a_saved_array(device, tmp_path, dtype, shape):
    host, x = made(sample(shape, dtype))
    xp.save(tmp_path / "x", x)
    loaded = np.load(tmp_path / "x.npy")
    assert loaded.dtype == host.dtype
    np.testing.assert_array_equal(loaded, host)
    expect(xp.load(tmp_path / "x.npy"), host)


def test_array_is_loaded_on_the_device_that_is_asked_for(device, tmp_path):
    np.save(tmp_path / "x.npy", np.ones(2))
    assert xp.load(tmp_path / "x.npy").device is device
    assert xp.load(tmp_path / "x.npy", device="cpu").device is xp.device("cpu")
    expect(xp.load(tmp_path / "x.npy", mmap_mode="r"), np.ones(2))


@pytest.mark.parametrize("function", ["savez", "savez_compressed"])
def test_numpy_reads_several_saved_arrays(device, tmp_path, function):
    host, x = made(sample((2, 3), "float32"))
    getattr(xp, function)(tmp_path / "all", x, [1, 2], allow_pickle=False, x=x[0, :], y=host)
    with np.load(tmp_path / "all.npz") as loaded:
        assert sorted(loaded.files) == ["arr_0", "arr_1", "x", "y"]
        np.testing.assert_array_equal(loaded["x"], host[0])
    with xp.load(tmp_path / "all.npz") as arrays:
        assert sorted(arrays) == sorted(arrays.files) == ["arr_0", "arr_1", "x", "y"]
        assert len(arrays) == 4
        expect(arrays["arr_0"], host)
        expect(arrays["arr_1"], np.asarray([1, 2]))
        expect(dict(arrays)["y"], host)
        assert "arr_1" in repr(arrays)
        with pytest.raises(KeyError):
            arrays["z"]


def test_file_after_the_array_has_its_remedy(device, tmp_path):
    with pytest.raises(TypeError, match=r"save\(\) takes the file first: save\(file, x\)"):
        xp.save(xp.ones(2), tmp_path / "x.npy")


def test_open_files_are_read_and_written(device):
    file = io.BytesIO()
    xp.save(file, xp.asarray([1, 2]))
    file.seek(0)
    expect(xp.load(file), np.asarray([1, 2]))


def test_numpy_reads_saved_text(device, tmp_path):
    host, x = made(sample((3, 2), special=False))
    xp.savetxt(tmp_path / "x.txt", x, "%.3f", delimiter=",", header="a,b", footer="end")
    np.savetxt(tmp_path / "y.txt", host, "%.3f", delimiter=",", header="a,b", footer="end")
    assert (tmp_path / "x.txt").read_text() == (tmp_path / "y.txt").read_text()
    expect(xp.loadtxt(tmp_path / "x.txt", delimiter=","), host)


TEXTS = [
    {},
    {"dtype": "int64"},
    {"dtype": "complex64"},
    {"skiprows": 0, "usecols": (0, 2)},
    {"unpack": True},
    {"max_rows": 1, "ndmin": 2},
    {"usecols": 1, "converters": {1: lambda text: float(text) + 0.5}},
]


@pytest.mark.parametrize("options", TEXTS, ids=lambda options: " ".join(options) or "defaults")
def test_text_is_read_as_numpy_reads_it(device, options):
    lines = ["1 2 3", "4 5 6  # the last"]
    expect(xp.loadtxt(lines, **options), np.loadtxt(lines, **options))


def test_text_is_read_on_the_device_that_is_asked_for(device):
    like = xp.zeros(1, device="cpu")
    assert xp.loadtxt(["1"], device="cpu").device is xp.device("cpu")
    assert xp.loadtxt(["1"], like=like).device is xp.device("cpu")


def test_sequence_with_arrays_is_saved(device, tmp_path):
    x = xp.asarray(1.5)
    xp.save(tmp_path / "x.npy", [x, 2.0])
    assert values_of(xp.load(tmp_path / "x.npy")).tolist() == [1.5, 2.0]


def test_pickled_objects_are_refused(device, tmp_path):
    np.save(tmp_path / "x.npy", np.asarray([None]))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        xp.load(tmp_path / "x.npy")
    with pytest.raises(TypeError, match="need no pickles"):
        xp.load(tmp_path / "x.npy", allow_pickle=True)


def test_missing_files_and_malformed_text_are_errors(device, tmp_path):
    with pytest.raises(FileNotFoundError):
        xp.load(tmp_path / "none.npy")
    with pytest.raises(FileNotFoundError):
        xp.loadtxt(tmp_path / "none.txt")
    with pytest.raises(ValueError, match="could not convert"):
        xp.loadtxt(["one"])


def test_values_without_an_array_are_refused(device, tmp_path):
    for call in (
        lambda: xp.save(tmp_path / "x", None),
        lambda: xp.savez(tmp_path / "x", None),
        lambda: xp.savez_compressed(tmp_path / "x"),
        lambda: xp.savetxt(tmp_path / "x", None),
    ):
        with pytest.raises(TypeError, match="at least one xtensor Array"):
            call()
    assert not list(tmp_path.iterdir())
