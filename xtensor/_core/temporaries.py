"""Temporaries: results within an expression that only the interpreter's value stack still refers to.

The next step of the expression may write its result into the memory of such an array, as NumPy does for its own arrays.
That spares the allocation and half of the traffic to memory: ``x * 2 + 1`` takes a third of the time for large arrays.

Requirements: memory that anybody can still see is never written over. An array counts as a temporary where

- its reference count leaves no holder but the function that computes with it, or one more, which the value stack of the
  calling Python frame is proven to be: the frame executes the operator, and the operand's place on its stack holds this
  array. C code that calls an operator keeps the array in its own variables, which no count tells from the stack, so the
  count alone proves nothing;
- no weak reference to it or to its native array exists;
- its native array owns its memory, and nothing but this Array refers to it: no view, no exported buffer. It may be
  read-only: an attempt to write into it raises an error and changes nothing.

The proof reads the frame's value stack, whose layout belongs to a version of CPython. Where the layout is not known, or
reading gives anything unexpected in a trial, nothing is a temporary: other interpreters, free-threaded builds, and
CPython from 3.14 on, whose stack borrows references.
"""

from __future__ import annotations

import ctypes
import operator
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeAlias
from weakref import getweakrefcount

import numpy as np

__all__ = ["FRAME_POINTER", "NO_CALL", "is_supported", "is_temporary", "operand_place"]

NDARRAY = np.ndarray

getrefcount: Callable[[object], int] = getattr(sys, "getrefcount", lambda _: 0)  # PyPy has none

FRAME_POINTER = 24
"""Offset of the pointer to the interpreter's frame in a frame object: after the object's head and the previous frame
(CPython 3.11, 3.12 and 3.13: ``struct _frame`` in Include/internal/pycore_frame.h)."""

LOCALS = 72
"""Offset of the local variables, which the value stack follows, in the interpreter's frame (the same versions:
``struct _PyInterpreterFrame``)."""

LONGEST = 2**15
"""Bytes of code up to which a function's stack is analysed."""

MOST_CODES = 1000
"""Code objects whose analysis is kept."""

OPERATORS = {"BINARY_OP": 2, "UNARY_NEGATIVE": 1, "UNARY_INVERT": 1}
"""Instructions that execute an operator, with the number of its operands."""

CALLS = frozenset(("PRECALL", "CALL"))
"""Instructions that call a function; of the arguments' number, in the bounds of :data:`ARGUMENTS`."""

ARGUMENTS = (1, 2)
"""Numbers of arguments of the functions that look for temporaries."""

NO_CALL = 0
"""The identity of no object."""

Place: TypeAlias = tuple[int, int, bool]
"""Where an instruction has its operands: the offset of the value stack's end in the interpreter's frame, the number of
operands at this end, and whether the instruction is a call, whose function comes before them."""

ENDS = frozenset(
    (
        *("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"),
        *("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"),
    )
)
"""Instructions after which the next one is not executed."""

GENERATORS = 0x20 | 0x80 | 0x200
"""Flags of the code of generators and coroutines: CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR."""

SLOT = 8
"""Bytes of a slot of the value stack."""

REFERENCES = 4
"""References to the native array of a temporary: of the Array, of a variable of the function that computes with it, and
of a variable and an argument of :func:`is_temporary`."""

memory: Any = None
"""The memory of the process as an array of words, once temporaries are supported."""

supported: bool | None = None
"""Whether temporaries can be told from other operands here; None before the trial."""

_analysed: dict[int, tuple[CodeType, dict[int, Place]]] = {}
"""For each code object by its identity: the code object, which is kept, and what :func:`_operators` returns for it."""


def is_temporary(x: Any, native: Any, holders: int, frames: int, callee: int, *operands: Any) -> bool:
    """Whether nobody can see an operand any more once the operator or function that computes with it returns.

    Parameters
    ----------
    x, native
        The Array and its native array; others are no temporaries.
    holders
        References to ``x`` beyond those of this package's functions that the call went through.
    frames
        The number of these functions.
    callee
        The identity of the function that a frame calls where it does not execute an operator: of the function that
        computes, if the interpreter's stack keeps its arguments, or of ``abs``, which calls an operator.
    *operands
        All operands of the operator or function, ``x`` among them, in their order.
    """
    if (
        not (is_supported() if supported is None else supported)
        or getrefcount(native) > REFERENCES
        or (native.base is not None if native.__class__ is NDARRAY else not getattr(native, "owns_memory", False))
        or getweakrefcount(x)
        or getweakrefcount(native)
    ):
        return False
    return not holders or _are_operands(sys._getframe(1 + frames), callee, operands)


