"""Functions beyond the standard, with NumPy's names and signatures.

Code that is written for NumPy looks for them in the namespace by name. Each function is built once from the standard's
functions, so that it runs on every device. A module is imported at the first use of one of its functions.

The main namespace also has ``linalg.cross``, because xarray looks for it there.
"""

from __future__ import annotations

__all__ = ["MODULES"]

MODULES: dict[str, tuple[str, ...]] = {
    "applying": ("apply_along_axis", "apply_over_axes"),
    "assignment": ("copyto", "place", "put", "put_along_axis", "putmask"),
    "bits": ("packbits", "unpackbits"),
    "closeness": ("allclose", "array_equal", "array_equiv", "isclose"),
    "convolution": ("convolve",),
    "counting": ("bincount",),
    "diagonals": ("diagflat", "diagonal", "fill_diagonal", "identity", "trace", "vander"),
    "dimensions": ("atleast_1d", "atleast_2d", "atleast_3d"),
    "editing": ("delete", "insert", "trim_zeros"),
    "einsum": ("einsum",),
    "files": ("load", "loadtxt", "save", "savetxt", "savez", "savez_compressed"),
    "gradient": ("gradient",),
    "index_tricks": ("argwhere", "flatnonzero", "indices", "ix_", "ravel_multi_index", "unravel_index"),
    "joining": ("append", "block", "column_stack", "dstack", "hstack", "vstack"),
    "matrices": ("diag", "roots", "transpose"),
    "nan_reductions": (
        *("cumprod", "cumsum", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean"),
        *("nanmin", "nanprod", "nanstd", "nansum", "nanvar"),
    ),
    "padding": ("pad",),
    "quantiles": ("median", "nanmedian", "nanquantile", "quantile"),
    "rearranging": ("fliplr", "flipud", "kron", "ravel", "resize", "rollaxis", "rot90", "swapaxes"),
    "selection": ("choose", "compress", "extract", "piecewise", "select"),
    "spacing": ("geomspace", "logspace"),
    "splitting": ("array_split", "dsplit", "hsplit", "split", "vsplit"),
    "triangles": (
        *("diag_indices", "diag_indices_from", "tri", "tril_indices", "tril_indices_from"),
        *("triu_indices", "triu_indices_from"),
    ),
}
"""The public functions of each module, so that the namespace knows them without importing the modules."""
