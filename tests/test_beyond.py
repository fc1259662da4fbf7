"""The functions beyond the standard: NumPy's values, dtypes and errors on every device."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import elements, expect, few, made, operands, outcome, quiet, shapes, values_of

import xtensor as xp

BEYOND = sorted(["cross", *(name for name, module in xp._LOADED_LATER.items() if module)])
"""The namespace's functions that no chapter of the standard has."""

F4, F8, C16, I4, I8, U1, B = (np.dtype(name) for name in ("f4", "f8", "c16", "i4", "i8", "u1", "?"))
REAL = st.sampled_from([F4, F8, I4, U1, B])
ANY = st.sampled_from([F4, F8, C16, I4, U1, B])

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def with_nan(dtype, bound=100.0):
    """Values of a dtype, about a third of them NaN where it has one."""
    plain = elements(dtype, bound=bound, special=False)
    return plain | plain | st.just(math.nan) if dtype.kind in "fc" else plain


@st.composite
def holes(draw, dtypes=ANY, min_dims=0, min_side=0):
    dtype = draw(dtypes)
    shape = draw(shapes(min_dims=min_dims, min_side=min_side))
    return draw(operands(dtype, shape, with_nan(dtype)))


def axes_of(x, several=True):
    """An axis or axes of an array, or None."""
    single = st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.none()
    some = st.lists(st.integers(0, x.ndim - 1), min_size=1, unique=True).map(tuple) if x.ndim else st.none()
    return st.none() | single | some if several else st.none() | single


def close(result, expected, host, scale=1.0):
    """Compare, allowing for another order of summation."""
    dtype = np.asarray(expected).dtype
    if dtype.kind == "c":  # of a complex NaN, it is open which component is one
        expected = np.where(np.isnan(expected), math.nan, expected)
    eps = np.finfo(dtype).eps if dtype.kind in "fc" else 0.0
    finite = np.abs(np.where(np.isnan(host), 0, host).astype(C16)).max(initial=1.0)
    expect(result, expected, ulp=64, signs=False, atol=float(64 * eps * scale * finite))


# -- reductions that pass over NaN -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanvar", "nanstd"])
@given(data=st.data())
def test_nan_reduction_is_numpys(device, name, data):
    host, x = data.draw(holes())
    axis, keepdims = data.draw(axes_of(host)), data.draw(st.booleans())
    with quiet():
        wanted = getattr(np, name)(host, axis=axis, keepdims=keepdims)
    power = {"nanvar": 2, "nansum": 1}.get(name, 1)
    scale = max(host.size, 1) * 100.0 ** (power - 1)
    if name == "nanstd":
        with quiet():
            variance = np.nanvar(host, axis=axis, keepdims=keepdims)
        close(xp.square(xp.nanstd(x, axis=axis, keepdims=keepdims)), variance, host, max(host.size, 1) * 100.0)
    else:
        close(getattr(xp, name)(x, axis=axis, keepdims=keepdims), wanted, host, scale)


@given(data=st.data())
def test_nanprod_is_numpys(device, data):
    dtype = data.draw(ANY)
    few_values = st.sampled_from([1, 0] if dtype.kind in "bu" else [1, -1, 2, 0])
    values = few_values | st.just(math.nan) if dtype.kind in "fc" else few_values
    host, x = data.draw(operands(dtype, data.draw(shapes(max_side=3)), values))
    axis, keepdims = data.draw(axes_of(host)), data.draw(st.booleans())
    expect(xp.nanprod(x, axis, keepdims=keepdims), np.nanprod(host, axis, keepdims=keepdims), signs=False)


