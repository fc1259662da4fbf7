"""Products of matrices on the device cpu: NumPy's values, in memory of the pool."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("the overlay needs llvmlite", allow_module_level=True)

import xtensor as xp
from xtensor.nn import functional as F  # noqa: N812
from xtensor_backends.llvm import (
    _cholesky_kernel,
    _compile,
    _product_kernel,
    _products,
    _runtime,
    _threads,
    _triangular_kernel,
)

pytestmark = pytest.mark.usefixtures("on_cpu")


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


needs_blas = pytest.mark.skipif(
    _products._functions("gemm", "f") is None, reason="needs the OpenBLAS of NumPy's wheels and the compiled module"
)


@pytest.fixture
def shared(monkeypatch):
    """Two threads, and a list of the numbers of blocks of the products that OpenBLAS computes on them."""
    monkeypatch.setattr(_threads, "team", lambda: 2)
    monkeypatch.setattr(_product_kernel, "multiply", lambda *arguments: False)
    calls, multiply = [], _runtime.compiled.multiply

    def counted(functions, x1, x2, out, blocks, threads, nanoseconds):
        done = multiply(functions, x1, x2, out, blocks, threads, nanoseconds)
        calls.extend([blocks] * done)
        return done

    monkeypatch.setattr(_products.compiled, "multiply", counted)
    return calls


def integers(shape, dtype="float32"):
    """Small integers, whose products and sums are exact in any order."""
    return np.random.default_rng(sum(shape)).integers(-8, 9, shape).astype(dtype)


LAYOUTS = {
    "rows": lambda x: x,
    "columns": lambda x: x.swapaxes(-2, -1).copy().swapaxes(-2, -1),
    "parts of rows": lambda x: np.concatenate([x, x], axis=-1)[..., : x.shape[-1]],
    "every second row": lambda x: np.repeat(x, 2, axis=-2)[..., ::2, :],
    "heads": lambda x: np.moveaxis(np.moveaxis(x, 0, -2).copy(), -2, 0) if x.ndim > 2 else x,
}

SHAPES = {
    "rows": ((300, 40), (40, 60), 2),
    "columns": ((60, 140), (140, 300), 2),
    "not a multiple of a tile": ((101, 87), (87, 97), 2),
    "stack": ((5, 60, 70), (5, 70, 50), 1),
    "two stacks": ((2, 3, 60, 70), (2, 3, 70, 50), 1),
    "broadcast": ((4, 1, 60, 70), (3, 70, 50), 1),
    "matrix and stack": ((60, 170), (5, 170, 50), 1),
    "stack and matrix": ((5, 60, 70), (70, 50), 2),
    "two large ones": ((2, 200, 70), (2, 70, 110), 2),
}


@needs_blas
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shapes", SHAPES)
def test_threads_share_a_product(shared, shapes, layout, dtype):
    shape1, shape2, blocks = SHAPES[shapes]
    x, y = LAYOUTS[layout](integers(shape1, dtype)), LAYOUTS[layout](integers(shape2, dtype))
    result = np.asarray(xp.asarray(x, copy=False) @ xp.asarray(y, copy=False))
    expected = x.astype(np.int64) @ y.astype(np.int64)
    np.testing.assert_array_equal(result, expected.astype(dtype), strict=True)
    # A stack whose matrices are not adjacent is not one product.
    assert shared == [1 if shapes == "stack and matrix" and layout != "rows" else blocks]


@needs_blas
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lengths", [(8, 10_000, 16), (16, 20_011, 3), (60, 2_048, 60), (5, 100_003, 7)], ids=str)
def test_few_long_rows_are_sums_of_products(shared, lengths, layout, dtype):
    rows, common, columns = lengths
    x, y = LAYOUTS[layout](integers((rows, common), dtype)), LAYOUTS[layout](integers((common, columns), dtype))
    result = np.asarray(xp.asarray(x, copy=False) @ xp.asarray(y, copy=False))
    np.testing.assert_array_equal(result, (x.astype(np.int64) @ y.astype(np.int64)).astype(dtype), strict=True)
    assert shared == [1]


@needs_blas
@given(
    st.lists(st.sampled_from([1, 2, 3]), max_size=2),
    st.tuples(st.integers(2, 90), st.integers(1, 90), st.integers(2, 90)),
    st.integers(0, 3),
    st.integers(1, 4),
    st.integers(1, 5),
)
def test_blocks_are_the_product(stack, lengths, transposed, blocks, threads):
    rows, common, columns = lengths
    x, y = integers((*stack, rows, common)), integers((*stack, common, columns))
    if transposed & 1:
        x = np.swapaxes(np.swapaxes(x, -1, -2).copy(), -1, -2)
    if transposed & 2:
        y = np.swapaxes(np.swapaxes(y, -1, -2).copy(), -1, -2)
    output = np.full((*stack, rows, columns), np.nan, np.float32)
    assert _runtime.compiled.multiply(_products._functions("gemm", "f"), x, y, output, blocks, threads, 10**6)
    np.testing.assert_array_equal(output, x.astype(np.int64) @ y.astype(np.int64))


@needs_blas
@pytest.mark.parametrize("case", ["strided", "reversed", "complex", "vector", "unaligned", "broadcast rows"])
def test_numpy_computes_what_blas_does_not_read(shared, case):
    x, y = integers((3, 80, 90)), integers((3, 90, 70))
    if case == "strided":
        x = np.repeat(x, 2, axis=-1)[..., ::2]
    elif case == "reversed":
        y = y[:, ::-1, :]
    elif case == "complex":
        x, y = x + 1j * x, y * 1j
    elif case == "vector":
        x, y = integers((300, 1, 900)), integers((300, 900, 3))
    elif case == "unaligned":
        x = np.frombuffer(b" " + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(x.shape)
    else:
        x = np.broadcast_to(x[:, :1], x.shape)
    result = np.asarray(xp.asarray(x, copy=False) @ xp.asarray(y, copy=False))
    np.testing.assert_array_equal(result, x @ y, strict=True)
    assert shared == []


needs_vectors = pytest.mark.skipif(not _compile.has_feature("avx512f"), reason="the kernel needs AVX-512")


@needs_vectors
@given(
    st.lists(st.sampled_from([1, 2, 3]), max_size=2),
    st.tuples(st.integers(32, 90), st.integers(32, 900), st.sampled_from([26, 31, 32, 43, 52, 64, 90, 96, 144])),
    st.sampled_from(sorted(LAYOUTS)),
    st.sampled_from(sorted(LAYOUTS)),
    st.integers(1, 4),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from(["float32", "float64"]),
)
def test_kernel_is_the_product(stack, lengths, layout1, layout2, threads, broadcast, has_term, dtype):
    rows, common, columns = lengths
    if has_term:  # few are the kernel's as well
        rows, common = rows - 24, common - 24
    x, y = integers((*stack, rows, common), dtype), integers((*stack, common, columns), dtype)
    if broadcast & 1 and stack:
        x = x[:1]
    if broadcast & 2 and stack:
        y = y[0]
    x, y = LAYOUTS[layout1](x), LAYOUTS[layout2](y)
    expected = x.astype(np.int64) @ y.astype(np.int64)
    term = np.arange(columns, dtype=dtype) if has_term else None
    expected += np.arange(columns) * has_term
    whole = np.full((*expected.shape[:-1], columns + 5), np.nan, dtype)
    output = whole[..., :columns]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_product_kernel, "LEAST_WORK", 0)
        patch.setattr(_product_kernel, "LEAST_WORK_WITH_TERM", 0)
        _product_kernel._launch.cache_clear()
        assert _product_kernel.multiply(x, y, output, threads, term)
        _product_kernel._launch.cache_clear()
    np.testing.assert_array_equal(output, expected)
    assert np.isnan(whole[..., columns:]).all()


@needs_vectors
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("lengths", [(200, 200, 200), (64, 1000, 128), (50, 2000, 60), (300, 400, 320)], ids=str)
def test_rounding_errors_of_the_kernel_are_those_of_numpy(lengths, dtype):
    rows, common, columns = lengths
    x, y = operands(dtype, (rows, common), (common, columns))
    output, exact = np.empty((rows, columns), dtype), x.astype(np.longdouble) @ y.astype(np.longdouble)
    assert _product_kernel.multiply(x, y, output, 2)
    errors = [np.sqrt(np.mean((product - exact) ** 2)) for product in (output, x @ y)]
    assert errors[0] <= 1.1 * errors[1]


@needs_vectors
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_of_the_kernel_do_not_depend_on_the_threads(dtype):
    x, y = operands(dtype, (200, 300), (300, 161))
    outputs = [np.empty((200, 161), dtype) for _ in range(3)]
    for threads, output in zip((1, 2, 5), outputs, strict=True):
        assert _product_kernel.multiply(x, y, output, threads)
    assert np.array_equal(outputs[0], outputs[1])
    assert np.array_equal(outputs[0], outputs[2])


@needs_vectors
def test_infinities_and_nan_stay_in_their_rows_and_columns():
    x, y = integers((100, 300)), integers((300, 161))
    x[7, 5], x[99, 299], y[3, 160] = np.inf, np.nan, -np.inf
    output = np.empty((100, 161), np.float32)
    assert _product_kernel.multiply(x, y, output, 2)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(output, x @ y)


@needs_vectors
def test_products_of_networks_are_computed_by_the_kernel(monkeypatch):
    calls, multiply = [], _product_kernel.multiply
    monkeypatch.setattr(_product_kernel, "multiply", lambda *arguments: calls.append(multiply(*arguments)) or calls[-1])
    x, weight = integers((4, 128, 128)), integers((384, 128))
    result = xp.asarray(x) @ xp.matrix_transpose(xp.asarray(weight))
    np.testing.assert_array_equal(np.asarray(result), x @ weight.T)
    assert calls == [True]


@needs_vectors
@pytest.mark.parametrize("shape", [(128, 384), (4, 128, 384)], ids=str)
def test_kernel_adds_the_bias_of_a_linear_layer(monkeypatch, shape):
    calls, multiply = [], _product_kernel.multiply

    def counted(*arguments):
        done = multiply(*arguments)
        calls.append((done, len(arguments) > 4))
        return done

    monkeypatch.setattr(_product_kernel, "multiply", counted)
    x, weight, bias = integers(shape), integers((96, 384)), integers((192,))[::2]
    expected = x.astype(np.int64) @ weight.T.astype(np.int64) + bias.astype(np.int64)
    result = F.linear(*map(xp.asarray, (x, weight, bias.copy())))
    np.testing.assert_array_equal(np.asarray(result), expected.astype(np.float32), strict=True)
    assert calls == [(True, True)]
    calls.clear()
    strided = F.linear(xp.asarray(x), xp.asarray(weight), xp.asarray(bias, copy=False))
    np.testing.assert_array_equal(np.asarray(strided), expected)
    assert calls == [(True, False)]  # the formula adds a bias that has gaps


@needs_vectors
@given(
    st.tuples(st.integers(32, 50), st.sampled_from([33, 384, 385, 900]), st.sampled_from([43, 96])),
    st.sampled_from([1.0, 1e8, 3e38]),
)
def test_kernel_adds_the_term_to_the_whole_sum(lengths, size):
    """As bits: a sum that begins with the term loses the digits of the products, and rows differ in zeros' signs."""
    rows, common, columns = lengths
    rng = np.random.default_rng(sum(lengths))
    x, y = rng.standard_normal((rows, common)), rng.standard_normal((common, columns))
    x[:, :2], y[0], y[1] = size, 0.5, -0.5  # which the products that follow in a sum take away again
    x[0] = x[-1] = -0.0
    term = np.full(columns, size, np.float32)
    term[::3] = -0.0
    x, y = np.float32(x), np.float32(y)
    product, output = np.empty((2, rows, columns), np.float32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_product_kernel, "LEAST_WORK", 0)
        patch.setattr(_product_kernel, "LEAST_WORK_WITH_TERM", 0)
        _product_kernel._launch.cache_clear()
        assert _product_kernel.multiply(x, y, product, 1)
        assert _product_kernel.multiply(x, y, output, 1, term)
        _product_kernel._launch.cache_clear()
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(output.view(np.int32), (product + term).view(np.int32))
    np.testing.assert_array_equal(output[0].view(np.int32), output[-1].view(np.int32))


