"""Invalid arguments of every public function and method, calls with them, and requirements on error messages.

Functions and parameters come from the namespace's signatures; good_arguments.py has the valid arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from io import IOBase
from typing import Any

import numpy as np
from good_arguments import WRITING_FUNCTIONS, Arguments, booleans, complexes, integers, parameters_of
from strategies import quiet, values_of

import xtensor as xp

DOCUMENTED = (TypeError, ValueError, IndexError, OverflowError, BufferError, MemoryError)
"""Errors that invalid arguments may raise, with subclasses: LinAlgError and DeviceMismatchError are ValueErrors."""


def recursive_list() -> list[Any]:
    """Return a list that contains itself."""
    loop: list[Any] = []
    loop.append(loop)
    return loop


BAD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "text": lambda: "two",
    "number as text": lambda: "2",
    "bytes": lambda: b"two",
    "object": object,
    "dict": lambda: {"a": 1},
    "set": lambda: {1, 2},
    "function": lambda: len,
    "class": lambda: int,
    "ellipsis": lambda: ...,
    "slice": lambda: slice(None),
    "True": lambda: True,
    "negative": lambda: -100,
    "out of range": lambda: 100,
    "2**62": lambda: 2**62,
    "2**100": lambda: 2**100,
    "-2**100": lambda: -(2**100),
    "1.5": lambda: 1.5,
    "1.0": lambda: 1.0,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "complex": lambda: 1j,
    "NumPy float": lambda: np.float64(1.5),
    "NumPy text": lambda: np.str_("two"),
    "NumPy date": lambda: np.datetime64("2020-01-01"),
    "empty tuple": lambda: (),
    "empty list": list,
    "duplicates": lambda: (0, 0),
    "duplicates from both ends": lambda: (1, -1),
    "axes out of range": lambda: (0, 7),
    "tuple of None": lambda: (None,),
    "tuple of text": lambda: ("x", "y"),
    "tuple of floats": lambda: (1.5, 1.0),
    "tuple of nan": lambda: (float("nan"),),
    "tuple of bools": lambda: (True, False),
    "negative lengths": lambda: (-3, 2),
    "huge lengths": lambda: (2**62, 2**62),
    "one huge length": lambda: (2**62,),
    "list in itself": recursive_list,
    "ragged list": lambda: [[1, 2], [3]],
    "list of objects": lambda: [object(), object()],
    "list of text": lambda: ["a", "b"],
    "list of arrays of two shapes": lambda: [xp.ones(2), xp.ones(3)],
    "list of numbers and text": lambda: [1, "a"],
    "NumPy array": lambda: np.ones((2, 2)),
    "NumPy array of objects": lambda: np.array([object(), 1], dtype=object),
    "NumPy array of text": lambda: np.array(["a", "b"]),
    "NumPy array of dates": lambda: np.array(["2020-01-01"], dtype="datetime64[D]"),
    "structured NumPy array": lambda: np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]),
    "byte-swapped NumPy array": lambda: np.ones(2, dtype=np.dtype("f8").newbyteorder()),
    "array of booleans": booleans,
    "array of integers": integers,
    "array of complex numbers": complexes,
    "array of no dimension": lambda: xp.asarray(2.0),
    "array of three dimensions": lambda: xp.ones((2, 3, 4)),
    "array of another length": lambda: xp.ones(7),
    "empty array": lambda: xp.ones((0, 2)),
    "unknown device": lambda: "nowhere:9",
    "unknown dtype": lambda: "float7",
    "dtype of objects": lambda: np.dtype(object),
    "dtype of text": lambda: np.dtype("U5"),
    "dtype of dates": lambda: np.dtype("datetime64[s]"),
    "structured dtype": lambda: np.dtype([("a", "f8")]),
    "byte-swapped dtype": lambda: np.dtype("f8").newbyteorder(),
    "long double": lambda: np.dtype("longdouble"),
}
"""Invalid values for a parameter, by name."""

ERRORS_OF_A_FUNCTION: dict[str, tuple[type[Exception], ...]] = {
    # NumPy's classes for weights that sum to zero, and for weights of a wrong shape.
    "average": (ZeroDivisionError,),
    "cov": (RuntimeError, ZeroDivisionError),
    # Files that do not exist, or cannot be written.
    **dict.fromkeys(("load", "loadtxt", "save", "savetxt", "savez", "savez_compressed", "tofile"), (OSError,)),
}
"""Errors that a function raises besides those in ``DOCUMENTED``; its docstring names them."""

FILES = ("load", "loadtxt", "save", "savetxt", "savez", "savez_compressed")
"""Functions of files. NumPy reads and writes them, and the messages about options of a format are NumPy's."""

