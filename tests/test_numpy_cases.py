"""The corpus of NumPy code in ``numpy_cases``: Arrays give what NumPy arrays give, on every device."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy_cases import CASES
from numpy_cases.departures import DEPARTURES, OFF_HOST
from numpy_cases.running import compare, functions_called, is_numpy_operand, names_of, run
from toy import ToyBackend

import xtensor as xp
from xtensor._numpy import where_computed
from xtensor._numpy.ufuncs import counterpart

special = pytest.importorskip("scipy.special")

NEVER_ARRAYS = frozenset(("numpy.busday_count", "numpy.datetime_as_string", "numpy.is_busday"))
"""Functions of dates, which Arrays do not hold."""

every_case = pytest.mark.parametrize("case", CASES, ids=[case.code for case in CASES])


@cache
def host_functions() -> frozenset[str]:
    """Return the functions that NumPy and SciPy compute on the host's memory."""
    functions = {name for name, place in where_computed() if place == "host"}
    scipys = (name for name in dir(special) if isinstance(getattr(special, name), np.ufunc))
    return frozenset(
        functions | {f"scipy.special.{name}" for name in scipys if not counterpart(getattr(special, name))}
    )


def check(case, device):
    """Fail unless a case gives on a device what it gives with NumPy, or departs as it is stated."""
    expected, outcome = run(case), run(case, device)
    departure = (None if device.host else OFF_HOST.get(case.code)) or DEPARTURES.get(case.code)
    if departure is not None:
        _check_departure(outcome, departure[0])
        return
    if device.name == "strict" and case.strict_error is not None:
        assert isinstance(outcome.error, case.strict_error)
        return
    needs_host = case.converts or case.host or bool(functions_called(case.code) & host_functions())
    has_numpy_operand = case.beside or any(map(is_numpy_operand, names_of(case.code)))
    if not device.host and needs_host and expected.error is None:
        assert outcome.is_refused_transfer, f"{outcome.error!r} does not refuse a transfer with the remedy"
    raises_as_numpy = isinstance(expected.error, TypeError) and isinstance(outcome.error, TypeError)
    if outcome.is_refused_transfer and not raises_as_numpy:
        assert not device.host
        lacks_function = isinstance(outcome.error, xp.special.FunctionUnavailableError)
        assert needs_host or has_numpy_operand or lacks_function, f"refused: {outcome.error!r}"
        with xp.transfers("allow"):
            outcome = run(case, device)
    compare(case, outcome, expected, device)


def _check_departure(outcome, stated):
    if isinstance(stated, type):
        assert isinstance(outcome.error, stated)
    else:
        assert outcome.error is None
        assert outcome.result is stated


@every_case
def test_case_gives_what_numpy_gives(device, case):
    check(case, device)


@every_case
def test_case_off_the_host_gives_what_numpy_gives(registry, case):
    xp.register_backend(ToyBackend())
    device = xp.device("toy:0")
    with xp.use_device(device):
        check(case, device)


def test_corpus_has_every_function_that_dispatches():
    called = set().union(*(functions_called(case.code) for case in CASES))
    called |= {name.replace("numpy.emath.", "numpy.lib.scimath.") for name in called}
    numpys = {name for name, _ in where_computed() if name.startswith("numpy.")}
    assert numpys - called <= NEVER_ARRAYS


def test_corpus_has_at_least_fifty_special_functions():
    called = set().union(*(functions_called(case.code) for case in CASES))
    assert len({name for name in called if name.startswith("scipy.special.")}) >= 50


def test_codes_of_the_corpus_are_unique():
    codes = [case.code for case in CASES]
    assert len(codes) == len(set(codes))


def test_departures_are_cases_of_the_corpus():
    assert {*DEPARTURES, *OFF_HOST} <= {case.code for case in CASES}
