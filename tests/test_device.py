"""Devices, the default device, and discovery, registration and failures of backends."""

from __future__ import annotations

import asyncio
import os
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
    """Run a program in a new Python process and return its output."""
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


def test_device_of_a_spec_is_one_object(device):
    assert xp.device(str(device)) is device


def test_device_of_a_device_is_that_device(device):
    assert xp.device(device) is device


def test_repr_and_name_contain_the_spec(device):
    assert repr(device) == f"Device({str(device)!r})"
    assert device.name == str(device)


def test_device_is_hashable_and_equal_to_itself_only(device):
    assert {device: 1}[xp.device(str(device))] == 1
    assert device == xp.device(str(device))
    assert device != "somewhere"


def test_device_is_immutable(device):
    with pytest.raises(AttributeError, match="immutable"):
        device.name = "other"
    with pytest.raises(AttributeError, match="immutable"):
        del device.table


def test_call_of_the_device_class_raises():
    with pytest.raises(TypeError, match=r"xtensor\.device"):
        xp.Device()


def test_unknown_spec_raises_and_lists_the_devices():
    with pytest.raises(ValueError, match=r"'tpu:0'.*cpu"):
        xp.device("tpu:0")


@pytest.mark.parametrize("spec", [None, 0, b"cpu", ["cpu"], np.dtype("f4")])
def test_spec_of_a_wrong_type_raises(spec):
    with pytest.raises(TypeError, match="'cpu'"):
        xp.device(spec)


def test_devices_are_a_tuple_that_contains_the_host():
    devices = xp.devices()
    assert isinstance(devices, tuple)
    assert xp.device("cpu") in devices


def test_creation_functions_accept_a_spec_or_a_device(device):
    assert xp.zeros(1, device=device).device is device
    assert xp.zeros(1, device=str(device)).device is device


def test_backend_name_is_a_spec():
    cpu, numpy = xp.device("cpu"), xp.device("numpy")
    assert numpy.backend == "numpy"
    # The device cpu is served by the overlay where its library is installed.
    assert (numpy is cpu) == (cpu.backend == "numpy")


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


def test_limit_of_the_pool_is_a_number_of_bytes(device):
    with pytest.raises(TypeError, match=r"limit_pool\(\) takes a number of bytes, not '1 GB'"):
        device.limit_pool("1 GB")
    with pytest.raises(ValueError, match=r"limit_pool\(-1\): a number of bytes is 0 or more"):
        device.limit_pool(-1)


# -- the default device -----------------------------------------------------------------------------------------------


def test_use_device_ends_with_its_block(device):
    before = xp.default_device()
    with xp.use_device(device) as current:
        assert current is device
        assert xp.ones(1).device is device
    assert xp.default_device() is before


def test_use_device_ends_with_an_error():
    before = xp.default_device()
    with pytest.raises(KeyError), xp.use_device("cpu"):
        raise KeyError
    assert xp.default_device() is before


def test_set_default_device_lasts_until_it_is_reset(registry):
    xp.register_backend(ToyBackend())
    xp.set_default_device("toy:1")
    assert str(xp.ones(1).device) == "toy:1"
    xp.set_default_device(None)
    assert str(xp.default_device()) != "toy:1"


def test_set_default_device_to_an_unknown_spec_raises_and_changes_nothing(registry):
    before = xp.default_device()
    with pytest.raises(ValueError, match="nowhere"):
        xp.set_default_device("nowhere")
    assert xp.default_device() is before


def test_results_are_on_the_device_of_the_operands(device):
    x = xp.ones(2, device=device)
    with xp.use_device("cpu"):
        assert (x + 1).device is device
        assert xp.zeros_like(x).device is device
        assert xp.asarray(x).device is device


def test_use_device_is_local_to_a_thread(registry):
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


def test_use_device_is_local_to_a_task(registry):
    xp.register_backend(ToyBackend())

    async def work(spec):
        with xp.use_device(spec):
            await asyncio.sleep(0)
            return str(xp.ones(1).device)

    async def both():
        return await asyncio.gather(work("toy:0"), work("toy:1"))

    assert asyncio.run(both()) == ["toy:0", "toy:1"]


def test_environment_variable_sets_the_default_device():
    assert run("import xtensor as xp; print(xp.ones(1).device)", XTENSOR_DEVICE="cpu") == "cpu"


def test_environment_variable_with_an_unknown_device_raises_on_use():
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


def test_backends_describe_the_numpy_backend():
    (info,) = (info for info in xp.backends() if info.name == "numpy")
    assert info.available
    assert info.version == np.__version__
    assert info.devices == ("cpu",)


def test_registered_backend_computes(registry):
    xp.register_backend(ToyBackend())
    x = xp.asarray([1.0, 4.0], device="toy")
    assert str(x.device) == "toy:0"
    assert xp.sqrt(x).tolist() == [1.0, 2.0]


def test_registered_backend_is_not_probed_before_its_first_use(registry):
    backend = ToyBackend()
    xp.register_backend(backend)
    assert xp.ones(1, device="cpu").tolist() == [1.0]
    assert backend.probed == 0


def test_backend_is_probed_once(registry):
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
def test_registering_an_object_that_is_not_a_backend_raises(registry, backend):
    with pytest.raises(TypeError, match="Backend"):
        xp.register_backend(backend)


