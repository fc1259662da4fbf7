"""Plans: the kernels and calls that compute a recorded graph.

The nodes are divided into stages. A stage's elementwise operations of one shape are one kernel, a reduction takes the
operations before it into its own kernel, and other functions are called between stages. Where the device's kernels go
over rows one after the other, operations and reductions along the last axis are one kernel together. Whatever a kernel
declines is computed by the device's own functions, one operation at a time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._core import profiling
from .._core.backend import Native
from .._core.device import Device
from .._core.failures import recover
from .._core.kernel_program import Generator, Program
from .._core.operations import TABLE
from .._core.tracing_errors import Number
from .._core.trees import leaves_of, mapped
from .graph import (
    ancestors,
    delay,
    last_uses,
    needed_nodes,
    operands_of,
    outside_of,
    replace_operands,
    sort,
    stages_of,
    unify,
    write_in_place,
)
from .nodes import Assumption, Node
from .rolls import rolls_of
from .rows import Group, row_groups
from .steps import program_of
from .together import Together, groups_together

__all__ = ["ChangedArrayError", "Plan", "ReplayError"]

Values = dict[Node, Native]
"""The arrays that a plan has computed so far, by their nodes."""

Action = Callable[[Values, Sequence[Any]], None]
"""One kernel or call of a plan, with the values of the recording's numbers."""


def number(item: Any, numbers: Sequence[Any]) -> Any:
    """Return the value of a recorded number; a number of Python is its own value."""
    return numbers[item.index] if item.__class__ is Number else item


class ReplayError(Exception):
    """A replay does not give what the function gives, which has to compute."""


class ChangedArrayError(ReplayError):
    """An array of a replay has another shape or dtype than in the recording, in which later values may depend on it."""


class Single(NamedTuple):
    """An elementwise kernel with one output, whose scalars are numbers."""

    program: Program
    inputs: Sequence[Node]
    scalars: Sequence[float]
    output: Node


