"""Linear algebra and Fourier transforms with NumPy's names: NumPy's values, dtypes, shapes and errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from strategies import expect, made, outcome

import xtensor as xp
from xtensor.linalg import _beyond

DTYPES = ["i4", "f4", "f8", "c8", "c16"]

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def numbers(dtype, *shape, seed=0):
    """Return a NumPy array of random numbers."""
    rng = np.random.default_rng((seed, *shape))
    dtype = np.dtype(dtype)
    if dtype.kind in "biu":
        return rng.integers(-5, 6, shape).astype(dtype)
    return (rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype.kind == "c" else 0)).astype(dtype)


def close(result, expected):
    """Compare up to the rounding errors of an algorithm."""
    expected = np.asarray(expected)
    scale = float(np.max(np.abs(expected[np.isfinite(expected)]), initial=1.0))
    expect(result, expected, ulp=64, signs=False, atol=512 * float(np.finfo(expected.dtype).eps) * scale)


def same(function, host_function, hosts, *args, **kwargs):
    """Compare a call with NumPy's: the values, or the class of the error."""
    expected = outcome(host_function, *hosts, *args, **kwargs)
    result = outcome(function, *(made(host).array for host in hosts), *args, **kwargs)
    if isinstance(expected, type):
        assert result is expected, f"{args} {kwargs} {result}"
    else:
        close(result, expected)


# -- norms ------------------------------------------------------------------------------------------------------------

ORDERS = [None, "fro", "f", "nuc", 0, 1, -1, 2, -2, 3, 0.5, math.inf, -math.inf, "x"]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)], ids=str)
def test_norm_matches_numpy(device, shape, order, keepdims):
    for dtype in DTYPES:
        host = numbers(dtype, *shape)
        for axis in (None, 0, -1, (0,), (0, 1), (1, 0), (-2, -1), (0, 0), (0, 1, 2)):
            same(xp.linalg.norm, np.linalg.norm, [host], order, axis, keepdims)


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)], ids=str)
def test_norm_of_an_empty_array_matches_numpy(device, shape, order):
    for axis in (None, 0, (0, 1)):
        same(xp.linalg.norm, np.linalg.norm, [np.zeros(shape)], order, axis)


@pytest.mark.parametrize("value", [math.nan, math.inf], ids=str)
@pytest.mark.parametrize("order", [None, 0, 1, -1, 3, math.inf, -math.inf], ids=str)
def test_norm_of_numbers_that_are_not_finite_matches_numpy(device, order, value):
    host, x = made([[value, 1.0], [2.0, 3.0]])
    close(xp.linalg.norm(x, order, 1), np.linalg.norm(host, order, 1))


@pytest.mark.parametrize(
    ("args", "error", "match"),
    [
        (("fro", 0), ValueError, "Invalid norm order 'fro' for vectors"),
        ((3, (0, 1)), ValueError, "Invalid norm order for matrices"),
        ((None, (0, 0)), ValueError, "Duplicate axes given"),
        ((1, ()), ValueError, "Improper number of dimensions to norm"),
        ((None, "a"), TypeError, "'axis' must be None, an integer or a tuple of integers"),
        ((None, 5), IndexError, "axis 5 is out of bounds"),
    ],
    ids=str,
)
def test_norm_refuses_in_numpys_words(device, args, error, match):
    with pytest.raises(error, match=match):
        xp.linalg.norm(xp.ones((2, 2)), *args)


# -- condition numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [None, 2, -2, 1, -1, math.inf, -math.inf, "fro", "nuc"], ids=str)
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (0, 2, 2)], ids=str)
def test_condition_number_matches_numpy(device, shape, p):
    for dtype in DTYPES:
        host, x = made(numbers(dtype, *shape) + 3 * np.eye(shape[-1], dtype=dtype))
        expected = np.linalg.cond(host, p)
        expect(xp.linalg.cond(x, p), expected, ulp=4096)


@pytest.mark.parametrize("p", [None, 2, -2, 1, -1, math.inf, -math.inf, "fro"], ids=str)
def test_condition_number_of_singular_matrices_matches_numpy(device, p):
    host, x = made([[[1.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]])
    close(xp.linalg.cond(x, p), np.linalg.cond(host, p))


@pytest.mark.parametrize("p", [1, math.inf, "fro"], ids=str)
def test_condition_number_of_a_matrix_with_nan_is_nan(device, p):
    close(xp.linalg.cond(xp.asarray([[math.nan, 1.0], [1.0, 2.0]]), p), np.asarray(math.nan))


@pytest.mark.parametrize(
    ("shape", "p", "match"),
    [
        ((0, 0), None, "cond is not defined on empty arrays"),
        ((3,), None, "1-dimensional array given. Array must be at least two-dimensional"),
        ((2, 3), 1, "Last 2 dimensions of the array must be square"),
    ],
    ids=str,
)
def test_condition_number_refuses_in_numpys_words(device, shape, p, match):
    with pytest.raises(np.linalg.LinAlgError, match=match):
        xp.linalg.cond(xp.ones(shape), p)


# -- chains of products -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3), (3, 4)],
        [(2, 3), (3, 4), (4, 2)],
        [(3,), (3, 4), (4, 2)],
        [(2, 3), (3, 4), (4,)],
        [(3,), (3, 4), (4,)],
        [(5, 3), (3, 8), (8, 2), (2, 9), (9, 1)],
        [(1, 2), (2, 0), (0, 3), (3, 4)],
    ],
    ids=str,
)
def test_chain_of_products_matches_numpy(device, shapes):
    for dtype in DTYPES:
        hosts = [numbers(dtype, *shape, seed=seed) for seed, shape in enumerate(shapes)]
        expected = np.linalg.multi_dot(hosts)
        result = xp.linalg.multi_dot([made(host).array for host in hosts])
        if expected.dtype.kind == "i":
            expect(result, expected)
        else:
            close(result, expected)


