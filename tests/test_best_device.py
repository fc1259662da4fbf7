"""``xtensor.best_device`` for a function, and the rates that ``python -m xtensor calibrate`` measures."""

from __future__ import annotations

import importlib
import io
import json
import platform
import re
import subprocess
import sys

import numpy as np
import pytest
from contract_toys import DeferredBackend, SinglePrecisionBackend

import xtensor as xp
from xtensor import __main__ as command
from xtensor._advice import choice
from xtensor._advice import rates as module
from xtensor._core.devices import eligible_devices
from xtensor._core.rates import Rates, known_rates, rates_file
from xtensor._core.registry import is_measured_first
from xtensor.backend import Memory

X = xp.empty((1000, 1000), device="meta")

RATES = {"bandwidth": 1e10, "single": 2e11, "double": 1e11, "decompositions": 1e10, "transforms": 1e10}
RATES |= {"reading": 1e10, "variances": 1e10, "functions": 1e9, "sorting": 1e9}
RATES |= {"upload": 1e9, "download": 1e9, "call": 1e-6}


def product(x):
    return x @ x


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Folder of the cache, empty."""
    monkeypatch.setenv("XTENSOR_CACHE_DIR", str(tmp_path))
    return tmp_path


def keep(**rates):
    """Write rates of this machine's devices, each of which differs in some from the others."""
    path = rates_file()
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({platform.node(): {name: RATES | item for name, item in rates.items()}}))


class Large(DeferredBackend):
    """Device off the host with 1 GB."""

    name = "large"

    def rank(self, spec):
        return 5

    def memory(self, spec):
        return Memory(total=10**9, free=10**9)


class Single(SinglePrecisionBackend):
    """Device off the host without float64."""

    name = "onlysingle"
    rank, memory = Large.rank, Large.memory


def test_without_a_function_the_device_is_returned():
    assert xp.best_device() is xp.devices()[0]


def test_function_without_rates_gives_the_first_device_with_room_and_names_the_command():
    advice = xp.best_device(product, X)
    assert advice.device is xp.best_device()
    assert "python -m xtensor calibrate" in advice.reasons[-1]
    assert advice.estimate.peak_bytes == 16 * 10**6


@pytest.mark.parametrize(
    ("function", "rate", "seconds"),
    [
        (xp.exp, {"functions": 1e7}, 0.1),
        (xp.exp, {"functions": 1e12}, 0.0016),
        (xp.negative, {"functions": 1e7}, 0.0016),
        (xp.sum, {"reading": 1e9}, 0.008),
        (lambda x: xp.max(x, axis=0), {"reading": 1e9}, 0.008),
        (xp.var, {"variances": 1e8}, 0.08),
        (xp.std, {"variances": 1e8}, 0.08),
        (lambda x: xp.sort(x, axis=1), {"sorting": 1e7}, 0.9966),
        (xp.linalg.inv, {"decompositions": 1e9}, 2.0),
        (lambda x: xp.fft.fftn(xp.astype(x, xp.complex128)), {"transforms": 1e7}, 9.97),
    ],
)
def test_rate_of_an_operation_is_that_of_its_kind(function, rate, seconds):
    keep(cpu=rate, numpy=rate)
    assert xp.best_device(function, X).ranking[0].seconds == pytest.approx(seconds, rel=0.01)


@pytest.mark.parametrize(("cpu", "numpy", "expected"), [(1e11, 1e9, "cpu"), (1e9, 1e11, "numpy")])
def test_fastest_device_is_advised(cpu, numpy, expected):
    keep(cpu={"double": cpu}, numpy={"double": numpy})
    advice = xp.best_device(product, X)
    assert advice.device == expected
    assert advice.ranking[0].device == expected
    # 2e9 operations at 1e11 a second, and a call
    assert advice.ranking[0].seconds == pytest.approx(0.02 + 1e-6)
    assert f"{expected}: needs 16 MB of" in str(advice)
    assert "about 0.02 s" in advice.reasons[0]


def test_rates_of_one_device_alone_do_not_decide():
    keep(numpy={})
    advice = xp.best_device(product, X)
    assert advice.device is xp.best_device()
    assert "no rates of cpu are measured" in advice.reasons[-1]


