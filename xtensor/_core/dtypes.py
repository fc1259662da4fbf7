"""Data types: the table of their names, their kinds and promotion.

dtypes are ``numpy.dtype`` objects on every device. Extension dtypes, such as bfloat16, are defined by ml_dtypes and are
no floating-point dtypes to NumPy. The library is optional, and its import takes a quarter of the time of NumPy's. It is
imported when such a dtype is first requested by name; where a dtype or array of one exists, it is imported already.

An extension dtype promotes as float16 does: with booleans and 8-bit integers to itself, with 16-bit integers and other
narrow dtypes to float32, with larger integers to float64, with larger floating-point dtypes to those. Python scalars
are weak. A new dtype is a row of :data:`NARROW_DTYPES`, its annotation in ``xtensor/__init__.py`` and, where files of
weights have it, its code in ``nn/modules/storage.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from .errors import describe, install_command

__all__ = [
    "CASTINGS",
    "COMMON_DTYPES",
    "EXTENSION_DTYPES",
    "ML_DTYPES_REMEDY",
    "NARROW_DTYPES",
    "STANDARD_DTYPES",
    "Casting",
    "DType",
    "as_dtype",
    "can_cast",
    "dtype_named",
    "dtypes_of",
    "finfo",
    "in_float32",
    "is_narrow",
    "kind_of",
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

NARROW_DTYPES: dict[str, tuple[str, int]] = {"float16": ("numpy", 2), "bfloat16": ("ml_dtypes", 2)}
"""The floating-point dtypes beyond the standard: library and itemsize. float32 holds and computes their numbers."""

COMMON_DTYPES = (*STANDARD_DTYPES, *(name for name, (_, itemsize) in NARROW_DTYPES.items() if itemsize == 2))
"""The names of the standard's dtypes and those of 16 bits, with which libraries of GPUs compute."""

EXTENSION_DTYPES = frozenset(name for name, (library, _) in NARROW_DTYPES.items() if library == "ml_dtypes")

ML_DTYPES_REMEDY = install_command("ml_dtypes>=0.5")

NUMPY_DTYPES: dict[DType, DType] = {np.dtype(name): np.dtype(name) for name in (*STANDARD_DTYPES, "float16")}
"""NumPy's dtypes by those that equal them: ``longlong`` is another one than ``int64``, which not all libraries know."""

NUMPY_CLASSES: frozenset[Any] = frozenset(map(type, NUMPY_DTYPES))

FLOAT32: DType = np.dtype(np.float32)

ABSORBED: frozenset[DType] = frozenset((np.dtype(np.bool), np.dtype(np.int8), np.dtype(np.uint8)))
"""The dtypes that promote to an extension dtype next to it."""


# -- names and kinds ------------------------------------------------------------------------------------------------


def dtype_named(name: str) -> DType:
    """Return the dtype of a name; raise ImportError where ml_dtypes, which defines it, is missing or broken."""
    if name not in EXTENSION_DTYPES:
        return np.dtype(name)
    try:
        import ml_dtypes  # optional, and imported only by programs that ask for such a dtype

        return np.dtype(getattr(ml_dtypes, name))  # type: ignore[no-any-return]
    except (Exception, SystemExit) as error:
        reason = f"{name} needs ml_dtypes, which is missing or broken ({type(error).__name__}: {error})"
        raise ImportError(f"{reason}. {ML_DTYPES_REMEDY}") from error


def dtypes_of(library: Any, names: Iterable[str]) -> dict[DType, Any]:
    """Return a library's own dtypes of these names, by NumPy's dtypes."""
    return {dtype_named(name): getattr(library, name) for name in names}


def kind_of(dtype: DType) -> str:
    """Return NumPy's letter for a kind of dtype, and ``"f"`` for an extension dtype, which NumPy calls void."""
    kind = dtype.kind
    return "f" if kind == "V" else kind


def is_narrow(dtype: DType) -> bool:
    """Whether a dtype is a floating-point dtype whose numbers are computed in float32."""
    return dtype.itemsize <= 2 and kind_of(dtype) == "f"


def as_dtype(value: Any, function: str) -> DType:
    """Return an argument that must be a dtype as a ``numpy.dtype``; raise TypeError unless of booleans or numbers."""
    if value.__class__ in NUMPY_CLASSES and value in NUMPY_DTYPES:
        return value  # type: ignore[no-any-return]
    dtype, missing = None, ""
    if isinstance(value, (np.dtype, type, str)):
        try:
            dtype = dtype_named(value) if value.__class__ is str else np.dtype(value)
        except ImportError as error:
            missing = f"; {error}"
        except TypeError:
            pass
    if dtype is None or not (dtype in NUMPY_DTYPES or (dtype.kind == "V" and dtype.name in EXTENSION_DTYPES)):
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
    """Return ``numpy.result_type`` of dtypes, arrays and Python scalars, extension dtypes among them."""
    for operand in operands:
        if operand.__class__ in NUMPY_CLASSES or operand.__class__ in WITHOUT_DTYPE:
            continue
        if getattr(getattr(operand, "dtype", operand), "kind", None) == "V":
            break
    else:
        return np.result_type(*operands)
    common = np.result_type(*map(_as_float32, operands))
    dtypes = [getattr(operand, "dtype", operand) for operand in operands]
    extension = _common_extension(dtype for dtype in dtypes if isinstance(dtype, np.dtype))
    return extension if extension is not None and common == FLOAT32 else common


