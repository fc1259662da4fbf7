"""SciPy without the switch ``SCIPY_ARRAY_API``, which is its default: functions give what they give for NumPy arrays.

The calls are in a process of their own for each device: ``scipy_plain_run``. The results agree in values, shapes and
dtypes.
"""

from __future__ import annotations

import re

import pytest

pytest.importorskip("scipy", reason="SciPy is not installed: xtensor[special]")

from scipy_cases import CASES
from scipy_host_cases import HOST_CASES
from scipy_numpy_cases import HOST_ONLY, NUMPY_CASES, NUMPY_ONLY, OTHER_WORDS, REFUSED_BY_STRICT
from scipy_plain import outcomes
from scipy_plain_run import applicable

NAMES = applicable()


@pytest.mark.parametrize("name", NAMES)
class TestWithoutTheSwitch:
    """Every case of ``scipy_cases``, ``scipy_host_cases`` and ``scipy_numpy_cases`` that passes an array."""

    def test_result_is_that_for_numpy_arrays(self, device, name):
        found = outcomes(str(device), "forbid" if device.host else "allow")[name]
        if name in NUMPY_ONLY or (name in HOST_ONLY and not device.host):
            assert found.startswith("raises")
        elif device.backend == "strict" and name in REFUSED_BY_STRICT:
            assert re.match("raises (TypeError|IndexError|ValueError): .* on (the device )?strict", found)
        else:
            assert found == "same"


def test_the_tables_name_cases():
    assert {*NUMPY_ONLY, *HOST_ONLY, *OTHER_WORDS, *REFUSED_BY_STRICT} <= set(NAMES)
    assert not NUMPY_CASES.keys() & (CASES.keys() | HOST_CASES.keys())
    assert len(NAMES) > 1000
