"""Cases of the functions that SciPy declares for the host only; see ``scipy_cases``."""

from __future__ import annotations

import numpy as np
from scipy import cluster, signal, special, stats
from scipy_cases import (
    ANGLES,
    DISTANCES,
    IMAGE,
    LINKAGE,
    POSITIVE,
    SECTIONS,
    TABLE,
    UNIT,
    VECTOR,
    X,
    call,
    mean,
    prefixed,
)

B, A = signal.butter(3, 0.3)
ZEROS, POLES, GAIN = signal.butter(3, 0.3, output="zpk")
LABELS = (IMAGE > 0).astype(np.int64) + (IMAGE > 1)
MASK = IMAGE > 0
LARGE = np.tile(IMAGE, (6, 6))
BAND, WIDER = np.asarray([0.2, 0.5]), np.asarray([0.1, 0.6])
COUNTS = np.arange(1, 13)
KNOTS = np.asarray([0.0] * 4 + [4.0, 8.0] + [11.0] * 4)
GRID = np.arange(12.0)

CLUSTER = {
    **dict.fromkeys(
        [
            f"hierarchy.{name}"
            for name in ("average", "centroid", "complete", "linkage", "median", "single", "ward", "weighted")
        ],
        call(DISTANCES),
    ),
    **dict.fromkeys(
        ["hierarchy.cophenet", "hierarchy.inconsistent", "hierarchy.leaves_list", "hierarchy.maxdists"], call(LINKAGE)
    ),
    "hierarchy.dendrogram": call(LINKAGE, no_plot=True),
    "hierarchy.fcluster": call(LINKAGE, 1.0),
    "hierarchy.fclusterdata": call(TABLE, 1.0),
    "hierarchy.from_mlab_linkage": call(cluster.hierarchy.to_mlab_linkage(LINKAGE)),
    "hierarchy.leaders": call(LINKAGE, cluster.hierarchy.fcluster(LINKAGE, 1.0)),
    "hierarchy.maxRstat": call(LINKAGE, cluster.hierarchy.inconsistent(LINKAGE), 1),
    "hierarchy.maxinconsts": call(LINKAGE, cluster.hierarchy.inconsistent(LINKAGE)),
    "hierarchy.optimal_leaf_ordering": call(LINKAGE, DISTANCES),
    "hierarchy.cut_tree": call(LINKAGE, 3),
    "vq.kmeans": call(TABLE, TABLE[:2].copy()),
    "vq.kmeans2": call(TABLE, TABLE[:2].copy()),
    "vq.vq": call(TABLE, TABLE[:2].copy()),
}

FFT = {
    **dict.fromkeys(("dct", "dst", "idct", "idst"), call(X)),
    **dict.fromkeys(("dctn", "dstn", "idctn", "idstn"), call(IMAGE)),
}

INTERPOLATE = {
    **{
        name: lambda f, p: f(p(GRID), p(POSITIVE))(p(UNIT))
        for name in ("Akima1DInterpolator", "CubicSpline", "PchipInterpolator", "make_interp_spline")
    },
    **{name: lambda f, p: f(p(TABLE), p(np.arange(4.0)))(p(UNIT)) for name in ("BPoly", "PPoly")},
    "BSpline": lambda f, p: f(p(KNOTS), p(UNIT[:6]), 3)(p(UNIT)),
    "CubicHermiteSpline": lambda f, p: f(p(GRID), p(POSITIVE), p(X))(p(UNIT)),
    "NdBSpline": lambda f, p: f((p(KNOTS),), p(UNIT[:6]), 3)(p(UNIT[:, None])),
    "RegularGridInterpolator": lambda f, p: f((p(np.arange(6.0)), p(np.arange(7.0))), p(IMAGE))(p(ANGLES[:, :2] + 2.0)),
    "generate_knots": lambda f, p: list(f(p(GRID), p(POSITIVE), s=0.1)),
    "make_lsq_spline": lambda f, p: f(p(GRID), p(POSITIVE), p(KNOTS))(p(UNIT)),
    "make_smoothing_spline": lambda f, p: f(p(GRID), p(POSITIVE), lam=0.1)(p(UNIT)),
    "make_splprep": lambda f, p: f([p(X), p(POSITIVE)], s=0.0)[0](p(UNIT)),
    "make_splrep": lambda f, p: f(p(GRID), p(POSITIVE), s=0.0)(p(UNIT)),
}

