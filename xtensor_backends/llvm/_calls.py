"""Calls of kernels: from NumPy arrays to machine code and back.

A kernel is compiled for a program and a layout at their first call, and kept. The arguments of a call are checked by
the caller: dtypes that the program names, shapes that broadcast.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from xtensor.backend import Program, WrittenWithWarningError, rewarn

from . import _compile, _exceptions, _threads
from ._costs import cost, has_formula, is_simple, writes_past_caches
from ._counts import Calls
from ._exceptions import underflow_is_reported
from ._loops import Layout, elementwise_module
from ._memory import allocator
from ._runtime import MAX_OPERANDS, signed, transpose
from ._runtime import adjacent as _adjacent
from ._runtime import call as _call
from ._runtime import call_unlocked as _call_unlocked
from ._sizes import BYTES_STREAMED
from ._walks import Walk, has_rows, joined_letters, walk_of

__all__ = [
    "Calls",
    "Kernel",
    "compiled",
    "compute",
    "compute_over",
    "count_calls",
    "elementwise_kernel",
    "empty",
    "in_row_major_order",
    "transposed",
    "would_write",
]

Array = np.ndarray[Any, Any]

empty = allocator()
"""Makes arrays of memory that is kept."""

MOST_OPERANDS = MAX_OPERANDS - 3
"""Operands of a call besides the kernel, the numbers of parts and threads, and the time."""

PARALLEL = 8_000.0
"""Nanoseconds of work from which threads share a kernel."""

PARTS = 4
"""Parts of a kernel for each thread, in case another one is interrupted or begins late."""

MOST_PARTS = 8
"""The same for a kernel of :data:`LONG` nanoseconds or more, of which a part would take long."""

LONG = 50_000.0
"""Nanoseconds of work from which a fourth of a thread's share is too long to wait for."""

TRANSPOSED_BYTE = 0.1
"""Nanoseconds for a byte of an array that one thread copies into another order."""

MOST_LAYOUTS = 64
"""Kernels and layouts of a program up to which layouts are kept."""

LARGEST = 16
"""Bytes of an element, at most."""

LEAST_COPIED = 2**14
"""Elements from which a kernel copies an array into another order."""


class Kernel:
    """The machine code of a module, and what a call needs.

    Attributes
    ----------
    address
        The address of its function ``run``.
    job
        That of the function that computes a part of the elements.
    alone
        The first operands of a call on one thread: the address, the numbers of parts and threads, and no time.
    cost
        Nanoseconds that one thread takes for an element.
    results
        The dtypes of the outputs.
    wide
        Converters of the scalar arguments to the float or the signed integer that is passed.
    """

    __slots__ = ("address", "alone", "cost", "job", "results", "wide")

    def __init__(self, program: Program, key: str, make: Callable[[], Any]) -> None:
        code = _compile.compile_module(
            make, ["run", "job"], key=f"{program.key} {key}", symbols=_threads.symbols() | _exceptions.symbols()
        )
        self.address, self.job = code["run"], code["job"]
        self.alone = self.address, 1, 1, 0
        steps = [step.name for step in program.steps] + [name for name, _ in program.reductions]
        _names[self.address] = "+".join(steps)
        self.cost = cost(program)
        self.wide = [
            float if np.dtype(name).kind == "f" else signed if name == "uint64" else int for name in program.scalars
        ]
        self.results = [program.dtypes[position] for position in program.outputs]

    def run(
        self, elements: int, operands: tuple[Any, ...], scalars: Sequence[float], waiting: Waiting | None = None
    ) -> int:
        """Call the kernel; return 0, or another number if NumPy is to compute.

        That is where an element is doubtful, and where there are too many operands.

        Parameters
        ----------
        elements
            The number of elements that it goes over, from which the time is estimated.
        operands
            What it reads after the numbers of parts and threads and the time: arrays and integers.
        scalars
            Python numbers, one for each scalar of the program.
        waiting
            Calls that :mod:`_together` makes later, to which this one is added instead.
        """
        if scalars:
            operands += tuple([kind(scalar) for kind, scalar in zip(self.wide, scalars, strict=True)])
        if len(operands) > MOST_OPERANDS:
            return 1
        if waiting is not None:
            waiting.append((self, elements, operands))
            return 0
        nanoseconds = elements * self.cost
        # A sum of two tuples takes less time than a new one of their items.
        if nanoseconds < PARALLEL:
            return _call(*(self.alone + operands))
        threads = _threads.team()
        if threads == 1:
            return _call_unlocked(*(self.alone + operands))
        parts = threads * (PARTS if nanoseconds < LONG else MOST_PARTS)
        shared = self.address, parts, threads, int(nanoseconds)
        return _call_unlocked(*(shared + operands))

    def run_parts(self, parts: int, nanoseconds: float, operands: tuple[Any, ...]) -> None:
        """Call a kernel that has a place in memory for each part."""
        _call_unlocked(self.address, parts, _threads.team(), int(nanoseconds), *operands)


