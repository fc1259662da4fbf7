"""The operations of the main namespace: one module for each subject, imported at the first use of one of its names.

A module declares its functions and composes those that are no primitives, the standard's functions and those of NumPy
alike. Other parts of the package use it as their namespace: ``from .. import _ops as xp``.
"""

from __future__ import annotations

import typing as _typing

from .._core.boundary import publish as _publish
from .._core.operations import TABLE as _TABLE
from .._core.operations import import_later as _import_later

if _typing.TYPE_CHECKING:
    from .applying import *
    from .assignment import *
    from .averages import *
    from .bits import *
    from .broadcasting import *
    from .closeness import *
    from .conversion import *
    from .convolution import *
    from .copies import *
    from .counting import *
    from .creation import *
    from .data_types import *
    from .diagonals import *
    from .dimensions import *
    from .editing import *
    from .einsums import *
    from .elementwise.angles import *
    from .elementwise.arithmetic import *
    from .elementwise.bitwise import *
    from .elementwise.comparison import *
    from .elementwise.complex import *
    from .elementwise.exponential import *
    from .elementwise.extremes import *
    from .elementwise.floating import *
    from .elementwise.hyperbolic import *
    from .elementwise.integers import *
    from .elementwise.logical import *
    from .elementwise.powers import *
    from .elementwise.remainders import *
    from .elementwise.replacement import *
    from .elementwise.rounding import *
    from .elementwise.special import *
    from .elementwise.trigonometric import *
    from .files import *
    from .filling import *
    from .gradients import *
    from .histograms import *
    from .index_objects import *
    from .index_tricks import *
    from .indexing import *
    from .inspection import *
    from .interpolation import *
    from .joining import *
    from .kinds import *
    from .linear_algebra import *
    from .manipulation import *
    from .matrices import *
    from .nan_reductions import *
    from .orders import *
    from .padding import *
    from .polynomials import *
    from .products import *
    from .quantiles import *
    from .rearranging import *
    from .scans import *
    from .searching import *
    from .selection import *
    from .set_operations import *
    from .sets import *
    from .sorting import *
    from .spacings import *
    from .splitting import *
    from .stacking import *
    from .statistical import *
    from .triangles import *
    from .utility import *
    from .windows import *

STANDARD: dict[str, tuple[str, ...]] = {
    "broadcasting": ("broadcast_arrays", "broadcast_shapes", "broadcast_to"),
    "conversion": ("asarray", "from_dlpack"),
    "creation": ("arange", "eye", "linspace", "meshgrid"),
    "data_types": (
        "astype",
        "bool",
        "can_cast",
        "complex64",
        "complex128",
        "finfo",
        "float16",
        "float32",
        "float64",
        "iinfo",
        "int8",
        "int16",
        "int32",
        "int64",
        "isdtype",
        "result_type",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    ),
    "elementwise.arithmetic": (
        "abs",
        "add",
        "divide",
        "floor_divide",
        "multiply",
        "negative",
        "positive",
        "remainder",
        "sign",
        "subtract",
    ),
    "elementwise.bitwise": (
        "bitwise_and",
        "bitwise_invert",
        "bitwise_left_shift",
        "bitwise_or",
        "bitwise_right_shift",
        "bitwise_xor",
    ),
    "elementwise.comparison": (
        "clip",
        "equal",
        "greater",
        "greater_equal",
        "less",
        "less_equal",
        "maximum",
        "minimum",
        "not_equal",
    ),
    "elementwise.complex": ("conj", "imag", "real"),
    "elementwise.exponential": ("exp", "expm1", "log", "log1p", "log2", "log10", "logaddexp"),
    "elementwise.floating": ("copysign", "isfinite", "isinf", "isnan", "nextafter", "signbit"),
    "elementwise.hyperbolic": ("acosh", "asinh", "atanh", "cosh", "sinh", "tanh"),
    "elementwise.logical": ("logical_and", "logical_not", "logical_or", "logical_xor"),
    "elementwise.powers": ("hypot", "pow", "reciprocal", "sqrt", "square"),
    "elementwise.rounding": ("ceil", "floor", "round", "trunc"),
    "elementwise.trigonometric": ("acos", "asin", "atan", "atan2", "cos", "sin", "tan"),
    "filling": ("empty", "empty_like", "full", "full_like", "ones", "ones_like", "zeros", "zeros_like"),
    "indexing": ("take", "take_along_axis"),
    "inspection": ("__array_namespace_info__",),
    "joining": ("concat", "repeat", "stack", "tile", "unstack"),
    "linear_algebra": ("matmul", "matrix_transpose", "tensordot", "vecdot"),
    "manipulation": ("expand_dims", "flip", "moveaxis", "permute_dims", "reshape", "roll", "squeeze"),
    "searching": ("argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"),
    "sets": ("isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"),
    "sorting": ("argsort", "sort"),
    "scans": ("cumulative_prod", "cumulative_sum"),
    "triangles": ("tril", "triu"),
    "statistical": ("max", "mean", "min", "prod", "std", "sum", "var"),
    "utility": ("all", "any", "diff"),
}
"""The names that the standard defines, by module."""

