"""Calls of scikit-learn's metrics and of its other functions of arrays: operands and keyword arguments, by name."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics
from sklearn.metrics import pairwise

BINARY = (np.asarray([0, 0, 1, 1, 1, 0]), np.asarray([0, 1, 0, 1, 1, 0]))
MULTICLASS = (np.asarray([0, 1, 2, 3, 1, 0]), np.asarray([0, 1, 0, 2, 1, 3]))
MULTILABEL = (np.asarray([[1, 1, 1], [0, 1, 1], [1, 1, 0]]), np.asarray([[1, 1, 1], [1, 1, 1], [1, 0, 0]]))
BINARY_SCORES = (np.asarray([1, 0, 1, 0]), np.asarray([0.5, 0.2, 0.7, 0.6]))
MULTICLASS_SCORES = (np.asarray([0, 1, 2]), np.asarray([[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.1, 0.1, 0.8]]))
MULTILABEL_SCORES = (
    np.asarray([[0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 1]]),
    np.asarray([[0.1, 0.3, 0.5, 0.1], [0.3, 0.4, 0.1, 0.2], [0.1, 0.3, 0.1, 0.5], [0.2, 0.3, 0.2, 0.3]]),
)
REGRESSION = (np.asarray([2.0, 0.5, 1.0, 4.0]), np.asarray([1.5, 0.7, 2.0, 3.0]))
SEVERAL = (np.asarray([[1.0, 3.0, 2.0], [1.0, 2.0, 2.0]]), np.asarray([[1.0, 4.0, 4.0], [1.0, 1.0, 1.0]]))
PAIRS = (np.asarray([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]), np.asarray([[0.2, 0.3, 0.4], [0.5, 0.6, 0.7]]))

LABELS = {
    **dict.fromkeys(
        ("accuracy_score", "multilabel_confusion_matrix", "zero_one_loss", "hamming_loss"),
        [(BINARY, {}), (MULTICLASS, {}), (MULTILABEL, {})],
    ),
    **dict.fromkeys(
        ("f1_score", "jaccard_score", "precision_score", "recall_score"),
        [(BINARY, {}), (MULTICLASS, {"average": "macro"}), (MULTILABEL, {"average": "weighted"})],
    ),
    "fbeta_score": [(BINARY, {"beta": 0.5}), (MULTICLASS, {"beta": 0.5, "average": "micro"})],
    "average_precision_score": [(BINARY, {}), (MULTILABEL_SCORES, {})],
    **dict.fromkeys(
        ("balanced_accuracy_score", "cohen_kappa_score", "confusion_matrix"), [(BINARY, {}), (MULTICLASS, {})]
    ),
    **dict.fromkeys(("det_curve", "precision_recall_curve", "roc_curve"), [(BINARY_SCORES, {})]),
    **dict.fromkeys(("brier_score_loss", "log_loss"), [(BINARY_SCORES, {}), (MULTICLASS_SCORES, {})]),
    **dict.fromkeys(("d2_brier_score", "d2_log_loss_score"), [(BINARY_SCORES, {}), (MULTICLASS_SCORES, {})]),
}
NUMBERS = {
    "mean_tweedie_deviance": [(REGRESSION, {}), (REGRESSION, {"power": 1}), (REGRESSION, {"power": 1.5})],
    "d2_tweedie_score": [(REGRESSION, {"power": 1})],
    **dict.fromkeys(("mean_poisson_deviance", "mean_gamma_deviance", "max_error"), [(REGRESSION, {})]),
    **dict.fromkeys(
        (
            *("r2_score", "explained_variance_score", "mean_absolute_error", "mean_pinball_loss"),
            *("mean_squared_error", "mean_squared_log_error", "median_absolute_error", "d2_absolute_error_score"),
            *("d2_pinball_score", "mean_absolute_percentage_error", "root_mean_squared_error"),
            "root_mean_squared_log_error",
        ),
        [(REGRESSION, {}), (SEVERAL, {"multioutput": "raw_values"})],
    ),
}
PAIRWISE = {
    name: [(PAIRS, {})]
    for name in (
        *("cosine_similarity", "paired_cosine_distances", "additive_chi2_kernel", "chi2_kernel"),
        *("paired_euclidean_distances", "paired_manhattan_distances", "cosine_distances", "euclidean_distances"),
        *("manhattan_distances", "linear_kernel", "laplacian_kernel", "polynomial_kernel", "rbf_kernel"),
        *("sigmoid_kernel", "pairwise_kernels", "pairwise_distances", "pairwise_distances_argmin"),
    )
}
METRICS = LABELS | NUMBERS | PAIRWISE
CASES = [
    pytest.param(name, operands, kwargs, id=f"{name}-{i}")
    for name, cases in METRICS.items()
    for i, (operands, kwargs) in enumerate(cases)
]


def metric(name):
    return getattr(metrics, name, None) or getattr(pairwise, name)
