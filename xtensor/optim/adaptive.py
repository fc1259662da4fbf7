"""Optimizers whose steps are scaled by the squares of gradients: RMSprop, Adagrad, Adadelta."""

from __future__ import annotations

from .. import _ops as xp
from .._core.array import Array
from ..nn.modules.module import Module
from ._optimizer import Optimizer, Rate, check_range

__all__ = ["Adadelta", "Adagrad", "RMSprop"]


class RMSprop(Optimizer):
    r"""RMSprop: :math:`x - \eta\, g / (\sqrt v + \epsilon)` with the running mean :math:`v` of g².

    Definition and defaults are those of ``torch.optim.RMSprop``.

    Parameters
    ----------
    model
        The module whose parameters are updated.
    lr
        Learning rate :math:`\eta`: a number, or a function of the number of updates so far.
    alpha
        Decay rate of the running mean.
    eps
        :math:`\epsilon`.
    weight_decay
        Factor of ``x``, which is added to the gradient.
    momentum
        Factor of the momentum of the scaled gradient.
    centered
        Whether the squared running mean of g is subtracted from :math:`v`.
    maximize
        Whether the function is maximized.

    Raises
    ------
    TypeError
        If ``model`` is not a module, or a setting is not a number.
    ValueError
        If a setting is negative.
    """

    def __init__(
        self,
        model: Module,
        lr: Rate = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        self.alpha = check_range(alpha, "RMSprop", "alpha")
        self.eps = check_range(eps, "RMSprop", "eps")
        self.weight_decay = check_range(weight_decay, "RMSprop", "weight_decay")
        self.momentum = check_range(momentum, "RMSprop", "momentum")
        self.centered, self.maximize = centered, maximize
        super().__init__(model, lr)

    def _initial(self, x: Array) -> dict[str, Array]:
        names = ["square_avg"]
        names += ["momentum_buffer"] if self.momentum else []
        names += ["grad_avg"] if self.centered else []
        return {name: xp.zeros_like(x) for name in names}

    def _changed(self, x: Array, g: Array, state: dict[str, Array], *numbers: Array | float) -> Array:
        (lr,) = numbers
        g = -g if self.maximize else g
        if self.weight_decay:
            g = g + self.weight_decay * x
        square = state["square_avg"] = self.alpha * state["square_avg"] + (1 - self.alpha) * (g * g)
        if self.centered:
            mean = state["grad_avg"] = self.alpha * state["grad_avg"] + (1 - self.alpha) * g
            square = square - mean * mean
        scaled = g / (xp.sqrt(square) + self.eps)
        if self.momentum:
            scaled = state["momentum_buffer"] = self.momentum * state["momentum_buffer"] + scaled
        return x - lr * scaled


class Adagrad(Optimizer):
    r"""Adagrad: :math:`x - \frac{\eta}{1 + (t - 1) d}\, g / (\sqrt s + \epsilon)` with the sum :math:`s` of all g².

    Definition and defaults are those of ``torch.optim.Adagrad``.

    Parameters
    ----------
    model
        The module whose parameters are updated.
    lr
        Learning rate :math:`\eta`: a number, or a function of the number of updates so far.
    lr_decay
        :math:`d`; t is the number of the update.
    weight_decay
        Factor of ``x``, which is added to the gradient.
    initial_accumulator_value
        Initial value of :math:`s`.
    eps
        :math:`\epsilon`.
    maximize
        Whether the function is maximized.

    Raises
    ------
    TypeError
        If ``model`` is not a module, or a setting is not a number.
    ValueError
        If a setting is negative.
    """

    def __init__(
        self,
        model: Module,
        lr: Rate = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        self.lr_decay = check_range(lr_decay, "Adagrad", "lr_decay")
        self.weight_decay = check_range(weight_decay, "Adagrad", "weight_decay")
        self.initial_accumulator_value = check_range(initial_accumulator_value, "Adagrad", "initial_accumulator_value")
        self.eps = check_range(eps, "Adagrad", "eps")
        self.maximize = maximize
        super().__init__(model, lr)

    def _initial(self, x: Array) -> dict[str, Array]:
        return {"sum": xp.full_like(x, self.initial_accumulator_value)}

    def _numbers(self, lr: Array | float, step: Array, x: Array) -> tuple[Array | float, ...]:
        return (lr / xp.astype(1 + (step - 1.0) * self.lr_decay, x.dtype) if self.lr_decay else lr,)

    def _changed(self, x: Array, g: Array, state: dict[str, Array], *numbers: Array | float) -> Array:
        (lr,) = numbers
        g = -g if self.maximize else g
        if self.weight_decay:
            g = g + self.weight_decay * x
        total = state["sum"] = state["sum"] + g * g
        return x - lr * (g / (xp.sqrt(total) + self.eps))


class Adadelta(Optimizer):
    r"""Adadelta: :math:`x - \eta\, g \sqrt{u + \epsilon} / \sqrt{v + \epsilon}`.

    :math:`v` is the running mean of g², :math:`u` that of the squares of the steps. Definition and defaults are those
    of ``torch.optim.Adadelta``.

    Parameters
    ----------
    model
        The module whose parameters are updated.
    lr
        Factor :math:`\eta`: a number, or a function of the number of updates so far.
    rho
        Decay rate of the running means.
    eps
        :math:`\epsilon`.
    weight_decay
        Factor of ``x``, which is added to the gradient.
    maximize
        Whether the function is maximized.

    Raises
    ------
    TypeError
        If ``model`` is not a module, or a setting is not a number.
    ValueError
        If a setting is out of range.
    """

    def __init__(
        self,
        model: Module,
        lr: Rate = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        self.rho = check_range(rho, "Adadelta", "rho", below=1.0 + 1e-15)
        self.eps = check_range(eps, "Adadelta", "eps")
        self.weight_decay = check_range(weight_decay, "Adadelta", "weight_decay")
        self.maximize = maximize
        super().__init__(model, lr)

    def _initial(self, x: Array) -> dict[str, Array]:
        return {"square_avg": xp.zeros_like(x), "acc_delta": xp.zeros_like(x)}

    def _changed(self, x: Array, g: Array, state: dict[str, Array], *numbers: Array | float) -> Array:
        (lr,) = numbers
        g = -g if self.maximize else g
        if self.weight_decay:
            g = g + self.weight_decay * x
        square = state["square_avg"] = self.rho * state["square_avg"] + (1 - self.rho) * (g * g)
        delta = xp.sqrt(state["acc_delta"] + self.eps) / xp.sqrt(square + self.eps) * g
        state["acc_delta"] = self.rho * state["acc_delta"] + (1 - self.rho) * (delta * delta)
        return x - lr * delta