@pytest.mark.parametrize("packed", ["x", "weight", "bias"])
def test_linear_layer_of_a_field_of_packed_records(packed):
    """The distances between elements are no multiples of their size."""
    operands = {"x": integers((128, 384)), "weight": integers((96, 384)), "bias": integers((96,))}
    x, weight, bias = (operand.astype(np.int64) for operand in operands.values())
    records = np.zeros(operands[packed].shape, np.dtype([("flag", "i1"), ("number", "f4")]))
    records["number"] = operands[packed]
    operands[packed] = records["number"]
    result = F.linear(*[xp.asarray(operand, copy=False) for operand in operands.values()])
    np.testing.assert_array_equal(np.asarray(result), x @ weight.T + bias)


TRIANGLES = LAYOUTS | {"transposed and strided": lambda x: np.repeat(x.T.copy().T, 2, axis=-1)[:, ::2]}


@needs_blas
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("layout", TRIANGLES)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("float64", 1e-12)])
def test_triangular_system_is_solved_by_blas(monkeypatch, dtype, tolerance, layout, lower, unit):
    monkeypatch.setattr(_threads, "team", lambda: 2)
    monkeypatch.setattr(_triangular_kernel, "is_faster", lambda a, b: False)
    calls, solve = [], _runtime.compiled.solve

    def counted(*arguments):
        done = solve(*arguments)
        calls.append((arguments[6], done))
        return done

    monkeypatch.setattr(_products.compiled, "solve", counted)
    rng = np.random.default_rng(0)
    for rows, columns in ((1, 1), (2, 3), (130, 1), (130, 4), (130, 7), (130, 101)):
        matrix = (rng.standard_normal((rows, rows)) / rows + 2 * np.eye(rows)).astype(dtype)
        triangle = np.tril(matrix) if lower else np.triu(matrix)
        if unit:
            np.fill_diagonal(triangle, 1)
        solution = rng.integers(-9, 10, (rows, columns)).astype(float)
        b = xp.asarray((triangle.astype(float) @ solution).astype(dtype))
        a = xp.asarray(TRIANGLES[layout](matrix), copy=False)
        result = xp.linalg.solve_triangular(a, b, lower=lower, unit_diagonal=unit)
        np.testing.assert_allclose(np.asarray(result), solution, atol=tolerance * 20)
        assert result.dtype == np.dtype(dtype)
    # BLAS reads no rows or columns with gaps: the composition solves.
    readable = layout != "transposed and strided"
    assert calls == [(1, True), *[(parts, readable) for parts in (1, 1, 1, 1, 2)]]


