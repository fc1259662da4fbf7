"""The CuPy backend's services: devices, transfers, memory, errors, and several devices in one process.

Everything runs without a GPU, over a stand-in for CuPy.
"""

from __future__ import annotations

import operator
import subprocess
import sys
import textwrap
from types import SimpleNamespace

import host_cupy
import numpy as np
import pytest
from cupy_support import INF, StandInBackend, needs_compiler, needs_no_gpu, same, standin_device

import xtensor as xp
from xtensor._core.device import intern
from xtensor.backend import CORRECTIONS, STANDARD_DTYPES, TABLE, BackendUnavailableError, primitives
from xtensor_backends.cupy import CupyBackend, OnDevice
from xtensor_backends.cupy._inplace import OPERATORS
from xtensor_backends.cupy._namespace import Namespace


@pytest.fixture(scope="module")
def single():
    """The device of a stand-in with one GPU."""
    return standin_device("cuda:0")


@pytest.fixture
def several():
    """The second device of a stand-in with two GPUs, of which the first is the current one."""
    return standin_device("cuda:1", devices=2)


# -- the contract -----------------------------------------------------------------------------------------------------


def test_every_primitive_is_there(single):
    assert [name for name in primitives() if not single.implements(name)] == []


def test_no_function_is_offered_that_waits_for_the_device(single):
    offered = [name for name in ("may_have_infinity", "bincount", "convolve") if single.implements(name)]
    assert offered == []


def test_corrections_and_in_place_operators_are_known_ones():
    assert set(CupyBackend.corrections) <= set(CORRECTIONS)
    assert set(CupyBackend.composed_inplace) == {row.name for row in TABLE.values() if row.declared and row.inplace}
    assert set(OPERATORS) <= set(CupyBackend.composed_inplace)


def test_a_backend_does_not_change_when_its_devices_open():
    backend = StandInBackend(devices=2)
    before = dict(vars(backend))
    for spec in backend.devices():
        x = xp.ones((2,), device=intern(backend, spec))
        x += x
    assert vars(backend) == before
    assert {"corrections", "composed_inplace"}.isdisjoint(before)


def test_float16_and_bfloat16_are_supported_beyond_the_standards_dtypes(single):
    assert set(single.dtype_names()) - set(STANDARD_DTYPES) == {"float16", "bfloat16"}
    assert set(STANDARD_DTYPES) <= set(single.dtype_names())


# -- several devices --------------------------------------------------------------------------------------------------


def test_results_are_on_the_device_of_the_operands(several):
    x = xp.ones((2, 2), device=several)
    for result in (
        x + x,
        xp.sum(x),
        x[0],
        xp.linalg.inv(x + xp.eye(2, device=several)),
        xp.fft.fft(x),
        xp.asarray([1], device=several),
    ):
        assert result._native.index == 1
    assert several._library.library.current == 0


def test_assignment_is_on_the_arrays_device(several):
    x = xp.ones((3,), device=several)
    alias = x[...]
    x[xp.asarray([0], device=several)] = xp.asarray([7.0], device=several)
    same(alias, [7.0, 1.0, 1.0])
    assert x._native.index == 1


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_in_place_operators_are_cupys_on_the_arrays_device(several, name):
    dtype, operate = ("int32" if "bitwise" in name else "float64"), getattr(operator, TABLE[name].inplace)
    values = np.array([6, 3], dtype)
    x, y = xp.asarray(values, device=several), xp.asarray(np.array([2, 1], dtype), device=several)
    alias = x[...]
    x = operate(x, y)
    same(alias, operate(values, np.array([2, 1], dtype)))
    assert x._native.index == 1
    assert several._library.library.calls == [TABLE[name].inplace]
    assert several._library.library.current == 0


@needs_compiler
@pytest.mark.parametrize(
    ("name", "x", "y", "expected"),
    [
        ("divide", [1e200 + 1e200j], 1e200 + 0j, [1 + 1j]),
        ("floor_divide", [1.0, -INF], 0.1, [9.0, -INF]),
        ("pow", [3, -2], 2, [9, 4]),
        ("remainder", [-7.0, 7.0], -3.0, [-1.0, -2.0]),
        ("remainder", [5.0, -5.0], INF, [5.0, INF]),
    ],
)
def test_in_place_operators_are_corrected_as_the_functions_are(several, name, x, y, expected):
    x = xp.asarray(x, device=several)
    alias = x[...]
    x = getattr(operator, TABLE[name].inplace)(x, y)
    same(alias, expected)
    assert x._native.index == 1
    assert several._library.library.calls == []  # CuPy's operator did not run


