"""Memory: what a call takes beyond the library's own, what stays behind after a million, and when arrays are freed."""

from __future__ import annotations

import gc
import operator
import os
import random
import tracemalloc
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arguments import (
    BAD,
    DOCUMENTED,
    GOOD,
    GOOD_METHODS,
    REPETITIONS,
    STATEFUL_FUNCTIONS,
    call,
    call_conditions,
    matrix,
    parameters_of,
    public_function,
    replace_argument,
)

import xtensor as xp

from .tiers import scale

STATEFUL = ("register_backend", "backends", "best_device", "devices", *STATEFUL_FUNCTIONS)

NAMES = [name for name in GOOD if name not in STATEFUL]

SIDE = 96
"""Of the matrices whose memory is measured: 72 KiB of float64, beside which Python's own objects do not count."""

PYTHON = 16 * 1024
"""Bytes that Python's objects may take in a call: Arrays, tuples, frames."""

EXTRA: dict[str, float] = {
    **dict.fromkeys(("nanmax", "nanmin", "nanstd", "nanvar"), 1.25),
    **dict.fromkeys(("median", "nanmedian", "quantile", "nanquantile", "allclose", "isclose", "diag"), 1.25),
    **dict.fromkeys(("special.bdtr", "special.bdtrc", "special.bdtri", "linalg.lstsq"), 3.5),
    **dict.fromkeys(("special.polygamma", "special.softplus", "special.zeta"), 2.25),
    "lib.stride_tricks.sliding_window_view": 6,  # a copy, as its docstring says
    **dict.fromkeys(("ifloordiv", "imod"), 2.5),  # corrected, so computed beside and then written
}
"""What functions may take beyond NumPy's peak, in sizes of the operand: those composed of the namespace's own."""


# -- peaks ------------------------------------------------------------------------------------------------------------