@needs_blas
def test_fused_function_multiplies_by_threads(shared):
    x = integers((300, 300))
    function = xp.fuse(lambda a, b: xp.concat([a @ b + 1, a]))
    expected = np.concatenate([(x.astype(np.int64) @ x.astype(np.int64) + 1).astype(np.float32), x])
    for call in range(1, 4):
        np.testing.assert_array_equal(np.asarray(function(xp.asarray(x), xp.asarray(x))), expected)
        assert len(shared) >= call


def blas_threads():
    """Numbers of threads of the libraries of BLAS in this process, NumPy's among them."""
    import threadpoolctl

    return [entry["num_threads"] for entry in threadpoolctl.threadpool_info() if entry["user_api"] == "blas"]


@needs_blas
@pytest.mark.parametrize("rows", [100, 600])
def test_cholesky_factor_of_few_rows_is_computed_by_one_thread(monkeypatch, rows):
    import threadpoolctl

    monkeypatch.setattr(_cholesky_kernel, "factor", lambda *arguments, **options: None)
    xp.linalg.cholesky(xp.asarray(np.eye(rows)))  # so that NumPy's backend has looked up NumPy's function
    seen, cholesky = [], np.linalg.cholesky
    monkeypatch.setattr(
        np.linalg, "cholesky", lambda *args, **options: seen.append(blas_threads()) or cholesky(*args, **options)
    )
    factor = np.tril(np.random.default_rng(0).integers(1, 4, (rows, rows))) + rows * np.eye(rows)
    with threadpoolctl.threadpool_limits(limits=2, user_api="blas"):
        before = blas_threads()
        result = xp.linalg.cholesky(xp.asarray(factor @ factor.T))
        with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
            xp.linalg.cholesky(xp.asarray(-np.eye(rows)))
        assert blas_threads() == before
    np.testing.assert_allclose(np.asarray(result), factor, rtol=1e-12)
    # For few rows alone, NumPy's function is looked up at each call.
    assert [before.count(2) - numbers.count(2) for numbers in seen] == ([1, 1] if rows <= 512 else [])


