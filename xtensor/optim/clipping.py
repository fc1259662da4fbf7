"""Gradients with a limited norm or limited elements, and averages of weights."""

from __future__ import annotations

from typing import Any, TypeVar

from .. import _ops as xp
from .. import linalg
from .._core.array import Array
from .._core.errors import describe
from .._core.trees import TreeObject, flatten, map_leaves
from .._ops._casts import floating, widened
from ..autograd import stop_gradient
from ..nn.modules.module import Module
from ._optimizer import check_range

__all__ = ["ExponentialMovingAverage", "clip_by_norm", "clip_by_value", "global_norm"]

T = TypeVar("T")


def global_norm(gradients: Any) -> Array:
    """Return the square root of the sum of the squares of all elements.

    Parameters
    ----------
    gradients
        Gradient of a module, or nested containers of Arrays.

    Returns
    -------
    Array
        0-d Array. float16 and bfloat16 are computed in float32, integers in the default floating-point dtype.

    Raises
    ------
    TypeError
        If there is no Array.
    """
    arrays = [leaf for leaf in flatten(gradients)[0] if leaf.__class__ is Array]
    if not arrays:
        raise TypeError(f"global_norm() takes gradients, Arrays in a module or containers, not {describe(gradients)}")
    # Squares may leave the range, and of float32 do so from 2e19 on.
    return linalg.vector_norm(xp.stack([linalg.vector_norm(widened(floating(x))) for x in arrays]))


def clip_by_norm(gradients: T, max_norm: float) -> T:
    """Multiply gradients by a factor so that their global norm is not above a limit.

    Parameters
    ----------
    gradients
        Gradient of a module, or nested containers of Arrays.
    max_norm
        The limit.

    Returns
    -------
    Any
        The gradients, in the same containers. As in PyTorch, the factor is ``max_norm / (norm + 1e-6)`` and at most 1.

    Raises
    ------
    TypeError
        If there is no Array.
    ValueError
        If the limit is negative.
    """
    limit = check_range(max_norm, "clip_by_norm", "max_norm")
    factor = xp.minimum(limit / (global_norm(gradients) + 1e-6), 1.0)

    def clipped(g: Array) -> Array:
        x = widened(g)  # the factor may be below the range of 16 bits where the product is not
        return xp.astype(x * xp.astype(factor, x.dtype), g.dtype, copy=False)

    return map_leaves(clipped, gradients)  # type: ignore[no-any-return]


def clip_by_value(gradients: T, limit: float) -> T:
    """Limit the elements of gradients to [-limit, limit].

    Parameters
    ----------
    gradients
        Gradient of a module, or nested containers of Arrays.
    limit
        The limit.

    Returns
    -------
    Any
        The gradients, in the same containers.

    Raises
    ------
    ValueError
        If the limit is negative.
    """
    largest = check_range(limit, "clip_by_value", "limit")
    return map_leaves(lambda g: xp.clip(g, -largest, largest), gradients)  # type: ignore[no-any-return]


class ExponentialMovingAverage(TreeObject):
    r"""Average of a model's weights, :math:`a \leftarrow d a + (1 - d) x`.

    Parameters
    ----------
    model
        The module, whose weights are copied.
    decay
        :math:`d`.

    Attributes
    ----------
    model
        A copy of the module with the averages, which are float32 for weights of 16 bits.

    Raises
    ------
    TypeError
        If ``model`` is not a module.
    ValueError
        If ``decay`` is not in [0, 1).
    """

    def __init__(self, model: Module, decay: float = 0.999) -> None:
        if not isinstance(model, Module):
            raise TypeError(f"ExponentialMovingAverage() takes a module, not {describe(model)}")
        self.decay = check_range(decay, "ExponentialMovingAverage", "decay", below=1.0)
        weights = {id(x) for x in model.parameters()}
        self.model = map_leaves(lambda x: (widened(x) if id(x) in weights else x).copy(), model)

    def update(self, model: Module) -> None:
        """Mix the weights of a model into the averages; its buffers are copied."""
        weights, buffers = dict(model.named_parameters()), dict(model.named_buffers())
        replaced = {}
        for name, average in self.model.named_parameters():
            x = stop_gradient(weights[name])
            replaced[id(average)] = self.decay * average + (1 - self.decay) * x
        for name, buffer in self.model.named_buffers():
            replaced[id(buffer)] = stop_gradient(buffers[name])
        self.model._replace(lambda x: replaced.get(id(x), x))
