"""Names and cases of NumPy code that Arrays take: grids, windows, copies, complex order, flat assignment, lists."""

from __future__ import annotations

import itertools
import math
import operator
from fractions import Fraction

import numpy as np
import pytest

import xtensor as xp


def values(x: xp.Array) -> list[object]:
    return xp.to_numpy(x).tolist()  # type: ignore[no-any-return]


# -- grids, joined arrays, keys ---------------------------------------------------------------------------------------


def test_mgrid_has_an_array_for_each_axis(device):
    assert values(xp.mgrid[0:2, 1:4]) == [[[0, 0, 0], [1, 1, 1]], [[1, 2, 3], [1, 2, 3]]]


def test_mgrid_with_an_imaginary_step_has_that_many_points_and_the_stop(device):
    assert values(xp.mgrid[0:1:5j]) == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_ogrid_has_axes_that_broadcast(device):
    rows, columns = xp.ogrid[0:2, 1:4]
    assert values(rows) == [[0], [1]]
    assert values(columns) == [[1, 2, 3]]


@pytest.mark.parametrize("key", [3, slice(1, None), ()])
def test_grid_of_anything_but_slices_with_a_stop_is_refused(key):
    with pytest.raises(TypeError, match=r"mgrid\[...\]"):
        xp.mgrid[(key,) if key == 3 else key]


def test_r_joins_arrays_numbers_and_slices(device):
    x = xp.asarray([7, 8])
    assert values(xp.r_[x, 1, 2:5]) == [7, 8, 1, 2, 3, 4]


def test_c_joins_columns(device):
    x = xp.asarray([7, 8])
    assert values(xp.c_[x, x + 1]) == [[7, 8], [8, 9]]


def test_directive_of_r_is_refused_with_a_remedy(device):
    with pytest.raises(TypeError, match=r"'0,2'.*xtensor.stack"):
        xp.r_["0,2", xp.asarray([1])]


def test_keys_are_those_of_the_index_expression():
    assert xp.s_[1:2] == slice(1, 2)
    assert xp.index_exp[1:2] == (slice(1, 2),)
    assert xp.index_exp[..., 0] == (Ellipsis, 0)


def test_broadcast_has_the_common_shape_and_iterates_over_elements(device):
    b = xp.broadcast(xp.asarray([[1], [2]]), xp.asarray([3, 4]))
    assert (b.shape, b.ndim, b.nd, b.size, b.numiter) == ((2, 2), 2, 2, 4, 2)
    assert [tuple(int(x) for x in pair) for pair in b] == [(1, 3), (1, 4), (2, 3), (2, 4)]


# -- windows ----------------------------------------------------------------------------------------------------------


def exact_window(name: str, count: int) -> list[float]:
    if count == 1:
        return [1.0]
    angles = [math.pi * float(Fraction(2 * n - (count - 1), count - 1)) for n in range(count)]
    a, b, c = {"hanning": (0.5, 0.5, 0.0), "hamming": (0.54, 0.46, 0.0), "blackman": (0.42, 0.5, 0.08)}[name]
    return [a + b * math.cos(angle) + c * math.cos(2 * angle) for angle in angles]


@pytest.mark.parametrize("count", [1, 2, 5, 8])
@pytest.mark.parametrize("name", ["hanning", "hamming", "blackman"])
def test_window_of_cosines_has_the_values_of_its_formula(device, name, count):
    np.testing.assert_allclose(xp.to_numpy(getattr(xp, name)(count)), exact_window(name, count), rtol=0, atol=2e-7)


def test_bartlett_is_a_triangle(device):
    assert values(xp.bartlett(5)) == [0.0, 0.5, 1.0, 0.5, 0.0]
    assert values(xp.bartlett(1)) == [1.0]


