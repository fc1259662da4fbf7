"""Base class of optimizers: the states of parameters by name, and the update of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .. import _ops as xp
from .._core.array import Array
from .._core.errors import describe
from .._core.remedies import add_foreign_methods
from .._core.tracing_errors import UnknownValueError
from .._core.trees import TreeObject
from .._fuse import fuse, generator_of
from .._fuse.together import compute_together
from .._ops._casts import widened
from ..autograd import stop_gradient
from ..nn.modules.module import Module

__all__ = ["Optimizer", "Rate", "check_range", "named_gradients", "scalar"]

Rate = float | Callable[[Any], Any]
"""A learning rate, or a function of the number of updates so far."""

M = TypeVar("M", bound=Module)


def check_range(value: Any, function: str, name: str, least: float = 0.0, below: float | None = None) -> float:
    """Return a setting that must be a number of a range."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{function}(): {name} is a real number, not {describe(value)}")
    if not value >= least or (below is not None and not value < below):
        limits = f"{least} or more" if below is None else f"in [{least}, {below})"
        raise ValueError(f"{function}(): {name} is {value}, expected a number {limits}")
    return float(value)


def named_gradients(gradients: Any, function: str) -> dict[str, Array]:
    """Return the gradients of parameters by name."""
    if isinstance(gradients, Module):
        return dict(gradients.named_parameters())
    if isinstance(gradients, Mapping):
        return {name: g for name, g in gradients.items() if g is not None}
    raise TypeError(
        f"{function} takes the gradient of a module, as xtensor.autograd.value_and_grad returns it, or a dict of "
        f"Arrays by name, not {describe(gradients)}"
    )


