"""Arrays in files, with NumPy's names, signatures and formats. The values are copied to the host and from it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_dtype, check_flag
from .._core.compositions import composed
from .._core.device import Device
from ._arguments import as_arrays, shared_device
from ._conversions import creation_device

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["load", "loadtxt", "save", "savetxt", "savez", "savez_compressed"]


class ArrayFile(Mapping[str, Array]):
    """The Arrays of a ``.npz`` file by name, each read when it is asked for.

    Parameters
    ----------
    archive
        The open file, as NumPy reads it.
    device
        The device of the Arrays.
    """

    def __init__(self, archive: Any, device: Device) -> None:
        self._archive = archive
        self._device = device

    @property
    def files(self) -> list[str]:
        """The names of the Arrays."""
        return list(self._archive.files)

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def __getitem__(self, name: str) -> Array:
        return xp.asarray(self._archive[name], device=self._device)

    def __iter__(self) -> Iterator[str]:
        return iter(self._archive.files)

    def __len__(self) -> int:
        return len(self._archive.files)

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"ArrayFile({', '.join(self.files)}; device={str(self._device)!r})"


@composed
def load(
    file: Any,
    mmap_mode: Literal["r", "r+", "w+", "c"] | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: Literal["ASCII", "latin1", "bytes"] = "ASCII",
    *,
    max_header_size: int = 10000,
    device: str | Device | None = None,
) -> Array | ArrayFile:
    """Return the Array of a ``.npy`` file, or the Arrays of a ``.npz`` file.

    Parameters
    ----------
    file
        A path, or a file that is open for reading bytes and can be positioned.
    mmap_mode
        How NumPy maps a ``.npy`` file into memory: ``"r"``, ``"r+"``, ``"w+"`` or ``"c"``; None reads it.
    allow_pickle
        False: Arrays hold numbers, and files of pickled objects are not read.
    fix_imports, encoding
        These affect pickled objects alone, and are not used.
    max_header_size
        The largest size of a header that is read.
    device
        Device of the result. Default: the default device.

    Returns
    -------
    Array or mapping of str to Array
        The mapping reads an Array when it is asked for. It has ``files`` and ``close``, and is a context manager.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not in NumPy's format, or holds pickled objects.
    TypeError
        If ``allow_pickle`` is True, or the device does not support the dtype.

    Notes
    -----
    NumPy, ``load``.
    """
    target = creation_device("load", device)
    if check_flag(allow_pickle, "load", "allow_pickle"):
        raise TypeError(
            "load() does not take allow_pickle=True: xtensor Arrays hold numbers, which need no pickles; read other "
            "objects with numpy.load"
        )
    loaded = np.load(file, mmap_mode, fix_imports=fix_imports, encoding=encoding, max_header_size=max_header_size)
    if isinstance(loaded, np.ndarray):
        return xp.asarray(loaded, device=target)
    return ArrayFile(loaded, target)


@composed
def loadtxt(
    fname: Any,
    dtype: Any = float,
    comments: Any = "#",
    delimiter: str | None = None,
    converters: Any = None,
    skiprows: int = 0,
    usecols: Any = None,
    unpack: bool = False,
    ndmin: Literal[0, 1, 2] = 0,
    encoding: str | None = None,
    max_rows: int | None = None,
    *,
    quotechar: str | None = None,
    like: AnyArray | None = None,
    device: str | Device | None = None,
) -> Array:
    """Return the numbers of a text file.

    Parameters
    ----------
    fname
        A path, an open file, or an iterable of lines.
    dtype
        Dtype of the result; ``float`` stands for the default real floating-point dtype.
    comments
        The characters that begin a comment, or several such; None for no comments.
    delimiter
        The character between two numbers; None for whitespace.
    converters
        A function that converts the text of a number, or a dictionary of them by column.
    skiprows
        The number of lines to skip at the beginning.
    usecols
        The columns to read; None reads all.
    unpack
        Whether the result is transposed, so that each item is a column.
    ndmin
        The least number of dimensions of the result: 0, 1 or 2.
    encoding
        The encoding of the file.
    max_rows
        The largest number of rows to read; None reads all.
    quotechar
        The character around quoted text.
    like
        An Array whose device is the default one for the result.
    device
        Device of the result.

    Returns
    -------
    Array
        The numbers, of up to two dimensions.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the text is not a number, or the rows differ in length.
    TypeError
        If the device does not support the dtype.

    Notes
    -----
    NumPy, ``loadtxt``.
    """
    target = creation_device("loadtxt", device, like)
    wanted = target.default_dtypes["real floating"] if dtype is float else check_dtype(dtype, target, "loadtxt")
    values = np.loadtxt(
        fname,
        wanted,
        comments,
        delimiter,
        converters,
        skiprows,
        usecols,
        unpack,
        ndmin,
        encoding,
        max_rows,
        quotechar=quotechar,
    )
    return xp.asarray(values, device=target)


@composed
def save(file: Any, arr: Any, allow_pickle: bool = True) -> None:
    """Write an Array to a file in NumPy's ``.npy`` format.

    Parameters
    ----------
    file
        A path, to which ``.npy`` is added if it does not end so, or a file that is open for writing bytes.
    arr
        The Array, or a sequence with an Array in it.
    allow_pickle
        Not used: Arrays hold numbers, which need no pickles.

    Raises
    ------
    TypeError
        If ``arr`` has no xtensor Array, or is of dtype bfloat16, which the format does not have.

    Notes
    -----
    NumPy, ``save``.
    """
    check_flag(allow_pickle, "save", "allow_pickle")
    if isinstance(arr, (str, os.PathLike)):
        raise TypeError("save() takes the file first: save(file, x); the state of a model is saved by xtensor.nn.save")
    np.save(file, _on_host("save", arr), allow_pickle=False)


@composed
def savetxt(
    fname: Any,
    X: Any,  # noqa: N803 - NumPy's name
    fmt: Any = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    """Write an Array to a text file, one row in each line.

    Parameters
    ----------
    fname
        A path, which is compressed if it ends with ``.gz``, or an open file.
    X
        Array of one or two dimensions, or a sequence with an Array in it.
    fmt
        The format of a number, or one for each column.
    delimiter
        The text between two numbers.
    newline
        The text between two lines.
    header, footer
        Text at the beginning and at the end.
    comments
        The text before each line of ``header`` and ``footer``.
    encoding
        The encoding of the file.

    Raises
    ------
    TypeError
        If ``X`` has no xtensor Array.
    ValueError
        If ``X`` has more than two dimensions, or ``fmt`` does not fit.

    Notes
    -----
    NumPy, ``savetxt``.
    """
    np.savetxt(fname, _on_host("savetxt", X), fmt, delimiter, newline, header, footer, comments, encoding)


@composed
def savez(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Write several Arrays to one file in NumPy's ``.npz`` format.

    Parameters
    ----------
    file
        A path, to which ``.npz`` is added if it does not end so, or a file that is open for writing bytes.
    *args
        Arrays and array-likes, which get the names ``arr_0``, ``arr_1``, ….
    allow_pickle
        Not used: Arrays hold numbers, which need no pickles.
    **kwds
        Arrays and array-likes by name.

    Raises
    ------
    TypeError
        If none is an xtensor Array, or one is of dtype bfloat16, which the format does not have.
    ValueError
        If a name is that of a positional array.

    Notes
    -----
    NumPy, ``savez``.
    """
    positional, named = _all_on_host("savez", args, allow_pickle, kwds)
    np.savez(file, *positional, allow_pickle=False, **named)


