"""Values that are not known yet: numbers among the arguments of a function that is recorded.

See :mod:`xtensor._fuse.recording`. Dispatch takes these numbers for Python's.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Never

import numpy as np

from .errors import caller_frame
from .wrapping import downwards

__all__ = ["Arithmetic", "Number", "UnknownValueError", "any_true", "is_known", "rarely", "unknown"]


class UnknownValueError(TypeError):
    """Something depends on a value that is not known, or writes to one that others know.

    On the device ``meta`` arrays have no values. A function that :func:`xtensor.fuse` records must not look at a value
    that later calls may change. In a block of :func:`xtensor.engines.forbid_computations` an engine computes no value.
    """


def unknown(what: str, remedy: str) -> UnknownValueError:
    frame = caller_frame()
    location = "" if frame is None else f" at {frame.f_code.co_filename}:{frame.f_lineno}"
    return UnknownValueError(f"a function of xtensor.fuse looks at a value{location}: {what}; {remedy}")


def is_known(condition: Any) -> bool:
    """Whether a condition is true; False where its value is not known, so that the general formula is used."""
    try:
        return bool(condition)
    except UnknownValueError:
        return False


def any_true(xp: Any, mask: Any) -> Any:
    """Whether any element of a mask is true: a condition for :func:`rarely`."""
    return xp.any(mask, axis=None, keepdims=False)


def rarely(condition: Callable[..., Any], *arrays: Any) -> bool:
    """Whether a condition, which rarely holds, holds for some Arrays of one device. False where arrays have no values.

    A recording goes on as if it did not hold. Where it holds for the arrays of a replay, the function itself computes.

    Parameters
    ----------
    condition
        Function of a namespace of native arrays, and of these. In batches they have a further axis, the first, so that
        it counts axes from the last.
    """
    *transforms, (device, natives) = downwards(arrays[0]._device, *[array._native for array in arrays])
    for transform, traced in transforms:
        if transform._library.assume(condition, traced):
            return False
    return device._library.has_values and bool(condition(device._functions.namespace, *natives))


class Arithmetic:
    """The arithmetic of the numbers of one recording, in the order in which the function computes it.

    Attributes
    ----------
    count
        The number of numbers among the arguments, which are the first values.
    steps
        The function and the operands of each further value: Numbers, and Python's numbers; and the value's class.
    """

    __slots__ = ("count", "steps")

    def __init__(self) -> None:
        self.count = 0
        self.steps: list[tuple[Callable[..., Any], tuple[Any, ...], type]] = []

    def argument(self, value: complex) -> Number:
        """Return the next number among the arguments."""
        self.count += 1
        return Number(value, self, self.count - 1)

    def apply(self, function: Callable[..., Any], *operands: Any) -> Number:
        """Compute a function of numbers, and record it."""
        value = function(*[item.value if item.__class__ is Number else item for item in operands])
        self.steps.append((function, operands, value.__class__))
        return Number(value, self, self.count + len(self.steps) - 1)

    def values(self, numbers: Sequence[complex]) -> Sequence[Any]:
        """Return the values of all numbers for those among a call's arguments."""
        if not self.steps:
            return numbers
        values: list[Any] = list(numbers)
        for function, operands, kind in self.steps:
            value = function(*[values[item.index] if item.__class__ is Number else item for item in operands])
            if value.__class__ is not kind:  # a power of a negative number is complex
                raise UnknownValueError(
                    f"a function of xtensor.fuse computes {value!r} ({value.__class__.__name__}) with numbers among "
                    f"its arguments, and was recorded with a {kind.__name__}; name them in static= of xtensor.fuse"
                )
            values.append(value)
        return values


class Number:
    """A floating-point or complex argument, of which later calls have another value.

    Arithmetic with Arrays and with numbers is recorded. Whatever else needs the value raises.

    Attributes
    ----------
    value
        The value of the call that is recorded.
    arithmetic
        The arithmetic of the recording.
    index
        The position of the value in it.
    """

    __slots__ = ("arithmetic", "index", "value")

    __array_ufunc__ = None
    """NumPy's scalars leave operators to this class."""

    def __init__(self, value: Any, arithmetic: Arithmetic, index: int) -> None:
        self.value, self.arithmetic, self.index = value, arithmetic, index

    def _look(self, *_: Any, **__: Any) -> Never:
        raise unknown(
            f"the argument {self.value!r}, which may have another value in the next call",
            "name the argument in static= of xtensor.fuse",
        )

    __bool__ = __int__ = __float__ = __complex__ = __index__ = __array__ = _look
    __trunc__ = __floor__ = __ceil__ = __str__ = __format__ = _look
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __ne__ = _look
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<number {self.value!r} of a recorded function>"

    def __neg__(self) -> Number:
        return self.arithmetic.apply(operator.neg, self)

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Number:
        return self.arithmetic.apply(abs, self)

    def __round__(self, *digits: int) -> Number:
        return self.arithmetic.apply(round, self, *digits)

    def __divmod__(self, other: Any) -> tuple[Number, Number]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Number, Number]:
        return other // self, other % self

    @property
    def real(self) -> Number:
        return self.arithmetic.apply(operator.attrgetter("real"), self)

    @property
    def imag(self) -> Number:
        return self.arithmetic.apply(operator.attrgetter("imag"), self)

    def conjugate(self) -> Number:
        return self.arithmetic.apply(operator.methodcaller("conjugate"), self)


NUMBERS = (Number, bool, int, float, complex)


def _define(name: str, function: Callable[[Any, Any], Any]) -> None:
    def forward(self: Number, other: Any) -> Any:
        if other.__class__ in NUMBERS:
            return self.arithmetic.apply(function, self, other)
        return self._look() if isinstance(other, (np.ndarray, np.generic)) else NotImplemented

    def reflected(self: Number, other: Any) -> Any:
        if other.__class__ in NUMBERS:
            return self.arithmetic.apply(function, other, self)
        return self._look() if isinstance(other, (np.ndarray, np.generic)) else NotImplemented

    setattr(Number, f"__{name}__", forward)
    setattr(Number, f"__r{name}__", reflected)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    _define(_name, getattr(operator, _name))
