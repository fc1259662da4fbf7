"""The extension ``linalg`` on each device: results against NumPy, decompositions by the properties that define them."""

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
    supported,
    values_of,
)

import xtensor as xp

SMALL: dict[str, Any] = {"bound": 8.0, "special": False}


def tolerance(dtype: Any) -> float:
    return 2000 * float(np.finfo(dtype).eps)


def close(result: Any, expected: Any, dtype: Any = None, factor: float = 1.0) -> None:
    """Compare up to the rounding errors of a decomposition of a small, well-conditioned matrix."""
    expected_dtype = np.dtype(np.asarray(expected).dtype if dtype is None else dtype)
    if expected_dtype.kind not in "fc":
        expect(result, expected, dtype=expected_dtype)
        return
    atol = tolerance(expected_dtype) * scale_of(expected) * factor
    expect(result, expected, dtype=expected_dtype, ulp=8, signs=False, atol=atol)


def scale_of(x: Any) -> float:
    """The largest magnitude in an array, and at least 1."""
    return max(1.0, float(np.max(np.abs(x), initial=0.0)))


def real_of(dtype: Any) -> np.dtype:
    return np.finfo(dtype).dtype


def complex_of(dtype: Any) -> np.dtype:
    return np.result_type(dtype, np.complex64)


@st.composite
def matrices(draw: st.DrawFn, dtype: Any, *, square: bool = True, kind: str = "any", least: int = 0) -> Operand:
    """Draw well-conditioned matrices with distinct singular values.

    ``kind`` is "any", "hermitian" or "positive" (Hermitian and positive-definite); ``least`` is the minimum side.
    """
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
        # A transposed view, so that the matrices are in column-major order on the device.
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


LEVI_CIVITA = np.zeros((3, 3, 3), dtype=np.int8)
LEVI_CIVITA[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1
LEVI_CIVITA[[0, 1, 2], [2, 0, 1], [1, 2, 0]] = -1


@given(data=st.data())
def test_cross_product_is_the_contraction_with_the_levi_civita_symbol(device, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "iufc"))
    first, second = data.draw(broadcastable(2))
    x1 = data.draw(operands(dtype1, (*first, 3), **SMALL))
    x2 = data.draw(operands(dtype2, (*second, 3), **SMALL))
    with quiet():
        promoted = np.result_type(dtype1, dtype2)
        symbol, a, b = (x.astype(promoted) for x in (LEVI_CIVITA, x1.host, x2.host))
        expected = np.einsum("ijk,...j,...k->...i", symbol, a, b)
        close(xp.linalg.cross(x1.array, x2.array), expected, factor=0.1)


@few
@given(data=st.data())
def test_cross_product_along_another_axis(device, data):
    dtype = data.draw(dtypes(device, "if"))
    x1, x2 = (data.draw(operands(dtype, (3, 2), **SMALL)) for _ in range(2))
    with quiet():
        close(xp.linalg.cross(x1.array, x2.array, axis=-2), np.linalg.cross(x1.host, x2.host, axis=0), factor=0.1)


@pytest.mark.parametrize("length", [2, 4])
def test_cross_product_refuses_lengths_other_than_three(device, length):
    with pytest.raises(ValueError, match="needs length 3 along axis -1"):
        xp.linalg.cross(xp.ones(length), xp.ones(length))


def test_cross_product_refuses_an_axis_from_the_front_for_different_numbers_of_dimensions(device):
    with pytest.raises(ValueError, match="axis 0 is ambiguous"):
        xp.linalg.cross(xp.ones(3), xp.ones((3, 3)), axis=0)


@given(data=st.data())
def test_determinant_matches_numpy(device, data):
    x = data.draw(matrices(data.draw(dtypes(device, "fc"))))
    close(xp.linalg.det(x.array), np.linalg.det(x.host), dtype=x.host.dtype)


@given(data=st.data())
def test_slogdet_returns_sign_and_logarithm_of_the_determinant(device, data):
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
def test_diagonal_matches_numpy(device, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=2)))
    offset = data.draw(st.integers(-5, 5))
    expect(xp.linalg.diagonal(x.array, offset=offset), np.linalg.diagonal(x.host, offset=offset))


@given(data=st.data())
def test_trace_matches_numpy(device, data):
    x = data.draw(operands(dtypes(device, "iufc"), shapes(min_dims=2), **SMALL))
    offset = data.draw(st.integers(-4, 4))
    kind = x.host.dtype.kind
    dtype = x.host.dtype if kind in "fc" else np.dtype(np.uint64 if kind == "u" else np.int64)
    close(xp.linalg.trace(x.array, offset=offset), np.linalg.trace(x.host, offset=offset), dtype=dtype)


