"""Initial values of parameters, by PyTorch's names: each function writes to an Array and returns it."""

from __future__ import annotations

import math
from typing import Any, Literal

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_word
from .._core.errors import describe
from ..linalg import diagonal, qr
from ..special import ndtri
from ._checks import check_number, check_real_floating
from .modules._initial import Initial, Rng

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

GAINS = {
    **dict.fromkeys(("linear", "sigmoid", *[f"conv{t}{n}d" for t in ("", "_transpose") for n in (1, 2, 3)]), 1.0),
    "tanh": 5 / 3,
    "relu": math.sqrt(2),
    "selu": 3 / 4,
}
"""Gains of activations without a parameter."""


def __dir__() -> list[str]:
    return sorted(__all__)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor by which an activation makes deviations smaller, as an initial value makes up for it.

    Parameters
    ----------
    nonlinearity
        ``"linear"``, ``"conv1d"`` and so on, ``"sigmoid"``, ``"tanh"``, ``"relu"``, ``"leaky_relu"`` or ``"selu"``.
    param
        Slope of ``"leaky_relu"`` for negative numbers. Default: 0.01.

    Returns
    -------
    float
        The gain.

    Raises
    ------
    ValueError
        If ``nonlinearity`` is another value.
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else check_number(param, "calculate_gain", "param")
        return math.sqrt(2 / (1 + slope**2))
    if not isinstance(nonlinearity, str) or nonlinearity not in GAINS:
        raise ValueError(
            f"calculate_gain(): nonlinearity is {describe(nonlinearity)}, expected one of {', '.join(GAINS)} and "
            "leaky_relu"
        )
    return GAINS[nonlinearity]


def _write(tensor: Array, values: Any) -> Array:
    tensor[...] = values
    return tensor


def _check(tensor: Any, function: str, axes: int | None = None, least: int = 0) -> None:
    """Raise an error unless an argument is an Array of floating point with a number of axes."""
    check_real_floating(tensor, function, "tensor")
    if tensor.ndim < least or (axes is not None and tensor.ndim != axes):
        expected = f"{axes} axes" if axes is not None else f"{least} axes or more"
        raise ValueError(f"{function}(): tensor has shape {tensor.shape}, expected {expected}")


def _initial(tensor: Array, rng: Rng) -> Initial:
    return Initial(rng, tensor.device, tensor.dtype)


def uniform_(tensor: Array, a: float = 0.0, b: float = 1.0, *, rng: Rng = None) -> Array:
    """Write numbers of [a, b).

    Parameters
    ----------
    tensor
        The Array.
    a, b
        Ends of the interval.
    rng
        Generator, or its seed.

    Returns
    -------
    Array
        ``tensor``.
    """
    _check(tensor, "uniform_")
    initial = _initial(tensor, rng)
    return _write(tensor, initial.convert(initial.rng.uniform(a, b, tensor.shape)))


def normal_(tensor: Array, mean: float = 0.0, std: float = 1.0, *, rng: Rng = None) -> Array:
    """Write normally distributed numbers.

    Parameters
    ----------
    tensor
        The Array.
    mean, std
        Mean and standard deviation.
    rng
        Generator, or its seed.

    Returns
    -------
    Array
        ``tensor``.
    """
    _check(tensor, "normal_")
    initial = _initial(tensor, rng)
    return _write(tensor, initial.convert(initial.rng.standard_normal(tensor.shape) * std + mean))


def trunc_normal_(
    tensor: Array, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, *, rng: Rng = None
) -> Array:
    """Write numbers of a normal distribution, limited to [a, b].

    Parameters
    ----------
    tensor
        The Array.
    mean, std
        Mean and standard deviation of the distribution without limits.
    a, b
        The limits.
    rng
        Generator, or its seed.

    Returns
    -------
    Array
        ``tensor``.

    Raises
    ------
    ValueError
        If ``std`` is not positive, or ``a`` is not less than ``b``.
    """
    _check(tensor, "trunc_normal_")
    if not std > 0 or not a < b:
        raise ValueError(f"trunc_normal_(): std is {std} and the limits are {a} and {b}, expected std > 0 and a < b")
    initial = _initial(tensor, rng)
    low, high = [0.5 * math.erfc(-(limit - mean) / (std * math.sqrt(2))) for limit in (a, b)]
    values = mean + std * ndtri(initial.rng.uniform(low, high, tensor.shape))
    return _write(tensor, initial.convert(xp.clip(values, a, b)))


