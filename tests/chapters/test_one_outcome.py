"""One call, one outcome: edge calls with the value and dtype, or the class of exception, that every device must give.

``strict`` may instead refuse with TypeError, ValueError or IndexError what the standard leaves undefined; the last
column says where. The expected values come from the standard, from IEEE 754, or from NumPy's documentation where
the standard is silent.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import inf, nan, pi
from typing import Any

import numpy as np
import pytest
from strategies import defined_on, expect, outcome, skip_unless_held

import xtensor as xp

BIG = 2**53 + 1
LEAST = -(2**63)


def a(values: Any, dtype: Any = None) -> xp.Array:
    """Return an array on the default device; skip the test where the device has no dtype for it."""
    skip_unless_held(values, dtype)
    return xp.asarray(values, dtype=dtype)


def strided(values: Any, dtype: Any) -> xp.Array:
    """Return a view of every second element of an array."""
    return xp.repeat(a(values, dtype), 2)[::2]


def assigned(values: Any, key: Any, value: Any, dtype: Any = None) -> xp.Array:
    """Return a new array after an assignment."""
    x = a(values, dtype)
    x[key()] = value() if callable(value) else value
    return x


def written(function: Callable[[Any, Any], Any], x1: Any, x2: Any) -> xp.Array:
    """Return an array after an in-place operator."""
    return function(x1, x2)  # type: ignore[no-any-return]


i1, i4, i8, u1, u2, u4, u8, f4, f8, c8, c16, b1 = map(
    np.dtype, ("i1", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16", "?")
)

REFUSED = True
"""``strict`` refuses the call."""

CALLS: dict[str, tuple[Callable[[], Any], Any, Any, bool]] = {
    # name: (call, expected values or class of exception, expected dtype, whether strict refuses)
    # -- integers --
    "negative of the least integer wraps": (lambda: -a([LEAST]), [LEAST], i8, False),
    "absolute value of the least integer wraps": (lambda: xp.abs(a([LEAST])), [LEAST], i8, False),
    "addition wraps": (lambda: a([2**63 - 1]) + 1, [LEAST], i8, False),
    "unsigned subtraction wraps": (lambda: a([0], u1) - 1, [255], u1, False),
    "remainder has the divisor's sign": (lambda: a([5, -5, 5, -5]) % a([3, 3, -3, -3]), [2, 1, -1, -2], i8, False),
    "floor division rounds down": (lambda: a([5, -5]) // -3, [-2, 1], i8, False),
    "integers beyond 2**53 are compared exactly": (lambda: a([BIG]) > a([BIG - 1]), [True], b1, False),
    "negative left shift": (lambda: a([1, -1]) << a([-1, -1]), [0, 0], i8, REFUSED),
    "negative right shift of an array": (lambda: a([-5, 5]) >> a([-1, -1]), [-1, 0], i8, REFUSED),
    "negative right shift by a scalar": (lambda: a([-5, 5]) >> -1, [-1, 0], i8, REFUSED),
    "right shift beyond the width": (lambda: a([-5, 5]) >> a([64, 100]), [-1, 0], i8, False),
    "in-place negative right shift": (lambda: written(operator.irshift, a([-5]), a([-2])), [-1], i8, REFUSED),
    "negative power of integers": (lambda: a([2, 3]) ** a([-1, 2]), ValueError, None, False),
    "negative power of an integer scalar": (lambda: 2 ** a([1, -1]), ValueError, None, False),
    "negative power of no integers": (lambda: a([], i8) ** a([-1]), [], i8, False),
    "zero to the power of zero": (lambda: a([0, 2]) ** 0, [1, 1], i8, False),
    "scalar beyond the dtype": (lambda: a([1], u1) + 256, OverflowError, None, False),
    "shift by a scalar beyond the dtype": (lambda: a([4], u2) >> -1, OverflowError, None, False),
    "logarithm of exponentials of a scalar beyond the dtype": (
        lambda: xp.logaddexp(a([1], u2), -(2**12)),
        [1.0],
        f4,
        REFUSED,
    ),
    "sign of a scalar beyond the dtype": (lambda: xp.copysign(a([1, 2], u2), -3), [-1.0, -2.0], f4, REFUSED),
    "sign for a scalar beyond the dtype": (lambda: xp.copysign(-3, a([1, 2], u2)), [3.0, 3.0], f4, REFUSED),
    "step for a scalar beyond the dtype": (lambda: xp.heaviside(-3, a([1, 2], u2)), [0.0, 0.0], f4, False),
    "neighbour towards a scalar beyond the dtype": (
        lambda: xp.nextafter(a([1], u2), -3),
        [1 - 2.0**-24],
        f4,
        REFUSED,
    ),
    "length beside a scalar beyond the dtype": (lambda: xp.hypot(a([4], u2), -3), [5.0], f4, REFUSED),
    "angle beside a scalar beyond the dtype": (lambda: xp.atan2(a([0], u2), -3), [np.float32(pi)], f4, REFUSED),
    "quotient by a scalar beyond 64 bits": (lambda: a([3]) / 2**70, [3 * 2.0**-70], f8, REFUSED),
    "quotient of bytes by a scalar beyond the dtype": (lambda: a([3], u1) / 384, [2.0**-7], f8, REFUSED),
    "sign of a float for bytes": (lambda: xp.copysign(a([1, 2], i1), -1.5), [-1.0, -2.0], f8, REFUSED),
    "sign of an integer for booleans": (lambda: xp.copysign(a([True]), -3), [-1.0], f8, REFUSED),
    "truth of a scalar beyond the dtype": (lambda: xp.logical_and(a([0, 1], u2), -3), [False, True], b1, REFUSED),
    "truth beside a scalar beyond the dtype": (lambda: xp.logical_xor(300, a([0, 1], u1)), [True, False], b1, REFUSED),
    "reversed sum of bytes": (lambda: xp.sum(a([255, 255, 255], u1)[::-1]), 765, u8, False),
    # -- real numbers --
    "signs of zero quotients": (lambda: a([0.0, -0.0]) / a([-1.0, -1.0]), [-0.0, 0.0], f8, False),
    "division of zero by zero": (lambda: a([0.0, 1.0, -1.0]) / 0.0, [nan, inf, -inf], f8, False),
    "floor division by infinity": (lambda: a([1.0, -1.0]) // inf, [0.0, -0.0], f8, False),
    "floor division of an infinity": (lambda: a([inf, -inf]) // 2.0, [inf, -inf], f8, False),
    "remainder by infinity": (lambda: a([1.0, -1.0]) % a([inf, inf]), [1.0, inf], f8, False),
    "remainder of zeros": (lambda: a([0.0, -0.0]) % a([2.0, 2.0]), [0.0, 0.0], f8, False),
    "maximum with NaN": (lambda: xp.maximum(a([nan, 1.0]), a([1.0, nan])), [nan, nan], f8, False),
    "sign of zero and NaN": (lambda: xp.sign(a([-0.0, nan, -inf])), [0.0, nan, -1.0], f8, False),
    "round to even": (lambda: xp.round(a([0.5, 1.5, -0.5, 2.5])), [0.0, 2.0, -0.0, 2.0], f8, False),
    "hypot of an infinity and NaN": (lambda: xp.hypot(a([inf]), a([nan])), [inf], f8, False),
    "pow with exponent zero": (lambda: a([nan, inf, 0.0]) ** 0.0, [1.0, 1.0, 1.0], f8, False),
    "pow of minus zero": (lambda: a([-0.0, -0.0]) ** a([-1.0, 3.0]), [-inf, -0.0], f8, False),
    "square root of minus zero": (lambda: xp.sqrt(a([-0.0, -1.0])), [-0.0, nan], f8, False),
    "atan2 of zeros": (lambda: xp.atan2(a([0.0, -0.0]), a([-0.0, -0.0])), [pi, -pi], f8, False),
    "nextafter of zeros": (lambda: xp.nextafter(a([0.0]), a([-0.0])), [-0.0], f8, False),
    "smallest number halved": (lambda: a([5e-324]) * 0.5, [0.0], f8, False),
    "clip keeps NaN": (lambda: xp.clip(a([nan, 5.0, -5.0]), -1.0, 1.0), [nan, 1.0, -1.0], f8, False),
    "logaddexp of infinities": (lambda: xp.logaddexp(a([-inf, inf]), a([-inf, 1.0])), [-inf, inf], f8, False),
    # -- complex numbers --
    "quotient of large complex numbers": (
        lambda: strided([3e38 + 0j, 1j], c8) / strided([3e38 - 1j, 2j], c8),
        [1.0, 0.5],
        c8,
        False,
    ),
    "quotient by a large complex scalar": (lambda: a([1e300 + 1e300j]) / (1e300 + 1e300j), [1.0], c16, False),
    "complex zero divided by zero": (lambda: a([0j]) / a([0j]), [complex(nan, nan)], c16, False),
    "complex log1p near zero": (
        lambda: xp.log1p(a([1e-20 + 0j, 1e-300 + 1e-300j])),
        [1e-20, 1e-300 + 1e-300j],
        c16,
        False,
    ),
    "complex log2 of a subnormal number": (
        lambda: xp.round(xp.real(xp.log2(a([complex(-5e-324, 5e-324)]))) * 2.0) / 2.0,
        [-1073.5],
        np.dtype(np.float64),
        False,
    ),
    "convolution with a NaN": (
        lambda: xp.convolve(a([0.0, -2.5, 0.0]), a([1.0, nan])),
        [0.0, nan, nan, nan],
        np.dtype(np.float64),
        False,
    ),
    "complex log1p of minus one": (lambda: xp.log1p(a([-1.0 + 0j])), [complex(-inf, 0.0)], c16, False),
    "complex expm1 near zero": (lambda: xp.expm1(a([1e-20 + 0j])), [1e-20 + 0j], c16, False),
    "branch cut of the square root": (
        lambda: xp.sqrt(a([complex(-4.0, 0.0), complex(-4.0, -0.0)])),
        [2j, complex(0.0, -2.0)],
        c16,
        False,
    ),
    "tangent far from the real axis": (
        lambda: xp.tan(a([complex(-2.5, inf), complex(2.5, -inf)])),
        [complex(-0.0, 1.0), complex(0.0, -1.0)],
        c16,
        False,
    ),
    "complex number cast to real": (lambda: xp.astype(a([1j]), xp.float64), TypeError, None, False),
    # -- special functions --
    "powm1 of minus zero": (lambda: xp.special.powm1(a([-0.0, 0.0]), a([-1.0, -1.0])), [-inf, inf], f8, False),
    # -- reductions and scans --
    "sum of nothing": (lambda: xp.sum(a([], f4)), 0.0, f4, False),
    "maximum of nothing": (lambda: xp.max(a([], f4)), ValueError, None, False),
    "product along an empty axis": (lambda: xp.prod(xp.ones((2, 0)), axis=1), [1.0, 1.0], f8, False),
    "reduction of no axes": (lambda: xp.sum(a([[1, 2], [3, 4]]), axis=()), [[1, 2], [3, 4]], i8, False),
    "position of the first NaN": (lambda: xp.argmax(a([1.0, nan, 5.0, nan])), 1, i8, False),
    "repeated axis": (lambda: xp.sum(a([[1]]), axis=(0, -2)), ValueError, None, False),
    "axis of a number": (lambda: xp.sum(a(1), axis=0), ValueError, None, False),
    "cumulative sum with a first zero": (
        lambda: xp.cumulative_sum(a([1, 2], u1), include_initial=True),
        [0, 1, 3],
        u8,
        False,
    ),
    "variance with a large correction": (lambda: xp.var(a([1.0, 2.0]), correction=5.0), nan, f8, False),
    "variance of nothing with a negative correction": (lambda: xp.var(a([], f8), correction=-1.0), 0.0, f8, False),
    "softmax along an empty axis": (lambda: xp.special.softmax(xp.ones((2, 0)), axis=-1), ValueError, None, False),
    # -- sorting, searching and sets --
    "sort puts NaN last": (lambda: xp.sort(a([nan, -inf, 1.0, -0.0])), [-inf, -0.0, 1.0, nan], f8, False),
    "descending argsort is stable": (lambda: xp.argsort(a([1, 2, 1, 2]), descending=True), [1, 3, 0, 2], i8, False),
    "equal NaN are distinct values": (lambda: xp.unique_counts(a([nan, 1.0, nan])).counts, [1, 1, 1], i8, False),
    "search between equal values": (lambda: xp.searchsorted(a([1, 2, 2]), a([2]), side="right"), [3], i8, False),
    "complex values with NaN come last": (
        lambda: xp.unique_values(a([complex(nan, 0.0), complex(0.5, nan), 1.0, complex(nan, nan), -1.0])),
        [-1.0, 1.0, complex(0.5, nan), complex(nan, 0.0), complex(nan, nan)],
        c16,
        False,
    ),
    "isin beyond 2**53": (lambda: xp.isin(a([BIG]), a([BIG - 1])), [False], b1, False),
    # -- creation, shapes and casts --
    "empty count": (lambda: xp.arange(3, 0), [], i8, False),
    "count from minus zero": (lambda: xp.arange(-0.0, 2.0), [-0.0, 1.0], f8, False),
    "three booleans in a count": (lambda: xp.arange(3, dtype=xp.bool), TypeError, None, False),
    "count without a step": (lambda: xp.arange(0, 3, 0), ValueError, None, False),
    "fill integers with NaN": (lambda: xp.full((2,), nan, dtype=xp.int32), ValueError, None, False),
    "fill integers with infinity": (lambda: xp.full((2,), inf, dtype=xp.uint32), OverflowError, None, False),
    "fill no integers with infinity": (lambda: xp.full((0,), inf, dtype=xp.uint32), OverflowError, None, False),
    "fill with a fraction": (lambda: xp.full((1,), 1.5, dtype=xp.uint32), [1], u4, False),
    "roll a number along no axes": (lambda: xp.roll(a(3), 1, axis=()), 3, i8, False),
    "roll by far": (lambda: xp.roll(a([1, 2, 3]), 2**40), [3, 1, 2], i8, False),
    "reshape to an unknown length of nothing": (lambda: xp.reshape(xp.ones((0,)), (-1, 0)), ValueError, None, False),
    "tile with more repetitions than axes": (lambda: xp.tile(a([1]), (2, 2)), [[1, 1], [1, 1]], i8, False),
    "join of a vector and a matrix without elements": (
        lambda: xp.concat([xp.ones((0,)), xp.ones((0, 2))]),
        ValueError,
        None,
        False,
    ),
    "fractions cast to integers": (lambda: xp.astype(a([-1.9, 1.9]), xp.int32), [-1, 1], i4, False),
    "NaN cast to boolean": (lambda: xp.astype(a([nan, 0.0, -0.0]), xp.bool), [True, False, False], b1, False),
    # -- indexing --
    "negative step beyond the start": (lambda: a([1, 2, 3])[5::-2], [3, 1], i8, REFUSED),
    "index array without an axis beside a negative step": (
        lambda: a([[1, 2, 3], [4, 5, 6]])[::-1, a(1)],
        [5, 2],
        i8,
        REFUSED,
    ),
    "assignment by an index array without an axis beside a negative step": (
        lambda: assigned([[1, 2, 3], [4, 5, 6]], lambda: (slice(None, None, -1), a(1)), lambda: a([7, 8])),
        [[1, 8, 3], [4, 7, 6]],
        i8,
        REFUSED,
    ),
    "index out of bounds": (lambda: a([1, 2])[2], IndexError, None, False),
    "mask of another length": (lambda: assigned([1, 2], lambda: a([True] * 3), 0), IndexError, None, False),
    "bad key before a bad value": (lambda: assigned([1], lambda: 3, 2**70), IndexError, None, False),
    "value beyond the dtype": (lambda: assigned([1], lambda: 0, 300, u1), OverflowError, None, False),
    "mask assigned a matrix": (
        lambda: assigned([1, 2], lambda: a([True, False]), lambda: a([[1], [2]])),
        TypeError,
        None,
        False,
    ),
    "repeated index": (lambda: xp.take(a([1, 2]), a([1, 1, -1])), [2, 2, 2], i8, False),
    # -- in-place operators --
    "in-place result of another kind": (lambda: written(operator.iand, a([3]), a([3], u8)), TypeError, None, False),
    "in-place result beyond 64 bits": (
        lambda: written(operator.ixor, a([3]), a([2**64 - 1], u8)),
        TypeError,
        None,
        False,
    ),
    "in-place dtypes before shapes": (
        lambda: written(operator.imul, a([[1]], u8), a([[1, 2]], i8)),
        TypeError,
        None,
        False,
    ),
    "in-place dtypes before values": (
        lambda: written(operator.ipow, a([1, 2], u2), a([-1, 2], i4)),
        TypeError,
        None,
        False,
    ),
    "in-place shape that grows": (lambda: written(operator.iadd, a([1]), a([1, 2])), ValueError, None, False),
    # -- Fourier transforms and linear algebra --
    "transform longer than the array": (lambda: xp.fft.fft(a([1.0 + 0j]), n=2), [1.0 + 0j, 1.0 + 0j], c16, False),
    "transform of length zero": (lambda: xp.fft.fft(a([1.0 + 0j]), n=0), ValueError, None, False),
    "product along an empty dimension": (lambda: xp.ones((2, 0)) @ xp.ones((0, 2)), [[0.0, 0.0]] * 2, f8, False),
    "largest norm of no complex numbers": (
        lambda: xp.linalg.vector_norm(xp.zeros((0, 2), dtype=c8), ord=inf),
        0.0,
        f4,
        False,
    ),
    "transform of bytes": (lambda: xp.fft.fft(a([1, 2], u1)), [3.0, -1.0], c16, REFUSED),
    "determinant of bytes": (lambda: xp.linalg.det(a([[2, 0], [0, 3]], u1)), 6.0, f8, REFUSED),
    "smallest row without elements": (lambda: xp.linalg.matrix_norm(xp.ones((2, 0)), ord=-inf), 0.0, f8, False),
    "smallest of no columns": (lambda: xp.linalg.matrix_norm(xp.ones((2, 0)), ord=-1), ValueError, None, False),
    "largest row of bytes": (
        lambda: xp.linalg.matrix_norm(a([[200, 100]], u1), ord=inf),
        300.0,
        f8,
        REFUSED,
    ),
    "norm of bytes": (lambda: xp.linalg.vector_norm(a([3, 4], u1)), 5.0, f8, REFUSED),
    "determinant of nothing": (lambda: xp.linalg.det(xp.ones((0, 0))), 1.0, f8, False),
}


NEED_DOUBLE_PRECISION = (
    "quotient by a large complex scalar",
    "complex log2 of a subnormal number",
    "quotient by a scalar beyond 64 bits",
    "quotient of bytes by a scalar beyond the dtype",
    "sign of a float for bytes",
    "sign of an integer for booleans",
    "transform of bytes",
    "determinant of bytes",
    "largest row of bytes",
    "norm of bytes",
)


@pytest.mark.parametrize("name", CALLS)
def test_call_has_one_outcome_on_every_device(device, name):
    if name in NEED_DOUBLE_PRECISION and f8 not in device.dtypes:
        pytest.skip(f"{device} has no float64")
    function, expected, dtype, refused = CALLS[name]
    result = outcome(function)
    if refused and defined_on(device):
        assert result in (TypeError, ValueError, IndexError), f"strict must refuse the call, and gave {result!r}"
    elif isinstance(expected, type):
        assert result is expected, f"expected {expected.__name__}, got {result!r}"
    else:
        assert not isinstance(result, type), f"expected {expected}, got {result.__name__}"
        expect(result, np.asarray(expected, dtype), dtype=dtype, ulp=2 if dtype.kind == "c" else 0)