def can_cast(source: DType, target: DType, casting: Casting = "safe") -> bool:
    """Whether a dtype casts to another under a casting rule of NumPy: ``numpy.can_cast`` with extension dtypes."""
    if source.kind == "V" or target.kind == "V":
        if casting in ("same_kind", "unsafe"):
            source, target = (FLOAT32 if dtype.kind == "V" else dtype for dtype in (source, target))
            return np.can_cast(source, target, casting)
        return result_type(source, target) == target
    return np.can_cast(source, target, casting)


def finfo(dtype: DType) -> Any:
    """Return ``numpy.finfo`` of a dtype, or that of ml_dtypes for an extension dtype."""
    if dtype.kind != "V":
        return np.finfo(dtype)
    import ml_dtypes  # imported already, as the dtype exists

    return ml_dtypes.finfo(dtype)


def _as_float32(operand: Any) -> Any:
    """An operand of a promotion; float32 for an extension dtype."""
    dtype = getattr(operand, "dtype", operand)
    return FLOAT32 if isinstance(dtype, np.dtype) and dtype.kind == "V" else operand


def _common_extension(dtypes: Iterable[DType]) -> DType | None:
    """Return the extension dtype that dtypes promote to; None where they promote to another dtype."""
    remaining = {dtype for dtype in dtypes if dtype not in ABSORBED}
    return remaining.pop() if len(remaining) == 1 and all(dtype.kind == "V" for dtype in remaining) else None


# -- extension dtypes computed in float32 ---------------------------------------------------------------------------


WITHOUT_DTYPE = frozenset((bool, int, float, complex, str, type(None)))
"""The classes of arguments that are no arrays, have none and are no dtypes."""


class _Upcast:
    """The arguments of one call with float32 in the place of extension dtypes, and the dtypes that occurred."""

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

    def rounded_dtype(self) -> DType | None:
        """Return the extension dtype that float32 results are rounded to, if any."""
        return _common_extension(self.dtypes if self.requested is None else (self.requested,))


def in_float32(
    function: Callable[..., Any],
    upcast: Callable[[Any], Any] = lambda x: x.astype(FLOAT32),
    downcast: Callable[[Any, DType], Any] = lambda x, dtype: x.astype(dtype),
    *,
    only_promotes: bool = False,
) -> Callable[..., Any]:
    """Return a function on native arrays that also takes extension dtypes, by computing in float32.

    Where operands promote to such a dtype, or a ``dtype`` argument asks for it, float32 results are rounded to it.

    Parameters
    ----------
    function
        The function without extension dtypes.
    upcast, downcast
        The casts of a native array to float32, and to an extension dtype.
    only_promotes
        Whether the function computes nothing, so that operands of one extension dtype need no cast.
    """

    @wraps(function)
    def computing(*args: Any, **kwargs: Any) -> Any:
        # Most calls have no extension dtype; this look at their arguments is all that they pay for it.
        for value in (*args, *kwargs.values()) if kwargs else args:
            if value.__class__ in WITHOUT_DTYPE:
                continue
            dtype = getattr(value, "dtype", None)
            if dtype is None or dtype.kind == "V":
                break  # an extension dtype, a dtype, a sequence
        else:
            return function(*args, **kwargs)
        call = _Upcast(upcast)
        upcast_args = [call.argument(value) for value in args]
        upcast_kwargs = {name: call.argument(value) for name, value in kwargs.items()}
        dtype = call.rounded_dtype() if call.found else None
        if not call.found or (only_promotes and set(call.dtypes) == {dtype}):
            return function(*args, **kwargs)
        result = function(*upcast_args, **upcast_kwargs)
        return result if dtype is None else _downcast(result, dtype, downcast)

    return computing


def _downcast(result: Any, dtype: DType, downcast: Callable[[Any, DType], Any]) -> Any:
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(_downcast(item, dtype, downcast) for item in result))
    if result.__class__ in (tuple, list):
        return result.__class__([_downcast(item, dtype, downcast) for item in result])
    return downcast(result, dtype) if getattr(result, "dtype", None) == FLOAT32 else result
