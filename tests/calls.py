"""Random calls of every operation of the table, and the comparison of their outcomes on two devices.

The table gives the operations, their signatures the parameters, and ``VALUES`` a generator for each parameter that is
not an array. A new operation is therefore covered by its row, and a parameter of a new name fails
``test_every_parameter_has_values``.

A call is drawn once and made on each device: :class:`Source` has the values of an operand and its memory layout.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import numpy as np
from good_arguments import GOOD, parameters_of, public_function, takes_an_array
from sources import Source, ascending, finite, hostile, modest, source
from strategies import STANDARD_DTYPES, quiet, values_of

import xtensor as xp
from xtensor._core.operations import DTYPES
from xtensor.backend import TABLE

ERRORS = (TypeError, IndexError, ValueError, OverflowError, NotImplementedError)
"""The classes of errors that are told apart. An AxisError is an IndexError."""


def palette(rng: Random, name: str) -> Callable[[Random, Any], Any]:
    """Choose the values for an operation, so that its result is determined to a few units in the last place."""
    kind = TABLE[name].kind
    if kind in ("linear algebra", "fourier", "network", "special", "signal"):
        exact = (
            "matmul",
            "vecdot",
            "tensordot",
            "linalg.trace",
            "linalg.outer",
            "linalg.cross",
            "convolve",
            "bincount",
            "matvec",
            "vecmat",
        )
        return modest if name in exact and rng.random() < 0.3 else finite
    if kind in ("reduction", "scan") and name not in ("argmax", "argmin", "max", "min", "any", "all", "count_nonzero"):
        return modest
    return hostile if rng.random() < 0.75 else modest


# -- shapes and dtypes ------------------------------------------------------------------------------------------------

SHAPES = (
    (),
    (0,),
    (1,),
    (2,),
    (3,),
    (5,),
    (2, 3),
    (3, 2),
    (1, 3),
    (3, 1),
    (0, 2),
    (2, 0),
    (3, 3),
    (2, 1, 3),
    (2, 0, 2),
)

SQUARE = ("cholesky", "eig", "eigh", "eigvals", "eigvalsh", "det", "inv", "slogdet", "matrix_power", "solve")


def shapes_of(rng: Random, name: str, count: int) -> list[tuple[int, ...]]:
    """Draw the shapes of an operation's arrays; some do not fit."""
    row = TABLE[name]
    if rng.random() < 0.04:
        return [rng.choice(SHAPES) for _ in range(count)]
    label = row.label
    if label in SQUARE:
        n = rng.choice([0, 1, 2, 3])
        batch = rng.choice([(), (), (2,), (0,), (1, 2)])
        return [(*batch, n, n)] + [rng.choice([(n,), (*batch, n, 2), (n, 2)]) for _ in range(count - 1)]
    if label.startswith(("conv_transpose", "conv1", "conv2", "conv3", "avg_pool", "max_pool")):
        axes = int(label[-2])
        lengths = [tuple(rng.choice([2, 3, 4]) for _ in range(axes)), tuple(rng.choice([1, 2]) for _ in range(axes))]
        return [(2, 2, *lengths[0]), (2, 2, *lengths[1]), (2,)][:count]
    if name == "matmul":
        m, n, k = (rng.choice([0, 1, 2, 3]) for _ in range(3))
        return rng.choice([[(m, n), (n, k)], [(n,), (n, k)], [(m, n), (n,)], [(n,), (n,)], [(2, m, n), (n, k)]])
    if name in ("matvec", "vecmat"):
        m, n, batch = rng.choice([0, 1, 2, 3]), rng.choice([0, 1, 2, 3]), rng.choice([(), (), (2,), (0,)])
        pair = [(*rng.choice([(), batch]), m, n), (*batch, n)]
        return pair if name == "matvec" else [pair[1], (*pair[0][:-2], n, m)]
    if label == "cross":
        return rng.choice([[(3,), (3,)], [(2, 3), (2, 3)], [(2, 3), (1, 3)], [(3, 2), (3, 2)], [(0, 3), (0, 3)]])
    if label in ("outer", "convolve"):
        return [(rng.choice([0, 1, 2, 3]),) for _ in range(count)]
    if name == "searchsorted":
        return [(rng.choice([0, 1, 4]),), *[rng.choice(SHAPES) for _ in range(count - 1)]]
    if name == "vecdot" or row.kind == "elementwise" or row.kind == "special":
        shape = rng.choice(SHAPES)
        return [
            tuple(n if rng.random() < 0.85 else 1 for n in shape[rng.choice([0, 0, 0, 0, 1]) :]) for _ in range(count)
        ]
    return [rng.choice(SHAPES)] * count


