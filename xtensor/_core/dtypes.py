"""Data types: their kinds and promotion, and bfloat16, which is no floating-point dtype to NumPy.

dtypes are ``numpy.dtype`` objects on every device. bfloat16 is defined by ml_dtypes, an optional library whose import
takes a quarter of the time of NumPy's. It is imported when bfloat16 is first requested by name; where a bfloat16 dtype
or array exists, it is imported already.

bfloat16 promotes as float16 does: with booleans and 8-bit integers to itself, with 16-bit integers and float16 to
float32, with larger integers to float64, with larger floating-point dtypes to those. Python scalars are weak.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from .errors import describe, install_command

__all__ = [
    "BFLOAT16_REMEDY",
    "CASTINGS",
    "STANDARD_DTYPES",
    "Casting",
    "DType",
    "as_dtype",
    "can_cast",
    "finfo",
    "in_float32",
    "is_bfloat16",
    "kind_of",
    "load_bfloat16",
    "result_type",
    "with_standard_dtype",
]

DType: TypeAlias = "np.dtype[Any]"

Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
CASTINGS: tuple[Casting, ...] = get_args(Casting)
"""NumPy's rules of casting."""

STANDARD_DTYPES: tuple[str, ...] = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)
"""The names of the standard's dtypes."""

BFLOAT16 = "bfloat16"

BFLOAT16_REMEDY = install_command("ml_dtypes>=0.5")

NUMPY_DTYPES: dict[DType, DType] = {np.dtype(name): np.dtype(name) for name in (*STANDARD_DTYPES, "float16")}
"""NumPy's dtypes by those that equal them: ``longlong`` is another one than ``int64``, which not all libraries know."""

NUMPY_CLASSES: frozenset[Any] = frozenset(map(type, NUMPY_DTYPES))

FLOAT32: DType = np.dtype(np.float32)

BFLOAT16_ABSORBS: frozenset[DType] = frozenset((np.dtype(np.bool), np.dtype(np.int8), np.dtype(np.uint8)))
"""The dtypes that promote to bfloat16 next to it."""


# -- names and kinds ------------------------------------------------------------------------------------------------


def load_bfloat16() -> DType:
    """Return the bfloat16 dtype; raise ImportError where ml_dtypes is missing or broken."""
    try:
        import ml_dtypes  # optional, and imported only by programs that ask for bfloat16

        dtype: DType = np.dtype(ml_dtypes.bfloat16)
    except ImportError:
        raise
    except (Exception, SystemExit) as error:
        raise ImportError(f"ml_dtypes does not work: {type(error).__name__}: {error}") from error
    return dtype


def is_bfloat16(dtype: DType) -> bool:
    """Whether a dtype is bfloat16."""
    return dtype.kind == "V" and dtype.name == BFLOAT16


def kind_of(dtype: DType) -> str:
    """Return NumPy's letter for a kind of dtype, and ``"f"`` for bfloat16, which NumPy calls void."""
    kind = dtype.kind
    return "f" if kind == "V" else kind


def as_dtype(value: Any, function: str) -> DType:
    """Return an argument that must be a dtype as a ``numpy.dtype``; raise TypeError unless of booleans or numbers."""
    if value.__class__ in NUMPY_CLASSES and value in NUMPY_DTYPES:
        return value  # type: ignore[no-any-return]
    dtype, missing = None, ""
    if isinstance(value, (np.dtype, type, str)):
        try:
            dtype = load_bfloat16() if value.__class__ is str and value == BFLOAT16 else np.dtype(value)
        except ImportError:
            missing = f"; bfloat16 needs ml_dtypes, which is missing or broken: {BFLOAT16_REMEDY}"
        except TypeError:
            pass
    if dtype is None or not (dtype in NUMPY_DTYPES or is_bfloat16(dtype)):
        raise TypeError(
            f"{function}() takes a dtype of booleans or numbers, such as xtensor.float32, not {describe(value)}"
            + missing
        )
    return NUMPY_DTYPES.get(dtype, dtype)


def with_standard_dtype(x: Any) -> Any:
    """Return a NumPy array with int64 in the place of longlong, an equal dtype that some libraries do not know."""
    dtype = NUMPY_DTYPES.get(x.dtype)
    return x if dtype is None or dtype.char == x.dtype.char else x.view(dtype)


# -- promotion ------------------------------------------------------------------------------------------------------


def result_type(*operands: Any) -> DType:
    """Return ``numpy.result_type`` of dtypes, arrays and Python scalars, bfloat16 among them."""
    for operand in operands:
        if operand.__class__ in NUMPY_CLASSES or operand.__class__ in WITHOUT_DTYPE:
            continue
        if getattr(getattr(operand, "dtype", operand), "kind", None) == "V":
            break
    else:
        return np.result_type(*operands)
    common = np.result_type(*map(_as_float32, operands))
    dtypes = [getattr(operand, "dtype", operand) for operand in operands]
    if common == FLOAT32 and _promotes_to_bfloat16(dtype for dtype in dtypes if isinstance(dtype, np.dtype)):
        return load_bfloat16()
    return common


