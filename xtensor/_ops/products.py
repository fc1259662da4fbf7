"""Products of vectors and matrices, with NumPy's names and signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .._core.backend import Native
from .._core.compositions import composed
from .._core.dispatch import binary_function
from .._core.errors import describe
from .._core.operations import declare
from . import _casts
from ._arguments import as_arrays, flattened, store
from ._composing import NativeOperand, cast, loop_dtype

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["dot", "inner", "matvec", "outer", "vdot", "vecmat"]


@composed
def dot(a: AnyArray, b: AnyArray, out: Array | None = None) -> Array:
    r"""Return the product of two arrays: the sum of the products along the last axis of ``a`` and an axis of ``b``.

    Parameters
    ----------
    a
        Array of any dtype and shape.
    b
        Array of any dtype. Its axis of the sum is the last but one, or the only one of a vector.
    out
        An Array of exactly the dtype and shape of the result, that the result is written into.

    Returns
    -------
    Array
        The products, of the promoted dtype; ``out`` if that is given. Two vectors give their inner product, two
        matrices the matrix product. If an operand is 0-d, the result is the product of its number and the other one.

    Raises
    ------
    ValueError
        If the axes of the sum differ in length, or ``out`` does not have the dtype and shape of the result.
    TypeError
        If no operand is an Array, or ``out`` is not one.

    Notes
    -----
    Complex numbers are not conjugated. Booleans are combined by *and* and *or*.

    NumPy, ``dot``.
    """
    x, y = _promoted("dot", a, b)
    if not x.ndim or not y.ndim:
        return store_exactly("dot", _times(x, y), out)
    axis = max(y.ndim - 2, 0)
    if x.shape[-1] != y.shape[axis]:
        raise not_aligned("dot", x, y, axis, (a, b))
    result = _contracted(x, y, axis)
    return result if out is None else store_exactly("dot", result, out)


@composed
def inner(a: AnyArray, b: AnyArray, /) -> Array:
    """Return the sums of products along the last axes of two arrays.

    Parameters
    ----------
    a, b
        Arrays of any dtypes, with last axes of equal length, or 0-d.

    Returns
    -------
    Array
        The sums, of the promoted dtype. The axes are those of ``a`` without the last one, then those of ``b`` without
        the last one. If an operand is 0-d, the result is the product of its number and the other one.

    Raises
    ------
    ValueError
        If the last axes differ in length.
    TypeError
        If no operand is an Array.

    Notes
    -----
    Complex numbers are not conjugated. Booleans are combined by *and* and *or*.

    NumPy, ``inner``.
    """
    x, y = _promoted("inner", a, b)
    if not x.ndim or not y.ndim:
        return _times(x, y)
    if x.shape[-1] != y.shape[-1]:
        raise not_aligned("inner", x, y, y.ndim - 1, (a, b))
    return _contracted(x, y, y.ndim - 1)


@composed
def outer(a: AnyArray, b: AnyArray, out: Array | None = None) -> Array:
    r"""Return the products of all pairs of elements, :math:`a_i\, b_j`.

    Parameters
    ----------
    a, b
        Arrays of any dtypes and shapes; they are flattened.
    out
        An Array of shape ``(a.size, b.size)`` that the result is written into.

    Returns
    -------
    Array
        The products, of shape ``(a.size, b.size)`` and the promoted dtype; ``out`` if that is given.

    Raises
    ------
    ValueError
        If ``out`` has another shape.
    TypeError
        If no operand is an Array, or the result's dtype does not cast to that of ``out``.

    Notes
    -----
    Complex numbers are not conjugated.

    NumPy, ``outer``. :func:`xtensor.linalg.outer` takes vectors only.
    """
    x, y = (flattened(value) for value in _promoted("outer", a, b))
    return store("outer", _times(x[:, None], y[None, :]), out)


@composed
def vdot(a: AnyArray, b: AnyArray, /) -> Array:
    r"""Return the inner product of all elements, :math:`\sum_i \overline{a_i}\, b_i`.

    Parameters
    ----------
    a
        Array of any dtype and shape; it is flattened, and conjugated if it is complex.
    b
        Array of any dtype and the size of ``a``; it is flattened.

    Returns
    -------
    Array
        The product, a 0-d Array of the promoted dtype.

    Raises
    ------
    ValueError
        If the sizes differ.
    TypeError
        If no operand is an Array.

    Notes
    -----
    Booleans are combined by *and* and *or*.

    NumPy, ``vdot``.
    """
    x, y = (flattened(value) for value in _promoted("vdot", a, b))
    if x.shape != y.shape:
        raise ValueError(
            f"cannot reshape array of size {y.size} into shape ({x.size},): vdot() takes arrays of equal size, not of "
            f"{x.size} and {y.size} elements: {describe(a)} and {describe(b)}"
        )
    return xp.vecdot(x, y) if x.dtype.kind == "c" else _contracted(x, y, 0)


def _product(xp: Any, x1: Native, x2: Native) -> Native:
    """The product of matrices; that of booleans, which the standard does not define, by counting."""
    if x1.dtype.kind != "b":
        return xp.matmul(x1, x2)
    return xp.not_equal(xp.matmul(*cast(xp, xp.default_integer, x1, x2)), 0)


def _check_dimensions(name: str, signature: str, *operands: tuple[Native, int]) -> None:
    """Raise ValueError unless each operand has as many dimensions as its part of the signature."""
    for position, (x, required) in enumerate(operands):
        if x.ndim < required:
            raise ValueError(
                f"{name}: Input operand {position} does not have enough dimensions (has {x.ndim}, gufunc core with "
                f"signature {signature} requires {required}); its shape is {tuple(x.shape)}"
            )


def _compose_matvec(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    x1, x2 = cast(xp, loop_dtype("matvec", "biufc", x1, x2), x1, x2)
    _check_dimensions("matvec", "(m,n),(n)->(m)", (x1, 2), (x2, 1))
    return _product(xp, x1, x2[..., None])[..., 0]


MATVEC = declare(
    "matvec",
    "linear algebra",
    operands=2,
    accepts="numeric",
    shape="product",
    numpy="matvec",
    composition=_compose_matvec,
)


@binary_function(MATVEC)
def matvec(x1: AnyArray, x2: AnyArray, /) -> Array:
    r"""Return the products of matrices and vectors, :math:`\sum_j a_{ij}\, b_j`.

    Parameters
    ----------
    x1
        Matrices, of shape ``(..., M, N)``.
    x2
        Vectors, of shape ``(..., N)``. The axes before those of the matrices and vectors broadcast.

    Returns
    -------
    Array
        The vectors, of shape ``(..., M)`` and the promoted dtype.

    Raises
    ------
    ValueError
        If an operand has too few dimensions, the lengths N differ, or the other axes do not broadcast.
    TypeError
        If no operand is an Array.

    Notes
    -----
    NumPy, ``matvec``.
    """


def _compose_vecmat(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    x1, x2 = cast(xp, loop_dtype("vecmat", "biufc", x1, x2), x1, x2)
    _check_dimensions("vecmat", "(n),(n,m)->(m)", (x1, 1), (x2, 2))
    if x1.dtype.kind == "c":
        x1 = xp.conj(x1)
    return _product(xp, x1[..., None, :], x2)[..., 0, :]


VECMAT = declare(
    "vecmat",
    "linear algebra",
    operands=2,
    accepts="numeric",
    shape="product",
    numpy="vecmat",
    composition=_compose_vecmat,
)


@binary_function(VECMAT)
def vecmat(x1: AnyArray, x2: AnyArray, /) -> Array:
    r"""Return the products of vectors and matrices, :math:`\sum_i \overline{a_i}\, b_{ij}`.

    Parameters
    ----------
    x1
        Vectors, of shape ``(..., N)``; complex ones are conjugated.
    x2
        Matrices, of shape ``(..., N, M)``. The axes before those of the matrices and vectors broadcast.

    Returns
    -------
    Array
        The vectors, of shape ``(..., M)`` and the promoted dtype.

    Raises
    ------
    ValueError
        If an operand has too few dimensions, the lengths N differ, or the other axes do not broadcast.
    TypeError
        If no operand is an Array.

    Notes
    -----
    NumPy, ``vecmat``.
    """


def _promoted(name: str, a: Any, b: Any) -> list[Array]:
    """Return two array-likes as Arrays of the dtype that they promote to."""
    return _casts.promoted(*as_arrays(name, a, b))


def _times(x: Array, y: Array) -> Array:
    return xp.logical_and(x, y) if x.dtype.kind == "b" else x * y


def _contracted(x: Array, y: Array, axis: int) -> Array:
    """Return the sum of products along the last axis of one array and an axis of the other."""
    if x.dtype.kind == "b":
        integer = x.device.default_dtypes["integral"]
        return _contracted(xp.astype(x, integer), xp.astype(y, integer), axis) != 0
    if y.ndim == 1:
        return x @ y
    if y.ndim == 2:
        return x @ (y if axis == 0 else y.mT)
    return xp.tensordot(x, y, axes=((x.ndim - 1,), (axis,)))


def not_aligned(name: str, x: Array, y: Array, axis: int, given: tuple[Any, Any]) -> ValueError:
    """Return the error for axes of a sum, the last one of ``x`` and one of ``y``, that differ in length."""
    last = x.ndim - 1
    return ValueError(
        f"shapes {_shown(x)} and {_shown(y)} not aligned: {x.shape[-1]} (dim {last}) != {y.shape[axis]} (dim {axis}); "
        f"{name}() sums along these axes of {describe(given[0])} and {describe(given[1])}"
    )


def _shown(x: Array) -> str:
    """Return a shape as NumPy's message writes it."""
    return str(x.shape).replace(" ", "")


def store_exactly(name: str, result: Array, out: Any) -> Array:
    """Return a result, written into ``out`` if that is given and has exactly the dtype and shape of the result."""
    if hasattr(out, "dtype") and (out.dtype != result.dtype or out.shape != result.shape):
        raise ValueError(
            "output array is not acceptable (must have the right datatype, number of dimensions, and be a C-Array): "
            f"{name}() gives dtype {result.dtype} and shape {result.shape}, and out={describe(out)} has dtype "
            f"{out.dtype} and shape {out.shape}"
        )
    return store(name, result, out)
