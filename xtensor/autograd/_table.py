r"""The table of derivatives: how each operation is differentiated, next to the table of operations.

A row holds the *pullback* of an operation: the linear map from the cotangent of the result to the cotangents of the
operands. The pushforward, from the operands' tangents to the result's, follows from it: an elementwise pullback is its
own transpose, a linear operation is its own pushforward, and any other pullback is transposed by differentiating it.

Cotangents pair with tangents by the real part of the product *without* a conjugate, as in JAX: the gradient of a real
function of :math:`z = a + bi` is :math:`\partial f/\partial a - i\,\partial f/\partial b`, and that of a holomorphic
function is its complex derivative. A pullback's result is cast to the operand's dtype, with the real part taken where
the operand is real, and summed over the axes along which the operand was broadcast (:func:`fit`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import apply
from .._core.dtypes import DType, kind_of
from .._core.errors import NotDifferentiableError
from .._core.operations import operation

__all__ = [
    "CONSTANT",
    "TABLE",
    "Derivative",
    "NotDifferentiableError",
    "connection",
    "constant",
    "elementwise",
    "elementwise_row",
    "fit",
    "pullback",
    "pullback_row",
    "unknown",
]

BROADCAST_TO = operation("broadcast_to")

F = TypeVar("F", bound=Callable[..., Any])


SELECTIONS = frozenset(
    (
        "where", "clip", "maximum", "minimum", "fmax", "fmin", "nn.relu", "max", "min",
        "getitem", "setitem", "take", "take_along_axis", "repeat", "unstack",
        "diagonal", "linalg.diagonal", "tril", "triu", "fft.fft", "fft.ifft", "fft.rfft", "fft.irfft",
    )
)  # fmt: skip
"""The operations whose result does not depend on all elements of the operands."""

FILLED = frozenset(
    ("where", "clip", "maximum", "minimum", "fmax", "fmin", "nn.relu", "tril", "triu", "cumulative_sum", "bincount")
)
"""The operations of whose result some elements may depend on no operand, next to those that join constants."""

VIEWS = frozenset(
    (
        "astype", "reshape", "expand_dims", "squeeze", "broadcast_to", "full", "permute_dims", "matrix_transpose",
        "flip", "roll", "concat", "stack", "setitem", "sum",
    )
)  # fmt: skip
"""The operations whose pullback may return the memory of the cotangent."""


class Derivative:
    """How one operation is differentiated.

    Attributes
    ----------
    name
        The operation's name.
    elementwise
        For an elementwise operation, one function for each operand, from the cotangent of the result to the operand's,
        with the positions of its parameters among ``(g, out, x, y, z)``: the cotangent, the result, the operands.
        Values that no function names are not kept. None in the place of a function: the derivative with respect to that
        operand is not known. Empty for other operations.
    pullback
        For other operations, the function of the cotangent, the result, and the operation's arguments. It returns the
        operands' cotangents, in the order of the arguments.
    fused
        Whether the functions of an elementwise operation are of several operations, which one kernel can compute.
    kept
        The positions of the arguments whose values ``pullback`` uses; it gets shape and dtype of others.
    keeps_result
        Whether it uses the result's values.
    several
        Whether the operation has other array operands than the first argument.
    linear
        Whether the operation is linear in its array operands, so that it is its own pushforward.
    bilinear
        Whether it is linear in each of two array operands.
    connection
        The function that pulls a mask back: from an Array that is 0 at the elements of the result that are not
        connected with a variable, and not negative, to such Arrays of the operands. Its parameters are those of
        ``pullback``. None where every element of the result depends on every element of the operands. The mask of an
        elementwise operation is that of its result.
    masked
        The function that pulls a cotangent and its mask back together, from the cotangent, the mask, the result and the
        arguments; None for the functions ``pullback`` and ``connection``.
    selects
        Whether the result does not depend on all elements of the operands.
    fills
        Whether elements of the result may depend on no operand.
    views
        Whether a pullback may return the memory of the cotangent.
    calls_users
        Whether the pullback calls functions of the user.
    public
        The public function of an operation that devices may lack, because it has a formula; None for others.
    """

    __slots__ = (
        "bilinear",
        "calls_users",
        "connection",
        "elementwise",
        "fills",
        "fused",
        "keeps_result",
        "kept",
        "linear",
        "masked",
        "name",
        "public",
        "pullback",
        "selects",
        "several",
        "views",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.elementwise: tuple[tuple[Callable[..., Any] | None, tuple[int, ...]], ...] = ()
        self.pullback: Callable[..., Any] | None = None
        self.kept: frozenset[int] = frozenset()
        self.keeps_result = False
        self.fused = False
        self.linear = self.bilinear = self.several = self.calls_users = False
        self.connection: Callable[..., Any] | None = None
        self.masked: Callable[..., Any] | None = None
        self.selects = name in SELECTIONS
        self.fills = name in FILLED
        self.views = name in VIEWS
        self.public: Callable[..., Any] | None = None


TABLE: dict[str, Derivative] = {}
"""The derivative of each differentiable operation, by the operation's name."""

