"""Memory: the peak of a call, growth over many calls, and the end of an array's lifetime."""

from __future__ import annotations

import gc
import inspect
import operator
import os
import random
import sys
import tracemalloc
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from arguments import BAD, DOCUMENTED, REPETITIONS, call, call_conditions, replace_argument
from good_arguments import (
    GOOD,
    GOOD_METHODS,
    STATEFUL_FUNCTIONS,
    matrix,
    parameters_of,
    public_function,
)
from toy import ToyBackend

import xtensor as xp

from .tiers import scale

pytestmark = pytest.mark.usefixtures("empty_folder")

STATEFUL = ("register_backend", "backends", "best_device", "devices", *STATEFUL_FUNCTIONS)

NAMES = [name for name in GOOD if name not in STATEFUL]

SIDE = 96
"""Side of the matrices whose memory is measured: 72 KiB of float64, far more than Python's objects need."""

PYTHON = 16 * 1024
"""Allowance in bytes for Python's objects in a call: Arrays, tuples, frames."""

EXTRA: dict[str, float] = {
    **dict.fromkeys(("nanmax", "nanmin", "nanstd", "nanvar"), 1.25),
    **dict.fromkeys(("median", "nanmedian", "quantile", "nanquantile", "allclose", "isclose", "diag"), 1.25),
    **dict.fromkeys(("special.bdtr", "special.bdtrc", "special.bdtri", "linalg.lstsq"), 3.5),
    **dict.fromkeys(("special.polygamma", "special.softplus", "special.zeta"), 2.25),
    **dict.fromkeys(("apply_along_axis", "histogramdd", "intersect1d", "packbits", "setxor1d", "unique"), 0.5),
    **dict.fromkeys(("nan_to_num", "union1d"), 0.5),
    **dict.fromkeys(("cov", "diagflat", "fill_diagonal", "insert", "linalg.norm", "nanpercentile", "percentile"), 1.25),
    **dict.fromkeys(("piecewise", "putmask", "tril_indices_from", "triu_indices_from", "vander"), 1.25),
    **dict.fromkeys(("corrcoef", "fft.fft2", "fft.ifft2", "fft.irfft2"), 2.25),
    # The buffers of each thread's rows or columns.
    **dict.fromkeys(("fft.fft", "fft.ifft", "fft.rfft2", "fft.rfftn"), 0.7),
    # The transposed factor, whose rows the kernel reads.
    "linalg.cholesky": 1.0,
    **dict.fromkeys(("choose", "place"), 4.25),
    # A stable order from NumPy's fastest algorithm, which is not stable.
    **dict.fromkeys(("argpartition", "argsort"), 3.25),
    "lexsort": 5.25,
    "setdiff1d": 5.25,
    # Where all eigenvalues are real, NumPy returns real parts of complex results. The standard asks for complex ones.
    "linalg.eig": 2.25,
    "interp": 11.5,  # the ends of the interval of each element, and the rules for NaN and infinities
    "lib.stride_tricks.sliding_window_view": 6,  # a copy, as its docstring says
    **dict.fromkeys(("ifloordiv", "imod"), 2.5),  # corrected: the result is computed, then written
}
"""Allowance of composed and corrected functions beyond NumPy's peak, in sizes of the operand."""


# -- peaks ------------------------------------------------------------------------------------------------------------


def enlarged(value: Any) -> Any:
    """Replace the arrays of an argument by large ones: well-conditioned matrices, and vectors of length ``SIDE``."""
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


def native_of(value: Any) -> Any:
    """Replace the Arrays of an argument by their native arrays, and functions of the namespace by NumPy's."""
    if inspect.isroutine(value):
        return getattr(np, value.__name__)
    if isinstance(value, (list, tuple)):
        return type(value)(native_of(item) for item in value)
    return value._native if isinstance(value, xp.Array) else value


def reference_of(name: str) -> Callable[..., Any]:
    """Return NumPy's function of a name, or SciPy's for a special function."""
    function: Any = pytest.importorskip("scipy.special") if name.startswith("special.") else np
    for part in name.removeprefix("special.").split("."):
        function = getattr(function, part)
    return function


def peak(function: Callable[[], Any]) -> int:
    """Return the peak of the bytes allocated during a call, including its result: the smaller one of two calls.

    The tracer counts what other threads allocate as well, such as the one that sends the results of tests.
    """
    for _ in range(2):
        function()  # imports, fills caches, and records its formula at the second call
    return min(_traced(function) for _ in range(2))