def dtypes_of(rng: Random, name: str, count: int, dtypes: list[Any]) -> list[Any]:
    """Draw the dtypes of an operation's arrays; some are not accepted, or do not promote by the standard's rules."""
    kinds = DTYPES[TABLE[name].accepts] if rng.random() < 0.85 else "biufc"
    accepted = [dtype for dtype in dtypes if dtype.kind in kinds] or dtypes
    first = rng.choice(accepted)
    if name == "ldexp" and rng.random() < 0.85:
        return [first, rng.choice([dtype for dtype in dtypes if dtype.kind in "biu"])]
    return [first, *[first if rng.random() < 0.7 else rng.choice(accepted) for _ in range(count - 1)]]


# -- values of parameters ---------------------------------------------------------------------------------------------


class Draw(NamedTuple):
    """Operation, shape of its first array and dtypes: all that a parameter's value depends on."""

    rng: Random
    name: str
    shape: tuple[int, ...]
    dtypes: list[Any]


def an_axis(draw: Draw) -> int:
    ndim = len(draw.shape)
    return (
        draw.rng.choice([ndim, -ndim - 1]) if not ndim or draw.rng.random() < 0.03 else draw.rng.randrange(-ndim, ndim)
    )


def axes(draw: Draw) -> Any:
    """Draw None, an axis or a tuple of axes."""
    ndim = len(draw.shape)
    choice = draw.rng.random()
    if choice < 0.3:
        return None
    if choice < 0.65:
        return an_axis(draw)
    if choice < 0.7:
        return ()
    chosen = draw.rng.sample(range(ndim), draw.rng.randint(0, ndim))
    chosen = [axis - ndim if draw.rng.random() < 0.5 else axis for axis in chosen]
    return tuple(chosen + chosen[:1] if draw.rng.random() < 0.04 else chosen)


def axis(draw: Draw) -> Any:
    """Draw an axis as the operation's annotation allows: one, several or None."""
    annotation = str(inspect.signature(public_of(draw.name)).parameters["axis"].annotation)
    if "Axis" in annotation or "tuple" in annotation:
        value = axes(draw)
        return an_axis(draw) if value is None and "tuple" in annotation else value
    return None if "None" in annotation and draw.rng.random() < 0.4 else an_axis(draw)


def a_shape(draw: Draw) -> Any:
    size = math.prod(draw.shape)
    choices: list[Any] = [(size,), (-1,), (1, size), (size, 1), draw.shape[::-1], (2, -1), (*draw.shape, 1), ()]
    if TABLE[draw.name].kind == "creation":
        choices = [(), 0, 2, (2,), (2, 3), (0, 2), (1, 1)]
    elif draw.name == "broadcast_to":
        choices = [draw.shape, (2, *draw.shape), (0, *draw.shape), tuple(3 if n == 1 else n for n in draw.shape), (3,)]
    return draw.rng.choice(choices)


def a_dtype(draw: Draw) -> Any:
    return draw.rng.choice(draw.dtypes) if draw.name == "astype" or draw.rng.random() < 0.4 else None


def indices(draw: Draw) -> Source:
    """Draw positions along the axes, some negative, a few out of bounds."""
    rng, shape = draw.rng, draw.shape
    least = min(shape, default=0)
    dtype = rng.choice([dtype for dtype in map(np.dtype, ("i8", "i8", "i4", "u1", "i1")) if dtype in draw.dtypes])
    wrong = rng.random() < 0.05
    low, high = (0 if dtype.kind == "u" else -least), least
    if draw.name == "take_along_axis":
        lengths = tuple(rng.choice([n, n, 1]) for n in shape)
    else:
        lengths = rng.choice([(0,), (1,), (4,), (4,), (2, 2), ()])
    return source(
        rng,
        dtype,
        lengths,
        lambda rng, _: rng.choice([high, high + 2]) if wrong or low >= high else rng.randrange(low, high),
    )


