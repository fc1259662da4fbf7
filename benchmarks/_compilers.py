"""Compilation of an expression by the libraries that compile: the text becomes a function of its operands.

Requirement: each library computes on all processors, so that none is compared with fewer threads than another one has.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Compiler", "companions", "function_of", "numba_compiler", "numexpr_compiler", "processors"]

Compiler: TypeAlias = Callable[[str, tuple[str, ...]], Callable[..., Any]]
"""Makes a function of an expression and the names of its operands."""

NUMEXPR_FUNCTIONS = frozenset(
    ("abs", "cos", "exp", "expm1", "log", "log1p", "max", "sin", "sqrt", "sum", "tanh", "where")
)
"""Functions of the benchmarks that numexpr has."""

SPECIAL = {
    "numpy": "scipy.special",
    "torch": "torch.special",
    "jax": "jax.scipy.special",
    "xtensor": "xtensor.special",
}
"""Modules of special functions, the variable ``special`` of an expression."""

NEURAL = {"torch": "torch.nn.functional", "jax": "jax.nn", "xtensor": "xtensor.nn.functional"}
"""Modules of functions of neural networks, the variable ``nn`` of an expression."""


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def companions(expression: str, module: str) -> dict[str, Any]:
    """Return the modules ``special`` and ``nn`` that belong to a library's module, if an expression names them."""
    names = {node.id for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)}
    library = module.partition(".")[0]
    return {
        name: import_module(modules[library])
        for name, modules in (("special", SPECIAL), ("nn", NEURAL))
        if name in names and library in modules
    }


def function_of(expression: str, names: tuple[str, ...], namespace: Any) -> Callable[..., Any]:
    """Return a new function of an expression over ``xp``, ``special`` and ``nn``."""
    variables: dict[str, Any] = {"xp": namespace, **companions(expression, namespace.__name__)}
    exec(f"def function({', '.join(names)}):\n    return {expression}", variables)
    function: Callable[..., Any] = variables["function"]
    return function


class _Constants(ast.NodeTransformer):
    """Replace floating-point constants by variables.

    numexpr and numba compute with float64 constants, which would upcast float32 arrays. NumPy's take the arrays' dtype.
    """

    def __init__(self) -> None:
        self.values: dict[str, float] = {}

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, float):
            return node
        name = f"constant{len(self.values)}"
        self.values[name] = node.value
        return ast.Name(name)

    def of(self, dtype: np.dtype[Any]) -> dict[str, Any]:
        """Return the variables as scalars of a dtype."""
        return {name: dtype.type(value) for name, value in self.values.items()}


class _Translation(_Constants):
    """Write an expression in numexpr's language as well."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr not in NUMEXPR_FUNCTIONS or node.keywords:
            raise NotImplementedError(f"numexpr has nothing for {ast.unparse(node)}")
        return ast.Call(ast.Name(function.attr), [self.visit(argument) for argument in node.args], [])


def _rewritten(expression: str, constants: _Constants) -> str:
    return ast.unparse(constants.visit(ast.parse(expression, mode="eval")))


def numba_compiler(numba: Any) -> Compiler:
    """Return the compiler of numba: array expressions, split over its threads."""
    numba.set_num_threads(min(processors(), numba.config.NUMBA_NUM_THREADS))

    def compile(expression: str, names: tuple[str, ...]) -> Callable[..., Any]:
        constants = _Constants()
        text = _rewritten(expression, constants)

        @cache
        def compiled(dtype: np.dtype[Any]) -> Callable[..., Any]:
            function = function_of(text, names, np)
            function.__globals__.update(constants.of(dtype))
            parallel: Callable[..., Any] = numba.njit(parallel=True)(function)
            return parallel

        return lambda *operands: compiled(operands[0].dtype)(*operands)

    return compile


def numexpr_compiler(numexpr: Any) -> Compiler:
    """Return the compiler of numexpr: ``numexpr.evaluate``, which keeps what it has compiled."""
    numexpr.set_num_threads(processors())

    def compile(expression: str, names: tuple[str, ...]) -> Callable[..., Any]:
        constants = _Translation()
        text = _rewritten(expression, constants)

        def function(*operands: Any) -> Any:
            variables = dict(zip(names, operands, strict=True))
            return numexpr.evaluate(text, variables | constants.of(operands[0].dtype), {})

        return function

    return compile