class Plan:
    """The kernels and calls that compute some nodes, in order.

    Parameters
    ----------
    wanted
        The nodes of the results.
    effects
        The nodes that are computed although no result depends on them.
    checks
        The conditions that the recording takes for false, each with the nodes of its arrays.
    together
        Lists of results that one call computes, each in units.
    device, generator
        What computes.
    by_rows
        Whether rows may be computed one after the other.
    """

    def __init__(
        self,
        wanted: Sequence[Node],
        device: Device,
        generator: Generator,
        *,
        effects: Sequence[Node] = (),
        checks: Sequence[Assumption] = (),
        together: Sequence[Sequence[Sequence[Node]]] = (),
        by_rows: bool = True,
    ) -> None:
        self.device, self.generator = device, generator
        checked = [node for _, nodes in checks for node in nodes]
        self.same = unify(sort([*effects, *wanted, *checked]))
        self.effects = effects
        self.wanted = list(dict.fromkeys([self.same[node] for node in [*wanted, *checked]]))
        order = sort([*effects, *self.wanted])
        self.groups: dict[Node, tuple[Group | Together, list[Node]]] = {}
        for units in together if generator.computes_together else ():
            remaining = [[self.same[node] for node in unit if node in self.same] for unit in units]
            for each in groups_together(order, set(self.wanted), remaining):
                order = self._grouped(order, [each], "together")
        if by_rows:
            groups = row_groups(order, set(self.wanted), generator.takes_rows)
            if groups:
                order = self._grouped(order, groups, "rows")
        self.arguments = [(node, node.options) for node in order if node.kind == "array"]
        self.constants: Values = {node: node.options for node in order if node.kind in ("constant", "outside")}
        written = set(self.wanted)
        stages = stages_of(order)
        needed = needed_nodes(order, stages, self.wanted)
        delay(order, stages, needed, written)
        write_in_place(order, written)
        self.rolls = rolls_of(order, written)
        waiting_rolls = {item for node in self.rolls for item in (node, *node.operands)}
        self.single: Single | None = None
        self.actions: list[Action] = []
        self.reads: list[Sequence[Node]] = []
        self.kinds: list[tuple[str, Node | None]] = []
        self.kernels = 0
        by_stage: list[list[Node]] = [[] for _ in range(max(stages.values(), default=0) + 1)]
        for node in order:
            by_stage[stages[node]].append(node)
        due: dict[int, list[Assumption]] = {}
        for condition, nodes in checks:
            compared = [self.same[node] for node in nodes]
            due.setdefault(max([stages[node] for node in compared], default=0), []).append((condition, compared))
        uncertain = [self.same[effect] for effect in effects]
        fallible = {node for effect in uncertain for node in (effect, *operands_of(effect))}
        for stage, nodes in enumerate(by_stage):
            steps: dict[Any, list[Node]] = {}
            for node in nodes:
                if node.kind == "step":
                    steps.setdefault(node.shape, []).append(node)
            for alike in steps.values():
                self._elementwise(alike, needed)
            unwritten = {node for node in nodes if node.kind == "step" and node not in needed}
            for node in nodes:
                if node in waiting_rolls:
                    continue  # a kernel reads the operand, or has it rolled before
                if node.kind == "reduction":
                    self._reduction(node, unwritten)
                elif node.kind == "call":
                    self._add(self._call(node), list(operands_of(node)), "call", node)
                elif node.kind == "rows":
                    self._rows(node)
                elif node.kind == "together":
                    self._together(node)
                elif node.kind == "result":
                    self._add(self._selecting(node), node.operands, "result", node)
            for check in due.get(stage, ()):
                self._check(*check)
        may_end = [kind == "check" or node in fallible for kind, node in self.kinds]
        self.surrender = len(may_end) - may_end[::-1].index(True) if True in may_end else 0

        self.direct = self._direct()
        kept = {self.same[node] for node in wanted} | self.constants.keys()
        ends = last_uses(self.reads, kept)
        self.schedule = list(zip(self.actions, ends, strict=True))

    def __call__(
        self, arrays: Sequence[Native], numbers: Sequence[Any], give_up: Callable[[], Any] | None = None
    ) -> Values:
        """Return the arrays of the wanted nodes, and of others.

        ``give_up`` is called once no action may decline any more, so that the memory of the arguments is free after
        their last use.

        Raises
        ------
        ReplayError
            The function has to compute.
        """
        values = dict(self.constants)
        for node, index in self.arguments:
            values[node] = arrays[index]
        if give_up is not None:
            for index, (action, ended) in enumerate(self.schedule):
                if index == self.surrender:
                    give_up()
                action(values, numbers)
                for node in ended:
                    values.pop(node, None)
            return values
        if profiling.active is None:
            for action, ended in self.schedule:
                action(values, numbers)
                for node in ended:
                    values.pop(node, None)
            return values
        for action in self.actions:
            known, start = len(values), time.perf_counter()
            action(values, numbers)
            seconds = time.perf_counter() - start
            made = [value for value in list(values.values())[known:] if hasattr(value, "dtype")]
            size = sum(value.size * value.dtype.itemsize for value in made)
            profiling.active.add(action.__doc__ or "", self.device, "fused kernel", seconds, size)
        return values

    def _direct(self) -> Callable[[Sequence[Native]], Native | None] | None:
        """Return what computes the only result from the arguments where the plan is one small kernel, else None."""
        if self.single is None or len(self.actions) != 1 or self.wanted != [self.single.output]:
            return None
        program, inputs, scalars, output = self.single
        shape = output.shape
        if shape is None or any(node.kind != "array" or node.shape != shape for node in inputs):
            return None
        compute = self.generator.prepared(program, shape, scalars)
        if compute is None:
            return None
        positions = [node.options for node in inputs]
        if len(positions) == 1:
            position = positions[0]
            return lambda arrays: compute((arrays[position],))
        return lambda arrays: compute(tuple([arrays[position] for position in positions]))

    def _add(self, action: Action, reads: Sequence[Node], kind: str = "kernel", node: Node | None = None) -> None:
        self.actions.append(action)
        self.reads.append(reads)
        self.kinds.append((kind, node))

    def _check(self, condition: Callable[..., Any], nodes: Sequence[Node]) -> None:
        """Add an action that ends the replay where a condition holds that the recording takes for false."""
        functions = self.device._functions.namespace

        def run(values: Values, numbers: Sequence[Any]) -> None:
            if condition(functions, *[values[node] for node in nodes]):
                raise ReplayError

        run.__doc__ = getattr(condition, "__name__", "check")
        self._add(run, nodes, "check")

    # -- kernels ------------------------------------------------------------------------------------------------------

    def _elementwise(self, nodes: list[Node], needed: set[Node]) -> None:
        outputs = [node for node in nodes if node in needed]
        if not outputs:
            return
        steps = ancestors(outputs, set(nodes))
        program, inputs, scalars = program_of(steps, outputs=outputs)
        compute = self.generator.compute
        self.kernels += 1
        shape = outputs[0].shape
        constant = not any(scalar.__class__ is Number for scalar in scalars)
        rolled = [node for node in inputs if node in self.rolls]
        if constant and len(outputs) == 1 and not rolled:
            self.single = Single(program, inputs, scalars, outputs[0])

        def run(values: Values, numbers: Sequence[Any]) -> None:
            given = scalars if constant else [number(scalar, numbers) for scalar in scalars]
            results = compute(program, tuple([values[node] for node in inputs]), given) if inputs else None
            if not results or results[0].shape != shape:
                self._one_by_one(steps, values, numbers)
                return
            for node, result in zip(outputs, results, strict=True):
                values[node] = result

        run.__doc__ = " ".join(node.name for node in steps)
        action = self._rolled(program, inputs, scalars, outputs, run) if rolled else run
        if action is run:
            for node in rolled:
                self._roll(node)
        self._add(action, [*(self.rolls[node].operand for node in rolled), *inputs, *outside_of(steps)])

    def _rolled(
        self, program: Program, inputs: Sequence[Node], scalars: Sequence[Any], outputs: Sequence[Node], plain: Action
    ) -> Action:
        """Return the action of a kernel that reads arrays as rolled; the plain one where they are rolled before."""
        shape = outputs[0].shape
        rolls = [self.rolls.get(node) for node in inputs]
        compute = None
        if shape is not None and all(node.shape == shape for node in inputs):
            compute = self.generator.rolling(program, shape, [None if roll is None else roll.shifts for roll in rolls])
        if compute is None:
            return plain
        sources = [node if roll is None else roll.operand for node, roll in zip(inputs, rolls, strict=True)]
        rolled = [node for node, roll in zip(inputs, rolls, strict=True) if roll is not None]
        rolling = [(node, self._call(node.operands[0]), self._selecting(node)) for node in rolled]

        def run(values: Values, numbers: Sequence[Any]) -> None:
            given = [number(scalar, numbers) for scalar in scalars]
            results = compute(tuple([values[node] for node in sources]), given)
            if results:
                for node, result in zip(outputs, results, strict=True):
                    values[node] = result
                return
            missing = [item for item in rolling if item[0] not in values]  # another kernel may have it rolled before
            for _, call, select in missing:
                call(values, numbers)
                select(values, numbers)
            plain(values, numbers)
            for node, _, _ in missing:
                del values[node], values[node.operands[0]]

        run.__doc__ = f"{'roll ' * len(rolled)}{plain.__doc__}"
        return run

    def _roll(self, node: Node) -> None:
        """Add the call that rolls an array, unless it is there."""
        (call,) = node.operands
        if all(known is not node for _, known in self.kinds):
            self._add(self._call(call), list(operands_of(call)), "call", call)
            self._add(self._selecting(node), node.operands, "result", node)

    def _reduction(self, node: Node, inside: set[Node]) -> None:
        (operand,) = node.operands
        axes, keepdims = node.options
        steps = ancestors([operand], inside)
        program, inputs, scalars = program_of(steps, reduction=(node.name, operand))
        for item in inputs:
            if item in self.rolls:
                self._roll(item)
        reduce, shape = self.generator.reduce, operand.shape
        function = self.device.table[TABLE[node.name].index].function
        self.kernels += 1

        def run(values: Values, numbers: Sequence[Any]) -> None:
            given = [number(scalar, numbers) for scalar in scalars]
            results = reduce(program, [values[item] for item in inputs], given, shape, axes, keepdims=keepdims)
            if results is None:
                computed = dict(values)
                self._one_by_one(steps, computed, numbers)
                with np.errstate(all="ignore"):
                    result = function(computed[operand], axis=axes, keepdims=keepdims)
                results = (self._normal(result),)
            values[node] = results[0]

        run.__doc__ = " ".join([*(item.name for item in steps), node.name])
        self._add(run, [*inputs, *outside_of(steps)])

    def _grouped(self, order: Sequence[Node], groups: Sequence[Group | Together], kind: str) -> list[Node]:
        """Replace groups by one node each, and what others need of them by its parts; return the new order."""
        parts: dict[Node, Node] = {}
        for group in groups:
            whole = Node(kind, "", (), None, None, None)
            made = [Node("part", node.name, (whole,), None, node.shape, node.dtype) for node in group.outputs]
            parts |= zip(group.outputs, made, strict=True)
            self.groups[whole] = group, made
        inside = {node for group in groups for node in group.members}
        for node in order:
            if node not in inside:
                replace_operands(node, parts)
        for whole, (group, _) in self.groups.items():
            others = {node: parts[node] for node in outside_of(group.members) if node in parts}
            for node in group.members:
                replace_operands(node, others)
            whole.take(dict.fromkeys(outside_of(group.members)))
        self.same = {node: parts.get(first, first) for node, first in self.same.items()}
        self.wanted = [parts.get(node, node) for node in self.wanted]
        return sort([*self.effects, *self.wanted])

    def _together(self, node: Node) -> None:
        group, parts = self.groups[node]
        assert isinstance(group, Together)
        calls = [(steps, outputs, *program_of(steps, outputs=outputs)) for steps, outputs in group.units]
        compute, compute_together = self.generator.compute, self.generator.compute_together
        self.kernels += 1

        def run(values: Values, numbers: Sequence[Any]) -> None:
            given = [
                (program, tuple([values[item] for item in inputs]), [number(scalar, numbers) for scalar in scalars])
                for _, _, program, inputs, scalars in calls
            ]
            made: list[Native] = []
            for (steps, outputs, *_), arguments, natives in zip(calls, given, compute_together(given), strict=True):
                results = natives or compute(*arguments)
                if not results or results[0].shape != outputs[0].shape:
                    computed = dict(values)
                    self._one_by_one(steps, computed, numbers)
                    results = tuple([computed[item] for item in outputs])
                made += results
            values.update(zip(parts, made, strict=True))

        run.__doc__ = f"{len(calls)} programs at once: {' '.join([item.name for item in group.units[0][0]])}"
        self._add(run, node.operands)

    def _rows(self, node: Node) -> None:
        group, parts = self.groups[node]
        assert isinstance(group, Group)
        program, inputs, scalars = program_of(group.members, outputs=group.outputs)
        compute, shape = self.generator.compute_rows, group.shape
        staged: list[Any] = []
        self.kernels += 1

        def run(values: Values, numbers: Sequence[Any]) -> None:
            given = [number(scalar, numbers) for scalar in scalars]
            arrays = [values[item] for item in inputs]
            results: Sequence[Native] | None = compute(program, arrays, given, shape)
            if results is None:
                if not staged:
                    staged[:] = self._staged(group, inputs)
                plan, wanted = staged
                computed = plan(arrays, numbers)
                results = [computed[item] for item in wanted]
            for part, result in zip(parts, results, strict=True):
                values[part] = result if result.shape == part.shape else result.reshape(part.shape)

        run.__doc__ = " ".join([item.name for item in group.members])
        self._add(run, inputs)

    def _staged(self, group: Group, inputs: Sequence[Node]) -> tuple[Plan, list[Node]]:
        """Return a plan that computes a group in stages, and the nodes of its outputs there."""
        copies: dict[Node, Node] = {
            node: Node("array", "", (), index, node.shape, node.dtype) for index, node in enumerate(inputs)
        }
        for node in group.members:
            copies[node] = Node(node.kind, node.name, node.operands, node.options, node.shape, node.dtype)
            replace_operands(copies[node], copies)
        wanted = [copies[node] for node in group.outputs]
        plan = Plan(wanted, self.device, self.generator, by_rows=False)
        return plan, [plan.same[node] for node in wanted]

    # -- what no kernel computes --------------------------------------------------------------------------------------

    def _one_by_one(self, steps: Sequence[Node], values: Values, numbers: Sequence[Any]) -> None:
        for node in steps:
            if node in values:
                continue
            function = self.device.table[TABLE[node.name].index].function
            operands = [values[item] if item.__class__ is Node else number(item, numbers) for item in node.operands]
            with np.errstate(all="ignore"):
                result = function(*operands, node.dtype) if node.name == "astype" else function(*operands)
            values[node] = self._normal(result)

    def _call(self, node: Node) -> Action:
        function, operands, options, _ = node.operands
        positional, keywords = _filler(operands), _filler(options)

        def run(values: Values, numbers: Sequence[Any]) -> None:
            given, named = positional(values, numbers), keywords(values, numbers)
            try:
                result = function(*given, **named)
            except RuntimeWarning as warning:
                result = recover(warning, node.name, self.device, given, named, function)
            except Exception as error:  # the function raises its own
                raise ReplayError from error
            if result is NotImplemented:  # the implementation declines these values
                raise ReplayError
            values[node] = result

        run.__doc__ = node.name
        return run

    def _selecting(self, node: Node) -> Action:
        (call,) = node.operands
        shape, dtype, native_type, path = node.shape, node.dtype, self.device.native_type, node.options

        def run(values: Values, numbers: Sequence[Any]) -> None:
            result = values[call]
            for index in path:
                result = result[index]
            if result.__class__ is not native_type:
                numeric = hasattr(result, "ndim") and not isinstance(result, np.generic)
                result = self._normal(result if numeric else np.asarray(result))
            if result.shape != shape or result.dtype != dtype:
                raise ChangedArrayError
            values[node] = result

        return run

    def _normal(self, value: Any) -> Native:
        if value.__class__ is self.device.native_type:
            return value
        return self.device._library.normalize(value, self.device._backend_spec)


def _filler(tree: Any) -> Callable[[Values, Sequence[Any]], Any]:
    """Return the function that returns the arguments of a call with the values of their nodes."""
    if _is_constant(tree):
        return lambda values, numbers: tree
    if tree.__class__ is tuple and all(item.__class__ is Node or _is_constant(item) for item in tree):
        if len(tree) == 1:
            (node,) = tree
            return lambda values, numbers: (values[node],)
        items = [(item.__class__ is Node, item) for item in tree]
        return lambda values, numbers: tuple([values[item] if is_node else item for is_node, item in items])

    def fill(values: Values, numbers: Sequence[Any]) -> Any:
        return mapped(tree, lambda item: values[item] if item.__class__ is Node else number(item, numbers))

    return fill


def _is_constant(tree: Any) -> bool:
    return not any(item.__class__ in (Node, Number) for item in leaves_of(tree))
