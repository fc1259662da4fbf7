"""Broadcasting (Array API standard 2025.12, "Manipulation Functions")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._core.array import Array
from .._core.calls import apply
from .._core.checks import check_shape
from .._core.compositions import composed
from .._core.operands import array_argument, array_arguments
from .._core.operations import declare

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["broadcast_arrays", "broadcast_shapes", "broadcast_to"]

Shape = tuple[int, ...]


@composed
def broadcast_arrays(*arrays: AnyArray) -> tuple[Array, ...]:
    """Broadcast arrays against each other.

    Parameters
    ----------
    *arrays
        Arrays of broadcast-compatible shapes.

    Returns
    -------
    tuple of Array
        Views of the common shape, each of its input's dtype. Elements may share memory: do not write to them.

    Raises
    ------
    ValueError
        If the shapes are not broadcast-compatible.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``broadcast_arrays``.
    """
    operands = array_arguments("broadcast_arrays", *arrays)
    shape = _broadcast_shape([x.shape for x in operands], "broadcast_arrays")
    if all(x.shape == shape for x in operands):
        return operands  # can be written to, as NumPy's
    return tuple(broadcast_to(x, shape) for x in operands)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that results from broadcasting shapes.

    Shapes are aligned at their last axis. Along each axis, the lengths other than 1 must be equal.

    Parameters
    ----------
    *shapes
        Tuples of axis lengths; ``()`` is the shape of a 0-d array.

    Returns
    -------
    tuple of int
        Broadcast shape.

    Raises
    ------
    ValueError
        If two lengths along an axis differ and neither is 1.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``broadcast_shapes``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.broadcast_shapes((8, 1, 6), (7, 1))
    (8, 7, 6)
    """
    return _broadcast_shape([check_shape(shape, "broadcast_shapes") for shape in shapes], "broadcast_shapes")


BROADCAST_TO = declare("broadcast_to", "manipulation", shape="argument", numpy="broadcast_to")


def broadcast_to(x: AnyArray, /, shape: Shape) -> Array:
    """Broadcast an array to a shape.

    Parameters
    ----------
    x
        Array of any dtype.
    shape
        Shape of the result; the shape of ``x`` must broadcast to it.

    Returns
    -------
    Array
        View of the given shape. Elements may share memory: do not write to it.

    Raises
    ------
    ValueError
        If the shape of ``x`` does not broadcast to ``shape``.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``broadcast_to``.
    """
    x = array_argument(x, "broadcast_to")
    device = x._device
    lengths = check_shape(shape, "broadcast_to")
    return apply(BROADCAST_TO, device, x._native, lengths)


def _broadcast_shape(shapes: Sequence[Shape], name: str) -> Shape:
    """Return the shape that shapes broadcast to."""
    result: list[int] = []
    for position in range(1, max(map(len, shapes), default=0) + 1):
        lengths = {shape[-position] for shape in shapes if len(shape) >= position} - {1}
        if len(lengths) > 1:
            raise ValueError(
                "shape mismatch: objects cannot be broadcast to a single shape; "
                f"{name}() received {', '.join(map(str, shapes))}: axis {-position} has lengths {sorted(lengths)}; "
                "lengths must be equal or 1"
            )
        result.append(lengths.pop() if lengths else 1)
    return tuple(reversed(result))