@pytest.mark.parametrize("name", ["nanmin", "nanmax"])
@given(data=st.data())
def test_nan_extreme_is_numpys(device, name, data):
    host, x = data.draw(holes(REAL))
    axis, keepdims = data.draw(axes_of(host)), data.draw(st.booleans())
    wanted = outcome(getattr(np, name), host, axis=axis, keepdims=keepdims)
    if wanted is ValueError:
        with pytest.raises(ValueError, match=r".+"):
            getattr(xp, name)(x, axis=axis, keepdims=keepdims)
    else:
        expect(getattr(xp, name)(x, axis, keepdims=keepdims), wanted, signs=False)


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
@given(data=st.data())
def test_nan_position_is_numpys(device, name, data):
    host, x = data.draw(holes(REAL, min_side=1))
    axis = data.draw(axes_of(host, several=False))
    wanted = outcome(getattr(np, name), host, axis=axis)
    if wanted is ValueError:
        with pytest.raises(ValueError, match="NaN"):
            getattr(xp, name)(x, axis)
    else:
        expect(getattr(xp, name)(x, axis), wanted)


def test_nan_position_is_never_that_of_a_nan(device):
    expect(xp.nanargmin(xp.asarray([xp.nan, xp.inf])), np.asarray(1))
    expect(xp.nanargmax(xp.asarray([xp.nan, -xp.inf])), np.asarray(1))


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
@given(data=st.data())
def test_cumulative_function_is_numpys(device, name, data):
    dtype = data.draw(ANY)
    values = st.sampled_from([1, 0] if dtype.kind in "bu" else [1, -1, 0, 2])
    values = values | st.just(math.nan) if dtype.kind in "fc" else values
    host, x = data.draw(operands(dtype, data.draw(shapes()), values))
    axis = data.draw(axes_of(host, several=False))
    with quiet():
        wanted = getattr(np, name)(host, axis)
    if np.issubdtype(dtype, np.complexfloating) and np.isnan(wanted).any():
        # Which component of a complex product is NaN depends on the order of multiplication.
        expect(xp.isnan(getattr(xp, name)(x, axis)), np.isnan(wanted))
    else:
        expect(getattr(xp, name)(x, axis), wanted, signs=False)


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean", "nancumsum", "nancumprod", "cumsum", "cumprod"])
def test_dtype_is_that_of_the_result(device, name):
    expect(getattr(xp, name)(made([1.0, 2.0]).array, dtype=F4), getattr(np, name)([1.0, 2.0], dtype=F4))


@pytest.mark.parametrize("options", [{"ddof": 1}, {"correction": 1}], ids=str)
@pytest.mark.parametrize("name", ["nanvar", "nanstd"])
def test_correction_has_two_names(device, name, options):
    host, x = made([[1.0, math.nan, 4.0], [math.nan, math.nan, 2.0]])
    with quiet():
        wanted = getattr(np, name)(host, axis=1, ddof=1)
    expect(getattr(xp, name)(x, axis=1, **options), wanted, ulp=4)


def test_correction_is_given_once(device):
    with pytest.raises(ValueError, match="two names"):
        xp.nanvar(xp.ones(3), ddof=1, correction=1)


@pytest.mark.parametrize("value", ["1", None, True], ids=repr)
def test_ddof_is_a_number(device, value):
    with pytest.raises(TypeError, match="ddof is a real number"):
        xp.nanstd(xp.ones(3), ddof=value)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_mean_dtype_is_floating(device, name):
    with pytest.raises(TypeError, match="floating-point"):
        getattr(xp, name)(xp.ones(3), dtype=I4)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd", "nanmin", "nanmax", "nanmedian"])
def test_nothing_but_nan_gives_nan_without_a_warning(device, name):
    expect(getattr(xp, name)(xp.full((2, 3), xp.nan), axis=1), np.full(2, math.nan))


@pytest.mark.parametrize("name", ["nanmin", "nanmax", "nanargmin", "nanargmax", "median", "nanmedian"])
def test_order_is_refused_for_complex_numbers(device, name):
    with pytest.raises(TypeError, match=rf"{name}\(\) takes real numbers"):
        getattr(xp, name)(xp.asarray([1j, 2.0]))


