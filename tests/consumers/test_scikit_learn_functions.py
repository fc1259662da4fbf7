"""scikit-learn's functions without dispatch: metrics, preprocessing and others give what they give for NumPy arrays."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed: xtensor[examples]")

from scikit_learn_compare import compare  # noqa: E402 - after importorskip
from scikit_learn_functions import (  # noqa: E402
    CASES,
    FUNCTIONS,
    NUMPY_ONLY,
    ON_THE_DEVICE,
    REFUSED_BY_STRICT,
    WITH_DISPATCH,
    WITHOUT_ARRAYS,
    public_functions,
)
from scikit_learn_metrics import METRICS  # noqa: E402
from toy import ToyBackend  # noqa: E402

import xtensor as xp  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("no_dispatch")]

PUBLIC = public_functions()


@pytest.fixture
def no_dispatch():
    with sklearn.config_context(array_api_dispatch=False):
        yield


@pytest.fixture
def off_host(registry):
    """Device off the host, available on every machine."""
    xp.register_backend(ToyBackend())
    return xp.device("toy:0")


def run(label, convert):
    name, case = CASES[label]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return case(PUBLIC[name], convert)


numpy_result = functools.cache(lambda label: run(label, np.asarray))


@pytest.mark.parametrize("label", CASES)
def test_function_gives_what_it_gives_for_numpy_arrays(device, label):
    expected = numpy_result(label)
    if label in NUMPY_ONLY:
        with pytest.raises((TypeError, ValueError, IndexError), match=NUMPY_ONLY[label]):
            run(label, xp.asarray)
    elif device.backend == "strict" and label in REFUSED_BY_STRICT:
        with pytest.raises((IndexError, ValueError), match="index"):
            run(label, xp.asarray)
    else:
        with xp.transfers("forbid" if device.host else "allow"):
            compare(run(label, xp.asarray), expected, label)


@pytest.mark.parametrize("label", [label for label in CASES if label not in NUMPY_ONLY])
def test_function_off_the_host_raises_with_the_remedy(off_host, label):
    def convert(values):
        return xp.asarray(values, device=off_host)

    if label in ON_THE_DEVICE:
        compare(run(label, convert), numpy_result(label), label)
        return
    with pytest.raises((TypeError, ValueError), match=r"to_device\('cpu'\)|transfers\("):
        run(label, convert)


@pytest.mark.parametrize("label", WITH_DISPATCH)
def test_function_with_dispatch_computes_on_the_device(device, label):
    expected = numpy_result(label)
    with sklearn.config_context(array_api_dispatch=True):
        result = run(label, xp.asarray)
    compare(result, expected, label)
    arrays = [
        part for part in (result if isinstance(result, (tuple, list)) else [result]) if isinstance(part, xp.Array)
    ]
    assert arrays
    assert {part.device for part in arrays} == {device}


def test_every_function_has_a_case_or_takes_no_array():
    assert {*METRICS, *FUNCTIONS, *WITHOUT_ARRAYS} >= PUBLIC.keys()
    assert not FUNCTIONS.keys() & WITHOUT_ARRAYS.keys()
