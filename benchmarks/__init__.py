"""Benchmarks of xtensor against its peers: ``python -m benchmarks GROUP …``, run from the root of the repository.

Each group is a public module of this package with a ``GROUP`` (:class:`benchmarks._cases.Group`), which declares its
cases, sizes, dtypes and limits. A new module adds a group; no list of groups needs to change.
"""

import os

# SciPy reads this variable at import, and a peer library may import SciPy first.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
