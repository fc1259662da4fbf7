"""The extension ``linalg`` on each device: results that are unique against NumPy, others by what defines them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    Operand,
    broadcastable,
    dtype_pairs,
    dtypes,
    expect,
    few,
    made,
    operands,
    quiet,
    shapes,
    values_of,
)

import xtensor as xp

SMALL: dict[str, Any] = {"bound": 8.0, "special": False}


def tolerance(dtype: Any) -> float:
    return 2000 * float(np.finfo(dtype).eps)


def close(result: Any, expected: Any, dtype: Any = None, factor: float = 1.0) -> None:
    """Equal up to the rounding of a decomposition of a small, well-conditioned matrix."""
    wanted = np.dtype(np.asarray(expected).dtype if dtype is None else dtype)
    if wanted.kind not in "fc":
        expect(result, expected, dtype=wanted)
        return
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    expect(result, expected, dtype=wanted, ulp=8, signs=False, atol=tolerance(wanted) * scale * factor)


def real_of(dtype: Any) -> np.dtype:
    return np.finfo(dtype).dtype


def complex_of(dtype: Any) -> np.dtype:
    return np.result_type(dtype, np.complex64)


@st.composite
def matrices(draw: st.DrawFn, dtype: Any, *, square: bool = True, kind: str = "any", least: int = 0) -> Operand:
    """Stacks of matrices, well-conditioned and without equal singular values; ``kind`` may be hermitian or positive."""
    stack = draw(shapes(max_dims=1, max_side=3))
    rows = draw(st.integers(least, 4))
    columns = rows if square else draw(st.integers(least, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    host = rng.uniform(-1, 1, (*stack, rows, columns))
    if dtype.kind == "c":
        host = host + 1j * rng.uniform(-1, 1, host.shape)
    if kind != "any":
        host = host + np.conj(np.swapaxes(host, -1, -2))
    if square:
        host = host + (8 if kind == "positive" else 4) * np.diag(np.arange(1, rows + 1))
    host = host.astype(dtype)
    if draw(st.booleans()):
        # The memory holds the transposes, so that the device's matrices are in column-major order.
        array = xp.matrix_transpose(xp.asarray(np.ascontiguousarray(np.swapaxes(host, -1, -2)), copy=True))
    else:
        array = xp.asarray(host, copy=True)
    return Operand(host, array)


def adjoint(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


@pytest.mark.parametrize("upper", [False, True])
@given(data=st.data())
def test_cholesky_factor_multiplies_to_the_matrix(device, upper, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, kind="positive"))
    result = xp.linalg.cholesky(x.array, upper=upper)
    close(result, np.linalg.cholesky(x.host, upper=upper))
    factor = values_of(result)
    close(xp.asarray(adjoint(factor) @ factor if upper else factor @ adjoint(factor)), x.host)


@given(data=st.data())
def test_cross_product(device, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "iufc"))
    first, second = data.draw(broadcastable(2))
    x1 = data.draw(operands(dtype1, (*first, 3), **SMALL))
    x2 = data.draw(operands(dtype2, (*second, 3), **SMALL))
    with quiet():
        common = np.result_type(dtype1, dtype2)
        a, b = x1.host.astype(common), x2.host.astype(common)
        a, b = np.broadcast_arrays(a, b)
        parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
        expected = np.stack(parts, axis=-1)
        close(xp.linalg.cross(x1.array, x2.array), expected, factor=0.1)


@few
@given(data=st.data())
def test_cross_product_along_another_axis(device, data):
    dtype = data.draw(dtypes(device, "if"))
    x1, x2 = (data.draw(operands(dtype, (3, 2), **SMALL)) for _ in range(2))
    with quiet():
        close(xp.linalg.cross(x1.array, x2.array, axis=-2), np.linalg.cross(x1.host, x2.host, axis=0), factor=0.1)


@pytest.mark.parametrize("length", [2, 4])
def test_cross_product_of_other_lengths_than_three_is_refused(device, length):
    with pytest.raises(ValueError, match="3"):
        xp.linalg.cross(xp.ones(length), xp.ones(length))


@given(data=st.data())
def test_determinant(device, data):
    x = data.draw(matrices(data.draw(dtypes(device, "fc"))))
    close(xp.linalg.det(x.array), np.linalg.det(x.host), dtype=x.host.dtype)


@given(data=st.data())
def test_slogdet_is_sign_and_logarithm_of_the_determinant(device, data):
    x = data.draw(matrices(data.draw(dtypes(device, "fc"))))
    result, expected = xp.linalg.slogdet(x.array), np.linalg.slogdet(x.host)
    assert result._fields == ("sign", "logabsdet")
    close(result.sign, expected.sign, dtype=x.host.dtype)
    close(result.logabsdet, expected.logabsdet, dtype=real_of(x.host.dtype))


def test_slogdet_of_a_singular_matrix_is_zero_and_minus_infinity(device):
    with quiet():
        sign, logarithm = xp.linalg.slogdet(xp.zeros((2, 2)))
    assert (float(sign), float(logarithm)) == (0.0, -np.inf)


@given(data=st.data())
def test_diagonal_gives_the_elements_of_a_diagonal(device, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=2)))
    offset = data.draw(st.integers(-5, 5))
    expect(xp.linalg.diagonal(x.array, offset=offset), np.linalg.diagonal(x.host, offset=offset))


@given(data=st.data())
def test_trace_sums_a_diagonal(device, data):
    x = data.draw(operands(dtypes(device, "iufc"), shapes(min_dims=2), **SMALL))
    offset = data.draw(st.integers(-4, 4))
    kind = x.host.dtype.kind
    dtype = x.host.dtype if kind in "fc" else np.dtype(np.uint64 if kind == "u" else np.int64)
    close(xp.linalg.trace(x.array, offset=offset), np.linalg.trace(x.host, offset=offset), dtype=dtype)


@few
@given(data=st.data())
def test_trace_in_another_dtype(device, data):
    x = data.draw(operands(dtypes(device, "i"), (3, 3), bound=8))
    dtype = data.draw(dtypes(device, "i"))
    expect(xp.linalg.trace(x.array, dtype=dtype), np.linalg.trace(x.host, dtype=dtype), dtype=dtype)


@given(data=st.data())
def test_eigh_decomposes_a_hermitian_matrix(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, kind="hermitian"))
    result = xp.linalg.eigh(x.array)
    assert result._fields == ("eigenvalues", "eigenvectors")
    assert (result.eigenvalues.dtype, result.eigenvectors.dtype) == (real_of(dtype), dtype)
    w, v = values_of(result.eigenvalues), values_of(result.eigenvectors)
    scale = max(1.0, float(np.max(np.abs(x.host), initial=0.0)))
    assert np.allclose((v * w[..., None, :]) @ adjoint(v), x.host, rtol=0, atol=tolerance(dtype) * scale)
    assert np.allclose(adjoint(v) @ v, np.eye(x.host.shape[-1]), rtol=0, atol=tolerance(dtype))


@given(data=st.data())
def test_eigvalsh_are_the_eigenvalues_of_eigh(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, kind="hermitian"))
    result = xp.linalg.eigvalsh(x.array)
    assert result.dtype == real_of(dtype)
    scale = max(1.0, float(np.max(np.abs(x.host), initial=0.0)))
    expected = np.linalg.eigvalsh(x.host)
    assert np.allclose(np.sort(values_of(result)), np.sort(expected), rtol=0, atol=tolerance(dtype) * scale)


@given(data=st.data())
def test_eig_gives_vectors_that_the_matrix_scales(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype))
    result = xp.linalg.eig(x.array)
    assert result._fields == ("eigenvalues", "eigenvectors")
    assert result.eigenvalues.dtype == result.eigenvectors.dtype == complex_of(dtype)
    w, v = values_of(result.eigenvalues), values_of(result.eigenvectors)
    scale = max(1.0, float(np.max(np.abs(x.host), initial=0.0)))
    assert np.allclose(x.host @ v, v * w[..., None, :], rtol=0, atol=tolerance(dtype) * scale)
    assert np.allclose(np.linalg.norm(v, axis=-2), 1.0, rtol=0, atol=tolerance(dtype))


@given(data=st.data())
def test_eigvals_are_the_eigenvalues_of_eig(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype))
    result = xp.linalg.eigvals(x.array)
    assert result.dtype == complex_of(dtype)
    assert result.shape == x.host.shape[:-1]
    total, product = values_of(result).sum(axis=-1), values_of(result).prod(axis=-1)
    assert np.allclose(total, np.trace(x.host, axis1=-2, axis2=-1), rtol=0, atol=tolerance(dtype) * 64)
    assert np.allclose(product, np.linalg.det(x.host), rtol=tolerance(dtype), atol=tolerance(dtype) * 64)


@given(data=st.data())
def test_inverse_times_the_matrix_is_the_identity(device, data):
    x = data.draw(matrices(data.draw(dtypes(device, "fc"))))
    result = xp.linalg.inv(x.array)
    assert (result.dtype, result.shape) == (x.host.dtype, x.host.shape)
    identity = values_of(result) @ x.host
    assert np.allclose(identity, np.eye(x.host.shape[-1]), rtol=0, atol=tolerance(x.host.dtype) * 16)


@pytest.mark.parametrize("order", ["fro", "nuc", None, 1, -1, 2, -2, float("inf"), -float("inf")], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
@few
@given(data=st.data())
def test_matrix_norm(device, order, keepdims, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, square=False, least=1))
    result = xp.linalg.matrix_norm(x.array, ord=order, keepdims=keepdims)
    expected = np.linalg.norm(x.host, ord="fro" if order is None else order, axis=(-2, -1), keepdims=keepdims)
    close(result, expected, dtype=real_of(dtype))


@pytest.mark.parametrize("n", [-2, -1, 0, 1, 2, 3, 5])
@few
@given(data=st.data())
def test_matrix_power(device, n, data):
    x = data.draw(matrices(data.draw(dtypes(device, "fc"))))
    close(xp.linalg.matrix_power(x.array, n), np.linalg.matrix_power(x.host, n), dtype=x.host.dtype, factor=16)


@given(data=st.data())
def test_matrix_rank_counts_independent_columns(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    rows, columns, rank = (data.draw(st.integers(1, 4)) for _ in range(3))
    rank = min(rank, rows, columns)
    host = np.zeros((rows, columns), dtype)
    host[range(rank), range(rank)] = np.arange(1, rank + 1)
    result = xp.linalg.matrix_rank(xp.asarray(host))
    expect(result, np.asarray(rank), dtype=np.int64)


@pytest.mark.parametrize("rtol", [0.5, "array"], ids=str)
def test_matrix_rank_with_a_tolerance(device, rtol):
    host = np.stack([np.diag([4.0, 3.0, 1.0]), np.diag([4.0, 0.1, 1.0])])
    tolerance = xp.asarray([0.5, 0.01]) if rtol == "array" else rtol
    result = xp.linalg.matrix_rank(xp.asarray(host), rtol=tolerance)
    expect(result, np.asarray([2, 3] if rtol == "array" else [2, 1]), dtype=np.int64)


@given(data=st.data())
def test_outer_product(device, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "iufc"))
    one = shapes(min_dims=1, max_dims=1)
    x1, x2 = data.draw(operands(dtype1, one, **SMALL)), data.draw(operands(dtype2, one, **SMALL))
    with quiet():
        close(xp.linalg.outer(x1.array, x2.array), np.multiply.outer(x1.host, x2.host), factor=0.1)


@given(data=st.data())
def test_pseudo_inverse(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, square=False))
    result = values_of(xp.linalg.pinv(x.array))
    assert (result.dtype, result.shape) == (dtype, np.swapaxes(x.host, -1, -2).shape)
    scale = max(1.0, float(np.max(np.abs(result), initial=0.0))) ** 2
    assert np.allclose(x.host @ result @ x.host, x.host, rtol=0, atol=tolerance(dtype) * scale)
    assert np.allclose(result @ x.host @ result, result, rtol=0, atol=tolerance(dtype) * scale)


@pytest.mark.parametrize("mode", ["reduced", "complete"])
@given(data=st.data())
def test_qr_gives_orthonormal_columns_and_a_triangle(device, mode, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, square=False))
    result = xp.linalg.qr(x.array, mode=mode)
    assert result._fields == ("Q", "R")
    assert result.Q.dtype == result.R.dtype == dtype
    q, r = values_of(result.Q), values_of(result.R)
    rows, columns = x.host.shape[-2:]
    inner = rows if mode == "complete" else min(rows, columns)
    assert (q.shape[-2:], r.shape[-2:]) == ((rows, inner), (inner, columns))
    assert np.allclose(q @ r, x.host, rtol=0, atol=tolerance(dtype))
    assert np.allclose(adjoint(q) @ q, np.eye(inner), rtol=0, atol=tolerance(dtype))
    assert np.array_equal(np.triu(r), r)


@given(data=st.data())
def test_solve_with_matrices_of_right_hand_sides(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    a = data.draw(matrices(dtype))
    columns = data.draw(st.integers(0, 3))
    b = data.draw(operands(dtype, (a.host.shape[-1], columns), bound=4.0, special=False))
    result = xp.linalg.solve(a.array, b.array)
    close(result, np.linalg.solve(a.host, np.broadcast_to(b.host, (*a.host.shape[:-1], columns))), dtype=dtype)


@few
@given(data=st.data())
def test_solve_with_one_vector(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    a = data.draw(matrices(dtype))
    b = data.draw(operands(dtype, (a.host.shape[-1],), bound=4.0, special=False))
    close(xp.linalg.solve(a.array, b.array), np.linalg.solve(a.host, b.host), dtype=dtype)


@few
@given(data=st.data())
def test_solve_promotes(device, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "fc"))
    a = np.eye(2).astype(dtype1)
    b = data.draw(operands(dtype2, (2, 2), bound=4.0, special=False))
    close(xp.linalg.solve(xp.asarray(a), b.array), b.host.astype(np.result_type(dtype1, dtype2)))


@pytest.mark.parametrize("full", [False, True])
@given(data=st.data())
def test_svd_decomposes_into_orthonormal_factors(device, full, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, square=False))
    result = xp.linalg.svd(x.array, full_matrices=full)
    assert result._fields == ("U", "S", "Vh")
    assert (result.U.dtype, result.S.dtype, result.Vh.dtype) == (dtype, real_of(dtype), dtype)
    u, s, vh = (values_of(part) for part in result)
    rows, columns = x.host.shape[-2:]
    inner = min(rows, columns)
    assert u.shape[-2:] == (rows, rows if full else inner)
    assert vh.shape[-2:] == (columns if full else inner, columns)
    assert np.allclose((u[..., :inner] * s[..., None, :]) @ vh[..., :inner, :], x.host, rtol=0, atol=tolerance(dtype))
    assert np.allclose(adjoint(u) @ u, np.eye(u.shape[-1]), rtol=0, atol=tolerance(dtype))
    assert np.allclose(vh @ adjoint(vh), np.eye(vh.shape[-2]), rtol=0, atol=tolerance(dtype))


@given(data=st.data())
def test_svdvals_are_real_and_descend(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, square=False, least=1))
    close(xp.linalg.svdvals(x.array), np.linalg.svd(x.host, compute_uv=False), dtype=real_of(dtype))


ORDERS = [0, 1, 2, 3, 0.5, -1, -2, 2.5, float("inf"), -float("inf")]


@pytest.mark.parametrize("order", ORDERS, ids=str)
@few
@given(data=st.data())
def test_vector_norm(device, order, data):
    dtype = data.draw(dtypes(device, "fc"))
    # Powers of these neither overflow nor underflow.
    values = st.sampled_from([0.0, -0.0, 0.25, -0.5, 1.0, -1.0, 2.5, -7.0, 100.0])
    x = data.draw(operands(dtype, shapes(min_side=1), values))
    axis = data.draw(st.none() | st.integers(-x.host.ndim, x.host.ndim - 1)) if x.host.ndim else None
    keepdims = data.draw(st.booleans())
    with quiet():
        result = xp.linalg.vector_norm(x.array, axis=axis, keepdims=keepdims, ord=order)
        wide = np.abs(x.host.astype(np.clongdouble if dtype.kind == "c" else np.longdouble))
        expected = norm(wide, axis, keepdims, order)
    expect(result, expected, dtype=real_of(dtype), ulp=64, signs=False)


def norm(magnitude: Any, axis: Any, keepdims: bool, order: float) -> Any:
    """The norm by its formula."""
    if order == 0:
        return np.sum(magnitude != 0, axis=axis, keepdims=keepdims).astype(magnitude.dtype)
    if np.isinf(order):
        return (np.max if order > 0 else np.min)(magnitude, axis=axis, keepdims=keepdims)
    return np.sum(magnitude**order, axis=axis, keepdims=keepdims) ** (np.longdouble(1) / order)


@few
@given(data=st.data())
def test_vector_norm_over_several_axes(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(operands(dtype, (2, 3, 2), bound=100.0, special=False))
    expected = np.sqrt(np.sum(np.abs(x.host.astype(np.complex128)) ** 2, axis=(0, 2)))
    expect(xp.linalg.vector_norm(x.array, axis=(0, -1)), expected, dtype=real_of(dtype), ulp=16, signs=False)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_vector_norm_of_nothing_is_zero(device, order):
    expect(xp.linalg.vector_norm(xp.ones(0), ord=order), np.asarray(0.0), dtype=xp.ones(1).dtype)


OF_SQUARES = ("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "slogdet")


@pytest.mark.parametrize("name", OF_SQUARES)
def test_matrix_that_is_not_square_is_refused(device, name):
    with pytest.raises(ValueError, match=r"square.*\(2, 3\)"):
        getattr(xp.linalg, name)(xp.ones((2, 3)))


@pytest.mark.parametrize(
    "name", [*OF_SQUARES, "diagonal", "matrix_norm", "matrix_rank", "pinv", "qr", "svd", "svdvals", "trace"]
)
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_what_is_no_matrix_is_refused(device, name, shape):
    with pytest.raises(ValueError, match="matrices|two or more"):
        getattr(xp.linalg, name)(xp.ones(shape))


@pytest.mark.parametrize("name", ["inv", "solve"])
def test_singular_matrix_is_refused_on_the_host(name):
    with xp.use_device("cpu"), pytest.raises(np.linalg.LinAlgError, match=name):
        getattr(xp.linalg, name)(*(xp.zeros((2, 2)) for _ in range(1 if name == "inv" else 2)))


def test_cholesky_of_an_indefinite_matrix_is_refused_on_the_host():
    with xp.use_device("cpu"), pytest.raises(np.linalg.LinAlgError, match="cholesky"):
        xp.linalg.cholesky(xp.asarray([[1.0, 2.0], [2.0, 1.0]]))


@pytest.mark.parametrize("name", [*OF_SQUARES, "pinv", "qr", "svd", "svdvals"])
def test_operand_is_left_as_it_was(device, name):
    x = made([[4.0, 1.0], [1.0, 3.0]])
    getattr(xp.linalg, name)(x.array)
    expect(x.array, x.host)


TESTED = {
    *OF_SQUARES,
    *("cross", "diagonal", "matrix_norm", "matrix_power", "matrix_rank", "outer", "pinv", "qr", "solve", "svd"),
    *("svdvals", "trace", "vector_norm"),
}
ELSEWHERE = {"lstsq", "matmul", "matrix_transpose", "tensordot", "vecdot"}


def test_every_function_of_the_extension_is_tested():
    assert set(xp.linalg.__all__) == TESTED | ELSEWHERE
