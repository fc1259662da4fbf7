"""Runner for the official array-api-tests suite on the devices of xtensor.

A development tool, started from a checkout with `python -m conformance`. It is not part of the distribution.
"""
