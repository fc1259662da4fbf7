"""SYCL devices through dpnp: how they are found, described and opened, and what happens where they are missing."""

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
from dpnp_support import STANDARD_DTYPES, SYCL, on_sycl, sycl

import xtensor as xp
from xtensor_backends.dpnp import DpnpBackend, _runtime

__all__ = ["sycl"]

CONFIGURATION = ("OCL_ICD_FILENAMES", "OCL_ICD_VENDORS", "ONEAPI_DEVICE_SELECTOR", "SYCL_DEVICE_FILTER")


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process whose OpenCL and SYCL are configured by ``environment`` alone."""
    inherited = {name: value for name, value in os.environ.items() if name not in CONFIGURATION}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        env={**inherited, "XTENSOR_DEVICE": "cpu", **environment},
        timeout=300,
    )


# -- finding devices --------------------------------------------------------------------------------------------------


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
def test_the_users_configuration_of_runtimes_is_kept(monkeypatch, variable):
    monkeypatch.setenv(variable, "/mine")
    with _runtime.named_runtime():
        assert {name: os.environ.get(name) for name in CONFIGURATION[:2]} == {
            **dict.fromkeys(CONFIGURATION[:2]),
            variable: "/mine",
        }
    assert os.environ[variable] == "/mine"


@on_sycl
def test_a_library_that_the_user_names_is_the_only_one_loaded(tmp_path):
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


def test_the_runtime_is_found_by_its_distribution():
    path = _runtime.cpu_runtime()
    if path is None:
        pytest.skip("intel-opencl-rt is not installed")
    assert Path(path).name.startswith(("libintelocl", "intelocl"))
    assert Path(path).is_file()


def test_the_error_for_a_missing_dpnp_names_the_requirement_to_install():
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
    assert 'python -m pip install "dpnp>=0.20"' in error
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
    assert 'python -m pip install "dpnp>=0.20"' in info
    assert rest.startswith("3.0")
    assert "sycl" not in rest


def test_the_backend_imports_nothing_heavy():
    done = run("""
        import sys
        import xtensor_backends.dpnp
        print(sorted({"dpnp", "dpctl"} & set(sys.modules)))
    """)
    assert done.stdout.strip() == "[]", done.stderr


class FakeDevice:
    """The attributes of ``dpctl.SyclDevice`` that the enumeration and the description of devices read."""

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


def test_a_gpu_that_two_drivers_serve_is_listed_once_under_its_native_driver():
    opencl, level_zero = (FakeDevice("gpu", "Arc", name, name) for name in ("opencl", "level_zero"))
    assert listed(opencl, level_zero) == {"sycl:gpu:0": level_zero}


def test_devices_that_are_neither_gpu_nor_cpu_are_left_out():
    assert listed(FakeDevice("accelerator", "FPGA emulation", "opencl", 0)) == {}


def test_a_device_without_float64_declares_neither_it_nor_complex128():
    backend = DpnpBackend()
    backend._devices = {"sycl:gpu:0": FakeDevice("gpu", "Arc", "level_zero", 0, fp64=False, fp16=True)}
    names = {dtype.name for dtype in STANDARD_DTYPES}
    assert set(backend.dtypes("sycl:gpu:0")) == names - {"float64", "complex128"} | {"float16"}
    assert backend.default_float("sycl:gpu:0") == np.float32


def test_a_gpu_is_preferred_to_the_cpu_and_a_sycl_cpu_is_not():
    assert DpnpBackend().rank("sycl:gpu:0") > 0 > DpnpBackend().rank("sycl:cpu:0")


# -- opening devices ---------------------------------------------------------------------------------------------------


@on_sycl
def test_describing_devices_creates_no_queue():
    backend = DpnpBackend()
    assert backend.probe()
    assert str(SYCL) in backend.devices()
    for ask in (backend.dtypes, backend.default_float, backend.dlpack_device, backend.info, backend.memory):
        ask(str(SYCL))
    assert backend._queues == {}


@on_sycl
def test_opening_a_device_changes_nothing_but_the_queues():
    backend = DpnpBackend()
    backend.probe()
    before, of_class = dict(vars(backend)), dict(vars(DpnpBackend))
    backend.namespace(str(SYCL))
    x = backend.from_host(np.arange(3), str(SYCL), copy=True)
    backend.setitem(x, 0, 1)
    assert {name for name in vars(backend) if vars(backend)[name] is not before.get(name)} == set()
    assert dict(vars(DpnpBackend)) == of_class
    assert list(backend._queues) == [str(SYCL)]


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
def test_info_and_memory_describe_the_hardware(sycl):
    info = sycl.info()
    assert info.name
    assert info.index == 0
    assert info.total_memory > 2**20
    assert sycl.memory().total == info.total_memory
    sycl.synchronize()
    sycl.release_memory()


@on_sycl
def test_every_extension_module_of_dpnp_is_initialised_with_the_queue(sycl):
    """One that is not would be initialised by the first thread that calls it, beside others: a deadlock."""
    from xtensor_backends.dpnp._extensions import initialize

    assert initialize(sycl._library.queue(sycl._backend_spec)) == []