def constant_(tensor: Array, val: float) -> Array:
    """Write one number to all elements; return the Array."""
    _check(tensor, "constant_")
    return _write(tensor, check_number(val, "constant_", "val"))


def ones_(tensor: Array) -> Array:
    """Write 1 to all elements; return the Array."""
    _check(tensor, "ones_")
    return _write(tensor, 1.0)


def zeros_(tensor: Array) -> Array:
    """Write 0 to all elements; return the Array."""
    _check(tensor, "zeros_")
    return _write(tensor, 0.0)


def eye_(tensor: Array) -> Array:
    """Write the identity matrix to an Array of two axes; return it."""
    _check(tensor, "eye_", 2)
    rows, columns = tensor.shape
    return _write(tensor, xp.eye(rows, columns, dtype=tensor.dtype, device=tensor.device))


def dirac_(tensor: Array, groups: int = 1) -> Array:
    """Write the weight of a convolution that returns its input, as far as it has channels for it.

    Parameters
    ----------
    tensor
        Array of shape (outputs, inputs, ...) with one to three axes of the kernel.
    groups
        Number of groups of channels, which divides the outputs.

    Returns
    -------
    Array
        ``tensor``.

    Raises
    ------
    ValueError
        If the number of axes is another one, or ``groups`` does not divide the outputs.
    """
    _check(tensor, "dirac_")
    if tensor.ndim not in (3, 4, 5):
        raise ValueError(f"dirac_(): tensor has shape {tensor.shape}, expected 3, 4 or 5 axes")
    if groups < 1 or tensor.shape[0] % groups:
        raise ValueError(f"dirac_(): groups is {groups}, expected a divisor of the {tensor.shape[0]} outputs")
    zeros_(tensor)
    middle = tuple([length // 2 for length in tensor.shape[2:]])
    outputs = tensor.shape[0] // groups
    for group in range(groups):
        for channel in range(min(outputs, tensor.shape[1])):
            tensor[(group * outputs + channel, channel, *middle)] = 1.0
    return tensor


def _fans(tensor: Array, function: str) -> tuple[int, int]:
    """Return the numbers of inputs and outputs that an output and an input are connected with."""
    _check(tensor, function, least=2)
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _xavier_std(tensor: Array, gain: float, function: str) -> float:
    inputs, outputs = _fans(tensor, function)
    return gain * math.sqrt(2 / (inputs + outputs)) if inputs + outputs else 0.0


def xavier_uniform_(tensor: Array, gain: float = 1.0, *, rng: Rng = None) -> Array:
    r"""Write numbers of [-a, a) with :math:`a = g \sqrt{6 / (n + m)}`, for n inputs and m outputs.

    Parameters
    ----------
    tensor
        Array of shape (outputs, inputs, ...).
    gain
        Factor g; see :func:`calculate_gain`.
    rng
        Generator, or its seed.

    Returns
    -------
    Array
        ``tensor``.

    Raises
    ------
    ValueError
        If the Array has less than two axes.

    Notes
    -----
    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks" (2010).
    """
    bound = math.sqrt(3) * _xavier_std(tensor, gain, "xavier_uniform_")
    return uniform_(tensor, -bound, bound, rng=rng)


def xavier_normal_(tensor: Array, gain: float = 1.0, *, rng: Rng = None) -> Array:
    r"""Write normally distributed numbers of the deviation :math:`g \sqrt{2 / (n + m)}`; see :func:`xavier_uniform_`.

    Parameters
    ----------
    tensor
        Array of shape (outputs, inputs, ...).
    gain
        Factor g.
    rng
        Generator, or its seed.

    Returns
    -------
    Array
        ``tensor``.

    Raises
    ------
    ValueError
        If the Array has less than two axes.
    """
    return normal_(tensor, 0.0, _xavier_std(tensor, gain, "xavier_normal_"), rng=rng)


def _kaiming_std(tensor: Array, a: float, mode: str, nonlinearity: str, function: str) -> float:
    inputs, outputs = _fans(tensor, function)
    fan = inputs if check_word(mode, ("fan_in", "fan_out"), function, "mode") == "fan_in" else outputs
    return calculate_gain(nonlinearity, a) / math.sqrt(fan) if fan else 0.0


def kaiming_uniform_(
    tensor: Array,
    a: float = 0.0,
    mode: Literal["fan_in", "fan_out"] = "fan_in",
    nonlinearity: str = "leaky_relu",
    *,
    rng: Rng = None,
) -> Array:
    r"""Write numbers of [-b, b) with :math:`b = g \sqrt{3 / n}`, for n inputs.

    Parameters
    ----------
    tensor
        Array of shape (outputs, inputs, ...).
    a
        Slope of the activation ``"leaky_relu"`` for negative numbers.
    mode
        ``"fan_out"`` for the number of outputs in the position of n.
    nonlinearity
        The activation, of which g is the gain; see :func:`calculate_gain`.
    rng
        Generator, or its seed.

    Returns
    -------
    Array
        ``tensor``.

    Raises
    ------
    ValueError
        If the Array has less than two axes, or ``mode`` or ``nonlinearity`` is another value.

    Notes
    -----
    He et al., "Delving Deep into Rectifiers" (2015).
    """
    bound = math.sqrt(3) * _kaiming_std(tensor, a, mode, nonlinearity, "kaiming_uniform_")
    return uniform_(tensor, -bound, bound, rng=rng)


def kaiming_normal_(
    tensor: Array,
    a: float = 0.0,
    mode: Literal["fan_in", "fan_out"] = "fan_in",
    nonlinearity: str = "leaky_relu",
    *,
    rng: Rng = None,
) -> Array:
    r"""Write normally distributed numbers of the deviation :math:`g / \sqrt n`; see :func:`kaiming_uniform_`.

    Parameters
    ----------
    tensor
        Array of shape (outputs, inputs, ...).
    a, mode, nonlinearity
        As in :func:`kaiming_uniform_`.
    rng
        Generator, or its seed.

    Returns
    -------
    Array
        ``tensor``.

    Raises
    ------
    ValueError
        If the Array has less than two axes, or ``mode`` or ``nonlinearity`` is another value.
    """
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity, "kaiming_normal_"), rng=rng)


