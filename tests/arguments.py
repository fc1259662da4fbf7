"""Valid and invalid arguments of every public function, method and operator, and requirements on error messages.

Functions and parameters come from the namespace's signatures, operands from the table of operations.
``SPECIAL_OPERANDS`` and ``GOOD_METHODS`` contain the arguments that do not follow from either. A function without valid
arguments fails ``test_every_function_has_good_arguments``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from strategies import quiet, values_of

import xtensor as xp
from xtensor.backend import TABLE

DOCUMENTED = (TypeError, ValueError, IndexError, OverflowError, BufferError, MemoryError)
"""Errors that invalid arguments may raise, with subclasses: LinAlgError and DeviceMismatchError are ValueErrors."""


def matrix() -> xp.Array:
    """Return a positive-definite matrix, which every function of numbers accepts."""
    return xp.asarray([[4.0, 1.0], [1.0, 3.0]])


def vector() -> xp.Array:
    return xp.asarray([1.0, 2.0, 3.0])


def integers() -> xp.Array:
    return xp.asarray([[3, 1], [0, 2]])


def booleans() -> xp.Array:
    return xp.asarray([[True, False], [False, True]])


def complexes() -> xp.Array:
    return xp.asarray([[1 + 2j, 0j], [1j, 3 + 0j]])


def unit_interval() -> xp.Array:
    """Return numbers within (0, 1), where most special functions are defined."""
    return xp.asarray([[0.25, 0.5], [0.75, 0.125]])


Arguments = dict[str, Any]


def parameters_of(function: Any) -> list[inspect.Parameter]:
    return [item for item in inspect.signature(function).parameters.values() if item.name != "self"]


NAN_FUNCTIONS = (
    *("cumprod", "cumsum", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmin"),
    *("nanprod", "nanstd", "nansum", "nanvar", "median", "nanmedian"),
)


NN_FUNCTIONS = tuple(
    f"nn.functional.{name}" for name in ("gelu", "layer_norm", "log_softmax", "relu", "rms_norm", "silu", "softmax")
)


def operands_of(function: Any) -> Callable[[], Arguments]:
    """Return valid arguments of a special function: one array for each required parameter."""
    names = [item.name for item in parameters_of(function) if item.default is item.empty]
    return lambda: {name: unit_interval() for name in names}


OPERANDS: dict[str, Callable[[], xp.Array]] = {
    "any": matrix,
    "numeric": matrix,
    "real": matrix,
    "floating": matrix,
    "real floating": matrix,
    "complex floating": complexes,
    "integer": integers,
    "integer or boolean": integers,
    "boolean": booleans,
}
"""Valid operand for each dtype category of the table of operations."""


def takes_an_array(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter takes an Array, by its annotation."""
    annotation = str(parameter.annotation)
    return "Array" in annotation or "Operand" in annotation


def from_table(name: str, function: Any) -> Callable[[], Arguments] | None:
    """Return valid arguments by the table of operations; None if a required parameter is not an array."""
    row = TABLE.get(name)
    required = [item for item in parameters_of(function) if item.default is item.empty]
    if row is None or not row.declared or not all(map(takes_an_array, required)):
        return None
    return lambda: {item.name: OPERANDS[row.accepts]() for item in required}


