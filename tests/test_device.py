"""Devices, the default device, backends: how they are found, chosen, described, and what they say when missing."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from toy import NumpyWith, ToyBackend

import xtensor as xp
from xtensor._core import registry as _registry


def run(code: str, **environment: str) -> str:
    """What a program prints in a Python of its own."""
    import os

    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# -- devices ----------------------------------------------------------------------------------------------------------


def test_a_spec_gives_one_device_always(device):
    assert xp.device(str(device)) is device


def test_a_device_given_is_given_back(device):
    assert xp.device(device) is device


def test_a_device_names_itself(device):
    assert repr(device) == f"Device({str(device)!r})"
    assert device.name == str(device)


def test_a_device_is_hashable_and_equal_to_itself_alone(device):
    assert {device: 1}[xp.device(str(device))] == 1
    assert device == xp.device(str(device))
    assert device != "somewhere"


def test_a_device_is_immutable(device):
    with pytest.raises(AttributeError, match="immutable"):
        device.name = "other"
    with pytest.raises(AttributeError, match="immutable"):
        del device.table


def test_a_device_is_not_made_by_calling_its_class():
    with pytest.raises(TypeError, match=r"xtensor\.device"):
        xp.Device()


def test_an_unknown_spec_raises_and_lists_what_is_here():
    with pytest.raises(ValueError, match=r"'tpu:0'.*cpu"):
        xp.device("tpu:0")


@pytest.mark.parametrize("spec", [None, 0, b"cpu", ["cpu"], np.dtype("f4")])
def test_what_is_no_spec_raises(spec):
    with pytest.raises(TypeError, match="'cpu'"):
        xp.device(spec)


def test_devices_are_a_tuple_with_the_default_first():
    found = xp.devices()
    assert isinstance(found, tuple)
    assert xp.device("cpu") in found


def test_creation_functions_take_a_spec_or_a_device(device):
    assert xp.zeros(1, device=device).device is device
    assert xp.zeros(1, device=str(device)).device is device


def test_a_backends_name_serves_as_a_kind():
    assert xp.device("numpy") is xp.device("cpu")


def test_info_and_memory_of_the_host():
    info, memory = xp.device("cpu").info(), xp.device("cpu").memory()
    assert info.name
    assert info.cores >= 1
    assert info.simd
    assert info.unified_memory is True
    assert 0 < memory.free <= memory.total == info.total_memory


def test_synchronize_and_release_memory_return_nothing(device):
    assert device.synchronize() is None
    assert device.release_memory() is None


# -- the default device -----------------------------------------------------------------------------------------------


def test_use_device_holds_within_its_block_only(device):
    before = xp.default_device()
    with xp.use_device(device) as chosen:
        assert chosen is device
        assert xp.ones(1).device is device
    assert xp.default_device() is before


def test_use_device_is_undone_by_an_error():
    before = xp.default_device()
    with pytest.raises(KeyError), xp.use_device("cpu"):
        raise KeyError
    assert xp.default_device() is before


def test_set_default_device_holds_until_it_is_set_back(registry):
    xp.register_backend(ToyBackend())
    xp.set_default_device("toy:1")
    assert str(xp.ones(1).device) == "toy:1"
    xp.set_default_device(None)
    assert str(xp.default_device()) != "toy:1"


def test_set_default_device_to_an_unknown_one_raises_and_changes_nothing(registry):
    before = xp.default_device()
    with pytest.raises(ValueError, match="nowhere"):
        xp.set_default_device("nowhere")
    assert xp.default_device() is before


def test_results_follow_their_inputs_whatever_the_default_is(device):
    x = xp.ones(2, device=device)
    with xp.use_device("cpu"):
        assert (x + 1).device is device
        assert xp.zeros_like(x).device is device
        assert xp.asarray(x).device is device


def test_threads_do_not_see_each_others_default_device(registry):
    xp.register_backend(ToyBackend())
    barrier = threading.Barrier(2)
    seen = {}

    def work(spec):
        with xp.use_device(spec):
            barrier.wait()
            seen[spec] = str(xp.ones(1).device)
            barrier.wait()

    threads = [threading.Thread(target=work, args=(spec,)) for spec in ("toy:0", "toy:1")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"toy:0": "toy:0", "toy:1": "toy:1"}


def test_tasks_do_not_see_each_others_default_device(registry):
    xp.register_backend(ToyBackend())

    async def work(spec):
        with xp.use_device(spec):
            await asyncio.sleep(0)
            return str(xp.ones(1).device)

    async def both():
        return await asyncio.gather(work("toy:0"), work("toy:1"))

    assert asyncio.run(both()) == ["toy:0", "toy:1"]


def test_environment_variable_chooses_the_default_device():
    assert run("import xtensor as xp; print(xp.ones(1).device)", XTENSOR_DEVICE="cpu") == "cpu"


def test_environment_variable_with_an_unknown_device_raises_when_a_default_is_needed():
    code = """
    import xtensor as xp
    assert xp.ones(1, device="cpu").shape == (1,)
    try:
        xp.ones(1)
    except ValueError as error:
        print(error)
    """
    assert "'nowhere'" in run(code, XTENSOR_DEVICE="nowhere")


# -- backends ---------------------------------------------------------------------------------------------------------


def test_backends_report_the_host():
    (info,) = (info for info in xp.backends() if info.name == "numpy")
    assert info.available
    assert info.version == np.__version__
    assert info.devices == ("cpu",)


def test_a_registered_backend_computes(registry):
    xp.register_backend(ToyBackend())
    x = xp.asarray([1.0, 4.0], device="toy")
    assert str(x.device) == "toy:0"
    assert xp.sqrt(x).tolist() == [1.0, 2.0]


def test_a_registered_backend_is_not_probed_before_it_is_asked_for(registry):
    backend = ToyBackend()
    xp.register_backend(backend)
    assert xp.ones(1, device="cpu").tolist() == [1.0]
    assert backend.probed == 0


def test_a_backend_is_probed_once(registry):
    backend = ToyBackend()
    xp.register_backend(backend)
    for _ in range(3):
        xp.device("toy:0")
        xp.devices()
    assert backend.probed == 1


def test_registering_a_name_twice_raises(registry):
    xp.register_backend(ToyBackend())
    with pytest.raises(ValueError, match="'toy'"):
        xp.register_backend(ToyBackend())


@pytest.mark.parametrize("backend", [None, "numpy", np, ToyBackend])
def test_registering_what_is_no_backend_raises(registry, backend):
    with pytest.raises(TypeError, match="Backend"):
        xp.register_backend(backend)


def test_a_backend_that_is_unavailable_is_reported_and_hurts_nobody(registry):
    xp.register_backend(ToyBackend(failure=xp.BackendUnavailableError("toylib is missing", "pip install toylib")))
    (info,) = (info for info in xp.backends() if info.name == "toy")
    assert (info.available, info.reason, info.remedy) == (False, "toylib is missing", "pip install toylib")
    assert xp.device("cpu") in xp.devices()
    with pytest.raises(xp.BackendUnavailableError, match=r"toylib is missing.*pip install toylib"):
        xp.device("toy:0")


def test_a_backend_that_breaks_is_reported_and_hurts_nobody(registry):
    xp.register_backend(ToyBackend(failure=OSError("libtoy.so: undefined symbol")))
    with pytest.raises(xp.BackendUnavailableError, match="undefined symbol"):
        xp.device("toy:0")
    assert xp.ones(1, device="cpu").tolist() == [1.0]


def test_an_error_of_an_unavailable_backend_does_not_grow(registry):
    xp.register_backend(ToyBackend(failure=OSError("broken")))
    errors = []
    for _ in range(2):
        with pytest.raises(xp.BackendUnavailableError) as caught:
            xp.device("toy:0")
        errors.append(caught.value)
    assert errors[0] is not errors[1]


def test_a_broken_entry_point_is_reported_and_hurts_nobody(registry):
    class Point:
        name = "broken"

        def load(self):
            raise ImportError("no module named 'toylib'")

    registry._entries["broken"] = _registry.Entry("broken", Point())
    (info,) = (info for info in xp.backends() if info.name == "broken")
    assert not info.available
    assert "toylib" in info.reason
    with pytest.raises(xp.BackendUnavailableError, match="toylib"):
        xp.device("broken:0")


def test_a_backend_without_devices_is_unavailable(registry):
    xp.register_backend(ToyBackend(specs=()))
    with pytest.raises(xp.BackendUnavailableError, match="no device"):
        xp.device("toy")


def test_the_higher_rank_is_the_default_device(registry):
    xp.register_backend(ToyBackend(rank=1000))
    assert str(xp.default_device()) == "toy:0"
    assert xp.devices()[0] is xp.device("toy:0")


def test_priority_decides_between_two_backends_of_one_kind(registry):
    xp.register_backend(ToyBackend("one", rank=1))
    xp.register_backend(ToyBackend("two", rank=2))
    assert xp.device("toy:0").backend == "two"
    xp.set_backend_priority(["one"])
    assert xp.device("toy:0").backend == "one"
    xp.set_backend_priority([])
    assert xp.device("toy:0").backend == "two"


def test_a_device_behind_another_backends_goes_by_its_backends_name(registry):
    xp.register_backend(ToyBackend("one", rank=1))
    xp.register_backend(ToyBackend("two", rank=2))
    behind = xp.device("one:1")
    assert (str(behind), behind.backend) == ("one:1", "one")
    assert xp.device(str(behind)) is behind


def test_priority_moves_the_automatic_default(registry):
    xp.register_backend(ToyBackend())
    before = xp.default_device()
    xp.set_backend_priority(["toy"])
    assert str(xp.default_device()) == "toy:0"
    xp.set_backend_priority([])
    assert xp.default_device() is before


@pytest.mark.parametrize(("names", "error"), [(["nobody"], ValueError), ("numpy", TypeError), (None, TypeError)])
def test_a_bad_priority_raises(registry, names, error):
    with pytest.raises(error):
        xp.set_backend_priority(names)


def test_best_device_asks_for_memory():
    assert xp.best_device() is xp.devices()[0]
    assert xp.best_device(min_free_memory=1).memory().free >= 1
    with pytest.raises(ValueError, match="bytes free"):
        xp.best_device(min_free_memory=2**62)


def test_a_correction_that_does_not_exist_is_named(registry):
    class Wrong(ToyBackend):
        corrections = ("no_such_correction",)

    xp.register_backend(Wrong())
    with pytest.raises(xp.BackendUnavailableError, match="no_such_correction"):
        xp.zeros(1, device="toy")


def test_a_function_that_a_backend_lacks_is_composed_or_says_so(registry):
    class Small(ToyBackend):
        def namespace(self, spec):
            return NumpyWith(unstack=None, argsort=None)

    xp.register_backend(Small())
    x = xp.asarray([2.0, 1.0], device="toy")
    assert [part.item() for part in xp.unstack(x)] == [2.0, 1.0]
    with pytest.raises(NotImplementedError, match="argsort"):
        xp.argsort(x)


def test_import_loads_no_backend_and_no_library():
    code = """
    import sys
    import xtensor
    heavy = ("xtensor_numpy", "xtensor_dpnp", "xtensor_cupy", "array_api_strict", "dpnp", "dpctl", "cupy", "triton",
             "scipy", "sklearn", "importlib.metadata", "logging")
    print([name for name in heavy if name in sys.modules])
    """
    assert run(code) == "[]"