# -- medians and quantiles ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["median", "nanmedian"])
@given(data=st.data())
def test_median_is_numpys(device, name, data):
    host, x = data.draw(holes(REAL))
    axis, keepdims = data.draw(axes_of(host)), data.draw(st.booleans())
    assume(host.size or not isinstance(axis, tuple))  # where NumPy's own reshape does not know what to do
    with quiet():
        wanted = getattr(np, name)(host, axis=axis, keepdims=keepdims)
    expect(getattr(xp, name)(x, axis, keepdims=keepdims), wanted, ulp=1, signs=False)


def test_median_of_large_numbers_is_finite(device):
    expect(xp.median(xp.asarray([1.5e308, 1.7e308])), np.asarray(1.6e308), ulp=1)


METHODS = ("linear", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased")
CHOOSING = ("lower", "higher", "midpoint", "nearest")


@pytest.mark.parametrize("method", [*METHODS, *CHOOSING])
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@few
@given(data=st.data())
def test_quantile_is_numpys(device, name, method, data):
    host, x = data.draw(holes(st.just(F8), min_dims=1, min_side=1))
    q = data.draw(st.sampled_from([0.0, 0.25, 0.5, 0.3, 1.0, [0.1, 0.5], [[0.2], [0.9]], []]))
    axis, keepdims = data.draw(axes_of(host)), data.draw(st.booleans())
    with quiet():
        wanted = getattr(np, name)(host, q, axis=axis, method=method, keepdims=keepdims)
    expect(getattr(xp, name)(x, q, axis, method=method, keepdims=keepdims), wanted, ulp=16, atol=1e-12, signs=False)


def test_quantile_takes_its_parts_as_an_array(device):
    host, x = made([3.0, 1.0, 2.0])
    expect(xp.quantile(x, xp.asarray([0.0, 0.5])), np.quantile(host, [0.0, 0.5]))


def test_quantile_of_integers_is_floating(device):
    expect(xp.quantile(xp.asarray([1, 2, 4]), 0.75), np.asarray(3.0), dtype=device.default_dtypes["real floating"])


def test_infinity_spoils_no_quantile_that_it_has_no_part_in(device):
    expect(xp.quantile(xp.asarray([-xp.inf, 1.0, 2.0, xp.inf]), 0.5), np.asarray(1.5))


@pytest.mark.parametrize("q", [-0.1, 1.5, [0.5, 2.0], math.nan], ids=repr)
def test_quantile_lies_between_0_and_1(device, q):
    with pytest.raises(ValueError, match=r"q lies in \[0, 1\]"):
        xp.quantile(xp.ones(3), q)


def test_quantile_method_is_known(device):
    with pytest.raises(ValueError, match="there is no method 'cubic'.*'linear'"):
        xp.quantile(xp.ones(3), 0.5, method="cubic")


@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanmin", "median", "nanmedian"])
@pytest.mark.parametrize("axis", [2, -3, (0, 5)], ids=repr)
def test_axis_out_of_bounds_raises(device, name, axis):
    with pytest.raises(ValueError, match="axis"):
        getattr(xp, name)(xp.ones((2, 3)), axis=axis)


# -- counts, convolution, diagonals, roots -----------------------------------------------------------------------------


@given(data=st.data())
def test_bincount_is_numpys(device, data):
    dtype = data.draw(st.sampled_from([I4, I8, U1]))
    host, x = data.draw(operands(dtype, data.draw(shapes(1, 1, max_side=30)), st.integers(0, 12)))
    minlength = data.draw(st.integers(0, 20))
    expect(xp.bincount(x, minlength=minlength), np.bincount(host, minlength=minlength))


@given(data=st.data())
def test_weighted_bincount_is_numpys(device, data):
    shape = data.draw(shapes(1, 1, max_side=30))
    host, x = data.draw(operands(I8, shape, st.integers(0, 12)))
    weights, w = data.draw(operands(data.draw(REAL), shape, bound=100.0, special=False))
    expect(xp.bincount(x, weights=w), np.bincount(host, weights), dtype=F8, ulp=16, atol=1e-10, signs=False)


def test_weight_that_is_nan_stays_in_its_bin(device):
    x, w = xp.asarray([0, 1, 1, 2]), xp.asarray([1.0, xp.nan, 2.0, 3.0])
    expect(xp.bincount(x, w), np.asarray([1.0, math.nan, 3.0]))


def test_bincount_of_nothing_is_zeros(device):
    expect(xp.bincount(xp.zeros(0, dtype=I8), minlength=2), np.zeros(2, dtype=I8))


@pytest.mark.parametrize(
    ("values", "options", "error", "match"),
    [
        ([[1]], {}, ValueError, "one dimension"),
        ([-1, 2], {}, ValueError, r"."),
        ([1.0], {}, TypeError, "counts integers"),
        ([1], {"minlength": -1}, ValueError, "minlength"),
        ([1], {"minlength": 1.5}, TypeError, "minlength"),
    ],
    ids=str,
)
def test_bincount_refuses(device, values, options, error, match):
    with pytest.raises(error, match=match):
        xp.bincount(xp.asarray(values), **options)


def test_bincount_refuses_other_weights(device):
    with pytest.raises(ValueError, match="do not fit"):
        xp.bincount(xp.asarray([1, 2]), xp.ones(3))
    with pytest.raises(TypeError, match="weights are real"):
        xp.bincount(xp.asarray([1, 2]), xp.asarray([1j, 2.0]))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@given(data=st.data())
def test_convolution_is_numpys(device, mode, data):
    dtype = data.draw(st.sampled_from([I8, I4, F8, C16, B]))
    pair = [data.draw(operands(dtype, data.draw(shapes(1, 1, 1, 9)), bound=20.0, special=False)) for _ in range(2)]
    (a, x), (v, y) = pair
    expect(xp.convolve(x, y, mode), np.convolve(a, v, mode), ulp=32, atol=1e-10, signs=False)


def test_convolution_in_blocks_is_that_in_one(device, monkeypatch):
    rng = np.random.default_rng(5)
    a, v = rng.integers(0, 9, 40), rng.integers(0, 9, 17)
    monkeypatch.setattr("xtensor._beyond.convolution.BLOCK", 100)
    expect(xp.convolve(xp.asarray(a), xp.asarray(v)), np.convolve(a, v))


@pytest.mark.parametrize("shape", [(0,), (2, 2)], ids=str)
def test_convolution_refuses_shape(device, shape):
    with pytest.raises(ValueError, match="at least one element"):
        xp.convolve(xp.ones(shape), xp.ones(3))


def test_convolution_refuses_mode(device):
    with pytest.raises(ValueError, match="'full' or 'same' or 'valid'"):
        xp.convolve(xp.ones(3), xp.ones(3), "most")


@given(data=st.data(), k=st.integers(-4, 4))
def test_diag_is_numpys(device, data, k):
    host, x = data.draw(operands(data.draw(ANY), data.draw(shapes(1, 2))))
    expect(xp.diag(x, k), np.diag(host, k))


def test_diag_of_a_matrix_is_a_copy(device):
    x = xp.ones((2, 2))
    xp.diag(x)[0] = 5.0
    expect(x, np.ones((2, 2)))


@pytest.mark.parametrize("shape", [(), (2, 2, 2)], ids=str)
def test_diag_takes_vectors_and_matrices(device, shape):
    with pytest.raises(ValueError, match="a vector or a matrix"):
        xp.diag(xp.ones(shape))


@pytest.mark.parametrize(
    "coefficients",
    [[1.0, -6.0, 11.0, -6.0], [0.0, 2.0, -8.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1, 2, 1], [5.0], [0.0, 0.0], [], [1j, 1.0]],
    ids=str,
)
def test_roots_are_numpys(device, coefficients):
    host = np.asarray(coefficients)
    result = xp.roots(xp.asarray(host))
    wanted = np.sort_complex(np.roots(host))
    assert result.dtype == C16
    assert result.device is device
    np.testing.assert_allclose(np.sort_complex(values_of(result)), wanted, rtol=1e-6, atol=1e-6)


def test_roots_are_of_a_vector(device):
    with pytest.raises(ValueError, match="one dimension"):
        xp.roots(xp.ones((2, 2)))


# -- closeness ---------------------------------------------------------------------------------------------------------


@given(data=st.data(), equal_nan=st.booleans())
def test_isclose_is_numpys(device, data, equal_nan):
    shape = data.draw(shapes())
    host1, x1 = data.draw(operands(data.draw(REAL), shape))
    host2, x2 = data.draw(operands(F8, shape))
    with quiet():
        wanted = np.isclose(host1, host2, rtol=0.1, equal_nan=equal_nan)
    expect(xp.isclose(x1, x2, rtol=0.1, equal_nan=equal_nan), wanted)
    assert xp.allclose(x1, x2, rtol=0.1, equal_nan=equal_nan) is bool(wanted.all())


@pytest.mark.parametrize("scalar", [1, 0.1, math.inf, math.nan, True], ids=repr)
def test_isclose_takes_a_scalar(device, scalar):
    host, x = made([1.0, 0.1, math.inf, math.nan], F4)
    expect(xp.isclose(x, scalar, equal_nan=True), np.isclose(host, scalar, equal_nan=True))
    expect(xp.isclose(scalar, x), np.isclose(scalar, host))


def test_isclose_needs_an_array(device):
    with pytest.raises(TypeError, match="at least one xtensor Array"):
        xp.isclose(1.0, 1.0)


# -- positions, axes, padding ------------------------------------------------------------------------------------------


@given(data=st.data())
def test_put_along_axis_is_numpys(device, data):
    shape = data.draw(shapes(1, 3, 1))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    count = data.draw(st.integers(0, shape[axis]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    order = np.argsort(rng.random(shape), axis=axis)
    chosen = np.take(order, np.arange(count), axis=axis) - data.draw(st.sampled_from([0, shape[axis]]))
    host = rng.random(shape)
    x = xp.asarray(host, copy=True)
    values = rng.random(chosen.shape) if data.draw(st.booleans()) else 7.0
    np.put_along_axis(host, chosen, values, axis)
    xp.put_along_axis(x, xp.asarray(chosen), xp.asarray(values) if isinstance(values, np.ndarray) else values, axis)
    expect(x, host)


def test_put_along_no_axis_is_into_the_flattened_array(device):
    x = xp.zeros((2, 3))
    xp.put_along_axis(x, xp.asarray([1, -1]), xp.asarray([5.0, 6.0]), None)
    expect(x, np.asarray([[0.0, 5.0, 0.0], [0.0, 0.0, 6.0]]))


@pytest.mark.parametrize("index", [3, -4])
def test_put_along_axis_refuses_a_position_out_of_bounds(device, index):
    if not device.host:
        pytest.skip(f"{device} does not look at positions")
    with pytest.raises(IndexError, match="out of bounds|does not fit"):
        xp.put_along_axis(xp.zeros(3), xp.asarray([index]), 1.0, 0)


def test_put_along_axis_refuses_shapes_and_dtypes(device):
    with pytest.raises(ValueError, match="as many axes"):
        xp.put_along_axis(xp.zeros((2, 3)), xp.asarray([0]), 1.0, 1)
    with pytest.raises(TypeError, match="indices are integers"):
        xp.put_along_axis(xp.zeros(3), xp.asarray([0.0]), 1.0, 0)


@given(data=st.data())
def test_transpose_is_numpys(device, data):
    host, x = data.draw(operands(I8))
    axes = data.draw(st.none() | st.permutations(range(host.ndim)))
    expect(xp.transpose(x, axes), np.transpose(host, axes))


PADDINGS = [
    ("constant", {}),
    ("constant", {"constant_values": 3}),
    ("constant", {"constant_values": (1, 2)}),
    ("edge", {}),
    ("linear_ramp", {}),
    ("linear_ramp", {"end_values": (-5, 7)}),
    ("maximum", {}),
    ("maximum", {"stat_length": 2}),
    ("mean", {}),
    ("mean", {"stat_length": (1, 3)}),
    ("median", {}),
    ("minimum", {"stat_length": 1}),
    ("reflect", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {}),
    ("symmetric", {"reflect_type": "odd"}),
    ("wrap", {}),
]


@pytest.mark.parametrize(("mode", "options"), PADDINGS, ids=str)
@few
@given(data=st.data())
def test_pad_is_numpys(device, mode, options, data):
    dtype = data.draw(st.sampled_from([F8, I8]))
    host, x = data.draw(operands(dtype, data.draw(shapes(1, 2, 1, 4)), bound=50.0, special=False))
    width = st.integers(0, 6)
    widths = data.draw(width | st.tuples(width, width) | st.tuples(*[st.tuples(width, width)] * host.ndim))
    wanted = np.pad(host, widths, mode=mode, **options)
    expect(xp.pad(x, widths, mode=mode, **options), wanted, ulp=64, atol=1e-10, signs=False)


def test_pad_takes_a_dictionary_of_axes(device):
    expect(xp.pad(xp.ones((1, 2)), {-1: (1, 0)}), np.asarray([[0.0, 1.0, 1.0]]))


def test_pad_empty_has_the_shape_and_the_middle(device):
    result = xp.pad(xp.ones((2, 2)), ((0, 1), (2, 0)), mode="empty")
    assert result.shape == (3, 4)
    expect(result[:2, 2:], np.ones((2, 2)))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap", "maximum", "mean", "linear_ramp"])
def test_pad_of_an_empty_axis_needs_a_constant(device, mode):
    with pytest.raises(ValueError, match="use mode 'constant'"):
        xp.pad(xp.ones((0, 2)), ((1, 0), (0, 0)), mode=mode)


@pytest.mark.parametrize(
    ("widths", "options", "error", "match"),
    [
        (1, {"mode": "mirror"}, ValueError, "is none of 'constant'"),
        (1, {"mode": "edge", "constant_values": 1}, ValueError, "takes no options"),
        (-1, {}, ValueError, "0 or more"),
        (1.5, {}, TypeError, "is an integer"),
        (((1, 2), (1, 2), (1, 2)), {}, ValueError, "pad_width"),
        (1, {"mode": "reflect", "reflect_type": "both"}, ValueError, "'even' or 'odd'"),
        (1, {"mode": "mean", "stat_length": 0}, ValueError, "stat_length"),
    ],
    ids=str,
)
def test_pad_refuses(device, widths, options, error, match):
    with pytest.raises(error, match=match):
        xp.pad(xp.ones((2, 2)), widths, **options)


# -- sums over labels --------------------------------------------------------------------------------------------------

SUBSCRIPTS = [
    *("a", "a->", "ab->ba", "ab->b", "ba", "aa", "aab->ab", "aaa->a", "...a->...", "...", "a...->...a"),
    *("a,a", "a,b", "ab,bc", "ab,bc->ca", "ab,ab->ab", "ab,ab->a", "abc,abd->acd", "ab,->a", "a...,a...->..."),
    *("...ab,...bc->...ac", "ab,bc,cd", "ab,bc,cd->da", "ab,ab,ab->b", "a,b,c->abc", "abc,ab,c->", "a,ab,abc->abc"),
]


@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
@few
@given(data=st.data())
def test_einsum_is_numpys(device, subscripts, data):
    lengths = dict(zip("abcd", data.draw(st.permutations([0, 1, 2, 3]) | st.just([2, 3, 4, 2])), strict=True))
    dots = data.draw(st.lists(st.integers(0, 3), max_size=2)) if "..." in subscripts else []
    dtype = data.draw(st.sampled_from([F8, I8, C16, B]))
    pairs = []
    for part in subscripts.partition("->")[0].split(","):
        head, found, tail = part.partition("...")
        shape = [lengths[c] for c in head] + (dots if found else []) + [lengths[c] for c in tail]
        pairs.append(data.draw(operands(dtype, tuple(shape), bound=20.0, special=False)))
    wanted = np.einsum(subscripts, *(pair.host for pair in pairs))
    expect(xp.einsum(subscripts, *(pair.array for pair in pairs)), wanted, ulp=64, atol=1e-8, signs=False)


def test_einsum_takes_lists_of_labels(device):
    (a, x), (b, y) = made(np.arange(6.0).reshape(2, 3)), made(np.arange(12.0).reshape(3, 4))
    expect(xp.einsum(x, [0, 1], y, [1, 2], [2, 0]), np.einsum(a, [0, 1], b, [1, 2], [2, 0]))
    expect(xp.einsum(x, [7, 2]), np.einsum(a, [7, 2]))
    expect(xp.einsum(x, [..., 1], y[:, :2], [1, ...]), np.einsum(a, [..., 1], b[:, :2], [1, ...]))


def test_einsum_broadcasts_axes_of_length_1(device):
    (a, x), (b, y) = made(np.arange(6.0).reshape(2, 3)), made([[2.0]])
    expect(xp.einsum("ij,ij->i", x, y), np.einsum("ij,ij->i", a, b))
    expect(xp.einsum("...,...->...", x, y), np.einsum("...,...->...", a, b))


@pytest.mark.parametrize(
    "subscripts", ["ij,jk", "ijk", "i", "ij->k", "ij->ii", "i1", "i...j...", "ij->i->j", "ij,"], ids=repr
)
def test_einsum_refuses_subscripts(device, subscripts):
    with pytest.raises(ValueError, match=r"einsum\(\)"):
        xp.einsum(subscripts, xp.ones((2, 3)))


def test_einsum_refuses_lengths_that_differ(device):
    with pytest.raises(ValueError, match="labelled 'j' have lengths 3 and 2"):
        xp.einsum("ij,jk", xp.ones((2, 3)), xp.ones((2, 2)))


# -- least squares -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [F4, F8, C16, I8], ids=str)
@pytest.mark.parametrize("sides", [(), (2,)], ids=str)
@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (4, 4), (3, 0), (0, 3), (1, 1)], ids=str)
def test_lstsq_is_numpys(device, shape, sides, dtype):
    rng = np.random.default_rng(7)
    a, b = ((rng.normal(size=size) * 9).astype(dtype) for size in (shape, (shape[0], *sides)))
    wanted = np.linalg.lstsq(a, b)
    result = xp.linalg.lstsq(xp.asarray(a), xp.asarray(b))
    scale = 1e-3 if dtype == F4 else 1e-9
    for got, want in zip((result.x, result.residuals, result.s), (wanted[0], wanted[1], wanted[3]), strict=True):
        assert (got.shape, got.dtype, got.device) == (want.shape, want.dtype, device)
        np.testing.assert_allclose(values_of(got), want, rtol=scale, atol=scale)
    assert int(result.rank) == wanted[2]


@pytest.mark.parametrize("rcond", [None, 0.5, -1])
def test_lstsq_leaves_out_small_singular_values(device, rcond):
    a, b = np.diag([4.0, 1.0, 0.0]), np.asarray([4.0, 1.0, 5.0])
    wanted = np.linalg.lstsq(a, b, rcond)
    result = xp.linalg.lstsq(xp.asarray(a), xp.asarray(b), rcond)
    expect(result.x, wanted[0], ulp=8, atol=1e-12, signs=False)
    assert int(result.rank) == wanted[2]
    assert result.residuals.shape == (0,)


@pytest.mark.parametrize("shapes", [((2,), (2,)), ((2, 2), (3,)), ((2, 2, 2), (2, 2)), ((2, 2), ())], ids=str)
def test_lstsq_refuses_shapes(device, shapes):
    with pytest.raises(ValueError, match=r"lstsq\(\) takes shapes"):
        xp.linalg.lstsq(*(xp.ones(shape) for shape in shapes))


# -- derivatives, windows ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edge_order", [1, 2])
@given(data=st.data())
def test_gradient_is_numpys(device, edge_order, data):
    dtype = data.draw(st.sampled_from([F8, I8]))
    host, x = data.draw(operands(dtype, data.draw(shapes(1, 3, 3, 5)), bound=50.0, special=False))
    axis = data.draw(st.integers(-host.ndim, host.ndim - 1))
    length = host.shape[axis]
    uneven = np.cumsum(1.0 + np.arange(length) % 3)
    spacing = data.draw(st.sampled_from([None, 2.5, uneven, np.arange(length) * 0.5]))
    given_ = () if spacing is None else (spacing,)
    ours = () if spacing is None else (xp.asarray(spacing) if isinstance(spacing, np.ndarray) else spacing,)
    wanted = np.gradient(host, *given_, axis=axis, edge_order=edge_order)
    expect(xp.gradient(x, *ours, axis=axis, edge_order=edge_order), wanted, ulp=64, atol=1e-9, signs=False)


def test_gradient_is_along_every_axis(device):
    host, x = made(np.arange(12.0).reshape(3, 4) ** 2)
    results, wanted = xp.gradient(x, 2.0, [0.0, 1.0, 3.0, 4.0]), np.gradient(host, 2.0, [0.0, 1.0, 3.0, 4.0])
    for result, want in zip(results, wanted, strict=True):
        expect(result, want, ulp=8, signs=False)


@pytest.mark.parametrize(
    ("args", "options", "match"),
    [((), {"edge_order": 3}, "1 or 2"), ((1.0, 2.0, 3.0), {}, "distances"), (([1.0, 2.0], 1.0), {}, "coordinates")],
    ids=str,
)
def test_gradient_refuses(device, args, options, match):
    with pytest.raises(ValueError, match=match):
        xp.gradient(xp.ones((3, 3)), *args, **options)


def test_gradient_needs_elements(device):
    with pytest.raises(ValueError, match="too short"):
        xp.gradient(xp.ones((1, 3)), axis=0)


@pytest.mark.parametrize(
    ("window", "axis"), [(2, 0), ((2, 3), (0, 1)), ((1, 2, 3), None), ((2, 2), (1, 0)), (0, -1)], ids=str
)
def test_sliding_windows_are_numpys(device, window, axis):
    host, x = made(np.arange(24).reshape(2, 3, 4))
    wanted = np.lib.stride_tricks.sliding_window_view(host, window, axis)
    expect(xp.lib.stride_tricks.sliding_window_view(x, window, axis), wanted)


@pytest.mark.parametrize(("window", "axis"), [(5, 0), ((1, 1), (0,)), (-1, 0)], ids=str)
def test_sliding_windows_refuse(device, window, axis):
    with pytest.raises(ValueError, match="sliding_window_view"):
        xp.lib.stride_tricks.sliding_window_view(xp.ones(3), window, axis)


# -- all of them -------------------------------------------------------------------------------------------------------

FUNCTIONS = {**{name: getattr(xp, name) for name in BEYOND if name != "cross"}, "linalg.lstsq": xp.linalg.lstsq}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_names_its_source_and_every_parameter(name):
    text = inspect.getdoc(FUNCTIONS[name])
    assert f"NumPy, ``{name}``" in text
    for parameter in inspect.signature(FUNCTIONS[name]).parameters:
        assert parameter in text, f"{parameter} is not described"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_whole_numpy_array_is_refused(device, name):
    operand = np.ones((2, 2))
    args = {"einsum": ("ij->i", operand), "put_along_axis": (operand, operand, 1.0, 0)}.get(name)
    if args is None:
        required = [p for p in inspect.signature(FUNCTIONS[name]).parameters.values() if p.default is p.empty]
        args = (operand,) * sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in required)
    with pytest.raises(TypeError, match="xtensor Array"):
        FUNCTIONS[name](*args)


def test_names_beyond_the_standard_are_sorted_and_public():
    assert list(BEYOND) == sorted(set(BEYOND))
    assert set(BEYOND) <= set(xp.__all__)
