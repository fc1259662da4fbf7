"""Random numbers, the same on every device: ``rng = xtensor.random.default_rng(seed)``.

>>> import xtensor as xp
>>> rng = xp.random.default_rng(42, device="cpu")
>>> rng.integers(0, 10, 5)
Array([8, 4, 7, 2, 6])
"""

from __future__ import annotations

from typing import NoReturn

from ._generator import LEGACY, Generator, default_rng
from ._philox import Philox

__all__ = ["Generator", "Philox", "default_rng"]

_SEEDS = {"PRNGKey", "RandomState", "get_state", "key", "manual_seed", "seed", "set_state"}
"""Names of NumPy, PyTorch and JAX for the state of generators."""

_OTHERS = {
    "bernoulli": "rng.random(shape) < p",
    "categorical": "rng.choice(n, p=probabilities)",
    "fold_in": "xtensor.random.default_rng([seed, number])",
    "randint_like": "rng.integers(low, high, x.shape)",
    "split": "rng.spawn(n), generators whose numbers are independent",
}
"""Functions of PyTorch and JAX and what a generator has for them."""


def __getattr__(name: str) -> NoReturn:
    remedy = ""
    if hasattr(Generator, name) and not name.startswith("_"):
        remedy = (
            f"; there is no global generator: make one, rng = xtensor.random.default_rng(seed), and call rng.{name}"
        )
    elif name in LEGACY:
        remedy = (
            f"; numpy.random.{name} is a function of the global generator, which xtensor does not have: make one, "
            f"rng = xtensor.random.default_rng(seed), and call rng.{LEGACY[name]}"
        )
    elif name in _SEEDS:
        remedy = "; a generator has the state and the seed: rng = xtensor.random.default_rng(seed)"
    elif name in _OTHERS:
        remedy = f"; with rng = xtensor.random.default_rng(seed), write {_OTHERS[name]}"
    try:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{remedy}")
    except AttributeError as error:
        error.__traceback__ = None  # a bare raise does not enter this frame again
        raise


def __dir__() -> list[str]:
    return sorted(__all__)
