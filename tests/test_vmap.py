"""``vmap``: every public function beside a loop over the examples; axes, containers, errors, random numbers."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from arguments import call
from good_arguments import GOOD, WRITING_FUNCTIONS, public_function
from strategies import quiet
from vmap_cases import batch_of, batches, positions_of_arrays, with_arrays

import xtensor as xp
from xtensor import autograd, nn, special
from xtensor._core.trees import flatten

DATA_DEPENDENT = frozenset(
    (
        *("nonzero", "unique_all", "unique_counts", "unique_inverse", "unique_values", "unique", "argwhere"),
        *("flatnonzero", "trim_zeros", "roots", "polydiv", "polymul", "compress", "extract", "intersect1d"),
        *("setdiff1d", "setxor1d", "union1d", "bincount", "piecewise"),
    )
)
"""Functions whose results have other shapes in other examples."""

LOOKS_AT_VALUES = frozenset(
    (
        *("allclose", "array_equal", "array_equiv", "asarray_chkfinite", "real_if_close", "digitize", "histogram"),
        *("histogram2d", "histogram_bin_edges", "histogramdd", "polyfit", "to_numpy", "nn.functional.ctc_loss"),
    )
)
"""Functions that give or need one value of Python."""

NOT_OF_VALUES = frozenset(
    ("empty_like", "result_type", "from_dlpack", "nn.functional.dropout", "nn.functional.dropout_channels")
)
"""Functions whose results are not determined by the values, are no arrays, or take other producers."""

NAMES = [
    name
    for name in GOOD
    if name not in DATA_DEPENDENT | LOOKS_AT_VALUES | NOT_OF_VALUES
    and name not in WRITING_FUNCTIONS
    and not name.startswith(("save", "load"))
]


def arguments_of(name):
    """Return arguments of a function without the empty ones of ``**kwargs``."""
    return {key: value for key, value in GOOD[name]().items() if key not in ("kw", "kwargs", "options")}


@pytest.mark.parametrize("name", NAMES)
def test_batch_is_the_stack_of_the_results_of_the_examples(name, device):
    function = public_function(name)
    with quiet(), xp.use_device(device), xp.transfers("allow"):
        arguments = arguments_of(name)
        positions = positions_of_arrays(arguments)
        for number, chosen in enumerate(batches(positions)):
            axis = -1 if number % 2 else 0
            examples = {}
            for key in chosen:
                given = arguments[key[0]] if key[1] is None else arguments[key[0]][key[1]]
                examples[key] = batch_of(given)
            keys = list(examples)
            loop = []
            for example in range(3):
                arrays = {key: batch[example, ...] for key, batch in examples.items()}
                loop.append(flatten(call(function, with_arrays(arguments, arrays)))[0])
            found = xp.vmap(
                lambda *arrays, keys=keys: call(function, with_arrays(arguments, dict(zip(keys, arrays, strict=True)))),
                in_axes=axis,
            )(*[xp.moveaxis(batch, 0, axis) for batch in examples.values()])
            results = flatten(found)[0]
            assert len(results) == len(loop[0])
            for result, *expected in zip(results, *loop, strict=True):
                stacked = np.stack([xp.to_numpy(x) if isinstance(x, xp.Array) else np.asarray(x) for x in expected])
                values = xp.to_numpy(result)
                assert values.dtype == stacked.dtype
                single = stacked.dtype.kind in "fc" and np.finfo(stacked.dtype).bits == 32
                np.testing.assert_allclose(values, stacked, rtol=2e-6 if single else 1e-11, atol=1e-12)


@pytest.mark.parametrize("name", sorted((DATA_DEPENDENT | LOOKS_AT_VALUES) - {"from_dlpack"}))
def test_function_without_batches_says_so(name, device):
    function = public_function(name)
    with quiet(), xp.use_device(device), xp.transfers("allow"):
        arguments = arguments_of(name)
        keys = positions_of_arrays(arguments)
        given = [batch_of(arguments[key[0]] if key[1] is None else arguments[key[0]][key[1]]) for key in keys]
        with pytest.raises((NotImplementedError, xp.UnknownValueError), match="vmap"):
            xp.vmap(lambda *arrays: call(function, with_arrays(arguments, dict(zip(keys, arrays, strict=True)))))(
                *given
            )


# -- axes and containers -----------------------------------------------------------------------------------------------


def test_axes_of_arguments_and_results(device):
    x, y = xp.reshape(xp.arange(6.0, device=device), (2, 3)), xp.asarray([1.0, 2.0], device=device)
    found = xp.vmap(lambda a, b: (a + b, xp.sum(a)), in_axes=(1, None), out_axes=(1, 0))(x, y)
    assert found[0].tolist() == [[1.0, 2.0, 3.0], [5.0, 6.0, 7.0]]
    assert found[1].tolist() == [3.0, 5.0, 7.0]


@dataclass
class Pair:
    first: object
    second: object


def test_containers_of_arguments_and_results(device):
    x = xp.asarray([1.0, 2.0], device=device)
    shared = xp.asarray(10.0, device=device)
    found = xp.vmap(lambda d, pair: {"sum": d["x"] + pair.second, "pair": pair}, in_axes=({"x": 0, "s": None}, 0))(
        {"x": x, "s": shared}, Pair(x, x * 2)
    )
    assert found["sum"].tolist() == [3.0, 6.0]
    assert found["pair"].second.tolist() == [2.0, 4.0]


def test_keyword_arguments_have_axis_0(device):
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=device)
    assert xp.vmap(lambda *, x: xp.sum(x))(x=x).tolist() == [3.0, 7.0]


def test_axis_size_makes_a_batch_without_arguments(device):
    one = xp.asarray(1.0, device=device)
    assert xp.vmap(lambda x: x, in_axes=None, axis_size=3)(one).tolist() == [1.0, 1.0, 1.0]


def test_result_without_axis_is_the_same_in_each_example(device):
    x = xp.asarray([1.0, 2.0], device=device)
    found = xp.vmap(lambda a: (a, xp.asarray(3.0, device=device)), out_axes=(0, None))(x)
    assert found[1].shape == ()
    with pytest.raises(ValueError, match=r"differs from example to example, and out_axes names None"):
        xp.vmap(lambda a: a, out_axes=None)(x)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (((2, 3), (3, 3)), {}, ValueError, r"the numbers of examples differ: 2 on axis 0 .* and 3 on axis 0"),
        (((2, 3),), {"in_axes": 2}, ValueError, r"axis 2 is out of bounds for an argument of shape \(2, 3\)"),
        (((2, 3),), {"in_axes": (0, 0)}, ValueError, r"in_axes has 2 items, and the function was called with 1"),
        (((2, 3),), {"in_axes": None}, ValueError, "pass axis_size"),
        (((2, 3),), {"in_axes": "0"}, TypeError, "in_axes is an integer, None, or a sequence"),
        (((2, 3),), {"in_axes": ({"a": 0},)}, ValueError, "does not fit the containers"),
        (((2, 3),), {"out_axes": 5}, ValueError, r"axis 5 of out_axes is out of bounds"),
        (((2, 3),), {"axis_size": 4}, ValueError, r"the numbers of examples differ: 2 .* and axis_size=4"),
    ],
)
def test_axes_that_do_not_fit_raise(device, arguments, options, error, message):
    arrays = [xp.ones(shape, device=device) for shape in arguments]
    with pytest.raises(error, match=message):
        xp.vmap(lambda *x: x[0], **options)(*arrays)


def test_number_as_a_batch_raises(device):
    with pytest.raises(TypeError, match="name None as its axis in in_axes"):
        xp.vmap(lambda x, y: x * y)(xp.ones(2, device=device), 3.0)
    assert xp.vmap(lambda x, y: x * y, in_axes=(0, None))(xp.ones(2, device=device), 3.0).tolist() == [3.0, 3.0]


def test_result_that_is_no_array_raises(device):
    with pytest.raises(TypeError, match="whose results are Arrays and numbers, not 'a'"):
        xp.vmap(lambda x: "a")(xp.ones(2, device=device))


def test_what_is_no_function_raises():
    with pytest.raises(TypeError, match="takes a function, not 3"):
        xp.vmap(3)


# -- values ------------------------------------------------------------------------------------------------------------


def test_condition_on_a_batch_raises_with_the_line(device):
    with pytest.raises(xp.UnknownValueError, match=r"bool\(x\) at .*test_vmap.py.*use xtensor.where"):
        xp.vmap(lambda x: x if x > 0 else -x)(xp.asarray([1.0, -1.0], device=device))


def test_condition_on_what_all_examples_share_is_decided(device):
    x, shared = xp.asarray([1.0, 2.0], device=device), xp.asarray(3.0, device=device)
    assert xp.vmap(lambda x, s: x * 2 if s > 0 else x, in_axes=(0, None))(x, shared).tolist() == [2.0, 4.0]


def test_function_writes_to_copies_of_its_arguments(device):
    x, shared = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=device), xp.asarray([0.0, 0.0], device=device)

    def f(x, shared):
        x[0] = 5.0
        shared[1] = x[1]
        shared += 1.0
        return x, shared

    found = xp.vmap(f, in_axes=(0, None))(x, shared)
    assert found[0].tolist() == [[5.0, 2.0], [5.0, 4.0]]
    assert found[1].tolist() == [[1.0, 3.0], [1.0, 5.0]]
    assert (x.tolist(), shared.tolist()) == ([[1.0, 2.0], [3.0, 4.0]], [0.0, 0.0])


def test_results_share_no_memory_with_arguments(device):
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=device)
    for f in (lambda v: v, lambda v: v[:1], lambda v: xp.asarray(7.0, device=device)):
        found = xp.vmap(f)(x)
        found[...] = -1.0
        assert x.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_index_of_each_example_selects_from_a_shared_array(device):
    table = xp.reshape(xp.arange(6.0, device=device), (3, 2))
    index = xp.asarray([2, 0], device=device)
    assert xp.vmap(lambda i: xp.take(table, i, axis=0))(index[:, None]).tolist() == [[[4.0, 5.0]], [[0.0, 1.0]]]
    assert xp.vmap(lambda i: table[i, i - 1])(index).tolist() == [5.0, 1.0]


def test_text_of_an_array_names_the_batch(device):
    texts = []
    xp.vmap(lambda x: texts.append(repr(x)) or x)(xp.ones((4, 2), device=device))
    assert texts == [
        f"Array(shape=(2,), dtype={xp.ones(1, device=device).dtype}, of a batch of 4, device='vmap({device})')"
    ]


def test_gradients_of_each_example_are_exact(device):
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], device=device)
    w = xp.asarray([2.0, -1.0], device=device)
    found = xp.vmap(autograd.grad(lambda w, x: (w @ x) ** 2), in_axes=(None, 0))(w, x)
    assert found.tolist() == [[2 * (2 * a - b) * v for v in (a, b)] for a, b in x.tolist()]


def test_gradient_of_a_batch_sums_over_its_examples(device):
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=device)
    w = xp.asarray([2.0, -1.0], device=device)
    found = autograd.grad(lambda w: xp.sum(xp.vmap(lambda x: w @ x)(x)))(w)
    assert found.tolist() == [4.0, 6.0]


# -- random numbers ----------------------------------------------------------------------------------------------------


@pytest.fixture
def rng(device):
    return xp.random.default_rng(7, device=device)


def test_draws_are_independent_and_those_of_the_whole_batch(device, rng):
    found = xp.vmap(lambda x: rng.random(3) + x)(xp.zeros(4, device=device))
    assert found.tolist() == xp.random.default_rng(7, device=device).random((4, 3)).tolist()


def test_draws_take_parameters_of_each_example(device, rng):
    means = xp.asarray([0.0, 100.0, -100.0], device=device)
    found = xp.vmap(lambda m: rng.normal(m, 1.0, size=(2,)))(means)
    expected = xp.random.default_rng(7, device=device).normal(means[:, None], 1.0, size=(3, 2))
    assert found.tolist() == expected.tolist()


def test_draws_in_nested_batches(device, rng):
    x = xp.zeros((2, 3), device=device)
    found = xp.vmap(xp.vmap(lambda x: x + rng.random()))(x)
    assert len(set(xp.to_numpy(found).ravel().tolist())) == 6


def test_choice_among_elements_of_each_example_raises(device, rng):
    with pytest.raises(NotImplementedError, match=r"choice\(\) has no batches of parameters in xtensor.vmap"):
        xp.vmap(lambda x: rng.choice(x))(xp.ones((2, 3), device=device))


def _made(device, seed=5):
    return xp.random.default_rng(seed, device=device)


def _copied(rng):
    return copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))


OWN_GENERATORS = {
    "random": lambda x, rng: x + _made(x.device).random(3),
    "in order": lambda x, rng: (lambda made: made.random() + made.random(3) + x)(_made(x.device)),
    "normal": lambda x, rng: x * _made(x.device, [1, 2]).standard_normal(3),
    "permutation": lambda x, rng: x[_made(x.device).permutation(3)],
    "children": lambda x, rng: x + _made(x.device).spawn(2)[1].random(3),
    "copies": lambda x, rng: sum([made.random(3) for made in _copied(rng)], x),
    "nested": lambda x, rng: xp.vmap(lambda t: t + _made(t.device).random(2))(x),
    "within": lambda x, rng: (lambda made: xp.vmap(lambda t: t + made.random(2))(x))(_made(x.device)),
    "dropout": lambda x, rng: xp.nn.functional.dropout(x, 0.5, rng=_made(x.device)),
    "layer": lambda x, rng: xp.nn.Linear(3, 2, rng=4, device=x.device)(xp.astype(x, xp.float32)),
}


@pytest.mark.parametrize("name", OWN_GENERATORS)
def test_generator_that_the_function_makes_gives_each_example_the_same(device, rng, name):
    function = OWN_GENERATORS[name]
    x = xp.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], device=device)
    found = xp.vmap(lambda row: function(row, rng))(x)
    expected = [xp.to_numpy(function(row, rng)) for row in (x[0, :], x[1, :])]
    tolerance = 1e-6 if name == "layer" else 0  # a product of matrices adds up in another order
    np.testing.assert_allclose(xp.to_numpy(found), expected, rtol=tolerance)


def test_state_that_the_function_sets_gives_each_example_the_same(device, rng):
    state = rng.bit_generator.state

    def draw(x):
        rng.bit_generator.state = state
        return x + rng.random(3)

    found = xp.vmap(draw)(xp.zeros((2, 3), device=device))
    assert found.tolist() == [_made(device, 7).random(3).tolist()] * 2
    # In the next batch the generator is one from outside.
    later = xp.vmap(lambda x: x + rng.random(3))(xp.zeros((2, 3), device=device))
    assert later[0, :].tolist() != later[1, :].tolist()


def test_generator_without_a_seed_is_independent(device):
    found = xp.vmap(lambda x: x + xp.random.default_rng(device=device).random(3))(xp.zeros((2, 3), device=device))
    assert found[0, :].tolist() != found[1, :].tolist()


def test_parameters_of_examples_of_an_own_generator_raise(device):
    with pytest.raises(
        NotImplementedError, match=r"normal\(\) with arguments that differ .* make the generator outside"
    ):
        xp.vmap(lambda x: _made(device).normal(x, 1.0))(xp.zeros((2, 3), device=device))


@pytest.mark.parametrize("draw", ["permutation(3)", "permuted([1, 2])", "choice(4, 2, replace=False)", "bytes(2)"])
def test_draw_without_batches_raises(device, rng, draw):
    with pytest.raises(NotImplementedError, match=r"has no batches in xtensor.vmap"):
        xp.vmap(lambda x: eval(f"rng.{draw}", {"rng": rng}))(xp.zeros(2, device=device))


# -- the ends of the range ---------------------------------------------------------------------------------------------

STATISTICS = {
    "average": lambda x: xp.average(x, axis=1, weights=xp.abs(x)),
    "cov": xp.cov,
    "layer_norm": lambda x: xp.nn.functional.layer_norm(x, x[0, ...], x[1, ...]),
    "matrix_norm": xp.linalg.matrix_norm,
    "nanstd": xp.nanstd,
    "rms_norm": lambda x: xp.nn.functional.rms_norm(x, x[0, ...]),
    "softmax": lambda x: xp.special.softmax(x, axis=1),
    "std": lambda x: xp.std(x, axis=0),
    "vector_norm": lambda x: xp.linalg.vector_norm(x, axis=1, ord=3),
}


@pytest.mark.parametrize("name", STATISTICS)
def test_examples_of_any_size_have_their_results_in_one_batch(device, name):
    power = 1 if device.backend == "triton" else 2  # its kernels do not scale
    scales = np.asarray([1e100, 1.0, 1e-100, 1e80]) ** power
    values = np.random.default_rng(0).normal(size=(4, 3, 5)) * scales[:, None, None]
    batch = xp.asarray(values, device=device)
    with quiet():
        found = xp.vmap(STATISTICS[name])(batch)
        for number in range(4):
            expected = STATISTICS[name](xp.asarray(values[number], device="numpy"))
            np.testing.assert_allclose(xp.to_numpy(found[number, ...]), xp.to_numpy(expected), rtol=1e-12)


def test_complex_values_with_nan_are_found_in_numpys_order(device):
    nan = np.nan
    edges = np.asarray(
        [[-1 - 1j, 1 + 2j, complex(1, nan), complex(nan, 0)], [0, 1j, complex(nan, 1), complex(nan, nan)]]
    )
    values = np.asarray([complex(1, nan), complex(nan, -1), complex(nan, nan), 1 + 1j, 2 + 0j])
    for side in ("left", "right"):
        found = xp.vmap(lambda x: xp.searchsorted(x, xp.asarray(values, device=device), side=side))(  # noqa: B023 - called at once
            xp.asarray(edges, device=device)
        )
        assert found.tolist() == [np.searchsorted(row, values, side=side).tolist() for row in edges]


def test_axis_of_vecdot_counts_from_the_front_of_each_operand(device):
    x1, x2 = np.arange(2.0), np.arange(12.0).reshape(3, 2, 2)
    found = xp.vmap(lambda x: xp.vecdot(xp.asarray(x1, device=device), x, axis=0))(xp.asarray(x2, device=device))
    assert found.tolist() == x2[:, 1, :].tolist()


def test_mask_selects_rows_of_each_example(device):
    x = np.arange(24.0).reshape(2, 3, 4)
    mask = np.asarray([True, False, True])
    found = xp.vmap(lambda x: x[xp.asarray(mask, device=device)])(xp.asarray(x, device=device))
    assert found.tolist() == x[:, mask].tolist()
    with pytest.raises(IndexError, match="boolean index did not match"):
        xp.vmap(lambda x: x[xp.asarray([True, False], device=device)])(xp.asarray(x, device=device))


def test_equal_elements_have_the_derivative_of_the_function_without_batches():
    x = xp.asarray([[[2.0, 2.0, 1.0, 2.0]], [[0.0, 0.0, 0.0, 5.0]]])

    def pooled(x):
        return xp.sum(nn.functional.max_pool1d(x, 2))

    first = autograd.grad(lambda x: xp.sum(xp.vmap(pooled)(x)))(x)
    assert first.tolist() == [[[1.0, 0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0, 1.0]]]

    y = xp.asarray([[0.0, 1.0, 0.5, -1.0, 2.0]])
    clipped = autograd.grad(lambda y: xp.sum(xp.vmap(lambda row: xp.clip(row, 0.0, 1.0))(y)))(y)
    assert clipped.tolist() == [[1.0, 1.0, 1.0, 0.0, 0.0]]


def test_second_derivative_of_logsumexp_of_equal_elements():
    """With shares of 1/2 the Hessian matrix is [[1/4, -1/4], [-1/4, 1/4]]."""

    def f(x):
        return xp.sum(xp.vmap(special.logsumexp)(x))

    found = autograd.hvp(f, (xp.asarray([[3.0, 3.0]]),), (xp.asarray([[1.0, 0.0]]),))
    np.testing.assert_allclose(xp.to_numpy(found), [[0.25, -0.25]], rtol=1e-15)
