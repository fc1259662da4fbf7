"""Comparison of scikit-learn's results for Arrays with those for NumPy arrays."""

from __future__ import annotations

import numpy as np

import xtensor as xp


def compare(result, expected, label):
    """Fail unless two results are equal, in every array and number that they contain."""
    if hasattr(expected, "toarray"):
        result, expected = result.toarray(), expected.toarray()
    if isinstance(result, xp.Array):
        result = np.asarray(result.to_device("cpu"))
    if isinstance(expected, dict):
        assert result.keys() == expected.keys(), label
        if label != "cv_results_":  # it contains durations; the best candidate has attributes of its own
            for key in expected:
                compare(result[key], expected[key], f"{label}[{key!r}]")
    elif isinstance(expected, (list, tuple)) or (isinstance(expected, np.ndarray) and expected.dtype == object):
        for part, expected_part in zip(result, expected, strict=True):
            compare(part, expected_part, label)
    elif isinstance(expected, (bool, int, float, np.number, np.ndarray)) and np.asarray(expected).dtype.kind in "biufc":
        np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-12, strict=True, err_msg=label)
    elif isinstance(expected, (str, np.ndarray, type(None))):
        np.testing.assert_array_equal(result, expected, err_msg=label)
