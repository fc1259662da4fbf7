"""Functions beyond the standard, other than statistics: NumPy's values, dtypes and errors on every device."""

from __future__ import annotations

import inspect
import math
import pkgutil
from importlib import import_module
from unittest import mock

import numpy as np
import pytest
from good_arguments import public_function
from hypothesis import given
from hypothesis import strategies as st
from strategies import expect, few, made, operands, quiet, shapes, values_of

import xtensor as xp
from xtensor import _ops
from xtensor_backends.numpy import _composed

BEYOND = sorted(["cross", *(name for names in _ops.NUMPY.values() for name in names)])
"""The functions of the namespace that are not in the standard."""

F4, F8, C16, I4, I8, U1, B = (np.dtype(name) for name in ("f4", "f8", "c16", "i4", "i8", "u1", "?"))
REAL = st.sampled_from([F4, F8, I4, U1, B])
ANY = st.sampled_from([F4, F8, C16, I4, U1, B])

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


# -- counts, convolution, diagonals, roots ----------------------------------------------------------------------------


@given(data=st.data())
def test_bincount_matches_numpy(device, data):
    dtype = data.draw(st.sampled_from([I4, I8, U1]))
    host, x = data.draw(operands(dtype, data.draw(shapes(1, 1, max_side=30)), st.integers(0, 12)))
    minlength = data.draw(st.integers(0, 20))
    expect(xp.bincount(x, minlength=minlength), np.bincount(host, minlength=minlength))


@given(data=st.data())
def test_weighted_bincount_matches_numpy(device, data):
    shape = data.draw(shapes(1, 1, max_side=30))
    host, x = data.draw(operands(I8, shape, st.integers(0, 12)))
    weights, w = data.draw(operands(data.draw(REAL), shape, bound=100.0, special=False))
    expect(xp.bincount(x, weights=w), np.bincount(host, weights), dtype=F8, ulp=16, atol=1e-10, signs=False)


def test_nan_weight_affects_only_its_bin(device):
    x, w = xp.asarray([0, 1, 1, 2]), xp.asarray([1.0, xp.nan, 2.0, 3.0])
    expect(xp.bincount(x, w), np.asarray([1.0, math.nan, 3.0]))


def test_bincount_takes_weights_of_other_arrays_beside_an_array(device):
    x = xp.asarray([0, 1, 1])
    expect(xp.bincount(x, [1.0, 2.0, 3.0]), np.asarray([1.0, 5.0]))
    with xp.transfers("forbid" if device.host else "allow"):
        expect(np.bincount(x, np.asarray([1.0, 2.0, 3.0])), np.asarray([1.0, 5.0]))


def test_bincount_of_an_empty_array_is_zeros(device):
    expect(xp.bincount(xp.zeros(0, dtype=I8), minlength=2), np.zeros(2, dtype=I8))


@pytest.mark.parametrize(
    ("values", "options", "error", "match"),
    [
        ([[1]], {}, ValueError, "one dimension"),
        ([-1, 2], {}, ValueError, "negative|0 or more"),
        ([1.0], {}, TypeError, "counts integers"),
        ([1], {"minlength": -1}, ValueError, "minlength"),
        ([1], {"minlength": 1.5}, TypeError, "minlength"),
    ],
    ids=str,
)
def test_bincount_refuses_invalid_arguments(device, values, options, error, match):
    with pytest.raises(error, match=match):
        xp.bincount(xp.asarray(values), **options)


def test_bincount_refuses_weights_of_another_shape_or_complex_ones(device):
    with pytest.raises(ValueError, match="do not fit"):
        xp.bincount(xp.asarray([1, 2]), xp.ones(3))
    with pytest.raises(TypeError, match="weights are real"):
        xp.bincount(xp.asarray([1, 2]), xp.asarray([1j, 2.0]))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@given(data=st.data())
def test_convolution_matches_numpy(device, mode, data):
    dtype = data.draw(st.sampled_from([I8, I4, F8, C16, B]))
    pair = [data.draw(operands(dtype, data.draw(shapes(1, 1, 1, 9)), bound=20.0, special=False)) for _ in range(2)]
    (a, x), (v, y) = pair
    expect(xp.convolve(x, y, mode), np.convolve(a, v, mode), ulp=32, atol=1e-10, signs=False)


