"""Bad arguments of a generator: errors of NumPy's classes that begin with NumPy's words, and the remedy."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import xtensor as xp

NAN = float("nan")

AS_NUMPY = [
    ("normal", (0, -1), {}),
    ("normal", ([0, 0], [1.0, -1.0]), {}),
    ("lognormal", (0, -1), {}),
    ("exponential", (-1,), {}),
    ("laplace", (0, -1), {}),
    ("logistic", (0, -1), {}),
    ("gumbel", (0, -1), {}),
    ("rayleigh", (-1,), {}),
    ("weibull", (-1,), {}),
    ("standard_gamma", (-1,), {}),
    ("gamma", (1, -1), {}),
    ("gamma", (-1, 1), {}),
    ("beta", (0, 1), {}),
    ("chisquare", (0,), {}),
    ("noncentral_chisquare", (0, 1), {}),
    ("noncentral_chisquare", (1, -1), {}),
    ("f", (0, 1), {}),
    ("f", (1, 0), {}),
    ("noncentral_f", (1, 1, -1), {}),
    ("standard_t", (0,), {}),
    ("wald", (0, 1), {}),
    ("wald", (1, 0), {}),
    ("vonmises", (0, -1), {}),
    ("pareto", (0,), {}),
    ("power", (0,), {}),
    ("uniform", (1, 0), {}),
    ("uniform", (0, np.inf), {}),
    ("triangular", (2, 1, 3), {}),
    ("triangular", (0, 4, 3), {}),
    ("triangular", (3, 3, 3), {}),
    ("geometric", (0,), {}),
    ("geometric", ([0.5, NAN],), {}),
    ("poisson", (-1,), {}),
    ("poisson", (NAN,), {}),
    ("poisson", (1e30,), {}),
    ("binomial", (-1, 0.5), {}),
    ("binomial", (5, 1.5), {}),
    ("binomial", (5, NAN), {}),
    ("negative_binomial", (0, 0.5), {}),
    ("negative_binomial", (1, 0), {}),
    ("zipf", (1,), {}),
    ("logseries", (1,), {}),
    ("hypergeometric", (1, 2, 30), {}),
    ("hypergeometric", (10**9, 2, 30), {}),
    ("multinomial", (-5, [0.5, 0.5]), {}),
    ("multinomial", (5, [-0.5, 1.5]), {}),
    ("multivariate_normal", ([0], [[1, 0], [0, 1]]), {}),
    ("multivariate_normal", ([[0]], [[1]]), {}),
    ("multivariate_normal", ([0], [1]), {}),
    ("multivariate_normal", ([0, 0], [[1, 2], [2, -1]]), {"check_valid": "raise"}),
    ("multivariate_normal", ([0], [[1]]), {"method": "x"}),
    ("multivariate_normal", ([0], [[1]]), {"check_valid": "x"}),
    ("multivariate_hypergeometric", ([1, 2], 5), {}),
    ("multivariate_hypergeometric", ([1, -2], 1), {}),
    ("multivariate_hypergeometric", ([1, 2], -1), {}),
    ("multivariate_hypergeometric", ([1, 2], 1), {"method": "x"}),
    ("integers", (5, 5), {}),
    ("integers", ([5], [5]), {}),
    ("integers", (0,), {}),
    ("integers", (0, 300), {"dtype": np.uint8}),
    ("integers", (-1, 3), {"dtype": np.uint8}),
    ("integers", ([-1], [3]), {"dtype": np.uint8}),
    ("integers", ([1], [300]), {"dtype": np.uint8}),
    ("integers", (0, 3), {"dtype": float}),
    ("random", (), {"dtype": np.float16}),
    ("random", (), {"dtype": int}),
    ("standard_normal", (), {"dtype": np.float16}),
    ("standard_exponential", (), {"dtype": np.float16}),
    ("standard_gamma", (1.0,), {"dtype": np.float16}),
    ("random", (-1,), {}),
    ("random", ((2, -1),), {}),
    ("random", ("a",), {}),
    ("normal", ([0, 1], 1), {"size": 3}),
    ("normal", ([0, 1], [1, 2, 3]), {}),
    ("normal", (None,), {}),
    ("choice", (5, 10), {"replace": False}),
    ("choice", (0,), {}),
    ("choice", ([],), {}),
    ("choice", (-3,), {}),
    ("choice", (2.5,), {}),
    ("choice", (3,), {"p": [0.5, 0.5]}),
    ("choice", (2,), {"p": [0.5, 0.6]}),
    ("choice", (2,), {"p": [-0.5, 1.5]}),
    ("choice", (2,), {"p": [NAN, 0.5]}),
    ("choice", (2, 2), {"p": [1, 0], "replace": False}),
    ("choice", (2,), {"p": [[1, 0]]}),
    *[(method, (0, -0.0), {}) for method in ("normal", "lognormal", "laplace", "logistic", "gumbel", "vonmises")],
    *[(method, (-0.0,), {}) for method in ("exponential", "rayleigh", "weibull", "standard_gamma")],
    *[(method, (1, -0.0), {}) for method in ("gamma", "noncentral_chisquare")],
    ("gamma", (-0.0, 1), {}),
    ("noncentral_f", (1, 1, -0.0), {}),
    ("exponential", ([1.0, -0.0],), {}),
    ("multinomial", (5, []), {}),
    ("multinomial", (5, [2.0]), {}),
    ("multinomial", (5, [0.5, 2.0]), {}),
    ("multinomial", (5, [0.6, 0.6, 0.1]), {}),
    ("multinomial", (np.array([5.0]), [0.5, 0.5]), {}),
    ("binomial", (np.array([5.0]), 0.5), {}),
    ("hypergeometric", (np.array([5.0]), 2, 3), {}),
    ("multivariate_hypergeometric", ([1.5, 2], 1), {}),
    ("permutation", ([1, 2], 3), {}),
    ("permuted", ([1, 2],), {"axis": 3}),
]
"""Calls for which NumPy's Generator raises an error."""


