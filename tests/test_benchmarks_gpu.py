"""The benchmark group for GPUs, tested without a GPU: computations and samplers."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import xtensor as xp
from benchmarks import __main__ as command
from benchmarks import _tune, gpu
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


def test_fastest_blocks_ignore_candidates_that_do_not_compile():
    times = {(64,): 2.0, (128,): 1.0, (256,): None}
    assert _tune.fastest_blocks(times, lambda blocks, rounds: times[blocks]) == ((128,), 1.0)
    assert _tune.fastest_blocks([(256,)], lambda blocks, rounds: None) is None


def test_only_the_fastest_blocks_of_one_round_are_measured_in_all():
    measured = []

    def seconds_of(blocks, rounds):
        measured.append((blocks, rounds))
        # The first round of the fastest is disturbed.
        return 3.0 - 2.0 * (blocks == (2,)) * (rounds > 1) + 0.1 * blocks[0]

    assert _tune.fastest_blocks([(number,) for number in range(9)], seconds_of) == ((2,), 1.2)
    assert [blocks for blocks, rounds in measured if rounds > 1] == [(0,), (1,), (2,), (3,)]


@pytest.mark.parametrize("parts", [1, 5, 36, 100])
def test_parts_of_the_products_contain_each_product_once(parts):
    divided = [item for part in range(1, parts + 1) for item in _tune.products_of(part, parts)]
    assert len(divided) == len(set(divided)) == len(_tune.DTYPES) * len(_tune.SHAPES)
    sizes = {len(_tune.products_of(part, parts)) for part in range(1, parts + 1)}
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("part", ["0/3", "4/3", "3", "1/0", "a/b"])
def test_a_part_that_does_not_exist_is_refused(part, capsys):
    with pytest.raises(SystemExit) as stop:
        _tune.main(["--part", part, "--device", "cpu"])
    assert stop.value.code == 2
    assert "is no part such as 2/6" in capsys.readouterr().err


def measured_product(speedup, **others):
    row = {"arch": "90", "dtype": "float16", "precision": "exact", "sides": (16, 1024, 1024), "blocks": (16, 64, 32)}
    return {**row, "speedup": speedup, **others}


def test_parts_of_the_measurements_are_merged_into_the_table(tmp_path, monkeypatch):
    for name in ("cupy", "triton"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(__version__="1.0"))
    table = tmp_path / "matmul.json"
    table.write_text('{"products": []}')
    _tune.merge(table, measured_product(1.5), "GPU")
    _tune.merge(table, measured_product(0.5, dtype="bfloat16"), "GPU")
    _tune.merge(table, measured_product(2.5), "another GPU")
    rows = json.loads(table.read_text())["products"]
    assert [(row["dtype"], row["speedup"], row["device"]) for row in rows] == [
        ("bfloat16", 0.5, "GPU"),
        ("float16", 2.5, "another GPU"),
    ]
    assert rows[0]["versions"] == {"cupy": "1.0", "triton": "1.0"}
    assert [path.name for path in tmp_path.iterdir()] == ["matmul.json"]


def test_an_interrupted_measurement_keeps_the_products_measured_before(tmp_path, monkeypatch):
    for name in ("cupy", "triton"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(__version__="1.0"))
    table = tmp_path / "matmul.json"
    table.write_text('{"products": []}')

    def measure(products):
        assert products == _tune.products_of(2, 3)
        yield measured_product(1.5)
        raise KeyboardInterrupt

    monkeypatch.setattr(_tune, "_measure_products", measure)
    with pytest.raises(KeyboardInterrupt):
        _tune.main(["--device", "cpu", "--part", "2/3"], table=table)
    assert [row["speedup"] for row in json.loads(table.read_text())["products"]] == [1.5]