SPECIAL_OPERANDS: dict[str, Callable[[], Arguments]] = {
    **dict.fromkeys(("fft.fft", "fft.ifft", "fft.hfft", "fft.irfft"), lambda: {"x": complexes()}),
    **dict.fromkeys(("fft.fftn", "fft.ifftn", "fft.irfftn"), lambda: {"x": complexes()}),
    **dict.fromkeys(("fft.fftfreq", "fft.rfftfreq"), lambda: {"n": 4}),
    **dict.fromkeys(("empty", "ones", "zeros"), lambda: {"shape": (2, 2)}),
    **dict.fromkeys(("cumulative_prod", "cumulative_sum"), lambda: {"x": vector()}),
    **dict.fromkeys(("concat", "stack"), lambda: {"arrays": [matrix(), matrix()]}),
    **dict.fromkeys(("empty_like", "ones_like", "zeros_like"), lambda: {"x": matrix()}),
    "linalg.matmul": lambda: {"x1": matrix(), "x2": matrix()},
    "linalg.matrix_transpose": lambda: {"x": matrix()},
    "linalg.tensordot": lambda: {"x1": matrix(), "x2": matrix()},
    "linalg.vecdot": lambda: {"x1": matrix(), "x2": matrix()},
    "__array_namespace_info__": dict,
    "arange": lambda: {"start": 3},
    "asarray": lambda: {"obj": matrix()},
    "astype": lambda: {"x": matrix(), "dtype": xp.float32},
    "bitwise_invert": lambda: {"x": integers()},
    "broadcast_arrays": lambda: {"arrays": (matrix(), matrix())},
    "broadcast_shapes": lambda: {"shapes": ((2, 1), (2,))},
    "broadcast_to": lambda: {"x": matrix(), "shape": (3, 2, 2)},
    "can_cast": lambda: {"from_": xp.float32, "to": xp.float64},
    "expand_dims": lambda: {"x": matrix(), "axis": 0},
    "eye": lambda: {"n_rows": 2},
    "finfo": lambda: {"type": xp.float32},
    "from_dlpack": lambda: {"x": matrix()},
    "full": lambda: {"shape": (2, 2), "fill_value": 1.0},
    "full_like": lambda: {"x": matrix(), "fill_value": 1.0},
    "iinfo": lambda: {"type": xp.int32},
    "isdtype": lambda: {"dtype": xp.float32, "kind": "numeric"},
    "isin": lambda: {"x1": integers(), "x2": integers()},
    "linalg.cross": lambda: {"x1": vector(), "x2": vector()},
    "linalg.matrix_power": lambda: {"x": matrix(), "n": 2},
    "linalg.outer": lambda: {"x1": vector(), "x2": vector()},
    "linspace": lambda: {"start": 0.0, "stop": 1.0, "num": 3},
    "logical_not": lambda: {"x": booleans()},
    "meshgrid": lambda: {"arrays": (vector(), vector())},
    "moveaxis": lambda: {"x": matrix(), "source": 0, "destination": 1},
    "permute_dims": lambda: {"x": matrix(), "axes": (1, 0)},
    "repeat": lambda: {"x": matrix(), "repeats": 2},
    "reshape": lambda: {"x": matrix(), "shape": (4,)},
    "result_type": lambda: {"arrays_and_dtypes": (matrix(), xp.float32)},
    "roll": lambda: {"x": matrix(), "shift": 1},
    "searchsorted": lambda: {"x1": vector(), "x2": matrix()},
    "squeeze": lambda: {"x": xp.ones((1, 2)), "axis": 0},
    "take": lambda: {"x": vector(), "indices": xp.asarray([0, 2])},
    "take_along_axis": lambda: {"x": matrix(), "indices": integers() % 2},
    "tile": lambda: {"x": matrix(), "repetitions": (2, 1)},
    "where": lambda: {"condition": booleans(), "x1": matrix(), "x2": matrix()},
    # Beyond the standard.
    **dict.fromkeys(NAN_FUNCTIONS, lambda: {"a": matrix()}),
    **dict.fromkeys(("quantile", "nanquantile", "percentile", "nanpercentile"), lambda: {"a": matrix(), "q": 0.5}),
    **dict.fromkeys(("average", "histogram", "histogram_bin_edges", "ptp", "sort_complex"), lambda: {"a": matrix()}),
    **dict.fromkeys(("argpartition", "partition"), lambda: {"a": matrix(), "kth": 1}),
    **dict.fromkeys(("intersect1d", "setdiff1d", "setxor1d", "union1d"), lambda: {"ar1": matrix(), "ar2": matrix()}),
    **dict.fromkeys(("polyadd", "polymul", "polysub"), lambda: {"a1": vector(), "a2": vector()}),
    **dict.fromkeys(("polyder", "polyint"), lambda: {"p": vector()}),
    **dict.fromkeys(("allclose", "isclose"), lambda: {"a": matrix(), "b": matrix()}),
    **dict.fromkeys(("dot", "inner", "outer", "vdot"), lambda: {"a": matrix(), "b": matrix()}),
    **dict.fromkeys(("fix", "i0", "isneginf", "isposinf", "nan_to_num", "sinc"), lambda: {"x": matrix()}),
    **dict.fromkeys(("iscomplex", "iscomplexobj", "isreal", "isrealobj"), lambda: {"x": complexes()}),
    "angle": lambda: {"z": complexes()},
    **dict.fromkeys(("fft.fft2", "fft.ifft2", "fft.irfft2", "fft.rfft2"), lambda: {"a": matrix()}),
    **dict.fromkeys(("linalg.cond", "linalg.norm"), lambda: {"x": matrix()}),
    "linalg.multi_dot": lambda: {"arrays": [matrix(), matrix(), matrix()]},
    "linalg.tensorinv": lambda: {"a": xp.reshape(xp.eye(4), (2, 2, 2, 2))},
    "linalg.tensorsolve": lambda: {"a": matrix(), "b": vector()[:2]},
    "ldexp": lambda: {"x1": matrix(), "x2": integers()},
    "real_if_close": lambda: {"a": complexes()},
    "bincount": lambda: {"x": xp.asarray([1, 0, 2])},
    "convolve": lambda: {"a": vector(), "v": vector()},
    "corrcoef": lambda: {"x": matrix()},
    "correlate": lambda: {"a": vector(), "v": vector()},
    "cov": lambda: {"m": matrix()},
    "cross": lambda: {"x1": vector(), "x2": vector()},
    "diag": lambda: {"v": vector()},
    "digitize": lambda: {"x": matrix(), "bins": vector()},
    "ediff1d": lambda: {"ary": matrix()},
    "einsum": lambda: {"subscripts": "ij,jk", "operands": (matrix(), matrix())},
    "gradient": lambda: {"f": matrix(), "varargs": (1.0,)},
    "histogram2d": lambda: {"x": vector(), "y": vector()},
    "histogramdd": lambda: {"sample": matrix()},
    "interp": lambda: {"x": matrix(), "xp": vector(), "fp": vector()},
    "lexsort": lambda: {"keys": (matrix(), matrix())},
    "lib.stride_tricks.sliding_window_view": lambda: {"x": matrix(), "window_shape": (2, 1)},
    "linalg.lstsq": lambda: {"a": matrix(), "b": matrix()},
    "pad": lambda: {"array": matrix(), "pad_width": 1, "options": {"constant_values": 0.0}},
    "poly": lambda: {"seq_of_zeros": vector()},
    "polydiv": lambda: {"u": vector(), "v": vector()},
    "polyfit": lambda: {"x": vector(), "y": vector(), "deg": 1},
    "polyval": lambda: {"p": vector(), "x": matrix()},
    "put_along_axis": lambda: {"arr": matrix(), "indices": integers() % 2, "values": 1.0, "axis": 0},
    "roots": lambda: {"p": vector()},
    "transpose": lambda: {"a": matrix()},
    "trapezoid": lambda: {"y": matrix()},
    "unique": lambda: {"ar": matrix()},
    "unwrap": lambda: {"p": matrix()},
    **dict.fromkeys(NN_FUNCTIONS, lambda: {"x": matrix()}),
    "nn.functional.cross_entropy": lambda: {"logits": matrix(), "target": xp.asarray([0, 1])},
    "nn.functional.linear": lambda: {"x": matrix(), "weight": matrix()},
    "nn.functional.rotary_embedding": lambda: {
        "x": matrix(),
        "cos": unit_interval()[:, :1],
        "sin": unit_interval()[:, :1],
    },
    "nn.functional.scaled_dot_product_attention": lambda: {"query": matrix(), "key": matrix(), "value": matrix()},
    "nn.functional.swiglu": lambda: {"gate": matrix(), "x": matrix()},
    "special.multigammaln": lambda: {"a": matrix() + 3, "d": 2},
    # The functions about devices.
    "backends": dict,
    "best_device": dict,
    "default_device": dict,
    "device": lambda: {"spec": "cpu"},
    "devices": dict,
    "register_backend": lambda: {"backend": None},
    "set_backend_priority": lambda: {"names": []},
    "set_default_device": lambda: {"spec": None},
    "transfers": lambda: {"policy": "forbid"},
    "use_device": lambda: {"spec": "cpu"},
}
"""Valid arguments of the functions whose operands do not follow from the table of operations."""


