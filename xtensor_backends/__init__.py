"""The backends of xtensor: one subpackage for each library, engine or generator of kernels.

A subpackage imports its library, so that it is imported when one of its devices is first opened.
"""
