"""Functions applied along axes, with NumPy's names and signatures."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis
from .._core.compositions import composed
from .._core.errors import describe
from .._core.operands import array_argument
from .._numpy.host import call_on_host
from ._arguments import as_arrays, on_device, shared_device
from ._conversions import integers

__all__ = ["apply_along_axis", "apply_over_axes", "vectorize"]


@composed
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Array:
    """Return the results of a function of one-dimensional arrays, called once for each line along an axis.

    Parameters
    ----------
    func1d
        A function that takes an Array of one dimension and returns an Array, an array-like or a number, always of the
        same shape.
    axis
        The axis of the lines.
    arr
        Array of one or more dimensions, or a sequence with an Array in it.
    *args, **kwargs
        Further arguments of ``func1d``.

    Returns
    -------
    Array
        The shape of ``arr`` with that of a result in the place of ``axis``; the dtype of the first result.

    Raises
    ------
    ValueError
        If there is no line, or ``axis`` is out of bounds.
    TypeError
        If ``arr`` has no Array, or ``func1d`` is not a function.

    Notes
    -----
    NumPy, ``apply_along_axis``. Each call launches work on the device; a function of the whole array is faster.
    """
    x = as_arrays("apply_along_axis", arr)[0]
    if not callable(func1d):
        raise TypeError(f"apply_along_axis(): func1d is a function, not {describe(func1d)}")
    position = check_axis(axis, x.ndim, "apply_along_axis")
    lines = xp.moveaxis(x, position, -1)
    outer = lines.shape[:-1]
    if 0 in outer:
        raise ValueError(
            f"Cannot apply_along_axis when any iteration dimensions are 0; apply_along_axis() received shape {x.shape} "
            f"and axis {axis}"
        )
    results = [
        on_device("apply_along_axis", func1d(lines[(*index, ...)], *args, **kwargs), x.device)
        for index in product(*map(range, outer))
    ]
    dtype = results[0].dtype
    joined = xp.stack([xp.astype(result, dtype, copy=False) for result in results])
    joined = xp.reshape(joined, (*outer, *results[0].shape))
    added = results[0].ndim
    sources = tuple(range(len(outer), len(outer) + added))
    return xp.moveaxis(joined, sources, tuple(range(position, position + added))) if added else joined


@composed
def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Array:
    """Return the result of a reduction that is applied along several axes, one after another.

    Parameters
    ----------
    func
        A function that takes an Array and an axis, and returns an Array with as many dimensions or with one fewer.
    a
        Array, or a sequence with an Array in it.
    axes
        The axes: an integer or a sequence of integers.

    Returns
    -------
    Array
        The last result; axes that ``func`` removed have length 1.

    Raises
    ------
    ValueError
        If ``func`` returns an Array of another number of dimensions.
    TypeError
        If ``a`` has no Array, or ``func`` does not return an Array.

    Notes
    -----
    NumPy, ``apply_over_axes``.
    """
    value = as_arrays("apply_over_axes", a)[0]
    ndim = value.ndim
    for axis in integers("apply_over_axes", "each of axes", axes):
        position = check_axis(axis, ndim, "apply_over_axes")
        result = func(value, position)
        result = array_argument(result, "apply_over_axes")
        if result.ndim == ndim - 1:
            result = xp.expand_dims(result, position)
        if result.ndim != ndim:
            raise ValueError(
                f"function is not returning an array of the correct shape; apply_over_axes() received {result.ndim} "
                f"dimensions for an array of {ndim}"
            )
        value = result
    return value


class vectorize:  # noqa: N801 - NumPy's name
    """Function of Arrays that calls a function of numbers once for each element, on the host.

    Parameters
    ----------
    pyfunc
        Function of numbers. Without it, the result is a decorator: ``@vectorize(otypes=[float])``.
    otypes, doc, excluded, cache, signature
        As for ``numpy.vectorize``.

    Raises
    ------
    TypeError
        When it is called: if no argument is an Array, or the device's memory is not the host's and the policy of
        transfers forbids the copies.

    Notes
    -----
    NumPy, ``vectorize``, whose class returns NumPy arrays; this one returns Arrays on the device of the arguments. It
    is a loop in Python: a function of whole arrays is faster.
    """

    def __init__(
        self,
        pyfunc: Any = np._NoValue,
        otypes: Any = None,
        doc: str | None = None,
        excluded: Any = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        self._options = otypes, doc, excluded, cache, signature
        self._vectorized: Any = None
        if pyfunc is np._NoValue:
            return
        if not callable(pyfunc):
            raise TypeError(f"vectorize(): pyfunc is a function, not {describe(pyfunc)}")
        self._vectorized = np.vectorize(pyfunc, otypes, doc, excluded, cache, signature)
        self.__doc__ = self._vectorized.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._vectorized is None:  # a decorator with options
            return vectorize(args[0], *self._options)
        device = shared_device("vectorize", *args, *kwargs.values())
        return call_on_host(self._vectorized, args, kwargs, device, "vectorize")
