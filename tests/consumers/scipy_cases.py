"""Calls of SciPy's functions: one for each function of its capability table.

A case calls the function with operands that ``convert`` returns for NumPy arrays. The tests compare its result for
Arrays with its result for NumPy arrays.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np
from scipy import cluster, optimize, signal, spatial, stats
from scipy._lib import _array_api
from scipy.spatial.transform import RigidTransform, Rotation, Slerp

import xtensor as xp

MODULES = (
    *("cluster.hierarchy", "cluster.vq", "constants", "differentiate", "fft", "integrate", "interpolate", "linalg"),
    *("ndimage", "optimize", "optimize.elementwise", "signal", "signal.windows", "spatial.transform", "special"),
    *("stats", "stats.contingency"),
)


def declared():
    """Return the public functions of SciPy's capability table with their entries, by qualified name."""
    table = _array_api.xp_capabilities_table
    names = {}
    for module in MODULES:
        namespace = import_module(f"scipy.{module}")
        for name in getattr(namespace, "__all__", None) or dir(namespace):
            value = getattr(namespace, name)
            if callable(value) and value.__hash__ is not None and value in table:
                names.setdefault(value, f"{module}.{name}")
    for function in table:
        parts = (*function.__module__.split(".")[1:], *function.__qualname__.split("."))
        private = parts[-1].startswith("_") and not parts[-1].endswith("__")
        if function not in names and not private:
            names[function] = ".".join(part for part in parts if not part.startswith("_") or part.endswith("__"))
    return {name: (function, table[function]) for function, name in names.items()}


# -- operands ---------------------------------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
X = RNG.normal(size=12) + 0.1
POSITIVE = np.abs(X) + 0.5
UNIT = (np.arange(12) + 0.5) / 12.0
TABLE = RNG.normal(size=(8, 3)) + 2.0
IMAGE = RNG.normal(size=(6, 7))
SQUARE = RNG.normal(size=(3, 3))
COMPLEX = X + 1j * X[::-1]
VECTOR = np.asarray([1.0, 2.0, 3.0])
QUATERNIONS = RNG.normal(size=(5, 4))
ANGLES = RNG.uniform(-1.0, 1.0, size=(5, 3))
DISTANCES = spatial.distance.pdist(TABLE)
LINKAGE = cluster.hierarchy.linkage(TABLE)
SECTIONS = signal.butter(4, 0.3, output="sos")
TIMES = np.arange(5.0)


def call(*args, **kwargs):
    """Return a case that calls the function with these arguments, with arrays converted."""

    def case(function, convert):
        return function(
            *(convert(arg) if isinstance(arg, np.ndarray) else arg for arg in args),
            **{name: convert(arg) if isinstance(arg, np.ndarray) else arg for name, arg in kwargs.items()},
        )

    return case


def create(*args, **kwargs):
    """Return a case of a creation function, which receives the namespace and the device by keyword."""

    def case(function, convert):
        return function(*args, **kwargs, **like(convert))

    case.creates = True
    return case


def like(convert):
    """Return the keywords that create an array on the device of ``convert``."""
    x = convert(np.zeros(1))
    return {"xp": xp, "device": x.device} if isinstance(x, xp.Array) else {}


def mean(x, axis=-1):
    return x.__array_namespace__().mean(x, axis=axis)


def rotation(convert):
    return Rotation.from_quat(convert(QUATERNIONS))


def transform(convert):
    return RigidTransform.from_components(convert(ANGLES), rotation(convert))


def assigned(function, target, key, value):
    """Return the target after an assignment by ``__setitem__``."""
    function(target, key, value)
    return target


# -- functions for any device -----------------------------------------------------------------------------------------

CLUSTER = {
    "hierarchy.correspond": call(LINKAGE, DISTANCES),
    "hierarchy.is_isomorphic": call(np.asarray([1, 1, 2]), np.asarray([2, 2, 1])),
    "hierarchy.is_monotonic": call(LINKAGE),
    "hierarchy.is_valid_im": call(cluster.hierarchy.inconsistent(LINKAGE)),
    "hierarchy.is_valid_linkage": call(LINKAGE),
    "hierarchy.num_obs_linkage": call(LINKAGE),
    "hierarchy.to_mlab_linkage": call(LINKAGE),
    "hierarchy.to_tree": lambda f, p: f(p(LINKAGE)).pre_order(),
    "vq.whiten": call(TABLE),
}

