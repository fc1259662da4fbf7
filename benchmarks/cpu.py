"""Functions and fused chains on the device ``cpu``, over NumPy's time and beside libraries that compile.

The group runs twice: with the C library's allocator as it is, and in another process with its thresholds raised, since
both are what users have. Functions are called one at a time; in the rows ``fused …``, xtensor computes a chain of
operations through ``xtensor.fuse``, and every peer compiles the same expression.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import Any

from ._allocators import SYSTEM, TUNED
from ._cases import Group, Samplers, Variant, attempt_sampler
from ._compilers import Compiler, companions
from ._conditions import ahead_of, chains, growth, no_slower
from ._libraries import Library, on_device
from ._measure import Sampler
from ._sweep import OPERANDS

SIZES = (10**3, 10**4, 10**5, 10**6, 10**7)

FINE_SIZES = (10**3, 10**4, 3 * 10**4, 35_000, 7 * 10**4, 10**5, 10**6, 10**7)
"""Sizes of a few cases, on both sides of the sizes at which kernels, threads and the system's allocator set in."""

PLAIN = on_device("numpy")
CALLED = ("numpy", "xtensor", PLAIN, "torch", "jax.jit", "numexpr")
COMPILED = ("numpy", "xtensor", PLAIN, "torch.compile", "jax.jit", "numexpr", "numba")