def test_convolution_in_blocks_matches_numpy(device, monkeypatch):
    rng = np.random.default_rng(5)
    a, v = rng.integers(0, 9, 40), rng.integers(0, 9, 17)
    monkeypatch.setattr("xtensor._ops.convolution.BLOCK", 100)
    expect(xp.convolve(xp.asarray(a), xp.asarray(v)), np.convolve(a, v))


@pytest.mark.parametrize("shape", [(0,), (2, 2)], ids=str)
def test_convolution_refuses_empty_arrays_and_matrices(device, shape):
    with pytest.raises(ValueError, match="at least one element"):
        xp.convolve(xp.ones(shape), xp.ones(3))


def test_convolution_refuses_an_unknown_mode(device):
    with pytest.raises(ValueError, match="mode must be one of 'valid', 'same', or 'full' \\(got 'most'\\)"):
        xp.convolve(xp.ones(3), xp.ones(3), "most")


@given(data=st.data(), k=st.integers(-4, 4))
def test_diag_matches_numpy(device, data, k):
    host, x = data.draw(operands(data.draw(ANY), data.draw(shapes(1, 2))))
    expect(xp.diag(x, k), np.diag(host, k))


def test_diag_of_a_matrix_is_a_copy(device):
    x = xp.ones((2, 2))
    xp.diag(x)[0] = 5.0
    expect(x, np.ones((2, 2)))


@pytest.mark.parametrize("shape", [(), (2, 2, 2)], ids=str)
def test_diag_refuses_other_numbers_of_dimensions(device, shape):
    with pytest.raises(ValueError, match="a vector or a matrix"):
        xp.diag(xp.ones(shape))


@pytest.mark.parametrize(
    "coefficients",
    [[1.0, -6.0, 11.0, -6.0], [0.0, 2.0, -8.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1, 2, 1], [5.0], [0.0, 0.0], [], [1j, 1.0]],
    ids=str,
)
def test_roots_match_numpy(device, coefficients):
    host = np.asarray(coefficients)
    result = xp.roots(xp.asarray(host))
    expected = np.sort_complex(np.roots(host))
    assert result.dtype == np.roots(host).dtype
    assert result.device is device
    np.testing.assert_allclose(np.sort_complex(values_of(result)), expected, rtol=1e-6, atol=1e-6)


def test_roots_refuse_a_matrix_of_coefficients(device):
    with pytest.raises(ValueError, match="one dimension"):
        xp.roots(xp.ones((2, 2)))


# -- closeness --------------------------------------------------------------------------------------------------------


@given(data=st.data(), equal_nan=st.booleans())
def test_isclose_matches_numpy(device, data, equal_nan):
    shape = data.draw(shapes())
    host1, x1 = data.draw(operands(data.draw(REAL), shape))
    host2, x2 = data.draw(operands(F8, shape))
    with quiet():
        expected = np.isclose(host1, host2, rtol=0.1, equal_nan=equal_nan)
    expect(xp.isclose(x1, x2, rtol=0.1, equal_nan=equal_nan), expected)
    assert xp.allclose(x1, x2, rtol=0.1, equal_nan=equal_nan) is bool(expected.all())


@pytest.mark.parametrize("scalar", [1, 0.1, math.inf, math.nan, True], ids=repr)
def test_isclose_takes_a_scalar(device, scalar):
    host, x = made([1.0, 0.1, math.inf, math.nan], F4)
    expect(xp.isclose(x, scalar, equal_nan=True), np.isclose(host, scalar, equal_nan=True))
    expect(xp.isclose(scalar, x), np.isclose(scalar, host))


def test_isclose_refuses_two_scalars(device):
    with pytest.raises(TypeError, match="at least one xtensor Array"):
        xp.isclose(1.0, 1.0)


# -- assignment, axes, padding ----------------------------------------------------------------------------------------


@given(data=st.data())
def test_put_along_axis_matches_numpy(device, data):
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


