"""SYCL devices through dpnp: how they are found, that results stay on them, and what dpnp alone gets wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import xtensor as xp
from xtensor.backend import STANDARD_DTYPES as DTYPE_NAMES
from xtensor.backend import BackendUnavailableError
from xtensor_dpnp import DpnpBackend, _runtime

STANDARD_DTYPES = tuple(map(np.dtype, DTYPE_NAMES))


CONFIGURATION = ("OCL_ICD_FILENAMES", "OCL_ICD_VENDORS", "ONEAPI_DEVICE_SELECTOR", "SYCL_DEVICE_FILTER")

try:
    SYCL = xp.device("sycl")
except BackendUnavailableError as failure:
    SYCL = None
    REASON = str(failure)
else:
    REASON = ""

on_sycl = pytest.mark.skipif(SYCL is None, reason=f"no SYCL device: {REASON}")

DTYPES = sorted(SYCL.dtypes if SYCL else STANDARD_DTYPES, key=lambda dtype: (dtype.kind, dtype.itemsize))

COMPLEX_FUNCTIONS = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "log", "log10", "sqrt")


@pytest.fixture
def sycl(request):
    """The first SYCL device, which is the default one while the test runs."""
    request.node.user_properties.append(("device", str(SYCL)))
    with xp.use_device(SYCL):
        yield SYCL


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program in a process whose OpenCL and SYCL are configured by ``environment`` alone."""
    inherited = {name: value for name, value in os.environ.items() if name not in CONFIGURATION}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        env={**inherited, "XTENSOR_DEVICE": "cpu", **environment},
        timeout=300,
    )


def host(x: xp.Array) -> np.ndarray:
    return np.asarray(x.to_device("cpu"))


# -- finding devices ----------------------------------------------------------------------------------------------


@on_sycl
@pytest.mark.skipif(_runtime.cpu_runtime() is None, reason="intel-opencl-rt is not installed")
def test_runtime_of_the_cpu_is_found_where_nothing_is_configured():
    done = run("""
        import os
        import xtensor as xp
        assert xp.zeros(3, device="sycl:cpu:0").sum().item() == 0.0
        assert "OCL_ICD_FILENAMES" not in os.environ
    """)
    assert done.returncode == 0, done.stderr


@on_sycl
@pytest.mark.parametrize("variable", ["OCL_ICD_FILENAMES", "OCL_ICD_VENDORS"])
def test_runtimes_that_the_user_names_are_left_alone(monkeypatch, variable):
    monkeypatch.setenv(variable, "/mine")
    with _runtime._runtime_named():
        assert {name: os.environ.get(name) for name in CONFIGURATION[:2]} == {
            **dict.fromkeys(CONFIGURATION[:2]),
            variable: "/mine",
        }
    assert os.environ[variable] == "/mine"


@on_sycl
def test_where_of_arrays_that_run_backwards(sycl):
    values = np.arange(12.0).reshape(3, 4)
    x = xp.asarray(values, device=sycl)[::-1, ::-1]
    expected = np.where(values > 5.0, 0.0, values)[::-1, ::-1]
    np.testing.assert_array_equal(np.asarray(xp.where(x > 5.0, 0.0, x).to_device("cpu")), expected)


