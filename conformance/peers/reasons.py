"""The reason for each test of a peer that finds a wrong value, a wrong dtype or a crash, and stays so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from conformance.peers.kinds import Verdict

LISTED = ("wrong value", "wrong dtype", "crash")
"""The kinds whose tests are listed one by one."""

UNKNOWN = "**a fault**: no reason is known"
"""Text of the list for a test without a reason."""

REASONS: Mapping[str, Mapping[str, str]] = {
    "autograd": {
        r"test_linalg\.py::test_eigvalh_": (
            "`eigh` differentiates as symmetric, not by the triangle that is read: [Derivatives](autograd.md)"
        ),
        r"test_wrappers\.py::test_custom_where_dtypes": (
            "the test expects a number or a list of Python; `np.where` of Python's values gives an Array"
        ),
    },
    "cupy": {
        r"test_einsum_unary_views": (
            "`x.base` is a new Array on the owner's memory; the memory is shared as in NumPy: [Views and "
            "copies](numpy.md#views-and-copies)"
        ),
        r"test_from_data\.py::TestFromData::": "strides along an axis of length 1; the values are equal",
        r"test_from_data\.py::TestArrayCopy": (
            "`x.base` is a new Array on the owner's memory; the memory is shared as in NumPy"
        ),
        r"test_astype_type$": "`ulonglong` is `uint64` here, a dtype that equals it",
        r"test_poly1d_repr": "the text of `longlong`, whose dtype is `int64` here",
        r"test_reshape_contiguity": "strides of `reshape` in memory order; the values are equal",
        r"test_gradient_float16": "gradients of float16 are rounded once; NumPy rounds each coefficient and product",
        r"test_cov_empty": "`cov` of no observations has the dtype of `dtype=`; NumPy gives float64",
        r"test_bincount_empty_with_weight": (
            "sums of weights are floating-point numbers, also where there are none; NumPy gives integers"
        ),
        r"test_(percentile|quantile)_overwrite": (
            "`overwrite_input=True` permits to write to the argument, and nothing is written"
        ),
        r"test_percentile_(defaults|monotonic)": (
            "the interpolation of float32 quantiles is exact to the last digit; NumPy's has roundings in between"
        ),
    },
    "numpy": {
        r"TestLstsq::test_\w*cases": "the test calls `__array_wrap__`, which Arrays do not have",
        r"TestMultiIndexingAutomated|test_for_reference_leak": "the test counts references to memory",
        r"test_require_each|TestDiff::test_n$|test__replace_nan|test__nan_mask": (
            "the test compares results by identity"
        ),
        r"TestLikeFuncs": (
            "strides with `order='K'` and `'A'`, which keep no layout: [Views and copies](numpy.md#views-and-copies)"
        ),
        r"test_dtype_identity": "a dtype with metadata is the dtype itself",
        r"test_scalar_q|test_quantile_scalar_nan|TestNanFunctions_Percentile::test_scalar": (
            "`np.isscalar` of an element, which is a 0-d Array: [Elements](numpy.md#elements)"
        ),
        r"test_correct_quantile_value": (
            "quantiles of booleans that are interpolated are floating-point numbers, also at levels that are booleans"
        ),
        r"test__array_namespace__": "the namespace of an Array is xtensor",
        r"test_override_repr|test_nested_array_repr": "the text of an Array, which is no `ndarray`",
        r"test_array_ufunc_direct_call": "the test calls `__array_ufunc__` by name, which is for NumPy alone",
        r"test_random_shuffle": (
            "`np.random.shuffle` swaps rows, which are views: [Random numbers](numpy.md#random-numbers)"
        ),
        r"test_non_ndarray_inputs": "the test asks about the memory of its own objects, whose interface is an Array's",
        r"test_compress_small_type": (
            "`out` of a lower kind of integers is written to, as by ufuncs; NumPy's `compress` casts safely"
        ),
        r"test_polyvalfromroots": (
            "`numpy.polynomial` takes what is no `ndarray` for a number: [NumPy's functions](numpy.md#numpys-functions)"
        ),
        r"test_std_with_mean_keyword": "`std` with `mean=` and without it are compared to the last digit",
    },
}
"""For each peer, regular expressions of the names of tests, and what is stated for them."""


def reason(peer: str, test: str) -> str:
    """Return the reason for a test, or :data:`UNKNOWN`."""
    for pattern, text in REASONS[peer].items():
        if re.search(pattern, test):
            return text
    return UNKNOWN


def without_parameters(test: str) -> str:
    """Return the name of a test without its parameters, and without the numbers of a parametrised class."""
    file, _, name = test.partition("::")
    name = re.sub(r"_param_\d+_\{.*?\}(?=::)", "", name.partition("[")[0])
    return f"{file.rpartition('/')[2]}::{name}"


def departures(peer: str, verdicts: Mapping[str, Verdict]) -> list[list[str | int]]:
    """Return a row for each test of the listed kinds: kind, test, number of cases, reason."""
    counter: Counter[tuple[str, str]] = Counter()
    for test, verdict in verdicts.items():
        if verdict.kind in LISTED:
            counter[verdict.kind, without_parameters(test)] += 1
    return [
        [kind, test, count, reason(peer, test)]
        for (kind, test), count in sorted(counter.items(), key=lambda item: (LISTED.index(item[0][0]), item[0][1]))
    ]