def _are_operands(frame: FrameType, callee: int, operands: tuple[Any, ...]) -> bool:
    """Whether a frame executes an operator or calls a function whose operands on the value stack are these."""
    slot = _place(frame.f_code, frame.f_lasti)
    if slot is None:
        return False
    end, count, is_call = slot
    if count != len(operands):
        return False  # an operator of an extension type, whose code calls another one
    first = (memory[(id(frame) + FRAME_POINTER) // SLOT] + end) // SLOT - count
    if any(memory[first + position] != id(operand) for position, operand in enumerate(operands)):
        return False
    return not is_call or callee in (memory[first - 1], memory[first - 2])


def operand_place(code: CodeType, instruction: int) -> Place | None:
    """Return where the instruction at an offset has its operands, see :func:`_operators`.

    None for other instructions, and for all where temporaries cannot be told from other operands.
    """
    return _place(code, instruction) if (is_supported() if supported is None else supported) else None


def _place(code: CodeType, instruction: int) -> Place | None:
    known = _analysed.get(id(code))
    if known is None:
        known = _analyse(code)
    return known[1].get(instruction)


def _analyse(code: CodeType) -> tuple[CodeType, dict[int, Place]]:
    if len(_analysed) >= MOST_CODES:
        _analysed.clear()
    known = _analysed[id(code)] = code, _operators(code)
    return known


def _operators(code: CodeType) -> dict[int, Place]:
    """Return where the operators of a code object have their operands, by the offset of each instruction.

    Empty where the depth of the stack is not certain.
    """
    import dis

    jumping = {*dis.hasjrel, *dis.hasjabs}
    if code.co_flags & GENERATORS or len(code.co_code) > LONGEST:
        return {}
    instructions = list(dis.get_instructions(code))
    followed = dict(zip([item.offset for item in instructions], instructions[1:], strict=False))
    by_offset = {item.offset: item for item in instructions}
    depths: dict[int, int] = {}
    waiting = [(instructions[0], 0)]
    while waiting:
        item, depth = waiting.pop()
        if item.offset in depths:
            if depths[item.offset] != depth:
                return {}
            continue
        depths[item.offset] = depth
        if item.opcode in jumping:
            waiting.append((by_offset[item.argval], depth + dis.stack_effect(item.opcode, item.arg, jump=True)))
        if item.opname not in ENDS:
            waiting.append((followed[item.offset], depth + dis.stack_effect(item.opcode, item.arg, jump=False)))
    cells = [name for name in code.co_cellvars if name not in code.co_varnames]
    bottom = LOCALS + SLOT * (len(code.co_varnames) + len(cells) + len(code.co_freevars))
    found = {}
    for offset, depth in depths.items():
        item = by_offset[offset]
        if item.opname in OPERATORS:
            found[offset] = bottom + SLOT * depth, OPERATORS[item.opname], False
        elif item.opname in CALLS and item.arg in ARGUMENTS:
            if item.opname == "CALL" and sys.version_info < (3, 12):
                depth += item.arg  # which the effect of the PRECALL before it took off
            found[offset] = bottom + SLOT * depth, item.arg, True
    return found


class _Trial:
    """An operand that finds out whether the stack is read as expected."""

    found = False

    def __add__(self, other: object) -> bool:
        return getrefcount(self) == 3 and _are_operands(sys._getframe(1), NO_CALL, (self, other))

    def __radd__(self, other: object) -> bool:
        return getrefcount(self) == 3 and _are_operands(sys._getframe(1), NO_CALL, (other, self))

    def __neg__(self) -> bool:
        return getrefcount(self) == 3 and _are_operands(sys._getframe(1), id(abs), (self,))

    def __abs__(self) -> bool:
        return getrefcount(self) == 3 and _are_operands(sys._getframe(1), id(abs), (self,))


def is_supported() -> bool:
    """Whether temporaries can be told from other operands in this interpreter; the first call tries it."""
    global supported
    if supported is None:
        supported = _works()
    return supported


def _works() -> bool:
    """Whether temporaries are told from other operands in a trial of each kind of operator."""
    if sys.implementation.name != "cpython" or not (3, 11) <= sys.version_info[:2] <= (3, 13):
        return False
    if not getattr(sys, "_is_gil_enabled", lambda: True)() or ctypes.sizeof(ctypes.c_void_p) != SLOT:
        return False
    global memory
    # An item of an array is read in half the time that an object of ctypes for each address takes.
    memory = (ctypes.c_size_t * (sys.maxsize // SLOT)).from_address(0)
    kept = _Trial()
    held = [_Trial()]
    try:
        return (
            (_Trial() + 1, 1 + _Trial(), -_Trial(), abs(_Trial())) == (True, True, True, True)
            and (kept + 1, 1 + kept, -kept, abs(kept)) == (False, False, False, False)
            and not any(map(operator.add, held, held))
        )
    except Exception:
        return False
