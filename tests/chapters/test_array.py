"""Array: attributes, conversions, indexing, assignment, operators, methods, copies, text."""

from __future__ import annotations

import copy
import math
import operator
import pickle

import numpy as np
import pytest
from assignment_cases import IMMUTABLE

import xtensor as xp


def host(x: xp.Array) -> np.ndarray:
    """Return the values as a NumPy array."""
    return np.asarray(x.to_device("cpu"))


def test_attributes_describe_the_array(device):
    x = xp.zeros((2, 3), dtype=xp.float32, device=device)
    assert (x.shape, x.ndim, x.size, x.itemsize, x.nbytes) == ((2, 3), 2, 6, 4, 24)
    assert x.dtype == xp.float32
    assert x.device is device


def test_transpose_of_a_matrix(device):
    x = xp.reshape(xp.arange(6, device=device), (2, 3))
    np.testing.assert_array_equal(host(x.T), [[0, 3], [1, 4], [2, 5]])


@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4)])
def test_transpose_of_other_than_two_dimensions_raises_on_strict(shape):
    with pytest.raises(ValueError, match=r"two dimensions.*mT"):
        _ = xp.ones(shape, device="strict").T


def test_matrix_transpose_of_a_stack(device):
    assert xp.ones((4, 2, 3), device=device).mT.shape == (4, 3, 2)


def test_matrix_transpose_of_a_vector_raises(device):
    with pytest.raises(ValueError, match="two or more dimensions"):
        _ = xp.ones(3, device=device).mT


def test_hash_of_an_array_with_axes_raises(device):
    with pytest.raises(TypeError, match="unhashable"):
        hash(xp.ones(1, device=device))


@pytest.mark.parametrize("version", ["2021.12", "2022.12", "2023.12", "2024.12", "2025.12", None])
def test_namespace_for_a_known_version_is_xtensor(version):
    assert xp.ones(1).__array_namespace__(api_version=version) is xp


@pytest.mark.parametrize("version", ["2020.12", "2026.12", "", 2025, ()])
def test_namespace_for_an_unknown_version_raises(version):
    with pytest.raises(ValueError, match=r"2021\.12.*2025\.12"):
        xp.ones(1).__array_namespace__(api_version=version)


# -- conversions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("convert", "value", "dtype"),
    [
        (bool, True, "bool"),
        (int, 3, "int16"),
        (float, 2.5, "float32"),
        (complex, 1 + 2j, "complex64"),
        (int, 7, "uint8"),
    ],
)
def test_conversion_of_a_0d_array(device, convert, value, dtype):
    assert convert(xp.asarray(value, dtype=dtype, device=device)) == value


@pytest.mark.parametrize("convert", [int, float])
def test_conversion_of_a_complex_array_to_a_real_number_raises(device, convert):
    with pytest.raises(TypeError, match=r"complex.*real"):
        convert(xp.asarray(1j, dtype=xp.complex64, device=device))


@pytest.mark.parametrize("convert", [int, float, complex, operator.index])
def test_conversion_of_several_elements_raises(device, convert):
    with pytest.raises(TypeError, match=r"\(2,\)"):
        convert(xp.ones(2, dtype=xp.int64, device=device))


def test_truth_of_several_elements_names_any_and_all(device):
    with pytest.raises(ValueError, match=r"\(2,\).*any.*all"):
        bool(xp.ones(2, device=device))


def test_conversion_of_nan_to_an_integer_raises(device):
    with pytest.raises(ValueError, match=r"(?i)nan"):
        int(xp.asarray(math.nan, device=device))


def test_conversion_of_infinity_to_an_integer_raises(device):
    with pytest.raises(OverflowError):
        int(xp.asarray(math.inf, device=device))


def test_index_of_a_0d_integer(device):
    assert [10, 20, 30][xp.asarray(1, device=device)] == 20


def test_index_of_a_float_raises(device):
    with pytest.raises(TypeError, match="float64|float32"):
        operator.index(xp.asarray(1.0, device=device))


def test_len_is_the_first_length(device):
    assert len(xp.ones((3, 2), device=device)) == 3


def test_len_of_a_0d_array_raises(device):
    with pytest.raises(TypeError, match="0-d"):
        len(xp.asarray(1.0, device=device))


def test_iteration_yields_the_subarrays_along_the_first_axis(lenient_device):
    parts = list(xp.reshape(xp.arange(4, device=lenient_device), (2, 2)))
    assert [part.tolist() for part in parts] == [[0, 1], [2, 3]]


