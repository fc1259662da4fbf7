"""The CuPy backend's Fourier transforms and linear algebra, over a stand-in for CuPy."""

from __future__ import annotations

import numpy as np
import pytest
from cupy_support import INF, needs_compiler, on_host, same, standin_device

import xtensor as xp


@pytest.fixture(scope="module")
def single():
    """The device of a stand-in with one GPU."""
    return standin_device("cuda:0")


@pytest.mark.parametrize(
    ("shape", "s", "axes"),
    [
        ((2, 3), (2, 3), (1, 0)),
        ((2, 3), (4, 2), (0, 1)),
        ((4, 0, 3), (3,), (2,)),
        ((2, 3), (2, 3), (0, 0)),
        ((3,), (), ()),
    ],
)
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_transforms_over_several_axes_have_numpys_shapes(single, name, shape, s, axes):
    x = np.random.default_rng(0).standard_normal(shape)
    if not axes and name not in ("fftn", "ifftn"):
        with pytest.raises(IndexError, match="axis"):
            getattr(xp.fft, name)(xp.asarray(x, device=single), s=s, axes=axes)
        return
    result = getattr(xp.fft, name)(xp.asarray(x, device=single), s=s, axes=axes)
    expected = getattr(np.fft, name)(x, s=s, axes=axes)
    assert result.shape == expected.shape
    assert result.dtype == (expected.dtype if axes else np.complex128)  # NumPy returns its operand without axes
    np.testing.assert_allclose(on_host(result), expected, atol=1e-12)


def test_transforms_never_get_the_shape_as_a_tuple(single, monkeypatch):
    given = []
    library = single._library.library
    original = library.bound
    monkeypatch.setattr(
        library, "bound", lambda name, args, kwargs: given.append((name, kwargs)) or original(name, args, kwargs)
    )
    xp.fft.fftn(xp.ones((2, 3), device=single))
    assert [kwargs["s"] for name, kwargs in given if name == "fft.fftn"] == [[2, 3]]


def test_solve_broadcasts_stacks_and_takes_a_vector(single):
    rng = np.random.default_rng(0)
    a, b, v = rng.standard_normal((3, 1, 2, 2)), rng.standard_normal((4, 2, 5)), rng.standard_normal(2)
    result = xp.linalg.solve(xp.asarray(a, device=single), xp.asarray(b, device=single))
    same(result, np.linalg.solve(a, b), rtol=1e-12)
    result = xp.linalg.solve(xp.asarray(a, device=single), xp.asarray(v, device=single))
    np.testing.assert_allclose(on_host(result), np.linalg.solve(a, np.broadcast_to(v[:, None], (3, 1, 2, 1)))[..., 0])
    assert xp.linalg.solve(xp.ones((0, 2, 2), device=single), xp.ones((2,), device=single)).shape == (0, 2)


@pytest.mark.parametrize("rtol", [None, 0.5, "array"])
def test_matrix_rank_and_pinv_use_rtol(single, rtol):
    a = np.stack([np.diag([1.0, 0.4, 1e-20]), np.eye(3)])
    tolerance = np.array([0.5, 0.1]) if rtol == "array" else rtol
    given = xp.asarray(tolerance, device=single) if rtol == "array" else rtol
    same(xp.linalg.matrix_rank(xp.asarray(a, device=single), rtol=given), np.linalg.matrix_rank(a, rtol=tolerance))
    result = xp.linalg.pinv(xp.asarray(a, device=single), rtol=given)
    np.testing.assert_allclose(on_host(result), np.linalg.pinv(a, rtol=tolerance))


@pytest.mark.parametrize("ord", ["fro", "nuc", 1, -1, 2, -2, INF, -INF])
@pytest.mark.parametrize("keepdims", [False, True])
@needs_compiler
def test_matrix_norms_are_numpys(single, ord, keepdims):
    a = np.random.default_rng(0).standard_normal((2, 3, 4))
    result = xp.linalg.matrix_norm(xp.asarray(a, device=single), ord=ord, keepdims=keepdims)
    same(result, np.linalg.matrix_norm(a, ord=ord, keepdims=keepdims), rtol=1e-12)


def test_matrix_power_of_one_is_a_copy(single):
    a = xp.ones((2, 2), device=single)
    b = xp.linalg.matrix_power(a, 1)
    b[0, 0] = 5.0
    assert float(a[0, 0]) == 1.0


def test_cholesky_gives_the_upper_factor(single):
    a = np.array([[4.0, 2.0], [2.0, 3.0]])
    upper = xp.linalg.cholesky(xp.asarray(a, device=single), upper=True)
    same(upper, np.linalg.cholesky(a, upper=True), rtol=1e-15)


@pytest.mark.parametrize("name", ["hfft", "ihfft"])
def test_transforms_of_hermitian_data_are_numpys(single, name):
    x = np.random.default_rng(0).standard_normal((2, 5))
    x = x + 1j * x[:, ::-1] if name == "hfft" else x
    for norm in ("backward", "ortho", "forward"):
        result = getattr(xp.fft, name)(xp.asarray(x, device=single), norm=norm)
        np.testing.assert_allclose(on_host(result), getattr(np.fft, name)(x, norm=norm), atol=1e-12)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_transforms_of_empty_arrays_have_numpys_shapes(single, name):
    for shape, axis in (((0, 4), 1), ((4, 0), 1)):
        result = getattr(xp.fft, name)(xp.zeros(shape, device=single), n=6, axis=axis)
        wanted = getattr(np.fft, name)(np.zeros((1, 4)), n=6, axis=axis)
        assert result.shape == (shape[0], wanted.shape[1])
        assert result.dtype == wanted.dtype
        assert not on_host(result).any()


