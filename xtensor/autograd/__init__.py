"""Derivatives of functions of Arrays, on any device.

A function is differentiated by running it: :func:`grad` and its kin pass it Arrays on a device that stands on the
arrays' own and follows derivatives through each operation. Whatever runs on Arrays, SciPy's and scikit-learn's
functions among it, can be differentiated; values decide Python's control flow as usual.

>>> import xtensor as xp
>>> from xtensor import autograd
>>> autograd.grad(xp.sin)(xp.asarray(0.0))
Array(1.)
"""

from __future__ import annotations

import typing as _typing

from .._core.remedies import finder as _finder
from . import _derivatives as _derivatives  # fills the table
from ._checks import check_gradients
from ._custom import Context, Function, checkpoint
from ._jacobians import hessian, hvp, jacobian
from ._solvers import ConvergenceError, find_root, fixed_point, least_squares, minimize
from ._table import NotDifferentiableError
from ._transforms import grad, jvp, stop_gradient, value_and_grad, vjp
from ._variables import Hook, backward, register_hook, variable, zero_grad

__all__ = [
    "Context",
    "ConvergenceError",
    "Function",
    "Hook",
    "NotDifferentiableError",
    "backward",
    "check_gradients",
    "checkpoint",
    "find_root",
    "fixed_point",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "least_squares",
    "minimize",
    "register_hook",
    "stop_gradient",
    "value_and_grad",
    "variable",
    "vjp",
    "zero_grad",
]


def __dir__() -> list[str]:
    return sorted(__all__)


if not _typing.TYPE_CHECKING:  # a type checker knows every name, so that it reports those that do not exist
    __getattr__ = _finder(__name__)