Waiting = list[tuple[Kernel, int, tuple[Any, ...]]]
"""Kernels, each with the number of elements that it goes over and its operands after the numbers of parts, threads and
nanoseconds."""

_failed = False


def compiled(program: Program, key: Hashable, make: Callable[[], Any]) -> Kernel | None:
    """Return a kernel of a program, which is compiled at the first call; None where LLVM cannot compile it.

    NumPy computes from then on, and the first such kernel warns.

    Parameters
    ----------
    key
        What determines the module together with the program: the kernel's key in ``program.kernels``.
    make
        Makes the module.
    """
    global _failed
    try:
        return program.kernels[key]  # type: ignore[no-any-return]
    except KeyError:
        pass
    try:
        kernel = program.kernels[key] = Kernel(program, str(key), make)
    except MemoryError:
        raise  # the core releases memory and calls again
    except Exception as error:
        program.kernels[key] = None
        if not _failed:
            _failed = True
            rewarn(
                RuntimeWarning(
                    "NumPy computes in the place of a kernel of device cpu, because LLVM cannot compile it: "
                    f"{type(error).__name__}: {error}"
                )
            )
        return None
    return kernel


def elementwise_kernel(
    program: Program, operands: str, axes: int = 0, over: int = -1, *, streams: bool = False
) -> Kernel | None:
    layout = Layout(operands, axes, over, streams)
    return compiled(program, layout, lambda: elementwise_module(program, layout))


# -- counting ---------------------------------------------------------------------------------------------------------

_names: dict[int, str] = {}
"""The names of kernels by their addresses."""

_active: list[Calls] = []
_plain = _call, _call_unlocked


@contextmanager
def count_calls() -> Iterator[Calls]:
    """Count the calls of kernels inside a ``with`` block, in all threads. Other calls cost nothing more."""
    calls = Calls()
    _count((*_active, calls))
    try:
        yield calls
    finally:
        _count([other for other in _active if other is not calls])


def _count(active: Sequence[Calls]) -> None:
    """Set the blocks that are open."""
    global _call, _call_unlocked
    _active[:] = active
    _call, _call_unlocked = map(_counted, _plain) if active else _plain


def _counted(function: Callable[..., int]) -> Callable[..., int]:
    def counted(address: int, parts: int, *operands: Any) -> int:
        doubtful = function(address, parts, *operands)
        for calls in _active:
            calls.kernels[_names[address]] += 1
            calls.parts += parts
            if doubtful:
                calls.doubtful[_names[address]] += 1
        return doubtful

    return counted


def compute(
    program: Program,
    arrays: tuple[Array, ...],
    scalars: Sequence[float] = (),
    spare: Array | None = None,
    waiting: Waiting | None = None,
) -> tuple[Array, ...] | None:
    """Return a program's outputs for arrays.

    Parameters
    ----------
    arrays
        One for each input, of its dtype; their shapes broadcast.
    scalars
        Python numbers, one for each scalar of the program.
    spare
        One of the arrays, which may be written over by the only output.
    waiting
        As of :meth:`Kernel.run`.

    Returns
    -------
    tuple of arrays, or None
        None where the kernel does not take the layout; an empty tuple where an element is doubtful.

    Raises
    ------
    WrittenWithWarningError
        If NumPy warns of the output, which was written over the spare array.
    """
    if program.checks and underflow_is_reported():
        return None
    size = _adjacent(*arrays)
    order = "C"
    if size < 0:
        layouts = tuple([(x.shape, x.strides) for x in arrays])
        known: tuple[Kernel, Walk] | None = program.kernels.get(layouts)
        if known is not None and all(x.flags.aligned for x in arrays):
            return _compute_walk(*known, arrays, scalars, waiting)
        order_of_arrays = _order(arrays, arrays[0].shape)
        if order_of_arrays is None:
            return _compute_strided(program, arrays, scalars, waiting)
        order, size = order_of_arrays, arrays[0].size
    if spare is not None and _may_write(program, arrays, spare):
        return _write(program, arrays, scalars, spare)
    streams = size * LARGEST >= BYTES_STREAMED and writes_past_caches(program, size)
    kernel: Kernel | None = program.kernels.get(streams)
    if kernel is None:
        letters = "c" * (len(arrays) + len(program.outputs))
        kernel = program.kernels[streams] = elementwise_kernel(program, letters, streams=streams)
        if kernel is None:
            return None
    shape, results = arrays[0].shape, kernel.results
    outputs: tuple[Array, ...]
    if len(results) == 1:
        outputs = (empty(shape, results[0], order),)
    else:
        outputs = tuple([empty(shape, dtype, order) for dtype in results])
    sizes: tuple[Any, ...] = size, size
    return () if kernel.run(size, sizes + arrays + outputs, scalars, waiting) else outputs


