"""Calls of scikit-learn's public functions that take arrays, beside the metrics that declare the array API."""

from __future__ import annotations

import numpy as np
from scikit_learn_cases import BINARY, CLASSES, FEATURES, LATENT, POSITIVE
from scikit_learn_metrics import METRICS, metric
from sklearn.covariance import empirical_covariance
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.discovery import all_functions

MODULES = (
    *("calibration", "cluster", "covariance", "decomposition", "feature_selection", "inspection", "isotonic"),
    *("linear_model", "manifold", "metrics", "model_selection", "neighbors", "preprocessing", "svm"),
)
"""Modules all of whose functions have a case or a reason for having none."""

RNG = np.random.default_rng(1)
SCORES = RNG.random((40, 3))
SCORES /= SCORES.sum(axis=1, keepdims=True)
ONE_SCORE = RNG.random(40)
PREDICTED = np.where(RNG.random(40) < 0.3, 0, CLASSES)
PREDICTED_BINARY = np.where(RNG.random(40) < 0.3, 0, BINARY)
RELEVANT = (RNG.random((40, 3)) < 0.5).astype(np.int64)
RELEVANT[:, 0] = 1
GRADES = RNG.integers(0, 4, (40, 3)).astype(np.float64)
OTHER = FEATURES[::-1].copy()
COVARIANCE = empirical_covariance(FEATURES)
GRAM, TARGETS = FEATURES.T @ FEATURES, FEATURES.T @ LATENT
DICTIONARY = RNG.normal(size=(6, 4))
DICTIONARY /= np.linalg.norm(DICTIONARY, axis=1, keepdims=True)
COORDINATES = RNG.uniform(-1.0, 1.0, (5, 2))
DISTANCES = np.linalg.norm(FEATURES[:, None] - FEATURES[None], axis=-1)


def call(*args, **kwargs):
    """Return a case that calls the function with these arguments, with arrays converted."""

    def case(function, convert):
        return function(
            *(convert(arg) if isinstance(arg, np.ndarray) else arg for arg in args),
            **{name: convert(arg) if isinstance(arg, np.ndarray) else arg for name, arg in kwargs.items()},
        )

    return case


CLUSTERINGS = dict.fromkeys(
    (
        *("adjusted_mutual_info_score", "adjusted_rand_score", "completeness_score", "contingency_matrix"),
        *("fowlkes_mallows_score", "homogeneity_completeness_v_measure", "homogeneity_score", "mutual_info_score"),
        *("normalized_mutual_info_score", "pair_confusion_matrix", "rand_score", "v_measure_score"),
        *("classification_report", "matthews_corrcoef", "precision_recall_fscore_support"),
    ),
    call(CLASSES, PREDICTED),
)

OTHER_METRICS = {
    **CLUSTERINGS,
    **dict.fromkeys(
        ("calinski_harabasz_score", "davies_bouldin_score", "silhouette_samples", "silhouette_score"),
        call(FEATURES, CLASSES),
    ),
    **dict.fromkeys(("nan_euclidean_distances", "pairwise_distances_argmin_min"), call(FEATURES, OTHER)),
    **dict.fromkeys(("check_paired_arrays", "check_pairwise_arrays", "paired_distances"), call(FEATURES, OTHER)),
    **dict.fromkeys(
        ("coverage_error", "label_ranking_average_precision_score", "label_ranking_loss"), call(RELEVANT, SCORES)
    ),
    **dict.fromkeys(("dcg_score", "ndcg_score"), call(GRADES, SCORES)),
    "auc": call(np.arange(40.0), ONE_SCORE),
    "class_likelihood_ratios": call(BINARY, PREDICTED_BINARY),
    "confusion_matrix_at_thresholds": call(BINARY, ONE_SCORE),
    "consensus_score": lambda f, p: f((p(RELEVANT.T > 0), p(GRADES.T > 1)), (p(GRADES.T > 2), p(GRADES.T > 1))),
    "entropy": call(CLASSES),
    "haversine_distances": call(COORDINATES),
    "hinge_loss": call(2 * BINARY - 1, LATENT),
    "metric_at_thresholds": lambda f, p: f(p(BINARY), p(ONE_SCORE), metric("accuracy_score")),
    "pairwise_distances_chunked": lambda f, p: list(f(p(FEATURES))),
    "roc_auc_score": call(BINARY, ONE_SCORE),
    "top_k_accuracy_score": call(CLASSES, SCORES, k=2),
}