def of_name(value):
    return f"{value[0]}{value[1]}{value[2] or ''}".replace(" ", "")


@pytest.mark.parametrize("call", AS_NUMPY, ids=of_name)
def test_bad_argument_raises_numpys_error(call):
    method, arguments, options = call
    with pytest.raises(Exception) as expected:  # noqa: PT011 - whichever NumPy raises
        getattr(np.random.default_rng(0), method)(*arguments, **options)
    rng = xp.random.default_rng(0, device="cpu")
    words = str(expected.value).split(".  Mismatch is between")[0].split(", see Generator")[0]
    words = words.removesuffix(" See Notes section of docstring for more information.").rstrip(".")
    with pytest.raises(type(expected.value), match=re.escape(words)) as error:
        getattr(rng, method)(*arguments, **options)
    assert len(str(error.value)) > len(words)
    # A call that raises takes nothing from the stream.
    assert rng.bit_generator.state["position"] == 0


@pytest.mark.parametrize(
    ("method", "arguments", "options", "error", "words"),
    [
        ("random", (3,), {"out": [0.0]}, TypeError, "out is an Array on device cpu, not .*list"),
        ("random", (), {"out": np.zeros(3)}, TypeError, "out is an Array on device cpu, not .*ndarray"),
        ("normal", (1j,), {}, TypeError, "must be real number, not complex; normal"),
        ("normal", (np.array([1j]),), {}, TypeError, "loc has dtype complex128, expected real numbers"),
        ("normal", ("a",), {}, TypeError, "must be real number, not str"),
        ("normal", (10**400,), {}, ValueError, "beyond the numbers of float64"),
        ("integers", (0.5, NAN), {}, ValueError, "high is out of bounds"),
        ("integers", (np.array([0.5]), 3), {}, TypeError, "low has dtype float64, expected integers"),
        ("binomial", (np.inf, 0.5), {}, ValueError, "n < 0 or beyond int64"),
        ("dirichlet", ([-1.0, 1.0],), {}, ValueError, "alpha < 0"),
        ("dirichlet", (1.0,), {}, ValueError, "alpha must be 1 dimensional"),
        ("multinomial", (5, [0.7, 0.7, 0.1]), {}, ValueError, r"sum\(pvals\[:-1\]\) > 1.0"),
        ("shuffle", ([1, 2],), {}, TypeError, "shuffle.. takes an Array, not .*permutation"),
        ("spawn", (-1,), {}, ValueError, "n_children is -1"),
        ("spawn", (1.5,), {}, TypeError, "n_children is an integer"),
        ("bytes", (-1,), {}, ValueError, "negative dimensions are not allowed"),
        ("bytes", (2.5,), {}, TypeError, "length is an integer"),
        ("random", (2.5,), {}, TypeError, "'float' object cannot be interpreted as an integer"),
        ("choice", (3,), {"replace": "no"}, TypeError, "replace is True or False"),
    ],
)
def test_bad_argument_raises_an_error_with_the_remedy(method, arguments, options, error, words):
    with pytest.raises(error, match=words):
        getattr(xp.random.default_rng(0, device="cpu"), method)(*arguments, **options)


def test_an_out_of_another_shape_dtype_or_device_is_refused():
    rng = xp.random.default_rng(0, device="cpu")
    with pytest.raises(TypeError, match="Supplied output array has the wrong type. Expected float64, got float32"):
        rng.random(out=xp.zeros(3, dtype="float32", device="cpu"))
    with pytest.raises(ValueError, match=r"size must match out.shape when used together; .*\(3,\)"):
        rng.random(2, out=xp.zeros(3, device="cpu"))
    with pytest.raises(ValueError, match="out is on device strict and the generator on cpu"):
        rng.random(out=xp.zeros(3, device="strict"))
    with pytest.raises(ValueError, match="out must have the same shape as x"):
        rng.permuted(xp.zeros(3, device="cpu"), out=xp.zeros(2, device="cpu"))


