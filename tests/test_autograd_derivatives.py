"""The derivative of every operation against finite differences, forward and reverse, to the second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from autograd_cases import BEYOND_STRICT, CASES, arguments

import xtensor as xp
from xtensor import autograd, special
from xtensor._core.operations import TABLE as OPERATIONS
from xtensor.autograd._table import CONSTANT, TABLE
from xtensor.nn import functional
from xtensor.special._declaration import DECLARATIONS

pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in.*:RuntimeWarning")


@pytest.mark.parametrize("name", CASES)
def test_derivatives_are_finite_differences(name, device):
    if device == "strict" and name in BEYOND_STRICT:
        with pytest.raises((TypeError, IndexError, ValueError)):
            CASES[name][0](*arguments(CASES[name]))
        return
    if not device.supports(np.dtype(np.float64)):
        pytest.skip("finite differences need float64")
    autograd.check_gradients(CASES[name][0], *arguments(CASES[name]))


# -- special functions ------------------------------------------------------------------------------------------------

INTEGERS: dict[str, dict[int, tuple[float, ...]]] = {
    **dict.fromkeys(("yn", "expn", "polygamma", "pdtr", "pdtrc", "pdtri"), {0: (1.0, 2.0, 3.0)}),
    **dict.fromkeys(("bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri"), {0: (1.0, 2.0, 3.0), 1: (5.0, 6.0, 7.0)}),
    "lpmv": {0: (0.0, 1.0, 2.0), 1: (2.0, 3.0, 4.0)},
}
"""Arguments that are whole numbers, by the function's name and the position."""

DOMAINS = {"erfcinv": (0.3, 1.7), "zeta": (2.0, 4.0), "multigammaln": (2.0, 3.0), "k0": (0.5, 3.0), "k1": (0.5, 3.0)}

WITHOUT_DERIVATIVE = {"zetac", "gammasgn"}

SPECIAL = [name for name in DECLARATIONS if name not in WITHOUT_DERIVATIVE]


@pytest.mark.parametrize("name", SPECIAL)
def test_derivatives_of_special_functions_are_finite_differences(name, device):
    if not device.supports(np.dtype(np.float64)):
        pytest.skip("finite differences need float64")
    rng = np.random.default_rng(3)
    low, high = DOMAINS.get(name, (0.2, 0.8))
    operands = [xp.asarray(rng.uniform(low, high, 3)) for _ in DECLARATIONS[name].operands]
    for place, values in INTEGERS.get(name, {}).items():
        operands[place] = xp.asarray(values)
    row = TABLE.get(f"special.{name}")
    places = list(range(len(operands)))
    if row is not None and row.elementwise:
        places = [place for place, (function, _) in enumerate(row.elementwise) if function is not None]
    assert places

    def function(*values: Any) -> Any:
        given = list(operands)
        for place, value in zip(places, values, strict=True):
            given[place] = value
        if name == "multigammaln":
            return special.multigammaln(given[0], 2)
        if name == "logsumexp":
            return special.logsumexp(given[0], b=given[1])
        return getattr(special, name)(*given)

    with xp.transfers("allow"):  # some functions are computed on the host
        autograd.check_gradients(function, *[operands[place] for place in places])


def test_special_function_without_a_known_derivative_says_so():
    x = xp.asarray([2.5, 3.5])
    with pytest.raises(autograd.NotDifferentiableError, match=r"gammainc\(\) has no known derivative .* operand 1"):
        autograd.grad(lambda a: xp.sum(special.gammainc(a, x)))(x)
    with pytest.raises(autograd.NotDifferentiableError, match="zetac"):
        autograd.grad(lambda x: xp.sum(special.zetac(x)))(x)


