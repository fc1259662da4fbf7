"""Neural networks: layers, and their functions in ``xtensor.nn.functional``."""

from __future__ import annotations

import typing as _typing
from importlib import import_module as _import_module

from . import functional

if _typing.TYPE_CHECKING:
    from .modules.activation import *
    from .modules.container import *
    from .modules.linear import *
    from .modules.module import *

_MODULES = {
    "activation": (
        "ELU GELU GLU SELU Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish PReLU ReLU ReLU6 SiLU Sigmoid Softmax "
        "Softplus Tanh"
    ),
    "container": "ModuleDict ModuleList Sequential",
    "linear": "Flatten Identity Linear Unflatten",
    "module": "Module Parameter",
}
"""The layers of each module of ``xtensor.nn.modules``, which is imported when one of them is used first."""

_LOADED_LATER = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = ["functional", *_LOADED_LATER]


def __dir__() -> list[str]:
    return sorted(__all__)


def _load(name: str) -> _typing.Any:
    """Return a name that is imported at its first use."""
    if name not in _LOADED_LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(f".modules.{_LOADED_LATER[name]}", __name__), name)
    return value


if not _typing.TYPE_CHECKING:  # a type checker knows every name, so that it reports those that do not exist
    __getattr__ = _load