class Optimizer(TreeObject):
    """Base class of optimizers.

    An optimizer is a tree of Arrays, as a module is: :func:`xtensor.fuse` compiles a function of both.

    Attributes
    ----------
    lr
        The learning rate: a number, or a function of the number of updates so far.
    steps
        The number of updates, a 0-d Array of integers.
    state
        The Arrays of each parameter, by its name; of float32 for a parameter of 16 bits, which is updated in float32
        and rounded.
    """

    def __init__(self, model: Module, lr: Rate) -> None:
        name = type(self).__name__
        if not isinstance(model, Module):
            raise TypeError(
                f"{name}() takes a module, not {describe(model)}; pass the module itself and not its parameters"
            )
        self.lr = lr if callable(lr) else check_range(lr, name, "lr")
        parameters = list(model.named_parameters())
        if not parameters:
            raise ValueError(f"{name}(): the module {type(model).__name__} has no parameters")
        device = parameters[0][1].device
        self.steps = xp.asarray(0, device=device)
        self.state: dict[str, dict[str, Array]] = {path: self._initial(widened(x)) for path, x in parameters}

    def __repr__(self) -> str:
        settings = {"lr": self.lr} | {
            name: value
            for name, value in vars(self).items()
            if not name.startswith("_") and isinstance(value, (bool, int, float, str, tuple))
        }
        if callable(self.lr):
            settings["lr"] = getattr(self.lr, "__qualname__", repr(self.lr)).partition(".")[0]
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in settings.items())})"

    def _initial(self, x: Array) -> dict[str, Array]:
        """Return the state of a parameter before the first update."""
        return {}

    def _numbers(self, lr: Array | float, step: Array, x: Array) -> tuple[Array | float, ...]:
        """Return the numbers of an update that are the same for all parameters of the dtype of ``x``.

        ``lr`` has this dtype; ``step`` is the number of the update, from 1 on, in a floating-point dtype.
        """
        return (lr,)

    def _changed(self, x: Array, g: Array, state: dict[str, Array], *numbers: Array | float) -> Array:
        """Return a parameter after an update with gradient ``g``; set the new Arrays of its state.

        It is computed elementwise, with the results of :meth:`_numbers`.
        """
        raise NotImplementedError

    def update(self, model: M, gradients: Any) -> M:
        """Update the parameters of a model and the states.

        Parameters
        ----------
        model
            The module, whose parameters are replaced.
        gradients
            Its gradient, as :func:`xtensor.autograd.value_and_grad` returns it. Parameters without a gradient stay.

        Returns
        -------
        Module
            ``model``.

        Raises
        ------
        TypeError
            If ``model`` is not a module.
        ValueError
            If a gradient has another shape than its parameter, or the model has no parameter of its name.
        """
        function = f"{type(self).__name__}.update()"
        if not isinstance(model, Module):
            raise TypeError(f"{function} takes a module, not {describe(model)}")
        named = stop_gradient(named_gradients(gradients, function))
        parameters = {path: x for path, x in model.named_parameters() if path in named}
        if len(parameters) < len(named):
            unknown = sorted(named.keys() - parameters.keys())
            raise ValueError(f"{function}: the model {type(model).__name__} has no parameters {unknown}")
        # All gradients are checked before the first state is changed.
        for path, x in parameters.items():
            if named[path].shape != x.shape:
                raise ValueError(
                    f"{function}: the gradient of {path} has shape {named[path].shape}, and the parameter {x.shape}"
                )
            if named[path].dtype.kind == "c" != x.dtype.kind:
                raise TypeError(
                    f"{function}: the gradient of {path} has dtype {named[path].dtype}, and the parameter {x.dtype}"
                )
        count = _floating(self.steps)
        lr = self.lr(count) if callable(self.lr) else self.lr
        self.steps = self.steps + 1
        replaced = self._replaced(parameters, named, lr, count + 1.0)
        if replaced:
            model._replace(lambda x: replaced.get(id(x), x))
        return model

    def _replaced(
        self, parameters: dict[str, Array], gradients: dict[str, Array], lr: Any, step: Array
    ) -> dict[int, Array]:
        """Return the new parameters by the identities of the old ones."""
        states = [
            self.state[path] if path in self.state else self._initial(widened(x)) for path, x in parameters.items()
        ]
        numbers: dict[Any, tuple[Array | float, ...]] = {}
        for x in parameters.values():
            key = x.dtype, x.device
            if key not in numbers:
                first = widened(x)
                numbers[key] = self._numbers(scalar(lr, first), step, first)
        keys = list(numbers)
        arguments = (
            tuple([keys.index((x.dtype, x.device)) for x in parameters.values()]),
            list(numbers.values()),
            list(parameters.values()),
            [gradients[path] for path in parameters],
            states,
        )
        # Settings are part of a recording: a rule is the optimizer without what changes from update to update.
        rule = object.__new__(type(self))
        vars(rule).update({**vars(self), "lr": 0.0, "state": {}, "steps": None})
        fused = type(self) not in _unfused and _gains(arguments[2])
        try:
            changed, states = (_fused_update if fused else _update)(rule, *arguments)
        except UnknownValueError:
            if not fused:
                raise
            _unfused.add(type(self))
            changed, states = _update(rule, *arguments)
        self.state.update(zip(parameters, states, strict=True))
        return {id(x): new for x, new in zip(parameters.values(), changed, strict=True)}

    def state_dict(self) -> dict[str, Array]:
        """Return the Arrays of the states and the number of updates by name: ``"weight.exp_avg"``, ``"steps"``."""
        arrays = {f"{path}.{part}": x for path, state in self.state.items() for part, x in state.items()}
        return {"steps": self.steps, **arrays}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Set the states by name.

        Raises
        ------
        RuntimeError
            If names or shapes differ. The optimizer is unchanged then.
        """
        own = self.state_dict()
        missing, unexpected = sorted(own.keys() - state_dict.keys()), sorted(state_dict.keys() - own.keys())
        shapes = [
            f"{name}: {tuple(state_dict[name].shape)}, expected {x.shape}"
            for name, x in own.items()
            if name in state_dict and tuple(state_dict[name].shape) != x.shape
        ]
        if missing or unexpected or shapes:
            raise RuntimeError(
                f"{type(self).__name__}.load_state_dict(): missing {missing}, unexpected {unexpected}, other shapes "
                f"{shapes}"
            )
        loaded = {
            name: xp.astype(xp.asarray(state_dict[name]).to_device(x.device), x.dtype, copy=True)
            for name, x in own.items()
        }
        self.steps = loaded["steps"]
        self.state = {path: {part: loaded[f"{path}.{part}"] for part in state} for path, state in self.state.items()}


add_foreign_methods(Optimizer, "optimizer")


def _update(
    rule: Optimizer,
    which: tuple[int, ...],
    numbers: list[tuple[Array | float, ...]],
    parameters: list[Array],
    gradients: list[Array],
    states: list[dict[str, Array]],
) -> tuple[list[Array], list[dict[str, Array]]]:
    """Return new parameters and states; ``which`` is the position of each parameter's numbers."""
    changed, states = [], [dict(state) for state in states]
    for index, x, g, state in zip(which, parameters, gradients, states, strict=True):
        # Of float16 and bfloat16 squares of gradients, and the steps, would leave the range or be rounded away.
        wide = widened(x)
        new = rule._changed(wide, xp.astype(g, wide.dtype, copy=False), state, *numbers[index])
        changed.append(xp.astype(new, x.dtype, copy=False))
    compute_together([x, *state.values()] for x, state in zip(changed, states, strict=True))
    return changed, states


_fused_update = fuse(_update)

_unfused: set[type[Optimizer]] = set()
"""Classes whose updates look at values."""


def _gains(parameters: list[Array]) -> bool:
    """Whether one call of a kernel updates all parameters: the device has such calls, and these are many elements."""
    generator = generator_of(parameters[0].device)
    return (
        generator is not None
        and generator.computes_together
        and sum([x.size for x in parameters]) >= generator.min_size
    )


def _floating(x: Array) -> Array:
    """Return a number in float64, or in the device's default floating-point dtype."""
    return xp.astype(x, xp.float64 if x.device.supports(xp.float64) else x.device.default_dtypes["real floating"])


def scalar(value: Any, x: Array) -> Array | float:
    """Return a number as a Python number, or as an Array of the dtype and on the device of a parameter."""
    if value.__class__ is not Array:
        return float(value)
    return xp.astype(value if value.device == x.device else value.to_device(x.device), x.dtype, copy=False)
