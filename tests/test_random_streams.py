"""Streams of random numbers: known answers, NumPy's words, positions, spawned streams, state, threads, devices."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from random_cases import CONTINUOUS, DISCRETE, EXACT, VECTORS

import xtensor as xp
from xtensor.random._operations import bits, blocks, philox

CASES = [*CONTINUOUS, *DISCRETE, *VECTORS]

SOME = [
    case
    for case in CASES
    if case.id.startswith(("laplace", "standard_gamma(0.7", "beta(2", "poisson(6", "zipf(4", "integers"))
    or case.method in ("random", "standard_normal", "multivariate_normal", "multinomial")
]
"""A case of each way of drawing, for tests that draw often on every device."""

FLOAT_DTYPES = ("float32", "float64")

COUNTS = {case.method for case in DISCRETE} | {"multinomial", "multivariate_hypergeometric"}

KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B)),
    (
        (2**64 - 1,) * 4,
        (2**64 - 1,) * 2,
        (0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0),
    ),
    (
        (0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89),
        (0x452821E638D01377, 0xBE5466CF34E90C6C),
        (0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6),
    ),
]
"""Counters, keys and words of Philox4x64-10 from Random123's file of known answers."""

SEEDS = [0, 1, 2**130 + 7, [1, 2, 3], np.array([5, 6], np.uint32), np.random.SeedSequence(9)]


def host(x):
    with xp.transfers("allow"):
        return xp.to_numpy(x)


def numpy_generator(seed=42):
    return np.random.Generator(np.random.Philox(seed))


# -- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN_ANSWERS)
def test_words_are_the_known_answers_of_random123(device, counter, key, words):
    namespace = device._functions.namespace
    natives = tuple(xp.asarray([word], dtype=xp.uint64)._native for word in counter)
    found = [int(device._library.to_host(word)[0]) for word in philox(namespace, natives, key)]
    assert found == list(words)


