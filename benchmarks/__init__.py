"""xtensor beside its peers, in one run: ``python -m benchmarks GROUP …``, from the root of the repository.

A group is a module here with a ``GROUP`` (:class:`benchmarks._cases.Group`): its cases, sizes, dtypes and limits.
To add one is to add a module; nothing else knows their names.
"""

import os

# SciPy reads it when it is imported, and a peer may import SciPy before the group that needs it does.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