def test_put_along_axis_none_assigns_to_the_flattened_array(device):
    x = xp.zeros((2, 3))
    xp.put_along_axis(x, xp.asarray([1, -1]), xp.asarray([5.0, 6.0]), None)
    expect(x, np.asarray([[0.0, 5.0, 0.0], [0.0, 0.0, 6.0]]))


@pytest.mark.parametrize("index", [3, -4])
def test_put_along_axis_refuses_an_index_out_of_bounds(device, index):
    if not device.host:
        pytest.skip(f"{device} does not check index bounds")
    with pytest.raises(IndexError, match="out of bounds|does not fit"):
        xp.put_along_axis(xp.zeros(3), xp.asarray([index]), 1.0, 0)


def test_put_along_axis_refuses_shapes_and_dtypes(device):
    with pytest.raises(ValueError, match="as many axes as the array"):
        xp.put_along_axis(xp.zeros((2, 3)), xp.asarray([0]), 1.0, 1)
    with pytest.raises(IndexError, match="must be an integer array"):
        xp.put_along_axis(xp.zeros(3), xp.asarray([0.0]), 1.0, 0)


@given(data=st.data())
def test_transpose_matches_numpy(device, data):
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
def test_pad_matches_numpy(device, mode, options, data):
    dtype = data.draw(st.sampled_from([F8, I8]))
    host, x = data.draw(operands(dtype, data.draw(shapes(1, 2, 1, 4)), bound=50.0, special=False))
    width = st.integers(0, 6)
    widths = data.draw(width | st.tuples(width, width) | st.tuples(*[st.tuples(width, width)] * host.ndim))
    expected = np.pad(host, widths, mode=mode, **options)
    expect(xp.pad(x, widths, mode=mode, **options), expected, ulp=64, atol=1e-10, signs=False)


def test_pad_takes_a_dictionary_of_axes(device):
    expect(xp.pad(xp.ones((1, 2)), {-1: (1, 0)}), np.asarray([[0.0, 1.0, 1.0]]))


@pytest.mark.parametrize("mode", ["constant", "edge"])
def test_pad_of_a_scalar_has_no_axis_to_pad(device, mode):
    expect(xp.pad(xp.asarray(3.0), 0, mode=mode), np.asarray(3.0))


def test_pad_empty_has_the_padded_shape_and_keeps_the_array(device):
    result = xp.pad(xp.ones((2, 2)), ((0, 1), (2, 0)), mode="empty")
    assert result.shape == (3, 4)
    expect(result[:2, 2:], np.ones((2, 2)))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap", "maximum", "mean", "linear_ramp"])
def test_pad_of_an_empty_axis_is_refused_except_with_a_constant(device, mode):
    with pytest.raises(ValueError, match="can't extend empty axis 0 using modes other than 'constant' or 'empty'"):
        xp.pad(xp.ones((0, 2)), ((1, 0), (0, 0)), mode=mode)


@pytest.mark.parametrize(
    ("widths", "options", "error", "match"),
    [
        (1, {"mode": "mirror"}, ValueError, "is not supported; pad\\(\\) has the modes 'constant'"),
        (1, {"mode": "edge", "constant_values": 1}, ValueError, "takes no options"),
        (-1, {}, ValueError, "0 or more"),
        (1.5, {}, TypeError, "must be of integral type"),
        (((1, 2), (1, 2), (1, 2)), {}, ValueError, "pad_width"),
        (1, {"mode": "reflect", "reflect_type": "both"}, ValueError, "'even' or 'odd'"),
        (1, {"mode": "mean", "stat_length": 0}, ValueError, "stat_length"),
    ],
    ids=str,
)
def test_pad_refuses_invalid_arguments(device, widths, options, error, match):
    with pytest.raises(error, match=match):
        xp.pad(xp.ones((2, 2)), widths, **options)


# -- Einstein summation -----------------------------------------------------------------------------------------------