CALLERS_FUNCTIONS = (
    *(("apply_along_axis", parameter) for parameter in ("func1d", "args", "kwargs")),
    ("apply_over_axes", "func"),
    *(("piecewise", parameter) for parameter in ("funclist", "args", "kw")),
)
"""Parameters that are functions of the caller, or arguments for them. Errors are those of the function."""

HUGE = ("2**62", "2**100", "huge lengths", "one huge length")

REPETITIONS = (("repeat", "repeats"), ("tile", "repetitions"), ("array_split", "indices_or_sections"))
"""Parameters that are not tested with huge values in this process: a library multiplies counts of repetitions unchecked
(test_bad_input.py tests those in a subprocess), and a number of parts is the length of a list."""

LARGE_WORK = (("nn.functional.conv3d", "padding"),)
"""Parameters for which the value "out of range" is in range, and takes seconds."""

ACCEPTS_MORE_THAN_NUMPY = (
    *(("astype", "x"), ("histogramdd", "sample")),
    *(("finfo", "type"), ("iinfo", "type"), ("clip", "x"), ("fft.fftshift", "x"), ("fft.ifftshift", "x")),
    *(("diff", "n"), ("std", "correction"), ("std", "ddof"), ("var", "correction"), ("var", "ddof")),
    *(("nanstd", "correction"), ("nanstd", "ddof"), ("nanvar", "correction"), ("nanvar", "ddof")),
    *(("allclose", "rtol"), ("allclose", "atol"), ("isclose", "rtol"), ("isclose", "atol")),
    *(("gradient", "f"), ("quantile", "a"), ("quantile", "q"), ("nanquantile", "a"), ("nanquantile", "q")),
    *(("percentile", "a"), ("percentile", "q"), ("nanpercentile", "a"), ("nanpercentile", "q")),
    *(("poly", "seq_of_zeros"), ("polyder", "p"), ("polyder", "m"), ("polyint", "p")),
    *(("roots", "p"), ("einsum", "optimize"), ("linalg.diagonal", "offset"), ("linalg.trace", "offset")),
    *(("tri", "k"), ("tril_indices", "k"), ("tril_indices_from", "k"), ("triu_indices", "k")),
    *(("triu_indices_from", "k"), ("linalg.tensorinv", "a"), ("piecewise", "condlist"), ("where", "condition")),
    *(("arange", "start"), ("arange", "stop"), ("linspace", "start"), ("linspace", "stop")),
    *(("tril", "k"), ("triu", "k"), ("diag_indices", "n"), ("kaiser", "M")),
)
"""Parameters that accept values which NumPy refuses: arrays instead of dtypes, booleans without bounds, an order of
differences greater than the length, integers beyond 64 bits, booleans and empty arrays instead of numbers, ignored
values."""


def call(function: Any, arguments: Arguments) -> Any:
    """Call a function with arguments by parameter name, each passed as its kind requires; files are read again."""
    args: list[Any] = []
    kwargs: Arguments = {}
    for value in arguments.values():
        if isinstance(value, IOBase):
            value.seek(0)
    for parameter in parameters_of(function):
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += arguments.get(parameter.name, ())
        elif parameter.kind is parameter.VAR_KEYWORD:
            kwargs |= arguments.get(parameter.name, {})
        elif parameter.kind is parameter.KEYWORD_ONLY:
            if parameter.name in arguments:
                kwargs[parameter.name] = arguments[parameter.name]
        elif parameter.name in arguments or parameter.default is not parameter.empty:
            args.append(arguments.get(parameter.name, parameter.default))
    return function(*args, **kwargs)


