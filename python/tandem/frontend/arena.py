# SPDX-License-Identifier: Apache-2.0
"""One array for blocks from the heap that live side by side: each begins where the one before ends,
and what was given back last, or when no block is left, is there again. A block that the array has
no room for is a trap.
"""

from __future__ import annotations

from tandem.frontend.clang import own_functions
from tandem.ir.traps import BLOCKS, LARGE, trap_symbol
from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import erase
from tandem.llvm.module import Module, opened
from tandem.llvm.opcodes import Opcode
from tandem.llvm.read import Ref, call

ALIGNMENT_BYTES = 16
"""That of any type, as malloc has it."""
ARRAY, STATE = "heap.blocks", "heap.state"
"""The array, and what is known of it: how much is taken, where the last block begins, how many
there are."""
TAKE, GIVE, TAKE_AGAIN, WITHIN, POSSIBLE = (
    "tandem.take",
    "tandem.give",
    "tandem.take_again",
    "tandem.within",
    "tandem.possible",
)
MOST_BYTES = 1 << 40
"""What no machine has for one block."""
STOP = "tandem.stop"
"""Where a call ends that has come to a trap."""
WORDS = {8: "unsigned long long", 4: "unsigned", 2: "unsigned short", 1: "unsigned char"}
"""What a block is copied by: its own elements may then be as wide."""

_SOURCE = """
typedef unsigned u32;
typedef unsigned long long u64;
struct heap { u32 used, last, blocks; };
extern char trap __asm__(TRAP), large __asm__(LARGE);
_Noreturn void stop(void) __asm__("tandem.stop");
void *take(char *, struct heap *, u64) __asm__("tandem.take");
void give(char *, struct heap *, char *) __asm__("tandem.give");
void within(u64) __asm__("tandem.within");
void possible(u64) __asm__("tandem.possible");

static _Noreturn void full(void) { trap = 1; stop(); }

void within(u64 bytes) { if (bytes > ROOM) full(); }

void possible(u64 bytes) { if (bytes > MOST) { large = 1; stop(); } }

static u32 end_of(u32 begin, u64 bytes)
{
    u32 size = (((u32)bytes + (bytes == 0)) + ALIGNMENT - 1) & -ALIGNMENT;
    if (bytes > ROOM || begin + size > ROOM) full();
    return begin + size;
}

void *take(char *array, struct heap *heap, u64 bytes)
{
    heap->last = heap->used;
    heap->used = end_of(heap->used, bytes);
    heap->blocks++;
    return array + heap->last;
}

void give(char *array, struct heap *heap, char *block)
{
    if (!block) return;
    if (block == array + heap->last) heap->used = heap->last;
    if (--heap->blocks == 0) heap->used = 0;
}

#define AGAIN(W, T) \\
    void *again##W(char *, struct heap *, T *, u64) __asm__("tandem.take_again." #W); \\
    void *again##W(char *array, struct heap *heap, T *block, u64 bytes) { \\
        if (!block) return take(array, heap, bytes); \\
        if (!bytes) { give(array, heap, (char *)block); return 0; } \\
        if ((char *)block == array + heap->last) { \\
            heap->used = end_of(heap->last, bytes); \\
            return block; \\
        } \\
        T *other = take(array, heap, bytes); \\
        for (u64 i = 0; i < bytes / W; i++) other[i] = block[i]; \\
        heap->blocks--; \\
        return other; \\
    }
"""


def arena_functions(top: str, room_bytes: int) -> str:
    """LLVM IR of the functions that a kernel's calls lead to."""
    again = "".join(f"AGAIN({bytes_}, {kind})\n" for bytes_, kind in WORDS.items())
    defined = {
        "TRAP": f'"{trap_symbol(BLOCKS, room_bytes, top)}"',
        "LARGE": f'"{trap_symbol(LARGE, 0, top)}"',
        "ROOM": f"{room_bytes}u",
        "MOST": f"{MOST_BYTES}ull",
        "ALIGNMENT": f"{ALIGNMENT_BYTES}u",
    }
    return own_functions(_SOURCE + again, defined)


def end_calls(module: Module, top: str) -> bool:
    """Has a function that has come to a trap return."""
    stop = module.function(STOP)
    found = [ref for ref in llvm.calls_of(stop) if _is_of(ref, top)] if stop else []
    builder = Builder(module)
    for ref in found:
        function = module.function(top) or 0
        end = call("GetNextInstruction", ref)
        builder.before(end)
        is_void = llvm.returns_nothing(function)
        builder.ret(None if is_void else call("ConstNull", llvm.result_type(function)))
        erase(end)
        erase(ref)
    return bool(found)


def _is_of(ref: Ref, top: str) -> bool:
    """Whether a call ends what a function does."""
    function = llvm.function_of(ref)
    is_last = llvm.opcode_of(call("GetNextInstruction", ref)) == Opcode.UNREACHABLE
    return llvm.name(function) == top and is_last


class Arena:
    """The array of a function's blocks, which it makes where it begins, with nothing of it
    taken."""

    def __init__(self, module: Module, builder: Builder, room_bytes: int) -> None:
        self.module, self.size = module, module.integer(64)
        state = module.struct([module.integer(32)] * 3)
        self.array = builder.local(module.array(module.integer(8), room_bytes), ARRAY)
        self.state = builder.local(state, STATE)
        call("SetAlignment", self.array, ALIGNMENT_BYTES)
        builder.store(call("ConstNull", state), self.state)

    def take(self, builder: Builder, size: Ref) -> Ref:
        """The call that takes a block of so many bytes."""
        return builder.call(self._function(TAKE, 2, self.size), [self.array, self.state, size])

    def take_again(self, builder: Builder, block: Ref, size: Ref, word_bytes: int) -> Ref:
        """... a block in the place of another one, with its content, which is copied by words."""
        function = self._function(f"{TAKE_AGAIN}.{word_bytes}", 3, self.size)
        return builder.call(function, [self.array, self.state, block, size])

    def give(self, builder: Builder, block: Ref) -> None:
        """The call that gives one back."""
        builder.call(self._function(GIVE, 3), [self.array, self.state, block])

    def _function(self, name: str, pointers: int, *more: Ref) -> Ref:
        result = self.module.void if name == GIVE else self.module.pointer
        return self.module.declared(name, result, [self.module.pointer] * pointers + [*more])


def check(builder: Builder, name: str, size: Ref) -> None:
    """A call that comes to a trap where a size is not `WITHIN` what there is, or not `POSSIBLE`."""
    module = builder.module
    builder.call(module.declared(name, module.void, [module.integer(64)]), [size])


def room_of(text: str) -> int | None:
    """The bytes of the array for blocks in a module; None where there is none."""
    with opened(text) as module:
        for ref in llvm.instructions(module.defined):
            if llvm.opcode_of(ref) == llvm.ALLOCA and llvm.name(ref) == ARRAY:
                return call("GetArrayLength2", call("GetAllocatedType", ref))
    return None
