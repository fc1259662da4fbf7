"""Functions whose derivatives the user gives, and functions that are computed again in the pass back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, TypeVar

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import wrap
from .._core.checks import check_function
from .._core.device import Device
from .._core.errors import describe
from .._core.levels import lifted, lowered, running
from .._core.repeats import Repeats
from .._core.tree_copies import Copies
from .._core.trees import flatten, map_leaves
from .._vmap import vmap
from .._vmap.batching import Batching
from ._arguments import arrays_of
from ._copies import by_value, fresh
from ._record import wrapped
from ._table import Derivative
from ._transform import Transform
from ._transforms import pulled_with_masks, stop_gradient

__all__ = ["Context", "Function", "checkpoint", "differentiated_by", "highest_transform", "with_derivative_of"]

F = TypeVar("F", bound=Callable[..., Any])


def differentiated_by(
    name: str,
    compute: Callable[..., Any],
    pull: Callable[..., Any],
    arrays: list[Array],
    masked: Callable[..., Any] | None = None,
) -> Any:
    """Return the result of a function of Arrays that a transform follows by a pullback of its own.

    Parameters
    ----------
    name
        The function's name, for messages.
    compute
        Function of Arrays that returns an Array or a tuple of Arrays.
    pull
        Function of the cotangent, the result and the Arrays, which returns a tuple of their cotangents.
    arrays
        The Arrays.
    masked
        Function of the cotangent, its mask of connected elements, the result and the Arrays, which returns the
        cotangents of the Arrays and their masks. Without it all elements of the Arrays count as connected.
    """
    device = highest_transform(arrays)
    if device is None:
        return compute(*arrays)
    transform, base = device._library, device.base
    assert isinstance(transform, Transform)
    assert base is not None

    def on_base(*natives: Any) -> Any:
        with running(base):
            result = compute(*[wrap(by_value(native, base), base) for native in natives])  # it may write to them
        return (
            tuple([_native(y, base, name) for y in result])
            if isinstance(result, tuple)
            else _native(result, base, name)
        )

    row = Derivative(name)
    row.pullback, row.several, row.keeps_result, row.views, row.calls_users = pull, True, True, True, True
    row.kept, row.masked, row.selects = frozenset(range(len(arrays))), masked, masked is not None
    result = transform.general(row, on_base)(*[lifted(x, device)._native for x in arrays])
    return wrapped(result, device)


def highest_transform(arrays: Sequence[Array]) -> Device | None:
    """Return the device of the innermost transform of some Arrays that differentiates; None without one."""
    device: Device | None = None
    for x in arrays:
        if isinstance(x._device._library, Transform) and (device is None or x._device.level > device.level):
            device = x._device
    return device


def differentiated_batches(arrays: Sequence[Array]) -> Device | None:
    """Return the device of some Arrays if it is one of batches that stands on a transform that differentiates."""
    device = max([x._device for x in arrays], key=lambda device: device.level, default=None)
    if device is None or not isinstance(device._library, Batching):
        return None
    below = device.base
    while below is not None and not isinstance(below._library, Transform):
        below = below.base
    return None if below is None else device


def of_examples(name: str, compute: Callable[..., Any], pull: Callable[..., Any], arrays: list[Array]) -> Any:
    """Return what :func:`differentiated_by` returns, in a batch also: one function of the arrays of all examples."""
    device = differentiated_batches(arrays)
    if device is None:
        return differentiated_by(name, compute, pull, arrays)
    library, below = device._library, device.base
    assert isinstance(library, Batching)
    assert below is not None
    natives = [lifted(x, device)._native for x in arrays]
    values = [wrap(native.value, below) for native in natives]
    axes = tuple([0 if native.batched else None for native in natives])
    if not any(native.batched for native in natives):
        return map_leaves(lambda y: wrap(library.lift(y._native), device), of_examples(name, compute, pull, values))

    def pulled(g: Any, out: Any, *values: Array) -> tuple[Array | None, ...]:
        parts = g if isinstance(g, tuple) else (g,)
        is_used: list[bool] = []

        def of_example(given: list[Array], out: Any, values: tuple[Array, ...]) -> list[Array]:
            rest = iter(given)
            cotangents = tuple([None if part is None else next(rest) for part in parts])
            gradients = pull(cotangents if isinstance(g, tuple) else cotangents[0], out, *values)
            is_used[:] = [part is not None for part in gradients]
            return [part for part in gradients if part is not None]

        gradients = iter(
            vmap(of_example, in_axes=(0, 0, axes))([part for part in parts if part is not None], out, values)
        )
        cotangents = [next(gradients) if used else None for used in is_used]
        return tuple(
            [
                part if part is None or axis == 0 else xp.sum(part, axis=0, dtype=part.dtype)
                for part, axis in zip(cotangents, axes, strict=True)
            ]
        )

    result = of_examples(name, vmap(compute, in_axes=axes), pulled, values)
    return map_leaves(lambda y: wrap(library.results(y), device), result)


def _native(y: Any, base: Device, name: str) -> Any:
    if y.__class__ is not Array:
        raise TypeError(f"{name}() returns Arrays, not {describe(y)}")
    while y._device.level > base.level:
        transform = y._device._library
        if isinstance(transform, Transform) and not transform.is_constant(y._native):
            raise ValueError(
                f"{name}() uses an Array that is differentiated and that is not among its arguments; pass it as an "
                "argument"
            )
        y = lowered(y, y._device)
    return by_value(lifted(y, base)._native, base)


def with_derivative_of(other: Array, value: Array) -> Array:
    """Return the value of one Array with the derivative of another one, of the same shape and dtype."""
    device = differentiated_batches([other, value])
    if device is not None:
        library, below = device._library, device.base
        assert isinstance(library, Batching)
        assert below is not None
        pair = [lifted(x, device)._native for x in (other, value)]
        values = xp.broadcast_arrays(*[wrap(native.value, below) for native in pair])  # one may be that of all examples
        joined = with_derivative_of(values[0], values[1])
        return wrap(library.results(joined, any(native.batched for native in pair)), device)

    def compute(other: Array, value: Array) -> Array:
        return value

    def pull(g: Array, out: Array, other: Array, value: Array) -> tuple[Array, None]:
        return g, None

    def masked(g: Array, mask: Array | None, out: Array, other: Array, value: Array) -> tuple[Any, Any]:
        return (g, None), (mask, None)

    return differentiated_by("with_derivative_of", compute, pull, [other, value], masked)  # type: ignore[no-any-return]


class Context:
    """Data that a :class:`Function` hands from ``forward`` to ``backward``; it takes attributes of any name.

    Attributes
    ----------
    saved_tensors
        The Arrays given to :meth:`save_for_backward`.
    """

    def __init__(self) -> None:
        self.saved_tensors: tuple[Any, ...] = ()

    def save_for_backward(self, *arrays: Any) -> None:
        """Keep Arrays for ``backward``."""
        self.saved_tensors = arrays


def _data_on(device: Device, context: Context) -> Context:
    """Return the data for ``backward`` on a device; in a batch it may stand on other transforms than ``forward``'s."""
    if not isinstance(device._library, Batching):
        return context
    moved = Context()
    moved.__dict__.update({name: map_leaves(partial(_in_batch, device), x) for name, x in vars(context).items()})
    return moved