def widest(draw: Draw, kind: str) -> np.dtype[Any]:
    """Return the device's dtype of a kind with the most bits."""
    return max((dtype for dtype in draw.dtypes if dtype.kind == kind), key=lambda dtype: dtype.itemsize)


def choice(*values: Any) -> Callable[[Draw], Any]:
    return lambda draw: draw.rng.choice(values)


def repetitions(draw: Draw) -> Any:
    return draw.rng.choice([(), (2,), (0,), (1, 2), (2, 1, 2), (0, 3), (-1,), 2])


def shift(draw: Draw) -> Any:
    return draw.rng.choice([0, 1, -1, 7, -1000, 2**40, -(2**63) + 1, (1, -2), (5,), ()])


NUMBERS = (0, 1, -3, 2, 100, 0.0, -0.0, 1.5, -2.5, 1e300, math.inf, -math.inf, math.nan, 1e-310)

SCALARS = (
    *(True, False, *NUMBERS, 2**53 + 1, 1j, 0j, complex(math.inf, math.nan)),
    *(np.float64(1.5), np.int8(3), np.bool_(True)),
)


def scalar_for(rng: Random, dtype: Any) -> Any:
    """Draw a scalar operand; most integers are ones that the dtype of the array represents."""
    scalar = rng.choice(SCALARS)
    if dtype.kind in "iu" and scalar.__class__ is int and rng.random() < 0.8:
        return min(max(scalar, int(np.iinfo(dtype).min)), int(np.iinfo(dtype).max))
    return scalar


VALUES: dict[str, Callable[[Draw], Any]] = {
    "axis": axis,
    "axes": axes,
    "shape": a_shape,
    "dtype": a_dtype,
    "device": lambda draw: None,
    "keepdims": choice(False, True),
    "lower": choice(False, True),
    "return_indices": choice(False, True),
    "unit_diagonal": choice(False, True),
    "copy": choice(True, None, True),
    "descending": choice(False, True),
    "stable": choice(True),
    "invert": choice(False, True),
    "include_initial": choice(False, True),
    "k": choice(0, 1, -1, 2, -7, 100),
    "offset": choice(0, 1, -1, 2, -7, 100),
    "n": choice(0, 1, 2, 3, 5, -1),
    "num": choice(0, 1, 2, 5, -1),
    "endpoint": choice(True, False),
    "norm": choice("backward", "ortho", "forward", "none"),
    "s": lambda draw: None if draw.rng.random() < 0.5 else tuple(draw.rng.choice([1, 2, 3, 5, 0]) for _ in draw.shape),
    "d": choice(1.0, 0.5, -2.0, 1e-300, 0.0),
    "shift": shift,
    "repetitions": repetitions,
    "repeats": lambda draw: draw.rng.choice([0, 1, 2, 3, -1, repeats_for(draw), repeats_for(draw)]),
    "source": axes,
    "destination": axes,
    "indices": indices,
    "side": choice("left", "right"),
    "sorter": lambda draw: None,
    "correction": choice(0.0, 1.0, 1, 0.5, -1.0, 100.0, math.nan),
    "ddof": lambda draw: None,
    "prepend": lambda draw: None,
    "append": lambda draw: None,
    "min": choice(None, *NUMBERS),
    "max": choice(None, *NUMBERS),
    "fill_value": choice(*SCALARS),
    "start": choice(0, 1, -3, 0.5, 5, -0.0, 1e3),
    "stop": choice(None, 0, 4, -3, 2.5, 10),
    "step": choice(1, 2, -1, 0.5, -0.25, 0),
    "n_rows": choice(0, 1, 3),
    "n_cols": choice(None, 0, 2, 4),
    "upper": choice(False, True),
    "mode": choice("reduced", "complete", "full", "same", "valid"),
    "full_matrices": choice(False, True),
    "ord": choice(0, 1, 2, -1, -2, math.inf, -math.inf, "fro", "nuc", 3, 0.5),
    "rtol": choice(None, 0.5),
    "minlength": choice(0, 3, 10),
    "weights": lambda draw: (
        None if draw.rng.random() < 0.5 else source(draw.rng, widest(draw, "f"), draw.shape, finite)
    ),
    "approximate": choice("none", "tanh"),
    "mask": lambda draw: None,
    "causal": choice(False, True),
    "scale": choice(None, 0.5, 0.0),
    "precision": choice("exact"),
    "label_smoothing": choice(0.0, 0.25),
    "ignore_index": choice(None, 0, 1),
    "reduction": choice("mean", "sum", "none"),
    "target": lambda draw: source(draw.rng, widest(draw, "i"), draw.shape[:-1], lambda rng, _: rng.randrange(2)),
    "eps": choice(1e-5, 0.0),
    "interleaved": choice(False, True),
    "return_sign": choice(False, True),
    "negative_slope": choice(0.01, 0.5),
    "alpha": choice(1.0, 0.5),
    "beta": choice(1.0, 2.0),
    "threshold": choice(20.0, 1.0),
    "min_val": choice(-1.0, 0.0),
    "max_val": choice(1.0, 2.0),
    "stride": choice(1, 2, 0),
    "padding": choice(0, 1, "same", -1),
    "output_padding": choice(0, 1),
    "dilation": choice(1, 2),
    "groups": choice(1, 2),
    "kernel_size": choice(1, 2, 3),
    "ceil_mode": choice(False, True),
    "count_include_pad": choice(False, True),
    "divisor_override": choice(None, 3),
    "training": choice(False, True),
    "bias": lambda draw: None,
    "condition": lambda draw: source(draw.rng, np.dtype("?"), draw.shape, hostile),
    "arrays": lambda draw: [],  # drawn by the operation's shape and dtype
}
"""Generator for the values of each parameter, by its name."""


