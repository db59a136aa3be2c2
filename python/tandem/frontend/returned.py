# SPDX-License-Identifier: Apache-2.0
"""A block from the heap that a function asks for and returns. It is the caller's, so it lies in the
program's memory: one more parameter of the kernel, behind the C's own. Where it lies the C function
alone can tell, so what the kernel returns is 1 in place of its address, and 0 for null.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import count

from tandem.frontend import llvm_c as llvm
from tandem.frontend.bounds import PHI, SELECT
from tandem.frontend.symbols import symbol
from tandem.ir.names import unused_name

MADE = "tandem.made"
"""The attribute of the parameter."""
_TYPE = r"(?:(?:noalias|noundef|nonnull|align \d+|dereferenceable\w*\(\d+\)) )*ptr "
_RETURN = re.compile(r"^  ret ptr ([^\n,]+)(.*)$")


def returned_block(function: llvm.Ref, asked: Collection[llvm.Ref]) -> llvm.Ref | None:
    """The one of the calls that ask for blocks whose block is what the function returns, if it
    returns anything but null; None where there is no such."""
    found = set[llvm.Ref]()
    for block in llvm.children(function, "BasicBlock"):
        end = llvm.call("GetBasicBlockTerminator", block)
        if llvm.opcode_of(end) == llvm.RET and llvm.operands(end):
            found |= sources(llvm.operands(end)[0])
    found = {ref for ref in found if llvm.call("GetValueKind", ref) != llvm.VALUE_NULL}
    return next(iter(found)) if len(found) == 1 and found <= set(asked) else None


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

    def __init__(self, function: llvm.Ref, block: llvm.Ref) -> None:
        self.function = function
        self.block = block
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
