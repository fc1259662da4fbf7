"""Adam and its kin: steps scaled by running means of gradients and of their squares."""

from __future__ import annotations

from typing import Any

from .. import _ops as xp
from .._core.array import Array
from ..nn.modules.module import Module
from ._optimizer import Optimizer, Rate, check_range, scalar

__all__ = ["Adam", "AdamW", "Lion"]


def check_betas(betas: Any, name: str) -> tuple[float, float]:
    """Return the two decay rates."""
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        raise ValueError(f"{name}(): betas is a pair of numbers, not {betas!r}")
    first, second = [check_range(beta, name, "betas", below=1.0) for beta in betas]
    return first, second


class Adam(Optimizer):
    r"""Adam: :math:`x - \eta\, \hat m / (\sqrt{\hat v} + \epsilon)` with bias-corrected running means of g and g².

    Definition and defaults are those of ``torch.optim.Adam``.

    Parameters
    ----------
    model
        The module whose parameters are updated.
    lr
        Learning rate :math:`\eta`: a number, or a function of the number of updates so far.
    betas
        Decay rates of the running means.
    eps
        :math:`\epsilon`.
    weight_decay
        Factor :math:`\lambda` of :math:`\lambda x`, which is added to the gradient.
    amsgrad
        Whether the largest :math:`v` so far takes the position of :math:`v`.
    maximize
        Whether the function is maximized.
    decoupled_weight_decay
        Whether ``x`` is multiplied by :math:`1 - \eta \lambda` instead, as in :class:`AdamW`.

    Raises
    ------
    TypeError
        If ``model`` is not a module, or a setting is not a number.
    ValueError
        If a setting is negative, or one of ``betas`` is not in [0, 1).

    Notes
    -----
    Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2014).
    """

    def __init__(
        self,
        model: Module,
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
    ) -> None:
        name = type(self).__name__
        self.betas = check_betas(betas, name)
        self.eps = check_range(eps, name, "eps")
        self.weight_decay = check_range(weight_decay, name, "weight_decay")
        self.amsgrad, self.maximize, self.decoupled_weight_decay = amsgrad, maximize, decoupled_weight_decay
        super().__init__(model, lr)

    def _initial(self, x: Array) -> dict[str, Array]:
        names = ("exp_avg", "exp_avg_sq", *(("max_exp_avg_sq",) if self.amsgrad else ()))
        return {name: xp.zeros_like(x) for name in names}

    def _numbers(self, lr: Array | float, step: Array, x: Array) -> tuple[Array | float, ...]:
        beta1, beta2 = self.betas
        # The powers are computed in the dtype of the steps: in float16, 0.999 would be 1.
        correction = scalar(1 - beta1**step, x)
        root = scalar(xp.sqrt(1 - beta2**step), x)
        return lr / correction, root, 1 - lr * self.weight_decay

    def _changed(self, x: Array, g: Array, state: dict[str, Array], *numbers: Array | float) -> Array:
        size, root, kept = numbers
        beta1, beta2 = self.betas
        g = -g if self.maximize else g
        if self.weight_decay and self.decoupled_weight_decay:
            x = x * kept
        elif self.weight_decay:
            g = g + self.weight_decay * x
        mean = state["exp_avg"] = beta1 * state["exp_avg"] + (1 - beta1) * g
        square = state["exp_avg_sq"] = beta2 * state["exp_avg_sq"] + (1 - beta2) * (g * g)
        if self.amsgrad:
            square = state["max_exp_avg_sq"] = xp.maximum(state["max_exp_avg_sq"], square)
        return x - size * (mean / (xp.sqrt(square) / root + self.eps))


class AdamW(Adam):
    r"""Adam with decoupled weight decay: ``x`` is multiplied by :math:`1 - \eta \lambda` before each step.

    Definition and defaults are those of ``torch.optim.AdamW``.

    Parameters
    ----------
    model
        The module whose parameters are updated.
    lr
        Learning rate :math:`\eta`: a number, or a function of the number of updates so far.
    betas
        Decay rates of the running means.
    eps
        Added to the root of the mean square.
    weight_decay
        :math:`\lambda`.
    amsgrad
        Whether the largest mean square so far takes the position of the mean square.
    maximize
        Whether the function is maximized.

    Raises
    ------
    TypeError
        If ``model`` is not a module, or a setting is not a number.
    ValueError
        If a setting is negative, or one of ``betas`` is not in [0, 1).

    Notes
    -----
    Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2017).
    """

    def __init__(
        self,
        model: Module,
        lr: Rate = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(model, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, decoupled_weight_decay=True)


class Lion(Optimizer):
    r"""Lion: :math:`x - \eta\, (\operatorname{sign}(\beta_1 m + (1 - \beta_1) g) + \lambda x)`.

    Then :math:`m \leftarrow \beta_2 m + (1 - \beta_2) g`.

    Parameters
    ----------
    model
        The module whose parameters are updated.
    lr
        Learning rate :math:`\eta`: a number, or a function of the number of updates so far.
    betas
        :math:`\beta_1, \beta_2`.
    weight_decay
        :math:`\lambda`.

    Raises
    ------
    TypeError
        If ``model`` is not a module, or a setting is not a number.
    ValueError
        If a setting is negative, or one of ``betas`` is not in [0, 1).

    Notes
    -----
    Chen et al., "Symbolic Discovery of Optimization Algorithms" (2023).
    """

    def __init__(
        self,
        model: Module,
        lr: Rate = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
    ) -> None:
        self.betas = check_betas(betas, "Lion")
        self.weight_decay = check_range(weight_decay, "Lion", "weight_decay")
        super().__init__(model, lr)

    def _initial(self, x: Array) -> dict[str, Array]:
        return {"exp_avg": xp.zeros_like(x)}

    def _numbers(self, lr: Array | float, step: Array, x: Array) -> tuple[Array | float, ...]:
        return lr, 1 - lr * self.weight_decay

    def _changed(self, x: Array, g: Array, state: dict[str, Array], *numbers: Array | float) -> Array:
        lr, kept = numbers
        beta1, beta2 = self.betas
        mean = state["exp_avg"]
        direction = xp.sign(beta1 * mean + (1 - beta1) * g)
        state["exp_avg"] = beta2 * mean + (1 - beta2) * g
        return x * kept - lr * direction
