"""xtensor under stress: a module for each way it might break.

The quick tier is part of the ordinary run. ``XTENSOR_STRESS=long python -m pytest tests/stress`` (``tox -e stress``)
does the same with larger counts, and writes its figures to ``tests/stress/results``, from where docs/reliability.md
has them.
"""
