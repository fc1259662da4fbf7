"""The devices that the tests run on, and how many examples a property is tried with.

``--device D`` (repeatable) chooses devices; all of this machine are tested by default. The environment variable
``XTENSOR_TESTS_PROFILE=long`` tries each property with twenty times as many examples.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

import xtensor as xp
from xtensor._core import device as _device
from xtensor._core import registry as _registry

PROJECT_DEVICES = ("cpu", "strict", "sycl:cpu:0", "cuda:0", "rocm:0", "triton:interpret")
"""The devices that the project knows, whether they are on this machine or not."""

# A test's device stays the same from one example to the next, so a fixture of the function's scope is right.
COMMON = settings(
    deadline=None,
    print_blob=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)
# The quick profile tries the same examples each time, so that a change is judged by itself; the long one explores.
settings.register_profile("quick", COMMON, max_examples=25, derandomize=True, print_blob=False)
settings.register_profile("long", COMMON, max_examples=500)
settings.load_profile(os.environ.get("XTENSOR_TESTS_PROFILE", "quick"))

pytest.register_assert_rewrite("strategies")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device",
        action="append",
        default=[],
        metavar="D",
        help="a device to test, such as cpu or sycl:cpu:0; may be given several times; by default all that are here",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name in ("device", "lenient_device"):
        if name in metafunc.fixturenames:
            chosen = [place for place in _chosen(metafunc.config) if name == "device" or place.backend != "strict"]
            metafunc.parametrize(name, chosen, ids=[str(place) for place in chosen], indirect=True)


def _chosen(config: pytest.Config) -> list[xp.Device]:
    try:
        asked = [xp.device(spec) for spec in config.getoption("--device")]
    except (ValueError, xp.BackendUnavailableError) as error:
        raise pytest.UsageError(f"--device: {error}") from error
    return list(dict.fromkeys(asked)) or list(xp.devices())


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Iterator[xp.Device]:
    """A device to test, which is the default one while the test runs."""
    request.node.user_properties.append(("device", str(request.param)))
    with xp.use_device(request.param) as chosen:
        yield chosen


@pytest.fixture
def registry(monkeypatch):
    """The registry, put back as it was after the test."""
    _registry.entries()
    monkeypatch.setattr(_registry, "_entries", dict(_registry._entries))
    monkeypatch.setattr(_registry, "_priority", ())
    monkeypatch.setattr(_device, "_automatic", None)
    monkeypatch.setattr(_device, "_default", None)
    yield _registry
    _registry._generation += 1


@pytest.fixture
def lenient_device(request: pytest.FixtureRequest) -> Iterator[xp.Device]:
    """A device that does what NumPy does where the standard is silent: any but ``strict``."""
    request.node.user_properties.append(("device", str(request.param)))
    with xp.use_device(request.param) as chosen:
        yield chosen


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for category in ("passed", "failed") for report in terminalreporter.stats.get(category, ())]
    tests = Counter(
        value
        for report in reports
        if report.when == "call"
        for name, value in report.user_properties
        if name == "device"
    )
    ran = ", ".join(f"{name} ({count} tests)" for name, count in sorted(tests.items())) or "none"
    missing = [name for name in PROJECT_DEVICES if name not in tests]
    terminalreporter.write_sep("-", "devices")
    terminalreporter.write_line(
        f"{len(PROJECT_DEVICES) - len(missing)} of the project's {len(PROJECT_DEVICES)} devices tested: {ran}; "
        f"missing: {', '.join(missing) or 'none'}"
    )