CONSTANTS = {
    "convert_temperature": call(POSITIVE, "Celsius", "Kelvin"),
    "lambda2nu": call(POSITIVE),
    "nu2lambda": call(POSITIVE),
}

DIFFERENTIATE = {
    "derivative": lambda f, p: f(lambda x: x * x * x, p(POSITIVE)).df,
    "jacobian": lambda f, p: f(lambda x: x * x, p(VECTOR)).df,
    "hessian": lambda f, p: f(optimize.rosen, p(VECTOR)).ddf,
}

FFT = {
    **dict.fromkeys(("fft", "ifft", "hfft", "irfft", "fftn", "ifftn", "hfftn", "irfftn"), call(COMPLEX)),
    **dict.fromkeys(("fftshift", "ifftshift"), call(COMPLEX)),
    **dict.fromkeys(("fft2", "ifft2", "rfft", "ihfft", "rfft2", "ihfft2"), call(IMAGE)),
    **dict.fromkeys(("rfftn", "ihfftn", "irfft2", "hfft2"), call(IMAGE)),
    **dict.fromkeys(("fftfreq", "rfftfreq"), create(9)),
    **dict.fromkeys(("fht", "ifht"), call(POSITIVE, 0.1, mu=2.0)),
}

INTEGRATE = {
    "cubature": lambda f, p: f(lambda x: x[:, 0] * x[:, 1], p(np.zeros(2)), p(np.ones(2))).estimate,
    "cumulative_simpson": call(X, dx=0.1),
    "cumulative_trapezoid": call(X),
    "nsum": lambda f, p: f(lambda k: 1.0 / (k * k), p(np.asarray(1.0)), p(np.asarray(100.0))),
    "qmc_quad": lambda f, p: f(
        lambda x: x[0, ...] * x[1, ...], p(np.zeros(2)), p(np.ones(2)), n_estimates=3, n_points=32, qrng=halton()
    ),
    "romb": call(X[:9]),
    "tanhsinh": lambda f, p: f(lambda x: x * x, p(np.zeros(2)), p(np.asarray([1.0, 2.0]))),
    "trapezoid": call(X),
}

OTHERS = {
    "interpolate.RBFInterpolator": lambda f, p: f(p(TABLE), p(TABLE[:, 0].copy()))(p(TABLE[:3] + 0.1)),
    "linalg.block_diag": call(SQUARE, SQUARE),
    "linalg.fiedler": call(X),
    "linalg.orthogonal_procrustes": call(SQUARE, SQUARE.T.copy()),
    "optimize.rosen": call(X),
    "optimize.rosen_der": call(X),
    "optimize.rosen_hess": call(X),
    "optimize.rosen_hess_prod": call(X, POSITIVE),
    "optimize.elementwise.find_root": lambda f, p: f(
        lambda x, c: x * x - c, (p(np.zeros(3)), p(np.full(3, 4.0))), args=(p(VECTOR),)
    ),
    "optimize.elementwise.find_minimum": lambda f, p: f(
        lambda x, c: (x - c) ** 2, (p(np.full(3, -4.0)), p(np.zeros(3)), p(np.full(3, 5.0))), args=(p(VECTOR),)
    ),
    "optimize.elementwise.bracket_root": lambda f, p: f(lambda x: x - 3.0, p(np.zeros(2))),
    "optimize.elementwise.bracket_minimum": lambda f, p: f(lambda x: (x - 3.0) ** 2, p(np.zeros(2))),
}

