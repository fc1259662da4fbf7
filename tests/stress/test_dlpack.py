"""Lifetimes in DLPack: producers, capsules and consumers deleted in every order, and invalid capsules.

Each program runs in a subprocess whose allocator overwrites freed memory, so that a use after free changes values.
"""

from __future__ import annotations

import pytest

import xtensor as xp

from .tiers import run, scale

ORDERS = """
import gc, itertools, sys, weakref
import numpy as np
import xtensor as xp

device, rounds = xp.device(sys.argv[1]), int(sys.argv[2])
orders = 0

class Producer:
    "Forwards the capsules of another producer."
    def __init__(self, x):
        self.x = x
    def __dlpack_device__(self):
        return self.x.__dlpack_device__()
    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

gc.disable()
for round in range(rounds):
    for copy in (None, True):
        for order in itertools.permutations(("array", "native", "producer", "consumer", "view", "second")):
            x = xp.asarray([[1.0, 2.0], [3.0, 4.0]], device=device) * (round + 1)
            live = {"array": x, "native": x._native, "producer": Producer(x)}
            live["consumer"] = xp.from_dlpack(live["producer"], copy=copy)
            live["view"] = live["consumer"][1, ...]
            live["second"] = xp.from_dlpack(live["view"])
            watched = [weakref.ref(live[name]) for name in ("array", "consumer", "view", "second")]
            del x
            for name in order:
                del live[name]
                for other in ("second", "view"):
                    if other in live:
                        assert live[other].tolist() == [(round + 1) * value for value in (3.0, 4.0)]
            assert not live and all(ref() is None for ref in watched)
            orders += 1
print(orders)
"""

CAPSULES = """
import gc, sys, weakref
import xtensor as xp

device, rounds = xp.device(sys.argv[1]), int(sys.argv[2])

class Same:
    "Returns the same capsule from each call."
    def __init__(self, x):
        self.device, self.capsule = x.__dlpack_device__(), x.__dlpack__()
    def __dlpack_device__(self):
        return self.device
    def __dlpack__(self, **_):
        return self.capsule

gc.disable()
refused = 0
for round in range(rounds):
    x = xp.asarray([1.0, 2.0, 3.0], device=device)
    owner = weakref.ref(x)
    capsules = [x.__dlpack__() for _ in range(3)]
    del capsules
    same = Same(x)
    first = xp.from_dlpack(same)
    for _ in range(3):
        try:
            xp.from_dlpack(same)
        except (BufferError, ValueError, TypeError, RuntimeError):
            refused += 1
        else:
            raise AssertionError("a capsule was consumed twice")
    del x, same
    assert first.tolist() == [1.0, 2.0, 3.0]
    del first
    assert owner() is None, "a capsule keeps its producer"
print(refused)
"""

FOREIGN = """
import ctypes, gc, sys
import xtensor as xp

rounds = int(sys.argv[1])
freed = 0

class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]

class Managed(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)), ("flags", ctypes.c_uint64), ("tensor", Tensor),
    ]

@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def deleter(_):
    global freed
    freed += 1

new = ctypes.pythonapi.PyCapsule_New
new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

NAME = b"dltensor_versioned"

class Foreign:
    "Producer that is a C structure."
    def __init__(self, major=1, device=(1, 0), code=2, bits=64, lanes=1):
        self.values = (ctypes.c_double * 3)(1.0, 2.0, 3.0)
        self.shape = (ctypes.c_int64 * 1)(3)
        tensor = Tensor(ctypes.addressof(self.values), *device, 1, code, bits, lanes, self.shape, None, 0)
        self.managed = Managed(major, 0, None, deleter, 0, tensor)
        self.device = device
    def __dlpack_device__(self):
        return self.device
    def __dlpack__(self, **_):
        return new(ctypes.addressof(self.managed), NAME, None)

WRONG = [
    dict(major=2), dict(major=99), dict(device=(2, 0)), dict(device=(10, 7)), dict(device=(99, 0)),
    dict(code=3), dict(code=17), dict(bits=7), dict(lanes=4),
]
refused = 0
gc.disable()
for round in range(rounds):
    before = freed
    producer = Foreign()
    x = xp.from_dlpack(producer, device="cpu")
    assert x.tolist() == [1.0, 2.0, 3.0]
    view = x[1:]
    del x
    assert freed == before and view.tolist() == [2.0, 3.0]
    del view
    assert freed == before + 1, "the deleter runs once, with the last view"
    copy = xp.from_dlpack(producer, device="cpu", copy=True)
    assert copy.tolist() == [1.0, 2.0, 3.0]
    del copy
    assert freed == before + 2
    for options in WRONG:
        try:
            xp.from_dlpack(Foreign(**options))
        except BufferError:
            refused += 1
        except Exception as error:
            raise AssertionError(f"{options}: {type(error).__name__}: {error}")
        else:
            raise AssertionError(f"{options} was imported")
print(refused)
"""


@pytest.fixture
def exporting_device(device) -> str:
    """Name of a device whose arrays are exported by DLPack; skips other devices off the host."""
    try:
        xp.from_dlpack(xp.ones(2, device=device))
    except BufferError as error:
        if device.host:
            raise
        pytest.skip(f"{device} does not export arrays by DLPack: {error}")
    return str(device)


def test_producers_and_consumers_may_be_deleted_in_any_order(exporting_device, figures):
    orders = run(ORDERS, exporting_device, str(scale(1, 5)), PYTHONMALLOC="debug")
    figures.record(orders=int(orders))


def test_capsules_consumed_once_or_never_do_not_leak(exporting_device, figures):
    refused = run(CAPSULES, exporting_device, str(scale(100, 3000)), PYTHONMALLOC="debug")
    figures.record(capsules=scale(100, 3000) * 7, refused=int(refused))


def test_foreign_capsules_are_imported_or_refused_and_freed_once(figures):
    refused = run(FOREIGN, str(scale(50, 2000)), PYTHONMALLOC="debug")
    figures.record(capsules=scale(50, 2000) * 11, refused=int(refused))