def test_iteration_of_a_vector_yields_0d_arrays_on_its_device(device):
    parts = list(xp.arange(2, device=device))
    assert [(part.shape, part.item(), part.device) for part in parts] == [((), 0, device), ((), 1, device)]


def test_iteration_of_a_0d_array_raises(device):
    with pytest.raises(TypeError, match="0-d"):
        iter(xp.asarray(1.0, device=device))


def test_membership(device):
    x = xp.asarray([1, 2], device=device)
    assert 2 in x
    assert 3 not in x


def test_item_of_the_only_element(device):
    assert xp.asarray([[2.5]], device=device).item() == 2.5


def test_item_at_an_index(device):
    x = xp.reshape(xp.arange(6, device=device), (2, 3))
    assert x.item(1, 2) == 5
    assert xp.arange(3, device=device).item(-1) == 2


def test_item_of_several_elements_raises(device):
    with pytest.raises(ValueError, match=r"\(2,\)"):
        xp.ones(2, device=device).item()


# -- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: xp.asarray([1.0, 2.0]), "Array([1., 2.])"),
        (lambda: xp.asarray([1, 2]), "Array([1, 2])"),
        (lambda: xp.asarray([True]), "Array([ True])"),
        (lambda: xp.asarray(1.5, dtype=xp.float32), "Array(1.5, dtype=float32)"),
        (lambda: xp.zeros((0,), dtype=xp.float64), "Array([], dtype=float64)"),
        (lambda: xp.asarray([[1, 2], [3, 4]], dtype=xp.int8), "Array([[1, 2],\n       [3, 4]], dtype=int8)"),
    ],
)
def test_repr_has_numpys_format(make, text):
    with xp.use_device("cpu"):
        assert repr(make()) == text


def test_repr_names_a_device_that_is_not_the_default_device(device):
    x = xp.ones(1, device=device)
    with xp.use_device("cpu"):
        if device._library.lazy:
            assert repr(x).endswith(f"device={str(device)!r})")
            return
        assert repr(x) == ("Array([1.])" if str(device) == "cpu" else f"Array([1.], device={str(device)!r})")


def test_format_of_a_0d_array_with_a_format_spec(device):
    assert f"{xp.asarray(3.14159, device=device):.2f}" == "3.14"


def test_format_without_a_spec_is_str(device):
    x = xp.asarray([1, 2], device=device)
    assert f"{x}" == (repr(x) if device._library.lazy else "[1 2]")


def test_format_of_several_elements_with_a_spec_raises(device):
    with pytest.raises(TypeError, match="0-d"):
        format(xp.ones(2, device=device), ".2f")


# -- copies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda x: x.copy(), lambda x: xp.asarray(x, copy=True)]
)
def test_copy_does_not_share_memory(device, duplicate):
    x = xp.asarray([1.0, 2.0], device=device)
    y = duplicate(x)
    y[0] = 9.0
    assert x.tolist() == [1.0, 2.0]
    assert y.tolist() == [9.0, 2.0]
    assert y.device is device


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_preserves_device_dtype_and_values(device, protocol):
    x = xp.reshape(xp.arange(6, dtype=xp.int32, device=device), (2, 3))[:, ::2]
    y = pickle.loads(pickle.dumps(x, protocol))
    assert (y.device, y.dtype, y.tolist()) == (device, xp.int32, [[0, 2], [3, 5]])


def test_pickle_of_a_missing_device_loads_on_the_default_device():
    from xtensor._core.array import _unpickle

    y = _unpickle(np.ones(2), "no-such-backend", "cuda:7")
    assert y.device is xp.default_device()
    assert y.tolist() == [1.0, 1.0]


def test_pickle_of_a_device_loads_the_same_object(device):
    assert pickle.loads(pickle.dumps(device)) is device


# -- indexing ---------------------------------------------------------------------------------------------------------

