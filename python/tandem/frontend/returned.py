# SPDX-License-Identifier: Apache-2.0
"""A block from the heap that a function asks for and returns. It is the caller's, so it lies in the
program's memory: one more parameter of the kernel, behind the C's own. Where it lies the C function
alone can tell, so what the kernel returns is 1 in place of its address, and 0 for null.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import count

from tandem.frontend.bounds import PHI, SELECT
from tandem.frontend.guards import successors
from tandem.frontend.symbols import symbol
from tandem.ir.names import unused_name
from tandem.llvm import read as llvm

MADE = "tandem.made"
"""The attribute of the parameter."""
_TYPE = r"(?:(?:noalias|noundef|nonnull|align \d+|dereferenceable\w*\(\d+\)) )*ptr "
_RETURN = re.compile(r"^  ret ptr ([^\n,]+)(.*)$")


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
        work += llvm.operands(ref)[1:] if opcode == SELECT else ()
        work += llvm.operands(ref) if opcode == PHI else ()
    return {ref for ref in seen if llvm.opcode_of(ref) not in (PHI, SELECT)}


class Returned:
    """How the lines of a function become those of one that is given its block."""

    def __init__(self, function: llvm.Ref, blocks: frozenset[llvm.Ref]) -> None:
        self.function = function
        self.blocks = blocks
        taken = {llvm.name(ref) for ref in llvm.parameters(function)}
        self.name = f'%"{unused_name("block", taken)}"'
        self._numbers = count()

    def head(self, head: str) -> str:
        """The function's first line, with the parameter, and a number as the result."""
        name = f"@{symbol(llvm.name(self.function))}("
        before, _, behind = head.partition(name)
        before = re.sub(rf"{_TYPE}$", "i64 ", before)
        depth, end = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(behind[end], 0)
            end += 1
        comma = ", " if llvm.parameters(self.function) else ""
        given = f'{behind[: end - 1]}{comma}ptr noundef nonnull "{MADE}" {self.name}'
        return f"{before}{name}{given}{behind[end - 1 :]}"

    def line(self, line: str) -> list[str]:
        """A line of it; where it returns, the number."""
        found = _RETURN.match(line)
        if found is None:
            return [line]
        pointer, behind = found.groups()
        there = f'%"{MADE}.{next(self._numbers)}"'
        word = f'%"{MADE}.{next(self._numbers)}"'
        return [
            f"  {there} = icmp ne ptr {pointer}, null{behind}",
            f"  {word} = zext i1 {there} to i64{behind}",
            f"  ret i64 {word}{behind}",
        ]
