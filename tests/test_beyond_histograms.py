"""Histograms and bins: NumPy's values, dtypes and errors on every device."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import expect, few, made, operands, shapes

import xtensor as xp
from xtensor_backends.numpy import _composed

F4, F8, C16, I4, I8, U1, B = (np.dtype(name) for name in ("f4", "f8", "c16", "i4", "i8", "u1", "?"))
REAL = st.sampled_from([F4, F8, I4, I8, U1])

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def agree(results, expected, ulp=0):
    """Compare tuples of results, and lists in them."""
    for result, reference in zip(results, expected, strict=True):
        if isinstance(reference, (list, tuple)):
            agree(result, reference, ulp)
        else:
            expect(result, reference, ulp=ulp, signs=False)


# -- bins -------------------------------------------------------------------------------------------------------------


@given(data=st.data(), right=st.booleans(), descending=st.booleans())
def test_digitize_matches_numpy(device, data, right, descending):
    values = st.sampled_from([0, 1, 2, 3, 5, 7])
    host, x = data.draw(operands(data.draw(REAL), data.draw(shapes(max_dims=2)), values))
    edges = sorted(data.draw(st.lists(values, max_size=5)), reverse=descending)
    bins = np.asarray(edges, dtype=data.draw(REAL))
    expect(xp.digitize(x, xp.asarray(bins), right), np.digitize(host, bins, right))


def test_digitize_of_nan_is_behind_all_bins(device):
    host, x = made([math.nan, -math.inf, math.inf, 1.0])
    expect(xp.digitize(x, [0.0, 1.0]), np.digitize(host, [0.0, 1.0]))
    expect(xp.digitize([0.5, 1], x[3:]), np.digitize([0.5, 1], host[3:]))


@pytest.mark.parametrize(
    ("x", "bins", "error", "match"),
    [
        ([1.0], [0.0, 2.0, 1.0], ValueError, "bins must be monotonically increasing or decreasing"),
        ([1j], [0.0, 2.0], TypeError, "x may not be complex"),
        ([1.0], [[0.0, 2.0]], ValueError, "object too deep for desired array"),
        ([1.0], 1.0, ValueError, "object of too small depth for desired array"),
    ],
    ids=str,
)
def test_digitize_refuses_arguments_as_numpy(device, x, bins, error, match):
    for library in (xp, np):
        with pytest.raises(error, match=match):
            library.digitize(library.asarray(x), library.asarray(bins))


# -- histograms -------------------------------------------------------------------------------------------------------

BINS = [
    1,
    4,
    10,
    [0, 1, 2, 5],
    [0.5, 1.5, 1.5, 3.0],
    [2],
    [1, 1],
    "auto",
    "fd",
    "doane",
    "scott",
    "rice",
    "sturges",
    "sqrt",
]


@pytest.mark.parametrize("bins", BINS, ids=str)
@few
@given(data=st.data(), density=st.booleans())
def test_histogram_matches_numpy(device, bins, data, density):
    dtype = data.draw(REAL)
    host, x = data.draw(operands(dtype, data.draw(shapes(max_side=9)), bound=9.0, special=False))
    limits = data.draw(st.sampled_from([None, (0, 4), (0.5, 2.5), (1, 1)]))
    own_bins = xp.asarray(bins) if isinstance(bins, list) else bins
    edges = np.histogram_bin_edges(host, bins, limits)
    expect(xp.histogram_bin_edges(x, own_bins, limits), edges, signs=False)
    agree(xp.histogram(x, own_bins, limits, density), np.histogram(host, bins, limits, density), 4 * density)


@few
@given(data=st.data(), density=st.booleans())
def test_weighted_histogram_matches_numpy(device, data, density):
    shape = data.draw(shapes(max_side=9))
    host, x = data.draw(operands(data.draw(REAL), shape, bound=9.0, special=False))
    weights, w = data.draw(operands(data.draw(st.sampled_from([F4, F8, I4, U1])), shape, st.integers(1, 5)))
    bins = data.draw(st.sampled_from([3, [0, 1, 2.5, 5]]))
    agree(xp.histogram(x, bins, None, density, w), np.histogram(host, bins, None, density, weights), 4 * density)


def test_complex_weights_match_numpy(device):
    (host, x), (weights, w) = made([0.0, 1.0, 1.5, 3.0]), made([1j, 2.0, 1 - 1j, 4.0])
    agree(xp.histogram(x, 3, weights=w), np.histogram(host, 3, weights=weights))


def test_samples_at_edges_match_numpy(device):
    host, x = made(np.arange(1001) / 10)
    agree(xp.histogram(x, 1000), np.histogram(host, 1000))
    agree(xp.histogram(xp.astype(x, F4), 77), np.histogram(host.astype(F4), 77))


@pytest.mark.parametrize("bins", ["auto", "fd", "doane", "scott", "rice", "sturges", "sqrt", "stone"])
@pytest.mark.parametrize("dtype", [F8, I8], ids=str)
def test_rules_for_the_number_of_bins_match_numpy(device, bins, dtype):
    host, x = made(np.random.default_rng(3).normal(5.0, 20.0, 60).astype(dtype))
    expect(xp.histogram_bin_edges(x, bins), np.histogram_bin_edges(host, bins))
    expect(xp.histogram_bin_edges(x, bins, (-10, 10)), np.histogram_bin_edges(host, bins, (-10, 10)))


def test_samples_outside_the_range_and_nan_are_not_counted(device):
    host, x = made([math.nan, -1.0, 0.0, 0.5, 2.0, math.inf])
    agree(xp.histogram(x, 2, (0, 2)), np.histogram(host, 2, (0, 2)))
    agree(xp.histogram(x, xp.asarray([0.0, 1.0, 2.0])), np.histogram(host, [0.0, 1.0, 2.0]))


@pytest.mark.parametrize("most", [0, _composed.MOST_EDGES])
@pytest.mark.parametrize("bins", [1, 10, 1000, 3000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_counts_do_not_depend_on_the_way(monkeypatch, most, bins, dtype):
    """The numbers of the bins are computed, or found in the sorted samples."""
    monkeypatch.setattr(_composed, "MOST_EDGES", most)
    edges = np.linspace(-3, 3, bins + 1).astype(dtype)
    rng = np.random.default_rng(bins)
    host = np.concatenate([rng.standard_normal(100_000) * 2, edges, np.nextafter(edges, 9), np.nextafter(edges, -9)])
    host = np.append(rng.permutation(host), [np.nan, np.inf, -np.inf]).astype(dtype)
    x = xp.asarray(host, device="numpy")
    counts, _ = xp.histogram(x, xp.asarray(edges, device="numpy"))
    np.testing.assert_array_equal(xp.to_numpy(counts), np.histogram(host[np.isfinite(host)], edges)[0])


def test_histogram_takes_lists_and_booleans(device):
    expect(xp.histogram([1, 2, 2], xp.asarray([1, 2, 3]))[0], np.asarray([1, 2]))
    expect(xp.histogram(xp.asarray([True, False, True]), 2)[0], np.asarray([1, 2]))
    expect(xp.histogram(xp.asarray([1.0, 2.0]), 2, (xp.asarray(0.0), 2.0))[1], np.asarray([0.0, 1.0, 2.0]))


ERRORS = [
    ({"bins": "best"}, ValueError, "'best' is not a valid estimator for `bins`"),
    ({"bins": "auto", "weights": [1, 1]}, TypeError, "Automated estimation of the number of bins is not supported for"),
    ({"bins": 0}, ValueError, "`bins` must be positive, when an integer"),
    ({"bins": 1.5}, TypeError, "`bins` must be an integer, a string, or an array"),
    ({"bins": [[1, 2]]}, ValueError, "`bins` must be 1d, when an array"),
    ({"bins": [2, 1]}, ValueError, "`bins` must increase monotonically, when an array"),
    ({"range": (2, 1)}, ValueError, "max must be larger than min in range parameter."),
    ({"range": (0, math.inf)}, ValueError, r"supplied range of \[0, inf\] is not finite"),
    ({"weights": [1, 1, 1]}, ValueError, "weights should have the same shape as a."),
    (
        {"range": (1.0, np.nextafter(1.0, 2.0))},
        ValueError,
        "Too many bins for data range. Cannot create 10 finite-sized",
    ),
]


@pytest.mark.parametrize("name", ["histogram", "histogram_bin_edges"])
@pytest.mark.parametrize(("options", "error", "match"), ERRORS, ids=str)
def test_histogram_refuses_arguments_as_numpy(device, name, options, error, match):
    for library in (xp, np):
        with pytest.raises(error, match=match):
            getattr(library, name)(library.asarray([0.0, 1.0]), **options)


def test_range_that_is_not_finite_is_refused(device):
    for library in (xp, np):
        with pytest.raises(ValueError, match=r"autodetected range of \[nan, nan\] is not finite"):
            library.histogram(library.asarray([0.0, math.nan]))


def test_complex_samples_are_refused(device):
    with pytest.raises(TypeError, match=r"histogram\(\) takes real numbers"):
        xp.histogram(xp.asarray([1j]))


# -- grids ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bins", [3, [2, 4], [[0, 1, 3], 2], [[0.0, 1.5, 4.0], [0, 2, 4]]], ids=str)
@few
@given(data=st.data(), density=st.booleans(), weighted=st.booleans())
def test_grid_matches_numpy(device, bins, data, density, weighted):
    count = data.draw(st.integers(1, 12))
    host, x = data.draw(operands(data.draw(st.sampled_from([F4, F8, I8])), (count, 2), st.integers(0, 4)))
    limits = data.draw(st.sampled_from([None, [(0, 3), None], [(0, 4), (1.0, 2.5)]]))
    weights = np.arange(1.0, count + 1) if weighted else None
    w = None if weights is None else xp.asarray(weights)
    expected = np.histogramdd(host, bins, limits, density, weights)
    agree(xp.histogramdd(x, bins, limits, density, w), expected, 8 * density)
    expected = np.histogram2d(host[:, 0], host[:, 1], bins, limits, density, weights)
    agree(xp.histogram2d(x[:, 0], x[:, 1], bins, limits, density, w), expected, 8 * density)


def test_edges_of_a_grid_may_serve_both_axes(device):
    (host1, x1), (host2, x2) = made([0.5, 1.5, 2.5, 0.1]), made([1, 2, 3, 0])
    edges = [0.0, 1.0, 2.0, 3.0]
    agree(xp.histogram2d(x1, x2, xp.asarray(edges)), np.histogram2d(host1, host2, edges))


@pytest.mark.parametrize("count", [1, 3])
def test_grids_of_other_dimensions_match_numpy(device, count):
    host = np.random.default_rng(1).normal(size=(20, count))
    columns = [xp.asarray(host[:, i]) for i in range(count)]
    expected = np.histogramdd(host, 3)
    agree(xp.histogramdd(xp.asarray(host), 3), expected)
    agree(xp.histogramdd(columns, 3), expected)


def test_vector_is_a_sample_of_one_dimension(device):
    host, x = made([1.0, 2.0, 4.0, math.nan])
    agree(xp.histogramdd(x, [[0.0, 2.0, 4.0]]), np.histogramdd(host, [[0.0, 2.0, 4.0]]))


GRID_ERRORS = [
    ({"bins": [1, 2, 3]}, ValueError, "The dimension of bins must be equal to the dimension of the sample x."),
    ({"range": [(0, 1)]}, ValueError, "range argument must have one entry per dimension"),
    ({"bins": [2, 0]}, ValueError, r"`bins\[1\]` must be positive, when an integer"),
    ({"bins": [1.5, 2]}, TypeError, r"`bins\[0\]` must be an integer, when a scalar"),
    ({"bins": [[1, 0], 2]}, ValueError, r"`bins\[0\]` must be monotonically increasing, when an array"),
    ({"bins": [[[1, 2]], 2]}, ValueError, r"`bins\[0\]` must be a scalar or 1d array"),
    ({"weights": [1.0]}, ValueError, "The weights and list don't have the same length."),
]


@pytest.mark.parametrize(("options", "error", "match"), GRID_ERRORS, ids=str)
def test_grid_refuses_arguments_as_numpy(device, options, error, match):
    for library in (xp, np):
        with pytest.raises(error, match=match):
            library.histogramdd(library.asarray([[0.0, 1.0], [1.0, 2.0]]), **options)


def test_grid_of_coordinates_of_two_lengths_is_refused(device):
    for library in (xp, np):
        with pytest.raises(ValueError, match="x and y must have the same length."):
            library.histogram2d(library.ones(3), library.ones(2))
