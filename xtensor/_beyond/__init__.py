"""Functions beyond the standard, with NumPy's names and signatures.

Code that is written for NumPy looks for them in the namespace by name. Each function is built once from the standard's
functions, so that it runs on every device. A module is imported at the first use of one of its functions.

The main namespace also has ``linalg.cross``, because xarray looks for it there.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["MODULES", "STANDARD_NAMES", "find"]

MODULES: dict[str, tuple[str, ...]] = {
    "applying": ("apply_along_axis", "apply_over_axes", "vectorize"),
    "assignment": ("copyto", "place", "put", "put_along_axis", "putmask"),
    "averages": ("average", "corrcoef", "cov", "ptp"),
    "bits": ("packbits", "unpackbits"),
    "closeness": ("allclose", "array_equal", "array_equiv", "isclose"),
    "convolution": ("convolve", "correlate"),
    "copies": ("around", "asarray_chkfinite", "copy"),
    "counting": ("bincount",),
    "diagonals": ("diagflat", "diagonal", "fill_diagonal", "identity", "trace", "vander"),
    "dimensions": ("atleast_1d", "atleast_2d", "atleast_3d"),
    "editing": ("delete", "insert", "trim_zeros"),
    "einsum": ("einsum",),
    "elementwise_angles": ("deg2rad", "degrees", "rad2deg", "radians"),
    "elementwise_complex": ("angle", "iscomplex", "iscomplexobj", "isreal", "isrealobj", "real_if_close"),
    "elementwise_extremes": ("fmax", "fmin", "heaviside"),
    "elementwise_floating": ("fabs", "frexp", "ldexp", "rint", "spacing"),
    "elementwise_integers": ("bitwise_count", "gcd", "lcm"),
    "elementwise_powers": ("cbrt", "exp2", "float_power", "logaddexp2"),
    "elementwise_remainders": ("divmod", "fmod", "modf"),
    "elementwise_replacement": ("fix", "isneginf", "isposinf", "nan_to_num"),
    "elementwise_special": ("i0", "sinc"),
    "files": ("load", "loadtxt", "save", "savetxt", "savez", "savez_compressed"),
    "gradient": ("gradient",),
    "histograms": ("digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"),
    "index_objects": ("broadcast", "c_", "index_exp", "mgrid", "ogrid", "r_", "s_"),
    "index_tricks": ("argwhere", "flatnonzero", "indices", "ix_", "ravel_multi_index", "unravel_index"),
    "interpolation": ("ediff1d", "interp", "trapezoid", "unwrap"),
    "joining": ("append", "block", "column_stack", "dstack", "hstack", "vstack"),
    "kinds": ("isscalar", "issubdtype"),
    "matrices": ("diag", "roots", "transpose"),
    "nan_reductions": (
        *("cumprod", "cumsum", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean"),
        *("nanmin", "nanprod", "nanstd", "nansum", "nanvar"),
    ),
    "orders": ("argpartition", "lexsort", "partition", "sort_complex"),
    "padding": ("pad",),
    "polynomials": (*("poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval"),),
    "products": ("dot", "inner", "matvec", "outer", "vdot", "vecmat"),
    "quantiles": ("median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"),
    "rearranging": ("fliplr", "flipud", "kron", "ravel", "resize", "rollaxis", "rot90", "swapaxes"),
    "selection": ("choose", "compress", "extract", "piecewise", "select"),
    "set_operations": ("intersect1d", "setdiff1d", "setxor1d", "union1d", "unique"),
    "spacing": ("geomspace", "logspace"),
    "splitting": ("array_split", "dsplit", "hsplit", "split", "vsplit"),
    "triangles": (
        *("diag_indices", "diag_indices_from", "tri", "tril_indices", "tril_indices_from"),
        *("triu_indices", "triu_indices_from"),
    ),
    "windows": ("bartlett", "blackman", "hamming", "hanning", "kaiser"),
}
"""The public functions of each module, so that the namespace knows them without importing the modules."""

STANDARD_NAMES: dict[str, str] = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "array": "asarray",
    "asanyarray": "asarray",
    "ascontiguousarray": "asarray",
    "bitwise_not": "bitwise_invert",
    "concatenate": "concat",
    "conjugate": "conj",
    "in1d": "isin",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "ndarray": "Array",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "true_divide": "divide",
}
"""NumPy's names of functions that the namespace has under the standard's name alone."""


def find(name: str) -> Any:
    """Return the function of a name, whose module is imported at its first use; None without one."""
    module = next((module for module, names in MODULES.items() if name in names), None)
    return None if module is None else getattr(import_module(f"{__name__}.{module}"), name)
