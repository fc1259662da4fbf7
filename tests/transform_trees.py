"""Random trees of transforms around random functions of several arguments, with the value in mpmath's numbers.

A node is a function of the same arguments as its children, once in xtensor and once as an ``Expression``, which is
differentiated by the rules of calculus and evaluated with 40 digits. A derivative is multiplied by a direction, which
may itself depend on the arguments, so that each node returns one number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
from expressions import Expression, constant, elementary, variable

import xtensor as xp
from xtensor import autograd, linalg

SHAPES: tuple[tuple[int, ...], ...] = ((2,), (2,), ())
"""Shapes of the three arguments of every node."""

Function = Callable[..., Any]
Vector = list[Expression]
Node = tuple[Function, Expression]

ARGUMENTS: list[Vector] = [
    [variable((number, k)) for k in range(int(np.prod(shape)))] for number, shape in enumerate(SHAPES)
]


class Cube(autograd.Function):
    """x**3, whose derivatives are the rules below."""

    @staticmethod
    def forward(context: Any, x: Any) -> Any:
        context.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(context: Any, cotangent: Any) -> Any:
        (x,) = context.saved_tensors
        return 3 * x * x * cotangent


def array(values: Any, like: Any) -> Any:
    return xp.asarray(values, dtype=xp.float64, device=like.device)


# -- functions ---------------------------------------------------------------------------------------------------------


def _write(x: Any, y: Any) -> Any:
    x = xp.asarray(x, copy=True)
    x[0] = y[1] * x[1]
    x[1:] *= y[:1]
    return x


def _update(x: Any, y: Any) -> Any:
    x = x * 1
    x += y
    x *= x
    return x


def _mask(x: Any, y: Any) -> Any:
    x = x * y
    x[array([1.0, 0.0], x) > 0.5] = xp.sum(y)
    return x


def _solve(x: Any, y: Any) -> Any:
    matrix = xp.stack([xp.stack([x[0] * x[0] + 2, y[0] / 4]), array([0.5, 3.0], x)])
    return linalg.solve(matrix, y)


def _solve_exact(x: Vector, y: Vector) -> Vector:
    a, b, c, d = x[0] * x[0] + 2, y[0] * 0.25, 0.5, 3.0
    inverse = (a * d - b * c).power(-1)
    return [(y[0] * d - b * y[1]) * inverse, (a * y[1] - y[0] * c) * inverse]


def _softmax_exact(x: Vector) -> Vector:
    terms = [elementary("exp", v) for v in x]
    inverse = (terms[0] + terms[1]).power(-1)
    return [term * inverse for term in terms]


def each(rule: Callable[..., Expression]) -> Callable[..., Vector]:
    return lambda *vectors: [rule(*items) for items in zip(*vectors, strict=True)]


STEPS: dict[str, tuple[int, Function, Callable[..., Vector]]] = {
    # Name: number of operands, the function of vectors of two elements, the expressions of the two elements.
    "sin": (1, xp.sin, each(lambda v: elementary("sin", v))),
    "cos": (1, xp.cos, each(lambda v: elementary("cos", v))),
    "exp": (1, lambda x: xp.exp(x / 4), each(lambda v: elementary("exp", v * 0.25))),
    "log1p": (1, lambda x: xp.log1p(x * x), each(lambda v: elementary("log", v * v + 1))),
    "sqrt": (1, lambda x: xp.sqrt(x * x + 2), each(lambda v: (v * v + 2).power(0.5))),
    "tanh": (1, xp.tanh, each(lambda v: elementary("exp", v * 2).logistic())),
    "reciprocal": (1, lambda x: 1 / (x * x + 1), each(lambda v: (v * v + 1).power(-1))),
    "square": (1, lambda x: x**2, each(lambda v: v * v)),
    "custom": (1, Cube.apply, each(lambda v: v * v * v)),
    "flip": (1, lambda x: x[::-1], lambda x: x[::-1]),
    "take": (1, lambda x: xp.take(x, xp.asarray([1, 1], device=x.device)), lambda x: [x[1], x[1]]),
    "cumulative_sum": (1, xp.cumulative_sum, lambda x: [x[0], x[0] + x[1]]),
    "cumulative_prod": (1, xp.cumulative_prod, lambda x: [x[0], x[0] * x[1]]),
    "prod": (1, lambda x: x + xp.prod(x), lambda x: [v + x[0] * x[1] for v in x]),
    "softmax": (1, lambda x: xp.special.softmax(x, axis=-1), _softmax_exact),
    "norm": (
        1,
        lambda x: x * linalg.vector_norm(xp.concat([x, array([1.0], x)])),
        lambda x: [v * (x[0] * x[0] + x[1] * x[1] + 1).power(0.5) for v in x],
    ),
    "matmul": (
        1,
        lambda x: xp.matmul(array([[1.0, -2.0], [0.5, 1.0]], x), x),
        lambda x: [x[0] - x[1] * 2, x[0] * 0.5 + x[1]],
    ),
    "add": (2, xp.add, each(lambda v, w: v + w)),
    "subtract": (2, xp.subtract, each(lambda v, w: v - w)),
    "multiply": (2, xp.multiply, each(lambda v, w: v * w)),
    "divide": (2, lambda x, y: x / (y * y + 1), each(lambda v, w: v * (w * w + 1).power(-1))),
    "maximum": (2, xp.maximum, each(lambda v, w: (v - w).select(v, w))),
    "where": (2, lambda x, y: xp.where(x > 0, x * y, y), each(lambda v, w: v.select(v * w, w))),
    "outer": (
        2,
        lambda x, y: xp.sum(x[:, None] * y[None, :] * x[None, :], axis=1),
        lambda x, y: [v * (y[0] * x[0] + y[1] * x[1]) for v in x],
    ),
    "concat": (2, lambda x, y: xp.concat([x[1:], y[:1]]), lambda x, y: [x[1], y[0]]),
    "write": (2, _write, lambda x, y: [y[1] * x[1], x[1] * y[0]]),
    "update": (2, _update, each(lambda v, w: (v + w) * (v + w))),
    "mask": (2, _mask, lambda x, y: [y[0] + y[1], x[1] * y[1]]),
    "solve": (2, _solve, _solve_exact),
}


def random_function(rng: Random) -> Node:
    """Return a function of the three arguments, of one to four steps."""
    program = []
    for count in range(rng.randint(1, 4)):
        name = rng.choice(list(STEPS))
        program.append((name, [rng.randrange(3 + count) for _ in range(STEPS[name][0])]))
    weights = [float(rng.randint(-3, 3)) or 1.0 for _ in range(2)]

    def function(x: Any, y: Any, s: Any) -> Any:
        values = [x, y, s * array([1.0, -0.5], x)]
        for name, operands in program:
            values.append(STEPS[name][1](*(values[k] for k in operands)))
        return xp.sum(values[-1] * array(weights, x)) + s * xp.sum(x * y)

    x, y, (s,) = ARGUMENTS
    values = [x, y, [s, s * -0.5]]
    for name, operands in program:
        values.append(STEPS[name][2](*(values[k] for k in operands)))
    exact = values[-1][0] * weights[0] + values[-1][1] * weights[1] + s * (x[0] * y[0] + x[1] * y[1])
    return function, exact


# -- transforms --------------------------------------------------------------------------------------------------------


def random_direction(rng: Random, number: int) -> tuple[Function, Vector]:
    """Return an array of the shape of an argument: a constant, an argument, or a function of arguments."""
    shape = SHAPES[number]
    values = [float(rng.randint(-2, 3)) for _ in range(int(np.prod(shape)))]
    fixed = np.reshape(values, shape)
    other = rng.choice([k for k in range(3) if SHAPES[k] == shape])
    kind = rng.choice(["constant", "argument", "product"])
    if kind == "constant":
        return lambda *args: array(fixed, args[0]), [constant(v) for v in values]
    if kind == "argument":
        return lambda *args: args[other], ARGUMENTS[other]
    x, s = ARGUMENTS[other], ARGUMENTS[2][0]
    return (
        lambda *args: args[other] * args[2] + array(fixed, args[0]),
        [v * s + w for v, w in zip(x, values, strict=True)],
    )


def along(exact: Expression, directions: dict[int, Vector]) -> Expression:
    """Return the derivative of an expression along directions of some arguments."""
    found = constant(0)
    for number, direction in directions.items():
        for v, w in zip(ARGUMENTS[number], direction, strict=True):
            found = found + exact.derivative(v) * w
    return found


def dot(x: Any, y: Any) -> Any:
    return xp.sum(x * y)


def grad(rng: Random, node: Node) -> Node:
    f, exact = node
    numbers = rng.choice([(0,), (1,), (2,), (0, 1), (2, 0), (0, 1, 2)])
    directions = {number: random_direction(rng, number) for number in numbers}
    argnums = numbers if len(numbers) > 1 else numbers[0]

    def function(*args: Any) -> Any:
        found = autograd.grad(f, argnums)(*args)
        parts = found if isinstance(found, tuple) else (found,)
        return sum(dot(part, directions[k][0](*args)) for k, part in zip(numbers, parts, strict=True))

    return function, along(exact, {k: direction[1] for k, direction in directions.items()})


def value_and_grad(rng: Random, node: Node) -> Node:
    f, exact = node
    number = rng.randrange(3)
    direction, exact_direction = random_direction(rng, number)
    has_aux = rng.random() < 0.5

    def function(*args: Any) -> Any:
        if has_aux:
            (value, aux), found = autograd.value_and_grad(
                lambda *inner: (f(*inner), inner[number] * 2), number, has_aux=True
            )(*args)
            return value * 2 + dot(found, direction(*args)) + xp.sum(aux)
        value, found = autograd.value_and_grad(f, number)(*args)
        return value * 2 + dot(found, direction(*args))

    result = exact * 2 + along(exact, {number: exact_direction})
    for v in ARGUMENTS[number] if has_aux else []:
        result = result + v * 2
    return function, result


def closure(rng: Random, node: Node) -> Node:
    """Differentiate by one argument only, within a function that uses the outer one, too."""
    f, exact = node
    number = rng.randrange(3)
    direction, exact_direction = random_direction(rng, number)
    forward = rng.random() < 0.5

    def function(*args: Any) -> Any:
        def inner(value: Any) -> Any:
            replaced = (*args[:number], value, *args[number + 1 :])
            return f(*replaced) * xp.sum(args[number]) * xp.sum(value)

        if forward:
            return autograd.jvp(inner, (args[number],), (direction(*args),))[1]
        return dot(autograd.grad(inner)(args[number]), direction(*args))

    total = sum(ARGUMENTS[number], constant(0))
    slope = sum(exact_direction, constant(0))
    return function, total * (along(exact, {number: exact_direction}) * total + exact * slope)


def jvp(rng: Random, node: Node) -> Node:
    f, exact = node
    directions = [random_direction(rng, number) for number in range(3)]

    def function(*args: Any) -> Any:
        value, tangent = autograd.jvp(f, args, tuple(direction(*args) for direction, _ in directions))
        return value + tangent * 3

    return function, exact + along(exact, dict(enumerate(direction[1] for direction in directions))) * 3


def vjp(rng: Random, node: Node) -> Node:
    """Pull a cotangent back twice, which depends on the arguments, from a vector of two results."""
    f, exact = node
    g, other = random_function(rng)
    number = rng.randrange(3)
    direction, exact_direction = random_direction(rng, number)

    def function(*args: Any) -> Any:
        value, pullback = autograd.vjp(lambda *inner: xp.stack([f(*inner), g(*inner)]), *args)
        first = pullback(xp.stack([args[2], value[1]]))
        second = pullback(array([1.0, 0.0], args[0]))
        return dot(first[number], direction(*args)) + dot(second[number], direction(*args))

    s = ARGUMENTS[2][0]
    slope = along(exact, {number: exact_direction})
    return function, slope * s + along(other, {number: exact_direction}) * other + slope


def hessian(rng: Random, node: Node) -> Node:
    f, exact = node
    number = rng.randrange(2)
    left, exact_left = random_direction(rng, number)
    right, exact_right = random_direction(rng, number)

    def function(*args: Any) -> Any:
        return dot(autograd.hessian(f, number)(*args), left(*args)[:, None] * right(*args)[None, :])

    return function, second(exact, number, exact_left, exact_right)


def second(exact: Expression, number: int, left: Vector, right: Vector) -> Expression:
    """Return the product of the matrix of second derivatives with two vectors."""
    found = constant(0)
    for v, a in zip(ARGUMENTS[number], left, strict=True):
        for w, b in zip(ARGUMENTS[number], right, strict=True):
            found = found + exact.derivative(v).derivative(w) * a * b
    return found


def hvp(rng: Random, node: Node) -> Node:
    f, exact = node
    number = rng.randrange(2)
    left, exact_left = random_direction(rng, number)
    right, exact_right = random_direction(rng, number)

    def function(*args: Any) -> Any:
        def inner(value: Any) -> Any:
            return f(*args[:number], value, *args[number + 1 :])

        return dot(autograd.hvp(inner, (args[number],), (left(*args),)), right(*args))

    return function, second(exact, number, exact_left, exact_right)


def jacobian(rng: Random, node: Node) -> Node:
    f, exact = node
    g, other = random_function(rng)
    number = rng.randrange(2)
    mode = rng.choice(["reverse", "forward"])
    direction, exact_direction = random_direction(rng, number)

    def function(*args: Any) -> Any:
        found = autograd.jacobian(lambda *inner: xp.stack([f(*inner), g(*inner)]), number, mode)(*args)
        return xp.sum(xp.matmul(found, direction(*args)) * array([1.0, 2.0], args[0]))

    slopes = [along(item, {number: exact_direction}) for item in (exact, other)]
    return function, slopes[0] + slopes[1] * 2


def vmap(rng: Random, node: Node) -> Node:
    """Add up weighted examples, where at least one argument has a batch, along any axis."""
    f, exact = node
    batched = rng.choice([(0,), (1,), (2,), (0, 1), (0, 2), (0, 1, 2)])
    axes = [rng.choice([0, -1] if SHAPES[k] else [0]) if k in batched else None for k in range(3)]
    shifts = [0.0, 0.4375]  # no argument becomes 0 or equal to another one
    weights = [1.0, -2.0]

    def function(*args: Any) -> Any:
        batches = [
            arg if axis is None else xp.stack([arg + shift for shift in shifts], axis=axis)
            for arg, axis in zip(args, axes, strict=True)
        ]
        return xp.sum(xp.vmap(f, in_axes=tuple(axes))(*batches) * array(weights, args[0]))

    result = constant(0)
    for shift, weight in zip(shifts, weights, strict=True):
        shifted = {v: v + shift for k in batched for v in ARGUMENTS[k]}
        result = result + exact.substitute(shifted) * weight
    return function, result


def fuse(rng: Random, node: Node) -> Node:
    return xp.fuse(node[0]), node[1]


def checkpoint(rng: Random, node: Node) -> Node:
    return autograd.checkpoint(node[0]), node[1]


def combine(rng: Random, node: Node) -> Node:
    """Multiply with another function, and exchange the two vectors."""
    (f, exact), (g, other) = node, random_function(rng)
    exchanged = dict(zip(ARGUMENTS[0] + ARGUMENTS[1], ARGUMENTS[1] + ARGUMENTS[0], strict=True))
    return lambda x, y, s: f(y, x, s) * s + g(x, y, s), exact.substitute(exchanged) * ARGUMENTS[2][0] + other


TRANSFORMS: dict[Callable[[Random, Node], Node], int] = {
    grad: 1,
    value_and_grad: 1,
    closure: 1,
    jvp: 1,
    vjp: 1,
    jacobian: 1,
    hessian: 2,
    hvp: 2,
    vmap: 0,
    fuse: 0,
    checkpoint: 0,
    combine: 0,
}
"""Each transform with the order of the derivative that it takes."""


def random_tree(seed: int) -> tuple[list[str], Node]:
    """Return the names of some transforms, the innermost first, and the function under them."""
    rng = Random(seed)
    node = random_function(rng)
    names: list[str] = []
    order = 0
    for _ in range(rng.randint(2, 5)):
        transform = rng.choice([item for item, degree in TRANSFORMS.items() if order + degree <= 3])
        order += TRANSFORMS[transform]
        node = transform(rng, node)
        names.append(transform.__name__)
    return names, node


POINTS: Sequence[Sequence[Any]] = (([0.5, 1.25], [-0.75, 0.625], 0.375), ([-1.5, 0.25], [0.875, -0.5], -0.75))
"""The second one selects other elements than the first, for a recording that is replayed."""


def check(seed: int, device: xp.Device) -> None:
    """Assert that a random tree has the exact value at both points, in two calls at each."""
    names, (function, exact) = random_tree(seed)
    for point in (POINTS[0], POINTS[1], POINTS[0]):
        args = [xp.asarray(value, dtype=xp.float64, device=device) for value in point]
        result = function(*args)
        expected, size = exact.evaluate(
            {(k, i): v for k, part in enumerate(point) for i, v in enumerate(np.ravel(part))}
        )
        assert result.shape == ()
        assert abs(float(result) - expected) <= 1e-11 * (1 + size), f"{names} at {point}: {float(result)}, {expected}"
        assert [np.asarray(xp.to_numpy(arg)).tolist() for arg in args] == list(point)