@pytest.mark.parametrize(
    ("seed", "error", "words"),
    [
        (-1, ValueError, "expected non-negative integer; "),
        ([1, -1], ValueError, "expected non-negative integer; "),
        (1.5, TypeError, "SeedSequence expects int or sequence of ints for entropy not 1.5; a seed is None"),
        ("a", TypeError, "a seed is None, an integer, a sequence of integers or a SeedSequence, not 'a'"),
        (np.random.default_rng(1), TypeError, "pass rng.bit_generator.seed_seq"),
        (np.random.Philox(1), TypeError, "pass rng.bit_generator.seed_seq"),
        (np.random.RandomState(1), TypeError, "pass rng.bit_generator.seed_seq"),
    ],
    ids=lambda value: repr(value) if isinstance(value, (int, float, list, str)) else value.__class__.__name__,
)
def test_bad_seed_is_refused(seed, error, words):
    with pytest.raises(error, match=re.escape(words)):
        xp.random.default_rng(seed, device="cpu")


def test_a_generator_of_another_device_is_refused():
    rng = xp.random.default_rng(1, device="cpu")
    with pytest.raises(ValueError, match="the generator is on device cpu, not strict"):
        xp.random.default_rng(rng, device="strict")
    with pytest.raises(TypeError, match=r"takes an xtensor.random.Philox, not .*default_rng"):
        xp.random.Generator(7)


@pytest.mark.parametrize("state", [None, {}, {"bit_generator": "PCG64", "key": (1, 2), "position": 0}, []])
def test_a_bad_state_is_refused(state):
    stream = xp.random.Philox(1)
    with pytest.raises((TypeError, ValueError), match="state must be"):
        stream.state = state
    assert stream.state == xp.random.Philox(1).state


def test_arrays_on_another_device_are_refused():
    rng = xp.random.default_rng(1, device="cpu")
    with pytest.raises(xp.DeviceMismatchError):
        rng.normal(xp.zeros(3, device="strict"))


def test_an_invalid_covariance_warns_and_draws():
    rng = xp.random.default_rng(1, device="cpu")
    with pytest.warns(RuntimeWarning, match="covariance is not symmetric positive-semidefinite"):
        assert rng.multivariate_normal([0, 0], [[1, 2], [2, -1]], 3).shape == (3, 2)
    assert rng.multivariate_normal([0, 0], [[1, 2], [2, -1]], 3, check_valid="ignore").shape == (3, 2)


NUMPY_METHODS = [name for name in dir(np.random.Generator) if not name.startswith("_") and name != "bit_generator"]


@pytest.mark.parametrize("name", NUMPY_METHODS)
def test_every_method_of_numpys_generator_exists_with_its_parameters(name):
    ours = list(inspect.signature(getattr(xp.random.Generator, name)).parameters)[1:]
    try:
        theirs = list(inspect.signature(getattr(np.random.Generator, name)).parameters)[1:]
    except ValueError:  # an older NumPy has no signatures of compiled methods
        theirs = re.match(rf"{name}\(([^)]*)\)", getattr(np.random.Generator, name).__doc__.strip())[1].split(",")
        theirs = [item.split("=")[0].strip() for item in theirs if item.strip() not in ("*", "/")]
    assert ours == theirs


@pytest.mark.parametrize("method", ["beta", "chisquare", "normal", "standard_gamma", "wald", "pareto"])
def test_nan_is_propagated(method):
    arguments = (NAN,) if method in ("chisquare", "standard_gamma", "pareto") else (NAN, 1.0)
    x = getattr(xp.random.default_rng(0, device="cpu"), method)(*arguments, size=5)
    assert bool(xp.all(xp.isnan(x)))


@pytest.mark.parametrize("name", NUMPY_METHODS)
def test_every_method_is_documented(name):
    assert getattr(xp.random.Generator, name).__doc__


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("triangular", (NAN, 1.0, 2.0)),
        ("triangular", (0.0, NAN, 2.0)),
        ("triangular", (0.0, 1.0, NAN)),
        ("noncentral_chisquare", (1.0, NAN)),
        ("noncentral_f", (1.0, 2.0, NAN)),
        ("normal", (0.0, NAN)),
        ("standard_t", (NAN,)),
        ("f", (NAN, 1.0)),
        ("wald", (NAN, 1.0)),
        ("beta", (1.0, NAN)),
    ],
)
def test_nan_parameter_gives_nan(method, arguments):
    assert np.isnan(float(getattr(xp.random.default_rng(0, device="cpu"), method)(*arguments)))