NETWORKS = {
    "cross_entropy": (lambda x: functional.cross_entropy(x, xp.asarray([1, 0, 2])), ((3, 4),)),
    "gelu": (functional.gelu, ((3, 4),)),
    "gelu by tanh": (lambda x: functional.gelu(x, approximate="tanh"), ((3, 4),)),
    "layer_norm": (functional.layer_norm, ((3, 4), (4,), (4,))),
    "linear": (functional.linear, ((2, 3), (4, 3), (4,))),
    "log_softmax": (lambda x: functional.log_softmax(x, axis=-1), ((3, 4),)),
    "relu": (functional.relu, ((3, 4),)),
    "rms_norm": (functional.rms_norm, ((3, 4), (4,))),
    "scaled_dot_product_attention": (
        functional.scaled_dot_product_attention,
        ((1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4)),
    ),
    "silu": (functional.silu, ((3, 4),)),
    "softmax": (lambda x: functional.softmax(x, axis=0), ((3, 4),)),
    "swiglu": (functional.swiglu, ((3, 4), (3, 4))),
    "conv2d": (
        lambda x, w, b: functional.conv2d(x, w, b, stride=2, padding=1, dilation=(1, 2)),
        ((2, 2, 5, 6), (3, 2, 2, 3), (3,)),
    ),
    "conv_transpose2d": (
        lambda x, w, b: functional.conv_transpose2d(x, w, b, stride=2, padding=1, groups=2),
        ((2, 4, 3, 2), (4, 1, 2, 3), (2,)),
    ),
    "avg_pool2d": (lambda x: functional.avg_pool2d(x, 2, padding=1, ceil_mode=True), ((2, 2, 5, 4),)),
    "max_pool2d": (lambda x: functional.max_pool2d(x, 2, padding=1), ((2, 2, 5, 4),)),
    "batch_norm": (
        lambda x, w, b: functional.batch_norm(x, None, None, w, b, training=True),
        ((4, 3, 2), (3,), (3,)),
    ),
    "batch_norm without weights": (lambda x: functional.batch_norm(x, None, None, training=True), ((4, 3, 2),)),
    "batch_norm in evaluation": (
        lambda x, m, v, w, b: functional.batch_norm(x, m, 1 + v * v, w, b),
        ((4, 3, 2), (3,), (3,), (3,), (3,)),
    ),
    "group_norm": (lambda x, w, b: functional.group_norm(x, 2, w, b), ((2, 4, 3), (4,), (4,))),
    **{
        name: (getattr(functional, name), ((3, 4),))
        for name in ("elu", "selu", "leaky_relu", "mish", "softplus", "sigmoid", "logsigmoid", "tanh", "glu")
    },
}


@pytest.mark.parametrize("name", NETWORKS)
def test_derivatives_of_network_functions_are_finite_differences(name):
    function, shapes = NETWORKS[name]
    rng = np.random.default_rng(4)
    autograd.check_gradients(function, *[xp.asarray(rng.standard_normal(shape)) for shape in shapes])


# -- the table --------------------------------------------------------------------------------------------------------

COMPOSED_ON_PURPOSE = {
    # Composed of differentiable operations; their values depend on elements that are selected.
    "special.logsumexp", "special.multigammaln", "special.ellipk", "special.ellipkm1",
    "nn.silu", "nn.swiglu", "nn.gelu", "nn.gelu_tanh", "nn.scaled_dot_product_attention", "nn.linear",
    "nn.cross_entropy", "nn.layer_norm", "nn.rms_norm", "nn.rotary_embedding", "special.softmax", "special.log_softmax",
    *(f"nn.{name}{axes}d" for name in ("conv", "conv_transpose", "avg_pool") for axes in (1, 2, 3)),
    "nn.elu", "nn.selu", "nn.leaky_relu", "nn.relu6", "nn.hardtanh", "nn.mish", "nn.softplus",
    "nn.sigmoid", "nn.logsigmoid", "nn.tanh", "nn.conv_by_weight", "nn.at_windows",
}  # fmt: skip


def test_every_operation_has_a_derivative_a_composition_or_none():
    missing = [
        name
        for name, operation in OPERATIONS.items()
        if operation.declared and operation.primitive and name not in TABLE and name not in CONSTANT
    ]
    assert not missing
    undecided = [
        name
        for name, operation in OPERATIONS.items()
        if operation.declared
        and not operation.primitive
        and operation.composition is None
        and operation.kind in ("special", "network")
        and name not in TABLE
        and name not in CONSTANT
        and name not in COMPOSED_ON_PURPOSE
    ]
    assert not undecided


def test_derivatives_and_constants_are_of_operations():
    for name in xp.__all__:
        getattr(xp, name, None)  # some chapters are imported, and declare their operations, at the first use
    assert not [name for name in {*TABLE, *CONSTANT} - {"getitem", "setitem", "diagonal"} if name not in OPERATIONS]
    assert not set(TABLE) & CONSTANT


# -- conventions ------------------------------------------------------------------------------------------------------


def at(function: Any, value: Any) -> Any:
    return xp.to_numpy(autograd.grad(lambda x: xp.sum(function(x)))(xp.asarray(value))).tolist()


