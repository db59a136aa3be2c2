# SPDX-License-Identifier: Apache-2.0
"""memset, memcpy and memmove of a large or unknown size become loops.

Clang makes calls of LLVM's intrinsics of them, also for initialisers and for struct assignments.
Before anything is inlined, those that are too long for straight-line code call one of the functions
below instead, which LLVM then inlines.
"""

from __future__ import annotations

from functools import cache

from tandem import policy
from tandem.frontend.clang import own_functions
from tandem.llvm import read as llvm
from tandem.llvm.builder import Builder
from tandem.llvm.edit import erase
from tandem.llvm.module import Module
from tandem.llvm.read import Ref

WORD_BYTES = (8, 4, 2, 1)

IS_BELOW = "tandem.below"
"""Whether a pointer is below another in one array. Between arrays either answer will do, so the
import, which could not tell, must still find the call."""

# One function a word size: the last bytes of a size that is no multiple of it go one by one. Where
# LLVM knows the size, it removes that part.
_SOURCE = """
typedef unsigned long long u64;
_Bool below(const void *, const void *) __asm__("tandem.below");
__attribute__((const, noinline)) _Bool below(const void *a, const void *b) { return a < b; }

#define FILL(W, T) \\
    void fill##W(T *to, unsigned char byte, u64 n) __asm__("tandem.memset." #W); \\
    void fill##W(T *to, unsigned char byte, u64 n) { \\
        T word = (T)(byte * 0x0101010101010101ull); \\
        for (u64 i = 0; i < n / W; i++) to[i] = word; \\
        for (u64 i = n / W * W; i < n; i++) ((unsigned char *)to)[i] = byte; \\
    }
#define COPY(W, T) \\
    void copy##W(T *to, const T *from, u64 n) __asm__("tandem.memcpy." #W); \\
    void copy##W(T *to, const T *from, u64 n) { \\
        for (u64 i = 0; i < n / W; i++) to[i] = from[i]; \\
        for (u64 i = n / W * W; i < n; i++) \\
            ((unsigned char *)to)[i] = ((const unsigned char *)from)[i]; \\
    }
#define MOVE(W, T) \\
    void move##W(T *to, const T *from, u64 n) __asm__("tandem.memmove." #W); \\
    void move##W(T *to, const T *from, u64 n) { \\
        if (below(to, from)) { copy##W(to, from, n); return; } \\
        for (u64 i = n; i > n / W * W; i--) \\
            ((unsigned char *)to)[i - 1] = ((const unsigned char *)from)[i - 1]; \\
        for (u64 i = n / W; i > 0; i--) to[i - 1] = from[i - 1]; \\
    }
#define ALL(W, T) FILL(W, T) COPY(W, T) MOVE(W, T)
ALL(1, unsigned char)
ALL(2, unsigned short)
ALL(4, unsigned int)
ALL(8, u64)
"""
_KINDS = ("memset", "memcpy", "memmove")
_SIZE_BITS = 64


def use_block_loops(module: Module) -> bool:
    """Has a module call `block_functions` for long and unknown sizes."""
    found = [
        (ref, kind) for ref in llvm.calls(module.defined) if (kind := _kind(ref)) and _is_long(ref)
    ]
    builder = Builder(module)
    for ref, kind in found:
        given = llvm.operands(ref)[:3]
        name = f"tandem.{kind}.{_word(ref, kind)}"
        function = module.declared(name, module.void, [llvm.type_of(value) for value in given])
        builder.before(ref).call(function, given)
        erase(ref)
    return bool(found)


def _kind(ref: Ref) -> str | None:
    """Which of these a call is of, unless the memory is another device's."""
    function = llvm.called(ref)
    parts = llvm.name(function).split(".") if function else []
    if parts[:1] != ["llvm"] or len(parts) < 2 or parts[1] not in _KINDS:
        return None
    is_volatile = llvm.constant_number(llvm.operands(ref)[3]) != 0
    return None if is_volatile else parts[1]


def _is_long(ref: Ref) -> bool:
    """Whether it is too long for straight-line code, or of unknown size."""
    size = llvm.operands(ref)[2]
    number = llvm.constant_number(size)
    is_wide = llvm.number_bits(llvm.type_of(size)) == _SIZE_BITS
    return is_wide and (number is None or number > policy.STRAIGHT_BYTES)


def _word(ref: Ref, kind: str) -> int:
    """The bytes of the largest word that all it touches is made of."""
    number = llvm.constant_number(llvm.operands(ref)[2]) or 0
    aligned = [llvm.alignment_given(ref, i) for i in range(1 if kind == "memset" else 2)]
    return next(w for w in WORD_BYTES if min(aligned) % w == 0 and number % w == 0)


@cache
def block_functions() -> str:
    """LLVM IR of the functions that the calls lead to."""
    return own_functions(_SOURCE)
