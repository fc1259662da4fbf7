"""Levels: transforms that calls nest on, such as ``grad``, ``jvp`` and ``vmap``.

A call stands on the transforms of the calls that are going on around it, so that what it computes is itself followed by
them: the derivative of ``lambda x: x * grad(lambda y: x * y)(2.0)`` takes the inner derivative as a function of ``x``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, TypeVar

from .array import Array
from .backend import Provider
from .calls import wrap
from .device import Device, base_device, intern
from .devices import default_device
from .errors import WrittenWithWarningError
from .fp_warnings import rewarn
from .operations import Operation
from .tracer import Tracer
from .tracing_errors import any_true, rarely
from .transfers import join
from .trees import mapped
from .wrapping import downwards

__all__ = ["Level", "active", "base_of", "computing", "first_wrong", "lifted", "lowered", "running", "standing_on"]


class Level(Tracer):
    """The library of a transform that each device has one of.

    Its native arrays have their value, a native array of the device below, in the attribute ``value``.
    """

    may_decline = True
    links_views = True
    kind: ClassVar[str]
    """The transform's name: the device over ``cpu`` is ``grad(cpu)`` for ``"grad"``."""
    traced: Any
    """The class of its native arrays. Each transform has one of its own, so that arrays know their transform."""

    def __init__(self, base: Device) -> None:
        super().__init__(base, f"{self.kind}({base})")
        self.traced = type(self.traced.__name__, (self.traced,), {"__slots__": (), "transform": self})
        self.device = intern(self, self.name)

    @property
    def native_type(self) -> type:
        return self.traced  # type: ignore[no-any-return]


L = TypeVar("L", bound=Level)

_levels: dict[tuple[type[Level], Provider, str], Level] = {}


def standing_on(kind: type[L], base: Device) -> L:
    """Return the transform of a kind over a device, which there is one of."""
    key = kind, base._provider, base._spec  # the hash of a device looks its name up
    device = _levels.get(key)
    if device is None:
        device = _levels.setdefault(key, kind(base))
    return device  # type: ignore[return-value]


_active: ContextVar[tuple[type[Level], ...]] = ContextVar("xtensor_transforms", default=())


def active() -> tuple[type[Level], ...]:
    """Return the kinds of the transforms that are going on in this thread or task, the outermost first."""
    return _active.get()


@contextmanager
def running(device: Device) -> Iterator[None]:
    """Tell calls inside that they are made by a function that runs on a device."""
    kinds = [type(level._library) for level, _ in downwards(device)[:-1]]
    before = _active.get()
    try:
        _active.set(tuple(reversed(kinds)))  # an interrupt is raised once this is done
        yield
    finally:
        _active.set(before)


def base_of(leaves: Iterable[Any]) -> Device:
    """Return the device that a new transform of some leaves stands on, below the transforms that are going on.

    It is that of the Arrays among them, or the default device.
    """
    chosen: Device | None = None
    for x in leaves:
        if x.__class__ is Array and (chosen is None or x._device.level > chosen.level):
            chosen = x._device
    ground = default_device() if chosen is None else chosen
    # A variable of the imperative style is above the transforms that are going on.
    for kind in _active.get()[ground.level :]:
        ground = standing_on(kind, ground).device
    return ground


def lifted(x: Array, device: Device) -> Array:
    """Return an Array on a transform, as a constant unless it is there already."""
    return x if x._device is device else wrap(join(x._native, x._device, device), device)


def lowered(x: Any, device: Device) -> Any:
    """Return the value of an Array of a transform, on the device it stands on; other values are returned unchanged."""
    if x.__class__ is Array and x._device is device:
        assert device.base is not None
        return wrap(x._native.value, device.base)
    return x


def computing(operation: Operation, base: Device, public: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return an operation's function on a device's native arrays.

    ``public`` is the public function for an operation that devices may lack, because it has a formula.
    """
    implementation = base.table[operation.index]

    def for_any_size(*operands: Any) -> Any:
        if getattr(operands[0], "size", 0) >= implementation.min_size:
            try:
                result = implementation.kernel(*operands, None)
            except WrittenWithWarningError as written:
                result = written.native
                rewarn(*written.warnings)
            if result is not NotImplemented:
                return result
        return implementation.function(*operands)

    def with_options(*args: Any, **options: Any) -> Any:
        if getattr(args[0], "size", 0) >= implementation.min_size:
            result = implementation.kernel(*args, **options)
            if result is not NotImplemented:
                return result
        return implementation.function(*args, **options)

    def or_by_formula(*args: Any, **options: Any) -> Any:
        result = implementation.function(*args, **options)
        if result is not NotImplemented or public is None:
            return result
        operands, settings = mapped((args, options), lambda native: wrap(native, base), base.native_type)
        return public(*operands, **settings)._native

    if public is not None:
        return or_by_formula
    return for_any_size if operation.kind == "elementwise" or operation.operator else with_options


def first_wrong(x: Array, wrong: Array) -> Any:
    """Return the first element of an array that a function refuses; None without one.

    Also None off the host, where the function would have to wait for the device, and while a function is recorded: see
    :func:`~xtensor._core.tracing_errors.rarely`.

    Parameters
    ----------
    x
        The array.
    wrong
        Mask of x's shape, which is computed from it.
    """
    if not base_device(x._device).host or not rarely(any_true, wrong):
        return None
    device, values = downwards(x._device, x._native, wrong._native)[-1]
    elements, mask = [device._library.to_host(value) for value in values]
    return elements[mask][0].item()
