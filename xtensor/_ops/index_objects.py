"""Objects that are indexed rather than called, with NumPy's names: grids, joined arrays and keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.dtypes import result_type
from .._core.errors import describe
from .._core.operands import array_arguments
from ._arguments import as_arrays
from .stacking import column_stack

__all__ = ["broadcast", "c_", "index_exp", "mgrid", "ogrid", "r_", "s_"]


def _points(part: Any, name: str) -> Array:
    """Return the numbers of a slice: from start up to stop by a step, or as many as an imaginary step says."""
    if not isinstance(part, slice) or part.stop is None:
        raise TypeError(f"{name}[...] takes slices with a stop, such as 0:5, not {describe(part)}")
    start = 0 if part.start is None else part.start
    step = 1 if part.step is None else part.step
    if isinstance(step, complex):
        return xp.linspace(float(start), float(part.stop), int(abs(step)))
    return xp.arange(start, part.stop, step)


class _Grid:
    """Coordinates of the points of a grid, as ``numpy.mgrid`` and ``numpy.ogrid`` give them."""

    def __init__(self, name: str, *, sparse: bool) -> None:
        self._name, self._sparse = name, sparse

    def __repr__(self) -> str:
        return f"xtensor.{self._name}"

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple):
            return _points(key, self._name)
        points = [_points(part, self._name) for part in key]
        if not points:
            raise TypeError(f"{self._name}[...] takes one slice or more, not an empty tuple")
        dtype = result_type(*(x.dtype for x in points))
        count = len(points)
        axes = [
            xp.reshape(xp.astype(x, dtype, copy=False), (*(1,) * i, -1, *(1,) * (count - 1 - i)))
            for i, x in enumerate(points)
        ]
        return tuple(axes) if self._sparse else xp.stack(xp.broadcast_arrays(*axes))


class _Joined:
    """Arrays, numbers and slices that are joined, as ``numpy.r_`` and ``numpy.c_`` do."""

    def __init__(self, name: str, *, columns: bool) -> None:
        self._name, self._columns = name, columns

    def __repr__(self) -> str:
        return f"xtensor.{self._name}"

    def __getitem__(self, key: Any) -> Array:
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(part, str) for part in parts):
            raise TypeError(
                f"{self._name}[...] takes no directive such as {next(x for x in parts if isinstance(x, str))!r}; use "
                "xtensor.concat, xtensor.stack or xtensor.reshape"
            )
        given = [_points(part, self._name) if isinstance(part, slice) else part for part in parts]
        if not any(hasattr(part, "ndim") and not isinstance(part, np.ndarray) for part in given):
            given = [xp.asarray(part) for part in given]
        arrays = [x if x.ndim else xp.reshape(x, (1,)) for x in as_arrays(self._name, *given)]
        return column_stack(arrays) if self._columns else xp.concat(arrays, axis=-1)


class _Key:
    """The key of an index expression, as ``numpy.s_`` and ``numpy.index_exp`` give it."""

    def __init__(self, name: str, *, as_tuple: bool) -> None:
        self._name, self._as_tuple = name, as_tuple

    def __repr__(self) -> str:
        return f"xtensor.{self._name}"

    def __getitem__(self, key: Any) -> Any:
        return (key,) if self._as_tuple and not isinstance(key, tuple) else key


class broadcast:  # noqa: N801 - NumPy's name
    """Arrays that are broadcast against each other; iterates over tuples of their elements.

    Parameters
    ----------
    *args
        Arrays whose shapes broadcast, at least one.

    Attributes
    ----------
    shape, ndim, nd, size
        The common shape, its number of axes, and of elements.
    numiter
        Number of arrays.
    values
        The arrays, broadcast to the common shape.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    NumPy, ``broadcast``.
    """

    def __init__(self, *args: Any) -> None:
        if not args:
            raise ValueError("Need at least 1 array object; broadcast() got none")
        self.values: tuple[Array, ...] = tuple(xp.broadcast_arrays(*array_arguments("broadcast", *args)))
        self.shape: tuple[int, ...] = self.values[0].shape
        self.ndim = self.nd = len(self.shape)
        self.size: int = self.values[0].size
        self.numiter = len(self.values)

    def __iter__(self) -> Iterator[tuple[Array, ...]]:
        return zip(*[xp.reshape(x, (-1,)) for x in self.values], strict=True)

    def __repr__(self) -> str:
        return f"<broadcast of {self.numiter} arrays to shape {self.shape}>"


mgrid = _Grid("mgrid", sparse=False)
"""Coordinates of the points of a grid, one array for each axis: ``mgrid[0:2, 0:3]`` has shape ``(2, 2, 3)``.

An imaginary step is a number of points, the stop included: ``mgrid[0:1:5j]``. On the default device. NumPy, ``mgrid``.
"""

ogrid = _Grid("ogrid", sparse=True)
"""Coordinates of a grid in arrays that broadcast: ``ogrid[0:2, 0:3]`` has shapes ``(2, 1)`` and ``(1, 3)``.

NumPy, ``ogrid``.
"""

r_ = _Joined("r_", columns=False)
"""Arrays, numbers and slices joined along the last axis: ``r_[x, 1, 2:5]``. NumPy, ``r_``, without its directives."""

c_ = _Joined("c_", columns=True)
"""Vectors, matrices and slices joined as the columns of a matrix: ``c_[x, y]``. NumPy, ``c_``."""

s_ = _Key("s_", as_tuple=False)
"""The key of an index expression: ``s_[2:4, ...]`` is ``(slice(2, 4, None), Ellipsis)``. NumPy, ``s_``."""

index_exp = _Key("index_exp", as_tuple=True)
"""The key of an index expression, always a tuple. NumPy, ``index_exp``."""
