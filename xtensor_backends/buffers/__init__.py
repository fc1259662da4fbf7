"""Arrays in a device's buffers, and kernels over them whose source is printed, for libraries that launch such kernels.

A kernel is written once, with the formulas of :mod:`xtensor_backends.kernels` and a builder that prints statements. A
:class:`Language` has the syntax, and a :class:`Runtime` the library that compiles and launches.
"""
