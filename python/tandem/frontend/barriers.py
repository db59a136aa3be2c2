# SPDX-License-Identifier: Apache-2.0
"""What is written for a compiler or a processor and does nothing: inline assembly without an
instruction, and words about what will be read.

`__asm__("" : "+r"(x))` hides from the compiler what a value is, so that code which is to take as
long whatever it computes is left as it is written; `__asm__("" : : "r"(p) : "memory")` keeps it
from leaving out what it thinks nobody reads. `__builtin_prefetch(p)` asks a cache for what is not
read yet. None of them does anything, and hardware wants none.
"""

from __future__ import annotations

from tandem.llvm.assembly import inline_assembly
from tandem.llvm.edit import erase, replace
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import (
    VALUE_INLINE_ASM,
    Ref,
    call,
    called,
    calls,
    first_index,
    name,
    opcode_of,
    operands,
    type_of,
    users,
)

WORDS = (" asm ", "@llvm.prefetch")
"""One of them stands in the text of a module in which any of this is: most have none, and no call
is looked at."""


def drop_barriers(module: Module) -> None:
    """Leaves each value that goes through an empty text of assembly as it is. What is more, or
    gives something that it is not given, stays, and is refused later."""
    for made in [*calls(module.defined)]:
        callee = called(made) or 0
        if name(callee).startswith("llvm.prefetch"):
            erase(made)
        elif call("GetValueKind", callee) == VALUE_INLINE_ASM:
            text, constraints = inline_assembly(callee)
            results = _results(constraints.split(","), operands(made)) if not text.strip() else None
            if results is not None:
                _put_in_place(made, results)


def _results(constraints: list[str], given: list[Ref]) -> list[Ref] | None:
    """What assembly that does nothing gives: of each result the operand that is in its place
    before. None where there is none."""
    named = [one for one in constraints if one and not one.startswith("~")]
    outputs = [one for one in named if one.startswith("=")]
    taking = [one for one in named if not one.startswith("=") or "*" in one]
    by_output = {int(one): given[i] for i, one in enumerate(taking) if one.isdecimal()}
    wanted = [i for i, one in enumerate(outputs) if "*" not in one]
    return [by_output[i] for i in wanted] if by_output.keys() >= {*wanted} else None


def _put_in_place(made: Ref, results: list[Ref]) -> None:
    """Has whatever reads a call's results read others, if these are of the same types: members of
    one value where there are several."""
    if len(results) == 1:
        places = {made: results[0]}
    else:
        reading = [*users(made)]
        if any(opcode_of(user) != Opcode.EXTRACT_VALUE for user in reading):
            return
        places = {user: results[first_index(user)] for user in reading}
    if any(type_of(ref) != type_of(result) for ref, result in places.items()):
        return
    for ref, result in places.items():
        replace(ref, result)
    if made not in places:
        erase(made)