@on_sycl
def test_a_library_that_the_user_names_is_the_only_one_looked_for(tmp_path):
    done = run(
        """
        import os
        import xtensor as xp
        try:
            xp.device("sycl:cpu:0")
        except xp.BackendUnavailableError as error:
            print(error)
        else:
            print("a device of the system's own")
        print(os.environ["OCL_ICD_FILENAMES"])
        """,
        OCL_ICD_FILENAMES=str(tmp_path / "none.so"),
        OCL_ICD_VENDORS=str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    reason, configured = done.stdout.splitlines()
    assert configured == str(tmp_path / "none.so")
    assert f"OCL_ICD_FILENAMES={configured}" in reason


@on_sycl
def test_a_selector_of_sycl_is_obeyed():
    done = run(
        """
        import xtensor as xp
        (info,) = [info for info in xp.backends() if info.name == "dpnp"]
        assert not info.available, info
        print(info.reason, info.remedy)
        """,
        ONEAPI_DEVICE_SELECTOR="cuda:7",
    )
    assert done.returncode == 0, done.stderr
    assert "ONEAPI_DEVICE_SELECTOR=cuda:7" in done.stdout


@on_sycl
def test_asking_for_devices_makes_no_queue():
    backend = DpnpBackend()
    assert backend.probe()
    assert str(SYCL) in backend.devices()
    for ask in (backend.dtypes, backend.default_float, backend.dlpack_device, backend.info, backend.memory):
        ask(str(SYCL))
    assert backend._queues == {}


def test_a_missing_dpnp_says_what_to_install():
    done = run("""
        import sys
        sys.modules["dpctl"] = None
        import xtensor as xp
        try:
            xp.device("sycl")
        except xp.BackendUnavailableError as error:
            print(error)
        print(xp.sum(xp.ones(3, device="cpu")).item())
    """)
    assert done.returncode == 0, done.stderr
    error, total = done.stdout.splitlines()
    assert "not installed" in error
    assert 'python -m pip install "xtensor[dpnp]"' in error
    assert total == "3.0"


def test_a_dpnp_that_fails_at_import_leaves_the_cpu_working():
    done = run("""
        import sys
        from importlib.abc import MetaPathFinder

        class Broken(MetaPathFinder):
            def find_spec(self, name, path, target=None):
                if name.partition(".")[0] in ("dpctl", "dpnp"):
                    raise ImportError("libsycl.so.8: cannot open shared object file")

        sys.meta_path.insert(0, Broken())
        import xtensor as xp
        (info,) = [info for info in xp.backends() if info.name == "dpnp"]
        print(info.available, info.reason, info.remedy)
        print(xp.sum(xp.ones(3, device="cpu")).item(), [str(device) for device in xp.devices()])
    """)
    assert done.returncode == 0, done.stderr
    info, rest = done.stdout.splitlines()
    assert info.startswith("False")
    assert "libsycl.so.8" in info
    assert 'python -m pip install "xtensor[dpnp]"' in info
    assert rest.startswith("3.0")
    assert "sycl" not in rest


class FakeDevice:
    """As much of ``dpctl.SyclDevice`` as listing and describing devices needs."""

    def __init__(self, kind, name, backend, platform, fp64=True, fp16=False):
        self.name, self.sycl_platform = name, platform
        self.device_type, self.backend = SimpleNamespace(name=kind), SimpleNamespace(name=backend)
        self.has_aspect_fp64, self.has_aspect_fp16 = fp64, fp16


def listed(*devices):
    return _runtime.enumerate_devices(SimpleNamespace(get_devices=lambda: list(devices)))


def test_gpus_come_first_and_each_kind_counts_from_zero():
    cpu = FakeDevice("cpu", "c", "opencl", 0)
    gpus = [FakeDevice("gpu", "g", "level_zero", 1) for _ in range(2)]
    assert listed(cpu, *gpus) == {"sycl:gpu:0": gpus[0], "sycl:gpu:1": gpus[1], "sycl:cpu:0": cpu}
    assert next(iter(listed(cpu, *gpus))) == "sycl:gpu:0"


def test_a_gpu_that_two_drivers_serve_is_listed_once_under_its_own():
    opencl, level_zero = (FakeDevice("gpu", "Arc", name, name) for name in ("opencl", "level_zero"))
    assert listed(opencl, level_zero) == {"sycl:gpu:0": level_zero}


def test_devices_that_are_neither_gpu_nor_cpu_are_left_out():
    assert listed(FakeDevice("accelerator", "FPGA emulation", "opencl", 0)) == {}


def test_a_device_without_float64_says_so():
    backend = DpnpBackend()
    backend._devices = {"sycl:gpu:0": FakeDevice("gpu", "Arc", "level_zero", 0, fp64=False, fp16=True)}
    assert {np.dtype("float64"), np.dtype("complex128")} == set(STANDARD_DTYPES) - set(backend.dtypes("sycl:gpu:0"))
    assert backend.default_float("sycl:gpu:0") == np.float32
    assert backend.extra_dtypes("sycl:gpu:0") == (np.dtype("float16"),)


def test_a_gpu_is_preferred_to_the_cpu_and_a_sycl_cpu_is_not():
    assert DpnpBackend().rank("sycl:gpu:0") > 0 > DpnpBackend().rank("sycl:cpu:0")


# -- arrays and their device --------------------------------------------------------------------------------------


@on_sycl
def test_every_array_of_the_device_is_on_one_queue(sycl):
    x = xp.asarray([[4.0, 1.0], [1.0, 3.0]])
    queue = x._native.sycl_queue
    results = [
        *(xp.arange(3), xp.empty(3), xp.eye(3), xp.full(3, 1.0), xp.linspace(0, 1, 3), xp.ones(3), xp.zeros(3)),
        *(x + 1, 2 / x, x @ x, x[0], x[x > 1], xp.sum(x), xp.sort(x), *xp.nonzero(x), *xp.unique_all(x)),
        *(xp.where(x > 1, x, 0.0), xp.take(x, xp.asarray([0]), axis=0), xp.astype(x, xp.float32)),
        *xp.meshgrid(x[0], x[1]),
        *(xp.linalg.inv(x), *xp.linalg.svd(x), *xp.linalg.eig(x), xp.linalg.eigvals(x), xp.linalg.solve(x, x[0])),
        *(xp.fft.fft(x + 0j), xp.fft.fftfreq(4), xp.fft.rfftfreq(4), xp.asarray(x, copy=True), xp.from_dlpack(x)),
    ]
    for result in results:
        assert result.device is sycl
        assert result._native.sycl_queue == queue


@on_sycl
def test_native_arrays_are_told_by_their_device(sycl):
    assert sycl._backend.device_of(xp.ones(1)._native) == str(sycl)


@on_sycl
def test_threads_share_the_queue_and_do_not_disturb_each_other(sycl):
    def work(seed):
        with xp.use_device(sycl):
            x = xp.full(1000, float(seed))
            for _ in range(20):
                x = x + 1.0
            return x

    with ThreadPoolExecutor(4) as pool:
        arrays = list(pool.map(work, range(8)))
    assert len({hash(x._native.sycl_queue) for x in arrays}) == 1
    assert [xp.max(x).item() for x in arrays] == [seed + 20.0 for seed in range(8)]


@on_sycl
def test_info_and_memory_tell_of_the_hardware(sycl):
    info = sycl.info()
    assert info.name
    assert info.index == 0
    assert info.total_memory > 2**20
    assert sycl.memory().total == info.total_memory
    sycl.synchronize()
    sycl.release_memory()


@on_sycl
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "key",
    [(...,), (slice(None, None, -1), slice(None, None, 2)), (1, 2), (slice(0, 0), slice(None)), (None, slice(1, 2))],
    ids=["plain", "reversed and strided", "0-d", "empty", "part"],
)
def test_transfers_keep_values_dtype_and_shape(sycl, dtype, key):
    values = np.arange(-6, 6).astype(dtype).reshape(3, 4)
    if dtype.kind in "fc":
        values[0] = [-0.0, np.inf, -np.inf, np.nan]
    arrived = xp.asarray(values[key])
    indexed = xp.asarray(values)[key]
    for x in (arrived, indexed):
        assert (x.device, x.dtype, x.shape) == (sycl, dtype, values[key].shape)
        assert host(x).dtype == dtype
        assert host(x).tobytes() == values[key].tobytes()