SUBSCRIPTS = [
    *("a", "a->", "ab->ba", "ab->b", "ba", "aa", "aab->ab", "aaa->a", "...a->...", "...", "a...->...a"),
    *("a,a", "a,b", "ab,bc", "ab,bc->ca", "ab,ab->ab", "ab,ab->a", "abc,abd->acd", "ab,->a", "a...,a...->..."),
    *("...ab,...bc->...ac", "ab,bc,cd", "ab,bc,cd->da", "ab,ab,ab->b", "a,b,c->abc", "abc,ab,c->", "a,ab,abc->abc"),
]


@pytest.mark.parametrize("most_products", [0, 2**13], ids=["matrices", "one pass"])
@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
@few
@given(data=st.data())
def test_einsum_matches_numpy(device, subscripts, most_products, data):
    lengths = dict(zip("abcd", data.draw(st.permutations([0, 1, 2, 3]) | st.just([2, 3, 4, 2])), strict=True))
    dots = data.draw(st.lists(st.integers(0, 3), max_size=2)) if "..." in subscripts else []
    dtype = data.draw(st.sampled_from([F8, I8, C16, B]))
    pairs = []
    for part in subscripts.partition("->")[0].split(","):
        head, dots_part, tail = part.partition("...")
        shape = [lengths[c] for c in head] + (dots if dots_part else []) + [lengths[c] for c in tail]
        pairs.append(data.draw(operands(dtype, tuple(shape), bound=20.0, special=False)))
    expected = np.einsum(subscripts, *(pair.host for pair in pairs))
    with mock.patch.object(_composed, "MOST_PRODUCTS", most_products):
        result = xp.einsum(subscripts, *(pair.array for pair in pairs))
    expect(result, expected, ulp=64, atol=1e-8, signs=False)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_ravel_of_elements_apart_in_memory_is_a_copy(order):
    for view in (lambda x: x[::2], lambda x: x[1::3, None], lambda x: x[::-1], lambda x: x[None, ::2]):
        host, x = np.arange(6.0), xp.arange(6.0, device="cpu")
        for array in (host, x):
            flat = view(array).ravel(order)
            flat += 1.0
            flat = np.ravel(view(array), order)
            flat += 1.0
        np.testing.assert_array_equal(xp.to_numpy(x), host)


@pytest.mark.parametrize("function", [np.einsum, xp.einsum])
@pytest.mark.parametrize("dtype", [B, I8, np.dtype("float16"), F8, C16])
def test_einsum_that_adds_nothing_up_is_a_view_on_the_host(dtype, function):
    for subscripts, shape in [("ii->i", (3, 3)), ("ij->ji", (2, 3)), ("i...->...i", (2, 3)), ("iij->ji", (2, 2, 3))]:
        x = xp.zeros(shape, dtype=dtype, device="cpu")
        expected = np.zeros(shape, dtype)
        view = function(subscripts, x)
        view[...] = 1
        np.einsum(subscripts, expected)[...] = 1
        np.testing.assert_array_equal(xp.to_numpy(x), expected)


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
def test_einsum_refuses_malformed_subscripts(device, subscripts):
    with pytest.raises(ValueError, match=r"einsum\(\)"):
        xp.einsum(subscripts, xp.ones((2, 3)))


def test_einsum_refuses_a_diagonal_of_different_lengths(device):
    with pytest.raises(ValueError, match="for collapsing index 'i' don't match"):
        xp.einsum("ii->i", xp.ones((1, 3)))


def test_einsum_refuses_different_lengths_of_a_label(device):
    with pytest.raises(ValueError, match="labelled 'j' have lengths 3 and 2"):
        xp.einsum("ij,jk", xp.ones((2, 3)), xp.ones((2, 2)))


# -- derivatives, windows ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edge_order", [1, 2])
@given(data=st.data())
def test_gradient_matches_numpy(device, edge_order, data):
    dtype = data.draw(st.sampled_from([F8, I8]))
    host, x = data.draw(operands(dtype, data.draw(shapes(1, 3, 3, 5)), bound=50.0, special=False))
    axis = data.draw(st.integers(-host.ndim, host.ndim - 1))
    length = host.shape[axis]
    uneven = np.cumsum(1.0 + np.arange(length) % 3)
    spacing = data.draw(st.sampled_from([None, 2.5, uneven, np.arange(length) * 0.5]))
    numpy_spacing = () if spacing is None else (spacing,)
    own_spacing = () if spacing is None else (xp.asarray(spacing) if isinstance(spacing, np.ndarray) else spacing,)
    expected = np.gradient(host, *numpy_spacing, axis=axis, edge_order=edge_order)
    expect(xp.gradient(x, *own_spacing, axis=axis, edge_order=edge_order), expected, ulp=64, atol=1e-9, signs=False)


