"""The benchmark group for GPUs, tested without a GPU: computations and samplers."""

from types import SimpleNamespace

import numpy as np
import pytest

import xtensor as xp
from benchmarks import __main__ as command
from benchmarks import gpu
from benchmarks._libraries import Library


class CupyStandIn:
    """NumPy under CuPy's names, with events on a fake clock."""

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
def test_case_computes_the_values_of_cupy(case, lenient_device):
    if "bfloat16" in case.name and getattr(xp, "bfloat16", None) not in lenient_device.dtypes:
        pytest.skip(f"{lenient_device} has no bfloat16")
    if "float16" in case.name and np.dtype("float16") not in lenient_device.dtypes:
        pytest.skip(f"{lenient_device} has no float16")
    operands = case.operands(CupyStandIn())
    arrays = {name: xp.asarray(value) for name, value in operands.items()}
    upcast = {name: value if value.dtype.kind == "i" else value.astype(np.float64) for name, value in operands.items()}
    result = case.operation.xtensor(**arrays)
    if case.operation.cupy is not None:
        expected = case.operation.cupy(np, **upcast)
    elif "tf32" in case.name:
        expected = upcast["x"] @ upcast["y"].T
    else:
        with xp.use_device("cpu"):
            expected = case.operation.xtensor(**{name: xp.asarray(value) for name, value in upcast.items()})
    np.testing.assert_allclose(
        np.asarray(result.to_device("cpu")).astype(np.float64),
        np.asarray(expected, dtype=np.float64),
        rtol=4 * float(xp.finfo(result.dtype).eps) + 1e-5,
        atol=1e-4,
    )


def test_event_sampler_returns_the_time_between_two_events():
    calls = []
    sampler = gpu.event_sampler(CupyStandIn(), lambda: calls.append(1))
    assert sampler(3) == 0.008
    assert len(calls) == 3


@pytest.mark.parametrize("case", GPU_CASES, ids=[case.name for case in GPU_CASES])
def test_each_case_has_exactly_one_reference(case):
    assert bool(case.bytes_moved) != bool(case.reference)


def test_device_copy_moves_the_given_number_of_bytes():
    copy = gpu.device_copy(CupyStandIn(), 4096)
    target, source = copy.args
    assert source.nbytes + target.nbytes == 4096
    source[...] = 1.0
    copy()
    assert target.all()


def test_samplers_are_those_of_the_available_libraries(monkeypatch):
    cupy = CupyStandIn()
    xtensor_library, raw = (Library(name, name, cupy, "0", np.asarray, np.asarray) for name in ("xtensor", "cupy"))
    monkeypatch.setattr(gpu, "as_xtensor", lambda value: xp.asarray(value, device="cpu"))
    samplers, skipped = GPU_CASES[0].samplers((raw, xtensor_library), None)
    assert set(samplers) == {"cupy", "xtensor", "reference"}
    assert not skipped
    attention = next(case for case in GPU_CASES if "attention" in case.name)
    samplers, skipped = attention.samplers((raw, xtensor_library), None)
    assert set(samplers) == {"xtensor"}
    assert set(skipped) == {"cupy", "reference"}


def test_group_without_a_gpu_is_an_error(capsys):
    if any(str(device).startswith(("cuda", "rocm")) for device in xp.devices()):
        pytest.skip("there is a GPU")
    with pytest.raises(SystemExit) as stop:
        command.main(["gpu"])
    assert stop.value.code == 2
    assert "'cuda' cannot be used" in capsys.readouterr().err
