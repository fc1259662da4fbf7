"""Compiled functions, batches and derivatives that were wrong in PyTorch, JAX, MLX, TensorFlow, tinygrad or burn.

The expected values are exact, or those of NumPy where it is right. A number in a name is that of a report.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from peer_reports import array, check, gradient, inf, refuses

import xtensor as xp
from xtensor import autograd, linalg, nn, special
from xtensor import random as xrandom
from xtensor.nn import functional


def beside_a_global_list():
    gl = [1.0, 2.0, 3.0]
    f = xp.fuse(lambda lst, x: x + gl[-1] + lst[-1])
    x = xp.ones(1)
    return [f(gl, x), f(list(reversed(gl)), x), f([1.0, 2.0], x), f([1.0, 2.0, 3.0, 2.0], x), f(gl, x)]


def functions_with_other_defaults():
    def make(o):
        def m(i, o=o):
            return i + o

        return m

    f = xp.fuse(lambda x, m: m(x) * 2.0)
    x = xp.ones(2)
    return [f(x, make(k)) for k in (0.0, 1.0, 2.0, 1.0)]


def changed_defaults():
    def g(x, k=1.0):
        return x * k

    f = xp.fuse(g)
    x = xp.ones(2)
    a = [f(x), f(x)]
    g.__defaults__ = (5.0,)
    return [*a, f(x)]


def changed_keyword_defaults():
    def g(x, *, k=1.0):
        return x * k

    f = xp.fuse(lambda x: g(x))
    x = xp.ones(2)
    a = [f(x), f(x)]
    g.__kwdefaults__ = {"k": 5.0}
    return [*a, f(x)]


def changed_closure():
    k = 1.0

    def g(x):
        return x + k

    f = xp.fuse(g)
    a = [f(xp.ones(1)), f(xp.ones(1))]
    k = 10.0
    return [*a, f(xp.ones(1))]


def changed_nested_dict():
    d = {"a": {"b": [1.0]}}
    f = xp.fuse(lambda x: x * d["a"]["b"][0])
    a = [f(xp.ones(1)), f(xp.ones(1))]
    d["a"]["b"][0] = 4.0
    a.append(f(xp.ones(1)))
    d["a"] = {"b": [7.0]}
    return [*a, f(xp.ones(1))]


def statistics_of_batches():
    m = nn.BatchNorm1d(2)
    f = xp.fuse(lambda m, x: m(x))
    x = array([[1.0, 2.0], [3.0, 6.0]])
    x = xp.astype(x, m.running_mean.dtype)
    for _ in range(3):
        f(m, x)
    m2 = nn.BatchNorm1d(2)
    for _ in range(3):
        m2(x)
    return bool(xp.all(xp.abs(m.running_mean - m2.running_mean) < 1e-6)) and bool(
        xp.all(xp.abs(m.running_var - m2.running_var) < 1e-6)
    )


def dropout_of_both_modes():
    m = nn.Dropout(0.5, rng=0)
    f = xp.fuse(lambda m, x: m(x))
    x = xp.ones(1000, dtype=xp.float32)
    a = [float(xp.mean(xp.astype(f(m, x) == 1.0, xp.float32))) for _ in range(2)]
    m.eval()
    return [a[0] < 0.9, a[1] < 0.9, f(m, x)[:2]]


def divided_by_zero():
    f = xp.fuse(lambda a, b: [a // b, a % b])
    a = array([0, 5, -5])
    b = array([0, 0, 0])
    f(a, b)
    return f(a, b)


def floors_of_quotients():
    f = xp.fuse(lambda a, b: a // b + 0.0)
    a = array([1.0, 0.5, 6.0, 1.0])
    b = array([0.1, 0.1, 0.2, 1 / 3])
    f(a, b)
    return f(a, b)


def quotients_by_a_number():
    f = xp.fuse(lambda x: x / 101 + 0.0)
    x = array(np.random.default_rng(0).random(500), np.float32)
    f(x)
    return bool(xp.all(f(x) == x / 101))


def sum_with_a_scalar():
    f = xp.fuse(lambda x, s: x + s)
    x = array([0.1, -0.2], np.float32)
    s = array(np.float64(-0.1)) if xp.default_device().supports(xp.float64) else array(np.float32(-0.1))
    f(x, s)
    return [bool(xp.all(f(x, s) == x + s)), f(x, s).dtype == (x + s).dtype]


def unrolled_loop():
    def g(x):
        for i in range(5):
            for j in range(i):
                x = x + i * j
        return x

    f = xp.fuse(g)
    f(xp.zeros(2))
    return f(xp.zeros(2))


def broadcast_elements():
    f = xp.fuse(lambda x: xp.broadcast_to(x, (2,)) + 0.0)
    n = xp.arange(2.0)
    return [f(n[i]) for i in range(2)]


def several_shapes():
    f = xp.fuse(lambda x: x / x.shape[0] + xp.sum(x, axis=0))
    return [f(xp.ones((n, 2)))[0, ...] for n in (2, 3, 2, 4)]


def numbers_of_a_generator():
    f = xp.fuse(lambda g: g.normal(size=3))
    g = xrandom.default_rng(3)
    h = xrandom.default_rng(3)
    a = [f(g) for _ in range(3)]
    b = [h.normal(size=3) for _ in range(3)]
    return [bool(xp.all(p == q)) for p, q in zip(a, b, strict=True)]


def assigned_in_batches():
    x = array(np.arange(24.0).reshape(2, 3, 4))

    def g(a):
        a = a * 1.0
        a[array([0, 0])] = array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        return a

    return [xp.vmap(g, in_axes=2, out_axes=2)(x)[:, :, 0], xp.vmap(g, in_axes=-1, out_axes=0)(x)[3]]


def with_row(a, v):
    a = a * 1.0
    a[1] = v
    return a


def assigned_in_turn():
    def g(x):
        y = xp.zeros(4)
        y[1:3] = x
        y[2] = y[1] * 3.0
        return xp.sum(y * array([1.0, 2.0, 4.0, 8.0]))

    return gradient(g, array([1.0, 1.0]))


def doubled_through_view():
    def g(x):
        y = x * 1.0
        v = y[1:]
        v *= 2.0
        return xp.sum(y * y)

    return [gradient(g, array([1.0, 2.0])), xp.fuse(autograd.grad(g))(array([1.0, 2.0]))]


def assigned_at_repeated_index():
    def g(x):
        y = xp.zeros(2)
        y[array([0, 0])] = x
        return xp.sum(y)

    return gradient(g, array([1.0, 2.0]))


def added_at_repeated_index():
    def g(x):
        y = x * 1.0
        y[array([0, 0])] += array([1.0, 2.0])
        return xp.sum(y * y)

    return gradient(g, array([1.0, 2.0]))


def copied_where():
    def g(x):
        y = x * 1.0
        xp.copyto(y, xp.zeros(2), where=array([True, False]))
        return xp.sum(y * 3.0)

    return gradient(g, array([1.0, 2.0]))


def checkpoint_of_product():
    k = [2.0]

    def g(x):
        return autograd.checkpoint(lambda x: x * x * k[0])(x)

    return gradient(g, array(3.0))


def checkpoint_of_dropout():
    gen = xrandom.default_rng(0)
    x = xp.ones(100)

    def g(x):
        return xp.sum(autograd.checkpoint(lambda x: functional.dropout(x, 0.5, rng=gen))(x) * x)

    v, d = autograd.value_and_grad(g)(x)
    return abs(float(xp.sum(d)) - 2 * float(v)) < 1e-6


def checkpoint_beside_array():
    c = array([1.0, 2.0])

    def g(x):
        y = autograd.checkpoint(lambda x: x * c * x)(x)
        return xp.sum(y)

    return gradient(g, array([1.0, 1.0]))


REPORTS = {
    "torch120861 alias of global list": (beside_a_global_list, [[7.0], [5.0], [6.0], [6.0], [7.0]]),
    "torch178365 defaults of functions": (
        functions_with_other_defaults,
        [[2.0, 2.0], [4.0, 4.0], [6.0, 6.0], [4.0, 4.0]],
    ),
    "own defaults changed": (changed_defaults, [[1.0, 1.0], [1.0, 1.0], [5.0, 5.0]]),
    "keyword defaults of inner changed": (changed_keyword_defaults, [[1.0, 1.0], [1.0, 1.0], [5.0, 5.0]]),
    "cell changed": (changed_closure, [[2.0], [2.0], [11.0]]),
    "nested dict mutated": (changed_nested_dict, [[1.0], [1.0], [4.0], [7.0]]),
    "bn buffers within fuse": (statistics_of_batches, True),
    "eval after fuse": (dropout_of_both_modes, [True, True, [1.0, 1.0]]),
    "torch178013 floor divide by 0": (divided_by_zero, [[0, 0, 0], [0, 0, 0]]),
    "torch197895 fused 1.0//0.1": (
        floors_of_quotients,
        lambda: array([1.0, 0.5, 6.0, 1.0]) // array([0.1, 0.1, 0.2, 1 / 3]),
    ),
    "torch157959 divide by scalar exact": (quotients_by_a_number, True),
    "torch185605 0-d wider": (sum_with_a_scalar, [True, True]),
    "torch96064 unrolled loop": (unrolled_loop, lambda: [float(sum(i * j for i in range(5) for j in range(i)))] * 2),
    "torch152425 broadcast of element": (broadcast_elements, [[0.0, 0.0], [1.0, 1.0]]),
    "shape dependent": (several_shapes, [[2.5] * 2, [3 + 1 / 3] * 2, [2.5] * 2, [4.25] * 2]),
    "mlx3828 random state in compile": (numbers_of_a_generator, [True] * 3),
    "mlx4321 vmap of scatter axis 2": (
        assigned_in_batches,
        [[[4.0, 5.0, 6.0], [12.0, 16.0, 20.0]], [[4.0, 5.0, 6.0], [15.0, 19.0, 23.0]]],
    ),
    "mlx600 vmap broadcasting": (
        lambda: xp.vmap(lambda a, b: a + b)(xp.ones((10, 1)), xp.ones((10, 1, 1, 5))).shape,
        (10, 1, 1, 5),
    ),
    "mlx3309 take_along higher rank": (
        lambda: (
            xp.vmap(lambda x, y: xp.take_along_axis(x, y, axis=0), in_axes=(None, 0))(
                array(np.arange(60).reshape(4, 5, 3)), xp.zeros((2, 2, 5, 3), dtype=xp.int64)
            ).shape
        ),
        (2, 2, 5, 3),
    ),
    "mlx1599 diag of batch": (
        lambda: xp.vmap(lambda s: xp.reshape(xp.stack([s[0], 0 * s[0], 0 * s[0], s[1]]), (2, 2)))(
            array([[1.0, 2.0], [3.0, 4.0]])
        ),
        [[[1.0, 0.0], [0.0, 2.0]], [[3.0, 0.0], [0.0, 4.0]]],
    ),
    "functorch59 mask batched": (
        lambda: xp.vmap(
            lambda m: xp.sum(xp.where(m[None, :], xp.reshape(xp.arange(6.0), (2, 3)), 0.0), axis=-1), in_axes=1
        )(array([[True, False], [False, True], [True, True]])),
        [[2.0, 8.0], [3.0, 9.0]],
    ),
    "functorch847 vmap jacobian of norm": (
        lambda: xp.vmap(lambda x: autograd.jacobian(lambda v: linalg.vector_norm(v, keepdims=True))(x)[0])(
            array([[3.0, 4.0], [0.0, 2.0]])
        ),
        [[0.6, 0.8], [0.0, 1.0]],
    ),
    "jax275 argsort index": (
        lambda: xp.vmap(lambda v: v[xp.argsort(v)])(array([[3.0, 1.0, 2.0], [1.0, 2.0, 0.0]])),
        [[1.0, 2.0, 3.0], [0.0, 1.0, 2.0]],
    ),
    "jax6096 betainc": (lambda: xp.vmap(lambda x: special.betainc(xp.ones(3), 1.0, x))(xp.ones((2, 3))).shape, (2, 3)),
    "jax3813 betainc": (lambda: xp.vmap(lambda x: special.betainc(xp.ones(1), 0.5, x))(xp.ones(4)).shape, (4, 1)),
    "jax6618 outer add": (
        lambda: autograd.jacobian(xp.sin, mode="forward")(xp.zeros(3)),
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    "jax39288 in place axis 1": (
        lambda: xp.vmap(lambda a, v: with_row(a, v), in_axes=(1, 0), out_axes=1)(xp.zeros((3, 2)), array([5.0, 6.0])),
        [[0.0, 0.0], [5.0, 6.0], [0.0, 0.0]],
    ),
    "vmap none and neg axes": (
        lambda: xp.vmap(lambda a, b: a @ b, in_axes=(None, -1), out_axes=-1)(
            array([[1.0, 2.0], [3.0, 4.0]]), array([[1.0, 0.0], [0.0, 1.0]])
        ),
        [[1.0, 2.0], [3.0, 4.0]],
    ),
    "vmap nested": (
        lambda: xp.vmap(xp.vmap(lambda a, b: a * b, in_axes=(None, 0)), in_axes=(0, None))(
            array([1.0, 2.0]), array([3.0, 4.0])
        ),
        [[3.0, 4.0], [6.0, 8.0]],
    ),
    "vmap dict arguments": (
        lambda: xp.vmap(lambda d: d["a"] + d["b"], in_axes=({"a": 0, "b": None},))(
            {"a": array([1.0, 2.0]), "b": array(5.0)}
        ),
        [6.0, 7.0],
    ),
    "vmap constant output": (lambda: xp.vmap(lambda x: xp.ones(2))(xp.zeros(3)).shape, (3, 2)),
    "vmap where scalar": (lambda: xp.vmap(lambda x: xp.where(x > 0, x, -1.0))(array([1.0, -5.0])), [1.0, -1.0]),
    "vmap cumsum neg axis": (
        lambda: xp.vmap(lambda x: xp.cumulative_sum(x, axis=-1), in_axes=1)(array([[1.0, 2.0], [3.0, 4.0]])),
        [[1.0, 4.0], [2.0, 6.0]],
    ),
    "vmap sort axis 0": (
        lambda: xp.vmap(lambda x: xp.sort(x, axis=0))(array([[[3.0], [1.0]], [[2.0], [5.0]]])),
        [[[1.0], [3.0]], [[2.0], [5.0]]],
    ),
    "vmap reshape -1": (
        lambda: xp.vmap(lambda x: xp.reshape(x, (-1,)), in_axes=1)(array(np.arange(8).reshape(2, 2, 2))),
        [[0, 1, 4, 5], [2, 3, 6, 7]],
    ),
    "vmap concat unbatched": (
        lambda: xp.vmap(lambda x: xp.concat([x, xp.zeros(1)]))(array([[1.0], [2.0]])),
        [[1.0, 0.0], [2.0, 0.0]],
    ),
    "vmap matmul vec": (
        lambda: xp.vmap(lambda v: v @ array([[1.0, 2.0], [3.0, 4.0]]))(array([[1.0, 0.0], [0.0, 1.0]])),
        [[1.0, 2.0], [3.0, 4.0]],
    ),
    "vmap solve rhs only": (
        lambda: xp.vmap(lambda b: linalg.solve(array([[2.0, 0.0], [0.0, 4.0]]), b), in_axes=1, out_axes=1)(
            array([[2.0, 4.0], [4.0, 8.0]])
        ),
        [[1.0, 2.0], [1.0, 2.0]],
    ),
    "vmap quantile (torch146536)": (
        lambda: xp.vmap(lambda x: xp.quantile(x, array([0.2, 0.5, 0.8])))(array(np.arange(10.0).reshape(2, 5))),
        [[0.8, 2.0, 3.2], [5.8, 7.0, 8.2]],
    ),
    "vmap searchsorted batched": (
        lambda: xp.vmap(xp.searchsorted)(array([[1.0, 2.0], [3.0, 4.0]]), array([[1.5], [5.0]])),
        [[1], [2]],
    ),
    "vmap index int array": (
        lambda: xp.vmap(lambda x, i: xp.take(x, i, axis=0))(array([[1, 2, 3], [4, 5, 6]]), array([[0, 2], [1, 1]])),
        [[1, 3], [5, 5]],
    ),
    "vmap of grad of sorted": (
        lambda: xp.vmap(autograd.grad(lambda x: xp.sum(xp.sort(x) * array([1.0, 2.0]))))(
            array([[2.0, 1.0], [1.0, 2.0]])
        ),
        [[2.0, 1.0], [1.0, 2.0]],
    ),
    "tf119430 cumprod zeros": (
        lambda: [
            gradient(lambda x: xp.sum(xp.cumulative_prod(x)), array(v))
            for v in ([0.0, 2.0, 3.0], [2.0, 3.0, 0.0], [2.0, 0.0, 0.0, 3.0])
        ],
        [[9.0, 0.0, 0.0], [4.0, 2.0, 6.0], [1.0, 2.0, 0.0, 0.0]],
    ),
    "burn5141 cumprod": (
        lambda: gradient(lambda x: xp.sum(xp.cumulative_prod(x)), array([2.0, 0.0, 3.0, 4.0])),
        [1.0, 32.0, 0.0, 0.0],
    ),
    "tg17404 prod zeros axis": (
        lambda: gradient(lambda x: xp.sum(xp.prod(x, axis=1)), array([[0.0, 2.0, 3.0], [0.0, 0.0, 3.0]])),
        [[6.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
    ),
    "jax8732 svd degenerate": (
        lambda: gradient(
            lambda a: linalg.matrix_norm((lambda u, s, v: (u * s) @ v)(*linalg.svd(a, full_matrices=False))),
            array(np.diag([1.0, 1.0, 2.0, 3.0])),
        ),
        (np.diag([1.0, 1.0, 2.0, 3.0]) / math.sqrt(15)).tolist(),
    ),
    "svdvals grad (torch194705)": (
        lambda: gradient(lambda a: xp.sum(linalg.svdvals(a)), array(np.diag([1.0, 1.0, 2.0]))),
        np.eye(3).tolist(),
    ),
    "eigvalsh degenerate": (
        lambda: gradient(lambda a: xp.sum(linalg.eigvalsh(a)), array(np.eye(3))),
        np.eye(3).tolist(),
    ),
    "functorch1097 norm hessian": (
        lambda: autograd.hessian(lambda x: xp.sum(x * x) ** 1.0)(xp.zeros(2)),
        [[2.0, 0.0], [0.0, 2.0]],
    ),
    "jax939 grad of logsumexp/norm": (
        lambda: gradient(
            lambda shift: xp.sum(
                0.5 * ((linalg.vector_norm(shift + array([-1.5, 0.0])) - 2) / 0.4) ** 2
                - special.logsumexp(-0.5 * (((shift + array([-1.5, 0.0]))[:1] + array([-2.0, 2.0])) / 0.6) ** 2)
            ),
            array([0.0, 0.0]),
        )[1],
        0.0,
    ),
    "mlx610 vjp broadcast": (
        lambda: autograd.vjp(lambda a: (a + xp.ones((3, 3, 3))) ** 2, xp.ones((3, 3)))[1](xp.ones((3, 3, 3))),
        [[[12.0] * 3] * 3],
    ),
    "jax40564 maximum branch": (
        lambda: gradient(lambda x: xp.sum(xp.maximum(x * 2.0, x * x)), array([1.0, 3.0])),
        [2.0, 6.0],
    ),
    "where int cond": (
        lambda: gradient(lambda x: xp.sum(xp.where(xp.arange(3) > 0, x, 2.0 * x)), xp.ones(3)),
        [2.0, 1.0, 1.0],
    ),
    "grad through int cast": (
        lambda: gradient(lambda x: xp.sum(x * xp.astype(xp.astype(x, xp.int64), x.dtype)), array([1.7, 2.2])),
        [1.0, 2.0],
    ),
    "grad of unused": (lambda: autograd.grad(lambda x, y: x * 2.0, argnums=(0, 1))(array(1.0), array(5.0)), [2.0, 0.0]),
    "grad of same arg twice": (
        lambda: autograd.grad(lambda x, y: x * y, argnums=(0, 1))(*(lambda a: (a, a))(array(3.0))),
        [3.0, 3.0],
    ),
    "grad min ties axis": (
        lambda: gradient(lambda x: xp.sum(xp.min(x, axis=1)), array([[1.0, 1.0], [2.0, 1.0]])),
        [[0.5, 0.5], [0.0, 1.0]],
    ),
    "grad argmax is zero": (lambda: gradient(lambda x: x[xp.argmax(x)] * 1.0, array([1.0, 3.0])), [0.0, 1.0]),
    "grad median even": (lambda: gradient(lambda x: xp.median(x), array([1.0, 4.0, 2.0, 3.0])), [0.0, 0.0, 0.5, 0.5]),
    "grad repeat": (
        lambda: gradient(lambda x: xp.sum(xp.repeat(x, array([2, 0, 1])) * array([1.0, 2.0, 3.0])), xp.ones(3)),
        [3.0, 0.0, 3.0],
    ),
    "grad tile": (
        lambda: gradient(lambda x: xp.sum(xp.tile(x, 2) * array([1.0, 2.0, 3.0, 4.0])), xp.ones(2)),
        [4.0, 6.0],
    ),
    "grad pad reflect": (
        lambda: gradient(
            lambda x: xp.sum(xp.pad(x, 1, mode="reflect") * array([1.0, 2.0, 4.0, 8.0, 16.0])), xp.ones(3)
        ),
        [2.0, 1 + 4 + 16.0, 8.0],
    ),
    "grad of take clip dup": (
        lambda: gradient(lambda x: xp.sum(xp.take(x, array([0, 0, 2]), axis=0)), xp.ones(3)),
        [2.0, 0.0, 1.0],
    ),
    "grad cumsum include": (
        lambda: gradient(
            lambda x: xp.sum(xp.cumulative_sum(x, include_initial=True) * array([9.0, 1.0, 2.0])), xp.ones(2)
        ),
        [3.0, 2.0],
    ),
    "grad roll/flip": (
        lambda: gradient(lambda x: xp.sum(xp.flip(xp.roll(x, 1)) * array([1.0, 2.0, 3.0])), xp.ones(3)),
        [2.0, 1.0, 3.0],
    ),
    "grad einsum repeated": (
        lambda: gradient(lambda x: xp.einsum("ii->", x), xp.ones((2, 2))),
        [[1.0, 0.0], [0.0, 1.0]],
    ),
    "grad einsum same operand": (lambda: gradient(lambda x: xp.einsum("i,i->", x, x), array([1.0, 2.0])), [2.0, 4.0]),
    "grad matmul self T": (
        lambda: gradient(lambda x: xp.sum(x @ x.mT), array([[1.0, 2.0], [3.0, 4.0]])),
        [[8.0, 12.0], [8.0, 12.0]],
    ),
    "grad det zero rank": (lambda: gradient(lambda a: linalg.det(a), xp.zeros((3, 3))), [[0.0] * 3] * 3),
    "grad slogdet": (
        lambda: gradient(lambda a: linalg.slogdet(a)[1], array([[2.0, 0.0], [0.0, -4.0]])),
        [[0.5, 0.0], [0.0, -0.25]],
    ),
    "grad solve both": (
        lambda: autograd.grad(lambda a, b: xp.sum(linalg.solve(a, b)), argnums=(0, 1))(
            array([[2.0, 0.0], [0.0, 4.0]]), array([2.0, 4.0])
        ),
        [[[-0.5, -0.5], [-0.25, -0.25]], [0.5, 0.25]],
    ),
    "grad cholesky": (
        lambda: gradient(
            lambda a: xp.sum(linalg.cholesky(a) * array([[1.0, 0.0], [0.0, 0.0]])), array([[4.0, 0.0], [0.0, 1.0]])
        )[0, 0],
        0.25,
    ),
    "grad inv": (
        lambda: gradient(lambda a: linalg.inv(a)[0, 0] * 1.0, array([[2.0, 0.0], [0.0, 4.0]])),
        [[-0.25, 0.0], [0.0, 0.0]],
    ),
    "grad pinv tall": (lambda: gradient(lambda a: xp.sum(linalg.pinv(a)), array([[2.0], [0.0]])), [[-0.25], [0.25]]),
    "grad std two": (
        lambda: gradient(lambda x: xp.std(x, correction=1), array([1.0, 3.0])),
        [-math.sqrt(0.5), math.sqrt(0.5)],
    ),
    "grad clip both none": (
        lambda: gradient(lambda x: xp.sum(xp.clip(x, None, 1.0)), array([0.5, 1.0, 2.0])),
        [1.0, 1.0, 0.0],
    ),
    "grad abs 0": (lambda: gradient(lambda x: xp.abs(x), array(0.0)), 0.0),
    "grad sqrt 0": (lambda: gradient(lambda x: xp.sqrt(x), array(0.0)), inf),
    "grad x**0 at 0": (lambda: gradient(lambda x: x**0, array(0.0)), 0.0),
    "grad 0**y": (lambda: gradient(lambda y: array(0.0) ** y, array(2.0)), 0.0),
    "grad log1p(-1)": (lambda: gradient(lambda x: xp.log1p(x), array(-1.0)), inf),
    "grad sinc 0": (lambda: gradient(lambda x: xp.sinc(x), array(0.0)), 0.0),
    "grad softmax -inf mask": (
        lambda: gradient(
            lambda x: functional.softmax(xp.where(array([True, False]), x, -inf), axis=0)[0] * 1.0, xp.ones(2)
        ),
        [0.0, 0.0],
    ),
    "grad attention all masked": (
        lambda: xp.all(
            xp.isfinite(
                gradient(
                    lambda q: xp.sum(
                        functional.scaled_dot_product_attention(
                            q, xp.ones((1, 3, 2)), xp.ones((1, 3, 2)), mask=array([[False] * 3, [True] * 3])
                        )
                    ),
                    xp.ones((1, 2, 2)),
                )
            )
        ),
        True,
    ),
    "second derivative where": (
        lambda: autograd.grad(autograd.grad(lambda x: xp.where(x > 0, x**3, x**2)))(array(2.0)),
        12.0,
    ),
    "second derivative of abs": (lambda: autograd.grad(autograd.grad(lambda x: xp.abs(x) ** 3))(array(-1.0)), 6.0),
    "third derivative": (lambda: autograd.grad(autograd.grad(autograd.grad(lambda x: xp.exp(2 * x))))(array(0.0)), 8.0),
    "mixed jvp grad": (lambda: autograd.jvp(autograd.grad(lambda x: x**3), (array(2.0),), (array(1.0),))[1], 12.0),
    "perturbation confusion": (lambda: gradient(lambda x: x * gradient(lambda y: x + y, array(1.0)), array(2.0)), 1.0),
    "perturbation confusion 2": (
        lambda: gradient(lambda x: gradient(lambda y: x * y * y, array(3.0)), array(2.0)),
        6.0,
    ),
    "stop gradient product": (lambda: gradient(lambda x: x * autograd.stop_gradient(x), array(3.0)), 3.0),
    "setitem chain": (assigned_in_turn, [2 + 12.0, 0.0]),
    "write through view in grad": (doubled_through_view, [[2.0, 16.0], [2.0, 16.0]]),
    "assign repeated gradient last": (assigned_at_repeated_index, [0.0, 1.0]),
    "augmented repeated": (added_at_repeated_index, [2 * 3.0, 4.0]),
    "copyto gradient": (copied_where, [0.0, 3.0]),
    "checkpoint": (checkpoint_of_product, 12.0),
    "torch190758 checkpoint dropout": (checkpoint_of_dropout, True),
    "checkpoint captured": (checkpoint_beside_array, [2.0, 4.0]),
}


REFUSED_BY_STRICT = {
    "mlx4321 vmap of scatter axis 2",
    "assign repeated gradient last",
    "augmented repeated",
}
"""Calls whose results the standard leaves open."""


@pytest.mark.parametrize("name", REPORTS)
def test_report_of_a_peer_is_right_here(device, name):
    check(device, REPORTS[name], refuses(device, name, REFUSED_BY_STRICT))
