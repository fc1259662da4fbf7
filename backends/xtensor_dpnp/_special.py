"""dpnp's special functions, imported when the first of them is asked for."""

from __future__ import annotations

from collections.abc import Callable

from xtensor.backend import Native

__all__ = ["special"]

OF_SCIPY = frozenset(("erf", "erfc", "erfcinv", "erfcx", "erfinv"))
"""Those that stand in dpnp's image of SciPy."""

OF_NUMPY = frozenset(("cbrt", "exp2", "i0"))
"""Those that stand among its main functions."""


def special(name: str, kind: str) -> Callable[..., Native] | None:
    """The function of a name for real operands; there are none for complex ones."""
    if kind != "f" or name not in OF_SCIPY | OF_NUMPY:
        return None
    import dpnp.scipy.special

    function: Callable[..., Native] = getattr(dpnp.scipy.special if name in OF_SCIPY else dpnp, name)
    return function