NDIMAGE = {
    **dict.fromkeys(
        (
            *("center_of_mass", "extrema", "maximum", "maximum_position", "mean", "median", "minimum"),
            *("minimum_position", "standard_deviation", "sum", "sum_labels", "variance"),
        ),
        call(IMAGE, LABELS, np.asarray([1, 2])),
    ),
    **dict.fromkeys(
        (
            *("binary_closing", "binary_dilation", "binary_erosion", "binary_fill_holes", "binary_hit_or_miss"),
            *("binary_opening", "binary_propagation", "distance_transform_bf", "distance_transform_cdt"),
            "distance_transform_edt",
        ),
        call(MASK),
    ),
    **dict.fromkeys(
        (
            *("black_tophat", "grey_closing", "grey_dilation", "grey_erosion", "grey_opening", "maximum_filter"),
            *("median_filter", "minimum_filter", "morphological_gradient", "morphological_laplace", "uniform_filter"),
            *("white_tophat", "maximum_filter1d", "minimum_filter1d", "uniform_filter1d"),
        ),
        call(IMAGE, 3),
    ),
    **dict.fromkeys(("fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"), call(IMAGE, 1.5)),
    **dict.fromkeys(
        ("gaussian_filter", "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace"), call(IMAGE, 1.0)
    ),
    **dict.fromkeys(("laplace", "prewitt", "sobel", "spline_filter", "spline_filter1d"), call(IMAGE)),
    **dict.fromkeys(("convolve", "correlate"), call(IMAGE, IMAGE[:3, :3].copy())),
    **dict.fromkeys(("convolve1d", "correlate1d"), call(IMAGE, VECTOR)),
    **dict.fromkeys(("percentile_filter", "rank_filter"), call(IMAGE, 2, 3)),
    **dict.fromkeys(("rotate", "shift", "zoom"), call(IMAGE, 1.5)),
    **dict.fromkeys(("find_objects", "value_indices"), call(LABELS)),
    "affine_transform": call(IMAGE, np.asarray([[1.0, 0.2], [0.1, 0.9]])),
    "generic_filter": lambda f, p: f(p(IMAGE), np.max, 3),
    "generic_filter1d": lambda f, p: f(p(IMAGE), doubled, 3),
    "generic_gradient_magnitude": lambda f, p: f(p(IMAGE), one_sided),
    "generic_laplace": lambda f, p: f(p(IMAGE), one_sided),
    "geometric_transform": lambda f, p: f(p(IMAGE), lambda at: (at[0] / 2.0, at[1])),
    "histogram": call(IMAGE, -2.0, 2.0, 4),
    "iterate_structure": call(np.eye(3) > 0, 2),
    "label": call(LABELS),
    "labeled_comprehension": lambda f, p: f(p(IMAGE), p(LABELS), [1, 2], np.mean, np.float64, 0.0),
    "map_coordinates": call(IMAGE, np.asarray([[0.5, 2.0], [0.5, 1.0]])),
    "vectorized_filter": lambda f, p: f(p(IMAGE), mean, size=3),
    "watershed_ift": call(LABELS.astype(np.uint8), LABELS),
}


def doubled(line, result):
    result[...] = 2.0 * line[1:-1]


def one_sided(values, axis, output, mode, cval):
    return np.roll(np.asarray(values), 1, axis=axis) - np.asarray(values)


