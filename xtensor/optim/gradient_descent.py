"""Stochastic gradient descent."""

from __future__ import annotations

from .. import _ops as xp
from .._core.array import Array
from ..nn.modules.module import Module
from ._optimizer import Optimizer, Rate, check_range

__all__ = ["SGD"]


class SGD(Optimizer):
    r"""Stochastic gradient descent :math:`x - \eta\, v`, with momentum :math:`v \leftarrow \mu v + (1 - \tau) g`.

    Definition and defaults are those of ``torch.optim.SGD``.

    Parameters
    ----------
    model
        The module whose parameters are updated.
    lr
        Learning rate :math:`\eta`: a number, or a function of the number of updates so far.
    momentum
        Factor :math:`\mu`; with 0, :math:`v = g`. At the first update, :math:`v = g`.
    dampening
        :math:`\tau`.
    weight_decay
        Factor :math:`\lambda` of :math:`\lambda x`, which is added to the gradient.
    nesterov
        Whether :math:`g + \mu v` takes the position of :math:`v`.
    maximize
        Whether the function is maximized.

    Raises
    ------
    TypeError
        If ``model`` is not a module, or a setting is not a number.
    ValueError
        If a setting is negative, or ``nesterov`` is set without a momentum or with a dampening.
    """

    def __init__(
        self,
        model: Module,
        lr: Rate = 1e-3,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        self.momentum = check_range(momentum, "SGD", "momentum")
        self.dampening = dampening
        self.weight_decay = check_range(weight_decay, "SGD", "weight_decay")
        self.nesterov, self.maximize = nesterov, maximize
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("SGD(): nesterov=True requires a momentum above 0 and zero dampening")
        super().__init__(model, lr)

    def _initial(self, x: Array) -> dict[str, Array]:
        return {"momentum_buffer": xp.zeros_like(x)} if self.momentum else {}

    def _numbers(self, lr: Array | float, step: Array, x: Array) -> tuple[Array | float, ...]:
        if not self.dampening:
            return lr, 1.0
        return lr, xp.astype(1 - self.dampening * xp.astype(step > 1, step.dtype), x.dtype)

    def _changed(self, x: Array, g: Array, state: dict[str, Array], *numbers: Array | float) -> Array:
        lr, damping = numbers
        g = -g if self.maximize else g
        if self.weight_decay:
            g = g + self.weight_decay * x
        if self.momentum:
            damped = g * damping if self.dampening else g
            velocity = state["momentum_buffer"] = self.momentum * state["momentum_buffer"] + damped
            g = g + self.momentum * velocity if self.nesterov else velocity
        return x - lr * g
