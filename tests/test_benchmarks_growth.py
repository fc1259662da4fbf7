"""The benchmark group for growth: live arrays, registered backends and dimensions while a call is timed."""

import multiprocessing
import weakref
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import xtensor as xp
from benchmarks import growth
from benchmarks._cases import Variant
from benchmarks._libraries import Library, load_libraries

LIBRARIES = load_libraries(xp.device("cpu"))[0]


def test_arrays_are_alive_only_during_the_sample():
    references, alive = [], []

    class Operand:
        def __add__(self, other):
            array = xp.asarray([other], device="cpu")
            references.append(weakref.ref(array))
            return array

    def count():
        alive.append(sum(reference() is not None for reference in references))

    library = Library("recorded", "recorded", count, "0", lambda host: Operand(), np.asarray)
    growth.with_live_arrays("xp()", library, 7)(3)
    assert set(alive) == {7}
    assert not any(reference() is not None for reference in references)


def test_dimensions_are_those_of_the_operands():
    shapes = []
    library = Library("recorded", "recorded", shapes.append, "0", lambda host: host.shape, np.asarray)
    growth.with_dimensions("xp(x)", library, 5)(1)
    assert set(shapes) == {(1, 1, 1, 1, 1)}


def registered_devices(number):
    growth.register_idle_backends(number)
    growth.sample_with_backends("x + y", "cpu", number, 1)
    return [str(device) for device in xp.devices() if str(device).startswith("idle")]


def test_backends_are_registered_in_the_worker_process_only():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(registered_devices, 5).result() == [f"idle:idle{number}" for number in range(5)]
    assert not any(str(device).startswith("idle") for device in xp.devices())


@pytest.mark.parametrize("case", growth.CASES, ids=[case.name for case in growth.CASES])
def test_each_case_has_a_reference_and_samplers_that_return_seconds(case):
    with xp.use_device("cpu"):
        samplers, skipped = case.samplers(LIBRARIES, Variant(3, "float64"))
        assert not skipped
        assert {"xtensor", "reference"} <= set(samplers)
        for sampler in samplers.values():
            assert sampler(2) > 0


def test_device_is_resolved_anew_after_a_registration(registry):
    first = xp.device("cpu")
    assert xp.device("cpu") is first
    xp.register_backend(growth.IdleBackend(0))
    assert xp.device("idle").backend == "idle0"