def test_transfers_are_counted(registry):
    xp.register_backend(Large())
    # 8 MB to the device and 8 MB back are 16 ms; the product takes 2 ms there and 10 ms here.
    keep(cpu={"double": 2e11}, numpy={"double": 1e10}, **{"large:0": {"double": 1e12}})
    here = xp.ones((1000, 1000), device="cpu")
    assert xp.best_device(product, here).device == "cpu"
    there = here.to_device("large:0")
    assert xp.best_device(product, there).device == "large:0"
    assert xp.best_device(lambda x: x @ x @ x @ x @ x, here).device == "large:0"


def test_device_without_room_or_dtype_is_not_advised(registry):
    xp.register_backend(Large())
    xp.register_backend(Single())
    advice = xp.best_device(product, xp.empty((10_000, 10_000), device="meta"))
    found = {str(item.device): item for item in advice.ranking}
    assert not found["large:0"].has_room
    assert "large:0: no room, needs 1.6 GB of 1 GB free" in advice.reasons
    assert "onlysingle:0: it does not support float64; cast the arguments" in advice.reasons
    assert advice.device in ("cpu", "numpy")


def test_where_nothing_has_room_chunks_are_advised():
    advice = xp.best_device(lambda x: x + 1, xp.empty((10**9, 1000), device="meta"))
    assert advice.device is None
    assert "of kind 'dask'" in advice.reasons[-1]
    assert "of its shape (1000000000, 1000)" in advice.reasons[-1]
    assert "best device: none here" in str(advice)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((10**6, 10**6), (16, 10**6)),
        ((10, 10**9, 10), (1, 1677721, 10)),
        ((3, 5, 10**12), (1, 1, 16777216)),
        ((10**13,), (16777216,)),
    ],
)
def test_advised_chunk_is_within_its_bytes(shape, expected, monkeypatch):
    monkeypatch.setattr(choice, "_free", lambda place: 2**36)
    advice = xp.best_device(lambda x: x[0], xp.empty(shape, device="meta"))
    assert advice.device is None
    assert f"chunks of about 134 MB on a device of kind 'dask', for the largest argument {expected} " in str(advice)


def test_device_that_does_not_tell_its_memory_has_that_of_the_host():
    xp.set_backend_priority(["strict"])
    try:
        ranking = xp.best_device(product, X).ranking
    finally:
        xp.set_backend_priority([])
    assert all(item.has_room for item in ranking if item.device in ("cpu", "numpy", "strict"))
    assert "strict" in {str(item.device) for item in ranking}


def test_min_free_memory_counts_beside_the_estimate():
    assert xp.best_device(product, X, min_free_memory=2**62).device is None


def test_function_of_values_raises():
    with pytest.raises(xp.UnknownValueError, match=r"^bool\(x\): "):
        xp.best_device(lambda x: x if x[0, 0] else -x, X)


@pytest.mark.parametrize("arguments", [(X,), (3, X)])
def test_something_else_than_a_function_raises(arguments):
    with pytest.raises(TypeError, match=r"^best_device\(\) takes a function, not"):
        xp.best_device(*arguments)


@pytest.mark.parametrize(("arguments", "named"), [((None, 3), "3 (int)"), ((), "least=")])
def test_argument_without_a_function_is_refused(arguments, named):
    options = {} if arguments else {"least": 3}
    with pytest.raises(TypeError, match=rf"^best_device\(\) takes min_free_memory= alone .*, not {re.escape(named)}"):
        xp.best_device(*arguments, **options)


# -- devices that are chosen once they are measured -------------------------------------------------------------------

FASTER = {"bandwidth": 2e10, "reading": 2e10, "single": 4e11}


class Measured(SinglePrecisionBackend):
    """Device that is not chosen before it was measured faster than ``cpu``."""

    chosen_by_itself = False
    memory = Large.memory

    def __init__(self, name, rank=5, devices=1):
        super().__init__()
        self.name, self.kinds = name, (name,)
        self.rank = lambda spec: rank
        self.devices = lambda: tuple([f"{name}:{number}" for number in range(devices)])
        self.probes = 0

    def probe(self):
        self.probes += 1
        return super().probe()