@dataclass(frozen=True, slots=True)
class Computation:
    """A computation that every library executes in its own way.

    Attributes
    ----------
    name
        Row label.
    expression
        The expression in xtensor, over ``xp``, ``special``, ``nn`` and operands; those of other libraries in the same
        terms are in ``others``, by the library's first name, ``torch`` or ``jax``.
    fused
        Whether xtensor computes it through ``xtensor.fuse``.
    libraries
        Names of the libraries that are measured, if they are installed.
    sizes, dtypes
        Sizes and dtypes of the group with which the computation is measured; empty for all of them.
    """

    name: str
    expression: str
    others: Mapping[str, str] = field(default_factory=dict, hash=False)
    fused: bool = False
    libraries: tuple[str, ...] = CALLED
    sizes: tuple[int, ...] = SIZES
    dtypes: tuple[str, ...] = ()
    note: str = ""
    max_size: int = 10**7

    def expression_of(self, library: Library) -> str:
        """Return the expression in a library's terms; NumPy's where a library has none of its own."""
        module = library.module.partition(".")[0]
        default = self.others.get("numpy", self.expression) if module in ("numexpr", "numba") else self.expression
        return self.others.get(module, default)

    def operands(self, variant: Variant) -> dict[str, Any]:
        """Return the operands that the expression names."""
        return {name: _operand(name, variant) for name in _names(self.expression)}

    def statement(self, library: Library, operands: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the statement that a library executes, and its variables."""
        expression = self.expression_of(library)
        variables = {name: library.operand(value) for name, value in operands.items()}
        if library.compile is None or (library.module == "xtensor" and not self.fused):
            return expression, {
                "xp": library.namespace,
                **companions(expression, library.module),
                **variables,
            }
        names = tuple(variables)
        return f"function({', '.join(names)})", {"function": _compiled(library.compile, expression, names), **variables}

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Run the computation once in each library and return a sampler for each one that raises no error."""
        assert variant is not None
        operands = self.operands(variant)
        samplers: dict[str, Sampler] = {}
        skipped: dict[str, str] = {}
        for library in libraries:
            if library.name not in self.libraries:
                continue
            attempt_sampler(library, partial(self.statement, library, operands), samplers, skipped)
        return samplers, skipped


def _names(expression: str) -> tuple[str, ...]:
    names = {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}
    return tuple(sorted(names & set(OPERANDS)))


@lru_cache(maxsize=8)
def _operand(name: str, variant: Variant) -> Any:
    """Operands of one variant, which no case changes, are the same for neighbouring cases."""
    return OPERANDS[name](variant)


@cache
def _compiled(compile: Compiler, expression: str, names: tuple[str, ...]) -> Callable[..., Any]:
    return compile(expression, names)


def _call(expression: str, note: str = "", sizes: tuple[int, ...] = SIZES, **others: str) -> Computation:
    return Computation(expression, expression, others, sizes=sizes, note=note)


MAXIMUM = "xp.max(m, axis=-1, keepdims=True)"
SCIPY = "NumPy's column is SciPy's function; NumPy has none."

FUNCTIONS = (
    _call("xp.add(x, y)", sizes=FINE_SIZES, numexpr="x + y"),
    _call("xp.multiply(x, y)", numexpr="x * y"),
    _call("xp.divide(x, above)", numexpr="x / above"),
    _call("xp.sqrt(positive)"),
    _call("xp.exp(x)", sizes=FINE_SIZES),
    _call("xp.log(positive)"),
    _call("xp.sin(x)", sizes=FINE_SIZES),
    _call("xp.tanh(x)"),
    _call("xp.pow(positive, y)", numexpr="positive ** y"),
    _call("xp.sqrt(x * x + y * y)", sizes=FINE_SIZES),
    _call("xp.where(mask, x, y)"),
    _call("x < y"),
    Computation("xp.astype(x, xp.float32)", "xp.astype(x, xp.float32)", dtypes=("float64",)),
    Computation("xp.astype(x, xp.float64)", "xp.astype(x, xp.float64)", dtypes=("float32",)),
    _call("special.erf(x)", SCIPY),
    _call("special.gammaln(positive)", SCIPY),
    _call("xp.sum(x)", sizes=FINE_SIZES),
    _call("xp.mean(x)"),
    _call("xp.var(x)"),
    _call("xp.max(x)"),
    _call("xp.argmax(x)"),
    _call("xp.cumulative_sum(x)"),
    _call(
        "nn.softmax(m)",
        f"NumPy: `(e := xp.exp(m - {MAXIMUM})) / xp.sum(e, axis=-1, keepdims=True)`.",
        numpy=f"(e := xp.exp(m - {MAXIMUM})) / xp.sum(e, axis=-1, keepdims=True)",
        torch="nn.softmax(m, dim=-1)",
    ),
    _call(
        "special.logsumexp(m, axis=-1)",
        f"NumPy: `xp.log(xp.sum(xp.exp(m - (a := {MAXIMUM})), axis=-1)) + a[:, 0]`.",
        numpy=f"xp.log(xp.sum(xp.exp(m - (a := {MAXIMUM})), axis=-1)) + a[:, 0]",
        torch="special.logsumexp(m, dim=-1)",
    ),
    Computation("standardise over rows", "(m - xp.mean(m, axis=1, keepdims=True)) / xp.std(m, axis=1, keepdims=True)"),
    _call(
        "nn.gelu(x)",
        "NumPy: `0.5 * x * (1.0 + special.erf(x * 0.7071067811865476))`, where `special` is SciPy's.",
        numpy="0.5 * x * (1.0 + special.erf(x * 0.7071067811865476))",
        jax="nn.gelu(x, approximate=False)",
    ),
    Computation("logistic loss", "xp.mean(xp.log1p(xp.exp(-xp.abs(x * y))) + 0.5 * (xp.abs(x * y) - x * y))"),
)
"""Functions, called one at a time; torch is eager."""


def _chain(name: str, expression: str, sizes: tuple[int, ...] = SIZES, **others: str) -> Computation:
    return Computation(f"fused {name}", expression, others, True, COMPILED, sizes, note=f"`{expression}`")


CHAINS = (
    _chain("polynomial", "(((x * 0.2 + 0.5) * x - 1.0) * x + 2.0) * x - 3.0", FINE_SIZES),
    _chain("distance", "xp.sqrt((x - 0.5) * (x - 0.5) + (y + 0.5) * (y + 0.5))", FINE_SIZES),
    _chain("gaussian", "xp.exp(-0.5 * ((x - 0.3) / 1.7) * ((x - 0.3) / 1.7)) * 0.2346"),
    _chain("gelu", "0.5 * x * (1.0 + xp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))"),
    _chain("selu", "1.0507 * xp.where(x > 0.0, x, 1.6733 * (xp.exp(x) - 1.0))"),
    _chain(
        "haversine",
        "xp.sin(0.5 * x) * xp.sin(0.5 * x) + xp.cos(x) * xp.cos(x + y) * xp.sin(0.5 * y) * xp.sin(0.5 * y)",
    ),
    _chain("logistic loss", "xp.mean(xp.log1p(xp.exp(-xp.abs(x * y))) + 0.5 * (xp.abs(x * y) - x * y))"),
    _chain("pseudo-Huber loss", "xp.sum(xp.sqrt((x - y) * (x - y) + 1.0) - 1.0)"),
    _chain(
        "standardise over rows",
        "(m - xp.mean(m, axis=1, keepdims=True)) / xp.sqrt(xp.var(m, axis=1, keepdims=True) + 1e-5)",
        torch="(m - xp.mean(m, dim=1, keepdim=True)) / xp.sqrt(xp.var(m, dim=1, keepdim=True, correction=0) + 1e-5)",
    ),
)
"""Chains of four operations or more."""

CHAIN_NAMES = tuple(case.name for case in CHAINS)

GROUP = Group(
    title="functions and fused chains on the CPU",
    cases=FUNCTIONS + CHAINS,
    quick_cases=(FUNCTIONS[0], FUNCTIONS[-1], CHAINS[0]),
    sizes=FINE_SIZES,
    dtypes=("float32", "float64"),
    peers=tuple(dict.fromkeys((*CALLED[2:], *COMPILED[2:]))),
    conditions=(
        no_slower("(a)", PLAIN, 1.05, 10**3),
        ahead_of("(b)", "numpy", 10**5, 0.9, limit=1.05, speed=2, excluded=CHAIN_NAMES),
        ahead_of("(c)", "torch", 10**5, 0.9, excluded=CHAIN_NAMES),
        chains("(d)", CHAIN_NAMES, (10**5, 10**6), 3, ("torch.compile", "jax.jit")),
        growth("(e)", 10**4, 1.5),
    ),
    allocators=(SYSTEM, TUNED),
    rounds=100,
    max_seconds=0.6,
    pause=0.008,
    sweeps=2,
)