def prepared(
    program: Program, shape: tuple[int, ...], scalars: Sequence[float]
) -> Callable[[tuple[Array, ...]], Array | None] | None:
    """Return what computes a program's only output for arrays of one shape, if they are few elements; None if not.

    It returns None for arrays that are not adjacent, and where an element is doubtful.
    """
    size, inputs = math.prod(shape), len(program.inputs)
    if not inputs or len(program.outputs) != 1 or program.checks or not 0 < size * LARGEST < BYTES_STREAMED:
        return None
    kernel = elementwise_kernel(program, "c" * (inputs + 1))
    if kernel is None or size * kernel.cost >= PARALLEL or inputs + len(scalars) + 3 > MOST_OPERANDS:
        return None
    (dtype,) = kernel.results
    before = (*kernel.alone, size, size)
    after = tuple([kind(scalar) for kind, scalar in zip(kernel.wide, scalars, strict=True)])

    def compute_few(arrays: tuple[Array, ...]) -> Array | None:
        if _adjacent(*arrays) != size:
            return None
        output: Array = empty(shape, dtype, "C")
        return None if _call(*before, *arrays, output, *after) else output

    return compute_few


def compute_over(program: Program, arrays: Sequence[Array], scalars: Sequence[float]) -> tuple[Array, ...] | None:
    """Write a program's only output over its first array and return it; None where the kernel does not do so.

    Parameters and errors are those of :func:`compute`.
    """
    spare = arrays[0]
    if program.checks and underflow_is_reported():
        return None
    if not all(array.shape == spare.shape and array.flags.c_contiguous and array.flags.aligned for array in arrays):
        return None
    return _write(program, arrays, scalars, spare) if _may_write(program, arrays, spare) else None


def would_write(program: Program, arrays: Sequence[Array], spare: Array) -> bool:
    """Whether :func:`compute` writes over the spare array, which shares its memory with no other."""
    if not _exceptions.warns(program) or spare.dtype != program.dtypes[-1]:
        return False
    return _order(arrays, spare.shape) is not None


def _may_write(program: Program, arrays: Sequence[Array], spare: Array) -> bool:
    """Whether a kernel may write its output over one of its arrays, whose elements lie as those of the others."""
    try:
        warns = program.kernels["warns"]
    except KeyError:
        warns = program.kernels["warns"] = _exceptions.warns(program)
    if not warns or spare.dtype != program.dtypes[-1] or not spare.flags.writeable:
        return False
    positions = 0
    for array in arrays:
        if array is spare:
            positions += 1
        elif (array.base is not None or spare.base is not None) and np.may_share_memory(spare, array):
            return False  # arrays that own their memory share none
    return positions == 1


def _write(
    program: Program, arrays: Sequence[Array], scalars: Sequence[float], spare: Array
) -> tuple[Array, ...] | None:
    position = 0 if arrays[0] is spare else 1
    try:
        kernel = program.kernels["over", position]
    except KeyError:
        kernel = program.kernels["over", position] = elementwise_kernel(program, "c" * len(arrays), over=position)
    if kernel is None:
        return None
    raised = kernel.run(spare.size, (spare.size, spare.size, *arrays), scalars)
    if raised:
        issued = _exceptions.issued(program, raised)
        if issued:
            raise WrittenWithWarningError(spare, *issued)
    return (spare,)


def _order(arrays: Sequence[Array], shape: tuple[int, ...]) -> str | None:
    """The order in which the elements of all arrays are adjacent; None without one."""
    for order, name in (("C", "c_contiguous"), ("F", "f_contiguous")):
        if all(x.shape == shape and x.flags.aligned and getattr(x.flags, name) for x in arrays):
            return order
    return None


