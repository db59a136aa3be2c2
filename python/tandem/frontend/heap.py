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
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

import llvmlite.binding as llvmlite

from tandem.diagnostics import Diagnostic, Place
from tandem.frontend.arena import (
    ALIGNMENT_BYTES,
    POSSIBLE,
    WITHIN,
    WORDS,
    Arena,
    arena_functions,
    check,
    room_of,
)
from tandem.frontend.bounds import greatest
from tandem.frontend.directives.directive import MOST_HEAP, no_effect
from tandem.frontend.directives.rewrite import Placed, said_of
from tandem.frontend.multiples import multiple_of
from tandem.frontend.returned import give_block, returned_blocks, sources
from tandem.ir.kernel import Kernel
from tandem.ir.traps import BLOCKS, traps
from tandem.llvm import read as llvm
from tandem.llvm.attributes import FUNCTION_INDEX
from tandem.llvm.builder import Builder
from tandem.llvm.edit import add_attribute, erase, replace
from tandem.llvm.module import Module, opened
from tandem.llvm.order import successors
from tandem.llvm.passes import rewritten
from tandem.llvm.read import call

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
_OWN_MEMORY = {"nounwind": 0, "willreturn": 0, "memory": 0b1100}
"""Attributes of what uses memory that nothing else has (inaccessiblemem: readwrite)."""
_ITS_MEMORY = {**_OWN_MEMORY, "memory": 0b1111}
"""... and what it is given."""
_CLEARED = """
define ptr @{name}(i64 %count, i64 %size) {{
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


def with_own_heap(module: llvmlite.ModuleRef) -> llvmlite.ModuleRef:
    """The module with functions of ours in place of the heap's, of which LLVM knows nothing."""
    words = set[int]()
    made = rewritten(module, lambda module: _use_own(module, words))
    for word_bytes in sorted(words):
        made.link_in(llvmlite.parse_assembly(_cleared(word_bytes)))
    return made


def _use_own(module: Module, words: set[int]) -> bool:
    builder = Builder(module)
    for name, own in _OURS.items():
        function = module.function(name)
        for ref in llvm.calls_of(function) if function else ():
            *given, _ = llvm.operands(ref)
            if own == CLEARED:
                words.add(_word_bytes(given))
                own_name = f"{CLEARED}.{_word_bytes(given)}"
            else:
                own_name = own
            given = given[:1] if own == RELEASE else given
            made = builder.before(ref).call(_own(module, own_name, given), given)
            erase(ref) if own == RELEASE else replace(ref, made)
    for name in (ALLOCATE, RELEASE, REALLOCATE):
        _own(module, name, [])
    return True


def _own(module: Module, name: str, given: Sequence[llvm.Ref]) -> llvm.Ref:
    """A function of ours, which is declared."""
    size = module.integer(64)
    kinds = {ALLOCATE: [size], RELEASE: [module.pointer], REALLOCATE: [module.pointer, size]}
    if (found := module.function(name)) is not None:
        return found
    result = module.void if name == RELEASE else module.pointer
    made = module.declared(name, result, kinds.get(name, [*map(llvm.type_of, given)]))
    said = _ITS_MEMORY if name == REALLOCATE else _OWN_MEMORY
    for word, value in said.items() if name in kinds else ():
        add_attribute(made, FUNCTION_INDEX, module.enum_attribute(word, value))
    if name == RELEASE:
        add_attribute(made, 1, module.enum_attribute("captures"))
    return made


def _word_bytes(given: Sequence[llvm.Ref]) -> int:
    """By how many bytes at a time a block is cleared: as many as its size is a multiple of."""
    numbers = [n for size in given if (n := llvm.constant_number(size)) is not None]
    return max(w for w in WORDS if math.prod(numbers) % w == 0) if numbers else 1


def _cleared(word_bytes: int) -> str:
    return f"declare ptr @{ALLOCATE}(i64)\n" + _CLEARED.format(
        name=f"{CLEARED}.{word_bytes}",
        allocate=ALLOCATE,
        word_bytes=word_bytes,
        word_bits=8 * word_bytes,
    )


def asks_for_blocks(text: str, *names: str) -> bool:
    """Whether one of some functions that stay functions asks for blocks."""
    with opened(text) as module:
        return bool(_asked(f for f in module.defined if llvm.name(f) in names))


