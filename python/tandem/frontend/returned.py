# SPDX-License-Identifier: Apache-2.0
"""A block from the heap that a function asks for and returns. It is the caller's, so it lies in the
program's memory: one more parameter of the kernel, behind the C's own. Where it lies the C function
alone can tell, so what the kernel returns is 1 in place of its address, and 0 for null.
"""

from __future__ import annotations

from collections.abc import Collection

from tandem.ir.names import unused_name
from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import add_attribute, erase, with_signature
from tandem.llvm.module import Module
from tandem.llvm.opcodes import Opcode, Predicate
from tandem.llvm.order import successors

MADE = "tandem.made"
"""The attribute of the parameter."""
_GIVEN = ("noundef", "nonnull")


def returned_blocks(function: llvm.Ref, asked: Collection[llvm.Ref]) -> frozenset[llvm.Ref]:
    """Those of the calls that ask for blocks whose block is what the function returns, if it
    returns anything but null; none where it may return anything else, or a call may ask for two of
    them. In C they may be one: LLVM makes a call for each way to it."""
    found = set[llvm.Ref]()
    for block in llvm.children(function, "BasicBlock"):
        end = llvm.call("GetBasicBlockTerminator", block)
        if llvm.opcode_of(end) == llvm.RET and llvm.operands(end):
            found |= sources(llvm.operands(end)[0])
    found = {ref for ref in found if llvm.call("GetValueKind", ref) != llvm.VALUE_NULL}
    is_one = found <= set(asked) and not any(_reached_from(ref) & found for ref in found)
    return frozenset(found) if is_one else frozenset()


def _reached_from(ref: llvm.Ref) -> set[llvm.Ref]:
    """The instructions that may run after one, those before it in its block only if it is reached
    again."""
    home = llvm.call("GetInstructionParent", ref)
    inside = list(llvm.children(home, "Instruction"))
    found = set(inside[inside.index(ref) + 1 :])
    seen, work = set[llvm.Ref](), successors(home)
    while work:
        block = work.pop()
        if block not in seen:
            seen.add(block)
            found.update(llvm.children(block, "Instruction"))
            work += successors(block)
    return found


def sources(value: llvm.Ref) -> set[llvm.Ref]:
    """What a pointer is one of."""
    seen, work = set[llvm.Ref](), [value]
    while work:
        ref = work.pop()
        if ref in seen:
            continue
        seen.add(ref)
        opcode = llvm.opcode_of(ref)
        work += llvm.operands(ref)[1:] if opcode == Opcode.SELECT else ()
        work += llvm.operands(ref) if opcode == Opcode.PHI else ()
    return {ref for ref in seen if llvm.opcode_of(ref) not in (Opcode.PHI, Opcode.SELECT)}


def give_block(module: Module, function: llvm.Ref) -> llvm.Ref:
    """A function in another one's place that is given its block, as its last parameter, and returns
    a number: 1 in place of the block's address, 0 for null."""
    taken = {llvm.name(ref) for ref in llvm.parameters(function)}
    more = [(module.pointer, unused_name("block", taken))]
    number = module.integer(64)
    made = with_signature(module, function, more, number)
    for attribute in (module.attribute(MADE), *map(module.enum_attribute, _GIVEN)):
        add_attribute(made, len(taken) + 1, attribute)
    builder = Builder(module)
    for ref in [*llvm.instructions([made])]:
        if llvm.opcode_of(ref) == llvm.RET:
            [pointer] = llvm.operands(ref)
            null = llvm.null_like(pointer)
            is_there = builder.before(ref).compare(Predicate.NE, pointer, null, MADE)
            builder.ret(builder.cast(Opcode.ZEXT, is_there, number, MADE))
            erase(ref)
    return made