@few
@given(data=st.data())
def test_trace_accumulates_in_a_given_dtype(device, data):
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
    assert np.allclose((v * w[..., None, :]) @ adjoint(v), x.host, rtol=0, atol=tolerance(dtype) * scale_of(x.host))
    assert np.allclose(adjoint(v) @ v, np.eye(x.host.shape[-1]), rtol=0, atol=tolerance(dtype))


@given(data=st.data())
def test_eigvalsh_matches_numpy(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, kind="hermitian"))
    result = xp.linalg.eigvalsh(x.array)
    assert result.dtype == real_of(dtype)
    margin = tolerance(dtype) * scale_of(x.host)
    assert np.allclose(np.sort(values_of(result)), np.sort(np.linalg.eigvalsh(x.host)), rtol=0, atol=margin)


@given(data=st.data())
def test_eig_returns_unit_vectors_that_the_matrix_scales(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype))
    result = xp.linalg.eig(x.array)
    assert result._fields == ("eigenvalues", "eigenvectors")
    assert result.eigenvalues.dtype == result.eigenvectors.dtype == complex_of(dtype)
    w, v = values_of(result.eigenvalues), values_of(result.eigenvectors)
    assert np.allclose(x.host @ v, v * w[..., None, :], rtol=0, atol=tolerance(dtype) * scale_of(x.host))
    assert np.allclose(np.linalg.norm(v, axis=-2), 1.0, rtol=0, atol=tolerance(dtype))


@given(data=st.data())
def test_sums_of_powers_of_eigvals_are_traces_of_powers(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype))
    result = xp.linalg.eigvals(x.array)
    assert result.dtype == complex_of(dtype)
    assert result.shape == x.host.shape[:-1]
    # The first M sums of powers determine M eigenvalues, whatever their order.
    for n in range(1, x.host.shape[-1] + 1):
        powers = np.linalg.matrix_power(x.host.astype(np.complex128), n)
        margin = tolerance(dtype) * 4 * scale_of(powers)
        sums = np.sum(values_of(result).astype(np.complex128) ** n, axis=-1)
        assert np.allclose(sums, np.trace(powers, axis1=-2, axis2=-1), rtol=0, atol=margin)


@given(data=st.data())
def test_inverse_times_the_matrix_is_the_identity(device, data):
    x = data.draw(matrices(data.draw(dtypes(device, "fc"))))
    result = xp.linalg.inv(x.array)
    assert (result.dtype, result.shape) == (x.host.dtype, x.host.shape)
    identity = values_of(result) @ x.host
    assert np.allclose(identity, np.eye(x.host.shape[-1]), rtol=0, atol=tolerance(x.host.dtype) * 16)


@pytest.mark.parametrize(
    ("order", "norm_of_identity"), [(2, 1.0), ("fro", 2.0**0.5), ("nuc", 2.0), (1, 1.0), (-2, 1.0)]
)
@pytest.mark.parametrize("keepdims", [False, True])
def test_norm_of_each_matrix_of_a_stack_is_exact_at_the_ends_of_the_range(device, order, norm_of_identity, keepdims):
    is_double = np.float64 in device.dtypes
    scales = [2.0**-700, 1.0, 2.0**700] if is_double else [2.0**-80, 1.0, 2.0**80]
    x = xp.asarray([[[scale, 0.0], [0.0, scale]] for scale in scales])
    result = values_of(xp.linalg.matrix_norm(x, ord=order, keepdims=keepdims))
    assert result.shape == ((3, 1, 1) if keepdims else (3,))
    np.testing.assert_allclose(
        result.reshape(-1), np.asarray(scales) * norm_of_identity, rtol=1e-14 if is_double else 1e-6
    )


@pytest.mark.parametrize("order", ["fro", "nuc", None, 1, -1, 2, -2, float("inf"), -float("inf")], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
@few
@given(data=st.data())
def test_matrix_norm_matches_numpy(device, order, keepdims, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, square=False, least=1))
    result = xp.linalg.matrix_norm(x.array, ord=order, keepdims=keepdims)
    expected = np.linalg.norm(x.host, ord="fro" if order is None else order, axis=(-2, -1), keepdims=keepdims)
    close(result, expected, dtype=real_of(dtype))


