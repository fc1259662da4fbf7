"""Triangular systems and Cholesky factors on the device cpu by kernels: exact where all sums are."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("the overlay needs llvmlite", allow_module_level=True)

import xtensor as xp
from xtensor_backends.llvm import _cholesky_kernel, _compile, _threads, _tiles, _triangular_kernel

pytestmark = [
    pytest.mark.usefixtures("on_cpu"),
    pytest.mark.skipif(not _compile.has_feature("avx512f"), reason="the kernels need AVX-512"),
]

DTYPES = ["float32", "float64"]

LAYOUTS = {
    "rows": lambda x: x,
    "columns": lambda x: x.swapaxes(-2, -1).copy().swapaxes(-2, -1),
    "strided": lambda x: np.repeat(np.repeat(x, 2, axis=-2), 3, axis=-1)[..., ::2, ::3],
    "reversed": lambda x: x[..., ::-1, ::-1].copy()[..., ::-1, ::-1],
    "parts of rows": lambda x: np.concatenate([x, x], axis=-1)[..., : x.shape[-1]],
    "stack last": lambda x: np.moveaxis(np.moveaxis(x, 0, -1).copy(), -1, 0) if x.ndim > 2 else x,
}


@pytest.fixture
def computed(monkeypatch):
    """Two threads, and a list of the kernels that computed."""
    monkeypatch.setattr(_threads, "team", lambda: 2)
    calls = []

    def counted(name, kernel, *arguments, **options):
        result = kernel(*arguments, **options)
        calls.extend([name] * (result is not None))
        return result

    for module, name in ((_triangular_kernel, "solve"), (_cholesky_kernel, "factor")):
        monkeypatch.setattr(module, name, functools.partial(counted, name, getattr(module, name)))
    return calls


def triangle(rows, dtype, stack=(), *, lower=True, unit=False):
    """Return matrices with NaN where they are not read, and the triangles that they stand for: small integers."""
    rng, eye = np.random.default_rng(rows), np.eye(rows) == 1
    matrix = np.where(eye, 2.0 ** rng.integers(-2, 3, (*stack, 1, rows)), rng.integers(-3, 4, (*stack, rows, rows)))
    matrix = matrix.astype(dtype)
    whole = np.tril(matrix) if lower else np.triu(matrix)
    other = np.triu(np.ones((rows, rows)), 1) if lower else np.tril(np.ones((rows, rows)), -1)
    given = np.where(other == 1, np.nan, matrix).astype(dtype)
    if unit:
        whole, given = np.where(eye, 1, whole).astype(dtype), np.where(eye, np.nan, given).astype(dtype)
    return given, whole


@given(
    st.sampled_from(DTYPES),
    st.sampled_from([8, 9, 15, 16, 63, 64, 65, 130, 200]),
    st.integers(3, 101),
    st.sampled_from([((), ()), ((3,), ()), ((), (2, 1)), ((3,), (2, 1)), ((2, 1), (2, 3)), ((5,), (5,))]),
    st.sampled_from(sorted(LAYOUTS)),
    st.sampled_from(sorted(LAYOUTS)),
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
)
def test_solution_is_exact_where_the_sums_are(dtype, rows, columns, stacks, layout_a, layout_b, lower, unit, threads):
    given, whole = triangle(rows, dtype, stacks[0], lower=lower, unit=unit)
    solution = np.random.default_rng(columns).integers(-9, 10, (*np.broadcast_shapes(*stacks), rows, columns))
    if stacks[0]:  # other right sides, and a solution for each matrix
        b = whole.astype(float) @ solution
    else:
        solution = solution[(0,) * len(stacks[1])] * np.ones((*stacks[1], 1, 1))
        b = whole.astype(float) @ solution
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_threads, "team", lambda: threads)
        result = _triangular_kernel.solve(
            LAYOUTS[layout_a](given), LAYOUTS[layout_b](b.astype(dtype)), lower=lower, unit_diagonal=unit
        )
    assert result is not None
    np.testing.assert_array_equal(result, solution.astype(dtype), strict=True)
    assert result.flags.c_contiguous


@given(st.sampled_from(DTYPES), st.sampled_from([8, 17, 65]), st.integers(1, 30), st.booleans())
def test_right_sides_broadcast(dtype, rows, columns, lower):
    given, _ = triangle(rows, dtype, (4, 1), lower=lower)
    b = np.random.default_rng(rows).integers(-9, 10, (3, rows, columns)).astype(dtype)
    result = _triangular_kernel.solve(given, b, lower=lower, unit_diagonal=False)
    assert result.shape == (4, 3, rows, columns)
    for i in range(4):
        for j in range(3):
            one = np.concatenate([b[j]] * 3, axis=1)  # for one matrix, the kernel takes three columns or more
            alone = _triangular_kernel.solve(given[i, 0], one, lower=lower, unit_diagonal=False)
            np.testing.assert_array_equal(result[i, j], alone[:, :columns])


@pytest.mark.parametrize("dtype", DTYPES)
def test_public_functions_call_the_kernels(computed, dtype):
    _, lower = triangle(100, dtype)
    b = np.arange(300).reshape(100, 3).astype(dtype)
    solution = xp.linalg.solve_triangular(
        xp.asarray(lower), xp.asarray((lower.astype(float) @ b).astype(dtype)), lower=True
    )
    np.testing.assert_array_equal(np.asarray(solution), b, strict=True)
    x = factor_of(100, dtype)
    np.testing.assert_array_equal(np.asarray(xp.linalg.cholesky(xp.asarray(x @ x.T))), x, strict=True)
    np.testing.assert_array_equal(np.asarray(xp.linalg.cholesky(xp.asarray(x @ x.T), upper=True)), x.T, strict=True)
    assert computed == ["solve", "factor", "factor"]
    stack = xp.asarray(np.stack([x @ x.T] * 3))
    np.testing.assert_array_equal(np.asarray(xp.linalg.cholesky(stack)), np.stack([x] * 3), strict=True)
    right = xp.asarray(np.stack([x @ b, x @ b * 2]))
    solutions = xp.vmap(lambda y: xp.linalg.solve_triangular(xp.asarray(x), y, lower=True))(right)
    np.testing.assert_array_equal(np.asarray(solutions), np.stack([b, b * 2]), strict=True)
    assert computed[3:] == ["factor", "solve"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_solutions_with_a_diagonal_matrix_are_the_rounded_quotients(dtype):
    divisors = np.arange(1, 51).astype(dtype)
    b = np.arange(1, 251).reshape(50, 5).astype(dtype)
    result = _triangular_kernel.solve(np.diag(divisors), b, lower=True, unit_diagonal=False)
    np.testing.assert_array_equal(result, b / divisors[:, None])


@pytest.mark.parametrize("dtype", DTYPES)
def test_infinities_and_nan_stay_in_their_columns(dtype):
    _, lower = triangle(65, dtype)
    b = (lower.astype(float) @ np.ones((65, 30))).astype(dtype)
    b[64, 7], b[3, 29] = np.nan, -np.inf
    result = _triangular_kernel.solve(lower, b, lower=True, unit_diagonal=False)
    others = np.delete(result, (7, 29), axis=1)
    np.testing.assert_array_equal(others, np.ones_like(others))
    np.testing.assert_array_equal(result[:64, 7], np.ones(64))
    assert np.isnan(result[64, 7])
    np.testing.assert_array_equal(result[:3, 29], np.ones(3))
    assert not np.isfinite(result[3, 29])


@pytest.mark.parametrize("rows", [300, 1500])
def test_rounding_errors_of_systems_do_not_grow_with_the_rows(rows):
    rng = np.random.default_rng(0)
    matrix = np.tril(rng.standard_normal((rows, rows)) / np.sqrt(rows) + 2 * np.eye(rows)).astype(np.float32)
    b = rng.standard_normal((rows, 20)).astype(np.float32)
    exact = np.linalg.solve(matrix.astype(float), b.astype(float))
    result = _triangular_kernel.solve(matrix, b, lower=True, unit_diagonal=False)
    errors = [np.sqrt(np.mean((solution - exact) ** 2)) for solution in (result, exact.astype(np.float32))]
    assert errors[0] <= 4 * errors[1]


def test_solutions_do_not_depend_on_the_threads(monkeypatch):
    rng = np.random.default_rng(0)
    matrix, b = rng.standard_normal((200, 200)) + 20 * np.eye(200), rng.standard_normal((200, 161))
    results = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(_threads, "team", lambda threads=threads: threads)
        results.append(_triangular_kernel.solve(matrix, b, lower=False, unit_diagonal=False))
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


@pytest.mark.parametrize(("rows", "columns"), [(7, 300), (2049, 3), (300, 2), (50, 3)])
def test_other_systems_are_left_to_blas(rows, columns):
    assert not _triangular_kernel.is_faster(np.eye(rows), np.ones((rows, columns)))


def test_large_stacks():
    """Where the matrices of large stacks begin is computed for each call."""
    for count in (_tiles.MOST_KEPT, _tiles.MOST_KEPT + 1):
        numbers = np.arange(1.0, count + 1)
        matrices = np.eye(8) * numbers[:, None, None] ** 2
        solution = xp.linalg.solve_triangular(xp.asarray(matrices), xp.asarray(np.ones((8, 1))))
        np.testing.assert_array_equal(np.asarray(solution)[:, :, 0], np.ones((count, 8)) / numbers[:, None] ** 2)
        np.testing.assert_array_equal(np.asarray(xp.linalg.cholesky(xp.asarray(matrices))), np.sqrt(matrices))


# -- Cholesky factors --------------------------------------------------------------------------------------------------


def factor_of(rows, dtype, stack=()):
    """Return lower factors of small integers, whose products with the transposed ones are exact, as are all sums."""
    rng = np.random.default_rng(rows)
    diagonal = np.eye(rows) * 2 ** rng.integers(0, 3, (*stack, 1, rows))
    return (np.tril(rng.integers(-2, 3, (*stack, rows, rows)), -1) + diagonal).astype(dtype)


@given(
    st.sampled_from(DTYPES),
    st.integers(8, 150),
    st.sampled_from([(), (1,), (7,), (2, 3)]),
    st.sampled_from(sorted(LAYOUTS)),
    st.booleans(),
    st.sampled_from([0.5, 0.25]),
    st.integers(1, 3),
)
def test_factor_is_exact_where_the_sums_are(dtype, rows, stack, layout, upper, scale, threads):
    factor = factor_of(rows, dtype, stack) * np.dtype(dtype).type(scale)
    transposed = factor.swapaxes(-2, -1)
    product = factor @ transposed
    other = np.tril(np.ones((rows, rows)), -1) if upper else np.triu(np.ones((rows, rows)), 1)
    given = LAYOUTS[layout](np.where(other == 1, np.nan, product).astype(dtype))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_threads, "team", lambda: threads)
        result = _cholesky_kernel.factor(given, upper=upper)
    np.testing.assert_array_equal(result, transposed if upper else factor, strict=True)
    assert result.flags.c_contiguous
    assert not np.signbit(result[..., other == 1]).any()


@pytest.mark.parametrize("number", [0, 4, 19])
def test_one_matrix_of_a_stack_that_is_not_positive_definite_raises(number):
    matrices = np.stack([np.eye(20)] * 20)
    matrices[number, 13, 13] = -1.0
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        xp.linalg.cholesky(xp.asarray(matrices))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("place", [0, 3, 8, 50, 92, 99])
def test_matrices_that_are_not_positive_definite_raise(dtype, upper, place):
    for value in (0.0, -1.0):
        matrix = np.eye(100, dtype=dtype)
        matrix[place, place] = value
        with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
            xp.linalg.cholesky(xp.asarray(matrix), upper=upper)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rounding_errors_of_factors(dtype):
    """Each element of the product differs by less than n + 1 rounding errors (Higham 2002, theorem 10.3)."""
    rows = 500
    x = np.random.default_rng(0).standard_normal((rows, rows))
    matrix = (x @ x.T / rows + np.eye(rows) / 2).astype(dtype)
    factor = _cholesky_kernel.factor(matrix, upper=False).astype(np.longdouble)
    bound = (rows + 1) * np.finfo(dtype).eps * (abs(factor) @ abs(factor.T))
    assert (abs(factor @ factor.T - matrix) <= bound).all()


PROGRAM = """
import ctypes, mmap
import numpy as np
from xtensor_backends.llvm import _cholesky_kernel, _triangular_kernel