SIGNAL = {
    **dict.fromkeys(("convolve", "correlate", "fftconvolve", "oaconvolve"), call(X, POSITIVE)),
    **dict.fromkeys(("convolve2d", "correlate2d"), call(IMAGE, IMAGE[:3, :3].copy())),
    **dict.fromkeys(("cspline1d", "detrend", "hilbert", "medfilt", "minimum_phase", "qspline1d", "wiener"), call(X)),
    **dict.fromkeys(("cspline2d", "hilbert2", "medfilt2d", "spline_filter"), call(LARGE)),
    **dict.fromkeys(("cspline1d_eval", "qspline1d_eval"), call(X, UNIT)),
    **dict.fromkeys(("bilinear", "lp2bp", "lp2bs", "lp2hp", "lp2lp", "normalize", "tf2sos", "tf2zpk"), call(B, A)),
    **dict.fromkeys(
        ("lp2bp_zpk", "lp2bs_zpk", "lp2hp_zpk", "lp2lp_zpk", "zpk2sos", "zpk2tf"), call(ZEROS, POLES, GAIN)
    ),
    **dict.fromkeys(("freqs", "freqz"), call(B, A, worN=UNIT)),
    **dict.fromkeys(("freqz_sos", "sosfreqz"), call(SECTIONS, worN=UNIT)),
    **dict.fromkeys(("sos2tf", "sos2zpk"), call(SECTIONS)),
    **dict.fromkeys(("sosfilt", "sosfiltfilt"), call(SECTIONS, np.tile(X, 4))),
    **dict.fromkeys(("buttord", "cheb1ord", "cheb2ord", "ellipord"), call(BAND, WIDER, 1.0, 40.0)),
    **dict.fromkeys(("bessel", "butter", "iirfilter"), call(3, BAND, btype="band")),
    "bilinear_zpk": call(ZEROS, POLES, GAIN, 2.0),
    "cheby1": call(3, 1.0, BAND, btype="band"),
    "cheby2": call(3, 20.0, BAND, btype="band"),
    "deconvolve": call(np.convolve(X, POSITIVE), POSITIVE),
    "ellip": call(3, 1.0, 20.0, BAND, btype="band"),
    "firls": call(5, np.asarray([0.0, 0.4, 0.6, 1.0]), np.asarray([1.0, 1.0, 0.0, 0.0])),
    "firwin": call(5, BAND),
    "firwin2": call(5, np.asarray([0.0, 0.5, 1.0]), np.asarray([1.0, 0.5, 0.0])),
    "freqs_zpk": call(ZEROS, POLES, GAIN, worN=UNIT),
    "group_delay": lambda f, p: f((p(B), p(A)), w=p(UNIT)),
    "lfilter": call(B, A, X),
    "lfilter_zi": call(B, A),
    "lfiltic": call(B, A, VECTOR),
    "order_filter": call(X, np.ones(3), 1),
    "remez": call(5, np.asarray([0.0, 0.2, 0.3, 0.5]), np.asarray([1.0, 0.0])),
    "resample": call(X, 7),
    "resample_poly": call(X, 3, 2),
    "savgol_filter": call(X, 5, 2),
    "upfirdn": call(VECTOR, X, 2),
    "vectorstrength": call(X, 2.0),
    # Of NumPy alone.
    **dict.fromkeys(
        ("argrelmax", "argrelmin", "check_NOLA", "find_peaks", "periodogram", "sawtooth", "square"), call(X)
    ),
    **dict.fromkeys(("coherence", "csd"), call(X, POSITIVE, nperseg=6)),
    **dict.fromkeys(("invres", "invresz"), call(VECTOR, VECTOR + 0.5, np.ones(0))),
    **dict.fromkeys(("residue", "residuez"), call(B, np.asarray([1.0, 0.5, 0.06]))),
    **dict.fromkeys(("peak_prominences", "peak_widths"), call(X, signal.find_peaks(X)[0])),
    **{name: lambda f, p: f(p(B), p(A)).den for name in ("TransferFunction", "dlti", "lti")},
    **dict.fromkeys(("ss2tf", "ss2zpk"), call(*signal.tf2ss(B, A))),
    "StateSpace": lambda f, p: f(*map(p, signal.tf2ss(B, A))).A,
    "ZerosPolesGain": lambda f, p: f(p(ZEROS), p(POLES), GAIN).poles,
    "ShortTimeFFT": lambda f, p: f(p(POSITIVE), 3, 1.0).stft(p(np.tile(X, 4))),
    "max_len_seq": lambda f, p: f(3, p(np.asarray([1, 0, 1]))),
    "tf2ss": call(B, A),
    "zpk2ss": call(ZEROS, POLES, GAIN),
    **{name: lambda f, p: f((p(B), p(A), 0.1), n=5) for name in ("dbode", "dfreqresp", "dimpulse", "dstep")},
    **{name: lambda f, p: f((p(VECTOR), p(VECTOR + 1.0))) for name in ("freqresp", "step")},
    "argrelextrema": lambda f, p: f(p(X), np.greater),
    "band_stop_obj": call(0.2, 0, WIDER, BAND, 1.0, 40.0, "butter"),
    "check_NOLA": call(POSITIVE, 12, 3),
    "chirp": call(POSITIVE, 1.0, 2.0, 3.0),
    "closest_STFT_dual_window": call(POSITIVE, 3),
    "cont2discrete": lambda f, p: f((p(B), p(A)), 0.1),
    "czt": call(X),
    "decimate": call(np.tile(X, 4), 2),
    "dlsim": lambda f, p: f((p(B), p(A), 0.1), p(X)),
    "find_peaks_cwt": call(X, VECTOR),
    "findfreqs": call(B, A, 5),
    "firwin_2d": lambda f, p: f((3, 3), ("hann", "hann"), fc=p(np.asarray(0.5))),
    "gausspulse": call(X),
    "lombscargle": call(GRID, X, POSITIVE),
    "lsim": lambda f, p: f((p(VECTOR), p(VECTOR + 1.0)), p(POSITIVE), p(GRID)),
    "qspline2d": call(LARGE),
    "sepfir2d": call(IMAGE, VECTOR, VECTOR),
    "sweep_poly": call(X, VECTOR),
    "symiirorder1": call(np.tile(X, 6), 0.2, 0.2),
    "symiirorder2": call(np.tile(X, 6), 0.2, 0.2),
    "unique_roots": call(VECTOR),
    "welch": call(X, nperseg=6),
    "zoom_fft": call(X, np.asarray([0.1, 0.5])),
}