def orthogonal_(tensor: Array, gain: float = 1.0, *, rng: Rng = None) -> Array:
    """Write a random matrix with orthonormal rows or columns, whichever are fewer.

    Parameters
    ----------
    tensor
        Array of two axes or more; it is taken as a matrix with the first axis as its rows.
    gain
        Factor of the matrix.
    rng
        Generator, or its seed.

    Returns
    -------
    Array
        ``tensor``.

    Raises
    ------
    ValueError
        If the Array has less than two axes.

    Notes
    -----
    Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks" (2014).
    """
    _check(tensor, "orthogonal_", least=2)
    if not tensor.size:
        return tensor
    initial = _initial(tensor, rng)
    rows, columns = tensor.shape[0], tensor.size // tensor.shape[0]
    numbers = initial.rng.standard_normal((max(rows, columns), min(rows, columns)))
    q, r = qr(numbers)
    # With the signs of the diagonal, the distribution is that of all such matrices.
    q = xp.where(diagonal(r) < 0, -q, q)
    matrix = xp.matrix_transpose(q) if rows < columns else q
    return _write(tensor, initial.convert(xp.reshape(matrix * gain, tensor.shape)))


def sparse_(tensor: Array, sparsity: float, std: float = 0.01, *, rng: Rng = None) -> Array:
    """Write normally distributed numbers to a matrix, and 0 to a part of each column.

    Parameters
    ----------
    tensor
        Array of two axes.
    sparsity
        The part of the elements of a column that are 0, rounded up to whole elements.
    std
        Standard deviation of the others.
    rng
        Generator, or its seed.

    Returns
    -------
    Array
        ``tensor``.

    Raises
    ------
    ValueError
        If the Array has not two axes, or ``sparsity`` is not in [0, 1].

    Notes
    -----
    Martens, "Deep learning via Hessian-free optimization" (2010).
    """
    _check(tensor, "sparse_", 2)
    if not 0 <= check_number(sparsity, "sparse_", "sparsity") <= 1:
        raise ValueError(f"sparse_(): sparsity is {sparsity}, expected a number in [0, 1]")
    initial = _initial(tensor, rng)
    zeros = math.ceil(sparsity * tensor.shape[0])
    numbers = initial.rng.standard_normal(tensor.shape) * std
    ranks = xp.argsort(xp.argsort(initial.rng.random(tensor.shape), axis=0), axis=0)
    return _write(tensor, initial.convert(xp.where(ranks < zeros, 0.0, numbers)))
