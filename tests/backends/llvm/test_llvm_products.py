"""Products of matrices on the device cpu: NumPy's values, in memory of the pool."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("the overlay needs llvmlite", allow_module_level=True)

import xtensor as xp

pytestmark = pytest.mark.usefixtures("on_cpu")


@pytest.fixture
def on_cpu():
    with xp.use_device("cpu"):
        yield


def operands(dtype, shape1=(210, 200), shape2=(200, 170)):
    rng = np.random.default_rng(0)
    values = [rng.standard_normal(shape) + 1j * rng.standard_normal(shape) for shape in (shape1, shape2)]
    return [(x if np.dtype(dtype).kind == "c" else x.real).astype(dtype) for x in values]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("layout", ["rows", "columns", "strided"])
def test_product_is_numpys_in_memory_of_the_pool(dtype, layout):
    x, y = operands(dtype)
    if layout == "columns":
        x = np.asfortranarray(x)
    elif layout == "strided":
        x = np.repeat(x, 2, axis=1)[:, ::2]
    a, b = xp.asarray(x, copy=False), xp.asarray(y, copy=False)
    before = xp.device("cpu").memory().pool_used
    result = a @ b
    after = xp.device("cpu").memory().pool_used
    assert np.array_equal(np.asarray(result), x @ y)
    assert before is not None
    assert after is not None
    assert after - before >= result.size * result.dtype.itemsize


@pytest.mark.parametrize("dtype", ["int64", "float16", "bool"])
def test_products_without_blas_are_numpys(dtype):
    x, y = (np.ones(shape, dtype) for shape in ((150, 200), (200, 160)))
    assert np.array_equal(np.asarray(xp.asarray(x) @ xp.asarray(y)), x @ y)


def test_products_of_other_shapes_are_numpys():
    x, y = operands("float64")
    stack = np.stack([y, -y])
    assert np.array_equal(np.asarray(xp.asarray(x) @ xp.asarray(stack)), x @ stack)
    assert np.array_equal(np.asarray(xp.asarray(x) @ xp.asarray(y[:, 0].copy())), x @ y[:, 0])
    single, double = xp.asarray(x, dtype=xp.float32), xp.asarray(y)
    assert (single @ double).dtype == xp.float64


def test_wrong_shapes_are_refused():
    x, y = map(xp.asarray, operands("float64"))
    with pytest.raises(ValueError, match="matmul"):
        y @ x
