"""scikit-learn, unmodified: every estimator and metric that declares support for the array API.

The results on a device are Arrays of that device and agree with the results for NumPy arrays.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed: xtensor[examples]")

import cloudpickle  # noqa: E402
from scikit_learn_metrics import CASES, METRICS, metric  # noqa: E402 - after importorskip
from sklearn.base import clone  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis  # noqa: E402
from sklearn.frozen import FrozenEstimator  # noqa: E402
from sklearn.kernel_approximation import Nystroem  # noqa: E402
from sklearn.linear_model import (  # noqa: E402
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.mixture import GaussianMixture  # noqa: E402
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_score, train_test_split  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.pipeline import FeatureUnion, make_pipeline  # noqa: E402
from sklearn.preprocessing import (  # noqa: E402
    Binarizer,
    KernelCenterer,
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.utils import all_estimators, get_tags  # noqa: E402

import xtensor as xp  # noqa: E402

# scikit-learn divides 0 by 0, and suppresses the warning for NumPy arrays only.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5)) @ RNG.normal(size=(5, 5)) + 3.0
WEIGHTS = RNG.normal(size=5)
CONTINUOUS = X @ WEIGHTS + 0.1 * RNG.normal(size=60)
CLASSES = (np.median(CONTINUOUS) < CONTINUOUS).astype(np.float64)
THREE_CLASSES = np.digitize(CONTINUOUS, np.quantile(CONTINUOUS, [1 / 3, 2 / 3])).astype(np.int64)
COUNTS = np.round(np.exp(0.1 * (CONTINUOUS - CONTINUOUS.min()) / np.ptp(CONTINUOUS) * 20))
KERNEL = X @ X.T


@pytest.fixture(autouse=True)
def dispatch():
    """Enable array API dispatch."""
    with sklearn.config_context(array_api_dispatch=True):
        yield


def to_numpy(values):
    """Return the values of an Array as a NumPy array, and other values unchanged."""
    if isinstance(values, xp.Array):
        return np.asarray(values.to_device("cpu"))
    return values


def check(result, expected, device, rtol=1e-7, atol=1e-9):
    """Fail unless values agree, and arrays are Arrays of the device."""
    if isinstance(expected, tuple):
        for part, expected_part in zip(result, expected, strict=True):
            check(part, expected_part, device, rtol, atol)
        return
    if isinstance(expected, np.ndarray) and expected.ndim:
        assert isinstance(result, xp.Array), type(result)
        assert result.device is device
    np.testing.assert_allclose(to_numpy(result), expected, rtol=rtol, atol=atol)


# Estimator, target, and the methods whose results are compared.
ESTIMATORS = {
    "Binarizer": (lambda: Binarizer(threshold=3.0), None, ("transform",)),
    "FeatureUnion": (
        lambda: FeatureUnion([("scale", StandardScaler()), ("bounds", MinMaxScaler())]),
        None,
        ("transform",),
    ),
    "FrozenEstimator": (lambda: FrozenEstimator(StandardScaler().fit(X)), None, ()),
    "GaussianNB": (lambda: GaussianNB(), THREE_CLASSES, ("predict", "predict_proba", "predict_log_proba")),
    "GridSearchCV": (
        lambda: GridSearchCV(Ridge(solver="svd"), {"alpha": [0.1, 1.0, 10.0]}, cv=3),
        CONTINUOUS,
        ("predict",),
    ),
    "KernelCenterer": (lambda: KernelCenterer(), None, ("transform",)),
    "LabelEncoder": (lambda: LabelEncoder(), None, ("transform",)),
    "LinearDiscriminantAnalysis": (
        lambda: LinearDiscriminantAnalysis(),
        THREE_CLASSES,
        ("predict", "predict_proba", "decision_function"),
    ),
    "LogisticRegression": (
        lambda: LogisticRegression(tol=1e-10, max_iter=1000),
        CLASSES,
        ("predict", "predict_proba", "decision_function"),
    ),
    "MinMaxScaler": (lambda: MinMaxScaler((-1, 2)), None, ("transform", "inverse_transform")),
    "Normalizer": (lambda: Normalizer(norm="l1"), None, ("transform",)),
    "Nystroem": (lambda: Nystroem(gamma=0.01, n_components=10, random_state=0), None, ("transform",)),
    "PCA": (lambda: PCA(3, svd_solver="full"), None, ("transform", "inverse_transform")),
    "PoissonRegressor": (lambda: PoissonRegressor(tol=1e-8, max_iter=1000), COUNTS, ("predict",)),
    "PolynomialFeatures": (lambda: PolynomialFeatures(2), None, ("transform",)),
    "RandomizedSearchCV": (
        lambda: RandomizedSearchCV(Ridge(solver="svd"), {"alpha": [0.1, 1.0, 10.0]}, n_iter=2, cv=3, random_state=0),
        CONTINUOUS,
        ("predict",),
    ),
    "Ridge": (lambda: Ridge(solver="svd"), CONTINUOUS, ("predict",)),
    "RidgeCV": (lambda: RidgeCV([0.1, 1.0, 10.0]), CONTINUOUS, ("predict",)),
    "RidgeClassifierCV": (lambda: RidgeClassifierCV([0.1, 1.0]), THREE_CLASSES, ("predict", "decision_function")),
    "StandardScaler": (lambda: StandardScaler(), None, ("transform", "inverse_transform")),
    # The others do not declare support, but use the array API only.
    "MaxAbsScaler": (lambda: MaxAbsScaler(), None, ("transform", "inverse_transform")),
    "LabelBinarizer": (lambda: LabelBinarizer(), None, ("transform",)),
    "RidgeClassifier": (lambda: RidgeClassifier(solver="svd"), THREE_CLASSES, ("predict", "decision_function")),
    # This initialization uses the array API only.
    "GaussianMixture": (
        lambda: GaussianMixture(2, init_params="random_from_data", random_state=0, means_init=None),
        None,
        ("predict", "predict_proba", "score_samples"),
    ),
}


def data_for(name):
    """Return the training data of an estimator: a kernel matrix, labels, or features."""
    return {"KernelCenterer": KERNEL, "LabelBinarizer": THREE_CLASSES, "LabelEncoder": THREE_CLASSES}.get(name, X)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_every_estimator_that_declares_support_is_tested():
    declared = set()
    for name, estimator in all_estimators():
        try:
            supported = get_tags(ESTIMATORS[name][0]() if name in ESTIMATORS else estimator()).array_api_support
        except (TypeError, AttributeError):
            continue  # estimators that require another estimator; the searches above are tested
        if supported:
            declared.add(name)
    assert len(declared) >= 19
    assert declared <= ESTIMATORS.keys()


def fit(name, convert):
    make, target, _ = ESTIMATORS[name]
    arguments = [convert(data_for(name)), None if target is None else convert(target)]
    if name in ("LabelBinarizer", "LabelEncoder"):
        arguments.pop()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sklearn.exceptions.ConvergenceWarning)
        return make().fit(*arguments)


@pytest.mark.parametrize("name", ESTIMATORS)
class TestEstimator:
    """Estimators that declare support."""

    def test_results_agree_with_numpy_on_the_device(self, device, name):
        expected = fit(name, np.asarray)
        result = fit(name, lambda values: xp.asarray(values, device=device))
        values = data_for(name)
        for method in ESTIMATORS[name][2]:
            operand = expected.transform(values) if method == "inverse_transform" else values
            check(
                getattr(result, method)(xp.asarray(operand, device=device)),
                getattr(expected, method)(operand),
                device,
                rtol=1e-5,
                atol=1e-6,
            )

    def test_clone_and_pickle_preserve_the_estimator(self, device, name):
        result = fit(name, lambda values: xp.asarray(values, device=device))
        assert clone(result).get_params().keys() == result.get_params().keys()
        # PoissonRegressor has its namespace as an attribute; pickle does not support modules.
        dumps = cloudpickle.dumps if name == "PoissonRegressor" else pickle.dumps
        again = pickle.loads(dumps(result))
        for method in ESTIMATORS[name][2][:1]:
            values = xp.asarray(data_for(name), device=device)
            check(getattr(again, method)(values), to_numpy(getattr(result, method)(values)), device)


SCORED = [name for name, (_, target, _) in ESTIMATORS.items() if target is not None]


@pytest.mark.parametrize("name", SCORED)
def test_score_agrees_with_numpy(device, name):
    target = ESTIMATORS[name][1]
    expected = fit(name, np.asarray).score(X, target)
    result = fit(name, lambda values: xp.asarray(values, device=device))
    assert float(result.score(xp.asarray(X), xp.asarray(target))) == pytest.approx(float(expected), rel=1e-5)


def test_cross_validation_scores_agree_with_numpy(device):
    expected = cross_val_score(Ridge(solver="svd"), X, CONTINUOUS, cv=4)
    result = cross_val_score(Ridge(solver="svd"), xp.asarray(X), xp.asarray(CONTINUOUS), cv=4)
    np.testing.assert_allclose(to_numpy(result), expected, rtol=1e-7)


def test_train_test_split_stays_on_the_device(device):
    parts = train_test_split(xp.asarray(X), xp.asarray(CONTINUOUS), random_state=0)
    expected = train_test_split(X, CONTINUOUS, random_state=0)
    for part, expected_part in zip(parts, expected, strict=True):
        check(part, expected_part, device)


def test_pipeline_stays_on_a_device_that_is_not_the_default(device):
    pipeline = make_pipeline(StandardScaler(), PCA(3, svd_solver="full"), Ridge(solver="svd"))
    expected = clone(pipeline).fit(X, CONTINUOUS).predict(X)
    x, y = xp.asarray(X), xp.asarray(CONTINUOUS)
    with xp.use_device("cpu"):
        check(pipeline.fit(x, y).predict(x), expected, device)


def test_numpy_targets_are_transferred_to_the_device_of_the_features(device):
    expected = Ridge(solver="svd").fit(X, CONTINUOUS).predict(X)
    check(Ridge(solver="svd").fit(xp.asarray(X), CONTINUOUS).predict(xp.asarray(X)), expected, device)


def test_move_to_transfers_to_numpy_and_back(device):
    from sklearn.utils._array_api import move_to

    x = xp.asarray(X)
    on_host = move_to(x, xp=np, device="cpu")
    np.testing.assert_array_equal(on_host, X)
    back = move_to(on_host, xp=xp, device=device)
    check(back, X, device)


# -- metrics ----------------------------------------------------------------------------------------------------------

REFUSED_BY_STRICT = {
    "balanced_accuracy_score": "divides integers",
    "roc_curve": "takes the logical or of numbers",
}
"""Metrics that use what the standard leaves undefined, which ``strict`` refuses."""


@pytest.mark.parametrize(("name", "operands", "kwargs"), CASES)
def test_metric_agrees_with_numpy(device, name, operands, kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sklearn.exceptions.UndefinedMetricWarning)
        expected = metric(name)(*operands, **kwargs)
        if device.backend == "strict" and name in REFUSED_BY_STRICT:
            with pytest.raises(TypeError, match="strict"):
                metric(name)(*(xp.asarray(values) for values in operands), **kwargs)
            return
        result = metric(name)(*(xp.asarray(values) for values in operands), **kwargs)
    for part, expected_part in zip(*((v if isinstance(v, tuple) else (v,)) for v in (result, expected)), strict=True):
        np.testing.assert_allclose(to_numpy(part), expected_part, rtol=1e-6, atol=1e-9)
        if isinstance(part, xp.Array):
            assert part.device is device


def test_every_metric_that_declares_support_is_tested():
    # scikit-learn declares them in its test module, which requires a mark of its pytest configuration.
    code = """
import pytest
pytest.mark.thread_unsafe = lambda *args, **kwargs: (lambda function: function)
from sklearn.metrics.tests.test_common import array_api_metric_checkers as declared
print(*{getattr(function, "func", function).__name__ for function in declared})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    declared = set(done.stdout.split())
    assert len(declared) >= 50
    assert declared <= METRICS.keys()