STATEFUL_FUNCTIONS = ("set_default_device", "set_backend_priority", "transfers", "use_device")
"""Functions that change global state. They have tests of their own in test_bad_input.py."""

GOOD_METHODS: dict[str, Callable[[], Arguments]] = {
    **dict.fromkeys(("all", "any", "argmax", "argmin", "argsort", "clip", "conj", "copy", "cumprod", "cumsum"), dict),
    **dict.fromkeys(("flatten", "item", "max", "mean", "min", "nonzero", "prod", "ravel", "round", "std"), dict),
    **dict.fromkeys(("squeeze", "sum", "tolist", "transpose", "var", "view"), dict),
    "astype": lambda: {"dtype": xp.float32},
    "dot": lambda: {"other": matrix()},
    "fill": lambda: {"value": 1.0},
    "repeat": lambda: {"repeats": 2},
    "reshape": lambda: {"shape": (4,)},
    "swapaxes": lambda: {"axis1": 0, "axis2": 1},
    "take": lambda: {"indices": xp.asarray([0, 1])},
    "to_device": lambda: {"device_": xp.default_device()},
}
"""Valid arguments of every public method of a 2 × 2 array."""


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

HUGE = ("2**62", "2**100", "huge lengths", "one huge length")

REPETITIONS = (("repeat", "repeats"), ("tile", "repetitions"))
"""Parameters that are not tested with huge values in this process: a library multiplies counts of repetitions unchecked
(test_bad_input.py tests those in a subprocess)."""

