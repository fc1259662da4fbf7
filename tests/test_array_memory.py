"""Attributes of an Array's memory with NumPy's names, and integers of NumPy as axes."""

from __future__ import annotations

import numpy as np
import pytest
from toy import ToyBackend

import xtensor as xp


@pytest.fixture
def off_host(registry):
    xp.register_backend(ToyBackend())
    return xp.device("toy:0")


def test_flags_tell_the_memory_order(device):
    x = xp.asarray(np.arange(6.0).reshape(2, 3), device=device)
    assert x.flags.c_contiguous
    assert not x.T.flags.c_contiguous


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("transposed", [False, True])
def test_copy_has_the_memory_order_of_a_copy_by_numpy(lenient_device, order, transposed):
    values = np.arange(6.0).reshape(2, 3)
    x = xp.asarray(values, device=lenient_device)
    copied, expected = (x.T, values.T) if transposed else (x, values)
    copied, expected = copied.copy(order), expected.copy(order)
    assert copied.flags.c_contiguous == expected.flags.c_contiguous
    assert copied.flags.f_contiguous == expected.flags.f_contiguous
    assert copied.tolist() == expected.tolist()


def test_copy_of_a_transpose_is_in_row_major_order(device):
    x = xp.asarray(np.arange(6.0).reshape(2, 3), device=device)
    copied = x.T.copy()
    assert copied.flags.c_contiguous
    copied[0, 0] = 9.0
    assert x[0, 0] == 0.0
    assert x.copy()[0, 0] == 0.0


def test_strides_are_in_bytes(device):
    x = xp.asarray(np.arange(6.0).reshape(2, 3), device=device)
    if not device.host:
        with pytest.raises(AttributeError, match=r"host memory.*to_device\('cpu'\)"):
            _ = x.strides
        return
    assert x.strides == (24, 8)
    assert x.T.strides == (8, 24)


def test_base_is_the_array_of_which_it_is_a_view(lenient_device):
    x = xp.asarray(np.arange(6.0), device=lenient_device, copy=True)
    if not lenient_device.host:
        with pytest.raises(AttributeError, match=r"host memory.*to_device\('cpu'\)"):
            _ = x.base
        return
    owner = x if x.base is None else x.base
    assert owner.base is None
    view = x[2:].base
    assert isinstance(view, xp.Array)
    assert view.device is lenient_device
    view[3] = 9.0
    assert x[3] == 9.0


def test_base_of_a_broadcast_array_has_the_bytes_of_its_elements(lenient_device):
    if not lenient_device.host:
        return
    x = xp.broadcast_to(xp.ones((1, 1), device=lenient_device), (10, 10))
    assert (x.nbytes, x.base.nbytes) == (800, 8)


def test_array_of_its_own_memory_has_no_base(lenient_device):
    if lenient_device.host:
        assert xp.ones(3, device=lenient_device).base is None
        assert xp.zeros(10**6, device=lenient_device).base is None
        assert (xp.ones(10**6, device=lenient_device) * 2.0).base is None


@pytest.mark.parametrize("part", ["real", "imag"])
@pytest.mark.parametrize("values", [0.5, [5.0, np.inf, -0.0]], ids=str)
def test_assigned_part_leaves_the_other_one(device, part, values):
    if not device.host:
        return
    expected = np.asarray([1 + 2j, complex(np.nan, np.inf), complex(-0.0, -3)])
    x = xp.asarray(expected, device=device, copy=True)
    setattr(x, part, values if isinstance(values, float) else xp.asarray(values, device=device))
    setattr(expected, part, values)
    np.testing.assert_array_equal(np.asarray(x).view(np.float64), expected.view(np.float64))
    assert np.signbit(np.asarray(x).view(np.float64)).tolist() == np.signbit(expected.view(np.float64)).tolist()


def test_real_part_of_a_real_array_is_the_array(device):
    if not device.host:
        return
    x = xp.ones(2, device=device)
    x.real = 3.0
    assert x.tolist() == [3.0, 3.0]
    with pytest.raises(TypeError, match="imaginary part"):  # NumPy's words, which 2.5 changed
        x.imag = 1.0


@pytest.mark.parametrize("part", ["real", "imag"])
def test_assigned_part_off_the_host_names_the_remedy(off_host, part):
    with pytest.raises(TypeError, match=r"device toy:0; use x\[\.\.\.\] = "):
        setattr(xp.ones(3, device=off_host), part, 1.0)


def test_strides_off_the_host_name_the_remedy(off_host):
    with pytest.raises(AttributeError, match=r"host memory.*to_device\('cpu'\)"):
        _ = xp.ones(3, device=off_host).strides


def test_read_only_elements_cannot_be_assigned(device):
    x = xp.asarray(np.arange(3.0), device=device)
    if not device.host:
        with pytest.raises(TypeError, match=r"host memory.*to_device\('cpu'\)"):
            x.setflags(write=False)
        return
    assert x.flags.writeable
    x.setflags(write=False)
    assert not x.flags.writeable
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        x[0] = 1.0


def test_setflags_off_the_host_names_the_remedy(off_host):
    with pytest.raises(TypeError, match=r"host memory.*to_device\('cpu'\)"):
        xp.ones(3, device=off_host).setflags(write=False)


def test_transpose_takes_an_integer_of_numpy(device):
    x = xp.asarray(np.arange(3.0), device=device)
    assert x.transpose(np.int64(-1)).tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "matrix",
    [np.asarray([[2.0, 1.0], [1.0, 3.0]]), np.asarray([[0.0, -1.0], [1.0, 0.0]]), np.eye(2) * (1 + 0j)],
    ids=["real spectrum", "complex spectrum", "complex matrix"],
)
def test_eigenvalues_by_numpy_have_the_dtype_for_numpy_arrays(device, matrix):
    x = xp.asarray(matrix, device=device)
    assert np.linalg.eigvals(x).dtype == np.linalg.eigvals(matrix).dtype
    for part, expected in zip(np.linalg.eig(x), np.linalg.eig(matrix), strict=True):
        assert part.device is device
        assert part.dtype == expected.dtype