@pytest.mark.parametrize("dtype", [np.dtype(name) for name in ("f4", "f8", "c16", "i8")], ids=str)
@pytest.mark.parametrize("sides", [(), (2,)], ids=str)
@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (4, 4), (3, 0), (0, 3), (1, 1)], ids=str)
def test_lstsq_matches_numpy(device, shape, sides, dtype):
    rng = np.random.default_rng(7)
    a, b = ((rng.normal(size=size) * 9).astype(dtype) for size in (shape, (shape[0], *sides)))
    expected = np.linalg.lstsq(a, b)
    result = xp.linalg.lstsq(xp.asarray(a), xp.asarray(b))
    margin = 1e-3 if supported(expected[0].dtype, device) == np.float32 else 1e-9
    x, residuals, rank, s = expected
    for actual, reference in ((result.x, x), (result.residuals, residuals), (result.s, s)):
        assert (actual.shape, actual.device) == (reference.shape, device)
        assert actual.dtype == supported(reference.dtype, device)
        np.testing.assert_allclose(values_of(actual), reference, rtol=margin, atol=margin)
    assert int(result.rank) == rank


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_lstsq_does_not_return_zeros_for_unknown_singular_values(device, value):
    with quiet():
        try:
            result = xp.linalg.lstsq(xp.asarray([[value, 1.0], [1.0, 2.0]]), xp.ones(2))
            s, x = values_of(result.s), values_of(result.x)
        except np.linalg.LinAlgError:
            return
    # Beside an infinite singular value the other one counts as 0.
    assert s[0] == np.inf or np.isnan(x).all()


@pytest.mark.parametrize("rcond", [None, 0.5, -1])
def test_lstsq_ignores_small_singular_values(device, rcond):
    a, b = np.diag([4.0, 1.0, 0.0]), np.asarray([4.0, 1.0, 5.0])
    expected = np.linalg.lstsq(a, b, rcond)
    result = xp.linalg.lstsq(xp.asarray(a), xp.asarray(b), rcond)
    expect(result.x, expected[0], ulp=8, atol=1e-12, signs=False)
    assert int(result.rank) == expected[2]
    assert result.residuals.shape == (0,)


@pytest.mark.parametrize("shapes", [((2,), (2,)), ((2, 2), (3,)), ((2, 2, 2), (2, 2)), ((2, 2), ())], ids=str)
def test_lstsq_refuses_shapes(device, shapes):
    with pytest.raises(ValueError, match=r"lstsq\(\) takes shapes"):
        xp.linalg.lstsq(*(xp.ones(shape) for shape in shapes))


@pytest.mark.parametrize("n", [-2, -1, 0, 1, 2, 3, 5])
@few
@given(data=st.data())
def test_matrix_power_matches_numpy(device, n, data):
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


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 3, 0), (0, 2, 2)], ids=str)
def test_rank_of_an_empty_matrix_is_zero(device, shape):
    result = xp.linalg.matrix_rank(xp.ones(shape))
    expect(result, np.zeros(shape[:-2], np.int64), dtype=np.int64)


@pytest.mark.parametrize(("rtol", "ranks"), [(0.5, [2, 1]), ([0.5, 0.01], [2, 3])], ids=["number", "array"])
def test_matrix_rank_counts_singular_values_above_the_tolerance(device, rtol, ranks):
    host = np.stack([np.diag([4.0, 3.0, 1.0]), np.diag([4.0, 0.1, 1.0])])
    result = xp.linalg.matrix_rank(xp.asarray(host), rtol=xp.asarray(rtol) if isinstance(rtol, list) else rtol)
    expect(result, np.asarray(ranks), dtype=np.int64)


@pytest.mark.parametrize("name", ["matrix_rank", "pinv"])
def test_tolerance_that_does_not_broadcast_to_the_matrices_is_refused(device, name):
    with pytest.raises(ValueError, match=r"rtol of shape \(2,\) does not broadcast"):
        getattr(xp.linalg, name)(xp.ones((2, 2)), rtol=xp.asarray([0.5, 0.5]))


@given(data=st.data())
def test_outer_product_matches_numpy(device, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "iufc"))
    one = shapes(min_dims=1, max_dims=1)
    x1, x2 = data.draw(operands(dtype1, one, **SMALL)), data.draw(operands(dtype2, one, **SMALL))
    with quiet():
        close(xp.linalg.outer(x1.array, x2.array), np.multiply.outer(x1.host, x2.host), factor=0.1)


@given(data=st.data())
def test_pseudo_inverse_satisfies_the_penrose_conditions(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, square=False))
    result = values_of(xp.linalg.pinv(x.array))
    assert (result.dtype, result.shape) == (dtype, np.swapaxes(x.host, -1, -2).shape)
    margin = tolerance(dtype) * scale_of(result) ** 2
    assert np.allclose(x.host @ result @ x.host, x.host, rtol=0, atol=margin)
    assert np.allclose(result @ x.host @ result, result, rtol=0, atol=margin)
    for product in (x.host @ result, result @ x.host):
        assert np.allclose(product, adjoint(product), rtol=0, atol=margin)