@on_sycl
def test_an_array_that_is_read_only_transposed_or_byte_swapped_arrives(sycl):
    values = np.arange(6.0).reshape(2, 3)
    values.flags.writeable = False
    assert host(xp.asarray(values)).tolist() == values.tolist()
    assert host(xp.asarray(values.T)).tolist() == values.T.tolist()
    assert host(xp.asarray(values.astype(">f8"))).tolist() == values.tolist()


@on_sycl
def test_values_of_the_host_need_a_copy(sycl):
    with pytest.raises(ValueError, match="copy"):
        xp.asarray(np.ones(3), copy=False)


@on_sycl
def test_numpy_asarray_raises_unless_transfers_are_allowed(sycl):
    x = xp.arange(3)
    with pytest.raises(TypeError, match="to_device"):
        np.asarray(x)
    with xp.transfers("allow"):
        assert np.asarray(x).tolist() == [0, 1, 2]


@on_sycl
@pytest.mark.parametrize("copy", [None, True, False])
def test_dlpack_shares_memory_unless_a_copy_is_asked_for(sycl, copy):
    dpnp = pytest.importorskip("dpnp")
    x = xp.zeros(3)
    theirs = dpnp.from_dlpack(x, copy=copy)
    ours = xp.from_dlpack(theirs, copy=copy)
    assert ours.device is sycl
    assert (ours + x).shape == (3,)
    x[0] = 7.0
    assert ours[0].item() == (0.0 if copy else 7.0)


