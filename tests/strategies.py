"""What the property tests draw, and how they compare what they get.

An operand is drawn twice over: as a NumPy array for the reference, and as an Array of the device under test with the
same values in the same memory layout (plain, strided, reversed, transposed, broadcast or a part of something larger),
the layout being made on the device by indexing.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

import xtensor as xp
from xtensor.backend import STANDARD_DTYPES as DTYPE_NAMES

STANDARD_DTYPES = tuple(map(np.dtype, DTYPE_NAMES))


DType = np.dtype[Any]

few = settings(max_examples=max(6, settings().max_examples // 4))
"""For properties whose function another property tries thoroughly: a quarter of the examples."""

LAYOUTS = ("plain", "strided", "reversed", "transposed", "broadcast", "part")


class Operand(NamedTuple):
    """The same values for NumPy and for the device under test."""

    host: np.ndarray[Any, Any]
    array: xp.Array


@contextmanager
def quiet() -> Iterator[None]:
    """Warnings about floating-point values off, which are errors in this suite."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def defined_on(device: xp.Device) -> bool:
    """Whether a device computes what the standard defines and nothing else."""
    return device.name == "strict"


def dtypes_of(device: xp.Device, kinds: str = "biufc") -> list[DType]:
    """The standard's dtypes of some kinds (NumPy's letters) that a device has."""
    return [dtype for dtype in STANDARD_DTYPES if dtype in device.dtypes and dtype.kind in kinds]


def dtypes(device: xp.Device, kinds: str = "biufc") -> st.SearchStrategy[DType]:
    return st.sampled_from(dtypes_of(device, kinds))


def promotes(dtype1: DType, dtype2: DType) -> bool:
    """Whether the standard defines what two dtypes promote to."""
    kinds = {dtype1.kind, dtype2.kind}
    if kinds <= {"i", "u"}:
        return len(kinds) == 1 or np.dtype(np.uint64) not in (dtype1, dtype2)
    return kinds <= {"f", "c"} or kinds == {"b"}


def dtype_pairs(device: xp.Device, kinds: str, others: str | None = None) -> st.SearchStrategy[tuple[DType, DType]]:
    """Pairs of dtypes whose kinds a function takes: of those that promote by the standard, or by NumPy elsewhere."""
    found = [
        (dtype1, dtype2)
        for dtype1 in dtypes_of(device, kinds)
        for dtype2 in dtypes_of(device, others or kinds)
        if not defined_on(device) or promotes(dtype1, dtype2)
    ]
    return st.sampled_from([pair for pair in found if np.result_type(*pair) in device.dtypes])


def shapes(min_dims: int = 0, max_dims: int = 3, min_side: int = 0, max_side: int = 4) -> st.SearchStrategy[Any]:
    return hnp.array_shapes(min_dims=min_dims, max_dims=max_dims, min_side=min_side, max_side=max_side)


def broadcastable(count: int) -> st.SearchStrategy[tuple[tuple[int, ...], ...]]:
    """Shapes that broadcast against each other, 0-d and empty ones among them."""
    return hnp.mutually_broadcastable_shapes(num_shapes=count, max_dims=3, min_side=0, max_side=3).map(
        lambda found: found.input_shapes
    )


def reals(dtype: DType, bound: float | None = None, special: bool = True) -> st.SearchStrategy[float]:
    """Real floating-point numbers that a dtype holds exactly, with those that are special often among them."""
    limits = np.finfo(dtype)
    largest = float(limits.max) if bound is None else bound
    plain = [value for value in (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0, -2.5, 3.0) if abs(value) <= largest]
    extreme = [float(limits.smallest_normal), -float(limits.smallest_normal), largest, -largest]
    infinite = [math.inf, -math.inf, math.nan] if special else []
    width = 8 * dtype.itemsize // (2 if dtype.kind == "c" else 1)
    drawn = (
        st.floats(-largest, largest, width=width, allow_nan=False, allow_infinity=False, allow_subnormal=False)
        if np.dtype(f"f{width // 8}").type(largest) == largest
        else st.sampled_from(plain)
    )
    return st.sampled_from(plain + infinite + infinite) | drawn | st.sampled_from(extreme if special else plain)


