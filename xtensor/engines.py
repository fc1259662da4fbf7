"""Functions for arrays in chunks, which an engine computes: results of several arrays together, chunks, Zarr stores.

The devices of engines (``xtensor.device("dask")``) compute nothing until values are needed: by ``x.to_device("cpu")``,
by Python's conversions (``bool(x)``, ``float(x)``), by index arrays, by functions whose result's length depends on
values, and by the functions here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from ._core.array import Array
from ._core.backend import Engine
from ._core.calls import wrap
from ._core.device import Device
from ._core.devices import default_device, device, devices
from ._core.errors import WorkerLostError, describe
from ._core.transfers import computations as _counted
from ._core.transfers import forbid_computations

__all__ = [
    "WorkerLostError",
    "chunks",
    "computations",
    "compute",
    "forbid_computations",
    "from_engine",
    "from_zarr",
    "persist",
    "progress",
    "rechunk",
    "to_engine",
    "to_zarr",
    "ways",
]


def compute(*arrays: Array) -> tuple[Array, ...]:
    """Return Arrays with values in the host's memory, computed together: what they share is computed once.

    Parameters
    ----------
    arrays
        Arrays of any devices and dtypes.

    Returns
    -------
    tuple of Array
        An Array on ``"cpu"`` for each; an Array that is not an engine's is returned as it is.

    Raises
    ------
    TypeError
        If an argument is not an Array.
    """
    host = device("cpu")

    def computed(target: Any, natives: list[Any]) -> list[Array]:
        values = target._library.compute(natives)
        return [wrap(host._library.from_host(x, host._backend_spec, copy=None), host) for x in values]

    return _replaced(_checked(arrays, "compute"), computed)


def persist(*arrays: Array) -> tuple[Array, ...]:
    """Return Arrays whose chunks are computed together and stay where they were computed.

    Parameters
    ----------
    arrays
        Arrays of any devices and dtypes; those that are not an engine's are returned as they are.

    Raises
    ------
    TypeError
        If an argument is not an Array.
    """

    def persisted(target: Any, natives: list[Any]) -> list[Array]:
        return [wrap(native, target) for native in target._library.persist(natives)]

    return _replaced(_checked(arrays, "persist"), persisted)


@contextmanager
def progress(after: float | None = 1.0, /) -> Iterator[None]:
    """Show a progress bar for each computation in a block that takes longer than ``after`` seconds; None for no bars.

    Outside of such a block, a computation that takes longer than two seconds shows a bar in a terminal and in a
    notebook. The environment variable ``XTENSOR_PROGRESS=0`` turns these bars off.

    Parameters
    ----------
    after
        Seconds, 0 for a bar at once.

    Raises
    ------
    ValueError
        If ``after`` is negative.

    Examples
    --------
    >>> import xtensor as xp
    >>> with xp.engines.progress(5.0):
    ...     pass
    """
    if after is not None and not after >= 0:
        raise ValueError(f"progress() takes a number of seconds that is not negative, or None, not {after!r}")
    with ExitStack() as stack:
        for target in _engines():
            stack.enter_context(target._library.progress(after))  # type: ignore[attr-defined]
        yield


def chunks(x: Array, /) -> tuple[tuple[int, ...], ...]:
    """Return the lengths of an Array's chunks along each axis: its shape where its device has no chunks."""
    _checked((x,), "chunks")
    library = x._device._library
    return library.chunks(x._native) if isinstance(library, Engine) else tuple([(n,) for n in x.shape])


def rechunk(x: Array, chunks: Any, /) -> Array:
    """Return an Array in other chunks.

    Parameters
    ----------
    x
        Array of an engine. Any other is returned as it is.
    chunks
        The chunks as the engine describes them: for dask a length for all axes, one for each axis, ``"auto"``,
        ``"100 MiB"``, or a dict by axis.
    """
    _checked((x,), "rechunk")
    library = x._device._library
    return wrap(library.rechunk(x._native, chunks), x._device) if isinstance(library, Engine) else x


def from_zarr(store: Any, /, *, device: str | Device | None = None, **options: Any) -> Array:
    """Return an Array of a Zarr store, which is read when values are needed.

    Parameters
    ----------
    store
        Path, URL or store.
    device
        Device of an engine; by default the default device where it is an engine's, else the first engine's here.
    options
        Further arguments of the engine's function.

    Raises
    ------
    FileNotFoundError
        If there is no store at a path.
    TypeError
        If the device is no engine's.
    """
    target = _any_engine("from_zarr") if device is None else _engine(device, "from_zarr")
    return wrap(target._library.from_zarr(store, target._backend_spec, **options), target)