def test_unavailable_backend_is_reported_and_does_not_affect_others(registry):
    xp.register_backend(ToyBackend(failure=xp.BackendUnavailableError("toylib is missing", "pip install toylib")))
    (info,) = (info for info in xp.backends() if info.name == "toy")
    assert (info.available, info.reason, info.remedy) == (False, "toylib is missing", "pip install toylib")
    assert xp.device("cpu") in xp.devices()
    with pytest.raises(xp.BackendUnavailableError, match=r"toylib is missing.*pip install toylib"):
        xp.device("toy:0")


def test_backend_with_an_unexpected_error_is_reported_and_does_not_affect_others(registry):
    xp.register_backend(ToyBackend(failure=OSError("libtoy.so: undefined symbol")))
    with pytest.raises(xp.BackendUnavailableError, match="undefined symbol"):
        xp.device("toy:0")
    assert xp.ones(1, device="cpu").tolist() == [1.0]


def test_each_use_of_an_unavailable_backend_raises_a_new_error(registry):
    xp.register_backend(ToyBackend(failure=OSError("broken")))
    errors = []
    for _ in range(2):
        with pytest.raises(xp.BackendUnavailableError) as caught:
            xp.device("toy:0")
        errors.append(caught.value)
    assert errors[0] is not errors[1]


def test_broken_entry_point_is_reported_and_does_not_affect_others(registry):
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


def test_backend_without_devices_is_unavailable(registry):
    xp.register_backend(ToyBackend(specs=()))
    with pytest.raises(xp.BackendUnavailableError, match="no device"):
        xp.device("toy")


def test_device_of_the_highest_rank_is_the_default(registry):
    xp.register_backend(ToyBackend(rank=1000))
    assert str(xp.default_device()) == "toy:0"
    assert xp.devices()[0] is xp.device("toy:0")


def test_priority_selects_between_two_backends_of_one_kind(registry):
    xp.register_backend(ToyBackend("one", rank=1))
    xp.register_backend(ToyBackend("two", rank=2))
    assert xp.device("toy:0").backend == "two"
    xp.set_backend_priority(["one"])
    assert xp.device("toy:0").backend == "one"
    xp.set_backend_priority([])
    assert xp.device("toy:0").backend == "two"


def test_device_of_the_lower_backend_is_named_by_its_backend(registry):
    xp.register_backend(ToyBackend("one", rank=1))
    xp.register_backend(ToyBackend("two", rank=2))
    behind = xp.device("one:1")
    assert (str(behind), behind.backend) == ("one:1", "one")
    assert xp.device(str(behind)) is behind


def test_priority_changes_the_automatic_default(registry):
    xp.register_backend(ToyBackend())
    before = xp.default_device()
    xp.set_backend_priority(["toy"])
    assert str(xp.default_device()) == "toy:0"
    xp.set_backend_priority([])
    assert xp.default_device() is before


@pytest.mark.parametrize(("names", "error"), [(["nobody"], ValueError), ("numpy", TypeError), (None, TypeError)])
def test_bad_priority_raises(registry, names, error):
    with pytest.raises(error):
        xp.set_backend_priority(names)


def test_best_device_has_the_required_memory():
    assert xp.best_device() is xp.devices()[0]
    assert xp.best_device(min_free_memory=1).memory().free >= 1
    with pytest.raises(ValueError, match="bytes free"):
        xp.best_device(min_free_memory=2**62)


def test_unknown_correction_raises_with_its_name(registry):
    class Wrong(ToyBackend):
        corrections = ("no_such_correction",)

    xp.register_backend(Wrong())
    with pytest.raises(xp.BackendUnavailableError, match="no_such_correction"):
        xp.zeros(1, device="toy")


def test_missing_function_is_composed_and_missing_primitive_raises(registry):
    class Small(ToyBackend):
        def namespace(self, spec):
            return NumpyWith(unstack=None, argsort=None)

    xp.register_backend(Small())
    x = xp.asarray([2.0, 1.0], device="toy")
    assert [part.item() for part in xp.unstack(x)] == [2.0, 1.0]
    with pytest.raises(NotImplementedError, match="argsort"):
        xp.argsort(x)


def test_import_of_xtensor_loads_no_backend_and_no_library():
    code = """
    import sys
    import xtensor
    heavy = ("xtensor_backends", "array_api_strict", "dpnp", "dpctl", "cupy", "triton",
             "scipy", "sklearn", "importlib.metadata", "logging")
    print([name for name in heavy if name in sys.modules])
    """
    assert run(code) == "[]"


# -- blocks that end in any order -------------------------------------------------------------------------------------


def using(spec):
    """Return a generator that uses a device until it is closed."""
    with xp.use_device(spec):
        yield xp.default_device()


def test_generators_closed_in_another_order_restore_the_default_device(registry):
    xp.register_backend(ToyBackend(specs=("toy:0", "toy:1")))
    before = xp.default_device()
    first, second = using("toy:0"), using("toy:1")
    assert next(first) == "toy:0"
    assert next(second) == "toy:1"
    first.close()
    assert xp.default_device() == "toy:1"
    second.close()
    assert xp.default_device() is before


def test_generator_closed_in_another_thread_restores_the_default_device(registry):
    xp.register_backend(ToyBackend())
    before = xp.default_device()
    generator = using("toy:0")
    assert next(generator) == "toy:0"
    thread = threading.Thread(target=generator.close)
    thread.start()
    thread.join()
    assert xp.default_device() is before


def test_block_inside_a_closed_generators_block_keeps_its_device(registry):
    xp.register_backend(ToyBackend())
    before = xp.default_device()
    generator = using("cpu")
    next(generator)
    with xp.use_device("toy:0"):
        generator.close()
        assert xp.default_device() == "toy:0"
    assert xp.default_device() is before
