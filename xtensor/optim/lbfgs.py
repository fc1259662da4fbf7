"""The limited-memory method of Broyden, Fletcher, Goldfarb and Shanno."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_integer
from .._core.errors import describe
from ..autograd import value_and_grad
from ..nn.modules.module import Module
from ._optimizer import check_range

__all__ = ["LBFGS"]

SUFFICIENT, CURVATURE = 1e-4, 0.9
"""Constants of Wolfe's conditions: of the decrease, and of the slope."""

MOST_TRIALS = 25
"""Number of lengths that a line search tries."""


class _Point(NamedTuple):
    """A length along a direction, and the loss, the gradient and the slope there."""

    length: float
    loss: float
    gradient: Array
    slope: float


class LBFGS:
    r"""Quasi-Newton steps :math:`x - t H g`, where H is an estimate of the inverse Hessian from the last gradients.

    Definition and defaults are those of ``torch.optim.LBFGS``. A step computes the loss several times, so that it takes
    the function itself: ``optimizer.step(model, loss)``. It is meant for losses without noise, of all examples.

    Parameters
    ----------
    model
        The module whose parameters are updated.
    lr
        Factor t of a step; without a line search, the first one is also divided by the sum of the gradient's magnitudes
        where that is above 1.
    max_iter, max_eval
        Number of iterations of a step, and of evaluations of the loss. Default of the latter: 1.25 times the former.
    tolerance_grad, tolerance_change
        A step ends where the largest element of the gradient, or the change of the parameters or of the loss, is at
        most this.
    history_size
        Number of gradients that H is estimated from.
    line_search_fn
        ``"strong_wolfe"`` for a search of t by Wolfe's conditions; None for t itself.

    Raises
    ------
    TypeError
        If ``model`` is not a module.
    ValueError
        If a setting is out of its range, or the module has no parameters.

    Notes
    -----
    Nocedal and Wright, "Numerical Optimization" (2006), algorithms 7.4, 7.5, 3.5 and 3.6.
    """

    def __init__(
        self,
        model: Module,
        lr: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: Literal["strong_wolfe"] | None = None,
    ) -> None:
        if not isinstance(model, Module):
            raise TypeError(f"LBFGS() takes a module, not {describe(model)}")
        parameter = next(model.parameters(), None)
        if parameter is None:
            raise ValueError(f"LBFGS(): the module {type(model).__name__} has no parameters")
        if line_search_fn not in (None, "strong_wolfe"):
            raise ValueError(f"LBFGS(): line_search_fn is {describe(line_search_fn)}, expected 'strong_wolfe' or None")
        self.lr = check_range(lr, "LBFGS", "lr")
        self.max_iter = check_integer(max_iter, "LBFGS", "max_iter")
        self.max_eval = self.max_iter * 5 // 4 if max_eval is None else check_integer(max_eval, "LBFGS", "max_eval")
        self.tolerance_grad = check_range(tolerance_grad, "LBFGS", "tolerance_grad")
        self.tolerance_change = check_range(tolerance_change, "LBFGS", "tolerance_change")
        self.history_size = check_integer(history_size, "LBFGS", "history_size")
        self.line_search_fn = line_search_fn
        self.iterations = 0
        self._device = parameter.device
        self._pairs: list[tuple[Array, Array, float]] = []  # changes of the parameters and of the gradient, and 1 / y·s
        self._initial_scale = 1.0
        self._gradient: Array | None = None
        self._step: Array | None = None

    def step(self, model: Module, loss: Callable[[Any], Array]) -> float:
        """Update the parameters of a model by some iterations.

        Parameters
        ----------
        model
            The module, whose parameters are replaced.
        loss
            Function of the module, which returns a 0-d Array.

        Returns
        -------
        float
            The loss before the step.
        """
        names = list(dict(model.named_parameters()))
        function = value_and_grad(loss)
        evaluations = 0

        def evaluate(x: Array) -> tuple[float, Array]:
            nonlocal evaluations
            evaluations += 1
            self._set(model, names, x)
            value, gradient = function(model)
            gradients = dict(gradient.named_parameters())
            parts = [
                gradients[name] if name in gradients else xp.zeros_like(part) for name, part in model.named_parameters()
            ]
            return float(value), _flat(parts)

        x = _flat(list(model.parameters()))
        value, gradient = evaluate(x)
        first = value
        if _largest(gradient) <= self.tolerance_grad:
            return first
        for number in range(self.max_iter):
            self.iterations += 1
            self._learn(gradient)
            direction = self._direction(gradient)
            self._gradient = gradient
            length = self.lr
            if self.iterations == 1:
                length *= min(1.0, 1.0 / float(xp.sum(xp.abs(gradient))))
            slope = float(xp.sum(gradient * direction))
            if slope > -self.tolerance_change:
                break
            before = value
            if self.line_search_fn is None:
                x = x + length * direction
                if number + 1 < self.max_iter:
                    value, gradient = evaluate(x)
                else:
                    self._set(model, names, x)
            else:
                point = _search(evaluate, x, direction, length, _Point(0.0, value, gradient, slope))
                length, value, gradient = point.length, point.loss, point.gradient
                x = x + length * direction
                self._set(model, names, x)
            self._step = length * direction
            if evaluations >= self.max_eval or _largest(gradient) <= self.tolerance_grad:
                break
            if _largest(self._step) <= self.tolerance_change or abs(value - before) < self.tolerance_change:
                break
        return first

    def _learn(self, gradient: Array) -> None:
        """Add the change of the gradient along the last step to the history."""
        if self._gradient is None or self._step is None:
            return
        self._add(self._step, gradient - self._gradient)

    def _add(self, step: Array, change: Array) -> None:
        product = float(xp.sum(change * step))
        if product > 1e-10:
            self._pairs = [*self._pairs, (step, change, 1.0 / product)][-self.history_size :]
            self._initial_scale = product / float(xp.sum(change * change))

    def _direction(self, gradient: Array) -> Array:
        """Return -H g, by the recursion over the history."""
        q = -gradient
        factors = []
        for step, change, inverse in reversed(self._pairs):
            factors.append(float(xp.sum(step * q)) * inverse)
            q = q - factors[-1] * change
        result = q * self._initial_scale
        for (step, change, inverse), factor in zip(self._pairs, reversed(factors), strict=True):
            result = result + step * (factor - float(xp.sum(change * result)) * inverse)
        return result

    def state_dict(self) -> dict[str, Array]:
        """Return the number of iterations and the history's Arrays by name; :func:`xtensor.nn.save` writes them."""
        state = {"iterations": xp.asarray(self.iterations, device=self._device)}
        if self._gradient is not None and self._step is not None:
            state |= {"gradient": self._gradient, "step": self._step}
        if self._pairs:
            steps, changes, _ = zip(*self._pairs, strict=True)
            state |= {"steps": xp.stack(steps), "changes": xp.stack(changes)}
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Set the history by name; the next step is that of the optimizer whose :meth:`state_dict` it is.

        Raises
        ------
        RuntimeError
            If names are missing or unexpected, or shapes do not match. The optimizer is unchanged then.
        """
        names = state_dict.keys()
        pairs = ({"gradient", "step"}, {"steps", "changes"})
        complete = "iterations" in names and all(not names & pair or names >= pair for pair in pairs)
        unexpected = sorted(names - {"iterations"}.union(*pairs))
        shapes = {name: tuple(x.shape) for name, x in state_dict.items()}
        sizes = {shapes[name][-1:] for name in names & set().union(*pairs)}
        axes = {"iterations": 0, "gradient": 1, "step": 1, "steps": 2, "changes": 2}
        if (
            not complete
            or unexpected
            or len(sizes) > 1
            or any(len(shapes[name]) != axes[name] for name in names)
            or shapes.get("steps") != shapes.get("changes")
        ):
            raise RuntimeError(
                f"LBFGS.load_state_dict() takes what state_dict() returns: iterations, gradient and step, steps and "
                f"changes, not {', '.join(f'{name} of shape {shape}' for name, shape in shapes.items())}"
            )
        loaded = {name: xp.asarray(x, copy=True).to_device(self._device) for name, x in state_dict.items()}
        self.iterations = int(loaded["iterations"])
        self._gradient, self._step = loaded.get("gradient"), loaded.get("step")
        self._pairs, self._initial_scale = [], 1.0
        for number in range(shapes.get("steps", (0,))[0]):
            self._add(loaded["steps"][number, :], loaded["changes"][number, :])

    def _set(self, model: Module, names: list[str], x: Array) -> None:
        """Set the parameters to the parts of a vector."""
        replaced, first = {}, 0
        parameters = dict(model.named_parameters())
        for name in names:
            old = parameters[name]
            part = xp.reshape(x[first : first + old.size], old.shape)
            replaced[id(old)] = xp.astype(part, old.dtype, copy=True)
            first += old.size
        model._replace(lambda leaf: replaced.get(id(leaf), leaf))


def _flat(parts: list[Array]) -> Array:
    return xp.concat([xp.reshape(part, (part.size,)) for part in parts])


def _largest(x: Array) -> float:
    return float(xp.max(xp.abs(x)))


def _search(
    evaluate: Callable[[Array], tuple[float, Array]], x: Array, direction: Array, length: float, start: _Point
) -> _Point:
    """Return a point along a direction that meets Wolfe's conditions, or the best of those that were tried."""

    def at(length: float) -> _Point:
        loss, gradient = evaluate(x + length * direction)
        return _Point(length, loss, gradient, float(xp.sum(gradient * direction)))

    def too_high(point: _Point) -> bool:
        return not point.loss <= start.loss + SUFFICIENT * point.length * start.slope

    previous = start
    for trial in range(MOST_TRIALS):
        point = at(length)
        if too_high(point) or (trial > 0 and point.loss >= previous.loss):
            return _zoom(at, too_high, start, previous, point, MOST_TRIALS - trial)
        if abs(point.slope) <= -CURVATURE * start.slope:
            return point
        if point.slope >= 0:
            return _zoom(at, too_high, start, point, previous, MOST_TRIALS - trial)
        guess = _minimum(previous, point)
        previous, length = point, min(max(guess, 1.01 * length), 10 * length)
    return previous