def repeats_for(draw: Draw) -> Source:
    length = math.prod(draw.shape) if draw.rng.random() < 0.5 else draw.rng.choice([*draw.shape, 1])
    return source(draw.rng, widest(draw, "i"), (length,), lambda rng, _: rng.choice([0, 1, 1, 2, 3]))


# -- calls ------------------------------------------------------------------------------------------------------------


class Call(NamedTuple):
    """Operation, way of the call (function, operator or in-place operator) and arguments by parameter."""

    name: str
    way: str
    arguments: dict[str, Any]

    def on(self, device: xp.Device) -> Any:
        """Return the result on a device, or the class of the exception that the call raises."""
        with quiet(), xp.use_device(device), xp.transfers("allow"):
            arguments = {name: on_device(value, device) for name, value in self.arguments.items()}
            try:
                return self.of(arguments)
            except Exception as error:
                return next((kind for kind in ERRORS if isinstance(error, kind)), type(error))

    def of(self, arguments: dict[str, Any]) -> Any:
        """Return the result for some arguments."""
        if self.way == "function":
            return call(public_of(self.name), arguments)
        symbol = TABLE[self.name].operator if self.way == "operator" else TABLE[self.name].inplace
        assert symbol is not None
        return getattr(operator, symbol)(*arguments.values())


def on_device(value: Any, device: xp.Device) -> Any:
    if isinstance(value, Source):
        return value.on(device)
    return type(value)([on_device(item, device) for item in value]) if type(value) in (list, tuple) else value


def call(function: Any, arguments: dict[str, Any]) -> Any:
    """Call a function; positional-only parameters by position, all others by name."""
    positional = [item.name for item in parameters_of(function) if item.kind is item.POSITIONAL_ONLY]
    args = []
    for name in positional:
        if name not in arguments:
            break
        args.append(arguments[name])
    return function(*args, **{name: value for name, value in arguments.items() if name not in positional[: len(args)]})


def public_name(name: str) -> str:
    return f"nn.functional.{name[3:]}" if name.startswith("nn.") else name


def public_of(name: str) -> Any:
    return public_function(public_name(name))


NAMES = [
    name
    for name, row in TABLE.items()
    if row.declared and not row.takes_arrays and public_name(name) in GOOD and name != "empty"
]
"""The operations that are public functions; the values of an empty array are not defined."""