def _in_batch(device: Device, x: Any) -> Any:
    """Return an Array of a batch on a device of batches that stands on further transforms."""
    if x.__class__ is not Array or not isinstance(x._device._library, Batching):
        return x
    below: Device | None = device
    while below is not None:
        if below is x._device:  # the batch is one of those that the device stands on, for example under a Jacobian's
            return x
        below = below.base
    library, below = device._library, device.base
    if not isinstance(library, Batching) or below is None:
        return x
    value = _in_batch(below, lowered(x, x._device))
    return wrap(library.results(lifted(value, below), x._native.batched), device)


class Function:
    """A function with a derivative that is given, in the manner of PyTorch.

    A subclass defines ``forward(ctx, *args)``, which computes the result, an Array or a tuple of Arrays, and
    ``backward(ctx, *cotangents)``, which returns a cotangent or None for each argument. Call it by ``apply``. Both
    receive Arrays without the transform that differentiates the function, so that what they compute is not recorded.

    Examples
    --------
    >>> import xtensor as xp
    >>> from xtensor import autograd
    >>> class Cube(autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return 3 * x**2 * g
    >>> autograd.grad(Cube.apply)(xp.asarray(2.0))
    Array(12.)
    """

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        """Compute the result."""
        raise NotImplementedError("a subclass of autograd.Function defines forward(ctx, *args)")

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        """Return a cotangent or None for each argument of ``forward``."""
        raise NotImplementedError("a subclass of autograd.Function defines backward(ctx, *cotangents)")

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Return the result for arguments, through which derivatives are taken by ``backward``."""
        context = Context()
        positions = [position for position, arg in enumerate(args) if arg.__class__ is Array]

        def compute(*arrays: Array) -> Any:
            given = list(args)
            for position, x in zip(positions, arrays, strict=True):
                given[position] = x
            return cls.forward(context, *given)

        def pull(g: Any, out: Any, *arrays: Array) -> tuple[Any, ...]:
            given = [part if part is None else fresh(part) for part in (g if isinstance(g, tuple) else (g,))]
            results = cls.backward(_data_on(arrays_of(given)[0]._device, context), *given)
            results = results if isinstance(results, tuple) else (results,)
            if len(results) != len(args):
                raise ValueError(
                    f"{cls.__name__}.backward() returns a cotangent or None for each of the {len(args)} arguments of "
                    f"forward, not {len(results)}"
                )
            return tuple([results[position] for position in positions])

        arrays = [args[position] for position in positions]
        return of_examples(cls.__name__, compute, pull, arrays)


def checkpoint(f: F) -> F:
    """Return a function that keeps its arguments only, and is computed again in the pass back.

    The memory that ``f`` needs for its derivative is then needed only while that is computed. Generators draw the same
    random numbers again.

    Parameters
    ----------
    f
        Function of Arrays or of nested containers of them that returns the same. The Arrays that are differentiated are
        among its arguments, not variables of the enclosing scope.
    """
    check_function(f, "checkpoint")
    name = getattr(f, "__name__", type(f).__name__)

    @wraps(f)
    def computed_again(*args: Any, **kwargs: Any) -> Any:
        leaves = flatten((args, kwargs))[0]
        positions = [position for position, leaf in enumerate(leaves) if leaf.__class__ is Array]
        structure: list[Any] = []
        repeats = Repeats()

        def compute(*arrays: Array) -> Any:
            copies, given = Copies(), list(leaves)
            for position, x in zip(positions, arrays, strict=True):
                given[position] = x
            positional, named = flatten((args, kwargs), copies.originals)[1].build(given, copies.copies)
            copies.begin()
            with repeats.computing():
                output = f(*positional, **named)
            if not structure:  # what is assigned when it is computed again is discarded
                copies.write_back(stop_gradient)
            outputs, output_tree = flatten(output)
            structure[:] = [outputs, output_tree]
            return tuple([y for y in outputs if y.__class__ is Array])

        def masked(
            g: tuple[Array | None, ...], mask: tuple[Array | None, ...] | None, out: Any, *arrays: Array
        ) -> tuple[list[Any], list[Any]]:
            floating = [position for position, x in enumerate(arrays) if x.dtype.kind in "fcV"]

            def of_floating(*values: Array) -> Any:
                given = list(arrays)
                for position, x in zip(floating, values, strict=True):
                    given[position] = x
                return tuple([y for y, part in zip(compute(*given), g, strict=True) if part is not None])

            pairs: list[Any] = [pair for pair in zip(g, mask or (None,) * len(g), strict=True) if pair[0] is not None]
            parts, connected = (tuple([pair[i] for pair in pairs]) for i in (0, 1))
            results = pulled_with_masks(
                of_floating, tuple([arrays[position] for position in floating]), parts, connected
            )
            cotangents: list[Any] = [None] * len(arrays)
            masks: list[Any] = [None] * len(arrays)
            for position, part, connected_part in zip(floating, *results, strict=True):
                cotangents[position], masks[position] = part, connected_part
            return cotangents, masks

        def pull(g: tuple[Array | None, ...], out: Any, *arrays: Array) -> list[Any]:
            return masked(g, None, out, *arrays)[0]

        results = iter(differentiated_by(name, compute, pull, [leaves[position] for position in positions], masked))
        outputs, output_tree = structure
        return output_tree.build([next(results) if y.__class__ is Array else y for y in outputs])

    return computed_again  # type: ignore[return-value]