def test_chain_is_multiplied_with_the_fewest_multiplications():
    lengths = [30, 35, 15, 5, 10, 20, 25]  # the example of the textbook: ((A (B C)) ((D E) F))
    splits = _beyond._splits(lengths)
    assert (splits[0, 5], splits[0, 2], splits[3, 5]) == (2, 0, 4)


def test_chain_is_written_into_out(device):
    hosts = [numbers("f8", 2, 2, seed=seed) for seed in range(3)]
    out = xp.zeros((2, 2))
    assert xp.linalg.multi_dot([made(host).array for host in hosts], out=out) is out
    close(out, np.linalg.multi_dot(hosts))
    with pytest.raises(ValueError, match="output array is not acceptable"):
        xp.linalg.multi_dot([made(host).array for host in hosts], out=xp.zeros(4))


@pytest.mark.parametrize(
    ("shapes", "match"),
    [
        ([(2, 2)], "Expecting at least two arrays"),
        ([(2, 3), (2, 3), (3, 2)], r"shapes \(2,3\) and \(2,3\) not aligned"),
        ([(2, 2), (2,), (2, 2)], "1-dimensional array given. Array must be two-dimensional"),
    ],
    ids=str,
)
def test_chain_refuses_in_numpys_words(device, shapes, match):
    with pytest.raises(ValueError, match=match):
        xp.linalg.multi_dot([xp.ones(shape) for shape in shapes])


# -- tensor equations -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_tensorinv_matches_numpy(device, dtype):
    for shape, ind in (((4, 6, 8, 3), 2), ((24, 8, 3), 1), ((2, 2, 4), 2)):
        host, x = made(numbers(dtype, *shape))
        expected = np.linalg.tensorinv(host.astype(np.result_type(dtype, "f8")), ind)
        scale = float(np.max(np.abs(expected)))
        expect(xp.linalg.tensorinv(x, ind), expected, dtype=dtype, atol=2e3 * float(np.finfo(dtype).eps) * scale)


@pytest.mark.parametrize("dtype", DTYPES[1:])
@pytest.mark.parametrize(("shape", "axes"), [((2, 3, 6), None), ((2, 6, 3), (1,)), ((6, 2, 3), (0,))], ids=str)
def test_tensorsolve_matches_numpy(device, shape, axes, dtype):
    (a, x), (b, y) = made(numbers(dtype, *shape)), made(numbers(dtype, 2, 3))
    expected = np.linalg.tensorsolve(a.astype(np.result_type(dtype, "f8")), b, axes)
    scale = float(np.max(np.abs(expected)))
    expect(xp.linalg.tensorsolve(x, y, axes), expected, dtype=dtype, atol=2e3 * float(np.finfo(dtype).eps) * scale)


def test_integers_are_solved_in_floating_point(device):
    a = np.asarray([[2, 0], [0, 4]])
    close(xp.linalg.tensorsolve(made(a).array, [2, 2]), np.linalg.tensorsolve(a, [2, 2]))
    close(xp.linalg.tensorinv(made(a).array, ind=1), np.linalg.tensorinv(a, 1))


def test_tensor_equations_refuse_in_numpys_words(device):
    with pytest.raises(ValueError, match="Invalid ind argument"):
        xp.linalg.tensorinv(xp.ones((2, 2)), ind=0)
    with pytest.raises(np.linalg.LinAlgError, match="Last 2 dimensions of the array must be square"):
        xp.linalg.tensorinv(xp.ones((2, 3, 4)))
    with pytest.raises(np.linalg.LinAlgError, match="Input arrays must satisfy the requirement"):
        xp.linalg.tensorsolve(xp.ones((2, 3)), xp.ones(2))
    with pytest.raises(ValueError, match="axis 5"):
        xp.linalg.tensorsolve(xp.ones((2, 2)), xp.ones(2), axes=(5,))


# -- Fourier transforms -----------------------------------------------------------------------------------------------

TRANSFORMS = ["fft2", "ifft2", "irfft2", "rfft2"]

OPTIONS = [
    *[{}, {"s": (3, 4)}, {"norm": "ortho"}, {"norm": "forward"}, {"axes": (0, 1)}, {"axes": (-1,)}],
    *[{"s": (-1, 6)}, {"s": (2,)}, {"norm": "x"}],
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transform_over_two_axes_matches_numpy(device, name, options):
    for dtype in ("?", *DTYPES):
        for shape in ((4, 5), (2, 4, 6)):
            same(getattr(xp.fft, name), getattr(np.fft, name), [numbers(dtype, *shape)], **options)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transform_is_written_into_out(device, name):
    host, x = made(numbers("f8", 4, 4))
    expected = getattr(np.fft, name)(host)
    out = xp.zeros(expected.shape, dtype=expected.dtype)
    assert getattr(xp.fft, name)(x, out=out) is out
    close(out, expected)


def test_transform_refuses_in_numpys_words(device):
    with pytest.raises(ValueError, match="Invalid norm value x"):
        xp.fft.fft2(xp.ones((2, 2)), norm="x")
    with pytest.raises(ValueError, match="Shape and axes have different lengths"):
        xp.fft.fft2(xp.ones((2, 2)), s=(2,))
    with pytest.raises(IndexError, match="axis 7"):
        xp.fft.fft2(xp.ones((2, 2)), axes=(0, 7))
