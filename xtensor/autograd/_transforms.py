"""Derivatives of functions: ``grad``, ``vjp`` and ``jvp``.

Names, arguments and results are JAX's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import wrap
from .._core.checks import check_function
from .._core.device import Device
from .._core.dtypes import kind_of
from .._core.errors import NotDifferentiableError, describe
from .._core.levels import base_of, lifted, lowered, running, standing_on
from .._core.operations import operation
from .._core.tree_copies import Copies
from .._core.trees import Tree, flatten, map_leaves
from .._core.views import keep_strides
from .._vmap.batching import Batching
from ._arguments import Argnums, as_array, check_transform, is_learned, positions
from ._copies import by_value, copied, fresh
from ._forward import Forward
from ._record import Variable, backpropagate
from ._reverse import Reverse
from ._transform import Transform

__all__ = ["grad", "jvp", "stop_gradient", "value_and_grad", "vjp"]

ONES = operation("ones").index

Function = Callable[..., Any]
Input = tuple[Array, Any]
"""An argument's Array, and the native array of the transform that stands for it."""


class Run:
    """A function that was run on a transform.

    Attributes
    ----------
    device, base
        The transform's device, and the device that it stands on.
    output
        What the function returned, with Arrays of the transform.
    inputs
        The leaves of each differentiated argument, and their structure. A leaf is an Array of the base with the native
        array of the transform that stands for it; None for one that an object does not learn.
    """

    def __init__(
        self,
        kind: type[Reverse] | type[Forward],
        function: Function,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        chosen: tuple[int, ...],
        name: str,
        enter: Callable[[Array, Device], Array],
        base: Device | None = None,
    ) -> None:
        self._copies = copies = Copies()
        # An object in a constant argument and in a differentiated one is a constant: constant arguments come first.
        numbers = sorted(range(len(args)), key=chosen.__contains__)
        flat: dict[Any, tuple[list[Any], Tree]] = {}
        for number in numbers:
            flat[number] = flatten(args[number], copies.originals)
        for key, value in kwargs.items():
            flat[key] = flatten(value, copies.originals)
        if base is None:
            base = base_of(chain.from_iterable(map(itemgetter(0), flat.values())))
        self.base, self.device = base, standing_on(kind, base).device
        inputs: dict[int, tuple[list[Input | None], Tree]] = {}
        given: dict[Any, Any] = {}
        for key, (leaves, tree) in flat.items():
            if key in chosen:
                entering, leaves = self._entered(leaves, tree, name, enter)
                inputs[key] = entering, tree
            else:
                leaves = list(map(self._constant, leaves))
            given[key] = tree.build(leaves, copies.copies)
        self.inputs = list(map(inputs.__getitem__, chosen))
        positional = list(map(given.pop, range(len(args))))
        self.device._library.conversion = ""  # type: ignore[attr-defined] # a transform
        if copies.copies:
            copies.begin()
        with running(self.device):
            self.output = function(*positional, **given)
        if copies.copies:
            copies.write_back(stop_gradient)
        conversion = self.device._library.conversion  # type: ignore[attr-defined]
        if not conversion:
            return
        lost = [leaf for leaf in flatten(self.output)[0] if isinstance(leaf, (int, float, complex, np.number))]
        if lost:
            raise NotDifferentiableError(
                f"{name}() takes a function whose results are Arrays, not {describe(lost[0])}: the derivative was "
                f"lost where an Array was converted to a number{conversion}; keep the Array there"
            )

    def _entered(
        self, leaves: list[Any], tree: Tree, name: str, enter: Callable[[Array, Device], Array]
    ) -> tuple[list[Input | None], list[Any]]:
        """Return the leaves of a differentiated argument as inputs, and as Arrays of the transform."""
        inputs: list[Input | None] = []
        entered = []
        for leaf, flag in zip(leaves, tree.learned(), strict=True):
            if is_learned(leaf, flag):
                x = as_array(leaf, name, self.base)
                entered.append(enter(x, self.device))
                # The native array, as a function may assign to its arguments, which then have others.
                inputs.append((x, entered[-1]._native))
            else:
                inputs.append(None)
                entered.append(self._constant(leaf))
        return inputs, entered

    def _constant(self, leaf: Any) -> Any:
        return lifted(leaf, self.device) if leaf.__class__ is Array else leaf

    def value(self, output: Any) -> Any:
        """Return an output with its Arrays on the base, in memory of their own, and with the caller's objects."""
        if output.__class__ is Array:
            return self._result(output)
        restored = self._copies.restored(output)
        return restored.build(map(self._result, restored.leaves), self._copies.originals.items)

    def _result(self, leaf: Any) -> Any:
        is_own = leaf.__class__ is Array and leaf._device is self.device
        return wrap(copied(leaf._native.value, self.base), self.base) if is_own else leaf