def _compute_strided(
    program: Program, arrays: Sequence[Array], scalars: Sequence[float], waiting: Waiting | None = None
) -> tuple[Array, ...] | None:
    walk: Walk | None
    shape = max(arrays, key=lambda x: x.size).shape
    letters = joined_letters(arrays, shape)
    if letters:
        size, outputs = math.prod(shape), len(program.outputs)
        walk = Walk(letters + "c" * outputs, (size, size), (), shape, None, across=False)
    elif not all(array.flags.aligned for array in arrays):
        return None
    else:
        gathers = has_formula(program)
        if gathers:
            # Vectors of elements that lie apart are gathered one by one, at each use.
            arrays = [x if has_rows(x.shape, x.strides, x.itemsize) else in_row_major_order(x, x.shape) for x in arrays]
        walk = walk_of(
            tuple([(array.shape, array.strides, array.itemsize) for array in arrays]),
            tuple([program.dtypes[position].itemsize for position in program.outputs]),
            several=len(program.steps) > 1,
        )
        if gathers and walk is not None and walk.across:
            whole = np.broadcast_shapes(*[x.shape for x in arrays])
            return compute(program, tuple([in_row_major_order(x, whole) for x in arrays]), scalars, None, waiting)
        if walk is not None and walk.letters[0] == "v" and not walk.across and is_simple(program):
            return None  # NumPy reads elements that lie apart as fast
        if walk is not None and walk.order is not None and not walk.across and "v" in walk.letters:
            ordered = _in_order(arrays, walk)
            if ordered is not None:
                return _compute_strided(program, ordered, scalars, waiting)
    kernel = None if walk is None else elementwise_kernel(program, walk.letters, len(walk.sizes) - 2)
    if walk is None or kernel is None:
        return None
    if len(program.kernels) < MOST_LAYOUTS:  # the arrays may be copies of those of the call
        program.kernels[tuple([(x.shape, x.strides) for x in arrays])] = kernel, walk
    return _compute_walk(kernel, walk, arrays, scalars, waiting)


def _compute_walk(
    kernel: Kernel, walk: Walk, arrays: Sequence[Array], scalars: Sequence[float], waiting: Waiting | None
) -> tuple[Array, ...]:
    outputs = [empty(walk.made, dtype, "C") for dtype in kernel.results]
    if _run_walk(kernel, walk, [*arrays, *outputs], scalars, waiting):
        return ()
    return tuple(outputs if walk.order is None else [output.transpose(walk.order) for output in outputs])


def _in_order(arrays: Sequence[Array], walk: Walk) -> list[Array] | None:
    """Return arrays of which those of another order in memory are copied; None where there are none in the caches."""
    shape = tuple([walk.made[axis] for axis in walk.order or ()])
    permutation = sorted(range(len(shape)), key=(walk.order or ()).__getitem__)
    ordered = list(arrays)
    for number, (x, letter) in enumerate(zip(arrays, walk.letters, strict=False)):
        if letter == "v" and x.shape == shape and x.size >= LEAST_COPIED and x.nbytes < BYTES_STREAMED:
            ordered[number] = in_row_major_order(x.transpose(permutation), walk.made).transpose(walk.order)
    return ordered if any(x is not y for x, y in zip(ordered, arrays, strict=True)) else None


def _run_walk(
    kernel: Kernel, walk: Walk, arrays: Sequence[Array], scalars: Sequence[float], waiting: Waiting | None = None
) -> int:
    """Call a kernel for inputs and outputs that it walks; return 0, or another number if NumPy is to compute."""
    if not walk.strides:
        return kernel.run(walk.sizes[0], (*walk.sizes, *arrays), scalars, waiting)
    operands: list[Any] = list(walk.sizes)
    for array, strides in zip(arrays, walk.strides, strict=True):
        operands += array, *strides
    return kernel.run(walk.sizes[0], tuple(operands), scalars, waiting)


@functools.cache
def _copying(dtype: str) -> Program:
    """The program whose output is its input."""
    return Program((dtype,), (), (), (0,)).shared()


def in_row_major_order(x: Array, shape: tuple[int, ...]) -> Array:
    """Return an array, or a copy of it, with the elements of a shape to which it broadcasts in row-major order."""
    if x.shape == shape and x.flags.c_contiguous:
        return x
    result = empty(shape, x.dtype, "C")
    if transposed(np.broadcast_to(x, shape), result):
        return result
    if result.size >= LEAST_COPIED:
        walk = walk_of(((x.shape, x.strides, x.itemsize), (shape, result.strides, x.itemsize)), (), several=True)
        kernel = None if walk is None else elementwise_kernel(_copying(x.dtype.name), walk.letters, len(walk.sizes) - 2)
        if walk is not None and kernel is not None:
            _run_walk(kernel, walk, (x, result), ())
            return result
    result[...] = x
    return result


def transposed(x: Array, result: Array) -> bool:
    """Write the elements of an array into one of the same shape; False where a plain copy is as fast."""
    if result.size < LEAST_COPIED:
        return False
    nanoseconds = result.nbytes * TRANSPOSED_BYTE
    threads = _threads.team() if nanoseconds >= PARALLEL else 1
    return transpose(x, result, threads * PARTS, threads, int(nanoseconds))
