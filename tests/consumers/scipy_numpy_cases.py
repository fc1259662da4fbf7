"""Cases of SciPy's functions that its capability table does not contain; see ``scipy_cases``.

SciPy computes them with NumPy alone, so that they are called without the switch ``SCIPY_ARRAY_API``.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse, special
from scipy_cases import CASES, COMPLEX, IMAGE, POSITIVE, RNG, SQUARE, TABLE, UNIT, VECTOR, X, call, prefixed
from scipy_host_cases import HOST_CASES

SYMMETRIC = SQUARE @ SQUARE.T + 3.0 * np.eye(3)
BANDS = np.asarray([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0], [1.0, 1.0, 0.0]])
UPPER_BANDS = np.asarray([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0]])
COUNTS = np.arange(1, 13)
TIMES = np.linspace(0.0, 2.0, 12)
MEASURED = 2.5 * np.exp(-1.3 * TIMES) + 0.05 * X
CLASSES = np.asarray([[12, 5], [3, 9]])
START = np.asarray([1.3, 0.7])
BOOLEANS = X > 0.0
OTHER_BOOLEANS = POSITIVE > 1.0


def decay(t, scale, rate):
    return scale * np.exp(-rate * t)


def rosenbrock(x):
    return 100.0 * (x[1] - x[0] ** 2) ** 2 + (1.0 - x[0]) ** 2


def circle_and_line(x):
    return [x[0] ** 2 + x[1] ** 2 - 2.0, x[0] - x[1]]


def solution(function, convert, **options):
    """Return the values of a solution of an initial value problem."""
    result = function(lambda t, y: -y * convert(np.asarray([1.0, 0.5])), (0.0, 2.0), convert(START), **options)
    return result.t, result.y, result.success


def minimum(function, convert, method):
    result = function(rosenbrock, convert(START), method=method, options={"maxiter": 20})
    return result.x, result.fun


INTEGRATE = {
    "dblquad": lambda f, p: f(lambda y, x: np.sum(p(VECTOR)) * x * y, 0.0, 1.0, 0.0, 1.0),
    "nquad": lambda f, p: f(lambda x, c: np.sum(c) * x, [(0.0, 1.0)], args=(p(VECTOR),)),
    "odeint": lambda f, p: f(lambda y, t: -y, p(START), p(TIMES)),
    "quad": lambda f, p: f(lambda x, c: np.sum(c) * x, 0.0, 1.0, args=(p(VECTOR),)),
    "simpson.x": call(MEASURED, x=TIMES),
    "solve_ivp.events": lambda f, p: solution(f, p, events=lambda t, y: y[0] - 1.0),
    **{
        f"solve_ivp.{method}": lambda f, p, method=method: solution(f, p, method=method, t_eval=p(TIMES))
        for method in ("RK23", "DOP853", "Radau", "BDF", "LSODA")
    },
    "tplquad": lambda f, p: f(lambda z, y, x: np.sum(p(VECTOR)), 0.0, 1.0, 0.0, 1.0, 0.0, 1.0),
}

INTERPOLATE = {
    "CloughTocher2DInterpolator": lambda f, p: f(p(TABLE[:, :2].copy()), p(TABLE[:, 2].copy()))(p(TABLE[:2, :2] + 0.1)),
    "KroghInterpolator": lambda f, p: f(p(TIMES[:5]), p(MEASURED[:5]))(p(TIMES)),
    "LinearNDInterpolator": lambda f, p: f(p(TABLE[:, :2].copy()), p(TABLE[:, 2].copy()))(p(TABLE[:2, :2] + 0.1)),
    "NearestNDInterpolator": lambda f, p: f(p(TABLE[:, :2].copy()), p(TABLE[:, 2].copy()))(p(TABLE[:2, :2] + 0.1)),
    "RectBivariateSpline": lambda f, p: f(p(np.arange(6.0)), p(np.arange(7.0)), p(IMAGE))(p(VECTOR), p(VECTOR)),
    "UnivariateSpline": lambda f, p: f(p(TIMES), p(MEASURED), s=0.1)(p(UNIT)),
    "barycentric_interpolate": call(TIMES[:5], MEASURED[:5], UNIT),
    "griddata": call(TABLE[:, :2].copy(), TABLE[:, 2].copy(), TABLE[:2, :2] + 0.1),
    "interp1d": lambda f, p: f(p(TIMES), p(MEASURED))(p(UNIT)),
    "interpn": lambda f, p: f((p(np.arange(6.0)), p(np.arange(7.0))), p(IMAGE), p(np.asarray([[1.5, 2.5]]))),
    "krogh_interpolate": call(TIMES[:5], MEASURED[:5], UNIT),
    "lagrange": lambda f, p: f(p(TIMES[:4]), p(MEASURED[:4])).coef,
    "pade": lambda f, p: [polynomial.coef for polynomial in f(p(VECTOR), 1)],
    "pchip_interpolate": call(TIMES, MEASURED, UNIT),
    "splrep": call(TIMES, MEASURED),
    "splev": lambda f, p: f(p(UNIT), (p(np.repeat([0.0, 1.0], 4)), p(np.arange(8.0)), 3)),
}

LINALG = {
    **dict.fromkeys(
        (
            *("det", "eig", "eigvals", "expm", "hessenberg", "inv", "lu", "lu_factor", "norm", "null_space", "orth"),
            *("pinv", "polar", "qr", "rq", "schur", "sinm", "svd", "svdvals", "bandwidth", "matrix_balance", "ldl"),
            *("issymmetric", "ishermitian", "cosm", "tanhm"),
        ),
        call(SQUARE),
    ),
    **dict.fromkeys(("cholesky", "cho_factor", "eigh", "eigvalsh", "logm", "pinvh", "sqrtm"), call(SYMMETRIC)),
    **dict.fromkeys(("circulant", "hankel", "toeplitz", "leslie"), call(VECTOR)),
    **dict.fromkeys(("companion", "diagsvd"), call(VECTOR)),
    **dict.fromkeys(("lstsq", "solve", "solve_triangular"), call(SQUARE, VECTOR)),
    **dict.fromkeys(("khatri_rao", "qz", "subspace_angles", "expm_frechet"), call(SQUARE, SYMMETRIC)),
    "cho_solve": lambda f, p: f((p(np.linalg.cholesky(SYMMETRIC)), True), p(VECTOR)),
    "convolution_matrix": call(VECTOR, 4),
    "diagsvd": call(VECTOR, 3, 4),
    "eigh_tridiagonal": call(VECTOR, VECTOR[:2]),
    "fractional_matrix_power": call(SYMMETRIC, 0.5),
    "leslie": call(VECTOR, VECTOR[:2] / 4.0),
    "lu_solve": lambda f, p: f((p(SYMMETRIC), p(np.arange(3))), p(VECTOR)),
    "matmul_toeplitz": call(VECTOR, SQUARE),
    "solve_banded": lambda f, p: f((1, 1), p(BANDS), p(VECTOR)),
    "solve_circulant": call(VECTOR, VECTOR),
    "solve_continuous_lyapunov": call(SQUARE, SYMMETRIC),
    "solve_sylvester": call(SQUARE, SYMMETRIC, SQUARE),
    "solve_toeplitz": call(VECTOR, VECTOR),
    "solveh_banded": call(UPPER_BANDS, VECTOR),
}

OPTIMIZE = {
    "approx_fprime": lambda f, p: f(p(START), rosenbrock, 1e-6),
    "bisect": lambda f, p: f(lambda x: np.sum(p(VECTOR)) * x - 1.0, 0.0, 1.0),
    "brenth": lambda f, p: f(lambda x: np.sum(p(VECTOR)) * x - 1.0, 0.0, 1.0),
    "brentq": lambda f, p: f(lambda x, c: np.sum(c) * x - 1.0, 0.0, 1.0, args=(p(VECTOR),)),
    "brute": lambda f, p: f(rosenbrock, ((0.0, 2.0), (0.0, 2.0)), Ns=5),
    "check_grad": lambda f, p: f(lambda x: np.sum(x**2), lambda x: 2.0 * x, p(START)),
    "curve_fit": lambda f, p: f(decay, p(TIMES), p(MEASURED), p0=p(START)),
    "curve_fit.trf": lambda f, p: f(decay, p(TIMES), p(MEASURED), bounds=(0.0, p(np.asarray([5.0, 5.0])))),
    "curve_fit.sigma": lambda f, p: f(decay, p(TIMES), p(MEASURED), sigma=p(POSITIVE), absolute_sigma=True),
    "differential_evolution": lambda f, p: (
        f(lambda x: rosenbrock(x) + np.sum(p(VECTOR)), [(0.0, 2.0), (0.0, 2.0)], maxiter=3, rng=0).x
    ),
    "fixed_point": lambda f, p: f(np.cos, p(VECTOR)),
    "fmin": lambda f, p: f(rosenbrock, p(START), maxiter=20, disp=False),
    "fmin_bfgs": lambda f, p: f(rosenbrock, p(START), maxiter=20, disp=False),
    "fmin_cg": lambda f, p: f(rosenbrock, p(START), maxiter=20, disp=False),
    "fmin_l_bfgs_b": lambda f, p: f(rosenbrock, p(START), approx_grad=True, maxiter=20)[:2],
    "fsolve": lambda f, p: f(circle_and_line, p(START)),
    "isotonic_regression": lambda f, p: f(p(MEASURED)).x,
    "least_squares": lambda f, p: f(lambda c, t, y: decay(t, *c) - y, p(START), args=(p(TIMES), p(MEASURED))).x,
    "least_squares.lm": lambda f, p: f(lambda c: decay(p(TIMES), *c) - p(MEASURED), p(START), method="lm").x,
    "leastsq": lambda f, p: f(lambda c: decay(p(TIMES), *c) - p(MEASURED), p(START)),
    "linear_sum_assignment": call(np.abs(SQUARE)),
    "linprog": lambda f, p: f(p(VECTOR), A_eq=p(np.ones((1, 3))), b_eq=p(np.ones(1))).x,
    "lsq_linear": lambda f, p: f(p(TABLE), p(X[:8])).x,
    "milp": lambda f, p: f(p(VECTOR), integrality=p(np.ones(3))).x,
    "minimize_scalar": lambda f, p: f(lambda x: np.sum((p(VECTOR) - x) ** 2)).x,
    **{
        f"minimize.{method}": lambda f, p, method=method: minimum(f, p, method)
        for method in ("Nelder-Mead", "Powell", "CG", "BFGS", "L-BFGS-B", "TNC", "COBYLA", "SLSQP", "trust-constr")
    },
    "newton": lambda f, p: f(lambda x: x**2 - p(VECTOR), p(VECTOR)),
    "nnls": call(np.abs(TABLE), POSITIVE[:8]),
    "quadratic_assignment": lambda f, p: f(p(SYMMETRIC), p(SYMMETRIC)).col_ind,
    "root": lambda f, p: f(circle_and_line, p(START)).x,
    "root.lm": lambda f, p: f(circle_and_line, p(START), method="lm").x,
    "root.krylov": lambda f, p: f(lambda x: x**2 - p(VECTOR), p(VECTOR), method="krylov").x,
    "root_scalar": lambda f, p: f(lambda x: np.sum(p(VECTOR)) * x - 1.0, bracket=(0.0, 1.0)).root,
}

SIGNAL = {
    "check_COLA": lambda f, p: f(p(np.ones(8)), 8, 4),
    "spectrogram": call(np.tile(X, 8), nperseg=16),
    "stft": call(np.tile(X, 8), nperseg=16),
    "istft": lambda f, p: f(p(np.ones((9, 13)) + 0j), nperseg=16),
}

SPATIAL = {
    **{
        f"distance.{name}": call(POSITIVE, UNIT)
        for name in (
            *("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean"),
            *("jensenshannon", "minkowski", "sqeuclidean"),
        )
    },
    **{
        f"distance.{name}": call(BOOLEANS, OTHER_BOOLEANS)
        for name in ("dice", "hamming", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
    },
    "ConvexHull": lambda f, p: f(p(TABLE[:, :2].copy())).vertices,
    "Delaunay": lambda f, p: f(p(TABLE[:, :2].copy())).simplices,
    "KDTree": lambda f, p: f(p(TABLE)).query(p(TABLE + 0.1), k=2),
    "cKDTree": lambda f, p: f(p(TABLE)).query(p(TABLE + 0.1)),
    "distance.cdist": call(TABLE, TABLE[:3] + 0.1),
    "distance.directed_hausdorff": call(TABLE, TABLE[:3] + 0.1, rng=0),
    "distance.mahalanobis": call(VECTOR, VECTOR[::-1].copy(), SYMMETRIC),
    "distance.pdist": call(TABLE),
    "distance.seuclidean": call(VECTOR, VECTOR[::-1].copy(), VECTOR),
    "distance.squareform": call(VECTOR),
    "distance_matrix": call(TABLE, TABLE[:3] + 0.1),
    "geometric_slerp": call(np.asarray([1.0, 0.0]), np.asarray([0.0, 1.0]), UNIT),
    "minkowski_distance": call(TABLE, TABLE[::-1].copy()),
    "procrustes": call(TABLE, TABLE[::-1].copy()),
}

SPARSE = {
    "csr_array": lambda f, p: f(p(SQUARE)),
    "coo_array": lambda f, p: f((p(VECTOR), (p(np.asarray([0, 1, 2])), p(np.asarray([2, 1, 0]))))),
    "diags_array": call(VECTOR),
    "kron": call(SQUARE, SYMMETRIC),
    "linalg.cg": call(SYMMETRIC, VECTOR),
    "linalg.eigsh": call(np.diag(np.arange(1.0, 9.0)), k=2, v0=np.ones(8)),
    "linalg.expm_multiply": call(SQUARE, VECTOR),
    "linalg.gmres": call(SYMMETRIC, VECTOR),
    "linalg.lsmr": call(TABLE, X[:8]),
    "linalg.lsqr": call(TABLE, X[:8]),
    "linalg.minres": call(SYMMETRIC, VECTOR),
    "linalg.norm": lambda f, p: f(sparse.csr_array(p(SQUARE))),
}

DISTRIBUTIONS = {
    "norm": (),
    "expon": (),
    "uniform": (),
    "cauchy": (),
    "logistic": (),
    "gamma": (2.0,),
    "beta": (2.0, 3.0),
    "t": (4.0,),
    "chi2": (3.0,),
    "f": (3.0, 4.0),
    "lognorm": (0.5,),
    "pareto": (2.0,),
    "weibull_min": (1.5,),
    "gumbel_r": (),
    "laplace": (),
    "rayleigh": (),
}

STATS = {
    **{
        f"{name}.{method}": lambda f, p, shapes=shapes: f(p(UNIT), *shapes)
        for name, shapes in DISTRIBUTIONS.items()
        for method in ("pdf", "cdf", "sf", "ppf", "logpdf")
    },
    **{
        f"{name}.{method}": lambda f, p, shapes=shapes: f(p(COUNTS), *shapes)
        for name, shapes in {"binom": (12, 0.4), "poisson": (3.0,), "geom": (0.3,), "nbinom": (4, 0.5)}.items()
        for method in ("pmf", "cdf", "sf", "logpmf")
    },
    "norm.pdf.parameters": lambda f, p: f(p(X), loc=p(POSITIVE), scale=p(POSITIVE)),
    "gamma.fit": lambda f, p: f(p(POSITIVE), floc=0.0),
    "norm.fit": call(X),
    "norm.interval": call(UNIT),
    "gaussian_kde": lambda f, p: f(p(X))(p(VECTOR)),
    "rv_histogram": lambda f, p: f((p(POSITIVE), p(np.arange(13.0)))).cdf(p(VECTOR)),
    "kstest": call(X, "norm"),
    "kstest.two": call(X, POSITIVE),
    "multivariate_normal.pdf": lambda f, p: f(p(TABLE), p(VECTOR), p(SYMMETRIC)),
    "multivariate_t.pdf": lambda f, p: f(p(TABLE), p(VECTOR), p(SYMMETRIC)),
    "dirichlet.pdf": lambda f, p: f(p(np.asarray([0.2, 0.3, 0.5])), p(VECTOR)),
    "poisson_means_test": lambda f, p: f(int(p(COUNTS)[3]), 12, 5, 12),
    "contingency.chi2_contingency": call(CLASSES),
    "contingency.crosstab": call(BOOLEANS, OTHER_BOOLEANS),
    "contingency.odds_ratio": lambda f, p: f(p(CLASSES)).statistic,
    "qmc.discrepancy": call(RNG.uniform(size=(8, 2))),
    "qmc.scale": lambda f, p: f(p(np.asarray([[0.2, 0.8]])), p(np.zeros(2)), p(np.full(2, 3.0))),
}

FFTPACK = {
    name: call(X) for name in ("dct", "dst", "fft", "hilbert", "idct", "ifft", "irfft", "rfft", "diff", "fftshift")
}


def generic_call(function):
    """Return a case of a special function's loop, with positive operands."""
    operands = (POSITIVE, POSITIVE[::-1].copy(), UNIT, X, POSITIVE)
    return call(*operands[: function.nin])


