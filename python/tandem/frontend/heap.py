# SPDX-License-Identifier: Apache-2.0
"""Blocks from the heap that do not outlive a call: malloc, calloc and free, `new` and `delete`.

In hardware each place that asks for a block has a memory of its own, as large as the largest that
it may ask for, and giving it back is nothing. So one block of a place may live at a time: where a
place is reached again, its block has been given back before. What a block's address escapes to, the
import refuses, as for any local array.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tandem.diagnostics import Place, UserError, user_error
from tandem.frontend import llvm_c as llvm
from tandem.frontend.bounds import greatest
from tandem.frontend.guards import successors
from tandem.frontend.symbols import function_text

ALLOCATE, RELEASE, CLEARED = "tandem.allocate", "tandem.release", "tandem.cleared"
_OURS = {
    **dict.fromkeys(("malloc", "_Znwm", "_Znam"), ALLOCATE),
    **dict.fromkeys(("free", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"), RELEASE),
    "calloc": CLEARED,
}
IN_C = {ALLOCATE: "malloc", RELEASE: "free", CLEARED: "calloc"}
"""What ours are in C, for diagnostics."""
LARGEST_BYTES = 1 << 26
"""More than any device has inside."""
_NAMES = "|".join(_OURS)
_CALL = re.compile(rf"^(  .*\bcall )[^@\n]*@({_NAMES})\(([^\n]*?)\)(?: #\d+)?(, ![^\n]*|)$", re.M)
_DECLARED = re.compile(rf"^declare [^@\n]*@(?:{_NAMES})\([^\n]*\n", re.M)
_ALLOCATED = re.compile(rf"^  (%\S+) = .*call [^@\n]*@{re.escape(ALLOCATE)}\(")
_FUNCTIONS = f"""
declare ptr @{ALLOCATE}(i64) nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @{RELEASE}(ptr captures(none)) nounwind willreturn memory(inaccessiblemem: readwrite)

define internal ptr @{CLEARED}(i64 %count, i64 %size) {{
  %bytes = mul nuw i64 %count, %size
  %block = call ptr @{ALLOCATE}(i64 %bytes)
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  %done = icmp eq i64 %i, %bytes
  br i1 %done, label %end, label %body
body:
  %place = getelementptr inbounds i8, ptr %block, i64 %i
  store i8 0, ptr %place, align 1
  %next = add nuw i64 %i, 1
  br label %head
end:
  ret ptr %block
}}
"""


def uses_heap(callees: Iterable[Iterable[str]]) -> bool:
    """Whether some functions that call others ask for blocks."""
    return any(name in _OURS for names in callees for name in names)


def with_own_heap(text: str) -> str:
    """The module with functions of ours in place of the heap's, of which LLVM knows nothing."""

    def ours(call: re.Match[str]) -> str:
        before, name, given, behind = call.groups()
        kind = "void" if _OURS[name] == RELEASE else "ptr"
        given = given.partition(", i64 ")[0] if kind == "void" else given
        return f"{before}{kind} @{_OURS[name]}({given}){behind}"

    return _DECLARED.sub("", _CALL.sub(ours, text)) + _FUNCTIONS


def asks_for_blocks(text: str, name: str) -> bool:
    """Whether a function that stays one asks for blocks."""
    return f"@{ALLOCATE}(" in (function_text(text, name) or "")


def with_blocks(text: str, top: str) -> str:
    """The module with a local array in place of each block that `top` asks for. Raises UserError
    where nothing says how large one may be, or several may live at a time."""
    before = function_text(text, top) or ""
    if f"@{ALLOCATE}(" not in before:
        return text
    _, module = llvm.parse(text)
    function = next(f for f in llvm.children(module, "Function") if llvm.name(f) == top)
    calls = [ref for ref in llvm.calls([function]) if _callee(ref) == ALLOCATE]
    sizes = iter([_size(function, ref) for ref in calls])
    head, _, body = before.partition("\n")
    lines, arrays = [], []
    for line in body.split("\n"):
        found = _ALLOCATED.match(line)
        if found is not None:
            arrays.append(f'  %"block{len(arrays) + 1}" = alloca [{next(sizes)} x i8], align 16')
            line = f'  {found[1]} = getelementptr i8, ptr %"block{len(arrays)}", i64 0'
        lines.append(line)
    first = 1 if re.match(r'(?:[-\w$.]+|"[^"]*"):', lines[0]) else 0
    lines[first:first] = arrays
    return text.replace(before, "\n".join([head, *lines]), 1)


def _callee(ref: llvm.Ref) -> str:
    return llvm.name(llvm.call("GetCalledValue", ref))


def _size(function: llvm.Ref, ref: llvm.Ref) -> int:
    """The most bytes that a block may have. Raises UserError."""
    size = greatest(llvm.operands(ref)[0], ref)
    if size is None or size > LARGEST_BYTES:
        raise _error(
            ref,
            "nothing says how large a block from the heap can become",
            "bound its size where it is asked for, `malloc(n < 4096 ? n : 4096)`, or pass a buffer "
            "as an argument",
        )
    if _reached_again(function, ref):
        raise _error(
            ref,
            "a block from the heap is asked for again while the one before may be in use",
            "give it back (`free`) in the same iteration, or ask for one before the loop",
        )
    return max(1, size)


def _releases(ref: llvm.Ref, block: llvm.Ref) -> bool:
    is_call = llvm.opcode_of(ref) == llvm.CALL and _callee(ref) == RELEASE
    return is_call and llvm.operands(ref)[0] == block


def _reached_again(function: llvm.Ref, ref: llvm.Ref) -> bool:
    """Whether a call may be reached from itself with no release of its block on the way."""
    blocks = list(llvm.children(function, "BasicBlock"))
    inside = {block: list(llvm.children(block, "Instruction")) for block in blocks}
    home = next(block for block in blocks if ref in inside[block])
    seen: set[llvm.Ref] = set()
    behind = inside[home][inside[home].index(ref) + 1 :]
    work = [] if any(_releases(i, ref) for i in behind) else successors(home)
    while work:
        block = work.pop()
        if block == home:
            before = inside[home][: inside[home].index(ref)]
            return not any(_releases(i, ref) for i in before)
        if block not in seen and not any(_releases(i, ref) for i in inside[block]):
            work += successors(block)
        seen.add(block)
    return False


def _error(ref: llvm.Ref, message: str, cure: str) -> UserError:
    return user_error("heap", message, Place(*llvm.location(ref)), cure)
