"""The kernel of products with quantized matrices, in the interpreter: its values, and the memory it accesses."""

from __future__ import annotations

import numpy as np
import pytest
from triton_kernels import KERNELS, guarded, launches

from xtensor_backends.triton import _quantized, count_calls
from xtensor_backends.triton._dtypes import BFLOAT16

NAME = "nn.quantized_linear"


def operands(kind, group, vectors, rows, dtype=np.float32, scale=np.float32, shifted=False):
    """Vectors, codes, scales and offsets of small integers, whose products are exact, and the products."""
    rng = np.random.default_rng(0)
    groups = 6
    codes = rng.integers(-8, 8, (rows, groups, group))
    scales = rng.integers(1, 4, (rows, groups)).astype(scale)
    offsets = rng.integers(-2, 3, (rows, groups)).astype(scale) if shifted else None
    numbers = codes
    if kind == "int4":
        codes, numbers = codes + 8, codes + (8 if shifted else 0)
        stored = (codes[..., : group // 2] + 16 * codes[..., group // 2 :]).astype(np.uint8)
    else:
        stored = codes.astype(np.int8)
    matrix = numbers * scales.astype(np.float64)[..., None]
    if offsets is not None:
        matrix = matrix - offsets.astype(np.float64)[..., None]
    x = rng.integers(-2, 3, (*vectors, groups * group)).astype(dtype)
    return (x, stored.reshape(rows, -1), scales, offsets), x.astype(np.float64) @ matrix.reshape(rows, -1).T


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize(("kind", "group"), [("int8", 32), ("int8", 20), ("int4", 32), ("int4", 6)])
@pytest.mark.parametrize("vectors", [(), (1,), (3,), (2, 20), (300,)], ids=str)
@pytest.mark.parametrize("rows", [7, 300])
def test_kernel_computes_the_product_of_the_numbers(kind, group, vectors, rows, shifted):
    arrays, expected = operands(kind, group, vectors, rows, shifted=shifted)
    with launches(NAME):
        found = KERNELS[NAME](*arrays)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("dtype", "scale"),
    [(np.float32, np.float16), (np.float32, BFLOAT16), (np.float16, np.float16), (BFLOAT16, BFLOAT16)],
)
@pytest.mark.parametrize("kind", ["int8", "int4"])
def test_result_has_the_dtype_of_the_vectors(kind, dtype, scale):
    arrays, expected = operands(kind, 4, (3,), 5, dtype, scale, shifted=True)
    with launches(NAME):
        found = KERNELS[NAME](*arrays)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected.astype(dtype))


@pytest.mark.parametrize("kind", ["int8", "int4"])
@pytest.mark.parametrize("vectors", [(1,), (5,)], ids=str)
def test_kernel_stays_within_its_operands(kind, vectors):
    functions, memory = guarded()
    arrays, expected = operands(kind, 10, vectors, 7, shifted=True)
    with launches(NAME):
        found = functions[NAME](*map(memory.copy_of, arrays))
    memory.check()
    np.testing.assert_array_equal(found, expected)


def test_vectors_of_any_strides_are_taken():
    (x, *matrix), expected = operands("int4", 8, (3,), 5)
    with launches(NAME):
        found = KERNELS[NAME](np.asfortranarray(x), *matrix)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda x, c, s: (x.astype(np.float64), c, s), "float64"),
        (lambda x, c, s: (x.astype(np.float16), c, s), "float16"),
        (lambda x, c, s: (x, c, np.asfortranarray(s)), "not contiguous"),
        (lambda x, c, s: (x[:0], c, s), "shape"),
    ],
)
def test_other_operands_are_declined(change, reason):
    (x, codes, scales, _), _ = operands("int8", 4, (3,), 5)
    with count_calls() as calls:
        assert KERNELS[NAME](*change(x, codes, scales)) is NotImplemented
    assert reason in calls.declined[NAME][0]


def test_offsets_beyond_32_bits_have_64(monkeypatch):
    monkeypatch.setattr(_quantized, "LIMIT", 1)
    functions, _ = guarded()
    arrays, expected = operands("int4", 8, (20,), 5)
    np.testing.assert_array_equal(functions[NAME](*arrays), expected)