ACCEPTS_MORE_THAN_NUMPY = (
    *(("finfo", "type"), ("iinfo", "type"), ("clip", "x"), ("fft.fftshift", "x"), ("fft.ifftshift", "x")),
    *(("diff", "n"), ("std", "correction"), ("std", "ddof"), ("var", "correction"), ("var", "ddof")),
    *(("nanstd", "correction"), ("nanstd", "ddof"), ("nanvar", "correction"), ("nanvar", "ddof")),
    *(("allclose", "rtol"), ("allclose", "atol"), ("isclose", "rtol"), ("isclose", "atol")),
    *(("gradient", "f"), ("quantile", "a"), ("quantile", "q"), ("nanquantile", "a"), ("nanquantile", "q")),
    *(("percentile", "a"), ("percentile", "q"), ("nanpercentile", "a"), ("nanpercentile", "q")),
    *(("poly", "seq_of_zeros"), ("polyder", "p"), ("polyder", "m"), ("polyint", "p")),
    *(("roots", "p"), ("einsum", "optimize"), ("linalg.diagonal", "offset"), ("linalg.trace", "offset")),
    *(("linspace", "start"), ("linspace", "stop"), ("tril", "k"), ("triu", "k")),
)
"""Parameters that accept values which NumPy refuses: arrays instead of dtypes, booleans without bounds, an order of
differences greater than the length, integers beyond 64 bits, booleans and empty arrays instead of numbers, ignored
values."""


def public_function(name: str) -> Any:
    """Return a public function by its qualified name, such as ``linalg.svd``."""
    value: Any = xp
    for part in name.split("."):
        value = getattr(value, part)
    return value


def public_functions() -> list[str]:
    """Return the qualified names of all public functions."""
    modules = ("", "fft.", "lib.stride_tricks.", "linalg.", "nn.functional.", "special.")
    names = [prefix + name for prefix in modules for name in (public_function(prefix[:-1]) if prefix else xp).__all__]
    return [name for name in names if inspect.isfunction(public_function(name)) or name == "transfers"]


