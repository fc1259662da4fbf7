"""SciPy's functions that run under ``jax.jit`` in SciPy's own tests, under ``fuse`` here, unmodified."""

from __future__ import annotations

import numpy as np
import pytest

scipy = pytest.importorskip("scipy", reason="SciPy is not installed: xtensor[special]")

from scipy._lib import _array_api  # noqa: E402

if not _array_api.SCIPY_ARRAY_API:
    pytest.skip("SciPy was imported before SCIPY_ARRAY_API was set", allow_module_level=True)

from scipy_compiled_cases import COMPILED, function_of  # noqa: E402

import xtensor as xp  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore::RuntimeWarning"), pytest.mark.one_device]

LOOK_AT_VALUES = frozenset(
    (
        *(
            "interpolate.RBFInterpolator",
            "signal.bode",
            "signal.choose_conv_method",
            "spatial.transform.Rotation.__repr__",
        ),
        *("spatial.transform.Rotation.align_vectors", "stats.chatterjeexi", "stats.mood"),
    )
)
"""Functions that convert values of an array to Python in the call of the case, or read its memory."""

FUSED = [name for name in COMPILED if name not in LOOK_AT_VALUES]


def host(results):
    return [np.asarray(xp.to_numpy(x) if isinstance(x, xp.Array) else x) for x in results]


def assert_same(results, expected):
    for x, y in zip(host(results), host(expected), strict=True):
        scale = np.max(np.abs(y), initial=1.0, where=np.isfinite(y))
        np.testing.assert_allclose(x, y, rtol=1e-6, atol=1e-9 * scale)


@pytest.mark.parametrize(
    "name",
    [name if number % 6 == 0 else pytest.param(name, marks=pytest.mark.long) for number, name in enumerate(FUSED)],
)
def test_replay_of_a_function_of_scipy_gives_its_results(name):
    device = xp.device("cpu")
    with xp.use_device(device):
        function, arrays = function_of(name, device)
        fused = xp.fuse(function)
        fused(*arrays)
        assert_same(fused(*arrays), function(*arrays))


@pytest.mark.parametrize("name", sorted(LOOK_AT_VALUES))
def test_function_that_looks_at_values_raises(name):
    device = xp.device("cpu")
    with xp.use_device(device):
        function, arrays = function_of(name, device)
        with pytest.raises(TypeError, match="looks at a value at|cannot see memory"):
            xp.fuse(function)(*arrays)


def test_share_of_functions_that_are_compiled():
    assert (len(FUSED), len(COMPILED)) == (176, 183)
