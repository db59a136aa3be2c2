# SPDX-License-Identifier: Apache-2.0
"""memset, memcpy and memmove of a large or unknown size become loops.

Clang makes calls of LLVM's intrinsics of them, also for initialisers and for struct assignments.
Before anything is inlined, those that are too long for straight-line code call one of the functions
below instead, which LLVM then inlines.
"""

from __future__ import annotations

import re
from functools import cache

from tandem import policy
from tandem.frontend.clang import own_functions

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
_CALL = re.compile(
    r"call void @llvm\.(memset|memcpy|memmove)\.\S+?\((ptr .*), (i64 \S+), i1 false\)(.*)$", re.M
)
_ALIGNED = re.compile(r"(ptr )(?:noundef |nonnull )*align (\d+) ")


def use_block_loops(text: str) -> str:
    """A module's text with calls of `block_functions` for long and unknown sizes."""
    text = _CALL.sub(_replace, text)
    names = sorted(set(re.findall(r"@(tandem\.mem(?:set|cpy|move)\.\d)\(", text)))
    return text + "".join(f"\ndeclare void @{name}{_parameters(name)}\n" for name in names)


def _parameters(name: str) -> str:
    return "(ptr, i8, i64)" if "memset" in name else "(ptr, ptr, i64)"


def _replace(call: re.Match[str]) -> str:
    kind, operands, size, rest = call.groups()
    number = int(size[4:]) if size[4:].isdigit() else None
    if number is not None and number <= policy.STRAIGHT_BYTES:
        return call[0]
    aligned = [int(n) for _, n in _ALIGNED.findall(operands)]
    pointers = 1 if kind == "memset" else 2
    strictest = min(aligned) if len(aligned) == pointers else 1
    word = next(w for w in WORD_BYTES if strictest % w == 0 and (number or 0) % w == 0)
    # Attributes of a call site speak of the intrinsic.
    rest, operands = re.sub(r" #\d+", "", rest), _ALIGNED.sub(r"\1", operands)
    return f"call void @tandem.{kind}.{word}({operands}, {size}){rest}"


@cache
def block_functions() -> str:
    """LLVM IR of the functions that the calls lead to."""
    return own_functions(_SOURCE)