def to_zarr(x: Array, store: Any, /, **options: Any) -> None:
    """Compute an Array and write it to a Zarr store, chunk by chunk.

    A store in a folder gets its name when it is complete.

    Parameters
    ----------
    x
        Array of an engine, or of any other device, which is moved to the first engine here.
    store
        Path, URL or store.
    options
        ``overwrite=True`` replaces a store; further arguments of the engine's function.

    Raises
    ------
    FileExistsError
        If there is something at a path and ``overwrite`` is not True.
    """
    _checked((x,), "to_zarr")
    if not isinstance(x._device._library, Engine):
        x = x.to_device(_any_engine("to_zarr"))
    x._device._library.to_zarr(x._native, store, **options)  # type: ignore[attr-defined]


def from_engine(array: Any, /, *, device: str | Device | None = None) -> Array:
    """Return an engine's own array, such as ``dask.array.Array``, as an Array; unknown lengths are computed.

    Parameters
    ----------
    array
        Array of the engine's library; for dask also a DataFrame or a Series of numbers.
    device
        Device of the engine; by default that of the array's library.

    Raises
    ------
    TypeError
        If it is not the engine's array, it does not have numbers, or the device is no engine's.
    """
    if device is None:
        library = type(array).__module__.partition(".")[0]
        device = next((target for target in _engines() if target._library.name == library), None)
        if device is None:
            raise TypeError(f"from_engine() takes an array of an engine, not {describe(array)}; use xtensor.asarray")
    target = _engine(device, "from_engine")
    native = target._library.adopt(array, target._backend_spec)
    if not target.supports(native.dtype):
        raise TypeError(
            f"from_engine() takes booleans and numbers, and the array has dtype {native.dtype}; select the columns of "
            "numbers, or cast it"
        )
    return wrap(native, target)


def to_engine(x: Array, /) -> Any:
    """Return the engine's own array of an Array: a ``dask.array.Array`` for the device ``dask``.

    Raises
    ------
    TypeError
        If the Array's device is no engine's.
    """
    _checked((x,), "to_engine")
    return _engine(x._device, "to_engine")._library.own(x._native)


def computations(device_: str | Device | None = None, /) -> int:
    """Return how often a device, or all devices of engines, computed because Python needed a value.

    That is since the process began, by conversions, index arrays and lengths. Under ``xtensor.transfers("log")`` each
    is logged with its line.
    """
    return sum(_counted.values()) if device_ is None else _counted[str(device_)]


def ways(device: str | Device, /) -> dict[str, tuple[str, ...]]:
    """Return the names of the functions of an engine's device by the way that each goes.

    Parameters
    ----------
    device
        Device of an engine.

    Returns
    -------
    dict
        For ``dask`` and ``cubed`` the ways are ``"chunk by chunk"``, ``"tree"``, ``"one chunk along an axis"`` and
        others. No function computes on the host.

    Raises
    ------
    TypeError
        If the device is no engine's.
    """
    return {way: tuple(names) for way, names in _engine(device, "ways")._library.ways().items()}


def __dir__() -> list[str]:
    return __all__


def _checked(arrays: tuple[Any, ...], name: str) -> tuple[Array, ...]:
    for x in arrays:
        if x.__class__ is not Array:
            raise TypeError(f"{name}() takes Arrays, not {describe(x)}; make one with xtensor.asarray")
    return arrays


def _replaced(arrays: tuple[Array, ...], function: Callable[[Any, list[Any]], list[Array]]) -> tuple[Array, ...]:
    """Return Arrays with the results of a function in the place of the native arrays of each engine."""
    replaced = list(arrays)
    for target in dict.fromkeys(x._device for x in arrays if isinstance(x._device._library, Engine)):
        targets = [i for i, x in enumerate(arrays) if x._device is target]
        for i, x in zip(targets, function(target, [arrays[i]._native for i in targets]), strict=True):
            replaced[i] = x
    return tuple(replaced)


def _engine(spec: str | Device, name: str) -> Any:
    target = device(spec)
    if not isinstance(target._library, Engine):
        raise TypeError(f"{name}() takes a device of an engine, such as 'dask', not {str(target)!r}")
    return target


def _engines() -> list[Device]:
    return [target for target in devices() if isinstance(target._library, Engine)]


def _any_engine(name: str) -> Any:
    chosen = default_device()
    engines = [chosen] if isinstance(chosen._library, Engine) else _engines()
    if engines:
        return engines[0]
    raise TypeError(f"{name}() needs a device of an engine, such as 'dask'; python -m xtensor prints what is missing")