@pytest.mark.parametrize(("start", "count"), [(0, 300), (1, 1), (2, 5), (3, 0), (4, 6), (1021, 70), (2**40 + 3, 300)])
@pytest.mark.parametrize("stream", [(0, 0), (3, 2**63 + 1)])
def test_words_of_a_stream_are_those_of_numpys_philox(device, start, count, stream):
    key = (2**64 - 3, 17)
    peer = np.random.Philox(key=np.array(key, np.uint64), counter=np.array([start // 4, 0, *stream], np.uint64))
    peer.random_raw(start % 4)
    x = bits(device, key=key, stream=stream, start=start, shape=(count,))
    assert x.dtype == xp.uint64
    np.testing.assert_array_equal(host(x), peer.random_raw(count), strict=True)


def test_blocks_of_any_numbers_are_those_of_the_stream(device):
    numbers = [3, 0, 2**62, 2**64 - 1]
    x = blocks(xp.asarray(numbers, dtype=xp.uint64), key=(1, 2), stream=(3, 4))
    for number, words in zip(numbers, host(x), strict=True):
        expected = bits(device, key=(1, 2), stream=(3, 4), start=4 * number, shape=(4,))
        np.testing.assert_array_equal(words, host(expected))


@pytest.mark.parametrize("seed", SEEDS, ids=str)
def test_uniform_numbers_bytes_and_raw_words_are_numpys(device, seed):
    rng, peer = xp.random.default_rng(seed), numpy_generator(seed)
    np.testing.assert_array_equal(host(rng.random((3, 7))), peer.random((3, 7)), strict=True)
    np.testing.assert_array_equal(host(rng.random(5, dtype="float32")), peer.random(5, dtype="float32"), strict=True)
    np.testing.assert_array_equal(host(rng.random(6, dtype="float32")), peer.random(6, dtype="float32"), strict=True)
    assert rng.bytes(9) == peer.bytes(9)
    assert rng.bytes(2) == peer.bytes(2)
    words = host(rng.integers(0, 2**64, 5, dtype="uint64"))
    np.testing.assert_array_equal(words, peer.bit_generator.random_raw(5), strict=True)


# -- positions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", SOME, ids=lambda case: case.id)
def test_drawing_k_then_n_is_drawing_k_plus_n(device, case):
    whole = host(case.draw(xp.random.default_rng(1), 11))
    rng = xp.random.default_rng(1)
    parts = [host(case.draw(rng, size)) for size in (5, 0, (2, 3))]
    joined = np.concatenate([part.reshape(-1, *whole.shape[1:]) for part in parts])
    np.testing.assert_array_equal(joined, whole, strict=True)


@pytest.mark.parametrize("dtype", FLOAT_DTYPES)
@pytest.mark.parametrize("method", ["random", "standard_normal", "standard_exponential", "standard_gamma"])
def test_drawing_k_then_n_of_each_dtype(device, method, dtype):
    arguments = (0.7,) if method == "standard_gamma" else ()
    whole = host(getattr(xp.random.default_rng(1), method)(*arguments, size=20, dtype=dtype))
    rng = xp.random.default_rng(1)
    parts = [host(getattr(rng, method)(*arguments, size=size, dtype=dtype)) for size in (7, 1, 12)]
    np.testing.assert_array_equal(np.concatenate(parts), whole, strict=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_an_element_takes_one_word_whatever_its_distribution(case):
    rng = xp.random.default_rng(1, device="cpu")
    x = case.draw(rng, (4, 3))
    # Of multinomial vectors, whose elements depend on each other, one for each vector.
    words = 12 if case.method.startswith("mult") and case.method != "multivariate_normal" else x.size
    following = host(rng.random())
    expected = numpy_generator(1).random(words + 1)[-1]
    assert following == expected


def test_broadcast_parameters_give_what_each_of_them_gives():
    """Element i owns its words, so that its number depends on its own parameters only."""
    means = [0.5, 3.0, 0.0, 80.0, 1e6]
    together = host(xp.random.default_rng(2, device="cpu").poisson(xp.asarray(means, device="cpu"), size=(200, 5)))
    for column, mean in enumerate(means):
        alone = host(xp.random.default_rng(2, device="cpu").poisson(mean, size=(200, 5)))
        np.testing.assert_array_equal(together[:, column], alone[:, column])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_numbers_do_not_depend_on_the_size_of_the_draw(case):
    """Few numbers are computed by NumPy, many by threads of kernels."""
    few = host(case.draw(xp.random.default_rng(6, device="cpu"), 50))
    many = host(case.draw(xp.random.default_rng(6, device="cpu"), 70_000))[:50]
    if case.method in (*EXACT, *COUNTS, "normal"):
        np.testing.assert_array_equal(few, many)
    else:
        np.testing.assert_allclose(few, many, rtol=1e-13)


def test_the_end_of_the_stream_is_refused():
    stream = xp.random.Philox(1)
    stream.state = {**stream.state, "position": 2**65 - 4}
    rng = xp.random.Generator(stream, "cpu")
    assert rng.random(2).shape == (2,)
    with pytest.raises(OverflowError, match=r"2\*\*64 words; .*spawn"):
        rng.random(1)


# -- devices ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_numbers_are_the_same_on_all_devices(device, case):
    expected = host(case.draw(xp.random.default_rng(3, device="numpy"), 60))
    x = case.draw(xp.random.default_rng(3), 60)
    assert x.device is device
    if case.method in (*EXACT, *COUNTS, "normal"):
        np.testing.assert_array_equal(host(x), expected, strict=True)
    else:
        np.testing.assert_allclose(host(x), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("dtype", FLOAT_DTYPES)
def test_uniform_and_normal_numbers_are_the_same_bit_for_bit(device, dtype):
    for method in ("random", "standard_normal"):
        expected = getattr(xp.random.default_rng(3, device="numpy"), method)(20_003, dtype=dtype)
        x = getattr(xp.random.default_rng(3), method)(20_003, dtype=dtype)
        np.testing.assert_array_equal(host(x), host(expected), strict=True)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_are_the_same_bit_for_bit(device, dtype):
    limits = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for low, high in ((limits[0], limits[1]), (limits[0] // 2, limits[1] // 3 + 1)):
        peer = xp.random.default_rng(3, device="numpy").integers(low, high, 1000, dtype=dtype, endpoint=True)
        x = xp.random.default_rng(3).integers(low, high, 1000, dtype=dtype, endpoint=True)
        np.testing.assert_array_equal(host(x), host(peer), strict=True)


def test_permutations_are_the_same_on_all_devices(device):
    rng, peer = xp.random.default_rng(3), xp.random.default_rng(3, device="numpy")
    np.testing.assert_array_equal(host(rng.permutation(50)), host(peer.permutation(50)))
    np.testing.assert_array_equal(host(rng.choice(40, 12, replace=False)), host(peer.choice(40, 12, replace=False)))
    p = [0.25, 0.5, 0.25]
    np.testing.assert_array_equal(host(rng.choice(3, 30, p=p)), host(peer.choice(3, 30, p=p)))
    x, y = xp.reshape(xp.arange(12), (3, 4)), np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(host(rng.permuted(x, axis=1)), host(peer.permuted(y, axis=1)))
    np.testing.assert_array_equal(host(rng.permutation(x, axis=1)), host(peer.permutation(y, axis=1)))
    rng.shuffle(x)
    np.testing.assert_array_equal(host(x), host(peer.permutation(y)))
    assert x.device is device


# -- seeds, state, spawning -------------------------------------------------------------------------------------------


def test_seed_none_differs_each_time():
    assert len({float(xp.random.default_rng(device="cpu").random()) for _ in range(5)}) == 5


def test_a_generator_is_given_back_and_a_stream_continued(device):
    rng = xp.random.default_rng(1)
    assert xp.random.default_rng(rng) is rng
    first = rng.random(3)
    again = xp.random.default_rng(rng.bit_generator)
    assert again.bit_generator is rng.bit_generator
    assert not bool(xp.any(again.random(3) == first))


@pytest.mark.parametrize("duplicate", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_a_copy_continues_where_the_generator_was(device, duplicate):
    rng = xp.random.default_rng(1)
    rng.random(3, dtype="float32")
    other = duplicate(rng)
    assert other.device is device
    assert other.bit_generator is not rng.bit_generator
    for draw in (lambda x: x.random(3, dtype="float32"), lambda x: x.normal(size=4), lambda x: x.spawn(1)[0].random(2)):
        np.testing.assert_array_equal(host(draw(other)), host(draw(rng)))


def test_a_shallow_copy_shares_the_stream():
    rng = xp.random.default_rng(1, device="cpu")
    assert copy.copy(rng).bit_generator is rng.bit_generator
    stream = copy.copy(rng.bit_generator)
    rng.random(3)
    assert host(xp.random.Generator(stream, "cpu").random()) == numpy_generator(1).random()


def test_an_assigned_state_is_continued():
    rng = xp.random.default_rng(1, device="cpu")
    rng.random(5)
    state = rng.bit_generator.state
    first = host(rng.normal(size=9))
    other = xp.random.default_rng(2, device="cpu")
    other.bit_generator.state = state
    np.testing.assert_array_equal(host(other.normal(size=9)), first)


def test_spawned_streams_are_numpys_and_uncorrelated():
    rng = xp.random.default_rng(7, device="cpu")
    children = [*rng.spawn(6), *rng.spawn(6)[0].spawn(2)]
    peer = np.random.Philox(7).spawn(6)
    for child, other in zip(children[:6], peer, strict=True):
        expected = np.random.Generator(other).random(3)
        np.testing.assert_array_equal(host(copy.deepcopy(child).random(3)), expected)
    count = 100_000
    x = np.stack([host(stream.random(count)) for stream in (rng, *children)])
    # For independent streams, one of the 36 coefficients is beyond 5.5 / sqrt(n) with a probability of 1.4e-6.
    assert np.abs(np.corrcoef(x) - np.eye(len(x))).max() < 5.5 / np.sqrt(count)
    shifted = np.corrcoef(np.stack([row[i : count - 10 + i] for i, row in enumerate(x)]))
    assert np.abs(shifted - np.eye(len(x))).max() < 5.5 / np.sqrt(count - 10)


def test_streams_of_one_generator_for_several_lanes_are_uncorrelated():
    streams = [(0, 0), (1, 0), (1, 1), (1, 4), (2, 0), (2, 1), (3, 0)]
    device = xp.device("cpu")
    x = np.stack([host(bits(device, key=(5, 6), stream=s, start=0, shape=(100_000,))) for s in streams])
    correlation = np.corrcoef(x.astype(np.float64))
    assert np.abs(correlation - np.eye(len(streams))).max() < 5.5 / np.sqrt(100_000)


def test_threads_that_share_a_generator_get_parts_of_one_stream():
    rng = xp.random.default_rng(5, device="cpu")
    sizes = [1 + 37 * (i % 11) for i in range(200)]
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda size: host(rng.random(size)), sizes))
    whole = numpy_generator(5).random(sum(sizes))
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.sort(whole))
    place = {value: index for index, value in enumerate(whole)}
    for part in parts:
        first = place[part[0]]
        np.testing.assert_array_equal(part, whole[first : first + len(part)])


# -- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", SOME, ids=lambda case: case.id)
def test_the_result_has_the_size_and_the_dtype(device, case):
    vector = case in VECTORS
    for size, shape in ((None, ()), (3, (3,)), ((2, 0), (2, 0)), ((2, 3), (2, 3))):
        x = case.draw(xp.random.default_rng(1), size)
        assert isinstance(x, xp.Array)
        assert x.shape[:-1] == shape if vector else x.shape == shape
        assert x.dtype == (xp.int64 if case.method in COUNTS else xp.float64)


@pytest.mark.parametrize("dtype", FLOAT_DTYPES)
def test_results_are_written_into_out(device, dtype):
    for method, arguments in (
        ("random", ()),
        ("standard_normal", ()),
        ("standard_exponential", ()),
        ("standard_gamma", (0.5,)),
    ):
        out = xp.zeros((4, 5), dtype=dtype)
        result = getattr(xp.random.default_rng(1), method)(*arguments, out=out, dtype=dtype)
        assert result is out
        expected = getattr(xp.random.default_rng(1), method)(*arguments, size=(4, 5), dtype=dtype)
        np.testing.assert_array_equal(host(out), host(expected))


def test_choice_takes_parts_along_an_axis(device):
    x = xp.reshape(xp.arange(24), (2, 4, 3))
    drawn = xp.random.default_rng(1).choice(x, (5, 2), axis=1)
    order = xp.random.default_rng(1).choice(4, (5, 2))
    assert drawn.shape == (2, 5, 2, 3)
    np.testing.assert_array_equal(host(drawn), host(x)[:, host(order)])


def test_numpys_arrays_and_lists_are_parameters():
    rng = xp.random.default_rng(1, device="cpu")
    expected = host(rng.normal(xp.asarray([0.0, 100.0], device="cpu"), 1.0))
    for mean in ([0, 100], np.array([0, 100]), (0.0, np.float32(100))):
        assert np.array_equal(host(xp.random.default_rng(1, device="cpu").normal(mean, 1)), expected)
