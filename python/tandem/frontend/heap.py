# SPDX-License-Identifier: Apache-2.0
"""Blocks from the heap that do not outlive a call: malloc, calloc, realloc and free, `new` and
`delete`.

In hardware each place that asks for a block has a memory of its own, as large as the largest that
it may ask for, and giving it back is nothing. So one block of a place may live at a time: where a
place is reached again, its block has been given back before. Elsewhere all are parts of one array
(`arena.py`). Where nothing says how large blocks become, they have what a directive gives them
(`#pragma tandem heap(BYTES)`), and a call that wants more is a trap. What a block's address escapes
to, the import refuses, as for any local array.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

import llvmlite.binding as binding

from tandem.diagnostics import Diagnostic, Place
from tandem.frontend.arena import (
    ALIGNMENT_BYTES,
    ARRAY,
    GIVE,
    POSSIBLE,
    STATE,
    TAKE,
    TAKE_AGAIN,
    WITHIN,
    WORDS,
    arena_declared,
    arena_functions,
    arena_lines,
)
from tandem.frontend.bounds import greatest
from tandem.frontend.directives.directive import MOST_HEAP, no_effect
from tandem.frontend.directives.rewrite import Placed, said_of
from tandem.frontend.function_lines import without_tails
from tandem.frontend.guards import successors
from tandem.frontend.multiples import multiple_of
from tandem.frontend.returned import Returned, returned_blocks, sources
from tandem.frontend.text import function_text
from tandem.ir.kernel import Kernel
from tandem.ir.traps import BLOCKS, traps
from tandem.llvm import read as llvm

ALLOCATE, RELEASE, CLEARED = "tandem.allocate", "tandem.release", "tandem.cleared"
REALLOCATE = "tandem.reallocate"
_OURS = {
    **dict.fromkeys(("malloc", "_Znwm", "_Znam"), ALLOCATE),
    **dict.fromkeys(("free", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"), RELEASE),
    "calloc": CLEARED,
    "realloc": REALLOCATE,
}
IN_C = {ALLOCATE: "malloc", RELEASE: "free", CLEARED: "calloc", REALLOCATE: "realloc"}
"""What ours are in C, for diagnostics."""
GIVEN_BYTES = 1 << 16
"""What blocks have of which nothing says how large they become: a seventh of the block RAM of the
default target's device (`bram_bits` in targets/ecp5.toml)."""
_NAMES = "|".join(_OURS)
_CALL = re.compile(rf"^(  .*\bcall )[^@\n]*@({_NAMES})\(([^\n]*?)\)(?: #\d+)?(, ![^\n]*|)$", re.M)
_DECLARED = re.compile(rf"^declare [^@\n]*@(?:{_NAMES})\([^\n]*\n", re.M)
_ASKED = re.compile(
    rf"^  (%\S+) = .*?call [^@\n]*@({ALLOCATE}|{REALLOCATE})\(([^\n]*?)\)(?: #\d+)?(, ![^\n]*|)$"
)
_GIVEN_BACK = re.compile(rf"^  .*?call void @{RELEASE}\((ptr )([^\n]*?)\)(?: #\d+)?(, ![^\n]*|)$")
_OWN_MEMORY = "nounwind willreturn memory(inaccessiblemem: readwrite)"
_ITS_MEMORY = "nounwind willreturn memory(argmem: readwrite, inaccessiblemem: readwrite)"
_FUNCTIONS = f"""
declare ptr @{ALLOCATE}(i64) {_OWN_MEMORY}
declare void @{RELEASE}(ptr captures(none)) {_OWN_MEMORY}
declare ptr @{REALLOCATE}(ptr, i64) {_ITS_MEMORY}
"""
_CLEARED = """
define internal ptr @{name}(i64 %count, i64 %size) {{
  %bytes = mul nuw i64 %count, %size
  %words = udiv exact i64 %bytes, {word_bytes}
  %block = call ptr @{allocate}(i64 %bytes)
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  %done = icmp eq i64 %i, %words
  br i1 %done, label %end, label %body
body:
  %place = getelementptr inbounds i{word_bits}, ptr %block, i64 %i
  store i{word_bits} 0, ptr %place, align {word_bytes}
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
    words = set[int]()

    def ours(call: re.Match[str]) -> str:
        before, name, given, behind = call.groups()
        kind = "void" if _OURS[name] == RELEASE else "ptr"
        given = given.partition(", i64 ")[0] if kind == "void" else given
        own = _OURS[name]
        if own == CLEARED:
            words.add(_word_bytes(given))
            own = f"{CLEARED}.{_word_bytes(given)}"
        return f"{before}{kind} @{own}({given}){behind}"

    text = _DECLARED.sub("", _CALL.sub(ours, text)) + _FUNCTIONS
    return text + "".join(_cleared(word_bytes) for word_bytes in sorted(words))


def _word_bytes(given: str) -> int:
    """By how many bytes at a time a block is cleared: as many as its size is a multiple of."""
    numbers = [int(n) for n in re.findall(r"i64 (?:noundef )?(\d+)", given)]
    return max(w for w in WORDS if math.prod(numbers) % w == 0) if numbers else 1


def _cleared(word_bytes: int) -> str:
    return _CLEARED.format(
        name=f"{CLEARED}.{word_bytes}",
        allocate=ALLOCATE,
        word_bytes=word_bytes,
        word_bits=8 * word_bytes,
    )


def asks_for_blocks(text: str, name: str) -> bool:
    """Whether a function that stays one asks for blocks."""
    body = function_text(text, name) or ""
    return any(f"@{own}(" in body for own in (ALLOCATE, REALLOCATE))


def with_blocks(text: str, top: str, given_bytes: int) -> binding.ModuleRef | None:
    """The module with local arrays in place of the blocks that `top` asks for; None where it asks
    for none. `given_bytes`: what is given to those that nothing else says a size of, if it is."""
    if not asks_for_blocks(text, top):
        return None
    before = function_text(text, top) or ""
    head, _, body = before.partition("\n")
    lines = body.split("\n")
    label = 1 if re.match(r'(?:[-\w$.]+|"[^"]*"):', lines[0]) else 0
    maker = _Maker(text, top, given_bytes)
    made = [*lines[:label], *maker.made(lines[label:])]
    if maker.returned is not None:
        head = maker.returned.head(head)
        made = [after for line in made for after in maker.returned.line(line)]
    after = without_tails("\n".join([head, *made]))
    module = binding.parse_assembly(text.replace(before, after, 1) + arena_declared())
    module.link_in(binding.parse_assembly(arena_functions(top, maker.room_bytes)))
    return module


class _Maker:
    """A function's lines with arrays in place of blocks."""

    def __init__(self, text: str, top: str, given_bytes: int) -> None:
        self.holder, module = llvm.parse(text)
        function = next(f for f in llvm.children(module, "Function") if llvm.name(f) == top)
        calls = list(llvm.calls([function]))
        self.asked = [ref for ref in calls if _callee(ref) in (ALLOCATE, REALLOCATE)]
        again = {
            ref for ref in self.asked if _callee(ref) == REALLOCATE or _reached_again(function, ref)
        }
        self.is_arena = bool(again)
        """Whether blocks of one place may live side by side."""
        known = sum(_in_arena(size) for ref in self.asked if (size := _size(ref)) is not None)
        more = min(known, MOST_HEAP - GIVEN_BYTES) if self.is_arena else 0
        self.room_bytes = given_bytes or GIVEN_BYTES + more
        """What blocks have that nothing says a size of."""
        blocks = returned_blocks(function, [ref for ref in self.asked if ref not in again])
        self.released = [sources(llvm.operands(r)[0]) for r in calls if _callee(r) == RELEASE]
        is_apart = all(given <= blocks or not given & blocks for given in self.released)
        self.returned = Returned(function, blocks) if blocks and is_apart else None
        self.arrays: list[str] = []

    def made(self, lines: Iterable[str]) -> list[str]:
        asked, released = iter(self.asked), iter(self.released)
        made: list[str] = []
        for line in lines:
            found, back = _ASKED.match(line), _GIVEN_BACK.match(line)
            if found is not None:
                made += self._asked(next(asked), *found.groups())
            elif back is not None and self.is_arena:
                if self.returned is not None and next(released) <= self.returned.blocks:
                    continue  # the caller's
                _, block, behind = back.groups()
                block = block.rpartition(" ")[2]
                made.append(f"  call void @{GIVE}(ptr {ARRAY}, ptr {STATE}, ptr {block}){behind}")
            else:
                made.append(line)
        return [*(arena_lines(self.room_bytes) if self.is_arena else self.arrays), *made]

    def _asked(self, ref: llvm.Ref, name: str, own: str, given: str, behind: str) -> list[str]:
        """The lines in place of a call that asks for a block."""
        if self.returned is not None and ref in self.returned.blocks:
            place = f"  {name} = getelementptr i8, ptr {self.returned.name}, i64 0"
            return [f"  call void @{POSSIBLE}({given}){behind}", place]
        if not self.is_arena:
            return self._array(ref, name, given, behind)
        into = f"ptr {ARRAY}, ptr {STATE}, {given}"
        again = f"{TAKE_AGAIN}.{multiple_of(llvm.operands(ref)[-2], max(WORDS))}"
        return [f"  {name} = call ptr @{TAKE if own == ALLOCATE else again}({into}){behind}"]

    def _array(self, ref: llvm.Ref, name: str, given: str, behind: str) -> list[str]:
        size = _size(ref)
        room = self.room_bytes if size is None else max(1, size)
        self.arrays.append(f'  %"block{len(self.arrays) + 1}" = alloca [{room} x i8], align 16')
        made = f'  {name} = getelementptr i8, ptr %"block{len(self.arrays)}", i64 0'
        return [made] if size is not None else [f"  call void @{WITHIN}({given}){behind}", made]