def test_kaiser_has_the_values_of_its_series(device):
    def i0(x: float) -> float:
        return math.fsum((x / 2) ** (2 * k) / math.factorial(k) ** 2 for k in range(60))

    expected = [i0(6 * math.sqrt(1 - r * r)) / i0(6) for r in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    np.testing.assert_allclose(xp.to_numpy(xp.kaiser(5, 6.0)), expected, rtol=1e-6)


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
def test_window_without_points_is_empty(device, name):
    assert getattr(xp, name)(0).shape == getattr(xp, name)(-3).shape == (0,)


# -- copies and types -------------------------------------------------------------------------------------------------


def test_copy_has_memory_of_its_own(device):
    x = xp.asarray([1, 2])
    y = xp.copy(x)
    y[0] = 9
    assert values(x) == [1, 2]


def test_around_rounds_halves_to_the_even_digit(device):
    assert values(xp.around(xp.asarray([0.25, 0.75, -0.25], dtype=xp.float64), 1)) == [0.2, 0.8, -0.2]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_array_that_is_not_finite_is_refused(device, bad):
    with pytest.raises(ValueError, match=r"^array must not contain infs or NaNs"):
        xp.asarray_chkfinite(xp.asarray([1.0, bad]))
    x = xp.asarray([1.0, 2.0])
    assert xp.asarray_chkfinite(x) is x


def test_types_are_numpys():
    assert xp.issubdtype(xp.float32, np.floating)
    assert not xp.issubdtype(xp.int32, np.floating)
    assert xp.isscalar(3.0)
    assert not xp.isscalar(xp.asarray(3.0))


def test_vectorize_returns_arrays(device):
    x = xp.asarray([1.0, 4.0])
    with xp.transfers("allow"):
        result = xp.vectorize(lambda value: value + 1)(x)
    assert result.device is device
    assert values(result) == [2.0, 5.0]


def test_vectorize_with_options_is_a_decorator():
    @xp.vectorize(otypes=["float32"])
    def half(value):
        return value / 2

    result = half(xp.asarray([1, 3], device="cpu"))
    assert (values(result), result.dtype) == ([0.5, 1.5], xp.float32)


@pytest.mark.parametrize(("name", "method"), [("uniform", "uniform"), ("randn", "standard_normal"), ("rand", "random")])
def test_function_of_the_global_generator_has_a_remedy(name, method):
    with pytest.raises(AttributeError, match=rf"default_rng\(seed\), and call rng.{method}$"):
        getattr(xp.random, name)


@pytest.mark.parametrize(("name", "method"), [("randn", "standard_normal"), ("randint", "integers")])
def test_method_that_a_generator_lacks_has_a_remedy(name, method):
    rng = xp.random.default_rng(0)
    with pytest.raises(AttributeError, match=rf"numpy.random.{name} is rng.{method} of a generator$"):
        getattr(rng, name)
    assert name not in dir(rng)


def test_message_for_an_unknown_option_names_the_class_of_the_generator():
    message = r"^Generator\.normal\(\) got an unexpected keyword argument 'scales'"
    with pytest.raises(TypeError, match=message + r"(\. Did you mean 'scale'\?)?$"):  # Python 3.13 asks
        xp.random.default_rng(0).normal(scales=2.0)


# -- complex numbers in order, cases at the edges ---------------------------------------------------------------------

COMPLEX = [1 + 2j, 0.5j, complex(math.nan, 1.0), 0.25j]


def test_extremes_of_complex_numbers_are_in_the_order_of_real_and_imaginary_parts(device):
    x = xp.asarray(COMPLEX)
    assert complex(xp.nanmin(x)) == 0.25j
    assert complex(xp.nanmax(x)) == 1 + 2j
    assert int(xp.nanargmin(x)) == 3
    assert int(xp.nanargmax(x)) == 0
    assert values(xp.nanmax(xp.reshape(x, (2, 2)), axis=0)) == [1 + 2j, 0.5j]


def test_median_of_complex_numbers_is_in_the_same_order(device):
    x = xp.asarray([3 + 0j, 1 + 2j, 1 + 1j])
    assert complex(xp.median(x)) == 1 + 2j
    assert complex(xp.median(x[:2])) == 2 + 1j
    assert math.isnan(complex(xp.median(xp.asarray(COMPLEX))).real)
    assert complex(xp.nanmedian(xp.asarray(COMPLEX))) == 0.5j


def test_digitize_takes_a_nan_after_the_first_edges(device):
    x = xp.asarray([math.nan, 1.5])
    assert values(xp.digitize(x, xp.asarray([1.0, 2.0, math.nan]))) == [3, 1]
    with pytest.raises(ValueError, match="monotonically"):
        xp.digitize(x, xp.asarray([math.nan, 1.0, 2.0]))


def test_partition_of_nothing_has_no_position_out_of_bounds(device):
    assert xp.partition(xp.zeros((0, 3)), 5).shape == (0, 3)
    assert xp.argpartition(xp.zeros((0,)), 0).shape == (0,)


def test_order_of_a_0_d_array_is_one_index(lenient_device):
    assert values(np.argsort(xp.asarray(2.5))) == [0]


def test_take_of_a_0_d_array_along_its_axis(lenient_device):
    assert np.take(xp.asarray(2.5), 0, axis=0).shape == ()
    assert values(np.take(xp.asarray(2.5), [0, 0], axis=-1)) == [2.5, 2.5]
    with pytest.raises(IndexError):
        np.take(xp.asarray(2.5), 1, axis=0)


@pytest.mark.parametrize(
    ("key", "given", "expected"),
    [
        (slice(None), [1, 2], [1, 2, 1, 2, 1, 2]),
        (slice(1, 5), [7], [0, 7, 7, 7, 7, 5]),
        (slice(None), list(range(10, 20)), [10, 11, 12, 13, 14, 15]),
        (slice(None), [], [0, 1, 2, 3, 4, 5]),
        (slice(None, None, 2), [[8], [9]], [8, 1, 9, 3, 8, 5]),
    ],
    ids=str,
)
def test_values_assigned_to_flat_are_repeated_or_left_out(device, key, given, expected):
    x = xp.reshape(xp.arange(6), (2, 3))
    x.flat[key] = given
    assert values(xp.reshape(x, (-1,))) == expected


@pytest.mark.parametrize("dtype", ["int16", "int64", "float32", "complex64", "complex128"])
def test_byteswap_reverses_the_bytes_of_each_component(device, dtype):
    a = np.arange(1, 5).astype(dtype).reshape(2, 2)
    x = xp.asarray(a, copy=True)
    component = 2 if a.dtype.kind == "c" else 1
    size = a.dtype.itemsize // component
    expected = b"".join(a.tobytes()[i : i + size][::-1] for i in range(0, a.nbytes, size))
    with xp.transfers("allow"):
        assert xp.to_numpy(x.byteswap()).tobytes() == expected
        assert xp.to_numpy(x).tobytes() == a.tobytes()
        assert x.byteswap(inplace=True) is x
    assert xp.to_numpy(x).tobytes() == expected


def test_transform_of_booleans_is_that_of_numbers(lenient_device):
    x = xp.asarray([True, False, True, True])
    assert values(xp.fft.fft(x)) == [3, 1j, 1, -1j]
    assert values(xp.fft.fft(x, norm=None)) == [3, 1j, 1, -1j]


def test_triangle_of_a_vector_has_equal_rows(lenient_device):
    x = xp.asarray([1, 2, 3])
    assert values(xp.tril(x)) == [[1, 0, 0], [1, 2, 0], [1, 2, 3]]
    assert values(xp.triu(x, k=1)) == [[0, 2, 3], [0, 0, 3], [0, 0, 0]]


def test_transpose_of_other_dimensions_reverses_the_axes(lenient_device):
    assert xp.zeros((2, 3, 4)).T.shape == (4, 3, 2)
    assert xp.zeros(3).T.shape == (3,)
    assert xp.zeros(()).T.shape == ()


def test_strict_refuses_what_the_standard_leaves_open():
    with xp.use_device("strict"):
        x = xp.asarray([1, 2, 3])
        for call in (lambda: x.T, lambda: xp.tril(x), lambda: operator.add(x, [1, 2, 3]), lambda: xp.fft.fft(x > 1)):
            with pytest.raises((ValueError, TypeError)):
                call()


# -- lists as operands of operators -----------------------------------------------------------------------------------


def test_list_is_an_operand_of_an_operator(lenient_device):
    x = xp.asarray([3, 1, 2])
    assert values(x == [3, 0, 2]) == [True, False, True]
    assert values(operator.add(x, (1, 2, 3))) == [4, 3, 5]
    assert values([1, 2, 3] - x) == [-2, 1, 1]
    x += [1, 1, 1]
    assert values(x) == [4, 2, 3]


def test_list_promotes_as_an_array_does(lenient_device):
    if not lenient_device.supports(np.dtype(np.float64)):
        pytest.skip("no float64")
    assert operator.add(xp.asarray([1], dtype=xp.float32), [0.5]).dtype == xp.float64


@pytest.mark.parametrize("bad", [["a", "b", "c"], [None] * 3, [[1, 2], [3]], [[1], 2, 3]], ids=str)
def test_list_that_is_no_array_of_numbers_is_refused(lenient_device, bad):
    with pytest.raises((TypeError, ValueError), match=r"add\(\) takes lists"):
        xp.asarray([1, 2, 3]) + bad


def test_list_of_another_length_is_refused(lenient_device):
    with pytest.raises(ValueError, match="broadcast"):
        xp.asarray([1, 2, 3]) == [1, 2]  # noqa: B015


def test_einsum_writes_into_out_and_casts_to_dtype(device):
    x, out = xp.asarray([[1, 2], [3, 4]]), xp.zeros(2, dtype=xp.int64)
    assert xp.einsum("ij->i", x, out=out) is out
    assert values(out) == [3, 7]
    assert xp.einsum("ij->i", x, dtype=xp.float64).dtype == xp.float64
    with pytest.raises(TypeError, match="casting"):
        xp.einsum("ij->i", x, dtype=xp.int8)
    assert values(xp.einsum("ij->i", x, dtype=xp.int8, casting="unsafe")) == [3, 7]
    with pytest.raises(TypeError, match="casting"):
        xp.einsum("ij->i", x, dtype=xp.float64, out=out)
    assert values(xp.einsum("ij->i", x * 2, dtype=xp.float64, out=out, casting="unsafe", order="k")) == [6, 14]


EINSUM_DTYPES = ("bool", "int8", "uint16", "int64", "float32", "float64", "complex64")


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.parametrize("dtype", [None, "bool", "int32", "float32"])
def test_einsum_casts_where_numpy_does(lenient_device, dtype, casting):
    if not all(lenient_device.supports(np.dtype(name)) for name in EINSUM_DTYPES):
        pytest.skip("lacks a dtype")
    x, y = np.asarray([[1, 0, 1], [1, 1, 1]]), np.asarray([[1, 0], [1, 1], [0, 1]])
    for first, second, kind in itertools.product(EINSUM_DTYPES, EINSUM_DTYPES, (None, "int32", "float64")):
        if "complex64" in (first, second) and casting == "unsafe":
            continue  # complex numbers never cast to real ones, see below
        outcomes = []
        for convert, function in ((np.asarray, np.einsum), (xp.asarray, xp.einsum)):
            out = None if kind is None else convert(np.zeros((2, 2), kind))
            arrays = convert(x.astype(first)), convert(y.astype(second))
            try:
                result = function("ij,jk->ik", *arrays, dtype=dtype, casting=casting, out=out)
                outcomes.append((str(result.dtype), result.tolist()))
            except TypeError:
                outcomes.append("refused")
        assert outcomes[1] == outcomes[0], (first, second, kind)


def test_einsum_refuses_to_lose_imaginary_parts(device):
    with pytest.raises(TypeError, match="no imaginary components"):
        xp.einsum("i->", xp.asarray([1j, 2.0]), dtype=xp.float64, casting="unsafe")


def test_einsum_without_a_sum_has_the_dtype_that_was_asked_for(device):
    x = xp.asarray([[1, 2], [3, 4]])
    for subscripts in ("ij->ji", "ii->i", "ij"):
        result = xp.einsum(subscripts, x, dtype=xp.float64)
        assert (result.dtype, values(result)) == (
            xp.float64,
            np.einsum(subscripts, np.asarray([[1, 2], [3, 4]])).tolist(),
        )


@pytest.mark.parametrize("subscripts", ["ij->ji", "ii->i", "ij", "...", "ii", "ij->j"])
@pytest.mark.parametrize("options", [{"dtype": np.float64}, {"dtype": np.int8, "casting": "no"}, {"dtype": None}])
def test_numpys_einsum_without_a_sum_keeps_the_dtype_of_its_operand(device, subscripts, options):
    if not all(device.supports(np.dtype(name)) for name in ("int64", "int8", "float64")):
        pytest.skip("lacks a dtype")
    outcomes = []
    for convert in (np.asarray, xp.asarray):
        try:
            result = np.einsum(subscripts, convert(np.asarray([[1, 2], [3, 4]])), **options)
            outcomes.append((result.dtype, values(result) if convert is xp.asarray else result.tolist()))
        except TypeError:
            outcomes.append("refused")
    assert outcomes[1] == outcomes[0]
    with pytest.raises(TypeError):
        np.einsum("ij->ji", xp.ones((2, 2)), dtype="nothing")


def test_numpys_einsum_of_a_dtype_stays_on_the_device(device):
    x = xp.asarray([[1, 2], [3, 4]])
    result = np.einsum("ij->i", x, dtype=np.float64)
    assert (result.device, result.dtype, values(result)) == (x.device, xp.float64, [3.0, 7.0])
