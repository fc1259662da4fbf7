"""xtensor beside its peers, in one run: ``python -m benchmarks GROUP``, from the root of the repository.

A group is a module here with a ``GROUP`` (:class:`benchmarks._cases.Group`): its cases, sizes, dtypes and limits.
To add one is to add a module; nothing else knows their names.
"""