def test_gradient_along_every_axis_matches_numpy(device):
    host, x = made(np.arange(12.0).reshape(3, 4) ** 2)
    results, expected = xp.gradient(x, 2.0, [0.0, 1.0, 3.0, 4.0]), np.gradient(host, 2.0, [0.0, 1.0, 3.0, 4.0])
    for result, reference in zip(results, expected, strict=True):
        expect(result, reference, ulp=8, signs=False)


@pytest.mark.parametrize(
    ("args", "options", "error", "match"),
    [
        ((), {"edge_order": 3}, ValueError, "1 or 2"),
        ((1.0, 2.0, 3.0), {}, TypeError, "distances"),
        (([1.0, 2.0], 1.0), {}, ValueError, "coordinates"),
    ],
    ids=str,
)
def test_gradient_refuses_invalid_arguments(device, args, options, error, match):
    with pytest.raises(error, match=match):
        xp.gradient(xp.ones((3, 3)), *args, **options)


def test_gradient_refuses_an_axis_that_is_too_short(device):
    with pytest.raises(ValueError, match="too short"):
        xp.gradient(xp.ones((1, 3)), axis=0)


@pytest.mark.parametrize(
    ("window", "axis"), [(2, 0), ((2, 3), (0, 1)), ((1, 2, 3), None), ((2, 2), (1, 0)), (0, -1)], ids=str
)
def test_sliding_windows_match_numpy(device, window, axis):
    host, x = made(np.arange(24).reshape(2, 3, 4))
    expected = np.lib.stride_tricks.sliding_window_view(host, window, axis)
    expect(xp.lib.stride_tricks.sliding_window_view(x, window, axis), expected)


@pytest.mark.parametrize(("window", "axis"), [(5, 0), ((1, 1), (0,)), (-1, 0)], ids=str)
def test_sliding_windows_refuse_windows_that_do_not_fit(device, window, axis):
    with pytest.raises(ValueError, match="sliding_window_view"):
        xp.lib.stride_tricks.sliding_window_view(xp.ones(3), window, axis)


# -- all functions ----------------------------------------------------------------------------------------------------

EXTENSIONS = (
    "linalg.cond",
    "linalg.lstsq",
    "linalg.multi_dot",
    "linalg.norm",
    "linalg.tensorinv",
    "linalg.tensorsolve",
)
EXTENSIONS += ("fft.fft2", "fft.ifft2", "fft.irfft2", "fft.rfft2")
FUNCTIONS = {
    **{name: getattr(xp, name) for name in BEYOND if name != "cross" and callable(getattr(xp, name))},
    **{name: public_function(name) for name in EXTENSIONS},
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_names_its_source_and_every_parameter(name):
    text = inspect.getdoc(FUNCTIONS[name])
    assert f"NumPy, ``{name}``" in text
    for parameter in inspect.signature(FUNCTIONS[name]).parameters:
        assert parameter in text, f"{parameter} is not described"


def test_namespace_offers_every_function_of_the_modules():
    found = pkgutil.walk_packages(_ops.__path__, "xtensor._ops.")
    modules = [import_module(module.name) for module in found if "._" not in module.name.removeprefix("xtensor._ops")]
    assert sorted(name for module in modules for name in getattr(module, "__all__", ())) == sorted(_ops._MODULES)
    assert set(_ops.NAMES) | {"cross"} <= set(xp.__all__)


def test_sliding_windows_on_the_host_are_a_read_only_view():
    host = np.arange(6.0)
    windows = xp.lib.stride_tricks.sliding_window_view(xp.asarray(host, device="numpy"), 3)
    assert np.shares_memory(np.asarray(windows), host)
    with pytest.raises(ValueError, match="read-only"):
        windows[0, 0] = 1.0
