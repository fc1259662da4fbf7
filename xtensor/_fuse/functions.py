"""Fused functions: from a call's arguments to a recording, and from its values to the results."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Any, Generic, ParamSpec, SupportsIndex, TypeVar

import numpy as np

from .._core import profiling
from .._core.array import Array
from .._core.backend import Provider
from .._core.calls import wrap
from .._core.device import Device
from .._core.devices import use_device
from .._core.kernel_program import Generator
from .._core.tracing_errors import UnknownValueError, unknown
from .._core.tree_copies import Copies
from .._core.trees import Memo
from .donations import Donation
from .explanations import described
from .flattening import Flattened, drop_oldest, filled
from .guards import Guards
from .nodes import Node, Session, Traced, is_root, session
from .patterns import Key, Pattern
from .plans import ChangedArrayError, Plan, ReplayError
from .recording import Recorder, recorder_of
from .results import Results, separated
from .watching import Watch, collecting_no_garbage

__all__ = ["Fused", "check_names", "generator_of"]

P = ParamSpec("P")
R = TypeVar("R")

MOST_PLANS = 256
"""Arguments for which a fused function keeps recordings; when there are more, the oldest is dropped."""

MOST_VARIANTS = 8
"""Recordings for the same arguments and other values from outside; when there are more, the oldest is dropped."""

MOST_FAILURES = 8
"""Replays in a row that may fail, after each of which the function itself computes; then it computes at once."""

_generators: dict[tuple[Provider, str], Generator | None] = {}


def generator_of(device: Device) -> Generator | None:
    """Return a device's generator of kernels; None without one."""
    key = (device._provider, device._spec)  # the hash of a device looks its name up
    try:
        return _generators[key]
    except KeyError:
        return _generators.setdefault(key, device._provider.generator(device._spec))


class Recorded:
    """A recording: its plan, its results, and what it depends on.

    Attributes
    ----------
    plan
        The kernels and calls.
    results
        The results that it makes of the plan's values.
    arithmetic
        The arithmetic of the numbers among the arguments.
    guards
        The values from outside that it depends on; None without one.
    streams
        The streams of random numbers from which it draws.
    layouts
        How the arguments lie in memory, where it depends on that; otherwise None.
    exponents
        The numbers that are exponents, see :class:`~xtensor._fuse.nodes.Session`.
    failures
        The number of replays in a row after which the function itself had to compute. From ``MOST_FAILURES`` on it
        computes at once, and where the shape or dtype of an array was another one in a call.
    """

    __slots__ = ("arithmetic", "direct", "exponents", "failures", "guards", "layouts", "plan", "results", "streams")

    def __init__(
        self, plan: Plan, results: Results, current: Session, guards: Guards | None, natives: Sequence[Any]
    ) -> None:
        self.plan, self.results = plan, results
        self.arithmetic, self.guards = current.arithmetic, guards
        self.streams = [stream for stream, _ in current.streams.values()]
        self.direct = plan.direct if results.single and not current.arithmetic.steps else None
        self.failures = 0
        self.layouts = _layouts(natives) if current.reads_layouts else None
        self.exponents = current.exponents

    def holds(self, natives: Sequence[Any], numbers: list[complex]) -> bool:
        """Whether layouts and exponents among the arguments, and values from outside, are the same where it asks."""
        if self.exponents:
            values = self.arithmetic.values(numbers)
            if any(is_root(values[index]) != root for index, root in self.exponents):
                return False
        if self.layouts is not None and self.layouts != _layouts(natives):
            return False
        return self.guards is None or self.guards.hold()

    def replay(
        self,
        arrays: Sequence[Array | None],
        natives: list[Any],
        numbers: list[complex],
        objects: Memo | None,
        device: Device,
        give_up: Callable[[], Any] | None = None,
    ) -> Any:
        """Return the results for some arguments, and set what the function assigns to attributes of objects.

        Raises
        ------
        ReplayError
            The function has to compute.
        """
        values = self.arithmetic.values(numbers) if numbers else numbers
        states = [(stream, stream.state) for stream in self.streams]
        try:
            computed = self.plan(natives, values, give_up)
        except ReplayError as error:
            self.failures = MOST_FAILURES if isinstance(error, ChangedArrayError) else self.failures + 1
            for stream, state in states:
                stream.state = state
            raise
        self.failures = 0
        return self.results(computed, arrays, values, () if objects is None else objects.items, device)


