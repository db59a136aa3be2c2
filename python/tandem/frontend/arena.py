# SPDX-License-Identifier: Apache-2.0
"""One array for blocks from the heap that live side by side: each begins where the one before ends,
and what was given back last, or when no block is left, is there again. A block that the array has
no room for is a trap.
"""

from __future__ import annotations

import re

from tandem.frontend.clang import own_functions
from tandem.frontend.symbols import symbol
from tandem.frontend.text import function_text
from tandem.ir.traps import BLOCKS, LARGE, trap_symbol

ALIGNMENT_BYTES = 16
"""That of any type, as malloc has it."""
ARRAY, STATE = "%heap.blocks", "%heap.state"
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

_STOPPED = re.compile(rf"^  (?:tail )?call void @{re.escape(STOP)}\(.*\n  unreachable.*$", re.M)
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


def with_ends(text: str, top: str) -> str:
    """The module in which a function that has come to a trap returns."""
    before = function_text(text, top) or ""
    kind = re.match(rf"define .*?(\S+) @{re.escape(symbol(top))}\(", before)
    result = "void" if kind is None or kind[1] == "void" else f"{kind[1]} zeroinitializer"
    return text.replace(before, _STOPPED.sub(f"  ret {result}", before), 1)


def arena_lines(room_bytes: int) -> list[str]:
    """Where a function begins that has an arena: its array, and that nothing of it is taken."""
    state = "{ i32, i32, i32 }"
    return [
        f"  {ARRAY} = alloca [{room_bytes} x i8], align {ALIGNMENT_BYTES}",
        f"  {STATE} = alloca {state}, align 4",
        f"  store {state} zeroinitializer, ptr {STATE}, align 4",
    ]


def arena_declared() -> str:
    """Declarations of the functions."""
    again = "".join(f"declare ptr @{TAKE_AGAIN}.{w}(ptr, ptr, ptr, i64)\n" for w in WORDS)
    return (
        f"declare ptr @{TAKE}(ptr, ptr, i64)\ndeclare void @{GIVE}(ptr, ptr, ptr)\n"
        f"declare void @{WITHIN}(i64)\ndeclare void @{POSSIBLE}(i64)\n{again}"
    )
