"""Draws of random numbers in a function of one example, as a loop over the examples would draw them.

A generator from outside gives independent numbers for each example. One that the function makes itself, from a seed,
gives the same numbers for each.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeAlias

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import wrap
from .._core.device import Device
from .._core.levels import lifted
from .._core.trees import leaves_of, mapped

__all__ = ["Batch", "examples", "for_each_example", "present_batches"]

Batch: TypeAlias = tuple[Device, int]
"""The batching device of one call, and its number of examples."""

_batches: ContextVar[tuple[Batch, ...]] = ContextVar("xtensor_batches", default=())
"""The calls that are going on, the outermost first."""

OF_SEVERAL_NUMBERS = frozenset(
    ("choice", "multivariate_normal", "dirichlet", "multinomial", "multivariate_hypergeometric")
)
"""Methods whose parameters are arrays as a whole, so that the shape of the values does not follow from theirs."""


def present_batches() -> tuple[Batch, ...]:
    """Return the calls that are going on, the outermost first: a stream keeps those in which it was made."""
    return _batches.get()


@contextmanager
def examples(device: Device, size: int) -> Iterator[None]:
    """Tell draws inside that they are made for each of some examples."""
    before = _batches.get()
    try:
        _batches.set((*before, (device, size)))  # an interrupt is raised once this is done
        yield
    finally:
        _batches.set(before)


def for_each_example(method: Callable[..., Any]) -> Callable[..., Any]:
    """Make a method of a generator that draws for each example, where it is called in a function of one."""
    name, signature = method.__name__, inspect.signature(method)

    @wraps(method)
    def draw(self: Any, *args: Any, **options: Any) -> Any:
        batches = _batches.get()
        if not batches:
            return method(self, *args, **options)
        if any(batch is batches[-1] for batch in self.bit_generator.made_in):
            if any(_is_batched(x, batches[-1][0]) for x in leaves_of((args, options))):
                raise NotImplementedError(
                    f"{name}() with arguments that differ from example to example has no batches in xtensor.vmap where "
                    "the function makes the generator; make the generator outside of it, or compute with numbers of a "
                    "standard distribution: mean + deviation * rng.standard_normal(n)"
                )
            return method(self, *args, **options)
        if "size" not in signature.parameters or (name == "choice" and options.get("replace", len(args) < 3) is False):
            raise NotImplementedError(
                f"{name}() has no batches in xtensor.vmap; call it outside, or sort random numbers: "
                "xtensor.argsort(rng.random(n))"
            )
        device, size = batches[-1]
        try:
            _batches.set(batches[:-1])
            return _drawn(draw, self, args, options, device, size, signature)
        finally:
            _batches.set(batches)

    return draw


def _drawn(
    draw: Callable[..., Any],
    generator: Any,
    args: tuple[Any, ...],
    options: dict[str, Any],
    device: Device,
    size: int,
    signature: inspect.Signature,
) -> Array:
    given = signature.bind(generator, *args, **options)
    arguments = given.arguments
    if arguments.get("out") is not None:
        raise NotImplementedError(f"{draw.__name__}(out=...) has no batches in xtensor.vmap; assign the result")
    shape: Any = arguments.get("size")
    parameters = [value for key, value in arguments.items() if key != "self"]
    batched = [x for x in parameters if _is_batched(x, device)]
    if draw.__name__ in OF_SEVERAL_NUMBERS:
        if batched:
            raise NotImplementedError(f"{draw.__name__}() has no batches of parameters in xtensor.vmap")
        natural: tuple[int, ...] = ()
    else:
        natural = np.broadcast_shapes(*[np.shape(x) if x.__class__ is not Array else x.shape for x in parameters])
    if shape is None:
        shape = natural
    wanted = tuple(shape) if hasattr(shape, "__iter__") else (int(shape),)

    def below(x: Any) -> Any:
        if x._device is not device:
            return x
        native, base = x._native, device.base
        assert base is not None
        array = wrap(native.value, base)
        if not native.batched:
            return array
        return xp.reshape(array, (array.shape[0], *(1,) * (len(wanted) - native.ndim), *native.shape))

    for key, value in arguments.items():
        if key != "self":
            arguments[key] = mapped(value, below, Array)
    arguments["size"] = (size, *wanted)
    result = draw(*given.args, **given.kwargs)
    assert device.base is not None
    return wrap(device.native_type(lifted(result, device.base)._native, True), device)


def _is_batched(x: Any, device: Device) -> bool:
    return x.__class__ is Array and x._device is device and x._native.batched
