"""SciPy without the switch ``SCIPY_ARRAY_API``, which is its default: functions give what they give for NumPy arrays.

SciPy reads the switch when it is imported, and the other tests of SciPy set it. The calls are in a process of their
own for each device: ``scipy_plain_run``. The results agree in values, shapes and dtypes.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("scipy", reason="SciPy is not installed: xtensor[special]")

from scipy_cases import CASES
from scipy_host_cases import HOST_CASES
from scipy_numpy_cases import HOST_ONLY, NUMPY_CASES, NUMPY_ONLY, OTHER_WORDS, REFUSED_BY_STRICT
from scipy_plain_run import applicable

REMEDY = re.compile(r"to_device\('cpu'\)|transfers\(")

NAMES = applicable()


@functools.cache
def outcomes(device, policy):
    """Return the outcome of every case on a device by its name, as the program prints it."""
    environment = {name: value for name, value in os.environ.items() if name != "SCIPY_ARRAY_API"}
    environment["PYTHONPATH"] = os.pathsep.join((str(Path(__file__).parent), *sys.path))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "scipy_plain_run", device, policy],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


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

    def test_off_the_host_the_result_is_the_same_or_the_error_names_the_remedy(self, name):
        found = outcomes("toy:0", "forbid")[name]
        if name in NUMPY_ONLY or name in OTHER_WORDS:
            assert found.startswith("raises")
        else:
            assert found == "same" or (found.startswith("raises") and REMEDY.search(found))

    def test_off_the_host_the_result_is_that_for_numpy_arrays_where_transfers_are_allowed(self, name):
        found = outcomes("toy:0", "allow")[name]
        if name in NUMPY_ONLY or name in HOST_ONLY:
            assert found.startswith("raises")
        else:
            assert found == "same"


def test_the_tables_name_cases():
    assert {*NUMPY_ONLY, *HOST_ONLY, *OTHER_WORDS, *REFUSED_BY_STRICT} <= set(NAMES)
    assert not NUMPY_CASES.keys() & (CASES.keys() | HOST_CASES.keys())
    assert len(NAMES) > 1000
