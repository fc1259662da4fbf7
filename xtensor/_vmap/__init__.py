"""``vmap``: a function of one example as a function of a batch of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import wrap
from .._core.checks import check_function
from .._core.device import Device
from .._core.errors import describe
from .._core.levels import base_of, lifted, running, standing_on
from .._core.trees import flatten
from .batching import Batching
from .draws import examples

__all__ = ["vmap"]

Axes = Any
"""An axis, None for what all examples share, or nested containers of them, as the arguments or a prefix of these."""


def vmap(
    f: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0, axis_size: int | None = None
) -> Callable[..., Any]:
    """Return a function of batches that computes ``f`` for each example at once, without a loop.

    Inside, an Array has the shape that it has in one example. Each operation of ``f`` is computed once, for all
    examples, by an operation of Arrays with one axis more. Transforms nest: ``vmap(grad(f))`` are the gradients of each
    example.

    Parameters
    ----------
    f
        Function of Arrays, or of nested dicts, lists, tuples and dataclasses of them.
    in_axes
        The axis of the examples in each positional argument: an integer; None for an argument that all examples share;
        or a sequence with one of these for each argument, where nested containers of integers and None name the axes of
        an argument's leaves. Arguments that are passed by keyword have the axis 0.
    out_axes
        The axis of the examples in the results, as ``in_axes``. None for a result that does not differ from example to
        example.
    axis_size
        The number of examples; required where no argument has an axis of them.

    Returns
    -------
    Callable
        Function of the same arguments, whose Arrays have the axis of the examples in addition.

    Raises
    ------
    ValueError
        If the numbers of examples of two arguments differ, ``in_axes`` does not fit the arguments, or an axis is out of
        bounds.
    TypeError
        If an argument or a result with an axis of examples is not an Array.
    NotImplementedError
        If ``f`` calls a function whose results have other shapes in other examples, such as ``nonzero``.
    UnknownValueError
        If ``f`` converts an Array that differs from example to example to a Python number, as ``if x > 0`` does.

    Notes
    -----
    Names and meaning are those of ``jax.vmap``. A generator of ``xtensor.random`` draws independent numbers for each
    example, and one that ``f`` makes from a seed the same for each. An Array that ``f`` writes to is a copy of the
    caller's.

    Examples
    --------
    >>> import xtensor as xp
    >>> x = xp.asarray([[3.0, 4.0], [6.0, 8.0]])
    >>> xp.vmap(xp.linalg.vector_norm)(x)
    Array([ 5., 10.])
    >>> xp.vmap(xp.autograd.grad(lambda w, x: xp.tanh(w @ x)), in_axes=(None, 0))(xp.zeros(2), x)
    Array([[3., 4.],
           [6., 8.]])
    """
    check_function(f, "vmap")

    @wraps(f)
    def batched(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = flatten((args, kwargs))
        axes = _axes_of_arguments(in_axes, args, kwargs)
        base = base_of(leaves)
        device = standing_on(Batching, base).device
        arrays = [leaf if axis is None else _array(leaf, base) for leaf, axis in zip(leaves, axes, strict=True)]
        size = _size(arrays, axes, axis_size)
        entered = [_entered(leaf, axis, device, base) for leaf, axis in zip(arrays, axes, strict=True)]
        positional, named = tree.build(entered)
        with running(device), examples(device, size):
            output = f(*positional, **named)
        results, structure = flatten(output)
        targets = _prefix(out_axes, output, "out_axes")
        given = {id(leaf._native) for leaf in leaves if leaf.__class__ is Array}
        return structure.build(
            [_left(leaf, axis, device, size, given) for leaf, axis in zip(results, targets, strict=True)]
        )

    return batched


# -- axes --------------------------------------------------------------------------------------------------------------


def _axes_of_arguments(in_axes: Axes, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[int | None]:
    """Return the axis of each leaf of the arguments."""
    if in_axes is None or isinstance(in_axes, int):
        axes = [in_axes] * len(flatten(args)[0])
    elif isinstance(in_axes, (tuple, list)):
        if len(in_axes) != len(args):
            raise ValueError(
                f"vmap(): in_axes has {len(in_axes)} items, and the function was called with {len(args)} positional "
                "arguments; give an axis or None for each"
            )
        axes = [axis for item, arg in zip(in_axes, args, strict=True) for axis in _prefix(item, arg, "in_axes")]
    else:
        raise TypeError(f"vmap(): in_axes is an integer, None, or a sequence of these, not {describe(in_axes)}")
    return axes + [0] * len(flatten(kwargs)[0])


def _prefix(axes: Axes, tree: Any, name: str) -> list[int | None]:
    """Return the axis of each leaf of nested containers, from containers that are a prefix of them."""
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return [axes] * len(flatten(tree)[0])
    if isinstance(axes, dict) and isinstance(tree, dict) and axes.keys() == tree.keys():
        return [axis for key in tree for axis in _prefix(axes[key], tree[key], name)]
    if isinstance(axes, (tuple, list)) and isinstance(tree, (tuple, list)) and len(axes) == len(tree):
        return [axis for item, part in zip(axes, tree, strict=True) for axis in _prefix(item, part, name)]
    structure = flatten(tree)[1]
    given, parts = flatten(axes)
    if isinstance(axes, (dict, tuple, list)) or parts != structure:
        raise ValueError(f"vmap(): {name} {describe(axes)} does not fit the containers {structure}")
    return given


def _array(leaf: Any, base: Device) -> Array:
    """Return a leaf that has an axis of the examples as an Array."""
    if leaf.__class__ is Array:
        return leaf
    if isinstance(leaf, np.ndarray):
        return xp.asarray(leaf, device=base)
    raise TypeError(
        f"vmap() goes over the examples in Arrays, not in {describe(leaf)}; name None as its axis in in_axes to give "
        "it to each example"
    )


def _size(arrays: Sequence[Any], axes: Sequence[int | None], axis_size: int | None) -> int:
    """Return the number of examples."""
    sizes: dict[int, tuple[Any, int | None]] = {}
    for x, axis in zip(arrays, axes, strict=True):
        if axis is None:
            continue
        if not -x.ndim <= axis < x.ndim:
            raise ValueError(
                f"vmap(): axis {axis} is out of bounds for an argument of shape {x.shape}; name the axis of its "
                "examples in in_axes, or None to give it to each example"
            )
        sizes.setdefault(x.shape[axis], (x.shape, axis))
    if axis_size is not None:
        sizes.setdefault(axis_size, ("axis_size", None))
    if not sizes:
        raise ValueError("vmap(): no argument has an axis of examples in in_axes; pass axis_size")
    if len(sizes) > 1:
        described = " and ".join(
            f"axis_size={size}" if axis is None else f"{size} on axis {axis} of shape {shape}"
            for size, (shape, axis) in sizes.items()
        )
        raise ValueError(f"vmap(): the numbers of examples differ: {described}")
    (size,) = sizes
    return size


# -- arguments and results ---------------------------------------------------------------------------------------------


def _entered(leaf: Any, axis: int | None, device: Device, base: Device) -> Any:
    """Return a leaf of the arguments as an Array of the batching device, with the axis of the examples in front."""
    if leaf.__class__ is not Array:
        return leaf
    if axis is None:
        return lifted(leaf, device)
    array = xp.moveaxis(lifted(leaf, base), axis, 0)
    return wrap(device.native_type(array._native, True), device)


def _left(leaf: Any, axis: int | None, device: Device, size: int, given: set[int]) -> Any:
    """Return a leaf of the results as an Array of the device below, with the axis of the examples."""
    base = device.base
    assert base is not None
    if leaf.__class__ is Array and leaf._device is device:
        native = leaf._native
        array, batched = wrap(native.value, base), native.batched
    else:
        if axis is None:
            return leaf
        if leaf.__class__ is not Array and not isinstance(leaf, (bool, int, float, complex, np.ndarray, np.generic)):
            raise TypeError(
                f"vmap() takes a function whose results are Arrays and numbers, not {describe(leaf)}; name None as its "
                "axis in out_axes"
            )
        array, batched = xp.asarray(leaf, device=None if leaf.__class__ is Array else base), False
    if axis is None:
        if batched:
            raise ValueError(
                f"vmap(): a result of shape {leaf.shape} differs from example to example, and out_axes names None for "
                "it; name the axis for the examples"
            )
        return xp.asarray(array, copy=True)
    if not batched:
        array = xp.broadcast_to(array, (size, *array.shape))
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"vmap(): axis {axis} of out_axes is out of bounds for a result of {array.ndim} dimensions")
    result = xp.moveaxis(array, 0, axis)
    if base.base is not None:  # the arrays of a transform are values
        return result
    native = array._native
    is_new = batched and id(native) not in given and getattr(native, "base", native) is None
    return result if is_new else xp.asarray(result, copy=True)
