"""Functions beyond the standard, with NumPy's names and signatures.

scikit-learn, SciPy and xarray look for them in the namespace by name; without them, they compute on the host or fail.
Each function is built once from the standard's functions, so it runs on every device. A module is imported at the first
use of one of its functions.

The main namespace also has ``linalg.cross``, because xarray looks for it there.
"""
