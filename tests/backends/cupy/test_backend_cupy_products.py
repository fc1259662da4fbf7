"""The CuPy backend's products of matrices by cuBLAS, over a stand-in that multiplies what the pointers point to."""

from __future__ import annotations

import host_cublas
import ml_dtypes
import numpy as np
import pytest
from cupy_support import on_host, standin_device

import xtensor as xp
from xtensor.nn import functional

HALVES = [np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)]
DTYPES = [*HALVES, np.dtype(np.float32), np.dtype(np.float64)]
IN_FLOAT32, IN_FLOAT64, IN_TF32 = 68, 70, 77


@pytest.fixture(scope="module")
def single():
    return standin_device("cuda:0")


@pytest.fixture(autouse=True)
def calls():
    host_cublas.calls.clear()
    return host_cublas.calls


def integers(shape, dtype, seed=0):
    """Small integers, whose products and sums every dtype holds exactly."""
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: xp.matrix_transpose(xp.asarray(xp.matrix_transpose(x), copy=True)),
    "rows apart": lambda x: xp.repeat(x, 3, axis=-2)[..., ::3, :],
    "columns apart": lambda x: xp.repeat(x, 2, axis=-1)[..., ::2],
    "rows reversed": lambda x: xp.flip(x, axis=-2)[..., ::-1, :],
    "stack reversed": lambda x: xp.flip(x, axis=0)[::-1, ...],
    "stack apart": lambda x: xp.repeat(x, 2, axis=0)[::2, ...],
    "stack inside": lambda x: xp.moveaxis(xp.asarray(xp.moveaxis(x, 0, -1), copy=True), -1, 0),
}
SHAPES = [
    ((2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 1, 2, 3), (5, 3, 1)),
    ((2, 5, 1, 3), (2, 5, 3, 4)),
    ((2, 5, 2, 1), (2, 1, 1, 4)),
    ((1, 1), (1, 1)),
]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_products_of_any_layout_are_right(single, calls, layout, shapes, dtype):
    hosts = [integers(shape, dtype, seed) for seed, shape in enumerate(shapes)]
    result = xp.matmul(*(LAYOUTS[layout](xp.asarray(x, device=single)) for x in hosts))
    assert (result.dtype, calls) == (dtype, [IN_FLOAT64 if dtype == np.float64 else IN_FLOAT32])
    expected = np.matmul(*(x.astype(np.float64) for x in hosts))
    np.testing.assert_array_equal(on_host(result).astype(np.float64), expected)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("shapes", [((3,), (3,)), ((3,), (5, 3, 2)), ((5, 2, 3), (3,)), ((2, 0), (0, 3))], ids=str)
def test_products_of_vectors_and_of_nothing_are_right(single, shapes, dtype):
    hosts = [integers(shape, dtype, seed) for seed, shape in enumerate(shapes)]
    result = on_host(xp.matmul(*(xp.asarray(x, device=single) for x in hosts)))
    expected = np.matmul(*(x.astype(np.float64) for x in hosts))
    assert (result.dtype, result.shape) == (dtype, expected.shape)
    np.testing.assert_array_equal(result.astype(np.float64), expected)


def test_a_view_with_lines_apart_is_not_copied(single, monkeypatch):
    x = xp.asarray(integers((8, 8), np.float16), device=single)
    monkeypatch.setattr(single._library._cp, "ascontiguousarray", None)
    for view in (x[::2, :4], x.T[:4, ::2], x[:, :1]):
        xp.matmul(view, xp.matrix_transpose(view))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("has_bias", [False, True])
def test_linear_adds_the_bias_before_it_rounds(single, calls, has_bias, dtype):
    x, weight, bias = (integers(shape, dtype, seed) for seed, shape in enumerate([(2, 5, 3), (4, 3), (4,)]))
    # 1 and a half unit in the last place, which is rounded down, and a quarter, with which it is rounded up.
    digits = ml_dtypes.finfo(dtype).nmant
    x[0, 0, :], weight[0, :] = [1, 2.0 ** -(digits // 2), 0], [1, 2.0 ** -(digits - digits // 2 + 1), 0]
    bias[0] = 2.0 ** -(digits + 2)
    arrays = [xp.asarray(item, device=single) for item in (x, weight, bias)[: 2 + has_bias]]
    result = functional.linear(*arrays)
    assert (result.dtype, set(calls)) == (dtype, {68})
    exact = x.astype(np.float64) @ weight.astype(np.float64).T + (bias.astype(np.float64) if has_bias else 0)
    np.testing.assert_array_equal(on_host(result), exact.astype(np.float32).astype(dtype))


@pytest.mark.parametrize("shape", [(0,), (2, 3, 0), (0, 4)])
def test_linear_of_nothing_is_the_bias(single, shape):
    x, weight = np.zeros(shape, np.float16), np.ones((2, shape[-1]), np.float16)
    arrays = [xp.asarray(item, device=single) for item in (x, weight, np.array([1.0, 2.0], np.float16))]
    expected = np.broadcast_to(np.array([1.0, 2.0], np.float16), (*shape[:-1], 2))
    np.testing.assert_array_equal(on_host(functional.linear(*arrays)), expected)
    np.testing.assert_array_equal(on_host(functional.linear(*arrays[:2])), expected * 0)


def test_linear_of_float32_uses_tf32_where_the_caller_allows_it(single, calls):
    x, weight = (np.full((2, 2), 1 + 2.0**-12, np.float32) for _ in range(2))
    arrays = [xp.asarray(item, device=single) for item in (x, weight)]
    assert on_host(functional.linear(*arrays, precision="tf32")).tolist() == [[2.0, 2.0]] * 2
    assert calls == [IN_TF32]
    np.testing.assert_array_equal(on_host(functional.linear(*arrays)), (x.astype(float) @ weight).astype(np.float32))
    assert calls == [IN_TF32, IN_FLOAT32]


def test_products_of_two_dtypes_are_those_of_the_promoted_one_and_integers_are_cupys(single, calls):
    half, other, integer = (xp.asarray(integers((2, 2), dtype), device=single) for dtype in (HALVES[1], "f4", "i8"))
    assert xp.matmul(half, other).dtype == np.float32
    assert calls == [IN_FLOAT32]
    assert xp.matmul(integer, integer).dtype == np.int64
    assert calls == [IN_FLOAT32]


def test_products_on_rocm_are_added_up_in_float32(calls):
    device = standin_device("rocm:0", hip=True)
    for dtype in HALVES:
        x = np.array([[300.0, -300.0]], dtype)
        result = xp.matmul(xp.asarray(x, device=device), xp.asarray(np.abs(x).T, device=device))
        assert (result.dtype, on_host(result).tolist()) == (dtype, [[0.0]])
    assert not calls
