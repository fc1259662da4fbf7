"""Functions beyond the standard, with NumPy's names and signatures.

Code that is written for NumPy looks for them in the namespace by name. Each function is built once from the standard's
functions, so that it runs on every device. A module is imported at the first use of one of its functions.

The main namespace also has ``linalg.cross``, because xarray looks for it there.
"""

from __future__ import annotations

__all__ = ["MODULES"]

MODULES: dict[str, tuple[str, ...]] = {
    "assignment": ("put_along_axis",),
    "averages": ("average", "corrcoef", "cov", "ptp"),
    "closeness": ("allclose", "isclose"),
    "convolution": ("convolve", "correlate"),
    "counting": ("bincount",),
    "einsum": ("einsum",),
    "gradient": ("gradient",),
    "histograms": ("digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"),
    "interpolation": ("ediff1d", "interp", "trapezoid", "unwrap"),
    "matrices": ("diag", "roots", "transpose"),
    "nan_reductions": (
        *("cumprod", "cumsum", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean"),
        *("nanmin", "nanprod", "nanstd", "nansum", "nanvar"),
    ),
    "orders": ("argpartition", "lexsort", "partition", "sort_complex"),
    "padding": ("pad",),
    "polynomials": (*("poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval"),),
    "quantiles": ("median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"),
    "set_operations": ("intersect1d", "setdiff1d", "setxor1d", "union1d", "unique"),
}
"""The public functions of each module, so that the namespace knows them without importing the modules."""
