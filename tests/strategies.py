"""Hypothesis strategies of the property tests, and comparisons of Arrays with NumPy's results.

A drawn operand has two forms: a NumPy array for the reference, and an Array on the device under test with the same
values and the same memory layout (contiguous, strided, reversed, transposed, broadcast, or part of a larger array).
Indexing on the device creates the layout.

Floating-point strategies draw subnormal numbers, except float32 and complex64 on CUDA and ROCm devices: CuPy compiles
with ``-ftz=true`` and libdevice uses ``.ftz`` instructions, both of which flush float32 subnormals to zero. None are
drawn on devices of JAX, as XLA flushes all subnormals on the CPU (``docs/jax.md``). The devices ``cpu``, ``strict``,
``sycl:cpu:0`` and ``triton:interpret`` do not flush them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

import xtensor as xp
from xtensor.backend import STANDARD_DTYPES as DTYPE_NAMES

STANDARD_DTYPES = tuple(map(np.dtype, DTYPE_NAMES))

DType = np.dtype[Any]

_EXAMPLES = settings().max_examples

few = settings(max_examples=min(_EXAMPLES, max(6, _EXAMPLES // 4)))
"""A quarter of the profile's examples, for a function that another property tests in detail."""

LAYOUTS = ("plain", "strided", "reversed", "transposed", "broadcast", "part")

FLUSHING_DEVICE_TYPES = (2, 10)
"""DLPack types of devices whose kernels flush float32 subnormals to zero: CUDA and ROCm."""


class Operand(NamedTuple):
    """The same values for NumPy and for the device under test."""

    host: np.ndarray[Any, Any]
    array: xp.Array


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress floating-point warnings, which are errors in this suite."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def defined_on(device: xp.Device) -> bool:
    """Return whether a device refuses everything that the standard leaves undefined."""
    return device.name == "strict"


def dtypes_of(device: xp.Device, kinds: str = "biufc") -> list[DType]:
    """Standard dtypes that a device supports, of NumPy's kind letters ``kinds``."""
    return [dtype for dtype in STANDARD_DTYPES if dtype in device.dtypes and dtype.kind in kinds]


def dtypes(device: xp.Device, kinds: str = "biufc") -> st.SearchStrategy[DType]:
    return st.sampled_from(dtypes_of(device, kinds))


def promotes(dtype1: DType, dtype2: DType) -> bool:
    """Return whether the standard defines the promotion of two dtypes."""
    kinds = {dtype1.kind, dtype2.kind}
    if kinds <= {"i", "u"}:
        return len(kinds) == 1 or np.dtype(np.uint64) not in (dtype1, dtype2)
    return kinds <= {"f", "c"} or kinds == {"b"}


def dtype_pairs(device: xp.Device, kinds: str, others: str | None = None) -> st.SearchStrategy[tuple[DType, DType]]:
    """Pairs of dtypes that promote: by the standard's rules on ``strict``, by NumPy's elsewhere."""
    pairs = [
        (dtype1, dtype2)
        for dtype1 in dtypes_of(device, kinds)
        for dtype2 in dtypes_of(device, others or kinds)
        if not defined_on(device) or promotes(dtype1, dtype2)
    ]
    return st.sampled_from([pair for pair in pairs if np.result_type(*pair) in device.dtypes])


def shapes(min_dims: int = 0, max_dims: int = 3, min_side: int = 0, max_side: int = 4) -> st.SearchStrategy[Any]:
    return hnp.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=min_side, max_side=max_side)


def broadcastable(count: int) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    """Shapes that broadcast against each other, including 0-d and empty ones."""
    return hnp.mutually_broadcastable_shapes(num_shapes=count, max_dims=3, min_side=0, max_side=3).map(
        lambda shapes: shapes.input_shapes
    )


def flushes_subnormals(device: xp.Device, dtype: DType) -> bool:
    """Return whether a device may replace subnormal numbers of a dtype by zeros."""
    if device.backend == "jax":
        return dtype.kind in "fc"
    return device.dlpack_device[0] in FLUSHING_DEVICE_TYPES and dtype in (np.float32, np.complex64)


