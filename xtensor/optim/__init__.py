"""Optimizers of modules, learning rates, clipping of gradients, averages of weights."""

from __future__ import annotations

import typing as _typing

from .._core.remedies import finder as _finder
from ._optimizer import Optimizer
from .adam import Adam, AdamW, Lion
from .adaptive import Adadelta, Adagrad, RMSprop
from .clipping import ExponentialMovingAverage, clip_by_norm, clip_by_value, global_norm
from .gradient_descent import SGD
from .lbfgs import LBFGS
from .schedules import cosine, exponential, linear, step_decay, warmup

__all__ = [
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "ExponentialMovingAverage",
    "Lion",
    "Optimizer",
    "RMSprop",
    "clip_by_norm",
    "clip_by_value",
    "cosine",
    "exponential",
    "global_norm",
    "linear",
    "step_decay",
    "warmup",
]


def __dir__() -> list[str]:
    return sorted(__all__)


if not _typing.TYPE_CHECKING:  # a type checker knows every name, so that it reports those that do not exist
    __getattr__ = _finder(__name__)