def test_in_place_matrix_products_are_assigned(several):
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=several)
    alias = x[...]
    x @= xp.asarray([[0.0, 1.0], [1.0, 0.0]], device=several)
    same(alias, [[2.0, 1.0], [4.0, 3.0]])


def test_an_in_place_operator_that_raises_leaves_its_operand_unchanged(several):
    x = xp.asarray([1, 2], device=several)
    with pytest.raises(TypeError, match="cast"):
        x /= 2
    same(x, [1, 2])


@pytest.mark.parametrize("name", ["add", "multiply"])
def test_bfloat16_is_computed_in_float32_in_place(several, name):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = xp.asarray(np.array([1.5, 3.0], bfloat16), device=several)
    y = xp.asarray(np.array([2.0, 0.5], bfloat16), device=several)
    x = getattr(operator, TABLE[name].inplace)(x, y)
    assert x.dtype == bfloat16
    same(xp.astype(x, xp.float32), {"add": [3.5, 3.5], "multiply": [3.0, 1.5]}[name])
    assert several._library.library.calls == []


def test_creation_is_on_the_device_asked_for(several):
    for function in (xp.zeros, xp.ones, xp.empty):
        assert function((2,), device=several)._native.index == 1


def test_a_single_device_needs_no_change_of_device():
    assert isinstance(StandInBackend().namespace("cuda:0"), Namespace)
    assert isinstance(StandInBackend(devices=2).namespace("cuda:0"), OnDevice)


def test_a_negative_zero_is_assigned_on_the_arrays_device(several):
    x = xp.ones((2,), device=several)
    x[...] = -0.0
    same(x, [-0.0, -0.0])
    assert several._library.library.current == 0


def test_memory_is_of_the_device(several):
    assert several.memory() == (2000, 1001, 11, 21)
    assert several._library.library.current == 0


def test_release_memory_and_synchronize_act_on_the_device(several):
    several.synchronize()
    several.release_memory()
    assert several._library.library.calls == ["synchronize 1", "clear plans 1", "free 1", "free pinned"]


# -- devices, DLPack, copies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hip", "specs", "place"), [(False, ("cuda:0", "cuda:1"), (2, 1)), (True, ("rocm:0", "rocm:1"), (10, 1))]
)
def test_devices_are_named_after_the_runtime(hip, specs, place):
    backend = StandInBackend(devices=2, hip=hip)
    assert backend.devices() == specs
    assert backend.dlpack_device(specs[1]) == place
    assert backend.info(specs[1]).compute_capability == ("gfx942" if hip else "9.0")
    assert backend.info(specs[0]).name == "Stand-in"


@pytest.mark.parametrize(("hip", "good", "bad"), [(False, (-1, 1, 2, 140), (0, -2)), (True, (-1, 0, 140), (1, 2, -2))])
def test_dlpack_takes_the_streams_of_the_standard(hip, good, bad):
    backend = StandInBackend(hip=hip)
    received = []
    native = SimpleNamespace(
        device=backend.library.cuda.Device(0),
        __dlpack__=lambda **options: received.append(options),
        copy=lambda: native,
    )
    for stream in good:
        backend.to_dlpack(native, stream=stream)
    assert received == [{"stream": stream} for stream in good]
    for stream in bad:
        with pytest.raises(ValueError, match="stream is"):
            backend.to_dlpack(native, stream=stream)
    for stream in (True, 1.0, "1"):
        with pytest.raises(TypeError, match="stream is"):
            backend.to_dlpack(native, stream=stream)
    backend.to_dlpack(native, copy=True, max_version=(1, 0))
    assert received[-1] == {"max_version": (1, 0)}


def test_from_dlpack_copies_if_asked_to():
    backend = StandInBackend()
    source = np.ones(3)
    copied = backend.from_dlpack(source, "cuda:0", copy=True)
    assert not np.shares_memory(copied, source)
    shared = backend.from_dlpack(source, "cuda:0", copy=False)
    assert np.shares_memory(shared, source)
    assert backend.library.calls == [("from_dlpack", {}), ("from_dlpack", {"copy": False})]


def test_the_host_is_reached_by_a_copy_only(single):
    with pytest.raises(ValueError, match="copy"):
        xp.asarray(np.ones(2), device=single, copy=False)
    with pytest.raises(TypeError, match="to_device"):
        np.asarray(xp.ones(2, device=single))


