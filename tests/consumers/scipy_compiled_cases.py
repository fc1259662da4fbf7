"""SciPy's functions that run under ``jax.jit`` in SciPy's own tests, as functions of Arrays for transforms."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np
from scipy.spatial.transform import RigidTransform, Rotation
from scipy_cases import CASES, NUMPY_INSIDE, WITHOUT_CASE, declared

import xtensor as xp

DECLARED = declared()


def says_jit(entry):
    """Whether a function's entry in the capability table says that SciPy tests it under ``jax.jit``."""
    no_jax = any("jax" in str(backend) for backend in (*entry["skip_backends"], *entry["xfail_backends"]))
    elsewhere = entry["out_of_scope"] or entry["np_only"] or entry["cpu_only"]
    return entry["jax_jit"] and not no_jax and not (elsewhere and "jax.numpy" not in entry["exceptions"])


COMPILED = tuple(
    name
    for name, (_, entry) in DECLARED.items()
    if says_jit(entry) and name in CASES and name not in NUMPY_INSIDE.keys() | WITHOUT_CASE.keys()
)
"""The functions whose case the tests compile."""


def leaves_of(result):
    """Return the arrays and numbers of a result, in order."""
    if isinstance(result, (Rotation, RigidTransform)):
        return [result.as_matrix()]
    if isinstance(result, dict):
        return [leaf for value in result.values() for leaf in leaves_of(value)]
    if isinstance(result, (tuple, list)):
        return [leaf for value in result for leaf in leaves_of(value)]
    if isinstance(result, (xp.Array, np.ndarray, np.generic, bool, int, float, complex)):
        return [result]
    if result is None or isinstance(result, (str, slice)):
        return []
    names = [field.name for field in fields(result)] if is_dataclass(result) else vars(result)
    return [leaf for name in names if not name.startswith("_") for leaf in leaves_of(getattr(result, name))]


def function_of(name, device):
    """Return a function of Arrays that makes a case's call, and its Arrays."""
    arrays = []

    def note(values):
        arrays.append(xp.asarray(values, device=device))
        return arrays[-1]

    function = DECLARED[name][0]
    CASES[name](function, note)

    def call(*given):
        rest = iter(given)
        return tuple(leaves_of(CASES[name](function, lambda values: next(rest))))

    return call, arrays