def _callee(ref: llvm.Ref) -> str:
    return llvm.name(llvm.call("GetCalledValue", ref))


def _size(ref: llvm.Ref) -> int | None:
    """The most bytes that a call may ask for, if that is known, and any device might have them."""
    size = greatest(llvm.operands(ref)[-2], ref)
    return None if size is None or size > MOST_HEAP else size


def _in_arena(size: int) -> int:
    """The bytes that a block takes there."""
    return max(1, -(-size // ALIGNMENT_BYTES)) * ALIGNMENT_BYTES


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


def given_bytes(directives: Sequence[Placed], top: str) -> int:
    """What directives give the blocks of a function of which nothing else says a size; 0 where
    none does."""
    return max((d.number for d in said_of(top, "heap", directives)), default=0)


def heap_notes(
    kernel: Kernel, text: str, directives: Sequence[Placed], place: Place
) -> Iterator[Diagnostic]:
    """What is told of the room for blocks, and of directives that have no effect on it."""
    asks = any(memory.name.startswith(f"trap_{BLOCKS}_") for memory in traps(kernel))
    arena = re.search(rf"^  {ARRAY} = alloca \[(\d+) x i8\]", text, re.M)
    needs_room = asks or arena is not None
    room = int(arena[1]) if arena else GIVEN_BYTES
    given = list(said_of(kernel.name, "heap", directives))
    if needs_room and not given:
        text = (
            f"nothing says how large the blocks from the heap become: they have room for "
            f"{room:,} bytes, and calls that want more are the C's alone"
        )
        cure = f"say how much they want, `#pragma tandem heap({room})`"
        yield Diagnostic("heap", text, place, cure, "note")
    for directive in () if needs_room else given:
        yield no_effect(directive.shown, directive.place, "no block needs more than the C says")
