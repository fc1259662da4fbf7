"""Matrices of derivatives: Jacobians, Hessians, and the product of a Hessian with a vector.

Names, arguments and results are JAX's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Literal

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.device import base_device
from .._core.errors import describe
from .._core.levels import base_of, lifted
from .._core.tracing_errors import UnknownValueError
from .._core.tree_copies import Copies
from .._core.trees import Tree, flatten, map_leaves
from .._vmap import vmap
from ._arguments import Argnums, as_array, check_transform, is_learned, positions
from ._transforms import Function, grad, jvp, vjp

__all__ = ["hessian", "hvp", "jacobian"]


def jacobian(f: Function, argnums: Argnums = 0, mode: Literal["reverse", "forward"] = "reverse") -> Function:
    """Return a function that computes the Jacobian of ``f``.

    Parameters
    ----------
    f
        Function of Arrays or of nested containers of them.
    argnums
        Number of the differentiated positional argument, or several numbers.
    mode
        ``"reverse"`` makes a pass for each element of the result, ``"forward"`` one for each element of the argument.

    Returns
    -------
    Callable
        Function of the same arguments that returns, for each Array of the result and each Array of the argument, an
        Array of the shape of the former and then the latter, nested as the result and then the argument.
    """
    check_transform(f, argnums, "jacobian")
    if mode not in ("reverse", "forward"):
        raise ValueError(f"jacobian(): mode is 'reverse' or 'forward', not {describe(mode)}")

    @wraps(f)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        chosen = positions(argnums, len(args), "jacobian")

        base = base_of(flatten((args, kwargs))[0])
        leaves, tree = flatten(tuple([args[number] for number in chosen]))
        flags = list(map(is_learned, leaves, tree.learned()))

        def of_arrays(*arrays: Array) -> Any:
            copies = Copies()  # what the function assigns to attributes of objects is discarded with them
            remaining = iter(arrays)
            flat, structure = flatten(tuple([args[number] for number in chosen]), copies.originals)
            entered = [next(remaining) if flag else leaf for leaf, flag in zip(flat, flags, strict=True)]
            built = structure.build(entered, copies.copies)
            given = [copies.map(lambda leaf: leaf, arg) for arg in args]
            for number, value in zip(chosen, built, strict=True):
                given[number] = value
            return f(*given, **{key: copies.map(lambda leaf: leaf, value) for key, value in kwargs.items()})

        inputs = [as_array(leaf, "jacobian", base) for leaf, flag in zip(leaves, flags, strict=True) if flag]
        outputs, output_tree = (_by_rows if mode == "reverse" else _by_columns)(of_arrays, inputs)
        blocks = []
        for row in outputs:
            remaining = iter(row)
            parts = tree.build([next(remaining) if flag else None for flag in flags])
            blocks.append(parts[0] if isinstance(argnums, int) else parts)
        return output_tree.build(blocks)

    return differentiated


def _by_rows(f: Function, inputs: list[Array]) -> tuple[list[list[Array]], Tree]:
    value, pull = vjp(lambda *args: map_leaves(lambda leaf: as_result(leaf, inputs), f(*args)), *inputs)
    results, output_tree = flatten(value)
    zeros = [xp.zeros_like(x) for x in results]
    blocks = []
    for position, x in enumerate(results):

        def row(unit: Array, position: int = position) -> list[Array]:
            return list(pull(output_tree.build([*zeros[:position], unit, *zeros[position + 1 :]])))

        blocks.append(
            [xp.reshape(part, (*x.shape, *y.shape)) for part, y in zip(_of_units(row, x, inputs), inputs, strict=True)]
        )
    return blocks, output_tree


def _by_columns(f: Function, inputs: list[Array]) -> tuple[list[list[Array]], Tree]:
    zeros = [xp.zeros_like(x) for x in inputs]

    def of_arrays(*args: Any) -> Any:
        return map_leaves(lambda leaf: as_result(leaf, inputs), f(*args))

    results, output_tree = flatten(of_arrays(*inputs))
    columns = []
    for position, x in enumerate(inputs):

        def column(unit: Array, position: int = position) -> list[Array]:
            return flatten(jvp(of_arrays, inputs, [*zeros[:position], unit, *zeros[position + 1 :]])[1])[0]

        columns.append([xp.moveaxis(part, 0, -1) for part in _of_units(column, x, results)])
    blocks = [
        [xp.reshape(column[position], (*y.shape, *x.shape)) for column, x in zip(columns, inputs, strict=True)]
        for position, y in enumerate(results)
    ]
    return blocks, output_tree


def _of_units(f: Callable[[Array], list[Array]], x: Array, results: list[Array]) -> list[Array]:
    """Return the results of a function for each Array of the shape of ``x`` with one element 1 and all others 0.

    They are computed at once, and one after the other where a function has no batches.
    """
    if not x.size:
        return [xp.zeros((0, *y.shape), dtype=y.dtype, device=y.device) for y in results]
    ground = base_device(x.device)
    units = lifted(xp.reshape(xp.eye(x.size, dtype=x.dtype, device=ground), (x.size, *x.shape)), x.device)
    if x.size == 1:
        return [xp.expand_dims(part, axis=0) for part in f(units[0, ...])]
    try:
        return vmap(f)(units)  # type: ignore[no-any-return]
    except (NotImplementedError, UnknownValueError):
        rows = [f(units[number, ...]) for number in range(x.size)]
        return [xp.stack(parts) for parts in zip(*rows, strict=True)]


def as_result(leaf: Any, inputs: list[Array]) -> Any:
    """Return a result that is a number or a NumPy array, a constant, as an Array next to the arguments."""
    is_number = isinstance(leaf, (int, float, complex, np.number, np.ndarray))
    return xp.asarray(leaf, device=inputs[0].device) if is_number and inputs else leaf


def hessian(f: Function, argnums: Argnums = 0) -> Function:
    """Return a function that computes the matrix of second derivatives of ``f``, forward over reverse mode.

    Returns
    -------
    Callable
        Function of the same arguments that returns an Array of shape ``x.shape + x.shape``; nested as the argument,
        twice, where that is a container.
    """
    return jacobian(jacobian(f, argnums, "reverse"), argnums, "forward")


def hvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return the product of the Hessian of ``f`` with a tangent, without the matrix.

    Parameters
    ----------
    f
        Function whose result is a real number.
    primals, tangents
        Its arguments, and a tangent for each, as tuples.

    Returns
    -------
    Any
        The derivative of the gradient in the direction of the tangent, with the structure of the gradient: of the only
        argument, or a tuple for several.
    """
    argnums: Argnums = 0 if len(primals) == 1 else tuple(range(len(primals)))
    return jvp(grad(f, argnums), primals, tangents)[1]