@pytest.mark.parametrize(("n", "d"), [(6, 1.0), (5, 0.1)])
def test_frequencies_and_shifts_are_numpys(single, n, d):
    same(xp.fft.fftfreq(n, d=d, device=single), np.fft.fftfreq(n, d), rtol=1e-15)
    same(xp.fft.rfftfreq(n, d=d, device=single), np.fft.rfftfreq(n, d), rtol=1e-15)
    x = np.arange(float(n))
    same(xp.fft.fftshift(xp.asarray(x, device=single)), np.fft.fftshift(x))
    same(xp.fft.ifftshift(xp.asarray(x, device=single)), np.fft.ifftshift(x))


@pytest.mark.parametrize("n", [-2, 0, 1, 2, 5])
def test_matrix_power_is_numpys(single, n):
    a = np.array([[2.0, 1.0], [0.5, 3.0]])
    same(xp.linalg.matrix_power(xp.asarray(a, device=single), n), np.linalg.matrix_power(a, n), rtol=1e-13)


def test_matrix_rank_and_pinv_take_integers(single):
    a = np.array([[1, 2], [2, 4], [0, 1]])
    same(xp.linalg.matrix_rank(xp.asarray(a, device=single)), 2)
    result = xp.linalg.pinv(xp.asarray(a, device=single))
    np.testing.assert_allclose(on_host(result), np.linalg.pinv(a), atol=1e-14)


def test_trace_of_integers_is_exact(single):
    a = np.arange(12, dtype=np.int8).reshape(3, 4)
    result = xp.linalg.trace(xp.asarray(a, device=single), offset=1)
    assert result.dtype == np.int64
    same(result, 1 + 6 + 11)


def test_the_factor_of_a_matrix_that_is_not_positive_definite_is_nan(single):
    good, bad = np.array([[4.0, 2.0], [2.0, 3.0]]), np.array([[1.0, 2.0], [2.0, 1.0]])
    result = xp.linalg.cholesky(xp.asarray(np.stack([good, bad, np.zeros((2, 2))]), device=single))
    same(result[0], np.linalg.cholesky(good), rtol=1e-15)
    assert np.isnan(on_host(result)[1:]).all()
    complex_result = xp.linalg.cholesky(xp.asarray(bad + 0j, device=single), upper=True)
    assert np.isnan(on_host(complex_result)).all()
    assert xp.linalg.cholesky(xp.zeros((2, 0, 0), device=single)).shape == (2, 0, 0)


def test_the_inverse_of_a_singular_matrix_of_a_stack_is_not_left_unwritten(single):
    stack = np.array([[[2.0, 0.0], [0.0, 4.0]], [[1.0, 1.0], [1.0, 1.0]]])
    result = xp.linalg.inv(xp.asarray(stack, device=single))
    same(result[0], [[0.5, 0.0], [0.0, 0.25]])
    assert not np.isfinite(on_host(result)[1]).any()
    integers = xp.linalg.inv(xp.asarray(stack[:1].astype(np.int64), device=single))
    same(integers, [[[0.5, 0.0], [0.0, 0.25]]])
    assert xp.linalg.inv(xp.zeros((0, 2, 2), device=single)).shape == (0, 2, 2)


@pytest.mark.parametrize("name", ["eig", "eigvals"])
@pytest.mark.parametrize("error", [RuntimeError("geev is not available"), NotImplementedError("geev for HIP")])
def test_eigenvalues_that_the_solver_lacks_are_not_implemented(single, monkeypatch, name, error):
    def refuse(x):
        raise error

    for solver in ("eig", "eigvals"):
        monkeypatch.setattr(single._library.library.linalg, solver, refuse, raising=False)
    with pytest.raises(NotImplementedError, match=r"to_device\('cpu'\)"):
        getattr(xp.linalg, name)(xp.ones((2, 2), device=single))


def test_other_errors_of_the_solver_of_eigenvalues_are_kept(single, monkeypatch):
    def fail(x):
        raise RuntimeError("CUSOLVER_STATUS_EXECUTION_FAILED")

    monkeypatch.setattr(single._library.library.linalg, "eig", fail, raising=False)
    with pytest.raises(RuntimeError, match="EXECUTION_FAILED"):
        xp.linalg.eig(xp.ones((2, 2), device=single))


def test_a_real_transform_of_a_spectrum_that_is_not_hermitian_is_numpys(single):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 3)) + 1j * rng.standard_normal((4, 3))
    np.testing.assert_allclose(on_host(xp.fft.irfftn(xp.asarray(x, device=single))), np.fft.irfftn(x), atol=1e-15)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@needs_compiler
def test_vector_norm_of_numbers_whose_squares_leave_the_range(single, dtype):
    limits = np.finfo(dtype)
    small, large = float(limits.smallest_normal) * 8, float(limits.max) / 8
    cases = [[3 * small, 4 * small], [3 * large / 4, large], [3.0, 4.0], [small, 1.0], [0.0, 0.0], [-np.inf, large]]
    norms = [5 * small, 5 * large / 4, 5.0, 1.0, 0.0, np.inf]
    x = xp.asarray(np.array(cases, dtype), device=single)
    same(xp.linalg.vector_norm(x, axis=1), np.array(norms, limits.dtype), rtol=4 * limits.eps)
    same(xp.linalg.vector_norm(xp.asarray([np.nan, large], device=single)), np.float64(np.nan))
    same(xp.linalg.matrix_norm(x[:2, :], keepdims=True), np.array([[5 * large / 4]], limits.dtype), rtol=4 * limits.eps)