KEYS = [
    0,
    -1,
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    slice(0, 0),
    ...,
    None,
    (0, 0, 0),
    (0, ...),
    (..., 0),
    (slice(None), 0, slice(None)),
    (0, slice(1, 3), slice(None, None, 2)),
    (None, 0, 0, 0),
    (slice(None), slice(None), slice(None), None),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_basic_indexing_agrees_with_numpy(device, key):
    values = np.arange(24).reshape(2, 3, 4)
    if str(device) == "strict":
        full = key if isinstance(key, tuple) else (key,)
        if ... not in full and sum(part is not None for part in full) < 3:
            key = (*full, ...)
    result = xp.asarray(values, device=device)[key]
    expected = values[key]
    assert isinstance(result, xp.Array)
    assert result.shape == expected.shape
    np.testing.assert_array_equal(host(result), expected)


def test_index_by_a_boolean_mask(device):
    x = xp.asarray([1, 2, 3], device=device)
    assert x[x > 1].tolist() == [2, 3]


def test_index_by_an_integer_array(device):
    x = xp.asarray([10, 20, 30], device=device)
    assert x[xp.asarray([2, 0], device=device)].tolist() == [30, 10]


def test_index_by_an_integer_array_and_an_integer(device):
    x = xp.reshape(xp.arange(12, device=device), (3, 4))
    assert x[xp.asarray([0, 2], device=device), 1].tolist() == [1, 9]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (np.asarray([2, 0]), [[8, 9, 10, 11], [0, 1, 2, 3]]),
        (np.asarray([True, False, True]), [[0, 1, 2, 3], [8, 9, 10, 11]]),
        (([0, 2],), [[0, 1, 2, 3], [8, 9, 10, 11]]),
    ],
)
def test_index_by_a_numpy_array_or_a_list(lenient_device, key, expected):
    x = xp.reshape(xp.arange(12, device=lenient_device), (3, 4))
    assert x[key].tolist() == expected


def test_index_by_a_mask_within_a_tuple(lenient_device):
    x = xp.reshape(xp.arange(6, device=lenient_device), (2, 3))
    mask = xp.asarray([True, False, True], device=lenient_device)
    assert x[:, mask].tolist() == [[0, 2], [3, 5]]
    assert x[0, mask].tolist() == [0, 2]


def test_index_by_an_ellipsis_and_an_integer_array(lenient_device):
    x = xp.reshape(xp.arange(6, device=lenient_device), (2, 3))
    assert x[..., xp.asarray([2, 0], device=lenient_device)].tolist() == [[2, 0], [5, 3]]


@pytest.mark.parametrize("key", [5, -4, (0, 0), 1.5, "a", np.asarray(["a"]), slice("a", "b")], ids=str)
def test_bad_index_raises_and_names_index_or_shape(device, key):
    with pytest.raises((IndexError, TypeError)) as caught:
        xp.asarray([1, 2, 3], device=device)[key]
    assert any(word in str(caught.value) for word in ("(3,)", "index", "indices"))


# -- assignment -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        (0, 9.0, [9.0, 2.0, 3.0]),
        (slice(1, None), 0.0, [1.0, 0.0, 0.0]),
        (..., 7, [7.0, 7.0, 7.0]),
        (slice(None), [4.0, 5.0, 6.0], [4.0, 5.0, 6.0]),
        (-1, np.float64(8.0), [1.0, 2.0, 8.0]),
    ],
)
def test_assignment(device, key, value, expected):
    x = xp.asarray([1.0, 2.0, 3.0], dtype=xp.float64 if xp.float64 in device.dtypes else xp.float32, device=device)
    x[key] = value
    assert x.tolist() == expected


def test_assignment_through_a_mask(device):
    x = xp.asarray([1.0, -2.0, 3.0], device=device)
    x[x < 0] = 0.0
    assert x.tolist() == [1.0, 0.0, 3.0]


def test_assignment_at_two_indices(device):
    x = xp.zeros((2, 2), device=device)
    x[0, 1] = 5.0
    assert x.tolist() == [[0.0, 5.0], [0.0, 0.0]]


def test_assignment_through_an_integer_array(lenient_device):
    x = xp.zeros(4, device=lenient_device)
    x[xp.asarray([3, 0], device=lenient_device)] = xp.asarray([1.0, 2.0], device=lenient_device)
    assert x.tolist() == [2.0, 0.0, 0.0, 1.0]


def test_assignment_of_a_complex_value_to_a_real_array_raises(device):
    x = xp.zeros(2, device=device)
    with pytest.raises(TypeError, match="cast"):
        x[0] = 1j
    with pytest.raises(TypeError, match="cast"):
        x[:] = xp.asarray([1j, 1j], dtype=xp.complex64, device=device)
    assert x.tolist() == [0.0, 0.0]


