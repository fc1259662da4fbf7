"""Functions for which SciPy has loops over integers: its values for every pair of dtypes and for broadcast shapes."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest

import xtensor as xp

scipy_special = pytest.importorskip("scipy.special")

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REAL = ("float32", "float64")

PROBABILITIES = [0.2, 0.5, 0.9]

OPERANDS = {
    **{name: ([-1, 0, 1, 2, 3], [3, 4, 5], PROBABILITIES) for name in ("bdtr", "bdtrc", "nbdtr", "nbdtrc", "nbdtri")},
    "bdtri": ([-1, 0, 1, 2, 3], [4, 5, 6], PROBABILITIES),
    **{name: ([-1, 0, 1, 2, 3], [0, 3, 4, 5]) for name in ("pdtr", "pdtrc")},
    "pdtri": ([-1, 0, 1, 2, 3], PROBABILITIES),
    **{name: ([0, 1, 2, 3], [0.2, 1.5, 3.0]) for name in ("expn", "yn")},
}
"""Values of the operands; those that are integers in each of the dtypes, -1 in the signed ones."""


def scipys(name: str):
    function = getattr(scipy_special, name)
    return getattr(function, "__wrapped__", function)  # SciPy may have wrapped it in its own dispatch


def operand(values: list[float], dtype: str) -> np.ndarray:
    return np.asarray([value for value in values if value >= 0 or dtype[0] != "u"], dtype=dtype)


def dtypes_of(values: list[float]) -> tuple[str, ...]:
    return (*INTEGERS, *REAL) if all(float(value).is_integer() for value in values) else REAL


def outer(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Each operand along an axis of its own."""
    count = len(arrays)
    return [x.reshape((1,) * axis + (-1,) + (1,) * (count - 1 - axis)) for axis, x in enumerate(arrays)]


SHAPES = {
    "axes of their own": outer,
    "vector and scalars": lambda arrays: [arrays[0], *[x[-1] for x in arrays[1:]]],
    "0-d": lambda arrays: [np.asarray(x[-1]) for x in arrays],
    "broadcast views": lambda arrays: [np.broadcast_to(x[-1:], (2, 3)) for x in arrays],
    "empty": lambda arrays: [x[:0] for x in arrays],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", OPERANDS)
def test_values_for_every_pair_of_dtypes_are_scipys(device, name, shape):
    function = getattr(xp.special, name)
    pairs = [dtypes_of(values) for values in OPERANDS[name]]
    # Every combination of dtypes once; each dtype of the first operand for the other shapes.
    last = [dtypes[-1] for dtypes in pairs[1:]]
    chosen = product(*pairs) if shape == "axes of their own" else [(each, *last) for each in pairs[0]]
    for dtypes in chosen:
        arrays = SHAPES[shape]([operand(*pair) for pair in zip(OPERANDS[name], dtypes, strict=True)])
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # SciPy's, of floating-point numbers of trials
            expected = np.asarray(scipys(name)(*arrays))
        with np.errstate(all="ignore"), xp.transfers("allow"):
            result = function(*[xp.asarray(x) for x in arrays])
        assert result.shape == expected.shape
        np.testing.assert_allclose(
            np.asarray(result.tolist(), dtype=float).reshape(result.shape), expected, rtol=2e-5, err_msg=str(dtypes)
        )
