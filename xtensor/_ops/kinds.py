"""Questions about types, with NumPy's names and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.array import Array
from .._core.boundary import boundary
from .._core.errors import describe

if TYPE_CHECKING:
    from .._core.annotations import DTypeLike

__all__ = ["isscalar", "issubdtype"]


@boundary
def isscalar(element: Any) -> bool:
    """Return whether a value is a number or text of Python or NumPy. Arrays are not, those without axes included.

    Parameters
    ----------
    element
        Any value.

    Returns
    -------
    bool
        Whether it is a scalar.

    Notes
    -----
    NumPy, ``isscalar``.
    """
    return bool(np.isscalar(element))


@boundary
def issubdtype(arg1: DTypeLike, arg2: DTypeLike | type) -> bool:
    """Return whether a dtype is of a kind, such as ``numpy.floating``, or is another dtype.

    Parameters
    ----------
    arg1
        A dtype, or its name or type.
    arg2
        A dtype, or one of NumPy's abstract types.

    Returns
    -------
    bool
        Whether the first is a subtype of the second.

    Raises
    ------
    TypeError
        If an argument is no dtype.

    Notes
    -----
    NumPy, ``issubdtype``. :func:`xtensor.isdtype` is the standard's function.
    """
    for given in (arg1, arg2):
        if isinstance(given, Array):
            raise TypeError(f"Cannot construct a dtype from an array; issubdtype() takes dtypes, not {describe(given)}")
    try:
        return bool(np.issubdtype(arg1, arg2))
    except TypeError as error:
        raise TypeError(f"{error}; issubdtype() takes dtypes, not {describe(arg1)} and {describe(arg2)}") from None
