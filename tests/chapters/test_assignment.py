"""Assignments whose operands share memory, and writes into read-only memory, on every device."""

from __future__ import annotations

from operator import iadd, ifloordiv, imod, imul, ipow, isub, itruediv, setitem
from pathlib import Path

import numpy as np
import pytest
from assignment_cases import IMMUTABLE, OVERLAPPING, POSITIONS

import xtensor as xp


@pytest.mark.parametrize("assign", OVERLAPPING.values(), ids=OVERLAPPING)
def test_assignment_of_overlapping_memory_is_numpys(device, assign):
    values, positions = np.arange(5), np.asarray(POSITIONS)
    x = xp.asarray(values, copy=True)
    try:
        assign(x, xp.asarray(positions))
    except IndexError:  # the standard has no assignment to an array of integers
        assert str(device) == "strict"
        return
    assign(values, positions)
    assert x.tolist() == values.tolist()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_assignment_of_the_real_component_clears_the_imaginary_one(device, dtype):
    z = xp.asarray([1 + 2j, 3 - 4j], dtype=getattr(xp, dtype))
    z[...] = xp.astype(xp.real(z), z.dtype)
    assert z.tolist() == [1, 3]


# -- read-only memory -------------------------------------------------------------------------------------------------

VIEWS = {
    "broadcast_to": lambda x: xp.broadcast_to(x, (2, 3)),
    "broadcast_to of the same shape": lambda x: xp.broadcast_to(x, (3,)),
    "broadcast_arrays": lambda x: xp.broadcast_arrays(x, xp.zeros((2, 3)))[0],
    "expand_dims": lambda x: xp.expand_dims(xp.broadcast_to(x, (2, 3)), axis=0),
    "permute_dims": lambda x: xp.permute_dims(xp.broadcast_to(x, (2, 3)), (1, 0)),
    "slice": lambda x: xp.broadcast_to(x, (2, 3))[:, 1:],
    "row": lambda x: xp.broadcast_to(x, (2, 3))[0, :],
}
"""Views of broadcast memory, in which one element is several times."""

WRITES = {
    "element": lambda x: setitem(x, (0,) * x.ndim, 5.0),
    "slice": lambda x: setitem(x, (slice(None),) * x.ndim, 5.0),
    "mask": lambda x: setitem(x, x > 1.0, 5.0),
    "array": lambda x: setitem(x, ..., xp.asarray(5.0)),
    "fill": lambda x: x.fill(5.0),
    "iadd": lambda x: iadd(x, 1.0),
    "isub": lambda x: isub(x, xp.asarray(1.0)),
    "imul": lambda x: imul(x, 2.0),
    "itruediv": lambda x: itruediv(x, 2.0),
    "ifloordiv": lambda x: ifloordiv(x, 2.0),
    "imod": lambda x: imod(x, 2.0),
    "ipow": lambda x: ipow(x, 2.0),
    "put": lambda x: np.put(x, [0], 7.0),
    "copyto": lambda x: np.copyto(x, 7.0),
    "ufunc.at": lambda x: np.add.at(x, 0, 1.0),
    "ufunc.at of one operand": lambda x: np.negative.at(x, [0]),
}

FLAGLESS = ("cupy", "triton", "torch")
"""Backends whose arrays have no read-only flag, but for triton:interpret, which computes with NumPy's."""

COPIED = (VIEWS["broadcast_to of the same shape"], VIEWS["row"])
"""Views that no repeated axis shows to be read-only; an array without the flag gives a copy."""

READ_ONLY = r"^assignment destination is read-only.*x\.copy\(\)"


def has_flag(device):
    if device.backend in IMMUTABLE:
        return False
    return device.backend not in FLAGLESS or device.native_type is np.ndarray


@pytest.fixture(params=WRITES.values(), ids=WRITES)
def write(request):
    return request.param


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_broadcast_view_is_read_only(device, view, write):
    x = xp.asarray([1.0, 2.0, 3.0])
    shared = view(x)
    before = shared.tolist()
    if device.backend in IMMUTABLE or (view in COPIED and not has_flag(device)):
        write(shared)
    else:
        with pytest.raises(ValueError, match=READ_ONLY):
            write(shared)
        assert shared.tolist() == before
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_copy_of_a_broadcast_view_can_be_written_to(device, write):
    x = xp.asarray([1.0, 2.0, 3.0])
    write(xp.broadcast_to(x, (2, 3)).copy())
    assert x.tolist() == [1.0, 2.0, 3.0]


def mapped(folder: Path) -> np.ndarray:
    path = folder / "values.npy"
    np.save(path, np.asarray([1.0, 2.0, 3.0]))
    return np.load(path, mmap_mode="r")


def protected(folder: Path) -> np.ndarray:
    values = np.asarray([1.0, 2.0, 3.0])
    values.flags.writeable = False
    return values


IMPORTS = {
    "asarray": lambda folder, device: xp.asarray(protected(folder)),
    "from_dlpack": lambda folder, device: xp.from_dlpack(protected(folder), device=device),
    "memmap": lambda folder, device: xp.asarray(mapped(folder)),
}


@pytest.mark.parametrize("imported", IMPORTS.values(), ids=IMPORTS)
def test_read_only_memory_of_the_host_is_shared_read_only_or_copied(device, imported, write, tmp_path):
    x = imported(tmp_path, device)
    if not (device.host and has_flag(device)):
        write(x)  # into memory of the device's own
        return
    with pytest.raises(ValueError, match=READ_ONLY):
        write(x)
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_copy_of_read_only_memory_can_be_written_to(device, write, tmp_path):
    values = protected(tmp_path)
    write(xp.asarray(values, copy=True))
    assert values.tolist() == [1.0, 2.0, 3.0]


def test_operand_of_a_function_in_place_may_be_the_array(device):
    x = xp.asarray([5, 2], device=device)
    np.multiply.at(x, [0, 0], x)
    assert xp.to_numpy(x).tolist() == [50, 2]


def test_memory_of_immutable_arrays_is_not_written_to(device, write):
    if device.backend not in IMMUTABLE:
        pytest.skip("the library's arrays can be written to")
    x = xp.asarray([1.0, 2.0, 3.0])
    other = xp.reshape(x, (3,))
    write(x)
    assert other.tolist() == [1.0, 2.0, 3.0]