def can_cast(source: DType, target: DType, casting: Casting = "safe") -> bool:
    """Whether a dtype casts to another under a casting rule of NumPy: ``numpy.can_cast`` with bfloat16."""
    if source.kind == "V" or target.kind == "V":
        if casting in ("same_kind", "unsafe"):
            source, target = (FLOAT32 if dtype.kind == "V" else dtype for dtype in (source, target))
            return np.can_cast(source, target, casting)
        return result_type(source, target) == target
    return np.can_cast(source, target, casting)


def finfo(dtype: DType) -> Any:
    """Return ``numpy.finfo`` of a dtype, or that of ml_dtypes for bfloat16."""
    if dtype.kind != "V":
        return np.finfo(dtype)
    import ml_dtypes  # imported already, as the dtype exists

    return ml_dtypes.finfo(dtype)


def _as_float32(operand: Any) -> Any:
    """An operand of a promotion; float32 for bfloat16."""
    dtype = getattr(operand, "dtype", operand)
    return FLOAT32 if isinstance(dtype, np.dtype) and dtype.kind == "V" else operand


def _promotes_to_bfloat16(dtypes: Iterable[DType]) -> bool:
    """Whether dtypes, bfloat16 among them, promote to it."""
    return all(dtype.kind == "V" or dtype in BFLOAT16_ABSORBS for dtype in dtypes)


# -- bfloat16 computed in float32 -----------------------------------------------------------------------------------


WITHOUT_DTYPE = frozenset((bool, int, float, complex, str, type(None)))
"""The classes of arguments that are no arrays, have none and are no dtypes."""


class _Upcast:
    """The arguments of one call with float32 in the place of bfloat16, and the dtypes that occurred."""

    __slots__ = ("dtypes", "found", "requested", "upcast")

    def __init__(self, upcast: Callable[[Any], Any]) -> None:
        self.upcast = upcast
        self.found = False
        self.dtypes: list[DType] = []
        self.requested: DType | None = None

    def argument(self, value: Any) -> Any:
        """An argument, or an item of a sequence argument."""
        if isinstance(value, np.dtype):
            self.requested = value
            if value.kind == "V":
                self.found = True
                return FLOAT32
            return value
        if value.__class__ is list or value.__class__ is tuple:
            return value.__class__([self.argument(item) for item in value])
        dtype = getattr(value, "dtype", None)
        if isinstance(dtype, np.dtype):
            self.dtypes.append(dtype)
            if dtype.kind == "V":
                self.found = True
                return self.upcast(value)
        return value

    def rounds_result(self) -> bool:
        """Whether float32 results become bfloat16."""
        return _promotes_to_bfloat16(self.dtypes) if self.requested is None else self.requested.kind == "V"


def in_float32(
    function: Callable[..., Any],
    upcast: Callable[[Any], Any] = lambda x: x.astype(FLOAT32),
    downcast: Callable[[Any], Any] = lambda x: x.astype(load_bfloat16()),
    *,
    only_promotes: bool = False,
) -> Callable[..., Any]:
    """Return a function on native arrays that also takes bfloat16, by computing in float32.

    Where operands promote to bfloat16, or a ``dtype`` argument asks for it, float32 results are rounded to it.

    Parameters
    ----------
    function
        The function without bfloat16.
    upcast, downcast
        The casts of a native array from bfloat16 to float32, and back.
    only_promotes
        Whether the function computes nothing, so that operands that all are bfloat16 need no cast.
    """

    @wraps(function)
    def computing(*args: Any, **kwargs: Any) -> Any:
        # Most calls have no bfloat16; this look at their arguments is all that they pay for it.
        for value in (*args, *kwargs.values()) if kwargs else args:
            if value.__class__ in WITHOUT_DTYPE:
                continue
            dtype = getattr(value, "dtype", None)
            if dtype is None or dtype.kind == "V":
                break  # bfloat16, a dtype, a sequence
        else:
            return function(*args, **kwargs)
        call = _Upcast(upcast)
        upcast_args = [call.argument(value) for value in args]
        upcast_kwargs = {name: call.argument(value) for name, value in kwargs.items()}
        if not call.found or (only_promotes and all(dtype.kind == "V" for dtype in call.dtypes)):
            return function(*args, **kwargs)
        result = function(*upcast_args, **upcast_kwargs)
        return _downcast(result, downcast) if call.rounds_result() else result

    return computing


def _downcast(result: Any, downcast: Callable[[Any], Any]) -> Any:
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(_downcast(item, downcast) for item in result))
    if result.__class__ in (tuple, list):
        return result.__class__([_downcast(item, downcast) for item in result])
    return downcast(result) if getattr(result, "dtype", None) == FLOAT32 else result