class Fused(Generic[P, R]):
    """A function whose elementwise operations are computed by kernels of their own.

    Attributes
    ----------
    __wrapped__
        The function as it was written.
    """

    def __init__(
        self, function: Callable[P, R], static: Collection[str], donate: Collection[str] = (), *, guarded: bool = True
    ) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__ = function
        self._name = getattr(function, "__name__", type(function).__name__)
        self._guarded = guarded
        self._static, self._donate = frozenset(static), frozenset(donate)
        self._names = _positional(function) if static or donate else ()
        self._plans: dict[Any, list[Recorded]] = {}
        self._patterns: dict[Key, Pattern | None] = {}

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        """Pickle by name, as functions are, where the name is this function's; by value otherwise.

        cloudpickle takes the functions of ``__main__`` by value, for processes that do not import it.
        """
        name = getattr(self, "__qualname__", "")
        found: Any = sys.modules.get(self.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        return name if found is self and self.__module__ != "__main__" else super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without the recordings, whose kernels and devices are this process's."""
        return {**vars(self), "_plans": {}, "_patterns": {}}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if self._guarded and session.get() is not None:
            return self.__wrapped__(*args, **kwargs)  # within a recording, it becomes part of that
        arrays: list[Array] = []
        key: list[Any] = []
        flat: Flattened | None = None
        if kwargs or self._static or self._donate:
            flat = Flattened(self._name, arrays, key)
            for index, argument in enumerate(args):
                flat.recognize(argument, self._patterns, static=self._is_static(index))
            for name, value in kwargs.items():
                flat.recognize(value, self._patterns, static=name in self._static)
            key.append(tuple(kwargs))
        else:
            for argument in args:
                if argument.__class__ is Array:
                    native = argument._native
                    key.append(native.dtype)
                    key.append(native.shape)
                    arrays.append(argument)
                else:
                    flat = Flattened(self._name, arrays, key) if flat is None else flat
                    flat.recognize(argument, self._patterns, static=False)
        numbers, objects = ([], None) if flat is None else (flat.numbers, flat.objects)
        if not arrays:
            return self.__wrapped__(*args, **kwargs)
        if self._donate:
            return self._call_with_donations(args, kwargs, arrays, numbers, key, objects)  # type: ignore[arg-type]
        device = arrays[0]._device
        natives = [array._native for array in arrays]
        recorded = self._recorded(args, kwargs, arrays, natives, numbers, key)
        if recorded is None:
            return separated(self.__wrapped__(*args, **kwargs), arrays)  # type: ignore[no-any-return]
        if recorded.direct is not None and profiling.active is None:
            value = recorded.direct(natives)
            if value is not None:
                return wrap(value, device)  # type: ignore[return-value]
        if recorded.failures < MOST_FAILURES:
            with contextlib.suppress(ReplayError):
                return recorded.replay(arrays, natives, numbers, objects, device)  # type: ignore[no-any-return]
        return separated(self.__wrapped__(*args, **kwargs), arrays, recorded.results)  # type: ignore[no-any-return]

    def _recorded(
        self,
        args: Any,
        kwargs: Any,
        arrays: Sequence[Array],
        natives: list[Any],
        numbers: list[complex],
        key: list[Any],
    ) -> Recorded | None:
        """Return the recording for some arguments, made now where there is none; None where the function computes."""
        device = arrays[0]._device
        key.append(id(device))  # a plan keeps its device; the hash of a device is that of its name, which takes longer
        for array in arrays:
            if array._device is not device:
                return None
        signature = tuple(key)
        for recorded in self._plans.get(signature, ()):
            if recorded.holds(natives, numbers):
                return recorded
        generator = generator_of(device)
        if generator is None:
            return None
        with collecting_no_garbage():
            made = self._record(generator, device, args, kwargs, natives)
        if made is not None:
            self._keep(signature, made)
        return made

    def _call_with_donations(
        self, args: Any, kwargs: Any, arrays: list[Array], numbers: list[complex], key: list[Any], objects: Memo
    ) -> R:
        """Call the function, and take the memory of the donated arguments away from the caller.

        A replay gives it up as soon as no operation reads it any more and none may decline, so that later results
        take it.
        """
        donation = Donation(self._donated(args, kwargs))
        natives = [array._native for array in arrays]
        recorded = self._recorded(args, kwargs, arrays, natives, numbers, key)
        if recorded is not None and recorded.failures < MOST_FAILURES:
            donation.limit(recorded.results.assigned, objects.items)
            given = donation.take(arrays, natives, recorded.results.returned)
            try:
                return recorded.replay(given, natives, numbers, objects, recorded.plan.device, donation.surrender)  # type: ignore[no-any-return]
            except ReplayError as error:
                if donation.surrendered:
                    raise error.__cause__ or error from None
                donation.give_back()
            except BaseException:
                donation.give_back()
                raise
        result = separated(self.__wrapped__(*args, **kwargs), arrays, None if recorded is None else recorded.results)
        donation.finish(result, (args, kwargs))
        return result  # type: ignore[no-any-return]

    def _donated(self, args: Any, kwargs: Any) -> list[Any]:
        """Return the arguments that are donated."""
        return [
            *[value for name, value in zip(self._names, args, strict=False) if name in self._donate],
            *[value for name, value in kwargs.items() if name in self._donate],
        ]

    def _keep(self, signature: Any, recorded: Recorded) -> None:
        self._plans[signature] = [recorded, *self._plans.get(signature, ())][:MOST_VARIANTS]
        drop_oldest(self._plans, MOST_PLANS)

    def explained(self, args: Any, kwargs: Any) -> str:
        """Return a text that tells what the recording for some arguments consists of."""
        flat = Flattened(self._name)
        self._flatten(args, kwargs, flat)
        arrays, numbers = flat.arrays, flat.numbers
        generator = generator_of(arrays[0]._device) if arrays else None
        if generator is None or any(array._device is not arrays[0]._device for array in arrays):
            where = (
                f"the device {arrays[0]._device} has no generator of kernels" if arrays else "no argument is an Array"
            )
            where = where if generator is None else "the arguments are on several devices"
            return f"{self._name}() is called as it is: {where}"
        natives, lines = [array._native for array in arrays], dict[Node, str]()
        try:
            with collecting_no_garbage():
                recorded = self._record(generator, arrays[0]._device, args, kwargs, natives, lines)
        except UnknownValueError as error:
            return f"{self._name}() cannot be recorded: {error}"
        if recorded is None:
            return f"{self._name}() is called as it is: it cannot be recorded with the values of these arguments"
        return described(
            self._name, recorded.plan, recorded.guards, lines, natives, recorded.arithmetic.values(numbers)
        )

    def _is_static(self, index: int) -> bool:
        return index < len(self._names) and self._names[index] in self._static

    def _flatten(self, args: Any, kwargs: Any, flat: Flattened) -> tuple[list[Any], dict[str, Any]]:
        """Return the structures of the arguments."""
        given = [flat.add(argument, static=self._is_static(index)) for index, argument in enumerate(args)]
        return given, {name: flat.add(value, static=name in self._static) for name, value in kwargs.items()}

    # -- recordings ---------------------------------------------------------------------------------------------------

    def _record(
        self,
        generator: Generator,
        device: Device,
        args: Any,
        kwargs: Any,
        natives: list[Any],
        lines: dict[Node, str] | None = None,
    ) -> Recorded | None:
        """Return the recording for some arguments; None where the function has to compute, see :func:`rarely`."""
        recorder = recorder_of(device, generator)
        copies = Copies()
        flat = Flattened(self._name, objects=copies.originals)
        given, numbers = self._flatten(args, kwargs, flat), flat.numbers
        arguments = [wrap(recorder.array(native, index), recorder.device) for index, native in enumerate(natives)]
        current = Session(self._watch(args, kwargs))
        current.lines = lines
        known = [current.arithmetic.argument(value) for value in numbers]
        try:
            copied = filled(given, arguments, known, copies)
            copies.begin()
            values = self._run(recorder, current, *copied)
        except UnknownValueError:
            raise
        except Exception as error:
            if numbers:
                # It may be one of a function that takes no number of a recording in the place of a float.
                arguments = [
                    wrap(recorder.array(native, index), recorder.device) for index, native in enumerate(natives)
                ]
                again = Session(self._watch(args, kwargs))
                try:
                    self._run(recorder, again, *filled(given, arguments, numbers, Copies()))
                except Exception:
                    if not current.assumed:
                        raise
                else:
                    message = f"the value of one of the numbers {', '.join(map(repr, numbers))} among the arguments"
                    raise unknown(message, "name the argument in static= of xtensor.fuse") from error
            if not current.assumed:
                raise
            # Where a condition holds that the recording takes for false, the function raises an error of its own.
            for stream, state in current.streams.values():
                stream.state = state
            return None
        for stream, state in current.streams.values():
            stream.state = state
        watch = current.watch
        results = Results(values, copies, arguments, watch, self._name)
        guards = None if watch is None else watch.finish(self._name, current.computed)
        effects = [*current.effects, *current.shapes]
        plan = Plan(
            results.nodes, device, generator, effects=effects, checks=current.assumed, together=current.together
        )
        results.bind(plan)
        return Recorded(plan, results, current, guards if guards is not None and guards.needed else None, natives)

    def _watch(self, args: Any, kwargs: Any) -> Watch | None:
        if not self._guarded:
            return None
        watch = Watch(lambda array: array._native.__class__ is Traced)
        watch.visit(self.__wrapped__, self._name)
        watch.visit_arguments((args, kwargs))
        return watch

    def _run(self, recorder: Recorder, current: Session, args: Any, kwargs: Any) -> Any:
        """Call the function with arrays and numbers that record what is done with them."""
        before = session.get()
        try:
            session.set(current)  # an interrupt is raised once this is done
            with use_device(recorder.device), np.errstate(all="ignore"):
                if current.watch is None:
                    return self.__wrapped__(*args, **kwargs)
                return current.watch.run(self.__wrapped__, args, kwargs)
        finally:
            session.set(before)


def _layouts(natives: Sequence[Any]) -> list[Any]:
    """Return how arrays lie in memory; None for one without strides."""
    return [getattr(native, "strides", None) for native in natives]


def check_names(function: Callable[..., Any], settings: dict[str, Collection[str]]) -> None:
    """Raise ValueError for a setting that names no parameter of a function."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for setting, names in settings.items():
        for name in names:
            if name not in parameters:
                raise ValueError(
                    f"fuse(): {setting}= names {name!r}, which is no parameter of the function; it has "
                    f"{', '.join(parameters) or 'none'}"
                )


def _positional(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the parameters that may be given by position."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple([parameter.name for parameter in parameters if parameter.kind in kinds])
