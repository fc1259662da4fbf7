"""Expressions of real variables: exact derivatives by the rules of calculus, and values with 40 digits.

Equal expressions are one object, so that a derivative is computed once for each part of an expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath

_nodes: dict[Any, Expression] = {}

Name = tuple[int, int]


class Expression:
    """A sum, a product, a power, an elementary function, a selection, a variable or a constant."""

    def __init__(self, kind: str, parts: tuple[Expression, ...], value: Any) -> None:
        self.kind = kind
        self.parts = parts
        self.value = value
        self._derivatives: dict[Expression, Expression] = {}

    def __add__(self, other: Expression | float) -> Expression:
        other = as_expression(other)
        if ZERO in (self, other):
            return other if self is ZERO else self
        return node("add", (self, other))

    def __mul__(self, other: Expression | float) -> Expression:
        other = as_expression(other)
        if ZERO in (self, other):
            return ZERO
        if ONE in (self, other):
            return other if self is ONE else self
        return node("multiply", (self, other))

    def __sub__(self, other: Expression | float) -> Expression:
        return self + as_expression(other) * -1

    def power(self, exponent: float) -> Expression:
        return node("power", (self,), exponent)

    def select(self, positive: Expression, other: Expression) -> Expression:
        """Return the first expression where this one is above 0, and the second one elsewhere."""
        return node("select", (self, positive, other))

    def logistic(self) -> Expression:
        """Return (u - 1) / (u + 1) of u, this expression, which is tanh(v) for u = exp(2 v)."""
        return (self - 1) * (self + 1).power(-1)

    def derivative(self, name: Expression) -> Expression:
        if name not in self._derivatives:
            self._derivatives[name] = self._derivative(name)
        return self._derivatives[name]

    def _derivative(self, name: Expression) -> Expression:
        slopes = [part.derivative(name) for part in self.parts]
        match self.kind:
            case "variable":
                return ONE if self is name else ZERO
            case "constant":
                return ZERO
            case "add":
                return slopes[0] + slopes[1]
            case "multiply":
                return slopes[0] * self.parts[1] + self.parts[0] * slopes[1]
            case "power":
                return self.parts[0].power(self.value - 1) * self.value * slopes[0]
            case "select":
                if slopes[1] is slopes[2]:
                    return slopes[1]
                return self.parts[0].select(slopes[1], slopes[2])
            case "exp":
                return self * slopes[0]
            case "log":
                return self.parts[0].power(-1) * slopes[0]
            case "sin":
                return elementary("cos", self.parts[0]) * slopes[0]
            case "cos":
                return elementary("sin", self.parts[0]) * slopes[0] * -1
        raise AssertionError(self.kind)

    def substitute(self, replaced: Mapping[Expression, Expression]) -> Expression:
        """Return the expression with variables replaced."""
        done = dict(replaced)

        def visit(item: Expression) -> Expression:
            if item not in done:
                parts = tuple(visit(part) for part in item.parts)
                done[item] = item if parts == item.parts else node(item.kind, parts, item.value)
            return done[item]

        return visit(self)

    def evaluate(self, values: Mapping[Name, float]) -> tuple[float, float]:
        """Return the value, and the sum of the absolute values of all terms that are added, a scale of its error."""
        done: dict[Expression, tuple[Any, Any]] = {}

        def visit(item: Expression) -> tuple[Any, Any]:
            if item not in done:
                done[item] = item.compute([visit(part) for part in item.parts], values)
            return done[item]

        with mpmath.workdps(40):
            value, size = visit(self)
            return float(value), float(size)

    def compute(self, parts: list[tuple[Any, Any]], values: Mapping[Name, float]) -> tuple[Any, Any]:
        """Return the value and its scale from those of the parts."""
        match self.kind:
            case "add":
                return parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]
            case "multiply":
                return parts[0][0] * parts[1][0], parts[0][1] * parts[1][1]
            case "select":
                return parts[1] if parts[0][0] > 0 else parts[2]
            case "variable":
                value = mpmath.mpf(float(values[self.value]))
            case "constant":
                value = mpmath.mpf(self.value)
            case "power":
                value = mpmath.power(parts[0][0], self.value)
            case name:
                value = getattr(mpmath, name)(parts[0][0])
        return value, abs(value)


def node(kind: str, parts: tuple[Expression, ...], value: Any = None) -> Expression:
    key = (kind, parts, value)
    if key not in _nodes:
        _nodes[key] = Expression(kind, parts, value)
    return _nodes[key]


def as_expression(value: Expression | float) -> Expression:
    return value if isinstance(value, Expression) else constant(value)


def constant(value: float) -> Expression:
    return node("constant", (), float(value))


def variable(name: Name) -> Expression:
    return node("variable", (), name)


def elementary(name: str, argument: Expression) -> Expression:
    """Return exp, log, sin or cos of an expression."""
    return node(name, (argument,))


ZERO = constant(0.0)
ONE = constant(1.0)
