from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

from .operations import Operation

INTERFACE: int

UNARY: int
BINARY: int
REFLECTED: int
INPLACE: int
GETITEM: int
BOUNDARY: int
REDUCTION: int
POWER: int
APPLY: int
APPLY_TO: int
ARGUMENT: int
WRAPPED: int

class Function:
    python: Callable[..., Any]
    @property
    def operation(self) -> Operation | None: ...
    def __init__(self, kind: int, operation: Operation | None, index: int, is_operator: bool) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Callable[..., Any]: ...

class Attribute:
    python: property
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Any: ...

def bind(
    array: type[Any],
    device: type[Any],
    implementation: type[Any],
    operation: type[Any],
    recover: Callable[..., Any],
    recover_large: Callable[..., Any],
    recover_inplace: Callable[..., None],
    adopt: Callable[..., Any],
    find_place: Callable[..., tuple[int, int, bool] | None],
    leaving: Callable[[Exception], None],
    frame_pointer: int,
    selected: int,
    assigned_where: int,
    /,
) -> None: ...
def elements(x: Any, /) -> Iterator[Any]: ...
def is_within(native: Any, low: float, high: float, /) -> bool | None: ...
def report_calls(
    codes: dict[int, CodeType],
    functions: tuple[Callable[..., Any], ...],
    report_to: Callable[[FrameType, Any], None],
    /,
) -> None: ...
def track(x: Any, /) -> None: ...