def test_functions_never_copy_to_the_host(single):
    calls = single._library.library.calls
    calls.clear()
    x = xp.asarray([[4.0, 1.0], [1.0, 3.0]], device=single)
    xp.sort(x // 2.0 % 3.0 + xp.max(x) - xp.argmin(x))
    xp.linalg.solve(x, xp.linalg.pinv(x))
    xp.fft.irfftn(xp.fft.rfftn(x))
    x[0] = xp.sum(x)
    assert "to host" not in calls


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cudaErrorMemoryAllocation: out of memory", True),
        ("hipErrorOutOfMemory: out of memory", True),
        ("CUFFT_ALLOC_FAILED", True),
        ("CUSOLVER_STATUS_ALLOC_FAILED", True),
        ("Triton Error [CUDA]: out of memory", True),
        ("Triton Error [HIP]: out of memory", True),
        ("Triton Error [CUDA]: an illegal memory access was encountered", False),
        ("cudaErrorIllegalAddress: an illegal memory access was encountered", False),
    ],
)
def test_out_of_memory_is_recognised_by_name(text, expected):
    assert CupyBackend().out_of_memory(host_cupy.RuntimeFailureError(2, text)) is expected


def test_a_memory_error_is_out_of_memory():
    assert CupyBackend().out_of_memory(MemoryError("Out of memory allocating 1,024 bytes"))


# -- no driver, no CuPy -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "hip", "words"),
    [
        (35, False, "driver"),
        (35, True, "AMD GPU driver"),
        (100, False, "CUDA_VISIBLE_DEVICES"),
        (100, True, "HIP_VISIBLE_DEVICES"),
        (999, False, "check the driver"),
    ],
)
def test_a_runtime_without_devices_is_explained(status, hip, words):
    library = host_cupy.StandIn(hip=hip)

    def refuse():
        raise host_cupy.RuntimeFailureError(status, f"status {status}")

    library.cuda.runtime.getDeviceCount = refuse
    with pytest.raises(BackendUnavailableError, match=words):
        CupyBackend().attach(library)


def test_no_devices_at_all_are_explained():
    with pytest.raises(BackendUnavailableError, match="no GPU"):
        CupyBackend().attach(host_cupy.StandIn(devices=0))


def test_a_missing_compiler_of_kernels_is_named_with_what_to_install():
    library = host_cupy.StandIn()

    def missing():
        raise RuntimeError("CuPy failed to load libnvrtc.so.12")

    library.cuda.nvrtc.getVersion = missing
    with pytest.raises(BackendUnavailableError, match=r"libnvrtc\.so\.12.*cupy-cuda12x\[ctk\]"):
        CupyBackend().attach(library)


def test_rocm_needs_no_compiler_of_cuda():
    library = host_cupy.StandIn(hip=True)
    del library.cuda.nvrtc
    CupyBackend().attach(library)


def run(code):
    done = subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(code)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


HIDDEN = """
    import importlib.abc, sys
    class Hide(importlib.abc.MetaPathFinder):
        def find_spec(self, name, path=None, target=None):
            if name == "cupy":
                raise {error}
    sys.meta_path.insert(0, Hide())
    import xtensor as xp
    assert xp.device("cpu") in xp.devices()
    try:
        xp.device("cuda:0")
    except xp.BackendUnavailableError as error:
        print(error)
    print(float(xp.sum(xp.ones(3, device="cpu"))))
"""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ('ModuleNotFoundError("No module named \'cupy\'", name="cupy")', "is not installed"),
        ('ImportError("libcuda is broken")', "libcuda is broken"),
        ('OSError("no such library")', "no such library"),
    ],
)
def test_a_missing_or_broken_cupy_is_named_with_what_to_install(error, words):
    printed = run(HIDDEN.format(error=error))
    assert words in printed
    assert 'python -m pip install "cupy-cuda12x[ctk]' in printed
    assert '"cupy-rocm-7-0' in printed
    assert printed.endswith("3.0\n")


def test_an_old_cupy_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(__version__="13.6.0"))
    with pytest.raises(BackendUnavailableError, match=r"13\.6\.0; 14\.2 or newer"):
        CupyBackend().probe()


@needs_no_gpu
def test_without_a_driver_the_device_says_why_and_others_work():
    printed = run(
        """
        import xtensor as xp
        assert [str(device) for device in xp.devices() if device.backend == "cupy"] == []
        try:
            xp.device("cuda:0")
        except xp.BackendUnavailableError as error:
            print(error)
        print(float(xp.sum(xp.ones(3, device="cpu"))))
        """
    )
    assert "there is no driver" in printed or "sees no GPU" in printed
    assert "Devices here" in printed
    assert printed.endswith("3.0\n")
