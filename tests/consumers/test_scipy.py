"""SciPy, unmodified: functions that its own capability tables declare for any device, on xtensor arrays.

Each runs once on NumPy arrays and once on a device's; values agree, results are Arrays on that device, and nothing is
copied to the host on the way.
"""

from __future__ import annotations

import numpy as np
import pytest

scipy = pytest.importorskip("scipy", reason="SciPy is not installed: xtensor[special]")

from scipy import (  # noqa: E402 - after it is known to be there
    cluster,
    constants,
    differentiate,
    fft,
    integrate,
    linalg,
    ndimage,
    optimize,
    signal,
    special,
    stats,
)
from scipy.optimize import elementwise  # noqa: E402
from scipy.spatial.transform import Rotation  # noqa: E402

import xtensor as xp  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.skipif(
        not getattr(scipy._lib._array_api, "SCIPY_ARRAY_API", False),
        reason="SciPy was imported before SCIPY_ARRAY_API was set",
    ),
]

RNG = np.random.default_rng(0)
X = RNG.normal(size=12) + 0.1
POSITIVE = np.abs(X) + 0.5
UNIT = (np.arange(12) + 0.5) / 12.0
TABLE = RNG.normal(size=(8, 3)) + 2.0
IMAGE = RNG.normal(size=(6, 7))
SQUARE = RNG.normal(size=(3, 3))
COMPLEX = X + 1j * X[::-1]
QUATERNIONS = RNG.normal(size=(5, 4))

SPECIAL = {
    **dict.fromkeys(("entr", "erf", "erfc", "expit", "gammaln", "i0", "i0e"), (POSITIVE,)),
    **dict.fromkeys(("i1", "i1e", "log_ndtr", "ndtr", "psi"), (POSITIVE,)),
    **dict.fromkeys(("erfinv", "logit", "ndtri"), (UNIT,)),
    **dict.fromkeys(
        ("chdtr", "chdtrc", "gammainc", "gammaincc", "rel_entr", "xlogy", "xlog1py"), (POSITIVE, POSITIVE[::-1].copy())
    ),
    **dict.fromkeys(("logsumexp", "softmax", "log_softmax"), (TABLE,)),
    "zeta": (POSITIVE + 1.0, POSITIVE),
}

FFT = {
    **{
        name: (lambda function: lambda p: function(p(COMPLEX)))(getattr(fft, name))
        for name in ("fft", "ifft", "hfft", "irfft", "fftn", "ifftn", "hfftn", "irfftn", "fftshift", "ifftshift")
    },
    **{
        name: (lambda function: lambda p: function(p(IMAGE)))(getattr(fft, name))
        for name in ("fft2", "ifft2", "rfft", "ihfft", "rfft2", "ihfft2", "rfftn", "ihfftn", "irfft2", "hfft2")
    },
    "fht": lambda p: fft.fht(p(POSITIVE), 0.1, mu=2.0),
    "ifht": lambda p: fft.ifht(p(POSITIVE), 0.1, mu=2.0),
}

STATISTICS = {
    **{
        name: (lambda function: lambda p: function(p(POSITIVE)))(getattr(stats, name))
        for name in (
            *("circmean", "circstd", "circvar", "differential_entropy", "entropy", "gmean", "gstd", "hmean", "iqr"),
            *(
                "kstat",
                "kstatvar",
                "kurtosis",
                "median_abs_deviation",
                "moment",
                "sem",
                "skew",
                "tmax",
                "tmean",
                "tmin",
            ),
            *("tsem", "tstd", "tvar", "variation", "zscore", "gzscore", "rankdata"),
        )
    },
    **{
        name: (lambda function: lambda p: tuple(function(p(POSITIVE))))(getattr(stats, name))
        for name in ("describe", "jarque_bera", "kurtosistest", "normaltest", "skewtest", "mode", "chisquare")
    },
    "alexandergovern": lambda p: _pair(stats.alexandergovern(p(X), p(POSITIVE))),
    "bartlett": lambda p: tuple(stats.bartlett(p(X), p(POSITIVE))),
    "boxcox_llf": lambda p: stats.boxcox_llf(0.5, p(POSITIVE)),
    "directional_stats": lambda p: stats.directional_stats(p(TABLE)).mean_direction,
    "false_discovery_control": lambda p: stats.false_discovery_control(p(UNIT)),
    "kruskal": lambda p: tuple(stats.kruskal(p(X), p(POSITIVE))),
    "friedmanchisquare": lambda p: tuple(stats.friedmanchisquare(p(X), p(POSITIVE), p(UNIT))),
    "pmean": lambda p: stats.pmean(p(POSITIVE), 2.0),
    "power_divergence": lambda p: tuple(stats.power_divergence(p(POSITIVE))),
    "quantile": lambda p: stats.quantile(p(X), p(np.asarray([0.25, 0.5]))),
    "sigmaclip": lambda p: stats.sigmaclip(p(X), 2.0, 2.0)[0],
    "trim_mean": lambda p: stats.trim_mean(p(X), 0.1),
    "yeojohnson_llf": lambda p: stats.yeojohnson_llf(0.5, p(X)),
    "zmap": lambda p: stats.zmap(p(X), p(POSITIVE)),
}