def as_variable(x: Array, device: Device, *, is_users: bool = False) -> Array:
    """Return a variable of an Array's present values."""
    native = by_value(x._native, x._device)
    variable = wrap(device.native_type(native, Variable(native, is_users=is_users)), device)
    keep_strides(variable, x)
    return variable


def with_aux(output: Any, name: str) -> tuple[Any, Any]:
    """Return the result and the other data of a function that returns a pair of them."""
    if not isinstance(output, tuple) or len(output) != 2:
        raise TypeError(f"{name}(has_aux=True): the function returns a pair (result, data), not {describe(output)}")
    return output


# -- reverse mode -----------------------------------------------------------------------------------------------------


def value_and_grad(f: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    r"""Return a function that computes ``f`` and its gradient.

    Parameters
    ----------
    f
        Function of Arrays, or of nested dicts, lists, tuples and dataclasses of them, whose result is a real number: an
        Array of shape ``()``.
    argnums
        Number of the differentiated positional argument, or several numbers.
    has_aux
        Whether ``f`` returns a pair of its result and other data.

    Returns
    -------
    Callable
        Function of the same arguments that returns ``(value, gradient)``, and ``((value, aux), gradient)`` with
        ``has_aux``. The gradient has the structure, shapes and dtypes of the argument; with several numbers it is a
        tuple of gradients.

    Raises
    ------
    TypeError
        If a differentiated argument is not of a floating-point dtype, or the result is not a real number.
    ValueError
        If ``argnums`` names no argument.
    NotDifferentiableError
        If ``f`` passes a differentiated value through an operation without a derivative.

    Notes
    -----
    The gradient with respect to a complex argument :math:`z = a + bi` is
    :math:`\partial f/\partial a - i\,\partial f/\partial b`, as in JAX; its conjugate is the direction of ascent.
    """
    return _differentiated(f, argnums, has_aux, keeps_value=True)


def _differentiated(f: Function, argnums: Argnums, has_aux: bool, *, keeps_value: bool) -> Function:
    """Return the function of :func:`value_and_grad`, or that of :func:`grad`, which needs no copy of the value."""
    check_transform(f, argnums, "grad")

    @wraps(f)
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        chosen = positions(argnums, len(args), "grad")
        run = Run(Reverse, f, args, kwargs, chosen, "grad", as_variable)
        output, aux = with_aux(run.output, "grad") if has_aux else (run.output, None)
        seeds = _seed(output, run.device)
        value = run.value(output) if keeps_value else None
        auxiliary = run.value(aux) if has_aux else None
        run.output = output = aux = None  # the pass back frees the record as it goes
        gradients = _gradients(seeds, run, retain=False)
        result = gradients[0] if isinstance(argnums, int) else tuple(gradients)
        if keeps_value:
            return ((value, auxiliary) if has_aux else value), result
        return (result, auxiliary) if has_aux else result

    return differentiated


def grad(f: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """Return a function that computes the gradient of ``f``; see :func:`value_and_grad`.

    Returns
    -------
    Callable
        Function of the same arguments that returns the gradient, and ``(gradient, aux)`` with ``has_aux``.

    Examples
    --------
    >>> import xtensor as xp
    >>> from xtensor import autograd
    >>> autograd.grad(lambda x: xp.sum(x**3))(xp.asarray([1.0, 2.0]))
    Array([ 3., 12.])
    """
    return _differentiated(f, argnums, has_aux, keeps_value=False)


def _seed(output: Any, device: Device) -> list[Any]:
    """Return the node of a real number with the cotangent 1; nothing for a constant."""
    if isinstance(output, (float, np.floating)):
        return []
    if isinstance(output, (bool, int, np.bool_, np.integer)):
        raise TypeError(f"grad() takes a function whose result is real, not {describe(output)}; return a float")
    if output.__class__ is not Array:
        raise TypeError(f"grad() takes a function whose result is an Array of shape (), not {describe(output)}")
    node = output._native.node if output._device is device else None
    shape, dtype = (output.shape, output.dtype) if node is None else (node.shape, node.dtype)
    if shape != ():
        raise TypeError(
            f"grad() takes a function whose result is one number, not an Array of shape {shape}; reduce it with "
            "xtensor.sum, or use vjp or jacobian"
        )
    if kind_of(dtype) != "f":
        raise TypeError(
            f"grad() takes a function whose result is real, not of dtype {dtype}; use vjp for complex results"
        )
    if node is None:
        return []
    base = device.base
    assert base is not None
    return [(node, wrap(base.table[ONES].function((), dtype=dtype), base))]


def _gradients(seeds: list[Any], run: Run, *, retain: bool) -> list[Any]:
    with np.errstate(all="ignore"):
        gradients = backpropagate(seeds, retain=retain)
    results = []
    for inputs, tree in run.inputs:
        leaves = []
        for item in inputs:
            g = None if item is None else gradients.get(item[1].node)
            leaves.append(xp.zeros_like(item[0]) if g is None and item is not None else g)
        results.append(tree.build(leaves))
    return results


def vjp(f: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return the value of ``f`` and the function that multiplies a cotangent by its Jacobian, from the left.

    Parameters
    ----------
    f
        Function of Arrays or of nested containers of them.
    primals
        Its arguments, all of which are differentiated.
    has_aux
        Whether ``f`` returns a pair of its result and other data.

    Returns
    -------
    tuple
        ``(value, pull)``, and ``(value, pull, aux)`` with ``has_aux``. ``pull(cotangent)`` takes a cotangent of the
        structure and the shapes of the value, and returns a tuple of cotangents, one for each argument. It can be
        called several times.
    """
    check_function(f, "vjp")
    run = Run(Reverse, f, primals, {}, tuple(range(len(primals))), "vjp", as_variable)
    output, aux = with_aux(run.output, "vjp") if has_aux else (run.output, None)
    results, tree = flatten(output)
    value = run.value(output)

    def pull(cotangent: Any) -> tuple[Any, ...]:
        leaves = matching(cotangent, value, tree, "vjp", "cotangent")
        seeds = [
            (x._native.node, g)
            for x, g in zip(results, leaves, strict=True)
            if x.__class__ is Array and x._device is run.device and x._native.node is not None
        ]
        return tuple(_gradients(seeds, run, retain=True))

    return (value, pull, run.value(aux)) if has_aux else (value, pull)


def pulled_with_masks(
    f: Function, primals: tuple[Array, ...], cotangents: tuple[Array, ...], masks: tuple[Array | None, ...]
) -> tuple[list[Array], list[Array | None]]:
    """Return the cotangents of the arguments of a function of Arrays, and the masks of their connected elements.

    ``masks`` are those of the results, a tuple of Arrays; None where all elements are connected.
    """
    run = Run(Reverse, f, primals, {}, tuple(range(len(primals))), "checkpoint", as_variable)
    results, tree = flatten(run.output)
    leaves = matching(cotangents, run.value(run.output), tree, "checkpoint", "cotangent")
    seeds = [
        (x._native.node, g, mask)
        for x, g, mask in zip(results, leaves, masks, strict=True)
        if x._device is run.device and x._native.node is not None
    ]
    connected: dict[Variable, Array | None] = {}
    with np.errstate(all="ignore"):
        gradients = backpropagate(seeds, connected_elements=connected)
    variables = [item[1].node for inputs, _ in run.inputs for item in inputs if item is not None]
    parts = [
        xp.zeros_like(x) if node not in gradients else gradients[node]
        for x, node in zip(primals, variables, strict=True)
    ]
    return parts, [connected.get(node) for node in variables]


def matching(given: Any, expected: Any, tree: Tree, name: str, what: str) -> list[Any]:
    """Return the leaves of cotangents or tangents; raise where structure, shape or dtype differ from the values'."""
    leaves, structure = flatten(given)
    values = flatten(expected)[0]
    if structure != tree:
        raise TypeError(f"{name}(): the {what} has the structure {structure}, and the value {tree}")
    result = []
    for leaf, value in zip(leaves, values, strict=True):
        if value.__class__ is not Array:
            result.append(leaf)
            continue
        g = xp.asarray(leaf, dtype=value.dtype, device=value.device) if leaf.__class__ is not Array else leaf
        if g.shape != value.shape:
            raise ValueError(f"{name}(): the {what} has shape {g.shape}, and the value shape {value.shape}")
        if g.dtype != value.dtype:
            raise TypeError(
                f"{name}(): the {what} has dtype {g.dtype}, and the value {value.dtype}; cast it with xtensor.astype"
            )
        result.append(lifted(g, value._device) if g._device.level < value._device.level else g)
    return result


# -- forward mode -----------------------------------------------------------------------------------------------------


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False) -> Any:
    """Return the value of ``f`` and its Jacobian times a tangent.

    Parameters
    ----------
    f
        Function of Arrays or of nested containers of them.
    primals
        Its arguments, as a tuple.
    tangents
        A tangent for each argument, of the same structure, shapes and dtypes.
    has_aux
        Whether ``f`` returns a pair of its result and other data.

    Returns
    -------
    tuple
        ``(value, tangent)``, and ``(value, tangent, aux)`` with ``has_aux``.
    """
    check_function(f, "jvp")
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise TypeError(f"jvp() takes primals and tangents as tuples, not {describe(primals)} and {describe(tangents)}")
    if len(primals) != len(tangents):
        raise ValueError(f"jvp() takes a tangent for each primal, not {len(tangents)} for {len(primals)}")
    base = base_of(flatten((primals, tangents))[0])
    given = iter(
        [
            g
            for value, tangent in zip([differentiated_part(x, "jvp", base) for x in primals], tangents, strict=True)
            for g in matching(tangent, value, flatten(value)[1], "jvp", "tangent")
        ]
    )

    def enter(x: Array, device: Device) -> Array:
        tangent = lifted(next(given), base)
        dual = wrap(device.native_type(by_value(x._native, base), by_value(tangent._native, base)), device)
        keep_strides(dual, x)
        return dual

    run = Run(Forward, f, tuple(primals), {}, tuple(range(len(primals))), "jvp", enter, base)
    output, aux = with_aux(run.output, "jvp") if has_aux else (run.output, None)

    def tangent_of(leaf: Any) -> Any:
        if leaf.__class__ is not Array:
            return zero_of(leaf)
        if leaf._device is run.device and leaf._native.tangent is not None:
            return fresh(wrap(leaf._native.tangent, base))
        return xp.zeros(leaf.shape, dtype=leaf.dtype, device=base)

    result = run.value(output), map_leaves(tangent_of, output)
    return (*result, run.value(aux)) if has_aux else result


def differentiated_part(value: Any, name: str, base: Device) -> Any:
    """Return an argument as Arrays of the base, with None in the position of those that its objects do not learn."""
    leaves, tree = flatten(value)
    return tree.build(
        [
            as_array(leaf, name, base) if is_learned(leaf, flag) else None
            for leaf, flag in zip(leaves, tree.learned(), strict=True)
        ]
    )


def zero_of(leaf: Any) -> Any:
    """Return the tangent of a constant: zeros for numbers and NumPy arrays, and other objects unchanged."""
    if isinstance(leaf, np.ndarray):
        return np.zeros_like(leaf)
    return leaf.__class__(0) if isinstance(leaf, (int, float, complex, np.number)) else leaf


def stop_gradient(x: Any) -> Any:
    """Return values as constants, which no derivative goes through.

    Parameters
    ----------
    x
        Array, or nested containers of Arrays.

    Returns
    -------
    Any
        The same values on the device that the derivatives stand on, in memory of their own. In a function of
        :func:`xtensor.vmap` they are those of an example.
    """

    def ground(leaf: Any) -> Any:
        if leaf.__class__ is not Array or not isinstance(leaf._device._library, (Batching, Transform)):
            return leaf
        device, library = leaf._device, leaf._device._library
        value = lowered(leaf, device)
        below = ground(value)
        if not isinstance(library, Batching):
            return fresh(below) if below is value else below
        if below is value:
            return leaf
        return wrap(library.results(lifted(below, value._device), leaf._native.batched), device)

    return map_leaves(ground, x)