def reals(dtype: DType, bound: float | None = None, special: bool = True) -> st.SearchStrategy[float]:
    """Real numbers that a floating-point dtype represents exactly; special values are frequent.

    Subnormal numbers are among them unless the default device flushes them.
    """
    subnormal = not flushes_subnormals(xp.default_device(), dtype)
    limits = np.finfo(dtype)
    largest = float(limits.max) if bound is None else bound
    plain = [value for value in (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0, -2.5, 3.0) if abs(value) <= largest]
    extreme = [float(limits.smallest_normal), -float(limits.smallest_normal), largest, -largest]
    if subnormal:
        extreme += [float(limits.smallest_subnormal), -float(limits.smallest_subnormal)]
    infinite = [math.inf, -math.inf, math.nan] if special else []
    width = 8 * dtype.itemsize // (2 if dtype.kind == "c" else 1)
    drawn = (
        st.floats(-largest, largest, width=width, allow_nan=False, allow_infinity=False, allow_subnormal=subnormal)
        if np.dtype(f"f{width // 8}").type(largest) == largest
        else st.sampled_from(plain)
    )
    return st.sampled_from(plain + infinite + infinite) | drawn | st.sampled_from(extreme if special else plain)


def elements(dtype: DType, *, bound: float | None = None, special: bool = True) -> st.SearchStrategy[Any]:
    """Values of a dtype: finite magnitudes up to ``bound``, NaN and infinities only if ``special``."""
    if dtype.kind == "b":
        return st.booleans()
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        least, greatest = int(limits.min), int(limits.max)
        if bound is not None:
            least, greatest = max(least, -int(bound)), min(greatest, int(bound))
        common = [value for value in (0, 1, -1, 2, -3, 7, least, greatest) if least <= value <= greatest]
        return st.sampled_from(common) | st.integers(max(least, -100), min(greatest, 100))
    if dtype.kind == "f":
        return reals(dtype, bound, special)
    component = reals(dtype, bound, special)
    return st.builds(complex, component, component)


@st.composite
def operands(
    draw: st.DrawFn,
    dtype: DType | st.SearchStrategy[DType],
    shape: Any = None,
    values: st.SearchStrategy[Any] | None = None,
    *,
    layouts: Iterable[str] = LAYOUTS,
    unique: bool = False,
    **limits: Any,
) -> Operand:
    """Operand on the default device in one of the memory layouts; ``limits`` are keywords of :func:`elements`."""
    drawn_dtype = draw(dtype) if isinstance(dtype, st.SearchStrategy) else dtype
    lengths = draw(shapes() if shape is None else shape) if not isinstance(shape, tuple) else shape
    layout = draw(st.sampled_from(tuple(layouts)))
    source, view = _layout(layout, lengths)
    items = elements(drawn_dtype, **limits) if values is None else values
    base = draw(hnp.arrays(drawn_dtype, source, elements=items, unique=unique, fill=st.nothing()))
    native = xp.asarray(base, copy=True)
    return Operand(view(np, base), view(xp, native))


def _layout(layout: str, shape: tuple[int, ...]) -> tuple[tuple[int, ...], Any]:
    """Return the shape of the base array, and the function that returns its view of ``shape``."""
    ndim = len(shape)
    if layout == "strided":
        return tuple(2 * length for length in shape), lambda _, x: x[(*(slice(None, None, 2),) * ndim, ...)]
    if layout == "reversed":
        return shape, lambda _, x: x[(*(slice(None, None, -1),) * ndim, ...)]
    if layout == "transposed":
        order = tuple(range(ndim))[::-1]
        return shape[::-1], lambda np_or_xp, x: np_or_xp.permute_dims(x, order)
    if layout == "broadcast" and ndim:
        return (1, *shape[1:]), lambda np_or_xp, x: np_or_xp.broadcast_to(x, shape)
    if layout == "part":
        return tuple(length + 2 for length in shape), lambda _, x: x[(*(slice(1, -1),) * ndim, ...)]
    return shape, lambda _, x: x


def made(values: Any, dtype: Any = None) -> Operand:
    """Return an operand of the given values on the default device."""
    host = np.asarray(values, dtype=dtype)
    return Operand(host, xp.asarray(host, copy=True))


def values_of(x: xp.Array) -> np.ndarray[Any, Any]:
    """Return the values of an Array as a NumPy array."""
    return np.asarray(x.to_device("cpu"))


def expect(
    result: Any,
    expected: Any,
    *,
    dtype: Any = None,
    ulp: float = 0,
    signs: bool = True,
    atol: float = 0.0,
    device: xp.Device | None = None,
) -> None:
    """Fail unless a result is an Array of the expected dtype, shape and values on the device.

    ``ulp`` is the tolerance in units in the last place of the expected value (of the modulus, for complex values),
    ``atol`` an absolute tolerance in addition. ``signs`` selects whether the signs of zeros are compared. Where the
    device flushes subnormals, an inexact result may also differ by the smallest normal number, and an exact one be 0.
    """
    device = xp.default_device() if device is None else device
    reference = np.asarray(expected)
    expected_dtype = supported(np.dtype(reference.dtype if dtype is None else dtype), device)
    assert type(result) is xp.Array, f"{type(result)} is no Array"
    assert result.device is device, f"the result is on {result.device}"
    assert result.dtype == expected_dtype, f"dtype {result.dtype}, expected {expected_dtype}"
    assert result.shape == reference.shape, f"shape {result.shape}, expected {reference.shape}"
    if flushes_subnormals(device, expected_dtype):
        smallest = float(np.finfo(expected_dtype).smallest_normal)
        if ulp or atol:
            atol += smallest
        elif reference.dtype.kind == "f":
            reference = np.where(
                (np.abs(reference) < smallest) & (values_of(result) == 0), values_of(result), reference
            )
    with quiet():
        difference = _difference(values_of(result), reference.astype(expected_dtype), reference, ulp, signs, atol)
    assert difference is None, difference