SIGNALS = {
    **{
        name: (lambda function: lambda p: function(9, **_like(p)))(getattr(signal.windows, name))
        for name in (
            *("barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "cosine", "flattop", "hamming"),
            *("hann", "lanczos", "nuttall", "parzen", "taylor", "triang", "tukey"),
        )
    },
    "gaussian": lambda p: signal.windows.gaussian(9, 1.5, **_like(p)),
    "kaiser": lambda p: signal.windows.kaiser(9, 5.0, **_like(p)),
    "gauss_spline": lambda p: signal.gauss_spline(p(X), 3),
    "fftconvolve": lambda p: signal.fftconvolve(p(X), p(POSITIVE)),
    "detrend": lambda p: signal.detrend(p(X), type="constant"),
}

OTHERS = {
    "cluster.vq.whiten": lambda p: cluster.vq.whiten(p(TABLE)),
    "constants.convert_temperature": lambda p: constants.convert_temperature(p(POSITIVE), "Celsius", "Kelvin"),
    "constants.lambda2nu": lambda p: constants.lambda2nu(p(POSITIVE)),
    "constants.nu2lambda": lambda p: constants.nu2lambda(p(POSITIVE)),
    "differentiate.derivative": lambda p: differentiate.derivative(lambda x: x * x * x, p(POSITIVE)).df,
    "differentiate.jacobian": lambda p: differentiate.jacobian(lambda x: x * x, p(POSITIVE[:3])).df,
    "differentiate.hessian": lambda p: differentiate.hessian(optimize.rosen, p(POSITIVE[:3])).ddf,
    "integrate.trapezoid": lambda p: integrate.trapezoid(p(X)),
    "integrate.cumulative_trapezoid": lambda p: integrate.cumulative_trapezoid(p(X)),
    "integrate.cumulative_simpson": lambda p: integrate.cumulative_simpson(p(X), dx=0.1),
    "integrate.romb": lambda p: integrate.romb(p(X[:9])),
    "integrate.tanhsinh": lambda p: (
        integrate.tanhsinh(lambda x: x * x, p(np.zeros(2)), p(np.asarray([1.0, 2.0]))).integral
    ),
    "integrate.nsum": lambda p: integrate.nsum(lambda k: 1.0 / (k * k), p(np.asarray(1.0)), p(np.asarray(100.0))).sum,
    "integrate.cubature": lambda p: (
        integrate.cubature(lambda x: x[:, 0] * x[:, 1], p(np.zeros(2)), p(np.ones(2))).estimate
    ),
    "linalg.block_diag": lambda p: linalg.block_diag(p(SQUARE), p(SQUARE)),
    "linalg.fiedler": lambda p: linalg.fiedler(p(X)),
    "linalg.orthogonal_procrustes": lambda p: linalg.orthogonal_procrustes(p(SQUARE), p(SQUARE.T.copy()))[0],
    "optimize.rosen": lambda p: optimize.rosen(p(X)),
    "optimize.rosen_der": lambda p: optimize.rosen_der(p(X)),
    "optimize.rosen_hess": lambda p: optimize.rosen_hess(p(X)),
    "optimize.rosen_hess_prod": lambda p: optimize.rosen_hess_prod(p(X), p(POSITIVE)),
    "optimize.elementwise.find_root": lambda p: (
        elementwise.find_root(
            lambda x, c: x * x - c, (p(np.zeros(3)), p(np.full(3, 4.0))), args=(p(np.asarray([1.0, 2.0, 3.0])),)
        ).x
    ),
    "optimize.elementwise.find_minimum": lambda p: (
        elementwise.find_minimum(
            lambda x, c: (x - c) ** 2,
            (p(np.full(2, -4.0)), p(np.zeros(2)), p(np.full(2, 5.0))),
            args=(p(np.asarray([1.0, 2.0])),),
        ).x
    ),
    "optimize.elementwise.bracket_root": lambda p: elementwise.bracket_root(lambda x: x - 3.0, p(np.zeros(2))).bracket,
    "optimize.elementwise.bracket_minimum": lambda p: (
        elementwise.bracket_minimum(lambda x: (x - 3.0) ** 2, p(np.zeros(2))).bracket
    ),
    "Rotation.as_matrix": lambda p: Rotation.from_quat(p(QUATERNIONS)).as_matrix(),
    "Rotation.as_rotvec": lambda p: Rotation.from_quat(p(QUATERNIONS)).as_rotvec(),
    "Rotation.as_mrp": lambda p: Rotation.from_quat(p(QUATERNIONS)).as_mrp(),
    "Rotation.as_euler": lambda p: Rotation.from_quat(p(QUATERNIONS)).as_euler("zyx"),
    "Rotation.apply": lambda p: Rotation.from_quat(p(QUATERNIONS)).apply(p(np.asarray([1.0, 2.0, 3.0]))),
    "Rotation.inv": lambda p: Rotation.from_quat(p(QUATERNIONS)).inv().as_quat(),
    "Rotation.magnitude": lambda p: Rotation.from_quat(p(QUATERNIONS)).magnitude(),
    "Rotation product": lambda p: (
        Rotation.from_quat(p(QUATERNIONS)) * Rotation.from_quat(p(QUATERNIONS[::-1].copy()))
    ).as_quat(),
    "Rotation.from_rotvec": lambda p: Rotation.from_rotvec(p(TABLE)).as_quat(),
    "Rotation.from_matrix": lambda p: Rotation.from_matrix(p(np.eye(3))).as_quat(),
}


def _special(name, args):
    return lambda place: getattr(special, name)(*map(place, args))


CASES = {
    **{f"special.{name}": _special(name, args) for name, args in SPECIAL.items()},
    **{f"fft.{name}": case for name, case in FFT.items()},
    **{f"stats.{name}": case for name, case in STATISTICS.items()},
    **{f"signal.{name}": case for name, case in SIGNALS.items()},
    **OTHERS,
}

REFUSED_BY_STRICT = {
    **dict.fromkeys(
        (
            *("differentiate.derivative", "integrate.tanhsinh", "optimize.elementwise.find_root"),
            *("optimize.elementwise.find_minimum", "optimize.elementwise.bracket_root"),
            "optimize.elementwise.bracket_minimum",
        ),
        "fills an array with a 0-d array",
    ),
    **dict.fromkeys(("differentiate.jacobian", "differentiate.hessian"), "assigns through integer arrays"),
    "integrate.nsum": "sums booleans",
}
"""What SciPy does there is left undefined by the standard, so the device ``strict`` is right to refuse."""

HOST_ONLY = {
    "ndimage.gaussian_filter": lambda p: ndimage.gaussian_filter(p(IMAGE), 1.0),
    "ndimage.label": lambda p: ndimage.label(p((IMAGE > 0).astype(np.int64)))[0],
    "fft.dct": lambda p: fft.dct(p(X)),
    "signal.lfilter": lambda p: signal.lfilter(p(np.asarray([1.0])), p(np.asarray([1.0, -0.5])), p(X)),
    "cluster.vq.kmeans2": lambda p: cluster.vq.kmeans2(p(TABLE), p(TABLE[:2].copy()))[0],
    "stats.pearsonr": lambda p: tuple(stats.pearsonr(p(X), p(POSITIVE))),
    "special.betainc": lambda p: special.betainc(p(POSITIVE), p(POSITIVE), p(UNIT)),
}


def _like(place):
    """The keywords that make a window on the device of what ``place`` makes."""
    made = place(np.zeros(1))
    return {"xp": xp, "device": made.device} if isinstance(made, xp.Array) else {}


def _pair(result):
    return result.statistic, result.pvalue


def compare(got, expected, device):
    if isinstance(expected, tuple):
        for part, wanted in zip(got, expected, strict=True):
            compare(part, wanted, device)
        return
    if isinstance(got, xp.Array):
        assert got.device is device
        got = np.asarray(got.to_device("cpu"))
    elif isinstance(expected, np.ndarray) and expected.ndim:
        pytest.fail(f"the result is {type(got)}, not an Array")
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-9)


@pytest.fixture
def host_copies(device, monkeypatch):
    """The copies to the host made while a device off it computes."""
    made = []
    to_host = device._backend.to_host

    def counted(native):
        made.append(native.shape)
        return to_host(native)

    monkeypatch.setattr(device._backend, "to_host", counted)
    return made


@pytest.mark.parametrize("name", CASES)
def test_gives_numpys_values_on_the_device_without_a_host_copy(device, host_copies, name):
    expected = CASES[name](np.asarray)
    if device.backend == "strict" and name in REFUSED_BY_STRICT:
        with pytest.raises((TypeError, IndexError)):
            CASES[name](lambda values: xp.asarray(values, device=device))
        return
    got = CASES[name](lambda values: xp.asarray(values, device=device))
    copies = list(host_copies)
    compare(got, expected, device)
    assert device.host or not copies


@pytest.mark.parametrize("name", HOST_ONLY)
def test_what_is_declared_for_the_host_runs_there(name):
    with xp.use_device("cpu") as device:
        compare(HOST_ONLY[name](xp.asarray), HOST_ONLY[name](np.asarray), device)