PREPROCESSING = {
    **dict.fromkeys(
        ("add_dummy_feature", "binarize", "maxabs_scale", "minmax_scale", "normalize", "power_transform"),
        call(FEATURES),
    ),
    **dict.fromkeys(("robust_scale", "scale"), call(FEATURES)),
    "label_binarize": lambda f, p: f(p(CLASSES), classes=p(np.arange(3))),
    "quantile_transform": call(FEATURES, n_quantiles=10),
}

OTHERS = {
    "affinity_propagation": call(-DISTANCES, random_state=0),
    "calibration_curve": call(BINARY, ONE_SCORE),
    "check_increasing": call(FEATURES[:, 0].copy(), LATENT),
    "chi2": call(POSITIVE, CLASSES),
    "cluster_optics_dbscan": lambda f, p: f(
        reachability=p(ONE_SCORE), core_distances=p(ONE_SCORE), ordering=p(np.arange(40)), eps=0.5
    ),
    "cluster_optics_xi": lambda f, p: f(
        reachability=p(ONE_SCORE),
        predecessor=p(np.arange(40) - 1),
        ordering=p(np.arange(40)),
        min_samples=3,
    ),
    "compute_optics_graph": lambda f, p: f(
        p(FEATURES),
        min_samples=3,
        max_eps=np.inf,
        metric="euclidean",
        p=2,
        metric_params=None,
        algorithm="auto",
        leaf_size=30,
        n_jobs=None,
    ),
    "cross_val_predict": lambda f, p: f(Ridge(), p(FEATURES), p(LATENT), cv=3),
    "cross_val_score": lambda f, p: f(Ridge(), p(FEATURES), p(LATENT), cv=3),
    "cross_validate": lambda f, p: f(Ridge(), p(FEATURES), p(LATENT), cv=3)["test_score"],
    "dbscan": call(FEATURES, eps=1.0),
    "dict_learning": call(FEATURES, 3, alpha=1.0, max_iter=5, random_state=0),
    "dict_learning_online": call(FEATURES, 3, max_iter=5, random_state=0),
    "empirical_covariance": call(FEATURES),
    "enet_path": call(FEATURES, LATENT, alphas=4),
    "estimate_bandwidth": call(FEATURES),
    "f_classif": call(FEATURES, CLASSES),
    "f_oneway": call(FEATURES[:20], FEATURES[20:]),
    "f_regression": call(FEATURES, LATENT),
    "fast_mcd": call(FEATURES, random_state=0),
    "fastica": call(FEATURES, 2, random_state=0),
    "get_bin_seeds": call(FEATURES, 1.0),
    "graphical_lasso": call(COVARIANCE, 0.5),
    "isotonic_regression": call(LATENT),
    "k_means": call(FEATURES, 3, n_init=1, random_state=0),
    "kmeans_plusplus": call(FEATURES, 3, random_state=0),
    "kneighbors_graph": call(FEATURES, 3),
    "l1_min_c": call(FEATURES, BINARY),
    "lars_path": call(FEATURES, LATENT),
    "lars_path_gram": call(TARGETS, GRAM, n_samples=40),
    "lasso_path": call(FEATURES, LATENT, alphas=4),
    "learning_curve": lambda f, p: f(Ridge(), p(FEATURES), p(LATENT), cv=3, train_sizes=[0.5, 1.0]),
    "ledoit_wolf": call(FEATURES),
    "ledoit_wolf_shrinkage": call(FEATURES),
    "linkage_tree": call(FEATURES),
    "locally_linear_embedding": call(FEATURES, n_neighbors=5, n_components=2, random_state=0),
    "log_likelihood": call(COVARIANCE, np.linalg.inv(COVARIANCE)),
    "mean_shift": call(FEATURES, bandwidth=2.0),
    "mutual_info_classif": call(FEATURES, CLASSES, random_state=0),
    "mutual_info_regression": call(FEATURES, LATENT, random_state=0),
    "non_negative_factorization": call(POSITIVE, n_components=2, random_state=0, max_iter=5),
    "oas": call(FEATURES),
    "orthogonal_mp": call(FEATURES, LATENT, n_nonzero_coefs=2),
    "orthogonal_mp_gram": call(GRAM, TARGETS, n_nonzero_coefs=2),
    "partial_dependence": lambda f, p: f(
        DecisionTreeClassifier(random_state=0).fit(FEATURES, BINARY), p(FEATURES), [0]
    ),
    "permutation_importance": lambda f, p: f(
        Ridge().fit(FEATURES, LATENT), p(FEATURES), p(LATENT), n_repeats=2, random_state=0
    ),
    "permutation_test_score": lambda f, p: f(Ridge(), p(FEATURES), p(LATENT), cv=3, n_permutations=3, random_state=0),
    "r_regression": call(FEATURES, LATENT),
    "radius_neighbors_graph": call(FEATURES, 2.0),
    "ridge_regression": call(FEATURES, LATENT, 1.0),
    "shrunk_covariance": call(COVARIANCE),
    "smacof": call(DISTANCES, n_init=1, max_iter=5, random_state=0, normalized_stress="auto"),
    "sparse_encode": call(FEATURES, DICTIONARY),
    "spectral_clustering": call(np.exp(-DISTANCES), n_clusters=2, random_state=0),
    "spectral_embedding": call(np.exp(-DISTANCES), random_state=0),
    "train_test_split": call(FEATURES, LATENT, random_state=0),
    "trustworthiness": call(FEATURES, FEATURES[:, :2].copy()),
    "validation_curve": lambda f, p: f(
        Ridge(), p(FEATURES), p(LATENT), param_name="alpha", param_range=[0.1, 1.0], cv=3, error_score="raise"
    ),
    "ward_tree": call(FEATURES),
}

