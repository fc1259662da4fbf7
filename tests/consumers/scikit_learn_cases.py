"""Estimators and data for scikit-learn without dispatch: an instance of each public estimator, and its data."""

from __future__ import annotations

import inspect

import numpy as np
from sklearn.experimental import enable_halving_search_cv, enable_iterative_imputer  # noqa: F401 - for their effect
from sklearn.linear_model import Ridge
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators, get_tags

RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(40, 4)) @ RNG.normal(size=(4, 4)) + 1.0
POSITIVE = np.abs(FEATURES) + 0.1
CATEGORIES = RNG.integers(0, 3, size=(40, 4))
LATENT = FEATURES @ RNG.normal(size=4) + 0.1 * RNG.normal(size=40)
CLASSES = np.digitize(LATENT, np.quantile(LATENT, [0.33, 0.66]))
BINARY = (np.median(LATENT) < LATENT).astype(np.int64)
SEVERAL = np.stack((LATENT, FEATURES[:, 0] - FEATURES[:, 1]), axis=1)
MULTILABEL = np.stack((BINARY, CLASSES % 2), axis=1)
IMAGES = RNG.normal(size=(3, 6, 6))
TWO_CLASSES_WITH_UNKNOWN = np.where(np.arange(40) % 4, BINARY, -1)

CLASSIFIER, REGRESSOR = DecisionTreeClassifier(max_depth=2, random_state=0), Ridge()

ARGUMENTS = {
    **dict.fromkeys(
        (
            *("ClassifierChain", "FixedThresholdClassifier", "MultiOutputClassifier", "OneVsOneClassifier"),
            *("OneVsRestClassifier", "OutputCodeClassifier", "RFE", "SelectFromModel", "SelfTrainingClassifier"),
            "TunedThresholdClassifierCV",
        ),
        {"estimator": CLASSIFIER},
    ),
    **dict.fromkeys(("MultiOutputRegressor", "RegressorChain"), {"estimator": REGRESSOR}),
    **dict.fromkeys(("RFECV", "SequentialFeatureSelector"), {"estimator": CLASSIFIER, "cv": 3}),
    **dict.fromkeys(("StackingClassifier", "VotingClassifier"), {"estimators": [("a", CLASSIFIER)]}),
    **dict.fromkeys(("StackingRegressor", "VotingRegressor"), {"estimators": [("a", REGRESSOR)]}),
    **dict.fromkeys(
        ("GridSearchCV", "HalvingGridSearchCV"), {"estimator": CLASSIFIER, "param_grid": {"max_depth": [1, 2]}, "cv": 3}
    ),
    **dict.fromkeys(
        ("RandomizedSearchCV", "HalvingRandomSearchCV"),
        {"estimator": CLASSIFIER, "param_distributions": {"max_depth": [1, 2]}, "cv": 3},
    ),
    "ColumnTransformer": {"transformers": [("a", StandardScaler(), [0, 1]), ("b", MinMaxScaler(), [2, 3])]},
    "FeatureUnion": {"transformer_list": [("a", StandardScaler()), ("b", MinMaxScaler())]},
    "FrozenEstimator": {"estimator": DecisionTreeClassifier(random_state=0).fit(FEATURES, CLASSES)},
    "Pipeline": {"steps": [("scale", StandardScaler()), ("classify", CLASSIFIER)]},
    "SparseCoder": {"dictionary": RNG.normal(size=(6, 4)), "transform_algorithm": "lars"},
    "BernoulliRBM": {"n_components": 3},
    "PatchExtractor": {"patch_size": (2, 2)},
    "SpectralCoclustering": {"n_clusters": 2},
    "SpectralBiclustering": {"n_clusters": 2, "n_best": 2},
    "KernelPCA": {"fit_inverse_transform": True},
    "GraphicalLasso": {"alpha": 0.5},
    "LogisticRegressionCV": {"Cs": [0.1, 1.0], "use_legacy_attributes": False},
    "OrthogonalMatchingPursuitCV": {"max_iter": 3},
    "SimpleImputer": {"add_indicator": True},
    "SkewedChi2Sampler": {"skewedness": 20.0, "n_components": 2},
    "TSNE": {"max_iter": 250},
    "RANSACRegressor": {"min_samples": 0.5},
    "RadiusNeighborsClassifier": {"radius": 100.0},
    "KBinsDiscretizer": {"encode": "ordinal"},
}
"""Arguments that an estimator requires, or that make its result depend on this data."""

