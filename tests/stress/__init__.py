"""Stress tests, with one module for each kind of failure.

The ordinary test run contains the quick tier. ``XTENSOR_STRESS=long python -m pytest tests/stress`` (``tox -e stress``)
runs the long tier, with larger counts, and writes its figures to ``tests/stress/results``, which docs/reliability.md
shows.
"""