@needs_blas
def test_number_of_threads_of_blas_is_restored(shared):
    import threadpoolctl

    before = blas_threads()
    x = xp.asarray(integers((300, 300)))
    with threadpoolctl.threadpool_limits(limits=2, user_api="blas"):
        limited = blas_threads()
        x @ x
        assert blas_threads() == limited
    assert (blas_threads(), shared) == (before, [2])


@needs_blas
def test_products_of_several_threads_at_once():
    x, y = integers((300, 300)), integers((6, 90, 90))
    expected = x.astype(np.int64) @ x.astype(np.int64), y.astype(np.int64) @ y.astype(np.int64)
    wrong = []

    def work():
        a, b = xp.asarray(x, device="cpu"), xp.asarray(y, device="cpu")
        for _ in range(200):
            if not (np.array_equal(a @ a, expected[0]) and np.array_equal(b @ b, expected[1])):
                wrong.append(1)
            if not np.array_equal(x @ x, expected[0]):
                wrong.append(2)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@needs_blas
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_child_of_a_process_that_multiplies():
    program = f"""
import sys; sys.path[:0] = {sys.path!r}
import os
import numpy as np, xtensor as xp
x = np.ones((300, 300), np.float32)
a = xp.asarray(x, device="cpu")
for _ in range(20):
    a @ a
    child = os.fork()
    if child == 0: os._exit(0 if np.array_equal(a @ a, np.full((300, 300), 300)) else 1)
    assert os.waitpid(child, 0)[1] == 0
print("end", flush=True)
os._exit(0)
"""
    environment = os.environ | {"XTENSOR_NUM_THREADS": "2"}
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, env=environment)
    assert (run.stdout, run.stderr, run.returncode) == ("end\n", "", 0)