CONSTANT: set[str] = set()
"""The operations whose result is constant almost everywhere, or no floating-point number: they have derivative zero."""


def identity(g: Any) -> Any:
    """The pullback of a sum by its operands."""
    return g


PLACES = {"g": 0, "out": 1, "x": 2, "y": 3, "z": 4}


def elementwise(
    name: str,
    *functions: Callable[..., Any] | None,
    public: Callable[..., Any] | None = None,
    fused: bool = True,
) -> None:
    """Enter an elementwise operation: for each operand, a function of ``g`` and of some of ``out, x, y, z``.

    Functions of several operations are ``fused``: computed by one kernel where the device has a generator of kernels.
    """
    row = TABLE[name] = elementwise_row(name, *functions)
    row.public, row.fused = public, fused


def elementwise_row(name: str, *functions: Callable[..., Any] | None) -> Derivative:
    """Return the row of an elementwise operation, or of a formula with rules."""
    row = Derivative(name)
    row.elementwise = tuple(
        (function, () if function is None else tuple(map(PLACES.__getitem__, inspect.signature(function).parameters)))
        for function in functions
    )
    return row


def pullback(
    *names: str,
    keeps: str = "",
    linear: bool = False,
    bilinear: bool = False,
    several: bool = False,
    public: Callable[..., Any] | None = None,
) -> Callable[[F], F]:
    """Enter the function that pulls a cotangent back through operations.

    Parameters
    ----------
    names
        The operations' names.
    keeps
        The names of the function's parameters whose values it uses, ``out`` for the result.
    linear
        Whether the operations are linear in their array operands.
    bilinear
        Whether they are linear in each of two array operands.
    several
        Whether they have other array operands than the first argument.
    public
        The public function of an operation that devices may lack, because it has a formula.
    """

    def enter(function: F) -> F:
        for name in names:
            row = TABLE[name] = pullback_row(name, function, keeps, several=several or bilinear)
            row.linear, row.bilinear, row.public = linear, bilinear, public
            row.connection = function if linear else None
        return function

    return enter


def connection(*names: str) -> Callable[[F], F]:
    """Enter the function that pulls a mask of connected elements back through operations that have a pullback.

    Linear operations without one use their pullback, which has no negative coefficients.
    """

    def enter(function: F) -> F:
        for name in names:
            TABLE[name].connection = function
        return function

    return enter


def pullback_row(name: str, function: Callable[..., Any], keeps: str, *, several: bool) -> Derivative:
    """Return the row of an operation with a pullback, or of a formula with one."""
    parameters, kept = list(inspect.signature(function).parameters)[2:], keeps.split()
    row = Derivative(name)
    row.pullback, row.several, row.keeps_result = function, several, "out" in kept
    row.kept = frozenset(parameters.index(item) for item in kept if item != "out")
    return row


def constant(*names: str) -> None:
    """Enter operations with derivative zero."""
    CONSTANT.update(names)


def unknown(name: str, position: int) -> NotDifferentiableError:
    """Return the error for an operand with respect to which no derivative is known."""
    return NotDifferentiableError(
        f"{name.rpartition('.')[2]}() has no known derivative with respect to operand {position + 1}; give it a "
        "constant: xtensor.autograd.stop_gradient(x)"
    )


def fit(g: Array, shape: tuple[int, ...], dtype: DType) -> Array:
    """Return a cotangent in the shape and dtype of its operand.

    Axes along which the operand was broadcast are summed, missing ones are broadcast, and the real part is taken where
    the operand is real.
    """
    if g.shape != shape:
        extra = g.ndim - len(shape)
        if extra > 0:
            g = xp.sum(g, axis=tuple(range(extra)), dtype=g.dtype)
        axes = []
        for i, length in enumerate(g.shape, -g.ndim):
            if length != 1 and shape[i] == 1:
                axes.append(i)
        if axes:
            g = xp.sum(g, axis=tuple(axes), keepdims=True, dtype=g.dtype)
        if g.shape != shape:
            g = apply(BROADCAST_TO, g._device, g._native, shape)
    if g.dtype != dtype:
        if kind_of(g.dtype) == "c" and kind_of(dtype) != "c":
            g = xp.real(g)
        g = xp.astype(g, dtype, copy=False)
    return g
