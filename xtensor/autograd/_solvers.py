r"""Solutions of equations, differentiated by the implicit function theorem, and SciPy's optimizers on Arrays.

If :math:`f(x, a) = 0`, then :math:`dx = -(\partial f / \partial x)^{-1}\, (\partial f/\partial a)\, da`: the
derivative needs the solution only, and not the iterations that found it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _ops as xp
from .. import linalg
from .._core.array import Array, to_numpy
from .._core.dtypes import kind_of
from .._core.errors import describe, install_command
from .._core.trees import flatten
from ._custom import differentiated_by, highest_transform
from ._jacobians import jacobian
from ._transforms import pulled_with_masks, stop_gradient, value_and_grad

__all__ = ["ConvergenceError", "find_root", "fixed_point", "least_squares", "minimize"]


class ConvergenceError(RuntimeError):
    """An iteration did not reach its tolerance within its number of steps."""


def find_root(
    f: Callable[..., Array],
    x0: Array,
    *args: Any,
    solver: Callable[[Callable[[Array], Array], Array], Array] | None = None,
    tolerance: float = 1e-10,
    max_steps: int = 100,
) -> Array:
    """Return a root of ``f(x, *args) = 0``, which can be differentiated with respect to ``args``.

    Parameters
    ----------
    f
        Function of an Array and ``args`` that returns an Array of the shape of its first argument.
    x0
        Array of a real floating-point dtype at which the iteration starts.
    args
        Arrays or nested containers of them.
    solver
        Function of ``f`` as a function of ``x`` alone and of ``x0`` that returns the root. By default Newton's method
        with halved steps is used.
    tolerance
        Largest element of ``abs(f(x))`` at which Newton's method ends, relative to that at ``x0`` where that exceeds 1.
    max_steps
        Largest number of steps of Newton's method.

    Raises
    ------
    ConvergenceError
        If Newton's method does not converge.
    """
    leaves, tree = flatten(args)
    positions = [position for position, leaf in enumerate(leaves) if leaf.__class__ is Array]
    start = stop_gradient(x0)

    def function_of(arrays: tuple[Array, ...]) -> Callable[[Array], Array]:
        given = list(leaves)
        for position, leaf in zip(positions, arrays, strict=True):
            given[position] = leaf
        return lambda x: f(x, *tree.build(given))

    def compute(*arrays: Array) -> Array:
        if highest_transform(arrays) is not None:  # an outer transform differentiates the root, too
            return differentiated_by("find_root", compute, pull, list(arrays), masked)  # type: ignore[no-any-return]
        equation = function_of(arrays)
        return newton(equation, start, tolerance, max_steps) if solver is None else solver(equation, start)

    def pull(g: Array, out: Array, *arrays: Array) -> list[Any]:
        return masked(g, None, out, *arrays)[0]

    def masked(g: Array, mask: Array | None, out: Array, *arrays: Array) -> tuple[list[Any], list[Any]]:
        size = out.size
        slope = xp.reshape(jacobian(function_of(arrays))(out), (size, size))
        multiplier = -linalg.solve(xp.matrix_transpose(slope), xp.reshape(g, (size, 1)))
        floating = [position for position, x in enumerate(arrays) if x.dtype.kind == "f"]

        def of_arguments(*values: Array) -> tuple[Array]:
            given = list(arrays)
            for position, x in zip(floating, values, strict=True):
                given[position] = x
            return (function_of(tuple(given))(out),)

        # All elements of the equation are connected with each element of the root; those of the arguments may not be.
        values = tuple([arrays[position] for position in floating])
        parts, masks = pulled_with_masks(of_arguments, values, (xp.reshape(multiplier, out.shape),), (None,))
        cotangents: list[Any] = [None] * len(arrays)
        connected: list[Any] = [None] * len(arrays)
        for position, part, elements in zip(floating, parts, masks, strict=True):
            cotangents[position], connected[position] = part, elements
        return cotangents, connected

    return differentiated_by("find_root", compute, pull, [leaves[position] for position in positions], masked)  # type: ignore[no-any-return]


def newton(f: Callable[[Array], Array], x: Array, tolerance: float, max_steps: int) -> Array:
    """Return a root by Newton's method; a step is halved until it reduces the largest element of ``abs(f(x))``."""
    if x.__class__ is not Array or kind_of(x.dtype) != "f":
        raise TypeError(f"find_root() starts at an Array of a real floating-point dtype, not at {describe(x)}")
    value = f(x)
    if value.shape != x.shape:
        raise ValueError(f"find_root() takes a function whose result has the shape of x, {x.shape}, not {value.shape}")
    error = float(xp.max(xp.abs(value))) if x.size else 0.0
    goal = tolerance * max(1.0, error)
    for _ in range(max_steps):
        if error <= goal:
            return x
        slope = xp.reshape(jacobian(f)(x), (x.size, x.size))
        step = xp.reshape(linalg.solve(slope, xp.reshape(value, (x.size, 1))), x.shape)
        length = 1.0
        while length > 1e-10:
            candidate = x - length * step
            new_value = f(candidate)
            new_error = float(xp.max(xp.abs(new_value)))
            if new_error < error:
                break
            length /= 2
        else:
            break
        x, value, error = candidate, new_value, new_error
    if error <= goal:
        return x
    raise ConvergenceError(
        f"find_root(): the largest element of abs(f(x)) is {error}, and {goal} was to be reached in {max_steps} steps; "
        "start nearer to the root, raise tolerance or max_steps, or pass a solver"
    )


