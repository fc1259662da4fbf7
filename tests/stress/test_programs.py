"""Random programs on two devices, whose arrays are compared after each step.

Values are small integers and halves, NaN and infinities, and the results that later steps use are exact, so two
libraries must agree bit by bit. Results of functions that round are compared with a tolerance and not used further. The
programs use only what the standard defines: no overflow, no sorting of NaN, no writes to shared memory.
"""

from __future__ import annotations

import math
import operator
import pickle
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from strategies import quiet, values_of

import xtensor as xp

from .tiers import LONG, scale

DTYPES = tuple(map(np.dtype, ("?", "i2", "i4", "i8", "u1", "u4", "f4", "f8", "c16")))

LARGEST = 2.0**12
"""Greatest magnitude of values that later steps use, so that nothing overflows or is rounded."""

ROUNDED = ("exp", "log1p", "sin", "cos", "tanh", "sqrt", "atan", "asinh", "expm1", "log", "log2", "log10", "reciprocal")

Pair = tuple[xp.Array, xp.Array]


def difference(left: xp.Array, right: xp.Array, rounded: bool) -> str | None:
    """Describe the difference of two arrays; None if they agree."""
    a, b = values_of(left), values_of(right)
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return f"{a.dtype} {a.shape} on {left.device}, {b.dtype} {b.shape} on {right.device}"
    if a.dtype.kind == "c":
        agree = np.array_equal(a.real, b.real, equal_nan=True) and np.array_equal(a.imag, b.imag, equal_nan=True)
        return None if agree else f"{a!r} on {left.device}, {b!r} on {right.device}"
    if a.dtype.kind != "f":
        return None if np.array_equal(a, b) else f"{a!r} on {left.device}, {b!r} on {right.device}"
    with quiet():
        margin = 8 * np.finfo(a.dtype).eps * np.maximum(np.abs(b), 1) if rounded else 0.0
        agree = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= margin)
    return None if np.all(agree) else f"{a!r} on {left.device}, {b!r} on {right.device}"


def narrowed(left: xp.Array, right: xp.Array) -> xp.Array:
    """Return a result in the dtype of the other device's, which may have no integers of 64 bits."""
    if left.dtype.kind not in "iu" or right.device.supports(left.dtype):
        return left
    return xp.astype(left, np.dtype(f"{left.dtype.kind}4"))


def without_zeros(x: xp.Array) -> xp.Array:
    """Replace zeros by ones, because the signs of zeros are not compared."""
    return xp.where(x == 0, xp.ones_like(x), x)


