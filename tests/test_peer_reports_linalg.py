"""Linear algebra, random numbers, interchange and empty arrays that were wrong in NumPy, CuPy, JAX or PyTorch.

The expected values are exact, or those of NumPy where it is right. A number in a name is that of a report.
"""

from __future__ import annotations

import math
import pickle
from copy import deepcopy

import numpy as np
import pytest
from peer_reports import array, check, inf, listed

import xtensor as xp
from xtensor import linalg
from xtensor import random as xrandom

rng = np.random.default_rng(0)
A = rng.normal(size=(2, 1, 3, 3)) + 3 * np.eye(3)
B = rng.normal(size=(5, 3, 2))
P = A @ A.swapaxes(-1, -2)
V = np.arange(12.0).reshape(3, 4)


def generator():
    return xrandom.default_rng(7)


def close(x, expected):
    return bool(np.allclose(xp.to_numpy(x), expected, rtol=1e-4, atol=1e-4))


REPORTS = {
    "jax19224 solve broadcast stacks": (lambda: close(linalg.solve(array(A), array(B)), np.linalg.solve(A, B)), True),
    "jax19224 solve vector": (
        lambda: close(linalg.solve(array(A[0, 0]), array(B[0, :, 0])), np.linalg.solve(A[0, 0], B[0, :, 0])),
        True,
    ),
    "solve transposed": (
        lambda: close(linalg.solve(array(A).mT, array(B)), np.linalg.solve(A.swapaxes(-1, -2), B)),
        True,
    ),
    "inv of reversed rows": (lambda: close(linalg.inv(array(A)[..., ::-1, :]), np.linalg.inv(A[..., ::-1, :])), True),
    "cholesky broadcast view": (
        lambda: close(
            linalg.cholesky(xp.broadcast_to(array(P), (2, 4, 3, 3))),
            np.linalg.cholesky(np.broadcast_to(P, (2, 4, 3, 3))),
        ),
        True,
    ),
    "cholesky upper": (
        lambda: close(linalg.cholesky(array(P), upper=True), np.linalg.cholesky(P).swapaxes(-1, -2)),
        True,
    ),
    "eigh batched (cupy4847)": (
        lambda: close((lambda w, v: (v * w[..., None, :]) @ v.mT)(*linalg.eigh(array(P))), P),
        True,
    ),
    "eigvalsh order": (lambda: close(linalg.eigvalsh(array(P)), np.linalg.eigvalsh(P)), True),
    "svd wide full shapes": (lambda: [tuple(q.shape) for q in linalg.svd(array(B).mT)], [(5, 2, 2), (5, 2), (5, 3, 3)]),
    "svd empty": (lambda: [tuple(q.shape) for q in linalg.svd(xp.zeros((0, 3)))], [(0, 0), (0,), (3, 3)]),
    "qr complete wide": (
        lambda: [tuple(q.shape) for q in linalg.qr(array(B[0]).mT, mode="complete")],
        [(2, 2), (2, 3)],
    ),
    "qr empty": (lambda: [tuple(q.shape) for q in linalg.qr(xp.zeros((3, 0)))], [(3, 0), (0, 0)]),
    "qr reconstruct batched": (lambda: close((lambda q, r: q @ r)(*linalg.qr(array(B))), B), True),
    "det empty": (lambda: linalg.det(xp.zeros((2, 0, 0))), [1.0, 1.0]),
    "inv empty stack": (lambda: linalg.inv(xp.zeros((0, 3, 3))).shape, (0, 3, 3)),
    "solve empty rhs": (lambda: linalg.solve(array(A[0, 0]), xp.zeros((3, 0))).shape, (3, 0)),
    "eigh empty": (lambda: [tuple(q.shape) for q in linalg.eigh(xp.zeros((0, 0)))], [(0,), (0, 0)]),
    "slogdet stack neg": (
        lambda: linalg.slogdet(array([[[0.0, 1.0], [1.0, 0.0]], [[2.0, 0.0], [0.0, 2.0]]])),
        [[-1.0, 1.0], [0.0, math.log(4)]],
    ),
    "slogdet singular": (lambda: linalg.slogdet(array([[1.0, 2.0], [2.0, 4.0]]) * 0), [0.0, -inf]),
    "slogdet tiny": (
        lambda: (
            linalg.slogdet(array(np.diag([1e-30] * 20)))[1]
            if xp.default_device().supports(xp.float64)
            else 20 * math.log(1e-30)
        ),
        20 * math.log(1e-30),
    ),
    "matrix_rank tol stack": (
        lambda: linalg.matrix_rank(array([[[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]])),
        [1, 2],
    ),
    "matrix_rank of vector of one": (lambda: linalg.matrix_rank(array([[[0.0]], [[2.0]]])), [0, 1]),
    "pinv stack rtol": (lambda: close(linalg.pinv(array(B)), np.linalg.pinv(B)), True),
    "lstsq underdetermined": (
        lambda: close(
            linalg.lstsq(array(B[0].T), array([1.0, 2.0]))[0], np.linalg.lstsq(B[0].T, [1.0, 2.0], rcond=None)[0]
        ),
        True,
    ),
    "matrix_power neg stack": (lambda: close(linalg.matrix_power(array(A), -2), np.linalg.matrix_power(A, -2)), True),
    "matrix_power 0": (lambda: close(linalg.matrix_power(array(A), 0), np.broadcast_to(np.eye(3), A.shape)), True),
    "vector_norm tuple axis keepdims": (
        lambda: close(
            linalg.vector_norm(array(B), axis=(0, 2), keepdims=True), np.sqrt((B**2).sum((0, 2), keepdims=True))
        ),
        True,
    ),
    "vector_norm -inf with zero": (lambda: linalg.vector_norm(array([0.0, 3.0]), ord=-1), 0.0),
    "vector_norm complex": (lambda: linalg.vector_norm(array([3 + 4j, 0j])), 5.0),
    "multi_dot vectors": (
        lambda: linalg.multi_dot([array([1.0, 2.0]), array([[1.0, 2.0], [3.0, 4.0]]), array([1.0, 1.0])]),
        17.0,
    ),
    "tensorsolve": (
        lambda: close(
            linalg.tensorsolve(array(np.eye(6).reshape(2, 3, 6) * 2), array(np.ones((2, 3)))), np.full(6, 0.5)
        ),
        True,
    ),
    "eig real with complex pair": (
        lambda: xp.sort(xp.imag(linalg.eigvals(array([[0.0, 1.0], [-1.0, 0.0]])))),
        [-1.0, 1.0],
    ),
    "cross last axis -1 vs batch of 3": (
        lambda: close(
            linalg.cross(array(np.eye(3)), array(np.roll(np.eye(3), 1, 0))),
            np.cross(np.eye(3), np.roll(np.eye(3), 1, 0)),
        ),
        True,
    ),
    "outer complex no conj": (lambda: linalg.outer(array([1j]), array([1j])), [[-1 + 0j]]),
    "torch196745 batch over 65536": (
        lambda: float(
            xp.max(
                xp.abs(linalg.solve(xp.broadcast_to(array(np.eye(2) * 2), (65540, 2, 2)), xp.ones((65540, 2, 1))) - 0.5)
            )
        ),
        0.0,
    ),
    "trace dtype int8": (lambda: linalg.trace(array([[100, 0], [0, 100]], np.int8)), 200),
    "binomial p0 p1": (
        lambda: [
            generator().binomial(10, 0.0, size=3),
            generator().binomial(10, 1.0, size=3),
            generator().binomial(0, 0.5, size=2),
        ],
        [[0] * 3, [10] * 3, [0] * 2],
    ),
    "poisson 0": (lambda: generator().poisson(0.0, size=2), [0, 0]),
    "gamma 0": (lambda: generator().gamma(0.0, size=2), [0.0, 0.0]),
    "exponential 0 scale": (lambda: generator().exponential(0.0, size=2), [0.0, 0.0]),
    "uniform empty interval": (lambda: generator().uniform(3.0, 3.0, size=2), [3.0, 3.0]),
    "integers one value": (lambda: generator().integers(5, 6, size=3), [5, 5, 5]),
    "integers full int8": (
        lambda: (lambda v: (int(v.min()), int(v.max())))(
            xp.to_numpy(generator().integers(-128, 128, size=5000, dtype=xp.int8))
        ),
        (-128, 127),
    ),
    "integers endpoint full uint64-ish": (
        lambda: (lambda v: bool(v.min() < -(2**61) and v.max() > 2**61))(
            xp.to_numpy(generator().integers(-(2**63), 2**63 - 1, size=500, endpoint=True))
        ),
        True,
    ),
    "choice without replacement": (lambda: xp.sort(generator().choice(5, size=5, replace=False)), [0, 1, 2, 3, 4]),
    "choice p zero never": (lambda: bool(xp.all(generator().choice(3, size=500, p=array([0.5, 0.0, 0.5])) != 1)), True),
    "permutation axis": (
        lambda: xp.sort(generator().permutation(array([[1, 2], [3, 4]]), axis=1), axis=1),
        [[1, 2], [3, 4]],
    ),
    "multinomial sum": (lambda: xp.sum(generator().multinomial(20, array([0.2, 0.3, 0.5]), size=4), axis=-1), [20] * 4),
    "dirichlet sum small": (
        lambda: close(xp.sum(generator().dirichlet(array([0.01, 0.01]), size=4), axis=-1), np.ones(4)),
        True,
    ),
    "hypergeometric all": (lambda: generator().hypergeometric(5, 0, 3, size=2), [3, 3]),
    "geometric p1": (lambda: generator().geometric(1.0, size=3), [1, 1, 1]),
    "dlpack offset in": (lambda: xp.from_dlpack(V[1:, 2:]), V[1:, 2:]),
    "dlpack neg stride in": (lambda: xp.asarray(V[::-1, ::-2]), V[::-1, ::-2]),
    "dlpack empty": (lambda: xp.from_dlpack(np.zeros((0, 3))).shape, (0, 3)),
    "pickle view": (lambda: pickle.loads(pickle.dumps(array(V)[::2, ::-1])), V[::2, ::-1]),
    "pickle transposed": (lambda: pickle.loads(pickle.dumps(array(V).mT)), V.T),
    "deepcopy shares": (
        lambda: (lambda a: (lambda b: (b.__setitem__((0, 0), 9.0), listed(a[0, 0]))[1])(deepcopy(a)))(array(V)),
        0.0,
    ),
    "pickle 0-d bool": (lambda: pickle.loads(pickle.dumps(array(True))), True),
    "big endian": (lambda: xp.asarray(np.array([1, 2], dtype=">i4").astype("<i4")), [1, 2]),
    "dtype of empty sum": (lambda: xp.sum(xp.zeros(0, dtype=xp.int8)).dtype.name, "int64"),
    "dtype of empty mean": (lambda: xp.isnan(xp.mean(xp.zeros((0,)))), True),
    "dtype of empty concat": (
        lambda: xp.concat([xp.zeros(0, dtype=xp.float32), xp.ones(1, dtype=xp.float32)]).dtype.name,
        "float32",
    ),
    "prod of empty": (lambda: xp.prod(xp.zeros((0, 2)), axis=0), [1.0, 1.0]),
    "all axis empty": (lambda: xp.all(xp.zeros((2, 0), dtype=xp.bool), axis=1), [True, True]),
    "cumsum empty": (lambda: xp.cumulative_sum(xp.zeros(0), include_initial=True), [0.0]),
    "unique empty": (lambda: [q.shape for q in xp.unique_all(xp.zeros(0))], [(0,)] * 4),
    "histogram empty": (lambda: xp.histogram(xp.zeros(0), bins=2), [[0, 0], [0.0, 0.5, 1.0]]),
    "sort empty axis": (lambda: xp.sort(xp.zeros((2, 0))).shape, (2, 0)),
    "median empty": (lambda: xp.isnan(xp.median(xp.zeros(0))), True),
    "matmul empty k": (lambda: xp.zeros((2, 0)) @ xp.zeros((0, 3)), [[0.0] * 3] * 2),
    "einsum empty": (lambda: xp.einsum("ij,jk->ik", xp.zeros((2, 0)), xp.zeros((0, 2))), [[0.0, 0.0]] * 2),
}


@pytest.mark.parametrize("name", REPORTS)
def test_report_of_a_peer_is_right_here(device, name):
    check(device, REPORTS[name])