FAST = {
    "n_components": 2,
    "n_estimators": 5,
    "max_iter": 30,
    "n_init": 1,
    "n_iter": 2,
    "n_resampling": 5,
    "init_size": 20,
    "n_neighbors": 5,
    "cv": 3,
    "perplexity": 5.0,
    "random_state": 0,
}
"""Values of parameters for all estimators that have them, for results in a short time that are the same each time."""

TARGETS = {
    **dict.fromkeys(("ClassifierChain", "MultiOutputClassifier"), MULTILABEL),
    **dict.fromkeys(("MultiOutputRegressor", "RegressorChain"), SEVERAL),
    **dict.fromkeys(("LabelPropagation", "LabelSpreading", "SelfTrainingClassifier"), TWO_CLASSES_WITH_UNKNOWN),
    **dict.fromkeys(("FixedThresholdClassifier", "TunedThresholdClassifierCV"), BINARY),
    **dict.fromkeys(("CCA", "PLSCanonical", "PLSRegression", "PLSSVD"), SEVERAL),
    **dict.fromkeys(("SelectFromModel", "SelectKBest", "SelectPercentile", "SequentialFeatureSelector"), CLASSES),
    **{name: SEVERAL for name, _ in all_estimators() if name.startswith("MultiTask")},
}
"""Targets of estimators for which their tags do not decide it."""

NO_DENSE_ARRAY = {
    "CountVectorizer": "takes texts",
    "DictVectorizer": "takes dictionaries",
    "FeatureHasher": "takes dictionaries or texts",
    "HashingVectorizer": "takes texts",
    "MultiLabelBinarizer": "takes a list of sets of labels",
    "TfidfVectorizer": "takes texts",
}
"""Estimators that are not fitted to an array of numbers."""


REFUSED_BY_STRICT = frozenset(
    (
        *("CalibratedClassifierCV", "ColumnTransformer", "GridSearchCV", "HalvingGridSearchCV"),
        *("HalvingRandomSearchCV", "RandomizedSearchCV", "RidgeCV", "SequentialFeatureSelector"),
        *("StackingClassifier", "StackingRegressor", "TunedThresholdClassifierCV"),
    )
)
"""Estimators that select rows or columns by integer arrays beside other keys, which the standard does not define."""


def instances():
    """Return a function that creates each public estimator that takes a dense array, by name."""
    return {name: instance_of(name, kind) for name, kind in all_estimators() if name not in NO_DENSE_ARRAY}


def instance_of(name, kind):
    arguments = ARGUMENTS.get(name, {})
    fast = {key: value for key, value in FAST.items() if key in inspect.signature(kind).parameters}
    return lambda: kind(**{**fast, **arguments})


def data_of(name, estimator):
    """Return the features and the target that an estimator is fitted to; None without a target."""
    tags = get_tags(estimator)
    inputs, targets = tags.input_tags, tags.target_tags
    if targets.one_d_labels and not inputs.two_d_array:
        return CLASSES, None
    if inputs.three_d_array and not inputs.two_d_array:
        return IMAGES, None
    features = FEATURES
    if inputs.one_d_array:
        features = FEATURES[:, 0].copy()
    elif inputs.pairwise:
        features = FEATURES @ FEATURES.T
    elif inputs.categorical:
        features = CATEGORIES
    elif inputs.positive_only:
        features = POSITIVE
    if name in TARGETS:
        return features, TARGETS[name]
    if tags.estimator_type == "regressor":
        return features, np.exp(0.2 * LATENT) if targets.positive_only else LATENT
    return features, CLASSES if targets.required or tags.estimator_type == "classifier" else None