def enlarged(value: Any) -> Any:
    """An argument with its arrays made large: matrices well conditioned, vectors of the length of a matrix's side."""
    if isinstance(value, (list, tuple)) and any(isinstance(item, xp.Array) for item in value):
        return type(value)(enlarged(item) for item in value)
    if not isinstance(value, xp.Array):
        return value
    host = np.asarray(value)
    if 1 in host.shape:
        return value
    if host.ndim == 2:
        large = np.tile(host, (SIDE // 2, SIDE // 2))
        if host.dtype.kind in "fc":
            large = large / (4 * SIDE) + np.eye(SIDE)
        return xp.asarray(large.astype(host.dtype))
    return xp.asarray(np.resize(host, SIDE)) if host.ndim else value


def raw(value: Any) -> Any:
    """An argument as NumPy's function takes it."""
    if isinstance(value, (list, tuple)):
        return type(value)(raw(item) for item in value)
    return value._native if isinstance(value, xp.Array) else value


def numpys(name: str) -> Callable[..., Any] | None:
    """NumPy's function, or SciPy's, of a name."""
    place: Any = np
    try:
        if name.startswith("special."):
            import scipy.special

            place, name = scipy.special, name.removeprefix("special.")
        for part in name.split("."):
            place = getattr(place, part)
    except (AttributeError, ImportError):
        return None
    return place


def peak(function: Callable[[], Any]) -> int:
    """The most bytes held at once in a call, its result included."""
    function()  # what is imported, cached or found once is none of the call's
    tracemalloc.start()
    try:
        result = function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        del result


def peaks(name: str) -> tuple[int, int] | None:
    """The peaks of a function on large arrays and of NumPy's own; None where NumPy has none of that signature."""
    reference, function = numpys(name), public_function(name)
    arguments = {key: enlarged(value) for key, value in GOOD[name]().items()}
    if reference is None or not any(isinstance(value, (xp.Array, list, tuple)) for value in arguments.values()):
        return None
    same = {key: raw(value) for key, value in arguments.items()}
    args: list[Any] = []
    for parameter in parameters_of(function):
        given = same.get(parameter.name, ())
        args += given if parameter.kind is parameter.VAR_POSITIONAL else [given] if parameter.name in same else []
    try:
        with call_conditions(name), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SciPy's, of the raw call
            ours = peak(lambda: call(function, arguments))
            theirs = peak(lambda: reference(*args))
    except (TypeError, ValueError, np.linalg.LinAlgError):
        return None
    return ours, theirs


@pytest.mark.parametrize("name", NAMES)
def test_peak_of_a_function_is_the_librarys_own(name, figures):
    with xp.use_device("cpu"):
        measured = peaks(name)
    if measured is None:
        pytest.skip("NumPy has no such function, or none with these arguments")
    ours, theirs = measured
    figures.record(bytes=ours, numpy_bytes=theirs)
    assert ours <= theirs + EXTRA.get(name, 0) * 8 * SIDE**2 + PYTHON, f"{ours} bytes, NumPy takes {theirs}"


def _views() -> dict[str, Callable[[xp.Array], Any]]:
    return {
        "x[...]": lambda x: x[...],
        "x[0, ...]": lambda x: x[0, ...],
        "x[1:, ::2]": lambda x: x[1:, ::2],
        "x[::-1, ...]": lambda x: x[::-1, ...],
        "x[None, ...]": lambda x: x[None, ...],
        "x.T": lambda x: x.T,
        "x.mT": lambda x: x.mT,
        "iteration": list,
        "asarray": xp.asarray,
        "astype(copy=False)": lambda x: xp.astype(x, x.dtype, copy=False),
        "broadcast_arrays": lambda x: xp.broadcast_arrays(x, x[0, ...]),
        "broadcast_to": lambda x: xp.broadcast_to(x, (64, *x.shape)),
        "diagonal": xp.linalg.diagonal,
        "expand_dims": lambda x: xp.expand_dims(x, axis=0),
        "flip": xp.flip,
        "from_dlpack": xp.from_dlpack,
        "matrix_transpose": xp.matrix_transpose,
        "moveaxis": lambda x: xp.moveaxis(x, 0, 1),
        "permute_dims": lambda x: xp.permute_dims(x, (1, 0)),
        "real": xp.real,
        "reshape": lambda x: xp.reshape(x, (-1,)),
        "squeeze": lambda x: xp.squeeze(x[None, ...], axis=0),
        "to_device": lambda x: x.to_device(x.device),
        "transpose": xp.transpose,
        "unstack": xp.unstack,
    }


@pytest.mark.parametrize("name", _views())
def test_view_takes_no_memory_of_its_own(name, figures):
    x = xp.ones((256, 256), device="cpu")
    taken = peak(lambda: _views()[name](x))
    figures.record(bytes=taken)
    # A part of the array's 512 KiB; an iteration makes an Array of each row.
    assert taken < (96 * 1024 if name in ("iteration", "unstack") else 8 * 1024)


INPLACE = ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"]


@pytest.mark.parametrize("name", INPLACE)
@pytest.mark.parametrize("operand", ["scalar", "array"])
def test_inplace_operator_takes_no_memory_of_its_own(name, operand, figures):
    x, other = xp.ones((256, 256), device="cpu"), xp.ones((256, 256), device="cpu")
    taken = peak(lambda: getattr(operator, name)(x, 2.0 if operand == "scalar" else other))
    figures.record(bytes=taken)
    assert taken <= x.nbytes * EXTRA.get(name, 0) + PYTHON


@pytest.mark.parametrize("key", ["...", "slice", "mask"])
def test_assignment_takes_no_memory_of_its_own(key, figures):
    x = xp.ones((256, 256), device="cpu")
    chosen = {"...": ..., "slice": (slice(1, None), slice(None, None, 2)), "mask": x > 0}[key]

    def assign() -> None:
        x[chosen] = 2.0

    taken = peak(assign)
    figures.record(bytes=taken)
    assert taken <= PYTHON


# -- growth -----------------------------------------------------------------------------------------------------------


def resident() -> int:
    """The bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def mixed_calls(device: xp.Device) -> list[Callable[[], Any]]:
    """Calls of every function, of methods and operators, good ones and refused ones."""
    x, y = matrix(), matrix()
    calls: list[Callable[[], Any]] = [
        lambda: x + y,
        lambda: x * 2.0,
        lambda: x[0, ...],
        lambda: x[x > 1.0] if device.backend == "numpy" else x[0, :],
        lambda: x.T @ y,
        lambda: [float(value) for value in x[0, ...]],
        lambda: x.to_device("cpu"),
        lambda: xp.from_dlpack(x),
        lambda: refused(lambda: x + None),
        lambda: refused(lambda: x[5]),
        lambda: refused(lambda: xp.reshape(x, (3,))),
        lambda: refused(lambda: xp.zeros((2**62,))),
    ]
    for name in NAMES:
        function, arguments = public_function(name), GOOD[name]()

        def good(name: str = name, function: Any = function, arguments: Any = arguments) -> None:
            with call_conditions(name):
                call(function, arguments)

        try:
            good()
        except xp.special.FunctionUnavailableError:
            continue
        calls.append(good)
    return calls


def refused(function: Callable[[], Any]) -> None:
    try:
        function()
    except DOCUMENTED:
        return
    raise AssertionError("it was accepted")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say how much memory is resident")
def test_resident_memory_does_not_grow_with_calls(device, figures):
    rng = random.Random(0)
    total = scale(40_000, 800_000) if device.backend == "numpy" else scale(10_000, 200_000)
    calls = mixed_calls(device)

    def some(count: int) -> None:
        for function in rng.choices(calls, k=count):
            function()

    for function in calls:
        function()
    some(total // 5)
    gc.collect()
    before = resident()
    some(total)
    gc.collect()
    grown = resident() - before
    figures.record(calls=total, bytes_grown=max(grown, 0))
    # What an allocator keeps in its arenas; one Array leaked a call would be four times as much, or more.
    assert grown < scale(2, 8) * 2**20


# -- the end of an array ----------------------------------------------------------------------------------------------


@contextmanager
def no_collector() -> Iterator[None]:
    """The cyclic collector off: what is freed is freed by its last reference."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def arrays_in(value: Any) -> list[xp.Array]:
    """The Arrays in an argument or a result."""
    if isinstance(value, xp.Array):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [found for item in value for found in arrays_in(item)] if isinstance(value, (list, tuple)) else []


def watched(*values: Any) -> list[weakref.ref[Any]]:
    """Weak references to the Arrays in some values, and to their native arrays where these allow it."""
    found: list[weakref.ref[Any]] = []
    for x in arrays_in(values):
        found.append(weakref.ref(x))
        try:
            found.append(weakref.ref(x._native))
        except TypeError:
            continue
    return found


def alive(references: list[weakref.ref[Any]]) -> list[Any]:
    return [type(reference()) for reference in references if reference() is not None]


@pytest.mark.parametrize("name", NAMES)
def test_arrays_of_a_call_are_freed_with_their_last_reference(device, name, figures):
    function = public_function(name)
    with no_collector():
        arguments = GOOD[name]()
        try:
            with call_conditions(name):
                result = call(function, arguments)
        except xp.special.FunctionUnavailableError as error:
            pytest.skip(str(error))
        references = watched(arguments, result)
        del result
        arguments.clear()
        assert alive(references) == []
    figures.record(arrays=len(references))


FREED_CASES = [case for case in BAD if case != "list in itself"]
"""A list in recursive_list is a cycle, and so freed by the collector alone."""


@pytest.mark.parametrize("name", NAMES)
def test_refused_call_keeps_no_operand_beyond_its_traceback(device, name, figures):
    function = public_function(name)
    cases = 0
    with no_collector():
        for parameter in parameters_of(function):
            if (name, parameter.name) in REPETITIONS:
                continue
            for case in random.Random(name).sample(FREED_CASES, scale(12, len(FREED_CASES))):
                arguments = replace_argument(function, GOOD[name](), parameter.name, BAD[case]())
                references = watched(arguments)
                try:
                    with call_conditions(name):
                        call(function, arguments)
                except Exception:
                    cases += 1
                arguments.clear()
                assert alive(references) == [], f"{parameter.name}={case}"
    figures.record(refused=cases)


WAYS: dict[str, Callable[[xp.Array], Any]] = {
    **_views(),
    "operators": lambda x: (x + x, 2 * x, -x, x @ x, x < x, abs(x), x**2),
    "in-place operators": lambda x: operator.iadd(xp.asarray(x, copy=True), x),
    "iterators": lambda x: (iter(x), next(iter(x)), list(x)),
    "an unfinished iterator": lambda x: next(iter(x)),
    "DLPack capsule, not consumed": lambda x: x.__dlpack__(),
    "DLPack, consumed": lambda x: xp.from_dlpack(x),
    "DLPack, copied": lambda x: xp.from_dlpack(x, copy=True),
    "NumPy": lambda x: np.asarray(x) if x.device.host else x.to_device("cpu"),
    "move to the host": lambda x: x.to_device("cpu"),
    "copy": lambda x: x.copy(),
    "repr": repr,
    "refused operator": lambda x: refused(lambda: x + "text"),
    "refused shapes": lambda x: refused(lambda: x + xp.ones(7)),
    "refused index": lambda x: refused(lambda: x[99]),
    "refused assignment": lambda x: refused(lambda: x.__setitem__(0, "text")),
    "too large": lambda x: refused(lambda: xp.broadcast_to(x, (2**50, 4, 4)) + 1.0),
    **{
        f"x.{name}": lambda x, name=name: call(getattr(x, name), GOOD_METHODS[name]())
        for name in GOOD_METHODS
        if name not in ("item", "take", "reshape", "dot")
    },
}


@pytest.mark.parametrize("way", WAYS)
def test_array_is_freed_with_its_last_reference(device, way, figures):
    with no_collector():
        x = xp.ones((4, 4))
        try:
            result = WAYS[way](x)
        except (TypeError, IndexError, BufferError) as error:
            pytest.skip(f"{device} does not do that: {error}")
        references = watched(x, result)
        del x, result
        assert alive(references) == []
    figures.record(arrays=len(references))