class Programs(RuleBasedStateMachine):
    """Pool of arrays, each on two devices, and the steps of programs."""

    devices: tuple[xp.Device, xp.Device]
    programs = 0
    steps = 0
    refused = 0

    def __init__(self) -> None:
        super().__init__()
        self.pool: list[Pair] = []
        type(self).programs += 1

    # -- parts of rules -----------------------------------------------------------------------------------------------

    def draw_array(self, data: st.DataObject, kinds: str = "biufc") -> Pair | None:
        """Draw an array of the given kinds from the pool; None if there is none."""
        pairs = [pair for pair in self.pool if pair[0].dtype.kind in kinds]
        return pairs[data.draw(st.integers(0, len(pairs) - 1), label="array")] if pairs else None

    def widest(self, *names: str) -> np.dtype[Any]:
        """Return the first of some dtypes that both devices support."""
        return next(dtype for dtype in map(np.dtype, names) if all(device.supports(dtype) for device in self.devices))

    def compare(self, results: tuple[Any, Any], rounded: bool = False) -> None:
        """Compare the results of both devices, and add them to the pool if later steps may use them."""
        type(self).steps += 1
        left, right = results
        if isinstance(left, (tuple, list)):
            assert len(left) == len(right)
            for both in zip(left, right, strict=True):
                self.compare(both, rounded)
            return
        left = narrowed(left, right)
        message = difference(left, right, rounded)
        assert message is None, message
        host = values_of(left)
        small = not host.size or np.all(~np.isfinite(host) | (np.abs(host.astype(np.complex128)) <= LARGEST))
        if not rounded and small and host.size <= 256 and host.ndim <= 4 and host.dtype in DTYPES:
            self.pool.append((left, right))
            del self.pool[:-12]

    def each(self, function: Any, *pairs: Pair, rounded: bool = False) -> None:
        """Call a function on both devices: the same result, or errors of one class, or of one below it."""
        outcomes = []
        for position in (0, 1):
            with quiet(), xp.use_device(self.devices[position]):
                try:
                    outcomes.append(function(*(pair[position] for pair in pairs)))
                except (TypeError, ValueError, IndexError) as error:
                    outcomes.append(error)
        failed = [isinstance(outcome, Exception) for outcome in outcomes]
        assert failed[0] == failed[1], f"one device refuses: {outcomes}"
        if not failed[0]:
            self.compare((outcomes[0], outcomes[1]), rounded)
            return
        type(self).refused += 1
        classes = type(outcomes[0]), type(outcomes[1])
        assert issubclass(*classes) or issubclass(*classes[::-1]), f"the classes of errors differ: {outcomes}"

    # -- creation -----------------------------------------------------------------------------------------------------

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        for _ in range(2):
            self.create(data)

    @rule(data=st.data())
    def create(self, data: st.DataObject) -> None:
        dtype = data.draw(st.sampled_from([d for d in DTYPES if all(device.supports(d) for device in self.devices)]))
        shape = data.draw(st.lists(st.integers(0, 3), max_size=3).map(tuple), label="shape")
        size = math.prod(shape)
        if dtype.kind == "b":
            values: Any = st.booleans()
        elif dtype.kind == "c":
            part = st.sampled_from([0.0, -0.0, 1.0, -1.5, 2.0])
            values = st.builds(complex, part, part)
        elif dtype.kind == "f":
            values = st.sampled_from([0.0, -0.0, 1.0, -1.5, 2.0, 0.5, -3.0, math.nan, math.inf, -math.inf])
        else:
            values = st.integers(0 if dtype.kind == "u" else -5, 5)
        host = np.array(data.draw(st.lists(values, min_size=size, max_size=size)), dtype=dtype).reshape(shape)
        self.compare(tuple(xp.asarray(host, device=device) for device in self.devices))  # type: ignore[arg-type]

    @rule(start=st.integers(-4, 4), stop=st.integers(-4, 8), step=st.sampled_from([1, 2, -1, -3]))
    def count(self, start: int, stop: int, step: int) -> None:
        dtype = self.widest("i8", "i4")
        self.each(lambda: xp.arange(start, stop, step, dtype=dtype))

    @rule(rows=st.integers(0, 4), columns=st.integers(0, 4), k=st.integers(-3, 3))
    def identity(self, rows: int, columns: int, k: int) -> None:
        self.each(lambda: xp.eye(rows, columns, k=k, dtype=xp.float32))

    # -- elementwise --------------------------------------------------------------------------------------------------

    @rule(data=st.data(), name=st.sampled_from(["abs", "negative", "positive", "square", "sign", "floor", "ceil"]))
    def unary(self, data: st.DataObject, name: str) -> None:
        if (x := self.draw_array(data, "if")) is not None:
            self.each(getattr(xp, name), x)

    @rule(data=st.data(), name=st.sampled_from(["isnan", "isfinite", "isinf", "trunc", "round"]))
    def unary_of_reals(self, data: st.DataObject, name: str) -> None:
        if (x := self.draw_array(data, "iuf")) is not None:
            self.each(getattr(xp, name), x)

    @rule(data=st.data(), name=st.sampled_from(ROUNDED))
    def rounding(self, data: st.DataObject, name: str) -> None:
        if (x := self.draw_array(data, "f")) is not None:
            self.each(lambda x: getattr(xp, name)(without_zeros(x)), x, rounded=True)

    @rule(
        data=st.data(),
        name=st.sampled_from(
            ["add", "subtract", "multiply", "equal", "not_equal", "less", "greater_equal", "maximum", "minimum"]
        ),
    )
    def binary(self, data: st.DataObject, name: str) -> None:
        x, y = self.draw_array(data, "iuf"), self.draw_array(data, "iuf")
        if x is not None and y is not None and x[0].dtype.kind == y[0].dtype.kind:
            self.each(getattr(xp, name), x, y)

    @rule(data=st.data(), name=st.sampled_from(["floor_divide", "remainder", "divide", "atan2", "hypot", "copysign"]))
    def division(self, data: st.DataObject, name: str) -> None:
        x, y = self.draw_array(data, "f"), self.draw_array(data, "f")
        if x is not None and y is not None:
            self.each(lambda x, y: getattr(xp, name)(x, without_zeros(y)), x, y, rounded=True)

    @rule(data=st.data(), value=st.sampled_from([0, 1, 2, -1]), name=st.sampled_from(["add", "mul", "sub", "lt", "eq"]))
    def scalar(self, data: st.DataObject, value: int, name: str) -> None:
        if (x := self.draw_array(data, "if")) is not None:
            self.each(lambda x: getattr(operator, name)(x, value), x)

    @rule(data=st.data(), name=st.sampled_from(["logical_and", "logical_or", "logical_xor", "bitwise_xor"]))
    def logic(self, data: st.DataObject, name: str) -> None:
        x, y = self.draw_array(data, "b"), self.draw_array(data, "b")
        if x is not None and y is not None:
            self.each(getattr(xp, name), x, y)

    @rule(data=st.data(), low=st.integers(-3, 0), high=st.integers(0, 3))
    def clip(self, data: st.DataObject, low: int, high: int) -> None:
        if (x := self.draw_array(data, "if")) is not None:
            self.each(lambda x: xp.clip(x, low, high), x)

    @rule(data=st.data())
    def where(self, data: st.DataObject) -> None:
        condition, x, y = self.draw_array(data, "b"), self.draw_array(data), self.draw_array(data)
        if condition is not None and x is not None and y is not None and x[0].dtype == y[0].dtype:
            self.each(xp.where, condition, x, y)

    @rule(data=st.data(), dtype=st.sampled_from(["i4", "i8", "f4", "f8", "?"]))
    def cast(self, data: st.DataObject, dtype: str) -> None:
        x = self.draw_array(data)
        # The cast of NaN and infinity to an integer is not defined.
        is_supported = all(device.supports(np.dtype(dtype)) for device in self.devices)
        if is_supported and x is not None and np.isfinite(values_of(x[0])).all():
            self.each(lambda x: xp.astype(x, np.dtype(dtype)), x)

    # -- reductions ---------------------------------------------------------------------------------------------------

    def axis(self, data: st.DataObject, x: Pair) -> int | None:
        ndim = x[0].ndim
        return data.draw(st.none() | st.integers(-ndim, ndim - 1) if ndim else st.none(), label="axis")

    @rule(data=st.data(), name=st.sampled_from(["sum", "max", "min", "prod"]), keepdims=st.booleans())
    def reduction(self, data: st.DataObject, name: str, keepdims: bool) -> None:
        if (x := self.draw_array(data, "if")) is not None:
            axis = self.axis(data, x)
            self.each(lambda x: getattr(xp, name)(x, axis=axis, keepdims=keepdims), x, rounded=name == "prod")

    @rule(data=st.data(), name=st.sampled_from(["any", "all", "count_nonzero"]), keepdims=st.booleans())
    def truth(self, data: st.DataObject, name: str, keepdims: bool) -> None:
        if (x := self.draw_array(data)) is not None:
            axis = self.axis(data, x)
            self.each(lambda x: getattr(xp, name)(x, axis=axis, keepdims=keepdims), x)

    @rule(data=st.data(), name=st.sampled_from(["mean", "var", "std"]))
    def statistic(self, data: st.DataObject, name: str) -> None:
        x = self.draw_array(data, "f")
        if x is not None and x[0].size and np.isfinite(values_of(x[0])).all():
            axis = self.axis(data, x)
            dtype = self.widest("f8", "f4")
            self.each(lambda x: getattr(xp, name)(xp.astype(x, dtype), axis=axis), x, rounded=True)

    @rule(
        data=st.data(), name=st.sampled_from(["sort", "argsort", "argmax", "argmin", "unique_values", "cumulative_sum"])
    )
    def order(self, data: st.DataObject, name: str) -> None:
        x = self.draw_array(data, "if")
        # The order of NaN and that of the two zeros is not defined.
        if x is None or not x[0].ndim or np.isnan(values_of(x[0])).any():
            return
        if name == "unique_values":
            self.each(lambda x: xp.sort(xp.unique_values(without_zeros(x))), x)
        else:
            axis = data.draw(st.integers(-x[0].ndim, x[0].ndim - 1))
            self.each(lambda x: getattr(xp, name)(x, axis=axis), x)

    @rule(data=st.data())
    def product(self, data: st.DataObject) -> None:
        x, y = self.draw_array(data, "f"), self.draw_array(data, "f")
        if (
            x is not None
            and y is not None
            and np.isfinite(values_of(x[0])).all()
            and np.isfinite(values_of(y[0])).all()
        ):
            self.each(xp.matmul, x, y)

    # -- shapes -------------------------------------------------------------------------------------------------------

    @rule(data=st.data(), name=st.sampled_from(["flip", "reshape", "permute", "roll", "expand", "tile", "repeat", "T"]))
    def arrange(self, data: st.DataObject, name: str) -> None:
        if (x := self.draw_array(data)) is None:
            return
        ndim = x[0].ndim
        if name == "flip":
            axis = self.axis(data, x)
            self.each(lambda x: xp.flip(x, axis=axis), x)
        elif name == "reshape":
            self.each(lambda x: xp.reshape(x, (-1,)), x)
        elif name == "permute":
            order = tuple(data.draw(st.permutations(range(ndim))))
            self.each(lambda x: xp.permute_dims(x, order), x)
        elif name == "roll":
            shift, axis = data.draw(st.integers(-5, 5)), self.axis(data, x)
            self.each(lambda x: xp.roll(x, shift, axis=axis), x)
        elif name == "expand":
            self.each(lambda x: xp.expand_dims(x, axis=0), x)
        elif name == "tile":
            self.each(lambda x: xp.tile(x, (2,)), x)
        elif name == "repeat" and ndim:
            self.each(lambda x: xp.repeat(x, 2, axis=0), x)
        elif name == "T" and ndim >= 2:
            self.each(lambda x: x.mT, x)

    @rule(data=st.data(), name=st.sampled_from(["concat", "stack"]))
    def join(self, data: st.DataObject, name: str) -> None:
        x, y = self.draw_array(data), self.draw_array(data)
        if x is not None and y is not None and x[0].dtype == y[0].dtype:
            self.each(lambda x, y: getattr(xp, name)((x, y, x), axis=0), x, y)

    @rule(data=st.data(), name=st.sampled_from(["tril", "diff", "moveaxis", "unstack", "inverse", "along", "initial"]))
    def rearrange(self, data: st.DataObject, name: str) -> None:
        x = self.draw_array(data, "iuf")
        if x is None or not x[0].ndim or np.isnan(values_of(x[0])).any():
            return
        ndim = x[0].ndim
        axis, k = data.draw(st.integers(-ndim, ndim - 1)), data.draw(st.integers(-2, 2))
        if name == "tril" and ndim >= 2:
            self.each(lambda x: (xp.tril(x, k=k), xp.triu(x, k=k)), x)
        elif name == "diff" and np.isfinite(values_of(x[0])).all():
            self.each(lambda x: xp.diff(x, axis=axis, n=abs(k)), x)
        elif name == "moveaxis":
            self.each(lambda x: xp.moveaxis(x, axis, 0), x)
        elif name == "unstack":
            self.each(lambda x: xp.unstack(x, axis=axis), x)
        elif name == "inverse":
            self.each(lambda x: tuple(xp.unique_inverse(without_zeros(x))), x)
        elif name == "along":
            self.each(lambda x: xp.take_along_axis(x, xp.argsort(x, axis=axis, descending=True), axis=axis), x)
        elif name == "initial" and ndim == 1 and np.isfinite(values_of(x[0])).all():
            self.each(lambda x: xp.cumulative_sum(x, include_initial=True), x)

    @rule(data=st.data(), value=st.sampled_from([0, 1, 3]))
    def write_through_a_view(self, data: st.DataObject, value: int) -> None:
        """Write into a slice of a slice, and use the slice; the base is not read, because a slice may be a copy."""
        if (x := self.draw_array(data, "iuf")) is None:
            return
        outer = (*self.key(data, x[0].shape), ...)

        def written(x: xp.Array) -> xp.Array:
            view = xp.asarray(x, copy=True)[outer]
            view[...] = value
            return view + view

        self.each(written, x)

    # -- indexing and writes ------------------------------------------------------------------------------------------

    def key(self, data: st.DataObject, shape: tuple[int, ...]) -> tuple[Any, ...]:
        parts: list[Any] = []
        for length in shape:
            whole = st.just(slice(None))
            bounds = st.none() | st.integers(-length, length)
            # The standard does not define bounds beyond the axis.
            steps = st.builds(slice, st.none(), st.none(), st.sampled_from([1, 2, -1]))
            spans = st.builds(slice, bounds, bounds)
            single = st.integers(-length, length - 1) if length else whole
            parts.append(data.draw(whole | spans | steps | single))
        return tuple(parts)

    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        if (x := self.draw_array(data)) is not None:
            key = (*self.key(data, x[0].shape), ...)
            self.each(lambda x: x[key], x)

    @rule(data=st.data())
    def select(self, data: st.DataObject) -> None:
        x = self.draw_array(data, "if")
        if x is not None and x[0].ndim:
            self.each(lambda x: x[x > 0], x)

    @rule(data=st.data())
    def take(self, data: st.DataObject) -> None:
        x = self.draw_array(data)
        if x is not None and x[0].ndim and x[0].shape[0]:
            indices = data.draw(st.lists(st.integers(0, x[0].shape[0] - 1), min_size=1, max_size=4))
            self.each(lambda x: xp.take(x, xp.asarray(indices), axis=0), x)

    @rule(data=st.data(), value=st.sampled_from([0, 1, 3]))
    def write(self, data: st.DataObject, value: int) -> None:
        if (x := self.draw_array(data, "iuf")) is None:
            return
        key = (*self.key(data, x[0].shape), ...)

        def written(x: xp.Array) -> xp.Array:
            x = xp.asarray(x, copy=True)
            x[key] = value
            return x

        self.each(written, x)

    @rule(data=st.data())
    def write_array(self, data: st.DataObject) -> None:
        x, y = self.draw_array(data), self.draw_array(data)
        if x is None or y is None or x[0].dtype != y[0].dtype:
            return

        def written(x: xp.Array, y: xp.Array) -> xp.Array:
            x = xp.asarray(x, copy=True)
            x[...] = y
            return x

        try:
            fits = np.broadcast_shapes(x[0].shape, y[0].shape) == x[0].shape
        except ValueError:
            fits = False
        if fits:
            self.each(written, x, y)

    @rule(data=st.data(), name=st.sampled_from(["iadd", "isub", "imul"]))
    def in_place(self, data: st.DataObject, name: str) -> None:
        x, y = self.draw_array(data, "if"), self.draw_array(data, "if")
        if x is not None and y is not None and x[0].dtype == y[0].dtype:
            self.each(lambda x, y: getattr(operator, name)(xp.asarray(x, copy=True), y), x, y)

    # -- transfers ----------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.pool)
    @rule(data=st.data(), way=st.sampled_from(["to_device", "asarray", "from_dlpack", "pickle"]))
    def exchange(self, data: st.DataObject, way: str) -> None:
        """Exchange the arrays of a pair between the devices, so that later steps use the other device's values."""
        pair = self.draw_array(data)
        if pair is None or (way == "from_dlpack" and pair[0].dtype.kind == "b"):
            return
        left, right = self.devices
        if way == "to_device":
            exchanged = pair[1].to_device(left), pair[0].to_device(right)
        elif way == "asarray":
            exchanged = xp.asarray(pair[1], device=left), xp.asarray(pair[0], device=right)
        elif way == "from_dlpack":
            exchanged = xp.from_dlpack(pair[1], device=left), xp.from_dlpack(pair[0], device=right)
        else:
            exchanged = pickle.loads(pickle.dumps(pair[0])), pickle.loads(pickle.dumps(pair[1]))
        assert (exchanged[0].device, exchanged[1].device) == (left, right)
        self.compare(exchanged)


def test_random_programs_agree_on_two_devices(other, figures):
    class Selected(Programs):
        devices = (xp.device("cpu"), other)

    slow = other.backend != "strict"
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Selected,
        settings=settings(
            max_examples=scale(25, 2000) if not slow else scale(10, 1000),
            stateful_step_count=25,
            deadline=None,
            derandomize=not LONG,
            database=None,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        ),
    )
    figures.record(programs=Selected.programs, steps=Selected.steps, refused=Selected.refused)
