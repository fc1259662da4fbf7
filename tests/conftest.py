"""Choice of the devices under test and of the Hypothesis profile.

``--device D`` (repeatable) selects devices; the default is all devices of this machine that one process can open.
``--part I/N`` runs the I-th of N parts of the collected tests; the environment variable ``XTENSOR_TESTS_PART`` is its
default. The environment variable ``XTENSOR_TESTS_PROFILE`` selects the profile:

- ``quick`` (default): 25 examples for each property, the same ones in every run, so that CI is reproducible.
- ``slow``: 5 examples, the same ones in every run, for devices on which a call takes long.
- ``long``: 500 random examples. A failure prints a blob that reproduces it.

Tests with the marker ``long``, and the long tier of ``tests/stress``, run if ``XTENSOR_STRESS`` is ``long``.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
from collections import Counter
from collections.abc import Generator, Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from usable import usable_devices

import xtensor as xp
from xtensor._core import boundary as _boundary
from xtensor._core import device as _device
from xtensor._core import devices as _devices
from xtensor._core import registry as _registry
from xtensor.backend import STANDARD_DTYPES

_boundary.FULL = True  # failures show our lines

PROJECT_DEVICES = ("cpu", "strict", "sycl:cpu:0", "cuda:0", "rocm:0", "triton:interpret")
"""The devices of the project; the summary lists those that were not tested."""

TIME_LIMIT = 10

# The device is the same for all examples of a test, so a function-scoped fixture is correct.
COMMON = settings(
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)
settings.register_profile("quick", COMMON, max_examples=25, derandomize=True, print_blob=False)
settings.register_profile("slow", COMMON, max_examples=5, derandomize=True, print_blob=False)
# Explicit, because Hypothesis derandomizes by default where the variable CI is set.
settings.register_profile("long", COMMON, max_examples=500, derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("XTENSOR_TESTS_PROFILE", "quick"))

pytest.register_assert_rewrite("nn_support", "strategies")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device",
        action="append",
        default=[],
        metavar="D",
        help="a device to test, such as cpu or sycl:cpu:0; repeatable; default: all devices that one process can open",
    )
    parser.addoption(
        "--part",
        type=_part,
        default=os.environ.get("XTENSOR_TESTS_PART") or None,
        metavar="I/N",
        help="run the I-th of N parts of the collected tests; default: the environment variable XTENSOR_TESTS_PART",
    )


def _part(text: str) -> tuple[int, int]:
    position, _, count = text.partition("/")
    if not (position.isdecimal() and count.isdecimal() and 1 <= int(position) <= int(count)):
        raise argparse.ArgumentTypeError(f"expected I/N with 1 ≤ I ≤ N, such as 2/4, not {text!r}")
    return int(position), int(count)


def pytest_configure(config: pytest.Config) -> None:
    """Open the selected devices before the collection, and refuse those that do not open.

    A test module that opens another device while it is imported can then no longer decide whether Triton compiles or
    interprets kernels in this process.
    """
    if config.getoption("--device"):
        _selected(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the long tier unless it is selected, and the other parts.

    Each part has tests of every module, so that the parts take about the same time.
    """
    long = os.environ.get("XTENSOR_STRESS") == "long"
    selected = [item for item in items if long or item.get_closest_marker("long") is None]
    if config.getoption("--part") is not None:
        position, count = config.getoption("--part")
        selected = selected[position - 1 :: count]
    left_out = set(items).difference(selected)
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = selected


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name in ("device", "lenient_device"):
        if name in metafunc.fixturenames:
            devices = [item for item in _selected(metafunc.config) if name == "device" or item.backend != "strict"]
            if metafunc.definition.get_closest_marker("one_device") is not None:
                devices = devices[:1]
            metafunc.parametrize(name, devices, ids=[str(item) for item in devices], indirect=True)


def _selected(config: pytest.Config) -> list[xp.Device]:
    """Return the opened devices of the command line, or all that open; a device that does not is a usage error."""
    try:
        selected = [xp.device(spec) for spec in config.getoption("--device")]
        for device in selected:
            device.implements("add")
    except (ValueError, xp.BackendUnavailableError) as error:
        raise pytest.UsageError(f"--device: {error}") from error
    return list(dict.fromkeys(selected)) or list(usable_devices())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Skip a test that gives a device a dtype which the device declares that it lacks, float64 for example."""
    try:
        return (yield)
    except (TypeError, AssertionError) as error:
        if isinstance(error, AssertionError) and "did not match" not in str(error):
            raise  # of pytest.raises alone, for the message of this error
        device = getattr(item, "funcargs", {}).get("device")
        missing = [] if device is None else [name for name in STANDARD_DTYPES if np.dtype(name) not in device.dtypes]
        if missing and str(device) in str(error) and re.search(rf"\b({'|'.join(missing)})\b", str(error)):
            pytest.skip(f"{device} has no {' and no '.join(missing)}")
        raise


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Iterator[xp.Device]:
    """Device under test, the default device while the test runs."""
    request.node.user_properties.append(("device", str(request.param)))
    with xp.use_device(request.param) as current:
        yield current


@pytest.fixture
def registry(monkeypatch):
    """Registry of backends, restored after the test; devices of backends that the test registered are forgotten."""
    _registry.entries()
    present = _registry._entries
    monkeypatch.setattr(_registry, "_entries", dict(present))
    monkeypatch.setattr(_registry, "_priority", ())
    monkeypatch.setattr(_devices, "_automatic", None)
    monkeypatch.setattr(_devices, "_default", None)
    yield _registry
    registered = {entry._backend for name, entry in _registry._entries.items() if present.get(name) is not entry}
    for known in (_device._devices, _device._names):
        for key in [key for key in known if key[0] in registered]:
            del known[key]
    _registry.generation += 1


@pytest.fixture
def lenient_device(request: pytest.FixtureRequest) -> Iterator[xp.Device]:
    """Device that follows NumPy where the standard is silent: every device except ``strict``."""
    request.node.user_properties.append(("device", str(request.param)))
    with xp.use_device(request.param) as current:
        yield current


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("files")


@pytest.fixture
def empty_folder(folder, monkeypatch):
    """Run the test in an empty folder, where functions of files write."""
    monkeypatch.chdir(folder)
    yield
    for file in folder.iterdir():
        file.unlink()


@pytest.fixture
def time_limit() -> Iterator[None]:
    """Fail the test if it runs longer than ``TIME_LIMIT`` seconds, on systems that have interval timers."""

    def fail(*_: object) -> None:
        raise AssertionError(f"the call did not return within {TIME_LIMIT} seconds")

    if not hasattr(signal, "setitimer"):
        yield
        return
    previous = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, previous)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the tests of each device, and name the devices of the project that were not tested."""
    reports = [report for category in ("passed", "failed") for report in terminalreporter.stats.get(category, ())]
    counts = Counter(
        value
        for report in reports
        if report.when == "call"
        for name, value in report.user_properties
        if name == "device"
    )
    tested = ", ".join(f"{name} ({count} tests)" for name, count in sorted(counts.items())) or "none"
    missing = ", ".join(name for name in PROJECT_DEVICES if name not in counts) or "none"
    terminalreporter.write_sep("-", "devices")
    terminalreporter.write_line(f"tested devices: {tested}")
    terminalreporter.write_line(f"devices of the project without a test in this run: {missing}")
