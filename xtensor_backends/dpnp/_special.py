"""dpnp's special functions, imported when the first one is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from xtensor.backend import Native

__all__ = ["Special"]

OF_SCIPY = frozenset(("erf", "erfc", "erfcinv", "erfcx", "erfinv"))
"""Functions of ``dpnp.scipy.special``."""

OF_NUMPY = frozenset(("cbrt", "exp2", "i0"))
"""Functions of dpnp's main namespace."""


class Special:
    """The special functions as attributes; each takes real operands."""

    def __getattr__(self, name: str) -> Callable[..., Native]:
        if name not in OF_SCIPY | OF_NUMPY:
            raise AttributeError(name)
        import dpnp.scipy.special

        function: Callable[..., Native] = getattr(dpnp.scipy.special if name in OF_SCIPY else dpnp, name)

        @wraps(function)
        def of_real(*operands: Native) -> Native:
            return NotImplemented if operands[-1].dtype.kind == "c" else function(*operands)

        return of_real
