"""Valid arguments of every public function and method.

Functions and parameters come from the namespace's signatures, operands from the table of operations, other arguments
from the parameter's name. ``SPECIAL`` and ``SPECIAL_METHODS`` contain the arguments that do not follow from these. A
function without valid arguments fails ``test_every_function_has_good_arguments``.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from io import BytesIO, StringIO
from typing import Any

import numpy as np

import xtensor as xp
from xtensor.backend import TABLE


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


def ones() -> xp.Array:
    return xp.ones(2)


def images(axes: int) -> xp.Array:
    """Return two examples of two channels with spatial axes of length 2."""
    return xp.reshape(xp.arange(1.0, 2.0 ** (axes + 2) + 1), (2,) * (axes + 2))


Arguments = dict[str, Any]


def parameters_of(function: Any) -> list[inspect.Parameter]:
    return [item for item in inspect.signature(function).parameters.values() if item.name != "self"]


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
    if row is None or not row.declared or row.takes_arrays or not all(map(takes_an_array, required)):
        return None
    return lambda: {item.name: OPERANDS[row.accepts]() for item in required}


BY_NAME: dict[str, Callable[[], Any]] = {
    **dict.fromkeys(("a", "a1", "a2", "arr", "array", "ary", "b", "m", "sample", "x", "x1", "x2"), matrix),
    **dict.fromkeys(("ar", "ar1", "ar2", "obj", "y", "z"), matrix),
    **dict.fromkeys(("bins", "filt", "fp", "p", "seq_of_zeros", "u", "v", "xp"), vector),
    **dict.fromkeys(("arrays", "arys", "keys", "tup"), lambda: (matrix(), matrix())),
    **dict.fromkeys(("axis", "axis1"), lambda: 0),
    **dict.fromkeys(("axis2", "destination", "k", "kth"), lambda: 1),
    **dict.fromkeys(("indices_or_sections", "n", "n_rows", "ndim", "repeats", "N"), lambda: 2),
    **dict.fromkeys(("new_shape", "shape", "dimensions"), lambda: (2, 2)),
    "condition": booleans,
    "dtype": lambda: xp.float32,
    "fill_value": lambda: 1.0,
    "file": BytesIO,
    "indices": lambda: integers() % 2,
    "q": lambda: 0.5,
}
"""Valid argument for a required parameter of each name."""

SPECIAL: dict[str, Callable[[], Arguments]] = {
    **dict.fromkeys(("fft.fft", "fft.ifft", "fft.hfft", "fft.irfft"), lambda: {"x": complexes()}),
    **dict.fromkeys(("fft.fftn", "fft.ifftn", "fft.irfftn"), lambda: {"x": complexes()}),
    **dict.fromkeys(("fft.fftfreq", "fft.rfftfreq"), lambda: {"n": 4}),
    **dict.fromkeys(("cumulative_prod", "cumulative_sum"), lambda: {"x": vector()}),
    **dict.fromkeys(("concat", "stack"), lambda: {"arrays": [matrix(), matrix()]}),
    "arange": lambda: {"start": 3},
    **dict.fromkeys(("bartlett", "blackman", "hamming", "hanning"), lambda: {"M": 4}),
    "kaiser": lambda: {"M": 4, "beta": 5.0},
    "isscalar": lambda: {"element": 3.0},
    "issubdtype": lambda: {"arg1": xp.float32, "arg2": xp.float32},
    "broadcast_shapes": lambda: {"shapes": ((2, 1), (2,))},
    "broadcast_to": lambda: {"x": matrix(), "shape": (3, 2, 2)},
    "can_cast": lambda: {"from_": xp.float32, "to": xp.float64},
    "finfo": lambda: {"type": xp.float32},
    "iinfo": lambda: {"type": xp.int32},
    "isdtype": lambda: {"dtype": xp.float32, "kind": "numeric"},
    "isin": lambda: {"x1": integers(), "x2": integers()},
    "linspace": lambda: {"start": 0.0, "stop": 1.0, "num": 3},
    "meshgrid": lambda: {"arrays": (vector(), vector())},
    "moveaxis": lambda: {"x": matrix(), "source": 0, "destination": 1},
    "permute_dims": lambda: {"x": matrix(), "axes": (1, 0)},
    "result_type": lambda: {"arrays_and_dtypes": (matrix(), xp.float32)},
    "roll": lambda: {"x": matrix(), "shift": 1},
    "repeat": lambda: {"x": matrix(), "repeats": 2},
    "searchsorted": lambda: {"x1": vector(), "x2": matrix()},
    "squeeze": lambda: {"x": xp.ones((1, 2)), "axis": 0},
    "take": lambda: {"x": vector(), "indices": xp.asarray([0, 2])},
    "tile": lambda: {"x": matrix(), "repetitions": (2, 1)},
    "where": lambda: {"condition": booleans(), "x1": matrix(), "x2": matrix()},
    # Beyond the standard.
    **dict.fromkeys(("bincount", "bitwise_count"), lambda: {"x": xp.asarray([1, 0, 2])}),
    **dict.fromkeys(("convolve", "correlate"), lambda: {"a": vector(), "v": vector()}),
    **dict.fromkeys(("cross", "linalg.cross", "linalg.outer"), lambda: {"x1": vector(), "x2": vector()}),
    **dict.fromkeys(("polyadd", "polymul", "polysub"), lambda: {"a1": vector(), "a2": vector()}),
    **dict.fromkeys(("geomspace", "logspace"), lambda: {"start": 1.0, "stop": 2.0, "num": 3}),
    **dict.fromkeys(("savez", "savez_compressed"), lambda: {"file": BytesIO(), "args": (matrix(),), "kwds": {}}),
    "apply_along_axis": lambda: {"func1d": xp.sum, "axis": 0, "arr": matrix(), "kwargs": {"keepdims": False}},
    "apply_over_axes": lambda: {"func": xp.nansum, "a": matrix(), "axes": (0, 1)},
    "choose": lambda: {"a": integers() % 2, "choices": [matrix(), matrix() + 1]},
    "compress": lambda: {"condition": xp.asarray([True, False]), "a": matrix(), "axis": 0},
    "copyto": lambda: {"dst": matrix(), "src": matrix()},
    "delete": lambda: {"arr": matrix(), "obj": 1, "axis": 0},
    "dsplit": lambda: {"ary": xp.ones((2, 2, 2)), "indices_or_sections": 2},
    "einsum": lambda: {"subscripts": "ij,jk", "operands": (matrix(), matrix())},
    "fill_diagonal": lambda: {"a": matrix(), "val": 1.0},
    "gradient": lambda: {"f": matrix(), "varargs": (1.0,)},
    "histogram2d": lambda: {"x": vector(), "y": vector()},
    "insert": lambda: {"arr": matrix(), "obj": 1, "values": vector()[:2], "axis": 0},
    "interp": lambda: {"x": matrix(), "xp": vector(), "fp": vector()},
    "ix_": lambda: {"args": (xp.asarray([0, 1]), xp.asarray([1, 0]))},
    "block": lambda: {"arrays": [matrix(), matrix()]},
    "append": lambda: {"arr": matrix(), "values": matrix(), "axis": 0},
    "ldexp": lambda: {"x1": matrix(), "x2": integers()},
    "lib.stride_tricks.sliding_window_view": lambda: {"x": matrix(), "window_shape": (2, 1)},
    "linalg.multi_dot": lambda: {"arrays": [matrix(), matrix(), matrix()]},
    "linalg.solve_triangular": lambda: {"a": matrix(), "b": vector()[:2]},
    "linalg.tensorinv": lambda: {"a": xp.reshape(xp.eye(4), (2, 2, 2, 2))},
    "linalg.tensorsolve": lambda: {"a": matrix(), "b": vector()[:2]},
    "load": lambda: {"file": saved_array()},
    "loadtxt": lambda: {"fname": StringIO("1 2\n3 4\n")},
    "packbits": lambda: {"a": booleans()},
    "pad": lambda: {"array": matrix(), "pad_width": 1, "options": {"constant_values": 0.0}},
    "piecewise": lambda: {"x": matrix(), "condlist": [booleans()], "funclist": [xp.exp, 0.0], "args": (), "kw": {}},
    "place": lambda: {"arr": matrix(), "mask": booleans(), "vals": vector()},
    "polyfit": lambda: {"x": vector(), "y": vector(), "deg": 1},
    "polyval": lambda: {"p": vector(), "x": matrix()},
    "put": lambda: {"a": matrix(), "ind": xp.asarray([0, 2]), "v": vector()[:2]},
    "put_along_axis": lambda: {"arr": matrix(), "indices": integers() % 2, "values": 1.0, "axis": 0},
    "putmask": lambda: {"a": matrix(), "mask": booleans(), "values": matrix()},
    "ravel_multi_index": lambda: {"multi_index": (xp.asarray([0, 1]), xp.asarray([1, 1])), "dims": (2, 2)},
    "real_if_close": lambda: {"a": complexes()},
    "savetxt": lambda: {"fname": StringIO(), "X": matrix()},
    "select": lambda: {"condlist": [booleans()], "choicelist": [matrix()], "default": 0},
    "take_along_axis": lambda: {"x": matrix(), "indices": integers() % 2},
    "unpackbits": lambda: {"a": xp.asarray([[2], [7]], dtype=xp.uint8)},
    "unravel_index": lambda: {"indices": xp.asarray([0, 3]), "shape": (2, 2)},
    "vander": lambda: {"x": vector()},
    "nn.functional.cross_entropy": lambda: {"logits": matrix(), "target": xp.asarray([0, 1])},
    **{
        f"nn.functional.{name}{axes}d": lambda axes=axes: {"x": images(axes), "weight": images(axes)}
        for name in ("conv", "conv_transpose")
        for axes in (1, 2, 3)
    },
    **{
        f"nn.functional.{name}{axes}d": lambda axes=axes: {"x": images(axes), "kernel_size": 2}
        for name in ("max_pool", "avg_pool")
        for axes in (1, 2, 3)
    },
    **{
        f"nn.functional.{name}{axes}d": lambda axes=axes: {"x": images(axes), "output_size": 1}
        for name in ("adaptive_max_pool", "adaptive_avg_pool")
        for axes in (1, 2, 3)
    },
    **{
        f"nn.functional.max_unpool{axes}d": lambda axes=axes: {
            "x": images(axes)[(..., *[slice(0, 1)] * axes)],
            "indices": xp.zeros((2, 2, *[1] * axes), dtype=xp.int64),
            "kernel_size": 2,
        }
        for axes in (1, 2, 3)
    },
    **{
        f"nn.functional.{name}": lambda: {"x": unit_interval(), "target": unit_interval()}
        for name in (
            "binary_cross_entropy",
            "binary_cross_entropy_with_logits",
            "huber_loss",
            "kl_div",
            "l1_loss",
            "mse_loss",
            "smooth_l1_loss",
        )
    },
    **{
        f"nn.functional.{name}": lambda: {"x": matrix(), "rng": xp.random.default_rng(0)}
        for name in ("dropout", "dropout_channels")
    },
    "nn.functional.batch_norm": lambda: {"x": matrix(), "running_mean": unit_interval()[0, :], "running_var": ones()},
    "nn.functional.cosine_embedding_loss": lambda: {"x1": matrix(), "x2": matrix(), "target": xp.asarray([1, -1])},
    "nn.functional.ctc_loss": lambda: {
        "log_probs": -images(1),
        "targets": xp.asarray([[1], [1]]),
        "input_lengths": [2, 2],
        "target_lengths": [1, 1],
    },
    "nn.functional.embedding": lambda: {"indices": integers() % 2, "weight": matrix()},
    "nn.functional.group_norm": lambda: {"x": matrix(), "num_groups": 1},
    "nn.functional.instance_norm": lambda: {"x": images(1)},
    "nn.functional.interpolate": lambda: {"x": images(1), "size": 3},
    "nn.functional.nll_loss": lambda: {"x": matrix(), "target": xp.asarray([0, 1])},
    "nn.functional.one_hot": lambda: {"indices": integers(), "num_classes": 4},
    "nn.functional.prelu": lambda: {"x": matrix(), "weight": ones()},
    "nn.functional.linear": lambda: {"x": matrix(), "weight": matrix()},
    "nn.functional.quantized_linear": lambda: {
        "x": matrix(),
        "codes": xp.asarray([[1, 2], [-3, 4]], dtype=xp.int8),
        "scales": unit_interval()[:, :1],
    },
    "nn.functional.rotary_embedding": lambda: {
        "x": matrix(),
        "cos": unit_interval()[:, :1],
        "sin": unit_interval()[:, :1],
    },
    "nn.functional.scaled_dot_product_attention": lambda: {"query": matrix(), "key": matrix(), "value": matrix()},
    "nn.functional.swiglu": lambda: {"gate": matrix(), "x": matrix()},
    "special.multigammaln": lambda: {"a": matrix() + 3, "d": 2},
    # The functions about devices.
    "device": lambda: {"spec": "cpu"},
    "register_backend": lambda: {"backend": None},
    "set_backend_priority": lambda: {"names": []},
    "set_default_device": lambda: {"spec": None},
    "transfers": lambda: {"policy": "forbid"},
    "use_device": lambda: {"spec": "cpu"},
}
"""Valid arguments of the functions whose arguments do not follow from the table or from the parameters' names."""