def _traced(function: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        result = function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        del result


def has_reference(name: str) -> bool:
    """Return whether NumPy or SciPy has a function of a name, and the function takes arrays."""
    own = ("default_device", "device", "linalg.solve_triangular", "to_numpy", "__array_namespace_info__")
    if name.startswith("nn.") or name in own:
        return False
    with xp.use_device("cpu"):
        return any(isinstance(value, (xp.Array, list, tuple)) for value in GOOD[name]().values())


LARGE_ARGUMENTS: dict[str, Callable[[], dict[str, Any]]] = {
    "broadcast_to": lambda: {"x": xp.ones((SIDE, SIDE)), "shape": (3, SIDE, SIDE)},
    **dict.fromkeys(("cross", "linalg.cross"), lambda: {"x1": xp.ones((SIDE**2 // 3, 3)), "x2": xp.ones((1, 3))}),
    "digitize": lambda: {"x": xp.ones((SIDE, SIDE)), "bins": xp.arange(float(SIDE))},
    "dsplit": lambda: {"ary": xp.ones((2, SIDE // 2, SIDE)), "indices_or_sections": 2},
    "histogramdd": lambda: {"sample": xp.ones((SIDE**2 // 2, 2))},
    "linalg.tensorinv": lambda: {"a": xp.reshape(xp.eye(SIDE), (SIDE // 2, 2, SIDE // 2, 2))},
    "reshape": lambda: {"x": xp.ones((SIDE, SIDE)), "shape": (SIDE**2,)},
    "special.multigammaln": lambda: {"a": xp.full((SIDE, SIDE), 3.0), "d": 2},
}
"""Arguments of the functions that do not accept enlarged matrices and vectors."""


def peaks(name: str) -> tuple[int, int]:
    """Return the peak of a function on large arrays, and that of NumPy's or SciPy's function."""
    reference, function = reference_of(name), public_function(name)
    arguments = LARGE_ARGUMENTS.get(name, lambda: {key: enlarged(value) for key, value in GOOD[name]().items()})()
    native = {key: native_of(value) for key, value in arguments.items()}
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for parameter in parameters_of(function):
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += native.get(parameter.name, ())
        elif parameter.kind is parameter.VAR_KEYWORD:
            kwargs |= native.get(parameter.name, {})
        elif parameter.name in native:
            args.append(native[parameter.name])
    with call_conditions(name), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of SciPy's function
        return peak(lambda: call(function, arguments)), peak(lambda: reference(*args, **kwargs))


@pytest.mark.parametrize("name", [name for name in NAMES if has_reference(name)])
def test_peak_memory_of_a_function_is_that_of_numpy(name, figures):
    with xp.use_device("cpu"):
        bytes_, numpy_bytes = peaks(name)
    figures.record(bytes=bytes_, numpy_bytes=numpy_bytes)
    limit = numpy_bytes + EXTRA.get(name, 0) * 8 * SIDE**2 + PYTHON
    assert bytes_ <= limit, f"{bytes_} bytes, NumPy allocates {numpy_bytes}"


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
def test_view_allocates_nothing(name, figures):
    x = xp.ones((256, 256), device="cpu")
    allocated = peak(lambda: _views()[name](x))
    figures.record(bytes=allocated)
    # The array has 512 KiB. Iteration creates an Array for each row.
    assert allocated < (96 * 1024 if name in ("iteration", "unstack") else 8 * 1024)


INPLACE = ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"]


@pytest.mark.parametrize("name", INPLACE)
@pytest.mark.parametrize("operand", ["scalar", "array"])
def test_inplace_operator_allocates_nothing(name, operand, figures):
    x, other = xp.ones((256, 256), device="cpu"), xp.ones((256, 256), device="cpu")
    allocated = peak(lambda: getattr(operator, name)(x, 2.0 if operand == "scalar" else other))
    figures.record(bytes=allocated)
    assert allocated <= x.nbytes * EXTRA.get(name, 0) + PYTHON


@pytest.mark.parametrize("key", ["...", "slice", "mask"])
def test_assignment_allocates_nothing(key, figures):
    x = xp.ones((256, 256), device="cpu")
    index = {"...": ..., "slice": (slice(1, None), slice(None, None, 2)), "mask": x > 0}[key]

    def assign() -> None:
        x[index] = 2.0

    allocated = peak(assign)
    figures.record(bytes=allocated)
    assert allocated <= PYTHON


# -- growth -----------------------------------------------------------------------------------------------------------


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def mixed_calls(device: xp.Device) -> list[Callable[[], Any]]:
    """Return calls of every function, of operators and methods, valid ones and invalid ones."""
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
        lambda: assert_raises(lambda: x + None),
        lambda: assert_raises(lambda: x[5]),
        lambda: assert_raises(lambda: xp.reshape(x, (3,))),
        lambda: assert_raises(lambda: xp.zeros((2**62,))),
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


def assert_raises(function: Callable[[], Any]) -> None:
    try:
        function()
    except DOCUMENTED:
        return
    raise AssertionError("the call did not raise")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not report resident memory")
def test_resident_memory_does_not_grow_with_calls(device, figures):
    rng = random.Random(0)
    total = scale(40_000, 200_000) if device.backend == "numpy" else scale(10_000, 50_000)
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
    # Allocators keep free memory in arenas. A leak of one Array for each call would be at least four times the limit.
    assert grown < scale(2, 8) * 2**20


@pytest.mark.parametrize("name", NAMES)
def test_allocated_blocks_do_not_grow_with_calls_of_a_function(name, figures):
    count, passes, grown = scale(100, 1000), 0, 0
    gc.collect()
    gc.freeze()  # so that a collection inspects the objects of these calls only
    try:
        with xp.use_device("cpu"), call_conditions(name):
            function, arguments = public_function(name), GOOD[name]()
            # Caches fill during the first passes; a leak of one object for each call never falls below the limit.
            while passes < 20 and (passes < 2 or grown >= count // 4):
                passes += 1
                before = sys.getallocatedblocks()
                for _ in range(count):
                    call(function, arguments)
                gc.collect()
                grown = sys.getallocatedblocks() - before
    finally:
        gc.unfreeze()
    figures.record(calls=passes * count, blocks_grown=max(grown, 0))
    assert grown < count // 4


# -- lifetimes ---------------------------------------------------------------------------------------------------------


@contextmanager
def no_collector() -> Iterator[None]:
    """Disable the cyclic collector, so that only the last reference frees an object."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def arrays_in(value: Any) -> list[xp.Array]:
    """Return the Arrays in an argument or a result."""
    if isinstance(value, xp.Array):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [array for item in value for array in arrays_in(item)] if isinstance(value, (list, tuple)) else []


def weak_references(*values: Any) -> list[weakref.ref[Any]]:
    """Return weak references to the Arrays in values, and to their native arrays if these support it."""
    references: list[weakref.ref[Any]] = []
    for x in arrays_in(values):
        references.append(weakref.ref(x))
        try:
            references.append(weakref.ref(x._native))
        except TypeError:
            continue
    return references


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
        references = weak_references(arguments, result)
        del result
        arguments.clear()
        assert alive(references) == []
    figures.record(arrays=len(references))


FREED_CASES = [case for case in BAD if case != "list in itself"]
"""Invalid values without a reference cycle, which only the cyclic collector frees."""


# NumPy's savetxt leaves a cycle of its own, with the array, after an error.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "savetxt"])
def test_failed_call_does_not_keep_its_operands_alive(device, name, figures):
    function = public_function(name)
    cases = 0
    with no_collector():
        for parameter in parameters_of(function):
            if (name, parameter.name) in REPETITIONS:
                continue
            for case in random.Random(name).sample(FREED_CASES, scale(12, len(FREED_CASES))):
                arguments = replace_argument(function, GOOD[name](), parameter.name, BAD[case]())
                references = weak_references(arguments)
                try:
                    with call_conditions(name):
                        call(function, arguments)
                except Exception:
                    cases += 1
                arguments.clear()
                assert alive(references) == [], f"{parameter.name}={case}"
    figures.record(refused=cases)


USES: dict[str, Callable[[xp.Array], Any]] = {
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
    "refused operator": lambda x: assert_raises(lambda: x + "text"),
    "refused shapes": lambda x: assert_raises(lambda: x + xp.ones(7)),
    "refused index": lambda x: assert_raises(lambda: x[99]),
    "refused assignment": lambda x: assert_raises(lambda: x.__setitem__(0, "text")),
    "too large": lambda x: assert_raises(lambda: xp.broadcast_to(x, (2**50, 4, 4)) + 1.0),
    **{
        f"x.{name}": lambda x, name=name: call(getattr(x, name), GOOD_METHODS[name]())
        for name in GOOD_METHODS
        if name not in ("item", "take", "reshape", "dot", "choose", "searchsorted")
    },
}


@pytest.mark.parametrize("use", USES)
def test_array_is_freed_with_its_last_reference(device, use, figures):
    with no_collector():
        x = xp.ones((4, 4))
        try:
            result = USES[use](x)
        except IndexError:
            assert device.backend == "strict"
            assert "iterat" in use  # an index of fewer integers than dimensions
            return
        except BufferError as error:
            if device.host:
                raise
            pytest.skip(f"{device} does not export arrays by DLPack: {error}")
        references = weak_references(x, result)
        del x, result
        assert alive(references) == []
    figures.record(arrays=len(references))


WARNED: dict[str, Callable[[xp.Array], Any]] = {
    "x / 0": lambda x: x / 0.0,
    "x // 0": lambda x: x // 0.0,
    "x % 0": lambda x: x % 0.0,
    "log(0)": lambda x: xp.log(x * 0.0),
    "inf - inf": lambda x: x * np.inf - x * np.inf,
    **{name: lambda x, name=name: getattr(operator, name)(x, x * 0.0) for name in ("itruediv", "ifloordiv", "imod")},
    "isub": lambda x: operator.isub(x, x * np.inf * 0.0 + np.inf),
    "imatmul": lambda x: operator.imatmul(x * np.inf, x * 0.0),
    "ipow": lambda x: operator.ipow(x * 0.0, x * -1.0),
    "overlapping itruediv": lambda x: operator.itruediv(x[:, :2], (x - 1.0)[:, 1:3]),
}
"""Uses that raise or issue a floating-point warning on some devices."""


@pytest.mark.parametrize("use", WARNED)
@pytest.mark.parametrize("action", ["default", "error"])
def test_array_of_a_call_with_a_warning_is_freed(device, use, action, figures):
    with no_collector(), warnings.catch_warnings(record=action == "default"):
        warnings.resetwarnings()
        if action == "error":
            warnings.simplefilter("error")
        else:
            # The package's own filter, by which a warning is an exception first; see xtensor._core.failures.
            warnings.filterwarnings("error", category=RuntimeWarning, module=r"xtensor\._core\.|xtensor_")
        x = xp.ones((4, 4))
        references = weak_references(x)
        with suppress(RuntimeWarning):
            WARNED[use](x)
        del x
        assert alive(references) == []
    figures.record(arrays=len(references))


REFUSED: dict[str, Callable[[xp.Array], Any]] = {
    "move to an unavailable device": lambda x: x.to_device("missing:0"),
    "asarray on an unavailable device": lambda x: xp.asarray(x, device="missing:0"),
    "operator with a foreign object": lambda x: x + Declining(),
    "operator of a foreign object": lambda x: Declining() + x,
    "in-place operator with a foreign object": lambda x: operator.iadd(x, Declining()),
    "comparison with a foreign object": lambda x: x < Declining(),
    "NumPy function without a counterpart": lambda x: np.busday_count(x, x),
    "faulty producer": lambda x: xp.from_dlpack(FaultyProducer(x)),
    "unknown version": lambda x: x.__array_namespace__(api_version="1999.12"),
}


class Declining:
    """Object whose operators decline every operand."""

    __array_ufunc__ = None

    def __add__(self, other):
        return NotImplemented

    __radd__ = __lt__ = __gt__ = __add__


class FaultyProducer:
    """Holds an Array and exports nothing."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, **_):
        raise RuntimeError("nothing is exported")


@pytest.mark.parametrize("use", REFUSED)
def test_refused_operand_is_freed(device, registry, use, figures):
    failure = xp.BackendUnavailableError("its library is missing", "install it")
    backend = ToyBackend(name="missing", specs=("missing:0",), failure=failure)
    backend.kinds = ("missing",)
    xp.register_backend(backend)
    with no_collector():
        x = xp.ones((4, 4))
        references = weak_references(x)
        with suppress(*DOCUMENTED, xp.BackendUnavailableError):
            REFUSED[use](x)
        del x
        assert alive(references) == []
    figures.record(arrays=len(references))
