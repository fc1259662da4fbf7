"""Derivatives in imperative style: variables, ``backward`` and hooks, for code in the manner of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.dtypes import kind_of
from .._core.errors import describe
from .._core.levels import active, base_of, lifted, lowered, standing_on
from ._arguments import as_array
from ._record import Node, backpropagate
from ._reverse import Reverse
from ._transform import Transform
from ._transforms import as_variable

__all__ = ["Hook", "backward", "register_hook", "variable", "zero_grad"]


def variable(x: Any) -> Array:
    """Return a variable: an Array of the same values, with respect to which :func:`backward` computes gradients.

    Parameters
    ----------
    x
        Array of a floating-point dtype, or a float.

    Returns
    -------
    Array
        Array whose attribute ``grad`` is None until a pass back, and then the sum of the gradients of all passes.
    """
    base = base_of([x])
    array = as_array(x, "variable", base)
    while isinstance(array._device._library, Transform) and array._device.level > len(active()):
        array, base = lowered(array, array._device), array._device.base
    return as_variable(array, standing_on(Reverse, base).device, is_users=True)


def _node(x: Any, name: str) -> Node:
    if x.__class__ is not Array or not isinstance(x._device._library, Reverse) or x._native.node is None:
        raise TypeError(
            f"{name}() takes an Array that depends on a variable, not {describe(x)}; make one with "
            "xtensor.autograd.variable(x)"
        )
    return x._native.node  # type: ignore[no-any-return]


def backward(
    outputs: Array | Sequence[Array],
    cotangents: Array | Sequence[Array | None] | None = None,
    *,
    retain_graph: bool = False,
) -> None:
    """Add the gradients of Arrays to ``x.grad`` of each variable they depend on.

    Parameters
    ----------
    outputs
        Array that depends on variables, or several.
    cotangents
        An Array of the shape of each output, by which its Jacobian is multiplied. None stands for 1, where the output
        is one real number.
    retain_graph
        Whether the values that the computation keeps are kept for another pass. Otherwise they are released.

    Raises
    ------
    TypeError
        If an output depends on no variable, or is not a real number and has no cotangent.
    RuntimeError
        If an earlier pass released the computation.
    """
    several = isinstance(outputs, (tuple, list))
    arrays: Sequence[Any] = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
    given: Sequence[Any] = cotangents if several and cotangents is not None else (cotangents,) * len(arrays)  # type: ignore[assignment]
    if len(given) != len(arrays):
        raise ValueError(f"backward() takes a cotangent for each output, not {len(given)} for {len(arrays)}")
    seeds = []
    for y, g in zip(arrays, given, strict=True):
        node, base = _node(y, "backward"), y._device.base
        if g is None:
            if y.shape != () or kind_of(y.dtype) != "f":
                raise TypeError(
                    f"backward() starts at one real number, not at dtype {y.dtype} and shape {y.shape}; reduce it with "
                    "xtensor.sum, or pass cotangents"
                )
            g = xp.ones((), dtype=y.dtype, device=base)
        elif g.__class__ is not Array or g.shape != y.shape or g.dtype != y.dtype:
            raise TypeError(
                f"backward(): the cotangent of an output of dtype {y.dtype} and shape {y.shape} is an Array of that "
                f"dtype and shape, not {describe(g)}"
            )
        seeds.append((node, lifted(lowered(g, y._device), base)))
    with np.errstate(all="ignore"):
        gradients = backpropagate(seeds, retain=retain_graph)
    for leaf, g in gradients.items():
        leaf.grad = g if leaf.grad is None else leaf.grad + g


def zero_grad(*variables: Array) -> None:
    """Set ``x.grad`` of variables to None."""
    for x in variables:
        _node(x, "zero_grad")
        x.grad = None


class Hook:
    """A hook on a gradient; see :func:`register_hook`."""

    def __init__(self, node: Node, function: Callable[[Array], Array | None]) -> None:
        self._node, self._function = node, function
        node.hooks = [*(node.hooks or ()), function]

    def remove(self) -> None:
        """Remove the hook."""
        registered = self._node.hooks or []
        if self._function in registered:
            registered.remove(self._function)


def register_hook(x: Array, function: Callable[[Array], Array | None]) -> Hook:
    """Call a function with the gradient with respect to ``x``, at each pass back.

    Parameters
    ----------
    x
        Variable, or an Array that depends on one.
    function
        Function of the gradient. What it returns takes the gradient's place, unless it is None.

    Returns
    -------
    Hook
        Its method ``remove`` removes the hook.
    """
    return Hook(_node(x, "register_hook"), function)