@on_sycl
@pytest.mark.skipif(SYCL is None or "cpu" not in str(SYCL), reason="the host cannot reach this device's memory")
@pytest.mark.parametrize("key", [(...,), (slice(None, None, -1), slice(1, None, 2)), (1, 2), (slice(0, 0),)], ids=str)
def test_the_host_reads_the_memory_of_a_sycl_cpu_without_a_copy(sycl, key):
    x = xp.reshape(xp.arange(12.0), (3, 4))[key]
    view = np.from_dlpack(x, device="cpu", copy=False)
    x += 100.0
    sycl.synchronize()
    assert view.tolist() == x.tolist()
    copied = np.from_dlpack(x, device="cpu", copy=True)
    x -= 100.0
    assert copied.tolist() == (x + 100.0).tolist()
    before = x.tolist()
    del x
    assert view.tolist() == before


@on_sycl
def test_an_array_of_dpnp_keeps_the_values_that_are_still_being_computed(sycl):
    dpnp = pytest.importorskip("dpnp")
    theirs = dpnp.arange(10**6, dtype="float32", device=xp.ones(1)._native.sycl_device)
    for _ in range(10):
        theirs = theirs + 1.0
    assert xp.from_dlpack(theirs)[-1].item() == 10**6 + 9


@on_sycl
def test_dlpack_of_the_host_is_copied_to_the_device(sycl):
    x = xp.from_dlpack(np.arange(3), device=sycl)
    assert x.device is sycl
    assert host(x).tolist() == [0, 1, 2]


# -- faults -------------------------------------------------------------------------------------------------------


@on_sycl
@pytest.mark.parametrize(
    "ask",
    [
        lambda: xp.empty(2**44),
        lambda: xp.zeros((2**22, 2**22)),
        lambda: xp.ones(2**60),
        lambda: xp.full(2**44, 1.0),
        lambda: xp.arange(2**44, dtype=xp.float64),
        lambda: xp.linspace(0.0, 1.0, 2**44),
        lambda: xp.eye(2**22),
    ],
    ids=["empty", "zeros", "ones", "full", "arange", "linspace", "eye"],
)
def test_creating_beyond_memory_tells_bytes_asked_and_free(sycl, ask):
    with pytest.raises(xp.OutOfMemoryError, match="free") as caught:
        ask()
    assert caught.value.requested >= 2**47
    assert caught.value.free is None or 0 < caught.value.free < 2**47
    assert xp.sum(xp.ones(3)).item() == 3.0


@on_sycl
def test_results_beyond_memory_raise_and_the_process_goes_on(sycl):
    x = xp.ones(2**22)
    grid = xp.broadcast_to(x, (2**22, 2**22))
    for compute in (
        lambda: x[:, None] * x,
        lambda: xp.matmul(x[:, None], x[None, :]),
        lambda: xp.sqrt(grid),
        lambda: grid.copy(),
        lambda: xp.sort(grid),
        lambda: xp.concat([grid, grid]),
        lambda: xp.repeat(x, 2**22),
        lambda: xp.fft.fft(xp.astype(x, xp.complex64), n=2**62),
    ):
        with pytest.raises(xp.OutOfMemoryError):
            compute()
    with pytest.raises(MemoryError):
        grid[xp.arange(2**22)]
    assert xp.sum(x).item() == 2.0**22


@on_sycl
def test_errors_are_of_the_kinds_of_python_and_numpy(sycl):
    with pytest.raises(TypeError, match="real numbers"):
        xp.floor(xp.ones(2, dtype=xp.complex64))
    integers = xp.ones(2, dtype=xp.int64)
    with pytest.raises(TypeError):
        integers += 0.5
    assert host(integers).tolist() == [1, 1]
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        xp.linalg.inv(xp.zeros((2, 2)))
    with pytest.raises(np.linalg.LinAlgError):
        xp.linalg.cholesky(-xp.ones((2, 2)))


@on_sycl
@pytest.mark.parametrize("value", [300, -1])
def test_an_integer_that_does_not_fit_is_not_assigned(sycl, value):
    x = xp.zeros(2, dtype=xp.uint8)
    with pytest.raises(OverflowError):
        x[0] = value
    assert host(x).tolist() == [0, 0]


