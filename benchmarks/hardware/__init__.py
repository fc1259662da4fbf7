"""A proof on GPU hardware in steps of at most 8 minutes, without a network: ``python -m benchmarks.hardware``.

Each step is a process with a time limit, a log and a record in JSON. A step that fails, crashes or takes too long does
not stop the steps after it. This package needs only the standard library, so that a machine on which NumPy, CuPy or
Triton does not work gives a record of that.
"""
