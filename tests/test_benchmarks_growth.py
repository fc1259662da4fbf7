"""The group of benchmarks that shows growth: what it makes is there while a call is timed, and gone afterwards."""

import weakref

import pytest

import xtensor as xp
from benchmarks import growth
from benchmarks._cases import Variant
from benchmarks._libraries import find


def test_backends_are_there_while_a_call_is_timed(registry):
    before = [str(place) for place in xp.devices()]
    with growth.backends_registered(5):
        assert len(xp.devices()) == len(before) + 5
        assert [info.name for info in xp.backends()].count("idle3") == 1
    assert [str(place) for place in xp.devices()] == before


def test_arrays_are_alive_while_a_call_is_timed(monkeypatch):
    born = []

    class Recorded:
        def __add__(self, other):
            array = xp.asarray([other])
            born.append(weakref.ref(array))
            return array

    monkeypatch.setattr(xp, "ones", lambda size: Recorded())
    with growth.arrays_alive(7):
        assert sum(item() is not None for item in born) == 7
    assert not any(item() is not None for item in born)


@pytest.mark.parametrize("case", growth.CASES, ids=[case.name for case in growth.CASES])
def test_each_case_is_timed_beside_a_reference(case, registry):
    with xp.use_device("cpu"):
        found, refused = case.samplers(find(xp.device("cpu"))[0], Variant(3, "float64"))
        assert not refused
        assert {"xtensor", "reference"} <= set(found)
        for sampler in found.values():
            assert sampler(2) > 0


def test_a_device_that_was_asked_for_before_is_found_anew_when_backends_change(registry):
    first = xp.device("cpu")
    assert xp.device("cpu") is first
    with growth.backends_registered(1):
        assert xp.device("idle").backend == "idle0"
    with pytest.raises(ValueError, match="there is no device 'idle'"):
        xp.device("idle")
