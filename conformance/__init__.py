"""Run the official array-api-tests suite on a device of xtensor, and report what it found.

A tool of the repository, not part of the distribution: `python -m conformance`.
"""
