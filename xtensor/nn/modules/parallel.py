"""Gradients of batches whose parts are computed by other processes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

from ... import _ops as xp
from ..._core.array import Array
from ..._core.errors import describe
from ..._core.trees import flatten, map_leaves
from ...autograd import value_and_grad
from ...random import Generator
from .batches import examples
from .linear import check_size
from .module import Module, is_parameter

__all__ = ["data_parallel"]

M = TypeVar("M", bound=Module)


def data_parallel(loss: Callable[..., Array], executor: Any, parts: int) -> Callable[..., tuple[Array, Any]]:
    """Return a function that computes a loss and its gradient on parts of a batch, at the same time.

    It takes the position of ``autograd.value_and_grad(loss)``. In each call, an executor computes value and gradient of
    each part, and their averages, weighted by the numbers of examples, are returned: they are those of the whole batch
    to rounding, where ``loss`` is the mean of terms that depend on one example each. They depend on the number of parts
    and not on the executor, so that a part which is computed again, because its process was killed, changes nothing.

    Parameters
    ----------
    loss
        Function of a module and a batch.
    executor
        A ``distributed.Client``, whose cluster computes a part again where a process is killed; or another object with
        the method ``submit(function, *args)`` of ``concurrent.futures.Executor``.
    parts
        Number of parts of a batch. One for each process is a good number.

    Returns
    -------
    Callable
        Function of a module and of Arrays with the examples along the first axis, which returns ``(value, gradient)``.

    Raises
    ------
    TypeError
        If ``loss`` is not a function, ``executor`` has no method ``submit``, or the first argument is not a module.
    ValueError
        If ``parts`` is less than 1, or the Arrays are not of one first length.

    Notes
    -----
    Batch normalization takes the statistics of a part, and the module gets the averages of the parts' running
    statistics; registered buffers of integers are those of the first part. The generators of the module, those of
    dropout among them, spawn one generator for each part. What ``loss`` assigns to other attributes is lost.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> import xtensor as xp
    >>> from xtensor import nn
    >>> def loss(model, x, y):
    ...     return nn.functional.mse_loss(model(x), y)
    >>> model, x, y = nn.Linear(3, 1, rng=0), xp.ones((10, 3), dtype=xp.float32), xp.ones((10, 1), dtype=xp.float32)
    >>> with ThreadPoolExecutor(2) as executor:
    ...     value, gradient = nn.data_parallel(loss, executor, 2)(model, x, y)
    >>> gradient.weight.shape
    (1, 3)
    """
    if not callable(loss):
        raise TypeError(f"data_parallel() takes a function of a module and a batch, not {describe(loss)}")
    if not callable(getattr(executor, "submit", None)):
        raise TypeError(
            "data_parallel() takes a distributed.Client, or an executor of concurrent.futures, not "
            f"{describe(executor)}"
        )
    return partial(_value_and_grad, loss, executor, check_size(parts, "data_parallel", "parts"))


def _value_and_grad(loss: Callable[..., Array], executor: Any, parts: int, model: M, *batch: Any) -> tuple[Array, M]:
    """Return the averages of value and gradient; the buffers of the model become those of the parts."""
    if not isinstance(model, Module):
        raise TypeError(f"data_parallel(): the first argument is a module, not {describe(model)}")
    arrays = examples(batch, "data_parallel")
    total = arrays[0].shape[0]
    bounds = sorted({total * number // parts for number in range(parts + 1)})
    slices = [slice(first, last) for first, last in pairwise(bounds)] or [slice(0, 0)]
    futures = [
        executor.submit(_part, loss, copy, *[x[rows, ...] for x in arrays])
        for copy, rows in zip(_copies(model, len(slices)), slices, strict=True)
    ]
    results = [future.result() for future in futures]
    shares = [(rows.stop - rows.start) / max(total, 1) for rows in slices]
    value, gradient, buffers = _average(results, shares)
    replaced = {id(x): buffers[name] for name, x in model.named_buffers()}
    model._replace(lambda x: replaced.get(id(x), x))
    return value, gradient


def _part(loss: Callable[..., Array], model: Module, *batch: Array) -> tuple[Array, Module, dict[str, Array]]:
    """Return the value, the gradient, and the buffers afterwards; runs in a process of the executor."""
    value, gradient = value_and_grad(loss)(model, *batch)
    return value, gradient, dict(model.named_buffers())


def _copies(model: M, count: int) -> list[M]:
    """Return modules with the same Arrays, and with generators of their own."""
    copies: list[M] = [map_leaves(lambda x: x, model) for _ in range(count)]
    spawned: dict[int, list[Generator]] = {}
    for modules in zip(*[copy.modules() for copy in copies], strict=True):
        for name, value in list(vars(modules[0]).items()):
            if isinstance(value, Generator):
                if id(value) not in spawned:
                    spawned[id(value)] = value.spawn(count)
                for module, child in zip(modules, spawned[id(value)], strict=True):
                    setattr(module, name, child)
    return copies


def _average(results: list[Any], shares: list[float]) -> Any:
    """Return the weighted averages of the Arrays of floating point in equal trees, and the other ones of the first."""
    leaves, trees = zip(*[flatten(result) for result in results], strict=True)

    def mean(*items: Any) -> Any:
        if items[0].__class__ is not Array or not is_parameter(items[0]) or len(items) == 1:
            return items[0]
        total = items[0] * shares[0]
        for x, share in zip(items[1:], shares[1:], strict=True):
            total = total + x * share
        return xp.astype(total, items[0].dtype, copy=False)

    return trees[0].build(map(mean, *leaves))
