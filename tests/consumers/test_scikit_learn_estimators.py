"""scikit-learn without dispatch, which is its default: every estimator gives for Arrays what it gives for NumPy arrays.

It converts Arrays to NumPy arrays and returns NumPy arrays. Off the host that is a transfer, which raises unless it is
allowed.
"""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed: xtensor[examples]")

from scikit_learn_cases import FEATURES, NO_DENSE_ARRAY, REFUSED_BY_STRICT, data_of, instances  # noqa: E402 - after importorskip
from scikit_learn_compare import compare  # noqa: E402
from sklearn.utils import all_estimators  # noqa: E402
from toy import ToyBackend  # noqa: E402

import xtensor as xp  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("no_dispatch")]

INSTANCES = instances()

METHODS = (
    *("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "score_samples"),
    *("apply", "decision_path", "kneighbors", "kneighbors_graph", "radius_neighbors"),
)
"""Methods that take the features."""

MEASURED = ("refit_time_",)
"""Attributes that contain durations."""

SCORED_BY = {"EllipticEnvelope": (np.where(np.arange(len(FEATURES)) < 5, -1, 1),)}
"""Targets that an estimator needs for its score alone."""

UNCHANGED = {"FunctionTransformer": "applies no function by default and returns its argument"}
"""Estimators that return Arrays off the host without a transfer."""


@pytest.fixture
def no_dispatch():
    with sklearn.config_context(array_api_dispatch=False):
        yield


def results(name, convert):
    """Return the results of an estimator's methods, and its fitted attributes, by name."""
    estimator = INSTANCES[name]()
    features, target = data_of(name, estimator)
    data = [convert(features)] if target is None else [convert(features), convert(target)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(*data)
        found = {method: getattr(estimator, method)(data[0]) for method in METHODS if hasattr(estimator, method)}
        if hasattr(estimator, "score"):
            found["score"] = estimator.score(*data, *(convert(labels) for labels in SCORED_BY.get(name, ())))
        if "transform" in found and hasattr(estimator, "inverse_transform"):
            found["inverse_transform"] = estimator.inverse_transform(found["transform"])
        for method in ("fit_predict", "fit_transform"):
            if hasattr(estimator, method):
                found[method] = getattr(INSTANCES[name](), method)(*data)
    attributes = {key: value for key, value in vars(estimator).items() if key.endswith("_") and key not in MEASURED}
    return {**found, **attributes}


numpy_results = functools.cache(lambda name: results(name, np.asarray))


@pytest.mark.parametrize("name", INSTANCES)
def test_estimator_gives_what_it_gives_for_numpy_arrays(device, name):
    expected = numpy_results(name)
    if device.backend == "strict" and name in REFUSED_BY_STRICT:
        with pytest.raises(
            (IndexError, ValueError), match="Integer index arrays are only allowed with integer indices"
        ):
            results(name, xp.asarray)
        return
    with xp.transfers("forbid" if device.host else "allow"):
        found = results(name, lambda values: xp.asarray(values, device=device))
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        compare(found[key], value, key)


@pytest.fixture
def off_host(registry):
    """Device off the host, available on every machine."""
    xp.register_backend(ToyBackend())
    return xp.device("toy:0")


@pytest.mark.parametrize("name", INSTANCES)
def test_estimator_off_the_host_raises_with_the_remedy(off_host, name):
    def convert(values):
        return xp.asarray(values, device=off_host)

    if name in UNCHANGED:
        assert results(name, convert)["transform"].device is off_host
        return
    with pytest.raises((TypeError, ValueError), match=r"to_device\('cpu'\)|transfers\("):
        results(name, convert)


def test_every_estimator_is_tested_or_takes_no_array():
    assert INSTANCES.keys() | NO_DENSE_ARRAY.keys() == {name for name, _ in all_estimators()}
    assert not INSTANCES.keys() & NO_DENSE_ARRAY.keys()
    assert len(INSTANCES) >= 200