def test_assignment_of_a_wrong_shape_raises_and_leaves_the_array_unchanged(device):
    x = xp.zeros(3, device=device)
    with pytest.raises(ValueError, match=r"\(3,\)|\(2,\)"):
        x[:] = xp.ones(2, device=device)
    assert x.tolist() == [0.0, 0.0, 0.0]


# -- operators --------------------------------------------------------------------------------------------------------

ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
BITWISE = ["and_", "or_", "xor", "lshift", "rshift"]


@pytest.mark.parametrize("name", ARITHMETIC)
def test_arithmetic_operators_on_floats_agree_with_numpy(device, name):
    a, b = np.asarray([1.5, -2.0, 3.0]), np.asarray([2.0, 4.0, -1.0])
    result = getattr(operator, name)(xp.asarray(a, device=device), xp.asarray(b, device=device))
    np.testing.assert_allclose(host(result), getattr(operator, name)(a, b), rtol=1e-15)


@pytest.mark.parametrize("name", BITWISE)
def test_bitwise_operators_on_integers_agree_with_numpy(device, name):
    a, b = np.asarray([5, 6, 7]), np.asarray([1, 2, 3])
    result = getattr(operator, name)(xp.asarray(a, device=device), xp.asarray(b, device=device))
    np.testing.assert_array_equal(host(result), getattr(operator, name)(a, b))


@pytest.mark.parametrize("name", [*ARITHMETIC, "lt", "le", "gt", "ge", "eq", "ne"])
@pytest.mark.parametrize("reflected", [False, True], ids=["x op 2", "2 op x"])
def test_operators_accept_python_scalars_on_either_side(device, name, reflected):
    a = np.asarray([1.0, 2.0, 4.0], dtype=np.float32)
    x = xp.asarray(a, device=device)
    function = getattr(operator, name)
    result = function(2.0, x) if reflected else function(x, 2.0)
    expected = function(2.0, a) if reflected else function(a, 2.0)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(host(result), expected, rtol=1e-6)


@pytest.mark.parametrize("name", [f"i{name}" for name in ARITHMETIC])
def test_inplace_operators_write_into_the_array(device, name):
    a = np.asarray([1.5, 2.0, 3.0])
    x = xp.asarray(a, device=device, copy=True)
    view = x[...]
    same = getattr(operator, name)(x, 2.0)
    assert same is x
    expected = a if device.backend in IMMUTABLE else getattr(operator, name)(a.copy(), 2.0)
    np.testing.assert_allclose(host(view), expected, rtol=1e-15)


@pytest.mark.parametrize("name", [f"i{name}" for name in BITWISE])
def test_inplace_bitwise_operators_write_into_the_array(device, name):
    a = np.asarray([5, 6, 7])
    name = name.removesuffix("_") if hasattr(operator, name.removesuffix("_")) else name
    x = xp.asarray(a, device=device, copy=True)
    view = x[...]
    getattr(operator, name)(x, xp.asarray([1, 2, 3], device=device))
    expected = a if device.backend in IMMUTABLE else getattr(operator, name)(a.copy(), np.asarray([1, 2, 3]))
    np.testing.assert_array_equal(host(view), expected)


def test_inplace_operator_that_would_change_the_dtype_raises_and_leaves_the_array_unchanged(device):
    x = xp.asarray([1, 2], device=device)
    with pytest.raises(TypeError, match="cast|promote|dtype"):
        x += 1.5
    with pytest.raises(TypeError, match="cast|promote|dtype"):
        x //= xp.asarray([1.5, 2.5], device=device)
    assert x.tolist() == [1, 2]


def test_inplace_operator_that_would_change_the_shape_raises_and_leaves_the_array_unchanged(device):
    x = xp.ones(2, device=device)
    with pytest.raises(ValueError, match=r"\(2,\)|broadcast|shape"):
        x += xp.ones((3, 2), device=device)
    assert x.tolist() == [1.0, 1.0]


def test_matmul_operator(device):
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=device)
    assert (x @ x).tolist() == [[7.0, 10.0], [15.0, 22.0]]


def test_unary_operators(device):
    x = xp.asarray([1.0, -2.0], device=device)
    assert (-x).tolist() == [-1.0, 2.0]
    assert (+x).tolist() == [1.0, -2.0]
    assert abs(x).tolist() == [1.0, 2.0]
    assert (~xp.asarray([True, False], device=device)).tolist() == [False, True]