SIGNAL = {
    "abcd_normalize": call(SQUARE, SQUARE[:, :1].copy(), SQUARE[:1].copy(), np.ones((1, 1))),
    "besselap": create(4),
    "bode": lambda f, p: f((p(np.ones(1)), p(np.asarray([1.0, 1.0]))), p(VECTOR)),
    "buttap": create(4),
    "cheb1ap": create(4, 1.0),
    "cheb2ap": create(4, 20.0),
    "choose_conv_method": call(X, POSITIVE),
    "ellipap": create(4, 1.0, 20.0),
    "envelope": call(X),
    "filtfilt": call(np.asarray([0.5, 0.5]), np.asarray([1.0, -0.2]), X),
    "freqz_zpk": call(np.asarray([0.5, -0.5]), np.asarray([0.1, 0.2]), 1.0, worN=8),
    "gammatone": create(440.0, "iir", fs=16000.0),
    "gauss_spline": call(X, 3),
    "get_window": create("hann", 9),
    "iircomb": create(0.25, 30.0),
    "iirdesign": call(np.asarray([0.2, 0.5]), np.asarray([0.1, 0.6]), 1.0, 40.0),
    "iirnotch": create(0.25, 30.0),
    "iirpeak": create(0.25, 30.0),
    "impulse": lambda f, p: f((p(np.ones(1)), p(np.asarray([1.0, 1.0]))), T=p(VECTOR - 1.0)),
    "place_poles": call(SQUARE, SQUARE[:, :2].copy(), np.asarray([-1.0, -2.0, -3.0])),
    "savgol_coeffs": create(5, 2),
    "sosfilt_zi": call(SECTIONS),
    **{
        f"windows.{name}": create(9)
        for name in (
            *("barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "cosine", "exponential"),
            *("flattop", "hamming", "hann", "lanczos", "nuttall", "parzen", "taylor", "triang", "tukey"),
        )
    },
    "windows.chebwin": create(9, 60.0),
    "windows.gaussian": create(9, 1.5),
    "windows.general_cosine": lambda f, p: f(9, p(VECTOR)),
    "windows.general_gaussian": create(9, 1.5, 2.0),
    "windows.general_hamming": create(9, 0.6),
    "windows.get_window": create(("tukey", 0.3), 9),
    "windows.kaiser": create(9, 5.0),
    "windows.kaiser_bessel_derived": create(8, 5.0),
}

TRANSFORM = {
    "Rotation.__getitem__": lambda f, p: f(rotation(p), slice(1, 4)),
    "Rotation.__iter__": lambda f, p: list(f(rotation(p))),
    "Rotation.__mul__": lambda f, p: f(rotation(p), rotation(p).inv()[0]),
    "Rotation.__pow__": lambda f, p: f(rotation(p), 0.5),
    "Rotation.__repr__": lambda f, p: f(rotation(p))[:9],
    "Rotation.__setitem__": lambda f, p: assigned(f, rotation(p), 0, rotation(p)[1]),
    "Rotation.align_vectors": call(TABLE, TABLE[::-1].copy()),
    "Rotation.apply": lambda f, p: f(rotation(p), p(VECTOR)),
    "Rotation.approx_equal": lambda f, p: f(rotation(p), rotation(p)[0], atol=0.1),
    "Rotation.as_davenport": lambda f, p: f(rotation(p), p(np.eye(3)), "extrinsic"),
    "Rotation.as_euler": lambda f, p: f(rotation(p), "zyx"),
    **{
        f"Rotation.{name}": lambda f, p: f(rotation(p))
        for name in ("as_matrix", "as_mrp", "as_quat", "as_rotvec", "inv", "magnitude", "mean")
    },
    "Rotation.concatenate": lambda f, p: f([rotation(p), rotation(p)]),
    "Rotation.from_davenport": call(np.eye(3), "extrinsic", ANGLES),
    "Rotation.from_euler": lambda f, p: f("zyx", p(ANGLES)),
    "Rotation.from_matrix": call(np.eye(3)),
    "Rotation.from_mrp": call(ANGLES),
    "Rotation.from_quat": call(QUATERNIONS),
    "Rotation.from_rotvec": call(ANGLES),
    "Rotation.reduce": lambda f, p: f(rotation(p), left=rotation(p)[:2], right=rotation(p)[2:]),
    "RigidTransform.__getitem__": lambda f, p: f(transform(p), slice(1, 4)),
    "RigidTransform.__iter__": lambda f, p: list(f(transform(p))),
    "RigidTransform.__mul__": lambda f, p: f(transform(p), transform(p).inv()[0]),
    "RigidTransform.__pow__": lambda f, p: f(transform(p), 0.5),
    "RigidTransform.__setitem__": lambda f, p: assigned(f, transform(p), 0, transform(p)[1]),
    "RigidTransform.apply": lambda f, p: f(transform(p), p(VECTOR)),
    **{
        f"RigidTransform.{name}": lambda f, p: f(transform(p))
        for name in ("as_components", "as_dual_quat", "as_exp_coords", "as_matrix", "inv", "mean")
    },
    "RigidTransform.concatenate": lambda f, p: f([transform(p), transform(p)]),
    "RigidTransform.from_components": lambda f, p: f(p(ANGLES), rotation(p)),
    "RigidTransform.from_dual_quat": call(RNG.normal(size=(5, 8))),
    "RigidTransform.from_exp_coords": call(RNG.normal(size=(5, 6))),
    "RigidTransform.from_matrix": call(np.eye(4)),
    "RigidTransform.from_rotation": lambda f, p: f(rotation(p)),
    "RigidTransform.from_translation": call(ANGLES),
    "Slerp.__call__": lambda f, p: f(Slerp(p(TIMES), rotation(p)), p(np.asarray([0.5, 2.5]))),
    "Slerp.__init__": lambda f, p: Slerp(p(TIMES), rotation(p))(p(np.asarray(1.5))),
    "normalize_dual_quaternion": call(RNG.normal(size=(5, 8))),
}

SPECIAL = {
    **dict.fromkeys(("entr", "erf", "erfc", "expit", "gammaln", "i0", "i0e", "i1", "i1e"), call(POSITIVE)),
    **dict.fromkeys(("log_ndtr", "ndtr", "psi"), call(POSITIVE)),
    **dict.fromkeys(("erfinv", "logit", "ndtri"), call(UNIT)),
    **dict.fromkeys(("chdtr", "chdtrc", "gammainc", "gammaincc"), call(POSITIVE, POSITIVE[::-1].copy())),
    **dict.fromkeys(("rel_entr", "xlogy", "xlog1py"), call(POSITIVE, POSITIVE[::-1].copy())),
    **dict.fromkeys(("logsumexp", "softmax", "log_softmax"), call(TABLE)),
    "multigammaln": call(POSITIVE + 2.0, 2),
    "polygamma": call(np.asarray(2), POSITIVE),
    "zeta": call(POSITIVE + 1.0, POSITIVE),
}

STATS = {
    **dict.fromkeys(
        (
            *("chisquare", "circmean", "circstd", "circvar", "describe", "differential_entropy", "entropy", "gmean"),
            *("gstd", "gzscore", "hmean", "iqr", "jarque_bera", "kstat", "kstatvar", "kurtosis", "kurtosistest"),
            *("median_abs_deviation", "mode", "moment", "normaltest", "power_divergence", "rankdata", "sem", "skew"),
            *("skewtest", "tmax", "tmean", "tmin", "tsem", "tstd", "tvar", "variation", "zscore"),
        ),
        call(POSITIVE),
    ),
    **dict.fromkeys(
        ("alexandergovern", "bartlett", "chatterjeexi", "epps_singleton_2samp", "fligner", "kruskal", "mood", "zmap"),
        call(X, POSITIVE),
    ),
    "bootstrap": lambda f, p: f((p(X),), mean, n_resamples=20, rng=np.random.default_rng(0)),
    "boxcox_llf": call(0.5, POSITIVE),
    "directional_stats": call(TABLE),
    "false_discovery_control": call(UNIT),
    "friedmanchisquare": call(X, POSITIVE, UNIT),
    "monte_carlo_test": lambda f, p: f(p(X), normal_sampler(p), mean, n_resamples=20),
    "permutation_test": lambda f, p: f(
        (p(X), p(POSITIVE)), lambda x, y, axis: mean(x, axis) - mean(y, axis), n_resamples=20, rng=0
    ),
    "pmean": call(POSITIVE, 2.0),
    "power": lambda f, p: f(stats.skewtest, normal_sampler(p), p(np.asarray([10, 20])), n_resamples=20),
    "quantile": call(X, np.asarray([0.25, 0.5])),
    "sigmaclip": call(X, 2.0, 2.0),
    "trim_mean": call(X, 0.1),
    "yeojohnson_llf": call(0.5, X),
}


def halton():
    """Return a generator of points in the unit square with a fixed seed."""
    return stats.qmc.Halton(2, rng=np.random.default_rng(0))


def normal_sampler(convert):
    """Return a function that draws normal random numbers with a fixed seed."""
    rng = np.random.default_rng(0)
    return lambda size: convert(rng.normal(size=size))


def prefixed(module, cases):
    return {f"{module}.{name}": case for name, case in cases.items()}


CASES = {
    **prefixed("cluster", CLUSTER),
    **prefixed("constants", CONSTANTS),
    **prefixed("differentiate", DIFFERENTIATE),
    **prefixed("fft", FFT),
    **prefixed("integrate", INTEGRATE),
    **prefixed("signal", SIGNAL),
    **prefixed("spatial.transform", TRANSFORM),
    **prefixed("special", SPECIAL),
    **prefixed("stats", STATS),
    **OTHERS,
}
"""Case of each function that SciPy declares for any device."""

NUMPY_INSIDE = {
    "signal.filtfilt": "filters with compiled code over NumPy arrays",
    "signal.iirdesign": "makes NumPy arrays of its edges",
    "signal.impulse": "converts its system with scipy.signal.tf2ss, which the table has for NumPy alone",
    "signal.place_poles": "mixes its arrays with NumPy's",
    "signal.sosfilt_zi": "makes a NumPy array of its sections",
}
"""Functions that the table declares for any device, and that SciPy computes with NumPy."""

COPIED = {"spatial.transform.Rotation.__repr__": "contains the values"}
"""Functions that copy to the host by definition."""

WITHOUT_CASE = {"spatial.transform.RigidTransform.identity": "takes no array and returns NumPy arrays"}

REFUSED_BY_STRICT = {
    **dict.fromkeys(
        (
            *("differentiate.derivative", "integrate.tanhsinh", "optimize.elementwise.find_root"),
            *("optimize.elementwise.bracket_root", "optimize.elementwise.bracket_minimum"),
        ),
        "fills an array with a 0-d array",
    ),
    **dict.fromkeys(("differentiate.jacobian", "differentiate.hessian"), "assigns through integer arrays"),
    **dict.fromkeys(("stats.bootstrap", "stats.permutation_test"), "indexes with an integer array beside an ellipsis"),
    "integrate.nsum": "sums booleans",
    "interpolate.RBFInterpolator": "sees complex memory as real numbers",
    "optimize.elementwise.find_minimum": "indexes one axis of two",
}
"""Functions that use what the standard leaves undefined, which ``strict`` refuses."""

ON_THE_DEFAULT_DEVICE = frozenset(
    (
        *(f"cluster.hierarchy.{name}" for name in ("correspond", "is_monotonic", "is_valid_linkage")),
        *(f"cluster.hierarchy.{name}" for name in ("num_obs_linkage", "to_mlab_linkage", "to_tree")),
        *("differentiate.derivative", "differentiate.hessian", "differentiate.jacobian", "fft.fht", "fft.ifht"),
        *("integrate.cubature", "integrate.cumulative_simpson", "integrate.nsum", "integrate.qmc_quad"),
        *("integrate.tanhsinh", "interpolate.RBFInterpolator", "linalg.block_diag", "optimize.rosen_hess"),
        *("optimize.rosen_hess_prod", "signal.bode", "signal.freqz_zpk", "spatial.transform.Rotation.reduce"),
        *(f"optimize.elementwise.{name}" for name in ("bracket_minimum", "bracket_root", "find_minimum", "find_root")),
        *(f"stats.{name}" for name in ("alexandergovern", "chatterjeexi", "epps_singleton_2samp", "fligner")),
        *(f"stats.{name}" for name in ("friedmanchisquare", "kruskal", "mood", "permutation_test", "rankdata")),
    )
)
"""Functions that create arrays without ``device=``, and so require the operands' device as the default device."""

RESULT_ON_THE_DEFAULT_DEVICE = {"signal.windows.lanczos": "passes its device= for one of two cases of the length only"}
"""Functions whose result is on the default device for any ``device=``."""
