# SPDX-License-Identifier: Apache-2.0
"""Local variables that are wiped before a function ends.

Code that computes with secrets stores zeros over them at its end, byte by byte and by way of a
`volatile` pointer, so that no compiler leaves it out. In hardware a local variable is no place that
anybody could look at: what nothing reads any more need not be stored there, `volatile` or not. Left
in, bytes would also be what a whole array of words is made of. (What is read by way of `volatile`
stays so: a loop may wait for it for ever.)

Requires: functions inlined, so that it is seen where pointers lead, and no processes, which share
variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tandem.llvm.edit import erase
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode
from tandem.llvm.order import successors
from tandem.llvm.read import (
    Ref,
    call,
    instructions,
    name_called,
    opcode_of,
    pointer_accessed,
    users,
)

LOCAL_VARIABLE = " = alloca "
"""Stands in the text of a module with local variables that are none of LLVM's values."""
_PASSED_ON = (Opcode.PHI, Opcode.SELECT, Opcode.ADDRESS, Opcode.BIT_CAST)
"""What makes pointers of pointers to the same variable."""
_ACCESS = (Opcode.LOAD, Opcode.STORE)


def drop_wiping(module: Module) -> bool:
    """Leaves out what is stored in local variables and never read; whether there was any."""
    variables = [ref for ref in instructions(module.defined) if opcode_of(ref) == Opcode.ALLOCA]
    known = [*filter(None, map(_uses, variables))]
    unread = [store for uses in known for store in uses.unread()]
    for store in unread:
        erase(store)
    return bool(unread)


@dataclass
class _Uses:
    """All loads and stores of a variable, and where it ends."""

    accesses: list[Ref]
    ends: list[Ref]

    def unread(self) -> Iterator[Ref]:
        """The stores after which no load is reached before the variable ends."""
        stores = [ref for ref in self.accesses if opcode_of(ref) == Opcode.STORE]
        return (store for store in stores if not self._is_read(store))

    @cached_property
    def _loads(self) -> set[Ref]:
        return {ref for ref in self.accesses if opcode_of(ref) == Opcode.LOAD}

    @cached_property
    def _reads(self) -> dict[Ref, bool]:
        """Whether a block reads the variable, or ends it, before it does anything else of these."""
        blocks = {call("GetInstructionParent", ref) for ref in [*self._loads, *self.ends]}
        found = {block: self._next(call("GetFirstInstruction", block)) for block in blocks}
        return {block: reads for block, reads in found.items() if reads is not None}

    def _next(self, ref: Ref | None) -> bool | None:
        """Whether what comes next in a block, from an instruction on, is a load; None where there
        is neither that nor the end."""
        while ref:
            if ref in self._loads or ref in self.ends:
                return ref in self._loads
            ref = call("GetNextInstruction", ref)
        return None

    def _is_read(self, store: Ref) -> bool:
        after = self._next(call("GetNextInstruction", store))
        if after is not None:
            return after
        found, work = set[Ref](), [call("GetInstructionParent", store)]
        for block in work:
            for following in successors(block):
                if self._reads.get(following):
                    return True
                if following not in found and following not in self._reads:
                    work.append(following)
                found.add(following)
        return False


def _uses(variable: Ref) -> _Uses | None:
    """None where it is used otherwise, or where an access may be of something else, or atomic."""
    pointers, uses = {variable}, _Uses([], [])
    work = [variable]
    for pointer in work:
        for user in users(pointer):
            opcode = opcode_of(user)
            if opcode in _ACCESS and pointer_accessed(user) == pointer:
                uses.accesses.append(user)
            elif opcode in _PASSED_ON:
                work += [user] if user not in pointers else []
                pointers.add(user)
            elif name_called(user).startswith("llvm.lifetime.end"):
                uses.ends.append(user)
            elif not name_called(user).startswith("llvm.lifetime.start"):
                return None
    is_own = all(_is_of(ref, pointers) for ref in work[1:])
    return uses if is_own and not any(call("GetOrdering", ref) for ref in uses.accesses) else None


def _is_of(pointer: Ref, pointers: set[Ref]) -> bool:
    """Whether a pointer is made of pointers to the variable alone."""
    first = 1 if opcode_of(pointer) == Opcode.SELECT else 0
    last = 1 if opcode_of(pointer) == Opcode.ADDRESS else call("GetNumOperands", pointer)
    return all(call("GetOperand", pointer, i) in pointers for i in range(first, last))