def _asked(functions: Iterable[llvm.Ref]) -> list[llvm.Ref]:
    """The calls of some functions that ask for blocks."""
    return [ref for ref in llvm.calls(functions) if _callee(ref) in (ALLOCATE, REALLOCATE)]


def with_blocks(text: str, top: str, given_bytes: int) -> llvmlite.ModuleRef | None:
    """The module with local arrays in place of the blocks that `top` asks for; None where it asks
    for none. `given_bytes`: what is given to those that nothing else says a size of, if it is."""
    with opened(text) as module:
        function = module.function(top)
        if function is None or not _asked([function]):
            return None
        maker = _Maker(module, function, given_bytes)
        maker.make()
        made = llvmlite.parse_assembly(module.text())
    made.link_in(llvmlite.parse_assembly(arena_functions(top, maker.room_bytes)))
    return made


class _Maker:
    """Puts arrays in the place of a function's blocks."""

    def __init__(self, module: Module, function: llvm.Ref, given_bytes: int) -> None:
        self.module, self.function = module, function
        self.asked = _asked([function])
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
        self.released = {
            r: sources(llvm.operands(r)[0]) for r in llvm.calls([function]) if _callee(r) == RELEASE
        }
        is_apart = all(given <= blocks or not given & blocks for given in self.released.values())
        self.returned = blocks if is_apart else frozenset[llvm.Ref]()
        """What asks for the block that is the caller's."""
        self.numbers = count(1)
        self.sizes = {ref: _size(ref) for ref in self.asked}
        self.words = {ref: multiple_of(llvm.operands(ref)[-2], max(WORDS)) for ref in self.asked}

    def make(self) -> None:
        if self.returned:
            self.function = give_block(self.module, self.function)
        self.arena = None
        if self.is_arena:
            self.arena = Arena(self.module, self._begin(), self.room_bytes)
        if self.arena is not None:
            self._give_back(self.arena)
        for ref in self.asked:
            replace(ref, self._block(ref, Builder(self.module).before(ref)))
        for ref in llvm.calls([self.function]):
            if (
                call("GetTailCallKind", ref) == llvm.TAIL
            ):  # the function's own variables are no longer
                call("SetTailCall", ref, 0)  # out of reach: what was another's is among them

    def _give_back(self, arena: Arena) -> None:
        for ref, given in self.released.items():
            if not (self.returned and given <= self.returned):  # else the caller's
                arena.give(Builder(self.module).before(ref), llvm.operands(ref)[0])
            erase(ref)

    def _block(self, ref: llvm.Ref, builder: Builder) -> llvm.Ref:
        """What is in the place of a call that asks for a block."""
        size = llvm.operands(ref)[-2]
        if ref in self.returned:
            check(builder, POSSIBLE, size)
            return self._start(builder, llvm.parameters(self.function)[-1])
        if self.arena is None:
            return self._array(ref, builder)
        if _callee(ref) == ALLOCATE:
            return self.arena.take(builder, size)
        return self.arena.take_again(builder, llvm.operands(ref)[0], size, self.words[ref])

    def _array(self, ref: llvm.Ref, builder: Builder) -> llvm.Ref:
        size = self.sizes[ref]
        room = self.room_bytes if size is None else max(1, size)
        array = self._begin().local(
            self.module.array(self.module.integer(8), room), f"block{next(self.numbers)}"
        )
        call("SetAlignment", array, ALIGNMENT_BYTES)
        if size is None:
            check(builder, WITHIN, llvm.operands(ref)[-2])
        return self._start(builder, array)

    def _begin(self) -> Builder:
        """Makes what is there when the function begins, of no line."""
        builder = Builder(self.module).before(llvm.first_instruction(self.function))
        call("SetCurrentDebugLocation2", builder.ref, None)
        return builder

    def _start(self, builder: Builder, array: llvm.Ref) -> llvm.Ref:
        """The first byte of an array, by a name of its own."""
        return builder.address(self.module.integer(8), array, [self.module.number(64, 0)])


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
    arena = room_of(text)
    needs_room = asks or arena is not None
    room = arena or GIVEN_BYTES
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