def test_pseudo_inverse_of_nan_is_nan_or_refused(device):
    with quiet():
        try:
            result = values_of(xp.linalg.pinv(xp.asarray(np.diag([4.0, 5.0, np.nan]))))
        except np.linalg.LinAlgError:
            return
    assert np.isnan(result[2, 2])


@pytest.mark.parametrize("mode", ["reduced", "complete"])
@given(data=st.data())
def test_qr_returns_orthonormal_columns_and_a_triangle(device, mode, data):
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
def test_solve_with_a_matrix_of_right_hand_sides_matches_numpy(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    a = data.draw(matrices(dtype))
    columns = data.draw(st.integers(0, 3))
    b = data.draw(operands(dtype, (a.host.shape[-1], columns), bound=4.0, special=False))
    result = xp.linalg.solve(a.array, b.array)
    close(result, np.linalg.solve(a.host, np.broadcast_to(b.host, (*a.host.shape[:-1], columns))), dtype=dtype)


@few
@given(data=st.data())
def test_solve_with_one_vector_matches_numpy(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    a = data.draw(matrices(dtype))
    b = data.draw(operands(dtype, (a.host.shape[-1],), bound=4.0, special=False))
    close(xp.linalg.solve(a.array, b.array), np.linalg.solve(a.host, b.host), dtype=dtype)


@few
@given(data=st.data())
def test_solve_promotes_the_dtypes(device, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "fc"))
    a = np.eye(2).astype(dtype1)
    b = data.draw(operands(dtype2, (2, 2), bound=4.0, special=False))
    close(xp.linalg.solve(xp.asarray(a), b.array), b.host.astype(np.result_type(dtype1, dtype2)))


@pytest.mark.parametrize("full", [False, True])
@given(data=st.data())
def test_svd_returns_orthonormal_factors_whose_product_is_the_matrix(device, full, data):
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
def test_svdvals_match_numpy(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(matrices(dtype, square=False, least=1))
    close(xp.linalg.svdvals(x.array), np.linalg.svd(x.host, compute_uv=False), dtype=real_of(dtype))


ORDERS = [0, 1, 2, 3, 0.5, -1, -2, 2.5, float("inf"), -float("inf")]


@pytest.mark.parametrize("order", ORDERS, ids=str)
@few
@given(data=st.data())
def test_vector_norm_matches_numpy_in_extended_precision(device, order, data):
    dtype = data.draw(dtypes(device, "fc"))
    # The powers of these values neither overflow nor underflow.
    values = st.sampled_from([0.0, -0.0, 0.25, -0.5, 1.0, -1.0, 2.5, -7.0, 100.0])
    x = data.draw(operands(dtype, shapes(min_side=1), values))
    axis = data.draw(st.none() | st.integers(-x.host.ndim, x.host.ndim - 1)) if x.host.ndim else None
    keepdims = data.draw(st.booleans())
    with quiet():
        result = xp.linalg.vector_norm(x.array, axis=axis, keepdims=keepdims, ord=order)
        extended = x.host.astype(np.clongdouble if dtype.kind == "c" else np.longdouble)
        expected = np.linalg.vector_norm(extended, axis=axis, keepdims=keepdims, ord=order)
    expect(result, expected, dtype=real_of(dtype), ulp=64, signs=False)


@few
@given(data=st.data())
def test_vector_norm_over_two_axes_is_the_frobenius_norm_of_each_slice(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    x = data.draw(operands(dtype, (2, 3, 2), bound=100.0, special=False))
    expected = np.stack([np.linalg.norm(x.host[:, i, :].astype(np.complex128)) for i in range(3)])
    expect(xp.linalg.vector_norm(x.array, axis=(0, -1)), expected, dtype=real_of(dtype), ulp=16, signs=False)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_vector_norm_of_an_empty_vector_is_zero(device, order):
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
def test_array_of_fewer_than_two_dimensions_is_refused(device, name, shape):
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
def test_operand_is_not_modified(device, name):
    x = made([[4.0, 1.0], [1.0, 3.0]])
    getattr(xp.linalg, name)(x.array)
    expect(x.array, x.host)


TESTED = {
    *OF_SQUARES,
    *("cross", "diagonal", "lstsq", "matrix_norm", "matrix_power", "matrix_rank", "outer", "pinv", "qr", "solve"),
    *("svd", "svdvals", "trace", "vector_norm"),
}
TESTED_IN_TEST_LINEAR_ALGEBRA = {"matmul", "matrix_transpose", "tensordot", "vecdot"}


def test_every_function_of_the_extension_is_tested():
    beyond = {"cond", "multi_dot", "norm", "solve_triangular", "tensorinv", "tensorsolve"}  # in modules of their own
    assert set(xp.linalg.__all__) == TESTED | TESTED_IN_TEST_LINEAR_ALGEBRA | beyond