libc, kept = ctypes.CDLL(None, use_errno=True), []

def at_an_end(shape, dtype):
    "Memory before a page, or after one, that no one may read or write."
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    pages = -(-size // mmap.PAGESIZE)
    memory = mmap.mmap(-1, (pages + 2) * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    kept.append(memory)
    for page in (0, pages + 1):
        assert libc.mprotect(ctypes.c_void_p(start + page * mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
    begin = mmap.PAGESIZE + (0 if at_begin else pages * mmap.PAGESIZE - size)
    return np.frombuffer(memory, dtype, int(np.prod(shape)), begin).reshape(shape)

def copied(x):
    result = at_an_end(x.shape, x.dtype)
    result[...] = x
    return result

for at_begin in (False, True):
    _triangular_kernel.empty = _cholesky_kernel.empty = at_an_end
    for dtype in (np.float32, np.float64):
        for rows in (8, 9, 17, 30):
            triangle = np.tril(np.ones((rows, rows), dtype))
            for columns in (3, 8, 17, 49):
                for lower in (True, False):
                    a, b = copied(triangle if lower else triangle.T), copied(np.ones((rows, columns), dtype))
                    for given in (a, copied(a.T).T):
                        x = _triangular_kernel.solve(given, b, lower=lower, unit_diagonal=False)
                        assert x.sum() == columns
            for upper in (True, False):
                for given in (copied(triangle @ triangle.T), copied(triangle @ triangle.T).T):
                    assert (_cholesky_kernel.factor(given, upper=upper) == (triangle.T if upper else triangle)).all()
print("done")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the program calls mprotect of Linux's C library")
def test_kernels_read_and_write_nothing_beside_the_matrices():
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="reads the flags of Linux's mathematical library")
@pytest.mark.parametrize("rows", [9, 17, 30, 100])
@pytest.mark.parametrize("dtype", DTYPES)
def test_kernels_compute_with_no_elements_that_were_not_written(monkeypatch, dtype, rows):
    """Their products would overflow. With subnormal numbers, which overflow nowhere, they took twenty times as long."""
    library, overflow = ctypes.CDLL("libm.so.6"), 8
    monkeypatch.setattr(_threads, "team", lambda: 1)
    for module in (_triangular_kernel, _cholesky_kernel):
        monkeypatch.setattr(module, "empty", lambda shape, dtype: np.full(shape, np.finfo(dtype).max, dtype))
    lower = np.tril(np.ones((rows, rows), dtype))
    upper, product = lower.T.copy(), lower @ lower.T
    for call in (
        lambda: _triangular_kernel.solve(lower, lower[:, :5], lower=True, unit_diagonal=False),
        lambda: _triangular_kernel.solve(upper, lower[:, :5], lower=False, unit_diagonal=True),
        lambda: _cholesky_kernel.factor(product, upper=False),
        lambda: _cholesky_kernel.factor(product, upper=True),
    ):
        library.feclearexcept(overflow)
        call()
        assert library.fetestexcept(overflow) == 0