def test_device_that_is_not_measured_is_not_chosen_and_its_library_not_imported(registry):
    backend = Measured("unmeasured")
    xp.register_backend(backend)
    keep(cpu={}, **{"other:0": FASTER})
    assert xp.default_device() == xp.best_device()
    assert xp.default_device() in ("cpu", "numpy")
    assert backend.probes == 0
    assert xp.devices()[-1] == "unmeasured:0"


def test_measured_device_is_chosen(registry):
    xp.register_backend(Measured("measured", devices=2))
    keep(cpu={}, **{"measured:1": FASTER, "measured:0": {"bandwidth": 1e9}})
    assert xp.default_device() == "measured:1"
    assert xp.best_device() == "measured:1"
    assert xp.devices()[0] == "measured:1"
    assert xp.devices()[-1] == "measured:0"
    assert "measured:0" not in [item.device for item in xp.best_device(product, X).ranking]


@pytest.mark.parametrize("rate", FASTER)
def test_device_that_is_not_faster_in_one_kind_of_work_is_not_chosen(registry, rate):
    xp.register_backend(Measured("measured"))
    keep(cpu={}, **{"measured:0": FASTER | {rate: RATES[rate]}})
    assert xp.default_device() in ("cpu", "numpy")


def test_device_is_not_chosen_where_cpu_is_not_measured(registry):
    xp.register_backend(Measured("measured"))
    keep(numpy={}, **{"measured:0": FASTER})
    assert xp.default_device() in ("cpu", "numpy")


def test_measured_device_of_a_negative_rank_is_not_chosen(registry):
    backend = Measured("measured", rank=-1)
    xp.register_backend(backend)
    keep(cpu={}, **{"measured:0": FASTER})
    assert xp.default_device() in ("cpu", "numpy")
    assert backend.probes == 0


def test_measured_device_that_is_gone_is_not_chosen(registry):
    xp.register_backend(Measured("measured"))
    keep(cpu={}, **{"measured:5": FASTER})
    assert xp.default_device() in ("cpu", "numpy")


def test_measured_devices_are_chosen_in_the_order_of_their_ranks(registry):
    for name, rank in (("third", 2), ("first", 4), ("second", 3)):
        xp.register_backend(Measured(name, rank))
    keep(cpu={}, **dict.fromkeys(("second:0", "third:0", "first:0"), FASTER))
    assert [str(device) for device in xp.devices()[:3]] == ["first:0", "second:0", "third:0"]


def test_order_of_the_backends_devices():
    devices = (
        *(("triton", "cuda:0"), ("cupy", "cuda:0"), ("dpnp", "sycl:gpu:0"), ("mlx", "mlx:metal")),
        *(("opencl", "opencl:0"), ("webgpu", "webgpu:0"), ("llvm", "cpu"), ("numpy", "cpu")),
    )
    backends = {name: importlib.import_module(f"xtensor_backends.{name}").backend for name, _ in devices}
    ranks = [backends[name].rank(spec) for name, spec in devices]
    assert ranks == sorted(set(ranks), reverse=True)
    assert ranks[-1] == 0
    measured_first = [name for name, spec in devices if is_measured_first(backends[name], spec)]
    assert measured_first == ["mlx", "opencl", "webgpu"]
    assert backends["mlx"].rank("mlx:cpu") < 0


def test_calibration_includes_devices_that_are_measured_first(registry, monkeypatch, capsys):
    shorten(monkeypatch)
    xp.register_backend(Measured("measured"))
    xp.register_backend(Measured("never", rank=-1))
    keep(cpu={}, numpy={})
    eligible = eligible_devices()
    added = {str(item) for item in module.candidates() if item not in eligible}
    kinds = ("measured:", "mlx:metal", "opencl:", "webgpu:")
    assert added == {name for name in map(str, xp.devices()) if name.startswith(kinds)}
    assert command.main(["calibrate", "--device", "measured:0"]) == 0
    known = known_rates()
    ratio = known["measured:0"].bandwidth / known["cpu"].bandwidth
    sentence = (
        f"measured:0 is not chosen by itself: its rates beside those of cpu are elementwise operations {ratio:.2g}"
    )
    assert sentence in capsys.readouterr().out