@composed
def savez_compressed(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Write several Arrays to one compressed file in NumPy's ``.npz`` format.

    Parameters
    ----------
    file
        A path, to which ``.npz`` is added if it does not end so, or a file that is open for writing bytes.
    *args
        Arrays and array-likes, which get the names ``arr_0``, ``arr_1``, ….
    allow_pickle
        Not used: Arrays hold numbers, which need no pickles.
    **kwds
        Arrays and array-likes by name.

    Raises
    ------
    TypeError
        If none is an xtensor Array, or one is of dtype bfloat16, which the format does not have.
    ValueError
        If a name is that of a positional array.

    Notes
    -----
    NumPy, ``savez_compressed``.
    """
    positional, named = _all_on_host("savez_compressed", args, allow_pickle, kwds)
    np.savez_compressed(file, *positional, allow_pickle=False, **named)


def _on_host(name: str, value: Any) -> np.ndarray[Any, Any]:
    """Return the values of an Array, or of a sequence with an Array in it, as a NumPy array."""
    x = as_arrays(name, value)[0]
    if x.dtype.kind == "V":
        raise TypeError(
            f"{name}(): NumPy's file formats do not have dtype {x.dtype}; cast the xtensor Array to xtensor.float32"
        )
    return np.asarray(x.to_device("cpu"))


def _all_on_host(
    name: str, args: tuple[Any, ...], allow_pickle: Any, kwds: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return positional and named arrays as NumPy arrays; those of NumPy stay where they are."""
    check_flag(allow_pickle, name, "allow_pickle")
    values = [*args, *kwds.values()]
    shared_device(name, *values)
    host = [_on_host(name, value) if _has_array(value) else np.asarray(value) for value in values]
    return host[: len(args)], dict(zip(kwds, host[len(args) :], strict=True))


def _has_array(value: Any) -> bool:
    """Return whether a value is an Array, or has one among its items."""
    return value.__class__ is Array or (isinstance(value, (list, tuple)) and any(map(_has_array, value)))
