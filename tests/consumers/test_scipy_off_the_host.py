"""SciPy without the switch ``SCIPY_ARRAY_API`` for arrays of a device off the host, with and without transfers."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("scipy", reason="SciPy is not installed: xtensor[special]")

from scipy_numpy_cases import HOST_ONLY, NUMPY_ONLY, OTHER_WORDS
from scipy_plain import outcomes
from scipy_plain_run import applicable

REMEDY = re.compile(r"to_device\('cpu'\)|transfers\(")

NAMES = applicable()


@pytest.mark.parametrize("name", NAMES)
def test_off_the_host_the_result_is_the_same_or_the_error_names_the_remedy(name):
    found = outcomes("toy:0", "forbid")[name]
    if name in NUMPY_ONLY or name in OTHER_WORDS:
        assert found.startswith("raises")
    else:
        assert found == "same" or (found.startswith("raises") and REMEDY.search(found))


@pytest.mark.parametrize("name", NAMES)
def test_off_the_host_the_result_is_that_for_numpy_arrays_where_transfers_are_allowed(name):
    found = outcomes("toy:0", "allow")[name]
    if name in NUMPY_ONLY or name in HOST_ONLY:
        assert found.startswith("raises")
    else:
        assert found == "same"