def test_calibration_names_the_command_for_cpu(registry, monkeypatch, capsys):
    shorten(monkeypatch)
    xp.register_backend(Measured("measured"))
    assert command.main(["calibrate", "--device", "measured:0"]) == 0
    assert "measured:0 is not chosen by itself: run python -m xtensor calibrate --device cpu" in capsys.readouterr().out


def test_device_that_fails_keeps_the_rates_of_the_others(registry, monkeypatch, capsys):
    shorten(monkeypatch)
    backend = Measured("measured")
    monkeypatch.setattr(backend, "from_host", lambda *args, **options: 1 / 0)
    xp.register_backend(backend)
    assert command.main(["calibrate", "--device", "measured:0", "--device", "numpy"]) == 1
    assert capsys.readouterr().err == "calibrate: measured:0: division by zero\n"
    assert list(known_rates()) == ["numpy"]


# -- rates ------------------------------------------------------------------------------------------------------------


def shorten(monkeypatch):
    for name, value in (
        ("ROWS", 16),
        ("FEW_ROWS", 4),
        ("LONG", 256),
        ("CACHED", 64),
        ("SORTED_ROWS", 2),
        ("CALLS", 2),
        ("ROUNDS", 1),
        ("REPEATS", 1),
    ):
        monkeypatch.setattr(module, name, value)


def test_calibration_is_kept_for_this_machine_and_each_device(monkeypatch):
    shorten(monkeypatch)
    keep(cpu={"bandwidth": 3.0})
    content = json.loads(rates_file().read_text())
    rates_file().write_text(json.dumps(content | {"another machine": {"cpu": RATES}}))
    measured = module.calibrate([xp.device("numpy")])
    assert known_rates() == {"cpu": Rates(**RATES | {"bandwidth": 3.0}), **measured}
    assert all(value > 0 for value in (measured["numpy"].single, measured["numpy"].double, measured["numpy"].call))
    assert "another machine" in json.loads(rates_file().read_text())


def test_rates_are_measured_on_each_device(device, monkeypatch):
    shorten(monkeypatch)
    rates = module.calibrate([device])[str(device)]
    assert known_rates() == {str(device): rates}
    assert (rates.double > 0) == device.supports(np.dtype(np.float64))
    assert min(rates.bandwidth, rates.single, rates.decompositions, rates.transforms, rates.upload, rates.call) > 0


def test_device_without_float64_has_no_rate_of_it(monkeypatch, registry):
    shorten(monkeypatch)
    xp.register_backend(Single())
    assert module.measure(xp.device("onlysingle:0")).double == 0.0


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"NODE": 3}', '{"NODE": {"cpu": {"bandwidth": 1}}}', '{"NODE": {"cpu": null}}']
)
def test_damaged_file_is_no_rates(content):
    rates_file().parent.mkdir(parents=True)
    rates_file().write_text(content.replace("NODE", platform.node()))
    assert known_rates() == {}


def test_infinite_rate_is_none():
    keep(cpu={"bandwidth": float("inf")})
    assert known_rates() == {}


def test_folder_that_cannot_be_written_is_an_error(folder, monkeypatch, capsys):
    shorten(monkeypatch)
    (folder / "rates").write_text("a file")
    assert command.main(["calibrate", "--device", "numpy"]) == 1
    assert capsys.readouterr().err.startswith("calibrate: ")


def test_unknown_device_is_an_error(capsys):
    assert command.main(["calibrate", "--device", "nowhere"]) == 1
    assert "there is no device 'nowhere'" in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_bar_is_shown_on_a_terminal_and_cleared(monkeypatch, capsys):
    shorten(monkeypatch)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert command.main(["calibrate", "--device", "numpy"]) == 0
    steps = terminal.getvalue().split("\r")
    assert any(step.startswith("[############") and "numpy: products" in step for step in steps)
    assert terminal.getvalue().endswith("\r")
    assert not steps[-2].strip()
    assert "kept in" in capsys.readouterr().out


def test_command_measures_and_prints_a_table():
    done = subprocess.run(
        [sys.executable, "-m", "xtensor", "calibrate", "--device", "numpy"],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert lines[0].split()[:2] == ["device", "GB/s"]
    assert lines[1].split()[0] == "numpy"
    assert not done.stderr
    assert np.isfinite(known_rates()["numpy"].bandwidth)