NUMPY: dict[str, tuple[str, ...]] = {
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
    "einsums": ("einsum",),
    "elementwise.angles": ("deg2rad", "degrees", "rad2deg", "radians"),
    "elementwise.complex": ("angle", "iscomplex", "iscomplexobj", "isreal", "isrealobj", "real_if_close"),
    "elementwise.floating": ("fabs", "frexp", "ldexp", "rint", "spacing"),
    "elementwise.powers": ("cbrt", "exp2", "float_power", "logaddexp2"),
    "elementwise.extremes": ("fmax", "fmin", "heaviside"),
    "elementwise.integers": ("bitwise_count", "gcd", "lcm"),
    "elementwise.remainders": ("divmod", "fmod", "modf"),
    "elementwise.replacement": ("fix", "isneginf", "isposinf", "nan_to_num"),
    "elementwise.special": ("i0", "sinc"),
    "files": ("load", "loadtxt", "save", "savetxt", "savez", "savez_compressed"),
    "gradients": ("gradient",),
    "histograms": ("digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd"),
    "index_objects": ("broadcast", "c_", "index_exp", "mgrid", "ogrid", "r_", "s_"),
    "index_tricks": ("argwhere", "flatnonzero", "indices", "ix_", "ravel_multi_index", "unravel_index"),
    "interpolation": ("ediff1d", "interp", "trapezoid", "unwrap"),
    "kinds": ("isscalar", "issubdtype"),
    "matrices": ("diag", "roots", "transpose"),
    "nan_reductions": (
        "nanargmax",
        "nanargmin",
        "nanmax",
        "nanmean",
        "nanmin",
        "nanprod",
        "nanstd",
        "nansum",
        "nanvar",
    ),
    "orders": ("argpartition", "lexsort", "partition", "sort_complex"),
    "padding": ("pad",),
    "polynomials": ("poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval"),
    "products": ("dot", "inner", "matvec", "outer", "vdot", "vecmat"),
    "quantiles": ("median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"),
    "rearranging": ("fliplr", "flipud", "kron", "ravel", "resize", "rollaxis", "rot90", "swapaxes"),
    "scans": ("cumprod", "cumsum", "nancumprod", "nancumsum"),
    "selection": ("choose", "compress", "extract", "piecewise", "select"),
    "set_operations": ("intersect1d", "setdiff1d", "setxor1d", "union1d", "unique"),
    "spacings": ("geomspace", "logspace"),
    "splitting": ("array_split", "dsplit", "hsplit", "split", "vsplit"),
    "stacking": ("append", "block", "column_stack", "dstack", "hstack", "vstack"),
    "triangles": (
        "diag_indices",
        "diag_indices_from",
        "tri",
        "tril_indices",
        "tril_indices_from",
        "triu_indices",
        "triu_indices_from",
    ),
    "windows": ("bartlett", "blackman", "hamming", "hanning", "kaiser"),
}
"""The functions beyond the standard, with NumPy's names and signatures, by module."""

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

e = 2.718281828459045
r"""Euler's number, :math:`e = \lim_{n \to \infty} (1 + 1/n)^n`."""

inf = float("inf")
"""Positive infinity of IEEE 754."""

nan = float("nan")
"""Not a number (NaN) of IEEE 754; unequal to every number, itself included."""

newaxis = None
"""Alias of None: as an index, inserts an axis of length 1."""

pi = 3.141592653589793
r"""Ratio of a circle's circumference to its diameter, :math:`\pi`."""

_MODULES = {name: module for table in (STANDARD, NUMPY) for module, names in table.items() for name in names}

_TABLE.later = _MODULES.keys()

NAMES = ("e", "inf", "nan", "newaxis", "pi", *_MODULES)
"""The public names."""


def _load(name: str) -> _typing.Any:
    """Return a function or dtype whose module is imported now."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = vars(_import_later(f".{_MODULES[name]}", __name__))
    _publish(module, (name,))
    value = globals()[name] = module[name]
    return value


if not _typing.TYPE_CHECKING:  # a type checker knows every name, so that it reports those that do not exist
    __getattr__ = _load
