"""Table of a network: the layers with the shapes of their outputs, parameters, bytes and operations."""

from __future__ import annotations

from typing import Any

from ..._core.array import Array
from ..._core.errors import describe
from ..._core.trees import flatten
from ..._estimate import Estimate, estimate
from .module import Module

__all__ = ["Summary", "summary"]


class Summary:
    """Table of a network; ``str`` gives it as text.

    Attributes
    ----------
    rows
        For each call of a layer: its name, class, the shapes of its outputs, and the number of its own parameters.
    parameters
        Number of all parameters.
    trainable
        Number of those that are not frozen.
    parameter_bytes
        Bytes of the parameters and buffers.
    estimate
        Memory and operations of the call; see :func:`xtensor.estimate`.
    """

    def __init__(
        self,
        rows: list[tuple[str, str, list[tuple[int, ...]], int]],
        parameters: int,
        trainable: int,
        parameter_bytes: int,
        estimate: Estimate,
    ) -> None:
        self.rows, self.parameters, self.trainable = rows, parameters, trainable
        self.parameter_bytes, self.estimate = parameter_bytes, estimate

    def __str__(self) -> str:
        lines = [("layer", "class", "output", "parameters")]
        lines += [(name, kind, ", ".join(map(str, shapes)), f"{size:,}") for name, kind, shapes, size in self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        texts = []
        for *cells, size in lines:
            padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=False)]
            texts.append("  ".join([*padded, size.rjust(widths[-1])]))
        sizes = f"{self.parameters:,}, of which {self.trainable:,} trainable; {self.parameter_bytes:,} bytes"
        estimated = self.estimate
        work = f"{estimated.operations:,}; peak of memory: {estimated.peak_bytes:,} bytes"
        texts += [f"parameters: {sizes}", f"operations: {work}"]
        return "\n".join(texts)

    __repr__ = __str__


def summary(model: Module, *args: Any, **kwargs: Any) -> Summary:
    """Return a table of the layers of a network in evaluation, of which no value is computed.

    Parameters
    ----------
    model
        The module.
    args, kwargs
        Arguments of its call: Arrays of any device. Those of the device ``meta`` need no memory.

    Returns
    -------
    Summary
        The table, which ``print`` shows.

    Raises
    ------
    TypeError
        If ``model`` is not a module.
    UnknownValueError
        If the network depends on values of Arrays.
    """
    if not isinstance(model, Module):
        raise TypeError(f"summary() takes a module, not {describe(model)}")
    rows: list[tuple[str, str, list[tuple[int, ...]], int]] = []

    def call(copy: Module, positional: Any, named: Any) -> Any:
        for name, module in copy.named_modules():
            module.register_forward_hook(_noting(rows, name))
        return copy.eval()(*positional, **named)

    estimated = estimate(call, model, args, kwargs)
    parameters = dict(model.named_parameters())
    frozen = {id(x) for _, owner, name, x in model._named_arrays() if name in owner._frozen}
    arrays = [*parameters.values(), *model.buffers()]
    return Summary(
        rows,
        sum([x.size for x in parameters.values()]),
        sum([x.size for x in parameters.values() if id(x) not in frozen]),
        sum([x.nbytes for x in arrays]),
        estimated,
    )


def _noting(rows: list[tuple[str, str, list[tuple[int, ...]], int]], name: str) -> Any:
    def note(module: Module, args: Any, output: Any) -> None:
        shapes = [leaf.shape for leaf in flatten(output)[0] if leaf.__class__ is Array]
        own = sum([x.size for path, x in module.named_parameters() if "." not in path])
        rows.append((name or "(network)", type(module).__name__, shapes, own))

    return note