FUNCTIONS = {**OTHER_METRICS, **PREPROCESSING, **OTHERS}

WITHOUT_ARRAYS = {
    **dict.fromkeys(("check_scoring", "get_scorer", "get_scorer_names", "make_scorer"), "makes a scorer"),
    **dict.fromkeys(("distance_metrics", "kernel_metrics"), "lists functions"),
    "check_cv": "makes a splitter",
    "sort_graph_by_row_values": "takes a sparse matrix",
}
"""Functions that take no dense array."""


NUMPY_ONLY = {
    **dict.fromkeys(
        (
            *("cluster_optics_dbscan", "cluster_optics_xi", "compute_optics_graph", "lars_path", "lars_path_gram"),
            *("log_likelihood", "orthogonal_mp"),
        ),
        "must be an instance of 'numpy.ndarray'",
    ),
}
"""Functions that check for NumPy's class, with words of the error."""

REFUSED_BY_STRICT = frozenset(
    (
        *("cross_val_predict", "cross_val_score", "cross_validate", "get_bin_seeds", "kmeans_plusplus"),
        *("partial_dependence", "permutation_test_score", "spectral_embedding", "train_test_split"),
        *("learning_curve", "validation_curve"),
    )
)
"""Functions that index with integer arrays beside other keys, or with fewer keys than axes."""

WITH_DISPATCH = (
    *("binarize", "check_paired_arrays", "check_pairwise_arrays", "confusion_matrix_at_thresholds"),
    *("cross_val_predict", "empirical_covariance", "label_binarize", "maxabs_scale", "metric_at_thresholds"),
    *("minmax_scale", "normalize", "paired_distances", "precision_recall_fscore_support", "r_regression"),
    *("ridge_regression", "train_test_split"),
)
"""Functions, beside the metrics that declare it, that compute with the array API where dispatch is enabled."""

ON_THE_DEVICE = frozenset(("entropy", "train_test_split"))
"""Functions that compute on a device off the host, as they convert no array."""


def public_functions():
    """Return scikit-learn's public functions of the tested modules, by name."""
    return {name: function for name, function in all_functions() if function.__module__.split(".")[1] in MODULES}


def metric_case(name, number):
    operands, kwargs = METRICS[name][number]
    return call(*operands, **kwargs)


CASES = {
    **{f"{name}-{i}": (name, metric_case(name, i)) for name, cases in METRICS.items() for i in range(len(cases))},
    **{name: (name, case) for name, case in FUNCTIONS.items()},
}
"""Name of the function and the case, by the test's identifier."""
