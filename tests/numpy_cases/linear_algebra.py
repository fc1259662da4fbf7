"""Cases of ``numpy.linalg``, ``numpy.fft``, ``numpy.lib``, ``numpy.emath`` and ``numpy.polynomial``."""

CASES = """
np.linalg.cholesky(a)
np.linalg.cholesky(a, upper=True)
np.linalg.cholesky(r)
np.linalg.cholesky(-a)
np.linalg.cholesky(x)
np.linalg.cond(a)  # ulp: 64
np.linalg.cond(a, 1)  # ulp: 64
np.linalg.cond(a, "fro")  # ulp: 64
np.linalg.cross(v, w)
np.linalg.cross(x, v)
np.linalg.det(a)
np.linalg.det(r)
np.linalg.det(x)
np.linalg.diagonal(a)
np.linalg.diagonal(t, offset=1)
np.abs(np.linalg.eig(a)[0]).sum()  # ulp: 64
np.linalg.eig(a).eigenvalues.dtype
np.linalg.eigh(a).eigenvalues  # ulp: 64
np.abs(np.linalg.eigh(a)[1])  # ulp: 256
np.linalg.eigh(a, UPLO="U")[0]  # ulp: 64
np.sort(np.linalg.eigvals(a))  # ulp: 64
np.linalg.eigvalsh(a)  # ulp: 64
np.linalg.eigvalsh(r)  # ulp: 64
np.linalg.inv(a)  # ulp: 64
np.linalg.inv(r)  # ulp: 64
np.linalg.inv(a * 0)
np.linalg.inv(x)
np.linalg.lstsq(x.T, v)[0]  # ulp: 256
np.linalg.lstsq(x.T, nv)[0]  # ulp: 256
np.linalg.lstsq(x.T, v, rcond=None)  # ulp: 256
np.linalg.matmul(a, a)
np.linalg.matrix_norm(x)
np.linalg.matrix_norm(x, ord=1, keepdims=True)
np.linalg.matrix_power(a, 3)
np.linalg.matrix_power(a, 0)
np.linalg.matrix_power(a, -1)  # ulp: 64
np.linalg.matrix_rank(a)
np.linalg.matrix_rank(v)
np.linalg.matrix_rank(r, hermitian=True)
np.linalg.matrix_rank(x, tol=1e-3)
np.linalg.matrix_transpose(t)
np.linalg.multi_dot([x, a, v])
np.linalg.multi_dot([x, na, v])
np.linalg.norm(x)
np.linalg.norm(v)
np.linalg.norm(x, axis=1)
np.linalg.norm(x, 1)
np.linalg.norm(x, np.inf)
np.linalg.norm(x, -np.inf, axis=0)
np.linalg.norm(v, 3)
np.linalg.norm(v, 0)
np.linalg.norm(x, "fro", keepdims=True)
np.linalg.norm(x, "nuc")  # ulp: 64
np.linalg.norm(x, 2)  # ulp: 64
np.linalg.norm(x, axis=(0, 1))
np.linalg.norm(j)
np.linalg.norm(c)
np.linalg.norm(x - nx)
np.linalg.norm(t, "fro")
np.linalg.outer(v, w)
np.linalg.pinv(x)  # ulp: 256
np.linalg.pinv(x, rcond=1e-3)  # ulp: 256
np.linalg.pinv(a, hermitian=True)  # ulp: 256
np.abs(np.linalg.qr(x)[1])  # ulp: 64
np.abs(np.linalg.qr(x, "r"))  # ulp: 64
np.linalg.qr(x, "complete").Q.shape
np.linalg.slogdet(a)
np.linalg.slogdet(r)
np.linalg.solve(a, v)  # ulp: 64
np.linalg.solve(a, x.T)  # ulp: 64
np.linalg.solve(a, nv)  # ulp: 64
np.linalg.solve(na, v)  # ulp: 64
np.linalg.solve(a * 0, v)
np.linalg.svd(x)[1]  # ulp: 64
np.linalg.svd(x, full_matrices=False).S  # ulp: 64
np.linalg.svd(x, compute_uv=False)  # ulp: 64
np.linalg.svdvals(x)  # ulp: 64
np.linalg.tensordot(x, a, axes=1)
np.linalg.tensorinv(r[0].reshape(3, 1, 3, 1)[:, 0].reshape(3, 3), ind=1)  # ulp: 64, strict: IndexError
np.linalg.tensorsolve(a, v)  # ulp: 64
np.linalg.trace(a)
np.linalg.vecdot(x, y)
np.linalg.vector_norm(x)
np.linalg.vector_norm(x, axis=1, ord=1)
np.fft.fft(v)  # strict: TypeError
np.fft.fft(x)  # strict: TypeError
np.fft.fft(x, axis=0)  # strict: TypeError
np.fft.fft(v, 8)  # strict: TypeError
np.fft.fft(v, norm="ortho")  # strict: TypeError
np.fft.fft(f)  # ulp: 64, strict: TypeError
np.fft.fft(d)
np.fft.fft(j)  # strict: TypeError
np.fft.fft2(x)
np.fft.fft2(t, axes=(0, 1))
np.fft.fftn(t)  # ulp: 32, strict: TypeError
np.fft.fftn(t, s=(2, 2), axes=(0, 1))  # strict: TypeError
np.fft.fftshift(v)
np.fft.fftshift(x, axes=1)
np.fft.hfft(d)
np.fft.ifft(d)
np.fft.ifft2(c)
np.fft.ifftn(c)
np.fft.ifftshift(v)
np.fft.ihfft(v)
np.fft.irfft(d)
np.fft.irfft(d, n=5)
np.fft.irfft2(c)
np.fft.irfftn(c)
np.fft.irfft2(c, s=(2, -1))
np.fft.irfftn(c, s=(-1, -1), axes=(1, 0))
np.fft.rfft(v)
np.fft.rfft(x, axis=0)
np.fft.rfft(o, n=5, norm="forward")
np.fft.rfft2(x)
np.fft.rfftn(t)  # ulp: 32
q = np.empty_like(d); np.fft.fft(v, out=q); q  # strict: TypeError
np.lib.stride_tricks.sliding_window_view(v, 2)
np.lib.stride_tricks.sliding_window_view(x, (2, 2))
np.lib.stride_tricks.sliding_window_view(x, 2, axis=1)
np.lib.stride_tricks.sliding_window_view(v, 9)
np.lib.stride_tricks.sliding_window_view(o, 3).mean(axis=-1)
np.emath.sqrt(x)
np.emath.sqrt(v)
np.emath.log(x)
np.emath.log2(v)
np.emath.log10(x)
np.emath.logn(2, v)
np.emath.power(x, 2)
np.emath.power(x, 0.5)
np.emath.arccos(x)
np.emath.arcsin(x)
np.emath.arctanh(x)
np.polynomial.polynomial.polyval(x, v)  # host
np.polynomial.polynomial.polyval(v, [1, 2, 3])
np.polynomial.polynomial.polyval2d(v, w, a)  # host
np.polynomial.polynomial.polygrid2d(v, w, a)  # host
np.polynomial.chebyshev.chebval(v, [1, 2, 3])
np.polynomial.legendre.legval(x, [1, 2, 3])
np.polynomial.Polynomial([1, 2, 3])(v)  # converts
np.polynomial.Polynomial([1, 2, 3])(x)  # converts
np.polynomial.Polynomial(v).coef  # converts
np.polynomial.Polynomial(v)(2.0)  # converts
np.polynomial.Polynomial(v).deriv().coef  # converts
np.polynomial.polynomial.polyfit(w, v, 1)  # converts, ulp: 64
np.polynomial.polynomial.polyadd(v, w)  # converts
np.polynomial.polynomial.polyvander(v, 2)  # converts
np.poly1d(v)(2.0)
np.poly1d([1, 2, 3])(v)  # beside
np.poly1d([1, 2, 3])(x)  # beside
np.lib.array_utils.normalize_axis_index(1, x.ndim)
np.lib.introspect.opt_func_info(func_name="add") is not None
"""