def test_absolute_value_at_zero_has_derivative_zero():
    assert at(xp.abs, [0.0, -1.0, 2.0]) == [0.0, -1.0, 1.0]
    assert at(xp.sign, [0.0, -1.0]) == [0.0, 0.0]


def test_equal_elements_share_the_derivative_of_the_maximum():
    assert at(lambda x: xp.max(x), [3.0, 1.0, 3.0]) == [0.5, 0.0, 0.5]
    assert at(lambda x: xp.maximum(x, 3.0), [3.0, 1.0, 4.0]) == [0.5, 0.0, 1.0]


def test_bounds_of_clip_belong_to_the_inside():
    assert at(lambda x: xp.clip(x, 0.0, 1.0), [0.0, 1.0, 2.0, -1.0]) == [1.0, 1.0, 0.0, 0.0]


def test_square_root_at_zero_has_an_infinite_derivative():
    assert at(xp.sqrt, [0.0]) == [np.inf]


def test_norm_and_standard_deviation_of_zero_have_derivative_zero():
    assert at(xp.linalg.vector_norm, [0.0, 0.0]) == [0.0, 0.0]
    assert at(xp.std, [2.0, 2.0]) == [0.0, 0.0]


def test_branch_that_where_does_not_select_has_derivative_zero():
    def function(x):
        return xp.where(x > 0, xp.sqrt(x), 0.0) + xp.where(x == 0, 0.0, 1 / x)

    with np.errstate(all="ignore"):
        assert at(function, [0.0, 4.0]) == [0.0, 0.25 - 1 / 16]
        _value, tangent = autograd.jvp(function, (xp.asarray([0.0, 4.0]),), (xp.ones(2),))
    np.testing.assert_array_equal(xp.to_numpy(tangent), [0.0, 0.25 - 1 / 16])


def test_elements_that_are_not_selected_do_not_spoil_the_others():
    def function(x):
        y = 1 / x
        z = xp.zeros_like(x)
        z[x != 0] = y[x != 0]
        return z

    with np.errstate(all="ignore"):
        assert at(function, [0.0, 2.0]) == [0.0, -0.25]


def test_powers_at_zero():
    assert at(lambda x: x**2, [0.0]) == [0.0]
    assert at(lambda x: x**0, [0.0]) == [0.0]
    assert at(lambda y: xp.asarray([0.0, 0.0]) ** y, [1.0, 2.0]) == [0.0, 0.0]


def test_equal_singular_values_have_finite_derivatives():
    gradient = autograd.grad(lambda x: xp.sum(xp.linalg.svdvals(x)))(xp.eye(3))
    np.testing.assert_allclose(xp.to_numpy(gradient), np.eye(3), atol=1e-12)


def test_gradient_with_respect_to_a_complex_number_is_that_of_jax():
    # f = a**2 * b with z = a + bi: df/da - i df/db.
    gradient = autograd.grad(lambda z: xp.real(z) ** 2 * xp.imag(z))(xp.asarray(2.0 + 3.0j))
    assert complex(gradient) == 12.0 - 4.0j
    # A holomorphic function: its complex derivative.
    _value, pull = autograd.vjp(lambda z: z**3, xp.asarray(1.0 + 2.0j))
    assert complex(pull(xp.asarray(1.0 + 0.0j))[0]) == pytest.approx(3 * (1 + 2j) ** 2)


# -- other dtypes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_gradients_have_the_dtype_of_the_argument(dtype):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="bfloat16 needs ml_dtypes")
    dtype = xp.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    x = xp.astype(xp.asarray([0.5, 1.5]), dtype)
    gradient = autograd.grad(lambda x: xp.sum(xp.sin(x) * x))(x)
    assert gradient.dtype == dtype
    expected = np.sin([0.5, 1.5]) + np.cos([0.5, 1.5]) * [0.5, 1.5]
    np.testing.assert_allclose(xp.to_numpy(gradient).astype(float), expected, rtol=2e-2)


def test_gradient_of_an_operand_that_was_promoted_keeps_its_dtype():
    x, y = xp.asarray([1.0, 2.0], dtype=xp.float32), xp.asarray([3.0, 4.0])
    first, second = autograd.grad(lambda x, y: xp.sum(x * y), argnums=(0, 1))(x, y)
    assert (first.dtype, second.dtype) == (xp.float32, xp.float64)