def test_operator_defers_to_the_reflected_operator_of_another_class(device):
    class Foreign:
        def __radd__(self, other):
            return "mine"

    assert xp.ones(1, device=device) + Foreign() == "mine"


@pytest.mark.parametrize("name", ["add", "sub", "mul", "lt"])
def test_operator_with_an_unknown_operand_raises(device, name):
    with pytest.raises(TypeError, match="unsupported operand|not supported"):
        getattr(operator, name)(xp.ones(1, device=device), object())


def test_equality_with_an_unknown_operand_is_false(device):
    assert (xp.ones(1, device=device) == "text") is False
    assert (xp.ones(1, device=device) != None) is True  # noqa: E711 - the comparison itself is under test


def test_operators_accept_numpy_scalars(device):
    x = xp.ones(2, dtype=xp.float64, device=device) if xp.float64 in device.dtypes else xp.ones(2, device=device)
    scalar = x.dtype.type(2.0)
    assert (x + scalar).tolist() == [3.0, 3.0]
    assert (scalar + x).tolist() == [3.0, 3.0]
    assert xp.multiply(scalar, x).dtype == x.dtype


# -- methods ----------------------------------------------------------------------------------------------------------

METHODS = [
    ("all", (), {}),
    ("any", (0,), {}),
    ("argmax", (), {}),
    ("argmin", (1,), {}),
    ("argsort", (), {}),
    ("clip", (1.0, 3.0), {}),
    ("cumprod", (1,), {}),
    ("cumsum", (), {}),
    ("conj", (), {}),
    ("flatten", (), {}),
    ("max", (0,), {}),
    ("mean", (), {"keepdims": True}),
    ("min", (), {}),
    ("prod", (1,), {}),
    ("ravel", (), {}),
    ("repeat", (2,), {}),
    ("reshape", (3, 2), {}),
    ("reshape", ((6,),), {}),
    ("round", (), {}),
    ("round", (1,), {}),
    ("squeeze", (), {}),
    ("std", (0,), {}),
    ("sum", (), {}),
    ("sum", (1,), {"keepdims": True}),
    ("swapaxes", (0, 1), {}),
    ("transpose", (), {}),
    ("transpose", (1, 0), {}),
    ("var", (), {}),
]


@pytest.mark.parametrize(("name", "args", "kwargs"), METHODS, ids=lambda value: str(value))
def test_methods_agree_with_numpy(device, name, args, kwargs):
    values = np.asarray([[1.25, 2.5, 0.0], [4.0, 3.75, 1.0]])
    result = getattr(xp.asarray(values, device=device), name)(*args, **kwargs)
    expected = getattr(values, name)(*args, **kwargs)
    assert result.device is device
    assert result.shape == np.shape(expected)
    np.testing.assert_allclose(host(result), expected, rtol=1e-15)


def test_take_method_along_an_axis(device):
    x = xp.reshape(xp.arange(6, device=device), (2, 3))
    indices = xp.asarray([2, 0], device=device)
    assert x.take(indices, axis=1).tolist() == [[2, 0], [5, 3]]
    assert x.take(indices).tolist() == [2, 0]


def test_dot_method_of_matrices_and_vectors(device):
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=device)
    v = xp.asarray([1.0, 1.0], device=device)
    assert x.dot(v).tolist() == [3.0, 7.0]
    assert v.dot(v).item() == 2.0
    assert x.dot(x).tolist() == (x @ x).tolist()


def test_fill_method_sets_every_element(device):
    x = xp.ones(3, device=device)
    x.fill(2)
    assert x.tolist() == [2.0, 2.0, 2.0]


def test_nonzero_method(device):
    (positions,) = xp.asarray([0, 3, 0, 5], device=device).nonzero()
    assert positions.tolist() == [1, 3]


def test_astype_method_casts(device):
    assert xp.asarray([1.75], device=device).astype(xp.int64).tolist() == [1]


def test_view_of_another_dtype_shares_memory():
    x = xp.asarray([1.0], dtype=xp.float32, device="cpu")
    x.view(xp.int32)[0] = 0
    assert x.tolist() == [0.0]


def test_real_and_imaginary_components(device):
    x = xp.asarray([1 + 2j], dtype=xp.complex64, device=device)
    assert x.real.tolist() == [1.0]
    assert x.imag.tolist() == [2.0]
