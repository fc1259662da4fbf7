"""Comparison of derivatives with finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array, to_numpy
from .._core.dtypes import kind_of
from .._core.trees import flatten
from ._transforms import jvp, vjp

__all__ = ["check_gradients"]


def check_gradients(
    f: Callable[..., Any],
    *args: Any,
    order: int = 2,
    step: float = 1e-4,
    rtol: float = 1e-5,
    atol: float = 1e-5,
    seed: int = 0,
) -> None:
    r"""Compare the derivatives of a function, forward and reverse, with finite differences in a random direction.

    Parameters
    ----------
    f
        Function of Arrays or of nested containers of them.
    args
        Arguments of float64 or complex128, at which ``f`` is smooth within ``step``.
    order
        2 also checks the derivative of the derivative, and so on.
    step
        Distance of the finite differences, which are of fourth order: :math:`\frac{8 (f(x + h) - f(x - h)) -
        (f(x + 2h) - f(x - 2h))}{12 h}`.
    rtol, atol
        Relative and absolute tolerance of the comparison.
    seed
        Of the random directions.

    Raises
    ------
    AssertionError
        If a derivative differs; the message names the mode and both values.
    """
    rng = np.random.default_rng(seed)
    value, pull = vjp(f, *args)
    leaves, tree = flatten(args)
    tangents = [_random(rng, x) for x in leaves]
    direction = tree.build(tangents)

    def along(distance: float) -> list[np.ndarray[Any, Any]]:
        moved = tree.build([x + distance * t for x, t in zip(leaves, tangents, strict=True)])
        return [to_numpy(y) for y in flatten(f(*moved))[0]]

    near, far = zip(along(step), along(-step), strict=True), zip(along(2 * step), along(-2 * step), strict=True)
    slopes = [(8 * (a - b) - (c - d)) / (12 * step) for (a, b), (c, d) in zip(near, far, strict=True)]
    _, forward = jvp(f, args, direction)
    results, output_tree = flatten(value)
    for slope, tangent in zip(slopes, flatten(forward)[0], strict=True):
        np.testing.assert_allclose(to_numpy(tangent), slope, rtol=rtol, atol=atol, err_msg="forward mode")
    cotangents = [_random(rng, y) for y in results]
    pulled = flatten(pull(output_tree.build(cotangents)))[0]
    expected = sum(_product(u, slope) for u, slope in zip(cotangents, slopes, strict=True))
    reverse_slope = sum(_product(g, to_numpy(t)) for g, t in zip(pulled, tangents, strict=True))
    scale = sum(float(np.sum(np.abs(to_numpy(u) * s))) for u, s in zip(cotangents, slopes, strict=True))
    np.testing.assert_allclose(reverse_slope, expected, rtol=rtol, atol=atol + rtol * scale, err_msg="reverse mode")
    if order > 1:
        options: dict[str, Any] = {"order": order - 1, "step": step, "rtol": 10 * rtol, "atol": 10 * atol, "seed": seed}
        check_gradients(lambda *x: vjp(f, *x)[1](output_tree.build(cotangents)), *args, **options)
        check_gradients(lambda *x: jvp(f, x, direction)[1], *args, **options)


def _random(rng: np.random.Generator, x: Array) -> Array:
    values = rng.standard_normal(x.shape)
    if kind_of(x.dtype) == "c":
        values = values + 1j * rng.standard_normal(x.shape)
    return xp.asarray(values.astype(x.dtype), device=x.device)


def _product(cotangent: Array, tangent: np.ndarray[Any, Any]) -> float:
    return float(np.real(np.sum(to_numpy(cotangent) * tangent)))
