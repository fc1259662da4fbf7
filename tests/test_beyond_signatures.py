"""Signatures of the functions beyond the standard: NumPy's, with ``device`` in addition where an Array is created."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import xtensor as xp
from xtensor._ops import NUMPY

SUBJECTS = (
    *("applying", "bits", "diagonals", "dimensions", "editing", "files", "index_tricks", "stacking", "rearranging"),
    *("selection", "spacings", "splitting", "triangles"),
)
"""The modules whose functions take every parameter of NumPy's."""

NAMES = [
    *(name for subject in SUBJECTS for name in NUMPY[subject]),
    *("array_equal", "array_equiv", "copyto", "place", "put", "putmask"),
]


@pytest.mark.parametrize("name", NAMES)
def test_signature_is_that_of_numpy(name):
    try:
        expected = inspect.signature(getattr(np, name)).parameters.values()
    except ValueError:  # before NumPy 2.4, functions implemented in C have no signature
        return
    own = [p for p in inspect.signature(getattr(xp, name)).parameters.values() if p.name != "device"]
    assert [(p.name, p.kind, p.default) for p in own] == [(p.name, p.kind, p.default) for p in expected]
