"""Progress of a training: its end where it gains nothing more, and a plot of its losses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..._core.array import Array, to_numpy
from ..._core.errors import describe
from .linear import check_size
from .module import Module

__all__ = ["EarlyStopping", "plot_losses"]


class EarlyStopping:
    """Ends a training where a loss has not become smaller for some calls, and remembers the best parameters.

    Parameters
    ----------
    patience
        Number of calls without a smaller loss after which it ends.
    min_delta
        Amount by which a loss must be smaller to count.

    Attributes
    ----------
    best
        The smallest loss; infinity before the first call.
    best_call, calls
        Number of the call with it, from 1 on, and the number of calls.

    Raises
    ------
    ValueError
        If ``patience`` is less than 1, or ``min_delta`` negative.

    Examples
    --------
    >>> from xtensor import nn
    >>> stopping = nn.EarlyStopping(patience=2)
    >>> [stopping(loss) for loss in (3.0, 2.0, 2.5, 2.1)]
    [False, False, False, True]
    """

    def __init__(self, patience: int = 10, min_delta: float = 0.0) -> None:
        self.patience = check_size(patience, "EarlyStopping", "patience")
        if not min_delta >= 0:
            raise ValueError(f"EarlyStopping(): min_delta is {min_delta}, expected 0 or more")
        self.min_delta = float(min_delta)
        self.best, self.best_call, self.calls = math.inf, 0, 0
        self._state: dict[str, Array] | None = None

    @property
    def stopped(self) -> bool:
        """Whether the training has ended."""
        return self.calls - self.best_call >= self.patience

    def __call__(self, loss: Any, model: Module | None = None) -> bool:
        """Take the loss of an epoch; return whether the training ends. A loss that is NaN is not smaller.

        Parameters
        ----------
        loss
            A number, or a 0-d Array.
        model
            A module, of which the state is copied where the loss is the smallest one.
        """
        self.calls += 1
        value = float(loss)
        if value < self.best - self.min_delta:
            self.best, self.best_call = value, self.calls
            self._state = None if model is None else {name: x.copy() for name, x in model.state_dict().items()}
        return self.stopped

    def restore(self, model: Module) -> Module:
        """Set the state of the call with the smallest loss; return the module.

        Raises
        ------
        ValueError
            If no module was given at that call.
        """
        if self._state is None:
            raise ValueError(
                "EarlyStopping.restore(): no state is known; pass the module with each loss: stopping(loss, model)"
            )
        model.load_state_dict(self._state)
        return model


def plot_losses(losses: Mapping[str, Sequence[Any]] | Sequence[Any], *, ax: Any = None, log: bool = False) -> Any:
    """Plot losses over the epochs or steps, by the package matplotlib.

    Parameters
    ----------
    losses
        Numbers or 0-d Arrays in their order, or a 1-d array; or several of these by name, for instance those of
        training and validation.
    ax
        Axes of matplotlib to draw on. Default: those of a new figure.
    log
        Whether the axis of the losses is logarithmic.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    TypeError
        If ``losses`` is neither a sequence nor a dict of sequences.
    ImportError
        If ``ax`` is None, and matplotlib is missing.
    """
    named = losses if isinstance(losses, Mapping) else {"loss": losses}
    lists: dict[str, list[float]] = {}
    for name, values in named.items():
        if isinstance(values, str) or not isinstance(values, (Sequence, Array, np.ndarray)):
            raise TypeError(f"plot_losses() takes a sequence of numbers or a dict of such, not {describe(values)}")
        lists[name] = [float(x) for x in (to_numpy(values) if isinstance(values, Array) else values)]
    axes = _new_axes() if ax is None else ax
    for name, numbers in lists.items():
        axes.plot(range(1, len(numbers) + 1), numbers, label=name, marker="." if len(numbers) < 50 else "")
    axes.set_xlabel("epoch")
    axes.set_ylabel("loss")
    if log:
        axes.set_yscale("log")
    if len(named) > 1:
        axes.legend()
    return axes


def _new_axes() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "plot_losses() draws by matplotlib, which is missing; install it with pip install matplotlib"
        ) from error
    return plt.subplots()[1]
