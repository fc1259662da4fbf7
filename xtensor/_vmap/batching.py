"""Batching: a device on which each array stands for the arrays of all examples of a batch.

An operation of such arrays is one operation of arrays of the device below, with one axis more, the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import wrap
from .._core.levels import Level
from .._core.operations import Operation
from .._core.tracer import at_caller
from .._core.tracing_errors import UnknownValueError
from .._core.trees import mapped
from .._core.wrapping import ValueArray
from .._ops.manipulation import expand_dims, reshape
from . import indexing
from .rules import rule_of

__all__ = ["Batched", "Batching"]


class Batched(ValueArray):
    """A native array of each example.

    Attributes
    ----------
    value
        The native array of the device below. Its first axis goes over the examples, if it is batched.
    batched
        Whether the examples have arrays of their own. False: each of them has ``value``.
    """

    __slots__ = ("batched",)

    transform: ClassVar[Batching]

    def __init__(self, value: Native, batched: bool) -> None:
        self.value, self.batched = value, batched

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape[1:] if self.batched else self.value.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        return self.value.ndim - self.batched  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def __getitem__(self, key: Any) -> Any:
        return self.transform.getitem(self, key)

    def _known(self, purpose: str, remedy: str = "compute with functions of xtensor") -> Native:
        """Return the value where it is the same in each example."""
        if self.batched:
            raise UnknownValueError(
                f"{purpose}{at_caller()}: the value differs from example to example of xtensor.vmap; {remedy}"
            )
        return self.value

    def __bool__(self) -> bool:
        return bool(self._known("bool(x)", "use xtensor.where(condition, x, y) instead of `if`"))

    def __int__(self) -> int:
        return int(self._known("int(x)"))

    def __float__(self) -> float:
        return float(self._known("float(x)"))

    def __complex__(self) -> complex:
        return complex(self._known("complex(x)"))

    def __index__(self) -> int:
        return self._known("x as an integer").__index__()  # type: ignore[no-any-return]


class Batching(Level):
    """The library of a device whose arrays stand for batches."""

    kind = "vmap"
    traced = Batched
    shows_values = False

    def lift(self, native: Native) -> Any:
        return self.traced(native, False)

    def lower(self, native: Any) -> Native:
        return native._known("a conversion")

    def to_host(self, native: Any) -> np.ndarray[Any, Any]:
        return self.below._library.to_host(native._known("a conversion to NumPy"))

    def describe(self, native: Any) -> str:
        return f"of a batch of {native.value.shape[0]}" if native.batched else "the same in the whole batch"

    def has_rule(self, operation: Operation) -> bool:
        return rule_of(operation) is not None

    def function(self, operation: Operation) -> Callable[..., Any] | None:
        """Return an operation's function of batched arrays; None where it is composed of others."""
        rule = rule_of(operation)
        return None if rule is None else rule(self, operation)

    # -- arrays of the device below -----------------------------------------------------------------------------------

    def values(self, arguments: Any) -> Any:
        """Return nested arguments with the native arrays of the device below."""
        return mapped(arguments, lambda x: x.value, self.traced)

    def array(self, x: Any) -> Array:
        """Return a native array's value as an Array of the device below."""
        return wrap(x.value, self.below)

    def of_ndim(self, x: Any, ndim: int) -> Array:
        """Return an array's value, with axes of length 1 such that it has ``ndim`` axes in each example."""
        array = self.array(x)
        if not x.batched or x.ndim >= ndim:
            return array
        return reshape(array, (array.shape[0], *(1,) * (ndim - x.ndim), *x.shape))

    def expanded(self, x: Any, axes: tuple[int, ...]) -> Any:
        """Return an array with axes of length 1 at some positions of its shape in an example."""
        below = tuple([axis + x.batched for axis in axes])
        return self.results(expand_dims(self.array(x), axis=below), x.batched)

    def results(self, values: Any, batched: bool = True) -> Any:
        """Return results of the device below, Arrays or native arrays, one or several, as native arrays."""
        if values is NotImplemented:
            return NotImplemented
        if isinstance(values, (tuple, list)):
            return tuple([self.results(item, batched) for item in values])
        return self.traced(values._native if values.__class__ is Array else self.normal(values), batched)

    # -- indexing -----------------------------------------------------------------------------------------------------

    def getitem(self, native: Any, key: Any) -> Any:
        return indexing.select(self, native, key)

    def setitem(self, native: Any, key: Any, value: Any) -> Any:
        return indexing.assign(self, native, key, value)
