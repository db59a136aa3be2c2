# SPDX-License-Identifier: Apache-2.0
"""Pointers that the kernel itself has made: to functions that it names, to its local variables and
to constants, and what it reads there.

What the host has put into memory may lead to functions that are no part of the kernel. Where
nothing of the host's is ever written into local variables, what is read of them is the kernel's
own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tandem.frontend.addresses import OFFSET_BITS
from tandem.llvm import read as llvm
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import Ref, call, opcode_of, operands

CHOICES: dict[int, int] = {Opcode.SELECT: 1, Opcode.PHI: 0, Opcode.FREEZE: 0}
"""Instructions that pass one of their operands on -> the first operand they may pass on."""
UNDEFINED = frozenset({llvm.VALUE_UNDEF, llvm.VALUE_POISON, llvm.VALUE_NULL})
"""Pointers that no call follows."""
_COPIES = ("llvm.memcpy.", "llvm.memmove.")


def is_own_pointer(module: Module, top: Ref, pointer: Ref) -> bool:
    """Whether a pointer is one of the kernel's own, wherever it is read from; `top`: its
    function."""
    given = llvm.parameters(top)
    return _is_own(pointer) and all(
        _is_shared(place, given) or _is_own(value)
        for place, value in _written(module)
        if llvm.is_pointer(value) or _may_be_pointer(value)
    )


def _written(module: Module) -> Iterator[tuple[Ref, Ref]]:
    """Where something is written, and what; of what is copied from somewhere, that place."""
    for ref in llvm.instructions(module.defined):
        if opcode_of(ref) == llvm.STORE:
            yield operands(ref)[1], operands(ref)[0]
        elif llvm.name_called(ref).startswith(_COPIES):
            yield operands(ref)[0], operands(ref)[1]


def _may_be_pointer(value: Ref) -> bool:
    """Whether an integer may be a pointer that is copied as its bits."""
    is_wide = llvm.number_bits(llvm.type_of(value)) >= OFFSET_BITS
    return is_wide and any(
        opcode_of(source) in (llvm.LOAD, Opcode.PTR_TO_INT) for source in _sources(value)
    )


def _is_own(value: Ref) -> bool:
    """Whether a value is made of the kernel's own pointers alone, if local variables hold no
    others."""
    return all(
        llvm.is_function(source)
        or opcode_of(source) == llvm.ALLOCA
        or call("GetValueKind", source) in UNDEFINED
        or _is_constant(source)
        for source in _sources(value, through_memory=True)
    )


def _is_shared(place: Ref, given: Sequence[Ref]) -> bool:
    """Whether a place is surely in no local variable: `given` by the caller, or in another one."""
    return all(
        source in given or call("GetValueKind", source) == llvm.VALUE_GLOBAL
        for source in _sources(place)
    )


def _sources(value: Ref, through_memory: bool = False) -> Iterator[Ref]:
    """What a pointer may be, or be some bytes behind; `through_memory`: what is read is where it
    is read from."""
    seen, work = set[Ref](), [value]
    while work:
        ref = work.pop()
        opcode = opcode_of(ref)
        if ref in seen:
            continue
        seen.add(ref)
        if opcode in CHOICES:
            work += operands(ref)[CHOICES[opcode] :]
        elif opcode == Opcode.ADDRESS or (through_memory and opcode == llvm.LOAD):
            work.append(operands(ref)[0])
        else:
            yield ref


def _is_constant(variable: Ref) -> bool:
    """Whether a value is the place of a variable that never changes."""
    is_variable = call("GetValueKind", variable) == llvm.VALUE_GLOBAL
    return is_variable and bool(call("IsGlobalConstant", variable))