# -- indexing -----------------------------------------------------------------------------------------------------

VALUES = np.arange(120.0).reshape(2, 3, 4, 5)
MASK = np.array([True, False, True])
KEYS = {
    "side by side": (slice(None), [0, 2], [1, 3]),
    "apart": ([0, 1], slice(None), [2, 3]),
    "apart by an ellipsis": ([0, 1], ..., [2, 3]),
    "apart by an ellipsis of no axis": (slice(None), [0, 1], ..., [1, 2], [3, 4]),
    "apart by None": ([0, 1], None, [2, 1]),
    "None first": (None, [0, 1]),
    "an int before": (0, slice(None), [2, 3]),
    "an int after": (slice(None), [1, 2], 3),
    "an int apart": (slice(None), [1, 2], slice(None), 3),
    "broadcast": ([[0], [1]], [0, 1, 2]),
    "a mask": (slice(None), MASK),
    "a mask of two axes": (slice(None), VALUES[0, :, :, 0] % 2 == 0, slice(1, 3)),
    "a mask and indices": (0, MASK, [1, 2]),
    "two masks apart": (np.array([True, True]), slice(None), np.array([True, False, True, False])),
    "True": (True, 0),
    "False": (0, False),
    "a 0-d mask": (np.array(True), slice(1)),
    "a 0-d index": (np.array(1), slice(None), [0, 1]),
    "negative": ([-1, -2], -1),
    "empty": (slice(None), np.zeros(0, dtype=int)),
    "unequal dtypes": (np.array([0, 1], dtype="int8"), np.array([1, 1], dtype="uint64")),
    "reversed slices": (slice(None, None, -1), [2, 0], slice(None, None, -2)),
    "NumPy integers": (np.int32(1), np.uint8(2)),
}


def native_key(key):
    return tuple(xp.asarray(part) if isinstance(part, (list, np.ndarray)) else part for part in key)


@on_sycl
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_indexing_is_numpys(sycl, key):
    result = xp.asarray(VALUES)[native_key(key)]
    assert result.device is sycl
    assert result.shape == VALUES[key].shape
    assert np.array_equal(host(result), VALUES[key])


@on_sycl
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("fill", ["scalar", "whole", "last axis", "one more axis"])
def test_assignment_is_numpys(sycl, key, fill):
    shape = VALUES[key].shape
    value = {
        "scalar": np.asarray(-7.0),
        "whole": -np.arange(float(np.prod(shape, dtype=int))).reshape(shape),
        "last axis": -np.arange(float(shape[-1])) if shape else np.asarray(-1.0),
        "one more axis": -np.ones((1, *shape)),
    }[fill]
    expected = VALUES.copy()
    expected[key] = value
    x = xp.asarray(VALUES)
    x[native_key(key)] = xp.asarray(value)
    assert np.array_equal(host(x), expected)


@on_sycl
@pytest.mark.parametrize(
    "key",
    [([2],), (0, [3]), ([-3],), ([0, 1], [0, 1, 2]), (0, 0, 0, 0, 0), (..., ...), (np.ones(3, bool),), ([0.5],)],
    ids=str,
)
def test_keys_that_numpy_refuses_are_refused(sycl, key):
    with pytest.raises(IndexError):
        VALUES[tuple(np.asarray(part) if isinstance(part, list) else part for part in key)]
    with pytest.raises(IndexError):
        xp.asarray(VALUES)[native_key(key)]
    x = xp.asarray(VALUES)
    with pytest.raises(IndexError):
        x[native_key(key)] = 0.0
    assert np.array_equal(host(x), VALUES)


@on_sycl
def test_taking_out_of_bounds_raises(sycl):
    x = xp.arange(3)
    for positions in ([3], [-4]):
        with pytest.raises(IndexError, match="out of bounds"):
            xp.take(x, xp.asarray(positions))
        with pytest.raises(IndexError, match="out of bounds"):
            xp.take_along_axis(x, xp.asarray(positions))


# -- what dpnp alone gets wrong -----------------------------------------------------------------------------------


