"""Random numbers: methods of a generator, over NumPy's ``default_rng`` (PCG64), beside torch's functions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from ._cases import Group, Limit, Samplers, Variant, attempt_sampler
from ._libraries import Library, on_device
from ._measure import Sampler


@dataclass(frozen=True, slots=True)
class Draw:
    """A draw of ``size`` numbers.

    Attributes
    ----------
    name
        The statement in xtensor and NumPy, over ``rng``, ``size`` and ``dtype``.
    torch
        The statement in torch, over ``xp``, ``size`` and ``dtype``; empty where it has no such function.
    dtypes
        The dtypes of the group with which the draw is measured; empty for all of them.
    """

    name: str
    torch: str = ""
    dtypes: tuple[str, ...] = ()
    note: str = ""
    max_size: int = 10**7

    def _statement(self, library: Library, variant: Variant) -> tuple[str, dict[str, Any]]:
        """Return the statement that a library executes, and its variables."""
        variables: dict[str, Any] = {"xp": library.namespace, "size": variant.size, "dtype": variant.dtype}
        if library.module == "torch":
            return self.torch, variables | {"dtype": getattr(library.namespace, variant.dtype)}
        options = {"device": "numpy" if library.name == on_device("numpy") else None}
        rng = library.namespace.random.default_rng(1, **(options if library.module == "xtensor" else {}))
        return self.name, variables | {"rng": rng}

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Draw once in each library and return a sampler for each one that has the function."""
        assert variant is not None
        samplers: dict[str, Sampler] = {}
        skipped: dict[str, str] = {}
        for library in libraries:
            if library.module not in ("numpy", "xtensor") and not (library.module == "torch" and self.torch):
                skipped[library.name] = "it has no such function"
                continue
            attempt_sampler(library, partial(self._statement, library, variant), samplers, skipped)
        return samplers, skipped


DOUBLE = ("float64",)

GROUP = Group(
    title="random numbers",
    cases=(
        Draw("rng.random(size, dtype=dtype)", "xp.rand(size, dtype=dtype)"),
        Draw("rng.standard_normal(size, dtype=dtype)", "xp.randn(size, dtype=dtype)"),
        Draw("rng.standard_exponential(size, dtype=dtype)", "xp.empty(size, dtype=dtype).exponential_()"),
        Draw("rng.integers(0, 100, size)", "xp.randint(0, 100, (size,))", DOUBLE),
        Draw("rng.standard_gamma(2.5, size, dtype=dtype)", max_size=10**6),
        Draw("rng.poisson(5.0, size)", "xp.poisson(xp.full((size,), 5.0, dtype=dtype))", DOUBLE, max_size=10**6),
        Draw("rng.binomial(100, 0.3, size)", dtypes=DOUBLE, max_size=10**6),
        Draw("rng.permutation(size)", "xp.randperm(size)", DOUBLE, max_size=10**6),
    ),
    sizes=(100, 10**4, 10**6),
    dtypes=("float64", "float32"),
    peers=("torch", on_device("numpy")),
    limits=(
        Limit("rng.random(size, dtype=dtype)", 10**6, 1.0),
        Limit("rng.standard_normal(size, dtype=dtype)", 10**6, 1.0),
    ),
    max_seconds=0.5,
    sweeps=2,
)
