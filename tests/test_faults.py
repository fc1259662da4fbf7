"""Libraries that are missing, broken, or fail on first use: only calls that use the device raise."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from toy import NumpyWith, ToyBackend

import xtensor as xp

LIBRARIES = {
    # Device: the module that its backend imports, and a part of the remedy.
    "strict": ("array_api_strict", '"array-api-strict'),
    "sycl:cpu:0": ("dpnp", '"dpnp'),
    "cuda:0": ("cupy", "cuda12"),
}

BREAKAGES = {
    "missing": "raise ModuleNotFoundError('No module named {module}', name='{module}')",
    "missing shared library": "raise ImportError('libsomething.so.1: cannot open shared object file')",
    "unexpected error": "raise OSError('undefined symbol: _Zfoo')",
    "driver error": "raise RuntimeError('driver version is insufficient')",
    "empty": "",
}

PROGRAM = """
import sys
import xtensor as xp

x = xp.asarray([1.0, 4.0], device="cpu")
assert xp.sqrt(x).tolist() == [1.0, 2.0]
assert "cpu" in [str(device) for device in xp.devices()]
assert {spec!r} not in [str(device) for device in xp.devices()]
try:
    xp.zeros(1, device={spec!r})
except xp.BackendUnavailableError as error:
    print(error)
infos = [info for info in xp.backends() if {kind!r} in info.kinds]
assert not any({spec!r} in info.devices for info in infos), infos
broken = [info for info in infos if not info.available]
assert broken and all(info.reason and info.remedy for info in broken), infos
assert xp.sqrt(x).tolist() == [1.0, 2.0]
"""


def run(program: str, path: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": path, "XTENSOR_DEVICE": "cpu"}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, env=environment, timeout=120
    )


@pytest.mark.parametrize(
    "breakage",
    [
        "missing",
        "unexpected error",
        *[pytest.param(name, marks=pytest.mark.long) for name in ("missing shared library", "driver error", "empty")],
    ],
)
@pytest.mark.parametrize("spec", LIBRARIES)
def test_broken_library_affects_its_device_only(tmp_path, spec, breakage):
    module, remedy = LIBRARIES[spec]
    (tmp_path / module).mkdir()
    (tmp_path / module / "__init__.py").write_text(BREAKAGES[breakage].format(module=module))
    done = run(PROGRAM.format(spec=spec, kind=spec.split(":")[0]), str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert remedy in done.stdout


def test_cached_failure_does_not_reference_the_callers_frames(registry):
    class Local:
        pass

    def probe():
        local = Local()
        xp.devices()
        return weakref.ref(local)

    xp.register_backend(ToyBackend(failure=RuntimeError("no driver")))
    reference = probe()
    gc.collect()
    assert reference() is None


def test_device_that_fails_to_open_raises_on_each_use(registry):
    class Late(ToyBackend):
        def namespace(self, spec):
            raise RuntimeError("the device fell off the bus")

    xp.register_backend(Late())
    assert "toy:0" in [str(device) for device in xp.devices()]
    for _ in range(2):
        with pytest.raises(xp.BackendUnavailableError, match=r"toy:0.*fell off the bus"):
            xp.zeros(1, device="toy:0")
    assert xp.ones(1, device="cpu").tolist() == [1.0]


def test_device_that_failed_to_open_is_opened_again(registry):
    class Flaky(ToyBackend):
        broken = True

        def namespace(self, spec):
            if self.broken:
                raise RuntimeError("not yet")
            return super().namespace(spec)

    backend = Flaky()
    xp.register_backend(backend)
    with pytest.raises(xp.BackendUnavailableError, match="not yet"):
        xp.zeros(1, device="toy:0")
    backend.broken = False
    assert xp.zeros(1, device="toy:0").tolist() == [0.0]


def test_failed_operation_names_function_operands_and_device(registry):
    class Failing(ToyBackend):
        def namespace(self, spec):
            def sqrt(x):
                raise ValueError("illegal address")

            return NumpyWith(sqrt=sqrt)

    xp.register_backend(Failing())
    with pytest.raises(ValueError, match=r"illegal address; sqrt\(float64 array of shape \(2,\)\) on toy:0"):
        xp.sqrt(xp.ones(2, device="toy"))


@pytest.mark.parametrize("kind", [ConnectionError, xp.OutOfMemoryError])
def test_error_that_a_backend_explained_is_raised_once_with_its_cause(registry, kind):
    calls = []

    class Failing(ToyBackend):
        def to_host(self, native):
            calls.append(native)
            raise kind("the other machine is gone") from KeyError("its name")

    xp.register_backend(Failing())
    with pytest.raises(kind, match="the other machine is gone") as raised:
        xp.ones(2, device="toy").to_device("cpu")
    assert isinstance(raised.value.__cause__, KeyError)
    assert len(calls) == 1


def test_concurrent_opening_returns_one_device(registry):
    xp.register_backend(ToyBackend())
    with ThreadPoolExecutor(8) as pool:
        arrays = list(pool.map(lambda _: xp.ones(2, device="toy:0") + 1, range(64)))
    assert len({id(x.device) for x in arrays}) == 1
    assert all(x.tolist() == [2.0, 2.0] for x in arrays)