UNARY = (
    *("cbrt", "cosdg", "cosm1", "cotdg", "erfcx", "exp1", "exp10", "exp2", "expi", "exprel", "gamma", "gammasgn", "j0"),
    *("j1", "k0", "k0e", "k1", "k1e", "loggamma", "rgamma", "sinc", "sindg", "spence", "tandg", "y0", "y1", "zetac"),
)

SPECIAL = {
    **dict.fromkeys(UNARY, call(POSITIVE)),
    **dict.fromkeys(("ellipk", "ellipkm1"), call(UNIT)),
    **dict.fromkeys(
        ("betaincc", "betainc", "betaincinv", "gdtr", "gdtrc", "hyp1f1", "radian"), call(POSITIVE, POSITIVE, UNIT)
    ),
    **dict.fromkeys(("fdtr", "fdtrc", "fdtri"), call(POSITIVE, POSITIVE, UNIT)),
    **dict.fromkeys(
        ("betaln", "binom", "boxcox", "boxcox1p", "huber", "inv_boxcox", "inv_boxcox1p", "kl_div", "poch", "stdtr"),
        call(POSITIVE, UNIT),
    ),
    **dict.fromkeys(("chdtri", "gammaincinv", "gammainccinv", "pseudo_huber", "stdtrit"), call(POSITIVE, UNIT)),
    **dict.fromkeys(("bdtr", "bdtrc", "bdtri"), call(COUNTS - 0.5, COUNTS + 2, UNIT)),
    **dict.fromkeys(("nbdtr", "nbdtrc", "nbdtri"), call(COUNTS, COUNTS + 2, UNIT)),
    **dict.fromkeys(("pdtr", "pdtrc"), call(COUNTS - 0.5, POSITIVE)),
    **dict.fromkeys(("expn", "pdtri", "yn"), call(COUNTS, UNIT)),
    "lpmv": call(COUNTS - 1, COUNTS + 1.0, UNIT),
}