STATEFUL_FUNCTIONS = ("set_default_device", "set_backend_priority", "transfers", "use_device")
"""Functions that change global state. They have tests of their own in test_bad_input.py."""

WRITING_FUNCTIONS = (
    *("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask"),
    *("save", "savetxt", "savez", "savez_compressed"),
)
"""Functions that write to an operand or to a file, and return None."""

SPECIAL_METHODS: dict[str, Callable[[], Arguments]] = {
    "choose": lambda: {"choices": [1.0, 2.0]},
    "compress": lambda: {"condition": xp.asarray([True, False])},
    "dot": lambda: {"b": matrix()},
    "fill": lambda: {"value": 1.0},
    "put": lambda: {"indices": xp.asarray([0, 2]), "values": 1.0},
    "reshape": lambda: {"shape": (4,)},
    "take": lambda: {"indices": xp.asarray([0, 1])},
    "to_device": lambda: {"device_": xp.default_device()},
    "tofile": lambda: {"fid": os.devnull},
}
"""Valid arguments of methods of an array that do not follow from the parameters' names."""


def method_operand(name: str) -> xp.Array:
    """Return the array whose method the tests call: a matrix, except for a method that requires another one."""
    return {"choose": lambda: integers() % 2, "item": lambda: xp.asarray(1.0), "searchsorted": vector}.get(
        name, matrix
    )()


