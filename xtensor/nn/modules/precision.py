"""Mixed precision: layers that compute in a short dtype, and a scale of the loss that keeps gradients in its range."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from ... import _ops as xp
from ..._core.array import Array
from ..._core.device import Device
from ..._core.dtypes import dtype_named, is_narrow
from ..._core.errors import describe
from ..._core.trees import TreeObject, map_leaves
from ..._ops._casts import widened
from .module import Module

__all__ = ["Autocast", "GradScaler", "autocast"]

M = TypeVar("M", bound=Module)


@dataclass(frozen=True)
class Autocast:
    """The precision of a module after :func:`autocast`.

    Attributes
    ----------
    dtype
        The dtype in which the layers compute; None for that of their parameters.
    device
        The device of the parameters.
    reason
        Why it is not the dtype that was asked for; empty where it is.
    """

    dtype: Any
    device: Device
    reason: str

    def info(self) -> str:
        """Return the dtype and the reason as a text."""
        if self.dtype is None:
            return f"the dtype of the parameters on {self.device}" + (f", because {self.reason}" if self.reason else "")
        return f"{self.dtype} on {self.device}, with parameters of float32"


def autocast(module: Module, dtype: Literal["bfloat16", "float16"] | None = "bfloat16") -> Autocast:
    """Let layers compute in a short dtype; their parameters and gradients stay as they are.

    Linear layers, convolutions and attention cast their inputs and parameters at each call, and the outputs of the
    module are cast to float32. All else computes in the dtypes that follow from that: normalization has parameters of
    float32 and returns float32. It is a setting of the layers, and no state of the process.

    Parameters
    ----------
    module
        The module.
    dtype
        ``"bfloat16"`` or ``"float16"``; None for the dtype of the parameters, which undoes it. float16 needs a
        :class:`GradScaler`, because gradients below 6e-8 are 0 in it.

    Returns
    -------
    Autocast
        The dtype that is used. On a device without the dtype it is that of the parameters, and the result says why.

    Raises
    ------
    TypeError
        If ``module`` is not a module.
    ValueError
        If ``dtype`` is another value, or the module has no parameters.

    Notes
    -----
    Micikevicius et al., "Mixed Precision Training" (2018).
    """
    if not isinstance(module, Module):
        raise TypeError(f"autocast() takes a module, not {describe(module)}")
    if dtype not in ("bfloat16", "float16", None):
        raise ValueError(f"autocast(): dtype is {describe(dtype)}, expected 'bfloat16', 'float16' or None")
    first = next(module.parameters(), None)
    if first is None:
        raise ValueError(f"autocast(): the module {type(module).__name__} has no parameters")
    short, reason = _usable(dtype, first.device)
    for layer in module.modules():
        if layer._computes_in_short:
            layer._short = short
    module._hooks = tuple([hook for hook in module._hooks if hook is not _lengthened])
    if short is not None:
        module._hooks = (*module._hooks, _lengthened)
    return Autocast(short, first.device, reason)


def _usable(name: str | None, device: Device) -> tuple[Any, str]:
    """Return a dtype by its name, or None and the reason where a device cannot use it."""
    if name is None:
        return None, ""
    try:
        dtype = dtype_named(name)
    except ImportError as error:
        return None, str(error)
    return (dtype, "") if device.supports(dtype) else (None, f"the device {device} does not support {name}")


def _lengthened(module: Module, args: Any, output: Any) -> Any:
    """Cast the outputs of a module to float32."""
    return map_leaves(widened, output)


class GradScaler(TreeObject):
    """Scales a loss, so that gradients are in the range of float16, and finds the scale.

    An update whose gradients are not finite is left out, and the scale is made smaller; after a number of updates
    without that, it is made larger. It is a tree of Arrays, as an optimizer is: :func:`xtensor.fuse` compiles a
    function of it.

    Parameters
    ----------
    init_scale
        The first scale.
    growth_factor, backoff_factor
        Factors by which the scale grows and shrinks.
    growth_interval
        Number of updates one after the other, all with finite gradients, after which it grows.

    Attributes
    ----------
    factor
        The scale, a 0-d Array of float32.
    good_steps
        Number of updates since the scale changed.

    Raises
    ------
    ValueError
        If the scale is not positive, ``growth_factor`` not above 1, or ``backoff_factor`` not in (0, 1).
    """

    def __init__(
        self,
        init_scale: float = 65536.0,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        *,
        device: str | Device | None = None,
    ) -> None:
        if not init_scale > 0 or not growth_factor > 1 or not 0 < backoff_factor < 1 or growth_interval < 1:
            raise ValueError(
                f"GradScaler(): init_scale is {init_scale}, growth_factor {growth_factor}, backoff_factor "
                f"{backoff_factor} and growth_interval {growth_interval}, expected more than 0, more than 1, a number "
                "in (0, 1), and 1 or more"
            )
        self.growth_factor, self.backoff_factor = float(growth_factor), float(backoff_factor)
        self.growth_interval = growth_interval
        self.factor = xp.asarray(float(init_scale), dtype=xp.float32, device=device)
        self.good_steps = xp.asarray(0, device=device)

    def scale(self, loss: Array) -> Array:
        """Return a loss times the scale, to differentiate it; in float32 if it has 16 bits."""
        loss = widened(loss)  # the scale is above the range of float16
        return loss * xp.astype(self.factor, loss.dtype, copy=False)

    def update(self, optimizer: Any, model: M, gradients: Any) -> M:
        """Update a model by the gradients of a scaled loss, and the scale.

        Parameters
        ----------
        optimizer
            An optimizer of ``xtensor.optim``.
        model
            The module.
        gradients
            Gradient of the scaled loss, as :func:`xtensor.autograd.grad` returns it.

        Returns
        -------
        Module
            ``model``. It and the states of the optimizer are unchanged where a gradient is not finite.

        Raises
        ------
        ValueError
            If there are no gradients.
        """
        scaled = dict(gradients.named_parameters()) if isinstance(gradients, Module) else dict(gradients)
        scaled = {name: g for name, g in scaled.items() if g is not None}
        named = {name: xp.astype(g, _long(g)) / xp.astype(self.factor, _long(g)) for name, g in scaled.items()}
        if not named:
            raise ValueError("GradScaler.update(): there are no gradients")
        finite = functools.reduce(operator.and_, [xp.all(xp.isfinite(g)) for g in named.values()])
        before = dict(model.named_parameters())
        steps, states = optimizer.steps, {path: dict(state) for path, state in optimizer.state.items()}
        optimizer.update(model, {name: xp.where(finite, g, xp.zeros_like(g)) for name, g in named.items()})
        replaced = {id(x): xp.where(finite, x, before[name]) for name, x in model.named_parameters()}
        model._replace(lambda x: replaced.get(id(x), x))
        optimizer.steps = xp.where(finite, optimizer.steps, steps)
        optimizer.state = {
            path: {part: xp.where(finite, x, states[path][part]) for part, x in state.items()}
            for path, state in optimizer.state.items()
            if path in states
        }
        self._adapt(finite)
        return model

    def _adapt(self, finite: Array) -> None:
        """Change the scale after an update."""
        good = self.good_steps + 1
        grows = good == self.growth_interval
        limits = xp.finfo(xp.float32)
        is_finite = self.factor <= float(limits.max) / self.growth_factor  # the larger scale
        one = xp.ones_like(self.factor)
        grown = self.factor * xp.where(grows & is_finite, one * self.growth_factor, one)
        smaller = xp.maximum(self.factor * self.backoff_factor, float(limits.smallest_normal))
        self.factor = xp.where(finite, grown, smaller)
        self.good_steps = xp.where(finite & ~grows, good, xp.zeros_like(good))


def _long(x: Array) -> Any:
    return xp.float32 if is_narrow(x.dtype) else x.dtype