def good_arguments() -> dict[str, Callable[[], Arguments]]:
    """Return valid required arguments of every public function, as functions that create them on the default device."""
    arguments = dict(SPECIAL_OPERANDS)
    for name in public_functions():
        if name.startswith("special.") and name not in arguments:
            arguments[name] = operands_of(public_function(name))
        elif name not in arguments and (derived := from_table(name, public_function(name))) is not None:
            arguments[name] = derived
    return arguments


def public_methods() -> list[str]:
    return [name for name in dir(xp.Array) if not name.startswith("_") and callable(getattr(xp.Array, name))]


def call(function: Any, arguments: Arguments) -> Any:
    """Call a function with arguments by parameter name, each passed as the kind of its parameter requires."""
    args: list[Any] = []
    kwargs: Arguments = {}
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
    if isinstance(value, xp.Array):
        return values_of(value)
    if isinstance(value, xp.Device):
        return "cpu"
    if isinstance(value, dict):
        return {key: as_numpy(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and value and any(isinstance(item, xp.Array) for item in value):
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
            _call_numpy(reference, function, converted)
    except AttributeError:
        return None
    except Exception as error:
        return None if "keyword argument" in str(error) else error
    return None


def _call_numpy(reference: Any, function: Any, arguments: Arguments) -> Any:
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


def descriptions_of(value: Any) -> set[str]:
    """Return the texts by which a message may identify a value: its repr, type, dtype, shape or elements."""
    names = {type(value).__name__, type(value).__qualname__}
    if isinstance(value, (xp.Array, np.ndarray, np.generic)):
        names |= {str(value.dtype), str(value.shape), f"{value.ndim} dim", f"{value.ndim} axes"}
        names |= {f"dimension {value.ndim}", f"{value.ndim}-d"}
        names |= {str(length) for length in value.shape} | {repr(value).splitlines()[0]}
    if isinstance(value, np.ndarray):
        names |= {word for item in value.flat for word in (repr(item), str(item))}
    if isinstance(value, np.dtype):
        names |= {str(value)}
    if isinstance(value, (list, tuple, set, dict, bytes)) and not any(item is value for item in value):
        names |= {word for item in value for word in descriptions_of(item)}
        names |= {f"shape ({len(value)},"} if value else {"empty", "()", "(0,)"}
    if not isinstance(value, (xp.Array, np.ndarray)):
        names |= {repr(value)[:50], str(value)[:50]}
    return {name for name in names if name}


def error_text(error: BaseException) -> str:
    """Return an error's message and its notes, which contain the function's name."""
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


def error_defect(name: str, parameter: str, case: str, bad: Any, error: Exception) -> str | None:
    """Describe what the error of an invalid argument lacks; None if it meets all requirements."""
    text = error_text(error)
    shown = f"{case}: {type(error).__name__}: {text[:200]}"
    if isinstance(error, AttributeError) and name == "from_dlpack" and parameter == "x":
        return None if "from_dlpack" in str(error) else f"{shown} [does not name the function]"
    if not isinstance(error, (*DOCUMENTED, xp.special.FunctionUnavailableError)):
        return f"{shown} [not a documented error]"
    if isinstance(error, MemoryError) and not isinstance(error, xp.OutOfMemoryError):
        return f"{shown} [not an OutOfMemoryError]"
    if parameter not in ("device", "device_", "spec") and name.rpartition(".")[2] not in text:
        return f"{shown} [does not name the function]"
    nameless = (MemoryError, np.linalg.LinAlgError, xp.special.FunctionUnavailableError)
    if not isinstance(error, nameless) and not any(word in str(error) for word in descriptions_of(bad)):
        return f"{shown} [does not name the value or its type]"
    return None


def is_public_value(value: Any) -> bool:
    """Return whether a value is of a type that public functions return."""
    plain = (xp.Array, xp.Device, np.dtype, bool, np.bool_, int, float, complex)
    if isinstance(value, (tuple, list)):
        return all(is_public_value(item) for item in value)
    return isinstance(value, plain) or hasattr(value, "bits")


GOOD = good_arguments()