def is_array(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter is one of the arrays that are drawn together."""
    return takes_an_array(parameter) and parameter.name not in VALUES


def random_call(rng: Random, name: str, dtypes: list[Any] = list(STANDARD_DTYPES)) -> Call:  # noqa: B006 - not changed
    """Draw a call of an operation on arrays of some dtypes."""
    row = TABLE[name]
    parameters = parameters_of(public_of(name))
    arrays = [item for item in parameters if is_array(item) and (item.default is item.empty or rng.random() < 0.9)]
    count = max(len(arrays), 2 if "arrays" in {item.name for item in parameters} else 1)
    shapes, chosen, values = shapes_of(rng, name, count), dtypes_of(rng, name, count, dtypes), palette(rng, name)
    drawn = [source(rng, dtype, shape, values) for dtype, shape in zip(chosen, shapes, strict=True)]
    draw = Draw(rng, name, shapes[0] if arrays or "arrays" in {item.name for item in parameters} else (), dtypes)
    arguments: dict[str, Any] = {}
    if name == "searchsorted":
        drawn[0] = ascending(drawn[0])
    pool = iter(drawn)
    for item in parameters:
        if item.name == "arrays":
            arguments["arrays"] = drawn
        elif item in arrays:
            arguments[item.name] = next(pool)
        elif not is_array(item) and (item.default is item.empty or rng.random() < 0.5):
            arguments[item.name] = VALUES[item.name](draw)
    if name == "where":
        arguments["condition"] = source(rng, np.dtype("?"), shapes[0], hostile)
    way = "function"
    if row.operator is not None and rng.random() < 0.3:
        way = "operator"
    elif row.inplace is not None and rng.random() < 0.3:
        way = "in-place operator"
    if row.kind == "elementwise" and len(arrays) == 2 and rng.random() < 0.25:
        place = int(rng.random() < 0.7 or way == "in-place operator")
        arguments[arrays[place].name] = scalar_for(rng, chosen[1 - place])
    if way == "in-place operator" and isinstance(arguments["x1"], Source) and "broadcast" in arguments["x1"].layout:
        arguments["x1"] = replace(arguments["x1"], layout="plain")
    return Call(name, way, arguments)


# -- comparison -------------------------------------------------------------------------------------------------------


def flat(value: Any) -> list[Any]:
    """Return the arrays and other values of a result."""
    return [item for part in value for item in flat(part)] if isinstance(value, (tuple, list)) else [value]


UNDETERMINED = {
    "linalg.eig": (0, 1),
    "linalg.eigh": (1,),
    "linalg.eigvals": (0,),
    "linalg.qr": (0, 1),
    "linalg.svd": (0, 2),
}
"""Results that are determined but for signs or an order, by their positions."""


def difference(call: Call, left: Any, right: Any, *, ulp: float = 16) -> str | None:
    """Describe the difference of two outcomes; None if they agree."""
    if isinstance(left, type) or isinstance(right, type):
        selects_nothing = IndexError in (left, right) and 0 in (getattr(left, "size", 1), getattr(right, "size", 1))
        # NumPy does not check the indices of an empty selection. No rule says which triangle of a matrix that is not
        # Hermitian decides whether it is positive-definite.
        undefined = call.name == "linalg.cholesky" and ValueError in (left, right)
        # Devices off the host do not look at labels: the loss of one that does not exist is NaN.
        undefined = undefined or (call.name == "nn.cross_entropy" and IndexError in (left, right))
        return None if left is right or selects_nothing or undefined else "error"
    lefts, rights = flat(left), flat(right)
    if len(lefts) != len(rights):
        return "number of results"
    for position, (x, y) in enumerate(zip(lefts, rights, strict=True)):
        if position in UNDETERMINED.get(call.name, ()):
            continue
        if not isinstance(x, xp.Array) or not isinstance(y, xp.Array):
            if repr(x) != repr(y):
                return "value"
            continue
        if x.dtype != y.dtype:
            # A device without NumPy's dtype of the result, such as float16, computes in its default dtype.
            if not y.device.supports(x.dtype):
                continue
            return "dtype"
        if x.shape != y.shape:
            return "shape"
        if leaves_the_integers(call) or is_not_hermitian(call):
            continue
        found = differing(call, values_of(x), values_of(y), ulp)
        if found is not None:
            return found
    return None


def leaves_the_integers(call: Call) -> bool:
    """Whether an operand is cast to an integer dtype that does not have its values; what this gives is not defined."""
    dtype = call.arguments.get("dtype")
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iu":
        return False
    limits = np.iinfo(dtype)
    for x in flat(list(call.arguments.values())):
        if isinstance(x, Source) and x.host.dtype.kind in "fV":
            values = x.host.astype(np.longdouble)
            if not np.all((values > np.longdouble(limits.min) - 1) & (values < np.longdouble(limits.max) + 1)):
                return True
    return False


def is_not_hermitian(call: Call) -> bool:
    """Whether a function of Hermitian matrices has another one; no rule says which triangle counts."""
    if call.name != "linalg.cholesky":
        return False
    x = call.arguments["x"].host
    return not np.array_equal(x, np.conj(np.swapaxes(x, -1, -2)))


def differing(call: Call, a: Any, b: Any, ulp: float) -> str | None:
    """Describe the difference of two arrays of values."""
    row = TABLE[call.name]
    if a.dtype.kind not in "fc":
        return None if np.array_equal(a, b) else "value"
    with quiet():
        if a.dtype.kind == "f":
            return components(a, b, np.abs(b), row, ulp, signs=signed(row))
        if row.computes and not (row.kind == "elementwise" and row.operands == 1 and row.name != "square"):
            # Products, quotients and powers of complex numbers: what an infinite or NaN component gives is not defined.
            finite = np.isfinite(a) & np.isfinite(b)
            if not np.array_equal(np.isfinite(a), np.isfinite(b)) and not overflows(call):
                return "NaN"
            a, b = np.where(finite, a, 0), np.where(finite, b, 0)
            signs = False
        else:
            signs = signed(row)
        undefined = np.isnan(a.real) | np.isnan(a.imag)
        scale = np.where(np.isfinite(np.abs(b)), np.abs(b), 0)
        for x, y in ((a.real, b.real), (a.imag, b.imag)):
            # The standard leaves the sign of the other component open where one component is NaN.
            x, y = (np.where(undefined, np.abs(x), x), np.where(undefined, np.abs(y), y)) if row.computes else (x, y)
            found = components(x, y, np.maximum(scale, np.where(np.isfinite(y), np.abs(y), 0)), row, ulp, signs=signs)
            if found:
                return found
    return None


def signed(row: Any) -> bool:
    """Return whether the signs of zeros are compared."""
    if row.label in ("maximum", "minimum", "fmax", "fmin", "clip", "max", "min"):
        return False  # zeros of both signs are equal, and either may be returned
    return row.kind in ("elementwise", "creation", "cast", "manipulation", "indexing", "sorting")


def overflows(call: Call) -> bool:
    """Return whether an operand has an element that is not finite, or so large that a product overflows."""
    for value in flat(list(call.arguments.values())):
        host = value.host if isinstance(value, Source) else value
        if isinstance(host, (np.ndarray, int, float, complex)) and host is not None:
            magnitude = np.abs(np.asarray(host, dtype=np.complex128))
            if magnitude.size and not np.all(magnitude < 1e15):
                return True
    return False


def components(a: Any, b: Any, scale: Any, row: Any, ulp: float, *, signs: bool) -> str | None:
    """Describe the difference of two arrays of real numbers, within units in the last place of a magnitude."""
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return "NaN"
    limits = np.finfo(a.dtype)
    if row.kind not in ("elementwise", "special") and a.size:
        whole = scale[np.isfinite(scale)]
        scale = np.full(scale.shape, max(1.0, float(whole.max()) if whole.size else 0.0))
    if row.kind == "special":
        ulp = 2.0**16 if limits.bits == 64 else 64
    margin = np.zeros(a.shape)
    if row.computes:
        margin = ulp * np.spacing(np.minimum(scale, limits.max / 2).astype(a.dtype))
        a2, b2 = np.clip(a, limits.min, limits.max), np.clip(b, limits.min, limits.max)
    else:
        a2, b2 = a, b
    agree = (a == b) | np.isnan(a) | (np.abs(a2 - b2) <= margin)
    if not np.all(agree):
        return "value"
    if signs and np.any((a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))):
        return "sign of zero"
    return None
