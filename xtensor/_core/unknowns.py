"""Values that are not known yet: numbers among the arguments of a function that is recorded.

See :mod:`xtensor._fuse.recording`. Dispatch takes these numbers for Python's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Never

from .errors import caller_frame

__all__ = ["NUMBER_OPERATIONS", "Number", "UnknownValueError", "unknown"]


class UnknownValueError(TypeError):
    """Something depends on a value that is not known.

    On the device ``meta`` arrays have no values. A function that :func:`xtensor.fuse` records must not look at a value
    that later calls may change. In a block of :func:`xtensor.engines.forbid_computations` an engine computes no value.
    """


def unknown(what: str, remedy: str) -> UnknownValueError:
    frame = caller_frame()
    place = "" if frame is None else f" at {frame.f_code.co_filename}:{frame.f_lineno}"
    return UnknownValueError(f"a function of xtensor.fuse looks at a value{place}: {what}; {remedy}")


class Number:
    """A floating-point or complex argument, of which later calls have another value.

    Arithmetic with Arrays and with numbers is recorded. Whatever else needs the value raises.

    Attributes
    ----------
    value
        The value of the call that is recorded.
    node
        The number of the argument; for a result, the name of the operation and its operands.
    """

    __slots__ = ("node", "value")

    def __init__(self, value: complex, node: Any) -> None:
        self.value, self.node = value, node

    def _apply(self, name: str, *operands: Any) -> Number:
        values = [operand.value if isinstance(operand, Number) else operand for operand in operands]
        nodes = [operand.node if isinstance(operand, Number) else operand for operand in operands]
        return Number(NUMBER_OPERATIONS[name](*values), (name, *nodes))

    def _look(self) -> Never:
        raise unknown(
            f"the argument {self.value!r}, which may have another value in the next call",
            "name the argument in static= of xtensor.fuse",
        )

    def __bool__(self) -> bool:
        self._look()

    def __int__(self) -> int:
        self._look()

    def __float__(self) -> float:
        self._look()

    def __complex__(self) -> complex:
        self._look()

    def __index__(self) -> int:
        self._look()

    def __repr__(self) -> str:
        return f"<number {self.value!r} of a recorded function>"

    def __neg__(self) -> Number:
        return self._apply("neg", self)

    def __pos__(self) -> Number:
        return self

    def __abs__(self) -> Number:
        return self._apply("abs", self)

    def __eq__(self, other: object) -> bool:
        self._look()

    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = __eq__
    __hash__ = None  # type: ignore[assignment]


NUMBER_OPERATIONS: dict[str, Callable[..., Any]] = {"neg": lambda a: -a, "abs": abs}


def _define(name: str, function: Callable[[Any, Any], Any]) -> None:
    NUMBER_OPERATIONS[name] = function

    def forward(self: Number, other: Any) -> Any:
        if isinstance(other, (Number, int, float, complex)):
            return self._apply(name, self, other)
        return NotImplemented

    def reflected(self: Number, other: Any) -> Any:
        return self._apply(name, other, self) if isinstance(other, (int, float, complex)) else NotImplemented

    setattr(Number, f"__{name}__", forward)
    setattr(Number, f"__r{name}__", reflected)


for _name, _function in {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
}.items():
    _define(_name, _function)