def replace_argument(function: Any, good: Arguments, name: str, bad: Any) -> Arguments:
    """Replace one argument by an invalid one: append it to ``*args``, use it for each value of ``**kwargs``."""
    kind = next(parameter.kind for parameter in parameters_of(function) if parameter.name == name)
    if kind is inspect.Parameter.VAR_POSITIONAL:
        return good | {name: (*good.get(name, ()), bad)}
    if kind is inspect.Parameter.VAR_KEYWORD:
        return good | {name: dict.fromkeys(good[name], bad)}
    return good | {name: bad}


@contextmanager
def call_conditions(name: str) -> Iterator[None]:
    """Suppress warnings, and allow transfers for special functions that the device does not implement."""
    with quiet(), xp.transfers("allow") if name.startswith("special.") else nullcontext():
        yield


def as_numpy(value: Any) -> Any:
    """Return a value as NumPy's functions take it: NumPy arrays, NumPy's functions, and files at their beginning."""
    if isinstance(value, xp.Array):
        return values_of(value)
    if isinstance(value, xp.Device):
        return "cpu"
    if inspect.isroutine(value) and value.__module__.startswith("xtensor."):
        return getattr(np, value.__name__)
    if isinstance(value, IOBase):
        value.seek(0)
    if isinstance(value, dict):
        return {key: as_numpy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and any(
        isinstance(item, xp.Array) or inspect.isroutine(item) for item in value
    ):
        return type(value)(as_numpy(item) for item in value)
    return value


def numpy_error(name: str, function: Any, arguments: Arguments) -> Exception | None:
    """Return the error of the same call in NumPy; None if NumPy accepts it or has no such function or parameter."""
    try:
        reference = np
        for part in name.split("."):
            reference = getattr(reference, part)
        converted = {key: as_numpy(value) for key, value in arguments.items() if key != "device"}
        # xtensor accepts a list of axes where NumPy requires a tuple.
        converted |= {key: tuple(converted[key]) for key in ("axis", "axes") if isinstance(converted.get(key), list)}
        with quiet():
            call_numpy(reference, function, converted)
    except (AttributeError, Warning):
        return None
    except Exception as error:
        return None if "keyword argument" in str(error) else error
    return None


def call_numpy(reference: Any, function: Any, arguments: Arguments) -> Any:
    args: list[Any] = []
    kwargs: Arguments = {}
    for parameter in parameters_of(function):
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += arguments.get(parameter.name, ())
        elif parameter.kind is parameter.VAR_KEYWORD:
            kwargs |= arguments.get(parameter.name, {})
        elif parameter.name in arguments:
            if parameter.default is parameter.empty:
                args.append(arguments[parameter.name])
            else:
                kwargs[parameter.name] = arguments[parameter.name]
    return reference(*args, **kwargs)


def array_of_numbers(value: Any) -> np.ndarray | None:
    """Return the array that functions make of a Python scalar or of a list or tuple of numbers; None for others."""
    items = value if isinstance(value, (list, tuple)) else (value,)
    if not all(isinstance(item, (bool, int, float, complex)) for item in items):
        return None
    array = np.asarray(value)
    return array if array.dtype.kind in "biufc" else None


def descriptions_of(value: Any) -> set[str]:
    """Return the texts by which a message may identify a value: its repr, type, dtype, shape or elements."""
    names = {type(value).__name__, type(value).__qualname__}
    if isinstance(value, (xp.Array, np.ndarray, np.generic)):
        names |= {str(value.dtype), repr(value.dtype), str(value.shape), f"{value.ndim} dim", f"{value.ndim} axes"}
        names |= {f"dimension {value.ndim}", f"{value.ndim}-d"}
        names |= {str(length) for length in value.shape} | {repr(value).splitlines()[0], repr(value)[:50]}
        names |= {str(value.dtype.newbyteorder("="))}
    if isinstance(value, xp.Array) and value.ndim:
        names |= {repr(item)[:50] for item in values_of(value).tolist()} | {
            repr(item) for item in values_of(value).flat
        }
    array = array_of_numbers(value)
    if array is not None:
        names |= {str(array.shape), f"dimension {array.ndim}", f"{array.ndim}-d", f"{array.ndim} axes"}
        names |= {f"length {length}:" for length in array.shape}
    if isinstance(value, (int, float, complex)):
        names |= {"shape ()", "(1,)", "dimension 0", "0-d", "size 1", "1 elements", "of length 1 "}
    if isinstance(value, (str, bytes, list, tuple)):
        names |= {f"received {len(value)} ", f" {len(value)} conditions", f"size {len(value)}"}
    if isinstance(value, np.ndarray):
        names |= {word for item in value.flat for word in (repr(item), str(item))}
    if isinstance(value, np.dtype):
        names |= {str(value)}
    if isinstance(value, (list, tuple, set, dict, bytes)) and not any(item is value for item in value):
        names |= {word for item in value for word in descriptions_of(item)}
        names |= {f"({len(value)},"} if value else {"empty", "()", "(0,)", "(1, 0)"}
    if not isinstance(value, (xp.Array, np.ndarray)):
        names |= {repr(value)[:50], str(value)[:50]}
    return {name for name in names if name}


def error_text(error: BaseException) -> str:
    """Return an error's message and its notes, which contain the function's name."""
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


def documented_errors(name: str) -> tuple[type[BaseException], ...]:
    """Return the classes of errors that invalid arguments of a function may raise."""
    return (*DOCUMENTED, *ERRORS_OF_A_FUNCTION.get(name, ()), xp.special.FunctionUnavailableError)


def error_defect(name: str, parameter: str, case: str, bad: Any, error: Exception) -> str | None:
    """Describe what the error of an invalid argument lacks; None if it meets all requirements."""
    text = error_text(error)
    shown = f"{case}: {type(error).__name__}: {text[:200]}"
    if isinstance(error, AttributeError) and name == "from_dlpack" and parameter == "x":
        return None if "from_dlpack" in str(error) else f"{shown} [does not name the function]"
    if isinstance(error, UserWarning):
        return None
    if not isinstance(error, documented_errors(name)):
        return f"{shown} [not a documented error]"
    if isinstance(error, MemoryError) and not isinstance(error, xp.OutOfMemoryError):
        return f"{shown} [not an OutOfMemoryError]"
    if parameter not in ("device", "device_", "spec") and name.rpartition(".")[2] not in text:
        return f"{shown} [does not name the function]"
    if name in FILES or (name, parameter) in CALLERS_FUNCTIONS:
        return None
    nameless = (MemoryError, np.linalg.LinAlgError, xp.special.FunctionUnavailableError)
    if not isinstance(error, nameless) and not any(word in str(error) for word in descriptions_of(bad)):
        return f"{shown} [does not name the value or its type]"
    return None


def is_result(name: str, arguments: Arguments, value: Any) -> bool:
    """Return whether a function may return a value: of a public type, or the argument ``out``; None if it writes."""
    if name in WRITING_FUNCTIONS:
        return value is None
    return is_public_value(value) or value is arguments.get("out") or name == "to_numpy"


def is_public_value(value: Any) -> bool:
    """Return whether a value is of a type that public functions return."""
    plain = (xp.Array, xp.Device, np.dtype, bool, np.bool_, int, float, complex)
    if isinstance(value, (tuple, list)):
        return all(is_public_value(item) for item in value)
    return isinstance(value, plain) or hasattr(value, "bits")
