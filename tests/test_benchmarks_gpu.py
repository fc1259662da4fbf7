"""The group of benchmarks for GPUs, tried where there is none: what is computed, and how a device's time is told."""

from types import SimpleNamespace

import numpy as np
import pytest

import xtensor as xp
from benchmarks import __main__ as command
from benchmarks import _tune, gpu
from benchmarks._libraries import Library


class CupyStandIn:
    """NumPy under CuPy's names, with events that tell a time of their own."""

    def __init__(self):
        self.now = 0.0
        self.cuda = SimpleNamespace(Event=lambda: Event(self), get_elapsed_time=lambda start, end: end.at - start.at)
        self.cuda.get_current_stream = lambda: SimpleNamespace(synchronize=lambda: None)
        self.random = SimpleNamespace(RandomState=lambda seed: RandomState(seed))

    def __getattr__(self, name):
        return getattr(np, name)


class RandomState(np.random.RandomState):
    def random_sample(self, size, dtype):
        return super().random_sample(size).astype(dtype)


class Event:
    def __init__(self, cupy):
        self.cupy = cupy

    def record(self):
        self.at = self.cupy.now
        self.cupy.now += 8.0  # milliseconds

    def synchronize(self):
        pass


GPU_CASES = gpu.cases(elements=4096, rows=(16, 1024), sides=(16,), length=32, small=64)


@pytest.mark.parametrize("case", GPU_CASES, ids=[case.name for case in GPU_CASES])
def test_what_is_measured_on_a_gpu_is_what_cupy_computes(case, lenient_device):
    if "bfloat16" in case.name and getattr(xp, "bfloat16", None) not in lenient_device.dtypes:
        pytest.skip(f"{lenient_device} has no bfloat16")
    if "float16" in case.name and np.dtype("float16") not in lenient_device.dtypes:
        pytest.skip(f"{lenient_device} has no float16")
    given = case.operands(CupyStandIn())
    arrays = {name: xp.asarray(value) for name, value in given.items()}
    wide = {name: value.astype(np.float64) for name, value in given.items()}
    got = case.operation.xtensor(**arrays)
    if case.operation.cupy is not None:
        expected = case.operation.cupy(np, **wide)
    elif "tf32" in case.name:
        expected = wide["x"] @ wide["y"].T
    else:
        with xp.use_device("cpu"):
            expected = case.operation.xtensor(**{name: xp.asarray(value) for name, value in wide.items()})
    np.testing.assert_allclose(
        np.asarray(got.to_device("cpu")).astype(np.float64),
        np.asarray(expected, dtype=np.float64),
        rtol=4 * float(xp.finfo(got.dtype).eps) + 1e-5,
        atol=1e-4,
    )


def test_a_gpus_time_is_that_between_two_events():
    calls = []
    sampler = gpu.between_events(CupyStandIn(), lambda: calls.append(1))
    assert sampler(3) == 0.008
    assert len(calls) == 3


@pytest.mark.parametrize("case", GPU_CASES, ids=[case.name for case in GPU_CASES])
def test_each_case_of_a_gpu_has_a_reference(case):
    assert bool(case.moved) != bool(case.reference)


def test_the_reference_copies_the_bytes_that_a_case_moves():
    copy = gpu.copying(CupyStandIn(), 4096)
    target, source = copy.args
    assert source.nbytes + target.nbytes == 4096
    source[...] = 1.0
    copy()
    assert target.all()


def test_a_gpus_samplers_are_those_of_the_libraries_that_are_here(monkeypatch):
    cupy = CupyStandIn()
    xtensors, raw = (Library(name, name, cupy, "0", np.asarray, np.asarray) for name in ("xtensor", "cupy"))
    monkeypatch.setattr(gpu, "of_cupy", lambda value: xp.asarray(value, device="cpu"))
    found, refused = GPU_CASES[0].samplers((raw, xtensors), None)
    assert set(found) == {"cupy", "xtensor", "reference"}
    assert not refused
    attention = next(case for case in GPU_CASES if "attention" in case.name)
    found, refused = attention.samplers((raw, xtensors), None)
    assert set(found) == {"xtensor"}
    assert set(refused) == {"cupy", "reference"}


def test_where_there_is_no_gpu_the_group_says_so(capsys):
    if any(str(place).startswith(("cuda", "rocm")) for place in xp.devices()):
        pytest.skip("there is a GPU")
    with pytest.raises(SystemExit) as stop:
        command.main(["gpu"])
    assert stop.value.code == 2
    assert "'cuda' cannot be used" in capsys.readouterr().err


def test_the_fastest_blocks_are_found_among_those_that_compile():
    times = {(64,): 2.0, (128,): 1.0, (256,): None}
    assert _tune.fastest(times, times.get) == ((128,), 1.0)
    assert _tune.fastest([(256,)], times.get) is None