def supported(dtype: np.dtype[Any], device: xp.Device) -> np.dtype[Any]:
    """Return the dtype that a device has in the place of another one: of 32 bits where it lacks 64."""
    return dtype if dtype.name not in NARROWER or dtype in device.dtypes else np.dtype(NARROWER[dtype.name])


NARROWER = {"float64": "float32", "complex128": "complex64", "int64": "int32", "uint64": "uint32"}


def skip_unless_held(values: Any, dtype: Any = None) -> None:
    """Skip the test where the default device lacks a dtype, or has no integers as large as the values."""
    device, host = xp.default_device(), np.asarray(values)
    if dtype is not None and np.dtype(dtype) not in device.dtypes:
        pytest.skip(f"{device} has no {np.dtype(dtype)}")
    if dtype is None and host.dtype.kind in "iu" and host.size:
        limits = np.iinfo(supported(np.dtype(np.int64), device))
        if not limits.min <= host.min() <= host.max() <= limits.max:
            pytest.skip(f"{device} has no integers beyond {limits.dtype}")


def _difference(actual: Any, expected: Any, exact: Any, ulp: float, signs: bool, atol: float) -> str | None:
    """Describe the first element that differs; ``expected`` is ``exact`` rounded to the result's dtype."""
    if expected.dtype.kind == "c":
        agree = _complex_agree(actual, expected, exact, ulp, signs, atol)
    elif expected.dtype.kind == "f":
        agree = _real_agree(actual, expected, ulp, atol) & (_zeros_agree(actual, expected) if signs else True)
    else:
        agree = actual == expected
    if np.all(agree):
        return None
    index = tuple(int(i) for i in np.argwhere(~agree)[0]) if expected.ndim else ()
    return f"element {index} is {actual[index]!r}, expected {expected[index]!r} (within {ulp} ulp)"


def _zeros_agree(actual: Any, expected: Any) -> Any:
    return (actual != 0) | (expected != 0) | (np.signbit(actual) == np.signbit(expected))


def _real_agree(actual: Any, expected: Any, ulp: float, atol: float) -> Any:
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    if not ulp and not atol:
        return same
    # An overflow of one library only is an error of one unit in the last place.
    limits = np.finfo(expected.dtype)
    actual, expected = np.clip(actual, limits.min, limits.max), np.clip(expected, limits.min, limits.max)
    margin = np.maximum(ulp * np.spacing(np.minimum(np.abs(expected), limits.max / 2)), atol)
    return same | (np.abs(actual - expected) <= margin)


def _complex_agree(actual: Any, expected: Any, exact: Any, ulp: float, signs: bool, atol: float) -> Any:
    # The standard leaves the sign of the other component open where one component is NaN.
    undefined_signs = np.isnan(expected.real) | np.isnan(expected.imag)
    limits = np.finfo(expected.real.dtype)
    margin = ulp * np.spacing(np.minimum(np.abs(expected), limits.max / 2)) + atol
    agree = np.ones(expected.shape, bool)
    parts = ((actual.real, expected.real, exact.real), (actual.imag, expected.imag, exact.imag))
    for actual_part, expected_part, exact_part in parts:
        a = np.where(undefined_signs, np.abs(actual_part), actual_part)
        b = np.where(undefined_signs, np.abs(expected_part), expected_part)
        finite = np.isfinite(a) & np.isfinite(b)
        agree &= _real_agree(a, b, 0, 0.0) | (finite & (np.abs(a - b) <= margin))
        if signs:
            # A component that was rounded to zero has no required sign.
            agree &= _zeros_agree(a, b) | (exact_part != 0)
    return agree


def outcome(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the result of a call, or the class of the exception that it raises."""
    with quiet():
        try:
            result = function(*args, **kwargs)
            # An engine raises errors of values when it computes.
            return xp.engines.persist(result)[0] if isinstance(result, xp.Array) else result
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            return next(kind for kind in (TypeError, ValueError, IndexError, OverflowError) if isinstance(error, kind))