STATS = {
    **dict.fromkeys(
        (
            *("ansari", "brunnermunzel", "cramervonmises_2samp", "f_oneway", "kendalltau", "ks_2samp", "levene"),
            *("linregress", "mannwhitneyu", "median_test", "obrientransform", "pearsonr", "pointbiserialr", "ranksums"),
            *("siegelslopes", "somersd", "spearmanr", "spearmanrho", "theilslopes", "ttest_ind", "ttest_rel"),
            *("tukey_hsd", "wasserstein_distance", "weightedtau", "energy_distance"),
            "logrank",
        ),
        call(X, POSITIVE),
    ),
    **dict.fromkeys(
        (
            *("lmoment", "bayes_mvs", "boxcox", "boxcox_normmax", "cumfreq", "ecdf", "probplot", "relfreq"),
            *("quantile_test", "shapiro", "yeojohnson", "yeojohnson_normmax"),
        ),
        call(POSITIVE),
    ),
    **dict.fromkeys(
        ("chi2_contingency", "contingency.association", "contingency.expected_freq"), call(COUNTS.reshape(3, 4))
    ),
    **dict.fromkeys(("barnard_exact", "boschloo_exact", "fisher_exact"), call(COUNTS[:4].reshape(2, 2))),
    **dict.fromkeys(("percentileofscore", "scoreatpercentile"), call(X, 0.3)),
    **dict.fromkeys(("trim1", "trimboth"), call(X, 0.2)),
    **dict.fromkeys(("boxcox_normplot", "ppcc_plot", "yeojohnson_normplot"), call(POSITIVE, -1.0, 1.0, N=5)),
    "anderson": call(X, method="interpolate"),
    "anderson_ksamp": lambda f, p: f([p(X), p(POSITIVE)], variant="midrank"),
    "binned_statistic": call(X, POSITIVE, bins=3),
    "binned_statistic_2d": call(X, POSITIVE, UNIT, bins=3),
    "binned_statistic_dd": call(TABLE, TABLE[:, 0].copy(), bins=2),
    "combine_pvalues": call(UNIT),
    "contingency.margins": call(IMAGE),
    "dunnett": call(X, POSITIVE, control=UNIT, rng=0),
    "bws_test": lambda f, p: f(p(X), p(POSITIVE), method=stats.PermutationMethod(n_resamples=99, rng=0)),
    "cramervonmises": lambda f, p: f(p(X), special.ndtr),
    "expectile": call(X),
    "ks_1samp": lambda f, p: f(p(X), special.ndtr),
    "mvsdist": lambda f, p: tuple(variable.mean() for variable in f(p(POSITIVE))),
    "multiscale_graphcorr": call(TABLE, TABLE[:, :1].copy(), reps=5, random_state=0),
    "page_trend_test": call(TABLE),
    "tiecorrect": call(np.sort(POSITIVE)),
    "ttest_1samp": call(X, 0.1),
    "ttest_ind_from_stats": call(
        VECTOR, VECTOR, np.asarray([5, 6, 7]), VECTOR[::-1].copy(), VECTOR, np.asarray([8, 9, 7])
    ),
    "ppcc_max": call(POSITIVE),
    "wilcoxon": call(X, POSITIVE, method="asymptotic"),
    "wasserstein_distance_nd": call(TABLE, TABLE[::-1].copy() + 1.0),
}

INTEGRATE = {
    "fixed_quad": lambda f, p: f(lambda x: x * x, p(np.asarray(0.0)), p(np.asarray(1.0))),
    "quad_vec": lambda f, p: f(lambda x: x * p(VECTOR), 0.0, 1.0),
    "newton_cotes": call(np.arange(4)),
    "simpson": call(X),
    "solve_bvp": lambda f, p: f(
        lambda t, y: np.stack([y[1], -y[0]]), lambda a, b: np.asarray([a[0], b[0] - 1.0]), p(UNIT), p(np.ones((2, 12)))
    ),
    "solve_ivp": lambda f, p: f(lambda t, y: -y, (0.0, 1.0), p(VECTOR)),
}

HOST_CASES = {
    **prefixed("cluster", CLUSTER),
    **prefixed("fft", FFT),
    **prefixed("integrate", INTEGRATE),
    **prefixed("interpolate", INTERPOLATE),
    **prefixed("ndimage", NDIMAGE),
    **prefixed("signal", SIGNAL),
    **prefixed("special", SPECIAL),
    **prefixed("stats", STATS),
}
"""Case of each function that SciPy declares for the host only and that accepts arrays."""

WITHOUT_CASE = {
    **dict.fromkeys(
        (
            *(f"integrate.{name}" for name in ("dblquad", "lebedev_rule", "nquad", "quad", "tplquad")),
            *(f"signal.{name}" for name in ("CZT", "ZoomFFT", "czt_points", "unit_impulse", "windows.dpss")),
            *("stats.binomtest", "stats.poisson_means_test"),
        ),
        "takes Python scalars",
    ),
    **dict.fromkeys(
        [f"stats.{name}" for name in ("abs", "exp", "log", "make_distribution", "order_statistic", "truncate")],
        "takes a random variable",
    ),
    "signal.BadCoefficients": "is a warning",
    "stats.sobol_indices": "takes a function and draws its operands with NumPy",
}

REFUSED_ON_THE_HOST = frozenset(("signal.impulse",))
"""Functions that pass their operands to NumPy functions which refuse Arrays, contrary to the table."""

OTHER_ERRORS = {"signal.closest_STFT_dual_window": ValueError, "stats.multiscale_graphcorr": ValueError}
"""Errors other than TypeError that SciPy raises for Arrays."""

NUMPY_RESULT = frozenset(("signal.cspline2d",))
"""Functions that return NumPy arrays on the host, contrary to the table."""
