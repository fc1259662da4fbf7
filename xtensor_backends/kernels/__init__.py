"""Parts that generators of kernels share: scalars with NumPy's arithmetic, and the formulas of functions.

A generator gives the formulas values whose builder writes its own instructions: :mod:`xtensor_backends.llvm` those of
LLVM.
"""
