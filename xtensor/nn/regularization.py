"""Dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_flag
from .._core.compositions import composed
from .._core.device import base_device
from .._core.errors import describe
from .._core.operands import array_argument
from ._checks import check_number, check_real_floating

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["dropout", "dropout_channels"]


@composed
def dropout(x: AnyArray, /, p: float = 0.5, *, rng: Any, training: bool = True) -> Array:
    r"""Set each element to 0 with probability p, and divide the others by :math:`1 - p`.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.
    p
        The probability.
    rng
        Generator of :func:`xtensor.random.default_rng`, on the device of ``x``.
    training
        Whether elements are set to 0; otherwise ``x`` is returned.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype, or ``rng`` is no generator.
    ValueError
        If ``p`` is not a probability.

    Notes
    -----
    Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting" (2014).
    """
    x = array_argument(x, "dropout")
    return _dropped(x, x.shape, p, rng, training, "dropout")


@composed
def dropout_channels(x: AnyArray, /, p: float = 0.5, *, rng: Any, training: bool = True) -> Array:
    r"""Set each channel to 0 with probability p, and divide the others by :math:`1 - p`.

    Parameters
    ----------
    x
        Array of shape (n, c, …) and a real floating-point dtype.
    p
        The probability.
    rng
        Generator of :func:`xtensor.random.default_rng`, on the device of ``x``.
    training
        Whether channels are set to 0; otherwise ``x`` is returned.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype, or ``rng`` is no generator.
    ValueError
        If ``p`` is not a probability, or ``x`` has fewer than two axes.

    Notes
    -----
    Tompson et al., "Efficient Object Localization Using Convolutional Networks" (2015).
    """
    x = array_argument(x, "dropout_channels")
    if x.ndim < 2:
        raise ValueError(f"dropout_channels(): x has shape {x.shape}, expected (n, c, ...)")
    return _dropped(x, (*x.shape[:2], *[1] * (x.ndim - 2)), p, rng, training, "dropout_channels")


def _dropped(x: Array, shape: tuple[int, ...], p: Any, rng: Any, training: Any, name: str) -> Array:
    check_real_floating(x, name, "x")
    probability = check_number(p, name, "p")
    if not 0 <= probability <= 1:
        raise ValueError(f"{name}(): p is {p}, expected a probability, a number in [0, 1]")
    if not check_flag(training, name, "training") or probability == 0:
        return x
    if not hasattr(rng, "bit_generator") or not hasattr(rng, "device"):
        raise TypeError(f"{name}(): rng is a generator of xtensor.random.default_rng, not {describe(rng)}")
    if probability == 1:
        return xp.zeros_like(x)
    ground = base_device(x.device)
    if not ground._library.has_values:
        return xp.where(xp.empty(shape, dtype=xp.float32, device=ground) < probability, 0.0, x / (1 - probability))
    if base_device(rng.device) != ground:
        raise ValueError(
            f"{name}(): x is on device {ground}, and rng on {rng.device}; make one with "
            f"xtensor.random.default_rng(seed, device={str(ground)!r})"
        )
    uniform = rng.random(shape, dtype=xp.float32)
    return xp.where(uniform < probability, 0.0, x / (1 - probability))
