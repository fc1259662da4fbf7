"""``xtensor.fuse``: one kernel, or as few as its reductions allow, of what a function computes elementwise."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any, Generic, ParamSpec, TypeVar, overload

import numpy as np

from .._core import profiling
from .._core.array import Array, wrap
from .._core.backend import Provider
from .._core.device import Device, use_device
from .._core.errors import describe
from .._core.programs import Generator
from .._core.trees import mapped
from .._core.unknowns import Number
from .plans import Plan, number
from .recording import Node, Traced, recorder_of

__all__ = ["Fused", "fuse"]

P = ParamSpec("P")
R = TypeVar("R")

MOST_PLANS = 256
"""Recordings that a fused function keeps; when there are more, the oldest is dropped."""

_generators: dict[tuple[Provider, str], Generator | None] = {}


def generator_of(device: Device) -> Generator | None:
    """Return a device's generator of kernels; None without one."""
    key = (device._provider, device._spec)  # the hash of a device looks its name up
    try:
        return _generators[key]
    except KeyError:
        return _generators.setdefault(key, device._provider.generator(device._spec))


class _Leaf:
    """The place of an array or a number in nested arguments or results."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class Fused(Generic[P, R]):
    """A function whose elementwise operations are computed by kernels of their own.

    Attributes
    ----------
    __wrapped__
        The function as it was written.
    """

    def __init__(self, function: Callable[P, R], static: Collection[str]) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__ = function
        self._static = frozenset(static)
        self._names: tuple[str, ...] = ()
        if static:
            code = getattr(function, "__code__", None)
            self._names = () if code is None else code.co_varnames[: code.co_argcount]
        self._plans: dict[Any, tuple[Plan, Any]] = {}

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        arrays: list[Array] = []
        numbers: list[complex] = []
        key: list[Any] = []
        if kwargs or self._static:
            self._flatten_call(args, kwargs, arrays, numbers, key)
        else:
            for argument in args:
                if argument.__class__ is Array:
                    native = argument._native
                    key.append(native.dtype)
                    key.append(native.shape)
                    arrays.append(argument)
                else:
                    self._flatten(argument, arrays, numbers, key, static=False)
        if not arrays:
            return self.__wrapped__(*args, **kwargs)
        device = arrays[0]._device
        key.append(id(device))  # a plan keeps its device; the hash of a device is that of its name, which takes longer
        try:
            found = self._plans.get(tuple(key))
        except TypeError as error:
            raise TypeError(
                f"{self.__wrapped__.__name__}(): the arguments of a function of xtensor.fuse are Arrays, numbers, "
                f"nested lists, tuples and dicts of them, and values with a hash; {error}"
            ) from None
        for array in arrays:
            if array._device is not device:
                return self.__wrapped__(*args, **kwargs)
        natives = [array._native for array in arrays]
        if found is None:
            generator = generator_of(device)
            if generator is None or device.native_type is Traced:
                return self.__wrapped__(*args, **kwargs)  # on a recording device, it becomes part of that recording
            found = self._record(generator, device, args, kwargs, natives)
            if len(self._plans) >= MOST_PLANS:
                self._plans.pop(next(iter(self._plans)), None)
            self._plans[tuple(key)] = found
        plan, results = found
        if plan.direct is not None and results.__class__ is Node and profiling.active is None:
            value = plan.direct(natives)
            if value is not None:
                return wrap(value, device)  # type: ignore[return-value]
        values = plan(natives, numbers)
        if results.__class__ is Node and results.kind != "array":
            return wrap(values[results], device)  # type: ignore[return-value]
        return _rebuilt(results, values, arrays, numbers, device)  # type: ignore[no-any-return]

    def _flatten_call(
        self, args: Any, kwargs: Any, arrays: list[Array], numbers: list[complex], key: list[Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        given = [
            self._flatten(argument, arrays, numbers, key, static=place < len(self._names) and self._is_static(place))
            for place, argument in enumerate(args)
        ]
        named = {
            name: self._flatten(value, arrays, numbers, key, static=name in self._static)
            for name, value in kwargs.items()
        }
        key.append(tuple(named))
        return given, named

    def _is_static(self, place: int) -> bool:
        return self._names[place] in self._static

    def _flatten(self, tree: Any, arrays: list[Array], numbers: list[complex], key: list[Any], *, static: bool) -> Any:
        """Collect the arrays and the numbers of an argument; its structure and all else becomes part of the key."""
        kind = tree.__class__
        if kind is Array:
            native = tree._native
            key.append(native.dtype)
            key.append(native.shape)
            arrays.append(tree)
            return _Leaf(len(arrays) - 1)
        if (kind is float or kind is complex) and not static:
            key.append(kind)
            numbers.append(tree)
            return Number(tree, ("argument", len(numbers) - 1))
        if kind in (list, tuple):
            key.append((kind, len(tree)))
            return kind([self._flatten(item, arrays, numbers, key, static=static) for item in tree])
        if kind is dict:
            key.append((kind, tuple(tree)))
            return {name: self._flatten(item, arrays, numbers, key, static=static) for name, item in tree.items()}
        key.append(kind)
        key.append(tree)
        return tree

    def _record(
        self, generator: Generator, device: Device, args: Any, kwargs: Any, natives: list[Any]
    ) -> tuple[Plan, Any]:
        given, named = self._flatten_call(args, kwargs, [], [], [])
        recorder = recorder_of(device, generator)
        made = [wrap(recorder.array(native, index), recorder.device) for index, native in enumerate(natives)]
        arguments = _placed(given, made)
        options = _placed(named, made)
        with use_device(recorder.device), np.errstate(all="ignore"):
            results = self.__wrapped__(*arguments, **options)
        wanted: list[Node] = []
        tree = _described(results, wanted, self.__wrapped__.__name__)
        plan = Plan(wanted, device, generator)
        return plan, mapped(tree, lambda item: plan.same[item] if item.__class__ is Node else item)


def _placed(tree: Any, arrays: list[Array]) -> Any:
    """Return nested arguments with arrays in their places."""
    return mapped(tree, lambda item: arrays[item.index] if item.__class__ is _Leaf else item)


def _described(tree: Any, wanted: list[Node], name: str) -> Any:
    """Return nested results with nodes in the places of arrays."""

    def described(item: Any) -> Any:
        if item.__class__ is Array:
            native = item._native
            if native.__class__ is not Traced:
                return item  # of another device
            wanted.append(native.node)
            return native.node
        if item is None or isinstance(item, (bool, int, float, complex, str, np.dtype, Number)):
            return item
        raise TypeError(f"{name}(): a function of xtensor.fuse returns Arrays and numbers, not {describe(item)}")

    return mapped(tree, described)


def _rebuilt(tree: Any, values: Any, arrays: list[Array], numbers: list[complex], device: Device) -> Any:
    """Return nested results with the arrays of a call."""
    made: dict[Node, Array] = {}

    def rebuilt(item: Any) -> Any:
        if item.__class__ is Node:
            if item.kind == "array":
                return arrays[item.options]
            if item not in made:
                made[item] = wrap(values[item], device)
            return made[item]
        return number(item.node, numbers) if item.__class__ is Number else item

    return mapped(tree, rebuilt)


@overload
def fuse(function: Callable[P, R], /, *, static: Collection[str] = ()) -> Fused[P, R]: ...


@overload
def fuse(*, static: Collection[str] = ()) -> Callable[[Callable[P, R]], Fused[P, R]]: ...


def fuse(function: Any = None, /, *, static: Collection[str] = ()) -> Any:
    """Make a function that computes the elementwise operations of another one in as few kernels as possible.

    The function is recorded at its first call with arguments of certain shapes and dtypes: it runs once, as written.
    Later calls replay the recording: neighbouring elementwise operations are one pass over memory, and a reduction
    takes the operations before it into its own pass. Products of matrices, sorting and other functions are called in
    between.

    Parameters
    ----------
    function
        A function of Arrays, numbers, and nested lists, tuples and dicts of them. Arguments of the classes float and
        complex may change from call to call; those of other classes, int among them, are part of what is recorded.
    static
        Names of arguments of the class float or complex whose values the function looks at.

    Returns
    -------
    Fused
        A function of the same arguments. Its results are those of ``function`` up to the last digits, as kernels and
        the library may round differently. Floating-point warnings are not issued. On a device without a generator of
        kernels it calls ``function``.

    Raises
    ------
    TypeError
        When the function is recorded, if it looks at a value of an array or of a number (``if x > 0``), writes to an
        argument, or returns something else than Arrays and numbers. Errors of the function itself are raised as they
        are.

    Examples
    --------
    >>> import xtensor as xp
    >>> @xp.fuse
    ... def length(x, y):
    ...     return xp.sqrt(x * x + y * y)
    >>> length(xp.asarray([3.0]), xp.asarray([4.0]))
    Array([5.])
    """
    if function is None:
        return lambda function: fuse(function, static=static)
    if not callable(function):
        raise TypeError(f"fuse() takes a function, not {describe(function)}")
    return Fused(function, (static,) if isinstance(static, str) else static)