def elements(dtype: DType, *, bound: float | None = None, special: bool = True) -> st.SearchStrategy[Any]:
    """Values of a dtype. ``bound`` limits finite magnitudes; without ``special`` there are no NaN and infinities."""
    if dtype.kind == "b":
        return st.booleans()
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        least, greatest = int(limits.min), int(limits.max)
        if bound is not None:
            least, greatest = max(least, -int(bound)), min(greatest, int(bound))
        some = [value for value in (0, 1, -1, 2, -3, 7, least, greatest) if least <= value <= greatest]
        return st.sampled_from(some) | st.integers(max(least, -100), min(greatest, 100))
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
    """An operand on the default device, in one of the memory layouts."""
    chosen = draw(dtype) if isinstance(dtype, st.SearchStrategy) else dtype
    lengths = draw(shapes() if shape is None else shape) if not isinstance(shape, tuple) else shape
    layout = draw(st.sampled_from(tuple(layouts)))
    source, view = _layout(layout, lengths)
    items = elements(chosen, **limits) if values is None else values
    base = draw(hnp.arrays(chosen, source, elements=items, unique=unique, fill=st.nothing()))
    native = xp.asarray(base, copy=True)
    return Operand(view(np, base), view(xp, native))


def _layout(layout: str, shape: tuple[int, ...]) -> tuple[tuple[int, ...], Any]:
    """The shape of the memory, and the view of it that has the shape wanted."""
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
    """An operand of given values on the default device."""
    host = np.asarray(values, dtype=dtype)
    return Operand(host, xp.asarray(host, copy=True))


def values_of(x: xp.Array) -> np.ndarray[Any, Any]:
    """The values of an Array on the host."""
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
    """Fail unless a result is an Array of the expected dtype, shape and values on its device.

    ``ulp`` is the distance allowed in units of the last place of the expected value, of a complex one in those of its
    modulus; ``atol`` an absolute one beside it; ``signs`` says whether the signs of zeros are compared.
    """
    reference = np.asarray(expected)
    wanted = np.dtype(reference.dtype if dtype is None else dtype)
    assert type(result) is xp.Array, f"{type(result)} is no Array"
    assert result.device is (xp.default_device() if device is None else device), f"the result is on {result.device}"
    assert result.dtype == wanted, f"dtype {result.dtype}, expected {wanted}"
    assert result.shape == reference.shape, f"shape {result.shape}, expected {reference.shape}"
    with quiet():
        difference = _difference(values_of(result), reference.astype(wanted), reference, ulp, signs, atol)
    assert difference is None, difference


def _difference(got: Any, want: Any, exact: Any, ulp: float, signs: bool, atol: float) -> str | None:
    """The first element that differs, in words; ``exact`` is what ``want`` was rounded from."""
    if want.dtype.kind == "c":
        agree = _complex_agree(got, want, exact, ulp, signs, atol)
    elif want.dtype.kind == "f":
        agree = _real_agree(got, want, ulp, atol) & (_zeros_agree(got, want) if signs else True)
    else:
        agree = got == want
    if np.all(agree):
        return None
    index = tuple(int(i) for i in np.argwhere(~agree)[0]) if want.ndim else ()
    return f"element {index} is {got[index]!r}, expected {want[index]!r} (within {ulp} ulp)"


def _zeros_agree(got: Any, want: Any) -> Any:
    return (got != 0) | (want != 0) | (np.signbit(got) == np.signbit(want))


def _real_agree(got: Any, want: Any, ulp: float, atol: float) -> Any:
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    if not ulp and not atol:
        return same
    # What overflows in one library only is one place away; what underflows, one smallest normal number.
    limits = np.finfo(want.dtype)
    got, want = np.clip(got, limits.min, limits.max), np.clip(want, limits.min, limits.max)
    return same | (
        np.abs(got - want)
        <= np.maximum(ulp * np.spacing(np.minimum(np.abs(want), limits.max / 2)), atol + limits.smallest_normal)
    )


def _complex_agree(got: Any, want: Any, exact: Any, ulp: float, signs: bool, atol: float) -> Any:
    # With a NaN component, the standard leaves the signs of the other open.
    open_signs = np.isnan(want.real) | np.isnan(want.imag)
    limits = np.finfo(want.real.dtype)
    margin = (
        ulp * np.spacing(np.minimum(np.abs(want), limits.max / 2)) + atol + (limits.smallest_normal if ulp else 0.0)
    )
    agree = np.ones(want.shape, bool)
    parts = ((got.real, want.real, exact.real), (got.imag, want.imag, exact.imag))
    for got_part, want_part, exact_part in parts:
        a = np.where(open_signs, np.abs(got_part), got_part)
        b = np.where(open_signs, np.abs(want_part), want_part)
        finite = np.isfinite(a) & np.isfinite(b)
        agree &= _real_agree(a, b, 0, 0.0) | (finite & (np.abs(a - b) <= margin))
        if signs:
            # Of a component that was rounded to zero, no sign is asked.
            agree &= _zeros_agree(a, b) | (exact_part != 0)
    return agree


def outcome(function: Any, *args: Any, **kwargs: Any) -> Any:
    """What NumPy makes of a call: its result, or the exception class where it refuses."""
    with quiet():
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            return next(kind for kind in (TypeError, ValueError, IndexError, OverflowError) if isinstance(error, kind))
