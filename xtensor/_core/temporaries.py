"""Where the instructions of a function have their operands, which the compiled module asks of CPython 3.11 to 3.13.

It looks for temporaries among the operands on the interpreter's value stack (``_temporaries.h``). How deep the stack is
at an instruction, only an analysis of the function's code tells.
"""

from __future__ import annotations

import sys
from types import CodeType
from typing import TypeAlias

__all__ = ["find_operands"]

MAX_CODE_BYTES = 2**15
"""Bytes of code up to which a function's stack is analysed."""

MAX_CODES = 1000
"""Code objects whose analysis is kept."""

OPERATORS = {"BINARY_OP": 2, "UNARY_NEGATIVE": 1, "UNARY_INVERT": 1}
"""Instructions that execute an operator, with the number of its operands."""

CALLS = frozenset(("PRECALL", "CALL"))
"""Instructions that call a function; of the arguments' number, in the bounds of :data:`ARGUMENTS`."""

ARGUMENTS = (1, 2)
"""Numbers of arguments of the functions that look for temporaries."""

Operands: TypeAlias = tuple[int, int, bool]
"""The depth of the value stack before an instruction, the number of operands at its end, and whether the instruction is
a call, whose function comes before them."""

ENDS = frozenset(
    (
        *("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"),
        *("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"),
    )
)
"""Instructions after which the next one is not executed."""

GENERATORS = 0x20 | 0x80 | 0x200
"""Flags of the code of generators and coroutines: CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR."""

_analysed: dict[int, tuple[CodeType, dict[int, Operands]]] = {}
"""For each code object by its identity: the code object, which is kept, and the result of :func:`_operands_of`."""


def find_operands(code: CodeType, instruction: int) -> Operands | None:
    """Return where the operator or call at an offset has its operands; None for other instructions."""
    known = _analysed.get(id(code))
    if known is None:
        if len(_analysed) >= MAX_CODES:
            _analysed.clear()
        known = _analysed[id(code)] = code, _operands_of(code)
    return known[1].get(instruction)


def _operands_of(code: CodeType) -> dict[int, Operands]:
    """Return where operators and calls of a code object have their operands, by the offset of each instruction.

    Empty where the depth of the stack is not certain.
    """
    import dis

    jumping = {*dis.hasjrel, *dis.hasjabs}
    if code.co_flags & GENERATORS or len(code.co_code) > MAX_CODE_BYTES:
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
    operands = {}
    for offset, depth in depths.items():
        item = by_offset[offset]
        if item.opname in OPERATORS:
            operands[offset] = depth, OPERATORS[item.opname], False
        elif item.opname in CALLS and item.arg in ARGUMENTS:
            if item.opname == "CALL" and sys.version_info < (3, 12):
                depth += item.arg  # which the effect of the PRECALL before it took off
            operands[offset] = depth, item.arg, True
    return operands