@on_sycl
@pytest.mark.parametrize("name", COMPLEX_FUNCTIONS)
@pytest.mark.parametrize("layout", ["plain", "reversed", "strided", "0-d", "transposed"])
def test_complex_functions_are_as_accurate_in_every_layout(sycl, name, layout):
    large = np.array([[1e6j, -1e6 + 1j, 3e4, -1.0], [0.5 + 0.5j, 2j, 1e-6j, complex(-0.0, -1e-6)]])
    key = {"reversed": (slice(None, None, -1),), "strided": (slice(None), slice(None, None, 2)), "0-d": (0, 0)}
    for dtype in (dtype for dtype in DTYPES if dtype.kind == "c"):
        values, x = large.astype(dtype), xp.asarray(large.astype(dtype))
        if layout == "transposed":
            values, x = values.T, x.T
        values, x = values[key.get(layout, ...)], x[key.get(layout, ...)]
        with np.errstate(all="ignore"):
            expected = np.asarray(getattr(np, name)(values))
        np.testing.assert_allclose(host(getattr(xp, name)(x)), expected, rtol=32 * np.finfo(dtype).eps)


@on_sycl
def test_signs_of_complex_zeros_are_kept_in_arrays_without_axes(sycl):
    for dtype in (dtype for dtype in DTYPES if dtype.kind == "c"):
        root = host(xp.sqrt(xp.asarray(np.asarray(complex(-0.0, 0.0), dtype=dtype))))
        assert (np.signbit(root.real), np.signbit(root.imag)) == (False, False)


@on_sycl
def test_floor_divide_agrees_with_remainder(sycl):
    x1, x2 = np.array([1.0, -1.0, 2.5, 0.0, -0.0, 7.0]), np.array([0.1, 0.1, -0.001, 3.0, 3.0, -2.0])
    result = host(xp.floor_divide(xp.asarray(x1), xp.asarray(x2)))
    assert result.tolist() == np.floor_divide(x1, x2).tolist()
    assert np.signbit(result).tolist() == np.signbit(np.floor_divide(x1, x2)).tolist()
    assert host(xp.asarray(1.0) // 0.1) == 9.0


@on_sycl
def test_a_complex_number_to_the_power_of_zero_is_one(sycl):
    bases = xp.asarray([0j, complex("inf"), 2j])
    assert host(bases**0).tolist() == [1.0, 1.0, 1.0]
    assert host(bases ** xp.zeros(3, dtype=bases.dtype)).tolist() == [1.0, 1.0, 1.0]


@on_sycl
def test_acosh_of_a_nan_on_the_imaginary_axis(sycl):
    result = xp.acosh(xp.asarray(complex(0.0, np.nan))).item()
    assert np.isnan(result.real)
    assert abs(result.imag) == pytest.approx(np.pi / 2)


@on_sycl
def test_clip_takes_bounds_of_a_wider_dtype(sycl):
    x = xp.asarray([-3, 0, 3], dtype=xp.int8)
    assert host(xp.clip(x, None, 2.5)).tolist() == [-3.0, 0.0, 2.5]
    assert xp.clip(x, -1, 1).dtype == xp.int8


@on_sycl
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64"])
def test_reciprocal_of_integers_is_integers(sycl, dtype):
    values = np.array([1, 1]) if dtype == "bool" else np.array([1, 2, 7])
    expected = np.reciprocal(values.astype(dtype))
    result = host(xp.reciprocal(xp.asarray(values.astype(dtype))))
    assert (result.dtype, result.tolist()) == (expected.dtype, expected.tolist())


@on_sycl
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_scalars_promote_weakly(sycl, dtype):
    x = xp.ones(2, dtype=dtype)
    for scalar in (True, 2, 2.0, 2j):
        expected = np.ones(2, dtype=dtype) + scalar
        assert (x + scalar).dtype == expected.dtype
        assert (scalar + x).dtype == expected.dtype


def test_every_test_of_a_device_is_skipped_for_a_reason():
    """Where there is no device, the reason is a person's to read; where there is one, nothing is skipped."""
    assert (SYCL is None) == bool(REASON)
    assert REASON == "" or "pip install" in REASON or "SYCL finds no device" in REASON


def test_the_backend_imports_nothing_heavy():
    done = run("""
        import sys
        import xtensor_dpnp
        print(sorted({"dpnp", "dpctl"} & set(sys.modules)))
    """)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_runtime_is_found_by_its_distribution():
    path = _runtime.cpu_runtime()
    if path is None:
        pytest.skip("intel-opencl-rt is not installed")
    assert Path(path).name.startswith(("libintelocl", "intelocl"))
    assert Path(path).is_file()