def fixed_point(
    f: Callable[..., Array], x0: Array, *args: Any, tolerance: float = 1e-10, max_steps: int = 1000
) -> Array:
    """Return ``x = f(x, *args)`` by iteration of ``f``, which can be differentiated with respect to ``args``.

    Parameters
    ----------
    f
        Function of an Array and ``args`` that returns an Array of the shape of its first argument.
    x0
        Array of a real floating-point dtype at which the iteration starts.
    args
        Arrays or nested containers of them.
    tolerance
        Largest element of ``abs(f(x) - x)`` at which the iteration ends.
    max_steps
        Largest number of iterations.

    Raises
    ------
    ConvergenceError
        If the iteration does not converge.
    """

    def iterate(difference: Callable[[Array], Array], x: Array) -> Array:
        error = float("nan")
        for _ in range(max_steps):
            step = difference(x)
            error = float(xp.max(xp.abs(step))) if x.size else 0.0
            if error <= tolerance:
                return x
            x = x + step
        raise ConvergenceError(
            f"fixed_point(): the largest element of abs(f(x) - x) is {error} after {max_steps} steps, and {tolerance} "
            "was to be reached; start nearer to the point, or raise tolerance or max_steps"
        )

    return find_root(lambda x, *rest: f(x, *rest) - x, x0, *args, solver=iterate)


def _as_numbers(x: Array) -> np.ndarray[Any, Any]:
    return np.asarray(to_numpy(x), dtype=np.float64).reshape(-1)


def _scipy_optimize(function: str) -> Any:
    """Return ``scipy.optimize``."""
    try:
        from scipy import optimize
    except ImportError as error:
        raise ImportError(f"{function}() needs SciPy, which is missing; {install_command('scipy>=1.17')}") from error
    return optimize


def minimize(f: Callable[..., Any], x0: Array, args: tuple[Any, ...] = (), **options: Any) -> Any:
    """Return :func:`scipy.optimize.minimize` of a function of Arrays, with its gradient.

    Parameters
    ----------
    f
        Function of an Array of any shape, and ``args``, whose result is a real number.
    x0
        Array at which the iteration starts.
    args
        Further arguments of ``f``.
    options
        Of :func:`scipy.optimize.minimize`: ``method``, ``tol``, ``bounds``, ``options``, ….

    Returns
    -------
    scipy.optimize.OptimizeResult
        Its ``x`` and ``jac`` are Arrays of the shape, dtype and device of ``x0``.
    """
    optimize = _scipy_optimize("minimize")
    both = value_and_grad(f)

    def numbers(values: np.ndarray[Any, Any]) -> tuple[float, np.ndarray[Any, Any]]:
        value, gradient = both(_as_array(values, x0), *args)
        return float(value), _as_numbers(gradient)

    result = optimize.minimize(numbers, _as_numbers(x0), jac=True, **options)
    result.x = _as_array(result.x, x0)
    if "jac" in result:
        result.jac = _as_array(result.jac, x0)
    return result


def least_squares(f: Callable[..., Array], x0: Array, args: tuple[Any, ...] = (), **options: Any) -> Any:
    """Return :func:`scipy.optimize.least_squares` of a function of Arrays, with its Jacobian.

    Parameters
    ----------
    f
        Function of an Array of any shape, and ``args``, that returns the residuals, an Array of one dimension.
    x0
        Array at which the iteration starts.
    args
        Further arguments of ``f``.
    options
        Of :func:`scipy.optimize.least_squares`: ``method``, ``loss``, ``ftol``, ….

    Returns
    -------
    scipy.optimize.OptimizeResult
        Its ``x`` is an Array of the shape, dtype and device of ``x0``.
    """
    optimize = _scipy_optimize("least_squares")
    slopes = jacobian(f)

    def residuals(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return _as_numbers(f(_as_array(values, x0), *args))

    def matrix(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        slope_values = to_numpy(slopes(_as_array(values, x0), *args))
        return np.asarray(slope_values, dtype=np.float64).reshape(-1, x0.size)

    result = optimize.least_squares(residuals, _as_numbers(x0), jac=matrix, **options)
    result.x = _as_array(result.x, x0)
    return result


def _as_array(values: np.ndarray[Any, Any], like: Array) -> Array:
    return xp.asarray(values.reshape(like.shape).astype(like.dtype), device=like.device)
