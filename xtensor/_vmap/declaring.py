"""Declaration of rules of batching, and what the rules have in common.

A rule is a function of the batching device and an operation; it returns the operation's function of batched native
arrays. It moves the axes that the arguments name behind the axis of the batch, and calls the operation's public
function once. An operation without a rule is composed of others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core import operations
from .._core.array import Array
from .._core.operations import Operation
from .._core.tracer import at_caller
from .._core.trees import arrays_of

if TYPE_CHECKING:
    from .batching import Batching

__all__ = [
    "RULES",
    "Function",
    "Rule",
    "batch_of",
    "batched",
    "behind",
    "each_batched",
    "given",
    "is_batched",
    "of_constants",
    "public_function",
    "refused",
    "rule",
    "size_of",
]

Function = Callable[..., Any]
Rule = Callable[["Batching", Operation], Function]


def public_function(operation: Operation) -> Function:
    """Return the public function of an operation."""
    attribute: Any = operations.namespace
    *chapters, name = operation.name.split(".")
    for part in [*(["nn", "functional"] if chapters == ["nn"] else chapters), name]:
        attribute = getattr(attribute, part)
    return attribute  # type: ignore[no-any-return]


def refused(reason: str) -> Rule:
    """Return the rule of an operation that batches do not have."""

    def rule(batching: Batching, operation: Operation) -> Function:
        constant = of_constants(batching, operation)

        def function(*args: Any, **options: Any) -> Any:
            if any(x.batched for x in arrays_of((args, options), batching.traced)):
                raise NotImplementedError(f"{operation.label}() has no batches in xtensor.vmap{at_caller()}: {reason}")
            return constant(*args, **options)

        return function

    return rule


def of_constants(batching: Batching, operation: Operation) -> Function:
    """Return an operation's function of arrays that are the same in each example."""
    implementation = batching.below.table[operation.index]

    def function(*args: Any, **options: Any) -> Any:
        result = implementation.function(*batching.values(args), **batching.values(options))
        return batching.results(result, False)

    return function


def rule(*names: str) -> Callable[[Function], Function]:
    """Declare the rule of operations by what :func:`batched` takes."""

    def declare(compute: Function) -> Function:
        for name in names:
            RULES[name] = batched(compute)
        return compute

    return declare


def batched(compute: Function) -> Rule:
    """Return the rule by a function of the batching device, the public function, and the arguments.

    It is called where an array among the arguments is batched.
    """

    def rule(batching: Batching, operation: Operation) -> Function:
        constant, public = of_constants(batching, operation), public_function(operation)

        def function(*args: Any, **options: Any) -> Any:
            if any(x.batched for x in arrays_of((args, options), batching.traced)):
                return batching.results(compute(batching, public, *args, **options))
            return constant(*args, **options)

        return function

    return rule


RULES: dict[str, Rule] = {}


def is_batched(x: Any) -> bool:
    return getattr(x, "batched", False) is True


def size_of(arrays: Sequence[Any]) -> int:
    """Return the number of examples of arrays, at least one of which is batched."""
    return next(int(x.value.shape[0]) for x in arrays if is_batched(x))


def behind(axis: Any, ndim: int) -> Any:
    """Return axes of an example as axes of the batch; None stands for all of them."""
    if axis is None:
        return tuple(range(1, ndim + 1))
    if isinstance(axis, (tuple, list)):
        return tuple([number % ndim + 1 for number in axis]) if ndim else ()
    return axis % ndim + 1 if ndim else 1


def each_batched(batching: Batching, arrays: Sequence[Any]) -> list[Array]:
    """Return arrays with a first axis of the length of the batch."""
    size = size_of(arrays)
    return [batch_of(batching, x, size) for x in arrays]


def batch_of(batching: Batching, x: Any, size: int) -> Array:
    array = batching.array(x)
    return array if x.batched else xp.broadcast_to(array, (size, *x.shape))


def given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
