"""The benchmark of ``best_device``: estimates beside measured times."""

from __future__ import annotations

import pytest

from benchmarks import advice
from xtensor._advice import rates
from xtensor._core.rates import known_rates

SIZES = {"ROWS": 16, "FEW_ROWS": 4, "LONG": 256, "CACHED": 64, "SORTED_ROWS": 2, "CALLS": 2, "ROUNDS": 1, "REPEATS": 1}


@pytest.fixture
def short(monkeypatch):
    """Rates of small arrays, measured anew, on two devices."""
    for name, value in SIZES.items():
        monkeypatch.setattr(rates, name, value)
    monkeypatch.setattr(advice, "DEVICES", ("cpu", "strict", "nowhere"))
    advice.devices.cache_clear()
    yield
    advice.devices.cache_clear()


def test_each_device_here_has_a_measured_and_an_estimated_time(short):
    before = known_rates()
    case = advice.AdviceCase("products", advice.products, [(20, 20)] * 4)
    samplers, skipped = case.samplers((), None)
    assert set(samplers) == {"cpu", "cpu estimated", "strict", "strict estimated"}
    assert not skipped
    assert all(sampler(2) > 0 for sampler in samplers.values())
    assert samplers["cpu estimated"](4) == 2 * samplers["cpu estimated"](2)
    assert known_rates() == before


def row(name, **times):
    return {"case": name, "libraries": {key.replace("_", " "): {"best": value} for key, value in times.items()}}


ROWS = [
    row("a", cpu=1.0, cpu_estimated=2.0, numpy=2.0, numpy_estimated=1.0),
    row("b", cpu=1.0, cpu_estimated=0.1, numpy=3.0, numpy_estimated=3.0),
]


def test_estimate_beyond_the_factor_is_named():
    found = advice.accuracy("cpu", 3.0)(ROWS)
    assert found["misses"] == ["b 0.10"]
    assert not found["met"]
    assert advice.accuracy("numpy", 3.0)(ROWS)["met"]
    assert advice.accuracy("cuda", 3.0)(ROWS)["met"] is None


def test_advised_device_that_is_slower_is_named():
    found = advice.ranking(1.5)(ROWS)
    assert found["misses"] == ["a (numpy) 2.00"]
    assert "b (cpu) 1.00" in found["measured"]