def saved_array() -> BytesIO:
    """Return a file with an array in NumPy's format."""
    file = BytesIO()
    np.save(file, np.eye(2))
    file.seek(0)
    return file


def from_names(function: Any) -> Callable[[], Arguments] | None:
    """Return valid arguments by the names of the required parameters; None if one of the names is not known."""
    required = [item for item in parameters_of(function) if item.default is item.empty]
    names = [item.name for item in required if item.kind is not item.VAR_POSITIONAL or item.name in BY_NAME]
    if not set(names) <= set(BY_NAME):
        return None
    return lambda: {name: BY_NAME[name]() for name in names}


def public_function(name: str) -> Any:
    """Return a public function by its qualified name, such as ``linalg.svd``."""
    value: Any = xp
    for part in name.split("."):
        value = getattr(value, part)
    return value


FUNCTIONS_OF_FUNCTIONS = ("best_device", "estimate", "fuse", "profile", "vmap")
"""Functions whose arguments are functions and their arguments, or blocks. They have tests of their own."""


def public_functions() -> list[str]:
    """Return the qualified names of all public functions."""
    modules = ("", "fft.", "lib.stride_tricks.", "linalg.", "nn.functional.", "special.")
    names = [prefix + name for prefix in modules for name in (public_function(prefix[:-1]) if prefix else xp).__all__]
    names = [name for name in names if name not in FUNCTIONS_OF_FUNCTIONS]
    return [name for name in names if inspect.isroutine(public_function(name)) or name == "transfers"]


def public_methods() -> list[str]:
    """Return the names of the methods of an Array on any device: those of engines have tests of their own."""
    names = [name for name in dir(xp.ones(1, device="cpu")) if not name.startswith("_")]
    return [name for name in names if callable(getattr(xp.Array, name))]


def good_arguments() -> dict[str, Callable[[], Arguments]]:
    """Return valid required arguments of every public function, as functions that create them on the default device."""
    arguments = {}
    for name in public_functions():
        function = public_function(name)
        made = SPECIAL.get(name) or (operands_of(function) if name.startswith("special.") else None)
        made = made or from_table(name, function) or from_names(function)
        if made is not None:
            arguments[name] = made
    return arguments


def good_arguments_of_methods() -> dict[str, Callable[[], Arguments]]:
    """Return valid required arguments of every public method of ``method_operand(name)``."""
    methods = {name: SPECIAL_METHODS.get(name) or from_names(getattr(xp.Array, name)) for name in public_methods()}
    return {name: made for name, made in methods.items() if made is not None}


GOOD = good_arguments()

GOOD_METHODS = good_arguments_of_methods()
