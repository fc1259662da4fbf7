"""Options of NumPy's functions on Arrays: words, casting rules, axes and ``out``, with NumPy's errors."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

import xtensor as xp

WORDS = {
    "sort": (lambda x: np.sort(x, kind="bubble"), "sort kind must be one of 'quick', 'heap', or 'stable'"),
    "sort method": (lambda x: x.sort(kind="bubble"), "sort kind must be one of 'quick', 'heap', or 'stable'"),
    "argsort": (lambda x: np.argsort(x, kind=""), "sort kind must be one of 'quick', 'heap', or 'stable'"),
    "argsort method": (lambda x: x.argsort(kind="bubble"), "sort kind must be one of 'quick', 'heap', or 'stable'"),
    "sort both": (lambda x: np.sort(x, kind="stable", stable=True), "`kind` and keyword parameters can't be provided"),
    "isin": (
        lambda x: np.isin(x, x, kind="quicksort"),
        "Invalid kind: 'quicksort'. Please use None, 'sort' or 'table'.",
    ),
    "concatenate": (lambda x: np.concatenate([x, x], casting="any"), "casting must be one of 'no', 'equiv', 'safe'"),
    "stack": (lambda x: np.stack([x, x], casting="any"), "casting must be one of 'no', 'equiv', 'safe'"),
    "astype": (lambda x: x.astype(np.float32, casting="any"), "casting must be one of 'no', 'equiv', 'safe'"),
    "copyto": (lambda x: np.copyto(x, 1.0, casting="any"), "casting must be one of 'no', 'equiv', 'safe'"),
    "astype order": (lambda x: x.astype(np.float32, order="Z"), "order must be one of 'C', 'F', 'A', or 'K' (got 'Z')"),
    "copy": (lambda x: np.copy(x, order="Z"), "order must be one of 'C', 'F', 'A', or 'K' (got 'Z')"),
    "reshape": (lambda x: np.reshape(x, (3,), order="Z"), "order must be one of 'C', 'F', 'A', or 'K' (got 'Z')"),
    "empty_like": (lambda x: np.empty_like(x, order="Z"), "order must be one of 'C', 'F', 'A', or 'K' (got 'Z')"),
    "full_like": (lambda x: np.full_like(x, 1, order="Z"), "order must be one of 'C', 'F', 'A', or 'K' (got 'Z')"),
}


@pytest.mark.parametrize("name", WORDS)
def test_unknown_word_raises_with_the_words_of_numpy(device, name):
    call, words = WORDS[name]
    with pytest.raises(ValueError, match=f"^{re.escape(words)}"):
        call(xp.asarray([3.0, 1.0, 2.0]))


@pytest.mark.parametrize("kind", [None, "quicksort", "heapsort", "mergesort", "stable", "Q"])
def test_every_kind_of_sort_of_numpy_is_accepted(device, kind):
    assert np.sort(xp.asarray([3.0, 1.0, 2.0]), kind=kind).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("name", ["order", "casting", "kind"])
def test_option_that_is_no_text_is_a_type_error(device, name):
    x = xp.asarray([3.0, 1.0, 2.0])
    calls = {
        "order": lambda: x.copy(order=3),
        "casting": lambda: x.astype(np.float32, casting=3),
        "kind": lambda: np.sort(x, kind=3),
    }
    with pytest.raises(TypeError, match=f"{name} must be str, not int"):
        calls[name]()


@pytest.mark.parametrize("order", [None, "c", "f"])
def test_order_may_be_none_or_in_lower_case(device, order):
    assert np.copy(xp.asarray([[1, 2], [3, 4]]), order=order).tolist() == [[1, 2], [3, 4]]
    assert np.ravel(xp.asarray([[1, 2], [3, 4]]), order=order).tolist() == (
        [1, 3, 2, 4] if order == "f" else [1, 2, 3, 4]
    )


@pytest.mark.parametrize("labels", [[0, 52], [0, -2]])
def test_einsum_label_beyond_the_alphabet_raises(device, labels):
    with pytest.raises(ValueError, match=r"^subscript is not within the valid range \[0, 52\); "):
        xp.einsum(xp.ones((2, 3)), labels, labels)


@pytest.mark.parametrize("convert", [np.asarray, xp.asarray, tuple])
def test_einsum_labels_may_be_any_sequence_of_integers(device, convert):
    x = xp.asarray([[1, 2], [3, 4]])
    assert np.einsum(x, convert([0, 0])).tolist() == 5


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ((1, "mirror"), {}, ValueError, "mode 'mirror' is not supported; "),
        ((1,), {"stat_length": 3}, ValueError, "unsupported keyword arguments for mode 'constant': {'stat_length'}; "),
        ((-1,), {}, ValueError, "index can't contain negative values; "),
        ((1.5,), {}, TypeError, "`pad_width` must be of integral type.; "),
        ((True,), {}, TypeError, "`pad_width` must be of integral type.; "),
        (
            (((1, 2), (1, 2), (1, 2)),),
            {},
            ValueError,
            "operands could not be broadcast together with remapped shapes [original->remapped]: (3,2)  and requested "
            "shape (2,2); ",
        ),
        (
            ([[1], [2, 3]],),
            {},
            ValueError,
            "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 "
            "dimensions. The detected shape was (2,) + inhomogeneous part.; ",
        ),
        (
            (1,),
            {"constant_values": [1, [2, 3], 4]},
            ValueError,
            "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 "
            "dimensions. The detected shape was (3,) + inhomogeneous part.; ",
        ),
        (([[], []],), {}, TypeError, "`pad_width` must be of integral type.; "),
        ((1, "maximum"), {"stat_length": 0}, ValueError, "stat_length of 0 yields no value for padding; "),
        ((1, "mean"), {"stat_length": -2}, ValueError, "index can't contain negative values; "),
    ],
    ids=[
        "mode",
        "option",
        "negative",
        "float",
        "bool",
        "shape",
        "ragged",
        "ragged values",
        "empty",
        "length 0",
        "negative length",
    ],
)
def test_pad_raises_with_the_words_of_numpy(device, arguments, options, error, words):
    with pytest.raises(error, match=f"^{re.escape(words)}"):
        np.pad(xp.ones((2, 3)), *arguments, **options)


def test_pad_of_an_empty_axis_raises_with_the_words_of_numpy(device):
    with pytest.raises(ValueError, match="^can't extend empty axis 0 using modes other than 'constant' or 'empty'; "):
        np.pad(xp.ones((0, 3)), 1, mode="edge")


OUT_ALONE = {
    "fix": (lambda out: np.fix(3.4, out=out), (), 3.0),
    "mean": (lambda out: np.mean([1.0, 2.0], out=out), (), 1.5),
    "cumsum": (lambda out: np.cumsum([1.0, 2.0], out=out), (2,), [1.0, 3.0]),
    "concatenate": (lambda out: np.concatenate([[1.0], [2.0]], out=out), (2,), [1.0, 2.0]),
    "take": (lambda out: np.take([1.0, 2.0], [1], out=out), (1,), [2.0]),
    "choose": (lambda out: np.choose([0, 1], [[1.0, 2.0], [3.0, 4.0]], out=out), (2,), [1.0, 4.0]),
    "compress": (lambda out: np.compress([False, True], [1.0, 2.0], out=out), (1,), [2.0]),
    "einsum": (lambda out: np.einsum("i,i", [1.0, 2.0], [3.0, 4.0], out=out), (), 11.0),
    "outer": (lambda out: np.outer([1.0, 2.0], [3.0], out=out), (2, 1), [[3.0], [6.0]]),
}


@pytest.mark.parametrize("name", OUT_ALONE)
def test_lists_and_numbers_are_operands_where_out_alone_is_an_array(device, name):
    call, shape, expected = OUT_ALONE[name]
    out = xp.zeros(shape)
    assert call(out) is out
    assert out.tolist() == expected


@pytest.mark.parametrize("axes", [range(2, -1, -1), np.asarray([2, 1, 0])], ids=["range", "array"])
def test_axes_may_be_a_range_or_an_array(device, axes):
    x = xp.reshape(xp.arange(6), (1, 2, 3))
    assert np.moveaxis(x, range(3), axes).shape == (3, 2, 1)
    assert x.transpose(axes).shape == (3, 2, 1)


def test_clip_takes_both_bounds_or_none(device):
    x = xp.asarray([1, 5, 9])
    assert np.clip(x).tolist() == [1, 5, 9]
    assert np.clip(x, None, 6).tolist() == [1, 5, 6]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a_max'"):
        np.clip(x, 2)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a_min'"):
        np.clip(x, a_max=2)
    with pytest.raises(ValueError, match="Passing `min` or `max` keyword argument when `a_min` and `a_max`"):
        np.clip(x, 2, 3, max=3)


def test_gradient_with_too_few_distances_is_a_type_error(device):
    with pytest.raises(TypeError, match="^invalid number of arguments; "):
        np.gradient(xp.ones((2, 3, 4)), 1.0, 2.0)


def test_poly_of_half_precision_is_computed_in_the_default_dtype(device):
    if not device.supports(np.dtype(np.float16)):
        pytest.skip("the device does not support float16")
    result = np.poly(xp.asarray([100.0, 1000.0], dtype=np.float16))
    assert result.dtype == np.float64
    assert result.tolist() == [1.0, -1100.0, 100000.0]  # beyond the largest float16


def test_negative_rcond_of_lstsq_is_half_the_epsilon(device):
    eps = float(np.finfo(np.float64).eps)
    a = xp.asarray([[1.0, 0.0, 0.0], [0.0, 0.75 * eps, 0.0], [0.0, 0.0, 0.25 * eps]])
    assert int(np.linalg.lstsq(a, xp.ones(3), rcond=-1)[2]) == 2


class Foreign:
    """Operand of its own rules."""

    __array_ufunc__ = None

    def __divmod__(self, other):
        return "divmod"

    def __rdivmod__(self, other):
        return "reflected"


def test_divmod_is_left_to_an_operand_that_asks_for_it(device):
    x = xp.asarray([5, 7])
    assert divmod(x, Foreign()) == "reflected"
    assert divmod(Foreign(), x) == "divmod"
    quotient, rest = divmod(x, 2)
    assert (quotient.tolist(), rest.tolist()) == ([2, 3], [1, 1])
    quotient, rest = divmod(20, x)
    assert (quotient.tolist(), rest.tolist()) == ([4, 2], [0, 6])


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float64])
def test_conj_of_real_elements_is_the_array_itself(device, dtype):
    x = xp.ones(2, dtype=dtype)
    assert x.conj() is x
    assert x.conjugate() is x


def test_fill_takes_one_value(device):
    x = xp.asarray([1.0, 2.0])
    with pytest.raises(ValueError, match="^setting an array element with a sequence.; "):
        x.fill(xp.asarray([3.0, 4.0]))
    x.fill(xp.asarray(3.0))
    assert x.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("name", ["add", "floor_divide", "power", "logical_and"])
def test_ufunc_with_a_dtype_or_casting_takes_a_bool_of_python(device, name):
    x, ufunc = xp.asarray([2, 4]), getattr(np, name)
    expected = {"add": [3, 5], "floor_divide": [2, 4], "power": [2, 4], "logical_and": [True, True]}[name]
    assert ufunc(x, True, casting="unsafe").tolist() == expected
    if name != "logical_and":
        assert ufunc(x, True, dtype=np.float64).tolist() == expected


@pytest.mark.parametrize(("shift", "axis", "total"), [((2, 1, 3), 0, 6), (1, (0, 0), 2), ((1, 2), (1, -1), 3)])
def test_roll_broadcasts_shifts_and_axes_and_adds_the_shifts_of_one_axis(device, shift, axis, total):
    x = np.arange(12).reshape(4, 3)
    last = 1 if axis == (1, -1) else 0
    expected = np.take(x, (np.arange(x.shape[last]) - total) % x.shape[last], axis=last)
    assert np.roll(xp.asarray(x), shift, axis=axis).tolist() == expected.tolist()


OUT_OF_BOUNDS = {
    "element": lambda x: x.__setitem__(0, np.int64(300)),
    "slice": lambda x: x.__setitem__(slice(None), np.uint16(300)),
    "all": lambda x: x.__setitem__(..., np.int16(-300)),
    "list": lambda x: x.__setitem__(slice(None), [300, 1]),
    "fill": lambda x: x.fill(np.int64(300)),
    "pad": lambda x: np.pad(x, 1, constant_values=300),
    "pad by a float": lambda x: np.pad(x, 1, constant_values=300.0),
}


@pytest.mark.parametrize("name", OUT_OF_BOUNDS)
def test_number_out_of_bounds_of_an_integer_dtype_raises(device, name):
    x = xp.zeros(2, dtype=np.int8)
    with pytest.raises(OverflowError, match="Python integer -?300 out of bounds for int8"):
        OUT_OF_BOUNDS[name](x)
    assert x.tolist() == [0, 0]


def test_number_of_numpy_within_the_bounds_is_assigned(device):
    x = xp.zeros(3, dtype=np.uint8)
    x[0], x[1:] = np.int64(255), np.int8(7)
    assert x.tolist() == [255, 7, 7]


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_index_into_an_empty_shape_raises(device, mode):
    first, second = xp.asarray([0]), xp.asarray([1])
    with pytest.raises(ValueError, match="^cannot unravel if shape has zero entries"):
        np.ravel_multi_index((first, second), (5, 0), mode=mode)
    assert np.ravel_multi_index((first[:0], second[:0]), (5, 0), mode=mode).shape == (0,)


def test_may_share_memory_checks_its_limit_of_work(device):
    if not device.host:
        pytest.skip("only memory of the host is compared")
    x = xp.ones(4)
    with pytest.raises(OverflowError):
        np.may_share_memory(x, x, max_work=10**100)


@pytest.mark.parametrize("axes", [np.array([0, 1]), range(2)])
def test_axes_may_be_an_array_or_a_range(axes):
    x = xp.reshape(xp.arange(6.0), (2, 3))
    assert np.roll(x, (1, 1), axis=axes).tolist() == [[5.0, 3.0, 4.0], [2.0, 0.0, 1.0]]
    assert np.fft.fftshift(x, axes=axes).tolist() == [[5.0, 3.0, 4.0], [2.0, 0.0, 1.0]]
    assert complex(np.fft.fftn(x, axes=axes)[0, 0]) == 15.0
    assert float(np.tensordot(x, x, axes=(axes, axes))) == 55.0


def test_sum_of_negative_zeros_keeps_their_sign():
    x = xp.asarray([-0.0, -0.0])
    assert bool(xp.signbit(np.sum(x, initial=-0.0)))
    assert bool(xp.signbit(xp.nansum(x, initial=-0.0)))
    assert not bool(xp.signbit(np.sum(x, initial=0.0)))


def test_lexsort_of_numbers_checks_the_axis():
    with pytest.raises(np.exceptions.AxisError):
        xp.lexsort((xp.asarray(1.0),), axis=10)


def test_memory_order_leaves_broadcast_axes_in_position():
    x = xp.broadcast_to(xp.reshape(xp.asarray([1.0, 2.0]), (2, 1)), (2, 2, 2))
    assert np.ravel(x, "K").tolist() == [1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0]


def test_memory_order_of_created_arrays_is_numpys():
    like = xp.ones((2, 3), device="numpy")
    assert np.asfortranarray(np.ones((2, 3)), like=like).flags.f_contiguous
    assert np.zeros((2, 3), order="F", like=like).flags.f_contiguous
    assert np.ascontiguousarray(like.T, like=like).flags.c_contiguous
    assert np.ones_like(like, order="F").flags.f_contiguous
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(like, order="F", copy=False, like=like)


@pytest.mark.parametrize("order", ["K", "A", "C", "F", None])
@pytest.mark.parametrize("inner", ["C", "F"])
def test_array_of_a_list_of_arrays_has_the_layout_of_numpys(order, inner):
    parts = [np.array(np.arange(12.0).reshape(3, 4) + i, order=inner) for i in range(2)]
    like = xp.zeros(1, device="cpu")
    for function in (np.array, np.asarray):
        result = function([xp.asarray(part, device="cpu") for part in parts], order=order, like=like)
        expected = function(parts, order=order)
        assert (result.strides, result.tolist()) == (expected.strides, expected.tolist())


def test_transform_along_no_axis_is_the_argument_for_numpy_and_complex_for_the_standard(device):
    x = xp.ones((2, 3), device=device)
    assert np.fft.fftn(x, axes=()) is x
    assert xp.fft.fftn(x, axes=()).dtype.kind == "c"
    with pytest.raises(IndexError):
        xp.fft.rfftn(x, axes=())


def test_real_components_of_real_numbers_are_the_array_itself(device):
    x = xp.ones(2, device=device)
    assert np.real(x) is x


def test_a_list_that_is_no_index_raises_index_error(device):
    x = xp.ones(3, device=device)
    for key in (["a"], [slice(None)], [None]):
        with pytest.raises(IndexError, match="only integers, slices"):
            _ = x[key]


def test_pickle_and_bytes_of_an_array(device, tmp_path):
    x = xp.asarray([1, 2], dtype=np.int8, device=device)
    assert bytes(x) == b"\x01\x02"
    assert pickle.loads(x.dumps()).tolist() == [1, 2]
    x.dump(tmp_path / "x")
    assert pickle.loads((tmp_path / "x").read_bytes()).tolist() == [1, 2]


def test_flat_is_an_iterator(device):
    elements = xp.asarray([[1, 2], [3, 4]], device=device).flat
    assert iter(elements) is elements
    assert int(next(elements)) == 1
    assert [int(x) for x in elements] == [2, 3, 4]


def test_roots_without_roots_but_zero_are_of_the_default_dtype(device):
    p = xp.asarray([5, 0], dtype=np.float32, device=device)
    assert np.roots(p).tolist() == [0.0]
    assert np.roots(p).dtype == p.device.default_dtypes["real floating"]
