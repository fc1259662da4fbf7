"""Permutations and samples: the order of random words.

A permutation is the order in which random words of 64 bits sort. Two of n words are equal with a probability below
n²/2⁶⁵, and keep their order then.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import wrap
from .._core.checks import check_axis, check_flag, check_integer
from .._core.errors import describe
from .._core.operands import native_operand
from . import _formulas as formulas
from ._arguments import Size, floating, output_shape, require
from ._uniforms import Uniforms

if TYPE_CHECKING:
    from .._core.annotations import ArrayLike

__all__ = ["Permutations"]

TOLERANCE = math.sqrt(np.finfo(np.float64).eps)
"""NumPy's bound of the distance between 1 and the sum of probabilities."""


class Permutations(Uniforms):
    __slots__ = ()

    def _as_array(self, x: Any, function: str) -> Array:
        """Return an argument as an Array on the generator's device."""
        if isinstance(x, Array):
            return wrap(native_operand(x, self._device, function), self._device)
        return xp.asarray(x, device=self._device)

    def _order(self, length: int) -> Array:
        """Return a random permutation of the integers below a length."""
        return xp.argsort(self._words((length,)))

    def permutation(self, x: ArrayLike, axis: int = 0) -> Array:
        """Return a permuted copy of an array along an axis, or a permutation of the integers below ``x``.

        Parameters
        ----------
        x
            An array, or an integer n, 0 or more, for ``arange(n)``.
        axis
            The axis; its parts stay whole.

        Raises
        ------
        AxisError
            If there is no such axis.
        ValueError
            If the integer is negative.
        """
        if isinstance(x, (int, np.integer)) and not isinstance(x, bool):
            require(x >= 0, "negative dimensions are not allowed", x, "permutation() takes integers from 0 on")
            return self._order(operator.index(x))
        array = self._as_array(x, "permutation")
        along = check_axis(axis, array.ndim, "permutation")
        return xp.take(array, self._order(array.shape[along]), axis=along)

    def permuted(self, x: ArrayLike, *, axis: int | None = None, out: Array | None = None) -> Array:
        """Return a copy of an array, each of whose rows along an axis is permuted on its own.

        Parameters
        ----------
        x
            Array to permute.
        axis
            The axis; None for all elements as one row.
        out
            Array of the shape of ``x``, which is filled and returned; it may be ``x``.

        Raises
        ------
        AxisError
            If there is no such axis.
        ValueError
            If ``out`` has another shape.
        """
        array = self._as_array(x, "permuted")
        if axis is None:
            flat = xp.reshape(array, (array.size,))
            result = xp.reshape(xp.take(flat, self._order(array.size), axis=0), array.shape)
        else:
            along = check_axis(axis, array.ndim, "permuted")
            order = xp.argsort(self._words(array.shape), axis=along)
            result = xp.take_along_axis(array, order, axis=along)
        if out is None:
            return result
        if not isinstance(out, Array) or out.shape != array.shape:
            raise ValueError(
                f"out must have the same shape as x; permuted(): x has {array.shape}, out is {describe(out)}"
            )
        out[...] = result
        return out

    def shuffle(self, x: Array, axis: int = 0) -> None:
        """Permute an Array in place along an axis.

        Parameters
        ----------
        x
            The Array; for other sequences, use :meth:`permutation`, which returns a new one.
        axis
            The axis; its parts stay whole.

        Raises
        ------
        TypeError
            If ``x`` is not an Array.
        AxisError
            If there is no such axis.
        """
        if not isinstance(x, Array):
            raise TypeError(f"shuffle() takes an Array, not {describe(x)}; permutation() returns a permuted copy of it")
        along = check_axis(axis, x.ndim, "shuffle")
        order = wrap(native_operand(self._order(x.shape[along]), x._device, "shuffle"), x._device)
        x[...] = xp.take(x, order, axis=along)

    def choice(
        self,
        a: ArrayLike,
        size: Size = None,
        replace: bool = True,
        p: ArrayLike | None = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Array:
        """Draw elements of an array, or integers below ``a``.

        Parameters
        ----------
        a
            An array, or an integer n for ``arange(n)``.
        size
            Shape of the draws, which replaces the axis; None for one draw.
        replace
            Whether an element may be drawn more than once. Without, the cost is that of a permutation of all.
        p
            Probability of each element; None for equal ones.
        axis
            The axis whose parts are drawn.
        shuffle
            Accepted for NumPy's signature; the order of the draws is always random.

        Raises
        ------
        ValueError
            If there is nothing to draw from, ``p`` is not a probability for each element, or more elements than there
            are would be drawn without replacement.

        Notes
        -----
        Without replacement, elements with probabilities are drawn one after the other by the smallest of exponential
        numbers over the probabilities (Efraimidis and Spirakis, "Weighted Random Sampling with a Reservoir", 2006).
        """
        check_flag(shuffle, "choice", "shuffle")
        array, number = self._population(a, axis)
        shape = output_shape("choice", size)
        count = math.prod(shape)
        if number == 0 and count:
            given = "a must be a positive integer" if array is None else "a cannot be empty"
            raise ValueError(f"{given} unless no samples are taken; choice() takes {count} from {describe(a)}")
        weights = None if p is None else self._weights(p, number)
        if check_flag(replace, "choice", "replace"):
            drawn = self._with_replacement(number, shape, weights)
        else:
            drawn = xp.reshape(self._without_replacement(number, count, weights), shape)
        if array is None:
            return drawn
        along = check_axis(axis, array.ndim, "choice")
        taken = xp.take(array, xp.reshape(drawn, (count,)), axis=along)
        return xp.reshape(taken, (*array.shape[:along], *shape, *array.shape[along + 1 :]))

    def _population(self, a: Any, axis: int) -> tuple[Array | None, int]:
        """Return the array to draw from, None for integers, and the number of its elements along the axis."""
        if isinstance(a, float) or (getattr(a, "ndim", None) == 0 and getattr(a, "dtype", None).kind not in "iu"):  # type: ignore[union-attr]
            raise ValueError(
                f"a must be a sequence or an integer, not {type(a)}; choice() takes xtensor.asarray([...])"
            )
        if isinstance(a, (int, np.integer)) or getattr(a, "ndim", None) == 0:
            number = check_integer(a, "choice", "a")
            if number < 0:
                raise ValueError(f"a must be a positive integer unless no samples are taken; choice(): a is {number}")
            return None, number
        array = self._as_array(a, "choice")
        return array, array.shape[check_axis(axis, array.ndim, "choice")]

    def _weights(self, p: Any, number: int) -> Array:
        weights = floating(self._as_array(p, "choice"))
        if weights.ndim != 1:
            raise ValueError(f"p must be 1-dimensional; choice(): it has shape {weights.shape}; reshape it")
        if weights.size != number:
            raise ValueError(f"a and p must have same size; choice(): they have {number} and {weights.size} elements")
        require(weights == weights, "Probabilities contain NaN", weights, "choice() takes numbers from 0 on")
        require(weights >= 0, "Probabilities are not non-negative", weights, "choice() takes numbers from 0 on")
        total = float(xp.sum(weights))
        tolerance = max(TOLERANCE, math.sqrt(float(xp.finfo(weights.dtype).eps)))
        if not abs(total - 1.0) <= tolerance:
            raise ValueError(f"Probabilities do not sum to 1; choice(): they sum to {total}; divide them by their sum")
        return weights

    def _with_replacement(self, number: int, shape: tuple[int, ...], weights: Array | None) -> Array:
        if weights is None:
            return self.integers(0, max(number, 1), shape, self._device.default_dtypes["integral"])
        sums = xp.cumulative_sum(weights)
        u = formulas.closed(self._words(shape), dtype=weights.dtype)
        index = xp.searchsorted(sums / sums[-1], xp.reshape(u, (u.size,)), side="right")
        return xp.reshape(xp.astype(index, self._device.default_dtypes["integral"]), shape)

    def _without_replacement(self, number: int, count: int, weights: Array | None) -> Array:
        if count > number:
            raise ValueError(
                f"Cannot take a larger sample than population when replace is False; choice() takes {count} of {number}"
            )
        if weights is None:
            return self._order(number)[:count]
        if int(xp.count_nonzero(weights)) < count:
            raise ValueError(f"Fewer non-zero entries in p than size; choice() takes {count}; reduce size")
        with np.errstate(all="ignore"):
            times = formulas.exponential(self._words((number,)), dtype=weights.dtype) / weights
        return xp.argsort(times)[:count]