def special_loops():
    """Return a case of each universal function of ``scipy.special`` that takes real numbers and has none yet."""
    loops = {}
    for name in sorted(dir(special)):
        if f"special.{name}" in CASES or f"special.{name}" in HOST_CASES:
            continue
        function = getattr(special, name)
        if isinstance(function, np.ufunc) and any(set(types.split("->")[0]) == {"d"} for types in function.types):
            loops[name] = generic_call(function)
    return loops


SPECIAL = {
    **special_loops(),
    "assoc_laguerre": call(X, 3, 1.0),
    "comb": lambda f, p: f(p(COUNTS), 3),
    "digamma": call(POSITIVE),
    "diric": call(X, 5),
    "factorial": call(COUNTS),
    "factorial2": call(COUNTS),
    "h1vp": call(1, POSITIVE),
    "hyp2f1": lambda f, p: f(0.5, 1.5, 2.5, p(UNIT)),
    "jv.complex": lambda f, p: f(1.0, p(COMPLEX)),
    "jvp": call(1, POSITIVE),
    "lambertw": call(POSITIVE),
    "perm": lambda f, p: f(p(COUNTS), 2),
    "softplus": call(X),
    "spherical_jn": call(2, POSITIVE),
    "stirling2": lambda f, p: f(p(COUNTS), 2),
}

