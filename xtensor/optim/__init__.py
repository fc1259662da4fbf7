"""Optimizers of modules, learning rates, clipping of gradients, averages of weights."""

from __future__ import annotations

from ._optimizer import Optimizer
from .adam import Adam, AdamW, Lion
from .adaptive import Adadelta, Adagrad, RMSprop
from .gradient_descent import SGD

__all__ = ["SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Lion", "Optimizer", "RMSprop"]


def __dir__() -> list[str]:
    return sorted(__all__)
