"""DLPack producers that break the protocol: methods that raise, return something else, or contradict each other."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xtensor as xp

VALUES = [0.0, 1.0, 2.0]
HOST = (1, 0)


def producer(**methods: Any) -> Any:
    """Return an object of a class ``Producer`` that exports ``VALUES``, with some methods replaced."""
    host = np.asarray(VALUES)
    correct = {"__dlpack_device__": lambda self: HOST, "__dlpack__": lambda self, **options: host.__dlpack__(**options)}
    return type("Producer", (), correct | methods)()


def raising(error: Exception) -> Callable[..., Any]:
    def method(*_: Any, **__: Any) -> Any:
        raise error

    return method


def returning(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def capsule(name: bytes | None) -> Any:
    """Return a capsule of a name that no producer gives; its pointer is never read."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(MEMORY), name, None)


MEMORY = ctypes.create_string_buffer(512)

ERRORS = (
    *(AttributeError, AssertionError, BufferError, KeyError, NotImplementedError, OSError, RecursionError),
    *(RuntimeError, StopIteration, TypeError, ValueError, ZeroDivisionError),
)

RESULTS: dict[str, Any] = {
    "None": None,
    "integer": 7,
    "text": "x",
    "array": np.ones(2),
    "NotImplemented": NotImplemented,
}

NAMES = (None, b"", b"x", b"used_dltensor", b"used_dltensor_versioned")
"""Names of capsules that are no DLPack capsules, or are consumed already."""

PLACES: dict[str, Any] = {
    **RESULTS,
    "one": (1,),
    "three": (1, 0, 0),
    "pair of text": ("1", "0"),
    "pair of floats": (1.0, 0.0),
    "pair of None": (None, None),
    "not a number": (float("nan"), 0),
    "pair of objects": (object(), 0),
}

FAULTY: dict[str, Callable[[], Any]] = {
    **{
        f"device raises {kind.__name__}": lambda kind=kind: producer(__dlpack_device__=raising(kind("text")))
        for kind in ERRORS
    },
    **{
        f"export raises {kind.__name__}": lambda kind=kind: producer(__dlpack__=raising(kind("text")))
        for kind in ERRORS
    },
    **{
        f"device is {name}": lambda place=place: producer(__dlpack_device__=returning(place))
        for name, place in PLACES.items()
    },
    **{
        f"capsule is {name}": lambda value=value: producer(__dlpack__=returning(value))
        for name, value in RESULTS.items()
    },
    **{f"capsule named {name}": lambda name=name: producer(__dlpack__=returning(capsule(name))) for name in NAMES},
    "export is None": lambda: producer(__dlpack__=None),
    "device is no method": lambda: producer(__dlpack_device__=HOST),
    "every attribute": lambda: type("Producer", (), {"__getattr__": lambda self, name: lambda *_, **__: self})(),
    "repr raises": lambda: producer(__dlpack__=returning(7), __repr__=raising(RuntimeError("no repr"))),
}
"""Producers that no function can read."""

IMPORTS: dict[str, Callable[[Any, xp.Device], xp.Array]] = {
    "from_dlpack": lambda x, device: xp.from_dlpack(x),
    "from_dlpack to a device": lambda x, device: xp.from_dlpack(x, device=device),
    "from_dlpack, copied": lambda x, device: xp.from_dlpack(x, device=device, copy=True),
    "asarray": lambda x, device: xp.asarray(x),
    "asarray on a device": lambda x, device: xp.asarray(x, device=device),
}


@pytest.mark.parametrize("case", FAULTY)
def test_faulty_producer_raises_an_error_that_names_it(device, case, figures):
    for name, function in IMPORTS.items():
        with pytest.raises((TypeError, ValueError, BufferError, AttributeError)) as caught:
            function(FAULTY[case](), device)
        message = str(caught.value)
        assert "Producer" in message, f"{name}: {message}"
        assert message.startswith(name.split(",")[0].split()[0] + "()"), f"{name}: {message}"
        figures.record(refused=1)


@pytest.mark.parametrize("missing", ["__dlpack__", "__dlpack_device__"])
def test_half_a_protocol_is_refused(device, missing):
    x = producer()
    delattr(type(x), missing)
    with pytest.raises(AttributeError, match=r"from_dlpack\(\) takes an object with __dlpack__.*Producer"):
        xp.from_dlpack(x)
    with pytest.raises((AttributeError, TypeError), match=r"asarray\(\).*Producer"):
        xp.asarray(x, device=device)


@pytest.mark.parametrize("place", [(2, 0), (14, 0), (99, 3), (-1, 0), (2**100, 0), (1, 9)])
def test_producer_that_names_another_device_gives_its_values_or_an_error(device, place, figures):
    x = producer(__dlpack_device__=returning(place))
    refusals: list[str] = []
    for function in IMPORTS.values():
        try:
            result = function(x, device)
        except BufferError as error:
            refusals.append(str(error))
        else:
            assert result.tolist() == VALUES
    assert all("Producer" in message for message in refusals)
    figures.record(refused=len(refusals))


OLD = {
    "no options": lambda self: np.asarray(VALUES).__dlpack__(),
    "a stream only": lambda self, stream=None: np.asarray(VALUES).__dlpack__(stream=stream),
}
"""Exports of producers from before DLPack 1.0."""


@pytest.mark.parametrize("options", OLD)
@pytest.mark.parametrize("copy", [None, True])
def test_producer_without_options_is_read_on_every_device(device, options, copy):
    x = producer(__dlpack__=OLD[options])
    result = xp.from_dlpack(x, device=device, copy=copy)
    assert result.device is device
    assert result.tolist() == VALUES
    assert xp.asarray(x, device=device, copy=copy).tolist() == VALUES


def test_error_of_a_producer_is_the_cause(device):
    error = RuntimeError("text")
    with pytest.raises(BufferError, match="RuntimeError: text") as caught:
        xp.from_dlpack(producer(__dlpack__=raising(error)), device=device)
    assert caught.value.__cause__ is error


def test_exhausted_memory_of_a_producer_stays_a_memory_error(device):
    for method in ("__dlpack__", "__dlpack_device__"):
        with pytest.raises(MemoryError):
            xp.from_dlpack(producer(**{method: raising(MemoryError("text"))}), device=device)
