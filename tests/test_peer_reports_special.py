"""Special functions and their derivatives that were wrong in SciPy, CuPy, JAX, PyTorch or TensorFlow.

The expected values are exact. A number in a name is that of a report.
"""

from __future__ import annotations

import math
from functools import partial

import pytest
from peer_reports import array, check, gradient, inf, nan

import xtensor as xp
from xtensor import autograd, special
from xtensor.nn import functional

BETAINC = [
    ((0.0, 0.0, 0.0), nan),
    ((0.0, 0.0, 0.5), nan),
    ((inf, inf, 0.5), nan),
    ((0.0, 1.0, 0.0), 0.0),
    ((0.0, 1.0, 0.5), 1.0),
    ((1.0, 0.0, 0.0), 0.0),
    ((1.0, 0.0, 0.5), 0.0),
    ((1.0, 0.0, 1.0), 1.0),
    ((0.0, inf, 0.0), 0.0),
    ((0.0, inf, 0.5), 1.0),
    ((inf, 0.0, 0.5), 0.0),
    ((inf, 0.0, 1.0), 1.0),
    ((1.0, inf, 0.0), 0.0),
    ((1.0, inf, 0.5), 1.0),
    ((inf, 1.0, 0.5), 0.0),
    ((inf, 1.0, 1.0), 1.0),
]
"""Report 8934 of CuPy: parameters at the ends of their range."""

REPORTS = {
    "scipy23169 b=0": (lambda: special.betainc(array(3001.0), array(0.0), array(0.5)), 0.0),
    "scipy22903 logsumexp b neg": (
        lambda: special.logsumexp(
            array([3.06409428, 0.37251854, 3.87471931]), b=array([1.88190708, 2.84174795, -0.85016884])
        ),
        1.2452165157907382,
    ),
    "scipy18295 logsumexp tiny": (lambda: special.logsumexp(array([0.0, -40.0])), 4.248354255291589e-18),
    "scipy21709 complex": (
        lambda: special.logsumexp(array([0j, 2.2204460492503132e-17j])),
        complex(math.log(2), 1.1102230246251566e-17),
    ),
    "logsumexp +inf -inf": (lambda: special.logsumexp(array([inf, -inf])), inf),
    "logsumexp axis empty": (lambda: special.logsumexp(xp.zeros((2, 0)), axis=1), [-inf, -inf]),
    "torch55357 polygamma inf": (lambda: special.polygamma(2, array([inf])), [0.0]),
    "torch55357 polygamma 3 inf": (lambda: special.polygamma(3, array([inf])), [0.0]),
    "torch143648 polygamma 0": (lambda: special.polygamma(0, array(2.0)), 0.42278433509846713),
    "polygamma even pole": (lambda: special.polygamma(2, array(0.0)), -inf),
    "jax20507 gammaincc(1,-1)": (lambda: special.gammaincc(array(1.0), array(-1.0)), nan),
    "gammainc 0 0": (lambda: special.gammainc(array(0.0), array(0.0)), nan),
    "gammainc 0 x": (lambda: special.gammainc(array(0.0), array(1.0)), 1.0),
    "gammainc inf": (
        lambda: [
            special.gammainc(array(inf), array(1.0)),
            special.gammainc(array(1.0), array(inf)),
            special.gammainc(array(inf), array(inf)),
        ],
        [0.0, 1.0, nan],
    ),
    "tf56873 xlog1py grad": (lambda: gradient(lambda x: special.xlog1py(x, array(1.0)), array(0.0)), math.log(2)),
    "xlogy grad 0": (lambda: gradient(lambda x: special.xlogy(x, array(2.0)), array(0.0)), math.log(2)),
    "jax2140 log_sigmoid": (lambda: gradient(lambda x: functional.logsigmoid(x), array(0.0)), 0.5),
    "torch195679": (
        lambda: [
            autograd.grad(autograd.grad(lambda x: functional.logsigmoid(x)))(array(s * 37.42994775023705)) * 1e17
            for s in (1, -1)
        ],
        [-5.551115123125775] * 2,
    ),
    "torch79609 bce logits forward over reverse": (
        lambda: autograd.jvp(
            autograd.grad(lambda x: functional.binary_cross_entropy_with_logits(x, array([0.3, 1.0]), reduction="sum")),
            (array([0.0, 0.0]),),
            (array([1.0, 2.0]),),
        )[1],
        [0.25, 0.5],
    ),
    "tt55931 log grad at -0": (lambda: gradient(lambda x: xp.log(x), array(-0.0)), -inf),
    "np27820 min reversed": (lambda: xp.min(xp.flip(array([8, 10])), keepdims=True), [8]),
    "jax23757 lexsort 17 keys": (lambda: xp.lexsort(xp.zeros((20, 2))), [0, 1]),
    "jax9107 searchsorted nan tail": (lambda: xp.searchsorted(array([0.0, 1.0, 2.0, 3.0] + [nan] * 6), array(0.0)), 0),
    "erfinv ends": (lambda: special.erfinv(array([-1.0, 1.0, 2.0])), [-inf, inf, nan]),
    "erfcinv": (lambda: special.erfcinv(array([0.0, 2.0])), [inf, -inf]),
    "zeta <1": (lambda: special.zeta(array([0.5]), array([1.0])), [nan]),
    "rel_entr": (lambda: special.rel_entr(array([0.0, 1.0, 0.0]), array([0.0, 0.0, -1.0])), [0.0, inf, inf]),
    "kl_div": (lambda: special.kl_div(array([0.0, 1.0]), array([2.0, 0.0])), [2.0, inf]),
    "i0e inf": (lambda: special.i0e(array([inf, -inf])), [0.0, 0.0]),
    "ndtri": (lambda: special.ndtri(array([0.0, 1.0, 0.5])), [-inf, inf, 0.0]),
    "log_ndtr far": (
        lambda: special.log_ndtr(array([-1e4])),
        [-5e7 - math.log(1e4) - 0.5 * math.log(2 * math.pi) - 1e-8],
    ),
    "expit -inf": (lambda: special.expit(array([-inf, inf, nan])), [0.0, 1.0, nan]),
    "softmax all -inf": (lambda: special.softmax(array([-inf, -inf])), [nan, nan]),
    "log_softmax big": (lambda: special.log_softmax(array([1e30, 0.0])), [0.0, -1e30]),
    "boxcox 0": (lambda: special.boxcox(array([2.0]), array([0.0])), [math.log(2)]),
    "inv_boxcox tiny": (lambda: special.inv_boxcox(array([1.0]), array([1e-320])), [math.e]),
}


@pytest.mark.parametrize("name", REPORTS)
def test_report_of_a_peer_is_right_here(device, name):
    check(device, REPORTS[name])


@pytest.mark.parametrize(("values", "expected"), BETAINC)
def test_incomplete_beta_function_at_ends_of_its_parameters(device, values, expected):
    check(device, (partial(special.betainc, *map(array, values)), expected))


@pytest.mark.parametrize("parameter", [1e5, 1e17, 1e33])
def test_incomplete_beta_function_of_equal_large_parameters_is_half_at_half(device, parameter):
    check(device, (lambda: special.betainc(array(parameter), array(parameter), array(0.5)), 0.5))