def _zoom(
    at: Callable[[float], _Point],
    too_high: Callable[[_Point], bool],
    start: _Point,
    low: _Point,
    high: _Point,
    trials: int,
) -> _Point:
    """Return a point between two lengths, of which ``low`` has the smaller loss and a slope towards ``high``."""
    for _ in range(trials):
        width = abs(high.length - low.length)
        if width * abs(low.slope) < 1e-12:
            break
        least, most = sorted((low.length, high.length))
        guess = _minimum(low, high)
        length = min(max(guess, least + 0.1 * width), most - 0.1 * width)
        point = at(length)
        if too_high(point) or point.loss >= low.loss:
            high = point
            continue
        if abs(point.slope) <= -CURVATURE * start.slope:
            return point
        if point.slope * (high.length - low.length) >= 0:
            high = low
        low = point
    return low


def _minimum(first: _Point, second: _Point) -> float:
    """Return the length at the minimum of the cubic polynomial through two points, or between them without one."""
    middle = (first.length + second.length) / 2
    distance = second.length - first.length
    if not distance or not math.isfinite(second.loss) or not math.isfinite(second.slope):
        return middle
    mean = first.slope + second.slope - 3 * (first.loss - second.loss) / (first.length - second.length)
    square = mean * mean - first.slope * second.slope
    if square < 0:
        return middle
    root = math.copysign(math.sqrt(square), distance)
    divisor = second.slope - first.slope + 2 * root
    return middle if not divisor else second.length - distance * (second.slope + root - mean) / divisor