NUMPY_CASES = {
    **prefixed("fftpack", FFTPACK),
    **prefixed("integrate", INTEGRATE),
    **prefixed("interpolate", INTERPOLATE),
    **prefixed("linalg", LINALG),
    **prefixed("optimize", OPTIMIZE),
    **prefixed("signal", SIGNAL),
    **prefixed("sparse", SPARSE),
    **prefixed("spatial", SPATIAL),
    **prefixed("special", SPECIAL),
    **prefixed("stats", STATS),
}
"""Case of each function; a name may end with the variant of the call."""

NUMPY_ONLY = {
    "interpolate.lagrange": "divides a poly1d by elements, which it does for Python's and NumPy's numbers alone",
    "sparse.diags_array": "distinguishes Python's and NumPy's numbers from other elements",
    **dict.fromkeys(
        (
            *("sparse.linalg.cg", "sparse.linalg.eigsh", "sparse.linalg.gmres", "sparse.linalg.lsmr"),
            *("sparse.linalg.lsqr", "sparse.linalg.minres", "stats.multiscale_graphcorr"),
        ),
        "checks for NumPy's class",
    ),
}
"""Functions that raise for Arrays on every device."""

HOST_ONLY = {
    "linalg.circulant": "takes the strides of its operand",
    "signal.ShortTimeFFT": "sets flags of its operand's memory",
    "stats.ttest_ind_from_stats": "passes its operand's device to NumPy",
}
"""Functions that raise for Arrays off the host, also where transfers are allowed."""

OTHER_WORDS = frozenset(("optimize.differential_evolution", "optimize.milp", "sparse.csr_array", "sparse.linalg.norm"))
"""Functions that replace the error of the forbidden transfer by one of their own."""

REFUSED_BY_STRICT = {
    **dict.fromkeys(
        (
            *("differentiate.derivative", "differentiate.hessian", "differentiate.jacobian", "signal.lsim"),
            "optimize.quadratic_assignment",
        ),
        "indexes with fewer keys than axes",
    ),
    "signal.closest_STFT_dual_window": "takes x.T of one dimension, which the standard forbids",
    **dict.fromkeys(("signal.group_delay", "signal.zoom_fft", "stats.quantile_test"), "mixes integers and floats"),
    **dict.fromkeys(("stats.ecdf", "stats.logrank", "stats.ttest_ind_from_stats"), "divides integers"),
    "linalg.solve_circulant": "transforms real numbers with fft",
    "ndimage.distance_transform_edt": "passes two Python numbers to where",
    "signal.place_poles": "takes the imaginary parts of real numbers",
    "stats.binned_statistic_dd": "assigns through integer arrays",
}
"""Functions that use what the standard leaves undefined, which ``strict`` refuses."""
